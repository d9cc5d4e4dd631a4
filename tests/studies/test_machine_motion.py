"""Motion and modes of machines: energy, both ways of stepping, killed and resumed, one part after the other by hand."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from small_machines import StopAfter, Stopped

import alegear as ag
from alegear.drivetrain import compiled_motion
from alegear.progress import Silent
from alegear.scene.machine_scene import MachineFields
from alegear.storage import recorded_samples
from alegear.storage.recorded_samples import RecordedSamples
from alegear.studies import motion_record
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import prepare_meshes
from alegear.studies.static import StaticStudy

COARSE = ag.GridOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
MODULE = 4e-3
SPEED = 1500.0 * math.pi / 30.0
QUIET = ag.OutputOptions(plots=False, fields=False)


def gear(z: int) -> ag.Gear:
    return ag.Gear(z=z, m_n=MODULE, b=30e-3, bore_diameter=0.5 * MODULE * (z - 2.5), thickness_allowance=40e-6)


def train(fidelity: str = "flexible") -> ag.Machine:
    """Three gears in a row: the first on a hinge, the second on a rigid shaft with bearings, the third on a beam."""
    m = ag.Machine("train")
    m.add("in", ag.Shaft(fixed_axis=True))
    m.add("idler", ag.Shaft(sections=[(0.1, 0.04, 0.0)], position=(0.1, 0.0, -0.05), rigid=True))
    m.add("out", ag.Shaft(sections=[(0.06, 0.03, 0.0), (0.08, 0.04, 0.01)], position=(0.155, -0.0952627944, -0.06)))
    m.add("p", ag.ShaftGear(gear=gear(20), shaft="in", at=0.0, grid_options=COARSE))
    m.add("i", ag.ShaftGear(gear=gear(30), shaft="idler", at=0.05, grid_options=COARSE))
    m.add("w", ag.ShaftGear(gear=gear(25), shaft="out", at=0.06, grid_options=COARSE))
    m.mesh("first", "p", "i")
    m.mesh("second", "i", "w", fidelity=fidelity)  # type: ignore[arg-type]
    for name, shaft, at in (("a", "idler", 0.01), ("b", "idler", 0.09), ("c", "out", 0.0), ("d", "out", 0.14)):
        m.add(name, ag.Bearing(shaft=shaft, at=at, stiffness=(4e8, 4e8, 2e8), damping=(2e3, 2e3, 1e3)))
    m.add("motor", ag.Drive(shaft="in", speed=SPEED))
    m.add("brake", ag.TorqueLoad(shaft="out", at=0.14, torque=300.0, inertia=5e-3))
    return m


def case(fidelity: str = "flexible", **analysis: Any) -> ag.MachineCase:
    return train(fidelity).case(ag.DynamicAnalysis(**analysis), QUIET)


def moved(case: ag.MachineCase, *, compiled: bool = True, times: Sequence[float] = ()) -> DynamicStudy:
    prepared = prepare_meshes(case, Silent(), lambda: None, fields=False)
    study = DynamicStudy(case, prepared, frame_times=times)
    study.run(Silent(), compiled=compiled)
    return study


def test_energy_is_accounted_for_over_ten_pitches() -> None:
    study = moved(case(duration=10.0 / (20.0 * 25.0), output_every=1e-4, time_step=8e-6))  # 250 steps in a pitch
    transmitted = 300.0 * 0.8 * SPEED * study.case.analysis.duration
    assert abs(study.energy.missing) < 1e-5 * transmitted  # trapezoidal rule over contact that comes and goes
    assert study.energy.dissipated > 0.0


def test_loads_come_through_in_the_mean() -> None:
    history = moved(case(duration=8e-3, ramp=0.0)).history()
    force = history.values["mesh_force"][100:]
    torque = 300.0 * 0.8  # of the drive
    along_y = force[:, 0, 1].mean()  # on the pinion at the pitch point, 40 mm from its axis
    assert along_y == pytest.approx(-torque / 0.04, rel=0.02)  # the machine vibrates about it
    carried = history.values["bearing_force"][100:, :2].sum(axis=1).mean(axis=0)
    both = -(force[:, 0] + 0.0).mean(axis=0) + force[:, 1].mean(axis=0)
    assert carried[:2] == pytest.approx(both[:2], rel=0.02)


def test_steps_in_python_come_to_the_same() -> None:
    same = case(duration=3e-4, output_every=2e-5, time_step=5e-6)
    fast, slow = moved(same), moved(same, compiled=False)
    for study in (fast, slow):
        study.flush()
    scale = fast.machine.scales.deflection
    for name in ("displacement", "transmission_error"):
        x, y = (study.history().values[name] for study in (fast, slow))
        assert np.abs(x - y).max() < 1e-6 * scale  # Newton's tolerance, over sixty steps
    a, b = fast.mesh_history("second"), slow.mesh_history("second")
    assert a.tooth_load == pytest.approx(b.tooth_load, rel=1e-5, abs=0.1)


def test_a_rigid_mesh_moves_step_by_step() -> None:
    study = moved(case("rigid", duration=1e-3, time_step=1e-5), times=np.linspace(0.0, 1e-3, 11).tolist())
    history = study.history()
    assert len(history.labels["time"]) == 51
    assert np.abs(history.values["transmission_error"][:, 0]).max() < 60e-6
    # the teeth of the rigid mesh neither bend nor part: rounded sums of rotations of a radian
    x = np.array([x for _, x, *_ in study.shown])
    assert x.shape == (11, study.built.model.n)
    assert np.abs(x @ study.built.model.constraint_rows.T).max() < 1e-15


def on_fixed_axes(**analysis: Any) -> DynamicStudy:
    """Three rigid gears in a row on hinges; all turns with the drive."""
    m = ag.Machine("rigid")
    for name, at in (("in", (0.0, 0.0, 0.0)), ("idler", (0.1, 0.0, 0.0)), ("out", (0.155, -0.0952627944, 0.0))):
        m.add(name, ag.Shaft(fixed_axis=True, position=at))
    for name, shaft, z in (("p", "in", 20), ("i", "idler", 30), ("w", "out", 25)):
        m.add(name, ag.ShaftGear(gear=gear(z), shaft=shaft, at=0.0))
    m.mesh("first", "p", "i", fidelity="rigid")
    m.mesh("second", "i", "w", fidelity="rigid")
    m.add("motor", ag.Drive(shaft="in", speed=SPEED))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=300.0, inertia=5e-3))
    study = DynamicStudy(m.case(ag.DynamicAnalysis(**analysis), QUIET), {})
    study.run(Silent())
    return study


@pytest.mark.parametrize("ramp", [0.0, 2e-3])
def test_forces_of_rigid_meshes_carry_loads_and_inertia(ramp: float) -> None:
    study = on_fixed_axes(duration=4e-3, ramp=ramp, time_step=1e-5)
    values, layout = study.history().values, study.layout
    t = study.history().labels["time"]
    s = np.clip(t / ramp, 0.0, 1.0) if ramp else np.ones(len(t))
    step, rate = s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s) / (ramp or 1.0)
    inertia = {name: one.gear.inertia(one.material.rho) for name, one in layout.gears.items()}
    inertia["w"] += 5e-3
    r_b = {name: one.gear.r_b for name, one in layout.gears.items()}
    # torque of the load and of what stands behind each mesh, about its own gear
    second = (300.0 * step + inertia["w"] * SPEED * 0.8 * rate) / r_b["w"]
    first = second + inertia["i"] * SPEED * (2.0 / 3.0) * rate / r_b["i"]
    for m, expected in enumerate((first, second)):
        place = layout.meshes[m]
        force = values["mesh_force"][:, m]
        assert force == pytest.approx(-np.outer(expected, place.line_of_action), rel=1e-9, abs=1e-9 * expected.max())
        moment = values["mesh_moment"][:, m] @ place.axes[2]  # of the force on the first gear, against its rotation
        assert moment == pytest.approx(-expected * place.pair.pinion.r_b, rel=1e-9, abs=1e-9 * expected.max())


def test_bearings_carry_the_forces_of_rigid_meshes() -> None:
    study = moved(case("rigid", duration=4e-4, ramp=4e-4, time_step=2e-6, output_every=2e-6))
    values, at = study.history().values, list(study.history().labels["place"])
    forces, carried = values["mesh_force"], values["bearing_force"]
    on_idler = forces[:, 1] - forces[:, 0]
    middle = values["displacement"][:, at.index("idler@50mm")]
    # the idler is one rigid body: Newton's law, its acceleration by differences
    acceleration = (middle[2:] - 2.0 * middle[1:-1] + middle[:-2]) / 2e-6**2
    gear_mass = study.layout.gears["i"].gear.mass(7850.0)
    mass = gear_mass + 7850.0 * math.pi / 4.0 * 0.04**2 * 0.1
    left = on_idler[1:-1] - carried[1:-1, :2].sum(axis=1) - mass * acceleration
    assert np.abs(left).max() < 1e-3 * np.abs(on_idler).max()
    assert np.abs(mass * acceleration).max() > 1e-2 * np.abs(on_idler).max()  # or the inertia was not looked at


POINTS = (
    ag.OutputPoint(name="root", gear="i", fillet_share=0.5, teeth=(0, 1, 2)),
    ag.OutputPoint(name="flank", gear="w", radius=50e-3, face_position=5e-3),
)


@pytest.fixture(scope="module")
def standing() -> StaticStudy:
    """The positions of a motion at its beginning, which is in equilibrium."""
    what = train().case(ag.MachineStatic(positions_per_pitch=2), replace(QUIET, points=POINTS))
    study = StaticStudy(what, prepare_meshes(what, Silent(), lambda: None, fields=False))
    study.run(Silent())
    return study


def shown(*, compiled: bool, times: Sequence[float]) -> DynamicStudy:
    analysis = ag.DynamicAnalysis(duration=3e-4, output_every=2e-5, time_step=5e-6)
    return moved(train().case(analysis, replace(QUIET, points=POINTS)), compiled=compiled, times=times)


def test_fields_and_points_begin_as_in_equilibrium(standing: StaticStudy) -> None:
    times = (0.0, 1.1e-4, 3e-4)  # the second is no output time
    study, slow = (shown(compiled=compiled, times=times) for compiled in (True, False))
    assert [t for t, *_ in study.shown] == pytest.approx(times, rel=1e-12)
    begin = study.angles["motor"]
    assert study.shown_angles()["motor"] == pytest.approx([begin + SPEED * t for t in times], rel=1e-12)
    for mesh in ("first", "second"):
        frame, expected = study.frames(mesh)[0], standing.frames(mesh)[0]
        pitch = study.built.contacts[mesh].contact.pitch_angle
        # the windows of both may be a pair apart; Newton's tolerance, 1e-9 of the load, on deflections of 20 um
        apart = (frame.phi - expected.phi) / pitch
        assert apart == pytest.approx(np.round(apart[0]), abs=1e-9)
        assert frame.ahead == pytest.approx(expected.ahead, rel=1e-6, abs=1e-12)
        assert frame.displacement == pytest.approx(expected.displacement, rel=1e-6, abs=1e-12)
        history, positions = study.mesh_history(mesh), standing.mesh_history(mesh)
        assert history.points is not None
        assert positions.points is not None
        assert history.points.names == positions.points.names
        # the motion is damped at the speed of the static curve, which takes 1.3e-5 of the load
        assert history.point_stress[0] == pytest.approx(positions.point_stress[0], rel=1e-4, nan_ok=True)
        # as in every short motion the root stress is there point by point, and its largest is the curve's
        fillet = history.root_stress_fillet.reshape(*history.root_stress.shape, -1)
        assert np.nanmax(fillet, axis=-1) == pytest.approx(history.root_stress, rel=1e-12, nan_ok=True)
        for one, other in zip(study.frames(mesh), slow.frames(mesh), strict=True):
            assert one.phi == pytest.approx(other.phi, abs=1e-10)  # Newton's tolerance over sixty steps
            for force, same in zip(one.face_force, other.face_force, strict=True):
                assert force == pytest.approx(same, abs=1e-5 * np.abs(same).max())


def test_points_lie_on_the_same_side_of_a_gear_turned_over() -> None:
    m = train()
    m._parts["shafts"][1] = replace(m._parts["shafts"][1], position=(0.1, 0.0, 0.05), direction=(0.0, 0.0, -1.0))
    point = ag.OutputPoint(name="side", gear="i", fillet_share=0.5, face_position=5e-3)
    what = m.case(ag.DynamicAnalysis(duration=1e-3), replace(QUIET, points=(point,)))
    for place, number in zip(what.layout.meshes, (1, 0), strict=True):
        (seen,) = what.points_of(place)
        assert seen.gear == number
        in_space = what.layout.shafts["idler"].axes[2] * point.face_position
        assert seen.face_position * place.axes[2] == pytest.approx(in_space)


def test_points_off_their_gear_are_refused() -> None:
    def with_point(**changes: Any) -> ag.MachineCase:
        point = replace(POINTS[0], **changes)
        return train("rigid").case(ag.DynamicAnalysis(duration=1e-3), replace(QUIET, points=(POINTS[0], point)))

    with pytest.raises(ag.Fault, match=r'points\[1\].gear = "w": must be a gear in a flexible mesh; name one of'):
        with_point(gear="w", name="other")
    with pytest.raises(ag.Fault, match=r"output.points\[1\].gear = 0: must be a gear in a flexible mesh"):
        with_point(gear=0, name="other")
    with pytest.raises(ag.Fault, match=r"output.points\[1\].teeth = 30: must be below 30, the teeth of gear i"):
        with_point(teeth=(30,), name="other")
    with pytest.raises(ag.Fault, match=r"output.field_times_s = 0.002: must be at most duration_s"):
        train().case(ag.DynamicAnalysis(duration=1e-3), ag.OutputOptions(field_times=(2e-3,)))


# steps in Python: test_machine_switches
@pytest.mark.parametrize("fidelity", ["flexible", pytest.param("rigid", marks=pytest.mark.thorough)])
def test_killed_again_and_again_and_resumed_it_is_the_same_to_the_last_bit(
    fidelity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # nobody pulls the plug here
    monkeypatch.setattr(compiled_motion, "SAMPLES", 2)  # of a block, so that there are many to be stopped after
    monkeypatch.setattr(motion_record, "RecordedSamples", partial(RecordedSamples, chunk=8))
    point = ag.OutputPoint(name="root", gear="p", fillet_share=0.5)
    output = ag.OutputOptions(plots=False, checkpoint_every=1e-9, field_times=(0.0, 1.1e-4, 3e-4), points=(point,))
    what = train(fidelity).case(ag.DynamicAnalysis(duration=4e-4, output_every=2e-5), output)
    ag.run(what, tmp_path / "whole")
    resume = False
    for _ in range(2):
        with pytest.raises(Stopped):
            ag.run(what, tmp_path / "parts", progress=StopAfter(3), resume=resume)
        resume = True
    ag.run(what, tmp_path / "parts", resume=True)
    for folder in ("", *(f"meshes/{name}" for name in ("first", "second")[: 2 if fidelity == "flexible" else 1])):
        with (
            xr.open_dataset(tmp_path / "whole" / folder / "result.nc", engine="h5netcdf") as one,
            xr.open_dataset(tmp_path / "parts" / folder / "result.nc", engine="h5netcdf") as other,
        ):
            assert set(one.variables) == set(other.variables)
            for name in one.variables:
                assert one[name].to_numpy().tobytes() == other[name].to_numpy().tobytes(), (folder, name)
    pictures = [path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*.vtu")]
    assert len(pictures) == 3 * (2 if fidelity == "flexible" else 1)
    for path in (*pictures, Path("machine.json")):
        assert (tmp_path / "whole" / path).read_bytes() == (tmp_path / "parts" / path).read_bytes(), path
    drawn = MachineFields(tmp_path / "parts")
    assert drawn.n_fields == 3
    assert drawn.label(1).startswith("t = 0.11 ms")
    # the fields are of the teeth that the curves are of: the largest root stress of a frame is among its nodes
    stress = one_at(tmp_path / "parts" / "meshes" / "first", 3e-4)
    nodes = drawn.series["first"].load(2)["von_mises"]
    assert np.abs(nodes / stress - 1.0).min() < 1e-6  # single precision


@pytest.mark.parametrize("fidelity", [pytest.param("flexible", marks=pytest.mark.thorough), "rigid"])
def test_chunks_on_the_disk_are_the_samples_in_memory(
    fidelity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 16
    monkeypatch.setattr(motion_record, "RecordedSamples", partial(RecordedSamples, chunk=most))
    output = replace(QUIET, points=(POINTS[0],), checkpoint_every=None)
    what = train(fidelity).case(ag.DynamicAnalysis(duration=1e-3, output_every=1e-5), output)
    in_memory = ag.run(what)
    read = RecordedSamples.read

    def counted(self: RecordedSamples, name: str, begin: int = 0, end: int | None = None) -> Any:
        values = read(self, name, begin, end)
        # whole curves of single numbers for the summary, the load of all slots for the loaded contact ratio: no more
        assert len(values) <= most or values[0].size <= 8, name
        return values

    monkeypatch.setattr(RecordedSamples, "read", counted)
    monkeypatch.setattr(recorded_samples.blocks, "__defaults__", (slice(None), most))
    written = ag.run(what, tmp_path)
    assert set(written.dataset.variables) == set(in_memory.dataset.variables)
    for name in in_memory.dataset.variables:
        one, other = (result.dataset[name].to_numpy() for result in (in_memory, written))
        assert one.tobytes() == other.tobytes(), name
    force = np.linalg.norm(in_memory.dataset["bearing_force"].sel(bearing="a"), axis=1)
    told = written.summary["bearings"]["a"]
    assert told["force_mean_N"] == pytest.approx(force.mean(), rel=1e-12)
    assert told["force_max_N"] == force.max()
    error = 1e6 * in_memory.dataset["rotation_error"].sel(shaft="out").to_numpy()
    assert written.summary["shafts"]["out"]["rotation_error_mean_urad"] == pytest.approx(error.mean(), rel=1e-12)
    assert written.summary["shafts"]["out"]["rotation_error_peak_to_peak_urad"] == pytest.approx(np.ptp(error))


def one_at(folder: Path, time: float) -> float:
    """Largest root stress at a time [Pa]."""
    with xr.open_dataset(folder / "result.nc", engine="h5netcdf") as dataset:
        return float(dataset["root_stress"].sel(time=time, method="nearest").max())


def test_modes_stand_by_their_energy_and_turn_a_little_elsewhere() -> None:
    result = train().modes(n_modes=8, output=QUIET)
    modes = result.summary["modes"]
    frequency = [mode["frequency_Hz"] for mode in modes]
    assert frequency == sorted(frequency)
    for mode in modes:
        assert sum(mode["energy_share"].values()) == pytest.approx(1.0, abs=0.1)  # below 1 % is not listed
    turning = result.summary["turning_modes"]
    assert [mode["frequency_Hz"] for mode in turning[:3]] == pytest.approx(frequency[:3], rel=0.02)  # 1500 rpm
    for mode in turning:
        assert 0.0 < mode["damping_ratio"] < 0.2  # bearings have dampers, and all of it is stable
        assert sum(mode["energy_share"].values()) == pytest.approx(1.0, abs=0.1)


def test_what_a_file_says_python_says() -> None:
    text = Path(__file__).parents[2] / "meshes" / "idler_3_gears.toml"
    file = ag.MachineCase.from_toml(text)
    m = ag.Machine(file.title)
    m.add("input", ag.Shaft(fixed_axis=True))
    m.add("idler", ag.Shaft(fixed_axis=True, position=(0.1, 0.0, 0.0)))
    m.add("output", ag.Shaft(fixed_axis=True, position=(0.155, -0.09526279442, 0.0)))
    for name, shaft, z, bore in (
        ("pinion", "input", 20, 35e-3),
        ("idler_gear", "idler", 30, 54e-3),
        ("wheel", "output", 25, 45e-3),
    ):
        made = ag.Gear(z=z, m_n=4e-3, b=30e-3, bore_diameter=bore, thickness_allowance=40e-6)
        m.add(name, ag.ShaftGear(gear=made, shaft=shaft, at=0.0))
    m.mesh("first", "pinion", "idler_gear")
    m.mesh("second", "idler_gear", "wheel")
    m.add("motor", ag.Drive(shaft="input", speed=SPEED))
    m.add("machine", ag.TorqueLoad(shaft="output", torque=500.0))
    case = m.case()
    for name, phases in file.layout.phases.items():
        assert case.layout.phases[name] == pytest.approx(phases, abs=1e-12)
    assert [p.torque for p in case.layout.meshes] == pytest.approx([p.torque for p in file.layout.meshes])
    assert repr(m).startswith("<alegear.Machine")


def test_what_cannot_be_moved_is_refused() -> None:
    m = train()
    m.add("alone", ag.Shaft(fixed_axis=True))
    with pytest.raises(ag.Fault, match="drive of shaft alone"):
        m.case()
    standing = train()
    standing._parts["drives"].clear()
    standing.add("motor", ag.Drive(shaft="in"))
    with pytest.raises(ag.Fault, match=r"speed .* of drive motor"):
        standing.case(ag.DynamicAnalysis(duration=1e-3))
    with pytest.raises(ag.Fault, match="normal_modes"):
        train().case(ag.DynamicAnalysis(duration=1e-3, normal_modes=4))
    with pytest.raises(ag.Fault, match="speed_table of drive motor = not given: must be given in a sweep"):
        train().case(ag.SweepAnalysis(duration=1e-3))
