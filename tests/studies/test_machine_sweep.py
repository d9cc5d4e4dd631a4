"""Sweeps of machines: against that of a pair, there and back, in files, and what is refused."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up_results import drawn
from matplotlib.image import imread
from small_machines import TEETH, TORQUE, idler, one_stage

import alegear as ag
from alegear.case.faults import CaseFaults
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.parts import Drive, TorqueLoad
from alegear.pictures.files import write_pictures

IDLER = Path(__file__).parents[2] / "meshes" / "idler_3_gears.toml"
QUIET = ag.OutputOptions(plots=False, fields=False, checkpoint_every=None)
TABLE = ((0.0, 400.0), (0.02, 800.0), (0.04, 400.0))
SWEEP = ag.SweepAnalysis(duration=0.04, reversal_time=0.02, settling=1e-3, pitches=4, output_every=1e-5, time_step=1e-5)


def swept(case: ag.MachineCase, **changes: Any) -> ag.MachineCase:
    drive = Drive(name="motor", shaft=case.drives[0].shaft, speed_table=TABLE)
    return replace(case, **{"analysis": SWEEP, "drives": (drive,), "output": QUIET, **changes})


@pytest.fixture(autouse=True)
def _few_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of linearised responses, whose amplitudes test_linear_sweep looks at."""
    monkeypatch.setattr("alegear.studies.linear_sweep.LEAST_POSITIONS", 48)


@pytest.fixture(scope="module")
def pair() -> ag.MachineCase:
    """Two gears on hinges, by the shafts of the idler train."""
    three = idler()
    load = TorqueLoad(name="machine", shaft="s1", torque=TORQUE * TEETH[1] / TEETH[0])
    return swept(three, shafts=three.shafts[:2], gears=three.gears[:2], meshes=three.meshes[:1], loads=(load,))


def test_statistics_of_a_machine_and_of_its_mesh(pair: ag.MachineCase, tmp_path: Path) -> None:
    machine = ag.run(pair, tmp_path / "machine")
    mesh = ag.load(tmp_path / "machine" / "meshes" / "first").dataset
    assert mesh.sizes["point"] == machine.dataset.sizes["point"] > 8
    assert set(mesh.direction.values) == {1.0, -1.0}
    of_mesh = machine.dataset.transmission_error_order.sel(mesh="first").transpose(*mesh.transmission_error_order.dims)
    # of its own pitches, those of the drive: they differ by the vibration
    assert of_mesh.to_numpy() == pytest.approx(mesh.transmission_error_order.to_numpy(), rel=1e-3, abs=1e-9)
    assert float(mesh.tooth_load_factor.min()) > 0.9
    # the machine as a whole: the speed of the drive, and the load and inertia that the mesh carries in the mean
    whole, wheel = machine.dataset, pair.gears[1]
    inertia = wheel.gear.inertia(wheel.material.rho) * 2e4 * TEETH[0] / TEETH[1]  # while the speed rises
    force = (TORQUE * TEETH[1] / TEETH[0] + whole.direction.to_numpy() * inertia) / wheel.gear.r_b
    assert whole.mesh_force_mean.sel(mesh="first").to_numpy() == pytest.approx(force, rel=0.03)  # and the vibration
    there = whole.isel(point=np.flatnonzero(whole.direction.values > 0.0))
    assert (np.diff(there.drive_speed) > 0.0).all()
    assert there.drive_speed.to_numpy() == pytest.approx(400.0 + 2e4 * there.time.to_numpy(), rel=1e-3)


@pytest.mark.thorough  # test_captions, test_sweep_plots
def test_a_flexible_mesh_is_drawn_without_forces_on_its_gears(pair: ag.MachineCase, tmp_path: Path) -> None:
    """They are held by shafts; the bearings of these are in the picture of the machine."""
    sweep = replace(SWEEP, duration=0.01, reversal_time=None, pitches=2, response="both")
    drive = replace(pair.drives[0], speed_table=((0.0, 400.0), (0.01, 500.0)))
    ag.run(replace(pair, analysis=sweep, drives=(drive,)), tmp_path)
    mesh = ag.load(tmp_path / "meshes" / "first").dataset
    assert "bearing_force_order" not in mesh
    assert [file.name for file in drawn(mesh, tmp_path)] == ["sweep.png"]
    assert imread(tmp_path / "sweep.png").std() > 0.05


def test_bearings_answer_over_the_speed(tmp_path: Path) -> None:
    case = one_stage()
    bearings = tuple(replace(one, damping=(1e3, 1e3, 1e3)) for one in case.bearings)
    assert all(isinstance(one, Bearing) for one in bearings)
    drive = Drive(name="motor", shaft="in", torque=200.0, speed_table=((0.0, 400.0), (5e-3, 500.0)))
    sweep = replace(SWEEP, duration=5e-3, reversal_time=None, pitches=2)
    result = ag.run(replace(case, analysis=sweep, drives=(drive,), bearings=bearings, output=QUIET), tmp_path)
    data = result.dataset
    assert (data.bearing_force_max >= data.bearing_force_mean).all()
    told = result.summary["bearings"]["in_left"]
    at = int(data.bearing_force_max.sel(bearing="in_left").to_numpy().argmax())
    assert told["force_max_N"] == float(data.bearing_force_max.sel(bearing="in_left")[at])
    assert told["at_drive_speed_rpm"] == pytest.approx(float(data.drive_speed[at]) * 30.0 / np.pi)
    assert result.summary["meshes"]["mesh"]["run-up"]["tooth_load_factor_max"] > 0.9
    write_pictures(result, tmp_path)
    assert imread(tmp_path / "sweep.png").std() > 0.05


def test_a_file_says_the_same(tmp_path: Path) -> None:
    tables = tomllib.loads(IDLER.read_text(encoding="utf-8"))
    del tables["drives"]["motor"]["speed_rpm"]
    tables["analysis"] = {"kind": "sweep", "speed_from_rpm": 600, "speed_to_rpm": 1200, "duration_s": 0.1}
    case = ag.MachineCase.from_tables(tables, tmp_path / "case.toml")
    assert case.analysis.kind == "sweep"
    rpm = np.pi / 30.0
    assert np.array(case.drives[0].speed_table) == pytest.approx(
        np.array([[0.0, 600 * rpm], [0.1, 1200 * rpm], [0.2, 600 * rpm]])
    )
    tables["drives"]["motor"]["speed_rpm"] = 1000
    with pytest.raises(CaseFaults, match=r"drives.motor.speed_rpm = 1000.0: excludes speed_from_rpm of a sweep"):
        ag.MachineCase.from_tables(tables, tmp_path / "case.toml")


def test_what_cannot_be_swept_is_refused(pair: ag.MachineCase) -> None:
    with pytest.raises(ag.Fault, match="speed_table of drive motor = not given: must be given in a sweep"):
        replace(pair, drives=(Drive(name="motor", shaft="s0", speed=100.0),))
    table = ((0.0, 10.0), (1.0, 20.0))
    with pytest.raises(ag.Fault, match="torque_table of load machine = given: must be left out in a sweep"):
        replace(pair, loads=(TorqueLoad(name="machine", shaft="s1", torque_table=table),))
    point = ag.OutputPoint(name="root", gear="g0", fillet_share=0.5)
    with pytest.raises(ag.Fault, match="has no effect in a sweep"):
        replace(pair, output=replace(QUIET, points=(point,)))
    with pytest.raises(ag.Fault, match=r"mesh first: analysis\.pitches_per_point"):
        replace(pair, analysis=replace(SWEEP, pitches=1000))
