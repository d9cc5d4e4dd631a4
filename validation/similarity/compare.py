"""Two similar cases side by side: numbers of their results, and what they are warned of."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scaling import ENDS, Scale, deviates, dimension, end_of

import alegear as ag
from alegear.case.case import Case
from alegear.case.machine import MachineCase
from alegear.case.tables import is_machine, read_tables
from alegear.errors import AnalysisFailure, Fault
from alegear.fe.material import STEEL

#: Numbers of a summary that are no quantities of the machine, and shares of energy: of modes that are as high as
#: others, as planets that are equal have, any combination is one. Where the largest value is, of slices that are alike,
#: is decided by round-off.
OF_THE_PROGRAM = (
    "version", "seconds", "time_s", "sha256", "memory", "title", "warnings", "digest", "duration", "case", "_MB", "cpu",
    "counts", "missing",
    "energy_share", "_max_at",
)  # fmt: skip
#: Of a mode, known up to a factor. Its largest coordinate is 1, metres and radians together, so that what others are
#: beside it depends on the size: displacements are compared among each other, and rotations.
SHAPES = ("displacement", "tilt", "rotation", "member_displacement", "member_tilt", "member_rotation")
STILL = 1e-7  # of the largest coordinate: what is smaller does not move
#: Of the largest value with the same unit: what is smaller counts as a part of that, for it has its round-off: 1e-9 of
#: it is 1e-14, the bound n u of the backward error of an elimination of n = 90 unknowns (Higham, Accuracy and Stability
#: of Numerical Algorithms (2002), theorem 9.3); machines here have up to 118. Energies are terms of one balance.
NOISE, NOISE_OF_ENERGY = 1e-5, 1.0
#: Backlashes are what is left of centre distances and tooth thicknesses, and have the round-off of these.
LEFT_OF_DIMENSIONS = ("j_bn_um", "j_wt_um")
ALIKE = 1e-6  # values of a shape that differ by less are equally large

ALL_OF_STEEL = {
    "youngs_modulus_GPa": STEEL["E"] * 1e-9,
    "poisson_ratio": 0.3,
    "density_kg_m3": STEEL["rho"],
    "yield_strength_MPa": STEEL["yield_strength"] * 1e-6,
    "thermal_conductivity_W_per_mK": STEEL["conductivity"],
    "specific_heat_J_per_kgK": STEEL["specific_heat"],
    "contact_strength_MPa": STEEL["contact_strength"] * 1e-6,
    "root_strength_MPa": STEEL["root_strength"] * 1e-6,
}
"""Every property of a material: of another modulus none is known that is not given."""


@dataclass
class Answer:
    """What a case came to."""

    numbers: dict[str, tuple[Any, str]] = field(default_factory=dict)  # name -> value or array, unit
    warnings: list[str] = field(default_factory=list)


def tables(path: Path, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Tables of a case file with other values of some dotted keys, and with its material in full."""
    raw = copy.deepcopy(read_tables(path))
    for key, value in (changes or {}).items():
        *within, last = key.split(".")
        at = raw
        for part in within:
            at = at.setdefault(part, {})
        if value is None:
            at.pop(last, None)
        else:
            at[last] = value
    if not is_machine(raw) or "gears" in raw or "shafts" in raw or "planetary" in raw:
        raw["material"] = {**ALL_OF_STEEL, **raw.get("material", {})}
    return raw


def case_of(raw: dict[str, Any], path: Path) -> Case | MachineCase:
    """Make the case of tables."""
    return MachineCase.from_tables(raw, path) if is_machine(raw) else Case.from_tables(raw, path)


def checked(case: Case | MachineCase) -> Answer:
    """What ``alegear check`` tells."""
    if isinstance(case, Case):
        from alegear.checks.gear_data import gear_data

        data = gear_data(case)
    elif case.in_space:
        from alegear.checks.rigid_data import spatial_data

        data = spatial_data(case)
    else:
        from alegear.checks.machine_data import machine_data
        from alegear.checks.rigid_data import rotational_data

        data = {**(rotational_data(case) if case.is_torsional else {}), **machine_data(case)}
    return Answer(numbers=dict(_numbers(data)), warnings=list(data["warnings"]))


def ran(case: Case | MachineCase) -> Answer:
    """What ``alegear run`` computes: the summary and all curves."""
    result = ag.run(case)
    found = dict(_numbers(result.summary))
    for name, variable in {**result.dataset.data_vars, **result.dataset.coords}.items():
        values = np.asarray(variable.values)
        if name == "roll":  # of gears an angle, of racks a length
            continue
        if values.dtype.kind in "fc" and values.size and not any(word in name for word in OF_THE_PROGRAM):
            if name in SHAPES and variable.dims[0] == "mode":
                values = _up_to_a_factor(values)
            found[f"curves.{name}"] = (values, str(variable.attrs.get("units", "1")))
    return Answer(numbers=found, warnings=list(result.summary.get("warnings", [])))


