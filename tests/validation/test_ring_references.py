"""Geometry of two planetary stages against the report of another program."""

import csv
from math import degrees
from pathlib import Path

import pytest

from alegear.geometry import Gear, GearPair, InternalGear

FILE = Path(__file__).parents[2].parent / "shared" / "reference" / "kisssoft_nrel5mw_planetary_stages.csv"


def rows() -> dict[str, dict[str, str]]:
    if not FILE.is_file():
        pytest.skip(f"no ../shared/reference/{FILE.name}: results of other programs are no part of the project")
    lines = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]
    return {row["quantity"]: row for row in csv.DictReader(lines)}


@pytest.mark.parametrize("pair_of", ["st1_sun_planet", "st1_planet_ring", "st2_sun_planet", "st2_planet_ring"])
def test_pairs_of_the_nrel_5_mw_gearbox(pair_of: str) -> None:
    """Profile shifts are printed with four digits: 5e-5 modules in radii, what they shift in the path of contact."""
    table = rows()

    def printed(quantity: str) -> float:
        return float(table[quantity][pair_of])

    m = printed("m_n")
    gears: list[Gear | InternalGear] = []
    for number in "12":
        z = int(printed(f"z{number}"))
        common = {"m_n": 1e-3 * m, "x": printed(f"x{number}"), "b": 1e-3 * printed("face_width_b")}
        common["tip_alteration_factor"] = printed(f"tip_alteration_{number}") / m
        if z > 0:
            gears.append(Gear(z=z, bore_diameter=0.3e-3 * z * m, **common))
        else:
            gears.append(InternalGear(z=z, rim_diameter=-1.3e-3 * z * m, **common))
    pair = GearPair(pinion=gears[0], wheel=gears[1], a_w=1e-3 * printed("center_distance"))
    shift = 2.0 * 5e-5 * m + 1e-3  # mm of a diameter: digits of the profile shift and of the tip alteration
    for number, gear in zip("12", gears, strict=True):
        assert 1e3 * abs(gear.d) == pytest.approx(printed(f"d{number}_reference"), abs=5.1e-4)
        assert 1e3 * abs(gear.d_b) == pytest.approx(printed(f"db{number}"), abs=5.1e-4)
        assert 1e3 * abs(gear.d_a) == pytest.approx(printed(f"da{number}"), abs=shift)
        assert 1e3 * abs(gear.d_f) == pytest.approx(printed(f"df{number}"), abs=shift)
    # half a digit, and what half a um of the centre distance, printed in whole mm, makes of it: 1.8e-4 deg
    assert degrees(pair.alpha_wt) == pytest.approx(printed("alpha_wt"), abs=6.8e-4)
    low, high = pair.path_of_contact
    # a roll length changes by r/xi of its radius: at most 5 here, for each of two tips
    for quantity, value in (("T1A", high), ("T1C", pair.roll_length_pitch_point), ("T1E", low)):
        assert 1e3 * value == pytest.approx(printed(quantity), abs=2.5 * shift)
    assert 1e3 * pair.g_alpha == pytest.approx(printed("path_of_contact_ga"), abs=2.5 * shift)
    assert pair.eps_alpha == pytest.approx(printed("eps_alpha"), abs=5.1e-4)
    # without backlash but for the digits of the shifts; the allowances behind the printed backlash are not known
    assert abs(1e3 * pair.j_wt) < 2.0 * shift
