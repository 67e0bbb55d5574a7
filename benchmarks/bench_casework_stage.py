"""Calls a second of casework's questions answered and judged: the thin provider against Inspect's own compatible one.

The thin provider is measured in one process and shared out to two, Inspect's in one, which is all that it has.

1,080 open questions, each answered once and each criterion of its rubric decided in a call of its own. A server in its
own process answers after 50 ms; 100 connections. All of the stages' work is in the figure: prompts, Inspect, the call
journal, the log. Start-up is not, nor what lies between the stages: the clock runs within each.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from chat_server import server_process  # noqa: E402

ITEMS, CONNECTIONS, DELAY = 1_080, 100, 0.05
SAID = "Let us look at it together, one small piece at a time."


def reply(messages: list[dict[str, str]]) -> str:
    """Answer what is asked: a judge finds the criterion met, a tutor says a sentence."""
    judged = "The criterion:" in messages[-1]["content"]
    return json.dumps({"met": True, "evidence": SAID}) if judged else SAID


def release_of(size: int) -> object:
    """Copy the package's own open questions under new ids until there are so many."""
    from dataclasses import replace

    from tutorscope.casework.items import item_id
    from tutorscope.casework.release import load_release

    own = load_release("starter")
    scenarios, items = {}, []
    for n in range(size):
        one = own.items[n % len(own.items)]
        number = n + 1
        scenarios[number] = replace(own.scenarios[one.scenario], id=number)
        items.append(replace(one, id=item_id(number, one.horizon), scenario=number))
    return replace(own, scenarios=scenarios, items=tuple(items), choices=(), binary=())


def stage_rate(release: object, model: str, out: Path, processes: int = 1) -> tuple[float, int]:
    """Run both stages and give their calls a second, from the journal's own times."""
    from tutorscope.casework.inputs import release_sets
    from tutorscope.casework.instrument import CASEWORK
    from tutorscope.models.speakers import speakers
    from tutorscope.runs.execute import execute
    from tutorscope.runs.folder import RunFolder, locked
    from tutorscope.runs.instrument import Ask
    from tutorscope.runs.journal import journal_lines
    from tutorscope.runs.plan import Limits, draft, record
    from tutorscope.runs.prices import read_prices
    from tutorscope.runs.progress import Meter

    options = {
        **{"form": ["open"], "horizon": ["immediate", "long_term"], "papers": False, "permutations": 1},
        **{"as_released": False, "one_call": False, "replicates": 1},
    }
    ask = Ask(options, release_sets(release))  # type: ignore[arg-type]
    named = [*speakers("tutor", [f"t={model}"]), *speakers("judge", [f"j={model}"])]
    folder = RunFolder(out)
    with locked(folder):
        record(draft(folder, CASEWORK, [ask], named), [ask], named)
        limits = Limits(max_connections=CONNECTIONS, processes=processes)
        outcome = execute(draft(folder, CASEWORK, (), named, limits), Meter(read_prices(), quiet=True))
    assert outcome.complete, outcome
    times: dict[str, list[float]] = {}
    for line in journal_lines(folder.calls):
        if line["kind"] == "reply":
            times.setdefault(line["cell"].partition("|")[0], []).append(line["time"])
    return rate(list(times.values())), sum(map(len, times.values()))


def rate(stages: Sequence[Sequence[float]]) -> float:
    return sum(len(one) - 1 for one in stages) / sum(max(one) - min(one) for one in stages)


def main() -> None:
    release = release_of(ITEMS)
    with (
        tempfile.TemporaryDirectory() as scratch,
        server_process(delay=DELAY, reply=f"{Path(__file__)}:reply") as url,
    ):
        os.environ |= {"LOCAL_BASE_URL": url, "LOCAL_API_KEY": "none"}
        thin, default = f"{url}#test-model", "openai-api/local/test-model"
        rates: dict[str, float] = {}
        calls = 0
        for name, model, processes in (("one", thin, 1), ("default", default, 1), ("two", thin, 2)):
            # A first small round pays for imports and connections.
            stage_rate(release_of(50), model, Path(scratch) / f"{name}-first", processes)
            rates[name], calls = stage_rate(release, model, Path(scratch) / name, processes)
            print(f"{name}: {rates[name]:.0f} calls a second over {calls} calls")
    against = rates["default"]
    shared = {
        "unit": "calls/s",
        "against": f"Inspect's default compatible provider, one process, {against:.0f} calls/s",
    }
    what = f"{ITEMS:,} casework questions answered and judged, {calls:,} calls, replies after 50 ms"
    print(json.dumps({"what": what, "value": rates["one"], "ratio": round(rates["one"] / against, 2), **shared}))
    two = {
        "what": f"the same in two processes (--processes 2), {CONNECTIONS} connections in all",
        "value": rates["two"],
        "ratio": round(rates["two"] / against, 2),
        "wanted": "at least 2 times",
        "met": rates["two"] >= 2 * against,
    }
    print(json.dumps(two | shared))


if __name__ == "__main__":
    main()
