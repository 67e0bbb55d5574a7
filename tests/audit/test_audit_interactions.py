"""Where judges part: the published difference to its digits, lme4's fits, and Holm's families."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from judged_turns import CLAIMS, CONVERSATIONAL, PEDAGOGICAL, RUBRICS, sonnet_per_turn, turns_of

from tutorscope.audit.inference.interactions import (
    DIFFERENCE_COLUMNS,
    INTERACTION_COLUMNS,
    difference_of_differences,
    judge_interactions,
    replicate_differences,
)
from tutorscope.audit.inference.judge_pairs import judge_pairs
from tutorscope.stats.mixed import crossed_mixed_model
from tutorscope.stats.multiplicity import holm

# Claims without families: Holm's adjustment takes most of the time.
PLAIN = {**CLAIMS, "families": []}
FIRST = [[1, 1, 2], [5, 5, 5], [3, 3, 3], [4, 5, 4], [2, 2, 3], [4, 4, 4], [5, 5, 4], [3, 2, 3]] * 2
SECOND = [[2, 2, 2], [5, 5, 5], [3, 4, 4], [4, 4, 4], [1, 2, 2], [5, 5, 5], [4, 4, 5], [3, 3, 3]]
SECOND += [[3, 3, 3], [4, 4, 4], [4, 4, 4], [2, 2, 2], [1, 1, 1], [5, 5, 4], [3, 3, 3], [3, 3, 1]]


def judged(**same: Any) -> pd.DataFrame:
    return pd.concat([turns_of("a", FIRST, **same), turns_of("b", SECOND, **same)], ignore_index=True)


def one(frame: pd.DataFrame, **where: str) -> pd.Series:
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


@pytest.fixture(scope="module")
def sonnet(shared: Path) -> pd.DataFrame:
    return sonnet_per_turn(shared)


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((shared / "audit" / "sonnet_published.json").read_text(encoding="utf-8"))
    return held


@pytest.fixture(scope="module")
def sonnet_terms(sonnet: pd.DataFrame) -> pd.DataFrame:
    return judge_interactions(sonnet, CLAIMS)


@pytest.mark.parametrize(("rubric", "outcome"), [("helpfulness", "h_difference"), ("pedagogy", "ped_difference")])
@pytest.mark.parametrize("term", ["leak", "policy"])
def test_interactions_equal_lme4(
    sonnet_terms: pd.DataFrame, shared: Path, rubric: str, outcome: str, term: str
) -> None:
    reference = pd.read_csv(shared / "audit" / "sonnet_lme4_reference.csv")
    expected = one(reference, judge="sol-opus", outcome=outcome)
    found = one(sonnet_terms, judge="sol-opus", rubric=rubric, term=term, scale="raw")
    assert found["coef"] == pytest.approx(expected[f"beta_{term}"], abs=1e-6)
    assert found["se"] == pytest.approx(expected[f"se_{term}"], abs=1e-5)
    assert found["state"] == "estimated"


def test_the_other_judges_own_slope_equals_lme4(sonnet_terms: pd.DataFrame, shared: Path) -> None:
    reference = pd.read_csv(shared / "audit" / "sonnet_lme4_reference.csv")
    expected = one(reference, judge="sol", outcome="h", spec="adjusted")
    found = one(sonnet_terms, judge="sol")
    assert (found["rubric"], found["term"], found["family"]) == ("helpfulness", "leak", "second_judge_leak")
    assert found["coef"] == pytest.approx(expected["beta_leak"], abs=1e-6)
    assert found["se"] == pytest.approx(expected["se_leak"], abs=1e-5)


def test_helpfulness_interactions_equal_the_published_ones(
    sonnet_terms: pd.DataFrame, published: dict[str, Any]
) -> None:
    raw = published["cross_judge"]["helpfulness"]["interaction_raw"]
    for term, name in (("leak", "leaks"), ("policy", "condition_ped")):
        found = one(sonnet_terms, judge="sol-opus", rubric="helpfulness", term=term, scale="raw")
        assert found["coef"] == pytest.approx(raw[name]["coef"], abs=1e-6)
        assert found["se"] == pytest.approx(raw[name]["se"], abs=1e-3)


def test_where_the_published_fit_stopped_early_the_optimum_stands(
    sonnet_terms: pd.DataFrame, published: dict[str, Any]
) -> None:
    stopped = next(held for held in published["stopped_early"] if held["fit"] == "cross_judge/pedagogy/interaction_raw")
    for term in ("leak", "policy"):
        found = one(sonnet_terms, judge="sol-opus", rubric="pedagogy", term=term, scale="raw")
        assert found["coef"] == pytest.approx(stopped[f"optimum_{term}"], abs=1e-6)
        assert abs(found["coef"] - stopped[f"published_{term}"]) > 1e-3


@pytest.mark.parametrize("rubric", RUBRICS)
def test_difference_of_differences_equals_the_published_one(
    sonnet: pd.DataFrame, published: dict[str, Any], rubric: str
) -> None:
    expected = published["cross_judge"][rubric]["dod"]
    found = one(difference_of_differences(sonnet, CLAIMS), rubric=rubric)
    assert found["judge"] == "sol-opus"
    assert found["n"] == 10
    assert found["mean"] == pytest.approx(expected["mean"], abs=1e-12)
    assert [found["low"], found["high"]] == pytest.approx(expected["ci95"], abs=1e-12)
    assert (found["w"], found["p"]) == (expected["wilcoxon_W"], expected["p_two_sided"])


@pytest.mark.parametrize("rubric", RUBRICS)
def test_replicates_equal_the_published_ones(sonnet: pd.DataFrame, published: dict[str, Any], rubric: str) -> None:
    pair = next(pair for pair in judge_pairs(sonnet) if pair.rubric == rubric)
    found = replicate_differences(pair.turns, (CONVERSATIONAL, PEDAGOGICAL))
    assert list(found) == list(range(10))
    expected = published["cross_judge"][rubric]["dod"]["values"]
    assert [float(value) for value in found.values()] == pytest.approx(expected, abs=1e-12)


def test_a_session_counts_by_its_mean_and_the_gap_is_first_less_second_policy() -> None:
    turns = pd.concat(
        [turns_of(judge, [ratings], policy=policy, turn=turn)
         for judge, policy, turn, ratings in (
             ("a", CONVERSATIONAL, 0, [5, 5, 5]), ("a", CONVERSATIONAL, 1, [3, 3, 4]), ("a", PEDAGOGICAL, 0, [2]),
             ("b", CONVERSATIONAL, 0, [4, 4, 4]), ("b", CONVERSATIONAL, 1, [3, 3, 3]), ("b", PEDAGOGICAL, 0, [5]),
         )]
    )  # fmt: skip
    pair = next(judge_pairs(turns))
    found = replicate_differences(pair.turns, (CONVERSATIONAL, PEDAGOGICAL))
    assert found == {0: (Fraction(-1) + Fraction(-1, 3)) / 2 - 3}


def test_z_values_are_taken_over_both_policies_with_the_population_deviation() -> None:
    found = judge_interactions(judged(), PLAIN)
    pair = next(judge_pairs(judged()))
    first, second = ((means - means.mean()) / means.std() for means in (pair.means("first"), pair.means("second")))
    fit = crossed_mixed_model(
        second - first,
        {"leak": pair.turns["leak"], "policy": pair.turns["policy"] == PEDAGOGICAL},
        pair.turns["replicate"],
        pair.turns["problem"],
    )
    for place, term in ((1, "leak"), (2, "policy")):
        held = one(found, rubric="helpfulness", term=term, scale="standardised")
        assert (held["coef"], held["p"]) == pytest.approx((fit.coefficients[place], fit.p[place]), rel=1e-9)


def test_only_the_three_declared_families_are_adjusted() -> None:
    found = judge_interactions(judged(), CLAIMS)
    families = found[found["family"] != ""]
    assert set(zip(families["judge"], families["rubric"], families["term"], families["family"], strict=True)) == {
        ("b", "helpfulness", "leak", "second_judge_leak"),
        ("b-a", "helpfulness", "leak", "judge_by_leak"),
        ("b-a", "helpfulness", "policy", "judge_by_policy"),
    }
    assert found.loc[found["family"] == "", "p_holm"].isna().all()
    assert list(families["p_holm"]) == pytest.approx(list(families["p"]))


@pytest.mark.parametrize("bases", [3, ["base", "gpt", "gemini"], ["gpt", "gemini"]])
def test_m_is_the_number_of_declared_bases(bases: Any) -> None:
    found = judge_interactions(judged(), {**CLAIMS, "bases": bases})
    families = found[found["family"] != ""]
    assert list(families["p_holm"]) == pytest.approx([min(1, 3 * p) for p in families["p"]])


def test_holm_goes_over_the_bases_of_a_family() -> None:
    second = judged(base="two")
    second.loc[second["judge"] == "b", "helpfulness_sum"] = [2, 6, 8, 6, 4, 9, 6, 5, 5, 4, 4, 6, 6, 7, 8, 3]
    second["helpfulness_n"] = second["helpfulness_n"].where(second["judge"] == "a", 2)
    second["helpfulness_median"] = pd.NA
    found = judge_interactions(pd.concat([judged(base="one"), second]), CLAIMS)
    family = found[found["family"] == "judge_by_policy"]
    expected = holm(dict(zip(family["base"], family["p"], strict=True)), ["one", "two"])
    assert list(family["p_holm"]) == pytest.approx(list(expected["p_holm"]))
    assert (family["p_holm"] > family["p"]).any()


def test_a_base_without_a_fit_still_counts_in_its_family() -> None:
    constant = pd.concat([turns_of("a", FIRST, base="two"), turns_of("b", FIRST, base="two")])
    found = judge_interactions(pd.concat([judged(base="one"), constant]), CLAIMS)
    family = found[found["family"] == "judge_by_leak"]
    assert list(family["state"]) == ["estimated", "not_estimable"]
    assert family["p_holm"].iloc[0] == pytest.approx(min(1, 2 * family["p"].iloc[0]))
    assert math.isnan(family["p_holm"].iloc[1])


def test_families_come_from_the_claims() -> None:
    families = [
        {"name": "mine", "across": "bases", "outcome": "pedagogy_difference", "term": "policy"},
        {"name": "within", "across": "claims", "outcome": None, "term": None},
    ]
    found = judge_interactions(judged(), {**CLAIMS, "families": families})
    assert set(found["family"]) == {"", "mine"}
    assert one(found, family="mine")["rubric"] == "pedagogy"
    assert set(found["judge"]) == {"b-a"}


def test_identical_judges_have_no_interaction_to_estimate() -> None:
    same = pd.concat([turns_of("a", FIRST), turns_of("b", FIRST)])
    found = judge_interactions(same, PLAIN)
    differences = found[found["judge"] == "b-a"]
    assert set(differences["state"]) == {"not_estimable"}
    assert set(differences["reason"]) == {"the outcome does not vary"}
    assert set(difference_of_differences(same, PLAIN)["p"]) == {1.0}


def test_a_constant_judge_cannot_be_standardised() -> None:
    found = judge_interactions(pd.concat([turns_of("a", FIRST), turns_of("b", [[5, 5, 5]] * 16)]), PLAIN)
    assert one(found, rubric="helpfulness", term="leak", scale="standardised")["reason"] == (
        "the ratings by b do not vary"
    )
    assert one(found, rubric="pedagogy", term="leak", scale="raw")["state"] == "estimated"


def test_no_leaky_turn_is_said() -> None:
    found = judge_interactions(judged().assign(leak=False), PLAIN)
    assert set(found["reason"]) == {"leak does not vary"}


def test_one_replicate_names_the_factor() -> None:
    found = judge_interactions(judged().assign(replicate=0), PLAIN)
    assert set(found["reason"]) == {"too few groups: the replicate factor has 1 level"}


def test_turns_that_one_judge_lacks_are_counted_beside_the_terms() -> None:
    turns = judged()
    short = turns.drop(index=turns.index[turns["judge"] == "b"][:2])
    found = judge_interactions(short, PLAIN)
    assert set(found.loc[found["judge"] == "b-a", "reason"]) == {"turns left out: 2 rated by a only"}
    assert set(difference_of_differences(short, PLAIN)["reason"]) == {"turns left out: 2 rated by a only"}


def test_the_other_judges_own_slope_is_over_all_its_turns() -> None:
    turns = judged()
    without = judge_interactions(turns.drop(index=turns.index[turns["judge"] == "a"][:2]), CLAIMS)
    whole = judge_interactions(turns, CLAIMS)
    assert one(without, judge="b")["coef"] == pytest.approx(one(whole, judge="b")["coef"])


def test_a_replicate_of_one_policy_only_is_left_out_by_name() -> None:
    turns = judged()
    short = turns[~((turns["replicate"] == 1) & (turns["policy"] == PEDAGOGICAL))]
    found = one(difference_of_differences(short, CLAIMS), rubric="helpfulness")
    assert (found["n"], found["reason"]) == (3, "replicates without turns of both policies: 1")


def test_no_common_turn_is_said() -> None:
    turns = judged()
    split = turns[(turns["replicate"] < 2) == (turns["judge"] == "a")]
    found = difference_of_differences(split, PLAIN)
    assert set(found["reason"]) == {
        "no turn that both judges rated; turns left out: 8 rated by a only, 8 rated by b only"
    }
    terms = judge_interactions(split, PLAIN)
    assert terms.loc[terms["judge"] == "b-a", "reason"].str.startswith("no turn that both judges rated").all()


def test_every_other_judge_has_families_of_its_own() -> None:
    third = turns_of("c", [list(reversed(given)) for given in SECOND[::-1]])
    found = judge_interactions(pd.concat([judged(), third]), CLAIMS)
    assert set(found["judge"]) == {"b", "c", "b-a", "c-a"}
    families = found[found["family"] != ""]
    assert list(families["p_holm"]) == pytest.approx(list(families["p"]))


def test_without_a_second_judge_tables_are_empty_and_have_their_columns() -> None:
    alone = turns_of("a", FIRST)
    assert list(judge_interactions(alone, PLAIN).columns) == list(INTERACTION_COLUMNS)
    assert list(difference_of_differences(alone, PLAIN).columns) == list(DIFFERENCE_COLUMNS)
    assert len(judge_interactions(alone, PLAIN)) == len(difference_of_differences(alone, PLAIN)) == 0


def test_the_order_of_rows_changes_nothing(sonnet: pd.DataFrame, sonnet_terms: pd.DataFrame) -> None:
    judges = [part.sample(frac=1, random_state=5) for _, part in sonnet.groupby("judge", sort=False)]
    shuffled = judge_interactions(pd.concat(judges), PLAIN)
    sonnet_terms = sonnet_terms[sonnet_terms["judge"] == "sol-opus"]
    assert np.allclose(shuffled["coef"], sonnet_terms["coef"], rtol=1e-8)
    assert np.allclose(shuffled["p"], sonnet_terms["p"], rtol=1e-6)
