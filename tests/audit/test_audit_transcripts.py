"""What was said, turn by turn: marks, pairs, and the one pair that is shown first."""

from typing import Any

import pandas as pd
import pytest
from page_tables import COLD, CONV, PED, line, run_tables, session_lines, talk, who

from tutorscope.audit.pages.transcripts import Talks, matched, reader
from tutorscope.pictures.blocks import Transcript

PAIR = (CONV, PED)


def talks(lines: list[dict[str, Any]], ratings: Any = None, **more: Any) -> Talks:
    return Talks(run_tables(lines, ratings, **more), "sound", {("r", "s", "m"): ""})


def marks(transcript: Transcript, place: int) -> list[tuple[str, str]]:
    return [(mark.label, mark.tone) for mark in transcript.lines[place].marks]


def two(problems: tuple[str, ...] = ("a", "b")) -> list[dict[str, Any]]:
    lines = []
    for policy in PAIR:
        for n, problem in enumerate(problems):
            leaks = [policy == CONV and problem != "a", False]
            lines += session_lines(who(policy), talk(problem, leaks, [False, True, True], start=10 * n))
    return lines


def test_each_turn_is_marked_with_leak_work_and_both_ratings() -> None:
    held = talks(two(("b",)), {(CONV, 0, "b", 0): (5, 1), (CONV, 0, "b", 1): (4, 3)})
    one = reader(held, None).transcripts[0]
    assert marks(one, 1) == [("no own work", "muted")]
    assert marks(one, 2) == [("gives the answer away", "bad"), ("helpfulness 5", "plain"), ("pedagogy 1", "plain")]
    assert marks(one, 3) == [("own work", "good")]
    assert marks(one, 4) == [("no leak", "muted"), ("helpfulness 4", "plain"), ("pedagogy 3", "plain")]
    assert one.lines[2].values == {"helpfulness": 5.0, "pedagogy": 1.0}
    assert [row.part for row in one.lines] == ["b · training"] * 6
    assert one.facts["gave the answer away"] == "1 of 2 turns"
    assert one.facts["own work"] == "2 of 3 turns"


def test_a_rating_that_could_not_be_read_says_so_and_draws_nothing() -> None:
    held = talks(two(("b",)), {(PED, 0, "b", 0): (5, 5)})
    one = reader(held, None).transcripts[0]
    assert ("helpfulness not read", "warning") in marks(one, 2)
    assert one.lines[2].values == {}


def test_two_judges_are_named_and_the_first_one_draws() -> None:
    tables = run_tables(two(("b",)), {(CONV, 0, "b", 0): (5, 1)})
    other = tables["per_turn"].assign(judge="k", helpfulness_sum=2, helpfulness_n=1)
    tables["per_turn"] = pd.concat([tables["per_turn"], other], ignore_index=True)
    one = reader(Talks(tables, "sound", {}), None).transcripts[0]
    assert [label for label, _ in marks(one, 2)][1:3] == ["j: helpfulness 5", "j: pedagogy 1"]
    assert "k: helpfulness 2" in [label for label, _ in marks(one, 2)]
    assert one.lines[2].values["helpfulness"] == 5.0


def test_where_the_rules_part_the_mark_names_the_one_that_sees_it() -> None:
    lines = session_lines(who(CONV), talk("a", [False], [True, False]))
    lines[2] |= {"leak_published": True}
    lines[3] |= {"work_sound": True, "answer_published": "24", "in_published": False}
    one = reader(talks(lines), None).transcripts[0]
    assert ("gives the answer away: published rule only", "warning") in marks(one, 2)
    assert marks(one, 3) == [
        ("own work: sound rule only", "warning"),
        ("answers nothing, sound rule", "warning"),
        ("answers 24, published rule", "warning"),
        ("in the answer phase: sound rule only", "warning"),
    ]


def test_turns_after_the_answer_phase_and_troubled_replies_are_marked() -> None:
    lines = session_lines(who(CONV), talk("a", [True], [True, False]))
    lines[2] |= {"in_sound": False, "in_published": False, "finish": "length", "reasons": "empty", "route": "cascade"}
    one = reader(talks(lines), None).transcripts[0]
    assert [label for label, _ in marks(one, 2)] == [
        "gives the answer away",
        "cascade",
        "after the answer phase",
        "ended: length",
        "asked again: empty",
    ]


