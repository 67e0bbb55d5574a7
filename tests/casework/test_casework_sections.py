"""What the page says of a small run whose numbers are known."""

import pandas as pd
import pytest
from small_tables import (
    answered,
    counted,
    decided,
    dialogues,
    frame,
    offered,
    owed,
    references,
    reply,
    scenarios,
    tables,
)

from tutorscope.casework.figures import shown_views
from tutorscope.casework.headline import headline, in_short
from tutorscope.casework.measures import measures
from tutorscope.casework.rater_sections import rater_blocks
from tutorscope.casework.sections import sections
from tutorscope.casework.success_sections import BIAS
from tutorscope.casework.transcripts import reader
from tutorscope.pictures.blocks import Figure, Prose, Reader, Table


def small_run():
    replies, decisions = [], []
    for category in (1, 2):
        for tutor, met in (("t1", [True, False, None]), ("t2", [False, False])):
            case = {"tutor": tutor, "category": category, "scenario": category}
            item = f"s{category:03d}-immediate"
            replies.append(reply(item, f"I hear you say dragon {tutor}", **case))
            decisions += decided(item, met, **case, negative=(2,))
            replies.append(reply(item, "Take one step", **case, form="reference", references=references(True)))
            decisions += decided(item, [True], **case, form="reference")
    answers = [answered("m1", "A", tutor=tutor) for tutor in ("t1", "t2")]
    answers += [answered("m2", pick, tutor=tutor, category=2) for tutor, pick in (("t1", None), ("t2", "B"))]
    return tables(
        replies=frame("replies", replies),
        decisions=frame("decisions", decisions),
        answers=frame("answers", answers),
        choices=frame("choices", [offered("m1"), offered("m2", category=2)]),
        scenarios=scenarios(1, 2),
        dialogues=dialogues(s1="my dragon is\x1b[31m bad", s2="no sums today"),
    )


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    run = small_run()
    folder = tmp_path_factory.mktemp("figures")
    return {one.anchor: one for one in sections(run, measures(run), folder)}


def blocks(page, kind):
    return [block for section in page.values() for block in section.blocks if isinstance(block, kind)]


def test_the_headline_has_a_line_for_each_tutor_and_form():
    run = small_run()
    assert headline(run, measures(run)) == [
        "t1, open questions: 100.0 % of 2 replies meet a criterion of their case (immediate); "
        "no interval: fewer than 5 categories",
        "t1, open questions with references: 100.0 % of 2 replies meet a criterion of their case (immediate); "
        "no interval: fewer than 5 categories; on average 100.0 % of the criteria are met (over 2 replies)",
        "t2, open questions: 0.0 % of 2 replies meet a criterion of their case (immediate); "
        "no interval: fewer than 5 categories; on average 0.0 % of the criteria are met (over 2 replies)",
        "t2, open questions with references: 100.0 % of 2 replies meet a criterion of their case (immediate); "
        "no interval: fewer than 5 categories; on average 100.0 % of the criteria are met (over 2 replies)",
        "t1, choices of four: 50.0 % of 2 are right; of these 1 not read and wrong; "
        "no interval: fewer than 5 categories; chance 25.0 %",
        "t2, choices of four: 50.0 % of 2 are right; no interval: fewer than 5 categories; chance 25.0 %",
        "criterion not read: 2 of 14",
        "choice not read: 1 of 4",
    ]


def test_the_headline_counts_what_is_not_known_and_gives_its_bounds():
    each = enumerate(([None], [True, None], [True]))
    rows = [row for n, met in each for row in decided("s001-immediate", met, replicate=n)]
    run = tables(decisions=frame("decisions", rows), scenarios=scenarios(1))
    [line, _] = headline(run, measures(run))
    assert "; 1 more is not known, with which it is between 66.7 % and 100.0 % of 3;" in line
    assert line.endswith(
        "on average 100.0 % of the criteria are met (over 1 reply; of 2 others a criterion was not read)"
    )


