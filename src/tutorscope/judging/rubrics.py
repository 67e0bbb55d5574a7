"""A rubric: what a judge is asked about one frozen record, and how its reply is read. Judge passes use these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutorscope.judging.asking import ATTEMPTS, Asked, ask
from tutorscope.models.speaking import Reply, Speak
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.messages import Message
from tutorscope.texts.parsed import Parsed
from tutorscope.texts.replies import READER, Field, read_object, schema_for
from tutorscope.texts.templates import Template, json_slot, load_template


@dataclass(frozen=True)
class Rubric:
    """One question to a judge.

    A record is the frozen thing that is judged, as plain data: one entry for each slot of the template. All of it is
    shown as JSON values, because all of it may come from a chat or a model. Put the rubric ahead of the slots (in the
    template's ``<<system>>`` part): it is the same for every record, and a provider's prefix cache then serves it.

    Parameters
    ----------
    name : str
        What tables call it.
    template : Template
        The rubric's text with a slot for each part of a record.
    fields : tuple of Field
        What the judge's object holds. Where they depend on the record, ``dataclasses.replace`` gives one with its own.
    strict : bool
        Whether an object with other fields is refused.
    """

    name: str
    template: Template
    fields: tuple[Field, ...]
    strict: bool = False

    @property
    def sha(self) -> str:
        """Hash of all that can change a rating: the text, the fields and the version of the reader.

        A cell's ``made_of`` holds it, so that ratings under one rubric are never taken for another's.
        """
        return fingerprint([self.template.text, repr(self.fields), self.strict, READER])

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of a reply."""
        return schema_for(self.fields)

    def messages(self, record: Mapping[str, Any]) -> list[Message]:
        """Write the request for a record. A list is shown one entry a line.

        Raises
        ------
        ValueError
            The record has other entries than the template has slots; the message names them.
        """
        return self.template.messages({slot: _shown(value) for slot, value in record.items()})

    def read(self, reply: Reply, record: Mapping[str, Any]) -> Parsed[dict[str, Any]]:
        """Read a reply, knowing that it may quote what the record says (see ``texts.replies.read_object``)."""
        judged = list(_texts_in(record))
        return read_object(reply.text, self.fields, judged=judged, finish=reply.finish, strict=self.strict)


def load_rubric(
    package: str, name: str, fields: Sequence[Field], *, overrides: Path | None = None, strict: bool = False
) -> Rubric:
    """Make a rubric from a template of ours, or from the user's in its place.

    Parameters
    ----------
    package, name, overrides
        As for ``texts.templates.load_template``.
    fields : sequence of Field
        What the judge's object holds.
    strict : bool
        Whether an object with other fields is refused.

    Raises
    ------
    UserError
        As for ``load_template``.
    """
    return Rubric(name, load_template(package, name, overrides), tuple(fields), strict)


async def rate(
    speak: Speak,
    rubric: Rubric,
    record: Mapping[str, Any],
    *,
    draw: str,
    role: str = "judge",
    attempts: int = ATTEMPTS,
    **settings: Any,
) -> Asked[dict[str, Any]]:
    """Have one record judged once, asking again while the reply cannot be read.

    Parameters
    ----------
    speak : Speak
    rubric : Rubric
    record : mapping
        One entry for each slot of the rubric's template.
    draw : str
        The rating's name, unique in the unit.
    role : str
        Who is asked.
    attempts : int
        As for ``ask``.
    **settings
        Passed on to ``speak``.

    Returns
    -------
    Asked of dict
        Field to value, or the reason.
    """
    return await ask(
        speak,
        role,
        rubric.messages(record),
        lambda reply: rubric.read(reply, record),
        draw=draw,
        attempts=attempts,
        schema=rubric.schema,
        **settings,
    )


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple) and value:
        return "[\n" + ",\n".join(map(json_slot, value)) + "\n]"
    return json_slot(value)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts_in(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _texts_in(inner)
