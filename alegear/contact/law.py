"""Laws of contact: how force follows from penetration and sliding.

All values SI. The laws are plain constants; the force itself is evaluated in the compiled kernels
(:mod:`alegear.contact.penalty._kernels`), which take these constants as arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from alegear.errors import Fault
from alegear.geometry.alignment import Alignment
from alegear.geometry.gear_pair import GearPair
from alegear.limits import Limits, check_choice, check_numbers, float_of
from alegear.short_repr import ShortRepr

Array = NDArray[np.float64]

#: What a contact of flexible teeth is given besides its laws.
CONTACT_LIMITS = {
    "slices": Limits(quantity="number of slices", key="slices", least=1, most=400, whole=True, optional=True),
    "window_pairs": Limits(
        quantity="tooth pairs in the window", key="window_pairs", least=2, whole=True, optional=True
    ),
}


TOOTH_CHANGE = Limits(
    quantity="phase of the tooth-change", key="tooth_change_threshold", least=-1.0, most=1.0, optional=True
)
#: Laws of the flanks, by the words of a case.
CONTACT_LAWS = ("hertz", "penalty")


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

    LIMITS: ClassVar[dict[str, Limits]] = {
        "exponent": Limits(quantity="exponent of the penetration", key="exponent", least=1.0, most=3.0),
        "damping": Limits(quantity="penalty damping", key="damping_Ns_per_mm3", unit="N s/mm3", least=0.0, most=1e9),
        "damping_depth": Limits(quantity="damping depth", key="damping_depth", unit="um", least=1e-6, most=1e5),
        "pass_weight": Limits(quantity="weight of the pinion's pass", key="pass_weight", least=0.0, most=1.0),
        "gauss_points_profile": Limits(
            quantity="Gauss points along the profile",
            key="gauss_points_profile",
            least=1,
            most=16,
            whole=True,
            optional=True,
        ),
        "gauss_points_face": Limits(
            quantity="Gauss points across the face", key="gauss_points_face", least=1, most=16, whole=True
        ),
    }
    #: As pressure in MPa at a penetration in mm, whatever the exponent: steel on steel has 1e5 to 1e6 with exponent 1,
    #: 1e12 with exponent 3. What is too stiff for its exponent does not converge, and is told so.
    STIFFNESS: ClassVar[Limits] = Limits(
        quantity="penalty stiffness",
        key="stiffness_N_per_mm3",
        unit="N/mm3",
        own_factor=1.0,  # the unit goes by the exponent: what is checked is in it
        least=1.0,
        most=1e18,
        optional=True,
    )

    stiffness: float | None = None
    exponent: float = 1.0
    damping: float = 0.0
    # a length and no part of one: of a law of which nothing but the size is known, to be fitted
    damping_depth: float = 5e-7
    pass_weight: float = 0.5
    gauss_points_profile: int | None = None
    gauss_points_face: int = 1

    def __post_init__(self) -> None:
        check_numbers(self)
        stiffness = self.stiffness
        if isinstance(stiffness, int | float | np.integer) and not isinstance(stiffness, bool):
            stiffness = float_of(stiffness) * 1e-6 * 1e-3**self.exponent
        self.STIFFNESS.check(stiffness, "PenaltyLaw.stiffness")

    @staticmethod
    def serves(pair: GearPair) -> bool:
        """Whether the law serves a pair: spur gears on parallel axes, all teeth of a gear with the same flanks."""
        parallel = Alignment(center_distance_error=pair.alignment.center_distance_error)
        same_flanks = all(len(gear.different_teeth) == 1 for gear in pair.gears)
        return pair.beta_b == 0.0 and pair.alignment == parallel and same_flanks


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

    LIMITS: ClassVar[dict[str, Limits]] = {
        name: Limits(quantity=name, key=name, least=0.0, most=1.0, below=True) for name in ("mu_static", "mu_dynamic")
    } | {
        f"v_{which}": Limits(
            quantity=f"transition speed ({which})",
            key=f"transition_speed_{which}_m_per_s",
            unit="m/s",
            least=1e-9,
            most=1e3,
        )
        for which in ("static", "dynamic")
    }
    #: Of each kind what it does not read.
    UNUSED: ClassVar[dict[str, tuple[str, ...]]] = {
        "none": ("mu_static", "mu_dynamic", "v_static", "v_dynamic"),
        "coulomb": ("mu_static", "v_dynamic"),
        "velocity": (),
    }

    kind: Literal["none", "coulomb", "velocity"] = "none"
    mu_static: float = 0.08
    mu_dynamic: float = 0.05
    # speeds and no parts of one: where lubricated flanks go over from rest, at every size
    v_static: float = 1e-3
    v_dynamic: float = 1e-2

    def __post_init__(self) -> None:
        check_choice(self, "kind", ("none", "coulomb", "velocity"))
        check_numbers(self)
        for name in self.UNUSED[self.kind]:
            if getattr(self, name) != getattr(Friction, name):
                limit = f'left out: it has no effect with friction = "{self.kind}"'
                raise Fault(self.LIMITS[name].name, getattr(self, name), limit, 'or write friction = "velocity"')
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
