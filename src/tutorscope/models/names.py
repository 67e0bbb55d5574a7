"""The names that users give to who plays a role: ``NAME=SPEC``, and the option that belongs to one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tutorscope.errors import UserError
from tutorscope.models.clients import PROVIDERS
from tutorscope.models.credentials import well_formed_header
from tutorscope.models.settings import SETTINGS

LONGEST = 60
RULE = f"a name has at most {LONGEST} letters, digits and . _ + - and begins with a letter or digit"

_NAME = re.compile(rf"[^\W_][\w.+\-]{{0,{LONGEST - 1}}}")
_BEGINS_A_SPEC = ("http://", "https://", "embedded", "scripted:")
_SHOWN = {"-header": "a header", "-setting": "a setting", "-system": "a system prompt"}


def check_name(option: str, name: str) -> None:
    """Refuse what cannot be a name: it stands in files, tables, options and figures.

    Raises
    ------
    UserError
        Says what a name may have.
    """
    if not _NAME.fullmatch(name):
        shown = repr(name) if len(name) <= LONGEST else f"{name[:20]!r}... ({len(name)} characters)"
        raise UserError(f"{option}: {shown} cannot be a name; {RULE}")


def split_name(option: str, text: str) -> tuple[str, str]:
    """Read ``[NAME=]SPEC``.

    Parameters
    ----------
    option : str
        The option's name, for the message.
    text : str
        What the user gave.

    Returns
    -------
    name : str
        "" where none was given.
    spec : str

    Raises
    ------
    UserError
        What stands ahead of the ``=`` cannot be a name, and begins no spec either.

    Examples
    --------
    >>> split_name("--tutor", "mine=ollama/llama3")
    ('mine', 'ollama/llama3')
    >>> split_name("--tutor", "ollama/llama3")
    ('', 'ollama/llama3')
    """
    name, equals, spec = text.partition("=")
    provider, slash, _ = name.partition("/")
    if not equals or name.startswith(_BEGINS_A_SPEC) or (slash and provider in PROVIDERS) or _is_file(text):
        return "", text
    check_name(option, name)
    return name, spec


def owner(option: str, text: str, names: Sequence[str]) -> tuple[str, str]:
    """Split off whose header (``[NAME:]``), setting (``[NAME:]``) or system prompt (``[NAME=]``) it is.

    A value without a name belongs to the only speaker.

    Parameters
    ----------
    option : str
        Such as ``--tutor-header``.
    text : str
        What the user gave. Where it may hold a secret it is not repeated.
    names : sequence of str
        The speakers that there are.

    Returns
    -------
    name : str
    rest : str
        What belongs to it.

    Raises
    ------
    UserError
        Nobody to own it, a name that nobody has, or several speakers and no name.
    """
    role, ending = re.fullmatch(r"--(.*)(-\w+)", option).groups()  # type: ignore[union-attr]
    mark = "=" if ending == "-system" else ":"
    if not names:
        raise UserError(f"{option}: {_SHOWN[ending]} is given but no speaker; expected --{role} SPEC")
    for name in sorted(names, key=len, reverse=True):
        if text.startswith(name + mark):
            return name, text[len(name) + len(mark) :]
    if unknown := _name_in(ending, text):
        raise UserError(f"{option}: no {role} {unknown!r}; there are: {', '.join(names)}")
    if len(names) == 1:
        return names[0], text
    raise UserError(
        f"{option}: {_SHOWN[ending]} without a name; expected NAME{mark}... with NAME one of {', '.join(names)}"
    )


def _name_in(ending: str, text: str) -> str:
    """Find the name in a value that is whole but for that: "" if there is none, or if it may be a secret."""
    if ending == "-system":
        name, equals, _ = text.partition("=")
        return name if equals and _NAME.fullmatch(name) and not _is_file(text) else ""
    before, _, value = text.partition("=")
    name, _, key = before.rpartition(":")
    whole = key.strip() in SETTINGS if ending == "-setting" else well_formed_header(f"{key}={value}")
    return name if whole and name.isprintable() else ""


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:
        return False
