"""Housings: which matrices are taken, from which files, and what they do in a machine."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.drivetrain import Bearing, Disk, Housing, Shaft, read_housing, read_matrix_file
from alegear.errors import Fault
from alegear.system import Linearised, SystemBuilder, real_modes, solve_equilibrium

POINTS = {"left": np.zeros(3), "right": np.array([0.0, 0.0, 0.4]), "foot": np.array([0.1, -0.3, 0.2])}
MOTIONS = ("x", "y", "z", "tilt x", "tilt y", "tilt z")


def carried(r):
    T = np.eye(6)
    T[:3, 3:] = [[0.0, r[2], -r[1]], [-r[2], 0.0, r[0]], [r[1], -r[0], 0.0]]
    return T


def free_stiffness(points=POINTS, stiff=1e8, size=0.3):
    """Springs between all points, by the motion of one against that of the other as a rigid body: free in space."""
    generator = np.random.default_rng(4)
    at = list(points.values())
    K = np.zeros((6 * len(at), 6 * len(at)))
    for i in range(len(at)):
        for j in range(i):
            A = generator.normal(size=(6, 6))
            units = np.diag([1.0, 1.0, 1.0, size, size, size])
            k = stiff * units @ (A @ A.T + 6.0 * np.eye(6)) @ units
            B = np.zeros((6, len(K)))
            B[:, 6 * i : 6 * i + 6], B[:, 6 * j : 6 * j + 6] = np.eye(6), -carried(at[i] - at[j])
            K += B.T @ k @ B
    return 0.5 * (K + K.T)


def in_newton_and_millimetre(K):
    """The same matrix with lengths in mm: displacements in mm, moments in N mm."""
    unit = np.tile([1.0, 1.0, 1.0, 1e3, 1e3, 1e3], len(K) // 6)
    return 1e-3 * K * np.outer(unit, unit)


def test_a_free_housing_is_taken():
    housing = Housing(name="h", points=POINTS, stiffness=free_stiffness())
    np.testing.assert_allclose(housing.stiffness @ housing.rigid_motions(), 0.0, atol=1e-6)  # of 1e9 N, 1e-15


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda K: K[:-1, :-1], "shape .17, 17.: must be shape .18, 18."),
        (lambda K: K[:, :-1], "shape .18, 17."),
        (lambda K: K + 1e3 * np.eye(18, k=1), "asymmetric by"),
        (lambda K: -K, "not negative"),
        (lambda K: K * np.nan, "not a number"),
        (lambda K: K + 1e5 * np.diag(np.eye(18)[0]), "force of a rigid displacement along x.*condense the housing"),
        (lambda K: in_newton_and_millimetre(K), "force of a rigid rotation about .*it is in N, mm, rad: multiply"),
        (lambda K: 0.0 * K, "motions without it = 18: must be 6, the rigid motions"),
    ],
)
def test_matrices_that_are_refused(change, message):
    with pytest.raises(Fault, match=message) as caught:
        Housing(name="h", points=POINTS, stiffness=change(free_stiffness()))
    assert str(caught.value).isprintable()
    assert "housing h" in str(caught.value)


def test_a_mechanism_is_refused():
    """Two walls that nothing connects: twelve motions without force."""
    K = np.zeros((24, 24))
    one = {"a": np.zeros(3), "b": np.array([0.0, 0.1, 0.0])}
    two = {"c": np.array([0.5, 0.0, 0.0]), "d": np.array([0.5, 0.1, 0.0])}
    K[:12, :12], K[12:, 12:] = free_stiffness(one), free_stiffness(two)
    with pytest.raises(Fault, match="motions without it = 12: must be 6"):
        Housing(name="h", points=one | two, stiffness=K)


def test_points_in_millimetres_are_refused():
    """Wrong together with the matrix: the rigid motions cannot show it, the size of the housing does."""
    points = {name: 1e3 * at for name, at in POINTS.items()}
    with pytest.raises(Fault, match="give metres"):
        Housing(name="h", points=points, stiffness=in_newton_and_millimetre(free_stiffness()))


def test_points_in_the_wrong_place_are_refused():
    moved = POINTS | {"right": np.array([0.0, 0.0, 0.41])}
    with pytest.raises(Fault, match="force of a rigid rotation"):
        Housing(name="h", points=moved, stiffness=free_stiffness())


def test_seven_digits_are_enough():
    K = np.array([[float(f"{k:.7g}") for k in row] for row in free_stiffness()])
    Housing(name="h", points=POINTS, stiffness=K)


# ------------------------------------------------------------------------ files
def text_of(K, lower, mass=None):
    lines = ["alegear-stiffness 1   # of a test", "", "points"]
    lines += [
        f"{name} {at[0]!r} {at[1]!r} {at[2]!r}".replace("np.float64(", "").replace(")", "")
        for name, at in POINTS.items()
    ]
    for word, matrix in (("stiffness", K), ("mass", mass)):
        if matrix is not None:
            lines += [
                word,
                *(" ".join(f"{k:.15e}" for k in row[: i + 1 if lower else None]) for i, row in enumerate(matrix)),
            ]
    return "\n".join(lines)


@pytest.mark.parametrize("lower", [True, False])
def test_text_file(tmp_path, lower):
    K, mass = free_stiffness(), np.diag(np.linspace(1.0, 2.0, 18))
    path = tmp_path / "housing.txt"
    path.write_text(text_of(K, lower, mass))
    housing = read_housing("h", path)
    np.testing.assert_allclose(housing.stiffness, K, rtol=1e-14, atol=1e-14 * K.max())
    np.testing.assert_allclose(housing.mass, mass, rtol=1e-14)
    assert list(housing.points) == list(POINTS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("alegear-stiffness 1", "stiffness", "first line of housing.txt"),
        ("points", "", "line 4 of housing.txt"),
        ("right 0.0 0.0 0.4", "right 0.0 0.0", "line 5 of housing.txt.*a name and three coordinates"),
        ("right 0.0 0.0 0.4", "right 0.0 0.0 0.4 x y q", "line 5 of housing.txt = q"),
        ("right 0.0 0.0 0.4", "", "rows of the matrix in line 8"),
        ("right 0.0 0.0 0.4", "right 0.0 zero 0.4", "line 5 of housing.txt = a text of 12 characters: must be numbers"),
        ("e+08\n", "e+08 1\n", "numbers: must be 18 numbers, or"),
    ],
)
def test_text_files_that_are_refused(tmp_path, old, new, message):
    path = tmp_path / "housing.txt"
    path.write_text(text_of(free_stiffness(), True).replace(old, new, 1))
    with pytest.raises(Fault, match=message):
        read_housing("h", path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(Fault, match="matrix file"):
        read_housing("h", tmp_path / "none.txt")


NODES = {100 + i: (name, at) for i, (name, at) in enumerate(POINTS.items())}


def matrix_input(K, kept):
    rows = [(100 + i // 6, i % 6 + 1) for i in range(len(K))]
    pairs = [(i, j) for i in range(len(K)) for j in range(len(K)) if kept(i, j)]
    return "** of a test\n" + "\n".join(
        f"{rows[i][0]},{rows[i][1]}, {rows[j][0]},{rows[j][1]},  {K[i, j]:.14e}" for i, j in pairs
    )


@pytest.mark.parametrize("kept", [lambda i, j: i <= j, lambda i, j: i >= j, lambda i, j: True])
def test_matrix_input_file(tmp_path, kept):
    K, path = free_stiffness(), tmp_path / "housing_STIF2.mtx"
    path.write_text(matrix_input(K, kept))
    housing = read_matrix_file("h", path, NODES)
    np.testing.assert_allclose(housing.stiffness, K, rtol=1e-13, atol=1e-13 * K.max())


def substructure(K, mass, each_dof_a_node):
    """As Abaqus (a node once) and as CalculiX (once for each degree of freedom) write it."""
    labels = [100 + i // 6 for i in range(len(K))] if each_dof_a_node else list(NODES)
    lines = ["**", "** GENERATION OF SUBSTRUCTURE", f"*USER ELEMENT,NODES= {len(labels)},LINEAR", "** ELEMENT NODES"]
    lines += ["**" + ",".join(f"{n:10d}" for n in labels[i : i + 10]) + "," for i in range(0, len(labels), 10)]
    if each_dof_a_node:
        lines += ["1", *(f"{i + 1},{i % 6 + 1}" for i in range(1, len(K)))]
    else:
        lines += ["1, 2, 3, 4, 5, 6"]
    for word, matrix in (("STIFFNESS", K), ("MASS", mass)):
        lines.append(f"*MATRIX,TYPE={word}")
        for i in range(len(K)):
            values = [f"{k:20.13E}" for k in matrix[i, : i + 1]]
            lines += [",".join(values[j : j + 4]) + "," for j in range(0, len(values), 4)]
    return "\n".join(lines)


@pytest.mark.parametrize("each_dof_a_node", [False, True])
def test_substructure_file(tmp_path, each_dof_a_node):
    K, mass, path = free_stiffness(), np.diag(np.linspace(1.0, 2.0, 18)), tmp_path / "housing.mtx"
    path.write_text(substructure(K, mass, each_dof_a_node))
    housing = read_matrix_file("h", path, NODES)
    np.testing.assert_allclose(housing.stiffness, K, rtol=1e-12, atol=1e-12 * K.max())
    np.testing.assert_allclose(housing.mass, mass, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "nodes", "message"),
    [
        ("1,1,1,1", NODES, "node, dof, node, dof, value"),
        ("1,1,1,1,2.0", NODES, "node of housing.mtx = 1"),
        ("100,7,100,7,2.0", {100: NODES[100]}, "degree of freedom of node 100 of housing.mtx = 7"),
        ("100,1,100,1,2.0", NODES, "node of point right = 101"),
        ("100,1,100,2,2.0\n100,2,100,1,3.0", NODES, "as given before or mirrored"),
        ("*USER ELEMENT,NODES=1\n*MATRIX,TYPE=MASS\n1.0", NODES, "ask for STIFFNESS=YES"),
    ],
)
def test_matrix_files_that_are_refused(tmp_path, text, nodes, message):
    path = tmp_path / "housing.mtx"
    path.write_text(text)
    with pytest.raises(Fault, match=message):
        read_matrix_file("h", path, nodes)


# --------------------------------------------------------------------- machine
def geared_down(mass=None, force=4000.0):
    housing = Housing(name="h", points=POINTS, stiffness=free_stiffness(), mass=mass, fixed=("foot",))
    builder = SystemBuilder().add(
        Shaft(name="s", sections=[[0.4, 0.05, 0.0]], highest_mode=None),
        Disk(name="gear", shaft="s", at=0.1),
        Bearing(name="left", shaft="s", at=0.0, to="h@left", stiffness=(2e8, 2e8, 1e8)),
        Bearing(name="right", shaft="s", at=0.4, to="h@right", stiffness=(2e8, 2e8, 0.0)),
        housing,
    )
    gear = builder.node("gear")
    builder.force(gear.coordinates, force * gear.rows[0])
    return builder


def test_bearing_forces_pass_through_the_housing_to_its_foot():
    model = geared_down().build(moves=False)
    found = solve_equilibrium(model, held={model.index("s@0mm"): 0.0})
    np.testing.assert_allclose(found.part_forces["left"][0], 4000.0 * 0.75, rtol=1e-9)
    np.testing.assert_allclose(found.part_forces["right"][0], 4000.0 * 0.25, rtol=1e-9)
    K = free_stiffness()
    given = np.zeros(12)
    given[[0, 6]] = 3000.0, 1000.0
    moved = np.linalg.solve(K[:12, :12], given)  # the foot stands
    index = [model.index(f"h@{point} {motion}") for point in ("left", "right") for motion in MOTIONS]
    np.testing.assert_allclose(found.x[index], moved, rtol=1e-8, atol=1e-12)


def test_a_housing_without_mass_is_for_equilibria():
    with pytest.raises(Fault, match="inertia of the x of h@left"):
        geared_down().build()


def test_a_housing_with_mass_has_modes():
    mass = np.kron(np.eye(3), np.diag([5.0, 5.0, 5.0, 0.1, 0.1, 0.1]))
    modes = real_modes(Linearised.of(geared_down(mass).build()))
    assert (modes.frequencies[1:] > 0.0).all()
    assert modes.frequencies[0] == 0.0  # the rotation of the shaft


def test_points_without_turns():
    """Condensed once more to displacements: three points that are not in a line still show all six rigid motions."""
    K = free_stiffness()
    moves, turns = [6 * i + j for i in range(3) for j in range(3)], [6 * i + 3 + j for i in range(3) for j in range(3)]
    condensed = K[np.ix_(moves, moves)] - K[np.ix_(moves, turns)] @ np.linalg.solve(
        K[np.ix_(turns, turns)], K[np.ix_(turns, moves)]
    )
    motions = dict.fromkeys(POINTS, ("x", "y", "z"))
    housing = Housing(name="h", points=POINTS, stiffness=0.5 * (condensed + condensed.T), motions=motions)
    assert len(housing.coordinates) == 9
    with pytest.raises(Fault, match="motions of point left of housing h"):
        Housing(name="h", points=POINTS, stiffness=condensed, motions=motions | {"left": ("x", "q", "z")})


def test_fixed_points_must_be_there():
    with pytest.raises(Fault, match='fixed point of housing h = "feet"'):
        Housing(name="h", points=POINTS, stiffness=free_stiffness(), fixed=("feet",))
