"""Compiled: which points carry, and how much (``README.md`` of this folder, section 5)."""

from __future__ import annotations

import numpy as np

from alegear.contact.hertz.coupling_kernels import (
    couple,
    couple_again,
    couple_others,
    couple_point,
    hardly_moved,
    keep_pushed,
    push,
)
from alegear.contact.hertz.model_kernels import EASE, GAP, PLACES, S
from alegear.contact.hertz.strip_kernels import approaches, distance_between, share_slice, strip_of, whole_approaches
from alegear.kernels.decorators import kernel, lean_kernel
from alegear.kernels.elimination_kernels import solve_in_place

ITERATIONS = 100  # of the active set with Newton; three to five are usual
PATIENCE = 20  # iterations after which points change sides one by one
TOLERANCE = 1e-13  # of the largest overlap: a point that is open by less is left alone
LOAD_TOLERANCE = 1e-14  # of the largest load: the step that would follow, shrunk as the last one was
ROUND_OFF = 1e-8  # near an edge strips are known to some 1e-11: a step as small as this that does not fall is the last
SOFTENING = 0.05  # a load falls to no less than this part of itself in one step, unless the point opens
LEAST_LOAD = 1e-6  # of the load before, where a slice touches in part
FORECAST = 0.5  # a forecast load is no less than this part of the last one, and no more than as many times
FIRST_STIFFNESS = 0.0867  # of the modulus: load per width and overlap for the first guess, 10 N/(mm um) of steel
SMALL_LOAD = 7.2e-8  # of modulus times deepest overlap: line load of points that close, 10 N/m of steel of module 4 mm
LEAST_FIRST_LOAD = 1e-17  # of the largest load, else of modulus times deepest overlap squared: no less has what closes
NOT_SETTLED = -1
SINGLE = np.int64(1)  # for numbers as they are written kernels would be compiled once more each


@lean_kernel
def list_active(n, active, index):
    """List the loaded ones of n points; returns how many there are."""
    count = 0
    for i in range(n):
        if active[i]:
            index[count] = i
            count += 1
    return count


@lean_kernel
def gap_under_load(n, table, G, force, i):
    """Gap of point i with the displacement of all loads, without its own approach, at the closer end of its slice [m].

    There it is as small as the loads; in the middle of a slice whose end only touches it is known to the round-off of
    the ease, beside which a small load is lost.
    """
    total = table[i, GAP] - table[i, EASE]
    for j in range(n):
        if force[j] > 0.0:
            total += G[i, j] * force[j]
    return total


@lean_kernel
def join_places(model, found):
    """Open the gap for good of points that lie in the strip of a nearer one in their slice: both are one contact.

    Two equal strips press into each other less than into their own middles, so that there is one answer only, from half
    a half-width of distance on: W(2 sqrt(e) d) < dw/dq = W(b) - dW/d(ln 1/b)/2. The half-width is that under the load
    which a first guess gives to the overlap, so that what is one contact depends on the gaps, not on the loads.
    """
    for i in range(found.count[0]):
        if found.place_of[i] == 0:
            continue
        for j in range(found.count[0]):
            if found.place_of[j] >= found.place_of[i] or not share_slice(found, i, j):
                continue
            near, far = (i, j) if found.table[i, GAP] < found.table[j, GAP] else (j, i)
            if found.table[near, GAP] >= 0.0 or found.table[far, GAP] == np.inf:
                continue
            load = FIRST_STIFFNESS * model.modulus * -found.table[near, GAP]
            apart = 2.0 * distance_between(found, i, j)
            if apart < strip_of(model, found, near, load) or apart < strip_of(model, found, far, load):
                found.table[far, GAP] = np.inf


@lean_kernel
def name_heirs(found, memory, shift):
    """Find for each place that carried load before the nearest point, into ``found.warm_start_of``."""
    n_pairs, warm_start_of, distance = memory.line_load.shape[1], found.warm_start_of, found.distance
    for again in range(2):
        for i in range(found.count[0]):
            slot = found.pair_of[i] + shift
            if not 0 <= slot < n_pairs or found.table[i, GAP] == np.inf:
                continue
            number, k, s = found.side_of[i], found.slice_of[i], found.table[i, S]
            for place in range(PLACES):
                if again == 0:
                    distance[number, slot, k, place] = np.inf
                elif abs(s - memory.s[number, slot, k, place]) < distance[number, slot, k, place]:
                    warm_start_of[number, slot, k, place] = i
                    distance[number, slot, k, place] = abs(s - memory.s[number, slot, k, place])


@lean_kernel
def mean_overlap(deepest, ease):
    """Mean over a slice of an overlap [m], ``deepest`` at its closer end, by twice ``ease`` less at the other one."""
    if deepest <= 0.0:
        return 0.0
    if deepest >= 2.0 * ease:
        return deepest - ease
    return 0.25 * deepest * deepest / ease


@lean_kernel
def own_approach(approach, ease):
    """Approach of a point at the closer end of its slice, from a row of `approaches` [m]."""
    return 2.0 * ease * approach[6] if approach[6] < 1.0 else approach[0] + ease


