"""Flow of the power through a machine of torsional parts, as bands whose widths are powers (Sankey, 1898).

``matplotlib.sankey`` draws one chain whose joints are placed by hand; a machine is a graph, which
:mod:`alegear.pictures.layered` places.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from alegear.pictures.colours import COLOURS
from alegear.pictures.layered import Cuts, Edge, Layered, Point, Rows, layered
from alegear.pictures.picture import Picture, of_dataset
from alegear.pictures.scales import in_units
from alegear.pictures.titles import shortened
from alegear.results.power_flow import Aside, PowerFlow, power_flow
from alegear.results.reading import over_lead

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: Names in the note on what is not drawn.
NAMED = 10
#: Layers beside each other; more are folded into rows, as the lines of a text.
LAYERS = 11
#: Characters of a name, of a title; of a name beside an arrow.
LETTERS, TITLE_LETTERS, LETTERS_BESIDE = 20, 60, 12
# inches
WIDEST, STEP, GAP = 0.9, 1.6, 0.12
BAR = {"body": 0.07, "part": 0.035, "source": 0.07, "load": 0.07, "loss": 0.07}  # half a width
LINE, BEND, SHAFT, THINNEST = 0.13, 0.05, 0.1, 0.012
MARGIN, TITLE, NOTE = 0.85, 0.5, 0.62
#: An arrow that is wider has its power beyond its head, not beside it: there another name may stand.
WIDE = 0.2
#: Room in which a band is cut at the end of a row, and goes on at the beginning of the next.
CUT = 0.85

COLOUR = {"body": "#333333", "part": COLOURS[0], "source": COLOURS[2], "load": COLOURS[4], "loss": COLOURS[1]}
ASIDE: dict[str, str] = {"lost": COLOURS[1], "stored": COLOURS[3], "supplied": COLOURS[2]}
BAND, BACK = COLOURS[5], "#999999"


def draw_power_flow(dataset: xr.Dataset, at: float | None = None) -> Figure:
    """Draw bodies and parts as bars and the power between them as bands; losses go down, what is stored up.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a torsional machine.
    at : float, optional
        Time [s]; default: mean power.
    """
    return _Picture(power_flow(dataset, at), str(dataset.attrs.get("title", ""))).figure


def _head(w: float) -> float:
    """Length of the head of an arrow of width w."""
    return max(0.09, 0.45 * w)


def _reach(w: float) -> float:
    """How far an arrow of width w reaches beyond a bar, with its power where this stands beyond its head."""
    return BEND + SHAFT + _head(w) + (LINE if w > WIDE else 0.0)


class _Picture:
    """A picture in the making; lengths in inches."""

    def __init__(self, flow: PowerFlow, title: str) -> None:
        from matplotlib.figure import Figure

        self.flow = flow
        largest = max((node.power for node in flow.nodes), default=0.0)
        self.scale = WIDEST / largest if largest > 0.0 else 0.0
        self.above, self.below = [], []
        for node in flow.nodes:
            up = [self._width(p) for what, p in node.aside if what != "lost"]
            down = [self._width(p) for what, p in node.aside if what == "lost"]
            arrows = [max((_reach(w) for w in widths), default=0.0) for widths in (up, down)]
            own = 2.0 * LINE + 0.08
            self.above.append(own + arrows[0] if len(up) > 1 else max(own, arrows[0] + 0.05))
            self.below.append(0.05 + arrows[1])
        edges = [Edge(b.tail, b.head, self._width(b.power)) for b in flow.bands]
        backward = layered([(0.0, 0.0)] * len(flow.nodes), edges, GAP).backward  # whatever room the nodes take
        self.sizes = [self._size(i, backward) for i in range(len(flow.nodes))]
        extents = [(0.5 * h + a, 0.5 * h + b) for h, a, b in zip(self.sizes, self.above, self.below, strict=True)]
        self.plan: Layered = layered(extents, edges, GAP)
        self.rows = Rows(self.plan, LAYERS, extents, [0.5 * self._width(band.power) for band in flow.bands], 0.45)
        self.height = TITLE + NOTE + self.rows.height + 0.1
        cut = CUT if self.rows.number > 1 else 0.0
        left, right = (max(self._beside(side), MARGIN) + cut for side in ("left", "right"))
        across = STEP * (self.rows.layers - 1)
        self.head = (
            f"{shortened(title, TITLE_LETTERS)}: power flow, {flow.when}" if title else f"power flow, {flow.when}"
        )
        width = max(left + across + right, 0.3 + 0.087 * len(self.head), 4.0)
        self.start = left + 0.5 * (width - left - across - right)
        self.figure: Figure = Figure(figsize=(width, self.height))
        axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0.0, width), ylim=(0.0, self.height))
        axes.axis("off")
        self.axes: Axes = axes
        self._draw_bands()
        for i in range(len(flow.nodes)):
            self._draw_node(i)
        self._write_frame(width)

    def _size(self, i: int, backward: Sequence[bool]) -> float:
        """Height of the bar of a node: of the bands at its left side or at its right, whichever is more."""
        left = [self._width(p) for what, p in self.flow.nodes[i].aside if what != "lost" and p < 0.0]
        right = [self._width(p) for what, p in self.flow.nodes[i].aside if what == "lost" or p > 0.0]
        for band, turned in zip(self.flow.bands, backward, strict=True):
            if i in (band.tail, band.head):
                (right if (band.tail == i) != turned else left).append(self._width(band.power))
        return max(sum(left), sum(right), THINNEST)

    def _width(self, power: float) -> float:
        return max(abs(power) * self.scale, THINNEST)

    def _beside(self, side: Literal["left", "right"]) -> float:
        """Room for what goes aside at the first or the last layer of rows."""
        last = self.rows.layers - 1 if side == "right" else 0
        room = [0.0]
        for node, place in zip(self.flow.nodes, self.plan.nodes, strict=True):
            if place.layer % self.rows.layers == last:
                room += [
                    self._width(power) + 0.85
                    for what, power in node.aside
                    if (what == "lost" or power > 0.0) == (side == "right")
                ]
        return max(room)

    # ------------------------------------------------------------------ places
    def _at(self, point: Point) -> tuple[float, float, int]:
        """Place of a point, and its row."""
        column, y, row = self.rows.at(point)
        return self.start + STEP * column, self.height - TITLE + y, row

    def _bar(self, i: int) -> tuple[float, float, float]:
        """Middle, bottom and top of the bar of a node."""
        x, y, _ = self._at(self.plan.nodes[i])
        half = 0.5 * self.sizes[i]
        return x, y - half, y + half

    # ------------------------------------------------------------------- bands
    def _draw_bands(self) -> None:
        """Draw each band from bar to bar, the upper ones at the upper ends."""
        left, right = self._ports("left"), self._ports("right")
        stops = []
        for k, (band, route) in enumerate(zip(self.flow.bands, self.plan.routes, strict=True)):
            ends = (band.head, band.tail) if self.plan.backward[k] else (band.tail, band.head)
            places = [self._at(point) for point in route]
            places[0] = (places[0][0] + BAR[self.flow.nodes[ends[0]].kind], right[k], places[0][2])
            places[-1] = (places[-1][0] - BAR[self.flow.nodes[ends[1]].kind], left[k], places[-1][2])
            stops.append(places)
        cuts = Cuts(stops, LINE)
        for k, (band, places) in enumerate(zip(self.flow.bands, stops, strict=True)):
            w = self._width(band.power)
            colour, way = (BACK, -1.0) if self.plan.backward[k] else (BAND, 1.0)
            self._arrow(*self._middle(places), w, way)
            for line in self._lines(places, k, cuts):
                self._band(line, w, colour)

    @staticmethod
    def _middle(stops: list[tuple[float, float, int]]) -> tuple[float, float]:
        """Place of the arrow of a band: between its first two stops, of one that is cut there before the cut."""
        (x_0, y_0, row_0), (x_1, y_1, row_1) = stops[:2]
        return (0.5 * (x_0 + x_1), 0.5 * (y_0 + y_1)) if row_0 == row_1 else (x_0 + 0.5 * CUT, y_0)

    def _lines(
        self, stops: list[tuple[float, float, int]], k: int, cuts: Cuts
    ) -> list[list[tuple[float, float]]]:  # fmt: skip
        """Cut a band where its row ends; its number stands at both ends."""
        lines = [[stops[0][:2]]]
        for (x_0, _, row_0), (x_1, y_1, row_1) in pairwise(stops):
            if row_0 != row_1:
                ends = (x_0 + CUT, cuts.before[k, row_0]), (x_1 - CUT, cuts.after[k, row_0])
                lines[-1].append(ends[0])
                lines.append([ends[1]])
                for (x, y), beyond in zip(ends, (0.12, -0.12), strict=True):
                    about = {"size": 7.5, "weight": "bold", "color": "0.35"}
                    self._text(x + beyond, y, str(cuts.number[k, row_0]), ha="center", va="center", **about)
            lines[-1].append((x_1, y_1))
        return lines

    def _ports(self, side: Literal["left", "right"]) -> dict[int, float]:
        """Middles of the bands at a side of the bars."""
        found: dict[int, float] = {}
        for i, node in enumerate(self.flow.nodes):
            at = 0 if side == "right" else -1
            own = []
            for k, band in enumerate(self.flow.bands):
                first, last = (band.head, band.tail) if self.plan.backward[k] else (band.tail, band.head)
                if (first if side == "right" else last) == i:
                    route = self.plan.routes[k]
                    own.append((-route[1 if at == 0 else -2].y, k))
            _, _, top = self._bar(i)
            top -= sum(self._width(p) for what, p in node.aside if what != "lost" and (p > 0.0) == (side == "right"))
            for _, k in sorted(own):
                w = self._width(self.flow.bands[k].power)
                found[k] = top - 0.5 * w
                top -= w
        return found

    def _band(self, line: list[tuple[float, float]], w: float, colour: str) -> None:
        """A band of width w along places, level at each of them."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        points: list[tuple[float, float]] = []
        codes: list[int] = []
        for side, places in ((0.5 * w, line), (-0.5 * w, line[::-1])):
            points.append((places[0][0], places[0][1] + side))
            codes.append(int(Path.LINETO if codes else Path.MOVETO))
            for (x_0, y_0), (x_1, y_1) in pairwise(places):
                x_m = 0.5 * (x_0 + x_1)
                points += [(x_m, y_0 + side), (x_m, y_1 + side), (x_1, y_1 + side)]
                codes += [int(Path.CURVE4)] * 3
        points.append(points[0])
        codes.append(int(Path.CLOSEPOLY))
        self.axes.add_patch(PathPatch(Path(points, codes), facecolor=colour, edgecolor="none", alpha=0.5))

    def _arrow(self, x: float, y: float, w: float, way: float) -> None:
        """A small triangle that points where the power goes."""
        from matplotlib.patches import Polygon

        size = min(max(0.3 * w, 0.045), 0.11)
        inside = w > 0.09
        points = [(x + way * size, y), (x - way * 0.6 * size, y + size), (x - way * 0.6 * size, y - size)]
        colour = "white" if inside else "#5a7d8f"
        self.axes.add_patch(Polygon(points, facecolor=colour, edgecolor="none", zorder=2))

    # ------------------------------------------------------------------- nodes
    def _draw_node(self, i: int) -> None:
        from matplotlib.patches import Rectangle

        node, (x, bottom, top) = self.flow.nodes[i], self._bar(i)
        half = BAR[node.kind]
        self.axes.add_patch(
            Rectangle((x - half, bottom), 2.0 * half, top - bottom, facecolor=COLOUR[node.kind], zorder=3)
        )
        out = sum(self._width(p) for what, p in node.aside if what != "lost" and p > 0.0)
        into = sum(self._width(p) for what, p in node.aside if what != "lost" and p < 0.0)
        high_out, high_in, low = top, top, bottom
        for what, power in node.aside:
            w = self._width(power)
            if what == "lost":
                low = self._aside(x + half, low + w, w, 1.0, -1.0, what, power)
            elif power > 0.0:
                high_out = self._aside(x + half, high_out - w, w, 1.0, 1.0, what, power)
            else:
                high_in = self._aside(x - half, high_in - w, w, -1.0, 1.0, what, power)
        align = "center" if bool(out) == bool(into) else "right" if out else "left"
        y = top + 0.03 + (_reach(max(out, into)) if out and into else 0.0)
        name = shortened(node.name, LETTERS if align == "center" else LETTERS_BESIDE)
        at = x + {"center": 0.0, "right": 0.02, "left": -0.02}[align]
        self._text(at, y + LINE, name, size=7.5, weight="bold", ha=align, va="bottom", color="0.1")
        self._text(at, y, in_units(node.power, "W"), size=7.0, ha=align, va="bottom", color="0.35")

    def _aside(self, x: float, y: float, w: float, side: float, way: float, what: Aside, power: float) -> float:
        """Bend a band of width w between a bar and an arrow up (way 1) or down; returns where the next one begins.

        y is the edge of the band that is away from where it goes; `side` 1 goes out at the right, -1 in at the left.
        """
        from matplotlib.patches import PathPatch, Polygon
        from matplotlib.path import Path

        r, k = BEND, 0.5523  # of a quarter circle by a cubic
        inner, outer = y + way * w, y
        far = r + w
        points = [
            (x, inner), (x + side * k * r, inner), (x + side * r, inner + way * (1 - k) * r),
            (x + side * r, inner + way * r), (x + side * r, inner + way * (r + SHAFT)),
            (x + side * far, inner + way * (r + SHAFT)), (x + side * far, inner + way * r),
            (x + side * far, inner + way * (r - k * far)), (x + side * k * far, outer), (x, outer), (x, inner),
        ]  # fmt: skip
        curve = [Path.CURVE4] * 3
        codes = [Path.MOVETO, *curve, Path.LINETO, Path.LINETO, Path.LINETO, *curve, Path.CLOSEPOLY]
        colour = ASIDE[what]
        self.axes.add_patch(PathPatch(Path(points, codes), facecolor=colour, edgecolor="none", alpha=0.75, zorder=2))
        middle, tip = x + side * (r + 0.5 * w), inner + way * (r + SHAFT)
        size, head = 0.5 * w + 0.045, _head(w)
        points = [(middle - size, tip), (middle + size, tip), (middle, tip + way * head)]
        if side < 0.0:  # it comes in: the arrow points to the bar
            points = [(middle - size, tip + way * head), (middle + size, tip + way * head), (middle, tip)]
        self.axes.add_patch(Polygon(points, facecolor=colour, edgecolor="none", alpha=0.75, zorder=2))
        about = {"size": 6.5, "color": colour}
        if w > WIDE:
            end = tip + way * (head + 0.02)
            self._text(middle, end, in_units(abs(power), "W"), ha="center", va="bottom" if way > 0 else "top", **about)
        else:
            beside, ha = middle + side * (size + 0.03), "left" if side > 0.0 else "right"
            self._text(beside, tip + 0.3 * way * head, in_units(abs(power), "W"), ha=ha, va="center", **about)
        return y

    def _text(self, x: float, y: float, text: str, **about: object) -> None:
        from matplotlib.patheffects import withStroke

        written = self.axes.text(x, y, text, zorder=5, **about)  # type: ignore[arg-type]
        written.set_parse_math(False)
        written.set_path_effects([withStroke(linewidth=1.8, foreground="white", alpha=0.85)])

    # ------------------------------------------------------------------- frame
    def _write_frame(self, width: float) -> None:
        """Title, meaning of the colours, and what is not drawn."""
        self._text(0.15, self.height - 0.14, self.head, size=10.0, ha="left", va="top", color="0.1")
        kinds = {node.kind for node in self.flow.nodes}
        asides = {what for node in self.flow.nodes for what, _ in node.aside}
        meanings: list[tuple[str, str]] = [(COLOUR[kind], kind) for kind in ("body", "part") if kind in kinds]
        meanings += [(COLOUR["source"], "supplied")] if "source" in kinds or "supplied" in asides else []
        meanings += [(COLOUR["load"], "load")] if "load" in kinds else []
        meanings += [(COLOUR["loss"], "lost")] if "loss" in kinds or "lost" in asides else []
        meanings += [(ASIDE["stored"], "to or from what is stored")] if "stored" in asides else []
        meanings += [(BACK, "flows back")] if any(self.plan.backward) else []
        from matplotlib.patches import Rectangle

        x = 0.15
        for colour, meaning in meanings:
            self.axes.add_patch(Rectangle((x, 0.36), 0.1, 0.1, facecolor=colour))
            self._text(x + 0.15, 0.41, meaning, size=7.0, ha="left", va="center", color="0.25")
            x += 0.32 + 0.058 * len(meaning)
        if not self.flow.nodes:
            self._text(0.5 * width, 0.5 * self.height, "no power flows", size=10.0, ha="center", va="center")
        if self.flow.left_out:
            named = [shortened(name, 16) for name in self.flow.left_out[:NAMED]]
            more = len(self.flow.left_out) - len(named)
            self._note(f"less than {in_units(self.flow.small, 'W')}: ", named, f"{more} others" if more else "", width)

    def _note(self, what: str, named: list[str], more: str, width: float) -> None:
        """One line of names, as many as there is room for."""
        room = int((width - 0.3) / 0.062)
        kept = list(named)
        while kept and len(what + ", ".join(kept)) + len(more) + 12 > room:
            kept.pop()
        others = len(named) - len(kept) + (int(more.split()[0]) if more else 0)
        text = what + ", ".join([*kept, *([f"{others} others"] if others else [])])
        self._text(0.15, 0.17, text, size=7.0, ha="left", va="center", color="0.4")


def _holds(dataset: xr.Dataset) -> bool:
    return over_lead(dataset, "power", ndim=2) and "flange" in dataset["power"].dims and dataset.sizes["time"] > 0


PICTURE = Picture(
    name="power_flow",
    heading="Torsional parts",
    order=262,
    holds=of_dataset(_holds),
    draw=of_dataset(draw_power_flow),
    caption=lambda result: "Power flow: bodies and parts as bars, the power between them as bands; losses go down",
)
