"""What a modal study computed, as plain arrays, as a dataset and as a summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.contact.numbering import GEARS
from alegear.results.dataset import UNNAMED, Identity, coordinates
from alegear.results.variables import PAIR_MODES

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class ModalHistory:
    """Results of a modal study.

    Parameters
    ----------
    held_frequency, free_frequency : shape (2, n) [Hz]
        Of pinion and wheel, ascending; bore held, and free with a rigid bore, without the six rigid-body modes.
    held_nodal_diameter, free_nodal_diameter : shape (2, n)
    held_deflection_share : shape (2, n) [1] or None
        Part of the static deflection under the load that each mode takes; None with a law that cannot tell.
    pair_frequency : shape (m,) [Hz]
    pair_energy_share : shape (m, len(parts)) [1]
    pair_shape : shape (m, len(coordinates)) [1]
        Ways of rotations (on base circles) and displacements, the largest of each mode 1.
    parts, coordinates : tuple of str
    mesh_stiffness : float [N/m]
    mesh_frequency : float [Hz]
        Of the mode in the mesh (of the deflection of teeth and wheels under load it takes the most), the gears as they
        are supported, with the normal modes asked for. It is one of the modes of the pair.
    fixed_axis_mesh_frequency : float [Hz]
        The same of wheels without elastic inertia on fixed axes, with their shafts.
    flexible_mesh_frequency : float or None [Hz]
        `mesh_frequency` where normal modes of the wheels are in it.
    free_mesh_frequency : float [Hz]
        Both gears free to turn, sqrt(k (r_b1^2/J_1 + r_b2^2/J_2)).
    phase : float or None [pitches]
        Position of the driven gear; None: mean over a pitch.
    teeth : (int, int)
    pinion_speed : float or None [rad/s]
    """

    held_frequency: Floats
    held_nodal_diameter: NDArray[np.int64]
    held_deflection_share: Floats | None
    free_frequency: Floats
    free_nodal_diameter: NDArray[np.int64]
    pair_frequency: Floats
    pair_energy_share: Floats
    pair_shape: Floats
    parts: tuple[str, ...]
    coordinates: tuple[str, ...]
    mesh_stiffness: float
    mesh_frequency: float
    fixed_axis_mesh_frequency: float
    flexible_mesh_frequency: float | None
    free_mesh_frequency: float
    phase: float | None
    teeth: tuple[int, int]
    pinion_speed: float | None


def modal_dataset(history: ModalHistory, identity: Identity = UNNAMED) -> xr.Dataset:
    """Build the dataset of ``result.nc``, dimensions ``mode`` (wheels) and ``pair_mode``."""
    import xarray as xr

    labels = {
        "gear": GEARS,
        "mode": np.arange(1, history.held_frequency.shape[1] + 1),
        "pair_mode": np.arange(1, len(history.pair_frequency) + 1),
        "part": history.parts,
        "coordinate": history.coordinates,
    }
    coords = coordinates(labels, mode="number of the wheel's mode", part="where the energy is")
    known = {name: values for name in PAIR_MODES if (values := getattr(history, name)) is not None}
    data = {name: PAIR_MODES[name].entry(np.asarray(values)) for name, values in known.items()}
    position = "mean over a pitch" if history.phase is None else f"phase {history.phase:g}"
    attrs = identity.attributes("modal", position=position, teeth=np.array(history.teeth))
    if history.pinion_speed is not None:
        attrs["pinion_speed"] = history.pinion_speed  # [rad/s]
    return xr.Dataset(data, coords=coords, attrs=attrs)


def modal_summary(history: ModalHistory, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Build ``summary.json`` of a modal study."""
    of_wheels = {
        f"{name}_{what}": {gear: getattr(history, f"{name}_{of}")[g].tolist() for g, gear in enumerate(GEARS)}
        for what, of in (("frequency_Hz", "frequency"), ("nodal_diameter", "nodal_diameter"))
        for name in ("held", "free")
    }
    flexible = history.flexible_mesh_frequency
    return {
        "analysis": "modal",
        "phase": history.phase,
        "mesh_stiffness_N_per_um": 1e-6 * history.mesh_stiffness,
        "mesh_natural_frequency_Hz": history.mesh_frequency,
        "mesh_natural_frequency_fixed_axes_Hz": history.fixed_axis_mesh_frequency,
        "mesh_natural_frequency_free_Hz": history.free_mesh_frequency,
        **({} if flexible is None else {"mesh_natural_frequency_flexible_Hz": flexible}),
        "pair_frequency_Hz": [float(f) for f in history.pair_frequency],
        **of_wheels,
        "version": __version__,
        **facts,
    }
