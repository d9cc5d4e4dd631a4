"""``[pair]``, ``[pinion]``, ``[wheel]``, ``[material]``, ``[alignment]``, ``[grid]``: gears, their flanks and grids."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from alegear.case.faults import MISSING, Finding, Findings, shown
from alegear.case.tables import CaseFile, Section, limited, table_of
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.alignment import Alignment
from alegear.geometry.cylindrical_gear import PROFILE_SHIFT, CylindricalGear, Gear
from alegear.geometry.gear_pair import CENTRE_DISTANCE, GearPair
from alegear.geometry.internal_gear import ROOT_RADIUS, InternalGear
from alegear.geometry.involute import profile_shift_sum
from alegear.geometry.microgeometry import Microgeometry
from alegear.geometry.pinion_cutter import PinionCutter
from alegear.geometry.tooth_profile import BasicRack
from alegear.limits import bound_in_words, bound_passed
from alegear.mesh.grid_options import GridOptions, default_width_elements
from alegear.parameters import limits_of, made_of
from alegear.units import MM

MOST_ELEMENTS = 1_000_000


class GridTable(table_of(GridOptions)):  # type: ignore[misc]
    """``[grid]``: how fine the grids are; a key left out has the default of :class:`~alegear.GridOptions`."""


class GearGridTable(GridTable):
    """``[pinion.grid]``: as ``[grid]``, or a sector mesh made elsewhere."""

    file: str | None = Field(
        default=None, description="path of a sector mesh (.msh or .vtu), from the case file's folder"
    )


def _read_grids(file: CaseFile) -> dict[str, Any]:
    """Read the grids of both gears, each either made here or elsewhere."""
    options = [_grid_options(file, gear) for gear in GEARS]
    if not all(gear in file.tables for gear in GEARS):
        return {}
    files = [grid_file(file, gear, file.tables[gear].grid.file) for gear in GEARS]
    if all((path is None) != (numbers is None) for path, numbers in zip(files, options, strict=True)):
        return {"grid_files": tuple(files), "grid_options": tuple(options)}
    return {}


def _grid_options(file: CaseFile, gear: str) -> GridOptions | None:
    tables = file.tables
    if "grid" not in tables or gear not in tables:
        return None
    given = tables["grid"].given | tables[gear].grid.given
    if given.pop("file", None) is not None:
        _no_numbers_beside_a_file(file, gear)
        return None
    pair = tables.get("pair")
    width = None if pair is None else tables[gear].face_width_mm / pair.normal_module_mm
    helical = pair is not None and pair.helix_angle_deg != 0.0
    try:
        return _completed(given, width, helical, tables["contact"].law if "contact" in tables else "hertz")
    except Fault as fault:
        own = file.given(gear, f"grid.{fault.quantity}")[1]
        key = f"{gear}.grid.{fault.quantity}" if own else f"grid.{fault.quantity}"
        file.fault(key, str(fault.value), f"must be {fault.limit}", fault.remedy)
        return None


def _completed(given: dict[str, int], width: float | None, helical: bool, law: str) -> GridOptions:
    """Return the options of a grid, what is not given chosen; `width`: of the face in modules, None where not known."""
    if width is not None:
        given = {"width_elements": default_width_elements(width, helical=helical)} | given
    odd = any(value % 2 for key, value in given.items() if key != "order")
    return GridOptions(**({"order": 1 if law == "penalty" or odd else GridOptions.order} | given))


def chosen_options(gear: CylindricalGear, law: str, given: dict[str, int] | None = None) -> GridOptions:
    """Return the grid of a gear for a law of contact, from keys that are given; what nothing is said of is chosen."""
    # of 35.8e-3 m as of 35.8 mm: a step more across the face is not for the last digit to decide
    return _completed(given or {}, round(gear.b / gear.m_n, 12), gear.beta != 0.0, law)


def _no_numbers_beside_a_file(file: CaseFile, gear: str) -> None:
    """Refuse numbers of elements that a grid made elsewhere leaves without effect."""
    tables = file.tables
    own = {key: value for key, value in tables[gear].grid.given.items() if key != "file"}
    both = all(name in tables and tables[name].grid.file is not None for name in GEARS)
    general = tables["grid"].given if both else {}
    for where, given in ((f"{gear}.grid", own), ("grid", general)):
        for key, value in given.items():
            limit = f"has no effect with {gear}.grid.file, a grid made elsewhere"
            file.fault(f"{where}.{key}", shown(value), limit, "leave out one of the two")


def grid_file(file: CaseFile, table: str, given: str | None) -> Path | None:
    """Return the path of a sector mesh made elsewhere; None where none is given, and with a fault."""
    if given is None:
        return None
    path = file.path.parent / given
    if "\0" in given or not path.is_file():
        file.fault(f"{table}.grid.file", shown(given), f"no such file: {path}", "check the path")
        return None
    return path


def _grids(grid_options: tuple[GridOptions | None, GridOptions | None], grid_files: tuple[Any, Any]) -> Findings:
    for gear, options, file in zip(GEARS, grid_options, grid_files, strict=True):
        if options is not None and file is not None:
            limit = f"has no effect with {gear}.grid.file, a grid made elsewhere"
            yield Finding(f"{gear}.grid", "{table}", limit, "leave out one of the two (None in grid_options)")
        elif options is None and file is None:
            yield Finding(f"{gear}.grid", MISSING, "is needed without a grid made elsewhere", "give GridOptions()")
        elif options is not None and options.n_cells > MOST_ELEMENTS:
            numbers = {name: value for name, value in vars(options).items() if name != "order"}
            largest = max(numbers, key=lambda name: numbers[name])
            yield Finding(
                f"{gear}.grid.{largest}",
                shown(numbers[largest]),
                f"a sector of {options.n_cells} elements is too large: at most {MOST_ELEMENTS}",
                "use fewer elements",
            )


def _order(grid_options: tuple[GridOptions | None, GridOptions | None], law: str) -> Findings:
    for gear, options in zip(GEARS, grid_options, strict=True):
        if law == "penalty" and options is not None and options.order == 2:
            limit = 'does not go with law = "penalty", which interpolates linearly across the face'
            yield Finding(f"{gear}.grid.order", "2", limit, 'write order = 1, or law = "hertz" in [contact]')


GRIDS = Section(
    tables={"grid": GridTable},
    of_gear="grid",
    fields=("grid_options", "grid_files"),
    read=_read_grids,
    rules=(_grids, _order),
)


# ---------------------------------------------------------------------------------------------- flanks
#: Amount of a relief -> the keys of which one says where it begins or ends.
ENDS = {
    **{
        f"{name}_um": (f"{name}_start_diameter_mm", f"{name}_start_roll_length_mm", f"{name}_start")
        for name in ("tip_relief", "root_relief")
    },
    "end_relief_um": ("end_relief_length_mm",),
}


class FlankTable(table_of(Microgeometry)):  # type: ignore[misc]
    """``[pinion.flank]``: microgeometry, normal to the flank, material removed is positive."""


def missing_ends(flank: FlankTable) -> dict[str, tuple[str, ...]]:
    """Return the amounts of reliefs without a start or an end, with the keys that would."""
    return {
        amount: keys
        for amount, keys in ENDS.items()
        if getattr(flank, amount) > 0.0 and not any(getattr(flank, key) for key in keys)
    }


def misses_a_key(file: CaseFile, gear: str, flank: FlankTable) -> bool:
    """Refuse reliefs without a start or an end."""
    missing = missing_ends(flank)
    for amount, (key, *others) in missing.items():
        file.fault(
            f"{gear}.flank.{key}",
            file.shown_or_missing(gear, f"flank.{key}"),
            f"the key is needed with {amount}",
            f"give the {FlankTable.model_fields[key].description}{''.join(f', or {other}' for other in others)}",
        )
    return bool(missing)


# ------------------------------------------------------------------------------------------- materials
class MaterialTable(table_of(Material)):  # type: ignore[misc]
    """``[material]``, ``[pinion.material]``: elastic constants; what is left out is that of the more general table.

    Strengths and thermal constants that no table has are those of steel if modulus and density are, else not known.
    """


def _read_materials(file: CaseFile) -> dict[str, Any]:
    materials = [_material(file, gear) for gear in GEARS]
    return {} if None in materials else {"materials": tuple(materials)}


def _material(file: CaseFile, gear: str) -> Material | None:
    if "material" not in file.tables or gear not in file.tables:
        return None
    with file.made_from(f"{gear}.material"):
        return material_of(file.tables["material"], file.tables[gear].material)
    return None


def material_of(general: MaterialTable | None, special: MaterialTable) -> Material:
    """Return the material of a table and a more general one, in SI units."""
    return made_of(Material, ({} if general is None else general.given) | special.given, Path())


MATERIAL = Section(tables={"material": MaterialTable}, of_gear="material", fields=("materials",), read=_read_materials)


# ---------------------------------------------------------------------------------------------- a gear
def _teeth(value: int) -> int:
    limits = limits_of(Gear)["z"]
    if value < 0:
        raise PydanticCustomError(
            "later",
            "internal gears are not in this version of [pinion] and [wheel]",
            {"remedy": "write [machine] and [gears.NAME]"},
        )
    if limits.most is not None and value > limits.most:
        raise PydanticCustomError("limit", f"must be at most {limits.most:.0f}", {"remedy": "use fewer teeth"})
    if limits.least is not None and value < limits.least:
        remedy = f"use a gear with {limits.least:.0f} teeth or more"
        raise PydanticCustomError("limit", f"must be at least {limits.least:.0f}", {"remedy": remedy})
    return value


def _teeth_modelled(value: Any) -> int | None:
    if value == "all":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 3 and value % 2 == 1:
        return value
    raise PydanticCustomError(
        "limit", 'must be "all" or an odd number of teeth from 3 on', {"remedy": 'write "all", 3, 5, 7 ...'}
    )


#: In place of a profile shift.
FROM_CENTRE_DISTANCE = "from centre distance"


def _profile_shift(value: Any) -> float | str:
    limits = PROFILE_SHIFT
    if value == FROM_CENTRE_DISTANCE:
        return FROM_CENTRE_DISTANCE
    if isinstance(value, bool) or not isinstance(value, int | float):
        limit, remedy = f'must be a number or "{FROM_CENTRE_DISTANCE}"', "give the profile shift coefficient"
        raise PydanticCustomError("limit", limit, {"remedy": remedy})  # type: ignore[arg-type]
    for bound, number in limits.bounds.items():
        if bound_passed(bound, value, number):
            words = f"must be {bound_in_words(bound, number)}"
            raise PydanticCustomError("limit", words, {"remedy": "give the profile shift coefficient"})  # type: ignore[arg-type]
    return float(value)


_Number = Annotated[float, Field(**PROFILE_SHIFT.bounds)]
_ProfileShift = Annotated[_Number | Literal["from centre distance"], BeforeValidator(_profile_shift)]


class ToothKeys(table_of(Gear, without=("z", "m_n", "bore_diameter", "beta"))):  # type: ignore[misc]
    """Keys of the teeth of all gears."""

    profile_shift: _ProfileShift = Field(
        default=0.0,
        description=f'profile shift coefficient, or "{FROM_CENTRE_DISTANCE}": the one that leaves no backlash with that'
        " of the other gear",
    )
    flank: FlankTable = FlankTable()
    material: MaterialTable = MaterialTable()


class GearKeys(ToothKeys):
    """Keys of all gears that a case meshes."""

    teeth_modelled: Annotated[int | Literal["all"] | None, BeforeValidator(_teeth_modelled)] = Field(
        default=None, description='teeth of the segment, odd: 3, 5, 7 ... ("all")'
    )
    grid: GearGridTable = GearGridTable()


class GearTable(GearKeys, table_of(Gear, "z", "bore_diameter")):  # type: ignore[misc]
    """``[pinion]`` and ``[wheel]``: teeth, bore, microgeometry, material and grid of a gear."""

    teeth: Annotated[int, AfterValidator(_teeth)] = Field(description="number of teeth")


#: Fields of a ring besides those of all gears.
OF_RING = ("rim_diameter", "cutter", "root_fillet_radius")


class EitherGearTable(
    GearKeys,
    table_of(Gear, "bore_diameter", optional=True),  # type: ignore[misc]
    table_of(InternalGear, *OF_RING, optional=True),  # type: ignore[misc]
):
    """Keys of a gear that may be a ring."""

    teeth: int = Field(description="number of teeth; negative: a ring, as with internal = true")
    internal: bool = Field(default=False, description="whether it is a ring, with teeth inside")

    @property
    def is_ring(self) -> bool:
        """Whether it is one, said either way."""
        return self.internal or self.teeth < 0

    @property
    def missing(self) -> str | None:
        """The key of its cylinder if it is not given."""
        key = "rim_diameter_mm" if self.is_ring else "bore_diameter_mm"
        return key if getattr(self, key) is None else None

    @property
    def without_effect(self) -> list[str]:
        """Keys of the other kind that are given."""
        others = ("bore_diameter_mm", "tip_rounding_mm", "grid") if self.is_ring else KEYS_OF_RINGS
        return [key for key in others if key in self.model_fields_set]


KEYS_OF_RINGS = ("rim_diameter_mm", "cutter_teeth", "cutter_profile_shift", "root_fillet_radius_mm")


def gear_of(
    table: Any,
    *,
    normal_module: float,
    alpha_n: float,
    beta: float,
    folder: Path,
    teeth: int | None = None,
    ring: bool = False,
) -> Any:
    """Return a gear of a table, in SI units.

    Parameters
    ----------
    table : GearTable, EitherGearTable, or one with ToothKeys and the keys of its body
    normal_module : float [m]
    alpha_n, beta : float [rad]
    folder : Path
        Where the files that it names are looked up.
    teeth : int, optional
        Where the table does not give them.
    ring : bool
        Whether it is an InternalGear.
    """
    given = {
        "z": table.teeth if teeth is None else teeth,
        "m_n": normal_module,
        "rack": made_of(BasicRack, table.given, folder, alpha_n=alpha_n),
        "beta": beta,
        "microgeometry": table.flank.made(folder),
    }
    if not ring:
        return made_of(Gear, table.given, folder, **given)
    cutter = None
    if {"cutter_teeth", "cutter_profile_shift"} & table.given.keys():
        z = PinionCutter.for_ring(given["z"]).z if table.cutter_teeth is None else table.cutter_teeth
        cutter = PinionCutter(z=z, x=table.cutter_profile_shift or 0.0)
    if table.root_fillet_radius_mm is not None:
        for key in ("cutter_teeth", "cutter_profile_shift", "root_radius_factor"):
            if key in table.model_fields_set:
                limit = "left out with root_fillet_radius_mm: no cutter makes the root"
                raise Fault(key, getattr(table, key), limit, f"leave out {key}, or root_fillet_radius_mm")
    if "root_radius_factor" not in table.model_fields_set:
        given["rack"] = replace(given["rack"], root_radius_factor=ROOT_RADIUS)
    return made_of(InternalGear, table.given, folder, cutter=cutter, **given)


def _read_teeth(file: CaseFile) -> dict[str, Any]:
    if not all(gear in file.tables for gear in GEARS):
        return {}
    tables = [file.tables[gear] for gear in GEARS]
    return {
        "teeth": tuple(table.teeth for table in tables),
        "teeth_modelled": tuple(table.teeth_modelled for table in tables),
    }


GEAR_TABLES = Section(
    tables=dict.fromkeys(GEARS, GearTable), fields=("teeth", "teeth_modelled"), required=True, read=_read_teeth
)


# ------------------------------------------------------------------------------------------ their pair
class AlignmentTable(table_of(Alignment)):  # type: ignore[misc]
    """``[alignment]``: misalignment of the pinion shaft against the wheel shaft."""


#: A field of the pair of gears, of which it is read.
ALIGNMENT = Section(tables={"alignment": AlignmentTable}, fields=(), read=lambda file: {})


class PairTable(table_of(Gear, "m_n", "beta"), table_of(BasicRack, "alpha_n")):  # type: ignore[misc]
    """``[pair]``: what both gears share."""

    center_distance_mm: float | None = limited(CENTRE_DISTANCE, "centre distance in mm", default=None)


def _read_pair(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("pair")
    if table is None:
        return {}
    gears, shifts = [], _profile_shifts(file, table)
    for name in GEARS:
        if name not in shifts or name not in file.tables or misses_a_key(file, name, file.tables[name].flank):
            continue
        with _blaming_keys(file, name):
            gears.append(_gear(file, table, name, shifts[name]))
    if len(gears) < 2 or "alignment" not in file.tables:
        return {}
    a_w = table.center_distance_mm
    with _blaming_keys(file, "pair"):
        return {
            "pair": GearPair(
                pinion=gears[0],
                wheel=gears[1],
                a_w=None if a_w is None else a_w * MM,
                alignment=file.tables["alignment"].made(file.path.parent) if "alignment" in file.raw else None,
            )
        }
    return {}


def _profile_shifts(file: CaseFile, pair: PairTable) -> dict[str, float]:
    """Return the profile shifts of the gears whose tables could be read, that of one solved for if it asks for it."""
    tables = {name: file.tables[name] for name in GEARS if name in file.tables}
    solved = [name for name, table in tables.items() if table.profile_shift == FROM_CENTRE_DISTANCE]
    found = {name: table.profile_shift for name, table in tables.items() if name not in solved}
    if not solved or len(tables) < 2:
        return found
    key, value = f"{solved[-1]}.profile_shift", shown(FROM_CENTRE_DISTANCE)
    if len(solved) > 1:
        file.fault(key, value, "must be a number: that of the other gear is solved for", "give one of the two")
    elif pair.center_distance_mm is None:
        file.fault(key, value, "needs the centre distance", "give pair.center_distance_mm, or the profile shift")
    else:
        with _blaming_keys(file, "pair"):
            total = profile_shift_sum(
                z=(tables["pinion"].teeth, tables["wheel"].teeth),
                m_n=pair.normal_module_mm * MM,
                a_w=pair.center_distance_mm * MM,
                alpha_n=math.radians(pair.pressure_angle_deg),
                beta=math.radians(pair.helix_angle_deg),
            )
            found[solved[0]] = total - sum(found.values())
    return found


def _gear(file: CaseFile, pair: PairTable, name: str, profile_shift: float) -> Gear:
    """Make a gear; the wheel has the hand opposite to the pinion's."""
    beta = math.radians(pair.helix_angle_deg)
    return gear_of(
        file.tables[name].model_copy(update={"profile_shift": profile_shift}),
        normal_module=pair.normal_module_mm * MM,
        alpha_n=math.radians(pair.pressure_angle_deg),
        beta=0.0 - beta if name == "wheel" else beta,  # not -0.0
        folder=file.path.parent,
    )


