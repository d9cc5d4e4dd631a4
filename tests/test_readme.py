"""The cases printed in README are cases, and the commands are there."""

import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import alegear as ag
from alegear.case.rotational import ROTATIONAL
from alegear.case.spatial import SPATIAL
from alegear.case.spatial_motion import KinematicsTable, SpatialMotionTable
from alegear.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLES = re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)
(
    CASE,
    DYNAMIC_TABLES,
    SHAFT_TABLES,
    POINT_TABLES,
    BEARING_TABLES,
    INERTIA_TABLE,
    MODAL_TABLES,
    SWEEP_TABLE,
    FLANK_TABLES,
    MACHINE_TABLES,
    ROLLING_TABLES,
    ROTATIONAL_CASE,
    PLANETARY_TABLE,
    PLANETARY_ON_TEETH,
    SPATIAL_CASE,
) = TABLES


def test_the_case_in_the_readme_is_the_one_in_meshes(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE, encoding="utf-8")
    case, example = ag.Case.from_toml(path), ag.Case.from_toml(ROOT / "meshes" / "spur_20_30.toml")
    assert case.pair.a_w == pytest.approx(example.pair.a_w, rel=1e-12)
    assert case.operation.pinion_torque == example.operation.pinion_torque
    assert case.analysis.positions_per_pitch == example.analysis.positions_per_pitch


def test_its_dynamic_tables_fit_the_same_pair(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE[: CASE.index("[operation]")] + DYNAMIC_TABLES, encoding="utf-8")
    assert ag.Case.from_toml(path).analysis.duration == 0.02


def test_its_shafts_and_speeds_fit_the_same_pair(tmp_path):
    path = tmp_path / "case.toml"
    analysis = '[analysis]\nkind = "dynamic"\nduration_s = 1.5\n'
    path.write_text(CASE[: CASE.index("[operation]")] + SHAFT_TABLES + analysis, encoding="utf-8")
    case = ag.Case.from_toml(path)
    assert [shaft.stiffness for shaft in case.shafts] == [3000.0, 3000.0]
    assert len(case.operation.speed_table) == 2


def test_its_bearings_fit_the_same_pair(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE[: CASE.index("[operation]")] + DYNAMIC_TABLES + BEARING_TABLES, encoding="utf-8")
    assert ag.Case.from_toml(path).supports[0].added_mass == 1.5


def test_its_inertia_fits_the_same_pair(tmp_path):
    path = tmp_path / "case.toml"
    tables = DYNAMIC_TABLES.replace("[analysis]\n", INERTIA_TABLE)
    path.write_text(CASE[: CASE.index("[operation]")] + tables, encoding="utf-8")
    assert ag.Case.from_toml(path).analysis.normal_modes == 24


def test_its_modal_tables_fit_the_same_pair(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE[: CASE.index("[analysis]")] + MODAL_TABLES, encoding="utf-8")
    assert ag.Case.from_toml(path).analysis.normal_modes == 40


def test_its_rolling_bearings_are_those_in_meshes():
    path = ROOT / "meshes" / "bearing_defect.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    given, expected = tomllib.loads(ROLLING_TABLES)["bearings"], ag.case_from_file(path)
    damping = {name: {"damping_Ns_per_m": tables["bearings"][name]["damping_Ns_per_m"]} for name in given}
    clearance = {name: {"clearance_um": tables["bearings"][name]["clearance_um"]} for name in given}
    tables["bearings"] |= {name: damping[name] | clearance[name] | one for name, one in given.items()}
    assert ag.MachineCase.from_tables(tables, path).sha256 == expected.sha256


def test_its_machine_is_the_one_in_meshes():
    path = ROOT / "meshes" / "two_stage_helical.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    del tables["bearings"]["input_ball"], tables["loads"]["machine"]  # what the example calls otherwise
    for heading, given in tomllib.loads(MACHINE_TABLES).items():
        tables[heading] |= given
    example, case = ag.MachineCase.from_toml(path), ag.MachineCase.from_tables(tables, path)
    assert case.layout.ratio == example.layout.ratio
    assert case.layout.torque["brake"] == pytest.approx(example.layout.torque["machine"], rel=1e-12)


def test_its_machine_of_parts_that_only_turn_is_the_one_in_meshes():
    path = ROOT / "meshes" / "gear_shift.toml"
    case = ag.MachineCase.from_tables(tomllib.loads(ROTATIONAL_CASE), path)
    assert case.sha256 == ag.MachineCase.from_toml(path).sha256


