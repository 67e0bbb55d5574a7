"""The printed figures of the intervention paper, as data.

They were made with the paper's own prompts, students, tutors and judge. A page that sets them beside its own numbers
calls them a different instrument.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tutorscope.pictures.blocks import Published

DIFFERENT_INSTRUMENT = (
    "Published values come from another instrument: the paper's own prompts and problems, Qwen2.5-7B as the student "
    "(unless a row names another) and GPT-5.2 as the judge of code and teasers."
)
TUTORS = ("GPT-5.2", "GPT-OSS-120B", "Gemini 3 Flash", "DeepSeek-V3.2")
"""The paper's tutors, in its order."""
ALL = "all"
"""What a figure is about that is pooled over tutors or domains."""
PEOPLE, MODELS = "people", "models"
"""Who steps in, where the paper compares people and all of its tutors on thirty teasers."""

_CODE, _MATH, _TEASERS = "code", "math", "teasers"
_STANDARD, _ORACLE, _STOP = "standard", "oracle", "stop"
_GPT = TUTORS[0]
_NAMED_AS = {
    TUTORS[0]: r"gpt52(20\d{6})?",
    TUTORS[1]: r"gptoss120b",
    TUTORS[2]: r"gemini3flash(preview)?",
    TUTORS[3]: r"deepseekv32",
}

_GROUPS = ((PEOPLE, _STANDARD), (PEOPLE, _ORACLE), (MODELS, _STANDARD), (MODELS, _ORACLE))
# category: share in per cent of people's interventions, Standard and Oracle, then of models'
_TABLE_1_ROLE = {
    "Redirecting away from an unproductive path": "29.7 25.2 20.9 34.8",
    "Reframing the problem representation": "15.3 16.0 24.8 23.0",
    "Correcting local errors": "16.2 10.1 2.9 10.5",
    "Refocusing attention on salient evidence": "14.4 10.9 15.9 10.2",
    "Connecting partial insights into a coherent whole": "2.7 3.4 8.3 3.5",
    "Narrowing the search space": "4.5 1.7 7.1 3.1",
    "Prompting pattern recognition": "5.4 6.7 7.1 5.1",
    "Validating productive reasoning": "4.5 6.7 0.0 0.0",
    "Encouraging verification and self-checking": "1.8 5.9 0.0 2.0",
    "Extending a correct partial solution": "0.9 5.9 2.7 0.4",
    "Clarifying rules and constraints": "1.8 0.8 3.5 4.3",
    "Modeling a systematic strategy": "0.0 1.7 3.8 0.8",
    "Providing targeted hints or candidate answers": "0.9 3.4 1.8 2.0",
    "Providing closure or final confirmation": "0.9 1.7 0.0 0.0",
    "Explaining why an answer fits": "0.0 0.0 1.2 0.4",
    "Supporting persistence and reducing frustration": "0.9 0.0 0.0 0.0",
}
_TABLE_1_LEAKAGE = {
    "Full solution revealed": "5.4 6.7 14.2 10.2",
    "Strong narrowing or near-solution scaffold": "29.7 14.3 45.1 51.2",
    "Key mechanism disclosure": "27.0 18.5 31.0 29.3",
    "Minor local correction": "9.0 6.7 1.5 2.3",
    "Answer revealed without full explanation": "5.4 5.0 5.3 5.1",
    "Partial worked solution": "0.0 0.0 1.5 1.2",
    "General reframing hint": "5.4 12.6 0.9 0.0",
    "Wrong-path rejection": "7.2 11.8 0.0 0.0",
    "Validation only": "5.4 10.9 0.0 0.0",
    "Broad process hint": "1.8 5.9 0.3 0.0",
    "No substantive reveal": "1.8 5.0 0.3 0.4",
    "Method-level hint": "1.8 2.5 0.0 0.4",
}
TAXONOMY = {"role": tuple(_TABLE_1_ROLE), "leakage": tuple(_TABLE_1_LEAKAGE)}
"""The paper's category names of its two dimensions, in the order of its Table 1."""

