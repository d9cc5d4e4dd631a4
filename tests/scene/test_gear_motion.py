"""Motions of machines of gears as animations: where wheels are, and which forces the arrows tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from planetary_case import SET

import alegear as ag
from alegear.errors import Fault
from alegear.scene.gear_motion import scene_of_motion, write_motion

#: Three samples far apart, of which pictures are made.
FEW = SET.replace("duration_s = 0.002\noutput_every_s = 1e-4", "duration_s = 0.003\noutput_every_s = 1e-3")


def test_planets_go_round_and_forces_on_them_are_those_on_their_pins(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text(FEW, encoding="utf-8")
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
