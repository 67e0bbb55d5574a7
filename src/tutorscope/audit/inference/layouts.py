"""Tables alone: ours, the published ones and those with summed ratings, read into the frames of the measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.audit.inference import layout_cells as cells
from tutorscope.audit.inference.frames import PER_SESSION, PER_TURN, PHASES, TEXT, TURN, validated
from tutorscope.audit.inference.layout_cells import Row
from tutorscope.errors import UserError

RUN = "tables"
_RATINGS = 3
_PROBES = {"immediate": 3, "delayed": 3, "transfer": 3, "interference": 4}
_A_TABLE = 1_000
"""Further apart than the judges of one table."""
_POLICIES = {"conv": "conversational", "ped": "pedagogical", "cold": "cold"}
_WHERE = "where"
_SESSION = ["run", "student", "base", "rule", "policy", "replicate"]


@dataclass(frozen=True)
class Label:
    """What a pair of tables is called: the tutor's base and the judge; None where its own columns say."""

    base: str | None
    judge: str | None


@dataclass(frozen=True)
class Layout:
    """One shape of table: its name, the columns it needs, and how a row of it becomes one of ours."""

    name: str
    needs: tuple[str, ...]
    convert: Callable[[Row], dict[str, Any]]


def read_tables(pairs: Sequence[tuple[str, str]]) -> dict[str, pd.DataFrame]:
    """Read tables of turns and sessions that were made elsewhere, or by `runs.tables.write_tables`.

    Parameters
    ----------
    pairs : sequence of (str, str)
        The file of turns, as PATH or BASE:JUDGE=PATH, and that of its sessions; CSV or Parquet. Three layouts are known
        by their columns: ours, the published one (means of three ratings) and that with sums of three ratings. Without
        a label one pair of the latter two is called base "tutor" and judge "judge"; several need labels.

    Returns
    -------
    dict of DataFrame
        ``per_turn`` and ``per_session``, as `frames.PER_TURN` and `frames.PER_SESSION` say. Means become sums and rates
        become counts, exactly. What the files do not hold is missing.

    Raises
    ------
    UserError
        In one line, with file and line: a layout that is not known, a missing column, a value that cannot be, a turn or
        session that stands there twice; two judges of one base who do not have the same turns, leaks and student's
        work; turns and sessions that do not agree; a label that is missing or given twice.
    """
    if not pairs:
        raise UserError("--tables: found none, expected a table of turns and one of sessions")
    labelled = [(*_label(turns), Path(sessions)) for turns, sessions in pairs]
    turns, sessions = [], []
    for place, (label, turn_path, session_path) in enumerate(labelled):
        layout, rows = _read(turn_path, _TURN_LAYOUTS)
        label = _named(label, layout, turn_path, len(pairs))
        # The judge of the tables that were named first is the frozen one; within ours the table itself says.
        frame = _frame(rows, layout, label)
        turns.append(frame.assign(judge_place=frame["judge_place"] + _A_TABLE * place))
        layout, rows = _read(session_path, _SESSION_LAYOUTS)
        sessions.append(_frame(rows, layout, label))
    per_turn = pd.concat(turns, ignore_index=True)
    _not_twice(per_turn, [*_SESSION[:4], "judge", *TURN], "turn")
    per_session = _one_of_each(sessions)
    _same_turns(per_turn)
    _agree(per_turn, per_session)
    return {"per_turn": validated(per_turn, "per_turn"), "per_session": validated(per_session, "per_session")}


def _label(given: str) -> tuple[Label, Path]:
    if "=" not in given or Path(given).exists():
        return Label(None, None), Path(given)
    name, _, path = given.partition("=")
    base, _, judge = name.partition(":")
    if not base or not judge or ":" in judge or base != base.strip() or judge != judge.strip():
        raise UserError(
            f"--tables {given}: found the label {name!r}, expected BASE:JUDGE=FILE, as in sonnet:opus=a.csv"
        )
    return Label(base, judge), Path(path)


def _named(label: Label, layout: Layout, path: Path, pairs: int) -> Label:
    if label.base is not None or layout.name == "tutorscope":
        return label
    if pairs > 1:
        raise UserError(f"{path}: one of several tables and without a label; expected BASE:JUDGE={path}")
    return Label("tutor", "judge")


