"""Sharp corner of the pinion's tip pressed on its mate: the law of a strip at an edge against the plane layer itself.

The layer under the pinion's flank, solved by plane finite elements as for the table of the contact law, touches a flat
bonded layer with its corner; the contact is found in cells of constant pressure. The gap is that of a parabola whose
vertex lies a distance d beyond the corner. Beside it the approach by equations (6) and (6a) of
``alegear/contact/hertz/README.md``.

Run: python validation/fe_helical_20_30/corner.py
"""

from __future__ import annotations

from dataclasses import replace
from math import pi
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

import alegear as ag
from alegear.contact import layer
from alegear.contact.hertz.strip_kernels import layer_approach
from alegear.contact.line_contact import bonded_layer_approach, bonded_layer_support
from alegear.mesh.sector import mesh_sector
from alegear.reduction.layer import layer_compliance

HERE = Path(__file__).parent
NU, E = 0.3, 210e9
E_PLANE = E / (1.0 - NU**2)  # of one body; E* is half of it
RHO, MATE_DEPTH = 8.47e-3, 1.5e-3  # reduced radius at the pinion's tip, depth of the mate's layer [m]
CELLS = 160
LOADS, BEYOND = (30e3, 100e3, 300e3), (0.0, 0.05e-3, 0.1e-3, 0.2e-3, 0.4e-3)  # [N/m], [m]

Array = NDArray[np.float64]


def pinion_layer() -> tuple[layer._Surface, layer.LayerApproach]:
    """Surface of the layer under the pinion's flank, and its table."""
    case = ag.Case.from_toml(HERE / "case.toml")
    gear, profile = case.pair.pinion, case.pair.pinion.tooth_profile
    sector = mesh_sector(gear, replace(case.grid_options[0], width_elements=4))
    under = layer_compliance(sector, case.materials[0], "a", 1)
    low = float(profile.s_at_radius(np.hypot(*under.outer[0])))
    surface = layer._solve_layer(profile, low, profile.s_tip, under.inner, NU, layer.LayerGrid())
    return surface, layer.LayerApproach.build(profile, low, profile.s_tip, under.inner, NU)


def mate_compliance(edges: Array) -> Array:
    """Displacement of cells of a flat bonded layer under unit loads on each other, times E_PLANE."""

    def second(x: Array) -> Array:  # second antiderivative of ln|x|
        x = np.abs(x)
        return np.asarray(0.5 * x**2 * np.log(np.where(x > 0.0, x, 1.0)) - 0.75 * x**2)

    low, high = edges[:-1, None], edges[1:, None]
    mean_log = second(high - low.T) - second(high - high.T) - second(low - low.T) + second(low - high.T)
    mean_log /= (high - low) * (high - low).T
    middle = 0.5 * (low + high)
    near = bonded_layer_approach(1e-4, NU) - (2.0 / pi) * (np.log(2.0 / 1e-4) + 0.5)
    far = bonded_layer_support(np.abs(middle - middle.T) / MATE_DEPTH, NU)
    return np.asarray(-(2.0 / pi) * (mean_log - np.log(MATE_DEPTH)) + near + far)


def pressed(surface: layer._Surface, q: float, beyond: float) -> float:
    """Approach of the corner [m] under the line load q."""
    tip = float(surface.s[-1])
    widest = 2.6 * np.sqrt(8.0 * q * RHO / (pi * E_PLANE))
    edges = tip - widest * 0.5 * (1.0 + np.cos(np.linspace(0.0, pi, CELLS + 1)))
    cells, used = surface._cell_loads(edges)
    A = cells @ surface.G[used, used] @ cells.T + mate_compliance(edges)
    gap = -np.diff((tip - edges + beyond) ** 3) / np.diff(edges) / (6.0 * RHO) - beyond**2 / (2.0 * RHO)
    active = np.ones(CELLS, dtype=bool)
    while True:
        at = np.flatnonzero(active)
        unit, closing = np.linalg.solve(A[np.ix_(at, at)], np.stack([np.ones(len(at)), E_PLANE * gap[at]], axis=1)).T
        approach = (q + closing.sum()) / unit.sum()
        pressure = approach * unit - closing
        if np.all(pressure >= 0.0):
            return float(approach / E_PLANE)
        active[at[pressure < 0.0]] = False


def by_law(table: layer.LayerApproach, q: float, beyond: float) -> float:
    """The same by the law of the strip at a sharp edge."""
    alpha, tip = beyond / RHO, float(table.s[-1])
    b = brentq(lambda b: 0.25 * pi * E_PLANE * b * (alpha + 1.5 * b / RHO) - q, 1e-9, 1e-2)
    W = layer_approach(table.s, table.log_b, table.table, tip - b, b)[0] + float(
        bonded_layer_approach(b / MATE_DEPTH, NU)
    )
    return q / E_PLANE * W + alpha * b + 0.75 * b * b / RHO - 2.0 * q / (pi * E_PLANE)


def by_ends(table: layer.LayerApproach, q: float, beyond: float) -> float:
    """The same with the slopes at the ends of the strip alone."""
    alpha, tip = beyond / RHO, float(table.s[-1])
    b = brentq(lambda b: 0.125 * pi * E_PLANE * b * (alpha + 2.0 * b / RHO) - q, 1e-9, 1e-2)
    return (
        q
        / E_PLANE
        * (
            layer_approach(table.s, table.log_b, table.table, tip - b, b)[0]
            + float(bonded_layer_approach(b / MATE_DEPTH, NU))
        )
    )


def main() -> None:
    """Print the table."""
    surface, table = pinion_layer()
    print("| line load [N/mm] | vertex beyond the corner [mm] | approach [um] | law | slopes at the ends alone |")
    print("|---" * 5 + "|")
    for q in LOADS:
        for beyond in BEYOND:
            exact = pressed(surface, q, beyond)
            law, ends = (100.0 * (f(table, q, beyond) / exact - 1.0) for f in (by_law, by_ends))
            print(f"| {1e-3 * q:.0f} | {1e3 * beyond:.2f} | {1e6 * exact:.3f} | {law:+.1f} % | {ends:+.1f} % |")


if __name__ == "__main__":
    main()