def test_each_horizon_stands_beside_its_counts():
    rows = [
        *(row for n, met in enumerate([[True], [False], [None]]) for row in decided("s1", met, replicate=n)),
        *(row for n in (0, 1) for row in decided("s2", [True], horizon="long_term", replicate=n)),
    ]
    run = tables(decisions=frame("decisions", rows), scenarios=scenarios(1))
    assert headline(run, measures(run))[0] == (
        "t1, open questions: 75.0 % of 4 replies meet a criterion of their case (immediate 50.0 % of 2, 1 more not "
        "known; long-term 100.0 % of 2); no interval: fewer than 5 categories; 1 more is not known, with which it is "
        "between 60.0 % and 80.0 % of 5; on average 75.0 % of the criteria are met (over 4 replies; of 1 other a "
        "criterion was not read)"
    )


def test_a_horizon_of_which_nothing_is_known_has_no_share():
    rows = [*decided("s1", [None]), *decided("s2", [True], horizon="long_term")]
    run = tables(decisions=frame("decisions", rows), scenarios=scenarios(1))
    assert "(immediate none of 1 known; long-term 100.0 % of 1)" in headline(run, measures(run))[0]


def test_one_reply_and_one_choice_are_said_in_the_singular():
    run = tables(
        decisions=frame("decisions", decided("s001-immediate", [True])),
        answers=frame("answers", [answered("m1", "A")]),
        choices=frame("choices", [offered("m1")]),
        scenarios=scenarios(1),
    )
    numbers = measures(run)
    assert headline(run, numbers)[0].startswith(
        "t1, open questions: 100.0 % of 1 reply meets a criterion of its case (immediate); "
    )
    assert headline(run, numbers)[1].startswith("t1, choices of four: 100.0 % of 1 is right; ")
    assert (
        in_short(numbers)
        .replace("\u00a0", " ")
        .startswith("100.0 % of 1 open reply whose success is known meets a criterion of its case (of 1 judged, ")
    )


def test_one_reply_of_which_nothing_is_known_is_said_in_the_singular():
    run = tables(decisions=frame("decisions", decided("s001-immediate", [None])), scenarios=scenarios(1))
    assert headline(run, measures(run))[0].endswith(": whether its only reply succeeds is not known")


def test_a_judge_has_no_part_in_what_is_said_of_choices():
    run = small_run()
    again = run["decisions"].assign(judge="j2")
    run = {**run, "decisions": pd.concat([run["decisions"], again], ignore_index=True)}
    lines = [line for line in headline(run, measures(run)) if line.startswith("t1")]
    assert [line.split(":")[0] for line in lines] == [
        "t1, open questions (judge j1)",
        "t1, open questions with references (judge j1)",
        "t1, open questions (judge j2)",
        "t1, open questions with references (judge j2)",
        "t1, choices of four",
    ]


def half_run():
    """Give a run of which 20 open questions and 20 choices were asked, and half erred."""
    cases = [(f"s{n:03d}-immediate", {"category": n, "scenario": n}) for n in range(14)]
    return tables(
        replies=frame("replies", [reply(item, "I hear you", **case) for item, case in cases]),
        decisions=frame("decisions", [row for item, case in cases[:3] for row in decided(item, [False], **case)]),
        answers=frame("answers", [answered(f"m{n}", "B") for n in range(9)]),
        choices=frame("choices", [offered(f"m{n}") for n in range(9)]),
        scenarios=scenarios(*range(14)),
        dialogues=dialogues(s1="no"),
        owed=frame(
            "owed",
            [
                *(owed(f"s{n:03d}-immediate") for n in range(14, 20)),
                *(owed(f"m{n}", form="mcq") for n in range(9, 20)),
                *(owed(item, judge="j1", reason="judge away", **case) for item, case in cases[3:]),
            ],
        ),
        asked=frame(
            "asked",
            [counted(20, 14, 6), counted(20, 9, 11, form="mcq"), counted(14, 3, 11, judge="j1")],
        ),
    )


def test_answers_that_erred_stand_beside_n_in_the_headline():
    run = half_run()
    first, second, *rest = headline(run, measures(run))
    assert first.startswith("t1, open questions: 0.0 % of 3 replies")
    assert first.endswith("; 14 of 20 asked are answered, 6 erred; 3 of 14 replies are judged, 11 erred")
    assert second.endswith("; 9 of 20 asked are answered, 11 erred")
    assert rest == ["no answer: an error: 17 of 40", "reply not judged: 11 of 14"]


