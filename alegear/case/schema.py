"""The tables and keys of a case file: types, limits and defaults, in the units that the keys name.

Every key of the public case file is listed. Nothing is converted here, and the limits are those of the objects; the
sections (:mod:`alegear.case.gears`, :mod:`alegear.case.motion` ...) convert.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.modal import ModalAnalysis
from alegear.case.operation import MOST_ROWS, Operation
from alegear.case.output import OutputOptions, OutputPoint
from alegear.case.rules import ADDED_INERTIA, MOST_SLICES
from alegear.case.static import StaticAnalysis
from alegear.case.sweep import SweepAnalysis
from alegear.contact.law import Friction, PenaltyLaw
from alegear.dynamics.joints import TorsionShaft
from alegear.dynamics.support import Support
from alegear.fe.material import Material
from alegear.geometry.alignment import Alignment
from alegear.geometry.basic_rack import BasicRack
from alegear.geometry.gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.microgeometry import Microgeometry
from alegear.limits import Limits
from alegear.mesh.sector import MeshOptions


def _teeth(value: int) -> int:
    limits = Gear.LIMITS["z"]
    if value < 0:
        raise PydanticCustomError(
            "later", "internal gears are not in this version", {"remedy": "give a positive number of teeth"}
        )
    if limits.most is not None and value > limits.most:
        raise PydanticCustomError("limit", f"must be at most {limits.most:.0f}", {"remedy": "use fewer teeth"})
    if limits.least is not None and value < limits.least:
        remedy = f"use a gear with {limits.least:.0f} teeth or more"
        raise PydanticCustomError("limit", f"must be at least {limits.least:.0f}", {"remedy": remedy})
    return value


def _teeth_modelled(value: Any) -> int | None:
    if value == "all":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 3 and value % 2 == 1:
        return value
    raise PydanticCustomError(
        "limit", 'must be "all" or an odd number of teeth from 3 on', {"remedy": 'write "all", 3, 5, 7 ...'}
    )


def _of(limits: Limits, description: str, **options: Any) -> Any:
    """Return a field with the limits of the object that the number goes to."""
    return Field(description=description, **limits.bounds, **options)


def _number(limits: Limits) -> Any:
    """Return the type of a number in a list, with the limits of the object that it goes to."""
    return Annotated[float, Field(**limits.bounds)]


# The limits of the objects keep out what no gear has and what would end the arithmetic (overflow, steps without end).
_GEAR, _RACK, _MICRO, _ALIGNMENT = Gear.LIMITS, BasicRack.LIMITS, Microgeometry.LIMITS, Alignment.LIMITS
_MATERIAL, _MESH, _PENALTY, _FRICTION = Material.LIMITS, MeshOptions.LIMITS, PenaltyLaw.LIMITS, Friction.LIMITS
_OPERATION, _MOTION, _SWEEP = Operation.LIMITS, DynamicAnalysis.LIMITS, SweepAnalysis.LIMITS
_SUPPORT, _SHAFT, _POINT = Support.LIMITS, TorsionShaft.LIMITS, OutputPoint.LIMITS


class Table(BaseModel):
    """A table of the case file: no unknown keys, no silent conversions, finite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class PairTable(Table):
    """``[pair]``: what both gears share."""

    normal_module_mm: float = _of(_GEAR["m_n"], "normal module in mm")
    pressure_angle_deg: float = _of(_RACK["alpha_n"], "normal pressure angle in degrees", default=20.0)
    helix_angle_deg: float = _of(
        _GEAR["beta"], "helix angle of the pinion in degrees, right hand positive", default=0.0
    )
    center_distance_mm: float | None = _of(GearPair.LIMITS["a_w"], "centre distance in mm", default=None)


