"""Tables and buffers for the kernels, made of a line contact once: what an evaluation works in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from alegear.arrays import AnyArray, Array, Indices
from alegear.contact.forces import MeshMotion
from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.compliance import SliceCompliance, most_points
from alegear.contact.hertz.geometry import ContactGeometry
from alegear.contact.law import Friction
from alegear.contact.numbering import SPIN, WHEEL
from alegear.kernels.structs import room
from alegear.parallel import in_parallel

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

    def at_rest(side: kernels.Side) -> kernels.SidePosition:
        return kernels.SidePosition(
            sections=side.sections.copy(), identical_slice=side.identical_slice.copy(), rocking=np.zeros(1)
        )

    found = room(
        kernels.ContactCandidates,
        n,
        count=1,
        left_out=1,
        table=(n, kernels.N_COLUMNS),
        angles=(model.n_sides, model.n_pairs, 3),
        tooth=(model.n_sides, model.n_pairs, 2),
        **dict.fromkeys(("estimate", "sample", "foot", "warm_start_of", "distance"), shape),
        guess=(*shape, 2),
        row_of=kernels.PLACES * model.n_slices,
        searched=2 + kernels.N_GEOMETRIC,
    )
    found.guess[...] = np.nan
    found = found._replace(loaded=at_rest(model.loaded), back=at_rest(model.back))
    by_point = dict.fromkeys(("slot", "strip", "first"), (2, n))
    rows = room(kernels.DisplacementRows, (2, n, n_e), **by_point, mu=n, mu_v=n)
    rubbing = n if model.friction.kind else 0
    coupling = room(
        kernels.PointCompliance,
        (2, n, n_e),
        pushed=(2, n * n * n_e),
        normal_pushed=(2, rubbing * rubbing * n_e),
        pushed_of=1,
        pushed_at=(2, n, 3),
        G=(n, n),
        coupled=n,
        turned=(2, n_e),
    )
    tiles = room(kernels.Tiles, (2, kernels.N_TILES), part=(2, kernels.N_TILES * n_e * n_e))
    coupling = coupling._replace(tiles=tiles)
    by_point = dict.fromkeys(("rate", "strips", "trial_strips"), (n, 2))
    change = n, n_x + n_geometric + 2
    loads = room(kernels.Loads, n, **by_point, approach=(n, 7), change=change, matrix=(n, n), misfit=1)
    generalized = _generalized(model, n, n_e, n_geometric, n_x)
    return kernels.Points(found=found, rows=rows, coupling=coupling, loads=loads, generalized=generalized)


def _generalized(model: kernels.Model, n: int, n_e: int, n_geometric: int, n_x: int) -> kernels.Generalized:
    """Room for what coordinates do to n points."""
    widest = max(body.shapes.shape[2] for body in (model.pinion, model.wheel))
    given = (2, n, n_e) if widest else (2, 0, 0)
    return room(
        kernels.Generalized,
        (n, n_x),
        given=given,
        prescribed_gap_offset=given,
        amplitudes=widest,
        turned=(2, model.n_pairs, widest),
        reach=3 + int(model.n_modes.sum()) + 2 * model.n_loads,
        moves=(n, n_geometric, kernels.N_MOVES),
        local=(n_geometric, kernels.N_LOCAL),
        by=(kernels.N_LOCAL, kernels.N_MOVES),
        rows=(2, max(n_x, 2 * kernels.N_SHIFTS)),
        bases=(kernels.N_BASES, 2 * kernels.N_SHIFTS),
    )


def empty_motion(model: kernels.Model) -> kernels.MeshKinematics:
    """Gears in their positions without load, at rest."""
    by_mode = dict.fromkeys(("modal", "modal_gap_offset"), int(model.n_modes.sum()))
    by_load = dict.fromkeys(("loads", "no_loads"), (2, model.n_loads))
    by_shift = dict.fromkeys(("shift", "shift_gap_offset"), 2 * kernels.N_SHIFTS)
    return room(kernels.MeshKinematics, kernels.N_TURNS, first_pair=1, **by_shift, **by_mode, **by_load)


def empty_memory(model: kernels.Model) -> kernels.Memory:
    """Nothing to start from."""
    shape = (2, model.n_pairs, model.n_slices, kernels.PLACES)
    return room(kernels.Memory, shape, strips=(*shape, 2), rate=(*shape, 2), phi=2, first_pair=1)


def warm_start(memory: kernels.Memory, points: kernels.Points) -> dict[str, AnyArray]:
    """Where the next evaluation starts: the arrays themselves, by name, to be copied or written to."""
    return {**memory._asdict(), "guess": points.found.guess, "reach": points.generalized.reach}


def empty_record(model: kernels.Model, n: int) -> kernels.Record:
    """Room for n loaded points."""
    pairs = dict.fromkeys(("slot", "first", "axis"), (n, 2))
    vectors = dict.fromkeys(("normal", "tangent", "place"), (n, 3))
    e = n, 2, kernels.ROWS * model.n_axes
    record = room(kernels.Record, n, np.empty, count=1, table=(n, kernels.N_COLUMNS), e=e, **pairs, **vectors)
    record.count[0] = 0
    return record


def empty_response(n_pairs: int, n: int) -> kernels.MeshResponse:
    """Room for one answer about n coordinates."""
    square = dict.fromkeys(("by_coordinate", "by_gap_offset"), (n, n))
    return room(kernels.MeshResponse, n, pair_torque=(n_pairs, 2), by_speed=(n, 2), energy=3, **square)


@dataclass(frozen=True, kw_only=True, eq=False)
class LineContactData:
    """Buffers and warm start of a line contact; one thread at a time may use them.

    Attributes
    ----------
    displaced : bool
        Whether displacements of the gears are coordinates.
    memory : Memory
        Where the next evaluation starts; its answer does not depend on it.
    points, motion, response : Points, Motion, Answer
        What the last evaluation worked in.
    """

    displaced: bool
    memory: kernels.Memory
    points: kernels.Points
    motion: kernels.MeshKinematics
    response: kernels.MeshResponse

    @classmethod
    def of(cls, model: kernels.Model, *, displaced: bool) -> LineContactData:
        """Make room for a model."""
        points = buffers(model, displaced=displaced)
        return cls(
            displaced=displaced,
            memory=empty_memory(model),
            points=points,
            motion=empty_motion(model),
            response=empty_response(model.n_pairs, points.generalized.opening.shape[1]),
        )

    def take(self, motion: MeshMotion) -> None:
        """Give the inputs of an evaluation.

        Raises
        ------
        ValueError
            For coordinates that are not there: displacements without `displaced`, another number of modes or loads.
        """
        there = self.motion
        there.phi[:], there.omega[:], there.first_pair[0] = motion.phi, motion.omega, motion.first_pair
        there.gap_offset[:] = motion.gap_offset
        if not self.displaced and (np.any(motion.displacement) or np.any(motion.displacement_gap_offset)):
            raise ValueError("data without displacements: make them by new_data(displaced=True)")
        there.shift[:], there.shift_gap_offset[:] = (
            np.ravel(motion.displacement),
            np.ravel(motion.displacement_gap_offset),
        )
        for name, own, given in (
            ("modal", there.modal, motion.modal),
            ("modal_gap_offset", there.modal_gap_offset, motion.modal_gap_offset),
            ("loads", there.loads, motion.loads),
        ):
            if np.size(given) not in (0, own.size):
                raise ValueError(f"{name}: {np.size(given)} numbers, the contact has {own.size}")
            own[...] = given if np.size(given) else 0.0

    @property
    def loaded_points(self) -> Indices:
        """Rows of the loaded points of the last evaluation among its points, shape (m,)."""
        return np.flatnonzero(self.points.loads.force[: self.points.found.count[0]] > 0.0)
