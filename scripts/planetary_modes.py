"""Draw the modes of the planetary set of Lin and Parker (1999): the members turn, are displaced, or planets alone move.

python scripts/planetary_modes.py --planets 4 --out modes.png --gif mode.gif --mode 6
"""

import argparse
import sys
from math import pi
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.axes import Axes

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "validation" / "planetary_modes"))
from run import PLANETS, kinds_of, modes_of, teeth_of

COLOURS = {"ring": "tab:grey", "carrier": "tab:green", "sun": "tab:orange", "planet": "tab:blue"}


def bodies(n: int) -> dict[str, tuple[np.ndarray, float, str]]:
    """Centre (2,) [m], drawn radius [m] and colour by member; the carrier is the polygon of its pins."""
    teeth = teeth_of(n)
    a_w, half_module = teeth.pin_radii["planet"], 0.5 * teeth.m_n
    found = {
        "ring": (np.zeros(2), half_module * teeth.ring, COLOURS["ring"]),
        "carrier": (np.zeros(2), a_w, COLOURS["carrier"]),
        "sun": (np.zeros(2), half_module * teeth.sun, COLOURS["sun"]),
    }
    for i in range(n):
        place = a_w * np.array([np.cos(2.0 * pi * i / n), np.sin(2.0 * pi * i / n)])
        found[f"set planet {i + 1}"] = (place, half_module * teeth.planets[0], COLOURS["planet"])
    return found


def outline(n: int, body: str, radius: float, turned: float) -> np.ndarray:
    """Points (2, m) of a member about its centre: a circle with a radius that shows its rotation, or the pins."""
    if body == "carrier":
        angles = turned + 2.0 * pi * np.arange(n + 1) / n
        return radius * np.array([np.cos(angles), np.sin(angles)])
    angles = turned + np.linspace(0.0, 2.0 * pi, 121)
    circle = radius * np.array([np.cos(angles), np.sin(angles)])
    return np.hstack([circle, np.zeros((2, 1))])


def draw(axes: Axes, n: int, shape: dict[str, float], size: float) -> None:
    """Draw all members at rest, thin, and displaced by `size` times the shape."""
    for body, (centre, radius, colour) in bodies(n).items():
        moved = centre + size * np.array([shape[f"{body} x"], shape[f"{body} y"]])
        for at, turned, style in (
            (centre, 0.0, {"linewidth": 0.6, "alpha": 0.5}),
            (moved, size * shape[body], {"linewidth": 1.8}),
        ):
            points = at[:, None] + outline(n, body, radius, turned)
            axes.plot(*points, color=colour, **style)
    reach = 1.1 * (bodies(n)["ring"][1] + 0.2 * bodies(n)["carrier"][1])
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    axes.axis("off")


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planets", type=int, default=4, choices=PLANETS)
    parser.add_argument("--out", default="planetary_modes.png", help="PNG with all modes of different frequencies")
    parser.add_argument("--gif", help="animation of one mode")
    parser.add_argument("--mode", type=int, default=2, help="number of the mode of the animation, from 1")
    given = parser.parse_args()
    n = given.planets
    modes = modes_of(n)
    kinds, frequencies = kinds_of(modes), modes.frequencies / (2.0 * pi)
    a_w = teeth_of(n).pin_radii["planet"]

    def shape_of(i: int) -> tuple[dict[str, float], float]:
        """The mode by coordinate, and the factor that makes its largest motion a fifth of the radius of the pins."""
        shape = dict(zip(modes.names, np.real(modes.shapes[:, i]), strict=True))
        largest = max(
            max(abs(shape[f"{body} x"]), abs(shape[f"{body} y"]), radius * abs(shape[body]))
            for body, (_, radius, _) in bodies(n).items()
        )
        return shape, 0.2 * a_w / largest

    single = [i for i in range(len(kinds)) if i == 0 or abs(frequencies[i] / frequencies[i - 1] - 1.0) > 1e-6]
    columns = 5
    rows = -(-len(single) // columns)
    figure, panels = plt.subplots(rows, columns, figsize=(3.0 * columns, 3.2 * rows), squeeze=False)
    for panel in panels.flat:
        panel.axis("off")
    for panel, i in zip(panels.flat, single, strict=False):
        draw(panel, n, *shape_of(i))
        times = sum(np.isclose(frequencies, frequencies[i], rtol=1e-6, atol=1e-2))
        panel.set_title(f"{frequencies[i]:.1f} Hz, {kinds[i]}" + (f" ({times} times)" if times > 1 else ""), fontsize=9)
        print(f"{frequencies[i]:9.1f} Hz  {kinds[i]:13}  {times} times")
    figure.suptitle(f"Planetary set of Lin and Parker (1999), {n} planets")
    figure.tight_layout()
    figure.savefig(given.out, dpi=110)
    if given.gif:
        figure, axes = plt.subplots(figsize=(5, 5))
        shape, size = shape_of(given.mode - 1)

        def frame(k: int) -> list[object]:
            axes.clear()
            draw(axes, n, shape, size * np.sin(2.0 * pi * k / 24))
            axes.set_title(f"{frequencies[given.mode - 1]:.1f} Hz, {kinds[given.mode - 1]}")
            return []

        FuncAnimation(figure, frame, frames=24).save(given.gif, writer=PillowWriter(fps=12))


if __name__ == "__main__":
    main()
