"""Which vibration rules the length of adaptive steps."""

from __future__ import annotations

import re
from math import pi

import numpy as np
import pytest

import alegear as ag
from alegear.recording.ruling_vibration import WINDOW, RulingVibration, third_differences
from alegear.studies.dynamic import DynamicStudy

NAMES = ["rotation of shaft", "x of planet", "y of planet"]
SCALE = np.array([1e-4, 1e-6, np.nan])
SHAFT, FREQUENCY = 300.0, 7000.0


def moved(n: int, step: float) -> tuple[np.ndarray, np.ndarray]:
    """A shaft that turns, a planet that goes round with it and vibrates; steps differ by a third."""
    time = np.cumsum(step * np.random.default_rng(1).uniform(0.8, 1.2, n))
    slow, fast = SHAFT * time, 2.0 * pi * FREQUENCY * time
    return time, np.stack([slow, 0.05 * (np.cos(slow) - 1.0) + 1e-6 * np.sin(fast), 1e-3 * np.cos(3.0 * fast)], axis=1)


def test_third_differences_of_a_cubic_are_its_third_derivative() -> None:
    time = np.array([0.0, 0.7, 1.1, 1.9, 2.2, 3.5])
    found, at = third_differences(time, np.stack([2.0 * time**3 - time, time**4], axis=1))
    np.testing.assert_allclose(found[:, 0], 12.0, rtol=1e-12)
    np.testing.assert_allclose(found[:, 1], 24.0 * at, rtol=1e-12)  # of a quartic that at the mean of the four


def test_the_vibration_with_the_largest_error_is_named_once() -> None:
    """Of what is prescribed (no scale) nothing is said, and the large slow motion has hardly an error."""
    time, x = moved(2 * WINDOW, 3e-6)
    ruling = RulingVibration(NAMES, SCALE, longest=1e-4, duration=1.0, remedies=["damp it"])
    assert ruling.update(time[: WINDOW - 1], x[: WINDOW - 1]) is None  # too early
    told = ruling.update(time[WINDOW - 1 :], x[WINDOW - 1 :])
    assert told is not None
    found = re.search(r"at about (\S+) kHz, mostly x of planet; damp it, or raise tolerance", told)
    assert found, told
    assert float(found[1]) == pytest.approx(1e-3 * FREQUENCY, rel=0.02)
    assert "33" in told.partition(" times shorter")[0]
    assert ruling.update(time, x) is None


@pytest.mark.parametrize(("longest", "duration"), [(1e-5, 1.0), (1e-4, 0.1)])
def test_steps_that_are_not_short_or_not_many_are_no_matter(longest: float, duration: float) -> None:
    ruling = RulingVibration(NAMES, SCALE, longest=longest, duration=duration)
    assert ruling.update(*moved(2 * WINDOW, 3e-6)) is None


class Told(Exception):
    """Ends a run at its first warning."""


class Stops:
    def stage(self, name: str) -> None:
        pass

    def advance(self, done: int, total: int) -> None:
        pass

    def warn(self, text: str) -> None:
        raise Told(text)


def test_a_planetary_run_up_says_early_which_vibration_makes_it_slow(tmp_path) -> None:
    """Undamped planets that turn between sun and ring."""
    gear = "face_width_mm = 30, tooth_thickness_allowance_um = 30"
    text = f"""
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
pin_stiffness_N_per_m = [2e8, 2e8, 1e8]
pin_tilt_stiffness_Nm_per_rad = [1e6, 1e6]
sun_gear = {{ {gear}, bore_diameter_mm = 20 }}
planet_gear = {{ {gear}, bore_diameter_mm = 25 }}
ring_gear = {{ {gear}, rim_diameter_mm = 200, tip_alteration_factor = -0.15 }}
[drives.motor]
shaft = "sun"
speed_table_s_rpm = [[0.0, 1000.0], [0.5, 3000.0]]
[loads.brake]
shaft = "carrier"
torque_Nm = 450
inertia_kg_m2 = 0.1
[analysis]
kind = "dynamic"
duration_s = 0.5
"""
    path = tmp_path / "run_up.toml"
    path.write_text(text)
    study = DynamicStudy(ag.case_from_file(path), {})
    with pytest.raises(
        Told, match=r"of set planet .*retardation_us = \S+ in .planetary.set.*pin_damping_Ns_per_m"
    ) as told:
        study.run(Stops())
    found = re.search(r"steps of (\S+) us, .* at about (\S+) kHz, mostly rotation of set planet", str(told.value))
    assert found, told.value
    # between sun and ring as springs of 1 to 4 times 20 N/(mm um): sqrt((k_s + k_r) r_b^2/J), J of a disc with a hole
    r, r_i, b = 0.03, 0.0125, 0.03
    inertia = 0.5 * pi * 7830.0 * b * (r**4 - r_i**4)
    one, four = (
        np.sqrt(2.0 * k * 20e9 * b * (r * np.cos(np.radians(20.0))) ** 2 / inertia) / (2.0 * pi) for k in (1, 4)
    )
    assert one < 1e3 * float(found[2]) < four
    assert 10.0 < 1e3 / (float(found[1]) * float(found[2])) < 100.0  # steps a period
    assert study.warnings == [str(told.value)]
