"""Static study of machines: pairs alone, invariances, balance, hand statics, beams."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from closed_trains import closed_parts, half_that_misses
from datasets import machine_dataset
from small_machines import (
    TEETH,
    TORQUE,
    gear,
    idler,
    one_stage,
    reversed_shaft,
    solved,
    space,
    turned_in_space,
    unbalanced,
)

import alegear as ag
from alegear.case.analysis import MachineStatic
from alegear.case.machine import MachineCase
from alegear.drivetrain.laws.flexible import Flexible
from alegear.results.machine_result import transmission_error

NEWTON = 1e-9  # the equilibrium is found to 1e-10 of the torque


def values(study) -> dict[str, np.ndarray]:
    return dict(study.history().values)


def line_loads(study) -> dict[str, np.ndarray]:
    return {name: recorder.by_pair()[1]["line_load"] for name, recorder in study.recorders.items()}


def assert_same(one: np.ndarray, other: np.ndarray, share: float = NEWTON) -> None:
    np.testing.assert_allclose(one, other, rtol=0.0, atol=share * np.abs(other).max())


@pytest.fixture(scope="module")
def stage():
    return solved(one_stage())


# -------------------------------------------------------------------------------- idler
@pytest.fixture(scope="module")
def idler_study():
    return solved(idler())


def test_meshes_of_an_idler_are_those_of_the_pairs_alone(idler_study):
    """On hinges, with windows that do not know each other, under the torque that each mesh has."""
    study = idler_study
    for position in study.positions:
        for name, mesh in study.solver.system.contacts.items():
            place, alone = study.solver.layout.place(name), study.solver.solvers[name]
            turned = mesh.turned(position.x[mesh.coordinates])
            torque = abs(position.forces[name].torque[0])
            driven = 1 - place.driving
            phase = turned[driven] / mesh.contact.pitch_angle[driven]
            found = replace(alone, torque=torque).solve(phase, position.first_pair[name])
            assert -mesh.transmission_errors(turned) == pytest.approx(found.deflection, rel=NEWTON)


def test_tooth_loads_balance_on_the_idler(idler_study):
    for position in idler_study.positions:
        first, second = position.forces["first"], position.forces["second"]
        assert first.torque[1] + second.torque[0] == pytest.approx(0.0, abs=NEWTON * TORQUE)
        assert abs(second.torque[1]) == pytest.approx(TORQUE * TEETH[2] / TEETH[0], rel=NEWTON)


# ------------------------------------------------------------------------- invariances
ABOUT_AXES = ("transmission_error", "mesh_stiffness", "torque")
IN_SPACE = ("mesh_force", "mesh_moment", "bearing_force", "bearing_moment")


def assert_same_machine(study, other, rotation=None) -> None:
    """Results of a machine that is described otherwise, or turned in space; lines and places may come in any order."""
    rotation = np.eye(3) if rotation is None else rotation
    one, two = (machine_dataset(s.history()) for s in (study, other))
    for name in (*ABOUT_AXES, *IN_SPACE):
        labels = {dim: one[name][dim].values for dim in one[name].dims if dim in ("mesh", "bearing", "shaft")}
        found, expected = one[name].values, two[name].sel(labels).values
        if name == "torque":  # about the direction of a shaft, which may be described from its other end
            found, expected = np.abs(found), np.abs(expected)
        assert_same(found, expected @ rotation.T if name in IN_SPACE else expected)
    loads = line_loads(other)
    for name, load in line_loads(study).items():
        assert_same(load, loads[name])


def test_a_machine_may_stand_anywhere(stage):
    turned = solved(turned_in_space(one_stage(), space(), np.array([0.3, -0.2, 1.0])))
    assert_same_machine(turned, stage, space())
    np.testing.assert_allclose(values(turned)["rotation_error"], values(stage)["rotation_error"], atol=1e-12)


@pytest.mark.parametrize("shaft", ["in", "out"])
def test_a_shaft_may_be_described_from_its_other_end(stage, shaft):
    """Its gear is turned over with it; crowning, slope and topography stay where they are in space."""
    assert_same_machine(solved(reversed_shaft(one_stage(), shaft)), stage)


def test_a_helix_slope_is_that_along_the_direction_of_the_shaft():
    """The gear turned over has the opposite slope; the same slope is another machine."""
    sloped = gear(20, beta=0.2, helix_slope=15e-6, lead_crowning=4e-6)
    case = one_stage(analysis=MachineStatic(positions_per_pitch=2))
    with_slope = replace(case, gears=(replace(case.gears[0], gear=sloped), case.gears[1]))
    study = solved(with_slope)
    turned_over = reversed_shaft(with_slope, "in")
    assert turned_over.gears[0].gear.microgeometry.helix_slope == -15e-6
    assert_same_machine(solved(turned_over), study)
    wrong = replace(turned_over.gears[0], gear=sloped)
    other = solved(replace(turned_over, gears=(wrong, turned_over.gears[1])))
    assert np.abs(values(other)["transmission_error"] / values(study)["transmission_error"] - 1.0).min() > 1e-3


def test_names_and_their_order_do_not_matter(idler_study):
    case = idler(analysis=MachineStatic(positions_per_pitch=4, mesh="first"))
    other = solved(replace(case, shafts=case.shafts[::-1], gears=case.gears[::-1], meshes=case.meshes[::-1]))
    for name in ("transmission_error", "mesh_force"):
        found, expected = values(other)[name], values(idler_study)[name]
        assert_same(found[:, ::-1], expected)


def test_gears_of_a_mesh_may_be_swapped(idler_study):
    """What drives follows from drives and loads; the force on the other gear is the opposite one."""
    case = idler(analysis=MachineStatic(positions_per_pitch=4, mesh="first"))
    meshes = tuple(replace(mesh, gears=mesh.gears[::-1]) for mesh in case.meshes)
    swapped = solved(replace(case, meshes=meshes))
    assert [place.driver for place in swapped.case.layout.meshes] == ["wheel", "wheel"]
    assert_same(values(swapped)["transmission_error"], values(idler_study)["transmission_error"])
    assert_same(-values(swapped)["mesh_force"], values(idler_study)["mesh_force"])


def test_a_train_that_runs_backwards_is_its_mirror_image():
    """Spur gears without deviations: the same errors, forces mirrored."""
    study, back = solved(idler(angle=0.0)), solved(idler(angle=0.0, speed=-100.0))
    assert_same(values(back)["transmission_error"], values(study)["transmission_error"])
    assert_same(values(back)["mesh_force"], values(study)["mesh_force"] * [1.0, -1.0, 1.0])


# ----------------------------------------------------------------------------- balance
def assert_balanced(study) -> None:
    layout = study.case.layout
    largest = np.abs(values(study)["mesh_force"]).max()
    arm = max(np.linalg.norm(layout.centre(name)) for name in layout.gears)
    for name, left in unbalanced(study).items():
        axis = layout.shafts[name].axes[2]
        np.testing.assert_allclose(left[:, :3], 0.0, atol=1e-8 * largest)
        np.testing.assert_allclose(left[:, 3:] - np.outer(left[:, 3:] @ axis, axis), 0.0, atol=1e-8 * largest * arm)
        # levers of displaced gears are those of gears in their positions: 5 um of shafts against 40 mm (hertz/README 9)
        np.testing.assert_allclose(left[:, 3:] @ axis, 0.0, atol=2e-4 * largest * arm)


def test_every_shaft_is_in_balance(stage):
    assert_balanced(stage)


def test_torques_about_the_axes_balance(stage):
    """By the rotations of the shafts, to round-off of the iteration."""
    torque = values(stage)["torque"]
    np.testing.assert_allclose(torque[:, 0], 200.0, rtol=1e-15)
    for position, (drive, held) in zip(stage.positions, torque, strict=True):
        np.testing.assert_allclose(position.forces["mesh"].torque, [-drive, held], rtol=NEWTON)


def test_bearing_forces_are_those_of_hand_statics(stage):
    """Two bearings that do not resist tilt, one of them axial: what levers say, from the mesh force alone."""
    found, labels = values(stage), stage.history().labels["bearing"]
    at, left, right = 50e-3, 10e-3, 110e-3
    length = right - left
    for sign, shaft, first in ((1.0, "in", True), (-1.0, "out", False)):
        force, moment = sign * found["mesh_force"][:, 0], sign * found["mesh_moment"][:, 0]
        if not first:  # about the wheel's own mid-face
            away = stage.case.layout.centre("p") - stage.case.layout.centre("w")
            moment = moment + np.cross(away, force)
        size = np.abs(force).max()
        b = {side: found["bearing_force"][:, labels.index(f"{shaft}_{side}")] for side in ("left", "right")}
        expected_x = (force[:, 0] * (at - left) + moment[:, 1]) / length
        expected_y = (force[:, 1] * (at - left) - moment[:, 0]) / length
        np.testing.assert_allclose(b["right"][:, 0], expected_x, atol=1e-8 * size)
        np.testing.assert_allclose(b["right"][:, 1], expected_y, atol=1e-8 * size)
        np.testing.assert_allclose(b["left"] + b["right"], force, atol=1e-8 * size)
        np.testing.assert_allclose(b["right"][:, 2], 0.0, atol=1e-8 * size)


def deflection_line(at: np.ndarray, loads, couples, *, EI: float, GA: float, springs) -> np.ndarray:
    """Displacement of a Timoshenko beam on two springs, by Macaulay's brackets.

    `loads`: (place, force); `couples`: (place, moment), positive as the slope; `springs`: (place, N/m).
    """

    def without_supports(x, P, C):
        w = sum(p * np.maximum(x - z, 0.0) ** 3 / 6.0 / EI - p * np.maximum(x - z, 0.0) / GA for z, p in P)
        return w - sum(c * np.maximum(x - z, 0.0) ** 2 / 2.0 / EI for z, c in C)

    (left, k_left), (right, k_right) = springs
    to_right = (sum(p * (z - left) for z, p in loads) + sum(c for _, c in couples)) / (right - left)
    to_left = sum(p for _, p in loads) - to_right
    all_loads = [*loads, (left, -to_left), (right, -to_right)]
    ends = np.array([left, right])
    missing = np.array([to_left / k_left, to_right / k_right]) - without_supports(ends, all_loads, couples)
    slope = (missing[1] - missing[0]) / (right - left)
    return without_supports(at, all_loads, couples) + missing[0] + slope * (at - left)


def test_shafts_bend_as_timoshenko_beams_on_two_springs(stage):
    found, places = values(stage), stage.history().labels["place"]
    on_shaft = [p for p, name in enumerate(places) if name.startswith("in@")]
    z = np.array([1e-3 * float(places[p].removeprefix("in@").removesuffix("mm")) for p in on_shaft])
    steel = stage.case.shafts[0].material
    area, inertia = np.pi * 15e-3**2, np.pi * 15e-3**4 / 4.0
    kappa = 6.0 * (1.0 + steel.nu) / (7.0 + 6.0 * steel.nu)  # Cowper (1966), full circle
    beam = {
        "EI": steel.E * inertia,
        "GA": kappa * steel.E / (2.0 * (1.0 + steel.nu)) * area,
        "springs": ((10e-3, 2e8), (110e-3, 2e8)),
    }
    for i in range(len(stage.positions)):
        force, moment = found["mesh_force"][i, 0], found["mesh_moment"][i, 0]
        moved = found["displacement"][i, on_shaft]
        x = deflection_line(z, [(50e-3, force[0])], [(50e-3, moment[1])], **beam)
        y = deflection_line(z, [(50e-3, force[1])], [(50e-3, -moment[0])], **beam)
        exact = 1e-9 * np.abs(y).max()
        rounded = 1e-9  # places are named to a thousandth of a millimetre: a slope of 2e-3 times 0.5 um
        here = np.isclose(1e3 * z, np.round(1e3 * z), atol=1e-9)  # whose names are exact
        assert here.sum() >= 5
        np.testing.assert_allclose(moved[here, 0], x[here], rtol=0.0, atol=exact)
        np.testing.assert_allclose(moved[here, 1], y[here], rtol=0.0, atol=exact)
        np.testing.assert_allclose(moved[:, 1], y, rtol=0.0, atol=exact + rounded)


def test_rigid_meshes_give_the_same_bearing_forces():
    """Spur gears without edges in contact: a force along the line of action through the middle of the face."""
    flexible = solved(one_stage(beta=0.0, rigid=True))
    rigid = solved(one_stage(beta=0.0, rigid=True, fidelity="rigid"))
    assert not rigid.recorders
    # where a tip edge touches the force leaves the line of action, and shafts that tilt move it along the face
    np.testing.assert_allclose(
        values(rigid)["bearing_force"],
        values(flexible)["bearing_force"],
        atol=0.02 * np.abs(values(rigid)["mesh_force"]).max(),
    )
    assert_balanced(rigid)


@pytest.mark.parametrize("soft", [0, 1])
def test_the_face_carries_more_where_its_shaft_is_held_harder(soft):
    """A soft bearing at one end lets the pinion give way there; the load goes to the other end of the face."""
    stiffness = [(2e8, 2e8, 5e7), (2e8, 2e8, 0.0)]
    stiffness[soft] = (2e7, 2e7, stiffness[soft][2])
    case = one_stage(
        beta=0.0, stiffness=tuple(stiffness), pinion_at=60e-3, analysis=MachineStatic(positions_per_pitch=1)
    )
    load = line_loads(solved(case))["mesh"].sum(axis=(0, 1))
    assert (load[-1] - load[0]) * (1.0 if soft == 0 else -1.0) > 0.5 * load.mean()


# ------------------------------------------------------------------- transmission error
def test_transmission_error_between_shafts(idler_study):
    data = machine_dataset(idler_study.history())
    r_b = [one.gear.r_b for one in idler_study.case.gears]
    te = data.transmission_error
    whole, first = transmission_error(data, "s0", "s2"), transmission_error(data, "s0", "s1")
    second = transmission_error(data, "s1", "s2")
    # s0 turns positively, s1 back, s2 positively; along the lines of action the errors of the meshes
    np.testing.assert_allclose(-first * r_b[1], te.sel(mesh="first"), atol=1e-15)
    np.testing.assert_allclose(second * r_b[2], te.sel(mesh="second"), atol=1e-15)
    np.testing.assert_allclose(whole, second - TEETH[1] / TEETH[2] * first, atol=1e-15)
    np.testing.assert_allclose(transmission_error(data, "s2", "s0"), -whole * TEETH[2] / TEETH[0], atol=1e-15)
    assert float(whole.max()) < 0.0  # the driven end lags
    with pytest.raises(KeyError):
        transmission_error(data, "s0", "s9")


@pytest.mark.parametrize("order", [pytest.param((0, 1, 2, 3), marks=pytest.mark.thorough), (3, 1, 0, 2)])
def test_a_closed_train_shares_its_load_and_balances(order):
    """Idler a takes more where the teeth over b miss by a part of the backlash; all that passes comes out."""
    shares = {}
    for by in (0.0, 0.002):
        parts = closed_parts(half_that_misses(by), order, Flexible())
        study = solved(MachineCase(**parts, analysis=MachineStatic(positions_per_pitch=2)))
        for name, left in unbalanced(study).items():
            axis = study.case.layout.shafts[name].point(0.0)
            about = left[:, 3:] - np.cross(axis, left[:, :3])  # all else is in the hinges
            assert np.abs(about[:, 2]).max() < NEWTON * TORQUE, name
        first, second = (study.positions[0].forces[name].torque[0] for name in ("m0", "m1"))
        assert abs(first + second) == pytest.approx(600.0 * 20 / 60, rel=NEWTON)
        shares[by] = first / (first + second)
    assert 0.4 < shares[0.0] < 0.6  # but for the phases, the same teeth on both ways
    assert 0.7 < shares[0.002] < 1.0


def test_meshes_of_a_result_in_memory_are_those_in_a_folder(tmp_path):
    case = one_stage(rigid=True)
    in_memory, in_folder = ag.run(case), ag.run(case, tmp_path / "out")
    assert set(in_memory.meshes()) == {"mesh"} == set(in_folder.meshes())
    one, other = in_memory.meshes()["mesh"], in_folder.meshes()["mesh"]
    assert one.dataset["tooth_load"].equals(other.dataset["tooth_load"])
    told = in_memory.summary["meshes"]["mesh"]
    assert {key: one.summary[key] for key in told} == told
    assert told["mesh_stiffness_over_iso_6336"] == pytest.approx(
        told["mesh_stiffness_mean_N_per_um"] / told["mesh_stiffness_iso_6336_N_per_um"], rel=1e-12
    )
    assert set(told["body_deflection_share"]) == {"pinion", "wheel"}
    saved = ag.load(in_memory.save(tmp_path / "saved"))
    assert saved.meshes()["mesh"].dataset["tooth_load"].equals(one.dataset["tooth_load"])
    renewed = in_memory.with_summary(in_memory.summary).meshes()
    assert set(renewed) == {"mesh"}


@pytest.mark.parametrize("fidelity", ["elastic", "teeth", "rigid"])
def test_stiffness_of_teeth_on_rigid_bodies_stands_beside_iso_6336(fidelity):
    """An elastic mesh has that of ISO 6336-1, the bodies no share; rigid teeth have none."""
    told = ag.run(one_stage(rigid=True, fidelity=fidelity)).summary["meshes"].get("mesh")
    if fidelity == "rigid":
        assert told is None
        return
    assert set(told) == {
        "mesh_stiffness_mean_N_per_um", "mesh_stiffness_iso_6336_N_per_um", "mesh_stiffness_over_iso_6336"
    }  # fmt: skip
    if fidelity == "elastic":
        assert told["mesh_stiffness_over_iso_6336"] == pytest.approx(1.0, rel=1e-9)
