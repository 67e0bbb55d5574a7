"""From numbers to pictures: counterparts of the paper's figures, and what each policy gives away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutorscope.audit.pages.shown import PAIR, Shown, fits
from tutorscope.audit.pages.views import Key, known, short, view_key
from tutorscope.audit.published import JUDGES, published_judge, published_value
from tutorscope.pictures.blocks import Figure
from tutorscope.pictures.intervals import Dot, Row, height, intervals
from tutorscope.pictures.labels import label
from tutorscope.pictures.style import legend, save_panels
from tutorscope.texts.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PHASES = ("immediate", "interference", "delayed", "transfer")
_ALPHA = 0.05
_WIDTH, _WIDTH_ALONE = 3.9, 4.5  # the second is about what a phone shows without scrolling
_SERIES_MOST = 4
_NONE = "not estimable"
_REFERENCES = (
    "Rings are the paper's values: of the base with the same name, else of its primary base, Sonnet 4.6; crossed ones "
    "come from a different instrument."
)


@dataclass(frozen=True)
class Panel:
    """One panel: its title, axis and rows."""

    title: str
    xlabel: str
    rows: Sequence[Row]
    options: Mapping[str, Any]


def given_away(shown: Shown) -> list[Figure]:
    """Draw, for each policy, the share of turns that give the answer away, and that of the student's own work."""
    made = []
    for number, held in enumerate(_chunks(shown)):
        panels = []
        for measure, title, xlabel in (
            ("leakage", "Gives the answer away", "share of a session's tutor turns"),
            ("independence", "Student's own work", "share of a session's student turns"),
        ):
            rows = _policy_rows(shown, held, measure, _turn_note, _published_leakage)
            panels.append(Panel(title, xlabel, rows, {"scale": (0, 1), "shape": "share", "absent": "no turn"}))
        if any(dot.value is not None for panel in panels for row in panel.rows for dot in row.dots):
            caption = (
                "Means over sessions of the share of tutor turns that give the answer away (left) and of student "
                f"turns with own work (right), inside the answer phase, rule {shown.rule}; bars are 95\u00a0% "
                f"bootstrap intervals over sessions. {_sessions_words(shown, held)}"
            )
            made.append(_figure(shown, f"given-away{_slug(number)}", panels, _names(shown, held), caption))
    return made


def gaps(shown: Shown, pair: tuple[str, str]) -> Figure | None:
    """Draw each judge's gap between two policies, the first less the second, in helpfulness and in pedagogy.

    Source: policy-audit paper, Figure 2a.
    """
    judges: list[str] = []
    panels = []
    for measure in ("helpfulness", "pedagogy"):
        found = [
            row
            for row in shown.rows("contrasts", budget="full", measure=measure)
            if (row["first"], row["second"]) == pair and row["judge"]
        ]
        judges += [str(row["judge"]) for row in found]
        rows = []
        for key, part in _by(found, _VIEW_COLUMNS):
            dots = [_gap_dot(shown, row, judges, measure) for row in part]
            rows.append(Row(shown.base(key), dots, counted(max(row["n"] for row in part), "pair")))
        panels.append(
            Panel(measure.capitalize(), f"{label(pair[0], 18)} − {label(pair[1], 18)}, points", rows, {"zero": True})
        )
    names = list(dict.fromkeys(judges))
    if not names:
        return None
    caption = (
        f"Mean gap between {pair[0]} and {pair[1]}, paired by replicate, as each judge rates them (1 to 5); right of "
        "zero the first is rated higher. Bars are 95\u00a0% bootstrap intervals; pale where the signed-rank test does "
        f"not find the gap (p above 0.05)."
    )
    slug = "" if pair == PAIR else "-" + re.sub(r"[^a-z0-9]+", "-", "-".join(pair).casefold()).strip("-")[:40]
    return _figure(shown, f"gaps{slug}", panels, names, caption)


