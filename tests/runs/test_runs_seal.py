"""Seals: change shows, growth shows and can be sealed anew."""

import pytest

from tutorscope.errors import UserError
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.seal import check_seal, seal


@pytest.fixture
def run(tmp_path):
    folder = RunFolder(tmp_path)
    for path, text in [
        (folder.plan, "{}\n"),
        (folder.inputs / "a.jsonl", "1\n"),
        (folder.calls / "s.jsonl", "1\n"),
        (folder.logs / "s" / "one.eval", "zip"),
    ]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_a_run_that_was_never_sealed_says_so(run):
    assert check_seal(run).sealed is None


def test_a_sealed_run_that_stayed_is_whole(run):
    state = seal(run, ["cell"])
    assert state.sealed
    assert (list(state.changed), list(state.grown)) == ([], [])


def test_appended_lines_and_new_logs_are_growth(run):
    seal(run, [])
    with (run.calls / "s.jsonl").open("a", encoding="utf-8") as out:
        out.write("2\n")
    (run.logs / "s" / "two.eval").write_text("zip", encoding="utf-8")
    state = check_seal(run)
    assert list(state.changed) == []
    assert sorted(state.grown) == ["calls/s.jsonl", "logs/s/two.eval"]
    assert list(seal(run, []).grown) == []


@pytest.mark.parametrize("name", ["plan.jsonl", "inputs/a.jsonl", "calls/s.jsonl", "logs/s/one.eval"])
def test_other_bytes_under_the_seal_are_a_change(run, name):
    seal(run, [])
    size = (run.path / name).stat().st_size
    (run.path / name).write_bytes(b"9" * size)
    assert list(check_seal(run).changed) == [name]
    with pytest.raises(UserError, match=f"{name} is not what was sealed"):
        seal(run, [])


def test_a_log_that_is_gone_is_a_change(run):
    seal(run, [])
    (run.logs / "s" / "one.eval").unlink()
    assert list(check_seal(run).changed) == ["logs/s/one.eval"]


def test_a_log_that_was_appended_to_is_a_change(run):
    seal(run, [])
    with (run.logs / "s" / "one.eval").open("a", encoding="utf-8") as out:
        out.write("more")
    assert list(check_seal(run).changed) == ["logs/s/one.eval"]


def test_a_broken_seal_is_named(run):
    run.seal.write_text("no", encoding="utf-8")
    with pytest.raises(UserError, match="not a seal"):
        check_seal(run)
