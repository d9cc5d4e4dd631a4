"""A two-stage gearbox behind a clutch: a flexible stage, one with losses, and a clutch that slips and locks.

``python validation/clutch_gearbox/run.py`` runs `meshes/clutch_gearbox.toml`, prints the table of README.md and draws
``motion.png`` beside it.
"""

from __future__ import annotations

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

import alegear as ag
from alegear.results.rotational_result import events

CASE = Path(__file__).resolve().parents[2] / "meshes" / "clutch_gearbox.toml"
CLUTCH = "c1"


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
    axes[0].set_ylabel("speed in rad/s")
    axes[0].legend()
    axes[1].plot(t, -data["friction_torque"].sel(switch=CLUTCH), label="torque of the clutch")
    axes[1].fill_between(
        t, 0.0, 1.0, where=data["mode"].sel(switch=CLUTCH) == 0, alpha=0.2, transform=axes[1].get_xaxis_transform(),
        label="locked",
    )  # fmt: skip
    axes[1].set_ylabel("torque in N m")
    axes[1].legend()
    force = data["mesh_force"]
    for mesh in data["mesh"].values:
        axes[2].plot(t, 1e-3 * np.sqrt((force.sel(mesh=mesh) ** 2).sum("axis")), label=f"mesh {mesh}")
    axes[2].set_ylabel("force in kN")
    axes[2].legend()
    stored = data["energy_kinetic"] + data["energy_elastic"]
    missing = data["energy_input"] - data["energy_dissipated"] - (stored - stored[0])
    axes[3].plot(t, 1e6 * missing / float(data["energy_input"][-1]))
    axes[3].set_ylabel("energy missing,\n1e-6 of what was put in")
    axes[3].set_xlabel("time in ms")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Run, print, draw."""
    begun = time.perf_counter()
    result = ag.run(ag.case_from_file(CASE))
    seconds, data = time.perf_counter() - begun, result.dataset
    lock = lock_of(data)
    clutch = data.sel(switch=CLUTCH)
    stuck = clutch["relative_speed"].values[clutch["time"].values > lock]
    print("| | |\n|---|---|")
    for one in events(data):
        print(f"| {1e3 * one.time:.4f} ms | {one.switch}: {one.before} to {one.after} |")
    print(f"| relative speed that lines through the samples leave at the lock | {jump_at(data, lock):.2g} rad/s |")
    print(f"| largest relative speed after it | {np.abs(stuck).max():g} |")
    print(f"| energy missing, of what was put in | {energy_missing(data):.2g} |")
    print(f"| time | {seconds:.0f} s |")
    draw(data, Path(__file__).with_name("motion.png"))


if __name__ == "__main__":
    main()
