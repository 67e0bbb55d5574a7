"""From the JSON objects of a release to items. Whatever is not fit raises `UnfitError` with its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tutorscope.casework.irregularities import UnfitError
from tutorscope.casework.items import Choice, Criterion, Rubric, Scenario, Strategy, Turn, challenge_key
from tutorscope.casework.released_files import ReleasedFile, as_horizon, as_id
from tutorscope.casework.terms import HORIZONS
from tutorscope.texts.plain import shorten

_PROMPTS = {"immediate": "immediate_dialogue_prompt", "long_term": "long_term_dialogue_prompt"}
BY_NAME: Mapping[str, tuple[str, ...]] = {"im": ("immediate",), "lt": ("long_term",), "bt": HORIZONS}
"""What the end of a scenario's file name says that it asks."""

_SPEAKER = re.compile(r"(?:\A|\n\n)(TUTOR|STUDENT): ")


def scenario_of(file: ReleasedFile) -> Scenario:
    """Read a scenario from either folder, without its full context.

    Parameters
    ----------
    file : ReleasedFile

    Raises
    ------
    UnfitError
        Its turns are none, empty, out of order or of the wrong speakers, or a field is of the wrong kind.
    """
    body = file.body
    turns, before = body.get("dialogue"), -1
    if not isinstance(turns, list) or not turns:
        raise UnfitError("turns", "a dialogue without turns")
    dialogue = []
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn, dict) or not isinstance(turn.get("message"), str):
            raise UnfitError("turns", f"turn {number} has no message")
        if "turn_id" in turn:
            given = as_id(turn["turn_id"], f"turn {number}: turn_id")
            if given <= before:
                raise UnfitError("turns", f"turn_id {given} stands behind turn_id {before}")
            before = given
        speaker = str(turn.get("speaker")).strip().casefold()
        with _naming(f"turn {number}"):
            dialogue.append(Turn(speaker, turn["message"], turn.get("is_challenging_behavior") is True))
    return Scenario(
        file.ids["scenario"],
        file.ids["category"],
        text_of(body, "scenario_title"),
        text_of(body, "minimal_context"),
        tuple(dialogue),
        challenge_key(text_of(body, "challenge_type")),
    )


def context_of(file: ReleasedFile) -> Mapping[str, Any] | None:
    """Read a scenario's full context as it was released, or None where its file has none.

    Parameters
    ----------
    file : ReleasedFile

    Raises
    ------
    UnfitError
        It is no object.
    """
    context = file.body.get("full_context")
    if context is not None and not isinstance(context, dict):
        raise UnfitError("fields", f"full_context: found {kind_of(context)}, expected an object")
    return context


def scenario_of_choice(file: ReleasedFile) -> Scenario:
    """Read a scenario from a choice's copy of it: a clone without the dialogue folders can still ask choices.

    Parameters
    ----------
    file : ReleasedFile

    Raises
    ------
    UnfitError
        There is no dialogue, or one that is not fit.
    """
    _, *parts = _SPEAKER.split(text_of(file.body, "dialogue"))
    return Scenario(
        file.ids["scenario"],
        file.ids["category"],
        "",
        text_of(file.body, "minimal_context"),
        tuple(Turn(who.casefold(), said) for who, said in zip(parts[::2], parts[1::2], strict=True)),
        challenge_key(text_of(file.body, "challenge_type")),
    )


def horizons_of(file: ReleasedFile) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]:
    """Give the horizons that a scenario's body asks, and those that its name says.

    A body asks a horizon if it numbers a prompt for it. One with neither field asks what its name says.

    Returns
    -------
    asked, named : tuple of str
    refused : dict of str to str
        Horizon to what is wrong with its prompt number: a value that is neither a number nor null asks nothing.
    """
    named = BY_NAME[file.named["horizons"]]
    if not any(field in file.body for field in _PROMPTS.values()):
        return named, named, {}
    asked, refused = [], {}
    for horizon, field in _PROMPTS.items():
        if (given := file.body.get(field)) is not None:
            try:
                as_id(given, field)
                asked.append(horizon)
            except UnfitError as problem:
                refused[horizon] = f"{problem.said} or null"
    return tuple(asked), named, refused


