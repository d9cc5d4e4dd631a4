"""Switches: friction that sticks or slides, and what else is one or the other.

A switch has a relative rate and a friction force along it,

.. math:: r = w \\cdot v, \\qquad Q = -f \\lambda, \\qquad -\\Lambda_b \\le \\lambda \\le \\Lambda_f

It is stuck, r = 0 with lambda a reaction within its bounds, or it slides, forward with lambda = Lambda_f or backward
with lambda = -Lambda_b. Which of the two holds is found for all switches together
(:mod:`alegear.system.complementarity`), and changes at events. A clutch has equal bounds, a freewheel an infinite and a
zero one, a gear with losses bounds that grow with the torque it transmits. The bounds are the larger ones of two
straight lines in the multiplier mu of a constraint,

.. math:: \\Lambda = \\max(c_1 + b_1 \\mu, c_2 + b_2 \\mu)

so that the whole stays linear between changes of modes and lines.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum

from alegear.system.coordinates import Array
from alegear.system.inputs import Inputs
from alegear.system.ode_terms import OdeTerms


class SwitchState(IntEnum):
    """State of a switch, as in results."""

    BACKWARD = -1
    STUCK = 0
    FORWARD = 1
    FREE = 2


#: Axes of the lines of a friction law: direction, line, (constant, slope).
LINES_SHAPE = (2, 2, 2)
AHEAD, BACK = 0, 1


class FrictionLaw(ABC):
    """Bounds of the friction of a switch, as straight lines in the multiplier that loads it.

    Attributes
    ----------
    peak : float
        Bound of the reaction while stuck over the friction of the first sliding, at least 1.
    """

    peak: float = 1.0

    @abstractmethod
    def lines(self, t: float, rate: float, x: Array, v: Array) -> Array:
        """Lines c + b mu of which the larger one is the friction of sliding, (2, 2, 2), not negative where mu may be.

        Parameters
        ----------
        t : float [s]
        rate : float
            Relative rate by magnitude; at 0 the limit from above.
        x, v : shape (n,)
            Of the whole system.
        """

    def lines_at_rest(self, t: float, x: Array, v: Array) -> Array:
        """Lines up to which it is stuck, shape (2, 2, 2): ``peak`` times those of the first sliding."""
        return self.peak * self.lines(t, 0.0, x, v)

    def ode_terms(self) -> OdeTerms | None:
        """What it is to compiled motions of torsional parts; None, by default: it is evaluated in Python."""
        return None

    @property
    def corners(self) -> tuple[float, ...]:
        """Times [s] at which the law has a corner or jumps: steps end there."""
        return ()

    @property
    def period(self) -> float:
        """Shortest period [s] of what the law is given over time: steps are short against it."""
        return math.inf

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs that it takes: without them it has no bounds, which are 0 where they are."""
        return ()

    def with_inputs(self, inputs: Inputs) -> FrictionLaw:
        """The law in a run, with the values that inputs have there."""
        return self


@dataclass(frozen=True, kw_only=True, eq=False)
class Switch:
    """A friction force along a relative rate.

    Parameters
    ----------
    name : str
    rate : shape (n,)
        w: relative rate by the velocities.
    push : shape (n,)
        f: the force on the coordinates is -f lambda; w where friction acts along the rate that it hinders.
    law : FrictionLaw
    follows : int or None
        Number of the constraint whose multiplier is mu; None: the slopes are zero.
    """

    name: str
    rate: Array
    push: Array
    law: FrictionLaw
    follows: int | None = None
