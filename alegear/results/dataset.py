"""From arrays to the dataset of ``result.nc``, with the units and long names of the table of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear._version import __version__
from alegear.contact.numbering import GEARS
from alegear.results.point_places import PointPlaces
from alegear.results.variables import AXES, COORDINATES, LABELS, LIMITS, OVERALL, POINT_PLACES, SIDES, Variable

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What the attributes of a result say of it.

    Parameters
    ----------
    title, case_sha256 : str
    complete : bool
        False marks what a failed analysis left.
    """

    title: str = ""
    case_sha256: str = ""
    complete: bool = True

    def attributes(self, analysis: str, **further: Any) -> dict[str, Any]:
        """Global attributes of a result of a kind of analysis, with further ones (strings and numbers)."""
        return {
            "title": self.title,
            "source": f"alegear {__version__}",
            "version": __version__,
            "case_sha256": self.case_sha256,
            # NetCDF has no truth values
            "complete": int(self.complete),
            "analysis": analysis,
            **further,
        }


#: Of what was not run.
UNNAMED = Identity()


@dataclass(frozen=True, kw_only=True, eq=False)
class ResultArrays:
    """What a study computed: arrays by the names of a table of variables, and the labels of their dimensions.

    Parameters
    ----------
    analysis : str
    variables : mapping of str to Variable
        What the values may be: dimensions, units.
    values : mapping of str to array
    labels : mapping of str to sequence
        By dimension.
    sample_dim : str
        Leading dimension of all values; none if empty.
    words : mapping of str to str
        Long names of dimensions, where they are others than those of the table.
    coordinates, others : mapping
        Further coordinates and variables, as entries of a dataset.
    attributes : mapping
        Global attributes besides the identity.
    facts : mapping
        What a summary has besides.
    """

    analysis: str
    variables: Mapping[str, Variable]
    values: Mapping[str, Any]
    labels: Mapping[str, Any]
    sample_dim: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    coordinates: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def dataset(self, identity: Identity = UNNAMED) -> xr.Dataset:
        """Return the dataset of ``result.nc``, with units and long names."""
        import xarray as xr

        leading = (self.sample_dim,) if self.sample_dim else ()
        data = {name: self.variables[name].entry(np.asarray(one), *leading) for name, one in self.values.items()}
        coords = coordinates(self.labels, **self.words) | dict(self.coordinates)
        attrs = identity.attributes(self.analysis, **self.attributes)
        return xr.Dataset(data | dict(self.others), coords=coords, attrs=attrs)


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

    labels = {**labels, "gear": GEARS, "side": SIDES, "axis": AXES, "limit": LIMITS}
    if "tilt" in values:
        labels["diameter"] = AXES[:2]
    coords = coordinates(labels, axis="axis of the pinion's frame")
    if points is not None:
        coords |= _point_places(points)
    data: dict[str, Any] = {}
    for name, array in values.items():
        if name not in labels:
            array = np.asarray(array)
            kind = array.dtype if array.dtype.kind == "i" else float
            data[name] = variables[name].entry(array.astype(kind, copy=False), sample_dim)
    for name, array in overall.items():
        (coords if name in COORDINATES else data)[name] = OVERALL[name].entry(array)
    return xr.Dataset(data, coords=coords, attrs=dict(attrs))


def coordinates(labels: Mapping[str, Any], **words: str) -> dict[str, Any]:
    """Return labels by dimension as coordinates; `words` are long names that differ from those of the table."""
    found: dict[str, Any] = {}
    for name, label in labels.items():
        # a list of no names has no type of its own
        values = label if isinstance(label, np.ndarray) else list(label) or np.array([], dtype=str)
        units, long_name = LABELS[name]
        found[name] = (name, values, {"units": units, "long_name": words.get(name, long_name)})
    return found


def _point_places(points: PointPlaces) -> dict[str, Any]:
    """Return the coordinates of the dimensions ``point`` and ``tooth``."""
    places = {
        "point_gear": [GEARS[gear] for gear in points.gear],
        "point_flank": list(points.side),
        "point_radius": points.radius,
        "point_arc_length": points.arc_length,
        "point_face_position": points.face_position,
    }
    found = {name: POINT_PLACES[name].entry(values) for name, values in places.items()}
    return coordinates({"point": points.names, "tooth": points.teeth}) | found


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
    for name, variable in variables.items():
        expected = variable.shape(sizes)
        if name not in shapes or shapes[name] != expected:
            raise ValueError(f"{name} has shape {shapes.get(name)} by sample, expected {expected}")
    if np.shape(flank_limit) != OVERALL["flank_limit"].shape({}):
        raise ValueError(f"flank_limit has shape {np.shape(flank_limit)}, expected (2, 2)")
