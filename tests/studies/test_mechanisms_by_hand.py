"""Mechanisms in space against calculations by hand and printed examples, from Python and from a file alike."""

import math
from pathlib import Path

import numpy as np
import pytest
from families import mostly_thorough

import alegear as ag
from alegear.drivetrain.spatial import mating_position

DEGREE = math.radians(1.0)
MM, RPM = 1e-3, math.pi / 30.0
INCH, LBF = 25.4e-3, 4.4482216152605
X, Y, Z = np.eye(3)
G = 9.81


class TwoWays:
    """A machine made in Python and, call by call, as the tables of a file; both must come to the same."""

    def __init__(self, gravity=(0.0, 0.0, 0.0)) -> None:
        self.machine = ag.Machine("by hand", gravity=gravity)
        self.tables = {"machine": {"gravity_m_s2": list(gravity)}, "title": "by hand"}

    def _put(self, heading: str, name: str, **keys) -> None:
        told = {
            key: np.asarray(value).tolist() if isinstance(value, np.ndarray) else value for key, value in keys.items()
        }
        self.tables.setdefault(heading, {})[name] = {key: value for key, value in told.items() if value is not None}

    def body(self, name, mass=0.0, inertia=(0.0, 0.0, 0.0), position=(0.0, 0.0, 0.0), axes=None, spin=None) -> None:
        axes = np.eye(3) if axes is None else axes
        spin = np.zeros(3) if spin is None else np.asarray(spin, dtype=float)
        given = {"mass": mass, "inertia": inertia, "position": position, "axes": axes, "angular_velocity": spin}
        self.machine.add(name, ag.FloatingBody(**given))
        self._put(
            "bodies", name, mass_kg=mass, inertia_kg_m2=list(inertia), position_mm=np.asarray(position) / MM,
            x_axis=axes[:, 0], y_axis=axes[:, 1], angular_velocity_rad_per_s=spin,
        )  # fmt: skip

    def joint(self, name, kind, first, second, *, point=(0.0, 0.0, 0.0), axis=None, speed=None, ramp=0.0, angle=None):
        given = {"point": point, "axis": axis, "speed": speed, "ramp": ramp, "angle": angle}
        self.machine.add(name, ag.SpatialJoint(kind=kind, between=(first, second), **given))
        axis = None if axis is None else np.asarray(axis, dtype=float)
        self._put(
            "joints", name, kind=kind, between=[first, second], point_mm=np.asarray(point) / MM, axis=axis,
            speed_rpm=None if speed is None else speed / RPM, ramp_s=ramp or None,
            angle_table_s_deg=None if angle is None else [[t, phi / DEGREE] for t, phi in angle],
        )  # fmt: skip

    def gear(
        self, name, body, teeth, m_n, *, alpha=20.0, cone=0.0, helix=0.0, internal=False, axis=Z, centre=(0, 0, 0)
    ):
        angles = {"pressure_angle": alpha * DEGREE, "cone_angle": cone, "helix_angle": helix}
        gear = ag.SpatialGear(
            body=body, teeth=teeth, normal_module=m_n, internal=internal, axis=axis, centre=centre, **angles
        )
        self.machine.add(name, gear)
        self._put(
            "spatial_gears", name, body=body, teeth=teeth, normal_module_mm=m_n / MM, pressure_angle_deg=alpha,
            cone_angle_deg=cone / DEGREE, helix_angle_deg=helix / DEGREE, internal=internal,
            axis=np.asarray(axis, dtype=float), centre_mm=np.asarray(centre, dtype=float) / MM,
        )  # fmt: skip

    def rack(self, name, body, m_n, *, helix=0.0, direction=X, outwards=Y) -> None:
        given = {"normal_module": m_n, "helix_angle": helix, "direction": direction, "outwards": outwards}
        self.machine.add(name, ag.SpatialRack(body=body, **given))
        self._put(
            "spatial_racks", name, body=body, normal_module_mm=m_n / MM, helix_angle_deg=helix / DEGREE,
            direction=np.asarray(direction, dtype=float), outwards=np.asarray(outwards, dtype=float),
        )  # fmt: skip

    def mesh(self, name, first, second, friction=0.0, least=None) -> None:
        self.machine.spatial_mesh(name, first, second, friction=friction, least_sliding=least)
        self._put(
            "spatial_meshes", name, gears=[first, second], friction=friction or None, least_sliding_m_per_s=least
        )  # fmt: skip

    def torque(self, name, first, second, axis, torque) -> None:
        self.machine.add(name, ag.SpatialTorque(between=(first, second), axis=axis, torque=torque))
        self._put("hinge_torques", name, between=[first, second], axis=np.asarray(axis, dtype=float), torque_Nm=torque)

    def bushing(self, name, first, second, stiffness, point) -> None:
        self.machine.add(name, ag.SpatialBushing(between=(first, second), stiffness=stiffness, point=point))
        self._put(
            "bushings", name, between=[first, second], point_mm=np.asarray(point) / MM,
            stiffness_N_per_m=list(stiffness[:3]), stiffness_Nm_per_rad=list(stiffness[3:]),
        )  # fmt: skip

    def kinematics(self, duration=1.0, positions=2):
        return self._same(
            self.machine.kinematics(duration=duration, positions=positions).dataset,
            {"kind": "kinematic", "duration_s": duration, "positions": positions},
        )

    def run(self, duration, output_every, time_step):
        return self._same(
            self.machine.run(duration=duration, output_every=output_every, time_step=time_step).dataset,
            {"kind": "dynamic", "duration_s": duration, "output_every_s": output_every, "time_step_s": time_step},
        )

    def _same(self, data, analysis):
        case = ag.MachineCase.from_tables(self.tables | {"analysis": analysis}, Path("case.toml"))
        other = ag.run(case).dataset
        assert set(other.data_vars) == set(data.data_vars)
        for name in data.data_vars:
            one, two = data[name].to_numpy(), other[name].to_numpy()
            size = np.abs(one).max(initial=0.0)
            # millimetres and degrees round off, which derivatives in time make larger
            assert two == pytest.approx(one, rel=0.0, abs=1e-6 * size + 1e-6), name
        return data


