"""Measure how often comparing mathematical answers is wrong, on all references of MATH-500; print the docs' tables.

    python tests/judging/measure_grading.py [FILE] [--sample N] [--library] [--show]

``FILE`` is MATH-500's ``test.jsonl`` (else the one that lies beside the repository), ``--sample`` takes N references,
``--library`` measures math-verify alone on the same pairs, and ``--show`` prints every pair without a right verdict.
"""

import argparse
import json
import logging
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

from math_forms import kind, near, right_forms, wrong_forms

from tutorscope.judging.math_verdicts import DIFFERENT, EQUAL, Compared
from tutorscope.judging.math_workers import PROCESSES, MathWorkers

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data" / "math500" / "test.jsonl"
SOURCES = ("itself", "rewritten", "spoiled", "another reference")
RIGHT = ("itself", "rewritten")


@dataclass(frozen=True)
class Pair:
    """A reference, an answer, and where the answer comes from: that tells whether it is right."""

    reference: str
    answer: str
    source: str

    @property
    def right(self) -> bool:
        return self.source in RIGHT


def references(file: Path) -> list[str]:
    """Read the answers of MATH-500."""
    return [json.loads(line)["answer"] for line in file.read_text("utf-8").splitlines() if line.strip()]


def sample(every: Sequence[str], n: int) -> list[str]:
    """Choose references: each kind in turn, so that the rare ones are there."""
    by_kind: dict[str, list[str]] = {}
    for reference in dict.fromkeys(every):
        by_kind.setdefault(kind(reference), []).append(reference)
    rounds = zip_longest(*by_kind.values())
    return list(islice((one for line in rounds for one in line if one is not None), n))


def pairs(chosen: Iterable[str], among: Sequence[str]) -> list[Pair]:
    """Give every pair that is compared for the chosen references."""
    return [
        Pair(reference, answer, source)
        for reference in chosen
        for source, answers in zip(
            SOURCES,
            ([reference], right_forms(reference), wrong_forms(reference), near(reference, among)),
            strict=True,
        )
        for answer in answers
    ]


def compare_all(asked: Sequence[Pair]) -> list[Compared]:
    """Compare every pair as a run does: in workers."""
    workers = MathWorkers()
    with ThreadPoolExecutor(PROCESSES) as threads:
        found = list(threads.map(lambda pair: workers.compare_now(pair.reference, pair.answer), asked))
    workers.close()
    return found


def compare_by_library(pair: Pair) -> Compared:
    """Compare as math-verify alone does, as it ships: the answer as it stands or, if need be, in dollars."""
    from math_verify import parse, verify

    gold = parse(f"${pair.reference}$")
    ways = [pair.answer] if "$" in pair.answer else [pair.answer, f"${pair.answer}$"]
    return EQUAL if any(verify(gold, parse(way)) for way in ways) else DIFFERENT


def rates(asked: Sequence[Pair], found: Sequence[Compared]) -> dict[str, Counter[str]]:
    """Count verdicts by where the answers come from."""
    counts: dict[str, Counter[str]] = {source: Counter() for source in SOURCES}
    for pair, one in zip(asked, found, strict=True):
        counts[pair.source][one.verdict] += 1
        counts[pair.source]["pairs"] += 1
        counts[pair.source]["false"] += one.verdict == ("different" if pair.right else "equal")
    return counts


def table(counts: dict[str, Counter[str]]) -> str:
    """Write the counts as the table of docs/grading.md."""
    lines = ["| answers | pairs | equal | different | undecided | false |", "|---|---:|---:|---:|---:|---:|"]
    for source, count in counts.items():
        numbers = (count[name] for name in ("pairs", "equal", "different", "undecided", "false"))
        lines.append(f"| {source} | " + " | ".join(map(str, numbers)) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=BESIDE)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--library", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if not options.file.is_file():
        sys.exit(f"{options.file}: not here; expected the file test.jsonl of MATH-500")
    every = references(options.file)
    asked = pairs(sample(every, options.sample) if options.sample else every, every)
    logging.disable(logging.WARNING)
    found = [compare_by_library(pair) for pair in asked] if options.library else compare_all(asked)
    print(table(rates(asked, found)))
    print()
    for right in (True, False):
        reasons = Counter(
            one.reason for pair, one in zip(asked, found, strict=True) if one.reason and pair.right == right
        )
        print("undecided,", "right:" if right else "wrong:", dict(reasons.most_common()))
    print("kinds:", dict(Counter(map(kind, every)).most_common()))
    if options.show:
        for pair, one in zip(asked, found, strict=True):
            if one.verdict != ("equal" if pair.right else "different"):
                print(f"{one.verdict} ({one.reason}): {pair.reference!r} | {pair.answer!r} [{pair.source}]")


if __name__ == "__main__":
    main()
