"""Shafts by sections, flexible or rigid, and what is rigid on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from alegear.drivetrain.parts import AT, COORDINATE
from alegear.drivetrain.place_names import node_name
from alegear.drivetrain.shaft_segment import ShaftSegment
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.limits import Limits, array_of, check_type
from alegear.parameters import Columns, NamedPart, Numbers, Words
from alegear.system.beam import HollowCircle
from alegear.system.bodies import INERTIA, TILT_INERTIA
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Array, Place, Scales, Z, axes_along
from alegear.system.machine_part import MachinePart
from alegear.system.support import UNBALANCE
from alegear.system.unbalance import Unbalance

#: Places on a shaft nearer than this part of its length are the same.
SAME_PLACE = 1e-6
#: Up to which stretches of the shafts of a machine keep their modes [rad/s], 25 kHz: above what teeth excite and what
#: is heard. A default with a unit: very small machines, whose modes all lie above it, give highest_mode_Hz.
HIGHEST_MODE = 2.0 * math.pi * 25e3
#: Nodes of a flexible shaft at most: the matrices of its stretches are full.
MOST_NODES = 500
#: Elements of the whole length at least; README, "How long the elements are".
ELEMENTS = 8
UNBALANCE_ANGLE = Limits(
    quantity="direction of the unbalance", key="unbalance_angle_deg", unit="deg", least=-360.0, most=360.0
)
#: Least size of a direction; the greatest is as many times greater than 1.
SHORTEST_DIRECTION = 1e-9
SECTION = {
    "length": Limits(quantity="length of a section", key="sections_mm", unit="mm", least=1e-2, most=1e6),
    "outer": Limits(quantity="outer diameter", key="sections_mm", unit="mm", least=1e-2, most=1e5),
    "inner": Limits(quantity="inner diameter", key="sections_mm", unit="mm", least=0.0, most=1e5),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Shaft(NamedPart, Part):
    """A shaft of sections one after the other: Timoshenko beams, one rigid body, or one whose axis is held.

    Parameters
    ----------
    name : str
        Also that of its first node; others are ``"name@60mm"``, by their position along it.
    sections : shape (n, 3) [m]
        Length, outer and inner diameter; may be left out of a `fixed_axis` and of a `rigid` one, which then have no
        inertia of their own: what sits on them has it.
    direction : shape (3,)
        Along which it extends; made a unit vector. Its rotation is positive about it.
    material : Material
    fixed_axis : bool
        One body that can only turn: its axis is held, and needs no bearings.
    points : tuple of float [m]
        Further places along it, besides the borders of sections and the seats of what sits on it.
    highest_mode : float or None [rad/s]
        Nodes between its ends and what sits on it are condensed, and stretches keep their modes up to this frequency,
        25 kHz unless another is given; None: all nodes keep their coordinates.
    scales : Scales or None
        None: those of the machine.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "shafts"
    makes_bodies: ClassVar[bool] = True

    sections: Annotated[
        ArrayLike,
        Columns(
            "mm",
            "mm",
            "mm",
            words="sections one after the other: length, outer and inner diameter in mm",
            least=0,
            key="sections_mm",
            each=Limits(quantity="length or diameter"),
        ),
    ] = ()
    position: Annotated[ArrayLike, Numbers("beginning of the shaft in space", COORDINATE, 3, 3)] = (0.0, 0.0, 0.0)
    direction: Annotated[ArrayLike, Numbers("direction in which it extends", Limits(quantity="direction"), 3, 3)] = (
        0.0,
        0.0,
        1.0,
    )
    material: Material = field(default_factory=Material)
    rigid: Annotated[bool, Words("whether it is one rigid body")] = False
    fixed_axis: Annotated[bool, Words("whether its axis is held, so that it only turns")] = False
    points: tuple[float, ...] = ()
    longest_element: Annotated[
        float | None,
        Limits(
            quantity="longest element",
            words="longest beam element (an eighth of the shaft)",
            unit="mm",
            least=1e-3,
            most=1e6,
        ),
    ] = None
    highest_mode: Annotated[
        float | None,
        Limits(
            quantity="highest frequency of a stretch of shaft",
            words="stretches between its parts keep their natural modes up to this frequency (25000)",
            unit="Hz",
            own_factor=2.0 * math.pi,
            least=0.0,
            most=1e9,
        ),
    ] = HIGHEST_MODE
    scales: Scales | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_type(self, "material", Material)
        if self.rigid and self.fixed_axis:
            limit = "one of rigid and fixed_axis"
            raise Fault(
                f"kind of shaft {self.name}", "both", limit, "leave out rigid: a shaft on a fixed axis is rigid"
            )
        self._check_effects()
        sections = np.atleast_2d(array_of(self.sections, "Shaft.sections"))
        if not sections.size:
            if not (self.fixed_axis or self.rigid):
                limit = "at least one without rigid = true or fixed_axis = true"
                remedy = "give sections_mm, or fixed_axis = true for a shaft that only turns"
                raise Fault(f"sections of shaft {self.name}", "none", limit, remedy)
            sections = np.empty((0, 3))
        elif sections.ndim != 2 or sections.shape[1] != 3:
            limit = "rows of length, outer and inner diameter"
            raise Fault(f"sections of shaft {self.name}", f"shape {sections.shape}", limit, "give three numbers a row")
        for number, row in enumerate(sections):
            for value, limits in zip(row.tolist(), SECTION.values(), strict=True):
                limits.check(value, f"section {number + 1} of shaft {self.name}")
            if not row[2] < row[1]:
                what = f"inner diameter [mm] of section {number + 1} of shaft {self.name}"
                limit = f"less than the outer one, {1e3 * row[1]:g}"
                raise Fault(what, float(f"{1e3 * row[2]:.9g}"), limit, "correct sections_mm")
        for which in ("position", "direction"):
            vector = array_of(getattr(self, which), f"Shaft.{which}")
            if vector.shape != (3,) or not np.isfinite(vector).all():
                raise Fault(f"{which} of shaft {self.name}", vector.tolist(), "three finite numbers", "correct it")
            object.__setattr__(self, which, vector)
        largest = float(np.abs(self.direction).max())
        if not SHORTEST_DIRECTION <= largest <= 1.0 / SHORTEST_DIRECTION:
            limit = f"from {SHORTEST_DIRECTION:g} to {1.0 / SHORTEST_DIRECTION:g}"
            raise Fault(f"largest part of the direction of shaft {self.name}", largest, limit, "give x, y, z")
        object.__setattr__(self, "sections", sections)

    def _check_effects(self) -> None:
        """Refuse what is said of beams and has no effect on a rigid body."""
        if not (self.rigid or self.fixed_axis):
            return
        kind = "fixed_axis" if self.fixed_axis else "rigid"
        limit, remedy = f"left out with {kind} = true", f"leave it out, or {kind} = true"
        if self.longest_element is not None:
            raise Fault(f"longest_element_mm of shaft {self.name}", 1e3 * self.longest_element, limit, remedy)
        if self.highest_mode not in (None, HIGHEST_MODE):
            value = self.highest_mode / (2.0 * math.pi)
            raise Fault(f"highest_mode_Hz of shaft {self.name}", float(f"{value:.9g}"), limit, remedy)

    # --------------------------------------------------------------- geometry
    @property
    def borders(self) -> Array:
        """Positions of the ends of sections along the shaft [m], the beginning included."""
        return np.concatenate([[0.0], np.cumsum(np.asarray(self.sections)[:, 0])])

    @property
    def length(self) -> float:
        """Whole length [m]."""
        return float(self.borders[-1])

    @property
    def axes(self) -> Array:
        """e1, e2, e3 in space, one a row."""
        return axes_along(np.asarray(self.direction))

    def point(self, position: float) -> Array:
        """Point of the axis in space [m]."""
        point: Array = np.asarray(self.position) + position * self.axes[2]
        return point

    def places(self, seats: tuple[float, ...] = ()) -> Array:
        """Positions of all places that have a name [m], rising.

        Raises
        ------
        Fault
            If one lies beyond the ends.
        """
        found, same = self.borders.tolist(), SAME_PLACE * self.length
        for place in (*self.points, *seats):
            if len(np.asarray(self.sections)) and not -same <= place <= self.length + same:
                what = f"position on shaft {self.name} [mm]"
                raise Fault(what, float(f"{1e3 * place:.9g}"), f"from 0 to {1e3 * self.length:.9g}", "correct at_mm")
            if min(abs(place - there) for there in found) > same:
                found.append(place)
        return np.array(sorted(found))

    def nodes(self, seats: tuple[float, ...] = ()) -> Array:
        """Positions of all nodes [m]: the places, and evenly between them as many as the longest element asks for.

        Raises
        ------
        Fault
            If there are too many.
        """
        longest = self.longest_element or self.length / ELEMENTS
        found: list[float] = []
        places = self.places(seats)
        parts = np.maximum(1, np.ceil(np.diff(places) / longest - SAME_PLACE)).astype(np.int64)
        n_nodes = int(parts.sum()) + 1
        if n_nodes > MOST_NODES:
            remedy = "raise longest_element_mm, or give fewer sections_mm"
            raise Fault(f"nodes of shaft {self.name}", n_nodes, f"at most {MOST_NODES}", remedy)
        for (begin, end), n in zip(pairwise(places.tolist()), parts.tolist(), strict=True):
            found += np.linspace(begin, end, n + 1)[:-1].tolist()
        return np.array([*found, places[-1]])

    def section_at(self, position: float) -> HollowCircle:
        """The section that a position lies in."""
        sections = np.asarray(self.sections)
        row = sections[min(int(np.searchsorted(self.borders, position, "right")) - 1, len(sections) - 1)]
        return HollowCircle(outer=float(row[1]), inner=float(row[2]))

    # ------------------------------------------------------------------- build
    def add_to(self, builder: SystemBuilder) -> None:
        """Add its bodies and beams."""
        seats = builder.seats_on(self.name)
        if self.rigid or self.fixed_axis:
            self._add_body(builder, self.places(seats))
        else:
            self._add_beams(builder, self.nodes(seats), seats)
        for seat in (*self.points, *seats):  # that are so near to another place that they share it
            if node_name(self.name, seat) not in builder.places:
                near = min(self.places(seats), key=lambda there: abs(there - seat))
                builder.place(builder.node(node_name(self.name, float(near))), node_name(self.name, seat))

    def _add_beams(self, builder: SystemBuilder, nodes: Array, seats: tuple[float, ...]) -> None:
        builder.claim(self.name, "shaft")
        kept = nodes if self.highest_mode is None else self._ends_of_segments(nodes, seats)
        made = {
            position: builder.rotor(
                node_name(self.name, position),
                inertia=0.0,
                mass=0.0,
                origin=self.point(position),
                axes=self.axes,
                scales=self.scales,
                what="node",
            )
            for position in kept.tolist()
        }
        builder.place(made[float(kept[0])], self.name)
        for begin, end in pairwise(kept.tolist()):
            name = f"{node_name(self.name, begin)} to {node_name(self.name, end).removeprefix(self.name + '@')}"
            inside = nodes[(nodes >= begin) & (nodes <= end)]
            sections = [self.section_at(float(middle)) for middle in 0.5 * (inside[:-1] + inside[1:])]
            self._add_segment(builder, name, inside, sections, (made[begin], made[end]))

    def _ends_of_segments(self, nodes: Array, seats: tuple[float, ...]) -> Array:
        """Nodes that keep their coordinates: the ends of the shaft, and what sits on it."""
        wanted = np.array([0.0, self.length, *self.points, *seats])
        near = np.abs(nodes[:, None] - wanted).min(axis=1) <= SAME_PLACE * self.length
        kept: Array = nodes[near]
        return kept

    def _add_segment(
        self,
        builder: SystemBuilder,
        name: str,
        inside: Array,
        sections: list[HollowCircle],
        ends: tuple[Place, Place],
    ) -> None:
        """Add a stretch between two nodes; what lies between has a place that follows."""
        segment = ShaftSegment.of(inside, sections, self.material, self.highest_mode or 0.0)
        at = segment.add_to(builder, name, ends, self.scales or builder.scales)
        for position, rows in zip(inside[1:-1].tolist(), segment.inner[1:-1], strict=True):
            builder.place(
                Place(
                    name=node_name(self.name, position),
                    coordinates=at,
                    rows=rows,
                    rotation=ends[0].rotation,
                    origin=self.point(position),
                    axes=self.axes,
                )
            )

    def _add_body(self, builder: SystemBuilder, places: Array) -> None:
        mass, centre, inertia, tilt_inertia = self._rigid_inertia()
        body = builder.rotor(
            self.name,
            inertia=inertia,
            mass=None if self.fixed_axis else mass,
            tilt_inertia=0.0 if self.fixed_axis else tilt_inertia,
            origin=self.point(centre),
            axes=self.axes,
            scales=self.scales,
            what="shaft",
        )
        for position in places.tolist():
            builder.place(body.at(self.point(position), node_name(self.name, position)))

    def _rigid_inertia(self) -> tuple[float, float, float, float]:
        """Mass, position of its centre along the shaft, inertia about the axis and about a diameter there."""
        sections, middles = np.asarray(self.sections), 0.5 * (self.borders[:-1] + self.borders[1:])
        if not len(sections):
            return 0.0, 0.0, 0.0, 0.0
        outer, inner = sections[:, 1] ** 2, sections[:, 2] ** 2
        masses = 0.25 * np.pi * self.material.rho * (outer - inner) * sections[:, 0]
        centre = float(masses @ middles / masses.sum())
        about_axis = masses * (outer + inner) / 8.0
        tilted = 0.5 * about_axis + masses * (sections[:, 0] ** 2 / 12.0 + (middles - centre) ** 2)
        return float(masses.sum()), centre, float(about_axis.sum()), float(tilted.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Disk(MachinePart):
    """A gear, a coupling, a hub, the arms of a carrier.

    What sits on a shaft as a rigid body. Its name is also that of its node, to which meshes and loads refer.
    """

    TABLE: ClassVar[str] = "disks"

    shaft: Annotated[str, Words("name of its shaft")]
    at: Annotated[float, replace(AT, words="position of its centre of mass along the shaft")] = 0.0
    mass: Annotated[float, Limits(quantity="mass", unit="kg", least=0.0, most=1e9)] = 0.0
    inertia: Annotated[float, replace(INERTIA, words="inertia about the axis")] = 0.0
    tilt_inertia: Annotated[
        float,
        replace(TILT_INERTIA, key="tilt_inertia_kg_m2", words="inertia about a diameter through its centre of mass"),
    ] = 0.0
    unbalance: Annotated[float, replace(UNBALANCE, words="mass times its distance from the axis")] = 0.0
    unbalance_angle: Annotated[float, replace(UNBALANCE_ANGLE, words="direction of the unbalance at the start")] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unbalance_angle and not self.unbalance:
            limit, remedy = "left out without an unbalance", f"leave it out, or give {UNBALANCE.key}"
            raise Fault(f"{UNBALANCE_ANGLE.quantity} of disk {self.label}", "given", limit, remedy)

    @property
    def of_motions_alone(self) -> str:
        """The unbalance."""
        return UNBALANCE.key if self.unbalance else ""

    @property
    def seats(self) -> tuple[tuple[str, float], ...]:
        """Where it sits."""
        return ((self.shaft, self.at),)

    def add_to(self, builder: SystemBuilder) -> None:
        """Add its inertia to the shaft, and what is beside the axis."""
        builder.claim(self.name, "disk")
        place = builder.node(node_name(self.shaft, self.at))
        builder.place(place, self.name)
        builder.disk(place, mass=self.mass, inertia=self.inertia, tilt_inertia=self.tilt_inertia)
        if not self.unbalance:
            return
        if not place.rows[:Z].any():
            limit, remedy = f"0 on shaft {self.shaft}, whose axis is held", "leave it out, or put the shaft on bearings"
            raise Fault(f"unbalance of disk {self.label}", f"{1e6 * self.unbalance:.6g} g mm", limit, remedy)
        builder.element(Unbalance(f"unbalance of {self.name}", place, self.unbalance, self.unbalance_angle))
