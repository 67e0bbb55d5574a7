"""Comparing mathematical answers: how many a second two workers take, against math-verify alone in one process.

The pairs are such as students write: a third is spelled like the reference and never reaches a worker.
"""

import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from tutorscope.judging.math_answers import spelled_alike
from tutorscope.judging.math_workers import PROCESSES, MathWorkers

ROUNDS = 20
ANSWERS = {
    "\\frac{14}{3}": ("$\\dfrac{14}{3}$", "14/3", "\\frac{13}{3}"),
    "42": ("\\boxed{42}", "42.0", "41"),
    "3\\sqrt{13}": ("$3\\sqrt{13}$.", "\\sqrt{117}", "2\\sqrt{13}"),
    "(3,4]": ("$(3,4]$", "3 < x \\le 4", "(3,4)"),
    "1,-2": ("1, -2", "-2, 1", "1, 2"),
    "6r^2-4r-24": ("$6r^2 - 4r - 24$", "2(3r^2-2r-12)", "6r^2-4r+24"),
    "90^\\circ": ("90°", "90", "89^\\circ"),
    "\\left(3, \\frac{\\pi}{2}\\right)": ("(3, \\frac{\\pi}{2})", "(3, pi/2)", "(\\frac{\\pi}{2}, 3)"),
}
PAIRS = [(reference, answer) for reference, answers in ANSWERS.items() for answer in answers] * ROUNDS


def ours() -> float:
    """Time all pairs as a run grades them, after the workers have loaded."""
    workers = MathWorkers()
    with ThreadPoolExecutor(PROCESSES) as threads:
        list(threads.map(lambda _: workers.compare_now("1", "1.0"), range(2 * PROCESSES)))
        start = time.perf_counter()
        list(threads.map(lambda pair: spelled_alike(*pair) or workers.compare_now(*pair), PAIRS))
        taken = time.perf_counter() - start
    workers.close()
    return taken


def theirs() -> float:
    """Time math-verify on the same pairs, after its first use."""
    from math_verify import parse, verify

    logging.disable(logging.WARNING)
    verify(parse("$1$"), parse("$1.0$"))
    start = time.perf_counter()
    for reference, answer in PAIRS:
        verify(parse(f"${reference}$"), parse(answer if "$" in answer else f"${answer}$"))
    return time.perf_counter() - start


if __name__ == "__main__":
    ours_seconds, their_seconds = ours(), theirs()
    print(
        json.dumps(
            {
                "what": f"{len(PAIRS)} mathematical answers compared by {PROCESSES} workers",
                "value": len(PAIRS) / ours_seconds,
                "unit": "answers/s",
                "against": f"math-verify alone, {len(PAIRS) / their_seconds:,.0f} answers/s",
                "ratio": their_seconds / ours_seconds,
            }
        )
    )
