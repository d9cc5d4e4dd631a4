"""Mechanisms in space drawn from a seed, two to six bodies with gears of any kind, and what must hold of their motion.

Wheels stand on hinges in the ground or on an arm that turns itself, racks in guides; every new body meshes with an
earlier one: spur, helical, internal, straight and spiral bevel, crossed, worm, hypoid, rack. Torques act, springs hold
some bodies, weight pulls at all. Nothing is lost, so that energy comes back to what is put in.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from alegear.drivetrain.spatial import SpatialGear, SpatialMesh, SpatialRack, mating_position
from alegear.dynamics import FixedStep, GeneralizedAlpha, integrate
from alegear.dynamics.rotation import rotation_matrix
from alegear.errors import Fault
from alegear.system import Scales, SystemBuilder, SystemMotion
from alegear.system.energy import SystemEnergy
from alegear.system.spatial import Bushing, FloatingBody, SpatialLoad, prismatic, revolute

#: Kinds of a new gear against the one that it meshes with.
KINDS = ("spur", "helical", "internal", "bevel", "spiral bevel", "crossed", "worm", "hypoid", "rack")
#: Steps of a motion, and the angle [rad] that the fastest wheel turns in it, about.
STEPS, TURNED = 40, 1.0
#: Part of the energy that went through which may be missing: (omega h)^2/12 at 40 steps a radian is 5e-5.
ENERGY = 1e-3
#: Misfit of a joint over the size of its gears.
MISFIT = 1e-9
ORIGIN = np.zeros(3)


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A body that has been placed: axis of its hinge and a point of it in space; a carrier, if it stands on one."""

    name: str
    axis: Any
    point: Any
    base: str
    last: SpatialGear


def random_mechanism(random_: random.Random) -> tuple[SystemBuilder, list[str]]:
    """A mechanism, and the kinds of its meshes."""
    size = 10.0 ** random_.uniform(-2.0, 0.0)
    force = 10.0 ** random_.uniform(1.0, 4.0)
    builder = SystemBuilder(Scales(deflection=1e-4 * size, force=force, radius=size))
    if random_.random() < 0.5:
        builder.gravity([random_.uniform(-10.0, 10.0) for _ in range(3)])
    whole = _turned(random_)  # nothing is along the axes of space
    n = random_.randint(2, 6)
    module = size / 20.0
    arm = n > 2 and random_.random() < 0.4
    first = _gear("wheel 0", random_.choice(KINDS[:-1]), module, random_, first=True)
    axis = whole @ np.array([0.0, 0.0, 1.0])
    bodies = [_wheel(builder, first, axis, ORIGIN, "ground", size, force, random_)]
    kinds = []
    if arm:
        builder.add(FloatingBody(name="arm", mass=1.0, inertia=(size**2,) * 3))
        builder.add(revolute("hinge arm", ("ground", "arm"), (ORIGIN, ORIGIN), (axis, axis)))
    while len(bodies) + arm < n:
        other = random_.choice([one for one in bodies if one.last is not None])
        # what meshes with a wheel on the arm stands on it, too: its distance from others does not stay
        base = "arm" if arm and (other.base == "arm" or (other is bodies[0] and random_.random() < 0.7)) else "ground"
        number = len(bodies)
        kind = random_.choice([one for one in KINDS if one != "rack" or base == "ground"])
        own, partner = _pair(number, other, kind, module, random_)
        if kind == "rack":
            bodies.append(_rack(builder, number, other, partner, module, random_))
        else:
            assert own is not None
            across = np.cross(other.axis, whole @ np.array([math.cos(number), math.sin(number), 0.3]))
            centre, axis_B = mating_position(partner, own, across)
            bodies.append(_wheel(builder, own, axis_B, other.point + centre, base, size, force, random_))
        gear = own if own is not None else _rack_of(number, other, partner, module, bodies[-1])
        builder.add(SpatialMesh(name=f"mesh {number}", gears=(partner, _on(bodies[-1], gear))))
        kinds.append(kind)
    return builder, kinds


def _turned(random_: random.Random) -> Any:
    return rotation_matrix(np.array([random_.uniform(-2.0, 2.0) for _ in range(3)]))


