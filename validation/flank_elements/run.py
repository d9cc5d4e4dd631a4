"""Transmission error of the pair 20/30 against grid, slices and, for the law penalty, against its constants.

``python validation/flank_elements/run.py`` computes ``meshes/spur_20_30.toml`` (32 positions of one pitch) again and
again, each time with one number changed, and prints the tables of README.md (three minutes).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import alegear as ag
from alegear.contact.numbering import driver_on
from alegear.contact.penalty.contact import hertz_matched_stiffness
from alegear.geometry import Alignment, Microgeometry
from alegear.progress import Silent
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.preparation import prepare
from alegear.studies.tooth_window import loaded_engagement

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst
from coarse import coarse

Array = NDArray[np.float64]

CASE = Path(__file__).parents[2] / "meshes" / "spur_20_30.toml"
FLANK_ELEMENTS = (8, 12, 16, 24)
SLICES = (6, 8, 10, 12, 24)
FACTORS = (0.5, 2.0)  # of the other numbers of elements and of the penalty stiffness
GAUSS_POINTS = (2, 4, 8)  # of a facet along the profile
CLEAR = 0.05  # pitches; no second difference is taken across an event or nearer to it
LEAD_CROWNING = 8e-6  # m, of the pinion of the crowned and tilted pair
MEAN_BOUND, RIPPLE_BOUND = 5e-3, 2e-3  # of the mean
TILT = math.radians(0.02)  # in the plane of action


def with_grid(case: ag.Case, **elements: int) -> ag.Case:
    """The case with other numbers of elements on both gears."""
    pinion, wheel = (replace(options, **elements) for options in case.grid_options)
    return replace(case, grid_options=(pinion, wheel))


def crowned_and_tilted(case: ag.Case) -> ag.Case:
    """The case with lead crowning on the pinion and a tilt in the plane of action."""
    crowned = case.pair.with_microgeometry(pinion=Microgeometry(lead_crowning=LEAD_CROWNING))
    return replace(case, pair=crowned.with_alignment(Alignment(tilt_plane_of_action=TILT)))


def penalty(case: ag.Case, **constants: float) -> ag.Case:
    """The case under the law penalty, on elements of first order."""
    return replace(with_grid(case, order=1), law="penalty", penalty=replace(case.penalty, **constants))


def events(case: ag.Case) -> Array:
    """Phases at which a pair takes its first and carries its last load, and where its path of contact begins and ends.

    Between the first load and the beginning of the path a tip edge touches, and so between its end and the last load.
    """
    contact = prepare(case, Silent()).contact
    solver = MeshSolver.of(case, contact)
    return np.array([*loaded_engagement(solver), *case.pair.engagement(driver_on(contact.flank))])


def ripple(phase: Array, error: Array, events: Array) -> float:
    """Largest second difference of the transmission error clear of events, over its mean [%]."""
    second = np.roll(error, 1) - 2.0 * error + np.roll(error, -1)
    step = phase[1] - phase[0]
    distance = np.abs((phase[:, None] - events[None, :] + 0.5) % 1.0 - 0.5).min(axis=1)
    return float(100.0 * np.abs(second[distance > CLEAR + step] / error.mean()).max())


def curve(case: ag.Case) -> tuple[Array, Array]:
    """Phase and transmission error [um], counted positive."""
    data = ag.run(case).dataset
    return data.phase.values, -1e6 * data.transmission_error.values


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Mean [um], peak to peak [um] and ripple [%] of a transmission error."""

    mean: float
    peak_to_peak: float
    ripple: float


def curves(case: ag.Case, variants: dict[str, ag.Case]) -> dict[str, Curve]:
    """Those of a case ("the default") and of its variants; one that is the case itself is not computed again."""
    at, found = events(case), {}
    for name, variant in {"the default": case, **variants}.items():
        phase, error = curve(variant)
        found[name] = Curve(
            mean=float(error.mean()), peak_to_peak=float(np.ptp(error)), ripple=1e-2 * ripple(phase, error, at)
        )
    return found


def rows(quick: bool) -> Iterator[Row]:
    """Means and ripple over flank elements and slices; the quick form is coarse but for them."""
    case = ag.Case.from_toml(CASE)
    if quick:
        case = with_grid(coarse(case, positions_per_pitch=32), flank_elements=16)
    flanks = {f"{n} flank elements": with_grid(case, flank_elements=n) for n in ((8, 24) if quick else FLANK_ELEMENTS)}
    tilted = crowned_and_tilted(case)
    slices = {f"{n} slices": replace(tilted, slices=n) for n in SLICES}
    parts = {"": curves(case, flanks)}
    if not quick:
        flanks["24, thickness_elements 16"] = with_grid(case, flank_elements=24, thickness_elements=16)
        parts[", crowned and tilted"] = curves(tilted, slices)
    for words, found in parts.items():
        default = found["the default"]
        yield worst(
            f"mean transmission error, spur 20/30{words}",
            [
                Row(
                    quantity=name,
                    value=one.mean,
                    reference=default.mean,
                    unit="um",
                    bound=MEAN_BOUND,
                    source="itself, the default grid",
                )
                for name, one in found.items()
            ],
        )
        if quick:  # so few elements across the tooth and in the rim have ripple of their own
            continue
        yield worst(
            f"ripple of the transmission error, over its mean, spur 20/30{words}",
            [
                Row(quantity=name, value=one.ripple, kind="at most", bound=RIPPLE_BOUND, source="a smooth curve")
                for name, one in found.items()
            ],
        )
        print_table(words, found)
    if not quick:
        print_others(case)


def print_table(title: str, found: dict[str, Curve]) -> None:
    """One row a variant; its mean is compared with that of the case."""
    print(f"\n| {title} | mean TE [um] | against the default | peak to peak [um] | ripple |\n|---|---|---|---|---|")
    default = found["the default"].mean
    for name, one in found.items():
        off = f"{100 * (one.mean / default - 1):+.2f} %"
        print(f"| {name} | {one.mean:.3f} | {off} | {one.peak_to_peak:.2f} | {100 * one.ripple:.2f} % |", flush=True)


def print_others(case: ag.Case) -> None:
    """Print the tables of README.md for which nothing was agreed: other elements, and law penalty."""
    options = case.grid_options[0]
    others = {"first order": with_grid(case, order=1)}
    for key in ("fillet_elements", "thickness_elements", "width_elements", "rim_elements"):
        default = getattr(options, key)
        for factor in FACTORS:
            n = 2 * math.ceil(0.5 * factor * default)  # an element of order 2 takes two steps
            others[f"{key} {n} (default {default})"] = with_grid(case, **{key: n})
    doubled = {
        key: 2 * getattr(options, key)
        for key in ("flank_elements", "fillet_elements", "thickness_elements", "rim_elements")
    }
    others["all but width_elements doubled"] = with_grid(case, **doubled)
    print_table("other elements", curves(case, others))
    penal, stiffness = penalty(case), default_stiffness(case)
    variants = {"24 flank_elements": with_grid(penal, flank_elements=24)}
    variants |= {f"{n} Gauss points along a facet": penalty(case, gauss_points_profile=n) for n in GAUSS_POINTS}
    variants |= {f"stiffness x {factor:g}": penalty(case, stiffness=factor * stiffness) for factor in FACTORS}
    print_table(f"law penalty, {1e-9 * stiffness:.0f} N/mm^3, first order", curves(penal, variants))


def default_stiffness(case: ag.Case) -> float:
    """Penalty stiffness the case gets if it names none [Pa/m]."""
    return hertz_matched_stiffness(case.pair, case.materials, case.operation.pinion_torque)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
