"""Compiled motion of any system of rotors with modes, linear parts, profiles, flexible meshes, unbalances.

The same as :class:`alegear.system.motion.SystemMotion` under `integrate` of ``time_integration/step_control.py``, with
the account of :class:`alegear.system.energy.SystemEnergy`; from step to step, Python is left once a block of samples.
The system is in ``system_kernels.py``, flexible meshes are in ``mesh_kernels.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.evaluation_kernels import AGAIN, ENERGY, NEAR, QUICK, record_loaded
from alegear.contact.hertz.load_kernels import least_open_gap
from alegear.drivetrain.mesh_kernels import (
    AGAIN_NEAR,
    FIRST,
    LOOK_AT_ALL,
    OF_ALL,
    OF_LOADED,
    choose_teeth,
    differentiate_all,
    evaluate_meshes,
    mesh_energy,
    of_mesh,
    subtract_mesh_tangent,
)
from alegear.drivetrain.system_kernels import (
    ACCELERATION,
    FORCE,
    N_VECTORS,
    OUTER,
    POSITION,
    VELOCITY,
    begin_account,
    changing_inertia,
    end_account,
    evaluate_system,
    fill_residual,
    fill_system_matrix,
    inertia_times,
    place_all,
    take_free,
)
from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.structs import kernel_struct
from alegear.system.time_integration.step_kernels import LENGTH, accept, towards_stop
from alegear.system.time_integration.vector_step_kernels import (
    CONVERGED,
    CORRECT,
    DQ,
    DV,
    EVALUATE,
    ITERATIONS,
    Attempt,
    MotionState,
    T,
    begin_newton,
    correct,
    error_of,
    go_on,
    guess,
    is_filtered,
    largest_error,
    largest_filtered,
    place,
    predict,
    take,
)

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# how a block ends, or that it does not yet
AT_END, PAUSE, STEP_FAILED, GO_ON = 0, 1, 2, 3
PATIENCE = 500  # steps after which the caller may show how far it is, and be stopped
# columns of the counts
ACCEPTED, BY_NEWTON, BY_ERROR, NEWTON_ITERATIONS, SHORTEST, LONGEST, N_COUNTS = 0, 1, 2, 3, 4, 5, 6
# columns of a sample before those of all coordinates, then of the elements: time, flags, energies
TIME, FLAGS, ENERGIES, N_HEAD = 0, 1, 2, 7


@kernel_struct
class IntegrationState(NamedTuple):
    """All that goes on from block to block.

    ``control`` (3,) of the step control, ``vectors`` (N_VECTORS + 2, n), ``matrix`` (n, n): derivative of inertia less
    forces on all coordinates by the accelerations, ``energies`` (N_ENERGIES,), ``counts`` (N_COUNTS,), ``stop`` (1,)
    the next stop, ``wanted`` (N_WANTED,) of evaluations, ``powers`` (3,) at the end of a step.
    """

    state: MotionState
    attempt: Attempt
    control: Array
    vectors: Array
    matrix: Array
    energies: Array
    counts: Array
    stop: Index
    wanted: Index
    powers: Array


@kernel_struct
class Block(NamedTuple):
    """Samples: their number (1,), and values (n, N_HEAD + 4 n_coordinates + m), m the length of ``elements.force``.

    Of all accepted steps their number ``n_steps`` (1,), and ``steps`` (PATIENCE, 1 + n_coordinates + 2 n_meshes): time,
    coordinates, and of each mesh the least and the largest torque of a tooth pair on the first gear.
    """

    number: Index
    values: Array
    n_steps: Index
    steps: Array


# ------------------------------------------------------------------------------ attempts
@lean_kernel
def step_error(system, scheme, motion, tolerated, h):
    """Estimated error of a step over the tolerated one, the largest of all coordinates."""
    attempt, vectors, free = motion.attempt, motion.vectors, system.free
    if not is_filtered(scheme, attempt):
        return largest_error(scheme, attempt, tolerated, h)
    error, carried = vectors[N_VECTORS], vectors[N_VECTORS + 1]
    error[:] = 0.0
    for i in range(free.shape[0]):
        error[free[i]] = error_of(scheme, attempt, i, h)
    for i in range(carried.shape[0]):
        carried[i] = inertia_times(system.linear, i, error)
    changing_inertia(system, vectors[POSITION], error, carried)
    for i in range(free.shape[0]):
        attempt.correction[i] = carried[free[i]]
    return largest_filtered(attempt, tolerated)


@lean_kernel
def evaluate_all(system, meshes, contacts, t, how, motion):
    """Forces on all coordinates at a trial; whether they could be found."""
    if not evaluate_system(system, t, motion.vectors):
        return False
    return evaluate_meshes(system, meshes, contacts, t, motion.wanted[how], motion.vectors)


@lean_kernel
def fill_matrix(system, meshes, motion, out):
    """Derivative of the residual by the accelerations, into ``out`` (n_free, n_free)."""
    numbers, room = motion.attempt.numbers, motion.vectors[N_VECTORS]
    fill_system_matrix(system, motion)
    for number in range(len(meshes)):
        subtract_mesh_tangent(meshes[number], numbers[DQ], numbers[DV], room, motion.matrix)
    take_free(system.free, motion.matrix, out)


@lean_kernel
def step(system, meshes, contacts, scheme, motion, t_end, h):
    """Attempt a step; returns Newton's verdict, and how much room open points have in all meshes [m]."""
    state, attempt, vectors = motion.state, motion.attempt, motion.vectors
    predict(scheme, state, attempt, h)
    # Newton starts from the acceleration carried on, which saves an evaluation in most steps
    guess(state, attempt, h, True)
    place(attempt)
    place_all(system, t_end, attempt, vectors)
    for number in range(len(meshes)):
        choose_teeth(meshes[number], vectors[POSITION], vectors[VELOCITY], h)
    begin_newton(scheme, attempt)
    verdict, how, margin = EVALUATE, FIRST, 0.0
    while verdict == EVALUATE:
        place(attempt)
        place_all(system, t_end, attempt, vectors)
        evaluated = evaluate_all(system, meshes, contacts, t_end, how, motion)
        if evaluated:
            fill_residual(system, vectors, vectors[OUTER], attempt.residual)
        verdict = go_on(scheme, attempt, evaluated)
        if verdict == CORRECT:
            differentiate_all(meshes, contacts)
            fill_matrix(system, meshes, motion, attempt.matrix)
            verdict = correct(attempt)
        how = AGAIN_NEAR if how == FIRST else how
        if how == AGAIN_NEAR and verdict != EVALUATE:
            margin = -1.0
            if verdict == CONVERGED:
                margin = np.inf
                for number in range(len(meshes)):
                    model, _, _, points = of_mesh(contacts, number)
                    margin = min(margin, least_open_gap(model, points))
            if margin >= 0.0:
                break
            # other points come to carry: once more, with a look at all of them in every evaluation
            if verdict != CONVERGED:
                guess(state, attempt, h, False)
            margin = 0.0
            begin_newton(scheme, attempt)
            verdict, how = EVALUATE, LOOK_AT_ALL
    return verdict, margin


