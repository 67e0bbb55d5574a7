"""Calls a second of the thin provider, of Inspect's default OpenAI-compatible provider, and of bare aiohttp.

    python benchmarks/bench_providers.py [--calls 1000] [--rounds 2]

A server in a process of its own answers after 50 ms; 100 connections; each sample asks about a growing text. The three
take turns in one run, so that the ratios stand whatever else the machine does; medians over the rounds count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.chat_server import server_process
from tutorscope.models.asking import ask, connect
from tutorscope.models.speakers import Speaker, speakers
from tutorscope.texts.messages import Message, system, user

DELAY = 0.05
CONNECTIONS = 100


def question(turn: int) -> list[Message]:
    """Give a request whose text grows from turn to turn, about 50 words each."""
    said = "I multiplied both sides by three and then took away the four, which leaves the unknown alone. " * 3
    return [system("You are a tutor. Answer with one question."), user(said * (turn % 8 + 1))]


def through_inspect(speaker: Speaker, calls: int) -> float:
    """Give the calls a second of an ``eval()``: one sample a connection, its calls one after the other."""
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model
    from inspect_ai.solver import Generate, TaskState, solver

    each = calls // CONNECTIONS
    spans: list[tuple[float, float]] = []

    @solver
    def converse():
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            started = time.perf_counter()
            model = get_model(role="tutor", required=True)
            for turn in range(each):
                await ask(model, speaker, question(turn), settings={"temperature": 0.5}, seed=turn)
            spans.append((started, time.perf_counter()))
            return state

        return solve

    model = connect(speaker, max_connections=CONNECTIONS, attempt_timeout=60, max_retries=0)
    with tempfile.TemporaryDirectory() as logs:
        [log] = inspect_eval(
            Task(
                dataset=MemoryDataset([Sample("x", id=i) for i in range(CONNECTIONS)]),
                solver=converse(),
                model_roles={"tutor": model},
            ),
            model=None,
            display="none",
            log_dir=logs,
            log_realtime=False,
            max_samples=CONNECTIONS,
            max_connections=CONNECTIONS,
            ctl_server=False,
            acp_server=False,
        )
    assert log.status == "success", log.error
    # From the first call to the last: start-up and the writing of the log are not the provider's.
    return each * CONNECTIONS / (max(end for _, end in spans) - min(start for start, _ in spans))


def bare(address: str, calls: int) -> float:
    """Give the calls a second of aiohttp alone, with the same requests."""
    import aiohttp

    each = calls // CONNECTIONS

    async def run() -> float:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def converse() -> None:
                for turn in range(each):
                    body = {"model": "test-model", "messages": question(turn), "temperature": 0.5, "seed": turn}
                    async with session.post(f"{address}/chat/completions", json=body) as response:
                        assert (await response.json())["choices"]

            started = time.perf_counter()
            await asyncio.gather(*(converse() for _ in range(CONNECTIONS)))
            return each * CONNECTIONS / (time.perf_counter() - started)

    return asyncio.run(run())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1000, help="calls of each kind in a round")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    with server_process(delay=DELAY) as address:
        os.environ |= {"BENCH_BASE_URL": address, "BENCH_API_KEY": "unused"}
        [thin] = speakers("tutor", [f"{address}#test-model"])
        [default] = speakers("tutor", ["openai-api/bench/test-model"])
        rates: dict[str, list[float]] = {"thin": [], "default": [], "bare": []}
        # The first calls of each import and connect: not counted.
        through_inspect(thin, CONNECTIONS)
        through_inspect(default, CONNECTIONS)
        for _ in range(given.rounds):
            rates["thin"].append(through_inspect(thin, given.calls))
            rates["default"].append(through_inspect(default, given.calls))
            rates["bare"].append(bare(address, given.calls))
    middle = {name: statistics.median(values) for name, values in rates.items()}
    for name, values in rates.items():
        print(f"{name}: {', '.join(f'{value:.0f}' for value in values)} calls a second")
    load = f"{CONNECTIONS} connections, {DELAY * 1000:.0f} ms"
    faster = middle["thin"] / middle["default"]
    figures = [
        {
            "what": f"thin provider, {load}",
            "value": round(middle["thin"]),
            "unit": "calls/s",
            "against": f"Inspect's default provider, {middle['default']:.0f} calls/s",
            "ratio": round(faster, 2),
            "wanted": "at least 2 times",
            "met": faster >= 2,
        },
        {
            "what": f"thin provider's share of the bare client, {load}",
            "value": round(middle["thin"]),
            "unit": "calls/s",
            "against": f"aiohttp alone, {middle['bare']:.0f} calls/s",
            "ratio": round(middle["thin"] / middle["bare"], 2),
        },
    ]
    for figure in figures:
        print(json.dumps(figure))


if __name__ == "__main__":
    main()
