"""Keys of a case by their dotted names in its file, and the case with other values of them.

A case that was read from a file can be given another value of any key: the tables of the file are, and go through the
same reader. Of one that was made or changed in Python the numbers of flanks, alignment, operation and analysis can.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from alegear.case.case import Case, checked_tables
from alegear.case.faults import CaseFault, CaseFaults, shown
from alegear.case.from_file import case_from_file, case_of_tables
from alegear.case.machine import MachineCase
from alegear.case.machine_file import NAMED
from alegear.case.machine_file import checked_tables as checked_machine
from alegear.case.remedies import stem
from alegear.case.tables import CaseFile, is_machine, read_tables, table_in
from alegear.errors import Fault
from alegear.limits import Limits, described
from alegear.parameters import limits_of
from alegear.units import UNITS

AnyCase = Case | MachineCase
#: Endings of keys -> units.
_UNITS = {"kg_m3": "kg/m3", **{unit.ending: name for name, unit in UNITS.items()}}


def case_keys(case: AnyCase | str | Path) -> CaseKeys:
    """Return the keys of a case: those of its file where it is one, as long as the case is what the file says.

    Parameters
    ----------
    case : Case, MachineCase or path
    """
    if isinstance(case, str | Path):
        path = Path(case)
        read = case_from_file(path)
        return FileKeys(raw=read_tables(path), path=path, case=read)
    if not isinstance(case, Case | MachineCase):
        raise Fault("case", described(case), "a Case, a MachineCase or the path of a case file", "give one of them")
    if case.path is not None and case.path.is_file():
        try:
            from_file = case_keys(case.path)
        except Fault:  # the file has changed since
            from_file = None
        if from_file is not None and from_file.case.sha256 == case.sha256:
            return from_file
    if isinstance(case, MachineCase):
        limit = "as its file says it"
        raise Fault("case", f"the machine {case.title}, made or changed in Python", limit, "give the path of its file")
    return ObjectKeys(case=case)


def unit_of(key: str) -> str:
    """Return the unit at the end of a key, in words; empty without one.

    Examples
    --------
    >>> unit_of("operation.pinion_torque_Nm"), unit_of("pinion.teeth")
    ('N m', '')
    """
    return _UNITS.get(key[len(stem(key)) + 1 :], "")


def parts_of(key: str) -> tuple[str, ...]:
    """Return the parts of a dotted key, as TOML divides it: a name in quotes may have dots.

    Raises
    ------
    Fault
    """
    try:
        found: Any = tomllib.loads(f"{key} = 0") if isinstance(key, str) else None
    except ValueError:
        found = None
    parts = []
    while isinstance(found, dict) and len(found) == 1:
        ((part, found),) = found.items()
        parts.append(part)
    if not parts or found != 0:
        remedy = 'write it as in "pinion.flank.tip_relief_um"'
        raise Fault("key of an axis", described(key), "a dotted key of the case file", remedy)
    return tuple(parts)


# --------------------------------------------------------------------------------------- of a file
@dataclass(frozen=True, kw_only=True, eq=False)
class FileKeys:
    """Keys of a case file, which can be given other values.

    Parameters
    ----------
    raw : dict
        Its tables as TOML has them.
    path : Path
    case : Case or MachineCase
    """

    raw: dict[str, Any]
    path: Path
    case: AnyCase

    def check(self, key: str, values: Sequence[Any]) -> None:
        """Refuse a key that does not exist, and values that it cannot have, table by table as a file is checked.

        Raises
        ------
        Fault
            With the nearest key, or one line a value.
        """
        parts = parts_of(key)
        if is_machine(self.raw) and parts[0] in NAMED:
            self._check_name(key, parts)
        faults: dict[tuple[str, str], CaseFault] = {}  # what is wrong with all values is reported of the first
        for value in values:
            for fault in self._checked(self._changed(key, parts, value)).faults:  # the file itself has none
                faults.setdefault((fault.limit, fault.remedy), fault)
        if faults:
            raise CaseFaults(faults.values())
        self._refuse_tables(key, parts)

    def with_values(self, values: Mapping[str, Any]) -> AnyCase:
        """Return the case with other values of some keys.

        Raises
        ------
        Fault
            For values that do not go together.
        """
        raw = self.raw
        for key, value in values.items():
            raw = _put(raw, parts_of(key), value)
        return case_of_tables(raw, self.path)

    def description(self, key: str) -> str:
        """What a key that exists means, as the schema has it."""
        parts = parts_of(key)
        tables = self._checked(self.raw).tables
        for n in range(len(parts) - 1, -1, -1):
            table = tables.get(".".join(parts[:n]))
            model: Any = None if table is None else type(table)
            for part in parts[n:-1]:
                info = None if model is None else model.model_fields.get(part)
                model = None if info is None else table_in(info.annotation)
            if model is not None and parts[-1] in model.model_fields:
                return str(model.model_fields[parts[-1]].description or parts[-1])
        return parts[-1]

    def _checked(self, raw: dict[str, Any]) -> CaseFile:
        return checked_machine(raw, self.path) if is_machine(raw) else checked_tables(raw, self.path)

    def _changed(self, key: str, parts: tuple[str, ...], value: Any) -> dict[str, Any]:
        try:
            return _put(self.raw, parts, value)
        except TypeError as error:
            limit, remedy = f"no such key: {error} is a value and no table", "correct the key"
            raise CaseFaults([CaseFault(str(self.path), key, shown(value), limit, remedy)]) from error

    def _check_name(self, key: str, parts: tuple[str, ...]) -> None:
        """Raise if the named table does not exist."""
        names = list(self.raw.get(parts[0], {}))
        if len(parts) < 2 or parts[1] not in names:
            given = parts[1] if len(parts) > 1 else ""
            near = difflib.get_close_matches(given, names, n=1, cutoff=0.0)
            limit = f"must be a key of an existing table [{parts[0]}.name]"
            remedy = f"the nearest name is {near[0]}" if near else f"the file has no [{parts[0]}.name]"
            raise CaseFaults([CaseFault(str(self.path), key, "(no such table)", limit, remedy)])

    def _refuse_tables(self, key: str, parts: tuple[str, ...]) -> None:
        """Refuse what only names or tells, and changes nothing that is computed."""
        if parts[0] == "title" or parts == ("output", "plots"):
            limit = "must be one of a key that changes what is computed"
            raise CaseFaults([CaseFault(str(self.path), key, "(axis)", limit, "leave the axis out")])


def _put(raw: Any, parts: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Return tables with another value of a key, those given as they were.

    Raises
    ------
    TypeError
        With the name of what is no table.
    """
    first, *rest = parts
    if not rest:
        return {**raw, first: value}
    inner = raw.get(first, {})
    if not isinstance(inner, dict):
        raise TypeError(first)
    return {**raw, first: _put(inner, tuple(rest), value)}


