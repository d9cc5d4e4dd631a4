"""A chain of torsional parts, as long as one likes: what a machine costs by the number of its parts.

    python scripts/chain_of_parts.py [--parts N] [--duration SECONDS]

Disks on bearings with friction, one joined to the next by springs, gears with losses and clutches in turn. A torque to
and fro at the first one and the resistance of air at the last make bearings stick and clutches slip again and again.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import alegear as ag
from alegear.drivetrain.rotational.friction import BearingFriction, Clutch
from alegear.drivetrain.rotational.gears import RatioGear
from alegear.drivetrain.rotational.profiles import Sine
from alegear.drivetrain.rotational.sources import Resistance, TorqueSource
from alegear.drivetrain.rotational.springs import Spring

#: Torque of the drive [N m], its mean, and how often it comes again [Hz].
TORQUE, MEAN, FREQUENCY = 40.0, 10.0, 2.0


def link(number: int, first: str, second: str) -> Any:
    """What joins a disk to the next: a spring, a gear with losses, a spring, a clutch, and again."""
    name, between = f"link {number}", (first, second)
    if number % 4 == 1:
        ratio = 1.25 if number % 8 == 1 else 0.8
        return RatioGear(name=name, between=between, ratio=ratio, losses=[[0.0, 0.98, 0.97, 0.02, 0.03]])
    if number % 4 == 3:
        return Clutch(name=name, between=between, normal_force=25.0 / (1 + number // 4), friction=0.6)
    return Spring(name=name, between=between, stiffness=2e3, damping=1.0)


def parts_of(n_parts: int) -> list[Any]:
    """So many disks, links and bearings, at least 2; every second disk stands on a bearing."""
    parts: list[Any] = [ag.Rotor1D(name="disk 0", inertia=0.05)]
    number = 0
    while n_parts - len(parts) >= 2:
        first, number = f"disk {number}", number + 1
        second = f"disk {number}"
        parts += [link(number - 1, first, second), ag.Rotor1D(name=second, inertia=0.05)]
        if number % 2 and len(parts) < n_parts:
            parts.append(BearingFriction(name=f"bearing {number}", at=second, torque=0.05, static_to_kinetic_ratio=1.2))
    if len(parts) < n_parts:
        parts.append(BearingFriction(name="bearing 0", at="disk 0", torque=0.05, static_to_kinetic_ratio=1.2))
    return parts


def chain(n_parts: int) -> ag.Machine:
    """The machine, with a drive at the first disk and a resistance at the last."""
    parts = parts_of(n_parts)
    last = [part.name for part in parts if isinstance(part, ag.Rotor1D)][-1]
    machine = ag.Machine(f"Chain of {n_parts} parts")
    for part in parts:
        machine.add(part.name, part)
    torque = Sine(mean=MEAN, amplitude=TORQUE, frequency=FREQUENCY)
    machine.add("drive", TorqueSource(at="disk 0", torque=torque))
    machine.add("air", Resistance(at=last, linear=0.5))
    return machine


def moved(n_parts: int, duration: float = 2.0) -> ag.Result:
    """The motion of the chain from rest."""
    return chain(n_parts).run(duration=duration, output_every=0.01)


def main() -> None:
    """Print what the motion costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--duration", type=float, default=2.0)
    given = parser.parse_args()
    moved(2, 0.1)  # loads kernels
    begun = time.perf_counter()
    result = moved(given.parts, given.duration)
    spent = time.perf_counter() - begun
    steps, events = result.summary["counts"]["steps"], result.summary["events"]
    print(f"{given.parts} parts, {given.duration:g} s: {spent:.3g} s of computing, {steps} steps, {events} events")


if __name__ == "__main__":
    main()
