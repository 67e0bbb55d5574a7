"""Why units erred, in few lines: reasons that differ only in what they quote or count are one kind."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tutorscope.texts.words import counted

MOST = 5

_OWN_WORDS = re.compile(r"'[^']*'|\"[^\"]*\"|\d{4,}")


def reason_lines(reasons: Mapping[str, int], most: int = MOST) -> list[str]:
    """Say reasons with their counts, the most frequent first.

    Parameters
    ----------
    reasons : mapping
        Reason to how many units erred for it.
    most : int
        The most lines for kinds of reasons; what is beyond them is counted in one more.

    Returns
    -------
    list of str
        A line a kind, which gives its first reason.

    Examples
    --------
    >>> reason_lines({"KeyError: 'a'": 1, "no reply": 2, "KeyError: 'b'": 2})
    ["3 x KeyError: 'a' (and 1 reason like it)", '2 x no reply']
    """
    kinds: dict[str, dict[str, int]] = {}
    for reason, n in reasons.items():
        # Numbers of three digits stay: they are a server's answers, which differ in more than words.
        kinds.setdefault(_OWN_WORDS.sub("_", reason), {})[reason] = n
    ordered = sorted(kinds.values(), key=lambda kind: -sum(kind.values()))
    lines = []
    for kind in ordered[:most]:
        others = len(kind) - 1
        like = f" (and {counted(others, 'reason')} like it)" if others else ""
        lines.append(f"{sum(kind.values())} x {next(iter(kind))}{like}")
    if rest := ordered[most:]:
        lines.append(f"{sum(sum(kind.values()) for kind in rest)} x {counted(len(rest), 'other kind')} of reason")
    return lines
