"""The page in a real browser, from a file, at desktop and phone width."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from tutorscope.pictures.blocks import Line, Mark, Prose, Reader, Section, Table, Transcript

pytestmark = pytest.mark.browser
DESKTOP, PHONE = (1280, 900), (390, 844)
HOSTILE = (
    "</script><script>window.attacked=1</script><img src=https://example.org/x.png onerror=window.attacked=1>"
    "<svg onload=window.attacked=1><style>*{display:none}</style>\x1b[31m\x00\u202eevil\u2028 😀"
)


def listed(page) -> list[str]:
    return page.locator(".reader-list .item-title").all_text_contents()


def assert_lists(page, titles: list[str]) -> None:
    """Hold what the list shows, once the search has taken effect."""
    from playwright.sync_api import expect

    expect(page.locator(".reader-list .item-title")).to_have_text(titles)


def test_a_hexagon_picks_the_chats_of_its_cell(visit, sections, transcripts):
    page = visit(sections)
    some = transcripts[25]
    inside = [t.title for t in transcripts if (t.group, t.cell) == (some.group, some.cell)]
    link = page.locator(f'.wide a[aria-label^="{some.group}, cell {some.cell}: {len(inside)} to read"]')
    link.locator("path").click()
    assert listed(page) == inside
    assert page.locator(".reader-page h3").text_content() == inside[0]
    assert f"from cell {some.cell} of {some.group}" in page.locator(".reader-status").text_content()
    assert page.locator(".reader").evaluate("e => Math.abs(e.getBoundingClientRect().top) < 60")
    page.get_by_role("button", name="Show all cells").click()
    assert len(listed(page)) == 20
    assert page.url.endswith("#reader-1")


def test_a_cell_can_be_picked_again_and_from_the_keyboard(visit, sections):
    page = visit(sections)
    link = page.locator('.wide a[href^="#pick="]').first
    link.focus()
    page.keyboard.press("Enter")
    first = listed(page)
    assert len(first) < 20
    page.get_by_role("button", name="Show all cells").click()
    link.locator("path").click()
    assert listed(page) == first


def test_an_address_with_a_cell_opens_on_that_cell(visit, sections, transcripts):
    from tutorscope.pictures.hexes import pick

    page = visit(sections, hash_=pick(transcripts[40].group, transcripts[40].cell))
    assert transcripts[40].title in listed(page)
    assert len(listed(page)) < 20


@pytest.mark.parametrize("hash_", ["#pick=%E0%A4%A/x", "#pick=", "#pick=nobody/nowhere", "#pick=a/b/c"])
def test_an_address_that_no_figure_wrote_breaks_nothing(visit, sections, hash_):
    page = visit(sections, hash_=hash_)
    assert page.locator(".reader-page h3").text_content() == "chat-000"
    if hash_ == "#pick=nobody/nowhere":
        assert "this page holds none of that cell" in page.locator(".reader-status").text_content()


def test_the_list_filters_by_group_and_searches_texts(visit, sections, transcripts):
    page = visit(sections)
    page.get_by_label("Group", exact=True).select_option(label="Chatbots with scaffolding (20)")
    assert listed(page) == [t.title for t in transcripts if t.group == "Chatbots with scaffolding"]
    page.get_by_label("Search titles and texts").fill("TWELFTHS choose")
    expected = [
        t.title
        for t in transcripts
        if t.group == "Chatbots with scaffolding" and any("choose twelfths" in line.text for line in t.lines)
    ]
    assert_lists(page, expected)


def test_a_transcript_shows_both_scores_turn_by_turn_and_its_trajectory(visit, sections, transcripts):
    page = visit(sections)
    one = transcripts[2]
    page.locator(".reader-list .item", has_text=one.title).click()
    turns = page.locator(".turn")
    assert turns.count() == len(one.lines)
    for place, line in enumerate(one.lines):
        assert turns.nth(place).locator(".turn-text").text_content() == line.text
        assert turns.nth(place).locator(".turn-who").text_content() == line.speaker
        assert turns.nth(place).locator(".mark").all_text_contents() == [mark.label for mark in line.marks]
    marks = page.locator(".turn .mark").all_text_contents()
    assert any(m.startswith("uptake") for m in marks)
    assert any(m.startswith("scaffolding") for m in marks)
    assert page.locator(".trajectory .series-0 circle").count() == len(one.lines) // 2 - 1
    assert page.locator(".trajectory .series-1 circle").count() == len(one.lines) // 2
    assert page.locator(".trajectory .name").all_text_contents() == ["student uptake", "chatbot scaffolding"]


def test_points_of_the_trajectory_lie_where_their_values_say(visit):
    lines = [Line("tutor", "x", values={"s": v}) for v in (1, 3, 5)]
    page = visit([Section("r", "R", [Reader([Transcript("a", "a", "g", lines)], 1, {"s": (1, 5)})])])
    grid = [float(y) for y in page.locator(".grid").evaluate_all("all => all.map(e => e.getAttribute('y1'))")]
    points = [float(y) for y in page.locator("circle").evaluate_all("all => all.map(e => e.getAttribute('cy'))")]
    assert points == grid


def test_keys_walk_the_trajectory_and_its_turn_is_spoken_and_shown(visit, sections, transcripts):
    page = visit(sections)
    page.locator(".reader-list .item", has_text="chat-002").click()
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    line = transcripts[2].lines[1]
    assert (
        slider.get_attribute("aria-valuetext")
        == f"turn 2, tutor, chatbot_scaffolding {line.values['chatbot_scaffolding']}"
    )
    page.keyboard.press("End")
    last = page.locator(".turn").last
    assert "current" in last.get_attribute("class")
    assert last.evaluate("e => e.getBoundingClientRect().bottom <= innerHeight")
    page.keyboard.press("Home")
    assert slider.get_attribute("aria-valuenow") == "1"


def test_keys_walk_the_list_and_buttons_step_through_it(visit, sections):
    page = visit(sections)
    page.locator(".reader-list .item").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".reader-page h3").text_content() == "chat-001"
    page.get_by_role("button", name="Next").click()
    page.keyboard.press("Enter")
    assert page.locator(".reader-page h3").text_content() == "chat-003"
    page.get_by_role("button", name="Previous").click()
    assert page.locator(".reader-page h3").text_content() == "chat-002"


def test_tables_sort_by_number_and_by_name_and_missing_values_stay_last(visit):
    frame = pd.DataFrame({"name": ["b", "c", "a", "d"], "value": [10.0, 9.0, float("nan"), float("-inf")]})
    page = visit([Section("t", "T", [Table("t", "T", frame)])])
    cells = page.locator("tbody td:first-child")
    page.get_by_role("button", name="value").click()
    assert cells.all_text_contents() == ["d", "c", "b", "a"]
    page.get_by_role("button", name="value").click()
    assert cells.all_text_contents() == ["b", "c", "d", "a"]
    assert page.locator("th").nth(1).get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="name").click()
    assert cells.all_text_contents() == ["a", "b", "c", "d"]


def hostile_sections() -> list[Section]:
    one = Transcript(
        HOSTILE, HOSTILE, HOSTILE, [Line(HOSTILE, HOSTILE, [Mark(HOSTILE, HOSTILE)])], "c", {HOSTILE: HOSTILE}
    )
    long = Transcript("long", "W" * 300, "g", [Line("student", "w" * 1_000_000), Line("tutor", "Student: 5/5")])
    table = Table("t", HOSTILE, pd.DataFrame({HOSTILE: [HOSTILE, "W" * 300], "n": [1, 2]}))
    return [Section("a", HOSTILE, [Prose(HOSTILE), table, Reader([one, long], 2, notice=HOSTILE)])]


def test_hostile_text_is_shown_and_does_nothing(visit):
    page = visit(hostile_sections())
    shown = page.locator(".turn-text").text_content()
    assert "</script><script>window.attacked=1</script>" in shown
    assert "⟨U+001B⟩[31m⟨U+0000⟩⟨U+202E⟩evil" in shown
    assert page.locator("img, .turn svg").count() == 0
    assert page.locator("body").is_visible()


def test_a_huge_message_is_opened_on_demand_and_cannot_pose_as_another_turn(visit):
    page = visit(hostile_sections())
    page.locator(".reader-list .item").nth(1).click()
    assert page.locator(".turn").count() == 2
    first = page.locator(".turn-text").first
    assert len(first.text_content()) < 7000
    page.get_by_role("button", name="Show the whole message (1,000,000 characters)").click()
    assert len(first.text_content()) == 1_000_000
    assert page.locator(".turn-who").all_text_contents() == ["student", "tutor"]


def test_the_page_never_scrolls_sideways(visit, sections):
    for these in (sections, hostile_sections()):
        page = visit(these)
        for width, height in (DESKTOP, (1024, 768), (768, 1024), PHONE, (320, 640)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_phone_shows_panels_one_below_the_other_and_a_pick_there_works(visit, sections):
    page = visit(sections, PHONE)
    assert not page.locator(".wide").first.is_visible()
    link = page.locator('.narrow a[href^="#pick="]').first
    link.locator("path").click()
    assert page.locator(".reader-status .clear").is_visible()
    assert 0 < len(listed(page)) < 20


def test_two_thousand_transcripts_stay_usable(visit, transcripts):
    many = [replace(transcripts[i % 60], id=str(i), title=f"chat {i}") for i in range(2000)]
    page = visit([Section("r", "R", [Reader(many, 2000)])])
    assert len(listed(page)) == 200
    page.get_by_role("button", name="Show 200 more of 1,800").click()
    assert len(listed(page)) == 400
    page.get_by_label("Search titles and texts").fill("chat 1999")
    assert_lists(page, ["chat 1999"])
    assert page.locator(".reader-status").text_content() == "1 of 2,000 listed"


def test_a_chat_of_five_thousand_turns_is_walked_to_its_end(visit):
    lines = [Line("student", f"turn {i}", values={"uptake": i % 3 - 1.0}) for i in range(5000)]
    page = visit([Section("r", "R", [Reader([Transcript("a", "a", "g", lines)], 1, {"uptake": (-1, 1)})])])
    assert page.locator(".turn").count() == 300
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    assert page.locator(".turn.current .turn-text").text_content() == "turn 4999"


def test_a_page_without_texts_says_so_at_each_turn_and_still_draws(visit, sections):
    page = visit(sections, texts="none")
    assert set(page.locator(".turn-text").all_text_contents()) == {"words left out of this page"}
    assert page.locator(".trajectory circle").count() > 0
    assert page.get_by_label("Search titles", exact=True).is_visible()


def test_in_the_dark_text_is_light_and_print_is_black_on_white(visit, sections):
    page = visit(sections, color_scheme="dark")

    def lightness(what: str) -> int:
        return sum(map(int, re.findall(r"\d+", page.evaluate(f"getComputedStyle(document.body).{what}"))[:3]))

    assert lightness("color") > 600 > 150 > lightness("backgroundColor")
    page.emulate_media(media="print", color_scheme="dark")
    assert lightness("color") < 150


def test_print_leaves_out_the_list_and_keeps_the_chat_that_was_opened(visit, sections):
    page = visit(sections)
    page.emulate_media(media="print")
    assert not page.locator(".reader-body").is_visible()
    page.emulate_media(media="screen")
    page.locator(".reader-list .item").nth(3).click()
    page.emulate_media(media="print")
    assert not page.locator(".reader-list").is_visible()
    assert page.locator(".turn").first.is_visible()


def test_without_scripts_the_page_still_reads(visit, sections):
    page = visit(sections, java_script_enabled=False)
    assert page.locator(".headline").is_visible()
    assert page.get_by_text("needs this page's own script").is_visible()


def test_a_list_says_what_a_transcript_holds_where_its_lines_are_not_all_turns(visit):
    told = [Line("tutor", "a"), Line("criterion 1", "b")]
    counted = Transcript("a", "one", "g", told, counted="1 turn and 1 criterion")
    page = visit([Section("r", "R", [Reader([counted, Transcript("b", "two", "g", told)], 2)])])
    assert page.locator(".item-more").all_text_contents() == ["1 turn and 1 criterion · g", "2 turns · g"]


def test_a_table_that_is_scrolled_says_how_many_rows_it_has(visit):
    tables = [Table(f"t{n}", "Numbers.", pd.DataFrame({"n": range(n)})) for n in (40, 41)]
    page = visit([Section("t", "T", tables)])
    assert page.locator("figure.table figcaption").all_text_contents() == [
        "Table 1. Numbers.",
        "Table 2. Numbers. 41 rows: scroll for all of them.",
    ]
