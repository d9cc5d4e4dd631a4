"""What follows from a case of any kind before anything is computed, as ``alegear check --json`` prints it."""

from __future__ import annotations

from typing import Any

from alegear.case.case import Case
from alegear.case.machine import MachineCase


def case_data(case: Case | MachineCase) -> dict[str, Any]:
    """Return the derived data of a case: of a pair, a machine, parts that only turn, bodies in space."""
    if isinstance(case, Case):
        from alegear.checks.gear_data import gear_data

        return gear_data(case)
    if case.in_space:
        from alegear.checks.spatial_data import spatial_data

        return spatial_data(case)
    from alegear.checks.machine_data import machine_data

    if not case.only_turns:
        return machine_data(case)
    from alegear.checks.rotational_data import rotational_data

    return {**rotational_data(case), **machine_data(case)}
