from hypothesis import given
from hypothesis import strategies as st

from tutorscope.pictures.labels import label, visible


def test_control_codes_leave_a_sign_in_their_place():
    assert visible("a\x00b\x1b[31mc\x7fd") == "a⟨U+0000⟩b⟨U+001B⟩[31mc⟨U+007F⟩d"


def test_characters_that_reorder_their_surroundings_are_spelled_out():
    assert visible("safe\u202egnp.exe\u2069") == "safe⟨U+202E⟩gnp.exe⟨U+2069⟩"


def test_line_breaks_of_every_system_become_one_kind_and_tabs_stay():
    assert visible("a\r\nb\rc\n\td") == "a\nb\nc\n\td"


def test_ordinary_text_of_any_script_is_left_as_it_is():
    text = "½ naïve שלום مرحبا 你好 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩‍🏫"
    assert visible(text) == text


@given(st.text(st.characters(codec=None)))
def test_what_is_visible_can_be_written_as_utf8_and_read_as_xml(text):
    import xml.etree.ElementTree as ET

    shown = visible(text)
    element = ET.Element("t")
    element.text = shown
    assert (ET.fromstring(ET.tostring(element, encoding="utf-8")).text or "") == shown


def test_a_long_name_is_cut_and_says_so():
    assert label("a" * 40, 10) == "a" * 9 + "…"
    assert label("short") == "short"


def test_a_cut_never_falls_inside_a_character():
    # The teacher is three code points; cutting after the first would show another person.
    assert label("abc👩‍🏫def", 5) == "abc…"
    assert label("abce\u0301fgh", 5) == "abc…"


@given(st.text(), st.integers(4, 40))
def test_a_label_is_one_line_within_its_limit(text, limit):
    shown = label(text, limit)
    assert len(shown) <= limit
    assert "\n" not in shown
