import warnings
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorscope.pictures import hexes, style
from tutorscope.pictures.hexes import Spot, Tiling

UPTAKE = Tiling(0.125, 0.29, origin=(0.0, 3.0))
NUMBER = st.floats(-50, 50, allow_nan=False)
POINTS = st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=60).map(np.array)
TILINGS = st.builds(Tiling, st.floats(0.05, 4), st.floats(0.05, 4), st.tuples(NUMBER, NUMBER))


def inside(polygon: np.ndarray, point: np.ndarray, slack: float) -> bool:
    """Say whether a point lies in a clockwise convex polygon, its edge included."""
    side = np.roll(polygon, -1, axis=0) - polygon
    to = point - polygon
    return bool((side[:, 0] * to[:, 1] - side[:, 1] * to[:, 0] <= slack).all())


def test_the_origin_lies_in_the_middle_of_its_cell():
    assert hexes.cells_of(UPTAKE, [0.0], [3.0]).tolist() == [[0, 0]]
    assert hexes.centres(UPTAKE, [[0, 0]]).tolist() == [[0.0, 3.0]]


def test_neighbours_are_half_a_width_and_three_quarters_of_a_height_away():
    assert hexes.centres(UPTAKE, [[2, 0], [1, 1], [-1, -1]]) == pytest.approx(
        np.array([[0.125, 3.0], [0.0625, 3.2175], [-0.0625, 2.7825]])
    )


def test_a_cell_is_as_wide_and_high_as_it_was_asked():
    corners = hexes.polygons(UPTAKE, [[4, 2]])[0]
    assert np.ptp(corners, axis=0) == pytest.approx([0.125, 0.29])


def test_known_points_fall_into_known_cells():
    tiling = Tiling(2.0, 4.0)
    x = [0.9, 1.1, 0.0, 0.0, 0.9, -0.9]
    y = [0.0, 0.0, 1.9, 2.1, 1.7, -1.7]
    # The point (0, 2) is the top of cell (0, 0): just above it two cells of the next row meet.
    assert hexes.cells_of(tiling, x, y).tolist() == [[0, 0], [2, 0], [0, 0], [1, 1], [1, 1], [-1, -1]]


def test_a_point_on_an_upright_edge_goes_to_the_right_cell():
    assert hexes.cells_of(Tiling(2.0, 4.0), [1.0, -1.0], [0.0, 0.0]).tolist() == [[2, 0], [0, 0]]


def test_a_point_on_a_slanted_edge_goes_to_the_even_row():
    # (0.5, 1.5) is the middle of the edge between (0, 0) and (1, 1).
    assert hexes.cells_of(Tiling(2.0, 4.0), [0.5], [1.5]).tolist() == [[0, 0]]


@given(TILINGS, POINTS)
def test_each_point_lies_in_the_polygon_of_its_cell(tiling, points):
    cells = hexes.cells_of(tiling, points[:, 0], points[:, 1])
    size = tiling.width * tiling.height
    for polygon, point in zip(hexes.polygons(tiling, cells), points, strict=True):
        assert inside(polygon, point, 1e-9 * max(1.0, size))


@given(TILINGS, POINTS)
def test_no_other_cell_holds_a_point_deeper(tiling, points):
    cells = hexes.cells_of(tiling, points[:, 0], points[:, 1])
    around = np.array([[2, 0], [-2, 0], [1, 1], [-1, 1], [1, -1], [-1, -1]])
    # In the shape where the cell is a regular hexagon, the nearest centre is its own.
    scale = np.array([np.sqrt(3) / tiling.width, 2 / tiling.height])
    own = np.linalg.norm((points - hexes.centres(tiling, cells)) * scale, axis=1)
    for step in around:
        other = np.linalg.norm((points - hexes.centres(tiling, cells + step)) * scale, axis=1)
        assert (own <= other + 1e-9).all()


@given(TILINGS, POINTS)
def test_counts_sum_to_the_number_of_points(tiling, points):
    found, counts = hexes.count(hexes.cells_of(tiling, points[:, 0], points[:, 1]))
    assert counts.sum() == len(points)
    assert (counts > 0).all()
    assert len({tuple(cell) for cell in found.tolist()}) == len(found)


@given(TILINGS, st.lists(st.tuples(st.integers(-40, 40), st.integers(-40, 40)), unique=True, min_size=2, max_size=40))
def test_cells_have_names_of_their_own(tiling, grid):
    cells = [(2 * column + row % 2, row) for column, row in grid]
    assert len({hexes.name(tiling, cell) for cell in cells}) == len(cells)


def test_a_cell_is_named_by_its_centre():
    assert hexes.name(UPTAKE, (4, 0)) == "(0.25, 3.0)"
    assert hexes.name(UPTAKE, (-1, 1)) == "(-0.06, 3.2)"
    assert hexes.name(Tiling(0.125, 0.29), (0, 0)) == "(0.00, 0.0)"


