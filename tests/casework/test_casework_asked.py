"""What a run says it was asked: its release, what was left out of it, its questions, and what is not there."""

from pathlib import Path

from small_release import small_release

from tutorscope.casework.inputs import release_sets
from tutorscope.casework.release import load_release


def test_a_rubric_that_is_left_out_is_counted_with_its_questions(tmp_path: Path) -> None:
    root = small_release(tmp_path / "rel")
    (root / "rubric" / "rubric_c004_immediate.json").write_text('{"category_id": ')
    (root / "rubric" / "rubric_c008_long_term.json").unlink()
    scenarios = release_sets(load_release(root))[0]
    assert scenarios.facts["left_out"] == {
        "unreadable": {"files": 1, "questions": 1, "first": "rubric/rubric_c004_immediate.json"},
        "no_rubric": {"files": 1, "questions": 1, "first": "rubric/rubric_c008_long_term.json"},
    }


def test_a_whole_release_has_nothing_left_out(tmp_path: Path) -> None:
    assert release_sets(load_release(small_release(tmp_path / "rel")))[0].facts["left_out"] == {}
