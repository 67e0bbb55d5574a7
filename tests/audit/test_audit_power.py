"""What a study can find: planted effects are found, nothing is found where there is nothing."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from judged_turns import (
    CLAIMS,
    CONVERSATIONAL,
    PEDAGOGICAL,
    sessions_of,
    sonnet_per_session,
    sonnet_per_turn,
    turns_of,
)
from known_runs import known, params, play
from scipy.stats import binom

from tutorscope.audit.commands import commands
from tutorscope.audit.inference.claims import Claims, load_claims
from tutorscope.audit.inference.frames import empty, parts
from tutorscope.audit.inference.observed_spread import observed_study
from tutorscope.audit.inference.power import DETECTABLE_COLUMNS, POWER_COLUMNS, detectable, power, standardised_effect
from tutorscope.audit.inference.power_study import simulated_power
from tutorscope.audit.inference.simulated import (
    PUBLISHED_EFFECTS,
    PUBLISHED_SPREAD,
    Effects,
    Shares,
    Spread,
    Study,
    simulate,
    thresholds,
)
from tutorscope.errors import UserError
from tutorscope.stats.paired import signed_ranks

NULL = Effects(
    leakage=(0.25, 0.25),
    work=(0.7, 0.7),
    work_after_leak=(0.7, 0.7),
    opening_work=(0.5, 0.5),
    helpfulness=(4.6, 4.6),
    helpfulness_of_leaks=(4.6, 4.6),
)
# No variance between sessions: that is what the crossed model supposes.
ALIKE = Spread(
    leakage=Shares(0.1, 0, 0.05),
    work=Shares(0.1, 0, 0.05),
    helpfulness=Shares(0.15, 0, 0.05),
    rating_sd=1.0,
    opening=(0.04, 0.04),
    closing=(0.1, 0.1),
    closing_after_leak=(0.1, 0.1),
)
TESTS = ("P1", "P2", "P3", "J2.helpfulness", "J2.independence")
PAIR = (CONVERSATIONAL, PEDAGOGICAL)


def big_study(effects: Effects, spread: Spread, replicates: int = 2000) -> Study:
    return simulate(thresholds(effects, spread), spread, replicates, np.random.default_rng(1))


def one_claim(**fields: str) -> Claims:
    return Claims.model_validate({"claims": [{"id": "X", **fields}]})


@pytest.fixture(scope="module")
def nothing() -> pd.DataFrame:
    return power([10], NULL, ALIKE, draws=200).set_index("claim")


@pytest.mark.parametrize("claim", TESTS)
def test_without_effect_as_many_studies_are_significant_as_chance_allows(nothing: pd.DataFrame, claim: str) -> None:
    significant = nothing.loc[claim, "supported"] + nothing.loc[claim, "reversed"]
    low, high = binom.ppf([0.005, 0.995], 200, 0.05)
    # Signed ranks of tied shares cannot use up their 5 %: few is no fault.
    assert (0 if claim.startswith("P") else low) <= significant <= high


@pytest.mark.parametrize("claim", ["J1", "J2"])
def test_without_effect_no_joint_claim_is_supported(nothing: pd.DataFrame, claim: str) -> None:
    assert nothing.loc[claim, "supported"] <= binom.ppf(0.995, 200, 0.025**2)


def test_a_planted_effect_is_found_and_nothing_else() -> None:
    planted = replace(NULL, leakage=(0.6, 0.1))
    found = power([10], planted, ALIKE, draws=30).set_index("claim")
    assert found.loc["P1", "supported"] >= 28
    assert found.loc[["P2", "P3", "J1", "J2"], "supported"].max() <= 5


def test_effects_against_the_claims_are_reversed() -> None:
    planted = replace(NULL, leakage=(0.1, 0.6), work_after_leak=(0.95, 0.95), work=(0.3, 0.3))
    found = power([10], planted, ALIKE, draws=20).set_index("claim")
    assert found.loc[["P1", "J2.independence"], "reversed"].min() >= 18
    assert found.loc["J2", "reversed"] == 0


def test_more_replicates_find_more() -> None:
    planted = replace(NULL, leakage=(0.32, 0.2))
    found = power([6, 12, 48], planted, ALIKE, one_claim(measure="leakage", direction="conversational > pedagogical",
                                                         test="signed_rank"), draws=60)  # fmt: skip
    shares = list(found["share"])
    assert shares == sorted(shares)
    assert shares[2] > shares[0] + 0.4
    assert ((found["low"] <= found["share"]) & (found["share"] <= found["high"])).all()


def test_a_study_depends_on_its_place_and_size_alone() -> None:
    short, long = (power([6, 8], draws=draws, seed=4) for draws in (6, 12))
    alone = power([8], draws=6, seed=4)
    pd.testing.assert_frame_equal(short[short["replicates"] == 8].reset_index(drop=True), alone)
    assert (long["supported"].to_numpy() >= short["supported"].to_numpy()).all()
    assert list(alone.columns) == list(POWER_COLUMNS)


@pytest.mark.parametrize("test", ["mixed_pooled", "mixed_adjusted", "clustered"])
def test_a_coupling_is_tested_as_its_claim_says(test: str) -> None:
    claims = one_claim(outcome="next_independent", direction="negative", test=test)
    planted = replace(NULL, work=(0.8, 0.8), work_after_leak=(0.3, 0.3))
    assert power([10], planted, ALIKE, claims, draws=20)["supported"].item() >= 18


def test_adjusting_for_policy_takes_away_what_the_policies_bring() -> None:
    planted = replace(NULL, leakage=(0.6, 0.05), helpfulness=(4.8, 4.2), helpfulness_of_leaks=(4.8, 4.2))
    pooled, adjusted = (
        power([10], planted, ALIKE, one_claim(outcome="helpfulness", direction="positive", test=test), draws=30)
        for test in ("mixed_pooled", "mixed_adjusted")
    )
    assert pooled["supported"].item() >= 27
    assert adjusted["supported"].item() <= 6


def test_claims_of_a_family_are_corrected() -> None:
    claim = {"direction": "conversational > pedagogical", "test": "signed_rank", "family": "f"}
    held = [{"id": name, "measure": "leakage", **claim} for name in ("A", "B", "C", "D", "E", "F")]
    corrected = Claims.model_validate({"claims": held, "families": [{"name": "f", "across": "claims"}]})
    # Six replicates: .03125 is the smallest p, and six times that is never below .05.
    assert power([6], PUBLISHED_EFFECTS, claims=corrected, draws=5)["supported"].sum() == 0
    assert power([6], PUBLISHED_EFFECTS, draws=5).set_index("claim").loc["P1", "supported"] > 0


def test_however_many_claims_ask_for_a_test_it_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(
        "tutorscope.audit.inference.power._coupling", lambda study, claim: asked.append(claim.id) or (1.0, 0.01)
    )
    ours = load_claims()
    many = tuple(ours.claim("J2.helpfulness").model_copy(update={"id": f"C{n}"}) for n in range(100))
    found = power([6], claims=ours.model_copy(update={"claims": many}), draws=10)
    assert asked == ["C0"] * 10
    assert found["supported"].tolist() == [10] * 100


def test_studies_without_a_tutor_turn_are_counted_as_such() -> None:
    silent = replace(ALIKE, opening=(1.0, 1.0))
    found = power([6], NULL, silent, draws=3).set_index("claim")
    assert found.loc[["P1", "P2", "J1", "J2"], "not_estimable"].tolist() == [3, 3, 3, 3]
    assert found.loc["P3", "not_estimable"] == 0


def test_sessions_that_differ_inflate_the_crossed_model_but_not_the_paired_test() -> None:
    apart = replace(ALIKE, leakage=Shares(0, 0.5, 0), work=Shares(0, 0.5, 0))
    coupling = one_claim(outcome="next_independent", direction="negative", test="mixed_pooled")
    paired = one_claim(measure="independence", direction="pedagogical > conversational", test="signed_rank")
    for claims, low, high in ((coupling, 0.12, 0.4), (paired, 0, 0.12)):
        found = power([10], NULL, apart, claims, draws=60)
        assert low <= (found["supported"] + found["reversed"]).item() / 60 <= high


def test_rates_and_means_come_out_as_stated() -> None:
    # Six problems are few: what they add would move the rates of all sessions of a study together.
    shares = {
        name: getattr(PUBLISHED_SPREAD, name)._replace(problem=0.0) for name in ("leakage", "work", "helpfulness")
    }
    study = big_study(PUBLISHED_EFFECTS, replace(PUBLISHED_SPREAD, **shares))
    leaks = study.leak
    for policy in (0, 1):
        assert leaks[policy].mean() == pytest.approx(PUBLISHED_EFFECTS.leakage[policy], abs=0.02)
        for leaky, work, helpful in (
            (False, PUBLISHED_EFFECTS.work, PUBLISHED_EFFECTS.helpfulness),
            (True, PUBLISHED_EFFECTS.work_after_leak, PUBLISHED_EFFECTS.helpfulness_of_leaks),
        ):
            here = leaks[policy] == leaky
            assert study.work[policy][here].mean() == pytest.approx(work[policy], abs=0.03)
            assert study.helpfulness[policy][here].mean() == pytest.approx(helpful[policy], abs=0.04)
        assert study.opening_work[policy].mean() == pytest.approx(PUBLISHED_EFFECTS.opening_work[policy], abs=0.02)


def test_windows_close_as_stated() -> None:
    study = big_study(NULL, replace(ALIKE, opening=(0.3, 0.0), closing=(0.0, 0.5), closing_after_leak=(0.0, 0.5)))
    assert study.inside[0, ..., 0].mean() == pytest.approx(0.7, abs=0.02)
    assert (study.inside[0, ..., 0] == study.inside[0, ..., 3]).all()
    assert study.inside[1].mean(axis=(0, 1)) == pytest.approx([1, 0.5, 0.25, 0.125], abs=0.02)


def test_ratings_are_means_of_whole_points_with_a_ceiling() -> None:
    study = big_study(PUBLISHED_EFFECTS, PUBLISHED_SPREAD, 300)
    thirds = study.helpfulness * 3
    assert np.allclose(thirds, np.round(thirds))
    assert study.helpfulness.max() == 5
    assert (study.helpfulness[0] == 5).mean() > 0.4


@pytest.mark.parametrize("share", ["replicate", "session", "problem"])
def test_shares_of_variance_are_recovered(share: str) -> None:
    planted = replace(ALIKE, work=Shares(0, 0, 0)._replace(**{share: 0.4}), problems=30)
    study = big_study(replace(NULL, work=(0.5, 0.5), work_after_leak=(0.5, 0.5)), planted, 120)
    policy, replicate, problem, turn = np.nonzero(study.inside)
    rows = pd.DataFrame({"policy": np.array(PAIR)[policy], "replicate": replicate, "problem": problem.astype(str)})
    turns = rows.assign(turn=turn, leak=study.leak[study.inside], next_work=study.work[study.inside])
    for rubric in ("helpfulness", "pedagogy"):
        turns = turns.assign(**{f"{rubric}_sum": (study.helpfulness[study.inside] * 3).round(), f"{rubric}_n": 3})
    turns = empty("per_turn").merge(turns, how="right").assign(judge="j", run="r", student="s", base="b", rule="sound")
    sessions = turns.groupby(["run", "student", "base", "rule", "policy", "replicate"], as_index=False).agg(
        tutor_turns=("turn", "size"), leaky=("leak", "sum"), student_turns=("turn", "size"), worked=("next_work", "sum")
    )
    part = next(parts(turns, empty("per_session").merge(sessions, how="right")))
    _, spread = observed_study(part, PAIR, "j")
    expected = {"replicate": 0.0, "session": 0.0, "problem": 0.0, share: 0.4}
    assert spread.work._asdict() == pytest.approx(expected, abs=0.12)
    assert spread.rating_sd == pytest.approx(1.0, abs=0.1)


@pytest.fixture(scope="module")
def sonnet(shared: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    return sonnet_per_session(shared), sonnet_per_turn(shared)


def test_simulated_sessions_resemble_the_published_ones(sonnet: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    effects, spread = observed_study(next(parts(sonnet[1], sonnet[0])), PAIR, "opus")
    study = big_study(effects, spread)
    turns = study.inside.sum(axis=(2, 3))
    leakage = (study.leak & study.inside).sum(axis=(2, 3)) / turns
    helpfulness = np.where(study.inside, study.helpfulness, 0).sum(axis=(2, 3)) / turns
    work = study.opening_work.sum(axis=2) + (study.work & study.inside).sum(axis=(2, 3))
    # The published means of sessions, and the deviations of the ten differences.
    for values, means, deviation in (
        (leakage, (0.4296, 0.0643), 0.256),
        (helpfulness, (4.7031, 4.7970), 0.261),
        (work / (6 + turns), (0.5799, 0.6561), 0.179),
    ):
        assert values.mean(axis=1) == pytest.approx(means, abs=0.03)
        assert (values[0] - values[1]).std() == pytest.approx(deviation, rel=0.35)


def test_the_published_defaults_are_what_the_tables_give(sonnet: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    effects, spread = observed_study(next(parts(sonnet[1], sonnet[0])), PAIR, "opus")
    for name in Effects.__dataclass_fields__:
        assert getattr(PUBLISHED_EFFECTS, name) == pytest.approx(getattr(effects, name), abs=0.006)
    for name in Spread.__dataclass_fields__:
        assert getattr(PUBLISHED_SPREAD, name) == pytest.approx(getattr(spread, name), abs=0.006)


def test_tables_without_leaks_or_spread_still_give_a_study() -> None:
    judged = pd.concat([turns_of("a", [[5, 5, 5]] * 16)]).assign(leak=False)
    sessions = sessions_of({policy: [(0, 5)] * 4 for policy in PAIR})
    effects, spread = observed_study(next(parts(judged, sessions)), PAIR, "a")
    assert effects.leakage == (0, 0)
    assert effects.helpfulness == (4.98, 4.98)
    assert len(power([6], effects, spread, draws=2)) == len(load_claims().claims)


def test_spread_needs_both_policies_rated() -> None:
    judged = turns_of("a", [[5, 5, 5]] * 16)
    sessions = sessions_of({policy: [(0, 5)] * 4 for policy in PAIR})
    with pytest.raises(UserError, match="found no turn of mine rated by a"):
        observed_study(next(parts(judged, sessions)), (CONVERSATIONAL, "mine"), "a")
    with pytest.raises(UserError, match="found one replicate, expected at least two"):
        observed_study(next(parts(judged[judged["replicate"] == 0], sessions)), PAIR, "a")


def test_ten_pairs_find_a_standard_deviation() -> None:
    assert standardised_effect(10) == pytest.approx(1.0, abs=0.05)
    effects = [standardised_effect(n) for n in (6, 10, 15, 16, 30)]
    assert effects == sorted(effects, reverse=True)
    assert math.isnan(standardised_effect(5))


@pytest.mark.parametrize("n", [8, 20])
def test_the_test_itself_finds_that_effect_four_times_in_five(n: int) -> None:
    noise = np.random.default_rng(9).standard_normal((600, n))
    found = [signed_ranks(row + standardised_effect(n), np.zeros(n)).p < 0.05 for row in noise]
    assert np.mean(found) == pytest.approx(0.8, abs=0.05)


def test_what_the_published_replicates_could_have_found(sonnet: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    found = detectable(*sonnet, CLAIMS)
    assert list(found.columns) == list(DETECTABLE_COLUMNS)
    leakage = found[found["measure"] == "leakage"].squeeze()
    assert (leakage["judge"], leakage["n"]) == ("", 10)
    assert leakage["sd"] == pytest.approx(0.25635536811358334, abs=1e-9)
    assert leakage["effect_80"] == pytest.approx(leakage["sd"] * standardised_effect(10))
    helpfulness = found[found["measure"] == "helpfulness"].set_index("judge")
    assert list(helpfulness.index) == ["opus", "sol"]
    assert helpfulness.loc["opus", "sd"] == pytest.approx(0.26065033029191287, abs=1e-9)


def test_few_replicates_and_equal_differences_have_no_detectable_effect() -> None:
    turns = turns_of("a", [[5, 5, 5]] * 28)
    few = detectable(sessions_of({policy: [(3, 5), (4, 6)] for policy in PAIR}), turns, CLAIMS)
    leakage = few[few["measure"] == "leakage"].squeeze()
    assert (leakage["state"], leakage["reason"]) == ("not_estimable", "no result of 2 replicates is significant")
    same = detectable(sessions_of({policy: [(3, 5)] * 7 for policy in PAIR}), turns, CLAIMS)
    assert set(same.loc[same["measure"].isin(["leakage", "helpfulness"]), "reason"]) == {
        "the replicates' differences do not vary"
    }


def test_only_replicates_of_both_policies_count() -> None:
    shares = {CONVERSATIONAL: [(n % 5, 5) for n in range(9)], PEDAGOGICAL: [(0, 5)] * 7}
    found = detectable(sessions_of(shares), turns_of("a", [[5]] * 28), CLAIMS)
    assert found.loc[found["measure"] == "leakage", "n"].item() == 7


def test_a_replicate_without_any_value_is_no_replicate() -> None:
    sessions = sessions_of({policy: [(0, 5)] * 7 for policy in PAIR}).assign(tutor_tokens=None)
    found = detectable(sessions, turns_of("a", [[5]] * 28), CLAIMS)
    tokens = found[found["measure"] == "tutor_tokens"].squeeze()
    assert (tokens["n"], tokens["reason"]) == (0, "no replicate has a value under both policies")


def test_a_run_that_gives_no_spread_is_named(tmp_path: Path) -> None:
    play(tmp_path / "small", params(policy=PAIR, replicates=2, rounds=1), known(tmp_path))
    with pytest.raises(UserError, match="run small, base T: found one problem, expected at least two"):
        simulated_power("6", 10, 0, like=tmp_path / "small")


def test_the_command_prints_two_decimals_and_gives_programs_all() -> None:
    (command,) = [command for command in commands() if command.name == "power"]
    said = CliRunner().invoke(command, ["--replicates", "6", "--studies", "10"]).output
    assert all(re.fullmatch(r"[01]\.\d\d", word) for line in said.splitlines()[1:] for word in line.split()[4:7])
    told = CliRunner().invoke(command, ["--replicates", "6", "--studies", "10", "--json"]).output
    assert any(len(str(row["low"])) > 6 for row in json.loads(told))


def test_what_is_not_simulated_is_refused() -> None:
    with pytest.raises(UserError, match="claim X: pedagogy is not simulated, expected leakage"):
        power([6], claims=one_claim(measure="pedagogy", direction="conversational > pedagogical", test="signed_rank"))
    with pytest.raises(UserError, match="claim X: pedagogy is not simulated, expected helpfulness"):
        power([6], claims=one_claim(outcome="pedagogy", direction="positive", test="clustered"))


@pytest.mark.parametrize(("replicates", "draws", "said"), [([1], 5, "replicates: found 1"), ([6], 0, "draws: found 0")])
def test_studies_that_cannot_be_are_refused(replicates: list[int], draws: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        power(replicates, draws=draws)


def test_impossible_effects_and_spread_are_refused() -> None:
    with pytest.raises(UserError, match=r"effects, leakage: found 1\.2, expected a number from 0 to 1"):
        replace(NULL, leakage=(0.5, 1.2))
    with pytest.raises(UserError, match=r"effects, helpfulness: found 5, expected a number from 1\.02 to 4\.98"):
        replace(NULL, helpfulness=(5.0, 4.0))
    with pytest.raises(UserError, match="spread, work: found shares"):
        replace(ALIKE, work=Shares(0.5, 0.5, 0.0))
    with pytest.raises(UserError, match="spread, closing: found"):
        replace(ALIKE, closing=(0.5, -0.1))
    with pytest.raises(UserError, match="at least 2 problems"):
        replace(ALIKE, problems=1)
