"""What one asks of a study: the best design over its conditions, designs that no other one beats, curves over torque.

Each axis is either one of the design (a relief) or a condition that no design chooses (a torque, a tolerance). A
quantity of a design is its worst value over the conditions, or their mean.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from alegear.arrays import AnyArray, Array, Mask
from alegear.errors import Fault
from alegear.limits import check_names, described
from alegear.results.number_units import handy, more_is_better
from alegear.storage import lazy_xarray as xr

if TYPE_CHECKING:
    import pandas as pd

By = Literal["worst", "mean"]
#: Axis of the samples of tolerances, which is a condition always.
SAMPLE = "sample"
#: Quantity of a front -> what stands beside it where it is not itself a quantity of the front.
BESIDE = {"contact_pressure_max": "edge_pressure_max"}
#: What a Pareto front is of if nothing is said, as far as it is there.
USUAL = ("te_peak_to_peak", "contact_pressure_max", "root_stress_principal_max[tension]")
#: Part of the largest value of an axis within which a value is that of the axis: { from, to, points } is not exact.
SAME = 1e-6
#: Part of the largest value below which a negative one is none.
ROUND_OFF = 1e-9
_INNER = ("position", "phase")
_NAME = re.compile(r"(?P<name>[^\[\]]+)(\[(?P<labels>[^\[\]]*)\])?")


@dataclass(frozen=True, kw_only=True, eq=False)
class Quantity:
    """A quantity of designs, reduced over the conditions.

    Attributes
    ----------
    name : str
    unit : str
        Of `values`, in the size that gears have; empty without one.
    words : str
        What it is.
    values : xarray.DataArray
        Over all axes; NaN where a point could not be computed.
    worst, mean : xarray.DataArray
        Over the axes of the design; NaN for a design of which a point could not be computed.
    """

    name: str
    unit: str
    words: str
    values: xr.DataArray
    worst: xr.DataArray
    mean: xr.DataArray

    @property
    def label(self) -> str:
        """Name with its unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True, kw_only=True, eq=False)
