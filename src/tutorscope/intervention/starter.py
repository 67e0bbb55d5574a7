"""The sets of problems that the package ships, one a domain, written for it (the paper's domains: section 4.1)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

_MATERIAL = "tutorscope.intervention.material"


@contextmanager
def starter_file(domain: str) -> Iterator[Path]:
    """Give the file of a domain's starter set: JSON lines, read like anybody's file.

    Its first two problems are the short ones that the demo uses, so ``limit=2`` takes them.

    Parameters
    ----------
    domain : {"math", "code", "teasers"}
    """
    with as_file(files(_MATERIAL) / f"{domain}.jsonl") as path:
        yield path


def demo_ids(domain: str) -> tuple[str, ...]:
    """Give the ids of the problems that the demo uses.

    Parameters
    ----------
    domain : {"math", "code", "teasers"}
    """
    lines = (files(_MATERIAL) / f"{domain}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(record["id"] for record in map(json.loads, lines) if record.get("demo"))
