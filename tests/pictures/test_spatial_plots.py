"""Plots of machines in space: what is zero is named and not drawn, lengths have a unit that can be read."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from alegear.pictures.of_results.motion import draw_motion
from alegear.pictures.of_results.reactions import draw_reactions


def motion(size: float) -> xr.Dataset:
    """Two bodies: one goes to and fro by `size`, the other stands."""
    time = np.linspace(0.0, 1.0, 11)
    position = np.zeros((11, 2, 3))
    position[:, 0, 1] = size * np.sin(0.5 * np.pi * time)
    return xr.Dataset(
        {
            "position": (("time", "body", "axis"), position),
            "rotation_vector": (("time", "body", "axis"), np.zeros((11, 2, 3))),
        },
        coords={"time": time, "body": ["block", "table"], "axis": ["x", "y", "z"]},
    )


@pytest.mark.parametrize(
    ("size", "unit", "drawn"), [(2.5, "m", 2.5), (4e-3, "mm", 4.0), (3e-7, "nm", 300.0), (0.0, "m", None)]
)
def test_displacements_have_a_unit_that_can_be_read(size: float, unit: str, drawn: float | None) -> None:
    above, _ = draw_motion(motion(size)).axes
    assert above.get_ylabel() == f"displacement [{unit}]"
    curves = [line for line in above.lines if len(line.get_xdata())]
    if drawn is None:
        assert curves == []
    else:
        (curve,) = curves
        assert curve.get_ydata()[-1] == pytest.approx(drawn, rel=1e-12)


def test_what_bears_nothing_is_named_and_not_drawn() -> None:
    time = np.linspace(0.0, 1.0, 5)
    names = [f"joint number {k}" for k in range(20)]
    force = np.zeros((5, 20, 3))
    force[:, 3, 0], force[:, 4, 0] = 100.0, 1e-12
    dataset = xr.Dataset(
        {
            "reaction_force": (("time", "joint", "axis"), force),
            "reaction_torque": (("time", "joint", "axis"), np.zeros((5, 20, 3))),
            "bushing_force": (("time", "bushing", "axis"), np.zeros((5, 0, 3))),
            "bushing_torque": (("time", "bushing", "axis"), np.zeros((5, 0, 3))),
            "spring_force": (("time", "point_spring"), np.zeros((5, 0))),
        },
        coords={"time": time, "joint": names, "bushing": [], "point_spring": []},
    )
    above, below = draw_reactions(dataset).axes
    told = [text.get_text() for text in above.get_legend().get_texts()]
    assert told[0] == "joint number 3"
    assert told[1].startswith("zero: joint number 0, joint\n")
    assert told[1].endswith("...")
    assert [text.get_text()[:5] for text in below.get_legend().get_texts()] == ["zero:"]
