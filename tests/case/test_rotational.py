"""Case files of torsional parts: what is taken, and each fault in one line, from ``check`` and from ``run``."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear import cli
from alegear.case.faults import CaseFaults
from alegear.case.from_file import case_from_file
from alegear.case.rotational import ROTATIONAL

TRAIN = """\
title = "Train"
[machine]
[rotors.motor]
inertia_kg_m2 = 0.1
speed_rpm = 95.4929658551372
[rotors.wheel]
inertia_kg_m2 = 0.4
speed_rpm = 47.7464829275686
[rotors.ring]
inertia_kg_m2 = 0.2
[rotors.fan]
inertia_kg_m2 = 0.3
[ratios.gear]
between = ["motor", "wheel"]
ratio = 2.0
losses = [[0.0, 0.9, 0.9, 0.1, 0.1], [10.0, 0.95, 0.95, 0.1, 0.1]]
[planetary_ratios.set]
sun = "wheel"
ring = "ring"
carrier = "fan"
ratio = 2.0
[clutches.clutch]
between = ["ring", "fan"]
normal_force_N = 100.0
signal_s = [[0.0, 0.0], [0.1, 1.0]]
[springs.spring]
between = ["ground", "fan"]
stiffness_Nm_per_rad = 100.0
[torques.drive]
at = "motor"
torque_table_s_Nm = [[0.0, 0.0], [0.1, 1.0]]
[speeds.lead]
at = "wheel"
speed_rpm = 47.7464829275686
[analysis]
kind = "dynamic"
duration_s = 0.2
"""
SPEED = "speed_rpm = 47.7464829275686\n[analysis]"

#: What is changed in the file, into what, and words of the only line that it is answered with.
FAULTS = {
    "stress fields": ("[analysis]", "[output]\nfields = true\n[analysis]", "output.fields = true: has no effect"),
    "checkpoints": (
        "[analysis]",
        "[output]\ncheckpoint_every_s = 9.0\n[analysis]",
        "output.checkpoint_every_s = 9.0: has no effect",
    ),
    "efficiency above 1": (
        "[0.0, 0.9,",
        "[0.0, 1.9,",
        "eta_mf1 in row 1",
        "= 1.9 must be greater than 0 and at most 1",
    ),
    "efficiency 0": ("[0.0, 0.9,", "[0.0, 0.0,", "eta_mf1 in row 1", "= 0.0 must be greater than 0 and at most 1"),
    "negative speed": ("[10.0, 0.95", "[-10.0, 0.95", "speed [rad/s] in row 2", "= -10.0 must be at least 0"),
    "the same speed": ("[10.0, 0.95", "[0.0, 0.95", "speed [rad/s] in row 2", "put the rows in order"),
    "a short row": ("0.95, 0.1, 0.1]", "0.95, 0.1]", "length of row 2", "= 4 must be 5: speed_rad_per_s, eta_mf1"),
    "ratio 0": ("ratio = 2.0\nlosses", "ratio = 0.0\nlosses", "ratios.gear.ratio = 0.0: must be not 0"),
    "planetary ratio": ('"fan"\nratio = 2.0', '"fan"\nratio = 0.5', "planetary_ratios.set.ratio = 0.5", "at least 1"),
    "negative inertia": ("= 0.4", "= -0.4", "rotors.wheel.inertia_kg_m2 = -0.4: must be at least 0"),
    "negative force": ("N = 100.0", "N = -100.0", "clutches.clutch.normal_force_N = -100.0: must be at least 0"),
    "negative signal": (
        "[0.1, 1.0]]\n[springs",
        "[0.1, -1.0]]\n[springs",
        "signal of clutch",
        "= -1.0 must be not neg",
    ),
    "no time": ("[0.1, 1.0]]\n[speeds", "[nan, 1.0]]\n[speeds", "torque_table_s_Nm[1][0] = nan: must be a finite"),
    "no torque": ("[0.1, 1.0]]\n[speeds", "[0.1, nan]]\n[speeds", "torque_table_s_Nm[1][1] = nan: must be a finite"),
    "decreasing time": ("[0.1, 1.0]]\n[speeds", "[-0.1, 1.0]]\n[speeds", "after 0 = -0.1 must be not earlier"),
    "unknown place": ('at = "motor"', 'at = "moter"', 'shaft of drive = "moter"', 'write "motor"'),
    "unknown places": ('["ring", "fan"]', '["rnig", "fan"]', 'shaft of clutch = "rnig"', 'write "ring"'),
    "one name twice": ("[springs.spring]", "[springs.gear]", 'name of a part = "gear"', "rename it"),
    "a body's name": ("[springs.spring]", "[springs.motor]", 'name of a part = "motor"', "rename it"),
    "with itself": ('["ring", "fan"]', '["fan", "fan"]', "shafts of clutch", "must be different ones"),
    "without inertia": (
        "[rotors.fan]",
        "[rotors.loose]\ninertia_kg_m2 = 0.0\n[rotors.fan]",
        "inertia of the rotation of loose = 0: must be positive; give it an inertia",
    ),
    "start speeds": (
        "= 95.4929658551372",
        "= 50.0",
        "(motor 5.23599, wheel 5 rad/s) leave gear",
        "= -4.76401: must be 0",
    ),
    "start speed of a drive": (
        SPEED,
        SPEED.replace("47.7464829275686", "20.0"),
        "speed of wheel at the start [rad/s] = 5: must be 2.0944, with which lead leads it",
    ),
    "two drives of a train": (
        "[analysis]",
        '[speeds.other]\nat = "motor"\nspeed_rpm = 95.4929658551372\n[analysis]',
        "joint gear = all bodies that it connects are prescribed",
        "leave it out, or one of other, lead",
    ),
    "two drives of a body": (
        "[analysis]",
        '[speeds.other]\nat = "wheel"\nspeed_rpm = 40.0\n[analysis]',
        'drives of the rotation of wheel = "lead" and "other": must be at most one',
    ),
    "two gears of the same shafts": (
        "[springs.spring]",
        '[ratios.second]\nbetween = ["motor", "wheel"]\nratio = 3.0\n[springs.spring]',
        "joint second = ",
    ),
    "a speed that jumps": (
        SPEED,
        "speed_table_s_rpm = [[0.1, 47.7464829275686], [0.1, 60.0]]\n[analysis]",
        "speed of lead at t = 0.1 s = 5 and 6.28319 must be without a jump",
    ),
    "two torques": (
        'at = "motor"\n',
        'at = "motor"\ntorque_Nm = 3.0\n',
        "torque_Nm and torque_table_s_Nm must be one of",
    ),
    "losses twice": (
        "losses = [",
        "mesh_efficiency = 0.9\nlosses = [",
        "losses and mesh_efficiency must be one of them; leave out mesh_efficiency",
    ),
    "a freewheel against its sense": (
        "[analysis]",
        '[freewheels.lock]\nbetween = ["wheel", "ground"]\n[analysis]',
        "relative speed of lock at the start [rad/s] = -5: must be at least 0",
    ),
    "a misspelt key": (
        "N = 100.0",
        "N = 100.0\nstatic_to_kinetic_ration = 1.2",
        "clutches.clutch.static_to_kinetic_ration = 1.2",
        "nearest key is static_to_kinetic_ratio",
    ),
    "a misspelt table": ("[clutches.clutch]", "[cluthces.clutch]", "cluthces", "the nearest key is clutches"),
    "a low peak": (
        "N = 100.0",
        "N = 100.0\nstatic_to_kinetic_ratio = 0.5",
        "clutches.clutch.static_to_kinetic_ratio = 0.5: must be at least 1",
    ),
    "no file of losses": (
        "losses = [[0.0, 0.9, 0.9, 0.1, 0.1], [10.0, 0.95, 0.95, 0.1, 0.1]]",
        'losses_csv = "none.csv"',
        "none.csv must be a readable file",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_one_line_of_check_and_of_run(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, *words = FAULTS[name]
    assert TRAIN.count(old) >= 1
    path = tmp_path / "train.toml"
    path.write_text(TRAIN.replace(old, new, 1), encoding="utf-8")
    for command in (["check", str(path)], ["run", str(path), "--out", str(tmp_path / "out")]):
        assert cli.main(command) == 2
        told = capsys.readouterr().err.strip().splitlines()
        assert len(told) == 1, told
        for word in words:
            assert word in told[0]
        assert any(words in told[0] for words in (" must be ", "no such key", "has no effect"))
        assert "; " in told[0]
    assert not (tmp_path / "out").exists()


def test_the_sound_file_is_taken_and_run(tmp_path: Path) -> None:
    path = tmp_path / "train.toml"
    path.write_text(f"{TRAIN}[output]\nplots = false\n", encoding="utf-8")
    assert cli.main(["check", str(path)]) == 0
    assert cli.main(["run", str(path), "--out", str(tmp_path / "out")]) == 0
    result = ag.load(tmp_path / "out")
    assert result.summary["complete"]
    np.testing.assert_allclose(result.dataset.speed.sel(body="motor"), 10.0, rtol=1e-12)


def test_a_file_and_python_say_the_same(tmp_path: Path) -> None:
    """Units once on the way in: rpm, degrees; the same samples to the last bit."""
    path = tmp_path / "train.toml"
    path.write_text(TRAIN, encoding="utf-8")
    of_file = ag.run(case_from_file(path)).dataset
    tables = tomllib.loads(TRAIN)
    machine = ag.Machine()
    for heading, table in ROTATIONAL.items():
        for name, keys in tables.get(heading, {}).items():
            machine.add(name, table(**keys).part(name, tmp_path))
    of_python = machine.run(duration=0.2).dataset
    for name in ("angle", "speed", "torque", "energy_missing"):
        assert (of_file[name].values == of_python[name].values).all(), name


def test_several_faults_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "train.toml"
    path.write_text(TRAIN.replace("= 0.4", "= -0.4").replace("N = 100.0", "N = -1.0"), encoding="utf-8")
    with pytest.raises(CaseFaults) as refused:
        case_from_file(path)
    assert len(str(refused.value).splitlines()) == 2


def test_a_machine_that_is_torsional_has_no_static_study(tmp_path: Path) -> None:
    path = tmp_path / "train.toml"
    path.write_text(TRAIN.replace('"dynamic"\nduration_s = 0.2', '"static"'), encoding="utf-8")
    with pytest.raises(CaseFaults, match='kind = "dynamic"'):
        case_from_file(path)
