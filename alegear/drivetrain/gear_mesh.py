"""A mesh of two gears: as it is described, as it stands in a machine, and what its law has to say."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from alegear.contact.numbering import PINION, WHEEL, Flank, flank_side, loaded_flank
from alegear.errors import Fault
from alegear.geometry.alignment import Alignment
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.iso_6336_stiffness import usual_stiffness
from alegear.limits import check_choice, check_kind, check_type, described
from alegear.parameters import Inlined, NamedPart, Words, check_parameters
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array, Indices, Place
from alegear.system.element import Element
from alegear.system.linear_elements import LineSpring
from alegear.system.model import SystemModel
from alegear.system.profiles import PrescribedRotation

if TYPE_CHECKING:
    from alegear.ale import ToothWindow
    from alegear.contact.forces import FlexibleContact
    from alegear.drivetrain.normal_modes import GearModes

#: Of the stiffness of a mesh, in equilibria: a mesh without load rests where the flanks touch that would carry one.
SEAT = 1e-11


@dataclass(frozen=True, kw_only=True, eq=False)
class GearMesh(NamedPart):
    """Two gears in mesh.

    Parameters
    ----------
    law : MeshLaw
        How they act on each other (:mod:`alegear.drivetrain.laws`).
    driver : str or None
        Of a law that ``needs_contact``: the gear against which the transmission error is counted, also where the other
        one drives it. None: the one that power comes from, as drives and loads have it.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "meshes"

    gears: Annotated[tuple[str, str], Words("names of the two gears")]
    law: MeshLaw
    driver: Annotated[
        str | None,
        Words("gear against which the transmission error is counted (the one that power comes from)"),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_type(self, "law", MeshLaw)
        if not isinstance(self.gears, tuple | list) or len(self.gears) != 2:
            raise Fault(f"gears of mesh {self.name}", described(self.gears), "the names of two gears", "give both")
        for gear in self.gears:
            check_kind(gear, f"GearMesh.gears of {self.name}", str)
        if self.gears[0] == self.gears[1]:
            raise Fault(f"gears of mesh {self.name}", f'"{self.gears[0]}" twice', "two gears", "name another")
        if self.driver is not None:
            check_choice(self, "driver", self.gears, f"driver of mesh {self.name}")
            if not self.law.needs_contact:
                limit = f'left out: with fidelity = "{self.law.fidelity}" it is the gear that power comes from'
                raise Fault(f"driver of mesh {self.name}", f'"{self.driver}"', limit, "leave it out")
        if self.law.alignment.axial_offset:
            limit = "left out: it follows from at_mm of both gears"
            raise Fault(f"axial offset of mesh {self.name}", self.law.alignment.axial_offset, limit, "move a gear")


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshPlace:
    """A mesh as it stands in the machine.

    Attributes
    ----------
    mesh : GearMesh
    pair : GearPair
        The first gear is its pinion, at the distance of the shafts.
    origin : shape (3,) [m]
        Mid-face of the first gear.
    axes : shape (3, 3)
        x towards the axis of the second gear, where one of them is a ring away from it; y; and z along the axis about
        which the first one turns positively, a ring negatively.
    power : float [N m]
        That goes from the first gear to the second, over the speed of the drive: a torque at the drive.
    ratios : (float, float)
        Speeds of both gears over that of the drive, positive, of a ring negative.
    moduli : (float, float) [Pa]
        Young's moduli of both gears.
    poisson : (float, float)
        Poisson's ratios of both.
    """

    mesh: GearMesh
    pair: GearPair
    origin: Array
    axes: Array
    power: float
    ratios: tuple[float, float]
    moduli: tuple[float, float]
    poisson: tuple[float, float]

    @property
    def driver(self) -> Literal["pinion", "wheel"]:
        """The gear that the mesh names, else the one that power comes from: the first where there is none."""
        if self.mesh.driver is not None:
            return "pinion" if self.mesh.driver == self.mesh.gears[PINION] else "wheel"
        return "pinion" if self.source == PINION else "wheel"

    @property
    def source(self) -> int:
        """The gear that power comes from: 0 the first, also where there is none, 1 the second."""
        return PINION if self.power >= 0.0 else WHEEL

    @property
    def driving(self) -> int:
        """Its number."""
        return PINION if self.driver == "pinion" else WHEEL

    @property
    def flank(self) -> Flank:
        """The flanks that carry."""
        return loaded_flank("pinion", self.power)

    @property
    def reference_angles(self) -> tuple[float, float]:
        """Polar angles [rad] in its frame of both teeth of pair 0 where they touch at the pitch point."""
        return self.pair.reference_angles(flank_side(self.flank))

    @property
    def torque(self) -> float:
        """Torque on the first gear [N m], positive."""
        return abs(self.power / self.ratios[0])

    @property
    def driving_torque(self) -> float:
        """The same, negative where the driver is braked: its back flanks carry."""
        return self.torque if self.source == self.driving else -self.torque

    @property
    def force(self) -> float:
        """Force along the line of action, in the transverse section [N]."""
        return self.torque / abs(self.pair.pinion.r_b)

    @property
    def first_stiffness(self) -> float:
        """Mesh stiffness [N/m] for scales and first guesses, from the width of the common face."""
        return usual_stiffness(self.moduli) * self.pair.b_w

    @property
    def pitch_point(self) -> Array:
        """Point at which the pitch circles touch, in the middle of the common face, in space (3,) [m]."""
        point: Array = (
            self.origin + 0.5 * self.pair.d_w[0] * self.axes[0] + np.mean(self.pair.common_face) * self.axes[2]
        )
        return point

    @property
    def line_of_action(self) -> Array:
        """Direction in space (3,) of the force on the second gear."""
        side, alpha, beta = flank_side(self.flank), self.pair.alpha_wt, self.pair.beta_b
        along = [math.cos(beta) * math.sin(alpha), side * math.cos(beta) * math.cos(alpha), -side * math.sin(beta)]
        line: Array = np.array(along) @ self.axes
        return line

    def pressed(self, force: Array) -> tuple[Array, Array]:
        """What forces (m,) [N] along the line of action do to the first gear, pressing it back.

        Returns
        -------
        force, moment : shape (m, 3) [N, N m]
            In space; the moment about its mid-face.
        """
        on_first = -force[:, None] * self.line_of_action
        return on_first, np.cross(self.pitch_point - self.origin, on_first)


@dataclass(frozen=True, kw_only=True, eq=False)
class PerfectGears:
    """Both gears as they follow the drive, shape (2,) in the running direction: vibration is what they do beyond it."""

    drive: PrescribedRotation
    ratio: Array

    def speed(self, t: float) -> Array:
        """Speeds [rad/s]."""
        return self.drive.speed(t) * self.ratio

    def acceleration(self, t: float) -> Array:
        """Their rates [rad/s2]."""
        return self.drive.acceleration(t) * self.ratio


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshSurroundings:
    """What a part is told of the machine besides the place of its mesh.

    Attributes
    ----------
    gears : (Place, Place)
        Centres of the mid-faces of first and second gear.
    angles : (float, float) [rad]
        Rotations in the running direction from the pitch-point contact of pair 0 where no shaft has turned.
    nominal : PerfectGears or None
        How both would move if they were perfect; None where nothing leads them.
    modes : per gear shape (m,)
        Coordinates of their normal modes.
    ahead : (float, float) [m]
        How far both axes stand along y of the mesh from where its place has them.
    """

    gears: tuple[Place, Place]
    angles: tuple[float, float]
    nominal: PerfectGears | None
    modes: tuple[Indices, Indices] = field(default_factory=lambda: (_no_modes(), _no_modes()))
    ahead: tuple[float, float] = (0.0, 0.0)


def _no_modes() -> Indices:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedMesh:
    """What a study has made ready for a mesh.

    Attributes
    ----------
    stiffness : float [N/m]
        Mesh stiffness in the transverse section: in motions with a contact its mean over a pitch under load, else an
        estimate.
    contact : FlexibleContact or None
        Both gears meshed, reduced and joined, for a law that ``needs_contact``.
    window : ToothWindow or None
        Of the contact, in motions; None: the teeth in the window are given with each evaluation.
    retardation : float [s]
        In motions, for the damping ratio that the analysis asks for in the mode that works in this mesh.
    tangents : sequence of shape (n_mesh, n_mesh)
        In modal studies: derivatives of the forces of the contact by its coordinates, at positions of the pitch.
    modes : (GearModes, GearModes) or None
        Of both gears, in motions whose wheels vibrate; the contact is then without what they do.
    """

    stiffness: float
    contact: FlexibleContact | None = None
    window: ToothWindow | None = None
    retardation: float = 0.0
    tangents: Sequence[Array] = ()
    modes: tuple[GearModes, GearModes] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshLoads:
    """What a mesh carries in m states; not a number where that is not known.

    Attributes
    ----------
    force, moment : shape (m, 3) [N, N m]
        On the first gear, in space; the moment about its mid-face.
    stiffness : shape (m,) [N/m]
        In the transverse section.
    sides : shape (m, 2) [N], optional
        Normal forces of both flanks, of laws that have both.
    """

    force: Array
    moment: Array
    stiffness: Array
    sides: Array | None = None

    @classmethod
    def unknown(cls, m: int) -> MeshLoads:
        """Nothing is known of any state."""
        return cls(force=np.full((m, 3), np.nan), moment=np.full((m, 3), np.nan), stiffness=np.full(m, np.nan))


class MeshPart(ABC):
    """A mesh in one system: a joint, a linear part or an element between two gears. It has the name of the mesh."""

    @abstractmethod
    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> Element | None:
        """Add it; returns the element if it is a contact, which studies close, follow and record tooth by tooth."""

    def loads(self, place: MeshPlace, model: SystemModel, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """What it carries, of a part that is no contact; by default this is not known.

        Parameters
        ----------
        place : MeshPlace
        model : SystemModel
            To which it was added.
        x, v : shape (m, n)
            Coordinates and velocities.
        multipliers : shape (m, n_constraints)
            Of the constraints.
        """
        return MeshLoads.unknown(len(x))

    def tooth_slots(self, place: MeshPlace) -> list[str]:
        """Names of the slots in which it tells its contacts tooth by tooth; by default it tells none."""
        return []

    def tooth_contacts(self, place: MeshPlace, model: SystemModel, x: Array, v: Array) -> dict[str, Array]:
        """Contacts in states x, v (m, n) by name of the variable, shape (m, n_slots); none without slots."""
        return {}

    def ahead(self, place: MeshPlace, model: SystemModel, x: Array) -> float:
        """How much further the driver is to turn, along the line of action [m], until teeth carry the load of the mesh.

        From coordinates x (n,), for a first guess of an equilibrium; 0 of a part that carries wherever it is, and of a
        contact, which studies close themselves.
        """
        return 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class TeethOnSpring(MeshPart):
    """Teeth as a spring and a damper along the line of action, which does not part.

    Parameters
    ----------
    stiffness : float [N/m], damping : float [N s/m]
        Of a displacement in the transverse section.
    """

    stiffness: float
    damping: float = 0.0

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add it along the normal of the flanks."""
        spring_of_flanks(place, surroundings, place.mesh.name, self.stiffness, self.damping).add_to(builder)

    def loads(self, place: MeshPlace, model: SystemModel, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """Those of the spring."""
        part = next(one for one in model.parts if one.name == place.mesh.name)
        force, moment = place.pressed(part.force(x, v)[:, 0])
        return MeshLoads(force=force, moment=moment, stiffness=np.full(len(x), self.stiffness))


@dataclass(frozen=True, kw_only=True, eq=False)
class TeethUnderLoad(MeshPart):
    """Teeth as the spring that they are about the load of the mesh, which does not part.

    Parameters
    ----------
    spring_under_load : callable, MeshPlace -> TeethOnSpring
    """

    spring_under_load: Callable[[MeshPlace], TeethOnSpring]

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add it."""
        self.spring_under_load(place).add_to(builder, place, surroundings)

    def loads(self, place: MeshPlace, model: SystemModel, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """Those of the spring."""
        return self.spring_under_load(place).loads(place, model, x, v, multipliers)


def spring_of_flanks(
    place: MeshPlace, surroundings: MeshSurroundings, name: str, stiffness: float, damping: float = 0.0
) -> LineSpring:
    """A spring [N/m] and a damper [N s/m] of a transverse displacement, along the normal of the flanks."""
    along = np.cos(place.pair.beta_b) ** 2
    first, second = surroundings.gears
    return LineSpring(
        name=name,
        between=(first.name, second.name),
        point=place.pitch_point,
        direction=place.line_of_action,
        stiffness=stiffness / along,
        damping=damping / along,
    )


def seat(place: MeshPlace, surroundings: MeshSurroundings, stiffness: float) -> LineSpring:
    """A spring so weak against the stiffness of the mesh [N/m] that all it does is to say where an unloaded mesh rests.

    Where flanks have backlash nothing else does; it has no load in the position in which those touch that would carry.
    """
    return spring_of_flanks(place, surroundings, f"{place.mesh.name} seat", SEAT * stiffness)


def moment_of_contact(force: Array, height: Any, lever: float, about_axis: Any) -> Array:
    """Moments (..., 3) [N m] about the centre of the first gear of forces at its pitch point, `height` beyond it.

    Parameters
    ----------
    force : shape (..., 3) [N]
        In the axes of the mesh.
    height : float or shape (...) [m]
        Along the axis.
    lever : float [m]
        To the pitch point.
    about_axis : float or shape (...) [N m]
        About the axis, as the mesh has it: flanks that carry do not meet at the pitch point.
    """
    F_x, F_y, F_z = np.moveaxis(force, -1, 0)
    return np.stack([-height * F_y, height * F_x - lever * F_z, np.broadcast_to(about_axis, F_x.shape)], axis=-1)


#: The alignment of gears whose shafts have positions.
BESIDES_POSITIONS = Inlined(Alignment, without=("axial_offset",))


class MeshLaw(ABC):
    """How the two gears of a mesh act on each other: a frozen dataclass of what the case says, one file a law.

    Its fields declare keys of the mesh (:mod:`alegear.parameters`). Another key, given with this law, is refused.

    Attributes
    ----------
    fidelity : str
        By which cases name it: ``fidelity = "..."``.
    needs_contact : bool
        Whether both gears are to be meshed, reduced and joined to a contact before.
    uses_generalized_alpha : bool
        Whether its motions are taken in steps of the generalized-alpha method, in which it is compiled, also where all
        only turns: it is stiff and strikes.
    backlash_key : str
        Key that gives its teeth more backlash.
    alignment : Alignment
        Of the first gear's shaft against the second's, besides their positions.
    tooth_change_threshold : float or None [1]
        Phase modulo 1 at which the window of its contact changes teeth; None: chosen from the computed loads.
    """

    fidelity: ClassVar[str]
    backlash_key: ClassVar[str] = "tooth_thickness_allowance_um of one of its gears"
    needs_contact: ClassVar[bool] = False
    uses_generalized_alpha: ClassVar[bool] = False
    alignment: Alignment = Alignment()
    tooth_change_threshold: float | None = None

    def __post_init__(self) -> None:
        check_parameters(self)

    def backlash_of(self, place: MeshPlace) -> float:
        """Backlash along the line of action [m]: that of the teeth."""
        return place.pair.backlash_on_line_of_action

    def of_pair(self) -> Mapping[str, Any]:
        """Parameters that the case of its two gears alone has from it, of one that ``needs_contact``."""
        return {}

    def with_slices(self, n: int) -> MeshLaw:
        """The same with so many slices across the face; of a law without contact nothing changes."""
        return self

    @property
    def on_fixed_axes(self) -> bool:
        """Whether it serves only gears whose axes are held; by default it knows displacements."""
        return False

    @property
    def knows_teeth(self) -> bool:
        """Whether its gears touch tooth by tooth, each with its own flanks in its own place."""
        return self.needs_contact or self.uses_generalized_alpha

    @property
    def has_flanks(self) -> bool:
        """Whether its teeth carry on one flank and part from the other; by default that of teeth."""
        return self.knows_teeth

    @property
    def varies(self) -> bool:
        """Whether its stiffness changes over the mesh position, and excites the machine; by default that of teeth."""
        return self.knows_teeth

    @abstractmethod
    def in_statics(self, ready: PreparedMesh) -> MeshPart:
        """The mesh in equilibria."""

    def in_motion(self, ready: PreparedMesh) -> MeshPart:
        """The mesh in motions; by default as in equilibria."""
        return self.in_statics(ready)

    def in_modes(self, ready: PreparedMesh) -> MeshPart:
        """The mesh as it vibrates a little about equilibria; by default as in these."""
        return self.in_statics(ready)

    def on_springs(self, ready: PreparedMesh) -> MeshPart:
        """The mesh without what is nonlinear in it, for first guesses and its natural frequency; default: a spring."""
        return TeethOnSpring(stiffness=ready.stiffness)


class LawUnderLoad(MeshLaw):
    """A law whose teeth vibrate, and are first guessed, as a spring that they are about the load of the mesh."""

    @abstractmethod
    def spring_under_load(self, place: MeshPlace) -> TeethOnSpring:
        """Slope under the load of the mesh, and its damper."""

    def in_modes(self, ready: PreparedMesh) -> MeshPart:
        """A spring with the slope under the load of the mesh, and the damper."""
        return TeethUnderLoad(spring_under_load=self.spring_under_load)

    def on_springs(self, ready: PreparedMesh) -> MeshPart:
        """The same."""
        return TeethUnderLoad(spring_under_load=self.spring_under_load)
