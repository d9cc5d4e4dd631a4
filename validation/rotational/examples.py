"""The machines of this folder, and what each is compared with: columns of files, curves and events by hand."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import by_hand
import numpy as np
import xarray as xr
from by_hand import Array, Change, Curves

import alegear as ag
from alegear.case.machine import MachineCase
from alegear.case.motion_in_time import RotationalMotion
from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.drivetrain.rotational.sources import SpeedSource, TorqueFunction, TorqueSource
from alegear.system import Rotor1D

HERE = Path(__file__).resolve().parent
#: Results of other programs; not part of this project.
REFERENCE = HERE.parents[2] / "shared" / "reference" / "rotational"
#: So far from an event [s] a sample is taken that is to show what holds on one side of it.
ASIDE = 1e-8


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a reference file, and what it is here.

    Parameters
    ----------
    name : str
        Its heading.
    of : mapping of str to float
        Weights of bodies (angle, speed), of flanges (torque) or of switches (friction_torque).
    variable : str
        Variable of the results: angle, speed, torque, friction_torque.
    hand : str
        Name of the curve by hand.
    bound : float or None
        Of the largest difference, as a part of the largest value in the file; None: that of the file.
    hand_bound : float
        Of the largest difference from the curve by hand, as a part of its largest value.
    drawn_larger : float
        Factor in the picture.
    """

    name: str
    of: Mapping[str, float]
    variable: str = "speed"
    hand: str = ""
    bound: float | None = None
    hand_bound: float = 1e-7
    drawn_larger: float = 1.0

    @property
    def shown(self) -> tuple[float, str]:
        """Factor and label in a picture: a small curve is drawn larger."""
        return (
            (1.0, self.hand)
            if self.drawn_larger == 1.0
            else (self.drawn_larger, f"{self.drawn_larger:g} x {self.hand}")
        )

    def found(self, data: xr.Dataset) -> Array:
        """Its values here."""
        along = {"torque": "flange", "friction_torque": "switch"}.get(self.variable, "body")
        values = sum(weight * data[self.variable].sel({along: name}).values for name, weight in self.of.items())
        return np.asarray(values)


@dataclass(frozen=True, kw_only=True)
class File:
    """A file of another program.

    Parameters
    ----------
    name : str
    by : str
        The program.
    columns : tuple of Column
    bound : float
        Of differences, as parts of the largest value of a column.
    modes : mapping of str to str
        Columns of modes, and the switches.
    jumps : str or None
        The column of a mode, where something that is compared jumps as it changes.
    """

    name: str
    by: str
    columns: tuple[Column, ...]
    bound: float
    modes: Mapping[str, str] = field(default_factory=dict)
    jumps: str | None = None

    def read(self) -> dict[str, Array]:
        """Read all columns; the time is the first."""
        with (REFERENCE / self.name).open(encoding="utf-8") as file:
            rows = list(csv.reader(file))
        return dict(zip(["time", *rows[0][1:]], np.array(rows[1:], dtype=np.float64).T, strict=True))

    def times(self, rows: Mapping[str, Array], changes: tuple[Change, ...]) -> Array:
        """Times at which we are to be asked for its rows: those of the file, but on the same side of events."""
        times = rows["time"].copy()
        if self.jumps is None:
            return times
        modes = rows[self.jumps]
        begun = int(np.argmax(modes == changes[0].before))  # what comes before is the search for the first mode
        number = np.concatenate([np.zeros(begun + 1), np.cumsum(np.diff(modes[begun:]) != 0.0)]).astype(int)
        borders = np.array([one.t for one in changes])
        begin, end = np.append(-np.inf, borders + ASIDE), np.append(borders - ASIDE, np.inf)
        return np.clip(times, begin[number], end[number])


@dataclass(frozen=True, kw_only=True)
class Example:
    """A machine, and all that it is compared with.

    Parameters
    ----------
    name : str
        Of its case file and its picture.
    case : callable
    hand : callable
        Times to curves.
    files : tuple of File
    title : str
    changes : callable
        Events by hand.
    stated : tuple of float [s]
        Their times in the results of the Modelica library (Dymola), to 7 decimals.
    quick : float or None [s]
        Duration of the quick version; None: all of it.
    """

    name: str
    case: Callable[[], MachineCase]
    hand: Callable[[Array], Curves]
    files: tuple[File, ...]
    title: str
    changes: Callable[[], tuple[Change, ...]] = tuple
    stated: tuple[float, ...] = ()
    quick: float | None = None

    @property
    def columns(self) -> dict[str, Column]:
        """All that is compared with curves by hand, by their names."""
        return {one.hand: one for file in self.files for one in file.columns if one.hand}


