"""The tables that measures start from: their columns, what may stand in them, and the parts that are analysed alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tutorscope.errors import UserError

TEXT, WHOLE, COUNT, REAL, FLAG, MAYBE = "string", "int64", "Int64", "Float64", "bool", "boolean"

_TURN = {"policy": TEXT, "replicate": WHOLE, "problem": TEXT}
_PLACE = {"policy_place": WHOLE}
PER_TURN: Mapping[str, str] = {
    **{"run": TEXT, "student": TEXT, "base": TEXT, "judge": TEXT, "judge_place": WHOLE, "rule": TEXT},
    **_TURN,
    **{"turn": WHOLE, "leak": FLAG, "next_work": MAYBE},
    **{"helpfulness_sum": COUNT, "helpfulness_n": COUNT, "helpfulness_median": REAL},
    **{"pedagogy_sum": COUNT, "pedagogy_n": COUNT, "pedagogy_median": REAL},
    **{"calls": COUNT, "tokens": COUNT, "route": TEXT},
    **_PLACE,
}
"""Columns of ``per_turn`` and their types: a row for each visible tutor turn inside the rule's window, and judge.

``judge_place`` and ``policy_place`` are the places that judge and policy have in the plan."""

PHASES = ("immediate", "delayed", "transfer", "interference")
PER_SESSION: Mapping[str, str] = {
    **{"run": TEXT, "student": TEXT, "base": TEXT, "rule": TEXT, "policy": TEXT, "replicate": WHOLE},
    **{"tutor_turns": WHOLE, "leaky": WHOLE, "student_turns": WHOLE, "worked": WHOLE},
    **{"silent_turns": WHOLE, "silent_replies": WHOLE},
    **{"visible_tutor_turns": COUNT, "tutor_calls": COUNT, "student_calls": COUNT},
    **{"tutor_tokens": COUNT, "student_tokens": COUNT},
    **{f"{phase}_{what}": COUNT for phase in PHASES for what in ("correct", "n")},
    **{"forced": COUNT, "unread": COUNT},
    **_PLACE,
}
"""Columns of ``per_session``: a row for each session and rule; in-window counts, costs of the whole session, probes.

Turns without a word (``silent_turns`` of the tutor, ``silent_replies`` of the student) are in no other count."""

STUDENT_TURNS: Mapping[str, str] = {
    **{"run": TEXT, "student": TEXT, "base": TEXT, "rule": TEXT},
    **_TURN,
    **{"place": WHOLE, "work": FLAG},
}
"""Columns of ``student_turns``: a row for each student turn inside the window; place k follows tutor turn k - 1."""

_ZERO_UNLESS_TOLD = ("judge_place", "silent_turns", "silent_replies", "policy_place")
"""Columns that tables made elsewhere do not have."""

_KINDS = {"per_turn": PER_TURN, "per_session": PER_SESSION, "student_turns": STUDENT_TURNS}
_IDENTITY = {
    "per_turn": ["run", "student", "base", "judge", "rule", "policy", "replicate", "problem", "turn"],
    "per_session": ["run", "student", "base", "rule", "policy", "replicate"],
    "student_turns": ["run", "student", "base", "rule", "policy", "replicate", "problem", "place"],
}
GROUP = ("run", "student", "rule", "base")
"""What tells apart the parts that are analysed alone."""

TURN = ["policy", "replicate", "problem", "turn"]
"""What tells apart the turns of a part."""

OWN = "own"
"""The base of policies that are their own base, where there is no other."""

RATINGS = [f"{rubric}_{what}" for rubric in ("helpfulness", "pedagogy") for what in ("sum", "n", "median")]
_POLICIES = (
    *("conversational", "pedagogical", "cold"),
    *("no-gate", "no-cascade", "no-tracker", "socratic", "no-final-answer"),
)


@dataclass(frozen=True)
class Part:
    """What is analysed alone: one run, student, rule and base.

    Attributes
    ----------
    key : dict
        Values of `GROUP`.
    sessions : DataFrame
        Rows of ``per_session``.
    turns : DataFrame
        The distinct turns, without ratings, in the order of `TURN`.
    rated : dict of str to DataFrame
        For each judge, the run's frozen one first, the same turns in the same order with its ratings (missing where it
        gave none); under "" where nobody rated.
    students : DataFrame or None
        Rows of ``student_turns``; None where they are not known.
    """

    key: dict[str, str]
    sessions: pd.DataFrame
    turns: pd.DataFrame
    rated: dict[str, pd.DataFrame]
    students: pd.DataFrame | None

    def policies(self, pair: Sequence[str] = ()) -> list[str]:
        """Give the policies in the order of tables: the claims' pair if it is given, then as the run was asked."""
        return policies_of(self.sessions, pair)


