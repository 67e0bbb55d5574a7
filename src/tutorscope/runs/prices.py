"""What calls cost: a small table of prices that a user's own file extends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from tutorscope.errors import UserError
from tutorscope.models.speakers import Speaker
from tutorscope.texts.files import read_utf8

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Money for a million tokens: read, written, and read from the provider's cache."""

    input: float
    output: float
    cached: float

    def of(self, input_tokens: float, output_tokens: float, cached_tokens: float = 0) -> float:
        """Give the price of a number of tokens (``cached_tokens`` are a part of ``input_tokens``)."""
        fresh = input_tokens - cached_tokens
        return (fresh * self.input + cached_tokens * self.cached + output_tokens * self.output) / MILLION


@dataclass(frozen=True)
class Prices:
    """Prices by the start of a model's name; the longest that fits wins.

    Parameters
    ----------
    currency : str
    models : mapping
        The start of a model's name to its price.
    """

    currency: str
    models: Mapping[str, Price]

    def of(self, speaker: Speaker) -> Price | None:
        """Give a model's price, or None where the table does not know it."""
        name = str(speaker.identity.get("model", speaker.name)).rsplit("/", 1)[-1]
        names = (name, speaker.kind)
        fitting = [start for start in self.models if any(n.startswith(start) for n in names)]
        return self.models[max(fitting, key=len)] if fitting else None

    def say(self, amount: float) -> str:
        """Print an amount: nothing spent is 0, and the least that was spent is not."""
        said = "0" if not amount else f"{amount:.4f}" if amount >= 0.0001 else "under 0.0001"
        return f"{said} {self.currency}"


def read_prices(own: Path | None = None) -> Prices:
    """Read the shipped table and, over it, the user's.

    Raises
    ------
    UserError
        The user's file is not a table of prices.
    """
    shipped = _parse(resources.files("tutorscope.runs").joinpath("prices.yaml").read_text("utf-8"), "prices.yaml")
    if own is None:
        return shipped
    mine = _parse(read_utf8(own, "a price table in YAML"), str(own))
    if mine.currency == shipped.currency:
        return Prices(mine.currency, {**shipped.models, **mine.models})
    # Two currencies cannot be added up: a table in another one stands alone, free models apart.
    free = {name: price for name, price in shipped.models.items() if price == Price(0, 0, 0)}
    return Prices(mine.currency, {**free, **mine.models})


def _parse(text: str, where: str) -> Prices:
    try:
        raw: Any = yaml.safe_load(text)
        models = {
            str(name): Price(float(p["input"]), float(p["output"]), float(p.get("cached", p["input"])))
            for name, p in raw["models"].items()
        }
        return Prices(str(raw["currency"]), models)
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as problem:
        found = f"{type(problem).__name__}: {str(problem).splitlines()[0]}"
        raise UserError(
            f"{where}: not a price table ({found}); expected 'currency: USD' and 'models: {{NAME: {{input: 1.0, "
            f"output: 2.0}}}}', money a million tokens"
        ) from None
