"""One entry a variable of ``result.nc``: its dimensions, unit and long name (the contract of the file)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from alegear._version import __version__

if TYPE_CHECKING:
    import xarray as xr


class Variable(NamedTuple):
    """Dimensions after the leading one (position or time), unit and long name of a variable."""

    dims: tuple[str, ...]
    units: str
    long_name: str


SHARED = {
    "phase": Variable((), "1", "rotation since pair 0 touched at the pitch point, in pitches"),
    "transmission_error": Variable(
        (), "m", "transmission error along the line of action, driven gear minus driver, negative under load"
    ),
    "mesh_stiffness": Variable((), "N/m", "tangent mesh stiffness along the line of action at the load"),
    "tooth_load": Variable(("pair",), "N", "moment of the pair's contact forces about the pinion axis over r_b"),
    "line_load": Variable(("pair", "slice"), "N/m", "load of the pair per unit of face width"),
    "contact_pressure": Variable(("pair", "slice"), "Pa", "largest contact pressure of the pair in the slice"),
    "root_stress": Variable(
        ("gear", "pair", "side"), "Pa", "largest von Mises stress in the root fillet of the pair's tooth"
    ),
    "root_stress_principal": Variable(
        ("gear", "pair", "side"), "Pa", "largest principal stress by magnitude in the root fillet, signed"
    ),
}

MOTION = {
    "angle": Variable(("gear",), "rad", "rotation angle, positive in the running direction"),
    "speed": Variable(("gear",), "rad/s", "rotation speed, positive in the running direction"),
    "acceleration": Variable(("gear",), "rad/s2", "rotation acceleration, positive in the running direction"),
    "bearing_force": Variable(("gear", "axis"), "N", "force of the gear on its bearing"),
    "energy_input": Variable((), "J", "work of the drive and of the load torque since the start"),
    "energy_kinetic": Variable((), "J", "kinetic energy of both gears"),
    "energy_elastic": Variable(
        (), "J", "elastic energy of the bodies and of the contact at these rotations, without friction"
    ),
    "energy_dissipated": Variable((), "J", "energy lost by damping and friction since the start"),
}

GEARS = ("pinion", "wheel")
SIDES = ("tension", "compression")
AXES = ("x", "y", "z")


def build_dataset(
    history: Any,
    variables: dict[str, Variable],
    *,
    lead: str,
    title: str,
    case_sha256: str,
    complete: bool,
    extra_attrs: dict[str, Any] | None = None,
) -> xr.Dataset:
    """Put the arrays of a history into a dataset with units and long names.

    Parameters
    ----------
    history : StaticHistory or DynamicHistory
        Its attributes are named like the variables.
    variables : dict of Variable
        What to take from it.
    lead : {"position", "time"}
        Name of the leading dimension.
    title, case_sha256 : str
    complete : bool
        False marks what a failed analysis left.
    extra_attrs : dict, optional
        Further global attributes (strings and numbers).
    """
    import xarray as xr

    coords: dict[str, Any] = {
        "gear": ("gear", list(GEARS), {"units": "1", "long_name": "gear"}),
        "pair": (
            "pair",
            np.asarray(history.pairs, dtype=np.int64),
            {"units": "1", "long_name": "tooth pair, 0 touches at the pitch point at phase 0"},
        ),
        "slice": (
            "slice",
            np.asarray(history.slice_position, dtype=float),
            {"units": "m", "long_name": "position of the slice along the axis from mid-face"},
        ),
        "side": (
            "side",
            list(SIDES),
            {"units": "1", "long_name": "side of the root: tension or compression"},
        ),
    }
    if lead == "time":
        coords["time"] = ("time", np.asarray(history.time, dtype=float), {"units": "s", "long_name": "time"})
        coords["axis"] = ("axis", list(AXES), {"units": "1", "long_name": "axis of the pinion's frame"})
    else:
        index = np.arange(len(history.phase), dtype=np.int64)
        coords["position"] = ("position", index, {"units": "1", "long_name": "number of the position"})
    data = {
        name: (
            (lead, *variable.dims),
            np.asarray(getattr(history, name), dtype=float),
            {"units": variable.units, "long_name": variable.long_name},
        )
        for name, variable in variables.items()
    }
    attrs: dict[str, Any] = {
        "title": title,
        "source": f"alegear {__version__}",
        "version": __version__,
        "case_sha256": case_sha256,
        # NetCDF has no truth values
        "complete": int(complete),
    }
    return xr.Dataset(data, coords=coords, attrs=attrs | (extra_attrs or {}))


def check_shapes(history: Any, n: int, variables: dict[str, Variable]) -> None:
    """Refuse arrays that do not fit the dimensions; the message names the array.

    Raises
    ------
    ValueError
        If the shape of an array differs from its dimensions.
    """
    sizes = {
        "gear": len(GEARS),
        "pair": len(history.pairs),
        "slice": len(history.slice_position),
        "side": len(SIDES),
        "axis": len(AXES),
    }
    for name, variable in variables.items():
        expected = (n, *(sizes[d] for d in variable.dims))
        if np.shape(getattr(history, name)) != expected:
            raise ValueError(f"{name} has shape {np.shape(getattr(history, name))}, expected {expected}")
