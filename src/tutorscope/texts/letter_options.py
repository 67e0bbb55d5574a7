"""The options' own texts: whether a letter goes on with the one that it names, or with another one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tutorscope.texts.letter_typesetting import plain

ENOUGH = 3
"""So many words of an option are a quotation, or all that it has."""

_BEFORE = re.compile(r"[\s.:;,(\[\"'“‘)\]–—-]{0,12}")
_WORD = re.compile(r"\W{0,8}?(\w(?:[\w'’]*\w)?)")


def words_of(options: Mapping[str, str]) -> dict[str, list[str]]:
    """Give the words of each option, folded, by its letter."""
    return {letter: _words(plain(text)) for letter, text in options.items()}


def quoted(text: str, at: int, texts: Mapping[str, list[str]]) -> tuple[set[str], int]:
    """Say which options a text quotes at a place, from their first word on.

    Parameters
    ----------
    text : str
    at : int
        Where to look. Blanks, brackets, marks and quote marks may come first.
    texts : mapping of str to list of str
        As `words_of` gives them.

    Returns
    -------
    letters : set of str
        Those of the options that most of the words are of; none if there are fewer than three (or all) of an option's.
    end : int
        Where its last word ends.

    Examples
    --------
    >>> texts = words_of({"A": "Ask what is wrong", "B": "Ask what she needs"})
    >>> quoted("A: (ask what is)", 1, texts)
    ({'A'}, 15)
    """
    begins = _BEFORE.match(text, at)
    start = begins.end() if begins else at
    runs = {letter: _follow(text, start, words) for letter, words in texts.items()}
    longest = max((count for count, _ in runs.values()), default=0)
    if not longest:
        return set(), at
    end = max(end for _, end in runs.values())
    return {letter for letter, (count, _) in runs.items() if count == longest}, end


def all_of(text: str, texts: Mapping[str, list[str]]) -> str | None:
    """Give the letter of the one option that a text is, word for word."""
    words = _words(text)
    same = [letter for letter, of in texts.items() if words and of == words]
    return same[0] if len(same) == 1 else None


def names_another(text: str, letter: str, texts: Mapping[str, list[str]]) -> bool:
    """Whether a text holds the first words of another option, which the letter's own does not hold too."""
    own = _run(texts.get(letter, []))
    said = _run(_words(text))
    starts = (_run(words[:ENOUGH]) for one, words in texts.items() if one != letter and len(words) >= ENOUGH)
    return any(start in said and start not in own for start in starts)


def done_in(sentence: str, texts: Mapping[str, list[str]]) -> set[str]:
    """Give the options whose act a sentence begins with: their first word, or any of their words as "Telling"."""
    first = next(iter(_words(sentence[:100])), "")
    if first.endswith("ing"):
        stem = first.removesuffix("ing")
        return {letter for letter, words in texts.items() if any(_same_act(stem, word) for word in words)}
    return {letter for letter, words in texts.items() if words[:1] == [first]}


def _same_act(stem: str, word: str) -> bool:
    return min(len(stem), len(word)) >= ENOUGH and (word.startswith(stem) or stem.startswith(word))


def _run(words: list[str]) -> str:
    return f" {' '.join(words)} "


def _words(text: str) -> list[str]:
    return [_folded(word) for word in _WORD.findall(text)]


def _folded(word: str) -> str:
    return word.casefold().replace("’", "'")


def _follow(text: str, at: int, words: list[str]) -> tuple[int, int]:
    """Count the words of an option that follow in a text, if they are enough; and give where they end."""
    count = 0
    for word in words:
        found = _WORD.match(text, at)
        if found is None or _folded(found[1]) != word:
            break
        count, at = count + 1, found.end()
    return (count, at) if count >= min(ENOUGH, len(words)) else (0, at)