def turned_to(axis):
    """Axes of a body whose z lies along an axis."""
    near = np.eye(3)[int(np.argmin(np.abs(axis)))]
    e1 = np.cross(near, axis) / np.linalg.norm(np.cross(near, axis))
    return np.column_stack([e1, np.cross(axis, e1), axis])


def cones(z_1, z_2, shaft_angle):
    """Pitch cones of bevel gears: tan g_1 = sin S/(z_2/z_1 + cos S)."""
    first = math.atan2(math.sin(shaft_angle), z_2 / z_1 + math.cos(shaft_angle))
    return first, shaft_angle - first


def bevel_pair(z_1, z_2, m_n, *, shaft_angle=90.0, hand=0.0, torque, alpha=20.0, speed=1.0):
    """A pinion whose axis points away from the apex, along z, and a wheel likewise; the pinion is led.

    The middle of the wheel's face lies towards +x from the pinion's axis. The torque is that of the load on the wheel
    about its axis away from the apex.
    """
    S = shaft_angle * DEGREE
    g_1, g_2 = cones(z_1, z_2, S)
    r_1, r_2 = (0.5 * m_n * z / math.cos(hand) for z in (z_1, z_2))
    R = r_1 / math.sin(g_1)
    assert r_2 / math.sin(g_2) == pytest.approx(R, rel=1e-12)  # one apex, in the origin
    axis_2 = np.array([math.sin(S), 0.0, math.cos(S)])
    m = TwoWays()
    at_1, at_2 = R * math.cos(g_1) * Z, R * math.cos(g_2) * axis_2
    m.body("pinion", position=at_1)
    m.body("wheel", position=at_2, axes=turned_to(axis_2))
    m.joint("drive", "prescribed_revolute", "ground", "pinion", point=at_1, axis=Z, speed=speed)
    m.joint("hinge", "revolute", "ground", "wheel", point=at_2, axis=axis_2)
    m.gear("one", "pinion", z_1, m_n, alpha=alpha, cone=g_1, helix=hand)
    m.gear("two", "wheel", z_2, m_n, alpha=alpha, cone=g_2, helix=-hand)
    m.mesh("mesh", "one", "two")
    m.torque("load", "ground", "wheel", axis_2, torque)
    return m, (g_1, g_2), (r_1, r_2), axis_2


def components(force, contact, axis):
    """Radial force, positive towards the axis, and axial, positive along it; the tangential one by magnitude."""
    out = contact - (contact @ axis) * axis
    out /= np.linalg.norm(out)
    along = np.cross(axis, out)
    return -force @ out, force @ axis, abs(force @ along)


# ------------------------------------------------------------------------------------------------- printed examples
def test_straight_bevel_gears_of_shigley():
    """5 hp at 600 rpm, 15 and 45 teeth of 3 and 9 in, mean radius 1.293 in: W = 33000 hp/V is 406 lbf at 406 ft/min,
    W tan 20 deg cos g = 140.19 lbf radially, W tan 20 deg sin g = 46.73 lbf axially, g = atan(3/9).

    The case is a worked one of Budynas and Nisbett, Shigley's Mechanical Engineering Design, chapter 13, by memory; its
    figures follow from its data as written here.
    """
    r = 1.293 * INCH
    W = 406.0 * LBF
    m, _, (_, r_2), _ = bevel_pair(15, 45, 2.0 * r / 15.0, torque=W * 3.0 * r)
    data = m.kinematics()
    on_pinion = -data["tooth_force"].to_numpy()[0, 0] / LBF
    radial, axial, tangential = components(on_pinion, data["contact_point"].to_numpy()[0, 0], Z)
    assert tangential == pytest.approx(406.0, rel=1e-9)
    assert radial == pytest.approx(140.19, abs=0.005)
    assert axial == pytest.approx(46.73, abs=0.005)  # away from the apex
    assert r_2 == pytest.approx(3.88 * INCH, rel=1e-3)


