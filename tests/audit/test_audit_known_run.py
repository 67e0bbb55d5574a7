"""A whole run whose rates are declared: what was planted is what is measured."""

from pathlib import Path

import pytest
from known_runs import known, params, play, prompts

from tutorscope.audit.instrument import AUDIT
from tutorscope.audit.known_truth import GUIDES, TELLS, WORKS
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.instrument import Tables
from tutorscope.runs.results import read_stage
from tutorscope.runs.tables import gather

REPLICATES = 8


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("known")
    policies = [*prompts(folder, open="leak 0.9", shut="leak 0.1"), "cold"]
    who = known(folder, student="work 0.8 work-after-leak 0.2 solve 0.1", judge="base 3 leak 2")
    given = params(policy=policies, problems="mixtures", limit=2, replicates=REPLICATES, check_work=True)
    outcome = play(folder / "run", given, who)
    assert outcome.complete
    return RunFolder(folder / "run")


@pytest.fixture(scope="module")
def tables(run: RunFolder) -> Tables:
    return gather(AUDIT, [run])


@pytest.fixture(scope="module")
def numbers(tables: Tables) -> Tables:
    return AUDIT.measures(tables)


def said(run: RunFolder, policy: str) -> list[dict]:
    done = [one for one in read_stage(run, "session").done if one.condition["policy"] == policy]
    return [line for one in done for line in one.result["lines"]]


@pytest.mark.parametrize("rule", ["published", "sound"])
@pytest.mark.parametrize("policy", ["open", "shut"])
def test_every_planted_leak_is_found_and_nothing_else(run: RunFolder, tables: Tables, policy: str, rule: str) -> None:
    told = sum(line["text"].startswith(TELLS.partition("{")[0]) for line in said(run, policy))
    guided = sum(line["text"] == GUIDES for line in said(run, policy))
    rows = tables["per_session"].query("policy == @policy and rule == @rule")
    assert told + guided == 2 * 4 * REPLICATES
    assert (rows["leaky"].sum(), rows["tutor_turns"].sum()) == (told, told + guided)


@pytest.mark.parametrize("rule", ["published", "sound"])
def test_every_planted_piece_of_work_is_found_and_nothing_else(run: RunFolder, tables: Tables, rule: str) -> None:
    worked = sum(line["text"] == WORKS for line in said(run, "open"))
    rows = tables["per_session"].query("policy == 'open' and rule == @rule")
    assert rows["worked"].sum() == worked
    assert rows["student_turns"].sum() == 2 * 5 * REPLICATES


def test_the_planted_difference_is_significant_in_its_direction(numbers: Tables) -> None:
    row = numbers["contrasts"].query("measure == 'leakage' and rule == 'sound' and budget == 'full'")
    row = row[(row["first"] == "open") & (row["second"] == "shut")].iloc[0]
    assert row["mean_difference"] > 0.5
    assert row["p"] < 0.05


def test_the_planted_coupling_is_found_with_its_sign(numbers: Tables) -> None:
    cluster = numbers["coupling"].query("rule == 'sound' and outcome == 'next_independent' and policies == 'open'")
    assert cluster.iloc[0]["effect"] < -0.3


def test_a_judge_sees_what_it_was_declared_to_see(tables: Tables) -> None:
    turns = tables["per_turn"].query("rule == 'sound'")
    assert set(turns[turns["leak"]]["helpfulness_sum"]) == {5}
    assert set(turns[~turns["leak"]]["helpfulness_sum"]) == {3}


def test_the_check_of_work_overrides_nothing_and_agrees_here(tables: Tables) -> None:
    checks = tables["checks"]
    assert len(checks) == 2 * 2 * 5 * REPLICATES
    assert (checks["judged"] == checks["work_sound"]).all()


def test_the_cold_condition_has_no_tutor_turn_and_all_its_problems_are_probes(tables: Tables) -> None:
    cold = tables["per_session"].query("policy == 'cold' and rule == 'sound'")
    assert (cold["tutor_turns"] == 0).all()
    assert len(tables["probes"].query("policy == 'cold' and rule == 'sound'")) == 10 * REPLICATES
    assert len(tables["probes"].query("policy == 'open' and rule == 'sound'")) == 8 * REPLICATES


def test_the_gate_counts_what_the_student_did_alone(tables: Tables) -> None:
    gate = tables["isolated_summary"].set_index("measure")
    assert gate.loc["solved alone, scored problems", "verdict"] == "met"
    assert gate.loc["answer in the asked form, unasked", "value"] == 1


def test_every_condition_of_a_replicate_meets_the_problems_in_one_order(run: RunFolder) -> None:
    orders: dict[int, set[tuple[str, ...]]] = {}
    for one in read_stage(run, "session").done:
        orders.setdefault(one.replicate, set()).add(tuple(one.result["order"]))
    assert all(len(found) == 1 for found in orders.values())
    assert len({next(iter(found)) for found in orders.values()}) > 1


def test_another_judge_rates_the_same_turns_and_moves_no_session(run: RunFolder, tmp_path: Path) -> None:
    import shutil

    from tutorscope.models.speakers import speakers

    copy = tmp_path / "run"
    shutil.copytree(run.path, copy)
    before = {one.unit: one.sha for one in read_stage(RunFolder(copy), "session").done}
    second = speakers("judge", ["J2=tutorscope.audit.known_truth:judge"])
    from tutorscope.runs.execute import execute
    from tutorscope.runs.instrument import Ask
    from tutorscope.runs.plan import draft, read_plan, record
    from tutorscope.runs.prices import read_prices
    from tutorscope.runs.progress import Meter

    folder = RunFolder(copy)
    ask = Ask(read_plan(folder)[-1]["options"])
    record(draft(folder, AUDIT, [ask], second), [ask], second)
    assert execute(draft(folder, AUDIT, (), second), Meter(read_prices(None), quiet=True)).complete
    assert {one.unit: one.sha for one in read_stage(folder, "session").done} == before
    both = gather(AUDIT, [folder])["per_turn"].query("rule == 'sound'")
    assert set(both["judge"]) == {"J", "J2"}
    assert both.groupby("judge").size().nunique() == 1


def test_the_page_is_made(tables: Tables, numbers: Tables, tmp_path: Path) -> None:
    sections = AUDIT.sections(tables, numbers, tmp_path, "all")
    assert all(section.blocks for section in sections)
    assert any("open" in line for line in AUDIT.headline(tables, numbers))


def test_a_set_that_the_known_models_cannot_know_is_one_plain_reason(tmp_path: Path) -> None:
    from tutorscope.audit.problem_sets.fresh import fresh_set, write_set

    write_set(fresh_set("discounts", 3), tmp_path / "fresh.yaml")
    outcome = play(tmp_path / "run", params(problems=str(tmp_path / "fresh.yaml"), limit=1), known(tmp_path))
    (reason,) = outcome.failed
    assert "known_truth knows the answers of mixtures and demo alone, and not of this problem set" in reason
