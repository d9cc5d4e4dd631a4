"""``[planetary.NAME]``: each fault one line under its key, the example, sets of all kinds."""

from __future__ import annotations

from math import atan, copysign, cos, inf, pi, radians, sin, tan
from pathlib import Path

import pytest

import alegear as ag
from alegear import cli
from alegear.errors import Fault
from alegear.geometry.involute import profile_shift_sum
from alegear.geometry.iso_6336_stiffness import minimum_flexibility

MESHES = Path(__file__).parents[2] / "meshes"

SET = """
[machine]
[rotors.s]
inertia_kg_m2 = 0.1
[rotors.r]
inertia_kg_m2 = 0.4
[rotors.c]
inertia_kg_m2 = 0.7
[planetary.st]
sun = "s"
ring = "r"
carrier = "c"
sun_teeth = 17
planet_teeth = 22
ring_teeth = 61
planets = 3
normal_module_mm = 4.0
planet_inertia_kg_m2 = 0.01
planet_mass_kg = 1.0
[torques.drive]
at = "s"
torque_Nm = 1.0
[analysis]
kind = "dynamic"
duration_s = 0.1
"""
ELASTIC = """planet_mass_kg = 1.0
fidelity = "elastic"
[planetary.st.sun_mesh]
stiffness_N_per_m = 1e8
[planetary.st.ring_mesh]
stiffness_N_per_m = 1e8
"""

