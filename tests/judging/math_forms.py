"""Write a reference answer in other forms that stay right, and in forms that are wrong: what grading is measured on.

Each rewriting is a way in which people and models write. It looks at the text of the reference alone, never at what
grading makes of it: a form is right because of what was done to it, and wrong for the same reason.
"""

import heapq
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction

MOST = 20

FRACTION = re.compile(r"\\d?frac\s*(?:\{\s*(-?\d+)\s*\}|(\d))\s*(?:\{\s*(\d+)\s*\}|(\d))")
WHOLE = re.compile(r"-?\d+")
PLAIN_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")


def right_forms(reference: str) -> list[str]:
    """Give up to 20 other ways to write a reference, without repetitions and without the reference itself."""
    forms: list[str] = []
    for rewrite in (*OWN_KIND, *ANY_KIND):
        for form in rewrite(reference):
            if form != reference and form not in forms:
                forms.append(form)
    return forms[:MOST]


def wrong_forms(reference: str) -> list[str]:
    """Give answers that are close to a reference and wrong."""
    forms: list[str] = []
    for spoil in SPOILING:
        for form in spoil(reference):
            if form != reference and form not in forms:
                forms.append(form)
    return forms


def kind(reference: str) -> str:
    """Name the kind of a reference, roughly, for tables."""
    if re.search(r"\\text\{[ (]*[A-Za-z]", reference) and not re.search(r"\d", reference):
        return "text"
    if "matrix" in reference:
        return "matrix"
    if re.fullmatch(r"\w+_\{?\d+\}?", reference):
        return "number base"
    if re.search(r"\\cup|\\infty|\\in\b|^[(\[].*\]$|^\\left[(\[].*\\right\]$|^\[", reference):
        return "interval"
    if "=" in reference:
        return "equation"
    if re.match(r"(\\left)? ?\(.*,.*\)$", reference):
        return "tuple"
    if re.search(r"\\pm|\\\{", reference) or re.search(r"(?<!\\!),(?!\\!)(?! ?\d{3}\b)", reference):
        return "set or list"
    if re.search(r"\\circ|\\text|\\mbox|\\\$|%", reference):
        return "unit"
    if re.search(r"(?<![\\a-z])[a-zA-Z](?![a-z])", reference.replace("\\pi", "")) or "cot" in reference:
        return "expression"
    if "sqrt" in reference or "pi" in reference:
        return "radical or pi"
    if "frac" in reference:
        return "fraction"
    return "decimal" if "." in reference else "integer"


# Right forms that depend on the kind.


def fractions(text):
    """\\frac, \\dfrac, inline, one line over the other, decimals that end, mixed numbers."""
    if not FRACTION.search(text):
        return
    yield FRACTION.sub(lambda f: f"\\dfrac{{{over(f)}}}{{{under(f)}}}", text)
    yield FRACTION.sub(lambda f: f"\\tfrac{{{over(f)}}}{{{under(f)}}}", text)
    yield FRACTION.sub(lambda f: f"\\frac {{{over(f)}}} {{{under(f)}}}", text)
    if not re.search(r"\d ?\\frac", text):
        yield FRACTION.sub(lambda f: f"({over(f)}/{under(f)})", text)
    yield FRACTION.sub(lambda f: f"\\frac{{{2 * int(over(f))}}}{{{2 * int(under(f))}}}", text)
    alone = re.fullmatch(r"(-?)" + FRACTION.pattern, text)
    if not alone:
        return
    sign, value = alone[1], Fraction(int(over(alone, 1)), int(under(alone, 1)))
    yield f"{sign}{over(alone, 1)}/{under(alone, 1)}"
    yield f"{sign}{over(alone, 1)} / {under(alone, 1)}"
    if sign:
        yield f"\\frac{{-{over(alone, 1)}}}{{{under(alone, 1)}}}"
        yield f"\\frac{{{over(alone, 1)}}}{{-{under(alone, 1)}}}"
    if (decimal := ending_decimal(value)) is not None:
        yield sign + decimal
        yield sign + decimal.removeprefix("0")
        yield sign + decimal + "0"
    whole, rest = divmod(value.numerator, value.denominator)
    if whole and rest:
        yield f"{sign}{whole}\\frac{{{rest}}}{{{value.denominator}}}"
        yield f"{sign}{whole} {rest}/{value.denominator}"
    elif not whole:
        yield f"{sign}{value.numerator} \\cdot \\frac{{1}}{{{value.denominator}}}"


