"""Rigid gears in space, as validation/rigid_gears has them, in short: closed forms, hand statics, another program."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from script_files import load_script

run = load_script("validation/rigid_gears/run.py")
ratio, cardona, transmission, sliding = run.rigid_ratio, run.cardona, run.transmission, run.sliding_teeth


@cache
def moved(kind: str):
    """A period: with fewer steps where no other program is looked at."""
    return ratio.move(kind, 1.0, ratio.STEP if kind == "internal" else 4.0 * ratio.STEP)


@pytest.mark.parametrize("kind", ratio.PAIRS)
def test_ratio_of_ten_is_that_of_the_closed_form(kind: str) -> None:
    motion = moved(kind)
    bound = 1.2 * (ratio.OMEGA * motion.t[0]) ** 2 / 12.0  # of a scheme of second order, numerical damping on top
    assert max(motion.off()) < bound
    if kind == "internal":
        assert ratio.RATIO * abs(motion.angle[-1]) > math.pi  # beyond what a rotation vector holds


def test_ratio_of_ten_is_that_of_another_program() -> None:
    if not ratio.REFERENCE.exists():
        name = ratio.REFERENCE.name
        pytest.skip(f"no ../shared/reference/rotational/{name}: results of other programs are no part of the project")
    assert max(ratio.from_file(moved("internal"))) < 1e-5  # agreed


@pytest.mark.parametrize("rows", ["bevel_rows", "wheel_rows", "rack_rows"])
def test_mechanisms_of_cardona_balance(rows: str) -> None:
    for row in getattr(cardona, rows)():
        assert row.off < 1e-10, row.what  # of Newton's iteration
        if row.printed:
            assert f"{row.here:.3e}" == f"{float(row.printed):.3e}"


def test_statics_of_the_transmission() -> None:
    here, hand = transmission.statics(), transmission.statics_by_hand()
    np.testing.assert_allclose(here.shafts, hand.shafts, rtol=1e-10)  # of Newton's iteration
    assert here.teeth == pytest.approx(hand.teeth, rel=1e-10)
    # squares of the angle 1.7e-5 by which the line of centres turns
    np.testing.assert_allclose(here.supports, hand.supports, rtol=2e-9)


def test_modes_of_the_transmission_are_those_of_a_small_matrix() -> None:
    # the forces at rest, T/(r d) = 122 N/m and tan 20 deg of it, stiffen supports of 1.477e7 N/m by 8e-6
    np.testing.assert_allclose(transmission.modes(), transmission.modes_by_hand(), rtol=2e-5)


def test_response_of_the_transmission_has_the_first_frequency() -> None:
    response = transmission.respond(transmission.swinging, 0.014, 4e-5, 0.8)
    frequency, _ = transmission.first_frequency(response)
    # lower by (omega h)^2/12 = 7e-5, and the bound twice that
    assert frequency == pytest.approx(transmission.modes_by_hand()[0, 0], rel=1.4e-4)
    assert response.missing < 1e-5
    hand = transmission.statics_by_hand()
    assert response.teeth.mean() == pytest.approx(hand.teeth, rel=1e-2)  # it swings by 2 %


@pytest.mark.parametrize("rho_inf", [0.9, 0.8, 0.5])
def test_numerical_oscillation_dies_out_with_rho_inf(rho_inf: float) -> None:
    factor, left, _ = transmission.decay_of(transmission.numerical_oscillation(rho_inf))
    assert left < 1e-3  # what the machine answers is not quite a cubic
    assert factor == pytest.approx(rho_inf, abs=1e-5)


@pytest.mark.parametrize("driver", [0, 1])
@pytest.mark.parametrize("kind", sliding.PAIRS)
def test_powers_of_teeth_that_slide(kind: str, driver: int) -> None:
    # round-off of the positions at the start is in the multipliers of the first steps: 1e-10 of 20 steps, less of more
    ideal = sliding.driven(kind, driver, steps=40)
    assert abs(ideal.into - ideal.out) < 1e-10 * ideal.into  # agreed
    assert abs(ideal.missing) < 1e-10 * ideal.into
    lossy = sliding.driven(kind, driver, friction=0.05, steps=20)
    assert lossy.out / lossy.into == pytest.approx(sliding.efficiency(kind, 0.05, driver), abs=1e-9)
    assert lossy.lost == pytest.approx(lossy.into - lossy.out, abs=1e-9 * lossy.into)


@pytest.mark.parametrize("friction", [0.05, 0.1])
def test_worm_below_self_locking_is_driven_back(friction: float) -> None:
    back = sliding.driven_back(friction, 50.0, least_sliding=1e-4)
    assert friction < sliding.LOCKS
    # full friction is reached to (v_r/v)^2/2 = 2e-8
    assert back.acceleration == pytest.approx(sliding.acceleration_back(friction, 50.0), rel=2e-6)


@pytest.mark.parametrize("friction", [0.2, 0.25])
def test_worm_above_self_locking_creeps(friction: float) -> None:
    """At the sliding at which regularised friction holds: of the order of its velocity, and nothing else."""
    back = sliding.driven_back(friction, 50.0, least_sliding=1e-4)
    assert friction > sliding.LOCKS
    assert back.sliding == pytest.approx(sliding.creep(friction, 1e-4), rel=1e-6)
    assert back.turned < 1e-4  # where below self-locking it turns by 0.03
