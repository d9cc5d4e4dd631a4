"""What a planetary set by its teeth is refused for."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi

import numpy as np

from alegear.drivetrain.rotational import planet_springs
from alegear.drivetrain.rotational.planet_pairs import PlanetPair, check_pairs
from alegear.drivetrain.rotational.planetary_members import PlanetaryMembers
from alegear.drivetrain.rotational.set_losses import WAYS
from alegear.errors import Fault
from alegear.geometry.planetary import CENTRAL_GEARS
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.limits import Limits, array_of, check_choice, check_kind, check_type, described
from alegear.system.builder import GROUND

FIDELITIES = ("rigid", "lossy", "elastic", "teeth")

PLANET_INERTIA = Limits(quantity="inertia of a planet", key="planet_inertia_kg_m2", unit="kg m2", least=0.0, most=1e12)
PIN_ERROR = Limits(quantity="pin error", key="pin_error_um", unit="um", least=-1e6, most=1e6)
PLANET_MASS = Limits(quantity="mass of a planet", key="planet_mass_kg", unit="kg", least=0.0, most=1e9)
PLANET_TILT = Limits(
    quantity="inertia of a planet about a diameter", key="planet_tilt_inertia_kg_m2", unit="kg m2", least=0.0, most=1e12
)


def check_fidelity(planetary: PlanetaryMembers) -> None:
    """Refuse an unknown fidelity and keys without effect."""
    if planetary.fidelity == "flexible":
        limit = "rigid, lossy, elastic or teeth: planets with flexible teeth are not in this version"
        raise Fault(
            f"fidelity of planetary set {planetary.label}", f'"{planetary.fidelity}"', limit, "correct fidelity"
        )
    check_choice(planetary, "fidelity", FIDELITIES, f"fidelity of planetary set {planetary.label}")
    ways = [key for key in WAYS if getattr(planetary, key) is not None]
    if ways and planetary.fidelity != "lossy":
        limit = f'left out: with fidelity = "{planetary.fidelity}" it has no effect'
        remedy = 'write fidelity = "lossy", or leave it out'
        raise Fault(f"{ways[0]} of planetary set {planetary.label}", "given", limit, remedy)
    if not ways and planetary.fidelity == "lossy":
        what, remedy = f"losses of planetary set {planetary.label}", f"give one of {', '.join(WAYS[1:])}, {WAYS[0]}"
        raise Fault(what, "not given", 'given for fidelity = "lossy"', remedy)
    for key in ("meshes", "pin_errors", "pins", "torque"):
        given = getattr(planetary, key) is not None
        what, wanted = f"{key} of planetary set {planetary.label}", '"elastic" or "teeth"'
        if given and not planetary.elastic:
            limit = f'left out: with fidelity = "{planetary.fidelity}" it has no effect'
            raise Fault(what, "given", limit, f"write fidelity = {wanted}, or leave it out")
        optional = key.startswith("pin") or (key == "torque" and planetary.fidelity == "elastic")
        if not given and planetary.elastic and not optional:
            raise Fault(what, "not given", f"given for fidelity = {wanted}", f"give {key}")
    if planetary.fidelity != "teeth" and planetary.teeth.m_n is not None:
        planetary.teeth.shifts.check_backlash()  # gears on teeth may have allowances for it


def check_members(planetary: PlanetaryMembers) -> None:
    """Refuse places of gears that have no teeth, and teeth of gears that have no place."""
    for name in CENTRAL_GEARS:
        place, there = getattr(planetary, name), name in planetary.teeth.central
        if (place is not None) != there:
            limit = f"named, as {name} has teeth" if there else f"left out: {name} has no teeth"
            remedy = f"give {name}, or leave out its teeth" if there else f"leave out {name}, or give its teeth"
            value = None if place is None else described(place)
            raise Fault(f"{name} of planetary set {planetary.label}", value, limit, remedy)


def of_planets(planetary: PlanetaryMembers, key: str, limits: Limits) -> tuple[float, ...]:
    """Numbers of all planet bodies."""
    given, bodies = getattr(planetary, key), planetary.teeth.planet_bodies
    values = tuple(given) if isinstance(given, tuple | list) else (given,) * (len(bodies) if given == 0.0 else 1)
    if len(values) != len(bodies):
        limit = "two, one a planet gear" if len(bodies) == 2 else "one"
        raise Fault(f"number of values of {key} of {planetary.label}", len(values), limit, f"correct {limits.key}")
    for value in values:
        limits.check(value, f"PlanetaryGearSet.{key}")
    return tuple(float(value) for value in values)


def check_mass(planetary: PlanetaryMembers) -> None:
    """Refuse a mass of planets that nothing carries around."""
    if not any(planetary.masses):
        return
    if planetary.carrier == GROUND:
        limit = "left out: the carrier does not turn"
        raise Fault(f"planet_mass of {planetary.label}", list(planetary.masses), limit, "leave out planet_mass_kg")
    if planetary.teeth.m_n is None:
        limit = "given with the mass of planets, which turns on the circle of pins"
        raise Fault(f"normal module of {planetary.label}", None, limit, "give normal_module_mm")


def check_pins(planetary: PlanetaryMembers) -> None:
    """Refuse inertia of planets that has no effect, and planets on bearings without mass."""
    if planetary.pins is None:
        if planetary.planet_tilt_inertia is not None:
            limit = "left out without bearings of the pins: the carrier holds the axes of the planets"
            raise Fault(f"planet_tilt_inertia of {planetary.label}", "given", limit, "leave it out")
        return
    if not all(planetary.masses):
        limit = "greater than 0 on bearings, where planets are displaced by themselves"
        raise Fault(f"planet_mass of {planetary.label}", min(planetary.masses), limit, "give planet_mass_kg")


def check_pin_errors(name: str, teeth: PlanetaryTeeth, errors: object) -> None:
    """Refuse errors of the pins of a set that are not one a planet, or as large as if it sat in other teeth.

    Pins on which a planet can be put in are half a pitch apart along their circle: an error of a quarter of a pitch is
    nearer to the next of these.
    """
    if teeth.meshing:
        limit = "left out: planets that mesh with each other have two pins"
        raise Fault(f"pin_errors of {name}", "given", limit, "leave out pin_error_um")
    given = array_of(errors, "PlanetaryGearSet.pin_errors")
    if given.shape != (teeth.n_planets,):
        value, limit = described(given.size), f"{teeth.n_planets}, one a planet"
        raise Fault(f"number of pin_errors of {name}", value, limit, "correct pin_error_um")
    for value in given:
        PIN_ERROR.check(float(value), "PlanetaryGearSet.pin_errors")
    if teeth.m_n is None:
        return
    most, worst = 0.25 * pi * teeth.m_n / cos(teeth.beta), float(given[np.argmax(np.abs(given))])
    if not abs(worst) < most:
        limit = f"between {-1e6 * most:.6g} and {1e6 * most:.6g}, a quarter of a pitch"
        raise Fault(f"pin error [um] of {name}", float(f"{1e6 * worst:.6g}"), limit, "check the unit of pin_error_um")


def check_meshes(planetary: PlanetaryMembers) -> None:
    """Refuse unknown meshes, meshes of another type, and planets that cannot rotate on their own."""
    check_type(planetary, "meshes", Mapping)
    assert planetary.meshes is not None
    there, kind = planetary.teeth.meshes, planet_springs.PlanetMesh if planetary.fidelity == "elastic" else PlanetPair
    for name in {**dict.fromkeys(there), **planetary.meshes}:
        if name not in there:
            raise Fault(f"mesh of {planetary.label}", described(name), f"one of {', '.join(there)}", "correct its name")
        if name not in planetary.meshes:
            raise Fault(f"mesh {name} of {planetary.label}", "not given", "given", f"give {name} in meshes")
        check_kind(planetary.meshes[name], f"mesh {name} of {planetary.label}", kind)
    if not all(planetary.inertias):
        limit = f'greater than 0 with fidelity = "{planetary.fidelity}", where planets turn by themselves'
        raise Fault(f"planet_inertia of {planetary.label}", min(planetary.inertias), limit, "give planet_inertia_kg_m2")
    if planetary.pin_errors is not None:
        check_pin_errors(planetary.label, planetary.teeth, planetary.pin_errors)
    if planetary.fidelity == "elastic":
        planet_springs.check_periods(planetary.label, planetary.teeth, planetary.meshes)
        planet_springs.check_phases(planetary.label, planetary.teeth, planetary.meshes, planetary.torque)
    else:
        check_pairs(planetary.label, planetary.teeth, planetary.meshes, planetary.torque)


def check_no_friction(planetary: PlanetaryMembers) -> None:
    """Refuse friction of teeth in motions of displaced members."""
    for mesh, given in (planetary.meshes or {}).items():
        if isinstance(given, planet_springs.PlanetMesh) and given.friction is not None:
            limit = "left out where planets or central gears are displaced"
            raise Fault(
                f"friction of mesh {mesh} of {planetary.label}", "given", limit, "leave it out, or hold all axes"
            )
