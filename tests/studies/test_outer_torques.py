"""Torques from outside with teeth in contact: counted where a motion begins, and a load by themselves."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from families import mostly_thorough
from planetary_case import SET
from small_machines import one_stage

import alegear as ag
from alegear.case.analysis import MachineStatic
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import MachineCase
from alegear.drivetrain.laws.lossy import Lossy
from alegear.drivetrain.parts import Drive, TorqueLoad
from alegear.errors import Fault
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import prepare_meshes
from alegear.studies.static import StaticStudy

TORQUE, SPEED, TEETH = 300.0, 100.0, (20, 30)
BRAKED = SPEED * TEETH[0] / TEETH[1]  # rad/s of the load, against the direction of its shaft
SHORT = DynamicAnalysis(duration=1e-4, output_every=1e-5)
LAWS = ("rigid", "lossy", "elastic", "teeth", "flexible")


def machine(fidelity, *, load=None, parts=(), analysis=SHORT, **given):
    """A helical stage driven at 100 rad/s, its only loads as given."""
    lossy = fidelity == "lossy"
    case = one_stage(
        fidelity="rigid" if lossy else fidelity,
        rigid=True,
        drives=given.pop("drives", (Drive(name="motor", shaft="in", speed=SPEED),)),
        loads=() if load is None else (TorqueLoad(name="machine", shaft="out", at=120e-3, torque=load),),
        parts=tuple(parts),
        analysis=analysis,
        **given,
    )
    return replace(case, meshes=(replace(case.meshes[0], law=Lossy(mesh_efficiency=0.98)),)) if lossy else case


def of_function(function, at="out@120mm"):
    return ag.TorqueFunction(name="brake", at=(at,), function=lambda t, angles, speeds: [function(t, speeds[0])])


#: Loads of 300 N m at the start against the rotation of the driven shaft, which turns backwards about its direction.
LOADS = {
    "function": [of_function(lambda t, speed: TORQUE)],
    "function of the speed": [of_function(lambda t, speed: -TORQUE * speed / BRAKED)],
    "source and function": [
        ag.TorqueSource(name="fan", at="out@120mm", torque=[[0.0, 500.0], [1.0, 500.0]]),
        of_function(lambda t, speed: -200.0),
    ],
    "governor": [
        ag.SpeedGovernor(
            name="brake", at="out@120mm", speed=-BRAKED, proportional=0.0, integral=1e-9, torque=TORQUE
        )
    ],
    "resistance": [ag.Resistance(name="fan", at="out@120mm", linear=TORQUE / BRAKED)],
}  # fmt: skip


def started(case):
    prepared = prepare_meshes(case, Silent(), lambda: None, fields=False)
    study = DynamicStudy(case, prepared)
    return study, study._start


def forces(study):
    """Forces of shafts on bearings [N], and those of the mesh."""
    study.run(Silent())
    values = study.history().samples
    return values.read("bearing_force"), values.read("mesh_force")


@pytest.mark.parametrize("fidelity", mostly_thorough(LAWS, always=lambda law: law != "flexible"))
def test_a_torque_from_outside_is_a_load_like_any_other(fidelity):
    """Start, and motion from it, are those of a plain load, whoever exerts the torque."""
    plain, (x, v) = started(machine(fidelity, load=TORQUE))
    for parts in LOADS.values():
        study, (own_x, own_v) = started(machine(fidelity, parts=parts))
        assert study.layout.torque["motor"] == pytest.approx(TORQUE * TEETH[0] / TEETH[1], rel=1e-12)
        assert np.allclose(own_x, x, rtol=0.0, atol=1e-9 * abs(x).max())
        assert np.allclose(own_v, v, rtol=0.0, atol=1e-9 * abs(v).max())
    study, _ = started(machine(fidelity, parts=LOADS["function"]))
    for own, expected in zip(forces(study), forces(plain), strict=True):
        assert np.allclose(own, expected, rtol=0.0, atol=1e-9 * abs(expected).max())


def test_bearings_of_a_load_by_function_are_those_of_statics():
    """F_t = T/r_w, F_r = F_t tan(alpha_wt), F_a = F_t tan(beta) at 40 of 100 mm, the thrust on the first bearing."""
    study, _ = started(machine("rigid", parts=LOADS["function"]))
    pair, found = study.layout.meshes[0].pair, forces(study)[0][0]
    tangential = TORQUE / (0.5 * pair.d_w[1])
    radial, thrust = tangential * math.tan(pair.alpha_wt), tangential * math.tan(pair.pinion.beta)
    expected = []
    for sign, d_w in zip((-1.0, 1.0), pair.d_w, strict=True):  # both thrusts tilt their shafts the same way
        tilting = thrust * 0.5 * d_w / 0.1
        expected += [
            [sign * 0.6 * radial + tilting, sign * 0.6 * tangential, -sign * thrust],
            [sign * 0.4 * radial - tilting, sign * 0.4 * tangential, 0.0],
        ]
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * tangential)


@pytest.mark.parametrize("fidelity", LAWS)
def test_positions_are_under_torques_from_outside(fidelity):
    """A static study of a machine whose one load is a function is that of the plain load."""
    still = MachineStatic(positions_per_pitch=2)
    found = []
    for given in ({"load": TORQUE}, {"parts": LOADS["function"]}):
        study = StaticStudy(
            case := machine(fidelity, analysis=still, **given),
            prepare_meshes(case, Silent(), lambda: None, fields=False),
        )
        study.run(Silent())
        found.append(study.history().samples.read("bearing_force"))
    assert np.allclose(found[1], found[0], rtol=0.0, atol=1e-9 * abs(found[0]).max())


@pytest.mark.parametrize("fidelity", ["teeth", pytest.param("flexible", marks=pytest.mark.thorough)])
def test_what_begins_without_load_begins_where_flanks_touch(fidelity):
    """A function of time, and one of the speed in a run-up, are 0 at first; so does a plain load over time begin."""
    rising = [of_function(lambda t, speed: TORQUE * min(t / 1e-4, 1.0))]
    table = ((0.0, 0.0), (1e-4, TORQUE))
    case = machine(fidelity, load=TORQUE)
    case = replace(case, loads=(TorqueLoad(name="machine", shaft="out", at=120e-3, torque_table=table),))
    _, (x, v) = started(case)
    _, (own_x, own_v) = started(machine(fidelity, parts=rising))
    assert np.allclose(own_x, x, rtol=0.0, atol=1e-9 * abs(x).max())
    assert np.allclose(own_v, v, rtol=0.0, atol=1e-9 * abs(v).max())
    _, (_, own_v) = started(machine(fidelity, parts=LOADS["resistance"], analysis=replace(SHORT, ramp=5e-5)))
    assert not own_v.any()


def test_a_planetary_set_begins_under_a_function():
    """On Hertz teeth between a drive and a carrier of whose load a function is half: start as with the plain load."""
    case = MachineCase.from_tables(tomllib.loads(SET), Path("set.toml"))
    (load,) = case.loads
    brake = ag.TorqueFunction(name="brake", at=("carrier",), function=lambda t, angles, speeds: [-0.5 * load.torque])
    by_function = replace(case, loads=(replace(load, torque=0.5 * load.torque),), parts=(*case.parts, brake))
    (x, v), (own_x, own_v) = (DynamicStudy(one, {})._start for one in (case, by_function))
    assert np.allclose(own_x, x, rtol=0.0, atol=1e-9 * abs(x).max())
    assert np.allclose(own_v, v, rtol=0.0, atol=1e-9 * abs(v).max())


REFUSED = {
    "of the wrong shape": (
        {"parts": [ag.TorqueFunction(name="brake", at=("out",), function=lambda t, x, v: [1.0, 2.0])]},
        r"torques of brake at t = 0 s = shape \(2,\): must be 1 number, for each place; correct the function",
    ),
    "no number": (
        {"parts": [of_function(lambda t, speed: math.nan)]},
        r"torques \[N m\] of brake at t = 0 s, angles .*0 rad and speeds .* rad/s = nan: must be numbers from",
    ),
    "nothing at all": ({"parts": [of_function(lambda t, speed: 0.0)]}, "that mesh mesh carries = 0.0: must be not 0"),
    "on other flanks at first": (
        {"load": TORQUE, "parts": [of_function(lambda t, speed: -20.0)], "analysis": replace(SHORT, ramp=5e-5)},
        "torque .* of mesh mesh at the start, of 186.7 later on = -13.33: must be 0 or of the same sign",
    ),
    "nothing that loads": ({}, "loads of the machine = 0: must be at least 1"),
    "a spring between": (
        {"parts": [ag.Rotor1D(name="fan", inertia=0.1), ag.Spring(name="s", between=("out", "fan"), stiffness=1e5)]},
        "loads of drive motor = 0: must be at least 1: its torque finds no reaction; add a load, or a part",
    ),
    "a controller that samples": (
        {
            "parts": [
                ag.TorqueSource(name="brake", at="out", torque=ag.Input(name="u")),
                ag.Controller(name="hold", interval=1e-5, sets={"u": TORQUE}, function=lambda now, memory: {}),
            ]
        },
        "controller hold = given: must be left out: it samples motions of torsional parts",
    ),
    "a speed that is not given": (
        {
            "parts": LOADS["resistance"],
            "drives": (Drive(name="motor", shaft="in"),),
            "analysis": MachineStatic(positions_per_pitch=2),
        },
        "speed of drive motor = not given: must be given: fan depends on it; give speed_rpm",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_torques_from_outside_are_refused_by_name(what):
    """Quantity, value, limit and remedy in place of an iteration that does not end."""
    given, words = REFUSED[what]
    with pytest.raises(Fault, match=words):
        started(machine("flexible", **given))
