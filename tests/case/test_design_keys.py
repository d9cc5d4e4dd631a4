"""Keys that a design solves for: profile shift from the centre distance, relief by roll length or single contact."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear.checks.gear_data import gear_data
from alegear.checks.machine_data import machine_data
from alegear.errors import Fault
from alegear.geometry import BasicRack, Gear, GearPair, InternalGear, Microgeometry

MESHES = Path(__file__).parents[2] / "meshes"
TEXT = (MESHES / "e_axle_stage.toml").read_text()
SOLVED = '"from centre distance"'
END = "end of single contact"


def case_of(text: str) -> ag.Case:
    return ag.Case.from_bytes(text.encode())


def with_flank(gear: str, lines: str) -> str:
    return f"{TEXT}\n[{gear}.flank]\n{lines}\n"


def the_fault(text: str) -> str:
    with pytest.raises(ag.CaseFaults) as faults:
        case_of(text)
    (line,) = str(faults.value).splitlines()
    return line


# ------------------------------------------------------------------------------- profile shift
@pytest.mark.parametrize(("number", "gear"), [("0.35", "pinion"), ("0.2578", "wheel")])
def test_solved_shift_leaves_no_backlash_but_that_of_the_allowances(number: str, gear: str) -> None:
    text = re.sub(r"tooth_thickness_allowance_um = 40.0", "", TEXT).replace(f"= {number}\n", f"= {SOLVED}\n")
    case = case_of(text)
    # j_wt [m] of a pair whose shifts are known to round-off
    assert case.pair.j_wt == pytest.approx(0.0, abs=1e-14)
    x = gear_data(case)[gear]["x"]
    assert case_of(text.replace(SOLVED, repr(x))).sha256 == case.sha256
    assert sum(one.x for one in case.pair.gears) == pytest.approx(gear_data(case)["pair"]["x_sum_without_backlash"])


def test_error_of_the_centre_distance_is_left_out() -> None:
    """A shaft out of place does not change how teeth were cut."""
    text = TEXT.replace("= 0.35\n", f"= {SOLVED}\n")
    moved = case_of(text + "[alignment]\ncenter_distance_error_um = 50.0\n")
    assert moved.pair.pinion.x == case_of(text).pair.pinion.x


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace("= 0.35\n", f"= {SOLVED}\n").replace("= 0.2578\n", f"= {SOLVED}\n"), "wheel.profile_shift"),
        (TEXT.replace("= 0.35\n", f"= {SOLVED}\n").replace("center_distance_mm = 112.0", ""), "center_distance_mm"),
        (TEXT.replace("= 0.35\n", '= "solve"\n'), 'must be a number or "from centre distance"'),
        (TEXT.replace("= 0.35\n", "= 3.5\n"), "must be at most 3"),
        (TEXT.replace("= 0.35\n", f"= {SOLVED}\n").replace("= 112.0", "= 104.0"), "where the base circles meet"),
        (TEXT.replace("= 0.35\n", f"= {SOLVED}\n").replace("= 112.0", "= 122.0"), "profile shift = "),
    ],
)
def test_shifts_that_cannot_be_solved_for(text: str, words: str) -> None:
    assert words in the_fault(text)


TWO_STAGE = (MESHES / "two_stage_helical.toml").read_text()
IDLER = (MESHES / "idler_3_gears.toml").read_text()


def machine_from(text: str) -> ag.MachineCase:
    return ag.MachineCase.from_tables(tomllib.loads(text), MESHES / "case.toml")


def shifts_of(text: str) -> dict[str, float]:
    return {one.name: one.gear.x for one in machine_from(text).gears}


def solved_for(text: str, *gears: str) -> str:
    """The file with the profile shifts of some gears solved for."""

    def solved(table: re.Match[str]) -> str:
        without = re.sub(r"profile_shift.*\n", "", table.group())
        return without.replace("]\n", f"]\nprofile_shift = {SOLVED}\n", 1)

    for gear in gears:
        text = re.sub(rf"\[gears\.{gear}\]\n[^\[]*", solved, text)
    return text


@pytest.mark.parametrize("gears", [("p1",), ("w1",), ("p1", "w2")])
def test_gears_of_machines_are_solved_for_at_the_distance_of_their_shafts(gears: tuple[str, ...]) -> None:
    text = TWO_STAGE.replace("tooth_thickness_allowance_um = 50.0", "")
    for place in machine_from(solved_for(text, *gears)).layout.meshes:
        if set(gears) & set(place.mesh.gears):
            assert place.pair.j_wt == pytest.approx(0.0, abs=1e-14)
    nominal = shifts_of(TWO_STAGE)
    assert shifts_of(solved_for(TWO_STAGE, *gears)) == pytest.approx(nominal, abs=1e-4)  # printed with four decimals


def test_gears_in_a_row_are_solved_for_one_after_the_other() -> None:
    found = shifts_of(solved_for(IDLER, "pinion", "idler_gear"))
    # positions have ten digits
    assert found == pytest.approx({"pinion": 0.0, "idler_gear": 0.0, "wheel": 0.0}, abs=1e-7)


def test_shifts_of_machines_that_cannot_be_solved_for() -> None:
    gears = ("pinion", "idler_gear", "wheel")
    with pytest.raises(ag.CaseFaults) as faults:
        machine_from(solved_for(IDLER, *gears))
    for gear, line in zip(gears, str(faults.value).splitlines(), strict=True):
        assert f"gears.{gear}.profile_shift" in line
        assert "solved for against a gear whose profile shift is known" in line
    moved = solved_for(IDLER.replace("[155.0,", "[155.5,"), "idler_gear")
    words = r"it is .* in mesh first, .* in mesh second; give profile_shift = "
    with pytest.raises(ag.CaseFaults, match=words) as faults:
        machine_from(moved)
    remedy = str(faults.value).split("give profile_shift = ")[1].split(",")[0]
    meshes = machine_from(moved.replace(SOLVED, remedy)).layout.meshes
    assert all(place.pair.j_wt > 0.0 for place in meshes)


def test_sum_of_shifts_of_a_ring_is_that_of_its_pair() -> None:
    rack = BasicRack(root_radius_factor=0.15)
    pinion = Gear(z=24, m_n=4e-3, x=0.3, rack=rack, b=30e-3, bore_diameter=40e-3)
    pair = GearPair(pinion=pinion, wheel=InternalGear(z=61, m_n=4e-3, x=-0.1, b=30e-3, rim_diameter=290e-3))
    total = ag.profile_shift_sum(z=(24, -61), m_n=4e-3, a_w=abs(pair.a_w))
    assert total == pytest.approx(0.2, rel=1e-9)


# ------------------------------------------------------------------------------- start of a relief
@pytest.mark.parametrize("gear", ["pinion", "wheel"])
@pytest.mark.parametrize(("relief", "point"), [("tip_relief", "HPSTC"), ("root_relief", "LPSTC")])
def test_three_ways_to_say_where_a_relief_begins_are_one_case(gear: str, relief: str, point: str) -> None:
    at = gear_data(case_of(TEXT))["flanks"][gear][point]
    ways = (
        f'{relief}_start = "{END}"',
        f"{relief}_start_roll_length_mm = {at['roll_length_mm']!r}",
        f"{relief}_start_diameter_mm = {at['d_mm']!r}",
    )
    cases = [case_of(with_flank(gear, f"{relief}_um = 12.0\n{way}")) for way in ways]
    assert len({case.sha256 for case in cases}) == 1
    places = np.linspace(0.0, 40e-3, 200)
    removal = [getattr(case.pair, gear).flank_removal(places, 0.0) for case in cases]
    np.testing.assert_allclose(removal[1:], removal[:-1], atol=1e-18)
    # no more is removed where two pairs of unloaded teeth could share than where it has just begun
    assert getattr(cases[0].pair, gear).flank_removal(1e-3 * at["roll_length_mm"], 0.0) == pytest.approx(0.0, abs=1e-18)


def test_the_start_is_that_of_the_drawing_whatever_the_alignment() -> None:
    text = with_flank("pinion", f'tip_relief_um = 12.0\ntip_relief_start = "{END}"')
    case, moved = case_of(text), case_of(text + "[alignment]\ncenter_distance_error_um = 60.0\n")
    starts = [one.pair.pinion.microgeometry.tip_relief_start_diameter for one in (case, moved)]
    assert starts[0] == starts[1]
    later = case.pair.with_alignment(ag.Alignment(center_distance_error=60e-6))
    assert later.pinion.microgeometry.tip_relief_start_diameter == starts[0]


def test_variants_of_a_pair_find_their_start_too() -> None:
    pair = case_of(TEXT).pair.with_microgeometry(pinion=Microgeometry(tip_relief=12e-6, tip_relief_start=END))
    ends = pair.single_contact("pinion")
    assert ends is not None
    assert pair.pinion.microgeometry.tip_relief_start_diameter == pytest.approx(
        2.0 * np.hypot(pair.pinion.r_b, ends[1]), rel=1e-15
    )


def test_a_ring_counts_its_roll_lengths_by_magnitude() -> None:
    def ring(**start: object) -> InternalGear:
        flank = Microgeometry(tip_relief=10e-6, **start)  # type: ignore[arg-type]
        return InternalGear(z=61, m_n=4e-3, b=30e-3, rim_diameter=290e-3, microgeometry=flank)

    plain = InternalGear(z=61, m_n=4e-3, b=30e-3, rim_diameter=290e-3).tooth_profile
    middle = -0.5 * (plain.roll_length_form + plain.roll_length_tip)
    one = ring(tip_relief_start_roll_length=middle)
    other = ring(tip_relief_start_diameter=2.0 * np.hypot(one.r_b, middle))
    places = np.linspace(plain.roll_length_form, plain.roll_length_tip, 50)
    np.testing.assert_allclose(one.flank_removal(places, 0.0), other.flank_removal(places, 0.0), atol=1e-18)
    assert one.flank_removal(plain.roll_length_tip, 0.0) == pytest.approx(10e-6)
    with pytest.raises(Fault, match="tip relief start roll length"):
        ring(tip_relief_start_roll_length=2.0 * middle)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("tip_relief_um = 12.0", "or tip_relief_start_roll_length_mm, or tip_relief_start"),
        (f'tip_relief_um = 12.0\ntip_relief_start = "{END}"\ntip_relief_start_diameter_mm = 51.0', "given once"),
        ("tip_relief_um = 12.0\ntip_relief_start_roll_length_mm = 14.3", "below the tip roll length 14.2466"),
        ("tip_relief_um = 12.0\ntip_relief_start_roll_length_mm = 1.0", "from the root form roll length 4.6867"),
        ("root_relief_um = 12.0\nroot_relief_start_roll_length_mm = 1.0", "above the root form roll length"),
        ("tip_relief_um = 12.0\ntip_relief_start_roll_length_mm = 0.0", "at least 1e-06"),
        ('tip_relief_um = 12.0\ntip_relief_start = "middle"', 'must be "end of single contact"'),
    ],
)
def test_starts_that_are_refused(lines: str, words: str) -> None:
    assert words in the_fault(with_flank("pinion", lines))


def test_a_pair_without_single_contact_has_no_end_of_it() -> None:
    rack = BasicRack(addendum_factor=1.4, dedendum_factor=1.65, root_radius_factor=0.2)
    flank = Microgeometry(tip_relief=10e-6, tip_relief_start=END)
    one = Gear(z=50, m_n=4e-3, rack=rack, b=30e-3, bore_diameter=80e-3, microgeometry=flank)
    with pytest.raises(Fault, match="from 1 to below 2 for a relief of the pinion"):
        GearPair(pinion=one, wheel=Gear(z=61, m_n=4e-3, rack=rack, b=30e-3, bore_diameter=80e-3))


def test_a_gear_alone_needs_a_length() -> None:
    flank = Microgeometry(tip_relief=10e-6, tip_relief_start=END)
    gear = Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3, microgeometry=flank)
    with pytest.raises(Fault, match="a diameter outside of a pair"):
        gear.flank_removal(15e-3, 0.0)


# ------------------------------------------------------------------------------- gears of machines


def machine_of(folder: Path, gear: str, keys: str) -> ag.MachineCase:
    """The idler train with a flank of one gear."""
    path = folder / "idler.toml"
    path.write_text(IDLER + f"[gears.{gear}.flank]\n{keys}\n")
    return ag.MachineCase.from_toml(path)


@pytest.mark.parametrize(("gear", "mesh", "number"), [("pinion", "first", 0), ("wheel", "second", 1)])
def test_a_relief_of_a_gear_with_one_mesh_begins_at_its_single_contact(
    tmp_path: Path, gear: str, mesh: str, number: int
) -> None:
    at = machine_data(machine_of(tmp_path, gear, ""))["flanks"][f"{gear} in {mesh}"]
    ways = (f'tip_relief_start = "{END}"', f"tip_relief_start_roll_length_mm = {at['HPSTC']['roll_length_mm']!r}")
    pairs = [machine_of(tmp_path, gear, f"tip_relief_um = 12.0\n{way}").layout.place(mesh).pair for way in ways]
    roll = np.linspace(0.0, 40e-3, 200)
    one, other = (pair.gears[number].flank_removal(roll, 0.0) for pair in pairs)
    assert one.max() == pytest.approx(12e-6)
    np.testing.assert_allclose(one, other, atol=1e-18)


def test_a_gear_with_two_meshes_has_two_ends_of_single_contact(tmp_path: Path) -> None:
    flanks = machine_data(machine_of(tmp_path, "wheel", ""))["flanks"]
    both = [flanks[f"idler_gear in {mesh}"]["HPSTC"]["d_mm"] for mesh in ("first", "second")]
    assert abs(both[0] - both[1]) > 0.1
    with pytest.raises(Fault, match=r"relief of gear idler_gear.*2 meshes, and each its own single contact"):
        machine_of(tmp_path, "idler_gear", f'tip_relief_um = 12.0\ntip_relief_start = "{END}"')
