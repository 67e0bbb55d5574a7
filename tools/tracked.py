"""The text files that git tracks: what the checks of this folder read."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def tracked_texts(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Give path, relative to the repository, and text of each tracked file that is UTF-8."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode()
    for name in sorted(filter(None, listed.split("\0"))):
        path = root / name
        if not path.is_file():
            continue
        try:
            yield name, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
