"""Questions with options: how they are shown, in which order, and how the letter is read (TutorCaseBench, 3.3 and F).

The released evaluation takes the first letter that stands alone in a reply, so "I think a calm word ..." is an A, and
always shows one order. Here a letter counts only where it is given as the answer, and the order can be rotated.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tutorscope.casework.answering import PROMPTS, SETTINGS, lines, shown
from tutorscope.judging.asking import ask
from tutorscope.models.speaking import Speak
from tutorscope.texts.letters import read_letter
from tutorscope.texts.templates import Template, load_template


def choice_template(horizon: str, *, stated: bool = True, overrides: Path | None = None) -> Template:
    """Load what a responder is asked.

    Parameters
    ----------
    horizon : {"immediate", "long_term"}
    stated : bool
        Whether the question says which of the two is wanted. The released one never does.
    overrides : Path, optional
        The user's own templates.

    Raises
    ------
    UserError
        As for ``texts.templates.load_template``.
    """
    name = f"choose-{horizon.replace('_', '-')}" if stated else "choose-as-released"
    return load_template(PROMPTS, name, overrides)


def rotated(options: Mapping[str, str], rotation: int) -> dict[str, str]:
    """Move every option so many places down, the last ones to the top; the letters stay in order.

    Parameters
    ----------
    options : mapping of str to str
        Letter to text, in the order of letters.
    rotation : int
        0 leaves them as they are.

    Examples
    --------
    >>> rotated({"A": "wait", "B": "ask", "C": "praise"}, 1)
    {'A': 'praise', 'B': 'wait', 'C': 'ask'}
    """
    letters, texts = list(options), list(options.values())
    return {letter: texts[(place - rotation) % len(texts)] for place, letter in enumerate(letters)}


def original(options: Mapping[str, str], letter: str, rotation: int) -> str:
    """Give the letter that an option has in the file, from the one that the responder saw it under.

    Examples
    --------
    >>> original({"A": "wait", "B": "ask", "C": "praise"}, "A", 1)
    'C'
    """
    letters = list(options)
    return letters[(letters.index(letter) - rotation) % len(letters)]


def longest(options: Mapping[str, str]) -> str:
    """Give the letter of the longest option, in characters; the first one of several."""
    return max(options, key=lambda letter: len(options[letter].strip()))


def shortest(options: Mapping[str, str]) -> str:
    """Give the letter of the shortest option, in characters; the first one of several."""
    return min(options, key=lambda letter: len(options[letter].strip()))


async def choose(
    speak: Speak,
    template: Template,
    seen: Mapping[str, Any],
    options: Mapping[str, str],
    correct: str,
    rotation: int = 0,
) -> dict[str, Any]:
    """Ask the tutor which option suits best.

    Parameters
    ----------
    speak : Speak
    template : Template
        As `choice_template` gives it.
    seen : mapping
        As ``answering.seen_of`` gives it.
    options : mapping of str to str
        Letter to text, as in the file.
    correct : str
        The correct option's letter in the file. It is never shown.
    rotation : int
        How many places the options are moved down.

    Returns
    -------
    dict
        ``letter`` as the responder saw it and ``original`` as in the file (None if the reply could not be read),
        ``correct`` (one that could not be read is wrong), ``reason``, ``reasons``, ``text``.
    """
    offered = rotated(options, rotation)
    values = {**shown(seen), "options": lines({letter: text} for letter, text in offered.items())}
    letters = "".join(offered)
    asked = await ask(
        speak,
        "tutor",
        template.messages(values),
        lambda reply: read_letter(reply.text, letters, options=offered, finish=reply.finish),
        draw="choice",
        **SETTINGS,
    )
    meant = original(options, asked.value, rotation) if asked.value else None
    return {
        "letter": asked.value,
        "original": meant,
        "correct": meant == correct,
        "reason": asked.reason,
        "reasons": list(asked.reasons),
        "text": asked.reply.text,
    }