#: What is changed in the file, into what, and words of the only line that it is answered with.
FAULTS = {
    "assembly": ("planets = 3", "planets = 4", "planetary.st.planets = 4: assembly condition", "take planets = "),
    "ring too small": ("= 61", "= 31", "planetary.st.ring_teeth = 31", "z_sun + 2 z_planet"),
    "not coaxial": ("= 61", "= 64", "planetary.st.", "61 teeth, z_sun + 2 z_planet"),
    "neighbours": (
        "sun_teeth = 17\nplanet_teeth = 22\nring_teeth = 61\nplanets = 3",
        "sun_teeth = 18\nplanet_teeth = 38\nring_teeth = 94\nplanets = 4",
        "planetary.st.",
        "less than the distance of their axes",
    ),
    "pins": ("planets = 3", "planets = 3\npin_positions_deg = [0.0, 121.0, 240.0]", "pin_positions_deg", "multiple of"),
    "number of pins": ("planets = 3", "planets = 3\npin_positions_deg = [0.0, 120.0]", "pin_positions_deg", "3 angles"),
    "no planets": ("planets = 3", "planets = 0", "planetary.st.planets = 0: must be at least 1"),
    "three planet gears": (
        "planet_teeth = 22",
        "planet_teeth = [22, 20, 21]",
        "planetary.st.planet_teeth",
        "at most 2",
    ),
    "a part of a tooth": ("planet_teeth = 22", "planet_teeth = 22.5", "planetary.st.planet_teeth", "whole number"),
    "negative ring": ("= 61", "= -61", "planetary.st.ring_teeth = -61: must be at least"),
    "no ring": ("ring_teeth = 61\n", "", "planetary.st", "must be sun and ring"),
    "a ring without a place": ('ring = "r"\n', "", "planetary.st.ring_teeth", "must be named, as ring has teeth"),
    "a place without teeth": ("sun_teeth", 'second_sun = "x"\nsun_teeth', "second_sun", "has no teeth"),
    "unknown place": ('"r"\ncarrier', '"q"\ncarrier', 'shaft of st = "q"', "must be one of "),
    "twice one place": ('ring = "r"', 'ring = "c"', "shafts of st", "different ones"),
    "mass on the ground": ('carrier = "c"', 'carrier = "ground"', "planetary.st.planet_mass_kg", "does not turn"),
    "mass without module": ("normal_module_mm = 4.0\n", "", "planetary.st.normal_module_mm", "circle of pins"),
    "distance without module": (
        "normal_module_mm = 4.0",
        "center_distance_mm = 78.0",
        "center_distance_mm",
        "left out",
    ),
    "two inertias": ("= 0.01", "= [0.01, 0.02]", "planetary.st.planet_inertia_kg_m2", "must be one"),
    "negative inertia": ("= 0.01", "= -0.01", "planetary.st.planet_inertia_kg_m2", "-0.01: must be at least 0"),
    "two distances": ("= 4.0", "= 4.0\ncenter_distance_mm = [78.0, 78.0]", "center_distance_mm", "there is one circle"),
    "wrong distance": (
        "= 4.0",
        "= 4.0\ncenter_distance_mm = 90.0",
        "center_distance_mm = 90",
        "working pressure angles",
    ),
    "flexible": ("= 4.0", '= 4.0\nfidelity = "flexible"', 'st.fidelity = "flexible"', "not in this version"),
    "gears of rigid": (
        "planet_mass_kg = 1.0\n",
        "[planetary.st.sun_gear]\nface_width_mm = 30.0\nbore_diameter_mm = 20.0\n",
        "planetary.st.sun_gear",
        'write fidelity = "teeth"',
    ),
    "no gears": ("= 4.0", '= 4.0\nfidelity = "teeth"', "planetary.st.sun_gear", "add sun_gear"),
    "torque of rigid": ("= 4.0", "= 4.0\ntorque_Nm = 3.0", "planetary.st.torque_Nm", "no effect"),
    "fidelity": ("= 4.0", '= 4.0\nfidelity = "hard"', 'planetary.st.fidelity = "hard"', '"elastic"'),
    "no losses": ("= 4.0", '= 4.0\nfidelity = "lossy"', "planetary.st", "losses of planetary set st"),
    "losses of rigid": ("= 4.0", "= 4.0\nmesh_efficiency = 0.9", "mesh_efficiency", "no effect"),
    "losses above 1": ("= 4.0", "= 4.0\nmesh_efficiency = 1.9", "planetary.st.mesh_efficiency[0] = 1.9", "at most 1"),
    "mesh of rigid": ("planet_mass_kg = 1.0\n", ELASTIC.replace("elastic", "rigid"), "st.sun_mesh", "no effect"),
    "no ring mesh": (
        "planet_mass_kg = 1.0\n",
        ELASTIC.split("[planetary.st.ring_mesh]")[0],
        "planetary.st.ring_mesh",
        "give face_width_mm, by which it follows from ISO 6336-1",
    ),
    "width without effect": (
        "planet_mass_kg = 1.0\n",
        ELASTIC.replace("[planetary.st.sun_mesh]", "face_width_mm = 20.0\n[planetary.st.sun_mesh]"),
        "planetary.st.face_width_mm = 20.0",
        "stiffness of all meshes is given",
    ),
    "width of rigid": ("= 4.0", "= 4.0\nface_width_mm = 20.0", "planetary.st.face_width_mm", "no effect"),
    "no such mesh": (
        "planet_mass_kg = 1.0\n",
        ELASTIC + "[planetary.st.planet_mesh]\nstiffness_N_per_m = 1e8\n",
        "planetary.st.planet_mesh",
        "there is no such mesh",
    ),
    "no stiffness": (
        "planet_mass_kg = 1.0\n",
        ELASTIC.replace("stiffness_N_per_m = 1e8\n", "", 1),
        "planetary.st.sun_mesh",
        "stiffness_N_per_m",
    ),
    "no friction": (
        "planet_mass_kg = 1.0\n",
        ELASTIC + "mu = 0.1\n",
        "planetary.st.ring_mesh",
        "mu",
    ),
    "inertia of elastic": (
        "planet_inertia_kg_m2 = 0.01\nplanet_mass_kg = 1.0\n",
        ELASTIC,
        "planetary.st.planet_inertia_kg_m2",
        "turn by themselves",
    ),
    "pin errors": (
        "planet_mass_kg = 1.0\n",
        "pin_error_um = [1.0, 2.0]\n" + ELASTIC,
        "planetary.st.pin_error_um",
        "3, one a planet",
    ),
    "pin errors of rigid": ("= 4.0", "= 4.0\npin_error_um = [1.0, 2.0, 3.0]", "planetary.st.pin_error_um", "no effect"),
    "tips that do not reach": (
        "= 4.0",
        "= 4.0\ntip_diameters_mm = { sun = 59.0 }",
        "planetary.st.tip_diameters_mm",
        "tip diameters of the sun and the planet",
        "so large that flanks meet",
    ),
    "shifts of two distances": (
        "= 4.0",
        "= 4.0\nprofile_shifts = { sun = 0.3, planet = 0.1, ring = 0.0 }",
        "centre distance of the planet and the ring by their profile shifts",
        "give profile_shifts.ring = -0.5",
    ),
    "a shift that squeezes": (
        "= 4.0",
        "= 4.0\ncenter_distance_mm = 78.0\nprofile_shifts = { sun = 0.3, planet = 0.1 }",
        "backlash of the sun and the planet",
        "give profile_shifts.sun = -0.1",
    ),
    "tips of what is not there": (
        "= 4.0",
        "= 4.0\ntip_diameters_mm = { second_sun = 76.0 }",
        "planetary.st.tip_diameters_mm",
        "one of sun, ring, planet",
    ),
    "torque without position": (
        "planet_mass_kg = 1.0\n",
        "torque_Nm = 10.0\n" + ELASTIC,
        "planetary.st.torque_Nm",
        "no stiffness over the mesh position",
    ),
    "shift that is missing": (
        "planet_mass_kg = 1.0\n",
        "center_distance_mm = 78.5\ntip_diameters_mm = { sun = 77, planet = 96, ring = 239 }\n"
        + ELASTIC
        + "stiffness_factor = [1.0, 1.2, 0.8]\n",
        "profile shift of the planet",
        "how the meshes of a planet follow each other; give profile_shifts.planet",
    ),
    "tips that are missing": (
        "planet_mass_kg = 1.0\n",
        "center_distance_mm = 79.0\n" + ELASTIC + 'friction = "coulomb"\nmu = 0.1\n',
        "tip diameters of the sun and the ring and the planet",
        "give tip_diameters_mm = { sun = 78.0, ring = ",
    ),
    "four central gears": (
        "sun_teeth = 17",
        'second_sun = "x"\nsecond_ring = "y"\nsecond_sun_teeth = 20\nsecond_ring_teeth = 70\nsun_teeth = 17',
        "planetary.st",
        "central gears",
    ),
    "stepped without steps": ("planets = 3", "planets = 3\nstepped = true", "planetary.st.stepped", "False with one"),
    "a name of a planet": (
        "[rotors.r]",
        '[rotors."st planet"]\ninertia_kg_m2 = 1.0\n[rotors.r]',
        "st planet",
        "rename",
    ),
    "a misspelt key": ("planets = 3", "planets = 3\nplanet_tooth = 3", "planetary.st.planet_tooth", "nearest key"),
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
    assert " must be " in told[0] or " must have " in told[0] or "no such key" in told[0]
    assert "; " in told[0]


@pytest.mark.parametrize("changed", [("", ""), ("planet_mass_kg = 1.0\n", ELASTIC)])
def test_sound_sets_run(changed: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "set.toml"
    path.write_text(SET.replace(*changed, 1) + "[output]\nplots = false\n", encoding="utf-8")
    assert cli.main(["check", str(path), "--picture", str(tmp_path / "graph.png")]) == 0
    assert cli.main(["run", str(path), "--out", str(tmp_path / "out")]) == 0
    data = ag.load(tmp_path / "out").dataset
    speeds = {name: float(data.speed.sel(body=name)[-1]) for name in ("s", "r", "c")}
    assert speeds["s"] > 0.0
    teeth = ag.PlanetaryTeeth(sun=17, planets=(22,), ring=61, n_planets=3).branches[0].gears
    expected = teeth.speeds(sun=speeds["s"], carrier=speeds["c"])["ring"]
    assert speeds["r"] == pytest.approx(expected, abs=1e-2 if changed[0] else 1e-12)  # elastic teeth vibrate


def test_the_example_has_the_ratio_of_its_stage() -> None:
    case = ag.case_from_file(MESHES / "planetary_nrel_5mw.toml")
    (planetary,) = (part for part in case.parts if isinstance(part, ag.PlanetaryGearSet))
    gears = planetary.teeth.branches[0].gears
    assert float(gears.ratios["sun", "carrier"]) == pytest.approx(3.947, abs=5e-4)  # last printed digit
    assert planetary.teeth.pin_radii == {"planet": 0.863}


def test_stiffness_over_the_position_follows_from_the_teeth(tmp_path: Path) -> None:
    """From half a pitch of even planets less the two thicknesses, which the shift adds to."""
    factor = "stiffness_factor = [1.0, 1.2, 0.8]\n"
    over_position = ELASTIC.replace("[planetary.st.ring_mesh]", factor + "[planetary.st.ring_mesh]") + factor
    for torque, sense in ((None, 1.0), (-20.0, -1.0)):
        given = "profile_shifts = { planet = 0.1 }\n" + ("" if torque is None else f"torque_Nm = {torque}\n")
        case = read_set(tmp_path, SET.replace("planet_mass_kg = 1.0\n", given + over_position))
        (planetary,) = (part for part in case.parts if isinstance(part, ag.PlanetaryGearSet))
        sun, ring = (mesh.spring.factor for mesh in planetary.elastic_meshes()[:2])
        assert sun.start == 0.0
        # both thicknesses are half a pitch and 2 x tan alpha/pi of one
        behind = 11.0 - sense * (0.5 + 2.0 * 0.1 * tan(radians(20.0)) / pi)
        assert -ring.start / ring.period == pytest.approx(behind, abs=1e-12)  # round-off


PINS = ELASTIC.replace(
    'fidelity = "elastic"\n',
    'fidelity = "elastic"\npin_stiffness_N_per_m = [1e8, 2e8, 3e8]\npin_tilt_stiffness_Nm_per_rad = [1e5, 1e5]\n',
)


def read_set(tmp_path: Path, text: str) -> ag.MachineCase:
    path = tmp_path / "case.toml"
    path.write_text(text, encoding="utf-8")
    case = ag.case_from_file(path)
    assert isinstance(case, ag.MachineCase)
    return case


def test_planets_on_bearings_of_their_pins_are_moved_and_told(tmp_path: Path) -> None:
    case = read_set(tmp_path, SET.replace("planet_mass_kg = 1.0\n", PINS))
    (planetary,) = (part for part in case.parts if isinstance(part, ag.PlanetaryGearSet))
    assert planetary.pins is not None
    model = case.turning().model
    place = model.places["st planet 1"]
    assert len(place.coordinates) == 6
    short = SET.replace("planet_mass_kg = 1.0\n", PINS).replace(
        "duration_s = 0.1", "duration_s = 0.002\noutput_every_s = 5e-5"
    )
    data = ag.run(read_set(tmp_path, short)).dataset
    assert list(data.body.values) == ["s", "r", "c", "st planet 1", "st planet 2", "st planet 3"]  # what turns
    # the work of 1 N m on the sun is in motion and springs; 1e-6: the tolerance of the integration
    work = float(data.angle.sel(body="s")[-1])
    assert float(abs(data.energy_missing).max()) < 1e-6 * work
    momentum = data.speed.isel(time=-1)
    teeth = planetary.teeth.branches[0].gears
    expected = teeth.speeds(sun=float(momentum.sel(body="s")), carrier=float(momentum.sel(body="c")))["ring"]
    assert float(momentum.sel(body="r")) == pytest.approx(expected, abs=0.1 * abs(float(momentum.sel(body="s"))))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("pin_damping_Ns_per_m = [1.0, 1.0, 1.0]", "pin_damping_Ns_per_m"),
        ("pin_tilt_stiffness_Nm_per_rad = [1.0, 1.0]", "pin_tilt_stiffness_Nm_per_rad"),
        ("planet_tilt_inertia_kg_m2 = 0.1", "planet_tilt_inertia"),
        ("pin_stiffness_N_per_m = [-1.0, 1.0, 1.0]", "stiffness of bearing"),
        ("pin_stiffness_N_per_m = [0.0, 0.0, 0.0]", "stiffness of bearing"),
    ],
)
def test_what_is_refused_of_pins(tmp_path: Path, line: str, words: str) -> None:
    text = SET.replace("planet_mass_kg = 1.0\n", ELASTIC).replace(
        'fidelity = "elastic"', f'fidelity = "elastic"\n{line}'
    )
    with pytest.raises(ag.CaseFaults, match=words):
        read_set(tmp_path, text)


