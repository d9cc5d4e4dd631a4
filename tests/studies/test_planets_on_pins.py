"""Static and modal studies of planetary sets whose planets sit on pins, as studies of machines."""

from __future__ import annotations

from math import cos

import numpy as np
import pytest
from planetary_sets import ALPHA, PIN, by_complementarity, machine, teeth

import alegear as ag
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.errors import Fault, NonConvergence
from alegear.progress import Silent
from alegear.studies.static import StaticStudy
from alegear.system import Linearised, PiecewiseCubic, real_modes


def solved(m: ag.Machine) -> tuple[StaticStudy, PlanetaryGearSet]:
    case = m.case()
    study = StaticStudy(case, {})
    study.run(Silent())
    return study, next(part for part in case.parts if part.name == "set")


def sun_forces(m: ag.Machine, n: int) -> np.ndarray:
    study, one = solved(m)
    x = study.positions[0].x
    loads = one.loads(study.solver.system.model, x, np.zeros_like(x)).meshes
    return np.array([loads[f"set sun planet {i + 1}"] for i in range(n)])


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_torques_of_a_floating_set_are_those_of_its_teeth(sense: float) -> None:
    """By hand: n forces at the base circle of the sun are the torque; the arm holds what sun and carrier leave."""
    torque, m = 100.0, machine(torque=100.0, sense=sense)
    layout = m.case().layout
    assert layout.ratio["carrier"] == pytest.approx(sense * 27 / (27 + 99), rel=1e-12)
    assert layout.ratio["ring"] == 0.0
    forces = sun_forces(m, 3)
    r_b = 0.5 * 2e-3 * 27 * cos(ALPHA)
    np.testing.assert_allclose(forces, sense * torque / (3 * r_b), rtol=1e-4)  # lines of action turn by deflections
    history = solved(m)[0].history()
    np.testing.assert_allclose(
        history.values["torque"][0], [sense * torque, 0.0, -sense * torque * 126 / 27], rtol=1e-9
    )


@pytest.mark.parametrize(("n", "error"), [(3, 5e-6), (5, 10e-6), (5, 20e-6), (4, -2e-6), (5, -60e-6), (3, -60e-6)])
def test_contact_is_lost_as_complementarity_has_it(n: int, error: float) -> None:
    forces = sun_forces(machine(n, errors=(error, *[0.0] * (n - 1)), held=True, backlash=1e-3), n)
    expected = by_complementarity(n, teeth(n), 100.0, -2.0 * error * cos(ALPHA), floating=True)
    # lines of action of 13 mm turn as the sun goes after twice the error; 1e-3: by deflections of 10 micrometres
    atol = (1e-3 + 2.0 * abs(error) / 13e-3) * expected.max()
    np.testing.assert_allclose(forces, expected, rtol=0.0, atol=atol)
    np.testing.assert_array_equal(forces > 1e-6, expected > 0.0)  # 1e-6 N: what seats hold


def test_equilibria_are_found_where_few_planets_carry() -> None:
    """Errors of ten times the deflections under the torque, of all pins; sums are the torque."""
    random = np.random.default_rng(3)
    for n in (3, 4, 5):
        errors = tuple(random.normal(scale=2e-5, size=n).tolist())
        forces = sun_forces(machine(n, errors=errors, torque=5.0), n)
        assert (np.abs(forces) < 1e-6).any()
        assert forces.sum() * 0.5 * 2e-3 * 27 * cos(ALPHA) == pytest.approx(5.0, rel=1e-3)
        assert (forces > -1e-6).all()


def test_modes_about_an_equilibrium_are_those_of_its_tangent() -> None:
    """Independently: eigenvalues of the whole tangent, with all that loads do, about the same coordinates."""
    m = machine(4, torque=200.0, errors=(60e-6, 0.0, 0.0, 0.0))
    study, _ = solved(m)
    x, case = study.positions[0].x, m.case(ag.ModalAnalysis(n_modes=60))
    forces = sun_forces(m, 4)
    assert forces.max() > 2.0 * forces.min()  # the planets do not carry the same
    still = {"motor": PiecewiseCubic.constant(0.0)}
    model = case.machine.build({}, speeds=still, locked=True).model
    names = study.solver.system.model.names
    modes = real_modes(Linearised.of(model, x=x[[names.index(name) for name in model.names]])).elastic()
    found = ag.run(case).dataset["frequency"].to_numpy()
    assert len(found) == len(modes.frequencies)
    # 1e-3: loads over the radius of the pins, left out; the carrier has turned by 1e-3 rad
    np.testing.assert_allclose(found, modes.frequencies / (2.0 * np.pi), rtol=1e-3)


