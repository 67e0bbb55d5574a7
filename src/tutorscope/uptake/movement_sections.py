"""The page on how scores move within a chat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from tutorscope.pictures.blocks import Block, Prose, Table
from tutorscope.uptake.movement import THIRDS
from tutorscope.uptake.score_tables import interval
from tutorscope.uptake.views import plain_rows, without_single

_FORMS = {"scaffolding": "{:.2f}", "uptake": "{:+z.2f}"}
_LABELS = {"short": "too short", "left_out": "left out", "change_interval": "95\u00a0%"}


def movement_blocks(numbers: Mapping[str, pd.DataFrame]) -> Iterator[Block]:
    """Lay the thirds out, a table for each score."""
    yield Prose(
        "A chat's valid exchanges are cut into a first, a middle and a last third; scores are averaged within each. "
        "Only chats with a score in all three count, so that the means are of the same chats. Too short are chats of "
        "fewer than three valid exchanges; left out those with a third that has no score."
    )
    held = without_single(numbers["movement"])
    for metric, form in _FORMS.items():
        rows = []
        for row in plain_rows(held[held["metric"] == metric]):
            printed = {name: row[name] for name in held.columns[: list(held.columns).index("metric")]}
            printed |= {name: row[name] for name in ("chats", "short", "left_out")}
            for name in (*THIRDS, "change"):
                printed |= {name: row[name], f"{name}_interval": interval(row, name, form)}
            rows.append(printed)
        frame = pd.DataFrame(rows)
        for name in (*THIRDS, "change"):
            frame[name] = pd.to_numeric(frame[name])
        forms = dict.fromkeys(THIRDS, form) | {"change": "{:+z.2f}"}
        labels = _LABELS | {f"{name}_interval": "95\u00a0%" for name in THIRDS}
        yield Table(
            f"movement_{metric}",
            f"Mean {metric} by third of the chat, over chats; change is the last third less the first.",
            frame,
            forms,
            labels,
        )
