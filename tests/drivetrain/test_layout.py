"""Ratios, running directions, frames, torques and phases of trains, against constructions of their own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from closed_trains import closed_parts, half_that_misses
from families import mostly_thorough
from small_machines import distance, gear, idler, one_stage, polar, reversed_shaft, space, turned_in_space

from alegear.contact.numbering import flank_side
from alegear.drivetrain.closed_train import ClosedTrain, SetMesh, closed_trains
from alegear.drivetrain.gear_mesh import GearMesh, MeshPlace
from alegear.drivetrain.laws.rigid import Rigid
from alegear.drivetrain.layout import Layout
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.shaft import Shaft
from alegear.errors import Fault


def hinges(**positions) -> tuple[Shaft, ...]:
    return tuple(Shaft(name=name, fixed_axis=True, position=at) for name, at in positions.items())


def on(shaft: str, name: str, z: int, **changes) -> ShaftGear:
    where = {key: changes.pop(key) for key in ("at", "tooth_angle") if key in changes}
    return ShaftGear(name=name, shaft=shaft, gear=gear(z, **changes), **{"at": 0.0, **where})


def meshes(*pairs: tuple[str, str], **changes) -> tuple[GearMesh, ...]:
    return tuple(GearMesh(name=f"m{i}", gears=pair, law=Rigid(), **changes) for i, pair in enumerate(pairs))


def two_stages(*, beta: float = 0.2, ways=(1.0, 1.0, 1.0), **changes) -> Layout:
    """20/30 and 18/36, opposite hands on one shaft that comes back to the first axis' height; shafts along +z or -z."""
    a, b = distance(20, 30, beta=beta), distance(18, 36, 5e-3, beta)
    starts = [np.array([0.0, 0.0, 0.0]), polar(a, 0.3), polar(a, 0.3) + polar(b, 2.0)]
    fields = {
        "shafts": tuple(
            Shaft(name=f"s{i}", fixed_axis=True, position=at, direction=(0.0, 0.0, way))
            for i, (at, way) in enumerate(zip(starts, ways, strict=True))
        ),
        "gears": (
            on("s0", "p1", 20, beta=beta, at=ways[0] * 10e-3),
            on("s1", "w1", 30, beta=-beta, at=ways[1] * 12e-3),
            on("s1", "p2", 18, m_n=5e-3, beta=-beta, at=ways[1] * 60e-3, tooth_angle=0.4),
            on("s2", "w2", 36, m_n=5e-3, beta=beta, at=ways[2] * 57e-3),
        ),
        "meshes": meshes(("p1", "w1"), ("p2", "w2")),
        "drives": (Drive(name="motor", shaft="s0", speed=100.0),),
        "loads": (TorqueLoad(name="out", shaft="s2", torque=300.0),),
    }
    return Layout(**{**fields, **changes})


# ------------------------------------------------------------------------------- ratios
def test_ratios_of_a_train():
    layout = two_stages()
    assert layout.ratio == pytest.approx({"s0": 1.0, "s1": -20 / 30, "s2": 20 / 30 * 18 / 36}, rel=1e-15)
    assert [place.ratios for place in layout.meshes] == [(1.0, 20 / 30), (20 / 30, pytest.approx(1 / 3))]


@pytest.mark.parametrize("ways", [(1.0, -1.0, 1.0), (-1.0, 1.0, 1.0), (1.0, 1.0, -1.0), (-1.0, -1.0, -1.0)])
def test_rotation_is_counted_about_the_direction_of_each_shaft(ways):
    """In space the gears turn against each other whichever way the shafts are drawn."""
    layout, straight = two_stages(ways=ways), two_stages()
    for name, shaft in layout.shafts.items():
        in_space = layout.ratio[name] * shaft.axes[2]
        expected = ways[0] * straight.ratio[name] * straight.shafts[name].axes[2]  # the drive turns about its own
        np.testing.assert_allclose(in_space, expected, rtol=1e-15)


