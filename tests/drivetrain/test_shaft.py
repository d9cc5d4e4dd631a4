"""Shafts against the closed forms of Timoshenko's beam."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from alegear.drivetrain import Bearing, Disk, node_name
from alegear.drivetrain import Shaft as AnyShaft
from alegear.drivetrain.rotational.speed_relations import with_places_named
from alegear.drivetrain.rotational.springs import Spring
from alegear.errors import Fault, NonConvergence
from alegear.fe.material import Material
from alegear.system import (
    Linearised,
    PiecewiseCubic,
    SystemBuilder,
    SystemEnergy,
    SystemMotion,
    complex_modes,
    real_modes,
    solve_equilibrium,
)
from alegear.system.beam import Beam, HollowCircle
from alegear.system.coordinates import DIRECTIONS
from alegear.system.profiles import PrescribedRotation
from alegear.system.time_integration import (
    FixedStep,
    GeneralizedAlpha,
    NewtonParameters,
    integrate,
    start,
)

Shaft = partial(AnyShaft, highest_mode=None)  # beams between all nodes

Shaft = partial(AnyShaft, highest_mode=None)  # beams between all nodes

STEEL = Material(E=207e9, nu=0.3, rho=7800.0)
HOLLOW = HollowCircle(outer=0.06, inner=0.02)


def bending(section, material=STEEL):
    return material.E * section.second_moment, section.shear_coefficient(material.nu) * material.mu * section.area


def built(shaft, *parts, force=(), moves=True):
    builder = SystemBuilder().add(shaft, *parts)
    for place, direction, value in force:
        node = builder.node(place)
        weights = node.rows[DIRECTIONS.index(direction)]
        builder.force(node.coordinates, value * weights)
    return builder.build(moves=moves)


def at(model, x, place, direction):
    node = model.places[place]
    return float(node.rows[DIRECTIONS.index(direction)] @ x[node.coordinates])


# ---------------------------------------------------------------------- element
@pytest.mark.parametrize("length", [0.005, 0.1, 2.0])
def test_beam_knows_its_rigid_motions(length):
    """All six of them have no deformation, and their kinetic energy is that of a rigid cylinder."""
    beam = Beam.of(length, HOLLOW, STEEL)
    rigid = np.vstack([np.eye(6), np.eye(6)])
    rigid[6, 4], rigid[7, 3] = length, -length
    np.testing.assert_allclose(beam.rows @ rigid, 0.0, atol=1e-15)
    m = STEEL.rho * HOLLOW.area * length
    about_end = STEEL.rho * HOLLOW.second_moment * length + m * length**2 / 3.0
    M = rigid.T @ beam.mass @ rigid
    assert M[0, 0] == pytest.approx(m, rel=1e-13)
    assert M[3, 3] == pytest.approx(about_end, rel=1e-13)
    assert M[0, 4] == pytest.approx(m * length / 2.0, rel=1e-13)
    assert M[5, 5] == pytest.approx(2.0 * STEEL.rho * HOLLOW.second_moment * length, rel=1e-13)
    G = rigid.T @ beam.gyroscopic @ rigid
    assert G[3, 4] == pytest.approx(M[5, 5], rel=1e-13)
    np.testing.assert_allclose(beam.gyroscopic, -beam.gyroscopic.T, atol=1e-18)


def test_cowper_of_the_solid_circle():
    assert HollowCircle(outer=1.0).shear_coefficient(0.3) == pytest.approx(6 * 1.3 / (7 + 6 * 0.3), rel=1e-14)


def test_cowper_of_the_thin_tube():
    thin = HollowCircle(outer=1.0, inner=1.0 - 1e-9)
    assert thin.shear_coefficient(0.3) == pytest.approx(2 * 1.3 / (4 + 3 * 0.3), rel=1e-8)  # Cowper's table 1


# ---------------------------------------------------------------------- statics
@pytest.mark.parametrize("parts", [1, 3, 8])
def test_cantilever(parts):
    L, F, T = 0.7, 1300.0, 90.0
    EI, kGA = bending(HOLLOW)
    shaft = Shaft(name="s", sections=[[L, 0.06, 0.02]], material=STEEL, longest_element=L / parts)
    end = node_name("s", L)
    model = built(shaft, force=[(end, "x", F), (end, "y", F), (end, "z", F), (end, "rotation", T)], moves=False)
    held = dict.fromkeys(model.places["s"].coordinates.tolist(), 0.0)
    found = solve_equilibrium(model, held=held)
    deflection, slope = F * L**3 / (3 * EI) + F * L / kGA, F * L**2 / (2 * EI)
    assert at(model, found.x, end, "x") == pytest.approx(deflection, rel=1e-9)
    assert at(model, found.x, end, "tilt y") == pytest.approx(slope, rel=1e-9)
    assert at(model, found.x, end, "y") == pytest.approx(deflection, rel=1e-9)
    assert at(model, found.x, end, "tilt x") == pytest.approx(-slope, rel=1e-9)
    assert at(model, found.x, end, "z") == pytest.approx(F * L / (STEEL.E * HOLLOW.area), rel=1e-9)
    twist = T * L / (STEEL.mu * 2.0 * HOLLOW.second_moment)
    assert at(model, found.x, end, "rotation") == pytest.approx(twist, rel=1e-9)
    assert found.reactions["s@0mm x"] == pytest.approx(-F, rel=1e-9)
    assert found.reactions["s@0mm tilt y"] == pytest.approx(-F * L, rel=1e-9)
    assert found.reactions["s@0mm"] == pytest.approx(-T, rel=1e-9)


def two_bearings(a=0.25, L=0.6, F=4000.0, stiff=(2e8, 3e8, 1e8), direction=(0.0, 0.0, 1.0)):
    shaft = Shaft(name="s", sections=[[L, 0.06, 0.02]], material=STEEL, direction=direction)
    return built(
        shaft,
        Disk(name="gear", shaft="s", at=a),
        Bearing(name="left", shaft="s", at=0.0, stiffness=stiff),
        Bearing(name="right", shaft="s", at=L, stiffness=(*stiff[:2], 0.0)),
        force=[("gear", "x", F), ("gear", "y", -2 * F), ("gear", "z", 0.5 * F)],
        moves=False,
    )


@pytest.mark.parametrize("direction", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (1.0, -2.0, 0.5)])
def test_two_bearings(direction):
    a, L, F, (kx, ky, _) = 0.25, 0.6, 4000.0, (2e8, 3e8, 1e8)
    model = two_bearings(direction=direction)
    found = solve_equilibrium(model, held={model.index("s@0mm"): 0.0})
    left, right = found.part_forces["left"], found.part_forces["right"]
    np.testing.assert_allclose(left, [F * (1 - a / L), -2 * F * (1 - a / L), 0.5 * F, 0.0, 0.0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(right, [F * a / L, -2 * F * a / L, 0.0, 0.0, 0.0], rtol=1e-9, atol=1e-9)
    EI, kGA = bending(HOLLOW)
    b = L - a
    bent = a**2 * b**2 / (3 * EI * L) + a * b / (kGA * L)
    for axis, k, load in (("x", kx, F), ("y", ky, -2 * F)):
        sunk = load * ((b / L) ** 2 + (a / L) ** 2) / k
        assert at(model, found.x, "gear", axis) == pytest.approx(load * bent + sunk, rel=1e-9)
    slope = F * a * b * (b - a) / (3 * EI * L) + (F * (a - b) / L / kx) / L  # shear turns no section
    assert at(model, found.x, "gear", "tilt y") == pytest.approx(slope, rel=1e-9)


@pytest.mark.parametrize("force", [pytest.param(1e-3, marks=pytest.mark.thorough), 1e7])
def test_fine_elements_and_any_load_come_to_rest(force):
    """Elements of 2 mm are a million times stiffer than the shaft: round-off of theirs is no lack of balance."""
    L = 0.6
    shaft = Shaft(name="s", sections=[[L, 0.06, 0.02]], material=STEEL, longest_element=2e-3)
    end = node_name("s", L)
    model = built(shaft, force=[(end, "x", force)], moves=False)
    found = solve_equilibrium(model, held=dict.fromkeys(model.places["s"].coordinates.tolist(), 0.0))
    EI, kGA = bending(HOLLOW)
    exact = force * L**3 / (3 * EI) + force * L / kGA
    assert at(model, found.x, end, "x") == pytest.approx(exact, rel=1e-6)  # 300 elements lose some digits


def test_sections_in_a_row():
    """Slope and deflection of a stepped cantilever, section by section."""
    sections, F = np.array([[0.2, 0.06, 0.0], [0.15, 0.045, 0.01], [0.1, 0.03, 0.0]]), 700.0
    shaft = Shaft(name="s", sections=sections, material=STEEL)
    end = node_name("s", 0.45)
    model = built(shaft, force=[(end, "x", F)], moves=False)
    found = solve_equilibrium(model, held=dict.fromkeys(model.places["s"].coordinates.tolist(), 0.0))
    w = s = 0.0
    for (length, outer, inner), behind in zip(sections, [0.25, 0.1, 0.0], strict=True):
        EI, kGA = bending(HollowCircle(outer=outer, inner=inner))
        M = F * behind  # at the far end of the section
        w += s * length + F * length**3 / (3 * EI) + M * length**2 / (2 * EI) + F * length / kGA
        s += F * length**2 / (2 * EI) + M * length / EI
    assert at(model, found.x, end, "x") == pytest.approx(w, rel=1e-9)
    assert at(model, found.x, end, "tilt y") == pytest.approx(s, rel=1e-9)


def test_rigid_shaft_on_two_bearings():
    a, L, F, k = 0.25, 0.6, 4000.0, 2e8
    shaft = Shaft(name="s", sections=[[0.4, 0.06, 0.02], [0.2, 0.05, 0.0]], rigid=True, position=(0.1, 0.2, 0.3))
    model = built(
        shaft,
        Disk(name="gear", shaft="s", at=a, mass=2.0, inertia=0.01, tilt_inertia=0.006),
        Bearing(name="left", shaft="s", at=0.0, stiffness=(k, k, k)),
        Bearing(name="right", shaft="s", at=L, stiffness=(k, k, 0.0)),
        force=[("gear", "x", F)],
    )
    assert model.n == 6
    found = solve_equilibrium(model, held={model.index("s"): 0.0})
    np.testing.assert_allclose(found.part_forces["left"][0], F * (1 - a / L), rtol=1e-9)
    ends = F * (1 - a / L) / k, F * a / L / k
    assert at(model, found.x, "gear", "x") == pytest.approx(ends[0] + (ends[1] - ends[0]) * a / L, rel=1e-9)


def test_a_bearing_between_two_shafts():
    """A hollow shaft carries one inside it: the force goes through both bearings between them to the ground."""
    F, stiff = 500.0, (2e8, 2e8, 1e8)
    model = built(
        Shaft(name="outer", sections=[[0.3, 0.1, 0.08]]),
        Shaft(name="inner", sections=[[0.4, 0.05, 0.0]], position=(0.0, 0.0, 0.05)),
        Bearing(name="a", shaft="outer", at=0.0, stiffness=stiff),
        Bearing(name="b", shaft="outer", at=0.3, stiffness=(2e8, 2e8, 0.0)),
        Bearing(name="c", shaft="inner", at=0.05, to="outer", to_at=0.1, stiffness=stiff),
        Bearing(name="d", shaft="inner", at=0.2, to="outer", to_at=0.25, stiffness=(2e8, 2e8, 0.0)),
        force=[("inner@400mm", "y", F)],
        moves=False,
    )
    found = solve_equilibrium(model, held={model.index("outer@0mm"): 0.0, model.index("inner@0mm"): 0.0})
    d = F * (0.4 - 0.05) / 0.15  # moments about bearing c, 0.15 m from d
    np.testing.assert_allclose([found.part_forces[name][1] for name in "cd"], [F - d, d], rtol=1e-9)
    b = F * 0.45 / 0.3  # about bearing a, the force 0.45 m from it in space
    np.testing.assert_allclose([found.part_forces[name][1] for name in "ab"], [F - b, b], rtol=1e-9)
    assert found.reactions["inner@0mm"] == pytest.approx(0.0, abs=1e-9)  # bearings take no torque


def test_rigid_and_flexible_shaft_have_the_same_mass():
    sections = [[0.4, 0.06, 0.02], [0.2, 0.05, 0.0]]
    rigid = built(Shaft(name="s", sections=sections, rigid=True))
    flexible = built(Shaft(name="s", sections=sections))
    place = rigid.places["s"]
    carried = np.zeros((flexible.n, 6))
    for node in {id(p): p for p in flexible.places.values() if len(p.coordinates)}.values():
        of_node = place.at(node.origin).rows
        carried[node.coordinates] = node.rows.T @ of_node
    np.testing.assert_allclose(carried.T @ flexible.mass @ carried, rigid.mass, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rigid", [False, True])
def test_weight_of_a_shaft_and_what_sits_on_it(rigid):
    builder = SystemBuilder().add(
        Shaft(name="s", sections=[[0.6, 0.06, 0.02]], material=STEEL, direction=(1.0, 0.0, 0.0), rigid=rigid),
        Disk(name="gear", shaft="s", at=0.2, mass=5.0, inertia=0.01, tilt_inertia=0.006),
        Bearing(name="left", shaft="s", at=0.0, stiffness=(1e8, 1e8, 1e8)),
        Bearing(name="right", shaft="s", at=0.6, stiffness=(1e8, 1e8, 0.0)),
    )
    builder.gravity((0.0, 0.0, -9.81))
    model = builder.build()
    turn = next(i for i, c in enumerate(model.coordinates) if c.direction == "rotation")
    found = solve_equilibrium(model, held={turn: 0.0})
    e = model.places["s"].axes @ np.array([0.0, 0.0, -9.81])
    own = STEEL.rho * HOLLOW.area * 0.6
    np.testing.assert_allclose(found.part_forces["left"][:2], (own / 2 + 5.0 * 2 / 3) * e[:2], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.part_forces["right"][:2], (own / 2 + 5.0 / 3) * e[:2], rtol=1e-9, atol=1e-9)


# ------------------------------------------------------------------------ modes
SLENDER, USUAL, STUBBY = HollowCircle(outer=0.004), HOLLOW, HollowCircle(outer=0.3)


def pinned(parts, section=HOLLOW, L=0.8):
    builder = SystemBuilder()
    sections = [[L, section.outer, section.inner]]
    builder.add(Shaft(name="s", sections=sections, material=STEEL, longest_element=parts and L / parts))
    for place, directions in (("s", "xyz"), (node_name("s", L), "xy")):
        for direction in directions:
            index = builder.node(place).coordinates[1 + "xyz".index(direction)]
            still = PrescribedRotation(speed_ramp=PiecewiseCubic.constant(0.0))
            builder.prescribe(f"pin {place} {direction}", int(index), still)
    return builder.build()


def pinned_closed_form(n, section=HOLLOW, L=0.8):
    """Lower root of Timoshenko's frequency equation, deflection sin(n pi s/L) and turn cos(n pi s/L)."""
    EI, kGA = bending(section)
    A, I, wave = STEEL.rho * section.area, STEEL.rho * section.second_moment, n * np.pi / L  # noqa: E741
    a, b, c = A * I, A * (EI * wave**2 + kGA) + I * kGA * wave**2, kGA * EI * wave**4
    return float(np.sqrt(2.0 * c / (b + np.sqrt(b * b - 4.0 * a * c))))


