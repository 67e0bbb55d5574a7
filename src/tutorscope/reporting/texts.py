"""Whose words a page holds, and how many: all, a sample, or none."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from tutorscope.pictures.blocks import Reader, Section, Transcript
from tutorscope.reporting.embedding import transcript_json

Wish = Literal["none", "sample", "all"]


def choose_texts(sections: Sequence[Section], wish: Wish, *, cap: int) -> list[Section]:
    """Apply the wish for texts to every reader of a report.

    Parameters
    ----------
    sections : sequence of Section
        As the instruments made them.
    wish : {"none", "sample", "all"}
        "none" keeps every number and leaves out the words of students and tutors; "sample" keeps whole transcripts up
        to ``cap``; "all" keeps everything, however large.
    cap : int
        The most bytes that the page's transcripts take, all readers together. Readers share it evenly, and what one
        does not need goes to the others.

    Returns
    -------
    list of Section
        With each reader's notice saying how many of how many the page holds.

    Raises
    ------
    ValueError
        Another wish.
    """
    if wish not in ("none", "sample", "all"):
        raise ValueError(f"texts: {wish!r}, expected none, sample or all")
    readers = [block for section in sections for block in section.blocks if isinstance(block, Reader)]
    bare = [_without_words(reader) if wish == "none" else reader for reader in readers]
    weights = [[_weight(transcript) for transcript in reader.transcripts] for reader in bare]
    chosen: dict[int, Reader] = {}
    left = cap
    # The smallest need first: then an even share of the rest is as large as it can be.
    for turn, place in enumerate(sorted(range(len(bare)), key=lambda place: sum(weights[place]))):
        reader = bare[place]
        share = sum(weights[place]) if wish == "all" else left // (len(bare) - turn)
        taken = _take(reader.transcripts, weights[place], share)
        left -= sum(weights[place][one] for one in taken)
        held = [reader.transcripts[one] for one in taken]
        chosen[id(readers[place])] = replace(reader, transcripts=held, notice=_notice(reader, len(held)))
    return [replace(section, blocks=[chosen.get(id(block), block) for block in section.blocks]) for section in sections]


def sample(transcripts: Sequence[Transcript], cap: int) -> list[Transcript]:
    """Take transcripts evenly from every group and cell until ``cap`` bytes are full.

    Groups and cells take turns, one transcript each; within a cell the order is that of the sha256 of the id. The same
    transcripts give the same sample on every machine. One that alone would pass the cap is passed over.

    Parameters
    ----------
    transcripts : sequence of Transcript
    cap : int
        Bytes, as the page writes them.

    Returns
    -------
    list of Transcript
        In the order given.
    """
    weights = [_weight(transcript) for transcript in transcripts]
    return [transcripts[place] for place in _take(transcripts, weights, cap)]


def _take(transcripts: Sequence[Transcript], weights: Sequence[int], cap: int) -> list[int]:
    """Choose the places of a sample, in order."""
    if sum(weights) <= cap:
        return list(range(len(transcripts)))
    strata: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, transcript in enumerate(transcripts):
        strata[transcript.group, transcript.cell].append(place)
    for places in strata.values():
        places.sort(key=lambda place: _draw(transcripts[place].id))
    turns = [places for _, places in sorted(strata.items())]
    held: list[int] = []
    left = cap
    for depth in range(max(map(len, turns))):
        for places in turns:
            if depth < len(places) and weights[places[depth]] <= left:
                held.append(places[depth])
                left -= weights[places[depth]]
    return sorted(held)


def _without_words(reader: Reader) -> Reader:
    return replace(reader, transcripts=[_bare(transcript) for transcript in reader.transcripts], withheld=True)


def _bare(transcript: Transcript) -> Transcript:
    lines = [replace(line, text="") for line in transcript.lines]
    return replace(transcript, lines=lines, beside=_bare(transcript.beside) if transcript.beside else None)


def _notice(reader: Reader, held: int) -> str:
    if held == reader.total:
        many = f"This page holds all {held:,}."
    else:
        many = f"This page holds {held:,} of {reader.total:,}, spread over groups and cells by a fixed rule."
    if reader.withheld:
        many += " Their words were left out of this page; their numbers are here."
    return f"{reader.notice} {many}".strip()


def _weight(transcript: Transcript) -> int:
    # The comma before the next one counts too.
    return len(transcript_json(transcript).encode()) + 1


def _draw(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
