"""Thirty audit sessions side by side: how much longer than the longest session's own chain of calls?"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from chat_server import server_process

from tutorscope.audit.instrument import AUDIT
from tutorscope.models.speakers import speakers
from tutorscope.runs.execute import execute
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.journal import journal_lines
from tutorscope.runs.plan import Limits, draft, record
from tutorscope.runs.prices import read_prices
from tutorscope.runs.progress import Meter
from tutorscope.runs.results import read_stage

DELAY, REPLICATES = 0.05, 10


def say(what: str, value: float, unit: str, **more: object) -> None:
    print(json.dumps({"what": what, "value": value, "unit": unit, **more}), flush=True)


def params() -> dict[str, object]:
    return {
        **{"policy": (), "policy_header": (), "policy_setting": (), "problems": "mixtures", "limit": None},
        **{"replicates": REPLICATES, "rounds": 4, "order": "counterbalanced", "router": "sound", "ratings": 1},
        **{"check_work": False, "any_student": True, "short_form": False, "contrast": (), "claims": None},
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as place, server_process(delay=DELAY) as url:
        folder = RunFolder(Path(place) / "run")
        who = [*speakers("tutor", [f"T={url}#m"]), *speakers("student", [f"S={url}#m"])]
        asked = AUDIT.ask(params())
        asked = type(asked)(asked.options, [*asked.inputs, *asked.material])
        record(draft(folder, AUDIT, [asked], who), [asked], who)
        execute(draft(folder, AUDIT, (), who, Limits(max_connections=100)), Meter(read_prices(None), quiet=True))
        done = read_stage(folder, "session").done
        calls = [
            line
            for line in journal_lines(folder.calls)
            if line["kind"] == "reply" and line["cell"].startswith("session|")
        ]
        wall = max(call["time"] for call in calls) - min(call["time"] - call["seconds"] for call in calls)
        longest = max(len(one.calls) for one in done)
        chain = longest * DELAY
        say(
            f"{len(done)} audit sessions of {len(calls)} calls at once, replies after 50 ms",
            wall,
            "s",
            against=f"the longest session's chain of {longest} calls, {chain:.2f} s",
            ratio=wall / chain,
            wanted="at most 1.3 times, or at the provider's rate if that binds",
        )
        say("the same, as calls a second over all sessions", len(calls) / wall, "calls/s")


if __name__ == "__main__":
    main()
