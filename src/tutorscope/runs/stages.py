"""Stages, cells and units: how the work of a run is cut into pieces that are done or owed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tutorscope.models.speaking import Embed, Speak
from tutorscope.runs.inputs import InputSet

if TYPE_CHECKING:
    from tutorscope.runs.plan import Job


def fingerprint(value: Any) -> str:
    """Hash plain data: 16 hex digits of the sha256 of its canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class Cell:
    """A stage for one combination of roles and condition.

    Parameters
    ----------
    stage : str
        The stage's name.
    roles : mapping
        Role to the name of the model that plays it, for the roles that the stage declares and no more.
    condition : mapping
        The instrument's factors in this cell: factor to a string, number or bool.
    made_of : mapping
        What the cell was made from, by field: prompt and rubric hashes, instrument version. Runs add each role's
        identity. The same key with another ``made_of`` is refused, naming the field.
    replicates : int
        How many times each item is done. More replicates are growth.
    """

    stage: str
    roles: Mapping[str, str] = field(default_factory=dict)
    condition: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    made_of: Mapping[str, str] = field(default_factory=dict)
    replicates: int = 1

    @property
    def key(self) -> str:
        """The cell's readable identity, as logs, tables and the journal write it."""
        parts = [f"{k}={v}" for k, v in sorted(self.roles.items())]
        parts += [f"{k}={_plain(v)}" for k, v in sorted(self.condition.items())]
        return "|".join([self.stage, *parts])

    @property
    def title(self) -> str:
        """The cell as a person reads it. A role and a factor of one name that say the same are said once."""
        parts = {f"{k} {_plain(v)}": None for named in (self.roles, self.condition) for k, v in sorted(named.items())}
        return ", ".join([self.stage, *parts])

    @property
    def slug(self) -> str:
        """A file name for the cell: readable, and unique by a hash of the key."""
        readable = re.sub(r"[^A-Za-z0-9.=-]+", "_", self.key)[:80].strip("_")
        return f"{readable}-{fingerprint(self.key)[:8]}"


@dataclass(frozen=True)
class Unit:
    """What is done or owed: an item and a replicate in a cell.

    Parameters
    ----------
    item : str
        The item's id: unique among the stage's items and free of line breaks.
    replicate : int
        From 0.
    upstream : mapping
        Hashes of the earlier stages' results that the unit was made from, by stage. If they move, another unit is
        owed.
    data : mapping
        What the rule needs, as plain data.
    view : mapping
        What a tutor written as a function may see of the item: never answers, keys, verdicts or rubrics.
    """

    item: str
    replicate: int = 0
    upstream: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    view: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The unit's id in its cell: item, replicate and, if derived, a hash of what it derives from."""
        derived = f"@{fingerprint(self.upstream)[:8]}" if self.upstream else ""
        return f"{self.item}{derived}~{self.replicate}"


@dataclass(frozen=True)
class Done:
    """A finished unit as the logs hold it.

    Parameters
    ----------
    cell : str
        The cell's key.
    roles, condition : mapping
        As in the cell.
    unit, item : str
        The unit's and the item's id.
    replicate : int
        From 0.
    result : mapping
        What the rule returned.
    calls : sequence of mapping
        One record a reply, replayed ones included: role, draw, attempt, finish, model, usage, seconds, replayed.
    """

    cell: str
    roles: Mapping[str, str]
    condition: Mapping[str, Any]
    unit: str
    item: str
    replicate: int
    result: Mapping[str, Any]
    calls: Sequence[Mapping[str, Any]]

    @property
    def sha(self) -> str:
        """The hash that derived units carry."""
        return fingerprint(self.result)


@dataclass(frozen=True)
class Calls:
    """How many calls of one role a unit takes, and how many tokens one call reads and writes."""

    role: str
    least: int
    expected: float
    most: int
    input_tokens: float
    output_tokens: float


@dataclass(frozen=True)
class Kept:
    """What a cell's finished units leave under ``inputs/``: what later units are held to.

    Parameters
    ----------
    sets : sequence of InputSet
        An item is written once. What a log says of it later changes nothing.
    lacking : str
        Why there is nothing to keep although the work is done, in one line; "" where nothing is amiss.
    """

    sets: Sequence[InputSet] = ()
    lacking: str = ""


Owed = Mapping[str, tuple[Cell, Sequence[Unit]]]
"""Cell key to the cell and its owed units."""


class Upstream(Protocol):
    """The finished units of an earlier stage."""

    def __call__(self, stage: str) -> Sequence[Done]:
        """Give a stage's finished units, over all its cells."""
        ...


Rule = Callable[[Unit, Speak, Embed], Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True)
class Stage:
    """One step of an instrument.

    Parameters
    ----------
    name : str
        A word.
    roles : tuple of str
        The roles that it speaks to, and no more: a baseline has no tutor and is shared by all tutors.
    cells : callable
        From one ask to its cells. A run's cells are the union over its asks; replicates take the largest.
    units : callable
        From the job, a cell and the upstream results to the cell's units of one replicate set: all that can be named
        now. Called again after each upstream stage.
    rule : callable
        From the job and a cell to the cell's rule (templates are loaded here, once): an async function of a unit,
        ``speak`` and ``embed`` to a JSON-able result. A rule does no I/O of its own.
    calls : callable
        From the job, a cell and a unit to the calls that it takes (least, expected, most), for estimates.
    ahead : callable, optional
        The same for a whole cell of a derived stage while its units cannot be named yet.
    after : tuple of str
        The stages whose results its units derive from.
    whole : bool
        Its units derive from all upstream results together: it waits until the stages before it owe nothing.
    stateless : bool
        Its calls must not depend on each other: a stateful tutor is refused.
    hold_served : bool
        Another served model than the one that first served a role under its name stops the run.
    gate : callable, optional
        From the job, a cell and the upstream results to why the cell must not be begun, in one line ("" if it may):
        a student who turns out not to be weak. What was made before stays. While cells that this one derives from
        still owe units the cell waits; after that it is refused.
    keeps : callable, optional
        From the job, a cell and the upstream results (its own stage's too) to what its finished units leave under
        ``inputs/``: categories that were made once. Stages after it read them from ``job.items`` and never from logs.
    """

    name: str
    roles: tuple[str, ...]
    cells: Callable[[Mapping[str, Any], Mapping[str, Sequence[str]]], Iterable[Cell]]
    units: Callable[[Job, Cell, Upstream], Iterable[Unit]]
    rule: Callable[[Job, Cell], Rule]
    calls: Callable[[Job, Cell, Unit], Sequence[Calls]]
    after: tuple[str, ...] = ()
    ahead: Callable[[Job, Cell], Sequence[Calls]] | None = None
    whole: bool = False
    stateless: bool = False
    hold_served: bool = False
    gate: Callable[[Job, Cell, Upstream], str] | None = None
    keeps: Callable[[Job, Cell, Upstream], Kept] | None = None


def _plain(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
