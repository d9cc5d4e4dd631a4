"""The pinion-type cutter that shapes a ring gear: its tooth, its mesh with the ring, the root that it generates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt, tan
from typing import Annotated, ClassVar

import numpy as np

from alegear.arrays import Array, ComplexArray
from alegear.errors import Fault
from alegear.geometry.involute import (
    full_round,
    inv,
    inv_working_angle,
    involute_angle,
    round_angle,
    transverse_pressure_angle,
)
from alegear.geometry.tooth_profile import BasicRack
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr

_FEEDS = 25
#: What else is done for a ring that no cutter makes.
NOT_SHAPED = "or give root_fillet_radius_mm of a ring that is not shaped"


MOST_DEFAULT_TEETH = 30
"""Of a cutter that is not given: about 100 mm, a common size, at a module of 3 to 4 mm."""


#: Of a cutter.
FEWEST_TEETH = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class PinionCutter(ShortRepr):
    """Define a pinion-type cutter by what the basic rack does not say.

    Its module, angles and tip round are those of the ring's basic rack, and its tip reaches the ring's root circle.

    Parameters
    ----------
    z : int
        Number of teeth.
    x : float
        Profile shift: positive of a new cutter, less with each sharpening.

    Raises
    ------
    Fault
    """

    z: Annotated[
        int,
        Limits(
            quantity="teeth of the cutter",
            words="teeth of the pinion cutter of a ring (half of its own, at most 30)",
            key="cutter_teeth",
            least=FEWEST_TEETH,
            most=10_000,
            whole=True,
        ),
    ]
    x: Annotated[
        float,
        Limits(
            quantity="profile shift of the cutter",
            words="profile shift coefficient of that cutter",
            key="cutter_profile_shift",
            least=-2.0,
            most=2.0,
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        check_parameters(self)

    @classmethod
    def for_ring(cls, z: int) -> PinionCutter:
        """Choose the cutter of a ring with |z| teeth: half as many, at most 30, without profile shift."""
        return cls(z=max(FEWEST_TEETH, min(MOST_DEFAULT_TEETH, abs(z) // 2)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Shaping:
    """Put the cutter into mesh with the ring that it finishes, without backlash.

    Lengths of the ring are negative. Index 0 is the cutter's::

        inv alpha_w0 = inv alpha_t + 2 tan alpha_n (x_E + x_0)/(z + z_0),   a_0 = (r_b0 + r_b)/cos alpha_w0
        r_a0 = a_0 - r_f,   r_f = r + (x_E - h_fP) m_n

    Parameters
    ----------
    cutter : PinionCutter
    z : int
        Teeth of the ring, negative.
    m_n : float [m]
        Normal module.
    beta : float [rad]
        Helix angle.
    rack : BasicRack
        Its dedendum says how deep is cut; its root radius is the cutter's tip round, a circle in the transverse
        section.
    x_E : float
        Generating profile shift factor of the ring.

    Raises
    ------
    Fault
        For a cutter that cannot mesh with the ring, and one whose tip has no room for its round.

    Notes
    -----
    Source: ISO 21771:2007, 7 (generation by a pinion-type cutter).
    """

    KEY: ClassVar[str] = "root_radius_factor"

    cutter: PinionCutter
    z: int
    m_n: float
    beta: float
    rack: BasicRack
    x_E: float

    def __post_init__(self) -> None:
        if self._inv_alpha_w <= 0.0 or self.cutter.z >= -self.z:
            most = self._most_teeth
            limit = f"at most {most} for this ring" if most >= 5 else "small enough to mesh with this ring"
            remedy = f"reduce cutter_teeth or cutter_profile_shift, {NOT_SHAPED}"
            raise Fault("teeth of the cutter", self.cutter.z, limit, remedy)
        if self.r_a <= self.r_b:
            raise Fault(
                "tip radius of the cutter [mm]",
                round(1e3 * self.r_a, 6),
                f"above its base radius {1e3 * self.r_b:.4f}",
                "increase cutter_profile_shift or cutter_teeth",
            )
        if self._tip_angle(0.0) <= 0.0:
            raise Fault(
                "tip thickness of the cutter [mm]",
                round(2e3 * self.r_a * self._tip_angle(0.0), 6),
                "above 0: the cutter that reaches the root circle is pointed",
                f"reduce dedendum_factor or cutter_profile_shift, increase cutter_teeth, {NOT_SHAPED}",
            )
        if not self.rho < self.r_a - self.r_b or self._tip_angle(self.rho) < 0.0:
            largest = full_round(r=self.r_a, r_b=self.r_b, psi_b=self.psi_b)
            raise Fault(
                "root radius factor",
                self.rack.root_radius_factor,
                f"at most {largest / self.m_n - 5e-5:.4f}, the full round of the cutter's tip",
                f"reduce root_radius_factor, increase cutter_teeth, {NOT_SHAPED}",
            )

    @property
    def alpha_t(self) -> float:
        """Transverse pressure angle [rad]."""
        return transverse_pressure_angle(self.rack.alpha_n, self.beta)

    @property
    def r_b(self) -> float:
        """Base radius of the cutter [m]."""
        return 0.5 * self.cutter.z * self.m_n / cos(self.beta) * cos(self.alpha_t)

    @property
    def ratio(self) -> float:
        """Teeth of the cutter over those of the ring, negative."""
        return self.cutter.z / self.z

    @property
    def _inv_alpha_w(self) -> float:
        z, x = (self.z, self.cutter.z), self.x_E + self.cutter.x
        return inv_working_angle(z=z, x=x, alpha_n=self.rack.alpha_n, beta=self.beta) if sum(z) else -1.0

    @property
    def _most_teeth(self) -> int:
        """Teeth with which a cutter of this profile shift still has a pressure angle."""
        least_difference = 2.0 * tan(self.rack.alpha_n) * (self.x_E + self.cutter.x) / inv(self.alpha_t)
        return int(-self.z - max(1.0, least_difference + 1.0))

    @property
    def alpha_w(self) -> float:
        """Working transverse pressure angle of cutter and ring [rad]."""
        return involute_angle(self._inv_alpha_w)

    @property
    def a(self) -> float:
        """Centre distance at full depth [m], negative."""
        return self.r_b * (1.0 + 1.0 / self.ratio) / cos(self.alpha_w)

    @property
    def line_of_action(self) -> float:
        """a_0 sin alpha_w0 [m], negative."""
        return self.a * sin(self.alpha_w)

    @property
    def r_w(self) -> float:
        """Pitch radius of the cutter [m]."""
        return self.r_b / cos(self.alpha_w)

    @property
    def r_f(self) -> float:
        """Root radius of the ring [m], negative."""
        return 0.5 * self.z * self.m_n / cos(self.beta) + (self.x_E - self.rack.dedendum_factor) * self.m_n

    @property
    def r_a(self) -> float:
        """Tip radius of the cutter [m]."""
        return self.a - self.r_f

    @property
    def rho(self) -> float:
        """Tip round of the cutter [m]."""
        return self.rack.root_radius_factor * self.m_n

    @property
    def psi_b(self) -> float:
        """Half the cutter's tooth at its base circle [rad]."""
        return (pi / 2.0 + 2.0 * self.cutter.x * tan(self.rack.alpha_n)) / self.cutter.z + inv(self.alpha_t)

    @property
    def roll_length_round(self) -> float:
        """Roll length of the cutter where its flank runs into the round [m]."""
        return self.rho + sqrt((self.r_a - self.rho) ** 2 - self.r_b**2)

    @property
    def round_centre(self) -> tuple[float, float]:
        """Radius [m] of the round's centre, and its angle [rad] from the middle of the cutter's tooth."""
        return self.r_a - self.rho, self._tip_angle(self.rho)

    @property
    def roll_length_form(self) -> float:
        """Roll length of the ring's root form point [m], negative."""
        return self.line_of_action - self.roll_length_round

    @property
    def longest_tip(self) -> float:
        """Roll length of the highest tip of the ring for which the cutter has an involute [m], negative."""
        return self.line_of_action

    def feeds(self, r_a: float) -> Sequence[float]:
        """Centre distances by magnitude from full depth to where the cutter first meets a tip circle [m]."""
        first = min(abs(r_a) - self.r_a, -self.a)
        return [float(a) for a in np.linspace(-self.a, max(first, 1e-3 * self.m_n), _FEEDS)]

    @property
    def root_curve(self) -> CutterTrochoid:
        """The root that the round generates."""
        radius, angle = self.round_centre
        return CutterTrochoid(a=-self.a, r_w=self.r_w, r_c=radius, theta_c=angle, rho=self.rho, ratio=-self.ratio)

    @property
    def tau_form(self) -> float:
        """Parameter of the root curve at the root form point [rad]."""
        return self.round_centre[1] - self.psi_b + self.roll_length_round / self.r_b

    def _tip_angle(self, rho: float) -> float:
        """Angle from the tooth's middle to the centre of a round [rad]."""
        return round_angle(rho, r=self.r_a, r_b=self.r_b, psi_b=self.psi_b)


