"""Warnings of the positions of a static case: of a run, of a point of a study, of a variant.

All that is known of one of them alone. A run adds what only it computes: how far its answer depends on the grid
(:func:`alegear.studies.grid_estimate.grid_warnings`) and the wear of its flanks
(:func:`alegear.results.wear.wear_warnings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.case.analysis import StaticAnalysis
from alegear.checks.design_warnings import few_positions
from alegear.checks.displacement_limit import DisplacementLimit
from alegear.checks.gear_data import case_warnings
from alegear.results import signals
from alegear.storage.recorded_samples import RecordedSamples
from alegear.studies.contact_warnings import contact_warnings

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.checks.strength import Strength
    from alegear.contact.forces import FlexibleContact
    from alegear.mesh.sector import SectorMesh
    from alegear.recording.tip_contact import TipContactNearRoot

Array = NDArray[np.float64]

CARRIED = 1e-8  # of the torque: what the results promise of the sum of the loads


@dataclass(frozen=True, kw_only=True, eq=False)
class SolvedPositions:
    """What a static study has found, as far as warnings ask for it.

    Parameters
    ----------
    phase : shape (n,) [pitches]
    line_load, half_width, roll_length : shape (n, n_pairs, n_slices) [N/m], [m], [m]
        By pair or by slot of the window; half-width and roll length are NaN where nothing touches.
    mesh_stiffness : shape (n,) [N/m]
    tooth_load : shape (n, n_pairs) [N]
        Back flanks count negative.
    off : float
        Part of the torque by which the loads of a position are off at most.
    displacement_limit : DisplacementLimit
    tip_contact : TipContactNearRoot or None
    strength : Strength or None
        None of both where the root stress was not computed.
    """

    phase: Array
    mesh_stiffness: Array
    line_load: Array
    half_width: Array
    roll_length: Array
    tooth_load: Array
    off: float
    displacement_limit: DisplacementLimit
    tip_contact: TipContactNearRoot | None
    strength: Strength | None

    @property
    def samples(self) -> RecordedSamples:
        """The positions as samples."""
        return RecordedSamples.of(
            {
                "phase": self.phase,
                "line_load": self.line_load,
                "contact_half_width": self.half_width,
                "contact_roll_length": self.roll_length,
            }
        )


def static_warnings(
    case: Case, sectors: Sequence[SectorMesh | None], contact: FlexibleContact, found: SolvedPositions
) -> list[str]:
    """Return the warnings of a static case and of its positions.

    Parameters
    ----------
    case : Case
    sectors : sequence of SectorMesh or None
        Of both gears.
    contact : FlexibleContact
    found : SolvedPositions
    """
    stiffness = mean_stiffness(found.phase, found.mesh_stiffness)
    known = [
        *case_warnings(case, sectors, stiffness),
        *found.displacement_limit.warnings(),
        *precision_warnings(case, found.off),
    ]
    flanks = (found.line_load, found.tooth_load)
    return known + contact_warnings(
        case, contact, found.samples, tip_contact=found.tip_contact, strength=found.strength, flanks=flanks
    )


def mean_stiffness(phase: Array, stiffness: Array) -> float | None:
    """Mean mesh stiffness [N/m] over whole pitches, as the summary has it; None where it is not known.

    Parameters
    ----------
    phase, stiffness : shape (n,) [pitches], [N/m]
    """
    mean = signals.mean(stiffness[signals.whole_pitches_uniform(phase)])
    return mean if mean > 0.0 else None


def precision_warnings(case: Case, off: float) -> list[str]:
    """Warn of few positions, and of loads that are off by such a part, so not as well known as results promise."""
    analysis, found = case.analysis, []
    assert isinstance(analysis, StaticAnalysis)
    found += few_positions(analysis.positions_per_pitch)
    if off > CARRIED:
        found.append(
            f"pinion_torque_Nm = {case.operation.pinion_torque:.3g}: so small that positions, which are known to "
            f"round-off, give the loads to {off:.1e} of it only; the results promise {CARRIED:g}: raise it"
        )
    return found
