"""Studies of two gears as those of their machine, and the equilibrium of their mesh beside them."""

from __future__ import annotations

import alegear as ag
from alegear.case.pair_machine import MESH, machine_of
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.preparation import PreparedPair, prepare


def dynamic_study(case: ag.Case, prepared: PreparedPair | None = None) -> DynamicStudy:
    """A dynamic study that has not run yet; of a pair that is prepared, if it is given."""
    pair = prepare(case, Silent()) if prepared is None else prepared
    return DynamicStudy(machine_of(case), {MESH: pair})


def solver_of(study: DynamicStudy) -> MeshSolver:
    """The mesh of a study at rest, its gears on fixed axes and without normal modes."""
    assert study.case.preset is not None
    return MeshSolver.of(study.case.preset, study.prepared[MESH].contact)
