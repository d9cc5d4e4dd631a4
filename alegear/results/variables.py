"""The table of the variables of ``result.nc``: dimensions, unit and long name of each (the contract of the file)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

#: Sizes of the dimensions that are the same in all results.
SIZES = {"gear": 2, "side": 2, "axis": 3, "diameter": 2, "limit": 2}
_LINE = re.compile(r"(\w+)(?: \((.*?)\))? \[(.+?)\]: (.+)")


class Variable(NamedTuple):
    """Dimensions after the leading one (position, time or another), unit and long name of a variable."""

    dims: tuple[str, ...]
    units: str
    long_name: str

    @property
    def attributes(self) -> dict[str, str]:
        """Unit and long name as a dataset has them."""
        return {"units": self.units, "long_name": self.long_name}

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape of a sample by the sizes of the dimensions that :data:`SIZES` has not."""
        return tuple((SIZES | dict(sizes))[dim] for dim in self.dims)

    def by(self, *dims: str) -> Variable:
        """Return the same variable over other dimensions."""
        return self._replace(dims=dims)

    def entry(self, values: Any, *leading: str) -> tuple[tuple[str, ...], Any, dict[str, str]]:
        """Return values as an entry of a dataset, after leading dimensions."""
        return (*leading, *self.dims), values, self.attributes


def variables(*lines: str | Mapping[str, Variable]) -> dict[str, Variable]:
    """Return a table of variables by their names: ``name (dimensions) [unit]: long name`` of each, or earlier ones.

    Examples
    --------
    >>> variables("tooth_load (pair) [N]: load of the pair")["tooth_load"].dims
    ('pair',)
    """
    found: dict[str, Variable] = {}
    for line in lines:
        if isinstance(line, str):
            name, dims, units, long_name = _LINE.fullmatch(line).groups(default="")  # type: ignore[union-attr]
            line = {name: Variable(tuple(dims.split(", ")) if dims else (), units, long_name)}
        found |= line
    return found


# ---------------------------------------------------------------------------------- of a pair, or of a mesh in contact
SHARED = variables(
    "phase [1]: rotation since pair 0 touched at the pitch point, in pitches",
    "transmission_error [m]: transmission error along the line of action, driven gear minus driver, negative under "
    "load",
    "mesh_stiffness [N/m]: tangent mesh stiffness along the line of action at the load, axes held where they stand",
    "tooth_load (pair) [N]: moment of the pair's contact forces about the pinion axis over r_b",
    "line_load (pair, slice) [N/m]: load of the pair normal to its flanks, per unit of face width; both flanks "
    "together",
    "contact_pressure (pair, slice) [Pa]: largest contact pressure of the pair's flanks in the slice; 0 where the "
    "strip reaches an edge",
    "edge_pressure (pair, slice) [Pa]: largest contact pressure of a tip edge or undercut edge of the pair in the "
    "slice",
    "contact_half_width (pair, slice) [m]: half-width of the contact strip, normal to the line of contact",
    "contact_shear_stress (pair, slice) [Pa]: largest shear stress below the surface",
    "contact_roll_length (pair, slice) [m]: position of the contact: roll length on the pinion's flank",
    "contact_force (axis) [N]: contact force on the pinion; the wheel gets the opposite one",
    "contact_moment (axis) [N m]: moment of the contact forces on the pinion about the centre of its mid-face",
    "root_stress (gear, pair, side) [Pa]: largest von Mises stress in the root fillet of the pair's tooth",
    "root_stress_principal (gear, pair, side) [Pa]: largest principal stress by magnitude in the root fillet, signed",
)

