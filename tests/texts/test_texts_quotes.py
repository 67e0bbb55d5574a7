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
        REPLY + "!",
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
        REPLY + "?",
        REPLY + "! No",
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


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Nice try!", "Nice try."),
        ("Nice try.", "nice try!"),
        ("Nice try, now.", "(Nice try)"),
        ("Nice try, now.", "[Nice try]"),
        ("Nice try now.", "Nice try, ..."),
        ("Nice try now.", "Nice try;"),
        ("Nice try now.", "- Nice try"),
        ("Nice try now.", "• Nice try"),
        ("Nice try now.", "> - Nice try"),
        ("Nice try now.", "✅ Nice try \U0001f44d\U0001f3fd"),
        ("Nice try now.", "nice try :)"),
        ("Nice try now.", "'<quote>Nice try</quote>'"),
        ("Take 5 apples.", "- 5 apples"),
        ("Is it 5? Say so.", "(Is it 5?)"),
    ],
)
def test_what_a_judge_puts_around_a_quote_does_not_count(text, quote):
    assert contains_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Nice try.", "Nice try?"),
        ("لا تستعجل الآن.", "لا تستعجل الآن؟"),
        ("Nice try now.", "Nice try [cut]"),
        ("Nice, try now.", "Nice try"),
        ("Nice try now.", "Nice, try"),
        ("Take 5 apples.", "take -5 apples"),
        ("Take 5 apples.", "-5 apples"),
        ("Take 5 apples.", ">5 apples"),
        ("Take 20 now.", "$20 now"),
        ("Take 20 now.", "Take 20%"),
        ("if a <b and c> d", "if a d"),
        ("Say <name> now.", "say now"),
        ("It is 10² here.", "is 102 here"),
        ("It is 10<sup>2</sup> here.", "is 102 here"),
    ],
)
def test_a_question_mark_and_the_signs_of_a_number_count(text, quote):
    assert not contains_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("Do you want to stop? Then say so.", "Do you want to stop.", False),
        ("Do you want to stop? Then say so.", "“Do you want to stop!”", False),
        ("Do you want to “stop”? Then say so.", "do you want to stop.", False),
        ("Do you want to stop ? Then say so.", "do you want to stop.", False),
        ("先休息好吗？", "先休息好吗。", False),
        ("هل تريد أن ترتاح؟", "هل تريد أن ترتاح.", False),
        ("Do you want to stop? Then say so.", "Do you want to stop?", True),
        ("Do you want to stop? Then say so.", "Do you want to stop", True),
        ("Do you want to stop? Then say so.", "Do you want to stop...", True),
        ("Do you want to stop? Then say so.", "Do you want to.", True),
        ("Do you want to stop? You want to stop.", "You want to stop.", True),
        ("You can stop. Do you?", "You can stop!", True),
    ],
)
def test_a_question_is_not_quoted_as_a_statement(text, quote, found):
    assert contains_quote(text, quote) is found