def test_helical_gears_of_shigley():
    """Likewise, 18 teeth of 12/in, helix 30 deg, 1 hp at 1800 rpm: d = 18/(12 cos 30 deg) in, 33000/(pi d 1800/12) =
    40.4 lbf, times tan 20 deg/cos 30 deg 17.0 radially, tan 30 deg 23.3 axially, 49.6 in all."""
    m_n, helix = INCH / 12.0, 30.0 * DEGREE
    r_1, r_2 = (0.5 * m_n * z / math.cos(helix) for z in (18, 36))
    m = TwoWays()
    m.body("a")
    m.body("b", position=(r_1 + r_2, 0.0, 0.0))
    m.joint("drive", "prescribed_revolute", "ground", "a", axis=Z, speed=1.0)
    m.joint("hinge", "revolute", "ground", "b", point=(r_1 + r_2, 0.0, 0.0), axis=Z)
    m.gear("one", "a", 18, m_n, helix=helix)
    m.gear("two", "b", 36, m_n, helix=-helix)
    m.mesh("mesh", "one", "two")
    m.torque("load", "ground", "b", Z, 40.4 * LBF * r_2)
    data = m.kinematics()
    force = -data["tooth_force"].to_numpy()[0, 0] / LBF
    radial, axial, tangential = components(force, np.array([r_1, 0.0, 0.0]), Z)
    assert tangential == pytest.approx(40.4, rel=1e-9)
    assert radial == pytest.approx(17.0, abs=0.05)  # printed digits
    assert abs(axial) == pytest.approx(23.3, abs=0.05)
    assert np.linalg.norm(force) == pytest.approx(49.6, abs=0.1)
    # the load turns the wheel ahead about z, so that the pinion holds it back: a right-handed one that a torque of the
    # teeth turns ahead, as here, is pushed back along its axis (a screw in its nut)
    torque = (np.cross([r_1, 0.0, 0.0], force))[2]
    assert np.sign(axial) == -np.sign(torque)


def test_worm_pair_of_shigley():
    """Likewise, a worm: 2 starts right-handed, 30 teeth, worm 2 in, wheel 5 in, pressure angle 14.5 deg,
    f = 0.03, 1 hp at 1200 rpm: lead angle 9.46 deg, sliding 637 ft/min, W 278 lbf, 52.5, 69.6 and 264 lbf."""
    px = math.pi * 5.0 / 30.0
    driving = math.atan2(2.0 * px, math.pi * 2.0)
    m_n = px / math.pi * math.cos(driving) * INCH
    assert driving / DEGREE == pytest.approx(9.46, abs=0.005)
    helix = 0.5 * math.pi - driving
    given = {"normal_module": m_n, "pressure_angle": 14.5 * DEGREE}
    worm = ag.SpatialGear(name="w", body="worm", teeth=2, helix_angle=helix, **given)
    wheel = ag.SpatialGear(name="g", body="wheel", teeth=30, helix_angle=driving, **given)
    assert worm.pitch_radius == pytest.approx(1.0 * INCH, rel=1e-9)
    assert wheel.pitch_radius == pytest.approx(2.5 * INCH, rel=1e-9)
    centre, axis = mating_position(worm, wheel, X)
    m = TwoWays()
    speed = 1200.0 * RPM
    m.body("worm", 1.0, (1e-3, 1e-3, 1e-4))
    m.body("wheel", 1.0, (1e-3, 1e-3, 2e-3), centre, turned_to(axis))
    m.joint("drive", "prescribed_revolute", "ground", "worm", axis=Z, speed=speed)
    m.joint("hinge", "revolute", "ground", "wheel", point=centre, axis=axis)
    m.gear("w", "worm", 2, m_n, alpha=14.5, helix=helix)
    m.gear("g", "wheel", 30, m_n, alpha=14.5, helix=driving)
    m.mesh("mesh", "w", "g", friction=0.03, least=1e-4)
    brake = 264.0 * LBF * 2.5 * INCH
    # against the rotation of the wheel, whichever way its axis points
    found = []
    for sign in (1.0, -1.0):
        m.torque("load", "ground", "wheel", axis, sign * brake)
        data = m.run(0.004, 1e-3, 1e-4)
        w = data["angular_velocity"].sel(body="wheel").to_numpy()[-1] @ axis
        found.append((sign * w < 0.0, data))
        m.machine._parts["parts"] = [one for one in m.machine._parts["parts"] if one.name != "load"]
    (data,) = [one for brakes, one in found if brakes]
    force = -data["tooth_force"].to_numpy()[-1, 0] / LBF  # on the worm
    tangential = abs(force @ Y)
    assert data["normal_force"].to_numpy()[-1, 0] / LBF == pytest.approx(
        math.copysign(278.0, data["normal_force"].to_numpy()[-1, 0]), abs=0.5
    )
    assert tangential == pytest.approx(52.5, abs=0.2)  # printed digits
    assert -force @ X == pytest.approx(69.6, abs=0.2)  # towards the axis of the worm
    assert abs(force @ Z) == pytest.approx(264.0, rel=1e-4)
    assert abs(data["sliding_velocity"].to_numpy()[-1, 0]) == pytest.approx(637.0 * 12.0 * INCH / 60.0, rel=1e-3)
    cosine, tangent = math.cos(14.5 * DEGREE), math.tan(driving)
    efficiency = (cosine - 0.03 * tangent) / (cosine + 0.03 / tangent)
    power_in = abs(data["joint_power"].sel(joint="drive").to_numpy()[-1])
    assert brake * speed / 15.0 / power_in == pytest.approx(efficiency, rel=1e-4)
    # with the load the other way the wheel drives: what comes out at the worm is less by the efficiency backwards
    (data,) = [one for brakes, one in found if not brakes]
    back = (cosine - 0.03 / tangent) / (cosine + 0.03 * tangent)
    power_out = abs(data["joint_power"].sel(joint="drive").to_numpy()[-1])
    assert power_out / (brake * speed / 15.0) == pytest.approx(back, rel=1e-4)


