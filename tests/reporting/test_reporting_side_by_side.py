"""Two transcripts side by side: what the page holds of them, and how a browser lays them out."""

import json
from dataclasses import replace

import pytest

from tutorscope.pictures.blocks import Line, Mark, Reader, Section, Transcript
from tutorscope.reporting.embedding import transcript_json
from tutorscope.reporting.texts import choose_texts

DESKTOP, PHONE = (1280, 900), (390, 844)
HOSTILE = "</script><script>window.attacked=1</script><img src=x onerror=window.attacked=1>\x1b[31m\u202e"


def lines(words: str, turns: int, part: str = "first", value: float = 3.0) -> list[Line]:
    return [
        Line("tutor", f"{words} {i}", [Mark(f"pedagogy {value:g}")], {"pedagogy": value}, part)
        if i % 2
        else Line("student", f"{words} {i}", [Mark("own work", "good")], part=part)
        for i in range(turns)
    ]


def pair(left: list[Line], right: list[Line], name: str = "a") -> Transcript:
    beside = Transcript("", "unused", "", right, facts={"kept": "3 of 4"}, side="pedagogical")
    return Transcript(name, f"pair {name}", "pairs", left, facts={"told": "1 of 4"}, side="told", beside=beside)


def page_of(*transcripts: Transcript, total: int = 0) -> list[Section]:
    reader = Reader(transcripts, total or len(transcripts), {"pedagogy": (1, 5)})
    return [Section("r", "R", [reader])]


def test_a_transcript_is_written_with_the_one_beside_it():
    written = json.loads(transcript_json(pair(lines("left", 1), lines("right", 2))))
    assert (written["title"], written["side"], written["beside"]["side"]) == ("pair a", "told", "pedagogical")
    assert [line["text"] for line in written["beside"]["lines"]] == ["right 0", "right 1"]
    assert written["beside"]["facts"] == [["kept", "3 of 4"]]
    assert written["lines"][0]["part"] == "first"


def test_a_side_without_a_name_of_its_own_has_its_title():
    both = replace(pair(lines("left", 1), lines("right", 1)), side="")
    assert json.loads(transcript_json(both))["side"] == "pair a"


def test_hostile_words_of_the_second_stay_data():
    written = str(transcript_json(pair([], [Line(HOSTILE, HOSTILE, [Mark(HOSTILE)], part=HOSTILE)])))
    assert not set(written) & set("<>&\u2028\u2029\x1b\u202e")


def test_without_texts_neither_side_has_words_and_both_keep_their_marks():
    (section,) = choose_texts(page_of(pair(lines("left", 2), lines("right", 2))), "none", cap=10_000)
    one = section.blocks[0].transcripts[0]
    for side in (one, one.beside):
        assert [line.text for line in side.lines] == ["", ""]
        assert [line.marks[0].label for line in side.lines] == ["own work", "pedagogy 3"]


def test_a_sample_weighs_both_sides():
    pairs = [pair(lines("x" * 300, 2), lines("y" * 300, 2), name) for name in "ab"]
    cap = len(transcript_json(pairs[0]).encode()) + 1
    (section,) = choose_texts(page_of(*pairs), "sample", cap=cap)
    assert len(section.blocks[0].transcripts) == 1


@pytest.mark.browser
def test_turns_stand_side_by_side_at_one_height_and_are_marked(visit):
    page = visit(page_of(pair(lines("short", 4), lines("a long text " * 40, 4)), pair([], [], "b")))
    sides = page.locator(".side")
    assert sides.count() == 2
    for place in range(4):
        left, right = (sides.nth(side).locator(".turn").nth(place).bounding_box() for side in (0, 1))
        assert left["y"] == pytest.approx(right["y"], abs=1)
        assert left["x"] + left["width"] <= right["x"]
    assert sides.nth(1).locator(".mark").all_text_contents() == ["own work", "pedagogy 3"] * 2
    assert page.locator(".sides-key").text_content() == "toldpedagogical"
    assert [sides.nth(i).get_attribute("aria-label") for i in (0, 1)] == ["told", "pedagogical"]
    assert sides.nth(1).locator(".reader-facts").text_content() == "kept3 of 4"
    assert page.locator(".reader-list .item-more").all_text_contents()[0].startswith("4 and 4 turns")


