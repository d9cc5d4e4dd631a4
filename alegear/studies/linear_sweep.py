"""Linearised response over the speed: the machine about its equilibria, excited by the teeth that pass.

The system is that of the motion, with its inertia, bearings, shafts and dampers; its equilibria over a pitch of each
mesh and the tangents there are all that is taken from it (:mod:`alegear.system.excitation`). Between static
transmission error and mesh stiffness nothing is to be chosen: both are in the equilibria, and the stiffness that varies
is kept by harmonic balance (:mod:`alegear.system.periodic`). Left out are the change of the contact by the vibration
itself (load, loss of contact), and orders that two meshes make together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array, Mask
from alegear.case.sweep import SweepAnalysis
from alegear.contact.numbering import GEARS
from alegear.errors import AnalysisFailure, Fault
from alegear.progress import Progress, report_status
from alegear.recording.gear_supports import GearSupports
from alegear.results.linear_response import LinearResponse
from alegear.results.run_up_rate import answer_warnings, run_up_warnings
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.mode_parts import MeanModes, ReadOrders, parts_of_modes, settling_of_modes
from alegear.studies.reference_pitch import pitch_of_drive, turned_drives
from alegear.system.excitation import ElementPhases, ExcitedSystem
from alegear.system.periodic import PeriodicSystem, PhaseOutput

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.drivetrain.gear_mesh import MeshPlace
    from alegear.system.model import SystemModel


SAME = 1e-9  # part by which mesh frequencies differ that are one
STEP = 1e-3  # of the typical displacement of a coordinate: derivatives of bearing forces by differences

#: Positions of a pitch at which the tangents are taken, at least, and for each reported order. Stiffness of spur teeth
#: jumps: with 128 a third order of 17 % of the largest was 8 % too high, with 320 it is within 1 % of that of 1024.
LEAST_POSITIONS, POSITIONS_PER_ORDER = 320, 16
#: Harmonics that balance each other, at least, and over the reported orders: they come with stiffness that varies.
LEAST_HARMONICS, HARMONICS_PER_ORDER = 16, 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """What is read of an excited machine, linear in its displacements and rates, n coordinates.

    Attributes
    ----------
    transmission_error : shape (n_meshes, n)
    force, force_by_rate : shape (3 n_bearings, n)
        On bearings; on fixed axes zero, which `fixed_axes` has.
    displacement : shape (3 n_bearings, n) or None
    fixed_axes : (shape (J, 3 n_bearings), shape (J, 3 n_bearings, n), shape (J, 3 n_bearings, n)) or None
        Of a pair: forces on fixed axes at the phases, and their derivatives by displacements and rates.
    """

    transmission_error: Array
    force: Array
    force_by_rate: Array
    displacement: Array | None
    fixed_axes: tuple[Array, Array, Array] | None = None


def linearised_response(study: DynamicStudy, progress: Progress) -> LinearResponse:
    """Linearised response over the speeds of the drive.

    Raises
    ------
    Fault
        If nothing varies, or nothing holds the machine.
    NonConvergence
        Of an equilibrium.
    """
    case, analysis, model = study.case, study.analysis, study.built.model
    assert isinstance(analysis, SweepAnalysis)
    (drive,) = case.drives
    speed = study.speeds[drive.name]
    solver = study.equilibria()
    places = [place for place in case.layout.meshes if place.mesh.law.varies]
    n, groups = max(LEAST_POSITIONS, POSITIONS_PER_ORDER * analysis.highest_order), _groups(places)
    total = n * len(groups) + analysis.linear_speeds
    exciting = []
    for m, own in enumerate(groups.values()):
        place = places[own[0]]
        pitch, before, states, deviations = pitch_of_drive(place), None, [], []
        resultant = []
        for j in range(n):
            angles = turned_drives(case, pitch * j / n, place.mesh.name)
            before = solver.solve(angles, before)
            states.append(before.x)
            resultant.append([one.force_on_pinion for one in before.forces.values()])
            deviations.append(before.x - solver.nominal(angles))
            progress.advance(m * n + j + 1, total)
        exciting.append(
            ElementPhases(
                elements=[_element_of(model, places[i].mesh.name) for i in own],
                states=np.array(states),
                deviations=np.array(deviations),
            )
        )
    motions = [
        (t, study.built.nominal(drive.name, abs(speed.value(t))), abs(speed.value(t)))
        for t in sorted((0.0, analysis.one_direction), key=lambda t: abs(speed.value(t)))  # the lower speed first
    ]
    system = ExcitedSystem.of(model, study.system.data, exciting, motions)
    meshes, bearings, reported_per_drive = [place.mesh.name for place in places], study.of_machine.bearings, 1.0
    if study.supports is not None:
        bearings, reported_per_drive = list(GEARS), abs(places[0].ratios[0])  # reported is the speed of the pinion
        reading = _of_two_gears(study, study.supports, system, np.array(resultant)[:, 0])
    else:
        mean = np.mean([one.states.mean(axis=0) for one in exciting], axis=0)
        reading = _of_machine(study, meshes, mean)
    return answer_of(
        system,
        reading,
        analysis,
        names=(meshes, bearings),
        groups=groups,
        # in equal ratios, as resonances are wide
        speeds=np.geomspace(motions[0][2], motions[1][2], analysis.linear_speeds),
        falling=motions[0][0] > 0.0,
        reported_per_drive=reported_per_drive,
        behind=without(motions[0], study.built.turned[drive.shaft].tolist()),
        progress=progress,
        done=n * len(groups),
    ).spread([place.mesh.name for place in case.layout.meshes])


def linear_at_ends(case: MachineCase) -> MachineCase | None:
    """The case with a linearised response at its end speeds, for static orders and modes; None: there is none.

    A motion alone may have teeth that differ, no load, or another law of contact.
    """
    try:
        analysis: Any = replace(case.analysis, response="both", linear_speeds=2)  # type: ignore[call-arg]
        preset = None if case.preset is None else replace(case.preset, analysis=analysis)
        return replace(case, analysis=analysis, preset=preset)
    except Fault:
        return None


def reference_of(response: Callable[[], LinearResponse]) -> tuple[LinearResponse | None, list[str]]:
    """The answer beside a motion that does not need it; None where it can have none, or where it fails: a warning."""
    try:
        return response(), []
    except Fault:
        return None, []
    except AnalysisFailure as error:
        unknown = "no static orders, no natural frequencies and no check of the rate beside the motion"
        return None, [f"{unknown}: the linearised response fails, {error}"]


def answer_of(
    system: ExcitedSystem,
    reading: Reading,
    analysis: SweepAnalysis,
    *,
    names: tuple[Sequence[str], Sequence[str]],
    groups: Mapping[float, Sequence[int]],
    speeds: Array,
    falling: bool,
    reported_per_drive: float,
    behind: Array,
    progress: Progress,
    done: int,
) -> LinearResponse:
    """Response to all meshes, one mesh frequency after the other.

    Parameters
    ----------
    system : ExcitedSystem
    reading : Reading
    analysis : SweepAnalysis
    names : (sequence of str, sequence of str)
        Of the meshes that excite, and of the bearings.
    groups : mapping of float to sequence of int
        Mesh frequency [rad/s] over the speed of the drive, in the order of the elements of the system, and the meshes
        that have it.
    speeds : shape (k,) [rad/s]
        Of the drive, rising.
    falling : bool
        Whether a motion begins at the last of them.
    reported_per_drive : float
        Reported speed over that of the drive.
    behind : shape (n,)
        Velocities over the speed of the drive of what it drives, without its own shaft.
    progress : Progress
    done : int
        Parts of the stage before.
    """
    meshes, bearings = names
    k, m, b, orders = len(speeds), len(meshes), len(bearings), analysis.highest_order
    transmission_error, static = np.empty((k, m, orders)), np.empty((m, orders))
    force, displacement = np.empty((k, m, orders, 3 * b)), np.empty((k, m, orders, 3 * b))
    harmonics = max(LEAST_HARMONICS, HARMONICS_PER_ORDER * orders)
    systems = [system.periodic(number, ratio, harmonics) for number, ratio in enumerate(groups)]
    if not any(one.varying.shape[1] for one in systems):
        limit = "of teeth or flexible in one of the meshes"
        raise Fault("fidelity of the meshes", "no stiffness that varies", limit, 'write response = "transient"')
    outputs = [_outputs(system, one, reading) for one in systems]
    ratios = np.empty(m)
    for output, (ratio, own) in zip(outputs, groups.items(), strict=True):
        static[own], ratios[own] = output.static_amplitudes(orders)[:, own].T, ratio
    for i, speed in enumerate(speeds):
        for periodic, output, (ratio, own) in zip(systems, outputs, groups.items(), strict=True):
            rate = float(ratio * speed)
            found = output.amplitudes(periodic, rate, periodic.response(rate), orders)
            transmission_error[i, own] = found[:, own].T
            force[i, own], displacement[i, own] = np.split(found[:, m:], 2, axis=1)
        report_status(progress, f"linearised response at {reported_per_drive * speed * 30.0 / math.pi:.0f} rpm")
        progress.advance(done + i + 1, done + k)
    modes = MeanModes.of(system)
    share, part = np.empty((len(modes.frequency), m)), np.zeros((len(modes.frequency), m, orders))
    share[:, [mesh for own in groups.values() for mesh in own]] = modes.mesh_share
    settling = np.zeros(len(modes.frequency))
    for number, (ratio, own) in enumerate(groups.items()):
        periodic = systems[number]
        read = ReadOrders(output=outputs[number], meshes=own, n_meshes=m, n_bearings=b, orders=orders)
        part[:, own] = parts_of_modes(modes, periodic, read, (ratio * float(speeds[0]), ratio * float(speeds[-1])))
        begin = ratio * float(speeds[-1 if falling else 0])
        settling = np.maximum(settling, settling_of_modes(modes, periodic, read, begin))
    frequency, reported = speeds[:, None] * ratios / (2.0 * math.pi), reported_per_drive * speeds
    values = {
        "linear_speed": reported,
        "linear_mesh_frequency": frequency,
        "linear_transmission_error_order": transmission_error,
        "linear_bearing_force_order": force.reshape(k, m, orders, b, 3),
        "static_transmission_error_order": static,
        "natural_frequency": modes.frequency / (2.0 * math.pi),
        "damping_ratio": modes.damping_ratio,
        "mode_share": share,
        "mode_part": part,
        "mesh_frequency_per_speed": frequency[-1] / reported[-1],
    }
    if reading.displacement is not None:
        values["linear_bearing_displacement_order"] = displacement.reshape(k, m, orders, b, 3)
    return LinearResponse(
        meshes=tuple(meshes),
        bearings=tuple(bearings),
        values=values,
        mode_settling=settling,
        inertia=_inertia(system, behind) / reported_per_drive,
    )


def without(motion: tuple[float, Array, float], shaft: Sequence[int]) -> Array:
    """Velocities of a motion over the speed of the drive, but for coordinates of its own shaft."""
    _, v, speed = motion
    found = v / speed
    found[shaft] = 0.0
    return found


def _inertia(system: ExcitedSystem, behind: Array) -> float:
    """Inertia of what is driven over the torque that drives it, both at the drive [s2/rad]."""
    torque = float(sum(behind @ one.force.mean(axis=0) for one in system.elements))
    return abs(float(behind @ system.mass @ behind) / torque) if torque else 0.0


def _outputs(system: ExcitedSystem, periodic: PeriodicSystem, reading: Reading) -> PhaseOutput:
    """Transmission errors of all meshes, forces on bearings, displacements there."""
    B, s = system.basis, periodic.equilibrium
    displacement = np.zeros_like(reading.force) if reading.displacement is None else reading.displacement
    rows = np.concatenate([reading.transmission_error, reading.force, displacement]) @ B
    rates = np.zeros_like(rows)
    of_force = slice(len(reading.transmission_error), len(reading.transmission_error) + len(reading.force))
    rates[of_force] = reading.force_by_rate @ B
    at_rest = s @ rows.T
    if reading.fixed_axes is None:
        return PhaseOutput(at_rest=at_rest, by_displacement=rows, by_rate=rates)
    on_fixed_axes, by_displacement, by_rate = reading.fixed_axes
    at_rest[:, of_force] += on_fixed_axes
    many = (len(s), *rows.shape)
    of_displacement, of_rate = np.broadcast_to(rows, many).copy(), np.broadcast_to(rates, many).copy()
    of_displacement[:, of_force] += by_displacement @ B
    of_rate[:, of_force] += by_rate @ B
    return PhaseOutput(at_rest=at_rest, by_displacement=of_displacement, by_rate=of_rate)


def sweep_warnings(
    linear: LinearResponse | None, reference: LinearResponse | None, analysis: SweepAnalysis
) -> list[str]:
    """Limits of the linearised response, or of the reference of the motion beside it."""
    found, known = [] if linear is None else answer_warnings(linear), linear or reference
    if known is None or not analysis.moves:
        return found
    return [*found, *run_up_warnings(known, analysis.one_direction, analysis.settling)]


# -------------------------------------------------------------------------------- what is read
def _groups(places: Sequence[MeshPlace]) -> dict[float, list[int]]:
    """Meshes by their frequency over the speed of the drive: those of an idler have one, and one phase."""
    found: dict[float, list[int]] = {}
    for i, place in enumerate(places):
        ratio = 2.0 * math.pi / pitch_of_drive(place)
        same = next((one for one in found if math.isclose(one, ratio, rel_tol=SAME)), ratio)
        found.setdefault(same, []).append(i)
    return found


def _element_of(model: SystemModel, mesh: str) -> int:
    found = [i for i, element in enumerate(model.elements) if element.name == mesh]
    assert len(found) == 1, mesh
    return found[0]


def _of_machine(study: DynamicStudy, meshes: Sequence[str], mean: Array) -> Reading:
    """What is read of a machine about its mean coordinates (n,), of some of its meshes."""
    record, model = study.of_machine, study.built.model
    ones, nothing = np.eye(model.n), np.zeros((model.n, model.n))
    numbers = [[place.mesh.name for place in study.layout.meshes].index(mesh) for mesh in meshes]
    seats = [record.places.index(bearing.place) for bearing in study.case.bearings]
    step = STEP * model.displacement_scale[:, None] * ones  # bearings with rolling elements are not linear
    rest = np.broadcast_to(mean, step.shape)
    force, lower, at_rest, by_rate = (
        record.bearing_forces(x, v)["bearing_force"].reshape(model.n, -1)
        for x, v in ((rest + step, nothing), (rest - step, nothing), (rest, nothing), (rest, ones))
    )
    return Reading(
        transmission_error=record.transmission_errors(ones)[:, numbers].T,
        force=((force - lower) / (2.0 * np.diag(step)[:, None])).T,
        force_by_rate=(by_rate - at_rest).T,
        displacement=record.displacements(ones)["displacement"][:, seats].reshape(model.n, -1).T,
    )


def _of_two_gears(study: DynamicStudy, supports: GearSupports, system: ExcitedSystem, resultant: Array) -> Reading:
    """What is read of two gears by themselves whose contact exerts forces (J, 3) on the pinion."""
    model, place = study.built.model, study.layout.meshes[0]
    ones, nothing = np.eye(model.n), np.zeros((model.n, model.n))
    force, by_rate = (supports.carried(x, v)[0].reshape(model.n, -1).T for x, v in ((ones, nothing), (nothing, ones)))
    driven = study.built.rotation(study.of_machine.gear_place[place.mesh.gears[1 - place.driving]])
    fixed = supports.on_fixed_axes
    return Reading(
        transmission_error=study.of_machine.transmission_errors(ones).T,
        force=force,
        force_by_rate=by_rate,
        displacement=supports.displacements(ones).reshape(model.n, -1).T if supports.displaced else None,
        fixed_axes=_on_fixed_axes(system, driven, resultant, fixed) if fixed.any() else None,
    )


def _on_fixed_axes(
    system: ExcitedSystem, driven: int, resultant: Array, fixed_axis: Mask
) -> tuple[Array, Array, Array]:
    """Forces on fixed axes: the resultant at rest, which grows as the torque on the driven gear does."""
    (mesh,) = system.elements
    torque = mesh.force[:, driven]
    on_both = np.concatenate([resultant * fixed_axis[0], -resultant * fixed_axis[1]], axis=1)
    by_displacement, by_rate = (
        np.einsum("jb,jn->jbn", on_both, -tangent[:, driven] / torque[:, None])
        for tangent in (mesh.stiffness, mesh.damping)
    )
    return on_both, by_displacement, by_rate
