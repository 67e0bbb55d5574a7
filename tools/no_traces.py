"""No tracked file names a path of one machine or the host of a package registry."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from tracked import tracked_texts

# Written so that this file does not match itself. A path counts only where it starts: docs/work/ is none.
TRACES = {
    "a path of one machine": re.compile(r"(?<![\w./*-])/(?:work|root|tmp/lab|home/[a-z]\w*)/(?=[\w.])"),
    "the host of a registry": re.compile(
        r"\b(?:pypi|pythonhosted|npmjs|crates|conda|anaconda)[.](?:org|io)\b|\b(?:deb|security)[.]debian[.]org\b"
        r"|\bproxy[.]golang[.]org\b|\barchive[.]ubuntu[.]com\b"
    ),
}


def traces(text: str) -> Iterator[tuple[int, str, str]]:
    """Give line number, kind and wording of each trace in a text."""
    for number, line in enumerate(text.splitlines(), 1):
        for kind, pattern in TRACES.items():
            for match in pattern.finditer(line):
                yield number, kind, match.group()


def main() -> int:
    """Check every tracked text file."""
    count = 0
    for name, text in tracked_texts():
        for line, kind, found in traces(text):
            print(f"{name}:{line}: {kind}: {found}")
            count += 1
    print(f"no traces: {count or 'no'} local paths and registry hosts")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
