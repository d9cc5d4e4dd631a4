"""Pitch deviations: a tooth that is out of its place, on both its flanks, whoever drives and wherever power flows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from families import mostly_thorough
from numpy.typing import NDArray
from small_cases import case_of, static_text
from small_machines import COARSE, MODULE, distance, solved
from small_machines import gear as gear_of

import alegear as ag
from alegear.case.analysis import MachineStatic
from alegear.case.machine import MachineCase
from alegear.contact.numbering import flank_side
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.laws.teeth import Teeth
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft
from alegear.geometry.cylindrical_gear import CylindricalGear

Array = NDArray[np.float64]

TEETH = {"pinion": 20, "wheel": 30}
#: A flank that is level is curved as before; a tooth out of its place has turned: a few millionths of its radius [m].
TURNED = 5e-9


def deviation(teeth: int) -> Array:
    tooth = np.arange(teeth)
    return np.asarray(4e-6 * np.sin(0.9 * tooth + 0.4) + 2e-6 * np.cos(2.1 * tooth))


def few(gear: CylindricalGear) -> Array:
    """Displacements of the teeth in pairs 0 to 2 alone, others for other gears: each flank that differs takes time."""
    found = np.zeros(abs(gear.z))
    found[:3] = 1e-6 * (np.array([3.0, -3.0, 3.0]) if gear.z == 20 else np.array([3.0, 3.0, -3.0]))
    return found


def displaced(gear: CylindricalGear) -> ag.Microgeometry:
    return ag.Microgeometry(pitch_deviation=few(gear))


def left_and_right(gear: CylindricalGear) -> ag.Microgeometry:
    """The same by the flanks: what each left flank has more, its right flank has less."""
    profile = gear.tooth_profile
    roll, z = [profile.roll_length_form, profile.roll_length_tip], [-0.5 * gear.b, 0.5 * gear.b]

    def flanks(added: Array) -> ag.MeasuredTeeth:
        level = [ag.Topography(roll_length=roll, z=z, removal=np.full((2, 2), -one)) for one in added]
        return ag.MeasuredTeeth(numbers=tuple(range(len(added))), flanks=tuple(level), other_teeth="nominal")

    more = few(gear)[:3]
    return ag.Microgeometry(topography_left=flanks(more), topography_right=flanks(-more))


@cache
def perfect_pair(torque: float, driver: str, contact: str) -> tuple[ag.Case, Array]:
    """Its case and its transmission error."""
    case = case_of(
        static_text(
            torque=torque,
            driver=driver,
            positions=2,
            pitches=4,
            contact=contact,
            pinion="tooth_thickness_allowance_um = 60.0",
        )
    )
    return case, np.asarray(ag.run(case).dataset.transmission_error)


PENALTY = 'law = "penalty"'


@pytest.mark.parametrize(
    ("gear", "driver", "contact"),
    mostly_thorough(
        itertools.product(("pinion", "wheel"), ("pinion", "wheel"), ("", PENALTY)),
        always=lambda one: one in (("pinion", "wheel", ""), ("wheel", "pinion", "")),
    ),
)
def test_a_tooth_out_of_its_place_leads_by_it_whichever_flank_carries(gear: str, driver: str, contact: str) -> None:
    given = deviation(TEETH[gear])
    for torque in (200.0, -200.0):
        case, perfect = perfect_pair(torque, driver, contact)
        pair = case.pair.with_microgeometry(**{gear: ag.Microgeometry(pitch_deviation=given)})
        deviating = np.asarray(ag.run(replace(case, pair=pair)).dataset.transmission_error)
        assert perfect[1] * torque < 0.0
        ahead = (deviating - perfect)[1::2]  # at the pitch point one pair carries all
        # a left flank with more material moves the wheel on, or keeps a pinion back that it drives
        wheel_ahead = ahead if driver == "pinion" else -ahead
        # the flank that touches has turned with its tooth: less than a thousandth of it
        np.testing.assert_allclose(wheel_ahead, given[:4], atol=4e-9)


@pytest.mark.parametrize(
    ("driver", "torque"),
    mostly_thorough(
        itertools.product(("pinion", "wheel"), (200.0, -200.0)),
        always=lambda one: one in (("pinion", 200.0), ("wheel", -200.0)),  # each driver, and each flank
    ),
)
def test_of_a_pair_it_is_more_on_the_left_flanks_and_less_on_the_right_ones(driver: str, torque: float) -> None:
    text = static_text(
        torque=torque, driver=driver, positions=2, pitches=2, pinion="tooth_thickness_allowance_um = 60.0"
    )
    case = case_of(text)
    pinion, wheel = case.pair.gears
    made = [
        replace(case, pair=case.pair.with_microgeometry(pinion=of(pinion), wheel=of(wheel)))
        for of in (displaced, left_and_right)
    ]
    perfect, one, other = (np.asarray(ag.run(each).dataset.transmission_error) for each in (case, *made))
    np.testing.assert_allclose(one, other, atol=2.0 * TURNED)
    assert np.abs(one - perfect).max() > 1e-6


def machine(fidelity: str, gears: tuple[CylindricalGear, CylindricalGear], a: float, **said: Any) -> MachineCase:
    """Two gears on fixed axes: torque [N m], the shaft that is driven, its speed [rad/s], directions along z."""
    driven, displacement_limit = said.get("drive", "s0"), said.get("directions", (1.0, 1.0))
    given: Mapping[str, Any] = {"grid_options": COARSE} if fidelity == "flexible" else {}
    other = "s1" if driven == "s0" else "s0"
    return MachineCase(
        shafts=tuple(
            Shaft(name=f"s{i}", fixed_axis=True, position=(at, 0.0, 0.0), direction=(0.0, 0.0, way))
            for i, (at, way) in enumerate(zip((0.0, a), displacement_limit, strict=True))
        ),
        gears=tuple(ShaftGear(name=f"g{i}", shaft=f"s{i}", at=0.0, gear=one, **given) for i, one in enumerate(gears)),
        meshes=(GearMesh(name="mesh", gears=("g0", "g1"), law=law_of(fidelity, "mesh")),),
        drives=(Drive(name="motor", shaft=driven, speed=said.get("speed", 100.0), torque=said["torque"]),),
        loads=(TorqueLoad(name="machine", shaft=other, balances_drive=True),),
        analysis=MachineStatic(positions_per_pitch=2, pitches=2),
    )


def assert_left_and_right(fidelity: str, gears: tuple[CylindricalGear, CylindricalGear], a: float, **said: Any) -> None:
    first, second = gears
    made = [
        (first.with_microgeometry(of(first)), second.with_microgeometry(of(second)))
        for of in (displaced, left_and_right)
    ]
    perfect, one, other = (
        solved(machine(fidelity, each, a, **said)).history().values["transmission_error"][:, 0]
        for each in (gears, *made)
    )
    np.testing.assert_allclose(one, other, atol=2.0 * TURNED)
    assert np.abs(one - perfect).max() > 1e-6


SPURS = (gear_of(20, allowance=60e-6), gear_of(30))
#: Ways in which power may flow, and gears may be described.
FLOWS: dict[str, dict[str, Any]] = {
    "first drives": {},
    "second drives": {"drive": "s1"},
    "runs the other way": {"speed": -100.0},
    "first turned over": {"directions": (-1.0, 1.0)},
    "second turned over": {"directions": (1.0, -1.0)},
}
#: Each of them once, torques of both signs among them.
ONCE = (
    ("first drives", 200.0),
    ("second drives", -200.0),
    ("runs the other way", 200.0),
    ("first turned over", -200.0),
    ("second turned over", 200.0),
)


@pytest.mark.parametrize(
    ("fidelity", "flow", "torque"),
    mostly_thorough(
        [
            *itertools.product(("teeth",), FLOWS, (200.0, -200.0)),
            *itertools.product(("flexible",), list(FLOWS)[:3], (200.0, -200.0)),
        ],
        # both torques where either gear drives, then each flow once; with bending once for each driver, one back
        always=lambda one: one[1:] in ONCE[:2] or (one[0] == "teeth" and (one[1:] in ONCE or "drives" in one[1])),
    ),
)
def test_of_a_machine_it_is_more_on_the_left_flanks_and_less_on_the_right_ones(
    fidelity: str, flow: str, torque: float
) -> None:
    """Of each gear as its own shaft has it; where power flows the other way the gears are the same."""
    assert_left_and_right(fidelity, SPURS, distance(20, 30), torque=torque, **FLOWS[flow])


@pytest.mark.parametrize("torque", [200.0, -200.0])
@pytest.mark.parametrize("drive", ["s0", "s1"])
def test_teeth_of_a_ring_too(drive: str, torque: float) -> None:
    """By the overlaps of the flanks that carry, pair by pair."""
    pinion = gear_of(20)
    ring = ag.InternalGear(
        z=60,
        m_n=MODULE,
        b=20e-3,
        rim_diameter=280e-3,
        cutter=ag.PinionCutter(z=25),
        thickness_allowance=60e-6,
        tip_alteration_factor=-0.15,
    )
    perfect, one, other = (np.zeros(3) for _ in range(3))
    for found, of in ((perfect, None), (one, displaced), (other, left_and_right)):
        gears = [each if of is None else each.with_microgeometry(of(each)) for each in (pinion, ring)]
        (place,) = machine("teeth", (gears[0], gears[1]), 0.5 * MODULE * 40, torque=torque, drive=drive).layout.meshes
        law, side = place.mesh.law, flank_side(place.flank)
        assert isinstance(law, Teeth)
        mesh = replace(law, slices=1)._alone(place)
        for pair in range(3):
            x = np.array([1.0, -1.0]) * pair * place.pair.p_bt / [each.r_b for each in place.pair.gears]
            x[0] += side * 20e-6 / place.pair.pinion.r_b
            found[pair] = mesh.overlaps(x)[pair]
    # both shafts turn the same way, so that no gear is turned over: left flanks are flanks a
    np.testing.assert_allclose(one - perfect, side * (few(pinion)[:3] + few(ring)[:3]), atol=1e-15)
    np.testing.assert_allclose(other, one, atol=1e-15)


@pytest.mark.parametrize("fidelity", ["teeth", "flexible"])
def test_a_machine_is_the_pair_under_either_torque(fidelity: str) -> None:
    """Coasting (power back from the second gear) is the pair whose torque is negative, tooth by tooth."""
    first, second = SPURS
    moved = (first.with_microgeometry(displaced(first)), second.with_microgeometry(displaced(second)))
    for torque in (200.0, -200.0):
        perfect, given = (
            solved(machine(fidelity, each, distance(20, 30), torque=torque)).history().values["transmission_error"]
            for each in (SPURS, moved)
        )
        early = math.copysign(1.0, torque) * (few(first)[:2] + few(second)[:2])
        # at the pitch point one pair carries all
        np.testing.assert_allclose((given - perfect)[1::2, 0], early, atol=2.0 * TURNED)
