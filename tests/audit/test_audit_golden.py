"""The policy audit's primary base, from its released tables: every number that the analysis must give again.

Published: ``sonnet_published.json`` (what no optimiser touches) and ``sonnet_lme4_reference.csv`` (the mixed models at
their optimum, by lme4). The matched budget's figures and the verdicts are those of the paper (sections 3.3 and 4,
Table 1, Appendix B.9).
"""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tutorscope.audit.inference.layouts import read_tables
from tutorscope.audit.measures import measures
from tutorscope.errors import UserError
from tutorscope.runs.tables import write_tables

pytestmark = pytest.mark.shared
NAMES = {"conv": "conversational", "ped": "pedagogical", "cold": "cold"}
MEASURES = {
    "P1_leakage": "leakage",
    "P2_helpfulness": "helpfulness",
    "P3_independence": "independence",
    "pedagogy_manipulation_check": "pedagogy",
}
# Printed with 16 digits; the order in which floats are added moves the last two.
DIGITS = 1e-13


@pytest.fixture(scope="module")
def tables(shared: Path) -> dict[str, pd.DataFrame]:
    audit = shared / "audit"
    return read_tables(
        [(f"sonnet:{judge}={audit / f'sonnet_{judge}.csv'}", str(audit / "sonnet_per_session.csv")) for judge in JUDGES]
    )


@pytest.fixture(scope="module")
def found(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return measures(tables)


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, Any]:
    held: dict[str, Any] = json.loads((shared / "audit" / "sonnet_published.json").read_text("utf-8"))
    return held


JUDGES = ("opus", "sol")


def only(frame: pd.DataFrame, **where: object) -> pd.Series:
    rows = frame[np.logical_and.reduce([frame[name] == value for name, value in where.items()])]
    assert len(rows) == 1
    return rows.iloc[0]


def pair(frame: pd.DataFrame, measure: str, judge: str = "", budget: str = "full") -> pd.Series:
    return only(frame, budget=budget, first=NAMES["conv"], second=NAMES["ped"], measure=measure, judge=judge)


def same_contrast(row: pd.Series, wanted: dict[str, Any]) -> None:
    assert (row["n"], row["n_greater"], row["n_smaller"]) == (
        wanted["n"],
        wanted["n_conv_gt_ped"],
        wanted["n_ped_gt_conv"],
    )
    assert (row["w"], row["p"], row["p_method"]) == (wanted["wilcoxon_W"], wanted["p_two_sided"], "exact")
    ours = row[["mean_first", "mean_second", "mean_difference", "median_difference", "low", "high", "cliffs_delta"]]
    theirs = [wanted[k] for k in ("conv_mean", "ped_mean", "mean_diff_conv_minus_ped", "median_diff")]
    theirs += [*wanted["diff_ci95"], wanted["cliffs_delta_conv_vs_ped"]]
    assert ours.tolist() == pytest.approx(theirs, rel=DIGITS, abs=DIGITS)


@pytest.mark.parametrize("judge", JUDGES)
def test_session_contrasts(found: dict[str, pd.DataFrame], published: dict[str, Any], judge: str) -> None:
    for name, wanted in published[judge]["j1"].items():
        measure = MEASURES[name]
        judged = judge if measure in ("helpfulness", "pedagogy") else ""
        same_contrast(pair(found["contrasts"], measure, judged), wanted)


def test_pedagogy_under_the_frozen_judge_is_that_of_the_paper(found: dict[str, pd.DataFrame]) -> None:
    row = pair(found["contrasts"], "pedagogy", "opus")
    assert [round(value, 3) for value in (row["mean_first"], row["mean_second"])] == [2.578, 4.299]
    assert (round(row["mean_difference"], 3), row["cliffs_delta"], round(row["p"], 4)) == (-1.721, -1.0, 0.002)


def test_token_controls(found: dict[str, pd.DataFrame], published: dict[str, Any]) -> None:
    control = published["opus"]["cost_normalized"]
    same_contrast(pair(found["contrasts"], "leaky_per_1k"), control["leaky_turns_per_1k_tutor_tok"])
    same_contrast(pair(found["contrasts"], "worked_per_1k"), control["independent_turns_per_1k_tutor_tok"])


def test_turns_per_session_differ_as_in_the_paper(found: dict[str, pd.DataFrame]) -> None:
    row = pair(found["contrasts"], "tutor_turns")
    assert row[["mean_first", "mean_second", "mean_difference", "low", "high"]].tolist() == pytest.approx(
        [13.5, 22.3, -8.8, -12.6, -4.6], rel=DIGITS
    )
    assert row["n_smaller"] == 8


