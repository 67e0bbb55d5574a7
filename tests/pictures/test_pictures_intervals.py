"""Dots with intervals in rows."""

import pytest
from matplotlib.colors import to_rgba

from tutorscope.pictures import style
from tutorscope.pictures.intervals import Dot, Row, height, intervals


def draw(rows, tmp_path, series=("opus", "sol"), **options):
    given = {"title": "Helpfulness", "xlabel": "gap", **options}
    with style.look():
        ax = style.panels(1, panel=(3.6, height(rows, series)))[0]
        handles = intervals(ax, rows, list(series), **given)
        style.legend(ax.figure, handles)
        ax.figure.savefig(tmp_path / "figure.svg")
    return ax, [str(handle.get_label()) for handle in handles], (tmp_path / "figure.svg").read_text(encoding="utf-8")


def dots(ax):
    """Give the drawn values: those with a marker, the white ground of each left out."""
    drawn = [line for line in ax.lines if line.get_marker() not in ("None", "", None)]
    return [line for line in drawn if to_rgba(line.get_markeredgecolor())[:3] != (1, 1, 1)]


def test_each_row_has_its_name_and_its_note_and_the_first_is_on_top(tmp_path):
    rows = [Row("sonnet", [Dot("opus", 0.1)], "n = 358"), Row("gpt", [Dot("opus", 0.2)], "n = 379")]
    ax, _, svg = draw(rows, tmp_path)
    for words in ("sonnet", "gpt", "n = 358", "n = 379"):
        assert f">{words}</text>" in svg
    first, second = (line.get_ydata()[0] for line in dots(ax))
    assert first > second


def test_series_stand_on_lines_of_their_own_filled_and_open(tmp_path):
    ax, labels, _ = draw([Row("a", [Dot("opus", 0.1), Dot("sol", 0.1)])], tmp_path)
    opus, sol = dots(ax)
    assert opus.get_ydata()[0] > sol.get_ydata()[0]
    assert opus.get_markerfacecolor() == opus.get_markeredgecolor()
    assert sol.get_markerfacecolor() == "white"
    assert opus.get_marker() != sol.get_marker()
    assert labels == ["opus", "sol"]


def test_one_series_needs_no_key(tmp_path):
    _, labels, _ = draw([Row("a", [Dot("opus", 0.1)])], tmp_path, ["opus"])
    assert labels == []


def test_an_interval_runs_from_its_low_to_its_high_end(tmp_path):
    ax, _, _ = draw([Row("a", [Dot("opus", 0.1, -0.2, 0.5)])], tmp_path, ["opus"])
    spans = [list(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2 and line.get_zorder() == 7]
    assert spans == [[-0.2, 0.5]]


def test_a_pale_dot_is_pale_and_the_key_says_what_that_means(tmp_path):
    ax, labels, svg = draw([Row("a", [Dot("opus", 0.1, faded=True), Dot("sol", 0.2)])], tmp_path)
    assert [line.get_alpha() for line in dots(ax)] == [pytest.approx(0.38), 1.0]
    assert "pale: may be chance (p > .05)" in labels
    assert "pale: may be chance (p &gt; .05)" in svg


def test_a_value_that_is_missing_is_said_in_its_place(tmp_path):
    ax, _, svg = draw([Row("a", [Dot("opus", None), Dot("sol", 0.2)])], tmp_path, absent="not estimable")
    assert svg.count(">not estimable</text>") == 1
    assert len(dots(ax)) == 1


@pytest.mark.parametrize("different", [True, False])
def test_a_published_value_stands_under_its_dot_and_says_whether_the_instrument_differs(tmp_path, different):
    ax, labels, _ = draw([Row("a", [Dot("opus", 0.1, published=0.1, different=different)])], tmp_path, ["opus"])
    ours, ring = dots(ax)
    if ours.get_markeredgecolor() == style.INK:
        ours, ring = ring, ours
    assert ring.get_ydata()[0] < ours.get_ydata()[0]
    assert labels == ["Published value (different instrument)" if different else "Published value"]


def test_a_published_value_is_shown_where_the_run_has_none(tmp_path):
    _, labels, svg = draw([Row("a", [Dot("opus", None, published=0.4)])], tmp_path)
    assert labels == ["Published value"]
    assert ">no value</text>" in svg


def test_zero_and_all_ends_are_inside_the_panel(tmp_path):
    ax, _, _ = draw([Row("a", [Dot("opus", 0.5, 0.4, 0.9, published=1.4)])], tmp_path, zero=True)
    low, high = ax.get_xlim()
    assert low < 0 < 1.4 < high


def test_a_scale_that_is_given_is_kept_and_shares_count_in_per_cent(tmp_path):
    ax, _, svg = draw([Row("a", [Dot("opus", 0.5)])], tmp_path, scale=(0, 1), shape="share")
    assert ax.get_xlim() == (-0.05, 1.05)
    assert ">50 %</text>" in svg


@pytest.mark.parametrize("rows", [[], [Row("a", [])], [Row("a", [Dot("opus", None)])], [Row("a", [Dot("opus", 2.0)])]])
def test_next_to_nothing_is_drawn_too(tmp_path, rows):
    ax, _, _ = draw(rows, tmp_path)
    low, high = ax.get_xlim()
    assert low < high


def test_names_from_outside_are_cut_and_seen(tmp_path):
    _, _, svg = draw([Row("$x$\u202e" + "n" * 80, [Dot("opus", 1.0)])], tmp_path)
    assert "$x$⟨U+202E⟩" in svg
    assert "n" * 40 not in svg


def test_panels_grow_with_rows_and_with_reference_marks():
    one, two = [Row("a", [Dot("opus", 1.0)])], [Row("a", [Dot("opus", 1.0, published=1.0)])]
    assert height(one * 3, ["opus"]) > height(one, ["opus"])
    assert height(two, ["opus", "sol"]) > height(one, ["opus", "sol"])
