"""Foreign tables: three layouts, exact sums and counts, two judges of one base, and every fault in one line."""

import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_audit import CONV, PED, sessions_of, tables, turn

from tutorscope.audit.inference.layouts import read_tables
from tutorscope.errors import UserError
from tutorscope.runs.tables import write_tables

PUBLISHED = (
    "condition,replicate_id,problem_id,turn_index,leaks,helpfulness,pedagogy,next_turn_independence,"
    "n_model_calls,tutor_tokens,branch"
)
SUMMED = "condition,replicate,problem,turn,leaks,helpfulness3,pedagogy3,next_independent,calls,tokens,branch"
SESSIONS = (
    "condition,replicate_id,leakage_rate,independence_ratio,acc_immediate,acc_delayed,acc_transfer,"
    "n_train_tutor_turns,n_train_student_turns,visible_tutor_turns,student_turns,n_model_calls,tutor_tokens,"
    "student_tokens"
)
TURNS = [
    "conv,0,train-1,0,True,5.0,1.3333333333333333,False,1,507,",
    "conv,0,train-1,1,False,4.666666666666667,2.0,True,1,825,",
    "ped,0,train-1,0,False,,,,2,774,decompose",
]
SUMMED_TURNS = [
    "conv,0,train-1,0,1,15,4,0,1,507,",
    "conv,0,train-1,1,0,14,6,1,1,825,",
    "ped,0,train-1,0,0,,,,2,774,decompose",
]
SESSION_ROWS = [
    "conv,0,0.5,0.3333333333333333,1.0,0.6666666666666666,0.0,2,3,24,43,67,26801,307660",
    "ped,0,0.0,0.5,1.0,1.0,1.0,1,2,24,45,93,27356,146763",
    "cold,0,,,1.0,1.0,0.3333333333333333,0,0,0,38,38,0,159018",
]


def write(folder: Path, name: str, lines: Sequence[str]) -> str:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def pair(folder: Path, turns: Sequence[str] = TURNS, sessions: Sequence[str] = SESSION_ROWS) -> tuple[str, str]:
    return (
        write(folder, "per_turn.csv", [PUBLISHED, *turns]),
        write(folder, "per_session.csv", [SESSIONS, *sessions]),
    )


def refused(*pairs: tuple[str, str]) -> str:
    with pytest.raises(UserError) as caught:
        read_tables(pairs)
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_published_means_become_sums(tmp_path: Path) -> None:
    found = read_tables([pair(tmp_path)])["per_turn"]
    assert found["helpfulness_sum"].tolist()[:2] == [15, 14]
    assert found["pedagogy_sum"].tolist()[:2] == [4, 6]
    assert found["helpfulness_n"].tolist()[:2] == [3, 3]
    assert found[["helpfulness_sum", "helpfulness_n", "next_work"]].iloc[2].isna().all()
    assert found["leak"].tolist() == [True, False, False]
    assert found["policy"].tolist() == [CONV, CONV, PED]
    assert found["route"].tolist() == ["", "", "decompose"]
    assert set(found["rule"]) == {"published"}


def test_published_rates_become_counts(tmp_path: Path) -> None:
    found = read_tables([pair(tmp_path)])["per_session"].set_index("policy")
    assert found.loc[CONV, ["tutor_turns", "leaky", "student_turns", "worked"]].tolist() == [2, 1, 3, 1]
    assert found.loc[CONV, ["tutor_calls", "student_calls", "tutor_tokens"]].tolist() == [24, 43, 26801]
    assert found.loc[CONV, ["delayed_correct", "delayed_n"]].tolist() == [2, 3]
    assert found.loc["cold", ["tutor_turns", "leaky", "student_turns", "worked"]].tolist() == [0, 0, 0, 0]
    assert found.loc["cold", ["transfer_correct", "transfer_n"]].tolist() == [1, 3]
    assert found["interference_n"].isna().all()


def test_summed_and_published_tables_of_the_same_turns_are_equal(tmp_path: Path) -> None:
    published = read_tables([pair(tmp_path)])
    summed = write(tmp_path, "summed.csv", [SUMMED, *SUMMED_TURNS])
    found = read_tables([(summed, str(tmp_path / "per_session.csv"))])
    pd.testing.assert_frame_equal(found["per_turn"], published["per_turn"])


def test_without_a_label_one_pair_has_plain_names(tmp_path: Path) -> None:
    found = read_tables([pair(tmp_path)])
    assert set(found["per_turn"]["base"]) == set(found["per_session"]["base"]) == {"tutor"}
    assert set(found["per_turn"]["judge"]) == {"judge"}


