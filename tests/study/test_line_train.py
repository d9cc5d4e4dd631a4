"""The compiled motion against the one that goes from step to step in Python."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_cases import dynamic_study

from alegear.case.case import Case
from alegear.contact.law import Friction
from alegear.dynamics.joints import CubicStep
from alegear.errors import NonConvergence
from alegear.mesh import MeshOptions
from alegear.study import line_train, train_kernels
from alegear.study.dynamic import DynamicStudy
from alegear.study.progress import Silent

CASE = Path(__file__).parents[2] / "meshes" / "spur_20_30_dynamic.toml"
COARSE = MeshOptions(
    flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4, order=1
)
STICKING = Friction(kind="velocity", mu_static=0.08, mu_dynamic=0.05)


@cache
def case_of(driver: str = "pinion", friction: Friction | None = None, **analysis: Any) -> Case:
    """Three pitches of the delivered case on coarse grids."""
    case = Case.from_toml(CASE)
    case = replace(case, mesh_options=(COARSE, COARSE), friction=friction or case.friction)
    case = replace(case, operation=replace(case.operation, driver=driver))
    given = {"duration": 6e-3, "output_every": 5e-5, **analysis}
    return replace(case, analysis=replace(case.analysis, **given))


def both_ways(case: Case, frame_times: tuple[float, ...] = ()) -> list[DynamicStudy]:
    """The same study run in compiled code, and step by step in Python."""
    studies = []
    for compiled in (True, False):
        study = dynamic_study(case, frame_times)
        study.run(Silent(), compiled=compiled)
        studies.append(study)
    return studies


def assert_same(compiled: DynamicStudy, plain: DynamicStudy) -> None:
    one, two = compiled.history(), plain.history()
    assert one.samples.layout == two.samples.layout
    for name in one.samples.layout:
        a, b = getattr(one, name), getattr(two, name)
        assert a.shape == b.shape, name
        # Newton ends at 1e-9 of the torque, from another start; an energy is the integral of a torque
        atol = 3e-8 * np.nanmax(np.abs(b), initial=0.0)
        if name.startswith("energy"):
            atol = 1e-9 * plain.system.force_scale[0] * np.ptp(two.angle[:, plain.system.driven])
        np.testing.assert_allclose(a, b, atol=atol, rtol=0.0, err_msg=name)


@pytest.mark.parametrize(
    ("driver", "friction", "analysis"),
    [
        ("pinion", None, {}),
        ("wheel", None, {"time_step": 1e-5}),
        ("pinion", STICKING, {"mesh_damping_ratio": 0.0}),
        ("wheel", STICKING, {"ramp": 4e-3, "tolerance": 1e-3}),
        ("pinion", None, {"method": "hht", "rho_inf": 0.6}),
        ("pinion", None, {"method": "backward-euler", "tolerance": 1e-2}),
    ],
)
def test_the_compiled_motion_is_the_motion(driver: str, friction: Friction | None, analysis: dict[str, Any]) -> None:
    compiled, plain = both_ways(case_of(driver, friction, **analysis))
    assert_same(compiled, plain)
    assert compiled.count is not None
    assert plain.count is not None
    assert compiled.count.accepted == plain.count.accepted
    assert compiled.count.rejected_by_error == plain.count.rejected_by_error
    assert compiled.count.h_shortest == pytest.approx(plain.count.h_shortest, rel=1e-6)


def test_blocks_and_pauses_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of()
    whole = dynamic_study(case)
    whole.run(Silent())
    monkeypatch.setattr(line_train, "SAMPLES", 7)
    parts = dynamic_study(case)
    parts.run(Silent())
    assert_same(parts, whole)
    assert vars(parts.count) == vars(whole.count)


def test_frames_off_the_output_times_are_kept() -> None:
    times = (0.0, 1.23e-3, 2e-3, 6e-3)
    compiled, plain = both_ways(case_of(), times)
    assert [t for t, _, _ in compiled.frames] == list(times)
    for (_, motion, force), (_, other, expected) in zip(compiled.frames, plain.frames, strict=True):
        np.testing.assert_allclose(motion.local, other.local, rtol=1e-10)
        assert motion.first_pair == other.first_pair
        for gear in range(2):
            scale = np.abs(expected[gear]).max()
            np.testing.assert_allclose(force[gear], expected[gear], atol=1e-7 * scale)  # as in assert_same
    assert len(compiled.history().time) == len(plain.history().time)


def test_a_step_that_fails_is_told_in_words_and_what_came_before_is_kept() -> None:
    case = case_of(time_step=1e-4, ramp=0.0, output_every=1e-3)
    object.__setattr__(case.analysis, "time_step", 1.5e-3)  # longer than a case may ask for
    study = dynamic_study(case)
    load = study.system.load.value(0.0)
    study.system.load = CubicStep(y0=load, y1=60.0 * load, t0=1e-3, t1=1.5e-3)  # the teeth carry it no longer
    with pytest.raises(NonConvergence, match=r"t = .*the step is fixed at"):
        study.run(Silent())
    assert len(study.history().time) >= 1


def test_the_columns_of_a_sample_do_not_overlap() -> None:
    wide = {"ENERGIES": 5, "ANGLES": 2, "SPEEDS": 2, "ACCELERATIONS": 2, "LOCAL": 2}
    names = ("TIME", "PHASE", "TE", "STIFFNESS", *wide, "FIRST_PAIR", "FLAGS")
    taken = [getattr(train_kernels, n) + i for n in names for i in range(wide.get(n, 1))]
    assert sorted(taken) == list(range(train_kernels.N_SAMPLE))
