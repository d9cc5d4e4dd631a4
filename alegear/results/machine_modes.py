"""Natural vibrations of a machine, as plain arrays, as a dataset and as a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alegear._version import __version__
from alegear.results.dataset import UNNAMED, Identity, coordinates
from alegear.results.variables import AXES, MACHINE_MODES, MODES_OF_SETS

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

LEAST_SHARE = 0.01  # of the energy of a mode that a summary lists
#: Frequencies that differ by less are the same; damping ratios below are none.
SAME = 1e-9


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
    sets, members : tuple of str
        Planetary sets, and their central gears, carriers and planets.
    member_displacement, member_tilt : shape (m, n_members, 3)
    member_rotation : shape (m, n_members)
    member_position, member_axis : shape (n_members, 3) [m, 1]
    member_radius : shape (n_members,) [m]
    member_teeth : shape (n_members,)
    kind : shape (m, n_sets), str
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
    sets: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    member_displacement: Floats = field(default_factory=lambda: np.zeros((0, 0, 3)))
    member_tilt: Floats = field(default_factory=lambda: np.zeros((0, 0, 3)))
    member_rotation: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    member_position: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    member_axis: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    member_radius: Floats = field(default_factory=lambda: np.zeros(0))
    member_teeth: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    kind: NDArray[np.str_] = field(default_factory=lambda: np.zeros((0, 0), dtype=str))


def turning_changes(still: ArrayLike, turning: ArrayLike, damping_ratio: ArrayLike) -> bool:
    """Whether rotation or damping change any mode, by frequencies (m,) and (k,) [Hz] and damping ratios (k,)."""
    f, g, zeta = (np.asarray(one, dtype=np.float64) for one in (still, turning, damping_ratio))
    return bool(f.shape != g.shape or np.any(np.abs(g - f) > SAME * np.abs(f)) or np.any(np.abs(zeta) > SAME))


def machine_modes_dataset(modes: MachineModes, identity: Identity = UNNAMED) -> xr.Dataset:
    """Build the dataset of ``result.nc`` of a modal study of a machine."""
    import xarray as xr

    variables = MACHINE_MODES | (MODES_OF_SETS if modes.sets else {})
    values = {name: getattr(modes, name) for name in variables}
    values |= {name: values[name].T for name in ("energy_share", "turning_energy_share")}
    labels: dict[str, Any] = {
        "mode": 1 + np.arange(len(modes.frequency)),
        "turning_mode": 1 + np.arange(len(modes.turning_frequency)),
        "part": modes.parts,
        "shaft": modes.shafts,
        "place": modes.places,
        "axis": AXES,
    }
    if modes.sets:
        labels |= {"planetary_set": modes.sets, "member": modes.members}
    data = {name: variables[name].entry(array) for name, array in values.items()}
    coords = coordinates(labels, part="where the energy is")
    return xr.Dataset(data, coords=coords, attrs=identity.attributes("modal", machine=1))


def machine_modes_summary(modes: MachineModes, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Build ``summary.json`` of a modal study of a machine."""
    return {
        "analysis": "modal",
        "machine": True,
        "modes": [
            {
                "frequency_Hz": float(frequency),
                "energy_share": _listed(modes.parts, modes.energy_share[:, k]),
                **({"kind": dict(zip(modes.sets, modes.kind[k].tolist(), strict=True))} if modes.sets else {}),
            }
            for k, frequency in enumerate(modes.frequency)
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
