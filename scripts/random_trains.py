"""Machines of torsional parts, drawn from a seed, and what must hold of the motion of each.

Two to eight parts: rotors with inertias over four decades, springs with and without backlash, gears by ratio with and
without losses, planetary sets, clutches and brakes with signals over time, freewheels, friction, torques, prescribed
speeds, resistances. Speeds at the start are drawn without regard to gears: those that leave a ratio are refused.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import alegear as ag
from alegear.case.motion_in_time import RotationalMotion
from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.drivetrain.rotational.profiles import Sine
from alegear.drivetrain.rotational.sources import Resistance, SpeedSource, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.errors import Fault, NonConvergence
from alegear.progress import Silent
from alegear.results.dataset import ResultArrays
from alegear.studies.rotational import RotationalStudy, rotational_history
from alegear.system.bodies import Rotor1D

DURATION = 0.5
#: Variables of a result that are looked at.
LOOKED_AT = (
    "angle", "speed", "torque", "power", "loss", "mode", "relative_speed", "energy_missing", "energy_supplied",
    "energy_stored", "energy_kinetic", "energy_dissipated",
)  # fmt: skip
#: Part of the energy that went through a machine which may be missing.
ENERGY = 1e-7
LINKS = ("spring", "backlash", "gear", "lossy gear", "planetary", "clutch", "freewheel")
AT_ONE = ("brake", "friction", "torque", "sine", "table", "speed", "resistance")


def random_train(random_: random.Random) -> list[Any]:
    """Parts of a machine."""
    n_parts = random_.randint(2, 8)
    n_rotors = random_.randint(1, max(1, min(4, n_parts - 1)))
    bodies = [f"rotor {i}" for i in range(n_rotors)]
    turns = random_.random() < 0.6  # else all is at rest
    parts: list[Any] = [
        Rotor1D(
            name=body,
            inertia=10.0 ** random_.uniform(-3.0, 1.0),
            angle=random_.choice([0.0, random_.uniform(-3.0, 3.0)]),
            speed=random_.choice([0.0, random_.uniform(-50.0, 50.0)]) if turns else 0.0,
        )
        for body in bodies
    ]
    smallest = min(one.inertia for one in parts)
    places = [*bodies, "ground"]
    for number in range(n_parts - n_rotors):
        kinds = [*AT_ONE, *(LINKS if n_rotors > 1 else ())]
        kind = random_.choice(kinds)
        if kind == "planetary" and n_rotors < 2:
            kind = "friction"
        parts.append(_part(kind, f"{kind} {number}", places, smallest, random_))
    return parts


def _part(kind: str, name: str, places: list[str], smallest: float, random_: random.Random) -> Any:
    """One part that is no rotor."""
    bodies = places[:-1]
    one = random_.choice(bodies)
    other = random_.choice([place for place in places if place != one])
    pair = (one, other) if random_.random() < 0.5 else (other, one)
    strength = 10.0 ** random_.uniform(-1.0, 2.0)
    if kind in ("spring", "backlash"):
        k = smallest * random_.uniform(10.0, 300.0) ** 2
        damping = random_.choice([0.0, 0.05 * math.sqrt(k * smallest)])
        free = random_.choice([0.0, random_.uniform(-0.1, 0.1)])
        backlash = random_.uniform(0.001, 0.1) if kind == "backlash" else 0.0
        return Spring(name=name, between=pair, stiffness=k, damping=damping, free_angle=free, backlash=backlash)
    if kind in ("gear", "lossy gear"):
        pair = (one, random_.choice([body for body in bodies if body != one]))
        ratio = random_.choice([-1.0, 1.0]) * 10.0 ** random_.uniform(-1.0, 1.0)
        return RatioGear(name=name, between=pair, ratio=ratio, losses=_losses(random_) if "lossy" in kind else None)
    if kind == "planetary":
        three = random_.sample(places, 3)
        losses = random_.choice([None, _losses(random_)])
        way = random_.choice(["mesh_efficiency", "stationary_efficiency"]) if isinstance(losses, float) else "losses"
        ratio = random_.uniform(1.2, 5.0)
        return PlanetaryGear(name=name, sun=three[0], ring=three[1], carrier=three[2], ratio=ratio, **{way: losses})
    ratio = random_.choice([1.0, 1.0, random_.uniform(1.0, 1.5)])
    if kind in ("clutch", "brake"):
        mu = random_.choice([0.5, [[0.0, 0.5], [10.0, 0.4], [100.0, 0.3]]])
        given = {"normal_force": strength, "friction": mu, "static_to_kinetic_ratio": ratio, "signal": _signal(random_)}
        return Clutch(name=name, between=pair, **given) if kind == "clutch" else Brake(name=name, at=one, **given)
    if kind == "freewheel":
        return Freewheel(name=name, between=pair, overrunning=random_.choice(["forward", "backward"]))
    if kind == "friction":
        torque = random_.choice([0.1 * strength, [[0.0, 0.1 * strength], [5.0, 0.05 * strength], [50.0, strength]]])
        return BearingFriction(name=name, at=one, torque=torque, static_to_kinetic_ratio=ratio)
    if kind == "torque":
        return TorqueSource(name=name, at=one, torque=random_.choice([-1.0, 1.0]) * strength)
    if kind == "sine":
        sine = Sine(amplitude=strength, frequency=random_.uniform(0.5, 10.0), phase=random_.uniform(0.0, 6.0))
        return TorqueSource(name=name, at=one, torque=sine)
    if kind == "table":
        times = sorted(random_.choice([0.0, 0.1, 0.2, random_.uniform(0.0, DURATION)]) for _ in range(2))
        table = [(t, random_.uniform(-strength, strength)) for t in times]
        return TorqueSource(name=name, at=one, torque=table)
    if kind == "speed":
        ramp = [(0.0, random_.choice([0.0, random_.uniform(-20.0, 20.0)])), (0.3, random_.uniform(-20.0, 20.0))]
        return SpeedSource(name=name, at=one, speed=random_.choice([0.0, random_.uniform(-20.0, 20.0), ramp]))
    return Resistance(name=name, at=one, linear=1e-3 * strength, quadratic=random_.choice([0.0, 1e-5 * strength]))


def _losses(random_: random.Random) -> Any:
    eta = random_.uniform(0.5, 1.0)
    if random_.random() < 0.4:
        return eta
    first = [0.0, eta, random_.uniform(0.5, 1.0), random_.uniform(0.0, 1.0), random_.uniform(0.0, 1.0)]
    return random_.choice([[first], [first, [20.0, 0.5 * (1.0 + eta), 0.9, 0.1, 0.2]]])


def _signal(random_: random.Random) -> Any:
    """Open, closed, and changes between these, by ramps and jumps."""
    times = sorted(
        random_.choice([0.1, 0.2, 0.3, random_.uniform(0.0, DURATION)]) for _ in range(random_.randint(1, 3))
    )
    table = []
    for t in dict.fromkeys(times):
        table.append((t, random_.choice([0.0, 1.0, random_.random()])))
        if random_.random() < 0.3:
            table.append((t, random_.choice([0.0, 1.0])))
    return random_.choice([1.0, 0.0, table, table])


# ------------------------------------------------------------- what is refused or ends rightly
def drives_what_locks(parts: list[Any], duration: float = DURATION) -> bool:
    """Whether prescribed speeds and gears determine the speed of a freewheel and turn it where it locks."""
    number = {body.name: i for i, body in enumerate(one for one in parts if isinstance(one, Rotor1D))}
    A = np.array([_row(number, weights) for weights in _gears(parts)]).reshape(-1, len(number))
    sources = [one for one in parts if isinstance(one, SpeedSource)]
    A = np.vstack([A, *(_row(number, {one.at: 1.0}) for one in sources)])
    times = np.linspace(0.0, duration, 2001)
    b = np.zeros((len(A), len(times)))
    for k, one in enumerate(sources, start=len(A) - len(sources)):
        b[k] = one.speed if isinstance(one.speed, float) else np.interp(times, *np.transpose(one.speed))
    for wheel in parts:
        if not isinstance(wheel, Freewheel):
            continue
        row = _row(number, {wheel.between[1]: 1.0}) + _row(number, {wheel.between[0]: -1.0})
        weights = np.linalg.lstsq(A.T, row, rcond=None)[0]
        ahead = weights @ b * (1.0 if wheel.overrunning == "forward" else -1.0)
        if np.abs(A.T @ weights - row).max() < 1e-9 and ahead.min() < -1e-9:
            return True
    return False


def _row(number: Mapping[str, int], weights: Mapping[str, float]) -> Any:
    """Weights of the speeds of all bodies; the ground stands."""
    found = np.zeros(len(number))
    for place, weight in weights.items():
        if place in number:
            found[number[place]] += weight
    return found


def _gears(parts: list[Any]) -> list[dict[str, float]]:
    """Sums of speeds that gears keep at zero."""
    rows = []
    for one in parts:
        if isinstance(one, RatioGear):
            rows.append({one.between[0]: 1.0, one.between[1]: -one.ratio})
        elif isinstance(one, PlanetaryGear):
            rows.append({one.sun: 1.0, one.ring: one.ratio, one.carrier: -1.0 - one.ratio})
    return rows


def is_right(parts: list[Any], fault: Fault) -> bool:
    """Whether a machine has the fault that it is refused for, by rows and speeds put together here."""
    bodies = [one for one in parts if isinstance(one, Rotor1D)]
    number = {body.name: i for i, body in enumerate(bodies)}
    rows = [_row(number, weights) for weights in _gears(parts)]
    right = [0.0] * len(rows)
    n_gears = len(rows)
    for one in parts:
        if isinstance(one, SpeedSource):
            rows.append(_row(number, {one.at: 1.0}))
            right.append(one.speed if isinstance(one.speed, float) else one.speed[0][1])
    A, b = np.array(rows).reshape(-1, len(bodies)), np.array(right)
    if np.linalg.matrix_rank(A) < len(A):  # drives and gears determine each other
        return fault.quantity.startswith(("joint ", "drives of "))
    if fault.value == "held at rest":  # gears that block each other: some rotation is zero in every motion they allow
        free = np.eye(len(bodies)) - np.linalg.pinv(A[:n_gears]) @ A[:n_gears]
        return bool((np.abs(free).max(axis=1) < 1e-9).any())
    if fault.quantity.startswith("relative speed of freewheel"):
        return any(isinstance(one, Freewheel) for one in parts) and bool(any(body.speed for body in bodies) or b.any())
    given = [i for i, body in enumerate(bodies) if body.speed]
    speeds = np.array([bodies[i].speed for i in given])
    rest = np.setdiff1d(np.arange(len(bodies)), given)
    left = b - A[:, given] @ speeds
    solved = A[:, rest] @ np.linalg.lstsq(A[:, rest], left, rcond=None)[0] if len(rest) else 0.0 * left
    contradict = bool(np.abs(solved - left).max(initial=0.0) > 1e-9 * (np.abs(left).max(initial=0.0) + 1e-9))
    return contradict and ("at the start" in fault.quantity) and n_gears + len(b) > 0


# ----------------------------------------------------------------------------------- all
def motion_of(parts: list[Any], duration: float = DURATION, **analysis: Any) -> tuple[ResultArrays, RotationalStudy]:
    """The motion of a machine of such parts.

    Raises
    ------
    Fault, NonConvergence
    """
    machine = ag.Machine()
    for part in parts:
        machine.add(part.name, part)
    study = RotationalStudy(machine.case(RotationalMotion(duration=duration, **analysis)))
    study.run(Silent())
    count = study.motion.cvode.count
    return rotational_history(study.motion, {"steps": count.steps, "restarts": count.restarts}), study


def throughput(values: Mapping[str, Any]) -> float:
    """Energy that was put in, taken out, lost, stored and given back [J]."""
    moved = [values["energy_supplied"], values["energy_stored"], values["energy_kinetic"][:, None]]
    changed = sum(np.abs(np.diff(energy, axis=0)).sum() for energy in moved)
    return float(changed + values["energy_dissipated"][-1] + values["energy_kinetic"][0])


def look_at_train(values: Mapping[str, Any], say: Callable[[str, str], None], what: str) -> None:
    """Energy is closed, nothing is gained by losses, what is stuck does not slip."""
    through = throughput(values)
    if not all(np.isfinite(values[name]).all() for name in LOOKED_AT):
        say("not finite", what)
    missing = float(np.abs(values["energy_missing"]).max())
    if not missing <= ENERGY * through + 1e-15:
        say("energy", f"{what}: {missing:.2e} of {through:.2e} J missing")
    least, most = float(values["loss"].min(initial=0.0)), float(np.abs(values["power"]).max(initial=0.0))
    if least < -1e-9 * most:
        say("loss", f"{what}: {least:.2e} W at powers of {most:.2e} W")
    if values["relative_speed"][values["mode"] == 0].any():
        say("slip", what)


def fuzz_trains(
    n: int, random_: random.Random, say: Callable[[str, str], None], duration: float = DURATION
) -> Counter[str]:
    """Random machines; faults, and failures where drives turn what locks, are counted: what else ends one is wrong."""
    found: Counter[str] = Counter()
    for k in range(n):
        seed = random_.getrandbits(48)
        what = f"train {k} of seed {seed}"
        parts = random_train(random.Random(seed))
        try:
            history, _ = motion_of(parts, duration)
        except Fault as fault:
            found["refused"] += 1
            if not is_right(parts, fault):
                say("refused", f"{what}: {fault}")
            continue
        except NonConvergence as failure:
            found["stopped"] += 1
            if not drives_what_locks(parts, duration):
                say("stopped", f"{what}: {failure}")
            continue
        except Exception as error:
            say("train", f"{what}: {type(error).__name__}: {error}"[:300])
            continue
        found["run"] += 1
        look_at_train(history.values, say, what)
    return found
