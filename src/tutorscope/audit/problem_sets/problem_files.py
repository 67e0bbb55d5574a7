"""The file of a problem set: YAML or JSON, each field held to its form, and the same set written out again."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from tutorscope.audit.problem_sets.answer_forms import decimal_text, derived_forms
from tutorscope.audit.problem_sets.equations import NAME, UNKNOWN, read_relation
from tutorscope.audit.problem_sets.plain_files import read_plain
from tutorscope.audit.problem_sets.problems import PHASES, Problem, ProblemSet
from tutorscope.errors import UserError

MOST_PROBLEMS = 300
LONGEST_STATEMENT = 2000
_LONGEST_NAME = 60
_HEADER = ("name", "phases", "relations", "problems")
_NEEDED = ("id", "phase", "relation", "quantities", "statement", "answer")
_FIELDS = (*_NEEDED, "unit", "parent", "positive", "forms")
_NUMBER = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{1,6})?|\.\d{1,6}|\d{1,9}/0*[1-9]\d{0,8})", re.ASCII)
_A_NUMBER = "a number such as 24, 2.5 or 1/3, without its unit"


def read_set(path: Path) -> ProblemSet:
    """Read a problem set without asking whether it keeps the constraints.

    Parameters
    ----------
    path : Path

    Raises
    ------
    UserError
        The file cannot be read or a field is not what it should be: file, problem, field, found, expected.
    """
    plain = read_plain(path)
    try:
        return _set(plain)
    except UserError as wrong:
        raise UserError(f"{path}: {wrong}") from None


def write_set(problem_set: ProblemSet, path: Path) -> None:
    """Write a problem set as YAML that ``read_set`` reads back equal.

    Parameters
    ----------
    problem_set : ProblemSet
    path : Path
        A new file.

    Raises
    ------
    UserError
        The file is there already or cannot be written.
    """
    plain = {
        "name": problem_set.name,
        "phases": dict(problem_set.phases),
        "relations": dict(problem_set.relations),
        "problems": [_fields(problem) for problem in problem_set.problems],
    }
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except FileExistsError:
        raise UserError(f"{path}: exists already; nothing was written") from None
    except OSError as problem:
        raise UserError(f"{path}: cannot be written ({problem.strerror})") from None


def _fields(problem: Problem) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": problem.id,
        "phase": problem.phase,
        "relation": problem.relation,
        "quantities": {name: _written(value) for name, value in problem.quantities.items()},
        "statement": problem.statement,
        "answer": _written(problem.answer),
    }
    if problem.unit:
        fields["unit"] = problem.unit
    if problem.parent is not None:
        fields["parent"] = problem.parent
    if not problem.positive:
        fields["positive"] = False
    if problem.forms_declared:
        fields["forms"] = {"numeric": list(problem.numeric_forms), "phrases": list(problem.phrases)}
    return fields


def _written(value: Fraction) -> int | str:
    return int(value) if value.denominator == 1 else decimal_text(value) or str(value)


def check_name(value: Any, where: str) -> str:
    """Hold the name of a set, a problem or a relation to what stands in tables, file names and terminals alike.

    Raises
    ------
    UserError
        It is no such name; one line without the file.
    """
    expected = f"up to {_LONGEST_NAME} visible characters on one line, without a slash and without blanks at the ends"
    name = _text(value, where, expected)
    if len(name) > _LONGEST_NAME or not name.isprintable() or name != name.strip() or "/" in name or "\\" in name:
        raise _unfit(where, _shown(value), expected)
    return name


def _unfit(where: str, found: str, expected: str) -> UserError:
    return UserError(f"{where}: found {found}, expected {expected}")


def _set(plain: Any) -> ProblemSet:
    header = _object(plain, "the file", _HEADER, _HEADER)
    phases = {
        phase: _count(count, f"phases: {phase}")
        for phase, count in _object(header["phases"], "phases", PHASES, PHASES[:1]).items()
    }
    if list(phases) != [phase for phase in PHASES if phase in phases]:
        raise _unfit("phases", ", ".join(phases), f"the order {', '.join(PHASES)}")
    if not phases["training"]:
        raise _unfit("phases: training", "0", "at least 1")
    relations = _relations(header["relations"])
    listed = header["problems"]
    if not isinstance(listed, list) or not listed:
        raise _unfit("problems", _shown(listed), "a list of problems")
    if len(listed) > MOST_PROBLEMS:
        raise _unfit("problems", f"{len(listed):,} of them", f"at most {MOST_PROBLEMS}")
    problems = tuple(_problem(one, number, relations) for number, one in enumerate(listed, 1))
    again = Counter(problem.id for problem in problems).most_common(1)[0]
    if again[1] > 1:
        raise _unfit("problems: id", f"{again[0]} {again[1]} times", "different ids")
    return ProblemSet(check_name(header["name"], "name"), phases, problems, relations)


def _relations(value: Any) -> dict[str, str]:
    relations = _object(value, "relations")
    for name, equation in relations.items():
        where = f"relations: {check_name(name, 'relations')}"
        try:
            read_relation(_text(equation, where, "an equation"))
        except UserError as wrong:
            raise UserError(f"{where}: {wrong}") from None
    return relations


def _problem(value: Any, number: int, relations: Mapping[str, str]) -> Problem:
    if not isinstance(value, dict):
        raise _unfit(f"problem {number}", _shown(value), f"an object with {', '.join(_NEEDED)}")
    where = check_name(value.get("id"), f"problem {number}: id")
    fields = _object(value, where, _FIELDS, _NEEDED)
    if fields["phase"] not in PHASES:
        raise _unfit(f"{where}: phase", _shown(fields["phase"]), f"one of {', '.join(PHASES)}")
    if not isinstance(fields["relation"], str) or fields["relation"] not in relations:
        raise _unfit(f"{where}: relation", _shown(fields["relation"]), f"one of those above: {', '.join(relations)}")
    quantities = {}
    for name, amount in _object(fields["quantities"], f"{where}: quantities").items():
        if not NAME.fullmatch(name) or name == UNKNOWN:
            raise _unfit(
                f"{where}: quantities", _shown(name), f"names such as c1, made of letters and digits, and not {UNKNOWN}"
            )
        quantities[name] = _number(amount, f"{where}: quantities: {name}")
    statement = _text(fields["statement"], f"{where}: statement", "text").replace("\r\n", "\n").strip()
    if len(statement) > LONGEST_STATEMENT:
        raise _unfit(f"{where}: statement", f"{len(statement):,} characters", f"at most {LONGEST_STATEMENT:,}")
    answer = _number(fields["answer"], f"{where}: answer")
    parent, unit, forms = fields.get("parent"), fields.get("unit"), fields.get("forms")
    declared = {} if forms is None else _object(forms, f"{where}: forms", ("numeric", "phrases"), ("numeric",))
    numeric = [_form(form, f"{where}: forms: numeric") for form in _list(declared, "numeric", where)]
    phrases = [_phrase(phrase, f"{where}: forms: phrases") for phrase in _list(declared, "phrases", where)]
    if declared and not numeric:
        raise _unfit(f"{where}: forms: numeric", "none", "at least one, or no forms at all: then they are derived")
    return Problem(
        id=where,
        phase=fields["phase"],
        relation=fields["relation"],
        quantities=quantities,
        statement=statement,
        answer=answer,
        unit="" if unit is None else _text(unit, f"{where}: unit", "text").strip(),
        parent=None if parent is None else check_name(parent, f"{where}: parent"),
        numeric_forms=tuple(numeric) if declared else derived_forms(answer),
        phrases=tuple(phrases),
        forms_declared=bool(declared),
        positive=_flag(fields.get("positive"), f"{where}: positive"),
    )


def _object(value: Any, where: str, known: Sequence[str] = (), needed: Sequence[str] = ()) -> dict[str, Any]:
    """Hold a value to be an object; with ``known``, to have no other fields than these."""
    if not isinstance(value, dict) or not value:
        raise _unfit(where, _shown(value), f"an object{' with ' + ', '.join(needed) if needed else ''}")
    if known and (unknown := [name for name in value if name not in known]):
        raise _unfit(where, f"the field {unknown[0]!r:.60}", f"only {', '.join(known)}")
    if missing := [name for name in needed if value.get(name) is None]:
        raise _unfit(f"{where}: {missing[0]}", "nothing", "a value")
    return value


def _list(declared: Mapping[str, Any], name: str, where: str) -> list[Any]:
    value = declared.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _unfit(f"{where}: forms: {name}", _shown(value), "a list")
    return value


def _text(value: Any, where: str, expected: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _unfit(where, _shown(value), expected)
    # Line ends and tabs are all the control that a statement needs; a lone surrogate is no character.
    if bad := next(
        (c for c in value if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\n\r\t"), None
    ):
        raise _unfit(where, f"the control character U+{ord(bad):04X}", expected)
    return value


def _number(value: Any, where: str) -> Fraction:
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        raise _unfit(where, _shown(value), _A_NUMBER)
    return Fraction(value.strip())


def _count(value: Any, where: str) -> int:
    if not isinstance(value, str) or not re.fullmatch(r"\d{1,3}", value, re.ASCII) or int(value) > MOST_PROBLEMS:
        raise _unfit(where, _shown(value), f"a whole number up to {MOST_PROBLEMS}")
    return int(value)


def _flag(value: Any, where: str) -> bool:
    flags = {"true": True, "false": False}
    if value is None or isinstance(value, bool):
        return value is not False
    if not isinstance(value, str) or value.lower() not in flags:
        raise _unfit(where, _shown(value), "true or false")
    return flags[value.lower()]


def _form(value: Any, where: str) -> str:
    _number(value, where)
    return str(value).strip()


def _phrase(value: Any, where: str) -> str:
    phrase = _text(value, where, "text")
    # The published rule sees ASCII letters and digits only: a phrase without any would be found in every text.
    if not re.search(r"[a-z0-9]", phrase, re.IGNORECASE | re.ASCII):
        raise _unfit(where, _shown(value), "at least one letter from a to z or digit")
    return phrase


def _shown(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case str():
            return f"{value!r:.80}" if value.strip() else "empty text"
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)[:80]
        case dict():
            return "an object" if value else "an empty object"
        case list():
            return "a list" if value else "an empty list"
    return f"a {type(value).__name__}"
