"""A whole run with tutors whose choices are known: exact frequency, timing, help and retention."""

import json
from pathlib import Path

import known_models
import pandas as pd
import pytest

from tutorscope.intervention.instrument import INTERVENTION
from tutorscope.models.speakers import speakers
from tutorscope.runs.execute import execute
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.instrument import Ask, Tables
from tutorscope.runs.plan import draft, read_plan, record
from tutorscope.runs.prices import read_prices
from tutorscope.runs.progress import Meter
from tutorscope.runs.results import read_stage
from tutorscope.runs.tables import gather

SIZE = 20
TUTORS = ("never", "at_once", "at_word", "if_wrong")
LENGTHS = {name: len(trace.strip()) for name, (trace, _) in known_models.TRACES.items()}


def params(folder: Path, **options):
    return {
        "domain": "teasers",
        "problems": str(folder / "problems.jsonl"),
        "limit": None,
        "traces": (),
        "people": [],
        "condition": (),
        "increment": (str(SIZE),),
        "variant": (),
        "replicates": 2,
        "ask_at_end": False,
        "lookahead": "1",
        "short_form": False,
        **options,
    }


def models(*names):
    found = speakers("student", ["S=known_models:student"]) + speakers("judge", ["J=known_models:judge"])
    return found + speakers("tutor", [f"{name}=known_models:{name}" for name in names])


