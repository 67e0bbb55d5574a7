"""Small audits made by hand: turns and sessions that agree, for tests of what is measured from them."""

from collections.abc import Sequence

import pandas as pd

from tutorscope.audit.inference.frames import Part, at_bases, parts, validated

CONV, PED = "conversational", "pedagogical"


def turn(
    policy: str,
    replicate: int,
    problem: str,
    number: int,
    leak: bool = False,
    next_work: bool | None = True,
    helpfulness: Sequence[int] = (),
    pedagogy: Sequence[int] = (),
    **other: object,
) -> dict[str, object]:
    """Make a row of ``per_turn`` from the ratings themselves."""
    row: dict[str, object] = {"run": "r", "student": "s", "base": "m", "judge": "j", "rule": "sound", "policy": policy}
    row |= {"replicate": replicate, "problem": problem, "turn": number, "leak": leak, "next_work": next_work}
    for rubric, ratings in (("helpfulness", helpfulness), ("pedagogy", pedagogy)):
        row[f"{rubric}_sum"] = sum(ratings) if ratings else None
        row[f"{rubric}_n"] = len(ratings) or None
        row[f"{rubric}_median"] = float(sorted(ratings)[len(ratings) // 2]) if ratings else None
    return row | {"calls": 1, "tokens": 100, "route": ""} | other


def session(
    policy: str,
    replicate: int,
    leaky: int = 0,
    tutor_turns: int = 0,
    worked: int = 0,
    student_turns: int = 0,
    tokens: int | None = 1000,
    **other: object,
) -> dict[str, object]:
    """Make a row of ``per_session``."""
    row: dict[str, object] = {"run": "r", "student": "s", "base": "m", "rule": "sound", "policy": policy}
    row |= {"replicate": replicate, "tutor_turns": tutor_turns, "leaky": leaky}
    row |= {"student_turns": student_turns, "worked": worked, "visible_tutor_turns": tutor_turns}
    row |= {"tutor_calls": tutor_turns, "student_calls": 38, "tutor_tokens": tokens, "student_tokens": 500}
    for phase in ("immediate", "delayed", "transfer", "interference"):
        row |= {f"{phase}_correct": 2, f"{phase}_n": 3}
    return row | {"forced": 0, "unread": 0} | other


def sessions_of(turns: Sequence[dict[str, object]], tokens: int | None = 1000) -> list[dict[str, object]]:
    """Make the sessions that turns belong to: a student turn after each tutor turn, and one before them all."""
    keys = list(dict.fromkeys((str(t["base"]), str(t["policy"]), int(str(t["replicate"]))) for t in turns))
    rows = []
    for base, policy, replicate in keys:
        own = [t for t in turns if (t["base"], t["policy"], t["replicate"]) == (base, policy, replicate)]
        problems = {t["problem"] for t in own}
        worked = sum(1 for t in own if t["next_work"])
        leaky = sum(1 for t in own if t["leak"])
        rows.append(session(policy, replicate, leaky, len(own), worked, len(own) + len(problems), tokens, base=base))
    return rows


def tables(
    turns: Sequence[dict[str, object]], sessions: Sequence[dict[str, object]] | None = None
) -> dict[str, pd.DataFrame]:
    """Make the tables that measures start from."""
    from tutorscope.audit.inference.frames import empty

    per_turn = validated(pd.DataFrame(turns), "per_turn") if turns else empty("per_turn")
    held = sessions_of(turns) if sessions is None else sessions
    return {"per_turn": per_turn, "per_session": validated(pd.DataFrame(held), "per_session")}


def parts_of(
    turns: Sequence[dict[str, object]],
    sessions: Sequence[dict[str, object]] | None = None,
    students: Sequence[dict[str, object]] | None = None,
) -> list[Part]:
    """Make the parts that are analysed alone."""
    held = tables(turns, sessions)
    said = None
    if students is not None:
        said = at_bases(validated(pd.DataFrame(students), "student_turns"), held["per_session"])
    per_turn = at_bases(held["per_turn"], held["per_session"])
    return list(parts(per_turn, at_bases(held["per_session"]), said))
