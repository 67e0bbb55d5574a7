"""Run the benchmarks one after another, and keep what they measured for the docs.

    make bench                      all of them
    python benchmarks/run.py help   those named

A benchmark is a script ``benchmarks/bench_NAME.py``. It gets a process of its own, measures both sides of a ratio in
that one process, and prints one JSON object a line for each figure:

    {"what": "PERMANOVA, 999 permutations, n = 2,815", "value": 0.09, "unit": "s",
     "against": "scikit-bio, 13.0 s", "ratio": 144, "wanted": "at least 100 times", "met": true}

``what``, ``value`` and ``unit`` must be there; ``against``, ``ratio``, ``wanted`` and ``met`` where they make sense.
Any other line that it prints goes to the terminal as it is. The figures end up in ``docs/measured.csv``, where those of
a benchmark that did not run this time stay as they were. Exit code 1 if a benchmark failed or missed what is wanted.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MEASURED = HERE.parent / "docs" / "measured.csv"
COLUMNS = ["benchmark", "what", "value", "unit", "against", "ratio", "wanted", "met", "on"]
NEEDED = {"what", "value", "unit"}


def figures(script: Path) -> Iterator[dict[str, Any]]:
    """Run one benchmark and give the figures that it prints; raise RuntimeError if it fails."""
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, cwd=HERE.parent) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if not line.startswith("{"):
                print(f"    {line}", end="", flush=True)
                continue
            figure = json.loads(line)
            if NEEDED - set(figure) or set(figure) - set(COLUMNS):
                raise RuntimeError(f"{script.name}: a figure has the keys {sorted(figure)}, not those of run.py")
            yield figure
    if process.returncode:
        raise RuntimeError(f"{script.name} ended with exit code {process.returncode}")


def plain(value: Any) -> str:
    """Write a value for the table: three digits that count, yes and no for truth."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)


def held() -> list[dict[str, str]]:
    """Read the figures of earlier runs."""
    if not MEASURED.exists():
        return []
    with MEASURED.open(newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def keep(name: str, rows: list[dict[str, str]]) -> None:
    """Put one benchmark's figures in the place of its earlier ones."""
    kept = [row for row in held() if row["benchmark"] != name] + rows
    with MEASURED.open("w", newline="", encoding="utf-8") as table:
        writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(kept, key=lambda row: row["benchmark"]))


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all, and give the exit code."""
    scripts = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    unknown = [name for name in names if name not in scripts]
    if unknown:
        print(f"no benchmark named {', '.join(unknown)}; there are: {', '.join(scripts)}", file=sys.stderr)
        return 2
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    troubles = []
    for name in names or scripts:
        print(f"{name}", flush=True)
        start = time.perf_counter()
        rows = []
        try:
            for figure in figures(scripts[name]):
                row = {column: plain(figure.get(column)) for column in COLUMNS} | {"benchmark": name, "on": machine}
                rows.append(row)
                ratio = f", {row['ratio']} times {row['against']}" if row["ratio"] else ""
                wanted = f" (wanted: {row['wanted']})" if row["wanted"] else ""
                print(f"    {row['what']}: {row['value']} {row['unit']}{ratio}{wanted}", flush=True)
                if figure.get("met") is False:
                    troubles.append(f"{name}: {row['what']}: {row['value']} {row['unit']}, wanted {row['wanted']}")
        except (RuntimeError, json.JSONDecodeError) as error:
            troubles.append(f"{name}: {error}")
        else:
            keep(name, rows)
        print(f"    took {time.perf_counter() - start:.1f} s", flush=True)
    for trouble in troubles:
        print(f"MISSED {trouble}", file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
