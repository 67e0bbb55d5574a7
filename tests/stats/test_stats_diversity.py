"""N-gram diversity, worked out by hand."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.stats.diversity import most_frequent_ngram, ngram_diversity, ngrams

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=8), max_size=6)


def test_distinct_over_all_is_pooled_over_texts():
    # a b c | b c d | a b c d: trigrams abc, bcd, abc, bcd: 2 of 4 distinct.
    found = ngram_diversity([list("abc"), list("bcd"), list("abcd")], 3)
    assert (found.total, found.distinct, found.share) == (4, 2, 0.5)


def test_no_ngram_reaches_into_the_next_text():
    assert ngram_diversity([["a", "b"], ["c", "d"]], 3).total == 0


def test_texts_too_short_give_no_share():
    assert math.isnan(ngram_diversity([["a"], []], 2).share)
    assert math.isnan(most_frequent_ngram([["a"], []], 2).share)


def test_the_most_frequent_is_by_occurrences_and_its_share_by_texts():
    # "a a" occurs three times, all in one text; "b c" twice, in two texts.
    found = most_frequent_ngram([list("aaaa"), list("bc"), list("bc")], 2)
    assert (found.ngram, found.count, found.holding, round(found.share, 6)) == (("a", "a"), 3, 1, round(1 / 3, 6))


def test_of_equally_frequent_ones_it_is_the_one_in_more_texts():
    found = most_frequent_ngram([list("aaa"), list("bc"), list("bc")], 2)
    assert (found.ngram, found.share) == (("b", "c"), 2 / 3)


def test_an_ngram_has_a_token():
    with pytest.raises(ValueError, match="at least 1"):
        list(ngrams(["a"], 0))


@settings(max_examples=30)
@given(TEXTS, st.integers(1, 4))
def test_the_order_of_texts_does_not_matter(texts, n):
    forth, back = ngram_diversity(texts, n), ngram_diversity(texts[::-1], n)
    assert (forth.total, forth.distinct) == (back.total, back.distinct)
    assert most_frequent_ngram(texts, n).ngram == most_frequent_ngram(texts[::-1], n).ngram


@settings(max_examples=30)
@given(TEXTS, st.integers(1, 4))
def test_twice_the_same_texts_halve_the_share(texts, n):
    once, twice = ngram_diversity(texts, n), ngram_diversity([*texts, *texts], n)
    assert math.isnan(twice.share) if math.isnan(once.share) else twice.share == pytest.approx(once.share / 2)