def test_a_label_names_base_and_judge(tmp_path: Path) -> None:
    turns, sessions = pair(tmp_path)
    found = read_tables([(f"vendor/one:lab/two={turns}", sessions)])
    assert set(found["per_turn"]["base"]) == set(found["per_session"]["base"]) == {"vendor/one"}
    assert set(found["per_turn"]["judge"]) == {"lab/two"}


def test_a_path_with_an_equals_sign_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "a=b").mkdir()
    assert set(read_tables([pair(tmp_path / "a=b")])["per_turn"]["base"]) == {"tutor"}


def test_conditions_of_other_names_stay(tmp_path: Path) -> None:
    renamed = [row.replace("ped,", "ped_no_gate,") for row in [*TURNS, *SESSION_ROWS]]
    found = read_tables([pair(tmp_path, renamed[:3], renamed[3:])])
    assert set(found["per_session"]["policy"]) == {CONV, "ped_no_gate", "cold"}


def test_two_judges_share_their_sessions(tmp_path: Path) -> None:
    turns, sessions = pair(tmp_path)
    other = write(tmp_path, "other.csv", [SUMMED, *(row.replace("15", "12") for row in SUMMED_TURNS)])
    found = read_tables([(f"b:one={turns}", sessions), (f"b:two={other}", sessions)])
    assert found["per_turn"].groupby("judge", sort=False).size().to_dict() == {"one": 3, "two": 3}
    assert len(found["per_session"]) == 3


def test_two_bases_keep_their_sessions_apart(tmp_path: Path) -> None:
    turns, sessions = pair(tmp_path)
    found = read_tables([(f"a:j={turns}", sessions), (f"b:j={turns}", sessions)])
    assert found["per_session"].groupby("base").size().to_dict() == {"a": 3, "b": 3}


def test_rows_in_another_order_say_the_same(tmp_path: Path) -> None:
    one = read_tables([pair(tmp_path)])
    other = read_tables([pair(tmp_path, TURNS[::-1], SESSION_ROWS[::-1])])
    for name, frame in one.items():
        pd.testing.assert_frame_equal(frame, other[name].iloc[::-1].reset_index(drop=True))


