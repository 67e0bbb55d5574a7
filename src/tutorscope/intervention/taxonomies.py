"""Taxonomies: the categories that messages are put into: the paper's, a user's own, or made by a judge."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from tutorscope.errors import UserError
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.files import read_utf8
from tutorscope.texts.plain import shorten

ROLE, LEAKAGE = "role", "leakage"
DIMENSIONS = (ROLE, LEAKAGE)
"""What a message does for the student, and how much of the solution it reveals (intervention game, section 5.4)."""

PUBLISHED, FIRST = "published", "1"
"""The taxonomy of the paper's Table 1; the one that is made first from a run's own messages."""
TAXONOMIES = "taxonomy/"
"""The input sets of taxonomies, of users' own and of such as were made from messages: an item a dimension."""

MOST_CATEGORIES = 60
LONGEST_NAME, LONGEST_DESCRIPTION = 100, 500
LARGEST = 200_000
"""The most bytes of a user's file that are read."""

_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
_FILE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,39}")
_FORM = "two lists, role and leakage, of names or of objects with name and description"


@dataclass(frozen=True)
class Category:
    """One category.

    Parameters
    ----------
    name : str
        Unique in its dimension, whatever its case and blanks.
    description : str
        "" if it has none.
    """

    name: str
    description: str = ""

    def data(self) -> dict[str, str]:
        """Give it as plain data, as judges are shown it: without an empty description."""
        return {"name": self.name, **({"description": self.description} if self.description else {})}


def folded(name: str) -> str:
    """Fold what two writings of a category's name may differ in: case, and runs of white space."""
    return " ".join(unicodedata.normalize("NFC", name).split()).casefold()


def is_clustered(taxonomy: str) -> bool:
    """Tell whether a taxonomy's name is that of a clustering of the run's own messages: a number."""
    return _NUMBER.fullmatch(taxonomy) is not None


@cache
def published() -> Mapping[str, tuple[Category, ...]]:
    """Give the paper's categories, by dimension, in the order of its Table 1 (names only: it describes none)."""
    text = (files("tutorscope.intervention") / "taxonomy.yaml").read_text("utf-8")
    return _taxonomy(text, "taxonomy.yaml")


def choose(wanted: str) -> tuple[str, InputSet | None]:
    """Read what a user names as taxonomy.

    Parameters
    ----------
    wanted : str
        "published", the number of a clustering, or ``[NAME=]FILE``.

    Returns
    -------
    name : str
    own : InputSet or None
        A file's categories, as the run keeps them.

    Raises
    ------
    UserError
        It is none of them, or the file cannot be read.
    """
    if wanted == PUBLISHED or is_clustered(wanted):
        return wanted, None
    name, equals, file = wanted.partition("=")
    # A path may hold an equals sign too.
    named = bool(equals) and _FILE_NAME.fullmatch(name) is not None
    path = Path(file if named else wanted)
    if not path.is_file():
        raise UserError(
            f"--taxonomy: found {shorten(wanted, 80)!r}, expected {PUBLISHED}, a YAML file, or the number of a "
            f"clustering: {FIRST} is the first one, another number clusters anew"
        )
    own = read_taxonomy(path, name if named else path.stem)
    return own.name.removeprefix(TAXONOMIES), own


