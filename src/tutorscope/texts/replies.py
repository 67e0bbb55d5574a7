"""Read a judge's reply: one JSON object with the fields that were asked, or the named reason why there is none.

The reader never guesses. Where a person could take the reply in two ways it says so, and the caller asks again. What
each field takes and refuses is stated where the field is made; how one object is chosen is stated in `read_object`.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tutorscope.texts.bodies import EMPTY, reply_body
from tutorscope.texts.json_in_text import Found, Number, Pairs, find_json
from tutorscope.texts.parsed import Parsed, read, unread
from tutorscope.texts.quotes import fold

_WHOLE_NUMBER = re.compile(r"(-?[0-9]+)(?:\.0+)?")
_WHOLE_STRING = re.compile(r"\s*+(-?[0-9]+)\s*+")
_FLAGS: dict[bool, dict[str, bool]] = {False: {"true": True, "false": False}, True: {"1": True, "0": False}}
_NOTHING = " \t\r\n`*_."
_STARTS_AS_JSON = re.compile(r"(?:`{3,}\w*\s*+)?[\[{]")

READER = 2
"""The version of the rules by which this room reads replies (here and in `bodies`, `json_in_text`, `labels`, `letters`
and `quotes`): it moves when some reply would be read otherwise, and is part of what a rating was made from."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A whole number from ``lo`` to ``hi``.

    4.0 is the integer 4 (some writers of JSON know only one kind of number) and the string "4" is too. 4.5, 4e0, "4/5",
    "4.0", "four", NaN, Infinity, 1e999, true and lists are `not_an_integer`; whole numbers outside are `out_of_range`.
    """

    name: str
    lo: int = 1
    hi: int = 5
    required: bool = True


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no: true, false, the strings "true" and "false" in any case, and 1 and 0; all else is `not_a_flag`."""

    name: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """One of fixed words, whatever its case and the blanks around it; all else is `not_a_choice`."""

    name: str
    words: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Text:
    """A text, empty or not; a number is taken as it was written. Bools, lists and objects are `not_a_text`."""

    name: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Group:
    """An object in the object; anything else is `not_an_object`."""

    name: str
    fields: tuple[Field, ...]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Several:
    """A list of ``least`` to ``most`` objects of the same fields; another length or no list is `not_a_list`."""

    name: str
    fields: tuple[Field, ...]
    least: int = 0
    most: int | None = None
    required: bool = True