@pytest.mark.parametrize("unit", ["so ", "1 000 ", "a", "so? ", "ab, "])
def test_long_texts_that_repeat_themselves_are_searched_to_their_end(unit):
    long = unit * (100_000 // len(unit))
    # From the second character on; "o so so" begins within a word.
    assert not contains_quote(f"a1{long}z", f"{long[: len(long) // 2]}!b")
    assert not contains_quote(f"x{long}", long[: len(long) // 2] + "x")
    assert contains_quote(f"x, {long}.", long)


def test_a_quote_is_found_at_the_first_place_where_it_begins_with_a_word():
    text = "so " * 30_000
    assert not contains_quote(text, text[1:45_000])
    assert contains_quote(text + "o " + text, "o " + text[:45_000])


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("I won't wait.", "I won&#39;t wait"),
        ("Tom &amp; I read &quot;it&quot;&nbsp;now.", 'Tom & I read "it" now'),
        ("Take <em>one</em> step.", "take one step"),
        ("Take one step.", 'take <b class="x">one</b> step'),
        ("One step.<br/>Then two.", "one step. then two"),
        ("Use [this chart](http://x.y/z) now.", "use this chart now"),
        ("Take one step.", "ｔａｋｅ　ｏｎｅ　ｓｔｅｐ"),
        ("先休息,然后读。", "先休息，然后读"),
        ("İstersen şimdi ara verelim.", "istersen şimdi ara"),
        ("I won't wait.", "I won\\'t wait"),
        ("I won\\'t wait.", "I won't wait"),
        ("One step.\n2. Then two.", "one step.\\n2. Then two"),
        ("Read the prob-\nlem now.", "read the problem now"),
        ("A self-\nmade card.", "a self-made card"),
        ("Two things:\n- sit here\n- wait", "two things: sit here wait"),
        ("Two things:\n- sit here\n- wait", "two things: - sit here - wait"),
        ("> Two\n> things", "two things"),
        ("Do 20–30 sums.", "do 20-30 sums"),
    ],
)
def test_other_ways_to_write_the_same_are_folded(text, quote):
    assert contains_quote(text, quote)


@pytest.mark.parametrize("sign", ["&#" + "9" * 6000 + ";", "&#x110000;", "&#xD800;", "&nothing;"])
def test_an_entity_of_no_character_is_no_error(sign):
    assert contains_quote(f"Sit here {sign} now.", "sit here")


def test_an_escape_that_is_the_texts_own_stays():
    assert contains_quote(r"Use \neq and \nu now.", r"use \neq and \nu")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Read 1/2 of the page.", "2 of the page"),
        ("We stop at 10:30 sharp.", "30 sharp"),
        ("It costs 1 000 points.", "000 points"),
        ("It costs 1 000 points.", "it costs 1"),
        ("It costs 1'000 points.", "000 points"),
        ("Do 20-30 sums.", "30 sums"),
        ("Do 20–30 sums.", "do 20"),
        ("It is at 5% of it.", "is at 5"),
        ("It is at 5 % of it.", "is at 5"),
        ("It was -5 degrees.", "5 degrees"),
        ("It was (−5) degrees.", "5) degrees"),
        ("x=-5 now", "5 now"),
        ("It's non-negotiable now.", "negotiable now"),
        ("It's **non**-negotiable now.", "negotiable now"),
        ("Have a 5-minute break.", "have a 5"),
    ],
)
def test_a_part_of_a_number_or_of_a_hyphened_word_is_not_found(text, quote):
    assert not contains_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Read 1/2 of the page.", "read 1/2 of"),
        ("It was -5 degrees.", "was −5 degrees"),
        ("In 2024 100 pupils came.", "100 pupils came"),
        ("At 10:30 - 11:00 we stop.", "11:00 we stop"),
        ("It is 3. 5 are left.", "5 are left"),
        ("- 5 apples for you", "5 apples for you"),
        ("Stop—then go on.", "then go on"),
        ("Stop - then go on.", "then go on"),
        ("The pre- and post-test now.", "and post-test now"),
    ],
)
def test_a_number_is_whole_where_nothing_joins_it_to_another(text, quote):
    assert contains_quote(text, quote)


def test_a_negation_that_stands_ahead_may_be_left_out():
    assert contains_quote("I won't make you go in yet.", "make you go in")


SIGNS = st.sampled_from([" ", ", ", ". ", "! ", " - ", "\n- ", "… ", " “", " **", " <b>", " &amp; "])


@given(st.lists(st.tuples(st.text("abcdeé", min_size=1, max_size=6), SIGNS), min_size=1, max_size=15), st.data())
def test_any_quote_cut_between_words_is_found_whatever_is_put_around_it(pieces, data):
    start = data.draw(st.integers(0, len(pieces) - 1))
    end = data.draw(st.integers(start + 1, len(pieces)))
    ahead, behind = data.draw(
        st.tuples(st.sampled_from(["", "“", "- ", "(", "… "]), st.sampled_from(["", ".", "!”", ")"]))
    )
    text = "".join(word + sign for word, sign in pieces)
    quote = "".join(word + sign for word, sign in pieces[start : end - 1]) + pieces[end - 1][0]
    assert contains_quote(text, f"{ahead}{quote}{behind}")


@given(st.text(st.sampled_from("ab1 .,:-–−%'*_<>&;\\\n/()?!"), max_size=40))
def test_a_text_holds_all_of_itself(text):
    assert contains_quote(text, text) or not any(one.isalnum() for one in text)
