"""Pairs with a known better reply: reading them, rating each reply by itself, counting, and the page."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tutorscope.cli.main import cli
from tutorscope.errors import UserError
from tutorscope.pictures.blocks import Table
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.tables import gather
from tutorscope.uptake.instrument import UPTAKE
from tutorscope.uptake.pairs import read_pairs
from tutorscope.uptake.validation import scaffolding_question, shown
from tutorscope.uptake.validation_tables import outcome

HISTORY = [{"role": "teacher", "text": "Which step?"}, {"role": "student", "text": "3 + 4"}]
# Better and worse as the judge will score them: 0 is out of range.
SCORES = ["51", "42", "33", "24", "50", "31", "21", "52"]


def pair(scores: str, **fields: Any) -> dict[str, Any]:
    better, worse = scores
    return {"history": HISTORY, "better": f"Look at it again [s{better}]", "worse": f"It is 7 [s{worse}]", **fields}


def write(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunFolder]:
    folder = tmp_path_factory.mktemp("pairs")
    write(folder / "known.jsonl", *(pair(scores, id=f"p{n}") for n, scores in enumerate(SCORES)))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        asked = ["uptake", "validate", str(folder / "known.jsonl"), "--judge", "w=scripted:word_judge:weighs"]
        done = CliRunner().invoke(cli, [*asked, "--out", str(folder / "run")])
        assert done.exit_code == 0, done.output
        assert "known: 8 pairs" in done.output
        expected = (
            "pairs of known, judge w: accuracy 71.4% (95 % 42.9% to 100.0%); 5 wins, 1 tie, 1 loss of 8 pairs; "
            "not read 1, not rated yet 0"
        )
        assert expected in done.output
        yield RunFolder(folder / "run")


def test_each_reply_is_rated_by_itself(run: RunFolder) -> None:
    calls = [
        json.loads(line) for path in run.calls.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()
    ]
    # One of sixteen cannot be read and is asked three times.
    assert len(calls) == 16 + 2
    assert len({call["unit"] for call in calls}) == 16


def test_pairs_are_counted_and_ties_are_no_wins(run: RunFolder) -> None:
    tables = gather(UPTAKE, [run])
    assert tables["pairs"]["outcome"].tolist() == ["win", "win", "tie", "loss", "unread", "win", "win", "win"]
    (found,) = UPTAKE.measures(tables)["validation"].to_dict("records")
    assert [found[name] for name in ("pairs", "win", "tie", "loss", "unread", "not_rated", "read")] == [
        *(8, 5, 1, 1, 1, 0, 7)
    ]
    assert found["accuracy"] == pytest.approx(5 / 7)
    assert found["accuracy_low"] < 5 / 7 < found["accuracy_high"]


def test_the_page_sets_table_3_under_it(run: RunFolder, tmp_path: Path) -> None:
    tables = gather(UPTAKE, [run])
    numbers = UPTAKE.measures(tables)
    sections = {section.anchor: section for section in UPTAKE.sections(tables, numbers, tmp_path, "none")}
    assert list(sections) == ["result", "validity", "unread"]
    (table,) = [block for block in sections["validity"].blocks if isinstance(block, Table)]
    published = dict(table.frame.iloc[-1])
    assert [published[name] for name in ("source", "pairs", "win", "tie", "loss")] == ["published", 550, 516, 32, 2]
    assert published["accuracy"] == 0.938


def test_a_validated_run_can_have_its_chats_rated_too(run: RunFolder, tmp_path: Path) -> None:
    turns = [{"speaker": ("student", "tutor")[i % 2], "text": f"t [s{i}]"} for i in range(4)]
    write(tmp_path / "log.jsonl", {"id": "c", "turns": turns})
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        judge = ["--judge", "w=scripted:word_judge:weighs"]
        done = CliRunner().invoke(
            cli, ["uptake", "run", f"live={tmp_path / 'log.jsonl'}", *judge, "--out", str(run.path)]
        )
    assert done.exit_code == 0, done.output
    assert "1 scored of 1 valid of 1 chat\n" in done.output
    assert "accuracy 71.4%" in done.output


def test_the_students_last_message_and_the_reply_are_the_exchange() -> None:
    held = {"task": "", "history": [{"tutor": "Which?"}, {"student": "3"}, {"student": "or 4"}], "better": "b"}
    assert shown(held, "b") == {
        **{"task": None, "history": [{"tutor": "Which?"}]},
        "exchange": {"student": "3\nor 4", "tutor": "b"},
    }


def test_a_history_of_one_text_stays_one() -> None:
    held = {"task": "t", "history": "Teacher: Hi\nStudent: 3", "better": "b"}
    assert shown(held, "b") == {
        **{"task": "t", "history": [{"talk": "Teacher: Hi\nStudent: 3"}]},
        "exchange": {"tutor": "b"},
    }


def test_uptake_is_not_asked_before_a_tutor_has_spoken() -> None:
    framed, opening = ({"history": [{who: "x"}]} for who in ("tutor", "student"))
    assert scaffolding_question(framed, False).metrics == ["scaffolding", "uptake"]
    assert scaffolding_question(opening, False).metrics == ["scaffolding"]
    assert scaffolding_question(framed, True).metrics == ["scaffolding"]


@pytest.mark.parametrize(
    ("better", "worse", "expected"),
    [(4, 3, "win"), (3, 3, "tie"), (3, 4, "loss"), (None, 3, "unread"), (3, None, "unread")],
)
def test_a_win_is_strictly_higher(better: int | None, worse: int | None, expected: str) -> None:
    assert outcome(better, worse) == expected


def test_csv_and_other_names_of_fields_are_read(tmp_path: Path) -> None:
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(["prompt", "chosen", "rejected", "problem"])
        rows.writerow([json.dumps(HISTORY), "b", "w", "2 + 5"])
        rows.writerow(["Teacher: Hi", "b", "w", ""])
    (found,), notes = read_pairs([f"mine={tmp_path / 't.csv'}"])
    assert [item.data["history"] for item in found.items] == [
        [{"tutor": "Which step?"}, {"student": "3 + 4"}],
        "Teacher: Hi",
    ]
    assert found.items[0].data["task"] == "2 + 5"
    assert notes == ["mine: 2 pairs"]


def test_equal_replies_and_equal_pairs_are_kept_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", *[{**pair("33"), "worse": "x", "better": "x"}] * 2, pair("51"))
    (found,), notes = read_pairs([str(path)], limit=2)
    assert len({item.id for item in found.items}) == 2
    assert notes == ["p: 2 pairs, 2 of them of two equal replies"]


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"history": HISTORY, "better": "b"}, "line 1: no worse"),
        ({**pair("51"), "better": "  "}, "better is empty"),
        ({**pair("51"), "worse": 3}, "worse is a int"),
        ({**pair("51"), "history": 3}, "history is a int"),
        ({**pair("51"), "history": ["hi"]}, "history[0]: found a str"),
        ({**pair("51"), "history": [{"role": "robot", "text": "x"}]}, "the speaker is 'robot'"),
        ([1], "expected an object"),
    ],
)
def test_a_record_that_is_no_pair_is_refused_in_one_line(tmp_path: Path, record: Any, found: str) -> None:
    with pytest.raises(UserError) as caught:
        read_pairs([str(write(tmp_path / "p.jsonl", record, record))])
    assert found in str(caught.value)
    assert "\n" not in str(caught.value)