MOTION = variables(
    "angle (gear) [rad]: rotation angle, positive in the running direction",
    "speed (gear) [rad/s]: rotation speed, positive in the running direction",
    "acceleration (gear) [rad/s2]: rotation acceleration, positive in the running direction",
    "bearing_force (gear, axis) [N]: force of the gear on its bearing",
    "energy_input [J]: work of the drive and of the load torque since the start",
    "energy_kinetic [J]: kinetic energy of both gears",
    "energy_elastic [J]: elastic energy of the bodies and of the contact at these rotations, without friction",
    "energy_dissipated [J]: energy lost by damping and friction since the start",
    "energy_dissipated_outside [J]: part of it lost in the dampers of shafts and bearings",
)
#: Where a gear stands on a support that gives way.
SUPPORTS = variables(
    "displacement (gear, axis) [m]: displacement of the gear by its support",
    "tilt (gear, diameter) [rad]: tilt of the gear's axis by its support, about x and y",
    {"bearing_force": MOTION["bearing_force"]},
    "bearing_moment (gear, diameter) [N m]: moment of the gear on its bearing about x and y through its mid-face",
)
#: Sliding of the flanks, where they touch: of static studies, and of motions on demand.
WEAR = variables(
    "specific_sliding (gear, pair, slice) [1]: sliding of the gear's flank over its rolling velocity, negative on "
    "dedenda",
    "sliding_velocity (pair, slice) [m/s]: sliding of the pinion's flank on the wheel's, positive beyond the pitch "
    "point",
    "rolling_velocity (gear, pair, slice) [m/s]: velocity of the gear's flank through the contact",
    "pressure_velocity (pair, slice) [Pa m/s]: largest contact pressure of the flanks times sliding velocity",
    "flash_temperature (pair, slice) [K]: flash temperature by Blok's equation, rise over the bulk temperature",
)
#: Root stress point by point, where it is kept.
FILLET = variables(
    "root_stress_fillet (gear, pair, side, fillet, face) [Pa]: von Mises stress at the points of the root fillet",
    "root_stress_fillet_principal (gear, pair, side, fillet, face) [Pa]: largest principal stress by magnitude at "
    "the points of the root fillet, signed",
)
#: Chosen points of the teeth, where a case asks for them.
POINTS = variables(
    "point_stress (point, tooth) [Pa]: von Mises stress at the point of the tooth",
    "point_stress_principal (point, tooth) [Pa]: largest principal stress by magnitude at the point of the tooth, "
    "signed",
    "point_rotation (point, tooth) [rad]: rotation of the point of the tooth about the axis against the bore, "
    "positive in the running direction",
)
#: Without the leading dimension: what sums up a whole study.
OVERALL = variables(
    "flank_limit (gear, limit) [m]: roll length on the pinion's flank at which the flank of the gear begins and ends",
    "pattern_pressure (roll, slice) [Pa]: largest contact pressure of the flanks of a cycle on the pinion's flank",
    "pattern_edge_pressure (roll, slice) [Pa]: largest contact pressure of edges of a cycle on the pinion's flank",
    "pattern_line_load (roll, slice) [N/m]: largest line load of a cycle on the pinion's flank",
    "pattern_sliding_velocity (roll, slice) [m/s]: largest sliding velocity of a cycle on the pinion's flank",
    "pattern_pressure_velocity (roll, slice) [Pa m/s]: largest pressure times sliding velocity of a cycle on the "
    "pinion's flank",
    "pattern_flash_temperature (roll, slice) [K]: largest flash temperature of a cycle on the pinion's flank",
    "pattern_specific_sliding (gear, roll) [1]: specific sliding of the gear over the pinion's flank, negative on "
    "dedenda",
    "face_load_factor [1]: largest line load over the mean across the face, K_Hbeta of the mesh",
    "load_mean [N]: mean load of all pairs together, torque of the pinion over its base radius",
    "base_radius (gear) [m]: radius of the base circle",
    "roll_length (roll) [m]: roll length on the pinion's flank",
    "fillet_arc_length (gear, fillet) [m]: arc length along the root fillet from the middle of the tooth space",
    "fillet_tangent_angle (gear, fillet) [rad]: angle between the tangent of the root fillet and the tooth's centre "
    "line",
    "face_position (gear, face) [m]: position along the axis from the gear's mid-face",
    "root_stress_range (gear, side) [Pa]: range of the signed principal root stress over the cycle of a tooth where "
    "it is widest",
    "root_stress_mean (gear, side) [Pa]: middle of that range",
    "root_critical_arc_length (gear, side) [m]: arc length along the fillet of that point",
    "root_critical_face_position (gear, side) [m]: position along the axis of that point",
)
#: Those of OVERALL that are coordinates.
COORDINATES = ("roll_length", "fillet_arc_length", "fillet_tangent_angle", "face_position")
#: Of motions: extremes of all steps since the sample before, which samples may miss.
OF_STEPS = variables(
    "transmission_error_low [m]: least transmission error of all steps since the sample before",
    "transmission_error_high [m]: largest transmission error of all steps since the sample before",
    "tooth_load_high [N]: largest load of a tooth pair of all steps since the sample before",
)


