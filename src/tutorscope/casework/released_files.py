"""The files of a release: which folders there are, what their names say, and their JSON objects as plain data.

Nothing here knows what a scenario is. Each file's name and body have to agree on its ids; what cannot be used is left
out with its finding, and the finding is remembered under the ids that the name says, for all that hangs on it.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.casework.irregularities import Irregularity, UnfitError
from tutorscope.errors import UserError
from tutorscope.texts.files import read_regular
from tutorscope.texts.plain import shorten

LARGEST = 4_000_000
"""The most bytes of one file. Real ones have some thousand."""

_POINTER = b"version https://git-lfs.github.com/spec/"
_DIGITS = re.compile(r"[0-9]{1,9}")
_HORIZON = r"(?P<horizon>immediate|long_term)"
_SCENARIO = r"scenario_(?P<scenario>[0-9]{1,9})_c(?P<category>[0-9]{1,9})_(?P<horizons>im|lt|bt)\.json"
_CHOICE = rf"_(?P<number>[0-9]{{1,9}})_{_HORIZON}_c(?P<category>[0-9]{{1,9}})_s(?P<scenario>[0-9]{{1,9}})\.json"
_SCENARIO_KEYS = (
    "category_id", "category_title", "scenario_id", "scenario_title", "minimal_context", "dialogue",
    "dialogue_combined", "immediate_dialogue_prompt", "long_term_dialogue_prompt", "challenge_type",
)  # fmt: skip
_CHOICE_KEYS = (
    "category_id", "category_title", "scenario_id", "dialogue_prompt_id", "mcq_type", "minimal_context", "dialogue",
    "options", "correct_answer", "challenge_type",
)  # fmt: skip


@dataclass(frozen=True)
class Folder:
    """What the files of one folder are.

    Parameters
    ----------
    name : str
    pattern : re.Pattern
        Of a file's name, with a group for each id.
    fields : mapping of str to str
        Id to the key that holds it in the body.
    key : tuple of str
        The ids that are unique in the folder.
    keys : frozenset of str
        What the layout has in a body.
    """

    name: str
    pattern: re.Pattern[str]
    fields: Mapping[str, str]
    key: tuple[str, ...]
    keys: frozenset[str]


def _folder(name: str, pattern: str, fields: Mapping[str, str], key: Iterable[str], keys: Iterable[str]) -> Folder:
    return Folder(name, re.compile(pattern), fields, tuple(key), frozenset(keys))


_OF_SCENARIO = {"scenario": "scenario_id", "category": "category_id"}
_OF_CHOICE = {**_OF_SCENARIO, "horizon": "mcq_type"}
DIALOGUE = _folder("dialogue", _SCENARIO, _OF_SCENARIO, ["scenario"], _SCENARIO_KEYS)
FULL = _folder("dialogue_full_context", _SCENARIO, _OF_SCENARIO, ["scenario"], (*_SCENARIO_KEYS, "full_context"))
RUBRIC = _folder(
    "rubric",
    rf"rubric_c(?P<category>[0-9]{{1,9}})_{_HORIZON}\.json",
    {"category": "category_id", "horizon": "rubric_type"},
    ["category", "horizon"],
    ("category_id", "category_title", "rubric_type", "student_description", "rubric", "challenge_type"),
)
MCQ = _folder("mcq", "mcq" + _CHOICE, {**_OF_CHOICE, "number": "mcq_id"}, ["number"], (*_CHOICE_KEYS, "mcq_id"))
BINARY = _folder(
    "binary", "binary" + _CHOICE, {**_OF_CHOICE, "number": "binary_id"}, ["number"], (*_CHOICE_KEYS, "binary_id")
)
STRATEGIES = _folder(
    "strategies",
    r"strategies_s(?P<scenario>[0-9]{1,9})_c(?P<category>[0-9]{1,9})\.json",
    _OF_SCENARIO,
    ["scenario"],
    ("scenario_id", "category_id", "persona", "paper", "strategies"),
)
FOLDERS = (DIALOGUE, FULL, RUBRIC, MCQ, BINARY, STRATEGIES)
PUBLISHED = (DIALOGUE, FULL, RUBRIC, MCQ)
"""The folders that a release has; the other two are ours."""

Key = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file that can be read and says what its name says.

    Parameters
    ----------
    name : str
        With its folder.
    named : mapping
        What its name says: numbers as int, ``horizon`` and ``horizons`` as text.
    ids : mapping
        What its body says.
    body : mapping
    """

    name: str
    named: Mapping[str, Any]
    ids: Mapping[str, Any]
    body: Mapping[str, Any]

    @property
    def agrees(self) -> bool:
        """Whether name and body say the same."""
        return all(self.named[part] == value for part, value in self.ids.items())


