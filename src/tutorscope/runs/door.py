"""``speak`` and ``embed``: the only doors from a rule to a model.

Each reply that arrives whole is written to the call journal before the rule sees it. A unit that is started again is
answered from the journal, so that a kill at any moment repeats no reply that arrived.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from tutorscope.models.asking import as_sent, ask, requested_settings
from tutorscope.models.credentials import scrub
from tutorscope.models.functions import FunctionError, cancelled_from_outside, serving
from tutorscope.models.speakers import Speaker
from tutorscope.models.speaking import Embed, NoReplyError, Reply, Speak, Usage
from tutorscope.runs.journal import CallKey, Held, Journal
from tutorscope.runs.plan import Job
from tutorscope.runs.progress import Counter
from tutorscope.runs.stages import Cell, Stage, Unit, fingerprint
from tutorscope.runs.vectors import VectorJournal
from tutorscope.texts.messages import Message
from tutorscope.texts.plain import shorten, strip_controls


class CallError(NoReplyError):
    """A call gave no reply: the unit errs. The message is one scrubbed line."""


class DrawError(Exception):
    """A rule asked for one draw twice, or with another request than the journal holds: a fault in the rule."""


class StoppedError(NoReplyError):
    """The run was stopped by a finding that no further call can mend."""


@dataclass(frozen=True)
class _Question:
    """One call, as the rule asked for it."""

    cell: Cell
    unit: Unit
    speaker: Speaker
    messages: Sequence[Message]
    draw: str
    attempt: int
    seed: int
    schema: Mapping[str, Any] | None
    view: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def key(self) -> CallKey:
        return (self.speaker.role, self.draw, self.attempt)

    @property
    def request(self) -> str:
        sent = as_sent(self.speaker, self.messages)
        return fingerprint([sent, requested_settings(self.speaker, self.settings, seed=self.seed), self.schema])


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
        (role, name) to the model that served it first, from finished units: cells are compared with one another.
    counter : Counter
        Told of calls, tokens and units.
    """

    def __init__(
        self,
        job: Job,
        stage: Stage,
        journal: Journal,
        held: Mapping[tuple[str, str], Held],
        served: Mapping[tuple[str, str], str],
        counter: Counter,
    ) -> None:
        self.job = job
        self.stage = stage
        self.journal = journal
        self.counter = counter
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
        visit = self._begin(cell, unit)

        async def speak(
            role: str,
            messages: Sequence[Message],
            *,
            draw: str,
            attempt: int = 0,
            seed: int | None = None,
            schema: Mapping[str, Any] | None = None,
            view: Mapping[str, Any] | None = None,
            **settings: Any,
        ) -> Reply:
            speaker, base = _seedless(self._speaker(cell, role))
            if seed is None:
                seed = derived_seed(cell.key, unit.id, role, draw, attempt, base)
            seen = unit.view if view is None else view
            question = _Question(cell, unit, speaker, messages, draw, attempt, seed, schema, seen, settings)
            line = self._claim(visit, question)
            if line is None:
                reply = await self._call(visit, question)
            else:
                reply = _replayed(line)
                self._same_served(cell, role, reply)
                self.counter.replayed()
            visit.calls.append({"role": role, "draw": draw, "attempt": attempt, **_facts(reply)})
            return reply

        async def embed(texts: Sequence[str]) -> Any:
            return await self._vectors.embed(self._speaker(cell, "embedder"), texts)

        return speak, embed, visit.calls

    def _begin(self, cell: Cell, unit: Unit) -> _Visit:
        held = self._held.get((cell.key, unit.id), Held({}, 0))
        times = held.set_aside
        replies: Mapping[CallKey, Mapping[str, Any]] = held.replies
        if replies and any(self.job.speaker(role, name).stateful for role, name in cell.roles.items()):
            # A stateful model cannot be put back where it was: the unit starts again whole, as a new session.
            times += 1
            self.journal.append("set_aside", cell.key, unit.id, replies=len(replies), times=times)
            replies = {}
        return _Visit(session=f"{fingerprint([cell.key, unit.id])}-{times}", held=replies)

    def _speaker(self, cell: Cell, role: str) -> Speaker:
        if role not in cell.roles:
            raise DrawError(f"stage {cell.stage!r} does not declare the role {role!r}: it has no model to speak to")
        return self.job.speaker(role, cell.roles[role])

    def _claim(self, visit: _Visit, question: _Question) -> Mapping[str, Any] | None:
        """Hold a draw to one request; give the journal's line, if it holds one."""
        self._go_on()
        role, draw, attempt = question.key
        if question.key in visit.asked:
            raise DrawError(f"draw {draw!r}, attempt {attempt} of the {role} was asked twice in one unit")
        visit.asked.add(question.key)
        line = visit.held.get(question.key)
        if line is not None and line["request"] != question.request:
            raise DrawError(
                f"draw {draw!r}, attempt {attempt} of the {role}: the journal holds a reply to request "
                f"{line['request']}, the rule now asks {question.request}"
            )
        return line

    async def _call(self, visit: _Visit, question: _Question) -> Reply:
        from inspect_ai.model import get_model

        if self._slots is None:
            self._slots = anyio.CapacityLimiter(self.job.limits.max_connections)
        role, draw, attempt = question.key
        where = (question.cell.key, question.unit.id)
        name: dict[str, Any] = {"role": role, "draw": draw, "attempt": attempt, "request": question.request}
        model = get_model(role=role, required=True)
        session = visit.session if question.speaker.stateful else None
        async with self._slots:
            self._go_on()
            try:
                with serving(session, question.view, role=role, draw=draw, attempt=attempt):
                    reply = await ask(
                        model,
                        question.speaker,
                        question.messages,
                        settings=question.settings,
                        seed=question.seed,
                        schema=question.schema,
                    )
            except (Exception, anyio.get_cancelled_exc_class()) as problem:
                if not isinstance(problem, Exception) and cancelled_from_outside():
                    self.journal.append("cancelled", *where, **name)
                    raise
                reason = _failure(problem)
                self.journal.append("error", *where, **name, reason=reason)
                self.counter.failed()
                # The provider's own error may quote the request: only its scrubbed last line goes on.
                raise CallError(reason) from None
            # Another model's reply is kept as evidence and never replayed: the run goes on when the first is back.
            kind = "reply" if self._same_served(question.cell, role, reply) else "foreign"
            self.journal.append(kind, *where, **name, name=question.speaker.name, **reply.record())
        self.counter.replied(question.speaker, reply.usage)
        self._go_on()
        return reply

    def _same_served(self, cell: Cell, role: str, reply: Reply) -> bool:
        if not self.stage.hold_served or not reply.model:
            return True
        name = cell.roles[role]
        first = self._served.setdefault((role, name), reply.model)
        if first != reply.model:
            self.stopped = (
                f"{cell.key}: the {role} {name!r} was served as {first!r} and is now served as {reply.model!r}; "
                "what two models said must not be compared"
            )
        return first == reply.model

    def _go_on(self) -> None:
        if self.stopped:
            raise StoppedError(self.stopped)


