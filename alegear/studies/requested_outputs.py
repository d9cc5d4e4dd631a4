"""Outputs that a study file requests: optimum, Pareto fronts, Harris map."""

from __future__ import annotations

from typing import Any

from alegear.case.study_file import StudyFile
from alegear.results.requested_outputs import RequestedOutputs, requested_outputs_of
from alegear.results.study_result import StudyResult
from alegear.studies.study import rehearsal


def requested_outputs(asked: StudyFile) -> dict[str, Any]:
    """Arguments of :func:`alegear.results.requested_outputs.requested_outputs_of` from a study file."""
    table = asked.table
    found: dict[str, Any] = {}
    for name, one in (("optimum", table.optimum), ("harris_map", table.harris_map)):
        if one is not None:
            found[name] = one.model_dump(exclude_none=True)
    if table.pareto:
        found["pareto"] = [one.model_dump(exclude_none=True) for one in table.pareto]
    return found


def evaluate_requested(result: StudyResult, asked: StudyFile) -> RequestedOutputs:
    """Evaluate the requested outputs of a study file.

    Raises
    ------
    Fault
        For unknown quantities and axes.
    """
    return requested_outputs_of(result, requested_outputs(asked))


def check_requested_outputs(asked: StudyFile) -> None:
    """Validate the requested outputs before computing.

    Raises
    ------
    Fault
    """
    made_up = rehearsal(asked.case, asked.axes, tolerances=asked.tolerances, root_stress=asked.table.root_stress)
    if made_up is not None:
        evaluate_requested(made_up, asked)
