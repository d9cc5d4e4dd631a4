"""Laws of contact: how force follows from penetration and sliding.

All values SI. The laws are plain constants; the force itself is evaluated in the compiled kernels
(:mod:`alegear.contact.penalty._kernels`), which take these constants as arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.geometry.alignment import Alignment
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits, float_of
from alegear.parameters import Inlined, NoKey, Number, Parameter, SubTable, Words, check_parameters, limits_of
from alegear.short_repr import ShortRepr
from alegear.units import MM

#: What a contact of flexible teeth is given besides its laws.
SLICES = Limits(
    quantity="number of slices",
    words="number of slices of the common face",
    key="slices",
    least=1,
    most=400,
    whole=True,
)
WINDOW_PAIRS = Limits(
    quantity="tooth pairs in the window",
    words="number of tooth pairs in the window",
    key="window_pairs",
    least=2,
    whole=True,
)
TOOTH_CHANGE = Limits(
    quantity="phase of the tooth-change",
    words="phase modulo 1 at which the window of tooth pairs moves on by a pair; none outside of it may carry there",
    key="tooth_change_threshold",
    least=-1.0,
    most=1.0,
)

#: As pressure in MPa at a penetration in mm, whatever the exponent: steel on steel has 1e5 to 1e6 with exponent 1,
#: 1e12 with exponent 3. What is too stiff for its exponent does not converge, and is told so.
PENALTY_STIFFNESS = Limits(
    quantity="penalty stiffness",
    words="penalty stiffness per area in N/mm3",
    key="stiffness_N_per_mm3",
    own_factor=1.0,  # the unit goes by the exponent: what is checked is in it
    unit="N/mm3",
    least=1.0,
    most=1e18,
)


@dataclass(frozen=True, kw_only=True)
class PenaltyStiffness(Number):
    """The stiffness of a law whose unit goes by its exponent: the law itself checks it."""

    def check(self, parameter: Parameter, value: Any, where: str) -> None:
        """Leave it to the law."""


@dataclass(frozen=True)
class PenaltyConstants(SubTable):
    """The table of a penalty law."""

    def value(self, parameter: Parameter, given: Mapping[str, Any], folder: Path) -> Any:
        """The law, its stiffness from MPa at a penetration in mm: MPa/mm^e."""
        (table,) = given.values()
        stiffness, found = table.stiffness_N_per_mm3, {}
        if stiffness is not None:
            found["stiffness"] = stiffness * 1e6 * MM**-table.exponent
        return table.made(folder, **found)


@dataclass(frozen=True, kw_only=True)
class PenaltyLaw(ShortRepr):
    r"""Penalty contact at the Gauss points of the tooth faces, after Liu et al. (2018), section 5.3.

    Pressure of a point with penetration :math:`\delta`: :math:`p = K \delta^e + c\,s(\delta)\,\dot\delta`, never below
    zero; its force is pressure times Gauss weight times the weight of its pass. The paper has s = 1, which makes the
    force jump when a point closes; here the cubic step s fades the damping in over ``damping_depth``, at the deeper
    one of the last instant and this one: so the force grows with the penetration, and there is one solution.

    Parameters
    ----------
    stiffness : float or None [Pa/m^exponent]
        Penalty stiffness per area. None: chosen by
        :func:`alegear.contact.penalty.contact.hertz_matched_stiffness`, the value for which the contact strip at the
        pitch point under the nominal load is as wide as the Hertz strip.
    exponent : float
        Exponent e, at least 1.
    damping : float [Pa s/m]
        Damping c of the penetration rate per area.
    damping_depth : float [m]
        Penetration from which the damping acts in full.
    pass_weight : float
        Weight w_f in [0, 1] of the pass with the pinion as secondary (its Gauss points against the wheel's flank) in
        the middle of the path; the pass with the wheel as secondary has 1 - w_f. Towards the ends of the path the
        gear whose edge touches there becomes the only secondary one (:mod:`alegear.contact.penalty.shares`).
    gauss_points_profile : int or None
        Gauss points of one facet along the profile. None: as close as the curvature of the flanks needs, so that pairs
        touch to within 5e-6 modules where true flanks do (:mod:`alegear.contact.penalty.flank`).
    gauss_points_face : int
        Gauss points of one facet across the face.
    """

    SERVED: ClassVar[str] = "spur gears on parallel shafts without axial offset, all teeth with the same flanks"

    stiffness: Annotated[float | None, PenaltyStiffness(limits=PENALTY_STIFFNESS)] = None
    exponent: Annotated[float, Limits(quantity="exponent of the penetration", least=1.0, most=3.0)] = 1.0
    damping: Annotated[
        float,
        Limits(quantity="penalty damping", words="damping per area", unit="N s/mm3", least=0.0, most=1e9),
    ] = 0.0
    # a length and no part of one: of a law of which nothing but the size is known, to be fitted
    damping_depth: Annotated[
        float, NoKey(limits=Limits(quantity="damping depth", key="damping_depth", unit="um", least=1e-6, most=1e5))
    ] = 5e-7
    pass_weight: Annotated[float, Limits(quantity="weight of the pinion's pass", least=0.0, most=1.0)] = 0.5
    gauss_points_profile: Annotated[
        int | None,
        Limits(
            quantity="Gauss points along the profile",
            words="Gauss points of a facet along the profile (as the curvature needs)",
            least=1,
            most=16,
            whole=True,
        ),
    ] = None
    gauss_points_face: Annotated[int, Limits(quantity="Gauss points across the face", least=1, most=16, whole=True)] = 1

    def __post_init__(self) -> None:
        check_parameters(self)
        stiffness = self.stiffness
        if isinstance(stiffness, int | float | np.integer) and not isinstance(stiffness, bool):
            stiffness = float_of(stiffness) * 1e-6 * 1e-3**self.exponent
        if stiffness is not None:
            PENALTY_STIFFNESS.check(stiffness, "PenaltyLaw.stiffness")

    @staticmethod
    def serves(pair: GearPair) -> bool:
        """Whether the law serves a pair: spur gears on parallel axes, all teeth of a gear with the same flanks."""
        parallel = Alignment(center_distance_error=pair.alignment.center_distance_error)
        same_flanks = all(len(gear.different_teeth) == 1 for gear in pair.gears)
        return pair.beta_b == 0.0 and pair.alignment == parallel and same_flanks


COEFFICIENT = Limits(quantity="coefficient of friction", least=0.0, most=1.0, below=True)
TRANSITION = Limits(quantity="transition speed", unit="m/s", least=1e-9, most=1e3)


@dataclass(frozen=True, kw_only=True)
class Friction(ShortRepr):
    r"""Sliding friction of the flanks, :math:`F_t = \mu(v_t) F_n` along the sliding, opposite to :math:`v_t`.

    ``kind = "none"``: no friction. ``"coulomb"``: constant :math:`\mu` = mu_dynamic in the direction against sliding,
    brought to zero over |v_t| < v_static so that the force is continuous. ``"velocity"``: the two-step transition
    curve of Liu et al. (2018), equation 33: a cubic step from mu_static at -v_static to -mu_static at v_static, so that
    the force is against the sliding, and by magnitude one more from mu_static at v_static to mu_dynamic at v_dynamic.

    Parameters
    ----------
    kind : {"none", "coulomb", "velocity"}
    mu_static, mu_dynamic : float
    v_static, v_dynamic : float [m/s]
        Transition speeds, 0 < v_static < v_dynamic.
    """

    #: Of each kind what it does not read.
    UNUSED: ClassVar[dict[str, tuple[str, ...]]] = {
        "none": ("mu_static", "mu_dynamic", "v_static", "v_dynamic"),
        "coulomb": ("mu_static", "v_dynamic"),
        "velocity": (),
    }

    kind: Annotated[Literal["none", "coulomb", "velocity"], Words("friction of the flanks", "friction")] = "none"
    mu_static: Annotated[float, replace(COEFFICIENT, quantity="mu_static", words="static coefficient of friction")] = (
        0.08
    )
    mu_dynamic: Annotated[
        float, replace(COEFFICIENT, quantity="mu_dynamic", words="dynamic coefficient of friction")
    ] = 0.05
    # speeds and no parts of one: where lubricated flanks go over from rest, at every size
    v_static: Annotated[
        float,
        replace(
            TRANSITION,
            quantity="transition speed (static)",
            words="sliding speed at which friction is static,",
            key="transition_speed_static_m_per_s",
        ),
    ] = 1e-3
    v_dynamic: Annotated[
        float,
        replace(
            TRANSITION,
            quantity="transition speed (dynamic)",
            words="sliding speed from which friction is dynamic,",
            key="transition_speed_dynamic_m_per_s",
        ),
    ] = 1e-2

    def __post_init__(self) -> None:
        check_parameters(self)
        for name in self.UNUSED[self.kind]:
            if getattr(self, name) != getattr(Friction, name):
                limit = f'left out: it has no effect with friction = "{self.kind}"'
                quantity = limits_of(Friction)[name].name
                raise Fault(quantity, getattr(self, name), limit, 'or write friction = "velocity"')
        if self.kind == "velocity" and not self.v_static < self.v_dynamic:
            raise Fault(
                "transition speeds [m/s]",
                f"{self.v_static} and {self.v_dynamic}",
                "rising",
                "choose transition_speed_static_m_per_s below transition_speed_dynamic_m_per_s",
            )

    def coefficient(self, v: Array) -> tuple[Array, Array]:
        """Signed coefficient over the sliding velocities `v` (n,) [m/s], and its derivative [s/m], both (n,)."""
        v = np.asarray(v, dtype=float)
        if self.kind == "none":
            return np.zeros(v.shape), np.zeros(v.shape)
        top = self.mu_dynamic if self.kind == "coulomb" else self.mu_static
        x = np.clip(v / self.v_static, -1.0, 1.0)
        mu = -0.5 * top * x * (3.0 - x * x)  # cubic step from top to -top
        mu_v = -1.5 * top / self.v_static * (1.0 - x * x)
        if self.kind == "velocity":
            fast = np.abs(v) > self.v_static
            width, drop = self.v_dynamic - self.v_static, self.mu_dynamic - self.mu_static
            y = np.clip((np.abs(v) - self.v_static) / width, 0.0, 1.0)
            mu = np.where(fast, -np.sign(v) * (self.mu_static + drop * y * y * (3.0 - 2.0 * y)), mu)
            mu_v = np.where(fast, -drop * 6.0 * y * (1.0 - y) / width, mu_v)
        return mu, mu_v


@dataclass(frozen=True, kw_only=True, eq=False)
class FlankContact(ShortRepr):
    """What the contact of flexible teeth is given.

    Parameters
    ----------
    slices, window_pairs : int or None
        None: chosen by the gears.

    Raises
    ------
    Fault
    """

    friction: Annotated[Friction, Inlined(Friction)] = field(default_factory=Friction)
    law: Annotated[Literal["hertz", "penalty"], Words("law of contact")] = "hertz"
    slices: Annotated[int | None, SLICES] = None
    window_pairs: Annotated[int | None, WINDOW_PAIRS] = None
    penalty: Annotated[PenaltyLaw, PenaltyConstants(PenaltyLaw, "penalty", "constants of the penalty law")] = field(
        default_factory=PenaltyLaw
    )

    def __post_init__(self) -> None:
        check_parameters(self)
