"""The shaped profile of a ring against cutter positions rolled one by one, and interference against polygons."""

from math import cos, pi, radians, sqrt, tan

import numpy as np
import pytest
from families import mostly_thorough

from alegear.errors import Fault
from alegear.geometry import Alignment, BasicRack, Gear, GearPair, InternalGear, PinionCutter
from alegear.geometry.involute import inv, involute_angle
from alegear.geometry.pair_geometry import INTERFERENCE_LIMIT, Corner, sweep

TEN = [
    # z, cutter teeth, x, cutter x, root radius, dedendum, helix [deg], pressure angle [deg]
    (61, 30, 0.0, 0.0, 0.25, 1.25, 0.0, 20.0),
    (61, 20, 0.0, 0.1, 0.2, 1.25, 0.0, 20.0),
    (43, 18, -0.4, 0.0, 0.2, 1.25, 0.0, 20.0),
    (56, 28, -0.5013, 0.0, 0.25, 1.25, 0.0, 20.0),
    (93, 40, 0.1171, -0.1, 0.3, 1.25, 0.0, 20.0),
    (108, 34, 0.0, 0.2, 0.0, 1.25, 0.0, 20.0),
    (80, 25, -0.8, -0.1, 0.15, 1.2, 0.0, 20.0),
    (70, 30, 0.2, 0.0, 0.25, 1.25, 18.0, 20.0),
    (91, 30, 0.0, 0.0, 0.2, 1.25, 30.0, 20.0),
    (75, 30, 0.0, 0.0, 0.1, 1.2, 0.0, 25.0),
]
#: A shifted ring, one of a cutter with sharp corners, a helical one, and one with another pressure angle.
ALWAYS = {3, 5, 8, 9}


def shaped(z, z_0, x, x_0, rho, dedendum, beta, alpha) -> InternalGear:
    rack = BasicRack(alpha_n=radians(alpha), dedendum_factor=dedendum, root_radius_factor=rho)
    cutter = PinionCutter(z=z_0, x=x_0)
    return InternalGear(
        z=z, m_n=3e-3, rack=rack, x=x, b=20e-3, beta=radians(beta), rim_diameter=z * 3.9e-3, cutter=cutter
    )


def cutter_outline(gear: InternalGear, z_0: int, x_0: float, n: int = 4000) -> tuple[np.ndarray, float]:
    """One flank, round and land of the cutter's tooth by its textbook formulas, and the centre distance.

    The centre of the round is found as the point at rho from tip circle and flank, by bisection on its radius.
    """
    m, alpha_n, beta = gear.m_n, gear.alpha_n, gear.beta
    alpha_t = np.arctan(tan(alpha_n) / cos(beta))
    r_b = 0.5 * z_0 * m / cos(beta) * cos(alpha_t)
    inv_w = inv(alpha_t) + 2.0 * tan(alpha_n) * (gear.x + x_0) / (z_0 - abs(gear.z))
    a = 0.5 * (abs(gear.z) - z_0) * m / cos(beta) * cos(alpha_t) / cos(involute_angle(inv_w))
    r_a, rho = abs(gear.d_f) / 2.0 - a, gear.rack.root_radius_factor * m
    half = (0.5 * pi + 2.0 * x_0 * tan(alpha_n)) / z_0 + inv(alpha_t)
    xi = np.linspace(0.0, sqrt(r_a**2 - r_b**2), n)
    flank = np.hypot(r_b, xi) * np.exp(1j * (half - xi / r_b + np.arctan(xi / r_b)))
    if rho == 0.0:
        land = r_a * np.exp(1j * np.linspace(np.angle(flank[-1]), 0.0, 200))
        return np.concatenate([flank, land]), a
    # the round touches the tip circle: its centre is at r_a - rho, at the angle where the flank is rho away
    low, high = 0.0, float(np.angle(flank[-1]))
    for _ in range(50):
        middle = 0.5 * (low + high)
        away = np.abs(flank - (r_a - rho) * np.exp(1j * middle)).min()
        low, high = (middle, high) if away > rho else (low, middle)
    centre = (r_a - rho) * np.exp(1j * low)
    touched = int(np.argmin(np.abs(flank - centre)))
    first = np.angle(flank[touched] - centre)
    arc = centre + rho * np.exp(1j * np.linspace(first, np.angle(centre), 1500))
    land = r_a * np.exp(1j * np.linspace(np.angle(centre), 0.0, 200))
    return np.concatenate([flank[: touched + 1], arc, land]), a