# ----------------------------------------------------------------- the machines
def from_file(name: str) -> Callable[[], MachineCase]:
    """The case of a file beside this one."""

    def case() -> MachineCase:
        found = ag.case_from_file(HERE / f"{name}.toml")
        assert isinstance(found, MachineCase)
        return found

    return case


def planetary_case() -> MachineCase:
    """A planetary set with one heavy planet under gravity: the planet's mass is on the carrier, its spin a rotor."""
    radius, mass, gravity, inertia = 2.0, 1.0, 9.81, 1e-3
    machine = ag.Machine("Planetary set under gravity")

    def weight(t: float, angles: Array, speeds: Array) -> Array:
        return -mass * gravity * radius * np.cos(angles)

    machine.add("sun", Rotor1D(inertia=inertia, speed=1.0))
    machine.add("ring", Rotor1D(inertia=inertia))
    machine.add("carrier", Rotor1D(inertia=inertia + mass * radius**2, speed=0.5))
    machine.add("planet", Rotor1D(inertia=inertia))
    machine.add("set", PlanetaryGear(sun="sun", ring="ring", carrier="carrier", ratio=3.0))
    machine.add("planet on sun", RatioGear(between=("planet", "sun"), ratio=-1.0, housing="carrier"))
    machine.add("drive", SpeedSource(at="sun", speed=1.0))
    machine.add("ring torque", TorqueSource(at="ring", torque=1.0))
    machine.add("weight", TorqueFunction(at=("carrier",), function=weight))
    return machine.case(RotationalMotion(duration=10.0, output_every=0.006, tolerance=1e-11))


def columns(*rows: tuple[str, str, Mapping[str, float], str]) -> tuple[Column, ...]:
    """Columns from heading, variable, weights and name by hand."""
    return tuple(Column(name=name, variable=variable, of=of, hand=hand) for name, variable, of, hand in rows)


