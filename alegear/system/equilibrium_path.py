"""Equilibrium paths of driven mechanisms: each position from the one before, in steps of limited rotation.

Angles of bodies are known up to whole turns, and the equations of teeth that have rolled by psi are met by psi + 2 pi
as well: from a rest that is far away Newton's iteration may come to one in which a wheel has turned by another wheel's
whole turns. So a step in which a joint leads or anything in a joint turns by more than :data:`TURN` is divided.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from alegear.errors import NonConvergence, OutOfRange
from alegear.system.coordinates import Array
from alegear.system.equilibrium import Equilibrium, solve_equilibrium
from alegear.system.model import SystemData, SystemModel

#: Largest angle of a step [rad], how often a step may be halved for it, and where nothing converges.
TURN, HALVINGS, RETRIES = 0.5, 12, 4


class EquilibriumPath:
    """Rests over time.

    Parameters
    ----------
    model : SystemModel
    data : SystemData
    kept : callable of (t, Equilibrium)
        Takes a rest as it is, or refuses it.

    Attributes
    ----------
    iterations : int
        Of Newton's method, all together.
    """

    def __init__(self, model: SystemModel, data: SystemData, kept: Callable[[float, Equilibrium], Equilibrium]) -> None:
        self.model, self.data, self._kept = model, data, kept
        self.iterations = 0
        self._t, self._x = 0.0, np.empty(0)
        of_turns = {k + i for k in model.rotation_vectors for i in range(3)}
        joined = {int(i) for joint in model.joints for i in joint.coordinates}
        # rolls of wheels, and what only turns with the angle of a hinge; rotation vectors know no whole turns
        self._angles = [i for i in sorted(joined - of_turns) if model.coordinates[i].unit == "rad"]

    def to(self, t: float) -> Equilibrium:
        """The rest at t [s], from the one before; the first from where the bodies stand.

        Raises
        ------
        OutOfRange
            Where a joint leads too far, or something jumps.
        NonConvergence
        """
        if not len(self._x):
            return self._take(t, self._solved(t, None))
        begin, ends = self._t, [t]
        while True:
            end = ends[-1]
            part = (end - self._t) / (t - begin)
            if self._too_far(end, part):
                ends.append(0.5 * (self._t + end))
                continue
            try:
                found = self._solved(end, self._x)
            except NonConvergence:
                if part < 1.5 * 0.5**RETRIES:
                    raise
                ends.append(0.5 * (self._t + end))
                continue
            if self._jumps(found.x, end, part):
                ends.append(0.5 * (self._t + end))
                continue
            self._take(ends.pop(), found)
            if not ends:
                return found

    def _solved(self, t: float, x: Array | None) -> Equilibrium:
        found = solve_equilibrium(self.model, self.data, t=t, x=x)
        self.iterations += found.iterations
        return found

    def _take(self, t: float, found: Equilibrium) -> Equilibrium:
        self._t, self._x = t, found.x
        return self._kept(t, found)

    def _too_far(self, end: float, part: float) -> bool:
        """Whether a joint leads too far for one step."""
        joint = max(self.model.joints, key=lambda one: one.led_by(self._t, end), default=None)
        angle = 0.0 if joint is None else joint.led_by(self._t, end)
        if joint is None or angle <= TURN:
            return False
        self._check_part(f"rotation of {joint.name}", angle, end, part, "give more positions")
        return True

    def _jumps(self, x: Array, end: float, part: float) -> bool:
        """Whether an angle that knows whole turns has changed too much for one step."""
        if not self._angles:
            return False
        turned = np.abs(x - self._x)[self._angles]
        most = int(np.argmax(turned))
        if turned[most] <= TURN:
            return False
        what = self.model.coordinates[self._angles[most]].in_words
        remedy = 'give more positions; what jumps from rest to rest is a motion: write kind = "dynamic"'
        self._check_part(what, float(turned[most]), end, part, remedy)
        return True

    def _check_part(self, what: str, angle: float, end: float, part: float, remedy: str) -> None:
        if part < 1.5 * 0.5**HALVINGS:
            what = f"{what} from t = {self._t:.9g} to {end:.9g} s [rad]"
            raise OutOfRange(
                what, f"{angle:.4g}", f"at most {TURN}, {2**HALVINGS} steps from position to position", remedy
            )
