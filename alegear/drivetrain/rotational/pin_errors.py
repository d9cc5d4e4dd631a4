"""Pins of planets that stand ahead of their places: how far at most, and where flanks get too narrow for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, pi

import numpy as np

from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.errors import Fault
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.limits import Limits, array_of, described

PIN_ERROR = Limits(quantity="pin error", key="pin_error_um", unit="um", least=-1e6, most=1e6)


def check_pin_errors(name: str, teeth: PlanetaryTeeth, errors: object) -> None:
    """Refuse errors of the pins of a set that are not one a planet, or as large as if it sat in other teeth.

    Pins on which a planet can be put in are half a pitch apart along their circle: an error of a quarter of a pitch is
    nearer to the next of these.

    Raises
    ------
    Fault
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
