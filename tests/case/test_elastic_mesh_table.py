"""``[elastic_meshes.NAME]`` of a case file: the same objects as from Python, and what is refused."""

from __future__ import annotations

from math import pi, radians

import numpy as np
import pytest

import alegear as ag
from alegear.case.elastic_mesh import ElasticMeshTable
from alegear.drivetrain.planar import Din3990Friction, LinearSpring, MeshAverages
from alegear.errors import Fault

RADII = {"pitch_radii_mm": [10.0, 30.0], "tip_radii_mm": [11.0, 31.0]}
TEETH = {"teeth": [20, 60], "module_mm": 1.0}
AVERAGES = MeshAverages.from_radii(r_A=10e-3, r_B=30e-3, r_aA=11e-3, r_aB=31e-3, alpha=radians(20.0))


def made(tmp_path, **keys):
    return ElasticMeshTable(gears=["A", "B"], **keys).part("mesh", tmp_path)


def test_units(tmp_path) -> None:
    mesh = made(
        tmp_path,
        **RADII,
        stiffness_N_per_m=2e8,
        damping_Ns_per_m=2e5,
        backlash_um=15.0,
        friction="din3990",
        face_width_mm=20.0,
        viscosity_mPas=275.0,
        roughness_Ra_um=0.8,
        mu_0=0.2,
    )
    spring = LinearSpring(c=2e8, damping=2e5, backlash=15e-6)
    friction = Din3990Friction(mesh=AVERAGES, face_width=20e-3, viscosity=0.275, roughness=0.8e-6, mu_0=0.2)
    np.testing.assert_allclose(mesh.averages.numbers, AVERAGES.numbers, rtol=1e-14)
    np.testing.assert_allclose(mesh.spring.numbers, spring.numbers, rtol=1e-14)
    np.testing.assert_allclose(mesh.friction.numbers, friction.numbers, rtol=1e-13)


def test_teeth_in_place_of_radii(tmp_path) -> None:
    mesh = made(tmp_path, **TEETH, stiffness_N_per_m=2e8, stiffness_factor=[1.0, 0.9, 1.1])
    np.testing.assert_allclose(mesh.averages.numbers, AVERAGES.numbers, rtol=1e-14)
    assert mesh.spring.factor.period == pytest.approx(pi * 1e-3, rel=1e-15)
    ring = made(tmp_path, teeth=[40, -100], module_mm=1.0).averages
    known = MeshAverages.from_radii(r_A=20e-3, r_B=-50e-3, r_aA=21e-3, r_aB=-49e-3, alpha=radians(20.0))
    np.testing.assert_allclose(ring.numbers, known.numbers, rtol=1e-14)


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ({"stiffness_N_per_m": 1e8, "spring": "iso6336", "roughness_Rq_um": 4.0}, "Iso6336Spring"),
        (
            {"stiffness_N_per_m": 1e8, "spring": "niemann-winter", "full_load_N": 1e3, "least_stiffness": 0.3},
            "NiemannWinterSpring",
        ),
    ],
)
def test_progressive_springs(tmp_path, keys, kind) -> None:
    assert type(made(tmp_path, **RADII, **keys).spring).__name__ == kind


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        ({"friction": "coulomb", "mu": 0.05}, "CoulombFriction"),
        ({"friction": "efficiency", "efficiency_m_per_s": [[0.0, 0.97], [1.0, 0.98]]}, "TabulatedEfficiency"),
    ],
)
def test_laws_of_friction(tmp_path, keys, kind) -> None:
    assert type(made(tmp_path, **RADII, stiffness_N_per_m=1e8, **keys).friction).__name__ == kind


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({**RADII, "module_mm": 1.0}, "geometry of the mesh"),
        ({"pitch_radii_mm": [10.0, 30.0], "friction": "coulomb", "mu": 0.1}, "geometry of the mesh"),
        ({**RADII, "backlash_um": 10.0}, "only with stiffness_N_per_m"),
        ({**RADII, "spring": "iso6336"}, "only with stiffness_N_per_m"),
        ({**RADII, "stiffness_N_per_m": 1e8, "spring": "iso6336"}, "roughness_Rq_um = not given"),
        (
            {**RADII, "stiffness_N_per_m": 1e8, "full_load_N": 10.0},
            'full_load_N = given: must be left out: it has no effect with spring = "linear"',
        ),
        (
            {**RADII, "stiffness_N_per_m": 1e8, "mu": 0.1},
            'mu = given: must be left out: it has no effect with friction = "none"',
        ),
        ({**RADII, "stiffness_N_per_m": 1e8, "friction": "din3990", "mu_0": 0.1}, "face_width_mm = not given"),
        ({**RADII, "stiffness_N_per_m": 1e8, "stiffness_factor": [1.0, 1.1, 1.0]}, "only with teeth"),
        ({**TEETH, "stiffness_N_per_m": 1e8, "friction_factor": [1.0, 1.1, 1.0]}, "only with friction"),
        ({**RADII, "friction": "coulomb", "mu": 0.1}, "none without a spring"),
    ],
)
def test_what_is_refused(tmp_path, keys, said) -> None:
    with pytest.raises(Fault, match=said):
        made(tmp_path, **keys)


def test_from_a_file(tmp_path) -> None:
    """A file runs, and its mesh is under its name in the result."""
    path = tmp_path / "case.toml"
    path.write_text(
        """
[machine]
[rotors.A]
inertia_kg_m2 = 5e-4
[rotors.B]
inertia_kg_m2 = 1e-3
[elastic_meshes.mesh]
gears = ["A", "B"]
pitch_radii_mm = [10.0, 30.0]
tip_radii_mm = [11.0, 31.0]
stiffness_N_per_m = 2e8
damping_Ns_per_m = 2e5
friction = "coulomb"
mu = 0.1
[torques.drive]
at = "A"
torque_Nm = 1.0
[resistances.load]
at = "B"
linear_Nms_per_rad = 0.1
[analysis]
kind = "dynamic"
duration_s = 1.0
"""
    )
    data = ag.run(ag.case_from_file(path)).dataset
    assert list(data.switch.values) == ["mesh"]
    # steady: what A puts in comes out at B but for the losses
    eta = AVERAGES.efficiency(0.1, "A")
    assert -float(data.power.sel(flange="mesh/B")[-1]) == pytest.approx(
        eta * float(data.power.sel(flange="mesh/A")[-1]), rel=1e-6
    )