def test_a_byte_order_mark_and_other_line_ends_do_no_harm(tmp_path: Path) -> None:
    turns, sessions = pair(tmp_path)
    plain = read_tables([(turns, sessions)])
    marked = Path(turns).read_text("utf-8").replace("\n", "\r\n").encode("utf-8-sig")
    Path(turns).write_bytes(marked)
    pd.testing.assert_frame_equal(read_tables([(turns, sessions)])["per_turn"], plain["per_turn"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_our_own_tables_come_back_as_they_were(tmp_path: Path, ending: str) -> None:
    rows = [
        turn(CONV, 0, "p", 0, leak=True, next_work=False, helpfulness=[5, 4], pedagogy=[1, 1, 2]),
        turn(CONV, 0, "p", 0, leak=True, next_work=False, helpfulness=[3], judge="=cmd"),
        turn("-mine", 0, "p, q", 0, next_work=None, base="", tokens=None),
        turn("-mine", 0, "p, q", 0, next_work=None, base="", tokens=None, judge="=cmd"),
    ]
    held = tables(rows, sessions_of(rows[::2], tokens=None))
    write_tables(tmp_path, held)
    found = read_tables([(str(tmp_path / f"per_turn.{ending}"), str(tmp_path / f"per_session.{ending}"))])
    for name, frame in held.items():
        pd.testing.assert_frame_equal(found[name], frame)


def test_a_label_renames_our_own_tables_but_not_what_has_no_base(tmp_path: Path) -> None:
    rows = [turn(CONV, 0, "p", 0), turn("mine", 0, "p", 0, base="")]
    write_tables(tmp_path, tables(rows))
    found = read_tables([(f"x:y={tmp_path / 'per_turn.csv'}", str(tmp_path / "per_session.csv"))])
    assert found["per_turn"]["base"].tolist() == ["x", ""]
    assert set(found["per_turn"]["judge"]) == {"y"}


def test_a_label_over_two_bases_of_our_own_is_refused(tmp_path: Path) -> None:
    write_tables(tmp_path, tables([turn(CONV, 0, "p", 0), turn(CONV, 0, "p", 0, base="n")]))
    said = refused((f"x:y={tmp_path / 'per_turn.csv'}", str(tmp_path / "per_session.csv")))
    assert "column base: found m, n under one label" in said


@given(st.lists(st.integers(3, 15), min_size=1, max_size=8), st.data())
@settings(max_examples=20)
def test_any_sums_of_three_survive_as_means(tmp_path_factory: pytest.TempPathFactory, sums: list[int], data) -> None:
    folder = tmp_path_factory.mktemp("sums")
    leaks = data.draw(st.lists(st.booleans(), min_size=len(sums), max_size=len(sums)))
    rows = [
        f"conv,0,p,{n},{leak},{s / 3!r},{s / 3!r},True,1,9,"
        for n, (s, leak) in enumerate(zip(sums, leaks, strict=True))
    ]
    total, worked = len(sums), len(sums) // 2
    session = f"conv,0,{sum(leaks) / total!r},{worked / (total + 1)!r},1.0,1.0,1.0,{total},{total + 1},24,40,64,99,99"
    found = read_tables([pair(folder, rows, [session])])
    assert found["per_turn"]["helpfulness_sum"].tolist() == sums
    assert found["per_session"][["leaky", "worked"]].iloc[0].tolist() == [sum(leaks), worked]


def changed(row: str, column: str, value: str, heads: str = PUBLISHED) -> str:
    held = row.split(",")
    held[heads.split(",").index(column)] = value
    return ",".join(held)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("helpfulness", "4.5", "found '4.5', expected a mean of 3 ratings, a multiple of 1/3"),
        ("helpfulness", "4.66667", "expected a mean of 3 ratings, a multiple of 1/3"),
        ("helpfulness", "5.333333333333333", "expected between 1 and 5"),
        ("helpfulness", "0.6666666666666666", "expected between 1 and 5"),
        ("pedagogy", "nan", "expected a finite number"),
        ("pedagogy", "Infinity", "expected a finite number"),
        ("pedagogy", "good", "found 'good', expected a number"),
        ("leaks", "yes", "found 'yes', expected True or False"),
        ("leaks", "", "found '', expected True or False"),
        ("next_turn_independence", "2", "expected True or False"),
        ("turn_index", "-1", "expected a whole number from 0 on"),
        ("turn_index", "1.5", "expected a whole number from 0 on"),
        ("replicate_id", "", "expected a whole number from 0 on"),
        ("replicate_id", "r0", "found 'r0', expected a number"),
        ("condition", " ", "expected a name"),
        ("problem_id", "", "expected a name"),
        ("tutor_tokens", "-3", "expected a whole number from 0 on"),
    ],
)
def test_a_bad_cell_is_named_with_file_line_and_column(tmp_path: Path, column: str, value: str, said: str) -> None:
    found = refused(pair(tmp_path, [TURNS[0], changed(TURNS[1], column, value), TURNS[2]]))
    assert found.startswith(f"{tmp_path}/per_turn.csv, line 3, column {column}: ")
    assert said in found


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("leakage_rate", "0.51", "column leakage_rate: found '0.51', expected a rate of 2"),
        ("leakage_rate", "", "column leakage_rate: found '', expected a rate of 2"),
        ("leakage_rate", "1.5", "expected a rate of 2"),
        ("leakage_rate", "1.0", "leaky of conversational, replicate 0 is 2, expected 1 as the table of turns counts"),
        ("n_train_tutor_turns", "4", "tutor_turns of conversational, replicate 0 is 4, expected 2"),
        ("independence_ratio", "0.5", "column independence_ratio: found '0.5', expected a rate of 3"),
        ("acc_delayed", "0.75", "column acc_delayed: found '0.75', expected a rate of 3"),
        ("n_model_calls", "12", "column n_model_calls: found '12', expected no fewer than student_turns, 43"),
    ],
)
def test_a_session_that_cannot_be_is_named(tmp_path: Path, column: str, value: str, said: str) -> None:
    rows = [changed(SESSION_ROWS[0], column, value, SESSIONS), *SESSION_ROWS[1:]]
    found = refused(pair(tmp_path, sessions=rows))
    assert found.startswith(f"{tmp_path}/per_session.csv, line 2")
    assert said in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: empty, expected a table"),
        ("\n\n", "line 1: empty, expected a table"),
        (PUBLISHED + "\n", "line 1: found columns and no row under them"),
        ("a,b,c\n1,2,3\n", "line 1: a layout that is not known (a, b, c)"),
        (PUBLISHED.replace(",", ";") + "\n" + TURNS[0].replace(",", ";"), "line 1: found semicolons between the cells"),
        (PUBLISHED.replace(",", "\t") + "\n" + TURNS[0].replace(",", "\t"), "line 1: found tabs between the cells"),
        (PUBLISHED.replace("leaks,", "") + "\nx", "line 2: found 1 cells, expected 10"),
        (PUBLISHED.replace("leaks", "leak_s") + "\n" + TURNS[0], "line 1: the column leaks is missing"),
        (PUBLISHED.replace("branch", "leaks") + "\n" + TURNS[0], "line 1: found the column 'leaks' twice"),
        (PUBLISHED.replace("branch", "") + "\n" + TURNS[0], "line 1: column 11 has no name"),
        (PUBLISHED + "\n" + TURNS[0] + ",9", "line 2: found 12 cells, expected 11"),
        (PUBLISHED + "\n" + '"' + TURNS[0], "line 2: not CSV"),
        (PUBLISHED + "\n\n" + TURNS[0].replace("True", "No"), "line 3, column leaks: found 'No'"),
        (PUBLISHED + '\n"conv","0","a\nb","0","Yes"' + ",5.0,5.0,True,1,1,\n", "line 2, column leaks"),
    ],
)
def test_a_broken_file_is_one_line_that_names_it(tmp_path: Path, text: str, said: str) -> None:
    turns, sessions = pair(tmp_path)
    Path(turns).write_text(text, "utf-8")
    found = refused((turns, sessions))
    assert found.startswith(turns)
    assert said in found


