"""Bending: what the internal modes are for. Straight and curved beams, ring under pressure, against closed forms."""

import numpy as np
import pytest
import scipy.sparse as sp
from fe_grids import block, ring_sector, solve

from alegear.fe import FEModel, Material, impose_traction, nodal_stress

STEEL = Material()
A, B = 0.6, 1.0  # radii of the ring [m], a thick curved beam


def plane_strain_modulus(material):
    return material.E / (1.0 - material.nu**2)


def slender_beam(n, material, length=0.2, side=0.01):
    """Square beam along x, ``n`` elements long and one element across."""
    half = [-side / 2, side / 2]
    grid = block(np.linspace(0.0, length, n + 1), half, half)
    return grid, FEModel.from_mesh(grid, material)


def test_pure_bending_is_exact_with_one_element_over_the_height():
    side, length, sigma = 0.01, 0.2, 1e8
    grid, model = slender_beam(4, STEEL, length, side)
    x, y, z = grid.points.T
    force = np.zeros_like(grid.points)
    # consistent forces of the end traction sigma_xx = -sigma y/(side/2): side^2/12 at each of the four nodes
    force[x == length, 0] = -np.sign(y[x == length]) * sigma * side**2 / 12
    root = np.flatnonzero(x == 0.0)
    # plane section at the root; rigid motion of the section itself held at two nodes
    first, second = root[0], root[-1]
    assert y[first] < 0 < y[second]
    fixed = [*(3 * root), 3 * first + 1, 3 * first + 2, 3 * second + 2]
    mirror = root[(y[root] < 0) & (z[root] > 0)][0]
    fixed[-1] = 3 * mirror + 1  # two nodes at equal height: no rotation about x
    u = solve(model.stiffness, force, np.array(fixed))
    curvature = 2.0 * sigma / (STEEL.E * side)
    nu = STEEL.nu
    exact = np.stack(
        [-curvature * x * y, 0.5 * curvature * (x**2 + nu * (y**2 - z**2)), nu * curvature * y * z], axis=1
    )
    exact -= exact[first]
    # quadratic displacement is in the element's space: round-off times the condition of a beam (L/h)^2
    assert u == pytest.approx(exact, abs=1e-10 * np.abs(exact).max())
    assert nodal_stress(model, u)[:, 0] == pytest.approx(-2.0 * sigma * y / side, rel=1e-9)


@pytest.mark.parametrize("n", [5, 10, 20])
def test_cantilever_with_one_element_over_the_height(n):
    side, length, load = 0.01, 0.2, 100.0
    material = Material(nu=0.0)  # no lateral contraction, so a clamped end is a plane section and no more
    grid, model = slender_beam(n, material, length, side)
    x = grid.points[:, 0]
    force = np.zeros_like(grid.points)
    force[x == length, 1] = load / 4
    root = np.flatnonzero(x == 0.0)
    u = solve(model.stiffness, force, (3 * root[:, None] + np.arange(3)).reshape(-1))
    area, second_moment = side**2, side**4 / 12
    bending = load * length**3 / (3 * material.E * second_moment)
    shear = load * length / (material.mu * area)
    # constant moment in each element leaves out 1/(4 n^2) of the bending energy; shear strain is constant over
    # the height in a bilinear field, so its area is the full one
    predicted = bending * (1.0 - 0.25 / n**2) + shear
    tip = u[x == length, 1].mean()
    assert tip == pytest.approx(predicted, rel=1e-9)
    # Timoshenko beam, shear area 5/6: 1/(4 n^2) of grid error and 0.2 (h/L)^2/... of shear, below 0.1 %
    assert tip == pytest.approx(bending + 1.2 * shear, rel=0.26 / n**2 + 1e-3)


def golovin(r, moment, a=A, b=B):
    """Curved bar in pure bending (Timoshenko & Goodier, art. 29), ``moment`` per height, closing positive.

    Returns radial and hoop stress and ``K``, the rotation per angle times plane modulus.
    """
    log = np.log(b / a)
    n = (b**2 - a**2) ** 2 - 4 * a**2 * b**2 * log**2
    common = b**2 * np.log(r / b) + a**2 * np.log(a / r)
    radial = -4 * moment / n * (a**2 * b**2 / r**2 * log + common)
    hoop = -4 * moment / n * (-(a**2) * b**2 / r**2 * log + common + b**2 - a**2)
    return radial, hoop, 8 * moment * (b**2 - a**2) / n


