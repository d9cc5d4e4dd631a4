r"""Two toothed bodies that roll on each other in space without slip and backlash: a joint of three equations.

Each side has a contact frame: a point c and the triad nu_1, nu_2, nu_3 of its teeth, that follow from the position of
its body and from its roll psi against the frame. With both sides A and B

.. math::
    g_1 = \cos\alpha_n (k_A \psi_A + k_B \psi_B), \quad
    g_2 = (c_A - c_B) \cdot \nu_3^A, \quad
    g_3 = \nu_2^A \cdot \nu_3^B

where k psi is the displacement of the teeth across their flanks. The rolls have no inertia: g_2 and g_3 determine them,
and lambda_1 is the force normal to the flanks, as lambda_2 = lambda_1 cos alpha_n and lambda_3 = 0 balance them. What
else acts at the contact point does not follow from these equations: the teeth push apart, whichever flanks bear, and
rub along the tooth,

.. math::
    F_A = -F_B = -|\lambda_1| \, [\sin\alpha_n \nu_2 + \mu(v_1) \nu_1], \quad
    \mu(v) = \mu \, v / \sqrt{v^2 + v_r^2}, \quad v_1 = \nu_1 \cdot (v_A - v_B)

with velocities v_A, v_B of the material of both sides at the contact point c_B, where these forces act on both.

Source: Cardona, Int. J. Numer. Methods Eng. 40 (1997) 357-381, equations 28-30, 37, 50, 71; all tangents are derived
here from the motion (dc, dOmega) of the contact frames, those of the radial and of the friction force included.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin, sqrt
from typing import Annotated, ClassVar

import numpy as np

from alegear.drivetrain.spatial.engagement import Engagement, engaged
from alegear.drivetrain.spatial.toothed_bodies import DEGREE, SpatialGear, SpatialRack, ToothedBody, ToothedSide
from alegear.errors import Fault, OutOfRange
from alegear.limits import Limits, check_kind
from alegear.parameters import Names
from alegear.system.body_frame import BodyFrame, JoinedFrames
from alegear.system.builder import SystemBuilder
from alegear.system.coordinates import Array
from alegear.system.holonomic import Joint, JointForces
from alegear.system.machine_part import GearInSpace, MachinePart
from alegear.system.rotation import cross, skew

#: Motion of a body's frame and roll: velocity (3), angular velocity (3), rate of the roll.
SIDE = 7
#: How far apart and how close bodies may come, over the normal module: the depth to which teeth of the basic rack of
#: ISO 53 engage, where they let go; their clearance, where tips touch bottoms.
DEPTH, CLEARANCE = 2.0, 0.25
#: Angle between the teeth of both sides [rad] at which faces of ten modules that touch at one end let go at the other.
TILT = DEPTH / 10.0
_ONE = np.eye(3)


@dataclass(frozen=True, kw_only=True, eq=False)
class SpatialMesh(MachinePart):
    """Rigid teeth between two gears, or a gear and a rack, of the tables above.

    They must be in mesh where their bodies start.

    Raises
    ------
    Fault
    """

    TABLE: ClassVar[str] = "spatial_meshes"
    in_space: ClassVar[bool] = True

    gears: Annotated[
        tuple[SpatialGear | SpatialRack, SpatialGear | SpatialRack],
        Names("names of two of [spatial_gears] and [spatial_racks]", 2),
    ]
    friction: Annotated[
        float,
        Limits(quantity="coefficient of friction", words="friction coefficient along the tooth", least=0.0, most=2.0),
    ] = 0.0
    least_sliding: Annotated[
        float | None,
        Limits(
            quantity="sliding velocity of full friction",
            words="sliding velocity below which friction falls to zero; needed with friction,",
            unit="m/s",
            least=0.0,
            above=True,
            most=100.0,
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for gear in self.gears:
            check_kind(gear, f"SpatialMesh.gears of {self.label}", ToothedBody)
        if self.gears[0].body == self.gears[1].body:
            raise Fault(f"bodies of {self.label}", f'"{self.gears[0].body}" twice', "two", "put a gear on another body")
        if self.friction and self.least_sliding is None:
            what, limit = f"least sliding velocity of {self.label}", "given with friction"
            remedy = "give least_sliding_m_per_s, well below the sliding velocities of interest"
            raise Fault(what, None, limit, remedy)
        if not self.friction and self.least_sliding is not None:
            what, limit = f"least sliding velocity of {self.label}", "left out: it has no effect without friction"
            raise Fault(what, self.least_sliding, limit, "leave it out")

    @property
    def gears_in_space(self) -> tuple[GearInSpace, ...]:
        """Both gears."""
        return tuple(self.gears)

    @property
    def of_motion(self) -> tuple[tuple[str, float], ...]:
        """What has an effect only where bodies move, and its value."""
        return ((f"friction of {self.name}", self.friction),) if self.friction else ()

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the rolls of both sides and the joint."""
        frames = tuple(builder.frame(gear.body, self.name) for gear in self.gears)
        positions = tuple(builder.started(frame) for frame in frames)
        engagement = engaged(self.name, self.gears, positions)  # type: ignore[arg-type]
        rolls = []
        for word, side in zip(("first", "second"), engagement.sides, strict=True):
            size, rolling = builder.scales.deflection / side.rolls, builder.scales.force * side.rolls
            unit = "rad" if side.radius else "m"
            rolls.append(
                builder.coordinate(
                    self.name, f"roll of its {word} gear", displacement_scale=size, force_scale=rolling, unit=unit
                )
            )
        builder.joint(
            GearJoint(self, engagement, (frames[0], frames[1]), (rolls[0], rolls[1]), builder.scales.deflection)
        )