class FlankTable(Table):
    """``[pinion.flank]``: microgeometry, normal to the flank, material removed is positive."""

    tip_relief_um: float = _of(_MICRO["tip_relief"], "tip relief in micrometres", default=0.0)
    tip_relief_start_diameter_mm: float | None = _of(
        _MICRO["tip_relief_start_diameter"], "diameter where tip relief starts, in mm", default=None
    )
    tip_relief_shape: Literal["linear", "parabolic"] = Field(default="linear", description="shape of the tip relief")
    root_relief_um: float = _of(_MICRO["root_relief"], "root relief in micrometres", default=0.0)
    # without a relief the start and the shape have no effect, whatever they are
    root_relief_start_diameter_mm: float | None = _of(
        _MICRO["root_relief_start_diameter"], "diameter where root relief starts, in mm", default=None
    )
    root_relief_shape: Literal["linear", "parabolic"] = Field(default="linear", description="shape of the root relief")
    profile_crowning_um: float = _of(_MICRO["profile_crowning"], "profile crowning in micrometres", default=0.0)
    profile_slope_um: float = _of(
        _MICRO["profile_slope"], "profile slope in micrometres, positive removes at the tip", default=0.0
    )
    lead_crowning_um: float = _of(_MICRO["lead_crowning"], "lead crowning in micrometres", default=0.0)
    helix_slope_um: float = _of(
        _MICRO["helix_slope"], "helix slope in micrometres, positive removes at +z", default=0.0
    )
    end_relief_um: float = _of(_MICRO["end_relief"], "relief of both face ends in micrometres", default=0.0)
    end_relief_length_mm: float = _of(_MICRO["end_relief_length"], "length of each end relief in mm", default=0.0)
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

    youngs_modulus_GPa: float | None = _of(_MATERIAL["E"], "Young's modulus in GPa (steel 210)", default=None)
    poisson_ratio: float | None = _of(_MATERIAL["nu"], "Poisson's ratio (steel 0.3)", default=None)
    density_kg_m3: float | None = _of(_MATERIAL["rho"], "density in kg/m3 (steel 7860)", default=None)
    yield_strength_MPa: float | None = _of(
        _MATERIAL["yield_strength"], "yield strength in MPa, for a warning only (300)", default=None
    )


class MeshTable(Table):
    """``[mesh]``; a key left out has the default of :class:`alegear.mesh.sector.MeshOptions`."""

    flank_elements: int | None = _of(
        _MESH["flank_elements"], "number of elements along the involute (16)", default=None
    )
    fillet_elements: int | None = _of(
        _MESH["fillet_elements"], "number of elements along the fillet (12)", default=None
    )
    thickness_elements: int | None = _of(
        _MESH["thickness_elements"], "number of elements across the tooth (8)", default=None
    )
    width_elements: int | None = _of(
        _MESH["width_elements"],
        "number of elements across the face width (10, and a step of at most 1.7 modules, helical 0.5)",
        default=None,
    )
    rim_elements: int | None = _of(_MESH["rim_elements"], "number of radial elements of the rim (12)", default=None)
    order: Literal[1, 2] | None = Field(default=None, description="order of the elements (2; 1 with odd numbers)")


class GearMeshTable(MeshTable):
    """``[pinion.mesh]``: as ``[mesh]``, or a sector mesh made elsewhere."""

    file: str | None = Field(
        default=None, description="path of a sector mesh (.msh or .vtu), from the case file's folder"
    )


class GearTable(Table):
    """``[pinion]`` and ``[wheel]``."""

    teeth: Annotated[int, AfterValidator(_teeth)] = Field(description="number of teeth")
    profile_shift: float = _of(_GEAR["x"], "profile shift coefficient", default=0.0)
    face_width_mm: float = _of(_GEAR["b"], "face width in mm")
    bore_diameter_mm: float = _of(_GEAR["bore_diameter"], "bore diameter in mm")
    addendum_factor: float = _of(_RACK["addendum_factor"], "addendum in modules (1.0)", default=1.0)
    dedendum_factor: float = _of(_RACK["dedendum_factor"], "dedendum in modules (1.25)", default=1.25)
    root_radius_factor: float = _of(
        _RACK["root_radius_factor"], "tip round of the generating rack in modules (0.38)", default=0.38
    )
    tip_alteration_factor: float = _of(
        _GEAR["tip_alteration_factor"], "change of the tip radius in modules", default=0.0
    )
    tip_rounding_mm: float | None = _of(_GEAR["tip_rounding"], "radius of the tip edge in mm", default=None)
    tooth_thickness_allowance_um: float = _of(
        _GEAR["thickness_allowance"], "tooth thickness allowance in micrometres", default=0.0
    )
    teeth_modelled: Annotated[Any, BeforeValidator(_teeth_modelled)] = Field(
        default=None, description="teeth of the segment"
    )
    flank: FlankTable = FlankTable()
    material: MaterialTable = MaterialTable()
    mesh: GearMeshTable = GearMeshTable()


