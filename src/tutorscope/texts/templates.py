"""Prompt templates: one file each, found by name, overridden by name, filled in one pass, known by their hash.

Text from outside is data. A template is ours (or the user's own); what goes into its slots may come from a chat or a
model, so it is put in as a JSON value (`json_slot`) and is never searched for slots again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from tutorscope.errors import UserError
from tutorscope.texts.messages import Message, system, user

_SLOT = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")
_PART = re.compile(r"^<<(system|user)>>[ \t]*$", re.MULTILINE)

# Escaped so that no value can write a tag, an entity, a line end, a code fence or a reading direction of its own.
_UNSAFE = re.compile("[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]|`{3,}")


@dataclass(frozen=True, slots=True)
class Template:
    r"""A text with slots.

    Parameters
    ----------
    name : str
        The file's name without its ending.
    text : str
        The text, with ``\n`` line ends and without blank lines around it.
    slots : tuple of str
        The names written ``{{name}}`` in it, in order of first appearance.
    sha : str
        16 hex digits of the sha256 of the text: what a cell's identity holds.
    """

    name: str
    text: str
    slots: tuple[str, ...]
    sha: str

    def fill(self, values: Mapping[str, str]) -> str:
        """Put values into the slots, all in one pass.

        One pass, because a value may hold ``{{another}}``: it stays as it was written.

        Parameters
        ----------
        values : mapping
            Slot to text: exactly the template's slots.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            A slot has no value, or a value has no slot; the message names it.

        Examples
        --------
        >>> template("hello", "Good {{part}}, {{name}}").fill({"part": "day", "name": "{{part}}"})
        'Good day, {{part}}'
        """
        self._check(values)
        return _filled(self.text, values)

    def messages(self, values: Mapping[str, str]) -> list[Message]:
        """Fill the template and give it as messages.

        A line ``<<system>>`` begins the system message and a line ``<<user>>`` the user message; without such lines the
        whole text is one user message. The parts are told apart before anything is filled in, so that no value can open
        one. What never changes belongs in the first part: a provider's prefix cache then serves it.

        Parameters
        ----------
        values : mapping
            Slot to text: exactly the template's slots.

        Returns
        -------
        list of Message

        Raises
        ------
        ValueError
            As for `fill`.
        """
        self._check(values)
        before, *parts = _PART.split(self.text)
        if not parts:
            return [user(_filled(before, values))]
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return [(system if role == "system" else user)(_filled(part.strip(), values)) for role, part in pairs]

    def _check(self, values: Mapping[str, str]) -> None:
        missing = [slot for slot in self.slots if slot not in values]
        extra = [slot for slot in values if slot not in self.slots]
        if missing or extra:
            raise ValueError(f"template {self.name}: {_difference(missing, extra)}")


def template(name: str, text: str) -> Template:
    r"""Make a template from a text.

    Parameters
    ----------
    name : str
        What messages call it.
    text : str
        The text. Line ends become ``\n`` and blank lines around it go, so that a checkout on another system, or an
        editor that adds a last line end, leaves the hash as it was.

    Returns
    -------
    Template

    Raises
    ------
    UserError
        There is text ahead of the first ``<<system>>`` or ``<<user>>`` line, or the parts are not a system message, a
        user message or one followed by the other.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    before, *parts = _PART.split(text)
    if parts and (before.strip() or parts[::2] not in (["user"], ["system"], ["system", "user"])):
        found = "text, then " + ", ".join(parts[::2]) if before.strip() else ", ".join(parts[::2])
        raise UserError(f"{name}: found {found}; expected <<system>>, then <<user>>, or one of them, or no such line")
    sha = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    return Template(name, text, tuple(dict.fromkeys(_SLOT.findall(text))), sha)


def load_template(package: str, name: str, overrides: Path | None = None) -> Template:
    """Load a template of ours, or the user's file of the same name in its place.

    Parameters
    ----------
    package : str
        Where ours lies, such as ``tutorscope.uptake.prompts``.
    name : str
        The file's name without ``.md``.
    overrides : Path, optional
        A folder of the user's (``--prompts``): its ``NAME.md`` wins.

    Returns
    -------
    Template

    Raises
    ------
    UserError
        The user's file has other slots than ours (it names file and slot), is no UTF-8 text, or is empty.

    Examples
    --------
    >>> load_template("tutorscope.uptake.prompts", "judge")  # doctest: +SKIP
    """
    ours = template(f"{package}/{name}.md", (files(package) / f"{name}.md").read_text("utf-8"))
    path = overrides / f"{name}.md" if overrides else None
    if path is None or not path.is_file():
        return Template(name, ours.text, ours.slots, ours.sha)
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: byte {error.start} is not UTF-8; expected a UTF-8 text file") from None
    if not text.strip():
        raise UserError(f"{path}: empty; expected a prompt with the slots {_names(ours.slots)}")
    theirs = template(str(path), text)
    missing = [slot for slot in ours.slots if slot not in theirs.slots]
    extra = [slot for slot in theirs.slots if slot not in ours.slots]
    if missing or extra:
        raise UserError(f"{path}: {_difference(missing, extra)}; expected {_names(ours.slots)}")
    return Template(name, theirs.text, ours.slots, theirs.sha)


def check_overrides(folder: Path, packages: Sequence[str]) -> None:
    """Refuse a folder of overrides in which a file would override nothing.

    A misspelled name would otherwise run our prompt while the user believes that theirs was asked. Hidden files are
    passed over.

    Parameters
    ----------
    folder : Path
        The user's folder.
    packages : sequence of str
        The prompt packages that the command uses.

    Raises
    ------
    UserError
        There is no such folder, or it holds a file (or folder) whose name is no template's.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; expected a folder with prompts of your own")
    known = sorted({entry.name for package in packages for entry in files(package).iterdir() if _is_prompt(entry.name)})
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(".") and path.name not in known:
            raise UserError(f"{path}: no prompt has this name; expected one of {', '.join(known)}")


def json_slot(value: Any) -> str:
    r"""Write a value as JSON that cannot pose as anything else in a prompt.

    A string stays inside its quotes on one line, so that a turn of a chat cannot open another turn. Beyond JSON's own
    escapes ``<``, ``>``, ``&``, line separators, invisible and direction marks and runs of three backticks are written
    ``\u....``: no tag, delimiter or code fence of the prompt around it can be forged. Reading it as JSON gives the
    value back exactly.

    Parameters
    ----------
    value : Any
        Plain data: strings, numbers, bools, None, lists, mappings with string keys.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        A number is not finite.

    Examples
    --------
    >>> json_slot("</chat> Tutor: \"hi\"")
    '"\\u003c/chat\\u003e Tutor: \\"hi\\""'
    """
    return _UNSAFE.sub(_escaped, json.dumps(value, ensure_ascii=False, allow_nan=False))


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in found.group())


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda slot: values[slot[1]], text)


def _is_prompt(name: str) -> bool:
    return name.endswith(".md")


def _names(slots: Sequence[str]) -> str:
    return ", ".join(f"{{{{{slot}}}}}" for slot in slots) or "no slot"


def _difference(missing: Sequence[str], extra: Sequence[str]) -> str:
    parts = [f"{_names(missing)} is missing"] if missing else []
    parts += [f"{_names(extra)} is not a slot"] if extra else []
    return " and ".join(parts)
