"""What a study of a machine computed besides the contact of each mesh: shafts, bearings, meshes as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results._variables import AXES, OF_STEPS, Variable, global_attributes
from alegear.storage.recorded_samples import Kind, Layout, RecordedSamples, Samples, blocks
from alegear.storage.sample_file import write_samples

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

#: After the leading dimension, position or time.
MACHINE = {
    "drive_angle": Variable((), "rad", "rotation of the first drive if gears were perfect, in its sense"),
    "rotation_error": Variable(
        ("shaft",), "rad", "rotation of the shaft where it is loaded, minus ratio times that where it is driven"
    ),
    "transmission_error": Variable(
        ("mesh",), "m", "transmission error along the line of action, driven gear minus driver, negative under load"
    ),
    "mesh_stiffness": Variable(
        ("mesh",), "N/m", "tangent mesh stiffness along the line of action at the load, axes held where they stand"
    ),
    "torque": Variable(
        ("shaft",), "N m", "torque of drives and loads on the shaft about its direction, what holds the train included"
    ),
    "mesh_force": Variable(("mesh", "axis"), "N", "contact force on the first gear of the mesh, in space"),
    "mesh_moment": Variable(
        ("mesh", "axis"), "N m", "moment of the contact forces on the first gear about its mid-face, in space"
    ),
    "displacement": Variable(("place", "axis"), "m", "displacement of the shaft's axis, in space"),
    "tilt": Variable(("place", "axis"), "rad", "small turn of the shaft's axis, in space"),
    "bearing_force": Variable(("bearing", "axis"), "N", "force of the shaft on its bearing, in space"),
    "bearing_moment": Variable(
        ("bearing", "axis"), "N m", "moment of the shaft on its bearing about the centre of the bearing, in space"
    ),
}
#: Of motions.
MACHINE_MOTION = {
    "transmission_error_low": Variable(("mesh",), "m", OF_STEPS["transmission_error_low"].long_name),
    "transmission_error_high": Variable(("mesh",), "m", OF_STEPS["transmission_error_high"].long_name),
    "speed": Variable(("shaft",), "rad/s", "speed of the shaft where it is loaded, about its direction"),
    "energy_input": Variable((), "J", "work of drives, loads and weight since the start"),
    "energy_kinetic": Variable((), "J", "kinetic energy of the machine"),
    "energy_elastic": Variable((), "J", "elastic energy of meshes, shafts and bearings"),
    "energy_dissipated": Variable((), "J", "energy lost by damping and friction since the start"),
    "energy_dissipated_outside": Variable((), "J", "part of it lost in the dampers of bearings"),
}
#: Of motions with bodies and torsional parts.
OF_PARTS = {
    "body_angle": Variable(("body",), "rad", "rotation of the body that only turns since its angle 0"),
    "body_speed": Variable(("body",), "rad/s", "speed of the body that only turns"),
    "mode": Variable(("switch",), "1", "1 sliding forward, 0 stuck, -1 sliding backward, 2 free"),
    "relative_speed": Variable(("switch",), "rad/s", "relative speed of the switch; 0 to the last digit while stuck"),
    "friction_torque": Variable(("switch",), "N m", "friction torque of the switch, positive against positive speed"),
    "part_torque": Variable(("flange",), "N m", "torque of the body on the torsional part, about its axis"),
}
#: Of machines with rolling bearings; displacements and tilts are those of the inner ring against the outer one.
OF_ROLLING = {
    "ring_displacement": Variable(("rolling_bearing", "along"), "m", "displacement of the rings, axes of the shaft"),
    "ring_tilt": Variable(("rolling_bearing", "about"), "rad", "tilt of the rings, axes of the shaft"),
    "ring_angle": Variable(("rolling_bearing", "ring"), "rad", "rotation of the ring about the direction of the shaft"),
    "cage_angle": Variable(("rolling_bearing",), "rad", "azimuth of the first rolling element"),
    "largest_roller_load": Variable(("rolling_bearing",), "N", "load of the rolling element that carries most"),
}
#: Names of the dimensions of these.
RING_NAMES = {"along": ["x", "y", "z"], "about": ["x", "y"], "ring": ["inner", "outer"]}
#: Of motions in which something that holds a bearing can move.
OF_SEATS = {
    "seat_acceleration": Variable(
        ("moving_seat", "axis"),
        "m/s2",
        "acceleration of the bearing seat, in space",
    ),
}
#: Of machines with teeth in line contact: both sides of all tooth pairs, slot by slot.
OF_TEETH = {
    "tooth_pair": Variable(("tooth_contact",), "1", "number of the tooth pair in the order of engagement"),
    "tooth_force": Variable(("tooth_contact",), "N", "force of the tooth pair in the transverse section"),
    "tooth_pressure": Variable(("tooth_contact",), "Pa", "largest pressure of the tooth pair, on an edge of its round"),
    "tooth_half_width": Variable(("tooth_contact",), "m", "half the width of the contact where it presses most"),
    "tooth_sliding": Variable(
        ("tooth_contact",), "m/s", "sliding of the first gear's flank on the second's, positive beyond the pitch point"
    ),
}
#: Of machines with planetary sets of elastic or Hertz teeth.
OF_PLANETS = {
    "planet_mesh_force": Variable(
        ("planet_mesh",),
        "N",
        "normal force in the transverse section, of flanks by which the inner gear drives counterclockwise less others",
    ),
    "planet_back_force": Variable(
        ("planet_mesh",), "N", "normal force of the flanks which the torque of all planets does not load"
    ),
    "load_share": Variable(("planet_mesh",), "1", "force of the mesh over the mean of all planets at this gear"),
    "pin_force": Variable(("planet", "of_pin"), "N", "force of the planet on its pin, along axes of the pin"),
    "pin_moment": Variable(("planet", "about_pin"), "N m", "moment of the planet on its pin, about axes of the pin"),
    "planet_displacement": Variable(
        ("planet", "of_pin"), "m", "displacement of the planet from where its carrier would take it, axes of the pin"
    ),
}
#: Names of the dimensions of these.
PIN_NAMES = {"of_pin": ["radial", "tangential", "axial"], "about_pin": ["radial", "tangential"]}
#: What there is only where its first dimension has names.
IN_PLACE = OF_PARTS | OF_ROLLING | OF_SEATS | OF_TEETH | OF_PLANETS
#: Not of motions: torques of drives follow from the motion, and are not told.
OF_POSITIONS = ("torque",)
_LABELS = {
    "position": ("1", "number of the position"),
    "time": ("s", "time"),
    "shaft": ("1", "shaft"),
    "mesh": ("1", "mesh"),
    "bearing": ("1", "bearing"),
    "rolling_bearing": ("1", "bearing with rolling elements"),
    "moving_seat": ("1", "bearing that is held by what can move"),
    "along": ("1", "axis of the shaft"),
    "about": ("1", "axis of the shaft"),
    "ring": ("1", "ring of a bearing"),
    "place": ("1", "position on a shaft, named by its distance along it"),
    "body": ("1", "body that only turns"),
    "switch": ("1", "part that sticks or slides"),
    "flange": ("1", "part/body"),
    "tooth_contact": ("1", "mesh, side and slot: front flanks are those with which the first gear drives positively"),
    "planet": ("1", "planet"),
    "planet_mesh": ("1", "mesh of a planet"),
    "of_pin": ("1", "axis of a pin: away from the axis of the carrier, counterclockwise, along it"),
    "about_pin": ("1", "axis of a pin"),
    "axis": ("1", "axis in space"),
}
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
    events : sequence of (float, str, int, int)
        Time [s], part, mode before and after, of switches that change.
    """

    sample_dim: Literal["position", "time"]
    names: Mapping[str, Sequence[str]]
    samples: Samples
    ratio: Floats
    gear_place: Mapping[str, str]
    events: Sequence[tuple[float, str, int, int]] = ()

    def __post_init__(self) -> None:
        for name, kind in self.samples.layout.items():
            expected = () if name == self.sample_dim else _shape(name, self.names)
            if kind.shape != expected:
                raise ValueError(f"{name} has shape {kind.shape} of a sample, expected {expected}")

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def labels(self) -> dict[str, Any]:
        """Values of the lead, and the names of the other dimensions."""
        return {self.sample_dim: self.samples.read(self.sample_dim), **self.names}

    @property
    def values(self) -> Mapping[str, Floats]:
        """All variables; one is read, all of it, when it is asked for."""
        return _Values(self)


