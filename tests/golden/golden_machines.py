"""Machines of every kind, small: what the golden numbers are taken from.

Coarse grids, few positions, short motions; all of them take a minute together. The kind of study ends each name.
"""

from __future__ import annotations

import sys
import tomllib
from functools import cache
from pathlib import Path

import alegear as ag

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from small_cases import COARSE

_GRID = f"[grid]\n{COARSE}"
#: What no picture, field or second grid is needed for.
_NOTHING_DRAWN = "[output]\nfields = false\nplots = false\n"


def _analysis(kind: str, further: str = "") -> str:
    return f'[analysis]\nkind = "{kind}"\n{further}\n'


def _gear(name: str, shaft: str, at: float, teeth: int, width: float, bore: float, further: str = "") -> str:
    return f"""
[gears.{name}]
shaft = "{shaft}"
at_mm = {at}
teeth = {teeth}
face_width_mm = {width}
bore_diameter_mm = {bore}
tooth_thickness_allowance_um = 40.0
{further}
"""


def _bearings(shaft: str, length: float) -> str:
    """Two bearings near the ends, the first of which holds the shaft along its axis."""
    return "".join(
        f"""
[bearings.{shaft}_{side}]
shaft = "{shaft}"
at_mm = {at}
stiffness_N_per_m = [3e8, 3e8, {along}]
tilt_stiffness_Nm_per_rad = [2e4, 2e4]
damping_Ns_per_m = [2e3, 2e3, 1e3]
tilt_damping_Nms_per_rad = [1.0, 1.0]
"""
        for side, at, along in (("left", 10.0, 1e8), ("right", length - 10.0, 0.0))
    )


def _hinges(distances: dict[str, float]) -> str:
    """Shafts on hinges, by their distance from the first."""
    return "".join(
        f"[shafts.{name}]\nfixed_axis = true\nposition_mm = [{x}, 0.0, 0.0]\n" for name, x in distances.items()
    )


# ------------------------------------------------------------------------------------------------ shafts that bend
#: A helical and a spur stage, whose pitches come together again after three and two; the first pinion is relieved.
_TWO_STAGE = f"""
[machine]
gravity_m_s2 = [0.0, -9.81, 0.0]
{_GRID}
{_NOTHING_DRAWN}
[shafts.in]
sections_mm = [[100, 30, 0]]
[shafts.middle]
sections_mm = [[80, 40, 0], [60, 35, 10]]
position_mm = [102.5, 0.0, 0.0]
[shafts.out]
sections_mm = [[60, 45, 0]]
position_mm = [102.5, 90.0, 80.0]
{_gear("p1", "in", 50.0, 20, 20.0, 35.0)}
[gears.p1.flank]
tip_relief_um = 15.0
tip_relief_start_diameter_mm = 84.0
lead_crowning_um = 5.0
{_gear("w1", "middle", 50.0, 30, 20.0, 55.0, "profile_shift = 'from centre distance'")}
{_gear("p2", "middle", 110.0, 20, 20.0, 35.0)}
{_gear("w2", "out", 30.0, 25, 20.0, 45.0)}
[meshes.first]
gears = ["p1", "w1"]
normal_module_mm = 4.0
helix_angle_deg = 12.0
slices = 5
[meshes.second]
gears = ["p2", "w2"]
normal_module_mm = 4.0
slices = 5
{_bearings("in", 100.0)}
{_bearings("middle", 140.0)}
{_bearings("out", 60.0)}
[drives.motor]
shaft = "in"
SPEED
[loads.machine]
shaft = "out"
at_mm = 60
torque_Nm = 450.0
"""


def _two_stage(analysis: str, drive: str = "speed_rpm = 1500.0") -> str:
    return _TWO_STAGE.replace("SPEED", drive) + analysis


_SWEEP = """
speed_from_rpm = 5000.0
speed_to_rpm = 6000.0
tooth_change_threshold = 0.5
"""

