"""Modes of planetary sets as scenes: members where the shape has them, magnified, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear.errors import Fault
from alegear.scene.planet_modes import INSTANTS, LARGEST, scene_of_mode

CASE = Path(__file__).resolve().parents[2] / "meshes" / "planetary_lin_parker.toml"


@pytest.fixture(scope="module")
def dataset():
    return ag.run(ag.case_from_file(CASE)).dataset


@pytest.mark.parametrize("mode", [1, 5, 8])
def test_members_move_as_the_shape_has_them(dataset, mode) -> None:
    """A translational mode, one out of the plane, a rotational one."""
    scene = scene_of_mode(dataset, mode=mode)
    assert len(scene) == INSTANTS
    rest = dataset["member_position"].to_numpy()
    shape = dataset["member_displacement"].sel(mode=mode).to_numpy()
    turned = dataset["member_rotation"].sel(mode=mode).to_numpy()
    most = INSTANTS // 4
    moved = scene._position[most] - rest
    np.testing.assert_allclose(scene._position[0], rest, atol=1e-12)
    np.testing.assert_allclose(scene._position[3 * most] - rest, -moved, atol=1e-12)
    size = np.linalg.norm(moved) / np.linalg.norm(shape)
    np.testing.assert_allclose(moved, size * shape, atol=1e-12)
    np.testing.assert_allclose(scene._turned[most][:, 2], size * turned, atol=1e-12)  # axes along z
    rims = np.linalg.norm(moved, axis=1)
    rims += dataset["member_radius"].to_numpy() * np.linalg.norm(scene._turned[most], axis=1)
    pins = float(dataset["member_radius"].sel(member="set carrier"))
    assert rims.max() == pytest.approx(LARGEST * pins, rel=1e-9)
    assert f"{float(dataset['frequency'].sel(mode=mode)):.1f} Hz" in scene.title


def test_outlines_are_those_of_the_teeth(dataset) -> None:
    """Pitch circles touch at the distance of the pins, on circles at equal angles."""
    own = dataset.sel(axis="x")["member_position"].to_numpy(), dataset.sel(axis="y")["member_position"].to_numpy()
    radius, members = dataset["member_radius"], dataset["member"].to_numpy().tolist()
    pins = float(radius.sel(member="set carrier"))
    assert float(radius.sel(member="set sun") + radius.sel(member="set planet 1")) == pytest.approx(pins, rel=1e-12)
    assert float(radius.sel(member="set ring") - radius.sel(member="set planet 1")) == pytest.approx(pins, rel=1e-12)
    for i in range(3):
        at = members.index(f"set planet {i + 1}")
        place = own[0][at] + 1j * own[1][at]
        assert place == pytest.approx(pins * np.exp(2j * np.pi * i / 3), abs=1e-12)
    assert dataset["member_teeth"].to_numpy().tolist() == [27, -93, 0, 33, 33, 33]


def test_what_is_not_there_is_refused(dataset) -> None:
    with pytest.raises(Fault, match="mode = 99"):
        scene_of_mode(dataset, mode=99)
    with pytest.raises(Fault, match="planetary_set = other: must be one of set"):
        scene_of_mode(dataset, mode=1, planetary_set="other")
    with pytest.raises(Fault, match="planetary sets of the result"):
        scene_of_mode(dataset.drop_dims(("planetary_set", "member")), mode=1)