def _read(path: Path, layouts: Sequence[Layout]) -> tuple[Layout, list[Row]]:
    columns, rows = cells.read_rows(path)
    held = [sum(column in columns for column in layout.needs) for layout in layouts]
    best = layouts[held.index(max(held))]
    missing = [column for column in best.needs if column not in columns]
    if len(missing) * 2 > len(best.needs):
        known = "; ".join(f"{layout.name}: {', '.join(layout.needs[:5])}, ..." for layout in layouts)
        raise UserError(f"{path}, line 1: a layout that is not known ({', '.join(columns)[:80]}); expected {known}")
    if missing:
        raise UserError(f"{path}, line 1: the column {missing[0]} is missing; expected it in the {best.name} layout")
    return best, rows


def _frame(rows: Sequence[Row], layout: Layout, label: Label) -> pd.DataFrame:
    held = [{**layout.convert(row), _WHERE: row.where} for row in rows]
    for column, name in (("base", label.base), ("judge", label.judge)):
        if name is None or (column == "judge" and layout in _SESSION_LAYOUTS):
            continue
        own = {row.get(column, "") for row in held} - {""}
        if len(own) > 1:
            found = ", ".join(sorted(own))
            raise UserError(f"{held[0][_WHERE]}, column {column}: found {found} under one label, expected one {column}")
        for row in held:
            # In our own tables no base means every base: a cold session, or a policy that is its own base.
            if column == "judge" or row.get(column) != "" or layout.name != "tutorscope":
                row[column] = name
    frame = pd.DataFrame(held)
    known = PER_SESSION if layout in _SESSION_LAYOUTS else PER_TURN
    return frame.astype({name: dtype for name, dtype in known.items() if dtype != TEXT})


