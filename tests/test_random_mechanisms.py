"""Random mechanisms in space, two to six bodies, gears of any kind; scripts/random_mechanisms.py moves hundreds."""

from __future__ import annotations

import random

import pytest
from families import mostly_thorough
from script_files import load_script

random_mechanisms = load_script("scripts/random_mechanisms.py")


# 174: a seed whose first few have all that there is
@pytest.mark.parametrize(("seed", "number"), mostly_thorough([(174, 14), (0, 36), (1, 100)], lambda one: one[0] == 174))
def test_energy_and_joints_of_random_mechanisms(seed: int, number: int) -> None:
    wrong: list[str] = []
    found = random_mechanisms.fuzz_mechanisms(number, random.Random(seed), lambda kind, words: wrong.append(words))
    assert not wrong
    assert found["moved"] == number
    assert found["let go"] < number // 3  # teeth that do not engage any more are told; most do
    # all of it was there
    for kind in random_mechanisms.KINDS:
        assert found[f"mesh: {kind}"] > 0, kind
    for feature in ("arm", "frame", "springs", "friction", "lost"):
        assert found[feature] > 0, feature


@pytest.mark.thorough
def test_a_wrong_radial_force_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Teeth that pull each other in instead of pushing apart, and are not told so to the account of energy."""
    from alegear.drivetrain.spatial import GearJoint

    right = GearJoint.forces

    def wrong(self, t, x, v, multipliers):
        found = right(self, t, x, v, multipliers)
        object.__setattr__(found, "supplied", -found.supplied)
        return found

    # of a seed where centres move, the same mechanisms right and wrong
    monkeypatch.setattr(random_mechanisms, "HALVINGS", 2)
    assert not random_mechanisms.fuzz_mechanisms(2, random.Random(3))["wrong"]
    monkeypatch.setattr(GearJoint, "forces", wrong)
    assert random_mechanisms.fuzz_mechanisms(2, random.Random(3))["wrong"]
