"""The damping of the mesh takes energy in every step, whatever moves the gaps.

``python validation/mesh_damping/run.py`` shakes a pair in all combinations of normal modes, damping of mesh and modes,
torque and spacing of the output, and prints the table of README.md (ten minutes).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import alegear as ag
from alegear.case.pair_machine import DRIVE, MESH
from alegear.contact.numbering import GEARS, SPIN
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import prepare
from alegear.system.energy import SystemEnergy
from alegear.system.time_integration.generalized_alpha import GeneralizedAlpha
from alegear.system.time_integration.second_order_system import State, start
from alegear.system.time_integration.step_control import AdaptiveStep, integrate

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone
from pairs import dynamic_study

HERE = Path(__file__).parent
MODES, OF_MESH, MODAL = (0, 8, 24, 60), (0.02, 0.1, 0.2, 0.3), (0.0, 0.01)
TORQUES = (300.0, 100.0, -100.0)  # N m
OUTPUTS = {2e-6: 40, 1e-5: 20, 1e-4: 4}  # spacing [s] and number of outputs
BOUND = 1e-12  # of the energy dissipated: contact forces are found to 1e-13 of the largest overlap


def study_of(case: ag.Case, modes: int, mesh: float, modal: float, torque: float) -> DynamicStudy:
    """Dynamic study of the case with other modes, damping ratios and torque."""
    assert isinstance(case.analysis, ag.DynamicAnalysis)
    analysis = replace(case.analysis, normal_modes=modes, mesh_damping_ratio=mesh)
    if modes:
        analysis = replace(analysis, modal_damping_ratio=modal)
    case = replace(case, analysis=analysis, operation=replace(case.operation, pinion_torque=torque))
    return dynamic_study(case, prepare(case, Silent(), fields=False))


def shaken(study: DynamicStudy, every: float, steps: int) -> NDArray[np.float64]:
    """Energy dissipated after each step [J] of a motion that starts with the gears thrown against each other."""
    system, energy_balance, dissipated = study.system, SystemEnergy(), [0.0]
    q, v = (system.free_of(one) for one in study._start)
    rng = np.random.default_rng(5)
    # as fast as vibration at the natural frequency by a good part of the deflection: the teeth part at times
    fast = 0.7 * study.frequencies[MESH] * system.displacement_scale
    v = v + fast * rng.uniform(-1.0, 1.0, len(v))
    mesh = study.built.contacts[MESH]
    driven = 1 - mesh.driving
    at = np.searchsorted(study.built.model.free, study.built.rotation(GEARS[driven]))
    v[at] -= SPIN[driven] * fast[at]

    def book(state: State) -> None:
        energy_balance.carry_on(system, state)
        dissipated.append(energy_balance.dissipated)

    begun = start(system, t=0.0, q=q, v=v)
    energy_balance.carry_on(system, begun)
    pitch = float(mesh.contact.pitch_angle[mesh.driving]) / abs(study.speeds[DRIVE].value(0.0))
    integrate(
        system,
        begun,
        steps * every,
        scheme=GeneralizedAlpha(rho_inf=0.8),
        control=AdaptiveStep(tolerance=1e-3, h_max=min(pitch / 64, every), h_min=1e-12),
        stop_times=every * np.arange(1, steps),
        on_step=book,
    )
    return np.array(dissipated)


def rows(quick: bool) -> Iterator[Row]:
    """The most energy that a step gives back, by numbers of modes; the quick form has some combinations of two."""
    case = ag.Case.from_toml(HERE / "case.toml")
    outputs = {1e-5: 20, 1e-4: 4} if quick else OUTPUTS
    for modes in (0, 8) if quick else MODES:
        least, combinations, count = dict.fromkeys(outputs, np.inf), 0, 0
        every = itertools.product(OF_MESH, MODAL if modes else MODAL[:1], TORQUES)
        for mesh, modal, torque in itertools.islice(every, 2, None, 7) if quick else every:
            study = study_of(case, modes, mesh, modal, torque)
            for spacing, steps in outputs.items():
                dissipated = shaken(study, spacing, steps)
                change = float(np.diff(dissipated).min() / dissipated[-1])
                least[spacing] = min(least[spacing], change)
                combinations, count = combinations + 1, count + len(dissipated) - 1
        yield Row(
            quantity=f"energy that a step gives back, over all dissipated, {modes} modes, {combinations} motions",
            value=max(0.0, -min(least.values())),
            kind="at most",
            bound=BOUND,
            source="a damper takes energy",
        )
        told = ", ".join(f"{v:+.1e}" for v in least.values())
        print(f"| {modes} | {combinations} | {count} | {told} |", flush=True)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
