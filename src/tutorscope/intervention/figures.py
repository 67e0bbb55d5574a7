"""From numbers to pictures: how often and when tutors step in, whether it helps, and the next problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutorscope.intervention.frames import ALL
from tutorscope.intervention.published import published_behaviour, published_people, published_value
from tutorscope.intervention.shown import CONDITIONS, HOWS, Row, Shown, domain_name, domains, known, several
from tutorscope.pictures import intervals
from tutorscope.pictures.blocks import Figure
from tutorscope.pictures.intervals import Dot
from tutorscope.pictures.labels import label
from tutorscope.pictures.style import COLOURS, INK, MUTED, legend, reference_mark, save_panels
from tutorscope.texts.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REFERENCES = (
    "Crossed rings are the paper's values, which come from a different instrument: of the tutor of that name, else the "
    "mean of its four tutors."
)
_NOT_KNOWN = ("episode", "not known")
_NO_VERDICT = ("attempt", "no verdict")
_NO_VERDICTS = ("intervention", "no verdict before and after")
_WIDTH = 3.6
_BAR = 0.62  # the share of a row that a bar takes
_HARMFUL, _IDLE, _HELPFUL = COLOURS[1], "#e3e6ea", COLOURS[2]


@dataclass(frozen=True)
class Panel:
    """One panel: its title, axis and rows."""

    title: str
    xlabel: str
    rows: Sequence[intervals.Row]
    options: Mapping[str, Any]


def frequency(shown: Shown) -> Figure | None:
    """Draw how often each tutor steps in, by domain and condition.

    Source: intervention game, Figure 2A.
    """
    return _by_tutor(shown, "frequency", "phi", "share of episodes", "How often tutors step in.")


def frequency_when_right(shown: Shown) -> Figure | None:
    """Draw how often each tutor steps in where the student alone would have been right.

    Source: intervention game, Figure 9.
    """
    says = "How often tutors step in although the student's answer alone was right."
    return _by_tutor(shown, "frequency-when-right", "phi_correct", "share of such episodes", says)


def timing(shown: Shown) -> Figure | None:
    """Draw how much of the trace was there when tutors stepped in.

    Source: intervention game, Figure 10.
    """
    says = "How much of the student's reasoning had been written where tutors stepped in."
    return _by_tutor(shown, "timing", "tau_rel", "share of the trace", says)


def timing_in_characters(shown: Shown) -> Figure | None:
    """Draw the same in characters.

    Source: intervention game, Figure 2B.
    """
    says = "The same in characters; traces differ in length."
    return _by_tutor(shown, "timing-characters", "tau_abs", "characters revealed", says, share=False)


def help_shares(shown: Shown) -> Figure | None:
    """Draw the shares of helpful, idle and harmful interventions by way of going on and domain, over all tutors.

    Source: intervention game, Figure 3.
    """
    found = [row for row in _help_rows(shown) if row["tutor"] == ALL]
    hows = [how for how in HOWS if any(row["how"] == how for row in found)]
    if not hows:
        return None
    parts = []
    for how in hows:
        own = [row for row in found if row["how"] == how]
        parts.append(
            [row for domain in domains(own, pooled=True) for row in own if row["domain"] == domain and _adds(row, own)]
        )
    tall = 1.15 + 0.5 * max(map(len, parts))

    def draw(axes: Sequence[Axes]) -> None:
        handles: list[Any] = []
        for ax, how, rows in zip(axes, hows, parts, strict=True):
            handles += _stacked(ax, shown, rows, HOWS[how])
        legend(axes[0].get_figure(root=True), handles)  # type: ignore[arg-type]

    saved = save_panels(draw, len(hows), shown.folder, "help-shares", columns=3, panel=(_WIDTH, tall))
    without = sum(row["missing"] for row in found if row["domain"] == ALL)
    marked = any(_ends(row) for rows in parts for row in rows)
    references = (
        "Crossed rings stand where the paper has the ends of the helpful and the harmful share: a different instrument."
    )
    caption = (
        "What became of the answer after an intervention: from wrong to right (helpful), from right to wrong "
        "(harmful), or neither; over all tutors. n counts interventions with a verdict before and after; "
        f"{without:,} without both are left out. {references if marked else ''}"
    )
    said = "; ".join(
        f"{HOWS[how]}: {', '.join(_shares_words(row) for row in rows)}" for how, rows in zip(hows, parts, strict=True)
    )
    return Figure(
        "help-shares",
        f"{caption.strip()}{shown.main_said()}",
        f"Stacked bars of shares. {said}.",
        saved.svg,
        saved.narrow,
    )


def net_help(shown: Shown) -> Figure | None:
    """Draw the net gain in right answers by tutor and way of going on, over all domains."""
    found = [row for row in several(_help_rows(shown)) if row["domain"] == ALL]
    rows = _rows(shown, found, "how", HOWS, "h", _published_h)
    panel = Panel("Net gain in right answers", "helpful less harmful share, H", rows, {"zero": True})
    caption = (
        "Net gain of interventions over all domains: the share of answers that they turned right less the share that "
        f"they turned wrong. Bars are 95 % bootstrap intervals. {_missing_words(found, _NO_VERDICTS)}"
        f"{shown.main_said()}"
    )
    references = "Crossed rings are the paper's values over its four tutors and three domains: a different instrument."
    return _figure(shown, "net-help", [panel], HOWS, caption, references)


def next_problem(shown: Shown) -> Figure | None:
    """Draw accuracy on the next problem by context, and the gain against no context.

    Source: intervention game, Figure 4.
    """
    found = shown.rows("transfer", tutor=ALL)
    several_sets = len({row["set"] for row in found}) > 1
    contexts = {"none": "No context", "problem": "Problem", "intervention": "Intervention"}
    panels = []
    for value, title, xlabel, ends in (
        ("accuracy", "Right on the next problem", "share right", ("accuracy_low", "accuracy_high")),
        ("g", "Gain over no context", "G", ("low", "high")),
    ):
        rows = []
        for domain in domains(found, pooled=True):
            own = [row for row in found if row["domain"] == domain and (value != "g" or row["context"] != "none")]
            for whose in dict.fromkeys(_whose(row) for row in own):
                held = [row for row in own if _whose(row) == whose and known(row[value])]
                dots = [
                    Dot(
                        contexts[row["context"]],
                        row[value],
                        row[ends[0]],
                        row[ends[1]],
                        published=_published_g(row) if value == "g" else None,
                        different=True,
                    )
                    for row in held
                ]
                if dots:
                    of = [held[0]["set"] if several_sets else "", "people" if held[0]["people"] else ""]
                    said = ", ".join(filter(None, of))
                    name = f"{domain_name(domain)} ({said})" if said else domain_name(domain)
                    rows.append(intervals.Row(name, dots, shown.note(held[0], *(row["n"] for row in held))))
        options = {"zero": True} if value == "g" else {"scale": (0, 1), "shape": "share"}
        panels.append(Panel(title, xlabel, rows, options))
    caption = (
        "Left, how often the student solves a new problem that needs the same skill: with nothing before it, after its "
        "own attempt alone at the first problem, or after the assisted one. Right, the difference to no context on the "
        f"same pairs, as a mean over tutors. {_missing_words(found, _NO_VERDICT)}"
    )
    references = "Crossed rings are the paper's values: a different instrument."
    return _figure(shown, "next-problem", panels, contexts, caption, references)


def _by_tutor(shown: Shown, name: str, measure: str, xlabel: str, says: str, *, share: bool = True) -> Figure | None:
    rows = [row for row in shown.rows("behaviour", measure=measure) if shown.is_main(row)]
    found = [row for row in rows if row["tutor"] != ALL]
    panels = []
    for domain in domains(found):
        laid = _rows(
            shown, [row for row in found if row["domain"] == domain], "condition", CONDITIONS, "value", _published
        )
        dots = [dot for line in laid for dot in line.dots]
        # Characters have no end of their own: the axis begins at none and ends behind the last bar.
        end = max(
            (value for dot in dots for value in (dot.high, dot.value, dot.published) if value is not None), default=1
        )
        shape = {"scale": (0, 1), "shape": "share"} if share else {"scale": (0, end)}
        panels.append(Panel(domain_name(domain), xlabel, laid, {**shape, "absent": "none"}))
    caption = f"{says} Bars are 95 % bootstrap intervals. {_missing_words(found, _NOT_KNOWN)}{shown.main_said()}"
    return _figure(shown, name, panels, CONDITIONS, caption, _REFERENCES)


def _rows(
    shown: Shown,
    found: Sequence[Row],
    by: str,
    series: Mapping[str, str],
    value: str,
    published: Callable[[Row], float | None],
) -> list[intervals.Row]:
    """Make a row for each tutor, with a dot for each condition or way."""
    laid = []
    for who in dict.fromkeys(_whose(row) for row in found):
        own = {row[by]: row for row in found if _whose(row) == who}
        held = [own[key] for key in series if key in own]
        dots = [
            Dot(
                series[row[by]],
                row[value] if row["n"] else None,
                row["low"],
                row["high"],
                published=published(row),
                different=True,
            )
            for row in held
        ]
        laid.append(intervals.Row(shown.tutor(held[0]), dots, shown.note(held[0], *(row["n"] for row in held))))
    return laid


def _whose(row: Row) -> tuple[Any, ...]:
    return row["run"], row["student"], row["people"], row["tutor"], row.get("set", "")


def _published(row: Row) -> float | None:
    if row["people"]:
        return published_people("people", row["condition"], row["measure"]) if row["domain"] == "teasers" else None
    return published_behaviour(row["tutor"], row["domain"], row["condition"], row["measure"])


def _published_h(row: Row) -> float | None:
    if row["people"] or row["tutor"] != ALL:
        return None
    return published_value("h", tutor=ALL, domain=row["domain"], how=row["how"])


def _published_g(row: Row) -> float | None:
    return published_value("g", tutor=ALL, context=row["context"], domain=row["domain"])


def _help_rows(shown: Shown) -> list[Row]:
    return [row for row in shown.rows("helpfulness") if shown.is_main(row) and row["n"]]


def _adds(row: Row, rows: Sequence[Row]) -> bool:
    """Whether a row over all domains says more than that of the only one."""
    own = [other for other in rows if all(other[name] == row[name] for name in ("run", "student", "judge", "people"))]
    return bool(row["domain"] != ALL or len(own) != 2)


def _stacked(ax: Axes, shown: Shown, rows: Sequence[Row], title: str) -> list[Any]:
    from matplotlib.patches import Patch
    from matplotlib.ticker import PercentFormatter

    handles: list[Any] = []
    names = []
    for place, row in enumerate(rows):
        y, at = float(len(rows) - 1 - place), 0.0
        for share, colour, ink in (
            (row["harmful"], _HARMFUL, "white"),
            (row["no_change"], _IDLE, INK),
            (row["helpful"], _HELPFUL, "white"),
        ):
            ax.barh(y, share, _BAR, left=at, color=colour, lw=0, zorder=3)
            # A narrow part has no room for its number.
            if share >= 0.1:
                ax.text(
                    at + share / 2, y, f"{100 * share:.0f} %", ha="center", va="center", fontsize=8, color=ink, zorder=8
                )
            at += share
        handles += [reference_mark(ax, x=end, y=y, different=True) for end in _ends(row)]
        names.append(f"{domain_name(row['domain'])}{' (people)' if row['people'] else ''}")
        # A text of its own under the name: two lines in one would be set apart by another font's widths.
        ax.annotate(
            label(shown.note(row, row["n"]), 34),
            (0, y),
            xytext=(-3.5, -1.5),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=7.5,
            color=MUTED,
        )
    ax.set_yticks([float(len(rows) - 1 - place) for place in range(len(rows))], names, fontsize=8, va="bottom")
    # A ring at either end needs room.
    ax.set_xlim(-0.03, 1.03)
    ax.set_ylim(-0.55, len(rows) - 0.45)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.set_title(title)
    ax.set_xlabel("share of interventions")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    keys = [
        Patch(color=colour, label=says)
        for colour, says in ((_HARMFUL, "Harmful"), (_IDLE, "No change"), (_HELPFUL, "Helpful"))
    ]
    return [*keys, *handles]


def _ends(row: Row) -> list[float]:
    """Give where the paper has the ends of the harmful and the helpful share."""
    if row["people"]:
        return []
    of = {"tutor": ALL, "domain": row["domain"], "how": row["how"]}
    harmful, helpful = published_value("harmful", **of), published_value("helpful", **of)
    return [end for end in (harmful, None if helpful is None else 1 - helpful) if end is not None]


def _shares_words(row: Row) -> str:
    return (
        f"{domain_name(row['domain'])} helpful {100 * row['helpful']:.0f} %, no change {100 * row['no_change']:.0f} %, "
        f"harmful {100 * row['harmful']:.0f} %"
    )


def _missing_words(found: Sequence[Row], what: tuple[str, str]) -> str:
    """Count what is missing over the single tutors; where there is only a pooled row, over that."""
    single = [row for row in found if row["tutor"] != ALL] or found
    several_domains = [row for row in single if row["domain"] == ALL]
    without = sum(row["missing"] for row in several_domains or single)
    one, why = what
    return f"{counted(without, one)} {'is' if without == 1 else 'are'} left out ({why})." if without else ""


def _figure(
    shown: Shown,
    name: str,
    panels: Sequence[Panel],
    series: Mapping[str, str],
    caption: str,
    references: str,
) -> Figure | None:
    """Draw panels of rows; nothing where no row has a value."""
    drawn = [panel for panel in panels if any(dot.value is not None for row in panel.rows for dot in row.dots)]
    if not drawn:
        return None
    dots = [dot for panel in drawn for row in panel.rows for dot in row.dots]
    held = [one for one in series.values() if any(dot.series == one for dot in dots)]
    # Under one panel the legend takes a line for each of its entries.
    alone = len(drawn) == 1
    tall = max(intervals.height(panel.rows, held) for panel in drawn) + (0.2 * len(held) if alone else 0)

    def draw(axes: Sequence[Axes]) -> None:
        handles: list[Any] = []
        for ax, panel in zip(axes, drawn, strict=True):
            handles += intervals.intervals(
                ax, panel.rows, held, title=panel.title, xlabel=panel.xlabel, **panel.options
            )
        legend(axes[0].get_figure(root=True), handles)  # type: ignore[arg-type]

    saved = save_panels(draw, len(drawn), shown.folder, name, columns=3, panel=(4.5 if alone else _WIDTH, tall))
    # One series needs no legend: the caption says which it is.
    single = f"All marks: {held[0]}." if len(held) == 1 else ""
    marked = references if any(dot.published is not None for dot in dots) else ""
    said = "; ".join(f"{panel.title}: {', '.join(map(_row_words, panel.rows))}" for panel in drawn)
    told = " ".join(f"{caption} {single} {marked}".split())
    return Figure(name, told, f"Dots with intervals in rows. {said}.", saved.svg, saved.narrow)


def _row_words(row: intervals.Row) -> str:
    values = ", ".join(f"{dot.series} {dot.value:.3g}" for dot in row.dots if dot.value is not None)
    return f"{row.name} {values or 'no value'}"
