"""The case file: SI values out of it, and every fault named with key, value, limit and remedy."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from small_cases import PAIR

from alegear.case.analysis import StaticAnalysis
from alegear.case.case import Case
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import CaseFaults
from alegear.case.remedies import explain_unknown_key, stem
from alegear.checks.gear_data import gear_data
from alegear.geometry import Alignment
from alegear.mesh import GridOptions

MESHES = Path(__file__).parents[2] / "meshes"

STATIC = f"""{PAIR}
[operation]
pinion_torque_Nm = 400.0
[analysis]
kind = "static"
"""
DYNAMIC = STATIC.replace("pinion_torque_Nm = 400.0", "pinion_torque_Nm = 400.0\npinion_speed_rpm = 1500.0").replace(
    'kind = "static"', 'kind = "dynamic"\nduration_s = 0.02'
)


def read(text: str) -> Case:
    return Case.from_bytes(text.encode(), "case.toml")


def faults(text: str) -> list[str]:
    with pytest.raises(CaseFaults) as caught:
        read(text)
    assert str(caught.value).splitlines() == [str(fault) for fault in caught.value.faults]
    return [str(fault) for fault in caught.value.faults]


def the_fault(text: str) -> str:
    found = faults(text)
    assert len(found) == 1, found
    return found[0]


def test_defaults_are_those_of_the_contract() -> None:
    case = read(STATIC)
    assert case.title == "case"
    assert case.pair.pinion.alpha_n == math.radians(20.0)
    assert [m.E for m in case.materials] == [210e9, 210e9]
    assert [m.nu for m in case.materials] == [0.3, 0.3]
    assert [m.rho for m in case.materials] == [7860.0, 7860.0]
    assert case.teeth_modelled == (None, None)
    assert case.grid_files == (None, None)
    assert case.window_pairs is None
    assert case.friction.kind == "none"
    assert case.operation.driver == "pinion"
    assert case.operation.pinion_speed is None
    assert case.analysis == StaticAnalysis(positions_per_pitch=32, pitches=1)
    assert case.added_inertia == (0.0, 0.0)
    assert case.output.fields
    assert case.output.plots
    assert len(case.sha256) == 64


def test_units_are_converted_to_si() -> None:
    text = DYNAMIC.replace(
        "[operation]",
        """[pinion.flank]
tip_relief_um = 20.0
tip_relief_start_diameter_mm = 86.0
tip_relief_shape = "parabolic"
lead_crowning_um = 5.0
[wheel.material]
youngs_modulus_GPa = 70.0
[material]
poisson_ratio = 0.25
[wheel.grid]
flank_elements = 6
[grid]
width_elements = 3
[contact]
law = "penalty"
friction = "velocity"
mu_static = 0.1
transition_speed_dynamic_m_per_s = 0.5
window_pairs = 2
[contact.penalty]
stiffness_N_per_mm3 = 2e5
exponent = 1.5
damping_Ns_per_mm3 = 3.0
[supports.wheel]
added_inertia_kg_m2 = 0.5
[operation]""",
    )
    text = text.replace(
        "profile_shift = 0.2", "profile_shift = 0.2\ntip_rounding_mm = 0.1\ntooth_thickness_allowance_um = 30"
    )
    case = read(text)
    pinion = case.pair.pinion
    assert pinion.m_n == 4e-3
    assert pinion.b == 0.03
    assert pinion.tip_rounding == pytest.approx(1e-4, rel=1e-15)
    assert pinion.thickness_allowance == pytest.approx(3e-5, rel=1e-15)
    assert pinion.microgeometry.tip_relief == pytest.approx(2e-5, rel=1e-15)
    assert pinion.microgeometry.tip_relief_start_diameter == pytest.approx(0.086, rel=1e-15)
    assert pinion.microgeometry.tip_relief_shape == "parabolic"
    assert pinion.microgeometry.lead_crowning == pytest.approx(5e-6, rel=1e-15)
    assert case.materials[0].E == 210e9
    assert case.materials[1].E == 70e9
    assert [m.nu for m in case.materials] == [0.25, 0.25]
    assert [o.flank_elements for o in case.grid_options] == [GridOptions.flank_elements, 6]
    assert [o.width_elements for o in case.grid_options] == [3, 3]
    assert case.friction.kind == "velocity"
    assert case.friction.mu_static == 0.1
    assert case.friction.v_dynamic == 0.5
    assert case.window_pairs == 2
    # 2e5 MPa at 1 mm of penetration, delta^1.5
    assert case.penalty.stiffness is not None
    assert case.penalty.stiffness * 1e-3**1.5 == pytest.approx(2e5 * 1e6, rel=1e-14)
    assert case.penalty.damping == 3e9
    assert case.added_inertia == (0.0, 0.5)
    # 1500 rpm are 25 revolutions a second
    assert case.operation.pinion_speed == pytest.approx(50.0 * math.pi, rel=1e-15)
    assert case.analysis == DynamicAnalysis(duration=0.02)


def test_linear_penalty_stiffness_is_newton_per_cubic_millimetre() -> None:
    case = read(STATIC + '[contact]\nlaw = "penalty"\n[contact.penalty]\nstiffness_N_per_mm3 = 1.0\n')
    assert case.penalty.stiffness == pytest.approx(1e9, rel=1e-15)


@pytest.mark.parametrize(
    "name", ["spur_20_30.toml", "spur_20_30_dynamic.toml", "spur_13_97.toml", "spur_13_97_dynamic.toml"]
)
def test_delivered_cases_are_valid(name: str) -> None:
    case = Case.from_toml(MESHES / name)
    for gear in case.pair.gears:
        # the cases ask for bores of half the root diameter
        assert gear.bore_diameter == pytest.approx(0.5 * gear.d_f, rel=1e-12)
    if "13_97" in name:
        assert case.operation.driver == "wheel"
        assert case.operation.pinion_speed is not None
        # 50 rpm of the wheel, printed with seven digits
        assert case.operation.pinion_speed / case.pair.ratio * 30.0 / math.pi == pytest.approx(50.0, rel=1e-6)


def test_explicit_defaults_are_accepted() -> None:
    text = (
        STATIC.replace("normal_module_mm = 4.0", "normal_module_mm = 4.0\nhelix_angle_deg = 0.0")
        + """
