"""People and models in one picture: how often they step in, and when on each problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from tutorscope.intervention.frames import ALL, plain_rows, validated
from tutorscope.intervention.published import published_people
from tutorscope.intervention.shown import CONDITIONS, Row, Shown, known
from tutorscope.pictures.blocks import Figure
from tutorscope.pictures.intervals import Dot, height, intervals
from tutorscope.pictures.intervals import Row as Line
from tutorscope.pictures.labels import label
from tutorscope.pictures.style import COLOURS, MUTED, RULE, legend, save_panels
from tutorscope.texts.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RIGHT, _WRONG, _UNKNOWN = COLOURS[2], COLOURS[1], MUTED
_VERDICTS = {
    True: ("Alone right", _RIGHT, "o"),
    False: ("Alone wrong", _WRONG, "s"),
    None: ("No verdict", _UNKNOWN, "D"),
}
_WHO = {True: ("People", COLOURS[0], "s", COLOURS[0]), False: ("Models", COLOURS[1], "o", "white")}
_MOST = 40
"""The most problems in one picture; more go into further ones, and models alone are drawn only up to so many."""


def people_and_models(shown: Shown) -> Figure | None:
    """Draw how often people and models step in, and when, problem by problem.

    Source: intervention game, Figure 5.
    """
    found = [row for row in shown.rows("people_models", domain=ALL, measure="phi") if _main(shown, row)]
    if not found:
        return None
    lines = _frequencies(shown, found)
    timed = _timings(shown)
    scatters = [
        (left, right, title, axis)
        for left, right, title, axis in (
            ((False, "standard"), (True, "standard"), "When, watching", ("models", "people")),
            ((True, "standard"), (True, "oracle"), "When, people", ("Standard", "Oracle")),
        )
        if timed.get(left) and set(timed[left]) & set(timed.get(right, ()))
    ]
    series = [CONDITIONS[name] for name in CONDITIONS if any(row["condition"] == name for row in found)]
    tall = max(height(lines, series), 3.4)

    def draw(axes: Sequence[Axes]) -> None:
        handles = intervals(
            axes[0], lines, series, title="How often", xlabel="share of episodes", scale=(0, 1), shape="share"
        )
        for ax, (left, right, title, axis) in zip(axes[1:], scatters, strict=True):
            handles += _scatter(ax, timed[left], timed[right], title, axis)
        legend(axes[0].get_figure(root=True), handles)  # type: ignore[arg-type]

    saved = save_panels(draw, 1 + len(scatters), shown.folder, "people-and-models", columns=3, panel=(3.6, tall))
    problems = max(row["problems"] for row in found)
    caption = (
        f"People and models on the {counted(problems, 'problem')} that both had. Left: share of episodes with an "
        "intervention; bars are 95 % bootstrap intervals, crossed rings the paper's values on its thirty teasers, a "
        "different instrument. The other panels: mean share of the trace that was there at the intervention, a mark a "
        f"problem; on the line both are the same.{shown.main_said()}"
    )
    said = ", ".join(
        f"{line.name} {', '.join(f'{dot.series} {dot.value:.2f}' for dot in line.dots if known(dot.value))}"
        for line in lines
    )
    return Figure(
        "people-and-models", caption, f"Share of episodes with an intervention: {said}.", saved.svg, saved.narrow
    )


def problem_timing(shown: Shown, tables: Mapping[str, pd.DataFrame]) -> list[Figure]:
    """Draw when interventions came on each problem, every episode a dot and means above them.

    Source: intervention game, Figures 11 and 12.
    """
    rows = [row for row in shown.rows("per_problem") if shown.is_main(row)]
    by_people = {_place(row) for row in rows if row["people"]}
    timed = dict.fromkeys(_place(row) for row in rows if row["placed"])
    places = [place for place in timed if not by_people or place in by_people]
    if not places or (not by_people and len(places) > _MOST):
        return []
    held: Held = {(row["condition"], _place(row), row["people"]): row for row in rows}
    places.sort(key=lambda place: _order(place, held))
    dots = _dots(shown, tables)
    starts = range(0, len(places), _MOST)
    return [_strips(shown, places[start : start + _MOST], held, dots, start // _MOST) for start in starts]


Place = tuple[str, str, str, str]
Held = Mapping[tuple[str, Place, bool], Row]
"""By condition, problem, and whether it is of people."""
Dots = Mapping[tuple[str, Place, bool], Sequence[float]]


def _place(row: Row) -> Place:
    return row["run"], row["student"], row["domain"], row["problem"]


def _main(shown: Shown, row: Row) -> bool:
    return shown.is_main({**row, "people": False})


def _frequencies(shown: Shown, found: Sequence[Row]) -> list[Line]:
    lines = []
    for name in dict.fromkeys((row["people"], shown.view(row)) for row in found):
        own = [row for row in found if (row["people"], shown.view(row)) == name]
        dots = [
            Dot(
                CONDITIONS[row["condition"]],
                row["value"] if row["n"] else None,
                row["low"],
                row["high"],
                published=published_people("people" if row["people"] else "models", row["condition"], "phi"),
                different=True,
            )
            for row in own
        ]
        who = _WHO[name[0]][0]
        lines.append(Line(who, dots, shown.note(own[0], *(row["n"] for row in own))))
    return lines


def _timings(shown: Shown) -> dict[tuple[bool, str], dict[Place, Row]]:
    found: dict[tuple[bool, str], dict[Place, Row]] = {}
    for row in shown.rows("per_problem"):
        if row["placed"] and shown.is_main(row):
            found.setdefault((row["people"], row["condition"]), {})[_place(row)] = row
    return found


def _scatter(
    ax: Axes, left: Mapping[Place, Row], right: Mapping[Place, Row], title: str, axis: tuple[str, str]
) -> list[Any]:
    handles: list[Any] = []
    ax.plot([0, 1], [0, 1], color=RULE, lw=1, zorder=1)
    for verdict, (says, colour, marker) in _VERDICTS.items():
        places = [place for place in left if place in right and left[place]["correct"] is verdict]
        if places:
            handles += ax.plot(
                [left[place]["tau_rel"] for place in places],
                [right[place]["tau_rel"] for place in places],
                ls="none",
                marker=marker,
                ms=6,
                mfc=colour,
                mec="white",
                mew=0.6,
                alpha=0.85,
                label=f"{says} (a problem)",
                zorder=5,
            )
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.03, 1.03)
    ax.set_box_aspect(1)
    ax.set_title(title)
    ax.set_xlabel(f"share of the trace, {axis[0]}")
    ax.set_ylabel(f"share of the trace, {axis[1]}")
    return handles


def _order(place: Place, held: Held) -> tuple[int, float, Place]:
    """Right answers first; within them by when models stepped in while watching, or whoever did first."""
    timing = next((row["tau_rel"] for row in _rows_of(place, held) if known(row["tau_rel"])), 1.0)
    return list(_VERDICTS).index(_verdict(place, held)), timing, place


def _verdict(place: Place, held: Held) -> bool | None:
    """Give the verdict on a problem's baseline answer."""
    return next((row["correct"] for row in _rows_of(place, held) if row["correct"] is not None), None)


