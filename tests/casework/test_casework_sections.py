"""What the page says of a small run whose numbers are known."""

import pandas as pd
import pytest
from small_tables import answered, decided, dialogues, frame, offered, references, reply, scenarios, tables

from tutorscope.casework.measures import measures
from tutorscope.casework.sections import headline, sections
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


def test_the_headline_has_a_plain_sentence_for_each_tutor():
    run = small_run()
    first, second, *rest = headline(run, measures(run))
    assert first == (
        "t1: 100.0 % of 2 open replies meet a criterion of their case, 95 % 100.0 % to 100.0 % (immediate); "
        "100.0 % of 2 replies with references meet a criterion of their case, 95 % 100.0 % to 100.0 % (immediate); "
        "on average they meet 100.0 % of the criteria; "
        "50.0 % of 2 choices of four are right, 95 % 0.0 % to 100.0 %, chance 25.0 %, 1 not read and wrong"
    )
    assert second.startswith("t2: 0.0 % of 2 open replies meet")
    assert rest == ["criterion not read: 2", "choice not read: 1"]


def test_the_headline_counts_what_is_not_known():
    each = enumerate(([None], [True, None], [True]))
    rows = [row for n, met in each for row in decided("s001-immediate", met, replicate=n)]
    run = tables(decisions=frame("decisions", rows), scenarios=scenarios(1))
    [line, _] = headline(run, measures(run))
    assert line.startswith(
        "t1: 100.0 % of 2 open replies meet a criterion of their case (immediate), 1 more not known;"
    )
    assert "100.0 % of the criteria (known of 1)" in line


def test_two_judges_share_what_is_said_of_choices():
    run = small_run()
    again = run["decisions"].assign(judge="j2")
    run = {**run, "decisions": pd.concat([run["decisions"], again], ignore_index=True)}
    lines = [line for line in headline(run, measures(run)) if line.startswith("t1")]
    assert [line.count("choices of four") for line in lines] == [1, 0]


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
    assert shown.facts["criteria met"] == "1 of 3"
    assert shown.facts["success"] == "yes"


def test_titles_and_facts_hold_no_words_of_the_dialogue(page):
    [reader] = blocks(page, Reader)
    kept = " ".join(f"{one.title} {one.group} {one.facts}" for one in reader.transcripts)
    assert "dragon" not in kept
    assert "Name 1" not in kept


def test_every_table_keeps_its_n(page):
    for table in blocks(page, Table):
        assert {"n", "of", "replies"} & set(table.frame.columns), table.name


def test_nothing_asked_is_said(tmp_path):
    run = tables(scenarios=scenarios(1))
    assert headline(run, measures(run)) == ["nothing was asked yet: name a tutor with --tutor"]
    assert [one.anchor for one in sections(run, measures(run), tmp_path)] == ["result", "unread"]


def test_choices_alone_make_a_page(tmp_path):
    run = small_run()
    run = tables(answers=run["answers"], choices=run["choices"], scenarios=run["scenarios"])
    assert "choices of four" in headline(run, measures(run))[0]
    assert "choices" in {one.anchor for one in sections(run, measures(run), tmp_path)}
