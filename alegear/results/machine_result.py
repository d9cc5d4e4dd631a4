"""What a study of a machine computed besides the contact of each mesh: shafts, bearings, meshes as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from alegear._version import __version__
from alegear.arrays import AnyArray, Array
from alegear.results.dataset import UNNAMED, Identity, ResultArrays
from alegear.results.summary import number
from alegear.results.switch_events import Event, event_variables
from alegear.results.variables import (
    AXES,
    IN_PLACE,
    MACHINE,
    MACHINE_MOTION,
    OF_POSITIONS,
    OF_SHAFTS,
)
from alegear.storage import lazy_xarray as xr
from alegear.storage.netcdf import Contents
from alegear.storage.recorded_samples import Kind, Layout, RecordedSamples, Samples, blocks
from alegear.storage.sample_file import write_samples

_RADIANS = 1e6  # microradians


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineHistory:
    """Results of a machine over positions or times.

    Parameters
    ----------
    sample_dim : {"position", "time"}
    names : mapping of str to sequence of str
        Of the dimensions shaft, mesh, bearing, place.
    samples : Samples
        The lead, and variables of :data:`MACHINE` and :data:`MACHINE_MOTION`.
    ratio : shape (n_shafts,)
        Speed of each shaft about its direction, over that of its drive in its sense.
    gear_place : mapping of str to str
        Place of the mid-face of each gear.
    events : sequence of Event
        Of switches that change.
    """

    sample_dim: Literal["position", "time"]
    names: Mapping[str, Sequence[str]]
    samples: Samples
    ratio: Array
    gear_place: Mapping[str, str]
    events: Sequence[Event] = ()

    def __post_init__(self) -> None:
        for name, kind in self.samples.layout.items():
            expected = () if name == self.sample_dim else _shape(name, self.names)
            if kind.shape != expected:
                raise ValueError(f"{name} has shape {kind.shape} of a sample, expected {expected}")

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def analysis(self) -> str:
        """Kind of the analysis."""
        return "static" if self.sample_dim == "position" else "dynamic"

    @property
    def labels(self) -> dict[str, Any]:
        """Values of the lead, and the names of the other dimensions."""
        return {self.sample_dim: self.samples.read(self.sample_dim), **self.names}

    @property
    def values(self) -> Mapping[str, Array]:
        """All variables, all of them read."""
        return {name: self.samples.read(name) for name in self.samples.layout if name != self.sample_dim}


def machine_layout(names: Mapping[str, Sequence[str]]) -> Layout:
    """Return shape and type of the variables of a sample of a motion, by the names of the other dimensions."""
    of_motion = [name for name in MACHINE | MACHINE_MOTION if name not in OF_POSITIONS]
    of_motion += [name for name, variable in IN_PLACE.items() if names.get(variable.dims[0])]
    return {"time": Kind(()), **{name: Kind(_shape(name, names)) for name in of_motion}}


def _shape(name: str, names: Mapping[str, Sequence[str]]) -> tuple[int, ...]:
    return (MACHINE | MACHINE_MOTION | IN_PLACE)[name].shape({dim: len(own) for dim, own in names.items()})


def machine_contents(history: MachineHistory, identity: Identity = UNNAMED) -> Contents:
    """Return the contents of ``result.nc`` of a machine in memory."""
    return _contents({name: history.samples.read(name) for name in history.samples.layout}, history, identity)


def write_machine(directory: Path, history: MachineHistory, identity: Identity = UNNAMED) -> Path:
    """Write :func:`machine_contents` as ``result.nc``, chunk by chunk.

    Raises
    ------
    StorageFailure
    """
    samples = cast("RecordedSamples", history.samples)
    return write_samples(directory, samples, lambda values: _contents(values, history, identity))


def _contents(values: Mapping[str, AnyArray], history: MachineHistory, identity: Identity) -> Contents:
    sample_dim, gears = history.sample_dim, history.gear_place
    return ResultArrays(
        analysis=history.analysis,
        variables=MACHINE | MACHINE_MOTION | IN_PLACE,
        sample_dim=sample_dim,
        values={name: array for name, array in values.items() if name != sample_dim},
        labels={sample_dim: np.asarray(values[sample_dim]), **history.names, "axis": AXES, "gear": gears},
        coordinates={
            "ratio": OF_SHAFTS["ratio"].entry(history.ratio),
            "gear_place": OF_SHAFTS["gear_place"].entry(list(gears.values())),
        },
        others=event_variables(history.events) if history.names.get("switch") else {},
        attributes={"machine": 1},
    ).contents(identity)


def machine_summary(
    history: MachineHistory, meshes: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Build ``summary.json`` of a machine; statistics run over all positions or times.

    Parameters
    ----------
    history : MachineHistory
    meshes : mapping of str to mapping
        Summary of each flexible mesh, as that of a pair.
    facts : mapping
        Further entries.
    """
    n, names = max(len(history), 1), history.names
    force = {"sum": np.zeros(len(names["bearing"])), "max": np.zeros(len(names["bearing"]))}
    error = {"sum": np.zeros(len(names["shaft"]))}
    error |= {"max": error["sum"] - np.inf, "min": error["sum"] + np.inf}
    moved, places = np.zeros(len(names["place"])), list(names["place"])
    for block in blocks(history.samples, ("bearing_force", "rotation_error", "displacement")):
        size = np.linalg.norm(block["bearing_force"], axis=2)
        force = {"sum": force["sum"] + size.sum(axis=0), "max": np.maximum(force["max"], size.max(axis=0))}
        turned = block["rotation_error"]
        error["sum"] = error["sum"] + turned.sum(axis=0)
        error["max"], error["min"] = (
            np.maximum(error["max"], turned.max(axis=0)),
            np.minimum(error["min"], turned.min(axis=0)),
        )
        moved = np.maximum(moved, np.linalg.norm(block["displacement"], axis=2).max(axis=0))
    return {
        "analysis": history.analysis,
        "machine": True,
        "shafts": {
            name: {
                "ratio": float(history.ratio[s]),
                "rotation_error_mean_urad": number(float(error["sum"][s]) / n, _RADIANS),
                "rotation_error_peak_to_peak_urad": number(float(error["max"][s] - error["min"][s]), _RADIANS),
            }
            for s, name in enumerate(names["shaft"])
        },
        "bearings": {
            name: {
                "force_mean_N": number(float(force["sum"][b]) / n),
                "force_max_N": number(float(force["max"][b])),
            }
            for b, name in enumerate(names["bearing"])
        },
        "gears": {
            gear: {"displacement_max_um": number(float(moved[places.index(place)]), 1e6)}
            for gear, place in history.gear_place.items()
        },
        "meshes": {name: dict(one) for name, one in meshes.items()},
        "version": __version__,
        **facts,
    }


def transmission_error(dataset: xr.Dataset, start: str, end: str) -> xr.DataArray:
    """Return the transmission error of a machine from one shaft to another.

    Parameters
    ----------
    dataset : xarray.Dataset
        Of a machine.
    start, end : str
        Shafts of one train.

    Returns
    -------
    xarray.DataArray [rad]
        Rotation of the end less ratio times that of the start, about the direction of the end's shaft.

    Raises
    ------
    KeyError
        For an unknown shaft.
    """
    ratio = float(dataset["ratio"].sel(shaft=end)) / float(dataset["ratio"].sel(shaft=start))
    error = dataset["rotation_error"]
    between = error.sel(shaft=end, drop=True) - ratio * error.sel(shaft=start, drop=True)
    return between.assign_attrs(units="rad", long_name=f"rotation of {end} less {ratio:g} times that of {start}")
