"""Regression: every kind of case gives the curves, and its contact the forces and tangents, that it gave before."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import TEXTS
from curves import curves_of
from families import mostly_thorough
from regenerate import CURVES, STATES, asked_again, differences, kept
from states import NAMES

# Another processor adds up in another order. On one processor states are the same to the last bit.
OF_STATES = 1e-9
OF_CURVES = 1e-7


# without friction it is a part of motion_penalty_friction
@pytest.mark.parametrize("name", mostly_thorough(TEXTS, always=lambda name: name != "motion_penalty"))
def test_curves_are_those_of_before(name: str) -> None:
    found = differences(curves_of(name), kept(CURVES / f"{name}.npz"))
    assert {key: value for key, value in found.items() if not value < OF_CURVES} == {}


@pytest.mark.parametrize("name", NAMES)
def test_forces_and_tangents_are_those_of_before(name: str) -> None:
    before = kept(STATES / f"{name}.npz")
    found = differences(asked_again(name, before), before)
    assert {key: value for key, value in found.items() if not value < OF_STATES} == {}
