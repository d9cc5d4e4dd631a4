"""The tables and keys of a case file: types, limits and defaults, in the units that the keys name.

Every key of the public case file is listed. Nothing is converted here; the sections (:mod:`alegear.study.case_gears`,
:mod:`alegear.study.case_motion` ...) do that.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

LATER = "not in this version"


def _teeth(value: int) -> int:
    if value < 0:
        raise PydanticCustomError(
            "later", "internal gears are not in this version", {"remedy": "give a positive number of teeth"}
        )
    if value > 10000:
        raise PydanticCustomError("limit", "must be at most 10000", {"remedy": "use fewer teeth"})
    if value < 5:
        raise PydanticCustomError("limit", "must be at least 5", {"remedy": "use a gear with 5 teeth or more"})
    return value


def _teeth_modelled(value: Any) -> int | None:
    if value == "all":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 3 and value % 2 == 1:
        return value
    raise PydanticCustomError(
        "limit", 'must be "all" or an odd number of teeth from 3 on', {"remedy": 'write "all", 3, 5, 7 ...'}
    )


# The limits keep out what no gear has and what would end the arithmetic (overflow, steps without end); they are wide.
Length = Annotated[float, Field(ge=0.01, le=1e5)]  # [mm]
Deviation = Annotated[float, Field(ge=-1e5, le=1e5)]  # [um]
Removal = Annotated[float, Field(ge=0.0, le=1e5)]  # [um]
Friction = Annotated[float, Field(ge=0.0, lt=1.0)]
Speed = Annotated[float, Field(ge=1e-9, le=1e3)]  # [m/s]
Seconds = Annotated[float, Field(ge=1e-12, le=1e6)]
Torque = Annotated[float, Field(ge=-1e12, le=1e12)]  # [N m]
Tilt = Annotated[float, Field(ge=-1.0, le=1.0)]  # [deg]


class Table(BaseModel):
    """A table of the case file: no unknown keys, no silent conversions, finite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class PairTable(Table):
    """``[pair]``: what both gears share."""

    normal_module_mm: float = Field(ge=0.01, le=1000.0, description="normal module in mm")
    pressure_angle_deg: float = Field(default=20.0, ge=5.0, le=40.0, description="normal pressure angle in degrees")
    helix_angle_deg: float = Field(
        default=0.0, ge=-45.0, le=45.0, description="helix angle of the pinion in degrees, right hand positive"
    )
    center_distance_mm: Length | None = Field(default=None, description="centre distance in mm")


class FlankTable(Table):
    """``[pinion.flank]``: microgeometry, normal to the flank, material removed is positive."""

    tip_relief_um: Removal = Field(default=0.0, description="tip relief in micrometres")
    tip_relief_start_diameter_mm: Length | None = Field(
        default=None, description="diameter where tip relief starts, in mm"
    )
    tip_relief_shape: Literal["linear", "parabolic"] = Field(default="linear", description="shape of the tip relief")
    root_relief_um: Removal = Field(default=0.0, description="root relief in micrometres")
    # without a relief the start and the shape have no effect, whatever they are
    root_relief_start_diameter_mm: Length | None = Field(
        default=None, description="diameter where root relief starts, in mm"
    )
    root_relief_shape: Literal["linear", "parabolic"] = Field(default="linear", description="shape of the root relief")
    profile_crowning_um: Deviation = Field(default=0.0, description="profile crowning in micrometres")
    profile_slope_um: Deviation = Field(
        default=0.0, description="profile slope in micrometres, positive removes at the tip"
    )
    lead_crowning_um: Deviation = Field(default=0.0, description="lead crowning in micrometres")
    helix_slope_um: Deviation = Field(default=0.0, description="helix slope in micrometres, positive removes at +z")
    end_relief_um: Removal = Field(default=0.0, description="relief of both face ends in micrometres")
    end_relief_length_mm: float = Field(default=0.0, ge=0.0, le=1e5, description="length of each end relief in mm")
    topography_csv: str | None = Field(
        default=None,
        description="path of the measured flank (roll_length_mm, face_position_mm, deviation_um),"
        " from the case file's folder",
    )
    pitch_deviation_csv: str | None = Field(
        default=None,
        description="path of the pitch deviations (tooth, deviation_um), from the case file's folder",
    )


