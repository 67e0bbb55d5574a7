"""Known answers on the real data that lies beside the repository."""

import csv
import json

import pytest

from tutorscope.chats.chat import Chat, Turn
from tutorscope.chats.exchanges import chat_reason, walk
from tutorscope.chats.reading import read_chats

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


def test_the_rule_gives_320_of_320_for_pats(shared):
    chats = [
        Chat("", tuple(Turn("tutor" if who == "Teacher" else "student", text) for text, who in record["dialogue"]))
        for record in json.loads((shared / "pats" / "Stories_L2.json").read_text(encoding="utf-8"))
    ]
    assert len(chats) == 320
    assert all(chat_reason(walk(chat)) is None for chat in chats)
