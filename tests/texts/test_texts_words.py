"""Counts with their words, and lists with their "and"."""

import pytest

from tutorscope.texts.words import counted, joined


@pytest.mark.parametrize(("n", "said"), [(0, "0 units"), (1, "1 unit"), (2, "2 units")])
def test_one_is_in_the_singular(n, said):
    assert counted(n, "unit") == said


def test_an_odd_plural_is_given():
    assert (counted(1, "reply", "replies"), counted(2, "reply", "replies")) == ("1 reply", "2 replies")


@pytest.mark.parametrize(
    ("parts", "said"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (list("abc"), "a, b and c")]
)
def test_the_last_of_several_comes_after_and(parts, said):
    assert joined(parts) == said
