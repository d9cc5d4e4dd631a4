"""Wheels of machines with normal modes: in any direction, energy, killed and resumed, what is refused."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))
from curves import tight_newton
from small_machines import COARSE, StopAfter, Stopped, distance, gear, idler, polar

import alegear as ag
from alegear.case.faults import CaseFaults
from alegear.drivetrain import compiled_motion
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws import law_of
from alegear.progress import Silent
from alegear.storage.recorded_samples import RecordedSamples
from alegear.studies import motion_record
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.mesh_damping import STIFFNESS_POSITIONS
from alegear.studies.modal import ModalStudy
from alegear.studies.preparation import prepare_meshes

QUIET = ag.OutputOptions(plots=False, fields=False)
RIGID = law_of("rigid", "second")
BETA, LENGTH, DIAMETER = 0.2, 0.1, 0.03  # of the teeth; of the shafts on bearings
STIFFNESS = (3e8, 3e8, 2e8, 2e5, 2e5)
SPEED, TORQUE, DURATION = 300.0, 300.0, 4e-4
#: Mesh frequency 955 Hz, lowest mode 20 kHz, 200 steps.
MOTION: dict[str, Any] = {"duration": DURATION, "output_every": 1e-5, "time_step": 2e-6, "normal_modes": 6}
#: Of motions of fixed step with a tight Newton. They begin at rates that are differences of equilibria, found
#: to 1e-11 of the torque, over 2e-3 pitches: of the acceleration, which the vibration makes, that is 5e-9,
#: and so of the stress, which has it.
ROUNDED = {
    "transmission_error": 1e-9,
    "mesh_stiffness": 1e-9,
    "tooth_load": 1e-9,
    "acceleration": 5e-9,
    "root_stress": 5e-9,
}


def machine(*, bearings: bool, middle: float = 0.0, angle: float = 0.7) -> ag.Machine:
    """A helical pair, its centre line at an angle to x and both shafts along z; on bearings in the mid-faces."""
    m = ag.Machine("pair")
    second = polar(distance(20, 30, beta=BETA), angle)
    sections = () if not bearings else [(LENGTH, DIAMETER, 0.0)]
    for name, at in (("in", np.zeros(3)), ("out", second)):
        m.add(name, ag.Shaft(sections=sections, position=tuple(at), rigid=bearings, fixed_axis=not bearings))
    m.add("p", ag.ShaftGear(gear=gear(20, beta=BETA), shaft="in", at=middle, grid_options=COARSE))
    m.add("w", ag.ShaftGear(gear=gear(30, beta=-BETA), shaft="out", at=middle, grid_options=COARSE))
    m.mesh("mesh", "p", "w")
    for shaft in ("in", "out") if bearings else ():
        m.add(f"of {shaft}", ag.Bearing(shaft=shaft, at=middle, stiffness=STIFFNESS))
    m.add("motor", ag.Drive(shaft="in", speed=SPEED))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=TORQUE))
    return m


def moved(case: ag.MachineCase, *, compiled: bool = True) -> DynamicStudy:
    prepared = prepare_meshes(case, Silent(), lambda: None, fields=False)
    study = DynamicStudy(case, prepared, frame_times=(0.5 * DURATION,))
    study.run(Silent(), compiled=compiled)
    return study


def assert_same(study: DynamicStudy, other: DynamicStudy) -> None:
    found, expected = (one.mesh_history("mesh").samples for one in (study, other))
    for name, limit in ROUNDED.items():
        values = expected.read(name)
        assert np.ptp(values) > 1e-2 * np.abs(values).max(), name  # it vibrates
        np.testing.assert_allclose(found.read(name), values, rtol=0.0, atol=limit * np.abs(values).max(), err_msg=name)
    # what the fields are made from
    (frame,), (motion,) = study.frames("mesh"), other.frames("mesh")
    assert frame.vibration is not None
    assert motion.vibration is not None
    for away, there in zip(frame.vibration, motion.vibration, strict=True):
        np.testing.assert_allclose(away, there, rtol=0.0, atol=1e-6 * np.abs(there).max())
    assert frame.first_pair == motion.first_pair


@pytest.fixture
def tight() -> Iterator[None]:
    """Else the tolerance of Newton's iteration would be compared."""
    with tight_newton():
        yield


