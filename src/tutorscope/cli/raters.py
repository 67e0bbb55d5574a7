"""``tutorscope raters``: what people rate goes out as sheets, comes back, and is compared with the judge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tutorscope.cli.roles import role_options, take_speakers

if TYPE_CHECKING:
    import numpy as np

    from tutorscope.people.answers import Taken
    from tutorscope.people.forms import RaterForm, Shown
    from tutorscope.people.returned import Returned
    from tutorscope.runs.folder import RunFolder


@click.group()
def raters() -> None:
    """Let people check the judge: sheets out, answers in, agreement."""


def _sheets(**params: Any) -> None:
    from tutorscope.people.answers import keep_drawn
    from tutorscope.people.drawing import draw
    from tutorscope.people.returned import rater_name
    from tutorscope.runs.folder import existing, locked
    from tutorscope.texts.plain import strip_controls

    folder = existing(params["run"])
    offered = _named(folder, _forms(folder), params["form"])
    embedders = take_speakers(["embedder"], params)
    judge, pool = _pool(folder, offered, params["judge"])
    named = [rater_name(name) for name in (params["raters"] or "").split(",") if name.strip()]
    with locked(folder):
        vectors, embedder = _vectors(folder, pool, embedders)
        drawn = draw(pool, offered.cell, params["per_bin"], params["seed"], vectors)
        how = {"per_bin": params["per_bin"], "seed": params["seed"], "embedder": embedder}
        codes = keep_drawn(folder, offered.form, judge, drawn.shown, how)
    coded = list(zip(codes, drawn.shown, strict=True))
    written = _write(params["out"], offered, coded, params["as_format"], named)
    lines = [f"drawn: {len(coded)} of {len(pool)}", *drawn.notes, *(f"written: {path}" for path in written)]
    click.echo("\n".join(strip_controls(line) for line in lines))


raters.add_command(
    click.Command(
        "sheets",
        params=[
            click.Argument(["run"], type=click.Path(path_type=Path)),
            click.Option(["--form"], metavar="NAME", help="Which form, where the instrument has several."),
            click.Option(["--out"], required=True, type=click.Path(path_type=Path), help="The folder to write to."),
            click.Option(
                ["--per-bin"],
                type=click.IntRange(1),
                default=9,
                show_default=True,
                help="The most from each bin: of scores in each dataset, or of a stage and a challenge type.",
            ),
            click.Option(["--seed"], type=int, default=0, show_default=True, help="Another seed, another draw."),
            click.Option(["--raters"], metavar="NAME,NAME", help="A sheet for each, with the name filled in."),
            click.Option(["--judge"], metavar="NAME", help="Whose ratings to check, where several judges rated."),
            click.Option(
                ["--as", "as_format"],
                type=click.Choice(["csv", "label-studio", "potato"]),
                default="csv",
                show_default=True,
                help="Sheets, or a project for one of these tools.",
            ),
            *role_options(["embedder"]),
        ],
        callback=_sheets,
        help="Draw what RUN's judge rated, or what RUN asks, evenly over bins, and write it for raters.",
        short_help="Draw what raters shall check, and write it out.",
    )
)


@raters.command("import")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--form", metavar="NAME", help="Which form; without it, that of the things in each file.")
@click.option("--rater", metavar="NAME", help="Who filled the files, where they do not say.")
@click.option("--pass", "again", metavar="NAME", default="1", show_default=True, help="A second look has its own name.")
def import_command(run: Path, files: Sequence[Path], form: str | None, rater: str | None, again: str) -> None:
    """Take what raters put down into RUN: filled sheets, Label Studio's JSON, Potato's files."""
    from tutorscope.people.answers import drawn_items, keep, take
    from tutorscope.runs.folder import existing, locked
    from tutorscope.texts.plain import strip_controls

    folder = existing(run)
    forms = _forms(folder)
    with locked(folder):
        for path in files:
            data = _bytes(path)
            offered = _form_of(folder, path, data, forms, form)
            drawn = drawn_items(folder, offered.form)
            returned = _read(data, path, offered)
            taken = take(offered.form, drawn, returned, str(path), rater)
            new = keep(folder, offered.form, taken, path, data, again)
            lines = _import_lines(path, returned, taken, new)
            click.echo("\n".join(strip_controls(line) for line in lines))


@raters.command("agree")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--form", metavar="NAME", help="Which form; without it, all that things were drawn for.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def agree_command(run: Path, form: str | None, as_json: bool) -> None:
    """Say how far raters agree with RUN's judge and with each other, and judges with each other."""
    from tutorscope.people.agreement import agreement_lines, judge_agreement, rater_agreement, text_lines, together
    from tutorscope.people.answers import drawn_items, rater_tables
    from tutorscope.runs.folder import existing
    from tutorscope.runs.tables import write_tables
    from tutorscope.texts.plain import strip_controls

    folder = existing(run)
    forms = _forms(folder)
    named = [_named(folder, forms, form)] if form is not None else list(forms.values())
    chosen = [one for one in named if drawn_items(folder, one.form)] or named
    scales = [list(one.judges(folder)) for one in chosen]
    tables = [rater_tables(folder, one.form) for one in chosen]
    numbers = [
        {**rater_agreement(one.form, held, one.by), "judge_agreement": judge_agreement(judged, one.by)}
        for one, held, judged in zip(chosen, tables, scales, strict=True)
    ]
    found = together(numbers)
    write_tables(folder.tables, {**together(tables), **found})
    if as_json:
        plain = {name: json.loads(frame.to_json(orient="records")) for name, frame in found.items()}
        click.echo(json.dumps(plain, indent=1))
        return
    texts = [line for one, held in zip(chosen, tables, strict=True) for line in text_lines(one.form, held)]
    lines = agreement_lines(found, texts, compares_judges=any(scales))
    click.echo("\n".join(strip_controls(line) for line in lines))


