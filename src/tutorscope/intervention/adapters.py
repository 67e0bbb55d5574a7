"""Records of many layouts as problems: recognised by their fields, checked one by one, what is left out counted."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tutorscope.errors import UserError
from tutorscope.runs.stages import fingerprint
from tutorscope.texts.plain import shorten

DOMAINS = ("math", "code", "teasers")

HARDEST = 2.0
LEAST_FUN = 2.0
"""Teasers rated harder or less fun than these, of 4, are left out (the paper's A.1)."""

_TITLE = ("title", "question_title")
_TOPIC = ("topic", "subject", "subtype", "bug_type", "type", "category")
_DIFFICULTY = ("difficulty", "level")

FIELDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "math": {
        "question": ("problem", "question"),
        "reference": ("solution", "reference"),
        "answer": ("answer",),
        "id": ("id", "unique_id", "problem_id", "question_id"),
        "title": _TITLE,
        "topic": _TOPIC,
        "difficulty": _DIFFICULTY,
    },
    "code": {
        "question": ("question", "description", "problem", "question_content"),
        "code": ("buggy_code", "code"),
        "reference": ("solution", "oracle_code", "correct_code", "fixed_code", "reference"),
        "examples": ("examples",),
        "constraints": ("constraints",),
        "tests": ("tests",),
        "id": ("id", "unique_id", "problem_id", "question_id"),
        "slug": ("slug",),
        "title": _TITLE,
        "topic": _TOPIC,
        "difficulty": _DIFFICULTY,
    },
    "teasers": {
        "question": ("content", "question", "problem"),
        "reference": ("solution", "answer", "reference"),
        "accepted": ("accepted",),
        "id": ("id", "unique_id", "problem_id", "question_id"),
        "title": _TITLE,
        "topic": ("category", "topic", "type"),
        "difficulty": _DIFFICULTY,
        "fun": ("fun", "popularity"),
        "picture": ("image", "images", "picture", "image_url"),
    },
}
"""For each domain what is read, and the names it goes by: of those that a file fills, the first one counts."""