# way of going on: code, mathematics, teasers, total
_TABLE_2 = {
    _STANDARD: "5,705 4,727 5,679 16,111",
    _STOP: "5,704 4,727 5,679 16,110",
    _ORACLE: "2,128 1,236 4,082 7,446",
}
# domain and condition: of each of the four tutors phi, then phi on correct answers, tau_rel, tau_abs
_TABLE_4 = {
    (_CODE, _STANDARD): (
        "1.00 1.00 0.83 0.98",
        "1.00 1.00 0.74 0.96",
        "0.04 0.05 0.35 0.18",
        "51.67 58.17 499.60 243.56",
    ),
    (_CODE, _ORACLE): (
        "0.57 0.41 0.49 0.56",
        "0.06 0.02 0.06 0.07",
        "0.55 0.70 0.48 0.60",
        "1033.66 1491.13 760.93 1179.36",
    ),
    (_MATH, _STANDARD): (
        "0.97 1.00 0.37 0.81",
        "0.95 1.00 0.13 0.74",
        "0.15 0.07 0.46 0.33",
        "150.21 67.03 760.89 401.81",
    ),
    (_MATH, _ORACLE): (
        "0.29 0.30 0.27 0.30",
        "0.01 0.02 0.01 0.01",
        "0.57 0.58 0.48 0.77",
        "1047.76 1096.61 860.10 1468.33",
    ),
    (_TEASERS, _STANDARD): (
        "1.00 1.00 0.86 0.93",
        "1.00 1.00 0.26 0.68",
        "0.05 0.06 0.36 0.28",
        "59.55 61.86 423.75 319.42",
    ),
    (_TEASERS, _ORACLE): (
        "0.86 0.73 0.85 0.84",
        "0.00 0.02 0.04 0.04",
        "0.51 0.56 0.42 0.71",
        "621.17 690.85 515.07 893.48",
    ),
}
_MEASURES = ("phi", "phi_correct", "tau_rel", "tau_abs")
_TIMING = ("phi", "tau_rel", "tau_abs")
# What is varied, each with GPT-5.2 as the tutor on code: phi, tau_rel, tau_abs.
_TABLE_8 = {"50": "1.00 0.04 50.6", "300": "1.00 0.25 301.9", "sentence": "1.00 0.11 138.0"}
_TABLE_9 = {
    "Qwen2.5-7B": "1.00 0.04 50.6",
    "GPT-5.2": "1.00 0.07 51.0",
    "Llama-3.1-8B": "1.00 0.04 50.1",
    "Qwen3-32B": "1.00 0.08 50.3",
}
# prompt: the same in the Standard, then in the Oracle condition
_TABLE_10 = {
    "plain": "1.00 0.04 50.5 0.53 0.53 1027.6",
    "sparing": "1.00 0.04 51.5 0.49 0.55 1111.1",
    "guiding": "1.00 0.04 50.4 0.51 0.53 1067.0",
}

_POOLED = {"tutor": ALL, "domain": ALL}
_THIRTY = {"domain": _TEASERS, "problems": "30"}


def _who(who: str, condition: str) -> dict[str, str]:
    return {**_THIRTY, "who": who, "condition": condition}


