"""Single teeth that have lost material, or are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.limits import Limits, array_of
from alegear.parameters import Columns, Words, check_parameters
from alegear.short_repr import ShortRepr
from alegear.system.coordinates import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class ToothDamage(ShortRepr):
    """What one tooth has lost, normal to its flank.

    Raises
    ------
    Fault
    """

    gear: Annotated[str, Words("name of its gear")]
    tooth: Annotated[
        int,
        Limits(
            quantity="number of a damaged tooth",
            words="number of the tooth in the order in which teeth come into mesh, 0 in pair 0",
            least=0,
            whole=True,
        ),
    ]
    depth: Annotated[
        float | None,
        Limits(quantity="depth of a damage", words="depth lost all over the flank,", unit="um", least=0.0, most=1e5),
    ] = None
    profile: Annotated[
        Sequence[Sequence[float]] | None,
        Columns(
            "mm",
            "um",
            words="rows of a diameter in mm and the depth lost there in micrometres, from root to tip",
            least=2,
            most=1000,
            key="profile_um",
            each=Limits(quantity="diameter or depth", least=0.0, most=1e6),
        ),
    ] = None
    missing: Annotated[bool, Words("whether the tooth is missing")] = False
    flank: Annotated[
        Literal["a", "b", "both"], Words('"a" at the positive polar angle of the tooth, "b", or "both" (both)')
    ] = "both"

    def __post_init__(self) -> None:
        check_parameters(self)
        given = [self.depth is not None, self.profile is not None, self.missing]
        if sum(given) != 1:
            limit = "one of depth_um, profile_um and missing = true"
            raise Fault(f"damage of tooth {self.tooth} of {self.gear}", f"{sum(given)} of them", limit, "give one")
        if self.profile is not None:
            rows = array_of(self.profile, "ToothDamage.profile")
            if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < 2 or not np.isfinite(rows).all() or rows.min() < 0.0:
                limit = "2 rows or more of a diameter and what is lost there, both 0 or more"
                raise Fault(f"profile_um of tooth {self.tooth} of {self.gear}", "other rows", limit, "correct them")
            object.__setattr__(self, "profile", tuple((float(d), float(lost)) for d, lost in rows))

    @property
    def sides(self) -> tuple[float, ...]:
        """+1 for flank a, -1 for flank b."""
        return {"a": (1.0,), "b": (-1.0,)}.get(self.flank, (1.0, -1.0))

    def lost(self, gear: CylindricalGear, roll_length: Array) -> Array:
        """Return what the flank has lost at roll lengths (n,) [m], shape (n,) [m].

        Raises
        ------
        Fault
            For diameters that do not follow one another along the flank.
        """
        if self.depth is not None:
            return np.full(len(roll_length), self.depth)
        if self.profile is None:
            return np.zeros(len(roll_length))
        diameters, depths = np.array(self.profile).T
        at = gear.roll_length(0.5 * diameters)
        if np.any(np.diff(at) <= 0.0):
            quantity = f"diameters of profile_um of tooth {self.tooth} of {self.gear} [mm]"
            shown = ", ".join(f"{1e3 * d:.6g}" for d in diameters)
            raise Fault(quantity, shown, "on the involute, one after the other from root to tip", "correct them")
        found: Array = np.interp(roll_length, at, depths, left=0.0, right=0.0)
        return found