Field = Scale | Flag | Choice | Text | Group | Several


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One object in a reply: its values or its reason, how many of the asked names it has, and where it stands."""

    outcome: Parsed[dict[str, Any]]
    names: int
    found: Found
    listed: bool


class _UnreadableError(Exception):
    """A field without a value; the argument is the reason."""


def read_object(
    reply: str,
    fields: Sequence[Field],
    *,
    judged: Sequence[str] = (),
    finish: str = "stop",
    strict: bool = False,
) -> Parsed[dict[str, Any]]:
    """Read the one object that a reply holds.

    The rules, in this order:

    1. `refused`, `cut_off` and `empty` as `reply_body` says; thinking at the front is taken off.
    2. Every outermost JSON object in the text is looked at: bare, fenced, pretty printed, before or after prose. A text
       that ends inside an object is `cut_off`, never completed, even if another object came before.
    3. An object fits if each required field is there (null is not) and readable. Others are passed over if one fits.
       With ``strict`` a field that was not asked is an `extra_field`, at every level; otherwise it is ignored.
    4. Objects that fit and say the same count as one. If they differ the reply is `ambiguous`, unless all but one stand
       verbatim in the judged texts (white space and quote marks aside): those are quotes and are ignored.
    5. An object that stands verbatim in the judged texts, alone, with prose going on after it, is `ambiguous` too:
       nobody can say whether it is a verdict or a quote. Bare, or at the end of the reply, it is a verdict.
    6. A key that comes twice with different values makes its object, and so the reply, `ambiguous`.
    7. Objects in a list at the top are `not_an_object`; but they rival an object that fits, like any other.
    8. If nothing fits, the reason is that of the object with most of the asked names, the last one of several:
       `missing_field`, `out_of_range`, ... . What is written like an object but is no JSON is `bad_json`; prose is
       `no_json`.

    Parameters
    ----------
    reply : str
        The reply's text.
    fields : sequence of Field
        What was asked.
    judged : sequence of str
        Texts that the judge was shown and may quote.
    finish : str
        Why the reply stopped (``Reply.finish``).
    strict : bool
        Whether fields that were not asked are refused.

    Returns
    -------
    Parsed of dict
        Field name to value, in the order of ``fields``; a field that is not required and not there is None.

    Examples
    --------
    >>> asked = [Scale("scaffolding"), Scale("uptake")]
    >>> read_object('Here: {"scaffolding": 4, "uptake": 2.0}', asked).value
    {'scaffolding': 4, 'uptake': 2}
    >>> read_object('{"scaffolding": "4/5", "uptake": 2}', asked).reason
    'not_an_integer'
    """
    body = reply_body(reply, finish)
    if body.value is None:
        return unread(body.reason or EMPTY)
    text = body.value
    found, cut = find_json(text)
    if cut:
        return unread("cut_off")
    candidates = _candidates(found, fields, strict)
    rivals = [one for one in candidates if one.outcome.ok or one.outcome.reason == "ambiguous"]
    if not any(one.outcome.ok for one in rivals):
        return unread("ambiguous" if rivals else _why_none_fits(text, candidates, found, fields))
    quotable = [_squeezed(one) for one in judged]
    if _differ(rivals):
        rivals = [one for one in rivals if not _stands_in(text, one, quotable)]
        if not rivals or _differ(rivals):
            return unread("ambiguous")
    elif len(rivals) == 1 and text[rivals[0].found.end :].strip(_NOTHING) and _stands_in(text, rivals[0], quotable):
        return unread("ambiguous")
    if all(one.listed for one in rivals):
        return unread("not_an_object")
    return rivals[0].outcome


def schema_for(fields: Sequence[Field]) -> dict[str, Any]:
    """Give the JSON schema of an object with these fields, for providers that can hold a reply to one.

    Every field is listed as required and nothing else is allowed, as the strict modes ask; a field that may be missing
    may be null instead. A short scale is an enumeration, which more providers enforce than bounds.

    Parameters
    ----------
    fields : sequence of Field
        What is asked.

    Returns
    -------
    dict

    Examples
    --------
    >>> schema_for([Flag("met")])["properties"]
    {'met': {'type': 'boolean'}}
    """
    return {
        "type": "object",
        "properties": {field.name: _schema_of(field) for field in fields},
        "required": [field.name for field in fields],
        "additionalProperties": False,
    }


def _schema_of(field: Field) -> dict[str, Any]:
    match field:
        case Scale(lo=lo, hi=hi):
            values: dict[str, Any] = {"enum": [*range(lo, hi + 1)]} if hi - lo <= 20 else {"minimum": lo, "maximum": hi}
            schema: dict[str, Any] = {"type": "integer", **values}
        case Flag():
            schema = {"type": "boolean"}
        case Choice(words=words):
            schema = {"type": "string", "enum": list(words)}
        case Text():
            schema = {"type": "string"}
        case Group(fields=inner):
            schema = schema_for(inner)
        case Several(fields=inner):
            schema = {"type": "array", "items": schema_for(inner)}
    return schema if field.required else {"anyOf": [schema, {"type": "null"}]}


def _candidates(found: Sequence[Found], fields: Sequence[Field], strict: bool) -> list[_Candidate]:
    asked = {field.name for field in fields}
    candidates = []
    for one in found:
        listed = not isinstance(one.value, Pairs)
        for value in one.value if listed else [one.value]:
            if isinstance(value, Pairs):
                names = len(asked & {key for key, _ in value})
                candidates.append(_Candidate(_fit(value, fields, strict), names, one, listed))
    return candidates


def _fit(pairs: Pairs, fields: Sequence[Field], strict: bool) -> Parsed[dict[str, Any]]:
    try:
        return read(_values(pairs, fields, strict))
    except _UnreadableError as error:
        return unread(str(error))


def _values(pairs: Pairs, fields: Sequence[Field], strict: bool) -> dict[str, Any]:
    given: dict[str, list[object]] = {field.name: [] for field in fields}
    extra = False
    for key, value in pairs:
        if key in given:
            given[key].append(value)
        else:
            extra = True
    values = {field.name: _one_value(field, given[field.name], strict) for field in fields}
    if extra and strict:
        raise _UnreadableError("extra_field")
    return values


def _one_value(field: Field, given: Sequence[object], strict: bool) -> Any:
    outcomes = [_outcome(field, value, strict) for value in given or [None]]
    if any(outcome != outcomes[0] for outcome in outcomes):
        raise _UnreadableError("ambiguous")
    value, reason = outcomes[0]
    if reason:
        raise _UnreadableError(reason)
    return value


def _outcome(field: Field, value: object, strict: bool) -> tuple[Any, str]:
    if value is None:
        return None, "missing_field" if field.required else ""
    try:
        return _taken(field, value, strict), ""
    except _UnreadableError as error:
        return None, str(error)


def _taken(field: Field, value: object, strict: bool) -> Any:
    match field, value:
        case Scale(lo=lo, hi=hi), str():
            return _whole(value, lo, hi)
        case Scale(), _:
            raise _UnreadableError("not_an_integer")
        case Flag(), bool():
            return value
        case Flag(), str() if value.strip().lower() in _FLAGS[isinstance(value, Number)]:
            return _FLAGS[isinstance(value, Number)][value.strip().lower()]
        case Flag(), _:
            raise _UnreadableError("not_a_flag")
        case Choice(words=words), str():
            for word in words:
                if word.casefold() == value.strip().casefold():
                    return word
            raise _UnreadableError("not_a_choice")
        case Choice(), _:
            raise _UnreadableError("not_a_choice")
        case Text(), str():
            return str(value)
        case Text(), _:
            raise _UnreadableError("not_a_text")
        case Group(fields=inner), Pairs():
            return _values(value, inner, strict)
        case Group(), _:
            raise _UnreadableError("not_an_object")
        case Several(fields=inner), list() if _is_list_for(field, value):
            return [_values(one, inner, strict) for one in value]
    raise _UnreadableError("not_a_list")


def _whole(value: str, lo: int, hi: int) -> int:
    written = (_WHOLE_NUMBER if isinstance(value, Number) else _WHOLE_STRING).fullmatch(value)
    if written is None:
        raise _UnreadableError("not_an_integer")
    # Longer than any scale, and perhaps than Python turns into a number.
    if len(written[1]) > 18 or not lo <= int(written[1]) <= hi:
        raise _UnreadableError("out_of_range")
    return int(written[1])


def _is_list_for(field: Several, value: Sequence[object]) -> bool:
    enough = field.least <= len(value) and (field.most is None or len(value) <= field.most)
    return not isinstance(value, Pairs) and enough and all(isinstance(one, Pairs) for one in value)


def _differ(rivals: Sequence[_Candidate]) -> bool:
    return any(not one.outcome.ok or one.outcome.value != rivals[0].outcome.value for one in rivals)


def _squeezed(text: str) -> str:
    return fold(text).replace(" ", "")


def _stands_in(text: str, one: _Candidate, quotable: Sequence[str]) -> bool:
    written = _squeezed(text[one.found.start : one.found.end])
    return any(written in shown for shown in quotable)


def _why_none_fits(text: str, candidates: Sequence[_Candidate], found: Sequence[Found], fields: Sequence[Field]) -> str:
    alone = _STARTS_AS_JSON.match(text) is not None
    objects = [one for one in candidates if not one.listed and (alone or one.found.value)]
    best = max(objects, key=lambda one: (one.names, one.found.start), default=None)
    if best is not None and best.names:
        return best.outcome.reason or "missing_field"
    names = "|".join(re.escape(field.name) for field in fields)
    attempts = re.finditer(rf"\{{\s*+\\?[\"'“‘]?(?:{names})\\?[\"'”’]?\s*+[:：=]", text)
    starts, ends = [one.start for one in found], [one.end for one in found]
    if any(bisect(starts, attempt.start()) == bisect(ends, attempt.start()) for attempt in attempts):
        return "bad_json"
    if any(one.listed for one in candidates) or (alone and found and not isinstance(found[0].value, Pairs)):
        return "not_an_object"
    return "missing_field" if best is not None else "no_json"