def derived_seed(cell: str, unit: str, role: str, draw: str, attempt: int, base: int | None = None) -> int:
    """Derive a call's seed from its name, so that the same plan asks with the same seeds.

    Parameters
    ----------
    cell, unit, role, draw, attempt
        The call's name.
    base : int, optional
        A seed that the user set for the role: another base gives other seeds everywhere, and two draws never share
        one.

    Returns
    -------
    int
        From 0 to 2**31 - 1.
    """
    name = "\x1f".join([str(base), cell, unit, role, draw, str(attempt)])
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:4], "big") >> 1


def _seedless(speaker: Speaker) -> tuple[Speaker, int | None]:
    """Take a role's own seed out of its settings: sent as it is, it would make every draw of a prompt the same."""
    if "seed" not in speaker.settings:
        return speaker, None
    rest = {name: value for name, value in speaker.settings.items() if name != "seed"}
    return replace(speaker, settings=rest), int(speaker.settings["seed"])


def _failure(problem: BaseException) -> str:
    """Name why something gave no reply, in one scrubbed line. Inspect puts the request first and the finding last."""
    if not isinstance(problem, Exception):
        return "the call was cancelled in its client, not by this run"
    if isinstance(problem, FunctionError):
        # It says itself whose it is, and where.
        return strip_controls(str(problem))
    # Hidden before it is cut: half a secret would not be known for one.
    said = scrub(str(getattr(problem, "provider_message", None) or problem))
    lines = [line for line in said.strip().splitlines() if line.strip()]
    kind = type(problem.__cause__ if problem.__cause__ is not None else problem).__name__
    return f"{kind}: {shorten(lines[-1], 200)}" if lines else kind


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
