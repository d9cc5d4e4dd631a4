"""What a modal study computed, as plain arrays, as a dataset and as a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear._version import __version__
from alegear.contact.numbering import GEARS
from alegear.results._variables import Variable
from alegear.results.summary import RunFacts, run_facts

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]

VARIABLES = {
    "held_frequency": Variable(("gear", "mode"), "Hz", "natural frequency of the wheel, its bore held"),
    "held_nodal_diameter": Variable(("gear", "mode"), "1", "nodal diameter of that mode; of a pair both are listed"),
    "held_deflection_share": Variable(
        ("gear", "mode"), "1", "part of the static deflection along the line of action that the mode takes"
    ),
    "free_frequency": Variable(("gear", "mode"), "Hz", "natural frequency of the wheel without support, bore rigid"),
    "free_nodal_diameter": Variable(("gear", "mode"), "1", "nodal diameter of that mode"),
    "pair_frequency": Variable(("pair_mode",), "Hz", "natural frequency of the loaded pair"),
    "pair_energy_share": Variable(("pair_mode", "part"), "1", "part of the energy of deformation of the pair's mode"),
    "pair_shape": Variable(
        ("pair_mode", "coordinate"),
        "1",
        "displacements of the pair's mode, of rotations those on the base circles; the largest is 1",
    ),
    "mesh_stiffness": Variable((), "N/m", "tangent mesh stiffness along the line of action on which the pair vibrates"),
    "mesh_frequency": Variable((), "Hz", "natural frequency of the pair's mode in the mesh, the gears as supported"),
    "fixed_axis_mesh_frequency": Variable(
        (), "Hz", "the same on fixed axes and their shafts, wheels without elastic inertia"
    ),
}


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


def modal_dataset(
    history: ModalHistory, *, title: str = "", case_sha256: str = "", complete: bool = True
) -> xr.Dataset:
    """Build the dataset of ``result.nc``, dimensions ``mode`` (wheels) and ``pair_mode``."""
    import xarray as xr

    n, m = history.held_frequency.shape[1], len(history.pair_frequency)
    coords: dict[str, Any] = {
        "gear": ("gear", list(GEARS), {"units": "1", "long_name": "gear"}),
        "mode": ("mode", np.arange(1, n + 1), {"units": "1", "long_name": "number of the wheel's mode"}),
        "pair_mode": ("pair_mode", np.arange(1, m + 1), {"units": "1", "long_name": "number of the pair's mode"}),
        "part": ("part", list(history.parts), {"units": "1", "long_name": "where the energy is"}),
        "coordinate": ("coordinate", list(history.coordinates), {"units": "1", "long_name": "what turns or moves"}),
    }
    data = {}
    for name, variable in VARIABLES.items():
        values = getattr(history, name)
        if values is not None:
            attributes = {"units": variable.units, "long_name": variable.long_name}
            data[name] = (variable.dims, np.asarray(values), attributes)
    attrs: dict[str, Any] = {
        "title": title,
        "source": f"alegear {__version__}",
        "version": __version__,
        "case_sha256": case_sha256,
        "complete": int(complete),  # NetCDF has no truth values
        "analysis": "modal",
        "position": "mean over a pitch" if history.phase is None else f"phase {history.phase:g}",
        "teeth": np.array(history.teeth),
    }
    if history.pinion_speed is not None:
        attrs["pinion_speed"] = history.pinion_speed  # [rad/s]
    return xr.Dataset(data, coords=coords, attrs=attrs)


def modal_summary(history: ModalHistory, facts: RunFacts) -> dict[str, Any]:
    """Build ``summary.json`` of a modal study."""
    wheels = {
        f"{name}_frequency_Hz": {
            gear: [float(f) for f in getattr(history, f"{name}_frequency")[g]] for g, gear in enumerate(GEARS)
        }
        for name in ("held", "free")
    }
    diameters = {
        f"{name}_nodal_diameter": {
            gear: [int(d) for d in getattr(history, f"{name}_nodal_diameter")[g]] for g, gear in enumerate(GEARS)
        }
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
        **wheels,
        **diameters,
        **run_facts(facts),
    }
