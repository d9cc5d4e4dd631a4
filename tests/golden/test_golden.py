"""Regression: cases give the curves, their contacts the forces and tangents, machines the numbers of before."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import golden_machines
from cases import SUMMED_UP, TEXTS
from curves import curves_of, numbers_of, result_of
from families import mostly_thorough
from hinged_pair import variables_of_both
from regenerate import CURVES, NUMBERS, STATES, asked_again, differences, kept, of_numbers
from states import NAMES

from alegear.results.summary_keys import odd_key

# Another processor adds up in another order. On one processor states are the same to the last bit.
OF_STATES = 1e-9
OF_CURVES = 1e-7
#: Both are solved to what round-off leaves of an equilibrium; they are 5e-12 apart.
OF_A_PAIR = 1e-11
#: Machines that hold little beside another one: the linearised response is in the sweep, too.
THOROUGH = {
    "two_stage_linear_sweep",
    "planets_displaced_modal",
    "racks_motion",
    "bevel_positions",
    "planets_turn_motion",
}


def odd_of(name: str) -> set[str | None]:
    """Keys of its summaries that a reader of the stored result would refuse."""
    result = result_of(name)
    summaries = [result.summary, *(one.summary for one in result.meshes().values())]
    return {odd_key(json.loads(json.dumps(summary))) for summary in summaries}


# without friction it is a part of motion_penalty_friction
@pytest.mark.parametrize("name", mostly_thorough(TEXTS, always=lambda name: name != "motion_penalty"))
def test_curves_are_those_of_before(name: str) -> None:
    assert odd_of(name) == {None}
    found = differences(curves_of(name), kept(CURVES / f"{name}.npz"))
    assert {key: value for key, value in found.items() if not value < OF_CURVES} == {}


@pytest.mark.parametrize(
    "name", mostly_thorough((*golden_machines.TEXTS, *SUMMED_UP), always=lambda name: name not in THOROUGH)
)
def test_numbers_are_those_of_before(name: str) -> None:
    assert odd_of(name) == {None}
    found = of_numbers(name, numbers_of(name), kept(NUMBERS / f"{name}.npz"))
    assert {key: value for key, value in found.items() if not value < 1.0} == {}


def test_a_pair_is_its_machine_on_two_hinges() -> None:
    pair, machine = variables_of_both()
    found = differences(pair, {key: machine.get(key, np.empty(0)) for key in pair})
    assert {key: value for key, value in found.items() if not value < OF_A_PAIR} == {}


@pytest.mark.parametrize("name", NAMES)
def test_forces_and_tangents_are_those_of_before(name: str) -> None:
    before = kept(STATES / f"{name}.npz")
    found = differences(asked_again(name, before), before)
    assert {key: value for key, value in found.items() if not value < OF_STATES} == {}
