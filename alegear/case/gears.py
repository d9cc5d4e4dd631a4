"""Gears, their material and grids, from the tables of a case file to SI units."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from alegear.case import schema
from alegear.case.faults import shown
from alegear.case.tables import Section
from alegear.case.units import MM, UM
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.alignment import Alignment
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.measured_flank import Topography, read_pitch_deviation
from alegear.geometry.microgeometry import Microgeometry
from alegear.mesh.sector import MeshOptions, default_width_elements


class GearSection(Section):
    """``[pair]``, ``[pinion]``, ``[wheel]``, ``[alignment]``, ``[material]``, ``[mesh]``."""

    def pair(self, tables: dict[str, Any]) -> GearPair | None:
        table = tables.get("pair")
        if table is None:
            return None
        gears = []
        for name in GEARS:
            if name not in tables:
                continue
            if self._misses_a_flank_key(name, tables[name].flank):
                continue
            with self._geometry(name):
                gears.append(_gear(table, tables[name], wheel=name == "wheel", folder=self.file.path.parent))
        if len(gears) < 2 or "alignment" not in tables:
            return None
        a_w = table.center_distance_mm
        with self._geometry("pair"):
            return GearPair(
                pinion=gears[0],
                wheel=gears[1],
                a_w=None if a_w is None else a_w * MM,
                alignment=_alignment(tables["alignment"]),
            )
        return None

    def _misses_a_flank_key(self, gear: str, flank: schema.FlankTable) -> bool:
        """Refuse reliefs of which nobody says where they begin or end."""
        needed = {
            "tip_relief_um": "tip_relief_start_diameter_mm",
            "root_relief_um": "root_relief_start_diameter_mm",
            "end_relief_um": "end_relief_length_mm",
        }
        missing = {a: key for a, key in needed.items() if getattr(flank, a) > 0.0 and not getattr(flank, key)}
        for amount, key in missing.items():
            self._fault(
                f"{gear}.flank.{key}",
                self._shown_or_missing(gear, f"flank.{key}"),
                f"the key is needed with {amount}",
                f"give the {schema.FlankTable.model_fields[key].description}",
            )
        return bool(missing)

    @contextmanager
    def _geometry(self, where: str) -> Iterator[None]:
        """Write a fault of the gear geometry as a fault of the key that causes it."""
        try:
            yield
        except Fault as fault:
            table, key = self._blamed_key(where, f"{fault.remedy} {fault.quantity}")
            given, found = self._given(table, key)
            same = found and isinstance(given, int | float) and str(float(given)) == _as_float(fault.value)
            self._fault(
                f"{table}.{key}" if key else f"[{table}]",
                shown(given) if found else "(default)" if key else str(fault.value),
                f"{fault.quantity}{'' if same else f' = {fault.value}'} must be {fault.limit}",
                fault.remedy,
            )

    def _blamed_key(self, where: str, text: str) -> tuple[str, str]:
        """Return the table and key to blame: the first key a message names that the file gives, else the first."""
        named: list[tuple[str, str]] = []
        for match in re.finditer(r"[a-z]+(?:_[A-Za-z]+)+|teeth", text):
            key, gear = match.group(), where
            if where == "pair":
                # whose key it is: "... of the wheel" right after it, else the gear named last before it
                after = re.match(r" of (?:the )?(pinion|wheel)", text[match.end() :])
                before = re.findall(r"pinion|wheel", text[: match.start()])
                gear = after.group(1) if after else before[-1] if before else "pinion"
            if key in schema.PairTable.model_fields:
                named.append(("pair", key))
            elif key in schema.AlignmentTable.model_fields:
                named.append(("alignment", key))
            elif key in schema.FlankTable.model_fields:
                named.append((gear, f"flank.{key}"))
            elif key in schema.GearTable.model_fields and not (where == "pair" and key == "teeth"):
                named.append((gear, key))
        given = [place for place in named if self._given(*place)[1]]
        return (given or named or [(where, "")])[0]

    def material(self, tables: dict[str, Any], gear: str) -> Material | None:
        if "material" not in tables or gear not in tables:
            return None
        merged = _merged(tables["material"], tables[gear].material)
        units = {"youngs_modulus_GPa": ("E", 1e9), "poisson_ratio": ("nu", 1.0), "density_kg_m3": ("rho", 1.0)}
        units["yield_strength_MPa"] = ("yield_strength", 1e6)
        si = {units[k][0]: v * units[k][1] for k, v in merged.items()}
        try:
            return Material(**si)
        except Fault as fault:
            self._fault(f"{gear}.material", str(fault.value), f"{fault.quantity} must be {fault.limit}", fault.remedy)
            return None

    def mesh_options(self, tables: dict[str, Any], gear: str) -> MeshOptions | None:
        if "mesh" not in tables or gear not in tables:
            return None
        merged = _merged(tables["mesh"], tables[gear].mesh)
        if merged.pop("file", None) is not None:
            self._no_numbers_beside_a_file(tables, gear)
            return None
        penalty = tables["contact"].law == "penalty" if "contact" in tables else False
        pair = tables.get("pair")
        if "width_elements" not in merged and pair is not None:
            merged["width_elements"] = default_width_elements(
                tables[gear].face_width_mm / pair.normal_module_mm, helical=pair.helix_angle_deg != 0.0
            )
        odd = any(value % 2 for key, value in merged.items() if key != "order")
        merged.setdefault("order", 1 if penalty or odd else MeshOptions.order)
        try:
            options = MeshOptions(**merged)
        except Fault as fault:
            table = self._mesh_table(gear, fault.quantity)
            self._fault(f"{table}.{fault.quantity}", str(fault.value), f"must be {fault.limit}", fault.remedy)
            return None
        return options

    def _no_numbers_beside_a_file(self, tables: dict[str, Any], gear: str) -> None:
        """Refuse numbers of elements that a grid made elsewhere leaves without effect."""
        own = tables[gear].mesh.model_dump(exclude_none=True, exclude={"file"})
        both = all(name in tables and tables[name].mesh.file is not None for name in GEARS)
        general = tables["mesh"].model_dump(exclude_none=True) if both else {}
        for where, given in ((f"{gear}.mesh", own), ("mesh", general)):
            for key, value in given.items():
                limit = f"has no effect with {gear}.mesh.file, a grid made elsewhere"
                self._fault(f"{where}.{key}", shown(value), limit, "leave out one of the two")

    def _mesh_table(self, gear: str, key: str) -> str:
        """Return the table in which the user wrote a key of the mesh."""
        return f"{gear}.mesh" if self._given(gear, f"mesh.{key}")[1] else "mesh"

    def mesh_file(self, tables: dict[str, Any], gear: str) -> Path | None:
        if gear not in tables or tables[gear].mesh.file is None:
            return None
        given = tables[gear].mesh.file
        path = self.file.path.parent / given
        if "\0" in given or not path.is_file():
            self._fault(f"{gear}.mesh.file", shown(given), f"no such file: {path}", "check the path")
            return None
        return path


def _gear(pair: schema.PairTable, gear: schema.GearTable, *, wheel: bool, folder: Path) -> Gear:
    """Build a gear from its table, in SI units; the wheel has the hand opposite to the pinion's."""
    beta = math.radians(pair.helix_angle_deg)
    return Gear(
        z=gear.teeth,
        m_n=pair.normal_module_mm * MM,
        rack=BasicRack(
            alpha_n=math.radians(pair.pressure_angle_deg),
            addendum_factor=gear.addendum_factor,
            dedendum_factor=gear.dedendum_factor,
            root_radius_factor=gear.root_radius_factor,
        ),
        x=gear.profile_shift,
        b=gear.face_width_mm * MM,
        bore_diameter=gear.bore_diameter_mm * MM,
        beta=0.0 - beta if wheel else beta,  # not -0.0
        tip_alteration_factor=gear.tip_alteration_factor,
        tip_rounding=None if gear.tip_rounding_mm is None else gear.tip_rounding_mm * MM,
        thickness_allowance=gear.tooth_thickness_allowance_um * UM,
        microgeometry=_microgeometry(gear.flank, folder),
    )


