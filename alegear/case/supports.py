"""``[supports.pinion]`` and ``[supports.wheel]``: fixed axes, or elastic shafts and bearings, and further masses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from alegear.case.faults import MISSING, Finding, Findings, shown
from alegear.case.soft_supports import soft_supports
from alegear.case.tables import CaseFile, Section, Table, limited, table_of
from alegear.contact.numbering import GEARS
from alegear.dynamics.support import Support
from alegear.limits import Limits
from alegear.parameters import listed

ADDED_INERTIA = Limits(
    quantity="further inertia about the axis", key="added_inertia_kg_m2", unit="kg m2", least=0.0, most=1e12
)
_Stiffness = Annotated[float, Field(gt=0.0, le=Support.LARGEST_STIFFNESS)]
_Damping = Annotated[float, Field(ge=0.0, le=Support.LARGEST_DAMPING)]
_Entry = Annotated[float, Field(ge=-Support.LARGEST_STIFFNESS, le=Support.LARGEST_STIFFNESS)]
_Matrix = listed(listed(_Entry, 6), 6)


class SupportTable(table_of(Support)):  # type: ignore[misc]
    """``[supports.pinion]``: a fixed axis, or shaft and bearings as seen from the centre of the gear's mid-face."""

    kind: Literal["fixed_axis", "bearing"] = Field(default="fixed_axis", description="kind of support")
    stiffness_N_per_m: listed(_Stiffness, 3) | None = Field(  # type: ignore[valid-type]
        default=None, description="stiffness [x, y, z] in N/m"
    )
    tilt_stiffness_Nm_per_rad: listed(_Stiffness, 2) | None = Field(  # type: ignore[valid-type]
        default=None, description="stiffness against tilting [about x, about y] in N m/rad"
    )
    damping_Ns_per_m: listed(_Damping, 3) | None = Field(  # type: ignore[valid-type]
        default=None, description="damping [x, y, z] in N s/m (0)"
    )
    tilt_damping_Nms_per_rad: listed(_Damping, 2) | None = Field(  # type: ignore[valid-type]
        default=None, description="damping of tilting [about x, about y] in N m s/rad (0)"
    )
    stiffness_matrix_N_m_rad: _Matrix | None = Field(  # type: ignore[valid-type]
        default=None,
        description="stiffness as a 6 x 6 matrix of x, y, z, about x, y, z: N and N m per m and rad; 0 about z",
    )
    damping_matrix_N_m_rad_s: _Matrix | None = Field(  # type: ignore[valid-type]
        default=None, description="damping as a 6 x 6 matrix: N and N m per m/s and rad/s; 0 about z"
    )
    added_inertia_kg_m2: float = limited(ADDED_INERTIA, "further inertia about the axis in kg m2", default=0.0)


class SupportsTable(Table):
    """``[supports]``: what holds both gears."""

    pinion: SupportTable = SupportTable()
    wheel: SupportTable = SupportTable()


def _read(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("supports")
    if table is None:
        return {}
    return {
        "added_inertia": tuple(getattr(table, gear).added_inertia_kg_m2 for gear in GEARS),
        "supports": tuple(_support(file, gear, getattr(table, gear)) for gear in GEARS),
    }


def _support(file: CaseFile, gear: str, table: SupportTable) -> Support | None:
    """Read the support of a gear; None is a fixed axis."""
    where = f"supports.{gear}"
    if table.kind == "fixed_axis":
        for key, value in table.given.items():
            if key in ("kind", "added_inertia_kg_m2"):
                continue
            remedy = 'leave it out, or write kind = "bearing"'
            file.fault(f"{where}.{key}", shown(value), 'has no effect with kind = "fixed_axis"', remedy)
        return None
    stiffness = _directions(
        file, where, table, "stiffness_matrix_N_m_rad", ("stiffness_N_per_m", "tilt_stiffness_Nm_per_rad")
    )
    damping = _directions(
        file, where, table, "damping_matrix_N_m_rad_s", ("damping_Ns_per_m", "tilt_damping_Nms_per_rad")
    )
    if stiffness is None or damping is None:
        return None
    with file.made_from(f"[{where}]"):
        support: Support = table.made(file.path.parent, name=gear, stiffness=stiffness, damping=damping)
        return support
    return None


def _directions(
    file: CaseFile, where: str, table: SupportTable, matrix_key: str, keys: tuple[str, str]
) -> NDArray[np.float64] | None:
    """Return a matrix (5, 5) from one of 6 x 6, or from the values on its diagonal; None with a fault."""
    matrix = getattr(table, matrix_key)
    if matrix is not None:
        for key in keys:
            if (value := getattr(table, key)) is not None:
                file.fault(f"{where}.{key}", shown(value), f"excludes {matrix_key}", "leave out one of the two")
        return _without_axis(file, f"{where}.{matrix_key}", np.array(matrix))
    diagonal: list[float] = []
    for key, count in zip(keys, (3, 2), strict=True):
        value = getattr(table, key)
        if value is None and matrix_key.startswith("stiffness"):
            what = SupportTable.model_fields[key].description
            file.fault(f"{where}.{key}", MISSING, 'the key is needed with kind = "bearing"', f"give the {what}")
            return None
        diagonal += value or [0.0] * count
    return np.diag(diagonal)


def _without_axis(file: CaseFile, key: str, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first five rows and columns of a matrix of which the last must be 0."""
    about_axis = np.concatenate([matrix[5], matrix[:, 5]])
    if np.any(about_axis != 0.0):
        limit = "must be 0 in the last row and column: the gear turns about z"
        worst = about_axis[np.abs(about_axis).argmax()]
        file.fault(key, shown(float(worst)), limit, "give torsion in [shafts]")
    return np.ascontiguousarray(matrix[:5, :5])


def _bearings(law: str, supports: tuple[Support | None, Support | None]) -> Findings:
    for gear, support in zip(GEARS, supports, strict=True):
        if support is not None and law == "penalty":
            limit = 'is not in this version with law = "penalty"'
            remedy = 'write law = "hertz", or kind = "fixed_axis"'
            yield Finding(f"supports.{gear}.kind", '"bearing"', limit, remedy)


SECTION = Section(
    tables={"supports": SupportsTable},
    fields=("supports", "added_inertia"),
    read=_read,
    rules=(_bearings, soft_supports),
)
