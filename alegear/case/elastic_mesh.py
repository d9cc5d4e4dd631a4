"""``[elastic_meshes.NAME]``: a mesh with elastic teeth, backlash and friction, between torsional parts."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, radians
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from alegear.case.part_table import table_of
from alegear.case.schema import Table, limited, limited_number, listed
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.friction import CoulombFriction, Din3990Friction, MeshFriction, TabulatedEfficiency
from alegear.drivetrain.planar.pitch_circles import RADIUS, PitchCircles
from alegear.drivetrain.planar.springs import Iso6336Spring, LinearSpring, MeshSpring, NiemannWinterSpring
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.units import MM

UM = 1e-6
ALPHA = MeshAverages.LIMITS["alpha"]
MODULE = Limits(quantity="transverse module", key="module_mm", unit="mm", least=1e-3, most=1000.0)
MOST_ROWS = 100_000
_Radii = listed(limited_number(RADIUS), 2)
_Factors = listed(limited_number(Limits(quantity="factor", key="factor", least=0.0, most=1e6)), 3, MOST_ROWS)
_Pairs = listed(listed(limited_number(Limits(quantity="value", key="value", least=0.0, most=1e6)), 2), 1, MOST_ROWS)

#: Keys that are needed, and those that may be there besides, by kind of spring and of friction.
SPRINGS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "linear": ((), ()),
    "iso6336": (("roughness_Rq_um",), ()),
    "niemann-winter": (("full_load_N", "least_stiffness"), ()),
}
FRICTIONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "none": ((), ()),
    "coulomb": (("mu",), ("mu_0",)),
    "din3990": (("face_width_mm", "viscosity_mPas", "roughness_Ra_um", "mu_0"), ("base_helix_angle_deg",)),
    "efficiency": (("efficiency_m_per_s",), ("static_factor",)),
}
OF_SPRING = ("damping_Ns_per_m", "backlash_um", "stiffness_factor")


class TeethKeys(Table):
    """Keys of elastic teeth: spring and friction."""

    stiffness_N_per_m: float | None = limited(
        MeshSpring.LIMITS["c"], "stiffness along the line of action in N/m; without it the mesh is rigid", default=None
    )
    damping_Ns_per_m: float | None = limited(
        MeshSpring.LIMITS["damping"], "damping along the line of action in N s/m (0)", default=None
    )
    backlash_um: float | None = limited(
        MeshSpring.LIMITS["backlash"], "backlash along the line of action in um (0)", default=None
    )
    spring: Literal["linear", "iso6336", "niemann-winter"] = Field(
        default="linear", description="how the stiffness changes with the load (linear)"
    )
    roughness_Rq_um: float | None = limited(
        Iso6336Spring.LIMITS["R_q"],
        "iso6336: roughness Rq in um, the deformation from which the stiffness is constant",
        default=None,
    )
    full_load_N: float | None = limited(
        NiemannWinterSpring.LIMITS["F_0"],
        "niemann-winter: load in N from which the stiffness is constant",
        default=None,
    )
    least_stiffness: float | None = limited(
        NiemannWinterSpring.LIMITS["kappa_0"],
        "niemann-winter: stiffness without load over that under full load",
        default=None,
    )
    stiffness_factor: _Factors | None = Field(  # type: ignore[valid-type]
        default=None, description="factors of the stiffness at equal distances over one pitch"
    )
    friction: Literal["none", "coulomb", "din3990", "efficiency"] = Field(
        default="none", description="law of friction (none)"
    )
    mu: float | None = limited(CoulombFriction.LIMITS["mu_sliding"], "coulomb: coefficient of friction", default=None)
    mu_0: float | None = limited(
        CoulombFriction.LIMITS["mu_0"], "coulomb (as mu), din3990: coefficient of friction at rest", default=None
    )
    face_width_mm: float | None = limited(
        Din3990Friction.LIMITS["face_width"], "din3990: face width that carries in mm", default=None
    )
    viscosity_mPas: float | None = limited(
        Din3990Friction.LIMITS["viscosity"], "din3990: dynamic viscosity of the oil in mPa s", default=None
    )
    roughness_Ra_um: float | None = limited(
        Din3990Friction.LIMITS["roughness"], "din3990: arithmetic mean roughness in um", default=None
    )
    base_helix_angle_deg: float | None = limited(
        Din3990Friction.LIMITS["beta_b"], "din3990: base helix angle in degrees (0)", default=None
    )
    efficiency_m_per_s: _Pairs | None = Field(  # type: ignore[valid-type]
        default=None, description="efficiency: pairs of a mesh velocity in m/s, rising, and the efficiency"
    )
    static_factor: float | None = limited(
        TabulatedEfficiency.LIMITS["c_mu0"],
        "efficiency: coefficient of friction at rest over that of sliding (1)",
        default=None,
    )
    friction_factor: _Factors | None = Field(  # type: ignore[valid-type]
        default=None, description="factors of the coefficients of friction at equal distances over one pitch"
    )

    def spring_of(self, averages: PitchCircles, teeth: int | None, standard: float | None = None) -> MeshSpring | None:
        """Make the spring of a mesh whose gear A has so many teeth; None without stiffness.

        Parameters
        ----------
        averages : PitchCircles
        teeth : int or None
        standard : float or None [N/m]
            Stiffness where none is given.

        Raises
        ------
        Fault
        """
        stiffness = standard if self.stiffness_N_per_m is None else self.stiffness_N_per_m
        if stiffness is None:
            of_it = OF_SPRING + tuple(key for needed, _ in SPRINGS.values() for key in needed)
            given = [key for key in of_it if getattr(self, key) is not None] + ["spring"] * (self.spring != "linear")
            if given:
                raise Fault(" and ".join(given), "given", "only with stiffness_N_per_m", "give the stiffness")
            return None
        self._check("spring", SPRINGS)
        common: dict[str, Any] = {
            "c": stiffness,
            "damping": self.damping_Ns_per_m or 0.0,
            "backlash": (self.backlash_um or 0.0) * UM,
            "factor": self._factor("stiffness_factor", averages, teeth),
        }
        if self.spring == "iso6336":
            return Iso6336Spring(R_q=_there(self.roughness_Rq_um) * UM, **common)
        if self.spring == "niemann-winter":
            return NiemannWinterSpring(F_0=_there(self.full_load_N), kappa_0=_there(self.least_stiffness), **common)
        return LinearSpring(**common)

    def friction_of(self, averages: PitchCircles, teeth: int | None) -> MeshFriction | None:
        """Make the law of friction of a mesh, or none.

        Raises
        ------
        Fault
        """
        self._check("friction", FRICTIONS)
        factor = self._factor("friction_factor", averages, teeth)
        if self.friction == "none":
            if factor is not None:
                raise Fault("friction_factor", "given", "only with friction", "give a law of friction")
            return None
        if self.friction == "coulomb":
            return CoulombFriction(mu_sliding=_there(self.mu), mu_0=self.mu_0, factor=factor)
        assert isinstance(averages, MeshAverages)
        if self.friction == "din3990":
            return Din3990Friction(
                mesh=averages,
                face_width=_there(self.face_width_mm) * MM,
                viscosity=_there(self.viscosity_mPas) * 1e-3,
                roughness=_there(self.roughness_Ra_um) * UM,
                mu_0=_there(self.mu_0),
                beta_b=radians(self.base_helix_angle_deg or 0.0),
                factor=factor,
            )
        speeds, etas = zip(*(self.efficiency_m_per_s or ()), strict=True)
        c_mu0 = 1.0 if self.static_factor is None else self.static_factor
        return TabulatedEfficiency(mesh=averages, v_mesh=speeds, eta=etas, c_mu0=c_mu0, factor=factor)

    def _factor(self, key: str, averages: PitchCircles, teeth: int | None) -> PeriodicFactor | None:
        """Over one circular pitch of gear A."""
        values = getattr(self, key)
        if values is None:
            return None
        if teeth is None:
            raise Fault(key, "given", "only with teeth: it repeats with every one", "give teeth and module_mm")
        period = 2.0 * pi * abs(averages.r_A / teeth)
        return PeriodicFactor(period=period, values=values)

    def _check(self, which: str, kinds: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
        """Refuse keys that are missing, and those of other kinds."""
        kind = getattr(self, which)
        needed, possible = kinds[kind]
        for key in needed:
            if getattr(self, key) is None:
                raise Fault(key, "not given", f'given for {which} = "{kind}"', f"give {key}")
        for key in sorted({key for keys in kinds.values() for group in keys for key in group}):
            if key not in (*needed, *possible) and getattr(self, key) is not None:
                raise Fault(key, "given", f'nothing for {which} = "{kind}"', f"leave {key} out")


class ElasticMeshTable(TeethKeys, table_of(ElasticMesh)):  # type: ignore[misc]
    """``[elastic_meshes.NAME]``: by pitch and tip radii, or by teeth and module; those of a ring gear are negative."""

    pitch_radii_mm: _Radii | None = Field(  # type: ignore[valid-type]
        default=None, description="working pitch radii of both gears in mm, that of a ring negative"
    )
    tip_radii_mm: _Radii | None = Field(  # type: ignore[valid-type]
        default=None, description="with friction: tip radii of both gears in mm, that of a ring negative"
    )
    teeth: listed(int, 2) | None = Field(  # type: ignore[valid-type]
        default=None, description="tooth numbers of both gears, that of a ring negative; in place of the radii"
    )
    module_mm: float | None = limited(
        MODULE, "transverse module in mm: gears without profile shift, addendum of a module", default=None
    )
    pressure_angle_deg: float = limited(ALPHA, "working transverse pressure angle in degrees (20)", default=20.0)

    def part(self, name: str, folder: Path) -> ElasticMesh:
        """Make the mesh."""
        averages = self._averages()
        teeth = None if self.teeth is None else self.teeth[0]
        mesh: ElasticMesh = self.made(
            folder,
            name=name,
            averages=averages,
            spring=self.spring_of(averages, teeth),
            friction=self.friction_of(averages, teeth),
            teeth=None if self.teeth is None else (self.teeth[0], self.teeth[1]),
        )
        return mesh

    def _averages(self) -> PitchCircles:
        by_radii = {"pitch_radii_mm": self.pitch_radii_mm, "tip_radii_mm": self.tip_radii_mm}
        by_teeth = {"teeth": self.teeth, "module_mm": self.module_mm}
        shown = [key for key, value in {**by_radii, **by_teeth}.items() if value is not None]
        if self.teeth is not None and self.module_mm is not None and len(shown) == 2:
            r = [0.5 * MM * self.module_mm * z for z in self.teeth]
            r_a = [one + MM * self.module_mm for one in r]
        elif shown == ["pitch_radii_mm"] and self.friction == "none":
            first, second = _there(self.pitch_radii_mm)
            return PitchCircles(r_A=MM * first, r_B=MM * second, alpha=radians(self.pressure_angle_deg))
        elif self.pitch_radii_mm is not None and self.tip_radii_mm is not None and self.module_mm is None:
            r, r_a = ([MM * one for one in radii] for radii in (self.pitch_radii_mm, self.tip_radii_mm))
        else:
            limit = "pitch_radii_mm and tip_radii_mm, or teeth and module_mm"
            raise Fault("geometry of the mesh", " and ".join(shown) or "not given", limit, "give one of both pairs")
        alpha = radians(self.pressure_angle_deg)
        return MeshAverages.from_radii(r_A=r[0], r_B=r[1], r_aA=r_a[0], r_aB=r_a[1], alpha=alpha)


def _there(value: Any) -> Any:
    """A value that has been checked to be there."""
    assert value is not None
    return value