# ------------------------------------------------------------------------------------------------ gears on hinges
_IDLER = f"""
[machine]
{_GRID}
{_NOTHING_DRAWN}
{_hinges({"in": 0.0, "between": 100.0})}
[shafts.out]
fixed_axis = true
position_mm = [155.0, -95.26279442, 0.0]
{_gear("pinion", "in", 0.0, 20, 30.0, 35.0)}
{_gear("idler", "between", 0.0, 30, 30.0, 54.0)}
{_gear("wheel", "out", 0.0, 25, 30.0, 45.0)}
[meshes.first]
gears = ["pinion", "idler"]
normal_module_mm = 4.0
slices = 5
[meshes.second]
gears = ["idler", "wheel"]
normal_module_mm = 4.0
slices = 5
friction = "coulomb"
mu_dynamic = 0.06
[drives.motor]
shaft = "in"
speed_rpm = 1500.0
[loads.machine]
shaft = "out"
torque_Nm = 500.0
"""

#: A pair on Hertz teeth, tilted, with a damaged tooth, between shafts that bend.
_TEETH = f"""
[machine]
fidelity = "teeth"
{_NOTHING_DRAWN}
[shafts.in]
sections_mm = [[100, 30, 0]]
[shafts.out]
sections_mm = [[100, 40, 0]]
position_mm = [100.0, 0.0, 0.0]
{_gear("pinion", "in", 50.0, 20, 20.0, 30.0)}
{_gear("wheel", "out", 50.0, 30, 20.0, 40.0)}
[meshes.stage]
gears = ["pinion", "wheel"]
normal_module_mm = 4.0
slices = 3
tilt_plane_of_action_deg = 0.01
[[meshes.stage.damaged_teeth]]
gear = "pinion"
tooth = 1
depth_um = 5.0
{_bearings("in", 100.0)}
{_bearings("out", 100.0)}
[drives.motor]
shaft = "in"
speed_rpm = 1500.0
[loads.machine]
shaft = "out"
at_mm = 100
torque_Nm = 300.0
"""

#: A rigid, a lossy and an elastic mesh one after the other, with friction in the last; the load turns its sign.
_LAWS = f"""
[machine]
{_hinges({"s0": 0.0, "s1": 100.0, "s2": 200.0, "s3": 300.0})}
{_gear("g0", "s0", 0.0, 20, 20.0, 30.0)}
{_gear("g1", "s1", 0.0, 30, 20.0, 30.0)}
{_gear("g2", "s1", 50.0, 22, 20.0, 30.0)}
{_gear("g3", "s2", 50.0, 28, 20.0, 30.0)}
{_gear("g4", "s2", 100.0, 24, 20.0, 30.0)}
{_gear("g5", "s3", 100.0, 26, 20.0, 30.0)}
[meshes.rigid]
gears = ["g0", "g1"]
normal_module_mm = 4.0
fidelity = "rigid"
[meshes.lossy]
gears = ["g2", "g3"]
normal_module_mm = 4.0
fidelity = "lossy"
losses = [[0.0, 0.96, 0.95, 0.5, 0.6], [20.0, 0.985, 0.98, 0.8, 0.9]]
[meshes.elastic]
gears = ["g4", "g5"]
normal_module_mm = 4.0
fidelity = "elastic"
damping_Ns_per_m = 4e3
backlash_um = 30.0
spring = "niemann-winter"
full_load_N = 4000.0
least_stiffness = 0.4
friction = "coulomb"
mu = 0.05
[drives.motor]
shaft = "s0"
speed_table_s_rpm = [[0.0, 300.0], [4e-3, 200.0]]
[loads.machine]
shaft = "s3"
torque_table_s_Nm = [[0.0, 40.0], [2e-3, 40.0], [4e-3, -40.0]]
inertia_kg_m2 = 0.02
[analysis]
kind = "dynamic"
duration_s = 4e-3
time_step_s = 2e-5
output_every_s = 2e-4
"""
#: The same kinds without teeth that are displaced, by events; the elastic mesh has losses by DIN 3990 and sticks.
_DRIVELINE = """
[machine]
[rotors.motor]
inertia_kg_m2 = 5e-4
[rotors.middle]
inertia_kg_m2 = 1e-3
[rotors.input]
inertia_kg_m2 = 1e-3
[rotors.flap]
inertia_kg_m2 = 1e-3
[ratios.rigid]
between = ["motor", "middle"]
ratio = -2.0
[ratios.lossy]
between = ["middle", "input"]
ratio = -1.5
losses = [[0.0, 0.97, 0.965, 0.05, 0.06], [20.0, 0.985, 0.98, 0.08, 0.09]]
[elastic_meshes.elastic]
gears = ["input", "flap"]
pitch_radii_mm = [10.0, 30.0]
tip_radii_mm = [11.0, 31.0]
stiffness_N_per_m = 2e8
damping_Ns_per_m = 2e5
friction = "din3990"
face_width_mm = 20.0
viscosity_mPas = 275.0
roughness_Ra_um = 0.8
mu_0 = 0.2
[springs.load]
between = ["ground", "flap"]
stiffness_Nm_per_rad = 5.0
damping_Nms_per_rad = 0.01
free_angle_deg = 171.88733853924697
[torques.current]
at = "motor"
torque_table_s_Nm = [[0.0, 1.8], [0.2, 2.6], [0.4, 1.0]]
[analysis]
kind = "dynamic"
duration_s = 0.4
output_every_s = 4e-3
tolerance = 1e-12
"""

