"""Random mechanisms in space, two to six bodies, gears of any kind; scripts/random_mechanisms.py moves hundreds."""

from __future__ import annotations

import random

import pytest
from script_files import load_script

random_mechanisms = load_script("scripts/random_mechanisms.py")


@pytest.mark.parametrize(("part", "number"), [(0, 36), pytest.param(1, 100, marks=pytest.mark.thorough)])
def test_energy_and_joints_of_random_mechanisms(part: int, number: int) -> None:
    wrong: list[str] = []
    found = random_mechanisms.fuzz_mechanisms(number, random.Random(part), lambda kind, words: wrong.append(words))
    assert not wrong
    assert found["moved"] == number
    assert found["let go"] < number // 3  # teeth that do not engage any more are told; most do
    # all of it was there
    for kind in random_mechanisms.KINDS:
        assert found[f"mesh: {kind}"] > 0, kind
    for feature in ("arm", "frame", "springs", "friction", "lost"):
        assert found[feature] > 0, feature


def test_a_wrong_radial_force_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Teeth that pull each other in instead of pushing apart, and are not told so to the account of energy."""
    from alegear.drivetrain.spatial import GearJoint

    right = GearJoint.forces

    def wrong(self, t, x, v, multipliers):
        found = right(self, t, x, v, multipliers)
        object.__setattr__(found, "supplied", -found.supplied)
        return found

    # an arm, a frame and a wheel on springs move the centres: the same seeds, right and wrong
    monkeypatch.setattr(random_mechanisms, "HALVINGS", 2)
    assert not random_mechanisms.fuzz_mechanisms(6, random.Random(0))["wrong"]
    monkeypatch.setattr(GearJoint, "forces", wrong)
    assert random_mechanisms.fuzz_mechanisms(6, random.Random(0))["wrong"]
