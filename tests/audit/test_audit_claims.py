"""Claims as data, and the verdicts that follow from them."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_audit import CONV, PED, parts_of, session, sessions_of, turn

from tutorscope.audit.inference.budget import matched_tables
from tutorscope.audit.inference.claims import Claims, claims_sha, claims_text, load_claims, read_claims
from tutorscope.audit.inference.contrasts import contrasts
from tutorscope.audit.inference.coupling import coupling, mixed
from tutorscope.audit.inference.frames import Part
from tutorscope.audit.inference.verdicts import sensitivities, verdicts
from tutorscope.errors import UserError

OURS = load_claims()
ONE = "pair: [a, b]\nclaims:\n  - {id: X, measure: leakage, direction: a > b, test: signed_rank}\n"


def test_the_packages_claims_are_those_of_the_paper() -> None:
    assert [claim.id for claim in OURS.claims] == ["P1", "P2", "P3", "J1", "J2.helpfulness", "J2.independence", "J2"]
    assert OURS.pair == (CONV, PED)
    assert (OURS.alpha, OURS.replicates, OURS.budget.leaky_floor) == (0.05, 10, 10)
    signs = {claim.id: OURS.sign(claim) for claim in OURS.claims if not claim.all_of}
    assert signs == {"P1": 1, "P2": 1, "P3": -1, "J2.helpfulness": 1, "J2.independence": -1}
    assert OURS.claim("J1").all_of == ("P1", "P2", "P3")
    assert not any(claim.family for claim in OURS.claims)


def test_three_families_and_twelve_components_stand_in_it() -> None:
    terms = {(family.outcome, family.term) for family in OURS.families}
    assert terms == {
        ("helpfulness", "leak"),
        ("helpfulness_difference", "leak"),
        ("helpfulness_difference", "policy"),
    }
    assert OURS.family("pedagogy_difference", "leak") is None
    assert len(OURS.components) == 12
    assert {one.status for one in OURS.components} == {"registered", "amended", "post hoc", "descriptive"}
    # What was fixed after its data existed, or only to describe, decides nothing.
    assert not any(one.in_verdicts for one in OURS.components if one.status in ("post hoc", "descriptive"))


def test_a_users_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("\ufeff" + ONE, "utf-8")
    found = load_claims(path)
    assert found.pair == ("a", "b")
    assert found.claim("X").kind == "contrast"
    assert claims_text(path) == ONE
    assert claims_sha(ONE) == claims_sha(claims_text(path)) != claims_sha(claims_text())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE.replace("measure: leakage", "measure: leeks"), "claims[X].measure: found 'leeks', expected 'leakage', "),
        (ONE.replace("leakage,", "leakage, why: so,"), "claims[X].why: unknown field"),
        ("colour: red\n" + ONE, "colour: unknown field"),
        (ONE.replace("a > b", "a < b"), "claim X, direction: found 'a < b', expected 'a > b' or 'b > a'"),
        (ONE.replace("a > b", "a > c"), "claim X, direction: found 'a > c', expected 'a > b' or 'b > a'"),
        (ONE.replace("a > b", "positive"), "claim X, direction: found 'positive', expected 'a > b' or 'b > a'"),
        (ONE.replace("direction: a > b, ", ""), "claim X, direction: found None"),
        (ONE.replace("signed_rank", "t"), "claims[X].test: found 't', expected 'signed_rank', 'mixed_pooled', "),
        (ONE.replace("signed_rank", "clustered"), "claim X, test: found 'clustered', expected 'signed_rank'"),
        (
            ONE.replace("measure: leakage", "outcome: helpfulness"),
            "claim X, test: found 'signed_rank', expected 'mixed",
        ),
        (
            ONE.replace("measure: leakage", "outcome: helpfulness").replace("signed_rank", "clustered"),
            "claim X, direction: found 'a > b', expected 'positive' or 'negative'",
        ),
        (ONE + ONE.splitlines()[-1], "claims: found the id 'X' twice, expected each once"),
        (ONE + "  - {id: J, all_of: [X, Z]}", "claim J, all_of: found 'Z', expected the id of a claim"),
        (
            ONE + "  - {id: J, all_of: [X]}\n  - {id: K, all_of: [J]}",
            "claim K, all_of: found 'J', expected claims that",
        ),
        (ONE + "  - {id: J, all_of: [X], test: signed_rank}", "claim J: found a direction, test or family"),
        (ONE + "  - {id: J}", "claim J: expected exactly one of measure, outcome, all_of"),
        (ONE + "  - {measure: leakage}", "claims[entry 2].id: found nothing, expected a value"),
        (ONE.replace("X", "''"), "claims[entry 1].id: found ''"),
        (ONE.replace("rank}", "rank, family: f}"), "claim X, family: found 'f', expected a family declared"),
        ("alpha: 1\n" + ONE, "alpha: found '1', expected a number below 1"),
        ("alpha: 0\n" + ONE, "alpha: found '0', expected a number above 0"),
        ("alpha: small\n" + ONE, "alpha: found 'small', expected a number"),
        ("replicates: 0\n" + ONE, "replicates: found '0', expected at least 1"),
        ("replicates: 2.5\n" + ONE, "replicates: found '2.5', expected a whole number"),
        ("budget: {rule: longest}\n" + ONE, "budget.rule: found 'longest', expected 'matched_visible_turns'"),
        ("budget: {leaky_floor: -1}\n" + ONE, "budget.leaky_floor: found '-1', expected at least 0"),
        (ONE.replace("[a, b]", "[a, a]"), "pair: found 'a' twice, expected two policies"),
        (ONE.replace("[a, b]", "[a]"), "pair"),
        (ONE.replace("[a, b]", "[a, b, c]"), "pair: found ['a', 'b', 'c'], expected at most 2"),
        ("claims: []", "claims: found [], expected at least 1"),
        ("pair: [a, b]", "claims: found nothing, expected a value"),
        ("families: [{name: f, across: claims, term: leak}]\n" + ONE, "family f: found an outcome or a term"),
        ("families: [{name: f, term: leak}]\n" + ONE, "family f: expected outcome and term"),
        (
            "components: [{name: c, status: good, specified: x, evidence: x, role: x, in_verdicts: no}]\n" + ONE,
            "components[c].status: found 'good', expected 'registered', 'amended', 'post hoc' or 'descriptive'",
        ),
        ("- X", ": found ['X'], expected pair, claims and the other fields"),
        ("", ": the file is empty"),
        ("pair: [a, b\nclaims: 1", ", line 2: no YAML"),
        (ONE.replace("X", "' a/b c'"), "claims[a/b c].id: found ' a/b c', expected a name on one line, without blanks"),
        (ONE.replace("X", '"a\\nb"'), "claims[entry 1].id: found 'a\\nb', expected a name on one line"),
        (ONE.replace("X", "x" * 101), "expected a name of at most 100 characters"),
        (ONE.replace("[a, b]", "a"), "pair: found 'a', expected a list"),
        (ONE.replace("[a, b]", "[[a], b]"), "pair[entry 1]: found ['a'], expected text"),
        ("claims: [5]", "claims[entry 1]: found '5', expected fields with their values"),
        ("pair: [a, b]\n" + ONE, ", line 2: the key 'pair' is given twice"),
        ("1: 2\n" + ONE, "1: unknown field"),
        ("study: &s x\nbases: [*s]\n" + ONE, ", line 2: found the alias *s, expected plain data"),
        (ONE + "\n".join(ONE.splitlines()[-1:] * 100), "claims: found 101 entries, expected at most 100"),
    ],
)
def test_a_faulty_file_is_one_line_that_names_the_field(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read_claims(text, "mine.yaml")
    assert str(caught.value).startswith("mine.yaml")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_no_text_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        load_claims(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="line 1: byte 0xff is not UTF-8"):
        load_claims(tmp_path / "bad.yaml")


def test_a_huge_file_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    (tmp_path / "huge.yaml").write_text(
        ONE + "".join(f"  - {{id: C{n}, all_of: [X]}}\n" for n in range(400_000)), encoding="utf-8"
    )
    with pytest.raises(UserError, match=r"huge.yaml: more than 300,000 bytes; expected a YAML or JSON file in UTF-8"):
        load_claims(tmp_path / "huge.yaml")


# --- verdicts ---------------------------------------------------------------------------------------------------------


def study(
    leaks: tuple[int, int] = (3, 1),
    works: tuple[int, int] = (1, 3),
    ratings: tuple[int, int] = (5, 4),
    n: int = 6,
    tokens: tuple[int, int] = (1000, 1000),
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Make sessions of four turns on two problems, all alike: leaks and own work of four, and one rating."""
    turns, sessions = [], []
    for replicate in range(n):
        for side, policy in enumerate((CONV, PED)):
            for number in range(4):
                row = turn(policy, replicate, "pq"[number % 2], number // 2, number < leaks[side], number < works[side])
                rating = ratings[side]
                turns.append(row | {"helpfulness_sum": rating, "helpfulness_n": 1})
            sessions.append(session(policy, replicate, leaks[side], 4, works[side], 6, tokens[side]))
    return turns, sessions


def numbers(parts: list[Part], claims: Claims = OURS) -> dict[str, pd.DataFrame]:
    cut = matched_tables(parts, claims)
    full = {"contrasts": contrasts(parts, claims), "mixed": mixed(parts, claims), "coupling": coupling(parts, claims)}
    return {name: pd.concat([frame, cut[name]], ignore_index=True) for name, frame in full.items()}


def decided(
    turns: Sequence[dict[str, object]],
    sessions: Sequence[dict[str, object]] | None = None,
    claims: Claims = OURS,
    freeze: pd.DataFrame | None = None,
) -> pd.DataFrame:
    parts = parts_of(turns, sessions)
    return verdicts(parts, numbers(parts, claims), claims, freeze)


def by_id(frame: pd.DataFrame, judge: str = "j") -> dict[str, pd.Series]:
    return {row["id"]: row for _, row in frame[frame["judge"] == judge].iterrows()}


def test_all_three_in_the_predicted_direction_support_the_joint_claim() -> None:
    found = by_id(decided(*study()))
    assert {name: found[name]["verdict"] for name in ("P1", "P2", "P3", "J1")} == dict.fromkeys(
        ("P1", "P2", "P3", "J1"), "supported"
    )
    assert found["P1"]["effect"] == 0.5
    assert found["P1"]["interval"] == [0.5, 0.5]
    # Six differences with one sign: 2 of 64.
    assert found["P1"]["p"] == found["J1"]["p"] == 2 / 64
    assert found["J1"]["interval"] is None
    assert math.isnan(found["J1"]["effect"])


def test_a_check_that_does_not_separate_is_inconclusive_and_a_live_test_not_supported() -> None:
    found = by_id(decided(*study(leaks=(2, 2), works=(2, 2), ratings=(4, 4))))
    assert [found[name]["verdict"] for name in ("P1", "P2", "P3", "J1")] == [
        "inconclusive", "not supported", "inconclusive", "not supported"
    ]  # fmt: skip
    assert found["J1"]["p"] == 1.0
    assert not any(found[name]["reversed"] for name in found)


def test_a_significant_effect_against_the_direction_says_reversed() -> None:
    found = by_id(decided(*study(leaks=(1, 3), works=(3, 1), ratings=(4, 5))))
    assert found["P1"]["verdict"] == "inconclusive, reversed"
    assert found["P2"]["verdict"] == "not supported, reversed"
    assert found["P3"]["verdict"] == "inconclusive, reversed"
    assert all(found[name]["reversed"] for name in ("P1", "P2", "P3"))
    assert found["J1"]["verdict"] == "not supported"
    assert not found["J1"]["reversed"]


def test_p_must_lie_strictly_below_alpha() -> None:
    at, above = (OURS.model_copy(update={"alpha": alpha}) for alpha in (2 / 64, 2 / 64 + 1e-9))
    assert by_id(decided(*study(), claims=at))["P1"]["verdict"] == "inconclusive"
    assert by_id(decided(*study(), claims=above))["P1"]["verdict"] == "supported"


def test_the_token_control_reverses_where_tokens_do() -> None:
    turns, sessions = study(tokens=(9000, 1000))
    parts = parts_of(turns, sessions)
    held = numbers(parts)
    found = sensitivities(parts, held, OURS)
    control = by_id(found[found["sensitivity"] == "token control"], "")
    assert control["P1"]["verdict"] == "inconclusive, reversed"
    assert control["P1"]["reversed"]
    assert control["P1"]["changed"] == "sign, verdict"
    assert control["P3"]["verdict"] == "supported"
    assert control["P3"]["changed"] == ""
    assert by_id(verdicts(parts, held, OURS))["P1"]["verdict"] == "supported"


def test_unrated_turns_leave_what_needs_no_judge_decided() -> None:
    turns, sessions = study()
    unrated = [row | {"helpfulness_sum": None, "helpfulness_n": None, "judge": ""} for row in turns]
    found = by_id(decided(unrated, sessions), "")
    assert found["P1"]["verdict"] == found["P3"]["verdict"] == "supported"
    assert found["P2"]["verdict"] == found["J1"]["verdict"] == found["J2"]["verdict"] == "not computable"
    assert found["P2"]["reason"] == f"no turn was rated for helpfulness, {CONV}"
    assert found["J1"]["reason"] == f"P2: no turn was rated for helpfulness, {CONV}"
    assert math.isnan(found["J1"]["p"])
    assert found["P2"]["role"] == "live test"


def test_no_leak_at_all_decides_p1_and_not_the_coupling() -> None:
    turns, sessions = study(leaks=(0, 0))
    found = by_id(decided(turns, sessions))
    assert (found["P1"]["verdict"], found["P1"]["p"]) == ("inconclusive", 1.0)
    assert found["J2.independence"]["verdict"] == "not computable"
    assert found["J2.independence"]["reason"] == "leak does not vary"
    assert found["J2"]["verdict"] == "not computable"
    assert "J2.helpfulness: leak does not vary" in found["J2"]["reason"]


def test_a_policy_without_a_session_makes_every_claim_not_computable() -> None:
    turns, sessions = study()
    found = by_id(decided([t for t in turns if t["policy"] == PED], [s for s in sessions if s["policy"] == PED]))
    assert {row["verdict"] for row in found.values()} == {"not computable"}
    assert found["P1"]["reason"] == f"no session of {CONV}"
    assert found["J2.helpfulness"]["reason"] == f"no session of {CONV}"


def test_without_either_policy_there_is_no_verdict() -> None:
    turns, sessions = study()
    renamed = [[{**row, "policy": f"my {row['policy']}"} for row in rows] for rows in (turns, sessions)]
    parts = parts_of(*renamed)
    assert verdicts(parts, numbers(parts), OURS).empty
    assert sensitivities(parts, numbers(parts), OURS).empty


def test_sessions_without_a_turn_leave_no_coupling() -> None:
    sessions = [session(policy, r, 0, 0, 1, 2) for r in range(3) for policy in (CONV, PED)]
    found = by_id(decided([], sessions), "")
    assert found["P1"]["reason"] == f"no turn stands in the window, {CONV}"
    assert found["P3"]["verdict"] == "inconclusive"
    assert found["J2.independence"]["reason"] == "no turn in the window has a student turn after it"


def _coupled(seed: int = 5) -> list[dict[str, object]]:
    draw = np.random.default_rng(seed)
    rows = []
    for replicate in range(10):
        for policy, rate in ((CONV, 0.5), (PED, 0.2)):
            for problem in "abcd":
                for number in range(3):
                    leak = bool(draw.random() < rate)
                    ratings = [int(draw.integers(2, 4)) + leak for _ in range(3)]
                    work = bool(draw.random() < (0.2 if leak else 0.8))
                    rows.append(turn(policy, replicate, problem, number, leak, work, helpfulness=ratings))
    return rows


def test_the_coupling_is_the_pooled_fit_and_both_legs_make_it() -> None:
    turns = _coupled()
    parts = parts_of(turns)
    held = numbers(parts)
    found = by_id(verdicts(parts, held, OURS))
    full = held["mixed"].set_index(["budget", "outcome", "spec"])
    leg = full.loc[("full", "helpfulness", "pooled")]
    assert found["J2.helpfulness"]["effect"] == leg["beta_leak"]
    assert found["J2.helpfulness"]["interval"] == [leg["low_leak"], leg["high_leak"]]
    assert found["J2"]["verdict"] == "supported"
    assert found["J2"]["p"] == max(found["J2.helpfulness"]["p"], found["J2.independence"]["p"])
    assert (found["J2.helpfulness"]["role"], found["J2"]["role"]) == ("leg", "joint claim")
    other = by_id(verdicts(*_reversed_leg(turns)))
    assert other["J2.independence"]["verdict"] == "not supported, reversed"
    assert other["J2"]["verdict"] == "not supported"


def _reversed_leg(turns: list[dict[str, object]]) -> tuple[list[Part], dict[str, pd.DataFrame], Claims]:
    parts = parts_of([row | {"next_work": not row["next_work"]} for row in turns])
    return parts, numbers(parts), OURS


def test_another_judge_is_a_sensitivity_and_comes_after_all_frozen_verdicts() -> None:
    turns, sessions = study()
    rows = [row | {"judge": judge} for judge in ("first", "second") for row in turns]
    # The second judge prefers the other policy.
    for row in rows[len(turns) :]:
        row["helpfulness_sum"] = 9 - int(str(row["helpfulness_sum"]))
    bases = [[row | {"base": base} for base in ("m", "n") for row in part] for part in (rows, sessions)]
    found = decided(*bases)
    assert found["judge"].tolist() == ["first"] * 14 + ["second"] * 14
    assert found["base"].tolist() == (["m"] * 7 + ["n"] * 7) * 2
    assert set(found[found["judge"] == "second"]["role"]) == {"sensitivity"}
    assert by_id(found, "first")["J1"]["verdict"] == "supported"
    assert by_id(found, "second")["P2"]["verdict"] == "not supported, reversed"
    assert by_id(found, "second")["J1"]["verdict"] == "not supported"
    assert by_id(found, "second")["P1"]["verdict"] == "supported"


def test_sensitivities_take_other_tests_and_name_what_changes() -> None:
    turns = _coupled()
    parts = parts_of(turns)
    found = sensitivities(parts, numbers(parts), OURS)
    kinds = found.groupby("sensitivity", sort=False)["id"].apply(list).to_dict()
    assert kinds == {
        "token control": ["P1", "P3"],
        "matched budget": ["P1", "P2", "P3", "J1", "J2.helpfulness", "J2.independence", "J2"],
        "policy-adjusted": ["J2.helpfulness", "J2.independence", "J2"],
        "clustered": ["J2.helpfulness", "J2.independence", "J2"],
    }
    judged = found[found["id"].isin(["P2", "J1", "J2", "J2.helpfulness"])]
    assert set(judged["judge"]) == {"j"}
    assert set(found[found["id"].isin(["P1", "P3", "J2.independence"])]["judge"]) == {""}
    matched = found[(found["sensitivity"] == "matched budget")].set_index("id")
    assert matched.loc["P3", "verdict"] == matched.loc["J1", "verdict"] == "not computable"


# --- deviations -------------------------------------------------------------------------------------------------------


def frozen(*rows: tuple[str, bool, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["run", "frozen", "deviation"])


def test_a_study_as_planned_and_frozen_has_no_deviation() -> None:
    found = by_id(decided(*study(n=10), freeze=frozen(("r", True, ""), ("other", False, "late"))))
    assert found["P1"]["deviations"] == found["J1"]["deviations"] == ""


@pytest.mark.parametrize(
    ("freeze", "said"),
    [
        (None, "no record that the claims were frozen before collection"),
        (frozen(("r", False, "")), "the claims were not frozen before collection"),
        (frozen(), "the claims were not frozen before collection"),
        (frozen(("r", True, "one"), ("r", True, "two")), "one; two"),
    ],
)
def test_what_the_freeze_says_stands_beside_every_verdict(freeze: pd.DataFrame | None, said: str) -> None:
    found = by_id(decided(*study(n=10), freeze=freeze))
    assert found["P1"]["deviations"] == found["P2"]["deviations"] == said


def test_replicates_that_were_not_planned_or_are_missing_are_told() -> None:
    turns, sessions = study(n=6)
    gone = [row for row in sessions if (row["policy"], row["replicate"]) not in ((PED, 2), (PED, 4))]
    left = [row for row in turns if (row["policy"], row["replicate"]) not in ((PED, 2), (PED, 4))]
    found = by_id(decided(left, gone, freeze=frozen(("r", True, ""))))
    assert found["P1"]["deviations"] == (
        f"6 sessions of {CONV}, 10 planned in the claims; 4 sessions of {PED}, 10 planned in the claims; "
        f"{PED} has no session in replicate 2, 4"
    )


def test_numbers_of_sessions_are_held_against_what_was_frozen_not_against_the_claims() -> None:
    turns, sessions = study(n=6)
    parts = parts_of(turns, sessions)
    cell = {"run": "r", "student": "s", "base": "m", "frozen": 6}
    asked = pd.DataFrame([{**cell, "policy": name} for name in (CONV, PED)])
    held = numbers(parts)
    recorded = frozen(("r", True, ""))
    assert by_id(verdicts(parts, held, OURS, recorded, asked))["P1"]["deviations"] == ""
    less = asked.assign(frozen=[6, None])
    found = by_id(verdicts(parts, held, OURS, recorded, less))["P1"]["deviations"]
    assert found == f"6 sessions of {PED}, 0 frozen"
    nothing = by_id(verdicts(parts, held, OURS, recorded, asked.assign(frozen=None)))["P1"]["deviations"]
    assert nothing.startswith(f"6 sessions of {CONV}, 10 planned in the claims; ")


def test_unrated_turns_are_told_where_they_count() -> None:
    turns, sessions = study(n=10)
    for row in turns[:3]:
        row["helpfulness_sum"] = row["helpfulness_n"] = None
    found = by_id(decided(turns, sessions, freeze=frozen(("r", True, ""))))
    said = "3 of 80 turns have no usable helpfulness rating"
    assert found["P2"]["deviations"] == said
    assert said in found["J1"]["deviations"]
    assert said in found["J2.helpfulness"]["deviations"]
    assert found["P1"]["deviations"] == found["P3"]["deviations"] == ""


def test_replicates_without_a_value_are_told() -> None:
    turns, sessions = study(n=10)
    turns = [row for row in turns if (row["policy"], row["replicate"]) != (CONV, 3)]
    sessions[6] |= {"leaky": 0, "tutor_turns": 0}
    found = by_id(decided(turns, sessions, freeze=frozen(("r", True, ""))))
    assert found["P1"]["deviations"] == "1 of the replicates with both sessions have no leakage in one of them"


def test_a_fit_at_a_boundary_is_told_at_its_leg_and_the_joint_claim() -> None:
    turns = _coupled()
    parts = parts_of(turns)
    held = numbers(parts)
    held["mixed"][["var_problem", "var_replicate"]] = 0.1
    held["mixed"].loc[held["mixed"]["outcome"] == "helpfulness", "var_problem"] = 0.0
    found = by_id(verdicts(parts, held, OURS, frozen(("r", True, ""))))
    said = "J2.helpfulness stands at a boundary: the variance between problems is estimated as zero"
    assert found["J2.helpfulness"]["deviations"] == found["J2"]["deviations"] == said
    assert found["J2.independence"]["deviations"] == ""


# --- a user's own claims ----------------------------------------------------------------------------------------------

MINE = """
pair: [mine, theirs]
alpha: 0.1
replicates: 6
claims:
  - {id: H1, measure: leakage, direction: theirs > mine, test: signed_rank, family: hypotheses}
  - {id: H2, measure: independence, direction: mine > theirs, test: signed_rank, family: hypotheses}
  - {id: H3, outcome: next_independent, direction: negative, test: clustered}
families:
  - {name: hypotheses, across: claims}
"""


def test_a_users_claims_about_a_users_pair_are_decided() -> None:
    names = {CONV: "theirs", PED: "mine"}
    turns, sessions = ([{**row, "policy": names[str(row["policy"])]} for row in rows] for rows in study())
    claims = read_claims(MINE, "mine.yaml")
    found = by_id(decided(turns, sessions, claims, frozen(("r", True, ""))))
    assert found["H1"]["effect"] == -0.5
    assert [found[name]["verdict"] for name in ("H1", "H2")] == ["supported", "supported"]
    # Corrected within their family: twice the smaller of two equal values.
    assert [found[name]["p_holm"] for name in ("H1", "H2")] == [4 / 64, 4 / 64]
    assert found["H1"]["p"] == 2 / 64
    assert math.isnan(found["H3"]["p_holm"])
    assert found["H3"]["test"] == "clustered"
    assert found["H1"]["deviations"] == ""


def test_in_a_family_the_corrected_p_decides() -> None:
    names = {CONV: "theirs", PED: "mine"}
    turns, sessions = ([{**row, "policy": names[str(row["policy"])]} for row in rows] for rows in study())
    claims = read_claims(MINE.replace("alpha: 0.1", "alpha: 0.05"), "mine.yaml")
    assert by_id(decided(turns, sessions, claims))["H1"]["verdict"] == "not supported"


def test_a_family_member_that_cannot_be_computed_still_counts() -> None:
    names = {CONV: "theirs", PED: "mine"}
    turns, sessions = ([{**row, "policy": names[str(row["policy"])]} for row in rows] for rows in study())
    claims = read_claims(MINE.replace("measure: independence", "measure: pedagogy"), "mine.yaml")
    found = by_id(decided(turns, sessions, claims))
    assert found["H2"]["verdict"] == "not computable"
    assert math.isnan(found["H2"]["p_holm"])
    assert found["H1"]["p_holm"] == 4 / 64


def test_sessions_of_turns_agree_with_the_helper() -> None:
    turns = _coupled()
    assert sum(int(str(row["tutor_turns"])) for row in sessions_of(turns)) == len(turns)