@pytest.mark.parametrize("number", mostly_thorough(range(len(TEN)), always=ALWAYS.__contains__))
def test_profile_is_the_envelope_of_the_cutter(number: int) -> None:
    """At every radius of the tooth space the outermost point that any position of the cutter reaches.

    Positions in steps of 2e-4 of a turn; what is left between two of them is below 0.2 um with modules of 3 mm.
    """
    numbers = TEN[number]
    z, z_0, _, x_0, *_ = numbers
    gear = shaped(*numbers)
    profile = gear.tooth_profile
    outline, a = cutter_outline(gear, z_0, x_0)
    reached = np.linspace(abs(gear.r_a) + 0.05e-3, abs(gear.r_f) - 0.02e-3, 150)
    widest = np.full(reached.shape, -np.inf)
    steps = 1801 if gear.rack.root_radius_factor else 7201  # a sharp corner leaves larger scallops
    for turn in np.linspace(-0.9, 0.9, steps):
        w = a + outline * np.exp(1j * turn)
        radius = np.abs(w)
        # polyline against circles: the crossings of its segments
        step = np.searchsorted(reached, radius)
        crossing = np.flatnonzero(np.diff(step))
        low, high = np.sort([step[crossing], step[crossing + 1]], axis=0)
        k = np.repeat(crossing, high - low)
        at = np.arange(len(k)) - np.repeat(np.cumsum(high - low) - high, high - low)
        share = (reached[at] - radius[k]) / (radius[k + 1] - radius[k])
        before, after = (np.angle(w[i] * np.exp(-1j * turn * z_0 / z)) for i in (k, k + 1))
        np.maximum.at(widest, at, before + share * (after - before))
    s = profile.s_at_radius(-reached)
    w = profile.points(s).view(complex)[:, 0]
    own = pi / z - np.abs(np.angle(w))  # from the middle of the space
    error = (own - widest) * reached
    assert error.max() < 0.4e-6  # what lies between two positions of the cutter
    assert error.min() > -0.05e-6  # chords of the cutter's outline


# --------------------------------------------------------------------------------------- interference


def outline_of(gear, teeth: np.ndarray, n: int = 500) -> np.ndarray:
    """Profiles of some teeth one after the other, flanks and lands, as complex numbers."""
    profile = gear.tooth_profile
    w = profile.points(np.linspace(profile.s_root, profile.s_tip, n)).view(complex)[:, 0]
    land = abs(gear.r_a) * np.exp(1j * np.linspace(np.angle(w[-1]), -np.angle(w[-1]), 40)[1:-1])
    tooth = np.concatenate([w, land, w.conj()[::-1]])
    if np.angle(w[0]) > 0.0:
        tooth = tooth[::-1]
    return np.concatenate([tooth * np.exp(2j * pi * k / abs(gear.z)) for k in teeth])


def half_space(gear) -> tuple[np.ndarray, np.ndarray]:
    """Radii and half the angle of the tooth space there, by the points of the profile."""
    profile = gear.tooth_profile
    w = profile.points(np.linspace(profile.s_root_circle, profile.s_tip, 20_001)).view(complex)[:, 0]
    order = np.argsort(np.abs(w))
    return np.abs(w)[order], (pi / abs(gear.z) - np.abs(np.angle(w)))[order]


def deepest_overlap(pair: GearPair, turned: np.ndarray) -> float:
    """Largest circumferential overlap of two whole gears over positions, by points in teeth, in the middle of backlash.

    Half the backlash is added: then the flanks of one side are in contact.
    """
    pinion, ring = pair.gears
    a, u = abs(pair.a_w), pinion.z / -ring.z
    numbers = np.arange(pinion.z) - pinion.z // 2
    tooth = outline_of(pinion, np.array([0]), 900)
    worst = -np.inf
    slack = 0.5 * pair.j_wt * cos(pair.alpha_wt)
    space = half_space(ring)
    for turn in turned:
        for k in numbers:
            centre = turn + 2.0 * pi * k / pinion.z
            w = a + tooth * np.exp(1j * centre)
            R = np.abs(w)
            inside = abs(ring.r_a) <= R
            if not inside.any():
                continue
            off = np.angle(w[inside] * np.exp(-1j * centre * u))
            over = R[inside] * (np.abs(off) - np.interp(R[inside], *space)) * cos(pair.alpha_wt)
            worst = max(worst, float(over.max()) + slack)
    return worst


