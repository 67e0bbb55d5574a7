"""The audit's pictures: what stands in them, what is pale, and which published values are set beside."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from page_tables import CONV, PED, save_svg

from tutorscope.audit import figures
from tutorscope.audit.pages.shown import Shown
from tutorscope.audit.pages.views import view_names
from tutorscope.pictures.style import save_panels

DIFFERENT = "Published value (different instrument)"
KEY = {"run": "r", "student": "s", "rule": "sound", "base": "m", "judge": ""}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "save_panels", save_svg)


def mean(policy: str, measure: str, value: float | None, **other: Any) -> dict[str, Any]:
    n = 0 if value is None else 3
    row = {**KEY, "policy": policy, "measure": measure, "n": n, "missing": 0, "mean": value}
    ends = {"low": None, "high": None} if value is None else {"low": value - 0.1, "high": value + 0.1}
    return {**row, **ends, "numerator": 5, "denominator": 12 if n else 0, **other}


def gap(measure: str, judge: str, value: float, p: float | None, **other: Any) -> dict[str, Any]:
    row = {**KEY, "judge": judge, "budget": "full", "first": CONV, "second": PED, "measure": measure, "n": 10}
    return {**row, "mean_difference": value, "low": value - 0.1, "high": value + 0.1, "p": p, "asked": False, **other}


def slope(spec: str, value: float | None, p: float | None, **other: Any) -> dict[str, Any]:
    row = {**KEY, "budget": "full", "outcome": "next_independent", "spec": spec, "n": 358, "n_leaky": 66}
    row |= {"first": CONV, "second": PED, "state": "estimated"}
    ends = (None, None) if value is None else (value - 0.1, value + 0.1)
    return {**row, "beta_leak": value, "low_leak": ends[0], "high_leak": ends[1], "p_leak": p, **other}


def shown(folder: Path, alone: bool = False, rule: str = "sound", **tables: list[dict[str, Any]]) -> Shown:
    frames = {name: pd.DataFrame(rows) for name, rows in tables.items()}
    frames.setdefault("policy_means", pd.DataFrame([mean(CONV, "leakage", 0.4)]))
    return Shown(frames, rule, view_names(frames), alone, folder)


def text(figure: Any) -> str:
    return figure.svg.read_text(encoding="utf-8")


def test_each_policy_that_tutored_has_a_row_with_its_counts(tmp_path: Path) -> None:
    rows = [mean(CONV, "leakage", 0.4), mean("mine", "leakage", 0.1), mean("cold", "leakage", None)]
    rows += [mean(CONV, "independence", 0.6), mean("mine", "independence", 0.7), mean("cold", "independence", None)]
    (figure,) = figures.given_away(shown(tmp_path, policy_means=rows))
    svg = text(figure)
    assert svg.count(">mine</text>") == 2
    assert ">5 of 12 turns</text>" in svg
    assert ">cold</text>" not in svg
    assert svg.count(f">{DIFFERENT}</text>") == 1
    assert "6 sessions" in figure.caption


def test_a_picture_is_saved_for_page_phone_and_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "save_panels", save_panels)
    rows = [mean(CONV, what, 0.4) for what in ("leakage", "independence")]
    (figure,) = figures.given_away(shown(tmp_path, policy_means=rows))
    assert figure.narrow is not None
    assert {"given-away.svg", "given-away.pdf", "given-away-narrow.svg"} <= {path.name for path in tmp_path.iterdir()}


def test_nothing_in_the_answer_phase_is_no_picture(tmp_path: Path) -> None:
    rows = [mean("cold", "leakage", None), mean("cold", "independence", None)]
    assert figures.given_away(shown(tmp_path, policy_means=rows)) == []


def test_bases_are_series_and_many_of_them_take_another_picture(tmp_path: Path) -> None:
    rows = [mean(CONV, what, 0.4, base=f"b{n}") for what in ("leakage", "independence") for n in range(5)]
    first, second = figures.given_away(shown(tmp_path, policy_means=rows))
    assert all(f">b{n}</text>" in text(first) for n in range(4))
    assert ">b4</text>" not in text(first)
    assert first.svg != second.svg


def test_gaps_have_a_mark_a_judge_and_are_pale_where_nothing_was_found(tmp_path: Path) -> None:
    rows = [gap("helpfulness", "a", -0.1, 0.16), gap("helpfulness", "b", 0.1, 0.004), gap("pedagogy", "a", -1.7, None)]
    figure = figures.gaps(shown(tmp_path, contrasts=rows), (CONV, PED))
    svg = text(figure)
    assert ">pale: may be chance (p &gt; .05)</text>" in svg
    assert ">a</text>" in svg
    assert ">b</text>" in svg
    assert ">10 pairs</text>" in svg
    assert ">conversational − pedagogical, points</text>" in svg
    assert "different instrument" in figure.caption


def test_a_found_gap_is_not_pale(tmp_path: Path) -> None:
    figure = figures.gaps(shown(tmp_path, contrasts=[gap("pedagogy", "a", -1.7, 0.002)]), (CONV, PED))
    assert "pale" not in text(figure)


def test_without_a_judge_or_of_another_pair_there_is_no_gap(tmp_path: Path) -> None:
    held = shown(tmp_path, contrasts=[gap("helpfulness", "", 0.1, 0.01), gap("leakage", "", 0.1, 0.01)])
    assert figures.gaps(held, (CONV, PED)) is None
    assert figures.gaps(shown(tmp_path, contrasts=[gap("pedagogy", "a", 1, 0.01)]), ("mine", PED)) is None


@pytest.mark.parametrize(
    ("alone", "base", "judge", "says"),
    [
        (True, "sonnet", "opus", ">Published value</text>"),
        (True, "sonnet", "mine", f">{DIFFERENT}</text>"),
        (True, "mine", "opus", f">{DIFFERENT}</text>"),
        (False, "sonnet", "opus", f">{DIFFERENT}</text>"),
    ],
)
def test_a_published_value_is_of_the_same_instrument_only_in_the_papers_own_tables(
    tmp_path: Path, alone: bool, base: str, judge: str, says: str
) -> None:
    means = [mean(CONV, "leakage", 0.4, base=base)]
    rows = [gap("helpfulness", judge, -0.1, 0.16, base=base)]
    held = shown(tmp_path, alone, contrasts=rows, policy_means=means)
    assert says in text(figures.gaps(held, (CONV, PED)))


def test_published_gaps_are_not_set_beside_another_pair(tmp_path: Path) -> None:
    rows = [gap("helpfulness", "opus", -0.1, 0.16, first="mine", base="sonnet")]
    held = shown(tmp_path, contrasts=rows, policy_means=[mean(CONV, "leakage", 0.4, base="sonnet")])
    figure = figures.gaps(held, ("mine", PED))
    assert "Published" not in text(figure)
    assert "Rings" not in figure.caption


def test_ratings_have_a_panel_for_each_base_and_judge_and_a_mark_for_each_rubric(tmp_path: Path) -> None:
    rows = [mean(CONV, rubric, 4.0, judge=judge) for rubric in ("helpfulness", "pedagogy") for judge in ("a", "b")]
    (figure,) = figures.ratings_by_policy(shown(tmp_path, policy_means=rows))
    svg = text(figure)
    assert ">m, judge a</text>" in svg
    assert ">m, judge b</text>" in svg
    assert ">helpfulness</text>" in svg
    assert ">pedagogy</text>" in svg
    assert figures.ratings_by_policy(shown(tmp_path)) == []


def test_the_coupling_is_told_once_whoever_judged_and_says_where_it_cannot_be_estimated(tmp_path: Path) -> None:
    rows = [slope("pooled", -0.4, 1e-9, judge=judge) for judge in ("a", "b")]
    rows += [slope("adjusted", None, None, judge=judge) for judge in ("a", "b")]
    figure = figures.coupling(shown(tmp_path, mixed=rows))
    svg = text(figure)
    assert svg.count(">358 turns, 66 leaky</text>") == 1
    assert svg.count(">not estimable</text>") == 1
    assert figures.coupling(shown(tmp_path, mixed=[])) is None


def test_within_policies_those_without_turns_are_left_out(tmp_path: Path) -> None:
    row = {**KEY, "judge": "j", "budget": "full", "outcome": "next_independent", "n_leaky": 5, "n_other": 7}
    row |= {"effect": -0.4, "low": -0.6, "high": -0.1, "p": 0.03}
    empty = {"n_leaky": 0, "n_other": 0, "effect": None, "low": None, "high": None, "p": None}
    rows = [{**row, "policies": "both"}, {**row, "policies": CONV}, {**row, "policies": PED, **empty}]
    svg = text(figures.coupling_by_policy(shown(tmp_path, coupling=rows)))
    assert ">5 leaky of 12 turns</text>" in svg
    assert f">{CONV}</text>" in svg
    assert f">{PED}</text>" not in svg
    assert ">both</text>" not in svg


def test_accuracy_has_a_panel_for_each_phase_that_was_asked(tmp_path: Path) -> None:
    rows = [mean("cold", "accuracy_immediate", 0.4), mean("cold", "accuracy_transfer", 0.2)]
    rows += [mean("cold", "accuracy_interference", None)]
    (figure,) = figures.accuracy(shown(tmp_path, policy_means=rows))
    svg = text(figure)
    assert ">Immediate</text>" in svg
    assert ">Transfer</text>" in svg
    assert ">Interference</text>" not in svg
    assert ">cold</text>" in svg


def test_the_other_rule_is_not_drawn(tmp_path: Path) -> None:
    rows = [mean(CONV, "leakage", 0.4), mean(CONV, "leakage", 0.9, rule="published", numerator=11)]
    rows += [mean(CONV, "independence", 0.4)]
    (figure,) = figures.given_away(shown(tmp_path, policy_means=rows))
    assert ">11 of 12 turns</text>" not in text(figure)
    assert "rule sound" in figure.caption


def test_a_policys_name_acts_nowhere(tmp_path: Path) -> None:
    rows = [mean("$x$\x1b\u202e<b>", what, 0.4) for what in ("leakage", "independence")]
    (figure,) = figures.given_away(shown(tmp_path, policy_means=rows))
    assert "$x$⟨U+001B⟩⟨U+202E⟩&lt;b&gt;" in text(figure)