# section: name, as printed, what it is about
_TEXT: dict[str, list[tuple[str, str, dict[str, str]]]] = {
    "Section 5": [
        ("accuracy", "43%", {"domain": ALL}),
        ("accuracy", "70.4%", {"domain": _MATH}),
        ("accuracy", "45.2%", {"domain": _CODE}),
        ("accuracy", "14.4%", {"domain": _TEASERS}),
    ],
    "Section 5.1": [
        ("phi", "0.90", {**_POOLED, "condition": _STANDARD}),
        ("phi_low", "0.89", {**_POOLED, "condition": _STANDARD}),
        ("phi_high", "0.90", {**_POOLED, "condition": _STANDARD}),
        ("phi", "0.54", {**_POOLED, "condition": _ORACLE}),
        ("phi_low", "0.52", {**_POOLED, "condition": _ORACLE}),
        ("phi_high", "0.56", {**_POOLED, "condition": _ORACLE}),
        ("tau_rel", "0.18", {**_POOLED, "condition": _STANDARD}),
        ("tau_rel_low", "0.17", {**_POOLED, "condition": _STANDARD}),
        ("tau_rel_high", "0.18", {**_POOLED, "condition": _STANDARD}),
        ("tau_rel", "0.56", {**_POOLED, "condition": _ORACLE}),
        ("tau_rel_low", "0.55", {**_POOLED, "condition": _ORACLE}),
        ("tau_rel_high", "0.57", {**_POOLED, "condition": _ORACLE}),
        ("phi_p", ".001", {**_POOLED, "relation": "<"}),
        ("tau_rel_p", ".001", {**_POOLED, "relation": "<"}),
        ("phi", "90%", {"tutor": TUTORS[0], "domain": ALL, "condition": _STANDARD, "relation": ">"}),
        ("phi", "90%", {"tutor": TUTORS[1], "domain": ALL, "condition": _STANDARD, "relation": ">"}),
        ("phi", "90%", {"tutor": TUTORS[3], "domain": ALL, "condition": _STANDARD, "relation": ">"}),
        ("phi_correct", "98%", {"tutor": TUTORS[0], "domain": ALL, "condition": _STANDARD}),
        ("phi_correct", "100%", {"tutor": TUTORS[1], "domain": ALL, "condition": _STANDARD}),
        ("phi_correct", "3%", {**_POOLED, "condition": _ORACLE, "relation": "<"}),
    ],
    # The text gives the two ways on teasers in the order of its sentence on code: Stop-and-Answer first.
    "Section 5.2": [
        ("h", "0.20", {**_POOLED, "how": _STANDARD}),
        ("helpful", "25.5%", {**_POOLED, "how": _STANDARD}),
        ("harmful", "5.4%", {**_POOLED, "how": _STANDARD}),
        ("h", "0.30", {**_POOLED, "how": _ORACLE}),
        ("harmful", "1.2%", {**_POOLED, "how": _ORACLE}),
        ("h", "0.24", {"tutor": ALL, "domain": _CODE, "how": _STOP}),
        ("h", "0.17", {"tutor": ALL, "domain": _CODE, "how": _STANDARD}),
        ("h", "0.27", {"tutor": ALL, "domain": _TEASERS, "how": _STOP}),
        ("h", "0.30", {"tutor": ALL, "domain": _TEASERS, "how": _STANDARD}),
    ],
    "Section 5.3": [
        ("g", "-0.01", {"tutor": ALL, "context": "problem", "domain": _MATH}),
        ("g", "-0.03", {"tutor": ALL, "context": "problem", "domain": _CODE}),
        ("g", "+0.03", {"tutor": ALL, "context": "problem", "domain": _TEASERS}),
        ("g", "-0.02", {"tutor": ALL, "context": "intervention", "domain": _MATH}),
        ("g", "-0.04", {"tutor": ALL, "context": "intervention", "domain": _CODE}),
        ("g", "+0.04", {"tutor": ALL, "context": "intervention", "domain": _TEASERS}),
    ],
    "Section 5.4": [
        ("phi", "0.74", _who(PEOPLE, _STANDARD)),
        ("tau_rel", "0.74", _who(PEOPLE, _STANDARD)),
        ("phi", "0.94", _who(MODELS, _STANDARD)),
        ("tau_rel", "0.24", _who(MODELS, _STANDARD)),
        ("phi_difference", "+0.05", {**_THIRTY, "who": PEOPLE}),
        ("tau_rel_difference", "-0.11", {**_THIRTY, "who": PEOPLE}),
        ("phi_difference", "-0.23", {**_THIRTY, "who": MODELS}),
        ("tau_rel_difference", "+0.33", {**_THIRTY, "who": MODELS}),
        ("phi_interaction", "-2.60", _THIRTY),
        ("phi_interaction_low", "-3.40", _THIRTY),
        ("phi_interaction_high", "-1.80", _THIRTY),
        ("tau_rel_interaction", "0.45", _THIRTY),
        ("tau_rel_interaction_low", "0.36", _THIRTY),
        ("tau_rel_interaction_high", "0.53", _THIRTY),
        ("phi_correct", "0.72", _who(MODELS, _STANDARD)),
        ("phi_correct", "0.00", _who(MODELS, _ORACLE)),
        ("phi_correct", "0.37", _who(PEOPLE, _STANDARD)),
        ("phi_correct", "0.40", _who(PEOPLE, _ORACLE)),
        ("answered_right_alone", "6", _THIRTY),
        ("praised_or_confirmed", "4", _who(PEOPLE, _ORACLE)),
    ],
    "Appendix A.2": [
        ("episodes", "18,000", {**_POOLED, "condition": _STANDARD}),
        ("interventions", "9,695", {**_POOLED, "condition": _ORACLE}),
        ("lost", "2,241", _POOLED),
        ("lost_not_found", "1,529", _POOLED),
        ("lost_answer_part", "477", _POOLED),
        ("lost_ambiguous", "229", _POOLED),
        ("lost_no_quote", "6", _POOLED),
        ("recovered", "7,446", _POOLED),
        ("lost_share", "23%", _POOLED),
        ("lost_not_found_share", "16%", _POOLED),
        ("lost_answer_part_share", "5%", _POOLED),
        ("lost_ambiguous_share", "2%", _POOLED),
        ("retention", "77%", {"domain": ALL}),
        ("retention", "83.0%", {"domain": _TEASERS}),
        ("retention", "70.2%", {"domain": _CODE}),
        ("retention", "71.5%", {"domain": _MATH}),
    ],
    "Appendix B.3": [
        ("mann_whitney_u", "293.0", {"measure": "phi", "groups": "teaching experience"}),
        ("mann_whitney_p", "0.769", {"measure": "phi", "groups": "teaching experience"}),
        ("mann_whitney_u", "213.0", {"measure": "tau_rel", "groups": "teaching experience"}),
        ("mann_whitney_p", "0.093", {"measure": "tau_rel", "groups": "teaching experience"}),
        ("mann_whitney_u", "366.0", {"measure": "phi", "groups": "parenthood"}),
        ("mann_whitney_p", "0.213", {"measure": "phi", "groups": "parenthood"}),
        ("mann_whitney_u", "318.0", {"measure": "tau_rel", "groups": "parenthood"}),
        ("mann_whitney_p", "0.635", {"measure": "tau_rel", "groups": "parenthood"}),
        ("participants", "13", {"condition": _STANDARD, "group": "no teaching experience"}),
        ("participants", "12", {"condition": _STANDARD, "group": "teaching experience"}),
        ("participants", "15", {"condition": _ORACLE, "group": "no teaching experience"}),
        ("participants", "10", {"condition": _ORACLE, "group": "teaching experience"}),
        ("participants", "12", {"condition": _STANDARD, "group": "parent"}),
        ("participants", "13", {"condition": _STANDARD, "group": "not a parent"}),
        ("participants", "17", {"condition": _ORACLE, "group": "parent"}),
        ("participants", "8", {"condition": _ORACLE, "group": "not a parent"}),
    ],
    "Appendix D.2": [
        ("interventions", "111", _who(PEOPLE, _STANDARD)),
        ("interventions", "119", _who(PEOPLE, _ORACLE)),
        ("episodes", "150", _who(PEOPLE, _STANDARD)),
        ("episodes", "150", _who(PEOPLE, _ORACLE)),
        ("interventions", "339", _who(MODELS, _STANDARD)),
        ("interventions", "256", _who(MODELS, _ORACLE)),
        ("episodes", "360", _who(MODELS, _STANDARD)),
        ("episodes", "360", _who(MODELS, _ORACLE)),
        ("lost", "31", _who(MODELS, _ORACLE)),
        ("recovered", "225", _who(MODELS, _ORACLE)),
    ],
}


