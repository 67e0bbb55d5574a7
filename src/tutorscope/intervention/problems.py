"""Problems: what a student is asked and what an answer is held against, and the sets of them that can be loaded."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tutorscope.chats.reader import BadRecord
from tutorscope.chats.records import records
from tutorscope.chats.sources import open_source
from tutorscope.errors import UserError
from tutorscope.intervention.adapters import DOMAINS, adapt
from tutorscope.intervention.starter import starter_file
from tutorscope.models.credentials import scrub
from tutorscope.texts.plain import shorten

STARTER = "starter"
"""The name of the package's own set of each domain."""

_HUB = "hf:"
_HUB_FORM = "hf:ID@REVISION, then :SPLIT and :CONFIG if you want, such as hf:HuggingFaceH4/MATH-500@COMMIT:test"
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Problem:
    """One problem.

    Parameters
    ----------
    id : str
        Unique in its set.
    domain : {"math", "code", "teasers"}
    question : str
    reference : str
        What an answer is graded against: a worked solution, a program that is right, a teaser's answer.
    title : str
    answer : str
        Of mathematics, the final answer alone.
    accepted : tuple of str
        Of a teaser, other answers that are right.
    code : str
        Of a program, the one with the bug.
    tests : str
        Statements to put behind a program: they run through if it is right and raise if it is not.
    topic, difficulty : str
        In the words of the set.
    """

    id: str
    domain: str
    question: str
    reference: str
    title: str = ""
    answer: str = ""
    accepted: tuple[str, ...] = ()
    code: str = ""
    tests: str = ""
    topic: str = ""
    difficulty: str = ""

    def data(self) -> dict[str, Any]:
        """Give it as plain data, which ``problem_from_data`` reads back equal."""
        return {
            "id": self.id,
            "domain": self.domain,
            "title": self.title,
            "question": self.question,
            "code": self.code,
            "reference": self.reference,
            "answer": self.answer,
            "accepted": list(self.accepted),
            "tests": self.tests,
            "topic": self.topic,
            "difficulty": self.difficulty,
        }

    @property
    def view(self) -> dict[str, str]:
        """What a student or a function may see of it: nothing of its answer."""
        return {
            "id": self.id,
            "domain": self.domain,
            "title": self.title,
            "question": self.question,
            "code": self.code,
        }


def problem_from_data(data: Mapping[str, Any]) -> Problem:
    """Read back what ``Problem.data`` gave.

    Parameters
    ----------
    data : mapping
    """
    return Problem(**{**data, "accepted": tuple(data.get("accepted", ()))})


