"""The basic rack tooth profile (ISO 53), which is also the cutting tool."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, radians, sin, tan
from typing import Annotated

from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr


@dataclass(frozen=True, kw_only=True, eq=False)
class BasicRack(ShortRepr):
    """Define the basic rack in the normal section; lengths in normal modules.

    Parameters
    ----------
    alpha_n : float [rad]
        Normal pressure angle.
    addendum_factor : float
        h_aP/m_n.
    dedendum_factor : float
        h_fP/m_n, tip of the cutting rack below its datum line.
    root_radius_factor : float
        rho_fP/m_n, tip round of the cutting rack; 0 is a sharp corner.

    Raises
    ------
    Fault
        For a number outside its range, and for tip rounds so large that they overlap.

    Notes
    -----
    Source: ISO 53:1998; its profile A (1.25, 0.38) is the default.

    Examples
    --------
    >>> BasicRack().root_radius_factor
    0.38
    """

    alpha_n: Annotated[
        float,
        Limits(
            quantity="pressure angle",
            words="normal pressure angle",
            key="pressure_angle_deg",
            unit="deg",
            least=5.0,
            most=40.0,
        ),
    ] = radians(20.0)
    addendum_factor: Annotated[
        float, Limits(quantity="addendum factor", words="addendum in modules", least=0.01, most=5.0)
    ] = 1.0
    dedendum_factor: Annotated[
        float, Limits(quantity="dedendum factor", words="dedendum in modules", least=0.01, most=5.0)
    ] = 1.25
    root_radius_factor: Annotated[
        float,
        Limits(
            quantity="root radius factor",
            words="tip round of the generating rack in modules; of the cutter of a ring 0.25 unless given (0.38)",
            least=0.0,
            most=5.0,
        ),
    ] = 0.38

    def __post_init__(self) -> None:
        check_parameters(self)
        if self._tip_half_width < -1e-12:  # a full round given to some digits is allowed
            self._refuse_overlapping_rounds()
        if self.dedendum_factor <= self.tip_round_height:
            raise Fault(
                "root radius factor",
                self.root_radius_factor,
                f"below {self.dedendum_factor / (1.0 - sin(self.alpha_n)):.4g}, where the round is the whole dedendum",
                "reduce root_radius_factor",
            )

    @property
    def tip_half_width(self) -> float:
        """Half the flat between the rack's tip rounds, in modules: pi/4 - (h_fP - rho) tan alpha - rho/cos alpha."""
        return max(self._tip_half_width, 0.0)

    @property
    def _tip_half_width(self) -> float:
        depth = self.dedendum_factor - self.root_radius_factor
        return pi / 4.0 - depth * tan(self.alpha_n) - self.root_radius_factor / cos(self.alpha_n)

    @property
    def tip_round_height(self) -> float:
        """Height of the tip round at the flank's end, in modules: rho (1 - sin alpha)."""
        return self.root_radius_factor * (1.0 - sin(self.alpha_n))

    def _refuse_overlapping_rounds(self) -> None:
        room = pi / 4.0 - self.dedendum_factor * tan(self.alpha_n)
        if room <= 0.0:
            raise Fault(
                "dedendum factor",
                self.dedendum_factor,
                f"below {pi / 4.0 / tan(self.alpha_n):.4g}, where the rack's tooth is pointed",
                "reduce dedendum_factor",
            )
        largest = room * cos(self.alpha_n) / (1.0 - sin(self.alpha_n))
        raise Fault(
            "root radius factor",
            self.root_radius_factor,
            f"at most {largest:.4g}, the full round of this rack",
            "reduce root_radius_factor, or dedendum_factor",
        )
