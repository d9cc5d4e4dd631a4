"""The law ``teeth``: each tooth pair in line contact by Hertz, along the path of contact between centres that move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil, cos, sin, tan
from typing import Annotated, Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from alegear.contact.law import SLICES as SLICES_LIMITS
from alegear.contact.numbering import SPIN, flank_side
from alegear.drivetrain.gear_mesh import (
    BESIDES_POSITIONS,
    LawUnderLoad,
    MeshLoads,
    MeshPart,
    MeshPlace,
    MeshSurroundings,
    PreparedMesh,
    TeethOnSpring,
    moment_of_contact,
    seat,
)
from alegear.drivetrain.mesh_coordinates import mesh_rows
from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.teeth.teeth_mesh import TeethMesh, sides_of
from alegear.drivetrain.teeth.tooth_bending import StudiedLoads
from alegear.drivetrain.teeth.tooth_damage import ToothDamage
from alegear.drivetrain.teeth.tooth_geometry import ToothFlanks, ToothGeometry
from alegear.errors import Fault
from alegear.geometry.alignment import Alignment
from alegear.geometry.iso_6336_stiffness import modulus_of_pair
from alegear.limits import check_type
from alegear.parameters import StoredStudy, SubTables
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.model import SystemModel

#: Slices where nothing is said: of faces along which gaps differ; of helical ones in each axial pitch, and at most.
SLICES, SLICES_PER_PITCH, MOST_SLICES = 11, 24, 48
#: Positions in a pitch at which the stiffness under the load is looked at.
POSITIONS = 16
#: Pairs that touch early or late on their edges, besides those of the contact ratio.
EARLY = 1
#: Without a load, that at which the stiffness is taken, over modulus times module: 1 N/mm of steel and module 4 mm.
LEAST_LINE_LOAD = 1.2e-6
#: Slopes that are known, by law and by what they depend on: a machine is built often, with many meshes alike.
_SLOPES: WeakKeyDictionary[Teeth, dict[Any, float]] = WeakKeyDictionary()


@dataclass(frozen=True, kw_only=True, eq=False)
class Teeth(LawUnderLoad):
    """Rigid teeth with Hertz's indentation (Dahl, Wettergren and Tidefelt 2017), slice by slice across the face.

    Parameters
    ----------
    alignment : Alignment
        Of the first gear's shaft against the second's, besides their positions; the axial offset follows from these.
    slices : int or None
        Across the face; None: 1 of spur gears whose faces carry evenly, 11 of others, of helical gears 24 in each axial
        pitch, but 11 to 48.
    bending_from : result of a static study, StudiedLoads, or None
        What teeth and wheels give way besides, of spur gears: from a static study of the same two gears with flexible
        teeth, with the same one driving, under half to twice the load of the mesh. None: teeth are rigid.

    Raises
    ------
    Fault

    Notes
    -----
    Differs from the paper: beyond a tip circle the tip edge touches the mating flank, so that no force jumps; the
    gears' own tip relief; helical teeth; damping, where the analysis asks for it.
    """

    fidelity: ClassVar[str] = "teeth"
    uses_generalized_alpha: ClassVar[bool] = True

    alignment: Annotated[Alignment, BESIDES_POSITIONS] = field(default_factory=Alignment)
    slices: Annotated[int | None, SLICES_LIMITS] = None
    damaged_teeth: Annotated[
        Sequence[ToothDamage],
        SubTables(ToothDamage, "teeth that have lost material, or are missing, one table each", most=1000),
    ] = ()
    bending_from: Annotated[
        Any,
        StoredStudy("folder of such a result, for the bending of the teeth beside Hertz's indentation"),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_type(self, "damaged_teeth", (tuple, list))
        for one in self.damaged_teeth:
            if not isinstance(one, ToothDamage):
                raise Fault("damaged_teeth of a mesh", type(one).__name__, "ToothDamage", "correct it")
        if self.bending_from is not None and not isinstance(self.bending_from, StudiedLoads):
            object.__setattr__(self, "bending_from", StudiedLoads.from_static(self.bending_from))

    # ---------------------------------------------------------------- of a pair
    def element_of(
        self,
        place: MeshPlace,
        rows: Array,
        coordinates: Any,
        angles: tuple[float, float] = (0.0, 0.0),
        retardation: float = 0.0,
        ahead: tuple[float, float] = (0.0, 0.0),
    ) -> TeethMesh:
        """The element of a mesh.

        Parameters
        ----------
        place : MeshPlace
        rows : shape (n_slices, 6, n_e)
        coordinates : shape (n_e,)
        angles : (float, float) [rad]
            Rotations of both gears in the running direction from the pitch-point contact of pair 0.
        retardation : float [s]
        ahead : (float, float) [m]
            How far both axes stand along y of the mesh.
        """
        pair, names, side = place.pair, place.mesh.gears, flank_side(place.flank)
        for one in self.damaged_teeth:
            if one.gear not in names:
                limit = " or ".join(f'"{name}"' for name in names)
                raise Fault(f"gear of a damaged tooth of mesh {place.mesh.name}", f'"{one.gear}"', limit, "correct it")
        bending = None if self.bending_from is None else self._bending(place)
        geometry = ToothGeometry(pair)
        z = geometry.slices(len(rows))
        offsets = (0.0, pair.alignment.axial_offset)
        first, second = (
            ToothFlanks.of_gear(
                pair.gears[g],
                z + offsets[g],
                bend=partial(geometry.bend, g),
                name=names[g],
                damages=self.damaged_teeth,
            )
            for g in range(2)
        )
        return TeethMesh(
            name=place.mesh.name,
            geometry=geometry,
            flanks=(first, second),
            materials=((place.moduli[0], place.poisson[0]), (place.moduli[1], place.poisson[1])),
            coordinates=coordinates,
            rows=rows,
            given=_tilted(place, z, ahead),
            loaded=side,
            angles=(float(SPIN[0]) * angles[0], float(SPIN[1]) * angles[1]),
            retardation=retardation,
            bending=bending,
        )

    def _bending(self, place: MeshPlace) -> tuple[Array, Array]:
        """What is added to ln S, of the gears without their damages and deviations from tooth to tooth."""
        if place.pair.eps_beta > 0.0:
            limit = "left out with helical teeth: a study tells loads of pairs, not what each section gives way"
            raise Fault(f"bending_from of mesh {place.mesh.name}", "given", limit, "leave it out")
        self.bending_from.check_pair(place.pair)
        self.bending_from.check_load(place.force)
        rigid = replace(self, bending_from=None, damaged_teeth=(), slices=1)
        rows = np.zeros((1, kernels.N_COORDINATES, 2))
        rows[:, kernels.PHI_A, 0] = rows[:, kernels.PHI_B, 1] = 1.0
        return self.bending_from.bending(rigid.element_of(place, rows, np.arange(2)), place.driving)

    def slices_of(self, place: MeshPlace, tilts: bool) -> int:
        """Number of slices of a mesh, of axes that can tilt or cannot."""
        if self.slices is not None:
            return self.slices
        pair, turned = place.pair, place.pair.alignment
        if pair.eps_beta > 0.0:
            return int(min(max(ceil(SLICES_PER_PITCH * pair.eps_beta), SLICES), MOST_SLICES))
        micro = [gear.microgeometry for gear in pair.gears]
        uneven = any(one.lead_crowning or one.helix_slope or one.end_relief or one.measured for one in micro)
        return SLICES if uneven or tilts or turned.tilt_plane_of_action or turned.tilt_normal else 1

    def _alone(self, place: MeshPlace) -> TeethMesh:
        """The element with both rotations as its only coordinates."""
        rows = np.zeros((self.slices_of(place, tilts=False), kernels.N_COORDINATES, 2))
        rows[:, kernels.PHI_A, 0] = rows[:, kernels.PHI_B, 1] = 1.0
        return self.element_of(place, rows, np.arange(2))

    def slope_under(self, place: MeshPlace) -> float:
        """Mean slope of the force over the deflection under the load of the mesh, over a pitch [N/m].

        Without a load, that under one newton per millimetre of face.
        """
        # names of gears count by their damages only: the meshes of all planets have one slope
        names = place.mesh.gears if self.damaged_teeth else ()
        key = (place.pair, place.flank, place.force, place.moduli, place.poisson, names)
        slopes = _SLOPES.setdefault(self, {})
        if key not in slopes:
            slopes[key] = self._slope(place)
        return slopes[key]

    def _slope(self, place: MeshPlace) -> float:
        element, pair = self._alone(place), place.pair
        least = LEAST_LINE_LOAD * modulus_of_pair(place.moduli) * pair.pinion.m_n * pair.b_w
        side, force = flank_side(place.flank), max(place.force, least)
        slopes = []
        for phase in np.arange(POSITIONS) / POSITIONS:
            x = np.array([1.0, -1.0]) * phase * pair.p_bt / [gear.r_b for gear in pair.gears]
            x[0] += side * element.ahead(x, side, force) / pair.pinion.r_b
            slopes.append(-float(element.evaluate(0.0, x, np.zeros(2), None).by_x[0, 0]) / pair.pinion.r_b**2)
        return float(np.mean(slopes))

    def spring_under_load(self, place: MeshPlace) -> TeethOnSpring:
        """Mean slope under the load of the mesh; no damper."""
        return TeethOnSpring(stiffness=self.slope_under(place))

    # ---------------------------------------------------------------- in systems
    def in_statics(self, ready: PreparedMesh) -> MeshPart:
        """Both flanks without damping."""
        return HertzTeeth(law=self, seated=True)

    def in_motion(self, ready: PreparedMesh) -> MeshPart:
        """Both flanks, damped."""
        return HertzTeeth(law=self, retardation=ready.retardation)


@dataclass(frozen=True, kw_only=True, eq=False)
class HertzTeeth(MeshPart):
    """Teeth in line contact as an element.

    Parameters
    ----------
    law : Teeth
    retardation : float [s]
    seated : bool
        Whether a weak spring says where a mesh without load is.
    """

    law: Teeth
    retardation: float = 0.0
    seated: bool = False

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add it."""
        (at, first, _), (_, last, _) = (mesh_rows(place, surroundings, z) for z in place.pair.common_face)
        n = self.law.slices_of(place, tilts=bool(np.any(first != last)))
        middles = ToothGeometry(place.pair).slices(n)
        rows = np.stack([mesh_rows(place, surroundings, float(z))[1] for z in middles])
        builder.element(self.law.element_of(place, rows, at, surroundings.angles, self.retardation, surroundings.ahead))
        if self.seated:
            seat(place, surroundings, place.first_stiffness).add_to(builder)

    def loads(self, place: MeshPlace, model: SystemModel, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """Forces of all contacts on the first gear, and the slope over the deflection, axes held."""
        element = _element(place, model)
        at, pair = element.coordinates, place.pair
        r_A, r_b, slope = 0.5 * pair.d_w[0], pair.pinion.r_b, tan(pair.beta_b)
        states = element.states(x[:, at], v[:, at])
        torque, F_x, F_y = (states.Q[:, :, i] for i in (kernels.PHI_A, kernels.X_A, kernels.Y_A))
        F = np.stack([F_x, F_y, -slope * torque / r_b], axis=2)  # helical teeth lean by beta_b, with the hand of a side
        M = moment_of_contact(F, element.z, r_A, torque)
        force, moment = F.sum(axis=1) @ place.axes, M.sum(axis=1) @ place.axes
        return MeshLoads(force=force, moment=moment, stiffness=-states.slope / r_b**2, sides=sides_of(states).T)

    def tooth_slots(self, place: MeshPlace) -> list[str]:
        """As many of each side as pairs can touch at once."""
        return slots_of(place.mesh.name, ceil(place.pair.eps_gamma) + EARLY)

    def tooth_contacts(self, place: MeshPlace, model: SystemModel, x: Array, v: Array) -> dict[str, Array]:
        """Force of each pair, the largest pressure in its slices with its half width and sliding speed there."""
        element = _element(place, model)
        at = element.coordinates
        return contacts_by_slot(element, ceil(place.pair.eps_gamma) + EARLY, x[:, at], v[:, at])

    def ahead(self, place: MeshPlace, model: SystemModel, x: Array) -> float:
        """Until the flanks that are loaded carry the load of the mesh."""
        element = _element(place, model)
        return element.ahead(x[element.coordinates], flank_side(place.flank), place.force)


def slots_of(mesh: str, n: int) -> list[str]:
    """Names of the slots of a mesh, n of each side: pair k is in slot k modulo their number."""
    return [f"{mesh} {side} {slot}" for side in ("front", "back") for slot in range(n)]


def contacts_by_slot(element: TeethMesh, n: int, x: Array, v: Array) -> dict[str, Array]:
    """Contacts of a mesh in states x, v (m, n_e) of its own by name of the variable, shape (m, 2 n)."""
    names = ("tooth_pair", "tooth_force", "tooth_pressure", "tooth_half_width", "tooth_sliding")
    found = {name: np.zeros((len(x), 2 * n)) for name in names}
    found["tooth_pair"][:] = np.nan
    contacts = element.states(x, v).contacts
    slots = contacts.pair % n + np.where(contacts.side > 0.0, 0, n)
    found["tooth_pair"][contacts.state, slots] = contacts.pair
    np.add.at(found["tooth_force"], (contacts.state, slots), contacts.force)
    rising = np.argsort(contacts.pressure)  # the last one that is written is the largest
    for name, values in (
        ("tooth_pressure", contacts.pressure),
        ("tooth_half_width", contacts.half_width),
        ("tooth_sliding", contacts.sliding),
    ):
        found[name][contacts.state[rising], slots[rising]] = values[rising]
    return found


def _element(place: MeshPlace, model: SystemModel) -> TeethMesh:
    found = next(one for one in model.elements if one.name == place.mesh.name)
    assert isinstance(found, TeethMesh)
    return found


def _tilted(place: MeshPlace, z: Array, ahead: tuple[float, float] = (0.0, 0.0)) -> Array:
    """Displacements of both axes by the alignment and along y of the mesh, in sections z (n,), shape (n, 6) [m]."""
    turned, pair, side = place.pair.alignment, place.pair, flank_side(place.flank)
    across = np.array([sin(pair.alpha_wt), side * cos(pair.alpha_wt)])
    along = np.array([-cos(pair.alpha_wt), side * sin(pair.alpha_wt)])
    given = np.zeros((len(z), kernels.N_COORDINATES))
    shift = turned.tilt_plane_of_action * across + turned.tilt_normal * along
    given[:, [kernels.X_A, kernels.Y_A]] = z[:, None] * shift
    given[:, [kernels.Y_A, kernels.Y_B]] += np.array(ahead)
    return given


LAW = Teeth
