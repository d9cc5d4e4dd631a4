"""The warning where the wheels' own vibrations come near the mesh frequency."""

from __future__ import annotations

import math

import pytest
from families import mostly_thorough
from small_cases import static_text

import alegear as ag
from alegear.case.pair_machine import MESH, machine_of
from alegear.checks import elastic_inertia
from alegear.checks.elastic_inertia import WheelMode, elastic_inertia_warnings, lowest_relevant_mode
from alegear.fe import Material
from alegear.geometry import Gear
from alegear.mesh import GridOptions, mesh_sector
from alegear.progress import Silent
from alegear.studies.modal import ModalStudy
from alegear.studies.preparation import prepare

STIFFNESS = 500e6
GEARS = {
    "spur": Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3),
    "helical": Gear(z=24, m_n=3e-3, b=24e-3, bore_diameter=30e-3, beta=0.35),
    "thin": Gear(z=60, m_n=2e-3, b=8e-3, bore_diameter=30e-3),
}


def dynamic_case(rpm: float) -> ag.Case:
    text = static_text((12, 13)).replace("[operation]", f"[operation]\npinion_speed_rpm = {rpm!r}")
    start, end = text.index("[analysis]"), text.rindex("pitches = 1")
    text = f'{text[:start]}[analysis]\nkind = "dynamic"\nduration_s = 4e-5\n{text[end + len("pitches = 1") :]}'
    return ag.Case.from_bytes((text + "[output]\nfields = false\nplots = false\n").encode())


@pytest.mark.parametrize("name", mostly_thorough(GEARS, always=lambda name: name == "helical"))
def test_the_coarse_grid_knows_the_mode_of_a_fine_one(name: str) -> None:
    gear = GEARS[name]
    fine = mesh_sector(gear, GridOptions(order=2, width_elements=8))
    coarse = lowest_relevant_mode(gear, Material(), STIFFNESS, 4e4)
    exact = lowest_relevant_mode(gear, Material(), STIFFNESS, 4e4, fine)
    assert coarse is not None
    assert exact is not None
    assert coarse.nodal_diameter == exact.nodal_diameter
    # the magnification is asked to a per cent: twice that of the frequency, times (f/f_1)^2 = 1/21
    assert coarse.frequency == pytest.approx(exact.frequency, rel=0.02)
    assert coarse.share == pytest.approx(exact.share, rel=0.05)


def test_modes_that_a_tooth_load_does_not_move_do_not_count() -> None:
    """The lowest modes of a spur wheel bend it out of its plane; an even load does not excite them."""
    mode = lowest_relevant_mode(GEARS["thin"], Material(), STIFFNESS, 4e4)
    assert mode is not None
    lowest = elastic_inertia.CyclicSector.of(mesh_sector(GEARS["thin"], elastic_inertia.COARSE), Material())
    squares, _ = elastic_inertia.harmonic_modes(lowest, 1, 1)
    assert math.sqrt(squares[0]) / (2.0 * math.pi) < 0.8 * mode.frequency
    assert lowest_relevant_mode(GEARS["thin"], Material(), STIFFNESS, 0.99 * mode.frequency) is None
    again = lowest_relevant_mode(GEARS["thin"], Material(), STIFFNESS, 1.01 * mode.frequency)
    assert again is not None
    assert again.frequency == pytest.approx(mode.frequency, rel=1e-9)


@pytest.mark.parametrize("helix", [0.0, 20.0])
def test_the_share_is_that_of_the_loaded_contact(helix: float) -> None:
    text = static_text((20, 30)).replace("[pinion]", f"helix_angle_deg = {helix}\n[pinion]", 1)
    start, end = text.index("[analysis]"), text.rindex("pitches = 1")
    text = f'{text[:start]}[analysis]\nkind = "modal"\nn_modes = 4\n{text[end + len("pitches = 1") :]}'
    case = ag.Case.from_bytes(text.encode())
    prepared = prepare(case, Silent(), fields=False)
    study = ModalStudy(machine_of(case), {MESH: prepared})
    study.run(Silent())
    mesh = study.meshes[MESH]
    assert mesh.deflection_shares is not None
    for gear in (0, 1):
        mode = lowest_relevant_mode(case.pair.gears[gear], Material(), mesh.mesh_stiffness, 3e4, prepared.sectors[gear])
        assert mode is not None
        near = abs(mesh.held[gear].frequencies / (2.0 * math.pi) - mode.frequency) < 1e-6 * mode.frequency
        # the load moves over the flank and spreads as the stiffness of the face lets it: not quite even
        assert mesh.deflection_shares[gear][near].sum() == pytest.approx(mode.share, rel=0.1)


def test_magnification() -> None:
    mode = WheelMode(frequency=1000.0, nodal_diameter=0, share=0.1)
    assert mode.magnification(500.0) == pytest.approx(4.0 / 3.0)
    assert mode.magnification(0.0) == 1.0
    assert mode.magnification(1000.0) == mode.magnification(3000.0) == math.inf


def test_the_warning_begins_where_the_third_harmonic_is_magnified_by_five_per_cent() -> None:
    case = dynamic_case(1000.0)
    modes = [lowest_relevant_mode(gear, Material(), STIFFNESS, 1e5) for gear in case.pair.gears]
    lowest = min(mode.frequency for mode in modes if mode is not None)
    limit = lowest * math.sqrt(1.0 - 1.0 / 1.05) / 3.0 * 60.0 / 12.0  # [rpm]
    prepared = prepare(case, Silent(), fields=False)
    assert elastic_inertia_warnings(dynamic_case(0.999 * limit), STIFFNESS, prepared.sectors) == []
    found = elastic_inertia_warnings(dynamic_case(1.001 * limit), STIFFNESS, prepared.sectors)
    assert len(found) == 1
    assert "harmonic 3 of the mesh frequency" in found[0]
    assert "by 1.05, limit 1.05" in found[0]
    assert "normal_modes" in found[0]
    beyond = elastic_inertia_warnings(dynamic_case(40.0 * limit), STIFFNESS, prepared.sectors)
    assert len(beyond) == 2
    assert "harmonic 1 " in beyond[0]
    assert "beyond its resonance" in beyond[0]


def test_a_fast_run_says_so_in_its_summary() -> None:
    result = ag.run(dynamic_case(60_000.0))
    assert any("elastic inertia of the wheel is neglected" in warning for warning in result.summary["warnings"])
    assert not any("elastic inertia" in warning for warning in ag.run(dynamic_case(600.0)).summary["warnings"])
