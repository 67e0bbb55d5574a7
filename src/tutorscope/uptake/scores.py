"""From ratings to scores: small integers and exact fractions, a float only at the very end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Rated:
    """What the ratings of one exchange add up to.

    Parameters
    ----------
    scaffolding, uptake : Fraction or None
        Mean over the ratings that could be read, on 1..5; None without any. Uptake is not mapped.
    resolved : bool
        More than half of the ratings that carry the flag say that the reply only confirms a right result.
    """

    scaffolding: Fraction | None
    uptake: Fraction | None
    resolved: bool


@dataclass(frozen=True, slots=True)
class ChatScore:
    """A chat's means over its exchanges.

    Parameters
    ----------
    scaffolding : Fraction or None
        On 1..5.
    uptake_ordinal : Fraction or None
        On 1 (the student follows) to 5 (the student overrules).
    n_scaffolding, n_uptake : int
        The exchanges behind each mean.
    """

    scaffolding: Fraction | None
    uptake_ordinal: Fraction | None
    n_scaffolding: int
    n_uptake: int

    @property
    def uptake(self) -> Fraction | None:
        """The mapped mean, from -1 (the student drives) to +1 (the student takes the scaffolding up)."""
        return None if self.uptake_ordinal is None else map_uptake(self.uptake_ordinal)


def map_uptake(ordinal: Fraction) -> Fraction:
    """Map a mean uptake from 1..5 to the signed scale: u = (3 - x) / 2.

    Parameters
    ----------
    ordinal : Fraction
        A per-chat mean: the map comes after averaging.

    Returns
    -------
    Fraction

    Notes
    -----
    Scaffolding and uptake paper, appendix A.2.

    Examples
    --------
    >>> map_uptake(Fraction(4))
    Fraction(-1, 2)
    """
    return (3 - ordinal) / 2


def mean(values: Iterable[int | Fraction]) -> Fraction | None:
    """Give the exact mean, or None of nothing."""
    held = list(values)
    return Fraction(sum(held), len(held)) if held else None


def rate_exchange(ratings: Sequence[tuple[int | None, int | None, bool | None]]) -> Rated:
    """Put the ratings of one exchange together.

    Parameters
    ----------
    ratings : sequence of tuple
        Scaffolding, uptake and the resolved flag of each rating; None where there is none.

    Returns
    -------
    Rated
    """
    flags = [flag for _, _, flag in ratings if flag is not None]
    return Rated(
        scaffolding=mean(value for value, _, _ in ratings if value is not None),
        uptake=mean(value for _, value, _ in ratings if value is not None),
        resolved=2 * sum(flags) > len(flags),
    )


def score_chat(exchanges: Iterable[Rated]) -> ChatScore:
    """Average a chat's exchanges: each exchange counts once, however often it was rated.

    Parameters
    ----------
    exchanges : iterable of Rated
        The valid ones. What has no score is left out of the mean and shows in its n.

    Returns
    -------
    ChatScore
    """
    held = list(exchanges)
    scaffolding = [exchange.scaffolding for exchange in held if exchange.scaffolding is not None]
    uptake = [exchange.uptake for exchange in held if exchange.uptake is not None]
    return ChatScore(mean(scaffolding), mean(uptake), len(scaffolding), len(uptake))