class GearJoint(Joint):
    """A mesh in space as equations between coordinates.

    Parameters
    ----------
    mesh : SpatialMesh
    engagement : Engagement
    frames : (BodyFrame, BodyFrame)
    rolls : (int, int)
        Coordinates of the rolls.
    length : float [m]
        Size of a misfit that matters.
    """

    n_equations = 3

    def __init__(
        self,
        mesh: SpatialMesh,
        engagement: Engagement,
        frames: tuple[BodyFrame, BodyFrame],
        rolls: tuple[int, int],
        length: float,
    ) -> None:
        self.name, self.mesh, self._sides, self._frames = mesh.name, mesh, engagement.sides, JoinedFrames(frames, rolls)
        self.without_inertia = rolls
        self._sin, self._cos = sin(engagement.pressure_angle), cos(engagement.pressure_angle)
        self.coordinates = self._frames.coordinates
        self._rows = self._frames.rows[[*range(6), 12, *range(6, 12), 13]]
        self._roll = [int(np.searchsorted(self.coordinates, roll)) for roll in rolls]
        radius = max(side.radius for side in self._sides)
        self.scale = np.array([length, length, length / radius])

    def _contact(self, x: Array) -> tuple[_Contact, _Contact]:
        one, two = (
            _Contact.of(side, *position, float(x[roll]))
            for side, position, roll in zip(self._sides, self._frames.at(x), self._roll, strict=True)
        )
        return one, two

    def misfit(self, t: float, x: Array) -> tuple[Array, Array]:
        """g_1, g_2, g_3 and their derivatives."""
        return self._misfit(x, *self._contact(x))

    def _misfit(self, x: Array, A: _Contact, B: _Contact) -> tuple[Array, Array]:
        k = [self._cos * side.rolls for side in self._sides]
        g = np.array([k[0] * x[self._roll[0]] + k[1] * x[self._roll[1]], (A.c - B.c) @ A.nu[2], A.nu[1] @ B.nu[2]])
        G = np.zeros((3, 2 * SIDE))
        G[0, SIDE - 1], G[0, 2 * SIDE - 1] = k
        for i, multipliers in enumerate(_ONE[1:]):
            f_A, f_B = _along(A, B, multipliers)
            G[i + 1, :SIDE], G[i + 1, SIDE:] = f_A @ A.L, f_B @ B.L
        return g, G @ self._rows

    def curvature(self, t: float, x: Array, multipliers: Array) -> Array:
        """Derivative of G^T lambda."""
        return self._rows.T @ self._curvature(*self._contact(x), multipliers) @ self._rows

    def _curvature(self, A: _Contact, B: _Contact, multipliers: Array) -> Array:
        H = _second(A, B, multipliers)
        L = np.zeros((12, 2 * SIDE))
        L[:6, :SIDE], L[6:, SIDE:] = A.L, B.L
        K: Array = L.T @ H @ L
        for side, contact, force in zip(
            (slice(0, SIDE), slice(SIDE, None)), (A, B), _along(A, B, multipliers), strict=True
        ):
            K[side, side] += contact.turning(force)
        return K

    def check(self, t: float, x: Array) -> None:
        """Refuse bodies that have come so far apart, so close or so askew that their teeth do not engage."""
        A, B = self._contact(x)
        one, two = self.mesh.gears
        module, apart = one.normal_module, float((B.c - A.c) @ A.nu[1])
        remedy = f"hold the bodies of {one.name} and {two.name} in the positions in which they engage, or stiffer"
        if apart > DEPTH * module:
            limit = f"at most {1e3 * DEPTH * module:.6g}, two modules: there they let go of each other"
            raise OutOfRange(
                f"teeth of {self.name} at t = {t:.6g} s, apart by [mm]", f"{1e3 * apart:.6g}", limit, remedy
            )
        if apart < -CLEARANCE * module:
            limit = f"at most {1e3 * CLEARANCE * module:.6g}, a quarter of the module: there tips touch bottoms"
            what = f"teeth of {self.name} at t = {t:.6g} s, too deep in each other by [mm]"
            raise OutOfRange(what, f"{-1e3 * apart:.6g}", limit, remedy)
        tilt = float(np.arccos(np.clip(A.nu[0] @ B.nu[0], -1.0, 1.0)))
        if tilt > TILT:
            limit = f"at most {TILT / DEGREE:.4g}: faces of ten modules let go at one end"
            what = f"angle between the teeth of {self.name} at t = {t:.6g} s [deg]"
            raise OutOfRange(what, f"{tilt / DEGREE:.6g}", limit, remedy)

    def forces(self, t: float, x: Array, v: Array, multipliers: Array) -> JointForces:
        """-G^T lambda, and what teeth do at the contact point besides."""
        A, B = self._contact(x)
        rows, G, rates = self._rows, self._misfit(x, A, B)[1], self._rows @ v
        size, sign = abs(float(multipliers[0])), float(np.sign(multipliers[0]))
        m = _sliding(A, B)
        slip = m @ rates
        along, apart = A.nu[0], A.nu[1]
        mu, slope = self._friction(float(along @ slip))
        unit = self._sin * apart + mu * along
        by_multipliers = -G.T
        by_multipliers[:, 0] -= sign * (rows.T @ (m.T @ unit))
        # change of the force by the motion of the frame of A, and of the sliding velocity by all
        of_slip = rates @ _carried(A, B, along)
        of_slip[:SIDE] += cross(along, slip) @ A.L[3:]
        F_x = slope * np.outer(along, of_slip)
        F_x[:, :SIDE] -= (self._sin * skew(apart) + mu * skew(along)) @ A.L[3:]
        by_x = m.T @ F_x + _carried(A, B, unit)
        by_v = m.T @ (slope * np.outer(along, along @ m))
        whole = -self._curvature(A, B, multipliers) - size * by_x
        return JointForces(
            Q=by_multipliers @ multipliers,
            by_x=rows.T @ whole @ rows,
            by_v=-size * (rows.T @ by_v @ rows),
            by_multipliers=by_multipliers,
            lost=size * mu * float(along @ slip),
            supplied=-size * self._sin * float(apart @ slip),
        )

    def contact(self, x: Array, v: Array, multipliers: Array) -> ToothContact:
        """What results tell of the contact at own coordinates and rates (n,) and multipliers (3,)."""
        A, B = self._contact(x)
        slip = _sliding(A, B) @ (self._rows @ v)
        sliding, size = float(A.nu[0] @ slip), abs(float(multipliers[0]))
        mu = self._friction(sliding)[0]
        return ToothContact(
            point=B.c,
            normal_force=float(multipliers[0]),
            force=multipliers[1] * A.nu[2] + size * (self._sin * A.nu[1] + mu * A.nu[0]),
            rolls=x[self._roll],
            sliding=sliding,
            lost=size * mu * sliding,
        )

    def _friction(self, v: float) -> tuple[float, float]:
        """mu(v), and its derivative [s/m]."""
        if not self.mesh.friction:
            return 0.0, 0.0
        assert self.mesh.least_sliding is not None
        whole = sqrt(v * v + self.mesh.least_sliding**2)
        return self.mesh.friction * v / whole, self.mesh.friction * self.mesh.least_sliding**2 / whole**3