@dataclass(frozen=True)
class Read:
    """A folder that was read.

    Parameters
    ----------
    files : mapping of key to ReleasedFile
        In the order of names.
    left_out : mapping of key to int
        Of a file that cannot be used, where its finding stands.
    there : bool
        The folder exists.
    """

    files: Mapping[Key, ReleasedFile]
    left_out: dict[Key, int]
    there: bool


def release_folder(path: Path) -> Path:
    """Find out whether a folder is a release.

    Parameters
    ----------
    path : Path

    Raises
    ------
    UserError
        It is no folder, or holds none of the layout's.
    """
    names = ", ".join(folder.name for folder in PUBLISHED)
    if not path.exists():
        raise UserError(f"{path}: there is no such folder; expected a release with {names}, or starter")
    if not path.is_dir():
        raise UserError(f"{path}: is no folder; expected a release with {names}, or starter")
    if not _is_release(path):
        inside = next((one for one in sorted(path.iterdir()) if one.is_dir() and _is_release(one)), None)
        hint = f"; {inside} is one" if inside else ""
        raise UserError(f"{path}: is no release: found none of the folders {names}{hint}")
    return path


def _is_release(path: Path) -> bool:
    return any((path / folder.name).is_dir() for folder in FOLDERS)


def read_folder(root: Path, folder: Folder, found: list[Irregularity]) -> Read:
    """Read all files of a folder.

    Parameters
    ----------
    root : Path
    folder : Folder
    found : list of Irregularity
        Findings are put behind it.
    """
    place = root / folder.name
    if not place.is_dir():
        return Read({}, {}, False)
    read: list[ReleasedFile] = []
    left_out: dict[Key, int] = {}
    for name in sorted(one.name for one in os.scandir(place)):
        if name.startswith((".", "__")):
            continue
        full = f"{folder.name}/{name}"
        match = folder.pattern.fullmatch(name)
        if match is None:
            found.append(Irregularity("name", full, f"expected a name such as {_example(folder)}"))
            continue
        named = {part: int(text) if _DIGITS.fullmatch(text) else text for part, text in match.groupdict().items()}
        try:
            body = _body(f"{place}{os.sep}{name}", full, found)
            ids = {part: _id(part, field, body.get(field)) for part, field in folder.fields.items()}
        except UnfitError as problem:
            left_out.setdefault(_key(folder, named), len(found))
            found.append(Irregularity(problem.kind, full, problem.said))
            continue
        read.append(ReleasedFile(full, named, ids, body))
    files: dict[Key, ReleasedFile] = {}
    for file in read:
        key = _key(folder, file.ids)
        # An id inside that is not the name's is the fault, whichever other file has that id by right.
        if not file.agrees:
            differ = [
                f"{part} {file.named[part]} in the name, {shorten(str(value), 30)} inside"
                for part, value in file.ids.items()
                if file.named[part] != value
            ]
            left_out.setdefault(_key(folder, file.named), len(found))
            found.append(Irregularity("disagrees", file.name, "; ".join(differ)))
        elif key in files:
            what = " ".join(str(part) for part in key)
            found.append(Irregularity("duplicate", file.name, f"{what} is in {files[key].name} already"))
        else:
            files[key] = file
            extra = [shorten(str(one), 30) for one in file.body if one not in folder.keys]
            if extra:
                found.append(Irregularity("extra_keys", file.name, f"not of the layout: {', '.join(extra)}"))
    # A stray file whose name has a sound file's ids takes nothing from it.
    left_out = {key: position for key, position in left_out.items() if key not in files}
    return Read(dict(sorted(files.items(), key=lambda one: one[1].name)), left_out, True)


