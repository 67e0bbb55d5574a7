"""The paper's tables as data: their own sums and cross-checks."""

import pytest

from tutorscope.uptake.published import published, published_dataset, published_means


def values(name: str, where: str) -> list[float]:
    return [figure.value for figure in published() if figure.name == name and figure.where == where]


def test_the_tables_sum_to_their_own_totals_not_to_the_text() -> None:
    assert sum(values("valid_chats", "Table 1")) == 9098
    assert sum(values("total_chats", "Table 1")) == 11243


def test_categories_of_table_1_hold_the_chats_of_table_6() -> None:
    held: dict[str, float] = {}
    for figure in published():
        if figure.name == "valid_chats":
            held[figure.of["category"]] = held.get(figure.of["category"], 0) + figure.value
    assert held == {"benchmark": 6283, "with_scaffolding": 1001, "without_scaffolding": 1814}
    for figure in published():
        if figure.where == "Table 6" and figure.name in ("n_a", "n_b"):
            assert figure.value == held[figure.of[figure.name[-1]]]


def test_agreement_by_dataset_and_by_bin_is_over_the_same_chats() -> None:
    for where in ("Table 4", "Table 5"):
        *rows, total = values("chats", where)
        assert sum(rows) == total == 282
        *agree, all_agree = values("agree", where)
        *disagree, all_disagree = values("disagree", where)
        assert (sum(agree), sum(disagree)) == (all_agree, all_disagree) == (222.5, 59.5)
        shares = values("agree_share", where)
        expected = [a / n for a, n in zip(values("agree", where), values("chats", where), strict=True)]
        assert shares == [pytest.approx(share, abs=5.1e-4) for share in expected]


def test_wins_ties_and_losses_are_all_pairs() -> None:
    assert values("wins", "Table 3")[0] + values("ties", "Table 3")[0] + values("losses", "Table 3")[0] == 550
    assert values("accuracy", "Table 3") == [pytest.approx(516 / 550, abs=5e-4)]


def test_a_printed_bound_says_so() -> None:
    bounds = [figure for figure in published() if figure.of.get("relation") == "<"]
    assert {(figure.name, figure.value) for figure in bounds} == {("rho_p", 0.001), ("permanova_p", 0.0001)}


def test_a_dataset_is_found_however_its_file_is_called() -> None:
    row = published_dataset("QATD-2k")
    assert row is not None
    assert (row["valid"], row["uptake_mean"], row["human_student"]) == (1971, 0.76, "yes")
    assert published_dataset("my-logs") is None


def test_every_dataset_has_a_place_on_the_plane() -> None:
    assert ("without_scaffolding", "MathsChat", -0.07, 1.41) in published_means()
    assert len(published_means()) == 9
