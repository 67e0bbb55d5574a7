"""``speak`` and ``embed``: the only doors from a rule to a model.

Each reply that arrives whole is written to the call journal before the rule sees it. A unit that is started again is
answered from the journal, so that a kill at any moment repeats no reply that arrived.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from tutorscope.models.credentials import scrub
from tutorscope.models.functions import serving
from tutorscope.models.replies import reply_from
from tutorscope.models.speakers import Speaker
from tutorscope.models.speaking import Embed, Reply, Speak, Usage
from tutorscope.runs.journal import CallKey, Held, Journal
from tutorscope.runs.plan import Job
from tutorscope.runs.progress import Meter
from tutorscope.runs.stages import Cell, Stage, Unit, fingerprint
from tutorscope.runs.vectors import VectorJournal
from tutorscope.texts.messages import Message, with_system


class CallError(Exception):
    """A call that gave no reply. The unit errs; the message is the scrubbed reason."""


class DrawError(Exception):
    """A rule asked for one draw twice, or with another request than the journal holds: a fault in the rule."""


class StoppedError(Exception):
    """The run was stopped by a finding that no further call can mend."""


@dataclass
class _Visit:
    """What one started unit has asked and got so far."""

    session: str
    held: Mapping[CallKey, Mapping[str, Any]]
    asked: set[CallKey] = field(default_factory=set)
    calls: list[dict[str, Any]] = field(default_factory=list)


class Door:
    """The way from one stage's units to their models, in one process.

    Parameters
    ----------
    job : Job
    stage : Stage
    journal : Journal
        Open for the stage.
    held : mapping
        (cell key, unit id) to what the journal holds.
    served : mapping
        (cell key, role) to the model that served it first, from finished units.
    meter : Meter
        Counts calls, tokens and money.
    """

    def __init__(
        self,
        job: Job,
        stage: Stage,
        journal: Journal,
        held: Mapping[tuple[str, str], Held],
        served: Mapping[tuple[str, str], str],
        meter: Meter,
    ) -> None:
        self.job = job
        self.stage = stage
        self.journal = journal
        self.meter = meter
        self.stopped: str | None = None
        self._held = held
        self._served = dict(served)
        self._slots: anyio.CapacityLimiter | None = None
        self._vectors = VectorJournal(job.folder.calls)

    def visit(self, cell: Cell, unit: Unit) -> tuple[Speak, Embed, list[dict[str, Any]]]:
        """Start a unit.

        Returns
        -------
        speak, embed
            The doors, scoped to the unit.
        calls : list of dict
            Filled with one record a reply as the unit goes on: what the sample's store keeps.
        """
        held = self._held.get((cell.key, unit.id), Held({}, 0))
        times = held.set_aside
        replies: Mapping[CallKey, Mapping[str, Any]] = held.replies
        if replies and any(self.job.speaker(role, name).stateful for role, name in cell.roles.items()):
            # A stateful model cannot be put back where it was: the unit starts again whole, as a new session.
            times += 1
            self.journal.append("set_aside", cell.key, unit.id, replies=len(replies), times=times)
            replies = {}
        visit = _Visit(session=f"{fingerprint([cell.key, unit.id])}-{times}", held=replies)

        async def speak(
            role: str,
            messages: Sequence[Message],
            *,
            draw: str,
            attempt: int = 0,
            seed: int | None = None,
            schema: Mapping[str, Any] | None = None,
            **settings: Any,
        ) -> Reply:
            speaker = self._speaker(cell, role)
            sent = with_system(messages, speaker.system) if speaker.system is not None else list(messages)
            requested = {**settings, **speaker.settings}
            requested["seed"] = _seed(seed, requested.get("seed"), cell, unit, role, draw, attempt)
            request = fingerprint([sent, requested, schema])
            self._claim(visit, (role, draw, attempt), request)
            line = visit.held.get((role, draw, attempt))
            if line is None:
                reply = await self._call(
                    cell, unit, visit.session, speaker, sent, requested, schema, draw, attempt, request
                )
            else:
                reply = _replayed(line)
                self.meter.replayed()
            self._hold_served(cell, role, reply)
            visit.calls.append({"role": role, "draw": draw, "attempt": attempt, **_facts(reply)})
            return reply

        async def embed(texts: Sequence[str]) -> Any:
            return await self._vectors.embed(self._speaker(cell, "embedder"), texts)

        return speak, embed, visit.calls

    def _speaker(self, cell: Cell, role: str) -> Speaker:
        if role not in cell.roles:
            raise DrawError(f"stage {cell.stage!r} does not declare the role {role!r}: it has no model to speak to")
        return self.job.speaker(role, cell.roles[role])

    def _claim(self, visit: _Visit, key: CallKey, request: str) -> None:
        role, draw, attempt = key
        if self.stopped:
            raise StoppedError(self.stopped)
        if key in visit.asked:
            raise DrawError(f"draw {draw!r}, attempt {attempt} of the {role} was asked twice in one unit")
        visit.asked.add(key)
        line = visit.held.get(key)
        if line is not None and line["request"] != request:
            raise DrawError(
                f"draw {draw!r}, attempt {attempt} of the {role}: the journal holds a reply to request "
                f"{line['request']}, the rule now asks {request}"
            )

    async def _call(
        self,
        cell: Cell,
        unit: Unit,
        session: str,
        speaker: Speaker,
        messages: Sequence[Message],
        requested: Mapping[str, Any],
        schema: Mapping[str, Any] | None,
        draw: str,
        attempt: int,
        request: str,
    ) -> Reply:
        from inspect_ai.model import get_model

        if self._slots is None:
            self._slots = anyio.CapacityLimiter(self.job.limits.max_connections)
        name = {"role": speaker.role, "draw": draw, "attempt": attempt, "request": request}
        model = get_model(role=speaker.role, required=True)
        started = time.monotonic()
        async with self._slots:
            if self.stopped:
                raise StoppedError(self.stopped)
            try:
                told = session if speaker.stateful else None
                with serving(told, unit.view, role=speaker.role, draw=draw, attempt=attempt):
                    output = await model.generate(
                        _inspect_messages(messages), config=_config(self.job, requested, schema)
                    )
                reply = reply_from(output, requested)
            except anyio.get_cancelled_exc_class():
                self.journal.append("cancelled", cell.key, unit.id, **name)
                raise
            except Exception as problem:
                reason = _failure(problem)
                self.journal.append("error", cell.key, unit.id, **name, reason=reason)
                self.meter.failed()
                # The provider's own error may quote the request: only its scrubbed last line goes on.
                raise CallError(reason) from None
        reply = replace(reply, seconds=round(time.monotonic() - started, 3))
        self.journal.append("reply", cell.key, unit.id, **name, name=speaker.name, **reply.record())
        self.meter.replied(speaker, reply)
        return reply

    def _hold_served(self, cell: Cell, role: str, reply: Reply) -> None:
        if not self.stage.hold_served or not reply.model:
            return
        first = self._served.setdefault((cell.key, role), reply.model)
        if first != reply.model:
            self.stopped = (
                f"{cell.key}: the {role} was served as {first!r} and is now served as {reply.model!r}; replies of two "
                "models must not stand in one cell"
            )
            raise StoppedError(self.stopped)


def _seed(given: int | None, base: int | None, cell: Cell, unit: Unit, role: str, draw: str, attempt: int) -> int:
    """Give the rule's seed, or derive one from the call's name (and from the role's own seed, if it has one)."""
    if given is not None:
        return given
    name = "\x1f".join([str(base), cell.key, unit.id, role, draw, str(attempt)])
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:4], "big") >> 1


