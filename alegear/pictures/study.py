"""Pictures of what a study file asks for."""

from __future__ import annotations

from pathlib import Path

from alegear.pictures.designs import draw_fronts, draw_optimum
from alegear.pictures.of_results.harris_map import draw_harris_map
from alegear.pictures.picture_file import write_figure
from alegear.results.answers import Answers
from alegear.results.study_result import StudyResult

DPI = 130


def write_pictures(result: StudyResult, found: Answers, directory: Path) -> list[Path]:
    """Draw optimum, fronts and Harris map into an existing folder, as far as they are there; return the files.

    Raises
    ------
    StorageFailure
    """
    figures = {}
    if found.optimum is not None:
        figures["optimum.png"] = draw_optimum(result.dataset, found.optimum)
    if found.fronts:
        figures["pareto.png"] = draw_fronts(result.summary["title"], found.fronts)
    if found.harris_map is not None:
        figures["harris_map.png"] = draw_harris_map(found.harris_map)
    for name, figure in figures.items():
        write_figure(directory / name, figure, DPI)
    return [directory / name for name in figures]