def test_closed_form_of_the_curved_bar_is_in_equilibrium_and_has_the_slender_limit():
    x, w = np.polynomial.legendre.leggauss(30)
    r, w = 0.5 * (A + B) + 0.5 * (B - A) * x, 0.5 * (B - A) * w
    radial, hoop, _ = golovin(r, 1.0)
    assert w @ hoop == pytest.approx(0.0, abs=1e-12)
    assert abs(w @ (hoop * r)) == pytest.approx(1.0, rel=1e-12)
    step = 1e-5
    slope = (golovin(r + step, 1.0)[0] - golovin(r - step, 1.0)[0]) / (2 * step)
    assert slope + (radial - hoop) / r == pytest.approx(0.0, abs=1e-7)
    t = 0.01
    # M R/(E I) per angle; the curvature changes it by (t/R)^2
    assert golovin(1.0, 1.0, 1.0 - t / 2, 1.0 + t / 2)[2] == pytest.approx(12.0 / t**3, rel=2e-4)


def curved_bar(n):
    """Quarter ring in plane strain bent by end tractions: errors of energy, hoop stress inside and on the surface."""
    height, moment = 0.1, 1e7
    grid = ring_sector(A, B, np.pi / 2, n, 4 * n, height)
    model = FEModel.from_mesh(grid, STEEL)
    number = grid.number
    force = np.zeros_like(grid.points)
    gauss, weight = np.polynomial.legendre.leggauss(8)
    r = np.linspace(A, B, n + 1)
    for i in range(n):
        mid, half = 0.5 * (r[i] + r[i + 1]), 0.5 * (r[i + 1] - r[i])
        traction = golovin(mid + half * gauss, moment)[1]
        for node, shape in ((i, 0.5 * (1 - gauss)), (i + 1, 0.5 * (1 + gauss))):
            # the end theta = pi/2 has the normal -x
            force[number[node, -1], 0] -= half * height / 2 * (weight @ (shape * traction))
    fixed = np.concatenate(
        [3 * np.arange(model.n_nodes) + 2, 3 * number[:, 0].reshape(-1) + 1, 3 * number[0, 0].reshape(-1)]
    )
    u = solve(model.stiffness, force, fixed)
    energy = 0.5 * np.sum(force * u)
    rotation = golovin(A, moment)[2] * np.pi / 2 / plane_strain_modulus(STEEL)
    exact = 0.5 * moment * height * rotation
    return abs(energy / exact - 1.0), *hoop_errors(grid, model, u, golovin(r, moment)[1])


