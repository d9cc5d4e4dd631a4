"""Sliding of flanks in contact: velocities, specific sliding, pressure times velocity, and Blok's flash temperature.

All of them follow from where a pair touches, how hard, and how fast the gears turn; nothing of the contact depends on
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array
from alegear.contact.law import Friction
from alegear.contact.numbering import Flank
from alegear.contact.rolling import FlankRolling, RollingGeometry
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits
from alegear.parameters import check_parameters
from alegear.short_repr import ShortRepr

#: Of a band with a semi-elliptic heat flux, by the full width of the band; 1.1115 to four digits.
BLOK_FACTOR = 1.11
#: Peclet number v b_H / (2 kappa) from which the heat of a band goes into the depth only, as Blok's equation has it.
LEAST_PECLET = 5.0


@dataclass(frozen=True, kw_only=True)
class WearConditions(ShortRepr):
    """What the flash temperature needs besides the contact.

    Parameters
    ----------
    friction_coefficient : float or None
        Mean coefficient of friction of the flanks, of contacts that are computed without friction. None: that of the
        friction of the contact, and no flash temperature where there is none.
    bulk_temperature : float or None [deg C]
        Of the teeth; the contact temperature is that plus the flash temperature. None: no contact temperature.

    Raises
    ------
    Fault

    Examples
    --------
    >>> WearConditions(friction_coefficient=0.06, bulk_temperature=90.0).bulk_temperature
    90.0
    """

    friction_coefficient: Annotated[
        float | None,
        Limits(
            quantity="friction coefficient of the flash temperature",
            words="mean coefficient of friction for the flash temperature, where [contact] has no friction (none)",
            least=0.0,
            most=1.0,
            above=True,
            below=True,
        ),
    ] = None
    bulk_temperature: Annotated[
        float | None,
        Limits(
            quantity="bulk temperature of the teeth",
            words="bulk temperature of the teeth, of contact temperatures,",
            unit="deg C",
            least=-60.0,
            most=500.0,
        ),
    ] = None

    def __post_init__(self) -> None:
        check_parameters(self)


@dataclass(frozen=True, kw_only=True, eq=False)
class FlankSliding:
    """Sliding of the flanks of a pair at its contacts.

    Parameters
    ----------
    pair : GearPair
    friction : Friction
        Of the contact.
    conditions : WearConditions
    thermal_contact : shape (2,) or None [N/(m s^0.5 K)]
        Thermal contact coefficient of pinion and wheel, :attr:`alegear.fe.material.Material.thermal_contact`; None:
        that of one is not known, and there is no flash temperature.
    diffusivity : shape (2,) or None [m2/s]
        Thermal diffusivity of both.
    flank : {"a", "b"}
        The loaded flanks.
    """

    pair: GearPair
    friction: Friction
    conditions: WearConditions
    thermal_contact: tuple[float, float] | None
    diffusivity: tuple[float, float] | None
    flank: Flank = "a"

    @property
    def knows_friction(self) -> bool:
        """Whether there is a coefficient of friction."""
        return self.conditions.friction_coefficient is not None or self.friction.kind != "none"

    @property
    def has_flash_temperature(self) -> bool:
        """Whether there is a flash temperature: friction, and materials whose thermal constants are known."""
        return self.knows_friction and self.thermal_contact is not None

    @cached_property
    def rolling(self) -> FlankRolling:
        """Where the contacts lie."""
        return FlankRolling(pair=self.pair, flank=self.flank)

    def rolling_velocity(self, rolling: RollingGeometry, speed: ArrayLike) -> tuple[Array, Array]:
        """Return the velocities of pinion and wheel through the contact [m/s], ``v_i = omega_i rho_i``, each (n, ...).

        They lie in the transverse section normal to the line of action, on relieved flanks along the common tangent,
        and so normal to the line of contact of helical teeth too. On unmodified flanks rho_i are the roll lengths,
        ``rho_2 = |a_w sin alpha_wt - xi_1|``; see :mod:`alegear.contact.rolling`.

        Parameters
        ----------
        rolling : RollingGeometry
            Of the contacts, arrays (n, ...).
        speed : shape (2,) or (n, 2) [rad/s]
            Of both gears, each positive in the running direction.
        """
        omega = np.asarray(speed, dtype=float)
        omega = omega.reshape(-1, 2).T.reshape(2, -1, *([1] * (rolling.rho_1.ndim - 1)))
        return omega[0] * rolling.rho_1, omega[1] * rolling.rho_2

    def specific_sliding(self, rolling: RollingGeometry) -> tuple[Array, Array]:
        """Return the specific sliding of pinion and wheel, each of the shape given; NaN at and below a base circle.

        ``zeta_1 = 1 - v_2/v_1``, ``zeta_2 = 1 - v_1/v_2`` at the nominal ratio (ISO 21771:2007): the sliding speed
        against the mate over the own rolling speed.
        """
        rolls = (rolling.rho_1 > 0.0) & (rolling.rho_2 > 0.0)
        v_1 = np.where(rolls, rolling.rho_1, np.nan)
        v_2 = np.where(rolls, rolling.rho_2, np.nan) * self.pair.pinion.z / abs(self.pair.wheel.z)
        return (v_1 - v_2) / v_1, (v_2 - v_1) / v_2

    def coefficient(self, sliding: Array) -> Array:
        """Return the coefficient of friction, positive, at sliding velocities (n,) [m/s]."""
        if self.conditions.friction_coefficient is not None:
            return np.full(sliding.shape, self.conditions.friction_coefficient)
        return np.abs(self.friction.coefficient(sliding)[0])

    def flash_temperature(self, line_load: Array, half_width: Array, v_1: Array, v_2: Array) -> Array:
        """Return the flash temperature, the largest rise over the bulk temperature within the contact [K].

        ``theta = 1.11 mu w |v_1 - v_2| / (sqrt(2 b_H) (B_1 sqrt(v_1) + B_2 sqrt(v_2)))`` of a band of half-width
        ``b_H`` that is heated by ``mu w |v_1 - v_2|`` per unit of its length, distributed as the Hertz pressure, and
        moves with v_1 and v_2 over two bodies into which the heat goes so that both have the same largest temperature.

        Parameters
        ----------
        line_load : shape (n, ...) [N/m]
            Normal to the flanks, per unit of face width; ``w`` per unit of the line of contact is cos(beta_b) times it.
        half_width : shape (n, ...) [m]
        v_1, v_2 : shape (n, ...) [m/s]
            Rolling velocities.

        References
        ----------
        H. Blok, General discussion on lubrication, Inst. Mech. Engrs. 2 (1937) 222-235; ISO/TR 13989-1:2000, whose
        equation (5) is this one with the half-width of Hertz put in. Here load and half-width are those of the contact
        that was computed, in place of load sharing, dynamic and face load factors. It holds from a Peclet number of
        about 5 on, and gives too much below.
        """
        if self.thermal_contact is None:
            raise ValueError("thermal constants of a material are not known")
        load = np.cos(self.pair.beta_b) * np.maximum(line_load, 0.0)
        heat = self.coefficient(v_1 - v_2) * load * np.abs(v_1 - v_2)
        into = self.thermal_contact[0] * np.sqrt(np.abs(v_1)) + self.thermal_contact[1] * np.sqrt(np.abs(v_2))
        with np.errstate(invalid="ignore", divide="ignore"):
            rise = BLOK_FACTOR * heat / (np.sqrt(2.0 * half_width) * into)
        return np.where(into > 0.0, rise, np.where(np.isfinite(half_width), 0.0, np.nan))

    def peclet(self, half_width: ArrayLike, v_1: ArrayLike, v_2: ArrayLike) -> Array:
        """Return the Peclet number ``v b_H / (2 kappa)`` of the faster flank, into which most of the heat goes."""
        if self.diffusivity is None:
            raise ValueError("thermal constants of a material are not known")
        half = 0.5 * np.asarray(half_width, dtype=float)
        one, two = (np.abs(v) * half / kappa for v, kappa in zip((v_1, v_2), self.diffusivity, strict=True))
        return np.maximum(one, two)