def _gear(name: str, kind: str, module: float, random_: random.Random, *, first: bool) -> SpatialGear:
    """One side of a pair of a kind; of shaft angles of 90 deg where cones meet."""
    teeth = random_.randint(15, 40)
    helix = {"helical": 0.3, "spiral bevel": 0.5, "crossed": 0.5}.get(kind, 0.0) * (1.0 if first else -1.0)
    return SpatialGear(name=f"gear of {name}", body=name, teeth=teeth, normal_module=module, helix_angle=helix)


def _pair(
    number: int, other: Placed, kind: str, module: float, random_: random.Random
) -> tuple[SpatialGear | None, SpatialGear]:
    """A new wheel (None: a rack), and a gear of its own on the other body that it meshes with."""
    z_A, z_B = random_.randint(15, 40), random_.randint(15, 40)
    common = {"normal_module": module, "body": other.name, "axis": other.axis}
    new: dict[str, Any] = {"name": f"gear {number}", "body": f"wheel {number}", "normal_module": module}
    at = f"gear for {number}"
    if kind == "internal":
        if random_.random() < 0.5:
            ring = SpatialGear(name=at, teeth=z_A + z_B, internal=True, helix_angle=0.2, **common)
            return SpatialGear(teeth=z_B, helix_angle=0.2, **new), ring
        pinion = SpatialGear(name=at, teeth=z_A, helix_angle=-0.2, **common)
        return SpatialGear(teeth=z_A + z_B, internal=True, helix_angle=-0.2, **new), pinion
    if kind in ("bevel", "spiral bevel"):
        helix = 0.5 if kind == "spiral bevel" else 0.0
        cone = math.atan2(z_A, z_B)
        partner = SpatialGear(name=at, teeth=z_A, cone_angle=-cone, helix_angle=helix, **common)
        return SpatialGear(teeth=z_B, cone_angle=0.5 * math.pi - cone, helix_angle=-helix, **new), partner
    if kind == "worm":
        lead = random_.uniform(0.1, 0.4)
        partner = SpatialGear(name=at, teeth=2, helix_angle=0.5 * math.pi - lead, **common)
        return SpatialGear(teeth=z_B, helix_angle=lead, **new), partner
    if kind == "hypoid":
        partner = SpatialGear(name=at, teeth=z_A, cone_angle=0.3, helix_angle=random_.uniform(0.5, 0.8), **common)
        return SpatialGear(teeth=z_B, cone_angle=-1.2, helix_angle=random_.uniform(-0.6, -0.3), **new), partner
    helices = {"helical": (0.3, -0.3), "crossed": (0.5, random_.uniform(0.1, 0.6))}.get(kind, (0.0, 0.0))
    partner = SpatialGear(name=at, teeth=z_A, helix_angle=helices[0], **common)
    if kind == "rack":
        return None, partner
    return SpatialGear(teeth=z_B, helix_angle=helices[1], **new), partner


def _wheel(
    builder: SystemBuilder,
    gear: SpatialGear,
    axis: Any,
    point: Any,
    base: str,
    size: float,
    force: float,
    random_: random.Random,
) -> Placed:
    """Add a wheel on a hinge; bodies begin with the axes of space, so that directions are the same in both."""
    mass = 10.0 ** random_.uniform(-1.0, 1.0)
    inertia = mass * size**2 * np.array([1.0, random_.uniform(0.7, 1.3), random_.uniform(0.7, 1.3)])
    name = gear.body
    builder.add(FloatingBody(name=name, mass=mass, inertia=inertia, position=point))
    builder.add(revolute(f"hinge {name}", (base, name), (point, ORIGIN), (axis, axis)))
    torque = random_.choice([-1.0, 1.0]) * random_.uniform(0.1, 1.0) * force * size
    if name == "wheel 0" or random_.random() < 0.5:  # something moves in each
        builder.add(
            SpatialLoad(name=f"load {name}", body=name, value=lambda t: np.concatenate([ORIGIN, torque * axis]))
        )
    if random_.random() < 0.3:
        stiffness = np.zeros((6, 6))
        stiffness[3:, 3:] = random_.uniform(0.1, 1.0) * force * size * np.outer(axis, axis)
        builder.add(Bushing(name=f"spring {name}", between=(base, name), stiffness=stiffness, points=(point, ORIGIN)))
    return Placed(name=name, axis=axis, point=np.asarray(point), base=base, last=gear)


