"""Holm's adjustment: by hand, a family with a member missing, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.errors import UserError
from tutorscope.stats.multiplicity import holm

quick = settings(deadline=None, max_examples=50)
BASES = ["sonnet", "gpt", "gemini"]


def test_by_hand():
    frame = holm({"sonnet": 0.01, "gpt": 0.04, "gemini": 0.03}, BASES)
    assert frame["p_holm"].tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert frame["significant"].tolist() == [True, False, False]
    assert frame["member"].tolist() == BASES


def test_r_p_adjust_gives_the_same():
    # p.adjust(c(0.0011, 0.2, 0.013, 0.8, 0.049), "holm")
    frame = holm(dict(zip("abcde", [0.0011, 0.2, 0.013, 0.8, 0.049], strict=True)), list("abcde"))
    assert frame["p_holm"].tolist() == pytest.approx([0.0055, 0.4, 0.052, 0.8, 0.147])


@pytest.mark.parametrize("given_values", [{"sonnet": 0.02}, {"sonnet": 0.02, "gpt": math.nan}])
def test_a_member_that_could_not_be_estimated_still_counts(given_values):
    frame = holm(given_values, BASES)
    assert frame.loc[0, "p_holm"] == pytest.approx(0.06)
    assert frame["family_size"].tolist() == [3, 3, 3]
    assert frame.loc[1:, "p_holm"].isna().all()
    assert not frame["significant"].any()


def test_an_adjusted_value_at_alpha_is_significant():
    assert holm({"sonnet": 0.025, "gpt": 0.9}, ["sonnet", "gpt"]).loc[0, "significant"]


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.randoms())
def test_the_order_of_members_changes_nothing_and_no_value_shrinks(values, random):
    names = [f"m{place}" for place in range(len(values))]
    shuffled = random.sample(names, len(names))
    p_values = dict(zip(names, values, strict=True))
    first, second = (holm(p_values, family).set_index("member")["p_holm"] for family in (names, shuffled))
    assert first.to_dict() == pytest.approx(second.to_dict())
    assert (first.to_numpy() >= np.array(values) - 1e-15).all()
    assert first.max() <= 1


def test_a_p_value_of_no_member_is_named():
    with pytest.raises(UserError, match="'opus', expected members of the family: sonnet, gpt, gemini"):
        holm({"opus": 0.1}, BASES)


def test_a_value_that_is_no_probability_is_named():
    with pytest.raises(UserError, match=r"'gpt': found 1\.2"):
        holm({"gpt": 1.2}, BASES)


@pytest.mark.parametrize("family", [[], ["a", "a"]])
def test_a_family_names_each_member_once(family):
    with pytest.raises(ValueError, match="family"):
        holm({}, family)


def test_a_simulation_of_studies_is_not_held_up_by_collecting_garbage(monkeypatch):
    def collected(*generation):
        raise AssertionError("statsmodels' adjustment collects garbage each time: most of a second in a large process")

    monkeypatch.setattr("gc.collect", collected)
    assert list(holm({"a": 0.01, "b": 0.04}, ["a", "b"])["p_holm"]) == [0.02, 0.04]