[pinion.flank]
root_relief_um = 0.0
root_relief_start_diameter_mm = 78.0
root_relief_shape = "linear"
profile_crowning_um = 0.0
profile_slope_um = 0
helix_slope_um = 0.0
end_relief_um = 0.0
end_relief_length_mm = 0.0
[alignment]
tilt_plane_of_action_deg = 0.0
tilt_normal_deg = 0.0
axial_offset_mm = 0.0
center_distance_error_um = 0.0
[grid]
order = 1
[contact]
law = "penalty"
[supports.pinion]
kind = "fixed_axis"
"""
    )
    case = read(text)
    assert case.pair.alignment == Alignment()
    for one in case.pair.gears:
        assert math.copysign(1.0, one.beta) == 1.0  # not -0.0
        assert not one.flank_removal([0.01, 0.02], [0.0, 0.01]).any()
        assert not one.pitch_deviation.any()


def test_flank_keys_are_converted() -> None:
    values = {
        "tip_relief": 20.0,
        "root_relief": 10.0,
        "profile_crowning": 3.0,
        "profile_slope": -4.0,
        "lead_crowning": -5.0,
        "helix_slope": 6.0,
        "end_relief": 7.0,
    }
    keys = "".join(f"{name}_um = {value}\n" for name, value in values.items())
    micro = read(
        f"""{STATIC}
[wheel.flank]
{keys}
tip_relief_start_diameter_mm = 121.5
root_relief_start_diameter_mm = 117.0
root_relief_shape = "parabolic"
end_relief_length_mm = 4.0
"""
    ).pair.wheel.microgeometry
    for name, value in values.items():
        assert getattr(micro, name) == pytest.approx(1e-6 * value, rel=1e-15)
    assert micro.root_relief_start_diameter == pytest.approx(0.117, rel=1e-15)
    assert micro.root_relief_shape == "parabolic"
    assert micro.tip_relief_shape == "linear"
    assert micro.end_relief_length == pytest.approx(4e-3, rel=1e-15)
    assert micro.topography is None
    assert micro.pitch_deviation is None


def test_alignment_keys_are_converted() -> None:
    pair = read(
        STATIC
        + """[alignment]
