"""Shapes on paper as SVG: what charts and drawings are made of."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape


def drawing(shapes: Sequence[str], width: float, height: float) -> str:
    """Put SVG elements on paper of their own units, which are squares; lines keep their width."""
    return (
        f'<svg class="chart" viewBox="0 0 {length(width)} {length(height)}" role="img" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(shapes)}</svg>'
    )


def rectangle(x: float, y: float, width: float, height: float, fill: str, *, opacity: float = 1.0) -> str:
    """A filled rectangle; its outline has the same colour."""
    size = f'x="{length(x)}" y="{length(y)}" width="{length(width)}" height="{length(height)}"'
    return f'<rect {size} fill="{fill}" fill-opacity="{opacity:g}" stroke="{fill}"/>'


def ring(x: float, y: float, radius: float, colour: str, *, dash: str = "") -> str:
    """A circle."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(max(radius, 0.1))}" fill="none" stroke="{colour}" '
        f'stroke-width="1.4"{dashed}/>'
    )


def dot(x: float, y: float, radius: float, fill: str) -> str:
    """A filled circle."""
    return f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(radius)}" fill="{fill}"/>'


def line_between(x0: float, y0: float, x1: float, y1: float, *, dash: str = "") -> str:
    """A thin line."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path class="mark" d="M{length(x0)} {length(y0)}L{length(x1)} {length(y1)}"{dashed}/>'


def word(x: float, y: float, text: str, anchor: str = "middle", *, colour: str = "#333") -> str:
    """A name in a drawing."""
    return text_at(x, y, text, anchor, f' class="word" style="fill:{colour}"')


def cell_of(x: float, y: float, width: float, height: float, fill: str, *, opacity: float = 1.0) -> str:
    """A filled rectangle without an outline."""
    size = f'x="{length(x)}" y="{length(y)}" width="{length(width)}" height="{length(height)}"'
    return f'<rect {size} fill="{fill}"' + (f' fill-opacity="{opacity:g}"/>' if opacity < 1.0 else "/>")


def text_at(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    """A text; what looks like markup in it stays text."""
    return f'<text x="{length(x)}" y="{length(y)}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def length(value: float) -> str:
    """A length on paper: a tenth of a unit is enough."""
    return f"{value:.1f}".removesuffix(".0")
