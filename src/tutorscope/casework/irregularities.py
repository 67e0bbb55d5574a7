"""What was found wrong or odd in a release: few kinds, each with its name, and whether it costs an item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tutorscope.errors import UserError

LEFT_OUT: Mapping[str, str] = {
    "unreadable": "no file with a JSON object in UTF-8 (empty, cut off, another encoding, too large, a pipe)",
    "key_twice": "an object that has a key twice",
    "name": "a name that is not of the layout",
    "fields": "a needed field is missing or of the wrong kind",
    "disagrees": "ids of a file differ from its name's or from its scenario's",
    "duplicate": "the ids of an earlier file, in the name and inside",
    "turns": "a dialogue with no turns, an empty turn, or speakers out of order",
    "criteria": "a rubric without criteria, with an empty check, or with an id twice",
    "options": "not the options A to D (binary: A and B), an empty one, or one twice",
    "answer": "a correct answer that is no option's letter",
    "prompt": "a prompt number that is none: the question is not asked",
    "no_rubric": "no rubric for the scenarios of a category and horizon, or for any",
    "no_scenario": "strategies of a scenario that is not there",
}
"""The kinds that make a file or its questions unusable, with what they mean."""

KEPT: Mapping[str, str] = {
    "missing": "a folder or the index is not there, or is something else",
    "from_choices": "a scenario known from a choice's copy alone",
    "copies": "two places that say the same thing differ",
    "titles": "a category with several titles",
    "criterion_ids": "criterion ids that do not run from 1",
    "criteria_alike": "two criteria of a rubric whose checks differ in nothing, or in case alone",
    "options_alike": "two options that differ in case, white space or the last full stop alone",
    "challenge_type": "a challenge type beyond the five, or another one than the scenario's",
    "turn_count": "neither 4, 6 nor 8 turns",
    "flag": "the challenging turn is not marked on the last turn alone",
    "extra_keys": "keys that the layout does not have",
    "white_space": "messages that begin or end in white space",
    "action_only": "a last turn that is an action without speech",
    "empty": "empty texts or lists in the context, or no description of the student",
    "residue": "ligatures, arrows, other scripts, bracketed marks, control codes",
    "byte_order_mark": "a byte order mark",
    "index": "an index that is no UTF-8, or lists other scenarios",
}
"""The kinds that are only said: what they are about is loaded."""


@dataclass(frozen=True, slots=True)
class Irregularity:
    """One finding.

    Parameters
    ----------
    kind : str
        One of ``LEFT_OUT`` or ``KEPT``.
    file : str
        Relative to the release's folder, with forward slashes.
    said : str
        What was found there, on one line.
    questions : tuple of str
        The questions that had to be left out with it, beside the file itself.
    """

    kind: str
    file: str
    said: str
    questions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in LEFT_OUT and self.kind not in KEPT:
            raise ValueError(f"no kind of irregularity is named {self.kind!r}")

    @property
    def left_out(self) -> bool:
        """Whether it cost something that the release has."""
        return self.kind in LEFT_OUT

    @property
    def lost(self) -> int:
        """How many questions had to be left out with it, beside the file itself."""
        return len(self.questions)


class UnfitError(UserError):
    """Something that cannot be an item, with the kind of what is wrong.

    Parameters
    ----------
    kind : str
        One of ``LEFT_OUT``.
    said : str
        What was found and what was expected.
    """

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(said)
        self.kind = kind
        self.said = said


def by_kind(found: Iterable[Irregularity]) -> dict[str, list[Irregularity]]:
    """Sort findings under their kinds: what was left out first, in the order of ``LEFT_OUT`` and ``KEPT``.

    Parameters
    ----------
    found : iterable of Irregularity
    """
    listed = list(found)
    counts = Counter(one.kind for one in listed)
    return {kind: [one for one in listed if one.kind == kind] for kind in (*LEFT_OUT, *KEPT) if counts[kind]}
