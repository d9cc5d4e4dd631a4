"""Forces and tangents of a contact at random states: rotations, rates, displacements, modal coordinates.

The states are drawn from a fixed seed, and kept beside the answers: a contact that is asked in another way is still
asked the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import case_of
from numpy.typing import NDArray

from alegear.contact.hertz.supported import SupportedContact
from alegear.contact.hertz.vibrating import VibratingContact
from alegear.study.dynamic import DynamicStudy
from alegear.study.preparation import prepare
from alegear.study.progress import Silent
from alegear.study.static import StaticSolver

Array = NDArray[np.float64]

N_STATES = 50
SEED = 20
#: Cases whose contacts are asked.
NAMES = (
    "static_spur",
    "static_helical",
    "static_wheel_drives",
    "static_back_flanks",
    "static_relieved_tilted",
    "static_friction",
    "static_undercut",
    "static_segment",
    "static_bearings",
    "static_helical_bearings",
    "static_penalty",
    "motion_modes",
    "motion_modes_shafts_friction",
    "motion_bearings_shafts_friction",
    "motion_penalty_friction",
)
#: Of the answer: what the equations of motion take from it.
ANSWERS = (
    "torque",
    "pair_torque",
    "friction_torque",
    "torque_phi",
    "torque_ahead",
    "torque_omega",
    "push",
    "friction_push",
    "push_phi",
    "push_ahead",
    "push_y",
    "torque_y",
)
#: The same where energy is asked for.
OF_ENERGY = ("energy", "energy_torque")


def contact_of(name: str) -> tuple[Any, float]:
    """Contact of a case, and its deflection in single contact [m]."""
    case = case_of(name)
    prepared = prepare(case, Silent())
    solver = StaticSolver.of(case, prepared.contact)
    deflection = solver.solve(0.0, 0, None).deflection
    if name.startswith("motion"):
        return DynamicStudy(prepared, solver, case, frame_times=()).system.contact, deflection
    return prepared.contact, deflection


def drawn(contact: Any, deflection: float) -> dict[str, Array]:
    """States of a contact, one a row: teeth that part, and up to three times the load, on the flanks that carry it."""
    random = np.random.default_rng(SEED)
    pitch, r_b = np.array(contact.pitch_angle), np.array([gear.r_b for gear in contact.pair.gears])
    phase = random.uniform(-0.5, 0.5, N_STATES)
    ahead = random.uniform(-0.5, 3.0, N_STATES) * deflection
    states = {
        "phi": phase[:, None] * pitch,
        "omega": random.normal(0.0, 100.0, (N_STATES, 2)),
        "ahead": random.normal(0.0, 0.02, (N_STATES, 2)) * abs(deflection) / r_b,
    }
    states["phi"][:, 0] += ahead / r_b[0]
    if isinstance(contact, SupportedContact):
        size = np.abs(deflection) * np.array([0.3, 0.3, 1.0, 1.0 / r_b.mean(), 1.0 / r_b.mean()])
        free = np.array(contact.gives_way)[:, None]
        states["displacement"] = random.normal(size=(N_STATES, 2, 5)) * size * free
    if isinstance(contact, VibratingContact):
        omega = np.concatenate([modes.frequencies for modes in contact.modes])
        # as large as a torque of a tenth would hold them
        states["modal"] = random.normal(size=(N_STATES, len(omega))) * 1e3 / omega**2
    return states


def answers(contact: Any, states: dict[str, Array]) -> dict[str, Array]:
    """Forces, tangents and energies at those states."""
    found: dict[str, list[Any]] = {}
    for i in range(len(states["phi"])):
        phi, given = states["phi"][i], {"omega": states["omega"][i], "ahead": states["ahead"][i]}
        if "displacement" in states:
            ask, at = contact.evaluate_at, (phi, states["displacement"][i])
        elif "modal" in states:
            ask, at = contact.evaluate_at, (phi, states["modal"][i])
        else:
            ask, at = contact.evaluate, (phi,)
        for names, forces in (
            (ANSWERS, ask(*at, **given)),
            (OF_ENERGY, ask(*at, tangent=False, energy=True)),
        ):
            for name in names:
                value = getattr(forces, name, None)
                if value is not None:  # a law may not know it
                    found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}