@pytest.mark.thorough  # on bearings: below
@pytest.mark.usefixtures("tight")
@pytest.mark.parametrize("bearings", [False, True])
def test_it_moves_in_the_same_way_wherever_the_centre_line_points(bearings: bool) -> None:
    analysis = ag.DynamicAnalysis(**MOTION)
    along, across = (
        moved(machine(bearings=bearings, middle=0.5 * LENGTH, angle=angle).case(analysis, QUIET))
        for angle in (0.0, 0.7)
    )
    assert_same(across, along)


@pytest.mark.usefixtures("tight")
def test_modes_are_stepped_in_compiled_code_as_in_python() -> None:
    case = machine(bearings=True, middle=0.03).case(ag.DynamicAnalysis(**{**MOTION, "duration": 6e-5}), QUIET)
    fast, slow = moved(case), moved(case, compiled=False)
    assert compiled_motion.is_compiled(fast.built.model)
    for name in ("displacement", "transmission_error", "bearing_force"):
        one, other = fast.history().values[name], slow.history().values[name]
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-9 * np.abs(other).max())


def test_energy_is_accounted_for() -> None:
    study = moved(machine(bearings=True, middle=0.03).case(ag.DynamicAnalysis(**{**MOTION, "duration": 4e-3}), QUIET))
    transmitted = TORQUE * SPEED * 20.0 / 30.0 * 4e-3
    assert abs(study.energy.missing) < 1e-5 * transmitted  # trapezoidal rule, four pitches
    assert study.energy.dissipated > 0.0
    modes = [name for name in study.built.model.names if "normal mode" in name]
    assert len(modes) == 12
    assert all(any(name.startswith(own) for name in modes) for own in ("p", "w"))


def test_waves_of_rotation_are_in_the_start() -> None:
    """Modes that grow with the speed are where the balance of their forces has them, and stay there."""
    study = moved(machine(bearings=False).case(ag.DynamicAnalysis(**{**MOTION, "duration": 1e-4}), QUIET))
    system = study.system
    q, v = (system.free_of(one) for one in study._start)
    system.begin_step(0.0, q, v, 0.0)
    force = system.force(0.0, q, v)
    np.testing.assert_allclose(force.Q / system.force_scale, 0.0, atol=1e-3)  # the retardation by the start speed


@pytest.mark.thorough
def test_killed_and_resumed_it_is_the_same_to_the_last_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # nobody pulls the plug here
    monkeypatch.setattr(compiled_motion, "SAMPLES", 2)
    monkeypatch.setattr(motion_record, "RecordedSamples", partial(RecordedSamples, chunk=8))
    output = ag.OutputOptions(plots=False, fields=False, checkpoint_every=1e-9)
    case = machine(bearings=True, middle=0.03).case(ag.DynamicAnalysis(**{**MOTION, "duration": 2e-4}), output)
    ag.run(case, tmp_path / "whole")
    with pytest.raises(Stopped):
        ag.run(case, tmp_path / "parts", progress=StopAfter(4))
    ag.run(case, tmp_path / "parts", resume=True)
    for folder in ("", "meshes/mesh"):
        with (
            xr.open_dataset(tmp_path / "whole" / folder / "result.nc", engine="h5netcdf") as one,
            xr.open_dataset(tmp_path / "parts" / folder / "result.nc", engine="h5netcdf") as other,
        ):
            assert set(one.variables) == set(other.variables)
            for name in one.variables:
                assert one[name].to_numpy().tobytes() == other[name].to_numpy().tobytes(), (folder, name)


def test_a_gear_in_a_rigid_mesh_too_vibrates_in_the_flexible_one() -> None:
    three = idler()
    meshes = (three.meshes[0], GearMesh(name="second", gears=("g1", "g2"), law=RIGID))
    case = replace(three, meshes=meshes, analysis=ag.DynamicAnalysis(**{**MOTION, "duration": 5e-5}), output=QUIET)
    study = moved(case)
    assert len(study.built.contacts["first"].modal) == 12
    assert np.isfinite(study.history().values["mesh_force"]).all()


