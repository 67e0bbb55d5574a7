"""Read a reply in labelled parts, such as ``Intervene: yes`` and ``Message: ...``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tutorscope.texts.bodies import EMPTY, reply_body
from tutorscope.texts.json_in_text import Pairs, find_json
from tutorscope.texts.parsed import Parsed, read, unread
from tutorscope.texts.quotes import fold

_FENCED = re.compile(r"\A`{3,}[^\n`]*\n(.*?)\n?`{3,}\s*+\Z", re.DOTALL)

# Before a label: list marks, a heading, bold. Behind it: a colon inside or outside the bold; or, in bold or as a
# heading, the end of the line.
_LINE_LABEL = (
    r"^[ \t]*+(?:(?:[-+*•]|[0-9]{1,2}[.)])[ \t]++)*+(?P<head>\#{1,6}[ \t]*+)?(?P<bold>\*\*\*|\*\*|__|\*|_)?(?:LABEL)"
    r"(?:[ \t]*+(?P<before>(?P=bold))?[ \t]*+[:：](?P<after>(?P=bold))?"
    r"|(?P<alone>(?P=bold))[ \t]*+\r?$|(?(head)[ \t]*+\r?$|(?!)))"
)
_INNER_LABEL = r"(?<=\s)(?P<bold>\*\*|__)?(?:LABEL)(?P<before>(?P=bold))?[ \t]*+[:：](?P<after>(?P=bold))?"

_YES_OR_NO = re.compile(r"[\s*_`\"'“‘(\[]*+(yes|no|true|false)\b([^\n]*+)", re.IGNORECASE)
_YES = re.compile(r"\b(?:yes|true)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:no|false)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a label stands, from ``start`` to ``end``; its text follows. ``bold`` is a bold mark still open."""

    label: str
    start: int
    end: int
    bold: str


def read_labels(
    reply: str,
    labels: Sequence[str],
    *,
    optional: Sequence[str] = (),
    last: Sequence[str] = (),
    judged: Sequence[str] = (),
    finish: str = "stop",
) -> Parsed[dict[str, str]]:
    r"""Read the text under each label of a reply.

    The rules, in this order:

    1. `refused`, `cut_off` and `empty` as `reply_body` says; thinking at the front is taken off, and so is one code
       fence around everything.
    2. A reply that is one JSON object with labels as keys is read as such: true and false become "yes" and "no". So is
       one that holds such an object where the lines lack a label.
    3. A label counts at the start of a line, in any case, plain, in bold, as a heading or a list item, with a colon
       behind it; in bold or as a heading also alone on its line. A label that is mentioned inside a sentence or in a
       quoted line (``> ...``) is text. Labels may come in any order; each one's text goes on to the next label, over
       as many lines as it takes.
    4. A label that starts no line is looked for inside the lines that other labels start: written as asked, with its
       colon, after a blank, and only once ("Intervene: yes Message: ...").
    5. A label that comes twice with different texts is `ambiguous`, unless the lines of all but one stand verbatim in
       the judged texts: those are quotes, and part of the text around them. Of the labels in ``last`` the last line
       counts and the earlier ones are text: so a student who corrects an answer is read as corrected.
    6. No label at all is `no_labels`; a missing one that is not optional is `missing_field`.

    Parameters
    ----------
    reply : str
        The reply's text.
    labels : sequence of str
        The labels, without colons.
    optional : sequence of str
        Labels that may be missing.
    last : sequence of str
        Labels of which the last line counts.
    judged : sequence of str
        Texts that the speaker was shown and may quote.
    finish : str
        Why the reply stopped (``Reply.finish``).

    Returns
    -------
    Parsed of dict
        Label, as asked and in the order asked, to its text: exactly as written, without the blanks around it. A label
        that is missing is left out.

    Examples
    --------
    >>> read_labels("**Intervene:** Yes.\nMessage: Check the sign.", ["Intervene", "Message"]).value
    {'Intervene': 'Yes.', 'Message': 'Check the sign.'}
    """
    body = reply_body(reply, finish)
    if body.value is None:
        return unread(body.reason or EMPTY)
    fenced = _FENCED.match(body.value)
    text = fenced[1].strip() if fenced and "```" not in fenced[1] else body.value
    required = [label for label in labels if label not in optional]
    whole = _from_json(text, labels, required) if text.startswith("{") and text.endswith("}") else None
    if whole is not None and whole.reason != "no_labels":
        return whole
    lines = _line_marks(text, labels)
    inside = [_inner_marks(text, label, lines) for label in labels if label not in {mark.label for mark in lines}]
    chosen = _chosen(text, sorted([*lines, *chain.from_iterable(inside)], key=lambda mark: mark.start), last, judged)
    if chosen is None:
        return unread("ambiguous")
    # Of two equal ones either does.
    values = {mark.label: value for mark, value in zip(chosen, _values(text, chosen), strict=True)}
    if values and all(label in values for label in required):
        return read({label: values[label] for label in labels if label in values})
    instead = whole or _from_json(text, labels, required)
    return unread("missing_field") if instead.reason == "no_labels" and values else instead


