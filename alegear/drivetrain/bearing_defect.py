"""Localised defects: material that is missing from a race or from a rolling element."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import asin, pi, sin, sqrt
from typing import Annotated, Literal

from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import Words, check_parameters
from alegear.short_repr import ShortRepr

OUTER, INNER, ROLLER = "outer ring", "inner ring", "roller"
PLACES = (OUTER, INNER, ROLLER)


@dataclass(frozen=True, kw_only=True, eq=False)
class BearingDefect(ShortRepr):
    """A pit across the whole width of a race, or along one rolling element.

    In a ball bearing ``"roller"`` is a ball. Its middle is about the direction of the shaft, where the rings stand at
    0: on a ring from e1 of the shaft, on a rolling element from where it touches the outer race. Rolling elements count
    from 1.

    Raises
    ------
    Fault
    """

    on: Annotated[
        Literal["outer ring", "inner ring", "roller"], Words("what the defect is in: outer ring, inner ring or roller")
    ]
    at: Annotated[
        float, Limits(quantity="angle of the defect", words="angle of its middle", unit="deg", least=-360, most=360)
    ] = 0.0
    width: Annotated[
        float,
        Limits(
            quantity="width of the defect",
            words="arc in the direction of rolling",
            unit="mm",
            least=0.0,
            most=1e4,
            above=True,
        ),
    ]
    depth: Annotated[
        float, Limits(quantity="depth of the defect", words="depth", unit="um", least=0.0, most=1e5, above=True)
    ]
    roller: Annotated[
        int | None,
        Limits(
            quantity="number of the roller", words="number of the roller or ball that has it (1)", least=1, whole=True
        ),
    ] = None

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.roller is not None and self.on != ROLLER:
            limit = f'left out with on = "{self.on}": every roller passes it'
            raise Fault("roller of a defect", self.roller, limit, "leave it out")


def fall(chord: float, roller: float, race: float, *, inner: bool) -> float:
    """How far a roller falls that rests on both edges of a pit, sag(r) +- sag(R), sag(r) = r - sqrt(r^2 - c^2/4).

    Parameters
    ----------
    chord : float [m]
        c, at most the diameter of the roller.
    roller, race : float [m]
        Radii of curvature r and R in the direction of rolling.
    inner : bool
        Whether the race is convex (+).
    """
    half = 0.5 * chord
    return _sag(roller, half) + (_sag(race, half) if inner else -_sag(race, half))


def _sag(radius: float, half: float) -> float:
    return half * half / (radius + sqrt(max(radius * radius - half * half, 0.0)))


@dataclass(frozen=True, kw_only=True, eq=False)
class DefectShape:
    """How far a roller falls over a defect: a ramp down, a floor, a ramp up, all smooth.

    A roller that turns about the edge of a pit reaches its floor after the ramp e, where a pit of the width 2 e would
    just let it fall by the depth; into a narrower pit it falls no deeper than the edges let it.

    Parameters
    ----------
    half : float [m]
        Half the arc of the defect.
    ramp : float [m]
    depth : float [m]
        Of the floor, or how far the edges let the roller fall.
    """

    half: float
    ramp: float
    depth: float

    @classmethod
    def of(cls, defect: BearingDefect, *, roller: float, race: float, surface: float, inner: bool) -> DefectShape:
        """The shape of a defect of a surface of radius `surface` between a roller and a race."""
        from scipy.optimize import brentq  # here, because it is slow to import

        arc = 0.5 * defect.width
        chord = min(2.0 * surface * sin(min(arc / surface, 0.5 * pi)), 2.0 * roller)
        deepest = fall(chord, roller, race, inner=inner)
        if defect.depth >= deepest:
            return cls(half=arc, ramp=arc, depth=deepest)
        needed = brentq(lambda c: fall(c, roller, race, inner=inner) - defect.depth, 0.0, chord, xtol=1e-15)
        return cls(half=arc, ramp=surface * asin(0.5 * needed / surface), depth=defect.depth)


def check_defect(
    defect: BearingDefect, bearing: str, *, count: int, diameter: float, races: Mapping[str, float]
) -> None:
    """Refuse a defect that is wider than its ring, or has no roller.

    Parameters
    ----------
    defect : BearingDefect
    bearing : str
    count : int
        Rolling elements.
    diameter : float [m]
        Of one.
    races : mapping of str to float [m]
        Radius of the race of each ring.
    """
    where = f"of bearing {bearing}"
    if defect.on == ROLLER:
        widest, why = 0.25 * pi * diameter, "a quarter of its circumference"
    else:
        widest, why = 2.0 * pi * races[defect.on] / count, f"the pitch of {count} rollers on the {defect.on}"
    if not defect.width < widest:
        limit = f"less than {1e3 * widest:.6g}, {why}"
        raise Fault(f"width [mm] of the defect {where}", float(f"{1e3 * defect.width:.6g}"), limit, "make it narrower")
    if not defect.depth < 0.5 * diameter:
        limit = f"less than {5e5 * diameter:.6g}, the radius of a roller"
        raise Fault(f"depth [um] of the defect {where}", float(f"{1e6 * defect.depth:.6g}"), limit, "check the unit")
    if defect.roller is not None and defect.roller > count:
        raise Fault(f"roller of the defect {where}", defect.roller, f"at most {count}", "correct its number")
