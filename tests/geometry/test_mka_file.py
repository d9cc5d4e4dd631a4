"""Files of measuring machines: written here in their layout, from a known surface, and read back."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import alegear as ag
from alegear import cli
from alegear.errors import Fault
from alegear.geometry.mka_file import MkaFile

MESHES = Path(__file__).parents[2] / "meshes"
HEADER = """\
HEADER KS.MK.FILE
UNDEFINED -2147483.648 ! Undefined
  21 :Normalmodul mn................  [mm]....: 1.900
  22 :Zähnezahl z......................: 23  Außenverzahnung
  23 :Schrägungswinkel..............  [Grad]..: 27.000
  24 :Eingriffswinkel...............  [Grad]..: 18.000
  26 :Zahnbreite....................  [mm]....: 30.000
  41 :Start Messbereich.................da  [mm]..:  47.300      47.300
  44 :Ende der Messstrecke..............de  [mm]..:  54.000      54.000
  61 :Start Messbereich.................ba  [mm]..:  0.000      0.000
  64 :Ende der Messstrecke..............be  [mm]..:  30.000      30.000
"""
N = 48


@cache
def gear() -> ag.Gear:
    return ag.Case.from_toml(MESHES / "e_axle_stage.toml").pair.pinion


def surface(roll: np.ndarray | float, z: np.ndarray | float) -> np.ndarray:
    """Material left [um], roll length in mm, position in mm from mid-face."""
    return -4.0 * np.clip((np.asarray(roll) - 11.0) / 3.0, 0.0, None) ** 2 - 3.0 * (np.asarray(z) / 15.0) ** 2


def rolls() -> np.ndarray:
    one = gear()
    low, high = (float(one.roll_length(0.5e-3 * d)) for d in (47.3, 54.0))
    return 1e3 * np.linspace(low, high, N)


def block(head: str, values: np.ndarray) -> str:
    shown = ["-2147483.648" if not np.isfinite(one) else f"{one:.3f}" for one in values]
    rows = ["  ".join(shown[i : i + 12]) for i in range(0, len(shown), 12)]
    return "\n".join([head, *rows, ""]) + "\n"


def profiles(
    side: str = "links", form: str = "TOPOGRAFIE: Zahn-Nr.: 4 /Profil:{n} {side} / {N} Werte  / z= {z}"
) -> str:
    return "".join(
        block(form.format(n=n, side=side, N=N, z=z), surface(rolls(), z - 15.0))
        for n, z in enumerate((1.0, 8.0, 15.0, 22.0, 29.0), start=1)
    )


def cross(side: str = "rechts") -> str:
    """A profile at mid-face and a lead in its middle, both with points at their ends that were not measured."""
    across = np.linspace(0.0, 30.0, N)
    lead = surface(rolls()[N // 2], across - 15.0) - 7.0  # with a zero of its own
    profile = surface(rolls(), 0.0)
    lead[:2] = profile[-1] = np.nan
    return (
        block(f"Flankenlinie:\nZahn-Nr.: 1 {side} / {N}  Werte  x= {rolls()[N // 2]:.3f}", lead)
        + block(f"Profil:\nZahn-Nr.: 1 {side} / {N}  Werte  z= 15.000", profile)
        + "        linke Zahnflanke\n        Zahn-Nr.  fp  Fp  Fr\n\n  1  0.1 0.2 0.3\n"
    )


def write(folder: Path, text: str, encoding: str = "utf-8-sig") -> Path:
    path = folder / "gear.mka"
    path.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_profiles_are_a_flank(tmp_path: Path, encoding: str) -> None:
    roll, z, deviation = MkaFile.read(write(tmp_path, HEADER + profiles(), encoding)).points(
        gear(), tooth=4, flank="left"
    )
    assert len(roll) == 5 * N
    # printed to a thousandth of a micrometre
    np.testing.assert_allclose(1e6 * deviation, surface(1e3 * roll, 1e3 * z), atol=6e-4)
    flank = ag.Topography.from_points(roll, z, deviation, sign="metal-positive")
    assert flank.removal_at(13.5e-3, 14e-3) > 4e-6


def test_a_profile_and_a_lead_are_added(tmp_path: Path) -> None:
    roll, z, deviation = MkaFile.read(write(tmp_path, HEADER + cross())).points(gear(), tooth=1, flank="right")
    # this surface has no twist: the sum is the surface, but for chords of 41 points across and along it, h^2/8 f''
    chord = ((roll.max() - roll.min()) / 40e-3 / 3.0) ** 2 + 0.75 * (30.0 / 40.0 / 15.0) ** 2
    np.testing.assert_allclose(1e6 * deviation, surface(1e3 * roll, 1e3 * z), atol=2.0 * chord)
    assert np.ptp(z) > 28e-3


@pytest.mark.parametrize(
    ("text", "tooth", "flank", "words"),
    [
        (HEADER, 1, "left", "curves of profiles and leads = 0"),
        (HEADER + profiles(), 5, "left", "choose one of the teeth 4"),
        (HEADER + profiles(), 4, "right", "0 profiles, 0 leads"),
        (HEADER.replace(": 23 ", ": 24 ") + profiles(), 4, "left", "teeth = 24.0: must be that of the gear, 23"),
        (HEADER.replace("30.000\n  41", "25.000\n  41") + profiles(), 4, "left", "face width [mm] = 25.0"),
        (HEADER.replace("de  [mm]", "dx  [mm]") + profiles(), 4, "left", "de [mm] = missing"),
        ((HEADER + profiles()).rsplit("\n", 3)[0], 4, "left", "values of the curve = 36: must be 48"),
    ],
)  # fmt: skip
def test_files_that_are_refused(tmp_path: Path, text: str, tooth: int, flank: str, words: str) -> None:
    with pytest.raises(Fault) as fault:
        MkaFile.read(write(tmp_path, text)).points(gear(), tooth=tooth, flank=flank)
    assert words in str(fault.value)
    assert "gear.mka" in str(fault.value)


def test_command_makes_a_file_that_a_case_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = write(tmp_path, HEADER + profiles()), tmp_path / "flank.csv"
    case = MESHES / "e_axle_stage.toml"
    command = ["convert-flank", str(path), str(case), "--gear", "pinion", "--tooth", "4", "--flank", "left"]
    assert cli.main([*command, "--out", str(out)]) == 0
    assert "240 points" in capsys.readouterr().err
    text = case.read_text() + '[pinion.flank.topography]\nfile = "flank.csv"\nsign = "metal-positive"\n'
    pinion = ag.Case.from_bytes(text.encode(), tmp_path / "case.toml").pair.pinion
    # 5e-10 m: digits of the file, and traces between points of a parabola
    assert pinion.flank_removal(13e-3, 7e-3) == pytest.approx(-1e-6 * surface(13.0, 7.0), abs=5e-10)
    assert cli.main([*command, "--out", str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "numbers", "four"),
    [
        ([], (0, 3), 3),
        (["--reverse"], (0, 20), 20),
        (["--first", "4"], (0, 20), 0),
        (["--first", "2", "--reverse"], (1, 21), 21),
    ],
)
def test_all_teeth_of_a_file(tmp_path: Path, options: list[str], numbers: tuple[int, ...], four: int, capsys) -> None:
    plain = profiles().replace("Zahn-Nr.: 4", "Zahn-Nr.: 1").replace("-", "").replace("ZahnNr", "Zahn-Nr")
    path, out = write(tmp_path, HEADER + profiles() + plain), tmp_path / "flank.csv"
    case = MESHES / "e_axle_stage.toml"
    command = ["convert-flank", str(path), str(case), "--gear", "pinion", "--flank", "left", "--out", str(out)]
    assert cli.main([*command, "--tooth", "all", *options]) == 0
    assert "2 of 23 teeth" in capsys.readouterr().err
    table = '[pinion.flank.topography]\nfile = "flank.csv"\nsign = "metal-positive"\n'
    text = case.read_text() + table
    with pytest.raises(ValueError, match=r"topography of tooth \d = missing.*other_teeth"):
        ag.Case.from_bytes(text.encode(), tmp_path / "case.toml")
    text += 'other_teeth = "nearest"\n'
    micro = ag.Case.from_bytes(text.encode(), tmp_path / "case.toml").pair.pinion.microgeometry
    assert micro.topography.numbers == numbers
    single = micro.topography.flanks[numbers.index(four)]
    points = MkaFile.read(path).points(gear(), tooth=4, flank="left")
    one = ag.Topography.from_points(*points, sign="metal-positive")
    np.testing.assert_allclose(single.removal_at(13e-3, 7e-3), one.removal_at(13e-3, 7e-3), atol=1e-9)
    other = micro.topography.flanks[1 - numbers.index(four)]
    assert abs(other.removal_at(13e-3, 7e-3) - single.removal_at(13e-3, 7e-3)) > 1e-6


def test_options_of_all_teeth_are_refused_with_one(tmp_path: Path, capsys) -> None:
    path, case = write(tmp_path, HEADER + profiles()), MESHES / "e_axle_stage.toml"
    command = ["convert-flank", str(path), str(case), "--gear", "pinion", "--flank", "left", "--tooth", "4"]
    assert cli.main([*command, "--reverse", "--out", str(tmp_path / "f.csv")]) == 2
    assert "--reverse" in capsys.readouterr().err
    assert not (tmp_path / "f.csv").exists()
