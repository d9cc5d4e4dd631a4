"""The beam beside the case with a pinion at the end of a shaft, and its static study on a coarse grid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from script_files import load_script

import alegear as ag
from alegear.mesh import MeshOptions

PATH = Path(__file__).parents[2] / "validation" / "soft_bearings" / "run.py"
soft_bearings = load_script("validation/soft_bearings/run.py")

COARSE = MeshOptions(
    flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1
)


def coarse_case() -> ag.Case:
    case = ag.Case.from_toml(PATH.parent / "case.toml")
    return replace(case, mesh_options=(COARSE, COARSE), slices=6)


def test_the_stiffness_is_the_inverse_of_the_deflection_line() -> None:
    rng = np.random.default_rng(3)
    force, moment = rng.normal(size=3), rng.normal(size=2)
    s = soft_bearings.beam_end(0.06, force, moment)
    np.testing.assert_allclose(soft_bearings.cantilever(0.06) @ s, [*force, *moment], rtol=1e-12)


def test_the_case_has_the_shaft_it_speaks_of() -> None:
    support = ag.Case.from_toml(PATH.parent / "case.toml").supports[0]
    assert support is not None
    scale = np.sqrt(np.diag(support.stiffness))
    apart = (support.stiffness - soft_bearings.cantilever(60e-3)) / np.outer(scale, scale)
    np.testing.assert_allclose(apart, 0.0, atol=1e-6)  # digits of the file


def test_longer_shafts_tilt_more_as_the_beam_says() -> None:
    case = coarse_case()
    short, long_ = (soft_bearings.shaft_of(case, length) for length in (40e-3, 80e-3))
    # equilibrium is found to 1e-12 of the force; a moment of it moves the end of the longer one by ten times as much
    assert max(short.error, long_.error) < 1e-10
    assert long_.factor > short.factor > 1.1


def test_at_rest_and_slow_it_is_the_static_study() -> None:
    case = coarse_case()
    analysis = replace(case.analysis, duration=0.14)
    motion = soft_bearings.motion_of(replace(case, analysis=analysis))
    assert motion.balance < 1e-8
    # 5 rpm: dampers of 20 kN s/m at micrometres in tens of milliseconds carry 1e-4 of the force
    assert max(motion.error, motion.displacement, motion.tilt, motion.edge) < 1e-3