def test_answers_that_erred_stand_beside_n_on_the_page(tmp_path):
    run = half_run()
    page = {one.anchor: one for one in sections(run, measures(run), tmp_path)}
    result = next(one for one in page["result"].blocks if isinstance(one, Table)).frame
    assert result[["form", "asked", "answered", "erred", "n"]].values.tolist() == [
        ["open", 20, 14, 6, 3],
        ["four options", 20, 9, 11, 9],
    ]
    unread = next(one for one in page["unread"].blocks if isinstance(one, Table)).frame
    assert unread[["what", "reason", "count", "of", "asked"]].values.tolist() == [
        ["no answer: an error", "quota", 6, 20, 20],
        ["no answer: an error", "quota", 11, 20, 20],
        ["reply not judged", "judge away", 11, 14, 20],
    ]


def test_a_run_of_which_everything_erred_says_so(tmp_path):
    run = tables(
        scenarios=scenarios(1),
        owed=frame("owed", [owed("s001-immediate"), owed("m1", form="mcq")]),
        asked=frame("asked", [counted(1, 0, 1), counted(1, 0, 1, form="mcq")]),
    )
    numbers = measures(run)
    assert headline(run, numbers) == [
        "t1, open questions: none of 1 asked is answered, 1 erred",
        "t1, choices of four: none of 1 asked is answered, 1 erred",
        "no answer: an error: 2 of 2",
    ]
    page = {one.anchor: one for one in sections(run, numbers, tmp_path)}
    [result] = [one for one in page["result"].blocks if isinstance(one, Table)]
    assert result.frame[["asked", "answered", "erred", "n"]].values.tolist() == [[1, 0, 1, 0], [1, 0, 1, 0]]


def test_one_sentence_says_the_result_of_all_tutors(page):
    [said] = [one.text for one in page["result"].blocks if isinstance(one, Prose) and one.tone == "headline"]
    assert said.replace("\u00a0", " ") == (
        "From 0.0 % (t2) to 100.0 % (t1) of open replies whose success is known meet a criterion of their case (of 4 "
        "judged, none empty, refused or not known); 50.0 % (each) of choices of four are right (chance 25 %; of 4, "
        "1 not read and wrong)."
    )


def judged_by(**judges):
    """Give a run whose judges decided the only criterion of each tutor's replies: ``j={"t1": [True, None]}``."""
    rows = [
        row
        for judge, of in judges.items()
        for tutor, each in of.items()
        for n, met in enumerate(each)
        for row in decided("s1", [met], judge=judge, tutor=tutor, replicate=n)
    ]
    return tables(decisions=frame("decisions", rows), scenarios=scenarios(1))


@pytest.mark.parametrize(
    ("judges", "said"),
    [
        (
            {"j": {"t1": [True, True], "t2": [True, False]}, "k": {"t1": [False, None], "t2": [None, True]}},
            "From 50.0 % (t2) to 100.0 % (t1) of open replies whose success is known meet a criterion of their case "
            "by judge j (of 4 judged, none empty, refused or not known) and from 0.0 % (t1) to 100.0 % (t2) by judge k "
            "(of 4 judged: 2 not known).",
        ),
        (
            {"j": {"t1": [True, False]}, "k": {"t1": [False, None]}},
            "50.0 % of 2 open replies whose success is known meet a criterion of their case by judge j (of 2 judged, "
            "none empty, refused or not known) and 0.0 % of 1 by judge k (of 2 judged: 1 not known).",
        ),
        (
            {"j": {"t1": [None, None]}, "k": {"t1": [True, None], "t2": [True, True]}},
            "100.0 % (each) of open replies whose success is known meet a criterion of their case by judge k (of 4 "
            "judged: 1 not known); judge j left open whether any of 2 judged open replies succeeds.",
        ),
    ],
)
def test_a_range_over_tutors_is_of_one_judge(judges, said):
    assert in_short(measures(judged_by(**judges))).replace("\u00a0", " ") == said


