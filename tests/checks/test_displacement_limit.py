"""Displacements that are small pass without a word, others are warned of, and beyond the teeth the study fails."""

from __future__ import annotations

import numpy as np
import pytest
import small_cases
from small_machines import one_stage

from alegear.checks.displacement_limit import NOTABLE_DISPLACEMENT, DisplacementLimit
from alegear.checks.hertz_limits import squeeze_warnings
from alegear.contact.law import Friction
from alegear.errors import AnalysisFailure
from alegear.geometry.alignment import LARGEST_DISPLACEMENT
from alegear.progress import Silent
from alegear.studies.static import StaticStudy


def moved(way: float, tilt: float = 0.0) -> np.ndarray:
    """Displacement of the wheel, shape (2, 5) [m, rad]."""
    displacement = np.zeros((2, 5))
    displacement[1, 1], displacement[1, 3] = way, tilt
    return displacement


def test_small_notable_and_too_large() -> None:
    pair = small_cases.case_of(small_cases.static_text()).pair
    m_n = pair.pinion.m_n
    displacement_limit = DisplacementLimit(pair)
    displacement_limit.update(moved(0.9 * NOTABLE_DISPLACEMENT * m_n, 0.01), "phase 0")
    assert displacement_limit.warnings() == []
    displacement_limit.update(moved(1.1 * NOTABLE_DISPLACEMENT * m_n), "phase 0.5")
    displacement_limit.update(moved(0.0, 0.02), "phase 0.5")
    way, tilt = displacement_limit.warnings()
    assert way.startswith("displacement of the wheel = 0.22 mm, 0.055 modules: above 0.05 modules it is not small")
    assert tilt.startswith("tilt of the wheel = 1.15 deg: above 1 deg")
    for far in (1.1 * LARGEST_DISPLACEMENT * m_n, np.nan):
        with pytest.raises(AnalysisFailure, match="displacement of the wheel at t = 1 s"):
            displacement_limit.update(moved(far), "t = 1 s")


def test_many_at_once_are_looked_at_in_their_order() -> None:
    """The first one that is too far is named; what comes after it is not looked at."""
    displacement_limit, m_n = DisplacementLimit(small_cases.case_of(small_cases.static_text()).pair), 4e-3
    shares, time = np.array([0.1, 0.3, 0.2, 1.5, 2.0]), np.arange(5.0)
    displacements = np.array([moved(share * LARGEST_DISPLACEMENT * m_n, 0.01 * share) for share in shares])
    displacement_limit.update(displacements[:3], time=time[:3])
    np.testing.assert_allclose(displacement_limit.largest[1], [0.3 * LARGEST_DISPLACEMENT * m_n, 3e-3], rtol=1e-12)
    with pytest.raises(AnalysisFailure, match=r"displacement of the wheel at t = 3 s = 6 mm"):
        displacement_limit.update(displacements, time=time)
    np.testing.assert_allclose(displacement_limit.largest[1], [1.5 * LARGEST_DISPLACEMENT * m_n, 15e-3], rtol=1e-12)


@pytest.mark.parametrize(("stiffness", "failed"), [(1e6, False), (1.0, True)])
def test_gears_of_rigid_meshes_are_looked_at(stiffness: float, failed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shafts that nothing holds well along their axes give way under the thrust, by more than the teeth reach."""
    if failed:  # which the case refuses
        monkeypatch.setattr("alegear.case.machine.check_bearings", lambda *_: None)
    case = one_stage(stiffness=((2e8, 2e8, stiffness), (2e8, 2e8, 0.0)), fidelity="rigid")
    study = StaticStudy(case, {})
    if failed:
        with pytest.raises(AnalysisFailure, match=r"displacement of gear . at drive turned by"):
            study.run(Silent())
        return
    study.run(Silent())
    warnings = study.all_warnings()
    assert [one.partition(" = ")[0] for one in warnings] == [f"mesh mesh: displacement of gear {g}" for g in "pw"]


def test_friction_is_no_squeeze() -> None:
    """Coulomb 0.99 takes most of the moment of the normal force; without it the same forces squeeze."""
    pair = small_cases.case_of(small_cases.static_text()).pair
    line_load, tooth_load = np.full((1, 1, 4), 1e5), np.full((1, 1), 2e3)
    assert squeeze_warnings(pair, line_load, tooth_load, 7.5e-3, Friction(kind="coulomb", mu_dynamic=0.99)) == []
    assert len(squeeze_warnings(pair, line_load, tooth_load, 7.5e-3, Friction())) == 1
