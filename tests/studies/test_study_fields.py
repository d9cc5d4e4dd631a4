"""Stress fields of a study on coarse grids, read back from their files and compared with the curves of the result."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import meshio
import numpy as np
import pytest
from scipy.spatial import cKDTree
from small_cases import COARSE

import alegear as ag
from alegear.case.analysis import StaticAnalysis
from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.output import OutputOptions
from alegear.case.pair_machine import machine_of
from alegear.contact.numbering import PINION, SPIN, WHEEL
from alegear.progress import Silent
from alegear.results.fields import read_series
from alegear.studies.motion_run import field_times
from alegear.studies.preparation import PreparedPair, prepare
from alegear.studies.run import run
from alegear.system.time_integration.stop_times import StopTimes

MESHES = Path(__file__).parents[2] / "meshes"
POSITIONS = 4
SINGLE = 2e-7  # relative error of a number stored in single precision, and of a few operations on it


def coarse(name: str) -> Case:
    text = (MESHES / name).read_text() + f"\n[grid]\n{COARSE}"
    return Case.from_bytes(text.encode(), MESHES / name)


@pytest.fixture(scope="module")
def case() -> Case:
    static = coarse("spur_20_30.toml")
    return replace(
        static, analysis=StaticAnalysis(positions_per_pitch=POSITIONS), output=OutputOptions(fields=True, plots=False)
    )


@pytest.fixture(scope="module")
def model(case) -> PreparedPair:
    return prepare(case, Silent())


@pytest.fixture(scope="module")
def result(case, tmp_path_factory) -> ag.Result:
    return ag.run(case, tmp_path_factory.mktemp("fields") / "results")


@pytest.fixture(scope="module")
def frames(result) -> list[tuple[float, meshio.Mesh]]:
    return [(label, meshio.read(path)) for label, path in read_series(result.directory / "fields" / "series.pvd")]


def tooth_points(model: PreparedPair, gear: int, pair: int, phi: float, nodes: np.ndarray) -> np.ndarray:
    """Places of some nodes of the tooth of a pair in the pinion's frame, for the gear's rotation without load."""
    contact = model.contact
    angle = contact.reference_angle[gear] + SPIN[gear] * (phi - pair * contact.pitch_angle[gear])
    c, s = np.cos(angle), np.sin(angle)
    x = model.sectors[gear].volume.points[nodes] @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return x + np.array([contact.pair.a_w if gear == WHEEL else 0.0, 0.0, 0.0])


def nodes_at(mesh: meshio.Mesh, places: np.ndarray, gear: int) -> np.ndarray:
    """Nodes of a gear in a frame that lie at given places."""
    of_gear = np.unique(mesh.cells[0].data[mesh.cell_data["gear"][0] == gear])
    distance, found = cKDTree(mesh.points[of_gear]).query(places)
    assert distance.max() < 1e-7  # 100 mm in single precision
    return of_gear[found]


def test_one_frame_a_position_and_nothing_else(result, frames):
    assert [label for label, _ in frames] == pytest.approx(list(result.dataset.phase.values), abs=1e-9)
    assert len(frames) == POSITIONS
    names = sorted(p.name for p in (result.directory / "fields").iterdir())
    assert names == [f"frame_{i:04d}.vtu" for i in range(POSITIONS)] + ["series.pvd"]
    names = ["about.json", "case_as_run.txt", "fields", "result.nc", "summary.json"]
    assert sorted(p.name for p in result.directory.iterdir()) == names
    assert [p.name for p in result.directory.parent.iterdir()] == ["results"]


def test_root_stress_of_the_fields_is_that_of_the_curves(model, result, frames):
    data = result.dataset
    compared = 0
    for i, (phase, mesh) in enumerate(frames):
        for gear in (PINION, WHEEL):
            phi = phase * model.contact.pitch_angle[gear]
            sector = model.sectors[gear]
            for pair in data.pair.values:
                if not float(data.tooth_load[i].sel(pair=pair)) > 0.0:
                    continue
                for side, root in enumerate((sector.root_a, sector.root_b)):  # the flank a is loaded: tension below it
                    curve = float(data.root_stress[i, gear, :, side].sel(pair=pair))
                    found = nodes_at(mesh, tooth_points(model, gear, pair, phi, root.ravel()), gear)
                    by_row = mesh.point_data["von_mises"][found].reshape(len(root), -1).max(axis=1)
                    # the curves leave out the row on the cut plane and those near the flank, where the tip presses
                    assert np.abs(by_row[1:] / curve - 1.0).min() < 10 * SINGLE
                    compared += 1
    assert compared >= 4 * (POSITIONS + 1)


def test_von_mises_belongs_to_the_stress_tensor(frames):
    for _, mesh in frames:
        xx, yy, zz, xy, yz, zx = mesh.point_data["stress"].astype(float).T
        squared = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3.0 * (xy**2 + yz**2 + zx**2)
        expected = np.sqrt(squared)
        np.testing.assert_allclose(mesh.point_data["von_mises"], expected, atol=1e-5 * expected.max())


def test_driver_is_turned_ahead_by_the_transmission_error(model, result, frames):
    pair = model.contact.pair
    for i, (phase, mesh) in enumerate(frames):
        ahead = -float(result.dataset.transmission_error[i]) / pair.pinion.r_b
        turned = (ahead, 0.0)  # the driven wheel holds its position
        for gear in (PINION, WHEEL):
            phi = phase * model.contact.pitch_angle[gear]
            x = tooth_points(model, gear, 0, phi, model.sectors[gear].bore)
            at = nodes_at(mesh, x, gear)
            x = x - np.array([pair.a_w if gear == WHEEL else 0.0, 0.0, 0.0])
            rigid = turned[gear] * np.column_stack([-x[:, 1], x[:, 0], np.zeros(len(x))])
            np.testing.assert_allclose(mesh.point_data["displacement"][at], rigid, atol=1e-6 * ahead * pair.pinion.r_b)


def test_displaced_flanks_still_touch(model, result, frames):
    """Where pair 0 touches at its pitch point, bending and turning make up for each other on the line of action."""
    i, (phase, mesh) = next((i, frame) for i, frame in enumerate(frames) if abs(frame[0]) < 1e-9)
    pair = model.contact.pair
    te = float(result.dataset.transmission_error[i])
    pitch_point = np.array([0.5 * pair.d_w[0], 0.0, 0.0])
    action = np.array([np.sin(pair.alpha_wt), np.cos(pair.alpha_wt), 0.0])  # from the driving pinion to the wheel
    approach = []
    for gear in (PINION, WHEEL):
        flank = model.sectors[gear].flank_a
        middle = flank[:, flank.shape[1] // 2]
        x = tooth_points(model, gear, 0, phase * model.contact.pitch_angle[gear], middle)
        nearest = nodes_at(mesh, x[[np.linalg.norm(x - pitch_point, axis=1).argmin()]], gear)
        approach.append(float(mesh.point_data["displacement"][nearest[0]] @ action))
    overlap = approach[PINION] - approach[WHEEL]
    # each node stands for the dented spot between the nodes; seen 5 %
    assert abs(overlap) < 0.1 * abs(te)
    assert 0.3 * abs(te) < approach[WHEEL] < 0.7 * abs(te)  # the wheel's tooth is bent away, the pinion's stays behind


@pytest.mark.parametrize(
    "vibrating", [pytest.param({}, marks=pytest.mark.thorough), {"normal_modes": 10}], ids=["rigid", "normal modes"]
)
def test_dynamic_fields_come_at_the_times_asked_for(tmp_path, vibrating):
    times = (0.0, 1.0e-4, 2.5e-4)
    case = coarse("spur_20_30_dynamic.toml")
    case = replace(
        case,
        analysis=replace(case.analysis, duration=2.5e-4, output_every=5e-5, **vibrating),
        output=OutputOptions(fields=True, field_times=times, plots=False),
    )
    result = ag.run(case, tmp_path / "results")
    series = read_series(result.directory / "fields" / "series.pvd")
    assert [label for label, _ in series] == pytest.approx(list(times), abs=1e-12)
    model = prepare(case, Silent())
    data = result.dataset
    for t, path in series:
        mesh = meshio.read(path)
        now = data.sel(time=t, method="nearest")
        slot = int(now.tooth_load.values.argmax())
        pair, behind = int(now.slot_pair.values[slot]), float(now.transmission_error)
        phase = float(now.phase) + behind / model.contact.pair.p_bt
        for gear in (PINION, WHEEL):
            # coordinates without load: the driven gear where it is, the driver where perfect teeth would have it
            phi = phase * model.contact.pitch_angle[gear]
            root = model.sectors[gear].root_a
            at = nodes_at(mesh, tooth_points(model, gear, pair, phi, root[1:].ravel()), gear)
            rows = mesh.point_data["von_mises"][at].reshape(len(root) - 1, -1).max(axis=1)
            curve = float(now.root_stress[gear, :, 0].isel(slot=slot))
            assert np.abs(rows / curve - 1.0).min() < 10 * SINGLE
        # the load turns the driver ahead
        x = tooth_points(model, PINION, pair, phase * model.contact.pitch_angle[PINION], model.sectors[PINION].bore)
        u = mesh.point_data["displacement"][nodes_at(mesh, x, PINION)]
        ahead = np.linalg.norm(u, axis=1).mean() / np.linalg.norm(x[0, :2])
        assert ahead == pytest.approx(-behind / model.contact.pair.pinion.r_b, rel=1e-4)


class _InterruptedInFields:
    """Progress of a user who presses Ctrl-C while fields are written."""

    def stage(self, name: str) -> None:
        self.name = name

    def advance(self, done: int, total: int) -> None:
        if self.name == "fields" and done == 2:
            raise KeyboardInterrupt


def test_interruption_leaves_no_file_half_written(case, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        ag.run(case, tmp_path / "results", _InterruptedInFields())
    assert [p.name for p in tmp_path.iterdir()] == ["results"]
    files = sorted(p for p in (tmp_path / "results").rglob("*") if p.is_file())
    assert not [p for p in files if p.name.startswith(".")]
    for path in files:
        if path.suffix == ".vtu":
            meshio.read(path)


def test_report_is_made_from_the_stored_numbers_beside_the_fields(case, tmp_path):
    called = []

    def report(result: ag.Result, folder: Path) -> None:
        called.append((result.complete, (folder / "result.nc").exists()))
        (folder / "te.png").write_text("drawn")

    result = run(case, tmp_path / "results", report=report)
    assert called == [(True, True)]
    assert (result.directory / "te.png").read_text() == "drawn"
    summary = json.loads((result.directory / "summary.json").read_text())
    assert summary == result.summary
    assert summary["complete"] is True
    assert len(read_series(result.directory / "fields" / "series.pvd")) == POSITIONS


@pytest.mark.parametrize("fields", [True, pytest.param(False, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("error", [RuntimeError("no ink"), KeyboardInterrupt()])
def test_a_report_that_fails_leaves_the_numbers_marked_incomplete(case, tmp_path, fields, error):
    def report(result: ag.Result, folder: Path) -> None:
        raise error

    with pytest.raises(type(error)):
        run(
            replace(case, output=OutputOptions(fields=fields, plots=False)),
            tmp_path / "results",
            report=report,
        )
    assert json.loads((tmp_path / "results" / "summary.json").read_text())["complete"] is False
    assert (tmp_path / "results" / "result.nc").exists()
    # the fields do not depend on it
    assert (tmp_path / "results" / "fields" / "series.pvd").exists() == fields


@pytest.mark.parametrize(("duration", "count"), [(0.01, 20), (1e-3, 5)])
def test_fields_come_at_times_of_the_output_where_none_are_asked_for(duration, count):
    analysis = DynamicAnalysis(duration=duration, output_every=3e-4)
    moving = replace(
        Case.from_toml(MESHES / "spur_20_30_dynamic.toml"), analysis=analysis, output=OutputOptions(fields=True)
    )
    times = field_times(machine_of(moving))
    stops = StopTimes.of(analysis.duration, analysis.output_every)
    assert len(times) == count
    assert all(stops.is_output(time) for time in times)
    assert (times[0], times[-1]) == (0.0, duration)