class MaterialTable(Table):
    """``[material]`` or ``[pinion.material]``; a key left out is taken from the more general table."""

    youngs_modulus_GPa: float | None = Field(
        default=None, ge=1e-3, le=1e9, description="Young's modulus in GPa (steel 210)"
    )
    poisson_ratio: float | None = Field(default=None, ge=0.0, lt=0.5, description="Poisson's ratio (steel 0.3)")
    density_kg_m3: float | None = Field(default=None, ge=1.0, le=1e5, description="density in kg/m3 (steel 7860)")
    yield_strength_MPa: float | None = Field(
        default=None, ge=1e-3, le=1e6, description="yield strength in MPa, for a warning only (300)"
    )


Elements = Annotated[int, Field(ge=1, le=400)]
TwoElements = Annotated[int, Field(ge=2, le=400)]


class MeshTable(Table):
    """``[mesh]``; a key left out has the default of :class:`alegear.mesh.sector.MeshOptions`."""

    flank_elements: TwoElements | None = Field(default=None, description="number of elements along the involute (16)")
    fillet_elements: TwoElements | None = Field(default=None, description="number of elements along the fillet (12)")
    thickness_elements: TwoElements | None = Field(default=None, description="number of elements across the tooth (8)")
    width_elements: Elements | None = Field(
        default=None, description="number of elements across the face width (8, and a step of at most 1.7 modules)"
    )
    rim_elements: Elements | None = Field(default=None, description="number of radial elements of the rim (12)")
    order: Literal[1, 2] | None = Field(default=None, description="order of the elements (2; 1 with odd numbers)")


class GearMeshTable(MeshTable):
    """``[pinion.mesh]``: as ``[mesh]``, or a sector mesh made elsewhere."""

    file: str | None = Field(
        default=None, description="path of a sector mesh (.msh or .vtu), from the case file's folder"
    )


class GearTable(Table):
    """``[pinion]`` and ``[wheel]``."""

    teeth: Annotated[int, AfterValidator(_teeth)] = Field(description="number of teeth")
    profile_shift: float = Field(default=0.0, ge=-3.0, le=3.0, description="profile shift coefficient")
    face_width_mm: float = Field(ge=0.01, le=10000.0, description="face width in mm")
    bore_diameter_mm: Length = Field(description="bore diameter in mm")
    addendum_factor: float = Field(default=1.0, ge=0.01, le=5.0, description="addendum in modules (1.0)")
    dedendum_factor: float = Field(default=1.25, ge=0.01, le=5.0, description="dedendum in modules (1.25)")
    root_radius_factor: float = Field(
        default=0.38, ge=0.0, le=5.0, description="tip round of the generating rack in modules (0.38)"
    )
    tip_alteration_factor: float = Field(
        default=0.0, ge=-3.0, le=3.0, description="change of the tip radius in modules"
    )
    tip_rounding_mm: float | None = Field(default=None, ge=0.0, le=1000.0, description="radius of the tip edge in mm")
    tooth_thickness_allowance_um: Deviation = Field(default=0.0, description="tooth thickness allowance in micrometres")
    teeth_modelled: Annotated[Any, BeforeValidator(_teeth_modelled)] = Field(
        default=None, description="teeth of the segment"
    )
    flank: FlankTable = FlankTable()
    material: MaterialTable = MaterialTable()
    mesh: GearMeshTable = GearMeshTable()


class AlignmentTable(Table):
    """``[alignment]``: of the pinion shaft against the wheel shaft."""

    tilt_plane_of_action_deg: Tilt = Field(
        default=0.0, description="tilt of the pinion axis in the plane of action in degrees, positive closes at +z"
    )
    tilt_normal_deg: Tilt = Field(
        default=0.0, description="tilt of the pinion axis in the plane normal to it in degrees"
    )
    axial_offset_mm: float = Field(
        default=0.0, ge=-1e5, le=1e5, description="way of the pinion towards +z against the wheel in mm"
    )
    center_distance_error_um: Deviation = Field(
        default=0.0, description="what the centre distance is more than given, in micrometres"
    )


