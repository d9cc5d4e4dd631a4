"""A picture of results: what it is called, which results have it, what it shows, and in which chapter of a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from alegear.results.case_record import CaseRecord
from alegear.results.result import Result
from alegear.storage.stored_files import MESHES

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

T = TypeVar("T")

#: Attribute with the words of the operating point; of the record of the case, a dataset has none.
OPERATING_POINT = "operating_point"


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture of results.

    Parameters
    ----------
    name : str
        The file is ``NAME.png``, the method ``result.plot.NAME()``.
    heading : str
        Chapter of a report that it stands in, behind the tables of a section of that title.
    order : int
        Chapters, and the pictures of a chapter, stand in the order of these.
    holds : callable of Result
        Whether a result has what it shows.
    draw : callable of Result
    caption : callable of Result
        What it shows, in words and numbers.
    """

    name: str
    heading: str
    order: int
    holds: Callable[[Result], bool]
    draw: Callable[[Result], Figure]
    caption: Callable[[Result], str]


def of_dataset(of: Callable[[xr.Dataset], T]) -> Callable[[Result], T]:
    """Make a function of a dataset one of a result."""
    return lambda result: of(result.dataset)


def labelled(result: Result) -> Result:
    """Return a result whose dataset has the operating point; of a mesh of a machine with the names of its gears."""
    record, mesh, directory = result.record, "", result.directory
    if not record.data and directory is not None and directory.parent.name == MESHES:
        record, mesh = CaseRecord.read(directory.parent.parent), directory.name
    dataset = result.dataset
    gears = [gear.replace("$", r"\$") for gear in record.gears_of(mesh)]  # no formula between two of them
    if gears and "gear" in dataset.coords:
        names = dict(zip(dataset["gear"].values.tolist(), gears, strict=True))
        dataset = dataset.assign_coords(gear=gears)
        if "point_gear" in dataset:
            of_points = [names[gear] for gear in dataset["point_gear"].values.tolist()]
            dataset = dataset.assign(point_gear=(dataset["point_gear"].dims, of_points))
    point = record.operating_point(mesh)
    if point and "axes" not in dataset.attrs:  # a study starts from it and goes elsewhere
        dataset = dataset.assign_attrs({OPERATING_POINT: point})
    return result if dataset is result.dataset else result.with_dataset(dataset)
