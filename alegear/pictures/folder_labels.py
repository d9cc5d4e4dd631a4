"""What a result folder tells of its dataset: operating point, names of gears."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alegear.pictures.titles import OPERATING_POINT
from alegear.results.case_record import CaseRecord
from alegear.results.stored_files import MESHES

if TYPE_CHECKING:
    import xarray as xr


def folder_labels(dataset: xr.Dataset, directory: Path) -> xr.Dataset:
    """Return a dataset with what its folder tells; of a mesh of a machine with the names of its gears.

    Parameters
    ----------
    dataset : xarray.Dataset
    directory : Path
        Result folder; that of a mesh lies in that of its machine.
    """
    record, mesh = CaseRecord.read(directory), ""
    if not record.data and directory.parent.name == MESHES:
        record, mesh = CaseRecord.read(directory.parent.parent), directory.name
    gears = [gear.replace("$", r"\$") for gear in record.gears_of(mesh)]  # no formula between two of them
    if gears and "gear" in dataset.coords:
        names = dict(zip(dataset["gear"].values.tolist(), gears, strict=True))
        dataset = dataset.assign_coords(gear=gears)
        if "point_gear" in dataset:
            of_points = [names[gear] for gear in dataset["point_gear"].values.tolist()]
            dataset = dataset.assign(point_gear=(dataset["point_gear"].dims, of_points))
    point = record.operating_point(mesh)
    return dataset.assign_attrs({OPERATING_POINT: point} if point else {})
