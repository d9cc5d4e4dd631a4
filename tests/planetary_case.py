"""A planetary set of tooth pairs as a case file, for tests of tables, runs and pictures."""

SET = """
[machine]
[shafts.sun]
fixed_axis = true
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
sun = "sun"
ring = "ground"
carrier = "carrier"
sun_teeth = 21
planet_teeth = 39
ring_teeth = 99
planets = 3
normal_module_mm = 2.0
fidelity = "teeth"
torque_Nm = 100.0
slices = 1
retardation_us = 10.0
pin_stiffness_N_per_m = [1e8, 1e8, 1e8]
pin_tilt_stiffness_Nm_per_rad = [1e6, 1e6]
pin_damping_Ns_per_m = [1e3, 1e3, 1e3]
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
[analysis]
kind = "dynamic"
duration_s = 0.002
output_every_s = 1e-4
"""