@pytest.mark.browser
def test_parts_of_the_same_name_begin_at_one_height_and_others_wait(visit):
    left = [*lines("l", 2, "one"), *lines("l", 2, "only left"), *lines("l", 1, "two")]
    right = [*lines("r", 5, "one"), *lines("r", 1, "only right"), *lines("r", 2, "two")]
    page = visit(page_of(pair(left, right)))
    heads = page.locator(".side").nth(0).locator(".turn-part")
    assert heads.all_text_contents() == ["one", "only left", "two"]
    rows = [page.locator(".side").nth(side).locator(".turn-number").all_text_contents() for side in (0, 1)]
    assert rows == [["1", "2", "6", "7", "9"], ["1", "2", "3", "4", "5", "8", "9", "10"]]
    tops = [page.locator(".side").nth(side).locator(".turn", has_text="two").bounding_box()["y"] for side in (0, 1)]
    assert tops[0] == pytest.approx(tops[1], abs=1)


@pytest.mark.browser
def test_parts_in_crossed_order_are_all_shown(visit):
    left = [*lines("l", 1, "one"), *lines("l", 1, "two")]
    right = [*lines("r", 1, "two"), *lines("r", 1, "one")]
    page = visit(page_of(pair(left, right)))
    assert page.locator(".turn-text").all_text_contents() == ["l 0", "l 0", "r 0", "r 0"]


@pytest.mark.browser
def test_one_trajectory_draws_both_and_keys_walk_both_at_once(visit):
    page = visit(page_of(pair(lines("l", 4, value=2), lines("r", 4, value=4)), pair([], [], "b")))
    for side in (0, 1):
        assert page.locator(f".trajectory .side-{side} circle").count() == 2
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    said = slider.get_attribute("aria-valuetext")
    assert said == "turn 2, told: tutor, pedagogy 2; pedagogical: tutor, pedagogy 4"
    assert page.locator(".turn.current .turn-text").all_text_contents() == ["l 1", "r 1"]


@pytest.mark.browser
def test_keys_reach_the_turns_of_a_pair(visit):
    page = visit(page_of(pair(lines("word " * 200, 8), lines("r", 8)), pair([], [], "b")))
    page.get_by_role("slider").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "sides"
    page.keyboard.press("End")
    page.wait_for_function("document.querySelector('.sides').scrollTop > 0")


@pytest.mark.browser
@pytest.mark.parametrize("media", ["phone", "print"])
def test_on_a_phone_and_in_print_one_stands_below_the_other_under_its_name(visit, media):
    page = visit(page_of(pair(lines("left", 3), lines("right", 3))), PHONE if media == "phone" else DESKTOP)
    if media == "print":
        page.emulate_media(media="print")
    left, right = (page.locator(".side").nth(i).bounding_box() for i in (0, 1))
    assert left["y"] + left["height"] <= right["y"]
    assert left["x"] == right["x"]
    assert page.locator(".side-head h4").all_text_contents() == ["told", "pedagogical"]
    assert page.locator(".side-head h4").nth(1).is_visible()


@pytest.mark.browser
def test_a_pair_alone_needs_no_list_and_is_printed(visit):
    page = visit(page_of(pair(lines("left", 3), lines("right", 3))))
    assert not page.locator(".reader-list").is_visible()
    assert not page.locator(".reader-controls").is_visible()
    page.emulate_media(media="print")
    assert page.locator(".turn").last.is_visible()


@pytest.mark.browser
def test_a_sample_of_one_keeps_its_controls(visit):
    page = visit(page_of(pair(lines("left", 3), lines("right", 3)), total=12))
    assert page.locator(".reader-controls").is_visible()


@pytest.mark.browser
def test_the_search_finds_words_of_either_side(visit):
    from playwright.sync_api import expect

    page = visit(page_of(pair(lines("apple", 1), lines("pear", 1)), pair(lines("fig", 1), lines("plum", 1), "b")))
    page.get_by_label("Search titles and texts").fill("plum")
    expect(page.locator(".reader-list .item-title")).to_have_text(["pair b"])


@pytest.mark.browser
def test_hostile_words_are_shown_on_both_sides_and_nothing_scrolls_sideways(visit):
    bad = [Line(HOSTILE, HOSTILE + "W" * 400, [Mark(HOSTILE)], part=HOSTILE)]
    one = replace(pair(bad, bad), side=HOSTILE, title=HOSTILE)
    page = visit(page_of(replace(one, beside=replace(one.beside, side="W" * 300)), pair([], [], "b")))
    assert page.locator(".turn-text").nth(1).text_content().startswith("</script><script>window.attacked=1</script>")
    for width in (1280, 1000, 820, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_long_pairs_are_drawn_in_steps_and_walked_to_their_end(visit):
    page = visit(page_of(pair(lines("l", 700), lines("r", 320)), pair([], [], "b")))
    assert page.locator(".turn").count() == 600
    page.get_by_role("button", name="Show 20 more of 20 turns").click()
    assert page.locator(".turn").count() == 600 + 300 + 20
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    assert page.locator(".turn.current .turn-text").all_text_contents() == ["l 699"]
