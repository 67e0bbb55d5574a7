"""How long a user waits for ``tutorscope --help``, against the bare import of Inspect."""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 7
WANTED = 0.4


def seconds(command: list[str]) -> float:
    """Time a command: the median of several rounds after one that warms the disk cache."""
    times = []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


ours = seconds([str(Path(sys.executable).parent / "tutorscope"), "--help"])
inspect = seconds([sys.executable, "-c", "import inspect_ai"])
print(
    json.dumps(
        {
            "what": "tutorscope --help",
            "value": ours,
            "unit": "s",
            "against": f"the import of inspect_ai alone, {inspect:.2f} s",
            "ratio": ours / inspect,
            "wanted": f"under {WANTED} s",
            "met": ours < WANTED,
        }
    )
)
