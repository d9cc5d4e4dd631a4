"""Derived data of machines: what `alegear check` prints."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from planetary_case import SET
from small_rigid_machine import MACHINE

import alegear as ag
from alegear.case.machine import MachineCase
from alegear.checks.machine_data import check_meshes, machine_data, machine_warnings
from alegear.checks.planetary_data import phasing
from alegear.fe.material import Material

MESHES = Path(__file__).parents[2] / "meshes"
HINGED = """
[machine]
fidelity = "{fidelity}"
[shafts.a]
fixed_axis = true
position_mm = [0, 0, 0]
direction = [0, 0, 1]
[shafts.b]
fixed_axis = true
position_mm = [100, 0, 0]
direction = [0, 0, 1]
[gears.p]
shaft = "a"
at_mm = 0
teeth = 20
profile_shift = 0.2
face_width_mm = 30.0
bore_diameter_mm = 35.8
[gears.p.flank]
tip_relief_um = 500.0
tip_relief_start_diameter_mm = 89.5
[gears.w]
shaft = "b"
at_mm = 0
teeth = 30
profile_shift = -0.2
face_width_mm = 30.0
bore_diameter_mm = 54.2
[meshes.m]
gears = ["p", "w"]
normal_module_mm = 4.0
[drives.d]
shaft = "a"
torque_Nm = 40000.0
speed_rpm = 100.0
[loads.l]
shaft = "b"
balances_drive = true
[analysis]
kind = "static"
"""


@pytest.fixture(scope="module")
def two_stage() -> dict:
    return machine_data(MachineCase.from_toml(MESHES / "two_stage_helical.toml"))


def test_planetary_sets_are_told_by_set_gear_and_mesh():
    """By hand: pins where sun and planet roll on each other, contact ratio of standard teeth 21/39 with ring 99."""
    data = machine_data(MachineCase.from_toml(MESHES / "wind_turbine.toml"))
    (one,) = data["planetary_sets"].values()
    assert (one["planets"], one["m_n_mm"], one["pin_radius_mm"]) == (3, 10.0, [pytest.approx(300.0)])
    assert one["stationary_ratio"] == pytest.approx(-99.0 / 21.0)
    gears = data["planetary_gears"]
    assert {name: gear["teeth"] for name, gear in gears.items()} == {"set sun": 21, "set planet": 39, "set ring": 99}
    assert [gear["shaft"] for gear in gears.values()] == ["sun", None, "ground"]
    assert gears["set sun"]["d_mm"] == pytest.approx(210.0)
    assert data["deviations"]["set ring"]["tip_relief_um"] == pytest.approx(60.0)
    meshes = data["planetary_meshes"]
    assert [
        (meshes[f"set {name}"]["phasing"], meshes[f"set {name}"]["phases_pitches"]) for name in ("sun", "ring")
    ] == [("in phase", [0.0, 0.0, 0.0])] * 2  # 21 and 99 teeth on three planets
    assert meshes["set ring"]["d_w_mm"] == pytest.approx([390.0, -990.0])
    r_b, r_a = np.array([10.5, 19.5]) * 10.0 * np.cos(np.radians(20.0)), np.array([115.0, 205.0])
    path = np.sqrt(r_a**2 - r_b**2).sum() - 300.0 * np.sin(np.radians(20.0))
    assert meshes["set sun"]["eps_alpha"] == pytest.approx(path / (10.0 * np.pi * np.cos(np.radians(20.0))))


@pytest.mark.parametrize(
    ("z", "n", "expected"),
    [
        (24, 3, "in phase"),
        (22, 4, "counter-phase"),  # 22/4 = 5.5
        (25, 3, "sequential"),
        (23, 4, "sequential"),
        (20, 5, "in phase"),
    ],
)
def test_phases_of_equally_spaced_planets_are_called_as_by_kahraman(z: int, n: int, expected: str) -> None:
    lags = [Fraction(z * number, n) % 1 for number in range(n)]
    assert phasing(lags) == expected
    assert phasing([*lags[:-1], lags[-1] + Fraction(1, 7)]) == "uneven"


def test_planetary_sets_without_whole_gears_have_what_teeth_and_module_say():
    data = machine_data(MachineCase.from_toml(MESHES / "planetary_nrel_5mw.toml"))
    assert data["planetary_gears"]["st1 ring"] == {"shaft": "ground", "teeth": 56, "d_a_mm": pytest.approx(-2475.118)}
    assert data["planetary_meshes"]["st1 sun"]["d_w_mm"] == pytest.approx([2.0 * 863.0 * z / 36.0 for z in (19, 17)])
    assert "planetary_sets" not in machine_data(MachineCase.from_toml(MESHES / "two_stage_helical.toml"))


def test_speeds_and_torques_follow_from_the_numbers_of_teeth(two_stage: dict) -> None:
    ratio = 51.0 / 27.0 * 34.0 / 23.0
    # quotients of whole numbers: round-off
    assert two_stage["shafts"]["output"]["speed_rpm"] == pytest.approx(1500.0 / ratio, rel=1e-12)
    assert two_stage["shafts"]["middle"]["speed_rpm"] == pytest.approx(-1500.0 * 27.0 / 51.0, rel=1e-12)
    assert two_stage["loads"]["machine"]["torque_Nm"] == pytest.approx(400.0 * ratio, rel=1e-12)
    assert two_stage["meshes"]["second"]["torque_Nm"] == pytest.approx([400.0 * 51 / 27, 400.0 * ratio], rel=1e-12)
    assert two_stage["meshes"]["first"]["mesh_frequency_Hz"] == pytest.approx(1500.0 / 60.0 * 27.0, rel=1e-12)
    assert two_stage["drives"]["motor"]["power_W"] == pytest.approx(two_stage["loads"]["machine"]["power_W"], rel=1e-12)


def test_shafts_have_the_mass_of_their_cylinders(two_stage: dict) -> None:
    outer, inner, length = 70.0, 58.0, 31.0  # the hollow section of the output shaft, in mm
    rest = 70.0**2 * 82.0 + 80.0**2 * 10.0 + 60.0**2 * 100.0
    volume = 3.141592653589793 / 4.0 * ((outer**2 - inner**2) * length + rest) * 1e-9
    assert two_stage["shafts"]["output"]["mass_kg"] == pytest.approx(Material().rho * volume, rel=1e-12)
    assert two_stage["shafts"]["output"]["length_mm"] == pytest.approx(223.0, rel=1e-12)


def test_the_pinion_of_a_mesh_is_its_first_gear(two_stage: dict) -> None:
    second = two_stage["meshes"]["second"]
    assert second["gears"] == ["p2", "w2"]
    assert second["driver"] == "p2"
    # centre distance shared in the ratio of the teeth
    assert second["d_w_mm"] == pytest.approx([2 * 190.0 * 23 / 57, 2 * 190.0 * 34 / 57], rel=1e-9)
    assert two_stage["bearings"]["pilot"]["to"] == "output"
    assert two_stage["bearings"]["pilot"]["stiffness_N_per_m"] == [4e8, 4e8, 0.0]


def test_phases_of_an_idler_differ_by_what_its_teeth_leave() -> None:
    meshes = machine_data(MachineCase.from_toml(MESHES / "idler_3_gears.toml"))["meshes"]
    assert all(-0.5 <= meshes[name]["phase_pitches"] <= 0.5 for name in ("first", "second"))


def test_flexible_meshes_are_checked_as_pairs() -> None:
    case = MachineCase.from_toml(MESHES / "idler_3_gears.toml")
    checked = list(check_meshes(case))
    assert [pair.title for pair, _, _ in checked] == ["Idler train 20/30/25: first", "Idler train 20/30/25: second"]
    assert all(sectors == (None, None) for _, sectors, _ in checked)


def idlers(folder: Path, fidelity: str, gear: str, teeth: int, pitches: int) -> MachineCase:
    """The train of three gears, one of which has teeth out of their places."""
    (folder / "pitch.csv").write_text("".join(f"{tooth},{tooth % 3}\n" for tooth in range(teeth)))
    text = (MESHES / "idler_3_gears.toml").read_text().replace('"flexible"', f'"{fidelity}"')
    text += f'pitches = {pitches}\n[gears.{gear}.flank]\npitch_deviation_csv = "pitch.csv"\n'
    (folder / "case.toml").write_text(text)
    return MachineCase.from_toml(folder / "case.toml")


@pytest.mark.parametrize("fidelity", ["flexible", "teeth"])
def test_less_than_a_revolution_of_teeth_that_differ_is_told(tmp_path: Path, fidelity: str) -> None:
    warnings = machine_data(idlers(tmp_path, fidelity, "wheel", 25, 5))["warnings"]
    (few,) = (one for one in warnings if "differ" in one)
    assert few.startswith("mesh second: pitches = 5: the teeth of gear wheel differ, and it turns by 0.2 revolutions")
    assert few.endswith("write pitches = 25 for a revolution")
    assert not any("differ" in one for one in machine_data(idlers(tmp_path, fidelity, "wheel", 25, 25))["warnings"])


@pytest.mark.parametrize("fidelity", ["flexible", "teeth"])
def test_teeth_out_of_their_places_in_two_meshes_are_refused(tmp_path: Path, fidelity: str) -> None:
    """Tooth 0 would be in pair 0 of both."""
    with pytest.raises(ValueError, match="idler_gear = given, in several meshes"):
        idlers(tmp_path, fidelity, "idler_gear", 30, 5)


FLANK = """
[gears.p1.flank]
tip_relief_um = 20.0
tip_relief_start_diameter_mm = 86.0
lead_crowning_um = 4.0
"""


def case_of(folder: Path, text: str) -> MachineCase:
    path = folder / "machine.toml"
    path.write_text(text)
    return MachineCase.from_toml(path)


@pytest.mark.parametrize("fidelity", ["rigid", "elastic", "teeth", "flexible"])
def test_flanks_that_no_mesh_knows_are_warned_of(tmp_path: Path, fidelity: str) -> None:
    """A gear of one definition may carry its flanks at any fidelity; where they have no effect it is said."""
    text = MACHINE.replace('fidelity = "rigid"\n', f'fidelity = "{fidelity}"\n') + FLANK
    data = machine_data(case_of(tmp_path, text))
    assert data["deviations"] == {
        "p1": {
            "tip_relief_um": pytest.approx(20.0),
            "tip_relief_start_diameter_mm": pytest.approx(86.0),
            "tip_relief_shape": "linear",
            "lead_crowning_um": pytest.approx(4.0),
        }
    }
    of_flanks = [warning for warning in data["warnings"] if warning.startswith("flank of gear")]
    if fidelity in ("teeth", "flexible"):
        assert of_flanks == []
    else:
        (warning,) = of_flanks
        assert "gear p1 = tip_relief_um, lead_crowning_um: without effect in" in warning


def test_a_result_has_the_warnings_of_check(tmp_path: Path) -> None:
    """What `alegear check` warns of is not lost in a run."""
    case = case_of(tmp_path, MACHINE + FLANK)
    known = machine_data(case)["warnings"]
    assert known
    assert set(known) <= set(ag.run(case).summary["warnings"])


@pytest.mark.parametrize("fidelity", ["flexible", "teeth", "elastic", "rigid"])
def test_teeth_are_warned_of_whatever_their_fidelity(fidelity: str) -> None:
    """500 um of relief inside the tip round, under 40 kN m: the load is that of all laws, flanks are those of two."""
    tables = tomllib.loads(HINGED.replace("{fidelity}", fidelity))
    case = MachineCase.from_tables(tables, Path("case.toml"))
    told = machine_warnings(case)
    begins = ["mesh m: torque [N m] on gear p = 4e+04"] * 3
    if fidelity in ("flexible", "teeth"):
        begins = ["mesh m: tip relief of gear p begins at 89.5 mm", *begins]
    else:
        begins = [*begins, "flank of gear p"]
    assert len(told) == len(begins), told
    assert all(one.startswith(begin) for one, begin in zip(told, begins, strict=True)), told


@pytest.mark.parametrize("fidelity", ["flexible", "teeth", "elastic", "rigid"])
def test_what_a_pair_is_warned_of_before_it_runs_a_machine_is_too(fidelity: str) -> None:
    """Gears that burst, materials of which nothing is known, too few positions of a pitch, each once."""
    text = HINGED.replace("{fidelity}", fidelity).replace("tip_relief_um = 500.0", "tip_relief_um = 20.0")
    plastic = "[material]\nyoungs_modulus_GPa = 3.0\ndensity_kg_m3 = 1400.0\n"
    fast = text.replace("speed_rpm = 100.0", "speed_rpm = 60000.0")
    motion = fast.replace('kind = "static"', 'kind = "dynamic"\nduration_s = 1e-4\noutput_every_s = 1e-6')
    still = text.replace('kind = "static"', 'kind = "static"\npositions_per_pitch = 3')
    found = {
        name: machine_warnings(MachineCase.from_tables(tomllib.loads(given), Path("case.toml")))
        for name, given in (("motion", motion), ("still", still), ("plastic", text + plastic))
    }
    assert [one.partition(" = ")[0] for one in found["motion"] if "may burst" in one] == [
        "speed of gear p", "speed of gear w",
    ]  # fmt: skip
    few = [one for one in found["still"] if one.startswith("positions_per_pitch = 3: ")]
    assert len(few) == (fidelity in ("flexible", "teeth"))
    silent = [one for one in found["plastic"] if "compared with nothing" in one]
    assert len(silent) == 1
    assert silent[0].startswith("strengths of gear p, gear w = none given")


def test_planets_on_teeth_are_warned_of_their_torque() -> None:
    """Each planet takes its share: 1/3 of the torque on the sun, and that times 39/21 on the planet in the ring."""
    tables = tomllib.loads(SET.replace("torque_Nm = 100.0", "torque_Nm = 30000.0"))
    told = machine_warnings(MachineCase.from_tables(tables, Path("set.toml")))
    of_sun, of_ring = "torque [N m] of a planet on the sun = 1e+04", "torque [N m] of the ring on a planet = 1.857e+04"
    for begin in (f"set sun: {of_sun}: about", f"set ring: {of_ring}: about"):
        assert any(one.startswith(begin) for one in told), told