def test_a_negative_speed_turns_the_whole_train_the_other_way():
    drive = Drive(name="motor", shaft="s0", speed=-100.0)
    layout, straight = two_stages(drives=(drive,)), two_stages()
    assert layout.ratio == pytest.approx({name: -ratio for name, ratio in straight.ratio.items()})
    for place, before in zip(layout.meshes, straight.meshes, strict=True):
        np.testing.assert_allclose(place.axes[2], -before.axes[2], atol=1e-15)  # about which the first gear turns
        assert place.torque == pytest.approx(before.torque, rel=1e-15)


# -------------------------------------------------------------------------------- frames
def test_frames_lead_from_the_first_gear_to_the_second():
    for layout in (two_stages(), two_stages(ways=(1.0, -1.0, -1.0))):
        for place in layout.meshes:
            first, second = (layout.centre(name) for name in place.mesh.gears)
            np.testing.assert_allclose(np.linalg.det(place.axes), 1.0, rtol=1e-14)
            away = place.axes @ (second - first)
            np.testing.assert_allclose(away[:2], [place.pair.a_w, 0.0], atol=1e-15)
            assert place.pair.alignment.axial_offset == pytest.approx(-away[2], abs=1e-15)
            turning = layout.ratio[layout.gears[place.mesh.gears[0]].shaft]
            assert turning * layout.shafts[layout.gears[place.mesh.gears[0]].shaft].axes[2] @ place.axes[2] > 0.0


@pytest.mark.parametrize("driver", ["s0", "s2"])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_the_force_on_the_driven_gear_drives_it(driver, way):
    """A train that runs either way, driven from either end: the line of action turns the driven gear as it runs."""
    other = {"s0": "s2", "s2": "s0"}[driver]
    layout = two_stages(
        drives=(Drive(name="motor", shaft=driver, speed=way),),
        loads=(TorqueLoad(name="out", shaft=other, torque=300.0),),
    )
    for place in layout.meshes:
        driven = place.mesh.gears[1 - place.driving]
        shaft = layout.shafts[layout.gears[driven].shaft]
        force = place.line_of_action * (1.0 if place.driving == 0 else -1.0)  # on the driven gear
        torque = np.cross(place.pitch_point - layout.centre(driven), force) @ shaft.axes[2]
        gear_ = layout.gears[driven].gear
        assert torque * layout.ratio[shaft.name] > 0.0
        assert abs(torque) == pytest.approx(gear_.r_b * math.cos(gear_.beta_b), rel=1e-12)
        assert np.linalg.norm(force) == pytest.approx(1.0, rel=1e-14)


# ------------------------------------------------------------------------------- torques
def test_torques_of_two_stages():
    layout = two_stages()
    assert layout.torque["motor"] == pytest.approx(300.0 / 3.0, rel=1e-15)
    assert [place.torque for place in layout.meshes] == pytest.approx([100.0, 150.0])
    assert {place.driver for place in layout.meshes} == {"pinion"}


def test_a_wheel_that_drives_is_a_train_that_speeds_up():
    layout = two_stages(
        drives=(Drive(name="motor", shaft="s2", speed=10.0, torque=300.0),),
        loads=(
            TorqueLoad(name="out", shaft="s0", balances_drive=True),
            TorqueLoad(name="pump", shaft="s1", torque=50.0),
        ),
    )
    assert layout.ratio == pytest.approx({"s2": 1.0, "s1": -2.0, "s0": 3.0})
    # power over the speed of the drive: 300 = 2 x 50 + 3 x T
    assert layout.torque == pytest.approx({"motor": 300.0, "pump": 50.0, "out": 200.0 / 3.0})
    assert {place.driver for place in layout.meshes} == {"wheel"}
    assert [place.torque for place in layout.meshes] == pytest.approx([200.0 / 3.0, 150.0])


