"""The mesh stiffness of ISO 6336-1 against printed reports, and what it is refused for."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry.cylindrical_gear import Gear
from alegear.geometry.gear_pair import GearPair
from alegear.geometry.iso_6336_stiffness import (
    C_M,
    E_STEEL,
    basic_rack_factor,
    mesh_stiffness,
    minimum_flexibility,
    out_of_range,
    single_stiffness,
)

REPORTS = Path(__file__).parents[3] / "shared" / "reference" / "kisssoft_nrel5mw_planetary_stages.csv"
PER_WIDTH = 1e9  # N/(mm um) in N/m2
DIGIT = 6e-4  # C_R is printed with three digits: half of the last is 0.06 %
#: First and second stage of the NREL 5 MW gearbox, sun and planet (KISSsoft 03/2017A, repository
#: gfsReboucas/Drivetrain, stage_01.rtf and stage_02.rtf): z, x, b [m], a_w [m], m_n [m], tip alteration [m], c',
#: c_gamma_alpha; C_R = 0.862, C_BS = 0.975.
PRINTED = {
    "first": ((19, 17), (0.6170, 0.8021), 0.491, 0.863, 0.045, -10.861e-3, 12.362, 13.426),
    "second": ((18, 36), (0.3890, 0.5039), 0.550, 0.584, 0.021, -1.750e-3, 12.240, 15.640),
}


def printed_pair(name: str) -> GearPair:
    z, x, b, a_w, m_n, k, *_ = PRINTED[name]
    gears = [
        Gear(z=z_i, m_n=m_n, x=x_i, b=b, bore_diameter=0.5 * z_i * m_n, tip_alteration_factor=k / m_n)
        for z_i, x_i in zip(z, x, strict=True)
    ]
    return GearPair(pinion=gears[0], wheel=gears[1], a_w=a_w)


@pytest.mark.parametrize("name", PRINTED)
def test_figures_of_a_printed_report(name: str) -> None:
    _, _, b, *_, c, c_gamma = PRINTED[name]
    pair = printed_pair(name)
    assert single_stiffness(pair, blank_factor=0.862) / PER_WIDTH == pytest.approx(c, rel=DIGIT)
    per_width = mesh_stiffness(pair, blank_factor=0.862) / (b * PER_WIDTH)
    assert per_width == pytest.approx(c_gamma, rel=DIGIT)


def test_reference_reports_have_these_figures() -> None:
    if not REPORTS.is_file():
        pytest.skip(f"no ../shared/reference/{REPORTS.name}: results of other programs are no part of the project")
    rows = {row[0]: row for row in csv.reader(line for line in REPORTS.open() if not line.startswith("#"))}
    for column, (z, x, *_, c, c_gamma) in zip((2, 4), PRINTED.values(), strict=True):
        given = {name: float(rows[name][column]) for name in ("z1", "z2", "x1", "x2")}
        assert (given["z1"], given["z2"]) == z
        assert (given["x1"], given["x2"]) == x
        assert float(rows["single_tooth_stiffness_cprime"][column]) == c
        assert float(rows["c_gamma_alpha"][column]) == c_gamma


def test_each_factor_is_where_the_formula_has_it() -> None:
    beta = math.radians(15.0)
    spur, helical = (
        GearPair(
            pinion=Gear(z=20, m_n=4e-3, b=20e-3, bore_diameter=30e-3, beta=angle),
            wheel=Gear(z=31, m_n=4e-3, b=20e-3, bore_diameter=60e-3, beta=-angle),
        )
        for angle in (0.0, beta)
    )
    q = minimum_flexibility(20.0, 31.0, 0.0, 0.0)
    assert single_stiffness(spur) == pytest.approx(C_M * basic_rack_factor(1.25) / q, rel=1e-14)
    z_n = [gear.z / (math.cos(gear.beta_b) ** 2 * math.cos(beta)) for gear in helical.gears]
    ratio = minimum_flexibility(20.0, 31.0, 0.0, 0.0) / minimum_flexibility(*z_n, 0.0, 0.0)
    assert single_stiffness(helical) / single_stiffness(spur) == pytest.approx(ratio * math.cos(beta), rel=1e-14)
    mixed = single_stiffness(spur, moduli=(E_STEEL, 0.5 * E_STEEL))
    assert mixed / single_stiffness(spur) == pytest.approx(2.0 / 3.0, rel=1e-14)  # of 1 and 1/2: 2 (1/2)/(3/2)
    swapped = GearPair(pinion=spur.wheel, wheel=spur.pinion)
    assert mesh_stiffness(swapped) == pytest.approx(mesh_stiffness(spur), rel=1e-14)


def test_what_is_no_factor_is_refused() -> None:
    pair = printed_pair("second")
    with pytest.raises(Fault, match="gear blank factor"):
        single_stiffness(pair, blank_factor=1.1)
    with pytest.raises(Fault, match="Young's modulus"):
        mesh_stiffness(pair, moduli=(0.0, 1e9))
    with pytest.raises(Fault, match="GearPair"):
        single_stiffness(None)  # type: ignore[arg-type]
    assert np.isfinite(mesh_stiffness(pair))


@pytest.mark.parametrize(
    ("teeth", "shifts", "said"),
    [
        ((20, 30), (0.2, -0.2), []),
        ((20, 30), (0.2, 0.2), []),
        ((30, 20), (-0.2, 0.2), []),  # the gear with fewer teeth is the pinion, whichever is named first
        ((20, 30), (0.1, 0.4), ["x1 = 0.1 is below x2 = 0.4"]),
        ((30, 20), (0.4, 0.1), ["x1 = 0.1 is below x2 = 0.4"]),
        ((20, 20), (0.1, 0.4), []),
        ((80, 100), (-0.2, -0.4), ["x1 + x2 = -0.6 is not within -0.5 and 2"]),
        ((19, 17), (0.617, 0.8021), ["eps_alpha = 1.11"]),  # printed pair
    ],
)
def test_range_of_the_formulas(teeth: tuple[int, int], shifts: tuple[float, float], said: list[str]) -> None:
    if teeth == (19, 17):
        found = out_of_range(printed_pair("first"))
    else:
        gears = [Gear(z=z, m_n=4e-3, x=x, b=20e-3, bore_diameter=30e-3) for z, x in zip(teeth, shifts, strict=True)]
        found = out_of_range(GearPair(pinion=gears[0], wheel=gears[1]))
    assert len(found) == len(said)
    assert all(one.startswith(text) for one, text in zip(found, said, strict=True)), found
