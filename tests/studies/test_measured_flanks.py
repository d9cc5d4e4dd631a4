"""Measured flanks in a run: what a sign says, which flank is which, scattered points beside their grid."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from families import mostly_thorough
from small_cases import static_text

import alegear as ag
from alegear.checks.gear_data import gear_data

HEAD = "roll_length_mm,face_position_mm,deviation_um\n"


def surface(roll: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Relief, crowning and twist of the pinion [um], roll length and place in mm."""
    return 6.0 * np.clip((roll - 16.0) / 6.0, 0.0, None) ** 2 + 3.0 * (z / 15.0) ** 2 + 0.1 * (roll - 14.0) * z / 15.0


def write(folder: Path, name: str, roll: np.ndarray, z: np.ndarray, sign: float) -> str:
    lines = (
        f"{r!r},{at!r},{sign * d!r}"
        for r, at, d in zip(*(one.ravel().tolist() for one in (roll, z, surface(roll, z))), strict=True)
    )
    (folder / name).write_text(HEAD + "\n".join(lines) + "\n")
    return name


def grid() -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.meshgrid(np.linspace(6.0, 24.0, 25), np.linspace(-15.0, 15.0, 13), indexing="ij"))


def scattered() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    roll, z = random.uniform(6.0, 24.0, 400), random.uniform(-15.0, 15.0, 400)
    return np.append(roll, [6.0, 6.0, 24.0, 24.0]), np.append(z, [-15.0, 15.0, -15.0, 15.0])


def case(folder: Path, tables: dict[str, tuple[str, str]], torque: float = 200.0, contact: str = "") -> ag.Case:
    """A pinion with these tables: key -> file, sign."""
    lines = "".join(f'[pinion.flank.{key}]\nfile = "{file}"\nsign = "{sign}"\n' for key, (file, sign) in tables.items())
    text = static_text(torque=torque, positions=4, contact=contact, tables=lines)
    return ag.Case.from_bytes(text.encode(), folder / "case.toml")


def error(case: ag.Case) -> np.ndarray:
    return np.asarray(ag.run(case).dataset.transmission_error)


@pytest.mark.parametrize("make", [grid, scattered])
def test_either_sign_is_the_same_to_the_last_bit(tmp_path: Path, make) -> None:
    removed = write(tmp_path, "removed.csv", *make(), 1.0)
    left = write(tmp_path, "left.csv", *make(), -1.0)
    cases = [case(tmp_path, {"topography": said}) for said in ((removed, "removal-positive"), (left, "metal-positive"))]
    assert cases[0].sha256 == cases[1].sha256
    one, other = (ag.run(said).dataset for said in cases)
    for name in one.data_vars:
        np.testing.assert_array_equal(one[name], other[name], err_msg=str(name))
    assert not np.array_equal(one.transmission_error, error(case(tmp_path, {})))


def test_scattered_points_and_their_grid_agree_within_the_stated_error(tmp_path: Path) -> None:
    files = {make: write(tmp_path, f"{make.__name__}.csv", *make(), -1.0) for make in (grid, scattered)}
    found = {make: case(tmp_path, {"topography": (file, "metal-positive")}) for make, file in files.items()}
    stated = found[scattered].pair.pinion.microgeometry.topography.resampling_error
    results = {make: ag.run(one) for make, one in found.items()}
    errors = {make: result.dataset.transmission_error.to_numpy() for make, result in results.items()}
    difference = np.abs(errors[grid] - errors[scattered]).max()
    # a removal that is off by no more than this moves the gears by no more than this, normal to the flanks
    assert 0.0 < difference < stated
    assert stated < 1e-6
    summary = results[scattered].summary
    assert summary["topography_error_um"] == {"pinion": pytest.approx(1e6 * stated)}
    assert summary["warnings"] == []
    assert "topography_error_um" not in results[grid].summary


