"""What a variation computed: one row a variant, as a dataset with units and long names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alegear.arrays import Array
from alegear.contact.numbering import GEARS
from alegear.results import signals
from alegear.results.dataset import UNNAMED, Identity, coordinates
from alegear.results.number_units import number_unit
from alegear.results.variables import SHARED, SIDES, VARIATION, Variable
from alegear.storage import lazy_xarray as xr
from alegear.storage.study_log import StudyPoint

if TYPE_CHECKING:
    from alegear.geometry.gear_pair import GearPair
    from alegear.results.contact_result import ContactHistory

HARMONICS = 10  # of the transmission error that are kept
NOT_COMPUTED = "not computed: the study was stopped"


def variant_values(
    history: ContactHistory, pair: GearPair, pinion_torque: float, force: Array | None = None
) -> dict[str, Any]:
    """Condense the positions of one variant to the variables of :data:`VARIATION`; statistics over whole pitches.

    Parameters
    ----------
    history : ContactHistory
    pair : GearPair
    pinion_torque : float [N m]
    force : shape (n, 2) or None [N]
        Torques of the contact on pinion and wheel over their base radii, friction included; None without friction.
    """
    samples, window = history.samples, history.window().part
    error, stiffness = (samples.read(name) for name in ("transmission_error", "mesh_stiffness"))
    values: dict[str, Any] = {
        "pinion_torque": pinion_torque,
        "j_wt": pair.j_wt,
        "j_bn": pair.j_bn,
        "transmission_error": error,
        "mesh_stiffness": stiffness,
        "te_mean": signals.mean(error[window]),
        "te_peak_to_peak": signals.peak_to_peak(error[window]),
        "te_harmonics": signals.mesh_harmonics(samples.read("phase"), error, HARMONICS)[1],
        "mesh_stiffness_mean": signals.mean(stiffness[window]),
        "contact_ratio_loaded": signals.loaded_contact_ratio(samples.read("tooth_load")[window]),
        "face_load_factor": signals.face_load_factor(samples.read("line_load")[window]),
    }
    for name in ("tooth_load", "contact_pressure", "edge_pressure"):
        values[f"{name}_max"] = float(samples.read(name).max())
    stress, principal = (samples.read(name) for name in ("root_stress", "root_stress_principal"))
    if np.isfinite(stress).any():
        values["root_stress_max"] = np.nanmax(stress, axis=(0, 2))
        high, low = np.nanmax(principal, axis=(0, 2)), np.nanmin(principal, axis=(0, 2))
        values["root_stress_principal_max"] = signals.principal_extremes(high, low)
    if force is not None:
        values["efficiency"] = efficiency(force[window])
    return values


def efficiency(force: Array) -> float:
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
    phase: Array,
    points: Sequence[StudyPoint],
    identity: Identity = UNNAMED,
    *,
    labels: Sequence[str],
    torques: Sequence[float],
    digests: Sequence[str],
) -> xr.Dataset:
    """Put the values of the variants into a dataset; what failed is NaN, with the reason in ``failure``.

    Parameters
    ----------
    phase : shape (n,) [1]
    points : sequence of StudyPoint
        With :func:`variant_values` of each variant.
    identity : Identity, optional
    labels : sequence of str
    torques : sequence of float [N m]
        Of the variants, failed ones too.
    digests : sequence of str
        Of the case of each variant; empty where there is none.
    """
    numbers = {"variant": np.arange(len(points)), "position": np.arange(len(phase))}
    coords = coordinates({**numbers, "harmonic": np.arange(1, HARMONICS + 1), "gear": GEARS, "side": SIDES})
    coords["label"] = ("variant", np.array(labels, dtype=object), {"long_name": "label of the variant"})
    coords["phase"] = SHARED["phase"].entry(phase, "position")
    data = point_variables(points, digests, {"variant": len(points)}, "variant")
    data["pinion_torque"] = VARIATION["pinion_torque"].entry(np.array(torques, dtype=float), "variant")
    return xr.Dataset(data, coords=coords, attrs=identity.attributes("variation"))


def point_variables(
    points: Sequence[StudyPoint | None], digests: Sequence[str], sizes: Mapping[str, int], word: str
) -> dict[str, Any]:
    """Variables of a dataset of many cases: what was computed of each, NaN where nothing was, and texts.

    Parameters
    ----------
    points : sequence of StudyPoint or None
        None: not computed, for the study was stopped.
    digests : sequence of str
        Of the cases; empty where there is none.
    sizes : mapping of str to int
        Of the dimensions over which the points go, the last one running fastest.
    word : str
        What a point is called.
    """
    dims, shape = tuple(sizes), tuple(sizes.values())
    rows = [{} if point is None or point.row is None else point.row for point in points]
    data: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        variable = VARIATION.get(name) or _of_summary(name)
        inner = [max(size) for size in zip(*(np.shape(row[name]) for row in rows if name in row), strict=True)]
        numbers: Array = np.full((len(points), *inner), np.nan)
        for i, row in enumerate(rows):
            if name in row:
                own = np.asarray(row[name], dtype=np.float64)
                place: tuple[int | slice, ...] = (i, *(slice(n) for n in own.shape))
                numbers[place] = own
        data[name] = variable.entry(numbers.reshape(*shape, *inner), *dims)
    texts = {
        f"{word}_sha256": (list(digests), f"digest of the case of the {word}; empty if there is none"),
        "warnings": (
            ["" if point is None else point.warnings for point in points],
            f"what the {word} is to be read with caution for; empty if nothing",
        ),
        "failure": (
            [NOT_COMPUTED if point is None else point.failure for point in points],
            f"why the {word} could not be computed; empty if it could",
        ),
    }
    for name, (entries, long_name) in texts.items():
        data[name] = (dims, np.array(entries, dtype=object).reshape(shape), {"long_name": long_name})
    return data


def _of_summary(name: str) -> Variable:
    """A number of a summary, whose unit is the end of its name."""
    return Variable((), number_unit(name), name.replace("_", " ").replace(".", ", "))