def _forms(folder: RunFolder) -> Mapping[str, RaterForm]:
    from tutorscope.cli.instruments import instrument_named
    from tutorscope.errors import UserError
    from tutorscope.runs.intact import require_planned
    from tutorscope.runs.plan import instrument_of

    require_planned(folder)
    instrument = instrument_named(instrument_of(folder))
    forms: Mapping[str, RaterForm] = instrument.forms()
    if not forms:
        raise UserError(f"{folder.path}: {instrument.name} has no form for raters")
    return forms


def _named(folder: RunFolder, forms: Mapping[str, RaterForm], name: str | None) -> RaterForm:
    from tutorscope.errors import UserError
    from tutorscope.runs.plan import instrument_of

    if name is None and len(forms) > 1:
        raise UserError(f"several forms: say which with --form: {', '.join(forms)}")
    if name is not None and name not in forms:
        raise UserError(f"--form: no form {name!r} of {instrument_of(folder)}; there are: {', '.join(forms)}")
    return forms[name or next(iter(forms))]


def _form_of(folder: RunFolder, path: Path, data: bytes, forms: Mapping[str, RaterForm], name: str | None) -> RaterForm:
    from tutorscope.errors import UserError
    from tutorscope.people.exchange import forms_in

    if name is not None or len(forms) == 1:
        return _named(folder, forms, name)
    names = {one.form.name: key for key, one in forms.items()}
    found = [names[one] for one in forms_in(data, names)]
    if len(found) != 1:
        held = f"things of several forms ({', '.join(found)})" if found else "nothing of a form of this run"
        raise UserError(f"{path}: found {held}; say with --form which to take: {', '.join(forms)}")
    return forms[found[0]]


def _pool(folder: RunFolder, offered: RaterForm, judge: str | None) -> tuple[str, Sequence[Shown]]:
    from tutorscope.errors import UserError

    pools = offered.pools(folder)
    if not pools:
        raise UserError(f"{folder.path}: nothing is rated yet that raters could check")
    names = ", ".join(pools)
    if judge is None and len(pools) > 1:
        raise UserError(f"several judges: say with --judge whose ratings to check: {names}")
    if judge is not None and judge not in pools:
        raise UserError(f"--judge: no ratings of {judge!r}; there are those of: {names}")
    found = judge if judge is not None else next(iter(pools))
    return found, pools[found]


