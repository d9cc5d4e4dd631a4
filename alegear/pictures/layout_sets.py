"""Planetary sets in the drawing of a layout: sun, ring, carrier and planets on their pins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from alegear.pictures.layout_sketch import Sketch


MM = 1e3
CARRIER, LINE = "#b5bcc2", "#404040"
#: Of suns, rings and planets: other colours than those of gears on shafts.
SUN, RING_GEAR, PLANET = "#a8780a", "#5b6b7a", "#6a4fb3"
#: Face width of a set without one, over the pitch radius of its smallest wheel.
FACE = 0.6
#: Addendum and thickness of the rim of sets without them, in modules.
ADDENDUM, RIM = 1.0, 4.0
#: Thickness of the carrier's side and its distance from the planets, over the face width.
PLATE, APART = 0.18, 0.12
TEXT = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.0}


@dataclass(frozen=True, kw_only=True, eq=False)
class SetSketch:
    """A set on paper.

    Parameters
    ----------
    name : str
    shape : dict
        As :func:`alegear.results.planetary_shape.planetary_shapes` has made it.
    sketch : Sketch
        Of the whole layout.
    """

    name: str
    shape: dict[str, Any]
    sketch: Sketch

    @property
    def along(self) -> float:
        """Position of the middle of its faces along the section [m]."""
        return float(np.array(self.shape["origin"]) @ self.sketch.along)

    @property
    def height(self) -> float:
        """Position of its axis across the section [m]."""
        return self.sketch.heights.get(self.shape["carrier"], 0.0)

    @property
    def width(self) -> float:
        """Face width [m]."""
        wheels = [*self.shape["gears"].values(), *(w for _, w in self.planet_wheels)]
        return float(self.shape["face_width"] or FACE * min(wheel["pitch_radius"] for wheel in wheels))

    @property
    def planet_wheels(self) -> list[tuple[str, dict[str, Any]]]:
        """Planets with each of their wheels."""
        return [(name, wheel) for name, own in self.shape["planets"].items() for wheel in own["wheels"].values()]

    @property
    def colours(self) -> dict[str, str]:
        """Of central gears and planets."""
        found = {name: SUN if gear["teeth"] > 0 else RING_GEAR for name, gear in self.shape["gears"].items()}
        return found | dict.fromkeys(self.shape["planets"], PLANET)

    @property
    def side_of_carrier(self) -> float:
        """On which side of the planets the carrier is: where its shaft goes."""
        shaft = self.shape["carrier"]
        if shaft not in self.sketch.shafts:
            return -1.0
        low, high = self.sketch.ends(shaft)
        return -1.0 if 0.5 * (low + high) <= self.along else 1.0

    @property
    def planets_called(self) -> str:
        """Name of all planets together."""
        names = list(self.shape["planets"])
        return names[0] if len(names) == 1 else f"{names[0]} ... {names[-1].removeprefix(f'{self.name} planet ')}"

    def tip(self, wheel: dict[str, Any]) -> float:
        """Radius of the tip circle [m]."""
        side = 1.0 if wheel["teeth"] > 0 else -1.0
        return float(wheel["tip_radius"] or wheel["pitch_radius"] + side * ADDENDUM * self.shape["module"])

    def rim(self, wheel: dict[str, Any]) -> float:
        """Radius of the outside of a ring [m]."""
        return float(wheel["rim_radius"] or wheel["pitch_radius"] + RIM * self.shape["module"])


def sets_of(sketch: Sketch) -> list[SetSketch]:
    """Sets whose axes are parallel to the section."""
    return [
        SetSketch(name=name, shape=shape, sketch=sketch)
        for name, shape in sketch.shape["planetary_sets"].items()
        if sketch.is_along(shape["axes"][2])
    ]


# ------------------------------------------------------------------------------------------ from the side


def draw_set_from_side(axes: Axes, one: SetSketch) -> None:
    """Draw a set in the section: two planets are turned into its plane, above and below the axis."""
    colours, middle, height, b = one.colours, one.along, one.height, one.width
    pins = [own["pin_radius"] for own in one.shape["planets"].values()]
    for name, gear in one.shape["gears"].items():
        inner, outer = (0.0, one.tip(gear)) if gear["teeth"] > 0 else (one.tip(gear), one.rim(gear))
        for side in (1.0, -1.0):
            _box(axes, middle, b, height + side * inner, height + side * outer, colours[name])
        if gear["teeth"] < 0:
            _name(axes, f"{name}, z = {-gear['teeth']}", middle, height + outer, 0.0)
    for pin, r in sorted(
        {(pin, one.tip(wheel)) for (_, wheel), pin in zip(one.planet_wheels, _pins(one), strict=True)}
    ):
        for side in (1.0, -1.0):
            centre = height + side * pin
            _box(axes, middle, b, centre - r, centre + r, PLANET)
    plate, at = PLATE * b, middle + one.side_of_carrier * (0.5 + APART + 0.5 * PLATE) * b
    reach = max(pins)
    _box(axes, at, plate, height - reach - 1.5 * plate, height + reach + 1.5 * plate, LINE, face=CARRIER)
    for pin in sorted(set(pins)):
        for side in (1.0, -1.0):
            ends = [MM * at, MM * (middle - one.side_of_carrier * 0.5 * b)]
            axes.plot(ends, [MM * (height + side * pin)] * 2, color=LINE, lw=2.2, solid_capstyle="butt", zorder=6)
    edge = at + 0.5 * one.side_of_carrier * plate
    _name(axes, f"{one.name} carrier", edge, height + reach, one.side_of_carrier)
    _name_wheels(axes, one)


def _name_wheels(axes: Axes, one: SetSketch) -> None:
    """Names of suns at the axis and of the planets on the one below, where the carrier is not."""
    words = [
        (f"{name}\nz = {gear['teeth']}", one.height) for name, gear in one.shape["gears"].items() if gear["teeth"] > 0
    ]
    _, own = next(iter(one.shape["planets"].items()))
    teeth = " and ".join(str(wheel["teeth"]) for wheel in own["wheels"].values())
    words.append((f"{one.planets_called}\nz = {teeth}", one.height - own["pin_radius"]))
    for text, y in words:
        _name(axes, text, one.along - 0.5 * one.side_of_carrier * one.width, y, -one.side_of_carrier)


def _pins(one: SetSketch) -> list[float]:
    """Radius of the pin of each of the planets' wheels [m]."""
    return [one.shape["planets"][name]["pin_radius"] for name, _ in one.planet_wheels]


