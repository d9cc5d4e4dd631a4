"""What a result folder tells of its dataset: operating point, names of gears, roots pressed by a tip edge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alegear.errors import Fault
from alegear.results.case_record import CaseRecord
from alegear.results.root_cycle import pressed_roots
from alegear.results.store import read_summary
from alegear.results.stored_files import MESHES
from alegear.view.pair.root_stress import PRESSED_ROOTS
from alegear.view.titles import OPERATING_POINT

if TYPE_CHECKING:
    import xarray as xr


def told_by_folder(dataset: xr.Dataset, directory: Path) -> xr.Dataset:
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
    pressed = pressed_roots(_warnings(directory))
    gears = [gear.replace("$", r"\$") for gear in record.gears_of(mesh)]  # no formula between two of them
    if gears and "gear" in dataset.coords:
        names = dict(zip(dataset["gear"].values.tolist(), gears, strict=True))
        dataset = dataset.assign_coords(gear=gears)
        pressed = {names[gear]: one for gear, one in pressed.items()}
        if "point_gear" in dataset:
            of_points = [names[gear] for gear in dataset["point_gear"].values.tolist()]
            dataset = dataset.assign(point_gear=(dataset["point_gear"].dims, of_points))
    told = {OPERATING_POINT: record.operating_point(mesh), PRESSED_ROOTS: pressed}
    return dataset.assign_attrs({name: value for name, value in told.items() if value})


def _warnings(directory: Path) -> list[str]:
    """Warnings of a result folder; none where there is no summary yet."""
    try:
        return [str(one) for one in read_summary(directory).get("warnings") or ()]
    except Fault:
        return []
