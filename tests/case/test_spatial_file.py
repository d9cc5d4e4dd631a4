"""Machines with bodies in space: a file says the same as Python, and what does not fit is named."""

import math
import tomllib
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear.case.spatial import SPATIAL
from alegear.system.spatial.floating_body import axes_of

ROOT = Path(__file__).resolve().parents[2]
MESHES = ROOT / "meshes"
DEGREE = math.radians(1.0)


def tables(name="bevel_pair", **changes):
    """Tables of an example; ``changes`` are dotted keys with ``__`` and their values, None to leave one out."""
    found = tomllib.loads((MESHES / f"{name}.toml").read_text(encoding="utf-8"))
    for where, value in changes.items():
        *path, key = where.split("__")
        table = found
        for part in path:
            table = table.setdefault(part, {})
        if value is None:
            del table[key]
        else:
            table[key] = value
    return found


def refusal(**changes):
    with pytest.raises(ag.CaseFaults) as caught:
        ag.MachineCase.from_tables(tables(**changes), Path("case.toml"))
    return " | ".join(str(fault) for fault in caught.value.faults)


def bevel_pair():
    m = ag.Machine("bevel pair: a wheel rolls on a fixed one")
    m.add("bar", ag.FloatingBody(position=(0.0, 1.0, 0.0)))
    m.add("wheel", ag.FloatingBody(position=(0.0, 1.0, 5.0)))
    turn = 57.29577951308232 * DEGREE
    m.add(
        "arm",
        ag.SpatialJoint(
            kind="prescribed_revolute",
            between=("ground", "bar"),
            point=(0.0, 1.0, 0.0),
            axis=(0, 1, 0),
            angle=[[0.0, 0.0], [1.0, turn]],
        ),
    )
    m.add("pin", ag.SpatialJoint(kind="revolute", between=("bar", "wheel"), point=(0.0, 1.0, 5.0), axis=(0, 0, 1)))
    m.add(
        "crown",
        ag.SpatialGear(
            body="ground", teeth=50, normal_module=0.2, cone_angle=-78.69006752597979 * DEGREE, axis=(0, 1, 0)
        ),
    )
    m.add("pinion", ag.SpatialGear(body="wheel", teeth=10, normal_module=0.2, cone_angle=11.309932474020213 * DEGREE))
    m.spatial_mesh("mesh", "crown", "pinion")
    m.add("load", ag.SpatialTorque(between=("bar", "wheel"), axis=(0, 0, 1), torque=1000.0))
    return m


def test_a_file_and_python_give_the_same_to_the_last_bit():
    case = ag.MachineCase.from_tables(tables(analysis__positions=4), MESHES / "bevel_pair.toml")
    made = bevel_pair()
    assert made.case(ag.Kinematics(duration=1.0, positions=4)).sha256 == case.sha256
    one, two = ag.run(case).dataset, made.kinematics(duration=1.0, positions=4).dataset
    for name in one.data_vars:
        assert np.array_equal(one[name].to_numpy(), two[name].to_numpy()), name


def test_parts_come_in_the_order_of_files_whatever_python_adds_first():
    made = bevel_pair()
    made._parts["parts"].reverse()
    case = made.case(ag.Kinematics(duration=1.0))
    assert [part.TABLE for part in case.parts] == [
        "bodies", "bodies", "joints", "joints", "spatial_meshes", "hinge_torques",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["bevel_pair", "three_wheels", "double_rack", "spur_transmission"])
