"""``[planetary.NAME]`` with ``fidelity = "teeth"``: gears, pins, members; each fault one line under its key."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_up_results import drawn
from planetary_case import SET

import alegear as ag
from alegear import cli
from alegear.errors import Fault

#: What is changed in the file, into what, and words of the only line that it is answered with.
FAULTS = {
    "a load without a drive": (
        '[drives.motor]\nshaft = "sun"\nspeed_rpm = 955.0\n',
        "",
        "drive of shaft carrier, on which load out is = none",
        "add a drive",
    ),
    "no module": ("normal_module_mm = 2.0\n", "", "planetary.set.normal_module_mm", "add normal_module_mm"),
    "no torque": ("torque_Nm = 100.0\n", "", "planetary.set.torque_Nm", "give torque"),
    "no sense": ("torque_Nm = 100.0", "torque_Nm = 0.0", "planetary.set.torque_Nm = 0.0", "which flanks are loaded"),
    "no bore": ("bore_diameter_mm = 20.0\n", "", "planetary.set.sun_gear.bore_diameter_mm", "the key is needed"),
    "no rim": ("rim_diameter_mm = 230.0\n", "", "planetary.set.ring_gear.rim_diameter_mm", "the key is needed"),
    "no width": ("face_width_mm = 28.0\n", "", "planetary.set.planet_gear.face_width_mm", "missing"),
    "no start": (
        "tip_relief_start_diameter_mm = 78.0\n",
        "",
        "planetary.set.planet_gear",
        "tip_relief_start_diameter_mm",
    ),
    "a start beyond the tip": ("= 78.0", "= 90.0", "planetary.set.planet_gear", "tip relief start diameter"),
    "rounding of a ring": (
        "rim_diameter_mm = 230.0",
        "rim_diameter_mm = 230.0\ntip_rounding_mm = 0.1",
        "set.ring_gear",
        "no effect",
    ),
    "a bore of a ring": (
        "rim_diameter_mm",
        "bore_diameter_mm = 1.0\nrim_diameter_mm",
        "ring_gear.bore_diameter_mm",
        "no such key",
    ),
    "teeth of a gear": (
        "bore_diameter_mm = 20.0",
        "teeth = 21\nbore_diameter_mm = 20.0",
        "sun_gear.teeth",
        "no such key",
    ),
    "planets touch": (
        "sun_teeth = 21\nplanet_teeth = 39\nring_teeth = 99\nplanets = 3",
        "sun_teeth = 18\nplanet_teeth = 38\nring_teeth = 94\nplanets = 4",
        "planetary.set.",
        "less than the distance of their axes",
    ),
    "longer teeth touch": (
        "planets = 3\nnormal_module_mm = 2.0",
        "planets = 3\npin_positions_deg = [0.0, 84.0, 228.0]\nnormal_module_mm = 2.0",
        "planetary.set.",
        "less than the distance of their axes",
    ),
    "assembly": ("planets = 3", "planets = 7", "planetary.set.planets = 7: assembly condition", "take planets = "),
    "ring interference": (
        "tip_alteration_factor = -0.1\n",
        "tip_alteration_factor = 0.9\n",
        "planetary.set.ring_gear",
        "tip",
    ),
    "tips twice": (
        "slices = 1",
        "slices = 1\ntip_diameters_mm = { ring = 194.4 }",
        "planetary.set.ring_gear",
        "leave out ring_gear.tip_alteration_factor, or tip_diameters_mm.ring",
    ),
    "tips of what is not there": (
        "slices = 1",
        "slices = 1\ntip_diameters_mm = { second_ring = 194.4 }",
        "planetary.set.tip_diameters_mm",
        "one of sun, planet, ring",
    ),
    "two planet gears": (
        "planet_teeth = 39",
        "planet_teeth = [39, 38]",
        "planetary.set.planet_teeth",
        "one planet gear",
    ),
    "springs": (
        "[planetary.set.sun_gear]",
        "[planetary.set.sun_mesh]\nstiffness_N_per_m = 1e8\n[planetary.set.sun_gear]",
        "planetary.set.sun_mesh",
        "no effect",
    ),
    "negative damping": ("retardation_us = 10.0", "retardation_us = -1.0", "retardation_us = -1.0", "at least 0"),
    "slices": ("slices = 1", "slices = 0", "planetary.set.slices = 0", "at least 1"),
    "a sun beside the axis": (
        "[shafts.sun]\nfixed_axis = true",
        "[shafts.sun]\nfixed_axis = true\nposition_mm = [5.0, 0.0, 0.0]",
        "distance [mm] of sun from the axis of carrier carrier",
        "put both on one axis",
    ),
    "no damping without stiffness": (
        "pin_stiffness_N_per_m = [1e8, 1e8, 1e8]\npin_tilt_stiffness_Nm_per_rad = [1e6, 1e6]\n",
        "",
        "planetary.set.pin_damping_Ns_per_m",
        "pin_stiffness_N_per_m",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new, *words = FAULTS[name]
    assert SET.count(old) >= 1
    path = tmp_path / "set.toml"
    path.write_text(SET.replace(old, new, 1), encoding="utf-8")
    assert cli.main(["check", str(path)]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1, told
    for word in words:
        assert word in told[0]
    assert "; " in told[0]


def case_of(tmp_path: Path, *changes: tuple[str, str]) -> ag.MachineCase:
    path, text = tmp_path / "case.toml", SET
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    case = ag.case_from_file(path)
    assert isinstance(case, ag.MachineCase)
    return case


def test_a_sound_set_is_checked_and_run(tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text(SET + "[output]\nplots = false\n", encoding="utf-8")
    assert cli.main(["check", str(path), "--picture", str(tmp_path / "graph.png")]) == 0
    assert cli.main(["run", str(path), "--out", str(tmp_path / "out")]) == 0
    found = ag.load(tmp_path / "out").dataset
    assert "machine.png" in [path.name for path in drawn(found, tmp_path)]
    assert float(found.speed.sel(shaft="carrier").mean()) == pytest.approx(
        955.0 * np.pi / 30.0 / (1 + 99 / 21), rel=2e-2
    )


@pytest.mark.parametrize(("speed", "torque"), [(955.0, -100.0), (-955.0, 100.0)])
def test_a_torque_against_drives_and_loads_is_refused(speed: float, torque: float, tmp_path: Path) -> None:
    """Loads press the flanks that the torque does not say: all would be displaced by the backlash."""
    changes = ("speed_rpm = 955.0", f"speed_rpm = {speed}"), ("torque_Nm = 100.0", f"torque_Nm = {torque}")
    with pytest.raises(Fault, match=f"first central gear of set.* = {torque}: .*change its sign"):
        ag.run(case_of(tmp_path, *changes))
    ag.run(case_of(tmp_path, *changes, ("571.4", "0.0")))  # where nothing is loaded, either will do


def test_a_torque_whose_deflection_has_no_square_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Fault, match=r"typical deflection \[m\] = .*must be at least 1e-100"):
        case_of(tmp_path, ("torque_Nm = 100.0", "torque_Nm = 1e-300"))


def test_gears_are_those_of_the_tables(tmp_path: Path) -> None:
    (one,) = case_of(tmp_path, ("normal_module_mm = 2.0", "normal_module_mm = 2.0\nhelix_angle_deg = 8.0")).parts
    sun, ring = one.meshes["sun"].pair, one.meshes["ring"].pair
    beta = np.radians(8.0)
    assert [gear.beta for gear in (sun.pinion, sun.wheel, ring.wheel)] == pytest.approx([beta, -beta, -beta], rel=1e-12)
    assert sun.wheel is ring.pinion
    assert sun.wheel.b == pytest.approx(28e-3, rel=1e-12)
    assert sun.wheel.microgeometry.tip_relief == pytest.approx(5e-6, rel=1e-12)
    assert ring.wheel.r_rim == pytest.approx(-115e-3, rel=1e-12)
    assert one.meshes["sun"].retardation == pytest.approx(1e-5, rel=1e-12)
    tips = {"sun": sun.pinion.d_a, "planet": sun.wheel.d_a, "ring": -ring.wheel.d_a}
    assert one.teeth.tip_diameters == tips
    assert one.planet_mass == (pytest.approx(sun.wheel.mass(7860.0), rel=1e-12),)


def test_the_material_of_the_machine_is_that_of_its_gears(tmp_path: Path) -> None:
    light = "[planetary.set.sun_gear.material]\nyoungs_modulus_GPa = 70.0\n[analysis]"
    changes = ("[machine]", "[machine]\n[material]\ndensity_kg_m3 = 7000.0"), ("[analysis]", light)
    (one,) = case_of(tmp_path, *changes).parts
    sun, planet = one.meshes["sun"].materials
    assert (sun.E, planet.E, sun.rho, planet.rho) == pytest.approx((70e9, 210e9, 7000.0, 7000.0), rel=1e-12)


#: 24/31/87 at 55.5 mm: coaxial by its profile shifts alone.
SHIFTED = (
    ("sun_teeth = 21\nplanet_teeth = 39\nring_teeth = 99", "sun_teeth = 24\nplanet_teeth = 31\nring_teeth = 87"),
    ("bore_diameter_mm = 20.0", "bore_diameter_mm = 20.0\nprofile_shift = 0.2583"),
    ("tip_relief_um = 5.0\ntip_relief_start_diameter_mm = 78.0\n", ""),
    ("tip_alteration_factor = -0.1\n", "tip_alteration_factor = -0.1\nprofile_shift = 0.2413\n"),
    ("bore_diameter_mm = 40.0\ntooth_thickness_allowance_um = 60.0", "bore_diameter_mm = 30.0"),
    ('kind = "dynamic"\nduration_s = 0.002\noutput_every_s = 1e-4', 'kind = "static"\npositions_per_pitch = 8'),
    ("torque_Nm = 571.4", "torque_Nm = 462.5"),
)  # fmt: skip


def test_profile_shifts_bring_about_the_centre_distance(tmp_path: Path) -> None:
    """With the distance, without it, and with the shift of the ring from it: one set, and its torques are Willis's."""
    distance = ("planets = 3", "planets = 3\ncenter_distance_mm = 55.5")
    solved = ("profile_shift = 0.2413", 'profile_shift = "from centre distance"')
    cases = [case_of(tmp_path, *SHIFTED, *more) for more in ((), (distance,), (distance, solved), (solved,))]
    for case in cases:
        (one,) = case.parts
        sun, ring = one.meshes["sun"].pair, one.meshes["ring"].pair
        assert one.teeth.pin_radii["planet"] == pytest.approx(55.5e-3, rel=1e-5)  # four decimals of the shifts
        assert sun.a_w == -ring.a_w == one.teeth.pin_radii["planet"]
        assert (sun.pinion.x, sun.wheel.x, ring.wheel.x) == pytest.approx((0.2583, 0.0, 0.2413), abs=5e-5)
        assert abs(sun.j_wt) + abs(ring.j_wt) < 2e-4 * 2e-3
        assert not [warning for warning in one.warnings if "sign" in warning]
    found = [ag.run(case).dataset for case in cases[1:3]]
    for data in found:
        torque = data.torque.mean("position")
        # of eight positions of a pitch, over which the rate of the transmission error is not quite averaged out
        assert float(torque.sel(shaft="sun")) == pytest.approx(462.5 / (1 + 87 / 24), rel=1e-3)
        of_sun = [name for name in data.planet_mesh.values if " sun " in name]
        mean = data.load_share.sel(planet_mesh=of_sun).mean("position")
        assert mean.values == pytest.approx(np.ones(3), abs=2e-3)  # three planets, a third of a pitch apart
    np.testing.assert_allclose(found[0].planet_mesh_force, found[1].planet_mesh_force, rtol=2e-2)  # 5e-5 of a shift