def mixed(text):
    """A mixed number as an improper fraction and in plain signs."""
    if found := re.fullmatch(r"(\d+) ?\\frac\{(\d+)\}\{(\d+)\}", text):
        whole, over_, under_ = map(int, found.groups())
        yield f"\\frac{{{whole * under_ + over_}}}{{{under_}}}"
        yield f"{whole * under_ + over_}/{under_}"
        yield f"{whole} {over_}/{under_}"
        yield f"{whole} + \\frac{{{over_}}}{{{under_}}}"
        yield f"{whole}\\,\\tfrac{over_}{under_}"
        if (decimal := ending_decimal(Fraction(whole * under_ + over_, under_))) is not None:
            yield decimal


def numbers(text):
    """Whole and decimal numbers: zeros behind the point, separators, signs, a fraction over one."""
    if not PLAIN_NUMBER.fullmatch(text):
        return
    value = Fraction(text)
    if WHOLE.fullmatch(text):
        yield text + ".0"
        yield text + ".00"
        yield f"\\frac{{{2 * int(text)}}}{{2}}"
        yield f"{int(text) - 1} + 1"
        if len(text.lstrip("-")) > 3:
            yield f"{int(text):,}"
            yield f"{int(text):,}".replace(",", ",\\!")
            yield f"{int(text):,}".replace(",", "{,}")
            yield f"{int(text):,}".replace(",", "\\,")
            yield f"{int(text):,}".replace(",", " ")
        if int(text) > 0 and int(text) % 100 == 0:
            yield f"{int(text) // 100} \\times 10^2"
            yield f"{int(text) // 100} \\cdot 100"
        if value < 0:
            yield text.replace("-", "−")
            yield text.replace("-", "- ")
        else:
            yield "+" + text
    else:
        yield "0" + text if text.startswith(".") else text.removeprefix("0")
        yield text + "0"
        yield f"\\frac{{{value.numerator}}}{{{value.denominator}}}"
        yield f"{value.numerator}/{value.denominator}"
        yield f"{float(value) * 1000:.10g} \\times 10^{{-3}}"
        yield f"{float(value) * 1000:.10g}e-3"
        yield f"{float(value) * 100:.10g}\\%"


def separators(text):
    """The same number with other separators of thousands."""
    digits = re.sub(r",\\! ?|,", "", text)
    if digits != text and re.fullmatch(r"(\\\$)?\d+", digits):
        number = int(digits.removeprefix("\\$"))
        head = "\\$" if digits.startswith("\\$") else ""
        yield digits
        yield f"{head}{number:,}"
        yield head + f"{number:,}".replace(",", "\\,")
        yield head + f"{number:,}".replace(",", "{,}")
        yield f"{head}{number}.00"


def radicals(text):
    """Roots: without braces, with blanks, by the sign, as a function, as a power, multiplied, under one root."""
    if "\\sqrt" not in text or "," in text or "\\pm" in text:
        return
    yield re.sub(r"\\sqrt ?\{(\d)\}", r"\\sqrt\1", text)
    yield re.sub(r"\\sqrt ?\{?(\d+)\}?", r"\\sqrt {\1}", text)
    yield re.sub(r"\\sqrt ?\{?(\d+)\}?", r"√\1", text)
    yield re.sub(r"\\sqrt ?\{?(\d+)\}?", r"sqrt(\1)", text)
    yield re.sub(r"(\d) ?\\sqrt", r"\1 \\cdot \\sqrt", text)
    yield re.sub(r"(\d) ?\\sqrt", r"\1*\\sqrt", text)
    yield re.sub(r"\\sqrt ?\{?(\d+)\}?", r"\1^{1/2}", text) if not re.search(r"\d ?\\sqrt", text) else text
    if found := re.fullmatch(r"(-?)(\d+) ?\\sqrt ?\{?(\d+)\}?", text):
        yield f"{found[1]}\\sqrt{{{int(found[2]) ** 2 * int(found[3])}}}"
    if found := re.fullmatch(r"\\frac\{\\sqrt\{(\d+)\}\}\{(\d+)\}", text):
        yield f"\\sqrt{{{found[1]}}}/{found[2]}"
        yield f"\\frac{{1}}{{{found[2]}}}\\sqrt{{{found[1]}}}"
        yield f"\\frac{{{found[1]}}}{{{found[2]}\\sqrt{{{found[1]}}}}}"
        yield f"\\sqrt{{\\frac{{{found[1]}}}{{{int(found[2]) ** 2}}}}}"


