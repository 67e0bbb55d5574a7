import builtins
import importlib
import re
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
import sympy.parsing.sympy_parser
from hypothesis import example, given, settings
from hypothesis import strategies as st
from math_forms import right_forms, wrong_forms
from measure_grading import pairs, rates, references, sample, table

from tutorscope.judging.math_answers import compare, spelled_alike
from tutorscope.judging.math_expressions import UnreadableError, read_expression
from tutorscope.judging.math_notation import LONGEST, normalised
from tutorscope.judging.math_units import measured, read_unit
from tutorscope.judging.math_verdicts import DIFFERENT, EQUAL, Compared, all_equal, same_members, undecided

PAGE = Path(__file__).resolve().parents[2] / "docs" / "grading.md"

SAME = [
    # fractions, decimals, mixed numbers
    *((r"\frac{14}{3}", answer) for answer in ("14/3", r"\dfrac{14}3", r"4\frac{2}{3}", "4 2/3", r"\frac{-28}{-6}")),
    *((r"\frac14", answer) for answer in ("0.25", ".25", "0.250", "¼", r"\tfrac{1}{4}", "25%", r"4^{-1}", "1/2^2")),
    (r"-\frac{1}{2}", r"\frac{1}{-2}"),
    (r"\frac{1}{3}", r"0.\overline{3}"),
    (r"1\frac{4}{5}", "9/5"),
    *((".0000672", answer) for answer in ("0.0000672", r"6.72 \times 10^{-5}", "6.72e-5", "6.72·10⁻⁵")),
    ("326.5", r"\frac{653}{2}"),
    ("9", "9.00"),
    ("9", "٩"),
    # roots, pi, functions
    *((r"3\sqrt{13}", answer) for answer in ("3√13", "sqrt(117)", r"\sqrt{117}", r"3 \cdot 13^{1/2}", r"3*\sqrt {13}")),
    *((r"\frac{\sqrt{3}}{3}", answer) for answer in (r"1/\sqrt3", "sqrt(3)/3", r"\sqrt{\frac13}")),
    *((r"\frac{20000}{\pi}", answer) for answer in ("20000/pi", r"20000\pi^{-1}", "20000/π")),
    *((r"\cot x", answer) for answer in (r"\frac{\cos x}{\sin x}", "1/tan(x)", r"\cot(x)")),
    (r"\log_2 8", "3"),
    ("120", "5!"),
    (r"\binom{5}{2}", "10"),
    # unknowns
    *(("6r^2-4r-24", answer) for answer in ("2(3r^2-2r-12)", "-24 - 4r + 6r²", "6*r**2 - 4*r - 24")),
    ("(a+5)(b+2)", "ab + 2a + 5b + 10"),
    (r"\frac{11+9a}{20}", "(9a+11)/20"),
    ("6 - 5i", "-5i+6"),
    ("5", "(1+2i)(1-2i)"),
    # names and equations
    *(("5", answer) for answer in ("x=5", "x = 5.", "5 = x", r"\text{Area} = 5", "f(2) = 5", "2 + 3 = 5")),
    *(("y = 2x + 3", answer) for answer in ("2x+3", "y - 2x = 3", "2y = 4x + 6", "3+2x=y")),
    ("5x - 7y + 11z + 4 = 0", "-5x + 7y = 11z + 4"),
    # what stands around
    *(("42", answer) for answer in ("$42$", r"\boxed{42}", "The answer is 42.", "**42**", r"\(42\)")),
    ("42", r"so $n = \boxed{42}$"),
    # thousands, money, units, degrees, percent
    *(("10,\\!080", answer) for answer in ("10080", "10,080", "10 080", "10{,}080", "10080.0")),
    *(("\\$32,\\!348", answer) for answer in ("32348", "$32,348", "32,348 dollars", "$32348.00")),
    *((r"864 \mbox{ inches}^2", answer) for answer in ("864", "864 square inches", "864 in²", "864 sq. in.")),
    *(("5.4 \\text{ cents}", answer) for answer in ("5.4", "5.4 cents", "5.4¢")),
    *((r"90^\circ", answer) for answer in ("90", "90°", "90 degrees", r"90^{\circ}")),
    *(("50\\%", answer) for answer in ("50", "50%", "50 percent")),
    ("0.5", "50%"),
    (r"\frac12", r"1/2 or 50%"),
    ("10", "10%"),
    ("12", "12 apples"),
    ("3000000", "3 million"),
    # lists, sets, tuples
    *(("1,-2", answer) for answer in ("-2, 1", r"\{1, -2\}", "x = 1 or x = -2", "1 and -2", "(1,-2)")),
    *((r"1 \pm \sqrt{19}", answer) for answer in (r"1-\sqrt{19}, 1+\sqrt{19}", "x = 1 ± √19")),
    (r"\{1\pm\sqrt{5},-2\}", r"-2, 1+\sqrt5, 1-\sqrt5"),
    *((r"\left( 3, \frac{\pi}{2} \right)", answer) for answer in ("(3, pi/2)", "3, π/2", r"(r, \theta) = (3, \pi/2)")),
    # intervals
    *(("(3,4]", answer) for answer in (r"3 < x \le 4", "4 >= x > 3", r"x \in (3, 4]", r"\left(3, 4\right]")),
    *((r"(2,\infty)", answer) for answer in ("x > 2", "2 < t", "(2, ∞)", "(2, oo)", r"(2,+\infty)")),
    *((r"(-\infty, 2) \cup (3, \infty)", answer) for answer in ("x < 2 or x > 3", "(3,∞) ∪ (-∞,2)", "(-oo,2)U(3,oo)")),
    (r"(0,9) \cup (9,36)", "(9,36), (0,9)"),
    ("(0,2)", r"(0,1] \cup (1,2)"),
    (r"x \in [-2,7]", r"-2 \le t \le 7"),
    (r"(-\infty,3) \cup (3,\infty)", r"x \ne 3"),
    # matrices, bases, words
    (r"\begin{pmatrix} -1 & 0 \\ 0 & -1 \end{pmatrix}", "[[-1,0],[0,-1]]"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\left[\begin{array}{c}1\\2\end{array}\right]"),
    (r"\begin{pmatrix} 1/5 \\ -18/5 \end{pmatrix}", r"\begin{bmatrix}\frac15\\[2pt]-3.6\end{bmatrix}"),
    *(("52_8", answer) for answer in ("52_{8}", "52₈", "52 base 8", r"52_{\text{eight}}", "(52)_8")),
    *((r"\text{(C)}", answer) for answer in ("C", "(c)", "C)", r"\textbf{(C)}", "(C) Plane", "option C")),
    *((r"\text{Evelyn}", answer) for answer in ("Evelyn", "evelyn.", "**EVELYN**", '"Evelyn"')),
]  # fmt: skip

OTHER = [
    (r"\frac{14}{3}", r"\frac{3}{14}"),
    (r"\frac{14}{3}", r"14\frac{1}{3}"),
    (r"\frac14", "0.26"),
    ("9", "-9"),
    ("9", "90"),
    ("0.15", "0.015"),
    ("326.5", "326.4"),
    (r"3\sqrt{13}", r"13\sqrt{3}"),
    (r"\pi", "3"),
    ("x^{23}", "x^{2}3"),
    ("2^{100}", "2^{101}"),
    ("10^{-30}", "10^{-31}"),
    ("p - q", "q - p"),
    ("6 - 5i", "6 + 5i"),
    (r"\cot x", r"\tan x"),
    ("2k+2", "2k-2"),
    ("2k", "4"),
    ("x=5", "x=-5"),
    ("y = 2x + 3", "y = 3x + 2"),
    ("5x - 7y + 11z + 4 = 0", "5x - 7y + 11z = 4"),
    ("(3,4]", "[3,4]"),
    ("(3,4]", "(3,4)"),
    ("(2,4)", "(2,4]"),
    ("(2,4)", "(4,2)"),
    (r"(2,\infty)", r"[2,\infty)"),
    (r"(2,\infty)", "2"),
    (r"(-\infty, 2) \cup (3, \infty)", "(2,3)"),
    (r"(0,9) \cup (9,36)", "(0,36)"),
    ("(6,31,-1)", "(6,-1,31)"),
    ("(6,31,-1)", "(6,31)"),
    ("1,-2", "1"),
    ("1,-2", "1, 2"),
    ("1,-2", "1,-2,3"),
    ("5", "5, 6"),
    (r"1 \pm \sqrt{19}", r"1+\sqrt{19}"),
    (r"\begin{pmatrix} -1 & 0 \\ 0 & -1 \end{pmatrix}", r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix} 2 \\ 1 \end{pmatrix}"),
    ("52_8", "53_8"),
    ("52_8", "52_9"),
    ("52_8", "51"),
    (r"\text{(C)}", "(D)"),
    (r"90^\circ", "80"),
    (r"\$36", "$35"),
    (r"864 \mbox{ inches}^2", "863 square inches"),
    ("50\\%", "5%"),
    ("10", "0.1"),
    (r"\frac{1}{3}", "0.3"),
    ("9", "9.01"),
    ("0", r"\emptyset"),
]

OPEN = [
    (r"\text{east}", "west", "other_words"),
    (r"\text{even}", "2", "words"),
    ("5", "five", "words"),
    ("5", "it is 5 or so", "words"),
    ("2k", "2n", "other_unknowns"),
    ("3R^2", "3r^2", "other_unknowns"),
    ("4", "4m", "other_unknowns"),
    (r"\frac{1}{3}", "0.33", "rounded"),
    (r"3\sqrt{13}", "10.8167", "rounded"),
    ("3.21", r"\frac{45}{14}", "rounded"),
    ("3.21", "3.214", "rounded"),
    ("52_8", "52", "other_base"),
    ("52_8", "42", "other_base"),
    ("50\\%", "0.5", "percent_or_share"),
    ("0.5", "0.5%", "percent_or_share"),
    (r"90^\circ", r"\frac{\pi}{2}", "other_unit"),
    ("5.4 \\text{ cents}", "0.054", "other_unit"),
    (r"864 \mbox{ inches}^2", "6 square feet", "other_unit"),
    (r"15\mbox{ cm}^2", "15 cm", "other_unit"),
    ("(2,4)", "[2,4]", "point_or_interval"),
    ("1,-2", "(-2,1)", "order_or_set"),
    ("58500", "58, 500", "comma"),
    ("3.14", "3,14", "comma"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", "(1,2)", "row_or_column"),
    (r"\sqrt{x^2}", "x", "equal_in_part"),
    (r"\frac{x}{2}", "1/2y", "other_unknowns"),
    (r"\frac{1}{2x}", "1/2x", "read_in_two_ways"),
    (r"\log 2", r"\ln 2", "read_in_two_ways"),
    ("x^2 + y^2 = 1", "(x+y)^2 = 1", "other_equation"),
    ("5", "2x = 10", "equation"),
    ("5", "6 = 5", "equation"),
    ("5", "x = 5 or y = 6", "other_names"),
    (r"\sqrt{x}", "x^1/2", "read_in_two_ways"),
    ("e^{2x}", "e^2x", "read_in_two_ways"),
    ("5", "", "empty"),
    ("5", "$ $", "empty"),
    ("5", "5" * (LONGEST + 1), "too_long"),
    ("5", "f(5)", "function"),
    ("5", r"\int_0^5 dx", "unknown_command"),
    ("5", "5 @ 1", "unknown_sign"),
    ("5", "2 3", "no_expression"),
    ("5", r"\frac{5}{0}", "no_value"),
]

# Written after the rules, in the ways of models: no false verdict, but some are left to the judge.
LATER_RIGHT = [
    ("\\frac{14}{3}", "The value is \\( \\frac{14}{3} \\)"),
    ("\\frac{14}{3}", "$\\frac{14}{3} \\approx 4.67$"),
    ("\\frac{14}{3}", "14/3 (or 4 2/3)"),
    ("5", "**5 units**"),
    ("5", "\\(5\\) square units"),
    ("x=5", "x = 5 only"),
    ("x=5", "The only solution is x = 5"),
    ("3, 5, 7", "$x \\in \\{3,5,7\\}$"),
    ("3, 5, 7", "x₁ = 3, x₂ = 5, x₃ = 7"),
    ("1 \\pm \\sqrt{19}", "$1+\\sqrt{19}$ and $1-\\sqrt{19}$"),
    ("1 \\pm \\sqrt{19}", "{1 - √19, 1 + √19}"),
    ("(6,31,-1)", "p = 6, q = 31, and r = -1"),
    ("(6,31,-1)", "(p, q, r) = (6, 31, −1)"),
    ("\\left( 3, \\frac{\\pi}{2} \\right)", "(r, θ) = (3, π/2)"),
    (
        "\\begin{pmatrix} -2 \\\\ -14 \\\\ -7 \\end{pmatrix}",
        "$\\left[\\begin{array}{c}-2\\\\-14\\\\-7\\end{array}\\right]$",
    ),
    ("\\begin{pmatrix} -2 \\\\ -14 \\\\ -7 \\end{pmatrix}", "$$\\begin{pmatrix} -2 \\\\ -14 \\\\ -7 \\end{pmatrix}$$"),
    ("2220", "2,220"),
    ("2220", "2220 numbers"),
    ("90^\\circ", "$90^\\circ$ (a right angle)"),
    ("90^\\circ", "∠ABC = 90°"),
    ("52_8", "$52_8$ (base 8)"),
    ("y = 2x + 3", "$y=2x+3$"),
    ("y = 2x + 3", "f(x) = 2x + 3"),
    ("x^3+3x-6", "p(x) = x^3 + 3x - 6"),
    ("x^3+3x-6", "x³ + 3x − 6"),
    ("(-\\infty, 2) \\cup (3, \\infty)", "All real numbers x such that x < 2 or x > 3"),
    ("(-\\infty, 2) \\cup (3, \\infty)", "x ∈ (−∞, 2) ∪ (3, ∞)"),
    ("(2,\\infty)", "All values greater than 2"),
    ("\\text{east}", "She is facing east."),
    ("\\text{(C)}", "(C) Plane"),
    ("\\text{(C)}", "The correct option is C."),
    ("\\text{even}", "The function is even"),
    ("\\$18.90", "$18.90 per cube"),
    ("\\$18.90", "\\$18.9"),
    ("5.4 \\text{ cents}", "5.4¢ per stamp"),
    ("\\frac{1}{8}", "1/8 = 0.125 = 12.5%"),
    ("\\frac{1}{8}", "12.5%"),
    ("\\frac{9}{256}", "$$\\frac{9}{256}\\,.$$"),
    ("288 \\pi", "$288\\pi$ cubic inches"),
    ("288 \\pi", "288π cm³"),
    ("12\\pi", "12 * pi"),
    ("6 - 5i", "z = 6 − 5i"),
    ("1 - 12i", "1 + (-12)i"),
    ("\\frac{\\sqrt{21}}{5}", "√21/5"),
    ("\\frac{\\sqrt{21}}{5}", "\\sqrt{21}/5 \\approx 0.917"),
    ("-\\frac{\\pi}{6}", "-π/6 radians"),
    ("-\\frac{\\pi}{6}", "\\dfrac{-\\pi}{6}"),
    ("137 \\frac{1}{2}", "137½"),
    ("1\\frac{4}{5}", "1.8"),
    ("\\{1\\pm\\sqrt{5},-2\\}", "$-2$, $1+\\sqrt{5}$, $1-\\sqrt{5}$"),
    ("0", "zero"),
    ("-50", "negative 50"),
    ("\\frac{11+9a}{20}", "$\\frac{9a + 11}{20}$"),
    ("5x - 7y + 11z + 4 = 0", "$5x-7y+11z+4=0$."),
    ("\\cot x", "$\\cot(x)$"),
    ("(a+5)(b+2)", "$(b + 2)(a + 5)$"),
    ("10,\\!080", "10,080 ways"),
    ("11,\\! 111,\\! 111,\\! 100", "11111111100"),
    ("\\pi", "\\(\\pi\\)"),
    ("\\frac{270}7\\text{ degrees}", "$\\frac{270}{7}^\\circ$"),
    ("\\frac{270}7\\text{ degrees}", "38 4/7 degrees"),
]
LATER_WRONG = [
    ("\\frac{14}{3}", "The value is \\( \\frac{13}{3} \\)"),
    ("\\frac{14}{3}", "4.67"),
    ("\\frac{14}{3}", "14/3 or 3/14"),
    ("5", "x = 5 or x = -1"),
    ("3, 5, 7", "3 and 5"),
    ("(6,31,-1)", "p=31, q=6, r=-1"),
    ("90^\\circ", "90 radians"),
    ("52_8", "42"),
    ("y = 2x + 3", "x = 2y + 3"),
    ("(-\\infty, 2) \\cup (3, \\infty)", "(-∞,2] ∪ [3,∞)"),
    ("(-\\infty, 2) \\cup (3, \\infty)", "2 < x < 3"),
    ("\\text{east}", "Facing north"),
    ("\\text{(C)}", "(A) Line"),
    ("\\text{even}", "odd"),
    ("\\$18.90", "$18"),
    ("\\$18.90", "18.90 cents"),
    ("\\frac{1}{8}", "1/8%"),
    ("288 \\pi", "288"),
    ("6 - 5i", "5i - 6"),
    ("-\\frac{\\pi}{6}", "\\frac{\\pi}{6}"),
    ("137 \\frac{1}{2}", "137/2"),
    ("\\{1\\pm\\sqrt{5},-2\\}", "{1 ± √5}"),
    ("0", "no solution"),
    ("-50", "50"),
    ("10,\\!080", "5,040"),
    ("(2,4)", "x=4, y=2"),
    ("2k", "k"),
    ("x^3+3x-6", "x^3+3x+6"),
    ("\\cot x", "cot^2 x"),
    ("12", "12, 13"),
    ("12", "11 or 12"),
    ("12", "not 12"),
    ("12", "12!"),
    ("4", "2^4"),
    ("3\\sqrt{13}", "\\sqrt{39}"),
    ("3\\sqrt{13}", "3\\sqrt[3]{13}"),
    ("864 \\mbox{ inches}^2", "864 feet^2"),
    ("58,500", "58.500"),
    ("1.25", "1,25"),
    ("9", "9i"),
    ("\\frac12", "1:2:3"),
    ("16", "4^3"),
    ("\\text{Navin}", "Luka"),
]

CODE = [
    "__import__('os').system('touch {}')",
    "().__class__.__bases__[0].__subclasses__()",
    "exec(\"open('{}','w')\")",
    r"\text{__import__('os').system('touch {}')}",
    r"\operatorname{eval}(open)",
    "x=__import__('os')",
    "lambda: 0",
    "[c for c in ().__class__.__mro__]",
    "{{7*7}}",
    "f(open('{}','w'))",
    "9 if 1 else exec('')",
    "1;import os",
    r"\verb|import os|",
    r"\input{/etc/passwd}",
    r"\write18{touch {}}",
]

STRANGE = [
    "", " ", "\x00", "\x00" * 50, "NaN", "nan", r"\infty", "-oo", "inf", "1/0", r"\frac{0}{0}", "0^0", "i", "i^i",
    "e^{i\\pi}", "{" * 500, "}" * 500, "(" * 999, "[" * 999, "{(" * 300 + ")}" * 300, r"\frac{" * 150,
    r"\sqrt{" * 150, r"\boxed{" * 140, "$" * 999, "\\" * 999, "^" * 999, "_" * 999, "-" * 999, "+-" * 499, "!" * 999,
    "1!" * 400, "|" * 999, "," * 999, ";1" * 499, "=" * 999, "<" * 999, "x=" * 499, r"\pm" * 300, r"\cup" * 240,
    "&" * 999, r"\begin{pmatrix}" * 60, r"\end{matrix}", "%" * 999, "9" * 999, "." * 999, "1." * 499, "½" * 999,
    "²" * 999, "⁻" * 999, "١٢٣", "🦜" * 400, "\ud800", "a" * 999, "a b " * 249, "\u202e5", "\u200b", "5\u200b",
    "1e9999", "0x10", "1_000", "５", "−", "±", "√", "x" * 40 + "^2", "(1,2", "1,2)", "[1,2)(", r"\left(\right)",
    r"\text{}", r"\text{" * 100, "base 8", "8_8", "9_8", "_8", "1_1", "1_99999", "°", "$", "$$$", r"\$", "ft",
]  # fmt: skip


@pytest.mark.parametrize(("reference", "answer"), SAME)
def test_these_are_the_same(reference, answer):
    assert compare(reference, answer).verdict == "equal"


@pytest.mark.parametrize(("reference", "answer"), OTHER)
def test_these_are_different(reference, answer):
    assert compare(reference, answer) == DIFFERENT


@pytest.mark.parametrize(("reference", "answer", "reason"), OPEN)
def test_these_are_left_to_the_judge(reference, answer, reason):
    assert compare(reference, answer) == undecided(reason)


def test_what_was_written_later_gets_no_false_verdict():
    right = Counter(compare(*pair).verdict for pair in LATER_RIGHT)
    wrong = Counter(compare(*pair).verdict for pair in LATER_WRONG)
    assert (right["different"], wrong["equal"]) == (0, 0)
    page = " ".join(PAGE.read_text("utf-8").split())
    assert f"{len(LATER_RIGHT)} right and {len(LATER_WRONG)} wrong" in page
    assert f"{right['undecided']} and {wrong['undecided']} are undecided" in page


def test_a_reference_of_four_digits_is_met_by_what_rounds_to_it():
    assert compare("13.29", r"\frac{3840}{289}") == EQUAL
    assert compare("13.28", r"\frac{3840}{289}") == DIFFERENT
    assert compare("13.29", "13.287").reason == "rounded"


def test_what_is_spelled_alike_is_identical_and_the_rest_is_proved():
    assert compare(r"\dfrac{1}{2}", r"$\frac12$.").identical
    assert not compare(r"\frac{1}{2}", "1/2").identical
    assert spelled_alike("x + 1", "x+1")
    assert not spelled_alike("x + 1", "1 + x")
    assert not spelled_alike("", "")


def test_blanks_part_numbers_and_words():
    assert not spelled_alike("12", "1 2")
    assert not spelled_alike("no on", "noon")
    assert spelled_alike("4 m", "4m")


@pytest.mark.parametrize("answer", STRANGE)
def test_nothing_strange_raises_or_is_right(answer):
    found = compare(r"\frac{14}{3}", answer)
    assert found.verdict != "equal"
    assert compare(answer, answer).verdict in ("equal", "undecided")


compiled: list[str] = []
watching = False


def watch(event, details):
    if watching and event in ("compile", "exec", "os.system", "subprocess.Popen", "open"):
        compiled.append(f"{event} {details[:2]!r}")


def test_no_text_of_an_answer_is_compiled_or_run(tmp_path, monkeypatch):
    global watching
    compare("\\sqrt{2}x", "\\frac{2x}{\\sqrt{2}}")  # loads what is loaded late
    sys.addaudithook(watch)
    trap = tmp_path / "trap"
    for name in ("eval", "exec", "compile", "__import__"):
        whole = getattr(builtins, name)

        def guarded(*args, whole=whole, **more):
            assert not any(isinstance(one, str) and re.search("touch|__class__|open|lambda", one) for one in args), args
            return whole(*args, **more)

        monkeypatch.setattr(builtins, name, guarded)
    watching = True
    try:
        for code in CODE:
            text = code.replace("{}", str(trap))
            for reference in ("5", r"\text{east}", "(1,2)", "x=5", text):
                compare(reference, text)
                compare(text, f"1+{text}")
        assert not trap.exists()
        assert compiled == []
        sympy.sympify("(1).__index__()")  # The watch does see what SymPy's own reading of text does.
        assert any("__index__" in one for one in compiled)
    finally:
        watching = False


def test_no_text_reaches_the_evaluation_of_sympy(monkeypatch):
    importlib.import_module("sympy.physics.units")  # SymPy loads it late, and has it read texts of its own then.
    monkeypatch.setattr(
        sympy.parsing.sympy_parser, "eval_expr", lambda *given, **more: pytest.fail(f"evaluated: {given}")
    )
    for reference, answer in (*SAME, *OTHER):
        compare(reference, answer)
    for code in CODE:
        compare("5", code)


@given(st.text(alphabet="0123456789+-/.,() xyi=<>\\{}$%", max_size=25))
@settings(max_examples=50)
def test_any_text_is_itself_and_the_order_of_comparing_makes_no_contradiction(text):
    assert compare(text, text).verdict in ("equal", "undecided")
    assert {compare(text, "5").verdict, compare("5", text).verdict} != {"equal", "different"}


@given(st.fractions(max_denominator=60), st.fractions(max_denominator=60))
@settings(max_examples=50)
@example(Fraction(1, 8), Fraction(1, 8))
def test_fractions_are_equal_if_their_values_are(one, other):
    written = f"\\frac{{{one.numerator}}}{{{one.denominator}}}"
    wanted = "equal" if one == other else "different"
    assert compare(written, f"{other.numerator}/{other.denominator}").verdict == wanted
    assert compare(written, f"\\frac{{{3 * other.numerator}}}{{{3 * other.denominator}}}").verdict == wanted


@given(*[st.integers(1, 12)] * 4)
@settings(max_examples=40)
@example(2, 3, 1, 12)
def test_roots_are_equal_if_their_squares_are(a, b, c, d):
    wanted = "equal" if a * a * b == c * c * d else "different"
    assert compare(f"{a}\\sqrt{{{b}}}", f"{c}sqrt({d})").verdict == wanted


@given(*[st.integers(-5, 5)] * 4)
@settings(max_examples=30)
def test_products_are_equal_to_sums_with_the_same_coefficients(a, b, c, d):
    written = f"(x+{a})(x+{b})".replace("+-", "-")
    assert compare(written, f"x^2 + {a + b}x + {a * b}".replace("+ -", "- ")).verdict == "equal"
    wanted = "equal" if {a, b} == {c, d} and a + b == c + d else "different"
    assert compare(written, f"x^2 + {c + d}x + {c * d}".replace("+ -", "- ")).verdict == wanted


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=4, unique=True), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_sets_take_any_order_and_tuples_their_own(numbers, random):
    shuffled = list(numbers)
    random.shuffle(shuffled)
    one, other = (", ".join(map(str, members)) for members in (numbers, shuffled))
    assert compare(f"\\{{{one}\\}}", f"\\{{{other}\\}}").verdict == "equal"
    assert compare(f"({one})", f"({other})").verdict == ("equal" if numbers == shuffled else "different")


def test_units_are_read_with_their_powers():
    assert read_unit("sq. ft") == read_unit("feet", 2) == read_unit("square foot")
    assert read_unit("miles per hour") == read_unit("mph")
    assert read_unit("parsnip") is None
    assert measured("2 dozen eggs").words == "eggs"
    assert measured("5xy").unit is None


@pytest.mark.parametrize("text", ["", "2 3", "()", "2-", "x'", "1..2", r"\sin", "२", "f(x)", "(" * 40 + "1" + ")" * 40])
def test_what_is_no_expression_is_unreadable(text):
    with pytest.raises(UnreadableError):
        read_expression(text)


def test_a_comparison_has_a_reason_if_it_is_undecided():
    with pytest.raises(ValueError, match="only then"):
        Compared("undecided")
    with pytest.raises(ValueError, match="only then"):
        Compared("equal", "why")


def test_verdicts_combine():
    doubt = undecided("x")
    assert all_equal([EQUAL, doubt, DIFFERENT]) == DIFFERENT
    assert all_equal([EQUAL, doubt, undecided("y")]) == doubt
    assert all_equal([]) == EQUAL
    assert same_members([[EQUAL, DIFFERENT], [DIFFERENT, EQUAL]]) == EQUAL
    assert same_members([[DIFFERENT, DIFFERENT], [doubt, EQUAL]]) == DIFFERENT
    assert same_members([[doubt, DIFFERENT], [DIFFERENT, EQUAL]]) == doubt
    assert same_members([[EQUAL, DIFFERENT]]) == DIFFERENT


def test_normalising_twice_changes_nothing_more():
    for reference, answer in SAME:
        for text in (reference, answer):
            assert normalised(normalised(text)) == normalised(text)


def test_rewriting_is_the_same_every_time_and_never_gives_the_reference_back():
    for reference, _ in SAME:
        assert right_forms(reference) == right_forms(reference)
        assert reference not in (*right_forms(reference), *wrong_forms(reference))
        assert len(right_forms(reference)) <= 20


def test_the_rates_of_the_docs_hold_on_a_sample_of_60_problems(shared):
    every = references(shared / "math500" / "test.jsonl")
    asked = pairs(sample(every, 60), every)
    found = [compare(pair.reference, pair.answer) for pair in asked]
    measured_now = table(rates(asked, found))
    assert measured_now in PAGE.read_text("utf-8")
    assert all(counts["false"] == 0 for counts in rates(asked, found).values())
    assert len(every) == 500
