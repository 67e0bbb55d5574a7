"""Is a quote in a text, and is it long enough to show anything? Judges copy words, not line breaks or curly marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterator

from tutorscope.texts.entities import unescape_entities

LEAST_WORDS = 3
"""The fewest words of a quote that is evidence: one or two ("I", "for you") stand in nearly every reply."""
CHARACTERS_A_WORD = 2
"""So many characters count for a word in scripts that do not part words by blanks."""

# One sign for all of them: a quote inside a JSON string often comes back with single marks for double ones.
_MARKS = re.compile("[\"`´'‘’‚‛′“”„‟″‵‶«»‹›「」『』〝〞〟＂＇]")
# Thai to Burmese, Khmer, the smaller scripts beside them, and what Chinese and Japanese are written in.
_UNSPACED = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf\u1b00-\u1b7f\u2e80-\u312f\u31a0-\ua4cf\ua980-\ua9df"
    "\uaa60-\uaadf\uf900-\ufaff\uff66-\uff9f\U00016fe0-\U00018fff\U0001b000-\U0001b2ff\U00020000-\U0003ffff]"
)
# Shown as nothing: soft hyphens, joiners, byte order marks, variation selectors.
_WIDTHLESS = re.compile("[\u00ad\u034f\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_SET_OFF = re.compile(r"'+|\*+|_+")
_DASHES = re.compile(r"\s*[-‐‑‒–—―−]+\s*")
_HYPHENS, _LONG = "-‐‑", "—―"
# What a dash is, while quotes are cut: part of a word or number ("well-known"), a sign ("-5"), else "-".
_TIGHT, _SIGN = "‐", "−"
_ALL_DASHES = str.maketrans({_TIGHT: "-", _SIGN: "-"})
_ELLIPSES = re.compile(r"\s*(?:…|\.{3,})[.…]*\s*")
_NEGATED = re.compile(r"n't")
_JOINED = re.compile(rf"[^\W\d_]'[^\W\d_]|\w{_TIGHT}\w")
# A number goes on over what stands between two digits (3.5, 10:30, 1/2, 20-30), over groups of three (1 000), and has
# the sign ahead of it and the share behind it: a part of it is another number.
_NUMBER = re.compile(rf"{_SIGN}?(?:\d{{1,3}}(?: \d{{3}})+(?!\d)|\d+)(?:[.,:/⁄'{_TIGHT}]\d+)*(?: ?[%‰°])?")
_SHARES = "%‰°"
# Full-width and half-width forms. Only of them the plain forms are taken (NFKC): of all signs, 10² would be 102.
_WIDTHS = re.compile("[\uff01-\uffee]+")
# Tags that show as nothing, or as a new line; <sup> is none of them, with which 10² would be 102.
_TAG = re.compile(r"</?(?:b|i|u|em|strong|mark|q|span|(br|p|div|li))(?:\s+[a-z-]++=\"[^\"<>]*+\")*+\s*+/?>")
_WRAPPED = re.compile(r"<([a-z]+)>(.+)</\1>")
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\([^()\s]*+\)")
# Layout at the start of a line, and a word broken at its end.
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|#{1,6}|>)[ \t]+", re.MULTILINE)
_BROKEN = re.compile(r"(?<=[^\W\d_])[-‐]\r?\n[ \t]*(?=[^\W\d_])")
_TWICE_ESCAPED = re.compile(r"\\[nrt]")
_STATED = re.compile("[.!。।۔]")
_ASKED = re.compile(r"[^\w\s.!?]*\s?[?؟፧‽⁇⁈⁉]")


def fold(text: str) -> str:
    r"""Fold what a faithful copy may change: white space runs become one blank, every quote mark an apostrophe.

    Letters are composed (NFC), because an accent may be copied in either form. Case, punctuation and words stay.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        Without blanks around it. Folding twice changes nothing more.

    Examples
    --------
    >>> fold("She said:\n  “no”")
    "She said: 'no'"
    """
    return " ".join(_MARKS.sub("'", unicodedata.normalize("NFC", text)).split())


def contains_quote(text: str, quote: str) -> bool:
    r"""Whether a quote stands in a text, but for what a faithful copy may change.

    That is, on both sides alike: white space, case, quote marks (a backslash ahead of one too), the stars, lines, ticks
    and links of Markdown, tags and entities of HTML, full-width forms, how a dash or an ellipsis is written, and
    characters without width. Around the quote as a whole also punctuation, bullets and emoji, which a judge puts where
    it cuts; but a question mark stays, since a question is no statement, and so do signs of a number. For the same
    reason a quote that ends in a full stop or an exclamation mark is not found where the text has a question mark; one
    that ends in no mark, or in an ellipsis, may be cut there. The text may also be taken without the bullets of its
    lines and the hyphens that break words over lines, and a quote that is not found as it was given, with blanks for
    the line ends of a judge that escapes twice (``\n``).

    A quote of nothing is in no text. A quote that skips words ("a ... b") is not found: what was skipped is unknown.
    Nor is one that begins or ends within a word ("art" in "start", "known" in "well-known"), in scripts that part words
    by blanks, or within a number ("2 of them" in "1/2 of them").

    That the words stand there is all that is shown, not that they are meant: "make you go" is in "I won't make you go".

    Parameters
    ----------
    text : str
        What was quoted from.
    quote : str
        The quote as the judge gave it.

    Returns
    -------
    bool

    Examples
    --------
    >>> contains_quote("Well done!\nNow try **the next**.", "'... now try the next one'")
    False
    >>> contains_quote("Well done!\nNow try **the next**.", "'... now try the next ...'")
    True
    """
    for one in dict.fromkeys((text, _BULLET.sub("", _BROKEN.sub("", text)))):
        whole = _likened(one)
        if any(_stands_in(whole, *_bare(copy)) for copy in dict.fromkeys((quote, _unescaped(quote)))):
            return True
    return False


def long_enough(text: str, quote: str) -> bool:
    """Whether a quote has three words, or as many as the text has where these are fewer.

    A word is a run of letters and digits; where a script does not part words by blanks, every two characters count as
    one.

    Parameters
    ----------
    text : str
        What was quoted from.
    quote : str
        The quote as the judge gave it.

    Examples
    --------
    >>> long_enough("I hear you. Take one leaf.", "one leaf"), long_enough("Take one.", "Take one")
    (False, True)
    """
    return _size(_bare(_unescaped(quote))[0]) >= min(LEAST_WORDS * CHARACTERS_A_WORD, _size(_likened(text)))


def _unescaped(quote: str) -> str:
    return _TWICE_ESCAPED.sub(" ", quote)


def _likened(text: str) -> str:
    """Fold a text as `contains_quote` says, with dashes told apart as parts of words, signs and others."""
    plain = _WIDTHS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    plain = unescape_entities(plain)
    # Case is folded ahead of NFC, which it may undo; it leaves a dot over the "i" that the Turkish capital has.
    plain = unicodedata.normalize("NFC", _WIDTHLESS.sub("", plain)).casefold().replace("i\u0307", "i")
    plain = fold(_TAG.sub(lambda tag: " " if tag[1] else "", _LINK.sub(r"\1", plain))).replace("\\'", "'")
    plain = _each(_SET_OFF, _kept, plain)
    return " ".join(_ELLIPSES.sub(" ... ", _each(_DASHES, _dash, plain)).split())


def _each(pattern: re.Pattern[str], replace: Callable[[str, str, str], str], text: str) -> str:
    """Replace what is found, knowing the characters ahead of it and behind it."""
    return pattern.sub(
        lambda found: replace(text[found.start() - 1 : found.start()], found[0], text[found.end() : found.end() + 1]),
        text,
    )


def _kept(before: str, marks: str, after: str) -> str:
    """Keep an apostrophe or a sign within a word or a number ("don't", 2*3), and a sign that stands alone (2 * 3)."""
    within = _is_letter(before) and _is_letter(after)
    alone = not before.strip() and not after.strip() and marks[0] != "'"
    return marks if within or alone else ""


def _dash(before: str, dash: str, after: str) -> str:
    single = len(dash.strip()) == 1 and dash.strip() not in _LONG
    if not single or dash[-1].isspace():
        return "-"
    if len(dash) == 1 and _is_letter(before) and _is_letter(after):
        # "20–30" is written with a longer dash than "well-known", and "Stop–then" is no word.
        return _TIGHT if dash in _HYPHENS or (before.isdigit() and after.isdigit()) else "-"
    return _SIGN if after.isdigit() else "-"


def _bare(quote: str) -> tuple[str, str]:
    """Take off what a judge puts around a quote, or where it cuts one off; and give what stood behind."""
    folded = _likened(quote)
    wrapped = _WRAPPED.fullmatch(folded)
    folded = wrapped[2] if wrapped else folded
    begin, end = 0, len(folded)
    while begin < end and (
        _is_around(folded[begin]) or (folded[begin] == ">" and not folded[begin + 1 : begin + 2].isdigit())
    ):
        begin += 1
    while end > begin and _is_around(folded[end - 1]):
        end -= 1
    return folded[begin:end], folded[end:]


def _is_around(sign: str) -> bool:
    """Whether it is a blank, punctuation or a picture, and changes nothing of what is said."""
    if sign in _SHARES or "QUESTION MARK" in unicodedata.name(sign, ""):
        return False
    return sign == "-" or unicodedata.category(sign) in ("Zs", "So", "Sk", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po")


def _stands_in(text: str, part: str, behind: str) -> bool:
    states = _STATED.search(behind.replace("...", "")) is not None
    numbers = {place for found in _NUMBER.finditer(text) for place in range(found.start() + 1, found.end())}
    for place in _places_of(part.translate(_ALL_DASHES), text.translate(_ALL_DASHES)):
        end = place + len(part)
        whole = not _is_within(text, place, numbers) and not _is_within(text, end, numbers)
        if whole and not (states and _ASKED.match(text, end)):
            return True
    return False


def _places_of(part: str, text: str) -> Iterator[int]:
    """Give every place where a part stands, in time linear in both (Knuth, Morris and Pratt, 1977).

    A search that begins anew behind each place takes quadratic time in a text that repeats itself.
    """
    if not part:
        return
    # For each beginning of the part: the length of the longest shorter one that it ends in.
    shorter = [0]
    same = 0
    for at in range(1, len(part)):
        while same and part[at] != part[same]:
            same = shorter[same - 1]
        same += part[at] == part[same]
        shorter.append(same)
    same = 0
    for at, character in enumerate(text):
        while same and (same == len(part) or character != part[same]):
            same = shorter[same - 1]
        same += character == part[same]
        if same == len(part):
            yield at + 1 - same


def _is_letter(character: str) -> bool:
    """Whether it is a letter, digit or accent of a script that parts words by blanks."""
    return _in_word(character) and not _UNSPACED.match(character)


def _in_word(character: str) -> bool:
    return character.isalnum() or (character != "" and unicodedata.category(character)[0] == "M")


def _is_within(text: str, place: int, numbers: Container[int]) -> bool:
    """Whether a place is within a word or a number."""
    before, after = text[place - 1 : place], text[place : place + 1]
    # "I can" is not what was said with "I can't".
    if place in numbers or _NEGATED.fullmatch(text[place - 1 : place + 2]) or after == _TIGHT:
        return True
    if _JOINED.fullmatch(text[place - 2 : place + 1]):
        return True
    # An accent or a vowel sign is cut off from its letter in no script.
    cut = after != "" and unicodedata.category(after)[0] == "M"
    return _in_word(before) and (cut or (_is_letter(before) and _is_letter(after)))


def _size(likened: str) -> int:
    """Count two for each word, and one for each character of a script without blanks."""
    characters = sum(one.isalnum() and _UNSPACED.match(one) is not None for one in likened)
    words, before = 0, False
    for one in likened:
        letter = _is_letter(one) or (before and one == "'")
        words += letter and not before
        before = letter
    return CHARACTERS_A_WORD * words + characters