def test_a_load_on_the_shaft_of_the_drive_goes_through_no_mesh():
    loads = (TorqueLoad(name="out", shaft="s2", torque=300.0), TorqueLoad(name="pump", shaft="s0", torque=7.0))
    layout = two_stages(loads=loads)
    assert layout.torque["motor"] == pytest.approx(107.0)
    assert [place.torque for place in layout.meshes] == pytest.approx([100.0, 150.0])


def test_power_that_is_split_is_shared_by_equal_branches():
    """Two idlers between one pinion and one wheel, by symmetry with half the power each."""
    layout = closed_train(36e-3)
    assert [place.power for place in layout.meshes] == pytest.approx([100.0] * 4)
    assert layout.ratio == pytest.approx({"sun": 1.0, "a": -1.0, "b": -1.0, "out": 20 / 60})


# -------------------------------------------------------------------------------- phases
def tooth_thickness(gear_, radius: float) -> float:
    """Arc of a tooth at a radius in the transverse section [m], by the involute alone."""
    s_t = gear_.m_n * (0.5 * math.pi + 2.0 * gear_.x * math.tan(gear_.rack.alpha_n)) - gear_.thickness_allowance
    alpha_t = math.atan(math.tan(gear_.rack.alpha_n) / math.cos(gear_.beta))
    m_t = gear_.m_n / math.cos(gear_.beta)
    at = math.acos(0.5 * gear_.z * m_t * math.cos(alpha_t) / radius)

    def inv(angle: float) -> float:
        return math.tan(angle) - angle

    return 2.0 * radius * (s_t / math.cos(gear_.beta) / (gear_.z * m_t) + inv(alpha_t) - inv(at))


def tooth_centre(layout: Layout, place, g: int) -> float:
    """Polar angle in the mesh's frame of tooth 0 of a gear, at its mid-face, where no shaft has turned."""
    side, spin = flank_side(place.flank), (1.0, -1.0)[g]
    return place.pair.reference_angles(side)[g] + spin * layout.phases[place.mesh.name][g]


def flanks_apart(layout: Layout, place) -> float:
    """Distance of the flanks that carry, in pitches, by drawing both gears at the pitch circles in one section."""
    pair, side = place.pair, flank_side(place.flank)
    between = place.axes @ (layout.centre(place.mesh.gears[1]) - layout.centre(place.mesh.gears[0]))
    arrived = []
    for g, gear_ in enumerate(pair.gears):
        radius = 0.5 * pair.d_w[g]
        twist = 2.0 * math.tan(gear_.beta) / (gear_.z * gear_.m_n / math.cos(gear_.beta))  # rad/m, right hand: +
        z = 0.0 if g == 0 else -between[2]  # the pinion's mid-face
        centre = tooth_centre(layout, place, g) + twist * z
        flank = centre + side * 0.5 * tooth_thickness(gear_, radius) / radius
        from_line_of_centres = flank if g == 0 else math.pi - flank
        arrived.append(from_line_of_centres * gear_.z / (2.0 * math.pi))
    return math.remainder(arrived[1] - arrived[0], 1.0)


def driven_at_the_wheel() -> Layout:
    motor, load = Drive(name="motor", shaft="s2", speed=-3.0), TorqueLoad(name="out", shaft="s0", torque=30.0)
    return two_stages(drives=(motor,), loads=(load,))


TRAINS: dict[str, Callable[[], Layout]] = {
    "idler": lambda: idler().layout,
    "idler, shafts against each other": lambda: idler(directions=(1.0, -1.0, 1.0)).layout,
    "idler backwards": lambda: idler(speed=-5.0).layout,
    "two stages": two_stages,
    "two stages, shafts against each other": lambda: two_stages(ways=(-1.0, 1.0, -1.0)),
    "driven at the wheel": driven_at_the_wheel,
}


@pytest.mark.parametrize("name", TRAINS)
def test_the_flanks_that_carry_touch(name):
    layout = TRAINS[name]()
    for place in layout.meshes:
        assert abs(flanks_apart(layout, place)) < 1e-12  # round-off of angles


