"""Wheels that grow with their speed: against rotating rings by hand, for any number of modes."""

from __future__ import annotations

from functools import cache

import pytest
from families import mostly_thorough
from script_files import load_script
from small_cases import begun, case_of, contact_at, dynamic_study, gears_turned, motion_text

from alegear.case.pair_machine import MESH

SPEED = 24000.0  # rpm


growth = load_script("validation/centrifugal_growth/run.py")


def study_case(modes: int = 0, torque: float = 20.0):
    full = f'inertia = "full"\nnormal_modes = {modes}\n' if modes else ""
    allowance = "tooth_thickness_allowance_um = 40.0"
    text = motion_text(f"duration_s = 2e-4\n{full}", speed=SPEED, torque=torque, pinion=allowance)
    return case_of(text)


@cache
def study_of(modes: int, torque: float = 20.0):
    return dynamic_study(study_case(modes, torque))


def start_error(modes: int, torque: float = 20.0) -> float:
    """Transmission error in the equilibrium at speed [m]."""
    study = study_of(modes, torque)
    system, q, v = begun(study)
    return study.built.contacts[MESH].transmission_errors(gears_turned(study, system.whole(0.0, q, v)[0]))


@cache
def closing() -> float:
    """What two rings as wide as the wheels, their teeth on them, close along the line of action by their growth [m]."""
    return sum(growth.growth(study_case(), gear).closes(growth.RIGHT) for gear in range(2))


@pytest.mark.parametrize("modes", mostly_thorough([1, 24, 60], always=lambda modes: modes == 60))
def test_growth_does_not_depend_on_the_number_of_modes(modes):
    shift = start_error(modes) - start_error(0)
    assert shift == pytest.approx(closing(), rel=growth.BOUND)
    assert shift == pytest.approx(start_error(1) - start_error(0), rel=1e-6)
    back = start_error(modes, -20.0) - start_error(0, -20.0)
    assert back == pytest.approx(-shift, rel=0.02)  # back flanks: mirrored, at another place of the mesh


@pytest.mark.parametrize("modes", [1, 24, 60])
def test_starts_without_an_impact(modes):
    study = study_of(modes)
    system, q, v = begun(study)
    r_b = study.built.contacts[MESH].r_b[0]
    carried, load = -float(contact_at(study, system.force(0.0, q, v)).torque[0]) / r_b, 20.0 / r_b
    # a false start pressed 1.1 um into each other, 700 N; the mesh damping has the rate of the deflection left, 8 kHz
    assert carried == pytest.approx(load, rel=0.05)
