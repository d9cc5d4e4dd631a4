"""The torques are derivatives of the energy, and the tangents derivatives of the torques.

Central differences need a state away from kinks: the same points carry before and after each small turn, and none of
their feet passes a row of the grid, where the second derivative of the displacement along the profile jumps. Both is
asserted for every state.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from contact_answers import forces_at
from numpy.testing import assert_allclose
from small_pair import NO_FRICTION, RELIEVED, contact_pair, penalty, rotations

from alegear.contact.law import Friction, PenaltyLaw
from alegear.contact.penalty import _kernels as kernels
from alegear.contact.penalty.search import SearchRoom
from alegear.contact.penalty.solution import ElasticHistory

TURN = 2e-8  # [rad]; moves a foot by 1e-9 m and leaves 1e-9 of round-off in the difference of the torques
SPEED = 1e-4  # [rad/s]
CLOSE = 1e-6  # relative; differences are good to 1e-8, a wrong term shows at 1e-5 and more


@dataclass(frozen=True, kw_only=True)
class State:
    """A pair, a law, and rotations and speeds at which to look."""

    law: PenaltyLaw = field(default_factory=penalty)
    friction: Friction = NO_FRICTION
    driver: str = "pinion"
    microgeometry: str = ""
    phase: float = 0.37
    deflection: float = 2e-5
    omega: tuple[float, float] = (0.0, 0.0)
    damped: bool = False


# Friction laws on a long slope, so that no point passes a speed where two steps join: sliding here is 0.05 to 0.5 m/s.
SLOPE = Friction(kind="velocity", mu_static=0.1, mu_dynamic=0.05, v_static=0.01, v_dynamic=3.0)
STATIC_SLOPE = Friction(kind="velocity", mu_static=0.1, mu_dynamic=0.05, v_static=5.0, v_dynamic=6.0)
COULOMB = Friction(kind="coulomb", mu_dynamic=0.05, v_static=3.0)
ELASTIC = {
    "two pairs": State(),
    "one pair": State(phase=0.12),
    "approach": State(phase=-0.33),
    "exponent 1.5": State(law=penalty(stiffness=1e17, exponent=1.5)),
    "unequal passes": State(law=penalty(pass_weight=0.3)),
    "first pass only": State(law=penalty(pass_weight=1.0)),
    "second pass only": State(law=penalty(pass_weight=0.0)),
    "flank b": State(driver="wheel", phase=0.3),
    "relief and crowning": State(microgeometry=RELIEVED, phase=0.41),
    "relief and crowning, flank b, exponent 1.5": State(
        microgeometry=RELIEVED, driver="wheel", phase=-0.3, law=penalty(stiffness=1e17, exponent=1.5)
    ),
}
RUNNING = {
    "friction, velocity law": State(friction=SLOPE, omega=(30.0, 20.0)),
    "friction, around standstill": State(friction=STATIC_SLOPE, omega=(30.0, 20.0)),
    "friction, Coulomb": State(friction=COULOMB, omega=(30.0, 20.0)),
    "friction, running back": State(friction=SLOPE, omega=(-30.0, -20.0)),
    "damping": State(law=penalty(damping=3e9), damped=True, omega=(30.0, 19.5)),
    "damping that fades in": State(law=penalty(damping=3e9, damping_depth=2e-5), damped=True, omega=(30.0, 19.5)),
    "damping that fades out": State(law=penalty(damping=3e9, damping_depth=2e-5), damped=True, omega=(30.0, 20.5)),
    "all at once": State(
        law=penalty(stiffness=1e17, exponent=1.5, damping=3e9, pass_weight=0.4),
        damped=True,
        friction=SLOPE,
        omega=(30.0, 19.5),
        microgeometry=RELIEVED,
    ),
    "all at once, flank b": State(
        # the damping fades in over a long way: differences of 1e-9 m do not resolve half a micrometre to 1e-6
        law=penalty(stiffness=1e17, exponent=1.5, damping=3e9, damping_depth=2e-5),
        damped=True,
        friction=SLOPE,
        omega=(30.0, 20.5),
        microgeometry=RELIEVED,
        driver="wheel",
    ),
}


class Evaluator:
    """Evaluates around a state; the displacement before, for a damped contact, stays frozen."""

    def __init__(self, state):
        self.contact = contact_pair(
            microgeometry=state.microgeometry, driver=state.driver, law=state.law, friction=state.friction
        )
        self.phi = rotations(self.contact, state.phase, state.deflection, state.driver)
        self.omega = np.array(state.omega)
        self.history = None
        if state.damped:
            step = 1e-5
            before = forces_at(self.contact, self.phi - step * self.omega, tangent=False)
            self.history = ElasticHistory(displacement=before.displacement, step=step)

    def __call__(self, turn=(0.0, 0.0), faster=(0.0, 0.0), *, tangent=False):
        return forces_at(
            self.contact,
            self.phi + turn,
            self.omega + faster,
            history=self.history,
            tangent=tangent,
        )

    def assert_away_from_kinks(self):
        """Around the state the same points carry, with their feet between the same rows."""
        loaded, between = [], []
        for turn in [np.zeros(2), *(sign * TURN * np.eye(2)[j] for j in range(2) for sign in (-1.0, 1.0))]:
            forces = self(turn)
            carries = forces.normal_force > 0.0
            loaded.append((forces.slot[carries].tolist(), forces.gauss[carries].tolist()))
            found = self.contact.search.find(SearchRoom(), self.phi + turn, 1e-4)
            feet = [
                np.searchsorted(
                    self.contact.flanks[1 - secondary].grid.rows_s, found.table[rows, kernels.S_FOOT]
                ).tolist()
                for secondary, rows in enumerate(found.passes)
            ]
            between.append((found.slot.tolist(), found.gauss.tolist(), feet))
        assert all(these == loaded[0] for these in loaded)
        assert all(these == between[0] for these in between)


def difference(function, step):
    """Central differences with respect to both arguments, last axis."""
    directions = step * np.eye(2)
    return np.stack([(function(d) - function(-d)) / (2.0 * step) for d in directions], axis=-1)


def parametrize(states):
    return pytest.mark.parametrize("state", states.values(), ids=states.keys())


@parametrize(ELASTIC)
def test_torque_is_minus_the_derivative_of_the_energy(state):
    evaluate = Evaluator(state)
    evaluate.assert_away_from_kinks()
    forces = evaluate()
    assert forces.energy > 0.0
    slope = difference(lambda turn: evaluate(turn).energy, TURN)
    assert_allclose(forces.torque, -slope, rtol=0.0, atol=CLOSE * np.abs(slope).max())


@parametrize(ELASTIC | RUNNING)
def test_tangent_of_the_rotations(state):
    evaluate = Evaluator(state)
    evaluate.assert_away_from_kinks()
    tangent = evaluate(tangent=True).torque_phi
    slope = difference(lambda turn: evaluate(turn).torque, TURN)
    assert_allclose(tangent, slope, rtol=0.0, atol=CLOSE * np.abs(slope).max())


@parametrize(RUNNING)
def test_tangent_of_the_speeds(state):
    evaluate = Evaluator(state)
    evaluate.assert_away_from_kinks()
    tangent = evaluate(tangent=True).torque_omega
    slope = difference(lambda faster: evaluate((0.0, 0.0), faster).torque, SPEED)
    assert np.abs(slope).max() > 1e-4  # the state feels its speeds
    assert_allclose(tangent, slope, rtol=0.0, atol=CLOSE * np.abs(slope).max())


@parametrize(ELASTIC)
def test_an_elastic_pair_does_not_feel_speed(state):
    evaluate = Evaluator(state)
    assert not evaluate(tangent=True).torque_omega.any()
    assert_allclose(evaluate((0.0, 0.0), (100.0, -30.0)).torque, evaluate().torque, rtol=1e-12)


@parametrize(ELASTIC)
def test_the_tangent_of_an_elastic_pair_is_symmetric(state):
    """It is minus the Hessian of an energy."""
    tangent = Evaluator(state)(tangent=True).torque_phi
    assert_allclose(tangent, tangent.T, rtol=0.0, atol=1e-9 * np.abs(tangent).max())  # round-off of the solve


def test_tangents_on_request_only():
    forces = Evaluator(State())()
    assert forces.torque_phi is None
    assert forces.torque_omega is None


def test_friction_takes_power():
    omega = np.array([30.0, 20.0])
    smooth, rough = (contact_pair(friction=f) for f in (NO_FRICTION, SLOPE))
    phi = rotations(smooth, -0.3, 2e-5)
    assert -forces_at(rough, phi, omega).torque @ omega > -forces_at(smooth, phi, omega).torque @ omega
    assert_allclose(forces_at(rough, phi).torque, forces_at(smooth, phi).torque, rtol=1e-12)  # no sliding, no friction
