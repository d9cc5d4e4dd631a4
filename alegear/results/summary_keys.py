"""Keys of ``summary.json`` with their types: what :attr:`alegear.Result.summary` holds, for editors and type checkers.

Units are in the keys. A summary has the keys of its study; what was asked for and could not be computed is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, TypedDict, Union, get_args, get_origin, get_type_hints

#: Entries of parts, meshes ... by their names.
Table = dict[str, Any]
#: A number of pinion and wheel.
OfGears = dict[str, float]


class RunKeys(TypedDict, total=False):
    """Of every study."""

    analysis: str
    complete: bool
    version: str
    case_sha256: str
    contact_law: str
    warnings: list[str]
    seconds: dict[str, float]
    #: Upper bound of what the arrays took, known before the reduction.
    memory_estimate_MB: float
    dof_full: int
    dof_boundary: int
    window_pairs: int
    #: None of a segment of teeth, which has no tooth-change.
    tooth_change_threshold: float | None
    #: By how much the grids through scattered points of measured flanks may be off.
    topography_error_um: OfGears
    #: Time at which a motion went on from a checkpoint.
    resumed_at_s: float


class PairKeys(RunKeys, total=False):
    """Of a pair at rest and in motion."""

    te_mean_um: float
    te_peak_to_peak_um: float
    #: None beyond what the positions resolve.
    te_harmonics_um: list[float | None]
    #: Change of the peak-to-peak error on half the elements and slices.
    te_peak_to_peak_grid_um: float | None
    mesh_stiffness_mean_N_per_um: float
    mesh_stiffness_min_N_per_um: float
    mesh_stiffness_max_N_per_um: float
    #: c_gamma_alpha times face width, with the moduli of both gears; None where its formula has no answer.
    mesh_stiffness_iso_6336_N_per_um: float | None
    #: Of the mean mesh stiffness at rest, under the load.
    mesh_stiffness_over_iso_6336: float | None
    #: By which the rim of a gear turns and shifts about its bore.
    body_deflection_share: OfGears
    #: Circumferential backlash at the working pitch circles and normal backlash of the gears at rest without load.
    j_wt_um: float
    j_bn_um: float
    contact_ratio_nominal: float
    contact_ratio_tip_circles: float
    contact_ratio_total: float
    contact_ratio_loaded: float
    face_load_factor: float
    tooth_load_max_N: float
    thrust_max_N: float
    contact_pressure_max_MPa: float
    #: None of both by the law "penalty", which does not give the width of the contact.
    edge_pressure_max_MPa: float | None
    contact_shear_stress_max_MPa: float | None
    #: Signed principal stress: largest on the tension side, smallest on the compression side.
    root_stress_principal_max_MPa: dict[str, OfGears]
    #: By von Mises.
    root_stress_max_MPa: dict[str, OfGears]
    #: By von Mises, of a tip edge that presses beside the root: no bending, and as the grid has it. None: none does.
    root_contact_stress_max_MPa: dict[str, dict[str, float | None]]
    root_stress_range_MPa: Table | None
    root_stress_amplitude_MPa: Table | None
    root_stress_mean_MPa: Table | None
    #: Endurance over what is as severe in the fillet, and over the flank pressure, of materials that give it.
    root_safety: dict[str, float | None]
    contact_safety: dict[str, float | None]
    point_stress_max_MPa: OfGears
    #: Largest sliding over the own rolling velocity of a flank that touches, negative: on its dedendum.
    specific_sliding_extreme: dict[str, float | None]
    sliding_velocity_max_m_per_s: float | None
    pressure_velocity_max_MPa_m_per_s: float | None
    #: Phase or time, pair, slice, roll length and diameters.
    pressure_velocity_max_at: Table | None
    flash_temperature_max_K: float | None
    flash_temperature_max_at: Table | None
    flash_temperature_peclet: float | None
    contact_temperature_max_C: float | None
    power_loss_mean_W: float | None
    efficiency: float | None


class ModalKeys(PairKeys, total=False):
    """Of a modal study."""

    phase: float | None
    mesh_natural_frequency_Hz: float
    mesh_natural_frequency_fixed_axes_Hz: float
    mesh_natural_frequency_free_Hz: float
    mesh_stiffness_N_per_um: float
    pair_frequency_Hz: list[float]
    held_frequency_Hz: dict[str, list[float]]
    held_nodal_diameter: dict[str, list[int]]
    free_frequency_Hz: dict[str, list[float]]
    free_nodal_diameter: dict[str, list[int]]
    #: Of a machine, standing still and undamped; turning and damped.
    modes: list[Table]
    turning_modes: list[Table]


class AxesKeys(ModalKeys, total=False):
    """Of a study over named axes."""

    title: str
    #: Number of values by axis.
    axes: dict[str, int]
    points: int
    failed: int
    computed_before: int
    #: Points that are to be read with caution.
    warned: int
    #: What the study file asks for: arguments of ``optimum``, ``harris_map``, and a list of those of ``pareto``.
    requested: Table


#: Largest responses of a sweep over each direction of the speed; no names that a class could have.
DirectionKeys = TypedDict("DirectionKeys", {"run-up": Table, "run-down": Table}, total=False)


class SweepKeys(DirectionKeys, total=False):
    """Of a sweep."""

    #: By order, of a machine by mesh before.
    linear: Table
    #: Duration of a run-up over the range that follows the linearised response within 10 %, 0 without a resonance.
    run_up_needed_s: float
    natural_frequency_Hz: list[float]
    #: Of a machine, by mesh and direction.
    nonlinear_ranges: Table


class Summary(AxesKeys, SweepKeys, total=False):
    """All keys; of a machine the numbers of its parts by their names."""

    machine: bool
    rotational: bool
    spatial: bool
    shafts: Table
    gears: Table
    meshes: Table
    bearings: Table
    bodies: Table
    parts: Table
    switches: Table
    joints: Table
    bushings: Table
    point_springs: Table
    energy: dict[str, float]
    counts: dict[str, int]
    events: int
    samples: int


def odd_key(summary: Mapping[str, Any]) -> str | None:
    """Return a key that readers of every result rely on and whose value is of another type; None if there is none."""
    kinds = _relied_on()
    odd = (key for key, kind in kinds.items() if key in summary and not _fits(summary[key], kind))
    return next(odd, None) or (None if "complete" in summary else "complete")


@cache
def _relied_on() -> dict[str, Any]:
    """Types of the keys of every study, of those of studies over axes, and of the tables of a machine."""
    hints = get_type_hints(Summary)
    return {key: hints[key] for key in (*get_type_hints(RunKeys), *AxesKeys.__annotations__, *Summary.__annotations__)}


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value that was JSON is of a type."""
    if kind is Any:
        return True
    if get_origin(kind) in (Union, UnionType):
        return any(_fits(value, one) for one in get_args(kind))
    if get_origin(kind) is list:
        return isinstance(value, list) and all(_fits(one, get_args(kind)[0]) for one in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(_fits(one, get_args(kind)[1]) for one in value.values())
    if kind in (int, float):
        return isinstance(value, int | kind) and not isinstance(value, bool)
    return isinstance(value, kind)
