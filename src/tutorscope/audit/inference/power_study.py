"""What ``audit power`` is asked for: numbers of replicates, and what to suppose about the policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pandas as pd

from tutorscope.audit.inference.claims import load_claims
from tutorscope.audit.inference.frames import at_bases, parts, validated
from tutorscope.audit.inference.observed_spread import observed_study
from tutorscope.audit.inference.power import power
from tutorscope.audit.inference.simulated import PUBLISHED_EFFECTS, PUBLISHED_SPREAD, Effects, Spread
from tutorscope.audit.records import tables
from tutorscope.errors import UserError
from tutorscope.runs.folder import existing

MOST_REPLICATES = 200


def simulated_power(
    replicates: str,
    studies: int,
    seed: int,
    *,
    like: Path | None = None,
    no_effect: bool = False,
    claims: Path | None = None,
) -> pd.DataFrame:
    """Simulate studies of several sizes.

    Parameters
    ----------
    replicates : str
        Numbers, with commas between them.
    studies : int
        How many of each size.
    seed : int
    like : Path, optional
        The folder of a run from which rates and spread are taken; else those that were published for the primary base.
    no_effect : bool
        Suppose that the policies are alike, and that a leak goes with nothing.
    claims : Path, optional
        The user's own claims.

    Returns
    -------
    DataFrame
        As `power.power`.

    Raises
    ------
    UserError
        A number that cannot be read, or a run without a rated pair of policies.
    """
    known = load_claims(claims)
    effects, spread = _observed(like, known.pair) if like else (PUBLISHED_EFFECTS, PUBLISHED_SPREAD)
    if no_effect:
        effects = _alike(effects)
    return power(_numbers(replicates), effects, spread, known, draws=studies, seed=seed)


def _numbers(text: str) -> list[int]:
    found = []
    for part in text.split(","):
        if not part.strip().isdecimal() or not 1 <= int(part) <= MOST_REPLICATES:
            raise UserError(f"--replicates: cannot read {part!r}; expected numbers up to {MOST_REPLICATES}: 5,10,20")
        found.append(int(part))
    return found


def _observed(run: Path, pair: tuple[str, str]) -> tuple[Effects, Spread]:
    folder = existing(run)
    made: Mapping[str, pd.DataFrame] = tables(folder)
    per_session = validated(made["per_session"].assign(run=folder.name), "per_session")
    per_turn = at_bases(validated(made["per_turn"].assign(run=folder.name), "per_turn"), per_session)
    for part in parts(per_turn, at_bases(per_session)):
        if set(pair) <= set(part.sessions["policy"]):
            return observed_study(part, pair, next(iter(part.rated)))
    raise UserError(f"{run}: holds no sessions of both {pair[0]} and {pair[1]}; expected some to take spread from")


def _alike(effects: Effects) -> Effects:
    """Give both policies the mean of their rates, and turns that leak what the others have."""
    plain = {"work_after_leak": "work", "helpfulness_of_leaks": "helpfulness"}
    means = {field.name: sum(getattr(effects, plain.get(field.name, field.name))) / 2 for field in fields(effects)}
    return Effects(**{name: (mean, mean) for name, mean in means.items()})
