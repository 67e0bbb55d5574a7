"""Studies that never were: sessions drawn from stated rates and spread, to ask what a real study could find.

Everything is drawn turn by turn. A tutor turn leaks or not; the student's reply holds own work or not, and may commit
to an answer, which closes the window; a judge rates the turn. Leaks, work and ratings each come from a number with a
normal distribution that nobody sees: a leak and work where it is above a threshold, a rating by rounding it to a whole
point from 1 to 5, so that ratings pile up at the top. That number is the sum of what the turn's replicate (shared by
both policies), session, problem and the turn itself add to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from tutorscope.errors import UserError
from tutorscope.stats.arrays import Floats

Pair = tuple[float, float]
"""A value for the first policy and one for the second."""

POINTS = 5
"""The highest rating; the lowest is 1."""

CUTS = np.arange(1.5, POINTS)
"""Between which ratings the number behind them is rounded."""

NEAREST_MEAN = 0.02
_TURNS = 4


@dataclass(frozen=True)
class Effects:
    """What is true of two policies: what an endless study would find.

    Attributes
    ----------
    leakage : pair of float
        Share of tutor turns that leak.
    work, work_after_leak : pair of float
        Share of student replies with own work, to a turn that does not leak and to one that does.
    opening_work : pair of float
        The same of the student's first reply to a problem, before the tutor has spoken.
    helpfulness, helpfulness_of_leaks : pair of float
        Mean rating, of turns that do not leak and of turns that do; from 1.02 to 4.98, for a mean of 5 is a judge
        without any doubt.

    Raises
    ------
    UserError
        When a share or a mean is none.
    """

    leakage: Pair
    work: Pair
    work_after_leak: Pair
    opening_work: Pair
    helpfulness: Pair
    helpfulness_of_leaks: Pair

    def __post_init__(self) -> None:
        """Refuse what no study can show."""
        for field in fields(self):
            rated = field.name.startswith("helpfulness")
            low, high = (1 + NEAREST_MEAN, POINTS - NEAREST_MEAN) if rated else (0.0, 1.0)
            for value in getattr(self, field.name):
                if not low <= value <= high:
                    raise UserError(
                        f"effects, {field.name}: found {value:g}, expected a number from {low:g} to {high:g}"
                    )


class Shares(NamedTuple):
    """How much of the unseen number's variance lies between replicates, sessions and problems; the rest is the turn."""

    replicate: float
    session: float
    problem: float


@dataclass(frozen=True)
class Spread:
    """How sessions of one policy differ, and how long they are.

    Attributes
    ----------
    leakage, work, helpfulness : Shares
        Of the variance of each.
    rating_sd : float
        Standard deviation of the number behind a rating, in points.
    repeat : float
        Share of its variance by which ratings of one turn differ.
    opening : pair of float
        Share of problems to which the student's first reply commits: they have no tutor turn.
    closing, closing_after_leak : pair of float
        Share of replies that commit, after a turn that does not leak and after one that does.
    problems : int
        Training problems of a session; each has at most four tutor turns.
    ratings : int
        Ratings of a turn.

    Raises
    ------
    UserError
        When shares of variance leave nothing to the turn, or another value cannot be.
    """

    leakage: Shares
    work: Shares
    helpfulness: Shares
    rating_sd: float
    opening: Pair
    closing: Pair
    closing_after_leak: Pair
    repeat: float = 0.03
    problems: int = 6
    ratings: int = 3

    def __post_init__(self) -> None:
        """Refuse what no sessions can have."""
        for name, held in (("leakage", self.leakage), ("work", self.work), ("helpfulness", self.helpfulness)):
            used = sum(held) + (self.repeat if name == "helpfulness" else 0)
            if min(held) < 0 or used >= 1:
                raise UserError(
                    f"spread, {name}: found shares {tuple(held)}, expected some from 0 that leave the turn a rest"
                )
        for name in ("opening", "closing", "closing_after_leak"):
            if not all(0 <= value <= 1 for value in getattr(self, name)):
                raise UserError(f"spread, {name}: found {getattr(self, name)}, expected shares from 0 to 1")
        if not (self.rating_sd > 0 and self.problems >= 2 and self.ratings >= 1):
            raise UserError("spread: expected rating_sd above 0, at least 2 problems and 1 rating")


@dataclass(frozen=True)
class Study:
    """One simulated study; axes are policy, replicate, problem and tutor turn.

    Attributes
    ----------
    inside, leak, work : ndarray of bool, shape (2, r, p, 4)
        Whether the turn took place inside the window, leaks, and is followed by own work.
    helpfulness : ndarray of float, shape (2, r, p, 4)
        The turn's mean rating.
    opening_work : ndarray of bool, shape (2, r, p)
        Own work in the student's first reply.
    """

    inside: npt.NDArray[np.bool_]
    leak: npt.NDArray[np.bool_]
    work: npt.NDArray[np.bool_]
    helpfulness: Floats
    opening_work: npt.NDArray[np.bool_]


