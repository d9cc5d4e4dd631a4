"""What follows from the case of a machine before anything is computed, as ``alegear check --json`` prints it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.case.analysis import MachineStatic
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.mesh_period import sampling_warnings
from alegear.case.motion_in_time import RotationalMotion
from alegear.case.sweep import SweepAnalysis
from alegear.checks import gear_data
from alegear.checks.before_run import check_before_meshing, given_sectors, points_on_teeth, sizes_before_meshing
from alegear.checks.design_warnings import (
    design_warnings,
    few_positions,
    flank_warnings,
    strength_warnings,
    unknown_strengths,
)
from alegear.checks.disk_space import check_disk, chunk_bytes
from alegear.checks.planetary_data import planet_design_warnings, planetary_data, whole_gears
from alegear.units import RPM

if TYPE_CHECKING:
    from alegear.case.case import Case
    from alegear.case.machine import MachineCase
    from alegear.drivetrain.bearing import ShaftBearing
    from alegear.drivetrain.gear_mesh import MeshPlace
    from alegear.drivetrain.shaft import Shaft
    from alegear.mesh.sector import SectorMesh

Sectors = tuple["SectorMesh | None", "SectorMesh | None"]
#: Digits of a phase [pitches]: zero is not the round-off of a sum of angles.
PHASE_DIGITS = 9
#: Order of motions that repeat after two pitches, which a sweep tells too.
HALF = 0.5
#: Lines of two meshes are told apart if so many periods of their difference are in a stretch.
TOLD_APART = 1.5
#: Lines that are closer, in pitches of the slowest mesh, are one.
LINES_APART = 1e-6
#: Round-off of a revolution that is a sum of pitches.
TURN_SLACK = 1e-9


def check_meshes(case: MachineCase, out: Path | None = None) -> Iterator[tuple[Case, Sectors, bool]]:
    """Refuse what a run would refuse: go through the flexible meshes as :func:`check_before_meshing` does.

    Yields
    ------
    case of the two gears, the grids made elsewhere, whether the reduction surely fits into the memory

    Raises
    ------
    Fault
    """
    check_disk(machine_chunk_bytes(case), out or Path())
    for place in case.layout.meshes:
        if place.mesh.law.needs_contact:
            pair = case.pair_case(place)
            yield pair, *check_before_meshing(pair, out)


def machine_chunk_bytes(case: MachineCase) -> float:
    """Estimate the size of the chunks of a motion with all of its meshes [bytes]; 0 for other studies.

    What is kept of the machine as a whole is little beside the contact of a mesh.
    """
    total = 0.0
    for place in case.layout.meshes:
        if place.mesh.law.needs_contact:
            pair = case.pair_case(place)
            total += chunk_bytes(pair, *sizes_before_meshing(pair, given_sectors(pair)), points_on_teeth(pair))
    return total


def machine_data(case: MachineCase) -> dict[str, Any]:
    """Return gears, meshes, shafts, bearings, drives and loads of a machine; the unit is in the key.

    Parameters
    ----------
    case : MachineCase

    Returns
    -------
    dict
        ``gears``, ``meshes``, ``shafts``, ``bearings``, ``drives``, ``loads`` by name, of machines with planetary sets
        those of :func:`~alegear.checks.planetary_data.planetary_data`, ``flanks``
        (:func:`~alegear.checks.gear_data.data_of_points`) by gear and mesh, ``deviations`` of flanks by gear and of
        shafts by mesh (:func:`~alegear.checks.gear_data.deviations`), and ``warnings``. Speeds have
        their sign about the direction of the shaft, None where no drive gives one; torques are positive, of drives in
        the direction of rotation, of loads against it. Lists in ``meshes`` are of the first and the second gear.
        ``phase_pitches`` is the rotation of the first gear from the pitch-point contact of the flanks that carry, where
        no shaft has turned, less whole pitches: the phases of the meshes to each other. Of the stiffness of a bearing
        it is the diagonal; of one that rolls that under the force of the strongest mesh, beside the frequencies
        ``cage_Hz``, ``outer_race_Hz``, ``inner_race_Hz``, ``spin_Hz`` and ``roller_Hz`` at the speed of its drive.
    """
    layout = case.layout
    meshes = {place.mesh.name: _mesh(case, place) for place in layout.meshes}
    return {
        "gears": {
            name: {
                "shaft": one.shaft,
                "at_mm": 1e3 * one.at,
                "teeth": one.gear.z,
                "speed_rpm": _speed(case, one.shaft),
                **gear_data.data_of_gear(one.gear, one.material),
            }
            for name, one in layout.gears.items()
        },
        "meshes": meshes,
        "shafts": {name: _shaft(case, shaft) for name, shaft in layout.shafts.items()},
        "bearings": {
            one.name: _bearing(one, case.machine.scales.force, case.layout.speeds_of(one)) for one in case.bearings
        },
        "drives": {one.name: _end(case, one.name, one.shaft, one.at) for one in case.drives},
        "loads": {
            one.name: {
                **_end(case, one.name, one.shaft, one.at),
                "balances_drive": one.balances_drive,
                "inertia_kg_m2": one.inertia,
            }
            for one in case.loads
        },
        **planetary_data(layout.parts),
        "deviations": gear_data.deviations(
            {name: one.gear for name, one in layout.gears.items()} | whole_gears(layout.parts),
            {place.mesh.name: place.mesh.law.alignment for place in layout.meshes},
        ),
        "flanks": {
            f"{name} in {place.mesh.name}": gear_data.data_of_points(place.pair, number, _rotation(case, place))
            for place in layout.meshes
            for number, name in enumerate(place.mesh.gears)
        },
        "warnings": machine_warnings(case),
    }


def machine_warnings(
    case: MachineCase, sectors: Mapping[str, Sectors] | None = None, stiffness: Mapping[str, float] | None = None
) -> list[str]:
    """Return what is known of a machine before anything is computed.

    Parameters
    ----------
    case : MachineCase
    sectors : mapping of str to (SectorMesh or None, SectorMesh or None), optional
        Grids of the flexible meshes by their names, for the bores of grids made elsewhere.
    stiffness : mapping of str to float, optional [N/m]
        Mean stiffness of the flexible meshes by their names, where it was computed; else it is estimated.
    """
    return list(_warnings(case, sectors or {}, stiffness or {}))


def _warnings(case: MachineCase, sectors: Mapping[str, Sectors], stiffness: Mapping[str, float]) -> Iterator[str]:
    for place in case.layout.meshes:
        name = place.mesh.name
        own = sectors.get(name, (None, None))
        flexible = place.mesh.law.needs_contact
        found = (
            design_warnings(case.pair_case(place), own, stiffness.get(name))
            if flexible
            else _without_bodies(case, place)
        )
        yield from (f"mesh {name}: {warning}" for warning in found)
    yield from planet_design_warnings(case.parts)
    yield from _fast_gears(case)
    yield from unknown_strengths({f"gear {name}": one.material for name, one in case.layout.gears.items()})
    yield from _flanks_without_effect(case)
    for part in case.parts:
        yield from part.warnings
    yield from _few_pitches(case)
    yield from sampling_warnings(case)
    yield from _few_positions(case)
    yield from _close_lines(case)


def _fast_gears(case: MachineCase) -> Iterator[str]:
    """Warn of gears of a motion that may burst, whatever their meshes are."""
    if not isinstance(case.analysis, DynamicAnalysis | RotationalMotion):
        return
    for name, one in case.layout.gears.items():
        speed = _speed(case, one.shaft)
        if speed is not None:
            yield from gear_data.bursting(f"gear {name}", one.gear, one.material, speed * RPM)


def _few_positions(case: MachineCase) -> Iterator[str]:
    """Warn of too few positions of a pitch."""
    if isinstance(case.analysis, MachineStatic) and any(place.mesh.law.varies for place in case.layout.meshes):
        yield from few_positions(case.analysis.positions_per_pitch)


def _close_lines(case: MachineCase) -> Iterator[str]:
    """Warn of orders of two meshes that the stretches of a sweep cannot tell apart.

    A stretch of N pitches just tells lines apart that are 1/N of an order apart; :data:`TOLD_APART` of that are taken.
    Lines that are one are fitted as one. Two half orders, of motions that repeat after two pitches, may be close: there
    is nothing in them as a rule, and orders beside them do not suffer.
    """
    analysis = case.analysis
    if not isinstance(analysis, SweepAnalysis) or not analysis.moves or len(case.layout.meshes) < 2:
        return
    slowest = max(abs(pitch_of(place)) for place in case.layout.meshes)
    orders = (HALF, *range(1, analysis.highest_order + 1))
    lines = sorted(
        (slowest / abs(pitch_of(place)) * order, order, place.mesh.name)
        for place in case.layout.meshes
        for order in orders
    )
    gap, first, second = min(
        (b[0] - a[0], a, b) for a, b in pairwise(lines) if b[0] - a[0] > LINES_APART and max(a[1], b[1]) > HALF
    )
    needed = math.ceil(TOLD_APART / gap - TURN_SLACK)
    if needed > analysis.pitches:
        yield (
            f"pitches_per_point = {analysis.pitches}: order {first[1]:g} of {first[2]} and order {second[1]:g} of "
            f"{second[2]} are {gap:.2g} of an order apart, which so few pitches cannot tell: amplitudes of the "
            f"motion there are noise; write pitches_per_point = {needed}"
        )


def pitch_of(place: MeshPlace) -> float:
    """Revolutions of the drive in a pitch of a mesh."""
    return 1.0 / (place.pair.pinion.z * place.ratios[0])


def _without_bodies(case: MachineCase, place: MeshPlace) -> Iterator[str]:
    """What a mesh whose wheels are not elastic is warned of: teeth, torque, and flanks where its law has them."""
    pair, materials = place.pair, [case.layout.gears[name].material for name in place.mesh.gears]
    yield from pair.warnings
    if place.mesh.law.knows_teeth:
        yield from flank_warnings(pair, materials, place.torque)
    yield from strength_warnings(pair, materials, place.torque)


def _flanks_without_effect(case: MachineCase) -> Iterator[str]:
    """Warn of flanks that no mesh of their gear knows: of one definition at five fidelities they may stay in a file."""
    layout = case.layout
    for name, one in layout.gears.items():
        meshes = [place.mesh for place in layout.meshes if name in place.mesh.gears]
        given = [key for key in one.gear.microgeometry.given if key.endswith("_um")]
        if meshes and given and not any(mesh.law.knows_teeth for mesh in meshes):
            words = ", ".join(f'{mesh.name} ("{mesh.law.fidelity}")' for mesh in meshes)
            yield (
                f"flank of gear {name} = {', '.join(given)}: without effect in {words}, whose teeth have no flanks: "
                f'leave out [gears.{name}.flank], or write fidelity = "flexible" or "teeth" for that mesh'
            )


def _few_pitches(case: MachineCase) -> Iterator[str]:
    """Warn of positions over less than a revolution of a gear whose teeth differ."""
    analysis, layout = case.analysis, case.layout
    if not isinstance(analysis, MachineStatic) or not layout.meshes:
        return
    # the slowest mesh is counted where none is named
    pitch = {place.mesh.name: abs(pitch_of(place)) for place in layout.meshes}
    turned = analysis.pitches * (pitch[analysis.mesh] if analysis.mesh else max(pitch.values()))
    for place in layout.meshes:
        if not place.mesh.law.knows_teeth:
            continue
        for name, gear, ratio in zip(place.mesh.gears, place.pair.gears, place.ratios, strict=True):
            revolutions = turned * abs(ratio)
            if not gear.teeth_alike and revolutions < 1.0 - TURN_SLACK:
                needed = math.ceil(analysis.pitches / revolutions - TURN_SLACK)
                yield (
                    f"mesh {place.mesh.name}: pitches = {analysis.pitches}: the teeth of gear {name} differ, and it "
                    f"turns by {revolutions:.3g} revolutions only: largest values and peak to peak are those of teeth "
                    f"that meet; write pitches = {needed} for a revolution"
                )


def _speed(case: MachineCase, shaft: str) -> float | None:
    """Speed of a shaft about its direction [rpm], the largest of a table."""
    drive = case.layout.drive_of.get(shaft)
    speed = None if drive is None else drive.largest_speed
    return None if speed is None else case.layout.ratio[shaft] * abs(speed) / RPM


def _rotation(case: MachineCase, place: MeshPlace) -> float | None:
    """Speed of the first gear of a mesh [rad/s], without sign."""
    speed = _speed(case, case.layout.gears[place.mesh.gears[0]].shaft)
    return None if speed is None else abs(speed) * RPM


def _mesh(case: MachineCase, place: MeshPlace) -> dict[str, Any]:
    mesh, pair = place.mesh, place.pair
    gears = [case.layout.gears[name] for name in mesh.gears]
    speeds = [_speed(case, gear.shaft) for gear in gears]
    torque = place.torque
    phase = case.layout.phases[mesh.name][0] / (2.0 * math.pi / gears[0].gear.z)
    return {
        "gears": list(mesh.gears),
        "fidelity": mesh.law.fidelity,
        "driver": mesh.gears[place.driving],
        "ratio": gears[1].gear.z / gears[0].gear.z,
        "d_w_mm": [1e3 * float(d_w) for d_w in pair.d_w],
        **gear_data.data_of_flanks(pair),
        **gear_data.data_of_pair(pair, place.moduli),
        **(gear_data.data_of_bodies(case.pair_case(place)) if mesh.law.needs_contact else {}),
        "torque_Nm": [torque, abs(torque * place.ratios[0] / place.ratios[1])],
        "speed_rpm": speeds,
        "mesh_frequency_Hz": None if speeds[0] is None else abs(speeds[0] * gears[0].gear.z) / 60.0,
        "transverse_force_N": place.force,
        "phase_pitches": round(math.remainder(phase, 1.0), PHASE_DIGITS) + 0.0,
    }


def _shaft(case: MachineCase, shaft: Shaft) -> dict[str, Any]:
    sections = np.asarray(shaft.sections)
    outer, inner = sections[:, 1] ** 2, sections[:, 2] ** 2
    mass = 0.25 * math.pi * shaft.material.rho * float((outer - inner) @ sections[:, 0])
    drive = case.layout.drive_of.get(shaft.name)
    return {
        "kind": "fixed axis" if shaft.fixed_axis else "rigid" if shaft.rigid else "flexible",
        "drive": None if drive is None else drive.name,
        "ratio": case.layout.ratio[shaft.name],
        "speed_rpm": _speed(case, shaft.name),
        "length_mm": 1e3 * shaft.length,
        "mass_kg": mass,
    }


def _bearing(one: ShaftBearing, force: float, speeds: tuple[float, float]) -> dict[str, Any]:
    """A bearing; of one that rolls the stiffness under a force [N], and the frequencies at speeds [rad/s]."""
    linear = one.on_springs(force)
    stiffness = np.asarray(linear.stiffness, dtype=float)
    diagonal = stiffness.diagonal() if stiffness.ndim == 2 else stiffness
    shifts, tilts = diagonal[:3].tolist(), [*diagonal[3:].tolist(), 0.0, 0.0][:2]
    return {
        "shaft": one.shaft,
        "at_mm": 1e3 * one.at,
        "to": one.to,
        "to_at_mm": None if one.to_at is None else 1e3 * one.to_at,
        "stiffness_N_per_m": shifts,
        "tilt_stiffness_Nm_per_rad": tilts,
        **{f"{name}_Hz": value for name, value in one.frequencies(*speeds).items()},
    }


def _end(case: MachineCase, name: str, shaft: str, at: float) -> dict[str, Any]:
    """A drive or a load."""
    torque, speed = case.layout.torque[name], _speed(case, shaft)
    return {
        "shaft": shaft,
        "at_mm": 1e3 * at,
        "torque_Nm": torque,
        "speed_rpm": speed,
        "power_W": None if speed is None else torque * abs(speed) * RPM,
    }
