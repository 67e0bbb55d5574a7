"""Chats out of traced requests: each request repeats the talk so far, and its answer is one more turn of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tutorscope.chats.chat import Speaker, Turn
from tutorscope.chats.reader import ReadOptions, Unfit

ROLES: dict[str, Speaker] = {
    "user": "student",
    "human": "student",
    "student": "student",
    "assistant": "tutor",
    "ai": "tutor",
    "tutor": "tutor",
    "model": "tutor",
    "system": "other",
    "developer": "other",
    "tool": "other",
    "function": "other",
}
_LISTS = ("messages", "chat_history", "history")
_ASKED = ("input", "question", "query", "prompt", "message", "user_input", "text", "content")
_ANSWERED = ("output", "answer", "response", "completion", "result", "message", "text", "content", "reply")


@dataclass(frozen=True, slots=True)
class Request:
    """One traced request.

    Parameters
    ----------
    asked : list of Turn
        What was sent: the talk so far, or the last message only.
    answered : list of Turn
        What came back; frameworks that keep state give the talk so far here too.
    """

    asked: list[Turn]
    answered: list[Turn]


def request_of(given: Any, output: Any, time: str | None, options: ReadOptions, where: str) -> Request:
    """Read the input and the output of a request, in any of the shapes that the usual libraries write.

    Messages may be OpenAI's (role, content), LangChain's as dictionaries (type, content; or type, data) or serialised
    (lc, id, kwargs), or pairs of role and text; in a list, a list of lists, or under a usual name in an object. A bare
    text is the student's message on the way in and the tutor's on the way out.

    Parameters
    ----------
    given, output : object
    time : str or None
        When the request came in, as ISO 8601: the time of the last message that was sent.
    options : ReadOptions
    where : str

    Raises
    ------
    Unfit
        No message can be found in what was sent.
    """
    asked = _turns(given, _ASKED, "student", options, where)
    if not asked:
        raise Unfit("no_messages", "the input holds no message in a shape that is known")
    if time is not None:
        asked[-1] = Turn(asked[-1].speaker, asked[-1].text, time, asked[-1].meta)
    return Request(asked, _turns(output, _ANSWERED, "tutor", options, where))


def joined(requests: Sequence[Request], options: ReadOptions) -> list[Turn]:
    """Put the requests of one chat, in order, together to the talk.

    What a request repeats of the talk so far is taken once. Where a request does not go on from the talk (a history
    that was cut or rewritten), only the student's new messages at its end are added, and the place is counted
    (``history_rewritten``).

    Parameters
    ----------
    requests : sequence of Request
    options : ReadOptions
    """
    talk: list[Turn] = []
    said: list[tuple[str, str]] = []

    def add(turns: Sequence[Turn]) -> None:
        talk.extend(turns)
        said.extend((turn.speaker, turn.text) for turn in turns if turn.speaker != "other")

    for request in requests:
        asked, answered = request.asked, request.answered
        repeated = _repeated(said, asked)
        if repeated or not talk:
            add(asked[repeated:])
        elif any(turn.speaker == "tutor" for turn in asked):
            options.notes["history_rewritten"] += 1
            add(_after(asked, "tutor"))
        else:
            add([turn for turn in asked if turn.speaker != "other"])
        repeated = _repeated(said, answered)
        add(answered[repeated:] if repeated else _after(answered, "student"))
    return talk


def _repeated(said: Sequence[tuple[str, str]], new: Sequence[Turn]) -> int:
    """Find how much of the beginning of ``new`` is the end of the talk; system and tool messages are passed over."""
    places = [i for i, turn in enumerate(new) if turn.speaker != "other"]
    offered = [(new[i].speaker, new[i].text) for i in places]
    for length in range(min(len(said), len(offered)), 0, -1):
        if said[-length] == offered[0] and said[-length:] == offered[:length]:
            return places[length - 1] + 1
    return 0


def _after(turns: Sequence[Turn], speaker: Speaker) -> list[Turn]:
    """Give what follows the last turn of a speaker, system prompts left out."""
    last = max((i for i, turn in enumerate(turns) if turn.speaker == speaker), default=-1)
    return [turn for turn in turns[last + 1 :] if turn.speaker != "other" or last < 0]


def _turns(value: Any, names: Sequence[str], bare: Speaker, options: ReadOptions, where: str) -> list[Turn]:
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [Turn(bare, value)]
    if isinstance(value, list):
        return _listed(value, bare, options, where)
    if not isinstance(value, Mapping):
        return []
    if (message := _message(value, options, where)) is not None:
        return [message]
    if "generations" in value or "choices" in value:
        return _generated(value, bare, options, where)
    for name in _LISTS:
        if isinstance(value.get(name), list) and value[name]:
            found = _listed(value[name], bare, options, where)
            # A history of what was before, and the new message beside it.
            beside = _turns(_named(value, names), names, bare, options, where) if name != "messages" else []
            return found + beside
    inner = _named(value, names)
    return _turns(inner, names, bare, options, where) if inner is not None else []


def _named(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "", [], {})), None)


def _listed(values: Sequence[Any], bare: Speaker, options: ReadOptions, where: str) -> list[Turn]:
    # A model's run has a batch around its messages: [[...]].
    if len(values) == 1 and isinstance(values[0], list) and not _pair(values[0]):
        return _listed(values[0], bare, options, where)
    turns = []
    for value in values:
        if isinstance(value, str):
            turns.append(Turn(bare, value))
        elif _pair(value):
            turns.append(Turn(options.speaker(value[0], ROLES, where), value[1]))
        elif isinstance(value, Mapping) and (message := _message(value, options, where)) is not None:
            turns.append(message)
        else:
            options.notes["parts_without_text"] += 1
    return turns


def _pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(item, str) for item in value)


def _generated(value: Mapping[str, Any], bare: Speaker, options: ReadOptions, where: str) -> list[Turn]:
    held = value.get("generations") or value.get("choices")
    while isinstance(held, list) and held:
        held = held[0]
    if not isinstance(held, Mapping):
        return []
    message = held.get("message")
    if isinstance(message, Mapping) and (turn := _message(message, options, where)) is not None:
        return [turn]
    return [Turn(bare, held["text"])] if isinstance(held.get("text"), str) else []


def _message(value: Mapping[str, Any], options: ReadOptions, where: str) -> Turn | None:
    role, fields = _role(value)
    if role is None:
        return None
    text, others = _content(fields.get("content"))
    speaker = options.speaker(role, ROLES, where)
    if speaker == "tutor" and not text and (fields.get("tool_calls") or fields.get("additional_kwargs")):
        speaker = "other"
    if others:
        options.notes["parts_without_text"] += len(others)
    return Turn(speaker, text, meta={"parts": others} if others else {})


def _role(value: Mapping[str, Any]) -> tuple[str | None, Mapping[str, Any]]:
    if isinstance(value.get("kwargs"), Mapping) and isinstance(value.get("id"), list) and value["id"]:
        name = str(value["id"][-1]).removesuffix("Chunk").removesuffix("Message").casefold()
        return name, value["kwargs"]
    if isinstance(value.get("role"), str) and ("content" in value or "tool_calls" in value):
        return value["role"], value
    kind = value.get("type")
    if isinstance(kind, str) and isinstance(value.get("data"), Mapping) and "content" in value["data"]:
        return kind, value["data"]
    if isinstance(kind, str) and "content" in value and kind.casefold().removesuffix("messagechunk") in ROLES:
        return kind.removesuffix("MessageChunk"), value
    return None, value


def _content(content: Any) -> tuple[str, list[str]]:
    if isinstance(content, str):
        return content, []
    if not isinstance(content, list):
        return "", [] if content is None else [type(content).__name__]
    texts: list[str] = []
    others: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            others.append(str(part.get("type") if isinstance(part, Mapping) else type(part).__name__)[:40])
    return "\n".join(texts), others
