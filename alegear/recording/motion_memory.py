"""What a motion goes on from, as arrays: its integration, and the frames it has got so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np

from alegear.arrays import AnyArray, Array
from alegear.contact.forces import Arrays, PerGear
from alegear.system.motion import SystemMotion
from alegear.system.time_integration.second_order_system import ForceEvaluation, State
from alegear.system.time_integration.step_control import StepCount

Memory = Mapping[str, AnyArray]
Contact = tuple[int, PerGear]  # tooth pair in slot 0, forces on the faces

STEPWISE = "stepwise"  # key of a memory: whether the steps are taken in Python
STATE = ("t", "q", "v", "vdot", "a", "h", "multipliers")  # what a state is kept by


# ------------------------------------------------------------------------- frames
def contacts_memory(contacts: Sequence[Contact]) -> Arrays:
    """Contact of frames as arrays; of the forces on the faces, most of which are 0, those that are not."""
    memory: Arrays = {"first_pair": np.array([first_pair for first_pair, _ in contacts], dtype=np.int64)}
    for gear in range(2):
        forces = [face_force[gear] for _, face_force in contacts]
        loaded = [np.flatnonzero(force) for force in forces]
        memory[f"size_{gear}"] = np.array([force.size for force in forces], dtype=np.int64)
        memory[f"count_{gear}"] = np.array([at.size for at in loaded], dtype=np.int64)
        memory[f"loaded_{gear}"] = np.concatenate([np.empty(0, dtype=np.int64), *loaded])
        memory[f"force_{gear}"] = np.concatenate([np.empty(0), *(f[at] for f, at in zip(forces, loaded, strict=True))])
    return memory


def contacts_of(memory: Memory) -> list[Contact]:
    """Contact of :func:`contacts_memory`."""
    forces: list[list[Array]] = []
    for gear in range(2):
        ends = np.cumsum(memory[f"count_{gear}"])
        forces.append([])
        for size, begin, end in zip(memory[f"size_{gear}"], ends - memory[f"count_{gear}"], ends, strict=True):
            force = np.zeros(size)
            force[memory[f"loaded_{gear}"][begin:end]] = memory[f"force_{gear}"][begin:end]
            forces[gear].append(force)
    return [(int(pair), (forces[0][k], forces[1][k])) for k, pair in enumerate(memory["first_pair"])]


# ---------------------------------------------------------------------- integration
def stepwise_memory(state: State, steps: Array, count: StepCount, modes: Memory) -> Arrays:
    """What an integration step by step goes on from; of the force the next step needs the accelerations only.

    `modes` are those of the switches of the system (:meth:`SystemMotion.modes_memory`).
    """
    return {
        STEPWISE: np.array(True),
        **{name: np.asarray(getattr(state, name)) for name in STATE},
        **prefixed("modes", modes),
        "steps": steps.copy(),
        "count": np.array(astuple(count)),
    }


def stepwise_of(system: SystemMotion, memory: Memory) -> tuple[State, Array, StepCount]:
    """State, step control and count of :func:`stepwise_memory`."""
    accepted, by_newton, by_error, iterations, shortest, longest = memory["count"].tolist()
    system.recall_modes(of_prefix("modes", memory))
    state = state_of(system, **{name: memory[name] for name in STATE})
    count = StepCount(
        accepted=int(accepted),
        rejected_by_newton=int(by_newton),
        rejected_by_error=int(by_error),
        newton_iterations=int(iterations),
        h_shortest=shortest,
        h_longest=longest,
    )
    return state, np.array(memory["steps"]), count


def state_of(
    system: SystemMotion, *, t: Any, q: Any, v: Any, vdot: Any, a: Any, h: Any, multipliers: Any = ()
) -> State:
    """State of a system with the force that its acceleration means, without tangents."""
    n = system.n_dof
    q, v, vdot, a = (np.array(values, dtype=np.float64).reshape(n) for values in (q, v, vdot, a))
    Q = system.mass_matrix(q) @ vdot
    force = ForceEvaluation(Q=Q, dQ_dq=np.zeros((n, n)), dQ_dv=np.zeros((n, n)))
    multipliers = np.array(multipliers, dtype=np.float64).reshape(system.n_constraints)
    return State(t=float(t), q=q, v=v, vdot=vdot, a=a, h=float(h), force=force, multipliers=multipliers)


# -------------------------------------------------------------------------- names
def prefixed(prefix: str, arrays: Memory) -> Arrays:
    """Arrays with ``prefix/`` before their names."""
    return {f"{prefix}/{name}": values for name, values in arrays.items()}


def of_prefix(prefix: str, arrays: Memory) -> Arrays:
    """Those with ``prefix/`` before their names, without it."""
    start = f"{prefix}/"
    return {name.removeprefix(start): values for name, values in arrays.items() if name.startswith(start)}
