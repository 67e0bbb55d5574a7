"""The intervention game: what looking ahead saves, what it wastes, and what a prefix cache can serve."""

from __future__ import annotations

import itertools
import json
import sys
import time
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from chat_server import ChatServer

from tutorscope.intervention.increments import decision_points, increments
from tutorscope.intervention.problems import load_problems
from tutorscope.intervention.student import shown
from tutorscope.intervention.watching import TASKS, TutorPrompts, in_words, watch_trace
from tutorscope.models.asking import ask, connect
from tutorscope.models.speakers import speakers
from tutorscope.texts.templates import json_slot

DELAY = 0.05
TRACE = "I take the first number and add the second one to it. " * 40
PUBLISHED_STEPS = 244 / 50
"""A tutor that steps in after 244 characters, as one of the paper's did in code: decisions of 50 characters."""


def say(what: str, value: float, unit: str, **more: object) -> None:
    print(json.dumps({"what": what, "value": value, "unit": unit, **more}), flush=True)


async def episode(speaker, model, problem, trace, lookahead):
    async def speak(role, messages, *, draw, attempt=0, seed=None, schema=None, view=None, **settings):
        return await ask(model, speaker, messages, settings=settings, seed=1, schema=schema)

    began = time.perf_counter()
    found = await watch_trace(
        speak, TutorPrompts.load("plain", None), problem, trace, "50", lookahead=lambda: lookahead
    )
    return time.perf_counter() - began, found


def main() -> None:
    problem = load_problems("starter", "math", 1).problems[0]
    trace = TRACE[: 41 * 50]
    with ChatServer(reply=lambda messages: "Intervene: No\nMessage:", delay=DELAY) as server:
        (speaker,) = speakers("tutor", [f"T={server.url}#test-model"])
        model = connect(speaker, max_connections=20, attempt_timeout=30, max_retries=0)

        async def both():
            await episode(speaker, model, problem, trace[:200], 1)
            return await episode(speaker, model, problem, trace, 1), await episode(speaker, model, problem, trace, 8)

        (slow, plain), (fast, ahead) = anyio.run(both)
    assert plain == ahead, "looking ahead moved the episode"
    say(
        "an episode of 40 decisions without an intervention, lookahead 8, replies after 50 ms",
        fast,
        "s",
        against=f"lookahead 1, {slow:.2f} s",
        ratio=slow / fast,
        wanted="at least 5 times as fast",
        met=slow / fast >= 5,
    )
    wasted = -(-int(PUBLISHED_STEPS + 0.999) // 8) * 8 - int(PUBLISHED_STEPS + 0.999)
    say("calls asked in vain with lookahead 8 where a tutor steps in at its fifth decision", float(wasted), "calls")
    for name, share in prefix_shares(problem, trace).items():
        say(f"share of the tokens sent over 40 decisions that a prefix cache can serve, {name}", share, "of 1")


def prefix_shares(problem, trace):
    """Compare our prompt, whose trace comes last, with one whose reference comes after the trace."""
    prompts = TutorPrompts.load("plain", None)
    fixed = {
        "task": TASKS[problem.domain],
        "increment": in_words("50"),
        "variant": "",
        "problem": json_slot(shown(problem)),
        "reference": json_slot(problem.reference),
    }
    points = decision_points(increments(trace, "50"))
    ours, other = [], []
    for point in points:
        system, user = prompts.watch.messages({**fixed, "trace": json_slot(trace[:point])})
        text = user["content"]
        start, end = text.index("Reference solution:"), text.index("What the student has written so far:")
        ours.append(system["content"] + text)
        other.append(system["content"] + text[:start] + text[end:] + "\n\n" + text[start:end])
    return {"trace last": served(ours), "reference after the trace": served(other)}


def served(prompts):
    """Give the characters that stand at the beginning of the prompt before, too."""
    same = sum(
        next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after)))
        for before, after in itertools.pairwise(prompts)
    )
    return same / sum(map(len, prompts))


if __name__ == "__main__":
    main()
