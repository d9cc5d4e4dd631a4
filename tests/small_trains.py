"""Machines of torsional parts, moved by the public interface."""

from __future__ import annotations

import numpy as np

import alegear as ag


def moved(*parts, duration, **analysis) -> ag.Result:
    """The motion of a machine of parts."""
    machine = ag.Machine()
    for part in parts:
        machine.add(part.name, part)
    return machine.run(duration=duration, **analysis)


def events_of(result: ag.Result) -> list[tuple[float, str, int, int]]:
    """Time, switch, mode before and after of every event."""
    data = result.dataset
    return [
        (float(t), str(name), int(before), int(after))
        for t, name, before, after in zip(
            data.event_time.values,
            data.event_switch.values,
            data.event_before.values,
            data.event_after.values,
            strict=True,
        )
    ]


def went_through(result: ag.Result) -> float:
    """Energy that was put in, taken out, lost, stored and given back [J]."""
    data = result.dataset
    supplied = np.abs(np.diff(data.energy_supplied.values, axis=0)).sum()
    stored = np.abs(np.diff(data.energy_stored.values, axis=0)).sum()
    kinetic = np.abs(np.diff(data.energy_kinetic.values)).sum()
    return float(supplied + stored + kinetic + data.energy_dissipated[-1] + data.energy_kinetic[0])


def missing(result: ag.Result) -> float:
    """Part of the energy that the account misses, at worst."""
    return float(np.abs(result.dataset.energy_missing).max()) / went_through(result)
