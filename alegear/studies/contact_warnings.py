"""Warnings of the contact of two gears, of a pair or of a mesh of a machine, in any study, and of positions of a pair.

One place for them, so that what a pair is warned of a mesh, a point of a study and a variant are warned of too.
Those of displacements come from :mod:`alegear.checks.displacement_limit`, which studies feed.
A run adds what only it computes: how far its answer depends on the grid
(:func:`alegear.studies.grid_estimate.grid_warnings`) and the wear of its flanks
(:func:`alegear.results.wear.wear_warnings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from alegear.arrays import Array
from alegear.case.analysis import StaticAnalysis
from alegear.checks.design_warnings import few_positions
from alegear.checks.gear_data import case_warnings
from alegear.checks.hertz_limits import line_contact_warnings, squeeze_warnings
from alegear.checks.strength import Strength
from alegear.contact.hertz.contact import LineContact
from alegear.results import signals

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.checks.displacement_limit import DisplacementLimit
    from alegear.contact.forces import FlexibleContact
    from alegear.mesh.sector import SectorMesh
    from alegear.recording.tip_contact import TipContactNearRoot
    from alegear.results.contact_result import ContactHistory
    from alegear.storage.recorded_samples import Samples


CARRIED = 1e-8  # of the torque: what the results promise of the sum of the loads


def contact_warnings(
    case: Case,
    contact: FlexibleContact,
    samples: Samples,
    *,
    tip_contact: TipContactNearRoot | None,
    strength: Strength | None,
    flanks: tuple[Array, Array] | None = None,
) -> list[str]:
    """Return the warnings that follow from samples of a contact.

    Parameters
    ----------
    case : Case
        Of the two gears.
    contact : FlexibleContact
    samples : Samples
        With ``phase``, and unless they are those of a sweep, which keeps statistics, ``line_load``,
        ``contact_half_width`` and ``contact_roll_length``.
    tip_contact : TipContactNearRoot or None
    strength : Strength or None
        None of both where the root stress was not computed.
    flanks : (array, array) or None
        Line loads (n, n_pairs, n_slices) [N/m] and tooth loads (n, n_pairs) [N] of teeth that do not vibrate: of those
        that do back flanks are a part of the motion.
    """
    found = [] if tip_contact is None else tip_contact.warnings(samples, contact.pair.names.gears)
    if isinstance(contact, LineContact) and "line_load" in samples.layout:
        width = contact.face.width
        found += line_contact_warnings(contact.pair, samples, width)
        if flanks is not None and contact.has_back_flanks:
            found += squeeze_warnings(contact.pair, *flanks, width, case.friction)
    return found if strength is None else found + strength.warnings()


def position_warnings(
    case: Case,
    sectors: Sequence[SectorMesh | None],
    contact: FlexibleContact,
    history: ContactHistory,
    *,
    off: float,
    displacement_limit: DisplacementLimit,
    tip_contact: TipContactNearRoot | None,
) -> list[str]:
    """Return the warnings of a static case and of its positions: all that is known of one of them alone.

    Parameters
    ----------
    case : Case
    sectors : sequence of SectorMesh or None
        Of both gears.
    contact : FlexibleContact
    history : ContactHistory
    off : float
        Part of the torque by which the loads of a position are off at most.
    displacement_limit : DisplacementLimit
    tip_contact : TipContactNearRoot or None
        None where the root stress was not computed.
    """
    samples = history.samples
    mean = signals.mean(samples.read("mesh_stiffness")[history.window().part])
    return [
        *case_warnings(case, sectors, mean if mean > 0.0 else None),
        *displacement_limit.warnings(),
        *precision_warnings(case, off),
        *contact_warnings(
            case,
            contact,
            samples,
            tip_contact=tip_contact,
            strength=None if tip_contact is None else Strength.of(case, samples, history.root_cycle),
            flanks=(samples.read("line_load"), samples.read("tooth_load")),
        ),
    ]


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
