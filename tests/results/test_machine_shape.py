"""What pictures of machines are drawn from: gears whose teeth mesh."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from alegear.case.machine import MachineCase
from alegear.errors import Fault
from alegear.results.machine_shape import machine_shape, read_shape, tooth_outline, write_shape

MESHES = Path(__file__).parents[2] / "meshes"


@pytest.fixture(scope="module", params=["idler_3_gears", "two_stage_helical"])
def case(request: pytest.FixtureRequest) -> MachineCase:
    return MachineCase.from_toml(MESHES / f"{request.param}.toml")


def test_a_gear_stands_alike_in_all_of_its_meshes(case: MachineCase) -> None:
    """Tooth 0 by the phases of one mesh is a tooth by those of any other: a whole number of pitches away."""
    from alegear.results.machine_shape import _tooth_0

    for name, one in case.layout.gears.items():
        shaft = case.layout.shafts[one.shaft]
        angles = [
            np.arctan2(direction @ shaft.axes[1], direction @ shaft.axes[0])
            for place in case.layout.meshes
            if name in place.mesh.gears
            for direction in [_tooth_0(case.layout, place, name)]
        ]
        pitches = (np.array(angles) - angles[0]) / (2.0 * np.pi / one.gear.z)
        assert pitches == pytest.approx(np.round(pitches), abs=1e-9)  # round-off of angles


def test_gears_on_one_shaft_stand_by_their_tooth_angles(case: MachineCase) -> None:
    shape = machine_shape(case.layout, {"motor": [0.0]})
    for one in case.layout.gears.values():
        direction = np.array(shape["gears"][one.name]["direction"])
        assert np.linalg.norm(direction) == pytest.approx(1.0, rel=1e-12)
        assert direction @ case.layout.shafts[one.shaft].axes[2] == pytest.approx(0.0, abs=1e-12)


def test_the_outline_is_that_of_the_tooth(case: MachineCase) -> None:
    gear = case.gears[0].gear
    outline = tooth_outline(gear)
    radius, angle = np.hypot(*outline.T), np.arctan2(outline[:, 1], outline[:, 0])
    # round-off of the profile
    assert angle[[0, -1]] == pytest.approx([-np.pi / gear.z, np.pi / gear.z], rel=1e-9)
    assert radius.max() == pytest.approx(gear.r_a, rel=1e-9)
    assert radius[[0, -1]] == pytest.approx(gear.r_f, rel=1e-9)
    assert outline[::-1] * [1.0, -1.0] == pytest.approx(outline, rel=1e-12)


def test_it_is_read_as_written(case: MachineCase, tmp_path: Path) -> None:
    angles = {"motor": [0.1, 0.2]}
    write_shape(tmp_path, case.layout, angles)
    assert read_shape(tmp_path) == json.loads(json.dumps(machine_shape(case.layout, angles)))


@pytest.mark.parametrize("content", [None, "no json", "[1]", '{"shafts": {}}'])
def test_a_missing_or_broken_file_is_a_fault(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "machine.json").write_text(content)
    with pytest.raises(Fault, match=r"machine\.json"):
        read_shape(tmp_path)
