"""Movement within a chat: thirds, means of the same chats, paired differences, and who is left out."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorscope.uptake.movement import THIRDS, movement, thirds_of


def exchanges(*chats: list[tuple[float | None, float | None]]) -> pd.DataFrame:
    """Give a table: each chat a list of (uptake on 1..5, scaffolding)."""
    return pd.DataFrame(
        [
            {
                **{"category": "live", "dataset": "D", "chat": f"c{number}", "judge": "j", "separate": False},
                **{"history": 0, "exchange": place, "skipped": None},
                **{"uptake_ordinal": uptake, "scaffolding": scaffolding},
            }
            for number, chat in enumerate(chats)
            for place, (uptake, scaffolding) in enumerate(chat, 1)
        ]
    ).astype({"uptake_ordinal": float, "scaffolding": float})


def row(frame: pd.DataFrame, metric: str) -> dict:
    (found,) = frame[frame["metric"] == metric].to_dict("records")
    return found


@given(st.integers(3, 200))
@settings(max_examples=50)
def test_thirds_are_in_order_and_of_almost_one_size(valid: int) -> None:
    thirds = thirds_of(valid)
    sizes = [thirds.count(name) for name in THIRDS]
    assert thirds == [name for name, size in zip(THIRDS, sizes, strict=True) for _ in range(size)]
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) == valid


def test_means_and_paired_differences_are_exact() -> None:
    # Scaffolding by third: 1 2 3, and of five exchanges (2 + 4) / 2, (2 + 4) / 2, 5.
    frame = movement(exchanges([(1, 1), (3, 2), (5, 3)], [(1, 2), (1, 4), (1, 2), (3, 4), (5, 5)]))
    scaffolding, uptake = row(frame, "scaffolding"), row(frame, "uptake")
    assert [scaffolding[name] for name in THIRDS] == [2, 2.5, 4]
    assert scaffolding["change"] == 2
    assert (scaffolding["change_low"], scaffolding["change_high"]) == (2, 2)
    # Mapped after averaging: 1 is +1, 5 is -1.
    assert [uptake[name] for name in THIRDS] == [1, pytest.approx(0.25), -1]
    assert uptake["change"] == -2


def test_short_chats_and_thirds_without_a_score_are_counted() -> None:
    frame = movement(exchanges([(1, 1), (1, 5)], [(None, 4), (2, 4), (3, 1)], [(1, 1), (1, 1), (1, 2)]))
    scaffolding, uptake = row(frame, "scaffolding"), row(frame, "uptake")
    assert [scaffolding[name] for name in ("chats", "short", "left_out")] == [2, 1, 0]
    assert [uptake[name] for name in ("chats", "short", "left_out")] == [1, 1, 1]
    assert scaffolding["change"] == pytest.approx((1 - 4 + 1) / 2)


def test_skipped_exchanges_belong_to_no_third() -> None:
    held = exchanges([(1, 1), (1, 5), (1, 1), (1, 2)])
    held.loc[1, "skipped"] = "empty_tutor"
    assert row(movement(held), "scaffolding")["middle"] == 1


def test_one_chat_has_means_and_no_interval() -> None:
    found = row(movement(exchanges([(1, 1), (1, 1), (1, 4)])), "scaffolding")
    assert found["change"] == 3
    assert pd.isna(found["change_low"])


def test_a_dataset_of_short_chats_has_a_row_that_says_so() -> None:
    found = row(movement(exchanges([(1, 1), (1, 1)])), "uptake")
    assert (found["chats"], found["short"]) == (0, 1)
    assert pd.isna(found["first"])