def test_files_that_are_no_text_or_not_there_are_one_line(tmp_path: Path) -> None:
    turns, sessions = pair(tmp_path)
    assert re.search(r"none\.csv: cannot be read \(No such file", refused((str(tmp_path / "none.csv"), sessions)))
    Path(turns).write_bytes(Path(turns).read_text("utf-8").encode("utf-16"))
    assert "line 1: byte 0xff is not UTF-8" in refused((turns, sessions))
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(b"PAR1 not")
    assert "no Parquet file" in refused((str(bad), sessions))
    assert "found none" in refused()


def test_a_turn_or_session_twice_is_refused(tmp_path: Path) -> None:
    found = refused(pair(tmp_path, [*TURNS, TURNS[0]]))
    assert "per_turn.csv, line 5: found turn conversational, replicate 0, train-1, turn 0" in found
    found = refused(pair(tmp_path, sessions=[*SESSION_ROWS, SESSION_ROWS[2]]))
    assert "per_session.csv, line 5: found session cold, replicate 0 a second time" in found


def test_a_turn_without_a_session_is_refused(tmp_path: Path) -> None:
    found = refused(pair(tmp_path, sessions=SESSION_ROWS[:1]))
    assert "line 4: found a turn of pedagogical, replicate 0, which has no row in the table of sessions" in found


def test_judges_with_other_turns_are_refused_by_the_first_that_differs(tmp_path: Path) -> None:
    turns, sessions = pair(tmp_path)
    fewer = write(tmp_path, "fewer.csv", [SUMMED, *SUMMED_TURNS[:2]])
    found = refused((f"b:one={turns}", sessions), (f"b:two={fewer}", sessions))
    assert found == (
        f"{turns}, line 4: found pedagogical, replicate 0, train-1, turn 0, "
        f"which the other judge's {fewer} does not have"
    )


@pytest.mark.parametrize(("column", "value"), [("leaks", "1"), ("next_independent", "0"), ("next_independent", "")])
def test_judges_with_another_leak_or_work_are_refused(tmp_path: Path, column: str, value: str) -> None:
    turns, sessions = pair(tmp_path)
    rows = [SUMMED_TURNS[0], changed(SUMMED_TURNS[1], column, value, SUMMED), SUMMED_TURNS[2]]
    other = write(tmp_path, "other.csv", [SUMMED, *rows])
    found = refused((f"b:one={turns}", sessions), (f"b:two={other}", sessions))
    assert found.startswith(f"{other}, line 3: {'leak' if column == 'leaks' else 'next_work'} of conversational")
    assert f"as in {turns}, line 3" in found


def test_sessions_of_two_judges_that_differ_are_refused(tmp_path: Path) -> None:
    turns, sessions = pair(tmp_path)
    rows = [changed(SESSION_ROWS[0], "tutor_tokens", "7", SESSIONS), *SESSION_ROWS[1:]]
    other = write(tmp_path, "other_sessions.csv", [SESSIONS, *rows])
    found = refused((f"b:one={turns}", sessions), (f"b:two={turns}", other))
    assert found == (
        f"{other}, line 2: tutor_tokens of conversational, replicate 0 is 7, expected 26801 as in {sessions}, line 2"
    )


def test_labels_that_are_missing_broken_or_given_twice_are_refused(tmp_path: Path) -> None:
    turns, sessions = pair(tmp_path)
    assert "without a label" in refused((turns, sessions), (f"b:j={turns}", sessions))
    assert "found the label 'b'" in refused((f"b={turns}", sessions))
    assert "found the label 'a:b:c'" in refused((f"a:b:c={turns}", sessions))
    assert "a second time" in refused((f"b:j={turns}", sessions), (f"b:j={turns}", sessions))
