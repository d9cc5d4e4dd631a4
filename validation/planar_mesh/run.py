"""Averages of the planar mesh of van der Linden (2015) against what his paper prints: tables 2 and 3, figure 7.

    python validation/planar_mesh/run.py

prints the tables of README.md and draws `springs.png` (two seconds).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import acos, cos, radians, sin
from pathlib import Path

import numpy as np
from scipy.integrate import quad

from alegear.drivetrain.planar import Iso6336Spring, LinearSpring, MeshAverages, NiemannWinterSpring
from alegear.drivetrain.planar import planar_kernels as kernels

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst

HERE = Path(__file__).parent
RADII = {"r_A": 10e-3, "r_B": 30e-3, "r_aA": 11e-3, "r_aB": 31e-3}  # m, table 3
ALPHA = radians(20.0)
MU, F_N, V_MESH = 0.1, 1000.0, 1.0  # N, m/s
ROUND_OFF = 1e-11  # of 1 kW in 16.5 W
#: Quadrants of table 2: sign of v_mesh, sign of F_n, the gear that drives, signs of both friction torques.
QUADRANTS = {1: (1, 1, "A", 1), 2: (1, -1, "B", 1), 3: (-1, 1, "B", -1), 4: (-1, -1, "A", -1)}


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of table 3: as printed, by the formulas, as computed here, in its unit."""

    quantity: str
    printed: float
    by_formulas: float
    found: float
    unit: str


def the_mesh() -> MeshAverages:
    """The gears of table 3."""
    return MeshAverages.from_radii(**RADII, alpha=ALPHA)


