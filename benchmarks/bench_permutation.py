"""PERMANOVA against scikit-bio in one run, and its memory and time where a distance matrix would not fit."""

import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist, squareform

from tutorscope.stats.permutation import permanova, permdisp


def plane(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Give points like those of the uptake plane, in two categories that differ a little."""
    generator = np.random.default_rng(0)
    labels = (np.arange(n) > 0.6 * n).astype(int)
    points = np.column_stack([generator.normal(0.2, 0.3, n), generator.normal(2.5, 0.8, n)])
    return points + 0.01 * labels[:, None], labels


def timed(work):
    """Run it once: what it gave and how long it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def peak_in_mb() -> float:
    """Give the most memory that this process has held."""
    status = Path("/proc/self/status")
    if status.is_file():
        return int(status.read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def against_scikit_bio() -> None:
    from skbio.stats.distance import DistanceMatrix
    from skbio.stats.distance import permanova as oracle

    points, labels = plane(2_815)
    permanova(points, labels, permutations=9)
    matrix = DistanceMatrix(squareform(pdist(points)))
    theirs, their_time = timed(lambda: oracle(matrix, labels, permutations=999, seed=0))
    runs = [timed(lambda: permanova(points, labels, permutations=999)) for _ in range(5)]
    ours, our_time = sorted(runs, key=lambda run: run[1])[2]
    assert abs(theirs["test statistic"] / ours.f - 1) < 1e-10
    ratio = their_time / our_time
    figure = {"what": "PERMANOVA, 999 permutations, n = 2,815", "value": our_time, "unit": "s", "ratio": ratio}
    figure |= {"against": f"scikit-bio, {their_time:.1f} s, its distances given"}
    print(json.dumps(figure | {"wanted": "at least 100 times as fast", "met": ratio >= 100}))


def alone(name: str, n: int, permutations: int, test, limit: int | None) -> None:
    """Time one size in a process that does nothing else, so that its peak memory is this size's."""
    points, labels = plane(n)
    _, seconds = timed(lambda: test(points, labels, permutations=permutations))
    what = f"{name}, {permutations:,} permutations, n = {n:,}"
    print(json.dumps({"what": what, "value": seconds, "unit": "s"}))
    memory = {"what": f"{what}: peak of the process", "value": peak_in_mb(), "unit": "MB"}
    if limit:
        memory |= {"wanted": f"under {limit} MB", "met": peak_in_mb() < limit}
    print(json.dumps(memory), flush=True)


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    for job in (
        ("PERMANOVA", 8_097, 9_999, permanova, 200),
        ("PERMDISP", 8_097, 999, permdisp, None),
        ("PERMANOVA", 1_000_000, 99, permanova, None),
    ):
        process = spawn.Process(target=alone, args=job)
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(process.exitcode)
    against_scikit_bio()
