"""Variant sets: files of new problems that can be read, edited, and used again in place of written ones."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tutorscope.chats.reader import BadRecord
from tutorscope.chats.records import records
from tutorscope.chats.sources import open_source
from tutorscope.errors import UserError
from tutorscope.intervention.problems import Problem, problem_from_data
from tutorscope.intervention.student import DOMAINS
from tutorscope.intervention.variants import DROPPED, VALID, WRITTEN, Variant, original_sha, variant_id
from tutorscope.runs.inputs import InputSet, Item
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.plain import shorten

VARIANTS = "variants/"
"""The input sets that hold them."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_SHA = re.compile(r"[0-9a-f]{64}")
_TEXTS = ("title", "question", "code", "reference", "answer", "skill", "group", "why")
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "math": ("question", "answer"),
    "code": ("question", "code", "reference"),
    "teasers": ("question", "reference"),
}
_KNOWN = {"problem", "variant", "original_sha256", "state", "domain", "accepted", "tests", *_TEXTS}


def write_variant_set(path: Path, variants: Iterable[Variant]) -> dict[str, int]:
    """Write a variant set: JSON lines, one candidate a line, the dropped ones too with why they were dropped.

    Reading takes those whose ``state`` is "valid": to use a dropped one, set its state; to do without one, take out its
    line. Candidates that could not be read have no text and are only counted.

    Parameters
    ----------
    path : Path
        A file that is not there yet: one may have been edited.
    variants : iterable of Variant

    Returns
    -------
    dict
        State to count, of all of them.

    Raises
    ------
    UserError
        The file is there already, or cannot be written.
    """
    held = list(variants)
    lines = [json.dumps(_row(one, one.content), ensure_ascii=False) + "\n" for one in held if one.content]
    try:
        with path.open("x", encoding="utf-8", newline="\n") as out:
            out.writelines(lines)
    except FileExistsError:
        raise UserError(f"{path}: is there already; expected a new file's name") from None
    except OSError as problem:
        raise UserError(f"{path}: cannot be written ({problem.strerror})") from None
    return dict(Counter(one.state for one in held))


def _row(variant: Variant, content: Problem) -> dict[str, Any]:
    texts = {name: value for name in ("title", "code", "answer", "tests") if (value := getattr(content, name))}
    return {
        "problem": variant.problem,
        "variant": variant.name,
        "state": variant.state,
        "domain": content.domain,
        "original_sha256": variant.original,
        "question": content.question,
        "reference": content.reference,
        **texts,
        **({"accepted": list(content.accepted)} if content.accepted else {}),
        "skill": variant.skill,
        "group": variant.group,
        **({"why": variant.why} if variant.why else {}),
    }


def read_variant_set(spec: str, limit: int | None = None) -> InputSet:
    """Read a variant set as a run's input.

    Parameters
    ----------
    spec : str
        ``[NAME=]FILE``; without a name, the file's own without its ending.
    limit : int, optional
        Take the variants of the first so many problems.

    Returns
    -------
    InputSet
        "variants/NAME". Its facts count the lines that were left out, by state. Whether the variants belong to a run's
        problems is for `check_variants`.

    Raises
    ------
    UserError
        The file cannot be read, or a line is not fit; the message names it.
    """
    name, path = _named(spec)
    rows = [_Line(path, *row) for row in _rows(path)]
    kept: dict[str, Item] = {}
    places: dict[str, str] = {}
    left_out: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    taken: dict[str, None] = {}
    for line in rows:
        problem = line.text("problem", needed=True)
        numbers[problem] += 1
        name_of = line.name(f"v{numbers[problem]}")
        key = variant_id(problem, name_of)
        if key in places:
            raise line.wrong(f"variant {key!r} stands in {places[key]} already; expected each once")
        places[key] = line.where
        state = line.state()
        if state != VALID:
            left_out[state] += 1
            continue
        data = line.data(problem, name_of)
        if limit is not None and problem not in taken and len(taken) >= limit:
            left_out["over_limit"] += 1
            continue
        taken[problem] = None
        # Where a line stands is no part of what it says.
        sha = fingerprint({field: value for field, value in data.items() if field != "line"})
        kept[key] = Item(key, sha, data)
    if not kept:
        said = ", ".join(f"{state} {n}" for state, n in left_out.items()) or "no line"
        raise UserError(f"{path}: holds no valid variant ({said}); expected at least one")
    facts = {
        "file": path.name,
        "sha256": open_source(path).sha256(),
        "variants": len(kept),
        "problems": len(taken),
        "left_out": dict(left_out),
        "unused_fields": sorted({field for line in rows for field in line.row} - _KNOWN),
    }
    return InputSet(f"{VARIANTS}{name}", list(kept.values()), facts)


def check_variants(items: Sequence[Item], problems: Mapping[str, Problem]) -> None:
    """Refuse variants of problems that a run does not have, or whose text has changed since.

    Parameters
    ----------
    items : sequence of Item
        As `read_variant_set` gives them.
    problems : mapping
        The run's problems by id.

    Raises
    ------
    UserError
        It names the first such line.
    """
    if why := misfit(items, problems):
        raise UserError(why)


