"""The material: chat logs that a user names, read into the run's inputs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.chats.chat import Chat
from tutorscope.chats.plain import chat_to_data
from tutorscope.chats.reading import ChatFile, read_chats
from tutorscope.errors import UserError
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint
from tutorscope.uptake.splitting import Split, parse_gap
from tutorscope.uptake.traits import read_traits

CHATS = "chats/"
"""Where the input sets of logs stand among a run's inputs."""

_HOW = "expected LABEL=FILE or LABEL:DATASET=FILE, such as benchmark=chats.jsonl"


@dataclass(frozen=True, slots=True)
class Named:
    """One log as the user named it.

    Parameters
    ----------
    category : str
        The label, "" where a column holds it.
    dataset : str
        "" for the file's stem.
    path : Path
    """

    category: str
    dataset: str
    path: Path


def parse_named(text: str, by_column: bool = False) -> Named:
    """Read ``LABEL=FILE`` or ``LABEL:DATASET=FILE``.

    Parameters
    ----------
    text : str
    by_column : bool
        A column holds the category: then ``FILE`` or ``DATASET=FILE`` is asked.

    Raises
    ------
    UserError
        There is no label, or an empty one, or no file.
    """
    name, equals, path = text.partition("=")
    if by_column:
        if not equals or Path(text).exists():
            return Named("", "", Path(text))
        category, dataset = "", name.strip()
        if not dataset or not path:
            raise UserError(f"{text!r}: expected FILE or DATASET=FILE, since --category-column gives the label")
        return Named(category, dataset, Path(path))
    if not equals:
        raise UserError(f"{text!r}: no label; {_HOW} (or --category-column NAME)")
    category, colon, dataset = (part.strip() for part in name.partition(":"))
    if not category or not path or (colon and not dataset):
        missing = "label" if not category else "file" if not path else "dataset"
        raise UserError(f"{text!r}: an empty {missing}; {_HOW}")
    return Named(category, dataset, Path(path))


def read_logs(params: Mapping[str, Any]) -> tuple[list[InputSet], list[str]]:
    """Read the logs that an ask names.

    Chats enter as read, personal columns dropped, the invalid ones too. An item's id is its dataset and the digest of
    its content, so that a log that has grown is growth; of equal chats the second gets ``-2``.

    Parameters
    ----------
    params : mapping
        The options of ``run`` and ``check``: ``inputs``, ``category_column``, ``format``, ``roles``, ``columns``,
        ``encoding``, ``same_speaker``, ``skip_bad``, ``limit``, ``split_gap``, ``traits``.

    Returns
    -------
    sets : list of InputSet
        One a log.
    notes : list of str
        One line a log: what was read and what was set aside.

    Raises
    ------
    UserError
        A log cannot be read, two have the same dataset name, a chat has no category, the gap is no time, or the file
        of traits cannot be read.
    """
    gap_name, traits_file = params.get("split_gap"), params.get("traits")
    gap = parse_gap(gap_name) if gap_name else None
    traits = read_traits(traits_file) if traits_file else {}
    column = params["category_column"]
    opened: list[tuple[Named, ChatFile]] = []
    paths: dict[str, Path] = {}
    for text in params["inputs"]:
        named = parse_named(text, by_column=column is not None)
        log = _open(named.path, params)
        dataset = named.dataset or log.stem
        if dataset.casefold() in paths:
            raise UserError(
                f"{named.path}: the dataset name {dataset!r} is that of {paths[dataset.casefold()]} too; "
                "name one of them: LABEL:DATASET=FILE"
            )
        paths[dataset.casefold()] = named.path
        opened.append((Named(named.category, dataset, named.path), log))
    sets: list[InputSet] = []
    notes: list[str] = []
    for named, log in opened:
        split = Split(gap, gap_name, params["same_speaker"]) if gap and gap_name else None
        items = list(_items(named, log, column, params["same_speaker"], split))
        facts = {**log.facts(), **(split.facts(log.reasons) if split else {})}
        facts |= {"dataset": named.dataset, "category": named.category or None, "category_column": column}
        own = traits.pop(named.dataset.casefold(), None)
        if own:
            facts["traits"] = own
        fixed = {"dataset": named.dataset, "category": named.category or None, "category column": column}
        sets.append(InputSet(f"{CHATS}{file_name(named.dataset)}", items, facts, fixed))
        notes.append(_note(named, items, facts))
    if traits:
        notes.append(f"traits: no log now named is the dataset {', '.join(traits)}: left out")
    return sets, notes


def _open(path: Path, params: Mapping[str, Any]) -> ChatFile:
    return read_chats(
        path,
        format=params["format"],
        roles=params["roles"],
        columns=params["columns"],
        encoding=params["encoding"],
        same_speaker=params["same_speaker"],
        skip_bad=params["skip_bad"],
        limit=params["limit"],
    )


def _items(named: Named, log: ChatFile, column: str | None, same_speaker: str, split: Split | None) -> Iterator[Item]:
    seen: Counter[str] = Counter()
    scope = file_name(named.dataset)
    for chat in (part for whole in log for part in (split.parts(whole) if split else [whole])):
        data: dict[str, Any] = {
            "dataset": named.dataset,
            "category": named.category if column is None else _category(named, chat, column),
            # A chat joined otherwise has other exchanges: it is another item.
            "same_speaker": same_speaker,
            "chat": chat_to_data(chat),
            # Cut elsewhere, a chat is another item too: a run cannot hold a log cut in two ways.
            **(split.mark if split else {}),
        }
        digest = chat.digest
        seen[digest] += 1
        again = f"-{seen[digest]}" if seen[digest] > 1 else ""
        yield Item(f"{scope}:{digest}{again}", fingerprint(data), data, chat.id)


def _category(named: Named, chat: Chat, column: str) -> str:
    value = chat.meta.get(column)
    if value is None or not str(value).strip():
        has = ", ".join(map(str, chat.meta)) or "none"
        raise UserError(
            f"{named.path}: chat {chat.id!r:.60}: no value for --category-column {column}; "
            f"fields that are the same in all its rows: {has:.200}"
        )
    return str(value).strip()


def file_name(dataset: str) -> str:
    """Make a dataset's name fit for files and ids, unique by a hash where it had to change."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", dataset)[:60]
    return plain if plain == dataset else f"{plain}-{fingerprint(dataset)[:8]}"


def _note(named: Named, items: Sequence[Item], facts: Mapping[str, Any]) -> str:
    category = named.category or f"{len({item.data['category'] for item in items})} categories"
    aside = ", ".join(f"{name} {count:,}" for name, count in facts["reasons"].items())
    split = (
        f"; split at gaps of {facts['split_gap']}: {facts['split_chats']:,} of {facts['chats_before_split']:,} chats, "
        f"{facts['chats_without_times']:,} without times"
        if "split_gap" in facts
        else ""
    )
    dropped = f"; personal fields dropped: {', '.join(facts['dropped'])}" if facts["dropped"] else ""
    return (
        f"{category}: {named.dataset}: {facts['format']}, {facts['valid_chats']:,} of {facts['chats']:,} chats valid, "
        f"{facts['valid_exchanges']:,} of {facts['exchanges']:,} exchanges; "
        f"set aside: {aside or 'nothing'}{split}{dropped}"
    )
