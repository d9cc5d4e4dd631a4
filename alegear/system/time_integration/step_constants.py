"""What the kernels of the step need, from the objects that hold it: constants, states and room."""

from __future__ import annotations

import numpy as np

from alegear.arrays import Array
from alegear.kernels.structs import room
from alegear.system.time_integration import step_kernels, vector_step_kernels
from alegear.system.time_integration.generalized_alpha import (
    LARGEST_RESCALING,
    LARGEST_RESIDUAL,
    RESIDUAL_ROUND_OFF,
    ROUND_OFF,
    GeneralizedAlpha,
)
from alegear.system.time_integration.second_order_system import State, powers_of_two

#: What the kernels have of a method under its name.
OF_SCHEME = ("alpha_m", "alpha_f", "error_constant", "error_memory", "filtered")


def constants_of(scheme: GeneralizedAlpha) -> step_kernels.Scheme:
    """Return a method as the kernels have it."""
    position_n, position = scheme.position_weights
    velocity_n, velocity = scheme.velocity_weights
    return step_kernels.Scheme(
        position_n=position_n,
        position=position,
        velocity_n=velocity_n,
        velocity=velocity,
        largest_rescaling=LARGEST_RESCALING,
        round_off=ROUND_OFF,
        residual_round_off=RESIDUAL_ROUND_OFF,
        largest_residual=LARGEST_RESIDUAL,
        **{name: getattr(scheme, name) for name in OF_SCHEME},
        **vars(scheme.newton),
    )


def state_arrays(state: State) -> vector_step_kernels.MotionState:
    """Return a copy of a state as the kernels have it, without jerk and snap."""
    kept = {name: getattr(state, name).copy() for name in ("q", "v", "vdot", "a", "multipliers")}
    clock = np.array([state.t, state.h])
    return room(vector_step_kernels.MotionState, len(state.v))._replace(clock=clock, **kept)


def empty_attempt(displacement_scale: Array, scale: Array) -> vector_step_kernels.Attempt:
    """Return room for attempted steps.

    Parameters
    ----------
    displacement_scale : shape (n_dof,) [m, rad]
    scale : shape (n_dof + n_constraints,)
        Typical size of each force; of the misfits over dq the kernel that knows the system sets it, step by step.
    """
    n_dof, n = len(displacement_scale), len(scale)
    of_place = dict.fromkeys(("a_n", "a_known", "q_known", "v_known", "q", "v"), n_dof)
    attempt = room(vector_step_kernels.Attempt, n, numbers=vector_step_kernels.N_NUMBERS, matrix=(n, n), **of_place)
    size, sizes = (np.array(given, dtype=np.float64) for given in (displacement_scale, scale))
    return attempt._replace(size=size, scale=sizes, rows=powers_of_two(scale))
