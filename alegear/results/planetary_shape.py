"""What pictures need of the planetary sets of a machine: where their axes are, pitch circles, pins and meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from alegear.drivetrain.layout import Layout
from alegear.drivetrain.place_names import position_of, shaft_of
from alegear.geometry.planetary import CENTRAL_GEARS

#: Axes of a body that only turns; it has no place in space.
AXES = np.eye(3)


def planetary_shapes(layout: Layout) -> dict[str, Any]:
    """Describe the planetary sets of a machine whose modules are known.

    Parameters
    ----------
    layout : Layout

    Returns
    -------
    dict
        By name of the set its ``origin`` in the plane of the planets and the ``axes`` of its carrier, rows (3, 3), in
        space; ``carrier``, what carries the planets; ``module`` [m]; ``face_width`` [m] or None where it is not said;
        ``gears``, sun and ring by name, with what each sits ``on``, and as a wheel; ``planets`` by name, with the body
        that each turns with (``on``), radius [m] and angle [rad] of its pin, and its ``wheels``, one or two;
        ``meshes`` by name, with the central gear, the planet, which of both is the inner one (0 or 1), the pitch radius
        of the first [m] and the pressure angle [rad]. A wheel has its pitch radius [m], teeth (of a ring negative) and,
        where they are known, radii of its tip circle and of the rim, the bore or the cylinder outside.
    """
    sets: list[Any] = [one for one in layout.parts if one.planet_rows]
    return {one.name: _set(layout, one) for one in sets if one.teeth.m_n is not None}


def _set(layout: Layout, one: Any) -> dict[str, Any]:
    shaft = layout.shafts.get(shaft_of(one.carrier))
    widths = [given.pair.pinion.b for given in (one.meshes or {}).values() if given.pair is not None]
    gears: dict[str, Any] = {}
    planets, meshes = _planets(one), {}
    for mesh, names in one.mesh_names.items():
        both, teeth = one.teeth.gears_of(mesh)
        radii = [abs(radius) for radius in one.teeth.pitch_radii(mesh)]
        central = next((number for number, gear in enumerate(both) if gear in CENTRAL_GEARS), None)
        pair = one.meshes[mesh].pair if one.meshes and mesh in one.meshes else None
        for number, gear in enumerate(both):
            wheel = {"pitch_radius": radii[number], "teeth": teeth[number]}
            for what, radius in (("tip_radius", "r_a"), ("rim_radius", "r_rim")):
                wheel[what] = None if pair is None else abs(getattr(pair.gears[number], radius))
            if number == central:
                gears[_called(one, gear)] = {"on": shaft_of(str(getattr(one, gear))), **wheel}
            else:
                for planet in _row(one, gear):
                    planets[planet]["wheels"][gear] = wheel
        if central is not None:  # else two planets mesh
            for name, planet in zip(names, _row(one, both[1 - central]), strict=True):
                meshes[name] = {
                    "gears": [_called(one, both[central]), planet],
                    "inner": central,  # the first of both is the inner one
                    "pitch_radius": radii[central],
                    "alpha_wt": one.teeth.alpha_wt(mesh),
                }
    return {
        "origin": (np.zeros(3) if shaft is None else shaft.point(position_of(one.carrier))).tolist(),
        "axes": (AXES if shaft is None else shaft.axes).tolist(),
        "carrier": shaft_of(one.carrier),
        "module": one.teeth.m_n,
        "face_width": min(widths, default=None),
        "gears": gears,
        "planets": planets,
        "meshes": meshes,
    }


def _planets(one: Any) -> dict[str, Any]:
    """Planets by name, without their wheels: where their pins are, and with which body they turn."""
    found = {}
    for body, row in zip(one.teeth.planet_bodies, one.planet_rows, strict=True):
        for planet in row:
            radius, angle = one.held_at(planet)
            on = planet if one.elastic else f"{one.name} {body}"
            found[planet] = {"on": on, "pin_radius": radius, "pin_angle": angle, "wheels": {}}
    return found


def _row(one: Any, gear: str) -> list[str]:
    """Planets that have a gear."""
    rows: list[list[str]] = one.planet_rows
    return rows[one.teeth.planet_bodies.index(gear)] if one.teeth.meshing else rows[0]


def _called(one: Any, gear: str) -> str:
    return f"{one.name} {gear.replace('_', ' ')}"
