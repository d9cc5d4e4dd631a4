"""The pair of segments that validation/calculix_segment_20_30 gives to CalculiX: grid, deck, reading of results.

The solver itself runs on a coarse grid, and only where it is installed.
"""

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from quick_form import assert_within_bounds

import alegear as ag
from alegear.mesh.volume import mesh_quality

HERE = Path(__file__).parents[2] / "validation" / "calculix_segment_20_30"
COARSE = {
    "contact_element": 0.1e-3,
    "fillet_elements": 8,
    "plain_fillet_elements": 4,
    "plain_flank_element": 4e-3,
    "layer_elements": 4,
    "core_elements": 4,
    "rim_elements": 6,
    "width_elements": 1,
}
TORQUE = 400.0
START = 1e-6


@pytest.fixture(scope="module")
def modules():
    sys.path.insert(0, str(HERE))
    try:
        yield importlib.import_module("segment_grid"), importlib.import_module("calculix")
    finally:
        sys.path.remove(str(HERE))
        for name in ("segment_grid", "calculix"):
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def case():
    return ag.Case.from_toml(HERE / "case.toml")


def written(modules, case, phase, path, **changes):
    grid, calculix = modules
    options, contact = grid.GridOptions(**COARSE, **changes), calculix.ContactOptions()
    model = calculix.place_segments(case.pair, phase, options, START)
    material = case.materials[0]
    calculix.write_deck(path, case.pair, model, torque=TORQUE, material=material, options=options, contact=contact)
    return model, cards(path.read_text())


def cards(text):
    """Keyword cards of a deck with their data lines, in order."""
    found = []
    for line in text.splitlines():
        if line.startswith("*"):
            found.append((line, []))
        else:
            found[-1][1].append([word.strip() for word in line.split(",") if word.strip()])
    return found


def test_quick_form():
    assert_within_bounds("calculix_segment_20_30")


@pytest.mark.parametrize("phase", [0.0, -0.25])
def test_grid_fills_the_segments_and_is_as_fine_as_promised(modules, case, phase):
    grid, calculix = modules
    options = grid.GridOptions()
    model = calculix.place_segments(case.pair, phase, options)
    assert 28e3 <= len(model.points) <= 44e3
    for g, (gear, segment) in enumerate(zip(case.pair.gears, model.segments, strict=True)):
        exact = 5.0 * gear.tooth_profile.section_moment(0.5 * gear.bore_diameter) * 0.5 * gear.b
        quality = mesh_quality(segment.volume, exact)
        assert quality.tangled == 0
        assert quality.min_scaled_jacobian > 0.5
        # chords of bore and profile: 1 - sinc of half an element's angle at the bore, about a thousandth of the volume
        assert abs(quality.volume_error) < 2e-3
        # joined: no node twice
        assert len(np.unique(np.round(segment.volume.points, 9), axis=0)) == segment.volume.n_nodes
        for k in model.pairs:
            tooth = -k if g == 0 else k
            s = segment.arc_lengths[tooth]
            contact = float(gear.tooth_profile.s_at_roll_length(case.pair.contact_roll_lengths(phase - k, "pinion")[g]))
            within = np.abs(0.5 * (s[1:] + s[:-1]) - contact) < 0.4e-3
            assert np.diff(s)[within].max() <= 0.06e-3 * (1.0 + 1e-9)
            # flank nodes lie on the profile, to round-off of millimetres
            x, y, _ = segment.volume.points[segment.flanks[tooth][:, 0]].T
            turned = (x + 1j * y) * np.exp(-2j * np.pi * tooth / gear.z)
            np.testing.assert_allclose(np.column_stack([turned.real, turned.imag]), gear.tooth_profile.points(s),
                                       atol=1e-15)  # fmt: skip


@pytest.mark.parametrize("phase", [0.0, -0.25, 0.4])
def test_flanks_just_touch_before_the_load(modules, case, phase):
    grid, calculix = modules
    pair = case.pair
    model = calculix.place_segments(pair, phase, grid.GridOptions(**COARSE))
    assert model.pairs == {0.0: (0,), -0.25: (-1, 0), 0.4: (0, 1)}[phase]
    action = np.array([np.sin(pair.alpha_wt), np.cos(pair.alpha_wt), 0.0])  # along the line of action
    start = pair.pinion.r_b * np.array([np.cos(pair.alpha_wt), -np.sin(pair.alpha_wt), 0.0])
    for k in model.pairs:
        flanks = [
            model.points[model.segments[0].flanks[-k][:, 0]],
            model.points[model.segments[1].flanks[k][:, 0] + model.offset],
        ]
        contact = start + action * float(pair.contact_roll_lengths(phase - k, "pinion")[0])
        for flank, side in zip(flanks, (-1.0, 1.0), strict=True):
            distance = flank[:, :2] - contact[:2]
            # each has a node where involutes touch, to round-off of 0.1 m
            assert np.linalg.norm(distance, axis=1).min() < 1e-14
            # convex flanks lie on either side of their common tangent
            assert (side * distance @ action[:2]).min() > -1e-14


