"""``[output]`` and ``[[output.points]]``: what is written beside the curves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import Field

from alegear.case.analysis import MOST_POSITIONS, Analysis, MachineStatic, ModalAnalysis
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import Finding, Findings, shown
from alegear.case.motion_in_time import Kinematics, RotationalMotion, SpatialMotion
from alegear.case.sweep import SweepAnalysis
from alegear.case.tables import CaseFile, Section, Table, table_of
from alegear.contact.numbering import GEARS
from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits, check_type, described
from alegear.parameters import Numbers, Words, check_parameters
from alegear.short_repr import ShortRepr

TIME = Limits(quantity="time of a field", key="field_times_s", unit="s", least=0.0)
TOOTH = Limits(quantity="tooth", key="teeth", least=0, whole=True)
#: Analyses without stress.
Rigid = RotationalMotion | SpatialMotion | Kinematics
WITHOUT_FIELDS = (RotationalMotion, SpatialMotion, Kinematics)


@dataclass(frozen=True, kw_only=True)
class OutputPoint(ShortRepr):
    """A point of the teeth of a gear whose stress and motion are recorded.

    Parameters
    ----------
    name : str
    gear : int or str
        Of a pair 0 pinion, 1 wheel; of a machine the name of the gear, whose point is recorded in each of its flexible
        meshes.
    side : {"front", "back"}
        Of the tooth; positive torque loads the front flanks.
    fillet_share : float or None
        Position in the root fillet: 0 in the middle of the tooth space, 1 at the root form circle.
    radius : float or None [m]
        In place of it, in the fillet above the root circle or on the flank.
    face_position : float [m]
        Along the axis from mid-face, in a machine in the direction of the shaft.
    teeth : tuple of int or None
        Teeth on which; None: all. Tooth i is in the pairs i, i + z, ... of the mesh.

    Raises
    ------
    Fault
        For a value out of its range, and unless one of `fillet_share` and `radius` says the position.
    """

    GEAR: ClassVar[Limits] = Limits(quantity="gear of the point", key="gear", least=0, most=1, whole=True)

    name: str
    gear: int | str
    side: Annotated[Literal["front", "back"], Words("side of the tooth (front)", key="flank")] = "front"
    fillet_share: Annotated[
        float | None,
        Limits(
            quantity="position in the fillet",
            words="position in the fillet, 0 mid-space to 1 root form circle",
            least=0.0,
            most=1.0,
        ),
    ] = None
    radius: Annotated[
        float | None,
        Limits(quantity="diameter of the point", key="diameter_mm", unit="mm", own_factor=0.5e-3, least=0.01, most=1e5),
    ] = None
    face_position: Annotated[
        float,
        Limits(
            quantity="position along the axis",
            words="position along the axis from mid-face",
            unit="mm",
            least=-1e5,
            most=1e5,
        ),
    ] = 0.0
    teeth: Annotated[
        tuple[int, ...] | None, Numbers("numbers of the teeth, counted from 0 (all)", TOOTH, 1, math.inf)
    ] = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        if not isinstance(self.gear, str):
            self.GEAR.check(self.gear, "OutputPoint.gear")
        check_parameters(self)
        if (self.fillet_share is None) == (self.radius is None):
            limit = "in one of fillet_share and diameter_mm"
            raise Fault(f"position of the point {self.name!r}", "in none or both", limit, "give one of the two")
        if self.teeth is not None:
            check_type(self, "teeth", (tuple, list))
            for tooth in self.teeth:
                TOOTH.check(tooth, "OutputPoint.teeth")

    @property
    def number(self) -> int:
        """Number of the gear, of a point of a pair."""
        return cast("int", self.gear)


@dataclass(frozen=True, kw_only=True)
class OutputOptions(ShortRepr):
    """What is written beside the curves.

    Parameters
    ----------
    fields, plots : bool
    field_times : tuple of float or None [s]
        Times of the fields of a dynamic study; None: twenty of the output, evenly spread.
    field_positions : int or None
        Number of the positions of a static study, evenly spread, that have fields; None: all of two gears, eight of a
        machine.
    checkpoint_every : float or None [s]
        Wall time between the checkpoints of a dynamic study; None: no checkpoints.
    points : tuple of OutputPoint
        Whose histories of stress and motion are recorded.

    Raises
    ------
    Fault
        For a value out of its range, and names of points given twice.
    """

    MOST_POINTS: ClassVar[int] = 100

    fields: Annotated[bool, Words("whether to write stress fields")] = True
    field_times: Annotated[
        tuple[float, ...] | None,
        Numbers("times of the fields of a motion (twenty, evenly spread)", TIME, 0, math.inf),
    ] = None
    field_positions: Annotated[
        int | None,
        Limits(
            quantity="positions with fields",
            words="positions of a static analysis with fields, evenly spread (all of two gears, eight of a machine)",
            least=1,
            most=MOST_POSITIONS,
            whole=True,
        ),
    ] = None
    plots: Annotated[bool, Words("whether to draw plots")] = True
    checkpoint_every: Annotated[
        float | None,
        Limits(
            quantity="wall time between checkpoints",
            words="wall time between checkpoints (60, 0 for none)",
            unit="s",
            least=0.0,
            most=1e6,
        ),
    ] = 60.0
    points: tuple[OutputPoint, ...] = ()

    def __post_init__(self) -> None:
        check_parameters(self)
        check_type(self, "field_times", (tuple, list), optional=True)
        for time in self.field_times or ():
            TIME.check(time, "OutputOptions.field_times")
        for name, key in (("field_times", "field_times_s"), ("field_positions", "field_positions")):
            if getattr(self, name) is not None and not self.fields:
                raise Fault(key, "given", "left out with fields = false", "leave out one of the two")
        check_type(self, "points", (tuple, list))
        if len(self.points) > self.MOST_POINTS:
            raise Fault("number of points", len(self.points), f"at most {self.MOST_POINTS}", "give fewer points")
        for number, point in enumerate(self.points):
            if not isinstance(point, OutputPoint):
                raise Fault(f"OutputOptions.points[{number}]", described(point), "an OutputPoint", "give one")
            if point.name in [other.name for other in self.points[:number]]:
                raise Fault(f"points[{number}].name", point.name, "that of no other point", "choose another name")


class _NamedPoint(Table):
    """Which point it is, and of which gear."""

    name: str | None = Field(default=None, min_length=1, max_length=60, description="name of the point")
    gear: Literal["pinion", "wheel"] = Field(description="gear of the point")


class PointTable(table_of(OutputPoint), _NamedPoint):  # type: ignore[misc]
    """``[[output.points]]``: a point of the teeth whose stress and motion are recorded."""

    @property
    def which(self) -> int | str:
        """The gear, as an :class:`OutputPoint` has it."""
        return GEARS.index(self.gear)


class OutputTable(table_of(OutputOptions)):  # type: ignore[misc]
    """``[output]``: what is written beside the curves."""

    points: list[PointTable] = Field(
        default=[], max_length=OutputOptions.MOST_POINTS, description="points whose stress and motion are recorded"
    )


def _read(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("output")
    output = None if table is None else output_options(file, table)
    return {} if output is None else {"output": output}


def output_options(file: CaseFile, table: OutputTable) -> OutputOptions | None:
    """Return the options of a table; None with a fault, which goes to the file."""
    times, analysis = table.field_times_s, file.fields.get("analysis")
    if (
        not isinstance(analysis, DynamicAnalysis | SpatialMotion | NoneType)
        and "checkpoint_every_s" in table.model_fields_set
    ):
        limit = 'is a key of kind = "dynamic" only'
        if isinstance(analysis, RotationalMotion):
            limit = "has no effect: motions of torsional parts are too short for checkpoints"
        file.fault("output.checkpoint_every_s", shown(table.checkpoint_every_s), limit, "leave it out")
    if isinstance(analysis, WITHOUT_FIELDS) and table.fields and "fields" in table.model_fields_set:
        file.fault("output.fields", shown(True), f"has no effect: {_rigid(analysis)} have no fields", "leave it out")
    points = [_point(file, count, point) for count, point in enumerate(table.points)]
    if any(point is None for point in points):
        return None
    others: dict[str, Any] = {"points": tuple(points)}
    if times is not None:
        others["field_times"] = tuple(sorted(times))
    if table.checkpoint_every_s == 0.0:
        others["checkpoint_every"] = None
    with file.made_from_table("output", OutputTable):
        return table.made(file.path.parent, **others)
    return None


def _point(file: CaseFile, count: int, point: PointTable) -> OutputPoint | None:
    """Return a point in SI units; whether it lies on the tooth is known once the gears are."""
    where = f"output.points[{count}]"
    if (point.fillet_share is None) == (point.diameter_mm is None):
        limit = "must give its position by one of fillet_share and diameter_mm"
        file.fault(where, shown(point.model_dump(exclude_unset=True)), limit, "give one of the two")
        return None
    others = {} if point.teeth is None else {"teeth": tuple(sorted(set(point.teeth)))}
    name = point.name or f"{point.gear} {count}"
    return point.made(file.path.parent, name=name, gear=point.which, **others)


def _rigid(analysis: Any) -> str:
    """What has no fields, in words."""
    return "torsional parts" if isinstance(analysis, RotationalMotion) else "rigid bodies in space"


def without_effect(output: OutputOptions, analysis: Analysis | MachineStatic | Rigid) -> Findings:
    times = output.field_times
    if output.field_positions is not None and analysis.kind != "static":
        limit = 'is a key of kind = "static" only'
        yield Finding("output.field_positions", shown(output.field_positions), limit, "leave it out")
    if isinstance(analysis, WITHOUT_FIELDS):
        if times is not None:
            limit = f"has no effect: {_rigid(analysis)} have no fields"
            yield Finding("output.field_times_s", shown(list(times)), limit, "leave it out")
        return
    others = {"static": "positions are chosen by field_positions", "modal": "a modal analysis writes every mode"}
    if times is not None and analysis.kind in others:
        limit = f'is a key of kind = "dynamic" only ({others[analysis.kind]})'
        yield Finding("output.field_times_s", shown(list(times)), limit, "leave it out")
    elif times is not None and isinstance(analysis, SweepAnalysis):
        yield Finding("output.field_times_s", shown(list(times)), "has no effect in a sweep", "leave it out")
    elif times is not None and isinstance(analysis, DynamicAnalysis):
        late = [t for t in times if t > analysis.duration]
        if late:
            limit = f"must be at most duration_s = {analysis.duration}"
            yield Finding("output.field_times_s", shown(late[0]), limit, "leave it out")
    if isinstance(analysis, ModalAnalysis | SweepAnalysis) and output.points:
        limit = f"has no effect in a {analysis.kind} analysis"
        yield Finding("[[output.points]]", f"{len(output.points)} points", limit, "leave them out")


def _points(output: OutputOptions, pair: GearPair) -> Findings:
    """Refuse points off their teeth."""
    for number, point in enumerate(output.points):
        if isinstance(point.gear, str):
            yield Finding(f"output.points[{number}].gear", shown(point.gear), "must be 0 or 1, of a pair", "correct it")
        else:
            name = f"the {GEARS[point.gear]}"
            yield from off_its_tooth(point, f"output.points[{number}]", pair.gears[point.gear], name)


def off_its_tooth(point: OutputPoint, where: str, gear: CylindricalGear, name: str) -> Findings:
    """Refuse a point that does not lie on the teeth of its gear; `where` is its key in a file."""
    late = [tooth for tooth in point.teeth or () if tooth >= gear.z]
    if late:
        limit = f"must be below {gear.z}, the teeth of {name}, which count from 0"
        yield Finding(f"{where}.teeth", shown(late[0]), limit, "leave it out")
    if abs(point.face_position) > 0.5 * gear.b * (1.0 + 1e-12):
        limit = f"must be within half of face_width_mm = {1e3 * gear.b:.9g} from mid-face"
        yield Finding(f"{where}.face_position_mm", shown(round(1e3 * point.face_position, 9)), limit, "correct it")
    if point.radius is not None and not gear.r_f < point.radius <= gear.r_a * (1.0 + 1e-12):
        limit = f"must lie above the root diameter {1e3 * gear.d_f:.6g} and up to the tip diameter"
        yield Finding(
            f"{where}.diameter_mm",
            shown(round(2e3 * point.radius, 9)),
            f"{limit} {1e3 * gear.d_a:.6g}",
            "correct it, or give fillet_share",
        )


SECTION = Section(tables={"output": OutputTable}, fields=("output",), read=_read, rules=(without_effect, _points))