def read_taxonomy(path: Path, name: str | None = None) -> InputSet:
    """Read a user's own taxonomy, or the one that a run made and keeps.

    Parameters
    ----------
    path : Path
        YAML: two lists, ``role`` and ``leakage``. Each entry is a name, or an object with ``name`` and, if wanted,
        ``description``. Or a run's ``inputs/taxonomy/NAME.jsonl``.
    name : str, optional
        The taxonomy's; without it the file's own without its ending.

    Returns
    -------
    InputSet
        "taxonomy/NAME" with an item a dimension.

    Raises
    ------
    UserError
        The file cannot be read, or an entry is not what it should be: file, line, found, expected.
    """
    name = path.stem if name is None else name
    if not _FILE_NAME.fullmatch(name) or name == PUBLISHED:
        raise UserError(
            f"{path}: {shorten(name, 60)!r} cannot be the name of a taxonomy of your own; expected --taxonomy "
            "NAME=FILE, or a file so named: up to 40 letters, digits, dots, hyphens and underscores that begin with a "
            f"letter, and not {PUBLISHED}"
        )
    text = _text(path)
    categories = _kept_lines(text, str(path)) if path.suffix == ".jsonl" else _taxonomy(text, str(path))
    items = []
    for dimension in DIMENSIONS:
        data = {"categories": [one.data() for one in categories[dimension]]}
        items.append(Item(dimension, fingerprint(data), data))
    counts = {dimension: len(categories[dimension]) for dimension in DIMENSIONS}
    return InputSet(f"{TAXONOMIES}{name}", items, {"file": path.name, "counts": counts})


def kept_categories(items: Sequence[Item], dimension: str) -> tuple[Category, ...]:
    """Give the categories of a taxonomy under ``inputs/``; none where it has none in a dimension."""
    return next((from_data(item.data["categories"]) for item in items if item.id == dimension), ())


def from_data(rows: Sequence[Mapping[str, Any]]) -> tuple[Category, ...]:
    """Read back categories that stand somewhere as plain data."""
    return tuple(Category(row["name"], row.get("description", "")) for row in rows)


def fault_of(categories: Sequence[Category]) -> str:
    """Name what is wrong with a list of categories, "" if nothing is.

    Returns
    -------
    str
        "empty_name", "bad_name" (it holds what cannot be seen), "too_long" or "repeated_name".
    """
    seen = set()
    for one in categories:
        if not one.name:
            return "empty_name"
        if not one.name.isprintable():
            return "bad_name"
        if len(one.name) > LONGEST_NAME or len(one.description) > LONGEST_DESCRIPTION:
            return "too_long"
        if folded(one.name) in seen:
            return "repeated_name"
        seen.add(folded(one.name))
    return ""


_SAID = {
    "empty_name": "a category without a name",
    "bad_name": "a name with invisible characters",
    "too_long": f"expected at most {LONGEST_NAME} characters of a name and {LONGEST_DESCRIPTION} of a description",
    "repeated_name": "the name of a category above it, expected each once, whatever its case",
}


def _text(path: Path) -> str:
    text = read_utf8(path, f"a text file in UTF-8 with {_FORM}", most=LARGEST)
    if not text.strip():
        raise UserError(f"{path}: is empty, expected {_FORM}")
    return text