def _vectors(folder: RunFolder, pool: Sequence[Shown], embedders: Sequence[Any]) -> tuple[np.ndarray | None, str]:
    if not all(shown.likeness for shown in pool):
        return None, ""
    import anyio

    from tutorscope.errors import UserError
    from tutorscope.models.speakers import speakers
    from tutorscope.runs.vectors import VectorJournal

    if len(embedders) > 1:
        raise UserError("--embedder: found several; expected one")
    [speaker] = embedders or speakers("embedder", ["wordllama"])
    texts = [shown.likeness for shown in pool]
    return anyio.run(VectorJournal(folder.calls).embed, speaker, texts), speaker.name


def _write(
    out: Path, offered: RaterForm, coded: Sequence[tuple[str, Shown]], as_format: str, named: Sequence[str]
) -> list[Path]:
    from tutorscope.errors import UserError
    from tutorscope.people.label_studio import label_studio_files
    from tutorscope.people.potato import potato_files
    from tutorscope.people.sheets import instructions, write_sheet

    form = offered.form
    files: dict[str, bytes] = {}
    if as_format == "csv":
        for rater in named or [""]:
            name = f"{form.name}-{rater}" if rater else form.name
            files[f"{_file_name(name)}.csv"] = write_sheet(form, coded, rater)
        files["instructions.txt"] = instructions(form).encode()
    else:
        written = (label_studio_files if as_format == "label-studio" else potato_files)(form, coded)
        files = {name: text.encode() for name, text in written.items()}
    for name, data in files.items():
        path = out / name
        if path.exists() and path.read_bytes() != data:
            raise UserError(f"{path}: is there already and may hold answers; --out takes a new or empty folder")
    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (out / name).write_bytes(data)
    return [out / name for name in files]


def _file_name(name: str) -> str:
    import re

    from tutorscope.runs.stages import fingerprint

    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name)
    return plain if plain == name else f"{plain}-{fingerprint(name)[:8]}"


def _bytes(path: Path) -> bytes:
    from tutorscope.errors import UserError

    try:
        return path.read_bytes()
    except OSError as problem:
        raise UserError(f"{path}: cannot be read ({problem.strerror}); expected a file of answers") from None


def _read(data: bytes, path: Path, offered: RaterForm) -> Returned:
    from tutorscope.people.exchange import read_returned

    return read_returned(data, str(path), offered.form)


def _import_lines(path: Path, returned: Returned, taken: Taken, new: int) -> list[str]:
    from collections import Counter

    from tutorscope.texts.words import counted

    read = sum(answer.value is not None for answer in taken.answers)
    unread = f"not read: {len(taken.answers) - read}; " if read < len(taken.answers) else ""
    raters = ", ".join(taken.missing)
    lines = [
        f"{path}: {returned.format} of {raters}: {counted(read, 'answer')}, {new} new; "
        f"{unread}blank: {sum(taken.blanks.values())}"
    ]
    lines += [
        f"  not read ({answer.reason}): {answer.where}, {answer.question}: {answer.found!r:.80}"
        for answer in taken.answers
        if answer.reason
    ]
    aside = Counter(reason for _, reason in taken.set_aside)
    for reason, count in aside.items():
        places = [where for where, why in taken.set_aside if why == reason]
        lines.append(f"  set aside ({reason}): {count}: {_some(places)}")
    if taken.changed:
        lines.append(f"  the text shown is not the one that was drawn: {len(taken.changed)}: {_some(taken.changed)}")
    if taken.repeated:
        lines.append(f"  rated again in the same file: {len(taken.repeated)}: {_some(taken.repeated)}")
    lines += [f"  drawn but not in the file, for {rater}: {count}" for rater, count in taken.missing.items() if count]
    if returned.ignored:
        lines.append(f"  not part of the form: {', '.join(returned.ignored)[:200]}")
    return lines


def _some(places: Sequence[str]) -> str:
    return ", ".join(places[:5]) + (", ..." if len(places) > 5 else "")
