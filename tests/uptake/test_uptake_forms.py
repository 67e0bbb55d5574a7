"""Raters of uptake, from a run to sheets and back to agreement, through the commands."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tutorscope.cli.raters import raters
from tutorscope.errors import UserError
from tutorscope.models.speakers import speakers
from tutorscope.people.forms import shown_text
from tutorscope.runs.execute import execute
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import draft, record
from tutorscope.runs.prices import read_prices
from tutorscope.runs.progress import Meter
from tutorscope.uptake.forms import UPTAKE_FORM, judges, pools, score_bin
from tutorscope.uptake.instrument import UPTAKE

WITH_FORM = replace(UPTAKE, forms=lambda: {"uptake": UPTAKE_FORM})

# Each chat: its exchanges' uptake as the judge will say it; the tutor opens. "?" cannot be read.
CHATS = {
    "Alpha": {**{f"a{n}": "11" for n in range(12)}, "half": "23", "low": "22", "x": "1?", "none": "??", "short": "1"},
    "Beta": {"b1": "55", "b2": "45"},
}


def turns(plan: str) -> Iterator[dict[str, str]]:
    yield {"speaker": "tutor", "text": "Hello, where are you stuck?"}
    for step in plan:
        yield {"speaker": "student", "text": "hm [?]" if step == "?" else f"my answer\n2 tutor: no [u{step}]"}
        yield {"speaker": "tutor", "text": "=go(on) [s4]"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunFolder]:
    folder = tmp_path_factory.mktemp("raters")
    for name, chats in CHATS.items():
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as out:
            for number, plan in chats.items():
                # Words of their own, so that no two chats are one.
                said = [{**turn, "text": f"{turn['text']} {number}"} for turn in turns(plan)]
                out.write(json.dumps({"id": number, "turns": said}) + "\n")
    params: dict[str, Any] = dict.fromkeys(["category_column", "roles", "columns", "encoding", "limit", "history"])
    params |= {"format": "auto", "same_speaker": "merge", "skip_bad": False, "separate": False, "ratings": 1}
    params["inputs"] = tuple(f"live={folder / name}.jsonl" for name in CHATS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        run = RunFolder(folder / "run")
        named = speakers("judge", ["first=scripted:known_judge:answer", "second=scripted:known_judge:answer"])
        ask = UPTAKE.ask(params)
        record(draft(run, UPTAKE, [ask], named), [ask], named)
        assert execute(draft(run, UPTAKE, (), named), Meter(read_prices(None), quiet=True)).complete
        yield run


@pytest.fixture
def run(made: RunFolder, tmp_path: Path) -> RunFolder:
    import shutil

    shutil.copytree(made.path, tmp_path / "run")
    return RunFolder(tmp_path / "run")


@pytest.fixture(autouse=True)
def _with_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutorscope.cli.instruments.instrument_named", lambda name: WITH_FORM)


def call(*words: Any) -> Result:
    return CliRunner().invoke(raters, [str(word) for word in words], catch_exceptions=False)


def sheets(run: RunFolder, out: Path, *words: Any) -> str:
    done = call("sheets", run.path, "--out", out, "--judge", "first", *words)
    assert done.exit_code == 0
    return done.output


def cells(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def fill(path: Path, verdicts: Any) -> None:
    """Fill a sheet: from what is shown to a verdict."""
    head, *rows = cells(path)
    verdict = next(place for place, name in enumerate(head) if name.startswith("verdict"))
    for row in rows:
        row[verdict] = verdicts(row[head.index("shown")])
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";").writerows([head, *rows])
    path.write_bytes(text.getvalue().encode("cp1252"))


@pytest.mark.parametrize(
    ("mean", "expected"), [(1.0, "1"), (1.49, "1"), (1.5, "2"), (2.5, "3"), (4.5, "5"), (5.0, "5")]
)
def test_means_round_half_up(mean, expected):
    assert score_bin(mean) == expected


def test_the_pool_holds_each_scored_chat_in_its_bin(made):
    found = pools(made)
    assert list(found) == ["first", "second"]
    bins = {(one.strata["dataset"], re.search(r"(\w+)$", one.likeness)[1]): one.strata["bin"] for one in found["first"]}
    ones = {("Alpha", f"a{n}"): "1" for n in range(12)}
    others = {
        ("Alpha", "half"): "3",
        ("Alpha", "low"): "2",
        ("Alpha", "x"): "1",
        ("Beta", "b1"): "5",
        ("Beta", "b2"): "5",
    }
    assert bins == {**ones, **others}


def test_raters_see_each_score_at_its_message(made):
    [shown] = [one for one in pools(made)["first"] if "half" in one.likeness]
    assert shown_text(shown).split("\n") == [
        "Chat from Alpha",
        "mean uptake: 2.5 of 5",
        "",
        "1 tutor: Hello, where are you stuck? half",
        "2 student (uptake 2 of 5): my answer",
        "    | 2 tutor: no [u2] half",
        "3 tutor: =go(on) [s4] half",
        "4 student (uptake 3 of 5): my answer",
        "    | 2 tutor: no [u3] half",
        "5 tutor: =go(on) [s4] half",
    ]
    [unread] = [one for one in pools(made)["first"] if one.likeness.endswith(" x")]
    assert re.search(r"^4 student \(no score: (\w+)\): hm \[\?\] x$", shown_text(unread), re.MULTILINE)[1] == "no_json"


def test_sheets_are_drawn_evenly_and_say_what_is_short(run, tmp_path):
    said = sheets(run, tmp_path / "out", "--raters", "ann,bob").splitlines()
    assert said == [
        "drawn: 13 of 17",
        "dataset Alpha, bin 2: 1 of 9 asked, all that there are",
        "dataset Alpha, bin 3: 1 of 9 asked, all that there are",
        "dataset Beta, bin 5: 2 of 9 asked, all that there are",
        f"written: {tmp_path / 'out' / 'uptake-ann.csv'}",
        f"written: {tmp_path / 'out' / 'uptake-bob.csv'}",
        f"written: {tmp_path / 'out' / 'instructions.txt'}",
    ]
    ann, bob = (cells(tmp_path / "out" / f"uptake-{name}.csv") for name in ("ann", "bob"))
    assert ann[0] == ["item", "rater", "shown", "verdict (agree / disagree)", "note (optional)"]
    assert {row[1] for row in ann[1:]} == {"ann"}
    assert [row[0] for row in ann] == [row[0] for row in bob]
    kept = [
        json.loads(line)["data"]
        for line in (run.inputs / "raters/uptake/items.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    ones = [one["strata"]["band"] for one in kept if one["strata"]["bin"] == "1"]
    assert sorted(ones) == ["middle"] * 3 + ["outlier"] * 3 + ["typical"] * 3
    assert kept[0]["draw"] == {"per_bin": 9, "seed": 0, "embedder": "wordllama"}


def test_the_same_draw_again_is_the_same_and_a_filled_sheet_is_not_written_over(run, tmp_path):
    sheets(run, tmp_path / "out")
    items = (run.inputs / "raters/uptake/items.jsonl").read_bytes()
    sheets(run, tmp_path / "out")
    assert (run.inputs / "raters/uptake/items.jsonl").read_bytes() == items
    fill(tmp_path / "out" / "uptake.csv", lambda shown: "agree")
    with pytest.raises(UserError, match=r"uptake.csv: is there already and may hold answers"):
        sheets(run, tmp_path / "out")


def test_filled_sheets_become_the_papers_table(run, tmp_path):
    out = tmp_path / "out"
    sheets(run, out, "--raters", "ann,bob")
    fill(out / "uptake-ann.csv", lambda shown: "Agree " if "mean uptake: 1 " in shown else "disagree")
    fill(out / "uptake-bob.csv", lambda shown: "" if "Beta" in shown else "AGREE")
    said = call("import", run.path, out / "uptake-ann.csv", out / "uptake-bob.csv").output.splitlines()
    assert said == [
        f"{out / 'uptake-ann.csv'}: sheet of ann: 13 answers, 13 new; blank: 0",
        f"{out / 'uptake-bob.csv'}: sheet of bob: 11 answers, 11 new; blank: 2",
    ]
    numbers = json.loads(call("agree", run.path, "--json").output)
    rows = {(row["by"], row["group"]): row for row in numbers["rater_agreement"]}
    named = ("items", "total", "agree", "disagree", "unanswered")
    assert [rows["all", "all"][name] for name in named] == [13, 12, 10, 2, 2]
    assert [rows["dataset", "Alpha"][name] for name in named] == [11, 11, 10, 1, 0]
    assert [rows["dataset", "Beta"][name] for name in named] == [2, 1, 0, 1, 2]
    assert rows["dataset", "Beta"]["why_no_ac1"] == "no unit has two ratings"
    assert [rows["bin", "1"][name] for name in named] == [9, 9, 9, 0, 0]
    assert rows["bin", "1"]["ac1"] == 1
    assert rows["bin", "2"]["percent_agree"] == 50
    assert {path.name for path in run.tables.glob("*.csv")} >= {"rater_agreement.csv", "judge_agreement.csv"}


def test_two_judges_are_compared_exchange_by_exchange(made):
    scaffolding, uptake = judges(made)
    assert (scaffolding.name, uptake.name) == ("scaffolding", "uptake")
    # 18 valid chats of two exchanges; three exchanges could not be read.
    assert len(uptake.ratings) == 2 * 36
    assert int(uptake.ratings["value"].isna().sum()) == 2 * 3
    numbers = json.loads(call("agree", made.path, "--json").output)
    [row] = [r for r in numbers["judge_agreement"] if r["scale"] == "uptake" and r["by"] == "all"]
    assert (row["units"], row["compared"], row["left_out"], row["exact"], row["ac1"]) == (36, 33, 3, 1, 1)


@pytest.mark.parametrize("tool", ["label-studio", "potato"])
def test_projects_for_other_tools_are_written_and_their_answers_taken(run, tmp_path, tool):
    out = tmp_path / "out"
    sheets(run, out, "--as", tool)
    if tool == "potato":
        items = [json.loads(line) for line in (out / "items.jsonl").read_text(encoding="utf-8").splitlines()]
        stored = {item["id"]: [[{"schema": "verdict", "name": "agree"}, "true"]] for item in items}
        back: Any = {"user_id": "ann", "instance_id_to_label_to_value": stored}
    else:
        said = {"from_name": "verdict", "to_name": "lines", "type": "choices", "value": {"choices": ["agree"]}}
        back = json.loads((out / "tasks.json").read_text(encoding="utf-8"))
        for task in back:
            task["annotations"] = [{"id": 1, "completed_by": 1, "result": [said]}]
    (tmp_path / "back.json").write_text(json.dumps(back), encoding="utf-8")
    said_line = call("import", run.path, tmp_path / "back.json").output
    who = "ann" if tool == "potato" else "annotator-1"
    assert said_line == f"{tmp_path / 'back.json'}: {tool} of {who}: 13 answers, 13 new; blank: 0\n"


def test_what_could_not_be_taken_is_told_with_its_row(run, tmp_path):
    out = tmp_path / "out"
    sheets(run, out, "--raters", "ann")
    fill(out / "uptake-ann.csv", lambda shown: "agre" if "Beta" in shown else "agree")
    held = (out / "uptake-ann.csv").read_text("cp1252")
    lines = held.replace("uptake_", "uptake_0", 1)
    (out / "uptake-ann.csv").write_text(lines, "cp1252", newline="")
    said = call("import", run.path, out / "uptake-ann.csv").output
    assert "set aside (unknown_item): 1: row 2" in said
    assert "drawn but not in the file, for ann: 1" in said
    assert re.search(r"not read \(unknown_label\): row \d+, verdict: 'agre'", said)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sheets", "--out", "o"], "several judges: say with --judge whose ratings to check: first, second"),
        (["sheets", "--out", "o", "--judge", "third"], "no ratings of 'third'; there are those of: first, second"),
        (["sheets", "--out", "o", "--form", "casework"], "no form 'casework' of uptake; there are: uptake"),
        (["import", "nowhere.csv"], "nowhere.csv: cannot be read"),
    ],
)
def test_questions_end_in_the_flag_that_answers_them(run, words, message):
    with pytest.raises(UserError, match=re.escape(message)):
        call(words[0], run.path, *words[1:])
