"""Forces and tangents of a contact at random states: rotations, rates, displacements, modal coordinates.

The states are drawn from a fixed seed, and kept beside the answers: a contact that is asked in another way is still
asked the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from cases import case_of
from numpy.typing import NDArray

from alegear.case.pair_machine import MESH, machine_of
from alegear.contact.forces import N_TURNS, MeshMotion
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.preparation import prepare

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
#: Names in the files of what is called otherwise in the contact.
KEPT_AS = {"ahead": "gap_offset", "torque_ahead": "torque_gap_offset"}
#: The same where energy is asked for: at rest.
OF_ENERGY = ("energy", "energy_torque")


def contact_of(name: str) -> tuple[Any, float, Array]:
    """Contact of a case, its deflection in single contact [m], and which gears give way on bearings, shape (2,)."""
    case = case_of(name)
    prepared = prepare(case, Silent())
    deflection = MeshSolver.of(case, prepared.contact).solve(0.0, 0, None).deflection
    gives_way = np.array([support is not None for support in case.supports], dtype=np.float64)
    if name.startswith("motion"):
        (mesh,) = DynamicStudy(machine_of(case), {MESH: prepared}).built.contacts.values()
        return mesh.contact, deflection, gives_way
    return prepared.contact, deflection, gives_way


def drawn(contact: Any, deflection: float, gives_way: Array) -> dict[str, Array]:
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
    if gives_way.any():
        size = np.abs(deflection) * np.array([0.3, 0.3, 1.0, 1.0 / r_b.mean(), 1.0 / r_b.mean()])
        states["displacement"] = random.normal(size=(N_STATES, 2, 5)) * size * gives_way[:, None]
    if sum(contact.mode_counts):
        omega = np.concatenate([modes.frequencies for modes in contact.modes])
        # as large as a torque of a tenth would hold them
        states["modal"] = random.normal(size=(N_STATES, len(omega))) * 1e3 / omega**2
    return states


def answers(contact: Any, states: dict[str, Array]) -> dict[str, Array]:
    """Forces, tangents and energies at those states."""
    found: dict[str, list[Any]] = {}
    data = contact.new_data(displaced="displacement" in states)
    for i in range(len(states["phi"])):
        motion = MeshMotion(**{KEPT_AS.get(name, name): values[i] for name, values in states.items()})
        still = replace(motion, omega=np.zeros(N_TURNS), gap_offset=np.zeros(N_TURNS))
        forces, elastic = contact.evaluate(data, motion), contact.evaluate(data, still, tangent=False, energy=True)
        read = {name: KEPT_AS.get(name, name) for name in ANSWERS}
        split = {name: getattr(forces, one) for name, one in read.items() if hasattr(forces, one)}
        for name, value in (split | _further(forces) | {name: getattr(elastic, name) for name in OF_ENERGY}).items():
            if value is not None:  # a law may not know it
                found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def _further(forces: Any) -> dict[str, Any]:
    """Parts that belong to displacements and modes, by the names under which they are kept."""
    if len(forces.force) == N_TURNS:
        return {}
    turns, rest = slice(N_TURNS), slice(N_TURNS, None)
    return {
        "push": forces.force[rest],
        "friction_push": forces.friction[rest],
        "push_phi": forces.by_coordinate[rest, turns],
        "push_ahead": forces.by_gap_offset[rest, turns],
        "push_y": forces.by_coordinate[rest, rest],
        "torque_y": forces.by_coordinate[turns, rest],
    }