def read_yes_no(text: str) -> Parsed[bool]:
    """Read a yes or a no at the start of a text.

    Marks around it, a full stop and a reason behind it do not matter; true and false are taken too. Neither of them, or
    both on the first line ("yes/no", "No. Wait, yes"), is `not_yes_or_no`.

    Parameters
    ----------
    text : str
        The text under a label.

    Returns
    -------
    Parsed of bool

    Examples
    --------
    >>> read_yes_no("**Yes.**").value, read_yes_no("yes or no").reason
    (True, 'not_yes_or_no')
    """
    word = _YES_OR_NO.match(text)
    if word is None:
        return unread("not_yes_or_no")
    yes = word[1].lower() in ("yes", "true")
    return unread("not_yes_or_no") if (_NO if yes else _YES).search(word[2]) else read(yes)


def _line_marks(text: str, labels: Sequence[str]) -> list[_Mark]:
    marks = []
    for label in labels:
        written = "[ _-]".join(re.escape(word) for word in label.split())
        pattern = re.compile(_LINE_LABEL.replace("LABEL", written), re.IGNORECASE | re.MULTILINE)
        for found in pattern.finditer(text):
            closed = found["before"] or found["after"] or found["alone"]
            marks.append(_Mark(label, found.start(), found.end(), "" if closed else found["bold"] or ""))
    return marks


def _inner_marks(text: str, label: str, lines: Sequence[_Mark]) -> list[_Mark]:
    pattern = re.compile(_INNER_LABEL.replace("LABEL", re.escape(label)))
    found = [one for mark in lines for one in pattern.finditer(text, mark.end, _line_end(text, mark))]
    if len(found) != 1:
        return []
    closed = found[0]["before"] or found[0]["after"]
    return [_Mark(label, found[0].start(), found[0].end(), "" if closed else found[0]["bold"] or "")]


def _chosen(text: str, marks: Sequence[_Mark], last: Sequence[str], judged: Sequence[str]) -> Sequence[_Mark] | None:
    """Leave out the marks that are text; None if a label is left with two different texts, or with none."""
    final = {mark.label: mark for mark in marks if mark.label in last}
    marks = [mark for mark in marks if final.get(mark.label, mark) is mark]
    contested = _contested(text, marks)
    if not contested:
        return marks
    shown = [fold(one) for one in judged]
    marks = [mark for mark in marks if mark.label not in contested or not _is_shown(text, mark, shown)]
    kept = {mark.label for mark in marks}
    return marks if contested <= kept and not _contested(text, marks) else None


def _contested(text: str, marks: Sequence[_Mark]) -> set[str]:
    first: dict[str, str] = {}
    return {
        mark.label
        for mark, value in zip(marks, _values(text, marks), strict=True)
        if first.setdefault(mark.label, fold(value)) != fold(value)
    }


def _values(text: str, marks: Sequence[_Mark]) -> list[str]:
    ends = [*(mark.start for mark in marks[1:]), len(text)]
    values = [_without_bold(text[mark.end : end].strip(), mark.bold) for mark, end in zip(marks, ends, strict=False)]
    # A fence that was opened ahead of the labels closes behind them: it is no part of the last text.
    if marks and text[: marks[0].start].count("```") % 2 and values[-1].endswith("```"):
        values[-1] = values[-1].removesuffix("```").rstrip()
    return values


def _without_bold(value: str, bold: str) -> str:
    """Take away the end of a bold mark that began ahead of the label and closes with the first line."""
    first, line_end, rest = value.partition("\n")
    if bold and first.rstrip().endswith(bold):
        return (first.rstrip().removesuffix(bold).rstrip() + line_end + rest).strip()
    return value


def _line_end(text: str, mark: _Mark) -> int:
    end = text.find("\n", mark.end)
    return end if end >= 0 else len(text)


def _is_shown(text: str, mark: _Mark, shown: Sequence[str]) -> bool:
    line = fold(text[mark.start : _line_end(text, mark)])
    return any(line in one for one in shown)


def _from_json(text: str, labels: Sequence[str], required: Sequence[str]) -> Parsed[dict[str, str]]:
    found, cut = find_json(text)
    if cut:
        return unread("cut_off")
    asked = {_plain(label): label for label in labels}
    objects = [_labelled(one.value, asked) for one in found if isinstance(one.value, Pairs)]
    if None in objects:
        return unread("ambiguous")
    some = [values for values in objects if values]
    fits = [values for values in some if all(label in values for label in required)]
    if not fits:
        return unread("missing_field" if some else "no_labels")
    return read(fits[0]) if all(values == fits[0] for values in fits) else unread("ambiguous")


def _labelled(pairs: Pairs, asked: Mapping[str, str]) -> dict[str, str] | None:
    """Give the texts under the keys that are labels; None if one of them comes twice and differs."""
    values: dict[str, str] = {}
    for key, value in pairs:
        label = asked.get(_plain(key))
        if label is None or not isinstance(value, str | bool):
            continue
        written = str(value).strip() if isinstance(value, str) else ("yes" if value else "no")
        if values.setdefault(label, written) != written:
            return None
    return {label: values[label] for label in asked.values() if label in values}


def _plain(label: str) -> str:
    return " ".join(re.split(r"[\s_-]+", label.casefold())).strip(" :")