# ------------------------------------------------------------------------------------------------------- bevel gears
@pytest.mark.parametrize("torque", [200.0, -200.0])
@pytest.mark.parametrize("shaft_angle", [60.0, 90.0, 120.0])
@pytest.mark.parametrize("hand", [0.0, 35.0, -35.0])
def test_forces_of_bevel_gears(hand, shaft_angle, torque):
    """Gleason's formulas, driving and driven: radial F_t/cos b (tan a cos g +- sin b sin g), axial
    F_t/cos b (tan a sin g -+ sin b cos g); upper signs of a right-handed driver that turns clockwise seen from its back
    (the large end), which then is pulled towards the apex."""
    b = hand * DEGREE
    m, (g_1, g_2), (r_1, r_2), axis_2 = bevel_pair(17, 26, 4e-3, shaft_angle=shaft_angle, hand=b, torque=torque)
    data = m.kinematics(positions=3, duration=0.1)
    F_t, tan_a = abs(torque) / r_2, math.tan(20.0 * DEGREE)
    for force, contact in zip(
        data["tooth_force"].to_numpy()[:, 0], data["contact_point"].to_numpy()[:, 0], strict=True
    ):
        # the torque of the teeth on the pinion, about its axis away from the apex
        on_pinion = np.cross(contact, -force) @ Z
        assert abs(on_pinion) == pytest.approx(F_t * r_1, rel=1e-9)
        # the driver of that torque turns against it: clockwise from the back is -z of an axis away from the apex
        for axis, sense, helix, cone, own in (
            (Z, np.sign(on_pinion), b, g_1, -force),
            (axis_2, np.sign(np.cross(contact, force) @ axis_2), -b, g_2, force),
        ):
            s = sense * math.sin(helix)
            radial, axial, tangential = components(own, contact, axis)
            assert tangential == pytest.approx(F_t, rel=1e-9)
            factor = F_t / math.cos(helix)
            assert radial == pytest.approx(factor * (tan_a * math.cos(cone) + s * math.sin(cone)), rel=1e-9)
            assert axial == pytest.approx(factor * (tan_a * math.sin(cone) - s * math.cos(cone)), rel=1e-9)