def ratings_by_policy(shown: Shown) -> list[Figure]:
    """Draw each policy's mean helpfulness (open) and pedagogy (filled), a panel a base and judge.

    Source: policy-audit paper, Figure 2b.
    """
    found = [row for row in shown.rows("policy_means", measure=("helpfulness", "pedagogy")) if row["n"]]
    panels = []
    for key, part in _by(found, (*_VIEW_COLUMNS, "judge")):
        rows = []
        for name, held in _by(part, ("policy",)):
            dots = [_rating_dot(shown, row) for row in held]
            rows.append(Row(str(name["policy"]), dots, counted(max(row["n"] for row in held), "session")))
        of = shown.base(key)
        title = f"{of}, judge {key['judge']}" if of else f"Judge {key['judge']}"
        panels.append(Panel(title, "mean rating, 1 to 5", rows, {"scale": (1, 5)}))
    if not panels:
        return []
    caption = (
        "Mean rating of each policy's turns, over sessions, by rubric; bars are 95\u00a0% bootstrap intervals. "
        f"{_left_out(found)} Ratings that could not be read are in no mean."
    )
    return [_figure(shown, "ratings", panels, ("pedagogy", "helpfulness"), caption)]


def coupling(shown: Shown) -> Figure | None:
    """Draw what a turn that gives the answer away goes with: the student's work in the next turn, by base.

    Source: policy-audit paper, Figure 3a.
    """
    found = [row for row in fits(shown) if row["outcome"] == "next_independent" and row["n"]]
    several = len({(row["first"], row["second"]) for row in found}) > 1
    rows = []
    for key, part in _by(found, (*_VIEW_COLUMNS, "first", "second")):
        pair = (key["first"], key["second"])
        first = [row for row in part if row["judge"] == part[0]["judge"]]
        dots = [
            Dot(
                _SPECS[row["spec"]],
                row["beta_leak"],
                row["low_leak"],
                row["high_leak"],
                faded=row["beta_leak"] is not None and not _finds(row["p_leak"]),
                published=_published_slope(shown, row) if pair == PAIR else None,
                different=shown.differs(row),
            )
            for row in first
        ]
        of = f"{label(pair[0], 18)}, {label(pair[1], 18)}" if several else ""
        name = ": ".join(filter(None, [shown.base(key), of]))
        rows.append(Row(name, dots, f"{counted(first[0]['n'], 'turn')}, {first[0]['n_leaky']} leaky"))
    if not rows:
        return None
    panel = Panel("After a leak", _NEXT, rows, {"zero": True, "absent": _NONE})
    whose = "the two policies that are named" if several else " and ".join(pair)
    caption = (
        "How much less (or more) often the student's next turn holds own work after a turn that gives the answer away: "
        f"crossed mixed models over the turns of {whose}, pooled (filled) and adjusted for policy (open), with "
        "model-based 95\u00a0% intervals; pale where p is above 0.05. No judge has a part in this."
    )
    return _figure(shown, "coupling", [panel], tuple(_SPECS.values()), caption)


def _published_slope(shown: Shown, row: Mapping[str, Any]) -> float | None:
    return published_value("slope", base=shown.reference(row), outcome="next_independent", spec=row["spec"])