tilt_plane_of_action_deg = 0.05
tilt_normal_deg = -0.02
axial_offset_mm = 2.0
center_distance_error_um = 40.0
"""
    ).pair
    alignment = pair.alignment
    assert alignment.tilt_plane_of_action == pytest.approx(math.radians(0.05), rel=1e-15)
    assert alignment.tilt_normal == pytest.approx(-math.radians(0.02), rel=1e-15)
    assert alignment.axial_offset == pytest.approx(2e-3, rel=1e-15)
    assert alignment.center_distance_error == pytest.approx(40e-6, rel=1e-15)
    assert pair.a_w == pytest.approx(100.04e-3, rel=1e-14)
    assert pair.common_face == pytest.approx((-15e-3, 13e-3), rel=1e-14)


@pytest.mark.parametrize("helix", [10.0, -10.0])
def test_helix_angle_is_that_of_the_pinion(helix: float) -> None:
    pair = read(STATIC.replace("= 4.0", f"= 4.0\nhelix_angle_deg = {helix}")).pair
    assert pair.pinion.beta == pytest.approx(math.radians(helix), rel=1e-15)
    assert pair.wheel.beta == -pair.pinion.beta


def test_printed_data_of_a_helical_pair() -> None:
    """Those of the pair and its gears, in the units of their keys."""
    case = read(STATIC.replace("= 4.0", "= 4.0\nhelix_angle_deg = 12.0"))
    data, pair = gear_data(case), case.pair
    assert [data[name]["beta_deg"] for name in ("pinion", "wheel")] == pytest.approx([12.0, -12.0], rel=1e-14)
    assert data["pinion"]["d_mm"] == pytest.approx(80.0 / math.cos(math.radians(12.0)), rel=1e-14)
    assert data["wheel"]["z_n"] == pytest.approx(30.0 / (math.cos(pair.beta_b) ** 2 * math.cos(math.radians(12.0))))
    assert data["pair"]["eps_gamma"] == data["pair"]["eps_alpha"] + data["pair"]["eps_beta"]
    # the shifts cancel: the working pitch circles are the reference circles
    assert data["pair"]["beta_w_deg"] == pytest.approx(12.0, rel=1e-12)
    assert data["pair"]["m_t_mm"] == pytest.approx(4.0 / math.cos(math.radians(12.0)), rel=1e-14)
    assert data["pair"]["b_w_mm"] == pytest.approx(30.0, rel=1e-14)
    spur = gear_data(read(STATIC))
    assert [math.copysign(1.0, spur["wheel"][key]) for key in ("beta_deg", "s_an_mm")] == [1.0, 1.0]


def test_negative_torque_loads_the_back_flanks() -> None:
    assert read(STATIC.replace("= 400.0", "= -400.0")).operation.pinion_torque == -400.0


def test_law_and_slices() -> None:
    case = read(STATIC)
    assert case.law == "hertz"
    assert case.slices is None
    line = the_fault(STATIC + '[contact]\nlaw = "penalty"\nslices = 8\n')
    assert 'contact.slices = 8: has no effect with law = "penalty"; leave it out' in line
    for slices in (0, 401):
        assert the_fault(STATIC + f"[contact]\nslices = {slices}\n").startswith(
            f"case.toml: contact.slices = {slices}: "
        )


class TestMeasuredFlanks:
    topography = "roll_length_mm,face_position_mm,deviation_um\n9,-14,1\n9,14,2\n20,-14,3\n20,14,4\n"
    TABLES = ("topography", "topography_left", "topography_right")
    pitches = "tooth,displacement_um\n" + "".join(f"{tooth},{0.1 * tooth}\n" for tooth in range(20))

    def case_file(self, folder: Path, key: str, content: str | None) -> Path:
        """Case with a file beside it, named as seen from the case."""
        (folder / "data").mkdir()
        if content is not None:
            (folder / "data" / "flank.csv").write_text(content)
        path = folder / "case.toml"
        sign = 'sign = "removal-positive"'
        entry = f'{{ file = "data/flank.csv", {sign} }}' if key in self.TABLES else '"data/flank.csv"'
        path.write_text(f"{STATIC}[pinion.flank]\n{key} = {entry}\n")
        return path

    @pytest.mark.parametrize("key", TABLES)
    def test_topography_is_found_from_the_folder_of_the_case(self, tmp_path: Path, key: str) -> None:
        case = Case.from_toml(self.case_file(tmp_path, key, self.topography))
        for flank, other in (("a", "right"), ("b", "left")):
            removal = case.pair.pinion.flank_removal([9e-3, 20e-3], [-14e-3, 14e-3], flank)
            there = 0.0 if key.endswith(other) else 1.0
            assert removal == pytest.approx([1e-6 * there, 4e-6 * there], rel=1e-12)

    @pytest.mark.parametrize(
        ("lines", "words"),
        [
            ('topography_csv = "data/flank.csv"', 'write topography = { file = "...", sign = "metal-positive" }'),
            ('[pinion.flank.topography]\nfile = "data/flank.csv"', "pinion.flank.topography.sign"),
            ('[pinion.flank.topography]\nfile = "data/flank.csv"\nsign = "plus"', 'must be "metal-positive" or'),
            (
                'topography = { file = "data/flank.csv", sign = "metal-positive" }\n'
                'topography_left = { file = "data/flank.csv", sign = "metal-positive" }',
                "given for both flanks and for one",
            ),
        ],
    )
    def test_sign_must_be_said_and_once(self, tmp_path: Path, lines: str, words: str) -> None:
        path = self.case_file(tmp_path, "topography", self.topography)
        path.write_text(f"{STATIC}[pinion.flank]\n{lines}\n")
        with pytest.raises(CaseFaults) as caught:
            Case.from_toml(path)
        (fault,) = caught.value.faults
        assert words in str(fault)

    def test_pitch_deviations_are_found_from_the_folder_of_the_case(self, tmp_path: Path) -> None:
        case = Case.from_toml(self.case_file(tmp_path, "pitch_deviation_csv", self.pitches))
        assert case.pair.pinion.pitch_deviation == pytest.approx([1e-7 * tooth for tooth in range(20)])
        assert not case.pair.wheel.pitch_deviation.any()

    @pytest.mark.parametrize(
        ("key", "content", "words"),
        [
            ("topography", None, "No such file"),
            ("topography_left", topography.replace("20,", "30,"), "roll length in topography_left [mm] = 30.0"),
            ("topography", topography.replace("20,14,4\n", ""), "1 hole(s)"),
            (
                "topography",
                topography.replace("14,4", "14,nan"),
                "line 5: deviation_um = nan must be a finite number",
            ),
            ("topography", topography.replace("face_position", "width"), "columns = roll_length_mm, width_mm"),
            (
                "topography",
                topography.replace("20,", "30,"),
                "roll length in topography [mm] = 30.0 must be on",
            ),
            ("topography", topography.replace("14,", "17,"), "face position in topography [mm] = -17.0"),
            ("topography", topography.replace("20,14,4", "20,14,4000"), "half the tooth thickness"),
            ("pitch_deviation_csv", None, "No such file"),
            ("pitch_deviation_csv", pitches.replace("19,1.9", "20,1.9"), "tooth = 19 must be given too"),
            (
                "pitch_deviation_csv",
                pitches[: pitches.index("19,")],
                "number of pitch deviations = 19 must be that of the",
            ),
        ],
    )
    def test_refusals_name_the_key(self, tmp_path: Path, key: str, content: str | None, words: str) -> None:
        with pytest.raises(CaseFaults) as caught:
            Case.from_toml(self.case_file(tmp_path, key, content))
        (fault,) = caught.value.faults
        assert fault.key == f"pinion.flank.{key}{'.file' if key in self.TABLES else ''}"
        assert fault.value == '"data/flank.csv"'
        assert words in str(fault)
        assert key.removesuffix("_csv").split("_left")[0] in fault.remedy


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        (
            "[pinion.flank]\nroot_relief_um = 5.0\nroot_relief_start_diameter_mm = 70.0",
            "pinion.flank.root_relief_start_diameter_mm = 70.0: root relief start diameter [mm] must be above",
        ),
        (
            "[wheel.flank]\nroot_relief_um = 5.0",
            "wheel.flank.root_relief_start_diameter_mm = (missing): the key is needed with root_relief_um; "
            "give the diameter where root relief starts, in mm",
        ),
        (
            "[wheel.flank]\nend_relief_um = 5.0",
            "wheel.flank.end_relief_length_mm = (missing): the key is needed with end_relief_um; "
            "give the length of each end relief in mm",
        ),
        (
            "[wheel.flank]\nend_relief_um = 5.0\nend_relief_length_mm = 16.0",
            "wheel.flank.end_relief_length_mm = 16.0: end relief length [mm] must be at most half the face width, 15",
        ),
        (
            "[pinion.flank]\nroot_relief_um = -5.0",
            "pinion.flank.root_relief_um = -5.0: must be at least 0; give the root",
        ),
        (
            "[pinion.flank]\ntip_relief_um = 2000.0\ntip_relief_start_diameter_mm = 85.0",
            "pinion.flank.tip_relief_um = 2000.0: flank deviation at diameter 89.6000 mm [um]",
        ),
        (
            "[pinion.flank]\nprofile_slope_um = 2000",
            "pinion.flank.profile_slope_um = 2000: flank deviation at diameter 89.6000 mm [um]",
        ),
        (
            "[wheel.flank]\npitch_deviation_csv = 3",
            "wheel.flank.pitch_deviation_csv = 3: must be a text in quotes; give the path",
        ),
        (
            "[alignment]\ntilt_plane_of_action_deg = 1.5",
            "alignment.tilt_plane_of_action_deg = 1.5: must be at most 1; give the tilt of the axis of the pinion",
        ),
        ("[alignment]\ntilt_normal_deg = -1.5", "alignment.tilt_normal_deg = -1.5: must be at least -1; give the tilt"),
        (
            "[alignment]\naxial_offset_mm = 31.0",
            "alignment.axial_offset_mm = 31.0: common face width [mm] = -1.0 must be at least 0.3000: the faces",
        ),
        (
            "[alignment]\ncenter_distance_error_um = -60.0",
            "alignment.center_distance_error_um = -60.0: backlash [mm] = -0.0435",
        ),
        (
            "[alignment]\ncenter_distance_error_um = 1e6",
            "alignment.center_distance_error_um = 1000000.0: must be at most",
        ),
        (
            "[alignment]\ncenter_distance_error = 1.0",
            "alignment.center_distance_error = 1.0: the unit is missing in the key",
        ),
        (
            "[alignment]\naxial_ofset_mm = 1.0",
            "alignment.axial_ofset_mm = 1.0: no such key; the nearest key is axial_offset_mm",
        ),
        ("[pinion.flank]\nlead_slope_um = 1.0", "pinion.flank.lead_slope_um = 1.0: no such key; the nearest key is"),
    ],
)
def test_faults_of_flanks_and_alignment(addition: str, expected: str) -> None:
    assert the_fault(f"{STATIC}\n{addition}\n").startswith(f"case.toml: {expected}")


def test_steep_helix_is_refused() -> None:
    line = the_fault(STATIC.replace("= 4.0", "= 4.0\nhelix_angle_deg = 46.0"))
    assert "pair.helix_angle_deg = 46.0: must be at most 45; give the helix angle of the pinion" in line


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("teeth = 30", "teeth = -60", "wheel.teeth"),
    ],
)
def test_values_that_are_not_built_are_refused(old: str, new: str, key: str) -> None:
    line = the_fault(STATIC.replace(old, new))
    assert line.startswith(f"case.toml: {key} = ")
    assert "not in this version" in line


def modal(text: str = "") -> str:
    start, end = STATIC.index("[analysis]"), STATIC.find("\n[", STATIC.index("[analysis]"))
    return STATIC[:start] + f'[analysis]\nkind = "modal"\n{text}\n' + (STATIC[end:] if end >= 0 else "")


def test_modal_analysis() -> None:
    assert vars(read(modal()).analysis) == {"n_modes": 10, "normal_modes": 0, "phase": None}
    found = read(modal("n_modes = 4\nnormal_modes = 12\nphase = -0.25")).analysis
    assert vars(found) == {"n_modes": 4, "normal_modes": 12, "phase": -0.25}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (modal("n_modes = 0"), "analysis.n_modes = 0: must be at least 1"),
        (modal("normal_modes = -1"), "analysis.normal_modes = -1: must be at least 0"),
        (modal("phase = 0.7"), "analysis.phase = 0.7: must be at most 0.5"),
        (modal("duration_s = 1.0"), 'analysis.duration_s = 1.0: is a key of kind = "dynamic" only'),
        (modal().replace("= 400.0", "= 0.0"), "operation.pinion_torque_Nm = 0.0: must not be 0 in a modal analysis"),
        (modal() + "[output]\nfield_times_s = [0.1]\n", 'is a key of kind = "dynamic" only (a modal analysis writes'),
        (
            modal("normal_modes = 5") + '[contact]\nlaw = "penalty"\n',
            'analysis.normal_modes = 5: goes with law = "hertz"',
        ),
    ],
)
def test_faults_of_a_modal_analysis(text: str, expected: str) -> None:
    assert expected in the_fault(text)


def test_a_segment_has_no_modal_analysis() -> None:
    line = the_fault(modal().replace("teeth = 20", "teeth = 20\nteeth_modelled = 5"))
    assert "pinion.teeth_modelled = 5: a modal analysis is one of whole wheels" in line


@pytest.mark.parametrize("method", ["generalized-alpha", "hht", "backward-euler"])
def test_integrators_by_name(method: str) -> None:
    analysis = read(DYNAMIC + f'method = "{method}"\n').analysis
    assert isinstance(analysis, DynamicAnalysis)
    assert analysis.method == method


SPEED = "pinion_speed_rpm = 1500.0"


def test_speed_table_in_rad_per_s() -> None:
    case = read(DYNAMIC.replace(SPEED, "pinion_speed_table_s_rpm = [[0.0, 600.0], [0.02, 1200.0]]"))
    assert case.operation.speed_table == ((0.0, pytest.approx(20.0 * math.pi)), (0.02, pytest.approx(40.0 * math.pi)))
    assert case.operation.pinion_speed == pytest.approx(40.0 * math.pi)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("[[0.0, 600.0]]", "operation.pinion_speed_table_s_rpm = "),
        ("[[0.0, 600.0, 1.0], [0.02, 1200.0, 1.0]]", "operation.pinion_speed_table_s_rpm[0] = "),
        ("[[0.0, 600.0], [0.02, -1.0]]", "operation.pinion_speed_table_s_rpm[1][1] = -1.0: must be"),
        ("[[0.01, 600.0], [0.02, 1200.0]]", "must be rising from 0"),
        ("[[0.0, 600.0], [0.03, 700.0], [0.02, 1200.0]]", "must be rising from 0"),
        ("[[0.0, 0.0], [0.02, 0.0]]", "must be greater than 0 at some time"),
        ("[[0.0, 600.0], [0.01, 1200.0]]", "must reach duration_s = 0.02; add a point, or shorten duration_s"),
    ],
)
def test_speed_tables_that_cannot_be(table: str, expected: str) -> None:
    assert any(expected in line for line in faults(DYNAMIC.replace(SPEED, f"pinion_speed_table_s_rpm = {table}")))


def test_speed_table_beside_what_it_replaces() -> None:
    table = "pinion_speed_table_s_rpm = [[0.0, 600.0], [0.02, 1200.0]]"
    assert "excludes pinion_speed_rpm" in the_fault(DYNAMIC.replace(SPEED, f"{SPEED}\n{table}"))
    ramped = DYNAMIC.replace(SPEED, table) + "ramp_s = 0.01\n"
    assert "analysis.ramp_s = 0.01: excludes pinion_speed_table_s_rpm" in the_fault(ramped)
    static = STATIC.replace("pinion_torque_Nm = 400.0", f"pinion_torque_Nm = 400.0\n{table}")
    assert "has no effect in a static analysis" in the_fault(static)


TORQUE = "pinion_torque_Nm = 400.0"


def test_torque_table_in_N_m() -> None:
    case = read(DYNAMIC.replace(TORQUE, "pinion_torque_table_s_Nm = [[0.0, 0.0], [0.01, -300.0], [0.02, 100.0]]"))
    assert case.operation.torque_table == ((0.0, 0.0), (0.01, -300.0), (0.02, 100.0))
    assert case.operation.pinion_torque == -300.0  # the largest by magnitude


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("[[0.0, 100.0]]", "operation.pinion_torque_table_s_Nm = "),
        ("[[0.0, 100.0], [0.02, 1e300]]", "operation.pinion_torque_table_s_Nm[1][1] = 1e+300: must be"),
        ("[[0.01, 100.0], [0.02, 200.0]]", "must be rising from 0"),
        ("[[0.0, 100.0], [0.01, 200.0]]", "must reach duration_s = 0.02; add a point, or shorten duration_s"),
        ("[[0.0, -100.0], [0.02, 200.0]]", "must be 0 or of the sign of the largest torque, 200; put a point"),
    ],
)
def test_torque_tables_that_cannot_be(table: str, expected: str) -> None:
    assert any(expected in line for line in faults(DYNAMIC.replace(TORQUE, f"pinion_torque_table_s_Nm = {table}")))


def test_torque_table_beside_what_it_replaces() -> None:
    table = "pinion_torque_table_s_Nm = [[0.0, 300.0], [0.02, -100.0]]"
    assert "excludes pinion_torque_Nm" in the_fault(DYNAMIC.replace(TORQUE, f"{TORQUE}\n{table}"))
    assert "has no effect in a static analysis" in the_fault(STATIC.replace(TORQUE, table))
    penalty = DYNAMIC.replace(TORQUE, table) + '[contact]\nlaw = "penalty"\n'
    assert 'must not change its sign with law = "penalty"' in the_fault(penalty)
    line = the_fault(DYNAMIC.replace(TORQUE, ""))
    assert line.endswith(
        "operation.pinion_torque_Nm = (missing): the key is needed; give the torque on the pinion shaft in N m"
    )


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ('method = "hht"\nrho_inf = 0.3', 'analysis.rho_inf = 0.3: must be at least 0.5 with method = "hht"'),
        ('method = "backward-euler"\nrho_inf = 0.8', 'has no effect with method = "backward-euler"; leave it out'),
        ('method = "euler"', 'analysis.method = "euler": '),
    ],
)
def test_integrators_that_cannot_be_so(keys: str, expected: str) -> None:
    assert expected in the_fault(DYNAMIC + keys + "\n")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # what, value, limit, remedy
        ("teeth = 20", "teeth = 4", "pinion.teeth = 4: must be at least 5; use a gear with 5 teeth or more"),
        (
            "teeth = 20",
            "teeth = 20.0",
            "pinion.teeth = 20.0: must be a whole number, without a decimal point; write 20",
        ),
        ("teeth = 20", 'teeth = "20"', 'pinion.teeth = "20": must be a whole number; give the number of teeth'),
        ("teeth = 20", "teeth = true", "pinion.teeth = true: must be a whole number; give the number of teeth"),
        ("teeth = 20", "", "pinion.teeth = (missing): the key is needed; give the number of teeth"),
        ("= 4.0", '= "4 mm"', 'pair.normal_module_mm = "4 mm": must be a number; give the normal module in mm'),
        ("= 4.0", "= nan", "pair.normal_module_mm = nan: must be a finite number; give the normal module in mm"),
        (
            "face_width_mm = 30.0\nbore_diameter_mm = 35.8",
            "face_width_mm = -30.0\nbore_diameter_mm = 35.8",
            "pinion.face_width_mm = -30.0: must be at least 0.01; give the face width in mm",
        ),
        (
            "bore_diameter_mm = 35.8",
            "bore_diameter_mm = 75.0",
            "pinion.bore_diameter_mm = 75.0: bore diameter [mm] must be below the root diameter 71.6000; "
            "reduce bore_diameter_mm",
        ),
        (
            "pinion_torque_Nm = 400.0",
            "pinion_torque_Nm = 0.0",
            "operation.pinion_torque_Nm = 0.0: must not be 0 in a static analysis; "
            "give the torque on the pinion shaft in N m, negative to load the back flanks",
        ),
        (
            'kind = "static"',
            'kind = "statics"',
            'analysis.kind = "statics": must be "static", "dynamic", "modal" or "sweep"; correct it',
        ),
        (
            'kind = "static"',
            "",
            'analysis.kind = (missing): the kind is needed; add kind = "static", "dynamic", "modal" or "sweep"',
        ),
        ("[analysis]\n", "[other]\n", None),
    ],
)
def test_wrong_values(old: str, new: str, expected: str | None) -> None:
    found = faults(STATIC.replace(old, new, 1))
    if expected is None:
        assert any("[analysis] = (missing): the table is needed" in line for line in found)
    else:
        assert found == [f"case.toml: {expected}"]


@pytest.mark.parametrize(
    ("key", "start"),
    [
        # above the tip diameter 89.6 mm, below the root form diameter
        ("tip_relief_start_diameter_mm", "95.0"),
        ("tip_relief_start_diameter_mm", "70.0"),
    ],
)
def test_tip_relief_off_the_flank(key: str, start: str) -> None:
    line = the_fault(f"{STATIC}[pinion.flank]\ntip_relief_um = 20.0\n{key} = {start}\n")
    assert f"pinion.flank.{key} = {start}: tip relief start diameter [mm] must be from the root form" in line


def test_tip_relief_without_start() -> None:
    line = the_fault(f"{STATIC}[pinion.flank]\ntip_relief_um = 20.0\n")
    assert "pinion.flank.tip_relief_start_diameter_mm = (missing)" in line


@pytest.mark.parametrize("distance", [80.0, 99.0, 130.0])
def test_no_contact_possible_at_the_centre_distance(distance: float) -> None:
    line = the_fault(STATIC.replace("= 4.0", f"= 4.0\ncenter_distance_mm = {distance}"))
    assert line.startswith(f"case.toml: pair.center_distance_mm = {distance}: ")
    assert "center_distance_mm" in line.split(";")[-1]


def test_pointed_tip_names_the_shift_that_was_given() -> None:
    line = the_fault(STATIC.replace("profile_shift = 0.2", "profile_shift = 1.6"))
    assert line.startswith("case.toml: pinion.profile_shift = 1.6: tip thickness [mm] = ")


def test_faults_of_the_pair_name_the_gear() -> None:
    line = the_fault(STATIC.replace("profile_shift = -0.2", "profile_shift = -0.2\ntip_alteration_factor = 0.4"))
    assert line.startswith("case.toml: wheel.tip_alteration_factor = 0.4: ")


@pytest.mark.parametrize(
    ("text", "limit", "remedy"),
    [
        (
            STATIC.replace("face_width_mm", "face_width"),
            "the unit is missing in the key",
            "write face_width_mm (unit mm)",
        ),
        (
            STATIC.replace("face_width_mm", "face_width_cm"),
            "that is not the unit of this key",
            "write face_width_mm (unit mm)",
        ),
        (STATIC.replace("face_width_mm", "face_widht_mm"), "no such key", "the nearest key is face_width_mm"),
    ],
)
def test_unknown_keys_of_both_gears(text: str, limit: str, remedy: str) -> None:
    lines = [line for line in faults(text) if "missing)" not in line]
    assert len(lines) == 2
    for gear, line in zip(("pinion", "wheel"), lines, strict=True):
        assert line.startswith(f"case.toml: {gear}.face_wid")
        assert f"= 30.0: {limit}; {remedy}" in line


def test_unknown_table_and_misplaced_key() -> None:
    assert "the nearest key is contact" in the_fault(STATIC + "[contakt]\n")
    tips = the_fault(STATIC.replace("bore_diameter_mm = 54.2", "bore_diameter_mm = 54.2\ntip_diameter_mm = 124.0"))
    assert "no such key; give tip_alteration_factor, half of tip diameter less reference diameter" in tips
    line = the_fault(STATIC.replace("normal_module_mm = 4.0", "normal_module_mm = 4.0\npinion_torque_Nm = 3.0"))
    assert "pair.pinion_torque_Nm = 3.0: no such key in this table; pinion_torque_Nm belongs to [operation]" in line


def test_keys_of_the_other_analysis_are_refused() -> None:
    assert 'duration_s = 0.1: is a key of kind = "dynamic" only' in the_fault(STATIC + "duration_s = 0.1\n")
    assert 'pitches = 2: is a key of kind = "static" only' in the_fault(DYNAMIC + "pitches = 2\n")


def test_all_faults_are_collected() -> None:
    text = STATIC.replace("teeth = 20", "teeth = 3").replace("= 4.0", "= -4.0").replace('"static"', '"harmonic"')
    text = text.replace("pinion_torque_Nm = 400.0", "pinion_torqe_Nm = 400.0\npinion_speed_rpm = -1.0")
    found = "\n".join(faults(text))
    for part in ("pinion.teeth", "pair.normal_module_mm", "analysis.kind", "pinion_torqe_Nm", "pinion_speed_rpm"):
        assert part in found


@pytest.mark.parametrize("speed", ["", "pinion_speed_rpm = 0.0"])
def test_dynamic_analysis_needs_a_speed(speed: str) -> None:
    line = the_fault(DYNAMIC.replace("pinion_speed_rpm = 1500.0", speed))
    assert "operation.pinion_speed_rpm = " in line
    assert "must be greater than 0 in a dynamic analysis" in line


def test_torque_zero_is_allowed_in_a_dynamic_analysis() -> None:
    assert read(DYNAMIC.replace("= 400.0", "= 0.0")).operation.pinion_torque == 0.0


def test_velocity_friction_needs_a_speed() -> None:
    line = the_fault(STATIC + '[contact]\nfriction = "velocity"\n')
    assert 'friction = "velocity" needs a speed' in line


@pytest.mark.parametrize(
    ("addition", "key"),
    [
        ("tolerance = 1e-4\ntime_step_s = 1e-5", "analysis.time_step_s"),
        ("output_every_s = 1.0", "analysis.output_every_s"),
        ("rho_inf = 1.1", "analysis.rho_inf"),
        ("ramp_s = -0.1", "analysis.ramp_s"),
        ("[output]\nfield_times_s = [0.01, 0.5]", "output.field_times_s"),
        ("[output]\nfield_times_s = [-0.01]", "output.field_times_s[0]"),
        ("[output]\nplots = 1", "output.plots"),
        ("[pinion.grid]\nfile = 'nothing.msh'", "pinion.grid.file"),
        ('[contact]\nlaw = "penalty"\n[contact.penalty]\npass_weight = 2.0', "contact.penalty.pass_weight"),
        (
            '[contact]\nlaw = "penalty"\n[contact.penalty]\nstiffness_N_per_mm3 = 1.1e18',
            "contact.penalty.stiffness_N_per_mm3",
        ),
        ("[contact]\nwindow_pairs = 0", "contact.window_pairs"),
        ("[material]\npoisson_ratio = 0.5", "material.poisson_ratio"),
        ("[grid]\nflank_elements = 1", "grid.flank_elements"),
        ("[grid]\nflank_elements = 400\nthickness_elements = 400\nwidth_elements = 400", "grid.flank_elements"),
        ("ramp_s = 0.03", "analysis.ramp_s"),
        ("time_step_s = 1e-10", "analysis.time_step_s"),
        ("output_every_s = 1e-10", "analysis.output_every_s"),
        ("[output]\nfields = false\nfield_times_s = [0.01]", "output.field_times_s"),
        ("[contact]\nmu_dynamic = 0.1", "contact.mu_dynamic"),
        ("[contact]\ntransition_speed_static_m_per_s = 0.1", "contact.transition_speed_static_m_per_s"),
        ('[contact]\nfriction = "coulomb"\nmu_static = 0.1', "contact.mu_static"),
        ("[contact]\nwindow_pairs = 21", "contact.window_pairs"),
        pytest.param(f"[contact]\nwindow_pairs = {hex(10**5000)}", "contact.window_pairs", id="a window of no float"),
        ("[material]\nyoungs_modulus_GPa = 1e10", "material.youngs_modulus_GPa"),
        ("[material]\ndensity_kg_m3 = 1e300", "material.density_kg_m3"),
    ],
)
def test_limits(addition: str, key: str) -> None:
    assert the_fault(f"{DYNAMIC}\n{addition}\n").startswith(f"case.toml: {key} = ")


def test_segments_are_static_and_cover_one_pitch() -> None:
    assert read(STATIC.replace("teeth = 20", "teeth = 20\nteeth_modelled = 5")).teeth_modelled == (5, None)
    assert "odd number" in the_fault(STATIC.replace("teeth = 20", "teeth = 20\nteeth_modelled = 4"))
    assert "at most 20" in the_fault(STATIC.replace("teeth = 20", "teeth = 20\nteeth_modelled = 21"))
    assert "dynamic" in the_fault(DYNAMIC.replace("teeth = 20", "teeth = 20\nteeth_modelled = 5"))
    assert "phases" in the_fault(STATIC.replace("teeth = 20", "teeth = 20\nteeth_modelled = 5") + "pitches = 2\n")


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(CaseFaults, match="must be a readable file"):
        Case.from_toml(tmp_path / "none.toml")
    with pytest.raises(CaseFaults, match="must be a readable file"):
        Case.from_toml(tmp_path)
    assert "line 2" in the_fault("[pair]\nnormal_module_mm = = 4")
    with pytest.raises(CaseFaults, match="save the file as UTF-8"):
        Case.from_bytes(b"\xff\xfe", "case.toml")


def test_mesh_file_is_found_from_the_folder_of_the_case(tmp_path: Path) -> None:
    (tmp_path / "tooth.msh").write_text("")
    (tmp_path / "case.toml").write_text(STATIC + "[pinion.grid]\nfile = 'tooth.msh'\n")
    assert Case.from_toml(tmp_path / "case.toml").grid_files == (tmp_path / "tooth.msh", None)


@pytest.mark.parametrize(
    ("key", "bare"),
    [
        ("face_width_mm", "face_width"),
        ("stiffness_N_per_mm3", "stiffness"),
        ("damping_Ns_per_mm3", "damping"),
        ("added_inertia_kg_m2", "added_inertia"),
        ("transition_speed_static_m_per_s", "transition_speed_static"),
        ("teeth", "teeth"),
        ("positions_per_pitch", "positions_per_pitch"),
    ],
)
def test_unit_is_taken_off_the_key(key: str, bare: str) -> None:
    assert stem(key) == bare


def test_a_unit_that_no_key_has_is_told() -> None:
    """Else a user takes the nearest key and leaves the number: 0.3 kN m would be 0.3 N m."""
    limit, remedy = explain_unknown_key("pinion_torque_kNm", ["pinion_torque_Nm", "pinion_speed_rpm"], {})
    assert (limit, remedy) == ("that is not the unit of this key", "write pinion_torque_Nm (unit Nm)")


def test_all_keys_that_begin_like_it_are_named() -> None:
    _, remedy = explain_unknown_key("tilt_deg", ["tilt_plane_of_action_deg", "tilt_normal_deg", "axial_offset_mm"], {})
    assert remedy == "keys that begin like it are tilt_plane_of_action_deg, tilt_normal_deg"


def test_every_unknown_key_gets_an_answer() -> None:
    limit, remedy = explain_unknown_key("qqq", ["teeth", "bore_diameter_mm"], {})
    assert limit == "no such key"
    assert "the nearest key is" in remedy


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("= 4.0", "= 1e300", "pair.normal_module_mm"),
        ("= 400.0", "= 1e300", "operation.pinion_torque_Nm"),
        ("= 400.0", "= 1e-300", "operation.pinion_torque_Nm"),
        ("= 400.0", "= -1e-300", "operation.pinion_torque_Nm"),
        ("= 400.0", "= -1e300", "operation.pinion_torque_Nm"),
        ("= 1500.0", "= 1e7", "operation.pinion_speed_rpm"),
        ("duration_s = 0.02", "duration_s = 1e300", "analysis.duration_s"),
        ("duration_s = 0.02", "duration_s = 1000.0\noutput_every_s = 1.0", "analysis.duration_s"),
        ("= 35.8", "= 1e-200", "pinion.bore_diameter_mm"),
        ("teeth = 30", f"teeth = 1{'0' * 30}", "wheel.teeth"),
    ],
)
def test_extreme_numbers_are_refused(old: str, new: str, key: str) -> None:
    line = the_fault(DYNAMIC.replace(old, new, 1))
    assert line.startswith(f"case.toml: {key} = ")
    assert "at most" in line or "at least" in line


def test_limits_of_static_cases() -> None:
    line = the_fault(STATIC + "positions_per_pitch = 1000\npitches = 1000\n")
    assert "positions_per_pitch x pitches = 1000000 must be at most 100000" in line
    line = the_fault(STATIC + '[contact]\nlaw = "penalty"\n[contact.penalty]\ndamping_Ns_per_mm3 = 1.0\n')
    assert "contact.penalty.damping_Ns_per_mm3 = 1.0: has no effect in a static analysis" in line
    line = the_fault(STATIC.replace("teeth = 20", "teeth = 20\nteeth_modelled = 3") + "[contact]\nwindow_pairs = 4\n")
    assert "contact.window_pairs = 4: must be at most 3" in line


def test_coulomb_friction_takes_its_transition_speed_alone() -> None:
    text = STATIC + '[contact]\nfriction = "coulomb"\ntransition_speed_static_m_per_s = 0.5\n'
    assert read(text).friction.v_static == 0.5


def test_strange_keys_and_texts_stay_on_one_line() -> None:
    line = the_fault('"a\\nb" = "c\\u2028d"\n' + STATIC)
    assert line.startswith("case.toml: 'a\\nb' = \"c\\u2028d\": no such key")
    assert the_fault('"" = 1\n' + STATIC).startswith("case.toml: '' = 1: no such key")


def test_no_centre_distance_is_advised_that_was_not_given() -> None:
    text = STATIC.replace("teeth = 20", "teeth = 5").replace("teeth = 30", "teeth = 5").replace("= -0.2", "= 0.0")
    for bore in ("35.8", "54.2"):
        text = text.replace(bore, "3.0")
    assert "center_distance_mm" not in the_fault(text.replace("= 0.2", "= 0.0"))
