"""The tables that pages show in parts are those of a case: each fits the pair of the guide, or its example."""

import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from small_cases import PAIR

import alegear as ag
from alegear.case.rotational import ROTATIONAL

ROOT = Path(__file__).resolve().parent.parent
OPERATION = "[operation]\npinion_torque_Nm = 400.0\n"
STATIC = '[analysis]\nkind = "static"\n'
DYNAMIC = OPERATION + 'pinion_speed_rpm = 1500.0\n[analysis]\nkind = "dynamic"\nduration_s = 0.02\n'


def fragment(page: str, words: str) -> str:
    """The one block of a page that has these words."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    (found,) = [block for block in re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if words in block]
    return found


@pytest.fixture
def case_of(tmp_path):
    def read(text: str) -> ag.Case:
        (tmp_path / "case.toml").write_text(PAIR + text, encoding="utf-8")
        return ag.Case.from_toml(tmp_path / "case.toml")

    return read


def test_microgeometry_and_alignment(case_of):
    pair = case_of(OPERATION + STATIC + fragment("case_guide", "[pinion.flank]")).pair
    assert pair.pinion.microgeometry.end_relief == pytest.approx(10e-6)
    assert pair.alignment.axial_offset == pytest.approx(0.5e-3)


def test_a_motion(case_of):
    assert case_of(fragment("case_guide", "pinion_speed_rpm =")).analysis.duration == 0.02


def test_shafts_and_tables(case_of):
    analysis = '[analysis]\nkind = "dynamic"\nduration_s = 1.5\n'
    case = case_of(fragment("case_guide", "pinion_speed_table_s_rpm") + analysis)
    assert [shaft.stiffness for shaft in case.shafts] == [3000.0, 3000.0]
    assert len(case.operation.speed_table) == 2


def test_bearings(case_of):
    assert case_of(DYNAMIC + fragment("case_guide", "[supports.pinion]")).supports[0].added_mass == 1.5


def test_inertia_of_the_deformation(case_of):
    operation = DYNAMIC[: DYNAMIC.index("[analysis]")]
    assert case_of(operation + fragment("case_guide", 'inertia             = "full"')).analysis.normal_modes == 24


def test_modes(case_of):
    assert case_of(OPERATION + fragment("case_guide", 'kind         = "modal"')).analysis.normal_modes == 40


def test_a_sweep(case_of):
    analysis = case_of(OPERATION + fragment("case_guide", 'kind           = "sweep"')).analysis
    assert (analysis.reversal_time, analysis.duration) == (0.5, 1.0)


def test_points(case_of):
    points = case_of(OPERATION + STATIC + fragment("case_guide", "[[output.points]]")).output.points
    assert [point.name for point in points] == ["root", "wheel 1"]


def test_rolling_bearings_are_those_in_meshes():
    path = ROOT / "meshes" / "bearing_defect.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    given, expected = tomllib.loads(fragment("machines", "rollers            ="))["bearings"], ag.case_from_file(path)
    kept = ("damping_Ns_per_m", "clearance_um")
    told = {name: {key: tables["bearings"][name][key] for key in kept} | one for name, one in given.items()}
    tables["bearings"] |= told
    assert ag.MachineCase.from_tables(tables, path).sha256 == expected.sha256


def test_the_machine_is_the_one_in_meshes():
    path = ROOT / "meshes" / "two_stage_helical.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    del tables["bearings"]["input_ball"], tables["loads"]["machine"]  # what the page calls otherwise
    for heading, given in tomllib.loads(fragment("machines", "[meshes.first]")).items():
        tables[heading] |= given
    example, case = ag.MachineCase.from_toml(path), ag.MachineCase.from_tables(tables, path)
    assert case.layout.ratio == example.layout.ratio
    assert case.layout.torque["brake"] == pytest.approx(example.layout.torque["machine"], rel=1e-12)


@pytest.mark.parametrize(
    ("page", "words", "example"),
    [("torsional_parts", "[clutches.", "gear_shift"), ("bodies_in_space", "[spatial_gears.", "bevel_pair")],
)
def test_a_whole_case_is_the_one_in_meshes(page, words, example):
    path = ROOT / "meshes" / f"{example}.toml"
    case = ag.MachineCase.from_tables(tomllib.loads(fragment(page, words)), path)
    assert case.sha256 == ag.MachineCase.from_toml(path).sha256


def test_planetary_sets():
    (planetary,) = tomllib.loads(fragment("planetary_sets", "mesh_efficiency"))["planetary"].values()
    made = ROTATIONAL["planetary"](**planetary).part("st1", ROOT)
    assert made.teeth.branches[0].gears.i0 == Fraction(-61, 17)
    (geared,) = tomllib.loads(fragment("planetary_sets", "sun_gear"))["planetary"].values()
    assert ROTATIONAL["planetary"](**geared).part("stage", ROOT).meshes["ring"].pair.wheel.z == -99
