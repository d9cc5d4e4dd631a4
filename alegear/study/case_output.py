"""What is written, from the tables of a case file to SI units."""

from __future__ import annotations

from types import NoneType
from typing import Any

from alegear.geometry.gear_pair import GearPair
from alegear.study import case_schema as schema
from alegear.study.case_faults import shown
from alegear.study.case_tables import GEARS, MM, Section
from alegear.study.settings import (
    DynamicAnalysis,
    ModalAnalysis,
    OutputOptions,
    OutputPoint,
    StaticAnalysis,
    SweepAnalysis,
)


class OutputSection(Section):
    """``[output]`` and ``[[output.points]]``."""

    def output(self, tables: dict[str, Any], analysis: Any) -> OutputOptions | None:
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
        if isinstance(analysis, ModalAnalysis | SweepAnalysis) and table.points:
            limit = f"has no effect in a {analysis.kind} analysis"
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

    def points_on_teeth(self, output: OutputOptions | None, pair: GearPair | None) -> None:
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
