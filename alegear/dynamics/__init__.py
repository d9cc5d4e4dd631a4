"""Motion in time: systems of second order, the generalized-alpha method, Newton's iteration, step control, joints."""

from alegear.dynamics.generalized_alpha import BackwardEuler, GeneralizedAlpha, HilberHughesTaylor, StepResult
from alegear.dynamics.joints import CubicStep, PrescribedRotation
from alegear.dynamics.newton import NewtonParameters, NewtonResult, NewtonVerdict, solve_newton
from alegear.dynamics.step_control import AdaptiveStep, FixedStep, StepCount, integrate
from alegear.dynamics.system import ForceEvaluation, State, System, start

__all__ = [
    "AdaptiveStep",
    "BackwardEuler",
    "CubicStep",
    "FixedStep",
    "ForceEvaluation",
    "GeneralizedAlpha",
    "HilberHughesTaylor",
    "NewtonParameters",
    "NewtonResult",
    "NewtonVerdict",
    "PrescribedRotation",
    "State",
    "StepCount",
    "StepResult",
    "System",
    "integrate",
    "solve_newton",
    "start",
]
