import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.quotes import contains_quote, fold

REPLY = "That’s hard.\r\n\r\nLet's look at “the first step”  together; what does x + 3 = 7 ask of you?"


@pytest.mark.parametrize(
    "quote",
    [
        "That's hard.",
        "That’s hard. Let's look",
        "look at 'the first step' together",
        'look at "the first step" together',
        "«the first step» together",
        '"Let\'s look at"',
        "“what does x + 3 = 7 ask”",
        "hard.\n\nLet",
        REPLY,
    ],
)
def test_a_faithful_quote_is_found(quote):
    assert contains_quote(REPLY, quote)


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "  ",
        '""',
        "“ ”",
        "that's hard",
        "Let us look",
        "That's hard ... together",
        "x + 3 = 8",
        "x+3=7",
        "hard.Let's",
        REPLY + "!",
        "ogether",
        "hat's hard",
        "does x + 3 = 7 as",
    ],
)
def test_what_was_not_said_is_not_found(quote):
    assert not contains_quote(REPLY, quote)


def test_a_script_without_blanks_may_be_quoted_from_anywhere():
    assert contains_quote("先写出第一步。", "出第一")


def test_an_accent_may_be_composed_or_not():
    assert contains_quote("Cafe\u0301 au lait", "Café au")


def test_regular_expression_signs_are_only_signs():
    assert contains_quote("use (a|b)* here", "(a|b)*")
    assert not contains_quote("use aaa here", "a*")


@given(st.text())
def test_folding_twice_changes_nothing_more(text):
    assert fold(fold(text)) == fold(text)


@given(st.lists(st.text(st.characters(categories=("L", "N")), min_size=1), min_size=1, max_size=12), st.data())
def test_any_run_of_words_is_found_in_any_spacing(words, data):
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    assert contains_quote("\n\t".join(words), "\u00a0 ".join(words[start:end]))
