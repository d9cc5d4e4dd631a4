"""Flanks of single teeth: which tooth has which, the file they come in, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import Gear, MeasuredTeeth, Microgeometry, Topography
from alegear.geometry.measured_teeth import read_topography

ROLL, Z = np.array([6e-3, 15e-3, 24e-3]), np.array([-15e-3, 0.0, 15e-3])


def flank(depth: float) -> Topography:
    """One that lacks as much everywhere [m]."""
    return Topography(roll_length=ROLL, z=Z, removal=np.full((3, 3), depth))


def gear(**deviations) -> Gear:
    micro = Microgeometry(**deviations)
    return Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3, microgeometry=micro)


def teeth(numbers, other_teeth="nearest") -> MeasuredTeeth:
    return MeasuredTeeth(
        numbers=tuple(numbers), flanks=tuple(flank(1e-6 * (1 + n)) for n in numbers), other_teeth=other_teeth
    )


@pytest.mark.parametrize("numbers", [(0,), (3, 4), (1, 7, 12), (0, 5, 10, 15), (2, 19)])
def test_others_have_the_flank_of_the_nearest_one(numbers: tuple[int, ...]) -> None:
    found = teeth(numbers).flank_of(20)
    for tooth in range(20):
        # by walking away from the tooth, one step at a time, first to the teeth that come before
        for step in range(11):
            near = [(tooth - step) % 20, (tooth + step) % 20]
            hit = next((one for one in near if one in numbers), None)
            if hit is not None:
                break
        assert numbers[found[tooth]] == hit


def test_removal_is_that_of_the_tooth() -> None:
    own = gear(topography=teeth(range(20), None), lead_crowning=3e-6)
    assert own.different_teeth == tuple(range(20))
    removed = own.flank_removal(12e-3, 0.0, "b", np.arange(20))
    np.testing.assert_allclose(removed, 1e-6 * (1 + np.arange(20)), rtol=1e-12)
    for outside in (-1, 20):
        with pytest.raises(Fault, match=f"number of a tooth = {outside}: must be from 0 to 19"):
            own.flank_removal(12e-3, 0.0, "a", outside)
    sections = own.modified_profile(np.zeros(2), tooth=[2, 9])
    one, other = (own.modified_profile(np.zeros(1), tooth=n) for n in (2, 9))
    np.testing.assert_array_equal(sections.s_start, [one.s_start[0], other.s_start[0]])
    assert one.s_start[0] != other.s_start[0]


def test_left_and_right_are_told_apart_tooth_by_tooth() -> None:
    own = gear(topography_left=teeth((0, 10)), topography_right=teeth((5,), "nominal"))
    assert list(own.first_alike("a")[:12]) == [0] * 5 + [0] + [6] * 6  # tooth 5 lies between both: that before counts
    assert own.flank_removal(12e-3, 0.0, "b", 5) == pytest.approx(6e-6)
    assert own.flank_removal(12e-3, 0.0, "b", 4) == 0.0
    assert own.different_teeth == (0, 5, 6)
    assert not own.teeth_alike
    turned = own.microgeometry.from_other_end()
    assert turned.topography_left.numbers == (5,)
    assert gear(topography=teeth((3,))).teeth_alike  # its flank is that of all


def test_a_file_with_a_column_tooth(tmp_path: Path) -> None:
    path = tmp_path / "flanks.csv"
    points = [(r, z) for r in (6.0, 24.0) for z in (-15.0, 15.0)]
    rows = [f"{tooth},{r},{z},{-2.0 * tooth}" for tooth in (7, 3) for r, z in points]
    path.write_text("tooth,roll_length_mm,face_position_mm,deviation_um\n" + "\n".join(rows))
    read = read_topography(path, sign="metal-positive", other_teeth="nominal")
    assert isinstance(read, MeasuredTeeth)
    assert read.numbers == (3, 7)
    assert [float(one.removal.max()) for one in read.flanks] == pytest.approx([6e-6, 14e-6])
    plain = tmp_path / "flank.csv"
    plain.write_text("roll_length_mm,face_position_mm,deviation_um\n" + "\n".join(f"{r},{z},1" for r, z in points))
    assert isinstance(read_topography(plain, sign="metal-positive"), Topography)
    with pytest.raises(Fault, match='other_teeth = "nearest": must be left out: the file has no column tooth'):
        read_topography(plain, sign="metal-positive", other_teeth="nearest")
    path.write_text(path.read_text().replace("\n7,", "\n7.5,"))
    with pytest.raises(Fault, match=r"flanks.csv: tooth = 7.5: must be a whole number"):
        read_topography(path, sign="metal-positive")
    path.write_text("tooth,roll_length_mm,face_position_mm,deviation_um\n1,6,0,1\n1,24,0,1\n")
    with pytest.raises(Fault, match=r"flanks\.csv, tooth 1"):
        read_topography(path, sign="metal-positive")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            lambda: gear(topography=teeth((0, 5), None)),
            "topography of tooth 1 = missing.*18 of 20 are not.*other_teeth",
        ),
        (lambda: gear(topography=teeth((0, 20))), "number of a measured tooth = 20: must be at most 19"),
        (lambda: gear(topography=teeth(range(20))), 'other_teeth = "nearest": must be left out: all teeth'),
        (lambda: teeth((5, 5)), "numbers of measured teeth.*rising"),
        (lambda: teeth(()), "numbers of measured teeth.*one at least"),
        (lambda: teeth((-1,)), "numbers of measured teeth.*whole numbers from 0"),
        (lambda: teeth((1,), "mean"), "other teeth.*mean"),
        (lambda: MeasuredTeeth(numbers=(1, 2), flanks=(flank(0.0),)), "flanks of measured teeth = 1: must be 2"),
        (lambda: gear(topography=teeth((1,)), topography_left=flank(0.0)), "topography"),
        (
            lambda: gear(topography=MeasuredTeeth(numbers=(4,), flanks=(flank(9e-3),), other_teeth="nominal")),
            "flank deviation at diameter.*reduce topography of tooth 4",
        ),
    ],
)
def test_what_is_refused(made, words: str) -> None:
    with pytest.raises(Fault, match=words):
        made()
