"""Motion of a torsional machine: between events by CVODE, at them by the mixed system of all switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.case.motion_in_time import RotationalMotion
from alegear.checks.pressed_flanks import planets_pressed
from alegear.drivetrain.rotational.compiled_ode import CompiledOde
from alegear.progress import Progress, advance_in_time
from alegear.recording.ode_motion import OdeMotion
from alegear.recording.planets import PlanetRecord
from alegear.results.body_summaries import body_summary
from alegear.results.dataset import ResultArrays
from alegear.results.result import Result
from alegear.results.switch_events import Event, event_variables, write_events
from alegear.results.variables import INPUTS, ROTATIONAL
from alegear.signals.expected import write_expected
from alegear.studies.case_run import CaseRun
from alegear.system.coordinates import ROTATION
from alegear.system.mode_changes import changes_by_switch
from alegear.system.start import consistent_start
from alegear.system.time_integration.stop_times import StopTimes
from alegear.system.time_integration.sundials import Cvode
from alegear.system.typical_force import with_typical_force

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase


#: Steps of a period of a sine at least, unless the longest step is given.
STEPS_OF_A_PERIOD = 20
#: Parts that a warning names at most.
MOST_NAMED = 8
#: Samples whose flanks are looked at: some are enough to find planets that wedge.
MOST_LOOKED_AT = 500


class RotationalStudy:
    """One motion of a torsional machine.

    Attributes
    ----------
    motion : OdeMotion
    """

    def __init__(self, case: MachineCase) -> None:
        assert isinstance(case.analysis, RotationalMotion)
        self.case, self.analysis = case, case.analysis
        self.built = case.turning()
        self.model = with_typical_force(self.built.model)
        self.ode = CompiledOde(self.model, duration=self.analysis.duration)
        stops = StopTimes.of(self.analysis.duration, self.analysis.spacing)
        longest = self.analysis.longest
        if self.analysis.longest_step is None:  # where all is held nothing but this says how fast a sine changes
            longest = min(longest, self.ode.period / STEPS_OF_A_PERIOD)
        cvode = Cvode(tolerance=self.analysis.tolerance, longest=longest, stiff=self.analysis.stiff)
        self.motion = OdeMotion(self.ode, cvode, stops.outputs(0, stops.n_outputs))
        self._undetermined: list[str] = []

    def run(self, progress: Progress) -> None:
        """Integrate; record every output time.

        Raises
        ------
        Fault, NonConvergence
            What was recorded before stays.
        """
        duration = self.analysis.duration
        self.motion.show = lambda t: advance_in_time(progress, t, duration)
        try:
            self.motion.run(*consistent_start(self.model))
        finally:
            self._undetermined = [self._shared(names, t) for names, t in self.ode.undetermined.items()]

    def _shared(self, names: tuple[str, ...], t: float) -> str:
        """Say which parts share a torque as nothing determines."""
        parts = named(dict.fromkeys(map(self.model.owner, names)))
        return (
            f"torques of {parts}: they are stuck from t = {t:.6g} s on in a circle; their motion is determined, what "
            "each carries is not, and the torques of least norm are told: put a spring between two of them to know more"
        )

    def all_warnings(self) -> list[str]:
        """What the results are to be read with caution for."""
        return [*self._undetermined, *self.pressed_planets()]

    def pressed_planets(self) -> list[str]:
        """Which planets press on flanks that the torques do not load, at some of the samples."""
        record = PlanetRecord(self.case.parts, self.model)
        if not record.sets or not len(self):
            return []
        samples = self.motion.history.samples
        some = np.unique(np.linspace(0, len(samples.t) - 1, MOST_LOOKED_AT).astype(np.int64))
        return planets_pressed(record.sets, *record.pressed(samples.x[some], samples.v[some]))

    def __len__(self) -> int:
        """Return the number of samples taken."""
        return sum(len(block) for block in self.motion.history.blocks)


def named(names: Iterable[str]) -> str:
    """The first names, and how many more there are."""
    given = list(names)
    if len(given) <= MOST_NAMED:
        return ", ".join(given)
    return f"{', '.join(given[:MOST_NAMED])} and {len(given) - MOST_NAMED} more"


def rotational_history(motion: OdeMotion, counts: Mapping[str, int]) -> ResultArrays:
    """What was recorded of a motion, as results tell it."""
    energy_balance, history, model = motion.energy_balance, motion.history, motion.ode.model
    samples, energies = history.samples, np.concatenate(history.energies)
    n = len(energy_balance.parts)
    given, lost, stored = (energies[:, 3 + i * n : 3 + (i + 1) * n] for i in range(3))
    torque = energy_balance.torques(samples)
    kinetic, elastic = energy_balance.kinetic(samples), stored.sum(axis=1)
    put_in, dissipated = energies[:, 0], energies[:, 1]
    turns = [i for i, one in enumerate(model.coordinates) if one.direction == ROTATION]  # planets are displaced as well
    flanges, names = [(one.part, one.body) for one in energy_balance.flanges], ("part", "body")
    coordinates: dict[str, Any] = {
        f"flange_{name}": ("flange", [one[i] for one in flanges], {"units": "1", "long_name": name})
        for i, name in enumerate(names)
    }
    events = event_variables([Event(*one) for one in changes_by_switch(history.events, model)])
    coordinates |= {name: events.pop(name) for name in ("event_time", "event_switch")}
    values = {
        "angle": samples.x[:, turns],
        "speed": samples.v[:, turns],
        "acceleration": samples.a[:, turns],
        "torque": torque,
        "power": energy_balance.powers(samples, torque),
        "mode": samples.modes,
        "relative_speed": samples.rates,
        "friction_torque": samples.lam,
        "loss": energy_balance.losses(samples),
        "energy_lost": lost,
        "energy_supplied": given,
        "energy_stored": stored,
        "energy_input": put_in,
        "energy_kinetic": kinetic,
        "energy_elastic": elastic,
        "energy_dissipated": dissipated,
        "energy_missing": put_in - dissipated - (kinetic - kinetic[0]) - (elastic - elastic[0]),
    }
    labels = {
        "time": samples.t,
        "body": [model.coordinates[i].body for i in turns],
        "part": energy_balance.parts,
        "switch": [model.owner(switch.name) for switch in model.switches],
        "flange": [f"{part}/{body}" for part, body in flanges],
    }
    if model.inputs:
        values["input_value"], labels["input"] = np.concatenate(history.inputs), tuple(model.inputs)
    return ResultArrays(
        analysis="dynamic",
        variables=ROTATIONAL | INPUTS,
        sample_dim="time",
        values=values,
        labels=labels,
        words={"body": "what turns"},
        coordinates=coordinates,
        others=events,
        attributes={"machine": 1, "rotational": 1},
        facts={"counts": counts},
    )


class RotationalRun(CaseRun[RotationalStudy]):
    """A motion of torsional parts, with its events."""

    def _solve(self) -> None:
        self._study = RotationalStudy(self.case)
        self.study.run(self.progress)

    def _store(self, *, complete: bool) -> Result:
        count = self.study.motion.cvode.count
        history = rotational_history(self.study.motion, {"steps": count.steps, "restarts": count.restarts})
        if self.directory is not None:
            self.directory.mkdir(parents=True, exist_ok=True)
            motion = self.study.motion
            changes = changes_by_switch(motion.history.events, motion.ode.model)
            write_events(self.directory, [Event(*one) for one in changes])
            write_expected(self.directory, self.case, tuple(history.labels["body"]))
        return self._keep(
            self.directory,
            body_summary(history, self._facts(complete)),
            lambda: history.contents(self._identity(complete)),
            complete=complete,
        )
