"""What a release holds once it is loaded, and what can be asked from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tutorscope.casework.irregularities import Irregularity
from tutorscope.casework.items import Choice, Item, Rubric, Scenario


@dataclass(frozen=True)
class Release:
    """All that was loaded from one place.

    Parameters
    ----------
    name : str
        "starter", or the folder's name.
    categories : mapping of int to str
        Category to its title, the first one met where files differ.
    scenarios : mapping of int to Scenario
    rubrics : mapping of (int, str) to Rubric
        Category and horizon to its rubric.
    items : tuple of Item
        The open questions, each with a scenario and a rubric.
    choices, binary : tuple of Choice
        With four options and with two.
    irregularities : tuple of Irregularity
        What was found odd or left out.
    """

    name: str
    categories: Mapping[int, str]
    scenarios: Mapping[int, Scenario]
    rubrics: Mapping[tuple[int, str], Rubric]
    items: tuple[Item, ...]
    choices: tuple[Choice, ...]
    binary: tuple[Choice, ...] = ()
    irregularities: tuple[Irregularity, ...] = ()

    def has(self, form: str, horizon: str) -> bool:
        """Say whether there is anything to ask in a form and horizon.

        Parameters
        ----------
        form : {"open", "reference", "mcq", "binary"}
            "reference" needs open questions, and something to refer to in another category: effective strategies of
            this horizon, or else the correct options of choices.
        horizon : {"immediate", "long_term"}
        """
        asked: Mapping[str, Sequence[Item | Choice]] = {
            "open": self.items,
            "reference": self.items,
            "mcq": self.choices,
            "binary": self.binary,
        }
        categories = {one.category for one in asked[form] if one.horizon == horizon}
        if form != "reference":
            return bool(categories)
        told = {
            one.category
            for one in self.scenarios.values()
            if any(strategy.effective and strategy.horizon == horizon for strategy in one.strategies)
        } or {one.category for one in self.choices if one.horizon == horizon}
        return any(told - {category} for category in categories)
