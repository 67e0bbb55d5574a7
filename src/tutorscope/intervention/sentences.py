"""The sentences that a page begins with and a run ends with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tutorscope.intervention.frames import ALL, plain_rows
from tutorscope.intervention.shown import Row, Shown, domain_name, per_cent, share_span, signed, span
from tutorscope.intervention.taxonomies import LEAKAGE, PUBLISHED, ROLE
from tutorscope.texts.words import counted

_DOING = {"standard": "watching", "oracle": "looking back"}
_MOST_NAMED = 3
_KINDS = {ROLE: "what messages do", LEAKAGE: "how much they reveal"}


def tutor_lines(held: Shown) -> Iterator[str]:
    """Say of each tutor and condition: how often, how early, how often needlessly, and whether it helps."""
    found: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in held.rows("behaviour", domain=ALL):
        if row["tutor"] != ALL and held.is_main(row):
            key = (row["run"], row["student"], row["people"], row["tutor"], row["condition"])
            found.setdefault(key, {})[row["measure"]] = row
    # A tutor's two conditions stand together.
    tutors = list(dict.fromkeys(key[:4] for key in found))
    order = {key: (tutors.index(key[:4]), list(_DOING).index(key[4])) for key in found}
    for _, by_measure in sorted(found.items(), key=lambda one: order[one[0]]):
        phi = by_measure["phi"]
        about = [held.view(phi), _DOING[phi["condition"]], "people" if phi["people"] else ""]
        yield f"{held.tutor(phi)} ({', '.join(filter(None, about))}): {'; '.join(_sentence(held, by_measure))}"


def _sentence(held: Shown, by_measure: Mapping[str, Row]) -> Iterator[str]:
    phi, right, timed = (by_measure[name] for name in ("phi", "phi_correct", "tau_rel"))
    same = ("student", "judge", "people", "tutor", "increment", "variant", "ask_at_end")
    (became,) = held.rows(
        "counts", run=phi["run"], domain=ALL, condition=phi["condition"], **{name: phi[name] for name in same}
    )
    unread = f", {became['unreadable']:,} not read" if became["unreadable"] else ""
    unasked = f", {became['not_asked']:,} not asked for want of a verdict" if became["not_asked"] else ""
    undecided = became["no_decision_point"]
    if not phi["n"]:
        if became["unreadable"]:
            yield f"none of {counted(became['unreadable'], 'episode')} could be read{unasked}"
        else:
            yield f"{counted(became['not_asked'], 'episode')} not asked for want of a verdict"
        return
    without = f", {undecided:,} of them without a decision point" if undecided else ""
    yield f"steps into {_share(phi)} of {counted(phi['n'], 'episode')}{without}{unread}{unasked}"
    lost = timed["missing"] - phi["missing"]
    if timed["n"]:
        yield (
            f"on average when {_share(timed)} of the reasoning is there (n = {timed['n']:,}"
            + (f", {lost:,} without a known point)" if lost else ")")
        )
    elif lost:
        yield f"none of the {counted(lost, 'intervention')} has a known point, so nobody went on from one"
    if right["n"]:
        yield f"in {_share(right)} of the {right['n']:,} where the student alone was right"
    yield from _help_words(held, phi)


def _help_words(held: Shown, phi: Row) -> Iterator[str]:
    same = ("run", "student", "judge", "people", "tutor", "domain", "variant")
    for row in held.rows("helpfulness", how=phi["condition"]):
        if row["n"] and held.is_main(row) and all(row[name] == phi[name] for name in same):
            ends = span(row["low"], row["high"], "{:+.2f}")
            without = f", {row['missing']:,} not gone on with or without a verdict" if row["missing"] else ""
            yield (
                f"of {counted(row['n'], 'answer')} after it {per_cent(row['helpful'])} turned right and "
                f"{per_cent(row['harmful'])} wrong, net {signed(row['h'])}{f' ({ends})' if ends else ''}{without}"
            )


def alone_lines(held: Shown) -> Iterator[str]:
    """Say of each student how often it is right alone."""
    for row in held.rows("accuracy", domain=ALL):
        if row["n"]:
            parts = [
                f"{domain_name(one['domain']).lower()} {per_cent(one['value'])}"
                for one in held.rows("accuracy", run=row["run"], student=row["student"])
                if one["domain"] != ALL and one["n"]
            ]
            unread = f", {row['missing']:,} not gone on with or without a verdict" if row["missing"] else ""
            silent = f", {row['no_answer']:,} answered nothing" if row["no_answer"] else ""
            by_domain = f" ({', '.join(parts)})" if len(parts) > 1 else ""
            of = held.view(row)
            name = of if "student" in held.varied else f"{row['student']}{f' ({of})' if of else ''}"
            yield f"{name} alone: right on {_share(row)} of {counted(row['n'], 'problem')}{unread}{silent}{by_domain}"


def kind_lines(held: Shown) -> Iterator[str]:
    """Say of each tutor and condition which kind of help was most frequent, in each dimension."""
    found: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for row in plain_rows(held.numbers["categories"]):
        if row["domain"] == ALL and row["tutor"] != ALL and held.is_main(row):
            names = ("run", "student", "judge", "taxonomy", "people", "tutor", "condition")
            found.setdefault(tuple(row[name] for name in names), {}).setdefault(row["dimension"], []).append(row)
    judges = {key[2] for key in found}
    # As above: a tutor's two conditions stand together.
    tutors = list(dict.fromkeys(key[:-1] for key in found))
    order = {key: (tutors.index(key[:-1]), list(_DOING).index(key[-1])) for key in found}
    for _, by_dimension in sorted(found.items(), key=lambda one: order[one[0]]):
        (one, *_), *_ = by_dimension.values()
        whose = "the paper's categories" if one["taxonomy"] == PUBLISHED else f"taxonomy {one['taxonomy']}"
        by = f"labelled by {one['judge']}" if len(judges) > 1 else ""
        about = ", ".join(filter(None, [held.view(one), _DOING[one["condition"]], "people" if one["people"] else ""]))
        said = [f"{words}, {_most(by_dimension[name])}" for name, words in _KINDS.items() if name in by_dimension]
        yield f"kind of help, {held.tutor(one)} ({about}), {', '.join(filter(None, [whose, by]))}: {'; '.join(said)}"


def _most(rows: Sequence[Row]) -> str:
    """Name the most frequent category, or those that share that place."""
    unread = f", {rows[0]['missing']:,} not labelled" if rows[0]["missing"] else ""
    if not rows[0]["of"]:
        return f"nothing is known{unread}"
    most = max(row["n"] for row in rows)
    first = [row["category"] for row in rows if row["n"] == most]
    each = " each" if len(first) > 1 else ""
    named = " and ".join(first) if len(first) <= _MOST_NAMED else f"{len(first)} categories alike"
    return f"most often {named} ({per_cent(most / rows[0]['of'])}{each} of {rows[0]['of']:,}{unread})"


def next_lines(held: Shown) -> Iterator[str]:
    """Say what having a problem, or its assisted episode, in view does for the next one."""
    found = held.rows("transfer", domain=ALL, tutor=ALL)
    several_sets = len({row["set"] for row in found}) > 1
    for row in found:
        if row["context"] != "none":
            what = f"with {'its own' if row['context'] == 'problem' else 'the assisted'} attempt in view"
            whose = " of people" if row["people"] else ""
            of = ", ".join(filter(None, [held.view(row), row["set"] if several_sets else ""]))
            ends = span(row["low"], row["high"], "{:+.2f}")
            g = f"G {signed(row['g'])}{f' ({ends})' if ends else ''}" if row["n"] else "no G"
            unknown = f", {row['missing']:,} without a verdict on both sides" if row["missing"] else ""
            name = f"next problem{f' ({of})' if of else ''}"
            yield f"{name}, {what}{whose}: {g}, {counted(row['n'], 'pair')}{unknown}"


def _share(row: Row) -> str:
    ends = share_span(row["low"], row["high"])
    return f"{per_cent(row['value'])} ({ends})" if ends else per_cent(row["value"])
