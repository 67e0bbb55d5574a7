"""Find the JSON objects and lists that stand in a text, in time linear in its length, however hostile it is.

The standard library's reader is not used, for three reasons: tried again at every brace of a hostile reply it takes
quadratic time and ends in a RecursionError; it forgets how a number was written (1e999, 4.0000000000000000001); and it
keeps the last of two equal keys. Nothing is repaired, with two exceptions that cannot change what was meant: a comma
before a closing bracket, and an escape that JSON does not know (LaTeX in a rationale), which stays as it was written.
Line ends inside a string are taken too. A text that ends inside an object is never closed for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENING = re.compile(r'\{(?=\s*+(?:["}]|\Z))|\[(?=\s*+[\[\]{"0-9tfnNI-])')
_TOKEN = re.compile(
    r'[\s\ufeff]*+(?:(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")'
    r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|NaN|-?Infinity)"
    r"|(?P<word>true|false|null)|(?P<mark>[{}\[\],:]))",
    re.DOTALL,
)
_BLANKS = re.compile(r"[\s\ufeff]*+")
_UNFINISHED = re.compile(r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|N|Na|-|-?I[nfit]{0,6}|[.eE][0-9eE+-]*+)\Z")
# A text that ends inside an object: its first key is whole, or the text ends within what can still become a key.
_BEGUN = re.compile(r'(?:\[\s*+)?\{\s*+(?:\Z|"\w*+"?\s*+\Z|"[^"\\]*+(?:\\.[^"\\]*+)*+"\s*+:)', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true": True, "false": False, "null": None}


class Number(str):
    """A number exactly as it was written, such as ``"4.0"``, ``"1e999"`` or ``"NaN"``."""

    __slots__ = ()


class Pairs(list[tuple[str, object]]):
    """An object as its keys and values in order: a key may come twice."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object or a list and where it stands: ``text[start:end]``."""

    start: int
    end: int
    value: Pairs | list[object]


def find_json(text: str) -> tuple[list[Found], bool]:
    """Find the outermost JSON objects and lists in a text.

    What stands inside an object that is itself not JSON is no finding: it was meant as a part.

    Parameters
    ----------
    text : str
        Any text: JSON alone, fenced, after prose, or none.

    Returns
    -------
    found : list of Found
        In order, none inside another. In them an object is a `Pairs`, a number a `Number`; strings, bools, None and
        lists are Python's.
    cut : bool
        Whether the text ends inside an object (or a list of objects) that had begun.

    Notes
    -----
    Where a reading from one bracket fails, it would fail the same way from every bracket still open at that point, and
    what it completed on its way is complete: both are remembered and never read again. What remains to be tried are
    brackets that lay inside its strings, and from there each quote mark means the opposite. So no character is read
    more than about twice.

    Examples
    --------
    >>> found, cut = find_json('As asked: {"score": 4.0}')
    >>> found[0].value, cut
    ([('score', '4.0')], False)
    """
    found: list[Found] = []
    tried: dict[int, Found | None] = {}
    broken: set[int] = set()
    end = 0
    for opening in _OPENING.finditer(text):
        start = opening.start()
        if start < end:
            continue
        if start not in tried and _read(text, start, tried, broken) and _BEGUN.match(text, start):
            return found, True
        complete = tried[start]
        if complete is not None:
            end = complete.end
            if start not in broken:
                found.append(complete)
    return found, False


def _read(text: str, start: int, tried: dict[int, Found | None], broken: set[int]) -> bool:
    """Read from one bracket. True if the text ended inside.

    What came of every bracket on the way is noted in ``tried``, and in ``broken`` what is whole but stands in an object
    that is not: nobody wrote it as an object of its own.
    """
    open_starts: list[int] = []
    open_values: list[Pairs | list[object]] = []
    open_keys: list[str] = []
    complete: list[Found] = []
    expects = "value"  # or "item" (a value, or the list's end), "key" (a key, or the object's end), "colon", "next"
    at = start
    while True:
        token = _TOKEN.match(text, at)
        if token is None:
            break
        kind, begun, at = token.lastgroup, token.start(token.lastgroup or 0), token.end()
        mark = token["mark"] if kind == "mark" else ""
        if kind == "string" and expects == "key":
            open_keys[-1] = _decoded(token["string"])
            expects = "colon"
        elif mark == ":" and expects == "colon":
            expects = "value"
        elif mark == "," and expects == "next":
            expects = "key" if isinstance(open_values[-1], Pairs) else "item"
        elif mark in ("{", "[") and expects in ("value", "item"):
            open_starts.append(begun)
            open_values.append(Pairs() if mark == "{" else [])
            open_keys.append("")
            expects = "key" if mark == "{" else "item"
        elif mark in ("}", "]") and expects in ("next", "key" if mark == "}" else "item"):
            if isinstance(open_values[-1], Pairs) != (mark == "}"):
                break
            done = Found(open_starts.pop(), at, open_values.pop())
            open_keys.pop()
            while complete and complete[-1].start > done.start:
                complete.pop()
            complete.append(done)
            if not open_values:
                tried[start] = done
                return False
            _put(open_values[-1], open_keys[-1], done.value)
            expects = "next"
        elif kind in ("string", "number", "word") and expects in ("value", "item"):
            _put(open_values[-1], open_keys[-1], _scalar(token))
            expects = "next"
        else:
            break
    tried.update(dict.fromkeys(open_starts))
    tried.update((one.start, one) for one in complete)
    outer = next(
        (begun for begun, value in zip(open_starts, open_values, strict=True) if isinstance(value, Pairs)), len(text)
    )
    broken.update(one.start for one in complete if one.start > outer)
    return token is None and _ends(text, at, expects)


def _ends(text: str, at: int, expects: str) -> bool:
    """Whether reading failed because the text is over: no token left, a string without end, half a word or number."""
    blanks = _BLANKS.match(text, at)
    rest = blanks.end() if blanks else at
    if rest == len(text):
        return True
    if text[rest] == '"':
        return expects in ("key", "value", "item")
    return expects in ("value", "item", "next") and _UNFINISHED.match(text, rest) is not None


def _put(into: Pairs | list[object], key: str, value: object) -> None:
    if isinstance(into, Pairs):
        into.append((key, value))
    else:
        into.append(value)


def _scalar(token: re.Match[str]) -> object:
    if token.lastgroup == "string":
        return _decoded(token["string"])
    if token.lastgroup == "number":
        return Number(token["number"])
    return _WORDS[token["word"]]


def _decoded(string: str) -> str:
    inside = string[1:-1]
    if "\\" in inside:
        inside = _ESCAPE.sub(_unescaped, inside)
    # Halves of a pair come as two escapes; a half alone can be stored nowhere.
    return inside.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(escape: re.Match[str]) -> str:
    code, letter = escape.groups()
    return chr(int(code, 16)) if code else _ESCAPES.get(letter, escape.group())