@dataclass(frozen=True, kw_only=True, eq=False)
class ToothContact:
    """The contact of a mesh in space.

    Attributes
    ----------
    point : shape (3,) [m]
        In space, where the force acts on both: the contact point of the second.
    normal_force : float [N]
        lambda_1; its sign says which flanks bear.
    force : shape (3,) [N]
        On the second toothed body, in space.
    rolls : shape (2,) [rad, m of racks]
    sliding : float [m/s]
        Of the first along the tooth of the second.
    lost : float [W]
        By friction.
    """

    point: Array
    normal_force: float
    force: Array
    rolls: Array
    sliding: float
    lost: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _Contact:
    """Contact frame of a side: point c (3,), triad nu (3, 3) one a row, all in space.

    ``(dc/dt, Omega) = L (v, w, dpsi/dt)`` is its motion, ``m (v, w, dpsi/dt)`` the velocity of the material there.
    """

    R: Array
    c: Array
    nu: Array
    L: Array
    m: Array
    a: Array
    t: Array
    dt: Array
    spins: Array

    @classmethod
    def of(cls, side: ToothedSide, p: Array, R: Array, psi: float) -> _Contact:
        """At a position of the body and a roll."""
        a, t, dt, axes = side.at(psi)
        m, L = np.zeros((3, SIDE)), np.zeros((6, SIDE))
        m[:, :3], m[:, 3:6] = _ONE, -R @ skew(a)
        L[:3], L[3:, 3:6] = m, R
        L[:3, 6], L[3:, 6] = -R @ t, -R @ side.spins
        nu = (R @ axes.T @ side.triad).T
        return cls(R=R, c=p + R @ a, nu=nu, L=L, m=m, a=a, t=t, dt=dt, spins=side.spins)

    def arm(self, point: Array) -> Array:
        """A point of space (3,) in the frame of the body."""
        return np.asarray(self.a + self.R.T @ (point - self.c))

    def turning(self, force: Array) -> Array:
        """Derivative of L^T f by the motion of the side at constant f (6,), shape (7, 7)."""
        f, moment = self.R.T @ force[:3], self.R.T @ force[3:]
        K = self.carried(force[:3])
        K[3:6, 3:6] += skew(moment)
        K[6, 3:6] = -cross(self.t, f) - cross(self.spins, moment)
        K[6, 6] = -float(self.dt @ f)
        return K

    def carried(self, force: Array) -> Array:
        """Derivative of m^T f by the motion of the side at constant f (3,), shape (7, 7)."""
        f, K = self.R.T @ force, np.zeros((SIDE, SIDE))
        K[3:6, 3:6] = skew(self.a) @ skew(f)
        K[3:6, 6] = -cross(self.t, f)
        return K


