"""Machines whose shafts turn in rolling bearings: equilibria, modes, motions, what results tell."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_machines import COARSE

import alegear as ag
from alegear import cli
from alegear.case.faults import CaseFaults
from alegear.case.from_file import case_from_file
from alegear.case.machine import MachineCase
from alegear.checks.machine_data import machine_data
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.gear_mass import GearMass
from alegear.drivetrain.rolling import rolling_kernels as kernels
from alegear.drivetrain.rolling.element import contacts_at
from alegear.errors import Fault, NonConvergence
from alegear.progress import Silent
from alegear.signals.envelope import envelope_spectrum
from alegear.signals.signal import Signal
from alegear.studies.mesh_damping import STIFFNESS_POSITIONS
from alegear.studies.meshes import machine_of
from alegear.studies.preparation import prepare_meshes

EXAMPLE = Path(__file__).resolve().parents[2] / "meshes" / "bearing_defect.toml"
GRAVITY = 9.81
STATIC = ag.MachineStatic(positions_per_pitch=2)


def machine(fidelity: str = "elastic", *, clearance: float = 20e-6, **of_mesh) -> ag.Machine:
    """A spur pair 20/30 on two shafts, each in a roller and a ball bearing."""
    m = ag.Machine("in rolling bearings", gravity=(0.0, -GRAVITY, 0.0))
    options = COARSE if fidelity == "flexible" else None
    for name, at, gear, z in (("in", 0.0, "p", 20), ("out", 0.1, "w", 30)):
        m.add(name, ag.Shaft(sections=[(0.2, 0.03, 0.0)], position=(at, 0.0, 0.0), highest_mode=2.0 * math.pi * 8000.0))
        made = ag.Gear(z=z, m_n=4e-3, b=20e-3, bore_diameter=30e-3, thickness_allowance=40e-6)
        m.add(gear, ag.ShaftGear(gear=made, shaft=name, at=0.1, grid_options=options))
        pitch = {"diameter": 8e-3, "pitch_diameter": 40e-3, "clearance": clearance}
        m.add(
            f"{name}_r",
            ag.RollerBearing(shaft=name, at=0.02, count=12, length=8e-3, damping=(200.0, 200.0, 0.0), **pitch),
        )
        m.add(f"{name}_b", ag.BallBearing(shaft=name, at=0.18, count=9, damping=(200.0, 200.0, 100.0), **pitch))
    m.mesh("mesh", "p", "w", fidelity=fidelity, **of_mesh)
    m.add("motor", ag.Drive(shaft="in", speed=60.0))
    m.add("brake", ag.TorqueLoad(shaft="out", at=0.2, torque=50.0))
    return m


def weight(case: MachineCase, shaft: str, wheels: Mapping[str, GearMass]) -> float:
    """Of a shaft with its gear [N], by its grid where it has one."""
    gear = next(one for one in case.gears if one.shaft == shaft)
    steel = gear.material.rho * 0.25 * math.pi * 0.03**2 * 0.2
    return GRAVITY * (steel + wheels.get(gear.name, gear.rigid_body).mass)


@pytest.mark.parametrize(
    "fidelity",
    ["rigid", "lossy", "elastic", *(pytest.param(law, marks=pytest.mark.slow) for law in ("teeth", "flexible"))],
)
def test_bearings_carry_mesh_force_and_weight(fidelity):
    losses = {"losses": 0.98} if fidelity == "lossy" else {}
    m = machine(fidelity, **losses)
    case = m.case(STATIC)
    wheels = machine_of(case, prepare_meshes(case, Silent(), lambda: None, fields=False)).wheels
    data = ag.run(case).dataset
    carried = data.bearing_force.values
    for side, (shaft, sense) in enumerate((("in", 1.0), ("out", -1.0))):
        outside = sense * data.mesh_force.sel(mesh="mesh").values
        outside[:, 1] -= weight(case, shaft, wheels)
        # 1e-6: tolerance of the equilibrium, of the largest moment
        assert carried[:, 2 * side : 2 * side + 2].sum(axis=1)[:, :2] == pytest.approx(
            outside[:, :2], rel=1e-6, abs=1e-3
        )
    report_status = data.sel(rolling_bearing="out_b")
    found = ag.roller_loads(data, case.bearings[3])
    assert found.shape == (2, 9)
    assert found.max("roller").values == pytest.approx(report_status.largest_roller_load.values, rel=1e-12)
    gamma = 8.0 / 40.0
    assert report_status.cage_angle.values == pytest.approx(
        0.5 * (1.0 - gamma) * report_status.ring_angle.sel(ring="inner").values
    )
    assert not report_status.ring_angle.sel(ring="outer").values.any()
    with pytest.raises(Fault, match="nothing"):
        ag.roller_loads(data, replace(case.bearings[3], name="nothing"))
    # the ring rests beyond half of its clearance, by the approach of its rollers
    away = np.hypot(*report_status.ring_displacement.values.T[:2])
    assert (away > 10e-6).all()
    assert (away < 20e-6).all()


@pytest.mark.parametrize("clearance", [-4e-6, 0.0, 60e-6, pytest.param(400e-6, marks=pytest.mark.thorough)])
def test_equilibria_are_found_in_any_play(clearance):
    data = ag.run(machine(clearance=clearance).case(STATIC)).dataset
    assert (data.largest_roller_load.values > 50.0).all()


def test_modes_are_those_on_the_tangents_of_the_loaded_bearings():
    """In place of each bearing a linear one, whose stiffness is differenced here from its forces at the equilibria."""
    case = machine().case(ag.ModalAnalysis(n_modes=6))
    modes = ag.run(case).dataset
    data = ag.run(replace(case, analysis=ag.MachineStatic(positions_per_pitch=STIFFNESS_POSITIONS))).dataset
    linear = []
    for one in case.bearings:
        report_status = data.sel(rolling_bearing=one.name)
        y = np.hstack(
            [report_status.ring_displacement.values, report_status.ring_tilt.values, report_status.ring_angle.values]
        )
        K = np.zeros((5, 5))
        for k, h in enumerate((1e-10, 1e-10, 1e-10, 1e-9, 1e-9)):
            step = h * np.eye(7)[k]
            apart = [contacts_at(one.tables, z + step)[1] - contacts_at(one.tables, z - step)[1] for z in y]
            K[:, k] = np.mean(apart, axis=0)[:5] / (2.0 * h)
        linear.append(
            Bearing(name=one.name, shaft=one.shaft, at=one.at, stiffness=0.5 * (K + K.T), damping=one.damping)
        )
    again = ag.run(replace(case, bearings=tuple(linear))).dataset
    assert modes.frequency.values == pytest.approx(again.frequency.values, rel=1e-5)  # of the differences


def test_a_motion_keeps_its_energy_and_tells_of_its_bearings():
    case = machine().case(ag.DynamicAnalysis(duration=0.01, output_every=1e-4, tolerance=1e-5))
    result = ag.run(case)
    data = result.dataset
    balance = data.energy_input - data.energy_kinetic - data.energy_elastic - data.energy_dissipated
    assert float(np.abs(balance - balance[0]).max()) < 1e-5 * float(data.energy_elastic.max())
    assert float(data.energy_dissipated[-1]) > 0.0
    turned = data.cage_angle.sel(rolling_bearing="in_r").values
    speed = (turned[-1] - turned[0]) / float(data.time[-1])
    assert speed == pytest.approx(0.5 * (1.0 - 0.2) * 60.0, rel=1e-3)  # vibration of the shaft beside
    assert "seat_acceleration" not in data
    assert result.summary["warnings"] == []


def test_a_step_that_defects_slip_through_is_warned_of():
    pit = ag.BearingDefect(on="outer ring", width=1e-3, depth=5e-6)
    case = machine().case(ag.DynamicAnalysis(duration=1e-3, output_every=1e-4, time_step=1e-4))
    first, *others = case.bearings
    case = replace(case, bearings=(replace(first, defects=(pit,)), *others))
    assert any("pass a defect" in warning for warning in ag.run(case).summary["warnings"])


# ------------------------------------------------------------------- the example
def example(on: str | None, factor: float, **analysis) -> MachineCase:
    """The delivered case with its pit elsewhere, at as many times the speed."""
    case = case_from_file(EXAMPLE)
    rollers, *others = case.bearings
    (pit,) = rollers.defects
    rollers = replace(rollers, defects=() if on is None else (replace(pit, on=on),))
    drives = tuple(replace(one, speed=factor * one.speed) for one in case.drives)
    return replace(case, bearings=(rollers, *others), drives=drives, analysis=replace(case.analysis, **analysis))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("on", "key", "duration"),
    # a pit of a roller is struck while the cage takes it through the load: sidebands of the cage are to be told apart
    [
        pytest.param("outer ring", "outer_race", 0.1, marks=pytest.mark.thorough),  # scripts/bearing_defect.py
        pytest.param("inner ring", "inner_race", 0.1, marks=pytest.mark.thorough),
        pytest.param("roller", "roller", 0.2, marks=pytest.mark.thorough),
    ],
)
def test_defects_are_heard_in_the_example(on, key, duration):
    """600 rpm times five: the line of each defect in the envelope of the acceleration of its seat, to 0.5 %."""
    case = example(on, 5.0, duration=duration)
    data = ag.run(case).dataset
    expected = case.bearings[0].frequencies(case.drives[0].speed)[key]
    record = data.seat_acceleration.sel(moving_seat="lower_rollers", axis="y")
    signal = Signal.recorded(data.time.values, record.values, units="m/s2").between(0.01, duration)
    lines = envelope_spectrum(signal, (1000.0, 6000.0)).lines(most=200, least=1e-3)
    near = [line for line in lines if abs(line.x / expected - 1.0) < 0.06]
    strongest = max(near, key=lambda line: line.amplitude)
    assert strongest.x == pytest.approx(expected, rel=5e-3)
    assert strongest.amplitude > 0.1 * lines[0].amplitude


def test_passages_are_where_a_roller_unloads():
    """Over the pit in the load zone the roller there carries least between two that carry as before."""
    case = example("outer ring", 1.0)
    bearing = case.bearings[0]
    time = np.linspace(0.0, 0.1, 4001)
    angles = np.stack([-case.drives[0].speed * time, 0.0 * time], axis=1)
    at = bearing.passages(time, angles)
    assert np.diff(at) == pytest.approx(1.0 / bearing.frequencies(case.drives[0].speed)["outer_race"], rel=1e-6)
    pit = bearing.defects[0].at
    y = np.zeros(kernels.N_Y)
    y[:2] = 30e-6 * math.cos(pit), 30e-6 * math.sin(pit)
    sound = replace(bearing, defects=())
    for t in at:
        y[kernels.INNER] = -case.drives[0].speed * t
        lost = sound.roller_loads(y) - bearing.roller_loads(y)
        azimuth = sound.kinematics.cage_angle(y[5], 0.0) + 2.0 * math.pi * np.arange(12) / 12
        assert math.cos(azimuth[int(lost.argmax())] - pit) == pytest.approx(1.0, abs=1e-9)
        assert (np.sort(lost[0])[:-1] == 0.0).all()


# --------------------------------------------------------------------- the file
def edited(**changes) -> MachineCase:
    """The example with other keys in its roller bearing; None leaves one out."""
    tables = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    table = tables["bearings"]["lower_rollers"]
    for key, value in changes.items():
        if value is None:
            del table[key]
        else:
            table[key] = value
    return MachineCase.from_tables(tables, EXAMPLE)


def test_a_file_and_python_say_the_same():
    case = edited()
    rollers, balls = case.bearings[:2]
    again = (
        ag.RollerBearing(
            name="lower_rollers",
            shaft="lower",
            at=20e-3,
            to="left@seat",
            count=12,
            diameter=10e-3,
            length=10e-3,
            pitch_diameter=54e-3,
            clearance=15e-6,
            damping=[1500.0, 1500.0, 0.0, 0.0, 0.0],
            defects=(ag.BearingDefect(on="outer ring", at=math.radians(-69.0), width=2e-3, depth=30e-6),),
        ),
        replace(balls, contact_angle=0.0),
    )
    assert replace(case, bearings=(*again, *case.bearings[2:])).sha256 == case.sha256
    assert replace(case, bearings=(replace(rollers, clearance=16e-6), *case.bearings[1:])).sha256 != case.sha256
    assert (rollers.defects[0].on, balls.count) == ("outer ring", 9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stiffness_N_per_m": [1e8, 1e8, 0.0]}, "is a key of bearings with stiffness_N_per_m only"),
        ({"contact_angle_deg": 15.0}, "contact_angle_deg = 15.0: is a key of bearings with balls only"),
        ({"balls": 9}, "lower_rollers.balls = 9: is a key of bearings with balls only"),
        ({"roller_length_mm": None}, "give the effective length of a roller"),
        ({"rollers": 3}, "at least 4"),
        ({"clearance_um": -300.0}, "beyond 4000 MPa"),
        ({"pitch_diameter_mm": 30.0}, "12 rollers side by side"),
        ({"defects": [{"on": "cage", "width_mm": 1.0, "depth_um": 1.0}]}, "defects[0].on"),
        ({"defects": [{"on": "outer ring", "width_mm": 20.0, "depth_um": 1.0}]}, "pitch of 12 rollers"),
        ({"defects": [{"on": "roller", "width_mm": 2.0, "depth_um": 1.0, "roller": 13}]}, "at most 12"),
        ({"rollers": None}, "roller_diameter_mm = 10.0: is a key of bearings with rollers only"),
    ],
)
def test_what_a_file_is_refused_for(changes, message):
    with pytest.raises(CaseFaults) as refused:
        edited(**changes)
    assert message in str(refused.value)


def test_a_shaft_that_is_torsional_has_no_rolling_bearing():
    m = machine()
    case = m.case(STATIC)
    shafts = (replace(case.shafts[0], fixed_axis=True, sections=(), highest_mode=None), case.shafts[1])
    with pytest.raises(Fault, match="shaft in = fixed axis and bearing"):
        replace(case, shafts=shafts)


def test_what_holds_a_shaft_along_its_axis_is_missed():
    """Cylindrical rollers do not."""
    case = machine().case(STATIC)
    rollers = [one for one in case.bearings if isinstance(one, ag.RollerBearing)]
    bearings = [replace(rollers[0 if one.shaft == "in" else 1], name=one.name, at=one.at) for one in case.bearings]
    with pytest.raises((Fault, NonConvergence), match="what holds the z of out@0mm = nothing"):
        replace(case, bearings=tuple(bearings))


def test_check_tells_stiffness_and_frequencies(capsys):
    assert cli.main(["check", str(EXAMPLE)]) == 0
    assert "48.8889" in capsys.readouterr().out
    told = machine_data(case_from_file(EXAMPLE))["bearings"]["lower_rollers"]
    assert told["outer_race_Hz"] == pytest.approx(10.0 * 6.0 * (1.0 - 10.0 / 54.0))
    assert told["stiffness_N_per_m"][0] == pytest.approx(told["stiffness_N_per_m"][1], rel=1e-2)
    assert told["stiffness_N_per_m"][2] == 0.0