def _kept_lines(text: str, name: str) -> Mapping[str, tuple[Category, ...]]:
    """Read JSON lines as runs keep them: those of the two dimensions, in any order."""
    found: dict[str, tuple[Category, ...]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{name}: line {number}"
        try:
            row = json.loads(line)
            dimension, listed = row["id"], row["data"]["categories"]
            pairs = [(one["name"], one.get("description", "")) for one in listed]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise UserError(
                f"{where}: is not what a run keeps of a taxonomy; expected its inputs/taxonomy/N.jsonl"
            ) from None
        if dimension not in DIMENSIONS or dimension in found:
            raise UserError(f"{where}: id: found {shorten(str(dimension), 40)!r}, expected {' and '.join(DIMENSIONS)}")
        if not all(isinstance(text, str) for pair in pairs for text in pair):
            raise UserError(f"{where}: found a name or description that is no text, expected texts")
        found[dimension] = tuple(Category(*(" ".join(text.split()) for text in pair)) for pair in pairs)
        fault = fault_of(found[dimension])
        if fault or not pairs:
            raise UserError(f"{where}: {_SAID[fault] if fault else 'found no category'}")
    for dimension in DIMENSIONS:
        if dimension not in found:
            raise UserError(f"{name}: {dimension} is missing, expected a line for {' and '.join(DIMENSIONS)}")
    return found


def _taxonomy(text: str, name: str) -> Mapping[str, tuple[Category, ...]]:
    try:
        # Nodes keep their lines, and a name such as "No" or "12" stays what was written.
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        where = f": line {mark.line + 1}" if mark else ""
        raise UserError(
            f"{name}{where}: is not YAML ({shorten(str(problem.problem or problem.context), 80)})"
        ) from None
    except (yaml.YAMLError, RecursionError) as problem:
        raise UserError(f"{name}: is not YAML ({shorten(str(problem), 80)})") from None
    found = _fields(root, name, DIMENSIONS, _FORM)
    for dimension in DIMENSIONS:
        if dimension not in found:
            raise UserError(f"{name}: {dimension} is missing, expected {_FORM}")
    return {dimension: _categories(found[dimension], f"{name}: {dimension}") for dimension in DIMENSIONS}


def _categories(node: yaml.Node, name: str) -> tuple[Category, ...]:
    if not isinstance(node, yaml.SequenceNode):
        raise UserError(f"{name}: {_line(node)}: found {_kind(node)}, expected a list of categories")
    if not 2 <= len(node.value) <= MOST_CATEGORIES:
        raise UserError(f"{name}: {_line(node)}: found {len(node.value)} categories, expected 2 to {MOST_CATEGORIES}")
    found: list[Category] = []
    for entry in node.value:
        found.append(_category(entry, name))
        if fault := fault_of(found):
            raise UserError(f"{name}: {_line(entry)}: {shorten(found[-1].name, 60)!r}: {_SAID[fault]}")
    return tuple(found)


def _category(node: yaml.Node, name: str) -> Category:
    if isinstance(node, yaml.ScalarNode):
        return Category(_name(node, name))
    fields = _fields(node, name, ("name", "description"), "a name, or an object with name and description")
    if "name" not in fields:
        raise UserError(f"{name}: {_line(node)}: name is missing")
    about = fields.get("description")
    return Category(_name(fields["name"], name), "" if about is None or _is_null(about) else _one_line(about, name))


def _name(node: yaml.Node, name: str) -> str:
    if _is_null(node):
        found = f"{node.value}, which YAML reads as nothing" if node.value else "nothing"
        raise UserError(f"{name}: {_line(node)}: found {found}, expected a name (in quotes it is one)")
    return _one_line(node, name)


def _is_null(node: yaml.Node) -> bool:
    """Whether YAML reads a node as no value: an empty dash, null or ~. Numbers, yes and no are names as written."""
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _fields(node: yaml.Node | None, name: str, known: Sequence[str], expected: str) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        where = f": {_line(node)}" if node is not None else ""
        raise UserError(f"{name}{where}: found {_kind(node)}, expected {expected}")
    found: dict[str, yaml.Node] = {}
    for key, value in _pairs(node):
        if key.value not in known:
            raise UserError(f"{name}: {_line(key)}: found {_shown(key)}, expected {', '.join(known)}")
        if key.value in found:
            raise UserError(f"{name}: {_line(key)}: {key.value} is there twice")
        found[key.value] = value
    return found


def _pairs(node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    yield from node.value


def _one_line(node: yaml.Node, name: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise UserError(f"{name}: {_line(node)}: found {_kind(node)}, expected text")
    return " ".join(node.value.split())


def _line(node: yaml.Node) -> str:
    return f"line {node.start_mark.line + 1}"


def _shown(node: yaml.Node) -> str:
    return repr(shorten(node.value, 40)) if isinstance(node, yaml.ScalarNode) else _kind(node)


def _kind(node: yaml.Node | None) -> str:
    match node:
        case yaml.MappingNode():
            return "an object"
        case yaml.SequenceNode():
            return "a list"
        case yaml.ScalarNode():
            return "text"
    return "nothing"
