"""From tables to numbers: every table of the audit's analysis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from tutorscope.audit.inference.budget import matched_tables
from tutorscope.audit.inference.claims import Claims, is_ours, load_claims, read_claims
from tutorscope.audit.inference.contrasts import contrasts
from tutorscope.audit.inference.coupling import coupling, mixed
from tutorscope.audit.inference.frames import at_bases, parts, validated
from tutorscope.audit.inference.policy_means import policy_means
from tutorscope.audit.inference.verdicts import sensitivities, verdicts


def measures(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Give the tables of numbers.

    Parameters
    ----------
    tables : mapping
        ``per_turn`` and ``per_session`` (from a run's records or from `layouts.read_tables`). If there:
        ``student_turns``; ``claims_file`` (column ``yaml``: the claims that a run froze; the package's otherwise);
        ``freeze`` (columns run, frozen, deviation) and ``sessions_state`` (how many sessions were frozen);
        ``asked_contrasts`` (columns first, second). Of the claims and the contrasts a row whose ``run`` is "" or
        absent holds for every run.

    Returns
    -------
    dict of DataFrame
        ``policy_means``, ``contrasts``, ``mixed``, ``coupling``, the same three under the matched visible-turn budget
        (``matched_contrasts``, ``matched_mixed``, ``matched_coupling``), ``budget``, ``claims``, ``sensitivities``,
        ``judge_agreement``, ``judge_interactions``, ``difference_of_differences``, ``ceilings`` and ``detectable``.
        Runs with other claims are measured apart, each by its own.

    Raises
    ------
    UserError
        A table lacks a column or holds what cannot be; a run's claims cannot be read.
    """
    per_session = validated(tables["per_session"], "per_session")
    per_turn = at_bases(validated(tables["per_turn"], "per_turn"), per_session)
    students = tables.get("student_turns")
    if students is not None:
        students = at_bases(validated(students, "student_turns"), per_session)
    per_session = at_bases(per_session)
    found: dict[str, list[pd.DataFrame]] = {}
    for claims, runs, given, own in _claims(tables.get("claims_file"), list(per_session["run"].unique())):
        numbers = _measured(
            _of(per_turn, runs),
            _of(per_session, runs),
            None if students is None else _of(students, runs),
            claims,
            _asked(tables.get("asked_contrasts")),
            _given_late(runs) if given else tables.get("freeze"),
            # What a freeze recorded says nothing of claims that came later.
            None if given else tables.get("sessions_state"),
            own or _frozen(tables.get("freeze"), runs),
        )
        for name, frame in numbers.items():
            found.setdefault(name, []).append(frame)
    return {name: frames[0] if len(frames) == 1 else _stacked(frames) for name, frames in found.items()}


def _measured(
    per_turn: pd.DataFrame,
    per_session: pd.DataFrame,
    students: pd.DataFrame | None,
    claims: Claims,
    asked: Sequence[tuple[str, str, str]],
    freeze: pd.DataFrame | None,
    sessions: pd.DataFrame | None,
    stated: bool,
) -> dict[str, pd.DataFrame]:
    from tutorscope.audit.inference.judges import judge_tables
    from tutorscope.audit.inference.power import detectable

    held = list(parts(per_turn, per_session, students))
    matched = matched_tables(held, claims)
    full = {
        "contrasts": contrasts(held, claims, asked),
        "mixed": mixed(held, claims, asked),
        "coupling": coupling(held, claims),
    }
    numbers = {name: _stacked([frame, matched[name]]) for name, frame in full.items()}
    return {
        "policy_means": policy_means(held),
        **full,
        **{f"matched_{name}": matched[name] for name in full},
        "budget": matched["budget"],
        "claims": verdicts(held, numbers, claims, freeze, sessions, stated=stated),
        "sensitivities": sensitivities(held, numbers, claims),
        **judge_tables(per_turn, claims.model_dump(), asked),
        "detectable": detectable(per_session, per_turn, claims.model_dump()),
    }


def _claims(file: pd.DataFrame | None, runs: Sequence[str]) -> Iterator[tuple[Claims, list[str], bool, bool]]:
    """Give each file of claims, the runs it holds for, whether it came with the analysis, and if it is the user's."""
    texts: dict[str, tuple[str, bool]] = {}
    if file is not None:
        for name, text in zip(_runs(file), file["yaml"], strict=True):
            texts |= dict.fromkeys([name] if name else runs, (str(text), not name))
    by_text: dict[tuple[str, bool] | None, list[str]] = {}
    for run in runs:
        by_text.setdefault(texts.get(run), []).append(run)
    for found, held in (by_text or {None: []}).items():
        if found is None:
            yield load_claims(), held, False, False
        else:
            text, given = found
            yield read_claims(text, f"claims of {held[0]}"), held, given, not is_ours(text)


def _frozen(freeze: pd.DataFrame | None, runs: Sequence[str]) -> bool:
    """Whether any of these runs was frozen."""
    if freeze is None:
        return False
    here = freeze[freeze["run"].isin(runs)] if "run" in freeze.columns else freeze
    return bool(here["frozen"].astype(bool).any())


def _given_late(runs: Sequence[str]) -> pd.DataFrame:
    """Say of claims that came with the analysis that no freeze of a run speaks of them."""
    said = "these claims were given at the analysis, not frozen before collection"
    return pd.DataFrame({"run": list(runs), "frozen": True, "deviation": said})


def _asked(frame: pd.DataFrame | None) -> list[tuple[str, str, str]]:
    if frame is None:
        return []
    rows = zip(_runs(frame), frame["first"].map(str), frame["second"].map(str), strict=True)
    return list(dict.fromkeys(rows))


def _runs(frame: pd.DataFrame) -> list[str]:
    return [str(run) for run in frame["run"]] if "run" in frame.columns else [""] * len(frame)


def _of(frame: pd.DataFrame, runs: Sequence[str]) -> pd.DataFrame:
    return frame[frame["run"].isin(runs)].reset_index(drop=True)


def _stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put tables below one another; those without a row would only blur the types."""
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled, ignore_index=True)[list(frames[0].columns)] if filled else frames[0]