@cache
def published() -> tuple[Published, ...]:
    """Give every figure that the paper prints of its results.

    Returns
    -------
    tuple of Published
        ``where`` is the table, section or appendix; ``of`` says what a figure is about (tutor, domain, condition, how,
        context, who, increment, student, variant, dimension, category) and holds it as ``printed``. Shares are held as
        shares, whatever they are printed as. A bound carries ``relation``.
    """
    return (*_table_1(), *_table_2(), *_table_4(), *_variations(), *_text())


def published_value(name: str, **of: str) -> float | None:
    """Give the first figure of a name that is about exactly this, or None.

    Examples
    --------
    >>> published_value("phi", tutor="GPT-OSS-120B", domain="code", condition="oracle")
    0.41
    """
    return _index().get((name, frozenset(of.items())))


def published_tutor(name: str) -> str | None:
    """Give the paper's tutor that a model's name means, or None.

    Examples
    --------
    >>> published_tutor("openai/gpt-5.2"), published_tutor("gpt-5-mini")
    ('GPT-5.2', None)
    """
    said = re.sub(r"[^a-z0-9]", "", name.rpartition("/")[2].casefold())
    return next((one for one, pattern in _NAMED_AS.items() if re.fullmatch(pattern, said)), None)


def published_behaviour(tutor: str, domain: str, condition: str, measure: str) -> float | None:
    """Give what a figure of a tutor's behaviour is to be held against.

    Parameters
    ----------
    tutor : str
        A model's name or "all".
    domain : str
        "math", "code", "teasers" or "all".
    condition : {"standard", "oracle"}
    measure : {"phi", "phi_correct", "tau_rel", "tau_abs"}

    Returns
    -------
    float or None
        The paper's value for the tutor of that name (Table 4). For any other tutor, and for "all", the mean of the
        paper's four, or over all domains the value printed in section 5.1. None where neither is printed.
    """
    known = published_tutor(tutor)
    if domain == ALL:
        # The paper prints nothing for one tutor over all domains that a row of a run could be held against.
        return None if known else published_value(measure, **_POOLED, condition=condition)
    of = {"domain": domain, "condition": condition}
    if known:
        return published_value(measure, tutor=known, **of)
    found = [value for name in TUTORS if (value := published_value(measure, tutor=name, **of)) is not None]
    return round(sum(found) / len(found), 6) if found else None


