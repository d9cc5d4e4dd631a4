"""Structured grids for the tests of the elements: blocks, distorted blocks, sectors of a ring."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np


def structured(coordinates):
    """Grid of hexahedra over an array of nodes ``(n_i, n_j, n_k, 3)``; node number = C order of (i, j, k)."""
    shape = coordinates.shape[:3]
    number = np.arange(np.prod(shape)).reshape(shape)
    low, high = slice(None, -1), slice(1, None)
    # VTK order: counter-clockwise on the lower face k, then on the upper one
    corners = [number[i, j, k] for k in (low, high) for i, j in ((low, low), (high, low), (high, high), (low, high))]
    cells = np.stack([corner.reshape(-1) for corner in corners], axis=1)
    return SimpleNamespace(points=coordinates.reshape(-1, 3).copy(), cells=cells, number=number)


def block(x, y, z):
    """Rectangular block with the given grid lines."""
    return structured(np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1))


def unit_block(n_x, n_y, n_z):
    """Unit cube with ``n_x * n_y * n_z`` equal elements."""
    return block(*(np.linspace(0.0, 1.0, n + 1) for n in (n_x, n_y, n_z)))


def distorted_block(n, amount, seed):
    """Unit cube of ``n^3`` elements whose inner nodes are moved at random by up to ``amount`` of a cell."""
    grid = unit_block(n, n, n)
    rng = np.random.default_rng(seed)
    inner = ~on_surface(grid)
    grid.points[inner] += amount / n * rng.uniform(-1.0, 1.0, (np.count_nonzero(inner), 3))
    return grid


def on_surface(grid):
    """Mask of the nodes on the outer faces of a structured grid."""
    mask = np.ones(grid.number.shape, dtype=bool)
    mask[1:-1, 1:-1, 1:-1] = False
    return mask.reshape(-1)


def ring_sector(a, b, angle, n_r, n_theta, height):
    """Sector ``0 ... angle`` of the ring ``a <= r <= b``, one element high; indices run (r, theta, z)."""
    r, theta, z = np.meshgrid(
        np.linspace(a, b, n_r + 1), np.linspace(0.0, angle, n_theta + 1), [0.0, height], indexing="ij"
    )
    return structured(np.stack([r * np.cos(theta), r * np.sin(theta), z], axis=-1))


def solve(stiffness, force, fixed):
    """Displacements (n_nodes, 3) with the DOF ``fixed`` at zero under nodal forces ``force`` (n_nodes, 3)."""
    from scipy.sparse.linalg import spsolve

    free = np.setdiff1d(np.arange(stiffness.shape[0]), fixed)
    u = np.zeros(stiffness.shape[0])
    u[free] = spsolve(stiffness[free][:, free].tocsc(), force.reshape(-1)[free])
    return u.reshape(-1, 3)