class Optimum:
    """The design whose quantity is the best over the conditions; printed it is a few lines.

    Attributes
    ----------
    quantity : Quantity
    by : {"worst", "mean"}
        What counted.
    over : tuple of str
        Axes that are conditions.
    design : dict
        Key -> value of the design, in the unit of the key.
    worst, mean : float
        Of the quantity at the design, over the conditions [``quantity.unit``].
    place : dict
        Axis -> number of its value.
    at_end : tuple of str
        Axes of the design at whose first or last value it lies, so that a better one may lie beyond.
    left_out : int
        Designs that do not count, for a point of them could not be computed.
    """

    quantity: Quantity
    by: By
    over: tuple[str, ...]
    design: dict[str, Any]
    worst: float
    mean: float
    place: dict[str, int]
    at_end: tuple[str, ...]
    left_out: int

    def __repr__(self) -> str:
        return f"<Optimum: {self.by} {self.quantity.label} {getattr(self, self.by):.4g} at {self.design}>"

    def __str__(self) -> str:
        over = f" over {', '.join(self.over)}" if self.over else ""
        lines = [f"best {self.quantity.label} by its {self.by}{over}: worst {self.worst:.4g}, mean {self.mean:.4g}"]
        lines += [f"  {key} = {_written(value)}" for key, value in self.design.items()]
        lines += [f"  at the end of axis {axis}: a better one may lie beyond" for axis in self.at_end]
        if self.left_out:
            lines.append(f"  {self.left_out} designs left out, of which a point could not be computed")
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True, eq=False)
class ParetoFront:
    """Designs, and which of them no other one beats in all quantities.

    Attributes
    ----------
    quantities : tuple of Quantity
    by : {"worst", "mean"}
    over : tuple of str
    designs : tuple of dict
        Key -> value of each design that could be computed.
    values : shape (n, k)
        Of them, as `by` says.
    best : shape (n,) bool
        Those of the front.
    beside : tuple of Quantity
        What does not count for the front and stands beside it: of flanks that are hardly pressed the tip edges may be.
    values_beside : shape (n, len(beside))
    """

    quantities: tuple[Quantity, ...]
    by: By
    over: tuple[str, ...]
    designs: tuple[dict[str, Any], ...]
    values: Array
    best: Mask
    beside: tuple[Quantity, ...]
    values_beside: Array

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.quantities)
        return f"<Front: {int(self.best.sum())} of {len(self.designs)} designs in {names}>"

    @property
    def on_edges(self) -> Mask:
        """Whether edges are pressed more than the flanks, shape (n,); none where pressure does not count."""
        on_edges = np.zeros(len(self.values), dtype=bool)
        flanks = [one.name for one in self.quantities]
        for column, one in enumerate(self.beside):
            for name, edges in BESIDE.items():
                if edges == one.name:
                    on_edges |= self.values_beside[:, column] > self.values[:, flanks.index(name)]
        return on_edges

    def table(self) -> pd.DataFrame:
        """Return the designs of the front, a row each, the best of the first quantity first."""
        import pandas as pd

        labels = [one.label for one in (*self.quantities, *self.beside)]
        rows = [
            {**design, **dict(zip(labels, values, strict=True))}
            for design, values, best in zip(
                self.designs, np.hstack([self.values, self.values_beside]), self.best, strict=True
            )
            if best
        ]
        return pd.DataFrame(rows).sort_values(self.quantities[0].label, ignore_index=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class HarrisMap:
    """A quantity over torque, a curve for each design.

    Attributes
    ----------
    title : str
    quantity : Quantity
    torque : str
        Key of the abscissa.
    torques : shape (n,)
        In the unit of the key.
    designs : tuple of dict
        Key -> value of each curve.
    values : shape (m, n)
        Worst or mean over the conditions besides the torque; NaN where a point could not be computed.
    by : {"worst", "mean"}
    over : tuple of str
        Conditions besides the torque.
    at : dict
        Key -> value that was chosen.
    largest : bool
        Whether more of the quantity is better.
    """

    title: str
    quantity: Quantity
    torque: str
    torques: Array
    designs: tuple[dict[str, Any], ...]
    values: Array
    by: By
    over: tuple[str, ...]
    at: dict[str, Any]
    largest: bool

    def __repr__(self) -> str:
        return f"<HarrisMap: {len(self.designs)} designs at {len(self.torques)} torques, {self.quantity.label}>"

    @property
    def best(self) -> int:
        """Number of the curve whose worst value over the torques is the best; of NaN the last resort."""
        less_is_better = -self.values if self.largest else self.values
        return int(np.argmin(np.where(np.isnan(less_is_better), np.inf, less_is_better).max(axis=1)))

    @property
    def best_words(self) -> str:
        """What is best of that curve."""
        return "highest smallest value" if self.largest else "lowest largest value"


# --------------------------------------------------------------------------------------- names
def axis_keys(dataset: xr.Dataset) -> dict[str, tuple[str, ...]]:
    """Axis -> keys along it."""
    return {axis: tuple(keys) for axis, keys in json.loads(dataset.attrs["axes"]).items()}


def quantities(dataset: xr.Dataset) -> tuple[str, ...]:
    """Names of what is a number at each point."""
    axes = axis_keys(dataset)
    found: list[str] = []
    for name, values in dataset.data_vars.items():
        inner = [str(dim) for dim in values.dims if dim not in axes]
        if values.dtype.kind == "f" and not set(inner) & set(_INNER):
            found.append(str(name))
    return tuple(found)


def axis_of(dataset: xr.Dataset, name: str) -> str:
    """The axis of a name, or of one of its keys."""
    axes = axis_keys(dataset)
    if name in axes:
        return name
    known = {key: axis for axis, keys in axis_keys(dataset).items() for key in keys}
    if name in known:
        return known[name]
    names = [*axes, *known]
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.0)
    raise Fault("axis", described(name), f"one of {', '.join(axes)}, or a key of one", f"the nearest is {near[0]}")


def conditions(dataset: xr.Dataset, over: Sequence[str]) -> tuple[str, ...]:
    axes = axis_keys(dataset)
    if isinstance(over, str) or not isinstance(over, Sequence):
        raise Fault("over", described(over), "a list of axes", "put them in brackets")
    found = {axis_of(dataset, name) for name in over} | ({SAMPLE} & set(axes))
    return tuple(axis for axis in axes if axis in found)


def _values(dataset: xr.Dataset, name: str) -> xr.DataArray:
    """A quantity over the axes alone: of others the worst, or the one that the name says in brackets."""
    axes = axis_keys(dataset)
    known = quantities(dataset)
    parts = _NAME.fullmatch(name) if isinstance(name, str) else None
    bare = "" if parts is None else parts["name"].strip()
    if parts is None or bare not in known:
        near = difflib.get_close_matches(bare or str(name), known, n=1, cutoff=0.0)
        missing = "; root stress is computed with root_stress = true" if bare.startswith("root_stress") else ""
        limit = f"one of {', '.join(known)}{missing}"
        raise Fault("quantity", described(name), limit, f"the nearest is {near[0]}")
    values = dataset[bare]
    inner = [str(dim) for dim in values.dims if dim not in axes]
    for label in [one.strip() for one in (parts["labels"] or "").split(",") if one.strip()]:
        dim = next((dim for dim in inner if label in [str(one) for one in dataset[dim].to_numpy()]), None)
        if dim is None:
            there = [str(one) for dim in inner for one in dataset[dim].to_numpy()]
            limit = f"of {', '.join(there)}" if there else "without brackets"
            raise Fault(f"{label} of the quantity", name, limit, "correct what is in brackets")
        values = values.isel({dim: [str(one) for one in dataset[dim].to_numpy()].index(label)}, drop=True)
        inner.remove(dim)
    if inner:
        values = values.min(inner) if more_is_better(name) else values.max(inner)  # both pass over NaN
    return values.transpose(*axes)


