"""The law ``elastic``: teeth on a spring in each flank, with backlash and the averaged friction of their contacts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, pi, tan
from typing import Annotated, Any, ClassVar

import numpy as np

from alegear.contact.numbering import flank_side
from alegear.drivetrain.displaced_mesh import DisplacedMesh
from alegear.drivetrain.gear_mesh import (
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
from alegear.drivetrain.mesh_coordinates import error_unturned, mesh_rows
from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.friction import MeshFriction
from alegear.drivetrain.planar.mesh_stiffness import MeshStiffness
from alegear.drivetrain.planar.spring_and_friction import SpringAndFriction
from alegear.drivetrain.planar.springs import MeshSpring
from alegear.drivetrain.rotational.elastic_mesh import FLANKS, ElasticMesh, MeshElement, MeshFrictionLaw
from alegear.errors import Fault
from alegear.geometry.iso_6336_stiffness import LEAST_LINE_LOAD, mesh_stiffness
from alegear.parameters import StoredStudy
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.model import SystemModel

#: Until nothing but round-off is left of an interval.
HALVINGS = 60


@dataclass(frozen=True, kw_only=True, eq=False)
class Elastic(SpringAndFriction, LawUnderLoad):
    """Teeth on springs (van der Linden 2015): backlash, progressive stiffness, friction that sticks.

    Parameters
    ----------
    stiffness : float or None [N/m]
        In the transverse section, along the line of action, the largest one; None: c_gamma_alpha of ISO 6336-1 times
        the common face width.
    stiffness_from : result of a static study, MeshStiffness, or None
        In place of it: the mean, and how it changes over the mesh position, of a static study of the same two gears
        with the same one driving, or by their circular pitch as the unit (period 1). Teeth in contact grow stiffer
        with the load: a study under that of the mesh is needed.
    damping : float or None [N s/m]
        As the stiffness; None: as the analysis asks for.
    backlash : float or None [m]
        Along the line of action; None: that of the teeth, ``j_wt cos alpha_wt``.
    full_load : float or None [N]
        Of ``"niemann-winter"``: load from which the stiffness is constant; None: 100 N per mm of the common face width.

    Raises
    ------
    Fault
        For what is missing, and what has no effect.

    Notes
    -----
    Friction belongs to the force normal to the flanks: of helical teeth it is N/cos beta_b, N that in the transverse
    section. Left out: the friction keeps the direction of the flanks that carry at the nominal distance, where centres
    move and where the other flanks carry. Its torques have no direction and are those of both.
    """

    fidelity: ClassVar[str] = "elastic"
    backlash_key: ClassVar[str] = "backlash_um"

    stiffness_from: Annotated[
        Any,
        StoredStudy("folder with the result of a static study of the two gears, as seen from the case file's folder"),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stiffness_from is not None:
            given = [name for name in ("stiffness", "spring") if getattr(self, name) not in (None, "linear")]
            if given:
                limit = "left out with stiffness_from: it has both"
                raise Fault(f"{' and '.join(given)} of an elastic mesh", "given", limit, "leave out one of them")
            if not isinstance(self.stiffness_from, MeshStiffness):  # kept in pitches, whatever pair it is of
                found = MeshStiffness.from_static(self.stiffness_from, pitch=1.0)
                object.__setattr__(self, "stiffness_from", found)

    # ---------------------------------------------------------------- of a pair
    def spring_of(self, place: MeshPlace, retardation: float = 0.0, turned: float | None = None) -> MeshSpring:
        """The spring of a mesh, in the transverse section.

        Parameters
        ----------
        place : MeshPlace
        retardation : float [s]
            Damps it where nothing else is given.
        turned : float or None [rad]
            Rotation of the first gear from the pitch-point contact where the mesh position is zero; None: its mean over
            the position.
        """
        pair, studied = place.pair, self.stiffness_from
        if studied is not None:
            c = studied.mean
        else:
            c = mesh_stiffness(pair, place.moduli) if self.stiffness is None else self.stiffness
        factor = None
        if studied is not None and turned is not None:
            pitch, given = pi * pair.d_w[0] / pair.pinion.z, studied.factor
            scale = pitch / given.period
            start = scale * given.start - 0.5 * pair.d_w[0] * turned
            factor = PeriodicFactor(period=pitch, values=given.values, start=start)
        return self.spring_law(
            stiffness=c,
            damping=retardation * c if self.damping is None else self.damping,
            backlash=self.backlash_of(place),
            full_load=LEAST_LINE_LOAD * pair.b_w if self.full_load is None else self.full_load,
            factor=factor,
        )

    def backlash_of(self, place: MeshPlace) -> float:
        """As given, else that of the teeth."""
        return super().backlash_of(place) if self.backlash is None else self.backlash

    def friction_of(self, place: MeshPlace) -> MeshFriction | None:
        """The law of friction of a mesh, None without."""
        pair = place.pair
        return self.friction_law(MeshAverages.from_pair(pair), face_width=pair.b_w, beta_b=pair.beta_b)

    def press_of(self, place: MeshPlace) -> float:
        """Force that friction belongs to over that in the transverse section; a table of efficiencies has all in it."""
        return 1.0 if self.friction == "efficiency" else 1.0 / cos(place.pair.beta_b)

    def spring_under_load(self, place: MeshPlace) -> TeethOnSpring:
        """Slope of the spring under the load of the mesh, and its damper."""
        spring = self.spring_of(place)
        return TeethOnSpring(stiffness=slope_under(spring, place.force), damping=spring.damping)

    # ---------------------------------------------------------------- in systems
    def in_statics(self, ready: PreparedMesh) -> MeshPart:
        """Both flanks without friction and damping: what is at rest may stick, and is not told."""
        return ElasticTeeth(law=self, seated=True)

    @property
    def has_flanks(self) -> bool:
        """True."""
        return True

    @property
    def varies(self) -> bool:
        """With a stiffness from a static study."""
        return self.stiffness_from is not None

    def in_motion(self, ready: PreparedMesh) -> MeshPart:
        """Both flanks with friction and damping."""
        return ElasticTeeth(law=self, retardation=ready.retardation, moves=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class ElasticTeeth(MeshPart):
    """Normal forces of both flanks as an element, and their friction as a switch.

    Between axes that are held it is the element of :class:`~alegear.drivetrain.rotational.elastic_mesh.ElasticMesh`,
    else :class:`~alegear.drivetrain.displaced_mesh.DisplacedMesh`. Where no shaft has turned the flanks that carry
    touch, or lag as the phases of a closed train have it.

    Parameters
    ----------
    law : Elastic
    retardation : float [s]
    moves : bool
        Whether there are friction and damping.
    seated : bool
        Whether a weak spring says where a mesh without load is.
    """

    law: Elastic
    retardation: float = 0.0
    moves: bool = False
    seated: bool = False

    def add_to(self, builder: SystemBuilder, place: MeshPlace, surroundings: MeshSurroundings) -> None:
        """Add them."""
        name, averages = place.mesh.name, MeshAverages.from_pair(place.pair)
        spring = self.law.spring_of(place, self.retardation, surroundings.angles[0])
        if not self.moves:
            spring = replace(spring, damping=0.0)
        at, normal, plain = mesh_rows(place, surroundings, float(np.mean(place.pair.common_face)))
        side = flank_side(place.flank)
        overlap = -error_unturned(place, surroundings)
        given: dict[str, Any] = {"name": name, "spring": spring, "offset": side * (overlap + 0.5 * spring.backlash)}
        through = 0.5 * (averages.r_A * plain[kernels.PHI_A] - averages.r_B * plain[kernels.PHI_B])
        element: MeshElement | DisplacedMesh
        if normal[kernels.X_A :].any():
            element = DisplacedMesh(averages=averages, coordinates=at, rows=normal, through=through, **given)
        else:
            along = averages.l_A * normal[kernels.PHI_A] + averages.l_B * normal[kernels.PHI_B]
            element = MeshElement(along=_weights(at, along), through=_weights(at, through), **given)
        builder.element(element)
        if self.seated:
            seat(place, surroundings, spring.c).add_to(builder)
        friction = self.law.friction_of(place) if self.moves else None
        if friction is None:
            return
        # checks of coefficients that would never stick again
        ElasticMesh(name=name, gears=place.mesh.gears, averages=averages, spring=spring, friction=friction)
        lever = averages.sliding * averages.r_A
        resisted = -averages.friction_direction(side) / lever
        builder.switch(
            f"{name} friction",
            rate=_weights(at, resisted @ plain),
            law=MeshFrictionLaw(
                element=element, friction=friction, rolling=averages.r_A, lever=lever * self.law.press_of(place)
            ),
        )
        builder.owns(name, f"{name} friction")

    def loads(self, place: MeshPlace, model: SystemModel, x: Array, v: Array, multipliers: Array) -> MeshLoads:
        """Normal forces of both flanks; the friction is not in them, it is told by its switch."""
        element: Any = next(one for one in model.elements if one.name == place.mesh.name)
        at, averages = element.coordinates, MeshAverages.from_pair(place.pair)
        r_A, slope = averages.r_A, tan(place.pair.beta_b)
        height = float(np.mean(place.pair.common_face))
        force, moment = np.zeros((len(x), 3)), np.zeros((len(x), 3))
        stiffness, sides = np.zeros(len(x)), np.zeros((len(x), 2))
        nominal = [averages.normal_direction(side) for side in FLANKS]
        for i, (own, rate) in enumerate(zip(x[:, at], v[:, at], strict=True)):
            if isinstance(element, DisplacedMesh):
                pressed = element.pressed(own, rate)
            else:
                pressed = list(zip(nominal, element.flanks(own, rate), strict=True))
            stiffness[i], sides[i] = element.stiffness(own, rate), [N for _, N in pressed]
            F = np.array(
                [
                    N * np.array([n[kernels.X_A], n[kernels.Y_A], side * slope])
                    for side, (n, N) in zip(FLANKS, pressed, strict=True)
                ]
            )
            M = moment_of_contact(F, height, r_A, [N * n[kernels.PHI_A] for n, N in pressed])
            force[i], moment[i] = F.sum(axis=0), M.sum(axis=0)
        return MeshLoads(force=force @ place.axes, moment=moment @ place.axes, stiffness=stiffness, sides=sides)


def slope_under(spring: MeshSpring, force: float) -> float:
    """Stiffness [N/m] of a spring under a force [N]; without one, or where it has none then, the largest.

    The deformation of an odd, rising characteristic is found by halving: its slope may be zero at its beginning.
    """
    if force <= 0.0:
        return spring.c
    half = 0.5 * spring.backlash
    low, high = half, half + force / spring.c
    while spring.force(high) < force:
        high = half + 2.0 * (high - half)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if spring.force(middle) < force else (low, middle)
    return spring.stiffness(high)


def _weights(at: Any, row: Array) -> dict[int, float]:
    return {int(index): float(weight) for index, weight in zip(at, row, strict=True) if weight}


LAW = Elastic
