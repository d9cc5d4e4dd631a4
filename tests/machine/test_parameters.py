"""Types of the parameters that methods of Machine hand on: those of the analyses and bearings that take them."""

from dataclasses import MISSING, fields
from typing import Any, Union, get_type_hints

import pytest

import alegear as ag
from alegear.machine import parameters

OF = {
    "StaticParameters": (ag.MachineStatic,),
    "ModalParameters": (ag.ModalAnalysis,),
    "SweepParameters": (ag.SweepAnalysis,),
    "MotionParameters": (ag.DynamicAnalysis, ag.RotationalMotion, ag.SpatialMotion),
    "KinematicsParameters": (ag.Kinematics,),
}
GIVEN = {"name", "shaft", "at"}  # by the methods themselves


def of_class(kind: type) -> dict[str, tuple[Any, bool]]:
    """Parameter -> its type, and whether it must be given."""
    hints, own = get_type_hints(kind), [one for one in fields(kind) if one.init and one.name not in GIVEN]
    return {one.name: (hints[one.name], one.default is one.default_factory is MISSING) for one in own}


def of_dictionary(name: str) -> dict[str, tuple[Any, bool]]:
    hints = get_type_hints(getattr(parameters, name), include_extras=True)
    return {
        key: (getattr(kind, "__args__", (kind,))[0], True) if "Required" in str(kind) else (kind, False)
        for key, kind in hints.items()
    }


@pytest.mark.parametrize("name", OF)
def test_the_parameters_are_those_of_the_objects(name):
    told = of_dictionary(name)
    known: dict[str, tuple[Any, bool]] = {}
    for kind in OF[name]:
        for key, (hint, needed) in of_class(kind).items():
            known[key] = (Union[known[key][0], hint] if key in known else hint, needed)  # noqa: UP007
    assert told == known
