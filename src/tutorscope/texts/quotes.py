"""Is a quote in a text, and is it long enough to show anything? Judges copy words, not line breaks or curly marks."""

from __future__ import annotations

import re
import unicodedata

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
_ELLIPSES = re.compile(r"\s*(?:…|\.{3,})[.…]*\s*")
_CUT_OFF = re.compile(r"\A[\[(] \.\.\. [\])]|[\[(] \.\.\. [\])]\Z")
_NEGATED = re.compile(r"n't|\d[.,]\d")
_JOINED = re.compile(r"[^\W\d_]'[^\W\d_]|\d[.,]\d")
# What a judge puts around a quote, or where it cuts one off.
_AROUND = "'.。*_ "


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

    That is, on both sides alike: white space, case, quote marks and the stars, lines and ticks of Markdown around
    words, how a dash or an ellipsis is written, and characters without width. Around the quote as a whole also quote
    marks, full stops and ellipses, which a judge puts where it cuts.

    A quote of nothing is in no text. A quote that skips words ("a ... b") is not found: what was skipped is unknown.
    Nor is one that begins or ends within a word ("art" in "start"), in scripts that part words by blanks.

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
    whole, part = _likened(text), _bare(quote)
    place = whole.find(part) if part else -1
    while place >= 0:
        if not _within_word(whole, place) and not _within_word(whole, place + len(part)):
            return True
        place = whole.find(part, place + 1)
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
    return _size(_bare(quote)) >= min(LEAST_WORDS * CHARACTERS_A_WORD, _size(_likened(text)))


def _likened(text: str) -> str:
    # Case is folded ahead of NFC, which it may undo.
    plain = fold(_WIDTHLESS.sub("", unicodedata.normalize("NFC", text).casefold()))
    unmarked = _SET_OFF.sub(lambda found: _kept(plain, found), plain)
    return " ".join(_ELLIPSES.sub(" ... ", _DASHES.sub("-", unmarked)).split())


def _kept(text: str, found: re.Match[str]) -> str:
    """Keep an apostrophe or a sign within a word or a number ("don't", 2*3), and a sign that stands alone (2 * 3)."""
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    within = _is_letter(before) and _is_letter(after)
    alone = not before.strip() and not after.strip() and found[0][0] != "'"
    return found[0] if within or alone else ""


def _bare(quote: str) -> str:
    return _CUT_OFF.sub("", _likened(quote)).strip(_AROUND)


def _is_letter(character: str) -> bool:
    """Whether it is a letter, digit or accent of a script that parts words by blanks."""
    return _in_word(character) and not _UNSPACED.match(character)


def _in_word(character: str) -> bool:
    return character.isalnum() or (character != "" and unicodedata.category(character)[0] == "M")


def _within_word(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place : place + 1]
    # "I can" is not what was said with "I can't", nor "5 times" with "3.5 times".
    if _NEGATED.fullmatch(text[place - 1 : place + 2]) or _JOINED.fullmatch(text[place - 2 : place + 1]):
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
