"""What casework asks and what it holds replies against: scenarios, rubrics, open questions and choices.

The words are the paper's (sections 3.2 and 3.3). A category is a kind of student in one source; a scenario is one
moment of such a student, which ends in the challenging turn; a rubric belongs to a category and a horizon. Everything
is validated when it is made, and everything has an id: titles and positions identify nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from itertools import cycle
from typing import Any

from tutorscope.casework.irregularities import UnfitError
from tutorscope.casework.terms import HORIZONS, LETTERS

CHALLENGES: Mapping[str, str] = {
    "emotional_distress": "Emotional Distress",
    "task_resistance": "Task Resistance",
    "social_interpersonal": "Social-Interpersonal Difficulty",
    "attention_engagement": "Attention/Engagement Failure",
    "academic_struggle": "Academic Struggle",
}
"""The five challenge types (section 3.4): our key to the label as released."""

NO_CHALLENGE = "unknown"
"""The key where a file names no challenge type."""

# Letters and a symbol that Unicode says to draw as nothing.
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"


@lru_cache(maxsize=256)
def challenge_key(label: str) -> str:
    """Give the key of a challenge type.

    Parameters
    ----------
    label : str
        As a file writes it: case, blanks, hyphens and slashes do not matter.

    Returns
    -------
    str
        A key of ``CHALLENGES``; of another label the label itself in lower case with underscores; "unknown" of none.

    Examples
    --------
    >>> challenge_key("Attention/Engagement Failure"), challenge_key("social interpersonal")
    ('attention_engagement', 'social_interpersonal')
    """
    slug = _slug(label)
    for key, released in CHALLENGES.items():
        if slug in (key, _slug(released)):
            return key
    return slug or NO_CHALLENGE


def is_blank(text: str) -> bool:
    r"""Say whether a text shows nothing: no characters, or only blanks, control codes and such as have no width.

    Examples
    --------
    >>> is_blank(" \u200b\ufeff"), is_blank("...")
    (True, False)
    """
    return all(map(_unseen, text))


def item_id(scenario: int, horizon: str) -> str:
    """Name the open question of a scenario and horizon: "s057-immediate"."""
    return f"s{scenario:03d}-{horizon}"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a dialogue.

    Parameters
    ----------
    speaker : {"tutor", "student"}
    message : str
    challenging : bool
        The file marks it as the challenging turn.
    """

    speaker: str
    message: str
    challenging: bool = False

    def __post_init__(self) -> None:
        if self.speaker not in ("tutor", "student"):
            raise UnfitError("turns", f"speaker {self.speaker!r:.40}, expected tutor or student")
        if is_blank(self.message):
            raise UnfitError("turns", f"an empty turn of the {self.speaker}")

    def data(self) -> dict[str, Any]:
        """Give it as plain data, which ``turn_from_data`` reads back equal."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Strategy:
    """What a practitioner did in a scenario, and whether it helped (section 3.2.1).

    Parameters
    ----------
    text : str
    horizon : {"immediate", "long_term"}
    effective : bool
    reason : str
        Why it helped or did not.
    evidence : str
        What the source says of it.
    """

    text: str
    horizon: str
    effective: bool
    reason: str = ""
    evidence: str = ""

    def __post_init__(self) -> None:
        _horizon(self.horizon)
        if is_blank(self.text):
            raise UnfitError("fields", "a strategy without a text")

    def data(self) -> dict[str, Any]:
        """Give it as plain data, which ``strategy_from_data`` reads back equal."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that a reply may do (section 3.2.2).

    Parameters
    ----------
    id : int
        As given: ids need not start at 1.
    name : str
    check : str
        What has to be so.
    rationale : str
    """

    id: int
    name: str
    check: str
    rationale: str = ""

    def __post_init__(self) -> None:
        if is_blank(self.check):
            raise UnfitError("criteria", f"criterion {self.id} has an empty check")

    def data(self) -> dict[str, Any]:
        """Give it as plain data, which ``criterion_from_data`` reads back equal."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Rubric:
    """The criteria of a category for one horizon.

    Parameters
    ----------
    category : int
    horizon : {"immediate", "long_term"}
    student : str
        The description of the student, which the judge sees.
    criteria : tuple of Criterion
        In file order, each id once.
    challenge : str
        A key of ``CHALLENGES``, "" where the file names none.
    """

    category: int
    horizon: str
    student: str
    criteria: tuple[Criterion, ...]
    challenge: str = ""

    def __post_init__(self) -> None:
        _horizon(self.horizon)
        if not self.criteria:
            raise UnfitError("criteria", "a rubric without criteria")
        ids = [one.id for one in self.criteria]
        if len(set(ids)) < len(ids):
            twice = next(one for one in ids if ids.count(one) > 1)
            raise UnfitError("criteria", f"criterion id {twice} is there twice")

    def data(self) -> dict[str, Any]:
        """Give it as plain data, which ``rubric_from_data`` reads back equal."""
        return {**_shallow(self), "criteria": [one.data() for one in self.criteria]}