class _Values(Mapping[str, Floats]):
    """Variables of a history by name."""

    def __init__(self, history: MachineHistory) -> None:
        self._samples = history.samples
        self._names = [name for name in history.samples.layout if name != history.sample_dim]

    def __getitem__(self, name: str) -> Floats:
        return self._samples.read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def machine_layout(names: Mapping[str, Sequence[str]]) -> Layout:
    """Return shape and type of the variables of a sample of a motion, by the names of the other dimensions."""
    of_motion = [name for name in MACHINE | MACHINE_MOTION if name not in OF_POSITIONS]
    of_motion += [name for name, variable in IN_PLACE.items() if names.get(variable.dims[0])]
    return {"time": Kind(()), **{name: Kind(_shape(name, names)) for name in of_motion}}


def _shape(name: str, names: Mapping[str, Sequence[str]]) -> tuple[int, ...]:
    return tuple(3 if dim == "axis" else len(names[dim]) for dim in _variable(name).dims)


def _variable(name: str) -> Variable:
    return (MACHINE | MACHINE_MOTION | IN_PLACE)[name]


class MachineIdentity(NamedTuple):
    """What the attributes of a result say of it."""

    analysis: str
    title: str = ""
    case_sha256: str = ""
    complete: bool = True


def machine_dataset(history: MachineHistory, identity: MachineIdentity) -> xr.Dataset:
    """Build the dataset of ``result.nc`` of a machine in memory."""
    values = {history.sample_dim: history.samples.read(history.sample_dim), **history.values}
    return _dataset(values, history, identity)


