import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.intervention.points import recover

TRACE = (
    "First I add 3 and 4.\nThen I don’t know what to do, so x = y+1 and if a<=b: return a. "
    "The end is near, the end is here."
)


@pytest.mark.parametrize(
    ("quote", "ends_after", "stage"),
    [
        ("I add 3 and 4", "I add 3 and 4", "exact"),
        ('"I add 3 and 4."', "I add 3 and 4.", "exact"),
        ("“I add 3 and 4”", "I add 3 and 4", "exact"),
        ("i ADD 3 and 4", "I add 3 and 4", "other_case"),
        ("4. Then I don't know", "I don’t know", "tokens"),
        ("don't know what to do", "what to do", "tokens"),
        ("so x = y + 1", "x = y+1", "tokens"),
        ("if a <= b:", "if a<=b:", "tokens"),
        ("... what to do, so x", "do, so x", "exact"),
        ("what to do", "what to do", "exact"),
        ("know what to do, so x", "so x", "exact"),
        ("`return a`", "return a", "exact"),
    ],
)
def test_a_quote_is_found_and_its_end_is_the_point(quote, ends_after, stage):
    point = recover(quote, TRACE)
    assert (TRACE[: point.position].endswith(ends_after), point.stage) == (True, stage)


@pytest.mark.parametrize(
    ("quote", "answer", "reason"),
    [
        ("", "", "no_quote"),
        ('""', "", "no_quote"),
        ("  …  ", "", "no_quote"),
        ("words that are not there", "", "not_found"),
        ("end is", "", "ambiguous"),
        ("the answer is seven", "So the answer is seven.", "answer_part"),
        ("x = y - 1", "", "not_found"),
        ("know what ... so x", "", "not_found"),
    ],
)
def test_what_cannot_be_recovered_has_its_reason(quote, answer, reason):
    point = recover(quote, TRACE, answer)
    assert (point.position, point.reason) == (None, reason)


def test_one_hit_in_the_trace_counts_whatever_the_answer_holds():
    point = recover("I add 3 and 4", TRACE, "I add 3 and 4, I add 3 and 4")
    assert point.reason == ""


def test_a_hit_that_differs_in_case_is_not_ambiguous_with_an_exact_one():
    text = "the sum is odd. THE SUM IS ODD."
    assert recover("the sum is odd", text).position == len("the sum is odd")


@pytest.mark.parametrize("quote", ["(", "x.*", "[a-z]+", "a\\b", "^$", "+*?", "{2}"])
def test_signs_of_patterns_are_plain_signs(quote):
    text = f"before {quote} after"
    assert recover(quote, text).position == len(f"before {quote}")


def test_words_are_found_whole():
    assert recover("he is", "she is here, he is there").position == len("she is here, he is")


def test_a_doubled_word_is_two_places():
    assert recover("the", "the the").reason == "ambiguous"


@settings(max_examples=100)
@given(st.text(), st.text(), st.text())
def test_it_never_raises_and_a_point_lies_in_the_trace(quote, trace, answer):
    point = recover(quote, trace, answer)
    assert (point.position is None) != (point.reason == "")
    assert point.position is None or 0 <= point.position <= len(trace)


def test_a_hundred_thousand_characters():
    trace = "so we go on and on " * 5_000 + "until the very last word comes " + "aaa " * 3_000
    found = recover("until  the very\nlast word", trace)
    assert trace[: found.position].endswith("until the very last word")
    assert recover("a" * 5_000, "a" * 100_000).reason
