"""The sentences that a page begins with and a run ends with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tutorscope.intervention.frames import ALL
from tutorscope.intervention.shown import Row, Shown, counted, domain_name, per_cent, share_span, signed, span

_DOING = {"standard": "watching", "oracle": "looking back"}


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
    unread = f", {phi['missing']:,} not read" if phi["missing"] else ""
    if not phi["n"]:
        yield f"none of {counted(phi['missing'], 'episode')} could be read"
        return
    yield f"steps into {_share(phi)} of {counted(phi['n'], 'episode')}{unread}"
    if timed["n"]:
        lost = timed["missing"] - phi["missing"]
        yield (
            f"on average when {_share(timed)} of the reasoning is there (n = {timed['n']:,}"
            + (f", {lost:,} without a known point)" if lost else ")")
        )
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


def next_lines(held: Shown) -> Iterator[str]:
    """Say what having a problem, or its assisted episode, in view does for the next one."""
    found = held.rows("transfer", domain=ALL, tutor=ALL)
    several_sets = len({row["set"] for row in found}) > 1
    for row in found:
        if row["context"] != "none" and row["n"]:
            what = f"with {'its own' if row['context'] == 'problem' else 'the assisted'} attempt in view"
            whose = " of people" if row["people"] else ""
            of = ", ".join(filter(None, [held.view(row), row["set"] if several_sets else ""]))
            ends = span(row["low"], row["high"], "{:+.2f}")
            yield (
                f"next problem{f' ({of})' if of else ''}, {what}{whose}: G {signed(row['g'])}"
                f"{f' ({ends})' if ends else ''}, {counted(row['n'], 'pair')}"
                + (f", {row['missing']:,} not gone on with or without a verdict" if row["missing"] else "")
            )


def _share(row: Row) -> str:
    ends = share_span(row["low"], row["high"])
    return f"{per_cent(row['value'])} ({ends})" if ends else per_cent(row["value"])
