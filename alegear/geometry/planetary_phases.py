"""Where the teeth of a planet stand in all of its meshes: the phases between these."""

from __future__ import annotations

from cmath import phase, rect
from collections.abc import Mapping
from math import pi, tan

from alegear.errors import Fault
from alegear.geometry.involute import inv
from alegear.geometry.planetary import in_words
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, PlanetaryTeeth


def pitches_from_pitch_points(teeth: PlanetaryTeeth, touching: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return how far the meshes of the first planet are turned where the first mesh touches at the pitch point.

    A tooth of a planet gear that stands at theta while it is to stand at theta_0 to touch at the pitch point leaves its
    mesh turned, counterclockwise by its inner gear, by

        y = z (theta - theta_0)/(2 pi)        the planet is the inner gear: against a ring, the first of two that mesh
        y = z (theta_0 - theta)/(2 pi)        it is the outer one

    How steps of one planet stand to each other is not known: the first mesh of each step touches at the pitch point.

    Parameters
    ----------
    teeth : PlanetaryTeeth
    touching : mapping of str to mapping of str to float [rad]
        By mesh and planet gear theta_0, the polar angle of the centre line of a tooth of which a flank touches at the
        pitch point, about the planet's axis from the radius of the first pin.

    Returns
    -------
    dict of str to float [pitches]
        By mesh, not reduced: whole pitches say which tooth it is.
    """
    stands: dict[str, float] = {}  # a tooth of each planet gear
    found: dict[str, float] = {}
    waiting = [mesh for mesh in teeth.meshes if mesh in touching]
    while waiting:
        mesh = next((one for one in waiting if any(gear in stands for gear in touching[one])), waiting[0])
        waiting.remove(mesh)
        gears, z = teeth.gears_of(mesh)
        senses = {gear: sense * number for gear, sense, number in zip(gears, (1.0, -1.0), z, strict=True)}
        known = next((gear for gear in touching[mesh] if gear in stands), None)
        y = 0.0
        if known is not None:
            y = senses[known] * (stands[known] - touching[mesh][known]) / (2.0 * pi)
        found[mesh] = y
        for gear, angle in touching[mesh].items():
            stands.setdefault(gear, angle + 2.0 * pi * y / senses[gear])
    return found


def shared_planets(teeth: PlanetaryTeeth) -> tuple[str, ...]:
    """Planet gears with more than one mesh, whose teeth say how these follow each other."""
    meshing = [gear for mesh in teeth.meshes for gear in teeth.gears_of(mesh)[0]]
    return tuple(gear for gear in teeth.planet_gears if meshing.count(gear) > 1)


def touching_teeth(teeth: PlanetaryTeeth, sides: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Return where teeth of the planet gears stand that touch at the pitch points, by their thickness.

    ``theta_0 = delta - side psi_w``: delta the direction from the planet's axis to the pitch point, and half of the
    tooth at the working circle ``psi_w = (pi/2 + 2 x tan alpha_n)/z + inv alpha_t - inv alpha_wt``. Thickness is that
    without backlash: with gears in the middle of a backlash that both are thinner by, positions of the mesh, the means
    of those of its gears, are the same.

    Parameters
    ----------
    teeth : PlanetaryTeeth
    sides : mapping of str to float
        By mesh 1 where its inner gear drives counterclockwise, else -1.

    Returns
    -------
    dict of str to dict of str to float [rad]
        By mesh and planet gear of :func:`shared_planets`, for :func:`pitches_from_pitch_points`.

    Raises
    ------
    Fault
        For planets of which the profile shift is not known.
    """
    found, shared = {}, shared_planets(teeth)
    for mesh, side in sides.items():
        gears, alpha_wt = teeth.gears_of(mesh)[0], teeth.alpha_wt(mesh)
        found[mesh] = {
            gear: _to_pitch_point(teeth, mesh, gear) - side * _half_thickness(teeth, gear, alpha_wt)
            for gear in gears
            if gear in shared
        }
    return found


def _to_pitch_point(teeth: PlanetaryTeeth, mesh: str, gear: str) -> float:
    """Direction from a planet's axis to the pitch point [rad], from the radius of the first pin."""
    lead = teeth.layouts[-1].pin_lead
    angles = dict(zip(teeth.planet_gears, (0.0, lead), strict=False))
    if mesh == BETWEEN_PLANETS:
        centres = [rect(radius, angles[name]) for name, radius in teeth.pin_radii.items()]
        along = centres[1] - centres[0]
        return phase(along if gear == teeth.planet_gears[0] else -along)
    inwards = gear == teeth.gears_of(mesh)[0][1]  # the outer gear of a sun
    return angles[gear] + (pi if inwards else 0.0)


def _half_thickness(teeth: PlanetaryTeeth, gear: str, alpha_wt: float) -> float:
    """Half of a planet's tooth at its working circle, as an angle about its axis [rad]."""
    number = teeth.planet_gears.index(gear)
    x = teeth.shifts.x.get(gear)
    if x is None:
        called, limit = in_words(gear), "given: its thickness says how the meshes of a planet follow each other"
        raise Fault(f"profile shift of the {called}", "not given", limit, f"give profile_shift of the {called} = 0.0")
    return (
        (0.5 * pi + 2.0 * x * tan(teeth.alpha_n)) / teeth.planets[number]
        + inv(teeth.layouts[-1].alpha_t)
        - inv(alpha_wt)
    )
