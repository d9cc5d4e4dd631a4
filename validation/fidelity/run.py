"""One spur pair 20/30 at all five fidelities, and the limits in which each becomes the next.

``python validation/fidelity/run.py`` prints the tables of README.md and draws ``fidelity.png`` (two minutes).
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import alegear as ag
from alegear.pictures.fidelity import draw_fidelities
from alegear.results.fidelity_result import FidelityComparison, FidelityLimit
from alegear.studies.fidelity import FIDELITIES
from alegear.studies.fidelity_limits import FidelityLimits
from alegear.studies.pair_on_fixed_axes import PairOnFixedAxes

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst
from coarse import GRID

HERE = Path(__file__).parent
TORQUE, SPEED = 200.0, 100.0  # of the pinion [N m], [rad/s]
FRICTION = 0.05
POSITIONS = 32


def pair() -> ag.GearPair:
    """20/30, m 4 mm, face 30 mm, 40 um thinner teeth, bores of half the root circle, sharp tips, no microgeometry."""
    pinion, wheel = (
        ag.Gear(z=z, m_n=4e-3, b=30e-3, bore_diameter=0.5 * 4e-3 * (z - 2.5), thickness_allowance=40e-6)
        for z in (20, 30)
    )
    return ag.GearPair(pinion=pinion, wheel=wheel, a_w=0.1)


def compared(*, positions: int = POSITIONS, **given: Any) -> FidelityComparison:
    """The pair at five fidelities."""
    options = {"torque": TORQUE, "speed": SPEED, "friction": FRICTION} | given
    return ag.compare_fidelities(pair(), positions=positions, **options)


def quick_limits() -> tuple[FidelityLimit, ...]:
    """The limits alone, of the pair on a coarse grid."""
    options = {"torque": TORQUE, "speed": SPEED, "friction": FRICTION, "grid_options": (GRID, GRID)}
    return FidelityLimits(PairOnFixedAxes(pair=pair(), positions=POSITIONS // 4, **options), FIDELITIES).all()


def rows(quick: bool) -> Iterator[Row]:
    """The limits in which each level becomes the next; the quick form has a coarse grid, a quarter of the positions."""
    with tempfile.TemporaryDirectory() as folder:  # wheels are reduced here, not read from the store
        before = os.environ.get("ALEGEAR_CACHE_DIR")
        os.environ["ALEGEAR_CACHE_DIR"] = folder
        try:
            # no level by itself in the quick form: each is computed twice for what it costs
            found = None if quick else compared(limits=True)
            limits = quick_limits() if found is None else found.limits
        finally:
            os.environ.pop("ALEGEAR_CACHE_DIR") if before is None else os.environ.update(ALEGEAR_CACHE_DIR=before)
    for limit in limits:
        what = f'fidelity "{limit.level}" against "{limit.becomes}": {limit.quantity}'
        yield worst(
            what,
            [
                Row(
                    quantity=f"{limit.parameter} {value:g}",
                    value=abs(float(difference)),
                    kind="at most",
                    bound=float(bound),
                    source=limit.reason,
                )
                for value, difference, bound in zip(limit.values, limit.differences, limit.bounds, strict=True)
            ],
        )
        if limit.parameter != "positions of the study":  # which are no limit: it is as near as it comes
            before, after = (np.abs(limit.differences)[part] for part in (slice(None, -1), slice(1, None)))
            yield Row(
                quantity=f"{what}: difference over that of the step before, the largest",
                value=float((after / before).max()),
                kind="at most",
                bound=1.0 - 1e-9,
                source="differences fall on the way to the limit",
            )
    yield Row(
        quantity="limits",
        value=float(len(limits)),
        kind="at least",
        bound=10.0,
        source="every level has one",
    )
    if found is not None:
        print(found)
        print("\nEach level by itself:\n")
        print(compared(borrow=False, fidelities=("elastic", "teeth")).table())
        draw_fidelities(found).savefig(HERE / "fidelity.png", dpi=90)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
