"""Whole runs of the starter material, in this process, with tutors and judges whose results are known."""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from small_release import small_release

from tutorscope.casework.instrument import CASEWORK
from tutorscope.casework.judging import satisfaction_of, success_of
from tutorscope.errors import RefusedError, UserError
from tutorscope.judging.asking import ATTEMPTS
from tutorscope.models.speakers import Speaker, speakers
from tutorscope.runs.estimate import estimate
from tutorscope.runs.execute import execute
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.inputs import Item
from tutorscope.runs.instrument import Ask
from tutorscope.runs.plan import draft, read_plan, record
from tutorscope.runs.prices import read_prices
from tutorscope.runs.progress import Meter

ALL = "open,reference,mcq,binary"


def params(**options: Any) -> dict[str, Any]:
    return {
        "data": "starter",
        "limit": 2,
        "form": "open,mcq",
        "horizon": "immediate,long_term",
        "permutations": 1,
        "as_released": False,
        "one_call": False,
        "replicates": 1,
        "demographics": None,
        "papers": None,
        **options,
    }


def who(tutors: Sequence[str] = ("oracle",), judges: Sequence[str] = ("everything",)) -> list[Speaker]:
    played = [("tutor", tutors), ("judge", judges)]
    return [
        one
        for role, names in played
        for one in speakers(role, [f"{name}=scripted:known_casework:{name}" for name in names])
    ]


def play(folder: Path, given: dict[str, Any], everyone: Sequence[Speaker], ask: Ask | None = None) -> int:
    """Ask a run for something, do what it owes, and give the number of calls that this took."""
    run = RunFolder(folder)
    asked = ask or CASEWORK.ask(given)
    speaking = [*everyone, *asked.speakers]
    inputs = [*asked.inputs, *(() if run.plan.exists() else asked.material)]
    asked = replace(asked, inputs=inputs, material=())
    record(draft(run, CASEWORK, [asked], speaking), [asked], speaking)
    before = calls(folder)
    outcome = execute(draft(run, CASEWORK, (), speaking), Meter(read_prices(None), quiet=True))
    assert outcome.complete, outcome
    return calls(folder) - before


def calls(folder: Path) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (folder / "calls").glob("*.jsonl"))


def met(decisions: pd.DataFrame) -> list[list[bool | None]]:
    keys = ["judge", "tutor", "form", "item", "replicate"]
    return [[None if one is pd.NA else bool(one) for one in group["met"]] for _, group in decisions.groupby(keys)]


@pytest.fixture(scope="module", autouse=True)
def scripts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("casework") / "known"
    everyone = who(("oracle", "always_a", "blank"), ("everything", "nothing", "first"))
    play(folder, params(form=ALL, permutations=4, horizon="immediate"), everyone)
    return folder


@pytest.fixture(scope="module")
def tables(folder: Path) -> dict[str, pd.DataFrame]:
    return dict(CASEWORK.tables(RunFolder(folder)))


def test_judges_that_satisfy_all_none_and_exactly_one(tables):
    decisions = tables["decisions"][tables["decisions"]["tutor"] == "oracle"]
    sizes = decisions.groupby(["judge", "form", "item"]).size().groupby("judge").apply(list)
    for judge, success, satisfaction in (
        ("everything", True, [Fraction(1)] * len(sizes["everything"])),
        ("nothing", False, [Fraction(0)] * len(sizes["nothing"])),
        ("first", True, [Fraction(1, size) for size in sizes["first"]]),
    ):
        found = met(decisions[decisions["judge"] == judge])
        assert len(found) == 4
        assert [success_of(one) for one in found] == [success] * 4
        assert sorted(satisfaction_of(one) for one in found) == sorted(satisfaction)


def test_an_oracle_is_always_right_and_a_blank_never(tables):
    answers = tables["answers"]
    assert answers[answers["tutor"] == "oracle"]["correct"].all()
    nothing_said = answers[answers["tutor"] == "blank"]
    assert not nothing_said["correct"].any()
    assert set(nothing_said["reason"]) == {"empty"}
    assert nothing_said[["letter", "original"]].isna().all(axis=None)


