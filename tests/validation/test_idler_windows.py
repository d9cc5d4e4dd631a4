"""The forces of both windows on one idler: balanced, and the displacement of one by the other about as printed."""

from __future__ import annotations

import pytest
from quick_form import assert_within_bounds
from script_files import load_script

from alegear.progress import Silent
from alegear.studies.preparation import prepare_meshes
from alegear.studies.static import StaticStudy

idler_windows = load_script("validation/idler_windows/run.py")


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("idler_windows")


def test_the_windows_pull_the_idler_both_ways() -> None:
    case = idler_windows.coarse(2)
    study = StaticStudy(case, prepare_meshes(case, Silent(), lambda: None, fields=False))
    study.run(Silent())
    for position in study.positions:
        torques = []
        for name, g in (("first", 1), ("second", 0)):
            _, _, flank, forces = idler_windows.forces_on_idler(study, position, name)
            sector = study.prepared[name].wheels[g].sector
            points = sector.volume.points[sector.loaded(flank)].reshape(-1, 3)
            on_teeth = forces.reshape(len(forces), -1, 3)
            torques.append(float((points[:, 0] * on_teeth[..., 1] - points[:, 1] * on_teeth[..., 0]).sum()))
        # torques of nodal forces where the nodes are, without load: to the share of the layer and the rolling of flanks
        assert torques == pytest.approx([-600.0, 600.0], rel=1e-4)
    changed = idler_windows.coupling(study)
    assert (changed["first"] < 0.0).all()  # the torques on the body of the wheel relieve each other
