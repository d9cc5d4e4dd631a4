"""Switches that others hold: stuck as results tell them, without events or losses of their own until these let go."""

from __future__ import annotations

import numpy as np
import pytest
from small_trains import missing, moved

from alegear.drivetrain.rotational.compiled_ode import CompiledOde
from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.gears import RatioGear
from alegear.drivetrain.rotational.sources import SpeedSource, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.recording.ode_motion import OdeMotion
from alegear.system import Rotor1D, SystemBuilder
from alegear.system.complementarity import reduced_system
from alegear.system.ode import SystemOde
from alegear.system.time_integration.sundials import Cvode

RELEASE = 1.0


def braked(*others):
    """A gear with losses whose first shaft a strong brake stops and holds up to RELEASE."""
    return (
        Rotor1D(name="motor", inertia=0.1, speed=20.0),
        Rotor1D(name="load", inertia=0.4, speed=10.0),
        RatioGear(name="gear", between=("motor", "load"), ratio=2.0, losses=[[0.0, 0.8, 0.7, 0.5, 0.5]]),
        Brake(name="brake", at="motor", normal_force=100.0, signal=[(RELEASE, 1.0), (RELEASE, 0.0)]),
        TorqueSource(name="weight", at="load", torque=30.0),
        *others,
    )


@pytest.mark.parametrize("kind", [SystemOde, CompiledOde])
def test_a_gear_that_a_brake_holds_is_told_stuck(kind) -> None:
    builder = SystemBuilder().add(*braked())
    model = builder.build()
    motion = OdeMotion(kind(model), Cvode(tolerance=1e-9, longest=0.02), np.linspace(0.0, 1.5, 151))
    history = motion.run(np.zeros(2), np.array([20.0, 10.0]))
    samples = history.samples
    names = [switch.name for switch in model.switches]
    gear, brake = names.index("gear losses"), names.index("brake")
    stopped = (samples.modes[:, brake] == 0) & (samples.t < RELEASE)
    assert 0.05 < samples.t[stopped][0] < 0.9
    assert (samples.modes[stopped, gear] == 0).all()
    assert not samples.rates[stopped].any()
    assert not motion.energy_balance.losses(samples)[stopped].any()
    assert (samples.modes[samples.t > RELEASE, gear] == 1).all()  # the weight drives on
    assert not [e for e in history.events if samples.t[stopped][0] < e.t < RELEASE]


def test_what_is_held_is_found_by_the_rates() -> None:
    """Of three switches on one shaft and one on another the stuck one holds those beside it."""
    builder = SystemBuilder().add(
        Rotor1D(name="a", inertia=1.0),
        Rotor1D(name="b", inertia=1.0),
        BearingFriction(name="first", at="a", torque=1.0),
        BearingFriction(name="second", at="a", torque=1.0),
        Clutch(name="clutch", between=("a", "b"), normal_force=1.0),
        BearingFriction(name="other", at="b", torque=1.0),
    )
    model = builder.build()
    numbers = {switch.name: i for i, switch in enumerate(model.switches)}
    assert reduced_system(model, (numbers["first"],)).still == (numbers["second"],)
    assert reduced_system(model, (numbers["first"], numbers["clutch"])).still == (numbers["second"], numbers["other"])
    assert reduced_system(model, ()).still == ()


def test_what_holds_beside_what_it_holds_slides_where_the_torque_passes_both() -> None:
    """Two frictions on one disk, one held by the other and at its bound: both let go at 92 N m, not above."""
    data = moved(
        Rotor1D(name="disk", inertia=1e-3),
        BearingFriction(name="first", at="disk", torque=90.0),
        BearingFriction(name="second", at="disk", torque=2.0),
        TorqueSource(name="load", at="disk", torque=[(0.0, 0.0), (1.0, 100.0)]),
        duration=1.0,
    ).dataset
    np.testing.assert_allclose(data.event_time, 0.92, rtol=1e-9)  # slack of 1e-10 of the torque
    assert sorted(data.event_switch.values) == ["first", "second"]
    np.testing.assert_allclose(data.speed[-1], 0.5 * 100.0 * 0.08**2 / 1e-3, rtol=1e-7)  # from steps of 1e-10
    assert np.abs(data.friction_torque).max() < 90.0 * (1.0 + 1e-9)


def test_what_is_led_is_not_held() -> None:
    """A friction on a shaft that is prescribed is prescribed with it, also while its speed is zero."""
    builder = SystemBuilder().add(
        Rotor1D(name="a", inertia=1.0),
        Rotor1D(name="b", inertia=1.0),
        SpeedSource(name="drive", at="a", speed=[(0.0, 0.0), (1.0, 0.0), (2.0, 5.0)]),
        BearingFriction(name="bearing", at="a", torque=1.0),
        Clutch(name="clutch", between=("a", "b"), normal_force=100.0),
        BearingFriction(name="other", at="b", torque=1.0),
    )
    model = builder.build()
    numbers = {switch.name: i for i, switch in enumerate(model.switches)}
    assert reduced_system(model, (numbers["clutch"],)).still == ()
    assert reduced_system(model, (numbers["clutch"],)).stuck == (numbers["clutch"],)