# ------------------------------------------------------------------------------------------------ planetary sets
_SPRINGS = """
[planetary.set.sun_mesh]
stiffness_N_per_m = 4e8
damping_Ns_per_m = 2e4
backlash_um = 80.0
[planetary.set.ring_mesh]
stiffness_N_per_m = 5e8
damping_Ns_per_m = 2e4
backlash_um = 80.0
"""
#: All parts only turn; one pin is ahead. Without backlash: free flights go by how CVODE's steps happen to lie, to 1e-7.
_PLANETS_TURN = f"""
[machine]
[rotors.sun]
inertia_kg_m2 = 1e-3
speed_rpm = 480.0
[rotors.carrier]
inertia_kg_m2 = 0.2
speed_rpm = 108.0
[planetary.set]
sun = "sun"
ring = "ground"
carrier = "carrier"
sun_teeth = 27
planet_teeth = 33
ring_teeth = 93
planets = 3
normal_module_mm = 2.0
planet_inertia_kg_m2 = 6e-4
planet_mass_kg = 0.6
fidelity = "elastic"
pin_error_um = [0.0, 0.0, 10.0]
{_SPRINGS.replace("80.0", "0.0")}
[torques.motor]
at = "sun"
torque_table_s_Nm = [[0.0, 0.0], [0.004, 100.0]]
[torques.load]
at = "carrier"
torque_table_s_Nm = [[0.0, 0.0], [0.004, -440.0]]
[analysis]
kind = "dynamic"
duration_s = 0.012
output_every_s = 1e-4
tolerance = 1e-12
"""


def _member(name: str, mass: float, inertia: float) -> str:
    """A rigid member of a set on a bearing, softer across x, so that no two modes have one frequency."""
    return f"""
[shafts.{name}]
rigid = true
[disks.{name}_body]
shaft = "{name}"
mass_kg = {mass}
inertia_kg_m2 = {inertia}
tilt_inertia_kg_m2 = {0.5 * inertia}
[bearings.{name}_bearing]
shaft = "{name}"
at_mm = 0
stiffness_N_per_m = [1e8, 1.3e8, 3.7e8]
tilt_stiffness_Nm_per_rad = [2e6, 2.6e6]
damping_Ns_per_m = [1e3, 1e3, 1e3]
tilt_damping_Nms_per_rad = [10.0, 10.0]
"""


