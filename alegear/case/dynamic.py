"""A motion in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from alegear.case.static import StaticAnalysis
from alegear.dynamics.generalized_alpha import SCHEMES
from alegear.errors import Fault
from alegear.limits import Limits, bound_in_words, bound_passed, check_choice, check_numbers

MOST_STEPS = 10_000_000
SECONDS: dict[str, Any] = {"unit": "s", "least": 1e-12, "most": 1e6}


@dataclass(frozen=True, kw_only=True)
class DynamicAnalysis:
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
    output_every : float [s]
    tooth_change_threshold : float or None [1]
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
        "output_every": Limits(quantity="spacing of the output", key="output_every_s", **SECONDS),
        "tooth_change_threshold": StaticAnalysis.LIMITS["tooth_change_threshold"],
        "normal_modes": Limits(
            quantity="normal modes of each wheel", key="normal_modes", least=0, most=400, whole=True
        ),
        "modal_damping_ratio": Limits(
            quantity="damping ratio of each normal mode", key="modal_damping_ratio", least=0.0, most=1.0, below=True
        ),
    }
    kind: ClassVar[str] = "dynamic"
    duration: float
    ramp: float = 0.0
    tolerance: float = 1e-4
    time_step: float | None = None
    method: Literal["generalized-alpha", "hht", "backward-euler"] = "generalized-alpha"
    rho_inf: float = 0.8
    mesh_damping_ratio: float = 0.02
    output_every: float = 2e-5
    tooth_change_threshold: float | None = None
    normal_modes: int = 0
    modal_damping_ratio: float = 0.01

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
