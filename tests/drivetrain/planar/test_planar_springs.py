"""Normal force over the deformation: printed formulas, energy, continuity, and that flanks never pull."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad, solve_ivp

from alegear.drivetrain.planar import (
    Iso6336Spring,
    LinearSpring,
    NiemannWinterSpring,
    PeriodicFactor,
    planar_kernels,
)
from alegear.errors import Fault

C, R_Q, B, D = 2e8, 4e-6, 15e-6, 2e5
SPRINGS = {
    "linear": LinearSpring(c=C),
    "linear with backlash": LinearSpring(c=C, backlash=B),
    "ISO 6336": Iso6336Spring(c=C, R_q=R_Q),
    "ISO 6336 with backlash": Iso6336Spring(c=C, R_q=R_Q, backlash=B),
    "Niemann and Winter": NiemannWinterSpring(c=C, F_0=1500.0, kappa_0=0.4),
    "Niemann and Winter with backlash": NiemannWinterSpring(c=C, F_0=1500.0, kappa_0=0.4, backlash=B),
    "Niemann and Winter, soft": NiemannWinterSpring(c=C, F_0=1500.0, kappa_0=1e-4),
}
FLANKS = pytest.mark.parametrize("spring", SPRINGS.values(), ids=SPRINGS)


def corner(spring) -> float:
    """Overlap at which the stiffness becomes constant."""
    if isinstance(spring, Iso6336Spring):
        return spring.R_q
    if isinstance(spring, NiemannWinterSpring):
        return spring.F_0 * np.log(1.0 / spring.kappa_0) / ((1.0 - spring.kappa_0) * spring.c)
    return 0.0


def printed(delta: float, b: float, R_q: float) -> float:
    """Formulas 40 to 43 without damping, branch by branch."""
    if abs(delta) <= b / 2:
        return 0.0
    p = abs(delta + b / 2) if delta < 0 else abs(delta - b / 2)
    if R_q == 0.0:
        return C * (delta + b / 2) if delta < 0 else C * (delta - b / 2)
    return (C / (2 * R_q) * p**2 if p < R_q else C * (-R_q / 2 + p)) * np.sign(delta)


@pytest.mark.parametrize("delta", [-31e-6, -9e-6, -7.4e-6, -1e-6, 0.0, 2e-6, 7.6e-6, 10e-6, 11.5e-6, 12e-6, 80e-6])
@pytest.mark.parametrize("b", [0.0, B])
@pytest.mark.parametrize("R_q", [0.0, R_Q])
def test_force_is_that_of_the_printed_formulas(delta, b, R_q):
    spring = Iso6336Spring(c=C, R_q=R_q, backlash=b) if R_q else LinearSpring(c=C, backlash=b)
    assert spring.force(delta) == pytest.approx(printed(delta, b, R_q), rel=1e-13, abs=0.0)


@pytest.mark.parametrize("kappa_0", [0.001, 0.4, 0.95])
def test_niemann_winter_solves_its_differential_equation(kappa_0):
    spring = NiemannWinterSpring(c=C, F_0=1500.0, kappa_0=kappa_0)
    end = corner(spring)
    found = solve_ivp(
        lambda _, N: C * (kappa_0 + (1.0 - kappa_0) * N / 1500.0),
        (0.0, end),
        [0.0],
        rtol=1e-11,
        atol=1e-11,
        dense_output=True,
    )
    for p in np.linspace(0.0, end, 7):
        assert spring.force(p) == pytest.approx(found.sol(p)[0], rel=1e-7, abs=1e-7)  # of the interpolation
    assert spring.force(end) == pytest.approx(1500.0, rel=1e-12)
    # what figure 12 of the paper is said to show: the stiffness is linear in the load
    loads = [spring.force(p) for p in np.linspace(0.1, 0.9, 5) * end]
    slopes = [spring.stiffness(p) for p in np.linspace(0.1, 0.9, 5) * end]
    np.testing.assert_allclose(slopes, C * (kappa_0 + (1.0 - kappa_0) * np.array(loads) / 1500.0), rtol=1e-12)


@FLANKS
def test_energy_is_the_work_of_the_force(spring):
    play, end = 0.5 * spring.backlash, corner(spring)
    for p in (1e-9, 0.3 * end + 1e-7, 0.9 * end + 1e-9, end + 1e-9, 1.01 * end + 1e-9, 3.0 * end + 1e-6):
        reach = play + p
        points = [play + end] if 0.0 < end < p else None
        work = quad(spring.force, play, reach, points=points, epsabs=0.0, epsrel=1e-12)[0]
        # reach less play has lost some digits of p: 1e-21 m of it
        assert spring.energy(reach) == pytest.approx(work, rel=1e-10 + 1e-20 / p)
        assert spring.energy(-reach) == spring.energy(reach)
        assert spring.force(-reach) == -spring.force(reach)
    assert spring.energy(0.0) == spring.energy(0.99 * play) == 0.0


@FLANKS
def test_stiffness_is_the_slope_of_the_force(spring):
    play, end = 0.5 * spring.backlash, corner(spring)
    for p in (0.2 * end + 1e-7, 0.8 * end + 1e-7, 2.0 * end + 1e-6):
        for sign in (1.0, -1.0):
            h = 1e-3 * p
            slope = (spring.force(sign * (play + p + h)) - spring.force(sign * (play + p - h))) / (2.0 * h * sign)
            assert spring.stiffness(sign * (play + p)) == pytest.approx(slope, rel=1e-5)  # second order in h
    if play:
        assert spring.stiffness(0.5 * play) == 0.0


@FLANKS
def test_force_has_no_jump_and_progressive_stiffness_none_either(spring):
    play, end, tiny = 0.5 * spring.backlash, corner(spring), 1e-13
    jumps = [spring.force(play + p + tiny) - spring.force(play + p - tiny) for p in (0.0, end)]
    assert max(np.abs(jumps)) <= 2.1 * tiny * spring.c
    if end:
        change = spring.stiffness(play + end + tiny) - spring.stiffness(play + end - tiny)
        assert abs(change) < 1e-6 * spring.c  # tiny over the corner, by the rise of the stiffness
        assert spring.stiffness(play + end + tiny) == spring.c
    if isinstance(spring, Iso6336Spring):
        assert spring.stiffness(play + tiny) < 1e-6 * spring.c  # from nothing
    forces = [spring.force(d) for d in np.linspace(-4e-5, 4e-5, 801)]
    assert np.all(np.diff(forces) >= 0.0)


@settings(max_examples=300, deadline=None)
@given(
    name=st.sampled_from(sorted(SPRINGS)),
    delta=st.floats(-1e-4, 1e-4),
    rate=st.floats(-10.0, 10.0),
    damping=st.floats(0.0, 1e6),
)
def test_flanks_never_pull_and_dampers_never_drive(name, delta, rate, damping):
    kind = SPRINGS[name]
    own = {one: getattr(kind, one) for one in ("R_q", "F_0", "kappa_0") if hasattr(kind, one)}
    damped = type(kind)(c=kind.c, backlash=kind.backlash, damping=damping, **own)
    force = damped.flank_force(delta, rate)
    assert force >= 0.0
    assert force == 0.0 or delta > 0.5 * kind.backlash
    assert (force - kind.flank_force(delta)) * rate >= 0.0
    assert damped.force(delta, rate) == pytest.approx(-damped.force(-delta, -rate), rel=1e-15)


def test_damper_acts_while_flanks_touch():
    spring = LinearSpring(c=C, backlash=B, damping=D)
    assert spring.flank_force(10e-6, 1e-3) == pytest.approx(C * 2.5e-6 + D * 1e-3, rel=1e-12)
    assert spring.flank_force(10e-6, -1e-3) == pytest.approx(C * 2.5e-6 - D * 1e-3, rel=1e-12)
    assert spring.flank_force(10e-6, -1.0) == 0.0
    assert spring.flank_force(7e-6, 1.0) == 0.0


@FLANKS
def test_factor_multiplies_what_is_elastic(spring):
    factor = PeriodicFactor(period=3e-3, values=(1.0, 1.2, 0.8))
    own = {one: getattr(spring, one) for one in ("R_q", "F_0", "kappa_0") if hasattr(spring, one)}
    moved = type(spring)(c=spring.c, backlash=spring.backlash, damping=D, factor=factor, **own)
    delta, x = 0.5 * spring.backlash + 9e-6, 1e-3
    assert moved.force(delta, 0.0, x) == pytest.approx(1.2 * spring.force(delta), rel=1e-12)
    assert moved.stiffness(delta, x) == pytest.approx(1.2 * spring.stiffness(delta), rel=1e-12)
    assert moved.energy(-delta, x) == pytest.approx(1.2 * spring.energy(delta), rel=1e-12)
    assert moved.flank_force(delta, 1e-4, x) == pytest.approx(1.2 * spring.force(delta) + D * 1e-4, rel=1e-12)


@numba.njit
def _compiled(spring, delta, rate):
    return planar_kernels.flank_force(spring, 1.1, delta, rate)


@FLANKS
def test_compiled_slopes_are_those_of_the_force(spring):
    numbers = spring.numbers.copy()
    numbers[planar_kernels.DAMPING] = D
    for p, rate in ((0.4 * corner(spring) + 2e-7, 1e-5), (30e-6, -1e-4), (30e-6, -1e3), (-1e-6, 5.0)):
        delta, h = 0.5 * spring.backlash + p, 1e-10
        force, over_delta, over_rate = _compiled(numbers, delta, rate)
        ahead, back = (_compiled(numbers, delta + sign * h, rate)[0] for sign in (1.0, -1.0))
        assert over_delta == pytest.approx((ahead - back) / (2.0 * h), rel=1e-4)  # round-off of 10 um over h
        assert over_rate == pytest.approx((_compiled(numbers, delta, rate + 1e-6)[0] - force) / 1e-6, rel=1e-6)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LinearSpring(c=0.0), "mesh stiffness"),
        (lambda: LinearSpring(c=-1.0), "mesh stiffness"),
        (lambda: LinearSpring(c=1e8, backlash=-1e-6), r"backlash \[um\] = -1.0"),
        (lambda: LinearSpring(c=1e8, damping=-1.0), "mesh damping"),
        (lambda: LinearSpring(c=float("nan")), "mesh stiffness"),
        (lambda: LinearSpring(c=1e8, factor=2.0), "a PeriodicFactor"),
        (lambda: Iso6336Spring(c=1e8, R_q=0.0), "roughness Rq of both flanks"),
        (lambda: Iso6336Spring(c=1e8, R_q=1.0), "roughness Rq of both flanks"),
        (lambda: NiemannWinterSpring(c=1e8, F_0=0.0, kappa_0=0.5), "load from which"),
        (lambda: NiemannWinterSpring(c=1e8, F_0=1.0, kappa_0=1.0), "without load"),
        (lambda: NiemannWinterSpring(c=1e8, F_0=1.0, kappa_0=0.0), "without load"),
        (lambda: LinearSpring(c=1e8).force(float("nan")), "deformation"),
        (lambda: LinearSpring(c=1e8).force(1e-6, float("inf")), "rate of the deformation"),
    ],
)
def test_wrong_springs_are_refused(make, said):
    with pytest.raises(Fault, match=said):
        make()