def _key(folder: Folder, ids: Mapping[str, Any]) -> Key:
    return tuple(ids[part] for part in folder.key)


def _example(folder: Folder) -> str:
    return {
        "rubric": "rubric_c001_immediate.json",
        "mcq": "mcq_0001_immediate_c001_s001.json",
        "binary": "binary_0001_immediate_c001_s001.json",
        "strategies": "strategies_s001_c001.json",
    }.get(folder.name, "scenario_001_c001_bt.json")


def _body(path: str, full: str, found: list[Irregularity]) -> dict[str, Any]:
    try:
        raw = read_regular(path, LARGEST + 1)
    except OSError as problem:
        raise UnfitError("unreadable", f"cannot be opened ({problem.strerror})") from None
    if len(raw) > LARGEST:
        raise UnfitError("unreadable", f"more than {LARGEST:,} bytes")
    if not raw.strip():
        raise UnfitError("unreadable", "an empty file")
    if raw.startswith(_POINTER):
        raise UnfitError("unreadable", "a Git LFS pointer in the file's place: `git lfs pull` fetches the file")
    if raw.startswith(codecs.BOM_UTF8):
        raw = raw[len(codecs.BOM_UTF8) :]
        found.append(Irregularity("byte_order_mark", full, "a byte order mark at the start"))
    try:
        body = json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
        if b"\\ud" in raw or b"\\uD" in raw:
            json.dumps(body, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as problem:
        raise UnfitError("unreadable", f"byte {problem.start} is no UTF-8") from None
    except UnicodeEncodeError:
        raise UnfitError("unreadable", "half of a surrogate pair, which is no character") from None
    except json.JSONDecodeError as problem:
        cut = "" if raw.rstrip().endswith(b"}") else "cut off: "
        raise UnfitError("unreadable", f"no JSON ({cut}line {problem.lineno}, {problem.msg})") from None
    except (ValueError, RecursionError):
        raise UnfitError("unreadable", "no JSON that can be read (a huge number, or nested too deep)") from None
    if not isinstance(body, dict):
        raise UnfitError("unreadable", f"found a JSON {type(body).__name__}, expected an object")
    return body


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its keys and values, each key once: nobody knows which of two was meant."""
    held = dict(pairs)
    if len(held) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key in held if counts[key] > 1)
        raise UnfitError("key_twice", f"the key {shorten(repr(twice), 40)} is there twice in one object")
    return held


def _id(part: str, field: str, value: Any) -> int | str:
    if part == "horizon":
        return as_horizon(value, field)
    return as_id(value, field)


def as_id(value: Any, field: str) -> int:
    """Normalise an id: 7, "007" and "7" are one.

    Parameters
    ----------
    value : object
    field : str
        For the message.

    Raises
    ------
    UnfitError
        It is no whole number from 0 on.

    Examples
    --------
    >>> as_id("007", "scenario_id"), as_id(7, "scenario_id")
    (7, 7)
    """
    if type(value) is int and 0 <= value < 10**9:
        return value
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        return int(value)
    raise UnfitError("fields", f"{field}: found {shorten(repr(value), 40)}, expected a whole number")


def as_horizon(value: Any, field: str) -> str:
    """Normalise a horizon: "long-term" and "Long term" are "long_term".

    Parameters
    ----------
    value : object
    field : str
        For the message.

    Raises
    ------
    UnfitError
        It is no text. What the text may be is checked where an item is made.
    """
    if not isinstance(value, str):
        raise UnfitError("fields", f"{field}: found {shorten(repr(value), 40)}, expected immediate or long_term")
    return re.sub(r"[\s-]+", "_", value.strip().casefold())