def test_a_judge_of_several_runs_has_one_range_over_them():
    first, second = judged_by(j={"t": [True]}), judged_by(j={"t": [False]})
    second = {name: held.assign(run="two") for name, held in second.items()}
    run = {name: pd.concat([first[name], second[name]], ignore_index=True) for name in first}
    assert in_short(measures(run)).replace("\u00a0", " ") == (
        "From 0.0 % (t, run two) to 100.0 % (t, run one) of open replies whose success is known meet a criterion of "
        "their case (of 2 judged, none empty, refused or not known)."
    )


def unread_run(*, judged=True):
    """Give a run of four open questions, four choices of four and two of two; the provider refuses one of each."""
    said = [("s1", "I hear you", None), ("s2", "", "empty"), ("s3", "", "refused"), ("s4", "Well", None)]
    met = {"s1": [True], "s4": [None]}
    return tables(
        replies=frame("replies", [reply(item, text, reason=why) for item, text, why in said]),
        decisions=frame(
            "decisions",
            [
                row
                for item, _, why in said
                for row in decided(item, met.get(item, [False]), reason="no_reply" if why else None)
            ]
            if judged
            else [],
        ),
        answers=frame(
            "answers",
            [
                answered("m1", "A"),
                answered("m2", None, reason="empty"),
                answered("m3", None, reason="refused"),
                answered("m4", None, reason="ambiguous"),
                answered("b1", "A", form="binary"),
                answered("b2", None, form="binary", reason="refused"),
            ],
        ),
        choices=frame(
            "choices",
            [*(offered(f"m{n}") for n in range(1, 5)), *(offered(f"b{n}", form="binary") for n in (1, 2))],
        ),
        scenarios=scenarios(1),
        dialogues=dialogues(s1="no"),
        asked=frame(
            "asked",
            [
                *(counted(5, 4, 1), counted(4, 4, form="mcq"), counted(2, 2, form="binary")),
                *([counted(4, 4, judge="j1")] if judged else []),
            ],
        ),
    )


def test_the_top_sentence_counts_what_was_empty_refused_and_not_read():
    said = in_short(measures(unread_run())).replace("\u00a0", " ")
    assert said == (
        "33.3 % of 3 open replies whose success is known meet a criterion of their case (of 4 judged: 1 empty and "
        "1 refused by the provider, counted as failures; 1 not known); 25.0 % of choices of four are right (chance "
        "25 %; of 4, 3 not read and wrong: 1 empty, 1 refused by the provider and 1 without a clear letter); 50.0 % of "
        "choices of two are right (chance 50 %; of 2, 1 not read and wrong: 1 refused by the provider)."
    )


def test_the_headline_counts_what_was_empty_refused_and_not_read_beside_each_number():
    run = unread_run()
    first, second, third, *_ = headline(run, measures(run))
    assert "(immediate); of these 1 empty and 1 refused by the provider, counted as failures; " in first
    assert first.endswith("; 2 of 5 asked are answered, 1 empty, 1 refused by the provider and 1 erred")
    assert "25.0 % of 4 are right; of these 3 not read and wrong: 1 empty, 1 refused by the provider and" in second
    assert "50.0 % of 2 are right; of these 1 not read and wrong: 1 refused by the provider; " in third


def test_replies_without_a_text_are_counted_before_anyone_judged():
    run = unread_run(judged=False)
    assert headline(run, measures(run))[0] == (
        "t1, open questions: no reply is judged yet; 2 of 5 asked are answered, 1 empty, 1 refused by the provider and "
        "1 erred"
    )
    run["asked"] = run["asked"].assign(asked=run["asked"]["answered"], owed=0, erred=0)
    assert headline(run, measures(run))[0].endswith("2 of 4 asked are answered, 1 empty and 1 refused by the provider")


