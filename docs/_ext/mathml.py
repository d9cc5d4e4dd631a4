"""Formulas as MathML, which browsers draw themselves: no script, no font and no network is asked for."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from docutils.nodes import SkipNode
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

TAG = re.compile(r"\\tag\{([^}]*)\}")
NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
HTML_ONLY = re.compile(r"&(?!lt;|gt;|amp;)\w+;")  # names of signs that XML does not know
PRIMES, BARS = ("'", "′"), ("|", "‖")
DOTS = re.compile(r'<mover accent="true">(\s*<mi>[^<]*</mi>\s*)<mo stretchy="false">([˙¨])</mo>')


def formula(text: str, *, block: bool) -> str:
    """Return a LaTeX formula as MathML; one that cannot be read fails the build and leaves no gap in a page."""
    lines = rf"\begin{{aligned}}{text}\end{{aligned}}" if r"\\" in text and r"\begin" not in text else text
    try:
        written = str(latex2mathml.tex2mathml(lines, as_block=block))
    except MathError as error:
        raise ExtensionError(f"formula {text!r} = not read: must be LaTeX that docutils knows ({error})") from error
    return as_drawn(DOTS.sub(r"<mover>\1<mtext>\2</mtext>", written))  # as accents they are drawn into the letter


def as_drawn(written: str) -> str:
    """Return MathML with primes beside their letters and bars that know which side they are on.

    As superscripts primes, which are raised already, are tiny and too high; a bar that is no first or last sign of its
    row is spaced as a relation.
    """
    signs = HTML_ONLY.sub(lambda one: html.unescape(one[0]), written)
    tree = ElementTree.fromstring(signs.replace(NAMESPACE, "", 1))
    with_primes(tree)
    for row in tree.iter():
        give_sides(row)
    return ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False).replace(
        "<math", f"<math{NAMESPACE}", 1
    )


def with_primes(node: Element) -> None:
    """Set the primes of all superscripts in a node on the line, one sign each."""
    for place, child in enumerate(list(node)):
        with_primes(child)
        count = primes(child[-1]) if child.tag in ("msup", "msubsup") else 0
        if count:
            node[place] = row = Element("mrow")
            row.tail = child.tail
            child.remove(child[-1])
            child.tag, child.tail = "msub", None
            row.extend([child if len(child) == 2 else child[0], *(prime() for _ in range(count))])
        elif child.tag == "mo" and child.text in PRIMES:
            node[place] = prime()
            node[place].tail = child.tail


def primes(node: Element) -> int:
    """Return how many primes a superscript is; 0 if it is something else."""
    signs = list(node) if node.tag == "mrow" else [node]
    return len(signs) if all(sign.tag in ("mi", "mo") and sign.text in PRIMES for sign in signs) else 0


def prime() -> Element:
    """Return a prime that stands close to its letter."""
    sign = Element("mo", {"lspace": "0", "rspace": "0"})
    sign.text = "′"
    return sign


def bars(row: Element) -> Iterator[Element]:
    """Yield the bars of a row, also those that carry an index or an exponent."""
    for child in row:
        while child.tag in ("msub", "msup", "msubsup"):
            child = child[0]
        if child.tag == "mo" and child.text in BARS:
            yield child


def give_sides(row: Element) -> None:
    """Tell the bars of a row whether they open or close; bars that are no pairs stay as they are."""
    depth, sides = 0, []
    for bar in bars(row):
        opens = bar.get("class") == "mathopen" or not depth
        depth += 1 if opens else -1
        sides.append((bar, "prefix" if opens else "postfix"))
    for bar, side in sides if not depth else ():
        bar.set("form", side)
        if row.tag != "mrow":  # those of \left and \right are as high as what is between them
            bar.set("stretchy", "false")


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
