"""One entry a variable of ``result.nc``: its dimensions, unit and long name (the contract of the file)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from alegear._version import __version__
from alegear.contact.numbering import GEARS
from alegear.results.contact_pattern import contact_pattern
from alegear.results.point_history import PointHistory
from alegear.results.root_fillet import RootFillet, StressRange

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
    "line_load": Variable(
        ("pair", "slice"), "N/m", "load of the pair normal to its flanks, per unit of face width; both flanks together"
    ),
    "contact_pressure": Variable(
        ("pair", "slice"), "Pa", "largest contact pressure of the pair's flanks in the slice; 0 where an edge touches"
    ),
    "edge_pressure": Variable(
        ("pair", "slice"), "Pa", "largest contact pressure of a tip edge or undercut edge of the pair in the slice"
    ),
    "contact_half_width": Variable(
        ("pair", "slice"), "m", "half-width of the contact strip, normal to the line of contact"
    ),
    "contact_shear_stress": Variable(("pair", "slice"), "Pa", "largest shear stress below the surface"),
    "contact_roll_length": Variable(("pair", "slice"), "m", "place of the contact: roll length on the pinion's flank"),
    "contact_force": Variable(("axis",), "N", "contact force on the pinion; the wheel gets the opposite one"),
    "contact_moment": Variable(
        ("axis",), "N m", "moment of the contact forces on the pinion about the centre of its mid-face"
    ),
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

#: Where a gear stands on a support that gives way.
SUPPORTS = {
    "displacement": Variable(("gear", "axis"), "m", "displacement of the gear by its support"),
    "tilt": Variable(("gear", "diameter"), "rad", "tilt of the gear's axis by its support, about x and y"),
    "bearing_force": MOTION["bearing_force"],
    "bearing_moment": Variable(
        ("gear", "diameter"), "N m", "moment of the gear on its bearing about x and y through its mid-face"
    ),
}

#: Root stress point by point, where it is kept.
FILLET = {
    "root_stress_fillet": Variable(
        ("gear", "pair", "side", "fillet", "face"), "Pa", "von Mises stress at the points of the root fillet"
    ),
    "root_stress_fillet_principal": Variable(
        ("gear", "pair", "side", "fillet", "face"),
        "Pa",
        "largest principal stress by magnitude at the points of the root fillet, signed",
    ),
}

#: Chosen points of the teeth, where a case asks for them.
POINTS = {
    "point_stress": Variable(("point", "tooth"), "Pa", "von Mises stress at the point of the tooth"),
    "point_stress_principal": Variable(
        ("point", "tooth"), "Pa", "largest principal stress by magnitude at the point of the tooth, signed"
    ),
    "point_rotation": Variable(
        ("point", "tooth"),
        "rad",
        "rotation of the point of the tooth about the axis against the bore, positive in the running direction",
    ),
}

#: Without the leading dimension: what sums up a whole study.
OVERALL = {
    "flank_limit": Variable(
        ("gear", "limit"), "m", "roll length on the pinion's flank at which the flank of the gear begins and ends"
    ),
    "pattern_pressure": Variable(
        ("roll", "slice"), "Pa", "largest contact pressure of the flanks of a cycle on the pinion's flank"
    ),
    "pattern_edge_pressure": Variable(
        ("roll", "slice"), "Pa", "largest contact pressure of edges of a cycle on the pinion's flank"
    ),
    "pattern_line_load": Variable(("roll", "slice"), "N/m", "largest line load of a cycle on the pinion's flank"),
    "roll_length": Variable(("roll",), "m", "roll length on the pinion's flank"),
    "fillet_arc_length": Variable(
        ("gear", "fillet"), "m", "arc length along the root fillet from the middle of the tooth space"
    ),
    "fillet_tangent_angle": Variable(
        ("gear", "fillet"), "rad", "angle between the tangent of the root fillet and the tooth's centre line"
    ),
    "face_position": Variable(("gear", "face"), "m", "position along the axis from the gear's mid-face"),
    "root_stress_range": Variable(
        ("gear", "side"), "Pa", "range of the signed principal root stress over the cycle of a tooth where it is widest"
    ),
    "root_stress_mean": Variable(("gear", "side"), "Pa", "middle of that range"),
    "root_critical_arc_length": Variable(("gear", "side"), "m", "arc length along the fillet of that point"),
    "root_critical_face_position": Variable(("gear", "side"), "m", "position along the axis of that point"),
}
COORDINATES = ("roll_length", "fillet_arc_length", "fillet_tangent_angle", "face_position")

SIDES = ("tension", "compression")
AXES = ("x", "y", "z")
LIMITS = ("root_form", "tip")


def build_dataset(
    history: Any,
    variables: dict[str, Variable],
    *,
    lead: str,
    window: slice,
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
    window : slice
        Whole pitches of it: the contact pattern is that of these.
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
    coords["axis"] = ("axis", list(AXES), {"units": "1", "long_name": "axis of the pinion's frame"})
    coords["limit"] = ("limit", list(LIMITS), {"units": "1", "long_name": "end of the flank of a gear"})
    if lead == "time":
        coords["time"] = ("time", np.asarray(history.time, dtype=float), {"units": "s", "long_name": "time"})
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
    for name, variable, values in _overall(history, window):
        entry = (variable.dims, values, {"units": variable.units, "long_name": variable.long_name})
        (coords if name in COORDINATES else data)[name] = entry
    if history.root_fillet is not None and history.root_fillet.von_mises is not None:
        fillet = history.root_fillet
        for (name, variable), values in zip(FILLET.items(), (fillet.von_mises, fillet.principal), strict=True):
            data[name] = ((lead, *variable.dims), values, {"units": variable.units, "long_name": variable.long_name})
    if history.supports is not None:
        coords["diameter"] = ("diameter", list(AXES[:2]), {"units": "1", "long_name": "axis of a tilt"})
        for name, variable in SUPPORTS.items():
            values = getattr(history.supports, name)
            data[name] = ((lead, *variable.dims), values, {"units": variable.units, "long_name": variable.long_name})
    if history.points is not None:
        coords |= _point_places(history.points)
        recorded = (history.points.von_mises, history.points.principal, history.points.rotation)
        for (name, variable), values in zip(POINTS.items(), recorded, strict=True):
            data[name] = ((lead, *variable.dims), values, {"units": variable.units, "long_name": variable.long_name})
    attrs: dict[str, Any] = {
        "title": title,
        "source": f"alegear {__version__}",
        "version": __version__,
        "case_sha256": case_sha256,
        # NetCDF has no truth values
        "complete": int(complete),
    }
    return xr.Dataset(data, coords=coords, attrs=attrs | (extra_attrs or {}))


def _point_places(points: PointHistory) -> dict[str, Any]:
    """Return the coordinates of the dimensions ``point`` and ``tooth``."""
    in_metres = {
        "point_radius": (points.radius, "distance of the point from the axis"),
        "point_arc_length": (points.arc_length, "arc length along the profile from the middle of the tooth space"),
        "point_face_position": (points.face_position, "position of the point along the axis from mid-face"),
    }
    coords: dict[str, Any] = {
        "point": ("point", list(points.names), {"units": "1", "long_name": "point of the teeth"}),
        "tooth": (
            "tooth",
            points.teeth,
            {"units": "1", "long_name": "tooth of the point's gear, counted as the pairs it is in"},
        ),
        "point_gear": (
            "point",
            [GEARS[gear] for gear in points.gear],
            {"units": "1", "long_name": "gear of the point"},
        ),
        "point_flank": ("point", list(points.side), {"units": "1", "long_name": "front or back side of the tooth"}),
    }
    for name, (values, long_name) in in_metres.items():
        coords[name] = ("point", values, {"units": "m", "long_name": long_name})
    return coords


def stress_range(history: Any) -> StressRange | None:
    """Return the range of the root stress, None where there is no whole cycle: a static study of a pitch or more."""
    fillet: RootFillet | None = history.root_fillet
    phase = np.asarray(history.phase, dtype=float)
    if fillet is None or hasattr(history, "time") or len(phase) < 2:
        return None
    # the last position stands for the step behind it; round-off of the phases
    if len(phase) * (phase[1] - phase[0]) < 1.0 - 1e-9 or not np.isfinite(fillet.highest).any():
        return None
    return fillet.stress_range()


def _overall(history: Any, window: slice) -> list[tuple[str, Variable, Any]]:
    """Return the variables that sum up a study."""
    pattern = contact_pattern(history, window)
    values: dict[str, Any] = {
        "flank_limit": np.asarray(history.flank_limit, dtype=float),
        "pattern_pressure": pattern.pressure,
        "pattern_edge_pressure": pattern.edge_pressure,
        "pattern_line_load": pattern.line_load,
        "roll_length": pattern.roll_length,
    }
    fillet: RootFillet | None = history.root_fillet
    if fillet is not None:
        values["fillet_arc_length"] = fillet.arc_length
        values["fillet_tangent_angle"] = fillet.tangent
        values["face_position"] = fillet.face_position
    cycle = stress_range(history)
    if cycle is not None:
        values["root_stress_range"] = cycle.spread
        values["root_stress_mean"] = cycle.mean
        values["root_critical_arc_length"] = cycle.arc_length
        values["root_critical_face_position"] = cycle.face_position
    return [(name, OVERALL[name], array) for name, array in values.items()]


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
    points = history.points
    if points is not None and np.shape(points.von_mises) != (n, len(points.names), len(points.teeth)):
        raise ValueError(f"the points have {np.shape(points.von_mises)[0]} samples, expected {n}")
    if np.shape(history.flank_limit) != (len(GEARS), len(LIMITS)):
        raise ValueError(f"flank_limit has shape {np.shape(history.flank_limit)}, expected (2, 2)")
