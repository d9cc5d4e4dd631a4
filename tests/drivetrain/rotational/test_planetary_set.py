"""Planetary sets by their teeth: speeds in all operating modes, losses, load sharing, vibrations, phases."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import cos, pi

import numpy as np
import pytest
from small_trains import missing, moved

import alegear as ag
from alegear.drivetrain.planar import CoulombFriction, LinearSpring, PeriodicFactor
from alegear.drivetrain.rotational.gears import PlanetaryGear
from alegear.drivetrain.rotational.planet_springs import PlanetMesh, mesh_averages
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.rotational.sources import Resistance, SpeedSource, TorqueSource
from alegear.errors import Fault
from alegear.geometry import PlanetaryTeeth
from alegear.system import SystemBuilder
from alegear.system.bodies import Rotor1D

#: Planetary stage of the REXS sample files, 4 mm modules.
REXS = PlanetaryTeeth(sun=17, planets=(22,), ring=61, n_planets=3, m_n=4e-3)
#: First stage of the 5 MW reference gearbox of NREL.
NREL = PlanetaryTeeth(
    sun=19,
    planets=(17,),
    ring=56,
    n_planets=3,
    m_n=45e-3,
    a_w=(0.863,),
    tip_diameters={"sun": 0.978808, "planet": 0.905470, "ring": 2.475118},
)
STEPPED = PlanetaryTeeth(sun=20, planets=(30, 18), ring=68, stepped=True, n_planets=2, m_n=2e-3)
PAIRS = PlanetaryTeeth(sun=24, planets=(14, 14), ring=66, n_planets=3, m_n=2e-3)
RAVIGNEAUX = PlanetaryTeeth(sun=24, second_sun=30, planets=(14, 18), ring=66, n_planets=3, m_n=2e-3)
WOLFROM = PlanetaryTeeth(sun=20, ring=60, second_ring=59, planets=(20, 19), stepped=True, n_planets=1, m_n=2e-3)
ALL = {"rexs": REXS, "nrel": NREL, "stepped": STEPPED, "pairs": PAIRS, "ravigneaux": RAVIGNEAUX, "wolfrom": WOLFROM}
SAME = 1e-12  # of speeds: round-off of a few products
INERTIA = {"sun": 0.1, "second_sun": 0.2, "ring": 0.4, "second_ring": 0.3, "carrier": 0.7}


def set_of(teeth: PlanetaryTeeth, held: str | None = None, **more) -> PlanetaryGearSet:
    """A set whose gears sit on rotors of their names, one of them perhaps on the ground."""
    places = {name: "ground" if name == held else name for name in (*teeth.central, "carrier")}
    return PlanetaryGearSet(**{"name": "st", "teeth": teeth, **places, **more})


def with_short_rings(teeth: PlanetaryTeeth) -> PlanetaryTeeth:
    """Rings whose teeth do not reach below the base circles of small planets."""
    if teeth.tip_diameters is not None or teeth.m_n is None:
        return teeth
    rings = {name: teeth.m_n * (getattr(teeth, name) - 1.4) for name in teeth.central if name.endswith("ring")}
    return replace(teeth, tip_diameters=rings)


def rotors(teeth: PlanetaryTeeth, held: str | None = None) -> list[Rotor1D]:
    return [Rotor1D(name=n, inertia=INERTIA[n]) for n in (*teeth.central, "carrier") if n != held]


def speed(result, body):
    return result.dataset.speed.sel(body=body).values


def of_set(result, quantity, part="st"):
    data = result.dataset
    return data[quantity].sel(flange=data.flange_part == part)


# ----------------------------------------------------------------------------------------------------- rigid
@pytest.mark.parametrize(("drive", "driven", "held"), list(permutations(("sun", "ring", "carrier"))))
def test_the_six_operating_modes(drive: str, driven: str, held: str) -> None:
    """Hold one, drive one: speeds by the equation of Willis in fractions, the planets' too; powers sum to zero."""
    parts = [
        *rotors(REXS, held),
        set_of(REXS, held, planet_inertia=0.01),
        TorqueSource(name="drive", at=drive, torque=[[0.0, 0.0], [1.0, 10.0]]),
        Resistance(name="load", at=driven, linear=2.0),
    ]
    result = moved(*parts, duration=1.0)
    z_s, z_p, z_r = 17, 22, 61
    against = {
        "sun": Fraction(1),
        "ring": Fraction(-z_s, z_r),
        "carrier": Fraction(0),
        "st planet": Fraction(-z_s, z_p),
    }
    ratio = (against[drive] - against[held]) / (against[driven] - against[held])
    assert abs(speed(result, driven)[-1]) > 1e-2
    np.testing.assert_allclose(speed(result, drive), float(ratio) * speed(result, driven), rtol=SAME)
    planet = (against["st planet"] - against[held]) / (against[driven] - against[held])
    np.testing.assert_allclose(speed(result, "st planet"), float(planet) * speed(result, driven), rtol=SAME)
    power = of_set(result, "power")
    assert float(np.abs(power.sum("flange")).max()) < SAME * float(np.abs(power).max())
    assert missing(result) < 1e-8