@lean_kernel
def take_up(model, found, phi, first_pair, memory, loads):
    """Start from the loads of the last evaluation, carried on with the rotations; its teeth may have moved on by slots.

    Returns the largest overlap [m].
    """
    n_pairs, warm = memory.line_load.shape[1], loads.index
    shift = first_pair - memory.first_pair[0]
    turn_1 = phi[0] - memory.phi[0] + shift * model.pinion.place[2]
    turn_2 = phi[1] - memory.phi[1] + shift * model.wheel.place[2]
    overlap = 0.0
    for slot in range(n_pairs):
        warm[slot] = 0
    name_heirs(found, memory, shift)
    for i in range(found.count[0]):
        slot, force = found.pair_of[i] + shift, 0.0
        loads.strips[i, 0], loads.strips[i, 1], loads.rate[i, 0], loads.rate[i, 1] = 0.0, 0.0, 0.0, 0.0
        if 0 <= slot < n_pairs:
            number, k = found.side_of[i], found.slice_of[i]
            for place in range(PLACES):
                before = memory.line_load[number, slot, k, place]
                if before > 0.0 and found.warm_start_of[number, slot, k, place] == i:
                    for x in range(2):
                        loads.strips[i, x] = memory.strips[number, slot, k, place, x]
                        loads.rate[i, x] = memory.rate[number, slot, k, place, x]
                    now = before + loads.rate[i, 0] * turn_1 + loads.rate[i, 1] * turn_2
                    force = min(max(now, FORECAST * before), before / FORECAST) * model.length
        if force > 0.0:
            warm[found.pair_of[i]] = 1
        loads.force[i] = force
        overlap = max(overlap, found.table[i, EASE] - found.table[i, GAP])
    for i in range(found.count[0]):
        mean = mean_overlap(found.table[i, EASE] - found.table[i, GAP], found.table[i, EASE])
        if loads.force[i] <= 0.0 and mean > 0.0 and warm[found.pair_of[i]] == 0:
            loads.force[i] = FIRST_STIFFNESS * model.modulus * model.width * mean
        loads.active[i] = loads.force[i] > 0.0
    return overlap


@lean_kernel
def keep(found, length, phi, first_pair, loads, memory):
    """Keep the loads for the next evaluation."""
    memory.phi[0], memory.phi[1], memory.first_pair[0] = phi[0], phi[1], first_pair
    memory.line_load[:] = 0.0
    for i in range(found.count[0]):
        number, slot, k, place = found.side_of[i], found.pair_of[i], found.slice_of[i], found.place_of[i]
        memory.line_load[number, slot, k, place] = loads.force[i] / length
        memory.s[number, slot, k, place] = found.table[i, S]
        for x in range(2):
            memory.strips[number, slot, k, place, x] = loads.strips[i, x]
    keep_rates(found, loads, memory)


@lean_kernel
def keep_rates(found, loads, memory):
    """Keep what the loads change by with the rotations."""
    for i in range(found.count[0]):
        number, slot, k, place = found.side_of[i], found.pair_of[i], found.slice_of[i], found.place_of[i]
        for x in range(2):
            memory.rate[number, slot, k, place, x] = loads.rate[i, x]


@lean_kernel
def newton_step(n_all, table, G, length, index, n, loads):
    """One Newton step of the loads of n active points; those that open leave.

    Returns the largest change relative to the largest load, and whether a point opened; the largest residual [m] is
    left in ``loads.misfit``.
    """
    change, matrix, force = loads.change, loads.matrix, loads.force
    residual = 0.0
    for a in range(n):
        i = index[a]
        gap = gap_under_load(n_all, table, G, force, i)
        misfit = own_approach(loads.approach[i], table[i, EASE]) + gap
        residual = max(residual, abs(misfit))
        change[a, 0], change[a, 1] = -misfit, gap
        for c in range(n):
            matrix[a, c] = G[i, index[c]]
        matrix[a, a] += loads.approach[i, 1] / length
    loads.misfit[0] = residual
    solve_in_place(matrix, change, n, SINGLE)
    largest, step, opened = 1e-300, 0.0, False
    for a in range(n):
        i = index[a]
        before = force[i]
        new = before + change[a, 0]
        # far below zero: the linear forecast is clear
        if (new <= 0.0 and change[a, 1] - G[i, i] * before >= 0.0) or new < -before:
            new, opened = 0.0, True
            loads.active[i], loads.opens[i] = 0, 1
        else:
            least = SOFTENING
            # of a slice that touches in part the approach goes with the root of the load (README, section 4)
            if loads.approach[i, 6] < 1.0 and new < before:
                new, least = before * (1.0 + 0.5 * change[a, 0] / before) ** 2, LEAST_LOAD
            new = max(new, least * before)
        largest, step = max(largest, new), max(step, abs(new - before))
        force[i] = new
    return step / largest, opened


@lean_kernel
def list_closing(n, table, G, limit, one_by_one, loads):
    """List the open points that the displacement of the loads closes somewhere in their slice.

    Their mean overlaps are left in ``change``.
    """
    count = 0
    for i in range(n):
        if not loads.active[i] and not loads.opens[i]:
            gap = gap_under_load(n, table, G, loads.force, i)
            if gap < -limit:
                loads.closes[count] = i
                loads.change[i, 0] = mean_overlap(-gap, table[i, EASE])
                count += 1
                if one_by_one:
                    break
    return count


@lean_kernel
def set_line_loads(index, n, loads, factor):
    """Line loads [N/m] of n points: their forces times a factor [1/m]."""
    for a in range(n):
        loads.line_load[index[a]] = loads.force[index[a]] * factor


@lean_kernel
def couple_active(model, found, n, rows, loads, coupling, quick, again):
    """Compliance of the active points among themselves, and where it is not ``quick`` of the others to them.

    Where the gears have hardly moved since, ``again``, what was pushed before may serve.
    """
    index = loads.index
    m = list_active(n, loads.active, index)
    known = 0
    for a in range(m):
        known += coupling.coupled[index[a]]
    if known < m:
        if again and model.friction.kind == 0 and hardly_moved(rows, index, m, n, coupling):
            couple_again(model, found, rows, index, m, coupling)
        else:
            push(model, rows, coupling.tiles, rows.e, index, m, n, coupling.pushed)
            keep_pushed(rows, index, m, n, coupling)
            couple(model, found, rows, index, m, coupling)
        for i in range(n):
            coupling.coupled[i] = loads.active[i]
    if not quick:
        couple_others(model, found, n, rows, loads.active, index, m, coupling)


@lean_kernel
def close_points(model, found, loads, closing):
    """First loads of points that close: their overlap over the slope of the approach at a small load."""
    largest = 0.0
    for i in range(found.count[0]):
        largest = max(largest, loads.force[i])
    # in proportion to the others: a slice that touches in part opens again from a first load far above its own
    least = LEAST_FIRST_LOAD * (largest if largest > 0.0 else model.modulus * model.deepest * model.deepest)
    for a in range(closing):
        i = loads.closes[a]
        loads.line_load[i], loads.trial_strips[i, 0] = SMALL_LOAD * model.modulus * model.deepest, 0.0
    whole_approaches(model, found, loads.closes, closing, loads.line_load, loads.trial_strips, loads.approach)
    for a in range(closing):
        i = loads.closes[a]
        loads.force[i] = max(loads.change[i, 0] * model.length / loads.approach[i, 1], least)
        loads.active[i] = 1


@kernel(lean=True)
def find_loads(model, found, rows, coupling, loads, scale, quick, again):
    """Active set with Newton: forces [N] with gap + approach + G F = 0 where F > 0, open elsewhere.

    ``scale`` is the largest overlap [m]; ``quick`` leaves it to `least_open_gap` to look at the open points, ``again``
    is that of `couple_active`. Returns the number of iterations, or NOT_SETTLED.
    """
    n, length, index, G = found.count[0], model.length, loads.index, coupling.G
    before, closing = 1.0, 0  # the first step counts as shrunk from the whole load
    couple_active(model, found, n, rows, loads, coupling, quick, again)
    for iteration in range(ITERATIONS):
        for i in range(n):
            loads.opens[i] = 0
        active = list_active(n, loads.active, index)
        set_line_loads(index, active, loads, 1.0 / length)
        approaches(model, found, index, active, loads.line_load, loads.strips, loads.approach)
        relative, opened = newton_step(n, found.table, G, length, index, active, loads)
        if not quick:
            closing = list_closing(n, found.table, G, TOLERANCE * scale, iteration >= PATIENCE, loads)
        if closing:
            close_points(model, found, loads, closing)
            couple_active(model, found, n, rows, loads, coupling, quick, again)
        elif not opened and (relative * relative < LOAD_TOLERANCE * before or 0.5 * before < relative < ROUND_OFF):
            return iteration + 1
        before = relative
    return NOT_SETTLED


@lean_kernel
def least_open_gap(model, points):
    """Smallest gap that the loads of a quick evaluation leave to the other points [m].

    Infinite if there is none; where it is below minus a tolerance, which is added, another point comes to carry.
    """
    found, rows, loads, G, n = points.found, points.rows, points.loads, points.coupling.G, points.found.count[0]
    index = loads.index
    m = list_active(n, loads.active, index)
    least, overlap = np.inf, 0.0
    for i in range(n):
        overlap = max(overlap, found.table[i, EASE] - found.table[i, GAP])
        if not loads.active[i]:
            couple_point(model, found, rows, points.coupling.tiles, i, index, m, G)
            least = min(least, gap_under_load(n, found.table, G, loads.force, i))
    return least + TOLERANCE * overlap


@lean_kernel
def number_loaded(points):
    """How many points carry load in the last evaluation."""
    return list_active(points.found.count[0], points.loads.active, points.loads.index)
