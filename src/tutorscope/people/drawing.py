"""Drawing what raters see: evenly over cells, and within a cell evenly from typical to outlier."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tutorscope.people.forms import Shown

if TYPE_CHECKING:
    import numpy as np

BAND = "band"


@dataclass(frozen=True)
class Drawn:
    """A draw.

    Parameters
    ----------
    shown : sequence of Shown
        In the order in which raters see them: shuffled, so that a cell's do not stand together.
    notes : sequence of str
        Cells that had fewer than asked, one line each.
    """

    shown: Sequence[Shown]
    notes: Sequence[str]


def draw(pool: Sequence[Shown], cell: Sequence[str], most: int, seed: int, vectors: np.ndarray | None = None) -> Drawn:
    """Draw up to so many from each cell, from its bands in turn (scaffolding and uptake paper, appendix A.4.2).

    Within a cell the cosine similarity of each vector to the cell's centroid cuts it into three even bands. The bands
    give one each in turn, from typical to outlier, until the cell has given enough; a band that is used up is passed
    over. Which one a band gives depends on the seed and its own id alone: the same run, seed and vectors give the same
    draw on every machine.

    Parameters
    ----------
    pool : sequence of Shown
        All that could be drawn.
    cell : sequence of str
        The strata that make a cell.
    most : int
        The most that a cell gives.
    seed : int
    vectors : ndarray, shape (len(pool), d), optional
        One for each; without them there are no bands.

    Returns
    -------
    Drawn
        Each with its band among its strata, where there are bands.
    """
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, shown in enumerate(pool):
        places[tuple(shown.strata[name] for name in cell)].append(place)
    drawn: list[Shown] = []
    notes: list[str] = []
    for key in sorted(places):
        held = places[key]
        banded = _banded([pool[place] for place in held], None if vectors is None else vectors[held])
        drawn += _in_turn(banded, most, seed)
        if len(held) < most:
            named = ", ".join(f"{name} {value}" for name, value in zip(cell, key, strict=True))
            notes.append(f"{named}: {len(held)} of {most} asked, all that there are")
    return Drawn(sorted(drawn, key=lambda shown: _lot(seed, "order", shown.id)), notes)


def _banded(held: Sequence[Shown], vectors: np.ndarray | None) -> Mapping[str, list[Shown]]:
    if vectors is None:
        return {"": list(held)}
    from tutorscope.texts.vectors import BANDS, bands, centroid, similarity

    found: dict[str, list[Shown]] = {band: [] for band in BANDS}
    for shown, band in zip(held, bands(similarity(vectors, centroid(vectors))[:, 0]), strict=True):
        found[band].append(replace(shown, strata={**shown.strata, BAND: band}))
    return found


def _in_turn(banded: Mapping[str, Sequence[Shown]], most: int, seed: int) -> list[Shown]:
    queues = [sorted(band, key=lambda shown: _lot(seed, "draw", shown.id)) for band in banded.values()]
    longest = max((len(queue) for queue in queues), default=0)
    in_turn = [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]
    return in_turn[:most]


def _lot(seed: int, purpose: str, name: str) -> str:
    return hashlib.sha256(f"{seed}\n{purpose}\n{name}".encode("utf-8", "surrogatepass")).hexdigest()
