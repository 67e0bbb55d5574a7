"""Rank correlations over tutors, worked out by hand."""

import pandas as pd
import pytest
from small_tables import decided, dialogues, frame, reply, scenarios, tables

from tutorscope.casework.measures import measures
from tutorscope.casework.rankings import diversity_success, rank_agreement

TUTORS = ["t1", "t2", "t3", "t4"]


def succeeded(values, *, judge="j1", run="one", horizon="immediate"):
    where = {"run": run, "judge": judge, "form": "open", "horizon": horizon}
    where |= {"challenge": "all", "by": "all", "negatives": "with"}
    return pd.DataFrame(
        [{**where, "tutor": tutor, "success": value} for tutor, value in zip(TUTORS, values, strict=False)]
    )


def varied(values, horizon="immediate"):
    rows = [
        {"run": "one", "tutor": tutor, "horizon": horizon, "n_grams": n, "diversity": value if n == 4 else 1 - value}
        | {"top_4gram_share": 1 - value, "recovery": 0.5}
        for tutor, value in zip(TUTORS, values, strict=True)
        for n in (3, 4, 5)
    ]
    return pd.DataFrame(rows)


def test_diversity_against_success_over_tutors():
    # Ranks 1 2 3 4 against 1 3 2 4: rho = 1 - 6 * 2 / (4 * 15) = 0.8.
    table = diversity_success(varied([0.1, 0.2, 0.3, 0.4]), succeeded([0.2, 0.6, 0.4, 0.8])).set_index("measure")
    assert table.loc["diversity_4", ["n", "spearman"]].tolist() == [4, pytest.approx(0.8)]
    assert table.loc["diversity_3", "spearman"] == pytest.approx(-0.8)
    assert table.loc["top_4gram_share", "spearman"] == pytest.approx(-0.8)


def test_a_measure_that_is_the_same_for_all_has_no_correlation_and_says_why():
    table = diversity_success(varied([0.1, 0.2, 0.3, 0.4]), succeeded([0.2, 0.6, 0.4, 0.8])).set_index("measure")
    assert pd.isna(table.loc["recovery", "spearman"])
    assert "constant" in table.loc["recovery", "reason"]


def test_horizons_meet_their_own():
    table = diversity_success(varied([0.1, 0.2, 0.3, 0.4]), succeeded([0.2, 0.6, 0.4, 0.8], horizon="long_term"))
    assert len(table)
    assert (table["n"] == 0).all()


def test_judges_are_compared_within_a_run():
    first, second = succeeded([0.1, 0.2, 0.3, 0.4]), succeeded([0.1, 0.3, 0.2, 0.4], judge="j2")
    table = rank_agreement(pd.concat([first, second]), pd.DataFrame())
    assert table[["what", "of", "first", "second", "n", "unpaired"]].values.tolist() == [
        ["judges", "one", "j1", "j2", 4, 0]
    ]
    assert table["spearman"].tolist() == [pytest.approx(0.8)]


def test_releases_are_compared_by_one_judge_on_the_tutors_of_both():
    first, second = succeeded([0.1, 0.2, 0.3, 0.4]), succeeded([0.5, 0.6, 0.7], run="two")
    table = rank_agreement(pd.concat([first, second]), pd.DataFrame())
    row = table.iloc[0]
    assert (row["what"], row["of"], row["first"], row["second"]) == ("releases", "j1", "one", "two")
    assert (row["n"], row["unpaired"], row["spearman"]) == (3, 1, pytest.approx(1))


def test_all_tables_of_a_small_run():
    replies = [
        reply("s001-immediate", f"I hear you {tutor}", tutor=tutor, finish="length" if tutor == "t2" else "stop")
        for tutor in ("t1", "t2")
    ]
    decisions = decided("s001-immediate", [True, None])
    numbers = measures(
        tables(
            replies=frame("replies", replies),
            decisions=frame("decisions", decisions),
            scenarios=scenarios(1),
            dialogues=dialogues(s1="I hear nothing"),
        )
    )
    rows = numbers["unread"].to_dict("records")
    unread = {(row["tutor"], row["what"], row["reason"]): (row["count"], row["of"]) for row in rows}
    assert unread == {
        ("t1", "criterion not read", "bad_json"): (1, 2),
        ("t2", "reply cut off", "length"): (1, 1),
        ("t2", "reply not judged", "no decision"): (1, 1),
    }


def test_a_run_that_nobody_judged_is_counted_as_such():
    numbers = measures(tables(replies=frame("replies", [reply("a", "x")]), scenarios=scenarios(1)))
    assert numbers["unread"][["what", "count"]].values.tolist() == [["reply not judged", 1]]
    assert not len(numbers["success"])