def test_points_that_do_not_tell_the_shape_are_told(tmp_path: Path) -> None:
    file = write(tmp_path, "few.csv", *scattered(), 1.0)
    lines = (tmp_path / file).read_text().splitlines()
    lines[200] = lines[200].rsplit(",", 1)[0] + ",15.0"  # a speck of dust
    (tmp_path / file).write_text("\n".join(lines))
    few = case(tmp_path, {"topography": (file, "removal-positive")})
    (warning,) = gear_data(few)["warnings"]
    assert warning.startswith("topography of the pinion = points that are no grid: laid through them it may be off by")
    assert gear_data(few)["pinion"]["topography_error_um"] > 1.0


@pytest.mark.parametrize(
    ("torque", "loaded", "other", "contact"),
    [
        (200.0, "left", "right", ""),
        (-200.0, "right", "left", ""),
        pytest.param(-200.0, "right", "left", 'law = "penalty"', marks=pytest.mark.thorough),
        pytest.param(200.0, "left", "right", 'law = "penalty"', marks=pytest.mark.thorough),
    ],
)
def test_the_flank_that_carries_counts(tmp_path: Path, torque: float, loaded: str, other: str, contact: str) -> None:
    file = write(tmp_path, "flank.csv", *grid(), 1.0), "removal-positive"
    results = [
        error(case(tmp_path, tables, torque, contact))
        for tables in ({}, {f"topography_{other}": file}, {"topography": file}, {f"topography_{loaded}": file})
    ]
    # 1e-15 m: iterations start elsewhere where back flanks have another shape; the flank that carries moves 1e-7 m
    np.testing.assert_allclose(results[0], results[1], atol=1e-15)
    np.testing.assert_allclose(results[2], results[3], atol=1e-15)
    assert np.abs(results[2] - results[0]).min() > 1e-7


def level(depth: float) -> ag.Topography:
    """A flank that lacks as much everywhere [m]."""
    return ag.Topography(roll_length=[8e-3, 24e-3], z=[-15e-3, 15e-3], removal=np.full((2, 2), depth))


@pytest.mark.parametrize(
    ("gear", "torque"),
    mostly_thorough(
        itertools.product(("pinion", "wheel"), (200.0, -200.0)),
        always=lambda one: one == ("wheel", -200.0),
    ),
)
def test_flanks_of_single_teeth_that_lie_deeper_are_teeth_out_of_their_places(gear: str, torque: float) -> None:
    """Over a revolution and more: material that lacks on the whole loaded flank is a pitch deviation of the tooth."""
    count = {"pinion": 20, "wheel": 30}[gear]
    lacking = 3e-6 + 3e-6 * np.sin(0.9 * np.arange(count))
    text = static_text(torque=torque, positions=2, pitches=count + 2)
    plain = ag.Case.from_bytes(text.encode(), "case.toml")
    teeth = ag.MeasuredTeeth(numbers=tuple(range(count)), flanks=tuple(map(level, lacking)))
    # a pitch deviation moves the whole tooth: what it takes from the front flank it adds to the back flank
    early = -lacking if torque > 0.0 else lacking
    both = [
        replace(plain, pair=plain.pair.with_microgeometry(**{gear: micro}))
        for micro in (ag.Microgeometry(topography=teeth), ag.Microgeometry(pitch_deviation=early))
    ]
    nominal, measured, displaced = (error(one) for one in (plain, *both))
    # the flank that lies deeper is curved as before, its tooth has turned with it: a few millionths of its radius
    np.testing.assert_allclose(measured, displaced, atol=4e-9)
    assert np.ptp(measured - nominal) > 4e-6


def test_teeth_with_one_flank_are_a_flank_of_all_teeth(tmp_path: Path) -> None:
    """To the last bit: all teeth share the profiles."""
    file = write(tmp_path, "flank.csv", *grid(), 1.0)
    plain = case(tmp_path, {"topography": (file, "removal-positive")})
    flank = plain.pair.pinion.microgeometry.topography
    teeth = ag.MeasuredTeeth(numbers=(4,), flanks=(flank,), other_teeth="nearest")
    pair = plain.pair.with_microgeometry(pinion=ag.Microgeometry(topography=teeth))
    np.testing.assert_array_equal(error(plain), error(replace(plain, pair=pair)))


