"""Many microgeometries, alignments and torques of one static case, on one grid and one reduction.

:func:`alegear.study` does the same by keys of the case file, over named axes; here variants are objects.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from alegear.case.analysis import StaticAnalysis
from alegear.case.case import Case
from alegear.errors import AnalysisFailure, Fault
from alegear.geometry.alignment import Alignment
from alegear.geometry.microgeometry import Microgeometry
from alegear.limits import check_kind, described
from alegear.progress import Progress, Silent
from alegear.results.dataset import Identity
from alegear.results.variation_result import variation_dataset
from alegear.short_repr import ShortRepr
from alegear.studies.varied_pairs import WORKERS, positions_of, solve_varied

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, kw_only=True, eq=False)
class Variant(ShortRepr):
    """What differs from the case; None: as in the case.

    Parameters
    ----------
    pinion, wheel : Microgeometry or None
        In place of the whole microgeometry of the gear.
    alignment : Alignment or None
        In place of that of the case.
    pinion_torque : float or None [N m]
        Of the same sign as that of the case: the reduction holds the flanks which that one loads.
    label : str
        Name in the result; empty: its number.
    """

    pinion: Microgeometry | None = None
    wheel: Microgeometry | None = None
    alignment: Alignment | None = None
    pinion_torque: float | None = None
    label: str = ""


def variants_of(
    *,
    pinion: Iterable[Microgeometry | None] = (None,),
    wheel: Iterable[Microgeometry | None] = (None,),
    alignment: Iterable[Alignment | None] = (None,),
    pinion_torque: Iterable[float | None] = (None,),
) -> list[Variant]:
    """Combine every value with every other, the last one named running fastest.

    Raises
    ------
    Fault
        For an argument that is no list.

    Examples
    --------
    >>> [v.pinion_torque for v in variants_of(pinion_torque=(100.0, 200.0))]
    [100.0, 200.0]
    """
    lists = {"pinion": pinion, "wheel": wheel, "alignment": alignment, "pinion_torque": pinion_torque}
    for name, values in lists.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise Fault(name, described(values), "a list of values", "put a single one in brackets")
    return [
        Variant(pinion=p, wheel=w, alignment=a, pinion_torque=t)
        for p, w, a, t in itertools.product(pinion, wheel, alignment, pinion_torque)
    ]


def vary(
    case: Case,
    variants: Iterable[Variant],
    *,
    root_stress: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> xr.Dataset:
    """Compute variants of a static case on one mesh and one reduction.

    Parameters
    ----------
    case : Case
        Static, with the contact law ``hertz``; its positions are those of every variant.
    variants : iterable of Variant
    root_stress : bool
        Whether to compute the stress in the roots, which costs as much again.
    workers : int, optional
        Processes; default: one a core. The result does not depend on it.
    progress : Progress, optional

    Returns
    -------
    xarray.Dataset
        Dimension ``variant``, see :data:`alegear.results.variables.VARIATION`: the curves
        ``transmission_error`` and ``mesh_stiffness`` over ``position``, and by variant mean, peak to peak and harmonics
        of the transmission error, mean mesh stiffness, loaded contact ratio, largest tooth load and contact pressure,
        face load factor, and with `root_stress` the largest stress by gear and side. A variant that cannot be computed
        is NaN and says why in ``failure``, one with a torque that loads the other flanks too; ``variant_sha256`` is the
        digest of the case that was computed; ``warnings`` holds what a run of that case warns of, but for its estimate
        by a second grid and wear, and without `root_stress` for tip edges that press beside the roots.

    Raises
    ------
    Fault
        For a case that is not static or has another law, and for no variants or something else in their place.
    AnalysisFailure
        If no variant could be computed.

    Examples
    --------
    >>> import alegear as ag
    >>> case = ag.Case.from_toml("meshes/spur_20_30.toml")  # doctest: +SKIP
    >>> data = ag.vary(case, [ag.Variant(pinion_torque=t) for t in (100.0, 200.0)])  # doctest: +SKIP
    >>> data["te_peak_to_peak"].values  # doctest: +SKIP
    """
    variants = _checked(case, variants, workers)
    assert isinstance(case.analysis, StaticAnalysis)  # as that says
    progress = progress or Silent()
    cases: list[Case | str] = [_case_of(case, variant) for variant in variants]
    if all(isinstance(of, str) for of in cases):
        raise _all_failed([str(of) for of in cases])
    points = solve_varied(cases, root_stress=root_stress, workers=workers, progress=progress)
    if all(point.row is None for point in points):
        raise _all_failed([point.failure for point in points])
    return variation_dataset(
        positions_of(case.analysis),
        points,
        Identity(title=case.title, case_sha256=case.sha256),
        labels=[variant.label or str(i) for i, variant in enumerate(variants)],
        torques=[_asked_for(case, variant) for variant in variants],
        digests=["" if isinstance(of, str) else of.sha256 for of in cases],
    )


# -------------------------------------------------------------------- input
def _checked(case: Case, variants: Iterable[Variant], workers: int | None) -> list[Variant]:
    if not isinstance(case, Case):
        raise Fault("case", described(case), "a Case", 'give ag.Case.from_toml("case.toml")')
    if not isinstance(case.analysis, StaticAnalysis):
        raise Fault("analysis kind", case.analysis.kind, "static for a variation", 'use a case with kind = "static"')
    if case.law != "hertz":
        raise Fault("contact law", case.law, '"hertz" for a variation', 'set law = "hertz" in [contact]')
    if not isinstance(variants, Iterable):
        raise Fault("variants", described(variants), "a list of Variant", "give the variants to compute")
    variants = list(variants)
    for number, variant in enumerate(variants):
        check_kind(variant, f"variants[{number}]", Variant)
    if not variants:
        raise Fault("number of variants", 0, "at least 1", "give the variants to compute")
    WORKERS.check(workers, "workers")
    return variants


def _asked_for(case: Case, variant: Variant) -> float:
    """Torque of a variant, possible or not [N m]; NaN for what is no number."""
    torque = case.operation.pinion_torque if variant.pinion_torque is None else variant.pinion_torque
    return float(torque) if isinstance(torque, int | float | np.number) else math.nan


def _case_of(case: Case, variant: Variant) -> Case | str:
    """The case of a variant, or why there is none."""
    try:
        pair = case.pair if variant.alignment is None else case.pair.with_alignment(variant.alignment)
        pair = pair.with_microgeometry(variant.pinion, variant.wheel)
        torque = case.operation.pinion_torque if variant.pinion_torque is None else variant.pinion_torque
        varied = replace(case, pair=pair, operation=replace(case.operation, pinion_torque=torque))
    except Fault as fault:
        return str(fault)
    if torque * case.operation.pinion_torque < 0.0:
        sign = "above" if case.operation.pinion_torque > 0.0 else "below"
        limit = f"{sign} 0 like that of the case: the reduction holds the flanks that one loads"
        remedy = "vary the other flanks with a case whose pinion_torque_Nm has the other sign"
        return str(Fault("pinion torque of a variant [N m]", torque, limit, remedy))
    return varied


def _all_failed(failures: Sequence[str]) -> AnalysisFailure:
    return AnalysisFailure(f"none of {len(failures)} variants could be computed; the first: {failures[0]}")
