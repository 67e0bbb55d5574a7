"""How much longer the embedded model takes beside a busy core: threads that spin make it 20 to 80 times."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time

from tutorscope.models.asking import ask, connect
from tutorscope.models.speakers import speakers
from tutorscope.models.weights import installed_weights
from tutorscope.texts.messages import user

ROUNDS, MOST = 5, 4.0
SETTINGS = {"temperature": 0, "max_tokens": 24}

if installed_weights() is None:
    sys.exit("no embedded weights; run: tutorscope models install-embedded")
[speaker] = speakers("tutor", ["embedded"])
model = connect(speaker, max_connections=1, attempt_timeout=1, max_retries=0)


def seconds() -> float:
    """Time one reply."""
    started = time.perf_counter()
    asyncio.run(ask(model, speaker, [user("Name some prime numbers.")], settings=SETTINGS, seed=1))
    return time.perf_counter() - started


def beside() -> float:
    """Time one reply beside a process that keeps a core busy."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        return seconds()
    finally:
        busy.kill()
        busy.wait()


seconds()
# The two take turns, so that the ratio stands whatever else the machine does.
pairs = [(seconds(), beside()) for _ in range(ROUNDS)]
quiet, busy_core = (statistics.median(times) for times in zip(*pairs, strict=True))
print(
    json.dumps(
        {
            "what": "a reply of 24 tokens by the embedded model, one core busy",
            "value": busy_core,
            "unit": "s",
            "against": f"the same without, {quiet:.2f} s",
            "ratio": busy_core / quiet,
            "wanted": f"at most {MOST:.0f} times",
            "met": busy_core <= MOST * quiet,
        }
    )
)