@pytest.mark.parametrize("name", TRAINS)
def test_all_teeth_on_a_shaft_stand_as_they_are_fixed_to_it(name):
    """Tooth centres in space: the teeth that two meshes see of one gear, or of two gears, are those of one shaft."""
    layout = TRAINS[name]()
    stands: dict[str, list[float]] = {}
    for place in layout.meshes:
        for g, gear_name in enumerate(place.mesh.gears):
            one = layout.gears[gear_name]
            angle = tooth_centre(layout, place, g)
            direction = math.cos(angle) * place.axes[0] + math.sin(angle) * place.axes[1]
            axes = layout.shafts[one.shaft].axes
            stand = math.atan2(direction @ axes[1], direction @ axes[0]) - one.tooth_angle
            stands.setdefault(one.shaft, []).append((stand, 2.0 * math.pi / one.gear.z))
    several = [found for found in stands.values() if len(found) > 1]
    assert several
    for (first, pitch), *others in several:
        for stand, other_pitch in others:
            # the same angle but for whole pitches of the one, and of the other
            steps = [math.remainder(stand - first - k * pitch, other_pitch) for k in range(64)]
            assert min(map(abs, steps)) < 1e-12


def test_a_train_may_be_drawn_anywhere():
    case = idler()
    moved = turned_in_space(case, space(), np.array([0.3, -2.0, 5.0])).layout
    for place, before in zip(moved.meshes, case.layout.meshes, strict=True):
        np.testing.assert_allclose(place.axes, before.axes @ space().T, atol=1e-14)
        assert abs(flanks_apart(moved, place)) < 1e-12  # round-off of angles


def test_a_shaft_may_be_described_from_its_other_end():
    """Axes, power, forces stay; the flanks that carry touch, though the shaft counts its angles the other way."""
    case = one_stage()
    for name in ("in", "out"):
        layout = reversed_shaft(case, name).layout
        (place,), (before,) = layout.meshes, case.layout.meshes
        np.testing.assert_allclose(place.axes, before.axes, atol=1e-15)
        np.testing.assert_allclose(place.origin, before.origin, atol=1e-15)
        assert place.power == pytest.approx(before.power, rel=1e-15)
        assert abs(flanks_apart(layout, place)) < 1e-12  # round-off of angles


# ------------------------------------------------------------------- closed trains
def closed_train(half: float, order=(0, 1, 2, 3)) -> Layout:
    return Layout(**closed_parts(half, order, Rigid()))


def lags(layout: Layout) -> dict[str, float]:
    """By how much the follower of each mesh stands behind the flanks that carry [pitches], as drawn."""
    found = {}
    for place in layout.meshes:
        apart = flanks_apart(layout, place)
        found[place.mesh.name] = apart if place.driving == 1 else -apart
    return found


def test_a_closed_train_that_meets_its_assembly_condition():
    layout = closed_train(half_that_misses(0.0))
    for place in layout.meshes:
        assert abs(flanks_apart(layout, place)) < 1e-10  # of the root of the condition


def backlash_of(place: MeshPlace) -> float:
    """In pitches."""
    return place.pair.j_wt / (math.pi * place.pair.d_w[0] / place.pair.pinion.z)


ORDERS = list(itertools.permutations(range(4)))


@pytest.mark.parametrize(
    "by", mostly_thorough([0.002, -0.002, 0.0064, 0.0127, -0.0127], always=lambda by: by in {-0.002, 0.0127})
)
def test_backlash_on_either_side_is_taken_up_whatever_the_order_of_the_meshes(by: float):
    """One of the two ways round has two meshes whose followers can lag: 0.0127 pitches together."""
    half = half_that_misses(by)
    first = closed_train(half)
    found = lags(first)
    for place in first.meshes:
        assert -1e-9 < found[place.mesh.name] < backlash_of(place) + 1e-9
    assert sum(found.values()) == pytest.approx(abs(by), abs=1e-9)
    for order in ORDERS:
        again = closed_train(half, order)
        for name, phases in first.phases.items():
            assert again.phases[name] == pytest.approx(phases, abs=1e-12)


