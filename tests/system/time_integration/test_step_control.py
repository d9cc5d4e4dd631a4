"""Step control: accuracy follows the tolerance, failures shorten the step, the state is never lost."""

import copy
from itertools import pairwise

import numpy as np
import pytest
from closed_form.oscillators import BouncingBody, ForcedOscillator, Pendulum, largest_error
from families import mostly_thorough
from system.time_integration.systems import OneDof, bouncing, oscillator, pendulum

from alegear.errors import Fault, NonConvergence
from alegear.system.profiles import PiecewiseCubic, PrescribedRotation
from alegear.system.time_integration import (
    AdaptiveStep,
    FixedStep,
    ForceEvaluation,
    GeneralizedAlpha,
    NewtonParameters,
    integrate,
    start,
)
from alegear.system.time_integration.newton import NewtonVerdict
from alegear.system.time_integration.step_control import StepCount
from alegear.system.time_integration.step_kernels import STRETCH

SCHEME = GeneralizedAlpha(rho_inf=0.8)


def run(system, q, v, t_end, control, scheme=SCHEME, **options):
    states = []
    state = start(system, t=0.0, q=np.array([q]), v=np.array([v]))
    end, count = integrate(system, state, t_end, scheme=scheme, control=control, on_step=states.append, **options)
    assert end is states[-1]
    return states, count


def errors_and_steps(system, exact, tolerances, t_end, rho_inf):
    errors, steps = [], []
    for tolerance in tolerances:
        states, count = run(
            system,
            *exact.motion(0.0),
            t_end,
            AdaptiveStep(tolerance=tolerance, h_max=0.5),
            GeneralizedAlpha(rho_inf=rho_inf),
        )
        errors.append(largest_error(exact.motion, [s.t for s in states], [s.q[0] for s in states]))
        steps.append(count.accepted)
    return np.array(errors), np.array(steps)


