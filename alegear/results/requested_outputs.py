"""Requested outputs of a study: robust optimum, Pareto fronts, Harris map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from alegear.results.designs import HarrisMap, Optimum, ParetoFront
from alegear.results.study_result import StudyResult


@dataclass(frozen=True, kw_only=True, eq=False)
class RequestedOutputs:
    """Optimum, fronts and map, as far as requested."""

    optimum: Optimum | None
    fronts: tuple[ParetoFront, ...]
    harris_map: HarrisMap | None

    def numbers(self) -> dict[str, Any]:
        """Return them as tables for ``summary.json``: designs by their keys, quantities with their unit in the name."""
        found: dict[str, Any] = {}
        if self.optimum is not None:
            best = self.optimum
            numbers = {f"worst {best.quantity.label}": best.worst, f"mean {best.quantity.label}": best.mean}
            found["optimum"] = best.design | numbers
        if self.fronts:
            found["pareto"] = [front.table().to_dict("records") for front in self.fronts]
        if self.harris_map is not None:
            found["harris_map"] = self.harris_map.designs[self.harris_map.best]
        return found


def requested_outputs_of(result: StudyResult, requested: Mapping[str, Any]) -> RequestedOutputs:
    """Evaluate the requested outputs of a study.

    Parameters
    ----------
    result : StudyResult
    requested : mapping
        ``optimum``, ``harris_map``: arguments of these methods of the result; ``pareto``: a list of those of that one.

    Raises
    ------
    Fault
        For unknown quantities and axes.
    """
    fronts = [dict(one) for one in requested.get("pareto", [])]
    return RequestedOutputs(
        optimum=result.optimum(**requested["optimum"]) if "optimum" in requested else None,
        fronts=tuple(result.pareto(*one.pop("quantities", ()), **one) for one in fronts),
        harris_map=result.harris_map(**requested["harris_map"]) if "harris_map" in requested else None,
    )
