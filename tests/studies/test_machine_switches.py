"""Parts that stick and slide beside flexible teeth: a pair behind a clutch, and a second stage with losses."""

from __future__ import annotations

import itertools
import math
import os

import numpy as np
import pytest
from made_up_results import drawn
from small_machines import COARSE, StopAfter, Stopped, distance, flexible, gear

import alegear as ag
from alegear.case.machine import MachineCase
from alegear.drivetrain.compiled_motion import is_compiled
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.rotational.friction import BearingFriction, Clutch
from alegear.drivetrain.rotational.governor import SpeedGovernor
from alegear.drivetrain.rotational.sources import SpeedSource, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.drivetrain.shaft import Shaft
from alegear.errors import Fault
from alegear.progress import Silent
from alegear.recording.checkpoint import Checkpoint
from alegear.results.machine_shape import machine_shape
from alegear.results.switch_events import events
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import prepare_meshes
from alegear.system.bodies import Rotor1D

TEETH, SPEED, CAPACITY = (20, 30, 25, 40), 20.0, 40.0
DURATION = 8e-3


def behind_a_clutch(**changes) -> MachineCase:
    """Two spur stages on hinges behind a clutch that closes in 1 ms; the second with losses."""
    a, b = distance(*TEETH[:2]), distance(*TEETH[2:])
    places = [np.zeros(3), np.array([a, 0.0, 0.0]), np.array([a + b, 0.0, 0.0])]
    gears = [("g0", "s0", 0.0), ("g1", "s1", 0.0), ("g2", "s1", 0.05), ("g3", "s2", 0.05)]
    fields = {
        "shafts": tuple(Shaft(name=f"s{i}", fixed_axis=True, position=at) for i, at in enumerate(places)),
        "gears": tuple(
            ShaftGear(name=name, shaft=shaft, at=at, gear=gear(z), grid_options=COARSE)
            for (name, shaft, at), z in zip(gears, TEETH, strict=True)
        ),
        "meshes": (
            flexible("first", "g0", "g1"),
            GearMesh(name="second", gears=("g2", "g3"), law=law_of("lossy", "second", mesh_efficiency=0.95)),
        ),
        "drives": (Drive(name="motor", shaft="motor_shaft", speed=SPEED),),
        "loads": (
            TorqueLoad(name="machine", shaft="s2", torque_table=((0.0, 0.0), (6e-3, 0.0), (1.0, 60.0)), inertia=0.02),
        ),
        "parts": (
            Rotor1D(name="motor_shaft", inertia=0.1),
            Clutch(
                name="c1", between=("motor_shaft", "s0"), normal_force=CAPACITY, friction=1.0,
                signal=((0.0, 0.0), (1e-3, 1.0)),
            ),
            BearingFriction(name="driven", at="s2", torque=20.0),
        ),
        "analysis": ag.DynamicAnalysis(duration=DURATION, output_every=1e-4, mesh_damping_ratio=0.1),
    }  # fmt: skip
    return MachineCase(**{**fields, **changes})


@pytest.fixture(scope="module")
def result():
    return ag.run(behind_a_clutch())


def test_the_clutch_slips_and_locks(result):
    """One event each; stuck is a relative speed of 0 to the last digit, and the speeds of both sides are one number."""
    data = result.dataset
    changes = [(one.switch, one.before, one.after) for one in events(data)]
    assert ("c1", -1, 0) in changes
    clutch = data.sel(switch="c1")
    locked = np.flatnonzero(clutch["mode"].values == 0)
    assert len(locked) > 5
    assert (clutch["relative_speed"].values[locked] == 0.0).all()
    assert (data["speed"].sel(shaft="s0").values[locked] == SPEED).all()
    before = np.flatnonzero(clutch["mode"].values == -1)
    assert (clutch["relative_speed"].values[before] < 0.0).all()


def test_friction_is_what_the_clutch_carries(result):
    """Sliding the signal times its capacity; stuck within it."""
    clutch = result.dataset.sel(switch="c1")
    t, torque, mode = clutch["time"].values, clutch["friction_torque"].values, clutch["mode"].values
    slides = mode == -1
    np.testing.assert_allclose(torque[slides], -CAPACITY * np.clip(t / 1e-3, 0.0, 1.0)[slides], rtol=1e-12)
    assert (np.abs(torque[mode == 0]) <= CAPACITY).all()


def test_energy_is_closed(result):
    """Put in, lost, stored, by the trapezoidal rule over the steps."""
    data = result.dataset
    stored = data["energy_kinetic"] + data["energy_elastic"]
    missing = data["energy_input"] - data["energy_dissipated"] - (stored - stored[0])
    assert float(np.abs(missing).max()) < 1e-5 * float(data["energy_input"][-1])
    assert (np.diff(data["energy_dissipated"].values) >= -1e-12).all()


