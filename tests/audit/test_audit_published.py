"""The paper's figures as data: held against its own text, and found by the names that runs give."""

import re
from pathlib import Path

import pytest

from tutorscope.audit.published import (
    BASES,
    published,
    published_base,
    published_judge,
    published_value,
    published_verdict,
)

HEADS = {
    "Section 3": "3 Study Design and Pre-Registered Inference",
    "Section 4": "4 Primary-Base Results",
    "Section 5": "5 Cross-Base Replication and Judge Audit",
    "Section 6": "6 Prompt-versus-Structure Ablation",
    "Appendix A": "Appendix A Experimental Design and Problem Instrument",
    "Appendix B": "Appendix B Operational Measures and Statistical Estimands",
    "Appendix D": "Appendix D ",
    "Appendix E": "Appendix E ",
}


@pytest.fixture(scope="module")
def paper(shared: Path) -> str:
    """Give the paper's text with its formulas as plain numbers."""
    text = (shared.parent / "papers" / "policy-audit.txt").read_text(encoding="utf-8")
    text = re.sub(r"\{\\times\}10\^\{-(\d+)\}", r"e-\1", text)
    return re.sub(r"[${}]|\\(?=%)", "", text).replace("\u2212", "-")


def part(paper: str, where: str) -> str:
    """Cut out one section; the tables stand inside the sections."""
    if where == "Table 2":
        return paper[paper.index("(a) Judged policy gaps") : paper.index("Table 2: Cross-judge")]
    start = paper.index("\n" + HEADS[where]) + 1
    ends = [at for head in HEADS.values() if (at := paper.find("\n" + head)) > start]
    return paper[start : min(ends)]


def stands_in(printed: str, text: str) -> bool:
    return re.search(rf"(?<![\d.e+-]){re.escape(printed)}(?![\d%]|\.\d)", text) is not None


def test_every_figure_is_printed_where_it_is_said_to_be(paper: str) -> None:
    printed = [one for one in published() if "printed" in one.of]
    missing = [one for one in printed if not stands_in(one.of["printed"], part(paper, one.where))]
    assert len(printed) > 120
    assert missing == []


def test_the_rows_of_table_2_stand_in_its_order(paper: str) -> None:
    text = " ".join(part(paper, "Table 2").split())
    for base in BASES:
        for judge in ("Opus", "Sol"):
            row = [
                one.of["printed"]
                for one in published()
                if one.where == "Table 2" and (one.of["base"], one.of.get("judge")) == (base, judge)
            ]
            assert len(row) == 6
            assert re.search(rf"{judge} {' '.join(map(re.escape, row))}(?= )", text), row
        row = [
            one.of["printed"]
            for one in published()
            if one.where == "Table 2" and one.of["base"] == base and "judge" not in one.of
        ]
        assert len(row) == 7
        assert f"{' '.join(row)} " in f"{text} "


def test_the_verdicts_are_those_of_table_1(paper: str) -> None:
    signs = {"supported": r"\checkmark", "not supported": r"\times", "inconclusive": r"\circ"}
    for claim in ("P1", "P2", "P3", "J1", "J2"):
        row = next(line for line in paper.splitlines() if line.startswith(f"{claim}\t"))
        assert row.split("\t")[-3:] == [signs[str(published_verdict(claim, base))] for base in BASES]


def test_a_share_is_held_as_a_share() -> None:
    assert published_value("mean", base="Sonnet 4.6", measure="leakage", policy="no-final-answer") == 0.146
    assert published_value("isolated_accuracy") == 0.11


def test_a_figure_that_was_not_printed_is_none() -> None:
    assert published_value("mean", base="GPT-5.5", measure="pedagogy", policy="conversational") is None
    assert published_verdict("P1", "mine") is None
    assert published_verdict("P9", "GPT-5.5") is None


def test_gaps_are_differences_of_the_printed_means() -> None:
    means = [
        published_value("mean", base="Sonnet 4.6", measure="pedagogy", policy=policy)
        for policy in ("conversational", "pedagogical")
    ]
    assert means[0] - means[1] == pytest.approx(published_value("gap", base="Sonnet 4.6", measure="pedagogy"))


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("anthropic/claude-sonnet-4-6", "Sonnet 4.6"),
        ("openrouter/anthropic/claude-sonnet-4.6-20260115", "Sonnet 4.6"),
        ("sonnet", "Sonnet 4.6"),
        ("GPT-5.5", "GPT-5.5"),
        ("google/gemini-3.1-pro-preview", "Gemini 3.1 Pro"),
        ("claude-sonnet-4-5", None),
        ("gpt-5.5-mini", None),
        ("gemini-3.1-flash", None),
        ("own", None),
        ("", None),
    ],
)
def test_a_base_is_found_however_its_provider_calls_it(name: str, base: str | None) -> None:
    assert published_base(name) == base


def test_a_judge_is_found_and_another_one_is_not() -> None:
    assert [published_judge(name) for name in ("anthropic/claude-opus-4-8", "gpt-5.6-sol", "sol", "gpt-5.6")] == [
        "Opus",
        "Sol",
        "Sol",
        None,
    ]