def _one_of_each(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put session tables together: the same session may stand in the tables of several judges, if it says the same."""
    kept: list[pd.DataFrame] = []
    for frame in frames:
        _not_twice(frame, _SESSION, "session")
        if kept:
            earlier = pd.concat(kept, ignore_index=True)
            both = frame.merge(earlier, on=_SESSION, suffixes=("", "_earlier"))
            for column in (name for name in PER_SESSION if name not in _SESSION):
                differs = _differ(both[column], both[f"{column}_earlier"])
                if differs.any():
                    row = both[differs].iloc[0]
                    raise UserError(
                        f"{row[_WHERE]}: {column} of {row['policy']}, replicate {row['replicate']} is {row[column]}, "
                        f"expected {row[f'{column}_earlier']} as in {row[f'{_WHERE}_earlier']}"
                    )
            known = earlier[_SESSION].assign(known=True)
            new = frame.merge(known, on=_SESSION, how="left")["known"].isna().to_numpy()
            frame = frame[new]
        kept.append(frame)
    return pd.concat(kept, ignore_index=True)


def _same_turns(per_turn: pd.DataFrame) -> None:
    """Refuse two judges of one base who did not see the same turns, or who saw others leak or work."""
    for _, part in per_turn.groupby(_SESSION[:4], sort=False):
        first, *others = (rows for _, rows in part.groupby("judge", sort=False))
        for other in others:
            both = first.merge(other, on=TURN, how="outer", suffixes=("", "_other"), indicator=True)
            for side, here, there in (("left_only", "", other), ("right_only", "_other", first)):
                alone = both[both["_merge"] == side]
                if len(alone):
                    row, file = alone.iloc[0], str(there[_WHERE].iloc[0]).rpartition(", ")[0]
                    where = row[f"{_WHERE}{here}"]
                    raise UserError(f"{where}: found {_said(row)}, which the other judge's {file} does not have")
            for column in ("leak", "next_work"):
                differs = _differ(both[column], both[f"{column}_other"])
                if differs.any():
                    row = both[differs].iloc[0]
                    raise UserError(
                        f"{row[f'{_WHERE}_other']}: {column} of {_said(row)} is {row[f'{column}_other']}, expected "
                        f"{row[column]} as in {row[_WHERE]}: no judge has a part in it"
                    )


def _agree(per_turn: pd.DataFrame, per_session: pd.DataFrame) -> None:
    """Refuse turns and sessions that count differently."""
    turns = per_turn.drop_duplicates([*_SESSION[:4], *TURN])
    counted = turns.groupby(_SESSION, sort=False).agg(
        turns=("leak", "size"), leaks=("leak", "sum"), where_turns=(_WHERE, "first")
    )
    both = per_session.merge(counted.reset_index(), on=_SESSION, how="outer", indicator=True)
    alone = both[both["_merge"] == "right_only"]
    if len(alone):
        row = alone.iloc[0]
        said = f"{row['policy']}, replicate {row['replicate']}"
        raise UserError(f"{row['where_turns']}: found a turn of {said}, which has no row in the table of sessions")
    for column, count in (("tutor_turns", "turns"), ("leaky", "leaks")):
        differs = both[column] != both[count].fillna(0)
        if differs.any():
            row = both[differs].iloc[0]
            found = 0 if pd.isna(row[count]) else int(row[count])
            raise UserError(
                f"{row[_WHERE]}: {column} of {row['policy']}, replicate {row['replicate']} is {row[column]}, "
                f"expected {found} as the table of turns counts"
            )


def _differ(one: pd.Series, other: pd.Series) -> pd.Series:
    """Whether values differ, two missing ones being the same."""
    return (one.isna() != other.isna()) | (one != other).fillna(False).astype(bool)


def _not_twice(frame: pd.DataFrame, identity: Sequence[str], what: str) -> None:
    twice = frame.duplicated(list(identity))
    if twice.any():
        row = frame[twice].iloc[0]
        said = _said(row) if what == "turn" else f"{row['policy']}, replicate {row['replicate']}"
        judged = f" (base {row['base']}, judge {row['judge']})" if what == "turn" else ""
        raise UserError(f"{row[_WHERE]}: found {what} {said}{judged} a second time, expected each once")


def _said(row: Mapping[str, Any] | pd.Series) -> str:
    return f"{row['policy']}, replicate {row['replicate']}, {row['problem']}, turn {row['turn']}"


def _own_turn(row: Row) -> dict[str, Any]:
    ratings: dict[str, Any] = {}
    for rubric in ("helpfulness", "pedagogy"):
        n = cells.maybe_whole(row, f"{rubric}_n")
        total = cells.ratings_sum(row, f"{rubric}_sum", n, mean=False) if n else None
        if n and total is None:
            cells.refuse(row, f"{rubric}_sum", f"the sum of {n} ratings")
        ratings |= {f"{rubric}_n": n, f"{rubric}_sum": total}
        ratings[f"{rubric}_median"] = cells.maybe_real(row, f"{rubric}_median")
    return {
        **_own_key(row),
        "judge": cells.maybe_text(row, "judge"),
        "judge_place": cells.maybe_whole(row, "judge_place") or 0,
        "problem": cells.text(row, "problem"),
        "turn": cells.whole(row, "turn"),
        "leak": cells.flag(row, "leak"),
        "next_work": cells.maybe_flag(row, "next_work"),
        **ratings,
        "calls": cells.maybe_whole(row, "calls"),
        "tokens": cells.maybe_whole(row, "tokens"),
        "route": cells.maybe_text(row, "route"),
    }


def _own_session(row: Row) -> dict[str, Any]:
    key = _own_key(row)
    counts = ("tutor_turns", "leaky", "student_turns", "worked")
    held = {name: cells.whole(row, name) for name in counts}
    held |= {name: cells.maybe_whole(row, name) or 0 for name in ("silent_turns", "silent_replies")}
    for part, all_of in (("leaky", "tutor_turns"), ("worked", "student_turns")):
        if held[part] > held[all_of]:
            cells.refuse(row, part, f"no more than {all_of}, {held[all_of]}")
    rest = {name: cells.maybe_whole(row, name) for name in PER_SESSION if name not in (*key, *held)}
    return {**key, **held, **rest}


def _own_key(row: Row) -> dict[str, Any]:
    return {
        "run": cells.maybe_text(row, "run") or RUN,
        "student": cells.maybe_text(row, "student"),
        "base": cells.maybe_text(row, "base"),
        "rule": cells.text(row, "rule"),
        "policy": cells.text(row, "policy"),
        "policy_place": cells.maybe_whole(row, "policy_place") or 0,
        "replicate": cells.whole(row, "replicate"),
    }


def _published_turn(row: Row) -> dict[str, Any]:
    names = {"replicate": "replicate_id", "problem": "problem_id", "turn": "turn_index"}
    names |= {"next_work": "next_turn_independence", "calls": "n_model_calls", "tokens": "tutor_tokens"}
    return _foreign_turn(row, names, {rubric: (rubric, True) for rubric in ("helpfulness", "pedagogy")})


def _summed_turn(row: Row) -> dict[str, Any]:
    names = {"replicate": "replicate", "problem": "problem", "turn": "turn"}
    names |= {"next_work": "next_independent", "calls": "calls", "tokens": "tokens"}
    return _foreign_turn(row, names, {rubric: (f"{rubric}3", False) for rubric in ("helpfulness", "pedagogy")})


def _foreign_turn(row: Row, names: Mapping[str, str], ratings: Mapping[str, tuple[str, bool]]) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for rubric, (column, mean) in ratings.items():
        total = cells.ratings_sum(row, column, _RATINGS, mean=mean)
        held |= {f"{rubric}_sum": total, f"{rubric}_n": None if total is None else _RATINGS, f"{rubric}_median": None}
    return {
        **_foreign_key(row, names["replicate"]),
        "judge": "",
        "judge_place": 0,
        "problem": cells.text(row, names["problem"]),
        "turn": cells.whole(row, names["turn"]),
        "leak": cells.flag(row, "leaks"),
        "next_work": cells.maybe_flag(row, names["next_work"]),
        **held,
        "calls": cells.maybe_whole(row, names["calls"]),
        "tokens": cells.maybe_whole(row, names["tokens"]),
        "route": cells.maybe_text(row, "branch"),
    }


def _foreign_session(row: Row) -> dict[str, Any]:
    tutor_turns, student_turns = cells.whole(row, "n_train_tutor_turns"), cells.whole(row, "n_train_student_turns")
    student_calls, calls = cells.maybe_whole(row, "student_turns"), cells.maybe_whole(row, "n_model_calls")
    tutor_calls = None if student_calls is None or calls is None else calls - student_calls
    if tutor_calls is not None and tutor_calls < 0:
        cells.refuse(row, "n_model_calls", f"no fewer than student_turns, {student_calls}")
    probes: dict[str, int | None] = {}
    for phase in PHASES:
        column = f"acc_{phase}"
        asked = cells.maybe_real(row, column) is not None
        probes[f"{phase}_correct"] = cells.share_of(row, column, _PROBES[phase]) if asked else None
        probes[f"{phase}_n"] = _PROBES[phase] if asked else None
    return {
        **_foreign_key(row, "replicate_id"),
        **{"tutor_turns": tutor_turns, "silent_turns": 0, "silent_replies": 0},
        "leaky": cells.share_of(row, "leakage_rate", tutor_turns),
        "student_turns": student_turns,
        "worked": cells.share_of(row, "independence_ratio", student_turns),
        "visible_tutor_turns": cells.maybe_whole(row, "visible_tutor_turns"),
        "tutor_calls": tutor_calls,
        "student_calls": student_calls,
        "tutor_tokens": cells.maybe_whole(row, "tutor_tokens"),
        "student_tokens": cells.maybe_whole(row, "student_tokens"),
        **probes,
        "forced": None,
        "unread": None,
    }


def _foreign_key(row: Row, replicate: str) -> dict[str, Any]:
    policy = cells.text(row, "condition")
    return {
        **{"run": RUN, "student": "", "base": "", "rule": "published"},
        "policy": _POLICIES.get(policy, policy),
        "policy_place": 0,
        "replicate": cells.whole(row, replicate),
    }


_RATED = ("helpfulness_sum", "helpfulness_n", "pedagogy_sum", "pedagogy_n")
_TURN_LAYOUTS = (
    Layout("tutorscope", ("rule", "policy", "replicate", "problem", "turn", "leak", "next_work", *_RATED), _own_turn),
    Layout(
        "published",
        (
            *("condition", "replicate_id", "problem_id", "turn_index", "leaks"),
            *("helpfulness", "pedagogy", "next_turn_independence"),
        ),
        _published_turn,
    ),
    Layout(
        "summed",
        (
            *("condition", "replicate", "problem", "turn", "leaks"),
            *("helpfulness3", "pedagogy3", "next_independent"),
        ),
        _summed_turn,
    ),
)
_SESSION_LAYOUTS = (
    Layout(
        "tutorscope",
        ("rule", "policy", "replicate", "tutor_turns", "leaky", "student_turns", "worked"),
        _own_session,
    ),
    Layout(
        "published",
        (
            *("condition", "replicate_id", "leakage_rate", "independence_ratio"),
            *("n_train_tutor_turns", "n_train_student_turns"),
        ),
        _foreign_session,
    ),
)
