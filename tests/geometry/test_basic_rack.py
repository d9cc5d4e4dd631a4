"""The rack's tip: what its rounds leave of it."""

from math import cos, pi, radians, sin, tan

import pytest

from alegear.errors import Fault
from alegear.geometry import BasicRack

ALPHA = radians(20.0)
FULL_ROUND = (pi / 4.0 - 1.25 * tan(ALPHA)) * cos(ALPHA) / (1.0 - sin(ALPHA))


def test_full_round_leaves_no_flat_and_is_allowed() -> None:
    # 1e-12: the allowance for a full round that is given in digits
    assert BasicRack(root_radius_factor=FULL_ROUND).tip_half_width == pytest.approx(0.0, abs=1e-12)


def test_flat_and_rounds_make_up_the_width_of_the_rack_tooth() -> None:
    """At the height where the straight flank ends, half the tooth is flat + rho cos alpha."""
    rack = BasicRack(dedendum_factor=1.4, root_radius_factor=0.3)
    half_width = pi / 4.0 - (1.4 - rack.tip_round_height) * tan(ALPHA)
    assert rack.tip_half_width + 0.3 * cos(ALPHA) == pytest.approx(half_width, rel=1e-14)  # round-off


@pytest.mark.parametrize(
    ("numbers", "quantity"),
    [
        ({"root_radius_factor": 1.01 * FULL_ROUND}, "root radius factor"),
        ({"root_radius_factor": -0.1}, "root radius factor"),
        ({"dedendum_factor": 2.3, "root_radius_factor": 0.0}, "dedendum factor"),
        ({"dedendum_factor": 0.0}, "dedendum factor"),
        ({"addendum_factor": float("nan")}, "addendum factor"),
        ({"alpha_n": radians(60.0)}, "pressure angle"),
        ({"dedendum_factor": 0.2, "root_radius_factor": 0.38}, "root radius factor"),
    ],
)
def test_impossible_rack_is_a_fault(numbers: dict[str, float], quantity: str) -> None:
    with pytest.raises(Fault) as fault:
        BasicRack(**numbers)
    assert fault.value.quantity.startswith(quantity)
    assert fault.value.remedy