class PenaltyTable(Table):
    """``[contact.penalty]``."""

    stiffness_N_per_mm3: float | None = Field(
        default=None, ge=1.0, le=1e12, description="penalty stiffness per area in N/mm3"
    )
    exponent: float | None = Field(default=None, ge=1.0, le=3.0, description="exponent of the penetration (1)")
    damping_Ns_per_mm3: float | None = Field(default=None, ge=0.0, le=1e9, description="damping per area in N s/mm3")
    pass_weight: float | None = Field(default=None, ge=0.0, le=1.0, description="weight of the pinion's pass (0.5)")
    gauss_points_profile: int | None = Field(
        default=None, ge=1, le=16, description="Gauss points along the profile (4)"
    )
    gauss_points_face: int | None = Field(default=None, ge=1, le=16, description="Gauss points across the face (1)")


class ContactTable(Table):
    """``[contact]``."""

    law: Literal["hertz", "penalty"] = Field(default="hertz", description="law of contact")
    friction: Literal["none", "coulomb", "velocity"] = Field(default="none", description="friction of the flanks")
    mu_static: Friction | None = Field(default=None, description="static coefficient of friction (0.08)")
    mu_dynamic: Friction | None = Field(default=None, description="dynamic coefficient of friction (0.05)")
    transition_speed_static_m_per_s: Speed | None = Field(
        default=None, description="sliding speed at which friction is static, in m/s (0.001)"
    )
    transition_speed_dynamic_m_per_s: Speed | None = Field(
        default=None, description="sliding speed from which friction is dynamic, in m/s (0.01)"
    )
    slices: int | None = Field(default=None, ge=1, le=400, description="number of slices of the common face")
    window_pairs: int | None = Field(default=None, ge=2, description="number of tooth pairs in the window")
    penalty: PenaltyTable = PenaltyTable()


class OperationTable(Table):
    """``[operation]``."""

    driver: Literal["pinion", "wheel"] = Field(default="pinion", description="driving gear")
    pinion_torque_Nm: Torque | None = Field(default=None, description="torque on the pinion shaft in N m")
    pinion_torque_table_s_Nm: (
        Annotated[
            list[Annotated[list[Torque], Field(min_length=2, max_length=2)]],
            Field(min_length=2, max_length=10_000),
        ]
        | None
    ) = Field(default=None, description="pairs of a time in s and the torque on the pinion shaft in N m")
    pinion_speed_rpm: float | None = Field(default=None, ge=0.0, le=1e6, description="speed of the pinion in rpm")
    pinion_speed_table_s_rpm: (
        Annotated[
            list[Annotated[list[Annotated[float, Field(ge=0.0, le=1e6)]], Field(min_length=2, max_length=2)]],
            Field(min_length=2, max_length=10_000),
        ]
        | None
    ) = Field(default=None, description="pairs of a time in s and the speed of the pinion in rpm")
    gravity_m_s2: (
        Annotated[list[Annotated[float, Field(ge=-1e4, le=1e4)]], Field(min_length=3, max_length=3)] | None
    ) = Field(default=None, description="acceleration of gravity [x, y, z] in m/s2, on gears on bearings")


class StaticTable(Table):
    """``[analysis]`` with ``kind = "static"``."""

    kind: Literal["static"]
    positions_per_pitch: int = Field(default=32, ge=1, le=100000, description="number of positions in a pitch (32)")
    pitches: int = Field(default=1, ge=1, le=10000, description="number of pitches (1)")
    tooth_change_threshold: float | None = Field(default=None, ge=-1.0, le=1.0, description="phase of the tooth-change")


