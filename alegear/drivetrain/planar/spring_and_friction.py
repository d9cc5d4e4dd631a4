"""Spring and friction of elastic teeth by their numbers, as a case gives them: which goes with which, and the laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

from alegear.drivetrain.planar import friction as friction_laws
from alegear.drivetrain.planar import springs
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.friction import MeshFriction
from alegear.drivetrain.planar.pitch_circles import PitchCircles
from alegear.drivetrain.planar.springs import MeshSpring
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import Columns, Words, check_parameters, words_of
from alegear.short_repr import ShortRepr

MOST_ROWS = 100_000


@dataclass(frozen=True, kw_only=True, eq=False)
class SpringAndFriction(ShortRepr):
    """Numbers of the spring and of the friction of elastic teeth.

    Raises
    ------
    Fault
        For what is missing, and what has no effect.
    """

    #: By ``spring`` and ``friction``, for each of their words: what is needed, and what may be given besides.
    KINDS: ClassVar[Mapping[str, Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]]] = {
        "spring": {
            "linear": ((), ()),
            "iso6336": (("roughness_Rq",), ()),
            "niemann-winter": (("least_stiffness",), ("full_load",)),
        },
        "friction": {
            "none": ((), ()),
            "coulomb": (("mu",), ("mu_0",)),
            "din3990": (("viscosity", "roughness_Ra", "mu_0"), ()),
            "efficiency": (("efficiency",), ("static_factor",)),
        },
    }

    stiffness: Annotated[
        float | None,
        replace(
            springs.STIFFNESS,
            words="stiffness along the line of action (none, a rigid mesh; of gears on shafts and planets by ISO 6336)",
        ),
    ] = None
    damping: Annotated[
        float | None,
        replace(
            springs.DAMPING, words="damping along the line of action (0; of gears on shafts as the analysis asks for)"
        ),
    ] = None
    backlash: Annotated[
        float | None,
        replace(springs.BACKLASH, words="backlash along the line of action (0; of gears on shafts that of the teeth)"),
    ] = None
    spring: Annotated[
        Literal["linear", "iso6336", "niemann-winter"], Words("how the stiffness changes with the load (linear)")
    ] = "linear"
    roughness_Rq: Annotated[
        float | None,
        replace(
            springs.ROUGHNESS_RQ, words="iso6336: roughness Rq, the deformation from which the stiffness is constant,"
        ),
    ] = None
    full_load: Annotated[
        float | None, replace(springs.FULL_LOAD, words="niemann-winter: load from which the stiffness is constant,")
    ] = None
    least_stiffness: Annotated[
        float | None,
        replace(springs.LEAST_STIFFNESS, words="niemann-winter: stiffness without load over that under full load"),
    ] = None
    friction: Annotated[Literal["none", "coulomb", "din3990", "efficiency"], Words("law of friction (none)")] = "none"
    mu: Annotated[float | None, replace(friction_laws.MU, words="coulomb: coefficient of friction")] = None
    mu_0: Annotated[
        float | None, replace(friction_laws.MU_0, words="coulomb (as mu), din3990: coefficient of friction at rest")
    ] = None
    viscosity: Annotated[
        float | None, replace(friction_laws.VISCOSITY, words="din3990: dynamic viscosity of the oil")
    ] = None
    roughness_Ra: Annotated[
        float | None, replace(friction_laws.ROUGHNESS_RA, words="din3990: arithmetic mean roughness")
    ] = None
    efficiency: Annotated[
        Sequence[Sequence[float]] | None,
        Columns(
            "m/s",
            "",
            words="efficiency: pairs of a mesh velocity in m/s, rising, and the efficiency",
            most=MOST_ROWS,
            each=Limits(quantity="mesh velocity or efficiency", key="efficiency_m_per_s", least=0.0, most=1e6),
        ),
    ] = None
    static_factor: Annotated[
        float | None,
        replace(
            friction_laws.STATIC_FACTOR, words="efficiency: coefficient of friction at rest over that of sliding (1)"
        ),
    ] = None

    def __post_init__(self) -> None:
        check_parameters(self)
        keys = words_of(type(self))
        for which, kinds in self.KINDS.items():
            kind = getattr(self, which)
            needed, possible = kinds[kind]
            for name in needed:
                if getattr(self, name) is None:
                    raise Fault(keys[name], None, f'given for {which} = "{kind}"', f"give {keys[name]}")
            for name in dict.fromkeys(one for groups in kinds.values() for group in groups for one in group):
                if name not in (*needed, *possible) and getattr(self, name) is not None:
                    limit = f'left out: it has no effect with {which} = "{kind}"'
                    raise Fault(keys[name], "given", limit, "leave it out")
        if self.efficiency is not None and not all(len(row) == 2 for row in self.efficiency):
            limit = "rows of a mesh velocity and an efficiency"
            raise Fault("efficiency_m_per_s", "other rows", limit, "correct them")

    def spring_law(
        self,
        *,
        stiffness: float,
        damping: float,
        backlash: float,
        full_load: float | None,
        factor: PeriodicFactor | None = None,
    ) -> MeshSpring:
        """The spring with numbers in place of those that are not given.

        Parameters
        ----------
        stiffness : float [N/m]
        damping : float [N s/m]
        backlash : float [m]
        full_load : float or None [N]
            Of ``"niemann-winter"``.
        factor : PeriodicFactor or None
        """
        common: dict[str, Any] = {"c": stiffness, "damping": damping, "backlash": backlash, "factor": factor}
        if self.spring == "iso6336":
            return springs.Iso6336Spring(R_q=_there(self.roughness_Rq), **common)
        if self.spring == "niemann-winter":
            return springs.NiemannWinterSpring(F_0=_there(full_load), kappa_0=_there(self.least_stiffness), **common)
        return springs.LinearSpring(**common)

    def friction_law(
        self, circles: PitchCircles, *, face_width: float | None, beta_b: float, factor: PeriodicFactor | None = None
    ) -> MeshFriction | None:
        """The law of friction, None without.

        Parameters
        ----------
        circles : PitchCircles
            MeshAverages but for ``"none"`` and ``"coulomb"``.
        face_width : float or None [m]
            Of ``"din3990"``.
        beta_b : float [rad]
        factor : PeriodicFactor or None
        """
        if self.friction == "none":
            return None
        if self.friction == "coulomb":
            return friction_laws.CoulombFriction(mu_sliding=_there(self.mu), mu_0=self.mu_0, factor=factor)
        assert isinstance(circles, MeshAverages)
        if self.friction == "din3990":
            return friction_laws.Din3990Friction(
                mesh=circles,
                face_width=_there(face_width),
                viscosity=_there(self.viscosity),
                roughness=_there(self.roughness_Ra),
                mu_0=_there(self.mu_0),
                beta_b=beta_b,
                factor=factor,
            )
        speeds, etas = zip(*(self.efficiency or ()), strict=True)
        c_mu0 = 1.0 if self.static_factor is None else self.static_factor
        return friction_laws.TabulatedEfficiency(mesh=circles, v_mesh=speeds, eta=etas, c_mu0=c_mu0, factor=factor)


def _there(value: float | None) -> float:
    """A number that has been checked to be there."""
    assert value is not None
    return value