def test_planets_turn_with_their_inertia_and_their_mass_with_the_carrier() -> None:
    """The ring held, the sun driven: acceleration from the kinetic energy, by hand."""
    J, m, n, T = 0.01, 3.0, 3, 20.0
    result = moved(
        *rotors(REXS, "ring"),
        set_of(REXS, "ring", planet_inertia=J, planet_mass=m),
        TorqueSource(name="drive", at="sun", torque=T),
        duration=1.0,
    )
    a = 0.5 * 4e-3 * (17 + 22)
    carrier = 1.0 / (1.0 + 61 / 17)
    planet = carrier - (1.0 - carrier) * 17 / 22
    inertia = INERTIA["sun"] + (INERTIA["carrier"] + n * m * a * a) * carrier**2 + n * J * planet**2
    np.testing.assert_allclose(speed(result, "sun"), T / inertia * result.dataset.time.values, rtol=1e-9)


@pytest.mark.parametrize("name", ALL)
def test_speeds_are_those_of_teeth_that_pass(name: str) -> None:
    """By the teeth that pass each mesh against the carrier: rolling without slip, mesh after mesh."""
    teeth = ALL[name]
    held = teeth.central[-1]
    result = moved(
        *rotors(teeth, held),
        set_of(replace(teeth, tip_diameters=None), held, planet_inertia=(0.01, 0.02) if teeth.meshing else 0.01),
        TorqueSource(name="drive", at="sun", torque=5.0),
        duration=0.5,
    )
    omega = {n: 0.0 if n == held else speed(result, n)[-1] for n in (*teeth.central, "carrier")}
    bodies = {gear: teeth.planet_bodies[-i] for i, gear in enumerate(teeth.planet_gears)}
    omega |= {gear: speed(result, f"st {body}")[-1] for gear, body in bodies.items()}
    scale = 100.0 * max(map(abs, omega.values()))
    for mesh in teeth.meshes:
        passed = [z * (omega[gear] - omega["carrier"]) for gear, z in zip(*teeth.gears_of(mesh), strict=True)]
        assert sum(passed) == pytest.approx(0.0, abs=SAME * scale), mesh
    assert missing(result) < 1e-8


def test_ravigneaux_by_hand() -> None:
    """Both sets of Willis with one ring and carrier, both suns of their own sign."""
    u = RAVIGNEAUX.relative_speeds
    assert u["sun"] / u["ring"] == Fraction(66, 24)
    assert u["second_sun"] / u["ring"] == Fraction(-66, 30)
    assert u["planet_2"] / u["second_sun"] == Fraction(-30, 18)
    assert u["planet_1"] / u["sun"] == Fraction(-24, 14)
    assert u["planet_1"] / u["planet_2"] == Fraction(-18, 14)


def test_wolfrom_by_hand() -> None:
    """Ring held, sun over second ring: (1 + z_r1/z_s)/(1 - z_r1 z_p2/(z_p1 z_r2))."""
    u = WOLFROM.relative_speeds
    ratio = (u["sun"] - u["ring"]) / (u["second_ring"] - u["ring"])
    assert ratio == (1 + Fraction(60, 20)) / (1 - Fraction(60 * 19, 20 * 59))