def test_answered_does_not_count_what_was_not_read(tmp_path):
    run = unread_run()
    numbers = measures(run)
    coverage = numbers["coverage"]
    assert (coverage["answered"] + coverage["unread"] + coverage["owed"]).tolist() == coverage["asked"].tolist()
    [result, *_] = [one for one in sections(run, numbers, tmp_path)[0].blocks if isinstance(one, Table)]
    named = ["form", "n", "unknown", "asked", "answered", "unread", "empty", "refused", "erred"]
    assert result.frame[named].astype(object).where(result.frame[named].notna(), None).values.tolist() == [
        ["open", 3, 1, 5, 2, 2, 1, 1, 1],
        ["four options", 4, None, 4, 1, 3, 1, 1, 0],
        ["two options", 2, None, 2, 1, 1, 0, 1, 0],
    ]
    # The judge's: of one reply it decided no criterion, and those without a text fail unasked.
    assert coverage[coverage["judge"] == "j1"][["answered", "unread"]].values.tolist() == [[3, 1]]


def test_replies_that_no_judge_was_asked_about_are_counted_among_its_answers(tmp_path):
    run = unread_run()
    page = {one.anchor: one for one in sections(run, measures(run), tmp_path)}
    [table] = [one for one in page["asked"].blocks if isinstance(one, Table) and one.name == "coverage"]
    named = ["judge", "form", "asked", "answered", "of these without a text", "unread", "empty", "refused"]
    held = table.frame[named].astype(object)
    assert held.where(held.notna(), None).values.tolist() == [
        ["(answers)", "open", 5, 2, None, 2, 1, 1],
        ["(answers)", "four options", 4, 1, None, 3, 1, 1],
        ["(answers)", "two options", 2, 1, None, 1, 0, 1],
        ["j1", "open", 4, 3, 2, 1, None, None],
    ]
    assert (
        "In a judge's row stand the replies that came back: answered are those that are decided, not read those of "
        "which no criterion could be read. A reply without a text is decided without a call, as a failure: it is among "
        "the answered."
    ) in table.caption


def test_without_textless_replies_no_column_counts_them(tmp_path):
    run = half_run()
    page = {one.anchor: one for one in sections(run, measures(run), tmp_path)}
    [table] = [one for one in page["asked"].blocks if isinstance(one, Table) and one.name == "coverage"]
    assert "of these without a text" not in table.frame.columns


def test_nothing_unread_still_has_its_count(tmp_path):
    run = tables(
        answers=frame("answers", [answered("m1", "A")]), choices=frame("choices", [offered("m1")]),
        scenarios=scenarios(1), asked=frame("asked", [counted(1, 1, form="mcq")]),
    )  # fmt: skip
    numbers = measures(run)
    [result, *_] = [one for one in sections(run, numbers, tmp_path)[0].blocks if isinstance(one, Table)]
    assert result.frame["unread"].tolist() == [0]
    assert not {"empty", "refused", "erred"} & set(result.frame.columns)
    assert in_short(numbers).endswith("(chance 25\u00a0%; 1 read).")


def test_a_measured_zero_stays_in_the_table_of_orders(tmp_path):
    picks = [answered("m1", pick, rotation=n) for n, pick in enumerate("AB")]
    run = tables(answers=frame("answers", picks), choices=frame("choices", [offered("m1")]), scenarios=scenarios(1))
    page = {one.anchor: one for one in sections(run, measures(run), tmp_path)}
    [orders] = [one for one in page["choices"].blocks if isinstance(one, Table) and one.name == "same_option"]
    assert orders.frame[["same_option", "same_option_n"]].values.tolist() == [[0.0, 1]]


def test_measures_and_why_they_have_no_correlation_are_in_words(tmp_path):
    cases = [{"tutor": f"t{n}", "category": n, "scenario": n} for n in (1, 2, 3)]
    run = tables(
        replies=frame("replies", [reply("s1", "one step at a time now", **case) for case in cases]),
        decisions=frame("decisions", [row for n, case in enumerate(cases) for row in decided("s1", [n > 0], **case)]),
        scenarios=scenarios(1, 2, 3),
        dialogues=dialogues(s1="no", s2="never", s3="not now"),
    )
    page = {one.anchor: one for one in sections(run, measures(run), tmp_path)}
    [held] = [one for one in page["diversity"].blocks if isinstance(one, Table) and one.name == "diversity_success"]
    assert held.frame["measure"].tolist() == [
        *("3-gram diversity", "4-gram diversity", "5-gram diversity", "replies that hold the top 4-gram"),
        "case recovered",
    ]
    assert set(held.frame["reason"].dropna()) == {"the measure is constant"}


