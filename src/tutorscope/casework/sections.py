"""What the page says: headline, success, choices, references, diversity, rankings, replies, what was not read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tutorscope.casework.answering import OPEN, REFERENCE
from tutorscope.casework.figures import (
    View,
    diversity_figure,
    open_and_choice,
    overall,
    reference_figure,
    shown_views,
    success_figure,
)
from tutorscope.casework.published import (
    DIFFERENT_INSTRUMENT,
    published_accuracy,
    published_diversity,
    published_reference_effect,
    published_success,
)
from tutorscope.casework.tasks import MCQ
from tutorscope.casework.transcripts import reader
from tutorscope.casework.views import ALL, FORM_WORDS, HORIZON_WORDS, challenge_words, plain_rows, without_single
from tutorscope.pictures.blocks import Block, Figure, Prose, Section, Table
from tutorscope.texts.plain import strip_controls

Frames = Mapping[str, pd.DataFrame]

_SHARE, _ROUND = "{:.1%}", "{:.3f}"
_FORMATS = {
    **dict.fromkeys(
        ("success", "accuracy", "satisfaction", "published", "chance", "recovery", "top_4gram_share"), _SHARE
    ),
    **dict.fromkeys(("letter_baseline", "longest_baseline", "shortest_baseline", "same_option"), _SHARE),
    **dict.fromkeys(("picked_longest", "picked_shortest", "picked", "expected"), _SHARE),
    **dict.fromkeys(("all_right", "all_wrong", "same_distractor"), _SHARE),
    **dict.fromkeys(("diversity", "p"), _ROUND),
    **dict.fromkeys(("spearman", "published_spearman"), "{:+z.3f}"),
    **dict.fromkeys(("difference", "published_difference"), "{:+.1%}"),
}
_LABELS = {
    "interval": "95\u00a0%",
    "s_interval": "95\u00a0%",
    "satisfaction": "satis\u00adfaction",
    "negatives": "negative criteria",
    "n_satisfaction": "n\u00a0(s.)",
    "no_reply": "empty",
    "left_out": "left out",
    "unread": "not read",
    "letter_baseline": "best letter",
    "longest_baseline": "longest option",
    "shortest_baseline": "shortest option",
    "picked_longest": "picked the longest",
    "picked_shortest": "picked the shortest",
    "same_option": "same option in all orders",
    "all_right": "all right",
    "all_wrong": "all wrong",
    "n_all_wrong": "n all wrong",
    "same_distractor": "same wrong option, of all wrong",
    "n_grams": "n-grams of",
    "top_4gram_share": "replies that hold the top 4-gram",
    "recovery": "case recovered",
    "recovery_n": "n of recovery",
    "published": "published (different instrument)",
    "published_spearman": "published (different instrument)",
    "published_difference": "published mean (different instrument)",
    "proxy": "stand-ins among the references",
}

_SHORT: Mapping[str, Mapping[str, str]] = {
    "horizon": {**HORIZON_WORDS, ALL: "both"},
    "form": {"open": "open", "reference": "references", "mcq": "four options", "binary": "two options"},
}
"""Words for narrow columns."""


def headline(tables: Frames, numbers: Frames) -> list[str]:
    """Say the result in a sentence for each tutor, run and judge, then what is missing.

    Parameters
    ----------
    tables, numbers : mapping
        As `records.tables` and `measures.measures` give them.

    Returns
    -------
    list of str
        Safe for a terminal.
    """
    lines: list[str] = []
    chosen: set[tuple[str | None, str]] = set()
    for view in shown_views(numbers):
        for tutor in _tutors(view, numbers):
            # A judge has no part in choices: they are said once.
            parts = [*_open_words(view, numbers, tutor, OPEN), *_open_words(view, numbers, tutor, REFERENCE)]
            if (run := (view.key.get("run"), tutor)) not in chosen:
                parts += _choice_words(view, numbers, tutor)
                parts = parts or ["its replies are not judged yet"]
            chosen.add(run)
            lines += [f"{tutor}{view.said}: {'; '.join(parts)}"] if parts else []
    if not lines:
        return ["nothing was asked yet: name a tutor with --tutor"]
    return [strip_controls(line) for line in [*lines, *_missing(numbers["unread"])]]


def sections(tables: Frames, numbers: Frames, figures: Path, texts: str = "sample") -> list[Section]:
    """Make the sections of the page.

    Parameters
    ----------
    tables, numbers : mapping
        As for `headline`.
    figures : Path
        Where figures are saved.
    texts : {"none", "sample", "all"}
        How much of what was said the page will hold: it takes it out itself.
    """
    shown = shown_views(numbers)
    result: list[Block] = [Prose(line, "headline") for line in headline(tables, numbers)]
    result += [Prose(line, "warning") for line in _warnings(tables)]
    result.append(
        Prose(
            "A reply succeeds if it meets at least one criterion of its case: the criteria are different ways that are "
            "documented to have helped this student. Satisfaction is the share of them that it meets.",
            "note",
        )
    )
    made = [
        ("success", "Does the reply meet the case?", _success(shown, numbers, figures)),
        ("choices", "Can it tell what helps?", _choices(shown, numbers, figures)),
        ("references", "Do like cases help?", _references(shown, numbers, figures)),
        ("diversity", "Does it say the same to every student?", _diversity(shown, numbers, figures)),
        ("differences", "Tutors side by side", _differences(numbers)),
        ("rankings", "Do judges and releases rank tutors alike?", _rankings(numbers)),
        ("replies", "The replies, with the criteria they met and missed", _replies(tables, shown)),
        ("validation", "What people say of the material", _people(numbers)),
        ("unread", "What could not be read", _unread(tables, numbers)),
    ]
    held = [Section(anchor, title, list(blocks)) for anchor, title, blocks in made]
    return [Section("result", "Result", result), *(one for one in held if one.blocks)]


def _tutors(view: View, numbers: Frames) -> list[str]:
    names = [view.of(numbers, table)["tutor"] for table in ("success", "choice_accuracy", "diversity")]
    return list(dict.fromkeys(str(name) for one in names for name in one))


def _open_words(view: View, numbers: Frames, tutor: str, form: str) -> Iterator[str]:
    held = overall(view.of(numbers, "success"), form=form)
    rows = {row["horizon"]: row for row in plain_rows(held[held["tutor"] == tutor])}
    if not rows:
        return
    whole = rows.get(ALL) or next(iter(rows.values()))
    replies = "open replies" if form == OPEN else "replies with references"
    unknown = f", {whole['unknown']:,} more not known" if whole["unknown"] else ""
    if not whole["n"]:
        yield f"whether its {replies} succeed is not known of any{unknown.replace(' more', '')}"
        return
    by = ", ".join(f"{HORIZON_WORDS[name]} {_per_cent(row['success'])}" for name, row in rows.items() if name != ALL)
    said = f" ({by})" if ALL in rows else f" ({HORIZON_WORDS[whole['horizon']]})"
    yield (
        f"{_per_cent(whole['success'])} of {whole['n']:,} {replies} meet a criterion of their case"
        f"{_interval_words(whole)}{said}{unknown}"
    )
    if whole["satisfaction"] is not None:
        of = "" if whole["n_satisfaction"] == whole["n"] else f" (known of {whole['n_satisfaction']:,})"
        yield f"on average they meet {_per_cent(whole['satisfaction'])} of the criteria{of}"


def _choice_words(view: View, numbers: Frames, tutor: str) -> Iterator[str]:
    accuracy = view.of(numbers, "choice_accuracy")
    held = accuracy[(accuracy["tutor"] == tutor) & (accuracy["challenge"] == ALL)]
    for form in dict.fromkeys(held["form"]):
        rows = {row["horizon"]: row for row in plain_rows(held[held["form"] == form])}
        whole = rows.get(ALL) or next(iter(rows.values()))
        unread = f", {whole['unread']:,} not read and wrong" if whole["unread"] else ""
        yield (
            f"{_per_cent(whole['accuracy'])} of {whole['n']:,} {FORM_WORDS[form]} are right"
            f"{_interval_words(whole)}, chance {_per_cent(whole['chance'])}{unread}"
        )


def _interval_words(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return ""
    return f", 95 % {_per_cent(row['low'])} to {_per_cent(row['high'])}"


def _missing(unread: pd.DataFrame) -> Iterator[str]:
    for what in dict.fromkeys(unread["what"]):
        held = unread[unread["what"] == what]
        yield f"{what}: {int(held['count'].sum()):,}"


def _warnings(tables: Frames) -> Iterator[str]:
    judges = {str(judge) for judge in tables["decisions"]["judge"].dropna()}
    if any(judge.split(" ")[0].split(":")[0] == "embedded" for judge in judges):
        yield (
            "The embedded model judged here. It shows that the machinery works: a model of its size gives no verdict "
            "on any tutor."
        )


def _success(shown: Sequence[View], numbers: Frames, figures: Path) -> Iterator[Block]:
    yield from _drawn(success_figure(view, numbers, figures) for view in shown)
    table = numbers["success"]
    if not len(table):
        return
    columns = ["run", "judge", "tutor", "form", "horizon", "negatives", "n", "unknown", "no_reply", "left_out"]
    columns += ["success", "interval", "n_satisfaction", "satisfaction", "s_interval", "published"]
    every = overall(_with_intervals(table), negatives="")
    known = [
        published_success(row["tutor"], row["horizon"]) if row["form"] == OPEN and row["negatives"] == "with" else None
        for row in plain_rows(every)
    ]
    yield _table(
        "success",
        "Success over all challenge types, with all criteria and without the purely negative ones (a bland reply can "
        "meet those). Unknown replies are not in n; left out are those with no criterion that counts. Satisfaction is "
        "over the n (s.) replies of which every criterion could be read.",
        every.assign(published=_floats(every, known)),
        columns,
    )
    by_challenge = overall(_with_intervals(table), challenge="")
    yield _table(
        "success_by_challenge",
        "The same by challenge type, with all criteria.",
        by_challenge[by_challenge["challenge"] != ALL],
        [
            "run",
            "judge",
            "tutor",
            "form",
            "horizon",
            "challenge",
            "n",
            "unknown",
            "success",
            "interval",
            "satisfaction",
        ],
    )
    groups = _with_intervals(table)
    groups = groups[(groups["by"] != ALL) & (groups["negatives"] == "with")]
    if len(groups):
        columns = ["run", "judge", "tutor", "form", "horizon", "by", "group", "n", "unknown", "success", "interval"]
        caption = "The same by the groups of your table. Groups differ in size and in cases: compare with care."
        yield _table("success_by_group", caption, groups, columns)
    yield Prose(DIFFERENT_INSTRUMENT, "note")


def _choices(shown: Sequence[View], numbers: Frames, figures: Path) -> Iterator[Block]:
    table = numbers["choice_accuracy"]
    if not len(table):
        return
    yield from _drawn(open_and_choice(view, numbers, figures) for view in shown)
    columns = ["run", "tutor", "form", "horizon", "n", "unread", "accuracy", "interval", "chance", "letter_baseline"]
    columns += ["longest_baseline", "shortest_baseline", "picked_longest", "same_option", "published"]
    every = _with_intervals(table[table["challenge"] == ALL])
    known = [
        published_accuracy(row["tutor"]) if (row["form"], row["horizon"]) == (MCQ, ALL) else None
        for row in plain_rows(every)
    ]
    yield _table(
        "choice_accuracy",
        "Choices, beside chance and beside what rules reach that read nothing: always the best letter, always the "
        "longest option, always the shortest. An answer that could not be read is wrong and counted.",
        every.assign(published=_floats(every, known)),
        columns,
    )
    yield _table(
        "choice_accuracy_by_challenge",
        "The same by challenge type.",
        _with_intervals(table[table["challenge"] != ALL]),
        ["run", "tutor", "form", "horizon", "challenge", "n", "unread", "accuracy", "interval", "longest_baseline"],
    )
    yield _table(
        "position_bias",
        "How often each letter was picked, and how often the right option stood there. Rotations tell a bias from what "
        "the options say: run with --permutations 4.",
        numbers["position_bias"],
        ["run", "tutor", "form", "letter", "n", "rotations", "picked", "expected"],
    )
    failed = numbers["failures"]
    if len(failed):
        columns = ["run", "form", "horizon", "challenge", "tutors", "n", "left_out", "all_right", "all_wrong"]
        yield _table(
            "failures",
            "Choices on which all tutors are right, or all wrong, and of the latter those where all picked the same "
            "wrong option. The paper, 11 models: 26.8 %, 17.5 % and 40.3 % (a different instrument).",
            failed,
            [*columns, "n_all_wrong", "same_distractor"],
        )


def _references(shown: Sequence[View], numbers: Frames, figures: Path) -> Iterator[Block]:
    table = numbers["reference_effect"]
    if not len(table):
        return
    yield from _drawn(reference_figure(view, numbers, figures) for view in shown)
    known = [published_reference_effect(horizon) for horizon in table["horizon"]]
    yield _table(
        "reference_effect",
        "Success with references less success without, item by item.",
        _with_intervals(table).assign(published_difference=_floats(table, known)),
        [
            *("run", "judge", "tutor", "horizon", "n", "unpaired", "difference", "interval", "published_difference"),
            "proxy",
        ],
    )
    if table["proxy"].eq(True).any():
        yield Prose(
            "The release holds no strategies: the correct options of other items' choices stood in for what helped "
            "there. That is a proxy of the paper's references.",
            "warning",
        )


def _diversity(shown: Sequence[View], numbers: Frames, figures: Path) -> Iterator[Block]:
    table = numbers["diversity"]
    if not len(table):
        return
    yield from _drawn(diversity_figure(view, numbers, figures) for view in shown)
    columns = ["run", "tutor", "horizon", "n_grams", "replies", "blank", "diversity", "top_4gram_share"]
    yield _table(
        "diversity",
        "Distinct n-grams over all n-grams of a tutor's open replies, the share of replies that hold its most frequent "
        "4-gram, and the share of replies whose own dialogue is the nearest of all by the words they share. The share "
        "of distinct n-grams falls with the number of replies and their length. The definitions are ours.",
        table,
        [*columns, "recovery", "recovery_n"],
    )
    related = numbers["diversity_success"]
    if len(related):
        known = [published_diversity(row["measure"], row["horizon"]) for row in plain_rows(related)]
        yield _table(
            "diversity_success",
            "Spearman's correlation of each measure with success, over tutors (n).",
            _with_intervals(related).assign(published_spearman=_floats(related, known)),
            ["run", "judge", "horizon", "measure", "n", "spearman", "interval", "p", "reason", "published_spearman"],
        )


def _differences(numbers: Frames) -> Iterator[Block]:
    table = numbers["tutor_differences"]
    if len(table):
        yield _table(
            "tutor_differences",
            "Success (open questions) or accuracy (choices) of the first tutor less that of the second, over the items "
            "that both answered, with 95 % intervals over categories. They are not adjusted for the number of pairs.",
            _with_intervals(table),
            ["run", "judge", "form", "horizon", "first", "second", "n", "unpaired", "difference", "interval"],
        )


def _rankings(numbers: Frames) -> Iterator[Block]:
    table = numbers["rank_agreement"]
    if len(table):
        yield _table(
            "rank_agreement",
            "Spearman's correlation of two rankings of the same tutors (n), by two judges of one run or in two runs. "
            "The paper has .96 to .97 between judges and .925 and .943 between construction models, over 11 tutors.",
            _with_intervals(table),
            [
                "what",
                "of",
                "form",
                "horizon",
                "first",
                "second",
                "n",
                "unpaired",
                "spearman",
                "interval",
                "p",
                "reason",
            ],
        )


def _replies(tables: Frames, shown: Sequence[View]) -> Iterator[Block]:
    if len(tables["replies"]):
        yield reader(tables, shown)


def _people(numbers: Frames) -> Iterator[Block]:
    agreement, shares = numbers.get("rater_agreement"), numbers.get("rater_shares")
    if agreement is None or shares is None or not len(agreement):
        return
    yield Table(
        "rater_agreement",
        "How far raters agree with each other on the material, over all and by stage: the same answer from all of "
        "them, and Gwet's AC1.",
        agreement[[name for name in agreement.columns if name not in ("judge", "pass")]],
        {"ac1": _ROUND, "exact": _SHARE, "ac1_low": "{:.2f}", "ac1_high": "{:.2f}"},
        {"ac1": "AC1", "exact": "all say the same"},
    )
    yield Table(
        "rater_shares",
        "What raters answered. The mean is of the three points: 3 yes, 2 partly, 1 no. The paper's stages lie between "
        "2.42 and 2.69 (a different instrument: its own material and raters).",
        shares[[name for name in shares.columns if name not in ("judge", "pass")]],
        {"share": _SHARE, "mean": "{:.2f}"},
    )


def _unread(tables: Frames, numbers: Frames) -> Iterator[Block]:
    yield Prose(
        "What could not be read was asked again, up to three times in all, and is then counted here. An unread "
        "criterion is neither met nor missed; an unread choice is wrong; an empty reply meets nothing."
    )
    if len(numbers["unread"]):
        yield _table(
            "unread",
            "By what it was and why, of how many.",
            numbers["unread"],
            ["run", "judge", "tutor", "form", "horizon", "what", "reason", "count", "of"],
        )
    else:
        yield Prose("Everything could be read.")
    without = tables["neighbours"]
    without = without[without["found"] == 0]
    if len(without):
        yield Prose(f"{len(without):,} questions had no like case to refer to and were not asked with references.")


def _with_intervals(frame: pd.DataFrame) -> pd.DataFrame:
    """Put both ends of each interval into one printed column, which does not break."""
    scale, form = (1, "{:+.2f} to {:+.2f}") if "spearman" in frame.columns else (100, "{:.1f} to {:.1f}")
    form = "{:+.1f} to {:+.1f}" if "difference" in frame.columns else form
    form = form.replace(" ", "\u00a0")
    held = frame.assign(interval=_ends(frame, "low", "high", form, scale))
    return held.assign(s_interval=_ends(held, "s_low", "s_high", form, scale)) if "s_low" in held.columns else held


def _ends(frame: pd.DataFrame, low: str, high: str, form: str, scale: int) -> pd.Series:
    pairs = ((row[low], row[high]) for row in plain_rows(frame))
    said = [None if a is None or b is None else form.format(scale * a, scale * b).replace("-", "−") for a, b in pairs]
    return pd.Series(said, index=frame.index, dtype=object)


def _floats(frame: pd.DataFrame, values: Sequence[float | None]) -> pd.Series:
    return pd.Series(values, index=frame.index, dtype="float64")


def _table(name: str, caption: str, frame: pd.DataFrame, columns: Sequence[str]) -> Table:
    held = frame[[column for column in columns if column in frame.columns]]
    empty = [column for column in ("reason", "same_option", "proxy", "left_out", "unpaired") if column in held.columns]
    empty += [column for column in held.columns if column.startswith("published")]
    held = held.drop(columns=[column for column in empty if held[column].isna().all() or (held[column] == 0).all()])
    held = without_single(held, "form") if "first" not in held.columns else without_single(held)
    for column, names in _SHORT.items():
        if column in held.columns:
            held = held.assign(**{column: [names.get(str(one), str(one)) for one in held[column]]})
    if "challenge" in held.columns:
        held = held.assign(challenge=[challenge_words(str(one)) for one in held["challenge"]])
    for column in held.columns:
        if held[column].dtype == object and held[column].map(lambda one: one is None or isinstance(one, float)).all():
            held = held.assign(**{column: pd.to_numeric(held[column])})
    return Table(name, caption, held, _FORMATS, _LABELS)


def _drawn(figures: Iterator[Figure | None]) -> Iterator[Figure]:
    for one in figures:
        if one is not None:
            yield one


def _per_cent(value: float | None) -> str:
    return "not known" if value is None else f"{100 * value:.1f} %"