class AlignmentTable(Table):
    """``[alignment]``: of the pinion shaft against the wheel shaft."""

    tilt_plane_of_action_deg: float = _of(
        _ALIGNMENT["tilt_plane_of_action"],
        "tilt of the pinion axis in the plane of action in degrees, positive closes at +z",
        default=0.0,
    )
    tilt_normal_deg: float = _of(
        _ALIGNMENT["tilt_normal"], "tilt of the pinion axis in the plane normal to it in degrees", default=0.0
    )
    axial_offset_mm: float = _of(
        _ALIGNMENT["axial_offset"], "way of the pinion towards +z against the wheel in mm", default=0.0
    )
    center_distance_error_um: float = _of(
        _ALIGNMENT["center_distance_error"], "what the centre distance is more than given, in micrometres", default=0.0
    )


class PenaltyTable(Table):
    """``[contact.penalty]``."""

    stiffness_N_per_mm3: float | None = _of(PenaltyLaw.STIFFNESS, "penalty stiffness per area in N/mm3", default=None)
    exponent: float | None = _of(_PENALTY["exponent"], "exponent of the penetration (1)", default=None)
    damping_Ns_per_mm3: float | None = _of(_PENALTY["damping"], "damping per area in N s/mm3", default=None)
    pass_weight: float | None = _of(_PENALTY["pass_weight"], "weight of the pinion's pass (0.5)", default=None)
    gauss_points_profile: int | None = _of(
        _PENALTY["gauss_points_profile"],
        "Gauss points of a facet along the profile (as the curvature needs)",
        default=None,
    )
    gauss_points_face: int | None = _of(_PENALTY["gauss_points_face"], "Gauss points across the face (1)", default=None)


class ContactTable(Table):
    """``[contact]``."""

    law: Literal["hertz", "penalty"] = Field(default="hertz", description="law of contact")
    friction: Literal["none", "coulomb", "velocity"] = Field(default="none", description="friction of the flanks")
    mu_static: float | None = _of(_FRICTION["mu_static"], "static coefficient of friction (0.08)", default=None)
    mu_dynamic: float | None = _of(_FRICTION["mu_dynamic"], "dynamic coefficient of friction (0.05)", default=None)
    transition_speed_static_m_per_s: float | None = _of(
        _FRICTION["v_static"], "sliding speed at which friction is static, in m/s (0.001)", default=None
    )
    transition_speed_dynamic_m_per_s: float | None = _of(
        _FRICTION["v_dynamic"], "sliding speed from which friction is dynamic, in m/s (0.01)", default=None
    )
    slices: int | None = Field(default=None, ge=1, le=MOST_SLICES, description="number of slices of the common face")
    window_pairs: int | None = Field(default=None, ge=2, description="number of tooth pairs in the window")
    penalty: PenaltyTable = PenaltyTable()


