"""How a log is understood, before anything is spent on it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tutorscope.chats.chat import Chat
from tutorscope.chats.exchanges import SameSpeaker, chat_reason, walk
from tutorscope.chats.reading import read_chats
from tutorscope.texts.plain import strip_controls

_SHOWN = 2
_TURNS = 12
_TEXT = 400


def peek(
    path: str | os.PathLike[str],
    format: str = "auto",  # noqa: A002 - the word of the command line
    roles: str | None = None,
    columns: str | None = None,
    encoding: str | None = None,
    same_speaker: SameSpeaker = "merge",
    skip_bad: bool = False,
    limit: int | None = None,
    keep_personal: bool = False,
) -> dict[str, Any]:
    """Read a log whole and say how it was understood.

    Parameters
    ----------
    path, format, roles, columns, encoding, same_speaker, skip_bad, limit, keep_personal
        As in ``read_chats``.

    Returns
    -------
    dict
        What ``ChatFile.facts`` gives, ``title``, ``bad_examples``, and ``shown``: the first two chats as understood,
        each with ``id``, ``reason`` (why it is not scored, or None), ``turns``, ``exchanges``, ``valid_exchanges``,
        ``context``, ``said`` (``speaker``, ``text``, ``tag``: ``opening``, ``other``, ``unpaired`` or the reason why
        its exchange is skipped) and ``more`` (turns not shown). Long texts are shortened; they are as read, so escape
        them.

    Raises
    ------
    UserError
        As ``read_chats`` and going over it.
    """
    file = read_chats(path, format, roles, columns, encoding, same_speaker, skip_bad, limit, keep_personal)
    shown: list[dict[str, Any]] = []
    for chat in file:
        if len(shown) < _SHOWN:
            shown.append(_understood(chat, same_speaker))
    return {**file.facts(), "title": file.title, "bad_examples": file.bad_examples, "shown": shown}


def peek_text(facts: Mapping[str, Any]) -> str:
    """Write what ``peek`` found for a terminal: no control codes, one line a turn."""
    lines = [
        f"{facts['file']}: {facts['format']} ({facts['title']})",
        f"  because: {facts['why']}",
        f"  {_number(facts['chats'], 'chat')}, {facts['valid_chats']:,} valid",
        f"  {_number(facts['exchanges'], 'exchange')}, {facts['valid_exchanges']:,} valid",
        f"  {_number(facts['turns'], 'turn')} ({facts['other_turns']:,} system or tool)",
        f"  same speaker twice in a row: {_merging(facts)}",
        f"  roles: {_pairs(facts['roles']) or 'given by the format'}",
        f"  personal fields dropped: {', '.join(facts['dropped']) or 'none'}",
        f"  chats whose id another has: {facts['duplicate_ids']:,}",
        f"  set aside: {_pairs(facts['reasons']) or 'nothing'}",
    ]
    if facts["bad"]:
        lines.append(f"  broken records skipped: {facts['bad']:,}")
        lines += [f"    {example}" for example in facts["bad_examples"]]
    for chat in facts["shown"]:
        lines += ["", *_chat_lines(chat)]
    return "\n".join(_one_line(line) for line in lines) + "\n"


def _understood(chat: Chat, same_speaker: SameSpeaker) -> dict[str, Any]:
    walked = walk(chat, same_speaker)
    tags: dict[int, str] = dict.fromkeys(walked.opening, "opening") | dict.fromkeys(walked.unpaired, "unpaired")
    for exchange in walked.exchanges:
        if exchange.skipped:
            tags |= dict.fromkeys((*exchange.student_turns, *exchange.tutor_turns), exchange.skipped)
    said = [
        {
            "speaker": turn.speaker,
            "text": _shortened(turn.text),
            "tag": "other" if turn.speaker == "other" else tags.get(i),
        }
        for i, turn in enumerate(chat.turns[:_TURNS])
    ]
    return {
        "id": _shortened(chat.id),
        "reason": chat_reason(walked),
        "turns": len(chat.turns),
        "exchanges": len(walked.exchanges),
        "valid_exchanges": len(walked.valid),
        "context": _shortened(chat.context),
        "said": said,
        "more": max(0, len(chat.turns) - _TURNS),
    }


def _chat_lines(chat: Mapping[str, Any]) -> list[str]:
    score = f"not scored: {chat['reason']}" if chat["reason"] else "valid"
    title = f"chat {chat['id']}".rstrip()
    lines = [f"{title}: {_number(chat['exchanges'], 'exchange')}, {chat['valid_exchanges']} valid; {score}"]
    if chat["context"]:
        lines.append(f"  (about) {chat['context']}")
    for turn in chat["said"]:
        tag = f" [{turn['tag']}]" if turn["tag"] and turn["tag"] != "other" else ""
        lines.append(f"  {turn['speaker'] + ':':<8} {turn['text']}{tag}")
    if chat["more"]:
        lines.append(f"  ... {_number(chat['more'], 'more turn')}")
    return lines


def _shortened(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]} ... ({len(text):,} characters)"


def _one_line(line: str) -> str:
    # A line break inside a message would let it pose as a line of ours.
    return " / ".join(part for part in strip_controls(line).splitlines() if part)


def _pairs(counts: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} = {value}" for name, value in counts.items()
    )


def _merging(facts: Mapping[str, Any]) -> str:
    return f"{_number(facts['merged'], 'turn')} merged" if facts["same_speaker"] == "merge" else "kept apart"


def _number(count: int, of: str) -> str:
    return f"{count:,} {of}" if count == 1 else f"{count:,} {of}s"