def _rows_of(place: Place, held: Held) -> list[Row]:
    keys = [(condition, place, people) for condition in CONDITIONS for people in (False, True)]
    return [held[key] for key in keys if key in held]


def _dots(shown: Shown, tables: Mapping[str, pd.DataFrame]) -> Dots:
    found: dict[tuple[str, Place, bool], list[float]] = {}
    episodes = validated({"episodes": tables["episodes"]})["episodes"]
    for row in plain_rows(episodes[episodes["position"].notna()]):
        if shown.is_first(row) and shown.is_main(row) and row["intervened"] and row["tau_rel"] is not None:
            found.setdefault((row["condition"], _place(row), row["people"]), []).append(row["tau_rel"])
    return found


def _strips(shown: Shown, places: Sequence[Place], held: Held, dots: Dots, number: int) -> Figure:
    name = f"timing-by-problem-{number + 1}" if number else "timing-by-problem"
    verdicts = [_verdict(place, held) for place in places]
    lines: list[Place | bool | None] = []
    for verdict in dict.fromkeys(verdicts):
        lines += [verdict, *(place for place, of in zip(places, verdicts, strict=True) if of is verdict)]
    drawn = [one for one in CONDITIONS if any((one, place, who) in dots for place in places for who in _WHO)]

    def draw(axes: Sequence[Axes]) -> None:
        handles: list[Any] = []
        for ax, condition in zip(axes, drawn, strict=True):
            handles += _strip(ax, shown, lines, held, dots, condition)
        legend(axes[0].get_figure(root=True), handles)  # type: ignore[arg-type]

    saved = save_panels(draw, len(drawn), shown.folder, name, panel=(4.5, 1.2 + 0.25 * len(lines)))
    whose = [
        _WHO[who][0].lower() for who in _WHO if any((one, place, who) in dots for one in drawn for place in places)
    ]
    caption = (
        f"When {' and '.join(whose)} stepped in on {counted(len(places), 'problem')}: a dot is an episode, the larger "
        f"marks are means. Problems that the student solved alone come first.{shown.main_said()}"
    )
    said = (
        f"Timing of interventions on {len(places)} problems, a row each: {', '.join(CONDITIONS[one] for one in drawn)}."
    )
    return Figure(name, caption, said, saved.svg, saved.narrow)


