"""``[analysis]`` with ``kind = "dynamic"``: a motion in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.faults import Finding, Findings, shown
from alegear.case.schema import Table, limited
from alegear.case.static import StaticAnalysis
from alegear.dynamics.generalized_alpha import SCHEMES
from alegear.errors import Fault
from alegear.limits import Limits, bound_in_words, bound_passed, check_choice, check_numbers
from alegear.short_repr import ShortRepr

MOST_STEPS = 10_000_000
#: Samples of a motion in the time in which a tooth follows another, where a case does not say otherwise.
SAMPLES_PER_PERIOD = 100
# of each gear, where a case asks for the full inertia: they carry about a third of the deflection of a solid gear
FULL_MODES = 24
SECONDS: dict[str, Any] = {"unit": "s", "least": 1e-12, "most": 1e6}


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

    LIMITS: ClassVar[dict[str, Limits]] = {
        "duration": Limits(quantity="duration", key="duration_s", **SECONDS),
        "ramp": Limits(quantity="duration of the run-up", key="ramp_s", unit="s", least=0.0, most=1e6),
        "tolerance": Limits(quantity="relative error of a step", key="tolerance", least=1e-12, most=0.1),
        "time_step": Limits(quantity="fixed time step", key="time_step_s", optional=True, **SECONDS),
        "rho_inf": Limits(quantity="spectral radius at infinity", key="rho_inf", least=0.0, most=1.0),
        "mesh_damping_ratio": Limits(
            quantity="damping ratio of the mesh", key="mesh_damping_ratio", least=0.0, most=1e3
        ),
        "output_every": Limits(quantity="spacing of the output", key="output_every_s", optional=True, **SECONDS),
        "tooth_change_threshold": StaticAnalysis.LIMITS["tooth_change_threshold"],
        "normal_modes": Limits(quantity="normal modes of each gear", key="normal_modes", least=0, most=400, whole=True),
        "modal_damping_ratio": Limits(
            quantity="damping ratio of each normal mode", key="modal_damping_ratio", least=0.0, most=1.0, below=True
        ),
    }
    kind: ClassVar[str] = "dynamic"
    sweeps: ClassVar[bool] = False  # only statistics over the speed are wanted
    straight: ClassVar[bool] = False  # whether a table of speeds runs straight between its points
    kept: ClassVar[tuple[str, ...] | None] = None  # names of what is kept of its samples; None: all
    kept_of_pair: ClassVar[tuple[str, ...] | None] = None  # likewise of a pair, with what its bearings do
    duration: float
    ramp: float = 0.0
    tolerance: float = 1e-4
    time_step: float | None = None
    method: Literal["generalized-alpha", "hht", "backward-euler"] = "generalized-alpha"
    rho_inf: float = 0.8
    mesh_damping_ratio: float = 0.02
    output_every: float | None = None
    tooth_change_threshold: float | None = None
    normal_modes: int = 0
    modal_damping_ratio: float = 0.01  # a choice, as are the other damping ratios: they are for experience to give

    def __post_init__(self) -> None:
        check_choice(self, "method", tuple(SCHEMES))
        check_numbers(self)
        least = SCHEMES[self.method].LEAST_RADIUS
        if self.method != "backward-euler" and self.rho_inf < least:
            limit = f'{bound_in_words("ge", least)} with method = "{self.method}"'
            raise Fault("rho_inf", self.rho_inf, limit, 'use 0.8, or method = "generalized-alpha"')
        for name in ("ramp", "output_every", "time_step"):
            value, limits = getattr(self, name), self.LIMITS[name]
            if value is not None and bound_passed("le", value, self.duration):
                raise Fault(limits.name, value, f"at most duration_s = {self.duration:g}", f"shorten {limits.key}")
        for name in ("output_every", "time_step"):
            value, key = getattr(self, name), self.LIMITS[name].key
            if value is not None and self.duration > MOST_STEPS * value:
                raise Fault(
                    f"number of steps {key} in duration_s",
                    f"{self.duration / value:.4g}",
                    f"at most {MOST_STEPS}",
                    f"increase {key} or shorten duration_s",
                )


class MotionTable(Table):
    """Keys of all motions, but for their durations."""

    tolerance: float | None = limited(
        DynamicAnalysis.LIMITS["tolerance"], "relative error of a step (1e-4)", default=None
    )
    time_step_s: float | None = limited(DynamicAnalysis.LIMITS["time_step"], "fixed time step in s", default=None)
    method: Literal["generalized-alpha", "hht", "backward-euler"] = Field(
        default="generalized-alpha", description="integration method"
    )
    rho_inf: float = limited(DynamicAnalysis.LIMITS["rho_inf"], "spectral radius at infinity (0.8)", default=0.8)
    mesh_damping_ratio: float = limited(
        DynamicAnalysis.LIMITS["mesh_damping_ratio"], "damping ratio of the pair's first mode (0.02)", default=0.02
    )
    output_every_s: float | None = limited(
        DynamicAnalysis.LIMITS["output_every"],
        "spacing of the output in s (a hundredth of the time in which a tooth follows another)",
        default=None,
    )
    inertia: Literal["simplified", "full"] = Field(
        default="simplified", description="inertia of the gears: without that of their deformation, or with it"
    )
    normal_modes: int | None = Field(
        default=None,
        ge=1,
        le=int(DynamicAnalysis.LIMITS["normal_modes"].most or 0),
        description='number of normal modes of each gear (24 with inertia = "full")',
    )
    modal_damping_ratio: float | None = limited(
        DynamicAnalysis.LIMITS["modal_damping_ratio"], "damping ratio of each normal mode (0.01)", default=None
    )
    tooth_change_threshold: float | None = limited(
        DynamicAnalysis.LIMITS["tooth_change_threshold"],
        "phase modulo 1 at which the window of tooth pairs moves on by a pair; none outside of it may carry there",
        default=None,
    )

    def common(self, file: CaseFile) -> dict[str, Any]:
        """Return what all motions have in common, in SI units; faults go to the file."""
        if self.time_step_s is not None and self.tolerance is not None:
            limit = "excludes tolerance: a fixed step is not controlled"
            file.fault("analysis.time_step_s", shown(self.time_step_s), limit, "leave out one of the two")
        if self.method == "backward-euler" and "rho_inf" in self.model_fields_set:
            limit = f'has no effect with method = "{self.method}"'
            file.fault("analysis.rho_inf", shown(self.rho_inf), limit, "leave it out")
        return {
            "tolerance": DynamicAnalysis.tolerance if self.tolerance is None else self.tolerance,
            "time_step": self.time_step_s,
            "method": self.method,
            "rho_inf": self.rho_inf,
            "mesh_damping_ratio": self.mesh_damping_ratio,
            "output_every": self.output_every_s,
            "tooth_change_threshold": self.tooth_change_threshold,
            "normal_modes": self._number_of_modes(file),
            "modal_damping_ratio": DynamicAnalysis.modal_damping_ratio
            if self.modal_damping_ratio is None
            else self.modal_damping_ratio,
        }

    def _number_of_modes(self, file: CaseFile) -> int:
        """Read how many normal modes the wheels have, 0 without elastic inertia."""
        full, given = self.inertia == "full", self.normal_modes
        if given is not None and not full and "inertia" in self.model_fields_set:
            file.fault("analysis.normal_modes", shown(given), 'excludes inertia = "simplified"', 'write "full"')
        if not full and given is None:
            if self.modal_damping_ratio is not None:
                key, value = "analysis.modal_damping_ratio", shown(self.modal_damping_ratio)
                file.fault(key, value, "has no effect without normal modes", 'write inertia = "full"')
            return 0
        return FULL_MODES if given is None else given


class DynamicTable(MotionTable):
    """``[analysis]`` with ``kind = "dynamic"``."""

    kind: Literal["dynamic"] = Field(description="kind of analysis")
    duration_s: float = limited(DynamicAnalysis.LIMITS["duration"], "duration in s")
    ramp_s: float = limited(DynamicAnalysis.LIMITS["ramp"], "duration of the run-up in s", default=0.0)

    def analysis(self, file: CaseFile) -> DynamicAnalysis | None:
        """Return the analysis in SI units; None with a fault, which goes to the file."""
        with file.made_from_table("analysis", type(self)):
            return DynamicAnalysis(duration=self.duration_s, ramp=self.ramp_s, **self.common(file))
        return None


def settings_without_effect(analysis: Any) -> Findings:
    """Refuse settings of a motion that would be ignored."""
    if not isinstance(analysis, DynamicAnalysis):
        return
    if analysis.method == "backward-euler" and analysis.rho_inf != DynamicAnalysis.rho_inf:
        limit = f'has no effect with method = "{analysis.method}"'
        yield Finding("analysis.rho_inf", shown(analysis.rho_inf), limit, "leave it out")
    if analysis.time_step is not None and analysis.tolerance != DynamicAnalysis.tolerance:
        limit = "excludes tolerance: a fixed step is not controlled"
        yield Finding("analysis.time_step_s", shown(analysis.time_step), limit, "leave out one of the two")
    if not analysis.normal_modes and analysis.modal_damping_ratio != DynamicAnalysis.modal_damping_ratio:
        key, value = "analysis.modal_damping_ratio", shown(analysis.modal_damping_ratio)
        yield Finding(key, value, "has no effect without normal modes", 'write inertia = "full"')
