"""``[analysis]`` with ``kind = "dynamic"``: a motion in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from alegear.case.faults import Finding, Findings, shown
from alegear.case.tables import CaseFile, PartTable, limited, table_of
from alegear.contact.law import TOOTH_CHANGE
from alegear.errors import Fault
from alegear.limits import Limits, bound_in_words, bound_passed
from alegear.parameters import Words, check_parameters, limits_of
from alegear.short_repr import ShortRepr
from alegear.system.time_integration.generalized_alpha import SCHEMES

MOST_STEPS = 10_000_000
#: Samples of a motion in the time in which a tooth follows another, where a case does not say otherwise.
SAMPLES_PER_PERIOD = 100
# of each gear, where a case asks for the full inertia: they carry about a third of the deflection of a solid gear
FULL_MODES = 24
SECONDS: dict[str, Any] = {"unit": "s", "least": 1e-12, "most": 1e6}
DURATION = Limits(quantity="duration", key="duration_s", **SECONDS)
OUTPUT_EVERY = Limits(quantity="spacing of the output", key="output_every_s", **SECONDS)
TIME_STEP = Limits(quantity="fixed time step", key="time_step_s", **SECONDS)
TOLERANCE = Limits(quantity="relative error of a step", key="tolerance", least=1e-12, most=0.1)
RHO_INF = Limits(quantity="spectral radius at infinity", key="rho_inf", least=0.0, most=1.0)


@dataclass(frozen=True, kw_only=True)
class DynamicAnalysis(ShortRepr):
    """Motion in time: the driver's speed is prescribed, the driven gear carries the torque.

    Parameters
    ----------
    duration, ramp : float [s]
        A ramp of 0 starts at speed under the static load.
    tolerance : float [1]
        Relative error of a step; without effect with a fixed step.
    time_step : float or None [s]
        Fixed step; None: chosen from the tolerance.
    method : {"generalized-alpha", "hht", "backward-euler"}
    rho_inf : float [1]
        Spectral radius at infinite frequency; without effect on backward Euler.
    mesh_damping_ratio : float [1]
        Damping ratio of the pair's first mode.
    output_every : float or None [s]
        None: a hundredth of the time in which a tooth follows another, at the largest speeds.
    tooth_change_threshold : float or None [1]
        Phase modulo 1 of the tooth-change; None: chosen from the loads at rest.
    normal_modes : int
        Of each wheel, with their inertia; 0 drops the elastic inertia.
    modal_damping_ratio : float [1]
        Of each of them.

    Raises
    ------
    Fault
        For a value out of its range, spacings longer than the duration, and too many steps or samples.
    """

    kind: ClassVar[str] = "dynamic"
    sweeps: ClassVar[bool] = False  # only statistics over the speed are wanted
    straight: ClassVar[bool] = False  # whether a table of speeds runs straight between its points
    kept: ClassVar[tuple[str, ...] | None] = None  # names of what is kept of its samples; None: all
    kept_of_pair: ClassVar[tuple[str, ...] | None] = None  # likewise of a pair, with what its bearings do
    duration: Annotated[float, DURATION]
    ramp: Annotated[float, Limits(quantity="duration of the run-up", unit="s", least=0.0, most=1e6)] = 0.0
    tolerance: Annotated[float, TOLERANCE] = 1e-4
    time_step: Annotated[float | None, TIME_STEP] = None
    method: Annotated[Literal["generalized-alpha", "hht", "backward-euler"], Words("integration method")] = (
        "generalized-alpha"
    )
    rho_inf: Annotated[float, RHO_INF] = 0.8
    mesh_damping_ratio: Annotated[
        float,
        Limits(
            quantity="damping ratio of the mesh",
            words="damping ratio of the pair's first mode",
            least=0.0,
            most=1e3,
        ),
    ] = 0.02
    output_every: Annotated[
        float | None,
        replace(
            OUTPUT_EVERY,
            words="spacing of the output (a hundredth of the time in which a tooth follows another)",
        ),
    ] = None
    tooth_change_threshold: Annotated[float | None, TOOTH_CHANGE] = None
    normal_modes: Annotated[
        int,
        Limits(
            quantity="normal modes of each gear",
            key="normal_modes",
            least=0,
            most=400,
            whole=True,
        ),
    ] = 0
    modal_damping_ratio: Annotated[  # a choice, as are the other damping ratios: they are for experience to give
        float,
        Limits(quantity="damping ratio of each normal mode", least=0.0, most=1.0, below=True),
    ] = 0.01

    def __post_init__(self) -> None:
        check_parameters(self)
        least = SCHEMES[self.method].LEAST_RADIUS
        if self.method != "backward-euler" and self.rho_inf < least:
            limit = f'{bound_in_words("ge", least)} with method = "{self.method}"'
            raise Fault("rho_inf", self.rho_inf, limit, 'use 0.8, or method = "generalized-alpha"')
        check_spacings(self, ("ramp", "output_every", "time_step"), counted=("output_every", "time_step"))


def check_spacings(motion: Any, names: Sequence[str], *, counted: Sequence[str]) -> None:
    """Refuse times of a motion that are longer than its duration, and those of which it has too many.

    Parameters
    ----------
    motion : DynamicAnalysis or MotionInTime
    names, counted : sequence of str
        Fields that may not be longer; those among them of which a duration may not hold too many.

    Raises
    ------
    Fault
    """
    for name in names:
        value, limits = getattr(motion, name), limits_of(type(motion))[name]
        if value is not None and bound_passed("le", value, motion.duration):
            raise Fault(limits.name, value, f"at most duration_s = {motion.duration:g}", f"shorten {limits.key}")
    for name in counted:
        value, key = getattr(motion, name), limits_of(type(motion))[name].key
        if value is not None and motion.duration > MOST_STEPS * value:
            what, steps = f"number of steps {key} in duration_s", f"{motion.duration / value:.4g}"
            raise Fault(what, steps, f"at most {MOST_STEPS}", f"increase {key} or shorten duration_s")


class MotionTable(PartTable):
    """Keys of all motions besides those of their classes."""

    normal_modes: int | None = limited(
        replace(limits_of(DynamicAnalysis)["normal_modes"], least=1),
        'number of normal modes of each gear (24 with inertia = "full")',
        default=None,
    )
    inertia: Literal["simplified", "full"] = Field(
        default="simplified", description="inertia of the gears: without that of their deformation, or with it"
    )

    def others(self, file: CaseFile) -> dict[str, Any]:
        """Return the number of normal modes, 0 without elastic inertia; see :meth:`PartTable.others`."""
        full, modes = self.inertia == "full", self.given.get("normal_modes")
        if modes is not None and not full and "inertia" in self.model_fields_set:
            file.fault("analysis.normal_modes", shown(modes), 'excludes inertia = "simplified"', 'write "full"')
        modes = FULL_MODES * full if modes is None else modes
        for finding in settings_without_effect(self.given, modes):
            file.fault(*finding)
        return {"normal_modes": modes}


class DynamicTable(MotionTable, table_of(DynamicAnalysis)):  # type: ignore[misc]
    """``[analysis]`` with ``kind = "dynamic"``."""

    kind: Literal["dynamic"] = Field(description="kind of analysis")


def settings_without_effect(given: Mapping[str, Any], normal_modes: int) -> Findings:
    """Refuse settings of a motion that would be ignored, of the keys that are given with their values."""
    if given.get("method") == "backward-euler" and "rho_inf" in given:
        limit = f'has no effect with method = "{given["method"]}"'
        yield Finding("analysis.rho_inf", shown(given["rho_inf"]), limit, "leave it out")
    if {"time_step_s", "tolerance"} <= given.keys():
        limit = "excludes tolerance: a fixed step is not controlled"
        yield Finding("analysis.time_step_s", shown(given["time_step_s"]), limit, "leave out one of the two")
    if not normal_modes and "modal_damping_ratio" in given:
        key, value = "analysis.modal_damping_ratio", shown(given["modal_damping_ratio"])
        yield Finding(key, value, "has no effect without normal modes", 'write inertia = "full"')
