"""A machine of two rigid gears as a file has it: the cheapest run that there is."""

MACHINE = """
[machine]
[shafts.in]
fixed_axis = true
[shafts.out]
fixed_axis = true
position_mm = [100.0, 0.0, 0.0]
[gears.p1]
shaft = "in"
at_mm = 0.0
teeth = 20
face_width_mm = 30.0
bore_diameter_mm = 35.8
[gears.w1]
shaft = "out"
at_mm = 0.0
teeth = 30
face_width_mm = 30.0
bore_diameter_mm = 54.2
[meshes.m]
gears = ["p1", "w1"]
normal_module_mm = 4.0
fidelity = "rigid"
[drives.motor]
shaft = "in"
[loads.machine]
shaft = "out"
torque_Nm = -300.0
[analysis]
kind = "static"
"""
