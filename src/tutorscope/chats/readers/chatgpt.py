"""ChatGPT's data export: ``conversations.json``, several numbered ones, or the zip as downloaded.

A list of conversations: id or conversation_id, title, create_time, current_node, mapping. Oddities: ``mapping`` is a
tree, since every edit of a message and every regenerated reply opens a branch. The talk as its owner last saw it goes
from ``current_node`` up to the root; other branches are left out, and their messages counted (``other_branches``). On
the way lie nodes without a message, system and tool messages, calls of tools (messages to another recipient than
"all"), the model's notes to itself, and messages marked as hidden: all are left out and counted (``hidden_messages``).
Images, sound and files among the parts are counted (``parts_without_text``) and their kinds kept in ``meta``. The owner
is the student, ChatGPT the tutor. Files reach a gigabyte and more: one conversation is held at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutorscope.chats.assembling import one_chat_a_record, timed_turn
from tutorscope.chats.cells import filled
from tutorscope.chats.chat import Chat, Speaker, Turn
from tutorscope.chats.reader import Head, Reader, ReadOptions, Unfit, id_of, kind_of, object_of, text_of

ROLES: dict[str, Speaker] = {"user": "student", "assistant": "tutor", "system": "other", "tool": "other"}
_SHOWN = ("text", "multimodal_text", "code")
_IDS = ("conversation_id", "id")
_USED = ("mapping", "current_node", "id", "conversation_id")


def sniff(head: Head) -> str | None:
    """Recognise conversations as trees."""
    if isinstance(head.first.get("mapping"), Mapping) and "current_node" in head.first:
        return "records with a 'mapping' of nodes and 'current_node'"
    return None


def chat_of(record: Mapping[str, Any], options: ReadOptions, where: str) -> Chat:
    """Build a chat from a conversation: the branch that ends at ``current_node``."""
    nodes = object_of(record.get("mapping"), "field 'mapping'")
    path = _path(nodes, record.get("current_node"))
    on_path = set(path)
    options.notes["other_branches"] += sum(
        name not in on_path and isinstance(node, Mapping) and bool(node.get("message")) for name, node in nodes.items()
    )
    found = (_turn(nodes[name], options, where) for name in path)
    turns = tuple(turn for turn in found if turn is not None)
    name = next((key for key in _IDS if record.get(key) is not None), "id")
    meta = filled(options.personal.without(record, used=_USED))
    return Chat(id_of(record.get(name)), turns, meta=meta)


def _path(nodes: Mapping[str, Any], leaf: Any) -> list[str]:
    """Walk from a leaf up to the root and give the way down."""
    if not nodes:
        return []
    if not isinstance(leaf, str) or leaf not in nodes:
        raise Unfit("no_current_node", f"'current_node' is {leaf!r:.60}, expected one of the {len(nodes):,} nodes")
    path: list[str] = []
    seen: set[str] = set()
    at: Any = leaf
    while isinstance(at, str) and at in nodes:
        if at in seen:
            raise Unfit("circle", f"the nodes above {leaf!r:.60} go round in a circle")
        seen.add(at)
        path.append(at)
        at = object_of(nodes[at], f"node {at!r:.60}").get("parent")
    return path[::-1]


def _turn(node: Mapping[str, Any], options: ReadOptions, where: str) -> Turn | None:
    message = node.get("message")
    if message is None:
        return None
    message = object_of(message, "a node's message")
    author = object_of(message.get("author"), "a message's author")
    speaker = options.speaker(author.get("role"), ROLES, where)
    content = message.get("content")
    content = content if isinstance(content, Mapping) else {}
    metadata = message.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    hidden = metadata.get("is_visually_hidden_from_conversation") or content.get("content_type", "text") not in _SHOWN
    if speaker == "other" or hidden or message.get("recipient") not in (None, "all"):
        options.notes["hidden_messages"] += 1
        return None
    text, others = _text(content)
    meta: dict[str, Any] = {"model": metadata["model_slug"]} if metadata.get("model_slug") else {}
    if others:
        options.notes["parts_without_text"] += len(others)
        meta["parts"] = others
    return timed_turn(Turn(speaker, text, meta=meta), message.get("create_time"), options)


def _text(content: Mapping[str, Any]) -> tuple[str, list[str]]:
    parts = content.get("parts")
    if parts is None:
        return text_of(content.get("text"), "text of the content"), []
    if not isinstance(parts, list):
        raise Unfit("not_text", f"parts is {kind_of(parts)}, expected a list")
    texts: list[str] = []
    others: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            # What was dictated or said aloud comes as a transcription beside its sound.
            texts.append(part["text"])
        elif isinstance(part, Mapping):
            others.append(str(part.get("content_type"))[:40])
        elif part is not None:
            raise Unfit("not_text", f"a part is {kind_of(part)}, expected text or an object")
    return "\n".join(text for text in texts if text), others


READER = Reader("chatgpt", "ChatGPT's data export (JSON, zip)", sniff, one_chat_a_record(chat_of))
