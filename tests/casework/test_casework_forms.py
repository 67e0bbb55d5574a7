"""The forms for raters: what is shown at which stage, and what counts as an answer."""

import csv
import io
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from tutorscope.casework import forms
from tutorscope.casework.instrument import CASEWORK
from tutorscope.casework.items import CHALLENGES
from tutorscope.cli.raters import raters
from tutorscope.errors import UserError
from tutorscope.models.speakers import speakers
from tutorscope.people.agreement import agreement_lines, rater_agreement
from tutorscope.people.forms import shown_text
from tutorscope.runs.folder import RunFolder
from tutorscope.runs.plan import draft, record

PARAMS: dict[str, Any] = {
    **{"data": "starter", "limit": 2, "form": "open", "horizon": "immediate", "permutations": 1, "as_released": False},
    **{"one_call": False, "replicates": 1, "demographics": None, "papers": None},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = RunFolder(tmp_path_factory.mktemp("casework") / "run")
    ask = CASEWORK.ask(PARAMS)
    tutor = speakers("tutor", ["t=scripted:known_casework:oracle"])
    folder.path.mkdir()
    record(draft(folder, CASEWORK, [ask], tutor), [ask], tutor)
    return folder


def raters_say(*words: Any) -> str:
    """Run a command of ``tutorscope raters``."""
    done = CliRunner().invoke(raters, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def fill(sheet: Path, column: str, *said: str) -> None:
    """Fill a column of a sheet, the same few answers over and over."""
    rows = list(csv.reader(io.StringIO(sheet.read_bytes().decode("utf-8-sig"), newline="")))
    place = next(n for n, head in enumerate(rows[0]) if head.startswith(column))
    for row, one in zip(rows[1:], itertools.cycle(said)):
        row[place] = one
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    sheet.write_bytes(text.getvalue().encode("utf-8-sig"))


def question(form, key):
    return next(one for one in form.questions if one.key == key)


def test_each_stage_of_the_material_is_offered(run):
    [pool] = forms.grounding_pools(run).values()
    assert {one.strata["stage"] for one in pool} == {"scenario", "strategy", "dialogue", "rubric"}
    assert len({one.id for one in pool}) == len(pool)


def test_raters_are_shown_what_the_run_asks(run):
    [pool] = forms.grounding_pools(run).values()
    assert {one.id.split("/")[0] for one in pool} == {"s001", "s002", "c001"}
    assert [one.id for one in pool if "rubric" in one.id] == ["c001/rubric-immediate"]
    assert {one.id for [pool] in [forms.challenge_pools(run).values()] for one in pool} == {
        "s001/challenge",
        "s002/challenge",
    }


def test_a_dialogue_is_shown_in_its_turns_and_its_type_is_asked(run):
    [pool] = forms.challenge_pools(run).values()
    first = pool[0]
    assert [line.speaker for line in first.lines][:2] == ["tutor", "student"]
    assert first.judged == {"confirmed": "yes"}
    assert first.facts["challenge type"] in shown_text(first)


def test_each_category_has_its_source_once(run):
    [pool] = forms.source_pools(run).values()
    assert [one.id for one in pool] == ["c001"]


def test_a_file_says_of_which_form_it_is_and_texts_are_counted(run, tmp_path):
    for form in ("sources", "challenge"):
        raters_say("sheets", run.path, "--form", form, "--out", tmp_path, "--raters", "ann,bob")
        (tmp_path / "instructions.txt").unlink()
    for who in ("ann", "bob"):
        fill(tmp_path / f"sources-{who}.csv", "summary", "word " * 30)
        fill(tmp_path / f"challenge-{who}.csv", "confirmed", "yes", "perhaps")
    said = raters_say("import", run.path, *sorted(tmp_path.glob("*.csv")))
    assert "challenge-ann.csv: sheet of ann: 1 answer, 1 new; not read: 1; blank: 2\n" in said
    assert "sources-bob.csv: sheet of bob: 1 answer, 1 new; blank: 0\n" in said
    sources = "summary, all, pass 1: 2 texts of 2 raters, which are not compared; unanswered 0, unread 0\n"
    assert raters_say("agree", run.path, "--form", "sources") == sources
    every = raters_say("agree", run.path)
    assert sources in every
    assert "confirmed, all, pass 1: 1 agree, 0 disagree of 1 (100.0 %)" in every
    found = json.loads(raters_say("agree", run.path, "--json"))
    assert {row["question"] for row in found["rater_agreement"]} == {"confirmed"}


def test_a_file_of_no_form_or_of_several_asks_for_the_form(run, tmp_path):
    for held, said in (
        ("item,x\nfoo,1\n", "nothing of a form of this run"),
        ("item\nsources_0123456789ab\ngrounding_0123456789ab\n", "things of several forms (sources, grounding)"),
    ):
        (tmp_path / "back.csv").write_text(held, encoding="utf-8")
        with pytest.raises(UserError, match=re.escape(f"back.csv: found {said}; say with --form which to take")):
            raters_say("import", run.path, tmp_path / "back.csv")


def test_a_summary_has_30_words_and_a_rationale_50_characters():
    summary = question(forms.SOURCES, "summary")
    assert summary.answer(["word " * 29]).reason == "too_short"
    assert summary.answer(["word " * 30]).reason is None
    for form, key in ((forms.GROUNDING, "rationale"), (forms.CHALLENGE_TYPE, "rationale_type")):
        assert question(form, key).answer(["x" * 49]).reason == "too_short"
        assert question(form, key).answer(["x" * 50]).reason is None


def test_ratings_per_stage_have_mean_shares_exact_agreement_and_ac1():
    items = pd.DataFrame(
        [
            {"form": "grounding", "item": f"i{n}", "source": f"s{n}", "judge": "", "title": "", "stage": "rubric"}
            for n in range(4)
        ]
    )
    said = {"a": ("3", "3", "2", "1"), "b": ("3", "3", "2", "2")}
    answers = pd.DataFrame(
        [
            {"form": "grounding", "rater": who, "pass": "1", "item": f"i{n}", "question": "grounded", "value": value}
            | {"reason": None}
            for who, values in said.items()
            for n, value in enumerate(values)
        ]
    )
    found = rater_agreement(forms.GROUNDING, {"rater_items": items, "rater_answers": answers}, ("stage",))
    row = found["rater_agreement"].set_index("by").loc["stage"]
    assert (row["group"], row["exact"], row["compared"]) == ("rubric", 0.75, 4)
    # pi = 1/8, 3/8, 4/8 of three: pe = (7/64 + 15/64 + 16/64) / 2 = 19/64; AC1 = (3/4 - 19/64) / (45/64).
    assert row["ac1"] == pytest.approx(29 / 45)
    shares = found["rater_shares"]
    shares = shares[shares["by"] == "stage"].set_index("label")
    assert shares["share"].to_dict() == {"1": 0.125, "2": 0.375, "3": 0.5}
    assert shares["mean"].iloc[0] == pytest.approx(19 / 8)
    assert agreement_lines({**found, "judge_agreement": pd.DataFrame()})[:2] == [
        "grounded, all, pass 1: raters 2, exact 75.0 %, AC1 0.644 on 4; unanswered 0, unread 0",
        "  of 8 answers: 1 12.5 %, 2 37.5 %, 3 50.0 %; mean 2.38",
    ]


def test_the_five_types_are_defined_where_they_are_asked():
    for key, label in CHALLENGES.items():
        assert re.search(rf"{re.escape(label)}: .{{40,}}", forms.CHALLENGE_TYPE.instructions), key