def _microgeometry(flank: schema.FlankTable, folder: Path) -> Microgeometry:
    """Build the flank deviations from their table, in SI units; files are looked up in `folder`."""
    tip_start, root_start = flank.tip_relief_start_diameter_mm, flank.root_relief_start_diameter_mm
    topography, pitch_deviation = flank.topography_csv, flank.pitch_deviation_csv
    return Microgeometry(
        tip_relief=flank.tip_relief_um * UM,
        tip_relief_start_diameter=None if tip_start is None else tip_start * MM,
        tip_relief_shape=flank.tip_relief_shape,
        root_relief=flank.root_relief_um * UM,
        root_relief_start_diameter=None if root_start is None else root_start * MM,
        root_relief_shape=flank.root_relief_shape,
        profile_crowning=flank.profile_crowning_um * UM,
        profile_slope=flank.profile_slope_um * UM,
        lead_crowning=flank.lead_crowning_um * UM,
        helix_slope=flank.helix_slope_um * UM,
        end_relief=flank.end_relief_um * UM,
        end_relief_length=flank.end_relief_length_mm * MM,
        topography=None if topography is None else Topography.from_csv(folder / topography),
        pitch_deviation=None if pitch_deviation is None else read_pitch_deviation(folder / pitch_deviation),
    )


def _alignment(table: schema.AlignmentTable) -> Alignment:
    return Alignment(
        tilt_plane_of_action=math.radians(table.tilt_plane_of_action_deg),
        tilt_normal=math.radians(table.tilt_normal_deg),
        axial_offset=table.axial_offset_mm * MM,
        center_distance_error=table.center_distance_error_um * UM,
    )


def _merged(general: BaseModel, special: BaseModel) -> dict[str, Any]:
    """Return the keys given in a general table, overridden by those of a gear's own."""
    return general.model_dump(exclude_none=True, exclude_unset=True) | special.model_dump(
        exclude_none=True, exclude_unset=True
    )


def _as_float(value: object) -> str:
    return str(float(value)) if isinstance(value, int | float) else str(value)
