"""A session: one student through all problems, tutored in training and alone at the probes.

Policy audit, section 3.1 and appendix A.2. The rule is a plain function over ``speak``; a scripted speaker drives it in
tests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from tutorscope.audit.problem_sets.problems import PHASES, Problem
from tutorscope.audit.student import TUTOR, Student, StudentPrompts
from tutorscope.audit.tutoring.turns import NO_REPLY, Policy, scoped
from tutorscope.models.speaking import Speak
from tutorscope.texts.messages import Message, assistant, user

TRAINING = "training"
ROUNDS = 4
"""Tutor turns on each training problem. The talk goes on when the student commits: the window is cut afterwards."""

PAPER, COUNTERBALANCED = "paper", "counterbalanced"


def in_order(problems: Sequence[Problem], order: str, replicate: int) -> list[Problem]:
    """Put problems in the order of a replicate, phase by phase.

    Parameters
    ----------
    problems : sequence of Problem
        In file order.
    order : {"paper", "counterbalanced"}
        File order in every session, as the released code has it; or within each phase an order of the replicate's own,
        which its conditions share. Problem and place in the session are one thing in the first.
    replicate : int

    Returns
    -------
    list of Problem
    """
    if order == PAPER:
        ranked = list(problems)
    else:
        # A hash and not a generator: the same order on every machine and in every version.
        ranked = sorted(problems, key=lambda one: hashlib.sha256(f"{replicate}/{one.id}".encode()).digest())
    return sorted(ranked, key=lambda one: PHASES.index(one.phase))


async def run_session(
    problems: Sequence[Problem],
    policy: Policy | None,
    speak: Speak,
    prompts: StudentPrompts,
    *,
    replicate: int,
    rounds: int = ROUNDS,
) -> dict[str, Any]:
    """Take one student through a session.

    Parameters
    ----------
    problems : sequence of Problem
        In the order of the session.
    policy : Policy or None
        Who tutors the training problems; None is the cold condition, which takes them alone.
    speak : Speak
        The unit's door.
    prompts : StudentPrompts
    replicate : int
        The student's seed, which the conditions of a replicate share.
    rounds : int
        Tutor turns on each training problem.

    Returns
    -------
    dict
        ``lines``: all that was said, in order: problem, phase, place, speaker, kind, text, and for replies finish,
        reasons, draw; a tutor's have turn, route and notes too. ``order``: the problems' ids.
    """
    student = Student(speak, prompts, replicate)
    for place, problem in enumerate(problems):
        about = {"problem": problem.id, "phase": problem.phase, "place": place}
        view = {**problem.view, "replicate": replicate}
        if policy is None or problem.phase != TRAINING:
            await student.answers_alone(view, about)
        else:
            await _tutored(student, view, about, policy, speak, rounds)
    return {"lines": student.lines, "order": [problem.id for problem in problems]}


async def _tutored(
    student: Student, view: Mapping[str, Any], about: Mapping[str, Any], policy: Policy, speak: Speak, rounds: int
) -> None:
    name = view["id"]
    student.meets(view, about)
    said = await student.replies(about, "reply", f"{name}/s0", view)
    dialogue: list[Message] = [user(said or NO_REPLY)]
    for turn in range(rounds):
        place = f"{name}/t{turn}"
        help_ = await policy(view, dialogue, scoped(speak, place, view))
        student.is_told(
            help_.text,
            about,
            TUTOR,
            "tutor",
            turn=turn,
            finish=help_.finish,
            reasons=list(help_.reasons),
            route=help_.route,
            notes=dict(help_.notes),
            draw=place,
        )
        said = await student.replies(about, "reply", f"{name}/s{turn + 1}", view)
        dialogue += [assistant(help_.text or NO_REPLY), user(said or NO_REPLY)]