def test_ratios_alone_have_any_teeth() -> None:
    """A printed ratio of 50.4 with steps of 4 and 6 teeth, each planet made for its pin; with a module all alike."""
    given = {"sun": 5, "planets": (4, 6), "ring": 13, "second_ring": 21, "stepped": True, "n_planets": 6}
    u = PlanetaryTeeth(**given).relative_speeds
    assert (u["sun"] - u["ring"]) / (u["second_ring"] - u["ring"]) == Fraction("50.4")
    with pytest.raises(Fault, match="assembly condition"):  # with a module steps stand alike
        PlanetaryTeeth(**given, m_n=1e-3)


def beside_a_shaft_on_bearings(**more) -> ag.Machine:
    """A shaft on bearings drives a shaft on a hinge, on which the sun sits; the ring is held, the carrier loaded."""
    m = ag.Machine("beside a shaft on bearings")
    m.add("in", ag.Shaft(sections=[(0.1, 0.03, 0.0)], rigid=True))
    m.add("out", ag.Shaft(sections=[(0.1, 0.05, 0.0)], position=(0.1, 0.0, 0.0), fixed_axis=True))
    m.add("p", ag.ShaftGear(gear=ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=30e-3), shaft="in", at=0.05))
    m.add("w", ag.ShaftGear(gear=ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=50e-3), shaft="out", at=0.05))
    m.mesh("first", "p", "w", fidelity="rigid")
    for name, at in (("left", 0.0), ("right", 0.1)):
        m.add(name, ag.Bearing(shaft="in", at=at, stiffness=(1e8, 1e8, 1e8, 0, 0), damping=(1e3, 1e3, 1e3, 0, 0)))
    m.add("end", ag.Rotor1D(inertia=0.5))
    m.add("st", ag.PlanetaryGearSet(teeth=REXS, sun="out", ring="ground", carrier="end", planet_inertia=1e-3, **more))
    m.add("motor", ag.Drive(shaft="in", speed=100.0))
    m.add("brake", ag.TorqueLoad(shaft="end", torque=100.0))
    return m


def _lost(eta: float) -> float:
    """Power [W] that the set loses under 100 N m on its carrier."""
    output = 100.0 * (100.0 * 20 / 30) * 17 / 78
    return output * ((1.0 + 61 / 17) / (1.0 + eta * 61 / 17) - 1.0)


@pytest.mark.parametrize("losses", [None, 0.95])
def test_beside_a_shaft_on_bearings_it_turns_and_loses_the_same(losses: float | None) -> None:
    more = {} if losses is None else {"fidelity": "lossy", "stationary_efficiency": losses}
    data = beside_a_shaft_on_bearings(**more).run(duration=0.01).dataset
    sun, carrier = (data.part_torque.sel(flange=f"st/{body}").values for body in ("out", "end"))
    i, eta = 61 / 17, 1.0 if losses is None else losses
    # after the start, which the losses make swing: the planets' inertia takes thousandths
    assert -carrier[-1] / sun[-1] == pytest.approx(1.0 + i * eta, rel=1e-3)
    np.testing.assert_allclose(data.speed.sel(shaft="out"), -100.0 * 20 / 30, rtol=1e-4 if losses else 1e-9)
    stored = data.energy_kinetic + data.energy_elastic
    missing = data.energy_input - data.energy_dissipated - (stored - stored[0])
    assert float(np.abs(missing).max()) < 1e-6 * float(stored[0])
    assert float(data.energy_dissipated[-1]) == pytest.approx(0.01 * _lost(eta), rel=0.02, abs=1e-9)  # the start swings


def test_members_of_an_elastic_set_are_on_one_axis_where_shafts_are_displaced() -> None:
    machine = beside_a_shaft_on_bearings(
        fidelity="elastic", meshes={name: PlanetMesh(spring=LinearSpring(c=1e8)) for name in ("sun", "ring")}
    )
    with pytest.raises(Fault, match=r"distance \[mm\] of out from the axis of carrier end of st"):
        machine.run(duration=0.01)


