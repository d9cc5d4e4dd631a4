"""A pinion in a ring as a mesh of a machine: forces, senses, phases, either gear named first, rigid, lossy, elastic."""

import itertools
import math
from math import cos, pi, radians, sin, tan

import numpy as np
import pytest
from families import mostly_thorough
from scipy.spatial import cKDTree

import alegear as ag
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.gear_mesh import GearMesh, MeshPlace
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.layout import Layout
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.shaft import Shaft
from alegear.errors import NotInThisVersion
from alegear.geometry import BasicRack, Gear, GearPair, InternalGear
from alegear.geometry.iso_6336_stiffness import single_stiffness

LAWS = (("rigid", {}), ("elastic", {}), ("lossy", {"mesh_efficiency": 0.97}), ("teeth", {}))
CLOSER = 0.1e-3  # than without backlash


def gears(beta: float) -> tuple[Gear, InternalGear]:
    common = {"m_n": 4e-3, "b": 30e-3, "beta": beta}
    pinion = Gear(z=24, rack=BasicRack(root_radius_factor=0.15), bore_diameter=40e-3, **common)
    return pinion, InternalGear(z=61, rim_diameter=330e-3, **common)


def machine(beta: float, order: tuple[str, str], word: str, given: dict[str, float], drive: str) -> ag.MachineCase:
    pinion, ring = gears(beta)
    a = abs(GearPair(pinion=pinion, wheel=ring).a_w) - CLOSER
    sections = [[60e-3, 30e-3, 0.0]]
    shafts = [
        Shaft(name="in", sections=sections, rigid=True),
        Shaft(name="out", sections=sections, rigid=True, position=(a, 0.0, 0.0)),
    ]
    return ag.MachineCase(
        shafts=tuple(shafts),
        gears=(
            ShaftGear(name="p", shaft="in", at=30e-3, gear=pinion),
            ShaftGear(name="r", shaft="out", at=30e-3, gear=ring),
        ),
        meshes=(GearMesh(name="m", gears=order, law=law_of(word, "m", **given)),),
        bearings=tuple(
            Bearing(name=f"{shaft} {at}", shaft=shaft, at=at, stiffness=[1e8, 1e8, 1e8, 0.0, 0.0])
            for shaft in ("in", "out")
            for at in (0.0, 60e-3)
        ),
        drives=(Drive(name="d", shaft=drive),),
        loads=(TorqueLoad(name="l", shaft="in" if drive == "out" else "out", torque=100.0),),
        analysis=ag.MachineStatic(),
    )


@pytest.mark.parametrize(
    ("beta", "drive"),
    [
        pytest.param(0.0, "in", marks=pytest.mark.thorough),
        pytest.param(0.0, "out", marks=pytest.mark.thorough),
        pytest.param(radians(20.0), "in", marks=pytest.mark.thorough),
        (radians(20.0), "out"),
    ],
)
def test_forces_are_those_of_statics_in_every_law_and_order(beta: float, drive: str) -> None:
    """Pinion at the origin, ring to its right: the mesh is on the left, where a driving pinion pushes downwards."""
    pinion, ring = gears(beta)
    for (word, given), order in itertools.product(LAWS, (("p", "r"), ("r", "p"))):
        case = machine(beta, order, word, given, drive)
        pair = case.layout.place("m").pair
        dataset = ag.run(case).dataset
        on_first = np.asarray(dataset["mesh_force"].isel(mesh=0))[0]
        on_pinion = on_first if order[0] == "p" else -on_first
        torque = 100.0 if drive == "out" else 100.0 * pinion.z / -ring.z  # about the pinion's axis
        F_t = torque / (0.5 * abs(pair.d_w[order.index("p")]))
        side = 1.0 if drive == "in" else -1.0
        beta_w = np.arctan(tan(beta) * cos(pair.alpha_t) / cos(pair.alpha_wt))
        expected = [F_t * tan(pair.alpha_wt), side * F_t, side * F_t * tan(beta_w)]
        # axes give way by up to 15 um of 74 mm, and the line of action of teeth in contact turns with them
        assert on_pinion == pytest.approx(expected, rel=5e-4), (word, order)