def errors_of(parts, section=HOLLOW, modes=(1,)):
    model = pinned(parts, section)
    found = real_modes(Linearised.of(model)).elastic()
    in_x = [i for i, c in enumerate(model.coordinates) if c.direction in "xy"]
    kinds = np.abs(found.shapes[in_x]).max(axis=0)
    in_bending = found.frequencies[kinds > 1e-3 * kinds.max()]
    return np.array([in_bending[2 * (n - 1)] / pinned_closed_form(n, section) - 1.0 for n in modes])


@pytest.mark.parametrize(("section", "parts", "order"), [(SLENDER, (2, 4, 8), 4.0), (STUBBY, (8, 16, 32), 2.0)])
def test_natural_frequencies_converge(section, parts, order):
    """Fourth order by the cubics of a slender beam, second by the constant shear strain of a stubby one."""
    errors = np.array([errors_of(n, section)[0] for n in parts])
    assert (errors > 0.0).all()  # from above, as energies do
    np.testing.assert_allclose(np.log2(errors[:-1] / errors[1:]), order, atol=0.1)


@pytest.mark.parametrize(("section", "seen"), [(USUAL, (1.1e-4, 1.6e-3, 7.2e-3)), (STUBBY, (1.3e-3, 1.2e-2, 3.6e-2))])
def test_error_of_the_elements_by_default(section, seen):
    """The figures of the README, "How long the elements are"."""
    errors = errors_of(None, section, modes=(1, 2, 3))
    assert (errors < seen).all()
    assert (errors > 0.8 * np.array(seen)).all()


