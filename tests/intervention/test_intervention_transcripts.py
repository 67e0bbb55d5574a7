"""Episodes to be read: the point, the message, what came next, and what came without it."""

import pandas as pd
from small_game import LENGTH, TRACE, episode, message, person, tables, trace, unread, went_on

from tutorscope.intervention.measures import measures
from tutorscope.intervention.shown import shown
from tutorscope.intervention.transcripts import reader
from tutorscope.pictures.blocks import Transcript


def read(frames: dict[str, pd.DataFrame]) -> list[Transcript]:
    made = reader(frames, shown(measures(frames)))
    assert made.total == len(made.transcripts)
    return list(made.transcripts)


def said(transcript: Transcript) -> list[tuple[str, str]]:
    return [(line.speaker, line.text) for line in transcript.lines]


def marks(transcript: Transcript) -> list[str]:
    return [mark.label for line in transcript.lines for mark in line.marks]


def test_the_trace_is_cut_at_the_point_and_nothing_of_it_is_lost() -> None:
    (one,) = read(tables(episodes=[episode("p1", 20)], continued=[went_on("p1")]))
    assert said(one) == [
        ("student", TRACE[:20]),
        ("tutor", "Look again."),
        ("student", "That leaves eight."),
        ("answer", "eight"),
    ]
    assert one.beside is not None
    assert said(one.beside) == [("student", TRACE[:20]), ("student", TRACE[20:]), ("answer", "seven")]
    assert f"the tutor steps in here: characters 20 of {LENGTH} (33\u00a0%)" in marks(one)


def test_people_may_speak_before_the_first_word_and_after_the_last() -> None:
    first, last = read(tables(episodes=[person("p1", 0, "a"), person("p2", LENGTH, "a")]))
    assert first.beside is not None
    assert last.beside is not None
    assert (said(first)[0], said(first.beside)[0]) == (("tutor", "Look again."), ("student", TRACE))
    assert (said(last)[0], said(last.beside)) == (("student", TRACE), [("student", TRACE), ("answer", "seven")])


def test_both_ways_of_going_on_are_told_with_their_verdicts() -> None:
    came = [went_on("p1"), went_on("p1", after=False, how="stop", trace="", answer="six")]
    (one,) = read(tables(episodes=[episode("p1", 20)], continued=came))
    assert said(one)[-3:] == [("student", "That leaves eight."), ("answer", "eight"), ("answer", "six")]
    assert [mark for mark in marks(one) if "turned" in mark or mark in ("right", "wrong", "no change")] == [
        *("right", "the help turned it right"),
        *("wrong", "no change"),
    ]
    assert one.facts["Standard-Continue"] == "right"


def test_help_that_harms_says_so() -> None:
    (one,) = read(tables(episodes=[episode("p1", 20, right=True)], continued=[went_on("p1", True, False)]))
    assert "the help turned it wrong" in marks(one)


def test_an_unknown_point_leaves_the_trace_whole() -> None:
    (one,) = read(tables(episodes=[episode("p1", condition="oracle", intervened=True, lost="ambiguous")]))
    assert said(one)[0] == ("student", TRACE)
    assert one.beside is None
    assert "steps in, nobody knows where: the words quoted stand in several places" in marks(one)


def test_silence_unreadable_replies_and_no_decision_are_three_things() -> None:
    frames = tables(episodes=[episode("p1"), unread("p2"), episode("p3", reason="no_decision_point")])
    told = [marks(one)[1] for one in read(frames)]
    assert told == [
        "does not step in",
        "nobody knows what the tutor would have done: unreadable",
        "was not asked: the trace fits into one increment",
    ]


def test_what_was_not_gone_on_with_yet_is_told() -> None:
    (one,) = read(tables(episodes=[episode("p1", 20)]))
    assert "has not gone on yet" in marks(one)


def test_the_problem_comes_first_and_the_kinds_of_a_message_stand_at_it() -> None:
    problems = [{"run": "r", "problem": "p1", "domain": "math", "title": "", "question": "2 + 5?", "reference": "7"}]
    frames = tables(episodes=[episode("p1", 20)], messages=[message("p1"), message("p1", judge="k")], problems=problems)
    (one,) = read(frames)
    assert said(one)[:2] == [("problem", "2 + 5?"), ("reference", "7")]
    assert marks(one).count("leakage: Validation only") == 1


def test_groups_are_tutors_and_conditions_and_settings_that_figures_do_not_show() -> None:
    played = [
        episode("p1", 20),
        episode("p1", 20, increment="300"),
        episode("p1", condition="oracle"),
        person("p1", 9, "a"),
    ]
    told = [one.group for one in read(tables(episodes=played))]
    assert told == ["Standard: t", "Standard: t (300, plain)", "Standard: teachers", "Oracle: t"]


def test_ids_are_unique_and_another_judge_tells_the_same_episode_once() -> None:
    played = [episode("p1", 20, judge=judge, replicate=r) for judge in ("j", "k") for r in range(2)]
    ids = [one.id for one in read(tables(episodes=played))]
    assert len(ids) == len(set(ids)) == 2


def test_words_stay_out_of_titles_and_facts() -> None:
    frames = tables(episodes=[episode("p1", 20)], traces=[trace("p1", title="Riddle")])
    (one,) = read(frames)
    assert one.title == "Riddle"
    outside = " ".join([one.title, one.group, *one.facts, *one.facts.values(), *marks(one)])
    assert "double" not in outside
    assert "Look again" not in outside


def test_a_long_or_hostile_title_is_cut_and_made_visible() -> None:
    (one,) = read(tables(episodes=[episode("p1")], traces=[trace("p1", title="\x1b[31m" + "x" * 200)]))
    assert len(one.title) <= 60
    assert "\x1b" not in one.title
