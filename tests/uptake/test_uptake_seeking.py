"""Help-seeking: its own calls, labels and shares, added to a run whose ratings stay as they are."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tutorscope.cli.main import cli
from tutorscope.pictures.blocks import Table
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.tables import gather
from tutorscope.texts.templates import load_template
from tutorscope.uptake.instrument import UPTAKE
from tutorscope.uptake.rating import PROMPTS
from tutorscope.uptake.seeking import LABELS

CHATS = [
    ["do it for me", "ok", "a hint please", "ok", "thanks", "ok"],
    ["once a hint", "ok", "mumble", "ok"],
    ["short", "ok"],
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunFolder]:
    """Rate chats first, then ask the same run for the label."""
    folder = tmp_path_factory.mktemp("seeking")
    with (folder / "log.jsonl").open("w", encoding="utf-8") as out:
        for number, said in enumerate(CHATS):
            turns = [{"speaker": ("student", "tutor")[i % 2], "text": text} for i, text in enumerate(said)]
            out.write(json.dumps({"id": f"c{number}", "turns": turns}) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        judge = ["--judge", "w=scripted:word_judge:seeks", "--out", str(folder / "run")]
        first = CliRunner().invoke(cli, ["uptake", "run", f"live={folder / 'log.jsonl'}", *judge])
        assert first.exit_code == 0, first.output
        before = {path.name: path.read_bytes() for path in (folder / "run" / "logs" / "score").iterdir()}
        second = CliRunner().invoke(cli, ["uptake", "run", *judge, "--help-seeking", "--json"])
        assert second.exit_code == 0, second.output
        after = {path.name: path.read_bytes() for path in (folder / "run" / "logs" / "score").iterdir()}
        assert before == after
        yield RunFolder(folder / "run")


def test_only_the_labels_are_asked_later(run: RunFolder) -> None:
    calls = [
        json.loads(line) for path in run.calls.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()
    ]
    # Five ratings; then five labels, one asked twice and one three times.
    assert len(calls) == 5 + 5 + 1 + 2


def test_every_message_has_a_label_or_a_reason(run: RunFolder) -> None:
    held = gather(UPTAKE, [run])["help_seeking"]
    assert held["label"].fillna("?").tolist() == ["executive", "instrumental", "neither", "instrumental", "?"]
    assert held["reason"].dropna().tolist() == ["no_json"]
    assert held["unread_replies"].tolist() == [0, 0, 0, 1, 3]


def test_shares_are_of_what_could_be_read_with_the_rest_beside(run: RunFolder) -> None:
    tables = gather(UPTAKE, [run])
    shares = UPTAKE.measures(tables)["help_seeking_shares"]
    assert dict(zip(shares["label"], shares["count"], strict=True)) == dict(zip(LABELS, (2, 1, 1), strict=True))
    assert shares["share"].tolist() == [0.5, 0.25, 0.25]
    assert set(shares["messages"]) == {4}
    assert set(shares["unread"]) == {1}
    # Resampled by chat: one in three of c0 and all of c1 are instrumental.
    assert (shares["low"][0], shares["high"][0]) == (pytest.approx(1 / 3), 1)


def test_the_page_has_a_section_for_it_and_counts_what_was_not_read(run: RunFolder, tmp_path: Path) -> None:
    tables = gather(UPTAKE, [run])
    numbers = UPTAKE.measures(tables)
    sections = {section.anchor: section for section in UPTAKE.sections(tables, numbers, tmp_path, "none")}
    (table,) = [block for block in sections["help-seeking"].blocks if isinstance(block, Table)]
    assert table.frame["interval"].iloc[0] == "33%\u00a0to\u00a0100%"
    unread = numbers["unread"]
    assert unread[unread["what"] == "message's help-seeking"]["count"].tolist() == [1]


def test_the_prompt_fills_only_its_last_part_and_its_examples_are_labels() -> None:
    template = load_template(PROMPTS, "help-seeking")
    assert set(template.slots) == {"task", "history", "message"}
    system, _ = template.messages({"task": "<t>", "history": "<h>", "message": "<m>"})
    examples = [json.loads(line) for line in system["content"].splitlines() if line.startswith("{")]
    assert {example["help_seeking"] for example in examples} == set(LABELS)
