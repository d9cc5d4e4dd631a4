"""Plots of a result as PNG files.

Only Matplotlib's object interface is used: no global state, no display, safe beside a program's own figures.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.errors import AnalysisFailure
from alegear.pictures.curves import is_dynamic
from alegear.pictures.folder_labels import folder_labels
from alegear.pictures.machine_campbell import draw_machine_campbell
from alegear.pictures.of_results.bearings import draw_bearings, has_bearings
from alegear.pictures.of_results.campbell import draw_campbell
from alegear.pictures.of_results.contact_pattern import draw_contact_pattern
from alegear.pictures.of_results.machine import draw_machine, draw_machine_modes
from alegear.pictures.of_results.orders import draw_machine_orders, draw_pair_orders, pair_lines
from alegear.pictures.of_results.points import draw_points
from alegear.pictures.of_results.power_flow import draw_power_flow
from alegear.pictures.of_results.root_stress import draw_fillet, draw_root_stress, has_fillet_map
from alegear.pictures.of_results.spectrum import draw_spectrum, has_spectrum
from alegear.pictures.of_results.sweep import draw_bearing_orders, draw_machine_sweep, draw_sweep, has_bearing_orders
from alegear.pictures.of_results.te import draw_transmission_error
from alegear.pictures.of_results.tooth_load import draw_tooth_load
from alegear.pictures.of_results.waterfall import draw_waterfall, has_run_up, looked_at
from alegear.pictures.of_results.wear import draw_wear, has_wear
from alegear.pictures.picture_file import png
from alegear.pictures.rotational import draw_energy, draw_losses, draw_modes, draw_speeds, draw_torques
from alegear.pictures.spatial import draw_contact_forces, draw_motion, draw_reactions, draw_spatial_energy
from alegear.results.case_record import CaseRecord
from alegear.results.orders import read_orders
from alegear.results.rotational_result import has_events
from alegear.whole_file import write_whole

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

#: Of a machine whose parts only turn.
ROTATIONAL_DRAWINGS = {
    "speeds.png": draw_speeds,
    "torques.png": draw_torques,
    "modes.png": draw_modes,
    "losses.png": draw_losses,
    "energy.png": draw_energy,
    "power_flow.png": draw_power_flow,
}

#: Of a machine with bodies in space.
SPATIAL_DRAWINGS = {
    "motion.png": draw_motion,
    "contact_forces.png": draw_contact_forces,
    "reactions.png": draw_reactions,
    "energy.png": draw_spatial_energy,
}


class PlotFailure(AnalysisFailure):
    """Plots that could not be drawn; the numbers they show are not touched by that (exit code 1).

    Parameters
    ----------
    reasons : dict
        Name of a plot -> what was met.
    """

    def __init__(self, reasons: dict[str, str]) -> None:
        listed = ", ".join(f"{name} ({reason})" for name, reason in reasons.items())
        super().__init__(f"warning: not drawn: {listed}; the numbers of the result are complete")
        self.reasons = reasons

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reasons,)


def load_libraries() -> None:
    """Import what drawing needs, which takes half a second, ahead of the need."""
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401


def write_plots(dataset: xr.Dataset, directory: str | Path) -> list[Path]:
    """Draw the plots of a result; each file appears whole or not at all.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc``; dimension ``position`` (static), ``time`` (dynamic), ``mode`` (modal) or ``point`` (sweep).
        Values that are NaN are left out.
    directory : path
        An existing folder.

    Returns
    -------
    list of Path
        ``te.png``, ``tooth_load.png``, ``root_stress.png``, ``contact_pattern.png``; with a speed ``wear.png``, on
        bearings ``bearings.png``, with stress point by point ``fillet.png``; dynamic also ``spectrum.png`` if there
        are pitches enough, with points of the teeth ``points.png``; modal ``campbell.png``, of a sweep ``sweep.png``
        and ``bearing_orders.png``, of a machine ``machine.png`` and, modal with a speed, ``campbell.png``, of one whose
        parts only turn those of :data:`ROTATIONAL_DRAWINGS`, of one with bodies in space those of
        :data:`SPATIAL_DRAWINGS`; ``modes.png`` of any that has switches, ``waterfall.png`` of a machine whose speed
        changes, where ``orders.json`` tells its orders.

    Raises
    ------
    alegear.whole_file.StorageFailure
        If a file cannot be written.
    PlotFailure
        If plots cannot be drawn; the others are written.
    """
    record = CaseRecord.read(Path(directory))
    dataset = folder_labels(dataset, Path(directory))
    drawings: dict[str, Callable[[xr.Dataset], Figure]] = {
        "te.png": draw_transmission_error,
        "tooth_load.png": draw_tooth_load,
        "root_stress.png": draw_root_stress,
        "contact_pattern.png": draw_contact_pattern,
    }
    if has_wear(dataset):
        drawings["wear.png"] = draw_wear
    if has_bearings(dataset) and not dataset.attrs.get("machine"):
        drawings["bearings.png"] = draw_bearings
    if has_fillet_map(dataset):
        drawings["fillet.png"] = draw_fillet
    if dataset.attrs.get("rotational"):
        drawings = dict(ROTATIONAL_DRAWINGS)
        if not dataset.sizes["switch"]:
            del drawings["modes.png"]
    elif dataset.attrs.get("spatial"):
        drawings = dict(SPATIAL_DRAWINGS)
        if not dataset.sizes["mesh"]:
            del drawings["contact_forces.png"]
        if "energy_input" not in dataset:  # of positions
            del drawings["energy.png"]
    elif dataset.attrs.get("machine") and dataset.attrs.get("analysis") == "sweep":
        drawings = {"sweep.png": draw_machine_sweep}
        if has_bearing_orders(dataset):
            drawings["bearing_orders.png"] = draw_bearing_orders
    elif dataset.attrs.get("machine"):
        drawings = {"machine.png": draw_machine_modes if "mode" in dataset.dims else draw_machine}
        if has_events(dataset):
            drawings["modes.png"] = draw_modes
        rpm, meshes = record.drive_speed(), record.mesh_frequencies()
        if "mode" in dataset.dims and rpm is not None and meshes:
            drawings["campbell.png"] = partial(draw_machine_campbell, rpm=rpm, meshes=meshes)
    elif "pair_mode" in dataset.dims:
        drawings = {"campbell.png": draw_campbell}
    elif dataset.attrs.get("analysis") == "sweep":
        drawings = {"sweep.png": draw_sweep}
        if has_bearing_orders(dataset):
            drawings["bearing_orders.png"] = draw_bearing_orders
    elif is_dynamic(dataset):
        chosen = {"spectrum.png": (has_spectrum, draw_spectrum), "orders.png": (pair_lines, draw_pair_orders)}
        drawings |= {name: draw for name, (there, draw) in chosen.items() if there(dataset)}
    if "point_stress" in dataset:
        drawings["points.png"] = draw_points
    told = read_orders(Path(directory))
    if told is not None and has_run_up(dataset, told[0]):
        reference, orders = told
        drawings["waterfall.png"] = partial(draw_waterfall, reference=reference, orders=orders)
        for name in looked_at(dataset)[1:]:
            further = partial(draw_waterfall, reference=reference, orders=orders, variable=name)
            drawings[f"waterfall_{name}.png"] = further
        drawings["orders.png"] = partial(draw_machine_orders, reference=reference, orders=orders)
    files = []
    failed: dict[str, str] = {}
    for name, draw in drawings.items():
        try:
            picture = png(draw(dataset))
        except Exception as error:  # a picture is not worth a result, whatever goes wrong in it
            failed[name] = f"{type(error).__name__}: {' '.join(str(error).split())}"
            continue
        path = Path(directory) / name
        write_whole(path, picture)
        files.append(path)
    if failed:
        raise PlotFailure(failed)
    return files
