"""The gear train of the automatic gearbox ZF 4HP22, for tests.

Three simple planetary sets. The tooth numbers (p1 and p2: sun 35, ring 73; p3: sun 34, ring 91) are inferred from the
published ratios 2.479, 1.479, 1, 0.728, -2.086, and not published. Which couplings are closed in which gear:
Pelchen, Schweiger, Otter (2002), figure 14. Which shafts they join follows from both (``test_train_kinematics``
tries all ways to join p1 and p2: two are left, one the other with the names of p1 and p2 exchanged); freewheels 14,
15, 16 and that it is the carrier of the front set that is held: power flow of the same gearbox, workshop manual of the
Range Rover 1996, which counts the couplings as the paper does.

                    C5
    input ---+----/ /--------- sun --------+----------- sun ---+
    turbine  |                             |                   |
             |   C4                       p1 (front)          p2 (rear)
             +--/ /-- driven ------------- | ----------------- ring
                                           |                   |
                  front carrier --------- carrier              |
                                           |                   |
                                          ring ------------- carrier == middle ==== carrier
                                                                            |          |
                                                                     C11 / /  F14   p3
                                                                            |          |
                                                             rear sun ------+-------- sun
                                                                                       |
                                                                        output ====== ring

    To the ground:  C6 brake and C7 brake through F16: sun;  C8 brake and F15: front carrier;  C12 brake: rear sun.

    | shaft         | members                                    |
    |---------------|--------------------------------------------|
    | input         | turbine of the converter                   |
    | driven        | ring p2                                    |
    | sun           | sun p1, sun p2                             |
    | front carrier | carrier p1                                 |
    | middle        | ring p1, carrier p2, carrier p3            |
    | rear sun      | sun p3                                     |
    | output        | ring p3                                    |

    | coupling | first shaft   | second shaft | one way: what holds                                            |
    |----------|---------------|--------------|----------------------------------------------------------------|
    | C4       | input         | driven       |                                                                |
    | C5       | input         | sun          |                                                                |
    | C6       | sun           | ground       |                                                                |
    | C7       | sun           | ground       | F16 in series: sun does not turn backwards                     |
    | C8       | front carrier | ground       |                                                                |
    | C11      | middle        | rear sun     |                                                                |
    | C12      | rear sun      | ground       |                                                                |
    | F14      | middle        | rear sun     | always there: the rear sun does not run ahead of the middle    |
    | F15      | front carrier | ground       | always there: the front carrier does not turn backwards        |
"""

from fractions import Fraction

from alegear.geometry import PlanetarySet, SpeedRow
from alegear.geometry.train_kinematics import GROUND

SIMPSON = PlanetarySet(sun=35, planets=(19,), ring=73, n_planets=4)
OVERDRIVE = PlanetarySet(sun=34, planets=(28,), ring=91, n_planets=5)
"""Planets are chosen: (73 - 35)/2, and one of the two next to (91 - 34)/2; the speeds do not depend on them."""

GEARS = {
    "1": ("C4", "C11"),
    "2": ("C4", "C6", "C7", "C11"),
    "3": ("C4", "C5", "C7", "C11"),
    "4": ("C4", "C5", "C7", "C12"),
    "R": ("C5", "C8", "C11"),
}

RATIOS = {
    "1": 2 + Fraction(35, 73),
    "2": 1 + Fraction(35, 73),
    "3": Fraction(1),
    "4": Fraction(91, 91 + 34),
    "R": -Fraction(73, 35),
}
"""By hand: Willis' equation of p1 and p2 with a common sun, and of p3 with its sun held."""


SETS = {
    "p1": (("sun", "front carrier", "middle"), SIMPSON.i0),
    "p2": (("sun", "middle", "driven"), SIMPSON.i0),
    "p3": (("rear sun", "middle", "output"), OVERDRIVE.i0),
}
"""Shafts of A, carrier and C, and the stationary ratio."""

COUPLINGS = {
    "C4": ("input", "driven"),
    "C5": ("input", "sun"),
    "C6": ("sun", GROUND),
    "C8": ("front carrier", GROUND),
    "C11": ("middle", "rear sun"),
    "C12": ("rear sun", GROUND),
    "F15": ("front carrier", GROUND),
}

HOLDING = {
    "1": ("C4", "C11", "F15"),
    "2": ("C4", "C6", "C11"),
    "3": ("C4", "C5", "C11"),
    "4": ("C4", "C5", "C12"),
    "R": ("C5", "C8", "C11"),
}
"""Couplings whose shafts turn alike under pull; the other freewheels overrun or carry nothing (workshop manual)."""


def set_row(name: str, shafts: tuple[str, str, str], i0: Fraction) -> SpeedRow:
    """Willis' equation of shafts A, carrier and C: ``omega_A - omega_B = i0 (omega_C - omega_B)``."""
    return SpeedRow(name=name, coefficients=dict(zip(shafts, (1, i0 - 1, -i0), strict=True)))


def joined(first: str, second: str) -> SpeedRow:
    """Two shafts that a coupling holds together."""
    return SpeedRow(name=f"{first} and {second}", coefficients={first: 1, second: -1})


def rows_of(gear: str) -> list[SpeedRow]:
    """What ties the shafts in a gear."""
    sets = [set_row(name, *of_set) for name, of_set in SETS.items()]
    return sets + [joined(*COUPLINGS[name]) for name in HOLDING[gear]]