NOTHING_ACTS = {
    "disks": (),
    "freewheel": (Freewheel(name="freewheel", between=("a", "b")),),
    "freewheel back": (Freewheel(name="freewheel", between=("a", "b"), overrunning="backward"),),
    "friction of zero torque": (BearingFriction(name="friction", at="a", torque=0.0),),
    "friction": (BearingFriction(name="friction", at="a", torque=1.0),),
    "friction that begins with zero": (BearingFriction(name="friction", at="a", torque=[(0.0, 0.0), (10.0, 1.0)]),),
    "open clutch": (Clutch(name="clutch", between=("a", "b"), normal_force=10.0, signal=0.0),),
    "clutch that closes": (Clutch(name="c", between=("a", "b"), normal_force=9.0, signal=[(0.1, 0.0), (0.2, 1.0)]),),
    "brake": (Brake(name="brake", at="a", normal_force=10.0),),
    "gear": (RatioGear(name="gear", between=("a", "b"), ratio=2.0, losses=0.9),),
    "gear with a bearing": (RatioGear(name="g", between=("a", "b"), ratio=2.0, losses=[[0.0, 0.9, 0.9, 1.0, 1.0]]),),
    "backlash": (Spring(name="spring", between=("a", "b"), stiffness=1e3, backlash=0.1),),
    "damped backlash": (Spring(name="spring", between=("a", "b"), stiffness=1e3, damping=1.0, backlash=0.1),),
    "flanks that touch": (Spring(name="s", between=("a", "b"), stiffness=1e3, damping=1.0, backlash=0.1),),
}


@pytest.mark.parametrize("stiff", [True, False])
@pytest.mark.parametrize("parts", NOTHING_ACTS.values(), ids=NOTHING_ACTS.keys())
def test_a_machine_at_rest_stays_there_and_nothing_is_printed(parts, stiff, capfd) -> None:
    touching = parts and getattr(parts[0], "name", "") == "s"
    disks = (Rotor1D(name="a", inertia=1.0), Rotor1D(name="b", inertia=2.0, angle=0.05 if touching else 0.0))
    result = moved(*disks, *parts, duration=0.5, stiff=stiff)
    # a clutch that begins to close with nothing moves what stands by its slack before it sticks
    assert float(np.abs(result.dataset.speed).max()) < 1e-12
    assert capfd.readouterr() == ("", "")


def test_a_machine_at_rest_that_something_moves_later_sees_its_flanks_meet() -> None:
    """The flanks touch exactly, and the corner is seen when they part, and when they meet again."""
    parts = (
        Rotor1D(name="a", inertia=0.01, angle=-0.05),
        Spring(name="backlash", between=("a", "ground"), stiffness=1e3, backlash=0.1),
        TorqueSource(name="torque", at="a", torque=[(0.1, 0.0), (0.1, 1.0)]),
    )
    result = moved(*parts, duration=0.6, tolerance=1e-11)
    assert np.ptp(result.dataset.angle.values) > 0.1  # across, and into the other flank
    # an unseen corner leaves 1e-5 (Gauss's rule over it); a thousand times the tolerance of a step
    assert missing(result) < 1e-8


@pytest.mark.parametrize(("n", "told"), [(8, "k8: "), (11, "k8 and 3 more: ")])
def test_a_warning_of_shared_torques_names_eight_parts_at_most(n, told) -> None:
    clutches = [Clutch(name=f"k{i + 1}", between=("a", "b"), normal_force=10.0) for i in range(n)]
    disks = (Rotor1D(name="a", inertia=1.0), Rotor1D(name="b", inertia=1.0))
    drive = TorqueSource(name="drive", at="a", torque=1.0)
    (warning,) = moved(*disks, *clutches, drive, duration=0.1).summary["warnings"]
    assert warning.startswith("torques of k1, k2,")
    assert told in warning


def test_modes_are_found_where_a_disturbance_has_not_come_to() -> None:
    """Of a long chain that is driven at one end the other still rests: forces of 1e-35 N m say nothing of modes."""
    n = 60
    disks = [Rotor1D(name=f"d{i}", inertia=0.05) for i in range(n)]
    springs = [Spring(name=f"s{i}", between=(f"d{i}", f"d{i + 1}"), stiffness=2e3, damping=1.0) for i in range(0, n, 2)]
    gears = [
        RatioGear(name=f"g{i}", between=(f"d{i}", f"d{i + 1}"), ratio=1.25, losses=0.97) for i in range(1, n - 1, 2)
    ]
    bearings = [
        BearingFriction(name=f"b{i}", at=f"d{i}", torque=0.05, static_to_kinetic_ratio=1.2) for i in range(1, n, 2)
    ]
    drive = TorqueSource(name="drive", at="d0", torque=40.0)
    data = moved(*disks, *springs, *gears, *bearings, drive, duration=0.1, tolerance=1e-8).dataset
    assert float(data.speed.sel(body="d0")[-1]) > 1.0
    assert (data["mode"].sel(switch=f"b{n - 1}").values[:50] == 0).all()