_PIN = """
pin_stiffness_N_per_m = [1e8, 1e8, 1e8]
pin_tilt_stiffness_Nm_per_rad = [1e6, 1e6]
pin_damping_Ns_per_m = [1e3, 1e3, 1e3]
pin_tilt_damping_Nms_per_rad = [10.0, 10.0]
"""
#: All members are displaced, planets too; the ring is held by a torque arm.
_PLANETS_DISPLACED = f"""
[machine]
{_NOTHING_DRAWN}
{_member("sun", 0.4, 6e-4)}
{_member("ring", 2.4, 5e-2)}
{_member("carrier", 5.4, 5e-2)}
[springs.torque_arm]
between = ["ring", "ground"]
stiffness_Nm_per_rad = 1e7
damping_Nms_per_rad = 100.0
[planetary.set]
sun = "sun"
ring = "ring"
carrier = "carrier"
sun_teeth = 27
planet_teeth = 33
ring_teeth = 93
planets = 3
normal_module_mm = 2.0
planet_inertia_kg_m2 = 6e-4
planet_mass_kg = 0.6
fidelity = "elastic"
pin_error_um = [0.0, 0.0, 10.0]
{_PIN}
{_SPRINGS}
[drives.motor]
shaft = "sun"
speed_rpm = 500.0
[loads.out]
shaft = "carrier"
torque_Nm = 440.0
inertia_kg_m2 = 0.5
"""
#: All gears on Hertz teeth, the sun on a soft bearing.
_PLANETS_TEETH = f"""
[machine]
{_NOTHING_DRAWN}
[shafts.sun]
rigid = true
[disks.sun_shaft]
shaft = "sun"
mass_kg = 0.5
inertia_kg_m2 = 1e-3
tilt_inertia_kg_m2 = 1e-3
[bearings.coupling]
shaft = "sun"
at_mm = 0
stiffness_N_per_m = [2e7, 5e7, 1e7]
tilt_stiffness_Nm_per_rad = [1e5, 1.3e5]
damping_Ns_per_m = [1e3, 1e3, 1e3]
tilt_damping_Nms_per_rad = [10, 10]
[shafts.carrier]
fixed_axis = true
[drives.motor]
shaft = "sun"
speed_rpm = 955.0
[loads.out]
shaft = "carrier"
torque_Nm = 571.4
inertia_kg_m2 = 0.5
[planetary.set]
sun = "sun@0mm"
ring = "ground"
carrier = "carrier@0mm"
sun_teeth = 21
planet_teeth = 39
ring_teeth = 99
planets = 3
normal_module_mm = 2.0
fidelity = "teeth"
torque_Nm = 100.0
slices = 1
retardation_us = 10.0
{_PIN}
[planetary.set.sun_gear]
face_width_mm = 30.0
bore_diameter_mm = 20.0
[planetary.set.planet_gear]
face_width_mm = 28.0
bore_diameter_mm = 40.0
tooth_thickness_allowance_um = 60.0
[planetary.set.planet_gear.flank]
tip_relief_um = 5.0
tip_relief_start_diameter_mm = 78.0
[planetary.set.ring_gear]
face_width_mm = 30.0
rim_diameter_mm = 230.0
tip_alteration_factor = -0.1
"""

# ------------------------------------------------------------------------------------------------ rolling bearings
_ROLLING = f"""
[machine]
fidelity = "elastic"
gravity_m_s2 = [0.0, -9.81, 0.0]
{_NOTHING_DRAWN}
[shafts.in]
sections_mm = [[200, 30, 0]]
highest_mode_Hz = 8000
[shafts.out]
sections_mm = [[200, 30, 0]]
position_mm = [100.0, 0.0, 0.0]
highest_mode_Hz = 8000
{_gear("pinion", "in", 100.0, 20, 20.0, 30.0)}
{_gear("wheel", "out", 100.0, 30, 20.0, 30.0)}
[meshes.stage]
gears = ["pinion", "wheel"]
normal_module_mm = 4.0
[bearings.in_rollers]
shaft = "in"
at_mm = 20
rollers = 12
roller_diameter_mm = 8.0
roller_length_mm = 8.0
pitch_diameter_mm = 40.0
clearance_um = 10.0
damping_Ns_per_m = [500, 500, 0]
defects = [{{ on = "outer ring", at_deg = -70.0, width_mm = 2.0, depth_um = 30.0 }}]
[bearings.in_balls]
shaft = "in"
at_mm = 180
balls = 9
ball_diameter_mm = 8.0
pitch_diameter_mm = 40.0
clearance_um = 10.0
damping_Ns_per_m = [500, 500, 200]
{_bearings("out", 200.0)}
[drives.motor]
shaft = "in"
speed_rpm = 600.0
[loads.brake]
shaft = "out"
at_mm = 200
torque_Nm = 50.0
"""