def test_accuracy(found: dict[str, pd.DataFrame], published: dict[str, Any]) -> None:
    for condition, phases in published["opus"]["accuracy"].items():
        for name, wanted in phases.items():
            measure = name.replace("acc_", "accuracy_")
            row = only(found["policy_means"], policy=NAMES[condition], measure=measure)
            assert row["n"] == wanted["n"]
            assert row[["mean", "low", "high"]].tolist() == pytest.approx([wanted["mean"], *wanted["ci95"]], rel=DIGITS)


@pytest.mark.parametrize("judge", JUDGES)
def test_two_stage_tests_and_the_turns_behind_them(
    found: dict[str, pd.DataFrame], published: dict[str, Any], judge: str
) -> None:
    legs = {"leak_to_helpfulness": "helpfulness", "leak_to_next_independence": "next_independent"}
    for name, outcome in legs.items():
        wanted = published[judge]["j2"][name]
        row = only(found["coupling"], budget="full", judge=judge, outcome=outcome, policies="both")
        stages, turns = wanted["cluster_summary"], wanted["descriptive_pooled"]
        assert (row["n_replicates"], row["w"], row["p"]) == (
            stages["n_replicates_used"], stages["wilcoxon_W"], stages["p_two_sided"]
        )  # fmt: skip
        ours = row[["effect", "low", "high", "leaky_mean", "other_mean"]].tolist()
        theirs = [stages["mean_within_replicate_effect"], *stages["effect_ci95"]]
        theirs += [turns["leaky_mean"], turns["nonleaky_mean"]]
        assert ours == pytest.approx(theirs, rel=DIGITS)
        assert (row["n_leaky"], row["n_other"]) == (turns["n_leaky"], turns["n_nonleaky"])


