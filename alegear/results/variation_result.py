"""What a variation computed: one row a variant, as a dataset with units and long names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alegear.contact.numbering import GEARS
from alegear.results import signals
from alegear.results.dataset import coordinates, global_attributes
from alegear.results.variables import SHARED, SIDES, VARIATION

if TYPE_CHECKING:
    import xarray as xr

Floats = NDArray[np.float64]
HARMONICS = 10  # of the transmission error that are kept


def variant_values(
    *,
    phase: Floats,
    pinion_torque: float,
    backlash: tuple[float, float],
    transmission_error: Floats,
    mesh_stiffness: Floats,
    tooth_load: Floats,
    line_load: Floats,
    contact_pressure: Floats,
    edge_pressure: Floats,
    root_stress: Floats | None,
    root_stress_principal: Floats | None = None,
    force: Floats | None = None,
) -> dict[str, Any]:
    """Condense the positions of one variant to the variables of :data:`VARIATION`; statistics over whole pitches.

    Parameters
    ----------
    phase, transmission_error, mesh_stiffness : shape (n,) [1], [m], [N/m]
    pinion_torque : float [N m]
    backlash : (float, float) [m]
        Circumferential and normal.
    tooth_load : shape (n, n_pairs) [N]
    line_load, contact_pressure, edge_pressure : shape (n, n_pairs, n_slices) [N/m], [Pa]
        By pair or by slot of the window.
    root_stress, root_stress_principal : shape (n, 2, n_pairs, 2) or None [Pa]
        None: not computed.
    force : shape (n, 2) or None [N]
        Torques of the contact on pinion and wheel over their base radii, friction included; None without friction.
    """
    window = signals.whole_pitches_uniform(phase)
    error, stiffness = transmission_error[window], mesh_stiffness[window]
    values: dict[str, Any] = {
        "pinion_torque": pinion_torque,
        "j_wt": backlash[0],
        "j_bn": backlash[1],
        "transmission_error": transmission_error,
        "mesh_stiffness": mesh_stiffness,
        "te_mean": signals.mean(error),
        "te_peak_to_peak": signals.peak_to_peak(error),
        "te_harmonics": signals.mesh_harmonics(phase, transmission_error, HARMONICS)[1],
        "mesh_stiffness_mean": signals.mean(stiffness),
        "contact_ratio_loaded": signals.loaded_contact_ratio(tooth_load[window]),
        "tooth_load_max": float(tooth_load.max()),
        "contact_pressure_max": float(contact_pressure.max()),
        "edge_pressure_max": float(edge_pressure.max()),
        "face_load_factor": signals.face_load_factor(line_load[window]),
    }
    if root_stress is not None:
        values["root_stress_max"] = np.nanmax(root_stress, axis=(0, 2))
    if root_stress_principal is not None:
        high, low = np.nanmax(root_stress_principal, axis=(0, 2)), np.nanmin(root_stress_principal, axis=(0, 2))
        values["root_stress_principal_max"] = signals.principal_extremes(high, low)
    if force is not None:
        values["efficiency"] = efficiency(force[window])
    return values


def efficiency(force: Floats) -> float:
    r"""Mean efficiency over whole pitches at constant speed.

    .. math:: \eta = 1 + \frac{\overline{F_1 + F_2}}{\max(|\bar F_1|, |\bar F_2|)}

    Both base circles move at one speed, by which the power of each gear is its force times that: the driven gear is
    given less than the driving one gives.

    Parameters
    ----------
    force : shape (n, 2) [N]
        Torques of the contact on pinion and wheel, positive in the running direction, over their base radii.
    """
    mean = force.mean(axis=0)
    return float(1.0 + mean.sum() / np.abs(mean).max())


def variation_dataset(
    phase: Floats,
    rows: Sequence[Mapping[str, Any] | None],
    *,
    labels: Sequence[str],
    failures: Sequence[str],
    torques: Sequence[float],
    digests: Sequence[str],
    warnings: Sequence[str],
    title: str = "",
    case_sha256: str = "",
) -> xr.Dataset:
    """Put the values of the variants into a dataset; what failed is NaN, with the reason in ``failure``.

    Parameters
    ----------
    phase : shape (n,) [1]
    rows : sequence of mapping or None
        :func:`variant_values` of each variant; None: it failed. At least one is there.
    labels, failures, warnings : sequence of str
        One a variant; an empty one is none.
    torques : sequence of float [N m]
        Asked for, whether it failed or not.
    digests : sequence of str
        Of the case of each variant; empty where there is none.
    """
    import xarray as xr

    known = next(row for row in rows if row is not None)
    numbers = {"variant": np.arange(len(rows)), "position": np.arange(len(phase))}
    coords = coordinates({**numbers, "harmonic": np.arange(1, HARMONICS + 1), "gear": GEARS, "side": SIDES})
    coords["label"] = ("variant", np.array(labels, dtype=object), {"long_name": "label of the variant"})
    coords["phase"] = SHARED["phase"].entry(phase, "position")
    data: dict[str, Any] = {}
    for name, variable in VARIATION.items():
        if name not in known:
            continue
        values = np.full((len(rows), *np.shape(known[name])), np.nan)
        for i, row in enumerate(rows):
            if row is not None:
                values[i] = row[name]
        data[name] = variable.entry(values, "variant")
    data["pinion_torque"] = VARIATION["pinion_torque"].entry(np.array(torques, dtype=float), "variant")
    data["variant_sha256"] = (
        "variant",
        np.array(digests, dtype=object),
        {"long_name": "digest of the case of the variant; empty if there is none"},
    )
    data["warnings"] = (
        "variant",
        np.array(warnings, dtype=object),
        {"long_name": "what the variant is to be read with caution for; empty if nothing"},
    )
    data["failure"] = (
        "variant",
        np.array(failures, dtype=object),
        {"long_name": "why the variant could not be computed; empty if it could"},
    )
    attrs = global_attributes("variation", title=title, case_sha256=case_sha256, complete=True)
    return xr.Dataset(data, coords=coords, attrs=attrs)
