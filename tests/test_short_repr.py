"""Objects show themselves in one line, by what differs from the defaults."""

import dataclasses
import inspect

import numpy as np
import pytest
from test_public_names import HOMES

import alegear as ag
from alegear.short_repr import ShortRepr

MM = 1e-3
GEAR = ag.Gear(z=20, m_n=4 * MM, b=30 * MM, bore_diameter=35 * MM)
WHEEL = ag.Gear(z=30, m_n=4 * MM, b=30 * MM, bore_diameter=54 * MM)
PAIR = ag.GearPair(pinion=GEAR, wheel=WHEEL)


def test_what_differs_from_the_defaults():
    assert repr(GEAR) == "Gear(z=20, m_n=0.004, b=0.03, bore_diameter=0.035)"
    relieved = dataclasses.replace(GEAR, microgeometry=ag.Microgeometry(lead_crowning=5e-6))
    assert repr(relieved) == repr(GEAR)[:-1] + ", microgeometry=Microgeometry(lead_crowning=5e-06))"


def test_objects_in_objects():
    assert repr(PAIR) == f"GearPair(pinion={GEAR!r}, wheel={WHEEL!r}, a_nominal=0.1, alignment=Alignment())"
    case = ag.Case(pair=PAIR, operation=ag.Operation(pinion_torque=400.0), analysis=ag.StaticAnalysis())
    pair = "GearPair(pinion=Gear(...), wheel=Gear(...), a_nominal=0.1, alignment=Alignment(...))"
    rest = "operation=Operation(pinion_torque=400), analysis=StaticAnalysis()"
    assert repr(case) == f"Case(pair={pair}, {rest})"
    parts = ag.case_from_file("meshes/gear_shift.toml").parts
    assert repr(parts[0]) == "Rotor1D(name='engine', inertia=1)"
    machine = ag.case_from_file("meshes/two_stage_helical.toml")
    assert "drives=(Drive('motor'),)" in repr(machine)


def test_arrays_and_long_lists_by_their_sizes():
    sector = ag.mesh_sector(GEAR, ag.GridOptions(order=1))
    assert f"points=array of shape {sector.volume.points.shape}" in repr(sector.volume)
    grid = ag.Topography(roll_length=np.linspace(0, 1e-2, 3), z=np.array([0.0, 1e-2]), removal=np.zeros((3, 2)))
    assert "removal=array of shape (3, 2)" in repr(grid)


@pytest.mark.parametrize(
    "file", ["two_stage_helical", "planetary_nrel_5mw", "wind_turbine", "gear_shift", "bevel_pair", "spur_20_30"]
)
def test_a_case_fits_into_a_few_lines(file):
    case = ag.case_from_file(f"meshes/{file}.toml")
    assert len(repr(case)) < 800
    assert "\n" not in repr(case)


def test_every_public_dataclass_is_short():
    classes = [value for value in (getattr(ag, name) for name in HOMES) if inspect.isclass(value)]
    assert [one for one in classes if dataclasses.is_dataclass(one) and not issubclass(one, ShortRepr)] == []
