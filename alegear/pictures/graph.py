"""A torsional machine as a graph: bodies as boxes, parts as symbols between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.checks.rigid_data import model_of
from alegear.pictures.colours import COLOURS
from alegear.pictures.layered import Cuts, Edge, Point, Rows, layered
from alegear.pictures.picture_file import DPI, check_picture, write_figure
from alegear.pictures.scales import plain
from alegear.pictures.titles import shortened
from alegear.system.builder import GROUND

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from alegear.case.machine import MachineCase

#: Layers beside each other; more are folded into rows.
LAYERS = 11
LETTERS = 19
# inches
STEP, GAP, HALF_WIDTH, HALF_HEIGHT, SYMBOL, MARGIN, TITLE, CUT = 1.3, 0.16, 0.46, 0.17, 0.2, 0.75, 0.45, 0.55
LINE, COUPLING, DRIVE, LOSS, GEAR = "#404040", COLOURS[1], COLOURS[2], "#8a5a00", COLOURS[0]
#: Kinds from which a machine is driven, the first ones before the others.
DRIVES = ("drive", "speed", "torque", "torque_function")
#: Places whose names stand at the lines.
NAMED_PLACES = ("sun", "ring", "second_sun", "second_ring", "carrier")


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """A body, or a part with the places it connects.

    Attributes
    ----------
    name, kind : str
        Of a body ``"body"``.
    note : str
        What is written below the name.
    places : tuple of (str, str)
        What a place is to the part, and its name; of the ground none.
    grounded : bool
    """

    name: str
    kind: str
    note: str = ""
    places: tuple[tuple[str, str], ...] = ()
    grounded: bool = False


def write_graph(case: MachineCase, path: Path) -> None:
    """Draw the graph of a torsional machine into a PNG file; it appears whole or not at all.

    Raises
    ------
    Fault
        If the file is no ``.png`` in an existing folder.
    StorageFailure
        If it cannot be written.
    """
    check_picture(path, "picture")
    write_figure(path, draw_graph(nodes_of(case), case.title), DPI)


def nodes_of(case: MachineCase) -> list[Node]:
    """Bodies and parts of a torsional machine."""
    model = model_of(case)
    bodies = [
        Node(name=one.name, kind="body", note=f"{plain(mass, 3)} kg m²" if mass else "no inertia")
        for one, mass in zip(model.coordinates, model.mass.diagonal(), strict=True)
    ]
    there = {body.name for body in bodies}
    parts = [(part.name, part.type_name, part.places) for part in case.parts if not part.makes_bodies]
    shaft_of = {gear.name: gear.shaft for gear in case.gears}
    parts += [
        (one.name, "mesh", dict(zip(("A", "B"), (shaft_of[gear] for gear in one.gears), strict=True)))
        for one in case.meshes
    ]
    parts += [(one.name, "drive", {"at": one.shaft}) for one in case.drives]
    parts += [(one.name, "load", {"at": one.shaft}) for one in case.loads]
    return bodies + [
        Node(
            name=name,
            kind=kind,
            places=tuple((role, place) for role, place in places.items() if place in there),
            grounded=GROUND in places.values(),
        )
        for name, kind, places in parts
    ]


def draw_graph(nodes: Sequence[Node], title: str = "") -> Figure:
    """Draw bodies and parts from the drive on, from left to right.

    Parameters
    ----------
    nodes : sequence of Node
    title : str
    """
    from matplotlib.figure import Figure

    ends = _ends(nodes)
    box = (HALF_HEIGHT + 0.06, HALF_HEIGHT + 0.06)
    extents = [box if node.kind == "body" else (SYMBOL + 0.2, SYMBOL + 0.16) for node in nodes]
    plan = layered(extents, [Edge(tail, head, 0.02) for tail, head, _ in ends], GAP)
    rows = Rows(plan, LAYERS, extents, [0.02] * len(plan.routes), 0.4)
    height, across = TITLE + rows.height + 0.25, STEP * (rows.layers - 1)
    start = MARGIN + (CUT if rows.number > 1 else 0.0)
    width = max(2.0 * start + across, 0.3 + 0.087 * min(len(title), 60), 3.5)

    def at(point: Point) -> tuple[float, float, int]:
        column, y, row = rows.at(point)
        return 0.5 * (width - across) + STEP * column, height - TITLE + y, row

    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, width), ylim=(0.0, height))
    axes.axis("off")
    sheet = _Sheet(axes)
    sheet.text(0.15, height - 0.12, shortened(title, 60), size=10.0, ha="left", va="top")
    lines = [[at(point) for point in route] for route in plan.routes]
    cuts = Cuts(lines, 0.13)
    for number, (stops, (tail, _, role)) in enumerate(zip(lines, ends, strict=True)):
        sheet.line(stops, number, cuts)
        if role in NAMED_PLACES:
            way, end, other = (1.0, 0, 1) if nodes[tail].kind != "body" else (-1.0, -1, -2)  # the part is at the left
            (x, y, _), (_, y_1, _) = stops[end], stops[other]
            up = 0.07 if y_1 > y else -0.07
            ha = "left" if way > 0.0 else "right"
            sheet.text(x + way * (SYMBOL + 0.03), y + up, role, size=6.0, ha=ha, va="center", color="0.4")
    for node, point in zip(nodes, plan.nodes, strict=True):
        x, y, _ = at(point)
        sheet.body(x, y, node) if node.kind == "body" else sheet.part(x, y, node)
    return figure


def _ends(nodes: Sequence[Node]) -> list[tuple[int, int, str]]:
    """Lines between parts and bodies, each away from where the machine is driven."""
    number = {node.name: i for i, node in enumerate(nodes) if node.kind == "body"}
    lines = [(i, number[place], role) for i, node in enumerate(nodes) for role, place in node.places]
    near: dict[int, list[int]] = {}
    for part, body, _ in lines:
        near.setdefault(part, []).append(body)
        near.setdefault(body, []).append(part)
    distance: dict[int, int] = {}
    for root in sorted(range(len(nodes)), key=lambda i: (_rank(nodes[i].kind), i)):
        queue = deque() if root in distance else deque([root])
        distance.setdefault(root, 0)
        while queue:
            node = queue.popleft()
            for other in near.get(node, []):
                if other not in distance:
                    distance[other] = distance[node] + 1
                    queue.append(other)
    return [(p, b, role) if distance[p] < distance[b] else (b, p, role) for p, b, role in lines]


def _rank(kind: str) -> int:
    return DRIVES.index(kind) if kind in DRIVES else len(DRIVES) + (kind != "body")


class _Sheet:
    """What is drawn on; lengths in inches."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes

    def text(self, x: float, y: float, text: str, **about: Any) -> None:
        """Write a name as it is."""
        from matplotlib.patheffects import withStroke

        written = self.axes.text(x, y, text, zorder=6, **about)
        written.set_parse_math(False)
        written.set_path_effects([withStroke(linewidth=1.8, foreground="white", alpha=0.9)])

    def line(self, stops: Sequence[tuple[float, float, int]], number: int, cuts: Cuts) -> None:
        """Connect places; where a row ends the line is cut, with a number at both ends."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path as Curve

        def curve(x_0: float, y_0: float, x_1: float, y_1: float) -> None:
            x_m = 0.5 * (x_0 + x_1)
            path = Curve([(x_0, y_0), (x_m, y_0), (x_m, y_1), (x_1, y_1)], [Curve.MOVETO, *[Curve.CURVE4] * 3])
            self.axes.add_patch(PathPatch(path, facecolor="none", edgecolor="0.45", lw=1.4, zorder=1))

        for (x_0, y_0, row_0), (x_1, y_1, row_1) in pairwise(stops):
            if row_0 == row_1:
                curve(x_0, y_0, x_1, y_1)
                continue
            ends = (x_0 + CUT + 0.1, cuts.before[number, row_0]), (x_1 - CUT - 0.1, cuts.after[number, row_0])
            curve(x_0, y_0, *ends[0])
            curve(*ends[1], x_1, y_1)
            for (x, y), beyond in zip(ends, (0.1, -0.1), strict=True):
                about = {"size": 7.5, "weight": "bold", "color": "0.35"}
                self.text(x + beyond, y, str(cuts.number[number, row_0]), ha="center", va="center", **about)

    def body(self, x: float, y: float, node: Node) -> None:
        """A box with the name and the inertia."""
        from matplotlib.patches import FancyBboxPatch

        box = FancyBboxPatch(
            (x - HALF_WIDTH, y - HALF_HEIGHT), 2.0 * HALF_WIDTH, 2.0 * HALF_HEIGHT,
            boxstyle="round,pad=0,rounding_size=0.06", facecolor="#e6eef5", edgecolor=LINE, lw=1.2, zorder=3,
        )  # fmt: skip
        self.axes.add_patch(box)
        name = shortened(node.name, LETTERS)
        self.text(x, y + 0.065, name, size=7.5 if len(name) <= 13 else 5.8, weight="bold", ha="center", va="center")
        self.text(x, y - 0.085, node.note, size=6.0, ha="center", va="center", color="0.35")

    def part(self, x: float, y: float, node: Node) -> None:
        """A symbol with the name above."""
        from matplotlib.patches import Rectangle

        self.axes.add_patch(
            Rectangle(
                (x - SYMBOL, y - SYMBOL), 2 * SYMBOL, 2 * SYMBOL, facecolor="white", edgecolor="0.8", lw=0.8, zorder=3
            )
        )
        SYMBOLS.get(node.kind, _Sheet.dot)(self, x, y)
        if node.grounded and node.kind not in ("ratio", "torque", "resistance"):
            self.ground(x, y - SYMBOL)
        self.text(x, y + SYMBOL + 0.03, shortened(node.name, LETTERS), size=7.0, ha="center", va="bottom")

    # ----------------------------------------------------------------- symbols
    def stroke(self, points: Iterable[tuple[float, float]], x: float, y: float, colour: str, lw: float = 1.5) -> None:
        """A line through places given in halves of a symbol."""
        at = np.array(list(points)) * SYMBOL
        self.axes.plot(x + at[:, 0], y + at[:, 1], color=colour, lw=lw, solid_joinstyle="round", zorder=4)

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """A circle about a place, in halves of a symbol."""
        from matplotlib.patches import Circle

        self.axes.add_patch(Circle((x, y), radius * SYMBOL, facecolor="none", edgecolor=colour, lw=1.5, zorder=4))

    def ground(self, x: float, y: float) -> None:
        """A line with hatches below a place."""
        self.axes.plot([x, x], [y, y - 0.05], color=LINE, lw=1.0, zorder=2)
        self.axes.plot([x - 0.12, x + 0.12], [y - 0.05] * 2, color=LINE, lw=1.2, zorder=2)
        for k in range(5):
            left = x - 0.12 + 0.06 * k
            self.axes.plot([left, left - 0.04], [y - 0.05, y - 0.1], color=LINE, lw=0.8, zorder=2)

    def spring(self, x: float, y: float) -> None:
        """A spring."""
        zigzag = [(-0.45 + 0.15 * k, 0.45 * (-1) ** k) for k in range(7)]
        self.stroke([(-0.85, 0.0), (-0.6, 0.0), *zigzag, (0.6, 0.0), (0.85, 0.0)], x, y, LINE)

    def gear(self, x: float, y: float) -> None:
        """Two circles that touch."""
        self.circle(x - 0.33 * SYMBOL, y, 0.28, GEAR)
        self.circle(x + 0.4 * SYMBOL, y, 0.45, GEAR)

    def planetary(self, x: float, y: float) -> None:
        """A ring, a sun, three planets."""
        self.circle(x, y, 0.85, GEAR)
        self.circle(x, y, 0.27, GEAR)
        for angle in np.radians([90.0, 210.0, 330.0]):
            self.circle(x + 0.56 * SYMBOL * np.cos(angle), y + 0.56 * SYMBOL * np.sin(angle), 0.25, GEAR)

    def clutch(self, x: float, y: float) -> None:
        """Two disks beside each other."""
        for side in (-1.0, 1.0):
            self.stroke([(side * 0.85, 0.0), (side * 0.18, 0.0)], x, y, COUPLING)
            self.stroke([(side * 0.18, -0.7), (side * 0.18, 0.7)], x, y, COUPLING, 2.6)

    def brake(self, x: float, y: float) -> None:
        """A disk between two pads."""
        self.stroke([(-0.85, 0.0), (0.0, 0.0)], x, y, COUPLING)
        self.stroke([(0.0, -0.75), (0.0, 0.75)], x, y, COUPLING, 2.2)
        for side in (-1.0, 1.0):
            self.stroke([(side * 0.22, 0.35), (side * 0.22, 0.7)], x, y, LINE, 3.2)
        self.stroke([(0.22, 0.52), (0.75, 0.52), (0.75, -0.9)], x, y, LINE, 1.2)

    def freewheel(self, x: float, y: float) -> None:
        """A triangle against a line."""
        self.stroke([(-0.85, 0.0), (-0.4, 0.0), (-0.4, 0.5), (0.35, 0.0), (-0.4, -0.5), (-0.4, 0.0)], x, y, COUPLING)
        self.stroke([(0.4, -0.55), (0.4, 0.55)], x, y, COUPLING, 2.2)
        self.stroke([(0.4, 0.0), (0.85, 0.0)], x, y, COUPLING)

    def friction(self, x: float, y: float) -> None:
        """A shaft between two blocks."""
        self.stroke([(-0.85, 0.0), (0.85, 0.0)], x, y, LINE)
        for side in (-1.0, 1.0):
            self.stroke([(-0.4, side * 0.3), (0.4, side * 0.3)], x, y, LOSS, 4.0)

    def source(self, x: float, y: float) -> None:
        """An arrow that turns."""
        angles = np.radians(np.linspace(-150.0, 120.0, 30))
        self.stroke([(0.6 * np.cos(a), 0.6 * np.sin(a)) for a in angles], x, y, DRIVE, 2.0)
        self.stroke([(0.0, 0.72), (-0.36, 0.48), (-0.02, 0.2)], x, y, DRIVE, 2.0)

    def resistance(self, x: float, y: float) -> None:
        """A torque that grows with the square of the speed."""
        self.stroke([(-0.65, 0.7), (-0.65, -0.6), (0.75, -0.6)], x, y, LINE, 1.0)
        self.stroke([(-0.65 + 1.2 * s, -0.6 + 1.1 * s * s) for s in np.linspace(0.0, 1.0, 20)], x, y, LOSS, 2.0)

    def dot(self, x: float, y: float) -> None:
        """What has no symbol."""
        self.circle(x, y, 0.35, LINE)


SYMBOLS: dict[str, Callable[[_Sheet, float, float], None]] = {
    "spring": _Sheet.spring,
    "ratio": _Sheet.gear,
    "mesh": _Sheet.gear,
    "planetary_ratio": _Sheet.planetary,
    "planetary": _Sheet.planetary,
    "clutch": _Sheet.clutch,
    "brake": _Sheet.brake,
    "freewheel": _Sheet.freewheel,
    "friction": _Sheet.friction,
    "torque": _Sheet.source,
    "speed": _Sheet.source,
    "drive": _Sheet.source,
    "torque_function": _Sheet.source,
    "resistance": _Sheet.resistance,
    "load": _Sheet.resistance,
}