# ------------------------------------------------------------------------------------------------ clutches
#: A shift: a brake opens while a clutch closes; both slip, then lock.
_SHIFT = """
[machine]
[rotors.engine]
inertia_kg_m2 = 1.0
[rotors.ring]
inertia_kg_m2 = 0.0
[rotors.load]
inertia_kg_m2 = 10.0
[rotors.wheel]
inertia_kg_m2 = 0.5
[springs.shaft]
between = ["load", "wheel"]
stiffness_Nm_per_rad = 2e3
damping_Nms_per_rad = 2.0
backlash_deg = 1.0
[planetary_ratios.set]
sun = "engine"
ring = "ring"
carrier = "load"
ratio = 1.5
mesh_efficiency = 0.98
[torques.engine_torque]
at = "engine"
torque_table_s_Nm = [[0.1, 0.0], [0.1, 20.0]]
[resistances.drag]
at = "wheel"
quadratic_Nms2_per_rad2 = 0.18
[frictions.seal]
at = "wheel"
torque_Nm = 2.0
[clutches.clutch]
between = ["engine", "ring"]
normal_force_N = 100.0
effective_radius_m = 2.0
signal_s = [[1.0, 0.0], [1.1, 1.0]]
[brakes.brake]
at = "ring"
normal_force_N = 100.0
effective_radius_m = 2.0
signal_s = [[1.0, 1.0], [1.1, 0.0]]
[analysis]
kind = "dynamic"
duration_s = 2.0
output_every_s = 0.02
tolerance = 1e-12
"""
#: Flexible teeth behind a clutch that closes in 1 ms, a lossy stage after them, friction that holds the output.
_CLUTCH = f"""
[machine]
{_GRID}
{_NOTHING_DRAWN}
{_hinges({"s0": 0.0, "s1": 100.0, "s2": 230.0})}
{_gear("g0", "s0", 0.0, 20, 20.0, 35.0)}
{_gear("g1", "s1", 0.0, 30, 20.0, 55.0)}
{_gear("g2", "s1", 50.0, 25, 20.0, 45.0)}
{_gear("g3", "s2", 50.0, 40, 20.0, 75.0)}
[meshes.first]
gears = ["g0", "g1"]
normal_module_mm = 4.0
slices = 5
[meshes.second]
gears = ["g2", "g3"]
normal_module_mm = 4.0
fidelity = "lossy"
mesh_efficiency = 0.95
[rotors.motor_shaft]
inertia_kg_m2 = 0.1
[clutches.c1]
between = ["motor_shaft", "s0"]
normal_force_N = 40.0
friction_coefficient = 1.0
signal_s = [[0.0, 0.0], [1e-3, 1.0]]
[frictions.driven]
at = "s2"
torque_Nm = 20.0
[drives.motor]
shaft = "motor_shaft"
speed_rpm = 191.0
[loads.machine]
shaft = "s2"
torque_table_s_Nm = [[0.0, 0.0], [6e-3, 0.0], [1.0, 60.0]]
inertia_kg_m2 = 0.02
[analysis]
kind = "dynamic"
duration_s = 8e-3
time_step_s = 2e-5
output_every_s = 2e-4
mesh_damping_ratio = 0.1
"""

