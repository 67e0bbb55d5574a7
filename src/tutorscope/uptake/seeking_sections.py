"""The page on which help students seek."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from tutorscope.pictures.blocks import Block, Prose, Table
from tutorscope.uptake.views import without_single


def seeking_blocks(numbers: Mapping[str, pd.DataFrame]) -> Iterator[Block]:
    """Lay the shares out: nothing where the label was not asked."""
    shares = numbers["help_seeking_shares"]
    if not len(shares):
        return
    yield Prose(
        "Instrumental: the student asks for just enough to go on alone. Executive: the student wants it done. Neither: "
        "no help is sought. The judge saw the talk before a message and not the reply to it. Shares are of messages "
        "whose label could be read; their intervals resample whole chats."
    )
    held = without_single(shares)
    low, high = (held[name].map("{:.0%}".format) for name in ("low", "high"))
    held = held.assign(interval=(low + "\u00a0to\u00a0" + high).where(held["low"].notna()))
    order = [name for name in held.columns if name not in ("low", "high")]
    yield Table(
        "help_seeking_shares",
        "What help students' messages seek, by dataset.",
        held[order],
        {"share": "{:.0%}"},
        {"interval": "95\u00a0%", "unread": "not read", "not_asked": "not asked yet"},
    )