def pies(text):
    """Pi by name and by letter."""
    if "\\pi" in text:
        yield text.replace("\\pi", "π")
        yield re.sub(r"\\pi(?![a-z])", "pi", text)
        yield re.sub(r"(\d) ?\\pi", r"\1 \\cdot \\pi", text)
        yield re.sub(r"(?<![\d{/ ])(\d+) ?\\pi$", r"\\pi \\cdot \1", text)


def degrees(text):
    """Angles: the sign, the word, none."""
    if "\\circ" in text or "degrees" in text:
        bare = re.sub(r"\^\\circ|\\text\{ ?degrees\}", "", text)
        yield bare
        for sign in ("°", " degrees", "^{\\circ}", "^{\\circ}.", "\\text{ degrees}", "\\degree", " ^\\circ"):
            yield bare + sign


def units(text):
    """Units: plain, marked, none; money with its sign, its word or neither."""
    if found := re.fullmatch(r"(.*?) ?\\(?:text|mbox)\{ (\w+)\}(\^2)?", text):
        value, unit, square = found.groups()
        yield value
        yield f"{value} {unit}{square or ''}"
        yield f"{value}\\ \\text{{{unit}}}{square or ''}"
        yield f"{value}\\,\\mathrm{{{unit}}}{square or ''}"
        if square:
            yield f"{value} square {unit}"
            yield f"{value} sq. {unit}"
            yield f"{value} {unit}²"
    if text.startswith("\\$"):
        yield text.removeprefix("\\$")
        yield text.removeprefix("\\$") + " dollars"
        yield "$" + text.removeprefix("\\$")
        yield text.removeprefix("\\$") + "\\text{ dollars}"


def words(text):
    """Words and choices: in and out of text commands, in bold, in other case, in brackets."""
    if kind(text) == "text":
        bare = re.sub(r"\\text\{(.*)\}", r"\1", text)
        yield bare
        yield bare.lower()
        yield bare.upper()
        yield bare.capitalize()
        yield f"\\textbf{{{bare}}}"
        yield f"\\mathrm{{{bare}}}"
        yield f"**{bare}**"
        yield f'"{bare}"'
        if re.fullmatch(r"\([A-F]\)", bare):
            yield bare[1]
            yield bare[1] + ")"
            yield f"option {bare[1]}"
            yield f"\\textbf{{{bare[1]}}}"


def bases(text):
    """A number in another base: braces, words, brackets."""
    if found := re.fullmatch(r"(\w+)_\{?(\d+)\}?", text):
        digits, base = found.groups()
        word = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"][int(base) - 2]
        yield f"{digits}_{{{base}}}"
        yield f"{digits}_{base}"
        yield f"({digits})_{base}"
        yield f"{digits}_{{\\text{{{word}}}}}"
        yield f"{digits} base {base}"
        yield f"{digits} (base {base})"
        yield f"{digits} in base {base}"
        yield digits + str(base).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def brackets(text):
    """Tuples and intervals: sized brackets or none, blanks, plain fractions inside."""
    if kind(text) not in ("tuple", "interval"):
        return
    plain = re.sub(r"\\left|\\right", "", text)
    yield plain
    yield plain.replace(" ", "")
    yield re.sub(r"\s*,\s*", " , ", plain)
    yield re.sub(r"[(\[]", lambda b: "\\left" + b[0], re.sub(r"[)\]]", lambda b: "\\right" + b[0], plain))
    yield re.sub(r"[(\[]", lambda b: "\\big" + b[0], re.sub(r"[)\]]", lambda b: "\\big" + b[0], plain))
    if kind(text) == "tuple":
        yield re.sub(r"(?<![\w.])(-?\d+)(?![\d/}.{])", r"\1.0", plain) if "\\" not in plain else plain
        yield plain.strip()[1:-1]
        yield plain.replace("(", "\\langle ").replace(")", " \\rangle") if plain.count("(") == 1 else plain
        names = "pqrstu"[: plain.count(",") + 1]
        yield f"({','.join(names)}) = {plain}"
        yield ", ".join(f"{n} = {v.strip()}" for n, v in zip(names, plain.strip()[1:-1].split(","), strict=True))