def test_hypoid_gears_transmit_by_their_helix_angles():
    """F_t1/F_t2 = cos b_1/cos b_2 (ISO 23509), speeds as teeth, and power in is power out; axes neither meet nor are
    parallel."""
    m_n, torque = 4e-3, 300.0
    pinion = ag.SpatialGear(name="one", body="a", teeth=11, normal_module=m_n, cone_angle=0.3, helix_angle=0.85)
    other = ag.SpatialGear(name="two", body="b", teeth=41, normal_module=m_n, cone_angle=-1.2, helix_angle=-0.55)
    centre, axis = mating_position(pinion, other, X)
    offset = abs(centre @ np.cross(Z, axis)) / np.linalg.norm(np.cross(Z, axis))
    assert offset > 0.01
    m = TwoWays()
    m.body("a")
    m.body("b", position=centre, axes=turned_to(axis))
    m.joint("drive", "prescribed_revolute", "ground", "a", axis=Z, speed=3.0)
    m.joint("hinge", "revolute", "ground", "b", point=centre, axis=axis)
    m.gear("one", "a", 11, m_n, cone=0.3, helix=0.85)
    m.gear("two", "b", 41, m_n, cone=-1.2, helix=-0.55)
    m.mesh("mesh", "one", "two")
    m.torque("load", "ground", "b", axis, torque)
    data = m.kinematics(duration=4.0, positions=9)
    force, contact = data["tooth_force"].to_numpy()[0, 0], data["contact_point"].to_numpy()[0, 0]
    _, axial, F_1 = components(-force, contact, Z)
    F_2 = components(force, contact - centre, axis)[2]
    assert F_1 * math.cos(0.55) == pytest.approx(F_2 * math.cos(0.85), rel=1e-9)
    sense = np.sign(np.cross(contact, -force) @ Z)
    by_formula = F_1 / math.cos(0.85) * (math.tan(20 * DEGREE) * math.sin(0.3) - sense * math.sin(0.85) * math.cos(0.3))
    assert axial == pytest.approx(by_formula, rel=1e-9)
    reaction = data["reaction_torque"].sel(joint="drive").to_numpy()[:, 2]
    assert np.abs(reaction) == pytest.approx(torque * 11 / 41, rel=1e-9)
    rolls = data["roll"].to_numpy()[-1, 0]
    assert abs(rolls[0] / rolls[1]) == pytest.approx(41 / 11, rel=1e-12)
    assert abs(rolls[0]) == pytest.approx(12.0, rel=1e-9)  # 4 s at 3 rad/s: almost two turns


# --------------------------------------------------------------------------------------------------------- mechanisms
def test_planetary_set_of_bodies():
    """Willis: 24 + 96 teeth, ring held: the carrier turns by 24/120 of the sun; torques 1 : 4 : -5."""
    m, m_n = TwoWays(), 2e-3
    at = (0.06, 0.0, 0.0)
    for name in ("sun", "carrier", "ring"):
        m.body(name)
    m.body("planet", position=at)
    m.joint("drive", "prescribed_revolute", "ground", "sun", axis=Z, angle=[[0.0, 0.0], [1.0, 5.0]])
    m.joint("out", "revolute", "ground", "carrier", axis=Z)
    m.joint("held", "fixed", "ground", "ring")
    m.joint("pin", "revolute", "carrier", "planet", point=at, axis=Z)
    m.gear("s", "sun", 24, m_n)
    m.gear("p", "planet", 36, m_n)
    m.gear("r", "ring", 96, m_n, internal=True)
    m.mesh("inner", "s", "p")
    m.mesh("outer", "p", "r")
    m.torque("load", "ground", "carrier", Z, -50.0)
    data = m.kinematics(positions=6)
    t = data["time"].to_numpy()
    angle = data["rotation_vector"].to_numpy()[..., 2]
    names = list(data["body"].to_numpy())
    turned = 5.0 * t  # two points are a straight line
    assert angle[:, names.index("carrier")] == pytest.approx(turned * 24.0 / 120.0, abs=1e-9)
    planet = data["position"].sel(body="planet").to_numpy()
    phi = turned * 0.2
    assert planet[:, :2] == pytest.approx(0.06 * np.column_stack([np.cos(phi), np.sin(phi)]), abs=1e-9)
    # against the carrier the planet turns by -24/36 of what the sun does
    own = -(turned - phi) * 24.0 / 36.0 + phi
    assert np.exp(1j * angle[:, names.index("planet")]) == pytest.approx(np.exp(1j * own), abs=1e-9)
    torque = data["reaction_torque"].to_numpy()[..., 2]
    joints = list(data["joint"].to_numpy())
    assert torque[:, joints.index("drive")] == pytest.approx(np.full(len(t), 10.0), rel=1e-9)
    assert torque[:, joints.index("held")] == pytest.approx(np.full(len(t), 40.0), rel=1e-9)
    # the pin carries both tooth forces: the radial ones cancel, the tangential ones add up to 50 N m/60 mm
    pin = np.linalg.norm(data["reaction_force"].sel(joint="pin").to_numpy(), axis=1)
    assert pin == pytest.approx(np.full(len(t), 50.0 / 0.06), rel=1e-9)


def test_three_planets_say_the_same_and_are_refused():
    m, m_n = ag.Machine("three planets"), 2e-3
    for name in ("sun", "carrier", "ring"):
        m.add(name, ag.FloatingBody(mass=1.0, inertia=(1e-3,) * 3))
        m.add(f"hinge {name}", ag.SpatialJoint(kind="revolute", between=("ground", name), axis=Z))
    m.add("s", ag.SpatialGear(body="sun", teeth=24, normal_module=m_n))
    m.add("r", ag.SpatialGear(body="ring", teeth=96, normal_module=m_n, internal=True))
    for i in range(4):
        at = 0.06 * np.array([math.cos(i * math.pi / 2), math.sin(i * math.pi / 2), 0.0])
        m.add(f"p{i}", ag.FloatingBody(mass=0.1, inertia=(1e-4,) * 3, position=at))
        m.add(f"pin {i}", ag.SpatialJoint(kind="revolute", between=("carrier", f"p{i}"), point=at, axis=Z))
        m.add(f"g{i}", ag.SpatialGear(body=f"p{i}", teeth=36, normal_module=m_n))
        m.spatial_mesh(f"inner {i}", "s", f"g{i}")
        m.spatial_mesh(f"outer {i}", f"g{i}", "r")
    with pytest.raises(ag.Fault, match=r"equations of joints = \d+, \d+ of them independent: .* what outer 1 does"):
        m.run(duration=0.01)