def table_3() -> list[Figure]:
    """Its averages."""
    mesh = the_mesh()
    with (HERE / "expected.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        value = getattr(mesh, row["quantity"]) * (1e3 if row["unit"] == "mm" else 1.0)
        printed, by_formulas = float(row["printed"]), float(row["by_formulas"])
        found.append(
            Figure(quantity=row["quantity"], printed=printed, by_formulas=by_formulas, found=value, unit=row["unit"])
        )
    return found


def missing_moment(d_F: float, d_tauA: float, d_tauB: float) -> float:
    """What moments about the carrier leave over mu |F_n| [m]: nought for forces in equilibrium."""
    return d_tauA + d_tauB - d_F * (RADII["r_A"] + RADII["r_B"]) * sin(ALPHA)


def printed_loss(quadrant: int) -> tuple[float, float]:
    """Power lost [W] by formulas 1 and 2 with table 2: as torques of the shafts on the mesh, and of the mesh on gears.

    The second is the negative of the first; whether the named gear drives is in :func:`printed_power`.
    """
    into = sum(_printed_powers(quadrant))
    return into, -into


def printed_driver(quadrant: int, on_gears: bool) -> str:
    """The gear that drives by the printed torques."""
    at_A = _printed_powers(quadrant)[0] * (-1.0 if on_gears else 1.0)
    return "A" if at_A > 0.0 else "B"


def _printed_powers(quadrant: int) -> tuple[float, float]:
    """Printed torques times the speeds of their gears [W]."""
    v, f, _, sign = QUADRANTS[quadrant]
    mesh = the_mesh()
    tau_A = f * F_N * mesh.l_A + sign * MU * F_N * mesh.d_tauA
    tau_B = f * F_N * mesh.l_B + sign * MU * F_N * mesh.d_tauB
    return tau_A * v * V_MESH / mesh.r_A, -tau_B * v * V_MESH / mesh.r_B


def loss(v: float, side: float) -> tuple[float, str]:
    """Power lost [W] and the gear that drives, here."""
    mesh = the_mesh()
    forces = F_N * mesh.normal_direction(side) + v * MU * F_N * mesh.friction_direction(side)
    rates = np.array([v * V_MESH / mesh.r_A, -v * V_MESH / mesh.r_B, 0.0, 0.0, 0.0, 0.0])
    return float(-forces @ rates), "A" if forces[0] * rates[0] < 0.0 else "B"


def loss_of_teeth() -> float:
    """The same from the sliding of single contacts, integrated over the path [W]."""
    mesh = the_mesh()
    omega_A, omega_B = V_MESH / mesh.r_A, -V_MESH / mesh.r_B

    def lost(d_A: float) -> float:
        return MU * F_N * abs(omega_A * d_A + omega_B * (mesh.a * sin(ALPHA) - d_A))

    return quad(lost, mesh.T_1A, mesh.T_1B, points=[mesh.T_1P], epsrel=1e-12)[0] / (mesh.T_1B - mesh.T_1A)


def displaced(way: float) -> tuple[float, float]:
    """By how much the loss changes where the centres are `way` [m] further apart: here, and with the path that is left.

    As parts of the loss at the nominal distance; both gears keep their speeds.
    """
    mesh = the_mesh()
    a = mesh.a + way
    rates = np.array([V_MESH / mesh.r_A, -V_MESH / mesh.r_B, 0.0, 0.0, 0.0, 0.0])
    resisted = np.empty(kernels.N_COORDINATES)
    kernels.friction_direction(mesh.numbers, 1.0, 0.0, acos((mesh.l_A + mesh.l_B) / a), resisted)
    here = -resisted @ rates
    stretched = {"r_A": RADII["r_A"] * a / mesh.a, "r_B": RADII["r_B"] * a / mesh.a}
    left = MeshAverages.from_radii(**RADII | stretched, alpha=acos((mesh.l_A + mesh.l_B) / a))
    nominal = mesh.d_P * (rates[0] - rates[1])
    return here / nominal - 1.0, left.d_P * (rates[0] - rates[1]) / nominal - 1.0


def springs() -> dict[str, LinearSpring | Iso6336Spring | NiemannWinterSpring]:
    """Those of figure 7, with the stiffness and the backlash of tables 3 and 4 and roughness, load chosen here."""
    c, backlash = 2e8 / cos(ALPHA), 15e-6 * cos(ALPHA)  # from the pitch circles to the line of action
    rough, loaded = {"R_q": 4e-6}, {"F_0": 1000.0, "kappa_0": 0.3}
    return {
        "linear": LinearSpring(c=c),
        "ISO 6336-1": Iso6336Spring(c=c, **rough),
        "Niemann and Winter": NiemannWinterSpring(c=c, **loaded),
        "linear, backlash": LinearSpring(c=c, backlash=backlash),
        "ISO 6336-1, backlash": Iso6336Spring(c=c, backlash=backlash, **rough),
        "Niemann and Winter, backlash": NiemannWinterSpring(c=c, backlash=backlash, **loaded),
    }


def rows(quick: bool) -> Iterator[Row]:
    """Averages against the formulas, balance of moments, and losses against those of single contacts."""
    source = "formulas of van der Linden (2015)"
    figures = table_3()
    for row in figures:
        yield Row(
            quantity=f"{row.quantity} of table 3",
            value=row.found,
            reference=row.by_formulas,
            unit=row.unit,
            bound=5e-3,  # three digits
            source=f"{source}; printed: {row.printed:g}",
        )
    scale = [1e-3 if row.unit else 1.0 for row in figures]
    yield Row(
        quantity="moment left over, over mu F_n",
        value=abs(missing_moment(*(k * row.found for k, row in zip(scale, figures, strict=True)))),
        kind="at most",
        unit="m",
        bound=1e-17,  # round-off of 2 mm
        source="equilibrium",
    )
    expected, of_teeth = loss_of_teeth(), "single contacts, integrated over the path"
    lost = {q: loss(v, v if driver == "A" else -v) for q, (v, _, driver, _) in QUADRANTS.items()}
    yield worst(
        "power lost by friction",
        [
            Row(
                quantity=f"quadrant {q}",
                value=power,
                reference=expected,
                unit="W",
                bound=1e-11,
                source=of_teeth,
            )
            for q, (power, _) in lost.items()  # bound: round-off of 1 kW
        ],
    )
    yield Row(
        quantity="quadrants in which the other gear drives",
        value=float(sum(drives != QUADRANTS[q][2] for q, (_, drives) in lost.items())),
        kind="at most",
        bound=0.0,
        source="table 2 of van der Linden (2015)",
    )
    here, left = displaced(10e-6)
    yield Row(
        quantity="change of the loss by centres 10 um further apart",
        value=abs(here),
        kind="at most",
        bound=1e-9,
        source=f"averages belong to the nominal distance; the path that is left loses {100.0 * left:+.2f} %",
    )
    if not quick:
        print_tables()
        from alegear.pictures.mesh_springs import draw_mesh_springs

        draw_mesh_springs(springs(), 30e-6).savefig(HERE / "springs.png", dpi=110)


def print_tables() -> None:
    """Print the tables of README.md."""
    print("| table 3 | printed | by its formulas | here |\n|---|---|---|---|")
    for row in table_3():
        unit = f" [{row.unit}]" if row.unit else ""
        print(f"| {row.quantity}{unit} | {row.printed:g} | {row.by_formulas:g} | {row.found:.4f} |")
    print("\n| quadrant | table 2, shafts on the mesh [W] | table 2, mesh on the gears [W] | here [W] |")
    print("|---|---|---|---|")
    for quadrant, (v, _, driver, _) in QUADRANTS.items():
        of_shafts, of_gears = printed_loss(quadrant)
        lost, drives = loss(v, v if driver == "A" else -v)
        told = [f"{of_shafts:.3f}, {printed_driver(quadrant, False)} drives"]
        told += [f"{of_gears:.3f}, {printed_driver(quadrant, True)} drives", f"{lost:.3f}, {drives} drives"]
        print(f"| {quadrant}: {driver} drives | " + " | ".join(told) + " |")
    for way in (1e-6, 10e-6, 50e-6):
        here, left = (f"{100.0 * one:+.2f} %" for one in displaced(way))
        print(f"centres {1e6 * way:g} um further apart: loss {here}, on the path that is left {left}")


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
