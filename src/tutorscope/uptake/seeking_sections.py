"""The page on which help students seek."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from tutorscope.pictures.blocks import Block, Prose, Table
from tutorscope.uptake.score_tables import interval
from tutorscope.uptake.views import plain_rows, without_single


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
    named = plain_rows(held.rename(columns={"low": "share_low", "high": "share_high"}))
    ends = pd.Series([interval(row, "share", "{:.0%}") for row in named], index=held.index, dtype=object)
    held = held.assign(interval=ends).drop(columns=["low", "high"])
    yield Table(
        "help_seeking_shares",
        "What help students' messages seek, by dataset.",
        held,
        {"share": "{:.0%}"},
        {"interval": "95\u00a0%", "unread": "not read", "not_asked": "not asked yet"},
    )