@contextmanager
def _blaming_keys(file: CaseFile, where: str) -> Iterator[None]:
    """Write a fault of the gear geometry as a fault of the key that causes it."""
    try:
        yield
    except Fault as fault:
        table, key = _blamed_key(file, where, f"{fault.remedy} {fault.quantity}")
        given, found = file.given(table, key)
        same = found and isinstance(given, int | float) and str(float(given)) == _as_float(fault.value)
        file.fault(
            f"{table}.{key}" if key else f"[{table}]",
            shown(given) if found else "(default)" if key else str(fault.value),
            f"{fault.quantity}{'' if same else f' = {fault.value}'} must be {fault.limit}",
            fault.remedy,
        )


def _blamed_key(file: CaseFile, where: str, text: str) -> tuple[str, str]:
    """Return the table and key to blame: the first key a message names that the file gives, else the first."""
    named: list[tuple[str, str]] = []
    for match in re.finditer(r"[a-z]+(?:_[A-Za-z]+)+|teeth|topography", text):
        key, gear = match.group(), where
        if where == "pair":
            # whose key it is: "... of the wheel" right after it, else the gear named last before it
            after = re.match(r" of (?:the )?(pinion|wheel)", text[match.end() :])
            before = re.findall(r"pinion|wheel", text[: match.start()])
            gear = after.group(1) if after else before[-1] if before else "pinion"
        if key in PairTable.model_fields:
            named.append(("pair", key))
        elif key in AlignmentTable.model_fields:
            named.append(("alignment", key))
        elif key.startswith("topography"):
            keys = ("topography.file", "topography_left.file", "topography_right.file")
            named.extend((gear, f"flank.{one}") for one in keys if one.startswith(key))
        elif key in FlankTable.model_fields:
            named.append((gear, f"flank.{key}"))
        elif key in GearTable.model_fields and not (where == "pair" and key == "teeth"):
            named.append((gear, key))
    given = [place for place in named if file.given(*place)[1]]
    return (given or named or [(where, "")])[0]


def _as_float(value: object) -> str:
    return str(float(value)) if isinstance(value, int | float) else str(value)


PAIR = Section(tables={"pair": PairTable}, fields=("pair",), required=True, read=_read_pair)
