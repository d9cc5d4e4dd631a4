"""Energy of a disk that turns, whirls and tilts: the validation with few steps."""

from __future__ import annotations

from script_files import load_script

gyroscopic_energy = load_script("validation/gyroscopic_energy/run.py")


def test_no_energy_is_missing() -> None:
    found = gyroscopic_energy.drift(500)
    assert found.of_all < 1e-13  # round-off of the kinetic energy of the rotation
    assert found.of_swinging < 1e-8
