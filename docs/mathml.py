"""Formulas as MathML, which browsers draw themselves: no script, no font, no TeX installation."""

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def inline(visitor: Any, node: nodes.math) -> None:
    """Write a formula inside a sentence."""
    visitor.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def block(visitor: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    visitor.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def mathml(node: nodes.math | nodes.math_block, *, as_block: bool) -> str:
    """Translate a formula, with a warning that names its place if docutils does not know a command in it."""
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return ""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name that ``conf.py`` asks for."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
