"""Law of contact and driver of a mesh, in the file of a machine and in the pair that it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import alegear as ag
from alegear.errors import Fault

MACHINE = """
[machine]
[shafts.in]
fixed_axis = true
[shafts.out]
fixed_axis = true
position_mm = [100.0, 0.0, 0.0]
[gears.pinion]
shaft = "in"
teeth = 20
at_mm = 0.0
face_width_mm = 20.0
bore_diameter_mm = 40.0
[gears.wheel]
shaft = "out"
teeth = 30
at_mm = 0.0
face_width_mm = 20.0
bore_diameter_mm = 55.0
[meshes.m]
gears = ["pinion", "wheel"]
normal_module_mm = 4.0
driver = "wheel"
law = "penalty"
[meshes.m.penalty]
exponent = 1.5
[drives.motor]
shaft = "in"
[loads.brake]
shaft = "out"
torque_Nm = 300.0
[analysis]
kind = "static"
"""


BEARINGS = """
[bearings.one]
shaft = "out"
at_mm = 0.0
stiffness_N_per_m = [1e9, 1e9, 1e9]
[bearings.other]
shaft = "out"
at_mm = 60.0
stiffness_N_per_m = [1e9, 1e9, 1e9]
[meshes.m]
"""


def machine(*changes: tuple[str, str]) -> ag.MachineCase:
    text = MACHINE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return ag.MachineCase.from_tables(tomllib.loads(text), Path("machine.toml"))


def test_a_file_says_law_and_driver_of_a_mesh() -> None:
    case = machine()
    (place,) = case.layout.meshes
    assert (place.driver, place.source, place.flank) == ("wheel", 0, "a")
    of_pair = case.pair_case(place)
    assert (of_pair.law, of_pair.penalty.exponent) == ("penalty", 1.5)
    assert (of_pair.operation.driver, of_pair.operation.pinion_torque) == ("wheel", pytest.approx(-200.0))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([('law = "penalty"\n', "")], 'penalty.exponent = 1.5: has no effect with law = "hertz"; .*law = "penalty"'),
        ([('driver = "wheel"', 'driver = "out"')], "driver of mesh m = 'out' must be"),
        ([('law = "penalty"', 'law = "penalty"\nslices = 4')], 'slices = 4: has no effect with law = "penalty"'),
        (
            [
                ("[shafts.out]\nfixed_axis = true", "[shafts.out]\nsections_mm = [[60.0, 40.0, 0.0]]"),
                ("[meshes.m]", BEARINGS),
            ],
            'gears of mesh m with law = "penalty" = wheel: must be on shafts with fixed_axis = true; '
            'write law = "hertz"',
        ),
        (
            [('law = "penalty"', 'fidelity = "rigid"'), ("[meshes.m.penalty]\nexponent = 1.5\n", "")],
            'driver of mesh m = "wheel" must be left out: with fidelity = "rigid"',
        ),
    ],
)
def test_what_a_law_of_contact_does_not_serve_is_refused(changes: list[tuple[str, str]], words: str) -> None:
    with pytest.raises(Fault, match=words):
        machine(*changes)
