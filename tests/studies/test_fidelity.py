"""One gear pair at five fidelities: what each level has, what they share, what is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from small_machines import COARSE, distance, gear

import alegear as ag
from alegear.pictures.fidelity import draw_fidelities
from alegear.results.fidelity_result import FidelityComparison
from alegear.studies import fidelity_limits
from alegear.studies.fidelity import FIDELITIES

TORQUE, SPEED = 200.0, 100.0  # of the pinion [N m], [rad/s]
POSITIONS = 8


def pair() -> ag.GearPair:
    return ag.GearPair(pinion=gear(20), wheel=gear(30), a_w=distance(20, 30))


@cache
def compared(*, borrow: bool = True) -> FidelityComparison:
    positions = POSITIONS if borrow else 4
    return ag.compare_fidelities(
        pair(), torque=TORQUE, speed=SPEED, positions=positions, grid_options=(COARSE, COARSE), borrow=borrow
    )


def test_every_level_carries_the_load_and_says_what_it_does_not_have() -> None:
    found, force = compared(), TORQUE / pair().pinion.r_b
    assert tuple(level.fidelity for level in found.levels) == FIDELITIES
    for level in found.levels:
        # 5 um of deflection that come within 0.5 mm of the path do work, beside that of the torque
        np.testing.assert_allclose(level.force, force, rtol=2e-3)
        assert (level.mesh_stiffness is None) == (level.fidelity in ("rigid", "lossy"))
        assert (level.tooth_load is None) == (level.fidelity not in ("teeth", "flexible"))
        assert (level.loss is None) == (level.fidelity in ("rigid", "teeth"))
        if level.tooth_load is not None:
            np.testing.assert_allclose(level.tooth_load.sum(axis=1), level.force, rtol=2e-4)  # likewise
        assert (level.preparation > 0.0) == (level.fidelity == "flexible")
        assert min(level.per_position, level.per_motion) > 0.0


@pytest.mark.thorough  # levels: above; validation/fidelity
def test_softer_levels_give_way_more() -> None:
    """What a level adds gives way: rigid as lossy, then teeth that indent, then teeth that bend as well."""
    rigid, lossy, _, teeth, flexible = (np.abs(level.transmission_error) for level in compared(borrow=False).levels)
    assert max(rigid.max(), lossy.max()) < 1e-15  # round-off of 40 mm
    assert (teeth > 1e-6).all()
    assert (flexible > teeth).all()
    assert [level.takes for level in compared(borrow=False).levels] == ["", "efficiency: elastic", "", "", ""]


def test_what_is_taken_brings_levels_near_the_flexible_one() -> None:
    _, _, elastic, teeth, flexible = (level.transmission_error for level in compared().levels)
    np.testing.assert_allclose(elastic.mean(), flexible.mean(), rtol=0.1)  # tangent and secant of its stiffness
    # bending of 8 positions; beside tip edges it changes faster than they tell
    assert np.count_nonzero(np.abs(teeth / flexible - 1.0) < 5e-3) >= POSITIONS - 3
    assert [level.takes for level in compared().levels][2:] == ["stiffness: flexible", "bending: flexible", ""]


def test_elastic_teeth_have_the_stiffness_of_flexible_ones() -> None:
    found = compared()
    elastic, flexible = found["elastic"].mesh_stiffness, found["flexible"].mesh_stiffness
    assert elastic is not None
    assert flexible is not None
    # half the deflection, 5 um of a pitch of 12.6 mm, through a stiffness that changes by half within an eighth of it
    np.testing.assert_allclose(elastic, flexible, rtol=5e-3)


def test_losses_are_those_of_the_same_friction() -> None:
    found = compared()
    lossy, elastic, flexible = (found[name].loss for name in ("lossy", "elastic", "flexible"))
    assert lossy is not None
    assert flexible is not None
    assert lossy == pytest.approx(elastic, rel=1e-9)  # it is given: round-off of energies
    assert flexible == pytest.approx(elastic, rel=0.25)  # the load is shared by stiffness, not evenly


def test_tables_and_picture_have_a_row_for_each() -> None:
    found = compared()
    rows = found.table().splitlines()
    assert [row.split(" | ")[0].strip("| ") for row in rows[2:]] == list(FIDELITIES)
    assert rows[2].count("none") == 4
    assert found.title in str(found)
    figure = draw_fidelities(found)
    assert [len(axes.lines) for axes in figure.axes[:2]] == [5, 3]
    with pytest.raises(KeyError):
        found["tooth"]


def test_a_case_brings_what_it_has() -> None:
    case = ag.Case(
        pair=pair(),
        grid_options=(COARSE, COARSE),
        friction=ag.Friction(kind="coulomb", mu_dynamic=0.03),
        operation=ag.Operation(pinion_torque=TORQUE, pinion_speed=SPEED),
        analysis=ag.StaticAnalysis(),
    )
    found = ag.compare_fidelities(case, fidelities=("elastic", "lossy"), positions=3)
    assert [level.fidelity for level in found.levels] == ["lossy", "elastic"]
    assert (found.torque, found.speed, found.friction) == (TORQUE, SPEED, 0.03)
    assert found["elastic"].takes == ""
    without = ag.compare_fidelities(case, fidelities=("elastic",), positions=3, friction=0.0)
    assert without["elastic"].loss is None
    driven = replace(case, operation=replace(case.operation, driver="wheel"))
    with pytest.raises(ag.Fault, match='driver of the case = "wheel": must be "pinion"'):
        ag.compare_fidelities(driven)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"torque": None}, "torque of the pinion = not given: must be given for a pair without a case"),
        ({"torque": -1.0}, r"torque on the pinion shaft \[N m\] = -1.0: must be at least 1e-06; correct torque"),
        ({"speed": 0.0}, "speed of the pinion"),
        ({"friction": 1.0}, "coefficient of friction = 1.0: must be less than 1"),
        ({"positions": 2}, "positions in a pitch = 2: must be at least 3"),
        ({"fidelities": "rigid"}, "fidelities = 'rigid': must be one or more of"),
        ({"fidelities": ()}, "must be one or more of"),
        ({"fidelities": ("rigid", "tooth")}, "fidelities = 'tooth': must be one of"),
        ({"fidelities": ("rigid", "rigid")}, 'fidelities = "rigid" twice: must be each once'),
        ({"materials": (1, 2)}, "materials"),
        ({"borrow": 1}, "compare_fidelities, borrow = 1: must be a bool"),
    ],
)
def test_what_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ag.Fault, match=message):
        ag.compare_fidelities(pair(), **({"torque": TORQUE, "speed": SPEED} | given))  # type: ignore[arg-type]


def test_no_pair_is_refused() -> None:
    with pytest.raises(ag.Fault, match="pair = 'spur': must be a GearPair or Case"):
        ag.compare_fidelities("spur")  # type: ignore[arg-type]


def test_limits_are_seen_away_from_tip_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fidelity_limits, "EDGE", 0.5)  # as of a pair whose ends are everywhere near
    with pytest.raises(ag.Fault, match="positions in a pitch = 3: must be some with all contacts away from tip edges"):
        ag.compare_fidelities(pair(), torque=TORQUE, speed=SPEED, positions=3, limits=True)


def test_limits_are_of_spur_gears() -> None:
    helical = ag.GearPair(pinion=gear(20, beta=0.2), wheel=gear(30, beta=-0.2), a_w=distance(20, 30, beta=0.2))
    with pytest.raises(ag.Fault, match="limits = True: must be left out with helical teeth"):
        ag.compare_fidelities(helical, torque=TORQUE, speed=SPEED, limits=True)
    found = ag.compare_fidelities(helical, torque=TORQUE, speed=SPEED, fidelities=("elastic", "teeth"), positions=3)
    np.testing.assert_allclose(
        found["teeth"].force, TORQUE / helical.pinion.r_b, rtol=1e-3
    )  # edges press off the line of action


def test_a_ring_is_compared_as_far_as_it_can_be() -> None:
    pinion = ag.Gear(z=20, m_n=4e-3, x=0.3, b=30e-3, bore_diameter=35e-3, thickness_allowance=40e-6)
    ring = ag.InternalGear(
        z=-90, m_n=4e-3, b=30e-3, rim_diameter=400e-3, thickness_allowance=40e-6, tip_alteration_factor=-0.3
    )
    found = ag.compare_fidelities(
        ag.GearPair(pinion=pinion, wheel=ring),
        torque=TORQUE,
        speed=SPEED,
        fidelities=("rigid", "lossy", "elastic", "teeth"),
        positions=4,
    )
    for level in found.levels:
        np.testing.assert_allclose(level.force, TORQUE / pinion.r_b, rtol=1e-3)
    loss = found["elastic"].loss
    assert loss is not None
    outer = compared()["elastic"].loss
    assert outer is not None
    assert 0.0 < loss < outer  # flanks of a ring slide less
