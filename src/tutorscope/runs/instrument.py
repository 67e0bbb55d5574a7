"""The record that every instrument offers. Command line, runs and reports go over it and know no instrument by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click
    import pandas as pd

    from tutorscope.models.speakers import Speaker
    from tutorscope.pictures.blocks import Published, Section
    from tutorscope.runs.folder import RunFolder
    from tutorscope.runs.inputs import InputSet
    from tutorscope.runs.plan import Job
    from tutorscope.runs.stages import Stage

Tables = Mapping[str, "pd.DataFrame"]


@dataclass(frozen=True)
class Ask:
    """What one invocation asks of a run, before roles are added.

    Parameters
    ----------
    options : mapping
        The instrument's options as plain data: what the plan records and ``Stage.cells`` reads.
    inputs : sequence of InputSet
        Items to put under ``inputs/`` (none when a run is only resumed).
    notes : sequence of str
        What the user should read before the first call, one line each.
    material : sequence of InputSet
        What a new run works on where the user named nothing else; a run that is begun has its own.
    speakers : sequence of Speaker
        Those whom the instrument's own options name, beside the roles that have options of their own.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: Sequence[InputSet] = ()
    notes: Sequence[str] = ()
    material: Sequence[InputSet] = ()
    speakers: Sequence[Speaker] = ()


@dataclass(frozen=True)
class RunLike:
    """A command of an instrument's own that asks a run for something else than its ``run`` does.

    It takes the same shared options, and what it asks goes through the same plan, journal and report.

    Parameters
    ----------
    name : str
        The word in the command.
    help : str
        What ``--help`` says: the first line stands in the list of commands.
    options : callable
        To its click parameters beside the shared ones.
    ask : callable
        From those parameters' values to an Ask.
    executes : bool
        Whether it goes on to do what it asked, or only records it: a study that is frozen before collection.
    roles : tuple of str
        Those of the instrument's roles that it speaks to; all of them by default.
    """

    name: str
    help: str
    options: Callable[[], Sequence[click.Parameter]]
    ask: Callable[[Mapping[str, Any]], Ask]
    executes: bool = True
    roles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """What an instrument's ``analyze`` takes beside runs.

    Parameters
    ----------
    options : callable
        To click parameters.
    tables : callable
        From the tables of the runs that were named (empty if none was) and those parameters' values to the tables that
        the numbers are made of.
    """

    options: Callable[[], Sequence[click.Parameter]]
    tables: Callable[[Tables, Mapping[str, Any]], Tables]


def _no_conflicts(job: Job) -> Iterable[str]:
    # It has a name, so that a record can be sent to another process.
    return ()


@dataclass(frozen=True)
class Instrument:
    """One instrument.

    Callables import what they need when called, so that the record itself costs nothing to load.

    Parameters
    ----------
    name : str
        The word in commands and folders.
    title : str
        One line: the question it answers.
    version : int
        The comparability version: it moves when results stop being comparable.
    roles : tuple of str
        The roles it can speak to, in the order of ``--help``.
    factors : tuple of str
        The names that a cell's condition may hold.
    stages : callable
        To its stages, in order.
    passes : tuple of str
        The stages that are judge passes over frozen text: what ``tutorscope judge`` can add to.
    run_options : callable
        To the click parameters of its ``run`` beside the shared ones.
    ask : callable
        From those parameters' values to an Ask.
    check_command : callable
        To the click command that checks its material.
    tables : callable
        From a run folder to tidy tables by name, rebuilt from logs and inputs.
    measures : callable
        From the tables of one or more runs to tables of numbers by name.
    headline : callable
        From tables and measures to the few lines that ``run`` ends with.
    sections : callable
        From tables, measures, the folder for figures and the wish for texts ("none", "sample", "all") to sections.
    published : callable
        To the paper's figures.
    prompts : tuple of str
        The packages that hold its templates: what --prompts may replace.
    demo : callable
        To the arguments of the ``run`` that ``tutorscope demo`` starts.
    commands : callable
        To the click commands of its own.
    run_like : callable
        To those of its own that ask for work, as ``run`` does.
    forms : callable
        To the rater forms that it offers, by name.
    conflicts : callable
        From the job to what its asks must not differ in, one line each: such an ask is refused.
    people_role : str
        The role that files of what people did may play: ``--tutor people:FILE`` goes to ``ask`` under "people".
    analysis : Analysis, optional
        What its ``analyze`` takes beside runs: numbers can then be made of tables alone.
    """

    name: str
    title: str
    version: int
    roles: tuple[str, ...]
    factors: tuple[str, ...]
    stages: Callable[[], Sequence[Stage]]
    passes: tuple[str, ...]
    run_options: Callable[[], Sequence[click.Parameter]]
    ask: Callable[[Mapping[str, Any]], Ask]
    tables: Callable[[RunFolder], Tables]
    measures: Callable[[Tables], Tables]
    headline: Callable[[Tables, Tables], Sequence[str]]
    sections: Callable[[Tables, Tables, Path, str], Sequence[Section]]
    published: Callable[[], Sequence[Published]]
    demo: Callable[[], Sequence[str]]
    check_command: Callable[[], click.Command]
    prompts: tuple[str, ...] = ()
    commands: Callable[[], Iterable[click.Command]] = tuple
    run_like: Callable[[], Sequence[RunLike]] = tuple
    forms: Callable[[], Mapping[str, Any]] = dict
    conflicts: Callable[[Job], Iterable[str]] = _no_conflicts
    people_role: str = ""
    analysis: Analysis | None = None
