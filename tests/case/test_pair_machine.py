"""A pair of gears gives as a machine what it gives as a pair."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

import alegear as ag
from alegear.case.pair_machine import MESH, machine_of
from alegear.errors import Fault, NotInThisVersion

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))
from cases import case_of
from curves import numbers, tight_newton
from families import mostly_thorough
from regenerate import CURVES, difference, kept

#: One system of equations, in other coordinates: seen are 1e-10 at rest, and in motion 1e-9 of the mesh stiffness.
AT_REST, IN_MOTION = 1e-9, 1e-8
NAMES = (
    "static_spur",
    "static_helical",
    "static_wheel_drives",
    "static_back_flanks",
    "static_relieved_tilted",
    "static_friction",
    "static_undercut",
    "static_points",
    "static_bearings",
    "static_weight",
    "static_helical_bearings",
    "static_penalty",
    "motion",
    "motion_helical_back_flanks",
    "motion_friction",
    "motion_modes",
    "motion_penalty",
    "motion_tables",
)
#: What the machine has as a whole, not its mesh.
OF_MACHINE = ("bearing_", "displacement", "tilt", "energy_")


@pytest.mark.parametrize("name", mostly_thorough(NAMES, always=lambda name: name in ("static_back_flanks", "motion")))
def test_pair_as_a_machine(name: str) -> None:
    with tight_newton():
        found = numbers(ag.run(machine_of(case_of(name))).meshes()[MESH].dataset.load())
    before = {key: values for key, values in kept(CURVES / f"{name}.npz").items() if not key.startswith(OF_MACHINE)}
    same = AT_REST if name.startswith("static") else IN_MOTION
    assert {key: difference(found[key], values) for key, values in before.items()} == pytest.approx(
        dict.fromkeys(before, 0.0), abs=same
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("static_segment", "pinion.teeth_modelled of a machine = 5"),
        ("motion_unbalance", "unbalance of the .* of a machine"),
    ],
)
def test_what_machines_do_not_have_is_refused(name: str, words: str) -> None:
    with pytest.raises(NotInThisVersion, match=words):
        machine_of(case_of(name))


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
