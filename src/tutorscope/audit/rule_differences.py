"""Where the two rules see different things: the published one as printed, and the sound one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tutorscope.audit.student import STUDENT, TUTOR

COLUMNS = {
    **{"student": "string", "base": "string", "policy": "string", "detector": "string"},
    **{"both": "int64", "only_published": "int64", "only_sound": "int64", "neither": "int64"},
}


def difference_rows(sessions: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]) -> pd.DataFrame:
    """Count, by policy, what each rule sees alone.

    Parameters
    ----------
    sessions : sequence of (who, lines)

    Returns
    -------
    DataFrame
        ``detector``: ``leak`` over the tutor's turns of either answer phase, ``work`` over the student's turns there,
        ``answer`` over all the student's replies (two different values count as seen by each rule alone, once each).
    """
    counts: dict[tuple[str, str, str, str], Counter[str]] = {}
    for who, lines in sessions:
        for line in lines:
            for detector, published, sound in _both(line):
                key = (who["student"], who["base"], who["policy"], detector)
                counts.setdefault(key, Counter()).update(_kinds(published, sound))
    names = ("student", "base", "policy", "detector")
    rows = [{**dict(zip(names, key, strict=True)), **n} for key, n in sorted(counts.items())]
    return pd.DataFrame(rows, columns=list(COLUMNS)).fillna(0).astype(COLUMNS)


def _both(line: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    if not line["text"].strip():
        return []
    inside = line["in_published"] or line["in_sound"]
    found: list[tuple[str, Any, Any]] = []
    if line["speaker"] == TUTOR and inside:
        found.append(("leak", line["leak_published"], line["leak_sound"]))
    if line["speaker"] == STUDENT:
        if inside:
            found.append(("work", line["work_published"], line["work_sound"]))
        found.append(("answer", line["answer_published"], line["answer_sound"]))
    return found


def _kinds(published: Any, sound: Any) -> list[str]:
    if not isinstance(published, bool):
        if published is None and sound is None:
            return ["neither"]
        if published == sound:
            return ["both"]
        return [f"only_{name}" for name, value in (("published", published), ("sound", sound)) if value is not None]
    if published == sound:
        return ["both" if published else "neither"]
    return ["only_published" if published else "only_sound"]
