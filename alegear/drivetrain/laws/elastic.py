"""The law ``elastic``: teeth on a spring in each flank, with backlash and the averaged friction of their contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, pi, tan
from typing import Any, ClassVar

import numpy as np

from alegear.contact.numbering import flank_side
from alegear.drivetrain.displaced_mesh import DisplacedMesh
from alegear.drivetrain.gear_mesh import (
    MeshLaw,
    MeshLoads,
    MeshPart,
    MeshPlace,
    MeshSurroundings,
    PreparedMesh,
    TeethOnSpring,
    TeethUnderLoad,
    moment_of_contact,
    seat,
)
from alegear.drivetrain.mesh_coordinates import error_unturned, mesh_rows
from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.forces import friction_direction, normal_direction
from alegear.drivetrain.planar.friction import CoulombFriction, Din3990Friction, MeshFriction, TabulatedEfficiency
from alegear.drivetrain.planar.mesh_stiffness import MeshStiffness
from alegear.drivetrain.planar.springs import Iso6336Spring, LinearSpring, MeshSpring, NiemannWinterSpring
from alegear.drivetrain.rotational.elastic_mesh import FLANKS, ElasticMesh, MeshElement, MeshFrictionLaw
from alegear.errors import Fault
from alegear.geometry.iso_6336_stiffness import LEAST_LINE_LOAD, mesh_stiffness
from alegear.limits import Limits
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.model import SystemModel

#: What is needed, and what may be given besides, by kind of spring and of friction.
SPRINGS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "linear": ((), ()),
    "iso6336": (("roughness_Rq",), ()),
    "niemann-winter": (("least_stiffness",), ("full_load",)),
}
FRICTIONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "none": ((), ()),
    "coulomb": (("mu",), ("mu_0",)),
    "din3990": (("viscosity", "roughness_Ra", "mu_0"), ()),
    "efficiency": (("efficiency",), ("static_factor",)),
}
#: Until nothing but round-off is left of an interval.
HALVINGS = 60


def _optional(limits: Limits, key: str) -> Limits:
    """Limits of a number that may be left out, under the key that cases have."""
    return replace(limits, key=key, optional=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Elastic(MeshLaw):
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
    spring : {"linear", "iso6336", "niemann-winter"}
        How the stiffness changes with the load.
    roughness_Rq : float or None [m]
        Of ``"iso6336"``: deformation from which the stiffness is constant.
    full_load : float or None [N]
        Of ``"niemann-winter"``: load from which it is; None: 100 N per mm of the common face width.
    least_stiffness : float or None
        Likewise: part of it that is there without load.
    friction : {"none", "coulomb", "din3990", "efficiency"}
    mu, mu_0 : float or None
        Of sliding (``"coulomb"``), and at rest (``"coulomb"``: None, the same; ``"din3990"``).
    viscosity : float or None [Pa s], roughness_Ra : float or None [m]
        Of ``"din3990"``.
    efficiency : rows of (float [m/s], float), or None
        Of ``"efficiency"``: mesh velocity, rising, and the efficiency of the mesh.
    static_factor : float or None
        Likewise: coefficient at rest over that of sliding; None: 1.

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

    LIMITS: ClassVar[Mapping[str, Limits]] = {
        "stiffness": _optional(MeshSpring.LIMITS["c"], "stiffness_N_per_m"),
        "damping": _optional(MeshSpring.LIMITS["damping"], "damping_Ns_per_m"),
        "backlash": _optional(MeshSpring.LIMITS["backlash"], "backlash_um"),
        "roughness_Rq": _optional(Iso6336Spring.LIMITS["R_q"], "roughness_Rq_um"),
        "full_load": _optional(NiemannWinterSpring.LIMITS["F_0"], "full_load_N"),
        "least_stiffness": _optional(NiemannWinterSpring.LIMITS["kappa_0"], "least_stiffness"),
        "mu": _optional(CoulombFriction.LIMITS["mu_sliding"], "mu"),
        "mu_0": _optional(CoulombFriction.LIMITS["mu_0"], "mu_0"),
        "viscosity": _optional(Din3990Friction.LIMITS["viscosity"], "viscosity_mPas"),
        "roughness_Ra": _optional(Din3990Friction.LIMITS["roughness"], "roughness_Ra_um"),
        "static_factor": _optional(TabulatedEfficiency.LIMITS["c_mu0"], "static_factor"),
    }
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"spring": tuple(SPRINGS), "friction": tuple(FRICTIONS)}
    fidelity: ClassVar[str] = "elastic"
    backlash_key: ClassVar[str] = "backlash_um"

    stiffness: float | None = None
    stiffness_from: Any = None
    damping: float | None = None
    backlash: float | None = None
    spring: str = "linear"
    roughness_Rq: float | None = None
    full_load: float | None = None
    least_stiffness: float | None = None
    friction: str = "none"
    mu: float | None = None
    mu_0: float | None = None
    viscosity: float | None = None
    roughness_Ra: float | None = None
    efficiency: Sequence[Sequence[float]] | None = None
    static_factor: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for which, kinds in (("spring", SPRINGS), ("friction", FRICTIONS)):
            kind = getattr(self, which)
            needed, possible = kinds[kind]
            for name in needed:
                if getattr(self, name) is None:
                    limit = f'given with {which} = "{kind}"'
                    raise Fault(f"{self._key(name)} of an elastic mesh", None, limit, f"give {self._key(name)}")
            for name in dict.fromkeys(one for groups in kinds.values() for group in groups for one in group):
                if name not in (*needed, *possible) and getattr(self, name) is not None:
                    limit = f'left out: it has no effect with {which} = "{kind}"'
                    raise Fault(f"{self._key(name)} of an elastic mesh", "given", limit, "leave it out")
        if self.stiffness_from is not None:
            given = [name for name in ("stiffness", "spring") if getattr(self, name) not in (None, "linear")]
            if given:
                limit = "left out with stiffness_from: it has both"
                raise Fault(f"{' and '.join(given)} of an elastic mesh", "given", limit, "leave out one of them")
            if not isinstance(self.stiffness_from, MeshStiffness):  # kept in pitches, whatever pair it is of
                found = MeshStiffness.from_static(self.stiffness_from, pitch=1.0)
                object.__setattr__(self, "stiffness_from", found)
        if self.efficiency is not None and not all(len(row) == 2 for row in self.efficiency):
            limit = "rows of a mesh velocity and an efficiency"
            raise Fault("efficiency_m_per_s of an elastic mesh", "other rows", limit, "correct them")

    def _key(self, name: str) -> str:
        return self.LIMITS[name].key if name in self.LIMITS else "efficiency_m_per_s"

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
        backlash = self.backlash_of(place)
        damping = retardation * c if self.damping is None else self.damping
        common: dict[str, Any] = {"c": c, "backlash": backlash, "damping": damping}
        if self.spring == "iso6336":
            return Iso6336Spring(R_q=_there(self.roughness_Rq), **common)
        if self.spring == "niemann-winter":
            F_0 = LEAST_LINE_LOAD * pair.b_w if self.full_load is None else self.full_load
            return NiemannWinterSpring(F_0=F_0, kappa_0=_there(self.least_stiffness), **common)
        if studied is None or turned is None:
            return LinearSpring(**common)
        pitch, factor = pi * pair.d_w[0] / pair.pinion.z, studied.factor
        scale = pitch / factor.period
        start = scale * factor.start - 0.5 * pair.d_w[0] * turned
        return LinearSpring(factor=PeriodicFactor(period=pitch, values=factor.values, start=start), **common)

    def backlash_of(self, place: MeshPlace) -> float:
        """As given, else that of the teeth."""
        return super().backlash_of(place) if self.backlash is None else self.backlash

    def friction_of(self, place: MeshPlace) -> MeshFriction | None:
        """The law of friction of a mesh, None without."""
        pair, averages = place.pair, MeshAverages.from_pair(place.pair)
        if self.friction == "none":
            return None
        if self.friction == "coulomb":
            return CoulombFriction(mu_sliding=_there(self.mu), mu_0=self.mu_0)
        if self.friction == "din3990":
            return Din3990Friction(
                mesh=averages,
                face_width=pair.b_w,
                viscosity=_there(self.viscosity),
                roughness=_there(self.roughness_Ra),
                mu_0=_there(self.mu_0),
                beta_b=pair.beta_b,
            )
        speeds, etas = zip(*(self.efficiency or ()), strict=True)
        c_mu0 = 1.0 if self.static_factor is None else self.static_factor
        return TabulatedEfficiency(mesh=averages, v_mesh=speeds, eta=etas, c_mu0=c_mu0)

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

    def in_modes(self, ready: PreparedMesh) -> MeshPart:
        """A spring with the slope under the load of the mesh, and the damper."""
        return TeethUnderLoad(spring_under_load=self.spring_under_load)

    def on_springs(self, ready: PreparedMesh) -> MeshPart:
        """The same."""
        return TeethUnderLoad(spring_under_load=self.spring_under_load)


def _there(value: float | None) -> float:
    """A value that has been checked to be there."""
    assert value is not None
    return value


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
        resisted = -friction_direction(averages, side, 0.0) / lever
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
        nominal = [normal_direction(averages, side, 0.0) for side in FLANKS]
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
