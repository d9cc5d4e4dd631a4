"""What is said of a file that is no TOML: the line, what must be there, and what to write."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest

from alegear.case.faults import CaseFaults
from alegear.case.from_file import case_from_file
from alegear.case.remedies import toml_fault
from alegear.case.study_file import read_study
from alegear.errors import Fault

SPUR = (Path(__file__).parents[2] / "meshes" / "spur_20_30.toml").read_text()
TORQUE = "pinion_torque_Nm = 400.0"


def told(tmp_path: Path, text: str, read=case_from_file) -> str:
    file = tmp_path / "case.toml"
    file.write_text(text)
    with pytest.raises(Fault) as caught:
        read(file)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "limit", "remedy"),
    [
        ("pinion_torque_Nm = 15,0", "a decimal point", "write 15.0"),
        ("pinion_torque_Nm = 15,0 # N m", "a decimal point", "write 15.0"),
        ("pinion_torque_Nm = 15.0 Nm", "the unit is in the key", "leave out Nm"),
        ("pinion_torque_Nm = high", "a text in quotes", 'write "high"'),
        ('pinion_torque_Nm = "high', "a text in quotes", "close the quote"),
        ("pinion_torque_Nm 15.0", "key = value", "put = between"),
        ("pinion_torque_Nm =", "have a value", "give it behind the ="),
        (f"{TORQUE}\n{TORQUE}", "the only value of this key", "leave one pinion_torque_Nm"),
        (f"{TORQUE}\n[pinion]", "the only table of this name", "put all keys below one [pinion]"),
        (f"{TORQUE}\n[supports", "a table in brackets", "close the bracket"),
    ],
)
def test_the_line_is_named_with_what_to_write(tmp_path, line, limit, remedy):
    message = told(tmp_path, SPUR.replace(TORQUE, line))
    at = SPUR[: SPUR.index(TORQUE)].count("\n") + 1 + line.count("\n")
    assert f"line {at} ({line.splitlines()[-1]})" in message
    assert limit in message
    assert message.endswith(remedy) or remedy in message.rpartition(";")[2]


@pytest.mark.parametrize("text", ["", "x", "=", "[", "a = [1,", "a = '''", "a.b = 1\na = 2", "\x00", "é = 1", "1e9999"])
def test_whatever_the_reader_says_is_explained(text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the reader names no other
        tomllib.loads(f"{text}\n=")
    assert all(toml_fault(f"{text}\n=", str(caught.value)))


def test_whole_numbers_with_a_point_are_told_how_to_be_written(tmp_path):
    message = told(tmp_path, SPUR.replace("teeth            = 20", "teeth = 20.0"))
    assert message.endswith("pinion.teeth = 20.0: must be a whole number, without a decimal point; write 20")


def test_what_is_given_on_the_wheel_elsewhere_is_led_to_the_pinion(tmp_path):
    message = told(tmp_path, SPUR.replace(TORQUE, "wheel_torque_Nm = 600.0"))
    assert "give pinion_torque_Nm, that of the wheel times teeth of the pinion over teeth of the wheel" in message


def test_a_case_is_no_study_and_a_study_no_case(tmp_path):
    assert told(tmp_path, SPUR, read_study).endswith("run it by: alegear run case.toml")
    assert told(tmp_path, 'case = "a.toml"\n[axes]\n').endswith("run it by: alegear vary case.toml")


def test_a_file_that_is_no_text_is_told_in_one_line(tmp_path):
    (tmp_path / "result.nc").write_bytes(b"\x89HDF")
    with pytest.raises(Fault, match=r"no text in UTF-8 \(byte 0\).*or give a case file"):
        case_from_file(tmp_path / "result.nc")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('title = "', 'title = "' + "a" * 900_000, r"title of 9\d{5} letters: must be a text of at most 4096 letters"),
        ("teeth            = 20", "teeth = " + "9" * 4400, r"line \d+ \(teeth = 9+\.\.\.\): .* at most 4300 digits"),
        ('title = "', "a." * 100_000 + 'a = 1\ntitle = "', r"must have keys of at most 50 parts"),
        ("[pair]", "".join(f"[t{i}]\n" for i in range(60_000)) + "[pair]", "more than 100 faults"),
        ("[wheel]", "".join(f"k{i} = 1\n" for i in range(60_000)) + "[wheel]", "more than 100 faults"),
    ],
)
def test_files_without_end_are_refused_in_seconds(tmp_path, old, new, words):
    """Texts, digits, keys and faults: they took minutes."""
    assert old in SPUR
    begun = time.process_time()
    path = tmp_path / "case.toml"
    path.write_text(SPUR.replace(old, new, 1))
    with pytest.raises(CaseFaults, match=words) as caught:
        case_from_file(path)
    assert time.process_time() - begun < 5.0
    assert len(str(caught.value)) < 50_000
