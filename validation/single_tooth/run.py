"""Compliance of a single tooth under a line load: geometry, grid and elements against two other FE codes.

Whole wheel in plane strain, bore clamped, module 1 mm, E 206 GPa, nu 0.3; load of 1 N per mm of width normal to the
flank. The result is the displacement along the load line of the point where that line crosses the tooth's centre
line. ``python validation/single_tooth/run.py`` computes the rows of ``expected.csv`` on three grids, elements of both
orders and prints the tables of README.md (three minutes).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from alegear.fe import FEModel, Material
from alegear.geometry import Gear
from alegear.mesh import GridOptions, SectorMesh, WheelMesh, mesh_sector

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst

Array = NDArray[np.float64]
Nodes = NDArray[np.int64]

HERE = Path(__file__).parent
MODULE = 1e-3  # m; the result does not depend on it
STEEL = Material(E=206e9, nu=0.3)
LINE_LOAD = 1e3  # N/m, i.e. 1 N/mm
LEVELS = (1, 2, 3)  # times the default numbers of elements
APART = 1.3e-3  # the reference: 0.03 % of rounding, 0.1 % between the two programs
COARSE = 3e-3  # what is promised of the default grid


def wheel(teeth: int, root_over_bore: float) -> Gear:
    """Gear of the reference: standard rack, no profile shift; one module wide, which plane strain does not see."""
    r_f = (0.5 * teeth - 1.25) * MODULE
    return Gear(z=teeth, m_n=MODULE, b=MODULE, bore_diameter=2.0 * r_f / root_over_bore)


def grid_options(level: int, order: int = 2) -> GridOptions:
    """The default grid refined evenly, one element across the face."""
    default = GridOptions()
    return GridOptions(
        flank_elements=level * default.flank_elements,
        fillet_elements=level * default.fillet_elements,
        thickness_elements=level * default.thickness_elements,
        rim_elements=level * default.rim_elements,
        width_elements=order,
        order=order,
    )


def tooth_compliance(gear: Gear, load_radius: float, options: GridOptions) -> float:
    """Displacement along the load line at the tooth's centre line over the line load.

    Parameters
    ----------
    gear : Gear
    load_radius : float [m]
        Where the load acts on flank a of tooth 0.
    options : GridOptions
        One element across the face.

    Returns
    -------
    float [m^2/N]
        Metres per N/m; 1e9 times this is um per N/mm.
    """
    sector = mesh_sector(gear, options)
    mesh = WheelMesh(sector)
    model = FEModel.from_mesh(mesh.volume, STEEL)
    tooth = mesh.node_of[0]  # the tooth frame of sector 0 is the frame of the wheel

    profile = gear.tooth_profile
    s_load = profile.s_at_radius(np.array([load_radius]))
    (normal,), (load_point,) = profile.normals(s_load), profile.points(s_load)
    face = tooth[sector.flank_a]
    force = np.zeros((model.n_nodes, 3))
    rows, shares = element_weights(np.hypot(*model.points[face[:, 0], :2].T), load_radius, sector.order)
    # the layers of nodes move alike, so any division of the load between them serves
    force[face[rows], :2] -= shares[:, None, None] * LINE_LOAD * gear.b / face.shape[1] * normal

    u = solve_plane_strain(model, force, mesh.volume.node_sets["bore"])

    x_centre = load_point[0] - load_point[1] / normal[1] * normal[0]
    centre = np.unique(tooth[on_centre_line(sector)])
    centre = centre[np.argsort(model.points[centre, 0])]
    rows, shares = element_weights(model.points[centre, 0], x_centre, sector.order)
    return float(-np.dot(shares @ u[centre[rows], :2], normal) / LINE_LOAD)


def element_weights(places: Array, x: float, order: int) -> tuple[Nodes, Array]:
    """Nodes of the element in which x lies, on a line of nodes at rising places, and their Lagrange functions at x."""
    last = len(places) - 1 - order
    first = min(max((int(np.searchsorted(places, x)) - 1) // order * order, 0), last)
    nodes = np.arange(first, first + order + 1)
    weights = [
        np.prod([(x - places[other]) / (places[node] - places[other]) for other in nodes if other != node])
        for node in nodes
    ]
    return nodes, np.array(weights)


def on_centre_line(sector: SectorMesh) -> Nodes:
    """Nodes of the sector on y = 0 in the lowest layer; an even number of elements across the tooth puts them there."""
    x, y, z = sector.volume.points.T
    return np.flatnonzero((np.abs(y) < 1e-9 * x.max()) & (z < z.min() + 1e-9 * x.max()))


def solve_plane_strain(model: FEModel, force: Array, bore: Nodes) -> Array:
    """Displacements with u_z = 0, the layers of nodes moving alike, and the bore clamped."""
    layers = len(np.unique(np.round(model.points[:, 2] / MODULE, 9)))
    columns = np.lexsort(np.round(model.points[:, ::-1] / MODULE, 9).T).reshape(-1, layers)
    assert np.ptp(model.points[columns, :2], axis=1).max() < 1e-9 * MODULE
    section = np.empty(model.n_nodes, dtype=np.int64)
    section[columns] = np.arange(len(columns))[:, None]
    is_free = np.ones(len(columns), dtype=bool)
    is_free[section[bore]] = False
    number = np.where(is_free, np.cumsum(is_free) - 1, -1)[section]
    node = np.flatnonzero(number >= 0)
    in_plane = np.arange(2)
    rows = (3 * node[:, None] + in_plane).reshape(-1)
    unknowns = (2 * number[node][:, None] + in_plane).reshape(-1)
    shape = (model.n_dof, 2 * int(is_free.sum()))
    tie: sp.csr_matrix = sp.coo_matrix((np.ones(len(rows)), (rows, unknowns)), shape=shape).tocsr()
    stiffness = (tie.T @ model.stiffness @ tie).tocsc()
    factor = splu(stiffness, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return (tie @ factor.solve(tie.T @ force.reshape(-1))).reshape(-1, 3)


def line_contact_approach(depths: list[float], curvature_radii: list[float], line_load: float) -> float:
    """Approach of two cylinders in line contact, each down to its own depth, over the line load [m^2/N].

    ``w_i/q = (1 - nu^2)/(pi E) (2 ln(2 h_i/b_H) - nu/(1 - nu))``, ``b_H^2 = 4 q rho_red/(pi E*)`` (Weber, plane strain;
    a half-plane for each body).

    Parameters
    ----------
    depths : two floats [m]
        From the contact to the tooth's centre line along the load line.
    curvature_radii : two floats [m]
    line_load : float [N/m]
    """
    plane_modulus = STEEL.E / (1.0 - STEEL.nu**2)
    rho_red = 1.0 / sum(1.0 / rho for rho in curvature_radii)
    b_H = np.sqrt(4.0 * line_load * rho_red / (np.pi * plane_modulus / 2.0))
    return sum(2.0 * np.log(2.0 * h / b_H) - STEEL.nu / (1.0 - STEEL.nu) for h in depths) / (np.pi * plane_modulus)


def pair_stiffness(gears: list[Gear], line_load: float, tooth_compliances: list[float]) -> float:
    """Stiffness per width [Pa] of a pair that touches at the pitch point, here on the reference circles."""
    depths = []
    for gear in gears:
        profile = gear.tooth_profile
        s = profile.s_at_radius(np.array([gear.r]))
        depths.append(profile.points(s)[0, 1] / profile.normals(s)[0, 1])
    curvature_radii = [gear.r * np.sin(gear.alpha_t) for gear in gears]
    return 1.0 / (sum(tooth_compliances) + line_contact_approach(depths, curvature_radii, line_load))


def expected_rows(kind: str) -> list[dict[str, str]]:
    """Rows of expected.csv of a kind, ``"tooth"`` or ``"pair"``."""
    with (HERE / "expected.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["kind"] == kind]


def rows(quick: bool) -> Iterator[Row]:
    """Compliance of a tooth and stiffness of a pair; quick: z = 17 on two grids, one load, no pair."""
    teeth = expected_rows("tooth")
    if quick:
        teeth = [next(row for row in teeth if row["teeth"] == "17")]
    levels = LEVELS[:2] if quick else LEVELS
    source = "two finite element programs, 0.1 % apart, rounded to 0.03 %"
    fine, default = [], []
    for row in teeth:
        gear, radius = wheel(int(row["teeth"]), float(row["root_over_bore_radius"])), float(row["load_radius_modules"])
        values = [1e9 * tooth_compliance(gear, radius * MODULE, grid_options(level)) for level in levels]
        name = f"z {row['teeth']}, load at {radius:g} modules, root over bore {row['root_over_bore_radius']}"
        reference = float(row["value"])
        unit = "um/(N/mm)"
        fine.append(Row(quantity=name, value=values[-1], reference=reference, unit=unit, bound=APART, source=source))
        # a displacement approach is too stiff: what is promised of the default grid
        itself = f"itself, {levels[-1]} times the elements"
        default.append(
            Row(quantity=name, value=values[0], reference=values[-1], unit=unit, bound=COARSE, source=itself)
        )
        if not quick:
            linear = [1e9 * tooth_compliance(gear, radius * MODULE, grid_options(level, 1)) for level in levels]
            off = ", ".join(f"{100 * (value / values[-1] - 1):+.2f} %" for value in (*values, *linear))
            print(f"| {name} | {values[-1]:.5f} | {reference:.5f} | order 2 and 1 off the finest: {off} |", flush=True)
    yield worst(f"compliance of a tooth under a line load, {levels[-1]} times the default elements", fine)
    yield worst("compliance of a tooth under a line load, default grid", default)
    for row in [] if quick else expected_rows("pair"):
        gears = [wheel(int(row[key]), float(row["root_over_bore_radius"])) for key in ("teeth", "mating_teeth")]
        load = float(row["line_load_per_module_N_per_mm2"]) * 1e6 * MODULE
        compliances = [tooth_compliance(gear, gear.r, grid_options(LEVELS[-1])) for gear in gears]
        yield Row(
            quantity=f"stiffness of the pair {row['teeth']}/{row['mating_teeth']}, pitch point, Weber's line contact",
            value=1e-9 * pair_stiffness(gears, load, compliances),
            reference=float(row["value"]),
            unit="N/(mm um)",
            bound=APART,
            source=source,
        )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
