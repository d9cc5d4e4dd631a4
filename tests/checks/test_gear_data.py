"""Points of a flank as `alegear check` prints them."""

from pathlib import Path

import alegear as ag
from alegear.checks.gear_data import data_of_points


def test_nothing_slides_at_the_pitch_point_not_even_round_off():
    """The e-axle stage at 16 000 rpm: the difference of both rolling speeds is 5e-15 and 9e-15 m/s, of 15 m/s."""
    pair = ag.Case.from_toml(Path(__file__).parents[2] / "meshes" / "e_axle_stage.toml").pair
    for number in range(2):
        found = data_of_points(pair, number, 1675.5)
        assert found["C"]["sliding_m_per_s"] == 0.0
        assert found["LPSTC"]["sliding_m_per_s"] > 1.0