def by_slot(variable: Variable) -> Variable:
    """Return a variable of motions: its pairs are those in the slots of the window."""
    return variable._replace(dims=tuple("slot" if dim == "pair" else dim for dim in variable.dims))


#: Every variable of a motion, by slot of the window; which of them there are depends on the case.
OF_MOTION = {
    name: by_slot(variable) for name, variable in (SHARED | MOTION | OF_STEPS | SUPPORTS | FILLET | POINTS).items()
} | variables(
    "slot_pair (slot) [1]: tooth pair in the slot of the window, 0 touches at the pitch point at phase 0",
)

# -------------------------------------------------------------------------------------------------------- of a machine
#: After the leading dimension, position or time.
MACHINE = variables(
    "drive_angle [rad]: rotation of the first drive if gears were perfect, in its sense",
    "rotation_error (shaft) [rad]: rotation of the shaft where it is loaded, minus ratio times that where it is driven",
    {"transmission_error": SHARED["transmission_error"].by("mesh")},
    {"mesh_stiffness": SHARED["mesh_stiffness"].by("mesh")},
    "torque (shaft) [N m]: torque of drives and loads on the shaft about its direction, what holds the train included",
    "mesh_force (mesh, axis) [N]: contact force on the first gear of the mesh, in space",
    "mesh_moment (mesh, axis) [N m]: moment of the contact forces on the first gear about its mid-face, in space",
    "displacement (place, axis) [m]: displacement of the shaft's axis, in space",
    "tilt (place, axis) [rad]: small turn of the shaft's axis, in space",
    "bearing_force (bearing, axis) [N]: force of the shaft on its bearing, in space",
    "bearing_moment (bearing, axis) [N m]: moment of the shaft on its bearing about the centre of the bearing, in "
    "space",
)
#: Of motions.
MACHINE_MOTION = variables(
    {"transmission_error_low": OF_STEPS["transmission_error_low"].by("mesh")},
    {"transmission_error_high": OF_STEPS["transmission_error_high"].by("mesh")},
    "speed (shaft) [rad/s]: speed of the shaft where it is loaded, about its direction",
    "energy_input [J]: work of drives, loads and weight since the start",
    "energy_kinetic [J]: kinetic energy of the machine",
    "energy_elastic [J]: elastic energy of meshes, shafts and bearings",
    {"energy_dissipated": MOTION["energy_dissipated"]},
    "energy_dissipated_outside [J]: part of it lost in the dampers of bearings",
)
#: Of parts that stick or slide.
SWITCHES = variables(
    "mode (switch) [1]: 1 sliding forward, 0 stuck, -1 sliding backward, 2 free",
    "relative_speed (switch) [rad/s]: relative speed of the switch; 0 to the last digit while stuck",
    "friction_torque (switch) [N m]: friction torque of the switch, positive against positive speed",
)
#: Of motions with bodies and torsional parts.
OF_PARTS = variables(
    "body_angle (body) [rad]: rotation of the body that only turns since its angle 0",
    "body_speed (body) [rad/s]: speed of the body that only turns",
    SWITCHES,
    "part_torque (flange) [N m]: torque of the body on the torsional part, about its axis",
)
#: Of machines with rolling bearings; displacements and tilts are those of the inner ring against the outer one.
OF_ROLLING = variables(
    "ring_displacement (rolling_bearing, along) [m]: displacement of the rings, axes of the shaft",
    "ring_tilt (rolling_bearing, about) [rad]: tilt of the rings, axes of the shaft",
    "ring_angle (rolling_bearing, ring) [rad]: rotation of the ring about the direction of the shaft",
    "cage_angle (rolling_bearing) [rad]: azimuth of the first rolling element",
    "largest_roller_load (rolling_bearing) [N]: load of the rolling element that carries most",
)
#: Of motions in which something that holds a bearing can move.
OF_SEATS = variables(
    "seat_acceleration (moving_seat, axis) [m/s2]: acceleration of the bearing seat, in space",
)
#: Of machines with teeth in line contact: both sides of all tooth pairs, slot by slot.
OF_TEETH = variables(
    "tooth_pair (tooth_contact) [1]: number of the tooth pair in the order of engagement",
    "tooth_force (tooth_contact) [N]: force of the tooth pair in the transverse section",
    "tooth_pressure (tooth_contact) [Pa]: largest pressure of the tooth pair, on an edge of its round",
    "tooth_half_width (tooth_contact) [m]: half the width of the contact where it presses most",
    "tooth_sliding (tooth_contact) [m/s]: sliding of the first gear's flank on the second's, positive beyond the "
    "pitch point",
)
#: Of machines with planetary sets of elastic or Hertz teeth.
OF_PLANETS = variables(
    "planet_mesh_force (planet_mesh) [N]: normal force in the transverse section, of flanks by which the inner gear "
    "drives counterclockwise less others",
    "planet_back_force (planet_mesh) [N]: normal force of the flanks which the torque of all planets does not load",
    "load_share (planet_mesh) [1]: force of the mesh over the mean of all planets at this gear",
    "pin_force (planet, of_pin) [N]: force of the planet on its pin, along axes of the pin",
    "pin_moment (planet, about_pin) [N m]: moment of the planet on its pin, about axes of the pin",
    "planet_displacement (planet, of_pin) [m]: displacement of the planet from where its carrier would take it, axes "
    "of the pin",
)
#: What there is only where its first dimension has names.
IN_PLACE = OF_PARTS | OF_ROLLING | OF_SEATS | OF_TEETH | OF_PLANETS
#: Not of motions: torques of drives follow from the motion, and are not recorded.
OF_POSITIONS = ("torque",)

