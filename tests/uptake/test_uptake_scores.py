"""From ratings to scores: exact fractions, one exchange one vote, the map after averaging."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tutorscope.uptake.scores import Rated, map_uptake, rate_exchange, score_chat

rating = st.tuples(st.none() | st.integers(1, 5), st.none() | st.integers(1, 5), st.none() | st.booleans())


def test_the_map_turns_the_ordinal_scale_around() -> None:
    assert [map_uptake(Fraction(x)) for x in range(1, 6)] == [1, Fraction(1, 2), 0, Fraction(-1, 2), -1]


def test_thirds_stay_thirds() -> None:
    chat = score_chat([Rated(Fraction(x), Fraction(x), False) for x in (1, 1, 2)])
    assert (chat.scaffolding, chat.uptake) == (Fraction(4, 3), Fraction(5, 6))


def test_an_exchange_counts_once_however_often_it_was_rated() -> None:
    often = rate_exchange([(1, 1, None), (3, 2, None), (2, 3, None)])
    once = rate_exchange([(5, 4, None)])
    chat = score_chat([often, once])
    assert (chat.scaffolding, chat.uptake_ordinal) == (Fraction(7, 2), 3)


def test_what_cannot_be_read_is_left_out_and_never_zero() -> None:
    chat = score_chat([rate_exchange([(None, None, None)]), rate_exchange([(4, None, None), (None, 2, None)])])
    assert (chat.scaffolding, chat.uptake_ordinal, chat.n_scaffolding, chat.n_uptake) == (4, 2, 1, 1)


def test_of_nothing_there_is_no_score() -> None:
    chat = score_chat([])
    assert (chat.scaffolding, chat.uptake_ordinal, chat.uptake) == (None, None, None)


def test_the_flag_needs_more_than_half_of_those_that_carry_it() -> None:
    flags = [[True], [True, False], [True, True, False], [None, True], [None], []]
    assert [rate_exchange([(1, 1, flag) for flag in one]).resolved for one in flags] == [
        True,
        False,
        True,
        True,
        False,
        False,
    ]


@given(st.lists(st.lists(rating, min_size=1, max_size=4), min_size=1, max_size=8))
def test_scores_stay_on_their_scales_and_do_not_depend_on_order(exchanges: list[list[tuple]]) -> None:
    chat = score_chat(map(rate_exchange, exchanges))
    again = score_chat(rate_exchange(one[::-1]) for one in exchanges[::-1])
    assert chat == again
    assert chat.scaffolding is None or 1 <= chat.scaffolding <= 5
    assert chat.uptake is None or (-1 <= chat.uptake <= 1 and chat.uptake == (3 - chat.uptake_ordinal) / 2)
    assert chat.n_scaffolding <= len(exchanges)
