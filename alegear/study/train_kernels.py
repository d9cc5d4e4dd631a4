"""Compiled motion of two gears in line contact: from step to step, Python is left once a block of samples.

The same as :class:`alegear.study.gear_train.GearTrain` under :func:`alegear.dynamics.step_control.integrate`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.load_kernels import (
    AGAIN,
    ENERGY,
    QUICK,
    TANGENT,
    evaluate,
    least_open_gap,
    number_loaded,
    record_loaded,
)
from alegear.contact.hertz.model_kernels import Record
from alegear.dynamics.step_kernels import (
    CONVERGED,
    COORDINATE,
    EVALUATE,
    ITERATIONS,
    JERK,
    LENGTH,
    SNAP,
    VDOT,
    A,
    H,
    T,
    V,
    X,
    accept,
    begin_newton,
    go_on,
    predict,
    towards_stop,
)
from alegear.kernel_cache import kernel, lean_kernel
from alegear.kernel_struct import kernel_struct

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# how a block ends
AT_END, PAUSE, STEP_FAILED = 0, 1, 2
PATIENCE = 500  # steps after which the caller may show how far it is, and be stopped

# columns of the account: energies since the start [J]; time, power of the dampers, of those outside of the mesh, and
# of the damping on the led motion at the last step; angles, outer torques and torques of friction there
INPUT, DISSIPATED, KINETIC, ELASTIC, OUTSIDE, TIME_BEFORE, POWER, OUTSIDE_POWER, LED_POWER, ANGLE, OUTER, LOST = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13,
)  # fmt: skip
N_ACCOUNT = 15

# columns of the counts
ACCEPTED, BY_NEWTON, BY_ERROR, NEWTON_ITERATIONS, SHORTEST, LONGEST = 0, 1, 2, 3, 4, 5

# columns of a sample; angle, speed, acceleration and phase-reduced rotation of both gears
TIME, PHASE, TE, STIFFNESS, ENERGIES, ANGLES, SPEEDS, ACCELERATIONS, LOCAL, FIRST_PAIR, FLAGS = (
    0, 1, 2, 3, 4, 9, 11, 13, 15, 17, 18,
)  # fmt: skip
N_SAMPLE = 19


@kernel_struct
class Ramp(NamedTuple):
    """:class:`alegear.dynamics.joints.CubicStep`."""

    y0: float
    y1: float
    t0: float
    t1: float


@kernel_struct
class Train(NamedTuple):
    """:class:`alegear.study.gear_train.GearTrain`.

    ``r_b``, ``pitch``, ``inertia`` of both gears; ``threshold`` and ``below`` of the window: pair in slot 0 is
    floor(phase - threshold) - below. ``force_scale`` [N m], ``largest_error`` [m]: transmission error beyond which
    teeth would pass through others.
    """

    lead: int
    r_b: Array
    pitch: Array
    inertia: Array
    speed: Ramp
    start_angle: float
    load: Ramp
    retardation: float
    threshold: float
    below: int
    force_scale: float
    largest_error: float


@kernel_struct
class Block(NamedTuple):
    """Samples of a block: ``count`` (1,), ``values`` (n, N_SAMPLE), torques by pair (n, n_pairs, 2), loaded points."""

    count: Index
    values: Array
    pair_torque: Array
    record: Record


@kernel_struct
class Motion(NamedTuple):
    """All that goes on from block to block: state, step control, Newton, account, counts, next stop (1,); room.

    ``angle``, ``speed``, ``local``, ``ahead`` (2,) are those of the last evaluation, ``rest`` (2,) is zero.
    """

    state: Array
    control: Array
    newton: Array
    account: Array
    counts: Array
    stop: Index
    angle: Array
    speed: Array
    local: Array
    ahead: Array
    rest: Array
    wanted: Index


@lean_kernel
def ramp_value(ramp, t):
    """Value, derivative and integral of a cubic step at t."""
    if t >= ramp.t1:
        s = 1.0
    elif t <= ramp.t0:
        s = 0.0
    else:
        s = (t - ramp.t0) / (ramp.t1 - ramp.t0)
    rise, way = ramp.y1 - ramp.y0, ramp.t1 - ramp.t0
    derivative = 6.0 * s * (1.0 - s) * rise / way if ramp.t0 < t < ramp.t1 else 0.0
    integral = ramp.y0 * (t - ramp.t0) + rise * (way * s**3 * (1.0 - 0.5 * s) + max(t - ramp.t1, 0.0))
    return ramp.y0 + rise * s * s * (3.0 - 2.0 * s), derivative, integral


@lean_kernel
def place_gears(train, t, q, v, first_pair, angle, speed, local, ahead):
    """Angles and speeds of both gears, phase-reduced rotations, and by how much the gaps are ahead of them."""
    lead, driven = train.lead, 1 - train.lead
    speed[lead], _, turned = ramp_value(train.speed, t)
    angle[lead] = train.start_angle + turned
    angle[driven], speed[driven] = q, v
    for gear in range(2):
        local[gear] = angle[gear] - first_pair * train.pitch[gear]
    ahead[lead], ahead[driven] = 0.0, train.retardation * (v - speed[lead] * train.r_b[lead] / train.r_b[driven])


@lean_kernel
def transmission_error(train, angle):
    """Along the line of action [m], negative under load."""
    driven = 1 - train.lead
    return train.r_b[driven] * angle[driven] - train.r_b[train.lead] * angle[train.lead]


@lean_kernel
def pair_in_first_slot(train, t):
    """Number of the tooth pair in slot 0 at a time."""
    _, _, turned = ramp_value(train.speed, t)
    phase = (train.start_angle + turned) / train.pitch[train.lead]
    return int(np.floor(phase - train.threshold)) - train.below


@lean_kernel
def equation(train, answer, x, load, dq, dv):
    """Residual of the equation of motion of the driven gear at the acceleration x, its slope, and its scaled size."""
    driven = 1 - train.lead
    inertia, by_q = train.inertia[driven], answer.torque_phi[driven, driven]
    by_v = answer.torque_omega[driven, driven] + train.retardation * answer.torque_ahead[driven, driven]
    residual = inertia * x - (answer.torque[driven] - load)
    norm = abs(residual / train.force_scale)
    return residual, inertia - dv * by_v - dq * by_q, norm if np.isfinite(norm) else np.inf


@lean_kernel
def settle_account(train, answer, free, t, angle, speed, account):
    """Carry the energies on by one step, as `alegear.study.gear_train.EnergyAccount` says.

    ``answer`` of the contact, ``free`` of that without friction and retardation.
    """
    lead, torque = train.lead, answer.torque
    led, acceleration, _ = ramp_value(train.speed, t)
    load, _, _ = ramp_value(train.load, t)
    kinetic, power, led_power = 0.0, 0.0, 0.0
    for gear in range(2):
        outer = train.inertia[lead] * acceleration - torque[lead] if gear == lead else -load
        outer -= free.energy[1 + gear] - free.torque[gear]
        lost = -answer.friction_torque[gear]
        damped = free.torque[gear] - torque[gear] - lost
        perfect = led * train.r_b[lead] / train.r_b[gear]
        power += damped * (speed[gear] - perfect)
        led_power += damped * perfect
        turned = angle[gear] - account[ANGLE + gear]
        account[INPUT] += 0.5 * (outer + account[OUTER + gear]) * turned
        account[DISSIPATED] += 0.5 * (lost + account[LOST + gear]) * turned
        account[ANGLE + gear], account[OUTER + gear], account[LOST + gear] = angle[gear], outer, lost
        kinetic += 0.5 * train.inertia[gear] * speed[gear] * speed[gear]
    h = t - account[TIME_BEFORE]
    account[DISSIPATED] += 0.5 * h * (power + account[POWER])
    account[INPUT] -= 0.5 * h * (led_power + account[LED_POWER])
    account[TIME_BEFORE], account[POWER], account[LED_POWER] = t, power, led_power
    account[KINETIC], account[ELASTIC] = kinetic, free.energy[0]


@lean_kernel
def take_sample(train, answer, state, angle, speed, local, first_pair, flags, account, block):
    """Append a sample; its loaded points are in the record already."""
    lead, driven = train.lead, 1 - train.lead
    n = block.count[0]
    row = block.values[n]
    _, acceleration, turned = ramp_value(train.speed, state[T])
    row[TIME] = state[T]
    row[PHASE] = (train.start_angle + turned) / train.pitch[train.lead]
    row[TE] = transmission_error(train, angle)
    towards = -1.0 if lead == 0 else 1.0  # `alegear.contact.forces.mesh_stiffness`
    row[STIFFNESS] = 0.0 + towards * answer.torque_phi[0, lead] / (train.r_b[0] * train.r_b[lead])
    for i in range(5):
        row[ENERGIES + i] = account[i]
    for gear in range(2):
        row[ANGLES + gear], row[SPEEDS + gear] = angle[gear], speed[gear]
        row[LOCAL + gear] = local[gear]
        for slot in range(block.pair_torque.shape[1]):
            block.pair_torque[n, slot, gear] = answer.pair_torque[slot, gear]
    row[ACCELERATIONS + lead], row[ACCELERATIONS + driven] = acceleration, state[VDOT]
    row[FIRST_PAIR], row[FLAGS] = first_pair, flags
    block.count[0] = n + 1


@kernel(_nrt=False, nogil=True)
def advance(
    # model: conservative is without friction
    train, model, conservative,
    # buffers
    memory, points, answer, free,
    # in
    scheme, control, stops, flags,
    # out
    motion, block,
):  # fmt: skip
    """Integrate until the block is full, patience ends, the last stop is reached or a step fails.

    Parameters
    ----------
    train, model, conservative, memory, points, answer, free, scheme, control
        One by one: LLVM's time for the entry from Python grows with the square of the largest.
    stops, flags : (n,) times to be met to the last digit [s], and whether a sample is taken there (not 0)
    motion : Motion
        Goes on; ``stop`` is the next stop to be met.
    block : Block

    Returns
    -------
    int : AT_END, PAUSE, or STEP_FAILED: the step after ``motion.state`` of the length ``motion.control[LENGTH]``.
    """
    driven = 1 - train.lead
    state, counts, newton, room = motion.state, motion.counts, motion.newton, block.values.shape[0]
    angle, speed, local, ahead, rest = motion.angle, motion.speed, motion.local, motion.ahead, motion.rest
    # from memory: for constants the evaluation would be compiled once more each
    wanted = motion.wanted
    wanted[0], wanted[1], wanted[2], wanted[3] = TANGENT + QUICK, TANGENT, ENERGY + AGAIN, ENERGY + QUICK + AGAIN
    attempts = 0
    while motion.stop[0] < stops.shape[0]:
        stop = stops[motion.stop[0]]
        if not state[T] < stop:
            motion.stop[0] += 1
            continue
        if block.count[0] == room or attempts == PATIENCE:
            return PAUSE
        attempts += 1
        remaining = stop - state[T]
        h = towards_stop(control, remaining, motion.control[LENGTH])
        t_end = stop if h == remaining else state[T] + h

        kappa, a_known, q_known, dq, v_known, dv, a_n = predict(scheme, state, h)
        first_pair = pair_in_first_slot(train, t_end - 0.5 * h)
        load, _, _ = ramp_value(train.load, t_end)
        # Newton starts from the acceleration carried on, which saves an evaluation in most steps
        begin_newton(newton, state[VDOT] + h * (state[JERK] + (h + state[H]) * state[SNAP]))
        verdict, how, margin = EVALUATE, 0, 0.0
        while verdict == EVALUATE:
            x = newton[X]
            place_gears(train, t_end, q_known + dq * x, v_known + dv * x, first_pair, angle, speed, local, ahead)
            residual, slope, norm = 0.0, 0.0, np.inf
            if abs(transmission_error(train, angle)) <= train.largest_error:
                settled = evaluate(model, local, speed, ahead, first_pair, wanted[how], memory, points, answer)
                if settled >= 0:
                    residual, slope, norm = equation(train, answer, x, load, dq, dv)
            verdict = go_on(scheme, newton, residual, slope, norm, scheme.round_off * (abs(q_known) / dq + abs(x)))
            if how == 0 and verdict != EVALUATE:
                margin = least_open_gap(model, points) if verdict == CONVERGED else -1.0
                if margin >= 0.0:
                    break
                # other points come to carry: once more, with a look at all of them in every evaluation
                margin = 0.0
                begin_newton(newton, newton[X] if verdict == CONVERGED else state[VDOT])
                verdict, how = EVALUATE, 1
        x = newton[X]
        a = kappa * x + a_known
        error = scheme.error_constant * h * h * abs(a - scheme.error_memory * a_n) / control.tolerated
        counts[NEWTON_ITERATIONS] += newton[ITERATIONS]
        judged = accept(
            control, motion.control, h, verdict == CONVERGED, error, newton[ITERATIONS], scheme.max_iterations
        )
        if judged < 0:
            return STEP_FAILED
        if judged == 0:
            counts[BY_ERROR if verdict == CONVERGED else BY_NEWTON] += 1.0
            continue
        sampled = flags[motion.stop[0]] if t_end == stop else 0
        if sampled:
            record_loaded(points.found, points.rows, points.loads, model.length, block.count[0], block.record)
        # Without friction no open point closes on the little way that is left out for the retardation, if it has ten
        # times as much room: then those that carry are asked alone, and all of them where one was let go, which a
        # Newton step does too easily at small loads.
        apart = train.r_b[driven] * abs(ahead[driven])
        how = 3 if model.friction.kind == 0 and margin > 10.0 * apart else 2
        carrying, settled = number_loaded(points), 0
        while how >= 2:
            settled = evaluate(conservative, local, rest, rest, first_pair, wanted[how], memory, points, free)
            how = 2 if how == 3 and number_loaded(points) < carrying else 0
        if settled < 0:
            return STEP_FAILED
        settle_account(train, answer, free, t_end, angle, speed, motion.account)
        jerk = (x - state[VDOT]) / h
        state[SNAP] = (jerk - state[JERK]) / (h + state[H]) if state[H] > 0.0 else 0.0
        state[JERK] = jerk
        state[T], state[COORDINATE], state[V] = t_end, q_known + dq * x, v_known + dv * x
        state[VDOT], state[A], state[H] = x, a, h
        counts[ACCEPTED] += 1.0
        counts[SHORTEST], counts[LONGEST] = min(counts[SHORTEST], h), max(counts[LONGEST], h)
        if sampled:
            take_sample(train, answer, state, angle, speed, local, first_pair, sampled, motion.account, block)
    return AT_END
