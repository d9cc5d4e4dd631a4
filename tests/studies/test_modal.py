"""Modal studies: the pair on rigid and on vibrating wheels, against closed forms and against full matrices."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh
from small_cases import at_phase, drive_at, equilibria_of, prescribed, static_text

import alegear as ag
from alegear.case.pair_machine import DRIVE, MESH, machine_of
from alegear.cli import main
from alegear.contact.forces import N_SHIFTS, MeshMotion
from alegear.contact.hertz.face_modes import window_teeth
from alegear.contact.numbering import GEARS, PINION, SPIN, WHEEL
from alegear.fe import FEModel
from alegear.mesh import WheelMesh, sector_rotation
from alegear.progress import Silent
from alegear.reduction.normal_modes import find_normal_modes
from alegear.reduction.sector_condensation import face_grids
from alegear.results.variables import MODES_OF_WHEELS
from alegear.scene.scene import FieldSeries
from alegear.studies import modal
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.modal import ModalStudy
from alegear.studies.modal_pair import ModalPair
from alegear.studies.preparation import prepare

BEARINGS = """
[supports.wheel]
kind = "bearing"
stiffness_N_per_m = [4e8, 2e8, 1e8]
tilt_stiffness_Nm_per_rad = [2e5, 3e5]
added_mass_kg = 0.5
"""
SHAFTS = """
[shafts.pinion]
stiffness_Nm_per_rad = 2e5
[shafts.wheel]
stiffness_Nm_per_rad = 1e5
inertia_kg_m2 = 0.01
"""


def modal_text(keys: str = "", **changes) -> str:
    text = static_text((12, 13), **changes)
    before, after = text.split("[analysis]")
    rest = after[after.index("\n[") :] if "\n[" in after else ""
    return f'{before}[analysis]\nkind = "modal"\n{keys}\n{rest}'


def modal_case(keys: str = "", **changes) -> ag.Case:
    return ag.Case.from_bytes(modal_text(keys, **changes).encode())


@cache
def prepared(tables: str = "", driver: str = "pinion", torque: float = 200.0):
    return prepare(modal_case(tables=tables, driver=driver, torque=torque), Silent(), fields=False)


def study_of(keys: str = "", **changes) -> ModalPair:
    case = modal_case(keys, **changes)
    pair = prepared(**{"tables": "", **changes})
    study = ModalStudy(machine_of(case), {MESH: pair})
    study.run(Silent())
    return ModalPair(study)


@cache
def study(keys: str = "") -> ModalPair:
    return study_of(keys)


def linearised(solver: MeshSolver, phase: float, deflection: float, first_pair: int):
    motion = MeshMotion(phi=solver.rotations(phase - first_pair, deflection), first_pair=first_pair)
    return solver.contact.linearise(solver.contact.new_data(), motion)


def test_without_shafts_the_driven_gear_swings_on_the_mesh() -> None:
    found, case = study(), modal_case()
    k, r_b, J = found.mesh_stiffness, case.pair.wheel.r_b, prepared().wheels[WHEEL].inertia
    np.testing.assert_allclose(found.pair.frequencies, [np.sqrt(k * r_b**2 / J)], rtol=1e-12)
    np.testing.assert_allclose(found.pair.shares, [[1.0, 0.0, 0.0, 0.0, 0.0]], atol=1e-12)
    assert found.pair.coordinates == ("wheel",)


def test_shafts_and_load_by_their_own_matrices() -> None:
    found, case = study_of("n_modes = 5", tables=SHAFTS), modal_case()
    r_1, r_2 = (gear.r_b for gear in case.pair.gears)
    J = [prepared().wheels[WHEEL].inertia, prepared().wheels[PINION].inertia, 0.01]
    k, k_1, k_2 = found.mesh_stiffness, 2e5, 1e5
    K = [[k * r_2**2 + k_2, -k * r_1 * r_2, -k_2], [-k * r_1 * r_2, k * r_1**2 + k_1, 0.0], [-k_2, 0.0, k_2]]
    squares = np.sort(np.linalg.eigvals(np.array(K) / np.array(J)[:, None]).real)
    np.testing.assert_allclose(found.pair.frequencies, np.sqrt(squares), rtol=1e-10)
    np.testing.assert_allclose(found.pair.shares.sum(axis=1), 1.0, atol=1e-10)
    assert found.pair.coordinates == ("wheel", "pinion", "load")


def test_the_mean_over_a_pitch_is_what_the_dynamic_study_swings_on() -> None:
    text = modal_text().replace('kind = "modal"', 'kind = "dynamic"\nduration_s = 1e-3')
    case = ag.Case.from_bytes(text.replace("[operation]", "[operation]\npinion_speed_rpm = 1000.0").encode())
    dynamic = DynamicStudy(machine_of(case), {MESH: prepared()})
    assert study().mesh_stiffness == pytest.approx(dynamic.stiffness[MESH], rel=1e-9)
    assert study().rigid.in_mesh == pytest.approx(dynamic.frequencies[MESH], rel=1e-9)


def test_at_a_phase_it_is_the_static_stiffness_there() -> None:
    solver = MeshSolver.of(modal_case(), prepared().contact)
    expected = solver.solve(0.0, 0).mesh_stiffness
    assert study("phase = 0.0").mesh_stiffness == pytest.approx(expected, rel=1e-9)


def test_linearised_contact_is_the_tangent_of_the_static_one() -> None:
    contact, solver = prepared().contact, MeshSolver.of(modal_case(), prepared().contact)
    position = solver.solve(0.1, -1)
    here = linearised(solver, 0.1, position.deflection, -1)
    K = here.stiffness(here.arms)
    # the places of contact move with the rotations: a part of a per mille of the tangent
    assert K[0, 0] / contact.pair.pinion.r_b**2 == pytest.approx(position.mesh_stiffness, rel=3e-3)
    np.testing.assert_allclose(here.arms.T @ here.force, position.forces.torque, rtol=1e-9)
    np.testing.assert_allclose(here.compliance, here.compliance.T, atol=1e-12 * here.compliance.max())
    assert np.linalg.eigvalsh(here.compliance)[0] > 0.0


# --- vibrating wheels -------------------------------------------------------------------------------------------------


def full_pair(phase: float, tables: str = "") -> tuple[sp.csc_matrix, sp.csc_matrix]:
    """Stiffness and mass of the driven wheel's rotation and displacements and of all nodes of both wheels.

    They are coupled at the loaded points: what the contact has of its own is what is left of D without the compliance
    of the wheels.
    """
    pair, case = prepared(tables), modal_case(tables=tables)
    solver = equilibria_of(case, pair)
    position, mesh = at_phase(solver, phase), solver.system.contacts[MESH]
    assert position.first_pair[MESH] == 0
    y = position.x[mesh.coordinates]
    phi = mesh.turned(y)
    motion = MeshMotion(phi=phi, displacement=mesh.displacements(y))
    here = pair.contact.linearise(pair.contact.new_data(displaced=bool(tables)), motion)
    displaced = here.displaced[:, N_SHIFTS:]  # the wheel's, on bearings
    own = here.compliance.copy()
    K, M, opened, momentum = [], [], [], []
    for gear, wheel in enumerate(pair.wheels):
        own -= here.nodal[gear] @ wheel.C_ff @ here.nodal[gear].T
        mesh = WheelMesh(wheel.sector)
        model = FEModel.from_mesh(mesh.volume, wheel.material)
        nodes = np.concatenate([grid.ravel() for grid in face_grids(wheel.sector, wheel.flank)])
        E = here.nodal[gear].reshape(len(own), wheel.slots, -1, 3)
        rows = np.zeros((len(own), model.n_nodes, 3))
        for slot, k in enumerate(window_teeth(wheel.slots, gear, 0)):
            rows[:, mesh.node_of[k % wheel.teeth, nodes]] += E[:, slot] @ sector_rotation(wheel.teeth, k).T
        free = np.setdiff1d(np.arange(model.n_dof), 3 * mesh.volume.node_sets["bore"][:, None] + np.arange(3))
        K.append(model.stiffness[free][:, free])
        M.append(model.mass[free][:, free])
        opened.append(rows.reshape(len(own), -1)[:, free])
        # how the body moves by its rotation and by displacements in space, in its own frame
        angle = float(pair.contact.tooth_angle(gear, phi, np.array(0)))
        c, s = np.cos(angle), np.sin(angle)
        axes = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]).T  # rows: axes of space in the body's frame
        tilts = [np.cross(axis, model.points) for axis in axes[:2]]
        moved = [SPIN[gear] * np.cross([0.0, 0.0, 1.0], model.points)]
        if tables:
            moved += [*(np.broadcast_to(axis, model.points.shape) for axis in axes), *tilts]
        momentum.append((model.mass @ np.array([field.ravel() for field in moved]).T)[free])
    wheel, k = pair.wheels[WHEEL], displaced.shape[1]
    B = sp.csr_matrix(np.hstack([here.arms[:, [WHEEL]], displaced, *opened]))
    contact = B.T @ sp.csr_matrix(np.linalg.inv(own)) @ B
    coupling = np.vstack([np.zeros((K[0].shape[0], 1 + k)), momentum[WHEEL]])  # the pinion is led
    rigid, held = [wheel.inertia], np.zeros((1 + k, 1 + k))
    if tables:
        support = case.supports[WHEEL]
        rigid += [wheel.mass + support.added_mass] * 3 + [wheel.transverse_inertia] * 2
        held[1:, 1:] = support.stiffness
    mass = sp.bmat([[np.diag(rigid), coupling.T], [coupling, sp.block_diag(M)]])
    return (sp.block_diag([held, *K]) + contact).tocsc(), mass.tocsc()


def lowest_frequencies(K: sp.csc_matrix, M: sp.csc_matrix, count: int = 8) -> np.ndarray:
    return np.sqrt(np.sort(eigsh(K, count, M, sigma=0.0, return_eigenvectors=False)))


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    """Lowest frequencies of the full matrices [rad/s]."""
    return lowest_frequencies(*full_pair(0.0))


@pytest.mark.thorough  # on bearings it runs always
def test_normal_modes_come_down_to_the_full_matrices(exact: np.ndarray) -> None:
    errors = []
    for count in (6, 24, 96):
        found = study(f"phase = 0.0\nn_modes = 8\nnormal_modes = {count}").pair.frequencies
        errors.append(np.abs(found[:4] / exact[:4] - 1.0))
    assert np.all(found[:4] > exact[:4] * (1.0 - 1e-9))  # Ritz: from above
    assert errors[2].max() < 2e-3
    assert errors[2].max() < 0.5 * errors[1].max() < 0.5 * errors[0].max()


def test_without_a_phase_the_modes_of_several_positions_are_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modal, "STIFFNESS_POSITIONS", 2)
    keys = "n_modes = 3\nnormal_modes = 6"
    mean = study_of(keys).pair
    one, two = (study_of(f"{keys}\nphase = {phase}").pair for phase in (-0.25, 0.25))
    np.testing.assert_allclose(mean.frequencies**2, 0.5 * (one.frequencies**2 + two.frequencies**2), rtol=1e-9)
    np.testing.assert_allclose(mean.shares, 0.5 * (one.shares + two.shares), atol=1e-9)


def test_energy_is_in_mesh_wheels_and_shafts() -> None:
    found = study("phase = 0.0\nn_modes = 8\nnormal_modes = 24").pair.listed(8)
    assert len(found.frequencies) == 8
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0, atol=1e-9)
    assert found.shares.min() > -1e-12


def test_shares_of_the_deflection_add_up_to_less_than_all() -> None:
    shares = study("phase = 0.0\nn_modes = 8\nnormal_modes = 48").mesh.deflection_shares
    assert shares is not None
    assert all(share.min() >= 0.0 for share in shares)
    assert 0.2 < sum(share.sum() for share in shares) < 1.0


def test_shares_are_what_the_modes_take_from_the_compliance() -> None:
    """The way of the load in a mode is its part of the compliance: from the nodal forces of the static solution."""
    found, wheel = study("phase = 0.0\nnormal_modes = 6"), prepared().wheels[WHEEL]
    solver = MeshSolver.of(modal_case(), prepared().contact)
    position = solver.solve(0.0, 0)
    load = linearised(solver, 0.0, position.deflection, 0).force.sum()
    modes = find_normal_modes(wheel.sector, wheel.material, 6)
    nodes = np.concatenate([grid.ravel() for grid in face_grids(wheel.sector, wheel.flank)])
    forces = position.forces.face_force[WHEEL].reshape(wheel.slots, -1, 3)
    work = sum(
        np.einsum("mna,na->m", modes.of_tooth(k, nodes), part)
        for k, part in zip(window_teeth(wheel.slots, WHEEL, 0), forces, strict=True)
    )
    expected = position.mesh_stiffness * (work / load / modes.frequencies) ** 2
    assert found.mesh.deflection_shares is not None
    # one pair carries, so that any window that holds it gives the same
    np.testing.assert_allclose(found.mesh.deflection_shares[WHEEL][: modes.n_modes], expected, rtol=1e-6, atol=1e-12)


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_run_writes_modes_summary_and_pictures(tmp_path, capsys) -> None:
    path = tmp_path / "case.toml"
    text = modal_text("n_modes = 3\nnormal_modes = 4").replace("fields = false", "fields = true")
    path.write_text(text.replace("plots = false", "plots = true"))
    assert main(["run", str(path), "--out", str(tmp_path / "out")]) == 0
    written = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"result.nc", "summary.json", "campbell.png", "fields"} <= written
    fields = sorted(file.name for file in (tmp_path / "out" / "fields").iterdir())
    assert fields == sorted(
        [f"{gear}_mode_0{i}.vtu" for gear in ("pinion", "wheel") for i in (1, 2, 3)] + ["series.pvd"]
    )
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["complete"]
    assert summary["analysis"] == "modal"
    assert len(summary["held_frequency_Hz"]["pinion"]) == len(summary["free_nodal_diameter"]["wheel"]) == 3
    assert summary["mesh_natural_frequency_flexible_Hz"] > 0.0
    import xarray as xr

    with xr.open_dataset(tmp_path / "out" / "result.nc") as dataset:
        assert dict(dataset.sizes) == {"gear": 2, "wheel_mode": 3, "pair_mode": 3, "part": 5, "coordinate": 1}
        np.testing.assert_allclose(dataset["held_frequency"][0], summary["held_frequency_Hz"]["pinion"])
        assert all("units" in dataset[name].attrs and "long_name" in dataset[name].attrs for name in dataset)
    assert "natural frequencies in Hz" in capsys.readouterr().out
    series = FieldSeries(tmp_path / "out")
    assert [series.label(i) for i in (0, 5)] == ["pinion mode 01", "wheel mode 03"]
    grid = series.load(series.most_stressed)  # the first of the wheel
    assert np.linalg.norm(grid["displacement"], axis=1).max() == pytest.approx(2e-3, rel=1e-6)  # half a module
    assert series.stress_limit > 0.0


def test_law_penalty_has_a_pair_on_rigid_wheels_and_no_shares() -> None:
    result = ag.run(modal_case("n_modes = 2", contact='law = "penalty"'))
    assert "held_deflection_share" not in result.dataset
    assert result.summary["pair_frequency_Hz"][0] == pytest.approx(result.summary["mesh_natural_frequency_Hz"])


@pytest.mark.parametrize(("driver", "torque", "swings"), [("wheel", 200.0, PINION), ("pinion", -200.0, WHEEL)])
def test_either_driver_and_either_flank(driver: str, torque: float, swings: int) -> None:
    found = study_of("phase = 0.0\nnormal_modes = 2", driver=driver, torque=torque)
    case, pair = modal_case(), prepared(driver=driver, torque=torque)
    r_b, J = case.pair.gears[swings].r_b, pair.wheels[swings].inertia
    assert found.rigid.coordinates == (("pinion", "wheel")[swings],)
    assert found.rigid.frequencies[0] == pytest.approx(np.sqrt(found.mesh_stiffness * r_b**2 / J), rel=1e-12)
    # elastic inertia changes it by some per cent
    assert found.pair.in_mesh == pytest.approx(found.rigid.in_mesh, rel=0.1)


# --- bearings ---------------------------------------------------------------------------------------------------------


def test_bearings_as_the_dynamic_study_has_them() -> None:
    """The tangent of its forces at rest in equilibrium, and its mass."""
    found = study_of("phase = -0.3\nn_modes = 6", tables=BEARINGS)
    text = modal_text(tables=BEARINGS).replace('kind = "modal"', 'kind = "dynamic"\nduration_s = 1e-3')
    case = ag.Case.from_bytes(text.replace("[operation]", "[operation]\npinion_speed_rpm = 1000.0").encode())
    squares = squares_of(DynamicStudy(machine_of(case), {MESH: prepared(BEARINGS)}))
    # theirs holds that places of contact move and forces turn with the flanks
    np.testing.assert_allclose(found.pair.frequencies, np.sqrt(squares), rtol=3e-3)
    assert found.pair.coordinates == ("wheel", "wheel x", "wheel y", "wheel z", "wheel tilt x", "wheel tilt y")
    np.testing.assert_allclose(found.pair.shares.sum(axis=1), 1.0, atol=1e-9)


def squares_of(study: DynamicStudy) -> np.ndarray:
    """Squares of the frequencies about the equilibrium where the driven wheel is at phase -0.3."""
    solver, system = study.equilibria(), study.system
    behind = solver.transmission_error(MESH, solver.solve(drive_at(study, -0.3))) / study.layout.place(MESH).pair.p_bt
    found = solver.solve(drive_at(study, -0.3 - behind))
    t = prescribed(study).time_at(found.angles[DRIVE])
    v = study.built.nominal(DRIVE, prescribed(study).speed(t))  # no vibration, no damping
    q, rates = system.free_of(found.x), system.free_of(v)
    system.data.elements[study.built.number_of(MESH)].first_pair = found.first_pair[MESH]
    force = system.force(t, q, rates)
    return np.sort(np.linalg.eigvals(np.linalg.solve(system.mass_matrix(q), -force.dQ_dq)).real)


@pytest.mark.parametrize("tables", [pytest.param("", marks=pytest.mark.thorough), BEARINGS], ids=["hinges", "bearings"])
def test_vibrating_wheels_as_the_dynamic_study_has_them(tables: str) -> None:
    """The tangent of its forces in static deflection, and its mass: another way to the same modes."""
    found = study_of("phase = -0.3\nn_modes = 6\nnormal_modes = 12", tables=tables)
    text = modal_text(tables=tables).replace(
        'kind = "modal"', 'kind = "dynamic"\nduration_s = 1e-3\ninertia = "full"\nnormal_modes = 12'
    )
    case = ag.Case.from_bytes(text.replace("[operation]", "[operation]\npinion_speed_rpm = 1000.0").encode())
    squares = squares_of(DynamicStudy(machine_of(case), {MESH: prepared(tables)}))
    # theirs holds that places of contact move and forces turn with the flanks
    np.testing.assert_allclose(found.pair.frequencies[:6], np.sqrt(squares[:6]), rtol=3e-3)


def test_stiff_bearings_are_hinges() -> None:
    stiff = BEARINGS.replace("e8", "e14").replace("e5", "e12")
    found = study_of("phase = 0.0\nn_modes = 4\nnormal_modes = 12", tables=stiff).pair.frequencies
    expected = study("phase = 0.0\nn_modes = 4\nnormal_modes = 12").pair.frequencies
    np.testing.assert_allclose(found[:4], expected[:4], rtol=1e-4)  # 4e8 N/m of teeth on 1e14


@pytest.mark.slow
def test_vibrating_wheels_on_bearings_come_down_to_the_full_matrices() -> None:
    exact, errors = lowest_frequencies(*full_pair(0.0, BEARINGS), 10), []
    for count in (12, 48):
        found = study_of(f"phase = 0.0\nn_modes = 10\nnormal_modes = {count}", tables=BEARINGS).pair.frequencies
        errors.append(found[:8] / exact[:8] - 1.0)
    assert errors[1].min() > -1e-9  # Ritz: from above
    assert errors[1].max() < 5e-3
    assert errors[1].max() < 0.5 * errors[0].max()


def test_the_mode_in_the_mesh_is_listed_however_few_are_asked_for() -> None:
    many = study_of("phase = 0.0\nn_modes = 6", tables=BEARINGS)
    few = study_of("phase = 0.0\nn_modes = 1", tables=BEARINGS).history().values
    number = many.pair.mesh_mode
    assert number > 0
    assert many.pair.shares[number, 0] == many.pair.shares[:, 0].max() > 0.9
    np.testing.assert_allclose(few["pair_frequency"], many.history().values["pair_frequency"][[0, number]], rtol=1e-12)
    assert few["pair_energy_share"].shape[0] == few["pair_shape"].shape[0] == 2
    assert few["mesh_frequency"] == few["pair_frequency"][1]
    # on bearings it is another than on fixed axes
    assert few["fixed_axis_mesh_frequency"] == pytest.approx(many.rigid.in_mesh / (2.0 * np.pi), rel=1e-12)
    assert abs(few["mesh_frequency"] / few["fixed_axis_mesh_frequency"] - 1.0) > 0.1


def test_a_gear_that_rolls_on_the_other_in_its_bearings_is_not_the_mode_in_the_mesh() -> None:
    """On bearings the wheel turns the most where it is displaced along with it: its flanks hardly approach."""
    bearings = BEARINGS.replace("4e8, 2e8, 1e8", "8e8, 8e8, 1e8")
    modes = study_of("phase = 0.0\nn_modes = 6", tables=bearings).pair
    turned = (modes.shapes[modes.coordinates.index("wheel")] / modes.frequencies) ** 2
    assert np.argmax(turned * modes.shares[:, 0]) != modes.mesh_mode == np.argmax(modes.shares[:, 0])
    # what the gears approach each other is what the mesh gives way; tilts deform it, too, and do not approach
    along = modes.deflection > 1e-6 * modes.deflection.sum()
    np.testing.assert_allclose((modes.deflection / modes.deflection.sum())[along], modes.shares[along, 0], rtol=1e-6)


def test_many_normal_modes_leave_the_mode_in_the_mesh_where_it_is() -> None:
    """Of 24 of each wheel one at 75 kHz has most of its energy in the mesh; a load moves it as good as not."""
    modes = study("phase = 0.0\nn_modes = 8\nnormal_modes = 24").pair
    assert np.argmax(modes.shares[:, 0]) != modes.mesh_mode == 0
    assert modes.in_mesh == pytest.approx(study("phase = 0.0").pair.in_mesh, rel=0.05)


# --- machines ---------------------------------------------------------------------------------------------------------


def machine_study(keys: str, tables: str = "") -> ModalStudy:
    """The machine that a pair is, for which nothing tells that it is one."""
    machine = replace(machine_of(modal_case(keys, tables=tables)), preset=None)
    study = ModalStudy(machine, {MESH: prepared(tables)})
    study.run(Silent())
    return study


@pytest.mark.parametrize("tables", ["", BEARINGS], ids=["hinges", "bearings"])
def test_wheels_vibrate_in_a_machine_as_in_a_pair(tables: str) -> None:
    keys = "phase = -0.3\nn_modes = 6\nnormal_modes = 12"
    pair, machine = study_of(keys, tables=tables), machine_study(keys, tables)
    found, expected = machine.history().values, pair.history().values
    np.testing.assert_allclose(found["frequency"], expected["pair_frequency"][:6], rtol=1e-9)
    for name in MODES_OF_WHEELS:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    parts = machine.history().labels["part"]
    for gear in (PINION, WHEEL):
        share = found["energy_share"][:, parts.index(f"{GEARS[gear]} normal modes")]
        np.testing.assert_allclose(share, pair.pair.shares[:6, 1 + gear], atol=1e-9)
    # whoever turns has rigid wheels, and is told so
    assert np.abs(found["turning_frequency"] / found["frequency"][: len(found["turning_frequency"])] - 1.0).max() > 1e-3
    assert any("without elastic inertia" in one for one in machine.all_warnings())


def test_modes_of_a_machine_are_means_over_its_positions(monkeypatch) -> None:
    monkeypatch.setattr(modal, "STIFFNESS_POSITIONS", 2)
    keys = "n_modes = 3\nnormal_modes = 4"
    mean = machine_study(keys).history().values["frequency"]
    one, two = (machine_study(f"{keys}\nphase = {at}").history().values["frequency"] for at in (-0.5, 0.0))
    assert (np.abs(one / two - 1.0) > 1e-3).any()
    np.testing.assert_allclose(mean**2, 0.5 * (one**2 + two**2), rtol=1e-9)


def test_without_normal_modes_a_phase_is_one_position_of_a_machine() -> None:
    found, stiffness = machine_study("phase = 0.0\nn_modes = 1"), study("phase = 0.0").mesh_stiffness
    r_b, J = modal_case().pair.wheel.r_b, prepared().wheels[WHEEL].inertia
    expected = np.sqrt(stiffness * r_b**2 / J) / (2.0 * np.pi)
    # the tangent holds that places of contact move with the rotations
    assert found.history().values["frequency"][0] == pytest.approx(expected, rel=2e-3)
