"""Warnings of the contact of two gears, of a pair or of a mesh of a machine, in any study.

One place for all of them, so that what a pair is warned of a mesh is warned of too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.checks.hertz_limits import line_contact_warnings, squeeze_warnings
from alegear.contact.hertz.contact import LineContact

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.checks.strength import Strength
    from alegear.contact.forces import FlexibleContact
    from alegear.recording.tip_contact import TipContactNearRoot
    from alegear.storage.recorded_samples import Samples

Array = NDArray[np.float64]


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
    found = [] if tip_contact is None else tip_contact.warnings_of(samples, contact.pair.names.gears)
    if isinstance(contact, LineContact) and "line_load" in samples.layout:
        width = contact.face.width
        found += line_contact_warnings(contact.pair, samples, width)
        if flanks is not None and contact.has_back_flanks:
            found += squeeze_warnings(contact.pair, *flanks, width, case.friction)
    return found if strength is None else found + strength.warnings()