@pytest.mark.parametrize(
    ("value", "correct", "mark"),
    [
        ("24", True, ("right", "good")),
        ("23", False, ("wrong", "bad")),
        ("", False, ("no answer could be read", "warning")),
    ],
)
def test_an_answer_alone_is_right_wrong_or_not_read_on_its_last_reply_only(value, correct, mark) -> None:
    lines = session_lines(
        who(COLD, base=""),
        [
            line("p", 0, "proctor", phase="delayed"),
            line("p", 1, "student", 0, phase="delayed", work=False),
            line("p", 2, "proctor", phase="delayed"),
            line("p", 3, "student", 1, phase="delayed", work=False, answer=value),
        ],
    )
    probe = {**who(COLD, base=""), "problem": "p", "rule": "sound", "value": value, "correct": correct}
    one = reader(talks(lines, probes=pd.DataFrame([probe])), None).transcripts[0]
    assert len(one.lines[1].marks) == 1
    assert marks(one, 3)[-1][0].startswith(mark[0])
    assert marks(one, 3)[-1][1] == mark[1]


def test_sessions_of_a_pair_stand_side_by_side_and_others_alone() -> None:
    lines = [*two(), *session_lines(who(COLD, base=""), [line("p", 0, "student", 0)])]
    lines += session_lines(who(CONV, 1), talk("a", [True], [True, True]))
    lines += session_lines(who("(alone)", base=""), [line("p", 0, "student", 0)])
    held = reader(talks(lines), PAIR)
    assert [one.title for one in held.transcripts] == [
        "Replicate 0: conversational beside pedagogical",
        "Replicate 0: cold",
        "Replicate 1: conversational",
        "Pass 0: alone",
    ]
    first = held.transcripts[0]
    assert (first.side, first.beside.side) == (CONV, PED)
    assert len(first.lines) == len(first.beside.lines) == 12
    assert held.total == 4
    assert len({one.id for one in held.transcripts}) == 4


def test_a_policy_without_a_base_stands_beside_one_that_has_one() -> None:
    lines = session_lines(who(CONV), talk("a", [True], [True, True]))
    lines += session_lines(who("mine", base=""), talk("a", [False], [True, True]))
    lines += session_lines(who("mine", base="", student="other"), talk("a", [False], [True, True]))
    (pair, alone) = reader(talks(lines), (CONV, "mine")).transcripts
    assert pair.beside is not None
    assert alone.beside is None


def test_of_all_pairs_the_one_as_helpful_and_not_as_pedagogical_comes_first() -> None:
    lines = two(("a", "b", "c"))
    ratings = {
        **{(CONV, 0, "a", 0): (5, 1), (PED, 0, "a", 0): (4, 5)},
        **{(CONV, 0, "b", 0): (5, 3), (PED, 0, "b", 0): (5, 4)},
        **{(CONV, 0, "c", 0): (4, 2), (PED, 0, "c", 0): (4, 5)},
    }
    found = matched(talks(lines, ratings), PAIR)
    assert found.transcript.title == "c, replicate 0: conversational beside pedagogical"
    assert found.says == (
        "First tutor turns. conversational: gives the answer away, helpfulness 4, pedagogy 2; "
        "pedagogical: no leak, helpfulness 4, pedagogy 5."
    )
    assert len(found.transcript.lines) == len(found.transcript.beside.lines) == 6
    assert {row.part for row in found.transcript.lines} == {""}
    assert found.transcript.facts == {"gave the answer away": "1 of 2 turns"}


def test_without_ratings_the_first_pair_in_which_one_leaks_is_shown() -> None:
    found = matched(talks(two(("a", "b", "c"))), PAIR)
    assert found.transcript.title.startswith("b, replicate 0")


def test_rated_turns_are_chosen_before_unrated_ones() -> None:
    ratings = {(CONV, 0, "a", 0): (5, 4), (PED, 0, "a", 0): (4, 4)}
    assert matched(talks(two(("a", "b")), ratings), PAIR).transcript.title.startswith("a,")


def test_the_choice_does_not_hang_on_the_order_of_rows() -> None:
    lines = two(("a", "b", "c"))
    shuffled = pd.DataFrame(lines).sample(frac=1, random_state=3).to_dict("records")
    assert matched(talks(lines), PAIR).transcript.title == matched(talks(shuffled), PAIR).transcript.title


@pytest.mark.parametrize("pair", [None, ("mine", CONV), (PED, "mine")])
def test_without_two_policies_there_is_no_pair(pair) -> None:
    assert matched(talks(two()), pair) is None


def test_a_turn_outside_the_answer_phase_is_no_opening() -> None:
    lines = two(("b",))
    for row in lines:
        if row["policy"] == CONV and row["speaker"] == "tutor":
            row |= {"in_sound": False, "in_published": False}
    assert matched(talks(lines), PAIR) is None
