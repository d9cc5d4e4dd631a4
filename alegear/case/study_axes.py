"""Axes of a study: values of keys of a case, keys that vary together, and tolerances as samples of distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from alegear.arrays import AnyArray, Array
from alegear.errors import Fault
from alegear.limits import Limits, described
from alegear.parameters import check_parameters, limits_of

#: Name of the axis of the samples of all tolerances.
SAMPLE = "sample"
#: Names that the dimensions of results have.
RESERVED = (SAMPLE, "position", "harmonic", "gear", "side", "phase", "variant")
#: Values of an axis: a list of them, an array, or a range.
Values = Sequence[object] | AnyArray | Mapping[str, float]
#: Axes as a study takes them: key -> values, or name -> keys that vary together with values, a single one repeated.
Axes = Mapping[str, Values | Mapping[str, Values | float | str]]
#: Tolerances: key -> distribution with its two numbers, besides ``samples`` and ``seed``.
TolerancesGiven = Mapping[str, int | Mapping[str, Sequence[float]]]

_RANGE = ("from", "to", "points")
MOST_VALUES = 100_000


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyAxis:
    """An axis: its name, and for each of its keys as many values as it has points.

    Parameters
    ----------
    name : str
        The key itself where there is one, else a name of its own.
    values : mapping of str to tuple
        Key of the case file -> values in the unit of the key.
    """

    name: str
    values: Mapping[str, tuple[Any, ...]]

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))


@dataclass(frozen=True, kw_only=True, eq=False)
class Tolerances:
    """Samples of keys that scatter independently of each other, drawn from a Latin hypercube.

    Of n samples each key has one in every n-th part of its probability, in an order of its own, so that means of few
    samples scatter less than those of independent ones (McKay, Beckman, Conover 1979).

    Parameters
    ----------
    distributions : mapping of str to (str, float, float)
        Key of the case file -> ``("normal", mean, standard deviation)`` or ``("uniform", least, most)``.
    samples, seed : int

    Raises
    ------
    Fault
        For a distribution that has no width, or is none.
    """

    distributions: Mapping[str, tuple[str, float, float]]
    samples: Annotated[
        int,
        Limits(quantity="number of samples", key="samples in [tolerances]", least=1, most=MOST_VALUES, whole=True),
    ] = 20
    seed: Annotated[
        int, Limits(quantity="seed of the samples", key="seed in [tolerances]", least=0, most=2**53, whole=True)
    ] = 0

    def __post_init__(self) -> None:
        check_parameters(self)
        if not self.distributions:
            remedy = 'give keys, as "alignment.tilt_plane_of_action_deg" = { uniform = [-0.03, 0.03] }'
            raise Fault("tolerances", "no keys", "at least one key with its distribution", remedy)
        for key, (kind, first, second) in self.distributions.items():
            width = second if kind == "normal" else second - first
            if not (np.isfinite([first, second]).all() and width > 0.0):
                what = "standard deviation" if kind == "normal" else "width, the second number less the first,"
                raise Fault(
                    f"tolerance of {key}",
                    f"{kind} = [{first:g}, {second:g}]",
                    f"a distribution whose {what} is greater than 0",
                    "widen it, or give the value in the case",
                )

    @property
    def axis(self) -> StudyAxis:
        """The samples, as an axis."""
        from scipy.special import ndtri

        random = np.random.default_rng(self.seed)
        values = {}
        for key, (kind, first, second) in self.distributions.items():
            parts = random.permutation(self.samples)
            share: Array = (parts + random.uniform(size=self.samples)) / self.samples
            drawn = first + second * ndtri(share) if kind == "normal" else first + (second - first) * share
            values[key] = tuple(drawn.tolist())
        return StudyAxis(name=SAMPLE, values=values)


def study_axes(axes: Mapping[str, Any], tolerances: Mapping[str, Any] | None) -> tuple[StudyAxis, ...]:
    """Read axes and tolerances as a study file has them; the last axis runs fastest, the samples before all.

    Parameters
    ----------
    axes : mapping
        Key -> values, or name -> mapping of keys that vary together to their values; a single value is repeated.
        Values are a list, or ``{"from": a, "to": b, "points": n}``.
    tolerances : mapping, optional
        Key -> ``{"normal": [mean, standard deviation]}`` or ``{"uniform": [least, most]}``, besides ``samples`` and
        ``seed``.

    Raises
    ------
    Fault
        For axes that are empty, of different lengths, named twice, or none.
    """
    if not isinstance(axes, Mapping):
        raise Fault(
            "axes", described(axes), "a mapping of keys to values", 'give {"pinion.flank.tip_relief_um": [...]}'
        )
    found = [_axis(name, given) for name, given in axes.items()]
    if tolerances is not None:
        found.insert(0, tolerances_of(tolerances).axis)
    if not found:
        raise Fault("axes", "none", "at least one axis or tolerance", "give keys of the case with their values")
    seen: dict[str, str] = {}
    for axis in found:
        for key in axis.values:
            if key in seen:
                limit = f"on one axis only, and is on {seen[key]} too"
                raise Fault(f"key of the axis {axis.name}", key, limit, "leave it out of one of the two")
            seen[key] = axis.name
    return tuple(found)


def _axis(name: str, given: Any) -> StudyAxis:
    if not isinstance(given, Mapping) or _is_range(given):
        return StudyAxis(name=name, values={name: _distinct(name, _values(name, given))})
    if name in RESERVED or not name:
        raise Fault("name of an axis", repr(name), f"another than {', '.join(RESERVED)}", "choose another name")
    if not given:
        raise Fault(f"axis {name}", "no keys", "a table of keys with their values", "give keys, or leave it out")
    listed = {key: _values(key, values) for key, values in given.items() if not _is_single(values)}
    if set(given) & {"from", "to", "points"}:
        limit = "a range { from = a, to = b, points = n }, or a table of keys"
        raise Fault(f"axis {name}", ", ".join(map(str, given)), limit, "give from, to and points, and nothing else")
    if not listed:
        limit = "a table with a list of values for at least one of its keys"
        raise Fault(f"axis {name}", ", ".join(given), limit, "give a list")
    lengths = {key: len(values) for key, values in listed.items()}
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{key}: {length}" for key, length in lengths.items())
        limit = "of as many values for each key, which vary together"
        raise Fault(f"axis {name}", counts, limit, "give as many of each, or make axes of their own of them")
    length = next(iter(lengths.values()))
    values = {key: listed.get(key, (one,) * length) for key, one in given.items()}
    _distinct(name, tuple(zip(*values.values(), strict=True)))
    return StudyAxis(name=name, values=values)


def _is_range(given: Any) -> bool:
    """Whether a table is a range, a misspelt or incomplete one too: keys of a case are none of its words."""
    return isinstance(given, Mapping) and not set(_RANGE).isdisjoint(given)


def _is_single(given: Any) -> bool:
    return isinstance(given, str | bool | int | float | np.number)


def _values(key: str, given: Any) -> tuple[Any, ...]:
    """Values of a key as plain numbers, texts and lists."""
    if _is_range(given):
        if set(given) != set(_RANGE):
            limit = "a range { from = a, to = b, points = n }"
            raise Fault(f"axis {key}", f"a table of {', '.join(given)}", limit, "give these three, and nothing else")
        first, last, points = (given[word] for word in _RANGE)
        Limits(quantity=f"points of the range of {key}", key="points", least=2, most=MOST_VALUES, whole=True).check(
            points, f"axis {key}"
        )
        for end in (first, last):
            Limits(quantity="end of the range", key=key).check(end, f"axis {key}")
        return tuple(np.linspace(first, last, points).tolist())
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple | range):
        limit = "a list of values, or a range { from = a, to = b, points = n }"
        raise Fault(f"axis {key}", described(given), limit, "give a list")
    values = tuple(value.item() if isinstance(value, np.generic) else value for value in given)
    if not values:
        raise Fault(f"axis {key}", "[]", "a list of at least one value", "give values, or leave the axis out")
    if None in values:
        raise Fault(f"axis {key}", "None", "a list of values that a case file can have", "leave None out")
    return values


def _distinct(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse a value that is there twice: it could not be chosen by its coordinate."""
    there: set[Any] = set()
    for value in values:
        same = repr(value) if isinstance(value, list | dict) else value  # what a set can hold
        if same in there:
            remedy = "leave one of them out (a decimal comma would make two numbers of one)"
            raise Fault(f"axis {name}", f"{value!r} twice", "a list of different values", remedy)
        there.add(same)
    return values


def tolerances_of(given: Mapping[str, Any]) -> Tolerances:
    """Read tolerances as a study file has them.

    Raises
    ------
    Fault
    """
    if not isinstance(given, Mapping):
        raise Fault("tolerances", described(given), "a mapping of keys to distributions", "give a mapping")
    settings = {name: given[name] for name in limits_of(Tolerances) if name in given}
    rest = {key: _distribution(key, one) for key, one in given.items() if key not in settings}
    return Tolerances(distributions=rest, **settings)


def _distribution(key: str, given: Any) -> tuple[str, float, float]:
    limit = "{ normal = [mean, standard deviation] } or { uniform = [least, most] }"
    if isinstance(given, Mapping) and len(given) == 1:
        ((kind, numbers),) = given.items()
        if kind in ("normal", "uniform") and isinstance(numbers, Sequence) and len(numbers) == 2:
            for number in numbers:
                Limits(quantity=f"tolerance of {key}", key=key).check(number, kind)
            return kind, float(numbers[0]), float(numbers[1])
    raise Fault(f"tolerance of {key}", described(given), limit, "give one of the two, with two numbers")