def write_machine(directory: Path, history: MachineHistory, identity: MachineIdentity) -> Path:
    """Write :func:`machine_dataset` as ``result.nc``, chunk by chunk.

    Raises
    ------
    StorageFailure
    """
    samples = cast("RecordedSamples", history.samples)
    return write_samples(directory, samples, lambda values: _dataset(values, history, identity))


def _dataset(values: Mapping[str, NDArray[Any]], history: MachineHistory, identity: MachineIdentity) -> xr.Dataset:
    import xarray as xr

    labels = {history.sample_dim: values[history.sample_dim], **history.names, "axis": list(AXES)}
    coords: dict[str, Any] = {
        name: (name, np.asarray(label) if name == history.sample_dim else list(label), _described(*_LABELS[name]))
        for name, label in labels.items()
    }
    coords["ratio"] = ("shaft", history.ratio, _described("1", "speed over that of the drive of its train"))
    gears = list(history.gear_place)
    coords["gear"] = ("gear", gears, _described("1", "gear"))
    coords["gear_place"] = ("gear", list(history.gear_place.values()), _described("1", "position of its mid-face"))
    data = {}
    for name, array in values.items():
        if name == history.sample_dim:
            continue
        variable = _variable(name)
        data[name] = ((history.sample_dim, *variable.dims), array, _described(variable.units, variable.long_name))
    if history.names.get("switch"):
        data |= _events(history.events)
    attrs = global_attributes(
        identity.analysis,
        title=identity.title,
        case_sha256=identity.case_sha256,
        complete=identity.complete,
        extra={"machine": 1},
    )
    return xr.Dataset(data, coords=coords, attrs=attrs)


def _events(events: Sequence[tuple[float, str, int, int]]) -> dict[str, Any]:
    columns = {
        "event_time": (np.array([t for t, *_ in events], dtype=np.float64), "s", "time of the event"),
        "event_switch": (np.array([name for _, name, *_ in events], dtype=str), "1", "part whose mode changes"),
        "event_before": (np.array([one[2] for one in events], dtype=np.int64), "1", "its mode before"),
        "event_after": (np.array([one[3] for one in events], dtype=np.int64), "1", "its mode after"),
    }
    return {name: (("event",), values, _described(*about)) for name, (values, *about) in columns.items()}


def _described(units: str, long_name: str) -> dict[str, str]:
    return {"units": units, "long_name": long_name}


def machine_summary(
    history: MachineHistory,
    meshes: Mapping[str, Mapping[str, Any]],
    *,
    analysis: str,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """Build ``summary.json`` of a machine; statistics run over all positions or times.

    Parameters
    ----------
    history : MachineHistory
    meshes : mapping of str to mapping
        Summary of each flexible mesh, as that of a pair.
    analysis : str
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
        "analysis": analysis,
        "machine": True,
        "shafts": {
            name: {
                "ratio": float(history.ratio[s]),
                "rotation_error_mean_urad": _number(float(error["sum"][s]) / n, _RADIANS),
                "rotation_error_peak_to_peak_urad": _number(float(error["max"][s] - error["min"][s]), _RADIANS),
            }
            for s, name in enumerate(names["shaft"])
        },
        "bearings": {
            name: {
                "force_mean_N": _number(float(force["sum"][b]) / n),
                "force_max_N": _number(float(force["max"][b])),
            }
            for b, name in enumerate(names["bearing"])
        },
        "gears": {
            gear: {"displacement_max_um": _number(float(moved[places.index(place)]), 1e6)}
            for gear, place in history.gear_place.items()
        },
        "meshes": {name: dict(one) for name, one in meshes.items()},
        "version": __version__,
        **facts,
    }


def _number(value: float, factor: float = 1.0) -> float | None:
    return float(value) * factor if np.isfinite(value) else None


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
