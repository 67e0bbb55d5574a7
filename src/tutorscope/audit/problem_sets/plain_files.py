"""A user's YAML or JSON file as plain data: lists, objects and texts, each number as it was written.

Nothing in the file is guessed at: ``0.1`` stays these three characters, ``010`` is no octal, ``no`` is no false value
and ``12:30`` no number of minutes. Only nothing (``null``, ``~``, an empty place) is told apart from text. Aliases,
which let a short file stand for a huge one, and keys that are given twice are refused.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from tutorscope.errors import UserError
from tutorscope.texts.files import read_utf8

LARGEST = 300_000
"""The most bytes that are read."""


def read_plain(path: Path) -> Any:
    """Read a file as plain data.

    Parameters
    ----------
    path : Path
        JSON if it ends so, YAML otherwise. UTF-8, with or without a byte order mark, any line ends.

    Returns
    -------
    object
        Lists, dictionaries with texts as keys, texts, None; from JSON also true and false.

    Raises
    ------
    UserError
        The file cannot be read, is empty, too large, no such format, repeats a key or holds an alias.
    """
    return plain_data(plain_text(path), str(path), path.suffix.lower() == ".json")


def plain_data(text: str, name: str, is_json: bool = False) -> Any:
    """Read a text, YAML unless it is said to be JSON, as `read_plain` reads a file; errors call it by its name."""
    if not text.strip():
        raise UserError(f"{name}: the file is empty")
    try:
        return _from_json(text) if is_json else _from_yaml(text)
    except RecursionError:
        raise UserError(f"{name}: lists or objects are nested too deep") from None
    except _RefusedError as problem:
        raise UserError(f"{name}{problem}") from None


def plain_text(path: Path) -> str:
    """Give the text of a file, as `texts.files.read_utf8` does."""
    return read_utf8(path, "a YAML or JSON file in UTF-8", most=LARGEST)


class _RefusedError(Exception):
    """Why a text cannot be taken, as it goes on after the file's name."""


def _from_json(text: str) -> Any:
    def constant(name: str) -> Any:
        raise _RefusedError(f": found {name}, expected a number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        given = dict(pairs)
        if len(given) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise _RefusedError(f": the key {twice!r:.60} is given twice in one object")
        return given

    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=constant, object_pairs_hook=once)
    except json.JSONDecodeError as problem:
        raise _RefusedError(f", line {problem.lineno}: no JSON ({problem.msg})") from None


class _Loader(yaml.SafeLoader):
    """Safe loading in which every scalar but null is text, nothing is an alias, and no key comes twice."""

    # yaml chooses by a scalar's first character; only the patterns for null are kept.
    yaml_implicit_resolvers = {  # noqa: RUF012 - the library's own attribute
        first: [rule for rule in rules if rule[0] == "tag:yaml.org,2002:null"]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise _RefusedError(
                f", line {event.start_mark.line + 1}: found the alias *{event.anchor:.40}, expected plain data"
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen = set()
        for key, _ in node.value:
            where = f", line {key.start_mark.line + 1}"
            if not isinstance(key, yaml.ScalarNode):
                raise _RefusedError(f"{where}: found a list or object as a key, expected a name")
            if key.value in seen:
                raise _RefusedError(f"{where}: the key {key.value!r:.60} is given twice in one object")
            seen.add(key.value)
        return {str(key): value for key, value in super().construct_mapping(node, deep=True).items()}


def _from_yaml(text: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader, narrowed further
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        where = f", line {mark.line + 1}" if mark else ""
        raise _RefusedError(
            f"{where}: no YAML ({' '.join(str(problem.problem or problem.context).split()):.120})"
        ) from None
    except (yaml.YAMLError, ValueError) as problem:
        raise _RefusedError(f": no YAML ({' '.join(str(problem).split()):.120})") from None
