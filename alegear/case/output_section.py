"""What is written, from the tables of a case file to SI units."""

from __future__ import annotations

from types import NoneType
from typing import Any

from alegear.case import schema
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import shown
from alegear.case.output import OutputOptions, OutputPoint
from alegear.case.tables import Section
from alegear.case.units import MM
from alegear.contact.numbering import GEARS


class OutputSection(Section):
    """``[output]`` and ``[[output.points]]``."""

    def output(self, tables: dict[str, Any], analysis: Any) -> OutputOptions | None:
        table = tables.get("output")
        if table is None:
            return None
        times = table.field_times_s
        if not isinstance(analysis, DynamicAnalysis | NoneType) and "checkpoint_every_s" in table.model_fields_set:
            limit = 'is a key of kind = "dynamic" only'
            self._fault("output.checkpoint_every_s", shown(table.checkpoint_every_s), limit, "leave it out")
        points = [self._point(number, point) for number, point in enumerate(table.points)]
        if any(point is None for point in points):
            return None
        with self._of_table("output", schema.OutputTable):
            return OutputOptions(
                fields=table.fields,
                field_times=None if times is None else tuple(sorted(times)),
                plots=table.plots,
                checkpoint_every=table.checkpoint_every_s or None,
                points=tuple(point for point in points if point is not None),
            )
        return None

    def _point(self, number: int, point: schema.PointTable) -> OutputPoint | None:
        """Return a point in SI units; whether it lies on the tooth is known once the gears are."""
        where = f"output.points[{number}]"
        if (point.fillet_share is None) == (point.diameter_mm is None):
            limit = "must say its place by one of fillet_share and diameter_mm"
            self._fault(where, shown(point.model_dump(exclude_unset=True)), limit, "give one of the two")
            return None
        return OutputPoint(
            name=point.name or f"{point.gear} {number}",
            gear=GEARS.index(point.gear),
            side=point.flank,
            fillet_share=point.fillet_share,
            radius=None if point.diameter_mm is None else 0.5 * point.diameter_mm * MM,
            face_position=point.face_position_mm * MM,
            teeth=None if point.teeth is None else tuple(sorted(set(point.teeth))),
        )
