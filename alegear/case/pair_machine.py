"""A pair of gears as a machine: each gear on a shaft of its own, one driven, the other loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from alegear.case.analysis import MachineStatic, ModalAnalysis, StaticAnalysis
from alegear.case.machine import Analysis, MachineCase
from alegear.contact.numbering import GEARS, PINION, SPIN, WHEEL
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws.flexible import Flexible
from alegear.drivetrain.pair_modes import end_name
from alegear.drivetrain.parts import NO_SPEED, Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.rotational.springs import Spring
from alegear.drivetrain.shaft import Disk, Shaft
from alegear.system.machine_part import MachinePart

if TYPE_CHECKING:
    from alegear.case.case import Case

MESH, DRIVE, LOAD = "mesh", "drive", "load"
#: Of pinion and wheel.
SHAFTS = ("pinion shaft", "wheel shaft")
#: Rotation of the wheel over that of the pinion, about the same direction: external gears turn against each other.
SENSE = (1.0, -1.0)


def bearing_name(gear: str) -> str:
    """Name of the bearing of a gear."""
    return f"bearing of the {gear}"


def machine_of(case: Case) -> MachineCase:
    """Return the machine that a case of two gears is.

    The pinion's shaft lies on the origin, that of the wheel at the centre distance; both point along z. A gear without
    a support turns about an axis that is held, one with a support is a rigid body on a bearing. A torsional shaft ends
    in a body of its own, which the drive turns or the load brakes.
    """
    pair, operation = case.pair, case.operation
    driver = PINION if operation.driver == "pinion" else WHEEL
    ratio = [1.0, pair.ratio]  # torque on the shaft over that on the pinion's
    speed = [SENSE[gear] / ratio[gear] for gear in (PINION, WHEEL)]
    of_pinion = NO_SPEED if operation.pinion_speed is None else operation.pinion_speed  # in statics its sense counts
    positions = ((0.0, 0.0, 0.0), (pair.a_nominal, 0.0, -pair.alignment.axial_offset))
    ends = [SHAFTS[gear] if case.shafts[gear] is None else end_name(GEARS[gear]) for gear in (PINION, WHEEL)]
    shafts = [
        Shaft(name=SHAFTS[gear], fixed_axis=support is None, rigid=support is not None, position=positions[gear])
        for gear, support in enumerate(case.supports)
    ]
    shafts += [
        Shaft(name=end, fixed_axis=True, position=positions[gear]) for gear, end in enumerate(ends) if end not in SHAFTS
    ]
    over_time = operation.torque_table is not None
    on_pinion = operation.pinion_torque or case.nominal_torque  # of a pair that idles for scales and flanks
    # given is the torque on the pinion, whoever drives: with friction that on the wheel is not in the ratio of teeth
    torque: dict[str, Any] = {} if over_time or driver == WHEEL else {"torque": on_pinion}
    load: dict[str, Any] = {"torque": on_pinion} if driver == WHEEL else {"balances_drive": True}
    if operation.torque_table is not None:
        load = {"torque_table": tuple((t, value * ratio[1 - driver]) for t, value in operation.torque_table)}
    far = case.shafts[1 - driver]
    found = MachineCase(
        title=case.title,
        shafts=tuple(shafts),
        gears=tuple(
            ShaftGear(
                name=GEARS[gear],
                shaft=SHAFTS[gear],
                at=0.0,
                gear=pair.gears[gear],
                material=case.materials[gear],
                grid_options=case.grid_options[gear],
                mesh_file=case.grid_files[gear],
            )
            for gear in (PINION, WHEEL)
        ),
        meshes=(GearMesh(name=MESH, gears=GEARS, law=_law(case), driver=GEARS[driver]),),
        bearings=tuple(
            Bearing(
                name=bearing_name(name),
                shaft=shaft,
                at=0.0,
                stiffness=support.stiffness,
                damping=support.damping,
            )
            for name, shaft, support in zip(GEARS, SHAFTS, case.supports, strict=True)
            if support is not None
        ),
        drives=(
            Drive(
                name=DRIVE,
                shaft=ends[driver],
                speed=None if operation.speed_table is not None else of_pinion * speed[driver],
                speed_table=None
                if operation.speed_table is None
                else tuple((t, value * speed[driver]) for t, value in operation.speed_table),
                **torque,
            ),
        ),
        loads=(TorqueLoad(name=LOAD, shaft=ends[1 - driver], inertia=0.0 if far is None else far.inertia, **load),),
        parts=tuple(_parts(case, ends)),
        gravity=operation.gravity if any(case.supports) else (0.0, 0.0, 0.0),
        wear=case.wear,
        analysis=_analysis(case),
        output=replace(
            case.output, points=tuple(replace(point, gear=GEARS[int(point.gear)]) for point in case.output.points)
        ),
        preset=case,
    )
    if not any(support is not None and support.unbalance for support in case.supports):
        return found
    # counted from the pitch-point contact, where the shafts have turned by the phases of the mesh
    parts = _parts(case, ends, [SPIN[gear] * turned for gear, turned in enumerate(found.layout.phases[MESH])])
    return replace(found, parts=tuple(parts))


def _law(case: Case) -> Flexible:
    """The law of the mesh; positions of the shafts say what is left of the alignment."""
    analysis = case.analysis
    return Flexible(
        alignment=replace(case.pair.alignment, axial_offset=0.0),
        law=case.law,
        penalty=case.penalty,
        friction=case.friction,
        slices=case.slices,
        window_pairs=case.window_pairs,
        tooth_change_threshold=None if isinstance(analysis, ModalAnalysis) else analysis.tooth_change_threshold,
    )


def _analysis(case: Case) -> Analysis:
    analysis: Any = case.analysis
    if isinstance(analysis, StaticAnalysis):
        return MachineStatic(
            positions_per_pitch=analysis.positions_per_pitch,
            pitches=analysis.pitches,
            grid_estimate=analysis.grid_estimate,
        )
    return analysis


def _parts(case: Case, ends: list[str], angles: Sequence[float] | None = None) -> list[MachinePart]:
    """Torsional shafts, and what sits on the shafts besides the gears; unbalances at angles [rad], if given."""
    found: list[MachinePart] = []
    for name, shaft, end, own, inertia, support in zip(
        GEARS, SHAFTS, ends, case.shafts, case.added_inertia, case.supports, strict=True
    ):
        if own is not None:
            found.append(
                Spring(name=f"shaft of the {name}", between=(end, shaft), stiffness=own.stiffness, damping=own.damping)
            )
        if inertia or support is not None:
            added = {} if support is None else {"mass": support.added_mass, "tilt_inertia": support.added_tilt_inertia}
            if support is not None and support.unbalance and angles is not None:
                added |= {"unbalance": support.unbalance, "unbalance_angle": angles[GEARS.index(name)]}
            found.append(Disk(name=f"added to the {name}", shaft=shaft, inertia=inertia, **added))
    return found
