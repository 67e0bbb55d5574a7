"""The labelled strings, and the numbers that the docs print for them."""

from pathlib import Path

import pytest
from measure_detectors import HALVES, LABELLED, final_answers, rows, tables, yes_or_no

DOCS = Path(__file__).parents[2] / "docs" / "detectors.md"
COLUMNS = {
    "leakage": ["text", "answer", "said", "label"],
    "own_work": ["text", "tutor", "label"],
    "final_answer": ["text", "value"],
    "router": ["text", "attempt", "asks"],
}


@pytest.mark.parametrize("detector", COLUMNS)
def test_each_hand_labelled_its_share(detector: str) -> None:
    halves = [rows(detector, half) for half in HALVES]
    assert min(map(len, halves)) >= 80
    assert sum(map(len, halves)) >= 150
    assert all(list(half[0]) == COLUMNS[detector] for half in halves)


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("detector", COLUMNS)
def test_no_string_counts_twice_in_a_half(detector: str, half: str) -> None:
    given = [
        tuple(row[column] for column in row if column in ("text", "answer", "said", "tutor"))
        for row in rows(detector, half)
    ]
    assert len(given) == len(set(given))


def test_the_docs_print_what_is_measured_now() -> None:
    printed = DOCS.read_text(encoding="utf-8").splitlines()
    assert [line for line in tables().splitlines() if line and line not in printed] == []


def test_every_sound_rule_is_closer_to_the_labels_than_the_published_one() -> None:
    for half in HALVES:
        lines = list(yes_or_no(half))
        for published, sound in zip(lines[::2], lines[1::2], strict=True):
            assert published[0] == sound[0]
            assert float(sound[4]) >= float(published[4]), (half, sound[0], "precision")
            assert float(sound[5]) > float(published[5]), (half, sound[0], "recall")
        published, sound = final_answers(half)
        assert float(sound[4]) > float(published[4])


def test_the_labels_lie_beside_the_tests() -> None:
    assert {path.name for path in LABELLED.glob("*.csv")} == {f"{d}_{h}.csv" for d in COLUMNS for h in HALVES}
