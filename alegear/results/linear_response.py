"""Linearised response over the speed: orders of the meshes, beside the static ones and the modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from alegear.arrays import Array, Indices
from alegear.results.dataset import coordinates
from alegear.results.variables import AXES, LINEAR
from alegear.storage import lazy_xarray as xr

RPM = 30.0 / np.pi
#: Part by which two answers may differ before a difference is reported.
DIFFERENCE = 0.1
#: Of the largest order at a speed; orders below it hardly count there, and are not compared.
COUNTS = 0.1
#: Part of the energy of a mode in a mesh from which it counts as one of the mesh, in pictures.
IN_MESH = 0.05
#: Damping ratio below which a resonance is called undamped: its amplitude is what round-off and spacing make of it.
UNDAMPED = 1e-4

#: What is known without an answer at any speed, beside a motion: static orders, and modes on the mean tangents.
REFERENCE = (
    "static_transmission_error_order",
    "natural_frequency",
    "damping_ratio",
    "mode_share",
    "mode_part",
    "mesh_frequency_per_speed",
)
ANSWER = tuple(name for name in LINEAR if name != "mesh_frequency_per_speed")


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearResponse:
    """Orders 1 ... m at speeds of some meshes and bearings.

    Parameters
    ----------
    meshes, bearings : sequence of str
    values : mapping of str to array
        Variables of :data:`LINEAR`; a pair on fixed axes has no ``linear_bearing_displacement_order``.
    mode_settling : shape (n_modes,) [s]
        Time in which the beginning of a motion dies out in a mode; 0 where it is not heard.
    inertia : float [s2/rad]
        Part of the load that an acceleration of 1 rad/s2 of the speed adds to what is driven.
    """

    meshes: Sequence[str]
    bearings: Sequence[str]
    values: Mapping[str, Array]
    mode_settling: Array
    inertia: float = 0.0

    @property
    def orders(self) -> Indices:
        """1 ... m."""
        return np.arange(1, self.values["static_transmission_error_order"].shape[1] + 1)

    def spread(self, meshes: Sequence[str]) -> LinearResponse:
        """The same over all meshes of a machine: those that excite nothing are NaN."""
        at = [list(meshes).index(mesh) for mesh in self.meshes]

        def over_all(values: Array, axis: int) -> Array:
            shape = list(values.shape)
            shape[axis] = len(meshes)
            found = np.full(shape, np.nan)
            found[(slice(None),) * axis + (at,)] = values
            return found

        return self._with_meshes(meshes, over_all)

    def of_mesh(self, mesh: str) -> LinearResponse:
        """The same of one mesh of a machine alone, whose bearings are those of the machine."""
        at = [list(self.meshes).index(mesh)]
        return self._with_meshes((mesh,), lambda values, axis: np.take(values, at, axis))

    def _with_meshes(self, meshes: Sequence[str], changed: Callable[[Array, int], Array]) -> LinearResponse:
        """The same of other meshes: what `changed` makes of each array and the axis that goes over the meshes."""
        over = {name: LINEAR[name].dims.index("mesh") for name in self.values if "mesh" in LINEAR[name].dims}
        arrays = {name: changed(self.values[name], axis) for name, axis in over.items()}
        return replace(self, meshes=tuple(meshes), values={**self.values, **arrays})

    def at(self, speed: Array) -> Array:
        """Transmission error between the speeds, shape (len(speed), n, m); NaN outside them."""
        te, speeds = self.values["linear_transmission_error_order"], self.values["linear_speed"]
        flat = te.reshape(len(speeds), -1)
        columns = [np.interp(speed, speeds, column, left=np.nan, right=np.nan) for column in flat.T]
        return np.array(columns).T.reshape(len(speed), *te.shape[1:])

    def entries(self, *, pair: bool, names: Sequence[str] = ANSWER) -> tuple[dict[str, Any], dict[str, Any]]:
        """Variables and coordinates for a dataset; of a pair without meshes, and by gear in place of bearing."""
        data: dict[str, Any] = {}
        for name in (name for name in names if name in self.values):
            array, dims = self.values[name], list(LINEAR[name].dims)
            if pair and "mesh" in dims:
                array = np.take(array, 0, axis=dims.index("mesh"))
                dims.remove("mesh")
            named = ["gear" if pair and dim == "bearing" else dim for dim in dims]
            data[name] = LINEAR[name].by(*named).entry(array)
        labels: dict[str, Any] = {"linear_order": self.orders, "axis": AXES}
        if not pair:
            labels |= {"mesh": self.meshes, "bearing": self.bearings}
        return data, coordinates(labels)

    def summary(self) -> dict[str, Any]:
        """Per mesh the largest amplitude of each order, where it is, and the static one."""
        found: dict[str, Any] = {}
        speed, frequency, te, static = (
            self.values[name]
            for name in (
                "linear_speed", "linear_mesh_frequency", "linear_transmission_error_order",
                "static_transmission_error_order",
            )
        )  # fmt: skip
        for m, mesh in enumerate(self.meshes):
            if not np.isfinite(static[m]).all():
                continue
            found[mesh] = {}
            for i, order in enumerate(self.orders.tolist()):
                at = int(te[:, m, i].argmax())
                found[mesh][f"order_{order}"] = {
                    "te_max_um": 1e6 * float(te[at, m, i]),
                    "at_speed_rpm": float(speed[at]) * RPM,
                    "at_frequency_Hz": order * float(frequency[at, m]),
                    "te_static_um": 1e6 * float(static[m, i]),
                }
        return found


def difference(full: Array, linear: Array) -> Array:
    """Full over linearised response less one, of amplitudes (..., m) of orders; NaN where an order hardly counts."""
    largest = np.nan_to_num(np.fmax(full, linear))
    counts = largest >= COUNTS * largest.max(axis=-1, keepdims=True)
    known = counts & np.isfinite(full) & np.isfinite(linear) & (linear > 0.0)
    found: Array = np.full(full.shape, np.nan)
    found[known] = full[known] / linear[known] - 1.0
    return found


def parting(speed: Array, apart: Array, contact_loss: Array | None = None) -> list[dict[str, Any]]:
    """Ranges of speed in which the answers part, order by order.

    Parameters
    ----------
    speed : shape (k,) [rad/s]
        Of points of one direction, in their order.
    apart : shape (k, m)
        As :func:`difference`.
    contact_loss : shape (k,), optional
        Part of the time without contact.

    Returns
    -------
    list of dict
        ``order``, ``from_rpm``, ``to_rpm``, ``largest_percent``, ``contact_loss_share_max``.
    """
    found = []
    for i in range(apart.shape[1]):
        beyond = np.nan_to_num(np.abs(apart[:, i])) > DIFFERENCE
        edges = np.flatnonzero(np.diff(np.r_[False, beyond, False].astype(np.int8)))
        for begin, end in edges.reshape(-1, 2):
            here = slice(int(begin), int(end))
            worst = apart[here, i][np.nanargmax(np.abs(apart[here, i]))]
            found.append(
                {
                    "order": i + 1,
                    "from_rpm": float(speed[here].min()) * 30.0 / np.pi,
                    "to_rpm": float(speed[here].max()) * 30.0 / np.pi,
                    "largest_percent": 100.0 * float(worst),
                    "contact_loss_share_max": None if contact_loss is None else float(contact_loss[here].max()),
                }
            )
    return found


def parted_words(ranges: Sequence[Mapping[str, Any]]) -> str:
    """Say the ranges in a line, and which orders count."""
    counted = f"(orders above {100.0 * COUNTS:.0f} % of the largest)"
    if not ranges:
        return f"within {100.0 * DIFFERENCE:.0f} % everywhere {counted}"
    parts = []
    for one in ranges:
        speeds = dict.fromkeys(f"{one[end]:.0f}" for end in ("from_rpm", "to_rpm"))  # one where both are the same
        parts.append(f"order {one['order']} at {' to '.join(speeds)} rpm by {one['largest_percent']:+.0f} %")
    return f"{'; '.join(parts)} {counted}"


class MetMode(NamedTuple):
    """A mode that the first order of a mesh meets: at a speed [rpm], its frequency [Hz], its share in the mesh.

    And the largest part that it has in an order of the mesh.
    """

    speed: float
    frequency: float
    share: float
    part: float = 0.0


def met_modes(dataset: xr.Dataset, at: Mapping[str, str]) -> list[MetMode]:
    """Return the modes that the first order meets within the speeds, of those that work in the mesh or in its orders.

    Parameters
    ----------
    dataset : xarray.Dataset
        As in ``result.nc`` of a sweep; there are none without a linearised response, or what is kept of it beside a
        motion.
    at : mapping of str to str
        ``mesh`` of a machine.
    """
    if "natural_frequency" not in dataset:
        return []
    share, frequency = dataset["mode_share"].sel(at).to_numpy(), dataset["natural_frequency"].to_numpy()
    part = dataset["mode_part"].sel(at).transpose("mode", "linear_order").to_numpy().max(axis=1)
    speed, per_rpm = _speeds_met(dataset, at)
    if not speed.size:
        return []
    met = frequency / per_rpm
    counts = (share >= IN_MESH) | (part >= DIFFERENCE)
    shown = np.flatnonzero(counts & (speed.min() <= met) & (met <= speed.max()))
    return [MetMode(float(met[i]), float(frequency[i]), float(share[i]), float(part[i])) for i in shown]


def _speeds_met(dataset: xr.Dataset, at: Mapping[str, str]) -> tuple[Array, float]:
    """Speeds [rpm] of a linearised response, else of a motion, and the mesh frequency over them [Hz/rpm]."""
    if "linear_speed" in dataset:
        speed = dataset["linear_speed"].to_numpy() * RPM
        return speed, float(dataset["linear_mesh_frequency"].sel(at).to_numpy()[-1] / speed[-1])
    speed = dataset["drive_speed" if "drive_speed" in dataset else "pinion_speed"].to_numpy() * RPM
    if "mesh_frequency" in dataset and speed.size:
        return speed, float(dataset["mesh_frequency"].to_numpy()[-1] / speed[-1])
    return speed, float(dataset["mesh_frequency_per_speed"].sel(at).to_numpy() / RPM)
