"""From arrays to the contents of ``result.nc``, with the units and long names of the table of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alegear._version import __version__
from alegear.results.variables import LABELS, Variable
from alegear.storage import lazy_xarray as xr
from alegear.storage.netcdf import Contents


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

    def contents(self, identity: Identity = UNNAMED) -> Contents:
        """Return the contents of ``result.nc``, with units and long names."""
        leading = (self.sample_dim,) if self.sample_dim else ()
        data = {name: self.variables[name].entry(np.asarray(one), *leading) for name, one in self.values.items()}
        coords = coordinates(self.labels, **self.words) | dict(self.coordinates)
        attrs = identity.attributes(self.analysis, **self.attributes)
        return Contents(variables=data | dict(self.others), coordinates=coords, attributes=attrs)

    def dataset(self, identity: Identity = UNNAMED) -> xr.Dataset:
        """Return them as a dataset."""
        return self.contents(identity).dataset()


def coordinates(labels: Mapping[str, Any], **words: str) -> dict[str, Any]:
    """Return labels by dimension as coordinates; `words` are long names that differ from those of the table."""
    found: dict[str, Any] = {}
    for name, label in labels.items():
        # a list of no names has no type of its own
        values = label if isinstance(label, np.ndarray) else list(label) or np.array([], dtype=str)
        units, long_name = LABELS[name]
        found[name] = (name, values, {"units": units, "long_name": words.get(name, long_name)})
    return found
