"""Planetary sets whose members are displaced, for tests, validation and pictures."""

from __future__ import annotations

from itertools import combinations
from math import cos, pi, radians, sin

import numpy as np
from system_parts import Rotor, Torque

import alegear as ag
from alegear.drivetrain.planar import LinearSpring
from alegear.drivetrain.rotational.pins import Pins
from alegear.drivetrain.rotational.planet_meshes import BONDED, FREE, SEATED
from alegear.drivetrain.rotational.planet_springs import PlanetMesh
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.system import BearingLink, PiecewiseCubic, Rotor1D, SystemBuilder, solve_equilibrium
from alegear.system.time_integration.newton import NewtonParameters

#: Teeth of sun and planets by the number of planets: sets that can be assembled.
TEETH = {3: (27, 36), 4: (27, 35), 5: (27, 33), 6: (30, 30)}
#: Teeth of 5e8 N/m under 4 kN are balanced to 1e-9 N at best.
PARAMETERS = NewtonParameters(tolerance=1e-11, max_iterations=50, max_halvings=12)
MODULE, ALPHA = 2e-3, radians(24.6)
STIFFNESS = 5e8  # of every mesh, so that a path through a planet has half of it


def teeth(n, **given):
    sun, planet = TEETH[n]
    own = {"m_n": MODULE, "alpha_n": ALPHA} | given
    return PlanetaryTeeth(sun=sun, ring=sun + 2 * planet, planets=(planet,), n_planets=n, **own)


def planetary_set(n, *, contact=FREE, stiffness=5e8, backlash=0.0, damping=0.0, inertia=1e-4, mass=0.6, **given):
    """A set of equal springs; pins on bearings unless `pins` says else. And the part of a system with such contact."""
    spring = LinearSpring(c=stiffness, backlash=backlash, damping=damping)
    own = given.pop("teeth", None) or teeth(n)
    one = PlanetaryGearSet(
        name="set",
        teeth=own,
        sun="sun",
        ring=given.pop("ring", "ring"),
        carrier="carrier",
        planet_inertia=inertia,
        planet_mass=mass,
        fidelity="elastic",
        meshes={"sun": PlanetMesh(spring=spring), "ring": PlanetMesh(spring=spring)},
        pins=given.pop("pins", Pins(stiffness=(1e8, 1e8, 1e8, 1e6, 1e6))),
        **given,
    )
    return one, {FREE: lambda: one, SEATED: one.in_statics, BONDED: one.on_springs}[contact]()


def base_radii(own):
    """Of sun, planets and ring [m]."""
    return tuple(0.5 * own.m_n * z * cos(own.alpha_n) for z in (own.sun, own.planets[0], own.ring))


def held_set(n, *, floating, torque, contact, error=0.0, turned=0.0, pin=0, **given):
    """Carrier and ring on hinges, ring held, pins that hold the planets; the sun on a hinge or free in the plane."""
    errors = tuple(error if i == pin else 0.0 for i in range(n))
    one, part = planetary_set(n, pins=None, pin_errors=errors, contact=contact, ring="ground", **given)
    builder = SystemBuilder()
    sun = {"mass": 1.0, "tilt_inertia": 1e-3} if floating else {}
    builder.add(
        Rotor1D(name="carrier", inertia=1e-2, angle=turned),
        Rotor(name="sun", inertia=1e-3, **sun),
        part,
        Torque(name="load", place="sun", profile=PiecewiseCubic.constant(torque)),
    )
    if floating:  # out of the plane nothing but a bearing holds it
        builder.add(BearingLink(name="axial", place="sun", stiffness=(0.0, 0.0, 1e6, 1e4, 1e4)))
    return builder.build(moves=False), one


def rest(n, *, guess=None, from_bonded=True, **given):
    """Equilibrium of such a set with the carrier held, and its loads."""
    turned = given.get("turned", 0.0)
    for contact in (BONDED, SEATED) if from_bonded else (SEATED,):
        model, one = held_set(n, contact=contact, **given)
        found = solve_equilibrium(model, held={model.index("carrier"): turned}, x=guess, parameters=PARAMETERS)
        guess = found.x
    return model, one, found, one.loads(model, found.x, np.zeros(model.n))


def by_complementarity(n, own, torque, way, floating):
    """Independently: all sets of planets that may carry are tried; those that do press, the others are open."""
    r, _, _ = base_radii(own)
    psi, k = 2.0 * pi * np.arange(n) / n, 0.5 * STIFFNESS
    # the sun presses along cos(alpha) tangentially and sin(alpha) outwards
    across = cos(ALPHA) * np.column_stack([-np.sin(psi), np.cos(psi)])
    across += sin(ALPHA) * np.column_stack([np.cos(psi), np.sin(psi)])
    rows = np.column_stack([np.full(n, r), across]) if floating else np.full((n, 1), r)
    early_by = np.zeros(n)
    early_by[0] = way
    load = np.zeros(rows.shape[1])
    load[0] = torque
    answers = []
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            active = list(chosen)
            A = k * rows[active].T @ rows[active]
            if np.linalg.matrix_rank(A, tol=1e-9 * k) < len(load):
                continue
            u = np.linalg.solve(A, load - k * rows[active].T @ early_by[active])
            overlap = rows @ u + early_by
            if (overlap[active] > 0.0).all() and (np.delete(overlap, active) < 0.0).all():
                answers.append(np.where(overlap > 0.0, k * overlap, 0.0))
    assert len(answers) == 1
    return answers[0]


PIN = (1e8, 1e8, 3.7e8, 2e6, 2e6)


def machine(
    n=3, *, torque=100.0, sense=1.0, errors=None, pins=True, held=False, drive=True, backlash=1e-4, factor=None
) -> ag.Machine:
    """Sun, ring and carrier as rigid bodies on bearings; the ring on a torque arm; a motor on the sun.

    With `held` the carrier and the ring are held as well as a machine can do it, and the sun hardly.
    """
    own, m = teeth(n), ag.Machine("planets on pins")
    stiff, soft = (1e12, 1e12, 1e12, 1e9, 1e9), (1.0, 1.0, 1e8, 1e6, 1e6)
    for name, mass, inertia in (("sun", 0.4, 6e-4), ("ring", 2.4, 5e-2), ("carrier", 5.4, 5e-2)):
        m.add(name, ag.Shaft(rigid=True))
        m.add(f"{name} body", ag.Disk(shaft=name, mass=mass, inertia=inertia, tilt_inertia=0.5 * inertia))
        bearing = PIN if not held else soft if name == "sun" else stiff
        m.add(f"{name} bearing", ag.Bearing(shaft=name, at=0.0, stiffness=bearing))
    m.add("torque arm", ag.Spring(between=("ring", "ground"), stiffness=1e12 if held else 1e7))
    mesh = PlanetMesh(spring=LinearSpring(c=STIFFNESS, backlash=backlash, factor=factor))
    m.add(
        "set",
        ag.PlanetaryGearSet(
            teeth=own,
            sun="sun",
            ring="ring",
            carrier="carrier",
            planet_inertia=6e-4,
            planet_mass=0.6,
            fidelity="elastic",
            meshes={"sun": mesh, "ring": mesh},
            pins=Pins(stiffness=PIN if not held else stiff) if pins else None,
            pin_errors=errors,
        ),
    )
    if drive:
        m.add("motor", ag.Drive(shaft="sun", torque=torque, speed=sense * 10.0))
        m.add("out", ag.TorqueLoad(shaft="carrier", balances_drive=True))
    return m