def rubric_of(file: ReleasedFile) -> Rubric:
    """Read a rubric.

    Parameters
    ----------
    file : ReleasedFile

    Raises
    ------
    UnfitError
        It has no criteria, or one that is not fit.
    """
    held = file.body.get("rubric")
    listed = held.get("criteria") if isinstance(held, dict) else None
    if not isinstance(listed, list) or not listed:
        raise UnfitError("criteria", "a rubric without criteria")
    criteria = []
    for number, one in enumerate(listed, 1):
        if not isinstance(one, dict):
            raise UnfitError("criteria", f"criterion {number} of the list is no object")
        given = as_id(one.get("criterion_id"), f"criterion {number} of the list: criterion_id")
        texts = (text_of(one, field, f"criterion {given}: ") for field in ("criterion_name", "check", "rationale"))
        criteria.append(Criterion(given, *texts))
    return Rubric(
        file.ids["category"],
        file.ids["horizon"],
        text_of(file.body, "student_description"),
        tuple(criteria),
        challenge_key(text_of(file.body, "challenge_type")),
    )


def choice_of(file: ReleasedFile, options: int) -> Choice:
    """Read a choice.

    Parameters
    ----------
    file : ReleasedFile
    options : {4, 2}

    Raises
    ------
    UnfitError
        Its options or its answer are not fit.
    """
    held = file.body.get("options")
    if not isinstance(held, dict) or not all(isinstance(text, str) for text in held.values()):
        raise UnfitError("options", "no texts under letters")
    if len(held) != options:
        letters = ", ".join(shorten(letter, 10) for letter in held) or "none"
        raise UnfitError("options", f"{len(held)} options ({shorten(letters, 60)}), expected {options}")
    return Choice(
        f"{'m' if options == 4 else 'b'}{file.ids['number']:04d}",
        file.ids["scenario"],
        file.ids["category"],
        file.ids["horizon"],
        held,
        text_of(file.body, "correct_answer").strip(),
    )


def strategies_of(file: ReleasedFile) -> tuple[Strategy, ...]:
    """Read a scenario's strategies.

    Parameters
    ----------
    file : ReleasedFile

    Raises
    ------
    UnfitError
        There is no list, or one of it is not fit.
    """
    listed = file.body.get("strategies")
    if not isinstance(listed, list):
        raise UnfitError("fields", f"strategies: found {kind_of(listed)}, expected a list")
    strategies = []
    for number, one in enumerate(listed, 1):
        where = f"strategy {number}"
        if not isinstance(one, dict) or not isinstance(one.get("effective"), bool):
            raise UnfitError("fields", f"{where}: effective: expected an object that says true or false")
        horizon = as_horizon(one.get("horizon"), f"{where}: horizon")
        text, reason, evidence = (text_of(one, field, f"{where}: ") for field in ("text", "reason", "evidence"))
        with _naming(where):
            strategies.append(Strategy(text, horizon, one["effective"], reason, evidence))
    return tuple(strategies)


def text_of(body: Mapping[str, Any], field: str, where: str = "") -> str:
    """Give a field's text, "" where there is none.

    Parameters
    ----------
    body : mapping
    field : str
    where : str
        What the body is a part of, for the message.

    Raises
    ------
    UnfitError
        It holds something else than a text.
    """
    value = body.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnfitError("fields", f"{where}{field}: found {kind_of(value)}, expected a text")
    return value


def kind_of(value: Any) -> str:
    """Name what kind of JSON a value is.

    Examples
    --------
    >>> kind_of(3), kind_of([]), kind_of(None)
    ('a number', 'a list', 'null')
    """
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "null")


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Say of a part that is not fit which one it is."""
    try:
        yield
    except UnfitError as problem:
        raise UnfitError(problem.kind, f"{where}: {problem.said}") from None
