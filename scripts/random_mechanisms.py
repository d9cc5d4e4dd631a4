"""Mechanisms in space drawn from a seed, two to six bodies with gears of any kind, and what must hold of their motion.

    python scripts/random_mechanisms.py 3000 [--seed 0] [--steps 16]

Wheels stand on hinges or springs in the ground, on an arm that turns itself, or on a frame that floats freely; racks in
guides. Every new body meshes with an earlier one, which so gets several gears: spur, helical, internal, straight and
spiral bevel, crossed, worm, hypoid, rack; a third of them with friction. Torques act, springs hold some bodies, weight
pulls at half of them. Energy is what is put in less what friction loses, which is never negative, and joints keep their
bodies where they belong.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from alegear.drivetrain.spatial import SpatialGear, SpatialMesh, SpatialRack, mating_position
from alegear.errors import Fault, OutOfRange
from alegear.system import Scales, SystemBuilder, SystemMotion
from alegear.system.energy import SystemEnergy
from alegear.system.rotation import rotation_matrix
from alegear.system.spatial import Bushing, FloatingBody, PointLoad, prismatic, revolute
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, integrate

#: Kinds of a new gear against the one that it meshes with.
KINDS = ("spur", "helical", "internal", "bevel", "spiral bevel", "crossed", "worm", "hypoid", "rack")
#: What wheels stand on.
BASES = ("ground", "arm", "frame")
#: The angle [rad] that the fastest wheel turns in a motion, about, and steps in it.
TURNED, STEPS = 1.0, 16
#: Part of the energy that may be missing, and how often steps are halved until that is so. The scheme leaves some
#: (omega h)^2/12, of wheels 3e-4, of springs that swing faster more; what is wrong in a law stays.
ENERGY, HALVINGS = 2e-3, 5
#: Misfit of a joint over the size of its gears.
MISFIT = 1e-9
#: Stiffness of springs that hold wheels, in forces over the size: they give way by a hundredth of it.
SUPPORT = 100.0
ORIGIN = np.zeros(3)


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A body that has been placed: axis of its hinge and a point of it in space; what it stands on."""

    name: str
    axis: Any
    point: Any
    base: str
    is_rack: bool = False


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """A mechanism that was drawn.

    Attributes
    ----------
    builder : SystemBuilder
    kinds : tuple of str
        Of its meshes.
    features : tuple of str
        What else is in it.
    """

    builder: SystemBuilder
    kinds: tuple[str, ...]
    features: tuple[str, ...]


def random_mechanism(random_: random.Random) -> Mechanism:
    """Draw a mechanism."""
    return _Drawing(random_).mechanism()


