"""The typed keys of a summary are those that studies of every kind write, each of its type."""

import json
import types
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from small_cases import case_of, static_text
from small_machines import one_stage

import alegear as ag
from alegear.results.summary_keys import Summary

HINTS = get_type_hints(Summary)
MOTION = "duration_s = 2e-4\ntime_step_s = 2e-5\noutput_every_s = 2e-5\n"


def pair(kind: str, keys: str, more: str = "") -> ag.Case:
    """A coarse pair in a study of a kind."""
    begin, _, end = static_text().partition('kind = "static"\npositions_per_pitch = 8\npitches = 1\n')
    return case_of(begin.replace("[analysis]", f"{more}\n[analysis]") + f'kind = "{kind}"\n{keys}' + end)


def shortened(file: str, **analysis: Any) -> ag.MachineCase:
    from dataclasses import replace

    case = ag.MachineCase.from_toml(f"meshes/{file}.toml")
    return replace(case, analysis=replace(case.analysis, **analysis))


CASES = {
    "static": lambda: case_of(static_text(tables='[[output.points]]\ngear = "pinion"\nfillet_share = 0.5\n')),
    "dynamic": lambda: pair("dynamic", MOTION, "pinion_speed_rpm = 3000.0"),
    "modal": lambda: pair("modal", "n_modes = 2\n"),
    "machine": one_stage,
    "modes of a machine": lambda: one_stage(analysis=ag.ModalAnalysis(n_modes=3)),
    "parts that turn": lambda: shortened("gear_shift", duration=0.1),
    "bodies in space": lambda: shortened("bevel_pair", positions=3),
}


def fits(value: object, hint: Any) -> bool:
    """Whether a value read from a file is of a type: int for float, and None where it may be."""
    if hint is Any or value is None:
        return hint is Any or type(None) in get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        return any(fits(value, one) for one in get_args(hint))
    kind = get_origin(hint) or hint
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if not isinstance(value, kind):
        return False
    inner = get_args(hint)
    if kind is dict and inner:
        return all(fits(one, inner[1]) for one in value.values())  # type: ignore[attr-defined]
    return all(fits(one, inner[0]) for one in value) if kind is list and inner else True  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_keys_and_types(name):
    summary = json.loads(json.dumps(ag.run(CASES[name]()).summary))
    assert not set(summary) - set(HINTS)
    assert [key for key, value in summary.items() if not fits(value, HINTS[key])] == []
