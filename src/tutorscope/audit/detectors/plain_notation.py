"""Mathematics as people and models type it, brought to one plain notation: LaTeX, Unicode, Markdown, HTML entities."""

from __future__ import annotations

import re
import unicodedata

from tutorscope.texts.entities import unescape_entities

# Written apart from the digits before it, so that 2½ becomes the mixed number "2 1/2" and not 21/2.
_VULGAR = {
    char: f" {top}/{bottom} "
    for char, top, bottom in (
        *(("½", 1, 2), ("⅓", 1, 3), ("⅔", 2, 3), ("¼", 1, 4), ("¾", 3, 4), ("⅕", 1, 5), ("⅖", 2, 5), ("⅗", 3, 5)),
        *(("⅘", 4, 5), ("⅙", 1, 6), ("⅚", 5, 6), ("⅛", 1, 8), ("⅜", 3, 8), ("⅝", 5, 8), ("⅞", 7, 8)),
    )
}
# An en dash stays one: whether it is a minus or a "to" depends on what stands around it. An em dash is never a minus.
_CHARACTERS = str.maketrans(
    {
        **_VULGAR,
        **dict.fromkeys("−－﹣➖", "-"),
        **dict.fromkeys("‐‑", "-"),
        **dict.fromkeys("‒", "–"),
        **dict.fromkeys("―", "—"),
        **dict.fromkeys("×✕✖⋅·∙∗", " * "),
        "÷": " / ",
        **dict.fromkeys("∕⁄", "/"),  # the slashes of fractions: 7⁄2 is one number
        **dict.fromkeys("’‘ʼ＇", "'"),
        **dict.fromkeys("⇒⟹➡➔➜⟶", "→"),
        **dict.fromkeys("≃≅∼", "≈"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u2061\u2062\u2063", ""),
        **{char: f"^{digit}" for digit, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    }
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

_PART = r"\s*\{([^{}]*)\}"
_MIXED_FRACTION = re.compile(r"([0-9])\s*\\[dtc]?frac\s*\{\s*([0-9]+)\s*\}\s*\{\s*([0-9]+)\s*\}")
_NUMBER_FRACTION = re.compile(r"\\[dtc]?frac\s*\{\s*([0-9]+)\s*\}\s*\{\s*([0-9]+)\s*\}")
_SHORT_FRACTION = re.compile(r"\\[dtc]?frac\s*([0-9])\s*([0-9])")
_FRACTION = re.compile(rf"\\[dtc]?frac{_PART}{_PART}")
_POWER = re.compile(r"\^\{([^{}]*)\}")
_COMMANDS = {
    **dict.fromkeys(("times", "cdot", "ast"), " * "),
    **dict.fromkeys(("div",), " / "),
    **dict.fromkeys(("approx", "sim", "simeq"), " ≈ "),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "implies", "longrightarrow", "therefore"), " → "),
    **dict.fromkeys(("le", "leq", "lt"), " < "),
    **dict.fromkeys(("ge", "geq", "gt"), " > "),
    **dict.fromkeys(("ne", "neq"), " ≠ "),
    "pm": " ± ",
    "percent": "%",
}
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_CURRENCY = re.compile(r"[$€£¥₹]+")

# x**2 as a program writes it, not the bold of "so**24**".
_PYTHON_POWER = re.compile(r"(?<=[A-Za-z0-9)])\*\*(?=[0-9.]{1,8}(?![0-9.*]))")
_EMPHASIS = re.compile(r"\*{2,}|__+|~~|`+")
_BLANKS = re.compile(r"[^\S\n]+")
_STAR = re.compile(r"([^\s*]?)( ?)\*( ?)(?=([^\s*]?))")
_BULLET = re.compile(r"^([^\S\n]*)\*(?=[^\S\n])", re.MULTILINE)
_HEADING = re.compile(r"^[^\S\n]*#{1,6}(?=[^\S\n])", re.MULTILINE)
_QUOTE = re.compile(r"^[^\S\n]*(?:>[^\S\n]*)+", re.MULTILINE)
_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x85\x0b\x0c]")
_BREAKS = re.compile(r"<br\s*/?>|</?(?:p|div|b|i|strong|em|code|u)>", re.IGNORECASE)


