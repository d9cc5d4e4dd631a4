"""Warnings of a case before it is computed: each appears where it should, says what to do, and is silent otherwise."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear.checks import design_warnings as design
from alegear.checks.gear_data import gear_data

MESHES = Path(__file__).parents[2] / "meshes"
TEXT = (MESHES / "spur_20_30.toml").read_text()


def case_of(pinion: str = "", torque: float = 400.0, **changes: str) -> ag.Case:
    """The delivered pair with lines for the pinion, another torque, and other text replaced."""
    text = TEXT.replace("[wheel]", f"{pinion}\n[wheel]").replace("= 400.0", f"= {torque!r}")
    for old, new in changes.items():
        assert f"{old} " in text
        text = text.replace(f"{old} = 35.8", f"{old} = {new}")
    return ag.Case.from_bytes(text.encode())


def relief(amount: float, start: float, more: str = "") -> str:
    return f"{more}\n[pinion.flank]\ntip_relief_um = {amount}\ntip_relief_start_diameter_mm = {start}"


def only(case: ag.Case, begins: str) -> str:
    """The one warning of a case, which `check` says too."""
    (warning,) = design.design_warnings(case)
    assert warning.startswith(begins), warning
    assert warning in gear_data(case)["warnings"]
    return warning


@pytest.mark.parametrize("path", sorted(MESHES.glob("*.toml")), ids=lambda path: path.stem)
def test_delivered_cases_are_silent(path: Path) -> None:
    case = ag.case_from_file(path)
    flexible = (
        [place for place in case.layout.meshes if place.mesh.law.needs_contact]
        if isinstance(case, ag.MachineCase)
        else []
    )
    pairs = [case.pair_case(place) for place in flexible] if isinstance(case, ag.MachineCase) else [case]
    assert [design.design_warnings(one) for one in pairs] == [list(one.pair.warnings) for one in pairs]


# ------------------------------------------------------------------------------- bodies
def test_a_thin_rim_on_a_rigid_bore() -> None:
    gear = case_of().pair.pinion
    largest = 1e3 * gear.d_f - 2.0 * 1.5 * 4.0
    thin = case_of(bore_diameter_mm=f"{1e3 * gear.d_f - 1.2:.4f}")
    warning = only(thin, "rim of the pinion = 0.15 modules")
    assert f"bore_diameter_mm = {largest:.4g} or less" in warning
    assert design.design_warnings(case_of(bore_diameter_mm=f"{largest - 0.01:.4f}")) == []


@pytest.mark.parametrize(
    ("bores", "words"),
    [
        (("12.0", "18.0"), "rims that turn and shift about their bores"),
        (("59.0", "95.0"), "rigid bores close under the teeth"),
    ],
)
def test_bores_that_decide_the_stiffness(bores: tuple[str, str], words: str) -> None:
    """The bores that are named, written into the file, leave nothing to be said."""

    def with_bores(pinion: str, wheel: str) -> ag.Case:
        text = TEXT.replace("= 35.8 ", f"= {pinion} ").replace("= 54.2 ", f"= {wheel} ")
        return ag.Case.from_bytes(text.encode())

    warning = only(with_bores(*bores), "mesh stiffness, estimated, = ")
    assert words in warning
    named = warning.split("bore_diameter_mm = ")[1].split(" they have")[0]
    case = with_bores(*(one.split()[0] for one in named.split(" and ")))
    assert design.design_warnings(case) == []
    assert design.beside_iso(case).summary()["mesh_stiffness_over_iso_6336"] == pytest.approx(1.0, abs=1e-3)


# ------------------------------------------------------------------------------- flanks
def test_relief_beyond_what_the_load_closes() -> None:
    warning = only(case_of(relief(100.0, 87.0)), "tip_relief_um of the pinion = 100")
    assert "more than 71 um, far beyond the about 24 um that the load deflects the teeth" in warning
    assert design.design_warnings(case_of(relief(60.0, 88.0))) == []
    # a relief of a hundredth of a module may be meant for a larger load, and an idle pair has none
    assert design.design_warnings(case_of(relief(39.0, 88.0), torque=20.0)) == []


def test_relief_far_beyond_a_small_load() -> None:
    """0.4 N m where 0.4 kN m was meant; at a twentieth of the load the same relief is sound."""
    warning = only(case_of(relief(15.0, 88.0), torque=0.4), "tip_relief_um of the pinion = 15: more than 1.2 um")
    assert warning.endswith("or check pinion_torque_Nm = 0.4 and its unit")
    for torque in (400.0, 120.0, 20.0):
        assert design.design_warnings(case_of(relief(15.0, 88.0), torque=torque)) == []


def crowned(amount: float, torque: float) -> ag.Case:
    return case_of(f"[pinion.flank]\nlead_crowning_um = {amount}", torque=torque)


def test_a_load_that_closes_hardly_any_of_the_face() -> None:
    warning = only(crowned(10.0, 0.4), "pinion_torque_Nm = 0.4: deflects the teeth by about 0.024 um")
    assert "over 15 % of the face only, less than 25 %: check the unit of the torque" in warning
    for torque in (400.0, 40.0, 8.0):
        assert design.design_warnings(crowned(10.0, torque)) == []


def test_part_of_the_face_that_carries_is_that_of_a_parabola_and_of_a_wedge() -> None:
    """Of a crowning C the share is (3/2 d/C)^(1/3), of a tilt by f over the face (2 d/f)^(1/2), of a deflection d."""
    case = crowned(10.0, 4.0)
    d = design.deflection_of(case.pair, case.materials, 4.0)
    assert design.loaded_face(case.pair, case.materials, 4.0) == pytest.approx(
        (1.5 * d / 10e-6) ** (1.0 / 3.0), rel=2e-3
    )  # a section
    tilt = 1e-3
    pair = case_of(torque=4.0).pair.with_alignment(ag.Alignment(tilt_plane_of_action=tilt))
    share = math.sqrt(2.0 * d / (tilt * pair.b_w))
    assert design.loaded_face(pair, case.materials, 4.0) == pytest.approx(share, abs=1e-3)  # two sections
    assert design.loaded_face(case_of().pair, case.materials, 1e-3) == 1.0


def test_a_relief_that_begins_with_a_corner() -> None:
    """20 um over the last hundredths of a millimetre of a sharp tip."""
    gear = case_of("tip_rounding_mm = 0.0").pair.pinion
    warning = only(case_of(relief(20.0, 1e3 * gear.d_a - 0.02, "tip_rounding_mm = 0.0")), "tip_relief_um of the pinion")
    assert "um per um, more than 0.06: it begins with a corner" in warning
    least = 1e-3 * float(warning.split("at least ")[1].split()[0])
    start = 2e3 * math.hypot(gear.r_b, float(gear.roll_length(gear.r_a)) - 1.01 * least)
    assert design.design_warnings(case_of(relief(20.0, start, "tip_rounding_mm = 0.0"))) == []
    root = f"[pinion.flank]\nroot_relief_um = 10.0\nroot_relief_start_diameter_mm = {1e3 * gear.d_Ff + 0.01}"
    assert "above the form circle" in only(case_of(root), "root_relief_um of the pinion = 10 over")


@pytest.mark.parametrize("rounding", [0.0, 0.2, 0.6])
def test_the_round_begins_where_the_contact_has_it(rounding: float) -> None:
    gear = replace(case_of().pair.pinion, tip_rounding=1e-3 * rounding)
    begin = gear.tooth_profile.roll_length(gear.modified_profile(np.zeros(1), sharpest_tip=1e-9).s_start)[0]
    assert design.round_begin(gear) == pytest.approx(float(begin), abs=1e-8)


def test_relief_inside_the_tip_round_does_nothing() -> None:
    case = case_of(relief(30.0, 89.55, "tip_rounding_mm = 0.6"))
    warning = only(case, "tip relief of the pinion begins at 89.55 mm")
    begin = float(warning.split("begins at ")[2].split()[0])
    assert "the flank keeps 0 um" in warning
    assert design.design_warnings(case_of(relief(30.0, begin - 0.3, "tip_rounding_mm = 0.6"))) == []


def test_relief_that_eats_the_path() -> None:
    case = case_of(relief(70.0, 76.5))
    assert "is 41.6 um peak to peak, more than 23.6 um" in only(case, "reliefs leave less than a pitch")
    # from the highest point of single contact on the flanks left are a pitch long
    pair = case.pair
    high = pair.path_of_contact_usable[0] + pair.p_bt
    start = 2e3 * math.hypot(pair.pinion.r_b, high)
    assert design.kinematic_error(case_of(relief(60.0, start + 1e-3)).pair) == 0.0
    longer = case_of(relief(60.0, start - 1.0)).pair
    assert 0.0 < design.kinematic_error(longer) < 60e-6


def test_error_without_load_is_that_of_the_line_where_the_pairs_change() -> None:
    """One gear relieved linearly from below the change on: the pair that leaves has lost what the line has there."""
    pair = case_of(relief(60.0, 78.0)).pair
    low, _ = pair.path_of_contact_usable
    removed = float(pair.pinion.flank_removal(low + pair.p_bt, 0.0))
    assert design.kinematic_error(pair, positions=4096) == pytest.approx(removed, rel=2e-3)  # a step of the positions


# ----------------------------------------------------------------------------- strength
def test_torque_beyond_any_steel() -> None:
    pressure, *roots = design.design_warnings(case_of(torque=1.8e6))
    assert pressure.startswith("pinion_torque_Nm = 1.8e+06: about 8.45e+04 MPa of Hertzian pressure")
    assert [r.split("in the root of the ")[1].split()[0] for r in roots] == ["pinion", "wheel"]
    bearable = [float(w.rsplit(" ", 1)[1]) for w in (pressure, *roots)]
    assert design.design_warnings(case_of(torque=0.99 * min(bearable))) == []


def test_pressure_at_the_pitch_point() -> None:
    """FZG type C: E 206 GPa, 16/24, m 4.5 mm, 14 mm wide, 183.4 N m; pitch point 36.6 and 54.9 mm from the axes."""
    case = ag.Case.from_toml(MESHES.parent / "validation" / "fzg_loss" / "case.toml")
    alpha = math.acos(0.5 * (67.6579 + 101.487) / 91.5)
    radius = 1.0 / (1.0 / 36.6 + 1.0 / 54.9) * math.sin(alpha) * 1e-3
    line_load = 183.4 / 0.5 / 67.6579e-3 / 14e-3
    expected = math.sqrt(line_load * 206e9 / (2.0 * math.pi * (1.0 - 0.09) * radius))
    assert design.pitch_point_pressure(case.pair, case.materials, 183.4) == pytest.approx(expected, rel=1e-5)


def test_root_stress_of_a_load_at_the_tip_is_above_the_computed_one() -> None:
    """An estimate on the safe side: at the tip, unshared, against 198 to 245 MPa of the finite elements."""
    pair = case_of().pair
    line_load = 400.0 / pair.pinion.r_b / pair.b_w
    found = [design.tip_load_root_stress(gear, line_load) for gear in pair.gears]
    assert np.all((np.array(found) > 300e6) & (np.array(found) < 500e6))


@pytest.mark.parametrize(
    ("pinion", "torque"),
    [
        ("", 400.0),
        (relief(100.0, 87.0), 400.0),
        (relief(15.0, 88.0), 0.4),
        ("[pinion.flank]\nlead_crowning_um = 10", 0.4),
    ],
)
def test_modulus_and_load_in_proportion_have_the_same_warnings(pinion: str, torque: float) -> None:
    """The load deflects plastic teeth as it does those of steel under 70 times the load: each share is the same."""
    case = case_of(pinion, torque=torque, bore_diameter_mm="2.0")
    steel = design.design_warnings(case)
    plastic = replace(
        case,
        materials=tuple(ag.Material(E=3e9, rho=1415.0) for _ in range(2)),
        operation=replace(case.operation, pinion_torque=torque * 3.0 / 210.0),
    )
    assert any("rims that turn and shift" in warning for warning in steel)
    for one, other in zip(steel, design.design_warnings(plastic), strict=True):
        assert one == other.replace(
            f"pinion_torque_Nm = {torque * 3.0 / 210.0:.4g}", f"pinion_torque_Nm = {torque:.4g}"
        )


def test_strengths_are_those_of_the_material() -> None:
    """Nothing is said of a material without strengths; those that are given are named."""
    case = case_of(torque=4000.0)
    assert [warning.split(" MPa that ")[1].split(" bears")[0] for warning in design.design_warnings(case)]
    for given, words in (({}, []), ({"contact_strength": 70e6, "root_strength": 60e6}, ["70", "60", "60"])):
        plastic = ag.Material(E=3e9, nu=0.35, rho=1415.0, **given)
        found = design.design_warnings(replace(case, materials=(plastic, plastic)))
        told = [warning for warning in found if "bears once" in warning]
        assert [warning.split("more than the ")[1].split(" MPa")[0] for warning in told] == words


def test_flash_temperature_of_unknown_thermal_constants_is_left_out_with_a_word() -> None:
    plastic, friction = ag.Material(E=3e9, nu=0.35, rho=1415.0), ag.Friction(kind="coulomb")
    case = case_of(torque=4.0)
    case = replace(case, friction=friction, operation=replace(case.operation, pinion_speed=100.0))
    told = design.design_warnings(replace(case, materials=(case.materials[0], plastic)))
    (warning,) = (one for one in told if "flash" in one)
    assert warning.endswith(
        "give thermal_conductivity_W_per_mK and specific_heat_J_per_kgK in [material] or [wheel.material]"
    )
    assert (
        design.design_warnings(
            replace(case, materials=(case.materials[0], replace(plastic, conductivity=0.3, specific_heat=1465.0)))
        )
        == []
    )
    with pytest.raises(ag.CaseFaults, match=r"wheel\.material\.specific_heat_J_per_kgK = not given: must be given"):
        replace(
            case,
            friction=ag.Friction(),
            wear=ag.WearConditions(friction_coefficient=0.2),
            materials=(case.materials[0], plastic),
        )
