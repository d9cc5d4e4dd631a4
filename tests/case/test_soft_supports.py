"""Bearings so soft that no gear works on them are refused before anything is computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_cases import case_of, static_text
from small_machines import one_stage

import alegear as ag
from alegear.case import supports
from alegear.progress import Silent
from alegear.studies.static import StaticStudy


def on_bearings(stiffness: str, tilt: str = "[1e6, 1e6]", **changes: object) -> str:
    tables = f"""[supports.pinion]
kind = "bearing"
stiffness_N_per_m = {stiffness}
tilt_stiffness_Nm_per_rad = {tilt}
"""
    return static_text(tables=tables, **changes)  # type: ignore[arg-type]


def test_a_stiffness_in_newton_per_micrometre() -> None:
    """200 N/um written as 200 N/m: 200 N m on 37.6 mm are 5321 N, over 200 N/m."""
    with pytest.raises(ag.Fault) as found:
        case_of(on_bearings("[200, 200, 100]"))
    assert "supports.pinion.stiffness_N_per_m = [200.0, 200.0, 100.0]: the gear is displaced by" in str(found.value)
    assert "under 200 N m on the pinion, must be at most 4 mm, 1 module; check the unit, N per m" in str(found.value)
    force = 200.0 / case_of(static_text()).pair.pinion.r_b
    assert f"{1e3 * force / 200.0:.4g} mm" in str(found.value)
    case = case_of(on_bearings("[2e8, 2e8, 1e8]"))
    with pytest.raises(ag.Fault, match="is displaced"):  # from Python
        replace(case, operation=replace(case.operation, pinion_torque=1e8))


def test_a_tilt_stiffness_that_does_not_hold_a_helical_gear() -> None:
    """The thrust at the pitch point tilts it."""
    spur = case_of(on_bearings("[2e8, 2e8, 1e8]", "[10, 10]"))
    assert spur.supports[0] is not None
    text = on_bearings("[2e8, 2e8, 1e8]", "[10, 10]").replace(
        "normal_module_mm = 4.0", "normal_module_mm = 4.0\nhelix_angle_deg = 15.0"
    )
    with pytest.raises(
        ag.Fault, match=r"supports.pinion.tilt_stiffness_Nm_per_rad = \[10.0, 10.0\]: the gear tilts by"
    ):
        case_of(text)


def test_bearings_of_a_machine() -> None:
    with pytest.raises(ag.Fault, match=r"so stiff that gear . is displaced by at most 4 mm") as found:
        one_stage(stiffness=((2e8, 2e8, 1.0), (2e8, 2e8, 0.0)), fidelity="rigid")
    assert found.value.remedy == "check the unit, N per m"
    assert found.value.value == [2e8, 2e8, 1.0]  # the bearing that holds along the axis, not the one that does not


def test_the_estimate_is_the_displacement_on_stiff_shafts() -> None:
    """Bearings so soft that shafts are rigid on them; the study gives the displacement of the gears."""
    case = one_stage(stiffness=((1e7, 1e7, 1e6), (1e7, 1e7, 0.0)), fidelity="rigid")
    study = StaticStudy(case, {})
    study.run(Silent())
    (ways,) = study.displacements.values()
    place = case.layout.meshes[0]
    for number, name in enumerate(place.mesh.gears):
        shaft = case.layout.shafts[case.layout.gears[name].shaft]
        own = [one for one in case.bearings if one.shaft == shaft.name]
        ((_, _, moved),) = supports._moved_gears(case.layout, shaft, own)
        np.testing.assert_allclose(np.linalg.norm(moved[:3]), ways.largest[number, 0], rtol=0.05)
        np.testing.assert_allclose(np.linalg.norm(moved[3:]), ways.largest[number, 1], rtol=0.1)
