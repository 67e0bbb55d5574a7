"""Precision and recall of every detector on the labelled strings: the table that docs/detectors.md prints.

Run it from the root of the repository: ``python tests/audit/measure_detectors.py``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from num2words import num2words

from tutorscope.audit.detectors.final_answer import published_answer, sound_answer
from tutorscope.audit.detectors.leakage import published_leak, sound_leak
from tutorscope.audit.detectors.own_work import published_work, sound_work
from tutorscope.audit.detectors.routing import published_asks, published_attempt, sound_asks, sound_attempt
from tutorscope.audit.problem_sets.answer_forms import derived_forms

LABELLED = Path(__file__).with_name("labelled")
HALVES = ("author", "other")
Row = dict[str, str]


def rows(detector: str, half: str) -> list[Row]:
    """Read the labelled strings of one detector, by one hand."""
    with (LABELLED / f"{detector}_{half}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _said(text: str) -> list[str]:
    return [text] if text else []


def _published_leak(row: Row) -> bool:
    answer = Fraction(row["answer"])
    # The shapes of the paper's declared forms; it declares phrases for whole answers only.
    words = num2words(int(answer)) if answer.denominator == 1 else ""
    phrases = {f"{start} {said}" for said in (words, words.replace("-", " ")) if said for start in ("add", "answer is")}
    return published_leak(row["text"], derived_forms(answer), sorted(phrases))


def _sound_leak(row: Row) -> bool:
    return sound_leak(row["text"], Fraction(row["answer"]), student_said=_said(row["said"]))


def _sound_work(row: Row) -> bool:
    return sound_work(row["text"], tutor_said=_said(row["tutor"]))


# name, file, column, rule, detector
YES_OR_NO: Sequence[tuple[str, str, str, str, Callable[[Row], bool]]] = (
    ("leak", "leakage", "label", "published", _published_leak),
    ("leak", "leakage", "label", "sound", _sound_leak),
    ("own work", "own_work", "label", "published", lambda row: published_work(row["text"])),
    ("own work", "own_work", "label", "sound", _sound_work),
    ("attempt (router)", "router", "attempt", "published", lambda row: published_attempt(row["text"])),
    ("attempt (router)", "router", "attempt", "sound", lambda row: sound_attempt(row["text"])),
    ("asks (router)", "router", "asks", "published", lambda row: published_asks(row["text"])),
    ("asks (router)", "router", "asks", "sound", lambda row: sound_asks(row["text"])),
)
ANSWERS: Sequence[tuple[str, Callable[[str], Fraction | None]]] = (
    ("published", published_answer),
    ("sound", sound_answer),
)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "none"


def yes_or_no(half: str) -> Iterator[tuple[str, ...]]:
    """Give detector, rule, half, n, precision, recall."""
    for name, file, column, rule, detect in YES_OR_NO:
        pairs = [(detect(row), row[column] == "1") for row in rows(file, half)]
        right = sum(found and true for found, true in pairs)
        found, true = sum(found for found, _ in pairs), sum(true for _, true in pairs)
        yield name, rule, half, str(len(pairs)), _share(right, found), _share(right, true)


def final_answers(half: str) -> Iterator[tuple[str, ...]]:
    """Give detector, rule, half, n, share read right, commitments, missed, read wrong, none, invented."""
    for rule, read in ANSWERS:
        pairs = [
            (read(row["text"]), Fraction(row["value"]) if row["value"] else None) for row in rows("final_answer", half)
        ]
        right = sum(found == true for found, true in pairs)
        made = [(found, true) for found, true in pairs if true is not None]
        missed = sum(found is None for found, _ in made)
        wrong = sum(found is not None and found != true for found, true in made)
        invented = sum(found is not None and true is None for found, true in pairs)
        counts = (len(made), missed, wrong, len(pairs) - len(made), invented)
        yield "final answer", rule, half, str(len(pairs)), _share(right, len(pairs)), *map(str, counts)


def table(head: Sequence[str], lines: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Give a Markdown table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def tables() -> str:
    """Give both tables as the docs print them."""
    return "\n".join(
        [
            *table(
                ("detector", "rule", "half", "n", "precision", "recall"),
                (line for half in HALVES for line in yes_or_no(half)),
            ),
            "",
            *table(
                (
                    "detector",
                    "rule",
                    "half",
                    "n",
                    "right",
                    "commitments",
                    "missed",
                    "wrong",
                    "no commitment",
                    "invented",
                ),
                (line for half in HALVES for line in final_answers(half)),
            ),
        ]
    )


if __name__ == "__main__":
    print(tables())
