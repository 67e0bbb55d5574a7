"""The printed figures of the policy-audit paper, as data.

They were made with the paper's own prompts, problem wording, student serving and judges. A page that sets them beside
its own numbers calls them a different instrument.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tutorscope.pictures.blocks import Published

DIFFERENT_INSTRUMENT = (
    "Published values come from another instrument: the paper's own prompts and problem wording, its serving of the "
    "student, Claude Opus 4.8 and GPT-5.6 Sol as judges."
)
BASES = ("Sonnet 4.6", "GPT-5.5", "Gemini 3.1 Pro")
"""The paper's tutor bases; the first is its primary one."""
JUDGES = ("Opus", "Sol")
"""The paper's judges; the first is its frozen one."""

SONNET, GPT, GEMINI = BASES
OPUS, SOL = JUDGES
CONVERSATIONAL, PEDAGOGICAL = "conversational", "pedagogical"

_DATE = r"(20\d{6})?"
_NAMED_AS = {
    SONNET: rf"(claude)?sonnet(46{_DATE})?",
    GPT: rf"gpt(55{_DATE})?",
    GEMINI: r"gemini(31pro(preview\w*)?)?",
    OPUS: rf"(claude)?opus(48{_DATE})?",
    SOL: rf"(gpt56)?sol{_DATE}",
}

_VERDICTS = {"supported": 1.0, "not supported": 0.0, "inconclusive": 0.0}
_YES, _NO, _OPEN = _VERDICTS
_TABLE_1 = {
    "P1": (_YES, _YES, _OPEN),
    "P2": (_NO, _NO, _YES),
    "P3": (_OPEN, _YES, _OPEN),
    "J1": (_NO, _NO, _NO),
    "J2": (_YES, _NO, _NO),
}

# base, judge: gap, Cliff's delta and p of helpfulness, then of pedagogy
_TABLE_2A = {
    (SONNET, OPUS): ("-0.094", "-.10", ".160", "-1.721", "-1.00", ".0020"),
    (SONNET, SOL): ("+0.115", "+.84", ".0039", "-1.240", "-.98", ".0020"),
    (GPT, OPUS): ("-0.376", "-.74", ".0020", "-2.364", "-1.00", ".0020"),
    (GPT, SOL): ("+0.086", "+.70", ".0156", "-2.018", "-1.00", ".0020"),
    (GEMINI, OPUS): ("+0.088", "+.67", ".0195", "-0.181", "-.33", ".426"),
    (GEMINI, SOL): ("+0.065", "+.65", ".0156", "-0.016", "+.05", "1.0"),
}
# base: leakage of either policy, Cliff's delta, p, turns, pooled slope of next-turn work, its p
_TABLE_2B = {
    SONNET: ("0.430", "0.064", "+.96", ".0039", "358", "-0.386", "5.6e-12"),
    GPT: ("0.766", "0.070", "+1.00", ".0020", "379", "-0.535", "2.1e-32"),
    GEMINI: ("0.113", "0.075", "+.32", ".625", "442", "-0.592", "9.1e-21"),
}