class MotionTable(Table):
    """What all motions have in common."""

    duration_s: Seconds = Field(description="duration in s")
    tolerance: float | None = Field(default=None, ge=1e-12, le=0.1, description="relative error of a step (1e-4)")
    time_step_s: Seconds | None = Field(default=None, description="fixed time step in s")
    method: Literal["generalized-alpha", "hht", "backward-euler"] = Field(
        default="generalized-alpha", description="integration method"
    )
    rho_inf: float = Field(default=0.8, ge=0.0, le=1.0, description="spectral radius at infinity (0.8)")
    mesh_damping_ratio: float = Field(
        default=0.02, ge=0.0, le=1e3, description="damping ratio of the pair's first mode (0.02)"
    )
    output_every_s: Seconds = Field(default=2e-5, description="spacing of the output in s (2e-5)")
    inertia: Literal["simplified", "full"] = Field(
        default="simplified", description="inertia of the wheels: without that of their deformation, or with it"
    )
    normal_modes: int | None = Field(
        default=None, ge=1, le=400, description='number of normal modes of each wheel (24 with inertia = "full")'
    )
    modal_damping_ratio: float | None = Field(
        default=None, ge=0.0, lt=1.0, description="damping ratio of each normal mode (0.01)"
    )
    tooth_change_threshold: float | None = Field(default=None, ge=-1.0, le=1.0, description="phase of the tooth-change")


class DynamicTable(MotionTable):
    """``[analysis]`` with ``kind = "dynamic"``."""

    kind: Literal["dynamic"]
    ramp_s: float = Field(default=0.0, ge=0.0, le=1e6, description="duration of the run-up in s")


class SweepTable(MotionTable):
    """``[analysis]`` with ``kind = "sweep"``; the duration is that of one way."""

    kind: Literal["sweep"]
    speed_from_rpm: float = Field(gt=0.0, le=1e6, description="first speed of the pinion in rpm")
    speed_to_rpm: float = Field(gt=0.0, le=1e6, description="last speed of the pinion in rpm")
    and_back: bool = Field(default=True, description="whether the speed goes back again (true)")
    settling_s: float | None = Field(
        default=None, ge=0.0, le=1e6, description="time at the beginning that is left out, in s (a twentieth)"
    )
    pitches_per_point: int = Field(default=16, ge=2, le=10000, description="pitches that make a point (16)")


class ModalTable(Table):
    """``[analysis]`` with ``kind = "modal"``."""

    kind: Literal["modal"]
    n_modes: int = Field(default=10, ge=1, le=200, description="number of modes of each wheel and of the pair (10)")
    normal_modes: int = Field(
        default=0, ge=0, le=200, description="number of normal modes of each wheel that vibrate in the pair (0)"
    )
    phase: float | None = Field(
        default=None, ge=-0.5, le=0.5, description="position of the driven gear in pitches (mean over a pitch)"
    )


Stiffness = Annotated[float, Field(gt=0.0, le=1e15)]
Damping = Annotated[float, Field(ge=0.0, le=1e12)]


def _listed(entry: Any, length: int) -> Any:
    return Annotated[list[entry], Field(min_length=length, max_length=length)]


Entry = Annotated[float, Field(ge=-1e15, le=1e15)]
Matrix = _listed(_listed(Entry, 6), 6)


class SupportTable(Table):
    """``[supports.pinion]``: a hinge, or shaft and bearings as they are felt at the centre of the gear's mid-face."""

    kind: Literal["hinge", "bearing"] = Field(default="hinge", description="kind of support")
    stiffness_N_per_m: _listed(Stiffness, 3) | None = Field(  # type: ignore[valid-type]
        default=None, description="stiffness [x, y, z] in N/m"
    )
    tilt_stiffness_Nm_per_rad: _listed(Stiffness, 2) | None = Field(  # type: ignore[valid-type]
        default=None, description="stiffness against tilting [about x, about y] in N m/rad"
    )
    damping_Ns_per_m: _listed(Damping, 3) | None = Field(  # type: ignore[valid-type]
        default=None, description="damping [x, y, z] in N s/m (0)"
    )
    tilt_damping_Nms_per_rad: _listed(Damping, 2) | None = Field(  # type: ignore[valid-type]
        default=None, description="damping of tilting [about x, about y] in N m s/rad (0)"
    )
    stiffness_matrix_N_m_rad: Matrix | None = Field(  # type: ignore[valid-type]
        default=None,
        description="stiffness as a matrix 6 x 6: N and N m by m and rad, x, y, z, about x, y, z (about z: 0)",
    )
    damping_matrix_N_m_rad_s: Matrix | None = Field(  # type: ignore[valid-type]
        default=None, description="damping as a matrix 6 x 6: N and N m by m/s and rad/s (about z: 0)"
    )
    added_inertia_kg_m2: float = Field(
        default=0.0, ge=0.0, le=1e12, description="further inertia about the axis in kg m2"
    )
    added_mass_kg: float = Field(default=0.0, ge=0.0, le=1e9, description="mass of the shaft in kg")
    added_tilt_inertia_kg_m2: float = Field(
        default=0.0, ge=0.0, le=1e12, description="inertia of the shaft about a diameter of mid-face in kg m2"
    )
    unbalance_g_mm: float = Field(default=0.0, ge=0.0, le=1e12, description="unbalance of the gear in g mm")


