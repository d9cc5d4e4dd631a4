"""How densely a motion is kept where its case does not say so: by the time in which a tooth follows another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import alegear as ag
from alegear.case.mesh_period import output_every, sampling_warnings
from alegear.checks.gear_data import gear_data
from alegear.checks.machine_data import machine_data

MESHES = Path(__file__).parents[2] / "meshes"


def pair(speed: float, **analysis: float) -> ag.Case:
    """20/30 teeth at a speed of the pinion [rpm]."""
    case = ag.Case.from_toml(MESHES / "spur_20_30_dynamic.toml")
    turning = replace(case.operation, pinion_speed=speed * 3.141592653589793 / 30.0)
    return replace(case, operation=turning, analysis=ag.DynamicAnalysis(duration=0.02, **analysis))


@pytest.mark.parametrize("speed", [15.0, 1500.0, 30000.0])
def test_output_follows_the_teeth(speed: float) -> None:
    """A hundred samples in the time in which a tooth follows another, at every speed, but no fewer than one."""
    case = pair(speed)
    assert case.mesh_period == pytest.approx(3.0 / speed, rel=1e-12)
    assert output_every(case) == pytest.approx(min(0.03 / speed, 0.02), rel=1e-12)
    assert output_every(replace(case, analysis=replace(case.analysis, output_every=1e-3))) == 1e-3
    assert not sampling_warnings(case)


def test_output_of_a_machine_follows_its_fastest_teeth() -> None:
    case = ag.MachineCase.from_toml(MESHES / "clutch_gearbox.toml")
    free = replace(case, analysis=replace(case.analysis, output_every=None))
    assert output_every(free) == pytest.approx(60.0 / (100.0 * 27) / 100.0, rel=1e-12)
    for place in free.layout.meshes:
        assert free.pair_case(place).analysis.output_every == output_every(free)


def test_coarse_output_is_told_with_the_number_to_write() -> None:
    """1/16 of the time in which a tooth follows another is as long as nothing is said."""
    coarse = pair(30000.0, output_every=2e-5)
    (warning,) = sampling_warnings(coarse)
    assert warning.startswith("output_every_s = 2e-05: 5 samples in the time in which a tooth follows another")
    assert warning in gear_data(coarse)["warnings"]
    least = float(warning.split("write ")[1].split(" or less")[0])
    assert not sampling_warnings(pair(30000.0, output_every=0.99 * least))
    machine = ag.MachineCase.from_toml(MESHES / "clutch_gearbox.toml")
    machine = replace(machine, analysis=replace(machine.analysis, output_every=4e-3))
    assert any("output_every_s = 0.004" in one for one in machine_data(machine)["warnings"])
