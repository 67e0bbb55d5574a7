from pathlib import Path

import pytest

from tutorscope.casework.negatives import is_purely_negative

LABELLED = Path(__file__).parent / "labelled" / "criteria.txt"


def labelled() -> dict[str, list[tuple[str, bool]]]:
    """Read the labelled checks: those that the rule was made with, and those written afterwards."""
    parts: dict[str, list[tuple[str, bool]]] = {}
    for line in LABELLED.read_text("utf-8").splitlines():
        if line.startswith("#"):
            current = parts.setdefault("made with" if not parts else "written afterwards", [])
        elif line.strip():
            current.append((line[2:], line[0] == "-"))
    return parts


@pytest.mark.parametrize(
    ("part", "precision", "recall"), [("made with", 1.0, 1.0), ("written afterwards", 22 / 24, 1.0)]
)
def test_labelled_checks_are_told_apart(part, precision, recall):
    checks = labelled()[part]
    assert len(checks) >= 44
    found = [(is_purely_negative(text), negative) for text, negative in checks]
    both = found.count((True, True))
    assert both / (both + found.count((True, False))) >= precision
    assert both / (both + found.count((False, True))) >= recall


@pytest.mark.parametrize(
    ("check", "negative"),
    [
        ("The tutor avoids threats (instead of offering a reward, e.g. stickers).", True),
        ("The tutor avoids saying 'and offers a choice'.", True),
        ("The tutor avoids threats. The tutor offers a choice.", False),
        ("The tutor avoids threats instead of arguing.", True),
        ("The tutor avoids threats; instead, two ways are offered.", False),
        ("THE TUTOR DOES NOT SHOUT", True),
        ("", False),
        ("(e.g. 'no')", False),
    ],
)
def test_brackets_quotes_and_further_sentences(check, negative):
    assert is_purely_negative(check) is negative


def test_long_hostile_checks_are_read_in_no_time():
    for text in ("The tutor " + "really " * 5000, "when " * 5000, "'" * 5000, "The tutor avoids " + ", giving " * 3000):
        is_purely_negative(text)


def test_real_criteria_that_are_purely_negative_are_few(shared):
    import json

    checks = [
        one["check"]
        for file in sorted((shared / "tutorcasebench" / "rubric").glob("*.json"))
        for one in json.loads(file.read_text("utf-8-sig"))["rubric"]["criteria"]
    ]
    assert len(checks) == 316
    assert sum(map(is_purely_negative, checks)) == 14
