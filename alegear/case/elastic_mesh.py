"""``[elastic_meshes.NAME]``: a mesh with elastic teeth, backlash and friction, between torsional parts."""

from __future__ import annotations

from math import pi, radians
from pathlib import Path

from pydantic import Field

from alegear.case.tables import limited, table_of
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.factor import PeriodicFactor
from alegear.drivetrain.planar.friction import BASE_HELIX_ANGLE, FACE_WIDTH, MeshFriction
from alegear.drivetrain.planar.pitch_circles import PRESSURE_ANGLE, RADIUS, PitchCircles
from alegear.drivetrain.planar.spring_and_friction import SpringAndFriction
from alegear.drivetrain.planar.springs import MeshSpring
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.errors import Fault
from alegear.limits import Limits
from alegear.parameters import listed, made_of, ranged
from alegear.units import MM

MODULE = Limits(quantity="transverse module", key="module_mm", unit="mm", least=1e-3, most=1000.0)
MOST_ROWS = 100_000
_Radii = listed(ranged(RADIUS), 2)
_Factors = listed(ranged(Limits(quantity="factor", key="factor", least=0.0, most=1e6)), 3, MOST_ROWS)
OF_SPRING = (
    "damping_Ns_per_m",
    "backlash_um",
    "stiffness_factor",
    "roughness_Rq_um",
    "full_load_N",
    "least_stiffness",
    "spring",
)
#: Keys that a kind of spring or friction needs, or alone has, besides those of :class:`SpringAndFriction`.
NEEDED = {"full_load_N": ("spring", "niemann-winter"), "face_width_mm": ("friction", "din3990")}
OF_KIND = NEEDED | {"base_helix_angle_deg": ("friction", "din3990")}


class TeethKeys(table_of(SpringAndFriction)):  # type: ignore[misc]
    """Keys of elastic teeth: spring and friction."""

    stiffness_factor: _Factors | None = Field(  # type: ignore[valid-type]
        default=None, description="factors of the stiffness at equal distances over one pitch"
    )
    face_width_mm: float | None = limited(FACE_WIDTH, "din3990: face width that carries in mm", default=None)
    base_helix_angle_deg: float | None = limited(
        BASE_HELIX_ANGLE, "din3990: base helix angle in degrees (0)", default=None
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
            given = [key for key in OF_SPRING if key in self.given and getattr(self, key) not in (None, "linear")]
            if given:
                raise Fault(" and ".join(given), "given", "only with stiffness_N_per_m", "give the stiffness")
            return None
        law = self._law()
        return law.spring_law(
            stiffness=stiffness,
            damping=law.damping or 0.0,
            backlash=law.backlash or 0.0,
            full_load=law.full_load,
            factor=self._factor("stiffness_factor", averages, teeth),
        )

    def friction_of(self, averages: PitchCircles, teeth: int | None) -> MeshFriction | None:
        """Make the law of friction of a mesh, or none.

        Raises
        ------
        Fault
        """
        factor = self._factor("friction_factor", averages, teeth)
        if self.friction == "none" and factor is not None:
            raise Fault("friction_factor", "given", "only with friction", "give a law of friction")
        width, angle = self.face_width_mm, self.base_helix_angle_deg or 0.0
        return self._law().friction_law(
            averages, face_width=None if width is None else width * MM, beta_b=radians(angle), factor=factor
        )

    def _law(self) -> SpringAndFriction:
        """Its numbers, with what needs or excludes them.

        Raises
        ------
        Fault
        """
        for key, (which, kind) in OF_KIND.items():
            if getattr(self, which) == kind and key in NEEDED and getattr(self, key) is None:
                raise Fault(key, None, f'given for {which} = "{kind}"', f"give {key}")
            if getattr(self, which) != kind and getattr(self, key) is not None:
                limit = f'left out: it has no effect with {which} = "{getattr(self, which)}"'
                raise Fault(key, "given", limit, "leave it out")
        return made_of(SpringAndFriction, self.given, Path())

    def _factor(self, key: str, averages: PitchCircles, teeth: int | None) -> PeriodicFactor | None:
        """Over one circular pitch of gear A."""
        values = getattr(self, key)
        if values is None:
            return None
        if teeth is None:
            raise Fault(key, "given", "only with teeth: it repeats with every one", "give teeth and module_mm")
        period = 2.0 * pi * abs(averages.r_A / teeth)
        return PeriodicFactor(period=period, values=values)


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
    pressure_angle_deg: float = limited(
        PRESSURE_ANGLE, "working transverse pressure angle in degrees (20)", default=20.0
    )

    def part(self, name: str, folder: Path) -> ElasticMesh:
        """Make the mesh."""
        averages = self._averages()
        teeth = None if self.teeth is None else self.teeth[0]
        return made_of(
            ElasticMesh,
            self.given,
            folder,
            name=name,
            averages=averages,
            spring=self.spring_of(averages, teeth),
            friction=self.friction_of(averages, teeth),
            teeth=None if self.teeth is None else (self.teeth[0], self.teeth[1]),
        )

    def _averages(self) -> PitchCircles:
        by_radii = {"pitch_radii_mm": self.pitch_radii_mm, "tip_radii_mm": self.tip_radii_mm}
        by_teeth = {"teeth": self.teeth, "module_mm": self.module_mm}
        shown = [key for key, value in {**by_radii, **by_teeth}.items() if value is not None]
        if self.teeth is not None and self.module_mm is not None and len(shown) == 2:
            r = [0.5 * MM * self.module_mm * z for z in self.teeth]
            r_a = [one + MM * self.module_mm for one in r]
        elif self.pitch_radii_mm is not None and len(shown) == 1 and self.friction == "none":
            first, second = self.pitch_radii_mm
            return PitchCircles(r_A=MM * first, r_B=MM * second, alpha=radians(self.pressure_angle_deg))
        elif self.pitch_radii_mm is not None and self.tip_radii_mm is not None and self.module_mm is None:
            r, r_a = ([MM * one for one in radii] for radii in (self.pitch_radii_mm, self.tip_radii_mm))
        else:
            limit = "pitch_radii_mm and tip_radii_mm, or teeth and module_mm"
            raise Fault("geometry of the mesh", " and ".join(shown) or "not given", limit, "give one of both pairs")
        alpha = radians(self.pressure_angle_deg)
        return MeshAverages.from_radii(r_A=r[0], r_B=r[1], r_aA=r_a[0], r_aB=r_a[1], alpha=alpha)
