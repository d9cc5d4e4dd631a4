"""One entry a variable of ``result.nc``: its dimensions, unit and long name (the contract of the file)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from alegear._version import __version__
from alegear.contact.numbering import GEARS
from alegear.results import signals
from alegear.results.contact_pattern import contact_pattern
from alegear.results.point_history import PointPlaces
from alegear.results.root_fillet import RootFillet, StressRange
from alegear.storage.recorded_samples import Samples, blocks

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
    "mesh_stiffness": Variable(
        (), "N/m", "tangent mesh stiffness along the line of action at the load, axes held where they stand"
    ),
    "tooth_load": Variable(("pair",), "N", "moment of the pair's contact forces about the pinion axis over r_b"),
    "line_load": Variable(
        ("pair", "slice"), "N/m", "load of the pair normal to its flanks, per unit of face width; both flanks together"
    ),
    "contact_pressure": Variable(
        ("pair", "slice"),
        "Pa",
        "largest contact pressure of the pair's flanks in the slice; 0 where the strip reaches an edge",
    ),
    "edge_pressure": Variable(
        ("pair", "slice"), "Pa", "largest contact pressure of a tip edge or undercut edge of the pair in the slice"
    ),
    "contact_half_width": Variable(
        ("pair", "slice"), "m", "half-width of the contact strip, normal to the line of contact"
    ),
    "contact_shear_stress": Variable(("pair", "slice"), "Pa", "largest shear stress below the surface"),
    "contact_roll_length": Variable(
        ("pair", "slice"), "m", "position of the contact: roll length on the pinion's flank"
    ),
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
    "energy_dissipated_outside": Variable((), "J", "part of it lost in the dampers of shafts and bearings"),
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

#: Sliding of the flanks, where they touch: of static studies, and of motions on demand.
WEAR = {
    "specific_sliding": Variable(
        ("gear", "pair", "slice"), "1", "sliding of the gear's flank over its rolling velocity, negative on dedenda"
    ),
    "sliding_velocity": Variable(
        ("pair", "slice"), "m/s", "sliding of the pinion's flank on the wheel's, positive beyond the pitch point"
    ),
    "rolling_velocity": Variable(("gear", "pair", "slice"), "m/s", "velocity of the gear's flank through the contact"),
    "pressure_velocity": Variable(
        ("pair", "slice"), "Pa m/s", "largest contact pressure of the flanks times sliding velocity"
    ),
    "flash_temperature": Variable(
        ("pair", "slice"), "K", "flash temperature by Blok's equation, rise over the bulk temperature"
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
    "pattern_sliding_velocity": Variable(
        ("roll", "slice"), "m/s", "largest sliding velocity of a cycle on the pinion's flank"
    ),
    "pattern_pressure_velocity": Variable(
        ("roll", "slice"), "Pa m/s", "largest pressure times sliding velocity of a cycle on the pinion's flank"
    ),
    "pattern_flash_temperature": Variable(
        ("roll", "slice"), "K", "largest flash temperature of a cycle on the pinion's flank"
    ),
    "pattern_specific_sliding": Variable(
        ("gear", "roll"), "1", "specific sliding of the gear over the pinion's flank, negative on dedenda"
    ),
    "face_load_factor": Variable((), "1", "largest line load over the mean across the face, K_Hbeta of the mesh"),
    "load_mean": Variable((), "N", "mean load of all pairs together, torque of the pinion over its base radius"),
    "base_radius": Variable(("gear",), "m", "radius of the base circle"),
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


def by_slot(variable: Variable) -> Variable:
    """Return a variable of motions: its pairs are those in the slots of the window."""
    return variable._replace(dims=tuple("slot" if dim == "pair" else dim for dim in variable.dims))


#: Of motions: extremes of all steps since the sample before, which samples may miss.
OF_STEPS = {
    "transmission_error_low": Variable((), "m", "least transmission error of all steps since the sample before"),
    "transmission_error_high": Variable((), "m", "largest transmission error of all steps since the sample before"),
    "tooth_load_high": Variable((), "N", "largest load of a tooth pair of all steps since the sample before"),
}

#: Every variable of a motion, by slot of the window; which of them there are depends on the case.
OF_MOTION = {
    name: by_slot(variable) for name, variable in (SHARED | MOTION | OF_STEPS | SUPPORTS | FILLET | POINTS).items()
} | {
    "slot_pair": Variable(
        ("slot",), "1", "tooth pair in the slot of the window, 0 touches at the pitch point at phase 0"
    )
}


def build_dataset(
    values: Mapping[str, Any],
    variables: Mapping[str, Variable],
    *,
    sample_dim: str,
    labels: Mapping[str, Any],
    overall: Mapping[str, Any],
    points: PointPlaces | None,
    attrs: Mapping[str, Any],
) -> xr.Dataset:
    """Put arrays into a dataset with units and long names.

    Parameters
    ----------
    values : mapping of str to array
        Over positions or times.
    variables : mapping of str to Variable
        What these may be.
    sample_dim : {"position", "time"}
        Name of the leading dimension.
    labels : mapping of str to sequence
        Of `sample_dim`, of ``slice``, and of the dimension of the tooth pairs: ``pair`` or ``slot``.
    overall : mapping of str to array
        What sums up the study, by the names of OVERALL.
    points : PointPlaces, optional
        Positions of the points whose histories are among the values.
    attrs : mapping
        Global attributes.
    """
    import xarray as xr

    coords: dict[str, Any] = {"gear": _coordinate("gear", list(GEARS)), "side": _coordinate("side", list(SIDES))}
    coords |= {"axis": _coordinate("axis", list(AXES)), "limit": _coordinate("limit", list(LIMITS))}
    coords |= {name: _coordinate(name, label) for name, label in labels.items()}
    if "tilt" in values:
        coords["diameter"] = _coordinate("diameter", list(AXES[:2]))
    if points is not None:
        coords |= _point_places(points)
    data: dict[str, Any] = {}
    for name, array in values.items():
        if name not in labels:
            variable = variables[name]
            array = np.asarray(array)
            kind = array.dtype if array.dtype.kind == "i" else float
            described = {"units": variable.units, "long_name": variable.long_name}
            data[name] = ((sample_dim, *variable.dims), array.astype(kind, copy=False), described)
    for name, array in overall.items():
        variable = OVERALL[name]
        entry = (variable.dims, array, {"units": variable.units, "long_name": variable.long_name})
        (coords if name in COORDINATES else data)[name] = entry
    return xr.Dataset(data, coords=coords, attrs=dict(attrs))


def global_attributes(
    analysis: str, *, title: str, case_sha256: str, complete: bool, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the global attributes of a result; `complete` = False marks what a failed analysis left."""
    return {
        "title": title,
        "source": f"alegear {__version__}",
        "version": __version__,
        "case_sha256": case_sha256,
        # NetCDF has no truth values
        "complete": int(complete),
        "analysis": analysis,
        **(extra or {}),
    }