@dataclass(frozen=True)
class Loaded:
    """A set of problems.

    Parameters
    ----------
    problems : tuple of Problem
        In the order of their source.
    facts : mapping
        What a plan records. ``source`` ("starter", "file" or "hub") and, of a file, ``file`` and ``sha256``, of the
        hub ``dataset``, ``revision``, ``pinned`` (the revision is a commit, which nobody can move), ``split`` and
        ``config``; ``domain``; ``records``, how many it holds; ``problems``, how many are taken; ``left_out``, reason
        to count; ``fields``, what was read from which field, and ``unused_fields``; ``ids``, where they come from;
        ``limit``.
    """

    problems: tuple[Problem, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


def load_problems(spec: str, domain: str, limit: int | None = None) -> Loaded:
    """Load a set of problems.

    Parameters
    ----------
    spec : str
        "starter", a file (JSON lines, a JSON list, CSV or Parquet), or ``hf:ID@REVISION[:SPLIT[:CONFIG]]``, a data set
        of the Hugging Face hub (split "test" if none is named), which is loaded through Inspect.
    domain : {"math", "code", "teasers"}
    limit : int, optional
        Take the first so many. The others are read and checked all the same, and counted as ``over_limit``.

    Raises
    ------
    UserError
        The source cannot be read, holds no problem of this domain, or one that is not fit; one line says where.

    Examples
    --------
    >>> loaded = load_problems("starter", "math", limit=2)
    >>> [problem.id for problem in loaded.problems]
    ['math-01', 'math-02']
    """
    if domain not in DOMAINS:
        raise UserError(f"domain: found {shorten(domain, 40)!r}, expected one of {', '.join(DOMAINS)}")
    if limit is not None and limit < 1:
        raise UserError(f"limit: found {limit}, expected at least 1")
    if spec == STARTER:
        with starter_file(domain) as path:
            return _taken(_file_records(path), domain, f"the starter set of {domain}", {"source": "starter"}, limit)
    if spec.startswith(_HUB):
        hub = parse_hub(spec)
        return _taken(_hub_records(hub), domain, hub.name, {"source": "hub", **hub.facts}, limit)
    path = Path(spec)
    rows = _file_records(path)
    facts = {"source": "file", "file": path.name, "sha256": open_source(path).sha256()}
    return _taken(rows, domain, str(path), facts, limit)


@dataclass(frozen=True)
class Hub:
    """A data set of the Hugging Face hub, held to a revision.

    Parameters
    ----------
    dataset, revision, split : str
    config : str or None
    """

    dataset: str
    revision: str
    split: str = "test"
    config: str | None = None

    @property
    def name(self) -> str:
        """Name it for messages."""
        parts = [f"{_HUB}{self.dataset}@{self.revision}", self.split, *([self.config] if self.config else [])]
        return ":".join(parts)

    @property
    def facts(self) -> dict[str, Any]:
        """What a plan records of it."""
        return {
            "dataset": self.dataset,
            "revision": self.revision,
            "pinned": bool(_COMMIT.fullmatch(self.revision)),
            "split": self.split,
            "config": self.config,
        }


def parse_hub(spec: str) -> Hub:
    """Read ``hf:ID@REVISION[:SPLIT[:CONFIG]]``.

    Parameters
    ----------
    spec : str

    Raises
    ------
    UserError
        There is no revision, or it is the branch that every data set moves on, or a part is empty or no name.
    """
    shown = shorten(spec, 100)
    dataset, at, rest = spec.removeprefix(_HUB).partition("@")
    revision, *more = rest.split(":") if at else [""]
    if not revision:
        raise UserError(f"{shown}: no revision; expected {_HUB_FORM}, so that the set stays what it is")
    if revision == "main":
        raise UserError(f"{shown}: main moves on as the data set does; expected the commit: {_HUB_FORM}")
    if len(more) > 2 or not all(_PART.fullmatch(part) for part in (dataset, revision, *more)):
        raise UserError(f"{shown}: found something that is no name or too many parts; expected {_HUB_FORM}")
    return Hub(dataset, revision, *more)


def _taken(
    rows: Sequence[tuple[str, Any]], domain: str, name: str, facts: Mapping[str, Any], limit: int | None
) -> Loaded:
    adapted = adapt(rows, domain, name)
    kept = tuple(problem_from_data(fields) for fields in adapted.fields)
    left_out = dict(adapted.left_out)
    if not kept:
        counts = ", ".join(f"{reason} {count:,}" for reason, count in left_out.items())
        raise UserError(f"{name}: none of {len(rows):,} problems can be used: {counts}")
    if limit is not None and limit < len(kept):
        left_out["over_limit"] = len(kept) - limit
    problems = kept[:limit]
    counted = {
        "domain": domain,
        "records": len(rows),
        "problems": len(problems),
        "left_out": left_out,
        "fields": dict(adapted.read_from),
        "unused_fields": list(adapted.unused),
        "ids": adapted.ids,
        "limit": limit,
    }
    return Loaded(problems, {**facts, **counted})


def _file_records(path: Path) -> list[tuple[str, Any]]:
    if not path.exists():
        raise UserError(f"{path}: there is no such file; expected a file, {STARTER} or {_HUB_FORM}")
    if not path.is_file():
        raise UserError(f"{path}: is no file, expected JSON lines, a JSON list, CSV or Parquet")
    if not path.stat().st_size:
        raise UserError(f"{path}: is empty, expected problems")
    rows = []
    for record in records(open_source(path)):
        if isinstance(record, BadRecord):
            raise UserError(f"{path}: {record.where}: {record.message}")
        rows.append((record.where, record.value))
    return rows


def _hub_records(hub: Hub) -> list[tuple[str, Any]]:
    from inspect_ai.dataset import Sample, hf_dataset

    def as_sample(record: dict[str, Any]) -> Sample:
        return Sample(input="", metadata={"record": record})

    try:
        # The loader prints where it loads from; standard output belongs to our own reports.
        with contextlib.redirect_stdout(sys.stderr):
            samples = hf_dataset(
                hub.dataset, split=hub.split, name=hub.config, revision=hub.revision, sample_fields=as_sample
            )
    except Exception as problem:
        # Whatever goes wrong there, offline or on, the user needs one line and no secret of the hub's address.
        why = shorten(scrub(_plain_markup(str(getattr(problem, "message", None) or problem))), 200)
        raise UserError(f"{hub.name}: cannot be loaded ({why or type(problem).__name__})") from None
    return [(f"row {number}", (sample.metadata or {})["record"]) for number, sample in enumerate(samples, 1)]


def _plain_markup(message: str) -> str:
    return re.sub(r"\[/?bold\]", "", message)
