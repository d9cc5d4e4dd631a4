"""Full and simplified inertia at the lowest speed of the validation, on coarse grids and for two pitches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from script_files import load_script

import alegear as ag
from alegear.mesh import MeshOptions
from alegear.progress import Silent
from alegear.studies.preparation import prepare

full_inertia = load_script("validation/full_inertia/run.py")

COARSE = MeshOptions(
    flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1
)


@pytest.mark.slow
def test_slow_motion_hardly_knows_the_elastic_inertia(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PITCHES": 1, "SETTLED": 0.0, "NORMAL_MODES": 8}.items():
        monkeypatch.setattr(full_inertia, name, value)
    case = replace(ag.Case.from_toml(full_inertia.CASE), mesh_options=(COARSE, COARSE))
    found = full_inertia.compare(case, prepare(case, Silent(), fields=False), full_inertia.SPEEDS[0])
    assert 0.0 < found.rms < full_inertia.LIMIT
    # the ring after a pair has left is of other phase: its amplitude, 2 um of 120
    assert found.largest < 0.05
    assert found.range_full == pytest.approx(found.range_simplified, rel=0.02)


def test_motions_are_compared_at_the_same_phases() -> None:
    phase = np.linspace(0.0, 2.0, 201)
    one = full_inertia.Motion(phase=phase, error=-2e-5 - 1e-6 * phase, mesh_frequency=80.0)
    np.testing.assert_allclose(one.at(np.array([0.505, 1.0])), [-2.0505e-5, -2.1e-5], rtol=1e-12)
