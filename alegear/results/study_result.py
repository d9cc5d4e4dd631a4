"""The result of a study over named axes: a dataset whose dimensions are the axes, and what one asks of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from alegear._version import __version__
from alegear.arrays import AnyArray, Array
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.limits import check_kind, check_names
from alegear.results import designs
from alegear.results.dataset import Identity, coordinates
from alegear.results.number_units import handy
from alegear.results.result import Result
from alegear.results.variables import SHARED, SIDES
from alegear.results.variation_result import HARMONICS, point_variables
from alegear.storage import lazy_xarray as xr
from alegear.storage.column_file import as_cells
from alegear.storage.store import STUDY, TABLE
from alegear.storage.study_log import StudyPoint
from alegear.storage.whole_file import write_whole

if TYPE_CHECKING:
    import pandas as pd

#: Relative change of a quantity along an axis from which on the axis has an effect: above what the solver leaves.
EFFECT = 1e-6


class AxisDescription(NamedTuple):
    """An axis of the dataset: name, values of each key, unit and description of each key."""

    name: str
    values: Mapping[str, Sequence[Any]]
    units: Mapping[str, str]
    descriptions: Mapping[str, str]


class StudyResult(Result):
    """What :func:`alegear.study` returns; :func:`alegear.load` reads it back.

    The dimensions of ``dataset`` are the axes; its coordinates have the names of the keys and their units. A point that
    could not be computed is NaN with the reason in ``failure``; ``warnings`` holds the warnings of the others, those
    of a run of their cases (of static pairs but for its estimate by a second grid and wear, and without ``root_stress``
    for tip edges that press beside the roots), ``point_sha256`` is the digest of the case of each.
    """

    FILE = STUDY

    def __repr__(self) -> str:
        sizes = " x ".join(str(size) for size in self.sizes.values())
        failed = self.summary["failed"]
        failures = f", {failed} failed" if failed else ""
        return f"<alegear.StudyResult: {sizes} points over {', '.join(self.sizes)}{failures}>"

    @property
    def sizes(self) -> dict[str, int]:
        """Number of values by axis."""
        return dict(self.summary["axes"])

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names that :meth:`optimum`, :meth:`pareto` and :meth:`harris_map` know."""
        return designs.quantities(self.dataset)

    def table(self) -> pd.DataFrame:
        """Return one row a point: keys of the axes, then all quantities, with their units in the names.

        Examples
        --------
        >>> import alegear as ag
        >>> ag.load("e_axle_relief_study_results").table().sort_values("te_peak_to_peak [um]")  # doctest: +SKIP
        """
        import pandas as pd

        dataset, axes = self.dataset, list(self.sizes)
        shape = tuple(dataset.sizes[axis] for axis in axes)
        numbers = np.indices(shape).reshape(len(shape), -1)
        columns: dict[str, Any] = {}
        for axis, keys in designs.axis_keys(dataset).items():
            for key in keys:
                columns[key] = dataset[key].to_numpy()[numbers[axes.index(axis)]]
        for name in designs.quantities(dataset):
            values = dataset[name].transpose(*axes, ...)
            unit, factor = handy(values.attrs.get("units", "1"))
            inner = [str(dim) for dim in values.dims if dim not in axes]
            flat = factor * values.to_numpy().reshape(numbers.shape[1], -1)
            labels = [[str(one) for one in dataset[dim].to_numpy()] for dim in inner]
            for column, place in enumerate(np.ndindex(*(len(one) for one in labels))):
                own = ", ".join(labels[n][i] for n, i in enumerate(place))
                title = f"{name}[{own}]" if own else name
                columns[f"{title} [{unit}]" if unit else title] = flat[:, column]
        for name in ("warnings", "failure"):
            columns[name] = dataset[name].transpose(*axes).to_numpy().ravel()
        return pd.DataFrame({name: values for name, values in columns.items() if not designs.is_empty(values)})

    def optimum(
        self,
        quantity: str = "te_peak_to_peak",
        *,
        over: Sequence[str] = (),
        by: designs.By = "worst",
        largest: bool | None = None,
    ) -> designs.Optimum:
        """Return the design whose quantity is the best, over conditions that no design can choose.

        Parameters
        ----------
        quantity : str
            One of :attr:`quantities`, as ``"root_stress_max"``, the largest over gears and sides, or of one of them
            as ``"root_stress_max[wheel, tension]"`` and ``"te_harmonics[1]"``.
        over : sequence of str
            Axes, or keys of them, that are conditions: torques, tolerances. The other axes make the design. The samples
            of tolerances are a condition always.
        by : {"worst", "mean"}
            What counts of a design: its worst value over the conditions (robust), or the mean.
        largest : bool, optional
            Whether the largest value is wanted; the worst value is the smallest then. Default: the smallest, of an
            efficiency and of the principal stress on the compression side (negative) the largest. Of the mean error
            (negative under load), of stiffness and contact ratios neither is better by itself, nor of anything else
            with values below 0: there it must be said.

        Raises
        ------
        Fault
            For names that do not exist, without `largest` where it must be given, and if no design could be computed
            under all conditions.

        Examples
        --------
        >>> import alegear as ag
        >>> result = ag.load("e_axle_relief_study_results")  # doctest: +SKIP
        >>> result.optimum("te_peak_to_peak", over=["operation.pinion_torque_Nm"]).design  # doctest: +SKIP
        """
        dataset = self.dataset
        designs.check_by(by)
        check_kind(largest, "largest", bool, optional=True)
        conditions = designs.conditions(dataset, over)
        largest = designs.sense(dataset, quantity, largest, designs.SAY)
        found = designs.quantity(dataset, quantity, conditions, largest=largest)
        counted = found.worst if by == "worst" else found.mean
        sign = -1.0 if largest else 1.0
        ranked = np.where(np.isnan(counted.to_numpy()), np.inf, sign * counted.to_numpy())
        if not np.isfinite(ranked).any():
            limit = "one that could be computed at all points of at least one design"
            raise Fault("quantity", quantity, limit, f"leave out the values that fail{designs.first_failure(dataset)}")
        at = tuple(int(n) for n in np.unravel_index(np.argmin(ranked), ranked.shape))
        place = dict(zip((str(dim) for dim in counted.dims), at, strict=True))
        return designs.Optimum(
            quantity=found,
            by=by,
            over=conditions,
            design=designs.design(dataset, place),
            worst=float(found.worst[at]),
            mean=float(found.mean[at]),
            place=place,
            at_end=tuple(
                axis for axis, n in place.items() if dataset.sizes[axis] > 2 and n in (0, dataset.sizes[axis] - 1)
            ),
            left_out=int(np.isinf(ranked).sum()),
        )

    def pareto(
        self,
        *quantities: str | Sequence[str],
        over: Sequence[str] = (),
        by: designs.By = "worst",
        largest: Sequence[str] = (),
        smallest: Sequence[str] = (),
    ) -> designs.ParetoFront:
        """Return the designs that no other one beats in all quantities.

        Parameters
        ----------
        *quantities : str
            Two or more, or a list of them, as of :meth:`optimum`; default: peak-to-peak transmission error, flank
            pressure, root stress where there is one.
        over, by
            As of :meth:`optimum`.
        largest, smallest : sequence of str
            Quantities of which more, or less, is better; needed where neither is by itself, as :meth:`optimum` says.

        Raises
        ------
        Fault
        """
        listed = len(quantities) == 1 and isinstance(quantities[0], list | tuple)
        names = cast("Sequence[str]", quantities[0] if listed else quantities)
        dataset = self.dataset
        designs.check_by(by)
        check_names(names, "quantities of a Pareto front")
        known = designs.quantities(dataset)
        names = tuple(names) or tuple(name for name in designs.USUAL if name.partition("[")[0] in known)
        if len(set(names)) < max(2, len(names)):
            limit = "at least two different ones"
            raise Fault("quantities of a Pareto front", ", ".join(names), limit, "name another one")
        said = designs.senses_given(names, largest, smallest)
        conditions = designs.conditions(dataset, over)
        senses = [designs.sense(dataset, name, said.get(name), "name it in largest or in smallest") for name in names]
        found = tuple(
            designs.quantity(dataset, name, conditions, largest=more) for name, more in zip(names, senses, strict=True)
        )
        beside = tuple(
            designs.quantity(dataset, edges, conditions, largest=False)
            for flanks, edges in designs.BESIDE.items()
            if flanks in names and edges not in names and edges in known
        )
        counted, others = ([one.worst if by == "worst" else one.mean for one in some] for some in (found, beside))
        dims, shape = tuple(str(dim) for dim in counted[0].dims), counted[0].shape
        values = np.stack([one.to_numpy().ravel() for one in counted], axis=1)
        there = np.flatnonzero(np.isfinite(values).all(axis=1))
        if not there.size:
            limit = "such that all could be computed at all points of at least one design"
            remedy = f"leave out the values that fail{designs.first_failure(dataset)}"
            raise Fault("quantities of a Pareto front", ", ".join(names), limit, remedy)
        places = [np.unravel_index(n, shape) for n in there]
        signs = np.where(senses, -1.0, 1.0)
        return designs.ParetoFront(
            quantities=found,
            by=by,
            over=conditions,
            designs=tuple(designs.design(dataset, dict(zip(dims, map(int, place), strict=True))) for place in places),
            values=values[there],
            best=designs.not_beaten(values[there] * signs),
            beside=beside,
            values_beside=np.array([one.to_numpy().ravel()[there] for one in others]).reshape(-1, len(there)).T,
        )

    def harris_map(
        self,
        quantity: str = "te_peak_to_peak",
        *,
        torque: str | None = None,
        over: Sequence[str] = (),
        by: designs.By = "worst",
        at: Mapping[str, float | str] | None = None,
        largest: bool | None = None,
    ) -> designs.HarrisMap:
        """Return the quantity over the torque, a curve for each design.

        Parameters
        ----------
        quantity : str
        torque : str, optional
            Axis of the abscissa, of numbers; default: the one whose key ends with ``torque_Nm``.
        over, by
            Conditions besides the torque, as of :meth:`optimum`.
        at : mapping, optional
            Key -> value of its axis: only the designs there are shown.
        largest : bool, optional
            As of :meth:`optimum`: what is worst over the conditions, and which curve is the best.

        Raises
        ------
        Fault

        Examples
        --------
        >>> import alegear as ag
        >>> from alegear.pictures.of_results.harris_map import draw_harris_map  # doctest: +SKIP
        >>> draw_harris_map(ag.load("e_axle_relief_study_results").harris_map()).savefig("h.png")  # doctest: +SKIP
        """
        dataset = self.dataset
        designs.check_by(by)
        check_kind(largest, "largest", bool, optional=True)
        keys = designs.axis_keys(dataset)
        if torque is None:
            torques = [key for axis in keys for key in keys[axis] if key.endswith("torque_Nm")]
            if not torques:
                remedy = "add an axis operation.pinion_torque_Nm, or name another one"
                raise Fault("torque of a Harris map", "none", "a key of an axis of the study", remedy)
            torque = torques[0]
        axis = designs.axis_of(dataset, torque)
        key = torque if torque in keys[axis] else keys[axis][0]
        if dataset[key].dtype.kind not in "if" or dataset.sizes[axis] < 2:
            raise Fault("torque of a Harris map", torque, "an axis of at least two numbers", "give more values")
        chosen = designs.chosen(dataset, at or {})
        if axis in chosen:
            raise Fault("at", torque, "of the axes besides that of the torque", "leave it out")
        conditions = tuple(one for one in designs.conditions(dataset, over) if one not in (axis, *chosen))
        more = designs.sense(dataset, quantity, largest, designs.SAY)
        found = designs.quantity(dataset, quantity, conditions, largest=more)
        counted = (found.worst if by == "worst" else found.mean).isel(chosen)
        ordered = counted.sortby(key) if axis == key else counted.isel({axis: np.argsort(dataset[key].to_numpy())})
        dims = [str(dim) for dim in ordered.dims if dim != axis]
        values = ordered.transpose(*dims, axis).to_numpy()
        places = [dict(zip(dims, map(int, place), strict=True)) for place in np.ndindex(*values.shape[:-1])]
        return designs.HarrisMap(
            title=str(dataset.attrs["title"]),
            quantity=found,
            torque=key,
            torques=np.sort(dataset[key].to_numpy().astype(np.float64)),
            designs=tuple(designs.design(dataset, place) for place in places),
            values=values.reshape(-1, values.shape[-1]),
            by=by,
            over=conditions,
            at=designs.design(dataset, chosen),
            largest=more,
        )

    def write(self, directory: Path) -> None:
        """Write ``study.nc``, ``table.csv``, ``summary.json`` and the case, each whole or not at all.

        Raises
        ------
        StorageFailure
        """
        super().write(directory)
        write_whole(directory / TABLE, _in_cells(self.table()).to_csv(index=False).encode())