# ----------------------------------------------------------------------------------------------------- lossy
ETA = 0.95
LOSSES = {"stationary_efficiency": ETA}


def lossy(prescribed: dict[str, float], torques: dict[str, float], teeth=REXS, **more):
    given = {"fidelity": "lossy", "planet_inertia": 0.01, **({} if "mesh_efficiency" in more else LOSSES), **more}
    parts = [*rotors(teeth, more.get("held")), set_of(teeth, **given)]
    parts += [SpeedSource(name=f"drive {n}", at=n, speed=value) for n, value in prescribed.items()]
    parts += [TorqueSource(name=f"torque {n}", at=n, torque=value) for n, value in torques.items()]
    return moved(*parts, duration=0.05)


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("driver", ["sun", "carrier"])
def test_efficiency_with_the_ring_held(driver: str, sense: float) -> None:
    """(1 + i eta)/(1 + i) from sun to carrier, (1 + i)/(1 + i/eta) back, i = z_ring/z_sun."""
    i = 61.0 / 17.0
    load = -50.0 if driver == "sun" else 50.0
    result = lossy({"sun": sense * 30.0}, {"carrier": sense * load}, held="ring")
    power = of_set(result, "power")
    sun, carrier = (power.sel(flange=f"st/{n}").values for n in ("sun", "carrier"))
    into, out = (sun, carrier) if driver == "sun" else (carrier, sun)
    expected = (1.0 + i * ETA) / (1.0 + i) if driver == "sun" else (1.0 + i) / (1.0 + i / ETA)
    np.testing.assert_allclose(-out / into, expected, rtol=1e-9)
    np.testing.assert_allclose(result.dataset.loss.sel(part="st"), into + out, rtol=1e-9)
    assert missing(result) < 1e-8


@pytest.mark.parametrize(
    ("given", "eta_0"),
    [
        ({"mesh_efficiency": 0.985}, 0.985**2),
        ({"mesh_efficiency": (0.98, 0.99)}, 0.98 * 0.99),
        ({"stationary_efficiency": 0.985}, 0.985),
    ],
)
def test_efficiency_of_meshes_and_of_the_stationary_train(given, eta_0) -> None:
    """24/31/87, ring held: (1 + eta_0 87/24)/(1 + 87/24), 0.97666 of two meshes with 0.985 and 0.98824 of one train."""
    teeth = PlanetaryTeeth(sun=24, planets=(31,), ring=87, n_planets=3)
    result = lossy({"sun": 30.0}, {"carrier": -50.0}, teeth=teeth, held="ring", **given)
    power = of_set(result, "power")
    sun, carrier = (power.sel(flange=f"st/{n}").values for n in ("sun", "carrier"))
    expected = (1.0 + eta_0 * 3.625) / 4.625
    np.testing.assert_allclose(-carrier / sun, expected, rtol=1e-9)
    if given == {"mesh_efficiency": 0.985}:
        assert expected == pytest.approx(0.97666, abs=5e-6)
    ratio = {name: given[name] for name in given if not isinstance(given[name], tuple)}
    if ratio:
        by_ratio = PlanetaryGear(name="r", sun="s", ring="r", carrier="c", ratio=3.625, **ratio)
        assert by_ratio.facts["stationary_efficiency"] == pytest.approx([eta_0, eta_0], rel=1e-15)


def test_the_second_branch_has_the_efficiencies_of_its_own_meshes() -> None:
    """Ravigneaux: second sun, planet, ring; sun, both planets, ring."""
    eta = {"sun": 0.99, "ring": 0.98, "second_sun": 0.97, "planets": 0.96}
    names = RAVIGNEAUX.meshes
    made = set_of(RAVIGNEAUX, "carrier", fidelity="lossy", mesh_efficiency=tuple(eta[name] for name in names))
    assert made.facts["stationary_efficiency"] == pytest.approx([0.97 * 0.98] * 2, rel=1e-15)
    assert made.facts["second_stationary_efficiency"] == pytest.approx([0.99 * 0.96 * 0.98] * 2, rel=1e-15)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mesh_efficiency": 0.98, "stationary_efficiency": 0.98}, "leave out stationary_efficiency"),
        ({"losses": 0.98}, "stationary_efficiency=0.98"),
        ({"mesh_efficiency": (0.98, 0.98, 0.98)}, "sun, ring"),
        ({"mesh_efficiency": 1.2}, "at most 1"),
    ],
)
def test_losses_of_a_set_are_said_once_and_by_their_kind(given, words) -> None:
    with pytest.raises(Fault, match=re.escape(words)):
        set_of(REXS, fidelity="lossy", **given)