def test_bevel_differential_of_a_car():
    """The cage turns at the mean of both wheels' speeds; both get half of its torque, whatever their speeds."""
    m, m_n = TwoWays(), 4e-3
    cone_p, cone_w = math.atan2(10, 16), math.atan2(16, 10)
    at = 0.5 * m_n * 16  # the planet's middle, and that of the wheels by its radius
    m.body("cage", 1.0, (0.02, 0.02, 0.02))
    m.body("left", 1.0, (0.01, 0.01, 0.01), (0.0, 0.0, -0.5 * m_n * 10), turned_to(-Z))
    m.body("right", 1.0, (0.01, 0.01, 0.01), (0.0, 0.0, 0.5 * m_n * 10))
    m.body("planet", 0.1, (1e-4, 1e-4, 1e-4), (at, 0.0, 0.0), turned_to(X))
    m.joint("crown", "prescribed_revolute", "ground", "cage", axis=Z, speed=10.0)
    m.joint("left shaft", "prescribed_revolute", "ground", "left", point=(0.0, 0.0, -0.02), axis=Z, speed=8.0)
    m.joint("right shaft", "revolute", "ground", "right", point=(0.0, 0.0, 0.02), axis=Z)
    m.joint("pin", "revolute", "cage", "planet", point=(at, 0.0, 0.0), axis=X)
    m.gear("gl", "left", 16, m_n, cone=cone_w)
    m.gear("gr", "right", 16, m_n, cone=cone_w)
    m.gear("gp", "planet", 10, m_n, cone=cone_p)
    m.mesh("l", "gl", "gp")
    m.mesh("r", "gr", "gp")
    m.torque("road", "ground", "right", Z, -30.0)
    data = m.run(0.05, 0.01, 1e-3)
    speed = data["angular_velocity"].to_numpy()[-1]
    names = list(data["body"].to_numpy())
    assert speed[names.index("right"), 2] == pytest.approx(12.0, rel=1e-6)
    relative = speed[names.index("planet")] - [0.0, 0.0, 10.0]
    assert np.linalg.norm(relative) == pytest.approx(2.0 * 16 / 10, rel=1e-4)  # steps of 1 ms
    torque = data["reaction_torque"].to_numpy()[-1, :, 2]
    joints = list(data["joint"].to_numpy())
    assert torque[joints.index("crown")] == pytest.approx(60.0, rel=1e-4)  # of steps of 1 ms: accelerations to h^2
    assert torque[joints.index("left shaft")] == pytest.approx(-30.0, rel=1e-4)


def test_a_wheel_that_rolls_around_presses_by_its_spin():
    """A bevel wheel on an arm rolls on a crown (edge mill): angular momentum J w_s turns with the arm. The pin holds
    J_s w_s W across both axes less the moment of the tooth force; without load that is all there is."""
    J, J_t, W, spin = 0.02, 0.011, 5.0, 40.0
    m = TwoWays()
    m.body("arm", 1.0, (0.1, 0.1, 0.1))
    m.body("wheel", 2.0, (J, J_t, J_t), (0.3, 0.0, 0.0))
    m.joint("swing", "prescribed_revolute", "ground", "arm", axis=Z, speed=W)
    m.joint("spin", "prescribed_revolute", "arm", "wheel", point=(0.3, 0.0, 0.0), axis=X, speed=spin)
    data = m.run(0.02, 0.005, 1e-4)
    t = data["time"].to_numpy()
    expected = J * spin * W * np.column_stack([-np.sin(W * t), np.cos(W * t), 0 * t])
    found = data["reaction_torque"].sel(joint="spin").to_numpy()
    assert found[0] == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
    assert found == pytest.approx(expected, abs=1e-4 * J * spin * W)  # second order in h
    pull = data["reaction_force"].sel(joint="spin").to_numpy()
    inwards = -2.0 * 0.3 * W**2 * np.column_stack([np.cos(W * t), np.sin(W * t), 0 * t])
    assert pull == pytest.approx(inwards, abs=1e-4 * 2.0 * 0.3 * W**2)