@dataclass(frozen=True, kw_only=True, eq=False)
class CutterTrochoid:
    """Generate the root curve of a ring as the envelope of the tip round of a cutter that rolls in it.

    Frame: origin on the ring's axis, the real axis through the middle of the tooth space; the curve has negative polar
    angles, as all angles of a ring. In the cutter's frame, its tooth along the real axis, a point of the round is ::

        c = r_c exp(-i theta_c) + rho n,   n = exp(-i (theta_c + pi/2 - tau)),   tau = tau_form (flank) ... pi/2 (tip)

    It is on the envelope when its normal passes through the pitch point, where it leaves the cutter's pitch circle:
    ``P = c + s n``, |P| = r_w. The cutter has then turned by ``-arg P``, the ring by the part z_0/|z| of it::

        w = (a + c exp(-i arg P)) exp(i z_0/|z| arg P)

    With a = 0 and z_0 = |z| nothing rolls, and the root is the arc of the round itself.

    Parameters
    ----------
    a : float [m]
        Magnitude of the centre distance.
    r_w : float [m]
        Pitch radius of the cutter.
    r_c : float [m], theta_c : float [rad]
        Centre of the round: its distance from the cutter's axis, its angle from the tooth's middle.
    rho : float [m]
        Radius of the round; 0 is a sharp corner.
    ratio : float
        Teeth of the cutter over those of the ring, positive.
    """

    a: float
    r_w: float
    r_c: float
    theta_c: float
    rho: float
    ratio: float

    @property
    def root_circle_angle(self) -> float:
        """Angle of the root circle from its end to the middle of the space [rad], negative."""
        return -self.ratio * self.theta_c

    def _position(self, tau: Array) -> tuple[ComplexArray, ComplexArray, Array, Array]:
        """Return the normal n, the point c in the cutter's frame, arg P and its derivative by tau."""
        turn = np.pi / 2.0 - np.asarray(tau, dtype=float)
        n = np.exp(-1j * (self.theta_c + turn))
        across = self.r_c * np.sin(turn)  # of the normal's line from the cutter's axis
        along = np.sqrt(self.r_w**2 - across**2)
        s = along - self.r_c * np.cos(turn)  # from the centre of the round to the pitch circle
        P = self.r_c * np.exp(-1j * self.theta_c) + s * n
        # d|P| = 0 and dn/dtau = i n:  dP = (s' + i s) n,  s' P.n = -s P.(i n)
        rate = -s * np.real(np.conj(P) * 1j * n) / along
        turning = np.imag(np.conj(P) * (rate + 1j * s) * n) / self.r_w**2
        return n, self.r_c * np.exp(-1j * self.theta_c) + self.rho * n, np.angle(P), turning

    def points(self, tau: Array) -> ComplexArray:
        """Return the envelope's points w(tau)."""
        _, c, angle, _ = self._position(tau)
        return self.a * np.exp(1j * self.ratio * angle) + c * np.exp(-1j * (1.0 - self.ratio) * angle)

    def tangents(self, tau: Array) -> ComplexArray:
        """Return the unit tangents in the direction of rising tau (to the root circle)."""
        n, _, angle, _ = self._position(tau)
        return 1j * n * np.exp(-1j * (1.0 - self.ratio) * angle)

    def speed(self, tau: Array) -> Array:
        """Return ds/dtau [m], positive where the envelope is regular."""
        n, c, angle, turning = self._position(tau)
        ahead = 1j * self.ratio * turning * self.a * np.exp(1j * angle)
        own = 1j * self.rho * n - 1j * (1.0 - self.ratio) * turning * c
        return np.real(np.conj(1j * n) * (ahead + own))

    def curvature(self, tau: Array) -> Array:
        """Return the curvature [1/m], positive convex: a fillet is negative."""
        _, _, _, turning = self._position(tau)
        return -(1.0 - (1.0 - self.ratio) * turning) / self.speed(tau)
