"""The audit's page and headline: what is said, in which order, and what is said where something is missing."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from page_tables import COLD, CONV, PED, line, run_tables, save_svg, session_lines, talk, who

from tutorscope.audit import figures
from tutorscope.audit.inference.claims import claims_text
from tutorscope.audit.inference.layouts import read_tables
from tutorscope.audit.measures import measures
from tutorscope.audit.sections import headline, sections
from tutorscope.pictures.blocks import Prose, Reader, Section, Table
from tutorscope.pictures.style import Saved
from tutorscope.reporting.page import write_report

CLOSE = "\u00a0"


_MEASURED: dict[tuple[str, ...], dict[str, pd.DataFrame]] = {}


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave pictures blank: drawing them takes most of the time, and their own tests look at them."""

    def blank(draw: Any, count: int, folder: Path, name: str, **layout: Any) -> Saved:
        path = folder / f"{name}.svg"
        path.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
        return Saved(path, path)

    monkeypatch.setattr(figures, "save_panels", blank)


@pytest.fixture
def _drawn(_undrawn: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "save_panels", save_svg)


def numbers(tables: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Measure each set of tables once."""
    held = ("per_turn", "per_session", "asked_contrasts", "claims_file")
    key = tuple(tables[name].to_json() if name in tables else "" for name in held)
    if key not in _MEASURED:
        _MEASURED[key] = measures(tables)
    return _MEASURED[key]


def spoken(replicates: int = 3, policies: tuple[str, ...] = (CONV, PED)) -> list[dict[str, Any]]:
    """Play sessions of two problems: the conversational tutor leaks on its second turn of each."""
    lines = []
    for policy in policies:
        for replicate in range(replicates):
            for n, problem in enumerate(("a", "b")):
                works = [True, True, policy != CONV or replicate == 0]
                said = talk(problem, [False, policy == CONV], works, start=10 * n)
                lines += session_lines(who(policy, replicate), said)
    return lines


def ratings(lines: list[dict[str, Any]]) -> dict[tuple[Any, ...], tuple[int, int]]:
    turns = [row for row in lines if row["speaker"] == "tutor"]
    return {
        (row["policy"], row["replicate"], row["problem"], row["turn"]): (
            4 + row["turn"],
            2 if row["policy"] == CONV else 5 - row["replicate"] % 2,
        )
        for row in turns
    }


def run(policies: tuple[str, ...] = (CONV, PED), judged: bool = True, **more: Any) -> dict[str, pd.DataFrame]:
    lines = spoken(policies=policies)
    if COLD not in policies:
        cold = [line("p", 0, "student", 0, work=False, phase="delayed")]
        lines += [row for r in range(3) for row in session_lines(who(COLD, r, base=""), cold)]
    return run_tables(lines, ratings(lines) if judged else None, **more)


def page(tables: dict[str, pd.DataFrame], folder: Path, texts: str = "sample") -> list[Section]:
    made = sections(tables, numbers(tables), folder, texts)
    assert all(section.blocks for section in made)
    return made


def anchors(made: list[Section]) -> list[str]:
    return [section.anchor for section in made]


def table(made: list[Section], name: str) -> pd.DataFrame:
    (found,) = [b.frame for section in made for b in section.blocks if isinstance(b, Table) and b.name == name]
    return found


def prose(made: list[Section], anchor: str) -> str:
    return "\n".join(b.text for one in made if one.anchor == anchor for b in one.blocks if isinstance(b, Prose))


def said(tables: dict[str, pd.DataFrame]) -> list[str]:
    return [text.replace(CLOSE, " ") for text in headline(tables, numbers(tables))]


def test_each_policy_has_one_sentence_with_counts_interval_ratings_and_what_was_not_read() -> None:
    tables = run()
    tables["per_session"].loc[tables["per_session"]["policy"] == PED, "unread"] = 1
    lines = said(tables)
    assert lines[:3] == [
        "conversational: gave the answer away in 6 of 12 tutor turns (50 % of a session's on average, all alike); own "
        "work of the student in 14 of 18 turns (78 % of a session's on average, 67 % to 100 %); j finds helpfulness "
        "4.50, pedagogy 2.00 of 5; 3 sessions; not read: 0 of 12 rated turns by j, 0 of 24 answers",
        "pedagogical: gave the answer away in 0 of 12 tutor turns (0 % of a session's on average, all alike); own "
        "work of the student in 18 of 18 turns (100 % of a session's on average, all alike); j finds helpfulness 4.50, "
        "pedagogy 4.67 of 5; 3 sessions; not read: 0 of 12 rated turns by j, 3 of 24 answers",
        "cold: no tutor turn in any answer phase; solved alone 3 of 6 immediate, 3 of 6 delayed, 3 of 6 transfer "
        "problems; 3 sessions; not read: 0 of 24 answers",
    ]
    assert lines[3].startswith("claims, judge j: P1 inconclusive; P2 not supported; P3 inconclusive; J1 not supported;")
    assert len(lines) == 4


def test_unread_ratings_are_counted_where_a_run_has_them() -> None:
    rows = [{**who(CONV, 0), "judge": "j", "rubric": "helpfulness", "reason": reason} for reason in ("", "no_json", "")]
    lines = said(run(ratings=pd.DataFrame(rows)))
    assert "not read: 1 of 3 ratings" in lines[0]


def test_what_was_asked_comes_before_the_claims() -> None:
    tables = run(asked_contrasts=pd.DataFrame({"first": ["pedagogical"], "second": ["cold"]}))
    lines = said(tables)
    assert lines[3].startswith("pedagogical less cold: answer given away not computable")
    assert lines[4].startswith("claims")


def test_an_asked_pair_that_was_not_played_says_so_once() -> None:
    tables = run(asked_contrasts=pd.DataFrame({"first": ["mine"], "second": [CONV]}))
    assert "mine less conversational: not computable, no session of mine" in said(tables)


def test_bases_have_sentences_of_their_own_and_what_has_no_base_one() -> None:
    lines = [*spoken(), *[{**row, "base": "n"} for row in spoken()]]
    lines += session_lines(who(COLD, 0, base=""), [line("p", 0, "student", 0, work=False, phase="delayed")])
    starts = [text.partition(":")[0] for text in said(run_tables(lines, ratings(lines)))]
    assert starts == [
        "conversational (base m)",
        "pedagogical (base m)",
        "cold",
        "conversational (base n)",
        "pedagogical (base n)",
        "claims (base m), judge j",
        "claims (base n), judge j",
    ]


def test_turns_that_nobody_rated_are_said() -> None:
    assert said(run(judged=False))[-1] == "no turn was rated: name a judge with --judge"


def test_owed_sessions_are_left_to_the_line_of_all_instruments() -> None:
    state = pd.DataFrame([{**who(CONV), "asked": 10, "finished": 3}, {**who(PED), "asked": 10, "finished": 10}])
    assert said(run(sessions_state=state)) == said(run())


def test_a_policys_name_reaches_no_terminal() -> None:
    lines = said(run(policies=("\x1b[31mred\x1b[0m\u202e", PED)))
    assert all("\x1b" not in text and "\u202e" not in text for text in lines)
    assert any(text.startswith("red: ") for text in lines)


@pytest.mark.usefixtures("_drawn")
def test_a_whole_run_has_all_parts_in_order(tmp_path: Path) -> None:
    made = page(run(), tmp_path)
    assert anchors(made) == [
        *("result", "verdicts", "judged", "process", "accuracy", "judges", "rules", "budget"),
        *("components", "detectable", "pair", "talks", "unread"),
    ]
    assert [
        b.text.replace(CLOSE, " ") for b in made[0].blocks if isinstance(b, Prose) and b.tone == "headline"
    ] == said(run())


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"judged": False}, {"judges"}),
        ({"policies": ("mine",)}, {"verdicts", "budget", "detectable", "pair"}),
        ({"policies": ("mine", "other")}, {"verdicts", "budget", "detectable"}),
        ({"policies": ()}, {"verdicts", "judged", "judges", "process", "rules", "budget", "detectable", "pair"}),
    ],
)
def test_what_is_not_there_has_no_heading(tmp_path: Path, change: dict[str, Any], missing: set[str]) -> None:
    whole = ["result", "verdicts", "judged", "process", "accuracy", "judges", "rules", "budget"]
    whole += ["components", "detectable", "pair", "talks", "unread"]
    assert anchors(page(run(**change), tmp_path)) == [name for name in whole if name not in missing]


def test_tables_alone_have_no_talks_and_say_that_the_rest_is_not_known(tmp_path: Path) -> None:
    tables = {name: frame for name, frame in run().items() if name != "lines"}
    made = page(tables, tmp_path)
    assert not {"talks", "pair", "gate"} & set(anchors(made))
    assert "tables alone" in prose(made, "unread")


def test_nothing_at_all_says_what_to_name(tmp_path: Path) -> None:
    tables = run_tables([])
    assert said(tables) == ["no session is there yet; one needs a tutor (--tutor) and a student (--student)"]
    assert anchors(page(tables, tmp_path)) == ["result", "unread"]


def gate(value: float, verdict: str) -> pd.DataFrame:
    row = {"run": "r", "student": "s", "measure": "solved alone, scored problems", "value": value, "of": "try"}
    return pd.DataFrame([{**row, "low": 0.2, "high": 0.7, "n": 9, "threshold": "at most 0.30", "verdict": verdict}])


def test_a_calibration_alone_gives_its_figures(tmp_path: Path) -> None:
    tables = run_tables([], isolated_summary=gate(0.44, "not met"))
    assert said(tables) == ["student s: solved alone, scored problems: 0.44 (9 tries), expected at most 0.30: not met"]
    assert anchors(page(tables, tmp_path)) == ["result", "gate", "unread"]


def test_a_student_that_is_not_weak_is_warned_of(tmp_path: Path) -> None:
    made = page(run(isolated_summary=gate(0.44, "not met")), tmp_path)
    (warning,) = [b.text for b in made[0].blocks if isinstance(b, Prose) and b.tone == "warning"]
    assert warning.startswith("Student s: solved alone, scored problems is 0.44 (9 tries), expected at most 0.30.")
    weak = page(run(isolated_summary=gate(0.1, "met")), tmp_path)
    assert not [b for b in weak[0].blocks if isinstance(b, Prose) and b.tone == "warning"]


def test_the_embedded_model_gives_no_verdict(tmp_path: Path) -> None:
    lines = [{**row, "base": "embedded"} for row in spoken()]
    made = page(run_tables(lines, ratings(lines)), tmp_path)
    assert "embedded model played here (tutor)" in prose(made, "result")


def test_verdicts_stand_beside_the_papers_by_base(tmp_path: Path) -> None:
    grid = table(page(run(), tmp_path), "verdicts")
    assert list(grid["claim"]) == ["P1", "P2", "P3", "J1", "J2"]
    assert grid.set_index("claim")["view_0"].to_dict()["P1"] == "○ inconclusive"
    assert list(grid["paper_0"]) == [
        "✓ supported",
        "✗ not supported",
        "○ inconclusive",
        "✗ not supported",
        "✓ supported",
    ]


def test_a_reversal_is_printed_beside_its_verdict(tmp_path: Path) -> None:
    lines = []
    for policy in (CONV, PED):
        for replicate in range(8):
            leaks = [policy == PED, replicate == 0]
            lines += session_lines(who(policy, replicate), talk("a", leaks, [True, True, False]))
    tables = run_tables(lines, ratings(lines))
    assert "P1 inconclusive, reversed;" in next(text for text in said(tables) if text.startswith("claims"))
    grid = table(page(tables, tmp_path), "verdicts").set_index("claim")
    assert grid.loc["P1", "view_0"] == "○ inconclusive, reversed"


def test_departures_that_hold_for_every_claim_are_said_once(tmp_path: Path) -> None:
    made = page(run(), tmp_path)
    assert "3 sessions of conversational, 10 planned" in prose(made, "verdicts")
    details = table(made, "claims")
    assert "deviations" not in details.columns or not details["deviations"].str.contains("planned").any()


def test_another_pair_than_the_papers_has_no_published_column(tmp_path: Path) -> None:
    claims = "pair: [mine, other]\nclaims:\n- {id: A, measure: leakage, direction: mine > other, test: signed_rank}\n"
    claims += "components:\n- {name: window, status: post hoc, specified: late, evidence: all, role: none, "
    claims += "in_verdicts: false}\n"
    tables = run(policies=("mine", "other"), claims_file=pd.DataFrame({"run": ["r"], "yaml": [claims]}))
    made = page(tables, tmp_path)
    grid = table(made, "verdicts")
    assert list(grid.columns) == ["claim", "says", "view_0"]
    assert table(made, "components")["component"].tolist() == ["window"]
    judged = table(made, "judged_gaps")
    assert "source" not in judged.columns


def test_both_rules_stand_side_by_side(tmp_path: Path) -> None:
    lines = spoken()
    for row in lines:
        if row["policy"] == PED and row["speaker"] == "tutor" and row["turn"] == 0:
            row["leak_published"] = True
    found = table(page(run_tables(lines), tmp_path), "rules").set_index("policy")
    assert found.loc[PED, ["away_sound", "away_published"]].tolist() == [0.0, 0.5]
    assert found.loc[CONV, ["away_sound", "away_published"]].tolist() == [0.5, 0.5]
    assert found.loc[PED, "away_sound_of"] == 12


def test_what_was_set_aside_is_counted_by_reason_and_out_of_how_many(tmp_path: Path) -> None:
    reasons = ["no_json", "", "no_json", "empty"]
    rated = [{**who(CONV), "judge": "j", "rubric": "pedagogy", "reason": reason} for reason in reasons]
    served = [
        {"run": "r", "stage": "session", "cell": "c", "role": "tutor", "model": "m", "finish": finish, "calls": calls}
        for finish, calls in (("stop", 8), ("length", 2))
    ]
    tables = run(ratings=pd.DataFrame(rated), served=pd.DataFrame(served))
    tables["per_session"].loc[tables["per_session"]["policy"] == COLD, ["unread", "forced"]] = [1, 2]
    found = table(page(tables, tmp_path), "set_aside")
    assert found[["what", "why", "n", "of"]].to_numpy().tolist() == [
        ["rating of pedagogy, judge j", "no_json", 2, 4],
        ["rating of pedagogy, judge j", "empty", 1, 4],
        ["problem solved alone, cold", "no answer could be read", 3, 24],
        ["problem solved alone, cold", "answer only when asked for it", 6, 24],
        ["reply of the tutor (session)", "ended by length", 2, 10],
    ]


def test_ratings_have_a_row_a_judge_so_that_no_table_grows_wide(tmp_path: Path) -> None:
    tables = run()
    more = [tables["per_turn"].assign(judge=name, judge_place=n) for n, name in enumerate("jklmn")]
    made = page(tables | {"per_turn": pd.concat(more, ignore_index=True)}, tmp_path)
    assert sorted(table(made, "ratings")["judge"]) == sorted("jklmn" * 2)
    widest = {b.name: b.frame.shape[1] for one in made for b in one.blocks if isinstance(b, Table)}
    assert max(widest[name] for name in ("policies", "ratings", "judged_gaps", "contrasts", "process", "slopes")) <= 10


def test_what_could_not_be_read_is_told_of_each_judge() -> None:
    tables = run()
    other = tables["per_turn"].assign(judge="k")
    tables["per_turn"] = pd.concat([tables["per_turn"], other], ignore_index=True)
    read = tables["per_turn"]["policy"] == CONV
    tables["per_turn"].loc[read & (tables["per_turn"]["judge"] == "k"), ["helpfulness_sum", "helpfulness_median"]] = (
        None
    )
    tables["per_turn"].loc[read & (tables["per_turn"]["judge"] == "k"), "helpfulness_n"] = 0
    line = said(tables)[0]
    assert "j finds helpfulness 4.50, pedagogy 2.00 of 5; k finds pedagogy 2.00 of 5" in line
    assert "no rating of helpfulness by k could be read" in line
    assert "not read: 0 of 12 rated turns by j, 12 of 12 rated turns by k" in line
    assert "could be read" not in said(run())[0]


def test_a_tutor_that_says_nothing_has_turns_without_a_word() -> None:
    tables = run(policies=(CONV,), judged=False)
    quiet = tables["per_session"]["policy"] == CONV
    tables["per_session"].loc[quiet, ["tutor_turns", "leaky"]] = 0
    tables["per_session"]["silent_turns"] = [4 if here else 0 for here in quiet]
    tables["per_turn"] = tables["per_turn"].iloc[:0]
    quiet_line, cold_line = said(tables)[:2]
    assert quiet_line.startswith("conversational: no tutor turn with a word in any answer phase; ")
    assert "12 of 12 tutor turns without a word" in quiet_line
    assert cold_line.startswith("cold: no tutor turn in any answer phase; ")


def test_components_are_the_papers_unless_the_claims_are_the_users(tmp_path: Path) -> None:
    made = page(run(), tmp_path)
    assert (
        next(one.title for one in made if one.anchor == "components") == "When each part of the paper’s study was fixed"
    )
    assert "They say nothing of your own study" in prose(made, "components")
    mine = claims_text().replace("alpha: 0.05", "alpha: 0.01")
    own = page(run(claims_file=pd.DataFrame({"yaml": [mine]})), tmp_path)
    assert next(one.title for one in own if one.anchor == "components") == "When each part was fixed"
    assert "As your file of claims states it" in prose(own, "components")


def test_every_table_of_two_policies_says_which(tmp_path: Path) -> None:
    blocks = [b for one in page(run(), tmp_path) for b in one.blocks if isinstance(b, Table)]
    captions = {b.name: b.caption for b in blocks if not {"pair", "policies"} & set(b.frame.columns)}
    for name in ("judged_gaps", "contrasts", "contrasts_amounts", "process", "budget"):
        assert captions[name].endswith(" First: conversational; second: pedagogical.")
    for name in ("verdicts", "sensitivities", "mixed"):
        assert "conversational and pedagogical" in captions[name]
    several = page(run(asked_contrasts=pd.DataFrame({"first": [PED], "second": [COLD]})), tmp_path)
    assert table(several, "contrasts")["pair"].nunique() == 2


def test_numbers_of_a_column_have_one_form_and_amounts_a_table_of_their_own(tmp_path: Path) -> None:
    blocks = {b.name: b for one in page(run(), tmp_path) for b in one.blocks if isinstance(b, Table)}
    assert set(blocks["contrasts_amounts"].frame["measure"]) == {
        "tutor turns in the answer phase",
        "tutor tokens a session",
    }
    forms = [blocks["contrasts"].formats[name] for name in ("mean_first", "mean_second", "mean_difference")]
    assert forms == ["{:.3f}", "{:.3f}", "{:+.3f}"]
    spans = blocks["contrasts"].frame.set_index("measure")["interval"]
    assert spans["solved alone, delayed"] == "all alike"


def test_each_reason_why_nothing_can_be_said_names_what_it_is_about(tmp_path: Path) -> None:
    text = prose(page(run(), tmp_path), "detectable")
    assert "a true mean difference of conversational and pedagogical" in text
    assert "Nothing can be said here: no result of 3 replicates is significant." in text
    tables = run()
    tables["per_session"]["tutor_tokens"] = None
    text = prose(page(tables, tmp_path), "detectable")
    assert "; no replicate has a value under both policies (tutor tokens a session, leaky turns per 1,000" in text


def test_judges_are_compared_and_never_averaged(tmp_path: Path) -> None:
    tables = run()
    other = tables["per_turn"].assign(judge="k")
    other["pedagogy_sum"] = 6 - other["pedagogy_sum"]
    tables["per_turn"] = pd.concat([tables["per_turn"], other], ignore_index=True)
    made = page(tables, tmp_path)
    agreement = table(made, "judge_agreement")
    assert agreement["policy"].tolist() == ["all", CONV, PED] * 2
    together = agreement[agreement["policy"] == "all"]
    assert together["rubric"].tolist() == ["helpfulness", "pedagogy"]
    assert together["spearman"].tolist() == [pytest.approx(1.0), pytest.approx(-1.0)]
    gaps = table(made, "judged_gaps")
    assert gaps[gaps["source"] == "this run"]["judge"].tolist() == ["j", "k"] * 2
    assert set(table(made, "claims_other_judges")["id"]) == {"P2", "J1", "J2", "J2.helpfulness"}


def test_a_judges_check_of_own_work_is_beside_the_rules(tmp_path: Path) -> None:
    labels = [(True, True), (True, False), (False, False), (None, True)]
    rows = [
        {
            **who(CONV),
            "problem": "a",
            "turn": n,
            "judge": "j",
            "judged": judged,
            "work_sound": work,
            "work_published": work,
        }
        for n, (judged, work) in enumerate(labels)
    ]
    checks = pd.DataFrame(rows).astype({"judged": "boolean"}).assign(reason=["", "", "", "no_json"])
    found = table(page(run(checks=checks), tmp_path), "checks").to_dict("records")[0]
    assert (found["n"], found["unread"], found["judge_only"], found["rule_only"]) == (4, 1, 1, 0)
    assert found["agrees_sound"] == pytest.approx(2 / 3)


def test_the_first_reader_shows_one_pair_and_the_second_all_that_was_said(tmp_path: Path) -> None:
    made = page(run(), tmp_path)
    pair, everything = [b for section in made for b in section.blocks if isinstance(b, Reader)]
    assert len(pair.transcripts) == 1
    assert pair.transcripts[0].beside is not None
    assert [one.title for one in everything.transcripts[:2]] == [
        "Replicate 0: conversational beside pedagogical",
        "Replicate 1: conversational beside pedagogical",
    ]
    assert everything.total == 6


def test_a_page_without_texts_holds_no_word_that_was_said(tmp_path: Path) -> None:
    lines = spoken()
    for row in lines:
        row["text"] = "my secret words"
    tables = run_tables(lines, ratings(lines))
    path = write_report(tmp_path / "r.html", "R", page(tables, tmp_path, "none"), facts={}, texts="none")
    text = path.read_text(encoding="utf-8")
    assert "secret" not in text
    assert "gives the answer away" in text


@pytest.mark.shared
@pytest.mark.usefixtures("_drawn")
def test_the_papers_own_tables_give_its_printed_numbers_side_by_side(shared: Path, tmp_path: Path) -> None:
    audit = shared / "audit"
    pairs = [
        (f"sonnet:{judge}={audit / f'sonnet_{judge}.csv'}", str(audit / "sonnet_per_session.csv"))
        for judge in ("opus", "sol")
    ]
    tables = read_tables(pairs)
    made = page(tables, tmp_path)
    judged = table(made, "judged_gaps")
    for judge in ("opus", "sol"):
        for rubric in ("helpfulness", "pedagogy"):
            here = judged[(judged["judge"] == judge) & (judged["rubric"] == rubric)]
            ours, theirs = [row for _, row in here.iterrows()]
            assert (ours["source"], theirs["source"][:9]) == ("this run", "published")
            assert round(ours["gap"], 3) == theirs["gap"]
            assert round(ours["delta"], 2) == theirs["delta"]
            assert ours["p"] == pytest.approx(theirs["p"], rel=0.03)
    ours, theirs = [row for _, row in table(made, "process").iterrows()]
    for name in ("leak_first", "leak_second"):
        assert round(ours[name], 3) == theirs[name]
    ours, theirs = [row for _, row in table(made, "slopes").iterrows()]
    assert round(ours["slope"], 3) == theirs["slope"]
    assert ours["turns"] == theirs["turns"] == 358
    grid = table(made, "verdicts")
    assert grid["view_0"].tolist() == grid["paper_0"].tolist()
    lines = said(tables)
    assert lines[0].startswith("conversational: gave the answer away in 52 of 135 tutor turns (43 % of a session's")
    assert (
        lines[-1]
        == "claims, judge opus: P1 supported; P2 not supported; P3 inconclusive; J1 not supported; J2 supported"
    )
