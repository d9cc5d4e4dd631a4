"""A spring and a damper along the line between two points of bodies in space: a string, a strut, a coil spring."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from alegear.errors import Fault
from alegear.limits import Limits, check_type
from alegear.parameters import check_parameters
from alegear.system.body_frame import JoinedFrames
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.element import ElementEnergy, ElementForces, StatelessElement
from alegear.system.rotation import skew

Stiffness = Annotated[float, Limits(quantity="stiffness", unit="N/m", least=0.0, most=1e15)]
Damping = Annotated[float, Limits(quantity="damping", unit="N s/m", least=0.0, most=1e15)]
FREE_LENGTH = Limits(
    quantity="free length", words="length without load (that at the start)", unit="mm", least=0.0, most=1e9
)


@dataclass(frozen=True, kw_only=True, eq=False)
class PointSpring(Part):
    """A spring and a damper between two points, ``F = k (l - l_0) + d dl/dt`` along the line that joins them.

    It pulls where F is positive, and pushes where it is shorter than its free length.

    Parameters
    ----------
    name : str
    between : (str, str)
        Floating bodies, bodies on hinges, or the ground.
    stiffness : float [N/m], damping : float [N s/m]
    free_length : float [m]
        l_0.
    points : (shape (3,), shape (3,)) [m]
        In the frames of the bodies.

    Raises
    ------
    Fault
        Also where it neither springs nor damps.
    """

    name: str
    between: tuple[str, str]
    stiffness: Stiffness = 0.0
    damping: Damping = 0.0
    free_length: Annotated[float, FREE_LENGTH] = 0.0
    points: tuple[Array, Array] = field(default_factory=lambda: (np.zeros(3), np.zeros(3)))

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_parameters(self)
        if not self.stiffness and not self.damping:
            what = f"stiffness and damping of {self.name}"
            raise Fault(what, "0", "one of them at least", "give stiffness_N_per_m, or leave the part out")

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the element."""
        builder.element(PointSpringOfFrames(self, builder.joined(self.between, self.name)))


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class SpringState:
    """Length l [m], its rate [m/s] and the tension F [N] of a spring between points."""

    length: float
    rate: float
    tension: float


class PointSpringOfFrames(StatelessElement):
    """A spring between two points as an element of a system.

    Parameters
    ----------
    spring : PointSpring
    frames : JoinedFrames
    """

    def __init__(self, spring: PointSpring, frames: JoinedFrames) -> None:
        self.name, self._spring, self._frames = spring.name, spring, frames
        self.coordinates = frames.coordinates

    def ends(self, x: Array) -> tuple[Array, Array]:
        """Both points in space, shape (3,) each [m], at its own coordinates."""
        one, two = (p + R @ s for (p, R), s in zip(self._frames.at(x), self._spring.points, strict=True))
        return one, two

    def evaluate(self, t: float, x: Array, v: Array, data: None) -> ElementForces:
        """Forces ``-F B^T e`` with e the direction of the line and B the motion of its end, and their tangents.

        The points move by ``d = B (v_1, w_1, v_2, w_2)``, and the force by ``dF e + F (1 - e e^T)/l d``.
        """
        one, rows = self._spring, self._frames.rows
        (p_1, R_1), (p_2, R_2) = self._frames.at(x)
        s_1, s_2 = one.points
        line = p_2 + R_2 @ s_2 - p_1 - R_1 @ s_1
        length = float(np.linalg.norm(line))
        if not length > 0.0:
            return ElementForces.failed(len(x), "both points are one, and the line between them has no direction")
        e = line / length
        B = np.hstack([-np.eye(3), R_1 @ skew(s_1), np.eye(3), -R_2 @ skew(s_2)])
        motion = rows @ v
        rate_3 = B @ motion
        rate = float(e @ rate_3)
        tension = one.stiffness * (length - one.free_length) + one.damping * rate
        pull = tension * e
        across = (np.eye(3) - np.outer(e, e)) / length
        by_v = -one.damping * np.outer(B.T @ e, e @ B)
        # the end of the line moves, and turns with both bodies: rates at constant velocities, lever arms
        rate_by_x = rate_3 @ across @ B
        w_1, w_2 = motion[3:6], motion[9:]
        rate_by_x[3:6] += e @ R_1 @ skew(np.cross(w_1, s_1))
        rate_by_x[9:] -= e @ R_2 @ skew(np.cross(w_2, s_2))
        pull_by_x = one.stiffness * np.outer(e, e @ B) + one.damping * np.outer(e, rate_by_x) + tension * across @ B
        by_x = -B.T @ pull_by_x
        # -B^T F: on the first body F, s_1 x R_1^T F; on the second -F, -s_2 x R_2^T F
        by_x[3:6, 3:6] += skew(s_1) @ skew(R_1.T @ pull)
        by_x[9:, 9:] -= skew(s_2) @ skew(R_2.T @ pull)
        return ElementForces(
            Q=-rows.T @ (B.T @ pull),
            by_x=rows.T @ by_x @ rows,
            by_v=rows.T @ by_v @ rows,
            response=SpringState(length=length, rate=rate, tension=tension),
        )

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: None) -> ElementEnergy:
        """``k (l - l_0)^2/2``, and the power ``d (dl/dt)^2`` of the damper."""
        here, one = forces.response, self._spring
        assert isinstance(here, SpringState)
        stored = 0.5 * one.stiffness * (here.length - one.free_length) ** 2
        return ElementEnergy(stored=stored, damping_power=one.damping * here.rate**2)