@dataclass(frozen=True, slots=True)
class Scenario:
    """One moment of one category's student.

    Parameters
    ----------
    id : int
        Unique in its release.
    category : int
    title, minimal_context : str
    dialogue : tuple of Turn
        Tutor first, in turns, the student last: the last turn is the challenging one.
    challenge : str
        A key of ``CHALLENGES``, or what another label gives (`challenge_key`).
    full_context : mapping or None
        As released; the judge sees it. None where the release has none.
    strategies : tuple of Strategy
        Hidden from tutor and judge; no release has them so far.
    persona : str
        The category's student as the builder described it.
    paper : str
        The source, "" where unknown.
    """

    id: int
    category: int
    title: str
    minimal_context: str
    dialogue: tuple[Turn, ...]
    challenge: str
    full_context: Mapping[str, Any] | None = None
    strategies: tuple[Strategy, ...] = ()
    persona: str = ""
    paper: str = ""

    def __post_init__(self) -> None:
        if not self.dialogue:
            raise UnfitError("turns", "a dialogue without turns")
        for number, (turn, speaker) in enumerate(zip(self.dialogue, cycle(("tutor", "student"))), 1):
            if turn.speaker != speaker:
                raise UnfitError("turns", f"turn {number} is the {turn.speaker}'s, expected the {speaker}'s")
        if self.dialogue[-1].speaker != "student":
            raise UnfitError("turns", "the last turn is the tutor's, expected the student's")

    def data(self) -> dict[str, Any]:
        """Give it as plain data, which ``scenario_from_data`` reads back equal."""
        told = {
            "dialogue": [one.data() for one in self.dialogue],
            "strategies": [one.data() for one in self.strategies],
        }
        return {**_shallow(self), **told}


@dataclass(frozen=True, slots=True)
class Item:
    """An open question: what the tutor would say now, or plan.

    Parameters
    ----------
    id : str
        As `item_id` gives it.
    scenario, category : int
    horizon : {"immediate", "long_term"}
    """

    id: str
    scenario: int
    category: int
    horizon: str

    def __post_init__(self) -> None:
        _horizon(self.horizon)

    def data(self) -> dict[str, Any]:
        """Give it as plain data, which ``item_from_data`` reads back equal."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Choice:
    """A question with options, of which one is a strategy that helped: four (section 3.3) or two.

    Parameters
    ----------
    id : str
        "m0012" with four options, "b0012" with two.
    scenario, category : int
    horizon : {"immediate", "long_term"}
    options : mapping of str to str
        Letter to text, from A on; the order in which they are given does not matter.
    correct : str
        A letter.
    """

    id: str
    scenario: int
    category: int
    horizon: str
    options: Mapping[str, str]
    correct: str

    def __post_init__(self) -> None:
        _horizon(self.horizon)
        found = sorted(self.options)
        if len(found) not in (2, 4) or found != list(LETTERS[: len(found)]):
            said = ", ".join(str(letter)[:10] for letter in found[:8]) or "none"
            raise UnfitError("options", f"{len(found)} options ({said}), expected A to D, or A and B")
        object.__setattr__(self, "options", {letter: self.options[letter] for letter in found})
        empty = [letter for letter, text in self.options.items() if is_blank(text)]
        if empty:
            raise UnfitError("options", f"option {empty[0]} is empty")
        if len({_seen(text) for text in self.options.values()}) < len(found):
            raise UnfitError("options", "two options are the same")
        if self.correct not in self.options:
            raise UnfitError("answer", f"the answer is {self.correct!r:.20}, expected one of {', '.join(found)}")

    def data(self) -> dict[str, Any]:
        """Give it as plain data, which ``choice_from_data`` reads back equal."""
        return asdict(self)


def turn_from_data(data: Mapping[str, Any]) -> Turn:
    """Read back what ``Turn.data`` gave."""
    return Turn(**data)


def strategy_from_data(data: Mapping[str, Any]) -> Strategy:
    """Read back what ``Strategy.data`` gave."""
    return Strategy(**data)


def criterion_from_data(data: Mapping[str, Any]) -> Criterion:
    """Read back what ``Criterion.data`` gave."""
    return Criterion(**data)


def rubric_from_data(data: Mapping[str, Any]) -> Rubric:
    """Read back what ``Rubric.data`` gave."""
    return Rubric(**{**data, "criteria": tuple(map(criterion_from_data, data["criteria"]))})


def scenario_from_data(data: Mapping[str, Any]) -> Scenario:
    """Read back what ``Scenario.data`` gave."""
    dialogue = tuple(map(turn_from_data, data["dialogue"]))
    return Scenario(**{**data, "dialogue": dialogue, "strategies": tuple(map(strategy_from_data, data["strategies"]))})


def item_from_data(data: Mapping[str, Any]) -> Item:
    """Read back what ``Item.data`` gave."""
    return Item(**data)


def choice_from_data(data: Mapping[str, Any]) -> Choice:
    """Read back what ``Choice.data`` gave."""
    return Choice(**data)


def _shallow(one: Rubric | Scenario) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _horizon(found: str) -> None:
    if found not in HORIZONS:
        raise UnfitError("fields", f"horizon {found!r:.40}, expected {' or '.join(HORIZONS)}")


def _seen(text: str) -> str:
    """Give what a reader sees of a text, to tell whether two look the same."""
    if text.isascii() and text.isprintable():
        return text.strip()
    return "".join(one for one in text if one.isspace() or not _unseen(one)).strip()


def _unseen(character: str) -> bool:
    if character.isspace() or character in _FILLERS:
        return True
    return not character.isalnum() and unicodedata.category(character) in ("Cc", "Cf", "Mn")


def _slug(label: str) -> str:
    return "_".join(re.findall(r"[^\W_]+", label.casefold()))