_H, _P, _W = "helpfulness", "pedagogy", "next_independent"
# section: name, as printed, what it is about
_TEXT: dict[str, list[tuple[str, str, dict[str, str]]]] = {
    "Section 3": [
        ("mean", "13.5", {"base": SONNET, "measure": "tutor_turns", "policy": CONVERSATIONAL}),
        ("mean", "22.3", {"base": SONNET, "measure": "tutor_turns", "policy": PEDAGOGICAL}),
        ("gap", "+8.8", {"base": SONNET, "measure": "tutor_turns", "order": "second less first"}),
        ("gap_low", "+4.6", {"base": SONNET, "measure": "tutor_turns", "order": "second less first"}),
        ("gap_high", "+12.6", {"base": SONNET, "measure": "tutor_turns", "order": "second less first"}),
        ("ratings", "7074", {"judge": SOL, "base": "all"}),
    ],
    "Section 4": [
        ("gap", "+0.365", {"base": SONNET, "measure": "leakage"}),
        ("gap_low", "+0.217", {"base": SONNET, "measure": "leakage"}),
        ("gap_high", "+0.516", {"base": SONNET, "measure": "leakage"}),
        ("gap", "-0.076", {"base": SONNET, "measure": "independence"}),
        ("gap_low", "-0.189", {"base": SONNET, "measure": "independence"}),
        ("gap_high", "+0.021", {"base": SONNET, "measure": "independence"}),
        ("gap_low", "-0.251", {"base": SONNET, "measure": _H, "judge": OPUS}),
        ("gap_high", "+0.058", {"base": SONNET, "measure": _H, "judge": OPUS}),
        ("accuracy_lowest", "0.77", {"base": SONNET}),
        ("accuracy_highest", "1.00", {"base": SONNET}),
        ("mean", "2.578", {"base": SONNET, "measure": _P, "policy": CONVERSATIONAL, "judge": OPUS}),
        ("mean", "4.299", {"base": SONNET, "measure": _P, "policy": PEDAGOGICAL, "judge": OPUS}),
        ("slope", "+0.303", {"base": SONNET, "outcome": _H, "spec": "pooled", "judge": OPUS}),
        ("slope_low", "+0.169", {"base": SONNET, "outcome": _H, "spec": "pooled", "judge": OPUS}),
        ("slope_high", "+0.437", {"base": SONNET, "outcome": _H, "spec": "pooled", "judge": OPUS}),
        ("slope_p", "9.1e-6", {"base": SONNET, "outcome": _H, "spec": "pooled", "judge": OPUS}),
        ("slope_low", "-0.495", {"base": SONNET, "outcome": _W, "spec": "pooled"}),
        ("slope_high", "-0.276", {"base": SONNET, "outcome": _W, "spec": "pooled"}),
        ("leaky_mean", "4.95", {"base": SONNET, "outcome": _H, "judge": OPUS}),
        ("other_mean", "4.67", {"base": SONNET, "outcome": _H, "judge": OPUS}),
        ("leaky_mean", "33%", {"base": SONNET, "outcome": _W}),
        ("other_mean", "73%", {"base": SONNET, "outcome": _W}),
        ("matched_turns", "256", {"base": SONNET}),
        ("matched_slope", "+0.295", {"base": SONNET, "outcome": _H, "judge": OPUS}),
        ("matched_slope_p", "2.4e-4", {"base": SONNET, "outcome": _H, "judge": OPUS}),
        ("matched_slope", "-0.355", {"base": SONNET, "outcome": _W}),
        ("matched_slope_p", "7.5e-8", {"base": SONNET, "outcome": _W}),
        ("matched_p", ".0039", {"base": SONNET, "measure": "leakage"}),
        ("matched_p", ".426", {"base": SONNET, "measure": _H, "judge": OPUS}),
        ("matched_p", ".695", {"base": SONNET, "measure": "independence"}),
        ("p", ".375", {"base": SONNET, "measure": "independence"}),
        ("span_of_means", "0.25", {"base": SONNET, "measure": _H, "judge": OPUS}),
        ("span_of_means", "2.3", {"base": SONNET, "measure": _P, "judge": OPUS}),
    ],
    "Section 5": [
        ("slope", "+0.500", {"base": SONNET, "outcome": _H, "spec": "adjusted", "judge": OPUS}),
        ("slope_p", "9.6e-10", {"base": SONNET, "outcome": _H, "spec": "adjusted", "judge": OPUS}),
        ("slope", "-0.041", {"base": GPT, "outcome": _H, "spec": "adjusted", "judge": OPUS}),
        ("slope_p", ".564", {"base": GPT, "outcome": _H, "spec": "adjusted", "judge": OPUS}),
        ("slope", "+0.053", {"base": GEMINI, "outcome": _H, "spec": "adjusted", "judge": OPUS}),
        ("slope_p", ".208", {"base": GEMINI, "outcome": _H, "spec": "adjusted", "judge": OPUS}),
        ("slope", "-0.267", {"base": GPT, "outcome": _H, "spec": "clustered", "judge": OPUS}),
        ("slope_p", ".105", {"base": GPT, "outcome": _H, "spec": "clustered", "judge": OPUS}),
        ("slope", "+0.066", {"base": GEMINI, "outcome": _H, "spec": "clustered", "judge": OPUS}),
        ("slope_p", ".0020", {"base": GEMINI, "outcome": _H, "spec": "clustered", "judge": OPUS}),
        ("slope", "-0.302", {"base": SONNET, "outcome": _W, "spec": "adjusted"}),
        ("slope_p", "7.4e-6", {"base": SONNET, "outcome": _W, "spec": "adjusted"}),
        ("slope", "-0.295", {"base": GPT, "outcome": _W, "spec": "adjusted"}),
        ("slope_p", "1.7e-6", {"base": GPT, "outcome": _W, "spec": "adjusted"}),
        ("slope", "-0.604", {"base": GEMINI, "outcome": _W, "spec": "adjusted"}),
        ("slope_p", "2.0e-19", {"base": GEMINI, "outcome": _W, "spec": "adjusted"}),
        ("slope", "+0.096", {"base": SONNET, "outcome": _H, "spec": "pooled", "judge": SOL}),
        ("slope", "+0.078", {"base": GPT, "outcome": _H, "spec": "pooled", "judge": SOL}),
        ("slope", "+0.044", {"base": GEMINI, "outcome": _H, "spec": "pooled", "judge": SOL}),
        ("slope", "+0.044", {"base": SONNET, "outcome": _H, "spec": "adjusted", "judge": SOL}),
        ("slope", "+0.028", {"base": GPT, "outcome": _H, "spec": "adjusted", "judge": SOL}),
        ("slope", "+0.035", {"base": GEMINI, "outcome": _H, "spec": "adjusted", "judge": SOL}),
        ("judge_by_policy_p", "3.2e-15", {"base": SONNET, "rubric": _H, "corrected": "Holm"}),
        ("judge_by_policy_p", "9.1e-11", {"base": GPT, "rubric": _H, "corrected": "Holm"}),
        ("judge_by_policy_p", ".354", {"base": GEMINI, "rubric": _H, "corrected": "Holm"}),
        ("spearman", ".754", {"base": SONNET, "rubric": _P}),
        ("spearman", ".847", {"base": GPT, "rubric": _P}),
        ("spearman", ".431", {"base": GEMINI, "rubric": _P}),
        ("spearman", ".418", {"base": SONNET, "rubric": _H}),
        ("spearman", ".205", {"base": GPT, "rubric": _H}),
        ("spearman", ".585", {"base": GEMINI, "rubric": _H}),
        ("spearman", ".740", {"base": "pooled", "rubric": _P}),
        ("kappa", ".653", {"base": "pooled", "rubric": _P}),
        ("spearman", ".372", {"base": "pooled", "rubric": _H}),
        ("kappa", ".243", {"base": "pooled", "rubric": _H}),
        ("turns", "1179", {"base": "all"}),
        ("at_top", "975", {"base": "all", "rubric": _H, "judge": OPUS}),
        ("at_top", "1120", {"base": "all", "rubric": _H, "judge": SOL}),
    ],
    "Section 6": [
        ("gap", "+0.565", {"base": SONNET, "measure": _P, "first": "socratic", "second": PEDAGOGICAL}),
        ("gap_low", "+0.348", {"base": SONNET, "measure": _P, "first": "socratic", "second": PEDAGOGICAL}),
        ("gap_high", "+0.817", {"base": SONNET, "measure": _P, "first": "socratic", "second": PEDAGOGICAL}),
        ("cliffs_delta", "+0.96", {"base": SONNET, "measure": _P, "first": "socratic", "second": PEDAGOGICAL}),
        ("gap", "+0.535", {"base": SONNET, "measure": _P, "first": "no-cascade", "second": PEDAGOGICAL}),
        ("cliffs_delta", "+0.96", {"base": SONNET, "measure": _P, "first": "no-cascade", "second": PEDAGOGICAL}),
        ("gap", "+0.151", {"base": SONNET, "measure": _H, "first": "no-cascade", "second": PEDAGOGICAL}),
        ("lowest_mean", "4.70", {"base": SONNET, "measure": _H, "judge": OPUS}),
        ("highest_mean", "4.95", {"base": SONNET, "measure": _H, "judge": OPUS}),
        ("mean", "14.6%", {"base": SONNET, "measure": "leakage", "policy": "no-final-answer"}),
    ],
    "Appendix A": [
        ("isolated_accuracy", "11%", {"role": "student"}),
        ("marker_rate_needed", "95%", {"role": "student"}),
    ],
    "Appendix B": [
        ("leaky_turns", "52", {"base": SONNET, "policy": CONVERSATIONAL, "budget": "full"}),
        ("leaky_turns", "51", {"base": SONNET, "policy": CONVERSATIONAL, "budget": "matched"}),
        ("leaky_turns", "14", {"base": SONNET, "policy": PEDAGOGICAL, "budget": "full"}),
        ("leaky_turns", "6", {"base": SONNET, "policy": PEDAGOGICAL, "budget": "matched"}),
        ("matched_turns", "256", {"base": SONNET}),
        ("p", ".002", {"base": GEMINI, "measure": "worked_per_1k"}),
    ],
    "Appendix D": [
        ("routed_turns", "223", {"base": SONNET, "policy": PEDAGOGICAL}),
        ("routed_to_cascade", "165", {"base": SONNET, "policy": PEDAGOGICAL}),
        ("routed_to_decomposer", "57", {"base": SONNET, "policy": PEDAGOGICAL}),
        ("routed_turns", "668", {"base": "all", "policy": PEDAGOGICAL}),
    ],
}
# Numbers that stand as words in the text.
_IN_WORDS = (
    ("matched_cells_dropped", 5.0, "Section 3", {"base": SONNET}),
    ("routed_to_gate", 1.0, "Appendix D", {"base": "all", "policy": PEDAGOGICAL}),
)