def play(folder: Path, given, who):
    run = RunFolder(folder / "run")
    ask = INTERVENTION.ask(given)
    record(draft(run, INTERVENTION, [ask], who), [ask], who)
    return execute(draft(run, INTERVENTION, (), who), Meter(read_prices(None), quiet=True))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    lines = [json.dumps(one) for one in known_models.problems()]
    (tmp_path / "problems.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        place = tmp_path_factory.mktemp("game")
        lines = [json.dumps(one) for one in known_models.problems()]
        (place / "problems.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert play(place, params(place), models(*TUTORS)).complete
        return RunFolder(place / "run")


@pytest.fixture(scope="module")
def tables(run) -> Tables:
    return gather(INTERVENTION, [run])


@pytest.fixture(scope="module")
def numbers(tables) -> Tables:
    return INTERVENTION.measures(tables)


def value(frame: pd.DataFrame, name: str = "value", **where):
    for column, wanted in where.items():
        frame = frame[frame[column] == wanted]
    assert len(frame) == 1, frame
    return frame.iloc[0][name]


def phi(numbers, tutor, condition="standard", measure="phi"):
    return value(numbers["behaviour"], tutor=tutor, condition=condition, measure=measure, domain="teasers")


def test_the_student_alone_is_right_on_two_of_four_and_a_missing_answer_is_wrong(numbers):
    assert value(numbers["accuracy"], domain="teasers") == 0.5
    assert value(numbers["accuracy"], "no_answer", domain="teasers") == 1


@pytest.mark.parametrize(
    ("tutor", "standard", "oracle"),
    [("never", 0, 0), ("at_once", 3 / 4, 1), ("at_word", 1 / 4, 1 / 4), ("if_wrong", 0, 2 / 4)],
)
def test_frequency(numbers, tutor, standard, oracle):
    assert phi(numbers, tutor) == pytest.approx(standard)
    assert phi(numbers, tutor, "oracle") == pytest.approx(oracle)


def test_frequency_where_the_student_would_have_been_right_and_wrong(numbers):
    # p1 and p3 are right; p3 fits into one increment and has no decision.
    assert phi(numbers, "at_once", measure="phi_correct") == 0.5
    assert phi(numbers, "at_once", measure="phi_incorrect") == 1
    assert phi(numbers, "if_wrong", "oracle", "phi_correct") == 0
    assert phi(numbers, "if_wrong", "oracle", "phi_incorrect") == 1


def test_timing_counts_the_characters_revealed(numbers, tables):
    assert phi(numbers, "at_once", measure="tau_abs") == SIZE
    expected = sum(SIZE / LENGTHS[name] for name in ("p1", "p2", "p4")) / 3
    assert phi(numbers, "at_once", measure="tau_rel") == pytest.approx(expected)
    word = tables["episodes"].query("tutor == 'at_word' and condition == 'standard' and intervened == True")
    trace = known_models.TRACES["p2"][0]
    step = next(n for n in range(SIZE, len(trace), SIZE) if "wrong" in trace[:n])
    assert set(word["position"]) == {step}


def test_a_trace_within_one_increment_is_counted_as_no_decision(numbers):
    row = numbers["counts"].query("tutor == 'at_once' and condition == 'standard' and domain == 'teasers'").iloc[0]
    assert (row["episodes"], row["no_decision_point"], row["intervened"]) == (8, 2, 6)


def test_retention_counts_each_reason(numbers):
    row = numbers["counts"].query("tutor == 'at_once' and condition == 'oracle' and domain == 'teasers'").iloc[0]
    # p3 has four words and p1, p2 end in words of their own; p4 says the same again and again.
    assert (row["recovered"], row["lost_ambiguous"]) == (6, 2)


def test_help_is_the_change_of_the_answer(numbers):
    rows = numbers["helpfulness"].query("tutor == 'at_once' and how == 'standard' and domain == 'teasers'").iloc[0]
    # p1 stays right, p2 and p4 turn right.
    assert (rows["n"], rows["helpful"], rows["harmful"]) == (6, pytest.approx(2 / 3), 0)
    assert rows["h"] == pytest.approx(2 / 3)
    harm = numbers["helpfulness"].query("tutor == 'at_word' and how == 'standard' and domain == 'teasers'").iloc[0]
    assert (harm["h"], harm["no_change"]) == (0, 1)


def test_the_page_and_the_headline_are_made(tables, numbers, tmp_path):
    sections = INTERVENTION.sections(tables, numbers, tmp_path, "all")
    assert all(section.blocks for section in sections)
    assert any("at_once" in line for line in INTERVENTION.headline(tables, numbers))


def test_oracle_episodes_that_nobody_could_judge_are_counted(folder):
    who = [one for one in models("at_once") if one.role != "judge"] + speakers("judge", ["J=known_models:unsure"])
    assert play(folder, params(folder), who).complete
    found = gather(INTERVENTION, [RunFolder(folder / "run")])
    counts = INTERVENTION.measures(found)["counts"].query("tutor == 'at_once' and domain == 'teasers'")
    rows = {row["condition"]: row for row in counts.to_dict("records")}
    names = ("episodes", "not_asked", "no_verdict", "unreadable")
    assert [rows["oracle"][name] for name in names] == [8, 2, 2, 0]
    assert [rows["standard"][name] for name in names] == [8, 0, 2, 0]
    second = [*who, *speakers("judge", ["J2=known_models:judge"])]
    assert play(folder, params(folder), second).complete
    found = gather(INTERVENTION, [RunFolder(folder / "run")])
    # The second judge has a verdict: the episodes are played, and are without one by the first.
    counts = INTERVENTION.measures(found)["counts"].query("condition == 'oracle' and domain == 'teasers'")
    rows = {row["judge"]: row for row in counts.to_dict("records") if row["tutor"] == "at_once"}
    assert [(rows[judge]["not_asked"], rows[judge]["no_verdict"]) for judge in ("J", "J2")] == [(0, 2), (0, 0)]


def test_a_second_tutor_costs_its_own_work_alone(folder):
    assert play(folder, params(folder), models("never")).complete
    before = {one.sha for one in read_stage(RunFolder(folder / "run"), "baseline").done}
    grades = len(read_stage(RunFolder(folder / "run"), "baseline-grade").done)
    assert play(folder, params(folder), models("never", "at_once")).complete
    run = RunFolder(folder / "run")
    assert {one.sha for one in read_stage(run, "baseline").done} == before
    assert len(read_stage(run, "baseline-grade").done) == grades
    assert {one.roles["tutor"] for one in read_stage(run, "standard").done} == {"never", "at_once"}


def test_a_tutor_that_errs_on_one_problem_owes_that_one(folder):
    outcome = play(folder, params(folder, condition=("standard",), replicates=1), models("errs_on_one"))
    assert outcome.owed == 1
    assert any("no reply today" in reason for reason in outcome.failed)
    assert len(read_stage(RunFolder(folder / "run"), "standard").done) == 3


def test_another_judge_measures_and_changes_nothing_that_was_shown(folder):
    play(folder, params(folder, replicates=1), models("if_wrong"))
    run = RunFolder(folder / "run")
    before = {one.unit for one in read_stage(run, "oracle").done}
    second = speakers("judge", ["J2=known_models:judge"])
    ask = Ask(read_plan(run)[-1]["options"])
    record(draft(run, INTERVENTION, [ask], second), [ask], second)
    everyone = [*models("if_wrong"), *second]
    assert execute(draft(run, INTERVENTION, (), everyone), Meter(read_prices(None), quiet=True)).complete
    assert {one.unit for one in read_stage(run, "oracle").done} == before
    assert set(gather(INTERVENTION, [run])["grades"]["judge"]) == {"J", "J2"}


def test_a_changed_problem_is_refused_by_name(folder):
    from tutorscope.errors import RefusedError

    play(folder, params(folder, replicates=1), models("never"))
    text = (
        (folder / "problems.jsonl").read_text(encoding="utf-8").replace("Question p2: how many", "Question p2: so few")
    )
    (folder / "problems.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(RefusedError, match="p2"):
        play(folder, params(folder, replicates=1), models("never"))


@pytest.mark.parametrize("lookahead", ["2", "5", "auto"])
def test_lookahead_moves_no_episode(folder, lookahead):
    play(folder, params(folder, replicates=1, condition=("standard",)), models("at_word", "coin"))
    plain = gather(INTERVENTION, [RunFolder(folder / "run")])["episodes"]
    other = folder / "other"
    other.mkdir()
    (other / "problems.jsonl").write_text((folder / "problems.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    play(other, params(other, replicates=1, condition=("standard",), lookahead=lookahead), models("at_word", "coin"))
    ahead = gather(INTERVENTION, [RunFolder(other / "run")])["episodes"]
    columns = ["tutor", "problem", "intervened", "position", "message", "decisions"]
    assert plain[columns].equals(ahead[columns])


def test_one_id_in_two_domains_is_refused(folder):
    from tutorscope.errors import RefusedError

    play(folder, params(folder, replicates=1), models("never"))
    with pytest.raises(RefusedError, match="the problem 'p1' is one of teasers and one of math"):
        play(folder, params(folder, replicates=1, domain="math"), models("never"))


@pytest.mark.parametrize("people", [False, True])
def test_a_tutor_named_as_all_of_them_is_refused_before_anything_is_asked(folder, people):
    from tutorscope.errors import RefusedError

    head = "participant,problem,condition,intervened,trace_sha256\n"
    (folder / "people.csv").write_text(f"{head}ann,p1,standard,no,{'0' * 64}\n", encoding="utf-8")
    given = params(folder, people=[("all", str(folder / "people.csv"))] if people else [])
    who = models() if people else [*models(), *speakers("tutor", ["all=known_models:never"])]
    with pytest.raises(RefusedError, match="--tutor: found the name 'all', which tables have for all tutors"):
        play(folder, given, who)
    assert not (folder / "run" / "plan.jsonl").exists()


def test_an_episode_on_another_trace_is_refused_where_that_is_known_and_set_aside_where_it_is_not(folder):
    from tutorscope.errors import RefusedError

    head = "participant,problem,condition,intervened,position,message,trace_sha256\n"
    (folder / "people.csv").write_text(f"{head}ann,p1,standard,yes,40,Look again,{'0' * 64}\n", encoding="utf-8")
    given = params(folder, replicates=1, people=[("", str(folder / "people.csv"))])
    outcome = play(folder, given, models("never"))
    assert outcome.complete
    found = gather(INTERVENTION, [RunFolder(folder / "run")])
    assert len(found["misfits"]) == 1
    assert not found["episodes"]["people"].any()
    assert any("set aside" in line for line in INTERVENTION.headline(found, INTERVENTION.measures(found)))
    (folder / "more.csv").write_text(f"{head}bo,p1,standard,yes,40,Look again,{'0' * 64}\n", encoding="utf-8")
    with pytest.raises(RefusedError, match=r"more.csv: line 2"):
        play(folder, {**given, "people": [("other", str(folder / "more.csv"))]}, models("never"))


def test_judges_stand_in_the_order_of_the_plan(folder):
    who = speakers("judge", ["Z=known_models:judge", "A=known_models:judge"])
    play(folder, params(folder, replicates=1), [*models("never")[:1], *models("never")[2:], *who])
    assert list(gather(INTERVENTION, [RunFolder(folder / "run")])["episodes"]["judge"].unique()) == ["Z", "A"]
