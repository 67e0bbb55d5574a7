"""Logs as the user names them, and what enters a run."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tutorscope.errors import UserError
from tutorscope.runs.inputs import added_items
from tutorscope.uptake.instrument import UPTAKE
from tutorscope.uptake.items import Named, parse_named, read_logs

READING = {
    "category_column": None,
    "format": "auto",
    "roles": None,
    "columns": None,
    "encoding": None,
    "same_speaker": "merge",
    "skip_bad": False,
    "limit": None,
}


def openai_log(path: Path, *chats: list[str], **fields: Any) -> Path:
    """Write a log: each chat a list of messages, the student first."""
    with path.open("w", encoding="utf-8") as out:
        for number, said in enumerate(chats):
            messages = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(said)]
            extra = {name: values[number] for name, values in fields.items()}
            out.write(json.dumps({"id": f"chat-{number}", "messages": messages, **extra}) + "\n")
    return path


def read(*inputs: str, **options: Any) -> Any:
    return read_logs({**READING, "inputs": inputs, **options})


LONG = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("benchmark=a.jsonl", Named("benchmark", "", Path("a.jsonl"))),
        ("benchmark:Math Dial=a.jsonl", Named("benchmark", "Math Dial", Path("a.jsonl"))),
        ("with scaffolding=dir/a=b.csv", Named("with scaffolding", "", Path("dir/a=b.csv"))),
    ],
)
def test_labels_and_datasets_are_read(text: str, expected: Named) -> None:
    assert parse_named(text) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [("a.jsonl", "no label"), ("=a.jsonl", "empty label"), ("x:=a.jsonl", "empty dataset"), ("x=", "empty file")],
)
def test_what_is_missing_in_a_name_is_said(text: str, found: str) -> None:
    with pytest.raises(UserError, match=f"{found}.*LABEL=FILE"):
        parse_named(text)


def test_with_a_column_for_the_category_files_stand_alone() -> None:
    assert parse_named("a.jsonl", by_column=True) == Named("", "", Path("a.jsonl"))
    assert parse_named("mine=a.jsonl", by_column=True) == Named("", "mine", Path("a.jsonl"))


def test_chats_enter_as_read_the_invalid_ones_too(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG, ["a", "b"], LONG)
    (one,), notes = read(f"live={path}")
    assert one.name == "chats/log"
    assert [item.label for item in one.items] == ["chat-0", "chat-1", "chat-2"]
    assert [item.data["category"] for item in one.items] == ["live"] * 3
    assert [turn["text"] for turn in one.items[1].data["chat"]["turns"]] == ["a", "b"]
    assert (one.facts["chats"], one.facts["valid_chats"], one.facts["reasons"]["too_short"]) == (3, 2, 1)
    assert notes == [
        "live: log: openai, 2 of 3 chats valid, 5 of 5 exchanges; set aside: no_framing_yet 3, too_short 1"
    ]


def test_the_id_is_the_datasets_name_and_the_content_and_equal_chats_are_told_apart(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG, LONG, ["x", "y", "z", "w"])
    (one,), _ = read(f"live:Mine={path}")
    first, second, third = (item.id for item in one.items)
    assert first.startswith("Mine:")
    assert second == f"{first}-2"
    assert third.rpartition("-")[0] == ""


def test_a_log_that_has_grown_is_growth(tmp_path: Path) -> None:
    held = read(f"live={openai_log(tmp_path / 'log.jsonl', LONG)}")[0][0].items
    asked = read(f"live={openai_log(tmp_path / 'log.jsonl', LONG, ['x', 'y', 'z', 'w'])}")[0][0].items
    assert [item.label for item in added_items(held, asked, "log")] == ["chat-1"]


def test_a_larger_limit_is_a_superset_in_file_order(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG, ["a", "b"], ["x", "y", "z", "w"])
    small = [item.id for item in read(f"live={path}", limit=2)[0][0].items]
    assert small == [item.id for item in read(f"live={path}")[0][0].items][:2]


def test_two_logs_of_one_dataset_name_are_refused(tmp_path: Path) -> None:
    a = openai_log(tmp_path / "log.jsonl", LONG)
    (tmp_path / "other").mkdir()
    b = openai_log(tmp_path / "other" / "Log.jsonl", LONG)
    with pytest.raises(UserError, match=r"dataset name 'Log' is that of .*log.jsonl too"):
        read(f"x={a}", f"y={b}")


def test_a_name_that_is_no_file_name_gets_one_of_its_own(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG)
    names = {read(f"x:{name}={path}")[0][0].name for name in ("../up", ".._up", "a b", "a/b")}
    assert len(names) == 4
    assert all("/" not in name.removeprefix("chats/") for name in names)


def test_the_category_can_come_from_the_log(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG, ["x", "y", "z", "w"], arm=["hints", " plain "])
    (one,), notes = read(str(path), category_column="arm")
    assert [item.data["category"] for item in one.items] == ["hints", "plain"]
    assert notes[0].startswith("2 categories: log: ")


def test_a_chat_without_a_category_is_named(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG, ["x", "y"], arm=["hints", ""], site=["p", "q"])
    with pytest.raises(UserError, match=r"chat 'chat-1': no value for --category-column arm; .*arm, site"):
        read(str(path), category_column="arm")


def test_another_label_for_a_chat_that_the_run_holds_is_refused(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG)
    held = read(f"live={path}")[0][0].items
    with pytest.raises(UserError, match="stay what they were"):
        added_items(held, read(f"benchmark={path}")[0][0].items, "log")


def test_personal_fields_are_dropped_and_named(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG, email=["someone@example.org"])
    (one,), notes = read(f"live={path}")
    assert "example.org" not in json.dumps(one.items[0].data)
    assert notes[0].endswith("; personal fields dropped: email")


def check(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(UPTAKE.check_command(), args)
    return (2, str(result.exception)) if isinstance(result.exception, UserError) else (result.exit_code, result.output)


def test_check_counts_what_a_log_would_give(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG, ["a", "b"])
    assert check(f"live={path}") == (
        0,
        "live: log: openai, 1 of 2 chats valid, 3 of 3 exchanges; set aside: no_framing_yet 2, too_short 1\n",
    )
    code, output = check(f"live={path}", "--json")
    assert code == 0
    assert json.loads(output)[0]["valid_chats"] == 1


def test_check_without_a_log_says_how_to_name_one() -> None:
    assert check() == (2, "no log is named: expected LABEL=FILE, such as benchmark=chats.jsonl")


@pytest.mark.parametrize(
    ("option", "value"), [("limit", 3), ("category_column", "arm"), ("same_speaker", "keep"), ("skip_bad", True)]
)
def test_an_option_that_says_how_to_read_needs_a_log(option: str, value: Any) -> None:
    params = {**READING, "inputs": (), "separate": False, "history": None, "ratings": 1, option: value}
    with pytest.raises(UserError, match="no log is named"):
        UPTAKE.ask(params)


def test_an_ask_records_what_decides_a_cell(tmp_path: Path) -> None:
    path = openai_log(tmp_path / "log.jsonl", LONG)
    params = {**READING, "inputs": (f"x={path}",), "separate": True, "history": 4, "ratings": 3}
    asked = UPTAKE.ask(params)
    assert asked.options == {"separate": True, "history": 4, "ratings": 3, "help_seeking": False}
    assert len(asked.inputs) == len(asked.notes) == 1


def test_mathtutorbench_gives_the_papers_count(shared: Path) -> None:
    files = sorted((shared / "mathtutorbench").glob("*.json*"))
    assert len(files) == 2
    sets, _ = read(*(f"benchmark={path}" for path in files))
    assert sum(one.facts["valid_chats"] for one in sets) == 374
    assert sum(len(one.items) for one in sets) == 1477


def test_mathdial_gives_520_of_599(shared: Path) -> None:
    (path,) = [p for p in (shared / "mathdial").iterdir() if "test" in p.name and p.suffix in (".jsonl", ".csv")][:1]
    (one,), _ = read(f"benchmark:MathDial={path}")
    assert (one.facts["valid_chats"], one.facts["chats"]) == (520, 599)
