"""A damaged ring of a ball bearing in a machine that runs up: it is heard where it belongs, and named."""

import numpy as np
import pytest

import alegear as ag

BALLS = {"count": 9, "diameter": 12.7e-3, "pitch_diameter": 65e-3, "clearance": 5e-6, "damping": (200.0, 200.0, 200.0)}
SPEEDS = (2.0 * np.pi * 25.0, 2.0 * np.pi * 35.0)  # [rad/s]
DURATION = 0.4  # 12 turns


@pytest.fixture(scope="module")
def damaged():
    """A shaft on two bearings with a pinion that presses into the spall, which is on the left outer ring."""
    m = ag.Machine("outer ring damaged", gravity=(0.0, -9.81, 0.0))
    m.add("rotor", ag.Shaft(sections=[[0.2, 0.06, 0.0]], rigid=True))
    m.add("out", ag.Shaft(fixed_axis=True, position=(0.1, 0.0, 0.1)))
    m.add("pinion", ag.ShaftGear(gear=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=60e-3), shaft="rotor", at=0.1))
    m.add("wheel", ag.ShaftGear(gear=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3), shaft="out", at=0.0))
    m.mesh("first", "pinion", "wheel", fidelity="elastic", backlash=20e-6)
    spall = ag.BearingDefect(on="outer ring", at=-0.5 * np.pi, width=2e-3, depth=20e-6)
    m.add("left", ag.BallBearing(shaft="rotor", at=0.02, defects=(spall,), **BALLS))
    m.add("right", ag.BallBearing(shaft="rotor", at=0.18, **BALLS))
    m.add("motor", ag.Drive(shaft="rotor", speed_table=[(0.0, SPEEDS[0]), (DURATION, SPEEDS[1])]))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=60.0))
    case = m.case(ag.DynamicAnalysis(duration=DURATION, output_every=5e-5))
    return case, ag.run(case)


@pytest.mark.slow
def test_the_outer_ring_is_heard_and_named(damaged) -> None:
    case, result = damaged
    force = ag.recorded_signal(result, "bearing_force", bearing="left", axis="y").between(0.02, DURATION)
    angle = ag.recorded_angle(result, "rotor").between(0.02, DURATION)
    # above the resonances of the shaft on its bearings, 0.8 and 1.3 kHz, where the meshes do not reach
    envelope = ag.envelope_spectrum(force, (3000.0, 8000.0), angle=angle, squared=True)
    orders = ag.characteristic_orders(case, "rotor")
    lines = ag.mark(envelope, orders, most=3)
    expected = 4.5 * (1.0 - 12.7 / 65.0)  # rollers over a point of the outer ring, in a turn of the inner one
    at = sorted(line.x for line in lines)
    # half a per cent is asked for; the lines come to a twentieth of a bin of 12 turns
    assert at == pytest.approx([expected, 2.0 * expected, 3.0 * expected], rel=5e-3)
    first = min(lines, key=lambda line: line.x)
    assert "outer ring of left" in [cause.name for cause in first.causes]
    healthy = ag.recorded_signal(result, "bearing_force", bearing="right", axis="y").between(0.02, DURATION)
    beside = ag.envelope_spectrum(healthy, (3000.0, 8000.0), angle=angle, squared=True)
    assert beside.at(expected) < 0.5 * envelope.at(expected)  # it shares the shaft