def test_start_turns_the_pinion_ahead(modules, case):
    grid, calculix = modules
    options = grid.GridOptions(**COARSE)
    touching, ahead = (calculix.place_segments(case.pair, 0.0, options, start) for start in (0.0, 1e-6))
    moved = ahead.points - touching.points
    assert not moved[touching.offset :].any()
    x, y, _ = touching.points[: touching.offset].T
    turned = np.column_stack([-y, x, 0.0 * x]) * 1e-6 / case.pair.pinion.r_b
    # second order in the angle of 2.7e-5: 45 mm times its square's half
    np.testing.assert_allclose(moved[: touching.offset], turned, atol=2e-11)


def test_starting_overlap_is_as_wide_as_the_contact_after_hertz(modules, case):
    _, calculix = modules
    pair = case.pair
    rho = 1.0 / sum(1.0 / r for r in np.ravel(pair.curvature_radii(0.0, "pinion")))
    q = TORQUE / pair.pinion.r_b / pair.b_w
    b_H = np.sqrt(4.0 * q * rho * 2.0 * (1.0 - 0.3**2) / (np.pi * 210e9))
    overlap = calculix.starting_overlap(pair, case.materials, 0.0, TORQUE)
    assert overlap == pytest.approx(b_H**2 / (2.0 * rho), rel=1e-12)
    # where two pairs share the load, half of it
    assert calculix.starting_overlap(pair, case.materials, -0.25, TORQUE) == pytest.approx(0.5 * overlap, rel=1e-12)


def test_deck_says_what_the_model_is(modules, case, tmp_path):
    model, deck = written(modules, case, -0.25, tmp_path / "step.inp")
    names = [name for name, _ in deck]
    data = dict(deck)
    nodes = np.array(data["*NODE, NSET=ALL"], dtype=float)
    elements = np.array(data["*ELEMENT, TYPE=C3D8I, ELSET=BODY"], dtype=int)
    np.testing.assert_array_equal(nodes[:, 0], np.arange(1, len(nodes) + 1))
    np.testing.assert_allclose(nodes[:-1, 1:], 1e3 * model.points, atol=1e-9)  # 12 digits of 100 mm
    np.testing.assert_array_equal(elements[:, 1:] - 1, model.cells)
    pilot = len(nodes)

    # a turn of the pinion by 1 um on the base circle satisfies the equations of its bore, and they hold all of it
    r_b = 1e3 * case.pair.pinion.r_b
    equations = [rows[1] for name, rows in deck if name == "*EQUATION"]
    bore = model.segments[0].bore + 1
    assert {(int(e[0]), int(e[1])) for e in equations} == {(node, axis) for node in bore for axis in (1, 2)}
    for node, axis, one, last, degree, factor in np.array(equations, dtype=float):
        assert (one, last, degree) == (1.0, pilot, 1.0)
        x, y = nodes[int(node) - 1, 1:3]
        displacement = (-y if axis == 1 else x) * 1e-3 / r_b
        assert displacement + factor * 1e-3 == pytest.approx(0.0, abs=1e-14)  # 12 digits of the coordinates

    load = data["*CLOAD"]
    # half of the face carries half of the torque
    assert float(load[0][2]) == pytest.approx(0.5 * TORQUE / case.pair.pinion.r_b, rel=1e-10)
    held = {tuple(row) for row in data["*BOUNDARY"]}
    assert held == {("BORE1", "3", "3"), ("BORE2", "1", "3"), ("MIDDLE", "3", "3"), ("PILOT", "2", "3")}
    middle = np.concatenate(data["*NSET, NSET=MIDDLE"]).astype(int)
    assert not nodes[middle - 1, 3].any()
    assert names[-1] == "*END STEP"

    # the surfaces are on the flanks: the four nodes of a side lie on the tooth face of their pair
    sides = {3: (0, 1, 5, 4), 4: (1, 2, 6, 5), 5: (2, 3, 7, 6), 6: (3, 0, 4, 7)}
    pairs = [rows[0] for name, rows in deck if name.startswith("*CONTACT PAIR")]
    assert pairs == [["PINIONB", "WHEELB"], ["PINION0", "WHEEL0"]]
    for g, gear in enumerate(("PINION", "WHEEL")):
        for k, letter in ((-1, "B"), (0, "0")):
            faces = data[f"*SURFACE, NAME={gear}{letter}, TYPE=ELEMENT"]
            assert len(faces) > 10
            flank = set((model.segments[g].flanks[-k if g == 0 else k] + g * model.offset).ravel().tolist())
            for element, side in faces:
                assert flank.issuperset(model.cells[int(element) - 1][list(sides[int(side[1])])].tolist())