# ------------------------------------------------------------------------------------------------ bodies in space
#: A bevel wheel that rolls on one that is fixed, on a bar that is turned; with a mass where it moves in time.
_BEVEL = """
[machine]
gravity_m_s2 = [0.0, -9.81, 0.0]
[bodies.bar]
position_mm = [0, 1000, 0]
mass_kg = 5.0
inertia_kg_m2 = [1.0, 1.0, 1.0]
[bodies.wheel]
position_mm = [0, 1000, 5000]
mass_kg = 20.0
inertia_kg_m2 = [5.0, 5.0, 10.0]
[joints.arm]
kind = "prescribed_revolute"
between = ["ground", "bar"]
point_mm = [0, 1000, 0]
axis = [0, 1, 0]
angle_table_s_deg = [[0, 0], [0.1, 5], [0.2, 30], [1, 57.29577951308232]]
[joints.pin]
kind = "revolute"
between = ["bar", "wheel"]
point_mm = [0, 1000, 5000]
axis = [0, 0, 1]
[spatial_gears.crown]
body = "ground"
teeth = 50
normal_module_mm = 200
cone_angle_deg = -78.69006752597979
axis = [0, 1, 0]
[spatial_gears.pinion]
body = "wheel"
teeth = 10
normal_module_mm = 200
cone_angle_deg = 11.309932474020213
axis = [0, 0, 1]
[spatial_meshes.mesh]
gears = ["crown", "pinion"]
FRICTION
[hinge_torques.load]
between = ["bar", "wheel"]
axis = [0, 0, 1]
torque_Nm = 1000
"""
#: A rack moves a bevel wheel, which moves another rack on a bushing.
_RACKS = """
[machine]
[bodies.wheel]
position_mm = [-3000, 0, 3000]
mass_kg = 10.0
inertia_kg_m2 = [10.0, 10.0, 10.0]
[bodies.first]
position_mm = [0, 0, 6000]
mass_kg = 2.0
inertia_kg_m2 = [1.0, 1.0, 1.0]
[bodies.second]
position_mm = [-6000, 0, 0]
mass_kg = 2.0
inertia_kg_m2 = [1.0, 1.0, 1.0]
[joints.axle]
kind = "revolute"
between = ["ground", "wheel"]
point_mm = [-3000, 0, 3000]
axis = [1, 0, -1]
[joints.led_guide]
kind = "prescribed_prismatic"
between = ["ground", "first"]
point_mm = [0, 0, 6000]
axis = [0, 1, 0]
displacement_table_s_mm = [[0, 0], [0.1, 50], [0.2, 20], [1, 1000]]
[joints.guide]
kind = "prismatic"
between = ["ground", "second"]
point_mm = [-6000, 0, 0]
axis = [0, 1, 0]
[bushings.buffer]
between = ["ground", "second"]
point_mm = [-6000, 0, 0]
stiffness_N_per_m = [0, 1e3, 0]
damping_Ns_per_m = [0, 50.0, 0]
[spatial_gears.bevel]
body = "wheel"
teeth = 30
normal_module_mm = 282.842712474619
cone_angle_deg = -45
axis = [1, 0, -1]
[spatial_racks.upright]
body = "first"
normal_module_mm = 282.842712474619
direction = [0, 1, 0]
outwards = [-1, 0, 0]
[spatial_racks.lying]
body = "second"
normal_module_mm = 282.842712474619
direction = [0, 1, 0]
outwards = [0, 0, 1]
[spatial_meshes.first_mesh]
gears = ["upright", "bevel"]
[spatial_meshes.second_mesh]
gears = ["bevel", "lying"]
[spatial_loads.pull]
body = "second"
force_N = [0, 1000, 0]
"""
#: A body that is thrown, spinning near the axis about which it tumbles: speeds in mm/s and rpm.
_THROWN = """
[machine]
gravity_m_s2 = [0.0, 0.0, -9.81]
[bodies.wrench]
position_mm = [100.0, 0.0, 0.0]
mass_kg = 2.0
inertia_kg_m2 = [0.01, 0.02, 0.03]
velocity_mm_per_s = [200.0, 0.0, 1000.0]
angular_velocity_rpm = [10.0, 600.0, 5.0]
[point_springs.cord]
between = ["ground", "wrench"]
points_mm = [[0.0, 0.0, 0.0], [150.0, 0.0, 0.0]]
free_length_mm = 150.0
stiffness_N_per_m = 50.0
damping_Ns_per_m = 0.1
"""
_POSITIONS = _analysis("kinematic", "duration_s = 1\npositions = 6")
_IN_SPACE = _analysis("dynamic", "duration_s = 0.2\ntime_step_s = 2e-3\noutput_every_s = 1e-2")