def empty(kind: str) -> pd.DataFrame:
    """Give a table without rows: ``per_turn``, ``per_session`` or ``student_turns``."""
    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in _KINDS[kind].items()})


def validated(frame: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Check a table and give it its types and order of columns.

    Parameters
    ----------
    frame : DataFrame
        Other columns than the known ones are left out; ``run`` and ``student`` may be absent (then "").
    kind : str
        ``per_turn``, ``per_session`` or ``student_turns``.

    Raises
    ------
    UserError
        A column is missing, a value cannot be, or a row stands there twice; the message names the row, from 0.
    """
    columns = _KINDS[kind]
    held = {}
    for name, dtype in columns.items():
        if name in frame.columns:
            column = frame[name].reset_index(drop=True)
            if name in _ZERO_UNLESS_TOLD:
                column = column.fillna(0)
            held[name] = _typed(column, dtype, f"table {kind}, column {name}")
        elif name in ("run", "student"):
            held[name] = pd.Series([""] * len(frame), dtype=TEXT)
        elif name in _ZERO_UNLESS_TOLD:
            held[name] = pd.Series([0] * len(frame), dtype=WHOLE)
        else:
            raise UserError(f"table {kind}: the column {name} is missing; expected {', '.join(columns)}")
    checked = pd.DataFrame(held)
    _not_twice(checked, kind)
    for name, wrong, expected in _impossible(checked, kind):
        if (rows := wrong.fillna(False)).any():
            row = int(rows.to_numpy(dtype=bool).argmax())
            raise UserError(f"table {kind}, row {row}: found {name} {checked[name].iloc[row]}, expected {expected}")
    return checked


def at_bases(frame: pd.DataFrame, per_session: pd.DataFrame | None = None) -> pd.DataFrame:
    """Repeat what has no base (cold sessions, policies that are their own base) for each base of its run and student.

    Parameters
    ----------
    frame : DataFrame
        ``per_turn``, ``per_session`` or ``student_turns``.
    per_session : DataFrame, optional
        Where to look for the bases; the frame itself otherwise. A base whose sessions have no turn shows only there.

    Returns
    -------
    DataFrame
        No base is "": where a run and student have no base at all it is `OWN`.
    """
    known = frame if per_session is None else per_session
    without = frame["base"] == ""
    if not without.any():
        return frame.copy()
    bases = _bases(known)
    parts = [frame[~without]]
    for key, rows in frame[without].groupby(["run", "student"], sort=False):
        parts += [rows.assign(base=_repeated(name, len(rows))) for name in bases.get(key, [OWN])]
    return pd.concat(parts, ignore_index=True)


def judges(per_turn: pd.DataFrame) -> list[str]:
    """Give the judges in the order of ``judge_place``: the first is the frozen one.

    Places come from the plan, or from the order in which tables were named; between equal places the first row decides.
    """
    named = per_turn[per_turn["judge"] != ""]
    if "judge_place" in named.columns:
        named = named.sort_values("judge_place", kind="stable")
    return [str(name) for name in named["judge"].unique()]


def policy_order(places: Mapping[str, int], pair: Sequence[str] = ()) -> list[str]:
    """Put policies in order: a pair, then by place; of equal places the known ones, then the user's by name."""
    first = {name: place for place, name in enumerate(pair)}
    ranks = {name: place for place, name in enumerate(_POLICIES)}
    return sorted(
        places, key=lambda name: (first.get(name, len(first)), places[name], ranks.get(name, len(ranks)), name)
    )


def policies_of(frame: pd.DataFrame, pair: Sequence[str] = ()) -> list[str]:
    """Give the policies of ``per_turn`` or ``per_session`` rows in the order of tables."""
    names = map(str, frame["policy"])
    return policy_order(dict(zip(names, frame["policy_place"], strict=True)), pair)


def compared(policies: Sequence[str], pair: tuple[str, str], asked: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Give the pairs whose turns are compared: the claims', then those asked for, of policies that have turns.

    Where there is neither, the first two policies are compared.
    """
    named = [one for one in dict.fromkeys([pair, *asked]) if set(one) <= set(policies)]
    return named or ([(policies[0], policies[1])] if len(policies) > 1 else [])


def parts(
    per_turn: pd.DataFrame, per_session: pd.DataFrame, student_turns: pd.DataFrame | None = None
) -> Iterator[Part]:
    """Go over the parts that are analysed alone, in the order of their first sessions, the rule ``sound`` first.

    Parameters
    ----------
    per_turn, per_session, student_turns : DataFrame
        As `validated` and then `at_bases` give them.
    """
    keys = [tuple(row) for row in per_session[list(GROUP)].drop_duplicates().itertuples(index=False, name=None)]
    place = GROUP.index("rule")
    by_key = {"turns": _by_key(per_turn), "sessions": _by_key(per_session)}
    students = None if student_turns is None else _by_key(student_turns)
    by_run = {key: judges(rows) for key, rows in per_turn.groupby(["run", "student"], sort=False)}
    for key in sorted(keys, key=lambda key: key[place] != "sound"):
        rows = by_key["turns"].get(key, per_turn.iloc[:0])
        turns = rows[[*TURN, "leak", "next_work"]].drop_duplicates(TURN).sort_values(TURN, ignore_index=True)
        frozen, *others = by_run.get(key[:2]) or [""]
        here = set(rows["judge"])
        names = [frozen, *(name for name in others if name in here)]
        yield Part(
            key=dict(zip(GROUP, map(str, key), strict=True)),
            sessions=by_key["sessions"][key].sort_values(["policy", "replicate"], ignore_index=True),
            turns=turns,
            rated={name: _rated(turns, rows[rows["judge"] == name]) for name in names},
            students=None if students is None else students.get(key, empty("student_turns")),
        )


def _bases(frame: pd.DataFrame) -> dict[Any, list[str]]:
    named = frame[frame["base"] != ""]
    found = named.groupby(["run", "student"], sort=False)["base"].unique()
    return {key: [str(base) for base in bases] for key, bases in found.items()}


def _repeated(name: str, n: int) -> pd.api.extensions.ExtensionArray:
    return pd.Series([name] * n, dtype="string").array


def _by_key(frame: pd.DataFrame) -> dict[Any, pd.DataFrame]:
    return dict(iter(frame.groupby(list(GROUP), sort=False)))


def _rated(turns: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    return turns.merge(ratings[[*TURN, *RATINGS]], on=TURN, how="left")


def _typed(column: pd.Series, dtype: str, where: str) -> pd.Series:
    if dtype in (WHOLE, FLAG) and (gaps := column.isna()).any():
        raise UserError(f"{where}, row {int(gaps.to_numpy().argmax())}: found nothing, expected a value")
    try:
        found = column.astype(pd.api.types.pandas_dtype(dtype))
        return found.fillna("") if dtype == TEXT else found
    except (TypeError, ValueError) as problem:
        raise UserError(f"{where}: expected {dtype} values ({str(problem).splitlines()[0]})") from None


def _not_twice(frame: pd.DataFrame, kind: str) -> None:
    identity = _IDENTITY[kind]
    twice = frame.duplicated(identity)
    if twice.any():
        row = int(twice.to_numpy().argmax())
        said = ", ".join(f"{name} {frame[name].iloc[row]}" for name in identity if str(frame[name].iloc[row]))
        raise UserError(f"table {kind}, row {row}: found {said} a second time, expected each once")


def _impossible(frame: pd.DataFrame, kind: str) -> Iterator[tuple[str, pd.Series, str]]:
    whole = [name for name, dtype in _KINDS[kind].items() if dtype in (WHOLE, COUNT)]
    for name in whole:
        yield name, frame[name] < 0, "a count from 0 on"
    if kind == "per_turn":
        for rubric in ("helpfulness", "pedagogy"):
            total, n = frame[f"{rubric}_sum"], frame[f"{rubric}_n"].fillna(0)
            yield f"{rubric}_sum", (total < n) | (total > 5 * n), f"{rubric}_n ratings from 1 to 5"
            yield f"{rubric}_n", (n > 0) & total.isna(), f"their sum in {rubric}_sum"
    if kind == "per_session":
        for part, whole_name in (("leaky", "tutor_turns"), ("worked", "student_turns")):
            yield part, frame[part] > frame[whole_name], f"no more than {whole_name}"
        for phase in PHASES:
            right, asked = frame[f"{phase}_correct"], frame[f"{phase}_n"]
            yield f"{phase}_correct", (right > asked) | (right.notna() & asked.isna()), f"no more than {phase}_n"


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Make a table of numbers: its columns are the same when it has no row."""
    return pd.DataFrame(list(rows), columns=list(columns))
