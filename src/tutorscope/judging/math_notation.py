r"""One way of writing for mathematical answers, so that spelling alone makes no two answers different.

Text in, text out: nothing here is calculated beyond what a spelling says (a vulgar fraction, a repeating decimal), and
nothing is handed to a parser of expressions.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

LONGEST = 1000
"""Answers with more characters are not compared: a final answer is short, and long ones are prose or an attack."""

_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_RAISED = re.compile(f"[{''.join(_SUPERSCRIPTS)}]+")
_LOWERED = re.compile(f"[{''.join(_SUBSCRIPTS)}]+")

_SIGNS = {
    **dict.fromkeys("−–—‑‐‒﹣－", "-"),
    **dict.fromkeys("×⋅·∙✕⨯", "\\cdot "),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("°º˚", "^\\circ "),
    **{
        "∞": "\\infty ",
        "√": "\\sqrt ",
        "∛": "\\sqrt[3]",
        "±": "\\pm ",
        "∓": "\\mp ",
        "≈": "\\approx ",
        "∅": "\\emptyset ",
    },
    **{
        "≤": "\\le ",
        "≥": "\\ge ",
        "⩽": "\\le ",
        "⩾": "\\ge ",
        "≠": "\\ne ",
        "∪": "\\cup ",
        "∩": "\\cap ",
        "∈": "\\in ",
    },
    **{
        "π": "\\pi ",
        "θ": "\\theta ",
        "α": "\\alpha ",
        "β": "\\beta ",
        "λ": "\\lambda ",
        "φ": "\\phi ",
        "ω": "\\omega ",
    },
    **{"∠": "\\angle ", "′": "'", "’": "'", "％": "%", "¢": "\\text{ cents}", "ℝ": "\\mathbb{R}", "⟨": "(", "⟩": ")"},
}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))

_LOOSE = re.compile(r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits|nolimits)(?![A-Za-z])")
_SPACES = re.compile(r"\\(?:[,;:!> ]|quad(?![A-Za-z])|qquad(?![A-Za-z])|hspace\*?\{[^{}]*\}|phantom\{[^{}]*\})|~")
_DELIMITERS = re.compile(r"\\[()\[\]]")
# The end of a matrix's row, kept out of the way of commands that are a backslash and a sign.
_ROW_END = "\x01"
_ROW_SPACE = re.compile(rf"{_ROW_END}\s*\[\s*-?\d*\.?\d+\s*(?:pt|ex|em|cm|mm)\s*\]")
_TEXTS = re.compile(
    r"\\(?:text|mbox|hbox|textbf|textit|textrm|textnormal|texttt|textsf|mathrm|mathbf|mathit|operatorname\*?|emph)\s*"
    r"\{([^{}]*)\}"
)
_RENAMED = {
    **dict.fromkeys(("dfrac", "tfrac", "cfrac"), "frac"),
    **{"leq": "le", "leqslant": "le", "geq": "ge", "geqslant": "ge", "neq": "ne", "lt": "<", "gt": ">"},
    **dict.fromkeys(("times", "ast"), "cdot"),
    **{
        "div": "/",
        "degree": "^\\circ ",
        "langle": "(",
        "rangle": ")",
        "varnothing": "emptyset",
        "dbinom": "binom",
        "tbinom": "binom",
    },
    **{"lbrace": "\\{", "rbrace": "\\}", "lbrack": "[", "rbrack": "]", "lvert": "|", "rvert": "|", "vert": "|"},
    **{"land": "\\text{ and }", "lor": "\\text{ or }", "wedge": "\\text{ and }", "vee": "\\text{ or }"},
    **{"arctg": "arctan", "tg": "tan", "ctg": "cot", "bmod": "mod", "approxeq": "approx", "simeq": "approx"},
}
_COMMAND = re.compile(r"\\([A-Za-z]+)")
# Not "sec": that is a second.
_FUNCTIONS = "sqrt|sinh|cosh|tanh|sin|cos|tan|cot|csc|arcsin|arccos|arctan|log|ln|exp|pi|infty|theta|alpha|beta|lambda"
_PLAIN_FUNCTION = re.compile(rf"(?<![A-Za-z\\])({_FUNCTIONS})(?![A-Za-z])")
_PLAIN_INFINITY = re.compile(r"(?<![A-Za-z\\])(?:infinity|inf|oo)(?![A-Za-z])")
_PLAIN_RELATIONS = ((re.compile(r"<="), r"\\le "), (re.compile(r">="), r"\\ge "), (re.compile(r"!="), r"\\ne "))

_THOUSANDS_MARKED = re.compile(r"(?<=\d)(?:\{,\}|,\s*\\!|\\!\s*,|\\,(?=\s*\d{3}(?!\d)))\s*(?:\\!)?\s*(?=\d)")
_THOUSANDS = re.compile(r"(?<![\d.,_^])[1-9]\d{0,2}(?:,\d{3})+(?!\d|,\d)")
_SPACED_THOUSANDS = re.compile(r"(?<![\d.,_^{/])[1-9]\d{0,2}(?: \d{3})+(?![\d/,]|\.\d{0,2}\s|\s*/)")
# Possessive, and only from where a number starts: a thousand digits must not be tried from each of them.
_POWER_OF_TEN = re.compile(r"(?<![A-Za-z\\\d.])(\d++(?:\.\d*+)?|\.\d++)[eE]([+-]?\d{1,4})(?![A-Za-z\d])")
_REPEATING = re.compile(r"(?<![\d.])(\d*+)\.(\d*+)\\overline\s*\{?(\d{1,50})\}?")
_MIXED = re.compile(r"(?<![\d.^_{/)])(\d++) ?\\frac\{(\d++)\}\{(\d++)\}|(?<![\d.^_/])(\d++) (\d++)/(\d++)(?!\.)")

_LEAD_IN = re.compile(
    r"(?:so|thus|hence|therefore)?,?\s*(?:(?:the|my)\s+)?(?:(?:final|correct|only)\s+)?(?:answer|result|solution|value)s?"
    r"(?:\s+is|\s+are|\s*[:=])+\s*",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(\*\*|__|`{1,3}|\*|_|\")(?!\s)(.+?)(?<!\s)\1")
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def normalised(text: str) -> str:
    r"""Rewrite an answer so that spellings of the same thing become one.

    Taken off: dollar signs and other math delimiters, ``\boxed``, emphasis, a lead-in such as "The answer is", sizes of
    brackets, spaces of layout, a last full stop. Made one: signs of Unicode and of LaTeX, kinds of fraction and of
    text, thousands separators, powers of ten, repeating decimals, mixed numbers, names of functions with and without a
    backslash.

    Parameters
    ----------
    text : str
        The answer as it was written.

    Returns
    -------
    str
        LaTeX with single blanks. Dollars of money are ``\$``; text of any kind is ``\text{...}``.

    Examples
    --------
    >>> normalised(r"$\boxed{\dfrac43}$.")
    '\\frac{4}{3}'
    >>> normalised("10,\\!080 °")
    '10080 ^\\circ'
    """
    text = _INVISIBLE.sub("", text)
    # Some models escape what needs no escaping: outside of a matrix two backslashes ahead of a letter are one.
    text = text if "\\begin" in text else re.sub(r"\\{2,}(?=[A-Za-z])", r"\\", text)
    text = _ROW_SPACE.sub(_ROW_END, text.replace("\\\\", _ROW_END))
    text = _without_frames(_plain_signs(text))
    text = _THOUSANDS_MARKED.sub("", text)
    text = _LOOSE.sub(" ", text)
    text = _SPACES.sub(" ", text)
    text = _COMMAND.sub(_renamed, text)
    text = _TEXTS.sub(r"\\text{\1}", text)
    text = text.replace("\\%", "%").replace("\\mathbb R", "\\mathbb{R}").replace("**", "^")
    text = _PLAIN_INFINITY.sub(r"\\infty ", text)
    text = _PLAIN_FUNCTION.sub(r"\\\1 ", text)
    for relation, latex in _PLAIN_RELATIONS:
        text = relation.sub(latex, text)
    text = " ".join(text.split())
    text = _without_thousands(text)
    text = _POWER_OF_TEN.sub(r"\1\\cdot 10^{\2}", text)
    text = _REPEATING.sub(_repeating, text)
    text = _MIXED.sub(_mixed, _braced_fractions(text))
    return " ".join(_without_stop(text).replace(_ROW_END, " \\\\ ").split())


def squeezed(text: str) -> str:
    """Take the blanks, and braces around one sign, out of a normalised answer: what is left decides who is identical.

    Blanks between two digits or two letters stay, because they part numbers and words.
    """
    text = re.sub(r"([\^_])\s*\{\s*(\w)\s*\}(?!\s*\d)", r"\1\2", text)
    return re.sub(r" (?!(?<=\d )\d|(?<=[A-Za-z] )[A-Za-z])", "", text).replace("{}", "")


def matching(text: str, start: int) -> int:
    """Find the bracket that closes the one at ``start``; -1 if none does. Round and square ones may close each other.

    That is how half-open intervals are written.
    """
    depth = 0
    at = start
    while at < len(text):
        sign = text[at]
        if sign == "\\":
            at += 1
            if at < len(text) and text[at] in "{}":
                depth += 1 if text[at] == "{" else -1
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        if depth == 0:
            return at
        at += 1
    return -1


def _plain_signs(text: str) -> str:
    text = _RAISED.sub(lambda run: "^{" + "".join(_SUPERSCRIPTS[sign] for sign in run[0]) + "}", text)
    text = _LOWERED.sub(lambda run: "_{" + "".join(_SUBSCRIPTS[sign] for sign in run[0]) + "}", text)
    text = "".join(map(_vulgar_fraction, text))
    text = _SIGN.sub(lambda sign: _SIGNS[sign[0]], text)
    return re.sub(
        r"[^\W\D_]", lambda digit: str(unicodedata.decimal(digit[0], digit[0])), unicodedata.normalize("NFKC", text)
    )


def _vulgar_fraction(sign: str) -> str:
    if unicodedata.category(sign) != "No" or "\u2044" not in unicodedata.normalize("NFKC", sign):
        return sign
    over, _, under = unicodedata.normalize("NFKC", sign).partition("\u2044")
    return f"\\frac{{{over}}}{{{under}}}"


def _without_frames(text: str) -> str:
    text = text.strip()
    text = _LEAD_IN.sub("", text, count=1) if _LEAD_IN.match(text) else text
    text = _without_boxes(text)
    text = _DELIMITERS.sub(" ", text)
    text = _without_dollars(text)
    while (emphasised := _EMPHASIS.fullmatch(text.strip())) and emphasised[1] not in emphasised[2]:
        text = emphasised[2]
    text = text.strip()
    return _LEAD_IN.sub("", text, count=1) if _LEAD_IN.match(text) else text


def _without_boxes(text: str) -> str:
    r"""Take ``\boxed`` off; where prose stands around a single box, keep what is in the box."""
    if "boxed" not in text and "fbox" not in text:
        return text
    parts: list[str] = []
    inside: list[str] = []
    at = 0
    for found in re.finditer(r"\\f?box(?:ed)?\s*(?=\{)", text):
        end = matching(text, found.end())
        if found.start() < at or end < 0:
            continue
        parts.append(text[at : found.start()])
        inside.append(text[found.end() + 1 : end])
        parts.append(inside[-1])
        at = end + 1
    parts.append(text[at:])
    outside = "".join(parts[::2])
    prose = re.search(r"[A-Za-z]{3,}", re.sub(r"\\[A-Za-z]+|\b(?:and|or)\b", "", outside)) or "=" in outside
    return inside[0] if len(inside) == 1 and prose else "".join(parts)


def _without_dollars(text: str) -> str:
    """Tell dollars that delimit from dollars of money: those come in pairs, and money stands ahead of a number."""
    marked = text.replace("\\$", "\x00").replace("$$", "$")
    if marked.count("$") % 2:
        marked = re.sub(r"\$(?=\s*[\d.])", "\x00", marked, count=1)
    elif marked.count("$") == 2 and re.match(r"\s*\$\s*[\d.,]+\s+(?:and|or|to)\s+\$", marked):
        marked = marked.replace("$", "\x00")
    return marked.replace("$", " ").replace("\x00", "\\$")


def _renamed(command: re.Match[str]) -> str:
    new = _RENAMED.get(command[1])
    if new is None:
        return command[0]
    if not new.isalpha():
        return new
    return f"\\{new}" if new in ("frac", "binom") else f"\\{new} "


def _without_thousands(text: str) -> str:
    """Join the digits of 58,500; not inside brackets, where (100,200) is a pair."""
    parts = []
    at = depth = 0
    for found in _THOUSANDS.finditer(text):
        between = text[at : found.start()]
        depth += sum(between.count(sign) for sign in "([{") - sum(between.count(sign) for sign in ")]}")
        parts += [between, found[0] if depth > 0 else found[0].replace(",", "")]
        at = found.end()
    joined = "".join([*parts, text[at:]])
    return _SPACED_THOUSANDS.sub(lambda found: found[0].replace(" ", ""), joined)


def _repeating(number: re.Match[str]) -> str:
    whole, first, again = number[1] or "0", number[2], number[3]
    value = Fraction(int(whole + first + again) - int(whole + first), 10 ** len(first) * (10 ** len(again) - 1))
    return f"\\frac{{{value.numerator}}}{{{value.denominator}}}"


def _mixed(number: re.Match[str]) -> str:
    whole, over, under = number.groups()[:3] if number[1] else number.groups()[3:]
    if int(over) >= int(under):
        return number[0]
    return f"({whole}+\\frac{{{over}}}{{{under}}})"


def _braced_fractions(text: str) -> str:
    r"""Write ``\frac43``, ``\frac 59`` and ``\frac9{19}`` with both braces."""
    return re.sub(
        r"\\(frac|binom)\s*(?:\{\s*(\w+)\s*\}|(\w))\s*(?:\{\s*(\w+)\s*\}|(\w))",
        lambda found: f"\\{found[1]}{{{found[2] or found[3]}}}{{{found[4] or found[5]}}}",
        text,
    )


def _without_stop(text: str) -> str:
    text = text.strip()
    while text and text[-1] in ".,;:!。" and not (text[-1] == "!" and re.search(r"[\w)}]!$", text)):
        text = text[:-1].rstrip()
    return text
