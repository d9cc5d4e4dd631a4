"""A case: what is to be computed, in SI units."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from alegear.case.analysis import ModalAnalysis, StaticAnalysis
from alegear.case.digest import case_digest
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import CaseFaults
from alegear.case.gears import chosen_options
from alegear.case.mesh_period import pair_period
from alegear.case.operation import Operation
from alegear.case.output import OutputOptions
from alegear.case.reader import all_faults, as_written, read_sections, read_tables, tables_of
from alegear.case.rules import broken_rules
from alegear.case.supports import ADDED_INERTIA
from alegear.contact.law import FlankContact
from alegear.contact.wear import WearConditions
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.iso_6336_stiffness import modulus_of_pair
from alegear.limits import check_pair, check_type, path_of
from alegear.mesh.sector import GridOptions
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
        parts: tuple[tuple[str, type], ...] = (
            ("operation", Operation),
            ("wear", WearConditions),
        )
        for name, kind in parts:
            check_type(self, name, kind)
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
        found = {one.name: one.default for one in own if one.default is not MISSING}
        return found | {one.name: one.default_factory() for one in own if one.default_factory is not MISSING}