# -------------------------------------------------------------------------- of torsional parts, and of bodies in space
#: After the leading dimension, time.
ROTATIONAL = variables(
    "angle (body) [rad]: angle",
    "speed (body) [rad/s]: speed",
    "acceleration (body) [rad/s2]: angular acceleration",
    "torque (flange) [N m]: torque of the body on the part, about the axis of the body",
    "power (flange) [W]: power from the body into the part",
    SWITCHES,
    "loss (part) [W]: power that is lost in the part",
    "energy_lost (part) [J]: energy lost in the part since the start",
    "energy_supplied (part) [J]: energy put in by the part, a drive or a load, since the start",
    "energy_stored (part) [J]: energy stored in the part",
    "energy_input [J]: work of drives and loads since the start",
    "energy_kinetic [J]: kinetic energy of all bodies",
    "energy_elastic [J]: energy stored in all parts",
    "energy_dissipated [J]: energy lost since the start",
    "energy_missing [J]: put in less lost less what is there more than at the start: 0 but for the steps",
)
#: Of a machine with controllers.
INPUTS = variables(
    "input_value (input) [1]: value of the input, as controllers set it",
)
#: Of motions and positions; after the leading dimension, time or position.
SPATIAL = variables(
    "position (body, axis) [m]: position of the frame of the body in space",
    "rotation_vector (body, axis) [rad]: rotation vector of the body from the axes of space",
    "angle (rotor) [rad]: angle of what only turns",
    "reaction_force (joint, axis) [N]: force of the joint on the second body, in space",
    "reaction_torque (joint, axis) [N m]: torque of the joint on the second body about the point of the joint, in "
    "space",
    "joint_point (joint, axis) [m]: point of the joint on the second body, in space",
    "normal_force (mesh) [N]: force normal to the flanks; its sign says which flanks bear (multiplier of the rolling)",
    "tooth_force (mesh, axis) [N]: force of the teeth on the second toothed body, in space",
    "contact_point (mesh, axis) [m]: where the teeth touch, in space",
    "roll (mesh, side) [rad]: roll of the contact around each toothed body; of racks in m",
    "bushing_force (bushing, axis) [N]: force of the bushing on the second body, in space",
    "bushing_torque (bushing, axis) [N m]: torque of the bushing on the second body, in space",
    "spring_length (point_spring) [m]: length of the spring",
    "spring_force (point_spring) [N]: tension of the spring, its damper included",
)
#: Of motions in space besides.
SPATIAL_MOTION = variables(
    "velocity (body, axis) [m/s]: velocity of the frame of the body in space",
    "angular_velocity (body, axis) [rad/s]: angular velocity, in the axes of space",
    "angular_velocity_of_body (body, axis) [rad/s]: angular velocity, in the axes of the body",
    "acceleration (body, axis) [m/s2]: acceleration of the frame of the body in space",
    "angular_acceleration (body, axis) [rad/s2]: angular acceleration, in the axes of space",
    "speed (rotor) [rad/s]: speed of what only turns",
    "joint_power (joint) [W]: power that a prescribed joint supplies",
    "sliding_velocity (mesh) [m/s]: sliding of the first against the second along the tooth",
    "friction_loss (mesh) [W]: power lost by friction along the tooth",
    "energy_input [J]: work of loads and prescribed joints since the start",
    "energy_kinetic [J]: kinetic energy",
    "energy_stored [J]: energy stored in bushings, springs and modes, and of weight in these",
    {"energy_dissipated": ROTATIONAL["energy_dissipated"]},
    {"energy_missing": ROTATIONAL["energy_missing"]},
)

