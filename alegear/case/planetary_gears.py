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
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear_pair import GearPair

#: Keys of the tables.
SUN, PLANET, RING = KEYS = ("sun_gear", "planet_gear", "ring_gear")


class InnerGearTable(ToothKeys, BoreKeys):
    """``[planetary.NAME.sun_gear]`` and ``planet_gear``: keys of ``[gears.NAME]`` that the set does not say."""


class RingGearTable(ToothKeys, RingKeys):
    """``[planetary.NAME.ring_gear]``: the same, of a ring."""


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
    """Refuse what is missing, and what has no effect on a ring."""
    needed = "rim_diameter_mm" if key == RING else "bore_diameter_mm"
    if getattr(own, needed) is None:
        raise Fault(needed, "not given", "given", f"add {needed}")
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
