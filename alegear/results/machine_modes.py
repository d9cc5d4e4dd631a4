"""Natural vibrations of a machine, as plain arrays, as a dataset and as a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.results._variables import AXES, Variable, global_attributes

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

LEAST_SHARE = 0.01  # of the energy of a mode that a summary lists
VARIABLES = {
    "frequency": Variable(("mode",), "Hz", "natural frequency of the machine that stands still, undamped"),
    "energy_share": Variable(("mode", "part"), "1", "part of the energy of deformation of the mode"),
    "turning_frequency": Variable(("turning_mode",), "Hz", "natural frequency of the machine that turns, damped"),
    "turning_energy_share": Variable(("turning_mode", "part"), "1", "part of the energy of deformation of that mode"),
    "damping_ratio": Variable(("turning_mode",), "1", "damping ratio of the mode of the machine that turns"),
    "whirl": Variable(("turning_mode",), "1", "whirl of that mode: 1 with the rotation, -1 against it, 0 in a plane"),
    "rotation": Variable(("mode", "shaft"), "1", "rotation of the shaft in the mode; the largest coordinate is 1"),
    "displacement": Variable(("mode", "place", "axis"), "1", "displacement of the shaft's axis in the mode, in space"),
    "tilt": Variable(("mode", "place", "axis"), "1", "turn of the shaft's axis in the mode, in space"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineModes:
    """Modes of a machine by ascending frequency.

    Parameters
    ----------
    frequency : shape (m,) [Hz]
    parts : tuple of str
        Meshes, shafts and bearings.
    energy_share : shape (len(parts), m) [1]
    turning_frequency, damping_ratio, whirl : shape (k,)
        Of the machine at its speed, with gyroscopic moments and dampers: modes of their own, by ascending frequency;
        which of them comes from which of those at standstill their shares of energy tell.
    turning_energy_share : shape (len(parts), k) [1]
    shafts, places : tuple of str
    rotation : shape (m, n_shafts)
    displacement, tilt : shape (m, n_places, 3)
    speed : mapping of str to float [rpm]
        Of each shaft, about its direction.
    """

    frequency: Floats
    parts: tuple[str, ...]
    energy_share: Floats
    turning_frequency: Floats
    damping_ratio: Floats
    whirl: Floats
    turning_energy_share: Floats
    shafts: tuple[str, ...]
    rotation: Floats
    places: tuple[str, ...]
    displacement: Floats
    tilt: Floats
    speed: Mapping[str, float]


def machine_modes_dataset(modes: MachineModes, *, title: str, case_sha256: str) -> xr.Dataset:
    """Build the dataset of ``result.nc`` of a modal study of a machine."""
    import xarray as xr

    values = {name: getattr(modes, name) for name in VARIABLES}
    values |= {name: values[name].T for name in ("energy_share", "turning_energy_share")}
    labels = {"part": list(modes.parts), "shaft": list(modes.shafts), "place": list(modes.places), "axis": list(AXES)}
    data = {
        name: (VARIABLES[name].dims, array, {"units": VARIABLES[name].units, "long_name": VARIABLES[name].long_name})
        for name, array in values.items()
    }
    numbers = {"mode": 1 + np.arange(len(modes.frequency)), "turning_mode": 1 + np.arange(len(modes.turning_frequency))}
    attrs = global_attributes("modal", title=title, case_sha256=case_sha256, complete=True, extra={"machine": 1})
    return xr.Dataset(data, coords={**numbers, **labels}, attrs=attrs)


def machine_modes_summary(modes: MachineModes, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Build ``summary.json`` of a modal study of a machine."""
    return {
        "analysis": "modal",
        "machine": True,
        "modes": [
            {"frequency_Hz": float(frequency), "energy_share": _listed(modes.parts, share)}
            for frequency, share in zip(modes.frequency, modes.energy_share.T, strict=True)
        ],
        "turning_modes": [
            {
                "frequency_Hz": float(modes.turning_frequency[k]),
                "damping_ratio": float(modes.damping_ratio[k]),
                "whirl": float(modes.whirl[k]),
                "energy_share": _listed(modes.parts, modes.turning_energy_share[:, k]),
            }
            for k in range(len(modes.turning_frequency))
        ],
        "version": __version__,
        **facts,
    }


def _listed(parts: Sequence[str], shares: Floats) -> dict[str, float]:
    """Shares that say something, from a hundredth on."""
    return {part: float(share) for part, share in zip(parts, shares, strict=True) if share >= LEAST_SHARE}
