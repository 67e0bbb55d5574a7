"""The page: its sentences, its sections, and that what is absent leaves no empty heading."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
import pytest
from small_game import Row, attempt, episode, grade, message, person, tables, taxonomy, trace, unread, went_on

from tutorscope.intervention.behaviour_sections import behaviour_tables, retention_blocks, variation_blocks
from tutorscope.intervention.measures import measures
from tutorscope.intervention.sections import headline, sections
from tutorscope.intervention.shown import Shown, shown
from tutorscope.intervention.transfer_sections import kind_blocks
from tutorscope.pictures.blocks import Block, Figure, Prose, Section, Table
from tutorscope.reporting.page import write_report

CLOSE = "\u00a0"


def page(folder: Path, frames: dict[str, pd.DataFrame]) -> dict[str, Section]:
    made = sections(frames, measures(frames), folder, "sample")
    write_report(folder / "report.html", "a game", made, facts={"question": "When?"})
    assert all(section.blocks for section in made)
    return {section.anchor: section for section in made}


def table(blocks: Iterable[Block], name: str) -> pd.DataFrame:
    return next(block.frame for block in blocks if isinstance(block, Table) and block.name == name)


def numbers_of(frames: dict[str, pd.DataFrame]) -> Shown:
    return shown(measures(frames))


def small(tutors: Sequence[str] = ("t",), conditions: Sequence[str] = ("standard", "oracle")) -> dict[str, list[Row]]:
    """Play four problems, of which the first two are right alone."""
    rows: dict[str, list[Row]] = {"episodes": [], "continued": [], "grades": [], "traces": []}
    for n in range(4):
        rows["traces"].append(trace(f"p{n}", length=100))
        rows["grades"].append(grade(f"p{n}", n < 2))
        for tutor in tutors:
            for condition in conditions:
                place = 20 if condition == "standard" else None if n < 2 else 50
                played = episode(f"p{n}", place, tutor=tutor, condition=condition, right=n < 2, length=100)
                rows["episodes"].append(played)
                for how in ("standard", "stop") if condition == "standard" else ("oracle",):
                    if place:
                        rows["continued"].append(went_on(f"p{n}", n < 2, True, how, tutor=tutor))
    return rows


def test_a_sentence_tells_how_often_how_early_how_needlessly_and_whether_it_helps() -> None:
    rows = small()
    rows["episodes"].append(unread("p4", right=None))
    frames = tables(**rows)
    told = [line.replace(CLOSE, " ") for line in headline(frames, measures(frames))]
    assert told[0] == (
        "t (watching): steps into 100 % (all alike) of 4 episodes, 1 not read; on average when 20 % (all alike) of the"
        " reasoning is there (n = 4); in 100 % (all alike) of the 2 where the student alone was right; of 4"
        " answers after it 50 % turned right and 0 % wrong, net +0.50 (0.00 to +1.00)"
    )
    assert told[1].startswith("t (looking back): steps into 50 % (0 % to 100 %) of 4 episodes; on average when 50 %")
    assert told[2] == "s alone: right on 50 % (0 % to 100 %) of 4 problems"


def test_points_that_were_lost_stand_in_the_sentence() -> None:
    played = [
        episode("p1", 20, condition="oracle"),
        episode("p2", condition="oracle", intervened=True, lost="no_quote"),
    ]
    frames = tables(episodes=played)
    assert "(n = 1, 1 without a known point)" in headline(frames, measures(frames))[0]


def test_interventions_without_any_known_point_say_so() -> None:
    played = [episode(f"p{n}", condition="oracle", intervened=True, lost="no_quote") for n in range(2)]
    frames = tables(episodes=played)
    assert "none of the 2 interventions has a known point" in headline(frames, measures(frames))[0]


def test_traces_without_a_decision_point_are_counted_in_the_sentence() -> None:
    played = [episode("p1", 20), episode("p2", reason="no_decision_point"), episode("p3", reason="no_decision_point")]
    frames = tables(episodes=played)
    assert "of 3 episodes, 2 of them without a decision point;" in headline(frames, measures(frames))[0]


def test_oracle_episodes_that_were_not_asked_are_no_unreadable_ones_in_the_sentence() -> None:
    played = [episode("p1", 20, condition="oracle"), unread("p2", condition="oracle"), unread("p3", condition="oracle")]
    played[2]["reason"] = "no_verdict"
    frames = tables(episodes=played)
    assert "of 1 episode, 1 not read, 1 not asked for want of a verdict;" in headline(frames, measures(frames))[0]
    only = tables(episodes=played[2:])
    assert headline(only, measures(only)) == ["t (looking back): 1 episode not asked for want of a verdict"]


def test_kinds_of_help_have_a_sentence_a_tutor_with_the_top_of_each_dimension() -> None:
    said = [message("p1"), message("p2"), message("p3", "Wrong-path rejection"), message("p4", "")]
    said += [message(f"p{n}", "Checks", dimension="role") for n in range(4)]
    listed = taxonomy("published", "leakage", "Wrong-path rejection", "Validation only")
    listed += taxonomy("published", "role", "Checks", "Praises")
    frames = tables(messages=said, taxonomies=listed, episodes=[episode(f"p{n}", 20) for n in range(4)])
    assert headline(frames, measures(frames))[-1] == (
        "kind of help, t (watching), the paper's categories: what messages do, most often Checks (100\u00a0% of 4); "
        "how much they reveal, most often Validation only (67\u00a0% of 3, 1 not labelled)"
    )


def test_kinds_of_help_watching_stand_before_those_looking_back() -> None:
    said = [message("p1", condition="oracle", increment="", tutor=tutor) for tutor in "tu"]
    said += [message("p1", tutor=tutor) for tutor in "tu"]
    frames = tables(messages=said, taxonomies=taxonomy("published", "leakage", "Validation only"))
    frames |= tables(episodes=[episode("p1", 20), episode("p1", 20, condition="oracle")])
    told = [
        line.partition(",")[2].partition(",")[0] for line in headline(frames, measures(frames)) if "kind of" in line
    ]
    assert told == [" t (watching)", " t (looking back)", " u (watching)", " u (looking back)"]


def test_categories_that_are_equally_frequent_are_both_named() -> None:
    said = [message("p1", "A"), message("p2", "B"), message("p3", "C"), message("p4", "C"), message("p5", "B")]
    frames = tables(messages=said, taxonomies=taxonomy("1", "leakage", "A", "B", "C"), episodes=[episode("p1", 20)])
    frames["messages"]["taxonomy"] = "1"
    assert headline(frames, measures(frames))[-1].endswith(
        "taxonomy 1: how much they reveal, most often B and C (40\u00a0% each of 5)"
    )


def test_the_next_problem_has_a_sentence_a_context() -> None:
    tried = [attempt("p1"), attempt("p1", "problem", True, 0), attempt("p1", "intervention", False, -1)]
    frames = tables(attempts=tried)
    assert headline(frames, measures(frames)) == [
        "next problem, with its own attempt in view: G 0.00, 1 pair",
        "next problem, with the assisted attempt in view: G −1.00, 1 pair",
    ]


def test_a_next_problem_without_a_pair_says_so() -> None:
    frames = tables(attempts=[attempt("p1", correct=None), attempt("p1", "problem", True, None)])
    assert headline(frames, measures(frames)) == [
        "next problem, with its own attempt in view: no G, 0 pairs, 1 without a verdict on both sides"
    ]


def test_nothing_played_says_what_to_name(tmp_path: Path) -> None:
    frames: dict[str, pd.DataFrame] = {}
    assert headline(frames, measures(frames)) == [
        "no episode is there yet; a game needs a student (--student), a tutor (--tutor) and a judge (--judge)"
    ]
    assert set(page(tmp_path, frames)) == {"result", "unread"}


def test_lines_are_safe_for_a_terminal() -> None:
    frames = tables(episodes=[episode("p1", tutor="a\x1b[31mb\rc")])
    (line,) = headline(frames, measures(frames))
    assert "\x1b" not in line
    assert "\r" not in line


def test_a_whole_game_has_every_section(tmp_path: Path) -> None:
    rows = small(("t", "u"))
    rows["episodes"].append(episode("p1", 20, increment="300"))
    rows["attempts"] = [attempt("p1"), attempt("p1", "intervention", True, 0)]
    rows["messages"] = [message("p1"), message("p1", tutor="u")]
    rows["taxonomies"] = taxonomy("published", "leakage", "Validation only", "Wrong-path rejection")
    made = page(tmp_path, tables(**rows))
    assert list(made) == [
        *("result", "behaviour", "alone", "help", "next", "kinds", "variations", "retention"),
        *("episodes", "unread"),
    ]


def test_looking_back_without_any_point_is_frequency_alone(tmp_path: Path) -> None:
    played = [episode(f"p{n}", condition="oracle", intervened=True, lost="no_quote") for n in range(2)]
    made = page(tmp_path, tables(episodes=played))
    assert list(made) == ["result", "behaviour", "retention", "episodes", "unread"]
    assert [block.name for block in made["behaviour"].blocks if isinstance(block, Figure)] == ["frequency"]
    assert [block.name for block in made["behaviour"].blocks if isinstance(block, Table)] == ["behaviour_oracle"]


def test_without_a_judge_there_is_frequency_and_no_help(tmp_path: Path) -> None:
    made = page(tmp_path, tables(episodes=[episode(f"p{n}", judge="", right=None) for n in range(3)]))
    assert list(made) == ["result", "behaviour", "episodes", "unread"]
    frame = table(made["behaviour"].blocks, "behaviour_standard")
    assert "phi_correct" not in frame.columns
    assert list(frame["phi"]) == [0.0, pytest.approx((0.97 + 1 + 0.37 + 0.81) / 4)]


def test_people_alone_are_shown_and_compared_with_nobody(tmp_path: Path) -> None:
    made = page(tmp_path, tables(episodes=[person("p1", None, "a"), person("p2", None, "a")]))
    assert list(made) == ["result", "behaviour", "people", "episodes", "unread"]
    notes = [block.text for block in made["people"].blocks if isinstance(block, Prose)]
    assert notes == ["No model worked on a problem that people had: there is nothing to compare them with."]


def test_runs_students_and_judges_are_named_where_they_differ() -> None:
    rows = small(conditions=("standard",))
    for name, value in (("run", "r2"), ("student", "s2"), ("judge", "k")):
        more = small(conditions=("standard",))
        for kind, held in more.items():
            rows[kind] += [{**row, name: value} for row in held if name in row]
    frames = tables(**rows)
    told = headline(frames, measures(frames))
    assert [line.partition("):")[0] for line in told if "watching" in line] == [
        "t (run r, s, watching",
        "t (run r2, s, watching",
        "t (run r, s2, watching",
    ]
    frame = table(behaviour_tables(numbers_of(frames)), "behaviour_standard")
    assert {"run", "student", "judge"} <= set(frame.columns)


def test_published_rows_stand_under_the_tutor_of_that_name() -> None:
    frame = table(behaviour_tables(numbers_of(tables(**small(("openai/gpt-5.2", "mine"))))), "behaviour_oracle")
    held = frame[frame["source"] == "published"]
    assert list(held["tutor"]) == ["gpt-5.2"]
    assert list(held["phi"]) == [0.29]


def test_another_tutor_has_the_mean_of_the_papers_four() -> None:
    frame = table(behaviour_tables(numbers_of(tables(**small(("mine",))))), "behaviour_standard")
    held = frame[frame["source"] == "published"]
    assert list(held["tutor"]) == ["mean of 4 tutors"]
    assert list(held["phi"]) == [pytest.approx((0.97 + 1 + 0.37 + 0.81) / 4)]


def test_retention_stands_beside_the_papers() -> None:
    played = [
        *(episode(f"p{n}", 20, condition="oracle", found="exact") for n in range(3)),
        episode("p3", condition="oracle", intervened=True, lost="not_found"),
        episode("c1", 20, condition="oracle", found="tokens", domain="code"),
    ]
    frame = table(retention_blocks(numbers_of(tables(episodes=played))), "retention")
    rows = {(row["domain"], row["source"]): row for row in frame.to_dict("records")}
    assert rows["Mathematics", "this run"]["retention"] == 0.75
    assert rows["Mathematics", "this run"]["not_found"] == 0.25
    assert rows["Mathematics", "published"]["retention"] == 0.715
    assert rows["All domains", "published"]["not_found"] == 0.16


def test_variations_stand_side_by_side_with_the_papers() -> None:
    rows = small(("t",))
    rows["episodes"] += [episode("p1", 90, increment="300", length=100), episode("p1", variant="sparing", length=100)]
    rows["episodes"] += [episode("p1", 60, variant="sparing", condition="oracle", length=100)]
    frame = table(variation_blocks(numbers_of(tables(**rows))), "variations")
    own = frame[frame["source"] == "this run"]
    assert list(zip(own["condition"], own["increment"].fillna(""), own["variant"], own["phi"], strict=True)) == [
        ("Standard", "50", "plain", 1.0),
        ("Standard", "300", "plain", 1.0),
        ("Standard", "50", "sparing", 0.0),
        ("Oracle", "", "plain", 0.5),
        ("Oracle", "", "sparing", 1.0),
    ]
    assert set(frame["source"]) == {"this run", "published, Table 8", "published, Table 10"}


def test_each_run_shows_a_setting_of_its_own_and_says_which() -> None:
    played = [episode(f"p{n}", 20, length=100) for n in range(2)]
    played += [episode(f"p{n}", 60, length=100, run="r2", increment="300", variant="sparing") for n in range(2)]
    held = numbers_of(
        tables(episodes=played, traces=[trace(f"p{n}", run=run) for n in range(2) for run in ("r", "r2")])
    )
    assert held.main_words() == "in run r increment 50, prompt plain; in run r2 increment 300, prompt sparing"
    (block,) = (one for one in behaviour_tables(held) if isinstance(one, Table))
    own = block.frame[block.frame["source"] == "this run"]
    assert dict(zip(own["run"], own["tau_rel"], strict=True)) == {"r": 0.2, "r2": 0.6}
    assert f"Models' setting: {held.main_words()}." in str(block.caption)


def test_a_run_of_one_setting_says_nothing_of_it() -> None:
    assert numbers_of(tables(episodes=[episode("p1", 20)])).main_said() == ""


def test_kinds_of_help_have_a_column_a_tutor_and_condition() -> None:
    said = [message("p1"), message("p2", tutor="u"), message("p1", tutor="teachers", people=True)]
    listed = taxonomy("published", "leakage", "Validation only", "Wrong-path rejection")
    frames = tables(messages=said, taxonomies=listed, episodes=[episode("p1", 10)])
    first, second = (block.frame for block in kind_blocks(numbers_of(frames)) if isinstance(block, Table))
    assert list(first.columns) == [
        *("category", "all tutors, Standard", "teachers, Standard"),
        *("paper: people, Standard", "paper: people, Oracle", "paper: models, Standard", "paper: models, Oracle"),
    ]
    assert list(second.columns) == ["category", "t, Standard", "u, Standard"]
    assert list(first["paper: people, Standard"]) == [0.054, 0.072]


def test_what_could_not_be_read_is_counted_once(tmp_path: Path) -> None:
    played = [unread("p1", judge=judge, unread="empty, refused") for judge in ("j", "k")]
    graded = [grade("p1", None, how="undecided", reason="no_judge")]
    frames = tables(episodes=played, grades=graded, traces=[trace("p1", reason="no_answer"), trace("p2")])
    frame = table(page(tmp_path, frames)["unread"].blocks, "set_aside")
    assert dict(zip(zip(frame["what"], frame["why"], strict=True), frame["n"], strict=True)) == {
        ("student's answer alone", "no answer"): 1,
        ("tutor's reply, asked again", "empty, refused"): 1,
        ("tutor's decision", "unreadable"): 1,
        ("verdict", "no judge"): 1,
    }


def test_what_was_never_asked_stands_in_the_counts_and_beside_what_was_set_aside(tmp_path: Path) -> None:
    played = [episode("p1", 20, condition="oracle"), unread("p2", condition="oracle", right=None)]
    played[1]["reason"] = "no_verdict"
    blocks = page(tmp_path, tables(episodes=played))["unread"].blocks
    (row,) = table(blocks, "counts").to_dict("records")
    assert (row["episodes"], row["unreadable"], row["not_asked"], row["no_verdict"]) == (2, 0, 1, 1)
    (aside,) = table(blocks, "set_aside").to_dict("records")
    assert (aside["what"], aside["why"], aside["n"]) == ("looking back, not asked", "no verdict", 1)
    assert "nobody could say whether the answer is right" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_embedded_model_is_no_verdict(tmp_path: Path) -> None:
    made = page(tmp_path, tables(episodes=[unread("p1", tutor="embedded")]))
    warnings = [block.text for block in made["result"].blocks if isinstance(block, Prose) and block.tone == "warning"]
    assert len(warnings) == 1
    assert "embedded model" in warnings[0]


def test_words_of_tutors_cannot_act_in_the_page(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script>\x1b[31m"
    said = {"message": hostile, "tutor": hostile, "quote": hostile}
    played = [episode("p1", condition="oracle", intervened=True, lost="not_found", **said)]
    problems = [{"run": "r", "problem": "p1", "domain": "math", "title": "", "question": hostile, "reference": hostile}]
    traces = [trace("p1", title=hostile, trace=hostile, answer=hostile)]
    page(tmp_path, tables(episodes=played, traces=traces, problems=problems))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "\x1b" not in text


def test_numbers_are_plain_data_for_a_program() -> None:
    rows = small()
    rows["attempts"] = [attempt("p1"), attempt("p1", "problem", True, 0)]
    numbers = measures(tables(**rows))
    for frame in numbers.values():
        json.dumps(json.loads(frame.to_json(orient="records")))
