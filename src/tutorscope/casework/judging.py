"""The judge's side: which criteria a reply meets, each decided by its id (TutorCaseBench, 3.2.2 and T.12).

The released evaluation asks for all criteria at once and checks nothing of what comes back: one of two criteria under a
foreign id makes a full score, half points count, and a reply cut off becomes a shorter list. Here what is not exactly
what was asked is asked again, and then unread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tutorscope.casework.answering import PROMPTS, seen_of
from tutorscope.casework.items import Criterion, Scenario
from tutorscope.casework.items import Rubric as Criteria
from tutorscope.casework.standing import why_not_stood_by
from tutorscope.judging.asking import ask
from tutorscope.judging.rubrics import Rubric, load_rubric
from tutorscope.models.speaking import Reply, Speak
from tutorscope.texts.bodies import reply_body
from tutorscope.texts.parsed import Parsed, read, unread
from tutorscope.texts.quotes import contains_quote, long_enough
from tutorscope.texts.replies import Flag, Scale, Several, Text

SETTINGS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 8000}
NO_REPLY = "no_reply"
"""Why a criterion is not met where the tutor said nothing: nobody is asked about it."""

_DECISION = (Flag("met"), Text("evidence", required=False))
_LARGEST_ID = 10**9


def criterion_rubric(overrides: Path | None = None) -> Rubric:
    """Load what the judge is asked about one criterion."""
    return load_rubric(PROMPTS, "judge-criterion", _DECISION, overrides=overrides)


def criteria_rubric(overrides: Path | None = None) -> Rubric:
    """Load what the judge is asked about all criteria at once."""
    fields = (Several("criteria", (Scale("id", 0, _LARGEST_ID), *_DECISION)),)
    return load_rubric(PROMPTS, "judge-criteria", fields, overrides=overrides)


def case_of(scenario: Scenario, criteria: Criteria) -> dict[str, Any]:
    """Give what the judge sees beside the reply and the criteria: the student, the situation and the talk.

    The full context where the release has it, else the setting in a sentence. No strategies: criteria are made of them.
    """
    return {
        "student": criteria.student,
        "context": scenario.full_context or scenario.minimal_context,
        "dialogue": seen_of(scenario)["dialogue"],
    }


async def decide(
    speak: Speak, rubric: Rubric, case: Mapping[str, Any], reply: str, criteria: Sequence[Criterion]
) -> list[dict[str, Any]]:
    """Have each criterion decided in a call of its own.

    One after the other: they share all but their end, which a provider's prefix cache then serves, and there are other
    replies enough to keep every connection busy.

    Parameters
    ----------
    speak : Speak
    rubric : Rubric
        As `criterion_rubric` gives it.
    case : mapping
        As `case_of` gives it.
    reply : str
        The tutor's. An empty one meets nothing, and the judge is not asked.
    criteria : sequence of Criterion

    Returns
    -------
    list of dict
        For each criterion ``id``, ``met`` (None if it could not be read), ``evidence``, ``reason``, ``reasons``.
    """
    if not reply.strip():
        return _nothing_said(criteria)
    decisions = []
    for one in criteria:
        record = {**case, "reply": reply, "criterion": _shown(one)}
        asked = await ask(
            speak,
            "judge",
            rubric.messages(record),
            lambda said, record=record: _sound(_stood_by(rubric, said, record, reply), reply),  # type: ignore[misc]
            draw=f"criterion-{one.id}",
            schema=rubric.schema,
            **SETTINGS,
        )
        decisions.append(_decision(one.id, asked.value, asked.reason, asked.reasons))
    return decisions


async def decide_at_once(
    speak: Speak, rubric: Rubric, case: Mapping[str, Any], reply: str, criteria: Sequence[Criterion]
) -> list[dict[str, Any]]:
    """Have all criteria decided in one call.

    A reply that does not hold exactly the criteria that were asked, or that the judge does not stand by, decides none
    of them. One that does, but quotes what the tutor did not say, leaves those criteria unread and decides the others.

    Parameters
    ----------
    speak, rubric, case, reply, criteria
        As for `decide`, with the rubric of `criteria_rubric`.

    Returns
    -------
    list of dict
        As from `decide`.
    """
    if not reply.strip():
        return _nothing_said(criteria)
    record = {**case, "reply": reply, "criteria": [{"id": one.id, **_shown(one)} for one in criteria]}
    ids = [one.id for one in criteria]

    def sound(said: Reply) -> Parsed[dict[int, dict[str, Any]]]:
        found = _exactly(ids, _stood_by(rubric, said, record, reply))
        faults = [fault for one in (found.value or {}).values() if (fault := _unfounded(one, reply))]
        return unread(faults[0]) if faults else found

    asked = await ask(speak, "judge", rubric.messages(record), sound, draw="criteria", schema=rubric.schema, **SETTINGS)
    last = _exactly(ids, _stood_by(rubric, asked.reply, record, reply))
    if last.value is None:
        return [_decision(one, None, last.reason, asked.reasons) for one in ids]
    decisions = []
    for one in ids:
        fault = _unfounded(last.value[one], reply)
        decisions.append(_decision(one, None if fault else last.value[one], fault, asked.reasons))
    return decisions


def success_of(met: Sequence[bool | None]) -> bool | None:
    """Say whether a reply succeeds: it meets any criterion, since each is another documented way (3.2.2).

    Parameters
    ----------
    met : sequence of bool or None
        One for each criterion of its rubric, None where it could not be read. At least one.

    Returns
    -------
    bool or None
        None if none is known to be met and one could not be read.

    Examples
    --------
    >>> success_of([None, True]), success_of([None, False]), success_of([False, False])
    (True, None, False)
    """
    _refuse_none(met)
    return True if True in met else None if None in met else False


def satisfaction_of(met: Sequence[bool | None]) -> Fraction | None:
    """Give the share of its criteria that a reply meets (appendix K), None if one could not be read.

    Examples
    --------
    >>> satisfaction_of([True, False, False])
    Fraction(1, 3)
    """
    _refuse_none(met)
    return None if None in met else Fraction(sum(map(bool, met)), len(met))


def _refuse_none(met: Sequence[bool | None]) -> None:
    if not met:
        raise ValueError("a reply without criteria neither succeeds nor fails")


def _shown(criterion: Criterion) -> dict[str, str]:
    return {"name": criterion.name, "check": criterion.check, "rationale": criterion.rationale}


def _stood_by(rubric: Rubric, said: Reply, record: Mapping[str, Any], reply: str) -> Parsed[dict[str, Any]]:
    """Read a reply, but for a "met" that the judge does not stand by (`why_not_stood_by`)."""
    found = rubric.read(said, record)
    body = reply_body(said.text, said.finish).value
    if found.value is None or body is None:
        return found
    at_once: Sequence[Mapping[str, Any]] = found.value.get("criteria", ())
    if not any(one["met"] for one in found.value.get("criteria", [found.value])):
        return found
    fault = why_not_stood_by(body, lambda text: rubric.read(Reply(text), {}).value == found.value, reply, at_once)
    return unread(fault) if fault else found


def _sound(found: Parsed[dict[str, Any]], reply: str) -> Parsed[dict[str, Any]]:
    fault = _unfounded(found.value, reply) if found.value is not None else None
    return unread(fault) if fault else found


def _unfounded(decision: Mapping[str, Any], reply: str) -> str | None:
    """Name what is wrong with the evidence of a decision. "Not met" needs none."""
    if not decision["met"]:
        return None
    quote = decision["evidence"] or ""
    # A full stop stands in every reply.
    if not any(character.isalnum() for character in quote):
        return "no_quote"
    if not contains_quote(reply, quote):
        return "quote_not_found"
    return None if long_enough(reply, quote) else "quote_too_short"


def _exactly(ids: Sequence[int], found: Parsed[dict[str, Any]]) -> Parsed[dict[int, dict[str, Any]]]:
    """Hold a reply to the criteria that were asked."""
    if found.value is None:
        return unread(found.reason or "missing_field")
    entries = found.value["criteria"]
    given = [entry["id"] for entry in entries]
    missing, extra = set(ids) - set(given), set(given) - set(ids)
    if len(set(given)) < len(given):
        return unread("criterion_twice")
    if missing and extra:
        return unread("other_criteria")
    if missing or extra:
        return unread("missing_criterion" if missing else "extra_criterion")
    return read({entry["id"]: entry for entry in entries})


def _decision(
    criterion: int, said: Mapping[str, Any] | None, reason: str | None, reasons: Sequence[str]
) -> dict[str, Any]:
    return {
        "id": criterion,
        "met": said["met"] if said else None,
        "evidence": (said["evidence"] or "") if said else "",
        "reason": reason,
        "reasons": list(reasons),
    }


def _nothing_said(criteria: Sequence[Criterion]) -> list[dict[str, Any]]:
    return [_decision(one.id, {"met": False, "evidence": ""}, NO_REPLY, ()) for one in criteria]
