"""What is odd in a file and costs nothing: it is said, and the text stays as it was released."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from tutorscope.casework.irregularities import Irregularity
from tutorscope.casework.items import CHALLENGES, Choice, Rubric, Scenario, Turn, challenge_key, is_blank
from tutorscope.casework.released_bodies import kind_of
from tutorscope.casework.released_files import ReleasedFile
from tutorscope.texts.plain import shorten

_TURN_KEYS = {"turn_id", "speaker", "message", "is_challenging_behavior"}
_CRITERION_KEYS = {"criterion_id", "criterion_name", "rationale", "check"}
_TURN_COUNTS = (4, 6, 8)
# A message that is nothing but stage directions: with them taken out, no letter or digit is left.
_DIRECTION = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\*[^*]*\*")
_RESIDUE = {
    "ligatures": re.compile("[\ufb00-\ufb4f]"),
    "arrows": re.compile("[\u2190-\u21ff\u27f0-\u27ff]"),
    "non-breaking spaces or soft hyphens": re.compile("[\u00a0\u00ad\u202f]"),
    "other scripts": re.compile("[\u0370-\u1cff\u2e80-\ud7ff\uff66-\uffdc]"),
    "characters without a meaning": re.compile("[\ue000-\uf8ff\ufffd\x00-\x08\x0b-\x1f\x7f-\x9f]"),
    "bracketed marks": re.compile(r"\[[^\[\]]{0,80}\]"),
}


def scenario_oddities(file: ReleasedFile, scenario: Scenario) -> Iterator[Irregularity]:
    """Say what is odd in a scenario's turns and context.

    Parameters
    ----------
    file : ReleasedFile
        Where the scenario was read.
    scenario : Scenario
    """
    turns = scenario.dialogue
    if len(turns) not in _TURN_COUNTS:
        yield Irregularity("turn_count", file.name, f"{len(turns)} turns")
    marked = [number for number, turn in enumerate(turns, 1) if turn.challenging]
    if marked != [len(turns)]:
        said = f"marked as challenging: {', '.join(f'turn {one}' for one in marked) or 'none'} of {len(turns)}"
        yield Irregularity("flag", file.name, said)
    extra = sorted({str(key) for turn in file.body["dialogue"] for key in turn.keys() - _TURN_KEYS})
    if extra:
        yield _extra(file, extra, "turns")
    spaced = [number for number, turn in enumerate(turns, 1) if turn.message != turn.message.strip()]
    if spaced:
        yield Irregularity("white_space", file.name, f"around {', '.join(f'turn {one}' for one in spaced)}")
    if not any(map(str.isalnum, _DIRECTION.sub("", turns[-1].message))):
        yield Irregularity("action_only", file.name, f"turn {len(turns)} is an action without speech")
    if not scenario.minimal_context.strip():
        yield Irregularity("empty", file.name, "minimal_context")
    combined = file.body.get("dialogue_combined")
    if combined is not None and not isinstance(combined, str):
        said = f"dialogue_combined: found {kind_of(combined)}, expected a text; the turns are taken"
        yield Irregularity("copies", file.name, said)
    elif combined is not None and not same_dialogue(combined, turns):
        yield Irregularity("copies", file.name, "dialogue_combined differs from the turns, which are taken")
    yield from _residue(file, [scenario.title, scenario.minimal_context, *(turn.message for turn in turns)])


def context_oddities(file: ReleasedFile) -> Iterator[Irregularity]:
    """Say what is odd in a full context.

    Parameters
    ----------
    file : ReleasedFile
        A file of ``dialogue_full_context``.
    """
    context = file.body.get("full_context")
    if context is None:
        yield Irregularity("empty", file.name, "full_context is not there")
        return
    texts: list[str] = []
    empty: list[str] = []
    _walk(context, "", texts, empty)
    if empty:
        more = f" and {len(empty) - 4} more" if len(empty) > 4 else ""
        yield Irregularity("empty", file.name, ", ".join(shorten(one, 60) for one in empty[:4]) + more)
    yield from _residue(file, texts)


def rubric_oddities(file: ReleasedFile, rubric: Rubric) -> Iterator[Irregularity]:
    """Say what is odd in a rubric."""
    ids = [one.id for one in rubric.criteria]
    if ids != list(range(1, len(ids) + 1)):
        yield Irregularity("criterion_ids", file.name, f"ids {', '.join(map(str, ids))}")
    extra = sorted({str(key) for one in file.body["rubric"]["criteria"] for key in one.keys() - _CRITERION_KEYS})
    if extra:
        yield _extra(file, extra, "criteria")
    if is_blank(rubric.student):
        yield Irregularity("empty", file.name, "student_description: the judge is told nothing of the student")
    alike = _alike({f"criterion {one.id}": one.check for one in rubric.criteria})
    if alike:
        yield Irregularity("criteria_alike", file.name, f"the same check: {alike}")
    texts = [text for one in rubric.criteria for text in (one.name, one.check, one.rationale)]
    yield from _residue(file, [rubric.student, *texts])


def choice_oddities(file: ReleasedFile, choice: Choice, scenario: Scenario) -> Iterator[Irregularity]:
    """Say what is odd in a choice's options and copies: white space at the ends of messages does not count."""
    copy, context = file.body.get("dialogue"), file.body.get("minimal_context")
    for field, value in (("dialogue", copy), ("minimal_context", context)):
        if value is not None and not isinstance(value, str):
            said = f"{field}: found {kind_of(value)}, expected a text; the scenario's is taken"
            yield Irregularity("copies", file.name, said)
    if isinstance(copy, str) and not same_dialogue(copy, scenario.dialogue):
        yield Irregularity("copies", file.name, "its copy of the dialogue differs from the scenario's, which is taken")
    if isinstance(context, str) and context.split() != scenario.minimal_context.split():
        yield Irregularity("copies", file.name, "its copy of the context differs from the scenario's, which is taken")
    given = file.body.get("challenge_type")
    if given is not None and not isinstance(given, str):
        said = f"challenge_type: found {kind_of(given)}, expected a text; the scenario's is taken"
        yield Irregularity("challenge_type", file.name, said)
    elif given is not None:
        yield from other_challenge(file, challenge_key(given), [scenario.challenge])
    alike = _alike({f"option {letter}": text for letter, text in choice.options.items()})
    if alike:
        yield Irregularity("options_alike", file.name, f"the same words: {alike}")
    yield from _residue(file, list(choice.options.values()))


