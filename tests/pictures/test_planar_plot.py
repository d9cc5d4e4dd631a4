"""Pictures of the springs of planar meshes."""

from __future__ import annotations

import numpy as np
import pytest

from alegear.drivetrain.planar import Iso6336Spring, LinearSpring
from alegear.errors import Fault
from alegear.pictures.mesh_springs import draw_mesh_springs


def test_curves_are_force_and_stiffness():
    springs = {"linear": LinearSpring(c=2e8, backlash=10e-6), "ISO 6336": Iso6336Spring(c=2e8, R_q=4e-6)}
    force, stiffness = draw_mesh_springs(springs, 20e-6).axes
    assert [text.get_text() for text in force.get_legend().get_texts()] == list(springs)
    x, y = force.lines[0].get_data()
    assert (x[0], x[-1]) == (-20.0, 20.0)
    assert y[-1] == pytest.approx(3.0)  # kN: 200 N/um times 15 um
    slopes = stiffness.lines[0].get_ydata()
    assert set(np.unique(slopes)) == {0.0, 200.0}
    assert stiffness.lines[1].get_ydata()[-1] == pytest.approx(200.0)
    assert len({line.get_color() for line in force.lines}) == 2


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(Fault, match="one at least"):
        draw_mesh_springs({}, 1e-5)
    with pytest.raises(Fault, match="above 0"):
        draw_mesh_springs({"linear": LinearSpring(c=1e8)}, 0.0)
    with pytest.raises(Fault, match="a MeshSpring"):
        draw_mesh_springs({"linear": 1e8}, 1e-5)  # type: ignore[dict-item]
