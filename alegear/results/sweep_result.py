"""Response of a pair or a machine to a sweep over the speed, by stretches of pitches: dataset and summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.contact.numbering import GEARS
from alegear.results.dataset import UNNAMED, Identity, coordinates
from alegear.results.linear_response import ANSWER, REFERENCE, LinearResponse, difference, parting
from alegear.results.run_up_rate import run_up_seconds
from alegear.results.summary import RunFacts, run_facts
from alegear.results.variables import AXES, MACHINE_SWEEP, PAIR_SWEEP, RESPONSE_DIFFERENCE, Variable

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]


#: Names of the directions of the speed in the summary.
DIRECTIONS = {"run-up": 1.0, "run-down": -1.0}


@dataclass(frozen=True, kw_only=True, eq=False)
class SweepHistory:
    """Response over n stretches of whole pitches; the names are those of :data:`~alegear.results.variables.PAIR_SWEEP`.

    Parameters
    ----------
    orders : shape (m,)
        Of the mesh.
    time, pinion_speed, mesh_frequency, direction : shape (n,) [s, rad/s, Hz, 1]
    transmission_error_mean, transmission_error_rms, transmission_error_peak_to_peak : shape (n,) [m]
    contact_loss_share : shape (n,)
    transmission_error_order : shape (n, m) [m]
    tooth_load_factor : shape (n,)
        NaN for a pair that idles.
    root_stress_factor : shape (n, 2)
        Of pinion and wheel, likewise.
    bearing_force_order, bearing_displacement_order : shape (n, m, 2, 3) or None [N, m]
        Of pinion and wheel in space; None of a mesh of a machine, which has bearings of its own, and of displacements
        where gears stand on fixed axes.
    """

    VARIABLES: ClassVar[Mapping[str, Variable]] = PAIR_SWEEP

    orders: Floats
    time: Floats
    pinion_speed: Floats
    mesh_frequency: Floats
    direction: Floats
    transmission_error_mean: Floats
    transmission_error_rms: Floats
    transmission_error_peak_to_peak: Floats
    transmission_error_order: Floats
    contact_loss_share: Floats
    tooth_load_factor: Floats
    root_stress_factor: Floats
    bearing_force_order: Floats | None = None
    bearing_displacement_order: Floats | None = None

    @property
    def coordinates(self) -> dict[str, Any]:
        """Coordinates for a dataset, besides the gears."""
        found = coordinates({"order": self.orders})
        if self.bearing_force_order is not None:
            found |= coordinates({"axis": AXES}, axis="axis of the pinion's frame")
        return found

    def difference(self, linear: LinearResponse) -> Floats:
        """Motion over linearised response less one in the orders 1, 2, ... of the transmission error, shape (n, m)."""
        return difference(self.transmission_error_order[:, self.orders >= 1.0], linear.at(self.pinion_speed)[:, 0])


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineSweep:
    """Response over n stretches of whole pitches of the slowest mesh; the names are those of :data:`MACHINE_SWEEP`.

    Parameters
    ----------
    names : mapping of str to sequence of str
        Of the dimensions shaft, mesh, bearing.
    orders : shape (m,)
        Of each mesh.
    time, drive_speed, direction : shape (n,) [s, rad/s, 1]
    rotation_error_rms, rotation_error_peak_to_peak : shape (n, n_shafts) [rad]
    mesh_force_mean, mesh_force_max : shape (n, n_meshes) [N]
    bearing_force_mean, bearing_force_max : shape (n, n_bearings) [N]
    transmission_error_order : shape (n, n_meshes, m) [m]
    bearing_force_order, bearing_displacement_order : shape (n, n_meshes, m, n_bearings, 3) [N, m]
        In space.
    """

    VARIABLES: ClassVar[Mapping[str, Variable]] = MACHINE_SWEEP

    names: Mapping[str, Sequence[str]]
    orders: Floats
    time: Floats
    drive_speed: Floats
    direction: Floats
    rotation_error_rms: Floats
    rotation_error_peak_to_peak: Floats
    mesh_force_mean: Floats
    mesh_force_max: Floats
    bearing_force_mean: Floats
    bearing_force_max: Floats
    transmission_error_order: Floats
    bearing_force_order: Floats
    bearing_displacement_order: Floats

    @property
    def coordinates(self) -> dict[str, Any]:
        """Coordinates for a dataset."""
        return coordinates({**self.names, "order": self.orders, "axis": AXES})

    def difference(self, linear: LinearResponse) -> Floats:
        """Motion over linearised response less one, orders 1, 2, ... of the transmission errors, (n, n_meshes, m)."""
        return difference(self.transmission_error_order[:, :, self.orders >= 1.0], linear.at(self.drive_speed))


def sweep_dataset(
    found: SweepHistory | MachineSweep | None,
    linear: LinearResponse | None = None,
    identity: Identity = UNNAMED,
    *,
    reference: LinearResponse | None = None,
    pair: bool,
) -> xr.Dataset:
    """Build the dataset of ``result.nc``: the motion over ``point``, the linearised response over ``speed``; SI units.

    Of a `reference` only the static orders and the modes: :data:`alegear.results.linear_response.REFERENCE`. The
    linearised response of a machine has the meshes that excite: those of the motion are named alike, and others are NaN
    in it.
    """
    import xarray as xr

    data: dict[str, Any] = {}
    coords = coordinates({"gear": GEARS} if pair else {})
    known, names = (reference, REFERENCE) if linear is None else (linear, ANSWER)
    if known is not None:
        data, further = known.entries(pair=pair, names=names)
        coords |= further
    if found is not None:
        values = {name: getattr(found, name) for name in found.VARIABLES}
        data |= {name: found.VARIABLES[name].entry(one, "point") for name, one in values.items() if one is not None}
        coords |= found.coordinates
        if linear is not None:
            dims = ("point",) if pair else ("point", "mesh")
            data["response_difference"] = RESPONSE_DIFFERENCE.entry(found.difference(linear), *dims)
    return xr.Dataset(data, coords=coords, attrs=identity.attributes("sweep", **({} if pair else {"machine": 1})))


def sweep_summary(
    history: SweepHistory | None,
    facts: RunFacts,
    linear: LinearResponse | None = None,
    reference: LinearResponse | None = None,
) -> dict[str, Any]:
    """Build ``summary.json``: the largest responses of run-up and run-down, and where; where two answers part."""
    summary: dict[str, Any] = {"analysis": "sweep"}
    if linear is not None:
        (summary["linear"],) = linear.told().values()
    summary |= _of_linear(linear, reference)
    for name, sign in DIRECTIONS.items():
        if history is None:
            break
        here = np.flatnonzero(history.direction == sign)
        if not here.size:
            continue
        largest = here[history.transmission_error_rms[here].argmax()]
        summary[name] = {
            "te_rms_max_um": 1e6 * float(history.transmission_error_rms[largest]),
            "at_mesh_frequency_Hz": float(history.mesh_frequency[largest]),
            "at_pinion_speed_rpm": float(history.pinion_speed[largest]) * 30.0 / np.pi,
            "tooth_load_factor_max": _largest(history.tooth_load_factor[here]),
            "root_stress_factor_max": {
                gear: _largest(history.root_stress_factor[here, i]) for i, gear in enumerate(GEARS)
            },
            "contact_loss_share_max": float(history.contact_loss_share[here].max()),
        }
        if linear is not None:
            apart, loss = history.difference(linear)[here], history.contact_loss_share[here]
            summary[name]["nonlinear_ranges"] = parting(history.pinion_speed[here], apart, loss)
    return summary | run_facts(facts)


def machine_sweep_summary(
    found: MachineSweep | None,
    meshes: Mapping[str, Mapping[str, Any]],
    facts: Mapping[str, Any],
    linear: LinearResponse | None = None,
    reference: LinearResponse | None = None,
) -> dict[str, Any]:
    """Build ``summary.json``: the largest responses, and the speeds of the drive at which they are.

    Parameters
    ----------
    found : MachineSweep or None
    meshes : mapping of str to mapping
        Summary of each flexible mesh, as that of a pair.
    facts : mapping
        Further entries.
    linear, reference : LinearResponse, optional
    """
    summary: dict[str, Any] = {"analysis": "sweep", "machine": True}
    if linear is not None:
        summary["linear"] = linear.told()
    summary |= _of_linear(linear, reference)
    shafts, bearings = {}, {}
    if found is not None:
        if linear is not None:
            summary["nonlinear_ranges"] = _parting(found, linear)
        for s, name in enumerate(found.names["shaft"]):
            shafts[name] = _where(found, found.rotation_error_rms[:, s], "rotation_error_rms_max_urad", 1e6)
        for b, name in enumerate(found.names["bearing"]):
            bearings[name] = _where(found, found.bearing_force_max[:, b], "force_max_N")
    of_meshes = {name: dict(one) for name, one in meshes.items()}
    return summary | {"shafts": shafts, "bearings": bearings, "meshes": of_meshes, "version": __version__, **facts}


def _of_linear(linear: LinearResponse | None, reference: LinearResponse | None) -> dict[str, Any]:
    """What a summary says of a linearised response, or of the reference beside a motion, besides its orders."""
    found = {} if linear is None else {"run_up_needed_s": run_up_seconds(linear)}
    known = linear or reference
    return found if known is None else found | {"natural_frequency_Hz": known.natural_frequency.tolist()}


def _parting(found: MachineSweep, linear: LinearResponse) -> dict[str, dict[str, Any]]:
    """Where the answers part, by mesh and direction."""
    apart = found.difference(linear)
    return {
        mesh: {
            name: parting(found.drive_speed[here], apart[here, m])
            for name, sign in DIRECTIONS.items()
            if len(here := np.flatnonzero(found.direction == sign))
        }
        for m, mesh in enumerate(linear.meshes)
    }


def _where(found: MachineSweep, values: Floats, name: str, factor: float = 1.0) -> dict[str, float | None]:
    """The largest value by a name, and the speed of the drive there; None where there is none."""
    if not np.isfinite(values).any():
        return {name: None, "at_drive_speed_rpm": None}
    at = int(np.nanargmax(values))
    return {name: factor * float(values[at]), "at_drive_speed_rpm": float(found.drive_speed[at]) * 30.0 / np.pi}


def _largest(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else None
