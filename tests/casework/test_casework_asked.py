"""What a run says it was asked: its release, what was left out of it, its questions, and what is not there."""

from pathlib import Path
from typing import Any

import pytest
from small_release import small_release

from tutorscope.casework.headline import headline
from tutorscope.casework.inputs import release_sets
from tutorscope.casework.instrument import CASEWORK
from tutorscope.casework.release import load_release
from tutorscope.models.speakers import speakers
from tutorscope.runs.execute import execute
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import Limits, draft, record
from tutorscope.runs.prices import read_prices
from tutorscope.runs.progress import Meter


def test_a_rubric_that_is_left_out_is_counted_with_its_questions(tmp_path: Path) -> None:
    root = small_release(tmp_path / "rel")
    (root / "rubric" / "rubric_c004_immediate.json").write_text('{"category_id": ', encoding="utf-8")
    (root / "rubric" / "rubric_c008_long_term.json").unlink()
    scenarios = release_sets(load_release(root))[0]
    assert scenarios.facts["left_out"] == {
        "unreadable": {"files": 1, "questions": 1, "first": "rubric/rubric_c004_immediate.json"},
        "no_rubric": {"files": 1, "questions": 1, "first": "rubric/rubric_c008_long_term.json"},
    }


def test_what_was_left_out_comes_from_the_plan_to_the_table(tmp_path: Path) -> None:
    root = small_release(tmp_path / "rel")
    (root / "rubric" / "rubric_c008_long_term.json").unlink()
    tables = CASEWORK.tables(play(tmp_path / "run", "oracle", "", form="mcq", data=str(root)))
    assert tables["release"]["left_out"].tolist() == [
        "no_rubric: 1 file and 1 question with them, such as rubric/rubric_c008_long_term.json"
    ]


def test_a_whole_release_has_nothing_left_out(tmp_path: Path) -> None:
    assert release_sets(load_release(small_release(tmp_path / "rel")))[0].facts["left_out"] == {}


def play(folder: Path, tutors: str, judges: str = "away", **options: Any) -> RunFolder:
    """Ask scripted tutors and judges, whoever of them fails."""
    run = RunFolder(folder)
    given = {
        **{"data": "starter", "limit": 4, "form": "open,mcq", "horizon": "immediate", "permutations": 1},
        **{"as_released": False, "one_call": False, "replicates": 1, "demographics": None, "papers": None},
        **options,
    }
    ask = CASEWORK.ask(given)
    named = [("tutor", tutors), ("judge", judges)]
    people = [
        one
        for role, names in named
        for one in speakers(role, [f"{name}=scripted:known_casework:{name}" for name in names.split(",") if name])
    ]
    people += ask.speakers
    record(draft(run, CASEWORK, [ask], people), [ask], people)
    job = draft(run, CASEWORK, (), people, limits=Limits(max_retries=0))
    execute(job, Meter(read_prices(None), quiet=True))
    return run


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def test_answers_that_erred_are_in_the_tables_with_their_reason(tmp_path: Path) -> None:
    tables = CASEWORK.tables(play(tmp_path / "run", "quota", "everything"))
    asked = tables["asked"][tables["asked"]["judge"].isna()].set_index("form")
    owed = tables["owed"]
    there = {"open": len(tables["replies"]), "mcq": len(tables["answers"])}
    assert 0 < there["open"] < 4
    for form, n in there.items():
        assert asked.loc[form, ["asked", "answered", "owed", "erred"]].tolist() == [4, n, 4 - n, 4 - n]
    assert set(owed["item"]).isdisjoint({*tables["replies"]["item"], *tables["answers"]["choice"]})
    assert all("quota" in reason for reason in owed["reason"])


def test_nothing_answered_is_no_run_that_nothing_was_asked_of(tmp_path: Path) -> None:
    run = play(tmp_path / "run", "away", "everything")
    tables = CASEWORK.tables(run)
    lines = headline(tables, CASEWORK.measures(tables))
    assert lines == [
        "away, open questions: none of 4 asked are answered, 4 erred",
        "away, choices of four: none of 4 asked are answered, 4 erred",
        "no answer: an error: 8 of 8",
    ]


def test_a_judge_that_errs_owes_the_replies_that_are_there(tmp_path: Path) -> None:
    tables = CASEWORK.tables(play(tmp_path / "run", "oracle", "away", form="open"))
    judged = tables["asked"][tables["asked"]["judge"] == "away"]
    assert judged[["tutor", "asked", "answered", "erred"]].values.tolist() == [["oracle", 4, 0, 4]]
    unread = CASEWORK.measures(tables)["unread"]
    assert unread[["judge", "what", "count", "of", "asked"]].values.tolist() == [["away", "reply not judged", 4, 4, 4]]
    assert "nobody there" in unread["reason"].iloc[0]


def test_tutors_and_judges_stand_in_the_order_in_which_they_were_named(tmp_path: Path) -> None:
    tables = CASEWORK.tables(play(tmp_path / "run", "oracle,blank,always_a", "nothing,everything", form="open"))
    assert tables["decisions"]["judge"].drop_duplicates().tolist() == ["nothing", "everything"]
    assert tables["replies"]["tutor"].drop_duplicates().tolist() == ["oracle", "blank", "always_a"]


def test_the_release_is_named_with_what_was_asked_of_it(tmp_path: Path) -> None:
    first = CASEWORK.tables(play(tmp_path / "one", "oracle", "", form="mcq", as_released=True))
    [row] = first["release"].to_dict("records")
    assert (row["release"], row["scenarios"], row["limit"], row["as_released"]) == ("starter", 14, "4", True)
    assert first["questions"].values.tolist() == [["mcq", "immediate", 4, 4, 2]]
    again = CASEWORK.tables(play(tmp_path / "two", "oracle", "", form="mcq", limit=2))
    assert again["release"]["fingerprint"].tolist() == [row["fingerprint"]]
    other = small_release(tmp_path / "rel")
    small = CASEWORK.tables(play(tmp_path / "three", "oracle", "", form="mcq", data=str(other)))
    assert small["release"]["fingerprint"].tolist() != [row["fingerprint"]]