def intervals(text):
    """Intervals as conditions, with other signs for infinity, in other order, with a name ahead."""
    if kind(text) != "interval":
        return
    plain = re.sub(r"\\left|\\right|x \\in ", "", text).strip()
    if plain.startswith(("(", "[")):
        yield "x \\in " + plain
    yield plain.replace("\\infty", "∞")
    yield plain.replace("\\infty", "oo")
    yield re.sub(r"(?<!-)\\infty", r"+\\infty", plain)
    if "\\cup" in plain:
        parts = [part.strip() for part in plain.split("\\cup")]
        yield " \\cup ".join(reversed(parts))
        yield " ∪ ".join(parts)
        yield " U ".join(parts)
        yield " or ".join(parts)
        yield " \\text{ or } ".join(condition(part) for part in parts)
        yield " or ".join(condition(part) for part in reversed(parts))
    else:
        yield condition(plain)
        yield condition(plain).replace("\\le", "\\leq").replace("x", "t")
        yield condition(plain).replace("\\le", "≤")
        yield condition(plain).replace("\\le", "<=")
        yield flipped(condition(plain))


def condition(interval: str) -> str:
    """Write one interval as a condition on x."""
    opening, closing = interval[0], interval[-1]
    low, high = (end.strip() for end in split_outside(interval[1:-1]))
    left = "<" if opening == "(" else "\\le"
    right = "<" if closing == ")" else "\\le"
    if "infty" in low:
        return f"x {right} {high}"
    if "infty" in high:
        return f"x {left.replace('<', '>').replace('le', 'ge')} {low}"
    return f"{low} {left} x {right} {high}"


def flipped(text: str) -> str:
    """Read a condition from right to left."""
    other = {"<": ">", ">": "<", "\\le": "\\ge", "\\ge": "\\le"}
    signs = re.compile(r"\\le|\\ge|<|>")
    parts = [part.strip() for part in signs.split(text)]
    found = [other[sign] for sign in signs.findall(text)]
    line = [parts[-1]]
    for sign, part in zip(reversed(found), reversed(parts[:-1]), strict=True):
        line += [sign, part]
    return " ".join(line)


def sets(text):
    """Sets and lists: other order, braces, with a name, with words between, both signs written out."""
    if kind(text) != "set or list":
        return
    bare = text.replace("\\{", "").replace("\\}", "")
    parts = [part.strip() for part in bare.split(",")]
    yield ", ".join(parts)
    yield ",".join(reversed(parts))
    yield "\\{" + ", ".join(reversed(parts)) + "\\}"
    yield "\\left\\{" + ",".join(parts) + "\\right\\}"
    yield " \\text{ and } ".join(parts)
    yield " and ".join(reversed(parts))
    yield "x = " + ", ".join(parts)
    yield " or ".join(f"x={part}" for part in parts)
    yield ", ".join(f"x_{number} = {part}" for number, part in enumerate(parts, 1))
    if any("\\pm" in part for part in parts):
        both = [part.replace("\\pm", sign) for part in parts for sign in (("+", "-") if "\\pm" in part else ("",))]
        yield ", ".join(both)
        yield ", ".join(reversed(both))
        yield "\\{" + ", ".join(both) + "\\}"
        yield text.replace("\\pm", "±")
        yield " \\text{ or } ".join(f"x = {part}" for part in both)


def matrices(text):
    """Matrices: other brackets, blanks, fractions inside in other forms, lists of rows."""
    if "matrix" not in text:
        return
    inside = re.search(r"\\begin\{pmatrix\}(.*)\\end", text)[1]
    rows = [[cell.strip() for cell in row.split("&")] for row in inside.split("\\\\")]
    yield text.replace("pmatrix", "bmatrix")
    yield text.replace(" ", "").replace("\\\\", "\\\\ ")
    yield text.replace("\\\\", "\\\\[2pt]")
    yield text.replace("\\\\", "\n\\\\\n").replace("pmatrix} ", "pmatrix}\n")
    yield re.sub(r"(-?)(\d+)/(\d+)", r"\1\\frac{\2}{\3}", text)
    yield re.sub(r"(-?)(\d+)/(\d+)", r"\1\\dfrac{\2}{\3}", text).replace("pmatrix", "bmatrix")
    yield "\\left(\\begin{array}{" + "c" * len(rows[0]) + "}" + inside + "\\end{array}\\right)"
    yield "\\mathbf{v} = " + text
    yield "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"


