"""Two cylinders pressed together: Hertz's strip and pressure, and the approach of bonded layers, by finite elements.

The elements are plain bilinear ones written here, so nothing of the package is on both sides of the comparison. Two
equal cylinders touch in a plane of symmetry: one of them against a rigid flat, or a layer bonded at the depth h under a
rigid parabola of the cylinder's radius.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

from alegear.contact.line_contact import (
    bonded_layer_approach,
    bonded_layer_mean,
    half_width,
    peak_pressure,
)

E, NU = 2.06e11, 0.3
DEPTH, RADIUS = 1e-3, 12e-3  # m
FINE = 30  # elements in a half-width near the strip


def coordinates(fine: float, to: float, end: float) -> np.ndarray:
    """Equal steps up to `to`, then growing by a tenth each up to `end`."""
    x = list(np.linspace(0.0, to, round(to / fine) + 1))
    step = fine
    while x[-1] < end:
        step *= 1.1
        x.append(x[-1] + step)
    x[-1] = end
    return np.array(x)


def stiffness(x: np.ndarray, y: np.ndarray) -> coo_array:
    """Plane strain on rectangles, 2 x 2 Gauss points."""
    D = E / ((1 + NU) * (1 - 2 * NU)) * np.array([[1 - NU, NU, 0], [NU, 1 - NU, 0], [0, 0, 0.5 - NU]])
    a, b = (v.ravel() for v in np.meshgrid(np.diff(x), np.diff(y), indexing="ij"))
    K = np.zeros((len(a), 8, 8))
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    for s, t in corners / np.sqrt(3.0):
        B = np.zeros((len(a), 3, 8))
        for i, (si, ti) in enumerate(corners):
            n_x, n_y = si * (1 + ti * t) / (2 * a), ti * (1 + si * s) / (2 * b)
            B[:, 0, 2 * i], B[:, 1, 2 * i + 1], B[:, 2, 2 * i], B[:, 2, 2 * i + 1] = n_x, n_y, n_y, n_x
        K += np.einsum("eki,kl,elj,e->eij", B, D, B, a * b / 4)
    i, j = (v.ravel() for v in np.meshgrid(np.arange(len(x) - 1), np.arange(len(y) - 1), indexing="ij"))
    nodes = np.stack([i * len(y) + j, (i + 1) * len(y) + j, (i + 1) * len(y) + j + 1, i * len(y) + j + 1], axis=1)
    dof = (2 * nodes[:, :, None] + np.arange(2)).reshape(-1, 8)
    rows, columns = np.repeat(dof, 8, axis=1), np.tile(dof, (1, 8))
    n = 2 * len(x) * len(y)
    return coo_array((K.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n))


@cache
def pressed(b_over_h: float) -> tuple[float, float, float, float]:
    """Line load [N/m], half-width [m], peak pressure [Pa] and approach of one body [m] by finite elements."""
    b = b_over_h * DEPTH
    x, y = coordinates(b / FINE, 1.5 * b, 6.0 * DEPTH), coordinates(b / FINE, 1.5 * b, DEPTH)
    K = stiffness(x, y).tocsc()
    node = np.arange(len(x) * len(y)).reshape(len(x), len(y))
    # y counts into the body: clamped at its far side and at the end; the axis of symmetry does not move sideways
    fixed = np.concatenate([2 * node[:, -1], 2 * node[:, -1] + 1, 2 * node[-1], 2 * node[-1] + 1, 2 * node[0]])
    free = np.setdiff1d(np.arange(K.shape[0]), fixed)
    factor = splu(K[free][:, free])
    near = np.flatnonzero(x <= 1.45 * b)
    normal = 2 * node[near, 0] + 1
    # unit pressures linear between the nodes
    width = np.diff(x)[: len(near)]
    M = np.diag(np.r_[0.0, width[:-1]] / 3 + width / 3)
    M += np.diag(width[:-1] / 6, 1) + np.diag(width[:-1] / 6, -1)
    loads = np.zeros((K.shape[0], len(near)))
    loads[normal] = M
    u = np.zeros_like(loads)
    u[free] = factor.solve(loads[free])
    C = M.T @ u[normal]  # weighted with the same shapes
    gap = M @ (x[near] ** 2 / (2.0 * RADIUS))
    ones = M.sum(axis=1)
    # load for which the last node under pressure is the one at b, by bisection on the approach
    low, high = 0.0, 5.0 * b**2 / RADIUS
    for _ in range(40):
        approach = 0.5 * (low + high)
        p = contact(C, approach * ones - gap)
        found, _ = strip(x[near], p)
        low, high = (approach, high) if found < b else (low, approach)
    found, p_0 = strip(x[near], p)
    return 2.0 * float(ones @ p), found, p_0, approach


def contact(C: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Pressures, positive where C p = wanted and zero elsewhere: active set."""
    active = wanted > 0.0
    for _ in range(100):
        p = np.zeros(len(wanted))
        p[active] = np.linalg.solve(C[np.ix_(active, active)], wanted[active])
        if (p[active] > 0.0).all():
            break
        active &= p > 0.0
    return p


def strip(x: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    """Half-width and peak pressure of the ellipse p^2 = p_0^2 (1 - x^2/b^2) through the inner pressures."""
    inner = p > 0.3 * p.max()
    slope, p2 = np.polyfit(x[inner] ** 2, p[inner] ** 2, 1)
    return float(np.sqrt(-p2 / slope)), float(np.sqrt(p2))


@pytest.mark.parametrize("b_over_h", [0.02, pytest.param(0.05, marks=pytest.mark.thorough), 0.1])
def test_strip_and_pressure_are_those_of_hertz(b_over_h: float) -> None:
    q, b, p_0, _ = pressed(b_over_h)
    # two equal cylinders
    rho, modulus = 0.5 * RADIUS, 0.5 * E / (1.0 - NU**2)
    # 1 % is promised; the layer is b^2/h^2 stiffer than the half-plane
    assert half_width(q, rho, modulus) == pytest.approx(b, rel=0.01)
    assert peak_pressure(q, half_width(q, rho, modulus)) == pytest.approx(p_0, rel=0.01)


@pytest.mark.parametrize("b_over_h", [0.02, 0.05, 0.1])
def test_approach_relative_to_the_bonded_depth(b_over_h: float) -> None:
    q, b, _, approach = pressed(b_over_h)
    expected = q * (1.0 - NU**2) / E * bonded_layer_approach(b / DEPTH, NU)
    assert expected == pytest.approx(approach, rel=2e-3)  # 1 % is promised; the elements leave 0.05 %


def test_the_load_weighted_mean_is_another_number() -> None:
    q, b, _, approach = pressed(0.05)
    mean = q * (1.0 - NU**2) / E * bonded_layer_mean(b / DEPTH, NU)
    # by the gap x^2/(2 R) under the ellipse, b^2/(8 R): q (1 - nu^2)/E/(2 pi)
    assert approach - mean == pytest.approx(b**2 / (8.0 * RADIUS), rel=0.01)