def _strip(
    ax: Axes, shown: Shown, lines: Sequence[Place | bool | None], held: Held, dots: Dots, condition: str
) -> list[Any]:
    ticks = _from_top(lines)
    problems = [(y, line) for y, line in ticks if isinstance(line, tuple)]
    ax.hlines([y for y, _ in problems], 0, 1, color=RULE, lw=0.5, zorder=1)
    handles: list[Any] = []
    for people, (says, colour, marker, inside) in _WHO.items():
        lane = 0.18 if people else -0.18
        single = [(x, y + lane) for y, place in problems for x in dots.get((condition, place, people), ())]
        rows = [(y + lane, held.get((condition, place, people))) for y, place in problems]
        means = [(row["tau_rel"], y) for y, row in rows if row and row["placed"]]
        ax.plot(*_xy(single), ls="none", marker="o", ms=2.8, color=colour, alpha=0.5, mew=0, zorder=3)
        look: dict[str, Any] = {"marker": marker, "ms": 5.5, "mec": colour, "mfc": inside, "mew": 1.3}
        if means:
            handles += ax.plot(*_xy(means), ls="none", **look, label=says, zorder=6)
    names = [_title(shown, line, held) if isinstance(line, tuple) else _VERDICTS[line][0] for _, line in ticks]
    ax.set_yticks([y for y, _ in ticks], names, fontsize=7.5)
    for tick, (_, line) in zip(ax.get_yticklabels(), ticks, strict=True):
        tick.set_fontweight("normal" if isinstance(line, tuple) else "bold")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.6, len(lines) - 0.4)
    ax.set_title(f"{CONDITIONS[condition]} condition")
    ax.set_xlabel("share of the trace at the intervention")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return handles


def _from_top(lines: Sequence[Any]) -> list[tuple[float, Any]]:
    return [(float(len(lines) - 1 - at), line) for at, line in enumerate(lines)]


def _xy(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _title(shown: Shown, place: Place, held: Held) -> str:
    row = _rows_of(place, held)[0]
    of = shown.view(row)
    return label(f"{of}: {row['title']}" if of else str(row["title"]), 30)