# ----------------------------------------------------------------------------------- made in Python
def _with_flank(number: int) -> Callable[[Case, Any], Case]:
    def with_flank(case: Case, flank: Any) -> Case:
        flanks = [None, None]
        flanks[number] = flank
        return replace(case, pair=case.pair.with_microgeometry(*flanks))

    return with_flank


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectKeys:
    """Keys of a case without a file: the numbers of the objects named here, by the keys that their limits name."""

    case: Case

    OBJECTS: ClassVar[dict[str, tuple[Callable[[Case], Any], Callable[[Case, Any], Case]]]] = {
        "pinion.flank": (lambda case: case.pair.pinion.microgeometry, _with_flank(0)),
        "wheel.flank": (lambda case: case.pair.wheel.microgeometry, _with_flank(1)),
        "alignment": (
            lambda case: case.pair.alignment,
            lambda case, alignment: replace(case, pair=case.pair.with_alignment(alignment)),
        ),
        "operation": (lambda case: case.operation, lambda case, operation: replace(case, operation=operation)),
        "analysis": (lambda case: case.analysis, lambda case, analysis: replace(case, analysis=analysis)),
    }

    def check(self, key: str, values: Sequence[Any]) -> None:
        """Check against the limits of the objects; see :meth:`FileKeys.check`."""
        _, _, limits = self._found(key)
        for value in values:
            scaled = value * limits.factor if _is_number(value) and not limits.whole else value
            limits.check(scaled, key)

    def with_values(self, values: Mapping[str, Any]) -> AnyCase:
        """Make the objects again, each once, with all its values; see :meth:`FileKeys.with_values`."""
        by_object: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            name, attribute, limits = self._found(key)
            by_object.setdefault(name, {})[attribute] = value if limits.whole else value * limits.factor
        case = self.case
        for name, attributes in by_object.items():
            get, put = self.OBJECTS[name]
            case = put(case, replace(get(case), **attributes))
        return case

    def description(self, key: str) -> str:
        """The quantity."""
        return self._found(key)[2].quantity

    def _found(self, key: str) -> tuple[str, str, Limits]:
        """Object, attribute and limits of a key."""
        parts = parts_of(key)
        name, last = ".".join(parts[:-1]), parts[-1]
        known: dict[str, tuple[str, str, Limits]] = {}
        for one, (get, _) in self.OBJECTS.items():
            for attribute, limits in limits_of(type(get(self.case))).items():
                known[f"{one}.{limits.key}"] = one, attribute, limits
        found = known.get(f"{name}.{last}")
        if found is None:
            near = difflib.get_close_matches(key, list(known), n=1, cutoff=0.0)[0]
            remedy = f"the nearest key is {near}; of the path of a case file every key can be varied"
            limit = "a number of flanks, alignment, operation or analysis, for the case is not from a file as it is"
            raise Fault("key of an axis", key, limit, remedy)
        return found


#: A case whose keys can be given other values.
CaseKeys = FileKeys | ObjectKeys


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