def test_two_stages_vibrate_with_two_gears_on_a_shaft() -> None:
    m = ag.Machine("two stages")
    a = distance(20, 30)
    for name, x in (("in", 0.0), ("middle", a), ("out", 2.0 * a)):
        m.add(name, ag.Shaft(fixed_axis=True, position=(x, 0.0, 0.0)))
    for name, shaft, at, z in (("p1", "in", 0.0, 20), ("w1", "middle", 0.0, 30)):
        m.add(name, ag.ShaftGear(gear=gear(z), shaft=shaft, at=at, grid_options=COARSE))
    for name, shaft, at, z in (("p2", "middle", 0.05, 20), ("w2", "out", 0.05, 30)):
        m.add(name, ag.ShaftGear(gear=gear(z), shaft=shaft, at=at, grid_options=COARSE))
    m.mesh("first", "p1", "w1")
    m.mesh("second", "p2", "w2")
    m.add("motor", ag.Drive(shaft="in", speed=SPEED))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=TORQUE))
    study = moved(m.case(ag.DynamicAnalysis(**{**MOTION, "duration": 2e-3}), QUIET))
    transmitted = TORQUE * SPEED * (20.0 / 30.0) ** 2 * 2e-3
    assert abs(study.energy.missing) < 1e-5 * transmitted
    modal = [study.built.contacts[name].modal for name in ("first", "second")]
    assert len(np.unique(np.concatenate(modal))) == 24  # both gears of the middle shaft have their own
    force = np.linalg.norm(study.history().values["mesh_force"], axis=2).mean(axis=0)
    of_load = TORQUE / study.layout.gears["w2"].gear.r_b
    np.testing.assert_allclose(force, [of_load * 20.0 / 30.0, of_load], rtol=0.02)  # they vibrate about it


def test_modes_are_the_same_wherever_the_centre_line_points() -> None:
    """Helical gears on bearings that are alike in all directions."""

    def values(angle: float) -> dict[str, Any]:
        case = machine(bearings=True, middle=0.03, angle=angle).case(
            ag.ModalAnalysis(n_modes=12, normal_modes=6), QUIET
        )
        study = ModalStudy(case, prepare_meshes(case, Silent(), lambda: None, fields=False))
        study.run(Silent())
        assert study.modes is not None
        assert len(study.modes.positions) == STIFFNESS_POSITIONS
        return study.history().values

    along, across = values(0.0), values(0.7)
    for name in ("frequency", "turning_frequency", "held_frequency", "held_deflection_share"):
        np.testing.assert_allclose(across[name], along[name], rtol=1e-8, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(across["energy_share"], along["energy_share"], atol=1e-6)
    assert along["energy_share"].shape[0] == 12


def test_a_phase_is_one_of_a_mesh_of_gears(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "meshes" / "planetary_lin_parker.toml").read_text()
    (tmp_path / "case.toml").write_text(text.replace('kind = "modal"', 'kind = "modal"\nphase = 0.1'))
    with pytest.raises(CaseFaults, match=r"phase = 0.1: must be left out without meshes of gears"):
        ag.case_from_file(tmp_path / "case.toml")


def test_what_has_no_modes_yet_is_refused() -> None:
    three, motion = idler(), ag.DynamicAnalysis(**MOTION)
    with pytest.raises(ag.Fault, match=r"normal_modes of gear g1 = 6: must be 0: .*; write fidelity = \"rigid\" for"):
        replace(three, analysis=motion, output=QUIET)
    rigid = tuple(replace(mesh, law=RIGID) for mesh in three.meshes)
    with pytest.raises(ag.Fault, match=r"normal_modes = 6: must be 0: wheels vibrate in flexible meshes only"):
        replace(three, meshes=rigid, analysis=motion, output=QUIET)
    modal = ag.ModalAnalysis(n_modes=3, normal_modes=4)
    with pytest.raises(ag.Fault, match=r"normal_modes of gear g1 = 4: must be 0: .*; write fidelity = \"rigid\" for"):
        replace(three, analysis=modal, output=QUIET)
    with pytest.raises(ag.Fault, match=r"there is none; leave out normal_modes, or write fidelity"):
        replace(three, meshes=rigid, analysis=modal, output=QUIET)
    with pytest.raises(ag.Fault, match=r"mesh mesh: .*modal_damping_ratio = 0.1: has no effect"):
        machine(bearings=False).case(ag.DynamicAnalysis(**{**MOTION, "normal_modes": 0, "modal_damping_ratio": 0.1}))
