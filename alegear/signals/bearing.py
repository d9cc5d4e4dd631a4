"""Defect frequencies of a rolling bearing: ring, rolling element and cage."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi
from typing import Annotated, NamedTuple

from alegear.drivetrain.bearing_kinematics import RollingKinematics
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr


class DefectFrequencies(NamedTuple):
    """Frequencies of a bearing, in the unit of the speeds of its rings, all positive.

    Attributes
    ----------
    outer : float
        Rollers over a point of the outer ring (BPFO).
    inner : float
        Rollers over a point of the inner ring (BPFI).
    roller : float
        Points of a roller over a ring: twice its spin (2 BSF), for it meets both rings in a turn.
    cage : float
        Rotation of the cage in space (FTF).
    """

    outer: float
    inner: float
    roller: float
    cage: float


def defect_frequencies(rolling: RollingKinematics, inner: float, outer: float = 0.0) -> DefectFrequencies:
    """Return the frequencies of a bearing at speeds of both rings in space, in the unit of these."""
    found = rolling.frequencies(2.0 * pi * inner, 2.0 * pi * outer)
    return DefectFrequencies(found["outer_race"], found["inner_race"], found["roller"], found["cage"])


@dataclass(frozen=True, kw_only=True, eq=False)
class RollerSet(ShortRepr):
    """The rolling elements of a bearing, which roll without sliding.

    Parameters
    ----------
    rollers : int
        Of one row.
    roller_diameter, pitch_diameter : float [m]
    contact_angle : float [rad]

    Raises
    ------
    Fault
        Also for rollers that overlap, or reach the axis.

    Examples
    --------
    >>> ball = RollerSet(rollers=9, roller_diameter=7.94e-3, pitch_diameter=39.04e-3)
    >>> found = ball.frequencies(inner=1.0)
    >>> round(found.outer, 4), round(found.inner, 4), round(found.roller, 3), round(found.cage, 4)
    (3.5848, 5.4152, 4.713, 0.3983)
    """

    rollers: Annotated[int, Limits(quantity="number of rollers", key="rollers", least=1, most=1000, whole=True)]
    roller_diameter: Annotated[
        float, Limits(quantity="roller diameter", key="roller_diameter", unit="mm", least=0.0, most=1e5, above=True)
    ]
    pitch_diameter: Annotated[
        float, Limits(quantity="pitch diameter", key="pitch_diameter", unit="mm", least=0.0, most=1e6, above=True)
    ]
    contact_angle: Annotated[
        float, Limits(quantity="contact angle", key="contact_angle", unit="deg", least=0.0, most=90.0)
    ] = 0.0

    def __post_init__(self) -> None:
        check_parameters(self)
        d, D = self.roller_diameter, self.pitch_diameter
        if d >= D:
            raise Fault("roller diameter [mm]", 1e3 * d, f"less than the pitch diameter, {1e3 * D:.6g}", "correct one")
        if self.rollers * d > pi * D:
            limit = f"at most {int(pi * D / d)}, what has room on the pitch circle"
            raise Fault("number of rollers", self.rollers, limit, "correct rollers, or a diameter")

    @property
    def rolling(self) -> RollingKinematics:
        """Kinematics of their rolling."""
        D_over_d = self.pitch_diameter / self.roller_diameter
        return RollingKinematics(
            count=self.rollers, gamma=cos(self.contact_angle) / D_over_d, pitch_over_diameter=D_over_d
        )

    def frequencies(self, inner: float, outer: float = 0.0) -> DefectFrequencies:
        """Return the frequencies at speeds of both rings, in their unit.

            g = d cos(alpha)/D,   cage = abs(inner (1 - g) + outer (1 + g))/2
            BPFO = z abs(inner - outer) (1 - g)/2,   BPFI = z abs(inner - outer) (1 + g)/2
            2 BSF = abs(inner - outer) (1 - g^2) D/d

        Parameters
        ----------
        inner, outer : float
            Speeds in space, positive in one sense.

        References
        ----------
        Harris, Kotzalas (2006), Rolling bearing analysis, chapter 10 (kinematics); both rings may turn.
        """
        return defect_frequencies(self.rolling, inner, outer)
