"""Keys of a case by their dotted names: found with units, given other values, refused in the words of the file."""

from dataclasses import replace

import pytest
from small_cases import static_text
from small_rigid_machine import MACHINE

import alegear as ag
from alegear.case.case_keys import FileKeys, ObjectKeys, case_keys, parts_of, unit_of


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "case.toml"
    file.write_text(static_text())
    return file


def test_units_are_those_of_the_keys():
    assert unit_of("pinion.flank.tip_relief_um") == "um"
    assert unit_of("operation.pinion_torque_Nm") == "N m"
    assert unit_of("supports.pinion.stiffness_N_per_m") == "N/m"
    assert unit_of("pinion.teeth") == ""
    assert parts_of('gears."first one".teeth') == ("gears", "first one", "teeth")


def test_a_value_from_a_key_is_the_one_that_a_file_says(path, tmp_path):
    other = tmp_path / "other.toml"
    values = {"operation.pinion_torque_Nm": 150.0, "grid.width_elements": 3, "pinion.flank.helix_slope_um": 2.0}
    text = path.read_text().replace("pinion_torque_Nm = 200.0", "pinion_torque_Nm = 150.0")
    text = text.replace("width_elements = 2", "width_elements = 3") + "[pinion.flank]\nhelix_slope_um = 2.0\n"
    other.write_text(text)
    keys = case_keys(path)
    assert keys.with_values(values).sha256 == ag.Case.from_toml(other).sha256
    assert keys.case.sha256 == ag.Case.from_toml(path).sha256  # the tables themselves are as they were
    assert keys.description("pinion.flank.helix_slope_um").startswith(
        "helix slope, positive removes at +z, in micrometres"
    )


@pytest.mark.parametrize(
    ("key", "values", "message"),
    [
        ("pinion.flank.tip_relif_um", [1.0, 2.0], "no such key; the nearest key is tip_relief_um"),
        ("pinion.flank.tip_relief_mm", [1.0], "that is not the unit of this key; write tip_relief_um (unit um)"),
        ("pinion.flank.tip_relief", [1.0], "the unit is missing in the key; write tip_relief_um"),
        ("pinion.tip_relief_um", [1.0], "tip_relief_um belongs to [pinion.flank] or [wheel.flank]"),
        ("pinon.flank.tip_relief_um", [1.0], "the nearest key is pinion"),
        ("pinion.flank.tip_relief_um", [-1.0, 2.0], "tip_relief_um = -1.0: must be at least 0"),
        ("pinion.flank.tip_relief_um", [1.0, "two"], 'tip_relief_um = "two": must be a number'),
        ("pinion.teeth.number", [1], "no such key: teeth is a value and no table"),
        ("analysis.duration_s", [1.0], 'is a key of kind = "dynamic" only'),
        ("title", ["a", "b"], "must be one of a key that changes what is computed"),
        ("pinion torque", [1.0], "must be a dotted key of the case file"),
    ],
)
def test_what_is_no_key_is_refused_with_the_nearest(path, key, values, message):
    with pytest.raises(ag.Fault) as caught:
        case_keys(path).check(key, values)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_value_that_a_key_cannot_have_is_told(path):
    with pytest.raises(ag.CaseFaults) as caught:
        case_keys(path).check("pinion.flank.tip_relief_um", [-1.0, 3.0, "x"])
    assert len(caught.value.faults) == 2


def test_values_that_do_not_go_together_are_told_when_the_case_is_made(path):
    keys = case_keys(path)
    keys.check("pinion.flank.tip_relief_um", [5.0])  # by itself it is one
    with pytest.raises(ag.CaseFaults, match=r"tip_relief_start_diameter_mm .* the key is needed"):
        keys.with_values({"pinion.flank.tip_relief_um": 5.0})


def test_keys_of_machines(tmp_path):
    file = tmp_path / "machine.toml"
    file.write_text(MACHINE)
    keys = case_keys(file)
    keys.check("gears.p1.flank.tip_relief_um", [1.0])
    keys.check("loads.machine.torque_Nm", [-100.0])
    changed = keys.with_values({"loads.machine.torque_Nm": -100.0})
    assert isinstance(changed, ag.MachineCase)
    assert changed.loads[0].torque == pytest.approx(-100.0)
    with pytest.raises(ag.CaseFaults, match="the nearest name is p1"):
        keys.check("gears.p2.flank.tip_relief_um", [1.0])
    with pytest.raises(ag.CaseFaults, match="nearest key is tip_relief_um"):
        keys.check("gears.p1.flank.tip_releif_um", [1.0])


def test_a_case_as_its_file_says_has_all_keys_and_one_that_was_changed_those_of_its_objects(path):
    case = ag.Case.from_toml(path)
    assert isinstance(case_keys(case), FileKeys)
    changed = replace(case, operation=ag.Operation(pinion_torque=120.0))
    keys = case_keys(changed)
    assert isinstance(keys, ObjectKeys)
    values = {
        "pinion.flank.lead_crowning_um": 3.0,
        "pinion.flank.helix_slope_um": -2.0,
        "alignment.tilt_normal_deg": 0.01,
        "operation.pinion_torque_Nm": 90.0,
        "analysis.positions_per_pitch": 12,
    }
    for key, value in values.items():
        keys.check(key, [value])
    assert keys.with_values(values).sha256 == case_keys(path).with_values(values).sha256
    with pytest.raises(ag.Fault, match=r"of the path of a case file every key can be varied"):
        keys.check("grid.width_elements", [4])
    with pytest.raises(ag.Fault, match="at most 1e\\+12"):
        keys.check("operation.pinion_torque_Nm", [1e15])


def test_what_is_no_case_is_refused():
    with pytest.raises(ag.Fault, match="must be a Case, a MachineCase or the path"):
        case_keys(3)
