"""Draw modes of the planetary set of Lin and Parker (1999): the members turn, are displaced, or planets alone move.

    python scripts/planetary_modes.py --planets 4 --mode 1 --mode 11 --out FOLDER [--gif]

The set is `meshes/planetary_lin_parker.toml` with so many planets: its modal study is run into FOLDER, the modes are
listed, and those that are asked for are drawn where they are displaced most; with --gif each moves through a period.
"""

import argparse
import sys
from pathlib import Path

import alegear as ag
from alegear.scene.planet_modes import show, write_animation

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "validation" / "planetary_modes"))
from run import PLANETS, case_with


def main() -> None:
    """Compute, list and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planets", type=int, default=4, choices=PLANETS)
    parser.add_argument("--out", type=Path, default=Path("planetary_modes"), help="folder (planetary_modes, here)")
    parser.add_argument("--mode", type=int, action="append", help="number of a mode to draw, from 1 (1); several times")
    parser.add_argument("--gif", action="store_true", help="an animation of each of them, too")
    given = parser.parse_args()
    modes = ag.run(case_with(given.planets), given.out).dataset
    for number, frequency, kind in zip(
        modes["mode"].to_numpy(), modes["frequency"].to_numpy(), modes["kind"].to_numpy()[:, 0], strict=True
    ):
        print(f"{number:3d} {frequency:9.1f} Hz  {kind}")
    for number in given.mode or [1]:
        show(given.out, screenshot=given.out / f"mode_{number}.png", mode=number)
        if given.gif:
            write_animation(given.out, given.out / f"mode_{number}.gif", mode=number)
    print(f"pictures in {given.out}")


if __name__ == "__main__":
    main()
