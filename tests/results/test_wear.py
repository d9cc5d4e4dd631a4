"""Wear quantities of results: of closed-form contacts, of a computed pair, with and without speed and friction."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from datasets import contact_dataset
from small_cases import PAIR

import alegear as ag
from alegear.contact.forces import SliceLoads
from alegear.contact.hertz.solution import LoadedPoints
from alegear.results.contact_result import contact_summary
from alegear.results.wear import Wear, wear_warnings
from alegear.studies.wear import wear_of

sys.path.insert(0, str(Path(__file__).parents[1] / "view"))
import made_up_results

CASE = (
    PAIR
    + """
[operation]
pinion_torque_Nm = 400.0
{operation}
[analysis]
kind = {analysis}
{rest}
"""
)
STATIC = '"static"\npositions_per_pitch = 8\ngrid_estimate = false'
FACTS = {"contact_ratio_nominal": 1.6, "dof_full": 1, "dof_boundary": 1, "complete": True}


def case_of(operation: str = "", rest: str = "", analysis: str = STATIC) -> ag.Case:
    return ag.Case.from_bytes(CASE.format(operation=operation, rest=rest, analysis=analysis).encode())


def with_friction() -> Wear:
    table = "[wear]\nfriction_coefficient = 0.06\nbulk_temperature_C = 80.0"
    return wear_of(case_of("pinion_speed_rpm = 3000.0", table))


def test_static_quantities_follow_from_place_load_and_speed() -> None:
    wear = with_friction()
    history = replace(made_up_results.static_history(), wear=wear)
    dataset, summary = contact_dataset(history), contact_summary(history, FACTS)
    pair, omega = wear.sliding.pair, 100.0 * math.pi
    roll = history.contact_roll_length
    expected = omega * (1.0 + 20 / 30) * (roll - pair.roll_length_pitch_point)
    np.testing.assert_allclose(dataset["sliding_velocity"], expected, rtol=1e-12, atol=1e-12)
    product = history.contact_pressure * np.abs(expected)
    np.testing.assert_allclose(dataset["pressure_velocity"], product, rtol=1e-12)
    assert summary["pressure_velocity_max_MPa_m_per_s"] == pytest.approx(1e-6 * np.nanmax(product), rel=1e-12)
    assert summary["sliding_velocity_max_m_per_s"] == pytest.approx(np.nanmax(np.abs(expected)), rel=1e-12)
    assert summary["contact_temperature_max_C"] == pytest.approx(80.0 + summary["flash_temperature_max_K"])
    at = summary["pressure_velocity_max_at"]
    row, column, face = np.unravel_index(np.nanargmax(product), product.shape)
    assert (at["phase"], at["pair"], at["slice"]) == (history.phase[row], history.pairs[column], face)
    assert at["pinion_diameter_mm"] == pytest.approx(2e3 * math.hypot(pair.pinion.r_b, roll[row, column, face]))
    # the pattern keeps the largest of all samples
    for name, key, factor in (
        ("pattern_pressure_velocity", "pressure_velocity_max_MPa_m_per_s", 1e-6),
        ("pattern_flash_temperature", "flash_temperature_max_K", 1.0),
        ("pattern_sliding_velocity", "sliding_velocity_max_m_per_s", 1.0),
    ):
        assert float(dataset[name].max()) * factor == pytest.approx(summary[key], rel=1e-12)


def test_without_speed_there_is_specific_sliding_alone() -> None:
    history = replace(made_up_results.static_history(), wear=wear_of(case_of()))
    dataset, summary = contact_dataset(history), contact_summary(history, FACTS)
    assert "specific_sliding" in dataset
    assert not {"sliding_velocity", "pressure_velocity", "pattern_pressure_velocity"} & set(dataset)
    assert summary["specific_sliding_extreme"]["pinion"] < 0.0
    assert summary["sliding_velocity_max_m_per_s"] is None
    assert summary["flash_temperature_max_at"] is None


def test_without_friction_there_is_no_flash_temperature() -> None:
    history = replace(made_up_results.static_history(), wear=wear_of(case_of("pinion_speed_rpm = 3000.0")))
    dataset, summary = contact_dataset(history), contact_summary(history, FACTS)
    assert "pressure_velocity" in dataset
    assert "flash_temperature" not in dataset
    assert summary["pressure_velocity_max_MPa_m_per_s"] > 0.0
    assert summary["flash_temperature_max_K"] is None


def test_an_edge_has_no_wear_of_flanks() -> None:
    history = made_up_results.static_history()
    history.samples.read("edge_pressure")[3] = 5e9
    dataset = contact_dataset(replace(history, wear=with_friction()))
    assert np.isnan(dataset["flash_temperature"][3]).all()
    assert np.isfinite(dataset["flash_temperature"][4]).any()


def test_a_motion_has_them_at_its_own_speeds() -> None:
    case = case_of("pinion_speed_rpm = 1500.0", "[wear]\nfriction_coefficient = 0.06", '"dynamic"\nduration_s = 0.1')
    history = replace(made_up_results.dynamic_history(), wear=wear_of(case))
    dataset, summary = contact_dataset(history), contact_summary(history, FACTS)
    assert "flash_temperature" not in dataset  # over time on demand only
    got = ag.wear_quantities(case, dataset, slice(-50, None))
    assert got["sliding_velocity"].dims == ("time", "slot", "slice")
    omega = dataset["speed"].values[-50:]
    xi = dataset["contact_roll_length"].values[-50:]
    pair = case.pair
    expected = omega[:, 0, None, None] * xi - omega[:, 1, None, None] * (pair.line_of_action - xi)
    np.testing.assert_allclose(got["sliding_velocity"], expected, rtol=1e-12)
    largest = float(ag.wear_quantities(case, dataset)["flash_temperature"].max())
    assert summary["flash_temperature_max_K"] == pytest.approx(largest, rel=1e-12)
    assert "time_s" in summary["flash_temperature_max_at"]


def test_wrong_dataset_is_refused() -> None:
    dataset = contact_dataset(made_up_results.static_history()).drop_vars("line_load")
    with pytest.raises(ag.Fault, match="static or dynamic"):
        ag.wear_quantities(case_of(), dataset)


def test_low_peclet_numbers_are_warned_of() -> None:
    assert not wear_warnings({"flash_temperature_peclet": 12.0})
    assert not wear_warnings({"flash_temperature_peclet": None})
    assert "Peclet number 2" in wear_warnings({"flash_temperature_peclet": 2.0})[0]


@pytest.mark.parametrize(
    ("operation", "rest", "words"),
    [
        ("", "[wear]\nfriction_coefficient = 0.06", "wear.friction_coefficient = 0.06: has no effect without a speed"),
        ("pinion_speed_rpm = 100.0", "[wear]\nbulk_temperature_C = 80.0", "without a coefficient of friction"),
        (
            "pinion_speed_rpm = 100.0",
            '[wear]\nfriction_coefficient = 0.06\n[contact]\nfriction = "coulomb"',
            'excludes friction = "coulomb"',
        ),
        (
            "pinion_speed_rpm = 100.0",
            '[wear]\nfriction_coefficient = 0.06\n[contact]\nlaw = "penalty"',
            "does not tell how wide",
        ),
        ("pinion_speed_rpm = 100.0", "[wear]\nfriction_coefficient = 1.5", "less than 1"),
        ("pinion_speed_rpm = 100.0", "[wear]\nfriction_coefficient = 0.0", "greater than 0"),
        ("pinion_speed_rpm = 100.0", "[wear]\nfriction = 0.06", "friction"),
        ("pinion_speed_rpm = 100.0", "[wear]\nfriction_coefficient = 0.06\nbulk_temperature_C = 5000.0", "500"),
        ("pinion_speed_rpm = 100.0", "[material]\nspecific_heat_J_per_kgK = 0.0", "at least 1"),
    ],
)
def test_what_has_no_effect_or_is_wrong_is_refused(operation: str, rest: str, words: str) -> None:
    with pytest.raises(ag.CaseFaults, match=words.replace("(", r"\(")):
        case_of(operation, rest)


def test_a_modal_study_has_no_wear() -> None:
    with pytest.raises(ag.CaseFaults, match="has no effect in a modal analysis"):
        case_of("pinion_speed_rpm = 100.0", "[wear]\nfriction_coefficient = 0.06", '"modal"')


def test_file_and_objects_are_one_case() -> None:
    rest = (
        "[wear]\nfriction_coefficient = 0.06\nbulk_temperature_C = 80.0\n"
        "[material]\nthermal_conductivity_W_per_mK = 42.0\nspecific_heat_J_per_kgK = 460.0"
    )
    case = case_of("pinion_speed_rpm = 3000.0", rest)
    steel = ag.Material(conductivity=42.0, specific_heat=460.0)
    conditions = ag.WearConditions(friction_coefficient=0.06, bulk_temperature=80.0)
    plain = case_of("pinion_speed_rpm = 3000.0")
    assert replace(plain, materials=(steel, steel), wear=conditions).sha256 == case.sha256 != plain.sha256


RELIEVED = """
title = "relieved"
[pair]
normal_module_mm = 2.0
helix_angle_deg = {beta}
[pinion]
teeth = 21
profile_shift = 0.2
face_width_mm = 16.0
bore_diameter_mm = 24.0
[pinion.flank]
{relief}
[wheel]
teeth = 34
profile_shift = -0.1
face_width_mm = 16.0
bore_diameter_mm = 40.0
[wheel.flank]
{relief}
[grid]
flank_elements = 6
fillet_elements = 4
thickness_elements = 4
width_elements = 4
rim_elements = 4
[contact]
friction = "coulomb"
mu_dynamic = 0.05
[operation]
pinion_torque_Nm = 120.0
pinion_speed_rpm = 1000.0
driver = "{driver}"
[analysis]
kind = "static"
positions_per_pitch = 32
grid_estimate = false
[output]
fields = false
plots = false
"""


@pytest.mark.parametrize(
    ("beta", "shape", "amount", "driver"),
    [(0.0, "parabolic", 20.0, "pinion"), (15.0, "parabolic", 20.0, "wheel"), (15.0, "linear", 30.0, "pinion")],
)
def test_sliding_loses_the_power_that_the_moments_of_friction_do(
    monkeypatch: pytest.MonkeyPatch, beta: float, shape: str, amount: float, driver: str
) -> None:
    relief = f'tip_relief_um = {amount}\ntip_relief_start = "end of single contact"\ntip_relief_shape = "{shape}"'
    powers: list[np.ndarray] = []
    slices = LoadedPoints.slices
    omega = 1000.0 * math.pi / 30.0 * np.array([1.0, -21.0 / 34.0])

    def slices_and_power(loaded: LoadedPoints) -> SliceLoads:
        """What friction on the pinion and its reaction on the wheel give, by their moments about both axes."""
        force, normal, place = loaded.unit_forces()
        friction = loaded.record.force[:, None] * (force - normal)
        from_wheel = place - [loaded.contact.pair.a_w, 0.0, 0.0]
        moments = np.cross(place, friction)[:, 2], -np.cross(from_wheel, friction)[:, 2]
        power = np.zeros(len(loaded))
        np.add.at(power, loaded.record.sample, -omega[0] * moments[0] - omega[1] * moments[1])
        powers.append(power)
        return slices(loaded)

    monkeypatch.setattr(LoadedPoints, "slices", slices_and_power)
    case = ag.Case.from_bytes(RELIEVED.format(beta=beta, relief=relief, driver=driver).encode())
    data = ag.run(case).dataset
    expected = np.concatenate(powers).mean()

    def lost(sliding: np.ndarray) -> float:
        load = data["line_load"].values * case.pair.b_w / data.sizes["slice"]
        return float(0.05 * np.nansum(load * np.abs(sliding), axis=(1, 2)).mean())

    roll = data["contact_roll_length"].values
    of_material = omega[0] * roll + omega[1] * (case.pair.line_of_action - roll)
    assert lost(data["sliding_velocity"].values) == pytest.approx(expected, rel=0.01)
    assert lost(of_material) < 0.975 * expected  # as if each contact were on the line of action