def test_whole_face_carries_the_whole_torque(modules, case, tmp_path):
    model, deck = written(modules, case, 0.0, tmp_path / "step.inp", half_face=False)
    data = dict(deck)
    assert float(data["*CLOAD"][0][2]) == pytest.approx(TORQUE / case.pair.pinion.r_b, rel=1e-10)
    assert ["MIDDLE", "3", "3"] not in data["*BOUNDARY"]
    z = np.unique(model.points[:, 2])
    np.testing.assert_allclose(z, -z[::-1], atol=1e-17)
    assert z[-1] == pytest.approx(0.5 * case.pair.pinion.b, rel=1e-12)


def test_progress_counts_the_attempts(modules):
    _, calculix = modules
    text = """SUMMARY OF JOB INFORMATION
  STEP      INC     ATT  ITRS     TOT TIME     STEP TIME      INC TIME
     1          1    1U     9  0.000000E+00  0.000000E+00  0.100000E+01
     1          1     2     5  0.250000E+00  0.250000E+00  0.250000E+00
     1          2     1     4  0.100000E+01  0.100000E+01  0.750000E+00
"""
    attempts = calculix.read_progress(text)
    assert [(a.converged, a.iterations, a.time) for a in attempts] == [
        (False, 9, 0.0),
        (True, 5, 0.25),
        (True, 4, 1.0),
    ]


def test_printed_values_are_read_with_their_units(modules):
    _, calculix = modules
    text = """
 displacements (vx,vy,vz) for set PILOT and time  0.1000000E+01

     32257  3.554433E-02  0.000000E+00  0.000000E+00


 statistics for slave set PINION0, master set WHEEL0 and time  0.1000000E+01

   total surface force (fx,fy,fz) and moment about the origin (mx,my,mz)

   -1.815935E+03 -4.998475E+03 -3.561600E-13  3.758725E+04 -1.365512E+04 -1.999576E+05

   center of gravity and mean normal

    4.001489E+01  1.854157E-02  7.502464E+00  3.412316E-01  9.399664E-01  5.131054E-17

 statistics for slave set PINIONB, master set WHEELB and time  0.1000000E+01

   total surface force (fx,fy,fz) and moment about the origin (mx,my,mz)

    0.000000E+00  0.000000E+00  0.000000E+00  0.000000E+00  0.000000E+00 -1.000000E+03
"""
    displacement, moments = calculix.read_printed(text, (-1, 0))
    assert displacement == pytest.approx(3.554433e-5)  # mm in m
    assert moments == pytest.approx({0: -199.9576, -1: -1.0})  # N mm in N m


def test_stress_is_read_from_the_last_increment(modules):
    _, calculix = modules
    block = " -4  STRESS      6    1\n -5  SXX         1    4    1    1\n"
    row = " -1{:10d}" + "{:12.5E}" * 6 + "\n"
    first = block + row.format(7, *np.ones(6)) + " -3\n"
    second = block + row.format(7, 100.0, -20.0, 3.0, -4.0, 5.0, 0.6) + row.format(123456, *np.zeros(6)) + " -3\n"
    stress = calculix.read_stress("    1C\n" + first + second + " 9999\n")
    assert sorted(stress) == [6, 123455]  # counted from 0
    np.testing.assert_allclose(stress[6], 1e6 * np.array([100.0, -20.0, 3.0, -4.0, 5.0, 0.6]))


def test_a_missing_solver_says_what_to_install(modules, monkeypatch):
    _, calculix = modules
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="calculix-ccx"):
        calculix.find_solver()


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX (Debian package calculix-ccx) is not installed")
def test_load_step_carries_the_torque(modules, case, tmp_path):
    _, calculix = modules
    model, _ = written(modules, case, -0.25, tmp_path / "step.inp")
    step = calculix.run_step(tmp_path / "step.inp", case.pair, model, start=START, threads=1)
    # moments of the contact forces at the turned flanks: 30 um of 40 mm, and the convergence of CalculiX
    assert sum(step.tooth_load.values()) == pytest.approx(TORQUE / case.pair.pinion.r_b, rel=1e-3)
    # one element across half the face and 0.1 mm in the contact; on the grid of the validation it is 0.1 %
    assert step.transmission_error == pytest.approx(29.08e-6, rel=0.03)