@pytest.mark.parametrize("helix", mostly_thorough([0.0, 20.0, -20.0], always=lambda helix: helix == 20.0))
def test_a_rack_falls_and_turns_its_pinion(helix):
    """a = g/(1 + J/(m r^2)); the guide holds what teeth push off, F_t tan a_n/cos b, and along the axis F_t tan b."""
    mass, J, m_n = 3.0, 4e-3, 2.5e-3
    b = helix * DEGREE
    r = 0.5 * m_n * 24 / math.cos(b)
    m = TwoWays(gravity=(0.0, -G, 0.0))
    m.body("pinion", 1.0, (J, J, J))
    m.body("rack", mass, (0.1, 0.1, 0.1), (r, 0.0, 0.0))
    m.joint("hinge", "revolute", "ground", "pinion", axis=Z)
    m.joint("guide", "prismatic", "ground", "rack", point=(r, 0.0, 0.0), axis=Y)
    m.gear("p", "pinion", 24, m_n, helix=b)
    m.rack("teeth", "rack", m_n, helix=-b, direction=Y, outwards=-X)
    m.mesh("mesh", "p", "teeth")
    data = m.run(0.1, 0.02, 1e-3)
    t, a = data["time"].to_numpy(), G / (1.0 + J / (mass * r * r))
    fallen = data["position"].sel(body="rack").to_numpy()[:, 1]
    assert fallen == pytest.approx(-0.5 * a * t**2, abs=1e-9)  # constant acceleration: exact
    F_t = mass * (G - a)
    force = data["tooth_force"].to_numpy()[-1, 0]  # on the rack
    assert force[1] == pytest.approx(F_t, rel=1e-6)
    assert force[0] == pytest.approx(F_t * math.tan(20 * DEGREE) / math.cos(b), rel=1e-6)
    assert abs(force[2]) == pytest.approx(F_t * abs(math.tan(b)), rel=1e-6, abs=1e-9)
    # a right-handed pinion that teeth turn against z is pushed along z, the rack against it
    turning = np.cross([r, 0.0, 0.0], -force)[2]
    if helix:
        assert np.sign(-force[2]) == -np.sign(turning) * np.sign(helix)
    held = data["reaction_force"].sel(joint="guide").to_numpy()[-1]
    assert held == pytest.approx([-force[0], 0.0, -force[2]], abs=1e-6 * F_t)


def test_three_wheels_in_a_ring_lock_each_other():
    """Each meshes with both others: a torque T on one is held by f_12 = f_31 = -T/(2 r) and f_23 = T/(2 r)."""
    m, m_n, T = TwoWays(), 2e-3, 80.0
    r = 0.5 * m_n * 30
    places = {"a": (0.0, 0.0, 0.0), "b": (2 * r, 0.0, 0.0), "c": (r, r * math.sqrt(3.0), 0.0)}
    for name, place in places.items():
        m.body(name, position=place)
        m.joint(f"hinge {name}", "revolute", "ground", name, point=place, axis=Z)
        m.gear(f"g{name}", name, 30, m_n)
    for one, two in ("ab", "bc", "ca"):
        m.mesh(one + two, f"g{one}", f"g{two}")
    m.torque("load", "ground", "a", Z, T)
    data = m.kinematics()
    force = T / (2.0 * r * math.cos(20 * DEGREE))
    assert np.abs(data["normal_force"].to_numpy()) == pytest.approx(np.full((2, 3), force), rel=1e-9)
    assert np.abs(data["rotation_vector"].to_numpy()).max() < 1e-12
    # forces and moments of the hinges hold the torque alone
    total = data["reaction_force"].to_numpy().sum(axis=1)
    assert np.abs(total).max() < 1e-9 * force
    moments = np.cross(list(places.values()), data["reaction_force"].to_numpy()[0]).sum(axis=0)
    assert moments[2] == pytest.approx(-T, rel=1e-9)


def test_four_wheels_in_a_ring_turn_and_one_mesh_says_nothing_new():
    m, r = ag.Machine("ring of four"), 0.03
    for name, place in {"a": (0, 0, 0), "b": (2 * r, 0, 0), "c": (2 * r, 2 * r, 0), "d": (0, 2 * r, 0)}.items():
        m.add(name, ag.FloatingBody(mass=1.0, inertia=(1e-3,) * 3, position=place))
        m.add(f"hinge {name}", ag.SpatialJoint(kind="revolute", between=("ground", name), point=place, axis=Z))
        m.add(f"g{name}", ag.SpatialGear(body=name, teeth=30, normal_module=2e-3))
    for one, two in ("ab", "bc", "cd", "da"):
        m.spatial_mesh(one + two, f"g{one}", f"g{two}")
    with pytest.raises(ag.Fault, match="others say already what da does"):
        m.run(duration=0.01)


