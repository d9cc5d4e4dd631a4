"""One spur pair 20/30 at all five fidelities, and the limits in which each becomes the next.

``python validation/fidelity/run.py`` prints the tables of README.md and draws ``fidelity.png`` (two minutes).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import alegear as ag
from alegear.results.fidelity_result import FidelityComparison
from alegear.view.fidelity import draw_fidelities

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


def main() -> None:
    """Print the tables, draw the picture."""
    with tempfile.TemporaryDirectory() as folder:  # wheels are reduced here, not read from the store
        os.environ["ALEGEAR_CACHE_DIR"] = folder
        found = compared(limits=True)
    print(found)
    print("\nEach level by itself:\n")
    print(compared(borrow=False, fidelities=("elastic", "teeth")).table())
    draw_fidelities(found).savefig(HERE / "fidelity.png", dpi=90)
    assert all(limit.holds for limit in found.limits)


if __name__ == "__main__":
    main()