def test_bodies_that_only_turn_are_told(result):
    """The motor's shaft is none of a train: its speed stands beside those of the shafts."""
    data = result.dataset
    assert list(data["body"].values) == ["motor_shaft"]
    assert (data["body_speed"].values == SPEED).all()
    slip = data["speed"].sel(shaft="s0") - data["body_speed"].sel(body="motor_shaft")
    np.testing.assert_array_equal(slip.values, data["relative_speed"].sel(switch="c1").values)


def test_events_and_their_picture_are_kept(result, tmp_path):
    table = (result.save(tmp_path / "kept") / "events.csv").read_text().splitlines()
    assert table[0] == "time_s,switch,before,after"
    assert len(table) == 1 + len(events(result.dataset)) > 1
    assert {"machine.png", "modes.png", "energy.png"} <= {path.name for path in drawn(result.dataset, tmp_path)}


@pytest.mark.thorough
def test_killed_and_resumed_it_is_the_same_to_the_last_bit(result, tmp_path, monkeypatch):
    """After 3 ms and 6 ms, a corner of the load: modes, events and what is stuck are taken up, modes changed once.

    The run in one piece keeps nothing on the way.
    """
    monkeypatch.setattr(os, "fsync", lambda _: None)
    asked = itertools.count(1)
    # a checkpoint at every fourth step: those after it are taken again
    monkeypatch.setattr(Checkpoint, "is_due", property(lambda _: next(asked) % 4 == 0))
    output = ag.OutputOptions(plots=False, fields=False, checkpoint_every=1e-9)
    case = behind_a_clutch(output=output)
    whole = result.dataset
    (locked,) = (one.time for one in events(whole) if one.switch == "c1" and one.after == 0)
    assert 3e-3 < locked < 6e-3
    for count in range(100):
        try:
            ag.run(case, tmp_path / "parts", progress=StopAfter(30), resume=count > 0)
            break
        except Stopped:
            pass
    assert count == 2
    parts = ag.load(tmp_path / "parts").dataset
    assert set(parts.variables) == set(whole.variables)
    for name in whole.variables:
        assert parts[name].to_numpy().tobytes() == whole[name].to_numpy().tobytes(), name
    kept = result.save(tmp_path / "whole") / "events.csv"
    assert (tmp_path / "parts" / "events.csv").read_bytes() == kept.read_bytes()


def driven_through_a_spring(*parts: object) -> DynamicStudy:
    """A pair behind a body on a spring, stepped in compiled code."""
    drive = Drive(name="motor", shaft="motor_shaft", speed=SPEED)
    spring = Spring(name="k", between=("motor_shaft", "s0"), stiffness=2e4, damping=5.0)
    case = behind_a_clutch(
        shafts=behind_a_clutch().shafts[:2],
        gears=behind_a_clutch().gears[:2],
        meshes=behind_a_clutch().meshes[:1],
        drives=(drive,),
        loads=(TorqueLoad(name="machine", shaft="s1", torque=50.0, inertia=0.02),),
        parts=(Rotor1D(name="motor_shaft", inertia=0.1), spring, *parts),
        analysis=ag.DynamicAnalysis(duration=1e-3, output_every=1e-4, time_step=1e-5, mesh_damping_ratio=0.1),
    )
    return DynamicStudy(case, prepare_meshes(case, Silent(), lambda: None, fields=False))


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (
            Rotor1D(name="fan", inertia=0.01, speed=SPEED),
            Spring(name="belt", between=("fan", "motor_shaft"), stiffness=30.0),
            TorqueSource(name="drag", at="fan", torque=-3.0),
        ),
        (Rotor1D(name="led", inertia=0.01), SpeedSource(name="lead", at="led", speed=((0.0, 0.0), (1.0, 50.0)))),
        (
            Rotor1D(name="led", inertia=0.01),
            SpeedSource(name="lead", at="led", speed=((0.0, 0.0), (1.0, 50.0))),
            SpeedGovernor(name="against", at="led", speed=5.0, proportional=2.0, integral=100.0),
        ),
    ],
    ids=["spring", "spring and torque", "led", "led against a governor"],
)
def test_parts_of_compiled_motions_are_told_as_those_of_steps_in_python(parts):
    """Angles, speeds, torques of springs, sources, nonlinear elements and of what leads a body against these."""
    fast, slow = driven_through_a_spring(*parts), driven_through_a_spring(*parts)
    assert is_compiled(fast.built.model)
    fast.run(Silent())
    slow.run(Silent(), compiled=False)
    for study in (fast, slow):
        study.flush()
    for name, scale in (("body_angle", 1e-3), ("body_speed", SPEED), ("part_torque", 50.0)):
        x, y = (study.history().values[name] for study in (fast, slow))
        assert len(x) > 5
        np.testing.assert_allclose(x, y, rtol=0.0, atol=1e-6 * scale)