def test_torsion_and_extension_of_a_free_shaft():
    L = 0.8
    model = built(Shaft(name="s", sections=[[L, 0.06, 0.02]], material=STEEL, longest_element=L / 32))
    modes = real_modes(Linearised.of(model)).elastic()
    for waves in (np.sqrt(STEEL.mu / STEEL.rho), np.sqrt(STEEL.E / STEEL.rho)):
        exact = np.pi / L * waves
        assert np.abs(modes.frequencies / exact - 1.0).min() < 1e-3  # (pi/32)^2/24 by linear shapes


@pytest.mark.parametrize("speed", [100.0, 1000.0, 5000.0])
def test_whirl_of_a_disk_in_the_middle_of_a_shaft(speed):
    """A heavy disk: the shaft of next to no mass has only its stiffness."""
    L, light = 0.6, Material(E=207e9, nu=0.3, rho=1.0)
    mass, inertia, tilt = 4e4, 300.0, 160.0  # against which the shaft is a part of 1e-8
    model = built(
        Shaft(name="s", sections=[[L, 0.06, 0.02]], material=light, longest_element=L / 2),
        Disk(name="disk", shaft="s", at=L / 2, mass=mass, inertia=inertia, tilt_inertia=tilt),
        Bearing(name="left", shaft="s", at=0.0, stiffness=(1e12, 1e12, 1e12)),
        Bearing(name="right", shaft="s", at=L, stiffness=(1e12, 1e12, 0.0)),
    )
    v = np.zeros(model.n)
    v[[i for i, c in enumerate(model.coordinates) if c.direction == "rotation"]] = speed
    modes = complex_modes(Linearised.of(model, v=v)).elastic()
    EI, kGA = bending(HOLLOW, light)
    k = 1.0 / (L**3 / (48 * EI) + L / (4 * kGA) + 0.5 / 1e12)
    r = 1.0 / (L / (12 * EI) + 1.0 / (kGA * L) + 2.0 / (1e12 * L**2))
    half = inertia * speed / (2 * tilt)
    whirl = np.sqrt(half**2 + r / tilt)
    for exact in (np.sqrt(k / mass), whirl + half, whirl - half):
        assert np.abs(modes.frequencies / exact - 1.0).min() < 1e-6