def test_one_letter_in_all_rotations_is_right_once_a_choice(tables):
    answers = tables["answers"]
    held = answers[(answers["tutor"] == "always_a") & (answers["form"] == "mcq")]
    assert held.groupby("choice")["correct"].agg(["sum", "size"]).to_numpy().tolist() == [[1, 4]] * 2
    two = answers[(answers["tutor"] == "always_a") & (answers["form"] == "binary")]
    assert two.groupby("choice")["correct"].agg(["sum", "size"]).to_numpy().tolist() == [[1, 2]] * 2


def test_letters_map_back_to_the_file(tables):
    answers = tables["answers"][tables["answers"]["tutor"] == "oracle"]
    assert (answers["original"] == answers["correct_letter"]).all()
    for _, one in answers[answers["form"] == "mcq"].iterrows():
        assert "ABCD".index(one["letter"]) == ("ABCD".index(one["original"]) + one["rotation"]) % 4


def test_who_says_nothing_fails_and_is_tagged_and_no_judge_is_asked(folder, tables):
    replies = tables["replies"][tables["replies"]["tutor"] == "blank"]
    assert set(replies["reason"]) == {"empty"}
    decisions = tables["decisions"][tables["decisions"]["tutor"] == "blank"]
    assert not decisions["met"].any()
    assert set(decisions["reason"]) == {"no_reply"}
    journal = (folder / "calls" / "criteria.jsonl").read_text(encoding="utf-8")
    assert "blank/" not in journal
    assert "oracle/" in journal


def test_references_are_of_other_papers_and_paired_with_the_open_reply(tables):
    replies = tables["replies"][tables["replies"]["tutor"] == "oracle"]
    assert set(replies[replies["form"] == "reference"]["item"]) == set(replies[replies["form"] == "open"]["item"])
    for _, one in replies[replies["form"] == "reference"].iterrows():
        references = json.loads(one["references"])
        assert len(references) == 3
        assert {reference["other"] for reference in references} == {"paper"}
        assert not any(reference["proxy"] for reference in references)
        assert one["category"] not in {reference["category"] for reference in references}
        similarities = [reference["similarity"] for reference in references]
        assert similarities == sorted(similarities, reverse=True)
    assert set(tables["neighbours"]["found"]) == {3}


def test_every_table_has_its_columns(tables):
    assert list(tables["scenarios"].columns) == ["scenario", "category", "title", "challenge", "minimal_context"]
    assert set(tables["choices"]["form"]) == {"mcq", "binary"}
    two = tables["choices"][tables["choices"]["form"] == "binary"]
    assert two["length_C"].isna().all()
    assert two["length_A"].gt(0).all()
    assert tables["replies"]["text"].isin(["", "I hear you. Take one small piece and stop whenever you like."]).all()


def test_a_run_grows_and_what_was_made_is_not_asked_again(tmp_path):
    folder, people = tmp_path / "grown", who()
    first = play(folder, params(limit=1, form="open"), people)
    before = CASEWORK.tables(RunFolder(folder))["replies"]
    more = play(folder, params(limit=2, form="open"), people)
    after = CASEWORK.tables(RunFolder(folder))["replies"]
    assert first > 0 < more
    assert len(before) == 2
    assert after.merge(before).shape == before.shape
    assert play(folder, params(limit=2, form="open"), people) == 0


def test_another_judge_rates_the_same_replies(tmp_path):
    folder = tmp_path / "judged"
    play(folder, params(limit=1, form="open", horizon="immediate"), who())
    replies = CASEWORK.tables(RunFolder(folder))["replies"]
    options = read_plan(RunFolder(folder))[-1]["options"]
    again = [*who(), *speakers("judge", ["second=scripted:known_casework:careless"])]
    made = play(folder, {}, again, Ask(options=options))
    tables = CASEWORK.tables(RunFolder(folder))
    pd.testing.assert_frame_equal(tables["replies"], replies)
    second = tables["decisions"][tables["decisions"]["judge"] == "second"]
    assert second["met"].isna().all()
    assert set(second["reason"]) == {"quote_not_found"}
    assert made == 3 * len(second)
    with pytest.raises(UserError, match="--ratings"):
        play(folder, {}, again, Ask(options={**options, "ratings": 2}))


