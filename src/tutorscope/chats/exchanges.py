"""From a chat's turns to exchanges: what is scored, what is skipped and why, what a judge sees before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tutorscope.chats.chat import Chat, Turn

SameSpeaker = Literal["merge", "keep"]

LEAST_VALID = 2
"""A chat with fewer valid exchanges is not scored."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A student message and the reply to it.

    Parameters
    ----------
    index : int
        From 0, in the order of the chat, skipped exchanges counted.
    student, tutor : str
        The texts; ``tutor`` is "" when no reply follows.
    student_turns, tutor_turns : tuple of int
        Positions in ``Chat.turns`` of the turns that the texts were made from (several when merged).
    before : int
        How many of ``Walk.said`` stand before the exchange.
    skipped : str or None
        Why it is not scored: ``final_readout``, ``empty_student`` or ``empty_tutor``.
    framed : bool
        Whether a tutor has said anything before it. False when the student opened the chat and this is its first
        exchange: uptake is not measured then (``no_framing_yet``), scaffolding is.
    """

    index: int
    student: str
    tutor: str
    student_turns: tuple[int, ...]
    tutor_turns: tuple[int, ...]
    before: int
    skipped: str | None
    framed: bool

    @property
    def valid(self) -> bool:
        """Whether it is scored."""
        return self.skipped is None


@dataclass(frozen=True, slots=True)
class Walk:
    """A chat in the order in which it is judged.

    Parameters
    ----------
    said : tuple of Turn
        The talk: student and tutor turns only, merged if so wished. A merged turn has the time and the meta of its
        first part.
    opening : tuple of int
        Positions in ``Chat.turns`` of the tutor's turns before the first student turn.
    exchanges : tuple of Exchange
    merged : int
        How many turns were joined to the one before them.
    unpaired : tuple of int
        Positions of tutor turns that follow another tutor turn and so belong to no exchange (``keep`` only). They
        stay in the history.
    """

    said: tuple[Turn, ...]
    opening: tuple[int, ...]
    exchanges: tuple[Exchange, ...]
    merged: int
    unpaired: tuple[int, ...]

    @property
    def valid(self) -> list[Exchange]:
        """The exchanges that are scored."""
        return [exchange for exchange in self.exchanges if exchange.skipped is None]


def walk(chat: Chat, same_speaker: SameSpeaker = "merge") -> Walk:
    r"""Cut a chat into its opening and its exchanges.

    "Other" turns (system, tool) are passed over: they neither part nor join what student and tutor say.

    Parameters
    ----------
    chat : Chat
    same_speaker : {"merge", "keep"}
        Several messages by one speaker in a row are joined by a newline (blank ones add nothing), or stay apart: then
        each student message takes the tutor message right after it, and all but the last of a run have no reply.

    Returns
    -------
    Walk

    Notes
    -----
    Scaffolding and uptake paper, appendix B.1: both texts must be non-empty, the opening is dropped, the last exchange
    of a MathDial chat is a read-out and dropped.

    Examples
    --------
    >>> turns = (Turn("tutor", "Hello"), Turn("student", "Hi"), Turn("student", "2x = 4?"), Turn("tutor", "Halve it"))
    >>> [(e.student, e.tutor) for e in walk(Chat("c", turns)).exchanges]
    [('Hi\n2x = 4?', 'Halve it')]
    """
    said, positions, merged = _talk(chat.turns, same_speaker)
    first = next((i for i, turn in enumerate(said) if turn.speaker == "student"), len(said))
    opening = tuple(position for run in positions[:first] for position in run)
    starts = [i for i in range(first, len(said)) if said[i].speaker == "student"]
    framed = any(turn.text.strip() for turn in said[:first])
    exchanges: list[Exchange] = []
    paired: set[int] = set()
    for index, at in enumerate(starts):
        replied = at + 1 < len(said) and said[at + 1].speaker == "tutor"
        reply = said[at + 1].text if replied else ""
        exchanges.append(
            Exchange(
                index=index,
                student=said[at].text,
                tutor=reply,
                student_turns=positions[at],
                tutor_turns=positions[at + 1] if replied else (),
                before=at,
                skipped=_skip_reason(said[at].text, reply, chat.readout and index == len(starts) - 1),
                framed=framed,
            )
        )
        if replied:
            paired.add(at + 1)
        end = starts[index + 1] if index + 1 < len(starts) else len(said)
        framed = framed or any(turn.text.strip() for turn in said[at + 1 : end])
    unpaired = tuple(
        position
        for i in range(first, len(said))
        if said[i].speaker == "tutor" and i not in paired
        for position in positions[i]
    )
    return Walk(tuple(said), opening, tuple(exchanges), merged, unpaired)


def chat_reason(walked: Walk) -> str | None:
    """Say why a chat is not scored.

    Returns
    -------
    str or None
        ``no_turns``, ``no_student``, ``no_tutor`` (nobody with that role wrote anything), ``too_short`` (fewer than
        two valid exchanges), or None for a valid chat.
    """
    wrote = {turn.speaker for turn in walked.said if turn.text.strip()}
    if not walked.said:
        return "no_turns"
    if "student" not in wrote:
        return "no_student"
    if "tutor" not in wrote:
        return "no_tutor"
    return "too_short" if len(walked.valid) < LEAST_VALID else None


def history_up_to(walked: Walk, exchange: Exchange, last: int | None = None) -> list[Turn]:
    """Give the turns that a judge sees before an exchange.

    The opening and skipped exchanges stay in; "other" turns never do.

    Parameters
    ----------
    walked : Walk
        Of the chat that the exchange is part of.
    exchange : Exchange
    last : int, optional
        Keep only the last so many exchanges. The opening goes first, being the oldest.

    Returns
    -------
    list of Turn
        Without the exchange itself.
    """
    start = 0
    if last is not None and exchange.index > last:
        start = walked.exchanges[exchange.index - last].before
    return list(walked.said[start : exchange.before])


def _talk(turns: Sequence[Turn], same_speaker: SameSpeaker) -> tuple[list[Turn], list[tuple[int, ...]], int]:
    runs: list[list[int]] = []
    for position, turn in enumerate(turns):
        if turn.speaker == "other":
            continue
        if same_speaker == "merge" and runs and turns[runs[-1][0]].speaker == turn.speaker:
            runs[-1].append(position)
        else:
            runs.append([position])
    said = [_joined([turns[position] for position in run]) for run in runs]
    return said, [tuple(run) for run in runs], sum(len(run) - 1 for run in runs)


def _joined(run: Sequence[Turn]) -> Turn:
    if len(run) == 1:
        return run[0]
    return Turn(run[0].speaker, "\n".join(turn.text for turn in run if turn.text.strip()), run[0].time, run[0].meta)


def _skip_reason(student: str, tutor: str, readout: bool) -> str | None:
    if readout:
        return "final_readout"
    if not student.strip():
        return "empty_student"
    return None if tutor.strip() else "empty_tutor"