def test_energy_of_a_shaft_that_whirls_and_twists():
    """Every node turns at a speed of its own, by which the gyroscopic moments there change; all else is linear."""
    builder = SystemBuilder().add(
        Shaft(name="s", sections=[[0.3, 0.02, 0.0]], material=STEEL, longest_element=0.1),
        Disk(name="disk", shaft="s", at=0.1, mass=3.0, inertia=0.02, tilt_inertia=0.011),
        Bearing(name="left", shaft="s", at=0.0, stiffness=(1e7, 2e7, 1e7)),
        Bearing(name="right", shaft="s", at=0.3, stiffness=(1e7, 2e7, 0.0)),
    )
    system = SystemMotion(builder.build())
    v = np.zeros(system.n_dof)
    turns = [i for i, c in enumerate(system.model.coordinates) if c.direction == "rotation"]
    v[turns] = 500.0 + np.linspace(0.0, 20.0, len(turns))  # it twists by a hundredth of a radian
    v[system.model.places["disk"].coordinates[[4, 5]]] = 3.0, -2.0
    state = start(system, t=0.0, q=np.zeros(system.n_dof), v=v)
    energy, drift = SystemEnergy(), []
    energy.carry_on(system, state)

    def on_step(state):
        energy.carry_on(system, state)
        drift.append(energy.missing)

    scheme = GeneralizedAlpha(rho_inf=1.0, newton=NewtonParameters(tolerance=1e-11))
    integrate(system, state, 0.02, scheme=scheme, control=FixedStep(h=1e-5), on_step=on_step)
    assert np.ptp(np.array(drift)) < 1e-6 * energy.start  # the bound of the issue


