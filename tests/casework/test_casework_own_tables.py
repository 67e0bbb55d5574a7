"""The user's tables: who the students are and which paper a category comes from."""

import os
from pathlib import Path

import pytest

from tutorscope.casework.check import check_release, check_text
from tutorscope.casework.own_tables import read_demographics, read_papers, with_papers
from tutorscope.casework.release import load_release
from tutorscope.errors import UserError

STARTER = load_release("starter")


@pytest.fixture
def table(tmp_path: Path):
    def write(text: str, encoding: str = "utf-8") -> Path:
        path = tmp_path / "table.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_a_row_about_a_category_counts_for_its_scenarios(table) -> None:
    found = read_demographics(table("category,level,Home Region\n001,primary,North\n2,lower secondary,\n"), STARTER)
    assert found.columns == ("level", "home_region")
    assert found.of == {
        1: {"level": "primary", "home_region": "North"},
        2: {"level": "primary", "home_region": "North"},
        3: {"level": "lower secondary"},
        4: {"level": "lower secondary"},
    }


def test_a_row_about_a_scenario_counts_for_it_alone(table) -> None:
    found = read_demographics(table("scenario_id,category_id,age\ns001,c001,9\n014,10,17\n"), STARTER)
    assert found.of == {1: {"age": "9"}, 14: {"age": "17"}}


@pytest.mark.parametrize("written", ["007", "7", "c007", "C7", " 7 ", "7.0", "category 7"])
def test_ids_are_read_however_they_are_written(table, written: str) -> None:
    assert read_papers(table(f"category,paper\n{written},Smith\n"), STARTER) == {7: "Smith"}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_the_separators_of_spreadsheets_are_read(table, separator: str, encoding: str) -> None:
    text = f"category{separator}level\r\n1{separator}primary\r\n"
    assert read_demographics(table(text, encoding), STARTER).of[2] == {"level": "primary"}


def test_columns_that_name_a_person_are_not_taken(table) -> None:
    found = read_demographics(table("category,student_name,level\n1,Ada,primary\n"), STARTER)
    assert (found.columns, found.dropped) == (("level",), ("student_name",))
    assert "Ada" not in str(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("category,level\n1,a\n\n99,b\n", "line 4: category 99 is not in the release"),
        ('category,level\n1,"two\nlines"\n99,b\n', "line 4: category 99 is not in the release"),
        ("scenario,level\n99,b\n", "line 2: scenario 99 is not in the release"),
        ("category,level\nfirst,b\n", "line 2: category 'first', expected an id such as 1"),
        ("category,level\n1,a\n01,b\n", "line 3: category 1 has a row already"),
        ("scenario,category,level\n1,2,a\n", "line 2: category 2, but scenario 1 belongs to 1"),
        ("category,level\n1,a,b\n", "line 2: 3 cells, expected 2"),
        ("category,level,Level\n1,a,b\n", "line 1: the column 'level' is there twice"),
        ("category,category_id\n1,1\n", "line 1: the column 'category' is there twice"),
        ("category\n1\n", "line 1: expected a column beside category"),
        (
            "category,student_name\n1,Ada\n",
            "line 1: student_name: not taken, because such columns name people; expected",
        ),
        ("level,age\na,b\n", "line 1: found level, age; expected a column category or scenario"),
        ("category,horizon\n1,a\n", "line 1: column 'horizon' is taken"),
        ("category,=cmd()\n1,a\n", "line 1: column '=cmd()' is taken or is no name"),
        ("category,level\n", "holds a header and no row"),
        ("", "is empty"),
        ('category,level\n1,a\n2,"b\n3,c\n', "line 3: cannot be read (a quote that is never closed)"),
        ('category,level\n1,a\n2,"b"c\n', "line 3: cannot be read"),
        (f"category,level\n1,a\n2,{'b' * 10_000_000}\n", "line 3: cannot be read (field larger than field limit"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_its_line(table, text: str, said: str) -> None:
    path = table(text)
    with pytest.raises(UserError) as refused:
        read_demographics(path, STARTER)
    assert str(refused.value).startswith(str(path))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_table_in_another_encoding_is_refused(table) -> None:
    path = table("category,level\n1,a\n2,Gymnasialstufe für alle\n", "latin-1")
    with pytest.raises(UserError, match="line 3: byte 0xfc is not UTF-8; expected a CSV file in UTF-8"):
        read_demographics(path, STARTER)


def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "table.csv")
    with pytest.raises(UserError, match="no regular file"):
        read_demographics(tmp_path / "table.csv", STARTER)


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_papers(tmp_path / "none.csv", STARTER)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("category,title\n1,a\n", "expected the columns category and paper"),
        ("category,paper\n1,\n", "line 2: category 1 has an empty paper"),
        ("category,paper\n1,a\n1,b\n", "line 3: category 1 has a paper already"),
        ("category,paper\n11,a\n", "line 2: category 11 is not in the release"),
    ],
)
def test_a_table_of_papers_that_does_not_fit_is_refused_with_its_line(table, text: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        read_papers(table(text), STARTER)
    assert said in str(refused.value)


def test_papers_are_put_into_the_scenarios_of_their_categories(table) -> None:
    release = with_papers(STARTER, read_papers(table("paper,category,year\nSmith,001,2020\n"), STARTER))
    assert {release.scenarios[number].paper for number in (1, 2)} == {"Smith"}
    assert release.scenarios[3] == STARTER.scenarios[3]
    assert STARTER.scenarios[1].paper != "Smith"


def test_check_counts_the_tables(table, tmp_path: Path) -> None:
    papers = tmp_path / "papers.csv"
    papers.write_text("category,paper\n1,Smith\n2,Smith\n", encoding="utf-8")
    groups = table("category,level,student_name\n1,primary,Ada\n3,primary,Bea\n10,upper,\n")
    found = check_release("starter", groups, papers)
    assert found["demographics"] == {
        "scenarios": 5,
        "columns": {"level": {"primary": 4, "upper": 1}},
        "dropped": ["student_name"],
    }
    assert found["papers"] == {"categories": 2, "papers": 1}
    text = check_text(found)
    assert "demographics of 5 scenarios: level (2 values); not taken, since they name people: student_name" in text
    assert "papers of 2 categories: 1" in text
