"""What a result says of its case: the text while it is still that of the case, values of one made in Python."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import small_cases

import alegear as ag
from alegear.case.text import file_text, values_text
from alegear.errors import Fault
from alegear.results.case_record import CaseRecord
from alegear.studies.run import record_of

MESHES = Path(__file__).parents[2] / "meshes"


def test_the_text_is_that_of_the_case_or_none(tmp_path):
    path = tmp_path / "case.toml"
    text = small_cases.static_text() + "# a comment that changes nothing: Zähne\n"
    path.write_text(text)
    case = ag.Case.from_toml(path)
    assert file_text(case) == text
    changed = replace(case, operation=replace(case.operation, pinion_torque=1.0))
    assert file_text(changed) is None  # in Python
    path.write_text(text.replace("pinion_torque_Nm = 200.0", "pinion_torque_Nm = 300.0"))
    assert file_text(case) is None  # since it was read
    path.write_text("no TOML [")
    assert file_text(case) is None
    path.unlink()
    assert file_text(case) is None


def test_values_tell_all_numbers_of_a_case(tmp_path):
    case = small_cases.case_of(small_cases.static_text(tables=small_cases.OVERHUNG))
    text = values_text(case)
    assert "operation.pinion_torque = 200.0" in text.splitlines()
    assert "pair.pinion.m_n = 0.004" in text.splitlines()
    assert "analysis.positions_per_pitch = 8" in text.splitlines()
    assert "supports[pinion].stiffness = [[300000000.0" in text


def test_a_record_survives_folders(tmp_path):
    result = small_cases.result_of(small_cases.static_text())
    record = result.record
    assert not record.is_file
    assert record.data["pinion"]["d_mm"] == 80.0
    again = ag.load(result.save(tmp_path / "out")).record
    assert (again.text, again.is_file, again.started, again.data) == (record.text, False, record.started, record.data)
    assert result.with_summary(result.summary).record is record


def test_results_without_a_record_are_read(tmp_path):
    record = CaseRecord.read(tmp_path)
    assert (record.text, record.started, dict(record.data)) == ("", "", {})
    (tmp_path / "about.json").write_text("[1, 2")
    with pytest.raises(Fault, match=r"about\.json: must be the list of a result as alegear wrote it"):
        CaseRecord.read(tmp_path)


def test_machines_have_records_too():
    case = ag.case_from_file(MESHES / "two_stage_helical.toml")
    record = record_of(case)
    assert record.is_file
    assert set(record.data) >= {"gears", "meshes", "shafts", "bearings"}
    assert np.isclose(record.data["meshes"]["first"]["a_w_mm"], 190.0)
    values = values_text(case)
    assert "gears[p1].gear.z = 27" in values.splitlines()
    assert "0.0045000000000000005" not in values


def test_a_record_says_what_its_parts_call_their_numbers(tmp_path):
    record_of(ag.case_from_file(MESHES / "gear_shift.toml")).write(tmp_path)
    quantities = CaseRecord.read(tmp_path).quantities
    assert quantities["normal_force_N"] == "largest normal force"
    assert quantities["quadratic_Nms2_per_rad2"] == "torque over speed squared"


def test_whatever_a_part_of_the_user_holds_can_be_written(tmp_path):
    data = {"seal": {"mu": np.float64(0.1), "worst": np.inf, "of": object, "list": (1, np.nan)}}
    CaseRecord(text="x", data=data).write(tmp_path)
    found = CaseRecord.read(tmp_path).data["seal"]
    assert (found["mu"], found["worst"], found["list"]) == (0.1, None, [1, None])
    assert "object" in found["of"]
