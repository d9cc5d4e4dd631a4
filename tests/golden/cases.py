"""Every kind of case there is, small: what the golden curves and the golden states are taken from.

Coarse grids of a pair 20/30 (``tests/small_cases.py``), so that all of them take a minute together.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import alegear as ag

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from small_cases import DAMPING, OVERHUNG, bearing, shafts, static_text

BACKLASH = "tooth_thickness_allowance_um = 60.0"
RELIEF = "tip_relief_um = 15.0\ntip_relief_start_diameter_mm = {:.1f}\nlead_crowning_um = 5.0\n"
TILTED = "[alignment]\ntilt_plane_of_action_deg = 0.02\ntilt_normal_deg = -0.01\naxial_offset_mm = 1.0\n"
COULOMB = 'friction = "coulomb"\nmu_dynamic = 0.06\n'
PENALTY = 'law = "penalty"\n'
SHAFTS = shafts(damping=(0.5, 0.25))
POINTS = """
[[output.points]]
name = "root"
gear = "pinion"
fillet_share = 1.0
[[output.points]]
name = "flank"
gear = "wheel"
diameter_mm = 120.0
face_position_mm = 5.0
"""
#: Ten pitches of the pinion at 3000 rpm, steps of a fiftieth of a pitch.
MOTION = "duration_s = 0.01\ntime_step_s = 2e-5\noutput_every_s = 2e-4\nmesh_damping_ratio = 0.05\n"
SWEEP = (
    "speed_from_rpm = 5000.0\nspeed_to_rpm = 6000.0\nduration_s = 6e-3\npitches_per_point = 2\n"
    "time_step_s = 1e-5\noutput_every_s = 2e-5\nmesh_damping_ratio = 0.1\n"
)
MODES = 'inertia = "full"\nnormal_modes = 10\n'


def _static(teeth: tuple[int, int] = (20, 30), **options: object) -> str:
    return static_text(teeth, **{"contact": "slices = 6", **options})


def _helical(text: str) -> str:
    return text.replace("[pair]", "[pair]\nhelix_angle_deg = 20.0", 1)


def _weighed(text: str) -> str:
    return text.replace("[analysis]", "gravity_m_s2 = [0.0, -9810.0, 500.0]\n[analysis]")


def _of_kind(kind: str, analysis: str, operation: str = "pinion_speed_rpm = 3000.0", **options: object) -> str:
    text = _static(**{"pinion": BACKLASH, **options})
    text = text.replace('kind = "static"', f'kind = "{kind}"').replace("positions_per_pitch = 8", analysis)
    return text.replace("pitches = 1\n", "").replace("[analysis]", f"{operation}\n[analysis]")


def _moving(analysis: str = "", operation: str = "pinion_speed_rpm = 3000.0", **options: object) -> str:
    return _of_kind("dynamic", MOTION + analysis, operation, **options)


_RELIEVED = {
    "pinion": "[pinion.flank]\n" + RELIEF.format(84.0),
    "wheel": "[wheel.flank]\n" + RELIEF.format(120.0),
}
_AT_REST = OVERHUNG + bearing("wheel")
_IN_MOTION = OVERHUNG + DAMPING + bearing("wheel", DAMPING)
_TABLES = (
    "pinion_speed_table_s_rpm = [[0.0, 2000.0], [4e-3, 3000.0], [1e-2, 2500.0]]\n"
    "pinion_torque_table_s_Nm = [[0.0, 100.0], [5e-3, 200.0], [1e-2, 50.0]]"
)

TEXTS = {
    "static_spur": _static(),
    "static_helical": _helical(_static()),
    "static_wheel_drives": _static(driver="wheel"),
    "static_back_flanks": _static(torque=-200.0),
    "static_relieved_tilted": _static(**_RELIEVED, tables=TILTED),
    "static_friction": _static(contact="slices = 6\n" + COULOMB),
    "static_undercut": _static((13, 97), torque=400.0),
    "static_segment": _static(gear="teeth_modelled = 5"),
    "static_points": _static(tables=POINTS),
    "static_bearings": _static(tables=_AT_REST),
    "static_weight": _weighed(_static(tables=_AT_REST)),
    "static_helical_bearings": _helical(_static(tables=_AT_REST)),
    "static_penalty": static_text(contact=PENALTY),
    "modal": _of_kind("modal", "", ""),
    "modal_modes_bearings_shafts": _of_kind("modal", "normal_modes = 8", "", tables=_AT_REST + SHAFTS),
    "motion": _moving(),
    "motion_helical_back_flanks": _helical(_moving(torque=-200.0)),
    "motion_friction": _moving(contact="slices = 6\n" + COULOMB),
    "motion_parting": _moving(torque=20.0, operation="pinion_speed_rpm = 9000.0"),
    "motion_both_flanks": _moving(
        torque=5.0, operation="pinion_speed_rpm = 9000.0", pinion="tooth_thickness_allowance_um = 1.0"
    ),
    "motion_shafts": _moving(tables=SHAFTS),
    "motion_tables": _moving(operation=_TABLES).replace("pinion_torque_Nm = 200.0\n", ""),
    "motion_bearings": _moving(tables=_IN_MOTION),
    "motion_unbalance": _weighed(
        _moving(tables=OVERHUNG + DAMPING + "unbalance_g_mm = 500.0\n" + bearing("wheel", DAMPING))
    ),
    "motion_bearings_shafts_friction": _moving(contact="slices = 6\n" + COULOMB, tables=_IN_MOTION + SHAFTS),
    "motion_modes": _moving(MODES),
    "motion_modes_shafts_friction": _moving(MODES, contact="slices = 6\n" + COULOMB, tables=SHAFTS),
    "motion_penalty": _moving(contact=PENALTY),
    "motion_penalty_friction": _moving(contact=PENALTY + COULOMB),
    "motion_points": _moving(tables=POINTS),
    "sweep": _of_kind("sweep", SWEEP, ""),
}

#: Cases whose summary is held, too: one of each kind of study.
SUMMED_UP = ("static_bearings", "motion_bearings_shafts_friction", "modal_modes_bearings_shafts", "sweep")


@cache
def case_of(name: str) -> ag.Case:
    """Return a case by name."""
    return ag.Case.from_bytes(TEXTS[name].encode())