def _rack(
    builder: SystemBuilder, number: int, other: Placed, partner: SpatialGear, module: float, random_: random.Random
) -> Placed:
    """Add a rack in a guide, at the pitch radius of the gear that it meshes with."""
    name = f"wheel {number}"
    e2 = np.cross(other.axis, np.array([0.3, 0.5, 0.7]))
    e2 = e2 / np.linalg.norm(e2)
    point = other.point + partner.pitch_radius * e2
    along = np.cross(other.axis, e2)
    builder.add(FloatingBody(name=name, mass=random_.uniform(0.5, 2.0), inertia=(1e-3,) * 3, position=point))
    builder.add(prismatic(f"guide {name}", ("ground", name), (point, ORIGIN), along))
    return Placed(name=name, axis=along, point=point, base="ground", last=None)  # type: ignore[arg-type]


def _rack_of(number: int, other: Placed, partner: SpatialGear, module: float, placed: Placed) -> SpatialRack:
    outwards = other.point - placed.point
    return SpatialRack(
        name=f"rack {number}", body=placed.name, normal_module=module, direction=placed.axis, outwards=outwards
    )


def _on(placed: Placed, gear: SpatialGear | SpatialRack) -> SpatialGear | SpatialRack:
    """The gear with the axis of the body that it has been put on."""
    if isinstance(gear, SpatialRack):
        return gear
    return SpatialGear(
        name=gear.name,
        body=gear.body,
        teeth=gear.teeth,
        normal_module=gear.normal_module,
        cone_angle=gear.cone_angle,
        helix_angle=gear.helix_angle,
        internal=gear.internal,
        axis=placed.axis,
    )


def moved(builder: SystemBuilder, steps: int = STEPS) -> tuple[float, float, float]:
    """Move a mechanism from rest: energy missing, the most that was there, and the largest misfit over its size."""
    model = builder.build()
    system = SystemMotion(model)
    state = system.begin(0.0, *model.start())
    fastest = float(
        np.abs(state.vdot / system.displacement_scale).max() * builder.scales.deflection / builder.scales.radius
    )
    duration = math.sqrt(2.0 * TURNED / fastest) if fastest > 0.0 else 1.0
    energy, worst, most = SystemEnergy(), 0.0, 0.0
    energy.carry_on(system, state)

    def on_step(new: Any) -> None:
        nonlocal worst, most
        energy.carry_on(system, new)
        most = max(most, abs(energy.kinetic), abs(energy.stored), abs(energy.input))
        worst = max(worst, float(np.abs(system.misfit(new.t, new.q)[0]).max()))

    control = FixedStep(h=duration / steps)
    integrate(system, state, duration, scheme=GeneralizedAlpha(rho_inf=0.9), control=control, on_step=on_step)
    return energy.missing, most, worst / builder.scales.radius


def fuzz_mechanisms(
    count: int, random_: random.Random, report: Callable[[str, str], None] | None = None
) -> Counter[str]:
    """Draw and move mechanisms; what is wrong is reported with its seed.

    Returns
    -------
    Counter
        "moved", "refused", and what went wrong; kinds of meshes moved besides, as "mesh: spur".
    """
    found: Counter[str] = Counter()
    for _ in range(count):
        seed = random_.getrandbits(32)
        own = random.Random(seed)
        try:
            builder, kinds = random_mechanism(own)
            missing, most, misfit = moved(builder)
        except Fault as fault:
            found["refused"] += 1
            if report is not None:
                report("refused", f"seed {seed}: {fault}")
            continue
        wrong = []
        if not abs(missing) <= ENERGY * most:
            wrong.append(f"energy {missing:.3g} of {most:.3g}")
        if not misfit <= MISFIT:
            wrong.append(f"misfit {misfit:.3g}")
        found["wrong" if wrong else "moved"] += 1
        found.update(f"mesh: {kind}" for kind in kinds)
        if wrong and report is not None:
            report("wrong", f"seed {seed}: {', '.join(wrong)}, {kinds}")
    return found
