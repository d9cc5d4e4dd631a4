"""One gear pair at several fidelities: a level each, and in which limits a level becomes the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from alegear.arrays import Array, Indices
from alegear.results import signals

#: What a level does not have.
NONE = "none"
_UM, _PERCENT, _MILLI = 1e6, 100.0, 1e3


@dataclass(frozen=True, kw_only=True, eq=False)
class FidelityLevel:
    """A gear pair with one law of its mesh.

    Attributes
    ----------
    fidelity : str
    takes : str
        What it has taken from other levels; empty: nothing.
    transmission_error : shape (n,) [m]
        Driven gear minus driver along the line of action, negative under load.
    mesh_stiffness : shape (n,) or None [N/m]
        Tangent under the load; None: it has none.
    force : shape (n,) [N]
        Of the mesh, in the transverse section along the line of action.
    tooth_load : shape (n, n_pairs) or None [N]
        Parts of it that the tooth pairs carry; None: the level knows no single pairs.
    pairs : shape (n_pairs,) or None
        Numbers of the pairs, 0 the one at the pitch point where the phase is 0.
    loss : float or None [1]
        Part of the power put in that is lost in a pitch of motion; None: the level has no losses.
    preparation : float [s]
        Processor time until it could be solved: of grids and their reduction, or nothing.
    per_position : float [s]
        Processor time of an equilibrium.
    per_motion : float [1]
        Processor time of a second of motion.
    """

    fidelity: str
    takes: str
    transmission_error: Array
    mesh_stiffness: Array | None
    force: Array
    tooth_load: Array | None
    pairs: Indices | None
    loss: float | None
    preparation: float
    per_position: float
    per_motion: float

    @property
    def largest_share(self) -> float | None:
        """Largest part of the force that one tooth pair carries."""
        return None if self.tooth_load is None else float((self.tooth_load.max(axis=1) / self.force).max())

    @property
    def least_share(self) -> float | None:
        """Part that the most loaded pair carries where the load is shared best."""
        return None if self.tooth_load is None else float((self.tooth_load.max(axis=1) / self.force).min())


@dataclass(frozen=True, kw_only=True, eq=False)
class FidelityLimit:
    """A limit in which a level becomes another one: what is left between both while a parameter goes there.

    Attributes
    ----------
    level, becomes : str
        The level with more in it, and the one that it becomes.
    quantity : str
        That is compared.
    parameter : str
        What goes to its limit.
    values : sequence of float
        Of it, one after the other.
    differences, bounds : sequence of float [1]
        At these values, over the quantity.
    reason : str
        Of the bounds.
    """

    level: str
    becomes: str
    quantity: str
    parameter: str
    values: Sequence[float]
    differences: Sequence[float]
    bounds: Sequence[float]
    reason: str

    @property
    def holds(self) -> bool:
        """Whether all differences are within their bounds."""
        return bool(np.all(np.abs(self.differences) <= np.asarray(self.bounds)))


@dataclass(frozen=True, kw_only=True, eq=False)
class FidelityComparison:
    """What :func:`alegear.compare_fidelities` returns; printed it is its tables.

    Attributes
    ----------
    title : str
    phase : shape (n,) [1]
        Of the driven gear at the positions, in pitches.
    torque : float [N m], speed : float [rad/s]
        Of the pinion.
    friction : float
        Coefficient of friction of the teeth.
    levels : sequence of FidelityLevel
    limits : sequence of FidelityLimit
    """

    title: str
    phase: Array
    torque: float
    speed: float
    friction: float
    levels: Sequence[FidelityLevel]
    limits: Sequence[FidelityLimit] = ()

    def __getitem__(self, fidelity: str) -> FidelityLevel:
        """The level of a name.

        Raises
        ------
        KeyError
        """
        for level in self.levels:
            if level.fidelity == fidelity:
                return level
        raise KeyError(fidelity)

    def __str__(self) -> str:
        tables = [self.title, self.table()] + ([self.table_of_limits()] if self.limits else [])
        return "\n\n".join(tables)

    def table(self) -> str:
        """Rows of the levels, as Markdown."""
        levels = self.levels
        errors = [_UM * level.transmission_error for level in levels]
        return _markdown(
            {
                "fidelity": [level.fidelity for level in levels],
                "transmission error, mean [um]": [_shown(signals.mean(error), ".3f") for error in errors],
                "peak to peak [um]": [_shown(signals.peak_to_peak(error), ".3f") for error in errors],
                "mesh stiffness, mean (least to largest) [N/um]": [_range(one.mesh_stiffness, 1e-6) for one in levels],
                "most loaded pair, least to largest [%]": [_of_pair(level) for level in levels],
                "lost [%]": [_shown(level.loss, ".3f", _PERCENT) for level in levels],
                "preparation [s]": [_shown(level.preparation, ".2g") for level in levels],
                "for a position [ms]": [_shown(level.per_position, ".2g", _MILLI) for level in levels],
                "for 1 ms of motion [ms]": [_shown(level.per_motion, ".2g") for level in levels],
                "taken from others": [level.takes or NONE for level in levels],
            }
        )

    def table_of_limits(self) -> str:
        """Rows of the limits, as Markdown."""
        limits = self.limits
        return _markdown(
            {
                "level": [limit.level for limit in limits],
                "becomes": [limit.becomes for limit in limits],
                "quantity": [limit.quantity for limit in limits],
                "parameter": [limit.parameter for limit in limits],
                "its values": [_several(limit.values, ".4g") for limit in limits],
                "difference": [_several(limit.differences, ".2g") for limit in limits],
                "bound": [_several(limit.bounds, ".2g") for limit in limits],
                "because": [limit.reason for limit in limits],
            }
        )


def _of_pair(level: FidelityLevel) -> str:
    least, largest = level.least_share, level.largest_share
    return NONE if least is None or largest is None else f"{_PERCENT * least:.1f} to {_PERCENT * largest:.1f}"


def _range(values: Array | None, factor: float) -> str:
    if values is None:
        return NONE
    return f"{factor * values.mean():.1f} ({factor * values.min():.1f} to {factor * values.max():.1f})"


def _shown(value: float | None, form: str, factor: float = 1.0) -> str:
    return NONE if value is None else format(factor * value + 0.0, form)


def _several(values: Sequence[float], form: str) -> str:
    return ", ".join(format(float(value), form) for value in values)


def _markdown(columns: Mapping[str, Sequence[str]]) -> str:
    rows = [columns, ["---"] * len(columns), *zip(*columns.values(), strict=True)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
