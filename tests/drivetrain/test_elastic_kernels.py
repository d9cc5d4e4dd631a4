"""Meshes on springs in compiled motions: the elements in Python are the reference."""

from __future__ import annotations

from dataclasses import replace
from math import radians

import numpy as np
import pytest

from alegear.drivetrain.displaced_mesh import DisplacedMesh
from alegear.drivetrain.planar import MeshAverages, PeriodicFactor
from alegear.drivetrain.planar.springs import Iso6336Spring, LinearSpring, NiemannWinterSpring
from alegear.drivetrain.rotational.elastic_mesh import MeshElement
from alegear.kernels.elements import BY_ADDRESS
from alegear.system.element_kernels import evaluate_at

pytestmark = pytest.mark.skipif(not BY_ADDRESS, reason="kernels have no addresses here")

AVERAGES = MeshAverages(r_A=40e-3, r_B=60e-3, alpha=radians(22.0), T_1A=10e-3, T_1B=21e-3)
COMMON = {"c": 3e8, "backlash": 40e-6, "damping": 4e4}
SPRINGS = {
    "linear": LinearSpring(**COMMON),
    "factor": LinearSpring(**COMMON, factor=PeriodicFactor(period=12e-3, values=(1.0, 1.2, 0.7, 0.9), start=1e-3)),
    "iso6336": Iso6336Spring(R_q=4e-6, **COMMON),
    "niemann-winter": NiemannWinterSpring(F_0=3e3, kappa_0=0.4, **COMMON),
}


def compare(element, x, v):
    """What the compiled element exerts against the element, which is told to be there."""
    compiled = element.kernel_terms(100)["element"]
    rows, (m, n) = compiled.rows, compiled.rows.shape
    forces = element.evaluate(0.0, x, v, None)
    Q, by_y, by_rate, energies = np.empty(m), np.empty((m, m)), np.empty((m, m)), np.empty(3)
    status = evaluate_at(compiled.address, compiled.handle, 0.0, rows @ x, rows @ v, Q, by_y, by_rate, energies)
    assert (status < 0) == (forces.failure is not None)
    if forces.failure is not None:
        return 0.0
    energy = element.energy(0.0, x, v, forces, None)
    found = rows.T @ Q, rows.T @ by_y @ rows, rows.T @ by_rate @ rows
    for one, other in zip(found, (forces.Q, forces.by_x, forces.by_v), strict=True):
        # round-off of sums in another order
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-12 * np.abs(other).max() + 1e-300)
    scale = abs(energy.stored) + abs(energy.damping_power) + 1e-300
    np.testing.assert_allclose(energies, [energy.stored, energy.damping_power, 0.0], rtol=0.0, atol=1e-12 * scale)
    assert compiled.coordinates is element.coordinates
    assert n == len(x)
    return float(np.abs(forces.Q).max())


@pytest.mark.parametrize("spring", SPRINGS)
def test_displaced_meshes_exert_the_same(spring):
    """Flanks ahead, between and back, centres displaced, without backlash."""
    random = np.random.default_rng(7)
    rows, through = random.normal(size=(6, 8)), 1e-2 * random.normal(size=8)
    pressed = []
    for offset, backlash in ((60e-6, 40e-6), (0.0, 40e-6), (-60e-6, 40e-6), (0.0, 0.0)):
        element = DisplacedMesh(
            name="mesh",
            averages=AVERAGES,
            spring=replace(SPRINGS[spring], backlash=backlash),
            coordinates=np.arange(3, 11),
            rows=rows,
            through=through,
            offset=offset,
        )
        pressed += [compare(element, 1e-5 * random.normal(size=8), 1e-3 * random.normal(size=8)) for _ in range(10)]
    assert 0.0 in pressed  # between the flanks
    assert np.count_nonzero(pressed) > 20


def test_base_circles_that_overlap_are_told():
    element = DisplacedMesh(
        name="mesh",
        averages=AVERAGES,
        spring=SPRINGS["linear"],
        coordinates=np.arange(6),
        rows=np.eye(6),
        through=np.zeros(6),
    )
    assert compare(element, np.array([0.0, 0.0, 0.0, 0.0, -20e-3, 0.0]), np.zeros(6)) == 0.0
    assert element.evaluate(0.0, np.array([0.0, 0.0, 0.0, 0.0, -20e-3, 0.0]), np.zeros(6), None).failure is not None


@pytest.mark.parametrize("spring", SPRINGS)
def test_meshes_of_gears_that_only_turn_exert_the_same(spring):
    random = np.random.default_rng(8)
    pressed = []
    for offset in (60e-6, 0.0, -60e-6):
        element = MeshElement(
            name="mesh",
            spring=SPRINGS[spring],
            along={2: 0.04, 5: 0.06, 7: -0.1},
            through={2: 0.02, 5: -0.03},
            offset=offset,
        )
        pressed += [compare(element, 1e-4 * random.normal(size=3), 1e-2 * random.normal(size=3)) for _ in range(10)]
    assert 0.0 in pressed
    assert np.count_nonzero(pressed) > 15


@pytest.mark.parametrize("r_b", [1e-4, 0.05, 50.0])
def test_flanks_that_overlap_by_round_off_touch_at_every_size(r_b):
    element = MeshElement(
        name="mesh", spring=LinearSpring(c=3e8), along={0: r_b, 1: r_b}, through={0: 0.5 * r_b, 1: -0.5 * r_b}
    )

    def touching(angle):
        return element.corners(np.array([angle, 0.0]), np.zeros(2)) > 0.0

    assert touching(0.0).all()
    assert touching(5e-15).all()
    assert touching(1e-13).tolist() == [True, False]
    assert touching(-1e-13).tolist() == [False, True]