def equations(text):
    """Equations: sides swapped, multiplied, the name left off, blanks."""
    if kind(text) != "equation":
        return
    left, right = (side.strip() for side in text.split("="))
    yield f"{left}={right}"
    yield f"{left}  =  {right}"
    yield f"{right} = {left}"
    if re.fullmatch(r"[a-z]", left):
        yield right
        yield f"{left} - ({right}) = 0"
        yield f"2{left} = 2({right})"
        yield f"({right}) - {left} = 0"
    else:
        yield f"-({left}) = {right}"
        yield f"3({left}) = 3 \\cdot {right}"
        yield re.sub(r" \+ 4$", "", left) + " = -4"


def expressions(text):
    """Expressions with unknowns or i: blanks, signs of multiplication, other order, a name ahead, factors."""
    if kind(text) != "expression" or "," in text:
        return
    yield re.sub(r"(?<!cot) ", "", text)
    yield re.sub(r"\s*([+-])\s*", r" \1 ", text).strip()
    yield re.sub(r"(\d)([a-zA-Z])(?![a-z])", r"\1 \\cdot \2", text)
    yield re.sub(r"(\d)([a-zA-Z])(?![a-z])", r"\1*\2", text)
    yield re.sub(r"\^(\d)", r"^{\1}", text)
    yield re.sub(r"\^(\d)", r"**\1", text)
    yield re.sub(r"\^(\d)", lambda p: "⁰¹²³⁴⁵⁶⁷⁸⁹"[int(p[1])], text)
    yield text.replace("-", "−")
    terms = re.findall(r"[+-]?[^+-]+", text.replace(" ", ""))
    if len(terms) > 1 and not re.search(r"[({\\]", text):
        signed = [term if term[0] in "+-" else "+" + term for term in terms]
        yield "".join(reversed(signed)).removeprefix("+")
        yield "".join(signed[1:] + signed[:1]).removeprefix("+")
        yield "-(" + "".join({"+": "-", "-": "+"}[term[0]] + term[1:] for term in signed).removeprefix("+") + ")"
    yield f"2({text})/2"
    yield f"\\frac{{3({text})}}{{3}}"


# Right forms for anything.


def dressed(text):
    """What is put around an answer: dollars, boxes, brackets of LaTeX, emphasis, a lead-in, a name, a full stop."""
    yield f"${text}$"
    yield f"\\boxed{{{text}}}"
    yield f"{text}."
    yield f"$$ {text} $$."
    yield f"$\\boxed{{{text}}}$"
    yield f"\\({text}\\)"
    yield f"\\[ {text} \\]"
    yield f"  {text}\n"
    yield f"The answer is ${text}$."
    yield f"**{text}**"
    yield f"Answer: {text}"
    yield f"Final answer: $\\boxed{{{text}}}$"
    if kind(text) in ("integer", "fraction", "decimal", "radical or pi", "expression"):
        yield f"x = {text}"
        yield f"$x={text}$"
        yield f"{text} = x"
        yield f"f(2) = {text}"
    yield f"\\displaystyle {text}"
    yield f"\\,{text}\\,"
    yield f"`{text}`"
    yield f"Thus, the answer is \\boxed{{{text}}}."


OWN_KIND = (
    *(fractions, mixed, numbers, separators, radicals, pies, degrees, units, words, bases),
    *(brackets, intervals, sets, matrices, equations, expressions),
)
ANY_KIND = (dressed,)


# Wrong forms.


def digits(text):
    """Change each number by one, up and down, one at a time, and one digit of it."""
    for found in re.finditer(r"\d+", text):
        if text[: found.start()].endswith("_") or re.search(r"[_]\{$", text[: found.start()]):
            continue
        for value in (int(found[0]) + 1, int(found[0]) - 1, int(found[0]) + 10):
            if value >= 0 and not (value == 0 and text[: found.start()].endswith(("}{", "/"))):
                yield text[: found.start()] + str(value) + text[found.end() :]


def signs(text):
    """Change the sign of the whole and of each term."""
    if (PLAIN_NUMBER.fullmatch(text) and text != "0") or text.startswith("\\frac"):
        yield text.removeprefix("-") if text.startswith("-") else "-" + text
    for found in re.finditer(r"[+-]", text):
        yield text[: found.start()] + {"+": "-", "-": "+"}[found[0]] + text[found.end() :]


def reciprocals(text):
    """Turn a fraction over, and leave its lower part out."""
    for found in FRACTION.finditer(text):
        turned = f"\\frac{{{under(found)}}}{{{over(found)}}}"
        yield text[: found.start()] + turned + text[found.end() :]
        yield text[: found.start()] + over(found) + text[found.end() :]