def test_one_call_takes_one_call_a_reply_and_its_judge_stays_apart(tmp_path):
    folder = tmp_path / "once"
    play(folder, params(limit=1, form="open", one_call=True), who(judges=("first",)))
    decisions = CASEWORK.tables(RunFolder(folder))["decisions"]
    assert set(decisions["judge"]) == {"first (one call)"}
    assert [success_of(one) for one in met(decisions)] == [True, True]
    assert len((folder / "calls" / "criteria.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_a_run_states_the_horizon_or_does_not(tmp_path):
    folder = tmp_path / "stated"
    play(folder, params(limit=1, form="mcq", as_released=True), who(judges=()))
    assert not CASEWORK.tables(RunFolder(folder))["answers"]["horizon_stated"].any()
    with pytest.raises(RefusedError, match="horizon stated"):
        play(folder, params(limit=1, form="mcq"), who(judges=()))


def test_a_changed_item_and_another_release_are_refused(tmp_path):
    run = RunFolder(tmp_path / "changed")
    ask = CASEWORK.ask(params(form="open"))
    record(draft(run, CASEWORK, [ask], who()), [ask], who())
    scenarios, *rest = ask.inputs
    one, *others = scenarios.items
    moved = Item(one.id, "0" * 16, {**one.data, "minimal_context": "Elsewhere."})
    changed = replace(ask, inputs=[replace(scenarios, items=[moved, *others]), *rest])
    with pytest.raises(RefusedError, match="its minimal_context has changed"):
        draft(run, CASEWORK, [changed], who())
    other = replace(ask, inputs=[replace(scenarios, fixed={"--data": "a release of your own"}), *rest])
    with pytest.raises(RefusedError, match="--data was starter"):
        draft(run, CASEWORK, [other], who())


def test_an_estimate_counts_what_a_run_then_takes(tmp_path):
    run = RunFolder(tmp_path / "estimated")
    ask = CASEWORK.ask(params(form=ALL, limit=2))
    everyone = [*who(), *ask.speakers]
    rows = estimate(draft(run, CASEWORK, [ask], everyone), read_prices(None))
    made = play(run.path, params(form=ALL, limit=2), who())
    assert sum(row.expected for row in rows) == made
    assert sum(row.least for row in rows) <= made <= sum(row.most for row in rows)
    assert all(row.input_tokens > 0 for row in rows)


def test_the_users_groups_stand_beside_the_scenarios(tmp_path):
    table, papers = tmp_path / "groups.csv", tmp_path / "papers.csv"
    table.write_text("category,level,pupil name\n1,primary,Ann\n2,,Bo\n", encoding="utf-8")
    papers.write_text("category,paper\n1,One\n2,Two\n", encoding="utf-8")
    given = params(form="open", horizon="immediate", limit=1, demographics=table, papers=papers)
    asked = CASEWORK.ask(given)
    assert [one.name for one in asked.inputs] == [
        "scenarios", "rubrics", "choices", "items", "demographics", "papers",
    ]  # fmt: skip
    play(tmp_path / "run", given, who())
    scenarios = CASEWORK.tables(RunFolder(tmp_path / "run"))["scenarios"]
    assert set(scenarios[scenarios["category"] == 1]["level"]) == {"primary"}
    assert scenarios[scenarios["category"] == 2]["level"].isna().all()
    with pytest.raises(UserError, match="expected --data too"):
        CASEWORK.ask(params(data=None, limit=None, demographics=table))


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("form", "open,essay", "'essay'"), ("form", ",", "found nothing"), ("horizon", "now", "'now'")],
)
def test_unknown_forms_and_horizons_are_named(option, value, said):
    with pytest.raises(UserError, match=said):
        CASEWORK.ask(params(**{option: value}))


