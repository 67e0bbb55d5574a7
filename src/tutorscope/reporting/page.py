"""The report: one HTML page that stands alone, works offline and prints.

Nothing in it is loaded from anywhere, and a content security policy in its head holds the browser to that: only the
page's own script and style run, known by their hashes. Every string is escaped by the template, after characters that
would act unseen were made visible. Words of students and tutors are data for the script, which puts them on the page
as text and never as markup.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from tutorscope.pictures.blocks import Block, Figure, Prose, Reader, Section, Table
from tutorscope.pictures.labels import visible
from tutorscope.reporting.embedding import reader_json
from tutorscope.reporting.svg import inline_svg
from tutorscope.reporting.tables import grid
from tutorscope.reporting.texts import Wish, choose_texts

# A figure up to this width (in pixels) shrinks to a phone's; a wider one is scrolled there, so that it can be read.
_SHRINKS = 440
_LONG_TABLE = 40
# The most bytes of a page that holds a sample of the texts.
SAMPLE_PAGE = 20_000_000


def write_report(
    path: Path,
    title: str,
    sections: Sequence[Section],
    *,
    facts: Mapping[str, str | Sequence[str]],
    texts: Wish = "sample",
) -> Path:
    """Write the page, whole or not at all.

    Parameters
    ----------
    path : Path
        The file, such as ``RUN/report.html``; one that is there is replaced.
    title : str
        The page's title.
    sections : sequence of Section
        In order; the headline belongs in the first.
    facts : mapping
        Where the numbers come from: instrument, runs, date of the plan, judges, versions, seals. The first three also
        stand under the title; all of them close the page.
    texts : {"none", "sample", "all"}
        How much of the transcripts' words the page holds. With a sample it takes at most 20 MB.

    Returns
    -------
    Path
        ``path``.

    Raises
    ------
    UserError
        A figure's file cannot be put into the page.
    """
    # What the page weighs without any transcript is not free for texts.
    rest = len(render(title, choose_texts(sections, "sample", cap=0), facts).encode())
    html = render(title, choose_texts(sections, texts, cap=max(0, SAMPLE_PAGE - rest - 1000)), facts)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(html)
            out.flush()
            os.fsync(out.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def render(title: str, sections: Sequence[Section], facts: Mapping[str, str | Sequence[str]]) -> str:
    """Lay out the page as a string; ``write_report`` is what others call."""
    style, script = _asset("page.css"), _asset("page.js")
    parts = _Parts()
    laid = [
        {"id": parts.name(section.anchor), "title": section.title, "blocks": [parts.block(b) for b in section.blocks]}
        for section in sections
    ]
    listed = {name: [value] if isinstance(value, str) else list(value) for name, value in facts.items()}
    page = _environment().from_string(_asset("page.html.j2"))
    return page.render(
        title=title,
        sections=laid,
        facts=listed,
        byline=[(name, ", ".join(values)) for name, values in list(listed.items())[:3]],
        provenance=parts.name("provenance"),
        policy=_policy(style, script, parts.bitmap),
        style=Markup(style),  # noqa: S704  (our own file)
        script=Markup(script),  # noqa: S704  (our own file)
    )


class _Parts:
    """Numbers figures and tables in order, and gives every part of the page an id of its own."""

    def __init__(self) -> None:
        self.bitmap = False
        self._taken: set[str] = set()
        self._counts = {"figure": 0, "table": 0, "reader": 0}

    def name(self, wanted: str) -> str:
        stem = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-") or "part"
        # An anchor must not take the id of a figure, a table or a reader.
        if re.match(r"(figure|table|reader)-\d", stem):
            stem = f"section-{stem}"
        name, again = stem, 1
        while name in self._taken:
            again += 1
            name = f"{stem}-{again}"
        self._taken.add(name)
        return name

    def block(self, block: Block) -> dict[str, Any]:
        match block:
            case Prose():
                return {"kind": "prose", "text": block.text, "tone": block.tone}
            case Figure():
                return self._figure(block)
            case Table():
                number = self._number("table")
                laid = grid(block)
                long = len(laid.rows) > _LONG_TABLE
                return {"kind": "table", "number": number, "caption": block.caption, "grid": laid, "long": long}
            case Reader():
                number = self._number("reader")
                empty = not block.transcripts
                return {
                    "kind": "reader",
                    "number": number,
                    "notice": block.notice,
                    "empty": empty,
                    "data": reader_json(block),
                }

    def _figure(self, block: Figure) -> dict[str, Any]:
        number = self._number("figure")
        wide = inline_svg(block.svg, f"figure-{number}", visible(block.alt))
        narrow = None
        if block.narrow is not None:
            narrow = inline_svg(block.narrow, f"figure-{number}-narrow", visible(block.alt))
        self.bitmap = self.bitmap or wide.bitmap or (narrow is not None and narrow.bitmap)
        return {
            "kind": "figure",
            "number": number,
            "caption": block.caption,
            "picture": wide.markup,
            "narrow": narrow.markup if narrow else None,
            "scrolls": narrow is None and wide.width > _SHRINKS,
        }

    def _number(self, kind: str) -> int:
        self._counts[kind] += 1
        return self._counts[kind]


def _policy(style: str, script: str, bitmap: bool) -> str:
    rules = [
        "default-src 'none'",
        f"script-src '{_digest(script)}'",
        f"style-src '{_digest(style)}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    if bitmap:
        rules.append("img-src data:")
    return "; ".join(rules)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    text = files("tutorscope.reporting").joinpath("assets", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def _environment() -> Environment:
    return Environment(autoescape=True, finalize=_show, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _show(value: Any) -> Any:
    # Markup is ours and finished; every other string may hold characters that act.
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
