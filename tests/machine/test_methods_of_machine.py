"""The methods of a machine against the parts that they add: every field can be given, and has one default."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import alegear as ag
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.shaft import Disk, Shaft

ADDED: dict[str, Any] = {
    "shaft": Shaft,
    "gear": ShaftGear,
    "bearing": Bearing,
    "drive": Drive,
    "load": TorqueLoad,
    "disk": Disk,
    "rotor": ag.Rotor1D,
    "spring": ag.Spring,
    "ratio": ag.RatioGear,
    "varying_ratio": ag.VaryingRatio,
    "planetary_ratio": ag.PlanetaryGear,
    "elastic_mesh": ag.ElasticMesh,
    "planetary": PlanetaryGearSet,
    "friction": ag.BearingFriction,
    "clutch": ag.Clutch,
    "brake": ag.Brake,
    "freewheel": ag.Freewheel,
    "torque_map": ag.TorqueMap,
    "converter": ag.TorqueConverter,
    "road_load": ag.RoadLoad,
    "controller": ag.Controller,
    "torque": ag.TorqueSource,
    "governor": ag.SpeedGovernor,
    "speed": ag.SpeedSource,
    "resistance": ag.Resistance,
    "torque_function": ag.TorqueFunction,
    "body": ag.FloatingBody,
    "joint": ag.PlacedJoint,
    "bushing": ag.PlacedBushing,
    "point_spring": ag.PlacedPointSpring,
    "spatial_gear": ag.SpatialGear,
    "spatial_rack": ag.SpatialRack,
    "spatial_mesh": ag.SpatialMesh,
    "spatial_load": ag.PlacedLoad,
    "hinge_torque": ag.PlacedTorque,
}

#: Fields that two parameters, `first` and `second`, come to.
PAIRS = {"between", "gears"}

#: Fields that are not given by hand: what a machine finds itself, and what `Machine.add` is for.
NOT_GIVEN = {
    "shaft": {"points", "scales"},  # from the positions of the parts on it
    "rotor": {"scales"},
    "body": {"scales", "flexible"},
    "governor": {"angle"},
}

#: Defaults of a machine that its parts do not have.
OF_THE_MACHINE = {
    ("shaft", "highest_mode"),  # condensed; a shaft alone keeps the coordinates of all its nodes
    ("bushing", "stiffness"),  # a damper alone
}


@pytest.mark.parametrize("method", ADDED)
def test_every_field_of_a_part_can_be_given(method: str) -> None:
    fields = {field.name for field in dataclasses.fields(ADDED[method]) if field.init}
    parameters = set(inspect.signature(getattr(ag.Machine, method)).parameters) - {"self"}
    if fields & PAIRS and not parameters & PAIRS:
        assert {"first", "second"} <= parameters
        parameters -= {"first", "second"}
        fields -= PAIRS
    assert parameters == fields - NOT_GIVEN.get(method, set())


@pytest.mark.parametrize("method", ADDED)
def test_a_default_is_that_of_the_part(method: str) -> None:
    parameters = inspect.signature(getattr(ag.Machine, method)).parameters
    for field in dataclasses.fields(ADDED[method]):
        if field.name not in parameters or (method, field.name) in OF_THE_MACHINE:
            continue
        default = parameters[field.name].default
        if field.default_factory is not dataclasses.MISSING:
            assert default is None, field.name  # what the part makes itself
        else:
            missing = field.default is dataclasses.MISSING
            assert default == (inspect.Parameter.empty if missing else field.default), field.name


def test_what_is_no_part_is_refused_when_it_is_added() -> None:
    """Also what only looks like one: a machine asks more of its parts than to add themselves."""

    class LooksLikeOne:
        name = "fan"

        def add_to(self, builder: object) -> None: ...

    for one in (LooksLikeOne(), "fan", None):
        with pytest.raises(ag.Fault, match=r"a part with a name, of a class that is derived from alegear\.system"):
            ag.Machine().add(one)