class OperationTable(Table):
    """``[operation]``."""

    driver: Literal["pinion", "wheel"] = Field(default="pinion", description="driving gear")
    pinion_torque_Nm: float | None = _of(_OPERATION["pinion_torque"], "torque on the pinion shaft in N m", default=None)
    pinion_torque_table_s_Nm: (
        Annotated[
            list[Annotated[list[_number(_OPERATION["pinion_torque"])], Field(min_length=2, max_length=2)]],  # type: ignore[valid-type]
            Field(min_length=2, max_length=MOST_ROWS),
        ]
        | None
    ) = Field(default=None, description="pairs of a time in s and the torque on the pinion shaft in N m")
    pinion_speed_rpm: float | None = _of(_OPERATION["pinion_speed"], "speed of the pinion in rpm", default=None)
    pinion_speed_table_s_rpm: (
        Annotated[
            list[Annotated[list[_number(_OPERATION["pinion_speed"])], Field(min_length=2, max_length=2)]],  # type: ignore[valid-type]
            Field(min_length=2, max_length=MOST_ROWS),
        ]
        | None
    ) = Field(default=None, description="pairs of a time in s and the speed of the pinion in rpm")
    gravity_m_s2: Annotated[list[_number(Operation.GRAVITY)], Field(min_length=3, max_length=3)] | None = Field(  # type: ignore[valid-type]
        default=None, description="acceleration of gravity [x, y, z] in m/s2, on gears on bearings"
    )


class StaticTable(Table):
    """``[analysis]`` with ``kind = "static"``."""

    kind: Literal["static"]
    positions_per_pitch: int = _of(
        StaticAnalysis.LIMITS["positions_per_pitch"], "number of positions in a pitch (32)", default=32
    )
    pitches: int = _of(StaticAnalysis.LIMITS["pitches"], "number of pitches (1)", default=1)
    tooth_change_threshold: float | None = _of(
        StaticAnalysis.LIMITS["tooth_change_threshold"], "phase of the tooth-change", default=None
    )
    grid_estimate: bool = Field(
        default=True, description="whether a coarser grid tells how far the result depends on the grid (true)"
    )


class MotionTable(Table):
    """What all motions have in common."""

    duration_s: float = _of(_MOTION["duration"], "duration in s")
    tolerance: float | None = _of(_MOTION["tolerance"], "relative error of a step (1e-4)", default=None)
    time_step_s: float | None = _of(_MOTION["time_step"], "fixed time step in s", default=None)
    method: Literal["generalized-alpha", "hht", "backward-euler"] = Field(
        default="generalized-alpha", description="integration method"
    )
    rho_inf: float = _of(_MOTION["rho_inf"], "spectral radius at infinity (0.8)", default=0.8)
    mesh_damping_ratio: float = _of(
        _MOTION["mesh_damping_ratio"], "damping ratio of the pair's first mode (0.02)", default=0.02
    )
    output_every_s: float = _of(_MOTION["output_every"], "spacing of the output in s (2e-5)", default=2e-5)
    inertia: Literal["simplified", "full"] = Field(
        default="simplified", description="inertia of the wheels: without that of their deformation, or with it"
    )
    normal_modes: int | None = Field(
        default=None,
        ge=1,
        le=int(_MOTION["normal_modes"].most or 0),
        description='number of normal modes of each wheel (24 with inertia = "full")',
    )
    modal_damping_ratio: float | None = _of(
        _MOTION["modal_damping_ratio"], "damping ratio of each normal mode (0.01)", default=None
    )
    tooth_change_threshold: float | None = _of(
        _MOTION["tooth_change_threshold"], "phase of the tooth-change", default=None
    )


class DynamicTable(MotionTable):
    """``[analysis]`` with ``kind = "dynamic"``."""

    kind: Literal["dynamic"]
    ramp_s: float = _of(_MOTION["ramp"], "duration of the run-up in s", default=0.0)


class SweepTable(MotionTable):
    """``[analysis]`` with ``kind = "sweep"``; the duration is that of one way."""

    kind: Literal["sweep"]
    speed_from_rpm: float = Field(gt=0.0, le=1e6, description="first speed of the pinion in rpm")
    speed_to_rpm: float = Field(gt=0.0, le=1e6, description="last speed of the pinion in rpm")
    and_back: bool = Field(default=True, description="whether the speed goes back again (true)")
    settling_s: float | None = _of(
        _SWEEP["settling"], "time at the beginning that is left out, in s (a twentieth)", default=None
    )
    pitches_per_point: int = _of(_SWEEP["pitches"], "pitches that make a point (16)", default=16)


