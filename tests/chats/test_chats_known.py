"""Known answers on the real data that lies beside the repository."""

import csv
import json

import pytest

from tutorscope.chats.reading import read_chats
from tutorscope.chats.records import look
from tutorscope.chats.registry import all_readers
from tutorscope.chats.sources import open_source
from tutorscope.errors import UserError

pytestmark = pytest.mark.shared


def read(path, **options):
    file = read_chats(path, **options)
    return file, list(file)


@pytest.mark.parametrize("same_speaker", ["merge", "keep"])
def test_mathtutorbench_has_374_valid_chats_of_1477(shared, same_speaker):
    valid = chats = 0
    for name in ("mathdial_bridge.json", "mathdial_bridge_hard.json"):
        file, _ = read(shared / "mathtutorbench" / name, same_speaker=same_speaker)
        assert file.format == "mathtutorbench"
        valid += file.counts.valid_chats
        chats += file.counts.chats
    assert (valid, chats) == (374, 1477)


def test_mathdial_has_520_valid_chats_of_599(shared):
    file, _ = read(shared / "mathdial" / "test.jsonl")
    assert file.format == "mathdial"
    assert (file.counts.valid_chats, file.counts.chats) == (520, 599)


def test_mathdial_counts(shared):
    file, chats = read(shared / "mathdial" / "test.jsonl")
    assert file.counts.turns == 7028
    assert file.counts.merged == 96
    assert file.counts.exchanges == 3329
    assert file.reasons["final_readout"] == 599
    assert file.roles == {"Teacher": "tutor", "Student": "student"}
    moves = {turn.meta.get("move") for chat in chats for turn in chat.turns if turn.speaker == "tutor"}
    assert moves == {"focus", "probing", "generic", "telling"}
    assert not any("(generic)" in turn.text for chat in chats for turn in chat.turns)


def test_mathdial_as_csv_is_the_same_row_for_row(shared, tmp_path):
    rows = [json.loads(line) for line in (shared / "mathdial" / "test.jsonl").open(encoding="utf-8")]
    path = tmp_path / "test.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    _, by_line = read(shared / "mathdial" / "test.jsonl")
    file, by_row = read(path)
    assert file.format == "mathdial"
    assert [(c.id, c.digest) for c in by_row] == [(c.id, c.digest) for c in by_line]


@pytest.mark.parametrize(
    ("path", "fmt", "chats", "valid_chats", "turns", "valid_exchanges"),
    [
        ("pats/Stories_L2.json", "pats", 320, 320, 7132, 3406),
        ("bridge/validation.json", "bridge", 71, 32, 499, 103),
        ("tutorcasebench/dialogue", "tutorcasebench", 119, 119, 714, 238),
        ("tutorcasebench/dialogue_full_context", "tutorcasebench", 119, 119, 714, 238),
    ],
)
def test_the_counts_of_other_sets(shared, path, fmt, chats, valid_chats, turns, valid_exchanges):
    file, _ = read(shared / path)
    counts = file.counts
    assert file.format == fmt
    assert (counts.chats, counts.valid_chats, counts.turns, counts.valid_exchanges) == (
        chats, valid_chats, turns, valid_exchanges,
    )  # fmt: skip


LOGS = {
    "bridge/validation.json": "bridge",
    "mathdial/test.jsonl": "mathdial",
    "mathtutorbench/mathdial_bridge.json": "mathtutorbench",
    "mathtutorbench/mathdial_bridge_hard.json": "mathtutorbench",
    "pats/Stories_L2.json": "pats",
    "tutorcasebench/dialogue": "tutorcasebench",
    "tutorcasebench/dialogue_full_context": "tutorcasebench",
}


@pytest.mark.parametrize("path", LOGS)
def test_a_real_log_is_recognised_as_its_own_format_and_as_no_other(shared, path):
    head = look(open_source(shared / path), {})
    assert [name for name, reader in all_readers().items() if reader.sniff(head)] == [LOGS[path]]


@pytest.mark.parametrize("folder", ["audit", "debugbench", "math500", "tutorcasebench"])
def test_what_is_no_log_is_taken_for_none(shared, folder):
    for path in sorted((shared / folder).iterdir()):
        if path.is_file() or path.name in ("mcq", "rubric"):
            with pytest.raises(UserError, match=r"no format has|holds no records|are not objects"):
                read_chats(path)
