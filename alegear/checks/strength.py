"""What a result says of the strengths of its materials: safeties against endurance, yield, and what a tooth bears once.

Stresses are compared where they are, at points of the root fillet and of the flank, with strengths of the material as
they are given. That is no rating by ISO 6336: its factors of life, size, roughness, lubrication and work hardening are
not in it, unless the strength that is given has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.checks.design_warnings import pitch_point_pressure, tip_load_root_stress, weaker_flank
from alegear.contact.numbering import GEARS
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.results.root_fillet import RootFillet
from alegear.results.summary import largest_stresses

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.storage.recorded_samples import Samples


TENSION, COMPRESSION = 0, 1  # sides of a root; teeth crack on the first


@dataclass(frozen=True, kw_only=True, eq=False)
class Strength:
    """The strengths of a pair beside what a study found.

    Parameters
    ----------
    pair : GearPair
    materials : (Material, Material)
    torque : float [N m]
        On the pinion.
    fillet : RootFillet or None
        With the cycle of the roots; None where there is none: of less than a pitch, or without root stress.
    pressure : float [Pa]
        Largest of the flanks, edges left out; not a number where it was not computed.
    root_stress : shape (2, 2) [Pa]
        Largest by von Mises, by gear and side.
    other_mesh : (float, float) [Pa]
        Smallest stress that another mesh of each gear puts on the same roots; 0 where there is none.
    """

    pair: GearPair
    materials: Sequence[Material]
    torque: float
    fillet: RootFillet | None
    pressure: float
    root_stress: Array
    other_mesh: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(
        cls, case: Case, samples: Samples, fillet: RootFillet | None, other_mesh: tuple[float, float] = (0.0, 0.0)
    ) -> Strength:
        """That of a pair by samples of its contact."""
        pressure, root_stress = largest_stresses(samples)
        return cls(
            pair=case.pair,
            materials=case.materials,
            torque=case.operation.pinion_torque,
            fillet=fillet,
            pressure=pressure,
            root_stress=root_stress,
            other_mesh=other_mesh,
        )

    @property
    def root_safety(self) -> list[float | None]:
        r"""Endurance of the root over its stress, by gear; None where either is not known.

        .. math:: S_F = \frac{\sigma_{FE} (1 + M)/2}{\sigma_a + M \sigma_m}

        at the point of the tension side where it is smallest: a straight line in Haigh's diagram of slope -M through
        the pulsating endurance :math:`\sigma_m = \sigma_a = \sigma_{FE}/2`.
        """
        found: list[float | None] = []
        for g, material in enumerate(self.materials):
            endurance, stress = material.root_endurance, self._pulsating_stress(g)
            found.append(None if endurance is None or stress is None else endurance / stress)
        return found

    def _pulsating_stress(self, gear: int) -> float | None:
        """Upper stress [Pa] of the pulsating cycle (from 0) that is as severe as that of a root; None: not known."""
        if self.fillet is None:
            return None
        high = np.maximum(self.fillet.highest[gear, TENSION], 0.0)
        low = np.minimum(self.fillet.lowest[gear, TENSION], min(self.other_mesh[gear], 0.0))
        M = self.materials[gear].known("mean_stress_sensitivity") or 0.0
        severe = ((high - low) + M * (high + low)) / (1.0 + M)
        largest = float(np.nanmax(severe)) if np.isfinite(severe).any() else 0.0
        return largest if largest > 0.0 else None

    @property
    def contact_safety(self) -> list[float | None]:
        """Endurance of the flank over its largest pressure, by gear; None where either is not known."""
        known = self.pressure > 0.0
        return [
            material.contact_endurance / self.pressure if known and material.contact_endurance is not None else None
            for material in self.materials
        ]

    def summary(self) -> dict[str, Any]:
        """Safeties by gear, those for which a material gives a strength."""
        safeties = {
            "root_safety": (self.root_safety, any(one.root_endurance is not None for one in self.materials)),
            "contact_safety": (self.contact_safety, any(one.contact_endurance is not None for one in self.materials)),
        }
        return {key: dict(zip(GEARS, values, strict=True)) for key, (values, given) in safeties.items() if given}

    def warnings(self) -> list[str]:
        """One sentence for each strength that is exceeded."""
        return [*self._of_roots(), *self._of_flanks()]

    def _of_roots(self) -> list[str]:
        found = []
        for g, (name, material) in enumerate(zip(self.pair.names.gears, self.materials, strict=True)):
            stress, safety = float(np.nanmax(self.root_stress[g], initial=0.0)), self.root_safety[g]
            if material.yield_strength is not None and stress > material.yield_strength:
                found.append(
                    f"root stress of {name} = {1e-6 * stress:.4g} MPa by von Mises: more than "
                    f"yield_strength_MPa = {1e-6 * material.yield_strength:.4g} of its material, which yields there at "
                    "the first load: reduce the torque, or give the yield strength of its surface"
                )
            strength = material.known("root_strength")
            load = abs(self.torque / self.pair.pinion.r_b) / self.pair.b_w
            if strength is not None and stress > strength >= tip_load_root_stress(self.pair.gears[g], load):
                found.append(
                    f"root stress of {name} = {1e-6 * stress:.4g} MPa by von Mises: more than the "
                    f"{1e-6 * strength:.4g} MPa that {material.owner_of('root_strength')} bears once: reduce the "
                    "torque, or what loads an end of the face"
                )
            if safety is not None and safety < 1.0:
                found.append(
                    f"root safety of {name} = {safety:.3g}: below 1, its root_endurance_MPa = "
                    f"{1e-6 * (material.root_endurance or 0.0):.4g} is exceeded: it lasts for a limited number of "
                    "cycles; reduce the torque, or raise module or face width"
                )
        return found

    def _of_flanks(self) -> list[str]:
        found = []
        strength, weaker = weaker_flank(self.materials)
        if weaker is not None:
            nominal = pitch_point_pressure(self.pair, self.materials, self.torque)
            if self.pressure > strength >= nominal:
                found.append(
                    f"contact_pressure_max_MPa = {1e-6 * self.pressure:.4g}: more than the {1e-6 * strength:.4g} MPa "
                    f"that {weaker.owner_of('contact_strength')} bears once, with {1e-6 * nominal:.4g} MPa at the "
                    "pitch point: reduce the torque, or what loads an end of the face"
                )
        for name, material, safety in zip(self.pair.names.gears, self.materials, self.contact_safety, strict=True):
            if safety is not None and safety < 1.0:
                found.append(
                    f"contact safety of {name} = {safety:.3g}: below 1, its contact_endurance_MPa = "
                    f"{1e-6 * (material.contact_endurance or 0.0):.4g} is exceeded: it lasts for a limited number of "
                    "cycles; reduce the torque, or raise diameter or face width"
                )
        return found
