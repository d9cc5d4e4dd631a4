"""Tables and buffers for the kernels, made of a line contact once."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.compliance import SliceCompliance, most_points
from alegear.contact.hertz.geometry import ContactGeometry
from alegear.contact.law import Friction
from alegear.contact.numbering import SPIN, WHEEL
from alegear.parallel import in_parallel

Array = NDArray[np.float64]

DEEPEST = 0.3  # modules; beyond it a flank would look at its mate from behind
# What a sampled gap may be off [modules]. Between samples it is 0.0004 modules at most (a tip round of 0.05 modules in
# six steps), off the pitch circle its projection on the normal adds gap^2/m: 0.002 modules at a gap of 0.05 modules.
MARGIN = 0.01
KINDS = {"none": 0, "coulomb": 1, "velocity": 2}


def kernel_model(contact: ContactGeometry) -> kernels.Model:
    """Collect what the kernels need of a line contact."""
    cos_beta_b = float(contact.sides[0].axial[0])
    m_n = contact.pair.pinion.m_n
    pinion, wheel = in_parallel([partial(_body, contact, gear) for gear in range(2)])
    return kernels.Model(
        pinion=pinion,
        wheel=wheel,
        loaded=contact.sides[0],
        back=contact.sides[-1],
        n_sides=len(contact.sides),
        n_pairs=contact.n_pairs,
        n_slices=len(contact.face),
        n_strips=len(contact.face) * len(contact.bodies[0].faces),
        n_axes=contact.n_axes,
        width=contact.face.width,
        length=contact.contact_length,
        deepest=DEEPEST * m_n,
        margin=MARGIN * m_n,
        # a line of contact is square to the tangents of the transverse sections, whose radii are smaller by cos beta_b
        modulus=cos_beta_b / (pinion.layer.softness + wheel.layer.softness),
        least_curvature=contact.least_curvature,
        friction=_friction(contact.friction),
        z=np.stack([contact.face.z, contact.face.z + contact.pair.alignment.axial_offset]),
        r_w=_own(np.array(_pitch_radii(contact))),
        twist=np.array([gear.twist for gear in contact.pair.gears]),
        center_distance=contact.pair.a_w,
        n_modes=np.array([shapes.n_modes for shapes in contact.shapes], dtype=np.int64),
        n_loads=contact.shapes[0].n_loads,
    )


def _pitch_radii(contact: ContactGeometry) -> tuple[float, float]:
    pinion, wheel = contact.pair.gears
    r_1 = contact.pair.a_w * pinion.z / (pinion.z + wheel.z)
    return r_1, contact.pair.a_w - r_1


def _own(values: Array) -> Array:
    """A writable array in C order: for compiled code any other is of another type, and would be compiled again."""
    return np.require(values, np.float64, ["C", "W"])


def _body(contact: ContactGeometry, gear: int) -> kernels.Body:
    body, pair = contact.bodies[gear], contact.pair
    compliance = SliceCompliance.of(
        body,
        gear,
        *contact.columns[gear],
        borders=contact.own_borders(gear),
        cos_beta_b=float(contact.sides[0].axial[0]),
        axial=contact.n_axes == 3,
    )
    return kernels.Body(
        blocks=compliance.blocks.reshape(-1),
        block_of=compliance.block_of,
        smooth=compliance.smooth.reshape(-1),
        smooth_first=compliance.smooth_first,
        smooth_weight=compliance.smooth_weight,
        n_smooth=compliance.smooth.shape[1],
        rows_s=_own(body.grid.rows_s),
        coefficients=_own(body.grid.row_coefficients),
        layer=_layer(body),
        place=np.array(
            [
                contact.reference_angle[gear],
                pair.wheel.twist * pair.alignment.axial_offset if gear == WHEEL else 0.0,
                contact.pitch_angle[gear],
                SPIN[gear],
            ]
        ),
        shapes=contact.shapes[gear].on_slices,
        phases=contact.shapes[gear].phases,
        largest=contact.shapes[gear].largest,
    )


def _layer(body: ElasticBody) -> kernels.Layer:
    layer = body.layer
    return kernels.Layer(
        s=_own(layer.s),
        narrowest=layer.narrowest,
        log_b=_own(layer.log_b),
        table=layer.table,
        softness=body.softness,
    )


def _friction(friction: Friction) -> kernels.FrictionNumbers:
    return kernels.FrictionNumbers(
        kind=KINDS[friction.kind],
        mu_static=friction.mu_static,
        mu_dynamic=friction.mu_dynamic,
        v_static=friction.v_static,
        v_dynamic=friction.v_dynamic,
    )


def buffers(model: kernels.Model, *, displaced: bool = False) -> kernels.Points:
    """Room for the candidate points of one state: all pairs and slices of all sides, and some in a second place.

    With displacements of the gears as coordinates if `displaced`.
    """
    shape = (model.n_sides, model.n_pairs, model.n_slices, kernels.PLACES)
    n, n_e = most_points(model.n_sides, model.n_pairs, model.n_slices), kernels.ROWS * model.n_axes
    n_geometric = kernels.N_GEOMETRIC if displaced else kernels.N_TURNS
    n_x = n_geometric + int(model.n_modes.sum())

    def numbers(*sizes: int) -> NDArray[np.int64]:
        return np.zeros(sizes, dtype=np.int64)

    def at_rest(side: kernels.Side) -> kernels.SidePosition:
        return kernels.SidePosition(
            sections=side.sections.copy(), identical_slice=side.identical_slice.copy(), rocking=np.zeros(1)
        )

    found = kernels.ContactCandidates(
        loaded=at_rest(model.loaded),
        back=at_rest(model.back),
        count=numbers(1),
        left_out=numbers(1),
        table=np.zeros((n, kernels.N_COLUMNS)),
        side_of=numbers(n),
        pair_of=numbers(n),
        slice_of=numbers(n),
        place_of=numbers(n),
        identical_point=numbers(n),
        row_at=numbers(n),
        gap_offset=np.zeros(n),
        angles=np.zeros((model.n_sides, model.n_pairs, 3)),
        tooth=numbers(model.n_sides, model.n_pairs, 2),
        estimate=np.zeros(shape),
        sample=numbers(*shape),
        foot=np.zeros(shape),
        guess=np.full((*shape, 2), np.nan),
        warm_start_of=numbers(*shape),
        distance=np.zeros(shape),
        row_of=numbers(kernels.PLACES * model.n_slices),
        searched=np.zeros(2 + kernels.N_GEOMETRIC),
    )
    along = {name: np.zeros((2, n, n_e)) for name in ("b", "t", "e", "b_s", "b_turn", "t_s", "t_turn")}
    rows = kernels.DisplacementRows(
        slot=numbers(2, n), strip=numbers(2, n), first=numbers(2, n), mu=np.zeros(n), mu_v=np.zeros(n), **along
    )
    rubbing = n if model.friction.kind else 0
    coupling = kernels.PointCompliance(
        pushed=np.zeros((2, n * n * n_e)),
        normal_pushed=np.zeros((2, rubbing * rubbing * n_e)),
        pushed_of=numbers(1),
        pushed_at=numbers(2, n, 3),
        pushed_by=np.zeros((2, n, n_e)),
        moved=np.zeros((2, n, n_e)),
        displaced=np.zeros((2, n, n_e)),
        G=np.zeros((n, n)),
        coupled=numbers(n),
        turned=np.zeros((2, n_e)),
        tiles=kernels.Tiles(
            place=np.zeros((2, kernels.N_TILES), dtype=np.uint64), part=np.zeros((2, kernels.N_TILES * n_e * n_e))
        ),
    )
    loads = kernels.Loads(
        force=np.zeros(n),
        line_load=np.zeros(n),
        rate=np.zeros((n, 2)),
        strips=np.zeros((n, 2)),
        trial_strips=np.zeros((n, 2)),
        approach=np.zeros((n, 7)),
        active=numbers(n),
        opens=numbers(n),
        closes=numbers(n),
        index=numbers(n),
        change=np.zeros((n, n_x + n_geometric + 2)),
        matrix=np.zeros((n, n)),
        misfit=np.zeros(1),
    )
    return kernels.Points(
        found=found,
        rows=rows,
        coupling=coupling,
        loads=loads,
        generalized=_generalized(model, n, n_e, n_geometric, n_x),
    )


def _generalized(model: kernels.Model, n: int, n_e: int, n_geometric: int, n_x: int) -> kernels.Generalized:
    """Room for what coordinates do to n points."""
    widest = max(body.shapes.shape[2] for body in (model.pinion, model.wheel))
    given = (2, n, n_e) if widest else (2, 0, 0)
    return kernels.Generalized(
        given=np.zeros(given),
        prescribed_gap_offset=np.zeros(given),
        amplitudes=np.zeros(widest),
        turned=np.zeros((2, model.n_pairs, widest)),
        reach=np.zeros(3 + int(model.n_modes.sum()) + 2 * model.n_loads),
        moves=np.zeros((n, n_geometric, kernels.N_MOVES)),
        opening=np.zeros((n, n_x)),
        rubbing=np.zeros((n, n_x)),
        pushing=np.zeros((n, n_x)),
        local=np.zeros((n_geometric, kernels.N_LOCAL)),
        by=np.zeros((kernels.N_LOCAL, kernels.N_MOVES)),
        rows=np.zeros((2, max(n_x, 2 * kernels.N_SHIFTS))),
        bases=np.zeros((kernels.N_BASES, 2 * kernels.N_SHIFTS)),
    )


def empty_motion(model: kernels.Model) -> kernels.MeshKinematics:
    """Gears in their positions without load, at rest."""
    m = int(model.n_modes.sum())
    return kernels.MeshKinematics(
        phi=np.zeros(2),
        omega=np.zeros(2),
        first_pair=np.zeros(1, dtype=np.int64),
        shift=np.zeros(2 * kernels.N_SHIFTS),
        modal=np.zeros(m),
        loads=np.zeros((2, model.n_loads)),
        gap_offset=np.zeros(2),
        shift_gap_offset=np.zeros(2 * kernels.N_SHIFTS),
        modal_gap_offset=np.zeros(m),
        no_loads=np.zeros((2, model.n_loads)),
    )


def empty_memory(model: kernels.Model) -> kernels.Memory:
    """Nothing to start from."""
    shape = (2, model.n_pairs, model.n_slices, kernels.PLACES)
    return kernels.Memory(
        line_load=np.zeros(shape),
        s=np.zeros(shape),
        strips=np.zeros((*shape, 2)),
        rate=np.zeros((*shape, 2)),
        phi=np.zeros(2),
        first_pair=np.zeros(1, dtype=np.int64),
    )


def warm_start(memory: kernels.Memory, points: kernels.Points) -> dict[str, NDArray[Any]]:
    """Where the next evaluation starts: the arrays themselves, by name, to be copied or written to."""
    return {**memory._asdict(), "guess": points.found.guess, "reach": points.generalized.reach}


def empty_record(model: kernels.Model, n: int) -> kernels.Record:
    """Room for n loaded points."""
    n_e = kernels.ROWS * model.n_axes
    return kernels.Record(
        count=np.zeros(1, dtype=np.int64),
        sample=np.empty(n, dtype=np.int64),
        side_of=np.empty(n, dtype=np.int64),
        pair_of=np.empty(n, dtype=np.int64),
        slice_of=np.empty(n, dtype=np.int64),
        slot=np.empty((n, 2), dtype=np.int64),
        first=np.empty((n, 2), dtype=np.int64),
        table=np.empty((n, kernels.N_COLUMNS)),
        e=np.empty((n, 2, n_e)),
        force=np.empty(n),
        half_width=np.empty(n),
        strip_place=np.empty(n),
        touching=np.empty(n),
        mu=np.empty(n),
        normal=np.empty((n, 3)),
        tangent=np.empty((n, 3)),
        place=np.empty((n, 3)),
        axis=np.empty((n, 2)),
    )


def empty_response(n_pairs: int, n: int) -> kernels.MeshResponse:
    """Room for one answer about n coordinates."""
    return kernels.MeshResponse(
        pair_torque=np.zeros((n_pairs, 2)),
        force=np.zeros(n),
        friction=np.zeros(n),
        by_coordinate=np.zeros((n, n)),
        by_gap_offset=np.zeros((n, n)),
        by_speed=np.zeros((n, 2)),
        energy=np.zeros(3),
    )
