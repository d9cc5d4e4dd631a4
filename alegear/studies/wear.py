"""Wear quantities of the studies of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alegear.case.analysis import StaticAnalysis
from alegear.case.case import Case
from alegear.contact.numbering import loaded_flank
from alegear.contact.wear import FlankSliding
from alegear.results.wear import Wear, wear_dataset

if TYPE_CHECKING:
    import xarray as xr


def wear_of(case: Case) -> Wear:
    """How the wear quantities of a case follow from its contact.

    Of a static study with a speed of the pinion its gears turn at nominal speeds; without one only the specific
    sliding is told.
    """
    heat = [material.thermal_contact for material in case.materials]
    spread = [material.diffusivity for material in case.materials]
    sliding = FlankSliding(
        pair=case.pair,
        friction=case.friction,
        conditions=case.wear,
        thermal_contact=_both(heat),
        diffusivity=_both(spread),
        flank=loaded_flank(case.operation.driver, case.operation.pinion_torque),
    )
    speed = case.operation.pinion_speed
    if not isinstance(case.analysis, StaticAnalysis) or not speed:
        return Wear(sliding=sliding)
    return Wear(sliding=sliding, speed=(speed, speed * case.pair.pinion.z / abs(case.pair.wheel.z)))


def _both(values: list[float | None]) -> tuple[float, float] | None:
    """Return the two, None where one is not known."""
    first, second = values
    return None if first is None or second is None else (first, second)


def wear_quantities(case: Case, dataset: xr.Dataset, part: slice = slice(None)) -> xr.Dataset:
    """Return sliding and rolling velocities, specific sliding, pressure times velocity and flash temperature.

    Where flanks touch, at the positions or times in `part`. The result of a motion has only their largest values over
    the flank; this function returns them over time.

    Parameters
    ----------
    case : Case
        Whose result it is; of a mesh of a machine ``case.pair_case(case.layout.place(name))``.
    dataset : xarray.Dataset
        Of a static or dynamic study, dimensions ``position`` or ``time``.
    part : slice
        Of the positions or times.

    Raises
    ------
    Fault
        If the dataset is of something else.

    Examples
    --------
    >>> import alegear as ag
    >>> case = ag.Case.from_toml("meshes/spur_13_97_dynamic.toml")  # doctest: +SKIP
    >>> result = ag.run(case)  # doctest: +SKIP
    >>> last = ag.wear_quantities(case, result.dataset, slice(-100, None))  # doctest: +SKIP
    >>> float(last["pressure_velocity"].max()) * 1e-6  # MPa m/s  # doctest: +SKIP
    """
    return wear_dataset(wear_of(case), dataset, part)
