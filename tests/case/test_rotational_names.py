"""What a file says of torsional parts Python can say, and the other way round."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from small_rotational import GEAR_SHIFT, gear_shift

import alegear as ag
from alegear.case.rotational import ROTATIONAL
from alegear.drivetrain.planar import CoulombFriction, LinearSpring, MeshAverages, PeriodicFactor

RPM, DEGREE = math.pi / 30.0, math.pi / 180.0

EVERY_TABLE = """
[machine]
[rotors.a]
inertia_kg_m2 = 1.0
angle_deg = 30.0
speed_rpm = 60.0
[rotors.b]
inertia_kg_m2 = 2.0
[rotors.c]
inertia_kg_m2 = 3.0
[rotors.d]
inertia_kg_m2 = 4.0
[rotors.e]
inertia_kg_m2 = 4.0
[rotors.f]
inertia_kg_m2 = 4.0
[rotors.g]
inertia_kg_m2 = 4.0
[rotors.h]
inertia_kg_m2 = 4.0
[rotors.i]
inertia_kg_m2 = 4.0
[springs.s]
between = ["a", "b"]
stiffness_Nm_per_rad = 10.0
damping_Nms_per_rad = 1.0
free_angle_deg = 5.0
backlash_deg = 2.0
[ratios.r]
between = ["b", "c"]
ratio = -2.0
housing = "a"
losses = [[0.0, 0.9, 0.8, 0.1, 0.2], [10.0, 0.95, 0.85, 0.1, 0.2]]
[varying_ratios.v]
between = ["c", "d"]
ratio_deg = [[0.0, 2.0], [90.0, 2.5], [180.0, 1.5], [360.0, 2.0]]
stiffness_Nm_per_rad = 100.0
damping_Nms_per_rad = 1.0
housing = "b"
[varying_ratios.vt]
between = ["c", "e"]
ratio_s = [[0.0, 2.0], [1.0, 3.0]]
damping_Nms_per_rad = 1.0
[planetary_ratios.p]
sun = "d"
ring = "e"
carrier = "c"
ratio = 2.0
mesh_efficiency = 0.97
[planetary.ps]
planet_inertia_kg_m2 = 0.1
sun = "g"
ring = "i"
carrier = "h"
sun_teeth = 17
planet_teeth = 22
ring_teeth = 61
planets = 3
pin_positions_deg = [0.0, 120.0, 240.0]
normal_module_mm = 4.0
helix_angle_deg = 10.0
center_distance_mm = 79.0
planet_mass_kg = 0.5
tip_diameters_mm = { planet = 96.0 }
fidelity = "lossy"
mesh_efficiency = 0.97
[planetary.pe]
sun = "h"
ring = "ground"
carrier = "i"
sun_teeth = 17
planet_teeth = 22
ring_teeth = 61
planets = 3
normal_module_mm = 4.0
planet_inertia_kg_m2 = 0.01
fidelity = "elastic"
pin_error_um = [0.0, 5.0, 0.0]
[planetary.pe.sun_mesh]
stiffness_N_per_m = 1e8
backlash_um = 20.0
stiffness_factor = [1.0, 0.9, 1.1]
friction = "coulomb"
mu = 0.1
[planetary.pe.ring_mesh]
stiffness_N_per_m = 2e8
[elastic_meshes.em]
stiffness_N_per_m = 10000000.0
gears = ["a", "g"]
pitch_radii_mm = [100.0, 300.0]
tip_radii_mm = [110.0, 310.0]
friction = "coulomb"
mu = 0.1
[frictions.fr]
at = "b"
to = "a"
torque_rad_per_s_Nm = [[0.0, 1.0], [10.0, 2.0]]
static_to_kinetic_ratio = 1.2
[clutches.k]
between = ["a", "c"]
normal_force_N = 10.0
friction_rad_per_s = [[0.0, 0.3], [10.0, 0.2]]
effective_radius_m = 0.5
static_to_kinetic_ratio = 1.1
signal_s = [[0.0, 0.0], [1.0, 1.0]]
[brakes.br]
at = "d"
to = "b"
normal_force_N = 10.0
friction_coefficient = 0.4
overrunning = "backward"
[freewheels.fw]
between = ["e", "f"]
overrunning = "backward"
[torque_maps.tm]
at = "a"
to = "b"
throttle_s = [[0.0, 0.1], [1.0, 0.6]]
speeds_rpm = [0.0, 100.0, 300.0]
throttles = [0.0, 1.0]
torque_Nm = [[0.0, -1.0, -2.0], [10.0, 12.0, 9.0]]
[converters.co]
pump = "a"
turbine = "d"
table = [[0.0, 0.2, 2.0], [0.8, 0.1, 1.1], [1.0, 0.0, 1.0]]
[road_loads.ro]
at = "b"
mass_kg = 2.0
radius_mm = 300.0
rolling = 0.02
drag_area_m2 = 0.5
air_density_kg_per_m3 = 1.1
gradient_s = [[0.0, 0.0], [1.0, 0.1]]
[torques.t]
at = "a"
to = "b"
[torques.t.sine_Nm]
amplitude = 5.0
frequency_Hz = 2.0
phase_deg = 90.0
mean = 1.0
[speeds.n]
at = "f"
speed_table_s_rpm = [[0.0, 0.0], [1.0, 100.0]]
[resistances.w]
at = "b"
to = "c"
linear_Nms_per_rad = 0.1
quadratic_Nms2_per_rad2 = 0.2
torque_rad_per_s_Nm = [[0.0, 0.0], [10.0, 3.0]]
[governors.go]
at = "g"
to = "b"
speed_table_s_rpm = [[0.0, 0.0], [1.0, 200.0]]
proportional_Nms_per_rad = 3.0
integral_Nm_per_rad = 4.0
torque_Nm = -5.0
[shafts.sh]
fixed_axis = true
[disks.di]
shaft = "sh"
at_mm = 3.0
mass_kg = 2.0
inertia_kg_m2 = 4.0
tilt_inertia_kg_m2 = 5.0
[analysis]
kind = "dynamic"
duration_s = 1.0
output_every_s = 0.1
tolerance = 1e-8
longest_step_s = 0.05
stiff = false
"""


def add_planetary_sets(m: ag.Machine) -> None:
    pins = (0.0, 120.0 * DEGREE, 240.0 * DEGREE)
    gears = {"sun": 17, "planets": (22,), "ring": 61, "n_planets": 3, "m_n": 4e-3}
    teeth = ag.PlanetaryTeeth(
        **gears, pin_angles=pins, beta=10.0 * DEGREE, a_w=(79e-3,), tip_diameters={"planet": 96e-3}
    )
    places = {"sun": "g", "ring": "i", "carrier": "h"}
    m.add(
        "ps",
        ag.PlanetaryGearSet(
            teeth=teeth, **places, planet_inertia=0.1, planet_mass=0.5, fidelity="lossy", mesh_efficiency=0.97
        ),
    )
    teeth = ag.PlanetaryTeeth(**gears)
    factor = PeriodicFactor(period=math.pi * 4e-3, values=(1.0, 0.9, 1.1))
    sun = LinearSpring(c=1e8, backlash=20e-6, factor=factor)
    meshes = {
        "sun": ag.PlanetMesh(spring=sun, friction=CoulombFriction(mu_sliding=0.1)),
        "ring": ag.PlanetMesh(spring=LinearSpring(c=2e8)),
    }
    m.add(
        "pe",
        ag.PlanetaryGearSet(
            teeth=teeth,
            sun="h",
            ring="ground",
            carrier="i",
            planet_inertia=0.01,
            fidelity="elastic",
            meshes=meshes,
            pin_errors=(0.0, 5e-6, 0.0),
        ),
    )


def every_part() -> ag.Machine:
    m = ag.Machine()
    m.add("a", ag.Rotor1D(inertia=1.0, angle=30.0 * DEGREE, speed=60.0 * RPM))
    for name, inertia in (
        ("b", 2.0),
        ("c", 3.0),
        ("d", 4.0),
        ("e", 4.0),
        ("f", 4.0),
        ("g", 4.0),
        ("h", 4.0),
        ("i", 4.0),
    ):
        m.add(name, ag.Rotor1D(inertia=inertia))
    m.add(
        "s", ag.Spring(between=("a", "b"), stiffness=10.0, damping=1.0, free_angle=5.0 * DEGREE, backlash=2.0 * DEGREE)
    )
    losses = [[0.0, 0.9, 0.8, 0.1, 0.2], [10.0, 0.95, 0.85, 0.1, 0.2]]
    m.add("r", ag.RatioGear(between=("b", "c"), ratio=-2.0, housing="a", losses=losses))
    table = [(0.0, 2.0), (90.0 * DEGREE, 2.5), (180.0 * DEGREE, 1.5), (360.0 * DEGREE, 2.0)]
    m.add("v", ag.VaryingRatio(between=("c", "d"), over_angle=table, stiffness=100.0, damping=1.0, housing="b"))
    m.add("vt", ag.VaryingRatio(between=("c", "e"), over_time=[(0.0, 2.0), (1.0, 3.0)], damping=1.0))
    m.add("p", ag.PlanetaryGear(sun="d", ring="e", carrier="c", ratio=2.0, mesh_efficiency=0.97))
    add_planetary_sets(m)
    averages = MeshAverages.from_radii(r_A=0.1, r_B=0.3, r_aA=0.11, r_aB=0.31, alpha=20.0 * DEGREE)
    law = CoulombFriction(mu_sliding=0.1)
    m.add("em", ag.ElasticMesh(gears=("a", "g"), averages=averages, spring=LinearSpring(c=1e7), friction=law))
    m.add("fr", ag.BearingFriction(at="b", to="a", torque=[[0.0, 1.0], [10.0, 2.0]], static_to_kinetic_ratio=1.2))
    friction, signal = [[0.0, 0.3], [10.0, 0.2]], [[0.0, 0.0], [1.0, 1.0]]
    m.add(
        "k",
        ag.Clutch(
            between=("a", "c"),
            normal_force=10.0,
            friction=friction,
            effective_radius=0.5,
            static_to_kinetic_ratio=1.1,
            signal=signal,
        ),
    )
    m.add("br", ag.Brake(at="d", to="b", normal_force=10.0, friction=0.4, overrunning="backward"))
    m.add("fw", ag.Freewheel(between=("e", "f"), overrunning="backward"))
    m.add(
        "tm",
        ag.TorqueMap(
            at="a",
            to="b",
            throttle=[[0.0, 0.1], [1.0, 0.6]],
            speeds=[0.0, 100.0 * RPM, 300.0 * RPM],
            throttles=[0.0, 1.0],
            torque=[[0.0, -1.0, -2.0], [10.0, 12.0, 9.0]],
        ),
    )
    m.add("co", ag.TorqueConverter(pump="a", turbine="d", table=[[0.0, 0.2, 2.0], [0.8, 0.1, 1.1], [1.0, 0.0, 1.0]]))
    gradient = [[0.0, 0.0], [1.0, 0.1]]
    m.add(
        "ro", ag.RoadLoad(at="b", mass=2.0, radius=0.3, rolling=0.02, drag_area=0.5, air_density=1.1, gradient=gradient)
    )
    m.add(
        "t",
        ag.TorqueSource(at="a", to="b", torque=ag.Sine(amplitude=5.0, frequency=2.0, phase=90.0 * DEGREE, mean=1.0)),
    )
    m.add("n", ag.SpeedSource(at="f", speed=[[0.0, 0.0], [1.0, 100.0 * RPM]]))
    m.add("w", ag.Resistance(at="b", to="c", linear=0.1, quadratic=0.2, table=[[0.0, 0.0], [10.0, 3.0]]))
    wanted = [[0.0, 0.0], [1.0, 200.0 * RPM]]
    m.add("go", ag.SpeedGovernor(at="g", to="b", speed=wanted, proportional=3.0, integral=4.0, torque=-5.0))
    m.add("sh", ag.Shaft(fixed_axis=True))
    m.add("di", ag.Disk(shaft="sh", at=3e-3, mass=2.0, inertia=4.0, tilt_inertia=5.0))
    return m


def test_every_table_has_its_method(tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(EVERY_TABLE)
    analysis = ag.RotationalMotion(duration=1.0, output_every=0.1, tolerance=1e-8, longest_step=0.05, stiff=False)
    assert every_part().case(analysis).sha256 == ag.case_from_file(path).sha256


@pytest.mark.parametrize("heading", ROTATIONAL)
def test_a_number_that_is_changed_changes_the_hash(tmp_path: Path, heading: str) -> None:
    """The hash would not show what it does not read."""
    sound = EVERY_TABLE.replace("speed_rpm = 60.0", "speed_rpm = 0.0")  # at rest no freewheel locks
    before, after = sound.split(f"[{heading}.", maxsplit=1)
    changed = {"freewheels": ('"backward"', '"forward"')}.get(heading)
    old, new = changed or next(
        (one, one.replace("0", "1", 1) + "7") for one in after.split() if one.replace(".", "").isdigit() and "." in one
    )
    hashes = set()
    for number, text in enumerate((sound, f"{before}[{heading}.{after.replace(old, new, 1)}")):
        path = tmp_path / f"case_{number}.toml"
        path.write_text(text)
        hashes.add(ag.case_from_file(path).sha256)
    assert len(hashes) == 2


def test_a_file_and_python_give_the_same_numbers() -> None:
    from_file = ag.case_from_file(GEAR_SHIFT)
    case = gear_shift().case(from_file.analysis)
    assert case.sha256 == from_file.sha256
    one, other = ag.run(from_file).dataset, ag.run(case).dataset
    assert list(one.data_vars) == list(other.data_vars)
    for name in one.data_vars:
        np.testing.assert_array_equal(one[name], other[name], err_msg=str(name))  # to the last bit: one program


def test_a_part_without_a_table_comes_last() -> None:
    m = ag.Machine()
    m.add("f", ag.TorqueFunction(at=("a",), function=lambda t, x, v: -v))
    m.add("a", ag.Rotor1D(inertia=1.0))
    assert [part.name for part in m.case(ag.RotationalMotion(duration=1.0)).parts] == ["a", "f"]