# ------------------------------------------------------------------------------------------------------------ of modes
#: Of the wheels of flexible meshes.
MODES_OF_WHEELS = variables(
    "held_frequency (gear, wheel_mode) [Hz]: natural frequency of the wheel, its bore held",
    "held_nodal_diameter (gear, wheel_mode) [1]: nodal diameter of that mode; of a pair both are listed",
    "held_deflection_share (gear, wheel_mode) [1]: part of the static deflection along the line of action that the "
    "mode takes",
    "free_frequency (gear, wheel_mode) [Hz]: natural frequency of the wheel without support, bore rigid",
    "free_nodal_diameter (gear, wheel_mode) [1]: nodal diameter of that mode",
)
#: Of two gears by themselves.
PAIR_MODES = variables(
    "pair_frequency (pair_mode) [Hz]: natural frequency of the loaded pair",
    "pair_energy_share (pair_mode, part) [1]: part of the energy of deformation of the pair's mode",
    "pair_shape (pair_mode, coordinate) [1]: displacements of the pair's mode, of rotations those on the base "
    "circles; the largest is 1",
    "mesh_stiffness [N/m]: tangent mesh stiffness along the line of action on which the pair vibrates",
    "mesh_frequency [Hz]: natural frequency of the pair's mode in the mesh, the gears as supported",
    "fixed_axis_mesh_frequency [Hz]: the same on fixed axes and their shafts, wheels without elastic inertia",
)
#: Of a machine.
MACHINE_MODES = variables(
    "frequency (mode) [Hz]: natural frequency of the machine that stands still, undamped",
    "energy_share (mode, part) [1]: part of the energy of deformation of the mode",
    "turning_frequency (turning_mode) [Hz]: natural frequency of the machine that turns, damped",
    "turning_energy_share (turning_mode, part) [1]: part of the energy of deformation of that mode",
    "damping_ratio (turning_mode) [1]: damping ratio of the mode of the machine that turns",
    "whirl (turning_mode) [1]: whirl of that mode: 1 with the rotation, -1 against it, 0 in a plane",
    "rotation (mode, shaft) [1]: rotation of the shaft in the mode; what moves farthest is 1",
    "displacement (mode, place, axis) [1]: displacement of the shaft's axis in the mode, in space",
    "tilt (mode, place, axis) [1]: turn of the shaft's axis in the mode, in space",
)
#: Of machines with planetary sets of elastic or Hertz teeth.
MODES_OF_SETS = variables(
    "member_displacement (mode, member, axis) [1]: displacement of the member's centre in the mode, in space",
    "member_rotation (mode, member) [1]: rotation of the member about its axis in the mode",
    "member_tilt (mode, member, axis) [1]: turn of the member's axis in the mode, in space",
    "member_position (member, axis) [m]: centre of the member at rest, in space",
    "member_axis (member, axis) [1]: direction of the member's axis",
    "member_radius (member) [m]: pitch radius of the gear; of a carrier that of its pins",
    "member_teeth (member) [1]: teeth of the gear, those of a ring negative; 0 of a carrier",
    "kind (mode, planetary_set) [1]: what the set does in the mode: rotational, translational, planet, out of plane, "
    "mixed, still",
)

