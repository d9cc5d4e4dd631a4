"""What a dynamic study has got so far, as arrays: its samples as they grow, and how its integration goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import Arrays
from alegear.dynamics.step_control import StepCount, StepMemory
from alegear.dynamics.system import ForceEvaluation, State
from alegear.study.gear_train import EnergyAccount, GearMotion, GearTrain
from alegear.study.recorder import RecordSize

if TYPE_CHECKING:
    from alegear.study.dynamic import DynamicStudy

Memory = Mapping[str, NDArray[Any]]

VECTORS = ("angle", "speed", "acceleration", "bearing_force")
SUPPORTS = ("support_displacement", "support_load")
STEPWISE = "stepwise"  # key of a memory: whether the steps are taken in Python


@dataclass(frozen=True, kw_only=True)
class StudySize:
    """How much a study has got: blocks of samples, of them with supports that give way, frames, what is recorded."""

    blocks: int = 0
    supports: int = 0
    frames: int = 0
    record: RecordSize = field(default_factory=RecordSize)

    @classmethod
    def of(cls, study: DynamicStudy) -> StudySize:
        """Of a study as it is now."""
        return cls(
            blocks=len(study.samples),
            supports=len(study.supports),
            frames=len(study.frames),
            record=study.recorder.size,
        )


# ------------------------------------------------------------------------- samples
def samples_since(study: DynamicStudy, size: StudySize) -> Arrays:
    """What the study has got since it had so much, by name."""
    new = prefixed("record", study.recorder.since(size.record))
    blocks = study.samples[size.blocks :]
    if blocks:
        new["samples"] = np.concatenate(blocks)
        vectors = zip(*study.vectors[size.blocks :], strict=True)
        new |= {name: np.concatenate(parts) for name, parts in zip(VECTORS, vectors, strict=True)}
    supports = study.supports[size.supports :]
    if supports:
        of_supports = zip(*supports, strict=True)
        new |= {name: np.array(values) for name, values in zip(SUPPORTS, of_supports, strict=True)}
    for k, (t, motion, face_force) in enumerate(study.frames[size.frames :]):
        frame = {"t": np.array(t), "force_0": face_force[0], "force_1": face_force[1]}
        frame |= {name: np.asarray(value) for name, value in vars(motion).items() if value is not None}
        new |= prefixed(f"frame{k}", frame)
    return new


def take_up_samples(study: DynamicStudy, parts: Sequence[Memory]) -> None:
    """Give a study that has none the samples and frames that another one had got."""
    for part in parts:
        if "samples" in part:
            study.samples.append(part["samples"])
            study.vectors.append(tuple(part[name] for name in VECTORS))
        if SUPPORTS[0] in part:
            study.supports.extend(zip(*(part[name] for name in SUPPORTS), strict=True))
        k = 0
        while frame := of_prefix(f"frame{k}", part):
            t, force = float(frame.pop("t")), (frame.pop("force_0"), frame.pop("force_1"))
            values: dict[str, Any] = {name: v if v.ndim else v.item() for name, v in frame.items()}
            motion = GearMotion(**values)
            study.frames.append((t, motion, force))
            k += 1


# ---------------------------------------------------------------------- integration
def study_memory(study: DynamicStudy, integration: Memory) -> Arrays:
    """What the study goes on from: of its integration, train, energies and recorder."""
    return {
        **prefixed("integration", integration),
        **prefixed("train", study.system.memory()),
        **prefixed("record", study.recorder.memory()),
        "energy": study.energy.to_array(),
    }


def take_up_memory(study: DynamicStudy, memory: Memory, parts: Sequence[Memory]) -> Arrays:
    """Give a study the samples and the memory of another one; returns the memory of its integration."""
    take_up_samples(study, parts)
    study.recorder.recall([of_prefix("record", part) for part in parts], of_prefix("record", memory))
    study.system.recall(of_prefix("train", memory))
    study.energy = EnergyAccount.from_array(memory["energy"])
    return of_prefix("integration", memory)


def stepwise_memory(state: State, steps: StepMemory, count: StepCount) -> Arrays:
    """What an integration step by step goes on from; of the force the next step needs the accelerations only."""
    assert steps.length is not None
    return {
        STEPWISE: np.array(True),
        **{name: np.asarray(getattr(state, name)) for name in ("t", "q", "v", "vdot", "a", "h")},
        "steps": np.array([steps.length, steps.error_before, steps.just_rejected]),
        "count": np.array(astuple(count)),
    }


def stepwise_of(train: GearTrain, memory: Memory) -> tuple[State, StepMemory, StepCount]:
    """State, step control and count of :func:`stepwise_memory`."""
    length, error_before, just_rejected = memory["steps"].tolist()
    accepted, by_newton, by_error, iterations, shortest, longest = memory["count"].tolist()
    state = state_of(train, *(memory[name] for name in ("t", "q", "v", "vdot", "a", "h")))
    steps = StepMemory(length=length, error_before=error_before, just_rejected=bool(just_rejected))
    count = StepCount(
        accepted=int(accepted),
        rejected_by_newton=int(by_newton),
        rejected_by_error=int(by_error),
        newton_iterations=int(iterations),
        h_shortest=shortest,
        h_longest=longest,
    )
    return state, steps, count


def state_of(train: GearTrain, t: Any, q: Any, v: Any, vdot: Any, a: Any, h: Any) -> State:
    """State of a train with the force that its acceleration means, without tangents."""
    n = train.n_dof
    q, v, vdot, a = (np.array(values, dtype=np.float64).reshape(n) for values in (q, v, vdot, a))
    force = ForceEvaluation(Q=train.mass_matrix(q) @ vdot, dQ_dq=np.zeros((n, n)), dQ_dv=np.zeros((n, n)))
    return State(t=float(t), q=q, v=v, vdot=vdot, a=a, h=float(h), force=force)


# -------------------------------------------------------------------------- names
def prefixed(prefix: str, arrays: Memory) -> Arrays:
    """Arrays with ``prefix/`` before their names."""
    return {f"{prefix}/{name}": values for name, values in arrays.items()}


def of_prefix(prefix: str, arrays: Memory) -> Arrays:
    """Those with ``prefix/`` before their names, without it."""
    return dict(_stripped(f"{prefix}/", arrays.items()))


def _stripped(start: str, items: Iterable[tuple[str, NDArray[Any]]]) -> Iterable[tuple[str, NDArray[Any]]]:
    return ((name.removeprefix(start), values) for name, values in items if name.startswith(start))
