"""Places that parts connect, which the graph of a machine draws."""

from types import SimpleNamespace

from alegear.drivetrain.rotational.places import places_of


def test_gears_and_torque_converters_connect_their_shafts():
    assert places_of(SimpleNamespace(gears=("motor", "flap"))) == {"A": "motor", "B": "flap"}
    assert places_of(SimpleNamespace(pump="engine", turbine="input")) == {"pump": "engine", "turbine": "input"}
