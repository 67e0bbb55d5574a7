"""Skills: a label for each problem, and groups of labels that are made once and stay (intervention game, section 3.4).

Table 3 and appendix F.5: the extractor names a fine-grained skill, the clusterer forms broader categories of a set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tutorscope.intervention.problems import Problem
from tutorscope.intervention.student import shown
from tutorscope.intervention.watching import TASKS
from tutorscope.judging.asking import ask
from tutorscope.judging.rubrics import Rubric, load_rubric, rate
from tutorscope.models.speaking import Reply, Speak
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.bodies import reply_body
from tutorscope.texts.json_in_text import Pairs, find_json
from tutorscope.texts.parsed import Parsed, read, unread
from tutorscope.texts.replies import READER, Choice, Text
from tutorscope.texts.templates import Template, load_template

PROMPTS = "tutorscope.intervention.prompts"
BUILDER = "builder"
NONE = "none"
"""What the builder says of a problem that belongs in no group."""

_LABEL_SETTINGS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 512}
_GROUPS_SETTINGS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 16_384}
_LONGEST = 100
_GROUPS_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "groups": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "members": {"type": "array", "items": {"type": "string"}}},
                "required": ["name", "members"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["groups"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Groups:
    """The groups of a set's skills.

    Parameters
    ----------
    members : mapping
        Name of a group to the labels in it. A label stands in one group only.
    unknown : tuple of str
        Members that are none of the labels that were asked about.
    twice : tuple of str
        Labels that were put into several groups: they are in none.
    """

    members: Mapping[str, tuple[str, ...]]
    unknown: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillPrompts:
    """What the builder is asked about skills."""

    label: Rubric
    groups: Template
    choice: Rubric

    @classmethod
    def load(cls, overrides: Path | None) -> SkillPrompts:
        """Load ours, or the user's in their place."""
        return cls(
            load_rubric(PROMPTS, "skill-label", (Text("skill"), Text("reason", required=False)), overrides=overrides),
            load_template(PROMPTS, "skill-groups", overrides),
            load_rubric(PROMPTS, "skill-choice", (Choice("group", (NONE,)),), overrides=overrides),
        )

    @property
    def groups_sha(self) -> str:
        """Hash of what groups are made from beside the labels."""
        return fingerprint([self.groups.sha, READER])


def as_label(name: str) -> str:
    """Write a skill's name as a label: lower case, words joined with an underscore; "" if nothing of it is left.

    Examples
    --------
    >>> as_label(" Modular Arithmetic ")
    'modular_arithmetic'
    """
    label = re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
    return label if len(label) <= _LONGEST else ""


async def name_skill(speak: Speak, rubric: Rubric, problem: Problem) -> dict[str, Any]:
    """Have the skill that a problem asks for named.

    Returns
    -------
    dict
        ``skill`` (None if no reply could be read), ``why``, ``reason`` (why there is none) and ``reasons``.
    """
    record = _record(problem)

    def label(reply: Reply) -> Parsed[dict[str, Any]]:
        found = rubric.read(reply, record)
        if found.value is None:
            return found
        name = as_label(found.value["skill"])
        return read({"skill": name, "why": (found.value["reason"] or "").strip()}) if name else unread("not_a_label")

    asked = await ask(
        speak, BUILDER, rubric.messages(record), label, draw="skill", schema=rubric.schema, **_LABEL_SETTINGS
    )
    said = asked.value or {"skill": None, "why": ""}
    return {**said, "reason": asked.reason, "reasons": list(asked.reasons)}


async def group_skills(speak: Speak, template: Template, domain: str, labels: Sequence[str]) -> dict[str, Any]:
    """Have the labels of a domain's problems put into groups.

    Returns
    -------
    dict
        ``groups`` (a list of ``name`` and ``members``, empty if no reply could be read), ``unknown``, ``twice``,
        ``reason`` (why there are none) and ``reasons``.
    """
    ordered = sorted(set(labels))
    rubric = Rubric(template.name, template, ())
    asked = await ask(
        speak,
        BUILDER,
        rubric.messages({"task": TASKS[domain], "skills": ordered}),
        lambda reply: read_groups(reply.text, ordered, reply.finish),
        # While no reply has been taken problems can still be added: other labels are another question.
        draw=f"groups {fingerprint(ordered)}",
        schema=_GROUPS_SCHEMA,
        **_GROUPS_SETTINGS,
    )
    found = asked.value or Groups({})
    return {
        "groups": [{"name": name, "members": list(members)} for name, members in found.members.items()],
        "unknown": list(found.unknown),
        "twice": list(found.twice),
        "reason": asked.reason,
        "reasons": list(asked.reasons),
    }