def test_one_tooth_counts_where_it_touches(tmp_path: Path) -> None:
    lines = [f"3,{r},{z},-10" for r in (6, 24) for z in (-15, 15)]
    (tmp_path / "tooth.csv").write_text("tooth," + HEAD + "\n".join(lines))
    table = '[pinion.flank.topography]\nfile = "tooth.csv"\nsign = "metal-positive"\nother_teeth = "nominal"\n'
    text = static_text(torque=200.0, positions=8, pitches=6)
    plain, one = (ag.Case.from_bytes((text + more).encode(), tmp_path / "case.toml") for more in ("", table))
    of_plain = ag.run(plain).dataset
    late = np.abs(error(one) - np.asarray(of_plain.transmission_error))
    phase = np.asarray(of_plain.phase)
    reach = one.pair.eps_gamma / 2.0 + 0.1  # deflected teeth touch a little before and after
    far = np.abs(phase - 3.0) > reach + 1.0
    assert late[np.abs(phase - 3.0) < 0.1] == pytest.approx(10e-6, rel=0.01)  # it carries alone
    # the others turn on with the load that it lacks, elsewhere nothing has changed
    assert far.sum() > 8
    np.testing.assert_allclose(late[far], 0.0, atol=1e-14)  # the search for the deflection begins elsewhere
    (warning,) = gear_data(one)["warnings"]
    assert warning.startswith("pitches = 6: the teeth of the pinion differ, and only so many of its 20 pitches")
    text = static_text(torque=200.0, contact='law = "penalty"') + table
    with pytest.raises(ValueError, match='law = "penalty"'):
        ag.Case.from_bytes(text.encode(), tmp_path / "case.toml")


def test_wrong_tooth_columns_are_faults_of_the_file(tmp_path: Path) -> None:
    """Not of the number of teeth, whatever the messages say of teeth."""
    table = '[pinion.flank.topography]\nfile = "tooth.csv"\nsign = "metal-positive"\nother_teeth = "nearest"\n'
    lines = [f"{r},{z},-10" for r in (6, 24) for z in (-15, 15)]
    for head, first in (("tooth," + HEAD, "1.5,"), ("tooth," + HEAD, "-1,"), (HEAD, "")):
        (tmp_path / "tooth.csv").write_text(head + "\n".join(first + line for line in lines))
        with pytest.raises(ValueError, match=r"pinion\.flank\.topography\.file = ") as fault:
            ag.Case.from_bytes((static_text(torque=200.0) + table).encode(), tmp_path / "case.toml")
        assert "tooth" in str(fault.value)


def test_variants_over_a_part_of_a_revolution_are_warned_of() -> None:
    plain = ag.Case.from_bytes(static_text(torque=200.0, positions=1).encode(), "case.toml")
    teeth = ag.MeasuredTeeth(numbers=(0,), flanks=(level(3e-6),), other_teeth="nominal")
    pair = plain.pair.with_microgeometry(pinion=ag.Microgeometry(topography=teeth))
    found = ag.vary(replace(plain, pair=pair), [ag.Variant()])
    assert "the teeth of the pinion differ" in str(found.warnings.values[0])


def test_a_file_with_a_column_tooth_is_no_file_of_the_earlier_key(tmp_path: Path) -> None:
    (tmp_path / "tooth.csv").write_text("tooth," + HEAD + "3,6,-15,1\n3,24,15,1\n")
    text = static_text() + '[pinion.flank]\ntopography_csv = "tooth.csv"\ntopography_sign = "metal-positive"\n'
    with pytest.raises(ValueError, match=r"topography_csv.*without a column tooth; write \[flank.topography\]"):
        ag.Case.from_bytes(text.encode(), tmp_path / "case.toml")
