"""Formulas as MathML, which browsers draw themselves: no script, no font and no network is asked for."""

from __future__ import annotations

import html
import re
from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

TAG = re.compile(r"\\tag\{([^}]*)\}")
DOTS = re.compile(r'<mover accent="true">(\s*<mi>[^<]*</mi>\s*)<mo stretchy="false">([˙¨])</mo>')


def formula(text: str, *, block: bool) -> str:
    """Return a LaTeX formula as MathML; one that cannot be read fails the build and leaves no gap in a page."""
    lines = rf"\begin{{aligned}}{text}\end{{aligned}}" if r"\\" in text and r"\begin" not in text else text
    try:
        written = str(latex2mathml.tex2mathml(lines, as_block=block))
    except MathError as error:
        raise ExtensionError(f"formula {text!r} = not read: must be LaTeX that docutils knows ({error})") from error
    return DOTS.sub(r"<mover>\1<mtext>\2</mtext>", written)  # as accents they are drawn into the letter


def visit_inline(translator: Any, node: Any) -> None:
    """Write a formula in a line."""
    translator.body.append(formula(node.astext(), block=False))
    raise SkipNode


def visit_block(translator: Any, node: Any) -> None:
    r"""Write a formula on a line of its own; ``\tag{3}`` puts its number at the margin."""
    text = node.astext()
    number = TAG.search(text)
    margin = f'<span class="number">({html.escape(number.group(1))})</span>' if number else ""
    written = formula(TAG.sub("", text).strip(), block=True)
    translator.body.append(f'<div class="math-block">{written}{margin}</div>\n')
    raise SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx of the renderer."""
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
