"""Sealing: hashes of all that was collected, so that later changes show."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tutorscope.errors import UserError
from tutorscope.runs.folder import RunFolder

APPEND_ONLY = (".jsonl",)


@dataclass(frozen=True)
class SealState:
    """What a seal finds.

    Parameters
    ----------
    sealed : str or None
        When the run was last sealed.
    changed : sequence of str
        Files that are not what they were: other bytes under the seal, or gone.
    grown : sequence of str
        Files that were added or appended to since.
    """

    sealed: str | None
    changed: Sequence[str]
    grown: Sequence[str]


def seal(folder: RunFolder, passes: Sequence[str]) -> SealState:
    """Seal a run as it stands.

    Growth since an earlier seal is sealed anew beside it, and marked. The caller holds the lock.

    Parameters
    ----------
    folder : RunFolder
    passes : sequence of str
        The cells that are in it, for the record.

    Raises
    ------
    UserError
        Something that was sealed has changed.
    """
    state = check_seal(folder)
    if state.changed:
        raise UserError(
            f"{folder.path}: {state.changed[0]} is not what was sealed on {state.sealed}; it cannot be sealed again"
        )
    seals = _seals(folder)
    seals.append(
        {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "cells": sorted(passes),
            "grown": list(state.grown) if seals else [],
            "files": {p.relative_to(folder.path).as_posix(): [p.stat().st_size, _sha(p)] for p in _files(folder)},
        }
    )
    part = folder.seal.with_suffix(".part")
    part.write_text(json.dumps({"seals": seals}, indent=1) + "\n", "utf-8")
    part.replace(folder.seal)
    return check_seal(folder)


def check_seal(folder: RunFolder) -> SealState:
    """Compare a run with its last seal."""
    seals = _seals(folder)
    if not seals:
        return SealState(None, (), ())
    last = seals[-1]
    changed: list[str] = []
    grown: list[str] = []
    for name, (size, sha) in last["files"].items():
        path = folder.path / name
        if not path.is_file() or path.stat().st_size < size:
            changed.append(name)
        elif path.stat().st_size > size and path.suffix in APPEND_ONLY:
            (grown if _sha(path, size) == sha else changed).append(name)
        elif _sha(path) != sha:
            changed.append(name)
    grown += [n for p in _files(folder) if (n := p.relative_to(folder.path).as_posix()) not in last["files"]]
    return SealState(last["time"], changed, grown)


def _seals(folder: RunFolder) -> list[dict[str, Any]]:
    if not folder.seal.exists():
        return []
    try:
        seals = list(json.loads(folder.seal.read_text("utf-8"))["seals"])
        for one in seals:
            one["time"], dict(one["files"])
        return seals
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{folder.seal}: not a seal; expected what `tutorscope runs seal` writes") from None


def _files(folder: RunFolder) -> list[Path]:
    roots = [folder.inputs, folder.calls, folder.logs]
    found = [p for root in roots if root.is_dir() for p in root.rglob("*") if p.is_file()]
    return sorted([folder.plan, *found] if folder.plan.exists() else found)


def _sha(path: Path, size: int | None = None) -> str:
    digest = hashlib.sha256()
    left = path.stat().st_size if size is None else size
    with path.open("rb") as data:
        while left > 0 and (block := data.read(min(left, 1 << 20))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest()
