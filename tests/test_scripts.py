"""The examples run, and print and write what they promise."""

import json
import re
import runpy
import sys
from pathlib import Path

import pytest
from PIL import Image

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


@pytest.fixture
def run_script(monkeypatch, capsys, tmp_path):
    """Run a script in an empty folder and return what it printed."""

    def run(name, *arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        monkeypatch.syspath_prepend(str(SCRIPTS))  # as Python does for a script
        runpy.run_path(str(SCRIPTS / name), run_name="__main__")
        return capsys.readouterr().out

    return run


def test_static_study_shows_that_tip_relief_smooths(run_script):
    printed = run_script("static_study.py", "--quick")
    without, relieved = (float(x) for x in re.findall(r"peak to peak +([\d.]+) um", printed))
    assert 0.0 < relieved < without


def test_dynamic_run_writes_a_result_with_plots(run_script, tmp_path):
    printed = run_script("dynamic_run.py", "--quick", "--out", "result")
    names = {p.name for p in (tmp_path / "result").iterdir()}
    assert names == {
        "result.nc",
        "summary.json",
        "bearings.png",
        "energy.png",
        "speeds.png",
        "te.png",
        "tooth_load.png",
        "root_stress.png",
        "contact_pattern.png",
        "fillet.png",
        "wear.png",
        "about.json",
        "case_as_run.txt",  # the case is made in Python
    }
    factor = float(re.search(r"dynamic factor +([\d.]+)", printed)[1])
    assert 1.0 <= factor < 2.0  # below resonance, teeth in contact


@pytest.mark.thorough  # studies/test_mechanisms
@pytest.mark.slow
def test_mechanisms_in_space_move(run_script, tmp_path):
    printed = run_script("mechanisms_in_space.py", "--quick", "--out", "m")
    assert "mesh 1064.18 N (1064 N in the paper)" in printed
    assert "m12 115581 N" in printed
    assert "torques of the shafts 945.8 to 945.8 N m" in printed  # before the torque changes
    assert abs(float(re.search(r"missing ([-\d.e]+) J", printed)[1])) < 1e-4
    for name in ("bevel_pair.png", "bevel_pair.gif", "double_rack.gif", "thrown_wheel.gif"):
        assert min(Image.open(tmp_path / "m" / name).size) >= 500


def test_stress_picture_is_drawn(run_script, tmp_path):
    printed = run_script("stress_picture.py", "--quick", "--out", "pair.png")
    stresses = [float(x) for x in re.findall(r"([\d.]+) MPa in", printed)]
    assert len(stresses) == 4
    assert all(30.0 < s < 1000.0 for s in stresses)  # the size a 400 N m pair of module 4 mm has
    assert min(Image.open(tmp_path / "pair.png").size) >= 800


@pytest.mark.thorough  # test_study, test_variation
@pytest.mark.slow
def test_tip_relief_finds_a_quieter_pair_and_draws_the_map(run_script, tmp_path):
    printed = run_script("tip_relief.py", "--quick", "--out", "map.png")
    without = float(re.search(r"without relief ([\d.]+) um", printed)[1])
    smallest, relief = (float(x) for x in re.search(r"smallest ([\d.]+) um .* ([\d.]+) um", printed).groups())
    assert 0.0 < smallest < 0.5 * without
    assert 5.0 < relief < 50.0  # the size of the deflection of a 400 N m pair of module 4 mm
    assert min(Image.open(tmp_path / "map.png").size) >= 600


def test_loss_identification_returns_the_losses_it_was_shown(run_script, tmp_path):
    printed = run_script("loss_identification.py", "--noise", "1e-12", "--out", "here")
    rows = [line for line in printed.splitlines() if "+-" in line]
    shown = [[float(x) for x in re.findall(r"(-?[\d.]+) \+-", row)] for row in rows]
    # as the script states them, to the digits that are printed
    assert shown[0] == [0.93, 0.915, 0.6, 0.65]
    assert shown[4] == [0.97, 0.963, 1.3, 1.35]
    for name in ("loss_table.png", "overall_efficiency.png"):
        assert min(Image.open(tmp_path / "here" / name).size) >= 600


def test_loss_identification_says_what_two_loads_leave_open(run_script):
    printed = run_script("loss_identification.py", "--loads", "2")
    assert printed.count("warning: ") == 2
    assert "measure under three loads or more" in printed


def test_automatic_gearbox_drives_and_draws(run_script, tmp_path):
    printed = run_script("automatic_gearbox.py", "--duration", "8", "--out", "pictures")
    assert re.search(r"8 s of driving in [\d.]+ s", printed)
    assert re.search(r"shifts: 1-2 at [\d.]+ s\n", printed)
    assert float(re.search(r"energy missing: ([\d.e-]+)", printed)[1]) < 1e-8
    pictures = {p.name for p in (tmp_path / "pictures").iterdir()}
    assert pictures == {"speed.png", "gear.png", "loss_torque.png", "engine.png", "losses.png"}
    for name in pictures:
        assert min(Image.open(tmp_path / "pictures" / name).size) > 400


def test_chattering_costs_steps_that_sticking_does_not(run_script, tmp_path):
    printed = run_script("chattering.py", "--most", "5000")
    naive, ours = (int(found) for found in re.findall(r":\s+(\d+) steps", printed))
    assert naive == 5000
    assert ours < 200
    assert "stopped at t = 0.1" in printed
    assert float(re.search(r"largest speed while stuck: ([\d.e-]+)", printed)[1]) > 0.0
    assert min(Image.open(tmp_path / "chattering.png").size) > 800


def test_the_actuator_sticks_slips_and_hunts(run_script, tmp_path):
    printed = run_script("actuator.py", "--duration", "5.5", "--out", "here")
    slides = [int(x) for x in re.findall(r"slides (\d+) times", printed)]
    missing = [float(x) for x in re.findall(r"energy missing ([\d.e+-]+) J", printed)]
    assert slides[0] > 10
    assert slides[1] >= 5  # the last one back from beyond the goal
    assert max(missing) < 5e-6  # of some hundred joules that go through the spring
    for name in ("ramp.png", "position_loop.png"):
        assert min(Image.open(tmp_path / "here" / name).size) >= 800


def test_the_rig_measures_the_law_of_the_spring(run_script, tmp_path):
    printed = run_script("test_rig.py", "--loads", "10", "--out", "here")
    off = [float(x) for x in re.findall(r"to ([\d.e+-]+) N", printed)]
    assert len(off) == 2
    assert max(off) < 1e-4  # what the damper takes of the end of a change of load, of 400 N
    for name in ("stiffness.png", "losses.png"):
        assert min(Image.open(tmp_path / "here" / name).size) >= 500


def test_the_lossy_gear_sticks_at_half_efficiency_alone(run_script, tmp_path):
    printed = run_script("lossy_gear.py", "--out", "gear")
    half, better = ([float(t) for t in re.findall(r"0\.\d{4}", line)] for line in printed.splitlines())
    assert half == [0.0805, 0.1995, 0.3713, 0.4645]  # as Dymola finds them in LossyGearDemo1
    assert len(better) == 1
    assert min(Image.open(tmp_path / "gear" / "losses.png").size) >= 800
    assert min(Image.open(tmp_path / "gear" / "speed.png").size) >= 500


@pytest.mark.parametrize("n", [2, 3, 7, 16])
def test_a_chain_has_as_many_parts_as_asked(run_script, n, monkeypatch):
    assert f"{n} parts, 0.2 s: " in run_script("chain_of_parts.py", "--parts", str(n), "--duration", "0.2")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from chain_of_parts import parts_of

    assert len(parts_of(n)) == n


def test_the_cracked_tooth_is_heard_once_in_a_turn(run_script, tmp_path):
    printed = run_script("signals_gearbox.py", "--duration", "0.6", "--out", "here")
    order, cause = re.search(r"envelope, .* Hz: order ([\d.]+), (.*)\n", printed).groups()
    assert abs(float(order) - 1.0) < 0.02  # 15 turns
    assert cause.startswith("rotation of input")
    assert re.search(r"12\.\d+ +[\d.]+  mesh second\n", printed)
    for name in ("orders.png", "spectrum.png", "spectrogram.png", "order_map.png", "envelope.png"):
        assert min(Image.open(tmp_path / "here" / name).size) >= 600


@pytest.mark.thorough  # test_rolling_bearings
@pytest.mark.slow
def test_bearing_defect_is_heard_and_drawn(run_script, tmp_path):
    printed = run_script("bearing_defect.py", "--quick", "--out", "pictures")
    (error,) = (float(x) for x in re.findall(r"\(([+-][\d.]+) %\)", printed))
    assert abs(error) < 0.5
    assert {p.name for p in (tmp_path / "pictures").iterdir()} == {"impacts_outer_ring.png", "envelope_spectra.png"}


def test_tip_relief_takes_the_peak_of_pressure_off_the_entry(run_script, tmp_path):
    printed = run_script("tip_relief_pressure.py", "--quick", "--out", "pressure.png")
    plain, relieved = (float(x) for x in re.findall(r"pressure up to +([\d.]+) MPa", printed))
    factor = float(re.search(r"by a factor of ([\d.]+)", printed)[1])
    assert factor == pytest.approx(plain / relieved, rel=5e-3)
    assert factor > 2.0
    with Image.open(tmp_path / "pressure.png") as picture:
        assert picture.width > 800


@pytest.mark.thorough  # validation/wind_turbine, whose quick form runs
@pytest.mark.slow
def test_the_gearbox_of_a_wind_turbine_carries_its_load(run_script, tmp_path):
    """Ratios and loads by hand; 20 ms are too short for the controller to have moved anything."""
    run_script("wind_turbine_gearbox.py", "--quick", "--out", "wind")
    told = json.loads((tmp_path / "wind" / "result.json").read_text())
    for row in told["speeds"] + told["loads"]:
        assert row["mean"] == pytest.approx(row["by hand"], rel=5e-3), row["what"]
    assert 8 <= told["tooth pairs that touch at the end"] <= 16  # one or two a mesh
    shares = [told["load shares at the beginning"][f"set sun planet {i}"] for i in (1, 2, 3)]
    assert shares == pytest.approx([1.057, 0.931, 1.013], abs=5e-4)  # as validation/wind_turbine has them: last digit
    assert abs(told["energy missing over that of the motion"]) < 1e-6
    assert min(Image.open(tmp_path / "wind" / "pressures.png").size) >= 500


def test_planetary_modes_are_drawn(run_script, tmp_path, monkeypatch):
    monkeypatch.setattr("alegear.scene.planet_modes.INSTANTS", 3)
    printed = run_script("planetary_modes.py", "--planets", "3", "--mode", "8", "--gif", "--out", "modes")
    kinds = re.findall(r"Hz  ([a-z ]+)", printed)
    assert [kinds.count(one) for one in ("rotational", "translational")] == [5, 12]
    assert min(Image.open(tmp_path / "modes" / "mode_8.png").size) >= 800
    assert Image.open(tmp_path / "modes" / "mode_8.gif").n_frames == 3
