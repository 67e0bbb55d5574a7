"""Warnings about who judges whom."""

from __future__ import annotations

from collections.abc import Iterable

from tutorscope.models.speakers import Speaker


def family_warnings(speakers: Iterable[Speaker]) -> list[str]:
    """Warn where a judge and a tutor come from one family: judges favour their own kin's replies.

    Parameters
    ----------
    speakers : iterable of Speaker

    Returns
    -------
    list of str
        One line a pair.
    """
    known = {(s.role, s.name): s for s in speakers}.values()
    judges = [s for s in known if s.role == "judge" and s.family]
    tutors = [s for s in known if s.role in ("tutor", "policy") and s.family]
    return [
        f"judge {judge.name!r} and tutor {tutor.name!r} are of one family ({judge.family}): its ratings may favour it"
        for judge in judges
        for tutor in tutors
        if judge.family == tutor.family
    ]