class SupportsTable(Table):
    """``[supports]``."""

    pinion: SupportTable = SupportTable()
    wheel: SupportTable = SupportTable()


class ShaftTable(Table):
    """``[shafts.pinion]``: what lies between a gear and its drive or load."""

    stiffness_Nm_per_rad: float = Field(gt=0.0, le=1e15, description="torsional stiffness in N m/rad")
    damping_Nms_per_rad: float = Field(default=0.0, ge=0.0, le=1e12, description="torsional damping in N m s/rad (0)")
    inertia_kg_m2: float | None = Field(
        default=None, gt=0.0, le=1e12, description="inertia of the load at the end of the driven shaft in kg m2"
    )


class ShaftsTable(Table):
    """``[shafts]``."""

    pinion: ShaftTable | None = None
    wheel: ShaftTable | None = None


class PointTable(Table):
    """``[[output.points]]``: a point of the teeth whose stress and motion are recorded."""

    name: str | None = Field(default=None, min_length=1, max_length=60, description="name of the point")
    gear: Literal["pinion", "wheel"] = Field(description="gear of the point")
    flank: Literal["front", "back"] = Field(default="front", description="side of the tooth (front)")
    fillet_share: float | None = Field(
        default=None, ge=0.0, le=1.0, description="place in the fillet, 0 mid-space to 1 root form circle"
    )
    diameter_mm: Length | None = Field(default=None, description="diameter of the point in mm")
    face_position_mm: float = Field(
        default=0.0, ge=-1e5, le=1e5, description="place along the axis from mid-face in mm"
    )
    teeth: list[Annotated[int, Field(ge=0)]] | None = Field(
        default=None, min_length=1, description="teeth on which, counted from 0 (all)"
    )


class OutputTable(Table):
    """``[output]``."""

    fields: bool = Field(default=True, description="whether to write stress fields")
    field_times_s: list[Annotated[float, Field(ge=0.0)]] | None = Field(
        default=None, description="times of the fields in s"
    )
    plots: bool = Field(default=True, description="whether to draw plots")
    checkpoint_every_s: float = Field(
        default=60.0, ge=0.0, le=1e6, description="wall time between checkpoints in s, 0 for none (60)"
    )
    points: list[PointTable] = Field(
        default=[], max_length=100, description="points whose stress and motion are recorded"
    )


class TitleTable(Table):
    """Keys before the first table."""

    title: str | None = Field(default=None, description="title of the case")


#: Table name -> model, in the order of the case file. ``[analysis]`` depends on its kind.
TABLES: dict[str, type[Table]] = {
    "pair": PairTable,
    "pinion": GearTable,
    "wheel": GearTable,
    "material": MaterialTable,
    "alignment": AlignmentTable,
    "mesh": MeshTable,
    "contact": ContactTable,
    "operation": OperationTable,
    "analysis": StaticTable,
    "supports": SupportsTable,
    "shafts": ShaftsTable,
    "output": OutputTable,
}
#: Largest numbers of what a case makes the program go through.
MOST_POSITIONS = 100_000
MOST_STEPS = 10_000_000
MOST_PITCHES = 100_000
MOST_ELEMENTS = 1_000_000
#: Largest twist [rad] of a shaft under its torque.
LARGEST_TWIST = 1.0
#: Smallest torque [N m] and speed [rpm] that are not 0.
LEAST = 1e-6
REQUIRED = ("pair", "pinion", "wheel", "operation", "analysis")
ANALYSES: dict[str, type[Table]] = {
    "static": StaticTable,
    "dynamic": DynamicTable,
    "modal": ModalTable,
    "sweep": SweepTable,
}
