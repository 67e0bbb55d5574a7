"""Whether categories differ: the pairs, what they equal, and why a test cannot be had."""

import numpy as np
import pandas as pd
import pytest

from tutorscope.pictures.blocks import Table
from tutorscope.uptake.category_sections import category_blocks
from tutorscope.uptake.category_tests import category_tests
from tutorscope.uptake.published import published_category, published_pair


def chats(**categories: list[tuple[float, float] | None]) -> pd.DataFrame:
    rows = [
        {
            **{"judge": "j", "separate": False, "history": 0, "category": name.replace("_", " ")},
            "reason": None if point else "too_short",
            **dict(zip(("uptake", "scaffolding"), point or (None, None), strict=True)),
        }
        for name, points in categories.items()
        for point in points
    ]
    return pd.DataFrame(rows)


def of(frame: pd.DataFrame, test: str) -> list[dict]:
    return frame[frame["test"] == test].to_dict("records")


def test_f_is_the_textbook_ratio_of_sums_of_squares() -> None:
    near, far = [(0.0, 1.0), (0.0, 3.0), (0.5, 2.0)], [(1.0, 4.0), (0.5, 5.0), (0.0, 4.5)]
    (found,) = of(category_tests(chats(near=near, far=far)), "permanova")
    points = np.array(near + far)
    within = sum(((part - part.mean(axis=0)) ** 2).sum() for part in (points[:3], points[3:]))
    total = ((points - points.mean(axis=0)) ** 2).sum()
    assert found["f"] == pytest.approx((total - within) / (within / 4), abs=1e-12)
    assert (found["a"], found["b"], found["n_a"], found["n_b"]) == ("near", "far", 3, 3)


def test_p_is_the_share_of_arrangements_that_reach_it() -> None:
    # Ten points in two far clusters: 2 of 252 arrangements of five and five reach the observed one.
    left, right = ([(x + k / 10, 1.0 + k / 7) for k in range(5)] for x in (-1.0, 0.5))
    frame = category_tests(chats(left=left, right=right))
    (location,), (spread,) = of(frame, "permanova"), of(frame, "permdisp")
    assert location["p"] == pytest.approx(2 / 252, abs=4 * (2 / 252 / 9_999) ** 0.5)
    assert (location["permutations"], spread["permutations"]) == (9_999, 999)
    # The clusters have one shape: their distances to the centre do not differ.
    assert spread["f"] == pytest.approx(0, abs=1e-12)
    assert spread["p"] == 1


def test_every_pair_in_the_order_of_the_run_and_unscored_chats_are_no_points() -> None:
    frame = category_tests(chats(b=[(0, 1), (0, 2), None], a=[(1, 1), (1, 2)], c=[(0.5, 4), (0.2, 3)]))
    assert list(zip(frame["a"], frame["b"], strict=True))[::2] == [("b", "a"), ("b", "c"), ("a", "c")]
    assert frame["n_a"].tolist()[:2] == [2, 2]


@pytest.mark.parametrize(
    ("categories", "why"),
    [
        ({"only": [(0, 1), (1, 2)]}, "not estimable: there is only one category"),
        ({"a": [(0, 1), (1, 2)], "b": [(0, 1), None]}, "not estimable: fewer than two scored chats in b"),
        ({"a": [None], "b": [None]}, "not estimable: fewer than two scored chats in a and b"),
        ({"a": [(0, 1), (0, 1)], "b": [(0, 1), (0, 1)]}, "not estimable: all points are equal"),
    ],
)
def test_what_cannot_be_tested_says_why(categories: dict, why: str) -> None:
    frame = category_tests(chats(**categories))
    assert frame["why_not"].iloc[0] == why
    assert frame["f"].isna().all()
    assert frame["p"].isna().all()


def test_nothing_rated_gives_no_rows() -> None:
    assert not len(category_tests(chats(a=[(0, 1)]).iloc[:0]))


def test_published_pairs_are_found_by_label_whatever_their_order() -> None:
    assert published_category("Chatbots with scaffolding") == "with_scaffolding"
    assert published_pair("without-scaffolding", "Benchmarks") == {
        **{"n_a": 1814, "n_b": 6283, "permanova_f": 10132.3, "permdisp_f": 550.1}
    }
    assert published_pair("benchmark", "pilot") is None
    assert published_pair("benchmark", "benchmarks") is None


def test_the_page_sets_table_6_under_its_pair() -> None:
    points = [(0.1, 1.5), (0.4, 2.0), (0.2, 3.5), (0.9, 4.0)]
    tests = category_tests(chats(benchmark=points, scaffolded=[(x - 0.3, y / 2 + 1) for x, y in points], pilot=points))
    (table,) = [block for block in category_blocks({"category_tests": tests}) if isinstance(block, Table)]
    assert table.frame["source"].tolist() == ["this run", "published", "this run", "this run"]
    assert table.frame["permanova_f"].iloc[1] == 868.5
    assert table.frame["n_a"].iloc[1] == 6283
    assert "why_not" not in table.frame