def test_examples_are_cases(name):
    case = ag.MachineCase.from_toml(MESHES / f"{name}.toml")
    assert case.in_space
    assert not case.is_torsional


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"joints__pin__between": ["bar", "whel"]}, ('body of pin = "whel"', "wheel")),
        ({"joints__pin__axis": [0, 0, 0]}, ("axis of pin", "not all zero")),
        ({"joints__pin__axis": None}, ("axis of pin", "given for a revolute joint")),
        ({"joints__pin__kind": "ball"}, ('joints.pin.kind = "ball"',)),
        ({"joints__pin__kind": "spherical"}, ("joints.pin.axis", "left out: a spherical joint has none")),
        ({"joints__pin__ramp_s": 0.1}, ("ramp of pin", "no effect")),
        ({"joints__arm__speed_rpm": 3.0}, ("angle or speed of arm", "both of them")),
        ({"joints__arm__angle_table_s_deg": None}, ("angle or speed of arm", "none of them")),
        ({"joints__arm__between": ["ground", "ground"]}, ("shafts of arm", "different ones")),
        ({"spatial_gears__pinion__cone_angle_deg": 20.0}, ("shaft angle of mesh", "98.6901 or 81.3099 deg")),
        ({"spatial_gears__pinion__teeth": 11}, ("off pitch contact with crown", "move pinion by")),
        ({"spatial_gears__pinion__normal_module_mm": 210}, ("normal module of pinion", "200")),
        ({"spatial_gears__pinion__axis": [0, 0, 0]}, ("axis of pinion", "not all zero")),
        ({"spatial_gears__pinion__body": "nothing"}, ("nothing",)),
        ({"spatial_meshes__mesh__gears": ["crown", "pinon"]}, ("spatial_meshes.mesh.gears", "no such gear or rack")),
        (
            {"spatial_meshes__mesh__friction": 0.1},
            ("mesh.least_sliding_m_per_s = (missing): least sliding velocity of mesh must be given with friction",),
        ),
        ({"spatial_meshes__mesh__least_sliding_m_per_s": 0.1}, ("no effect without friction",)),
        ({"spatial_gears__third": {"body": "bar", "teeth": 20, "normal_module_mm": 1}}, ("must be in a mesh",)),
        ({"bodies__bar__inertia_kg_m2": [1, 1, 3]}, ("principal inertias of bar", "sum of the other two")),
        ({"bodies__bar__inertia_kg_m2": [1, 1, 1, 0]}, ("bodies.bar.inertia_kg_m2", "three numbers, or six")),
        ({"bodies__bar__x_axis": [0, 1, 0]}, ("bodies.bar.y_axis", "not along x_axis")),
        ({"bodies__bar__rotation_vector_deg": [0, 0, 9], "bodies__bar__x_axis": [1, 0, 0]}, ("left out with x_axis",)),
        ({"hinge_torques__load__torque_table_s_Nm": [[0, 1]]}, ("torque_Nm", "one of them")),
        ({"hinge_torques__load__axis": [0, 0, 0]}, ("axis of load", "not all zero")),
        ({"analysis__kind": "static"}, ('"dynamic" or "kinematic" for a machine with bodies in space',)),
        ({"analysis__positions": 1}, ("analysis.positions", "at least 2")),
        ({"analysis__kind": "dynamic", "analysis__positions": None}, ("inertia of", "give it")),
        (
            {"shafts__a": {"fixed_axis": True}},
            ("shafts of the machine", "left out beside bodies in space (bar, wheel, arm"),
        ),
        ({"output__fields": True}, ("output.fields", "rigid bodies in space have no fields")),
        (
            {"point_springs__s": {"between": ["ground", "bar"], "points_mm": [[0, 0, 0], [0, 1000, 0]]}},
            ("stiffness and damping of s",),
        ),
        ({"bushings__s": {"between": ["ground", "bar"]}}, ("stiffness and damping of s",)),
        ({"spatial_loads__s": {"body": "bar"}}, ("force and torque of s", "none")),
        ({"spatial_loads__s": {"body": "bar", "torque_Nm": [0, 0, 1], "point_mm": [0, 0, 0]}}, ("point of s",)),
    ],
)
def test_what_does_not_fit_is_named(changes, words):
    said = refusal(**changes)
    for word in words:
        assert word in said


def test_a_machine_without_bodies_in_space_has_no_such_analysis():
    m = ag.Machine("rotor")
    m.add("disk", ag.Rotor1D(inertia=1.0))
    with pytest.raises(ag.Fault, match="of a machine with bodies in space, and there is none"):
        m.kinematics(duration=1.0)


def test_axes_of_two_directions():
    """The x axis as given, the y axis made perpendicular: a rotation about z by 45 degrees."""
    c = math.sqrt(0.5)
    assert axes_of((1, 1, 0), (0, 5, 0)) == pytest.approx(np.array([[c, -c, 0], [c, c, 0], [0, 0, 1]]), abs=1e-15)


def test_rotation_vector_and_axes_say_the_same():
    folder = Path()
    one = SPATIAL["bodies"](rotation_vector_deg=[0.0, 0.0, 30.0]).part("b", folder)
    c, s = math.cos(30 * DEGREE), math.sin(30 * DEGREE)
    two = SPATIAL["bodies"](x_axis=[c, s, 0.0], y_axis=[-s, c, 0.0]).part("b", folder)
    assert np.asarray(one.axes) == pytest.approx(np.asarray(two.axes), abs=1e-15)
