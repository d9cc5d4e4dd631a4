"""Rolling bearings between two rings: loads by the sums of ISO/TS 16281, tangents, kinematics, limits."""

import time
from math import pi, radians, sin

import numpy as np
import pytest

import alegear as ag
from alegear.drivetrain.bearing_defect import DefectShape, fall
from alegear.drivetrain.rolling import rolling_kernels as kernels
from alegear.drivetrain.rolling.element import contacts_at
from alegear.errors import Fault
from alegear.system import SystemBuilder
from alegear.system.energy import SystemEnergy
from alegear.system.motion import SystemMotion
from alegear.system.time_integration import AdaptiveStep, GeneralizedAlpha, integrate
from alegear.system.time_integration.second_order_system import start

PLACE = {"name": "b", "shaft": "s", "at": 0.0}
ROLLERS = {"count": 14, "diameter": 10e-3, "pitch_diameter": 60e-3, "length": 12e-3}
BALLS = {"count": 9, "diameter": 12.7e-3, "pitch_diameter": 65e-3}
DEFECTS = (
    ag.BearingDefect(on="outer ring", at=0.3, width=2e-3, depth=40e-6),
    ag.BearingDefect(on="inner ring", at=-0.4, width=3e-3, depth=15e-6),
    ag.BearingDefect(on="roller", at=1.0, width=2e-3, depth=60e-6, roller=3),
)


def rollers(**changes) -> ag.RollerBearing:
    return ag.RollerBearing(**(PLACE | ROLLERS | changes))


def balls(**changes) -> ag.BallBearing:
    return ag.BallBearing(**(PLACE | BALLS | changes))


#: Made where they are asked for: a preload is checked by compiled code.
BEARINGS = {
    "rollers": lambda: rollers(clearance=20e-6),
    "crowned rollers": lambda: rollers(clearance=10e-6, profile="logarithmic", cage_angle=0.2, defects=DEFECTS),
    "balls": lambda: balls(clearance=12e-6),
    "angular contact": lambda: balls(contact_angle=radians(25.0), clearance=-4e-6, defects=DEFECTS),
    "grooves": lambda: balls(contact_angle=radians(-15.0), clearance=5e-6, inner_groove=6.5e-3, outer_groove=6.7e-3),
}


# --------------------------------------------------------------------- statics
def test_damper_carries_too():
    bearing = rollers(damping=(10.0, 20.0, 30.0))
    builder = SystemBuilder()
    builder.rotor("s@0mm", inertia=1.0, mass=1.0, tilt_inertia=1.0)
    bearing.add_to(builder)
    model = builder.build()
    v = np.zeros((1, model.n))
    v[0, [one.direction for one in model.coordinates].index("y")] = 0.5
    assert bearing.carried(model, np.zeros((1, model.n)), v)[0] == pytest.approx([0.0, 10.0, 0.0, 0.0, 0.0])
    assert model.owner("b damper") == "b"


# -------------------------------------------------------------------- tangents
@pytest.mark.parametrize("name", BEARINGS)
def test_gradient_and_hessian_are_derivatives(name):
    """In all displacements and both rotations; 1e-6 of the largest entry, steps that no contact begins in."""
    bearing = BEARINGS[name]()
    rng = np.random.default_rng(5)
    size = np.array([3e-5, 3e-5, 3e-5, 5e-4, 5e-4, 0.02, 0.02])
    tried = 0
    while tried < 12:
        y = np.concatenate([rng.normal(size=3) * 3e-5, rng.normal(size=2) * 5e-4, rng.normal(size=2) * 3.0])
        y[kernels.X] += 6e-5  # pressed
        _, gradient, hessian, _ = contacts_at(bearing.tables, y)
        g, H, steady = np.zeros(7), np.zeros((7, 7)), True
        for k in range(7):
            values = []
            for h in (-2, -1, 1, 2):
                moved = y.copy()
                moved[k] += h * 1e-4 * size[k]
                values.append(contacts_at(bearing.tables, moved))
                steady &= bool(((values[-1][3] > 0.0) == (contacts_at(bearing.tables, y)[3] > 0.0)).all())
            weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * 1e-4 * size[k])
            g[k] = weights @ [one[0] for one in values]
            H[:, k] = np.tensordot(weights, [one[1] for one in values], axes=1)
        if not steady or not gradient.any() or _near_touch(bearing, y):
            continue
        tried += 1
        assert np.abs((g - gradient) * size).max() < 1e-6 * np.abs(gradient * size).max()
        scaled = np.outer(size, size)
        assert np.abs((H - hessian) * scaled).max() < 1e-6 * np.abs(hessian * scaled).max()
        assert hessian == pytest.approx(hessian.T, rel=1e-9, abs=1e-9 * np.abs(hessian).max())


