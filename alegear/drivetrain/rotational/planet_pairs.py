"""Planetary sets by their gears: pairs of sun and planet, of planet and ring, and how all of their teeth meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import cos
from typing import Annotated, Any

from alegear.drivetrain.gear_mass import GearMass
from alegear.drivetrain.gear_mesh import MeshLaw
from alegear.drivetrain.rotational.planet_meshes import PairTeeth, loaded_flanks
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.iso_6336_stiffness import usual_stiffness
from alegear.geometry.planetary_layout import CENTRE_DISTANCE_ROUND_OFF
from alegear.geometry.planetary_phases import pitches_from_pitch_points
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.limits import Limits, check_kind, check_type
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Scales

#: By how much a profile shift may differ from that of its gear: what drawings print.
ROUNDED_SHIFT = 5e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanetPair(ShortRepr):
    """The gears of a central gear and each planet, and how their teeth act on each other.

    Parameters
    ----------
    pair : GearPair
        The inner gear is its pinion: the sun against the planet, the planet against the ring.
    law : MeshLaw
        :class:`~alegear.drivetrain.laws.teeth.Teeth`.
    materials : (Material, Material)
    retardation : float [s]
        Of the teeth: their damping over their stiffness.

    Raises
    ------
    Fault
    """

    pair: GearPair
    law: MeshLaw
    materials: tuple[Material, Material] = field(default_factory=lambda: (Material(), Material()))
    retardation: Annotated[
        float, Limits(quantity="retardation of teeth", key="retardation_us", unit="us", least=0.0, most=1e6)
    ] = 0.0

    def __post_init__(self) -> None:
        check_type(self, "pair", GearPair)
        check_type(self, "law", MeshLaw)
        check_parameters(self)
        for one in self.materials:
            check_kind(one, "PlanetPair.materials", Material)
        if self.law.fidelity != "teeth":
            remedy = "take it, or PlanetMesh of a set with elastic teeth"
            raise Fault("law between planets and central gears", f'"{self.law.fidelity}"', '"teeth"', remedy)


def pair_scales(given: PlanetPair, torque: float) -> Scales:
    """What is typical of a mesh whose first gear has a torque [N m]."""
    pair, moduli = given.pair, [material.E for material in given.materials]
    force = torque / pair.pinion.r_b
    return Scales(deflection=force / (usual_stiffness(moduli) * pair.b_w), force=force, radius=pair.pinion.r_b)


def gear_masses(meshes: Any) -> dict[str, GearMass]:
    """Masses of sun, planet and ring from the pairs of a set; none where these are not what they should be."""
    inner, outer = (meshes.get(name) if isinstance(meshes, Mapping) else None for name in ("sun", "ring"))
    if not isinstance(inner, PlanetPair) or not isinstance(outer, PlanetPair):
        return {}
    return {
        "sun": GearMass.of(inner.pair.pinion, inner.materials[0]),
        "planet": GearMass.of(inner.pair.wheel, inner.materials[1]),
        "ring": GearMass.of(outer.pair.wheel, outer.materials[1]),
    }


def pair_teeth(
    teeth: PlanetaryTeeth,
    pairs: Mapping[str, PlanetPair],
    names: Mapping[str, tuple[str, tuple[str, str]]],
    pin: int,
    torque: float,
    error: float = 0.0,
) -> dict[str, PairTeeth]:
    """Return the meshes of the planet of a pin such that all flanks that a torque loads touch at once.

    The sun touches the first planet at the pitch point with tooth pair 0, the ring where that planet's teeth are then;
    the meshes of other planets are behind by ``teeth.lags``.

    Parameters
    ----------
    teeth : PlanetaryTeeth
        Of one planet gear.
    pairs : mapping of str to PlanetPair
    names : mapping of str to (str, (str, str))
        By mesh its name, and what its gears sit on.
    pin : int
    torque : float [N m]
        On the first central gear.
    error : float [m]
        How far the pin stands ahead of its place.
    """
    sense = -1.0 if torque < 0.0 else 1.0
    sides = {mesh: sense * side for mesh, side in loaded_flanks(teeth).items()}
    inner, outer = teeth.meshes
    # about the radius of a pin, from the axis of the set, which is the line of centres of both pairs
    touching = {
        inner: {"planet": pairs[inner].pair.reference_angles(sides[inner])[1]},
        outer: {"planet": pairs[outer].pair.reference_angles(sides[outer])[0]},
    }
    first = pitches_from_pitch_points(teeth, touching)
    # what goes from a central gear to a planet goes on to the other one, along lines at one base circle
    force = abs(torque) / teeth.n_planets / pairs[inner].pair.pinion.r_b
    found = {}
    for mesh in teeth.meshes:
        given, (name, gears) = pairs[mesh], names[mesh]
        found[mesh] = PairTeeth(
            name=name,
            gears=gears,
            pair=given.pair,
            law=given.law,
            materials=given.materials,
            turned=first[mesh] - float(teeth.lags(mesh)[pin]),
            torque=sense * force * given.pair.pinion.r_b,
            retardation=given.retardation,
            ahead=(0.0, error) if mesh == inner else (error, 0.0),
        )
    return found


def check_pairs(name: str, teeth: PlanetaryTeeth, meshes: Mapping[str, Any], torque: float | None) -> None:
    """Refuse pairs that are not those of the teeth of a set."""
    if not torque:
        what, limit = f"torque [N m] of planetary set {name}", "not 0: its sign says which flanks are loaded"
        raise Fault(what, torque, limit, "give that of about the load")
    if teeth.meshes != ("sun", "ring") or len(teeth.planets) != 1:
        limit = 'sun, ring and one planet gear with fidelity = "teeth"'
        raise Fault(f"gears of planetary set {name}", ", ".join(teeth.members), limit, 'take fidelity = "elastic"')
    if teeth.m_n is None:
        raise Fault(f"normal module of planetary set {name}", None, "given with its gears", "give m_n")
    for mesh in teeth.meshes:
        _, z = teeth.gears_of(mesh)
        pair = meshes[mesh].pair
        if (pair.pinion.z, pair.wheel.z) != z:
            value, limit = f"{pair.pinion.z}/{pair.wheel.z}", f"{z[0]}/{z[1]}, as the set has them, the inner one first"
            raise Fault(f"teeth of pair {mesh} of {name}", value, limit, "correct one of them")
    sun, ring = (meshes[mesh].pair for mesh in teeth.meshes)
    for what in ("m_n", "beta", "x", "d_a", "thickness_allowance"):
        both = getattr(sun.wheel, what), getattr(ring.pinion, what)
        if both[0] != both[1]:
            value = f"{both[0]:.9g} against the sun, {both[1]:.9g} against the ring"
            raise Fault(f"{what} of the planets of {name}", value, "the same: it is one gear", "take it for both pairs")
    _check_agreement(name, teeth, meshes)


def _check_agreement(name: str, teeth: PlanetaryTeeth, meshes: Mapping[str, Any]) -> None:
    """Refuse what the teeth of a set say otherwise than its gears: centre distance, profile shifts and tips."""
    radius = teeth.pin_radii["planet"]
    for mesh in teeth.meshes:
        gears, pair = teeth.gears_of(mesh)[0], meshes[mesh].pair
        if abs(abs(pair.a_w) - radius) > CENTRE_DISTANCE_ROUND_OFF * radius:
            limit = f"{1e3 * radius:.9g}, the radius of the circle of pins"
            what = f"centre distance [mm] of pair {mesh} of {name}"
            raise Fault(what, float(f"{1e3 * abs(pair.a_w):.9g}"), limit, "correct a_w of one of them")
        for called, gear in zip(gears, pair.gears, strict=True):
            x, d_a = (teeth.profile_shifts or {}).get(called), (teeth.tip_diameters or {}).get(called)
            if x is not None and abs(x - gear.x) > ROUNDED_SHIFT:
                remedy = "correct one of them, or leave it out of profile_shifts"
                raise Fault(f"profile shift of the {called} of {name}", x, f"{gear.x:.9g}, that of its gear", remedy)
            if d_a is not None and abs(d_a - abs(gear.d_a)) > CENTRE_DISTANCE_ROUND_OFF * d_a:
                remedy = "correct one of them, or leave it out of tip_diameters"
                limit = f"{1e3 * abs(gear.d_a):.9g}, that of its gear"
                raise Fault(f"tip diameter of the {called} of {name} [mm]", float(f"{1e3 * d_a:.9g}"), limit, remedy)


def teeth_of_pairs(teeth: PlanetaryTeeth, pairs: Mapping[str, PlanetPair]) -> PlanetaryTeeth:
    """Return the teeth of a set with the centre distance, the profile shifts and the tips of its gears."""
    shifts, tips = {}, {}
    for mesh, one in pairs.items():
        for called, gear in zip(teeth.gears_of(mesh)[0], one.pair.gears, strict=True):
            shifts[called], tips[called] = gear.x, abs(gear.d_a)
    return replace(teeth, a_w=(teeth.pin_radii["planet"],), profile_shifts=shifts, tip_diameters=tips)


def warnings_of_gears(name: str, pairs: Mapping[str, PlanetPair], errors: tuple[float, ...] | None) -> Iterator[str]:
    """Tell what the gears of a set and the errors of its pins are to be used with caution for.

    A path from sun to ring through a planet whose pin is ahead by e differs from the others by
    ``e (cos alpha_ws + cos alpha_wr)`` along the lines of action; where paths differ by more than the backlash of both
    meshes, planets that nothing loads are pressed in between both of their flanks.
    """
    for mesh, one in pairs.items():
        for warning in one.pair.warnings:
            yield f"planetary set {name}, {mesh} mesh: {warning}"
    if errors is None:
        return
    apart = max(errors) - min(errors)
    cosines = {mesh: cos(one.pair.alpha_wt) for mesh, one in pairs.items()}
    backlash = sum(max(one.pair.j_wt, 0.0) * cosines[mesh] for mesh, one in pairs.items())
    most = backlash / sum(cosines.values())
    if apart > most:
        yield (
            f"planetary set {name}: pin errors are {1e6 * apart:.4g} um apart, and the backlash of both meshes leaves"
            f" {1e6 * most:.4g} um while sun and ring hold their places: planets are pressed in between both flanks;"
            " reduce pin_error_um, or raise tooth_thickness_allowance_um"
        )