LOSSY = (
    File(
        name="msl400_LossyGearDemo1.csv",
        by="Dymola",
        bound=1e-5,
        modes={"gear.mode": "gear"},
        columns=columns(("Inertia2.w", "speed", {"J2": 1.0}, "J2")),
    ),
    File(
        name="omref_msl32_LossyGearDemo1.csv",
        by="OpenModelica",
        bound=1e-4,
        modes={"gear.mode": "gear"},
        jumps="gear.mode",
        columns=(
            # up to 1.9e-4 off the closed form itself; the speed that counts is in the file above
            Column(name="Inertia2.w", of={"J2": 1.0}, hand="J2", bound=1e-3),
            *columns(
                ("gear.tauLoss", "friction_torque", {"gear": 1.0}, "gear loss"),
                ("gear.flange_a.tau", "torque", {"gear/J1": 1.0}, "gear flange"),
            ),
        ),
    ),
)
EXAMPLES = {
    one.name: one
    for one in (
        Example(
            name="lossy_gear",
            title="Lossy gear",
            stated=(0.0804771, 0.1995199, 0.3713427, 0.4645395),
            case=from_file("lossy_gear"),
            hand=by_hand.lossy_gear,
            changes=by_hand.lossy_gear_changes,
            files=LOSSY,
        ),
        Example(
            name="elastic_bearing",
            title="Gear in a housing on springs",
            case=from_file("elastic_bearing"),
            hand=by_hand.elastic_bearing,
            files=(
                File(
                    name="msl400_ElasticBearing.csv",
                    by="Dymola",
                    bound=1e-5,
                    columns=(
                        *columns(
                            ("shaft.w", "speed", {"shaft": 1.0}, "shaft"),
                            ("load.w", "speed", {"load": 1.0}, "load"),
                            ("shaft.phi", "angle", {"shaft": 1.0}, "shaft angle"),
                            ("load.phi", "angle", {"load": 1.0}, "load angle"),
                        ),
                        Column(
                            name="springDamper.phi_rel",
                            variable="angle",
                            of={"housing": 1.0},
                            hand="housing angle",
                            drawn_larger=1e5,
                        ),
                        # 3e-4 off the exact solution itself: 2e-7 rad/s, where the shaft turns with 114 rad/s
                        Column(
                            name="springDamper.w_rel",
                            of={"housing": 1.0},
                            hand="housing",
                            bound=1e-3,
                            hand_bound=1e-5,
                            drawn_larger=1e5,
                        ),
                    ),
                ),
            ),
        ),
        Example(
            name="backlash",
            title="Spring with and without backlash",
            case=from_file("backlash"),
            hand=by_hand.backlash,
            files=(
                File(
                    name="msl400_Backlash.csv",
                    by="Dymola",
                    bound=1e-2,
                    columns=columns(
                        ("elastoBacklash.w_rel", "speed", {"loose": 1.0}, "loose"),
                        ("elastoBacklash.phi_rel", "angle", {"loose": 1.0}, "loose angle"),
                        ("springDamper.w_rel", "speed", {"tight": 1.0}, "tight"),
                        ("springDamper.phi_rel", "angle", {"tight": 1.0}, "tight angle"),
                    ),
                ),
            ),
        ),
        Example(
            name="gear_shift",
            title="Gear shift",
            stated=(2.0, 2.0408163, 2.1, 2.1107904),
            case=from_file("gear_shift"),
            hand=by_hand.gear_shift,
            changes=by_hand.gear_shift_changes,
            files=(
                File(
                    name="msl400_SimpleGearShift.csv",
                    by="Dymola",
                    bound=1e-5,
                    modes={"brake.mode": "brake", "clutch.mode": "clutch"},
                    columns=columns(
                        ("engine.w", "speed", {"engine": 1.0}, "engine"),
                        ("load.w", "speed", {"load": 1.0}, "load"),
                        ("clutch.w_rel", "speed", {"ring": 1.0, "engine": -1.0}, "clutch"),
                        ("engine.phi", "angle", {"engine": 1.0}, "engine angle"),
                        ("load.phi", "angle", {"load": 1.0}, "load angle"),
                        ("clutch.phi_rel", "angle", {"ring": 1.0, "engine": -1.0}, "clutch angle"),
                    ),
                ),
            ),
        ),
        Example(
            name="gear_constraint",
            title="Two shafts, one ratio",
            case=from_file("gear_constraint"),
            hand=by_hand.gear_constraint,
            files=(
                File(
                    name="msl400_MB_GearConstraint.csv",
                    by="Dymola",
                    bound=5e-5,
                    columns=columns(
                        ("inertia2.w", "speed", {"inertia2": 1.0}, "inertia2"),
                        ("inertia2.phi", "angle", {"inertia2": 1.0}, "inertia2 angle"),
                    ),
                ),
            ),
        ),
        Example(
            name="planetary_gear",
            title="Planetary set under gravity",
            quick=2.0,
            case=planetary_case,
            hand=by_hand.planetary_gear,
            files=(
                File(
                    name="planarmech_PlanetaryGear.csv",
                    by="Dymola",
                    bound=3e-4,
                    columns=columns(
                        ("planetary.bearing_Ring.w", "speed", {"ring": 1.0}, "ring"),
                        ("planetary.planet.w", "speed", {"planet": 1.0}, "planet"),
                        ("planetary.planet.phi", "angle", {"planet": 1.0}, "planet angle"),
                        (
                            "planetary.bearing_Planet.w",
                            "speed",
                            {"planet": 1.0, "carrier": -1.0},
                            "planet on carrier",
                        ),
                        (
                            "planetary.bearing_Planet.phi",
                            "angle",
                            {"planet": 1.0, "carrier": -1.0},
                            "planet on carrier angle",
                        ),
                        ("planetary.planetRing.phi_gear", "angle", {"carrier": 1.0}, "carrier angle"),
                        ("planetary.planetRing.frame_b.phi", "angle", {"ring": 1.0}, "ring angle"),
                        ("planetary.sunPlanet.frame_a.phi", "angle", {"sun": 1.0}, "sun angle"),
                    ),
                ),
            ),
        ),
    )
}