def test_number_of_meshes_of_a_set_with_a_negative_ratio_is_not_known() -> None:
    with pytest.raises(Fault, match="give stationary_efficiency"):
        PlanetaryGear(name="r", sun="s", ring="r", carrier="c", ratio=-2.0, mesh_efficiency=0.98)


@pytest.mark.parametrize("torque", [30.0, -30.0])
def test_block_movement_loses_nothing(torque: float) -> None:
    result = lossy({"sun": 12.0, "ring": 12.0}, {"carrier": torque})
    np.testing.assert_allclose(speed(result, "st planet"), 12.0, rtol=SAME)
    assert float(np.abs(result.dataset.loss.sel(part="st")).max()) == 0.0


def test_each_branch_of_a_compound_set_has_its_losses() -> None:
    """Ravigneaux, carrier held, sun drives the ring: the second sun runs free, without losses."""
    parts = [
        *rotors(RAVIGNEAUX, "carrier"),
        set_of(RAVIGNEAUX, "carrier", fidelity="lossy", stationary_efficiency=ETA),
        SpeedSource(name="drive", at="sun", speed=30.0),
        TorqueSource(name="load", at="ring", torque=-50.0),
    ]
    result = moved(*parts, duration=0.05)
    power = of_set(result, "power")
    sun, ring = (power.sel(flange=f"st/{n}").values for n in ("sun", "ring"))
    np.testing.assert_allclose(-ring / sun, ETA, rtol=1e-9)


# ----------------------------------------------------------------------------------------------------- elastic
K_SUN, K_RING, J_P, M_P = 6.592e9, 7.887e9, 156.0282, 1500.937
SPRINGS = {
    "sun": PlanetMesh(spring=LinearSpring(c=K_SUN, damping=3e6)),
    "ring": PlanetMesh(spring=LinearSpring(c=K_RING, damping=3e6)),
}
#: Springs whose teeth rub, and ask for the path of contact.
RUBBING = {mesh: replace(one, friction=CoulombFriction(mu_sliding=0.05)) for mesh, one in SPRINGS.items()}


def elastic(held: str | None = None, **more) -> PlanetaryGearSet:
    given = {"planet_inertia": J_P, "planet_mass": M_P, "meshes": SPRINGS, "fidelity": "elastic", **more}
    return set_of(NREL, held, **given)


def shares(pin_errors) -> np.ndarray:
    """Forces of the sun's meshes at rest under 4 MN m on the carrier; the ring is held, and a brake holds the sun."""
    result = moved(
        Rotor1D(name="carrier", inertia=1000.0),
        Rotor1D(name="sun", inertia=200.0),
        SpeedSource(name="brake", at="sun", speed=0.0),
        elastic(held="ring", planet_mass=0.0, pin_errors=pin_errors),
        TorqueSource(name="load", at="carrier", torque=[[0.0, 0.0], [0.05, -4e6]]),
        duration=1.0,
        output_every=0.05,
    )
    assert missing(result) < 1e-8
    l_s = mesh_averages(NREL, "sun").l_A
    torques = [of_set(result, "torque", f"st sun planet {i}").sel(flange=f"st sun planet {i}/sun") for i in (1, 2, 3)]
    return np.array([float(one[-1]) for one in torques]) / l_s


def test_three_planets_share_the_load_equally() -> None:
    forces = shares(None)
    l_s = mesh_averages(NREL, "sun").l_A
    np.testing.assert_allclose(forces, forces[0], rtol=1e-9)
    # the torque of the carrier over both central gears by their teeth
    np.testing.assert_allclose(forces.sum() * l_s, 4e6 * 19 / 75, rtol=1e-8)


