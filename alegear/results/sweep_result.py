"""Response of a pair or a machine to a sweep over the speed, by stretches of pitches: dataset and summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from alegear._version import __version__
from alegear.arrays import Array
from alegear.contact.numbering import GEARS
from alegear.results.dataset import UNNAMED, Identity, ResultArrays
from alegear.results.linear_response import ANSWER, REFERENCE, LinearResponse, difference, parting
from alegear.results.run_up_rate import run_up_seconds
from alegear.results.summary import largest_finite, number
from alegear.results.variables import RESPONSE_DIFFERENCE
from alegear.storage.netcdf import Contents

#: Names of the directions of the speed in the summary.
DIRECTIONS = {"run-up": 1.0, "run-down": -1.0}


def sweep_contents(
    found: ResultArrays | None,
    linear: LinearResponse | None = None,
    identity: Identity = UNNAMED,
    *,
    reference: LinearResponse | None = None,
    pair: bool,
) -> Contents:
    """Return the contents of ``result.nc``: motion over ``point``, linearised response over ``speed``; SI units.

    Of a `reference` only the static orders and the modes: :data:`alegear.results.linear_response.REFERENCE`. The
    linearised response of a machine has the meshes that excite: those of the motion are named alike, and others are NaN
    in it.
    """
    known, names = (reference, REFERENCE) if linear is None else (linear, ANSWER)
    data: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    if known is not None:
        data, coords = known.entries(pair=pair, names=names)
    if found is None:
        attributes = {} if pair else {"machine": 1}
        labels = {"gear": GEARS} if pair else {}
        found = ResultArrays(analysis="sweep", variables={}, values={}, labels=labels, attributes=attributes)
    elif linear is not None:
        dims = ("point",) if pair else ("point", "mesh")
        data["response_difference"] = RESPONSE_DIFFERENCE.entry(response_difference(found, linear), *dims)
    coords = {name: one for name, one in coords.items() if name not in found.labels}
    return replace(found, coordinates=coords, others=data).contents(identity)


def response_difference(found: ResultArrays, linear: LinearResponse) -> Array:
    """Motion over linearised response less one in the orders 1, 2, ... of the transmission error.

    Returns
    -------
    shape (n, m), of a machine (n, n_meshes, m)
    """
    te, orders = found.values["transmission_error_order"], np.asarray(found.labels["order"])
    of_pair = "pinion_speed" in found.values
    response = linear.at(found.values["pinion_speed" if of_pair else "drive_speed"])
    return difference(te[..., orders >= 1.0], response[:, 0] if of_pair else response)


def sweep_summary(
    history: ResultArrays | None,
    facts: Mapping[str, Any],
    linear: LinearResponse | None = None,
    reference: LinearResponse | None = None,
) -> dict[str, Any]:
    """Build ``summary.json``: the largest responses of run-up and run-down, and where; where two answers part."""
    summary: dict[str, Any] = {"analysis": "sweep"}
    if linear is not None:
        (summary["linear"],) = linear.summary().values()
    summary |= _of_linear(linear, reference)
    if history is None:
        return {**summary, **facts}
    values = history.values
    for name, sign in DIRECTIONS.items():
        here = np.flatnonzero(values["direction"] == sign)
        if not here.size:
            continue
        largest = here[values["transmission_error_rms"][here].argmax()]
        summary[name] = {
            "te_rms_max_um": 1e6 * float(values["transmission_error_rms"][largest]),
            "at_mesh_frequency_Hz": float(values["mesh_frequency"][largest]),
            "at_pinion_speed_rpm": float(values["pinion_speed"][largest]) * 30.0 / np.pi,
            "tooth_load_factor_max": number(largest_finite(values["tooth_load_factor"][here])),
            "root_stress_factor_max": {
                gear: number(largest_finite(values["root_stress_factor"][here, i])) for i, gear in enumerate(GEARS)
            },
            "contact_loss_share_max": float(values["contact_loss_share"][here].max()),
        }
        if linear is not None:
            apart, loss = response_difference(history, linear)[here], values["contact_loss_share"][here]
            summary[name]["nonlinear_ranges"] = parting(values["pinion_speed"][here], apart, loss)
    return {**summary, **facts}


def machine_sweep_summary(
    found: ResultArrays | None,
    meshes: Mapping[str, Mapping[str, Any]],
    facts: Mapping[str, Any],
    linear: LinearResponse | None = None,
    reference: LinearResponse | None = None,
) -> dict[str, Any]:
    """Build ``summary.json``: the largest responses, and the speeds of the drive at which they are.

    Parameters
    ----------
    found : ResultArrays or None
    meshes : mapping of str to mapping
        Summary of each flexible mesh, as that of a pair.
    facts : mapping
        Further entries.
    linear, reference : LinearResponse, optional
    """
    summary: dict[str, Any] = {"analysis": "sweep", "machine": True}
    if linear is not None:
        summary["linear"] = linear.summary()
    summary |= _of_linear(linear, reference)
    shafts, bearings = {}, {}
    if found is not None:
        if linear is not None:
            summary["nonlinear_ranges"] = _parting(found, linear)
        for s, name in enumerate(found.labels["shaft"]):
            shafts[name] = _where(found, found.values["rotation_error_rms"][:, s], "rotation_error_rms_max_urad", 1e6)
        for b, name in enumerate(found.labels["bearing"]):
            bearings[name] = _where(found, found.values["bearing_force_max"][:, b], "force_max_N")
    of_meshes = {name: dict(one) for name, one in meshes.items()}
    return summary | {"shafts": shafts, "bearings": bearings, "meshes": of_meshes, "version": __version__, **facts}


def _of_linear(linear: LinearResponse | None, reference: LinearResponse | None) -> dict[str, Any]:
    """What a summary says of a linearised response, or of the reference beside a motion, besides its orders."""
    found = {} if linear is None else {"run_up_needed_s": run_up_seconds(linear)}
    known = linear or reference
    return found if known is None else found | {"natural_frequency_Hz": known.values["natural_frequency"].tolist()}


def _parting(found: ResultArrays, linear: LinearResponse) -> dict[str, dict[str, Any]]:
    """Where the answers part, by mesh and direction."""
    apart = response_difference(found, linear)
    return {
        mesh: {
            name: parting(found.values["drive_speed"][here], apart[here, m])
            for name, sign in DIRECTIONS.items()
            if len(here := np.flatnonzero(found.values["direction"] == sign))
        }
        for m, mesh in enumerate(linear.meshes)
    }


def _where(found: ResultArrays, values: Array, name: str, factor: float = 1.0) -> dict[str, float | None]:
    """The largest value by a name, and the speed of the drive there; None where there is none."""
    if not np.isfinite(values).any():
        return {name: None, "at_drive_speed_rpm": None}
    at = int(np.nanargmax(values))
    return {
        name: factor * float(values[at]),
        "at_drive_speed_rpm": float(found.values["drive_speed"][at]) * 30.0 / np.pi,
    }
