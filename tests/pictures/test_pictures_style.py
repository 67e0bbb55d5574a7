import subprocess
import sys

import matplotlib
import pytest

from tutorscope.pictures import style
from tutorscope.pictures.distributions import Row, distributions


def draw_line(axes):
    for place, ax in enumerate(axes):
        ax.plot([0, 1], [place, 1])
        ax.set_title(f"Panel {place}")
        ax.set_xlabel("$uptake$")


def test_pictures_import_no_matplotlib_before_they_draw():
    code = (
        "import sys; from tutorscope.pictures import style, hexes, distributions, blocks;"
        "assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    first = style.save_panels(draw_line, 1, tmp_path / "a", "figure")
    second = style.save_panels(draw_line, 1, tmp_path / "b", "figure")
    assert first.svg.read_bytes() == second.svg.read_bytes()
    assert first.pdf.read_bytes() == second.pdf.read_bytes()


def test_a_figure_holds_text_as_text_and_no_date(tmp_path):
    svg = style.save_panels(draw_line, 1, tmp_path, "figure").svg.read_text(encoding="utf-8")
    assert ">Panel 0</text>" in svg
    assert ">$uptake$</text>" in svg
    assert "<dc:date>" not in svg


def test_a_users_own_matplotlib_settings_change_nothing(tmp_path):
    plain = style.save_panels(draw_line, 1, tmp_path / "a", "figure").svg.read_bytes()
    with matplotlib.rc_context({"axes.grid": True, "font.size": 30, "svg.fonttype": "path"}):
        assert style.save_panels(draw_line, 1, tmp_path / "b", "figure").svg.read_bytes() == plain
        assert matplotlib.rcParams["font.size"] == 30


def test_panels_are_saved_side_by_side_and_one_below_the_other(tmp_path):
    saved = style.save_panels(draw_line, 3, tmp_path, "figure", panel=(3.0, 2.0))
    assert 'width="648pt" height="144pt"' in saved.svg.read_text(encoding="utf-8")
    assert 'width="216pt" height="432pt"' in saved.narrow.read_text(encoding="utf-8")
    assert saved.pdf.read_bytes().startswith(b"%PDF")


def test_one_panel_needs_no_second_layout(tmp_path):
    assert style.save_panels(draw_line, 1, tmp_path, "figure").narrow is None


@pytest.mark.parametrize("place", [{"x": 0.5, "y": 0.5}, {"x": 0.5}, {"y": 0.5}])
def test_a_reference_mark_says_whether_the_instrument_differs(place, tmp_path):
    texts = {}
    for different in (False, True):
        with style.look():
            ax = style.panels(1)[0]
            handle = style.reference_mark(ax, "Table 2", **place, different=different)
            style.legend(ax.figure, [handle, handle])
            ax.figure.savefig(tmp_path / "mark.svg")
        texts[different] = (tmp_path / "mark.svg").read_text(encoding="utf-8")
        assert texts[different].count(">Table 2</text>") == 1
        assert texts[different].count(">Published value") == 1
    assert "(different instrument)" in texts[True]
    assert "(different instrument)" not in texts[False]


def test_a_reference_mark_without_a_value_is_refused():
    with style.look(), pytest.raises(ValueError, match="needs x, y or both"):
        style.reference_mark(style.panels(1)[0], "nothing")


def spread(rows, tmp_path, **options):
    given = {"scale": (1, 5), "bins": 8, "title": "Scaffolding", "xlabel": "mean of a chat", **options}
    with style.look():
        ax = style.panels(1)[0]
        handles = distributions(ax, rows, **given)
        ax.figure.savefig(tmp_path / "spread.svg")
    return ax, handles, (tmp_path / "spread.svg").read_text(encoding="utf-8")


def test_a_distribution_has_a_row_for_each_data_set_with_its_size(tmp_path):
    _, _, svg = spread([Row("MathDial", [1.0, 2.0, 2.0]), Row("PATS", [5.0] * 1200)], tmp_path)
    for words in ("MathDial", "PATS", "n = 3", "n = 1,200"):
        assert f">{words}</text>" in svg


def test_heights_are_shares_so_that_rows_of_any_size_compare(tmp_path):
    ax, _, _ = spread([Row("small", [1.0, 5.0]), Row("large", [1.0] * 50 + [5.0] * 50)], tmp_path)
    small, large = [p.get_data() for p in ax.patches]
    assert (small.values - small.baseline).tolist() == pytest.approx((large.values - large.baseline).tolist())


def test_the_ends_of_the_scale_are_counted(tmp_path):
    ax, _, _ = spread([Row("ends", [1.0, 5.0])], tmp_path)
    values = ax.patches[0].get_data().values
    assert values[0] == values[-1] > 0


def test_a_row_without_values_says_so(tmp_path):
    _, handles, svg = spread([Row("empty", [])], tmp_path)
    assert "no values" in svg
    assert handles == []


def test_values_off_the_scale_are_refused_and_counted():
    with style.look(), pytest.raises(ValueError, match="PATS: 2 of 3 values lie off the scale"):
        distributions(
            style.panels(1)[0],
            [Row("PATS", [1.0, 6.0, float("nan")])],
            scale=(1, 5),
            bins=4,
            title="",
            xlabel="",
        )
