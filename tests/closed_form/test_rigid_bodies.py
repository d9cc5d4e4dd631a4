"""The closed forms against the equations that they solve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from closed_form.rigid_bodies import FourBar, FreeTop

LINKAGE = FourBar(crank=0.1, coupler=0.3, rocker=0.25, ground=0.35, speed=20.0, mass_per_length=1.5)


def test_free_top_keeps_its_angular_momentum_and_starts_as_said() -> None:
    top = FreeTop(J1=0.02, J3=0.035, w0=np.array([3.0, -2.0, 5.0]))
    J = np.diag([top.J1, top.J1, top.J3])
    h = 1e-6
    momenta = []
    for t in (0.0, 0.3, 1.7):
        rate = (top.rotation(t + h) - top.rotation(t - h)) / (2.0 * h)
        spin = top.rotation(t).T @ rate
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        if t == 0.0:
            assert np.allclose(w, top.w0, atol=1e-8)
        momenta.append(top.rotation(t) @ J @ w)
    assert np.allclose(momenta, momenta[0], atol=1e-9)


def test_four_bar_closes_its_loop() -> None:
    for t in np.linspace(0.0, 2.0 * math.pi / LINKAGE.speed, 9):
        a, b, c = LINKAGE.angles(t)
        crank, coupler, rocker = (
            length * np.array([math.cos(angle), math.sin(angle)])
            for length, angle in ((LINKAGE.crank, a), (LINKAGE.coupler, b), (LINKAGE.rocker, c))
        )
        assert np.allclose(crank + coupler - rocker, [LINKAGE.ground, 0.0], atol=1e-15)
        h = 1e-7
        rates = (np.unwrap(np.transpose([LINKAGE.angles(t - h), LINKAGE.angles(t + h)])) @ [-1.0, 1.0]) / (2.0 * h)
        assert rates == pytest.approx(LINKAGE.speeds(t), rel=1e-6)
