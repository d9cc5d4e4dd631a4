"""Studies of two gears, which are those of the machine that a pair is, and what these find of their one mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.case.pair_machine import MESH, machine_of
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import PreparedPair, prepare
from alegear.studies.static import StaticStudy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from alegear.case.case import Case


def static_study(case: Case, prepared: PreparedPair | None = None) -> tuple[StaticStudy, PreparedPair]:
    """A static study of a pair that has not run yet, and the pair; prepared, if it is given, as :func:`prepare` does."""
    pair = prepare(case, Silent()) if prepared is None else prepared
    return StaticStudy(machine_of(case), {MESH: pair}), pair


def dynamic_study(
    case: Case, prepared: PreparedPair | None = None, *, frame_times: tuple[float, ...] = ()
) -> tuple[DynamicStudy, PreparedPair]:
    """Likewise of its motion."""
    pair = prepare(case, Silent()) if prepared is None else prepared
    return DynamicStudy(machine_of(case), {MESH: pair}, frame_times=frame_times), pair


def mesh_of(study: StaticStudy | DynamicStudy) -> Any:
    """The mesh of the pair among the elements of the study's system."""
    system = study.built if isinstance(study, DynamicStudy) else study.solver.system
    return system.contacts[MESH]


def turned(study: StaticStudy | DynamicStudy, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotations of both gears in their running direction [rad], shape (2,), where the system has coordinates (n,)."""
    mesh = mesh_of(study)
    found: NDArray[np.float64] = mesh.turned(x[mesh.coordinates])
    return found
