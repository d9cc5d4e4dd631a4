"""Parameters that methods of :class:`alegear.Machine` hand on, with their types, for editors and type checkers.

They are those of the analyses named below, whose defaults and limits they have.
"""

from __future__ import annotations

from typing import Literal, Required, TypedDict


class StaticParameters(TypedDict, total=False):
    """Of :class:`alegear.MachineStatic`."""

    positions_per_pitch: int
    pitches: int
    mesh: str | None
    grid_estimate: bool


class ModalParameters(TypedDict, total=False):
    """Of :class:`alegear.ModalAnalysis`."""

    n_modes: int
    normal_modes: int
    phase: float | None


class DynamicParameters(TypedDict, total=False):
    """Of :class:`alegear.DynamicAnalysis`."""

    duration: Required[float]
    ramp: float
    tolerance: float
    time_step: float | None
    method: Literal["generalized-alpha", "hht", "backward-euler"]
    rho_inf: float
    mesh_damping_ratio: float
    tooth_change_threshold: float | None
    normal_modes: int
    modal_damping_ratio: float


class SweepParameters(DynamicParameters, total=False):
    """Of :class:`alegear.SweepAnalysis`."""

    output_every: float | None
    reversal_time: float | None
    settling: float
    pitches: int
    orders: int | None
    response: Literal["transient", "linearised", "both"]
    linear_speeds: int


class MotionParameters(DynamicParameters, total=False):
    """Of :class:`alegear.DynamicAnalysis`, :class:`alegear.RotationalMotion` or :class:`alegear.SpatialMotion`."""

    output_every: float | None
    longest_step: float | None
    stiff: bool
    begin: Literal["as given", "under load"]


class KinematicsParameters(TypedDict, total=False):
    """Of :class:`alegear.Kinematics`."""

    duration: Required[float]
    positions: int
