"""A part is declared once: its table, its checks and its messages follow from its fields."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear.case.faults import CaseFaults
from alegear.case.from_file import case_from_file
from alegear.case.machine_file import NAMED
from alegear.case.tables import table_of
from alegear.parameters import number_of, parameters_of

FIVE = """\
[machine]
[rotors.engine]
inertia_kg_m2 = -0.2
[rotors.car]
inertia_kg_m2 = 1.5
speed_rpm = "fast"
[clutches.main]
between = ["engine", "car"]
normal_force_N = 5000.0
friction_coefficient = 0.3
friction_rad_per_s = [[0.0, 0.3]]
[brakes.park]
at = "car"
normal_force_N = 100.0
signal_s = [[0.0, -1.0]]
[springs.shaft]
between = ["engine", "engine"]
stiffness_Nm_per_rad = 3.0
[analysis]
kind = "dynamic"
duration_s = 1.0
"""
APART = """\
[machine]
gravity_m_s2 = [0.0, -9.81, 0.0]
fidelity = "rigid"
[shafts]
a = { fixed_axis = true }
b = { fixed_axis = true, position_mm = [100.0, 0.0, 0.0] }
[gears]
p = { shaft = "a", at_mm = 0, teeth = 20, face_width_mm = 30, bore_diameter_mm = 30 }
w = { shaft = "b", at_mm = 0, teeth = 30, face_width_mm = 30, bore_diameter_mm = 50 }
[meshes.m]
gears = ["p", "w"]
normal_module_mm = 4.0
[drives.motor]
shaft = "a"
speed_table_s_rpm = [[0.0, 0.0], [1.0, 100.0]]
[loads.brake]
shaft = "b"
torque_table_s_Nm = [[0.0, 10.0], [1.0, 20.0]]
[analysis]
kind = "static"
mesh = "n"
"""
PARTS = [table.MAKES for table in NAMED.values() if hasattr(table, "MAKES")]


def test_a_file_with_five_faults_shows_five(tmp_path: Path) -> None:
    path = tmp_path / "five.toml"
    path.write_text(FIVE, encoding="utf-8")
    with pytest.raises(CaseFaults) as refused:
        case_from_file(path)
    assert sorted(fault.key for fault in refused.value.faults) == [
        "[springs.shaft]",
        "brakes.park.signal_s",
        "clutches.main.friction_coefficient",
        "rotors.car.speed_rpm",
        "rotors.engine.inertia_kg_m2",
    ]


def test_a_machine_whose_parts_do_not_go_together_is_told_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "apart.toml"
    path.write_text(APART, encoding="utf-8")
    with pytest.raises(CaseFaults) as refused:
        case_from_file(path)
    assert [fault.key for fault in refused.value.faults] == [
        "speed_table of drive motor",
        "torque_table of load brake",
        "gravity",
        "mesh of the analysis",
    ]
    assert {fault.file for fault in refused.value.faults} == {str(path)}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_files_and_python_refuse_a_number_with_the_same_limit(part: type) -> None:
    """Each number a little beyond its bounds, of all parts."""
    for parameter in parameters_of(part):
        limits = number_of(parameter)
        if limits is None or limits.most is None:
            continue
        beyond = limits.most + (1 if limits.whole else max(1.0, 0.01 * abs(limits.most)))
        with pytest.raises(ag.Fault) as refused:
            parameter.check(beyond if limits.whole else beyond * limits.factor, part.__name__)
        assert refused.value.limit == f"at most {limits.most:.12g}" or limits.below
        info = table_of(part).model_fields[limits.key]
        bounds = str(info.metadata) + str(info.annotation)
        assert any(f"{name}={limit!r}" in bounds for name, limit in limits.bounds.items()), limits.key


def test_units_and_defaults_of_keys() -> None:
    """Keys end with their units, values come in them, defaults are those of the dataclass."""
    table = table_of(ag.Rotor1D)
    assert list(table.model_fields) == ["inertia_kg_m2", "angle_deg", "speed_rpm"]
    rotor = table(inertia_kg_m2=1.0, angle_deg=180.0, speed_rpm=60.0).part("a", Path())
    np.testing.assert_allclose([rotor.angle, rotor.speed], [math.pi, 2.0 * math.pi], rtol=1e-15)
    gear = table_of(ag.SpatialGear)
    assert gear.model_fields["pressure_angle_deg"].default == 20.0


def test_a_machine_names_its_parts() -> None:
    m = ag.Machine()
    m.add("a", ag.Rotor1D(inertia=1.0))
    m.add("b", ag.Rotor1D(name="other", inertia=2.0))
    m.add("k", ag.Clutch(between=("a", "b"), normal_force=1.0))
    assert [part.name for part in m.case(ag.RotationalMotion(duration=1.0)).parts] == ["a", "b", "k"]
    for one in (object(), "fan", None):
        with pytest.raises(ag.Fault, match="a part, of a class that is derived from alegear"):
            m.add("c", one)
    with pytest.raises(ag.Fault, match="name of a Rotor1D"):
        ag.MachineCase(parts=(ag.Rotor1D(inertia=1.0),), analysis=ag.RotationalMotion(duration=1.0))
