"""What a user must type so that somebody whom only a plan names may play again."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tutorscope.texts.words import joined

if TYPE_CHECKING:
    from tutorscope.models.speakers import Speaker

_SAFE = re.compile(r"[\w.:/=,+-][\w.:/=,+#-]*", re.ASCII)

FILE = "FILE"
"""Stands for a system prompt's file: a plan keeps the text, not where it came from."""


def options_again(speaker: Speaker) -> list[str]:
    """Give the words of a command line that name a speaker as the plan has it.

    Returns
    -------
    list of str
        Options and their values, not quoted for a shell. No secret: headers name variables.
    """
    from tutorscope.models.speakers import default_name

    role, name = speaker.role, speaker.name
    # What nobody named goes by its spec, and cannot be written as NAME=SPEC.
    own = speaker.spec if name == default_name(speaker.spec) else f"{name}={speaker.spec}"
    words = [f"--{role}", own]
    for header, variable in speaker.headers:
        words += [f"--{role}-header", f"{name}:{header}=env:{variable}"]
    for key, value in speaker.settings.items():
        words += [f"--{role}-setting", f"{name}:{key}={value if isinstance(value, str) else json.dumps(value)}"]
    if speaker.system is not None:
        words += [f"--{role}-system", f"{name}={FILE}"]
    return words


def command_again(speakers: Sequence[Speaker]) -> str:
    """Give the words that name some speakers, quoted for a shell."""
    words = [word for speaker in speakers for word in options_again(speaker)]
    # NAME=SPEC is safe as it stands, and easier to read so.
    return " ".join(word if _SAFE.fullmatch(word) else shlex.quote(word) for word in words)


def must_be_named(speakers: Sequence[Speaker]) -> str:
    """Say in one line that speakers run code or send secrets, and what names them again.

    Parameters
    ----------
    speakers : sequence of Speaker
        At least one, each with code or headers.
    """
    who = {
        what: [f"{one.role} {one.name!r}" for one in speakers if bool(one.headers) is secret]
        for what, secret in (("run code", False), ("send secrets", True))
    }
    # "runs" for one, "run" for several.
    said = [
        f"{joined(names)} {what if len(names) > 1 else what.replace(' ', 's ', 1)}"
        for what, names in who.items()
        if names
    ]
    modules = dict.fromkeys(one.spec.removeprefix("scripted:").partition(":")[0] for one in speakers if not one.headers)
    where = f", where {joined(list(modules))} can be imported" if modules else ""
    file = f"; {FILE} holds the system prompt" if any(one.system is not None for one in speakers) else ""
    return (
        f"{' and '.join(said)}, and a run folder alone never starts that; expected "
        f"{'it' if len(speakers) == 1 else 'them'} named again: {command_again(speakers)}{where}{file}"
    )
