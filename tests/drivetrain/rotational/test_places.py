"""Places that parts connect, which the graph of a machine draws."""

from dataclasses import dataclass

from alegear.system import MachinePart


@dataclass(frozen=True, kw_only=True, eq=False)
class Part(MachinePart):
    """Fields that name places."""

    gears: tuple[str, str] | None = None
    pump: str | None = None
    turbine: str | None = None
    length: str = "no place"

    def add_to(self, builder):
        """Add nothing."""


def test_gears_and_torque_converters_connect_their_shafts():
    assert Part(gears=("motor", "flap")).places == {"A": "motor", "B": "flap"}
    assert Part(pump="engine", turbine="input").places == {"pump": "engine", "turbine": "input"}
