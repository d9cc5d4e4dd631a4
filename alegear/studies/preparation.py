"""From a case to a contact pair: grids, reduction, window. Shared by the static and the dynamic study."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from alegear.ale import ToothWindow
from alegear.case.analysis import StaticAnalysis
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.output import OutputPoint
from alegear.checks.before_run import (
    back_flanks_can_touch,
    fewer_samples,
    given_sectors,
    is_segment,
    points_on_teeth,
    result_bytes,
    sizes_before_meshing,
    window_pairs,
)
from alegear.checks.disk_space import check_disk, chunk_bytes
from alegear.contact.forces import FlexibleContact
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.compliance import coupling_bytes, most_points, slice_compliance_bytes
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.loaded_rows import with_loaded_rows
from alegear.contact.hertz.slices import default_slices
from alegear.contact.numbering import Flank, loaded_flank
from alegear.contact.penalty.contact import PenaltyContact, hertz_matched_stiffness
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.mesh.sector import SectorMesh, mesh_sector
from alegear.parallel import in_parallel
from alegear.progress import Progress, Silent
from alegear.recording.tooth_points import ToothPoints
from alegear.reduction.face_splines import PLAIN_ELEMENTS
from alegear.reduction.memory import check_memory
from alegear.reduction.normal_modes import NormalModes
from alegear.reduction.superelement import ReductionPlan, Superelement, carry_out, plan_reduction

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase


_ROWS_OF_POINT = 13.0  # stress and rotation, and for a point between two sectors the stress from the other one
MOST_RECOVERED = 256  # positions whose root stress is recovered one by one


def check_plan(case: Case, given: tuple[SectorMesh | None, SectorMesh | None]) -> None:
    """Make the grids that are not made elsewhere, and refuse what does not fit into the memory.

    Raises
    ------
    Fault
    """
    plan_pair(case, _meshed(case, given, Silent()))


def _meshed(
    case: Case, given: tuple[SectorMesh | None, SectorMesh | None], progress: Progress
) -> tuple[SectorMesh, SectorMesh]:
    """Mesh the gears that have no grid made elsewhere, and choose the rows that can carry load."""
    sectors = []
    for number, (gear, options, sector) in enumerate(zip(case.pair.gears, case.grid_options, given, strict=True)):
        made = mesh_sector(gear, options) if sector is None else sector
        sectors.append(with_loaded_rows(case.pair, number, made) if case.law == "hertz" else made)
        progress.advance(len(sectors), 2)
    return sectors[0], sectors[1]


@dataclass(frozen=True, kw_only=True, eq=False)
class PairPlan:
    """How the reduction of both wheels will go; memory [bytes] that all will take at the most, and what is kept."""

    plans: tuple[ReductionPlan, ReductionPlan]
    flank: Flank
    n_slices: int
    memory: float
    kept: float


def plan_pair(
    case: Case,
    sectors: tuple[SectorMesh, SectorMesh],
    held: Mapping[str, float] | None = None,
    *,
    fields: bool = True,
    in_file: bool = True,
    root_stress: bool = True,
) -> PairPlan:
    """Plan the reduction of both wheels.

    Raises
    ------
    Fault
        If the memory that is available is too small.
    """
    flank = loaded_flank(case.operation.driver, case.operation.pinion_torque)
    both = case.law == "hertz" and back_flanks_can_touch(case)
    n_pairs = window_pairs(case, both)
    faces: Literal["a", "b", "both"] = "both" if both else flank

    def plan_gear(g: int) -> ReductionPlan:
        by_recovery = root_stress and _recovers_root_stress(case, sectors[g])
        return plan_reduction(
            sectors[g],
            case.materials[g],
            slots=n_pairs,
            flank=faces,
            teeth_modelled=case.teeth_modelled[g],
            keep_factors=by_recovery
            or (fields and case.output.fields)
            or (root_stress and any(point.gear == g for point in case.output.points)),
            root_operators=root_stress and not by_recovery,
        )

    first, second = in_parallel([partial(plan_gear, g) for g in range(2)])
    plans = (first, second)
    n_slices = case.slices or default_slices(case.pair, min(sector.flank_a.shape[1] for sector in sectors) - 1)
    kept = {"contact": _contact_bytes(case, plans, n_slices), **(held or {})}
    if case.output.points:
        kept["points of the teeth"] = _points_bytes(case, plans)
    memory = max(
        check_memory({"reduction of the pinion": plans[0].peak, "reduction of the wheel": plans[1].peak, **kept}),
        check_memory(
            {"results": result_bytes(case, n_pairs, n_slices, in_file=in_file), **kept},
            {"results": fewer_samples(case, in_file=in_file)},
        ),
    )
    return PairPlan(
        plans=plans,
        flank=flank,
        n_slices=n_slices,
        memory=memory,
        kept=sum(kept.values()),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedPair:
    """What a study needs of a case, made once.

    Attributes
    ----------
    sectors, wheels : of pinion and wheel
    contact : FlexibleContact
    segment : bool
        Whether a gear is a segment of teeth: then there is no tooth-change and pair 0 stays in the middle.
    memory : float [bytes]
        Upper bound of what the arrays took at the same time.
    kept : float [bytes]
        What stays of it after the reduction, beside what was held before.
    seconds : dict
        Wall time of the stages ``mesh`` and ``reduce``.
    points : tuple of OutputPoint
        Of which histories are wanted.
    front : {"a", "b"}
        The flanks that a positive torque loads.
    """

    sectors: tuple[SectorMesh, SectorMesh]
    wheels: tuple[Superelement, Superelement]
    contact: FlexibleContact
    segment: bool
    memory: float
    kept: float
    seconds: dict[str, float]
    points: tuple[OutputPoint, ...] = ()
    front: Flank = "a"

    def window(self, threshold: float) -> ToothWindow:
        """Window of this pair with a tooth-change threshold (of no effect for a segment)."""
        return ToothWindow(n_pairs=self.contact.n_pairs, threshold=None if self.segment else threshold)

    def tooth_points(self, modes: tuple[NormalModes, NormalModes] | None = None) -> ToothPoints | None:
        """New histories of the points that are wanted, on wheels that vibrate in `modes`; None if there are none."""
        if not self.points:
            return None
        return ToothPoints(self.points, self.wheels, n_pairs=self.contact.n_pairs, front=self.front, modes=modes)


def prepare(
    case: Case,
    progress: Progress,
    held: Mapping[str, float] | None = None,
    *,
    fields: bool = True,
    out: Path | None = None,
    written: float = 0.0,
    root_stress: bool = True,
    planned: Callable[[], None] | None = None,
) -> PreparedPair:
    """Mesh and reduce both gears (or take the reduction from the store) and join them.

    Parameters
    ----------
    case : Case
    progress : Progress
    held : mapping of str to float [bytes], optional
        What the study itself is going to hold, for the memory that is checked before the reduction.
    fields : bool
        False where no stress fields are written, whatever the case says: then the factors of the sectors, from which
        they are recovered, are not kept.
    out : Path, optional
        Folder of the results: the samples of a motion go to a file there, and need little memory.
    written : float [bytes]
        What a motion that is resumed has written of them.
    root_stress : bool
        False where nobody asks for stress in the teeth, nor for points of them: only the contact is wanted.
    planned : callable, optional
        Called when the reduction is planned and begins: from then on processors work outside Python.

    Raises
    ------
    Fault
        If a mesh file is missing, truncated or of another gear, if the window does not fit, or if the memory or the
        room on the disk is too small.
    """
    started = time.perf_counter()
    progress.stage("mesh")
    gears = (case.pair.pinion, case.pair.wheel)
    given = given_sectors(case)
    check_disk(chunk_bytes(case, *sizes_before_meshing(case, given), points_on_teeth(case)), out, written=written)
    sectors = _meshed(case, given, progress)
    meshed = time.perf_counter()

    progress.stage("reduce")
    plan = plan_pair(case, sectors, held, fields=fields, in_file=out is not None, root_stress=root_stress)
    if planned is not None:
        planned()
    done = Lock()
    wheels: list[Superelement] = []

    def reduce_gear(plan: ReductionPlan, gear: CylindricalGear) -> tuple[Superelement, ElasticBody | None]:
        wheel = carry_out(plan)
        body = ElasticBody.of(gear, plan.sector, wheel) if case.law == "hertz" else None
        with done:
            wheels.append(wheel)
            progress.advance(len(wheels), 2)
        return wheel, body

    tasks = [partial(reduce_gear, one, gear) for one, gear in zip(plan.plans, gears, strict=True)]
    (pinion, pinion_body), (wheel, wheel_body) = in_parallel(tasks)
    contact: FlexibleContact
    if pinion_body is not None and wheel_body is not None:
        contact = LineContact.build(
            case.pair,
            (pinion_body, wheel_body),
            flank=plan.flank,
            friction=case.friction,
            n_slices=plan.n_slices,
        )
    else:
        law = case.penalty
        if law.stiffness is None:
            stiffness = hertz_matched_stiffness(case.pair, case.materials, case.nominal_torque, law.exponent)
            law = replace(law, stiffness=stiffness)
        contact = PenaltyContact.build(
            case.pair,
            (sectors[0], sectors[1]),
            (pinion, wheel),
            flank=plan.flank,
            law=law,
            friction=case.friction,
        )
    return PreparedPair(
        sectors=(sectors[0], sectors[1]),
        wheels=(pinion, wheel),
        contact=contact,
        segment=is_segment(case),
        memory=plan.memory,
        kept=plan.kept - sum((held or {}).values()),
        points=case.output.points,
        front=loaded_flank(case.operation.driver),
        seconds={"mesh": meshed - started, "reduce": time.perf_counter() - meshed},
    )


def prepare_meshes(
    case: MachineCase,
    progress: Progress,
    planned: Callable[[], None],
    held: Mapping[str, float] | None = None,
    *,
    fields: bool,
    out: Path | None = None,
    written: float = 0.0,
    root_stress: bool = True,
) -> dict[str, PreparedPair]:
    """Mesh and reduce the gears of all meshes that need a contact; one in two of them is reduced once and kept.

    The others are those of :func:`prepare`.
    """
    prepared: dict[str, PreparedPair] = {}
    in_contact = [place for place in case.layout.meshes if place.mesh.law.needs_contact]
    if not in_contact:
        planned()
    if several := len(in_contact) > 1:
        progress.stage("reduce")
    for number, place in enumerate(in_contact):
        prepared[place.mesh.name] = prepare(
            case.pair_case(place),
            Silent() if several else progress,
            {**(held or {}), **{f"mesh {name}": one.kept for name, one in prepared.items()}},
            fields=fields,
            out=out,
            written=written,
            root_stress=root_stress,
            planned=None if number else planned,
        )
        if several:
            progress.advance(number + 1, len(in_contact))
    return prepared


def _contact_bytes(case: Case, plans: Sequence[ReductionPlan], n_slices: int) -> float:
    """Size of what the contact holds beside the reduced wheels [bytes]."""
    if case.law == "penalty":
        # the compliance of all faces of the window, and once more without the axial direction
        return (1.0 + 4.0 / 9.0) * sum(plan.compliance_bytes for plan in plans)
    n_pairs, n_faces = plans[0].layout.slots, 2 if plans[0].flank == "both" else 1
    axial, rubs = case.pair.beta_b != 0.0, case.friction.kind != "none"
    total = 0.0
    for plan in plans:
        n_rows, closed = plan.sector.loaded("a").shape[0], plan.layout.closed
        # beside the compliance of the wheel's faces: that of the layers, and one block while the slices are made
        total += (1.0 / n_faces + 2.0) * plan.compliance_bytes / n_pairs**2
        if isinstance(case.analysis, DynamicAnalysis) and case.analysis.normal_modes:  # without what the modes do
            total += plan.compliance_bytes / (n_pairs if closed else 1)
        total += slice_compliance_bytes(
            n_pairs, n_faces, n_slices, n_rows, axial=axial, repeats=closed, n_coefficients=plan.n_coefficients
        )
    n_points = most_points(n_faces, n_pairs, n_slices)
    # a motion has its own; a contact with friction knows one without
    users = 1 + isinstance(case.analysis, DynamicAnalysis) + rubs
    return total + users * coupling_bytes(n_points, axial=axial, rubs=rubs)


def _points_bytes(case: Case, plans: Sequence[ReductionPlan]) -> float:
    """Size of what every force on the faces does to the points on all teeth [bytes]."""
    total = 0.0
    for g, plan in enumerate(plans):
        layout, n_faces = plan.layout, 2 if plan.flank == "both" else 1
        forces = 3.0 * plan.sector.loaded("a").size * n_faces * (1 if layout.closed else layout.slots)
        total += 8.0 * forces * layout.n_sectors * _ROWS_OF_POINT * sum(p.gear == g for p in case.output.points)
    return total


def _recovers_root_stress(case: Case, sector: SectorMesh) -> bool:
    """Whether root stress is recovered for each position: on wide grids, if there are few positions.

    Its operators take as many columns as cut planes and faces have degrees of freedom. On grids of up to
    PLAIN_ELEMENTS across the face they cost less than a second, and a wheel from the store needs nothing else.
    """
    analysis = case.analysis
    if not isinstance(analysis, StaticAnalysis) or sector.flank_a.shape[1] - 1 <= PLAIN_ELEMENTS:
        return False
    return analysis.positions_per_pitch * analysis.pitches <= MOST_RECOVERED