def hoop_errors(grid, model, u, exact, pressure=0.0):
    """Errors of the hoop stress over the thickness at mid-angle, relative to its largest value.

    Returns that of the inner nodes, that of the surface nodes, and the latter with the traction imposed (``pressure``
    on the inner surface, nothing on the outer).
    """
    nodes = grid.number[:, grid.number.shape[1] // 2, 0]
    radial = grid.points[nodes] * [1.0, 1.0, 0.0]
    radial /= np.linalg.norm(radial, axis=1)[:, None]
    cos, sin, _ = radial.T

    def error(stress):
        xx, yy, _, xy, _, _ = stress.T
        return np.abs(sin**2 * xx + cos**2 * yy - 2 * sin * cos * xy - exact) / np.abs(exact).max()

    stress = nodal_stress(model, u)[nodes]
    imposed = stress.copy()
    imposed[0] = impose_traction(stress[0], -radial[0], model.material, pressure * radial[0])
    imposed[-1] = impose_traction(stress[-1], radial[-1], model.material)
    return error(stress)[1:-1].max(), error(stress)[[0, -1]].max(), error(imposed)[[0, -1]].max()


def lame_ring(n):
    """Eighth of a ring under pressure, plane strain: errors of displacement, hoop stress inside and on the surface."""
    pressure, height = 1e8, 0.1
    grid = ring_sector(A, B, np.pi / 4, n, 2 * n, height)
    model = FEModel.from_mesh(grid, STEEL)
    number, points = grid.number, grid.points
    force = np.zeros_like(points)
    theta = np.linspace(0.0, np.pi / 4, 2 * n + 1)
    for j in range(2 * n):
        # pressure on the chord: normal of the chord, halves to its two ends
        chord = A * (np.array([np.cos(theta[j + 1]), np.sin(theta[j + 1])]) - [np.cos(theta[j]), np.sin(theta[j])])
        push = pressure * height * np.array([chord[1], -chord[0], 0.0])
        for side in (j, j + 1):
            force[number[0, side]] += push / 4
    # symmetry at theta = pi/4 by turning the frame of its nodes, which costs no digits
    turn = sp.lil_matrix(sp.identity(model.n_dof))
    diagonal = number[:, -1].reshape(-1)
    c = np.sqrt(0.5)
    for node in diagonal:
        turn[3 * node : 3 * node + 2, 3 * node : 3 * node + 2] = [[c, -c], [c, c]]
    turn = turn.tocsr()
    stiffness = turn.T @ model.stiffness @ turn
    fixed = np.unique(
        np.concatenate([3 * np.arange(model.n_nodes) + 2, 3 * number[:, 0].reshape(-1) + 1, 3 * diagonal + 1])
    )
    local = solve(stiffness, (turn.T @ force.reshape(-1)).reshape(-1, 3), fixed)
    u = (turn @ local.reshape(-1)).reshape(-1, 3)
    factor = pressure * A**2 / (B**2 - A**2)
    exact = (1 + STEEL.nu) / STEEL.E * factor * ((1 - 2 * STEEL.nu) * A + B**2 / A)
    hoop = factor * (1 + B**2 / np.linspace(A, B, n + 1) ** 2)
    return abs(u[number[0, 0, 0], 0] / exact - 1.0), *hoop_errors(grid, model, u, hoop, pressure)


@pytest.mark.parametrize("case", [curved_bar, lame_ring])
def test_order_of_convergence(case):
    errors = np.array([case(n) for n in (4, 8, 16)])
    displacement, inside, _, imposed = np.log2(errors[1] / errors[2])
    assert displacement == pytest.approx(2.0, abs=0.1)
    # averaging of two sides cancels the first-order part
    assert inside > 1.7  # the largest over nodes that come ever nearer to the surface
    assert imposed == pytest.approx(2.0, abs=0.15)
    # On the surface the bare value is one-sided, of first order: the part of the normal stress,
    # nu/(1 - nu) h/2 d(sigma_rr)/dr, is below 0.43 * 0.0125 m * 2.7/m = 1.4 % on the finest grid
    assert errors[-1, 2] < 0.014
    assert errors[-1, 0] < 3e-4
    assert errors[-1, 1] < 4e-3


def zigzag_beam(n):
    """Beam in pure bending, ``n`` elements over the height, whose inner grid points lean to and fro.

    No element is a parallelogram and refining does not make it one. Returns the relative error of the energy.
    """
    length, side, stress = 5.0, 1.0, 1e6
    x, y = np.linspace(0.0, length, 5 * n + 1), np.linspace(-side / 2, side / 2, n + 1)
    grid = block(x, y, [0.0, 0.5])
    i, j = np.meshgrid(np.arange(1, 5 * n), np.arange(n + 1), indexing="ij")
    grid.points[grid.number[1:-1], 0] += (0.3 * x[1] * (-1.0) ** (i + j))[:, :, None]
    material = Material(nu=0.0)
    model = FEModel.from_mesh(grid, material)
    force = np.zeros_like(grid.points)
    for j in range(n):
        # consistent forces of the linear traction 2 stress y/side on the edge j, j + 1; two nodes in depth
        at_ends = 2.0 * stress / side * y[j : j + 2]
        edge = (y[j + 1] - y[j]) / 6 * np.array([[2.0, 1.0], [1.0, 2.0]]) @ at_ends
        force[grid.number[-1, j : j + 2], 0] += 0.25 * edge[:, None]
    root = grid.number[0].reshape(-1)
    fixed = np.concatenate([3 * np.arange(model.n_nodes) + 2, 3 * root, 3 * root[:1] + 1])
    u = solve(model.stiffness, force, fixed)
    exact = stress**2 / (6.0 * material.E) * side * 0.5 * length
    return abs(0.5 * np.sum(force * u) / exact - 1.0)


def test_order_of_convergence_on_a_grid_that_stays_distorted():
    errors = np.array([zigzag_beam(n) for n in (4, 8, 16)])
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.2)
    assert errors[-1] < 0.01
