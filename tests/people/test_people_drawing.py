"""Draws are even over cells and bands, and the same on every machine."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from tutorscope.people.drawing import draw
from tutorscope.people.forms import Shown


def pool(**sizes):
    return [
        Shown(f"{cell}{number}", "t", (), strata={"dataset": cell[0], "bin": cell[1:]})
        for cell, size in sizes.items()
        for number in range(size)
    ]


def on_a_line(things):
    """Place each farther from its cell's centre than the one before: the bands are its thirds in order."""
    numbers = [int(thing.id.removeprefix(thing.strata["dataset"] + thing.strata["bin"])) for thing in things]
    return np.array([[1.0, ((-1) ** n) * n / 50] for n in numbers])


def test_a_cell_gives_three_of_each_band():
    things = pool(a1=30, a2=30)
    drawn = draw(things, ("dataset", "bin"), 9, 0, on_a_line(things))
    found = Counter((one.strata["bin"], one.strata["band"]) for one in drawn.shown)
    assert found == {(b, band): 3 for b in "12" for band in ("typical", "middle", "outlier")}
    assert drawn.notes == []
    ranks = {"typical": range(10), "middle": range(10, 20), "outlier": range(20, 30)}
    assert all(int(one.id[2:]) in ranks[one.strata["band"]] for one in drawn.shown)


def test_a_number_that_three_does_not_divide_begins_with_the_typical():
    things = pool(a1=30)
    drawn = draw(things, ("dataset", "bin"), 4, 0, on_a_line(things))
    assert Counter(one.strata["band"] for one in drawn.shown) == {"typical": 2, "middle": 1, "outlier": 1}


@pytest.mark.parametrize(("size", "expected"), [(1, 1), (5, 5), (9, 9), (10, 9)])
def test_a_small_cell_gives_what_it_has_and_says_so(size, expected):
    things = pool(a1=size)
    drawn = draw(things, ("dataset", "bin"), 9, 0, on_a_line(things))
    assert len({one.id for one in drawn.shown}) == expected
    said = [f"dataset a, bin 1: {size} of 9 asked, all that there are"] if size < 9 else []
    assert drawn.notes == said


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_the_pool():
    things = pool(a1=40)
    vectors = on_a_line(things)
    first = [one.id for one in draw(things, ("dataset",), 9, 1, vectors).shown]
    assert first == [one.id for one in draw(things[::-1], ("dataset",), 9, 1, vectors[::-1]).shown]
    assert first != [one.id for one in draw(things, ("dataset",), 9, 2, vectors).shown]


def test_raters_do_not_see_cells_one_after_the_other():
    things = pool(a1=9, a2=9, a3=9)
    bins = [one.strata["bin"] for one in draw(things, ("dataset", "bin"), 9, 0).shown]
    assert sum(a != b for a, b in pairwise(bins)) > 5


def test_without_vectors_there_are_no_bands():
    drawn = draw(pool(a1=5, b1=5), ("dataset",), 3, 0)
    assert [Counter(one.strata["dataset"] for one in drawn.shown), "band" in drawn.shown[0].strata] == [
        {"a": 3, "b": 3},
        False,
    ]
