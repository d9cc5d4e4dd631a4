"""Stress of many displacement fields at once against the stress of each, on the grid of a tooth."""

import numpy as np
import pytest

from alegear.fe import FEModel, Material, nodal_stress, stress_operator
from alegear.fe.stress import nodal_stresses
from alegear.geometry import Gear
from alegear.mesh import GridOptions, mesh_sector


@pytest.fixture(scope="module", params=[1, 2])
def model(request) -> FEModel:
    gear = Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35.8e-3)
    counts = {f"{name}_elements": 4 for name in ("flank", "fillet", "thickness", "width", "rim")}
    options = GridOptions(**counts, order=request.param)
    return FEModel.from_mesh(mesh_sector(gear, options).volume, Material())


def test_each_field_has_its_own_stress(model):
    m = 5
    u = np.random.default_rng(3).standard_normal((m, model.n_nodes, 3))
    stress = nodal_stresses(model, u)
    assert stress.shape == (m, model.n_nodes, 6)
    largest = np.abs(stress).max()
    operator = stress_operator(model, np.arange(model.n_nodes))
    for i in range(m):
        # round-off of sums of some hundred products
        np.testing.assert_allclose(stress[i], nodal_stress(model, u[i]), rtol=0.0, atol=1e-13 * largest)
        of_matrix = (operator @ u[i].ravel()).reshape(-1, 6)
        np.testing.assert_allclose(stress[i], of_matrix, rtol=0.0, atol=1e-13 * largest)
