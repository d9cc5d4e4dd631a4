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

from alegear.geometry import PlanetarySet
from alegear.geometry.train_kinematics import GROUND, ShaftCoupling, TrainKinematics, planetary_row

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


def zf_4hp22() -> TrainKinematics:
    """Return the train; the input is the turbine of the converter."""
    return TrainKinematics(
        rows=(
            planetary_row("p1", A="sun", carrier="front carrier", C="middle", i0=SIMPSON.i0),
            planetary_row("p2", A="sun", carrier="middle", C="driven", i0=SIMPSON.i0),
            planetary_row("p3", A="rear sun", carrier="middle", C="output", i0=OVERDRIVE.i0),
        ),
        couplings=(
            ShaftCoupling(name="C4", shafts=("input", "driven")),
            ShaftCoupling(name="C5", shafts=("input", "sun")),
            ShaftCoupling(name="C6", shafts=("sun", GROUND)),
            ShaftCoupling(name="C7", shafts=("sun", GROUND), one_way=True),
            ShaftCoupling(name="C8", shafts=("front carrier", GROUND)),
            ShaftCoupling(name="C11", shafts=("middle", "rear sun")),
            ShaftCoupling(name="C12", shafts=("rear sun", GROUND)),
            ShaftCoupling(name="F14", shafts=("middle", "rear sun"), one_way=True, always_closed=True),
            ShaftCoupling(name="F15", shafts=("front carrier", GROUND), one_way=True, always_closed=True),
        ),
        input="input",
        output="output",
    )