def test_a_tutor_has_to_be_named_and_one_embedder(tmp_path):
    ask = CASEWORK.ask(params(form="reference"))
    with pytest.raises(UserError, match="--tutor is missing"):
        draft(RunFolder(tmp_path / "a"), CASEWORK, [CASEWORK.ask(params())], ())
    two = speakers("embedder", ["a=wordllama", "b=wordllama"])
    with pytest.raises(UserError, match="--embedder"):
        draft(RunFolder(tmp_path / "b"), CASEWORK, [ask], [*who(), *two, *ask.speakers])
    job = draft(RunFolder(tmp_path / "c"), CASEWORK, [ask], [*who(), two[0], *ask.speakers])
    [cell, _] = job.cells(job.stages[1])
    assert cell.roles == {"embedder": "a"}


def test_a_new_run_without_a_release_works_on_the_starter():
    ask = CASEWORK.ask(params(data=None, limit=None))
    assert ask.inputs == []
    assert [one.name for one in ask.material] == ["scenarios", "rubrics", "choices", "items"]
    assert ask.notes == []


def test_a_limit_takes_the_first_of_each_form_and_horizon():
    items = CASEWORK.ask(params(limit=2)).inputs[-1]
    assert set(items.facts["counts"].values()) == {2}
    assert len(items.facts["counts"]) == 6
    whole = CASEWORK.ask(params(limit=None)).inputs[-1]
    assert [one.id for one in items.items if one.id.startswith("open/")][:2] == [one.id for one in whole.items][:2]


def test_the_demo_asks_little():
    items = CASEWORK.ask(params(data="demo", limit=None)).inputs[-1]
    counts = [one.data["form"] for one in items.items if one.data["form"] != "binary"]
    assert counts.count("open") <= 3
    assert counts.count("mcq") <= 3


def without_rubrics(root: Path) -> Path:
    release = small_release(root)
    shutil.rmtree(release / "rubric")
    return release


def test_a_form_that_was_named_and_has_no_question_is_refused(tmp_path):
    release = without_rubrics(tmp_path / "release")
    with pytest.raises(UserError, match="nothing to ask for open immediate, open long-term; see"):
        CASEWORK.ask(params(data=str(release), limit=None, form="open,mcq"))
    shutil.rmtree(release / "binary")
    with pytest.raises(UserError, match="nothing to ask for binary immediate;"):
        CASEWORK.ask(params(data=str(release), form="mcq,binary", horizon="immediate"))


def test_without_a_named_form_what_is_there_is_asked(tmp_path):
    release = without_rubrics(tmp_path / "release")
    ask = CASEWORK.ask(params(data=str(release), limit=None, form=None))
    assert ask.options["form"] == ["open", "mcq"]
    assert "release: nothing to ask for open immediate" in ask.notes
    assert "release: left out for 1 fault; see `tutorscope casework check`" in ask.notes
    shutil.rmtree(release / "mcq")
    with pytest.raises(UserError, match="nothing to ask for open immediate, open long-term, mcq immediate"):
        CASEWORK.ask(params(data=str(release), limit=None, form=None))


@pytest.mark.parametrize(
    ("form", "horizon", "said"),
    [
        ("mcq", "immediate", "1 mcq immediate"),
        ("open", "long_term", "1 open long-term"),
        ("open,binary", "immediate", "1 open immediate, 1 binary immediate"),
        ("open,reference", "immediate", "1 open immediate, 1 reference immediate"),
    ],
)
def test_the_first_line_lists_what_is_asked_and_nothing_else(form, horizon, said):
    notes = CASEWORK.ask(params(limit=1, form=form, horizon=horizon)).notes
    assert notes[0] == f"starter: 14 scenarios; questions: {said}"


@pytest.mark.parametrize("form", ["open", "open,reference,mcq"])
def test_the_least_of_an_estimate_is_what_silent_tutors_take(tmp_path, form):
    run = RunFolder(tmp_path / "silent")
    asked = params(form=form, limit=1)
    ask = CASEWORK.ask(asked)
    everyone = [*who(("blank",)), *ask.speakers]
    rows = estimate(draft(run, CASEWORK, [ask], everyone), read_prices(None))
    # An empty reply is asked for three times, and no judge is asked about it.
    made = play(run.path, asked, who(("blank",)))
    assert sum(row.least for row in rows) <= made / ATTEMPTS