@pytest.mark.parametrize("more", ["", "center_distance_mm = 79.0\n", "helix_angle_deg = 15.0\n"])
@pytest.mark.parametrize("E", [210.0, 3.0])
def test_stiffness_that_is_not_given_is_that_of_the_standard(tmp_path: Path, more: str, E: float) -> None:
    """c' = 0.8 C_B cos beta/q' E/206, c_gamma = c' (0.75 eps_alpha + 0.25); a ring counts as a rack."""
    text = SET.replace("planet_mass_kg = 1.0\n", f'fidelity = "elastic"\nface_width_mm = 25.0\n{more}')
    path = tmp_path / "set.toml"
    path.write_text(text.replace("[machine]", f"[material]\nyoungs_modulus_GPa = {E}\n[machine]"))
    (one,) = (part for part in ag.case_from_file(path).parts if part.name == "st")
    teeth, beta = one.teeth, one.teeth.beta
    beta_b = atan(tan(beta) * cos(teeth.layouts[-1].alpha_t))
    x = {"planet": 0.0, **teeth.shifts.x}
    if "ring" not in x or "sun" not in x:
        sums = {
            mesh: profile_shift_sum(z=teeth.gears_of(mesh)[1], m_n=4e-3, a_w=79e-3, alpha_n=radians(20.0), beta=beta)
            for mesh in ("sun", "ring")
        }
        x |= sums
    for mesh, gears in (("sun", ("sun", "planet")), ("ring", ("planet", "ring"))):
        z = dict(zip(*teeth.gears_of(mesh), strict=True))
        z_n = {gear: z[gear] / (cos(beta_b) ** 2 * cos(beta)) if z[gear] > 0 else inf for gear in gears}
        first, second = sorted(gears, key=lambda gear: z_n[gear])
        q = minimum_flexibility(z_n[first], z_n[second], x[first], x[second])
        single = 0.8 * 0.975 * cos(beta) / q * E / 206.0
        eps_alpha = 4.0 * (one.meshes[mesh].spring.c / (25e-3 * single) - 0.25) / 3.0
        r = teeth.pitch_radii(mesh)
        tips = [teeth.tip(gear) for gear in teeth.gears_of(mesh)[0]]
        if None not in tips:
            r_b = [one * cos(teeth.alpha_wt(mesh)) for one in r]
            ends = [copysign((tip**2 - base**2) ** 0.5, tip) for tip, base in zip(tips, r_b, strict=True)]
            path_length = sum(ends) - sum(r) * sin(teeth.alpha_wt(mesh))
            expected = path_length / (2.0 * pi * r_b[0] / teeth.gears_of(mesh)[1][0])
            assert eps_alpha == pytest.approx(expected, rel=1e-9)
        assert 1.0 < eps_alpha < 2.2


