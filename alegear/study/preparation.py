"""From a case to a contact pair: grids, reduction, window. Shared by the static and the dynamic study."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from alegear.ale import ToothWindow, pairs_needed
from alegear.contact.numbering import loaded_flank
from alegear.contact.pair import ContactPair, hertz_matched_stiffness
from alegear.errors import Fault
from alegear.mesh.exchange import check_sector_fits, read_sector
from alegear.mesh.sector import SectorMesh, mesh_sector
from alegear.reduction.superelement import Superelement, reduce_wheel
from alegear.study.progress import Progress

if TYPE_CHECKING:
    from alegear.study.case import Case


IDLE_LINE_LOAD = 100e3  # [N/m]; below it ISO 6336-1 lets the mesh stiffness fall off


def nominal_torque(case: Case) -> float:
    """Pinion torque [N m] that sets scales and stiffness: that of the case, or for an idle pair that of 100 N/mm."""
    pinion = case.pair.pinion
    return case.operation.pinion_torque or IDLE_LINE_LOAD * case.pair.b_w * pinion.r_b


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedPair:
    """What a study needs of a case, made once.

    Attributes
    ----------
    sectors, wheels : of pinion and wheel
    contact : ContactPair
        With the penalty stiffness set.
    segment : bool
        Whether a gear is a segment of teeth: then there is no tooth-change and pair 0 stays in the middle.
    seconds : dict
        Wall time of the stages ``mesh`` and ``reduce``.
    """

    sectors: tuple[SectorMesh, SectorMesh]
    wheels: tuple[Superelement, Superelement]
    contact: ContactPair
    segment: bool
    seconds: dict[str, float]

    def window(self, threshold: float) -> ToothWindow:
        """Window of this pair with a tooth-change threshold (of no effect for a segment)."""
        return ToothWindow(n_pairs=self.contact.n_pairs, threshold=None if self.segment else threshold)


def prepare(case: Case, progress: Progress) -> PreparedPair:
    """Mesh and reduce both gears (or take the reduction from the store) and join them.

    Raises
    ------
    Fault
        If a mesh file is missing, truncated or of another gear, or if the window does not fit.
    """
    started = time.perf_counter()
    progress.stage("mesh")
    gears = (case.pair.pinion, case.pair.wheel)
    sectors = []
    for gear, options, file in zip(gears, case.mesh_options, case.mesh_files, strict=True):
        if file is None:
            sectors.append(mesh_sector(gear, options))
        else:
            sector = read_sector(file, gear.z)
            check_sector_fits(sector, gear, file)
            sectors.append(sector)
        progress.advance(len(sectors), 2)
    meshed = time.perf_counter()

    progress.stage("reduce")
    n_pairs = _window_pairs(case)
    flank = loaded_flank(case.operation.driver)
    wheels = []
    for sector, material, modelled in zip(sectors, case.materials, case.teeth_modelled, strict=True):
        wheels.append(reduce_wheel(sector, material, slots=n_pairs, flank=flank, teeth_modelled=modelled))
        progress.advance(len(wheels), 2)
    law = case.penalty
    if law.stiffness is None:
        stiffness = hertz_matched_stiffness(case.pair, case.materials, nominal_torque(case), law.exponent)
        law = replace(law, stiffness=stiffness)
    contact = ContactPair.build(
        case.pair,
        (sectors[0], sectors[1]),
        (wheels[0], wheels[1]),
        driver=case.operation.driver,
        law=law,
        friction=case.friction,
    )
    return PreparedPair(
        sectors=(sectors[0], sectors[1]),
        wheels=(wheels[0], wheels[1]),
        contact=contact,
        segment=_is_segment(case),
        seconds={"mesh": meshed - started, "reduce": time.perf_counter() - meshed},
    )


def _is_segment(case: Case) -> bool:
    return any(teeth is not None for teeth in case.teeth_modelled)


def _window_pairs(case: Case) -> int:
    """Slots of the window: forced by the case, else from the contact ratio; odd and within the segment for one."""
    needed = case.window_pairs or pairs_needed(case.pair.eps_gamma)
    fewest = min(
        gear.z if modelled is None else modelled
        for gear, modelled in zip((case.pair.pinion, case.pair.wheel), case.teeth_modelled, strict=True)
    )
    if _is_segment(case) and case.window_pairs is None:
        needed = min(needed + (needed + 1) % 2, fewest)
    if needed > fewest:
        raise Fault(
            "window_pairs", needed, f"at most {fewest}, the teeth modelled", "reduce window_pairs or model more teeth"
        )
    return needed