def _up_to_a_factor(shapes: np.ndarray) -> np.ndarray:
    """Shapes (n_modes, ...) by their largest value, with its sign; 0 where nothing moves."""
    flat = shapes.reshape(len(shapes), -1)
    sizes = np.abs(flat)
    first = (sizes >= (1.0 - ALIKE) * sizes.max(axis=1, initial=0.0)[:, None]).argmax(axis=1)
    largest = np.take_along_axis(flat, first[:, None], axis=1)
    moves = np.abs(largest) > STILL
    return np.where(moves, flat / np.where(moves, largest, 1.0), 0.0).reshape(shapes.shape)


def refused(error: Fault | AnalysisFailure) -> Answer:
    """A case that is refused: what it is told counts as a warning."""
    faults = getattr(error, "faults", None)
    lines = [str(fault).partition(": ")[2] for fault in faults] if faults else [str(error)]
    return Answer(warnings=[f"{type(error).__name__}: {line}" for line in lines])


def response(kind: str, raw: dict[str, Any], path: Path) -> Answer:
    """Check or run the case of tables, whatever it comes to."""
    try:
        case = case_of(raw, path)
        return checked(case) if kind == "check" else ran(case)
    except (Fault, AnalysisFailure) as error:
        return refused(error)


def _numbers(data: Any, name: str = "", unit: str = "") -> Iterator[tuple[str, tuple[Any, str]]]:
    """Numbers of nested tables with the units at the ends of their names."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if any(word in str(key) for word in OF_THE_PROGRAM):
                continue
            end = "m_s2" if key == "rolling" else end_of(str(key))
            yield from _numbers(value, f"{name}.{key}" if name else str(key), ENDS[end][0] if end else unit)
    elif isinstance(data, list | tuple) and data and all(_is_number(one) for one in data):
        yield name, (np.array(data, dtype=float), unit or "1")
    elif isinstance(data, list | tuple):
        for number, value in enumerate(data):
            yield from _numbers(value, f"{name}[{number}]", unit)
    elif _is_number(data):
        yield name, (float(data), unit or "1")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass
class Difference:
    """How far a scaled case is off."""

    worst: float = 0.0
    quantity: str = ""
    messages: list[str] = field(default_factory=list)


def difference(one: Answer, other: Answer, scale: Scale) -> Difference:
    """Compare the answer of a scaled case with that of the case itself."""
    found = Difference()
    largest: dict[str, float] = {}
    for value, unit in one.numbers.values():
        size = _largest(value)
        largest[unit] = max(largest.get(unit, 0.0), size)
    # speeds and accelerations of what stands still are round-off of what turns and of what deforms
    turning = max(largest.get("rad/s", 0.0), 0.1 * largest.get("rpm", 0.0))
    largest["m/s"] = max(largest.get("m/s", 0.0), 1e-3 * largest.get("mm", 0.0) * turning)
    largest["m/s2"] = max(largest.get("m/s2", 0.0), largest["m/s"] * turning)
    for name in one.numbers.keys() ^ other.numbers.keys():
        found.worst, found.quantity = math.inf, f"{name} in one of both"
    for name in one.numbers.keys() & other.numbers.keys():
        (a, unit), (b, _) = one.numbers[name], other.numbers[name]
        part = NOISE_OF_ENERGY if unit == "J" else NOISE
        size = largest[unit]
        if name.endswith(LEFT_OF_DIMENSIONS):
            size = max(size, 1e3 * largest.get("mm", 0.0), 1e6 * largest.get("m", 0.0))
        off = _off(np.asarray(a), np.asarray(b), scale.of_dimension(dimension(unit)), part * size)
        if not off <= found.worst:
            found.worst, found.quantity = off, name
    found.messages = list(_unlike(one.warnings, other.warnings, scale))
    return found


def _largest(value: Any) -> float:
    values = np.abs(np.asarray(value, dtype=float))
    return float(np.nanmax(values, initial=0.0, where=np.isfinite(values)))


def _off(a: Any, b: Any, factor: float, floor: float) -> float:
    """Largest difference over the largest value; infinite where the shape or what is not told differs."""
    if a.shape != b.shape or (np.isfinite(a) != np.isfinite(b)).any():
        return math.inf
    there = np.isfinite(a)
    size = max(float(np.abs(a[there]).max(initial=0.0)), floor)
    return 0.0 if size == 0.0 else float(np.abs(b[there] / factor - a[there]).max(initial=0.0)) / size


def _unlike(one: list[str], other: list[str], scale: Scale) -> Iterator[str]:
    """Messages without their like."""
    left = list(other)
    for message in one:
        verdicts = [deviates(message, candidate, scale) for candidate in left]
        if "" in verdicts:
            left.pop(verdicts.index(""))
        else:
            near = next(
                (words for words, candidate in zip(verdicts, left, strict=True) if candidate[:12] == message[:12]), ""
            )
            if near:
                left = [candidate for candidate in left if candidate[:12] != message[:12]]
            yield near or f"only without the scale: {message!r}"
    for message in left:
        yield f"only with the scale: {message!r}"