def ends(text):
    """Close an open end of an interval and open a closed one."""
    if kind(text) == "interval":
        for found in re.finditer(r"[(\[)\]]", text):
            near = text[found.end() :].lstrip().startswith("-\\infty") or text[: found.start()].rstrip().endswith(
                "\\infty"
            )
            if not near and text[: found.start()].count("{") == text[: found.start()].count("}"):
                other = {"(": "[", "[": "(", ")": "]", "]": ")"}[found[0]]
                yield text[: found.start()] + other + text[found.end() :]


def orders(text):
    """Swap the parts of a tuple, the rows of a vector."""
    if kind(text) == "tuple":
        parts = [part.strip() for part in re.sub(r"\\left|\\right", "", text).strip()[1:-1].split(",")]
        for at in range(len(parts) - 1):
            swapped = [*parts[:at], parts[at + 1], parts[at], *parts[at + 2 :]]
            if swapped != parts:
                yield "(" + ", ".join(swapped) + ")"
        yield "(" + ", ".join(parts[:-1] if len(parts) > 2 else [*parts, "0"]) + ")"
    if "matrix" in text:
        rows = re.search(r"\\begin\{pmatrix\}(.*)\\end", text)[1].split("\\\\")
        if rows[0].strip() != rows[1].strip():
            yield "\\begin{pmatrix}" + " \\\\ ".join([rows[1], rows[0], *rows[2:]]) + "\\end{pmatrix}"


def members(text):
    """Leave a member of a set out, or add one."""
    if kind(text) == "set or list":
        bare = text.replace("\\{", "").replace("\\}", "")
        parts = [part.strip() for part in bare.split(",")]
        yield ", ".join([*parts, "17"])
        if len(parts) > 1:
            yield ", ".join(parts[:-1])
        yield text.replace("\\pm", "+") if "\\pm" in text else text


def roots(text):
    """Leave a root or pi out, or a power."""
    if "\\sqrt" in text:
        yield re.sub(r"\\sqrt ?", "", text, count=1)
    if "\\pi" in text:
        yield (
            re.sub(r" ?\\pi(?![a-z])", "", text, count=1)
            if re.search(r"\d ?\\pi", text)
            else text.replace("\\pi", "2\\pi", 1)
        )
    if re.search(r"[a-zA-Z)]\^\d", text):
        yield re.sub(r"\^\d", "", text, count=1)


def tenfold(text):
    """Move the point of a decimal."""
    if re.fullmatch(r"\d*\.\d+", text):
        yield f"{float(text) * 10:.10g}"
        yield f"{float(text) / 10:.10f}".rstrip("0")


def other_base(text):
    """Give the same digits in another base, and other digits."""
    if found := re.fullmatch(r"(\w+)_\{?(\d+)\}?", text):
        yield f"{found[1]}_{{{int(found[2]) + 1}}}"
        yield f"{found[1]}0_{{{found[2]}}}"
        yield f"{found[1][::-1]}_{{{found[2]}}}" if found[1] != found[1][::-1] else text


SPOILING = (digits, signs, reciprocals, ends, orders, members, roots, tenfold, other_base)


def near(reference: str, references: Sequence[str], most: int = 5) -> list[str]:
    """Give the other references of the same kind that are written most alike and do not say the same."""
    others = {other for other in references if kind(other) == kind(reference) and plain(other) != plain(reference)}
    return heapq.nlargest(most, sorted(others), key=lambda other: SequenceMatcher(None, reference, other).ratio())


def plain(text: str) -> str:
    """Take out what may differ between two ways of writing one reference in the set."""
    parts = sorted(split_outside(text)) if kind(text) == "set or list" else [text]
    return re.sub(r"\\left|\\right|\\!|d(?=frac)|[ {},]", "", ",".join(parts))


def over(found: re.Match[str], shift: int = 0) -> str:
    return found[1 + shift] or found[2 + shift]


def under(found: re.Match[str], shift: int = 0) -> str:
    return found[3 + shift] or found[4 + shift]


def ending_decimal(value: Fraction) -> str | None:
    """Write a fraction as a decimal if that ends within six digits."""
    scaled = value * 10**6
    if scaled.denominator != 1:
        return None
    whole, rest = divmod(int(scaled), 10**6)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".") if rest else None


def split_outside(text: str) -> list[str]:
    """Split at the commas that stand in no brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "({[") - (sign in ")}]")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts
