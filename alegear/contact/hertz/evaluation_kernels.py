"""Compiled: one evaluation of a mesh, and what is kept of its loaded points (``README.md``, section 8)."""

from __future__ import annotations

from alegear.contact.hertz.approach_kernels import displace_sides, find_candidates
from alegear.contact.hertz.coupling_kernels import push
from alegear.contact.hertz.load_kernels import (
    find_loads,
    join_places,
    keep,
    keep_rates,
    list_active,
    set_line_loads,
    take_up,
)
from alegear.contact.hertz.model_kernels import N_COLUMNS, N_TURNS, ROWS
from alegear.contact.hertz.move_kernels import force_in_space
from alegear.contact.hertz.row_kernels import (
    add_given,
    displacement_rows,
    farthest_ahead,
    force_rows,
    give,
    open_gaps,
    reach_ahead,
    reach_of_shapes,
    take_ahead,
    turn_both,
)
from alegear.contact.hertz.strip_kernels import approaches
from alegear.contact.hertz.tangent_kernels import (
    displace,
    energies,
    generalized_rows,
    move_points,
    sum_forces,
    tangents,
    turned_loads,
)
from alegear.kernels.decorators import kernel, lean_kernel

REACH_FLOOR = 1.7e-3  # of the deepest overlap there may be: gaps up to this beyond the deepest there are are candidates
NOT_SETTLED, NO_ROOM = -1, -2
TANGENT, ENERGY, QUICK, AGAIN, NEAR = 1, 2, 4, 8, 16  # what is wanted of an evaluation; they add up


@lean_kernel
def half_width(loads, i, length):
    """Half-width of the strip of point i [m]; the load has taken a last step after the strip was found."""
    step = (loads.force[i] / length - loads.line_load[i]) / loads.approach[i, 6]
    return loads.strips[i, 0] + step / loads.approach[i, 4]


@kernel(lean=True)
def record_loaded(model, found, rows, loads, sample, record):
    """Append the loaded points of one sample to a record; its size is up to the caller."""
    m = record.count[0]
    for i in range(found.count[0]):
        if loads.force[i] > 0.0:
            record.sample[m] = sample
            record.side_of[m], record.pair_of[m], record.slice_of[m] = (
                found.side_of[i],
                found.pair_of[i],
                found.slice_of[i],
            )
            for column in range(N_COLUMNS):
                record.table[m, column] = found.table[i, column]
            for gear in range(2):
                record.slot[m, gear], record.first[m, gear] = rows.slot[gear, i], rows.first[gear, i]
                for q in range(rows.e.shape[2]):
                    record.e[m, gear, q] = rows.e[gear, i, q]
            record.force[m], record.half_width[m] = loads.force[i], half_width(loads, i, model.length)
            record.strip_place[m] = loads.strips[i, 1]
            record.touching[m], record.mu[m] = loads.approach[i, 6], rows.mu[i]
            force_in_space(model, found, i, record.normal[m], record.tangent[m], record.place[m], record.axis[m])
            m += 1
    record.count[0] = m


@kernel
def nodal_forces(sample, slice_of, first, e, force, gear, n_axes, n_cols, offset, first_col, weight, out):
    """Add the contact forces of one gear to the nodes of its tooth faces, ``out`` (samples, n_dof) [N].

    ``offset`` (n,) first degree of freedom of the face of each point; ``first_col``, ``weight`` the mean over a slice.
    """
    for i in range(sample.shape[0]):
        k = slice_of[i]
        first_row = first[i, gear] // n_axes
        for row in range(ROWS):
            for c in range(weight.shape[1]):
                node = offset[i] + 3 * ((first_row + row) * n_cols + first_col[k] + c)
                for axis in range(n_axes):
                    share = e[i, gear, row * n_axes + axis] * weight[k, c]
                    out[sample[i], node + axis] += force[i] * share


@lean_kernel
def find_all(model, motion, points, near):
    """Find the points that may touch, and what opens their gaps besides loads; whether there was room for them."""
    found, rows, g = points.found, points.rows, points.generalized
    vibrates, closing = g.given.shape[1] > 0, farthest_ahead(model, motion)
    if g.moves.shape[1] > N_TURNS:
        displace_sides(model, motion.shift, found)
    if vibrates:
        turn_both(model, motion.modal, motion.loads, motion.first_pair[0], g.amplitudes, g.turned)
        closing += reach_of_shapes(model, motion, g.turned, g.reach) + reach_ahead(model, motion)
    find_candidates(model, motion, REACH_FLOOR * model.deepest + closing, near, found)
    if found.left_out[0] > 0:
        return False
    if vibrates:
        displacement_rows(model, found, rows)
        give(model, found, rows, g.turned, g.given)
        open_gaps(found, rows, g.given)
    join_places(
        model, found
    )  # by the gaps before they are ahead, so that the contact without losses has the same points
    for i in range(found.count[0]):
        points.coupling.coupled[i], found.gap_offset[i] = 0, 0.0
    return True


@kernel(lean=True, nogil=True)
def differentiate(model, motion, memory, points, response):
    """Derivatives of the generalised forces of the last evaluation with these points, once."""
    rows, coupling, index, rubs = points.rows, points.coupling, points.loads.index, model.friction.kind != 0
    n = list_active(points.found.count[0], points.loads.active, index)
    if rubs:
        push(model, rows, coupling.tiles, rows.b, index, n, points.found.count[0], coupling.normal_pushed)
    if points.generalized.given.shape[1] > 0:  # what is ahead turns with the normals, too
        add_given(points.generalized.prescribed_gap_offset, coupling.displaced, index, n)
    move_points(model, points, motion.omega, n)
    turned_loads(model, points, motion, n, rubs)
    tangents(model, points, motion.first_pair[0], n, rubs, response)
    keep_rates(points.found, points.loads, memory)


@kernel(lean=True, nogil=True)
def evaluate(model, motion, wanted, memory, points, response):
    """Contact of one motion of both gears: loads of all slices, generalised forces, and what else is wanted.

    ``wanted`` is a sum of

    * TANGENT: derivatives of the forces by coordinates and speeds;
    * ENERGY: elastic energy and its derivatives;
    * QUICK: the points that carried load before are taken for those that do (`least_open_gap` tells whether they are);
    * AGAIN: the coordinates are those of the last evaluation with these points, so that what these alone make is taken
      from there, if it has left any points; what gaps are ahead by must not be further than there;
    * NEAR: the gears may be so near to where they were at the last search that its sampled gaps, and what the points
      pushed there, tell enough.

    Returns
    -------
    int : iterations of the loads, 0 where nothing touches, NOT_SETTLED if the active set does not settle, NO_ROOM if
        more positions come near than `most_points`.
    """
    found, rows, coupling, loads, g = points.found, points.rows, points.coupling, points.loads, points.generalized
    first_pair, vibrates = motion.first_pair[0], g.given.shape[1] > 0
    known, near = wanted & AGAIN != 0 and found.count[0] > 0, wanted & NEAR != 0
    if not near and not known:  # what was pushed long ago must not tell, for a run that is taken up does not have it
        coupling.pushed_of[0] = 0
    if not known and not find_all(model, motion, points, near):
        return NO_ROOM
    if vibrates:
        give_ahead(model, motion, points)
    take_ahead(model, points, motion, vibrates)
    scale = take_up(model, found, motion.phi, first_pair, memory, loads)
    n, index, iterations = 0, loads.index, 0
    if scale > 0.0:
        if not known and not vibrates:
            displacement_rows(model, found, rows)
        force_rows(model.friction, motion.omega, found, rows, coupling)
        iterations = find_loads(model, found, rows, coupling, loads, scale, wanted & QUICK != 0, near)
        if iterations == NOT_SETTLED:
            return iterations
        n = list_active(found.count[0], loads.active, index)
        if not wanted & QUICK:  # their slopes are those of loads that differ by the last step, and of strips nearly met
            set_line_loads(index, n, loads, 1.0 / model.length)
            approaches(model, found, index, n, loads.line_load, loads.strips, loads.approach)
    else:
        found.count[0] = 0
    displace(found, coupling, loads.force, index, n)
    if vibrates:
        add_given(g.given, coupling.displaced, index, n)
    generalized_rows(model, points, first_pair, n)
    sum_forces(found, rows, g, loads.force, index, n, response)
    keep(found, model.length, motion.phi, first_pair, loads, memory)
    if wanted & TANGENT:
        differentiate(model, motion, memory, points, response)
    if wanted & ENERGY:
        energies(model, points, n, response)
    return iterations


@lean_kernel
def give_ahead(model, motion, points):
    """Displacement of the nodes of all points by what the modes are ahead; nought where they are not."""
    g, away = points.generalized, False
    for j in range(motion.modal_gap_offset.shape[0]):
        away = away or motion.modal_gap_offset[j] != 0.0
    if not away:
        g.prescribed_gap_offset[:] = 0.0
        return
    turn_both(model, motion.modal_gap_offset, motion.no_loads, motion.first_pair[0], g.amplitudes, g.turned)
    give(model, points.found, points.rows, g.turned, g.prescribed_gap_offset)