@pytest.mark.parametrize("load", [40.0, -40.0])
def test_bushings_carry_what_teeth_push(load):
    """A wheel on springs: T/r across, T tan a/r apart, whichever flanks bear; displaced by both over k."""
    m, m_n, k = TwoWays(), 3e-3, 1e9
    m.body("a")
    m.body("b", position=(0.075, 0.0, 0.0))
    m.joint("drive", "prescribed_revolute", "ground", "a", axis=Z, speed=0.0)
    m.bushing("seat", "ground", "b", (k, k, k, 1e6, 1e6, 0.0), (0.075, 0.0, 0.0))
    m.gear("one", "a", 20, m_n)
    m.gear("two", "b", 30, m_n)
    m.mesh("mesh", "one", "two")
    m.torque("load", "ground", "b", Z, load)
    data = m.kinematics()
    F = load / 0.045
    moved = data["position"].sel(body="b").to_numpy()[-1] - [0.075, 0.0, 0.0]
    # the load turns the wheel ahead, its flank presses the pinion along +y at x = 30 mm, which pushes back along... -y
    assert moved == pytest.approx([abs(F) * math.tan(20 * DEGREE) / k, F / k, 0.0], rel=1e-4, abs=1e-15)
    assert data["bushing_force"].to_numpy()[-1, 0] == pytest.approx(-k * moved, rel=1e-6, abs=1e-6)


def test_motor_and_load_through_two_stages_of_different_kinds():
    """Bevel 20/40, then spur 18/54: the motor sees J_1 + J_2/4 + J_3/36, and its torque comes out sixfold."""
    m, m_n = TwoWays(), 2e-3
    cone_1, cone_2 = cones(20, 40, 0.5 * math.pi)
    r_1, r_2 = 0.5 * m_n * 20, 0.5 * m_n * 40
    J = (1e-3, 5e-3, 4e-2)
    at_1, at_2 = np.array([0.0, 0.0, r_2]), np.array([r_1, 0.0, 0.0])
    at_3 = at_2 + np.array([0.1, 0.5 * m_n * 72, 0.0])
    m.body("motor", 1.0, (J[0],) * 3, at_1)
    m.body("middle", 1.0, (J[1],) * 3, at_2, turned_to(X))
    m.body("drum", 1.0, (J[2],) * 3, at_3, turned_to(X))
    m.joint("m", "revolute", "ground", "motor", point=at_1, axis=Z)
    m.joint("n", "revolute", "ground", "middle", point=at_2, axis=X)
    m.joint("d", "revolute", "ground", "drum", point=at_3, axis=X)
    m.gear("b1", "motor", 20, m_n, cone=cone_1)
    m.gear("b2", "middle", 40, m_n, cone=cone_2)
    m.gear("s1", "middle", 18, m_n, centre=(0.0, 0.0, 0.1))
    m.gear("s2", "drum", 54, m_n)
    m.mesh("bevel", "b1", "b2")
    m.mesh("spur", "s1", "s2")
    m.torque("drive", "ground", "motor", Z, 2.0)
    m.torque("brake", "ground", "drum", X, 7.0)
    data = m.run(0.1, 0.02, 1e-3)
    w = data["angular_velocity"].to_numpy()[-1]
    inertia = J[0] + J[1] / 4.0 + J[2] / 36.0
    # which way the drum turns: forward motor (z) turns the middle by -1/2 about x at the contact (x = r_1, z = r_2)
    ratio = w[2, 0] / w[0, 2]
    assert abs(ratio) == pytest.approx(1.0 / 6.0, rel=1e-9)
    assert w[0, 2] == pytest.approx((2.0 + 7.0 * ratio) / inertia * 0.1, rel=1e-6)  # constant acceleration
    v_1 = np.cross(w[0], [r_1, 0.0, r_2] - at_1)
    v_2 = np.cross(w[1], [r_1, 0.0, r_2] - at_2)
    assert v_1 == pytest.approx(v_2, abs=1e-9)  # one velocity at the pitch point


@pytest.mark.thorough  # turns: test_mechanisms_at_extremes
def test_positions_over_many_turns():
    """Four turns of a pinion in steps of 0.4: rolls count on, the wheel is where its teeth say."""
    m = TwoWays()
    m.body("a")
    m.body("b", position=(0.1, 0.0, 0.0))
    m.joint("drive", "prescribed_revolute", "ground", "a", axis=Z, speed=2.0 * math.pi)
    m.joint("hinge", "revolute", "ground", "b", point=(0.1, 0.0, 0.0), axis=Z)
    m.gear("one", "a", 20, 4e-3)
    m.gear("two", "b", 30, 4e-3)
    m.mesh("mesh", "one", "two")
    m.torque("load", "ground", "b", Z, 10.0)
    data = m.kinematics(duration=4.0, positions=11)
    t = data["time"].to_numpy()
    assert np.abs(data["roll"].to_numpy()[:, 0, 0]) == pytest.approx(2.0 * math.pi * t, abs=1e-9)
    wheel = data["rotation_vector"].sel(body="b").to_numpy()[:, 2]
    assert np.exp(1j * wheel) == pytest.approx(np.exp(-2j * math.pi * t * 2.0 / 3.0), abs=1e-8)