def strategy_oddities(file: ReleasedFile, scenario: Scenario) -> Iterator[Irregularity]:
    """Say what is odd in the texts of a scenario's strategies and persona."""
    texts = [text for one in scenario.strategies for text in (one.text, one.reason, one.evidence)]
    yield from _residue(file, [scenario.persona, *texts])


def challenge_oddities(file: ReleasedFile, key: str) -> Iterator[Irregularity]:
    """Say that a challenge type is none of the five."""
    if key not in CHALLENGES:
        yield Irregularity("challenge_type", file.name, f"challenge type {shorten(key, 40)}")


def other_challenge(file: ReleasedFile, key: str, known: Collection[str]) -> Iterator[Irregularity]:
    """Say that a challenge type is not the one of the scenarios that a file belongs to."""
    if known and key not in known:
        has = " and ".join(shorten(one, 40) for one in sorted(known))
        said = f"challenge type {shorten(key, 40)}, but {has} in its scenarios, which counts"
        yield Irregularity("challenge_type", file.name, said)


def same_dialogue(text: str, turns: Sequence[Turn]) -> bool:
    r"""Whether a dialogue in one text holds the same words as the turns, white space folded.

    Parameters
    ----------
    text : str
        "TUTOR: ...", a blank line, "STUDENT: ..." and so on.
    turns : sequence of Turn

    Examples
    --------
    >>> same_dialogue("TUTOR: Ready?\n\nSTUDENT: No.", [Turn("tutor", "Ready? "), Turn("student", "No.")])
    True
    """
    joined = "\n\n".join([f"{turn.speaker.upper()}: {turn.message}" for turn in turns])
    return text == joined or text.split() == joined.split()


def _extra(file: ReleasedFile, keys: Sequence[str], where: str) -> Irregularity:
    named = ", ".join(shorten(key, 30) for key in keys)
    return Irregularity("extra_keys", file.name, f"not of the layout, in {where}: {named}")


def _alike(texts: Mapping[str, str]) -> str:
    """Name the texts that differ in case, white space or full stops at the end alone."""
    named: dict[str, list[str]] = defaultdict(list)
    for name, text in texts.items():
        named[" ".join(text.casefold().rstrip(" .").split())].append(name)
    return "; ".join(" and ".join(names) for names in named.values() if len(names) > 1)


def _residue(file: ReleasedFile, texts: Sequence[str]) -> Iterator[Irregularity]:
    whole = "\n".join(text for text in texts if "[" in text or not text.isascii() or not text.isprintable())
    found = [what for what, pattern in _RESIDUE.items() if pattern.search(whole)]
    if found:
        yield Irregularity("residue", file.name, ", ".join(found))


def _walk(value: Any, where: str, texts: list[str], empty: list[str]) -> None:
    if isinstance(value, str):
        (texts if value.strip() else empty).append(value if value.strip() else where)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            _walk(one, f"{where}.{key}" if where else str(key), texts, empty)
    elif isinstance(value, list):
        if not value:
            empty.append(where)
        for one in value:
            _walk(one, where, texts, empty)