def _box(axes: Axes, middle: float, width: float, low: float, high: float, colour: str, face: str = "") -> None:
    """A rectangle, fainter inside; all in m."""
    from matplotlib.patches import Rectangle

    corner, size = (MM * (middle - 0.5 * width), MM * min(low, high)), (MM * width, MM * abs(high - low))
    alpha = 1.0 if face else 0.3
    axes.add_patch(Rectangle(corner, *size, facecolor=face or colour, alpha=alpha, edgecolor="none", zorder=3))
    axes.add_patch(Rectangle(corner, *size, facecolor="none", edgecolor=colour, linewidth=1.2, zorder=5))


def _name(axes: Axes, text: str, x: float, y: float, side: float) -> None:
    """A name to the right (1) or the left (-1) of a point, or above it (0)."""
    ha = {1.0: "left", -1.0: "right"}.get(side, "center")
    axes.annotate(
        text, (MM * x, MM * y), (4.0 * side, 0.0 if side else 3.0), textcoords="offset points", ha=ha,
        va="center" if side else "bottom", fontsize=7.5, bbox=TEXT, zorder=9, parse_math=False,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------ from the end


def draw_set_from_end(axes: Axes, one: SetSketch) -> None:
    """Draw a set from the end: planets where they are, the arms of the carrier to their pins."""
    from matplotlib.patches import Circle

    colours = one.colours
    centre = MM * one.sketch.from_end(one.shape["origin"])
    e_1, e_2, _ = np.array(one.shape["axes"])

    def circle(at: Array, radius: float, colour: str, style: str = "-", **more: Any) -> None:
        axes.add_patch(Circle(tuple(at), MM * radius, **({"fill": False, "ec": colour, "ls": style, "lw": 0.9} | more)))

    def wheel(at: Array, own: dict[str, Any], colour: str) -> None:
        circle(at, one.tip(own), colour)
        circle(at, own["pitch_radius"], colour, "-.", lw=1.0)
        if own["teeth"] > 0:
            circle(at, one.tip(own), colour, fill=True, fc=colour, alpha=0.12, ec="none")
        else:
            circle(at, one.rim(own), colour)

    for name, gear in one.shape["gears"].items():
        wheel(centre, gear, colours[name])
    for name, own in one.shape["planets"].items():
        angle = own["pin_angle"]
        out = np.cos(angle) * e_1 + np.sin(angle) * e_2
        at = centre + MM * own["pin_radius"] * one.sketch.from_end(out)
        axes.plot(*zip(centre, at, strict=True), color=CARRIER, lw=4.0, solid_capstyle="round", zorder=1.5)
        axes.plot(*at, "o", color=LINE, markersize=4)
        for of_planet in own["wheels"].values():
            wheel(at, of_planet, colours[name])
        axes.annotate(
            name, tuple(at), (0, 6), textcoords="offset points", ha="center", fontsize=7.5, bbox=TEXT, parse_math=False
        )


def entries(one: SetSketch) -> list[tuple[str, str]]:
    """Colour and text of each entry in the legend."""
    found = [(one.colours[name], f"{name}, z = {abs(gear['teeth'])}") for name, gear in one.shape["gears"].items()]
    planet, own = next(iter(one.shape["planets"].items()))
    teeth = " and ".join(str(wheel["teeth"]) for wheel in own["wheels"].values())
    found.append((one.colours[planet], f"{one.planets_called}, z = {teeth}"))
    found.append((CARRIER, f"{one.name} carrier, pins at {MM * own['pin_radius']:.6g}"))
    return found
