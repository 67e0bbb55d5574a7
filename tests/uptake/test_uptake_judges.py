"""Agreement in the report: judges side by side, and raters' answers with the paper's rows."""

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from tutorscope.cli.main import cli
from tutorscope.pictures.blocks import Table
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.tables import gather
from tutorscope.uptake.instrument import UPTAKE
from tutorscope.uptake.published import published_agreement
from tutorscope.uptake.validity_sections import validity_blocks

# (uptake, scaffolding) of each exchange, as the first judge says; the second says 2 and 4 to all.
CHATS = ["24 23 22", "34 24", "2? 21"]


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    folder = tmp_path_factory.mktemp("judges")
    with (folder / "log.jsonl").open("w", encoding="utf-8") as out:
        for number, plan in enumerate(CHATS):
            turns = [{"speaker": "tutor", "text": "Hello"}]
            for uptake, scaffolding in plan.split():
                student = f"x [u{uptake}]" if scaffolding != "?" else "x [?]"
                turns += [{"speaker": "student", "text": student}, {"speaker": "tutor", "text": f"y [s{scaffolding}]"}]
            out.write(json.dumps({"id": f"c{number}", "turns": turns}) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        judges = ["--judge", "one=scripted:known_judge:answer", "--judge", "two=scripted:word_judge:kinder"]
        asked = ["uptake", "run", f"live={folder / 'log.jsonl'}", *judges, "--out", str(folder / "run"), "--json"]
        done = CliRunner().invoke(cli, asked)
        assert done.exit_code == 0, done.output
    return dict(UPTAKE.measures(gather(UPTAKE, [RunFolder(folder / "run")])))


def test_judges_are_compared_exchange_by_exchange(numbers: dict[str, pd.DataFrame]) -> None:
    held = numbers["judge_agreement"]
    found = {row["scale"]: row for row in held[held["by"] == "all"].to_dict("records")}
    uptake, scaffolding = found["uptake"], found["scaffolding"]
    assert {uptake["judge_a"], uptake["judge_b"]} == {"judge one", "judge two"}
    assert [uptake[name] for name in ("units", "compared", "left_out")] == [7, 6, 1]
    # Uptake 2 2 2 3 2 2 against 2; scaffolding 4 3 2 4 4 1 against 4.
    assert (uptake["exact"], uptake["within_one"]) == (pytest.approx(5 / 6), 1)
    assert (scaffolding["exact"], scaffolding["within_one"]) == (pytest.approx(3 / 6), pytest.approx(4 / 6))
    # One who always says the same agrees by chance alone: kappa 0, and no correlation to be had.
    assert scaffolding["kappa"] == pytest.approx(0)
    assert pd.isna(scaffolding["rho"])
    assert "rho: the second is constant" in scaffolding["why_none"]


def test_the_page_shows_them(numbers: dict[str, pd.DataFrame]) -> None:
    (table,) = [block for block in validity_blocks(numbers) if isinstance(block, Table)]
    assert table.name == "judge_agreement"
    assert table.frame["by"].tolist() == ["all", "dataset"] * 2


def test_raters_rows_have_the_papers_beside_them() -> None:
    row = {
        **{"judge": "one", "pass": "1", "question": "verdict", "by": "bin", "group": "2", "raters": 2, "items": 3},
        **{"total": 3.0, "agree": 2.5, "disagree": 0.5, "percent_agree": 250 / 3, "ac1": 0.6, "ac1_low": 0.1},
        **{"ac1_high": 1.0, "compared": 3, "unanswered": 0, "unread": 0},
    }
    rows = [row, {**row, "by": "all", "group": "all"}, {**row, "by": "dataset", "group": "StemChat"}]
    empty = pd.DataFrame()
    blocks = validity_blocks({"validation": empty, "rater_agreement": pd.DataFrame(rows), "judge_agreement": empty})
    found = {block.name: block.frame for block in blocks if isinstance(block, Table)}
    assert list(found) == ["rater_agreement_all", "rater_agreement_dataset", "rater_agreement_bin"]
    published = {name: dict(frame.iloc[1]) for name, frame in found.items()}
    assert published["rater_agreement_bin"]["percent_agree"] == 56.8
    assert published["rater_agreement_all"]["total"] == 282
    assert published["rater_agreement_dataset"]["ac1"] == 0.874
    assert "judge" not in found["rater_agreement_bin"]


def test_published_agreement_is_found_by_what_it_is_about() -> None:
    assert published_agreement("dataset", "all") is None
    assert published_agreement("bin", "6") is None
    assert published_agreement("all", "all") == {
        **{"raters": 2, "total": 282, "agree": 222.5, "disagree": 59.5, "percent_agree": 78.9, "ac1": 0.58}
    }