def coupling_by_policy(shown: Shown) -> Figure | None:
    """Draw the same within each policy: leaky less other turns of a session, over replicates.

    Source: policy-audit paper, Figure 3b.
    """
    found = shown.rows("coupling", budget="full", outcome="next_independent")
    panels = []
    for key, part in _by(found, _VIEW_COLUMNS):
        first = [row for row in part if row["judge"] == part[0]["judge"] and row["policies"] != "both"]
        rows = [
            Row(
                row["policies"],
                [
                    Dot(
                        "",
                        row["effect"],
                        row["low"],
                        row["high"],
                        faded=row["effect"] is not None and not _finds(row["p"]),
                    )
                ],
                f"{row['n_leaky']} leaky of {counted(row['n_leaky'] + row['n_other'], 'turn')}",
            )
            for row in first
            if row["n_leaky"] + row["n_other"]
        ]
        if rows:
            title = shown.base(key) or "Leaky less other turns"
            panels.append(Panel(title, _NEXT, rows, {"zero": True, "absent": _NONE}))
    if not panels:
        return None
    caption = (
        "Within each policy: share of next student turns with own work after leaky turns less that after others, taken "
        "within a replicate and averaged over those that have both; bars are 95\u00a0% bootstrap intervals over "
        "replicates; pale where the signed-rank test does not find it. "
        "Without a replicate of both kinds nothing can be said."
    )
    return _figure(shown, "coupling-by-policy", panels, ("",), caption)


def accuracy(shown: Shown) -> list[Figure]:
    """Draw the share of problems that the student solves alone, by phase and policy."""
    made = []
    for number, held in enumerate(_chunks(shown)):
        panels = []
        for phase in PHASES:
            rows = _policy_rows(shown, held, f"accuracy_{phase}", _probe_note)
            if any(dot.value is not None for row in rows for dot in row.dots):
                options = {"scale": (0, 1), "shape": "share", "absent": "no probe"}
                panels.append(Panel(phase.capitalize(), "share solved", rows, options))
        if panels:
            caption = (
                "Share of a session's problems that the student solved alone, after training under each policy; bars "
                "are 95\u00a0% bootstrap intervals over sessions. An answer that could not be read counts as not "
                "solved and is counted at the end. Interference problems ask for another method and are no outcome. "
                "The student keeps all worked examples in view, so this is no measure of lasting learning; in the "
                "paper it reached its ceiling (0.77 to 1.00)."
            )
            made.append(_figure(shown, f"accuracy{_slug(number)}", panels, _names(shown, held), caption))
    return made


_VIEW_COLUMNS = ("run", "student", "base")
_SPECS = {"pooled": "pooled", "adjusted": "adjusted for policy"}
_NEXT = "change in own work, next student turn"


def _chunks(shown: Shown) -> list[list[Key]]:
    """Take the views in parts that one panel can hold as series."""
    keys = list(shown.names)
    return [keys[at : at + _SERIES_MOST] for at in range(0, len(keys), _SERIES_MOST)]


def _names(shown: Shown, keys: Sequence[Key]) -> list[str]:
    return [short(shown.names[key]) for key in keys]


def _policy_rows(
    shown: Shown,
    keys: Sequence[Key],
    measure: str,
    note: Callable[[Mapping[str, Any]], str],
    published: Callable[[Shown, Mapping[str, Any]], float | None] = lambda shown, row: None,
) -> list[Row]:
    found = [row for row in shown.rows("policy_means", measure=measure) if view_key(row) in keys]
    # A policy that never has the measure, as the cold one has no tutor turn, gets no row.
    measured = {row["policy"] for row in found if row["n"]}
    rows = []
    for name, part in _by([row for row in found if row["policy"] in measured], ("policy",)):
        dots = [
            Dot(
                short(shown.names[view_key(row)]),
                row["mean"] if row["n"] else None,
                row["low"],
                row["high"],
                published=published(shown, row),
                different=shown.differs(row),
            )
            for row in part
        ]
        rows.append(Row(str(name["policy"]), dots, note(part[0]) if len(keys) == 1 else ""))
    return rows


def _turn_note(row: Mapping[str, Any]) -> str:
    return f"{row['numerator']:,} of {counted(row['denominator'], 'turn')}"


def _probe_note(row: Mapping[str, Any]) -> str:
    return f"{row['numerator']:,} of {row['denominator']:,}"


def _published_leakage(shown: Shown, row: Mapping[str, Any]) -> float | None:
    if row["measure"] != "leakage":
        return None
    return published_value("mean", base=shown.reference(row), measure="leakage", policy=str(row["policy"]))


