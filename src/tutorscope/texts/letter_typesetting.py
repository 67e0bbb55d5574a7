"""What a reply with a letter says without its typesetting: bold, boxes, tags, bullets, letters of other shapes."""

from __future__ import annotations

import re
import unicodedata

from tutorscope.texts.entities import unescape_entities

_BOX = re.compile(r"\\(?:boxed|fbox|text(?:bf|rm|it)?|math(?:bf|rm))\s*+\{([^{}\n]{0,40}+)\}")
_TAG = re.compile(r"<(/?+)(?:final[ _-]?+)?(?:answer|choice|option)>", re.IGNORECASE)
# Bold and code, what has no width, a tick or a pointing hand, and what ends a turn in a model's own chat template.
_MARKS = re.compile(
    r"[*`$\u200b-\u200d\u2060\ufe0f\ufeff✅✔☑👉➡🎯👍]|(?<![^\W_])_++|_++(?![^\W_])|\\[()\[\]]"
    r"|</?+(?:b|strong|em|i|u|span|code|s|eos|end_of_turn)>|<\|\w{1,40}+\|>"
)
_BLOCKS = re.compile(r"</?+(?:p|div|br|h[1-6]|li|ul|ol)\s?/?+>", re.IGNORECASE)
_LINE_MARKS = re.compile(r"^[ \t]*+(?:(?:#++|>++|[-+•])[ \t]++)++", re.MULTILINE)
# Letters of other shapes: full-width, circled, mathematical, in boxes.
_SHAPED = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFF21, 0xFF5B), *range(0x24B6, 0x24EA), *range(0x1D400, 0x1D6A4), *range(0x1F130, 0x1F14A))
} | {first + place: chr(0x41 + place) for first in (0x1F150, 0x1F170) for place in range(26)}


def plain(text: str) -> str:
    """Take typesetting off, which says nothing: bold, code, boxes, tags, bullets, headings, the shape of letters."""
    text = unescape_entities(text).translate(_SHAPED)
    text = _BLOCKS.sub("\n", _TAG.sub(lambda tag: "\n" if tag[1] else "\n\nAnswer: ", text))
    for _ in range(2):
        text = _BOX.sub(r"\1", text)
    text = _LINE_MARKS.sub("", _MARKS.sub("", text))
    # Runs of blanks would be gone through again from each of them.
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" ?\n ?", "\n", re.sub(r"[^\S\n]+", " ", text))).strip()