def _in_cells(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts no program takes for formulas."""
    texts = {name: as_cells(table[name].to_list()) for name in table.columns if table[name].dtype.kind not in "fiub"}
    return table.assign(**texts)


def study_dataset(
    axes: Sequence[AxisDescription],
    points: Sequence[StudyPoint | None],
    *,
    phases: Sequence[Array | None],
    digests: Sequence[str],
    identity: Identity,
) -> xr.Dataset:
    """Put points into a dataset over the axes, the last one running fastest.

    Parameters
    ----------
    axes : sequence of AxisDescription
    points : sequence of StudyPoint or None
        None: not computed, for the study was stopped.
    phases : sequence of (shape (n,) or None) [1]
        Positions of each point, where it has curves. Where points have different ones ``phase`` is a variable.
    digests : sequence of str
        Of the cases; empty where there is none.
    identity : Identity
    """
    names, shape = [axis.name for axis in axes], tuple(len(next(iter(axis.values.values()))) for axis in axes)
    coords: dict[str, Any] = {}
    for axis in axes:
        for key, values in axis.values.items():
            attributes = {"long_name": axis.descriptions[key]} | ({"units": axis.units[key]} if axis.units[key] else {})
            coords[key] = (axis.name, _coordinate(values), attributes)
        if axis.name not in axis.values:
            attributes = {"units": "1", "long_name": "number along the axis"}
            coords[axis.name] = (axis.name, np.arange(len(next(iter(axis.values.values())))), attributes)
    data = point_variables(points, digests, dict(zip(names, shape, strict=True)), "point")
    data.pop("pinion_torque", None)  # of the case, not of what is computed
    if any("position" in dims for dims, _, _ in data.values()):
        _add_positions(coords, data, names, shape, phases)
    if any("harmonic" in dims for dims, _, _ in data.values()):
        coords |= coordinates({"harmonic": np.arange(1, HARMONICS + 1)})
    if any("gear" in dims for dims, _, _ in data.values()):
        coords |= coordinates({"gear": GEARS, "side": SIDES})
    attrs = identity.attributes("study", axes=json.dumps({axis.name: list(axis.values) for axis in axes}))
    return xr.Dataset(data, coords=coords, attrs=attrs)


def _coordinate(values: Sequence[Any]) -> AnyArray:
    """Values of a key as numbers where they are, else as texts."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.float64 if any(isinstance(value, float) for value in values) else np.int64)
    return np.array([value if isinstance(value, str) else json.dumps(value) for value in values], dtype=object)


def _add_positions(
    coords: dict[str, Any],
    data: dict[str, Any],
    names: Sequence[str],
    shape: tuple[int, ...],
    phases: Sequence[Array | None],
) -> None:
    there = [phase for phase in phases if phase is not None]
    longest = max(there, key=len)
    coords |= coordinates({"position": np.arange(len(longest))})
    if all(np.array_equal(phase, longest) for phase in there):
        coords["phase"] = SHARED["phase"].entry(longest, "position")
        return
    values = np.full((len(phases), len(longest)), np.nan)
    for i, phase in enumerate(phases):
        if phase is not None:
            values[i, : len(phase)] = phase
    data["phase"] = SHARED["phase"].entry(values.reshape(*shape, -1), *names, "position")


def study_summary(
    dataset: xr.Dataset, axes: Sequence[AxisDescription], *, seconds: float, complete: bool, computed_before: int = 0
) -> dict[str, Any]:
    """Numbers of ``summary.json``: sizes, failures, axes without effect, identity.

    Parameters
    ----------
    dataset : xarray.Dataset
    axes : sequence of AxisDescription
    seconds : float
        Of this call.
    complete : bool
    computed_before : int
        Cases whose points are those of an earlier call.
    """
    sizes = {axis.name: dataset.sizes[axis.name] for axis in axes}
    failure = dataset["failure"].to_numpy().ravel()
    warnings = dataset["warnings"].to_numpy().ravel()
    return {
        "analysis": "study",
        "title": dataset.attrs["title"],
        "axes": sizes,
        "points": int(failure.size),
        "computed_before": computed_before,
        "failed": int(sum(bool(one) for one in failure)),
        "warned": int(sum(bool(one) for one in warnings)),
        "warnings": axis_warnings(dataset, tuple(sizes)),
        "seconds": {"total": seconds},
        "version": __version__,
        "case_sha256": dataset.attrs["case_sha256"],
        "complete": complete,
    }


def axis_warnings(dataset: xr.Dataset, axes: tuple[str, ...]) -> list[str]:
    """Warn of axes along which nothing that is computed changes, of points that were computed; failed ones are NaN."""
    found = []
    numbers = [name for name in dataset.data_vars if dataset[name].dtype.kind == "f" and name != "phase"]
    for axis in axes:
        if dataset.sizes[axis] < 2:
            continue
        compared = changes = False
        for name in numbers:
            values = np.moveaxis(dataset[name].to_numpy(), dataset[name].dims.index(axis), 0)
            finite = np.isfinite(values)
            two = finite.sum(axis=0) > 1
            if not two.any():
                continue
            compared = True
            least, most = (
                edge(np.where(finite, values, away), axis=0)[two]
                for edge, away in ((np.min, np.inf), (np.max, -np.inf))
            )
            changes = changes or bool(np.any(most - least > EFFECT * np.abs(values[finite]).max()))
        if compared and not changes:
            found.append(
                f"axis {axis}: none of its {dataset.sizes[axis]} values changes anything by more than {EFFECT:g}: "
                "leave it out, or give what it belongs to (the start of a relief needs a relief)"
            )
    return found
