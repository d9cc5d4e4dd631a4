"""Growth of fast wheels: the mean transmission error of a motion against thick rotating rings on rigid bores.

``python validation/centrifugal_growth/run.py`` prints the tables of README.md (three minutes).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

import alegear as ag
from alegear.drivetrain.flexible import FlexibleMesh
from alegear.drivetrain.normal_modes import CentrifugalForce
from alegear.fe import Material
from alegear.mesh.sector import SectorMesh, mesh_sector
from alegear.recording import motion as motion_by_steps
from alegear.reduction.rotation_loads import RotationResponse
from alegear.system.element import ElementForces

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst

HERE = Path(__file__).parent
Array = NDArray[np.float64]
MODES = (1, 24, 60)
RIGHT, BOUND = "wide", 0.05  # the ring that is compared with, and how near is asked for


# ------------------------------------------------------------------------------------------------ rings by hand
def ring_growth(material: Material, speed: float, a: float, R: float, traction: float, *, plane_strain: bool) -> float:
    """Growth at R of a ring held at a, under centrifugal forces and a radial traction at R [m].

    ``u = A r + B/r - k r^3``, ``k = (1 - nu^2) rho Omega^2/(8 E)``, ``u(a) = 0``, and at R

    ``sigma_r = E/(1 - nu^2) [(1 + nu) A - (1 - nu) B/r^2 - (3 + nu) k r^2] = traction`` (plane stress; Timoshenko and
    Goodier, Theory of Elasticity, section 32); plane strain with ``E/(1 - nu^2)`` and ``nu/(1 - nu)``.
    """
    E, nu = material.E, material.nu
    if plane_strain:
        E, nu = E / (1.0 - nu**2), nu / (1.0 - nu)
    k = (1.0 - nu**2) * material.rho * speed**2 / (8.0 * E)
    equations = np.array([[a, 1.0 / a], [1.0 + nu, -(1.0 - nu) / R**2]])
    A, B = np.linalg.solve(equations, [k * a**3, k * (3.0 + nu) * R**2 + traction * (1.0 - nu**2) / E])
    return float(A * R + B / R - k * R**3)


def tooth_column(gear: ag.Gear, material: Material, speed: float) -> tuple[float, float]:
    """Traction [Pa] of the teeth on the root circle, and their own growth from there to the pitch circle [m].

    A tooth is a bar of the thickness of the involute, down to the base circle, below of that there.
    """
    r = np.linspace(gear.r_f, gear.r_a, 801)
    thickness = np.array([gear.s_at(max(radius, gear.r_b * (1.0 + 1e-9))) for radius in r])
    force = material.rho * speed**2 * thickness * r  # by radius and width
    step = np.diff(r)
    beyond = np.concatenate([np.cumsum((0.5 * (force[1:] + force[:-1]) * step)[::-1])[::-1], [0.0]])
    traction = gear.z * beyond[0] / (2.0 * math.pi * gear.r_f)
    below = r <= 0.5 * gear.d
    strain = beyond / (material.E * thickness)
    return float(traction), float(np.trapezoid(strain[below], r[below]))


def wide_ring_growth(material: Material, speed: float, a: float, R: float, width: float, traction: float) -> float:
    """The same ring, as wide as it is, its bore held in the axial direction too: axisymmetric finite elements [m].

    Mean over the width at R; squares of four nodes, 96 through the ring and as many over half the width, 2 x 2 points.
    """
    n = 96
    r, z = np.meshgrid(np.linspace(a, R, n + 1), np.linspace(0.0, 0.5 * width, n + 1), indexing="ij")
    number = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    cells = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    points = np.column_stack([r.ravel(), z.ravel()])[cells]  # (cells, 4, 2)
    E, nu = material.E, material.nu
    D = E / ((1.0 + nu) * (1.0 - 2.0 * nu)) * (np.full((3, 3), nu) + (1.0 - 2.0 * nu) * np.eye(3))
    D = np.block([[D, np.zeros((3, 1))], [np.zeros((1, 3)), np.array([[0.5 * E / (1.0 + nu)]])]])
    K, f = np.zeros((len(cells), 8, 8)), np.zeros((len(cells), 4, 2))
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            s, t = np.array([-1.0, 1.0, 1.0, -1.0]), np.array([-1.0, -1.0, 1.0, 1.0])
            x_g, y_g = x / math.sqrt(3.0), y / math.sqrt(3.0)
            N = 0.25 * (1.0 + s * x_g) * (1.0 + t * y_g)
            dN = 0.25 * np.stack([s * (1.0 + t * y_g), t * (1.0 + s * x_g)])
            J = np.einsum("ia,cak->cik", dN, points)
            grad = np.linalg.solve(J, np.broadcast_to(dN, (len(cells), 2, 4)))
            radius = points[:, :, 0] @ N
            B = np.zeros((len(cells), 4, 8))
            B[:, 0, 0::2], B[:, 1, 1::2] = grad[:, 0], grad[:, 1]
            B[:, 2, 0::2] = N / radius[:, None]
            B[:, 3, 0::2], B[:, 3, 1::2] = grad[:, 1], grad[:, 0]
            weight = np.linalg.det(J) * radius
            K += np.einsum("cia,ij,cjb,c->cab", B, D, B, weight)
            f[:, :, 0] += (material.rho * speed**2 * radius * weight)[:, None] * N
    dofs = (2 * cells[:, :, None] + np.arange(2)).reshape(-1, 8)
    F = np.zeros(2 * number.size)
    np.add.at(F, dofs, f.reshape(-1, 8))
    edge = np.diff(z[-1])
    F[2 * number[-1, :-1]] += 0.5 * edge * R * traction
    F[2 * number[-1, 1:]] += 0.5 * edge * R * traction
    shape = (2 * number.size, 2 * number.size)
    matrix = coo_array((K.ravel(), (np.repeat(dofs, 8, 1).ravel(), np.tile(dofs, (1, 8)).ravel())), shape=shape).tocsc()
    free = np.ones(2 * number.size, dtype=bool)
    free[2 * number[0]] = free[2 * number[0] + 1] = False  # the bore
    free[2 * number[:, 0] + 1] = False  # symmetry at mid-face
    u = np.zeros(2 * number.size)
    u[free] = spsolve(matrix[free][:, free], F[free])
    at_R = u[2 * number[-1]]
    return float(np.sum(0.5 * (at_R[1:] + at_R[:-1]) * edge) / (0.5 * width))


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Growth of a gear [m]: of its ring at the root circle, by kind; of a tooth from there to the pitch circle."""

    plane_stress: float
    plane_strain: float
    wide: float
    tooth: float
    space: float  # of the finite element model, mean over the width, in the middle of a tooth space
    flank: float  # likewise, of the flank at the working pitch circle, along its normal
    direction: float  # of the normal there, along the centre line of the tooth

    def closes(self, kind: str) -> float:
        """Way of the flank along its normal, of a tooth that a ring carries outwards along its centre line."""
        return (float(getattr(self, kind)) + self.tooth) * self.direction


