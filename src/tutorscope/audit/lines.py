"""From a session's record to its lines, each with what both rules see in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tutorscope.audit.detectors.leakage import published_leak, sound_leak
from tutorscope.audit.detectors.own_work import published_work, sound_work
from tutorscope.audit.detectors.windows import ANSWER, RULES, tutored, window
from tutorscope.audit.problem_sets.problems import Problem
from tutorscope.audit.student import STUDENT, TUTOR
from tutorscope.runs.stages import Done


def session_lines(done: Done, problems: Mapping[str, Problem]) -> list[dict[str, Any]]:
    """Give every line of a finished session.

    Parameters
    ----------
    done : Done
        A unit of the stage ``session`` or ``learning``.
    problems : mapping
        Id to problem.

    Returns
    -------
    list of dict
        As recorded, and for each rule ``leak_RULE`` (a tutor's turns on training problems), ``work_RULE`` and
        ``answer_RULE`` (a student's replies) and ``in_RULE`` (whether it lies in the answer phase, for tutored
        problems); None where a column does not apply. ``turn`` of a student's reply is its place on the problem.
        ``calls`` and ``tokens`` count what the line took of its speaker's model; None where no usage was told.
    """
    lines = [dict(line, seq=seq) for seq, line in enumerate(done.result["lines"])]
    spent = _spent(done)
    with_tutor = tutored(lines)
    windows = {
        (name, rule): window([line["text"] for line in talk if line["speaker"] == STUDENT], rule)
        for name, talk in with_tutor.items()
        for rule in RULES
    }
    said: dict[str, dict[str, list[str]]] = {}
    for line in lines:
        problem = problems[line["problem"]]
        before = said.setdefault(problem.id, {STUDENT: [], TUTOR: []})
        if line["speaker"] == STUDENT:
            line["turn"] = len(before[STUDENT])
        line.update(_seen(line, problem, before, problem.id in with_tutor))
        for rule in RULES:
            inside = None
            if problem.id in with_tutor and line["speaker"] in (STUDENT, TUTOR):
                phase = windows[problem.id, rule]
                inside = (phase.holds_turn if line["speaker"] == TUTOR else phase.holds_reply)(line["turn"])
            line[f"in_{rule}"] = inside
        line["calls"], line["tokens"] = spent.get(line.get("draw", ""), (0, 0))
        if line["speaker"] in before:
            before[line["speaker"]].append(line["text"])
    return lines


def _seen(
    line: Mapping[str, Any], problem: Problem, before: Mapping[str, Sequence[str]], is_tutored: bool
) -> Iterator[tuple[str, Any]]:
    text, speaker = line["text"], line["speaker"]
    # A turn without a word neither gives anything away nor holds it back: it has no label, and is counted as silent.
    said = bool(text.strip())
    tutor, student = speaker == TUTOR and is_tutored and said, speaker == STUDENT and said
    yield "leak_published", published_leak(text, problem.numeric_forms, problem.phrases) if tutor else None
    yield (
        "leak_sound",
        sound_leak(text, problem.answer, student_said=before[STUDENT], statement=problem.statement) if tutor else None,
    )
    yield "work_published", published_work(text) if student else None
    yield (
        "work_sound",
        sound_work(text, statement=problem.statement, tutor_said=before[TUTOR]) if student else None,
    )
    for rule in RULES:
        yield f"answer_{rule}", ANSWER[rule](text) if student else None


def _spent(done: Done) -> dict[str, tuple[int, int | None]]:
    """Add up calls and tokens by what they were for: a student's draw, or the place of a tutor's turn."""
    spent: dict[str, tuple[int, int | None]] = {}
    for call in done.calls:
        # A tutor's turn is the problem and its number; what a policy adds to tell its calls apart is its own.
        place = call["draw"] if call["role"] == STUDENT else "/".join(call["draw"].split("/")[:2])
        calls, tokens = spent.get(place, (0, 0))
        used = call["usage"]["input"] + call["usage"]["output"]
        # A server that tells no usage says nothing of its cost: unknown, and not free.
        spent[place] = (calls + 1, tokens + used if used and tokens is not None else None)
    return spent
