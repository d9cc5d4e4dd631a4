"""``[planetary.NAME.sun_gear]``, ``planet_gear``, ``ring_gear``: gears of a set with ``fidelity = "teeth"``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alegear.case.flank import missing_ends
from alegear.case.gears import BoreKeys, RingKeys, ToothKeys, gear_of, ring_of
from alegear.case.material import MaterialTable, material_of
from alegear.case.schema import limited
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.internal_gear import InternalGear

#: Keys of the tables.
SUN, PLANET, RING = KEYS = ("sun_gear", "planet_gear", "ring_gear")


class InnerGearTable(ToothKeys, BoreKeys):
    """``[planetary.NAME.sun_gear]`` and ``planet_gear``: keys of ``[gears.NAME]`` that the set does not say."""

    bore_diameter_mm: float = limited(Gear.LIMITS["bore_diameter"], "bore diameter in mm")


class RingGearTable(ToothKeys, RingKeys):
    """``[planetary.NAME.ring_gear]``: the same, of a ring."""

    rim_diameter_mm: float = limited(InternalGear.LIMITS["rim_diameter"], "diameter of the cylinder outside in mm")


@dataclass(frozen=True, kw_only=True, eq=False)
class SetGears:
    """Sun, planet and ring of a set, each with its material.

    Attributes
    ----------
    gears : dict of str to CylindricalGear
        By the keys of their tables.
    materials : dict of str to Material
    """

    gears: dict[str, CylindricalGear]
    materials: dict[str, Material]

    @classmethod
    def of(
        cls, table: Any, *, module: float, alpha_n: float, beta: float, folder: Path, material: MaterialTable | None
    ) -> SetGears:
        """Make them.

        Parameters
        ----------
        table : PlanetaryTable
        module : float [m]
        alpha_n, beta : float [rad]
            The sun is right-handed.
        folder : Path
        material : MaterialTable or None
            Of the whole machine.

        Raises
        ------
        Fault
            With the key of the table.
        """
        teeth = {SUN: table.sun_teeth, PLANET: table.planet_teeth[0], RING: table.ring_teeth}
        # gears outside each other have opposite hands, a ring that of its planet
        hands = {SUN: beta, PLANET: -beta + 0.0, RING: -beta + 0.0}
        gears: dict[str, CylindricalGear] = {}
        for key in KEYS:
            own = getattr(table, key)
            with _told(key):
                _check_keys(key, own)
                make = ring_of if key == RING else gear_of
                gears[key] = make(
                    own, normal_module=module, alpha_n=alpha_n, beta=hands[key], folder=folder, teeth=teeth[key]
                )
        return cls(gears=gears, materials={key: material_of(material, getattr(table, key).material) for key in KEYS})

    def pairs(self, *, a_w: float, slices: int | None, retardation: float) -> dict[str, PlanetPair]:
        """Pairs of sun and planet, planet and ring at a centre distance [m].

        Raises
        ------
        Fault
            With the keys of both tables.
        """
        found = {}
        for mesh, both in {"sun": (SUN, PLANET), "ring": (PLANET, RING)}.items():
            with _told(" and ".join(both)):
                first, second = (self.gears[key] for key in both)
                found[mesh] = PlanetPair(
                    pair=GearPair(pinion=first, wheel=second, a_w=a_w),
                    law=law_of("teeth", mesh, slices=slices),
                    materials=(self.materials[both[0]], self.materials[both[1]]),
                    retardation=retardation,
                )
        return found


def _check_keys(key: str, own: ToothKeys) -> None:
    """Refuse what has no effect on a ring, and reliefs without their beginning."""
    if key == RING and own.tip_rounding_mm is not None:
        raise Fault("tip_rounding_mm", own.tip_rounding_mm, "left out: it has no effect on a ring", "leave it out")
    for amount, (end, *_) in missing_ends(own.flank).items():
        raise Fault(f"flank.{end}", "not given", f"given with {amount}", f"add {end}")


@contextmanager
def _told(key: str) -> Iterator[None]:
    """Put the key of a table before the quantity of a fault."""
    try:
        yield
    except Fault as fault:
        raise Fault(f"{key}, {fault.quantity}", fault.value, fault.limit, fault.remedy) from fault
