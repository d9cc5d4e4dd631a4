"""What a study file asks of the result of its study."""

from __future__ import annotations

from dataclasses import dataclass

from alegear.case.study_file import StudyFile
from alegear.results.designs import Front, HarrisMap, Optimum
from alegear.results.study_result import StudyResult
from alegear.studies.study import rehearsal


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """Optimum, fronts and map, as far as they are asked for."""

    optimum: Optimum | None
    fronts: tuple[Front, ...]
    harris_map: HarrisMap | None


def answers(result: StudyResult, asked: StudyFile) -> Answers:
    """Answer what a study file asks.

    Raises
    ------
    Fault
        For quantities and axes that there are not.
    """
    best, harris = asked.table.optimum, asked.table.harris_map
    return Answers(
        optimum=None
        if best is None
        else result.optimum(best.quantity, over=best.over, by=best.by, largest=best.largest),
        fronts=tuple(
            result.pareto(*one.quantities, over=one.over, by=one.by, largest=one.largest) for one in asked.table.pareto
        ),
        harris_map=None
        if harris is None
        else result.harris_map(harris.quantity, torque=harris.torque, over=harris.over, by=harris.by, at=harris.at),
    )


def check_asked(asked: StudyFile) -> None:
    """Refuse what cannot be asked of a study before it is computed.

    Raises
    ------
    Fault
    """
    made_up = rehearsal(asked.case, asked.axes, tolerances=asked.tolerances, root_stress=asked.table.root_stress)
    if made_up is not None:
        answers(made_up, asked)