def growth(case: ag.Case, gear: int) -> Growth:
    """Growth of a gear of the case at its speed."""
    of, material = case.pair.gears[gear], case.materials[gear]
    assert case.operation.pinion_speed is not None
    speed = case.operation.pinion_speed * case.pair.pinion.z / of.z
    a = 0.5 * of.bore_diameter
    traction, tooth = tooth_column(of, material, speed)
    options = case.grid_options[gear]
    assert options is not None
    sector = mesh_sector(of, options)
    response = RotationResponse.stored(sector, material).centrifugal * speed**2
    space = sector.root_a[0]  # across the face, in the middle of a tooth space
    points = sector.volume.points
    outward = np.sum(points[:, :2] * response[:, :2], axis=1) / np.hypot(*points[:, :2].T)
    r_w = 0.5 * float(case.pair.d_w[gear])
    psi = 0.5 * of.s_at(r_w) / r_w
    return Growth(
        plane_stress=ring_growth(material, speed, a, of.r_f, traction, plane_strain=False),
        plane_strain=ring_growth(material, speed, a, of.r_f, traction, plane_strain=True),
        wide=wide_ring_growth(material, speed, a, of.r_f, of.b, traction),
        tooth=tooth,
        space=mean_over(points[space, 2], outward[space]),
        flank=flank_way(sector, response, r_w, case.pair.alpha_wt),
        direction=math.sin(case.pair.alpha_wt - psi),
    )


def mean_over(z: Array, values: Array) -> float:
    """Mean across the face."""
    return float(np.trapezoid(values, z) / (z[-1] - z[0]))


def flank_way(sector: SectorMesh, u: Array, r_w: float, alpha: float) -> float:
    """Way of flank a of a spur gear at the working pitch circle along its outward normal, mean across the face [m]."""
    points = sector.volume.points
    x, y, z = points[sector.flank_a].transpose(2, 0, 1)
    radius = np.hypot(x, y)
    # out of the tooth, which stands about the x axis, at the pressure angle to the tangent
    side = np.sign(y)
    radial = np.stack([x, y], axis=-1) / radius[..., None]
    around = side[..., None] * np.stack([-y, x], axis=-1) / radius[..., None]
    normal = math.sin(alpha) * radial + math.cos(alpha) * around
    way = np.sum(normal * u[sector.flank_a, :2], axis=-1)
    order = np.argsort(radius[:, 0])
    at_pitch = np.array([np.interp(r_w, radius[order, k], way[order, k]) for k in range(way.shape[1])])
    return mean_over(z[0], at_pitch)


# ------------------------------------------------------------------------------------------------- the motion
@dataclass(frozen=True, kw_only=True)
class Motion:
    """Mean transmission error over the last whole pitches [m]; largest load of a pair in the first two pitches [N]."""

    mean: float
    at_start: float
    first_load: float
    nominal: float


