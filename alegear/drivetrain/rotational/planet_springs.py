"""Springs and friction between planets and central gears, and how they follow each other over the mesh position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import atan, cos, inf, pi, tan
from typing import Any

from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.friction import MeshFriction
from alegear.drivetrain.planar.pitch_circles import PitchCircles
from alegear.drivetrain.planar.springs import MeshSpring
from alegear.drivetrain.rotational.planet_meshes import loaded_flanks
from alegear.errors import Fault
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.involute import transverse_pressure_angle
from alegear.geometry.iso_6336_stiffness import basic_rack_factor, of_all_pairs, stiffness_of_teeth
from alegear.geometry.planetary_phases import pitches_from_pitch_points, shared_planets, touching_teeth
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.geometry.tooth_profile import BasicRack
from alegear.limits import check_kind, described
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Scales

#: Deflection of teeth over the pitch radius that matters where nothing is known to load them.
IDLE = 1e-3
#: Part by which the period of a factor may differ from the circular pitch: what drawings print.
SAME_PITCH = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetMesh(ShortRepr):
    """Spring and friction of the teeth between a central gear and each planet, or between planets.

    Parameters
    ----------
    spring : MeshSpring
        Its factor over the mesh position, whose period is the circular pitch, counts from where flanks that carry touch
        at the pitch point, as that of a static study of the pair does. Where nothing has turned the first mesh of the
        first planet touches there; where its other meshes are then, and those of other planets, follows from the teeth.
    friction : MeshFriction or None
        The same holds of its factor. What it needs of the geometry is that of :func:`mesh_averages`.

    Raises
    ------
    Fault
    """

    spring: MeshSpring
    friction: MeshFriction | None = None

    def __post_init__(self) -> None:
        check_kind(self.spring, "PlanetMesh.spring", MeshSpring)
        check_kind(self.friction, "PlanetMesh.friction", MeshFriction, optional=True)

    @property
    def pair(self) -> GearPair | None:
        """Its two gears, which springs know nothing of: None."""
        return None

    @property
    def factors(self) -> tuple[PeriodicFactor, ...]:
        """Over the mesh position, of spring and friction."""
        laws: tuple[Any, ...] = (self.spring, self.friction)
        return tuple(law.factor for law in laws if law is not None and law.factor is not None)

    def turned(self, pitches: float) -> PlanetMesh:
        """Return the same, shifted by so many pitches of the mesh position."""
        if not pitches or not self.factors:
            return self
        friction = None if self.friction is None else _turned(self.friction, pitches)
        return PlanetMesh(spring=_turned(self.spring, pitches), friction=friction)


def _turned(law: Any, pitches: float) -> Any:
    """A spring or a friction law."""
    factor: PeriodicFactor | None = law.factor
    if factor is None:
        return law
    return replace(law, factor=replace(factor, start=factor.start - pitches * factor.period))


def mesh_circles(teeth: PlanetaryTeeth, mesh: str) -> PitchCircles:
    """Return the pitch circles of a mesh, gear A the sun or, against a ring, the planet; springs need no more.

    Parameters
    ----------
    teeth : PlanetaryTeeth
    mesh : str
        A central gear, or ``"planets"``.

    Raises
    ------
    Fault
    """
    _check_mesh(teeth, mesh)
    r_A, r_B = teeth.pitch_radii(mesh)
    return PitchCircles(r_A=r_A, r_B=r_B, alpha=teeth.alpha_wt(mesh))


def mesh_averages(teeth: PlanetaryTeeth, mesh: str) -> MeshAverages:
    """Return the path of contact of a mesh, for the friction of its teeth, by the tip diameters of the set.

    Parameters as of :func:`mesh_circles`.

    Raises
    ------
    Fault
        For tips that are not known, beyond involutes or out of reach.
    """
    circles = mesh_circles(teeth, mesh)
    (first, second), (r_aA, r_aB) = teeth.gears_of(mesh)[0], teeth.tips(mesh)
    try:
        return MeshAverages.from_radii(r_A=circles.r_A, r_B=circles.r_B, r_aA=r_aA, r_aB=r_aB, alpha=circles.alpha)
    except Fault as fault:
        names = [f"the {gear.replace('_', ' ')}" for gear in (first, second)]
        what = f"tip diameters of {names[0]} and {names[1]} [mm]"
        value = f"{2e3 * abs(r_aA):.6g} and {2e3 * abs(r_aB):.6g}"
        limit = f"such that flanks meet between their tips at the centre distance {1e3 * abs(circles.a):.6g}"
        remedy = f"leave out tip_diameter of {names[0]} and tip_diameter of {names[1]}, or correct tip_diameters"
        raise Fault(what, value, limit, remedy) from fault


def standard_stiffness(teeth: PlanetaryTeeth, mesh: str, face_width: float, modulus: float) -> float:
    """Return the mean stiffness of a mesh by ISO 6336-1, method B, along the line of action [N/m].

    ``c_gamma_alpha b`` of solid gears of one material with the rack ISO 53 A. A ring counts as a rack. Profile shifts
    that are known as sums only are those of the central gears, and tips that are not given those of
    :meth:`~alegear.geometry.planetary_shifts.PlanetaryShifts.tip_radius`.

    Parameters
    ----------
    teeth : PlanetaryTeeth
    mesh : str
    face_width : float [m]
        Common to both gears.
    modulus : float [Pa]

    Raises
    ------
    Fault
    """
    _check_mesh(teeth, mesh)
    gears, z = teeth.gears_of(mesh)
    known = teeth.shifts
    if any(gear not in known.x for gear in gears):
        known = replace(known, given={**dict.fromkeys(teeth.planet_gears, 0.0), **known.given})
    circles = mesh_circles(teeth, mesh)
    tips = [teeth.tip(gear) or known.tip_radius(gear) or 0.0 for gear in gears]
    path = MeshAverages.from_radii(r_A=circles.r_A, r_B=circles.r_B, r_aA=tips[0], r_aB=tips[1], alpha=circles.alpha)
    eps_alpha = (path.T_1B - path.T_1A) / (2.0 * pi * circles.r_A * cos(circles.alpha) / z[0])
    beta_b = atan(tan(teeth.beta) * cos(transverse_pressure_angle(teeth.alpha_n, teeth.beta)))
    virtual = [inf if one < 0 else one / (cos(beta_b) ** 2 * cos(teeth.beta)) for one in z]
    (z_1, x_1), (z_2, x_2) = sorted(zip(virtual, (known.x[gear] for gear in gears), strict=True))
    single = stiffness_of_teeth(z_n=(z_1, z_2), x=(x_1, x_2), beta=teeth.beta, moduli=(modulus, modulus))
    C_B = basic_rack_factor(BasicRack.dedendum_factor, teeth.alpha_n)
    return of_all_pairs(C_B * single, eps_alpha) * face_width


def _check_mesh(teeth: PlanetaryTeeth, mesh: str) -> None:
    if mesh not in teeth.meshes:
        raise Fault("mesh of a planetary set", described(mesh), f"one of {', '.join(teeth.meshes)}", "name one of them")
    if teeth.m_n is None:
        raise Fault("normal module of the planetary set", "not given", "given for elastic meshes", "give m_n")


def phases_matter(teeth: PlanetaryTeeth, meshes: Mapping[str, Any]) -> bool:
    """Whether anything changes over the position of a mesh whose planet has another mesh, from which it follows."""
    shared = shared_planets(teeth)
    following = [mesh for mesh in teeth.meshes[1:] if any(gear in shared for gear in teeth.gears_of(mesh)[0])]
    return any(meshes[mesh].factors for mesh in following)


def first_turned(teeth: PlanetaryTeeth, meshes: Mapping[str, Any], *, backwards: bool) -> dict[str, float]:
    """Return by how many pitches the meshes of the first planet are beyond the pitch point where nothing has turned.

    Parameters
    ----------
    teeth : PlanetaryTeeth
    meshes : mapping of str to PlanetMesh
    backwards : bool
        The first central gear drives clockwise.

    Returns
    -------
    dict of str to float
        Empty where it has no effect.

    Raises
    ------
    Fault
        For planets of which the profile shift is not known.
    """
    if not phases_matter(teeth, meshes):
        return {}
    sense = -1.0 if backwards else 1.0
    sides = {mesh: sense * side for mesh, side in loaded_flanks(teeth).items()}
    return pitches_from_pitch_points(teeth, touching_teeth(teeth, sides))


def check_phases(name: str, teeth: PlanetaryTeeth, meshes: Mapping[str, Any], torque: float | None) -> None:
    """Refuse what says how meshes follow each other where that has no effect, or says nothing."""
    if not phases_matter(teeth, meshes):
        if torque is not None:
            limit = "left out: no stiffness over the mesh position begins with the teeth of another mesh"
            remedy = "leave it out, or give a factor over the mesh position"
            raise Fault(f"torque of planetary set {name}", described(torque), limit, remedy)
    elif torque == 0.0:
        what, limit = f"torque [N m] of planetary set {name}", "not 0: its sign says which flanks are loaded"
        raise Fault(what, torque, limit, "give that of about the load")


def check_periods(name: str, teeth: PlanetaryTeeth, meshes: Mapping[str, Any]) -> None:
    """Refuse factors over the mesh position whose period is not the circular pitch."""
    for mesh in teeth.meshes:
        pitch = 2.0 * pi * abs(mesh_circles(teeth, mesh).r_A / teeth.gears_of(mesh)[1][0])
        for factor in meshes[mesh].factors:
            if abs(factor.period - pitch) > SAME_PITCH * pitch:
                limit = f"the circular pitch, {1e3 * pitch:.9g}: phases are told by it"
                what = f"period of a factor of mesh {mesh} of {name} [mm]"
                raise Fault(what, f"{1e3 * factor.period:.9g}", limit, "correct it")


def spring_scales(teeth: PlanetaryTeeth, mesh: PlanetMesh, on_gear: float, on_carrier: float) -> list[Scales]:
    """What is typical of the first mesh under a torque [N m] on its central gear, or without one on the carrier."""
    radius, stiffness = abs(teeth.pitch_radii(teeth.meshes[0])[0]), mesh.spring.c
    # a carrier has the sum of two such forces
    forces = on_gear / radius, on_carrier / (2.0 * max(teeth.pin_radii.values()))
    found = [abs(force) / teeth.n_planets for force in forces if force]
    return [Scales(deflection=force / stiffness, force=force, radius=radius) for force in found[:1]]


def idle_spring_scales(teeth: PlanetaryTeeth, mesh: PlanetMesh) -> Scales:
    """What is typical of the first mesh where nothing is known to load it."""
    radius = abs(teeth.pitch_radii(teeth.meshes[0])[0])
    return Scales(deflection=IDLE * radius, force=IDLE * radius * mesh.spring.c, radius=radius)
