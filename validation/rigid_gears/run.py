"""Rigid gears in space beside another program, a paper, hand statics and closed forms.

    python validation/rigid_gears/run.py

prints the tables of README.md and draws its pictures (two minutes). Without the file of the other program, in
`../shared/reference` from the project, that comparison is left out.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import cardona  # noqa: E402
import rigid_ratio  # noqa: E402
import sliding_teeth  # noqa: E402
import transmission  # noqa: E402

from alegear.view.colours import COLOURS  # noqa: E402

RHO = (0.9, 0.8, 0.5)
SHOWN = 0.8  # of the response that is drawn
FRICTION = 0.05
BACK = (0.05, 0.1, 0.2, 0.25)  # coefficients of friction, two below self-locking
LOAD, LEAST = 50.0, 1e-4  # N m on the wheel of the worm, m/s


def ratios() -> dict[str, rigid_ratio.Motion]:
    """Print how far the ratio of ten is off; 5 s of the internal pair, a period of the others."""
    h, omega = rigid_ratio.STEP, rigid_ratio.OMEGA
    print(f"\n| ratio of ten, h = {1e3 * h:g} ms, (omega h)^2/12 = {(omega * h) ** 2 / 12:.1e} | angle | speed |")
    print("|---|---|---|")
    found = {}
    for kind in rigid_ratio.PAIRS:
        motion = found[kind] = rigid_ratio.move(kind, 5.0 if kind == "internal" else 1.0)
        turns = rigid_ratio.RATIO * abs(motion.angle[-1]) / (2.0 * np.pi)
        angle, speed = motion.off()
        print(f"| {kind}, {motion.t[-1]:.0f} s, pinion {turns:.1f} turns - closed form | {angle:.1e} | {speed:.1e} |")
        if kind == "internal" and rigid_ratio.REFERENCE.exists():
            angle, speed = rigid_ratio.from_file(motion)
            print(f"| {kind} - Dymola | {angle:.1e} | {speed:.1e} |")
    return found


def mechanisms() -> None:
    """Print forces at rest beside those by hand."""
    print("\n| at rest | here | by hand | printed | off |\n|---|---|---|---|---|")
    for row in (*cardona.bevel_rows(), *cardona.wheel_rows(), *cardona.rack_rows()):
        here, hand = (", ".join(f"{v:.6g}" for v in np.atleast_1d(one)) for one in (row.here, row.by_hand))
        print(f"| {row.what} | {here} | {hand} | {row.printed} | {row.off:.0e} |")


def transmissions() -> tuple[transmission.Response, dict[float, np.ndarray]]:
    """Print statics, modes, the response and the numerical oscillation of section 10.4."""
    here, hand = transmission.statics(), transmission.statics_by_hand()
    print("\n| 10.4 at rest | here | by hand |\n|---|---|---|")
    for what in ("shafts", "teeth", "supports"):
        one, two = (np.ravel(getattr(each, what)) for each in (here, hand))
        print(f"| {what} | {_digits(one)} | {_digits(two)} |")
    print("\n| mode | frequency [rad/s] | small matrix | decay rate [1/s] | small matrix |\n|---|---|---|---|---|")
    modes, by_hand = transmission.modes(), transmission.modes_by_hand()
    for number, (one, two) in enumerate(zip(modes, by_hand, strict=True), 1):
        print(f"| {number} | {one[0]:.7g} | {two[0]:.7g} | {one[1]:.6g} | {two[1]:.6g} |")
    response = transmission.respond(transmission.swinging, 0.03, 1e-5, SHOWN)
    frequency, decay = transmission.first_frequency(response)
    print(f"\nfirst frequency of the response {frequency:.6g} rad/s, decay {decay:.4g} 1/s")
    print(f"mean tooth force {response.teeth.mean():.5g} N; energy missing {response.missing:.1e}")
    print("\n| rho_inf | decay of the numerical oscillation per step | not fitted |\n|---|---|---|")
    oscillations = {}
    for rho in RHO:
        oscillations[rho] = transmission.numerical_oscillation(rho)
        factor, left, _ = transmission.decay_of(oscillations[rho])
        print(f"| {rho} | {factor:.5f} | {left:.0e} |")
    return response, oscillations


def _digits(values: np.ndarray) -> str:
    return ", ".join(f"{v:.9g}" for v in values)


def sliding() -> None:
    """Print powers, efficiencies, and the worm that its wheel drives."""
    print("\n| pair, driver | power in - out, no friction | efficiency | closed form |\n|---|---|---|---|")
    for kind in sliding_teeth.PAIRS:
        for driver in (0, 1):
            ideal = sliding_teeth.driven(kind, driver)
            lossy = sliding_teeth.driven(kind, driver, friction=FRICTION)
            row = (abs(ideal.into - ideal.out) / ideal.into, lossy.out / lossy.into)
            print(f"| {kind}, {'ab'[driver]} | {row[0]:.0e} | {row[1]:.9f} | ", end="")
            print(f"{sliding_teeth.efficiency(kind, FRICTION, driver):.9f} |")
    print(f"\nworm locks from {sliding_teeth.LOCKS:.4f}")
    print(
        "\n| friction | sliding at 50 ms [m/s] | creep | acceleration [rad/s2] | closed form |\n|---|---|---|---|---|"
    )
    for friction in BACK:
        back = sliding_teeth.driven_back(friction, LOAD, least_sliding=LEAST)
        locked = friction > sliding_teeth.LOCKS
        creep = f"{sliding_teeth.creep(friction, LEAST):.5e}" if locked else ""
        fast = "0" if locked else f"{sliding_teeth.acceleration_back(friction, LOAD):.6f}"
        print(f"| {friction} | {back.sliding:.5e} | {creep} | {back.acceleration:.6f} | {fast} |")


# ------------------------------------------------------------------------------------ pictures
def draw_ratio(motions: dict[str, rigid_ratio.Motion], path: Path) -> None:
    """Speeds and angles, and how far they are off."""
    figure, (left, right) = _figure(1, 2, 10.0, 3.4)
    long = motions["internal"]
    angle, speed = rigid_ratio.closed_form(long.t)
    left.plot(long.t, np.abs(long.speed), color=COLOURS[0], label="speed of the second shaft in rad/s")
    left.plot(long.t, np.abs(long.angle), color=COLOURS[1], label="its angle in rad")
    left.plot(long.t, speed, "k:", long.t, angle, "k:", linewidth=1.0)
    left.set(xlabel="time in s", title="internal pair (dotted: closed form)")
    left.legend()
    for number, (kind, motion) in enumerate(motions.items()):
        off = np.abs(np.abs(motion.speed) - rigid_ratio.closed_form(motion.t)[1])
        right.semilogy(motion.t, np.maximum(off, 1e-12), color=COLOURS[number], label=kind, linewidth=3.0 - number)
    right.set(xlabel="time in s", ylabel="rad/s", title="speed - closed form", xlim=(0.0, 1.0))
    right.legend()
    figure.savefig(path, dpi=110)


def draw_response(response: transmission.Response, path: Path) -> None:
    """As figures 11 to 13 of the paper: torques of the shafts, forces of the supports, tooth force."""
    figure, ((one, two), (across, along), (teeth, near)) = _figure(3, 2, 10.0, 8.0)
    ms = 1e3 * response.t
    for axes, number in ((one, 0), (two, 1)):
        axes.plot(ms, response.shafts[:, number], color=COLOURS[number], linewidth=0.9)
        axes.set(title=f"torque of shaft {number + 1}", ylabel="N m")
    for axes, direction, words in ((across, 0, "horizontal"), (along, 1, "vertical")):
        for wheel in (0, 1):
            force, words_of = response.supports[:, wheel, direction], ("on wheel 1", "on wheel 2, reversed")
            style = {"color": COLOURS[wheel], "linestyle": ("-", ":")[wheel], "label": words_of[wheel]}
            axes.plot(ms, force if wheel == 0 else -force, linewidth=0.9, **style)
        axes.set(title=f"{words} force of the supports", ylabel="N")
        axes.legend(loc="lower right", fontsize="small", framealpha=0.6)
    teeth.plot(ms, response.teeth, color=COLOURS[2], linewidth=0.9)
    near.plot(ms, response.teeth, ".-", color=COLOURS[2], markersize=3.0)
    near.set(xlim=(0.5, 3.0), title="normal force of the teeth, beginning", xlabel="time in ms", ylabel="N")
    teeth.set(title="normal force of the teeth", xlabel="time in ms", ylabel="N")
    figure.savefig(path, dpi=110)


def draw_oscillations(oscillations: dict[float, np.ndarray], path: Path) -> None:
    """The numerical oscillation by steps, and its size beside what is fitted."""
    figure, (left, right) = _figure(1, 2, 10.0, 3.4)
    for number, (rho, wave) in enumerate(oscillations.items()):
        n = np.arange(1, len(wave) + 1)
        factor, _, fitted = transmission.decay_of(wave)
        left.plot(n, wave, ".-", color=COLOURS[number], linewidth=0.8, label=f"rho_inf = {rho}")
        right.semilogy(n, np.abs(wave), ".", color=COLOURS[number], markersize=4.0, label=f"r = {factor:.6f}")
        right.semilogy(n[1:], np.abs(fitted), "-", color=COLOURS[number], linewidth=0.8)
    left.set(xlabel="step", ylabel="N", title="tooth force after a wrong acceleration", xlim=(0, 45))
    right.set(xlabel="step", title="its size, and (c0 + c1 n + c2 n^2) (-r)^n fitted", ylim=(1e-4, 1e3))
    left.legend()
    right.legend()
    figure.savefig(path, dpi=110)


def _figure(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns)


def main() -> None:
    """Print the tables and draw the pictures."""
    motions = ratios()
    draw_ratio(motions, HERE / "ratio_ten.png")
    mechanisms()
    response, oscillations = transmissions()
    draw_response(response, HERE / "transmission.png")
    draw_oscillations(oscillations, HERE / "numerical_oscillation.png")
    sliding()


if __name__ == "__main__":
    main()