def published_people(who: str, condition: str, measure: str) -> float | None:
    """Give what the paper has of people or of models on its thirty teasers.

    The Oracle condition's values are printed as differences from the Standard one and are added up here.

    Examples
    --------
    >>> published_people("people", "oracle", "tau_rel")
    0.63
    """
    of = {**_THIRTY, "who": who}
    value = published_value(measure, **of, condition=condition)
    if value is None and condition == _ORACLE:
        standard = published_value(measure, **of, condition=_STANDARD)
        change = published_value(f"{measure}_difference", **of)
        return None if standard is None or change is None else round(standard + change, 4)
    return value


@cache
def _index() -> dict[tuple[str, frozenset[tuple[str, Any]]], float]:
    found: dict[tuple[str, frozenset[tuple[str, Any]]], float] = {}
    for one in published():
        about = {key: value for key, value in one.of.items() if key != "printed"}
        found.setdefault((one.name, frozenset(about.items())), one.value)
    return found


def _table_1() -> Iterator[Published]:
    for dimension, table in (("role", _TABLE_1_ROLE), ("leakage", _TABLE_1_LEAKAGE)):
        for category, row in table.items():
            for (who, condition), printed in zip(_GROUPS, row.split(), strict=True):
                of = {"dimension": dimension, "category": category, "who": who, "condition": condition}
                yield _figure("share", f"{printed}%", "Table 1", of, printed)


def _table_2() -> Iterator[Published]:
    for how, row in _TABLE_2.items():
        for domain, printed in zip((_CODE, _MATH, _TEASERS, ALL), row.split(), strict=True):
            yield _figure("episodes", printed, "Table 2", {"tutor": ALL, "domain": domain, "how": how})


def _table_4() -> Iterator[Published]:
    for (domain, condition), columns in _TABLE_4.items():
        for measure, column in zip(_MEASURES, columns, strict=True):
            for tutor, printed in zip(TUTORS, column.split(), strict=True):
                yield _figure(measure, printed, "Table 4", {"tutor": tutor, "domain": domain, "condition": condition})


def _variations() -> Iterator[Published]:
    for where, factor, table in (
        ("Table 8", "increment", _TABLE_8),
        ("Table 9", "student", _TABLE_9),
        ("Table 10", "variant", _TABLE_10),
    ):
        for setting, row in table.items():
            values = row.split()
            for condition, held in ((_STANDARD, values[:3]), (_ORACLE, values[3:])):
                for measure, printed in zip(_TIMING, held, strict=False):
                    of = {"tutor": _GPT, "domain": _CODE, "condition": condition, factor: setting}
                    yield _figure(measure, printed, where, of)


def _text() -> Iterator[Published]:
    for where, rows in _TEXT.items():
        for name, printed, of in rows:
            yield _figure(name, printed, where, of)


def _figure(name: str, said: str, where: str, of: dict[str, str], printed: str = "") -> Published:
    value = float(said.rstrip("%").replace(",", ""))
    # Rounded as printed: 25.5 % is .255, not .25499999999999995.
    held = round(value / 100, 4) if said.endswith("%") else value
    return Published(name, held, where, {**of, "printed": printed or said})
