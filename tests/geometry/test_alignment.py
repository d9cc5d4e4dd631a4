"""Alignment of the shafts: its limits, the working centre distance, the face that both gears have."""

from dataclasses import replace
from math import radians, tan

import pytest

from alegear.errors import Fault
from alegear.geometry import Alignment, Gear, GearPair, Microgeometry


def pair(alignment: Alignment | None = None, b: tuple[float, float] = (30e-3, 24e-3), **numbers: object) -> GearPair:
    return GearPair(
        pinion=Gear(z=20, m_n=4e-3, x=0.2, b=b[0], bore_diameter=35.8e-3),
        wheel=Gear(z=30, m_n=4e-3, x=-0.2, b=b[1], bore_diameter=54.2e-3),
        alignment=alignment,
        **numbers,
    )


def test_default_is_the_perfect_gearbox() -> None:
    aligned = pair()
    assert aligned.alignment == Alignment() == Alignment(axial_offset=0.0)
    assert aligned.common_face == (-12e-3, 12e-3)
    assert aligned.b_w == 24e-3
    assert aligned.a_w == aligned.a_nominal


@pytest.mark.parametrize(
    ("offset", "face"),
    [
        (2e-3, (-14e-3, 10e-3)),  # the wheel's mid-face at z = -2 mm
        (-2e-3, (-10e-3, 14e-3)),
        (5e-3, (-15e-3, 7e-3)),
        (20e-3, (-15e-3, -8e-3)),
        (-20e-3, (8e-3, 15e-3)),
    ],
)
def test_common_face_in_the_frame_of_the_pinion(offset: float, face: tuple[float, float]) -> None:
    shifted = pair(Alignment(axial_offset=offset))
    assert shifted.common_face == pytest.approx(face, abs=1e-17)  # round-off
    assert shifted.b_w == pytest.approx(face[1] - face[0], abs=1e-17)


def test_faces_must_meet() -> None:
    for offset in (27e-3, -40e-3):
        with pytest.raises(Fault, match="common face width") as fault:
            pair(Alignment(axial_offset=offset))
        # the limit that the remedy names is accepted, beyond it there is less than a hundredth of the face
        largest = 1e-3 * float(fault.value.remedy.split()[-1])
        assert largest == pytest.approx(27e-3 - 0.24e-3, abs=1e-7)  # printed to 0.1 um
        assert pair(Alignment(axial_offset=0.9999 * largest)).b_w > 0.0


def test_centre_distance_error_moves_the_working_distance() -> None:
    wide = pair(Alignment(center_distance_error=50e-6))
    assert wide.a_w == pytest.approx(100.05e-3, rel=1e-14)
    assert wide.a_nominal == pytest.approx(100e-3, rel=1e-14)
    given = pair(Alignment(center_distance_error=50e-6), a_w=100.1e-3)
    assert (given.a_w, given.a_nominal) == pytest.approx((100.15e-3, 100.1e-3), rel=1e-14)
    # everything that is working is that of a pair made for this distance
    equal = pair(a_w=wide.a_w)
    for name in ("alpha_wt", "d_w", "j_wt", "path_of_contact", "eps_alpha"):
        assert getattr(wide, name) == getattr(equal, name)
    # dj_wt/da = 2 tan alpha_wt, at the middle of the way
    assert wide.j_wt == pytest.approx(2.0 * tan(0.5 * (wide.alpha_wt + radians(20.0))) * 50e-6, rel=1e-3)


def test_error_that_squeezes_the_teeth_is_a_fault() -> None:
    with pytest.raises(Fault, match="backlash") as fault:
        pair(Alignment(center_distance_error=-50e-6))
    assert fault.value.remedy.startswith("increase center_distance_error_um")
    with pytest.raises(Fault, match="centre distance") as fault:
        pair(Alignment(center_distance_error=-8e-3))
    assert "center_distance_error_um" in fault.value.remedy


def test_with_alignment_is_a_new_pair() -> None:
    straight = pair()
    assert straight.warnings == ()
    for alignment in (Alignment(axial_offset=3e-3, tilt_normal=1e-3), Alignment(center_distance_error=80e-6)):
        moved, made = straight.with_alignment(alignment), pair(alignment)
        for name in ("a_w", "a_nominal", "common_face", "b_w", "j_wt", "eps_alpha", "warnings"):
            assert getattr(moved, name) == getattr(made, name)
        assert moved.pinion is straight.pinion
        back = moved.with_alignment(Alignment())
        assert back.a_w == pytest.approx(straight.a_w, rel=1e-15)
    assert straight.alignment == Alignment()
    with pytest.raises(Fault, match="common face"):
        straight.with_alignment(Alignment(axial_offset=1.0))


def test_a_replaced_part_leaves_the_centre_distance() -> None:
    """The error is added once, to the distance that was given."""
    error = Alignment(center_distance_error=50e-6)
    for given in (None, 100.1e-3):
        one = pair(error, a_w=given)
        again = replace(one, wheel=replace(one.wheel, bore_diameter=0.9 * one.wheel.bore_diameter))
        assert (again.a_w, again.a_nominal) == (one.a_w, one.a_nominal)
        assert replace(one, alignment=Alignment()).a_w == one.a_nominal
        assert replace(one, a_w=100.2e-3).a_w == pytest.approx(100.25e-3, rel=1e-14)


def test_with_microgeometry_shares_everything_else() -> None:
    plain = pair()
    crowned = plain.with_microgeometry(wheel=Microgeometry(lead_crowning=5e-6))
    assert crowned.pinion is plain.pinion
    assert crowned.wheel.tooth_profile is plain.wheel.tooth_profile
    assert crowned.wheel.microgeometry.lead_crowning == 5e-6
    assert plain.wheel.microgeometry.lead_crowning == 0.0
    assert crowned.eps_alpha == plain.eps_alpha


@pytest.mark.parametrize(
    ("numbers", "quantity", "key"),
    [
        ({"tilt_plane_of_action": radians(1.1)}, "tilt in the plane of action", "tilt_plane_of_action_deg"),
        ({"tilt_plane_of_action": float("nan")}, "tilt in the plane of action", "tilt_plane_of_action_deg"),
        ({"tilt_normal": -radians(1.1)}, "tilt normal", "tilt_normal_deg"),
        ({"axial_offset": float("inf")}, "axial offset", "axial_offset_mm"),
        ({"center_distance_error": float("nan")}, "centre distance error", "center_distance_error_um"),
    ],
)
def test_impossible_alignment_is_a_fault(numbers: dict, quantity: str, key: str) -> None:
    with pytest.raises(Fault) as fault:
        Alignment(**numbers)
    assert fault.value.quantity.startswith(quantity)
    assert key in fault.value.remedy
    assert Alignment(tilt_normal=radians(1.0)).tilt_normal == radians(1.0)