@cache
def published() -> tuple[Published, ...]:
    """Give every figure that the paper prints of its results.

    Returns
    -------
    tuple of Published
        ``where`` is the table, section or appendix; ``of`` says what a figure is about (base, judge, measure, outcome,
        spec, policy, claim, rubric) and holds it as ``printed``, without which the digits could not be checked. Gaps
        are the conversational policy less the pedagogical one unless ``first`` and ``second`` say otherwise.
    """
    return (*_table_1(), *_table_2(), *_text())


def published_value(name: str, **of: str) -> float | None:
    """Give the first figure of a name that is about all that is asked, or None.

    Examples
    --------
    >>> published_value("gap", base="GPT-5.5", judge="Sol", measure="helpfulness")
    0.086
    """
    found = (one for one in published() if one.name == name and of.items() <= one.of.items())
    return next((one.value for one in found), None)


def published_verdict(claim: str, base: str) -> str | None:
    """Give the verdict of Table 1 on a claim, on one of the paper's bases."""
    row = _TABLE_1.get(claim)
    return row[BASES.index(base)] if row and base in BASES else None


def published_base(name: str) -> str | None:
    """Give the paper's base that a tutor's name means, or None.

    Examples
    --------
    >>> published_base("anthropic/claude-sonnet-4-6"), published_base("gpt-5.5-mini")
    ('Sonnet 4.6', None)
    """
    return _named(name, BASES)