@lean_kernel
def step_without_meshes(system, scheme, motion, t_end, h):
    """Attempt a step of a system without flexible meshes; returns Newton's verdict."""
    state, attempt, vectors = motion.state, motion.attempt, motion.vectors
    predict(scheme, state, attempt, h)
    guess(state, attempt, h, True)
    begin_newton(scheme, attempt)
    verdict = EVALUATE
    while verdict == EVALUATE:
        place(attempt)
        place_all(system, t_end, attempt, vectors)
        evaluated = evaluate_system(system, t_end, vectors)
        if evaluated:
            fill_residual(system, vectors, vectors[OUTER], attempt.residual)
        verdict = go_on(scheme, attempt, evaluated)
        if verdict == CORRECT:
            fill_system_matrix(system, motion)
            take_free(system.free, motion.matrix, attempt.matrix)
            verdict = correct(attempt)
    return verdict


# ------------------------------------------------------------------------------ from step to step
@lean_kernel
def what_next(stops, motion, block, attempts):
    """Go past the stops that are met; whether to go on, to pause, or that the last one is."""
    while motion.stop[0] < stops.shape[0] and not motion.state.clock[T] < stops[motion.stop[0]]:
        motion.stop[0] += 1
    if motion.stop[0] == stops.shape[0]:
        return AT_END
    return PAUSE if block.number[0] == block.values.shape[0] or attempts == PATIENCE else GO_ON


