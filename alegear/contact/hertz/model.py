"""Tables and buffers for the kernels, made of a line contact once."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.approach_kernels import points_on
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.compliance import SliceCompliance, most_points
from alegear.contact.hertz.flank_side import FlankSide
from alegear.contact.hertz.geometry import ContactGeometry
from alegear.contact.hertz.profile import SlicedProfile
from alegear.contact.law import Friction
from alegear.contact.numbering import SPIN, WHEEL, flank_side
from alegear.parallel import in_parallel

Array = NDArray[np.float64]

DEEPEST = 0.3  # modules; beyond it a flank would look at its mate from behind
# What a sampled gap may be off [modules]. Between samples it is 0.0004 modules at most (a tip round of 0.05 modules in
# six steps), off the pitch circle its projection on the normal adds gap^2/m: 0.002 modules at a gap of 0.05 modules.
MARGIN = 0.01
KINDS = {"none": 0, "coulomb": 1, "velocity": 2}


def kernel_model(contact: ContactGeometry) -> kernels.Model:
    """Collect what the kernels need of a line contact."""
    sides = [_side(contact, side) for side in contact.sides]
    cos_beta_b = float(contact.sides[0].axial[0])
    m_n = contact.pair.pinion.m_n
    pinion, wheel = in_parallel([partial(_body, contact, gear) for gear in range(2)])
    return kernels.Model(
        pinion=pinion,
        wheel=wheel,
        loaded=sides[0],
        back=sides[-1],
        n_sides=len(sides),
        n_pairs=contact.n_pairs,
        n_slices=len(contact.face),
        n_strips=len(contact.face) * len(contact.bodies[0].faces),
        n_axes=_axes(contact),
        width=contact.face.width,
        length=contact.contact_length,
        deepest=DEEPEST * m_n,
        margin=MARGIN * m_n,
        slack=np.zeros(1),
        # a line of contact is square to the tangents of the transverse sections, whose radii are smaller by cos beta_b
        modulus=cos_beta_b / (pinion.layer.softness + wheel.layer.softness),
        least_curvature=contact.least_curvature,
        friction=_friction(contact.friction),
    )


def _own(values: Array) -> Array:
    """A writable array in C order: for compiled code any other is of another type, and would be compiled again."""
    return np.require(values, np.float64, ["C", "W"])


def _axes(contact: ContactGeometry) -> int:
    """Axes along which contact forces act: not the gear axis, where all normals are square to it."""
    return 3 if any(side.axial[1] != 0.0 for side in contact.sides) else 2


def _knots(profile: SlicedProfile) -> Array:
    """What the kernels know of the knots."""
    per_spacing = 1.0 / profile.knots[:, [1, 3]]
    return np.column_stack([profile.knots, np.full(len(per_spacing), profile.round_radius), per_spacing])


def _with_points(profile: SlicedProfile, places: Array) -> Array:
    """Places on a profile (n_slices, n), and its points there, shape (n_slices, n, 3) [m]."""
    slice_of = np.repeat(np.arange(len(places)), places.shape[1])
    x, y = points_on(_knots(profile), profile.curve, slice_of, places.reshape(-1))
    return np.stack([places, x.reshape(places.shape), y.reshape(places.shape)], axis=2)


def _profile(profile: SlicedProfile) -> kernels.Profile:
    radius, s, angle, cosine = np.moveaxis(profile.polar, 2, 0)
    return kernels.Profile(
        knots=_knots(profile),
        curve=np.concatenate([profile.curve, profile.angle], axis=2),
        polar=np.stack([radius, s, np.cos(angle), np.sin(angle), cosine], axis=2),
        samples=_with_points(profile, profile.samples),
        corner=_with_points(profile, profile.corner),
    )


def _side(contact: ContactGeometry, side: FlankSide) -> kernels.Side:
    frames = [turn(angle) for angle in side.section_angle for turn in (np.cos, np.sin)]
    return kernels.Side(
        side=side.side,
        pinion=_profile(side.profiles[0]),
        wheel=_profile(side.profiles[1]),
        wheel_lead=side.wheel_lead,
        switch_angle=side.switch_angle,
        sections=np.column_stack([*side.twist, *frames, *side.axis]),
        axial=_own(side.axial),
        face=np.array(side.face, dtype=np.int64),
        displaced=1.0 if side.side == flank_side(contact.front) else -1.0,
        like=_first_alike(side),
        swing=np.zeros(2),
    )


def _first_alike(side: FlankSide) -> NDArray[np.int64]:
    """First slice with the same profiles in the same place: of spur gears without deviations along the face, one.

    Their closest approach is the same to the last bit, and is found once.
    """
    one, two = side.profiles
    parts = [one.curve, two.curve, *side.twist, *side.section_angle, *side.axis]
    n = len(one.curve)
    rows = np.hstack([np.ascontiguousarray(part).reshape(n, -1) for part in parts]) + 0.0  # bytes tell -0.0 from 0.0
    first: dict[bytes, int] = {}
    return np.array([first.setdefault(row.tobytes(), k) for k, row in enumerate(rows)], dtype=np.int64)


def _body(contact: ContactGeometry, gear: int) -> kernels.Body:
    body, pair = contact.bodies[gear], contact.pair
    compliance = SliceCompliance.of(
        body,
        gear,
        *contact.columns[gear],
        borders=contact.own_borders(gear),
        cos_beta_b=float(contact.sides[0].axial[0]),
        axial=_axes(contact) == 3,
    )
    return kernels.Body(
        blocks=compliance.blocks.reshape(-1),
        block_of=compliance.block_of,
        smooth=compliance.smooth.reshape(-1),
        smooth_first=compliance.smooth_first,
        smooth_weight=compliance.smooth_weight,
        n_smooth=compliance.smooth.shape[1],
        rows_s=_own(body.grid.rows_s),
        coefficients=_own(body.row_coefficients),
        layer=_layer(body),
        place=np.array(
            [
                contact.reference_angle[gear],
                pair.wheel.twist * pair.alignment.axial_offset if gear == WHEEL else 0.0,
                contact.pitch_angle[gear],
                SPIN[gear],
            ]
        ),
        deviation=_own(pair.gears[gear].pitch_deviation),
        given=np.empty((0, 0, 0)),
    )


def _layer(body: ElasticBody) -> kernels.Layer:
    layer = body.layer
    return kernels.Layer(s=_own(layer.s), log_b=_own(layer.log_b), table=_own(body.layer_table), softness=body.softness)


def _friction(friction: Friction) -> kernels.Friction:
    return kernels.Friction(
        kind=KINDS[friction.kind],
        mu_static=friction.mu_static,
        mu_dynamic=friction.mu_dynamic,
        v_static=friction.v_static,
        v_dynamic=friction.v_dynamic,
    )


def buffers(model: kernels.Model) -> kernels.Points:
    """Room for the candidate points of one state: all pairs and slices of all sides, and some in a second place."""
    shape = (model.n_sides, model.n_pairs, model.n_slices, kernels.PLACES)
    n, n_e = most_points(model.n_sides, model.n_pairs, model.n_slices), kernels.ROWS * model.n_axes

    def numbers(*sizes: int) -> NDArray[np.int64]:
        return np.zeros(sizes, dtype=np.int64)

    found = kernels.Found(
        count=numbers(1),
        left_out=numbers(1),
        table=np.zeros((n, kernels.N_COLUMNS)),
        side_of=numbers(n),
        pair_of=numbers(n),
        slice_of=numbers(n),
        place_of=numbers(n),
        twin=numbers(n),
        row_at=numbers(n),
        ahead=np.zeros(2),
        angles=np.zeros((model.n_sides, model.n_pairs, 3)),
        estimate=np.zeros(shape),
        sample=numbers(*shape),
        foot=np.zeros(shape),
        guess=np.full((*shape, 2), np.nan),
        heir=numbers(*shape),
        distance=np.zeros(shape),
        row_of=numbers(kernels.PLACES * model.n_slices),
    )
    rows = kernels.Rows(
        slot=numbers(2, n),
        strip=numbers(2, n),
        first=numbers(2, n),
        b=np.zeros((2, n, n_e)),
        t=np.zeros((2, n, n_e)),
        e=np.zeros((2, n, n_e)),
        b_x=np.zeros((2, n, 2, n_e)),
        t_x=np.zeros((2, n, 2, n_e)),
        mu=np.zeros(n),
        mu_v=np.zeros(n),
    )
    rubbing = n if model.friction.kind else 0
    coupling = kernels.Coupling(
        pushed=np.zeros((2, n, n, n_e)),
        normal_pushed=np.zeros((2, rubbing, rubbing, n_e)),
        displaced=np.zeros((2, n, n_e)),
        G=np.zeros((n, n)),
        coupled=numbers(n),
        turned=np.zeros((4, n_e)),
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
        change=np.zeros((n, 6)),
        mu_x=np.zeros((n, 4)),
        matrix=np.zeros((n, n)),
        misfit=np.zeros(1),
    )
    return kernels.Points(found=found, rows=rows, coupling=coupling, loads=loads)


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
    return {**memory._asdict(), "guess": points.found.guess}


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
        touching=np.empty(n),
        mu=np.empty(n),
    )


def empty_answer(n_pairs: int) -> kernels.Answer:
    """Room for one answer."""
    return kernels.Answer(
        pair_torque=np.zeros((n_pairs, 2)),
        torque=np.zeros(2),
        friction_torque=np.zeros(2),
        torque_phi=np.zeros((2, 2)),
        torque_ahead=np.zeros((2, 2)),
        torque_omega=np.zeros((2, 2)),
        energy=np.zeros(3),
    )
