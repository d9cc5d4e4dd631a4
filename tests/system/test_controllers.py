"""Sampled controllers and the inputs that they set, against recursions by hand and against signals over time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_trains import events_of, missing, moved

import alegear as ag
from alegear.drivetrain.rotational.compiled_ode import CompiledOde
from alegear.drivetrain.rotational.friction import BearingFriction, Clutch
from alegear.drivetrain.rotational.sources import TorqueSource
from alegear.recording.ode_motion import OdeMotion
from alegear.system import Rotor1D, SystemBuilder
from alegear.system.controllers import Controller, Ramp
from alegear.system.inputs import Input, Inputs
from alegear.system.ode import SystemOde
from alegear.system.time_integration.sundials import Cvode


def governor(interval: float = 0.02, **changes) -> Controller:
    """A proportional controller of the speed of a disk."""
    given = {
        "name": "governor",
        "interval": interval,
        "reads": ("disk",),
        "sets": {"torque": 0.0},
        "function": lambda now, memory: {"torque": 3.0 * (10.0 - now.speed["disk"])},
    }
    return Controller(**{**given, **changes})


def driven(*parts):
    """A disk with a torque that is an input."""
    disk = Rotor1D(name="disk", inertia=0.5)
    return (disk, TorqueSource(name="motor", at="disk", torque=Input(name="torque")), *parts)


# ---------------------------------------------------------------------------------------------------------- inputs
def test_an_input_goes_in_straight_lines_and_remembers_its_way() -> None:
    inputs = Inputs({"a": 2.0})
    inputs.set(0, 1.0, 4.0, 3.0)  # 2 at 1 to 4 at 3
    assert [inputs.value(0, t) for t in (0.0, 1.0, 2.0, 3.0, 9.0)] == [2.0, 2.0, 3.0, 4.0, 4.0]
    assert inputs.next_corner(0.0) == 1.0
    assert inputs.next_corner(1.0) == 3.0
    inputs.set(0, 2.0, 0.0, 2.0)  # on its way it falls to nothing
    assert inputs.value(0, np.nextafter(2.0, 0.0)) == pytest.approx(3.0, abs=1e-15)
    assert inputs.value(0, 2.0) == 0.0
    assert inputs.jumps(0, 2.0)
    assert not inputs.jumps(0, 1.0)
    assert inputs.next_corner(2.0) == math.inf
    inputs.forget(2.0)
    assert [inputs.value(0, t) for t in (2.0, 5.0)] == [0.0, 0.0]


def test_what_an_input_is_does_not_change_by_forgetting() -> None:
    """Random ways, against a table of all that was set."""
    random = np.random.default_rng(3)
    inputs, way = Inputs({"a": 0.5}), [(0.0, 0.5)]
    t = 0.0
    for _ in range(500):
        t += random.uniform(0.1, 1.0)
        now = float(np.interp(t, *zip(*way, strict=True)))
        way = [(time, value) for time, value in way if time <= t] + [(t, now)]
        way.append((t + random.uniform(0.1, 2.0), random.uniform(-1.0, 1.0)))
        inputs.set(0, t, way[-1][1], way[-1][0])
        if random.random() < 0.2:
            inputs.forget(t)
        for later in random.uniform(0.0, 3.0, 3):
            # round-off of slopes over intervals of 0.1
            assert inputs.value(0, t + later) == pytest.approx(np.interp(t + later, *zip(*way, strict=True)), abs=1e-11)
    assert inputs.count[0] < 40


# ------------------------------------------------------------------------------------------------------ controllers
@pytest.mark.parametrize("interval", [0.02, 0.1, 0.3])
def test_a_sampled_governor_follows_its_recursion(interval: float) -> None:
    """J dw = T (u_k + u_k+1)/2, with u_k+1 = 3 (10 - w_k): exact for a torque of straight lines."""
    data = moved(*driven(governor(interval)), duration=3.0, output_every=interval, tolerance=1e-12).dataset
    w, u = 0.0, 0.0
    speeds, torques = [], []
    for _ in range(len(data.time)):
        speeds.append(w)
        torques.append(u)
        after = 3.0 * (10.0 - w)
        w, u = w + interval * 0.5 * (u + after) / 0.5, after
    # a hundred samples of steps of 1e-12
    np.testing.assert_allclose(data.speed.sel(body="disk"), speeds, rtol=0.0, atol=1e-8 * np.abs(speeds).max())
    np.testing.assert_allclose(
        data.input_value.sel(input="torque"), torques, rtol=0.0, atol=1e-8 * np.abs(torques).max()
    )


def test_memories_belong_to_runs() -> None:
    """A controller that integrates gives the same to the last bit each time."""

    def integral(now, memory):
        memory["sum"] = memory.get("sum", 0.0) + 10.0 - now.speed["disk"]
        return {"torque": memory["sum"]}

    machine = ag.Machine()
    for part in driven(governor(function=integral)):
        machine.add(part.name, part)
    first, second = (machine.run(duration=1.0).dataset for _ in range(2))
    assert (first.speed.values == second.speed.values).all()
    assert float(first.speed[-1, 0]) > 1.0


def closing(signal, *parts, **disk):
    """Two disks with a clutch; the first is turned back while it is open."""
    return (
        Rotor1D(name="disk", inertia=0.5, speed=4.0),
        Rotor1D(name="load", inertia=1.0),
        BearingFriction(name="bearing", at="load", torque=1.0),
        Clutch(name="clutch", between=("disk", "load"), normal_force=20.0, signal=signal),
        TorqueSource(name="brake", at="disk", torque=-4.0),
        *parts,
    )


@pytest.mark.parametrize("over", [0.0, 0.25])
def test_a_clutch_closed_by_a_controller_is_one_closed_by_a_table(over: float) -> None:
    """While it is open the relative speed changes its sign: the modes are chosen anew where it closes, 0.2 s later."""

    def close(now, memory):
        if now.t >= 0.7 - 1e-9 and not memory:
            memory["closed"] = True
            return {"pressure": Ramp(value=1.0, over=over)}
        return {}

    shifter = Controller(name="shifter", interval=0.1, sets={"pressure": 0.0}, function=close)
    by_input = moved(*closing(Input(name="pressure"), shifter), duration=2.0)
    by_table = moved(*closing([[0.7, 0.0], [0.7 + over, 1.0]]), duration=2.0)
    assert [one[1:] for one in events_of(by_input)] == [one[1:] for one in events_of(by_table)]
    times = [[one[0] for one in events_of(result)] for result in (by_input, by_table)]
    left = next(t for t, switch, _, _ in events_of(by_input) if switch == "bearing")
    # 10 N m of the clutch come to 1 N m of the bearing after a tenth of the ramp; the tolerance of times is the slack
    assert left == pytest.approx(0.7 + 0.1 * over, abs=1e-9)
    # tolerance of a step over the least acceleration of a relative speed
    np.testing.assert_allclose(times[0], times[1], atol=1e-8)
    np.testing.assert_allclose(by_input.dataset.speed, by_table.dataset.speed, atol=1e-7)
    assert missing(by_input) < 1e-8  # as every motion


def test_compiled_and_plain_motion_are_the_same() -> None:
    def both(now, memory):
        pressure = 0.5 + 0.5 * math.sin(3.0 * now.t)
        return {"torque": 3.0 * (10.0 - now.speed["disk"]), "pressure": pressure if now.t > 0.5 else 0.0}

    parts = (
        *driven(Rotor1D(name="load", inertia=1.0), BearingFriction(name="bearing", at="load", torque=1.0)),
        Clutch(name="clutch", between=("disk", "load"), normal_force=20.0, signal=Input(name="pressure")),
        governor(sets={"torque": 0.0, "pressure": 0.0}, function=both),
    )
    model = SystemBuilder().add(*parts).build()
    found = []
    for kind in (SystemOde, CompiledOde):
        motion = OdeMotion(kind(model), Cvode(tolerance=1e-10, longest=0.1), np.linspace(0.0, 1.2, 61))
        found.append(motion.run(np.zeros(2), np.zeros(2)))
    plain, compiled = found
    assert [(e.before.tolist(), e.after.tolist()) for e in plain.events] == [
        (e.before.tolist(), e.after.tolist()) for e in compiled.events
    ]
    np.testing.assert_allclose([e.t for e in plain.events], [e.t for e in compiled.events], atol=1e-9)
    # sums in another order
    np.testing.assert_allclose(plain.samples.v, compiled.samples.v, atol=1e-8)


def test_several_controllers_whose_times_meet() -> None:
    """Three intervals and ramps that end where the others sample, to round-off: each acts as often as it should."""
    taken: dict[str, list[float]] = {"a": [], "b": [], "c": []}

    def counts(name, over):
        def function(now, memory):
            taken[name].append(now.t)
            return {name: Ramp(value=math.sin(17.0 * now.t), over=over)}

        return function

    controllers = [
        Controller(name=f"controller {one}", interval=interval, sets={one: 0.0}, function=counts(one, over))
        for one, interval, over in (("a", 0.1, 0.1), ("b", 0.3, 0.2), ("c", 0.07, 0.05))
    ]
    sources = [TorqueSource(name=f"torque {one}", at="disk", torque=Input(name=one)) for one in "abc"]
    result = moved(Rotor1D(name="disk", inertia=1.0), *sources, *controllers, duration=2.1)
    assert [len(taken[one]) for one in "abc"] == [21, 7, 30]
    np.testing.assert_allclose(taken["b"], 0.3 * np.arange(7), atol=1e-11)  # twice the slack of times
    assert missing(result) < 1e-8


def test_a_controller_sees_the_inputs_of_others() -> None:
    seen = []

    def watch(now, memory):
        seen.append(now.inputs["torque"])
        return {"seen": now.inputs["torque"]}

    watcher = Controller(name="watcher", interval=0.1, sets={"seen": 0.0}, function=watch)
    data = moved(*driven(governor(0.1), watcher), duration=1.0, output_every=0.1).dataset
    np.testing.assert_allclose(seen, data.input_value.sel(input="torque")[:-1], atol=1e-9)


# ---------------------------------------------------------------------------------------------------------- faults
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"reads": ("dsk",)}, 'controller governor reads = "dsk".*name one of disk'),
        ({"reads": "disk"}, "put them in brackets"),
        ({"interval": 0.0}, "interval between samples"),
        ({"interval": 2.0}, "controller governor.*at most 1"),
        ({"sets": {"torque": math.nan}}, "input torque of governor at the start"),
        ({"sets": {}}, "inputs that governor sets"),
        ({"sets": {"other": 0.0}}, 'input of motor = "torque".*name one that is set: other'),
    ],
)
def test_wrong_controllers_are_refused(changes, said: str) -> None:
    with pytest.raises(ag.Fault, match=said):
        moved(*driven(governor(**changes)), duration=1.0)


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ({"torque": math.nan}, "governor at t = 0.5 s: torque = nan: must be a finite number"),
        ({"torque": "full"}, "torque = 'full'"),
        ({"torque": None}, "torque = None"),
        ({"throttle": 1.0}, 'sets "throttle": must be one of torque'),
        ({"torque": Ramp(value=1.0, over=-1.0)}, "-1.0: must be a time in s, not negative"),
        ({"torque": Ramp(value=math.inf, over=1.0)}, "torque = inf"),
    ],
)
def test_wrong_answers_stop_the_motion_and_name_the_controller(response, said: str) -> None:
    wrong = governor(0.1, function=lambda now, memory: response if now.t > 0.45 else {})
    with pytest.raises(ag.AnalysisFailure, match=said):
        moved(*driven(wrong), duration=1.0)


def test_two_controllers_do_not_set_one_input() -> None:
    with pytest.raises(ag.Fault, match="controllers that set torque = governor, second"):
        moved(*driven(governor(), governor(name="second")), duration=1.0)


def test_an_input_needs_a_motion() -> None:
    with pytest.raises(ag.Fault, match="input torque = no value"):
        Input(name="torque").value(0.0)
    with pytest.raises(ag.Fault, match="name of an input"):
        Input(name=" ")


def test_a_machine_with_shafts_that_move_takes_no_inputs() -> None:
    """Controllers act in motions from event to event alone; elsewhere an input has no value, and says so."""
    model = SystemBuilder().add(*driven(governor())).build()
    with pytest.raises(ag.Fault, match=r"input torque = no value.*motions of torsional parts"):
        model.outer_force(0.0)
