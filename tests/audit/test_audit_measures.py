"""All tables of numbers from small tables: which claims hold for which run, and studies of every odd shape."""

import pandas as pd
import pytest
from small_audit import CONV, PED, session, tables, turn

from tutorscope.audit.inference.claims import claims_text
from tutorscope.audit.inference.frames import empty
from tutorscope.audit.measures import measures
from tutorscope.errors import UserError

NAMES = {
    *("matched_contrasts", "matched_mixed", "matched_coupling"),
    *("policy_means", "contrasts", "mixed", "coupling", "budget", "claims", "sensitivities"),
    *("judge_agreement", "judge_interactions", "difference_of_differences", "ceilings", "detectable"),
}
OWN = "pair: [mine, theirs]\nclaims:\n  - {id: H, measure: leakage, direction: mine > theirs, test: signed_rank}\n"


def small(run: str = "r", policies: tuple[str, str] = (CONV, PED)) -> list[dict[str, object]]:
    return [
        turn(policy, replicate, problem, 0, leak=policy == policies[0], helpfulness=[4, 5, 3 + replicate], run=run)
        for policy in policies
        for replicate in (0, 1)
        for problem in "ab"
    ]


def sessions(run: str = "r", policies: tuple[str, str] = (CONV, PED)) -> list[dict[str, object]]:
    return [
        session(policy, replicate, 2 * (policy == policies[0]), 2, 2, 4, run=run)
        for policy in policies
        for replicate in (0, 1)
    ]


def test_every_table_is_there_and_knows_its_run() -> None:
    found = measures(tables(small(), sessions()))
    assert set(found) == NAMES
    assert found["claims"]["run"].unique().tolist() == ["r"]
    assert found["claims"]["id"].tolist() == ["P1", "P2", "P3", "J1", "J2.helpfulness", "J2.independence", "J2"]


def test_a_run_without_anything_gives_every_table_empty() -> None:
    found = measures({"per_turn": empty("per_turn"), "per_session": empty("per_session")})
    assert set(found) == NAMES
    assert all(frame.empty and len(frame.columns) for frame in found.values())


def test_each_run_is_decided_by_the_claims_that_it_kept() -> None:
    other = ("mine", "theirs")
    held = tables([*small(), *small("s", other)], [*sessions(), *sessions("s", other)])
    file = pd.DataFrame({"run": ["s", "r"], "yaml": [OWN, claims_text()]})
    freeze = pd.DataFrame({"run": ["r", "s"], "frozen": [True, True], "deviation": ["", ""]})
    found = measures(held | {"claims_file": file, "freeze": freeze})["claims"]
    assert found.groupby("run", sort=False)["id"].apply(list).to_dict() == {
        "r": ["P1", "P2", "P3", "J1", "J2.helpfulness", "J2.independence", "J2"],
        "s": ["H"],
    }
    assert not found["deviations"].str.contains("frozen").any()


def test_claims_that_come_with_the_analysis_hold_for_every_run_and_say_so() -> None:
    other = ("mine", "theirs")
    held = tables(small(policies=other), sessions(policies=other))
    freeze = pd.DataFrame({"run": ["r"], "frozen": [True], "deviation": [""]})
    file = pd.DataFrame({"run": [""], "yaml": [OWN]})
    (row,) = measures(held | {"claims_file": file, "freeze": freeze})["claims"].to_dict("records")
    assert (row["id"], row["effect"], row["p"]) == ("H", 1.0, 0.5)
    assert "these claims were given at the analysis" in row["deviations"]


def test_a_runs_claims_that_cannot_be_read_name_the_run() -> None:
    held = tables(small(), sessions()) | {"claims_file": pd.DataFrame({"run": ["r"], "yaml": ["claims: 1"]})}
    with pytest.raises(UserError, match="claims of r, claims: found '1', expected a list"):
        measures(held)


def test_a_contrast_of_the_analysis_with_a_policy_that_is_not_there_is_refused() -> None:
    from tutorscope.audit.inference.claims_input import with_contrasts

    held = tables(small(), sessions())
    with pytest.raises(UserError, match=f"--contrast {CONV},nosuch: no policy 'nosuch'; there are: {CONV}, {PED}"):
        with_contrasts(held, [f"{CONV},nosuch"])
    assert len(with_contrasts(held, [f"{PED},{CONV}"])["asked_contrasts"]) == 1


def test_asked_contrasts_are_marked() -> None:
    asked = pd.DataFrame({"run": [""], "first": [PED], "second": [CONV]})
    found = measures(tables(small(), sessions()) | {"asked_contrasts": asked})["contrasts"]
    assert set(found[found["asked"]]["first"]) == {PED}


def test_student_turns_make_the_matched_independence_contrast() -> None:
    key = {"run": "r", "student": "s", "base": "m", "rule": "sound"}
    students = pd.DataFrame(
        [
            {**key, "policy": policy, "replicate": r, "problem": problem, "place": place, "work": policy == PED}
            for policy in (CONV, PED)
            for r in (0, 1)
            for problem in "ab"
            for place in (0, 1)
        ]
    )
    found = measures(tables(small(), sessions()) | {"student_turns": students})["matched_contrasts"]
    row = found[found["measure"] == "independence"].iloc[0]
    assert (row["state"], row["mean_difference"], row["n"]) == ("estimated", -1.0, 2)


def test_policies_that_are_their_own_base_are_measured_at_base_own() -> None:
    turns = [row | {"base": "", "policy": "mine"} for row in small() if row["policy"] == CONV]
    held = tables(turns, [row | {"base": "", "policy": "mine"} for row in sessions() if row["policy"] == CONV])
    found = measures(held)
    assert set(found["policy_means"]["base"]) == {"own"}
    assert found["claims"].empty


def test_a_missing_column_is_one_line() -> None:
    held = tables(small(), sessions())
    with pytest.raises(UserError, match="table per_session: the column leaky is missing"):
        measures(held | {"per_session": held["per_session"].drop(columns="leaky")})
