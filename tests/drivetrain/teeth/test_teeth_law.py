"""The mesh law ``teeth`` in machines: equilibria, balance, modes, motion, loads, what is refused."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_machines import gear as gear_of
from small_machines import idler, one_stage, solved, unbalanced

import alegear as ag
from alegear.case.analysis import MachineStatic
from alegear.drivetrain.gear_mesh import GearMesh, PreparedMesh
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.laws.teeth import Teeth
from alegear.drivetrain.parts import ShaftGear, TorqueLoad
from alegear.drivetrain.teeth.tooth_damage import ToothDamage
from alegear.drivetrain.teeth.tooth_geometry import monotone_pieces
from alegear.errors import Fault
from alegear.progress import Silent
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.modal import ModalStudy

QUIET = ag.OutputOptions(plots=False, fields=False)


def teeth(name: str = "mesh", gears: tuple[str, str] = ("p", "w"), **given: Any) -> GearMesh:
    return GearMesh(name=name, gears=gears, law=law_of("teeth", name, **given))


def deflection(case: Any, mesh: int = 0) -> float:
    """Of the place of a mesh where a pair touches alone at the pitch point, by its element and halving."""
    place = case.layout.meshes[mesh]
    law = place.mesh.law
    assert isinstance(law, Teeth)
    element, side, r_b = law._alone(place), 1.0 if place.flank == "a" else -1.0, place.pair.pinion.r_b
    low, high = 0.0, 1e-4
    for _ in range(60):
        middle = 0.5 * (low + high)
        Q = element.evaluate(0.0, np.array([side * middle / r_b, 0.0]), np.zeros(2), None).Q[0]
        low, high = (middle, high) if -side * Q / r_b < place.force else (low, middle)
    return high


@pytest.mark.parametrize("beta", [0.0, 0.2])
@pytest.mark.parametrize("gears", [("p", "w"), ("w", "p")])
def test_a_machine_on_bearings_is_in_balance(beta: float, gears: tuple[str, str]) -> None:
    study = solved(one_stage(beta=beta, meshes=(teeth(gears=gears),)))
    rigid = solved(one_stage(beta=beta, meshes=(GearMesh(name="mesh", gears=gears, law=law_of("rigid", "mesh")),)))
    for left in unbalanced(study).values():
        # forces to Newton's tolerance; the moment of centres that have moved by 40 um on arms of 100 mm is left out
        assert np.abs(left[:, :3]).max() < 1e-5
        assert np.abs(left[:, 3:]).max() < 4e-4 * 200.0
    one, other = (s.history().values["mesh_force"][:, 0] for s in (study, rigid))
    np.testing.assert_allclose(one, other, atol=1e-3 * np.abs(other).max())  # flanks that turn with their centres


def test_an_idler_on_hinges() -> None:
    case = idler()
    case = replace(case, meshes=tuple(teeth(one.name, one.gears) for one in case.meshes))
    values = solved(case).history().values
    F = 400.0 / case.layout.meshes[0].pair.pinion.r_b
    # the law's part across the line of action, 2e-5: S depends on the centre distance
    np.testing.assert_allclose(np.linalg.norm(values["mesh_force"], axis=2), F, rtol=5e-5)
    at_pitch_point = [deflection(case, m) for m in range(2)]
    errors = -values["transmission_error"]
    for m in range(2):  # two pairs carry elsewhere
        assert errors[:, m].max() <= at_pitch_point[m] * (1.0 + 1e-6)
        assert errors[:, m].min() > 0.4 * at_pitch_point[m]


def test_a_mesh_without_load_rests_where_its_flanks_touch() -> None:
    case = idler()
    loads = (TorqueLoad(name="machine", shaft="s1", torque=600.0),)
    meshes = (teeth("first", ("g0", "g1")), teeth("second", ("g1", "g2")))
    values = solved(replace(case, meshes=meshes, loads=loads)).history().values
    assert np.abs(values["transmission_error"][:, 1]).max() < 1e-10


def test_phases_relief_and_deviation_do_not_lose_the_first_contact() -> None:
    """Gears whose teeth lag by different amounts, a missing one among them: all positions of a turn are found."""
    deviation = np.zeros(20)
    deviation[3], deviation[4] = -10e-6, -8e-6
    case = one_stage(beta=0.0)
    gears = (
        ShaftGear(
            name="p",
            shaft="in",
            at=50e-3,
            gear=gear_of(
                20, pitch_deviation=deviation, tip_relief=20e-6, tip_relief_start_diameter=85e-3, lead_crowning=5e-6
            ),
        ),
        ShaftGear(name="w", shaft="out", at=50e-3, gear=gear_of(30)),
    )
    gone = ToothDamage(gear="w", tooth=10, missing=True)
    case = replace(
        case,
        gears=gears,
        meshes=(teeth(damaged_teeth=(gone,)),),
        analysis=MachineStatic(positions_per_pitch=4, pitches=20),
    )
    errors = -solved(case).history().values["transmission_error"][:, 0]
    lags = errors - errors.min()
    assert lags.max() > 20e-6  # where the tooth is missing the edges of its neighbours carry
    assert lags[:8].max() < 15e-6


def test_a_pair_swings_on_its_teeth() -> None:
    """The drive is held: sqrt(k r_b^2/J) with the mean slope under the load."""
    m = ag.Machine("pair")
    for name, at in (("in", 0.0), ("out", 0.1)):
        m.add(name, ag.Shaft(fixed_axis=True, position=(at, 0.0, 0.0)))
    m.add("p", ag.ShaftGear(gear=gear_of(20, b=30e-3), shaft="in", at=0.0))
    m.add("w", ag.ShaftGear(gear=gear_of(30, b=30e-3), shaft="out", at=0.0))
    m.mesh("mesh", "p", "w", fidelity="teeth")
    m.add("motor", ag.Drive(shaft="in", speed=100.0))
    m.add("brake", ag.TorqueLoad(shaft="out", torque=300.0, inertia=5e-3))
    case = m.case(ag.ModalAnalysis(n_modes=1), QUIET)
    study = ModalStudy(case, {})
    study.run(Silent())
    (place,) = case.layout.meshes
    law = place.mesh.law
    assert isinstance(law, Teeth)
    k, wheel = law.slope_under(place), place.pair.wheel
    J = wheel.inertia(7860.0) + 5e-3
    assert study.history().values["frequency"][0] == pytest.approx(
        math.sqrt(k / J) * wheel.r_b / (2.0 * math.pi), rel=1e-12
    )
    # between the slopes of one pair and of two under half the load each: 1.0 and 1.9e9 N/m (y - 1 of 10 and of 11)
    assert 1.0e9 < k < 1.9e9


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_energy_of_a_motion_between_bearings(damping: float) -> None:
    case = one_stage(beta=0.2, meshes=(teeth(),))
    case = replace(
        case,
        drives=(replace(case.drives[0], torque=None, speed=100.0),),
        loads=(TorqueLoad(name="machine", shaft="out", at=120e-3, torque=300.0),),
        analysis=ag.DynamicAnalysis(
            duration=2e-3, output_every=2e-5, mesh_damping_ratio=damping, time_step=2e-6, rho_inf=1.0
        ),
    )
    study = DynamicStudy(case, {})
    study.run(Silent())
    values = study.history().values
    kept = values["energy_kinetic"] + values["energy_elastic"]
    missing = values["energy_input"] - values["energy_dissipated"] - (kept - kept[0])
    through = float(np.abs(values["energy_input"]).max())
    # falls with the square of the step: 2.1e-7, 8e-8, 1.8e-8 J of 0.06 J at 2, 1, 0.5 us
    assert float(np.abs(missing).max()) < 1e-5 * through
    lost = values["energy_dissipated"][-1]
    assert lost == 0.0 if damping == 0.0 else lost > 1e-6 * through


def test_slices_where_nothing_is_said() -> None:
    for beta, law, expected in ((0.0, {}, 11), (0.0, {"slices": 4}, 4), (0.2, {}, 11)):
        case = one_stage(beta=beta, meshes=(teeth(**law),))
        (place,) = case.layout.meshes
        model = case.machine.build({"mesh": place.mesh.law.in_statics(PreparedMesh(stiffness=1e9))}).model
        assert len(model.elements[0].rows) == expected  # shafts on bearings tilt
    (place,) = idler(meshes=(teeth("first", ("g0", "g1")), teeth("second", ("g1", "g2")))).layout.meshes[:1]
    assert isinstance(place.mesh.law, Teeth)
    assert place.mesh.law.slices_of(place, tilts=False) == 1


def test_a_tilt_in_the_plane_of_action_loads_the_end_that_it_closes() -> None:
    tilted = law_of("teeth", "mesh", alignment=ag.Alignment(tilt_plane_of_action=2e-4))
    case = one_stage(beta=0.0, meshes=(GearMesh(name="mesh", gears=("p", "w"), law=tilted),))
    (place,) = case.layout.meshes
    element = tilted._alone(place)
    contacts = element.contacts(np.array([20e-6 / place.pair.pinion.r_b, 0.0]), np.zeros(2))
    z = element.z[contacts.slice]
    order = np.argsort(z)
    # the gap changes by -z tilt
    expected = 20e-6 + 2e-4 * (z[order] - z[order][0]) + contacts.overlap[order][0] - 20e-6
    np.testing.assert_allclose(contacts.overlap[order], expected, atol=1e-9)  # second order of 2 um over 35 mm


def test_what_is_refused() -> None:
    for given, words in (
        ({"slices": 0}, "number of slices = 0: must be at least 1"),
        ({"damaged_teeth": ("x",)}, "damaged_teeth of a mesh"),
        ({"stiffness": 1e8}, "stiffness of mesh mesh"),
    ):
        with pytest.raises(Fault) as fault:
            teeth(**given)
        assert words in str(fault.value)
    elsewhere = teeth(damaged_teeth=(ToothDamage(gear="q", tooth=0, depth=1e-6),))
    with pytest.raises(Fault, match='gear of a damaged tooth of mesh mesh = "q": must be "p" or "w"'):
        solved(one_stage(meshes=(elsewhere,)))


def test_contacts_are_recorded_tooth_by_tooth() -> None:
    """Two meshes: forces of the slots of a mesh add up to its force; each pair has its number."""
    case = idler()
    case = replace(case, meshes=tuple(teeth(one.name, one.gears) for one in case.meshes))
    history = solved(case).history()
    slots, values = history.names["tooth_contact"], history.values
    for m, name in enumerate(("first", "second")):
        own = [i for i, slot in enumerate(slots) if slot.startswith(f"{name} ")]
        assert len(own) == 6
        force = values["tooth_force"][:, own]
        np.testing.assert_allclose(force.sum(axis=1), np.linalg.norm(values["mesh_force"][:, m], axis=1), rtol=5e-5)
        pairs = values["tooth_pair"][:, own]
        np.testing.assert_array_equal(np.isnan(pairs), force == 0.0)
        carried = force > 0.0
        assert (np.sum(carried, axis=1) <= 2).all()
        line_load = force[carried] / case.layout.meshes[m].pair.b_w
        product = (
            0.5 * math.pi * values["tooth_pressure"][:, own][carried] * values["tooth_half_width"][:, own][carried]
        )
        np.testing.assert_allclose(product, line_load, rtol=1e-12)


def test_a_motion_records_them_too() -> None:
    case = one_stage(beta=0.2, meshes=(teeth(),))
    case = replace(
        case,
        drives=(replace(case.drives[0], torque=None, speed=100.0),),
        loads=(TorqueLoad(name="machine", shaft="out", at=120e-3, torque=300.0),),
        analysis=ag.DynamicAnalysis(duration=2e-4, output_every=2e-5),
    )
    study = DynamicStudy(case, {})
    study.run(Silent())
    values = study.history().values
    assert (values["tooth_force"].sum(axis=1) > 1000.0).all()
    sliding = values["tooth_sliding"][values["tooth_force"] > 0.0]
    # at most 11 mm from the pitch point, at 100 + 67 rad/s
    assert 0.1 < np.abs(sliding).max() < 11e-3 * 170.0


def test_damaged_teeth_of_a_file(tmp_path: Any) -> None:
    lines = ["[machine]", 'fidelity = "teeth"', "[shafts.in]", "fixed_axis = true", "[shafts.out]", "fixed_axis = true"]
    lines += ["position_mm = [100.0, 0.0, 0.0]"]
    for name, shaft, z in (("p", "in", 20), ("w", "out", 30)):
        lines += [f"[gears.{name}]", f'shaft = "{shaft}"', "at_mm = 0.0", f"teeth = {z}", "face_width_mm = 30.0"]
        lines += [f"bore_diameter_mm = {2 * z - 5}.0"]
    lines += ["[meshes.m]", 'gears = ["p", "w"]', "normal_module_mm = 4.0", "slices = 2"]
    lines += ["[[meshes.m.damaged_teeth]]", 'gear = "p"', "tooth = 3", "depth_um = 5.0"]
    lines += ["[[meshes.m.damaged_teeth]]", 'gear = "w"', "tooth = 4", "profile_um = [[118, 0], [120, 10]]"]
    lines += ["[drives.d]", 'shaft = "in"', "speed_rpm = 1000", "[loads.l]", 'shaft = "out"', "torque_Nm = 300"]
    lines += ["[analysis]", 'kind = "static"']
    path = tmp_path / "case.toml"
    path.write_text("\n".join(lines))
    law = ag.case_from_file(path).meshes[0].law
    assert isinstance(law, Teeth)
    assert law.slices == 2
    assert law.damaged_teeth[0].depth == pytest.approx(5e-6)
    assert law.damaged_teeth[1].profile is not None
    np.testing.assert_allclose(law.damaged_teeth[1].profile, [(0.118, 0.0), (0.12, 10e-6)])


def test_removals_next_to_the_smallest_numbers_are_level() -> None:
    """Slopes whose inverse is no number any more: the pieces are those of what removes nothing, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pieces = monotone_pieces(1e-309 * np.arange(6.0))
    np.testing.assert_allclose(pieces, np.zeros((5, 4)), atol=1e-307)