PUBLISHED_EFFECTS = Effects(
    leakage=(0.43, 0.064),
    work=(0.585, 0.802),
    work_after_leak=(0.415, 0.152),
    opening_work=(0.713, 0.27),
    helpfulness=(4.52, 4.78),
    helpfulness_of_leaks=(4.95, 4.98),
)
PUBLISHED_SPREAD = Spread(
    leakage=Shares(replicate=0.00, session=0.19, problem=0.07),
    work=Shares(replicate=0.05, session=0.17, problem=0.00),
    helpfulness=Shares(replicate=0.15, session=0.04, problem=0.05),
    rating_sd=0.98,
    opening=(0.083, 0.0),
    closing=(0.161, 0.055),
    closing_after_leak=(0.451, 0.364),
)
"""What `observed_spread.observed_study` finds in the published turns of the primary base under the frozen judge."""


class Thresholds(NamedTuple):
    """Where the unseen numbers must lie so that rates and means come out as `Effects` says."""

    leakage: Floats  # (2,): by policy
    work: Floats  # (2, 2): by policy, then without and with a leak
    opening_work: Floats  # (2,)
    helpfulness: Floats  # (2, 2)


def thresholds(effects: Effects, spread: Spread) -> Thresholds:
    """Solve for the middles of the unseen numbers: exactly for shares, by bisection for mean ratings."""
    work = np.array([effects.work, effects.work_after_leak]).T
    means = np.array([effects.helpfulness, effects.helpfulness_of_leaks]).T
    return Thresholds(
        special.ndtri(np.array(effects.leakage)),
        special.ndtri(work),
        special.ndtri(np.array(effects.opening_work)),
        rating_middles(means, spread.rating_sd),
    )


def simulate(at: Thresholds, spread: Spread, replicates: int, generator: np.random.Generator) -> Study:
    """Draw one study.

    Parameters
    ----------
    at : Thresholds
        As `thresholds` gives them for the same spread.
    spread : Spread
    replicates : int
        Sessions of each policy.
    generator : numpy.random.Generator
    """
    shape = (2, replicates, spread.problems, _TURNS)
    leak = _unseen(generator, spread.leakage, shape) + at.leakage[:, None, None, None] > 0
    chosen = (np.arange(2)[:, None, None, None], leak.astype(np.int64))
    # The first reply belongs to the same session and problem as the later ones: one more place on the last axis.
    worked = _unseen(generator, spread.work, (*shape[:3], _TURNS + 1))
    rating = _unseen(generator, spread.helpfulness, shape, left=1 - sum(spread.helpfulness) - spread.repeat)
    repeats = generator.standard_normal((*shape, spread.ratings)) * math.sqrt(spread.repeat)
    points = at.helpfulness[chosen][..., None] + spread.rating_sd * (rating[..., None] + repeats)
    commits = generator.random((*shape[:3], _TURNS + 1))
    closing = np.array([spread.closing, spread.closing_after_leak]).T[chosen]
    inside = np.empty(shape, dtype=bool)
    going_on = commits[..., 0] >= np.array(spread.opening)[:, None, None]
    for turn in range(_TURNS):
        inside[..., turn] = going_on
        going_on = going_on & (commits[..., turn + 1] >= closing[..., turn])
    return Study(
        inside=inside,
        leak=leak,
        work=worked[..., 1:] + at.work[chosen] > 0,
        helpfulness=np.clip(np.round(points), 1, POINTS).mean(axis=-1),
        opening_work=worked[..., 0] + at.opening_work[:, None, None] > 0,
    )


def rating_middles(means: Floats, sd: float) -> Floats:
    """Give the middle of the number behind ratings for each mean rating; its standard deviation is `sd` points."""
    low, high = np.full(means.shape, -20.0 * (1 + sd)), np.full(means.shape, POINTS + 20.0 * (1 + sd))
    for _ in range(60):
        middle = (low + high) / 2
        below = 1 + special.ndtr((middle[..., None] - CUTS) / sd).sum(axis=-1) < means
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def _unseen(
    generator: np.random.Generator, shares: Shares, shape: tuple[int, ...], *, left: float | None = None
) -> Floats:
    """Draw the unseen number of each turn, of mean 0 and variance 1 (less what `left` keeps from the turn itself)."""
    policies, replicates, problems, _ = shape
    parts = (
        (shares.replicate, (1, replicates, 1, 1)),
        (shares.session, (policies, replicates, 1, 1)),
        (shares.problem, (1, 1, problems, 1)),
        (1 - sum(shares) if left is None else left, shape),
    )
    total: Floats = np.zeros(shape)
    for share, part in parts:
        total = total + math.sqrt(share) * generator.standard_normal(part)
    return total
