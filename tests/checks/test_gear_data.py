"""Points of a flank as `alegear check` prints them."""

from pathlib import Path

import alegear as ag
from alegear.checks.gear_data import data_of_pair, data_of_points

MESHES = Path(__file__).parents[2] / "meshes"


def test_nothing_slides_at_the_pitch_point_not_even_round_off():
    """The e-axle stage at 16 000 rpm: the difference of both rolling speeds is 5e-15 and 9e-15 m/s, of 15 m/s."""
    pair = ag.Case.from_toml(MESHES / "e_axle_stage.toml").pair
    for number in range(2):
        found = data_of_points(pair, number, 1675.5)
        assert found["C"]["sliding_m_per_s"] == 0.0
        assert found["LPSTC"]["sliding_m_per_s"] > 1.0


def test_stiffness_outside_of_the_range_of_its_formulas_has_a_note():
    """24/95 teeth with more profile shift on the wheel; 20/30 teeth are within the range and have none."""
    notes = [
        data_of_pair(ag.Case.from_toml(MESHES / f"{name}.toml").pair, (206e9, 206e9)).get("iso_6336_note")
        for name in ("helical_24_95", "spur_20_30")
    ]
    assert notes == ["outside of the range as commonly quoted: x1 = 0.48 is below x2 = 0.6691", None]
