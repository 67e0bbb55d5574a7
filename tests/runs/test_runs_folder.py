"""Run folders: what is none is said, and one process at a time works in one."""

import pytest

from tutorscope.errors import UserError
from tutorscope.models.speakers import Speaker
from tutorscope.runs.door import derived_seed
from tutorscope.runs.families import family_warnings
from tutorscope.runs.folder import RunFolder, existing, fresh_or_existing, locked
from tutorscope.runs.stages import Cell, Unit


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x", encoding="utf-8")
    with pytest.raises(UserError, match=r"holds 'thesis\.tex' but no run"):
        fresh_or_existing(tmp_path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "run").write_text("x", encoding="utf-8")
    with pytest.raises(UserError, match="is a file"):
        fresh_or_existing(tmp_path / "run")


def test_a_folder_where_a_run_died_before_its_plan_can_be_taken(tmp_path):
    (tmp_path / "inputs").mkdir()
    (tmp_path / "lock").write_text("", encoding="utf-8")
    (tmp_path / "lock.pid").write_text("1", encoding="utf-8")
    assert fresh_or_existing(tmp_path) == RunFolder(tmp_path)


def test_a_run_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="holds no plan"):
        existing(tmp_path)


def test_the_lock_is_for_one_at_a_time_and_goes_when_left(tmp_path):
    folder = RunFolder(tmp_path)
    with locked(folder), pytest.raises(UserError, match="another process"), locked(folder):
        pass
    with locked(folder):
        pass


def test_a_seed_derives_from_all_of_a_calls_name():
    name = ("cell", "unit", "judge", "x1", 0)
    others = [
        ("b", *name[1:]),
        (*name[:1], "b", *name[2:]),
        (*name[:2], "b", *name[3:]),
        (*name[:3], "b", 0),
        (*name[:4], 1),
    ]
    seeds = [derived_seed(*name), *(derived_seed(*other) for other in others), derived_seed(*name, 7)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert derived_seed(*name) == derived_seed(*name)


def test_a_units_id_moves_with_what_it_derives_from_and_not_with_its_data():
    assert Unit("a", 1).id == "a~1"
    assert Unit("a", 0, {"first": "x"}).id != Unit("a", 0, {"first": "y"}).id
    assert Unit("a", 0, {}, {"text": 1}).id == Unit("a", 0, {}, {"text": 2}).id


def test_cells_with_alike_names_have_files_of_their_own():
    slugs = {Cell("s", {"judge": name}).slug for name in ("a/b", "a_b", "a b", "a" * 200, "a" * 201)}
    assert len(slugs) == 5
    assert all(len(slug) < 100 and "/" not in slug for slug in slugs)


def test_a_judge_of_the_tutors_family_is_a_warning():
    tutor = Speaker("tutor", "mine", "openai/gpt-5-mini", "inspect", {"model": "openai/gpt-5-mini"})
    kin = Speaker("judge", "kin", "openai/gpt-4o", "inspect", {"model": "openai/gpt-4o"})
    other = Speaker("judge", "other", "anthropic/claude-haiku-4-5", "inspect", {"model": "anthropic/claude-haiku-4-5"})
    assert family_warnings([tutor, kin, other]) == [
        "judge 'kin' and tutor 'mine' are of one family (gpt): its ratings may favour it"
    ]