def test_a_closed_train_that_misses_by_more_than_its_backlash_is_refused_whatever_the_order():
    for by, apart, orders in ((0.3, "0.3", ORDERS[:1]), (-0.3, "0.3", ORDERS[:1]), (0.014, "0.014", ORDERS)):
        half = half_that_misses(by)
        for order in orders:
            with pytest.raises(Fault, match="closed train") as refused:
                _ = closed_train(half, order).phases
            assert str(refused.value.value) == apart
            assert "teeth of meshes m0, m1, m2, m3" in refused.value.quantity
            assert refused.value.limit == "at most what the backlash takes up, 0.01273"


def brute_force(train: ClosedTrain) -> float:
    """Least sum of what lags miss by over all teeth that the set shafts can be turned by; of one path."""
    (path,) = train.paths
    closing = next(m for m, mesh in enumerate(train.meshes) if mesh.sets is None)
    counts = [
        mesh.teeth_on(mesh.sets)
        // math.gcd(*(one.teeth_on(mesh.sets) for one in train.meshes if mesh.sets in one.shafts))
        if mesh.sets is not None
        else 1
        for mesh in train.meshes
    ]
    apart = np.array([mesh.apart for mesh in train.meshes])
    # of a path the lags reach from one sum to another; what is beyond is paid where a pitch is worth most
    ends = np.array([[0.0, c * mesh.sense * mesh.backlash] for c, mesh in zip(path, train.meshes, strict=True)])
    low, high, least = ends.min(axis=1).sum(), ends.max(axis=1).sum(), math.inf
    for teeth in itertools.product(*(range(count) for count in counts)):
        left = path @ (apart - np.array(teeth))
        whole = round(left / path[closing])
        for k in (whole - 1, whole, whole + 1):
            rest = left - k * path[closing]
            least = min(least, max(low - rest, rest - high, 0.0) / np.abs(path).max())
    return least


@pytest.mark.parametrize("backlash", [0.0, 1e-3, 4e-3])
@pytest.mark.parametrize("seed", range(6))
def test_stepped_planets_are_mounted_tooth_by_tooth(seed: int, backlash: float):
    """A sun of 20, two shafts with gears of 31 and 17, and a gear of 44: each shaft has 31 positions."""
    rng = np.random.default_rng(seed)
    ratio = 20 / 31

    def mesh(name: str, shafts: tuple[str, str], teeth: tuple[int, int], per_turn: float, sets: str | None) -> SetMesh:
        return SetMesh(
            name=name,
            shafts=shafts,
            teeth=teeth,
            sets=sets,
            per_turn=per_turn,
            sense=float(rng.choice([-1.0, 1.0])),
            apart=0.0 if sets else float(rng.uniform(-0.5, 0.5)),
            backlash=backlash,
        )

    (train,) = closed_trains(
        [
            mesh("m0", ("sun", "a"), (20, 31), 20.0, "a"),
            mesh("m1", ("sun", "b"), (20, 31), 20.0, "b"),
            mesh("m2", ("a", "out"), (17, 44), 17.0 * ratio, "out"),
            mesh("m3", ("b", "out"), (17, 44), 17.0 * ratio, None),
        ]
    )
    least = brute_force(train)
    if least > 1e-4:
        with pytest.raises(Fault, match="teeth of meshes m0, m1, m2, m3") as refused:
            train.differences()
        taken = float(refused.value.limit.split()[-1])
        assert float(refused.value.value) - taken == pytest.approx(least, abs=2e-4)  # four digits are shown
        return
    found = train.differences()
    left = train.paths @ np.array([found[m.name] - m.apart for m in train.meshes])
    assert np.abs(left).max() < 1e-9
    for one in train.meshes:
        lag = math.remainder(one.sense * found[one.name], 1.0)
        assert -1.01e-4 < lag < one.backlash + 1.01e-4
