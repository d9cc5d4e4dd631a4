"""Energy of an undamped, unloaded machine over many steps: a disk that turns, tilts and whirls on its bearing.

    python validation/gyroscopic_energy/run.py [--quick]

With rho_inf = 1 the scheme is the trapezoidal rule, and gyroscopic moments do no work.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alegear.system.builder import SystemBuilder
from alegear.system.energy import SystemEnergy
from alegear.system.linear_elements import BearingLink
from alegear.system.model import SystemModel
from alegear.system.motion import SystemMotion
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, State, integrate, start

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone

LIMIT = 1e-6  # of the energy at the start
SPEED = 300.0  # rad/s
STEP = 1e-4  # s, a sixtieth of the shortest period


@dataclass(frozen=True, kw_only=True)
class Drift:
    """Largest energy that is missing at any time, over that at the start, and over that of what swings."""

    of_all: float
    of_swinging: float


def machine() -> SystemModel:
    """A disk of 20 kg, 0.4 kg m2 on an elastic bearing that couples displacement and tilt."""
    stiffness = np.diag([2e6, 3e6, 5e6, 4e4, 4e4])
    stiffness[0, 4] = stiffness[4, 0] = -1e5
    stiffness[1, 3] = stiffness[3, 1] = 1e5
    builder = SystemBuilder()
    builder.rotor("disk", inertia=0.4, mass=20.0, tilt_inertia=0.21)
    return builder.add(BearingLink(name="bearing", place="disk", stiffness=stiffness)).build()


def drift(steps: int) -> Drift:
    """Integrate so many steps."""
    system = SystemMotion(machine())
    q, v = np.zeros(6), np.zeros(6)
    q[1], q[4], v[0], v[2], v[5] = 1e-4, 2e-4, SPEED, 0.05, 0.3
    energy, missing = SystemEnergy(), [0.0]

    def on_step(state: State) -> None:
        energy.carry_on(system, state)
        missing.append(abs(energy.missing))

    state = start(system, t=0.0, q=q, v=v)
    energy.carry_on(system, state)
    assert energy.start is not None
    swinging = energy.start - 0.5 * 0.4 * SPEED**2
    integrate(
        system, state, steps * STEP, scheme=GeneralizedAlpha(rho_inf=1.0), control=FixedStep(h=STEP), on_step=on_step
    )
    return Drift(of_all=max(missing) / energy.start, of_swinging=max(missing) / swinging)


def rows(quick: bool) -> Iterator[Row]:
    """Energy that is missing, over 500 steps in the quick form."""
    found = drift(500 if quick else 100_000)
    # quick: round-off of the kinetic energy of the rotation alone, which so few steps do not add up
    bounds = (1e-13, 1e-8) if quick else (LIMIT, None)
    for what, value, bound in zip(("all of it", "what swings"), (found.of_all, found.of_swinging), bounds, strict=True):
        yield Row(
            quantity=f"energy that is missing at any time, over {what}",
            value=value,
            kind="at most",
            bound=bound,
            source="gyroscopic moments do no work",
        )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
