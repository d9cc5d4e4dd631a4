"""Motions of machines of gears as animations: where wheels are, and which forces the arrows tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import alegear as ag
from alegear.errors import Fault
from alegear.view.gear_motion import scene_of_motion, write_motion

SET = """
[machine]
[shafts.sun]
hinge = true
[shafts.carrier]
hinge = true
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
pin_stiffness_N_per_m = [1e8, 1e8, 1e8]
pin_tilt_stiffness_Nm_per_rad = [1e6, 1e6]
sun_gear = { face_width_mm = 30.0, bore_diameter_mm = 20.0 }
planet_gear = { face_width_mm = 30.0, bore_diameter_mm = 40.0, tooth_thickness_allowance_um = 60.0 }
ring_gear = { face_width_mm = 30.0, rim_diameter_mm = 230.0, tip_alteration_factor = -0.1 }
[analysis]
kind = "dynamic"
duration_s = 0.003
output_every_s = 1e-3
"""


def test_planets_go_round_and_forces_on_them_are_those_on_their_pins(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text(SET, encoding="utf-8")
    case = ag.MachineCase.from_toml(path)
    data = ag.run(case).dataset
    scene = scene_of_motion(case, data)
    assert scene.names == ["set carrier", "set sun", "set ring", "set planet 1", "set planet 2", "set planet 3"]
    assert set(scene.shape["wheels"]) == set(scene.names) - {"set carrier"}
    assert scene.shape["wheels"]["set ring"]["internal"]
    carrier = np.asarray(data.rotation_error.sel(shaft="carrier") + data.ratio.sel(shaft="carrier") * data.drive_angle)
    for i in range(3):
        angle = carrier + 2.0 * np.pi * i / 3.0
        expected = 60e-3 * np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)])
        np.testing.assert_allclose(scene._position[:, 3 + i], expected, atol=1e-15)
        # at rest what both central gears exert on a planet is what it exerts on its pin
        both = scene._forces[0, i] + scene._forces[0, 3 + i]
        out = expected[0] / 60e-3
        pin = data.pin_force.sel(planet=f"set planet {i + 1}").isel(time=0).to_numpy()
        told = [both @ out, both @ np.cross([0.0, 0.0, 1.0], out), both[2]]
        # lines of action turn by microns over millimetres
        np.testing.assert_allclose(told, pin, atol=1e-2 * float(np.linalg.norm(pin)))
    write_motion(case, data, tmp_path / "motion.gif", frames=2)
    with Image.open(tmp_path / "motion.gif") as picture:
        assert picture.n_frames == 2
    with pytest.raises(Fault, match="motion of a machine of gears"):
        scene_of_motion(case, data.drop_vars("drive_angle"))
