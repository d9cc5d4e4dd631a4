"""A two-stage gearbox behind a clutch: a flexible stage, one with losses, and a clutch that slips and locks.

``python validation/clutch_gearbox/run.py`` runs `meshes/clutch_gearbox.toml`, prints its events and draws
``motion.png`` beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

import alegear as ag
from alegear.results.switch_events import events

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone
from coarse import FIRST_ORDER

CASE = Path(__file__).resolve().parents[2] / "meshes" / "clutch_gearbox.toml"
CLUTCH = "c1"
BOUND = 1e-5  # of the energy that was put in
#: Quick form: a slower motor, to whose speed the gearbox has come sooner, a load that comes sooner, longer steps.
QUICK_SPEED, QUICK_DURATION = 20.0 * np.pi / 30.0, 7.5e-3  # rad/s, s
QUICK_TOLERANCE = 1e-2  # of a step
QUICK_LOAD = ((0.0, 0.0), (0.003, 0.0), (0.004, 60.0), (0.03, 60.0))  # s, N m


def energy_missing(data: xr.Dataset) -> float:
    """Put in less lost less stored more than at the start: the largest, over what was put in at the end."""
    stored = data["energy_kinetic"] + data["energy_elastic"]
    missing = data["energy_input"] - data["energy_dissipated"] - (stored - stored[0])
    return float(np.abs(missing).max() / data["energy_input"][-1])


def lock_of(data: xr.Dataset) -> float:
    """Time at which the clutch locks for good [s]."""
    return max(one.time for one in events(data) if one.switch == CLUTCH and one.after == 0)


def jump_at(data: xr.Dataset, t: float) -> float:
    """Relative speed of the clutch that straight lines through the last samples before a time leave there, in rad/s.

    A lock that a step had passed over, or that was pulled to zero, would leave what it missed.
    """
    clutch = data.sel(switch=CLUTCH)
    before = np.flatnonzero(clutch["time"].values < t)[-3:]
    line = np.polyfit(clutch["time"].values[before] - t, clutch["relative_speed"].values[before], 1)
    return float(line[-1])


def draw(data: xr.Dataset, path: Path) -> None:
    """Draw speeds, torque of the clutch, force of the flexible mesh and the energy that is missing."""
    t = 1e3 * data["time"]
    figure, axes = plt.subplots(4, 1, figsize=(8, 9), sharex=True, layout="constrained")
    speed = data["speed"]
    axes[0].plot(t, data["body_speed"].sel(body="motor_shaft"), label="motor")
    for shaft in ("input", "output"):
        axes[0].plot(t, speed.sel(shaft=shaft), label=shaft)
    axes[0].set_ylabel("speed [rad/s]")
    axes[0].legend()
    axes[1].plot(t, -data["friction_torque"].sel(switch=CLUTCH), label="torque of the clutch")
    axes[1].fill_between(
        t, 0.0, 1.0, where=data["mode"].sel(switch=CLUTCH) == 0, alpha=0.2, transform=axes[1].get_xaxis_transform(),
        label="locked",
    )  # fmt: skip
    axes[1].set_ylabel("torque [N m]")
    axes[1].legend()
    force = data["mesh_force"]
    for mesh in data["mesh"].values:
        axes[2].plot(t, 1e-3 * np.sqrt((force.sel(mesh=mesh) ** 2).sum("axis")), label=f"mesh {mesh}")
    axes[2].set_ylabel("force [kN]")
    axes[2].legend()
    stored = data["energy_kinetic"] + data["energy_elastic"]
    missing = data["energy_input"] - data["energy_dissipated"] - (stored - stored[0])
    axes[3].plot(t, 1e6 * missing / float(data["energy_input"][-1]))
    axes[3].set_ylabel("energy missing,\n1e-6 of what was put in")
    axes[3].set_xlabel("time [ms]")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def rows(quick: bool) -> Iterator[Row]:
    """Energy, and the lock of the clutch; in the quick form on a coarse grid, with a lock that comes sooner."""
    case = ag.case_from_file(CASE)
    assert isinstance(case, ag.MachineCase)
    if quick:
        gears = [replace(gear, grid_options=FIRST_ORDER) if gear.grid_options else gear for gear in case.gears]
        case = replace(
            case,
            gears=tuple(gears),
            drives=(replace(case.drives[0], speed=QUICK_SPEED),),
            loads=(replace(case.loads[0], torque_table=QUICK_LOAD),),
            analysis=replace(case.analysis, duration=QUICK_DURATION, tolerance=QUICK_TOLERANCE),
        )
    data = ag.run(case).dataset
    lock = lock_of(data)
    clutch = data.sel(switch=CLUTCH)
    stuck = clutch["relative_speed"].values[clutch["time"].values > lock]
    yield Row(
        quantity="energy put in less lost less stored, over what was put in",
        value=energy_missing(data),
        kind="at most",
        bound=BOUND,
        source="put in = lost + stored",
    )
    yield Row(
        quantity="largest relative speed of the clutch after its lock",
        value=float(np.abs(stuck).max()),
        kind="at most",
        unit="rad/s",
        bound=0.0,
        source="what sticks does not slip",
    )
    yield Row(
        quantity="relative speed that lines through the samples before the lock leave there",
        value=jump_at(data, lock),
        reference=0.0,
        kind="absolute",
        unit="rad/s",
        source="no step at the lock",
    )
    if quick:
        return
    for one in events(data):
        print(f"| {1e3 * one.time:.4f} ms | {one.switch}: {one.before} to {one.after} |")
    draw(data, Path(__file__).with_name("motion.png"))


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