def test_a_ring_with_the_other_sign_is_told(tmp_path: Path) -> None:
    """A drawing that counts the shift of a ring outwards: without a distance it is refused, with one it is told."""
    other = ("profile_shift = 0.2413", "profile_shift = -0.2413")
    with pytest.raises(Fault, match=r"give ring_gear.profile_shift = 0.2413 \(a shift of a ring away from its axis"):
        case_of(tmp_path, *SHIFTED, other)
    (one,) = case_of(tmp_path, *SHIFTED, other, ("planets = 3", "planets = 3\ncenter_distance_mm = 55.5")).parts
    (told,) = (warning for warning in one.warnings if "correct the sign of profile_shift of the ring" in warning)
    assert "-0.2413 leaves a backlash of 0.6" in told


def test_a_distance_that_a_set_has_anyway_changes_nothing(tmp_path: Path) -> None:
    static = ('kind = "dynamic"\nduration_s = 0.002\noutput_every_s = 1e-4', 'kind = "static"\npositions_per_pitch = 3')
    given = ag.run(case_of(tmp_path, static, ("planets = 3", "planets = 3\ncenter_distance_mm = 60.0"))).dataset
    for name, values in ag.run(case_of(tmp_path, static)).dataset.data_vars.items():
        if values.dtype.kind == "f" and values.size:
            scale = float(np.nanmax(np.abs(values)))
            np.testing.assert_allclose(given[name], values, rtol=1e-9, atol=1e-9 * scale, err_msg=name)
