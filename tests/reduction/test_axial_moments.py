"""Moments of normal modes about the axis against those of the same shapes on the whole wheel's grid."""

from __future__ import annotations

import numpy as np
import pytest
from small_pair import sectors

from alegear.fe import FEModel, Material
from alegear.mesh import WheelMesh
from alegear.reduction.inertia import MassInvariants
from alegear.reduction.normal_modes import find_normal_modes
from alegear.reduction.rotation_loads import AxialMoments


@pytest.fixture(scope="module")
def both():
    sector = sectors()[0]
    modes = find_normal_modes(sector, Material(), 14)
    wheel = WheelMesh(sector)
    whole = MassInvariants.of(FEModel.from_mesh(wheel.volume, Material()), modes.of_wheel(wheel))
    return AxialMoments.of(modes), whole, modes


def test_moments_are_those_of_the_whole_wheel(both):
    moments, whole, modes = both
    assert set(modes.nodal_diameters) >= {0, 1, 2}
    scale = np.abs(whole.U3[2]).max()
    np.testing.assert_allclose(moments.spin, whole.U3[2], atol=1e-11 * scale)
    np.testing.assert_allclose(moments.outward, whole.mixed[:, 0, 0] + whole.mixed[:, 1, 1], atol=1e-11 * scale)
    np.testing.assert_allclose(moments.turning, whole.U4[:, 2, :], atol=1e-11)


def test_coriolis_forces_do_no_work(both):
    moments, _, _ = both
    np.testing.assert_array_equal(moments.turning, -moments.turning.T)