@contextmanager
def nothing_pressed_outwards() -> Iterator[None]:
    """Leave out the centrifugal forces, and nothing else: of the modes and of the static rest.

    They are left out of methods, which compiled code does not call: such motions go from step to step in Python.
    """
    loads, pressed, compiled = FlexibleMesh.loads, CentrifugalForce.evaluate, motion_by_steps.is_compiled

    def euler_only(mesh: FlexibleMesh, t: float) -> Array:
        both = loads(mesh, t)
        return both * [0.0, 1.0] if both.size else both

    def nothing(force: CentrifugalForce, t: float, x: Array, v: Array, data: object) -> ElementForces:
        return ElementForces.none(len(x))

    FlexibleMesh.loads, CentrifugalForce.evaluate = euler_only, nothing  # type: ignore[method-assign]
    motion_by_steps.is_compiled = lambda model: False
    try:
        yield
    finally:
        FlexibleMesh.loads, CentrifugalForce.evaluate = loads, pressed  # type: ignore[method-assign]
        motion_by_steps.is_compiled = compiled


def motion(case: ag.Case, modes: int) -> Motion:
    """Run the case with so many normal modes of each wheel; 0: no inertia of the deformation, no growth."""
    assert isinstance(case.analysis, ag.DynamicAnalysis)
    if modes:
        # as strongly damped as the mesh, or their vibration goes on beyond the second half, of which the mean is taken
        analysis = replace(case.analysis, normal_modes=modes, modal_damping_ratio=case.analysis.mesh_damping_ratio)
        case = replace(case, analysis=analysis)
    result = ag.run(case)
    data = result.dataset
    pitches = data["phase"] - float(data["phase"][0])
    return Motion(
        mean=1e-6 * result.summary["te_mean_um"],
        at_start=float(data["transmission_error"][0]),
        first_load=float(data["tooth_load"].where(pitches <= 2.0).max()),
        nominal=case.operation.pinion_torque / case.pair.pinion.r_b,
    )


def rows(quick: bool) -> Iterator[Row]:
    """Shift of the transmission error by the centrifugal forces; the quick form has its start alone."""
    case = ag.Case.from_toml(HERE / "case.toml")
    if quick:
        case = replace(case, analysis=replace(case.analysis, duration=2e-4))
    both = [growth(case, gear) for gear in range(2)]
    kinds = ("plane_strain", "wide", "plane_stress")
    rings = {kind: sum(found.closes(kind) for found in both) for kind in kinds}
    shifts: dict[int, list[float]] = {}
    plain = motion(case, 0)
    for modes in (1, 6) if quick else MODES:
        found = motion(case, modes)
        with nothing_pressed_outwards():
            by_vibration = motion(case, modes)
        counted = f"{modes} mode{'' if modes == 1 else 's'}"
        shifts[modes] = [found.at_start - by_vibration.at_start, found.mean - by_vibration.mean]
        for words, shift in zip(("at the start", "in the mean"), shifts[modes][: 1 if quick else 2], strict=False):
            yield Row(
                quantity=f"shift of the transmission error by centrifugal forces, 24 000 rpm, {counted}, {words}",
                value=1e6 * shift,
                reference=1e6 * rings[RIGHT],
                unit="um",
                bound=BOUND,
                source="axisymmetric rings as wide as the wheels, with the teeth on them",
            )
        if not quick:
            off = ", ".join(f"{100.0 * (shifts[modes][1] / rings[kind] - 1.0):+.1f} %" for kind in kinds)
            mean = f"{1e6 * (by_vibration.mean - plain.mean):+.3f}"
            print(f"| {modes} | {1e6 * shifts[modes][0]:.3f} | {1e6 * shifts[modes][1]:.3f} | {off} | {mean} ", end="")
            print(f"| {found.first_load:.0f} of {found.nominal:.0f} |", flush=True)
    first = next(iter(shifts.values()))
    yield worst(
        "the same shift at the start for any number of modes",
        [
            Row(
                quantity=f"{modes} mode{'' if modes == 1 else 's'}",
                value=1e6 * shift,
                reference=1e6 * first[0],
                unit="um",
                bound=1e-6,  # of an equilibrium
                source="itself with one mode: the static remainder does what the modes leave",
            )
            for modes, (shift, _) in shifts.items()
        ],
    )
    if not quick:
        print_growth(both)


def print_growth(both: list[Growth]) -> None:
    """Print the first table of README.md."""
    kinds = ("plane_strain", "wide", "plane_stress")
    print("| [um] | ring, plane strain | ring as wide as it is | ring, plane stress | wheel | tooth |")
    print("|---|---|---|---|---|---|")
    for name, found in zip(("pinion", "wheel"), both, strict=True):
        figures = [*(getattr(found, kind) for kind in kinds), found.space, found.tooth]
        print(f"| growth of the {name} | " + " | ".join(f"{1e6 * figure:.3f}" for figure in figures) + " |")
    ways = [*(sum(found.closes(kind) for found in both) for kind in kinds), sum(found.flank for found in both)]
    print("| both flanks close | " + " | ".join(f"{1e6 * way:.3f}" for way in ways) + " | |\n")


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
