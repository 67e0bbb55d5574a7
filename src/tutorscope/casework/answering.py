"""The responder's side: the next thing to say, or a plan over weeks, from what a tutor would know and no more.

TutorCaseBench, sections 3.2 and 4 and appendices N and T.11. A responder sees the setting in a sentence, the dialogue
and which of the two is wanted; never ids, persona, strategies or rubric.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tutorscope.casework.items import Scenario
from tutorscope.judging.asking import ask
from tutorscope.models.speaking import Reply, Speak
from tutorscope.texts.bodies import reply_body
from tutorscope.texts.parsed import Parsed
from tutorscope.texts.templates import Template, json_slot, load_template

PROMPTS = "tutorscope.casework.prompts"
OPEN, REFERENCE = "open", "reference"
SETTINGS: Mapping[str, Any] = {"max_tokens": 8000}
"""The published cap on a reply; how it is sampled is left to the model's provider."""

_STARTS = {OPEN: "answer", REFERENCE: "reference"}


def answer_template(form: str, horizon: str, overrides: Path | None = None) -> Template:
    """Load what a responder is asked.

    Parameters
    ----------
    form : {"open", "reference"}
    horizon : {"immediate", "long_term"}
    overrides : Path, optional
        The user's own templates.

    Raises
    ------
    UserError
        As for ``texts.templates.load_template``.
    """
    return load_template(PROMPTS, f"{_STARTS[form]}-{horizon.replace('_', '-')}", overrides)


def seen_of(scenario: Scenario) -> dict[str, Any]:
    """Give what a responder may see of a scenario, as plain data.

    Each turn is an object of its own, its speaker the key, so that no message can pose as another speaker.

    Returns
    -------
    dict
        ``context`` (the setting in a sentence) and ``dialogue`` (turns, as they are).
    """
    return {
        "context": scenario.minimal_context,
        "dialogue": [{turn.speaker: turn.message} for turn in scenario.dialogue],
    }


def lines(values: Iterable[Any]) -> str:
    """Write a list as JSON, one entry a line."""
    return "[\n" + ",\n".join(map(json_slot, values)) + "\n]"


def shown(seen: Mapping[str, Any]) -> dict[str, str]:
    """Give the slots that every question to a responder has."""
    return {"context": json_slot(seen["context"]), "dialogue": lines(seen["dialogue"])}


async def answer(
    speak: Speak,
    template: Template,
    seen: Mapping[str, Any],
    references: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Ask the tutor for a reply.

    Parameters
    ----------
    speak : Speak
    template : Template
        As `answer_template` gives it.
    seen : mapping
        As `seen_of` gives it.
    references : sequence of mapping, optional
        Moments of other students with what helped there: only with a template that shows them.

    Returns
    -------
    dict
        ``text`` ("" if there was none), ``reason`` why there was none (None if there is one), ``reasons`` of every
        reply that was asked again, and how the last one's ``finish`` was: a reply that hit a limit counts as it is.
    """
    values = shown(seen)
    if references is not None:
        values["references"] = lines(references)
    asked = await ask(speak, "tutor", template.messages(values), read_answer, draw="answer", **SETTINGS)
    return {
        "text": asked.value or "",
        "reason": asked.reason,
        "reasons": list(asked.reasons),
        "finish": asked.reply.finish,
    }


def read_answer(reply: Reply) -> Parsed[str]:
    """Read a reply: all of it but the thinking at its front.

    Returns
    -------
    Parsed of str
        `empty` if nothing was said, `cut_off` if the thinking never ended (a provider's refusal is told apart where
        replies are asked for). A reply that was cut off while it spoke is what a student would have heard.
    """
    return reply_body(reply.text)
