"""Measured flanks: interpolation on the grid, and every file that cannot be right."""

from pathlib import Path

import numpy as np
import pytest

from alegear.errors import Fault
from alegear.geometry import Gear, Microgeometry, Topography, read_pitch_deviation
from alegear.geometry.measured_flank import DeviationSign

ROLL = np.array([9e-3, 11e-3, 12e-3, 15e-3, 19e-3])
Z = np.array([-14e-3, -5e-3, 0.0, 6e-3, 14e-3])


def gear(topography: Topography) -> Gear:
    return Gear(
        z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3, microgeometry=Microgeometry(topography=topography)
    )


def random_places(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    return random.uniform(ROLL[0], ROLL[-1], n), random.uniform(Z[0], Z[-1], n)


def rough(scale: float = 1e-5) -> Topography:
    removal = np.random.default_rng(3).uniform(-scale, scale, (ROLL.size, Z.size))
    return Topography(roll_length=ROLL, z=Z, removal=removal)


class TestInterpolation:
    def test_bilinear_field_is_reproduced(self) -> None:
        def field(roll: np.ndarray, z: np.ndarray) -> np.ndarray:
            return 1e-6 + 2e-4 * roll - 3e-4 * z + 4e-2 * roll * z

        topography = Topography(roll_length=ROLL, z=Z, removal=field(ROLL[:, None], Z[None, :]))
        roll, z = random_places()
        # 1e-20 m: round-off of micrometres
        np.testing.assert_allclose(topography.removal_at(roll, z), field(roll, z), atol=1e-20)

    def test_points_of_the_grid_are_met(self) -> None:
        topography = rough()
        roll, z = np.meshgrid(ROLL, Z, indexing="ij")
        np.testing.assert_allclose(topography.removal_at(roll, z), topography.removal, atol=1e-20)

    def test_nothing_overshoots_the_four_neighbours(self) -> None:
        topography = rough()
        roll, z = random_places(2000)
        i = np.searchsorted(ROLL, roll) - 1
        j = np.searchsorted(Z, z) - 1
        around = np.stack([topography.removal[i + a, j + b] for a in (0, 1) for b in (0, 1)])
        found = topography.removal_at(roll, z)
        assert np.all(found >= around.min(axis=0) - 1e-20)
        assert np.all(found <= around.max(axis=0) + 1e-20)

    def test_slope_is_continuous(self) -> None:
        """One-sided differences on both sides of the grid lines agree, to first order in the step."""
        topography = rough()
        step = 1e-9
        roll, z = random_places(50)
        for line in ROLL[1:-1]:
            below, at, above = (topography.removal_at(np.full(50, line + d), z) for d in (-step, 0.0, step))
            np.testing.assert_allclose((above - at) / step, (at - below) / step, atol=1e-6)
        for line in Z[1:-1]:
            below, at, above = (topography.removal_at(roll, np.full(50, line + d)) for d in (-step, 0.0, step))
            np.testing.assert_allclose((above - at) / step, (at - below) / step, atol=1e-6)

    def test_smooth_field_converges(self) -> None:
        """A wave over the flank on finer grids: second order at the extrema, which are cut, third elsewhere."""

        def wave(roll: np.ndarray, z: np.ndarray) -> np.ndarray:
            return 1e-6 * np.sin(300.0 * roll) * np.cos(150.0 * z)

        errors = []
        for n in (9, 17, 33, 65):
            roll, z = np.linspace(ROLL[0], ROLL[-1], n), np.linspace(Z[0], Z[-1], n)
            topography = Topography(roll_length=roll, z=z, removal=wave(roll[:, None], z[None, :]))
            places = random_places(1000)
            errors.append(np.sqrt(np.mean((topography.removal_at(*places) - wave(*places)) ** 2)))
        assert np.all(np.log2(np.array(errors[:-1]) / errors[1:]) > 2.0)

    def test_outermost_values_hold_beyond_the_grid(self) -> None:
        topography = rough()
        found = topography.removal_at([0.0, 1.0, 0.0, 1.0], [-1.0, -1.0, 1.0, 1.0])
        np.testing.assert_allclose(found, topography.removal[[0, -1, 0, -1], [0, 0, -1, -1]], atol=1e-20)

    def test_flank_takes_it_up(self) -> None:
        topography = rough()
        roll, z = random_places()
        one = gear(topography)
        np.testing.assert_allclose(one.flank_removal(roll, z), topography.removal_at(roll, z), atol=1e-20)
        # at the tip and in the fillet the last rows hold
        np.testing.assert_allclose(one.flank_removal([0.0, 1.0], 0.0), topography.removal[[0, -1], 2], atol=1e-20)


def from_csv(path: Path, sign: DeviationSign = "removal-positive") -> Topography:
    return Topography.from_csv(path, sign=sign)


def write(folder: Path, text: str, name: str = "measured.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


GOOD = """\
# measured on the left flank of tooth 4
roll_length_mm,face_position_mm,deviation_um
9.0, -14.0, 1.5
19.0, 14.0, 4.5

9.0, 14.0, 2.5
19.0, -14.0, 3.5
"""


class TestTopographyFile:
    def test_points_in_any_order(self, tmp_path: Path) -> None:
        topography = from_csv(write(tmp_path, GOOD))
        np.testing.assert_allclose(topography.roll_length, [9e-3, 19e-3], rtol=1e-15)
        np.testing.assert_allclose(topography.z, [-14e-3, 14e-3], rtol=1e-15)
        np.testing.assert_allclose(topography.removal, [[1.5e-6, 2.5e-6], [3.5e-6, 4.5e-6]], rtol=1e-15)

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("roll_length_mm,face_position_mm,deviation_um", "Roll length [mm],Face position [mm],Deviation [µm]"),
            ("roll_length_mm,face_position_mm,deviation_um\n", ""),
            ("# measured", "\ufeff# measured"),
            ("\n", "\r\n"),
        ],
    )
    def test_ways_to_write_it(self, tmp_path: Path, old: str, new: str) -> None:
        one = from_csv(write(tmp_path, GOOD.replace(old, new)))
        np.testing.assert_array_equal(one.removal, from_csv(write(tmp_path, GOOD)).removal)

    def test_named_columns_in_another_order(self, tmp_path: Path) -> None:
        text = "deviation_um,roll_length_mm,face_position_mm\n1,9,-14\n2,9,14\n3,19,-14\n4,19,14\n"
        np.testing.assert_allclose(from_csv(write(tmp_path, text)).removal, [[1e-6, 2e-6], [3e-6, 4e-6]], rtol=1e-15)

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ("9.0, 14.0, 2.5\n", "", "1 hole(s)"),
            ("9.0, 14.0, 2.5\n", "9.0, 14.1, 2.5\n", "hole(s)"),
            ("2.5", "nan", "line 6: deviation_um = nan: must be a finite number"),
            ("2.5", "inf", "line 6: deviation_um = inf"),
            ("2.5", "", "line 6: deviation_um = nothing"),
            ("2.5", "2;5", "line 6: deviation_um = 2;5: must be a finite number"),
            ("14.0, 2.5", "14.0 2.5", "line 6: columns = 2"),
            ("2.5", "2.5, 7", "line 6: columns = 4"),
            ("2.5", "2,5", "line 6: columns = 4: must be 3"),
            ("deviation_um", "deviation_mm", "columns = roll_length_mm, face_position_mm, deviation_mm"),
            ("roll_length_mm,", "", "columns = face_position_mm, deviation_um"),
            ("roll_length_mm", "diameter_mm", "columns = diameter_mm"),
            ("9.0, 14.0, 2.5\n", "9.0, 14.0, 2.5\n9.0, 14.0, 2.6\n", "each point once"),
            ("19.0", "9.0", "each point once"),
        ],
    )
    def test_refusals(self, tmp_path: Path, old: str, new: str, words: str) -> None:
        assert old in GOOD
        with pytest.raises(Fault) as fault:
            from_csv(write(tmp_path, GOOD.replace(old, new)))
        assert words in str(fault.value)
        assert "measured.csv" in fault.value.quantity
        assert "topography" in fault.value.remedy

    @pytest.mark.parametrize("text", ["", "roll_length_mm,face_position_mm,deviation_um\n", "# nothing\n"])
    def test_empty_file(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(Fault, match="lines with numbers = 0"):
            from_csv(write(tmp_path, text))

    def test_a_single_row_is_no_grid(self, tmp_path: Path) -> None:
        with pytest.raises(Fault, match="at least 2, rising") as fault:
            from_csv(write(tmp_path, "9,-14,1\n9,14,1\n"))
        assert "topography" in fault.value.remedy

    def test_missing_and_unreadable_file(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.csv", tmp_path):
            with pytest.raises(Fault, match="readable file") as fault:
                from_csv(path)
            assert "topography" in fault.value.remedy
        (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00\x01")
        with pytest.raises(Fault, match="UTF-8"):
            from_csv(tmp_path / "binary.csv")

    @pytest.mark.parametrize(
        ("roll", "z", "quantity"),
        [
            # the flank reaches from 4.32 to 24.38 mm of roll length and over 30 mm
            ([9e-3, 25e-3], [-14e-3, 14e-3], "roll length"),
            ([1e-3, 19e-3], [-14e-3, 14e-3], "roll length"),
            ([9.0, 19.0], [-14e-3, 14e-3], "roll length"),
            ([9e-3, 19e-3], [0.0, 30e-3], "face position"),
            ([9e-3, 19e-3], [-16e-3, 14e-3], "face position"),
        ],
    )
    def test_outside_the_flank(self, roll: list[float], z: list[float], quantity: str) -> None:
        with pytest.raises(Fault) as fault:
            gear(Topography(roll_length=roll, z=z, removal=np.zeros((2, 2))))
        assert fault.value.quantity.startswith(quantity)
        assert "on the flank, from" in fault.value.limit
        assert "topography" in fault.value.remedy

    def test_a_little_beyond_the_flank_is_rounding(self) -> None:
        plain = gear(rough())
        profile = plain.tooth_profile
        slack = 0.015 * (profile.roll_length_tip - profile.roll_length_form)
        ends = [profile.roll_length_form - slack, profile.roll_length_tip + slack]
        gear(Topography(roll_length=ends, z=[-15.4e-3, 15.4e-3], removal=np.zeros((2, 2))))

    def test_a_spike_deeper_than_the_tooth_is_found(self) -> None:
        removal = np.zeros((5, 5))
        removal[2, 3] = 3e-3
        with pytest.raises(Fault, match="half the tooth thickness") as fault:
            gear(Topography(roll_length=ROLL, z=Z, removal=removal))
        assert "topography" in fault.value.remedy

    @pytest.mark.parametrize(
        "change",
        [
            {"roll_length": [9e-3, 9e-3, 12e-3, 15e-3, 19e-3]},
            {"z": Z[::-1]},
            {"roll_length": [9e-3]},
            {"removal": np.zeros((4, 5))},
            {"removal": np.full((5, 5), np.nan)},
        ],
    )
    def test_impossible_grid_is_a_fault(self, change: dict) -> None:
        with pytest.raises(Fault, match="topography"):
            Topography(**{"roll_length": ROLL, "z": Z, "removal": np.zeros((5, 5)), **change})


class TestPitchFile:
    def test_teeth_in_any_order(self, tmp_path: Path) -> None:
        path = write(tmp_path, "tooth,displacement_um\n2, -3.0\n0, 1.0\n1, 2.0\n")
        np.testing.assert_allclose(read_pitch_deviation(path), [1e-6, 2e-6, -3e-6], rtol=1e-15)
        np.testing.assert_allclose(read_pitch_deviation(write(tmp_path, "1,2\n0,1\n")), [1e-6, 2e-6], rtol=1e-15)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("tooth,displacement_um\n1, 1.0\n2, 2.0\n", "tooth = 0: must be given too"),
            ("tooth,displacement_um\n0, 1.0\n2, 2.0\n", "tooth = 1: must be given too: the file goes to tooth 2"),
            ("tooth,displacement_um\n0, 1.0\n0, 2.0\n", "tooth = 0: must be given once"),
            ("tooth,displacement_um\n0.5, 1.0\n", "tooth = 0.5: must be a whole number from 0"),
            ("tooth,displacement_um\n-1, 1.0\n", "tooth = -1: must be a whole number from 0"),
            ("tooth,displacement_um\n1e300, 1.0\n", "tooth = 1e+300: must be a whole number from 0 to 1000000"),
            ("tooth,displacement_um\n0, nan\n", "line 2: displacement_um = nan"),
            ("tooth,displacement_um\n0, x\n", "line 2: displacement_um = a text of 1 character:"),
            ("tooth,displacement_um\n0\n", "line 2: columns = 1"),
            ("tooth,deviation\n0, 1\n", "columns = tooth, deviation"),
            ("", "lines with numbers = 0"),
        ],
    )
    def test_refusals(self, tmp_path: Path, text: str, words: str) -> None:
        with pytest.raises(Fault) as fault:
            read_pitch_deviation(write(tmp_path, text))
        assert words in str(fault.value)
        assert "pitch_deviation_csv" in fault.value.remedy

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(Fault, match="readable file") as fault:
            read_pitch_deviation(tmp_path / "none.csv")
        assert "pitch_deviation_csv" in fault.value.remedy


# ------------------------------------------------------------------------------- points that are no grid
def ground(roll: np.ndarray, z: np.ndarray) -> np.ndarray:
    """A flank as it comes off a grinding machine: relief, crowning, twist and waviness [m]."""
    t, s = (roll - 14e-3) / 5e-3, z / 14e-3
    return 1e-6 * (
        8.0 * np.clip(t, 0.0, None) ** 2 + 4.0 * s**2 + 2.0 * t * s + 0.3 * np.sin(6.0 * t) * np.cos(3.0 * s)
    )


def on_grid(n: int = 33) -> Topography:
    roll, z = np.linspace(ROLL[0], ROLL[-1], n), np.linspace(Z[0], Z[-1], n)
    return Topography(roll_length=roll, z=z, removal=ground(roll[:, None], z[None, :]))


def scattered(n: int = 400, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Places anywhere, and the corners."""
    random = np.random.default_rng(seed)
    roll, z = random.uniform(ROLL[0], ROLL[-1], n), random.uniform(Z[0], Z[-1], n)
    corners = np.array([(a, b) for a in ROLL[[0, -1]] for b in Z[[0, -1]]]).T
    return np.concatenate([roll, corners[0]]), np.concatenate([z, corners[1]])


def traces(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Nine lines along the profile, each with places of its own."""
    random = np.random.default_rng(seed)
    roll, z = [], []
    for at in np.linspace(Z[0], Z[-1], 9):
        inner = np.linspace(ROLL[0], ROLL[-1], 40)[1:-1] + random.uniform(-5e-5, 5e-5, 38)
        roll.append(np.concatenate([ROLL[:1], inner, ROLL[-1:]]))
        z.append(np.full(40, at))
    return np.concatenate(roll), np.concatenate(z)


def along_the_face(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The same lines the other way."""
    z, roll = traces(seed)
    scale = (ROLL[-1] - ROLL[0]) / (Z[-1] - Z[0])
    return ROLL[0] + (roll - Z[0]) * scale, Z[0] + (z - ROLL[0]) / scale


def points(places: tuple[np.ndarray, np.ndarray], values: np.ndarray | None = None) -> Topography:
    removal = ground(*places) if values is None else values
    return Topography.from_points(*places, removal, sign="removal-positive")


class TestPoints:
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("make", [scattered, traces, along_the_face])
    def test_agree_with_the_grid_of_the_same_surface_within_their_error(self, make, seed: int) -> None:
        measured, grid = points(make(seed=seed)), on_grid()
        places = random_places(3000)
        difference = np.abs(measured.removal_at(*places) - grid.removal_at(*places)).max()
        assert measured.resampling_error is not None
        assert difference < measured.resampling_error
        # which says something: less than a tenth of the range
        assert measured.resampling_error < 0.1 * np.ptp(grid.removal)

    def test_more_points_are_closer(self) -> None:
        errors = [points(scattered(n)).resampling_error for n in (100, 400, 1600)]
        assert errors[0] > 2.0 * errors[1] > 4.0 * errors[2]

    def test_a_plane_is_met_whichever_way_it_is_measured(self) -> None:
        for make in (scattered, traces, along_the_face):
            roll, z = make()
            flank = points((roll, z), 1e-4 * (roll - 14e-3) + 2e-4 * z)
            assert flank.resampling_error < 1e-14  # of 4e-6: round-off of the systems of thin plates
            at = random_places()
            np.testing.assert_allclose(flank.removal_at(*at), 1e-4 * (at[0] - 14e-3) + 2e-4 * at[1], atol=1e-13)

    def test_a_point_that_is_wrong_is_in_the_error(self) -> None:
        for make in (scattered, traces):
            roll, z = make()
            removal = ground(roll, z)
            removal[150] += 20e-6
            assert points((roll, z), removal).resampling_error > 15e-6

    @pytest.mark.parametrize("make", [scattered, traces, along_the_face])
    def test_the_sign_is_nothing_but_a_sign(self, make) -> None:
        places = make()
        one = Topography.from_points(*places, ground(*places), sign="removal-positive")
        other = Topography.from_points(*places, -ground(*places), sign="metal-positive")
        np.testing.assert_array_equal(one.removal, other.removal)
        assert one.resampling_error == other.resampling_error

    def test_a_grid_is_taken_as_it_is(self) -> None:
        roll, z = (one.ravel() for one in np.meshgrid(ROLL, Z, indexing="ij"))
        flank = points((roll, z))
        assert flank.resampling_error is None
        np.testing.assert_array_equal(flank.removal, ground(ROLL[:, None], Z[None, :]))

    def test_outermost_values_hold_beyond_a_short_trace(self) -> None:
        roll, z = traces()
        keep = ~((z == z[0]) & (roll > 18.4e-3))
        flank = points((roll[keep], z[keep]))
        last = np.flatnonzero(z[keep] == z[0])[-1]
        assert flank.removal_at(19e-3, z[0]) == pytest.approx(ground(roll[keep][last], z[0]), abs=1e-12)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda roll, z: (roll[:8], z[:8]), "points of the flank = 8: must be at least 9"),
            (lambda roll, z: (np.full(99, 12e-3), z[:99]), "number of positions along roll_length = 1: must be at"),
            (lambda roll, z: (roll[:99], np.zeros(99)), "number of positions along z = 1: must be at least 2"),
            (lambda roll, z: (9e-3 + (z[:99] + 14e-3) * 0.3, z[:99]), "on one line"),
            (lambda roll, z: _without(roll, z, (np.abs(roll - 14e-3) < 3e-3) & (np.abs(z) < 9e-3)), "without a point"),
            (lambda roll, z: _without(roll, z, (roll - 9e-3) / 10e-3 + (z + 14e-3) / 28e-3 > 1.2), "covered [%]"),
            (lambda roll, z: (np.append(roll, roll[5]), np.append(z, z[5])), "points at roll length"),
        ],
    )  # fmt: skip
    def test_points_that_tell_too_little(self, change, words: str) -> None:
        with pytest.raises(Fault) as fault:
            points(change(*scattered()))
        assert words in str(fault.value)
        assert "\n" not in str(fault.value)

    def test_traces_that_tell_too_little(self) -> None:
        roll, z = traces()
        for drop, words in (
            ((z == z[0]) & (roll > 15e-3), "covered [%]"),
            ((z == z[0]) & (roll > 11e-3) & (roll < 15e-3), "without a point"),
        ):
            with pytest.raises(Fault) as fault:
                points((roll[~drop], z[~drop]))
            assert words in str(fault.value)
            assert "trace along the profile at -14 mm" in str(fault.value)

    def test_other_signs_and_columns(self) -> None:
        with pytest.raises(Fault, match="metal-positive"):
            Topography.from_points([0.0], [0.0], [0.0], sign="plus")  # type: ignore[arg-type]
        with pytest.raises(Fault, match="three columns of equal length"):
            Topography.from_points([0.0], [0.0, 1.0], [0.0], sign="metal-positive")
        with pytest.raises(Fault, match="finite"):
            Topography.from_points([np.nan], [0.0], [0.0], sign="metal-positive")


def _without(roll: np.ndarray, z: np.ndarray, out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return roll[~out], z[~out]


# ------------------------------------------------------------------------------- left and right
class TestBothFlanks:
    def test_each_has_its_own(self) -> None:
        one, other = rough(), rough(5e-6)
        flanks = Microgeometry(topography_left=one, topography_right=other)
        measured = Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3, microgeometry=flanks)
        at = random_places()
        for flank, own in (("a", one), ("b", other)):
            np.testing.assert_allclose(measured.flank_removal(*at, flank), own.removal_at(*at), atol=1e-20)
        assert flanks.flanks_differ
        assert not Microgeometry(topography=one).flanks_differ

    def test_turned_over_left_is_right(self) -> None:
        turned = Microgeometry(topography_left=rough()).from_other_end()
        assert turned.topography_left is None
        roll, z = random_places()
        np.testing.assert_allclose(
            turned.topography_right.removal_at(roll, -z), rough().removal_at(roll, z), atol=1e-20
        )
