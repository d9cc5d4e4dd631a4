"""Histories of points of the teeth, held against the recovered field of the whole wheel."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from small_cases import case_of, dynamic_study, static_study, static_text

import alegear as ag
from alegear.case.faults import CaseFaults
from alegear.case.pair_machine import MESH
from alegear.fe import FEModel, largest_principal, nodal_stress, von_mises
from alegear.mesh import sector_rotation
from alegear.progress import Silent
from alegear.results.contact_result import ContactHistory
from alegear.studies.static import StaticStudy

POINTS = """
[output]
fields = false
[[output.points]]
name = "root"
gear = "pinion"
flank = "{flank}"
fillet_share = 1.0
[[output.points]]
name = "space"
gear = "pinion"
flank = "{flank}"
fillet_share = 0.0
face_position_mm = 10.0
[[output.points]]
name = "flank"
gear = "wheel"
diameter_mm = 52.0
teeth = [0, 1, 12]
"""
ROUND_OFF = 1e-12  # of the largest value; measured 1e-14: the field comes by another order of the products


def text(flank: str = "front", **options) -> str:
    return static_text((12, 13), positions=4, pitches=2, tables=POINTS.format(flank=flank), **options)


@cache
def study_of(case_text: str) -> StaticStudy:
    study = static_study(case_of(case_text))
    study.run(Silent())
    return study


def history_of(case_text: str) -> ContactHistory:
    return study_of(case_text).mesh_history(MESH)


@cache
def field_of(case_text: str, frame: int, gear: int):
    """Displacement and stress of every tooth by its number, {tooth: (n_nodes, 3), (n_nodes, 6)}, and the sector."""
    study = study_of(case_text)
    prepared, at = study.prepared[MESH], study.frames(MESH)[frame]
    wheel, first_pair = prepared.wheels[gear], at.first_pair
    u = wheel.expand(at.face_force[gear])
    model = FEModel.from_mesh(wheel.sector.volume, wheel.material)
    n_pairs = prepared.contact.n_pairs
    fields = {}
    for sector, pitches in enumerate(wheel.layout.tooth_offsets):
        # the next pair lies clockwise on the pinion, counter-clockwise on the wheel
        pair = first_pair + n_pairs - 1 - pitches if gear == 0 else first_pair + pitches
        fields[int(pair) % wheel.teeth] = u[sector], nodal_stress(model, u[sector])
    return fields, wheel.sector


FRAMES = (0, 3, 6)
HELICAL = text().replace("[pair]", "[pair]\nhelix_angle_deg = 12.0")
CASES = {
    "front": text(),
    "back": text("back"),
    "wheel drives": text(driver="wheel"),
    "negative torque": text(torque=-200.0),
    "penalty": text(contact='law = "penalty"'),
    "helical": HELICAL,
}


@pytest.mark.parametrize("case_text", CASES.values(), ids=CASES)
def test_stress_in_the_fillet_is_that_of_the_recovered_field(case_text):
    history = history_of(case_text)
    points = history.points
    case = case_of(case_text)
    # front flanks carry at positive torque: those at positive angle of a driving pinion
    a = (case.operation.driver == "pinion") == (points.side[0] == "front")
    for frame in FRAMES:
        fields, sector = field_of(case_text, frame, 0)
        root = sector.root_a if a else sector.root_b
        node = root[-1, root.shape[1] // 2]
        scale = np.nanmax(history.point_stress[frame, 0])
        for tooth in range(12):
            stress = fields[tooth][1][node]
            assert history.point_stress[frame, 0, tooth] == pytest.approx(von_mises(stress), abs=ROUND_OFF * scale)
            assert history.point_stress_principal[frame, 0, tooth] == pytest.approx(
                largest_principal(stress), abs=ROUND_OFF * scale
            )


@pytest.mark.parametrize("case_text", [CASES[name] for name in ("front", "back", "helical")])
def test_stress_between_two_teeth_is_the_mean_of_both_sides(case_text):
    history = history_of(case_text)
    points = history.points
    a = points.side[1] == "front"
    for frame in FRAMES:
        fields, sector = field_of(case_text, frame, 0)
        planes = (sector.cut_high, sector.cut_low) if a else (sector.cut_low, sector.cut_high)
        # the tooth beyond flank a lies counter-clockwise: of the pinion that is the one that came before
        step = -1 if a else 1
        turn = sector_rotation(12, 1 if a else -1)
        grid = (sector.root_a if a else sector.root_b)[0]
        z = sector.volume.points[grid, 2]
        assert z[-1] == pytest.approx(10e-3)
        twin = planes[1][planes[0].tolist().index(grid[-1])]
        for tooth in range(12):
            own = _tensor(fields[tooth][1][grid[-1]])
            other = turn @ _tensor(fields[(tooth + step) % 12][1][twin]) @ turn.T
            mean = _components(0.5 * (own + other))
            scale = np.nanmax(history.point_stress[frame, 1])
            assert history.point_stress[frame, 1, tooth] == pytest.approx(von_mises(mean), abs=ROUND_OFF * scale)


def _tensor(c):
    return np.array([[c[0], c[3], c[5]], [c[3], c[1], c[4]], [c[5], c[4], c[2]]])


def _components(t):
    return np.array([t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[1, 2], t[2, 0]])


def test_rotation_is_the_expanded_displacement_over_the_radius():
    history = history_of(text())
    for frame in FRAMES:
        fields, sector = field_of(text(), frame, 0)
        node = sector.root_a[-1, sector.root_a.shape[1] // 2]
        x, y, _ = sector.volume.points[node]
        scale = np.nanmax(np.abs(history.point_rotation[frame, 0]))
        for tooth in range(12):
            u = fields[tooth][0][node]
            expected = (x * u[1] - y * u[0]) / (x**2 + y**2)  # the pinion runs positive about +z
            assert history.point_rotation[frame, 0, tooth] == pytest.approx(expected, abs=ROUND_OFF * scale)


def test_driven_teeth_are_bent_ahead_and_driving_ones_back():
    """Pinion drives: the contact brakes its teeth and pushes those of the wheel."""
    history = history_of(text())
    points = history.points
    loaded = history.tooth_load > 0.1 * history.tooth_load.max()
    for sample, pair in np.argwhere(loaded):
        label = int(history.pairs[pair])
        assert history.point_rotation[sample, 0, label % 12] < 0.0
        if label % 13 in (0, 1, 12):
            column = points.teeth.tolist().index(label % 13)
            assert history.point_rotation[sample, 2, column] > 0.0


def test_only_teeth_asked_for_have_numbers():
    history = history_of(text())
    points = history.points
    np.testing.assert_array_equal(points.teeth, np.arange(13))
    known = np.isfinite(history.point_stress).all(axis=0)
    np.testing.assert_array_equal(known[0], points.teeth < 12)
    np.testing.assert_array_equal(known[2], np.isin(points.teeth, [0, 1, 12]))
    assert points.radius[2] == pytest.approx(26e-3)


def test_far_from_the_window_there_is_hardly_any_stress():
    history = history_of(text())
    assert history.point_stress[0, 0, 6] < 0.02 * history.point_stress[0, 0, :2].max()


def test_dataset_and_summary_have_the_points():
    result = ag.run(case_of(text()))
    data = result.dataset
    assert data["point_stress"].dims == ("position", "point", "tooth")
    assert data["point_gear"].values.tolist() == ["pinion", "pinion", "wheel"]
    assert float(data["point_stress"].sel(point="root").max()) > 0.0
    largest = {name: float(data["point_stress"].sel(point=name).max()) * 1e-6 for name in data["point"].values}
    assert result.summary["point_stress_max_MPa"] == pytest.approx(largest)


def test_a_segment_knows_its_own_teeth_only():
    case_text = text(gear="teeth_modelled = 5").replace("pitches = 2", "pitches = 1")
    points = ag.run(case_of(case_text)).dataset["point_stress"]
    root = np.isfinite(points.sel(point="root")).all("position").values
    np.testing.assert_array_equal(np.flatnonzero(root), [0, 1, 2, 10, 11])
    # the space at the end has no neighbour
    assert np.isfinite(points.sel(point="space")).all("position").values.sum() == 4


DYNAMIC = """
[operation]
driver = "pinion"
pinion_torque_Nm = 200.0
pinion_speed_rpm = 3000.0
[analysis]
kind = "dynamic"
duration_s = 0.002
output_every_s = 5e-5
"""


def test_a_motion_records_its_points_as_its_fields_say():
    base = text()
    case = case_of(base[: base.index("[operation]")] + DYNAMIC + POINTS.format(flank="front"))
    case = replace(case, output=replace(case.output, fields=True))
    study = dynamic_study(case, frame_times=(0.0, 1e-3))
    study.run(Silent())
    history = study.mesh_history(MESH)
    stress, time = history.point_stress, history.time
    recorder = study.recorders[MESH]
    wheel = recorder.wheels[0]
    model = FEModel.from_mesh(wheel.sector.volume, wheel.material)
    node = wheel.sector.root_a[-1, wheel.sector.root_a.shape[1] // 2]
    for frame in study.frames(MESH):
        sample = int(np.abs(time - frame.label).argmin())
        u = wheel.expand(frame.face_force[0])
        for slot in range(wheel.slots):
            tooth = (frame.first_pair + recorder.n_slots - 1 - slot) % 12
            expected = von_mises(nodal_stress(model, u[slot])[node])
            scale = np.nanmax(stress[sample, 0])
            assert stress[sample, 0, tooth] == pytest.approx(expected, abs=ROUND_OFF * scale)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("diameter_mm = 52.0", "", "fillet_share and diameter_mm"),
        ("diameter_mm = 52.0", "diameter_mm = 52.0\nfillet_share = 0.5", "fillet_share and diameter_mm"),
        ("diameter_mm = 52.0", "diameter_mm = 30.0", "points[2].diameter_mm = 30.0: must lie above the root diameter"),
        ("[0, 1, 12]", "[0, 13]", "points[2].teeth = 13: must be below 13"),
        ("[0, 1, 12]", "[]", "points"),
        ("face_position_mm = 10.0", "face_position_mm = 10.5", "points[1].face_position_mm"),
        ('name = "space"', 'name = "root"', "points[1].name"),
        ("fillet_share = 1.0", "fillet_share = 1.1", "fillet_share"),
        ('gear = "wheel"', "", "gear"),
        ("diameter_mm = 52.0", "diametre_mm = 52.0", "diameter_mm"),
        ('kind = "static"\npositions_per_pitch = 4\npitches = 2', 'kind = "modal"', "has no effect in a modal"),
    ],
    ids=str,
)
def test_wrong_points_are_refused_by_their_key(old, new, named):
    with pytest.raises(CaseFaults) as refused:
        ag.Case.from_bytes(text().replace(old, new).encode())
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)