# -------------------------------------------------------------------- bad input
def test_a_shaft_that_nothing_holds_is_named():
    model = built(Shaft(name="input", sections=[[0.3, 0.04, 0.0]]), force=[("input@300mm", "x", 10.0)])
    with pytest.raises(NonConvergence, match=r"nothing holds the \w+.* of input@"):
        solve_equilibrium(model)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Shaft(name="a"), "sections of shaft a = none: .*give sections_mm, or fixed_axis = true"),
        (lambda: Shaft(name="a", sections=[[0.1, 0.04]]), r"sections of shaft a = shape \(1, 2\)"),
        (lambda: Shaft(name="a", sections=[[0.1, 0.04, 0.05]]), "inner diameter .mm. of section 1 of shaft a = 50"),
        (lambda: Shaft(name="a", sections=[[-0.1, 0.04, 0.0]]), "length of a section"),
        (lambda: Shaft(name="a", sections=[[0.1, 0.04, 0.0]], direction=(0, 0, 0)), "direction of shaft a"),
        (lambda: built(Shaft(name="a", sections=[[0.1, 0.04, 0.0]], points=(0.2,))), "position on shaft a .mm. = 200"),
        (lambda: Bearing(name="b", shaft="a", at=0.0, to="a", stiffness=[1.0] * 3), "with itself"),
        (
            lambda: built(
                Shaft(name="a", sections=[[0.1, 0.04, 0.0]]),
                Bearing(name="b", shaft="c", at=0.0, stiffness=[1e8] * 3),
            ),
            '"c@0mm": must be one of ',
        ),
        (
            lambda: built(
                Shaft(name="a", sections=[[0.1, 0.04, 0.0]]),
                Disk(name="a", shaft="a", at=0.0),
            ),
            "there is a shaft of that name",
        ),
        (
            lambda: built(
                Shaft(name="a", sections=[[0.1, 0.04, 0.0]]),
                Shaft(name="b", sections=[[0.1, 0.04, 0.0]], position=(0.0, 0.1, 0.0)),
                Bearing(name="c", shaft="a", at=0.0, to="b", to_at=0.0, stiffness=[1e8] * 3),
            ),
            "distance .mm. of the places of bearing c",
        ),
        (
            lambda: built(
                Shaft(name="a", sections=[[0.1, 0.04, 0.0]]),
                Shaft(name="b", sections=[[0.1, 0.04, 0.0]], direction=(0.0, 1.0, 0.0)),
                Bearing(name="c", shaft="a", at=0.0, to="b", to_at=0.0, stiffness=[1e8] * 3),
            ),
            "axes that c connects",
        ),
        (
            lambda: built(
                Shaft(name="a", sections=[[0.1, 0.04, 0.0]]), Bearing(name="c", shaft="a", at=0.0, stiffness=[0.0] * 3)
            ),
            "stiffness of bearing c",
        ),
        (
            lambda: built(
                Shaft(name="a", sections=[[0.1, 0.04, 0.0]]),
                Bearing(name="c", shaft="a", at=0.0, stiffness=[1e8, -1e8, 0.0]),
            ),
            r"stiffness of bearing c = -1e\+08 on the diagonal",
        ),
    ],
)
def test_bad_shafts_and_bearings(made, message):
    with pytest.raises(Fault, match=message) as caught:
        made()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("written", ["170", "170.0", "1.7e2", "170.0000001"])
def test_a_place_on_a_shaft_has_one_name_however_it_is_written(written):
    """Of parts, from a file as from Python; others are left as they are."""
    part = Spring(name="f@3.0mm", between=(f"out@{written}mm", "rotor"), stiffness=1.0)
    named = with_places_named(part)
    assert named.between == ("out@170mm", "rotor")
    assert named.name == "f@3.0mm"
    assert (named is part) == (written == "170")
    assert node_name("out", 2.65625e-3) == "out@2.65625mm"
