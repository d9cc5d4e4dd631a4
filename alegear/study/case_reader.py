"""From the tables of a case file to a case in SI units.

This is the only place that knows millimetres, degrees, micrometres and revolutions per minute: everything that leaves
it is in SI units. All faults of a file are collected before it is refused.
"""

from __future__ import annotations

import hashlib
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from alegear.contact.law import Friction, PenaltyLaw
from alegear.dynamics.generalized_alpha import SCHEMES
from alegear.dynamics.joints import TorsionShaft
from alegear.dynamics.support import Support
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.alignment import Alignment
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.measured_flank import Topography, read_pitch_deviation
from alegear.geometry.microgeometry import Microgeometry
from alegear.mesh.sector import MeshOptions, default_width_elements
from alegear.study import case_schema as schema
from alegear.study.case_faults import MISSING, CaseFault, CaseFaults, explain_unknown_key, shown, shown_key
from alegear.study.case_limits import shortest_contact_interval
from alegear.study.settings import (
    DynamicAnalysis,
    ModalAnalysis,
    Operation,
    OutputOptions,
    OutputPoint,
    StaticAnalysis,
)

T = TypeVar("T")

MM = 1e-3
UM = 1e-6
RPM = 2.0 * math.pi / 60.0
G_MM = 1e-6
FULL_MODES = (
    24  # of each wheel, where a case asks for the full inertia: about a third of the deflection of a solid gear
)
MODAL_DAMPING = 0.01
GEARS = ("pinion", "wheel")