@pytest.mark.parametrize(
    ("z", "z_ring", "k", "free"),
    [
        pytest.param(30, 36, -0.2, False, marks=pytest.mark.thorough),
        (30, 37, -0.2, True),
        pytest.param(30, 36, -0.3, True, marks=pytest.mark.thorough),
        (40, 46, -0.2, False),
        pytest.param(40, 47, -0.2, True, marks=pytest.mark.thorough),
    ],
)
def test_tips_beside_the_path_of_contact_against_polygons(z: int, z_ring: int, k: float, free: bool) -> None:
    """Whole gears turned through mesh: the closed check finds the overlap where polygons have one, and none else."""
    common = {"m_n": 3e-3, "b": 20e-3, "rack": BasicRack(root_radius_factor=0.1), "tip_alteration_factor": k}
    pinion = Gear(z=z, bore_diameter=20e-3, thickness_allowance=30e-6, **common)
    ring = InternalGear(z=z_ring, rim_diameter=z_ring * 4e-3, cutter=PinionCutter(z=z_ring // 2), **common)
    pair = object.__new__(GearPair)  # without the checks that are looked at here
    object.__setattr__(pair, "pinion", pinion)
    object.__setattr__(pair, "wheel", ring)
    object.__setattr__(pair, "alignment", Alignment())
    object.__setattr__(pair, "a_nominal", pair.a_w_without_backlash)
    own = max(pair.tip_penetration("pinion")[0], pair.tip_penetration("wheel")[0])
    overlap = deepest_overlap(pair, np.linspace(0.0, 2.0 * pi / z, 30, endpoint=False))
    assert (own <= INTERFERENCE_LIMIT * ring.m_n) is free
    # polygons: chords and the way across instead of normal to the flanks leave 0.6 um where nothing overlaps
    assert (overlap < 1e-6) is free
    if not free:
        with pytest.raises(Fault, match="beside the path of contact") as fault:
            GearPair(pinion=pinion, wheel=ring)
        assert "tip_alteration_factor" in fault.value.remedy


def test_a_corner_that_follows_the_flank_has_no_depth() -> None:
    gear = shaped(*TEN[0])
    shaping = gear.shaping
    radius, angle = shaping.round_centre
    found = sweep(gear.tooth_profile, Corner(radius, angle, shaping.rho), a=shaping.a, ratio=shaping.ratio)
    assert found.depth < 1e-9  # round-off of a profile of cubic pieces
    deeper = sweep(gear.tooth_profile, Corner(radius + 5e-6, angle, shaping.rho), a=shaping.a, ratio=shaping.ratio)
    assert deeper.depth == pytest.approx(5e-6, rel=1e-2)


def test_radial_assembly_is_told() -> None:
    common = {"m_n": 3e-3, "b": 20e-3, "rack": BasicRack(root_radius_factor=0.1), "tip_alteration_factor": -0.3}
    for z_ring, fits in ((42, True), (40, False)):
        pair = GearPair(
            pinion=Gear(z=30, bore_diameter=20e-3, thickness_allowance=30e-6, **common),
            wheel=InternalGear(z=z_ring, rim_diameter=z_ring * 4e-3, cutter=PinionCutter(z=z_ring // 2), **common),
        )
        assert (pair.radial_assembly_gap >= 0.0) is fits
        assert any("along the axis" in text for text in pair.warnings) is not fits


def test_too_few_teeth_of_difference_are_named() -> None:
    common = {"m_n": 3e-3, "b": 20e-3, "rack": BasicRack(root_radius_factor=0.1), "tip_alteration_factor": -0.3}
    pinion = Gear(z=40, bore_diameter=20e-3, **common)
    with pytest.raises(Fault, match="a ring = 40"):
        GearPair(pinion=pinion, wheel=InternalGear(z=40, rim_diameter=0.16, cutter=PinionCutter(z=20), **common))
