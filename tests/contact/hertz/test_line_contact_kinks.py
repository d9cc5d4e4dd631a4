"""Contact that rolls over the kink where a linear relief begins, and over an undercut edge."""

import numpy as np
import pytest
from contact_answers import forces_at
from line_pairs import contact_of, pair_of, rotations

from alegear.geometry import Microgeometry

START = 85.3e-3  # diameter at which the relief of the pinion begins: between two knots of the tabulated flank


def kinked():
    """Linear relief of 12 um over 2 mm: the flank is bent by some 7 mrad at one place."""
    relief = Microgeometry(tip_relief=12e-6, tip_relief_start_diameter=START, tip_relief_shape="linear")
    return contact_of("spur", pair=pair_of("spur").with_microgeometry(pinion=relief))


def phase_at_the_kink(contact):
    """Phase at which the nominal contact of pair 0 is at the start of the relief."""
    pinion = contact.pair.pinion
    roll = np.sqrt(0.25 * START**2 - pinion.r_b**2)
    at_pitch_point = pinion.r_b * np.tan(contact.pair.alpha_wt)
    return float((roll - at_pitch_point) / contact.pair.p_bt)


@pytest.mark.parametrize("overlap", [0.5e-6, 2e-6, 15e-6])
def test_torque_is_a_smooth_function_of_the_rotation(overlap):
    """No jumps, and the derivative tells the next value: a contact that sticks beside the kink would do neither."""
    contact = kinked()
    phases = phase_at_the_kink(contact) + np.linspace(-0.02, 0.02, 161)  # 3 um of roll length apart
    torque, slope = [], []
    for phase in phases:
        forces = forces_at(contact, rotations(contact, phase, overlap))
        torque.append(forces.torque[0])
        slope.append(forces.torque_phi[0] @ contact.pitch_angle)
    torque = np.array(torque)
    step = np.diff(phases)
    expected = 0.5 * (np.array(slope)[1:] + np.array(slope)[:-1]) * step
    # the trapezoid misses h^2/12 of the change of slope, most in the few steps across the kink
    np.testing.assert_allclose(np.diff(torque), expected, atol=2e-3 * np.abs(torque).max())


def test_the_answer_does_not_depend_on_the_last_one():
    """Loads are started from those of the last evaluation; there is one answer only."""
    contact = kinked()
    rng, data = np.random.default_rng(5), contact.new_data()
    centre = phase_at_the_kink(contact)
    for phase in centre + 0.01 * rng.uniform(-1.0, 1.0, 40):
        phi = rotations(contact, phase, 1e-6 * 10.0 ** rng.uniform(-0.5, 1.0))
        forces_at(contact, rotations(contact, phase, 1e-6 * 10.0 ** rng.uniform(-0.5, 1.0)), data=data)
        warm = forces_at(contact, phi, data=data).torque
        contact.forget(data)
        for cold in (forces_at(contact, phi, data=data).torque, forces_at(contact, phi).torque):
            np.testing.assert_allclose(warm, cold, rtol=1e-9)


def test_loads_of_neighbouring_rotations_lie_on_a_line():
    """A strip that is not found to the last digit, in one of a thousand, is seen as a step of the torque."""
    contact = kinked()
    centre = phase_at_the_kink(contact)
    for phase in centre + np.array([-6e-4, -3e-4, -1e-4, 1e-4, 3e-4]):
        start = rotations(contact, phase, 15e-6)
        ahead = np.linspace(0.0, 2e-7, 200)  # rad; the gap changes by 40 pm from one to the next
        torque = np.array([forces_at(contact, start + np.array([a, 0.0]), tangent=False).torque[0] for a in ahead])
        # round-off of the rotations: 1e-17 m of some 15 um
        np.testing.assert_allclose(np.diff(torque, 2), 0.0, atol=1e-9 * np.abs(torque).max())


def test_undercut_edge_meets_the_mating_flank_smoothly():
    """The overlap is deeper than the edge is round: from flank to edge and to no contact without a jump."""
    contact = contact_of("undercut")
    phases = np.linspace(-0.72, -0.60, 121)
    torque = np.array([forces_at(contact, rotations(contact, p, 3.6e-5)).torque[0] for p in phases])
    assert np.abs(torque).max() > 100.0
    assert np.abs(np.diff(torque)).max() < 0.1 * np.abs(torque).max()