def sense(dataset: xr.Dataset, name: str, largest: bool | None, remedy: str) -> bool:
    """Whether more of a quantity is better: as it is said, else as it is by itself.

    Raises
    ------
    Fault
        Where neither is by itself: of some names, and of values below 0, of which less is more in magnitude.
    """
    values = _values(dataset, name)  # names that are no quantity are refused first
    if largest is not None:
        return largest
    by_itself = more_is_better(name)
    if by_itself is None:
        raise Fault(f"largest, of {name}", None, "given: neither more nor less of it is better by itself", remedy)
    if not by_itself and float(values.min()) < -ROUND_OFF * float(np.abs(values).max()):
        limit = (
            f"given: it has values below 0 (down to {float(values.min()):.4g}), of which less is not better by itself"
        )
        raise Fault(f"largest, of {name}", None, limit, remedy)
    return by_itself


def quantity(dataset: xr.Dataset, name: str, over: tuple[str, ...], *, largest: bool = False) -> Quantity:
    """Reduce a quantity over the conditions.

    Raises
    ------
    Fault
    """
    values = _values(dataset, name)
    bare, _, labels = name.partition("[")
    attributes = dataset[bare.strip()].attrs
    unit, factor = handy(attributes.get("units", "1"))
    words = str(attributes.get("long_name", name)) + (f" ({labels.rstrip(' ]')})" if labels else "")
    scaled = values * factor
    worst = scaled.min(over, skipna=False) if largest else scaled.max(over, skipna=False)
    mean = scaled.mean(over, skipna=False)
    return Quantity(name=name, unit=unit, words=words, values=scaled, worst=worst, mean=mean)


def check_by(by: str) -> None:
    if by not in ("worst", "mean"):
        raise Fault("by", described(by), '"worst" or "mean"', "choose one of the two")


def design(dataset: xr.Dataset, place: Mapping[str, int]) -> dict[str, Any]:
    """Values of the keys at a place of some axes."""
    keys = axis_keys(dataset)
    return {key: _plain(dataset[key].to_numpy()[number]) for axis, number in place.items() for key in keys[axis]}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _written(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def first_failure(dataset: xr.Dataset) -> str:
    """Why the first point failed that did, to be put behind a remedy."""
    failed = [str(one) for one in dataset["failure"].to_numpy().ravel() if one] if "failure" in dataset else []
    return f"; {len(failed)} points do, the first: {failed[0]}" if failed else ""


# --------------------------------------------------------------------------------------- requested
SAY = "say largest = true or largest = false"


def senses_given(names: Sequence[str], largest: Sequence[str], smallest: Sequence[str]) -> dict[str, bool]:
    """Quantity -> whether more of it is better, of those of which it is said."""
    found: dict[str, bool] = {}
    for key, given in (("largest", largest), ("smallest", smallest)):
        check_names(given, key)
        for name in given:
            if name not in names:
                raise Fault(key, described(name), f"one of {', '.join(names)}", "correct it")
            if name in found:
                raise Fault(key, described(name), "in one of largest and smallest only", "leave it out of the other")
            found[name] = key == "largest"
    return found


def not_beaten(values: Array) -> Mask:
    """Which rows no other one beats: none is nowhere larger and somewhere smaller.

    Parameters
    ----------
    values : shape (n, k)
        Smaller is better.

    Examples
    --------
    >>> not_beaten(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0]])).tolist()
    [True, True, False]
    """
    best = np.ones(len(values), dtype=bool)
    for number, own in enumerate(values):
        best[number] = not bool(np.any(np.all(values <= own, axis=1) & np.any(values < own, axis=1)))
    return best


def chosen(dataset: xr.Dataset, at: Mapping[str, Any]) -> dict[str, int]:
    """Axis -> number of the value that is chosen."""
    found: dict[str, int] = {}
    keys = axis_keys(dataset)
    for name, value in at.items():
        axis = axis_of(dataset, name)
        key = name if name in keys[axis] else keys[axis][0]
        values = dataset[key].to_numpy()
        if values.dtype.kind in "if":
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise Fault(f"at {name}", described(value), "a number", "give one")
            same = np.flatnonzero(np.abs(values - value) <= SAME * np.abs(values).max())
        else:
            same = np.flatnonzero(values == value)
        if not same.size:
            there = ", ".join(_written(_plain(one)) for one in values)
            raise Fault(f"at {name}", described(value), f"one of {there}", "choose one")
        found[axis] = int(same[0])
    return found


def is_empty(values: AnyArray) -> bool:
    """Whether there is no number at all, as of orders that so few positions do not resolve."""
    return values.dtype.kind == "f" and bool(np.isnan(values).all())
