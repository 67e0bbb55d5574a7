"""Traits of datasets: the published ones, the user's own, and files that are none."""

from pathlib import Path

import pytest

from tutorscope.errors import UserError
from tutorscope.uptake.traits import read_traits, trait_rows


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "traits.csv"
    path.write_bytes(text.encode("utf-8-sig"))
    return path


def test_a_dataset_that_the_paper_has_brings_its_traits() -> None:
    rows = {row["trait"]: (row["value"], row["source"]) for row in trait_rows({"dataset": "Math-Dial"})}
    assert rows == {
        name: (value, "published, Table 1")
        for name, value in {
            **{"subject": "maths", "level": "K-12", "deployment": "research"},
            **{"scaffolded": "yes", "human_tutor": "yes", "human_student": "no"},
        }.items()
    }


def test_the_users_traits_come_first_and_may_be_new() -> None:
    own = {"subject": "algebra", "country": "NO"}
    rows = {row["trait"]: (row["value"], row["source"]) for row in trait_rows({"dataset": "CoMTA", "traits": own})}
    assert rows["subject"] == ("algebra", "user")
    assert rows["country"] == ("NO", "user")
    assert rows["level"] == ("K-12", "published, Table 1")


def test_an_unknown_dataset_has_none() -> None:
    assert not list(trait_rows({"dataset": "mine"}))


def test_a_table_is_read_by_dataset(tmp_path: Path) -> None:
    path = table(tmp_path, "Dataset,Subject,Human tutor\nPilot,physics,no\n\nOld,,yes\n")
    assert read_traits(path) == {"pilot": {"subject": "physics", "human_tutor": "no"}, "old": {"human_tutor": "yes"}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "line 1: found nothing"),
        ("name,subject\na,b\n", "line 1: found name, subject"),
        ("dataset\na\n", "line 1: found dataset"),
        ("dataset,subject,subject\na,b,c\n", "column 'subject'"),
        ("dataset,=x\na,b\n", "column '=x'"),
        ("dataset,subject\na\n", "row 2: 1 cells, expected 2"),
        ("dataset,subject\na,b\nA,c\n", "row 3: dataset 'a'"),
        ("dataset,subject\n,b\n", "row 2: dataset ''"),
    ],
)
def test_other_tables_are_refused_in_one_line(tmp_path: Path, text: str, found: str) -> None:
    with pytest.raises(UserError) as caught:
        read_traits(table(tmp_path, text))
    assert found in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_traits(tmp_path / "none.csv")
