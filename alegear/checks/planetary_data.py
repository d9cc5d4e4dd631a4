"""What follows from the planetary sets of a machine before anything is computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from alegear.checks.design_warnings import flank_warnings, strength_warnings, unknown_strengths
from alegear.checks.gear_data import data_of_flanks, data_of_gear, data_of_pair
from alegear.drivetrain.place_names import shaft_of
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.planetary import CENTRAL_GEARS, in_words


def planetary_data(parts: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """Return sets, gears and meshes of planetary sets; the unit is in the key.

    Parameters
    ----------
    parts : iterable
        Of a machine; those that are no planetary sets are passed over.

    Returns
    -------
    dict
        ``planetary_sets`` by name, ``planetary_gears`` by set and gear, ``planetary_meshes`` by set and mesh; empty
        without any. Without a module of a set tooth numbers and ratio are all that is known. Diameters of rings are
        negative, as in ISO 21771, their teeth are not. Lists in ``planetary_meshes`` are of the inner and the outer
        gear; ``phases_pitches`` is by how much the mesh of each planet is behind that of the first, 0 to below 1, and
        ``phasing`` what that is called: "in phase", "counter-phase" (neighbours half a pitch apart), "sequential" (each
        planet as far behind the one before it), else "uneven"; more than pressure angle and working pitch diameters,
        and dimensions of the gears, are known with fidelity
        "teeth".
    """
    sets = [part for part in parts if isinstance(part, PlanetaryGearSet)]
    if not sets:
        return {}
    return {
        "planetary_sets": {one.name: _set(one) for one in sets},
        "planetary_gears": {f"{one.name} {in_words(gear)}": data for one in sets for gear, data in _gears(one).items()},
        "planetary_meshes": {
            f"{one.name} {in_words(mesh)}": _mesh(one, mesh)
            for one in sets
            if one.teeth.m_n is not None
            for mesh in one.teeth.meshes
        },
    }


def planet_design_warnings(parts: Iterable[Any]) -> list[str]:
    """What sets on teeth are warned of before anything is computed, as meshes of two gears are: flanks and strength.

    Each planet takes its share of the torque on the first central gear; its force is that of both meshes of a planet.
    """
    found: list[str] = []
    for one in parts:
        if not isinstance(one, PlanetaryGearSet) or one.torque is None:
            continue
        pairs = {mesh: given for mesh, given in (one.meshes or {}).items() if isinstance(given, PlanetPair)}
        force: float | None = None
        materials: dict[str, Material] = {}
        for mesh, given in pairs.items():
            pair = given.pair
            if force is None:
                force = abs(one.torque / pair.pinion.r_b) / one.teeth.n_planets
            torque = force * abs(pair.pinion.r_b)
            own = [
                *flank_warnings(pair, given.materials, torque),
                *strength_warnings(pair, given.materials, torque),
            ]
            materials |= dict(zip(pair.names.gears, given.materials, strict=True))
            found += [f"{one.name} {in_words(mesh)}: {warning}" for warning in own]
        found += [f"{one.name}: {warning}" for warning in unknown_strengths(materials)]
    return found


def whole_gears(parts: Iterable[Any]) -> dict[str, CylindricalGear]:
    """Return the gears of planetary sets on teeth, by set and gear."""
    found: dict[str, CylindricalGear] = {}
    for one in parts:
        for mesh in one.teeth.meshes if isinstance(one, PlanetaryGearSet) else ():
            given = (one.meshes or {}).get(mesh)
            if isinstance(given, PlanetPair):
                for number, name in enumerate(one.teeth.gears_of(mesh)[0]):
                    found.setdefault(f"{one.name} {in_words(name)}", given.pair.gears[number])
    return found


def _set(one: PlanetaryGearSet) -> dict[str, Any]:
    teeth = one.teeth
    data: dict[str, Any] = {"fidelity": one.fidelity, "carrier": shaft_of(one.carrier), **one.facts}
    if teeth.m_n is None:
        return data
    return {
        **data,
        "m_n_mm": 1e3 * teeth.m_n,
        **({} if teeth.second_m_n is None else {"second_m_n_mm": 1e3 * teeth.second_m_n}),
        "alpha_n_deg": math.degrees(teeth.alpha_n),
        "beta_deg": math.degrees(teeth.beta),
        "pin_radius_mm": [1e3 * radius for radius in teeth.pin_radii.values()],
        "pin_positions_deg": None if teeth.pin_angles is None else [math.degrees(one) for one in teeth.pin_angles],
    }


def _gears(one: PlanetaryGearSet) -> dict[str, dict[str, Any]]:
    """Gears by name: what each sits on and its teeth, of whole gears their dimensions."""
    found: dict[str, dict[str, Any]] = {}
    for mesh in one.teeth.meshes:
        given = (one.meshes or {}).get(mesh)
        for number, (gear, z) in enumerate(zip(*one.teeth.gears_of(mesh), strict=True)):
            on = shaft_of(str(getattr(one, gear))) if gear in CENTRAL_GEARS else None
            data: dict[str, Any] = {"shaft": on, "teeth": abs(z)}
            tip = (one.teeth.tip_diameters or {}).get(gear)
            if tip is not None:
                data["d_a_mm"] = 1e3 * math.copysign(tip, z)
            if isinstance(given, PlanetPair):
                data |= data_of_gear(given.pair.gears[number], given.materials[number])
            found.setdefault(gear, data)
    return found


def _mesh(one: PlanetaryGearSet, mesh: str) -> dict[str, Any]:
    gears, _ = one.teeth.gears_of(mesh)
    data: dict[str, Any] = {
        "gears": [in_words(gear) for gear in gears],
        "alpha_wt_deg": math.degrees(one.teeth.alpha_wt(mesh)),
        "d_w_mm": [2e3 * radius for radius in one.teeth.pitch_radii(mesh)],
        "phases_pitches": [float(lag) for lag in one.teeth.lags(mesh)],
        "phasing": phasing(one.teeth.lags(mesh)),
    }
    given = (one.meshes or {}).get(mesh)
    if not isinstance(given, PlanetPair):
        return data
    moduli = given.materials[0].E, given.materials[1].E
    return {**data, **data_of_flanks(given.pair), **data_of_pair(given.pair, moduli)}


def phasing(lags: Sequence[Fraction]) -> str:
    """Return what the phases of the meshes of all planets are called.

    Parameters
    ----------
    lags : sequence of Fraction
        Pitches by which each is behind the first.

    Examples
    --------
    >>> phasing([Fraction(0), Fraction(2, 3), Fraction(1, 3)])
    'sequential'
    """
    step = lags[1] if len(lags) > 1 else Fraction(0)
    if (step * len(lags)) % 1 or any(lag != (step * number) % 1 for number, lag in enumerate(lags)):
        return "uneven"
    return {Fraction(0): "in phase", Fraction(1, 2): "counter-phase"}.get(step, "sequential")
