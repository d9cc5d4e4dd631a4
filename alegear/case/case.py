"""A case: what is to be computed, in SI units; its sections, and what they must be to each other.

Each rule takes the fields of a case that it is about by name, in SI units, and names what it refuses by the key of the
case file. A rule that refuses a key of one section stands in the file of that section; here are those between several.
A case is checked when it is made, wherever it comes from; of a file with faults the rules are applied to what could be
read, so that all faults are reported at once.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING as NEEDED
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from alegear.ale import centred_threshold
from alegear.case import analysis, contact, gears, operation, output, supports, wear
from alegear.case.analysis import Analysis, ModalAnalysis, StaticAnalysis
from alegear.case.digest import case_digest
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import MISSING, CaseFault, CaseFaults, Finding, Findings, shown
from alegear.case.gears import chosen_options
from alegear.case.mesh_period import pair_period
from alegear.case.operation import Operation
from alegear.case.output import OutputOptions
from alegear.case.supports import ADDED_INERTIA
from alegear.case.sweep import ALIKE, SweepAnalysis
from alegear.case.tables import (
    CaseFile,
    Section,
    Table,
    TitleTable,
    check_table,
    is_machine,
    no_case,
    read_tables,
    tables_of,
)
from alegear.contact.law import FlankContact
from alegear.contact.numbering import GEARS, driver_on, loaded_flank
from alegear.contact.wear import WearConditions
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.iso_6336_stiffness import modulus_of_pair
from alegear.limits import check_pair, check_type, path_of
from alegear.mesh.grid_options import GridOptions
from alegear.system.support import Support, TorsionShaft

_CHOSEN: Any = None  # of what is left out, and chosen once the gears are known

_STEEL, _NO_WEAR = Material(), WearConditions()

#: Of modulus times module: 100 N/mm of steel and module 4 mm, where ISO 6336-1 begins.
IDLE_LINE_LOAD = 1.2e-4


@dataclass(frozen=True, kw_only=True, eq=False)
class Case(FlankContact):
    """A complete and consistent case in SI units; pairs of values are (pinion, wheel).

    Gears, load and analysis must be given; the rest has the defaults of a case file.

    Parameters
    ----------
    title : str
    pair : GearPair
    materials : (Material, Material)
    grid_options : (GridOptions or None, GridOptions or None)
        None with a sector mesh made elsewhere. Left out: grids as fine as the faces of the gears need.
    grid_files : (Path or None, Path or None)
        Sector meshes made elsewhere.
    teeth_modelled : (int or None, int or None)
        Teeth of a segment with free cut sides; None: the whole wheel.
    law, friction, slices, window_pairs, penalty
        As of :class:`~alegear.contact.law.FlankContact`.
    operation : Operation
    analysis : StaticAnalysis, DynamicAnalysis, SweepAnalysis or ModalAnalysis
    added_inertia : (float, float) [kg m2]
        Inertia about the axis besides the gear's own.
    supports : (Support or None, Support or None)
        Elastic bearings; None: a fixed axis, on which the gear only turns.
    shafts : (TorsionShaft or None, TorsionShaft or None)
        Between pinion and wheel and their drive or load; None: rigid.
    wear : WearConditions
        Of the flash temperature.
    output : OutputOptions
    path : Path or None
        The file it was read from, for messages; None: made in Python.

    Raises
    ------
    CaseFaults
        With every fault that was found, by its key in a case file.
    Fault
        For a value of a wrong type, with the name of the argument.
    """

    title: str = "case"
    pair: GearPair
    materials: tuple[Material, Material] = (_STEEL, _STEEL)
    grid_options: tuple[GridOptions | None, GridOptions | None] = _CHOSEN
    grid_files: tuple[Path | None, Path | None] = (None, None)
    teeth_modelled: tuple[int | None, int | None] = (None, None)
    operation: Operation
    analysis: StaticAnalysis | DynamicAnalysis | ModalAnalysis
    added_inertia: tuple[float, float] = (0.0, 0.0)
    supports: tuple[Support | None, Support | None] = (None, None)
    shafts: tuple[TorsionShaft | None, TorsionShaft | None] = (None, None)
    wear: WearConditions = _NO_WEAR
    output: OutputOptions = field(default_factory=OutputOptions)
    path: Path | None = None

    def __post_init__(self) -> None:
        check_type(self, "pair", GearPair)
        super().__post_init__()
        check_pair(self, "grid_files", Path, optional=True)
        if self.grid_options is _CHOSEN:
            grids = zip(self.pair.gears, self.grid_files, strict=True)
            chosen = tuple(None if path else chosen_options(gear, self.law) for gear, path in grids)
            object.__setattr__(self, "grid_options", chosen)
        self._check_types()
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        teeth = {"teeth": tuple(gear.z for gear in self.pair.gears)}
        faults = broken_rules(parts | teeth, self._defaults(), str(self.path or "case"))
        if faults:
            raise CaseFaults(faults)

    def _check_types(self) -> None:
        """Refuse values of a wrong type."""
        check_type(self, "title", str)
        check_type(self, "path", Path, optional=True)
        check_type(self, "operation", Operation)
        check_type(self, "wear", WearConditions)
        check_type(self, "analysis", (StaticAnalysis, DynamicAnalysis, ModalAnalysis))
        check_type(self, "output", OutputOptions)
        check_pair(self, "materials", Material)
        check_pair(self, "grid_options", GridOptions, optional=True)
        check_pair(self, "supports", Support, optional=True)
        check_pair(self, "shafts", TorsionShaft, optional=True)
        check_pair(self, "teeth_modelled", int, optional=True)
        check_pair(self, "added_inertia", (int, float))
        for value in self.added_inertia:
            ADDED_INERTIA.check(value, "Case.added_inertia")
        for count in self.teeth_modelled:
            if count is not None and (isinstance(count, bool) or count < 3 or count % 2 == 0):
                limit = "an odd number of teeth from 3 on, or None"
                raise Fault("Case.teeth_modelled", count, limit, "give 3, 5, 7 ...")

    @property
    def sha256(self) -> str:
        """Hash of what is computed, wherever the case was made; see :mod:`alegear.case.digest`."""
        return case_digest(self)

    @property
    def idles(self) -> bool:
        """Whether no torque is on the pinion."""
        return not self.operation.pinion_torque and self.operation.torque_table is None

    @property
    def nominal_torque(self) -> float:
        """Torque on the pinion [N m] that sets scales and stiffness: its own, or of a pair that idles a usual one."""
        pinion = self.pair.pinion
        usual = IDLE_LINE_LOAD * modulus_of_pair(material.E for material in self.materials) * pinion.m_n
        return abs(self.operation.pinion_torque) or usual * self.pair.b_w * pinion.r_b

    @property
    def mesh_period(self) -> float:
        """Time in which a tooth follows another, at the largest speed [s]; infinite where nothing turns."""
        return pair_period(self.pair, self.operation)

    @classmethod
    def from_toml(cls, path: str | Path) -> Case:
        """Read and check a case file.

        Raises
        ------
        CaseFaults
            With every fault that was found, one line each.
        """
        path = path_of(path, "case file")
        return cls.from_tables(read_tables(path), path)

    @classmethod
    def from_bytes(cls, content: bytes, path: str | Path = "case.toml") -> Case:
        """Check the content of a case file; `path` names it in messages and anchors the paths it holds.

        Raises
        ------
        CaseFaults
        """
        return cls.from_tables(tables_of(content, Path(path)), Path(path))

    @classmethod
    def from_tables(cls, tables: dict[str, object], path: Path) -> Case:
        """Check the tables of a file; `path` names it in messages and anchors the paths it holds.

        Raises
        ------
        CaseFaults
        """
        file = read_sections(tables, path)
        if file.faults:
            raise CaseFaults(all_faults(file, cls._defaults()))
        own = {name: value for name, value in file.fields.items() if name != "teeth"}
        try:
            return cls(title=file.tables[""].title or path.stem, path=path, **own)
        except CaseFaults as found:
            raise CaseFaults(as_written(file, fault) for fault in found.faults) from None

    @classmethod
    @cache
    def _defaults(cls) -> dict[str, Any]:
        """Fields that need not be given, as they are then; without grids, which follow from the gears."""
        own = [one for one in fields(cls) if one.name != "grid_options"]
        found = {one.name: one.default for one in own if one.default is not NEEDED}
        return found | {one.name: one.default_factory() for one in own if one.default_factory is not NEEDED}


# --------------------------------------------------------------------------------------------- sections
SECTIONS: tuple[Section, ...] = (
    gears.PAIR,
    gears.GEAR_TABLES,
    gears.MATERIAL,
    gears.ALIGNMENT,
    gears.GRIDS,
    contact.SECTION,
    operation.SECTION,
    analysis.SECTION,
    supports.SECTION,
    supports.SHAFTS,
    wear.SECTION,
    output.SECTION,
)
#: Name -> keys of every table; of one that has kinds, those of the first kind.
TABLES: dict[str, type[Table]] = {name: keys for section in SECTIONS for name, keys in section.tables.items()}
#: Name -> kind -> keys.
KINDS: dict[str, Mapping[str, type[Table]]] = {
    name: section.kinds for section in SECTIONS for name in section.tables if section.kinds
}


def read_sections(raw: dict[str, Any], path: Path) -> CaseFile:
    """Check the tables of a case of two gears and read the sections that they give; faults are in the file.

    Raises
    ------
    CaseFaults
        For what is none of two gears.
    """
    if is_machine(raw):
        remedy = "give ag.MachineCase.from_toml"
        raise no_case(path, "[machine]", "must be a case of two gears, without [machine]", remedy)
    file = checked_tables(raw, path)
    for section in SECTIONS:
        if _is_given(section, raw):
            file.fields |= section.read(file)
    return file


def _is_given(section: Section, raw: Mapping[str, Any]) -> bool:
    """Whether tables have something of a section; else a case has its defaults."""
    own = [raw.get(gear) for gear in GEARS if section.of_gear]
    of_gear = any(isinstance(table, dict) and section.of_gear in table for table in own)
    return section.required or of_gear or not raw.keys().isdisjoint(section.tables)


def all_faults(file: CaseFile, defaults: Mapping[str, Any]) -> list[CaseFault]:
    """Faults of a file, with those of what could be read of it or, left out, has the defaults of a case."""
    unread = {name for section in SECTIONS if _is_given(section, file.raw) for name in section.fields}
    fields = {name: value for name, value in defaults.items() if name not in unread} | file.fields
    return [*file.faults, *(as_written(file, one) for one in broken_rules(fields, defaults, str(file.path)))]


def as_written(file: CaseFile, fault: CaseFault) -> CaseFault:
    """Name ``[grid]`` where the number of elements of a gear stands there."""
    gear, _, rest = fault.key.partition(".")
    if gear in GEARS and rest.startswith("grid.") and not file.given(gear, rest)[1]:
        return fault._replace(key=rest)
    return fault


def checked_tables(raw: dict[str, Any], path: Path) -> CaseFile:
    """Check each table of a case of two gears on its own, so that a fault in one does not hide those of the others."""
    file = CaseFile(raw, path, schema=TABLES, kinds=KINDS)
    top = {key: value for key, value in file.raw.items() if key not in TABLES}
    check_table(file, "", TitleTable, top)
    for section in SECTIONS:
        for name in section.tables:
            if section.required and name not in file.raw:
                file.fault(f"[{name}]", MISSING, "the table is needed", f"add [{name}]")
                continue
            content = file.raw.get(name, {})
            keys = _keys(file, name, content)
            if keys is not None:
                check_table(file, name, keys, content)
    return file


def _keys(file: CaseFile, name: str, content: Any) -> type[Table] | None:
    """Return the keys of a table, by its kind where it has one."""
    kinds = KINDS.get(name)
    if kinds is None or not isinstance(content, dict):
        return TABLES[name]
    kind = content.get("kind", MISSING)
    if isinstance(kind, str) and kind in kinds:
        return kinds[kind]
    *some, last = (f'"{one}"' for one in kinds)
    known = f"{', '.join(some)} or {last}"
    if kind == MISSING:
        file.fault(f"{name}.kind", MISSING, "the kind is needed", f"add kind = {known}")
    else:
        file.fault(f"{name}.kind", shown(kind), f"must be {known}", "correct it")
    return None


# ------------------------------------------------------------------------------------------------ rules
MOST_PITCHES = 100_000
SHORTEST_INTERVAL = 1.0 / 16.0
"""Part of a pitch: the deflection under load lets a pair touch earlier and longer by about so much, so that shorter
intervals between mesh-in and mesh-out are none."""


def shortest_contact_interval(pair: GearPair, pinion_speed: float) -> float:
    """Shortest time [s] between a pair that comes into mesh and one that leaves it, at a speed of the pinion [rad/s].

    Of each pitch p the pairs in mesh are one more for frac(eps) p than for the rest. A longer step may pass over one of
    the two states of contact without seeing it.
    """
    part = (pair.eps_alpha_usable + pair.eps_beta) % 1.0
    pitch = 2.0 * math.pi / pair.pinion.z / pinion_speed
    return max(min(part, 1.0 - part), SHORTEST_INTERVAL) * pitch


def pitches_between(operation: Operation, z: int, start: float, end: float) -> float:
    """Pitches that go by in a motion between two times [s]; of a table the straight lines between its points."""
    if operation.speed_table is None:
        turned = (end - start) * (operation.pinion_speed or 0.0)
    else:
        turned = 0.0
        for (t, speed), (later, then) in zip(operation.speed_table, operation.speed_table[1:], strict=False):
            a, b = max(t, start), min(later, end)
            if b > a:
                at = [speed + (then - speed) * (time - t) / (later - t) for time in (a, b)]
                turned += 0.5 * (at[0] + at[1]) * (b - a)
    return turned * z / (2.0 * math.pi)


def _pitches(operation: Operation, analysis: Analysis, pair: GearPair) -> Findings:
    """Refuse a motion over more pitches than can be kept, and a sweep of which no point comes."""
    if not isinstance(analysis, DynamicAnalysis):
        return
    pitches = pitches_between(operation, pair.pinion.z, 0.0, analysis.duration)
    if pitches > MOST_PITCHES:
        yield Finding(
            "analysis.duration_s",
            shown(analysis.duration),
            f"{pitches:.4g} pitches at this speed are too many: at most {MOST_PITCHES}",
            "shorten it, or reduce pinion_speed_rpm",
        )
    if not isinstance(analysis, SweepAnalysis) or not analysis.moves:
        return
    turn = analysis.one_direction
    parts = [(analysis.settling, turn), (turn, analysis.duration)]
    fewest = min(
        math.floor(pitches_between(operation, pair.pinion.z, start, end) - 0.5)
        for start, end in parts
        if end > start or start == analysis.settling
    )
    if fewest < analysis.pitches:
        yield Finding(
            "analysis.pitches_per_point",
            shown(analysis.pitches),
            f"must be at most {max(fewest, 0)}, the whole pitches in one direction "
            "(otherwise the sweep has no result point)",
            "take fewer, or raise duration_s or the speeds",
        )


def _sweep(operation: Operation, analysis: Analysis, pair: GearPair) -> Findings:
    """Refuse a sweep from or to rest, and orders that its output does not resolve."""
    if not isinstance(analysis, SweepAnalysis) or operation.speed_table is None:
        return
    slowest = min(speed for _, speed in operation.speed_table)
    if not slowest > 0.0:
        limit = "must be greater than 0: there is no order of a mesh that stands still"
        yield Finding("analysis.speed_from_rpm", shown(slowest * 30.0 / math.pi), limit, "begin at the lowest speed")
    elif operation.pinion_speed:
        try:
            analysis.check_orders(operation.pinion_speed * pair.pinion.z / (2.0 * math.pi))
        except Fault as fault:
            yield Finding("analysis.orders", shown(analysis.orders), f"must be {fault.limit}", fault.remedy)


def _linear_answer(analysis: Analysis, operation: Operation, law: str, pair: GearPair) -> Findings:
    """Refuse the linearised response where nothing can be linearised."""
    if not isinstance(analysis, SweepAnalysis) or not analysis.is_linear:
        return
    key, value = "analysis.response", f'"{analysis.response}"'
    if law == "penalty":
        limit = 'needs the tangents of law = "hertz"; law = "penalty" has its own damping and memory'
        yield Finding(key, value, limit, 'write law = "hertz", or response = "transient"')
    elif operation.pinion_torque == 0.0:
        limit = "needs a torque: teeth that idle touch or do not, and have no linearised response"
        yield Finding(key, value, limit, 'give pinion_torque_Nm, or write response = "transient"')
    elif not all(gear.teeth_alike for gear in pair.gears):
        remedy = 'leave out pitch_deviation_csv and flanks of single teeth, or write response = "transient"'
        yield Finding(key, value, f"needs {ALIKE}", remedy)


def _time_step(operation: Operation, analysis: Analysis, pair: GearPair) -> Findings:
    """Refuse a fixed step in which a state of contact may come and go."""
    if not isinstance(analysis, DynamicAnalysis) or analysis.time_step is None or not operation.pinion_speed:
        return
    shortest = shortest_contact_interval(pair, operation.pinion_speed)
    if analysis.time_step > shortest:
        limit = (
            f"must be at most {shortest:.3g}, the shortest time between a tooth pair that comes into mesh and one "
            "that leaves it at this speed"
        )
        yield Finding("analysis.time_step_s", shown(analysis.time_step), limit, "shorten it, or give a tolerance")


def _at_rest(
    analysis: Analysis,
    operation: Operation,
    added_inertia: tuple[float, float],
    supports: tuple[Support | None, Support | None],
    shafts: tuple[TorsionShaft | None, TorsionShaft | None],
) -> Findings:
    """Refuse masses and shafts where nothing moves; damping describes a bearing, as density does a material."""
    if isinstance(analysis, DynamicAnalysis):
        return
    static = isinstance(analysis, StaticAnalysis)
    limit, remedy = f"has no effect in a {analysis.kind} analysis", 'leave it out, or write kind = "dynamic"'
    weightless = not any(operation.gravity)
    for gear, inertia, support, shaft in zip(GEARS, added_inertia, supports, shafts, strict=True):
        where = f"supports.{gear}"
        if static and inertia:
            yield Finding(f"{where}.added_inertia_kg_m2", shown(inertia), limit, remedy)
        if static and shaft is not None:
            yield Finding(f"shafts.{gear}", "{table}", limit, remedy)
        if support is None:
            continue
        if support.unbalance:
            yield Finding(f"{where}.unbalance_g_mm", shown(support.unbalance * 1e6), limit, remedy)
        if static and support.added_tilt_inertia:
            value = shown(support.added_tilt_inertia)
            yield Finding(f"{where}.added_tilt_inertia_kg_m2", value, limit, remedy)
        if static and support.added_mass and weightless:
            without = f"{limit} without gravity_m_s2"
            yield Finding(f"{where}.added_mass_kg", shown(support.added_mass), without, remedy)


def _segments(teeth_modelled: tuple[int | None, int | None], analysis: Analysis, teeth: tuple[int, int]) -> Findings:
    for gear, count, z in zip(GEARS, teeth_modelled, teeth, strict=True):
        if count is None:
            continue
        key, value = f"{gear}.teeth_modelled", shown(count)
        if count > z:
            yield Finding(key, value, f"must be at most {z} teeth", 'write "all"')
        if isinstance(analysis, DynamicAnalysis):
            yield Finding(key, value, f"a segment cannot turn in a {analysis.kind} analysis", 'write "all"')
        elif isinstance(analysis, ModalAnalysis):
            yield Finding(key, value, "a modal analysis is one of whole wheels", 'write "all"')
        elif analysis.pitches > 1:
            limit = "a segment has phases -0.5 ... 0.5 only"
            yield Finding(key, value, limit, 'set pitches = 1 or write "all"')
        if isinstance(analysis, StaticAnalysis) and analysis.tooth_change_threshold is not None:
            yield Finding(
                "analysis.tooth_change_threshold",
                shown(analysis.tooth_change_threshold),
                "a segment of teeth has no tooth-change",
                'leave it out, or write teeth_modelled = "all"',
            )


def _window_of_contact(
    window_pairs: int | None,
    teeth_modelled: tuple[int | None, int | None],
    pair: GearPair,
    operation: Operation,
) -> Findings:
    """Refuse a window that cannot hold the pairs of the unloaded teeth, forced or for want of teeth."""
    if any(count is not None for count in teeth_modelled):
        return
    fewest = min(gear.z for gear in pair.gears)
    wanted = pair.pairs_needed if window_pairs is None else window_pairs
    if window_pairs is None and wanted > fewest:
        limit = f"has a window of {wanted} pairs in contact, more than its {fewest} teeth"
        yield Finding("pair", f"contact ratio {pair.eps_gamma:.4g}", limit, "use more teeth or a smaller helix angle")
    if window_pairs is None or window_pairs > fewest:  # the latter is a fault of [contact]
        return
    driving = driver_on(loaded_flank(operation.driver, operation.pinion_torque))
    try:
        centred_threshold(*pair.engagement(driving), window_pairs)
    except Fault as fault:
        limit = f"must be {fault.limit.replace('loaded ', '')}"
        yield Finding("contact.window_pairs", shown(window_pairs), limit, fault.remedy)


BETWEEN_SECTIONS: tuple[Callable[..., Findings], ...] = (
    _pitches,
    _sweep,
    _linear_answer,
    _time_step,
    _at_rest,
    _segments,
    _window_of_contact,
)


def broken_rules(fields: Mapping[str, Any], defaults: Mapping[str, Any], file: str) -> list[CaseFault]:
    """Apply the rules whose fields are there.

    Parameters
    ----------
    fields : mapping
        Fields of a case by name; those that could not be read are left out.
    defaults : mapping
        Of fields that need not be given: a section of which nothing is given has nothing to be refused.
    file : str
        Where the case comes from, for the messages.
    """
    given = {name for name, value in fields.items() if name not in defaults or value != defaults[name]}
    rules = [rule for one in SECTIONS if not one.fields or given.intersection(one.fields) for rule in one.rules]
    found = []
    for rule in (*rules, *BETWEEN_SECTIONS):
        names = _fields_of(rule)
        if fields.keys() >= set(names):
            found += [CaseFault(file, *finding) for finding in rule(*(fields[name] for name in names))]
    return found


@cache
def _fields_of(rule: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(rule).parameters)