def test_a_pin_that_stands_ahead_carries_less() -> None:
    """F_i = k (U - e_i (cos alpha_s + cos alpha_r)), k of both meshes in series, the sum as the torque asks."""
    errors = np.array([0.0, 0.0, 30e-6])
    forces = shares(tuple(errors))
    sun, ring = mesh_averages(NREL, "sun"), mesh_averages(NREL, "ring")
    k = K_SUN * K_RING / (K_SUN + K_RING)
    given = k * errors * (cos(sun.alpha) + cos(ring.alpha))
    total = 4e6 * 19 / 75 / sun.l_A
    np.testing.assert_allclose(forces, (total + given.sum()) / 3.0 - given, rtol=1e-7)
    assert forces[2] < 0.9 * forces[0]


def model_of(*parts):
    builder = SystemBuilder()
    builder.add(*parts)
    return builder.build()


def test_vibrations_are_those_of_the_torsional_model() -> None:
    """Sun, ring, carrier and planets that turn: eigenvalues by hand, and the planets' own in closed form."""
    J = {"sun": 214.7, "ring": 13700.0, "carrier": 5800.0}
    model = model_of(*(Rotor1D(name=n, inertia=j) for n, j in J.items()), elastic())
    names = [model.names.index(n) for n in ("sun", "ring", "carrier", "st planet 1", "st planet 2", "st planet 3")]
    x = np.zeros(model.n)
    x[model.names.index("sun")] = 1e-3
    for i in (1, 2, 3):
        x[model.names.index(f"st planet {i}")] = -1e-4  # all flanks touch
    K = np.zeros((model.n, model.n))
    for element in model.elements:
        at = element.coordinates
        K[np.ix_(at, at)] -= element.evaluate(0.0, x[at], 0.0 * x[at], None).by_x
    found = np.sort(np.linalg.eigvals(np.linalg.solve(model.mass, K)).real)
    # by hand: sun, ring, carrier, planets; base radii from the teeth
    a_s, a_r, a = NREL.alpha_wt("sun"), NREL.alpha_wt("ring"), 0.863
    l_s, l_p, l_r = a * 19 / 36 * cos(a_s), a * 17 / 36 * cos(a_s), a * 56 / 39 * cos(a_r)
    assert l_p == pytest.approx(a * 17 / 39 * cos(a_r), rel=1e-12)  # one base circle
    by_hand = np.zeros((6, 6))
    for i in range(3):
        sun, ring = np.zeros(6), np.zeros(6)
        sun[0], sun[2], sun[3 + i] = l_s, -(l_s + l_p), l_p
        ring[1], ring[2], ring[3 + i] = -l_r, l_r - l_p, l_p
        by_hand += K_SUN * np.outer(sun, sun) + K_RING * np.outer(ring, ring)
    M = np.diag([J["sun"], J["ring"], J["carrier"] + 3 * M_P * a * a, J_P, J_P, J_P])
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(M, by_hand)).real)
    np.testing.assert_allclose(model.mass[np.ix_(names, names)], M, rtol=1e-14)
    np.testing.assert_allclose(found, expected, atol=1e-10 * expected[-1])
    assert np.abs(expected[:2]).max() < 1e-9 * expected[-1]  # two speeds are free
    planets = (K_SUN + K_RING) * l_p**2 / J_P  # planets against each other, central gears at rest
    assert np.isclose(found, planets, rtol=1e-9).sum() == 2


@pytest.mark.parametrize("name", ALL)
def test_elastic_meshes_do_not_deform_while_all_rolls(name: str) -> None:
    """The rates of all overlaps at the speeds of the rigid set, and at those with which a motion begins."""
    teeth = with_short_rings(ALL[name])
    one = {mesh: PlanetMesh(spring=LinearSpring(c=1e8)) for mesh in teeth.meshes}
    inertia = (0.01, 0.02) if teeth.meshing else 0.01
    planetary = set_of(teeth, fidelity="elastic", planet_inertia=inertia, meshes=one)
    model = model_of(*rotors(teeth), planetary)
    u, v = teeth.relative_speeds, np.zeros(model.n)
    for i, body in enumerate(model.names):
        member = body if body in u else body.split()[1]
        v[i] = 3.0 + 7.0 * float(u[member])
    assert len(model.elements) == teeth.n_planets * len(teeth.meshes)
    for element in model.elements:
        assert element.rows[0] @ v[element.coordinates] == pytest.approx(0.0, abs=1e-14)


