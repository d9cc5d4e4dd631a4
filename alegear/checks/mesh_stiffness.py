"""The mean mesh stiffness beside that of ISO 6336-1, and what the bodies between bore and root circle make of it.

ISO 6336-1 has the stiffness of teeth on discs that do not turn about their bores. Finite elements hold the bore rigid:
about a small one the rim turns, close under the teeth it makes them stiffer than on a disc.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alegear.checks.body_compliance import FULL_DISC, BodyCompliance, body_compliance
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.geometry import iso_6336_stiffness as iso_6336

if TYPE_CHECKING:
    from alegear.fe.material import Material
    from alegear.geometry.cylindrical_gear import CylindricalGear
    from alegear.geometry.gear_pair import GearPair

#: Of the stiffness on full discs that do not turn: what bores of common gears leave of it, by the computed pairs of
#: `meshes/` 0.75 to 0.91, and that a rigid bore makes none stiffer.
SOFTEST, STIFFEST = 0.75, 1.05
#: Of finite elements over ISO 6336-1 with such bores: 1.01 (spur 20/30), 1.04 and 1.13 (helical 21/83 and 25/77).
USUAL = (0.85, 1.15)
#: Radii between which a bore is looked for that does nothing, over the root circle.
SMALLEST, LARGEST = FULL_DISC, 0.99


@dataclass(frozen=True, kw_only=True, eq=False)
class StiffnessBesideIso:
    """Mesh stiffness of two gears, computed or estimated, and that of ISO 6336-1.

    Parameters
    ----------
    pair : GearPair
    materials : sequence of Material
        Of both gears.
    bores : sequence of (float or None)
        Diameters that are held rigid [m]; None of a body that is rigid or not known.
    computed : float, optional [N/m]
        Mean mesh stiffness; None: estimated from ISO 6336-1 and the bodies.
    """

    pair: GearPair
    materials: Sequence[Material]
    bores: Sequence[float | None]
    computed: float | None = None

    @property
    def iso(self) -> float | None:
        """That of ISO 6336-1, c_gamma_alpha b_w [N/m]; None where its formula has no answer."""
        try:
            return iso_6336.mesh_stiffness(self.pair, (self.materials[0].E, self.materials[1].E))
        except Fault:
            return None

    @property
    def bodies(self) -> list[BodyCompliance | None]:
        """Compliance of both bodies, None where not known."""
        return [
            None if bore is None else body_compliance(gear, material, bore)
            for gear, material, bore in zip(self.pair.gears, self.materials, self.bores, strict=True)
        ]

    @property
    def stiffness(self) -> float | None:
        """Computed, or estimated [N/m]; None where the estimate has no answer."""
        if self.computed is not None:
            return self.computed
        iso = self.iso
        return None if iso is None else 1.0 / (1.0 / iso + self.added)

    @property
    def added(self) -> float:
        """Compliance of the bodies beyond that of full discs that do not turn [m/N]."""
        return sum(self._added_by(number, bore) for number, bore in enumerate(self.bores) if bore is not None)

    def _added_by(self, number: int, bore: float) -> float:
        """Of one body with a bore [m]; pairs in contact side by side share what deforms the foot, as ISO has it."""
        gear, material = self.pair.gears[number], self.materials[number]
        own, full = body_compliance(gear, material, bore), body_compliance(gear, material, FULL_DISC * gear.d_f)
        return own.rim + (own.foot - full.foot) / (0.75 * self.pair.eps_alpha + 0.25)

    @property
    def shares(self) -> list[float | None]:
        """Parts of the deflection by which the rims turn and shift about the bores."""
        stiffness = self.stiffness
        return [None if body is None or stiffness is None else stiffness * body.rim for body in self.bodies]

    def summary(self) -> dict[str, Any]:
        """Entries of ``summary.json``: ISO 6336-1, the ratio, and the shares of bodies that are elastic."""
        iso, stiffness = self.iso, self.stiffness
        ratio = None if iso is None or stiffness is None else stiffness / iso
        found: dict[str, Any] = {
            "mesh_stiffness_iso_6336_N_per_um": None if iso is None else 1e-6 * iso,
            "mesh_stiffness_over_iso_6336": ratio,
        }
        shares = {name: share for name, share in zip(GEARS, self.shares, strict=True) if share is not None}
        return found | ({"body_deflection_share": shares} if shares else {})

    def warnings(self) -> list[str]:
        """Say where the bores make the stiffness another one than that of the teeth."""
        stiffness, iso = self.stiffness, self.iso
        if stiffness is None or all(bore is None for bore in self.bores):
            return []
        left = 1.0 - stiffness * self.added  # of the stiffness on full discs
        ratio = None if iso is None else stiffness / iso
        is_usual = self.computed is not None and ratio is not None and USUAL[0] <= ratio <= USUAL[1]
        if SOFTEST <= left <= STIFFEST or is_usual:
            return []
        shares = " and ".join(
            f"{100.0 * share:.0f} % in the {name}"
            for name, share in zip(GEARS, self.shares, strict=True)
            if share is not None
        )
        what = (
            f"rims that turn and shift about their bores are {shares} of the deflection"
            if left < SOFTEST
            else "rigid bores close under the teeth make them stiffer"
        )
        said = "mesh stiffness" if self.computed is not None else "mesh stiffness, estimated,"
        beside = "" if ratio is None else f" and {ratio:.3g} of that of ISO 6336-1"
        return [
            f"{said} = {left:.3g} of that on full discs that do not turn{beside}: {what}. A bore is rigid: give "
            f"bore_diameter_mm where the gear sits on its shaft{self._without_effect()}"
        ]

    def _without_effect(self) -> str:
        """Bores with which the bodies give way as full discs that do not turn."""
        found = [
            f"{1e3 * bore:.4g} for the {name}"
            for number, (name, given) in enumerate(zip(GEARS, self.bores, strict=True))
            if given is not None and (bore := self._neutral_bore(number, self.pair.gears[number])) is not None
        ]
        return f"; with bore_diameter_mm = {' and '.join(found)} they have no effect on it" if found else ""

    def _neutral_bore(self, number: int, gear: CylindricalGear) -> float | None:
        from scipy.optimize import brentq  # most checks need nothing of it

        low, high = SMALLEST * gear.d_f, LARGEST * gear.d_f
        if self._added_by(number, low) * self._added_by(number, high) > 0.0:
            return None
        return float(brentq(lambda bore: self._added_by(number, bore), low, high, xtol=1e-5 * gear.d_f))
