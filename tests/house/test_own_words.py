"""The checks that read all tracked text: own words, and no traces of one machine."""

import shutil
import subprocess
from pathlib import Path

import pytest
from no_traces import traces
from own_words import known_runs, shared_runs
from tracked import tracked_texts

ALPHABET = "a b c d e f g h i j k l m n o p"
KNOWN = known_runs([ALPHABET])


def test_twelve_words_in_a_row_are_found_with_their_line() -> None:
    assert list(shared_runs("x\ny z\nB, c-d\ne f g 'h' I j k l m.", KNOWN)) == [(3, "b c d e f g h i j k l m")]


def test_eleven_words_are_free() -> None:
    assert list(shared_runs("a b c d e f g h i j k, and others", KNOWN)) == []


def test_a_long_passage_is_reported_once_and_whole() -> None:
    assert list(shared_runs(f"x {ALPHABET} y {ALPHABET[:23]}", KNOWN)) == [(1, ALPHABET), (1, ALPHABET[:23])]


def test_local_paths_are_found_where_they_start() -> None:
    found = traces("see docs/work/a\nopen('{}/data')\nin {}/.cache".format("/" + "work/x", "/" + "root"))
    assert [(line, kind) for line, kind, _ in found] == [(2, "a path of one machine"), (3, "a path of one machine")]


def test_registry_hosts_are_found() -> None:
    host = ".".join(["files", "pythonhosted", "org"])
    assert [(line, found) for line, _, found in traces(f"x\nfrom https://{host}/a")] == [
        (2, host.removeprefix("files."))
    ]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_only_tracked_text_is_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "a b.md").write_text("words", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\xff")
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / "note.md").write_text("not tracked", encoding="utf-8")
    assert list(tracked_texts(tmp_path)) == [("a b.md", "words")]
