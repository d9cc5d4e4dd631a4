"""What comes out of a motion, whether its steps are taken in Python or in compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from alegear.drivetrain.compiled_motion import MotionSamples
from alegear.recording.motion import MotionIntegration
from alegear.system.time_integration.second_order_system import State

ENERGIES = ("input", "dissipated", "kinetic", "stored")


class KeptMotion:
    """Times, free coordinates, their velocities and energies: of all steps in Python, of samples of compiled ones."""

    saves = False

    def __init__(self, run: MotionIntegration) -> None:
        self.run = run
        self._kept: list[tuple[float, np.ndarray, np.ndarray, list[float]]] = []

    def record(self, state: State) -> None:
        self._keep(state.t, state.q, state.v, vars(self.run.energy))

    def record_samples(self, samples: MotionSamples) -> None:
        free_of = self.run.system.free_of
        for i, t in enumerate(samples.time.tolist()):
            energies = {name: values[i] for name, values in samples.energies.items()}
            self._keep(t, free_of(samples.x[i]), free_of(samples.v[i]), energies)

    def _keep(self, t: float, q: np.ndarray, v: np.ndarray, energies: Mapping[str, Any]) -> None:
        self._kept.append((t, q, v, [float(energies[name]) for name in ENERGIES]))

    def record_last(self, state: State) -> None:
        return

    def show(self, t: float) -> None:
        return

    @property
    def t(self) -> np.ndarray:
        return np.array([t for t, *_ in self._kept])

    @property
    def q(self) -> np.ndarray:
        return np.array([q for _, q, *_ in self._kept])

    @property
    def v(self) -> np.ndarray:
        return np.array([v for *_, v, _ in self._kept])

    @property
    def energies(self) -> dict[str, np.ndarray]:
        """By name, with what is ``missing`` of the balance [J]."""
        found = dict(zip(ENERGIES, np.array([one for *_, one in self._kept]).T, strict=True))
        there = found["kinetic"] + found["stored"] - self.run.energy.start
        return found | {"missing": found["input"] - found["dissipated"] - there}
