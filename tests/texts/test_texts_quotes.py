import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.texts.quotes import contains_quote, fold, long_enough

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
        "that's hard",
        "THE FIRST STEP",
        "look at “the first step”.",
        "look at the first step",
        "what does x + 3…",
        "what does x + 3 [...]",
        "... let's look at",
        "[…] let's look at",
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
        "...",
        "** **",
        "Let us look",
        "That's hard ... together",
        "That's hard… together",
        "That's hard [...] together",
        "That's hard — together",
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


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Stop — then go on.", "stop - then go on"),
        ("Stop — then go on.", "stop -- then"),
        ("Stop—then go on.", "Stop – then go on"),
        ("A well-known word.", "a well‑known word"),
        ("Take **one** leaf, *now*.", "Take one leaf, now."),
        ("Take one leaf now.", "**Take one** leaf _now_"),
        ("Use `x` and “y” now.", "Use x and 'y' now"),
        ("Use “x” now.", "Use ``x'' now"),
        ("他说「不要」。", "他说“不要”"),
        ("Wait… and go on.", "wait... and go"),
        ("Well done \U0001f44d\ufe0f, go on.", "Well done \U0001f44d"),
        ("Keep _every_ one_two.", "keep every one_two"),
        ("It is 2 * 3, not 2*4.", "is 2 * 3, not 2*4"),
        ("Don’t give up yet.", "DON'T GIVE UP"),
    ],
)
def test_what_a_faithful_copy_may_change_is_folded_on_both_sides(text, quote):
    assert contains_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("It is 2*3.", "is 23"),
        ("Take one leaf. Then stop and go.", "Take one leaf ... go"),
        ("Đừng bỏ cuộc tiếng Việt", "iếng Việt"),
        ("학교에서 잘 했어요", "교에서 잘"),
        ("हिन्दी में लिखो", "न्दी में"),
        ("हिन्दी में लिखो", "हिन"),
        ("ที่นี่ดี", "ท"),
    ],
)
def test_words_and_letters_are_whole_in_every_script(text, quote):
    assert not contains_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote", "enough"),
    [
        (REPLY, "you", False),
        (REPLY, "look at", False),
        (REPLY, "look at 'the", True),
        (REPLY, "That’s hard", False),
        (REPLY, "that's hard. let's", True),
        (REPLY, "x + 3 = 7", True),
        ("Good!", "good", True),
        ("Take one.", "one", False),
        ("先写出第一步。", "第一步", False),
        ("先写出第一步。", "先写出第一步", True),
        ("先写出第一步，然后停下来。", "写出第一步", False),
        ("先写出第一步，然后停下来。", "写出第一步，然", True),
        ("用 x 试试，然后停下来。", "用 x 试试，", False),
        ("用 x 试试，然后停下来。", "用 x 试试，然", True),
        ("हिन्दी में लिखो और रुको", "हिन्दी में", False),
        ("हिन्दी में लिखो और रुको", "हिन्दी में लिखो", True),
    ],
)
def test_a_quote_has_three_words_or_all_that_there_are(text, quote, enough):
    assert contains_quote(text, quote)
    assert long_enough(text, quote) is enough


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


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("I think you can't do this alone.", "I think you can", False),
        ("I think you can do this alone.", "I think you can", True),
        ("You don't need to hurry now.", "t need to hurry", False),
        ("It is 3.5 times more than that.", "5 times more than that", False),
        ("It is 3.5 times more than that.", "It is 3", False),
        ("It costs 1,000 now for you.", "000 now for you", False),
        ("He'll try it once more.", "try it once more", True),
        ("We had 3. Five were left.", "We had 3", True),
    ],
)
def test_a_negation_or_the_rest_of_a_number_is_not_cut_off(text, quote, found):
    assert contains_quote(text, quote) is found
