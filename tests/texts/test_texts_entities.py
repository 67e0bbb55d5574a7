import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.entities import unescape_entities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 &lt; 3", "2 < 3"),
        ("&#39;yes&#x27;", "'yes'"),
        ("&amp;lt;", "&lt;"),
        ("a&nbsp;b &times 3", "a\u00a0b × 3"),
        ("AT&T, R&D; &", "AT&T, R&D; &"),
        ("&#1114112;", "\ufffd"),
        ("&#" + "9" * 5000 + ";", "&#" + "9" * 5000 + ";"),
        ("&#x" + "f" * 5000 + ";", "&#x" + "f" * 5000 + ";"),
    ],
)
def test_references_become_characters_and_all_else_stays(text, expected):
    assert unescape_entities(text) == expected


PIECES = ["&lt;", "&#39;", "&#x27;", "&amp;", "&copy", "&nosuch;", "&", "#", ";", " ", "x", "39"]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_short_references_become_what_the_standard_library_makes_of_them(text):
    assert unescape_entities(text) == html.unescape(text)
