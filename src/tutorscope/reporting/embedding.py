"""Transcripts as data inside the page: JSON that no text can break out of."""

from __future__ import annotations

import json
import math
from typing import Any

from markupsafe import Markup

from tutorscope.pictures.blocks import Line, Reader, Transcript
from tutorscope.pictures.labels import visible

_ESCAPES = {sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def script_json(value: Any) -> Markup:
    """Write plain data as JSON that may stand inside a ``script`` element.

    ``<``, ``>`` and ``&`` cannot end or open an element there, U+2028 and U+2029 cannot end a line.

    Raises
    ------
    ValueError
        A number is not finite.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return Markup(text)  # noqa: S704  (no markup can be left in it)


def reader_json(reader: Reader) -> Markup:
    """Write what the page's script needs of a reader."""
    axes = {visible(name): [float(low), float(high)] for name, (low, high) in reader.axes.items()}
    head = script_json({"total": reader.total, "withheld": reader.withheld, "axes": axes})
    transcripts = Markup(",").join(map(transcript_json, reader.transcripts))
    return Markup(f'{head[:-1]},"transcripts":[{transcripts}]}}')  # noqa: S704  (both parts are written above)


def transcript_json(transcript: Transcript) -> Markup:
    """Write one transcript, and the one beside it."""
    data: dict[str, Any] = {
        "title": visible(transcript.title),
        # Group and cell are matched with a figure's links and shown by the page: visible on both sides.
        "group": visible(transcript.group),
        "cell": visible(transcript.cell),
        **({"counted": visible(transcript.counted)} if transcript.counted else {}),
        **_contents(transcript),
    }
    if transcript.beside is not None:
        data |= {"side": visible(transcript.side or transcript.title), "beside": _beside(transcript.beside)}
    return script_json(data)


def _beside(transcript: Transcript) -> dict[str, Any]:
    return {"side": visible(transcript.side or transcript.title), **_contents(transcript)}


def _contents(transcript: Transcript) -> dict[str, Any]:
    return {
        "facts": [[visible(name), visible(value)] for name, value in transcript.facts.items()],
        "lines": [_line(line) for line in transcript.lines],
    }


def _line(line: Line) -> dict[str, Any]:
    values = {visible(name): float(value) for name, value in line.values.items() if math.isfinite(value)}
    return {
        "speaker": visible(line.speaker),
        "text": visible(line.text),
        "marks": [[visible(mark.label), mark.tone] for mark in line.marks],
        "values": values,
        **({"part": visible(line.part)} if line.part else {}),
    }
