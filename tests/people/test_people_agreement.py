"""Agreement from answers whose numbers are known."""

import math

import pandas as pd
import pytest
from check_form import FORM

from tutorscope.people.agreement import agreement_lines, judge_agreement, rater_agreement, text_lines, together
from tutorscope.people.forms import Form, JudgeScale, Question

VERDICT = Form("check", "t", "i", (Question("verdict", "?", "choice", ("agree", "disagree")),))


def tables(pairs, question="verdict", form="check"):
    """Make tables of (stratum, answer of r1, answer of r2): None is a blank, "?" could not be read."""
    items, answers = [], []
    for number, (group, *said) in enumerate(pairs):
        code = f"check_{number}"
        items.append({"form": form, "item": code, "source": str(number), "judge": "j", "title": "t", "dataset": group})
        items[-1] |= {f"judged_{question}": "agree"}
        for rater, value in enumerate(said, 1):
            if value is not None:
                read, reason = (None, "unknown_label") if value == "?" else (value, None)
                answers.append([form, f"r{rater}", "1", code, question, read, reason])
    columns = ["form", "rater", "pass", "item", "question", "value", "reason"]
    return {"rater_items": pd.DataFrame(items), "rater_answers": pd.DataFrame(answers, columns=columns)}


def row(frame, **where):
    for name, value in where.items():
        frame = frame[frame[name] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_counts_are_averaged_over_raters_as_in_the_papers_tables():
    a, d = "agree", "disagree"
    # 20 chats of one dataset of which the raters reject 8 and 9, 8 of them together: 11.5 agree, 8.5 disagree.
    pairs = [("M", d, d)] * 8 + [("M", a, d)] + [("M", a, a)] * 11 + [("P", a, a)] * 4
    numbers = rater_agreement(VERDICT, tables(pairs), ["dataset"])["rater_agreement"]
    found = row(numbers, by="dataset", group="M")
    assert (found["total"], found["agree"], found["disagree"], found["percent_agree"]) == (20, 11.5, 8.5, 57.5)
    assert row(numbers, by="all")[["items", "total", "agree", "disagree"]].tolist() == [24, 24, 15.5, 8.5]
    assert row(numbers, by="dataset", group="P")["percent_agree"] == 100


def test_ac1_between_raters_has_the_known_digits():
    a, d = "agree", "disagree"
    pairs = [("A", a, a)] * 20 + [("A", a, d)] * 3 + [("A", d, a)] * 2 + [("A", d, d)] * 3
    found = row(rater_agreement(VERDICT, tables(pairs), [])["rater_agreement"], by="all")
    assert found[["ac1", "ac1_low", "ac1_high"]].round(5).tolist() == [0.73905, 0.48594, 0.99216]
    assert (found["compared"], found["exact"]) == (28, 23 / 28)


def test_blanks_and_unread_answers_are_counted_and_never_imputed():
    pairs = [("A", "agree", None), ("A", "agree", "?"), ("A", "disagree", "agree"), ("A", None, None)]
    found = row(rater_agreement(VERDICT, tables(pairs), [])["rater_agreement"], by="all")
    assert found[["items", "raters", "unanswered", "unread"]].tolist() == [4, 2, 3, 1]
    assert found[["total", "agree", "disagree", "percent_agree"]].tolist() == [2, 1.5, 0.5, 75]
    assert found["compared"] == 1


def test_one_rater_has_agreement_with_the_judge_and_none_with_another():
    found = row(rater_agreement(VERDICT, tables([("A", "agree"), ("A", "disagree")]), [])["rater_agreement"], by="all")
    assert (found["percent_agree"], found["why_no_ac1"]) == (50, "no unit has two ratings")
    assert math.isnan(found["ac1"])


def test_labels_that_nobody_chose_count_for_ac1():
    pairs = [("A", "agree", "agree"), ("A", "agree", "disagree"), ("A", "disagree", "disagree")]
    two = row(rater_agreement(VERDICT, tables(pairs), [])["rater_agreement"], by="all")["ac1"]
    verdicts = rater_agreement(FORM, tables(pairs), [])["rater_agreement"]
    three = row(verdicts, by="all", question="verdict")["ac1"]
    assert (round(two, 6), round(three, 6)) == (0.333333, 0.555556)


def test_shares_and_the_mean_of_a_scale():
    shares = rater_agreement(FORM, tables([("A", "1", "3"), ("A", "3", "3")], "grade"), [])["rater_shares"]
    grades = shares[(shares["question"] == "grade") & (shares["by"] == "all")]
    assert list(zip(grades["label"], grades["count"], grades["share"], strict=True)) == [
        ("1", 1, 0.25),
        ("2", 0, 0),
        ("3", 3, 0.75),
    ]
    assert set(grades["mean"]) == {2.5}


def test_passes_are_told_apart():
    held = tables([("A", "agree")])
    again = held["rater_answers"].assign(**{"pass": "2", "value": "disagree"})
    held["rater_answers"] = pd.concat([held["rater_answers"], again])
    numbers = rater_agreement(VERDICT, held, [])["rater_agreement"]
    assert {(r["pass"], r["percent_agree"]) for r in numbers.to_dict("records")} == {("1", 100.0), ("2", 0.0)}


def test_runs_with_the_same_items_are_told_apart():
    parts = [(tables([("A", "agree")]), "one"), (tables([("A", "disagree")]), "two")]
    held = {name: pd.concat([t[name].assign(run=run) for t, run in parts]) for name in parts[0][0]}
    numbers = rater_agreement(VERDICT, held, [])["rater_agreement"]
    assert {(r["run"], r["percent_agree"]) for r in numbers.to_dict("records")} == {("one", 100.0), ("two", 0.0)}


def scale(rows):
    frame = pd.DataFrame(rows, columns=["unit", "judge", "dataset", "value"]).astype({"value": "Int64"})
    return JudgeScale("uptake", (1, 2, 3, 4, 5), frame)


def test_judges_are_compared_two_at_a_time_beside_what_could_not_be_read():
    said = {"a": [1, 2, 3, 4, 5, 5, None], "b": [1, 3, 3, 4, 4, 5, 2], "c": [None] * 7}
    rows = [(f"u{n}", judge, "A", value) for judge, values in said.items() for n, value in enumerate(values)]
    found = judge_agreement([scale([*rows, ("c only", "c", "A", 1)])], ["dataset"])
    pair = row(found, judge_a="a", judge_b="b", by="all")
    assert pair[["units", "compared", "left_out", "exact", "within_one"]].tolist() == [7, 6, 1, 4 / 6, 1]
    assert round(pair["kappa"], 6) == 0.911765  # as in the example of quadratic_kappa
    assert round(pair["rho"], 6) == round(15.75 / (17 * 16.5) ** 0.5, 6)  # from the ranks, by hand
    assert row(found, judge_a="a", judge_b="b", by="dataset", group="A")["compared"] == 6
    none = row(found, judge_a="a", judge_b="c", by="all")
    assert (none["units"], none["compared"], none["left_out"]) == (8, 0, 8)
    assert none["why_none"].startswith("ac1: no unit has two ratings; kappa: no unit has both ratings; rho: ")


def test_nothing_yet_is_said():
    empty = {"rater_items": pd.DataFrame({"form": []}), "rater_answers": pd.DataFrame({"form": []})}
    numbers = {**rater_agreement(VERDICT, empty, []), "judge_agreement": judge_agreement([], [])}
    assert agreement_lines(numbers) == ["no answers of raters yet, and no two judges to compare"]


def test_of_a_form_that_compares_no_judges_nothing_is_said_of_them():
    empty = {"rater_items": pd.DataFrame({"form": []}), "rater_answers": pd.DataFrame({"form": []})}
    numbers = {**rater_agreement(VERDICT, empty, []), "judge_agreement": judge_agreement([], [])}
    assert agreement_lines(numbers, compares_judges=False) == ["no answers of raters yet"]


def test_texts_are_counted_beside_what_is_missing_and_not_compared():
    form = Form("check", "t", "i", (Question("summary", "?", "text"),))
    held = tables([("A", "a text", "another"), ("A", "a third", "?"), ("B", "a fourth", None)], "summary")
    numbers = {**rater_agreement(form, held, []), "judge_agreement": judge_agreement([], [])}
    assert agreement_lines(numbers, text_lines(form, held), compares_judges=False) == [
        "summary, all, judge j, pass 1: 4 texts of 2 raters, which are not compared; unanswered 1, unread 1"
    ]


def test_tables_of_several_forms_stand_below_each_other():
    one = rater_agreement(VERDICT, tables([("A", "agree", "agree")]), [])
    none = rater_agreement(Form("other", "t", "i", VERDICT.questions), tables([("A", "agree", "agree")]), [])
    assert together([none, one])["rater_agreement"]["question"].tolist() == ["verdict"]
    assert len(together([one, one])["rater_shares"]) == 4


def test_lines_say_the_number_beside_what_is_missing():
    numbers = rater_agreement(VERDICT, tables([("A", "agree", "?"), ("A", "agree", "disagree")]), [])
    assert agreement_lines({**numbers, "judge_agreement": judge_agreement([], [])}) == [
        "verdict, all, judge j, pass 1: 1 agree, 0.5 disagree of 1.5 (66.7 %); raters 2, exact 0.0 %, "
        "AC1 -0.600 on 1; unanswered 0, unread 1",
        "  of 3 answers: agree 66.7 %, disagree 33.3 %",
    ]


@pytest.mark.parametrize("raters", [2, 3])
def test_all_the_same_is_full_agreement(raters):
    found = row(rater_agreement(VERDICT, tables([("A", *["agree"] * raters)] * 3), [])["rater_agreement"], by="all")
    assert (found["percent_agree"], found["ac1"]) == (100, 1)
