from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.pictures.blocks import Line, Mark, Prose, Reader, Section, Transcript
from tutorscope.reporting.embedding import transcript_json
from tutorscope.reporting.texts import choose_texts, sample


def chat(name: str, group: str = "A", cell: str = "", words: str = "x" * 400) -> Transcript:
    return Transcript(name, name, group, [Line("student", words, [Mark("uptake 1")], {"uptake": 1.0})], cell)


def size(transcripts) -> int:
    return sum(len(transcript_json(one).encode()) + 1 for one in transcripts)


def choose(reader: Reader, wish: str, cap: int = 20_000_000) -> Reader:
    chosen = choose_texts([Section("chats", "Chats", [Prose("Before."), reader])], wish, cap=cap)
    assert chosen[0].blocks[0] == Prose("Before.")
    return chosen[0].blocks[1]


def test_a_sample_that_fits_is_everything_in_order_and_says_so():
    reader = Reader([chat("b"), chat("a")], 2, notice="Texts of one class.")
    chosen = choose(reader, "sample")
    assert [one.id for one in chosen.transcripts] == ["b", "a"]
    assert chosen.notice == "Texts of one class. This page holds all 2."


def test_a_page_of_fewer_than_the_run_has_says_how_many():
    assert choose(Reader([chat("a")], 8097), "sample").notice.startswith("This page holds 1 of 8,097,")


def test_none_drops_the_words_and_keeps_the_numbers():
    chosen = choose(Reader([chat("a", words="my secret")], 1), "none")
    assert chosen.withheld
    assert "Their words were left out of this page" in chosen.notice
    line = chosen.transcripts[0].lines[0]
    assert line == Line("student", "", [Mark("uptake 1")], {"uptake": 1.0})


def test_all_keeps_everything_however_large():
    reader = Reader([chat(str(i)) for i in range(50)], 50)
    assert choose(reader, "all", cap=10).transcripts == list(reader.transcripts)


def test_a_sample_stays_within_its_cap_and_takes_from_every_group_and_cell():
    transcripts = [chat(f"{g}{c}{i}", g, c) for g, n in (("A", 60), ("B", 3)) for c in ("x", "y") for i in range(n)]
    cap = size(transcripts[:8])
    held = sample(transcripts, cap)
    assert cap * 0.8 < size(held) <= cap
    assert {(one.group, one.cell) for one in held} == {("A", "x"), ("A", "y"), ("B", "x"), ("B", "y")}
    assert max(sum(one.group == g for one in held) for g in "AB") <= 5


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("xy"), st.integers(0, 900)), max_size=30), st.data())
def test_a_sample_is_a_part_of_what_was_given_in_its_order_and_the_same_each_time(made, data):
    transcripts = [chat(str(i), g, c, "w" * n) for i, (g, c, n) in enumerate(made)]
    cap = data.draw(st.integers(0, 20_000))
    held = sample(transcripts, cap)
    assert size(held) <= cap
    assert [one for one in transcripts if one in held] == held
    assert sample(transcripts, cap) == held


def test_the_draw_does_not_depend_on_the_order_of_the_run():
    transcripts = [chat(str(i)) for i in range(40)]
    cap = size(transcripts[:5])
    assert {t.id for t in sample(transcripts, cap)} == {t.id for t in sample(transcripts[::-1], cap)}


def test_one_huge_transcript_does_not_push_the_others_out():
    transcripts = [chat("huge", words="x" * 1_000_000), *(chat(str(i)) for i in range(5))]
    assert [one.id for one in sample(transcripts, 5000)] == ["0", "1", "2", "3", "4"]


def test_several_readers_share_the_cap():
    small = Reader([chat("a")], 1)
    large = Reader([chat(f"b{i}") for i in range(50)], 50)
    cap = size(large.transcripts[:10])
    first, second = (
        section.blocks[0]
        for section in choose_texts([Section("1", "", [large]), Section("2", "", [small])], "sample", cap=cap)
    )
    assert len(second.transcripts) == 1
    assert len(first.transcripts) in (8, 9)


def test_the_sections_given_are_left_as_they_were():
    reader = Reader([chat("a")], 1)
    section = Section("chats", "Chats", [reader])
    choose_texts([section], "none", cap=1000)
    assert section.blocks == [reader]
    assert reader == replace(reader, withheld=False)


def test_another_wish_is_refused():
    with pytest.raises(ValueError, match="'some', expected none, sample or all"):
        choose_texts([], "some", cap=1)