class ModalTable(Table):
    """``[analysis]`` with ``kind = "modal"``."""

    kind: Literal["modal"]
    n_modes: int = _of(
        ModalAnalysis.LIMITS["n_modes"], "number of modes of each wheel and of the pair (10)", default=10
    )
    normal_modes: int = _of(
        ModalAnalysis.LIMITS["normal_modes"],
        "number of normal modes of each wheel that vibrate in the pair (0)",
        default=0,
    )
    phase: float | None = _of(
        ModalAnalysis.LIMITS["phase"], "position of the driven gear in pitches (mean over a pitch)", default=None
    )


Stiffness = Annotated[float, Field(gt=0.0, le=Support.LARGEST_STIFFNESS)]
Damping = Annotated[float, Field(ge=0.0, le=Support.LARGEST_DAMPING)]


def _listed(entry: Any, length: int) -> Any:
    return Annotated[list[entry], Field(min_length=length, max_length=length)]


Entry = Annotated[float, Field(ge=-Support.LARGEST_STIFFNESS, le=Support.LARGEST_STIFFNESS)]
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
    added_inertia_kg_m2: float = _of(ADDED_INERTIA, "further inertia about the axis in kg m2", default=0.0)
    added_mass_kg: float = _of(_SUPPORT["added_mass"], "mass of the shaft in kg", default=0.0)
    added_tilt_inertia_kg_m2: float = _of(
        _SUPPORT["added_tilt_inertia"], "inertia of the shaft about a diameter of mid-face in kg m2", default=0.0
    )
    unbalance_g_mm: float = _of(_SUPPORT["unbalance"], "unbalance of the gear in g mm", default=0.0)


class SupportsTable(Table):
    """``[supports]``."""

    pinion: SupportTable = SupportTable()
    wheel: SupportTable = SupportTable()


class ShaftTable(Table):
    """``[shafts.pinion]``: what lies between a gear and its drive or load."""

    stiffness_Nm_per_rad: float = _of(_SHAFT["stiffness"], "torsional stiffness in N m/rad")
    damping_Nms_per_rad: float = _of(_SHAFT["damping"], "torsional damping in N m s/rad (0)", default=0.0)
    inertia_kg_m2: float | None = Field(
        default=None,
        gt=0.0,
        le=_SHAFT["inertia"].most,
        description="inertia of the load at the end of the driven shaft in kg m2",
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
    fillet_share: float | None = _of(
        _POINT["fillet_share"], "place in the fillet, 0 mid-space to 1 root form circle", default=None
    )
    diameter_mm: float | None = _of(_POINT["radius"], "diameter of the point in mm", default=None)
    face_position_mm: float = _of(_POINT["face_position"], "place along the axis from mid-face in mm", default=0.0)
    teeth: list[Annotated[int, Field(ge=0)]] | None = Field(
        default=None, min_length=1, description="teeth on which, counted from 0 (all)"
    )


class OutputTable(Table):
    """``[output]``."""

    fields: bool = Field(default=True, description="whether to write stress fields")
    field_times_s: list[_number(OutputOptions.TIME)] | None = Field(  # type: ignore[valid-type]
        default=None, description="times of the fields in s"
    )
    plots: bool = Field(default=True, description="whether to draw plots")
    checkpoint_every_s: float = _of(
        OutputOptions.LIMITS["checkpoint_every"], "wall time between checkpoints in s, 0 for none (60)", default=60.0
    )
    points: list[PointTable] = Field(
        default=[], max_length=OutputOptions.MOST_POINTS, description="points whose stress and motion are recorded"
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
REQUIRED = ("pair", "pinion", "wheel", "operation", "analysis")
ANALYSES: dict[str, type[Table]] = {
    "static": StaticTable,
    "dynamic": DynamicTable,
    "modal": ModalTable,
    "sweep": SweepTable,
}