def test_what_holds_planets_against_tilting_is_asked_for_by_its_key(tmp_path: Path) -> None:
    """Bearings as stiff all along a width b have k b^2/12: 2e8 * 0.03^2/12 and half of it; pasted, it is accepted."""
    text = """
[machine]
[shafts.sun]
fixed_axis = true
[shafts.carrier]
fixed_axis = true
[planetary.set]
sun = "sun"
ring = "ground"
carrier = "carrier"
sun_teeth = 24
planet_teeth = 30
ring_teeth = 84
planets = 3
normal_module_mm = 2.0
fidelity = "teeth"
torque_Nm = 100
pin_stiffness_N_per_m = [2e8, 1e8, 1e8]
sun_gear = { face_width_mm = 30, bore_diameter_mm = 20 }
planet_gear = { face_width_mm = 30, bore_diameter_mm = 25 }
ring_gear = { face_width_mm = 30, rim_diameter_mm = 200, tip_alteration_factor = -0.15 }
[drives.motor]
shaft = "sun"
speed_rpm = 100
[loads.brake]
shaft = "carrier"
torque_Nm = 450
inertia_kg_m2 = 0.1
[analysis]
kind = "dynamic"
duration_s = 0.01
"""
    path = tmp_path / "set.toml"

    def with_tilt(line: str) -> ag.MachineCase:
        path.write_text(text.replace("[2e8, 1e8, 1e8]", f"[2e8, 1e8, 1e8]\n{line}"))
        return ag.case_from_file(path)

    with pytest.raises(Fault, match=r"what holds the tilt . of set planet . = nothing") as told:
        with_tilt("pin_tilt_stiffness_Nm_per_rad = [0, 0]")
    line = "pin_tilt_stiffness_Nm_per_rad = [7500, 15000]"
    assert f"give {line} in [planetary.set]" in str(told.value)
    as_wide_as_the_gears, given = (case.parts[0].pins.stiffness for case in (with_tilt(""), with_tilt(line)))
    assert list(as_wide_as_the_gears) == pytest.approx(list(given), rel=1e-12)


