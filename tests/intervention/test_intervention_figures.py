"""Figures: what they show, what they leave out, and where there is nothing to draw."""

from pathlib import Path

import pandas as pd
import pytest
from small_game import attempt, episode, person, tables, trace, unread, went_on

from tutorscope.intervention import people_figures
from tutorscope.intervention.figures import (
    frequency,
    frequency_when_right,
    help_shares,
    net_help,
    next_problem,
    timing,
    timing_in_characters,
)
from tutorscope.intervention.measures import measures
from tutorscope.intervention.people_figures import people_and_models, problem_timing
from tutorscope.intervention.shown import Shown, shown


def held(folder: Path, frames: dict[str, pd.DataFrame]) -> Shown:
    return shown(measures(frames), folder)


def two_conditions(**other: object) -> dict[str, pd.DataFrame]:
    played = [episode(f"p{n}", 10, **other) for n in range(3)]
    played += [episode(f"p{n}", 30 if n else None, condition="oracle", **other) for n in range(3)]
    return tables(episodes=played)


def test_frequency_has_a_panel_a_domain_and_a_dot_a_condition(tmp_path: Path) -> None:
    frames = tables(
        episodes=[episode("p1", 10), episode("p2"), episode("c1", 10, domain="code"), unread("c2", domain="code")]
    )
    figure = frequency(held(tmp_path, frames))
    assert figure is not None
    assert "Mathematics: t Standard 0.5" in figure.alt
    assert "Code: t Standard 1" in figure.alt
    assert "1 episode is left out (not known)." in figure.caption
    assert "Published value (different instrument)" in figure.svg.read_text(encoding="utf-8")
    assert {"frequency.svg", "frequency.pdf", "frequency-narrow.svg"} <= {path.name for path in tmp_path.iterdir()}


def test_no_mark_where_the_paper_says_nothing(tmp_path: Path) -> None:
    figure = timing(held(tmp_path, two_conditions(domain="history")))
    assert figure is not None
    assert "Published" not in figure.svg.read_text(encoding="utf-8")


def test_nothing_to_time_is_no_figure(tmp_path: Path) -> None:
    frames = tables(episodes=[episode("p1"), episode("p2")])
    assert timing(held(tmp_path, frames)) is None
    assert timing_in_characters(held(tmp_path, frames)) is None
    assert frequency_when_right(held(tmp_path, frames)) is None
    assert not list(tmp_path.iterdir())


def test_a_tutor_that_never_steps_in_has_a_row_that_says_so(tmp_path: Path) -> None:
    frames = tables(episodes=[episode("p1", 10), episode("p2", 20), episode("p1", tutor="u"), episode("p2", tutor="u")])
    figure = timing(held(tmp_path, frames))
    assert figure is not None
    assert "u no value" in figure.alt
    assert ">none</text>" in figure.svg.read_text(encoding="utf-8")


def test_figures_show_the_plain_prompt_and_the_smallest_increment(tmp_path: Path) -> None:
    played = [episode("p1", 10, variant="sparing"), episode("p1", increment="300"), episode("p1", 10, increment="50")]
    one = held(tmp_path, tables(episodes=played))
    main = [row for row in one.rows("behaviour", measure="phi", tutor="t", domain="math") if one.is_main(row)]
    assert [(row["variant"], row["increment"], row["value"]) for row in main] == [("plain", "50", 1.0)]


def test_shares_of_help_add_up_over_tutors(tmp_path: Path) -> None:
    played = [episode(f"p{n}", 10, tutor=tutor) for n in range(2) for tutor in ("t", "u")]
    came = [went_on(f"p{n}", tutor=tutor, after=tutor == "t") for n in range(2) for tutor in ("t", "u")]
    figure = help_shares(held(tmp_path, tables(episodes=played, continued=came)))
    assert figure is not None
    assert "Mathematics helpful 50 %, no change 50 %, harmful 0 %" in figure.alt
    assert "Published" not in figure.svg.read_text(encoding="utf-8")