def read_case(path: Path) -> dict[str, Any]:
    """Read and check a case file.

    Raises
    ------
    CaseFaults
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise _no_case(path, reason, "must be a readable file", "check the path") from error
    return parse_case(content, path)


def parse_case(content: bytes, path: Path) -> dict[str, Any]:
    """Check the content of a case file; `path` names it in messages and anchors the paths it holds.

    Raises
    ------
    CaseFaults
    """
    try:
        raw = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _no_case(path, str(error), "must be TOML in UTF-8", "save the file as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _no_case(path, str(error), "must be TOML in UTF-8", "correct the line it names") from error
    return _Reader(raw, path, hashlib.sha256(content).hexdigest()).fields()


def _no_case(path: Path, reason: str, limit: str, remedy: str) -> CaseFaults:
    return CaseFaults([CaseFault(str(path), "case file", reason, limit, remedy)])


@dataclass
class _Reader:
    """Turns the raw tables into a case and collects the faults on the way."""

    raw: dict[str, Any]
    path: Path
    sha256: str
    faults: list[CaseFault] = field(default_factory=list)

    def fields(self) -> dict[str, Any]:
        """The fields of a case, by name."""
        tables = self._tables()
        operation = self._operation(tables.get("operation"), tables.get("analysis"))
        analysis = self._analysis(tables.get("analysis"))
        output = self._output(tables, analysis)
        penalty, friction = self._contact(tables.get("contact"), operation, tables.get("analysis"))
        materials = [self._material(tables, gear) for gear in GEARS]
        mesh_options = [self._mesh_options(tables, gear) for gear in GEARS]
        mesh_files = [self._mesh_file(tables, gear) for gear in GEARS]
        teeth_modelled = [self._teeth_modelled(tables, gear, analysis) for gear in GEARS]
        self._window_pairs(tables)
        self._pitches(tables)
        pair = self._pair(tables)
        self._points_on_teeth(output, pair)
        law = tables["contact"].law if "contact" in tables else None
        if pair is not None and law == "penalty" and not PenaltyLaw.serves(pair):
            limit = f"is a law for {PenaltyLaw.SERVED}"
            self._fault("contact.law", '"penalty"', limit, 'write law = "hertz", or leave the key out')
        shafts = self._shafts(tables.get("shafts"), operation)
        supports = self._supports(tables, law)
        self._time_step(analysis, pair, operation)
        if self.faults:
            raise CaseFaults(self.faults)
        # without faults everything below is there
        assert pair is not None
        assert analysis is not None
        assert operation is not None
        assert output is not None
        return {
            "title": tables[""].title or self.path.stem,
            "path": self.path,
            "sha256": self.sha256,
            "pair": pair,
            "materials": _both(materials),
            "mesh_options": _both(mesh_options),
            "mesh_files": (mesh_files[0], mesh_files[1]),
            "teeth_modelled": (teeth_modelled[0], teeth_modelled[1]),
            "law": tables["contact"].law,
            "slices": tables["contact"].slices,
            "penalty": _there(penalty),
            "friction": _there(friction),
            "window_pairs": tables["contact"].window_pairs,
            "operation": operation,
            "analysis": analysis,
            "added_inertia": tuple(getattr(tables["supports"], gear).added_inertia_kg_m2 for gear in GEARS),
            "supports": supports,
            "shafts": shafts,
            "output": output,
        }

    # ---------------------------------------------------------------- tables and their keys

    def _tables(self) -> dict[str, Any]:
        """Check each table on its own, so that a fault in one does not hide those of the others."""
        tables: dict[str, Any] = {}
        top = {k: v for k, v in self.raw.items() if k not in schema.TABLES}
        tables[""] = self._table("", schema.TitleTable, top)
        for name, model in schema.TABLES.items():
            if name not in self.raw and name in schema.REQUIRED:
                self._fault(f"[{name}]", MISSING, "the table is needed", f"add [{name}]")
                continue
            content = self.raw.get(name, {})
            kind = self._analysis_model(content) if name == "analysis" else model
            checked = None if kind is None else self._table(name, kind, content)
            if checked is not None:
                tables[name] = checked
        return tables

    def _analysis_model(self, content: Any) -> type[schema.Table] | None:
        if not isinstance(content, dict):
            return schema.StaticTable
        kind = content.get("kind", MISSING)
        if isinstance(kind, str) and kind in schema.ANALYSES:
            return schema.ANALYSES[kind]
        if kind == MISSING:
            self._fault("analysis.kind", MISSING, "the kind is needed", 'add kind = "static", "dynamic" or "modal"')
        else:
            self._fault("analysis.kind", shown(kind), 'must be "static", "dynamic" or "modal"', "correct it")
        return None

    def _table(self, name: str, model: type[schema.Table], content: Any) -> Any:
        try:
            return model.model_validate(content)
        except ValidationError as error:
            for entry in error.errors(include_url=False):
                self._schema_fault(name, model, entry)
            return None

    def _schema_fault(self, table: str, model: type[schema.Table], entry: Mapping[str, Any]) -> None:
        """Write one finding of the schema as a fault of the case file."""
        loc = tuple(entry["loc"])
        names = tuple(part for part in loc if isinstance(part, str))
        key = ".".join([*([table] if table else []), *map(shown_key, names)])
        key += "".join(f"[{part}]" for part in loc if isinstance(part, int))
        holder = _holder(model, names[:-1])
        kind = entry["type"]
        context = entry.get("ctx", {})
        value = shown(entry["input"])
        if kind == "extra_forbidden":
            known = [*holder.model_fields, *(schema.TABLES if table == "" else ())]
            if table == "analysis" and (other := _other_analysis(names[-1], model)):
                self._fault(key, value, f'is a key of kind = "{other}" only', "leave it out or change the kind")
                return
            limit, remedy = explain_unknown_key(names[-1], known, _keys_of_all_tables())
            self._fault(key, value, limit, remedy)
        elif kind == "missing":
            what = holder.model_fields[names[-1]].description or names[-1]
            self._fault(key, MISSING, "the key is needed", f"give the {what}")
        elif kind in ("later", "limit"):
            self._fault(key, value, entry["msg"], context["remedy"])
        else:
            info = holder.model_fields.get(names[-1]) if names else None
            described = info.description if info is not None else None
            remedy = f"give the {described}" if described else "correct the value"
            self._fault(key, value, _limit(kind, context, entry["msg"]), remedy)

    # ---------------------------------------------------------------- from tables to SI

    def _pair(self, tables: dict[str, Any]) -> GearPair | None:
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
                gears.append(_gear(table, tables[name], wheel=name == "wheel", folder=self.path.parent))
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

    def _given(self, where: str, key: str) -> tuple[Any, bool]:
        """Return the value the file has for a dotted key of a table, and whether it has one."""
        value: Any = self.raw.get(where, {})
        for part in key.split(".") if key else ():
            if not isinstance(value, dict) or part not in value:
                return None, False
            value = value[part]
        return value, bool(key)

    def _material(self, tables: dict[str, Any], gear: str) -> Material | None:
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

    def _mesh_options(self, tables: dict[str, Any], gear: str) -> MeshOptions | None:
        if "mesh" not in tables or gear not in tables:
            return None
        merged = _merged(tables["mesh"], tables[gear].mesh)
        merged.pop("file", None)
        penalty = tables["contact"].law == "penalty" if "contact" in tables else False
        if penalty and merged.get("order") == 2:
            self._fault(
                f"{self._mesh_table(gear, 'order')}.order",
                "2",
                'does not go with law = "penalty", which interpolates linearly across the face',
                'write order = 1, or law = "hertz" in [contact]',
            )
            return None
        pair = tables.get("pair")
        if "width_elements" not in merged and pair is not None:
            merged["width_elements"] = default_width_elements(tables[gear].face_width_mm / pair.normal_module_mm)
        odd = any(value % 2 for key, value in merged.items() if key != "order")
        merged.setdefault("order", 1 if penalty or odd else MeshOptions.order)
        try:
            options = MeshOptions(**merged)
        except Fault as fault:
            table = self._mesh_table(gear, fault.quantity)
            self._fault(f"{table}.{fault.quantity}", str(fault.value), f"must be {fault.limit}", fault.remedy)
            return None
        layer, core = options.layer_elements, options.core_elements
        section = (options.rim_elements - layer) * (core + 2 * options.lower_fillet_elements)
        section += (options.flank_elements + options.upper_fillet_elements) * core
        section += 2 * layer * (options.flank_elements + options.fillet_elements)
        elements = section * options.width_elements // options.order**3
        if elements > schema.MOST_ELEMENTS and tables[gear].mesh.file is None:
            largest = max(merged, key=lambda key: merged[key])
            self._fault(
                f"{self._mesh_table(gear, largest)}.{largest}",
                shown(merged[largest]),
                f"a sector of {elements} elements is too large: at most {schema.MOST_ELEMENTS}",
                "use fewer elements",
            )
        return options

    def _mesh_table(self, gear: str, key: str) -> str:
        """Return the table in which the user wrote a key of the mesh."""
        return f"{gear}.mesh" if self._given(gear, f"mesh.{key}")[1] else "mesh"

    def _mesh_file(self, tables: dict[str, Any], gear: str) -> Path | None:
        if gear not in tables or tables[gear].mesh.file is None:
            return None
        given = tables[gear].mesh.file
        path = self.path.parent / given
        if not path.is_file():
            self._fault(f"{gear}.mesh.file", shown(given), f"no such file: {path}", "check the path")
            return None
        return path

    def _teeth_modelled(self, tables: dict[str, Any], gear: str, analysis: Any) -> int | None:
        if gear not in tables or tables[gear].teeth_modelled is None:
            return None
        count: int = tables[gear].teeth_modelled
        key = f"{gear}.teeth_modelled"
        if count > tables[gear].teeth:
            self._fault(key, shown(count), f"must be at most {tables[gear].teeth} teeth", 'write "all"')
        if isinstance(analysis, DynamicAnalysis):
            self._fault(key, shown(count), "a segment cannot turn in a dynamic analysis", 'write "all"')
        elif isinstance(analysis, ModalAnalysis):
            self._fault(key, shown(count), "a modal analysis is one of whole wheels", 'write "all"')
        elif isinstance(analysis, StaticAnalysis) and analysis.pitches > 1:
            self._fault(key, shown(count), "a segment has phases -0.5 ... 0.5 only", 'set pitches = 1 or write "all"')
        if isinstance(analysis, StaticAnalysis) and analysis.tooth_change_threshold is not None:
            self._fault(
                "analysis.tooth_change_threshold",
                shown(analysis.tooth_change_threshold),
                "a segment of teeth has no tooth-change",
                'leave it out, or write teeth_modelled = "all"',
            )
        return count

    def _window_pairs(self, tables: dict[str, Any]) -> None:
        """Refuse a window with more pairs than a gear has teeth."""
        contact = tables.get("contact")
        if contact is None or contact.window_pairs is None:
            return
        teeth = [tables[g].teeth_modelled or tables[g].teeth for g in GEARS if g in tables]
        if teeth and contact.window_pairs > min(teeth):
            self._fault(
                "contact.window_pairs",
                shown(contact.window_pairs),
                f"must be at most {min(teeth)}, the fewest teeth of a gear or its segment",
                "leave it out to have it chosen",
            )

    def _pitches(self, tables: dict[str, Any]) -> None:
        """Refuse a dynamic analysis over more pitches than can be kept."""
        analysis, operation, pinion = (tables.get(name) for name in ("analysis", "operation", "pinion"))
        if not isinstance(analysis, schema.DynamicTable) or operation is None or pinion is None:
            return
        table = operation.pinion_speed_table_s_rpm
        rpm = (operation.pinion_speed_rpm or 0.0) if table is None else max(rpm for _, rpm in table)
        pitches = analysis.duration_s * rpm / 60.0 * pinion.teeth
        if pitches > schema.MOST_PITCHES:
            self._fault(
                "analysis.duration_s",
                shown(analysis.duration_s),
                f"{pitches:.4g} pitches at this speed are too many: at most {schema.MOST_PITCHES}",
                "shorten it, or reduce pinion_speed_rpm",
            )

    def _contact(
        self, table: Any, operation: Operation | None, analysis: Any
    ) -> tuple[PenaltyLaw | None, Friction | None]:
        if table is None:
            return None, None
        self._without_effect(table, analysis)
        penalty = friction = None
        given = table.penalty.model_dump(exclude_none=True)
        exponent = given.get("exponent", 1.0)
        units = {
            # the pressure in MPa at a penetration in mm: MPa / mm^e
            "stiffness_N_per_mm3": ("stiffness", 1e6 * MM**-exponent),
            "damping_Ns_per_mm3": ("damping", 1e9),
        }
        try:
            penalty = PenaltyLaw(**{units.get(k, (k, 1))[0]: v * units.get(k, (k, 1))[1] for k, v in given.items()})
        except Fault as fault:
            self._fault("[contact.penalty]", str(fault.value), f"{fault.quantity} must be {fault.limit}", fault.remedy)
        names = {
            "mu_static": "mu_static",
            "mu_dynamic": "mu_dynamic",
            "transition_speed_static_m_per_s": "v_static",
            "transition_speed_dynamic_m_per_s": "v_dynamic",
        }
        values = {si: getattr(table, key) for key, si in names.items() if getattr(table, key) is not None}
        if table.friction == "none":
            values = {}  # refused above
        elif table.friction == "coulomb" and "v_static" in values:
            # it has no second transition; the values must rise all the same
            values["v_dynamic"] = 10.0 * values["v_static"]
        try:
            friction = Friction(kind=table.friction, **values)
        except Fault as fault:
            self._fault("[contact]", str(fault.value), f"{fault.quantity} must be {fault.limit}", fault.remedy)
        if table.friction == "velocity" and operation is not None and not operation.pinion_speed:
            self._fault(
                "operation.pinion_speed_rpm",
                self._shown_or_missing("operation", "pinion_speed_rpm"),
                'friction = "velocity" needs a speed greater than 0',
                "give the speed of the pinion in rpm",
            )
        return penalty, friction

    def _without_effect(self, table: schema.ContactTable, analysis: Any) -> None:
        """Refuse values of ``[contact]`` that would be ignored."""
        if table.slices is not None and table.law == "penalty":
            self._fault("contact.slices", shown(table.slices), 'has no effect with law = "penalty"', "leave it out")
        if table.law == "hertz":
            for key, value in table.penalty.model_dump(exclude_none=True).items():
                self._fault(
                    f"contact.penalty.{key}",
                    shown(value),
                    'has no effect with law = "hertz"',
                    'leave it out, or write law = "penalty" in [contact]',
                )
        damping = table.penalty.damping_Ns_per_mm3
        if isinstance(analysis, schema.ModalTable) and analysis.normal_modes and table.law == "penalty":
            self._fault(
                "analysis.normal_modes",
                shown(analysis.normal_modes),
                'goes with law = "hertz" only, which knows the compliance of its loaded points',
                'leave it out, or write law = "hertz" in [contact]',
            )
        if damping and isinstance(analysis, schema.StaticTable | schema.ModalTable):
            self._fault(
                "contact.penalty.damping_Ns_per_mm3",
                shown(damping),
                f"has no effect in a {analysis.kind} analysis",
                'leave it out, or write kind = "dynamic"',
            )
        unused = {
            "none": ("mu_static", "mu_dynamic", "transition_speed_static_m_per_s", "transition_speed_dynamic_m_per_s"),
            "coulomb": ("mu_static", "transition_speed_dynamic_m_per_s"),
            "velocity": (),
        }[table.friction]
        for key in unused:
            if getattr(table, key) is not None:
                self._fault(
                    f"contact.{key}",
                    shown(getattr(table, key)),
                    f'has no effect with friction = "{table.friction}"',
                    'leave it out, or write friction = "velocity"',
                )

    def _operation(self, table: Any, analysis: Any) -> Operation | None:
        if table is None:
            return None
        torque, speed = table.pinion_torque_Nm, table.pinion_speed_rpm
        speeds = self._speed_table(table, analysis)
        if speeds is not None:
            speed = max(rpm for _, rpm in speeds)
        torques = self._torque_table(table, analysis)
        if torques is not None:
            torque = max((moment for _, moment in torques), key=abs)
        elif torque is None:
            described = schema.OperationTable.model_fields["pinion_torque_Nm"].description
            self._fault("operation.pinion_torque_Nm", MISSING, "the key is needed", f"give the {described}")
            return None
        if torque == 0.0 and isinstance(analysis, schema.StaticTable | schema.ModalTable):
            self._fault(
                "operation.pinion_torque_Nm",
                shown(torque),
                f"must not be 0 in a {analysis.kind} analysis",
                "give the torque on the pinion shaft in N m, negative to load the back flanks",
            )
        for key, value in (("pinion_torque_Nm", torque), ("pinion_speed_rpm", speed or 0.0)):
            if 0.0 < abs(value) < schema.LEAST:
                self._fault(
                    f"operation.{key}",
                    shown(value),
                    f"must be at least {schema.LEAST:g} in magnitude",
                    "check the unit, or write 0",
                )
        if isinstance(analysis, schema.DynamicTable) and not speed:
            self._fault(
                "operation.pinion_speed_rpm",
                self._shown_or_missing("operation", "pinion_speed_rpm"),
                "must be greater than 0 in a dynamic analysis",
                "give the speed of the pinion in rpm",
            )
        return Operation(
            driver=table.driver,
            pinion_torque=torque,
            pinion_speed=speed * RPM if speed else None,
            speed_table=None if speeds is None else tuple((t, rpm * RPM) for t, rpm in speeds),
            torque_table=None if torques is None else tuple((t, moment) for t, moment in torques),
            gravity=tuple(table.gravity_m_s2 or (0.0, 0.0, 0.0)),
        )

    def _speed_table(self, table: schema.OperationTable, analysis: Any) -> list[list[float]] | None:
        points = table.pinion_speed_table_s_rpm
        if points is None:
            return None
        key = "operation.pinion_speed_table_s_rpm"
        self._over_time(key, points, analysis, instead_of="pinion_speed_rpm")
        if not any(rpm > 0.0 for _, rpm in points):
            self._fault(key, shown(points[0]), "needs a speed greater than 0", "give the speed of the pinion in rpm")
        if isinstance(analysis, schema.DynamicTable) and analysis.ramp_s > 0.0:
            self._fault("analysis.ramp_s", shown(analysis.ramp_s), "excludes pinion_speed_table_s_rpm", "leave it out")
        return points

    def _torque_table(self, table: schema.OperationTable, analysis: Any) -> list[list[float]] | None:
        points = table.pinion_torque_table_s_Nm
        if points is None:
            return None
        key = "operation.pinion_torque_table_s_Nm"
        self._over_time(key, points, analysis, instead_of="pinion_torque_Nm")
        torques = [torque for _, torque in points]
        if torques[0] * max(torques, key=abs) < 0.0:
            # the run starts in equilibrium on the flanks that carry the largest torque
            limit = f"must begin with 0 or the sign of its largest torque, {max(torques, key=abs):g}"
            self._fault(key, shown(points[0]), limit, "put a point with torque 0.0 first")
        law = self._given("contact", "law")[0]
        if min(torques) * max(torques) < 0.0 and law == "penalty":
            limit = 'must not change its sign with law = "penalty", which knows the loaded flanks only'
            self._fault(key, shown(points[0]), limit, 'write law = "hertz"')
        return points

    def _over_time(self, key: str, points: list[list[float]], analysis: Any, *, instead_of: str) -> None:
        """Check the times of a table that stands in place of another key."""
        times = [t for t, _ in points]
        if self._given("operation", instead_of)[1]:
            self._fault(key, shown(points[0]), f"excludes {instead_of}", "leave out one of the two")
        if times[0] != 0.0 or any(b <= a for a, b in pairwise(times)):
            self._fault(key, shown(times[0]), "times must rise from 0", "put the points in order, the first at 0.0")
        if not isinstance(analysis, schema.DynamicTable):
            kind = "static" if analysis is None else analysis.kind
            self._fault(key, shown(points[0]), f"has no effect in a {kind} analysis", "leave it out")
        elif times[-1] < analysis.duration_s:
            limit = f"must reach duration_s = {analysis.duration_s}"
            self._fault(key, shown(points[-1]), limit, "add a point, or shorten duration_s")

    def _analysis(self, table: Any) -> StaticAnalysis | DynamicAnalysis | ModalAnalysis | None:
        if isinstance(table, schema.StaticTable):
            positions = table.positions_per_pitch * table.pitches
            if positions > schema.MOST_POSITIONS:
                self._fault(
                    "analysis.positions_per_pitch",
                    shown(table.positions_per_pitch),
                    f"positions_per_pitch x pitches = {positions} must be at most {schema.MOST_POSITIONS}",
                    "use fewer positions or pitches",
                )
            return StaticAnalysis(**table.model_dump(exclude={"kind"}))
        if isinstance(table, schema.ModalTable):
            return ModalAnalysis(**table.model_dump(exclude={"kind"}))
        if not isinstance(table, schema.DynamicTable):
            return None
        if table.time_step_s is not None and table.tolerance is not None:
            self._fault(
                "analysis.time_step_s",
                shown(table.time_step_s),
                "excludes tolerance: a fixed step is not controlled",
                "leave out one of the two",
            )
        for key in ("ramp_s", "output_every_s", "time_step_s"):
            value = getattr(table, key)
            if value is not None and value > table.duration_s:
                self._fault(
                    f"analysis.{key}", shown(value), f"must be at most duration_s = {table.duration_s}", "shorten it"
                )
        for key in ("output_every_s", "time_step_s"):
            value = getattr(table, key)
            if value is not None and table.duration_s > schema.MOST_STEPS * value:
                self._fault(
                    f"analysis.{key}",
                    shown(value),
                    f"duration_s / {key} = {table.duration_s / value:.4g} must be at most {schema.MOST_STEPS}",
                    f"increase {key} or shorten duration_s",
                )
        least = SCHEMES[table.method].LEAST_RADIUS
        if table.method == "backward-euler" and "rho_inf" in table.model_fields_set:
            limit = f'has no effect with method = "{table.method}"'
            self._fault("analysis.rho_inf", shown(table.rho_inf), limit, "leave it out")
        elif table.rho_inf < least:
            limit = f'must be at least {least:g} with method = "{table.method}"'
            self._fault("analysis.rho_inf", shown(table.rho_inf), limit, 'use 0.8, or method = "generalized-alpha"')
        normal_modes = self._normal_modes(table)
        return DynamicAnalysis(
            duration=table.duration_s,
            ramp=table.ramp_s,
            tolerance=1e-4 if table.tolerance is None else table.tolerance,
            time_step=table.time_step_s,
            method=table.method,
            rho_inf=table.rho_inf,
            mesh_damping_ratio=table.mesh_damping_ratio,
            output_every=table.output_every_s,
            tooth_change_threshold=table.tooth_change_threshold,
            normal_modes=normal_modes,
            modal_damping_ratio=MODAL_DAMPING if table.modal_damping_ratio is None else table.modal_damping_ratio,
        )

    def _normal_modes(self, table: schema.DynamicTable) -> int:
        """Read how many normal modes the wheels have, 0 without elastic inertia."""
        full, given = table.inertia == "full", table.normal_modes
        if given is not None and not full and "inertia" in table.model_fields_set:
            self._fault("analysis.normal_modes", shown(given), 'excludes inertia = "simplified"', 'write "full"')
        if not full and given is None:
            if table.modal_damping_ratio is not None:
                key, value = "analysis.modal_damping_ratio", shown(table.modal_damping_ratio)
                self._fault(key, value, "has no effect without normal modes", 'write inertia = "full"')
            return 0
        if self.raw.get("contact", {}).get("law") == "penalty":
            limit = 'is not in this version with law = "penalty"'
            self._fault("analysis.inertia", '"full"', limit, 'write law = "hertz", or inertia = "simplified"')
        for gear in GEARS:
            if self._given("supports", f"{gear}.kind")[0] == "bearing":
                limit = f'is not in this version with a bearing (supports.{gear}.kind = "bearing")'
                self._fault("analysis.inertia", '"full"', limit, 'write kind = "hinge", or inertia = "simplified"')
        return FULL_MODES if given is None else given

    def _supports(self, tables: dict[str, Any], law: str | None) -> tuple[Support | None, Support | None]:
        """Read the supports of both gears; None is a hinge."""
        supports: list[Support | None] = []
        for gear in GEARS:
            table = getattr(tables["supports"], gear) if "supports" in tables else schema.SupportTable()
            where = f"supports.{gear}"
            if table.kind == "hinge":
                self._without_bearing(where, table)
                supports.append(None)
                continue
            if law == "penalty":
                limit = 'is not in this version with law = "penalty"'
                self._fault(f"{where}.kind", '"bearing"', limit, 'write law = "hertz", or kind = "hinge"')
            supports.append(self._bearing(gear, where, table))
        operation = tables.get("operation")
        if operation is not None and operation.gravity_m_s2 is not None and not any(supports):
            limit = "has no effect on gears on hinges"
            key = "operation.gravity_m_s2"
            self._fault(key, shown(operation.gravity_m_s2), limit, 'leave it out, or write kind = "bearing"')
        return supports[0], supports[1]

    def _without_bearing(self, where: str, table: schema.SupportTable) -> None:
        """Refuse what a hinge would ignore."""
        for key, value in table.model_dump(exclude={"kind", "added_inertia_kg_m2"}, exclude_unset=True).items():
            remedy = 'leave it out, or write kind = "bearing"'
            self._fault(f"{where}.{key}", shown(value), 'has no effect with kind = "hinge"', remedy)

    def _bearing(self, gear: str, where: str, table: schema.SupportTable) -> Support | None:
        stiffness = self._directions(
            where, table, "stiffness_matrix_N_m_rad", ("stiffness_N_per_m", "tilt_stiffness_Nm_per_rad")
        )
        damping = self._directions(
            where, table, "damping_matrix_N_m_rad_s", ("damping_Ns_per_m", "tilt_damping_Nms_per_rad")
        )
        if stiffness is None or damping is None:
            return None
        try:
            return Support(
                name=gear,
                stiffness=stiffness,
                damping=damping,
                added_mass=table.added_mass_kg,
                added_tilt_inertia=table.added_tilt_inertia_kg_m2,
                unbalance=table.unbalance_g_mm * G_MM,
            )
        except Fault as fault:
            self._fault(f"[{where}]", str(fault.value), f"{fault.quantity} must be {fault.limit}", fault.remedy)
            return None

    def _directions(
        self, where: str, table: schema.SupportTable, matrix_key: str, keys: tuple[str, str]
    ) -> NDArray[np.float64] | None:
        """Return a matrix (5, 5) from one of 6 x 6, or from the values on its diagonal; None with a fault."""
        matrix = getattr(table, matrix_key)
        if matrix is not None:
            for key in keys:
                if (value := getattr(table, key)) is not None:
                    self._fault(f"{where}.{key}", shown(value), f"excludes {matrix_key}", "leave out one of the two")
            whole = np.array(matrix)
            about_axis = np.concatenate([whole[5], whole[:, 5]])
            if np.any(about_axis != 0.0):
                limit = "must be 0 in the last row and column: the gear turns about z"
                worst = about_axis[np.abs(about_axis).argmax()]
                self._fault(f"{where}.{matrix_key}", shown(float(worst)), limit, "give torsion in [shafts]")
            return np.ascontiguousarray(whole[:5, :5])
        diagonal: list[float] = []
        for key, count in zip(keys, (3, 2), strict=True):
            value = getattr(table, key)
            if value is None and matrix_key.startswith("stiffness"):
                what = schema.SupportTable.model_fields[key].description
                self._fault(f"{where}.{key}", MISSING, 'the key is needed with kind = "bearing"', f"give the {what}")
                return None
            diagonal += value or [0.0] * count
        return np.diag(diagonal)

    def _time_step(self, analysis: Any, pair: GearPair | None, operation: Operation | None) -> None:
        """Refuse a fixed step in which a state of contact may come and go."""
        if not isinstance(analysis, DynamicAnalysis) or analysis.time_step is None or pair is None:
            return
        if operation is None or not operation.pinion_speed:
            return
        shortest = shortest_contact_interval(pair, operation.pinion_speed)
        if analysis.time_step > shortest:
            limit = (
                f"must be at most {shortest:.3g}, the shortest time between a tooth pair that comes into mesh and one "
                "that leaves it at this speed"
            )
            self._fault("analysis.time_step_s", shown(analysis.time_step), limit, "shorten it, or give a tolerance")

    def _shafts(self, table: Any, operation: Operation | None) -> tuple[TorsionShaft | None, TorsionShaft | None]:
        shafts: list[TorsionShaft | None] = []
        for gear in GEARS:
            given = None if table is None else getattr(table, gear)
            if given is None or operation is None:
                shafts.append(None)
                continue
            key, inertia = f"shafts.{gear}.inertia_kg_m2", given.inertia_kg_m2
            if gear == operation.driver and inertia is not None:
                limit = f'has no effect at the driver (driver = "{gear}"): that end turns as prescribed'
                self._fault(key, shown(inertia), limit, "leave it out; supports.*.added_inertia_kg_m2 sits on the gear")
            elif gear != operation.driver and inertia is None:
                limit = "is needed at the driven gear: its shaft ends at the load"
                self._fault(key, MISSING, limit, "give the inertia of the load, or leave out the shaft")
            torque = abs(operation.pinion_torque) * (1.0 if gear == "pinion" else self._ratio())
            twist = torque / given.stiffness_Nm_per_rad
            if twist > schema.LARGEST_TWIST:
                limit = (
                    f"twists by {twist:.3g} rad under {torque:.4g} N m, must be at most {schema.LARGEST_TWIST:g} rad"
                )
                key = f"shafts.{gear}.stiffness_Nm_per_rad"
                self._fault(key, shown(given.stiffness_Nm_per_rad), limit, "check the unit, N m per rad")
            shafts.append(
                TorsionShaft(
                    stiffness=given.stiffness_Nm_per_rad, damping=given.damping_Nms_per_rad, inertia=inertia or 0.0
                )
            )
        return shafts[0], shafts[1]

    def _ratio(self) -> float:
        """Teeth of the wheel over those of the pinion; 1 where they are not given."""
        teeth = [self._given(gear, "teeth")[0] for gear in GEARS]
        usable = all(isinstance(z, int) and not isinstance(z, bool) and z > 0 for z in teeth)
        return teeth[1] / teeth[0] if usable else 1.0

    def _output(self, tables: dict[str, Any], analysis: Any) -> OutputOptions | None:
        table = tables.get("output")
        if table is None:
            return None
        times = table.field_times_s
        if times is not None and not table.fields:
            self._fault(
                "output.field_times_s", shown(times), "has no effect with fields = false", "leave out one of the two"
            )
        elif times is not None and isinstance(analysis, StaticAnalysis):
            self._fault(
                "output.field_times_s",
                shown(times),
                'is a key of kind = "dynamic" only (a static analysis writes every position)',
                "leave it out",
            )
        elif times is not None and isinstance(analysis, ModalAnalysis):
            limit = 'is a key of kind = "dynamic" only (a modal analysis writes every mode)'
            self._fault("output.field_times_s", shown(times), limit, "leave it out")
        elif times is not None and isinstance(analysis, DynamicAnalysis):
            late = [t for t in times if t > analysis.duration]
            if late:
                self._fault(
                    "output.field_times_s",
                    shown(late[0]),
                    f"must be at most duration_s = {analysis.duration}",
                    "leave it out",
                )
        if not isinstance(analysis, DynamicAnalysis | NoneType) and "checkpoint_every_s" in table.model_fields_set:
            limit = 'is a key of kind = "dynamic" only'
            self._fault("output.checkpoint_every_s", shown(table.checkpoint_every_s), limit, "leave it out")
        if isinstance(analysis, ModalAnalysis) and table.points:
            limit = "has no effect in a modal analysis"
            self._fault("[[output.points]]", f"{len(table.points)} points", limit, "leave them out")
        return OutputOptions(
            fields=table.fields,
            field_times=None if times is None else tuple(sorted(times)),
            plots=table.plots,
            checkpoint_every=table.checkpoint_every_s or None,
            points=tuple(self._point(number, point, tables) for number, point in enumerate(table.points)),
        )

    def _point(self, number: int, point: schema.PointTable, tables: dict[str, Any]) -> OutputPoint:
        """Return a point in SI units; that it lies on the tooth is checked once the gears are known."""
        where = f"output.points[{number}]"
        if (point.fillet_share is None) == (point.diameter_mm is None):
            limit = "must say its place by one of fillet_share and diameter_mm"
            self._fault(where, shown(point.model_dump(exclude_unset=True)), limit, "give one of the two")
        gear = tables.get(point.gear)
        if gear is not None:
            late = [tooth for tooth in point.teeth or () if tooth >= gear.teeth]
            if late:
                limit = f"must be below {gear.teeth}, the teeth of the {point.gear}, which count from 0"
                self._fault(f"{where}.teeth", shown(late[0]), limit, "leave it out")
            if abs(point.face_position_mm) > 0.5 * gear.face_width_mm:
                limit = f"must be within half of face_width_mm = {gear.face_width_mm} from mid-face"
                self._fault(f"{where}.face_position_mm", shown(point.face_position_mm), limit, "correct it")
        return OutputPoint(
            name=point.name or f"{point.gear} {number}",
            gear=GEARS.index(point.gear),
            side=point.flank,
            fillet_share=point.fillet_share,
            radius=None if point.diameter_mm is None else 0.5 * point.diameter_mm * MM,
            face_position=point.face_position_mm * MM,
            teeth=None if point.teeth is None else tuple(sorted(set(point.teeth))),
        )

    def _points_on_teeth(self, output: OutputOptions | None, pair: GearPair | None) -> None:
        """Refuse points off their teeth, and names given twice."""
        points = () if output is None else output.points
        for number, point in enumerate(points):
            where = f"output.points[{number}]"
            if point.name in [other.name for other in points[:number]]:
                self._fault(f"{where}.name", shown(point.name), "is the name of another point", "choose another name")
            if point.radius is None or pair is None:
                continue
            gear = pair.gears[point.gear]
            if not gear.r_f < point.radius <= gear.r_a:
                limit = f"must lie above the root diameter {gear.d_f / MM:.6g} and up to the tip diameter"
                remedy = "correct it, or give fillet_share"
                self._fault(
                    f"{where}.diameter_mm", shown(2.0 * point.radius / MM), f"{limit} {gear.d_a / MM:.6g}", remedy
                )

    # ---------------------------------------------------------------- helpers

    def _fault(self, key: str, value: str, limit: str, remedy: str) -> None:
        self.faults.append(CaseFault(str(self.path), key, value, limit, remedy))

    def _shown_or_missing(self, table: str, key: str) -> str:
        value, found = self._given(table, key)
        return shown(value) if found else MISSING


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


def _holder(model: type[BaseModel], names: tuple[str, ...]) -> type[BaseModel]:
    """Return the model of the table that holds a key, going down the names of the tables."""
    for name in names:
        info = model.model_fields.get(name)
        model = (_table_in(info.annotation) if info is not None else None) or model
    return model


def _table_in(annotation: Any) -> type[BaseModel] | None:
    """Return the table that a key stands for, also one that may be left out; None if it is none."""
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def _keys_of_all_tables() -> dict[str, str]:
    """Return every key of the case file with the table it belongs to."""
    keys: dict[str, str] = {}

    def collect(model: type[BaseModel], name: str) -> None:
        for key, info in model.model_fields.items():
            inner = _table_in(info.annotation)
            if inner is not None:
                keys.setdefault(key, f"[{name}]" if name else "the top of the file")
                collect(inner, f"{name}.{key}".lstrip("."))
            else:
                keys.setdefault(key, f"[{name}]")

    for name, model in schema.TABLES.items():
        collect(model, name)
    for analysis in schema.ANALYSES.values():
        collect(analysis, "analysis")
    return keys


def _other_analysis(key: str, model: type[BaseModel]) -> str | None:
    """Return the kind of analysis, other than the one of `model`, that knows a key."""
    for kind, other in schema.ANALYSES.items():
        if other is not model and key in other.model_fields:
            return kind
    return None


def _limit(kind: str, context: Mapping[str, Any], message: str) -> str:
    """Say what a value must be, from a finding of the schema."""
    words = {
        "int_type": "must be a whole number",
        "float_type": "must be a number",
        "string_type": "must be a text in quotes",
        "bool_type": "must be true or false",
        "list_type": "must be a list [a, b, ...]",
        "finite_number": "must be a finite number",
        "model_type": "must be a table",
        "model_attributes_type": "must be a table",
    }
    if kind in words:
        return words[kind]
    if kind == "literal_error":
        return "must be " + str(context["expected"]).replace("'", '"')
    bounds = {
        "greater_than": ("gt", "greater than"),
        "greater_than_equal": ("ge", "at least"),
        "less_than": ("lt", "less than"),
        "less_than_equal": ("le", "at most"),
    }
    if kind in bounds:
        name, text = bounds[kind]
        return f"must be {text} {context[name]:g}"
    return message[:1].lower() + message[1:]


def _as_float(value: object) -> str:
    return str(float(value)) if isinstance(value, int | float) else str(value)


def _there(value: T | None) -> T:
    """Return a value that is there because no fault was found."""
    assert value is not None
    return value


def _both(values: list[T | None]) -> tuple[T, T]:
    return _there(values[0]), _there(values[1])