def test_it_has_all_keys_of_parts_that_only_turn():
    for heading, table in ROTATIONAL.items():
        row = re.search(rf"^\| `\[{heading}\.NAME\]` \|(.*)$", README, flags=re.MULTILINE)
        assert row is not None, heading
        told = row.group(1)
        if heading in ("ratios", "planetary_ratios"):
            told += re.search(r"^\| losses of both \|(.*)$", README, flags=re.MULTILINE).group(1)
        if heading == "brakes":
            told += re.search(r"^\| `\[clutches\.NAME\]` \|(.*)$", README, flags=re.MULTILINE).group(1)
        for key in table.model_fields:
            assert f"`{key}`" in told, f"{heading}: {key}"


def test_its_machine_in_space_is_the_one_in_meshes():
    path = ROOT / "meshes" / "bevel_pair.toml"
    case = ag.MachineCase.from_tables(tomllib.loads(SPATIAL_CASE), path)
    assert case.sha256 == ag.MachineCase.from_toml(path).sha256


def test_it_has_all_keys_of_parts_in_space():
    tables = {f"[{heading}.NAME]": table for heading, table in SPATIAL.items()}
    section = README[README.index("## A machine of bodies in space") :]
    for heading, table in tables.items():
        row = re.search(rf"^\| `{re.escape(heading)}` \|(.*)$", section, flags=re.MULTILINE)
        assert row is not None, heading
        for key in table.model_fields:
            assert f"`{key}`" in row.group(1), f"{heading}: {key}"
    told = re.search(r"^\| `\[analysis\]` \|(.*)$", section, flags=re.MULTILINE).group(1)
    for key in {**SpatialMotionTable.model_fields, **KinematicsTable.model_fields}:
        assert f"`{key}`" in told or f"`{key} =" in told, key


def test_its_planetary_set_is_one():
    (planetary,) = tomllib.loads(PLANETARY_TABLE)["planetary"].values()
    made = ROTATIONAL["planetary"](**planetary).part("st1", ROOT)
    assert made.teeth.branches[0].gears.i0 == Fraction(-61, 17)
    for key in ROTATIONAL["planetary"].model_fields["sun_mesh"].annotation.__args__[0].model_fields:
        assert f"`{key}`" in README, key
    (geared,) = tomllib.loads(PLANETARY_ON_TEETH)["planetary"].values()
    assert ROTATIONAL["planetary"](**geared).part("stage", ROOT).meshes["ring"].pair.wheel.z == -99


def test_its_motor_on_a_brake_runs(tmp_path, monkeypatch):
    (program,) = [
        text for text in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL) if "motor on a brake" in text
    ]
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(program, names)
    assert names["result"].complete
    assert (tmp_path / "power_at_1_s.png").exists()


def test_its_sweep_fits_the_same_pair(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE[: CASE.index("[analysis]")] + SWEEP_TABLE, encoding="utf-8")
    analysis = ag.Case.from_toml(path).analysis
    assert (analysis.turn, analysis.duration) == (0.5, 1.0)


def test_its_points_lie_on_the_same_pair(tmp_path):
    path = tmp_path / "case.toml"
    path.write_text(CASE + POINT_TABLES, encoding="utf-8")
    points = ag.Case.from_toml(path).output.points
    assert [point.name for point in points] == ["root", "wheel 1"]


def test_its_microgeometry_and_alignment_fit_the_same_pair(tmp_path):
    topography = [f"{roll},{z},0.5" for roll in (5.0, 15.0, 24.0) for z in (-15.0, 0.0, 15.0)]
    (tmp_path / "flank.csv").write_text("roll_length_mm,face_position_mm,deviation_um\n" + "\n".join(topography))
    (tmp_path / "pitch.csv").write_text("tooth,deviation_um\n" + "\n".join(f"{tooth},1.0" for tooth in range(20)))
    path = tmp_path / "case.toml"
    path.write_text(CASE + FLANK_TABLES, encoding="utf-8")
    pair = ag.Case.from_toml(path).pair
    assert pair.pinion.microgeometry.end_relief == pytest.approx(10e-6)
    assert pair.pinion.pitch_deviation == pytest.approx(1e-6)
    assert pair.alignment.axial_offset == pytest.approx(0.5e-3)


def test_every_command_in_the_readme_exists(capsys):
    for command in re.findall(r"^\| `alegear (\w+)", README, flags=re.MULTILINE):
        assert main([command, "--help"]) == 0
        assert command in capsys.readouterr().out
