"""Wear quantities of a result: sliding, specific sliding, pressure times velocity, flash temperature.

They follow from what a contact has recorded. Static studies keep them beside the contact; of a motion, whose file they
would double, the pattern and the summary have them, and :func:`alegear.wear_quantities` gives them for any stretch.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from alegear.arrays import AnyArray, Array, Mask
from alegear.contact.numbering import GEARS
from alegear.contact.rolling import RollingGeometry
from alegear.contact.wear import LEAST_PECLET, FlankSliding
from alegear.errors import Fault
from alegear.results.summary import number
from alegear.results.variables import WEAR, by_slot
from alegear.storage import lazy_xarray as xr
from alegear.storage.recorded_samples import CHUNK, Kind, Layout, Samples, blocks

#: What they are computed from.
READ = (
    "contact_roll_length",
    "contact_pressure",
    "edge_pressure",
    "line_load",
    "contact_half_width",
    "phase",
    "slot_pair",
)
SPECIFIC = "specific_sliding"
FLASH = "flash_temperature"
SLIDING = "sliding_velocity"


@dataclass(frozen=True, kw_only=True, eq=False)
class Wear:
    """How the wear quantities of a study follow from its contact.

    Parameters
    ----------
    sliding : FlankSliding
    speed : shape (2,) or None [rad/s]
        Of both gears in a static study, in the running direction; None: that of the samples, or none at all.
    """

    sliding: FlankSliding
    speed: tuple[float, float] | None = None

    def names(self, moves: bool) -> tuple[str, ...]:
        """Quantities that are known, of a study in which the gears move or do not."""
        if not moves and self.speed is None:
            return (SPECIFIC,)
        return tuple(name for name in WEAR if name != FLASH or self.sliding.has_flash_temperature)

    def rolling(self, contact: Mapping[str, Array]) -> RollingGeometry:
        """Where flanks touch, of the same variables as :meth:`of`; NaN elsewhere, and where an edge does."""
        roll = np.where(_flanks(contact), contact["contact_roll_length"], np.nan)
        return self.sliding.rolling.of(roll, contact["phase"], contact["slot_pair"])

    def of(self, contact: Mapping[str, Array], speed: Any = None) -> dict[str, Array]:
        """Evaluate them where flanks touch; NaN elsewhere, and where an edge does.

        Parameters
        ----------
        contact : mapping of str to shape (n, n_pairs, n_slices)
            Variables of :data:`READ`; ``phase`` (n,), ``slot_pair`` (n, n_pairs).
        speed : shape (n, 2), optional [rad/s]
            Of both gears in the running direction, in place of that of the study.
        """
        flanks = _flanks(contact)
        rolling = self.rolling(contact)
        found = {SPECIFIC: np.stack(self.sliding.specific_sliding(rolling), axis=1)}
        speed = self.speed if speed is None else speed
        if speed is None:
            return found
        v_1, v_2 = self.sliding.rolling_velocity(rolling, speed)
        found["sliding_velocity"] = v_1 - v_2
        found["rolling_velocity"] = np.stack([v_1, v_2], axis=1)
        found["pressure_velocity"] = contact["contact_pressure"] * np.abs(v_1 - v_2)
        if self.sliding.has_flash_temperature:
            found[FLASH] = self.sliding.flash_temperature(
                contact["line_load"], np.where(flanks, contact["contact_half_width"], np.nan), v_1, v_2
            )
        return found


class WearSamples:
    """Samples with the wear quantities beside, computed when they are read.

    Parameters
    ----------
    samples : Samples
    wear : Wear
    """

    def __init__(self, samples: Samples, wear: Wear) -> None:
        self._samples, self.wear = samples, wear
        self._moves = "speed" in samples.layout
        self._last: tuple[tuple[int, int | None], dict[str, Array]] | None = None  # name after name is read
        pair_and_slice = samples.layout[READ[0]].shape
        gears = (len(GEARS), *pair_and_slice)
        self.names = wear.names(self._moves)
        self.layout: Layout = dict(samples.layout)
        self.layout |= {name: Kind(gears if "gear" in WEAR[name].dims else pair_and_slice) for name in self.names}

    def __len__(self) -> int:
        return len(self._samples)

    def read(self, name: str, begin: int = 0, end: int | None = None) -> AnyArray:
        """Read a variable of the samples from `begin` up to `end`, shape (n, ...)."""
        if name not in self.names:
            return self._samples.read(name, begin, end)
        if self._last is not None and self._last[0] == (begin, end):
            return self._last[1][name]
        speed = self._samples.read("speed", begin, end) if self._moves else None
        found = self.wear.of({part: self._samples.read(part, begin, end) for part in READ}, speed)
        if len(found[SPECIFIC]) <= CHUNK:
            self._last = (begin, end), found
        return found[name]


def wear_dataset(wear: Wear, dataset: xr.Dataset, part: slice) -> xr.Dataset:
    """Return the wear quantities of some positions or times of a dataset, with its coordinates.

    Raises
    ------
    Fault
        If the dataset has no contact.
    """
    if any(name not in dataset for name in READ[:-1]) or not {"pair", "slot_pair"} & set(dataset.variables):
        what = dataset.attrs.get("analysis", "dataset")
        raise Fault("result", what, "static or dynamic, of a pair or a mesh", "give the dataset of such a study")
    sample_dim = "time" if "time" in dataset.dims else "position"
    here = dataset.isel({sample_dim: part})
    contact = {name: np.asarray(here[name].values, dtype=float) for name in READ if name in here}
    if "slot_pair" not in contact:
        contact["slot_pair"] = np.tile(here["pair"].values, (len(contact["phase"]), 1))
    speed = np.asarray(here["speed"].values, dtype=float) if "speed" in here else None
    found = wear.of(contact, speed)
    out = here[["phase"]]
    for name, values in found.items():
        variable = WEAR[name] if sample_dim == "position" else by_slot(WEAR[name])
        out = out.assign({name: variable.entry(values, sample_dim)})
    return out


def pattern_names(samples: Samples) -> tuple[str, ...]:
    """Quantities whose largest value of a cycle the contact pattern has."""
    wanted = (SLIDING, "pressure_velocity", FLASH)
    return tuple(name for name in wanted if name in samples.layout)


def wear_summary(samples: Samples, wear: Wear | None) -> dict[str, Any]:
    """Return the greatest wear quantities over all positions or times, and where; null where they are unknown."""
    if wear is None:
        return {}
    own = WearSamples(samples, wear)
    sample_dim = "time" if "time" in own.layout else "phase"
    names = pattern_names(own)
    best: dict[str, _Largest] = {name: _Largest() for name in (*names, FLASH)}
    extreme = np.full(2, np.nan)
    for block in blocks(own, tuple({*READ, *own.names, sample_dim})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # nothing touches: NaN, and said so as null
            extreme = np.fmin(extreme, np.nanmin(block[SPECIFIC], axis=(0, 2, 3)))
        if names:
            block["wheel_roll_length"] = wear.rolling(block).wheel_roll_length
        for name in names:
            best[name].update(np.abs(block[name]), block, sample_dim)
    flash, bulk = best[FLASH].value, wear.sliding.conditions.bulk_temperature
    return {
        "specific_sliding_extreme": {gear: number(extreme[g]) for g, gear in enumerate(GEARS)},
        "sliding_velocity_max_m_per_s": number(best["sliding_velocity"].value) if names else None,
        "pressure_velocity_max_MPa_m_per_s": number(best["pressure_velocity"].value, 1e-6) if names else None,
        "pressure_velocity_max_at": best["pressure_velocity"].where(wear) if names else None,
        "flash_temperature_max_K": number(flash),
        "flash_temperature_max_at": best[FLASH].where(wear),
        "flash_temperature_peclet": number(best[FLASH].peclet(wear)),
        "contact_temperature_max_C": None if bulk is None else number(bulk + flash),
    }


class _Largest:
    """The largest value that was met, and the contact that has it."""

    def __init__(self) -> None:
        self.value = math.nan
        self.contact: dict[str, Any] = {}

    def update(self, size: Array, block: Mapping[str, Array], sample_dim: str) -> None:
        """Look at samples (n, n_pairs, n_slices)."""
        if not np.isfinite(size).any():
            return
        row, slot, face = at = np.unravel_index(int(np.nanargmax(size)), size.shape)
        if size[at] <= self.value:
            return
        self.value = float(size[at])
        self.contact = {
            "time_s" if sample_dim == "time" else "phase": float(block[sample_dim][row]),
            "pair": int(block["slot_pair"][row, slot]),
            "slice": int(face),
            "roll": (float(block["contact_roll_length"][at]), float(block["wheel_roll_length"][at])),
            "half_width": float(block["contact_half_width"][at]),
            "rolling": block["rolling_velocity"][row, :, slot, face],
        }

    def where(self, wear: Wear) -> dict[str, Any] | None:
        """Say where that is."""
        if not self.contact:
            return None
        found = {name: self.contact[name] for name in self.contact if name not in ("roll", "half_width", "rolling")}
        found["roll_length_mm"] = 1e3 * self.contact["roll"][0]
        for gear, own, xi in zip(GEARS, wear.sliding.pair.gears, self.contact["roll"], strict=True):
            found[f"{gear}_diameter_mm"] = 2e3 * math.hypot(own.r_b, xi)
        return found

    def peclet(self, wear: Wear) -> float:
        """Peclet number of the faster flank there."""
        if not self.contact:
            return math.nan
        v_1, v_2 = self.contact["rolling"]
        return float(wear.sliding.peclet(self.contact["half_width"], v_1, v_2))


def wear_warnings(summary: Mapping[str, Any]) -> list[str]:
    """Warn of a flash temperature below the Peclet numbers for which its equation holds."""
    peclet = summary.get("flash_temperature_peclet")
    if peclet is None or peclet >= LEAST_PECLET:
        return []
    return [
        f"flash_temperature_max_K: Peclet number {peclet:.3g} where it is largest, below {LEAST_PECLET:g}: heat spreads"
        " beside the contact too, and Blok's equation gives more than there is; raise the speed, or read it as a bound"
    ]


def _flanks(contact: Mapping[str, Array]) -> Mask:
    flanks: Mask = contact["contact_pressure"] > np.nan_to_num(contact["edge_pressure"])
    return flanks