def _near_touch(bearing, y: np.ndarray) -> bool:
    """Whether a lamina is about to touch: there the slope of its force, over delta^(1/9), is not to be differenced."""
    if isinstance(bearing, ag.BallBearing):
        loads = contacts_at(bearing.tables, y)[3]
        return bool((loads[loads > 0.0] < 0.1).any())
    z, gap = bearing.tables.laminae.T
    angle = bearing.kinematics.cage_angle(y[5], y[6]) + 2.0 * pi * np.arange(bearing.count) / bearing.count
    delta = -0.5 * bearing.clearance + y[0] * np.cos(angle) + y[1] * np.sin(angle)
    spread = np.outer(y[4] * np.cos(angle) - y[3] * np.sin(angle), z) + delta[:, None] - gap
    return bool((np.abs(spread) < 1e-7).any())


def test_element_hands_on_its_potential():
    """Between two rotors on crossed axes of coordinates: Q and by_x of the element by differences of its energy."""
    builder = SystemBuilder()
    builder.rotor("s@0mm", inertia=1.0, mass=1.0, tilt_inertia=1.0)
    builder.rotor(
        "h", inertia=1.0, mass=1.0, tilt_inertia=1.0, axes=[[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    )
    bearing = rollers(to="h", clearance=5e-6, defects=DEFECTS)
    bearing.add_to(builder)
    model = builder.build()
    (element,) = model.elements
    data, rng = element.new_data(), np.random.default_rng(2)
    size = np.array([1e-5 if model.coordinates[i].unit == "m" else 1e-4 for i in element.coordinates])
    x = 3.0 * rng.normal(size=len(size)) * size
    forces = element.evaluate(0.0, x, 0.0 * x, data)
    assert forces.Q.any()
    for k, h in enumerate(1e-3 * size):
        step = np.zeros(len(x))
        step[k] = h
        ahead, back = (element.evaluate(0.0, x + s * step, 0.0 * x, data) for s in (1.0, -1.0))
        assert (back.response - ahead.response) / (2.0 * h) == pytest.approx(
            forces.Q[k], rel=1e-5, abs=1e-5 * abs(forces.Q).max()
        )
        misfit = (ahead.Q - back.Q) / (2.0 * h) - forces.by_x[:, k]
        assert np.abs(misfit * size).max() * size[k] < 1e-6 * np.abs(np.outer(size, size) * forces.by_x).max()
    # action and reaction: what pushes the one pushes the other back, along axes turned by 90 degrees
    Q = dict(zip([model.coordinates[i].name for i in element.coordinates], forces.Q, strict=True))
    assert Q["h x"] == pytest.approx(-Q["s@0mm y"], rel=1e-12)
    assert Q["h y"] == pytest.approx(Q["s@0mm x"], rel=1e-12)


# ------------------------------------------------------------------ kinematics
def test_cage_and_spin_roll_without_sliding():
    """Speeds of the surfaces of races and roller are equal at both contacts, at any speeds of both rings."""
    bearing = balls(contact_angle=radians(20.0))
    kin, gamma = bearing.kinematics, bearing.gamma
    r_i, r_e = 0.5 * bearing.pitch_diameter * (1.0 - gamma), 0.5 * bearing.pitch_diameter * (1.0 + gamma)
    r_w = 0.5 * bearing.diameter
    for inner, outer in ((3.0, 0.0), (-2.0, 1.0), (0.0, 5.0), (1.0, 1.0)):
        cage, spin = kin.by_inner * inner + kin.by_outer * outer, kin.spin * (inner - outer)
        assert (inner - cage) * r_i == pytest.approx(-spin * r_w, abs=1e-15)
        assert (outer - cage) * r_e == pytest.approx(spin * r_w, abs=1e-15)


@pytest.mark.parametrize(
    ("on", "frequency", "speeds"),
    [
        ("outer ring", "outer_race", (0.3, -0.7)),
        ("inner ring", "inner_race", (-1.0, 0.0)),
        ("roller", "roller", (1.0, 0.0)),
        *(
            pytest.param(*one, marks=pytest.mark.thorough)
            for one in (
                ("outer ring", "outer_race", (1.0, 0.0)),
                ("outer ring", "outer_race", (-1.0, 0.0)),
                ("inner ring", "inner_race", (1.0, 0.0)),
                ("inner ring", "inner_race", (0.3, -0.7)),
                ("roller", "roller", (-1.0, 0.0)),
                ("roller", "roller", (0.3, -0.7)),
            )
        ),
    ],
)
def test_defects_are_passed_as_often_as_kinematics_say(on, frequency, speeds):
    """Count the falls of the energy of a preloaded bearing while both rings turn far, in both directions."""
    defect = ag.BearingDefect(on=on, width=1e-3, depth=5e-6)
    bearing = rollers(clearance=-10e-6, defects=[defect])
    turns, n = 40.0, 40000
    angles = np.linspace(0.3, 0.3 + 2.0 * pi * turns, n)
    energy = np.array(
        [contacts_at(bearing.tables, np.array([0.0] * 5 + [speeds[0] * a, speeds[1] * a]))[0] for a in angles]
    )
    fallen = energy < energy.max() * (1.0 - 1e-3)
    count = int((fallen[1:] & ~fallen[:-1]).sum())
    expected = turns * 2.0 * pi * bearing.frequencies(*speeds)[frequency]
    assert abs(count - expected) <= 1.0  # the ends of the interval cut one


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("at", [0.7, -1.1])
@pytest.mark.parametrize(("on", "race"), [("outer ring", None), ("inner ring", None), ("roller", 0.0), ("roller", pi)])
def test_a_defect_strikes_where_it_is_said_to_be(sense, at, on, race):
    """All angles about the shaft: of rings from e1, of a roller from the outer race; it turns by its spin."""
    bearing = rollers(clearance=-10e-6, defects=[ag.BearingDefect(on=on, at=at, width=1e-3, depth=50e-6)])
    kin = bearing.kinematics
    passes = {"outer ring": (kin.by_inner, at), "inner ring": (kin.by_inner - 1.0, at)}  # the first roller, from e1
    rate, target = passes.get(on, (kin.spin, (race or 0.0) - at))
    angle = next(a for k in range(-2, 3) if sense * (a := (target + 2.0 * pi * k) / rate) > 0.0)
    near = angle + np.linspace(-0.02, 0.02, 41)
    y = np.zeros((len(near), kernels.N_Y))
    y[:, kernels.INNER] = near
    loads = bearing.roller_loads(y)[:, 0]
    whole = rollers(clearance=-10e-6).roller_loads(y[20:21])[0, 0]
    assert loads[20] == loads.min()
    assert loads[20] < 0.5 * whole


# --------------------------------------------------------------------- defects
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("width", [0.5e-3, 2e-3, 5e-3])
def test_a_roller_falls_until_it_meets_both_edges(inner, width):
    """A circle against the arc of the race without the pit: how far its centre can move before a point is within."""
    r_w, R = 5e-3, 25e-3 if inner else 35e-3
    deep = ag.BearingDefect(on="inner ring" if inner else "outer ring", width=width, depth=4.9e-3)
    shape = DefectShape.of(deep, roller=r_w, race=R, surface=R, inner=inner)
    angles = np.concatenate([np.linspace(0.5 * width / R, 1.0, 20001), -np.linspace(0.5 * width / R, 1.0, 20001)])
    race = R * np.stack([np.sin(angles), np.cos(angles)], axis=1)

    def free(fallen: float) -> bool:
        centre = R + r_w - fallen if inner else R - r_w + fallen
        return bool((np.hypot(race[:, 0], race[:, 1] - centre) >= r_w * (1.0 - 1e-12)).all())

    low, high = 0.0, 2e-3
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if free(middle) else (low, middle)
    assert shape.depth == pytest.approx(low, rel=1e-6)
    assert shape.depth <= (r_w - np.sqrt(r_w**2 - 0.25 * width**2)) * (1.0 if not inner else 1.0 + r_w / R * 1.1)
    assert shape.ramp == shape.half == 0.5 * width


def test_a_shallow_pit_has_a_floor():
    shallow = ag.BearingDefect(on="outer ring", width=4e-3, depth=10e-6)
    shape = DefectShape.of(shallow, roller=5e-3, race=35e-3, surface=35e-3, inner=False)
    assert shape.depth == 10e-6
    assert shape.ramp < shape.half == 2e-3
    assert fall(2.0 * 35e-3 * sin(shape.ramp / 35e-3), 5e-3, 35e-3, inner=False) == pytest.approx(10e-6, rel=1e-9)


# ---------------------------------------------------------------------- motion
@pytest.mark.parametrize(
    "bearing",
    [rollers(clearance=10e-6, defects=DEFECTS[:1]), pytest.param(balls(clearance=8e-6), marks=pytest.mark.thorough)],
)
def test_energy_closes_in_a_motion(bearing):
    """An undamped heavy rotor falls into its bearing while it turns over a defect: closes as steps are refined."""
    balance = {}
    for tolerance in (1e-5, 1e-7):
        builder = SystemBuilder()
        builder.gravity((0.0, -9.81, 0.0))
        builder.rotor("s@0mm", inertia=2e-2, mass=30.0, tilt_inertia=1e-2)
        bearing.add_to(builder)
        model = builder.build()
        system, energy = SystemMotion(model), SystemEnergy()
        v = np.zeros(model.n)
        v[0] = 200.0
        state = start(system, t=0.0, q=np.zeros(model.n), v=v)
        energy.carry_on(system, state)
        first = energy.kinetic + energy.stored
        worst, most = 0.0, 0.0

        def look(now, energy=energy, system=system, first=first):
            nonlocal worst, most
            energy.carry_on(system, now)
            worst = max(worst, abs(energy.kinetic + energy.stored - energy.input - first))
            most = max(most, energy.stored)

        control = AdaptiveStep(tolerance=tolerance, h_max=2e-5)
        integrate(system, state, 0.02, scheme=GeneralizedAlpha(rho_inf=1.0), control=control, on_step=look)
        assert most > 1e-4  # it did meet its bearing
        balance[tolerance] = worst / most
    assert balance[1e-7] < 1e-3
    assert balance[1e-7] < 0.5 * balance[1e-5]


def test_an_evaluation_is_short():
    """Two bearings of 14 rollers and 30 laminae; a bound that only a slip into Python passes."""
    bearing, y = rollers(clearance=10e-6), np.array([4e-5, 1e-5, 0.0, 1e-4, 0.0, 0.4, 0.0])
    contacts_at(bearing.tables, y)
    begun = time.perf_counter()
    for _ in range(200):
        contacts_at(bearing.tables, y)
    assert (time.perf_counter() - begun) / 200 < 1e-3


# --------------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rollers(count=20), "pitch diameter"),
        (lambda: rollers(count=3), "rollers"),
        (lambda: rollers(clearance=-0.3e-3), "4000 MPa"),
        (lambda: balls(clearance=-0.3e-3), "4200 MPa"),
        (lambda: balls(clearance=2e-3), "does not touch its grooves"),
        (lambda: balls(inner_groove=6e-3), "inner_groove_radius_mm"),
        (lambda: rollers(length=30e-3, profile="logarithmic"), "2.5 diameters"),
        (lambda: rollers(profile="crowned"), "straight"),
        (lambda: rollers(damping=(1.0, 2.0)), "damping of bearing b"),
        (lambda: rollers(damping=(1.0, -2.0, 0.0)), "damping of bearing b"),
        (
            lambda: rollers(defects=[ag.BearingDefect(on="outer ring", width=16e-3, depth=1e-5)]),
            "the pitch of 14 rollers",
        ),
        (
            lambda: rollers(defects=[ag.BearingDefect(on="roller", width=8e-3, depth=1e-5)]),
            "quarter of its circumference",
        ),
        (lambda: rollers(defects=[ag.BearingDefect(on="roller", width=1e-3, depth=6e-3)]), "radius of a roller"),
        (lambda: rollers(defects=[ag.BearingDefect(on="roller", width=1e-3, depth=1e-5, roller=15)]), "at most 14"),
        (lambda: rollers(defects=[3.0]), "defects of bearing b"),
        (lambda: ag.BearingDefect(on="outer ring", width=1e-3, depth=1e-5, roller=2), "every roller passes it"),
        (lambda: ag.BearingDefect(on="cage", width=1e-3, depth=1e-5), "outer ring"),
        (lambda: ag.BearingDefect(on="roller", width=0.0, depth=1e-5), "width of the defect"),
    ],
)
def test_what_no_bearing_is(make, message):
    with pytest.raises(Fault, match=message):
        make()


def test_preload_up_to_the_static_rating_is_taken():
    """The pressure that the message tells is that of the load by the constants of the standard."""
    limit = 4000e6
    curvatures = 2.0 / 10e-3 + 2.0 / 50e-3
    load = limit**2 * 2.0 * pi * (1.0 - 0.3**2) / (207e9 * curvatures) * 12e-3
    clearance = -2.0 * rollers().approach(load)
    assert rollers(clearance=0.999 * clearance).clearance < 0.0
    with pytest.raises(Fault, match="enlarge clearance_um"):
        rollers(clearance=1.001 * clearance)