def misfit(items: Sequence[Item], problems: Mapping[str, Problem]) -> str:
    """Say which line of a set does not belong to a run's problems, and why; "" if all do."""
    for item in items:
        if why := _misfit(item.data, problems):
            return f"{item.data['line']}: {why}"
    return ""


def _misfit(data: Mapping[str, Any], problems: Mapping[str, Problem]) -> str:
    original = problems.get(data["problem"])
    if original is None:
        return f"problem: found {shorten(data['problem'], 80)!r}, expected a problem of this run"
    if original.domain != data["content"]["domain"]:
        return f"domain: found {data['content']['domain']!r}, expected that of its problem, {original.domain!r}"
    if original_sha(original) != data["original"]:
        found, expected = data["original"][:12], original_sha(original)[:12]
        return (
            f"original_sha256: found {found}..., expected {expected}...: the problem {shorten(original.id, 80)!r} "
            "of this run is not the one that the variant was written for"
        )
    return ""


def set_variants(items: Sequence[Item]) -> list[Variant]:
    """Give a set's variants from a run's inputs."""
    return [
        Variant(
            problem=item.data["problem"],
            name=item.data["name"],
            original=item.data["original"],
            state=item.data["state"],
            content=problem_from_data(item.data["content"]),
            skill=item.data["skill"],
            group=item.data["group"],
        )
        for item in items
    ]


def is_name(text: str) -> bool:
    """Tell whether a text can name a set: in a file's name, a cell's key and a table alike."""
    return _NAME.fullmatch(text) is not None


def _named(spec: str) -> tuple[str, Path]:
    name, equals, file = spec.partition("=")
    # A path may hold an equals sign too.
    if not equals or not is_name(name):
        name, file = Path(spec).name.partition(".")[0], spec
    if not is_name(name):
        raise UserError(f"--variants: cannot name the set {shorten(name, 60)!r}; expected NAME=FILE with a plain name")
    return name, Path(file)


def _rows(path: Path) -> list[tuple[str, Any]]:
    if not path.is_file():
        raise UserError(f"{path}: there is no such file; expected a variant set (JSON lines)")
    if not path.stat().st_size:
        raise UserError(f"{path}: is empty, expected a variant set (JSON lines)")
    rows = []
    for record in records(open_source(path)):
        if isinstance(record, BadRecord):
            raise UserError(f"{path}: {record.where}: {record.message}")
        rows.append((record.where, record.value))
    return rows


class _Line:
    """One line of a file: what it says, or the error that names it."""

    def __init__(self, path: Path, where: str, value: Any) -> None:
        self.path, self.where = path, where
        if not isinstance(value, Mapping):
            raise self.wrong("found no JSON object; expected one with problem, original_sha256, question, ...")
        self.row = value

    def wrong(self, what: str) -> UserError:
        return UserError(f"{self.path}: {self.where}: {what}")

    def text(self, field: str, needed: bool = False) -> str:
        value = self.row.get(field)
        if value is None or value == "":
            value = ""
        if not isinstance(value, str):
            raise self.wrong(f"{field}: found {type(value).__name__} {shorten(str(value), 40)!r}, expected text")
        if needed and not value.strip():
            raise self.wrong(f"{field}: found nothing, expected text")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.wrong(f"{field}: found half a character, expected text that can be written as UTF-8") from None
        return value

    def choice(self, field: str, known: Sequence[str]) -> str:
        value = self.text(field, needed=True).strip()
        if value not in known:
            raise self.wrong(f"{field}: found {shorten(value, 40)!r}, expected one of {', '.join(known)}")
        return value

    def name(self, default: str) -> str:
        name = self.text("variant").strip() or default
        if not is_name(name):
            raise self.wrong(f"variant: found {shorten(name, 60)!r}, expected a plain name such as v1")
        return name

    def state(self) -> str:
        return self.choice("state", (VALID, WRITTEN, *DROPPED)) if self.row.get("state") else VALID

    def data(self, problem: str, name: str) -> dict[str, Any]:
        """Give a valid line as an item's data."""
        domain = self.choice("domain", DOMAINS)
        for field in _NEEDED[domain]:
            self.text(field, needed=True)
        original = self.text("original_sha256", needed=True)
        if not _SHA.fullmatch(original):
            raise self.wrong(f"original_sha256: found {shorten(original, 70)!r}, expected 64 hexadecimal digits")
        accepted = self.row.get("accepted") or []
        if not isinstance(accepted, list) or not all(isinstance(one, str) for one in accepted):
            raise self.wrong("accepted: expected a list of texts")
        content = Problem(
            id=variant_id(problem, name),
            domain=domain,
            question=self.text("question"),
            reference=self.text("reference") or self.text("answer"),
            title=self.text("title"),
            answer=self.text("answer"),
            accepted=tuple(accepted),
            code=self.text("code"),
            tests=self.text("tests"),
        )
        return {
            "problem": problem,
            "name": name,
            "original": original,
            "state": VALID,
            "skill": self.text("skill"),
            "group": self.text("group"),
            "line": f"{self.path.name}: {self.where}",
            "content": content.data(),
        }