def _sliding(A: _Contact, B: _Contact) -> Array:
    """Velocity of the material of A against that of B at the contact point of B, by the motion of both: (3, 14).

    Where bodies float the contact points of both sides are apart, but for the direction across the flanks: forces act
    at one of them, so that what one side gets in moments the other gives.
    """
    m = np.concatenate([A.m, -B.m], axis=1)
    m[:, 3:6] = -A.R @ skew(A.arm(B.c))
    return m


def _carried(A: _Contact, B: _Contact, force: Array) -> Array:
    """Derivative of ``m^T f``, m of :func:`_sliding`, by the motion of both at constant f (3,), shape (14, 14)."""
    f, K = A.R.T @ force, np.zeros((2 * SIDE, 2 * SIDE))
    K[3:6, :3], K[3:6, SIDE:] = skew(f) @ A.R.T, -skew(f) @ A.R.T @ B.L[:3]
    K[3:6, 3:6] = skew(cross(A.arm(B.c), f))
    K[SIDE:, SIDE:] = -B.carried(force)
    return K


def _along(A: _Contact, B: _Contact, multipliers: Array) -> tuple[Array, Array]:
    """lambda_2 dg_2 + lambda_3 dg_3 by the motion of both contact frames, shape (6,) each."""
    n, a, b, d = A.nu[2], A.nu[1], B.nu[2], A.c - B.c
    crossed = multipliers[2] * cross(a, b)
    return (
        np.concatenate([multipliers[1] * n, multipliers[1] * cross(n, d) + crossed]),
        np.concatenate([-multipliers[1] * n, -crossed]),
    )


def _second(A: _Contact, B: _Contact, multipliers: Array) -> Array:
    """Derivative of :func:`_along`, shape (12, 12)."""
    n, a, b, d = (skew(one) for one in (A.nu[2], A.nu[1], B.nu[2], A.c - B.c))
    H = np.zeros((12, 12))
    two, three = multipliers[1], multipliers[2]
    H[:3, 3:6], H[6:9, 3:6] = -two * n, two * n
    H[3:6, :3], H[3:6, 6:9] = two * n, -two * n
    H[3:6, 3:6] = two * d @ n + three * b @ a
    H[3:6, 9:] = -three * a @ b
    H[9:, 3:6] = -three * b @ a
    H[9:, 9:] = three * a @ b
    return H
