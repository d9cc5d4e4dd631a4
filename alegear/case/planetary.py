"""``[planetary.NAME]``: a planetary set by its teeth, between torsional parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import radians
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from alegear.case.elastic_mesh import TeethKeys
from alegear.case.gears import RingKeys, ToothKeys
from alegear.case.losses import LossesTable
from alegear.case.material import MaterialTable, material_of
from alegear.case.planetary_gears import KEYS, GearTables, InnerGearTable, RingGearTable, SetGears, given_tips
from alegear.case.schema import Table, limited, limited_number, listed
from alegear.drivetrain.displaced_planets import Pins
from alegear.drivetrain.laws.teeth import Teeth
from alegear.drivetrain.planar.friction import Din3990Friction
from alegear.drivetrain.rotational.pin_errors import PIN_ERROR
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planet_springs import (
    PlanetMesh,
    mesh_averages,
    mesh_circles,
    standard_stiffness,
)
from alegear.drivetrain.rotational.planetary_checks import PLANET_INERTIA, PLANET_MASS, PLANET_TILT
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.rotational.set_losses import MESH_EFFICIENCY, STATIONARY_EFFICIENCY
from alegear.errors import Fault
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.planetary import MOST_PLANETS, PlanetarySet
from alegear.geometry.planetary_layout import TIP_DIAMETER
from alegear.geometry.planetary_teeth import BETWEEN_PLANETS, PROFILE_SHIFT, PlanetaryTeeth
from alegear.limits import Limits
from alegear.units import MM

UM, DEGREE = 1e-6, radians(1.0)
TEETH = PlanetarySet.LIMITS["sun"]
OF_TEETH = PlanetaryTeeth.LIMITS
_ANGLE = Limits(quantity="angle of a pin", key="pin_positions_deg", unit="deg", least=0.0, most=360.0, below=True)


def _one_or_more(entry: Any, most: int) -> Any:
    """Type of a number, or of a list of up to so many."""
    listing = BeforeValidator(lambda given: given if isinstance(given, list) else [given])
    return Annotated[listed(entry, 1, most), listing]  # type: ignore[valid-type]


_Count = Annotated[int, Field(**TEETH.bounds)]
_Teeth = _one_or_more(_Count, 2)
_Distances = _one_or_more(limited_number(GearPair.LIMITS["a_w"]), 3)
_Inertias, _Masses, _Tilts = (
    _one_or_more(limited_number(one), 2) for one in (PLANET_INERTIA, PLANET_MASS, PLANET_TILT)
)
_Pins = listed(limited_number(_ANGLE), 1, MOST_PLANETS)
_Efficiencies = _one_or_more(limited_number(MESH_EFFICIENCY), 4)
_Errors = listed(limited_number(PIN_ERROR), 1, MOST_PLANETS)


class TipDiametersTable(Table):
    """``tip_diameters_mm``, by gear."""

    sun: float | None = limited(TIP_DIAMETER, "of the sun in mm", default=None)
    second_sun: float | None = limited(TIP_DIAMETER, "of the second sun in mm", default=None)
    planet: float | None = limited(TIP_DIAMETER, "of the planets in mm", default=None)
    planet_1: float | None = limited(TIP_DIAMETER, "of two planet gears, of the first in mm", default=None)
    planet_2: float | None = limited(TIP_DIAMETER, "of two planet gears, of the second in mm", default=None)
    ring: float | None = limited(TIP_DIAMETER, "of the ring in mm", default=None)
    second_ring: float | None = limited(TIP_DIAMETER, "of the second ring in mm", default=None)


class ProfileShiftsTable(Table):
    """``profile_shifts``, by gear."""

    sun: float | None = limited(PROFILE_SHIFT, "of the sun", default=None)
    second_sun: float | None = limited(PROFILE_SHIFT, "of the second sun", default=None)
    planet: float | None = limited(PROFILE_SHIFT, "of the planets", default=None)
    planet_1: float | None = limited(PROFILE_SHIFT, "of two planet gears, of the first", default=None)
    planet_2: float | None = limited(PROFILE_SHIFT, "of two planet gears, of the second", default=None)
    ring: float | None = limited(PROFILE_SHIFT, "of the ring, negative away from its axis", default=None)
    second_ring: float | None = limited(PROFILE_SHIFT, "of the second ring", default=None)


class PlanetaryTable(LossesTable):
    """``[planetary.NAME]``: a planetary set by its teeth."""

    WORDS: ClassVar[Mapping[str, str]] = {
        "sun": "sun_teeth",
        "ring": "ring_teeth",
        "second_sun": "second_sun_teeth",
        "second_ring": "second_ring_teeth",
        "planet": "planet_teeth",
        "planets": "planet_teeth",
        "assembly": "planets",
        "neighbouring": "planets",
        "n_planets": "planets",
        "pin": "pin_positions_deg",
        "pins": "pin_positions_deg",
        "pin_angles": "pin_positions_deg",
        "pin_errors": "pin_error_um",
        "m_n": "normal_module_mm",
        "second_m_n": "second_module_mm",
        "a_w": "center_distance_mm",
        "centre": "center_distance_mm",
        "tip": "tip_diameters_mm",
        "tip_diameters": "tip_diameters_mm",
        "beta": "helix_angle_deg",
        "alpha_n": "pressure_angle_deg",
        "planet_inertia": "planet_inertia_kg_m2",
        "planet_mass": "planet_mass_kg",
        "planet_tilt_inertia": "planet_tilt_inertia_kg_m2",
        "torque": "torque_Nm",
        "retardation": "retardation_us",
    }

    sun: str | None = Field(default=None, description="name of the rotor or shaft that is the sun")
    ring: str | None = Field(default=None, description="name of the rotor or shaft that is the ring")
    second_sun: str | None = Field(default=None, description="name of the rotor or shaft that is the second sun")
    second_ring: str | None = Field(default=None, description="name of the rotor or shaft that is the second ring")
    carrier: str = Field(description="name of the rotor or shaft that is the carrier")
    sun_teeth: int | None = limited(TEETH, "teeth of the sun", default=None)
    ring_teeth: int | None = limited(TEETH, "teeth of the ring, positive", default=None)
    second_sun_teeth: int | None = limited(TEETH, "teeth of the second sun", default=None)
    second_ring_teeth: int | None = limited(TEETH, "teeth of the second ring", default=None)
    planet_teeth: _Teeth = Field(description="teeth of the planets; two of stepped planets and of pairs")  # type: ignore[valid-type]
    stepped: bool = Field(default=False, description="whether two planet gears turn as one; else they mesh (false)")
    planets: int = limited(PlanetarySet.LIMITS["n_planets"], "number of planets; of pairs where two mesh")
    pin_positions_deg: _Pins | None = Field(  # type: ignore[valid-type]
        default=None, description="where the pins are, from the first, in degrees (equally spaced)"
    )
    normal_module_mm: float | None = limited(
        OF_TEETH["m_n"], "normal module in mm; without it the tooth numbers are all that is known", default=None
    )
    second_module_mm: float | None = limited(
        OF_TEETH["second_m_n"],
        "normal module of the second step of stepped planets in mm (normal_module_mm)",
        default=None,
    )
    helix_angle_deg: float = limited(OF_TEETH["beta"], "magnitude of the helix angle in degrees (0)", default=0.0)
    pressure_angle_deg: float = limited(OF_TEETH["alpha_n"], "normal pressure angle in degrees (20)", default=20.0)
    center_distance_mm: _Distances | None = Field(  # type: ignore[valid-type]
        default=None,
        description="working centre distance in mm, else that of the profile shifts; of planets that mesh three: first"
        " pins, between, second pins",
    )
    tip_diameters_mm: TipDiametersTable | None = Field(default=None, description="tip diameters in mm, by gear")
    profile_shifts: ProfileShiftsTable | None = Field(
        default=None,
        description="profile shift coefficients, by gear; the others and the centre distance follow from them",
    )
    planet_inertia_kg_m2: _Inertias = Field(default=[0.0], description="inertia of one planet in kg m2 ([0])")  # type: ignore[valid-type]
    planet_mass_kg: _Masses = Field(default=[0.0], description="mass of one planet with its pin in kg ([0])")  # type: ignore[valid-type]
    mesh_efficiency: _Efficiencies | None = Field(  # type: ignore[valid-type]
        default=None,
        description="efficiency of every mesh of a lossy set, or of each: sun, ring, second sun, second ring, planets",
    )
    stationary_efficiency: float | None = limited(
        STATIONARY_EFFICIENCY,
        "lossy: efficiency from sun to ring and back with the carrier held; of three central gears of each branch",
        default=None,
    )
    fidelity: str = Field(default="rigid", description="rigid, lossy, elastic or teeth (rigid)")
    torque_Nm: float | None = limited(
        Limits(quantity="torque", unit="N m", least=-1e12, most=1e12),
        "teeth, or elastic with a stiffness over the position: approximate torque on the sun in N m, counterclockwise"
        " positive",
        default=None,
    )
    sun_gear: InnerGearTable | None = Field(default=None, description="teeth: the sun as a gear")
    planet_gear: InnerGearTable | None = Field(default=None, description="teeth: the planets as gears")
    ring_gear: RingGearTable | None = Field(default=None, description="teeth: the ring as a gear")
    slices: int | None = limited(Teeth.LIMITS["slices"], "teeth: slices across each face", default=None)
    retardation_us: float | None = limited(
        PlanetPair.LIMITS["retardation"],
        "teeth: damping of the teeth over their stiffness in microseconds (0)",
        default=None,
    )
    face_width_mm: float | None = limited(
        Din3990Friction.LIMITS["face_width"],
        "elastic: common face width in mm, by which the stiffness of meshes that is not given follows from ISO 6336-1",
        default=None,
    )
    sun_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of sun and planets")
    ring_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of planets and ring")
    second_sun_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of second sun and planets")
    second_ring_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of planets and second ring")
    planet_mesh: TeethKeys | None = Field(default=None, description="elastic: teeth of planets that mesh")
    pin_error_um: _Errors | None = Field(  # type: ignore[valid-type]
        default=None, description="elastic, teeth: how far each pin is ahead along its circle in micrometres"
    )

    pin_stiffness_N_per_m: listed(float, 3) | None = Field(  # type: ignore[valid-type]
        default=None, description="elastic, teeth: bearings of the planets [radial, tangential, axial] in N/m (rigid)"
    )
    pin_tilt_stiffness_Nm_per_rad: listed(float, 2) | None = Field(  # type: ignore[valid-type]
        default=None,
        description="their stiffness against tilting about the radius and the tangent in N m/rad; [0, 0]: spherical"
        " bearings (that of bearings as wide as the gears, k b^2/12; [0, 0] where no face width is given)",
    )
    pin_damping_Ns_per_m: listed(float, 3) = Field(  # type: ignore[valid-type]
        default=[0.0, 0.0, 0.0], description="damping of these bearings in N s/m ([0, 0, 0])"
    )
    pin_tilt_damping_Nms_per_rad: listed(float, 2) = Field(  # type: ignore[valid-type]
        default=[0.0, 0.0], description="damping of tilting in N m s/rad ([0, 0])"
    )
    planet_tilt_inertia_kg_m2: _Tilts | None = Field(  # type: ignore[valid-type]
        default=None, description="on bearings: inertia of one planet about a diameter in kg m2 (half of its inertia)"
    )

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
        teeth, meshes = self._geared(folder, material) if self.uses_generalized_alpha else self._elastic(material)
        errors, tilts = self.pin_error_um, self.planet_tilt_inertia_kg_m2
        return PlanetaryGearSet(
            name=name,
            teeth=teeth,
            carrier=self.carrier,
            sun=self.sun,
            ring=self.ring,
            second_sun=self.second_sun,
            second_ring=self.second_ring,
            planet_inertia=_of_bodies(self.planet_inertia_kg_m2),
            planet_mass=_of_bodies(self.planet_mass_kg),
            fidelity=self.fidelity,
            losses=self.loss_table(folder),
            mesh_efficiency=None if self.mesh_efficiency is None else tuple(self.mesh_efficiency),
            stationary_efficiency=self.stationary_efficiency,
            meshes=meshes,
            torque=self.torque_Nm,
            pin_errors=None if errors is None else tuple(value * UM for value in errors),
            pins=self._pins(meshes),
            planet_tilt_inertia=None if tilts is None else _of_bodies(tilts),
        )

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
            widths = ("face_width_mm",) if self.fidelity != "elastic" else ()
            for key in (*KEYS, "slices", "retardation_us", *widths):
                if getattr(self, key) is not None:
                    limit = f'left out: with fidelity = "{self.fidelity}" it has no effect'
                    raise Fault(key, "given", limit, 'write fidelity = "teeth", or leave it out')
            return
        for key in ("sun_mesh", "ring_mesh", "second_sun_mesh", "second_ring_mesh", "planet_mesh", "face_width_mm"):
            if getattr(self, key) is not None:
                limit = 'left out: with fidelity = "teeth" it has no effect'
                raise Fault(key, "{table}", limit, 'write fidelity = "elastic", or leave it out')
        for key in ("normal_module_mm", *KEYS):
            if getattr(self, key) is None:
                raise Fault(key, "not given", 'given for fidelity = "teeth"', f"add {key}")
        others = self.second_sun_teeth, self.second_ring_teeth
        if self.sun_teeth is None or self.ring_teeth is None or len(self.planet_teeth) != 1 or any(others):
            limit = 'one sun, one ring and one planet gear with fidelity = "teeth"'
            remedy = 'give sun_teeth, ring_teeth and one number of planet_teeth, or write fidelity = "elastic"'
            raise Fault("planet_teeth", shown_teeth(self.planet_teeth), limit, remedy)

    def _geared(self, folder: Path, material: MaterialTable | None) -> tuple[PlanetaryTeeth, dict[str, PlanetPair]]:
        """Teeth of the set and pairs of its gears."""
        assert self.normal_module_mm is not None
        gears, module = GearTables.of(self), self.normal_module_mm * MM
        planet: int = next(iter(self.planet_teeth))
        angles = {"alpha_n": self.pressure_angle_deg * DEGREE, "beta": self.helix_angle_deg * DEGREE}
        # teeth that fit each other, before they are cut
        tip = gears.planet_tip(module, angles["beta"], planet)
        fitting = self._teeth(gears.shifts, {**gears.tips, "planet": tip})
        made = SetGears.of(
            gears.completed(fitting),
            teeth={f"{gear}_gear": getattr(self, f"{gear}_teeth") for gear in ("sun", "ring")}
            | {"planet_gear": planet},
            module=module,
            **angles,
            folder=folder,
            material=material,
        )
        teeth = self._teeth(gears.shifts, {key.removesuffix("_gear"): abs(one.d_a) for key, one in made.gears.items()})
        teeth.shifts.check_backlash({key.removesuffix("_gear"): one.x - one.x_E for key, one in made.gears.items()})
        retardation = (self.retardation_us or 0.0) * UM
        return teeth, made.pairs(a_w=teeth.pin_radii["planet"], slices=self.slices, retardation=retardation)

    def _elastic(self, material: MaterialTable | None) -> tuple[PlanetaryTeeth, dict[str, PlanetMesh] | None]:
        """Teeth of the set and its springs, of ``"elastic"``."""
        shifts = None if self.profile_shifts is None else self.profile_shifts.model_dump(exclude_none=True)
        teeth = self._teeth(shifts, None if self.tip_diameters_mm is None else given_tips(self.tip_diameters_mm))
        return teeth, self._meshes(teeth, material_of(material, MaterialTable()).E)

    def _teeth(self, shifts: Mapping[str, float] | None, tips: Mapping[str, float] | None) -> PlanetaryTeeth:
        """Teeth of the set with profile shifts and tip diameters [m] of gears."""
        pins, distances = self.pin_positions_deg, self.center_distance_mm
        return PlanetaryTeeth(
            sun=self.sun_teeth,
            ring=self.ring_teeth,
            second_sun=self.second_sun_teeth,
            second_ring=self.second_ring_teeth,
            planets=tuple(self.planet_teeth),
            stepped=self.stepped,
            n_planets=self.planets,
            pin_angles=None if pins is None else tuple(value * DEGREE for value in pins),
            m_n=None if self.normal_module_mm is None else self.normal_module_mm * MM,
            second_m_n=None if self.second_module_mm is None else self.second_module_mm * MM,
            beta=self.helix_angle_deg * DEGREE,
            alpha_n=self.pressure_angle_deg * DEGREE,
            a_w=None if distances is None else tuple(value * MM for value in distances),
            tip_diameters=tips,
            profile_shifts=shifts,
        )

    def _meshes(self, teeth: PlanetaryTeeth, modulus: float) -> dict[str, PlanetMesh] | None:
        """Springs and friction of all meshes, with Young's modulus [Pa] for those whose stiffness is not given.

        Raises
        ------
        Fault
            With the key of the table.
        """
        of_key = {f"{name}_mesh": name for name in ("sun", "ring", "second_sun", "second_ring")}
        of_key["planet_mesh"] = BETWEEN_PLANETS
        given = {key: name for key, name in of_key.items() if getattr(self, key) is not None}
        if self.fidelity != "elastic":
            if given:
                key = next(iter(given))
                limit = f'left out: with fidelity = "{self.fidelity}" it has no effect'
                raise Fault(key, "{table}", limit, 'write fidelity = "elastic", or leave it out')
            return None
        needed = {key: name for key, name in of_key.items() if name in teeth.meshes}
        for key in given:
            if key not in needed:
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
        return {name: self._mesh(key, tables[key], teeth, modulus) for key, name in needed.items()}

    def _mesh(self, key: str, keys: TeethKeys, teeth: PlanetaryTeeth, modulus: float) -> PlanetMesh:
        mesh = BETWEEN_PLANETS if key == "planet_mesh" else key.removesuffix("_mesh")
        try:
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
        except Fault as fault:
            raise Fault(f"{key}, {fault.quantity}", fault.value, fault.limit, fault.remedy) from fault


def shown_teeth(teeth: list[int]) -> str:
    """Tooth numbers as messages show them."""
    return " and ".join(map(str, teeth))


def _of_bodies(values: list[float]) -> Any:
    """One number, or a tuple of two."""
    return values[0] if len(values) == 1 else tuple(values)


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


#: A key of a gear, and which gear, in messages of the geometry.
GEAR_IN_MESSAGE = re.compile(
    rf"\b({'|'.join(sorted({*ToothKeys.model_fields, *RingKeys.model_fields, 'tip_diameter'} - {'flank'}, key=len))})"
    r" of the (second sun|second ring|sun|planet 1|planet 2|planet|ring)s?\b"
)


def _key_of_gear(key: str, gear: str, own_tables: bool) -> str:
    gear = gear.replace(" ", "_")
    if key == "tip_diameter":
        return f"tip_diameters_mm.{gear}"
    if own_tables:
        return f"{gear}_gear.{key}"
    return f"profile_shifts.{gear}" if key == "profile_shift" else f"{key} of the {gear}"
