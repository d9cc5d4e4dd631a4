r"""The angle of a hinge in space as the angle of a torsional part: shafts, springs, motors on a mechanism.

With e_1, e_2 across the axis in the first body, b that is e_1 in the second where the angle is phi_0,

.. math:: g = (R_1 a(\phi)) \cdot (R_2 b), \quad a(\phi) = \cos(\phi - \phi_0) \, e_2 - \sin(\phi - \phi_0) \, e_1

for the angle phi of the part. What turns the part so turns the second body against the first; phi counts turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from alegear.system.body_frame import JoinedFrames, Position
from alegear.system.builder import Part, SystemBuilder
from alegear.system.coordinates import ROTATION, Array, Scales
from alegear.system.holonomic import Joint
from alegear.system.spatial.joints import Perpendicularity, normals


@dataclass(frozen=True, kw_only=True, eq=False)
class HingeAngle(Part):
    """Make the angle of a torsional part that of the second body against the first, beside their hinge.

    Parameters
    ----------
    name : str
    between : (str, str)
        Floating bodies, bodies on hinges, or the ground.
    axis : shape (3,)
        Of the hinge, in the frame of the first body.
    rotor : str
        What only turns, or a shaft on a hinge: it may be without inertia.
    point : shape (3,) [m]
        Of the hinge in the frame of the second body, where results tell the torque.
    """

    name: str
    between: tuple[str, str]
    axis: Array
    rotor: str
    point: Array

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the equation; it holds where bodies and rotor start."""
        rotor = builder.rotation(self.rotor, self.name)
        frames = builder.joined(self.between, self.name, (rotor,))
        (_, R_1), (_, R_2) = (builder.started(frame) for frame in frames.frames)
        e_1, e_2, _ = normals(self.name, self.axis)
        directions = e_1, e_2, R_2.T @ (R_1 @ e_1), builder.started_at(rotor)
        builder.joint(AngleOfFrames(self, frames, rotor, directions, builder.scales))


class AngleOfFrames(Joint):
    """The angle between two frames as a coordinate.

    Parameters
    ----------
    angle : HingeAngle
    frames : JoinedFrames
        With the rotor.
    rotor : int
        Coordinate phi.
    directions : (shape (3,), shape (3,), shape (3,), float)
        e_1, e_2, b and phi_0.
    scales : Scales
        By which misfits matter.
    """

    n_equations = 1

    def __init__(
        self,
        angle: HingeAngle,
        frames: JoinedFrames,
        rotor: int,
        directions: tuple[Array, Array, Array, float],
        scales: Scales,
    ) -> None:
        self.name, self._point, self._frames, self._directions = angle.name, angle.point, frames, directions
        self.coordinates, self._rows = frames.coordinates, frames.rows
        self._rotor = int(np.searchsorted(self.coordinates, rotor))
        self.without_inertia = (rotor,)
        self.scale = np.array([scales.displacement(ROTATION)])

    def _at(self, x: Array) -> tuple[Position, Position, Perpendicularity, Perpendicularity]:
        """Both positions, the condition at phi, and its derivative by phi."""
        one, two = self._frames.at(x)
        e_1, e_2, b, beginning = self._directions
        c, s = cos(x[self._rotor] - beginning), sin(x[self._rotor] - beginning)
        there, changing = (Perpendicularity(first=a, second=b) for a in (c * e_2 - s * e_1, -s * e_2 - c * e_1))
        return one, two, there, changing

    def misfit(self, t: float, x: Array) -> tuple[Array, Array]:
        """g and its derivatives."""
        one, two, there, changing = self._at(x)
        g, G = there.evaluate(t, one, two)
        return g, np.hstack([G, changing.evaluate(t, one, two)[0][:, None]]) @ self._rows

    def curvature(self, t: float, x: Array, multipliers: Array) -> Array:
        """Derivative of G^T lambda."""
        one, two, there, changing = self._at(x)
        K = np.zeros((13, 13))
        K[:12, :12] = there.curvature(t, one, two, multipliers)
        K[12, :12] = K[:12, 12] = multipliers[0] * changing.evaluate(t, one, two)[1][0]
        K[12, 12] = -multipliers[0] * there.evaluate(t, one, two)[0][0]  # a'' = -a
        return np.asarray(self._rows.T @ K @ self._rows)

    def reaction(self, t: float, x: Array, multipliers: Array) -> tuple[Array, Array, Array]:
        """Force [N] and torque [N m] of the rotor on the second body, and the point of the hinge there [m]."""
        one, two, there, _ = self._at(x)
        p, R = two
        return np.zeros(3), R @ (-multipliers[0] * there.evaluate(t, one, two)[1][0, 9:]), p + R @ self._point