def test_mixed_fits_are_those_of_lme4(found: dict[str, pd.DataFrame], shared: Path) -> None:
    outcomes = {"h": "helpfulness", "ped": "pedagogy", "h_difference": "helpfulness_difference"}
    outcomes |= {"ped_difference": "pedagogy_difference", "next_independent": "next_independent"}
    with (shared / "audit" / "sonnet_lme4_reference.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 14
    for wanted in rows:
        outcome = outcomes[wanted["outcome"]]
        where = {"budget": "full", "base": wanted["base"], "judge": wanted["judge"], "outcome": outcome}
        fit = only(found["mixed"], **where, spec=wanted["spec"])
        assert (fit["state"], fit["n"]) == ("estimated", int(wanted["n"]))
        for name, near in (("intercept", 1e-6), ("beta_leak", 1e-6), ("se_leak", 1e-5), ("loglik", 1e-6)):
            assert fit[name] == pytest.approx(float(wanted[name]), abs=near, rel=0)
        for name in ("var_replicate", "var_problem", "var_residual"):
            assert fit[name] == pytest.approx(float(wanted[name]), abs=1e-6, rel=0)
        if wanted["spec"] == "pooled":
            assert np.isnan(fit["beta_policy"])
        else:
            assert fit["beta_policy"] == pytest.approx(float(wanted["beta_policy"]), abs=1e-6, rel=0)
            assert fit["se_policy"] == pytest.approx(float(wanted["se_policy"]), abs=1e-5, rel=0)


def test_the_matched_budget(found: dict[str, pd.DataFrame]) -> None:
    (row,) = found["budget"].to_dict("records")
    assert (row["n_cells"], row["dropped"], row["turns_full"], row["turns_matched"]) == (60, 5, 358, 256)
    assert (row["leaky_first_full"], row["leaky_second_full"]) == (52, 14)
    assert (row["leaky_first"], row["leaky_second"], row["underpowered"]) == (51, 6, "pedagogical")
    assert (row["tutor_turns_first"], row["tutor_turns_second"]) == (135, 223)
    assert pair(found["matched_contrasts"], "leakage", budget="matched")["p"] == 0.00390625
    assert pair(found["matched_contrasts"], "helpfulness", "opus", "matched")["p"] == 0.42578125
    legs = found["matched_mixed"][found["matched_mixed"]["spec"] == "pooled"]
    for outcome, slope in (("helpfulness", 0.295296), ("next_independent", -0.354918)):
        fit = only(legs, judge="opus", outcome=outcome)
        assert fit["n"] == 256
        assert fit["beta_leak"] == pytest.approx(slope, abs=5e-7)


def test_the_matched_independence_contrast_needs_transcripts(found: dict[str, pd.DataFrame]) -> None:
    row = pair(found["matched_contrasts"], "independence", budget="matched")
    assert row["state"] == "not_computable"
    assert "needs each student turn" in row["reason"]


def test_the_verdicts_are_those_of_table_1(found: dict[str, pd.DataFrame]) -> None:
    frozen = found["claims"][found["claims"]["judge"] == "opus"].set_index("id")
    assert frozen["verdict"].to_dict() == {
        "P1": "supported",
        "P2": "not supported",
        "P3": "inconclusive",
        "J1": "not supported",
        "J2.helpfulness": "supported",
        "J2.independence": "supported",
        "J2": "supported",
    }
    assert not frozen["reversed"].any()
    assert (frozen.loc["P1", "p"], frozen.loc["P2", "p"], frozen.loc["P3", "p"]) == (0.00390625, 0.16015625, 0.375)
    assert frozen.loc["J1", "p"] == 0.375
    assert found["claims"]["judge"].tolist() == ["opus"] * 7 + ["sol"] * 7


def test_the_other_judge_is_a_sensitivity_with_its_own_ordering(found: dict[str, pd.DataFrame]) -> None:
    other = found["claims"][found["claims"]["judge"] == "sol"].set_index("id")
    assert set(other["role"]) == {"sensitivity"}
    assert (other.loc["P2", "verdict"], other.loc["P2", "p"]) == ("supported", 0.00390625)
    assert other.loc["J1", "verdict"] == "not supported"
    assert other.loc["J2", "verdict"] == "supported"


def test_what_departs_from_the_plan_is_told(found: dict[str, pd.DataFrame]) -> None:
    said = found["claims"].set_index(["judge", "id"])["deviations"]
    assert said["opus", "P1"] == "no record that the claims were frozen before collection"
    assert "J2.independence stands at a boundary: the variance between problems" in said["opus", "J2"]


def test_sensitivities_agree_but_for_the_other_judges_policy_adjusted_leg(found: dict[str, pd.DataFrame]) -> None:
    changed = found["sensitivities"][found["sensitivities"]["changed"] != ""]
    assert changed[["judge", "sensitivity", "id"]].to_numpy().tolist() == [
        ["sol", "policy-adjusted", "J2.helpfulness"],
        ["sol", "policy-adjusted", "J2"],
    ]


def test_rows_in_another_order_give_the_same_six_digits(
    tables: dict[str, pd.DataFrame], found: dict[str, pd.DataFrame]
) -> None:
    turns = [rows.sample(frac=1, random_state=1) for _, rows in tables["per_turn"].groupby("judge", sort=False)]
    shuffled = {"per_turn": pd.concat(turns), "per_session": tables["per_session"].sample(frac=1, random_state=2)}
    again = measures(shuffled)
    for name in ("policy_means", "contrasts", "mixed", "coupling", "budget", "claims", "sensitivities"):
        pd.testing.assert_frame_equal(again[name].map(_rounded), found[name].map(_rounded))


def _rounded(value: object) -> object:
    if isinstance(value, list):
        return [float(f"{part:.6g}") for part in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def test_our_own_tables_of_the_same_turns_are_the_same(tables: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    write_tables(tmp_path, tables)
    again = read_tables([(str(tmp_path / "per_turn.csv"), str(tmp_path / "per_session.csv"))])
    for name, frame in tables.items():
        pd.testing.assert_frame_equal(again[name], frame)


def test_means_of_three_say_what_their_sums_say(shared: Path, tables: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    """The published layout, made from the sums: the same frames come back."""
    held = pd.read_csv(shared / "audit" / "sonnet_opus.csv")
    words = {0: "False", 1: "True"}
    published = pd.DataFrame(
        {
            "condition": held["condition"],
            "replicate_id": held["replicate"],
            "problem_id": held["problem"],
            "turn_index": held["turn"],
            "leaks": held["leaks"].map(words),
            "helpfulness": held["helpfulness3"] / 3,
            "pedagogy": held["pedagogy3"] / 3,
            "next_turn_independence": held["next_independent"].map(words),
            "n_model_calls": held["calls"],
            "tutor_tokens": held["tokens"],
            "branch": held["branch"],
        }
    )
    path = tmp_path / "per_turn.csv"
    published.to_csv(path, index=False)
    found = read_tables([(f"sonnet:opus={path}", str(shared / "audit" / "sonnet_per_session.csv"))])
    opus = tables["per_turn"][tables["per_turn"]["judge"] == "opus"].reset_index(drop=True)
    pd.testing.assert_frame_equal(found["per_turn"], opus)


def test_one_leak_moved_between_files_is_found(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "audit" / "sonnet_sol.csv").read_text("utf-8").splitlines()
    lines[4] = lines[4].replace("conv,0,train-1,3,0,", "conv,0,train-1,3,1,")
    moved = tmp_path / "sol.csv"
    moved.write_text("\n".join(lines) + "\n", "utf-8")
    sessions = str(shared / "audit" / "sonnet_per_session.csv")
    with pytest.raises(UserError, match=r"sol\.csv, line 5: leak of conversational, replicate 0, train-1, turn 3"):
        read_tables([(f"s:opus={shared / 'audit' / 'sonnet_opus.csv'}", sessions), (f"s:sol={moved}", sessions)])
    with pytest.raises(UserError, match=r"sonnet_per_session\.csv, line 2: leaky of conversational, replicate 0 is 4"):
        read_tables([(str(moved), sessions)])