def slope(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


# The error of a step goes with h^3 and is held at the tolerance, so h goes with tolerance^(1/3) and the error of the
# motion, of second order, with tolerance^(2/3).
@pytest.mark.parametrize("rho_inf", mostly_thorough([0.0, 0.5, 0.8, 1.0], always=lambda rho: rho in {0.5, 1.0}))
def test_error_of_a_forced_motion_is_proportional_to_the_tolerance(rho_inf):
    exact = ForcedOscillator()
    system = OneDof(
        1.0,
        lambda t, x, v: exact.force(t) - exact.c * v - exact.k * x,
        lambda t, x, v: -exact.k,
        lambda t, x, v: -exact.c,
    )
    tolerances = np.array([1e-4, 1e-5, 1e-6, 0.5e-6])
    errors, steps = errors_and_steps(system, exact, tolerances, 10.0, rho_inf)
    assert slope(tolerances, steps) == pytest.approx(-1 / 3, abs=0.02)
    assert slope(tolerances, errors) == pytest.approx(2 / 3, abs=0.05)
    halving = errors[2] / errors[3]
    assert halving == pytest.approx(2 ** (2 / 3), rel=0.1)  # 10 % for the scatter of the steps
    assert (errors < 5 * tolerances ** (2 / 3)).all()  # 1.7 for most, 3.7 at rho_inf = 0 with its larger error constant


def test_error_of_a_free_motion_falls_at_least_with_the_tolerance():
    # Without damping and forcing the energy drifts by terms of higher order in h, and its error in phase adds up: at
    # loose tolerances the error is larger and falls faster than the law.
    tolerances = 10.0 ** -np.arange(3.0, 6.1, 0.5)
    errors, steps = errors_and_steps(pendulum(3.0), Pendulum(omega=3.0, amplitude=2.0), tolerances, 8.0, 0.8)
    assert slope(tolerances, steps) == pytest.approx(-1 / 3, abs=0.03)
    assert slope(tolerances, errors) > 2 / 3


def test_accepted_steps_keep_their_error_below_the_tolerance():
    system, tolerance = pendulum(3.0), 1e-5
    states, count = run(system, 2.0, 0.0, 4.0, AdaptiveStep(tolerance=tolerance, h_max=0.5))
    for before, after in pairwise(states):
        again = SCHEME.step(system, before, after.t - before.t)
        assert again.local_error[0] <= tolerance * (1 + 1e-6)  # h from t differs from h taken by round-off of t
    assert count.rejected_by_error < 0.1 * count.accepted


def test_step_length_is_bounded_and_counted():
    states, count = run(oscillator(), 1e-9, 0.0, 3.0, AdaptiveStep(tolerance=1e-4, h_max=0.05))
    lengths = np.diff([0.0] + [s.t for s in states])
    assert count.h_longest == pytest.approx(0.05, rel=1e-12)
    assert lengths.max() <= 0.05 * (1 + 1e-12)
    assert count.accepted == len(states)


@pytest.mark.parametrize("control", [AdaptiveStep(tolerance=1e-3, h_max=0.4), FixedStep(h=0.07)])
def test_stop_times_and_the_end_are_met_to_the_last_digit(control):
    stops = [0.1 * k for k in range(1, 20)] + [0.3, -1.0, 55.0, 0.123456789]
    states, _ = run(oscillator(), 1.0, 0.0, 2.0, control, stop_times=stops)
    times = {s.t for s in states}
    assert {s for s in stops if 0 < s < 2} - {3 * 0.1} <= times
    assert states[-1].t == 2.0
    assert min(np.diff(sorted(times))) > 1e-3  # no slivers before or after a stop; 0.3 and 3 * 0.1 are one


def test_fixed_step_is_fixed():
    states, count = run(oscillator(), 1.0, 0.0, 1.0, FixedStep(h=1e-3))
    assert count.accepted == 1000
    np.testing.assert_allclose(np.diff([s.t for s in states]), 1e-3, rtol=1e-12)  # round-off of t


def test_step_grows_back_after_a_stiff_episode():
    # Between t = 1 and 1.2 the spring is 1e4 times as stiff.
    def k(t):
        return 1e4 if 1.0 < t < 1.2 else 1.0

    system = OneDof(1.0, lambda t, x, v: -k(t) * x, lambda t, x, v: -k(t))
    states, _ = run(system, 1.0, 0.0, 6.0, AdaptiveStep(tolerance=1e-4, h_max=0.2), stop_times=[1.0, 1.2])
    t = np.array([s.t for s in states])
    h = np.diff(t, prepend=0.0)
    assert h[(t > 1.05) & (t < 1.19)].max() < 0.01
    # the oscillation left behind has 10 times the amplitude: 5^3 = 100 times the error of step at equal h
    assert h[t > 1.5].max() > 3 * h[(t > 1.05) & (t < 1.19)].max()


class FailsOnLongSteps(OneDof):
    """An oscillator whose force cannot be evaluated in steps longer than a limit, as a contact search might."""

    longest = 0.02
    h_now = 0.0

    def begin_step(self, t, q, v, h):
        super().begin_step(t, q, v, h)
        self.h_now = h

    def force(self, t, q, v):
        evaluation = super().force(t, q, v)
        if self.h_now <= self.longest:
            return evaluation
        return ForceEvaluation(
            Q=evaluation.Q,
            dQ_dq=evaluation.dQ_dq,
            dQ_dv=evaluation.dQ_dv,
            failure="contact not found: shorten the step",
        )


def failing_oscillator():
    return FailsOnLongSteps(1.0, lambda t, x, v: -x, lambda t, x, v: -1.0)


def test_newton_failure_shortens_the_step_and_the_motion_stays_right():
    system = failing_oscillator()
    states, count = run(system, 1.0, 0.0, 3.0, AdaptiveStep(tolerance=1e-3, h_max=0.3))
    assert count.rejected_by_newton > 0
    assert count.h_longest <= 0.02
    assert largest_error(lambda t: (np.cos(t), 0.0), [s.t for s in states], [s.q[0] for s in states]) < 1e-4  # h^2/12 t
    assert [s.t for s in system.accepted] == [0.0] + [s.t for s in states]  # accepted once each, rejected ones never
    assert len(system.begun) == 1 + count.accepted + count.rejected_by_newton + count.rejected_by_error


def test_rejected_step_leaves_the_state_untouched():
    system = failing_oscillator()
    state = start(system, t=0.0, q=np.array([1.0]), v=np.array([0.5]))
    state = SCHEME.step(system, state, 0.01).state
    before = copy.deepcopy(state)
    result = SCHEME.step(system, state, 0.1)
    assert result.state is None
    assert result.failure == "contact not found: shorten the step"
    SCHEME.step(system, state, 0.01)  # nor does an accepted one change where it started
    for name in ("t", "q", "v", "vdot", "a", "h"):
        np.testing.assert_array_equal(getattr(state, name), getattr(before, name))


def test_motion_with_rejections_equals_the_motion_of_the_accepted_steps_alone():
    system = failing_oscillator()
    states, count = run(system, 1.0, 0.0, 1.0, AdaptiveStep(tolerance=1e-3, h_max=0.3))
    assert count.rejected_by_newton > 0
    replayed = start(system, t=0.0, q=np.ones(1), v=np.zeros(1))
    for s in states:
        replayed = SCHEME.step(system, replayed, s.h, s.t).state
        assert replayed.q[0] == s.q[0]
        assert replayed.a[0] == s.a[0]


@pytest.mark.parametrize("stops", [[], [2.0 + 1e-5 * (1.0 + 0.5 * STRETCH)]], ids=["none", "a stop just beyond"])
def test_failure_at_the_shortest_step_names_time_and_remedy(stops):
    system = failing_oscillator()
    system.longest = 0.0
    kept = []
    state = start(system, t=2.0, q=np.array([1.0]), v=np.zeros(1))
    control = AdaptiveStep(tolerance=1e-3, h_max=0.1, h_min=1e-5)
    with pytest.raises(NonConvergence, match=r"t = 2 s.*contact not found: shorten the step.*1e-05 s") as caught:
        integrate(system, state, 3.0, scheme=SCHEME, control=control, on_step=kept.append, stop_times=stops)
    assert caught.value.where == "t = 2 s"
    assert caught.value.tolerance == SCHEME.newton.tolerance
    assert not kept


def test_failure_in_the_middle_keeps_what_came_before():
    def force(t, x, v):
        return np.nan if t > 0.5 else -x

    kept = []
    system = OneDof(1.0, force, lambda t, x, v: -1.0)
    state = start(system, t=0.0, q=np.array([1.0]), v=np.zeros(1))
    with pytest.raises(NonConvergence, match=r"t = 0\.(5|49999)") as caught:
        integrate(
            system,
            state,
            1.0,
            scheme=SCHEME,
            control=AdaptiveStep(tolerance=1e-4, h_max=0.1, h_min=1e-6),
            on_step=kept.append,
        )
    assert kept[-1].t == pytest.approx(0.5, abs=2e-6)  # within two shortest steps
    assert "shorten the step" in caught.value.remedy


def test_jump_in_position_force_at_the_shortest_step_is_reported_as_error_of_the_step():
    # The force jumps by 1e9 at t = 0.5: at the shortest step the acceleration still jumps.
    system = OneDof(1.0, lambda t, x, v: 1e9 if t > 0.5 else 0.0, lambda t, x, v: 0.0)
    state = start(system, t=0.0, q=np.zeros(1), v=np.zeros(1))
    control = AdaptiveStep(tolerance=1e-6, h_max=0.1, h_min=1e-4)
    with pytest.raises(NonConvergence, match="raise the tolerance") as caught:
        integrate(system, state, 1.0, scheme=SCHEME, control=control)
    assert caught.value.tolerance == 1e-6
    assert caught.value.residual > 1e-6


def test_fixed_step_that_fails_ends_with_a_remedy():
    system = failing_oscillator()
    state = start(system, t=0.0, q=np.array([1.0]), v=np.zeros(1))
    count = StepCount()
    with pytest.raises(NonConvergence, match=r"fixed at 0\.35 s: choose a shorter one"):
        integrate(system, state, 3.5, scheme=SCHEME, control=FixedStep(h=0.35), count=count)
    assert (count.accepted, count.rejected_by_newton) == (0, 2)
    assert [h for _, h in system.begun[1:]] == pytest.approx([0.35, 0.35 / 4])  # both above 0.02


class PushedOn(OneDof):
    """A body that a force pushes on within a narrow range of speeds: there it grows with the speed, by up to 15 N s/m.

    That force rises by 2 N from speeds of -0.1 to 0.1 m/s, by a cubic step, as friction does that turns round; the
    other force is even and brakes. The residual of a step falls with the acceleration where 15 dv > 1 kg.
    """

    def __init__(self):
        def part(v):
            return min(max(v / 0.1, -1.0), 1.0)

        super().__init__(
            1.0,
            lambda t, x, v: -1.7 + 0.5 * part(v) * (3.0 - part(v) ** 2),
            lambda t, x, v: 0.0,
            lambda t, x, v: 15.0 * (1.0 - part(v) ** 2),
        )


def test_fixed_step_that_stops_beside_its_solution_is_taken_in_parts():
    h, begin, system = 0.4, 0.3, PushedOn()
    state = start(system, t=0.0, q=np.zeros(1), v=np.array([begin]))
    # there is a solution of the whole step, for the force is bounded and continuous
    assert SCHEME.step(system, state, h).newton.verdict is NewtonVerdict.STALLED
    stops = [h * k for k in range(1, 10)]
    states, count = run(system, 0.0, begin, 10 * h, FixedStep(h=h), stop_times=stops)
    assert count.rejected_by_newton >= 1
    assert count.h_shortest == pytest.approx(h / 4)
    assert set(stops) <= {s.t for s in states}
    assert states[-1].h == pytest.approx(h)  # whole again
    exact = run(PushedOn(), 0.0, begin, 10 * h, FixedStep(h=1e-3))[0][-1]
    # steps of h tell to within one of them when the force on the body of 1 kg falls by 2 N
    assert states[-1].v[0] == pytest.approx(exact.v[0], abs=2.0 * h)


def test_start_where_the_force_cannot_be_evaluated():
    system = OneDof(1.0, lambda t, x, v: np.nan, lambda t, x, v: 0.0)
    with pytest.raises(NonConvergence, match="start"):
        start(system, t=0.0, q=np.zeros(1), v=np.zeros(1))


def test_unilateral_spring_against_the_piecewise_closed_form():
    exact = BouncingBody(omega=400.0, g=9.81, height=0.05)
    system, scheme = bouncing(400.0, 9.81, 0.05), GeneralizedAlpha(rho_inf=1.0)
    t_end = 3 * exact.period
    errors = []
    for tolerance in (1e-6, 1e-8):
        states, count = run(system, 0.05, 0.0, t_end, AdaptiveStep(tolerance=tolerance, h_max=0.01), scheme)
        errors.append(largest_error(exact.motion, [s.t for s in states], [s.q[0] for s in states]))
        # At a kink the third derivative jumps by omega^2 v: the error test holds the step at h, the speed is wrong by
        # up to h^2 omega^2 v/8, and the six kinks add up to a position error over the time left.
        jump = exact.omega**2 * exact.impact_speed
        h = (tolerance * exact.height / (scheme.error_constant * jump)) ** (1 / 3)
        assert errors[-1] < 6 * (h**2 * jump / 8) * t_end
        flight = [s.h for s in states if s.q[0] > 0.01]
        contact = [s.h for s in states if s.q[0] < -1e-4]
        assert max(flight) > 5 * max(contact)  # long steps in the air, short ones on the spring
        assert count.rejected_by_newton == 0
    assert errors[0] / errors[1] > 5  # 100^(2/3) = 21, and chance in where the kinks fall


def test_unilateral_spring_keeps_its_energy_over_many_impacts():
    exact = BouncingBody(omega=400.0, g=9.81, height=0.05)
    system = bouncing(400.0, 9.81, 0.05)
    states, _ = run(
        system,
        0.05,
        0.0,
        10 * exact.period,
        AdaptiveStep(tolerance=1e-7, h_max=0.01),
        GeneralizedAlpha(rho_inf=1.0, newton=NewtonParameters(tolerance=1e-10)),
    )
    end = states[-1]
    energy = 0.5 * end.v[0] ** 2 + 9.81 * end.q[0] + 0.5 * 400.0**2 * min(end.q[0], 0.0) ** 2
    assert energy == pytest.approx(9.81 * 0.05, rel=4e-3)  # 20 kinks, each h^2 omega^2/4 = 2e-4 as above


def test_force_with_a_ramp_and_a_prescribed_base():
    # Driven through a spring by a base that moves at constant speed: x follows with the closed-form beat.
    k, u = 100.0, 2.0
    system = OneDof(1.0, lambda t, x, v: k * (u * t - x), lambda t, x, v: -k, displacement_scale=u / 10.0)
    states, _ = run(system, 0.0, 0.0, 2.0, AdaptiveStep(tolerance=1e-6, h_max=0.1))
    errors = [abs(s.q[0] - u * (s.t - np.sin(10 * s.t) / 10.0)) for s in states]
    assert max(errors) < 2e-3 * u / 10.0  # twenty radians of 1e-6^(2/3) = 1e-4


@pytest.mark.parametrize("turns", [0, 10, 1_000, 100_000])
def test_a_wheel_that_has_turned_far_takes_no_more_corrections(turns):
    """Digits of the angle that are lost in the force of a tooth are below what Newton's iteration asks for."""
    k, at = 8e5, turns * 2.0 * np.pi
    system = OneDof(5e-3, lambda t, x, v: k * (at - x), lambda t, x, v: -k, displacement_scale=5e-4, force_scale=400.0)
    _, count = run(system, at + 5e-4, 0.0, 0.01, FixedStep(h=2.5e-5))
    assert count.newton_iterations == count.accepted == 400


@pytest.mark.parametrize(
    ("make", "quantity"),
    [
        (lambda: AdaptiveStep(tolerance=0.0, h_max=1.0), "tolerance"),
        (lambda: AdaptiveStep(tolerance=1e-4, h_max=-1.0), "longest"),
        (lambda: AdaptiveStep(tolerance=1e-4, h_max=1.0, h_min=2.0), "shortest"),
        (lambda: FixedStep(h=0.0), "time step"),
    ],
)
def test_impossible_controls_are_faults(make, quantity):
    with pytest.raises(Fault, match=quantity):
        make()


def deflection_of_a_wheel(start_angle):
    """Wheel of 0.05 kg m2 behind a mesh of 1e6 N m/rad, whose other side is brought to 40 rad/s under a rising load."""
    base = PrescribedRotation(speed_ramp=PiecewiseCubic.step(0.0, 40.0, 0.0, 0.01), start_angle=start_angle)
    load = PiecewiseCubic.step(0.0, 400.0, 0.0, 0.01)
    system = OneDof(
        0.05,
        lambda t, x, v: 1e6 * (base.angle(t) - x) + 9.0 * (base.speed(t) - v) - load.value(t),
        lambda t, x, v: -1e6,
        lambda t, x, v: -9.0,
        displacement_scale=4e-4,
        force_scale=400.0,
    )
    stops = np.linspace(0.0, 0.02, 21)[1:]
    states, count = run(system, start_angle, 0.0, 0.02, AdaptiveStep(tolerance=1e-4, h_max=1e-3), stop_times=stops)
    return np.array([s.q[0] - base.angle(s.t) for s in states if s.t in stops]), count


def test_deflection_does_not_depend_on_how_far_the_wheel_has_turned():
    from_zero, count = deflection_of_a_wheel(0.0)
    far, count_far = deflection_of_a_wheel(1e5)
    assert from_zero[-1] == pytest.approx(-400.0 / 1e6, rel=0.05)  # the static one; exp(-0.9) of the swing is left
    # an angle of 1e5 rad has a round-off of 1.5e-11 rad, some units of it
    np.testing.assert_allclose(far, from_zero, atol=2e-10)
    assert count_far.rejected_by_newton == count.rejected_by_newton == 0