def _inspect_messages(messages: Sequence[Message]) -> list[Any]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[m["role"]](content=m["content"]) for m in messages]


def _config(job: Job, requested: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Any:
    from inspect_ai.model import GenerateConfig, ResponseSchema
    from inspect_ai.util import JSONSchema

    limits = job.limits
    return GenerateConfig(
        **requested,
        response_schema=ResponseSchema(name="reply", json_schema=JSONSchema(**schema)) if schema else None,
        # ``timeout`` does not cut a hung request, ``attempt_timeout`` does.
        attempt_timeout=limits.attempt_timeout,
        max_retries=limits.max_retries,
        max_connections=limits.max_connections,
    )


def _replayed(line: Mapping[str, Any]) -> Reply:
    return Reply(
        text=line["text"],
        finish=line["finish"],
        model=line["model"],
        usage=Usage(**line["usage"]),
        requested=line["requested"],
        effective=line["effective"],
        seconds=line["seconds"],
        replayed=True,
    )


def _facts(reply: Reply) -> dict[str, Any]:
    """Give what tables need of a reply, its text apart: rules keep what they read of that."""
    facts = reply.record()
    del facts["text"]
    return facts


def _failure(problem: Exception) -> str:
    """Name why a call gave no reply, in one scrubbed line. Inspect puts the request first and the finding last."""
    said = getattr(problem, "provider_message", None) or str(problem)
    lines = [line for line in str(said).strip().splitlines() if line.strip()]
    kind = type(problem.__cause__ if problem.__cause__ is not None else problem).__name__
    return scrub(f"{kind}: {lines[-1].strip()[:200]}" if lines else kind)