def read_groups(reply: str, labels: Sequence[str], finish: str = "stop") -> Parsed[Groups]:
    """Read groups of labels.

    The rules: the reply holds one object with ``groups``, a list of objects with a ``name`` and ``members``, else
    `no_json`, `ambiguous` (several that differ) or `bad_groups`. Names are unique whatever their case, and none is
    "none", else `bad_groups`. A member is taken as a label in whatever case it comes; one that was not asked about is
    `unknown`, one that stands in several groups is in none of them. Groups without any label of ours go; if none is
    left it is `no_groups`.

    Parameters
    ----------
    reply : str
    labels : sequence of str
        What was asked about.
    finish : str
        Why the reply stopped.
    """
    body = reply_body(reply, finish)
    if body.value is None:
        return unread(body.reason or "empty")
    found, cut = find_json(body.value)
    if cut:
        return unread("cut_off")
    given = [dict(one.value) for one in found if isinstance(one.value, Pairs)]
    lists = [one["groups"] for one in given if "groups" in one]
    if not lists:
        return unread("no_json")
    if any(one != lists[0] for one in lists):
        return unread("ambiguous")
    named = _named(lists[0])
    return unread("bad_groups") if named is None else _sorted_out(named, labels)


def _named(value: object) -> dict[str, list[str]] | None:
    if not isinstance(value, list) or isinstance(value, Pairs):
        return None
    named: dict[str, list[str]] = {}
    for entry in value:
        group = dict(entry) if isinstance(entry, Pairs) else {}
        name, members = group.get("name"), group.get("members")
        if not isinstance(name, str) or not isinstance(members, list) or isinstance(members, Pairs):
            return None
        name = " ".join(name.split())
        if not name or name.casefold() in {NONE, *map(str.casefold, named)}:
            return None
        if not all(isinstance(member, str) for member in members):
            return None
        named[name] = [str(member) for member in members]
    return named


def _sorted_out(named: Mapping[str, Sequence[str]], labels: Sequence[str]) -> Parsed[Groups]:
    as_labels = {name: list(dict.fromkeys(map(as_label, members))) for name, members in named.items()}
    times = Counter(label for members in as_labels.values() for label in members)
    kept = {
        name: tuple(label for label in members if label in labels and times[label] == 1)
        for name, members in as_labels.items()
    }
    if not any(kept.values()):
        return unread("no_groups")
    unknown = [member for members in named.values() for member in members if as_label(member) not in labels]
    twice = [label for label in labels if times[label] > 1]
    return read(Groups({name: members for name, members in kept.items() if members}, tuple(unknown), tuple(twice)))


def group_with(skill: str | None, groups: Sequence[Mapping[str, Any]]) -> str | None:
    """Give the group that a label stands in, None if it stands in none."""
    return next((str(group["name"]) for group in groups if skill is not None and skill in group["members"]), None)


async def choose_group(
    speak: Speak, rubric: Rubric, problem: Problem, skill: str | None, names: Sequence[str]
) -> dict[str, Any]:
    """Have one of the groups chosen for a problem whose label stands in none.

    Returns
    -------
    dict
        ``group`` (None if it belongs in none or no reply could be read), ``reason`` (why there is no choice, None if
        there is one) and ``reasons``.
    """
    asked = await rate(
        speak,
        replace(rubric, fields=(Choice("group", (*names, NONE)),)),
        {**_record(problem), "skill": skill, "groups": list(names)},
        draw="group",
        role=BUILDER,
        **_LABEL_SETTINGS,
    )
    chosen = asked.value["group"] if asked.value else NONE
    return {"group": None if chosen == NONE else chosen, "reason": asked.reason, "reasons": list(asked.reasons)}


def _record(problem: Problem) -> dict[str, Any]:
    return {"task": TASKS[problem.domain], "problem": shown(problem), "reference": problem.reference}
