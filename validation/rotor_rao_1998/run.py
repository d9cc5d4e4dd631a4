"""Two Timoshenko rotors coupled by a spur mesh: natural frequencies beside those of an independent open program.

An example of ROSS 2.3.0 after Rao (1998) and Yang (2016), with the values expected; see README.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alegear.drivetrain import Bearing, Disk, Shaft
from alegear.fe.material import Material
from alegear.system import Linearised, LineSpring, SystemBuilder, SystemModel, complex_modes

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst

#: [rad/s], ROSS 2.3.0 (Apache-2.0), class MultiRotor, eight Timoshenko elements a section, at standstill.
EXPECTED = np.array(
    [68.040, 70.629, 109.889, 110.545, 147.744, 220.089, 271.033, 325.445, 326.893, 347.641, 352.731, 378.196]
)
BOUND = 0.005  # agreed, refined beside refined

E, G, RHO = 207e9, 79.5e9, 7800.0
STEEL = Material(E=E, nu=E / (2.0 * G) - 1.0, rho=RHO)
BASE_RADII = (0.5086, 0.03567)  # 328 and 23 teeth
PRESSURE_ANGLE = np.deg2rad(22.5)
MESH_STIFFNESS = 1e8
DAMPING = (3e3, 3e3, 0.0)

FIRST_SECTIONS = [[0.1, 0.3, 0.0], [4.24, 0.3, 0.0], [1.16, 0.22, 0.0], [0.3, 0.22, 0.0]]
SECOND_SECTIONS = [[0.3, 0.15, 0.0], [5.0, 0.15, 0.0], [0.1, 0.15, 0.0]]
FIRST_STIFFNESS, SECOND_STIFFNESS = (183.9e6, 200.4e6, 0.0), (10.1e6, 41.6e6, 0.0)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Frequencies [rad/s] and their deviations from the expected ones."""

    frequencies: np.ndarray
    deviations: np.ndarray
    decay_rates: np.ndarray


def machine(longest_element: float) -> SystemModel:
    """Both rotors along z, their centres along x at the gears; the line of action leans by the pressure angle.

    The common point of the teeth lies on it, at the pitch point. With n the unit vector along it, from tooth to tooth,
    the deflection is n . (u_1 + phi_1 x r_1) - n . (u_2 + phi_2 x r_2), r_i from the axes to the pitch point: the
    displacements along n, and base radius times rotation of both with the same sign.
    """
    at_gears = sum(row[0] for row in FIRST_SECTIONS)
    distance = sum(BASE_RADII) / np.cos(PRESSURE_ANGLE)
    pitch_point = (BASE_RADII[0] / np.cos(PRESSURE_ANGLE), 0.0, at_gears)
    line_of_action = (np.sin(PRESSURE_ANGLE), np.cos(PRESSURE_ANGLE), 0.0)
    beams = {"material": STEEL, "longest_element": longest_element, "highest_mode": None}
    first = Shaft(name="generator rotor", sections=FIRST_SECTIONS, **beams)
    second = Shaft(
        name="turbine rotor",
        sections=SECOND_SECTIONS,
        **beams,
        position=(distance, 0.0, at_gears),
    )
    first_borders, second_borders = first.borders, second.borders
    builder = SystemBuilder().add(
        first,
        second,
        Disk(name="generator", shaft=first.name, at=first_borders[1], mass=525.7, inertia=32.2, tilt_inertia=16.1),
        Disk(name="flywheel", shaft=first.name, at=first_borders[2], mass=116.04, inertia=6.23, tilt_inertia=3.115),
        Disk(name="gear 1", shaft=first.name, at=first_borders[4], mass=726.4, inertia=113.9, tilt_inertia=56.95),
        Disk(name="gear 2", shaft=second.name, at=0.0, mass=5.0, inertia=0.004, tilt_inertia=0.002),
        Disk(name="turbine", shaft=second.name, at=second_borders[2], mass=7.45, inertia=0.149, tilt_inertia=0.0745),
        LineSpring(
            name="mesh",
            between=("gear 1", "gear 2"),
            point=pitch_point,
            direction=line_of_action,
            stiffness=MESH_STIFFNESS,
        ),
    )
    for shaft, positions, stiffness in (
        (first, (first_borders[0], first_borders[3]), FIRST_STIFFNESS),
        (second, (second_borders[1], second_borders[3]), SECOND_STIFFNESS),
    ):
        for end, position in zip(("left", "right"), positions, strict=True):
            builder.add(
                Bearing(
                    name=f"{end} bearing of the {shaft.name}",
                    shaft=shaft.name,
                    at=position,
                    stiffness=stiffness,
                    damping=DAMPING,
                )
            )
    return builder.build()


def compare(longest_element: float) -> Comparison:
    """The lowest frequencies that are not of rigid motions."""
    modes = complex_modes(Linearised.of(machine(longest_element))).elastic().lowest(len(EXPECTED))
    return Comparison(
        frequencies=modes.frequencies, deviations=modes.frequencies / EXPECTED - 1.0, decay_rates=modes.decay_rates
    )


def rows(quick: bool) -> Iterator[Row]:
    """The twelve frequencies for elements of several lengths, and the worst of each."""
    found = {length: compare(length) for length in ((0.5,) if quick else (0.5, 0.2, 0.1))}
    for length, one in found.items():
        yield worst(
            f"natural frequencies, elements of {length:g} m",
            [
                Row(
                    quantity=f"mode {i}",
                    value=float(frequency),
                    reference=float(expected),
                    unit="rad/s",
                    bound=BOUND,
                    source="ROSS 2.3.0, eight elements a section",
                )
                for i, (frequency, expected) in enumerate(zip(one.frequencies, EXPECTED, strict=True), 1)
            ],
        )
    if not quick:
        print_table(found)


def print_table(found: dict[float, Comparison]) -> None:
    """Print the table of the README."""
    print("| mode | ROSS | " + " | ".join(f"elements of {length:g} m" for length in found) + " |")
    print("|---|---|" + "---|" * len(found))
    for i, expected in enumerate(EXPECTED):
        cells = [f"{one.frequencies[i]:.3f} ({100 * one.deviations[i]:+.3f} %)" for one in found.values()]
        print(f"| {i + 1} | {expected:.3f} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