@pytest.mark.parametrize(
    ("senses", "order"),
    mostly_thorough(
        itertools.product(itertools.product((1.0, -1.0), repeat=3), (("p", "r"), ("r", "p"))),
        always=lambda one: math.prod(one[0]) == (1.0 if one[1] == ("p", "r") else -1.0),
    ),
)
def test_ring_turns_with_its_pinion_and_their_flanks_touch(order: tuple[str, str], senses: tuple[float, ...]) -> None:
    """The profiles in space, as the phases have them: the nearest points of the flanks that carry touch."""
    pinion, ring = gears(0.0)
    a = abs(GearPair(pinion=pinion, wheel=ring).a_w) - CLOSER
    way, other_way, speed = senses
    shafts = [
        Shaft(name="in", fixed_axis=True, direction=(0.0, 0.0, way)),
        Shaft(name="out", fixed_axis=True, position=(a, 0.0, 0.0), direction=(0.0, 0.0, other_way)),
    ]
    layout = Layout(
        shafts=shafts,
        gears=[
            ShaftGear(name="p", shaft="in", at=0.0, gear=pinion),
            ShaftGear(name="r", shaft="out", at=0.0, gear=ring),
        ],
        meshes=[GearMesh(name="m", gears=order, law=law_of("rigid", "m"))],
        drives=[Drive(name="d", shaft="in", speed=100.0 * speed)],
        loads=[TorqueLoad(name="l", shaft="out", torque=10.0)],
    )
    assert layout.ratio["out"] / layout.ratio["in"] == pytest.approx(way * other_way * 24.0 / 61.0)
    place = layout.place("m")
    # the first gear turns about it positively, a ring negatively
    assert place.axes[2][2] == np.sign(way * speed) * place.pair.pinion.sign
    for turned in (0.0, 0.1, 0.17):  # of the pinion, in its running direction
        flanks = [_flank(layout, place, name, turned) for name in ("p", "r")]
        one, other = (np.column_stack([flank.real, flank.imag]) for flank in flanks)
        distance = cKDTree(one).query(other)[0].min()
        # the points are 2 um apart, on flanks that touch: by half of that at most
        assert distance < 1.5e-6


def _flank(layout: Layout, place: MeshPlace, name: str, turned: float) -> np.ndarray:
    """Points of the flanks of all teeth that carry, in space, as complex numbers."""
    g = place.mesh.gears.index(name)
    one = layout.gears[name].gear
    phase = layout.phases["m"][g] + turned * place.ratios[g] / place.ratios[place.mesh.gears.index("p")]
    polar = place.reference_angles[g] + (1.0, -1.0)[g] * phase
    profile = one.tooth_profile
    w = profile.points(np.linspace(0.0, profile.s_tip, 4001)).view(complex)[:, 0]
    if place.flank == "b":
        w = w.conj()
    pitch = 2.0 * pi / abs(one.z)
    # the teeth near the pitch point alone
    seen = np.arctan2(0.0, (place.pair.pinion.r, -place.pair.wheel.r)[g])
    near = np.round((seen - polar) / pitch) + np.arange(-3, 4)
    local = (w[None, :] * np.exp(1j * (polar + pitch * near[:, None]))).ravel()
    x, y = place.axes[0], place.axes[1]
    centre = layout.centre(name)
    return (centre[0] + 1j * centre[1]) + local.real * (x[0] + 1j * x[1]) + local.imag * (y[0] + 1j * y[1])


def test_averages_of_a_ring_pair_are_those_of_its_radii() -> None:
    pinion, ring = gears(0.0)
    pair = GearPair(pinion=pinion, wheel=ring)
    own = MeshAverages.from_pair(pair)
    if pair.path_of_contact_usable == pair.path_of_contact:
        radii = MeshAverages.from_radii(
            r_A=0.5 * pair.d_w[0], r_B=0.5 * pair.d_w[1], r_aA=pinion.r_a, r_aB=ring.r_a, alpha=pair.alpha_wt
        )
        assert own.d_tauB == pytest.approx(radii.d_tauB, rel=1e-12)
    assert own.a == pytest.approx(pair.a_w, rel=1e-12)
    assert pytest.approx(own.l_A * sin(pair.alpha_wt) / cos(pair.alpha_wt)) == own.T_1P
    assert 0.98 < own.efficiency(0.05, "A") < 1.0


@pytest.mark.parametrize(
    ("z", "x", "k", "a", "m", "printed"),
    [
        ((17, 56), (0.8021, -0.5013), -10.861 / 45.0, 863e-3, 45e-3, 13.289e9),
        ((36, 93), (0.5039, 0.1171), -1.750 / 21.0, 584e-3, 21e-3, 14.053e9),
    ],
)
def test_stiffness_of_a_planet_in_its_ring(
    z: tuple[int, int], x: tuple[float, float], k: float, a: float, m: float, printed: float
) -> None:
    """c' of ISO 6336 of two stages of the NREL 5 MW gearbox (Nejad et al. 2016, as KISSsoft 03/2017 printed it)."""
    planet = Gear(z=z[0], m_n=m, x=x[0], tip_alteration_factor=k, b=0.5, bore_diameter=5.0 * m)
    ring = InternalGear(z=z[1], m_n=m, x=x[1], b=0.5, rim_diameter=1.3 * z[1] * m)
    pair = GearPair(pinion=planet, wheel=ring, a_w=a)
    # C_B of the gears there is .975; C_R = 0.862 is printed with three digits: 6e-4
    assert single_stiffness(pair, blank_factor=0.862) == pytest.approx(printed, rel=1e-3)


def test_flexible_teeth_of_a_ring_are_refused_by_name() -> None:
    with pytest.raises(NotInThisVersion, match='"flexible" of mesh m, with the ring r'):
        machine(0.0, ("p", "r"), "flexible", {}, "in").layout  # noqa: B018
