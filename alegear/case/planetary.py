"""``[planetary.NAME]``: a planetary set by its teeth, between torsional parts, and its gears where they are cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import copysign, cos
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from alegear.case.elastic_mesh import TeethKeys
from alegear.case.gears import (
    FROM_CENTRE_DISTANCE,
    OF_RING,
    MaterialTable,
    ToothKeys,
    gear_of,
    material_of,
    missing_ends,
)
from alegear.case.tables import limited, table_of
from alegear.contact.law import SLICES
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.planar.friction import FACE_WIDTH
from alegear.drivetrain.rotational.pins import Pins
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planet_springs import (
    PlanetMesh,
    mesh_averages,
    mesh_circles,
    standard_stiffness,
)
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear, Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.internal_gear import InternalGear
from alegear.geometry.pair_geometry import PairNames
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, PlanetaryTeeth
from alegear.limits import described
from alegear.parameters import limits_of, made_of, words_of
from alegear.units import DEGREE, MM, UM

#: Keys of the tables.
SUN, PLANET, RING = KEYS = ("sun_gear", "planet_gear", "ring_gear")
#: Those of meshes -> the meshes.
OF_MESHES = {f"{name}_mesh": name for name in ("sun", "ring", "second_sun", "second_ring")}
OF_MESHES["planet_mesh"] = BETWEEN_PLANETS
NAMES = {
    "sun": PairNames(pinion="the sun", wheel="the planet", torque="torque [N m] of a planet on the sun"),
    "ring": PairNames(pinion="the planet", wheel="the ring", torque="torque [N m] of the ring on a planet"),
}


class InnerGearTable(ToothKeys, table_of(Gear, "bore_diameter")):  # type: ignore[misc]
    """``[planetary.NAME.sun_gear]`` and ``planet_gear``: keys of ``[gears.NAME]`` that the set does not say."""


class RingGearTable(ToothKeys, table_of(InternalGear, *OF_RING)):  # type: ignore[misc]
    """``[planetary.NAME.ring_gear]``: the same, of a ring."""


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
        tips_mm = {} if table.tip_diameters_mm is None else table.tip_diameters_mm.model_dump(exclude_none=True)
        tips = {gear: value * MM for gear, value in tips_mm.items()}
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


def _cut(teeth: PlanetaryTeeth, tables: Mapping[str, ToothKeys], folder: Path) -> dict[str, CylindricalGear]:
    """Gears of a set by the keys of their tables, which have the numbers of all profile shifts; a right-handed sun.

    Raises
    ------
    Fault
        With the key of the table.
    """
    assert teeth.m_n is not None
    z = {SUN: teeth.sun, PLANET: teeth.planets[0], RING: teeth.ring}
    gears: dict[str, CylindricalGear] = {}
    for key, own in tables.items():
        # gears outside each other have opposite hands, a ring that of its planet
        beta = teeth.beta if key == SUN else -teeth.beta + 0.0
        with _in_table(key):
            _check_keys(key, own)
            numbers: dict[str, Any] = {
                "normal_module": teeth.m_n,
                "alpha_n": teeth.alpha_n,
                "beta": beta,
                "teeth": z[key],
            }
            gears[key] = gear_of(own, folder=folder, ring=key == RING, **numbers)
    return gears


def _check_keys(key: str, own: ToothKeys) -> None:
    """Refuse what has no effect on a ring, and reliefs without their beginning."""
    if key == RING and own.tip_rounding_mm is not None:
        raise Fault("tip_rounding_mm", own.tip_rounding_mm, "left out: it has no effect on a ring", "leave it out")
    for amount, (end, *_) in missing_ends(own.flank).items():
        raise Fault(f"flank.{end}", "not given", f"given with {amount}", f"add {end}")


@contextmanager
def _in_table(key: str, *, own_keys: bool = True) -> Iterator[None]:
    """Put the key of a table before the quantity of a fault, and before keys of its own that its remedy names."""
    try:
        yield
    except Fault as fault:
        remedy = _of_table(key, fault.remedy) if own_keys else fault.remedy
        raise Fault(f"{key}, {fault.quantity}", fault.value, fault.limit, remedy) from fault


def _of_table(key: str, text: str) -> str:
    """A remedy with the table before each of its keys: ``ring_gear.tip_alteration_factor``."""
    model = RingGearTable if key == RING else InnerGearTable
    keys = "|".join(sorted(model.model_fields, key=len, reverse=True))
    return re.sub(rf"(?<![.\w])({keys})(?!\w)", lambda found: f"{key}.{found[1]}", text)


class PlanetaryTable(table_of(PlanetaryGearSet)):  # type: ignore[misc]
    """``[planetary.NAME]``: a planetary set by its teeth."""

    WORDS: ClassVar[Mapping[str, str]] = words_of(PlanetaryGearSet) | {
        "planet": "planet_teeth",
        "assembly": "planets",
        "neighbouring": "planets",
        "pin": "pin_positions_deg",
        "pins": "pin_positions_deg",
        "centre": "center_distance_mm",
        "tip": "tip_diameters_mm",
        "retardation": "retardation_us",
        **{word: word for word in ("stiffness", "damping")},  # of meshes too
    }

    sun_gear: InnerGearTable | None = Field(default=None, description="teeth: the sun as a gear")
    planet_gear: InnerGearTable | None = Field(default=None, description="teeth: the planets as gears")
    ring_gear: RingGearTable | None = Field(default=None, description="teeth: the ring as a gear")
    slices: int | None = limited(SLICES, "teeth: slices across each face", default=None)
    retardation_us: float | None = limited(
        limits_of(PlanetPair)["retardation"],
        "teeth: damping of the teeth over their stiffness in microseconds (0)",
        default=None,
    )
    face_width_mm: float | None = limited(
        FACE_WIDTH,
        "elastic: common face width in mm, by which the stiffness of meshes that is not given follows from ISO 6336-1",
        default=None,
    )
    sun_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of sun and planets")
    ring_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of planets and ring")
    second_sun_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of second sun and planets")
    second_ring_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of planets and second ring")
    planet_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of planets that mesh")

    @property
    def uses_generalized_alpha(self) -> bool:
        """Whether its motions are taken in steps."""
        return self.fidelity == "teeth"

    def part(self, name: str, folder: Path, material: MaterialTable | None = None) -> PlanetaryGearSet:
        """Make the set; of gears the material is that of the machine unless they have their own."""
        with _keys_of_gears(self.uses_generalized_alpha):
            return self._part(name, folder, material)

    def _part(self, name: str, folder: Path, material: MaterialTable | None) -> PlanetaryGearSet:
        self._check_gears()
        teeth, meshes = (self._geared if self.uses_generalized_alpha else self._elastic)(folder, material)
        return self.made(folder, name=name, teeth=teeth, meshes=meshes, pins=self._pins(meshes))

    def _pins(self, meshes: Mapping[str, PlanetMesh] | Mapping[str, PlanetPair] | None) -> Pins | None:
        """Bearings of the planets, as wide as the gears of `meshes` where nothing is given against tilting.

        Raises
        ------
        Fault
            For what has no effect without a stiffness.
        """
        if self.pin_stiffness_N_per_m is None:
            for key in ("pin_tilt_stiffness_Nm_per_rad", "pin_damping_Ns_per_m", "pin_tilt_damping_Nms_per_rad"):
                if any(getattr(self, key) or ()):
                    limit = "left out without pin_stiffness_N_per_m: the carrier holds the planets"
                    raise Fault(key, getattr(self, key), limit, "give pin_stiffness_N_per_m, or leave it out")
            return None
        tilt = self.pin_tilt_stiffness_Nm_per_rad
        if tilt is None:
            widths = [one.pair.b_w for one in (meshes or {}).values() if isinstance(one, PlanetPair)]
            width = min(widths, default=(self.face_width_mm or 0.0) * MM)
            radial, tangential, _ = self.pin_stiffness_N_per_m
            tilt = list(Pins.tilt_stiffness(radial, tangential, width))
        return Pins(
            stiffness=[*self.pin_stiffness_N_per_m, *tilt],
            damping=[*self.pin_damping_Ns_per_m, *self.pin_tilt_damping_Nms_per_rad],
        )

    def _check_gears(self) -> None:
        """Refuse gears where they have no effect, and a set on teeth without them.

        Raises
        ------
        Fault
        """
        if not self.uses_generalized_alpha:
            self._refuse((*KEYS, "slices", "retardation_us"), "teeth")
        if self.fidelity != "elastic":
            self._refuse((*OF_MESHES, "face_width_mm"), "elastic")
        if not self.uses_generalized_alpha:
            return
        for key in ("normal_module_mm", *KEYS):
            if getattr(self, key) is None:
                raise Fault(key, "not given", 'given for fidelity = "teeth"', f"add {key}")
        others = self.second_sun_teeth, self.second_ring_teeth
        if self.sun_teeth is None or self.ring_teeth is None or len(self.planet_teeth) != 1 or any(others):
            limit = 'one sun, one ring and one planet gear with fidelity = "teeth"'
            remedy = 'give sun_teeth, ring_teeth and one number of planet_teeth, or write fidelity = "elastic"'
            raise Fault("planet_teeth", " and ".join(map(str, self.planet_teeth)), limit, remedy)

    def _refuse(self, keys: Iterable[str], fidelity: str) -> None:
        """Refuse keys that have an effect with another fidelity only."""
        for key in keys:
            value = getattr(self, key)
            if value is not None:
                shown = "{table}" if isinstance(value, BaseModel) else described(value)
                limit = f'left out: with fidelity = "{self.fidelity}" it has no effect'
                raise Fault(key, shown, limit, f'write fidelity = "{fidelity}", or leave it out')

    def _geared(self, folder: Path, material: MaterialTable | None) -> tuple[PlanetaryTeeth, dict[str, PlanetPair]]:
        """Teeth of the set and pairs of its gears: of sun and planet, planet and ring.

        Raises
        ------
        Fault
            With the keys of the tables.
        """
        assert self.normal_module_mm is not None
        own = GearTables.of(self)
        # teeth that fit each other, before they are cut
        tip = own.planet_tip(self.normal_module_mm * MM, self.helix_angle_deg * DEGREE, self.planet_teeth[0])
        fitting = self._teeth(folder, own.shifts, {**own.tips, "planet": tip})
        tables = own.completed(fitting)
        gears = _cut(fitting, tables, folder)
        tips = {key.removesuffix("_gear"): abs(one.d_a) for key, one in gears.items()}
        teeth = self._teeth(folder, own.shifts, tips)
        teeth.shifts.check_backlash({key.removesuffix("_gear"): one.x - one.x_E for key, one in gears.items()})
        found = {}
        for mesh, both in {"sun": (SUN, PLANET), "ring": (PLANET, RING)}.items():
            with _in_table(" and ".join(both), own_keys=False):
                first, second = (gears[key] for key in both)
                a_w, names = teeth.pin_radii["planet"], NAMES[mesh]
                found[mesh] = PlanetPair(
                    pair=GearPair(pinion=first, wheel=second, a_w=a_w, names=names),
                    law=law_of("teeth", mesh, slices=self.slices),
                    materials=(
                        material_of(material, tables[both[0]].material),
                        material_of(material, tables[both[1]].material),
                    ),
                    retardation=(self.retardation_us or 0.0) * UM,
                )
        return teeth, found

    def _elastic(
        self, folder: Path, material: MaterialTable | None
    ) -> tuple[PlanetaryTeeth, dict[str, PlanetMesh] | None]:
        """Teeth of the set and its springs, of ``"elastic"``."""
        teeth = made_of(PlanetaryTeeth, self.given, folder)
        return teeth, self._meshes(teeth, material_of(material, MaterialTable()).E)

    def _teeth(self, folder: Path, shifts: Mapping[str, float], tips: Mapping[str, float]) -> PlanetaryTeeth:
        """Teeth of the set with profile shifts and tip diameters [m] of gears."""
        return made_of(PlanetaryTeeth, self.given, folder, profile_shifts=shifts, tip_diameters=tips)

    def _meshes(self, teeth: PlanetaryTeeth, modulus: float) -> dict[str, PlanetMesh] | None:
        """Springs and friction of all meshes, with Young's modulus [Pa] for those whose stiffness is not given.

        Raises
        ------
        Fault
            With the key of the table.
        """
        if self.fidelity != "elastic":
            return None
        needed = {key: name for key, name in OF_MESHES.items() if name in teeth.meshes}
        for key in OF_MESHES:
            if key not in needed and getattr(self, key) is not None:
                raise Fault(key, "{table}", "left out: there is no such mesh", f"leave {key} out")
        tables = {key: getattr(self, key) or TeethKeys() for key in needed}
        without = [key for key, table in tables.items() if table.stiffness_N_per_m is None]
        if self.face_width_mm is not None and not without:
            limit = "left out: the stiffness of all meshes is given, and nothing else follows from it"
            raise Fault("face_width_mm", self.face_width_mm, limit, "leave it out, or a stiffness_N_per_m")
        if self.face_width_mm is None and without:
            remedy = (
                "give face_width_mm, by which it follows from ISO 6336-1, or"
                f" {without[0]} = {{ stiffness_N_per_m = 4e8 }} with the stiffness along the line of action"
            )
            what = f"stiffness_N_per_m of {' and '.join(without)}"
            raise Fault(what, "not given", 'known for fidelity = "elastic"', remedy)
        found = {}
        for key, name in needed.items():
            with _in_table(key, own_keys=False):
                found[name] = self._mesh(name, tables[key], teeth, modulus)
        return found

    def _mesh(self, mesh: str, keys: TeethKeys, teeth: PlanetaryTeeth, modulus: float) -> PlanetMesh:
        # the path of contact is that of the friction alone
        averages = mesh_circles(teeth, mesh) if keys.friction == "none" else mesh_averages(teeth, mesh)
        first = abs(teeth.gears_of(mesh)[1][0])
        standard = None
        if keys.stiffness_N_per_m is None:
            assert self.face_width_mm is not None
            standard = standard_stiffness(teeth, mesh, self.face_width_mm * MM, modulus)
        spring = keys.spring_of(averages, first, standard)
        assert spring is not None
        return PlanetMesh(spring=spring, friction=keys.friction_of(averages, first))


@contextmanager
def _keys_of_gears(own_tables: bool) -> Iterator[None]:
    """Write what a message says of one gear as a key of the file: ``profile_shift of the ring``."""
    try:
        yield
    except Fault as fault:
        quantity, limit, remedy = (
            GEAR_IN_MESSAGE.sub(lambda found: _key_of_gear(found[1], found[2], own_tables), text)
            for text in (fault.quantity, fault.limit, fault.remedy)
        )
        raise Fault(quantity, fault.value, limit, remedy) from fault


KEYS_OF_GEARS = {*InnerGearTable.model_fields, *RingGearTable.model_fields, "tip_diameter"} - {"flank"}
#: A key of a gear, and which gear, in messages of the geometry.
GEAR_IN_MESSAGE = re.compile(
    rf"\b({'|'.join(sorted(KEYS_OF_GEARS, key=len))})"
    r" of the (second sun|second ring|sun|planet 1|planet 2|planet|ring)s?\b"
)


def _key_of_gear(key: str, gear: str, own_tables: bool) -> str:
    gear = gear.replace(" ", "_")
    if key == "tip_diameter":
        return f"tip_diameters_mm.{gear}"
    if own_tables:
        return f"{gear}_gear.{key}"
    return f"profile_shifts.{gear}" if key == "profile_shift" else f"{key} of the {gear}"