TEXTS = {
    "two_stage_static": _two_stage(_analysis("static", "positions_per_pitch = 4")),
    "two_stage_motion": _two_stage(
        _analysis("dynamic", "duration_s = 4e-3\ntime_step_s = 1e-5\noutput_every_s = 2e-4\nmesh_damping_ratio = 0.05")
    ),
    "two_stage_modal": _two_stage(_analysis("modal", "n_modes = 12")),
    "two_stage_linear_sweep": _two_stage(_analysis("sweep", _SWEEP + 'response = "linearised"\nlinear_speeds = 8'), ""),
    "two_stage_sweep": _two_stage(
        _analysis(
            "sweep",
            _SWEEP
            + "duration_s = 6e-3\npitches_per_point = 2\ntime_step_s = 2e-5\noutput_every_s = 4e-5\n"
            + "mesh_damping_ratio = 0.1",
        ),
        "",
    ),
    "idler_static": _IDLER + _analysis("static", "positions_per_pitch = 4"),
    "teeth_static": _TEETH + _analysis("static", "positions_per_pitch = 4"),
    "teeth_motion": _TEETH + _analysis("dynamic", "duration_s = 2e-3\ntime_step_s = 1e-5\noutput_every_s = 5e-5"),
    "laws_motion": _LAWS,
    "driveline_motion": _DRIVELINE,
    "planets_turn_motion": _PLANETS_TURN,
    "planets_displaced_static": _PLANETS_DISPLACED + _analysis("static", "positions_per_pitch = 4"),
    "planets_displaced_modal": _PLANETS_DISPLACED + _analysis("modal", "n_modes = 20"),
    "planets_displaced_motion": _PLANETS_DISPLACED
    + _analysis("dynamic", "duration_s = 2e-3\ntime_step_s = 1e-5\noutput_every_s = 5e-5"),
    "planets_teeth_static": _PLANETS_TEETH + _analysis("static", "positions_per_pitch = 4"),
    "planets_teeth_modal": _PLANETS_TEETH + _analysis("modal", "n_modes = 9"),
    "planets_teeth_motion": _PLANETS_TEETH
    + _analysis("dynamic", "duration_s = 1e-3\ntime_step_s = 2e-6\noutput_every_s = 2e-5"),
    "rolling_static": _ROLLING + _analysis("static", "positions_per_pitch = 2"),
    "rolling_motion": _ROLLING + _analysis("dynamic", "duration_s = 4e-3\ntime_step_s = 1e-5\noutput_every_s = 5e-5"),
    "shift_motion": _SHIFT,
    "clutch_motion": _CLUTCH,
    "bevel_positions": _BEVEL.replace("FRICTION", "") + _POSITIONS,
    "bevel_motion": _BEVEL.replace("FRICTION", "friction = 0.05\nleast_sliding_m_per_s = 0.01") + _IN_SPACE,
    "racks_positions": _RACKS + _POSITIONS,
    "racks_motion": _RACKS + _IN_SPACE,
    "thrown_motion": _THROWN + _IN_SPACE,
}


@cache
def machine_of(name: str) -> ag.MachineCase:
    """Return a machine by name."""
    return ag.MachineCase.from_tables(tomllib.loads(TEXTS[name]), Path(f"{name}.toml"))