def _one_character(found: re.Match[str]) -> str:
    char = found[0]
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if char.isspace():
        return " "
    folded = unicodedata.normalize("NFKC", char)
    # Only the full-width forms of ASCII: a ligature or a Roman numeral stays the letter that it is.
    return folded if len(folded) == 1 and folded < "\x7f" else char


def _latex(text: str) -> str:
    text = text.replace("{,}", ",")
    text = _POWER.sub(r"^(\1)", text)
    if "\\" not in text:
        return text.replace("{", " ").replace("}", " ")
    text = _MIXED_FRACTION.sub(r"\1 \2/\3 ", text)
    text = _NUMBER_FRACTION.sub(r" \1/\2 ", text)
    text = _SHORT_FRACTION.sub(r" \1/\2 ", text)
    for _ in range(3):  # a fraction in a fraction in a fraction: nobody goes deeper in a chat
        text = _FRACTION.sub(r"((\1) / (\2))", text)
    text = _COMMAND.sub(lambda found: _COMMANDS.get(found[1], " "), text)
    # What is left of backslashes is \( \) \[ \] and spacing, or an escaped sign such as \% and \$.
    text = _ESCAPED.sub(lambda found: found[1] if found[1] in "%#&_*-+.\n" else " ", text)
    return text.replace("{", " ").replace("}", " ")


def _star(found: re.Match[str]) -> str:
    left, before, after, right = found[1], found[2], found[3], found[4]
    if not left or not right:
        return f"{left}{before}{after}"
    times = (left.isalnum() or left in ")%") and (right.isalnum() or right in "(.-")
    # Emphasis hugs its word on one side only; between two digits nobody emphasises.
    if times and (bool(before) == bool(after) or (left.isdigit() and right.isdigit())):
        return f"{left}{before}*{after}"
    return f"{left}{before}{after}"


def _markdown(text: str) -> str:
    text = _PYTHON_POWER.sub("^", text)
    text = _EMPHASIS.sub("", text)
    text = _BULLET.sub(r"\1-", text)
    text = _HEADING.sub("", text)
    text = _QUOTE.sub("", text)
    return _STAR.sub(_star, text)


def _unwrapped(text: str) -> str:
    text = text.strip()
    while len(text) >= 4 and text.startswith("**") and text.endswith("**"):
        text = text[2:-2].strip()
    return text


def plain_notation(text: str) -> str:
    r"""Bring the mathematics of a text to ASCII digits and the operators ``+ - * / ^ = < >``.

    Digits of any script, full-width forms, superscripts, vulgar fractions, Unicode signs, LaTeX and HTML entities are
    written out; Markdown's stars, backticks and headings go, where a star is no "times". Signs of currency go. En and
    em dash, ``≈``, ``±``, ``→`` and line ends stay, because they carry meaning.

    Parameters
    ----------
    text : str
        A turn of a chat.

    Returns
    -------
    str

    Examples
    --------
    >>> plain_notation(r"**x** = \frac{3}{4} \times ４８").split()
    ['x', '=', '3/4', '*', '48']
    """
    text = _LINE_ENDS.sub("\n", _unwrapped(text))
    if "&" in text:
        text = unescape_entities(text)
    if "<" in text:
        text = _BREAKS.sub("\n", text) if "<br" in text.casefold() else _BREAKS.sub("", text)
    text = text.translate(_CHARACTERS)
    text = _NOT_ASCII.sub(_one_character, text)
    text = _markdown(_BLANKS.sub(" ", _latex(text)))
    # In front of an amount or around a formula: a dollar sign never says anything about the number.
    return _BLANKS.sub(" ", _CURRENCY.sub(" ", text)).strip()
