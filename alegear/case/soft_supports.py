"""How far bearings give way under the load of a case: so soft that no gear works on them is a slip of a unit.

Estimates before anything is computed, of shafts that are stiff. A case that passes may still bend its shafts too far,
of which the study tells (:mod:`alegear.checks.displacement_limit`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from alegear.case.faults import Finding, Findings, shown
from alegear.case.operation import Operation
from alegear.contact.numbering import GEARS, flank_side, loaded_flank
from alegear.errors import Fault
from alegear.geometry.alignment import LARGEST_TILT
from alegear.geometry.gear_pair import GearPair
from alegear.system.support import Support

if TYPE_CHECKING:
    from alegear.drivetrain.bearing import Bearing, ShaftBearing
    from alegear.drivetrain.layout import Layout
    from alegear.drivetrain.shaft import Shaft

Array = NDArray[np.float64]

#: Modules a gear may be displaced; half the depth of the teeth, beyond which studies give up.
LARGEST_DISPLACEMENT = 1.0
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