def test_judges_stand_in_the_order_of_the_result_table(tmp_path):
    run = small_run()
    later = run["decisions"].assign(judge="a later judge")
    run = {**run, "decisions": pd.concat([run["decisions"], later], ignore_index=True)}
    [page, *_] = sections(run, measures(run), tmp_path)
    rows = next(one for one in page.blocks if isinstance(one, Table)).frame
    assert rows[rows["tutor"] == "t1"]["judge"].tolist() == ["j1", "j1", "a later judge", "a later judge", "–"]


def test_unknown_replies_are_warned_of_with_their_bounds(tmp_path):
    rows = [*decided("a", [None]), *decided("b", [True], category=2)]
    run = tables(decisions=frame("decisions", rows), scenarios=scenarios(1))
    page = {one.anchor: one for one in sections(run, measures(run), tmp_path)}
    assert BIAS in [one.text for one in page["result"].blocks if isinstance(one, Prose) and one.tone == "warning"]
    won = next(one for one in page["success"].blocks if isinstance(one, Table) and one.name == "success").frame
    assert won["bounds"].tolist() == ["50.0\u00a0to\u00a0100.0"]
    assert won["interval"].tolist() == ["none: too\u00a0few"]


def test_differences_are_percentage_points(page):
    [table] = [one for one in page["differences"].blocks if isinstance(one, Table)]
    assert table.formats["difference"].format(table.frame["difference"].iloc[0]) == "+100.0"
    assert table.labels["difference"] == "difference, points"


def test_what_was_asked_is_named(tmp_path):
    named = {
        **{"release": "rel", "fingerprint": "0123456789abcdef", "scenarios": 14, "categories": 10, "rubrics": 13},
        **{"criteria": 40, "limit": "20", "as_released": True, "paper_table": False},
        "left_out": "no_rubric: 6 files and 9 questions with them, such as rubric/rubric_c001_immediate.json",
    }
    other = {"form": "reference", "horizon": "immediate", "item": "a", "scenario": 1, "category": 1}
    other |= {"challenge": "task_resistance", "found": 3, "proxy": True, "other": "category"}
    run = tables(
        release=frame("release", [named]),
        questions=frame(
            "questions",
            [{"form": "open", "horizon": "immediate", "questions": 20, "scenarios": 20, "categories": 10}],
        ),
        neighbours=frame("neighbours", [other]),
        scenarios=scenarios(1),
    )
    [asked] = [one for one in sections(run, measures(run), tmp_path) if one.anchor == "asked"]
    said = " ".join(one.text for one in asked.blocks if isinstance(one, Prose))
    for part in (
        "release rel (fingerprint 0123456789ab)",
        "14 scenarios of 10 categories",
        "--limit 20",
        "no rubric for the scenarios of a category and horizon, or for any: 6 files and 9 questions with them",
        "--as-released",
        "references come from other categories of the same release",
    ):
        assert part in said
    [table] = [one for one in asked.blocks if isinstance(one, Table)]
    assert table.frame["questions"].tolist() == [20]


def test_the_page_has_its_figures_and_they_are_saved(page):
    drawn = {one.name: one for one in blocks(page, Figure)}
    assert set(drawn) == {"success", "open-and-choice", "references", "diversity"}
    assert all(one.svg.is_file() and one.alt and one.caption for one in drawn.values())


def test_published_values_are_called_a_different_instrument(page):
    assert any("different instrument" in one.text for one in blocks(page, Prose))
    assert "different instrument" in next(one for one in blocks(page, Figure) if one.name == "success").caption


def test_stand_ins_among_references_are_called_a_proxy(page):
    assert any(
        "proxy" in one.text and one.tone == "warning" for one in page["references"].blocks if isinstance(one, Prose)
    )


