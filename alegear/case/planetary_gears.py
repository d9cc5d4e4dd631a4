"""``[planetary.NAME.sun_gear]``, ``planet_gear``, ``ring_gear``: gears of a set with ``fidelity = "teeth"``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import copysign, cos
from pathlib import Path
from typing import Any

from alegear.case.gears import (
    FROM_CENTRE_DISTANCE,
    OF_RING,
    MaterialTable,
    ToothKeys,
    gear_of,
    material_of,
    missing_ends,
    ring_of,
)
from alegear.case.tables import table_of
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.internal_gear import InternalGear
from alegear.geometry.pair_names import PairNames
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.units import MM

#: Keys of the tables.
SUN, PLANET, RING = KEYS = ("sun_gear", "planet_gear", "ring_gear")
NAMES = {
    "sun": PairNames(pinion="the sun", wheel="the planet", torque="torque [N m] of a planet on the sun"),
    "ring": PairNames(pinion="the planet", wheel="the ring", torque="torque [N m] of the ring on a planet"),
}


class InnerGearTable(ToothKeys, table_of(Gear, "bore_diameter")):  # type: ignore[misc]
    """``[planetary.NAME.sun_gear]`` and ``planet_gear``: keys of ``[gears.NAME]`` that the set does not say."""


class RingGearTable(ToothKeys, table_of(InternalGear, *OF_RING)):  # type: ignore[misc]
    """``[planetary.NAME.ring_gear]``: the same, of a ring."""


def given_tips(table: Any) -> dict[str, float]:
    """Tip diameters of ``tip_diameters_mm`` by gear [m]."""
    return {gear: value * MM for gear, value in table.model_dump(exclude_none=True).items()}


@dataclass(frozen=True, kw_only=True, eq=False)
class GearTables:
    """Tables of sun, planet and ring with what the set says of their profile shifts and tips.

    Attributes
    ----------
    tables : dict of str to ToothKeys
        By their keys.
    shifts : dict of str to float
        Profile shifts by gear, but for those that are to follow from the centre distance.
    tips : dict of str to float [m]
        Tip diameters by gear that the set gives.
    """

    tables: dict[str, ToothKeys]
    shifts: dict[str, float]
    tips: dict[str, float]

    @classmethod
    def of(cls, table: Any) -> GearTables:
        """Of a PlanetaryTable.

        Raises
        ------
        Fault
            For what both say.
        """
        of_set = {} if table.profile_shifts is None else table.profile_shifts.model_dump(exclude_none=True)
        tips = {} if table.tip_diameters_mm is None else given_tips(table.tip_diameters_mm)
        tables, shifts = {key: getattr(table, key) for key in KEYS}, {}
        for key, own in tables.items():
            gear = key.removesuffix("_gear")
            for named, where, word in (
                (of_set, "profile_shifts", "profile_shift"),
                (tips, "tip_diameters_mm", "tip_alteration_factor"),
            ):
                if gear in named and word in own.model_fields_set:
                    limit = f"left out: {where} says it"
                    remedy = f"leave out {key}.{word}, or {where}.{gear}"
                    raise Fault(f"{key}.{word}", getattr(own, word), limit, remedy)
            shift = of_set.get(gear, own.profile_shift)
            if shift != FROM_CENTRE_DISTANCE:
                shifts[gear] = shift
        for where, named in (("profile_shifts", of_set), ("tip_diameters_mm", tips)):
            other = next((gear for gear in named if f"{gear}_gear" not in KEYS), None)
            if other is not None:
                there = ", ".join(key.removesuffix("_gear") for key in KEYS)
                raise Fault(f"gear in {where}", f'"{other}"', f"one of {there}", f"correct {where}")
        return cls(tables=tables, shifts=shifts, tips=tips)

    def planet_tip(self, module: float, beta: float, teeth: int) -> float:
        """Tip diameter of the planets [m] before they are cut, without a shift that is not known yet."""
        own, x = self.tables[PLANET], self.shifts.get("planet", 0.0)
        above = x + own.addendum_factor + own.tip_alteration_factor
        return self.tips.get("planet", module * (teeth / cos(beta) + 2.0 * above))

    def completed(self, fitting: PlanetaryTeeth) -> dict[str, ToothKeys]:
        """Tables with the numbers of all gears, by the teeth of the set as they fit each other.

        Raises
        ------
        Fault
            For a profile shift that follows from nothing.
        """
        found = {}
        for key, own in self.tables.items():
            gear = key.removesuffix("_gear")
            x = fitting.shifts.x.get(gear)
            if x is None:
                limit = f'known where another one is "{FROM_CENTRE_DISTANCE}"'
                raise Fault(f"{key}.profile_shift", "not known", limit, f"give {key}.profile_shift = 0.0")
            changed: dict[str, Any] = {"profile_shift": x}
            if gear in self.tips:
                mesh = next(one for one in fitting.shifts.meshes.values() if gear in one.gears)
                z = mesh.teeth[mesh.gears.index(gear)]
                r = 0.5 * z * mesh.m_n / cos(fitting.beta)
                above = (copysign(0.5 * self.tips[gear], z) - r) / mesh.m_n
                changed["tip_alteration_factor"] = above - x - own.addendum_factor
            found[key] = own.model_copy(update=changed)
        return found


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
        cls,
        tables: Mapping[str, Any],
        *,
        teeth: Mapping[str, int],
        module: float,
        alpha_n: float,
        beta: float,
        folder: Path,
        material: MaterialTable | None,
    ) -> SetGears:
        """Make them.

        Parameters
        ----------
        tables : mapping of str to ToothKeys
            With the numbers of their profile shifts.
        teeth : mapping of str to int
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
        # gears outside each other have opposite hands, a ring that of its planet
        hands = {SUN: beta, PLANET: -beta + 0.0, RING: -beta + 0.0}
        gears: dict[str, CylindricalGear] = {}
        for key in KEYS:
            own = tables[key]
            with _in_table(key):
                _check_keys(key, own)
                make = ring_of if key == RING else gear_of
                gears[key] = make(
                    own, normal_module=module, alpha_n=alpha_n, beta=hands[key], folder=folder, teeth=teeth[key]
                )
        return cls(gears=gears, materials={key: material_of(material, tables[key].material) for key in KEYS})

    def pairs(self, *, a_w: float, slices: int | None, retardation: float) -> dict[str, PlanetPair]:
        """Pairs of sun and planet, planet and ring at a centre distance [m].

        Raises
        ------
        Fault
            With the keys of both tables.
        """
        found = {}
        for mesh, both in {"sun": (SUN, PLANET), "ring": (PLANET, RING)}.items():
            with _in_table(" and ".join(both), both):
                first, second = (self.gears[key] for key in both)
                found[mesh] = PlanetPair(
                    pair=GearPair(pinion=first, wheel=second, a_w=a_w, names=NAMES[mesh]),
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
def _in_table(key: str, both: tuple[str, ...] = ()) -> Iterator[None]:
    """Put the key of a table before the quantity of a fault, and before keys that its remedy names."""
    try:
        yield
    except Fault as fault:
        remedy = fault.remedy if both else _of_table(key, fault.remedy)
        raise Fault(f"{key}, {fault.quantity}", fault.value, fault.limit, remedy) from fault


def _of_table(key: str, text: str) -> str:
    """A remedy with the table before each of its keys: ``ring_gear.tip_alteration_factor``."""
    model = RingGearTable if key == RING else InnerGearTable
    keys = "|".join(sorted(model.model_fields, key=len, reverse=True))
    return re.sub(rf"(?<![.\w])({keys})(?!\w)", lambda found: f"{key}.{found[1]}", text)
