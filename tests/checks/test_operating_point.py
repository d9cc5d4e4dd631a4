"""Torque and speed of a case in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import alegear as ag
from alegear.checks.operating_point import mesh_operating_points, operating_point

MESHES = Path(__file__).parents[2] / "meshes"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("spur_20_30", "400 N m on the pinion"),
        ("spur_20_30_dynamic", "400 N m and 1500 rpm on the pinion"),
        ("two_stage_helical", "motor 400 N m and 1500 rpm"),
        ("idler_3_gears", "motor 1500 rpm, machine 500 N m"),
        ("clutch_gearbox", "motor 100 rpm, machine 0 to 60 N m"),
        ("gear_shift", ""),
        ("bevel_pair", ""),
    ],
)
def test_what_cases_say_of_torque_and_speed(name: str, told: str) -> None:
    assert operating_point(ag.case_from_file(MESHES / f"{name}.toml")) == told


def test_tables_tell_their_range() -> None:
    case = ag.Case.from_toml(MESHES / "spur_20_30_dynamic.toml")
    table = ((0.0, 100.0), (0.02, 200.0))
    speeds = replace(case.operation, speed_table=table, pinion_speed=None)
    assert operating_point(replace(case, operation=speeds)) == "400 N m and 954.93 to 1909.86 rpm on the pinion"


def test_large_torques_have_four_digits_and_a_larger_unit() -> None:
    case = ag.case_from_file(MESHES / "idler_3_gears.toml")
    (load,) = case.loads
    for torque, told in ((-389089.0, "-389.1 kN m"), (2.5e7, "25 MN m"), (9999.4, "9999 N m")):
        assert operating_point(replace(case, loads=(replace(load, torque=torque),))).endswith(f"machine {told}")


@pytest.mark.parametrize(
    ("ramp", "told"),
    [(0.02, "0 to 400 N m and 0 to 1500 rpm on the pinion"), (0.005, "400 N m and 1500 rpm on the pinion")],
)
def test_a_run_up_is_told_from_rest_on(ramp: float, told: str) -> None:
    """Both rise with the ramp; after a short one most of the motion is at the full values."""
    case = ag.Case.from_toml(MESHES / "spur_20_30_dynamic.toml")  # 0.02 s
    assert operating_point(replace(case, analysis=replace(case.analysis, ramp=ramp))) == told


def test_many_drives_and_loads_are_cut_short() -> None:
    case = ag.case_from_file(MESHES / "idler_3_gears.toml")
    (load,) = case.loads
    loads = tuple(replace(load, name=f"load {k}") for k in range(4))
    assert operating_point(replace(case, loads=loads)).endswith("load 0 500 N m, load 1 500 N m, ...")


def test_meshes_of_machines_tell_what_is_on_their_first_gears() -> None:
    """20/30/25 teeth by hand: 500 N m on the last gear are 600 on the idler and 400 on the pinion."""
    case = ag.case_from_file(MESHES / "idler_3_gears.toml")
    (load,), (drive,) = case.loads, case.drives
    told = mesh_operating_points(case)
    assert told == {"first": "400 N m and 1500 rpm on pinion", "second": "600 N m and 1000 rpm on idler_gear"}
    loads = (replace(load, torque=None, torque_table=((0.0, 0.0), (0.01, load.torque))),)
    drives = (replace(drive, speed=None, speed_table=((0.0, 0.5 * drive.speed), (0.01, drive.speed))),)
    moved = replace(case, loads=loads, drives=drives, analysis=ag.DynamicAnalysis(duration=0.01))
    assert mesh_operating_points(moved)["second"] == "up to 600 N m and 500 to 1000 rpm on idler_gear"
    assert mesh_operating_points(ag.case_from_file(MESHES / "spur_20_30.toml")) == {}
