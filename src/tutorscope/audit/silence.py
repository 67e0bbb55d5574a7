"""What a session's talk is missing: turns without a word, replies that were asked for again, notes nobody can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.audit.student import TUTOR

COLUMNS = {
    **{"student": "string", "base": "string", "policy": "string", "what": "string", "why": "string"},
    **{"n": "int64", "of": "int64"},
}


def silent_rows(sessions: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]) -> pd.DataFrame:
    """Count, by policy, what came without a word or could not be used.

    Parameters
    ----------
    sessions : sequence of (who, lines)

    Returns
    -------
    DataFrame
        ``what`` (a tutor's turn, a student's reply, a policy's notes), ``why`` (the last reason of a turn without a
        word; "asked again, then used"; the reason of notes), ``n`` of them, ``of`` all such lines.
    """
    counts: Counter[tuple[str, str, str, str, str]] = Counter()
    totals: Counter[tuple[str, str, str, str]] = Counter()
    for who, lines in sessions:
        name = (who["student"], who["base"], who["policy"])
        for line in lines:
            for what, why in _seen(line):
                totals[*name, what] += 1
                if why:
                    counts[*name, what, why] += 1
    rows = [[*key, n, totals[key[:4]]] for key, n in sorted(counts.items())]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _seen(line: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what a line is and why it is missing, "" if it is there."""
    if "draw" not in line:
        return
    reasons = line.get("reasons", ())
    why = "asked again, then used" if reasons else ""
    if not line["text"].strip():
        why = f"no word: {reasons[-1] if reasons else 'empty'}"
    yield ("tutor turn" if line["speaker"] == TUTOR else "student reply"), why
    notes = line.get("notes") or {}
    if "unread" in notes:
        yield "private notes", f"unread: {notes['unread']}" if notes["unread"] else ""
