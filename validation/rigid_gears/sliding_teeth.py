r"""Rigid gears whose teeth slide along each other, in motion: power, efficiency both ways, self-locking.

Per normal force N the teeth act on the pitch circles of both wheels, helix angles b_A and b_B, by N cos a cos b and by
friction along the tooth, N mu sin b. Over the speeds of their pitch circles, r_A w_A cos b_A = r_B w_B cos b_B, what
goes out over what comes in is

.. math:: \eta = \frac{\cos\alpha_n + s \mu \tan\beta_B}{\cos\alpha_n - s \mu \tan\beta_A}

from A to B and its reciprocal with the other sign s from B to A; s = +-1 so that it is below 1. Of a worm with the lead
angle g, b_A = 90 deg - g and b_B = g, it is (cos a - mu tan g)/(cos a + mu cot g), back (cos a - mu cot g)/(cos a + mu
tan g): nothing comes out above mu = cos a tan g. Parallel axes, b_B = -b_A, lose nothing: at the pitch point their
teeth do not slide along each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from alegear.drivetrain.spatial import GearJoint, SpatialGear, SpatialMesh, mating_position
from alegear.system import Scales, SystemBuilder, SystemMotion
from alegear.system.energy import SystemEnergy
from alegear.system.model import SystemModel
from alegear.system.spatial import FloatingBody, PointLoad, prescribed_revolute, revolute
from alegear.system.start import start_with_joints
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, State, integrate

Array = NDArray[np.float64]

COSINE = math.cos(math.radians(20.0))
LEAD = math.radians(10.0)
LOCKS = COSINE * math.tan(LEAD)  # coefficient of friction from which the worm locks
INERTIAS = (0.002, 0.05)  # kg m2
ORIGIN, X, Z = np.zeros(3), *np.eye(3)[[0, 2]]
BODIES = ("a", "b")


def _gear(body: str, teeth: int, **more: float) -> SpatialGear:
    return SpatialGear(name=f"gear {body}", body=body, teeth=teeth, normal_module=4e-3, **more)  # type: ignore[arg-type]


PAIRS = {
    "worm": (_gear("a", 2, helix_angle=0.5 * math.pi - LEAD), _gear("b", 41, helix_angle=LEAD)),
    "hypoid": (_gear("a", 11, cone_angle=0.3, helix_angle=0.8), _gear("b", 41, cone_angle=-1.2, helix_angle=-0.5)),
    "crossed": (_gear("a", 17, helix_angle=0.7), _gear("b", 23, helix_angle=0.2)),
    "helical": (_gear("a", 20, helix_angle=0.4), _gear("b", 30, helix_angle=-0.4)),
}


def efficiency(kind: str, friction: float, driver: int) -> float:
    """Power out over power in by the closed form; not above 0 where nothing comes out."""
    b_A, b_B = (gear.helix_angle for gear in PAIRS[kind])
    found = []
    for s in (1.0, -1.0):
        out, into = COSINE + s * friction * math.tan(b_B), COSINE - s * friction * math.tan(b_A)
        found.append(out / into if driver == 0 else into / out)
    return min(found)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """A pair on hinges, and the axes (3,) of its wheels."""

    model: SystemModel
    axes: tuple[Array, Array]

    @property
    def joint(self) -> GearJoint:
        """Its teeth."""
        (own,) = (one for one in self.model.joints if isinstance(one, GearJoint))
        return own


def pair(
    kind: str,
    *,
    friction: float = 0.0,
    least_sliding: float = 1e-5,
    torques: tuple[float, float] = (0.0, 0.0),
    driver: int | None = None,
    speed: float = 0.0,
) -> Pair:
    """Build a pair on hinges in the ground.

    Parameters
    ----------
    kind : str
    friction : float
    least_sliding : float [m/s]
        Only used with friction.
    torques : (float, float) [N m]
        About the axes of both wheels.
    driver : int, optional
        The wheel that turns at a speed [rad/s]; none if not given.
    """
    first, second = PAIRS[kind]
    centre, axis = mating_position(first, second, X)
    builder = SystemBuilder(Scales(deflection=1e-6, force=100.0, radius=0.1))
    axes = (Z, axis)
    for number, (name, point) in enumerate(zip(BODIES, (ORIGIN, centre), strict=True)):
        e, spin = axes[number], speed if number == driver else 0.0
        builder.add(
            FloatingBody(
                name=name, mass=1.0, inertia=(INERTIAS[number],) * 3, position=point, angular_velocity=spin * e
            )
        )
        between, points = ("ground", name), (point, ORIGIN)
        if number == driver:
            builder.add(prescribed_revolute(f"hinge {name}", between, points, (e, e), lambda t: speed * t))
        else:
            builder.add(revolute(f"hinge {name}", between, points, (e, e)))
        if torques[number]:
            load = np.concatenate([ORIGIN, torques[number] * e])
            builder.add(PointLoad(name=f"load {name}", body=name, value=lambda t, load=load: load))
    more = {"friction": friction, "least_sliding": least_sliding} if friction else {}
    builder.add(SpatialMesh(name="mesh", gears=(first, replace(second, axis=axis)), **more))
    return Pair(model=builder.build(), axes=axes)


@dataclass(frozen=True, kw_only=True, eq=False)
class Powers:
    """Of a driven pair, mean over the steps.

    Attributes
    ----------
    into, out : float [W]
        By the drive, and by the wheel that is driven against its load.
    lost : float [W]
        By friction, as the energy balance has it.
    missing : float [W]
        That the account misses.
    largest_difference : float
        Largest difference of power in and out in a step, over the power in.
    """

    into: float
    out: float
    lost: float
    missing: float
    largest_difference: float


def driven(
    kind: str, driver: int, *, friction: float = 0.0, torque: float = 50.0, speed: float = 30.0, steps: int = 40
) -> Powers:
    """Turn the wheels, the faster of them once at a speed [rad/s], against a torque [N m] on the one that is driven."""
    made = pair(kind)
    other = 1 - driver
    ratio = _ratio(made, driver)
    against = -torque * math.copysign(1.0, ratio)
    duration = 2.0 * math.pi / speed
    speed = speed / max(1.0, abs(ratio))  # of the driver
    torques = (0.0, against) if other == 1 else (against, 0.0)
    made = pair(kind, friction=friction, torques=torques, driver=driver, speed=speed)
    model = made.model
    system = SystemMotion(model)
    state = system.begin(0.0, *start_with_joints(model))
    hinge = next(k for k, one in enumerate(model.joints) if one.name == f"hinge {BODIES[driver]}")
    rows, frame = model.joint_rows.rows[hinge], model.frames[BODIES[other]]
    energy, found = SystemEnergy(), []
    energy.carry_on(system, state)

    def on_step(new: State) -> None:
        energy.carry_on(system, new)
        motion = system.motion(new)
        own = model.joints[hinge]
        torque_in = own.reaction(new.t, motion.x[own.coordinates], new.multipliers[rows])[1]  # type: ignore[attr-defined]
        turning = made.axes[other] @ motion.v[frame.coordinates[3:]]
        found.append((float(torque_in @ made.axes[driver]) * speed, -against * float(turning)))

    scheme, control = GeneralizedAlpha(rho_inf=0.9), FixedStep(h=duration / steps)
    integrate(system, state, duration, scheme=scheme, control=control, on_step=on_step)
    into, out = np.array(found).T
    return Powers(
        into=float(into.mean()),
        out=float(out.mean()),
        lost=energy.dissipated / duration,
        missing=energy.missing / duration,
        largest_difference=float((np.abs(into - out) / np.abs(into)).max()),
    )


def _ratio(made: Pair, driver: int) -> float:
    """Speed of the other wheel over that of the driver, of the equations of the joint."""
    joint, model = made.joint, made.model
    G = joint.misfit(0.0, model.start()[0][joint.coordinates])[1]
    wheels = []
    for body, axis in zip(BODIES, made.axes, strict=True):
        at = np.searchsorted(joint.coordinates, model.frames[body].coordinates[3:])
        wheels.append(G[:, at] @ axis)
    rolls = G[:, [int(np.searchsorted(joint.coordinates, roll)) for roll in joint.without_inertia]]
    unknown = np.column_stack([wheels[1 - driver], rolls])
    return float(np.linalg.solve(unknown, -wheels[driver])[0])


# ------------------------------------------------------------------------------- self-locking
@dataclass(frozen=True, kw_only=True)
class Backwards:
    """A worm gear that its wheel drives, from rest.

    Attributes
    ----------
    sliding : float [m/s]
        Along the teeth, at the end.
    acceleration : float [rad/s2]
        Of the wheel, at the end.
    turned : float [rad]
        By the wheel.
    """

    sliding: float
    acceleration: float
    turned: float


def driven_back(
    friction: float, torque: float, *, least_sliding: float, duration: float = 0.05, steps: int = 150
) -> Backwards:
    """Load the wheel with a torque, and nothing else."""
    made = pair("worm", friction=friction, least_sliding=least_sliding, torques=(0.0, torque))
    model, joint = made.model, made.joint
    system = SystemMotion(model)
    state = system.begin(0.0, *model.start())
    scheme, control = GeneralizedAlpha(rho_inf=0.5), FixedStep(h=duration / steps)
    last = [state]
    integrate(system, state, duration, scheme=scheme, control=control, on_step=lambda new: last.append(new))
    motion = system.motion(last[-1])
    rows = model.joint_rows.rows[list(model.joints).index(joint)]
    at = joint.coordinates
    contact = joint.contact(motion.x[at], motion.v[at], last[-1].multipliers[rows])
    wheel = model.frames["b"].coordinates[3:]
    return Backwards(
        sliding=abs(contact.sliding),
        acceleration=abs(float(made.axes[1] @ motion.a[wheel])),
        turned=abs(float(contact.rolls[1])),
    )


def creep(friction: float, least_sliding: float) -> float:
    """Sliding at which the regularised friction mu v/sqrt(v^2 + v_r^2) is what holds, cos a tan g [m/s]."""
    return least_sliding * LOCKS / math.sqrt(friction**2 - LOCKS**2)


def acceleration_back(friction: float, torque: float) -> float:
    """Of the wheel [rad/s2], below self-locking, at full friction.

    The teeth act round the worm by N (cos a sin g - mu cos g) and against the wheel by N (cos a cos g + mu sin g).
    """
    r_1, r_2 = (gear.pitch_radius for gear in PAIRS["worm"])
    on_worm = COSINE * math.sin(LEAD) - friction * math.cos(LEAD)
    on_wheel = COSINE * math.cos(LEAD) + friction * math.sin(LEAD)
    ratio = r_2 / (r_1 * math.tan(LEAD))
    # J_1 ratio w_2' = N r_1 on_worm, J_2 w_2' = T - N r_2 on_wheel
    inertia = INERTIAS[1] + INERTIAS[0] * ratio * r_2 * on_wheel / (r_1 * on_worm)
    return torque / inertia
