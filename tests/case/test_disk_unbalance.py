"""An unbalance of a disk is refused where it has no effect."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import alegear as ag
from alegear.errors import Fault

MACHINE = """
[machine]
[shafts.in]
sections_mm = [[100.0, 40.0, 0.0]]
[shafts.out]
fixed_axis = true
position_mm = [100.0, 0.0, 0.0]
[bearings.left]
shaft = "in"
at_mm = 0.0
stiffness_N_per_m = [1e9, 1e9, 1e9]
[bearings.right]
shaft = "in"
at_mm = 100.0
stiffness_N_per_m = [1e9, 1e9, 0.0]
[disks.rotor]
shaft = "in"
at_mm = 30.0
mass_kg = 2.0
inertia_kg_m2 = 1e-3
tilt_inertia_kg_m2 = 5e-4
unbalance_g_mm = 500.0
[gears.pinion]
shaft = "in"
teeth = 20
at_mm = 50.0
face_width_mm = 20.0
bore_diameter_mm = 40.0
[gears.wheel]
shaft = "out"
teeth = 30
at_mm = 50.0
face_width_mm = 20.0
bore_diameter_mm = 55.0
[meshes.m]
gears = ["pinion", "wheel"]
normal_module_mm = 4.0
fidelity = "elastic"
[drives.motor]
shaft = "in"
speed_rpm = 3000.0
[loads.brake]
shaft = "out"
torque_Nm = 300.0
[analysis]
kind = "dynamic"
duration_s = 2e-3
time_step_s = 1e-5
"""


def machine(*changes: tuple[str, str]) -> ag.MachineCase:
    text = MACHINE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return ag.MachineCase.from_tables(tomllib.loads(text), Path("machine.toml"))


def test_a_file_gives_it() -> None:
    (rotor,) = machine(("500.0", "500.0\nunbalance_angle_deg = 90.0")).parts
    assert (rotor.unbalance, rotor.unbalance_angle) == pytest.approx((5e-4, 1.5707963267948966))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            [('kind = "dynamic"\nduration_s = 2e-3\ntime_step_s = 1e-5', 'kind = "static"')],
            'unbalance_g_mm of rotor = given: must be left out in a static analysis; .*write kind = "dynamic"',
        ),
        ([("unbalance_g_mm = 500.0", "unbalance_angle_deg = 30.0")], "must be left out without an unbalance"),
        ([('[disks.rotor]\nshaft = "in"', '[disks.rotor]\nshaft = "out"')], "on shaft out, whose axis is held"),
        (
            [
                ('kind = "dynamic"\nduration_s = 2e-3\ntime_step_s = 1e-5', 'kind = "static"\ngrid_estimate = true'),
                ("unbalance_g_mm = 500.0\n", ""),
            ],
            "grid_estimate = True: must be false: no mesh is flexible",
        ),
    ],
)
def test_what_has_no_effect_is_refused(changes: list[tuple[str, str]], words: str) -> None:
    with pytest.raises(Fault, match=words):
        machine(*changes)