#: Unit and long name of the coordinates of dimensions.
LABELS = {
    "gear": ("1", "gear"),
    "pair": ("1", "tooth pair, 0 touches at the pitch point at phase 0"),
    "slot": ("1", "slot of the window, which stays in space; the pair in it is slot_pair"),
    "slice": ("m", "position of the slice along the axis from mid-face"),
    "side": ("1", "side of the root: tension or compression"),
    "axis": ("1", "axis of the pinion's frame"),
    "limit": ("1", "end of the flank of a gear"),
    "time": ("s", "time"),
    "position": ("1", "number of the position"),
    "diameter": ("1", "axis of a tilt"),
}


def _coordinate(name: str, label: Any) -> tuple[str, Any, dict[str, str]]:
    units, long_name = LABELS[name]
    return name, label, {"units": units, "long_name": long_name}


def _point_places(points: PointPlaces) -> dict[str, Any]:
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


def overall_values(
    samples: Samples,
    window: slice,
    *,
    flank_limit: Any,
    root_fillet: RootFillet | None,
    cycle: StressRange | None,
    further: tuple[str, ...] = (),
    sign: str | None = None,
) -> dict[str, Any]:
    """Return what sums up a study, by the names of OVERALL.

    The contact pattern is that of the whole pitches in `window`, with the largest magnitudes of `further`, which change
    sign with `sign`; `cycle` is that of a tooth, if there is a whole one.
    """
    pattern = contact_pattern(samples, window, flank_limit, further=further, sign=sign)
    values: dict[str, Any] = {
        "flank_limit": np.asarray(flank_limit, dtype=float),
        "pattern_pressure": pattern.pressure,
        "pattern_edge_pressure": pattern.edge_pressure,
        "pattern_line_load": pattern.line_load,
        "roll_length": pattern.roll_length,
        **{f"pattern_{name}": values for name, values in pattern.further.items()},
        "face_load_factor": signals.face_load_factor(lambda: _through(samples, "line_load", window)),
        "load_mean": _mean_load(samples, window),
    }
    if root_fillet is not None:
        values["fillet_arc_length"] = root_fillet.arc_length
        values["fillet_tangent_angle"] = root_fillet.tangent
        values["face_position"] = root_fillet.face_position
    if cycle is not None:
        values["root_stress_range"] = cycle.spread
        values["root_stress_mean"] = cycle.mean
        values["root_critical_arc_length"] = cycle.arc_length
        values["root_critical_face_position"] = cycle.face_position
    return values


def _through(samples: Samples, name: str, window: slice) -> Iterator[Any]:
    return (block[name] for block in blocks(samples, (name,), window))


def _mean_load(samples: Samples, window: slice) -> float:
    """Mean of the load of all pairs together in a window [N]; NaN of nothing."""
    total, count = 0.0, 0
    for load in _through(samples, "tooth_load", window):
        total, count = total + float(np.nansum(load)), count + len(load)
    return total / count if count else math.nan


def check_shapes(
    shapes: Mapping[str, tuple[int, ...]], variables: Mapping[str, Variable], sizes: Mapping[str, int], flank_limit: Any
) -> None:
    """Refuse arrays that do not fit the dimensions; the message names the array.

    Parameters
    ----------
    shapes : mapping of str to tuple
        Of a sample of each array.
    variables : mapping of str to Variable
        Those that must be there.
    sizes : mapping of str to int
        Of ``pair`` or ``slot``, and of ``slice``.

    Raises
    ------
    ValueError
        If the shape of an array differs from its dimensions.
    """
    known = {"gear": len(GEARS), "side": len(SIDES), "axis": len(AXES), "diameter": 2, **sizes}
    for name, variable in variables.items():
        expected = tuple(known[d] for d in variable.dims)
        if name not in shapes or shapes[name] != expected:
            raise ValueError(f"{name} has shape {shapes.get(name)} by sample, expected {expected}")
    if np.shape(flank_limit) != (len(GEARS), len(LIMITS)):
        raise ValueError(f"flank_limit has shape {np.shape(flank_limit)}, expected (2, 2)")
