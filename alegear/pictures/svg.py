"""Figures as SVG inside a page: letters stay letters, maps are pixels, nothing clashes with another figure."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.pictures.picture_file import lay_out

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Pixels of an inch of a map; units of an inch of a figure.
DPI, POINTS = 100, 72
#: Colours of a map.
COLOURS = 96
IMAGE = re.compile(r'"data:image/png;base64,([^"]*)"', re.DOTALL)
#: Groups, and markers one after the other that have one style.
GROUP = re.compile(r"<g(?: [^>]*)?>\n|</g>\n")
MARKERS = re.compile(r'<use [^>]* style="([^"]*)"/>\n(?:<use [^>]* style="\1"/>\n)+')
#: Curves are drawn as exactly as this part of a point, 1/72 inch.
EXACT = 0.3
#: A path of straight lines, so long that it is written in steps: whole numbers of these parts of a point.
LINES = re.compile(r' d="(M [\d.\-\sML]{200,})"')
STEPS = 10
#: What is left out of a figure, in this order, and what stands in its place.
LEFT_OUT = tuple(
    (re.compile(pattern, re.DOTALL), instead)
    for pattern, instead in (
        (r"<metadata>.*?</metadata>|<style .*?</style>|<!--.*?-->", ""),
        (r' (?:xmlns(?::xlink)?|version)="[^"]*"', ""),
        (r' id="[\w.]*_[\w.]*"', ""),  # of groups; what is referred to has no underscore
        (r"xlink:href=", "href="),
        (r"font-family: *'[^;\"]*Mono'[^;\"]*", "font-family:monospace"),
        (r"font-family: *'[^;\"]*;? *", ""),  # that of the page
        (r' transform="rotate\(-0 [^"]*"', ""),
        (r"(\.\d\d)\d+", r"\1"),
        (r'(?<=[;:]) +(?=[^<>]*"/?>)', ""),
        (r"\s*\n\s*", "\n"),
        (r"<defs>\n?</defs>\n", ""),
        (r"\n(?=[^<])", ""),  # in the middle of a path
        (r"(?<=[MLQCzZ]) ", ""),
    )
)


def svg(draw: Callable[[], Figure], salt: str, label: str, title: str = "") -> str:
    """Draw a figure as an ``<svg>`` element.

    Parameters
    ----------
    draw : callable
        Makes the figure: how exactly curves are drawn is decided as they are made.
    salt : str
        Unlike that of any other figure of the page: of it and of what is drawn the names inside are made.
    label : str
        What it shows, for those who hear it.
    title : str
        Of the page: a figure of that title goes without it.
    """
    from html import escape

    from matplotlib import rc_context
    from matplotlib.backends.backend_mixed import MixedModeRenderer
    from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
    from matplotlib.collections import QuadMesh

    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
        "path.simplify_threshold": EXACT,
        "axes.titley": 1.0,  # else all ticks are measured once more, to find out how high titles stand
    }
    buffer = io.StringIO()
    with rc_context(settings):
        figure = draw()
        figure.set_dpi(POINTS)
        if figure.get_suptitle() == title:
            figure.suptitle("")
        for axes in figure.axes:  # findobj would make ticks of all axes, which takes as long as the drawing
            for one in axes.collections:
                one.set_rasterized(isinstance(one, QuadMesh))
        width, height = figure.get_size_inches() * POINTS
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        vectors = RendererSVG(width, height, buffer, image_dpi=DPI, metadata=nothing)
        renderer: Any = MixedModeRenderer(figure, width / POINTS, height / POINTS, DPI, vectors)
        canvas: Any = FigureCanvasSVG(figure)
        canvas.get_renderer = lambda: renderer  # that of the drawing keeps the extents of texts from the layout
        lay_out(figure)
        figure.draw(renderer)
        renderer.finalize()
    found = IMAGE.sub(_fewer_colours, _small(buffer.getvalue()))
    return found.replace("<svg ", f'<svg class="chart" role="img" aria-label="{escape(label)}" ', 1)


def _fewer_colours(image: re.Match[str]) -> str:
    """Write a map with no more colours than are told apart, in a third of the letters."""
    from PIL import Image

    content = io.BytesIO()
    pixels = Image.open(io.BytesIO(base64.b64decode(image[1])))
    pixels.quantize(COLOURS).save(content, format="png", optimize=True)
    return f'"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"'


def _small(text: str) -> str:
    """Leave out what a page has already, names that nothing refers to, digits that nobody sees, and repeated styles."""
    text = LINES.sub(_in_steps, text[text.index("<svg") :])
    for pattern, instead in LEFT_OUT:
        text = pattern.sub(instead, text)
    return MARKERS.sub(_one_style, _without_bare_groups(text)).strip()


def _in_steps(lines: re.Match[str]) -> str:
    """Write long lines from each point to the next, in half of the letters."""
    written = []
    for line in lines[1].split("M")[1:]:
        points = np.array(line.replace("L", " ").split(), dtype=float).reshape(-1, 2)
        steps = np.diff(np.rint(STEPS * points).astype(np.int64), axis=0, prepend=0)
        steps = steps[(steps != 0).any(axis=1) | (np.arange(len(steps)) < 2)]  # one of no length is a dot
        numbers = steps.ravel().tolist()
        letters = {one: f"{one / STEPS:g}".replace("0.", ".", abs(one) < STEPS) for one in set(numbers)}
        first, *others = (" ".join(map(letters.__getitem__, part)) for part in (numbers[:2], numbers[2:]) if part)
        written.append("l".join([f"M{first}", *others]))
    return f' d="{"".join(written).replace(" -", "-")}"'


def _without_bare_groups(text: str) -> str:
    """Leave out groups without any attribute."""
    kept: list[bool] = []

    def tag(found: re.Match[str]) -> str:
        if found[0].startswith("</"):
            return found[0] if kept.pop() else ""
        kept.append(found[0] != "<g>\n")
        return found[0] if kept[-1] else ""

    return GROUP.sub(tag, text)


def _one_style(markers: re.Match[str]) -> str:
    """Give markers that look alike their style together."""
    style = f' style="{markers[1]}"'
    return f"<g{style}>\n{markers[0].replace(style, '')}</g>\n"