def test_planets_begin_rolling() -> None:
    """Sun and carrier have speeds at the start: planets have theirs, and nothing vibrates."""
    ring = (12.0 - 20.0) * 17 / 61
    result = moved(
        Rotor1D(name="sun", inertia=1.0, speed=20.0),
        Rotor1D(name="ring", inertia=4.0, speed=12.0 + ring),
        Rotor1D(name="carrier", inertia=2.0, speed=12.0),
        set_of(
            REXS,
            fidelity="elastic",
            planet_inertia=0.01,
            meshes={name: PlanetMesh(spring=LinearSpring(c=1e8)) for name in ("sun", "ring")},
        ),
        duration=0.1,
    )
    np.testing.assert_allclose(speed(result, "sun"), 20.0 + 0.0 * speed(result, "sun"), atol=1.0)
    for i in (1, 2, 3):
        assert speed(result, f"st planet {i}")[0] == pytest.approx(12.0 - (20.0 - 12.0) * 17 / 22, rel=SAME)


FACTOR = (1.0, 1.1, 0.9, 0.8)


@pytest.mark.parametrize("name", ["rexs", "nrel", "pairs", "ravigneaux"])
def test_phases_are_those_of_the_turned_set(name: str) -> None:
    """A central gear that has turned from pin to pin shows the next planet what the first one saw."""
    teeth = with_short_rings(ALL[name])
    if teeth.a_w is not None:
        teeth = replace(teeth, profile_shifts={"planet": 0.8021})  # as KISSsoft's report has it
    meshes = {}
    for mesh in teeth.meshes:
        averages, z = mesh_averages(teeth, mesh), teeth.gears_of(mesh)[1][0]
        factor = PeriodicFactor(period=2.0 * pi * averages.r_A / z, values=FACTOR, start=1e-4)
        meshes[mesh] = PlanetMesh(
            spring=LinearSpring(c=1e8, factor=factor), friction=CoulombFriction(mu_sliding=0.05, factor=factor)
        )
    planetary = set_of(
        teeth,
        fidelity="elastic",
        planet_inertia=(0.01, 0.02) if teeth.meshing else 0.01,
        meshes=meshes,
    )
    made = {mesh.name: mesh for mesh in planetary.elastic_meshes()}
    for mesh in teeth.central:
        z = getattr(teeth, mesh)
        radius = abs(teeth.pitch_radii(mesh)[teeth.gears_of(mesh)[0].index(mesh)])
        for pin, turn in enumerate(teeth.branches[-1].gears.pin_turns):
            one = made[f"st {mesh.replace('_', ' ')} planet {pin + 1}"]
            first = made[f"st {mesh.replace('_', ' ')} planet 1"]
            x = 2.0 * pi * radius * float(turn)
            for law, of_first in ((one.spring, first.spring), (one.friction, first.friction)):
                for at in (0.0, 1e-3, 2.3e-3):
                    assert law.factor.at(x + at) == pytest.approx(of_first.factor.at(at), rel=1e-9)
        if len(teeth.branches) == 1:
            gears = teeth.branches[0].gears
            # of A in the sense in which it turns; C turns the other way against the carrier where i_0 < 0
            backwards = mesh == gears.A or gears.i0 > 0
            phases = gears.mesh_phases()[mesh]
            assert teeth.lags(mesh) == tuple((-p if backwards else p) % 1 for p in phases), (mesh, z)


def test_a_factor_of_another_period() -> None:
    factor = PeriodicFactor(period=1e-2, values=FACTOR)
    meshes = SPRINGS | {"sun": PlanetMesh(spring=LinearSpring(c=1e8, factor=factor))}
    with pytest.raises(Fault, match=r"period of a factor of mesh sun of st \[mm\] = 10: must be the circular pitch"):
        elastic(meshes=meshes)


