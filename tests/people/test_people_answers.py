"""Answers only ever grow: the same file adds nothing, a blank may be filled, an answer stays."""

import hashlib
import json

import pytest
from check_form import FORM, shown

from tutorscope.errors import RefusedError
from tutorscope.people.answers import drawn_items, keep, keep_drawn, rater_tables, take
from tutorscope.people.returned import Returned, Row


def back(run, path, rater="ann", again="1", **answers):
    """Take answers in: code to verdict."""
    rows = [
        Row(f"row {number}", code, rater, {"verdict": [said]}) for number, (code, said) in enumerate(answers.items(), 2)
    ]
    taken = take(FORM, drawn_items(run, FORM), Returned("sheet", rows), path.name)
    return keep(run, FORM, taken, path, json.dumps(answers).encode(), again)


def verdicts(run):
    frame = rater_tables(run, FORM)["rater_answers"]
    return [(r["rater"], r["pass"], r["item"], r["value"], r["reason"]) for r in frame.to_dict("records")]


@pytest.fixture
def codes(coded):
    return [code for code, _ in coded]


def files(run):
    return {path.name: path.read_bytes() for path in (run.inputs / "raters" / "check").iterdir()}


def test_the_same_file_again_changes_nothing(run, codes, tmp_path):
    assert (
        back(run, tmp_path / "a.csv", **{codes[0]: "agree", codes[1]: "what"}) == 1
    )  # the other one could not be read
    before = files(run)
    assert back(run, tmp_path / "a.csv", **{codes[0]: "agree", codes[1]: "what"}) == 0
    assert files(run) == before


def test_the_files_hash_and_counts_are_noted(run, codes, tmp_path):
    back(run, tmp_path / "a.csv", **{codes[0]: "agree", codes[1]: "what"})
    [line] = (run.inputs / "raters" / "check" / "imports.jsonl").read_text(encoding="utf-8").splitlines()
    noted = json.loads(line)["data"]
    sent = json.dumps({codes[0]: "agree", codes[1]: "what"}).encode()
    assert (noted["file"], noted["sha256"]) == ("a.csv", hashlib.sha256(sent).hexdigest())
    assert (noted["answers"], noted["unread"], noted["blanks"], noted["missing"]) == (1, 1, {"ann": 2}, {"ann": 1})


def test_a_changed_answer_is_refused_by_name_and_nothing_of_the_file_is_kept(run, codes, tmp_path):
    back(run, tmp_path / "a.csv", **{codes[0]: "agree"})
    before = files(run)
    with pytest.raises(RefusedError, match=rf"b.csv, row 3: ann answered 'agree' to verdict of {codes[0]} before, and"):
        back(run, tmp_path / "b.csv", **{codes[1]: "agree", codes[0]: "disagree"})
    assert files(run) == before


def test_a_second_pass_stands_beside_the_first(run, codes, tmp_path):
    back(run, tmp_path / "a.csv", **{codes[0]: "agree"})
    back(run, tmp_path / "b.csv", again="later", **{codes[0]: "disagree"})
    assert verdicts(run) == [("ann", "1", codes[0], "agree", None), ("ann", "later", codes[0], "disagree", None)]


def test_a_blank_may_be_filled_and_what_was_unread_may_be_mended(run, codes, tmp_path):
    back(run, tmp_path / "a.csv", **{codes[0]: "what", codes[1]: ""})
    assert verdicts(run) == [("ann", "1", codes[0], None, "unknown_label")]
    back(run, tmp_path / "b.csv", **{codes[0]: "agree", codes[1]: "agree"})
    assert verdicts(run) == [("ann", "1", codes[0], "agree", None), ("ann", "1", codes[1], "agree", None)]


def test_raters_whose_names_differ_by_case_or_signs_stay_apart(run, codes, tmp_path):
    for rater in ("ann", "Ann", "a/nn", "a nn"):
        back(run, tmp_path / "a.csv", rater, **{codes[0]: "agree"})
    assert sorted({rater for rater, *_ in verdicts(run)}) == ["Ann", "a nn", "a/nn", "ann"]
    assert len({name.lower() for name in files(run)}) == len(files(run)) == 6


def test_a_thing_drawn_again_keeps_its_id_and_its_first_strata(run, codes):
    other_view = keep_drawn(run, FORM, "j", [shown(0, bin="5"), shown(9)], {"seed": 1})
    assert other_view[0] == codes[0]
    items = rater_tables(run, FORM)["rater_items"].set_index("item")
    assert items.loc[codes[0], "bin"] == "1"
    assert list(items["source"]) == ["00", "01", "02", "09"]
    assert list(items["judged_verdict"]) == ["agree"] * 4


def test_another_judge_or_another_text_is_another_thing(run, codes):
    assert keep_drawn(run, FORM, "other", [shown(0)], {})[0] != codes[0]
    assert codes[0].startswith("check_")