def test_a_set_that_nothing_drives_at_rest_is_told_what_does(tmp_path: Path) -> None:
    """The commonest set of 4 to 1, on springs and bodies that only turn; with the drive it is accepted."""
    text = """
[machine]
[rotors]
sun = { inertia_kg_m2 = 1e-3 }
carrier = { inertia_kg_m2 = 1e-2 }
[planetary.set]
sun = "sun"
ring = "ground"
carrier = "carrier"
sun_teeth = 18
planet_teeth = 18
ring_teeth = 54
planets = 4
normal_module_mm = 1.86
helix_angle_deg = 15
planet_inertia_kg_m2 = 1e-5
fidelity = "elastic"
sun_mesh = { stiffness_N_per_m = 2e8 }
ring_mesh = { stiffness_N_per_m = 3e8 }
[torques.load]
at = "carrier"
torque_Nm = -40.0
[analysis]
kind = "static"
"""
    path = tmp_path / "set.toml"
    path.write_text(text)
    with pytest.raises(
        Fault, match=r"what holds the rotation of sun = nothing: .* add \[drives.motor\] with shaft = .sun"
    ):
        ag.case_from_file(path)
    path.write_text(text + '[drives.motor]\nshaft = "sun"\nspeed_rpm = 100\n')
    ag.case_from_file(path)