@lean_kernel
def next_length(stops, motion):
    """Length of the next step, and the time at its end, which meets a stop to the last digit."""
    stop, now = stops[motion.stop[0]], motion.state.clock[T]
    h = towards_stop(stop - now, motion.control[LENGTH])
    return h, stop if h == stop - now else now + h


@lean_kernel
def judge(system, scheme, control, tolerated, motion, verdict, h):
    """Count an attempted step and choose the next length, as `accept` says."""
    counts, converged, iterations = motion.counts, verdict == CONVERGED, motion.attempt.numbers[ITERATIONS]
    error = step_error(system, scheme, motion, tolerated, h) if converged else np.inf
    counts[NEWTON_ITERATIONS] += iterations
    judged = accept(control, motion.control, h, converged, error, iterations, scheme.max_iterations)
    if judged == 0:
        counts[BY_ERROR if converged else BY_NEWTON] += 1.0
    return judged


@lean_kernel
def flag_at(stops, flags, motion, t):
    """What is to be done at a time: nothing (0) where it is not the next stop."""
    return flags[motion.stop[0]] if t == stops[motion.stop[0]] else 0


@lean_kernel
def take_step(motion, t_end, h):
    """Go on from the end of an accepted step."""
    counts = motion.counts
    take(motion.state, motion.attempt, t_end, h)
    counts[ACCEPTED] += 1.0
    counts[SHORTEST], counts[LONGEST] = min(counts[SHORTEST], h), max(counts[LONGEST], h)


@lean_kernel
def settle_account(system, meshes, contacts, margin, t, motion):
    """Carry the energies on by one step; whether they were found."""
    stored = begin_account(system, t, motion)
    for number in range(len(meshes)):
        model, conservative, memory, points = of_mesh(contacts, number)
        found, energy, lost, by_time = mesh_energy(
            meshes[number], model, conservative, memory, points, margin, motion.vectors, motion.wanted
        )
        if not found:
            return False
        stored += energy
        motion.powers[1] += lost
        motion.powers[2] += by_time
    end_account(system, stored, t, motion)
    return True


# ------------------------------------------------------------------------------ samples
@lean_kernel
def take_values(system, t, flags, motion, block):
    """Append time, energies, coordinates and forces of a sample: those of the last evaluation of the step."""
    n = block.number[0]
    row, vectors, of_elements = block.values[n], motion.vectors, system.elements.force
    m = vectors.shape[1]
    row[TIME], row[FLAGS] = t, flags
    for i in range(N_HEAD - ENERGIES):
        row[ENERGIES + i] = motion.energies[i]
    for i in range(m):
        row[N_HEAD + i], row[N_HEAD + m + i] = vectors[POSITION, i], vectors[VELOCITY, i]
        row[N_HEAD + 2 * m + i], row[N_HEAD + 3 * m + i] = vectors[ACCELERATION, i], vectors[FORCE, i]
    for i in range(of_elements.shape[0]):
        row[N_HEAD + 4 * m + i] = of_elements[i]
    block.number[0] = n + 1


@lean_kernel
def take_sample(system, meshes, t, flags, motion, block):
    """Append a sample; the loaded points of the meshes are in their records already."""
    n = block.number[0]
    take_values(system, t, flags, motion, block)
    for number in range(len(meshes)):
        mesh = meshes[number]
        mesh.first_pair[n] = mesh.motion.first_pair[0]
        for slot in range(mesh.pair_torque.shape[1]):
            for gear in range(2):
                mesh.pair_torque[n, slot, gear] = mesh.response.pair_torque[slot, gear]
        for i in range(mesh.by_coordinate.shape[1]):
            for j in range(mesh.by_coordinate.shape[1]):
                mesh.by_coordinate[n, i, j] = mesh.response.by_coordinate[i, j]


# ------------------------------------------------------------------------------ steps
@lean_kernel
def watch(t, motion, block):
    """Append time and coordinates at the end of an accepted step."""
    row, m = block.steps[block.n_steps[0]], motion.vectors.shape[1]
    row[0] = t
    for i in range(m):
        row[1 + i] = motion.vectors[POSITION, i]
    block.n_steps[0] += 1