def test_the_matplotlib_hexbin_of_the_same_lattice_has_the_same_counts():
    random = np.random.default_rng(5)
    x, y = random.uniform(-1, 1, 800), random.uniform(0, 4, 800)
    from matplotlib.figure import Figure

    # Its lattice begins in the corner of the extent: 10 cells across, rows such that a cell is as ours.
    drawn = Figure().add_subplot().hexbin(x, y, gridsize=(10, 4), extent=(-1, 1, 0, 4), mincnt=1)
    shape = drawn.get_paths()[0].vertices
    tiling = Tiling(*np.ptp(shape, axis=0), origin=tuple(drawn.get_offsets()[0]))
    found, counts = hexes.count(hexes.cells_of(tiling, x, y))
    ours = rounded(hexes.centres(tiling, found), counts)
    assert ours == rounded(drawn.get_offsets(), drawn.get_array())


def rounded(centres, counts) -> dict:
    return {
        (round(float(x), 6) + 0.0, round(float(y), 6) + 0.0): int(n) for (x, y), n in zip(centres, counts, strict=True)
    }


def test_a_million_points_are_binned():
    random = np.random.default_rng(0)
    x, y = random.uniform(-1, 1, 1_000_000), random.uniform(1, 5, 1_000_000)
    assert hexes.count(hexes.cells_of(UPTAKE, x, y))[1].sum() == 1_000_000


def test_points_that_are_no_numbers_are_refused_and_counted():
    with pytest.raises(ValueError, match="2 of 3 points are not finite"):
        hexes.cells_of(UPTAKE, [0.0, np.nan, 1.0], [1.0, 1.0, np.inf])


def test_a_cell_without_area_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        Tiling(0.0, 1.0)


@given(st.text(st.characters(codec=None)), st.text())
def test_the_link_of_a_cell_gives_group_and_cell_back(group, cell):
    from tutorscope.pictures.labels import visible

    address = hexes.pick(group, cell)
    assert address.isascii()
    assert address.startswith("#pick=")
    first, second = address.removeprefix("#pick=").split("/")
    assert (unquote(first), unquote(second)) == (visible(group), visible(cell))


@pytest.fixture
def drawn(tmp_path):
    def draw(x, y, group="A", **options):
        labels = {"xlabel": "Student uptake", "ylabel": "Chatbot scaffolding"}
        with style.look():
            ax = style.panels(1)[0]
            handles = hexes.plane(ax, x, y, UPTAKE, group=group, xlim=(-1, 1), ylim=(1, 5), **labels, **options)
            style.legend(ax.figure, handles)
            ax.figure.savefig(tmp_path / "plane.svg")
            return (tmp_path / "plane.svg").read_text(encoding="utf-8")

    return draw


def test_each_cell_that_holds_points_links_to_its_transcripts(drawn):
    svg = drawn([0.0, 0.0, 0.5], [3.0, 3.0, 4.0], group="with scaffolding / 2")
    assert svg.count("#pick=with%20scaffolding%20%2F%202/") == 2
    assert "#pick=with%20scaffolding%20%2F%202/%280.00%2C%203.0%29" in svg


def test_a_single_cell_is_a_link_too(drawn):
    assert drawn([0.0], [3.0]).count("#pick=A/") == 1


def test_a_plane_says_how_many_it_counts_and_what(drawn):
    svg = drawn(np.zeros(12), np.full(12, 3.0))
    assert "12 chats" in svg
    assert "chats in a cell" in svg
    assert ">9–16<" in svg


def test_an_empty_plane_says_so(drawn):
    svg = drawn([], [])
    assert "no chats" in svg
    assert "#pick" not in svg


def test_published_means_are_named_and_told_apart_from_the_runs_own(drawn):
    spots = [Spot("MathDial", 0.75, 3.7, different=True), Spot("CoMTA", 0.68, 4.05)]
    svg = drawn([0.0], [3.0], means=[Spot("", 0.0, 3.0)], published=spots)
    for words in ("MathDial", "CoMTA", "Mean of this run", "Published value", "Published value (different instrument)"):
        assert f">{words}</text>" in svg


def test_names_of_marks_that_lie_together_do_not_overlap():
    heights = [3.70, 3.71, 3.72, 1.0]
    placed = hexes._spread(heights, (1, 5))
    assert (np.diff(sorted(placed)) >= 0.062 * 4 - 1e-9).all()
    assert np.argsort(placed).tolist() == np.argsort(heights).tolist()


def test_a_hostile_group_name_is_text_in_the_picture(drawn):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = drawn([0.0], [3.0], group="<script>$x_1$</script>\x1b\u202e😀\ud800")
    assert "<script" not in svg
    assert "&lt;script&gt;$x_1$&lt;/script&gt;⟨U+001B⟩" in svg
