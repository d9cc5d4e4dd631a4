"""Root stress that is the contact stress of a tip edge beside the root: found by where the forces act, and said."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from small_cases import case_of, static_study, static_text
from small_pair import wheels

import alegear as ag
from alegear.case.pair_machine import MESH
from alegear.progress import Silent
from alegear.recording import recorder as recorder_module
from alegear.recording.recorder import ContactRecorder, _inclined_rows
from alegear.recording.tip_contact import BESIDE, TipContactNearRoot, points_beside, pressed_beside, rows_beside
from alegear.storage.recorded_samples import RecordedSamples

PINION = 0
MESHES = Path(__file__).parents[2] / "meshes"


def forces_on(row: int, force: float, *, elsewhere: float = 0.0) -> np.ndarray:
    """Nodal forces of one sample on the pinion: on a row of slot 1, and on the row at the tip of slot 2 [N]."""
    wheel = wheels()[PINION]
    grid = wheel.sector.flank_a.shape
    out = np.zeros((1, wheel.slots, len(wheel.faces), *grid, 3))
    out[0, 1, 0, row, :, 0] = force
    out[0, 2, 0, -1, :, 1] = elsewhere
    return out.reshape(1, -1)


def test_rows_beside_the_root_are_the_elements_next_to_the_last_row_counted() -> None:
    wheel = wheels()[PINION]
    rows = _inclined_rows(wheel)
    n = rows_beside(wheel, rows)
    points = wheel.sector.volume.points
    radius = np.hypot(*points[wheel.sector.flank_a[:, 0], :2].T)
    counted = np.hypot(*points[wheel.sector.root_a[rows.stop - 1, 0], :2])
    above = np.count_nonzero((radius > counted + 1e-9) & (np.arange(len(radius)) < n))
    assert above == BESIDE
    assert rows_beside(wheel, slice(1, rows.stop - 1)) == n - 1


@pytest.mark.parametrize(("row", "elsewhere", "presses"), [(0, 0.0, True), (0, 20.0, False), (-1, 0.0, False)])
def test_a_notable_force_on_these_rows_presses(row: int, elsewhere: float, presses: bool) -> None:
    """1 N of 20 N elsewhere is a share below the notable one."""
    wheel = wheels()[PINION]
    n = rows_beside(wheel, _inclined_rows(wheel))
    assert n > 0
    beside = pressed_beside(wheel, forces_on(row, 1.0, elsewhere=elsewhere), 0, n)
    assert beside.shape == (1, wheel.slots, wheel.sector.flank_a.shape[1])
    assert beside.any(axis=2).tolist() == beside.all(axis=2).tolist() == [[False, presses, False]]
    assert not pressed_beside(wheel, forces_on(row, 0.0), 0, n).any()


@pytest.mark.parametrize("order", [1, 2])
def test_points_above_the_critical_section_beside_an_edge_are_none_of_the_root(order: int) -> None:
    """Across the face two elements more than what presses; nothing where nothing does."""
    rows, cols = 9, 33
    above = np.arange(rows) >= 6
    presses = np.zeros((1, 2, cols), dtype=bool)
    presses[0, 1, 12:15] = True
    expected = np.zeros((1, 2, rows, cols), dtype=bool)
    expected[0, 1, 6:, 12 - BESIDE * order : 15 + BESIDE * order] = True
    np.testing.assert_array_equal(points_beside(presses, above, order), expected)
    presses[0, 1, -1] = True  # at the end of the face nothing comes in from the other one
    assert not points_beside(presses, above, order)[0, 1, :, : 12 - BESIDE * order].any()


@pytest.mark.slow
def test_oblique_lines_of_contact_end_beside_a_root_that_bends_elsewhere() -> None:
    """The e-axle stage without relief presses its tips beside the roots, with relief nothing but bending is left."""
    text = (MESHES / "e_axle_stage.toml").read_text()
    text = re.sub(r"\[operation\]", "[grid]\nwidth_elements = 8\n[contact]\nslices = 24\n[operation]", text)
    relief = "".join(
        f"[{gear}.flank]\ntip_relief_um = 18.0\ntip_relief_start = 'end of single contact'\nlead_crowning_um = 4.0\n"
        for gear in ("pinion", "wheel")
    )
    for more, pressed in (("", True), (relief, False)):
        summary = ag.run(case_of(text + more)).summary
        told = [one for one in summary["warnings"] if "tip edge presses beside the root" in one]
        assert len(told) == (2 if pressed else 0), told
        for gear, sides in summary["root_contact_stress_max_MPa"].items():
            assert sides["compression"] is None
            assert (sides["tension"] or 0.0) > summary["root_stress_max_MPa"][gear]["tension"] or not pressed
            bends = summary["root_stress_max_MPa"][gear]["tension"]
            assert bends == pytest.approx({"pinion": 251.0, "wheel": 237.7}[gear], abs=0.1) or not pressed


def test_the_warning_names_gear_pair_phase_and_both_values() -> None:
    roots = TipContactNearRoot()
    slot_pair = np.array([[-1, 0, 1], [0, 1, 2]])
    stress = np.array([[100e6, 150e6, 90e6], [80e6, 120e6, 70e6]])
    edge = np.zeros((2, 3))
    edge[1, 1] = 260e6
    roots.update(0, 0, None, stress, 10, slot_pair)
    roots.update(1, 0, edge, stress, 10, slot_pair)
    (warning,) = roots.warnings(RecordedSamples.of({"phase": [0.0] * 11 + [0.25]}))
    for part in ("wheel", "260 MPa", "pair 1", "phase 0.25", "150 MPa", "tip_relief_um"):
        assert part in warning
    nothing = {"tension": None, "compression": None}
    expected = {"pinion": nothing, "wheel": {"tension": pytest.approx(260.0), "compression": None}}
    assert roots.in_summary() == {"root_contact_stress_max_MPa": expected}


def test_nothing_is_said_where_bending_is_larger() -> None:
    roots = TipContactNearRoot()
    roots.update(0, 1, np.array([[100e6, 0.0]]), np.array([[100e6, 150e6]]), 0, np.array([[0, 1]]))
    none = RecordedSamples.of({"phase": [0.0]})
    assert roots.warnings(none) == []
    assert TipContactNearRoot().warnings(none) == []  # no sample yet


def recorder_of_positions() -> ContactRecorder:
    study = static_study(case_of(static_text()))
    study.run(Silent())
    return study.recorders[MESH]


def test_what_was_seen_goes_into_the_memory_of_a_study() -> None:
    recorder = recorder_of_positions()
    largest = recorder.root_stress.max(axis=(0, 2))  # by gear and side
    np.testing.assert_array_equal(recorder.tip_contact.clear[:, :, 0], largest)
    again = recorder_of_positions()
    again.tip_contact.clear[:] = 0.0
    again.recall(recorder.memory())
    np.testing.assert_array_equal(again.tip_contact.clear, recorder.tip_contact.clear)


def test_a_result_tells_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every contact and all of the root taken for an edge beside it; with what is, nothing is said of a sound pair."""
    case = case_of(static_text(torque=201.0))
    sound = ag.run(case)
    assert not [warning for warning in sound.summary["warnings"] if "contact stress" in warning]
    monkeypatch.setattr(recorder_module, "rows_beside", lambda wheel, rows: len(wheel.sector.flank_a))

    def all_of_the_root(presses, above, order):
        return np.tile(presses.any(axis=2)[:, :, None, None], (1, 1, len(above), presses.shape[2]))

    monkeypatch.setattr(recorder_module, "points_beside", all_of_the_root)
    found = [warning for warning in ag.run(case).summary["warnings"] if "contact stress" in warning]
    assert len(found) == 2
    largest = float(sound.dataset.root_stress.sel(gear="pinion", side="tension").max())
    at = sound.dataset.root_stress.sel(gear="pinion", side="tension").max("pair").argmax("position")
    assert f"{1e-6 * largest:.4g} MPa" in found[0]
    assert f"phase {float(sound.dataset.phase[int(at)]):.6g}" in found[0]
