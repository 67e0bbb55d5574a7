"""Calls a second of a whole uptake stage: the thin provider against Inspect's own compatible one, and a bare client.

A server in its own process answers after 50 ms; 100 connections. All of a stage's work is in the figure: prompts,
Inspect, the call journal, the log. Start-up is not: the clock runs from the first reply to the last.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from chat_server import server_process  # noqa: E402

CHATS, EXCHANGES, CONNECTIONS, DELAY = 120, 10, 100, 0.05
REPLY = HERE / "judge_reply.py"


def write_chats(path: Path) -> None:
    with path.open("w", encoding="utf-8") as out:
        for chat in range(CHATS):
            messages = []
            for turn in range(EXCHANGES):
                messages.append({"role": "user", "content": f"In chat {chat} I get {turn} for part {turn}. Is it so?"})
                messages.append({"role": "assistant", "content": f"What would part {turn} be if {chat} were zero?"})
            out.write(json.dumps({"id": f"c{chat}", "messages": messages}) + "\n")


def stage_rate(chats: Path, judge: str, out: Path) -> tuple[float, int]:
    """Run the stage in this process and give its calls a second, from the journal's own times."""
    from tutorscope.models.speakers import speakers
    from tutorscope.runs.execute import execute
    from tutorscope.runs.folder import RunFolder, locked
    from tutorscope.runs.journal import journal_lines
    from tutorscope.runs.plan import Limits, draft, record
    from tutorscope.runs.prices import read_prices
    from tutorscope.runs.progress import Meter
    from tutorscope.uptake.instrument import UPTAKE

    ask = UPTAKE.ask(
        {
            **{"inputs": (f"deployed={chats}",), "category_column": None, "format": "auto", "roles": None},
            **{"columns": None, "encoding": None, "same_speaker": "merge", "skip_bad": False, "limit": None},
            **{"separate": False, "history": None, "ratings": 1},
        }
    )
    named = speakers("judge", [f"j={judge}"])
    folder = RunFolder(out)
    with locked(folder):
        job = draft(folder, UPTAKE, [ask], named, Limits(max_connections=CONNECTIONS))
        record(job, [ask], named)
        job = draft(folder, UPTAKE, (), named, Limits(max_connections=CONNECTIONS))
        outcome = execute(job, Meter(read_prices(), quiet=True))
    assert outcome.complete, outcome
    times = [line["time"] for line in journal_lines(folder.calls) if line["kind"] == "reply"]
    return (len(times) - 1) / (max(times) - min(times)), len(times)


async def bare_rate(url: str, calls: int) -> float:
    """Send as many requests of the same size with aiohttp alone."""
    import aiohttp

    body = {"model": "test-model", "messages": [{"role": "user", "content": "x" * 6000}]}
    left = iter(range(calls))

    async def worker(session: aiohttp.ClientSession) -> None:
        for _ in left:
            async with session.post(f"{url}/chat/completions", json=body) as answer:
                await answer.json()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONNECTIONS)) as session:
        start = time.perf_counter()
        await asyncio.gather(*(worker(session) for _ in range(CONNECTIONS)))
        return calls / (time.perf_counter() - start)


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as scratch,
        server_process(delay=DELAY, reply=f"{REPLY}:reply") as url,
    ):
        place = Path(scratch)
        write_chats(place / "chats.jsonl")
        os.environ |= {"LOCAL_BASE_URL": url, "LOCAL_API_KEY": "none"}
        judges = {"thin": f"{url}#test-model", "default": "openai-api/local/test-model"}
        rates: dict[str, list[float]] = {name: [] for name in judges}
        calls = 0
        # A first small round pays for imports and connections; then each in turn, twice, so that neither has the luck.
        for turn in range(2):
            for name, judge in judges.items():
                rate, calls = stage_rate(place / "chats.jsonl", judge, place / f"{name}-{turn}")
                rates[name].append(rate)
                print(f"{name}: {rate:.0f} calls a second over {calls} calls")
        bare = asyncio.run(bare_rate(url, calls))
        thin, default = max(rates["thin"]), max(rates["default"])
        print(
            json.dumps(
                {
                    "what": f"an uptake stage, {calls} calls, {CONNECTIONS} connections, replies after 50 ms",
                    "value": thin,
                    "unit": "calls/s",
                    "against": f"Inspect's default compatible provider, {default:.0f} calls/s",
                    "ratio": round(thin / default, 2),
                    "wanted": "at least 2 times",
                    "met": thin >= 2 * default,
                }
            )
        )
        print(
            json.dumps(
                {
                    "what": "the same stage, as a share of a bare aiohttp client",
                    "value": thin,
                    "unit": "calls/s",
                    "against": f"aiohttp alone, {bare:.0f} calls/s",
                    "ratio": round(thin / bare, 2),
                }
            )
        )


if __name__ == "__main__":
    main()
