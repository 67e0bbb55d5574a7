"""What helped in the nearest moments of other students, to put beside a question (TutorCaseBench, 5.3 and appendix N).

The paper takes three close scenarios of other papers that have an effective strategy for the horizon; what it compares
and what it shows are not in the digest, so they are stated here. Compared is what a responder sees of a scenario: the
setting and all messages. Shown are the other scenario's setting, its student's last words and its strategies. A release
without strategies lends the correct options of its choices instead: each is a strategy that helped, rewritten. Where
papers are unknown, another category has to do for another paper.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutorscope.casework.items import Choice, Scenario

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NEAREST = 3
"""How many are shown."""

BY_PAPER, BY_CATEGORY = "paper", "category"


@dataclass(frozen=True)
class Moment:
    """A scenario that can be referred to.

    Parameters
    ----------
    scenario, category : int
    paper : str
        "" where unknown.
    context, student : str
        The setting, and the student's last words.
    helped : tuple of str
        Strategies that helped.
    proxy : bool
        They are correct options, not strategies.
    text : str
        What is compared.
    """

    scenario: int
    category: int
    paper: str
    context: str
    student: str
    helped: tuple[str, ...]
    proxy: bool
    text: str

    @property
    def shown(self) -> dict[str, Any]:
        """What a responder sees of it."""
        return {"setting": self.context, "student": self.student, "helped": list(self.helped)}


def compared_text(scenario: Scenario) -> str:
    """Give what of a scenario is turned into a vector: the setting and all messages, in Unicode's form NFKC."""
    said = [f"{turn.speaker}: {turn.message.strip()}" for turn in scenario.dialogue]
    return unicodedata.normalize("NFKC", "\n".join([scenario.minimal_context.strip(), *said]))


def moments(
    scenarios: Iterable[Scenario], choices: Iterable[Choice], horizon: str, papers: Mapping[int, str]
) -> list[Moment]:
    """Give the scenarios that can be referred to for a horizon.

    Parameters
    ----------
    scenarios : iterable of Scenario
    choices : iterable of Choice
        With four options.
    horizon : {"immediate", "long_term"}
    papers : mapping of int to str
        Category to its source paper, where a scenario does not name its own.

    Returns
    -------
    list of Moment
        Those with an effective strategy of the horizon; if no scenario has one, those with a choice of it, as proxies.
    """
    held = {one.id: one for one in scenarios}
    helped: dict[int, list[str]] = {}
    for scenario in held.values():
        for strategy in scenario.strategies:
            if strategy.effective and strategy.horizon == horizon:
                helped.setdefault(scenario.id, []).append(strategy.text)
    proxy = not helped
    if proxy:
        for choice in choices:
            if choice.horizon == horizon and choice.scenario in held:
                helped.setdefault(choice.scenario, []).append(choice.options[choice.correct])
    return [
        Moment(
            scenario=scenario.id,
            category=scenario.category,
            paper=paper_of(scenario, papers),
            context=scenario.minimal_context,
            student=scenario.dialogue[-1].message,
            helped=tuple(dict.fromkeys(helped[scenario.id])),
            proxy=proxy,
            text=compared_text(scenario),
        )
        for scenario in held.values()
        if scenario.id in helped
    ]


def paper_of(scenario: Scenario, papers: Mapping[int, str]) -> str:
    """Give a scenario's source paper: its own word, or its category's in the user's table; "" where unknown."""
    return scenario.paper or papers.get(scenario.category, "")


def nearest_moments(
    asked: Sequence[Scenario],
    pool: Sequence[Moment],
    vectors: ArrayLike,
    pool_vectors: ArrayLike,
    papers: Mapping[int, str],
    k: int = NEAREST,
) -> list[list[dict[str, Any]]]:
    """Find the nearest moments of other papers for each scenario, most similar first.

    Parameters
    ----------
    asked : sequence of Scenario, length n
    pool : sequence of Moment, length m
    vectors : array_like, shape (n, d)
        Of what is compared of the scenarios.
    pool_vectors : array_like, shape (m, d)
    papers : mapping of int to str
        As for `moments`.
    k : int

    Returns
    -------
    list of list of dict
        For each scenario at most k of ``scenario``, ``category``, ``similarity`` (cosine), ``other`` ("paper", or
        "category" where a paper is unknown), ``proxy``, and ``shown``. A scenario's own category never stands there.
    """
    import numpy as np

    from tutorscope.texts.vectors import nearest

    if not asked or not pool:
        return [[] for _ in asked]
    # 0 is a paper that nobody knows: it is nobody's own.
    numbers = {paper: n for n, paper in enumerate(dict.fromkeys(one.paper for one in pool if one.paper), 1)}
    theirs = np.array([numbers.get(one.paper, 0) for one in pool])
    own = np.array([numbers.get(paper_of(one, papers), 0) for one in asked])
    categories = np.array([one.category for one in asked])[:, None] != np.array([one.category for one in pool])[None, :]
    same_paper = (own[:, None] == theirs[None, :]) & (own[:, None] > 0)
    rows, similarities = nearest(vectors, pool_vectors, k, categories & ~same_paper)
    found = []
    for scenario, places, values in zip(asked, rows, similarities, strict=True):
        known = bool(paper_of(scenario, papers))
        found.append(
            [
                {
                    "scenario": pool[place].scenario,
                    "category": pool[place].category,
                    "similarity": round(float(value), 6),
                    "other": BY_PAPER if known and pool[place].paper else BY_CATEGORY,
                    "proxy": pool[place].proxy,
                    "shown": pool[place].shown,
                }
                for place, value in zip(places.tolist(), values.tolist(), strict=True)
                if place >= 0
            ]
        )
    return found