def _gap_dot(shown: Shown, row: Mapping[str, Any], judges: Sequence[str], measure: str) -> Dot:
    judge = str(row["judge"])
    place = list(dict.fromkeys(judges)).index(judge)
    reference = None
    if (row["first"], row["second"]) == PAIR and place < len(JUDGES):
        beside = published_judge(judge) or JUDGES[place]
        reference = published_value("gap", base=shown.reference(row), judge=beside, measure=measure)
    value = row["mean_difference"]
    faded = value is not None and not _finds(row["p"])
    return Dot(judge, value, row["low"], row["high"], faded, reference, shown.differs(row, judge))


def _rating_dot(shown: Shown, row: Mapping[str, Any]) -> Dot:
    judge, measure = str(row["judge"]), str(row["measure"])
    reference = None
    if published_judge(judge) in (None, JUDGES[0]):
        reference = published_value(
            "mean", base=shown.reference(row), measure=measure, policy=str(row["policy"]), judge=JUDGES[0]
        )
    return Dot(measure, row["mean"], row["low"], row["high"], published=reference, different=shown.differs(row, judge))


def _finds(p: Any) -> bool:
    return known(p) and p < _ALPHA


def _by(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> list[tuple[dict[str, Any], list[Any]]]:
    """Group plain rows in the order of their first."""
    found: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in columns), []).append(row)
    return [(dict(zip(columns, key, strict=True)), part) for key, part in found.items()]


def _figure(
    shown: Shown,
    name: str,
    panels: Sequence[Panel],
    series: Sequence[str],
    caption: str,
    *,
    columns: int = 2,
) -> Figure:
    width = _WIDTH if len(panels) > 1 else _WIDTH_ALONE
    tall = max(height(panel.rows, series, legend=_legend_lines(panels, series, columns)) for panel in panels)

    def draw(axes: Sequence[Axes]) -> None:
        handles: list[Any] = []
        for ax, panel in zip(axes, panels, strict=True):
            handles += intervals(ax, panel.rows, series, title=panel.title, xlabel=panel.xlabel, **panel.options)
        legend(axes[0].get_figure(root=True), handles)  # type: ignore[arg-type]

    saved = save_panels(draw, len(panels), shown.folder, name, columns=columns, panel=(width, tall))
    said = "; ".join(f"{panel.title}: {', '.join(row.name for row in panel.rows)}" for panel in panels)
    if any(dot.published is not None for panel in panels for row in panel.rows for dot in row.dots):
        caption = f"{caption} {_REFERENCES}"
    return Figure(name, caption, f"Dots with intervals in rows. {said}.", saved.svg, saved.narrow)


def _legend_lines(panels: Sequence[Panel], series: Sequence[str], columns: int) -> int:
    """Count the lines that the legend takes of each panel: it stands below all, as wide as they are."""
    dots = [dot for panel in panels for row in panel.rows for dot in row.dots]
    entries = len(series) if len(series) > 1 else 0
    entries += any(dot.faded for dot in dots) + len({dot.different for dot in dots if dot.published is not None})
    beside = 1 if min(columns, len(panels)) == 1 else 3
    return -(-entries // beside)


def _sessions_words(shown: Shown, keys: Sequence[Key]) -> str:
    found = [row for row in shown.rows("policy_means", measure="leakage") if view_key(row) in keys]
    played = sum(row["n"] + row["missing"] for row in found if row["n"])
    without = sum(row["missing"] for row in found if row["n"])
    said = f"{counted(played, 'session')}"
    return f"{said}, {without:,} of them without a tutor turn in the answer phase." if without else f"{said}."


def _left_out(found: Sequence[Mapping[str, Any]]) -> str:
    without = sum(row["missing"] for row in found)
    return f"{counted(without, 'session')} without any usable rating of a rubric are left out." if without else ""


def _slug(number: int) -> str:
    return f"-{number + 1}" if number else ""
