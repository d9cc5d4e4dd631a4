"""Bearing force of gears on fixed axes whose modes vibrate: what the bore holds them by."""

from __future__ import annotations

import numpy as np
import pytest
from small_cases import begun, case_of, contact_at, dynamic_study, free_numbers, gears_turned, motion_text

from alegear.case.pair_machine import MESH
from alegear.contact.numbering import SPIN
from alegear.fe import FEModel
from alegear.reduction.normal_modes import NormalModes, stored_normal_modes
from alegear.system.time_integration.second_order_system import State


@pytest.fixture(scope="module")
def study():
    analysis = 'duration_s = 1e-4\ninertia = "full"\nnormal_modes = 12\n'
    return dynamic_study(case_of(motion_text(analysis, speed=0.01, pinion="tooth_thickness_allowance_um = 40.0")))


def modes_of(study, gear: int) -> NormalModes:
    wheel = study.recorders[MESH].wheels[gear]
    return stored_normal_modes(wheel.sector, wheel.material, 12)


def held_by(modes: NormalModes, mode: int, angle: float) -> np.ndarray:
    """Force of the bore on the wheel in a mode of unit amplitude (3,): that of its elements on the nodes held."""
    sector = modes.sector
    model = FEModel.from_mesh(sector.volume, modes.material)
    amplitude = modes.amplitudes[mode].ravel()
    dynamic = model.stiffness - modes.frequencies[mode] ** 2 * model.mass
    force = dynamic @ amplitude.real + 1j * (dynamic @ amplitude.imag)
    on_bore = force.reshape(-1, 3)[sector.bore].sum(axis=0)
    total = np.zeros(3)
    for tooth in range(modes.teeth):
        pitch = 2.0 * np.pi * tooth / modes.teeth
        x, y, z = (np.exp(1j * modes.nodal_diameters[mode] * pitch) * on_bore).real
        co, si = np.cos(pitch + angle), np.sin(pitch + angle)
        total += [co * x - si * y, si * x + co * y, z]
    return total


@pytest.mark.parametrize("gear", [0, 1])
def test_it_is_the_reaction_of_the_bore(study, gear):
    modes, coordinates = modes_of(study, gear), [wheel.coordinates for wheel in study.built.vibrating[MESH]]
    moved = 0
    for mode in range(modes.n_modes):
        system, q, v = begun(study)
        for own in coordinates:
            q[free_numbers(study, own)], v[free_numbers(study, own)] = 0.0, 0.0
        place = free_numbers(study, coordinates[gear])[mode]
        q[place] = 1e-6
        vdot = np.zeros_like(q)
        vdot[place] = -(modes.frequencies[mode] ** 2) * q[place]  # as it vibrates on its own
        force = system.force(0.0, q, v)
        motion = system.motion(State(t=0.0, q=q, v=v, vdot=vdot, a=vdot, h=0.0, force=force))
        forces = contact_at(study, force)
        of_contact = np.array([forces.force_on_pinion, -forces.force_on_pinion])
        state = (one[None] for one in (motion.x, motion.v, motion.a))
        found = study.supports.values(forces.force_on_pinion[None], *state)["bearing_force"][0] - of_contact
        reference = study.prepared[MESH].contact.reference_angle[gear]
        angle = float(reference + SPIN[gear] * gears_turned(study, motion.x)[gear])
        expected = -1e-6 * held_by(modes, mode, angle)  # of the gear on its bearing
        size = 1e-6 * modes.frequencies[mode] ** 2
        np.testing.assert_allclose(found[gear], expected, atol=1e-6 * size)
        np.testing.assert_array_equal(found[1 - gear], 0.0)
        moved += bool(np.abs(expected).max() > 1e-3 * size)
    assert moved >= 3  # two of nodal diameter 1, one along the axis
