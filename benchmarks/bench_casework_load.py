"""Loading a release of the published size: 7,500 small files, against only reading the bytes of the files it needs.

The part of the release beside the repository (or the package's own material, where that is absent) is copied with new
ids until there are as many files. The authors' ready prompts are among them: they are there and are never read.
"""

import json
import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

from tutorscope.casework.release import load_release

FILES = 7_500
LIMIT = 3.0
RUNS = 5
HERE = Path(__file__).resolve().parent
REAL = HERE.parents[1] / "shared" / "data" / "tutorcasebench"
READ = ("dialogue", "dialogue_full_context", "rubric", "mcq", "binary", "strategies")
NUMBER = re.compile(r"(?<=[_sc])(\d{3,4})(?=[_.])")
FIELDS = re.compile(r'("(?:category_id|scenario_id|mcq_id|binary_id)":\s*)"(\d+)"')


def shifted(text: str, pattern: re.Pattern[str], group: int, by: int) -> str:
    """Raise every number that a pattern finds."""

    def raised(match: re.Match[str]) -> str:
        number = f"{int(match[group]) + by:0{len(match[group])}d}"
        return number if group == 1 else f'{match[1]}"{number}"'

    return pattern.sub(raised, text)


def build(source: Path, root: Path, wanted: int) -> int:
    """Copy a release with new ids until there are so many files; give how many are read."""
    # Category by category, so that what the last copy lacks is whole categories.
    originals = [path for path in source.rglob("*") if path.parent != source and path.suffix in (".json", ".txt")]
    originals.sort(key=lambda path: (re.findall(r"_c(\d+)", path.name), path))
    copies: Iterator[tuple[Path, int]] = ((path, 1_000 * n) for n in range(wanted) for path in originals)
    read = 0
    for _, (path, by) in zip(range(wanted), copies, strict=False):
        place = root / path.parent.name / shifted(path.name, NUMBER, 1, by)
        place.parent.mkdir(exist_ok=True)
        read += path.parent.name in READ
        text = path.read_text(encoding="utf-8")
        place.write_text(shifted(text, FIELDS, 2, by) if path.suffix == ".json" else text, encoding="utf-8")
    shutil.copy(source / "dataset_overall.csv", root)
    return read


def bytes_alone(root: Path) -> int:
    """Read the same files and do nothing with them."""
    size = 0
    for folder in READ:
        if (root / folder).is_dir():
            for entry in os.scandir(root / folder):
                with open(entry.path, "rb") as file:  # noqa: PTH123 - as the loader does
                    size += len(file.read())
    return size


def seconds(work: Callable[[Path], object], root: Path) -> tuple[float, float]:
    """Give the median of some runs: on the clock, and of the processor."""
    clocks, works = [], []
    for _ in range(RUNS):
        start, worked = time.perf_counter(), time.process_time()
        work(root)
        clocks.append(time.perf_counter() - start)
        works.append(time.process_time() - worked)
    return statistics.median(clocks), statistics.median(works)


def measured(source: Path, wanted: int, what: str) -> None:
    with tempfile.TemporaryDirectory(prefix="tutorscope-bench-") as name:
        root = Path(name)
        read = build(source, root, wanted)
        _, bare_work = seconds(bytes_alone, root)
        clock, work = seconds(load_release, root)
        release = load_release(root)
        lost = sum(one.left_out for one in release.irregularities)
        asked = len(release.items) + len(release.choices)
        print(
            f"{what}: {wanted:,} files, {read:,} read; {asked:,} questions, {lost} left out; {clock:.2f} s on the clock"
        )
    figure = {"what": what, "value": work, "unit": "s of processor time"}
    figure |= {"against": f"reading the bytes alone, {bare_work:.2f} s", "ratio": round(work / bare_work, 1)}
    figure |= {"wanted": f"under {LIMIT:.0f} s", "met": work < LIMIT}
    print(json.dumps(figure), flush=True)


def main() -> None:
    source = REAL if REAL.is_dir() else Path(str(files("tutorscope.casework.material")))
    measured(source, FILES, f"loading a casework release of {FILES:,} small files, prompts among them")
    with tempfile.TemporaryDirectory(prefix="tutorscope-bench-") as name:
        part = Path(name)
        for folder in READ:
            if (source / folder).is_dir():
                shutil.copytree(source / folder, part / folder)
        shutil.copy(source / "dataset_overall.csv", part)
        measured(part, FILES, f"loading a casework release of {FILES:,} small files, all of which are read")


if __name__ == "__main__":
    main()