def test_results_have_planets_their_meshes_and_pins() -> None:
    """What is in the dataset is what balances: pins carry what meshes push, shares are those of the forces."""
    data = machine(4, torque=100.0, errors=(20e-6, 0.0, 0.0, 0.0)).static().dataset.isel(position=0)
    force = data["planet_mesh_force"]
    sun, ring = (force.sel(planet_mesh=[f"set {one} planet {i + 1}" for i in range(4)]) for one in ("sun", "ring"))
    np.testing.assert_allclose(ring, -sun.to_numpy(), rtol=1e-6)  # planets turn freely on their pins
    share = data["load_share"].to_numpy()
    np.testing.assert_allclose(share[:4], sun.to_numpy() / float(sun.mean()), rtol=1e-12)
    assert share[:4].mean() == pytest.approx(1.0, rel=1e-12)
    pins = data["pin_force"]
    # two forces alike, alpha beside the tangent; 1e-2: lines of action turn by tens of micrometres over 13 mm
    np.testing.assert_allclose(pins.sel(of_pin="tangential"), 2.0 * cos(ALPHA) * sun.to_numpy(), rtol=1e-2)
    # they give way by it: carrier, pins and ring all do, so that a planet is displaced more than its pin alone
    moved = data["planet_displacement"].sel(of_pin="tangential").to_numpy()
    assert moved.mean() > float(pins.sel(of_pin="tangential").mean()) / PIN[1] * 0.99
    assert float(np.abs(data["pin_moment"]).max()) < 1e-9 * float(force.max())
    modes = machine(4, drive=False, backlash=0.0).modes(n_modes=60)
    assert modes.summary["modes"][0]["kind"] == {"set": str(modes.dataset["kind"][0, 0].values)}


def test_loads_without_a_drive_are_refused() -> None:
    m = machine(3, drive=False)
    m.add("wind", ag.TorqueSource(at="carrier", torque=10.0))
    told = (
        r"torque or force \[N m\] on the rotation of carrier = 10.0: must be left out .* no drive; .* shaft = .carrier"
    )
    with pytest.raises(Fault, match=told):
        m.case(ag.ModalAnalysis())


def test_a_motion_starts_from_equilibrium_and_keeps_energy() -> None:
    """Planets on springs and pins beside shafts on bearings, in steps; the sun led, the carrier under its load."""
    m = machine(3, drive=False)
    m.add("motor", ag.Drive(shaft="sun", speed=100.0))
    m.add("out", ag.TorqueLoad(shaft="carrier", torque=400.0))
    data = m.run(duration=1e-3, output_every=5e-5).dataset
    force = data["planet_mesh_force"].to_numpy()
    r_b = 0.5 * 2e-3 * 27 * cos(ALPHA)
    # it moves on from the equilibrium: what turns with the carrier pulls at the pins, 0.6 kg on 63 mm at 21 rad/s
    np.testing.assert_allclose(force[:, :3], 400.0 * 27 / 126 / (3 * r_b), rtol=2e-2)
    np.testing.assert_allclose(data["load_share"], 1.0, atol=2e-2)
    missing = data["energy_input"] - data["energy_dissipated"] - data["energy_kinetic"] - data["energy_elastic"]
    # steps of a tolerance of 1e-4
    assert float(np.abs(missing - missing[0]).max()) < 1e-5 * float(data["energy_kinetic"][0])


def test_equilibria_are_reached_from_larger_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few planets carry 1.8 N m: from bonded flanks Newton's iteration alone does not get there."""
    m = machine(4, torque=1.756, errors=(62e-6, -14e-6, -14.6e-6, 17.2e-6), backlash=1e-3)
    forces = sun_forces(m, 4)
    assert forces.sum() * 0.5 * 2e-3 * 27 * cos(ALPHA) == pytest.approx(1.756, rel=1e-3)
    assert forces.min() > -1e-6
    assert (forces < 1e-6).sum() >= 1

    def refused(*given):
        raise given[-1]

    monkeypatch.setattr("alegear.studies.equilibria.load_continuation", refused)
    grown = sun_forces(m, 4)  # the other way, from pins without errors
    np.testing.assert_allclose(grown, forces, atol=1e-6 * forces.max())  # Newton's tolerance
    monkeypatch.setattr("alegear.studies.equilibria.error_continuation", refused)
    with pytest.raises(NonConvergence):
        sun_forces(m, 4)