_NEEDED = {"math": ("question",), "code": ("question", "code", "reference"), "teasers": ("question", "reference")}
_A_REFERENCE = "a reference, without which no answer can be graded"
_LONGEST_ID = 200
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_MARKED = re.compile(r"^####[ \t]*(\S.*)$", re.MULTILINE)
_PICTURE = re.compile(
    r"<img\b|!\[[^\]]*\]\(|\b\S+\.(?:png|jpe?g|gif|svg|webp)\b"
    r"|\b(?:picture|image|diagram|figure|drawing|photo)s?\s+(?:below|above|shown)\b"
    r"|\b(?:shown|pictured|drawn)\s+(?:below|above|here)\b"
    r"|\b(?:look at|see|in|from)\s+(?:this|the following|the attached)\s+"
    r"(?:picture|image|diagram|figure|drawing|photo)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Adapted:
    """Records read as problems.

    Parameters
    ----------
    fields : tuple of dict
        The fields of a problem, for each that is kept, in file order.
    left_out : mapping
        Reason to count: ``same_again`` (nothing differs from an earlier one), ``too_difficult``, ``not_fun``,
        ``needs_picture``.
    read_from : mapping
        What was read to the name of the field it was read from.
    unused : tuple of str
        The fields that nothing was read from.
    ids : str
        Where the ids come from.
    """

    fields: tuple[dict[str, Any], ...]
    left_out: Mapping[str, int]
    read_from: Mapping[str, str]
    unused: tuple[str, ...]
    ids: str


def adapt(records: Sequence[tuple[str, Any]], domain: str, source: str) -> Adapted:
    """Read records as problems of a domain.

    Parameters
    ----------
    records : sequence of (str, object)
        Each with its place, such as "line 3".
    domain : {"math", "code", "teasers"}
    source : str
        The file's or data set's name, for messages.

    Raises
    ------
    UserError
        There is no record, the layout is unknown, a field is missing, empty or of a wrong type, or an id comes twice.
    """
    rows = [(where, _object(value, f"{source}: {where}")) for where, value in records]
    if not rows:
        raise UserError(f"{source}: holds no problem; expected records with {_expected(domain)}")
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    filled = {name for _, row in rows for name, value in row.items() if not _is_empty(value)}
    read_from = _layout(names, filled, domain, source)
    left_out: Counter[str] = Counter()
    kept: list[dict[str, Any]] = []
    seen: dict[str, tuple[str, dict[str, Any]]] = {}
    for where, row in rows:
        place = _Place(f"{source}: {where}", row, read_from)
        reason = _unsuitable(place) if domain == "teasers" else None
        if reason is None:
            fields = _problem(place, domain)
            before = seen.setdefault(fields["id"], (where, fields))
            if before[1] is fields:
                kept.append(fields)
                continue
            _refuse_repeated(place, before, fields)
            reason = "same_again"
        left_out[reason] += 1
    own = read_from.get("id")
    ids = f"the field {own}" if own else "made from the content"
    used = {*read_from.values(), "domain"}
    return Adapted(tuple(kept), dict(left_out), read_from, tuple(name for name in names if name not in used), ids)


@dataclass(frozen=True)
class _Place:
    """One record: where it stands, what it holds, and which of its fields is which."""

    where: str
    row: Mapping[str, Any]
    read_from: Mapping[str, str]

    def get(self, what: str) -> Any:
        """Give a value; empty text, an empty list and nothing are all None."""
        value = self.row.get(self.read_from.get(what, ""))
        return None if _is_empty(value) else value

    def wrong(self, what: str, found: str, expected: str) -> UserError:
        name = self.read_from.get(what, what)
        return UserError(f"{self.where}: {name}: found {found}, expected {expected}")

    def text(self, what: str, needed: str = "", numbers: bool = False, program: bool = False) -> str:
        """Give a text without blanks around it (of a program, without blank lines); "" for nothing.

        Nothing is an error where ``needed`` says what was expected.
        """
        value = self.get(what)
        if value is None:
            if needed:
                raise self.wrong(what, "nothing", needed)
            return ""
        if numbers and isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise self.wrong(what, _shown(value), "text or a number" if numbers else "text")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            found = f"half a character (U+{ord(value[error.start]):04X})"
            raise self.wrong(what, found, "text that can be written as UTF-8") from None
        return re.sub(r"\A(?:[ \t]*\r?\n)+", "", value).rstrip() if program else value.strip()

    def texts(self, what: str) -> tuple[str, ...]:
        """Give several texts: a list, its JSON in a cell, or one text in which a bar parts them."""
        value = self.get(what)
        if isinstance(value, str):
            value = _listed(value)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            raise self.wrong(what, _shown(value), "a list of texts")
        return tuple(one.strip() for one in value)

    def number(self, what: str) -> float | None:
        """Give a number, also one that a cell holds as text; None for anything else."""
        value = self.get(what)
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return None
        try:
            number = float(value)
        except ValueError:
            return None
        return number if math.isfinite(number) else None


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise UserError(f"{where}: found {_shown(value)}, expected an object with the fields of a problem")
    return {str(name).strip(): item for name, item in value.items()}


def _is_empty(value: Any) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def _layout(names: Sequence[str], filled: Collection[str], domain: str, source: str) -> dict[str, str]:
    """Find which field holds what, over all records: a field that is empty in all of them only if no other does."""
    read_from = {}
    for what, known in FIELDS[domain].items():
        present = [name for name in known if name in names]
        if present:
            read_from[what] = next((name for name in present if name in filled), present[0])
    missing = [what for what in _NEEDED[domain] if what not in read_from]
    if domain == "math" and not {"reference", "answer"} & read_from.keys():
        missing.append("reference")
    if missing:
        found = shorten(", ".join(names), 300) or "none"
        raise UserError(
            f"{source}: no layout of {domain} problems that is known: found the fields {found}; "
            f"expected {_expected(domain)}"
        )
    return read_from


def _expected(domain: str) -> str:
    fields = FIELDS[domain]
    wanted = {what: fields[what] for what in _NEEDED[domain]}
    if domain == "math":
        wanted["reference"] = (*fields["answer"], *fields["reference"])
    return " and ".join("|".join(names) for names in wanted.values())


def _problem(place: _Place, domain: str) -> dict[str, Any]:
    given = place.row.get("domain")
    if isinstance(given, str) and given.strip() and given != domain:
        raise UserError(f"{place.where}: domain: found {shorten(given, 40)!r}, expected {domain!r}")
    question = place.text("question", needed="a question")
    if domain == "code":
        question = _with_examples(place, question)
    fields: dict[str, Any] = {
        "domain": domain,
        "question": question,
        "title": place.text("title") or place.text("slug"),
        "topic": place.text("topic", numbers=True),
        "difficulty": place.text("difficulty", numbers=True),
    }
    if domain == "math":
        fields |= _math_reference(place)
    else:
        coded = domain == "code"
        fields["reference"] = place.text("reference", needed=_A_REFERENCE, numbers=not coded, program=coded)
    if domain == "code":
        fields["code"] = place.text("code", needed="a program", program=True)
        fields["tests"] = place.text("tests", program=True)
    if domain == "teasers":
        fields["accepted"] = list(place.texts("accepted"))
    fields["id"] = _id(place) or _made_id(place, fields)
    return fields


def _math_reference(place: _Place) -> dict[str, str]:
    """Take the worked solution as the reference, and out of it the final answer where it has no field of its own.

    What MATH puts in a box and GSM8K behind four hashes is the final answer.
    """
    answer, solution = place.text("answer", numbers=True), place.text("reference", numbers=True)
    if not answer and not solution:
        names = [name for what in ("answer", "reference") if (name := place.read_from.get(what))]
        raise UserError(f"{place.where}: {' and '.join(names)}: found nothing, expected {_A_REFERENCE}")
    return {"reference": solution or answer, "answer": final_answer(answer) if answer else final_answer(solution)}


def final_answer(solution: str) -> str:
    r"""Take the final answer out of a worked solution.

    Parameters
    ----------
    solution : str

    Returns
    -------
    str
        What stands in its last ``\boxed{}``, or behind ``####`` on its last such line; else the whole text.

    Examples
    --------
    >>> final_answer(r"So $x = \boxed{\frac{1}{2}}$."), final_answer("2 + 2 = 4\n#### 4"), final_answer("17")
    ('\\frac{1}{2}', '4', '17')
    """
    for box in reversed(list(_BOXED.finditer(solution))):
        depth, escaped = 1, False
        for end in range(box.end(), len(solution)):
            sign = solution[end]
            if not escaped:
                depth += (sign == "{") - (sign == "}")
            if depth == 0:
                return solution[box.end() : end].strip() or solution
            escaped = sign == "\\" and not escaped
    marked = _MARKED.findall(solution)
    return marked[-1].strip() if marked else solution


def _with_examples(place: _Place, question: str) -> str:
    parts = [question]
    if examples := place.texts("examples"):
        parts.append("Examples:\n\n" + "\n\n".join(examples))
    if constraints := place.text("constraints"):
        parts.append(f"Constraints:\n\n{constraints}")
    return "\n\n".join(parts)


def _id(place: _Place) -> str:
    value = place.get("id")
    if value is None:
        if "id" in place.read_from:
            raise place.wrong("id", "nothing", "an id, as other problems of the file have one")
        return ""
    expected = f"a number or up to {_LONGEST_ID} visible characters on one line, without blanks at the ends"
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise place.wrong("id", _shown(value), expected)
    name = str(value)
    if len(name) > _LONGEST_ID or not name.isprintable() or name != name.strip():
        raise place.wrong("id", _shown(value), expected)
    return name


def _made_id(place: _Place, fields: Mapping[str, Any]) -> str:
    # Of what is asked and not of the reference: a problem whose reference was changed is the same one, changed.
    digest = fingerprint([fields["question"], fields.get("code", "")])
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", place.text("slug"))[:80].strip("-")
    return f"{slug}-{digest[:8]}" if slug else digest


def _refuse_repeated(place: _Place, before: tuple[str, dict[str, Any]], fields: Mapping[str, Any]) -> None:
    where, other = before
    if "id" in place.read_from:
        raise place.wrong("id", f"{shorten(fields['id'], 60)!r}, which {where} has too", "an id of its own")
    if other != fields:
        differing = ", ".join(name for name in fields if fields[name] != other[name])
        raise UserError(
            f"{place.where}: found the question of {where} again with another {differing}, expected each question once"
        )


def _unsuitable(place: _Place) -> str | None:
    """Say why a teaser is left out: the paper's limits on ratings, and no pictures (A.1)."""
    difficulty, fun = place.number("difficulty"), place.number("fun")
    if difficulty is not None and difficulty > HARDEST:
        return "too_difficult"
    if fun is not None and fun < LEAST_FUN:
        return "not_fun"
    question = place.get("question")
    if place.get("picture") is not None or (isinstance(question, str) and _PICTURE.search(question)):
        return "needs_picture"
    return None


def _listed(cell: str) -> Any:
    if cell.lstrip().startswith("["):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return [cell]
    return [one for one in cell.split("|") if one.strip()]


def _shown(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case str():
            return repr(shorten(value, 60)) if value.strip() else "empty text"
        case bool() | int() | float():
            return f"{type(value).__name__} {str(value).lower()[:60]}"
        case Mapping():
            return "an object"
        case Iterable():
            return "a list"
    return f"a {type(value).__name__}"