def test_published_ends_stand_on_the_row_of_all_domains(tmp_path: Path) -> None:
    played = [episode(f"{domain}1", 10, domain=domain) for domain in ("math", "code")]
    came = [went_on(f"{domain}1", domain=domain) for domain in ("math", "code")]
    figure = help_shares(held(tmp_path, tables(episodes=played, continued=came)))
    assert figure is not None
    assert "Published" in figure.svg.read_text(encoding="utf-8")


def test_no_verdicts_no_figures_of_help(tmp_path: Path) -> None:
    frames = tables(episodes=[episode("p1", 10, right=None)], continued=[went_on("p1", before=None)])
    assert help_shares(held(tmp_path, frames)) is None
    assert net_help(held(tmp_path, frames)) is None


def test_the_next_problem_has_accuracy_and_gain(tmp_path: Path) -> None:
    tried = [attempt("p1"), attempt("p1", "problem", True, 0), attempt("p1", "intervention", False, -1)]
    figure = next_problem(held(tmp_path, tables(attempts=tried)))
    assert figure is not None
    assert "Gain over no context: Mathematics Problem 0, Intervention -1" in figure.alt
    assert next_problem(held(tmp_path, tables(episodes=[episode("p1")]))) is None


def people_too() -> dict[str, pd.DataFrame]:
    played = [episode(f"p{n}", 10 + n, domain="teasers", right=n == 1) for n in range(3)]
    played += [person(f"p{n}", 40, "a", domain="teasers", right=n == 1) for n in range(2)]
    played += [person("p0", 45, "b", domain="teasers", condition="oracle")]
    return tables(episodes=played, traces=[trace(f"p{n}", "teasers", title=f"Riddle {n}") for n in range(3)])


def test_people_and_models_stand_side_by_side_on_common_problems(tmp_path: Path) -> None:
    figure = people_and_models(held(tmp_path, people_too()))
    assert figure is not None
    assert "on the 2 problems that both had" in figure.caption
    assert "People Standard 1.00" in figure.alt


def test_without_people_or_without_models_there_is_no_such_figure(tmp_path: Path) -> None:
    for played in ([episode("p1", 10)], [person("p1", 10, "a")]):
        assert people_and_models(held(tmp_path, tables(episodes=played))) is None


def test_timing_by_problem_shows_the_problems_that_people_had(tmp_path: Path) -> None:
    frames = people_too()
    (figure,) = problem_timing(held(tmp_path, frames), frames)
    text = figure.svg.read_text(encoding="utf-8")
    assert figure.caption.startswith("When people and models stepped in on 2 problems")
    assert ">Riddle 0</text>" in text
    assert ">Riddle 2</text>" not in text
    assert text.index(">Alone right</text>") < text.index(">Alone wrong</text>")


def test_models_alone_are_timed_by_problem_while_there_are_few(tmp_path: Path) -> None:
    few = tables(episodes=[episode(f"p{n}", 10) for n in range(3)])
    assert len(problem_timing(held(tmp_path, few), few)) == 1
    many = tables(episodes=[episode(f"p{n}", 10) for n in range(41)])
    assert problem_timing(held(tmp_path, many), many) == []


def test_many_problems_of_people_go_into_several_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_figures, "_MOST", 2)
    frames = tables(episodes=[person(f"p{n}", 10, "a") for n in range(3)])
    figures = problem_timing(held(tmp_path, frames), frames)
    assert [figure.name for figure in figures] == ["timing-by-problem", "timing-by-problem-2"]


def test_names_from_outside_are_shown_and_never_act(tmp_path: Path) -> None:
    figure = frequency(held(tmp_path, two_conditions(tutor="<script>alert(1)</script>\x1b[31m\u202e$x^2$")))
    assert figure is not None
    text = figure.svg.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "script&gt;" in text
