"""Case data stored with a run."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from alegear.case.text import file_text, values_text
from alegear.checks.case_data import case_data, teeth_data
from alegear.checks.operating_point import mesh_operating_points, operating_point
from alegear.results.case_record import CaseRecord

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase


def record_of(case: Case | MachineCase) -> CaseRecord:
    """Record the data of a case before its run."""
    text = file_text(case)
    return CaseRecord(
        text=values_text(case) if text is None else text,
        is_file=text is not None,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        data={
            "teeth": teeth_data(case),
            "operating_point": operating_point(case),
            "mesh_operating_points": mesh_operating_points(case),
            **case_data(case),
        },
    )