def test_with_friction_and_position_the_account_of_energy_closes() -> None:
    averages = mesh_averages(REXS, "sun")
    factor = PeriodicFactor(period=2.0 * pi * averages.r_A / 17, values=FACTOR)
    friction = CoulombFriction(mu_sliding=0.05)
    meshes = {
        "sun": PlanetMesh(spring=LinearSpring(c=1e8, damping=1e3, factor=factor, backlash=20e-6), friction=friction),
        "ring": PlanetMesh(spring=LinearSpring(c=1.2e8, damping=1e3), friction=friction),
    }
    result = moved(
        *rotors(REXS, "ring"),
        set_of(REXS, "ring", fidelity="elastic", planet_inertia=0.01, meshes=meshes, pin_errors=(0.0, 1e-6, -1e-6)),
        TorqueSource(name="drive", at="sun", torque=[[0.0, 0.0], [0.05, 40.0]]),
        Resistance(name="load", at="carrier", linear=5.0),
        duration=0.3,
        tolerance=1e-12,
    )
    assert missing(result) < 1e-8
    assert (result.dataset.loss.values > -1e-9).all()
    assert float(result.dataset.energy_dissipated[-1]) > 0.0


# ----------------------------------------------------------------------------------------------------- wrong input
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"fidelity": "flexible"}, "of planetary set st = \"flexible\": must be rigid, lossy, elastic or teeth"),
        ({"fidelity": "soft"}, "fidelity of planetary set st"),
        ({"sun": None}, "sun of planetary set st = not given: must be named"),
        ({"second_sun": "x"}, "second_sun of planetary set st = 'x': must be left out"),
        ({"sun": "carrier"}, "shafts of st"),
        ({"losses": 0.9}, "losses of planetary set st = given: must be left out"),
        ({"fidelity": "lossy"}, "losses of planetary set st = not given"),
        ({"fidelity": "elastic"}, "meshes of planetary set st = not given"),
        ({"pin_errors": (0.0, 0.0, 0.0)}, "pin_errors of planetary set st"),
        ({"planet_inertia": -1.0}, r"inertia of a planet \[kg m2\] = -1.0"),
        ({"planet_inertia": (1.0, 2.0)}, "number of values of planet_inertia of st = 2: must be one"),
        ({"planet_mass": 1.0, "carrier": "ground"}, "planet_mass of st"),
        ({"planet_mass": 1.0, "teeth": PlanetaryTeeth(sun=17, planets=(22,), ring=61, n_planets=3)}, "normal module"),
        ({"fidelity": "lossy", "losses": [[0.0, 1.2, 0.9, 0.0, 0.0]]}, "eta_mf1 in row 1 of a loss table of planetary"),
    ],
)  # fmt: skip
def test_sets_that_cannot_be(changed, words) -> None:
    with pytest.raises(Fault, match=words) as caught:
        set_of(**{"teeth": REXS, **changed})
    assert ": must be " in str(caught.value)
    assert "; " in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"planet_inertia": 0.0}, "planet_inertia of st"),
        ({"meshes": {"sun": SPRINGS["sun"]}}, "mesh ring of st = not given"),
        ({"meshes": SPRINGS | {"planets": SPRINGS["sun"]}}, "mesh of st = 'planets'"),
        ({"pin_errors": (0.0, 1e-6)}, "number of pin_errors of st = 2: must be 3"),
        (
            {"teeth": replace(NREL, tip_diameters={"planet": 0.905470}), "meshes": RUBBING},
            "tip diameters of the sun and the ring = not given: must be given for the friction of the teeth",
        ),
        ({"teeth": PlanetaryTeeth(sun=17, planets=(22,), ring=61, n_planets=3)}, "normal module of"),
    ],
)
def test_elastic_sets_that_cannot_be(changed, words) -> None:
    with pytest.raises(Fault, match=words):
        set_of(**{"teeth": NREL, "fidelity": "elastic", "planet_inertia": 1.0, "meshes": SPRINGS, **changed})
