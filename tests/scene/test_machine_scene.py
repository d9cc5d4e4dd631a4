"""Pictures of whole gearboxes: made-up fields on the teeth in mesh of a small train."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import placed_fields
import pytest
from PIL import Image

from alegear.case.machine import MachineCase
from alegear.contact.numbering import SPIN, flank_side
from alegear.errors import Fault
from alegear.mesh.grid_options import GridOptions
from alegear.mesh.sector import mesh_sector
from alegear.results import fields
from alegear.results.machine_shape import write_shape
from alegear.scene import machine_scene
from alegear.scene.machine_scene import MachineFields, gear_frame, gear_surface, teeth_left_out
from alegear.storage import stored_files

MESHES = Path(__file__).parents[2] / "meshes"
ANGLES = (0.0, 0.3)
TEETH = (-1, 0, 1)
COARSE = GridOptions(
    flank_elements=3, fillet_elements=2, thickness_elements=2, width_elements=2, rim_elements=2, order=1
)


@pytest.fixture(scope="module")
def case() -> MachineCase:
    return MachineCase.from_toml(MESHES / "idler_3_gears.toml")


@pytest.fixture(scope="module")
def result(case: MachineCase, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three teeth of each gear of each mesh where the phases of the machine have them, all under the same stress."""
    directory = tmp_path_factory.mktemp("machine")
    for place in case.layout.meshes:
        folder = directory / stored_files.MESHES / place.mesh.name / fields.FOLDER
        folder.mkdir(parents=True)
        reference = place.pair.reference_angles(flank_side(place.flank))
        series = []
        for number, angle in enumerate(ANGLES):
            parts = []
            for g, gear in enumerate(place.pair.gears):
                sector = mesh_sector(gear, COARSE)
                n = sector.volume.n_nodes
                stress = np.zeros((len(TEETH), n, 6))
                stress[:, :, 0] = 300e6
                pitch = 2.0 * np.pi / gear.z
                turned = case.layout.phases[place.mesh.name][g] + place.ratios[g] * angle
                turned -= pitch * np.round(turned / pitch)  # the tooth in mesh
                parts.append(
                    placed_fields.placed(
                        sector, np.zeros((len(TEETH), n, 3)), stress, sectors=TEETH, gear=g,
                        turn=reference[g] + SPIN[g] * turned, axis=(g * place.pair.a_w, 0.0),
                    )
                )  # fmt: skip
            placed_fields.write(folder / f"frame_{number:04d}.vtu", placed_fields.joined(parts))
            series.append((angle, f"frame_{number:04d}.vtu"))
        fields.write_series(folder / fields.SERIES, series)
    write_shape(directory, case.layout, {"motor": ANGLES})
    return directory


@pytest.mark.parametrize("number", [0, 1])
def test_teeth_of_the_fields_take_the_place_of_those_of_the_gears(case: MachineCase, result: Path, number: int) -> None:
    machine = MachineFields(result)
    loaded = machine.loaded(number)
    for name in case.layout.gears:
        frame = gear_frame(machine.shape, name, {"motor": ANGLES[number]})
        for mesh, surface in loaded.items():
            gears = machine.shape["meshes"][mesh]["gears"]
            if name not in gears:
                continue
            own = surface.points[surface.point_data["second"] == (name == gears[1])]
            left_out = teeth_left_out(machine.shape, name, frame, own)
            assert len(left_out) == len(TEETH)
            # their outlines are those of the field: all nodes at the tip lie on the surface that they replace
            others = set(range(case.layout.gears[name].gear.z)) - left_out
            whole = gear_surface(machine.shape, name, frame, others)
            gear = case.layout.gears[name].gear
            local = (own - machine_scene.gear_centre(machine.shape, name)) @ frame.T
            tip = own[np.hypot(local[:, 0], local[:, 1]) > gear.r_a - 1e-6]
            distance = np.abs(_distance(whole, tip))
            # chords of an outline with sixteen points a flank, and single precision of the fields
            assert distance.max() < 0.02 * gear.m_n


def _distance(surface, points: np.ndarray) -> np.ndarray:
    import pyvista as pv

    return pv.PolyData(points).compute_implicit_distance(surface.triangulate())["implicit_distance"]


def test_gears_have_the_volume_of_their_material(case: MachineCase, result: Path) -> None:
    shape = MachineFields(result).shape
    for name, one in case.layout.gears.items():
        surface = gear_surface(shape, name, gear_frame(shape, name, {"motor": 0.0}), set()).triangulate()
        # chords of outline and bore lie within 0.5 % of the area
        assert surface.volume == pytest.approx(one.gear.mass(1.0), rel=5e-3)


def test_a_frame_turns_with_the_ratio_of_its_shaft(result: Path) -> None:
    shape = MachineFields(result).shape
    before, after = (gear_frame(shape, "idler_gear", {"motor": angle}) for angle in ANGLES)
    turned = np.arctan2(after[0] @ before[1], after[0] @ before[0])
    assert turned == pytest.approx(-20.0 / 30.0 * (ANGLES[1] - ANGLES[0]), rel=1e-12)


def test_screenshot_shows_gears_and_stress(result: Path, tmp_path: Path) -> None:
    picture = tmp_path / "gearbox.png"
    machine_scene.show(result, screenshot=picture, position=1)
    image = np.asarray(Image.open(picture).convert("RGB")).astype(int)
    assert image.shape[:2] == (machine_scene.WINDOW[1], machine_scene.WINDOW[0])
    middle = image[:, : int(0.85 * image.shape[1])].reshape(-1, 3)  # without the bar of the colours
    grey = (np.ptp(middle, axis=1) < 16) & (middle.max(axis=1) < 245) & (middle.max(axis=1) > 60)
    red = (middle[:, 0] > middle[:, 1] + 80) & (middle[:, 0] > middle[:, 2] + 60)
    assert grey.mean() > 0.05
    assert red.mean() > 0.005


def test_wrong_requests_are_faults(result: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Fault, match="position = 2: must be between 0 and 1"):
        machine_scene.show(result, screenshot=tmp_path / "f.png", position=2)
    with pytest.raises(Fault, match=r"\.png"):
        machine_scene.show(result, screenshot=tmp_path / "f.jpg")
    with pytest.raises(Fault, match=r"machine\.json"):
        machine_scene.show(tmp_path, screenshot=tmp_path / "f.png")
    monkeypatch.setattr("alegear.scene.window.has_display", lambda: False)
    with pytest.raises(Fault, match="display"):
        machine_scene.show(result)
    assert not list(tmp_path.iterdir())


def test_fields_of_another_run_are_refused(result: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(result, copy)
    shape = json.loads((copy / "machine.json").read_text())
    (copy / "machine.json").write_text(json.dumps(shape | {"angles": {"motor": [0.0]}}))
    with pytest.raises(Fault, match="fields of mesh first"):
        machine_scene.show(copy, screenshot=tmp_path / "f.png")