@lean_kernel
def watch_teeth(meshes, motion, block):
    """Add the loads of the teeth to the step that was appended last."""
    row, first = block.steps[block.n_steps[0] - 1], 1 + motion.vectors.shape[1]
    for number in range(len(meshes)):
        torque = meshes[number].response.pair_torque
        low, high = np.inf, -np.inf
        for slot in range(torque.shape[0]):
            low, high = min(low, torque[slot, 0]), max(high, torque[slot, 0])
        row[first + 2 * number], row[first + 2 * number + 1] = low, high


# ------------------------------------------------------------------------------ motions
@kernel(lean=True, nogil=True)
def advance(
    # model
    system, models, conservative, scheme, control, tolerated,
    # buffers
    meshes, memories, rooms,
    # in
    stops, flags,
    # out
    motion, block,
):  # fmt: skip
    """Integrate until the block is full, patience ends, the last stop is reached or a step fails.

    Parameters
    ----------
    system, scheme, control : System, Scheme, Control
    models, conservative, meshes, memories, rooms : tuples with one for each mesh
        Models of the contact and of that without friction, Mesh, Memory, Points. One by one: LLVM's time for the entry
        from Python grows with the square of the largest.
    tolerated : (n_free,) error of a step of each coordinate
    stops, flags : (n,) times to be met to the last digit [s], and whether a sample is taken there (not 0)
    motion : IntegrationState
        Goes on; ``stop`` is the next stop to be met.
    block : Block

    Returns
    -------
    int : AT_END, PAUSE, or STEP_FAILED: the step after ``motion.state`` of the length ``motion.control[LENGTH]``.
    """
    contacts = (models, conservative, memories, rooms)
    # from memory: for constants the evaluation would be compiled once more each
    wanted = motion.wanted
    wanted[FIRST], wanted[AGAIN_NEAR], wanted[LOOK_AT_ALL] = QUICK, QUICK + NEAR, NEAR
    wanted[OF_LOADED], wanted[OF_ALL] = ENERGY + QUICK + AGAIN, ENERGY + AGAIN
    attempts, todo = 0, what_next(stops, motion, block, 0)
    while todo == GO_ON:
        attempts += 1
        h, t_end = next_length(stops, motion)
        verdict, margin = step(system, meshes, contacts, scheme, motion, t_end, h)
        judged = judge(system, scheme, control, tolerated, motion, verdict, h)
        if judged < 0:
            return STEP_FAILED
        if judged > 0:
            sampled = flag_at(stops, flags, motion, t_end)
            if sampled:
                differentiate_all(meshes, contacts)
                for number in range(len(meshes)):
                    model, _, _, points = of_mesh(contacts, number)
                    record = meshes[number].record
                    record_loaded(model, points.found, points.rows, points.loads, block.number[0], record)
            if not settle_account(system, meshes, contacts, margin, t_end, motion):
                return STEP_FAILED
            take_step(motion, t_end, h)
            watch(t_end, motion, block)
            watch_teeth(meshes, motion, block)
            if sampled:
                take_sample(system, meshes, t_end, sampled, motion, block)
        todo = what_next(stops, motion, block, attempts)
    return todo


@kernel(lean=True, nogil=True)
def advance_without_meshes(
    # model
    system, scheme, control, tolerated,
    # in
    stops, flags,
    # out
    motion, block,
):  # fmt: skip
    """As `advance`, of a system without flexible meshes."""
    attempts, todo = 0, what_next(stops, motion, block, 0)
    while todo == GO_ON:
        attempts += 1
        h, t_end = next_length(stops, motion)
        verdict = step_without_meshes(system, scheme, motion, t_end, h)
        judged = judge(system, scheme, control, tolerated, motion, verdict, h)
        if judged < 0:
            return STEP_FAILED
        if judged > 0:
            end_account(system, begin_account(system, t_end, motion), t_end, motion)
            take_step(motion, t_end, h)
            watch(t_end, motion, block)
            flag = flag_at(stops, flags, motion, t_end)
            if flag:
                take_values(system, t_end, flag, motion, block)
        todo = what_next(stops, motion, block, attempts)
    return todo
