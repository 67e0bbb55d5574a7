"""Figures of a small run: what they draw, and of which view."""

import pandas as pd
import pytest
from small_tables import decided, dialogues, frame, reply, scenarios, tables

from tutorscope.casework.figures import diversity_figure, reference_figure, shown_views, success_figure
from tutorscope.casework.measures import measures


def judged(run="one", judges=("j1",), tutor="gemini-3.1-pro-preview"):
    decisions, replies = [], []
    for category, challenge in ((1, "task_resistance"), (2, "academic_struggle")):
        for horizon in ("immediate", "long_term"):
            case = {"tutor": tutor, "category": category, "scenario": category, "challenge": challenge}
            case |= {"horizon": horizon}
            replies.append(reply(f"i{category}-{horizon}", "We take one step today then", **case))
            for judge in judges:
                decisions += decided(f"i{category}-{horizon}", [category == 1], judge=judge, **case)
    return {
        "decisions": frame("decisions", decisions, run),
        "replies": frame("replies", replies, run),
        "scenarios": scenarios(1, 2),
        "dialogues": dialogues(s1="no", s2="never"),
    }


def test_a_panel_for_each_challenge_type_and_the_papers_value_for_its_model(tmp_path):
    numbers = measures(tables(**judged()))
    [view] = shown_views(numbers)
    figure = success_figure(view, numbers, tmp_path)
    drawn = figure.svg.read_text(encoding="utf-8")
    for said in ("All challenge types", "Task Resistance", "Academic Struggle", "both horizons", "n = 2 and 2"):
        assert said in drawn
    assert "Published value (different instrument)" in drawn
    assert "4 replies in all, 0 more not known" in figure.caption
    assert "of the 4, 0 empty and 0 refused by the provider" in figure.caption
    assert "immediate: 50% of 2" in figure.alt


def test_where_one_horizon_was_asked_n_says_of_which(tmp_path):
    numbers = measures(
        tables(decisions=frame("decisions", decided("a", [True], horizon="long_term")), scenarios=scenarios(1))
    )
    drawn = success_figure(shown_views(numbers)[0], numbers, tmp_path).svg.read_text(encoding="utf-8")
    assert "n = 1 long-term" in drawn


def test_each_judge_and_run_is_a_view_of_its_own(tmp_path):
    parts = [judged("one", ("j1", "j2")), judged("two")]
    together = {name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]}
    numbers = measures(tables(**together))
    views = shown_views(numbers)
    assert [view.name for view in views] == ["run one, judge j1", "run one, judge j2", "run two, judge j1"]
    assert len({view.slug for view in views}) == 3
    assert views[1].of(numbers, "success")["judge"].unique().tolist() == ["j2"]
    assert views[2].of(numbers, "diversity")["run"].unique().tolist() == ["two"]


def test_diversity_has_a_point_for_each_tutor_and_horizon(tmp_path):
    numbers = measures(tables(**judged()))
    figure = diversity_figure(shown_views(numbers)[0], numbers, tmp_path)
    # Both replies of a horizon are the same six words: three distinct 4-grams, each there twice.
    assert "immediate, gemini-3.1-pro-preview: 0.50 across, 0.50 up" in figure.alt


def test_without_references_there_is_no_figure_of_them(tmp_path):
    numbers = measures(tables(**judged()))
    assert reference_figure(shown_views(numbers)[0], numbers, tmp_path) is None


@pytest.mark.parametrize("draw", [success_figure, diversity_figure])
def test_a_run_without_a_judge_has_no_figure_of_success(tmp_path, draw):
    given = judged()
    numbers = measures(tables(replies=given["replies"], scenarios=given["scenarios"], dialogues=given["dialogues"]))
    [view] = shown_views(numbers)
    assert view.key["judge"] is None
    assert draw(view, numbers, tmp_path) is None