# ----------------------------------------------------------------------------------------------------------- of sweeps
#: Of a pair, after the dimension ``point``.
PAIR_SWEEP = variables(
    "time [s]: time in the middle of the stretch",
    "pinion_speed [rad/s]: mean speed of the pinion",
    "mesh_frequency [Hz]: mean mesh frequency",
    "direction [1]: 1 in the run-up, -1 in the run-down",
    "transmission_error_mean [m]: mean transmission error, negative under load",
    "transmission_error_rms [m]: root mean square of the transmission error about its mean",
    "transmission_error_peak_to_peak [m]: largest less smallest transmission error",
    "transmission_error_order (order) [m]: amplitude of an order of the mesh in the transmission error",
    "contact_loss_share [1]: part of the time in which no tooth pair carries load",
    "tooth_load_factor [1]: largest tooth load over the largest at rest under the same torque",
    "root_stress_factor (gear) [1]: largest von Mises root stress over the largest at rest",
    "bearing_force_order (order, gear, axis) [N]: amplitude of an order in the bearing force, of the gear on its "
    "bearing",
    "bearing_displacement_order (order, gear, axis) [m]: amplitude of an order in the displacement of a gear",
)
#: Of a machine, after the dimension ``point``.
MACHINE_SWEEP = variables(
    {"time": PAIR_SWEEP["time"]},
    "drive_speed [rad/s]: mean speed of the drive",
    {"direction": PAIR_SWEEP["direction"]},
    "rotation_error_rms (shaft) [rad]: root mean square of the rotation error about its mean",
    "rotation_error_peak_to_peak (shaft) [rad]: largest less smallest rotation error",
    "mesh_force_mean (mesh) [N]: mean size of the contact force",
    "mesh_force_max (mesh) [N]: largest size of the contact force",
    "bearing_force_mean (bearing) [N]: mean size of the force on the bearing",
    "bearing_force_max (bearing) [N]: largest size of the force on the bearing",
    "transmission_error_order (mesh, order) [m]: amplitude of an order of a mesh in its transmission error",
    "bearing_force_order (mesh, order, bearing, axis) [N]: amplitude of an order of a mesh in the force on the bearing",
    "bearing_displacement_order (mesh, order, bearing, axis) [m]: amplitude of an order of a mesh in the "
    "displacement of the shaft there",
)
#: Linearised response, with the dimensions of a machine: a pair has one mesh, and in place of bearings its gears.
LINEAR = variables(
    "linear_speed (speed) [rad/s]: speed of the pinion, of a machine of its drive",
    "linear_mesh_frequency (speed, mesh) [Hz]: mesh frequency",
    "linear_transmission_error_order (speed, mesh, linear_order) [m]: amplitude of an order in the transmission "
    "error by the linearised response",
    "linear_bearing_force_order (speed, mesh, linear_order, bearing, axis) [N]: amplitude of an order in the force "
    "on a bearing by the linearised response",
    "linear_bearing_displacement_order (speed, mesh, linear_order, bearing, axis) [m]: amplitude of an order in the "
    "displacement at a bearing by the linearised response",
    "static_transmission_error_order (mesh, linear_order) [m]: amplitude of an order in the static transmission error",
    "natural_frequency (mode) [Hz]: natural frequency on the mean tangents, undamped",
    "damping_ratio (mode) [1]: damping ratio of the mode",
    "mode_share (mode, mesh) [1]: part of the energy of a mode in a mesh",
    "mode_part (mode, mesh, linear_order) [1]: part that a mode has in an order where it meets it, of transmission "
    "error, bearing forces or displacements",
    "mesh_frequency_per_speed (mesh) [Hz s/rad]: mesh frequency over the speed of pinion or drive",
)

#: Where motion and linearised response are both there; of a machine by mesh besides.
RESPONSE_DIFFERENCE = Variable(
    ("linear_order",), "1", "amplitude of the motion over that of the linearised response, less 1"
)

# --------------------------------------------------------------------------------------------------------- of variants
#: Dimensions after ``variant``, unit and long name.
VARIATION = variables(
    "pinion_torque [N m]: torque on the pinion shaft",
    {"transmission_error": SHARED["transmission_error"].by("position")},
    {"mesh_stiffness": SHARED["mesh_stiffness"].by("position")},
    "j_wt [m]: circumferential backlash at the working pitch circles",
    "j_bn [m]: normal backlash",
    "te_mean [m]: mean transmission error, negative under load",
    "te_peak_to_peak [m]: peak to peak transmission error",
    "te_harmonics (harmonic) [m]: amplitudes of the tooth-mesh harmonics of the transmission error",
    "mesh_stiffness_mean [N/m]: mean tangent mesh stiffness",
    "contact_ratio_loaded [1]: mean number of loaded tooth pairs, known to one position",
    "tooth_load_max [N]: largest load of a tooth pair",
    "contact_pressure_max [Pa]: largest contact pressure of the flanks",
    "edge_pressure_max [Pa]: largest contact pressure of tip edges and undercut edges; 0: none touches",
    "face_load_factor [1]: largest over mean line load across the face",
    "root_stress_max (gear, side) [Pa]: largest von Mises stress in the root fillet",
    "root_stress_principal_max (gear, side) [Pa]: principal stress in the root fillet: the largest on the tension "
    "side, the smallest on the compression side",
    "efficiency [1]: mean efficiency of the teeth in contact: what friction leaves of the power",
)

