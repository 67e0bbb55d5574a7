"""A small run made by hand: what was said, rated and answered in it, as the tables that pages are made of."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.pictures import style

CONV, PED, COLD = "conversational", "pedagogical", "cold"
RULES = ("published", "sound")


def line(problem: str, seq: int, speaker: str, turn: int | None = None, text: str = "", **other: Any) -> dict[str, Any]:
    """Make a row of ``lines``; what both rules say alike is given once: leak, work, answer, inside."""
    row: dict[str, Any] = {"problem": problem, "phase": "training", "place": 0, "seq": seq, "speaker": speaker}
    row |= {"kind": "reply" if speaker == "student" else speaker, "turn": turn, "text": text or f"{speaker} {seq}"}
    both = {name: other.pop(name, None) for name in ("leak", "work", "answer", "inside")}
    for rule in RULES:
        row |= {f"leak_{rule}": both["leak"], f"work_{rule}": both["work"], f"in_{rule}": both["inside"]}
        row |= {f"answer_{rule}": both["answer"] or ""}
    row |= {"finish": "stop", "reasons": "", "route": "", "notes": "", "calls": 1, "tokens": 10}
    return row | other


def talk(problem: str, leaks: Sequence[bool], works: Sequence[bool], start: int = 0) -> list[dict[str, Any]]:
    """Make the lines of a tutored problem: the problem, a reply, then a turn and a reply for each leak."""
    lines = [line(problem, start, "proctor", text=f"statement of {problem}")]
    lines.append(line(problem, start + 1, "student", 0, work=works[0], inside=True))
    for turn, (leak, work) in enumerate(zip(leaks, works[1:], strict=True)):
        lines.append(line(problem, start + 2 + 2 * turn, "tutor", turn, leak=leak, inside=True))
        lines.append(line(problem, start + 3 + 2 * turn, "student", turn + 1, work=work, inside=True))
    return lines


def session_lines(who: dict[str, Any], lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put a session's name on its lines."""
    return [{**who, **row} for row in lines]


def who(policy: str, replicate: int = 0, base: str = "m", **other: Any) -> dict[str, Any]:
    """Name a session."""
    return {"run": "r", "student": "s", "base": base, "policy": policy, "replicate": replicate} | other


def rated(lines: Sequence[dict[str, Any]], ratings: dict[tuple[Any, ...], tuple[int, int]]) -> list[dict[str, Any]]:
    """Make rows of ``per_turn``; ratings are by policy, replicate, problem and turn: helpfulness and pedagogy."""
    rows = []
    for row in lines:
        if row["speaker"] != "tutor" or not row["in_sound"]:
            continue
        key = (row["policy"], row["replicate"], row["problem"], row["turn"])
        helpfulness, pedagogy = ratings.get(key, (None, None))
        for rule in RULES:
            out = {name: row[name] for name in ("run", "student", "base", "policy", "replicate", "problem", "turn")}
            out |= {"judge": "j" if ratings else "", "rule": rule, "leak": bool(row[f"leak_{rule}"]), "next_work": True}
            for rubric, value in (("helpfulness", helpfulness), ("pedagogy", pedagogy)):
                asked = 1 if value is not None else 0
                out |= {f"{rubric}_sum": value, f"{rubric}_n": asked if ratings else None, f"{rubric}_median": value}
            rows.append(out | {"calls": 1, "tokens": 10, "route": row["route"]})
    return rows


def run_tables(
    lines: Sequence[dict[str, Any]], scores: dict[tuple[Any, ...], tuple[int, int]] | None = None, **more: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Make the tables of a run from its lines: sessions count what the lines hold."""
    from tutorscope.audit.inference.frames import empty, validated

    sessions = []
    names = ("run", "student", "base", "policy", "replicate")
    for key in dict.fromkeys(tuple(row[name] for name in names) for row in lines):
        held = [row for row in lines if tuple(row[name] for name in names) == key and not row["policy"].startswith("(")]
        if not held:
            continue
        for rule in RULES:
            inside = [row for row in held if row[f"in_{rule}"]]
            turns = [row for row in inside if row["speaker"] == "tutor"]
            replies = [row for row in inside if row["speaker"] == "student"]
            out: dict[str, Any] = dict(zip(names, key, strict=True)) | {"rule": rule, "tutor_turns": len(turns)}
            out |= {"leaky": sum(bool(row[f"leak_{rule}"]) for row in turns), "student_turns": len(replies)}
            out |= {"worked": sum(bool(row[f"work_{rule}"]) for row in replies), "visible_tutor_turns": len(turns)}
            out |= dict.fromkeys(("tutor_calls", "student_calls", "tutor_tokens", "student_tokens"), 100)
            for phase in ("immediate", "delayed", "transfer", "interference"):
                out |= {f"{phase}_correct": 1, f"{phase}_n": 2}
            sessions.append(out | {"forced": 0, "unread": 0})
    turns_rows = rated(lines, scores or {})
    per_turn = validated(pd.DataFrame(turns_rows), "per_turn") if turns_rows else empty("per_turn")
    per_session = validated(pd.DataFrame(sessions), "per_session") if sessions else empty("per_session")
    return {"lines": pd.DataFrame(list(lines)), "per_turn": per_turn, "per_session": per_session, **more}


def save_svg(draw: Callable[..., None], count: int, folder: Path, name: str, **layout: Any) -> style.Saved:
    """Save the wide layout as SVG alone, in the place of ``style.save_panels``: a PDF costs most of the time."""
    folder.mkdir(parents=True, exist_ok=True)
    with style.look():
        axes = style.panels(count, **layout)
        draw(axes)
        axes[0].figure.savefig(folder / f"{name}.svg")
    return style.Saved(folder / f"{name}.svg", folder / f"{name}.pdf")