def test_a_reply_stands_with_the_criteria_it_met_missed_and_that_were_not_read(page):
    [reader] = blocks(page, Reader)
    shown = next(one for one in reader.transcripts if one.id == "one/j1/t1/open/s001-immediate/r0")
    said = next(line for line in shown.lines if line.part == "Reply")
    assert [(mark.label, mark.tone) for mark in said.marks] == [
        ("criterion 1 met", "good"),
        ("criterion 2 missed", "bad"),
        ("criterion 3 not read: bad_json", "warning"),
    ]
    assert "Evidence: I hear you" in next(line for line in shown.lines if line.speaker == "criterion 1").text
    assert shown.counted == "2 turns, the reply and 3 criteria"
    assert shown.facts["criteria met"] == "1 of 3"
    assert shown.facts["success"] == "yes"


@pytest.mark.parametrize(
    ("met", "evidence", "said"),
    [
        (False, "say dragon", "\nEvidence: say dragon"),
        (False, "made up by the judge", "\n(What the judge gave as evidence is not in the reply.)"),
        (None, "made up by the judge", "\n(What the judge gave as evidence is not in the reply.)"),
        (False, "", ""),
    ],
)
def test_evidence_of_what_is_missed_is_shown_only_if_the_reply_holds_it(tmp_path, met, evidence, said):
    [row] = decided("a", [met])
    run = tables(
        replies=frame("replies", [reply("a", "I hear you say dragon")]),
        decisions=frame("decisions", [{**row, "evidence": evidence}]),
        scenarios=scenarios(1),
        dialogues=dialogues(s1="no"),
    )
    numbers = measures(run)
    [shown] = reader(run, shown_views(numbers)).transcripts
    [line] = [line for line in shown.lines if line.part == "Criteria"]
    assert line.text == f"Name 1: The tutor does thing 1.{said}"


def test_titles_and_facts_hold_no_words_of_the_dialogue(page):
    [reader] = blocks(page, Reader)
    kept = " ".join(f"{one.title} {one.group} {one.facts}" for one in reader.transcripts)
    assert "dragon" not in kept
    assert "Name 1" not in kept


def test_every_table_keeps_its_n(page):
    for table in blocks(page, Table):
        assert {"n", "same_option_n", "of", "replies", "asked", "questions"} & set(table.frame.columns), table.name


def test_nothing_asked_is_said(tmp_path):
    run = tables(scenarios=scenarios(1))
    assert headline(run, measures(run)) == ["nothing was asked yet: name a tutor with --tutor"]
    assert [one.anchor for one in sections(run, measures(run), tmp_path)] == ["result", "unread"]


def test_choices_alone_make_a_page(tmp_path):
    run = small_run()
    run = tables(answers=run["answers"], choices=run["choices"], scenarios=run["scenarios"])
    assert "choices of four" in headline(run, measures(run))[0]
    assert "choices" in {one.anchor for one in sections(run, measures(run), tmp_path)}


def test_raters_tables_are_in_words():
    where = {"run": "one", "judge": "", "pass": "1", "question": "grounded", "by": "stage", "group": "rubric"}
    agreement = {
        **where,
        **{"items": 4, "raters": 2, "unanswered": 0, "unread": 1, "total": 3.5, "exact": 0.75, "ac1": 0.644},
        **{"ac1_low": -0.02, "ac1_high": 1.0, "compared": 4, "why_no_ac1": None},
    }
    share = {**where, "label": "3", "count": 4, "answers": 8, "share": 0.5, "mean": 2.375}
    numbers = {"rater_agreement": pd.DataFrame([agreement]), "rater_shares": pd.DataFrame([share])}
    first, second = rater_blocks(numbers)
    assert first.frame.to_dict("records") == [
        {
            **{"what was asked": "grounded in its source", "of": "stage: rubric", "things": 4, "raters": 2},
            **{"unanswered": 0, "not read": 1, "n": 4, "exact": 0.75, "AC1": 0.644},
            "interval": "−0.02\u00a0to\u00a01.00",
        }
    ]
    assert second.frame[["answer", "count", "n", "share", "mean"]].values.tolist() == [["yes", 4, 8, 0.5, 2.375]]