# --------------------------------------------------------------------------------------------------------- coordinates
#: Unit and long name of the coordinates of dimensions; kinds of results that have other words say them.
LABELS = {
    "time": ("s", "time"),
    "position": ("1", "number of the position"),
    "gear": ("1", "gear"),
    "pair": ("1", "tooth pair, 0 touches at the pitch point at phase 0"),
    "slot": ("1", "slot of the window, which stays in space; the pair in it is slot_pair"),
    "slice": ("m", "position of the slice along the axis from mid-face"),
    "side": ("1", "side of the root: tension or compression"),
    "axis": ("1", "axis in space"),
    "limit": ("1", "end of the flank of a gear"),
    "diameter": ("1", "axis of a tilt"),
    "point": ("1", "point of the teeth"),
    "tooth": ("1", "tooth of the point's gear, counted as the pairs it is in"),
    "shaft": ("1", "shaft"),
    "mesh": ("1", "mesh"),
    "bearing": ("1", "bearing"),
    "place": ("1", "position on a shaft, named by its distance along it"),
    "rolling_bearing": ("1", "bearing with rolling elements"),
    "along": ("1", "axis of the shaft"),
    "about": ("1", "axis of the shaft"),
    "ring": ("1", "ring of a bearing"),
    "moving_seat": ("1", "bearing that is held by what can move"),
    "body": ("1", "body that only turns"),
    "part": ("1", "part that acts"),
    "switch": ("1", "part that sticks or slides"),
    "flange": ("1", "part/body"),
    "input": ("1", "what controllers set"),
    "tooth_contact": ("1", "mesh, side and slot: front flanks are those with which the first gear drives positively"),
    "planetary_set": ("1", "planetary set"),
    "member": ("1", "gear, carrier or planet of a set"),
    "planet": ("1", "planet"),
    "planet_mesh": ("1", "mesh of a planet"),
    "of_pin": ("1", "axis of a pin: away from the axis of the carrier, counterclockwise, along it"),
    "about_pin": ("1", "axis of a pin"),
    "rotor": ("1", "what only turns"),
    "joint": ("1", "joint"),
    "bushing": ("1", "bushing"),
    "point_spring": ("1", "spring between two points"),
    "mode": ("1", "number of the mode"),
    "turning_mode": ("1", "number of the mode of the machine that turns"),
    "pair_mode": ("1", "number of the pair's mode"),
    "wheel_mode": ("1", "number of the wheel's mode"),
    "coordinate": ("1", "what turns or moves"),
    "order": ("1", "order of the mesh"),
    "linear_order": ("1", "order of the mesh"),
    "variant": ("1", "number of the variant"),
    "harmonic": ("1", "tooth-mesh order"),
}
#: Further coordinates of a machine.
OF_SHAFTS = variables(
    "ratio (shaft) [1]: speed over that of the drive of its train",
    "gear_place (gear) [1]: position of its mid-face",
)
#: Events of switches.
EVENTS = variables(
    "event_time (event) [s]: time of the event",
    "event_switch (event) [1]: switch whose mode changes",
    "event_before (event) [1]: its mode before",
    "event_after (event) [1]: its mode after",
)
#: Where chosen points of the teeth are.
POINT_PLACES = variables(
    "point_gear (point) [1]: gear of the point",
    "point_flank (point) [1]: front or back side of the tooth",
    "point_radius (point) [m]: distance of the point from the axis",
    "point_arc_length (point) [m]: arc length along the profile from the middle of the tooth space",
    "point_face_position (point) [m]: position of the point along the axis from mid-face",
)
SIDES = ("tension", "compression")
AXES = ("x", "y", "z")
LIMITS = ("root_form", "tip")
#: Names along the dimensions of rolling bearings, and of pins of planets.
RING_NAMES = {"along": ["x", "y", "z"], "about": ["x", "y"], "ring": ["inner", "outer"]}
PIN_NAMES = {"of_pin": ["radial", "tangential", "axial"], "about_pin": ["radial", "tangential"]}
