"""Pictures put inline: only what draws is kept, and every id is made the page's own.

A picture holds names that users chose, and a file under ``figures/`` can be edited by anyone. So it is read as XML and
rebuilt from lists of what may be there. Style attributes, which the page's content security policy refuses, become
plain drawing attributes.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from tutorscope.errors import UserError

_ELEMENTS = """
    a circle clipPath defs ellipse g image line linearGradient path pattern polygon polyline radialGradient rect stop
    svg symbol text tspan use
"""
_DRAWING = """
    clip-path clip-rule fill fill-opacity fill-rule font-size font-style font-weight image-rendering letter-spacing
    marker-end marker-mid marker-start mask opacity stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
    stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor visibility
"""
_GEOMETRY = """
    clipPathUnits cx cy d dx dy fx fy gradientTransform gradientUnits height id offset patternTransform patternUnits
    points preserveAspectRatio r rotate rx ry transform viewBox width x x1 x2 y y1 y2
"""
_ELEMENT_NAMES, _DRAWING_NAMES, _GEOMETRY_NAMES = (frozenset(t.split()) for t in (_ELEMENTS, _DRAWING, _GEOMETRY))
_REFERENCE = re.compile(r"url\(\s*['\"]?#([\w.-]+)['\"]?\s*\)")
_VALUE = re.compile(r"[\w\s#%.,+()\-]*")
_FONT = re.compile(r"^(?P<before>.*?)(?P<size>[\d.]+px)\b")
_PNG = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]+")
_POINTS_TO_PIXELS = 96 / 72


class Inline(NamedTuple):
    """A picture made ready for a page: its markup, its natural width in pixels, and whether it holds a bitmap."""

    markup: Markup
    width: float
    bitmap: bool


def inline_svg(path: Path, prefix: str, alt: str) -> Inline:
    """Read an SVG file and rebuild it for the page.

    Parameters
    ----------
    path : Path
        The file.
    prefix : str
        Unique in the page: it goes ahead of every id.
    alt : str
        What the picture shows, for a reader who cannot see it.

    Returns
    -------
    Inline
        Scripts, foreign content, style sheets, event handlers, links that leave the page and references to other
        files are gone; links to ``#pick=...`` stay.

    Raises
    ------
    UserError
        The file is absent, is no SVG, or declares entities.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{path}: cannot be read as an SVG picture ({problem})") from problem
    if "<!ENTITY" in text:
        raise UserError(f"{path}: declares entities, which a picture of ours never does; draw it again")
    try:
        root = ET.fromstring(text)  # noqa: S314  (no entities, see above; expat loads nothing from outside)
    except ET.ParseError as problem:
        raise UserError(f"{path}: is not well-formed XML ({problem}); draw it again") from problem
    if _local(root.tag) != "svg":
        raise UserError(f"{path}: begins with <{_local(root.tag)}>, expected <svg>")
    clean = _rebuild(root, prefix)
    width, height = _size(root)
    links = any(element.get("href") for element in clean.iter("a"))
    # A picture with links is a group: an image hides what is inside it from screen readers.
    clean.attrib.update({"role": "group" if links else "img", "aria-label": alt})
    clean.attrib.update({"width": f"{width:.0f}", "height": f"{height:.0f}"})
    # Matplotlib says this in a style sheet.
    clean.attrib.update({"stroke-linejoin": "round", "stroke-linecap": "butt"})
    bitmap = next(clean.iter("image"), None) is not None
    markup = Markup(ET.tostring(clean, encoding="unicode"))  # noqa: S704  (rebuilt from lists of what may be there)
    return Inline(markup, width, bitmap)


def _rebuild(element: ET.Element, prefix: str) -> ET.Element:
    kind = _local(element.tag)
    clean = ET.Element(kind, dict(_attributes(element, kind, prefix)))
    if kind in ("text", "tspan"):
        clean.text = element.text
    for child in element:
        if isinstance(child.tag, str) and _local(child.tag) in _ELEMENT_NAMES:
            kept = _rebuild(child, prefix)
            if kept.tag == "a" and not kept.get("href"):
                kept.tag = "g"
            if kept.tag in ("image", "use") and not kept.get("href"):
                continue
            if kind in ("text", "tspan"):
                kept.tail = child.tail
            clean.append(kept)
    return clean


def _attributes(element: ET.Element, kind: str, prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in element.attrib.items():
        local = _local(name)
        if local == "href":
            target = _target(kind, value, prefix)
            if target:
                yield "href", target
        elif local == "style":
            yield from _declarations(value, prefix)
        elif local == "id":
            yield "id", f"{prefix}-{value}"
        elif local in _GEOMETRY_NAMES or local in _DRAWING_NAMES:
            safe = _safe(value, prefix)
            if safe is not None:
                yield local, safe


def _target(kind: str, value: str, prefix: str) -> str | None:
    if kind == "a":
        return value if value.startswith("#pick=") else None
    if kind == "image":
        return value if _PNG.fullmatch(value) else None
    return f"#{prefix}-{value[1:]}" if value.startswith("#") else None


def _declarations(style: str, prefix: str) -> Iterator[tuple[str, str]]:
    for declaration in style.split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip(), value.strip()
        if name == "font":
            yield from _font(value)
        elif name in _DRAWING_NAMES:
            safe = _safe(value, prefix)
            if safe is not None:
                yield name, safe


def _font(shorthand: str) -> Iterator[tuple[str, str]]:
    """Take size, weight and slant from a font shorthand; the family is the page's."""
    match = _FONT.match(shorthand)
    if match:
        yield "font-size", match["size"]
        for word in match["before"].split():
            if word in ("italic", "oblique"):
                yield "font-style", word
            elif word == "bold" or word.isdigit():
                yield "font-weight", word


def _safe(value: str, prefix: str) -> str | None:
    reference = _REFERENCE.fullmatch(value.strip())
    if reference:
        return f"url(#{prefix}-{reference[1]})"
    return value if _VALUE.fullmatch(value) and "url(" not in value else None


def _size(root: ET.Element) -> tuple[float, float]:
    """Give width and height in pixels, from the size in points or the view box."""
    sides = [re.fullmatch(r"([\d.]+)(pt|px)?", root.get(side, "").strip()) for side in ("width", "height")]
    if all(sides):
        width, height = (float(s[1]) * (_POINTS_TO_PIXELS if s[2] == "pt" else 1.0) for s in sides if s)
        return width, height
    box = re.findall(r"-?[\d.]+", root.get("viewBox", ""))
    return (float(box[2]), float(box[3])) if len(box) == 4 else (600.0, 400.0)


def _local(name: str) -> str:
    return name.rpartition("}")[2]
