"""``[supports]`` and ``[shafts]``: what holds a gear, how far it gives way, and what lies between it and drive or load.

How far bearings give way is estimated before anything is computed, with shafts that are stiff: so soft that no gear
works on them is a slip of a unit. A case that passes may still bend its shafts too far, of which the study tells
(:mod:`alegear.checks.displacement_limit`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from alegear.arrays import Array
from alegear.case.faults import MISSING, Finding, Findings, shown
from alegear.case.operation import Operation
from alegear.case.tables import CaseFile, Section, Table, limited, table_of
from alegear.contact.numbering import GEARS, flank_side, loaded_flank
from alegear.errors import Fault
from alegear.geometry.alignment import LARGEST_DISPLACEMENT, LARGEST_TILT
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits
from alegear.parameters import listed
from alegear.system.support import Support, TorsionShaft

if TYPE_CHECKING:
    from alegear.drivetrain.bearing import Bearing, ShaftBearing
    from alegear.drivetrain.layout import Layout
    from alegear.drivetrain.shaft import Shaft


#: Of the largest eigenvalue: a direction below it is not held, of which the equilibrium tells.
HELD = 1e-14


def soft_supports(supports: tuple[Support | None, Support | None], pair: GearPair, operation: Operation) -> Findings:
    """Refuse supports of a pair that its largest torque displaces or tilts too far."""
    torque = max([abs(operation.pinion_torque), *(abs(one) for _, one in operation.torque_table or ())])
    force, beta, alpha = torque / pair.pinion.r_b, pair.beta_b, pair.alpha_wt
    side = flank_side(loaded_flank(operation.driver))
    on_wheel = force * np.array([math.sin(alpha), side * math.cos(alpha), -side * math.tan(beta)])
    for number, (gear, support) in enumerate(zip(GEARS, supports, strict=True)):
        if support is None:
            continue
        # from the axis to the pitch point: along x of the pinion, against it of the wheel
        arm = 0.5 * pair.d_w[number] * (-1.0 if number else 1.0)
        pressed = on_wheel if number else -on_wheel
        load = np.concatenate([pressed, np.cross([arm, 0.0, 0.0], pressed)[:2]])
        moved = np.linalg.solve(support.stiffness, load)
        too_far = _too_far(moved, pair.pinion.m_n)
        if too_far is not None:
            tilts = too_far.tilts
            key = "tilt_stiffness_Nm_per_rad" if tilts else "stiffness_N_per_m"
            given = np.diag(support.stiffness)[3:] if tilts else np.diag(support.stiffness)[:3]
            limit = f"the gear {too_far.does} by {too_far.value} under {torque:.4g} N m on the pinion, must be at most "
            unit = "N m per rad" if tilts else "N per m"
            yield Finding(
                f"supports.{gear}.{key}", shown(given.tolist()), limit + too_far.most, f"check the unit, {unit}"
            )


def check_bearings(layout: Layout, shafts: Sequence[Shaft], bearings: Sequence[ShaftBearing]) -> None:
    """Refuse bearings of a machine that let a gear move or tilt too far under the largest loads.

    Shafts and what holds them count as rigid; shafts that stand on or hold another shaft are left out, for what they
    carry is not known before the equilibrium.

    Raises
    ------
    Fault
        With the softest bearing of the shaft.
    """
    from alegear.drivetrain.bearing import Bearing  # of machines: the check of a pair does without

    on_shafts = {one.shaft for one in bearings if one.to_at is not None}
    on_shafts |= {one.to for one in bearings if one.to_at is not None}
    for shaft in shafts:
        own = [one for one in bearings if one.shaft == shaft.name]
        linear = [one for one in own if isinstance(one, Bearing)]
        if shaft.fixed_axis or not linear or len(linear) < len(own) or shaft.name in on_shafts:
            continue
        for gear, m_n, moved in _moved_gears(layout, shaft, linear):
            too_far = _too_far(moved, m_n)
            if too_far is None:
                continue
            # the softest of those that hold in the direction in which it gives way at all
            tilts = too_far.tilts and len(linear) == 1
            direction = int(np.argmax(np.abs(moved[:2] if too_far.tilts else moved[:3]))) + 3 * tilts
            holding = [one for one in linear if _matrix(one)[direction, direction] > 0.0] or linear
            softest = min(holding, key=lambda one: float(_matrix(one)[direction, direction]))
            key = "tilt_stiffness_Nm_per_rad" if tilts else "stiffness_N_per_m"
            what = f"{key} of bearing {softest.name}"
            given = np.diag(_matrix(softest))[3:] if tilts else np.diag(_matrix(softest))[:3]
            limit = f"so stiff that gear {gear} {too_far.does} by at most {too_far.most} under the largest loads"
            unit = "N m per rad" if tilts else "N per m"
            raise Fault(what, given.tolist(), f"{limit}, not by {too_far.value}", f"check the unit, {unit}")


def _moved_gears(layout: Layout, shaft: Shaft, bearings: Sequence[Bearing]) -> Iterator[tuple[str, float, Array]]:
    """The gears of a rigid shaft: name, module [m], displacement and tilt in its axes (5,) [m, rad]."""
    stiffness = np.zeros((5, 5))
    for one in bearings:
        follow = _moved_at(one.at)
        stiffness += follow.T @ _matrix(one) @ follow
    load, places = np.zeros(5), []
    start = np.asarray(shaft.position, dtype=float)
    for place in layout.meshes:
        force, moment = (one[0] for one in place.pressed(np.array([place.force / math.cos(place.pair.beta_b)])))
        for number, name in enumerate(place.mesh.gears):
            gear = layout.gears[name]
            if gear.shaft != shaft.name:
                continue
            # the second gear gets the opposite of what the first one does, at the same line
            sign = -1.0 if number else 1.0
            arm = place.origin - start
            load[:3] += sign * (shaft.axes @ force)
            load[3:] += sign * (shaft.axes @ (moment + np.cross(arm, force)))[:2]
            places.append((name, gear.at, place.pair.pinion.m_n))
    if not places:
        return
    # lengths in parts of the shaft's: entries of one size, whatever is not held is left out
    scale = np.diag([1.0, 1.0, 1.0, *[1.0 / (shaft.length or places[0][2])] * 2])
    moved = scale @ np.linalg.pinv(scale @ stiffness @ scale, rcond=HELD, hermitian=True) @ (scale @ load)
    for name, at, m_n in places:
        yield name, m_n, _moved_at(at) @ moved


def _moved_at(at: float) -> Array:
    """Displacement and tilt at a place on a rigid shaft by those of its end (5, 5)."""
    follow = np.eye(5)
    follow[0, 4], follow[1, 3] = at, -at  # theta x (0, 0, at)
    return follow


def _matrix(bearing: Bearing) -> Array:
    """Stiffness (5, 5)."""
    given = np.asarray(bearing.stiffness, dtype=float)
    if given.ndim == 2:
        return given
    return np.diag([*given, 0.0, 0.0][:5])


class _TooFar(NamedTuple):
    """Which limit is passed, in words."""

    tilts: bool
    does: str
    value: str
    most: str


def _too_far(moved: Array, m_n: float) -> _TooFar | None:
    """Displacement (3,) [m] or tilt (2,) [rad] of a gear beyond its limit."""
    displacement, tilt = float(np.linalg.norm(moved[:3])), math.degrees(float(np.linalg.norm(moved[3:])))
    if not displacement <= LARGEST_DISPLACEMENT * m_n:
        most = f"{1e3 * LARGEST_DISPLACEMENT * m_n:.4g} mm, {LARGEST_DISPLACEMENT:g} module"
        return _TooFar(tilts=False, does="is displaced", value=f"{1e3 * displacement:.4g} mm", most=most)
    if not tilt <= LARGEST_TILT:
        return _TooFar(tilts=True, does="tilts", value=f"{tilt:.3g} deg", most=f"{LARGEST_TILT:g} deg")
    return None


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
        return table.made(file.path.parent, name=gear, stiffness=stiffness, damping=damping)
    return None


def _directions(
    file: CaseFile, where: str, table: SupportTable, matrix_key: str, keys: tuple[str, str]
) -> Array | None:
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


def _without_axis(file: CaseFile, key: str, matrix: Array) -> Array:
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


LARGEST_TWIST = 1.0
"""Twist [rad] of a shaft under its torque."""


class ShaftTable(table_of(TorsionShaft)):  # type: ignore[misc]
    """``[shafts.pinion]``: what lies between a gear and its drive or load."""


class ShaftsTable(Table):
    """``[shafts]``: torsion shafts of both gears."""

    pinion: ShaftTable | None = None
    wheel: ShaftTable | None = None


def _read_shafts(file: CaseFile) -> dict[str, Any]:
    table = file.tables.get("shafts")
    if table is None:
        return {}
    shafts = [getattr(table, gear) for gear in GEARS]
    return {"shafts": tuple(None if one is None else one.made(file.path.parent) for one in shafts)}


def _shafts(
    shafts: tuple[TorsionShaft | None, TorsionShaft | None], operation: Operation, teeth: tuple[int, int]
) -> Findings:
    for gear, shaft, z in zip(GEARS, shafts, teeth, strict=True):
        if shaft is None:
            continue
        key = f"shafts.{gear}.inertia_kg_m2"
        if gear == operation.driver and shaft.inertia:
            limit = f'has no effect at the driver (driver = "{gear}"): that end turns as prescribed'
            remedy = "leave it out; supports.*.added_inertia_kg_m2 sits on the gear"
            yield Finding(key, shown(shaft.inertia), limit, remedy)
        elif gear != operation.driver and not shaft.inertia:
            limit = "is needed at the driven gear: its shaft ends at the load"
            yield Finding(key, MISSING, limit, "give the inertia of the load, or leave out the shaft")
        torque = abs(operation.pinion_torque) * z / teeth[0]
        twist = torque / shaft.stiffness
        if twist > LARGEST_TWIST:
            limit = f"twists by {twist:.3g} rad under {torque:.4g} N m, must be at most {LARGEST_TWIST:g} rad"
            key = f"shafts.{gear}.stiffness_Nm_per_rad"
            yield Finding(key, shown(shaft.stiffness), limit, "check the unit, N m per rad")


SHAFTS = Section(tables={"shafts": ShaftsTable}, fields=("shafts",), read=_read_shafts, rules=(_shafts,))
