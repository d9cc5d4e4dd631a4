"""Natural frequencies of planetary sets with three, four and five planets beside those of Lin and Parker (1999).

The set has all members displaced in space; its modes in the plane are compared. See README.md.
"""

from __future__ import annotations

import argparse
import csv
from math import cos, pi, radians
from pathlib import Path

import numpy as np

from alegear.drivetrain.displaced_planets import Pins
from alegear.drivetrain.planar import LinearSpring
from alegear.drivetrain.rotational.planet_springs import PlanetMesh
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.system import (
    BearingLink,
    Linearised,
    Rotor,
    SystemBuilder,
    SystemModel,
    SystemModes,
    TorsionSpring,
    real_modes,
)

PLANETS = (3, 4, 5)
BOUND = 1e-3
REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "planetary_modes_lin_parker_1999.csv"

#: Mass and I/r^2 [kg], r the base radius of gears and the radius of the pins.
MEMBERS = {"sun": (0.40, 0.39), "ring": (2.35, 3.00), "carrier": (5.43, 6.29), "planet": (0.66, 0.61)}
MESH, BEARING, RING_TORSION = 5e8, 1e8, 1e9  # N/m, the last one at the base circle of the ring
ALPHA = radians(24.6)
SUN_BASE_DIAMETER = 77.4e-3
#: Teeth of sun and planets: sets that can be assembled, whose planets do not touch.
TEETH = {3: (27, 36), 4: (27, 35), 5: (27, 33)}
#: Out of the plane, where the set of the paper does not move: axial [N/m], against tilting [N m/rad].
ACROSS = (3.7e8, 2.3e6, 2.3e6)


def teeth_of(n: int) -> PlanetaryTeeth:
    """Teeth of the set with n planets, with the base circle of the paper's sun."""
    sun, planet = TEETH[n]
    return PlanetaryTeeth(
        sun=sun,
        ring=sun + 2 * planet,
        planets=(planet,),
        n_planets=n,
        m_n=SUN_BASE_DIAMETER / (sun * cos(ALPHA)),
        alpha_n=ALPHA,
    )


def planetary_set(n: int) -> SystemModel:
    """The set at standstill, teeth bonded where they carry."""
    teeth = teeth_of(n)
    half_module = 0.5 * teeth.m_n
    radii = {
        "sun": half_module * teeth.sun * cos(ALPHA),
        "planet": half_module * teeth.planets[0] * cos(ALPHA),
        "ring": half_module * teeth.ring * cos(ALPHA),
        "carrier": teeth.pin_radii["planet"],
    }
    inertia = {name: own * radii[name] ** 2 for name, (_, own) in MEMBERS.items()}
    builder = SystemBuilder()
    bearing = (BEARING, BEARING, *ACROSS)
    for name in ("sun", "ring", "carrier"):
        mass, J = MEMBERS[name][0], inertia[name]
        builder.add(Rotor(name=name, mass=mass, inertia=J, tilt_inertia=0.5 * J))
        builder.add(BearingLink(name=f"{name} bearing", place=name, stiffness=bearing))
    spring = PlanetMesh(spring=LinearSpring(c=MESH))
    builder.add(
        PlanetaryGearSet(
            name="set",
            teeth=teeth,
            sun="sun",
            ring="ring",
            carrier="carrier",
            planet_inertia=inertia["planet"],
            planet_mass=MEMBERS["planet"][0],
            fidelity="elastic",
            meshes={"sun": spring, "ring": spring},
            pins=Pins(stiffness=bearing),
        ).on_springs(),
        TorsionSpring(name="ring torsion", between=("ring", "ground"), stiffness=RING_TORSION * radii["ring"] ** 2),
    )
    return builder.build()


def modes_of(n: int) -> SystemModes:
    """Modes in the plane, by ascending frequency."""
    modes = real_modes(Linearised.of(planetary_set(n)))
    across = np.array([name.endswith(" z") or "tilt" in name for name in modes.names])
    moved = np.abs(modes.shapes) ** 2 * np.diag(modes.mass)[:, None]
    return modes.taken(np.flatnonzero(moved[across].sum(axis=0) < 0.5 * moved.sum(axis=0)))


def kinds_of(modes: SystemModes) -> list[str]:
    """What the central members do in each mode: they turn, they are displaced, or only the planets move."""
    central = ("sun", "ring", "carrier")
    weights = np.sqrt(np.diag(modes.mass))[:, None]
    turned = np.abs(weights * modes.shapes)[[modes.names.index(name) for name in central]].max(axis=0)
    places = [modes.names.index(f"{name} {axis}") for name in central for axis in "xy"]
    displaced = np.abs(weights * modes.shapes)[places].max(axis=0)
    still = 1e-6  # of a mode of unit mass
    return [
        "planet" if max(phi, u) < still else "rotational" if phi > u else "translational"
        for phi, u in zip(turned, displaced, strict=True)
    ]


def published(n: int) -> list[tuple[float, str]]:
    """Frequencies [Hz] and kinds of the paper, each as often as it is there; none without the file of references."""
    if not REFERENCE.is_file():
        return []
    with REFERENCE.open(encoding="utf-8") as lines:
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))[1:]
    return sorted((float(row[3]), row[1]) for row in rows if row[0] == str(n) for _ in range(int(row[2])))


def main() -> None:
    """Print the tables of the README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--planets", type=int, nargs="*", default=PLANETS, choices=PLANETS)
    for n in parser.parse_args().planets:
        modes = modes_of(n)
        frequencies, expected = modes.frequencies / (2.0 * pi), published(n)
        print(f"\n| {n} planets, kind | Lin and Parker [Hz] | here [Hz] | deviation |\n|---|---|---|---|")
        for i, (f, kind) in enumerate(zip(frequencies, kinds_of(modes), strict=True)):
            paper = expected[i][0] if expected else float("nan")
            deviation = f"{100.0 * (f / paper - 1.0):+.3f} %" if paper else ""
            print(f"| {kind} | {paper:.1f} | {f:.2f} | {deviation} |")
        if expected:
            worst = max(abs(f / paper - 1.0) for f, (paper, _) in zip(frequencies, expected, strict=True) if paper)
            print(f"\nworst of {n} planets: {100.0 * worst:.4f} %")


if __name__ == "__main__":
    main()
