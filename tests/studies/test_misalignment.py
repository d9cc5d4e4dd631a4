"""Shafts out of line, from case file to result: mirror images, rising load factor, corners, limits of Hertz."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from small_cases import case_of, result_of, static_text

import alegear as ag
from alegear.checks.hertz_limits import CORNER, WIDEST_STRIP

SAME = 1e-8  # promised for equal curves, relative
SLICES = "slices = 8"
TILTS = (0.0, 0.02, 0.05, 0.1)  # deg
FACE = 30e-3  # m


def tilted(
    tilt: float, *, key: str = "tilt_plane_of_action_deg", tables: str = "", positions: int = 4, **options: object
) -> ag.Result:
    """Pair 20/30 with one of the shafts tilted [deg]."""
    tables = f"{tables}\n[alignment]\n{key} = {tilt!r}\n"
    return result_of(static_text(contact=SLICES, tables=tables, positions=positions, **options))


def warnings_of(result: ag.Result) -> list[str]:
    return result.summary["warnings"]


@pytest.mark.parametrize("options", [{}, {"torque": -200.0}], ids=["front flanks", "back flanks"])
def test_a_tilt_of_the_other_sign_gives_the_mirror_image(options: dict) -> None:
    one, two = (tilted(t, **options).dataset for t in (0.05, -0.05))
    for name in ("transmission_error", "mesh_stiffness"):
        np.testing.assert_allclose(two[name], one[name], rtol=SAME, err_msg=name)
    for name in ("line_load", "contact_pressure"):
        values = one[name].values
        np.testing.assert_allclose(two[name], values[:, :, ::-1], atol=SAME * values.max(), err_msg=name)
    stress = one.root_stress.values
    np.testing.assert_allclose(two.root_stress, stress, rtol=1e-6)  # Gmsh's nodes are mirror images to 1e-9 or so
    # mirrored at mid-face: of a moment, an axial vector, the transverse parts change sign
    moment = one.contact_moment.values * [-1.0, -1.0, 1.0]
    np.testing.assert_allclose(two.contact_moment, moment, atol=SAME * np.abs(moment).max())


@pytest.mark.parametrize("torque", [200.0, -200.0])
def test_a_positive_tilt_loads_the_end_at_plus_z(torque: float) -> None:
    options = {} if torque > 0.0 else {"torque": torque}
    load = tilted(0.05, **options).dataset.line_load.sum("pair").values
    assert (load[:, -1] > 1.5 * load[:, 0]).all()


def test_the_load_factor_rises_with_the_tilt() -> None:
    factor = [tilted(t).summary["face_load_factor"] for t in TILTS]
    assert (np.diff(factor) > 0.02).all()
    # what the plane flanks of a stiff pair would have: 1 + c t b^2/(2 q), c some 14 N/(mm um)
    assert 1.0 <= factor[0] < 1.1
    assert 1.5 < factor[2] < 4.0


def test_the_load_factor_falls_with_the_torque() -> None:
    factor = [tilted(0.05, torque=torque).summary["face_load_factor"] for torque in (100.0, 200.0, 1600.0)]
    assert (np.diff(factor) < -0.1).all()


def test_deflection_at_mid_face_and_at_the_loaded_end() -> None:
    sizes = [-1e6 * float(tilted(t).dataset.transmission_error.mean()) for t in TILTS]
    # as long as the whole face carries, the load turns about mid-face: load times place adds up to the same
    assert sizes[1] == pytest.approx(sizes[0], rel=5e-3)
    # then the end that touches alone takes more and more
    at_the_end = np.array(sizes) + 1e6 * 0.5 * FACE * np.radians(TILTS)
    assert (np.diff(at_the_end) > 0.0).all()


def test_a_helix_slope_undoes_the_tilt() -> None:
    slope = 1e6 * FACE * math.radians(0.05)  # um
    # with backlash: the slope makes teeth thicker at one end, on both flanks
    thin = {"pinion": "tooth_thickness_allowance_um = 100.0"}
    aligned, tilt = tilted(0.0, **thin), tilted(0.05, **thin)
    undone = tilted(0.05, tables=f"[pinion.flank]\nhelix_slope_um = {slope!r}", **thin)
    for name in ("transmission_error", "line_load"):
        scale = float(np.abs(aligned.dataset[name]).max())
        off = float(np.abs(undone.dataset[name] - aligned.dataset[name]).max()) / scale
        # a slope is normal to the flank, a tilt along the line of action: they differ on tip rounds alone
        assert off < 0.02 * float(np.abs(tilt.dataset[name] - aligned.dataset[name]).max()) / scale, name


def test_a_tooth_wedged_by_the_material_of_a_helix_slope() -> None:
    """Added material closes gaps that are far larger than the rigid overlap of the pair."""
    result = tilted(0.05, tables="[pinion.flank]\nhelix_slope_um = -26.18\n")
    mirrored = tilted(-0.05, tables="[pinion.flank]\nhelix_slope_um = 26.18\n")
    assert result.summary["te_mean_um"] == pytest.approx(mirrored.summary["te_mean_um"], rel=SAME)
    load = result.dataset.line_load.sum("pair")
    assert load.values[:, 0].max() < load.values[:, -1].min()  # the far end carries next to nothing


def test_a_tilt_normal_to_the_plane_of_action_hardly_matters() -> None:
    one, two = (tilted(t, key="tilt_normal_deg").dataset for t in (0.05, -0.05))
    loads = one.line_load.values
    np.testing.assert_allclose(two.line_load, loads[:, :, ::-1], atol=SAME * loads.max())
    aligned, plane = tilted(0.0), tilted(0.05)
    rise = [
        r.summary["face_load_factor"] - aligned.summary["face_load_factor"]
        for r in (plane, tilted(0.05, key="tilt_normal_deg"))
    ]
    assert abs(rise[1]) < 0.05 * rise[0]


def test_a_larger_centre_distance_delays_and_lowers_the_contact() -> None:
    # pairs that carry are counted in positions: a ratio is known to one of them
    near, far = (tilted(um, key="center_distance_error_um", positions=32) for um in (0.0, 100.0))
    assert far.summary["contact_ratio_nominal"] < near.summary["contact_ratio_nominal"]
    assert far.summary["contact_ratio_loaded"] < near.summary["contact_ratio_loaded"]
    # an involute pair runs on with the same ratio
    total = far.dataset.tooth_load.sum("pair")
    np.testing.assert_allclose(total, 200.0 / case_of(static_text()).pair.pinion.r_b, rtol=SAME)


# ------------------------------------------------------------------------------------------------ limits
def test_an_ordinary_result_has_no_warning() -> None:
    assert warnings_of(tilted(0.0)) == []
    assert warnings_of(tilted(0.02)) == []


def test_a_corner_may_carry_with_a_warning() -> None:
    """The largest tilt that is allowed: half a millimetre over the face, one slice touches."""
    result = tilted(1.0, torque=50.0)
    loaded = (result.dataset.line_load.values > 0.0).sum(axis=(1, 2))
    assert loaded.min() == 1
    (warning,) = [w for w in warnings_of(result) if "face width are in contact" in w]  # another one asks for the unit
    assert f"{CORNER:g}" in warning
    carried, face = map(float, re.findall(r"([\d.]+) mm", warning)[:2])
    assert face == pytest.approx(1e3 * FACE, rel=1e-3)
    assert carried == pytest.approx(1e3 * FACE / 8, rel=5e-3)  # three digits
    assert "tilt" in warning
    total = result.dataset.tooth_load.sum("pair").values
    np.testing.assert_allclose(total, 50.0 / case_of(static_text()).pair.pinion.r_b, rtol=SAME)


@pytest.mark.parametrize("key", ["tilt_plane_of_action_deg", "tilt_normal_deg"])
def test_a_tilt_that_is_not_small_is_refused(key: str) -> None:
    with pytest.raises(ag.CaseFaults, match=rf"{key} = 1\.01.*1"):
        tilted(1.01, key=key)


def test_a_load_beyond_hertz_is_told_with_value_and_limit() -> None:
    torque = 12e3
    result = tilted(0.0, torque=torque)
    (warning,) = [w for w in warnings_of(result) if "half-width" in w]
    assert f"above {WIDEST_STRIP:g}" in warning
    assert "pinion_torque_Nm" in warning
    width, share, radius = map(float, re.findall(r"(\d[\d.]*)", warning)[:3])
    assert share > WIDEST_STRIP
    assert width / radius == pytest.approx(share, rel=0.02)  # of three digits each
    widths = 1e3 * result.dataset.contact_half_width.values
    assert np.nanmin(widths) <= width * 1.005
    assert width <= 1.005 * np.nanmax(widths)
    # the width goes with the root of the load
    assert np.nanmax(tilted(0.0).dataset.contact_half_width) < 0.2e-3 * width
