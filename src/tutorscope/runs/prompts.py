"""The user's own templates in a run: whole sets, kept by their hash, so that a half-written one never counts."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path

from tutorscope.runs.folder import RunFolder

SETS = "prompts"


def overlaid(own: Path | None, given: Path | None) -> Path | None:
    """Put the templates given now over those that the run has.

    Parameters
    ----------
    own : Path or None
        The set that the plan names.
    given : Path or None
        The folder of --prompts.

    Returns
    -------
    Path or None
        A folder that holds both (a temporary one where they must be put together), or None if there is none.
    """
    if given is None or own is None:
        return given or own
    both = Path(tempfile.mkdtemp(prefix="tutorscope-prompts-"))
    atexit.register(shutil.rmtree, both, ignore_errors=True)
    for folder in (own, given):
        for template in sorted(folder.glob("*.md")):
            shutil.copyfile(template, both / template.name)
    return both


def keep(folder: RunFolder, prompts: Path | None) -> str | None:
    """Copy a set into the run and give its name for the plan."""
    if prompts is None:
        return None
    files = sorted(prompts.glob("*.md"))
    digest = hashlib.sha256()
    for template in files:
        digest.update(template.name.encode() + b"\0" + template.read_bytes() + b"\0")
    name = digest.hexdigest()[:16]
    place = folder.inputs / SETS / name
    place.mkdir(parents=True, exist_ok=True)
    for template in files:
        if template.parent != place:
            shutil.copyfile(template, place / template.name)
    return name


def kept(folder: RunFolder, name: str | None) -> Path | None:
    """Find a set that the plan names."""
    return folder.inputs / SETS / name if name else None