class _Drawing:
    """A mechanism while it is drawn."""

    def __init__(self, random_: random.Random) -> None:
        self.random = random_
        self.size, self.force = 10.0 ** random_.uniform(-2.0, 0.0), 10.0 ** random_.uniform(1.0, 4.0)
        self.module = self.size / 20.0
        self.builder = SystemBuilder(Scales(deflection=1e-4 * self.size, force=self.force, radius=self.size))
        self.features: list[str] = []
        self.bodies: list[Placed] = []

    def mechanism(self) -> Mechanism:
        """Place all bodies and their meshes."""
        random_, n = self.random, self.random.randint(2, 6)
        if random_.random() < 0.5:
            self.builder.gravity([random_.uniform(-10.0, 10.0) for _ in range(3)])
        # nothing is along the axes of space
        whole = rotation_matrix(np.array([random_.uniform(-2.0, 2.0) for _ in range(3)]))
        axis = whole @ np.array([0.0, 0.0, 1.0])
        stands = random_.choice(BASES) if n > 2 else "ground"
        if stands != "ground":
            self._base(stands, axis)
        # the first wheel beside an arm turns about the same axis in the ground
        self._wheel("wheel 0", axis, ORIGIN, "frame" if stands == "frame" else "ground")
        kinds = []
        while len(self.bodies) + (stands != "ground") < n:
            other = random_.choice([one for one in self.bodies if not one.is_rack])
            # what meshes with a wheel on the arm stands on it, too: its distance from others does not stay
            on_arm = stands == "arm" and (other.base == "arm" or (other.name == "wheel 0" and random_.random() < 0.7))
            base = "arm" if on_arm else other.base
            kind = random_.choice(KINDS[:-1] if on_arm else KINDS)
            self._mesh(kind, other, base, whole)
            kinds.append(kind)
        return Mechanism(builder=self.builder, kinds=tuple(kinds), features=tuple(self.features))

    def _base(self, name: str, axis: Any) -> None:
        """An arm on a hinge, or a frame that floats."""
        self.features.append(name)
        self.builder.add(FloatingBody(name=name, mass=5.0, inertia=(5.0 * self.size**2,) * 3))
        if name == "arm":
            self.builder.add(revolute("hinge arm", ("ground", "arm"), (ORIGIN, ORIGIN), (axis, axis)))

    def _mesh(self, kind: str, other: Placed, base: str, whole: Any) -> None:
        """Place a body that meshes with another."""
        random_, number = self.random, len(self.bodies)
        own, partner = self._pair(number, other, kind)
        partner = replace(partner, centre=random_.choice([0.0, random_.uniform(-1.0, 1.0)]) * self.size * other.axis)
        gear: SpatialGear | SpatialRack
        if own is None:
            gear = self._rack(number, other, partner, base)
        else:
            across = np.cross(other.axis, whole @ np.array([math.cos(number), math.sin(number), 0.3]))
            centre, axis = mating_position(partner, own, across)
            self._wheel(own.body, axis, other.point + centre, base)
            gear = replace(own, axis=axis)  # bodies begin with the axes of space
        friction: dict[str, float] = {}
        if random_.random() < 1.0 / 3.0:
            self.features.append("friction")
            speed = math.sqrt(self.force * self.size)  # of 1 kg that the force has moved by half the size
            friction = {"friction": random_.uniform(0.02, 0.15), "least_sliding": 0.2 * speed}
        self.builder.add(SpatialMesh(name=f"mesh {number}", gears=(partner, gear), **friction))

    def _pair(self, number: int, other: Placed, kind: str) -> tuple[SpatialGear | None, SpatialGear]:
        """A new wheel (None: a rack), and a gear of its own on the other body that it meshes with."""
        random_ = self.random
        z_A, z_B = random_.randint(15, 40), random_.randint(15, 40)
        common = {"normal_module": self.module, "body": other.name, "axis": other.axis}
        new: dict[str, Any] = {"name": f"gear {number}", "body": f"wheel {number}", "normal_module": self.module}
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
            driving = random_.uniform(0.1, 0.4)
            partner = SpatialGear(name=at, teeth=2, helix_angle=0.5 * math.pi - driving, **common)
            return SpatialGear(teeth=z_B, helix_angle=driving, **new), partner
        if kind == "hypoid":
            partner = SpatialGear(name=at, teeth=z_A, cone_angle=0.3, helix_angle=random_.uniform(0.5, 0.8), **common)
            return SpatialGear(teeth=z_B, cone_angle=-1.2, helix_angle=random_.uniform(-0.6, -0.3), **new), partner
        of_racks = random_.choice([0.0, random_.uniform(-0.5, 0.5)])
        helices = {"helical": (0.3, -0.3), "crossed": (0.5, random_.uniform(0.1, 0.6)), "rack": (of_racks, -of_racks)}
        first, second = helices.get(kind, (0.0, 0.0))
        partner = SpatialGear(name=at, teeth=z_A, helix_angle=first, **common)
        if kind == "rack":
            return None, partner
        return SpatialGear(teeth=z_B, helix_angle=second, **new), partner

    def _wheel(self, name: str, axis: Any, point: Any, base: str) -> None:
        """Add a wheel on a hinge, or on springs that leave it free to turn."""
        random_, size, force, builder = self.random, self.size, self.force, self.builder
        mass = 10.0 ** random_.uniform(-1.0, 1.0)
        inertia = mass * size**2 * np.array([1.0, random_.uniform(0.7, 1.3), random_.uniform(0.7, 1.3)])
        builder.add(FloatingBody(name=name, mass=mass, inertia=inertia, position=point))
        along = np.outer(axis, axis)
        if random_.random() < 0.25:
            self.features.append("springs")
            stiffness = np.zeros((6, 6))
            stiffness[:3, :3] = SUPPORT * force / size * np.eye(3)
            stiffness[3:, 3:] = SUPPORT * force * size * (np.eye(3) - along)
            support = Bushing(name=f"support {name}", between=(base, name), stiffness=stiffness, points=(point, ORIGIN))
            builder.add(support)
        else:
            builder.add(revolute(f"hinge {name}", (base, name), (point, ORIGIN), (axis, axis)))
        torque = random_.choice([-1.0, 1.0]) * random_.uniform(0.1, 1.0) * force * size
        if name == "wheel 0" or random_.random() < 0.5:  # something moves in each
            load = np.concatenate([ORIGIN, torque * axis])
            builder.add(PointLoad(name=f"load {name}", body=name, value=lambda t: load))
        if random_.random() < 0.3:
            stiffness = np.zeros((6, 6))
            stiffness[3:, 3:] = random_.uniform(0.1, 1.0) * force * size * along
            spring = Bushing(name=f"spring {name}", between=(base, name), stiffness=stiffness, points=(point, ORIGIN))
            builder.add(spring)
        self.bodies.append(Placed(name=name, axis=axis, point=np.asarray(point), base=base))

    def _rack(self, number: int, other: Placed, partner: SpatialGear, base: str) -> SpatialRack:
        """Add a rack in a guide, at the pitch radius of the gear that it meshes with."""
        name = f"wheel {number}"
        outwards = -np.cross(other.axis, np.array([0.3, 0.5, 0.7]))
        outwards = outwards / np.linalg.norm(outwards)
        point = other.point + np.asarray(partner.centre) - partner.pitch_radius * outwards
        along = np.cross(other.axis, -outwards)
        mass = self.random.uniform(0.5, 2.0)
        self.builder.add(FloatingBody(name=name, mass=mass, inertia=(mass * self.size**2,) * 3, position=point))
        self.builder.add(prismatic(f"guide {name}", (base, name), (point, ORIGIN), along))
        self.bodies.append(Placed(name=name, axis=along, point=point, base=base, is_rack=True))
        return SpatialRack(
            name=f"rack {number}",
            body=name,
            normal_module=self.module,
            helix_angle=-partner.helix_angle,
            direction=along,
            outwards=outwards,
        )


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A motion from rest.

    Attributes
    ----------
    missing, lost : float
        Energy that the account misses and that friction has lost, over the most that was there or put in.
    misfit : float
        Largest misfit of a joint over the size.
    least_loss : float
        Least that friction has lost in a step, likewise.
    """

    missing: float
    lost: float
    misfit: float
    least_loss: float

    def wrong(self) -> list[str]:
        """What does not hold, in words."""
        found = []
        if not abs(self.missing) <= ENERGY:
            found.append(f"energy missing {self.missing:.3g}")
        if not self.misfit <= MISFIT:
            found.append(f"misfit {self.misfit:.3g}")
        if not self.least_loss >= 0.0:
            found.append(f"friction gives {-self.least_loss:.3g}")
        return found


def moved_with_energy(builder: SystemBuilder, steps: int = STEPS) -> Moved:
    """Move a mechanism with steps that are halved until its energy is there, or as often as that may be."""
    for _ in range(HALVINGS + 1):
        motion = moved(builder, steps)
        if abs(motion.missing) <= ENERGY:
            break
        steps *= 2
    return motion


def moved(builder: SystemBuilder, steps: int = STEPS) -> Moved:
    """Move a mechanism from rest until its fastest wheel has turned by about a radian."""
    model = builder.build()
    system = SystemMotion(model)
    state = system.begin(0.0, *model.start())
    fastest = float(
        np.abs(state.vdot / system.displacement_scale).max() * builder.scales.deflection / builder.scales.radius
    )
    duration = math.sqrt(2.0 * TURNED / fastest) if fastest > 0.0 else 1.0
    energy = SystemEnergy()
    energy.carry_on(system, state)
    worst = most = least = 0.0

    def on_step(new: Any) -> None:
        nonlocal worst, most, least
        before = energy.dissipated
        energy.carry_on(system, new)
        least = min(least, energy.dissipated - before)
        most = max(most, abs(energy.kinetic), abs(energy.stored), abs(energy.input))
        worst = max(worst, float(np.abs(system.misfit(new.t, new.q)[0]).max()))

    control = FixedStep(h=duration / steps)
    integrate(system, state, duration, scheme=GeneralizedAlpha(rho_inf=0.9), control=control, on_step=on_step)
    return Moved(
        missing=energy.missing / most,
        lost=energy.dissipated / most,
        misfit=worst / builder.scales.radius,
        least_loss=least / most,
    )


def fuzz_mechanisms(
    count: int, random_: random.Random, report: Callable[[str, str], None] | None = None, *, steps: int = STEPS
) -> Counter[str]:
    """Draw and move mechanisms; what is wrong is reported with its seed.

    Returns
    -------
    Counter
        "moved", "refused", and what went wrong; "let go": those on springs so soft that teeth did not engage any more,
        in place of which others were drawn; besides what was moved: kinds of meshes as "mesh: spur", features,
        "lost" for those in which friction took a thousandth of the energy.
    """
    found: Counter[str] = Counter()
    while found["moved"] + found["refused"] + found["wrong"] < count:
        seed = random_.getrandbits(32)
        try:
            drawn = random_mechanism(random.Random(seed))
            motion = moved_with_energy(drawn.builder, steps)
        except OutOfRange:
            found["let go"] += 1
            continue
        except Fault as fault:
            found["refused"] += 1
            if report is not None:
                report("refused", f"seed {seed}: {fault}")
            continue
        wrong = motion.wrong()
        found["wrong" if wrong else "moved"] += 1
        found["lost"] += motion.lost > 1e-3
        found.update([*(f"mesh: {kind}" for kind in drawn.kinds), *drawn.features])
        if wrong and report is not None:
            report("wrong", f"seed {seed}: {', '.join(wrong)}; {', '.join((*drawn.kinds, *drawn.features))}")
    return found


def main() -> None:
    """Move as many as are asked for, and tell what went wrong."""
    parser = argparse.ArgumentParser(description="Random mechanisms in space.")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    asked = parser.parse_args()

    def report(kind: str, words: str) -> None:
        print(f"{kind}: {words}")

    found = fuzz_mechanisms(asked.count, random.Random(asked.seed), report, steps=asked.steps)
    print(", ".join(f"{name} {number}" for name, number in sorted(found.items())))
    if found["wrong"] or found["refused"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
