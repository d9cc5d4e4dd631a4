"""``[gears.NAME]`` of a ring: both ways of saying it, its own keys, keys that have no effect."""

from pathlib import Path

import pytest

import alegear as ag
from alegear.case.faults import CaseFaults

FILE = """
[machine]
fidelity = "elastic"
[shafts.in]
fixed_axis = true
[shafts.out]
fixed_axis = true
position_mm = [{a}, 0, 0]
[gears.p]
shaft = "in"
at_mm = 0
teeth = 24
face_width_mm = 30
bore_diameter_mm = 40
root_radius_factor = 0.15
{pinion}
[gears.r]
shaft = "out"
at_mm = 0
face_width_mm = 30
{ring}
[meshes.m]
gears = ["p", "r"]
normal_module_mm = 4
{mesh}
[drives.d]
shaft = "in"
[loads.l]
shaft = "out"
torque_Nm = 100
[analysis]
kind = "static"
"""
RING = "teeth = 61\ninternal = true\nrim_diameter_mm = 330"


def case(folder: Path, ring: str = RING, pinion: str = "", mesh: str = "", a: float = 73.9) -> ag.MachineCase:
    path = folder / "case.toml"
    path.write_text(FILE.format(ring=ring, pinion=pinion, mesh=mesh, a=a))
    return ag.MachineCase.from_toml(path)


def test_internal_and_negative_teeth_are_one_gear(tmp_path: Path) -> None:
    ways = ["teeth = 61\ninternal = true", "teeth = -61", "teeth = -61\ninternal = true"]
    made = [case(tmp_path, f"{way}\nrim_diameter_mm = 330") for way in ways]
    assert len({one.sha256 for one in made}) == 1
    (ring,) = [one.gear for one in made[0].gears if one.name == "r"]
    assert (ring.z, ring.rack.root_radius_factor, ring.shaping.cutter.z) == (-61, 0.25, 30)
    assert made[0].layout.ratio["out"] == pytest.approx(24 / 61)


def test_the_cutter_is_that_of_the_file(tmp_path: Path) -> None:
    made = case(tmp_path, f"{RING}\ncutter_teeth = 25\ncutter_profile_shift = 0.1\nroot_radius_factor = 0.2")
    ring = made.gears[1].gear
    assert (ring.cutter.z, ring.cutter.x, ring.rack.root_radius_factor) == (25, 0.1, 0.2)


def test_helical_ring_has_the_hand_of_its_pinion(tmp_path: Path) -> None:
    made = case(tmp_path, mesh="helix_angle_deg = 20", a=78.6)
    assert made.gears[0].gear.beta == made.gears[1].gear.beta > 0.0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"ring": "teeth = 61\ninternal = true"}, "gears.r.rim_diameter_mm"),
        ({"ring": f"{RING}\nbore_diameter_mm = 20"}, "gears.r.bore_diameter_mm"),
        ({"ring": f"{RING}\ntip_rounding_mm = 0.1"}, "gears.r.tip_rounding_mm"),
        ({"ring": f"{RING}\n[gears.r.grid]\nflank_elements = 8"}, "gears.r.grid"),
        ({"pinion": "cutter_teeth = 20"}, "gears.p.cutter_teeth"),
        ({"ring": f"{RING}\ncutter_teeth = 55"}, "cutter"),
        ({"ring": "teeth = 61\ninternal = true\nrim_diameter_mm = 250"}, "rim_diameter_mm"),
        ({"mesh": 'fidelity = "flexible"'}, "not in this version"),
    ],
)
def test_what_does_not_fit_a_ring_is_refused(tmp_path: Path, changed: dict[str, str], words: str) -> None:
    with pytest.raises(CaseFaults) as faults:
        case(tmp_path, **changed).layout  # noqa: B018
    assert words in str(faults.value)


def test_a_ring_that_is_not_shaped(tmp_path: Path) -> None:
    """16/24 of a textbook, which no cutter makes: a fillet in its place, and the shift from the shafts' distance."""
    own = "teeth = 24\ninternal = true\nrim_diameter_mm = 130\n"
    external = "\nprofile_shift = 0.0"
    with pytest.raises(CaseFaults, match="or give root_fillet_radius_mm of a ring that is not shaped"):
        textbook(tmp_path, f"{own}profile_shift = -0.516\ncutter_teeth = 12", external)
    given, solved = (
        textbook(tmp_path, f"{own}profile_shift = {x}\nroot_fillet_radius_mm = 0.4", external).gears[1].gear
        for x in ("-0.516", '"from centre distance"')
    )
    assert given.root_fillet_radius == pytest.approx(0.4e-3, rel=1e-12)
    assert solved.x == pytest.approx(-0.516, abs=5e-5)  # printed with three decimals, at 13.2 mm for a module of 3
    with pytest.raises(CaseFaults, match=r"root_radius_factor = 0.1.*leave out root_radius_factor"):
        textbook(tmp_path, f"{own}profile_shift = -0.516\nroot_fillet_radius_mm = 0.4\nroot_radius_factor = 0.1", "")
    with pytest.raises(CaseFaults, match=r"gears.r.profile_shift.*solved for against a gear"):
        textbook(tmp_path, f'{own}profile_shift = "from centre distance"', '\nprofile_shift = "from centre distance"')


def textbook(folder: Path, ring: str, pinion: str) -> ag.MachineCase:
    text = FILE.format(ring=ring, pinion=pinion, mesh="", a=17.6).replace("teeth = 24\nface", "teeth = 16\nface")
    path = folder / "textbook.toml"
    path.write_text(text.replace("bore_diameter_mm = 40", "bore_diameter_mm = 20"))
    return ag.MachineCase.from_toml(path)