def published_judge(name: str) -> str | None:
    """Give the paper's judge that a judge's name means, or None."""
    return _named(name, JUDGES)


def _named(name: str, known: tuple[str, ...]) -> str | None:
    said = re.sub(r"[^a-z0-9]", "", name.rpartition("/")[2].casefold())
    return next((one for one in known if re.fullmatch(_NAMED_AS[one], said)), None)


def _table_1() -> Iterator[Published]:
    for claim, row in _TABLE_1.items():
        for base, verdict in zip(BASES, row, strict=True):
            of = {"claim": claim, "base": base, "judge": OPUS, "verdict": verdict}
            yield Published("supported", _VERDICTS[verdict], "Table 1", of)


def _table_2() -> Iterator[Published]:
    for (base, judge), row in _TABLE_2A.items():
        for measure, values in ((_H, row[:3]), (_P, row[3:])):
            of = {"base": base, "judge": judge, "measure": measure}
            for name, printed in zip(("gap", "cliffs_delta", "p"), values, strict=True):
                yield _figure(name, printed, "Table 2", of)
    for base, (first, second, delta, p, turns, slope, slope_p) in _TABLE_2B.items():
        leakage = {"base": base, "measure": "leakage"}
        yield _figure("mean", first, "Table 2", {**leakage, "policy": CONVERSATIONAL})
        yield _figure("mean", second, "Table 2", {**leakage, "policy": PEDAGOGICAL})
        yield _figure("cliffs_delta", delta, "Table 2", leakage)
        yield _figure("p", p, "Table 2", leakage)
        yield _figure("turns", turns, "Table 2", {"base": base})
        yield _figure("slope", slope, "Table 2", {"base": base, "outcome": _W, "spec": "pooled"})
        yield _figure("slope_p", slope_p, "Table 2", {"base": base, "outcome": _W, "spec": "pooled"})


def _text() -> Iterator[Published]:
    for where, rows in _TEXT.items():
        for name, printed, of in rows:
            yield _figure(name, printed, where, of)
    for name, value, where, of in _IN_WORDS:
        yield Published(name, value, where, dict(of))


def _figure(name: str, printed: str, where: str, of: dict[str, Any]) -> Published:
    value = float(printed.rstrip("%"))
    # Rounded as printed: 43.0 % is .430, not .43000000000000005.
    held = round(value / 100, 4) if printed.endswith("%") else value
    return Published(name, held, where, {**of, "printed": printed})