def test_a_shaft_that_teeth_in_contact_turn_is_led_by_nothing_else():
    with pytest.raises(Fault, match=r'shaft of speed lead = "s1": must be none that the teeth of drive motor turn'):
        driven_through_a_spring(SpeedSource(name="lead", at="s1", speed=-SPEED * TEETH[0] / TEETH[1]))


def test_a_lossy_stage_alone_turns_as_its_table_says():
    """Shafts on hinges, lossy teeth between gears with geometry: torques by the efficiency, from event to event."""
    a = distance(*TEETH[:2])
    case = MachineCase(
        shafts=(Shaft(name="in", fixed_axis=True), Shaft(name="out", fixed_axis=True, position=(a, 0.0, 0.0))),
        gears=tuple(
            ShaftGear(name=f"g{i}", shaft=shaft, at=0.0, gear=gear(z))
            for i, (shaft, z) in enumerate(zip(("in", "out"), TEETH[:2], strict=True))
        ),
        meshes=(GearMesh(name="mesh", gears=("g0", "g1"), law=law_of("lossy", "mesh", mesh_efficiency=0.9)),),
        drives=(Drive(name="motor", shaft="in", speed=50.0),),
        loads=(TorqueLoad(name="machine", shaft="out", torque=30.0),),
        parts=(BearingFriction(name="seal", at="out", torque=2.0),),
        analysis=ag.RotationalMotion(duration=0.1),
    )
    data = ag.run(case).dataset
    ratio = TEETH[1] / TEETH[0]
    on_motor = float(data["torque"].sel(flange="motor/in")[-1])
    assert on_motor == pytest.approx(-(30.0 + 2.0) / ratio / 0.9, rel=1e-12)
    assert float(data["speed"].sel(body="out")[-1]) == pytest.approx(-50.0 / ratio, rel=1e-14)
    assert float(data["energy_lost"].sel(part="mesh")[-1]) == pytest.approx(0.1 * -on_motor * 50.0 * 0.1, rel=1e-9)
    assert math.isclose(float(data["energy_missing"][-1]), 0.0, abs_tol=1e-9)


def test_a_clutch_that_closes_and_opens_tells_when_it_is_free():
    """Its signal rises from zero and falls to it: both are events, between which it slides."""
    signal = ((0.0, 0.0), (1e-4, 0.0), (2e-4, 1.0), (3e-4, 0.0))
    clutch = Clutch(name="c1", between=("motor_shaft", "s0"), normal_force=10.0, friction=1.0, signal=signal)
    parts = (behind_a_clutch().parts[0], clutch)
    analysis = ag.DynamicAnalysis(duration=4e-4, output_every=1e-5, mesh_damping_ratio=0.1)
    data = ag.run(behind_a_clutch(parts=parts, analysis=analysis)).dataset
    found = [one for one in events(data) if one.switch == "c1"]
    assert [(one.before, one.after) for one in found] == [(2, -1), (-1, 2)]
    np.testing.assert_allclose([one.time for one in found], [1e-4, 3e-4], rtol=1e-12)  # round-off of stops
    modes = data["mode"].sel(switch="c1").values
    between = (data["time"].values > 1.05e-4) & (data["time"].values < 2.95e-4)
    assert (modes[between] == -1).all()
    assert (modes[~between] == 2).all()


@pytest.mark.parametrize("kind", ["static", "modal"])
def test_what_is_locked_and_left_out_at_rest_is_said(kind):
    analysis = ag.MachineStatic(positions_per_pitch=2) if kind == "static" else ag.ModalAnalysis(n_modes=2)
    load = TorqueLoad(name="machine", shaft="s2", torque=60.0, inertia=0.02)
    warnings = ag.run(behind_a_clutch(loads=(load,), analysis=analysis)).summary["warnings"]
    few = ["positions_per_pitch = 2"] if kind == "static" else []
    assert [one.split(":")[0] for one in warnings] == [*few, "c1", "driven, second"]


def test_a_drive_of_a_body_is_not_in_the_picture_of_the_gearbox():
    """A body that only turns has no place in space."""
    shape = machine_shape(behind_a_clutch().layout, {"motor": [0.0]})
    assert (shape["drives"], list(shape["loads"])) == ({}, ["machine"])


@pytest.mark.parametrize("place", ["s2@.mm", "s2@1e999mm", "s2@--3mm", "s2@mm"])
def test_a_position_that_is_no_number_is_no_place(place):
    with pytest.raises(Fault, match=r"shaft of driven = .* must be one of "):
        behind_a_clutch(parts=(*behind_a_clutch().parts[:2], BearingFriction(name="driven", at=place, torque=20.0)))


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "a/b"])
def test_a_name_that_files_cannot_hold_is_refused(name):
    with pytest.raises(Fault, match="name of a part"):
        behind_a_clutch(parts=(*behind_a_clutch().parts, BearingFriction(name=name, at="s1", torque=1.0)))
