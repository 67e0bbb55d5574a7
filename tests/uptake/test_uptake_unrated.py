"""Runs of which nothing, or nothing yet, was rated: tables, numbers and page stand on plan and inputs alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from tutorscope.errors import RefusedError, UserError
from tutorscope.models.speakers import speakers
from tutorscope.pictures.blocks import Reader, Table
from tutorscope.runs.estimate import estimate
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import Job, draft, record
from tutorscope.runs.prices import read_prices
from tutorscope.runs.tables import gather
from tutorscope.uptake.instrument import UPTAKE

CHATS = [
    ["T", "S", "T", "S", "T"],
    ["S", "S", "T", "T", "S", "T"],
    ["S", "T"],
    ["T"],
    ["S", "T", "", "S", "T"],
]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def log(folder: Path, name: str = "log") -> Path:
    path = folder / f"{name}.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for number, said in enumerate(CHATS):
            turns = [
                {"speaker": {"S": "student", "T": "tutor"}.get(who, "student"), "text": f"{who and number}"}
                for who in said
            ]
            out.write(json.dumps({"id": f"c{number}", "turns": turns}) + "\n")
    return path


def asked(run: RunFolder, *inputs: str, judge: str | None = "known=scripted:known_judge:answer", **options: Any) -> Job:
    """Ask a run for something and write it down; nothing is executed."""
    params = {
        "inputs": inputs,
        "category_column": None,
        "format": "auto",
        "roles": None,
        "columns": None,
        "encoding": None,
        "same_speaker": "merge",
        "skip_bad": False,
        "limit": None,
        "separate": False,
        "history": None,
        "ratings": 1,
        **options,
    }
    prompts = params.pop("prompts", None)
    ask = UPTAKE.ask(params)
    judges = speakers("judge", [judge] if judge else [])
    job = draft(run, UPTAKE, [ask], judges, prompts=prompts)
    record(job, [ask], judges)
    return draft(run, UPTAKE)


def test_chats_that_are_not_rated_yet_are_counted_as_that(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    asked(run, f"live={log(tmp_path)}")
    tables = gather(UPTAKE, [run])
    assert list(tables["chats"]["reason"]) == ["not_rated", "not_rated", "too_short", "no_student", "not_rated"]
    numbers = UPTAKE.measures(tables)
    assert list(UPTAKE.headline(tables, numbers)) == [
        "live: no chat is scored; 0 scored of 3 valid of 5 chats",
        "3 valid chats are not rated yet",
    ]
    sections = UPTAKE.sections(tables, numbers, tmp_path, "sample")
    (reader,) = [block for section in sections for block in section.blocks if isinstance(block, Reader)]
    assert [one.cell for one in reader.transcripts] == [""] * 5


def test_without_a_judge_the_headline_says_what_to_name(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    asked(run, f"live={log(tmp_path)}", judge=None)
    tables = gather(UPTAKE, [run])
    numbers = UPTAKE.measures(tables)
    assert UPTAKE.headline(tables, numbers) == ["nothing was rated: name a judge with --judge"]
    assert [section.anchor for section in UPTAKE.sections(tables, numbers, tmp_path, "none")] == ["result", "unread"]


def test_without_a_log_the_headline_says_what_to_name(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    asked(run)
    tables = gather(UPTAKE, [run])
    assert UPTAKE.headline(tables, UPTAKE.measures(tables)) == [
        "nothing was rated: name a log, such as benchmark=chats.jsonl"
    ]


def test_under_a_dataset_that_the_paper_has_stands_the_papers_row(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    asked(run, f"benchmark:pats={log(tmp_path)}", f"live:mine={log(tmp_path, 'other')}")
    tables = gather(UPTAKE, [run])
    sections = UPTAKE.sections(tables, UPTAKE.measures(tables), tmp_path, "none")
    (table,) = [
        block for one in sections for block in one.blocks if isinstance(block, Table) and block.name == "datasets"
    ]
    shown = table.frame[["dataset", "source", "chats", "valid", "uptake_mean"]]
    assert shown.fillna(-9).to_numpy().tolist() == [
        ["pats", "this run", 5, 3, -9],
        ["pats", "published", 1920, 1920, 0.59],
        ["mine", "this run", 5, 3, -9],
    ]


def test_turns_carry_their_exchange_and_tag(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    asked(run, f"live={log(tmp_path)}")
    turns = gather(UPTAKE, [run])["turns"]
    merged = turns[turns["chat"] == turns["chat"].unique()[1]]
    assert list(merged["exchange"]) == [1, 1, 1, 1, 2, 2]
    first = turns[turns["chat"] == turns["chat"].unique()[0]]
    assert list(first["exchange"]) == [0, 1, 1, 2, 2]
    assert list(first["tag"].fillna("")) == ["opening", "", "", "", ""]


def test_kept_apart_a_second_reply_belongs_to_no_exchange(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    asked(run, f"live={log(tmp_path)}", same_speaker="keep")
    turns = gather(UPTAKE, [run])["turns"]
    kept = turns[turns["chat"] == turns["chat"].unique()[1]]
    assert list(kept["exchange"].fillna(-1)) == [1, 2, 2, -1, 3, 3]
    assert list(kept["tag"].fillna("")) == ["empty_tutor", "", "", "unpaired", "", ""]


def test_more_ratings_another_judge_and_another_condition_are_growth(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    path = log(tmp_path)
    stage = UPTAKE.stages()[0]

    def cells(job: Job) -> dict[str, int]:
        return {cell.key: cell.replicates for cell in job.cells(stage)}

    first = cells(asked(run, f"live={path}"))
    assert list(first) == ["score|judge=known|history=0|separate=false"]
    assert cells(asked(run, ratings=3)) == {next(iter(first)): 3}
    assert cells(asked(run, ratings=2)) == {next(iter(first)): 3}
    grown = cells(asked(run, judge="other=scripted:known_judge:answer", separate=True, history=2))
    assert grown == {next(iter(first)): 3, "score|judge=other|history=2|separate=true": 1}


def test_units_are_the_valid_chats_one_for_each_rating(tmp_path: Path) -> None:
    job = asked(RunFolder(tmp_path / "run"), f"live={log(tmp_path)}", ratings=2)
    stage = UPTAKE.stages()[0]
    (cell,) = job.cells(stage)
    units = list(stage.units(job, cell, lambda stage: ()))
    assert [
        (job.items["chats/log"].index(next(i for i in job.items["chats/log"] if i.id == u.item)), u.replicate)
        for u in units
    ] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (4, 0),
        (4, 1),
    ]


def test_another_prompt_is_refused_by_name(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    path = log(tmp_path)
    asked(run, f"live={path}")
    own = tmp_path / "prompts"
    own.mkdir()
    (own / "judge.md").write_text("Rate {{exchange}} after {{history}} on {{task}}.", encoding="utf-8")
    with pytest.raises(RefusedError, match="rubric judge was"):
        asked(run, f"live={path}", prompts=own)


def test_a_chat_that_is_joined_otherwise_is_another_item(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    path = log(tmp_path)
    asked(run, f"live={path}")
    with pytest.raises(RefusedError, match="stay what they were"):
        asked(run, f"live={path}", same_speaker="keep")


def test_an_own_prompt_with_another_slot_names_it(tmp_path: Path) -> None:
    own = tmp_path / "prompts"
    own.mkdir()
    (own / "judge.md").write_text("Rate {{exchange}} after {{chat}} on {{task}}.", encoding="utf-8")
    with pytest.raises(UserError, match=r"judge.md: \{\{history\}\} is missing and \{\{chat\}\} is not a slot"):
        asked(RunFolder(tmp_path / "run"), f"live={log(tmp_path)}", prompts=own)


def test_the_estimate_counts_calls_from_the_chats_themselves(tmp_path: Path) -> None:
    together = estimate(asked(RunFolder(tmp_path / "a"), f"live={log(tmp_path)}"), read_prices(None))
    apart = estimate(asked(RunFolder(tmp_path / "b"), f"live={log(tmp_path)}", separate=True), read_prices(None))
    # Three valid chats of two exchanges; two of them were opened by the student.
    assert [(row.units, row.least, row.expected, row.most) for row in together] == [(3, 6, 6, 18)]
    assert [(row.least, row.most) for row in apart] == [(10, 30)]
    assert 6 * 1000 < together[0].input_tokens < 6 * 2000


def test_two_runs_stay_apart(tmp_path: Path) -> None:
    runs = [RunFolder(tmp_path / name) for name in ("first", "second")]
    for run in runs:
        asked(run, f"live={log(tmp_path)}")
    tables = gather(UPTAKE, runs)
    assert [line.partition(":")[0] for line in UPTAKE.headline(tables, UPTAKE.measures(tables))] == [
        "live (run first)",
        "live (run second)",
        "6 valid chats are not rated yet",
    ]
