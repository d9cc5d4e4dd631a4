"""Rigid gears in space beside another program, a paper, hand statics and closed forms.

    python validation/rigid_gears/run.py

prints the tables of README.md and draws its pictures (two minutes). Without the file of the other program, in
`../shared/reference` from the project, that comparison is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import cardona  # noqa: E402
import rigid_ratio  # noqa: E402
import sliding_teeth  # noqa: E402
import transmission  # noqa: E402
from checks import Row, alone, worst  # noqa: E402

from alegear.pictures.colours import COLOURS  # noqa: E402

RHO = (0.9, 0.8, 0.5)
SHOWN = 0.8  # of the response that is drawn
FRICTION = 0.05
NEWTON = 1e-10  # of the iteration that finds equilibria
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


def print_modes() -> None:
    """Print the modes of section 10.4."""
    print("\n| mode | frequency [rad/s] | small matrix | decay rate [1/s] | small matrix |\n|---|---|---|---|---|")
    modes, by_hand = transmission.modes(), transmission.modes_by_hand()
    for number, (one, two) in enumerate(zip(modes, by_hand, strict=True), 1):
        print(f"| {number} | {one[0]:.7g} | {two[0]:.7g} | {one[1]:.6g} | {two[1]:.6g} |")


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
    left.plot(long.t, np.abs(long.speed), color=COLOURS[0], label="speed of the second shaft [rad/s]")
    left.plot(long.t, np.abs(long.angle), color=COLOURS[1], label="its angle [rad]")
    left.plot(long.t, speed, "k:", long.t, angle, "k:", linewidth=1.0)
    left.set(xlabel="time [s]", title="internal pair (dotted: closed form)")
    left.legend()
    for number, (kind, motion) in enumerate(motions.items()):
        off = np.abs(np.abs(motion.speed) - rigid_ratio.closed_form(motion.t)[1])
        right.semilogy(motion.t, np.maximum(off, 1e-12), color=COLOURS[number], label=kind, linewidth=3.0 - number)
    right.set(xlabel="time [s]", ylabel="speed [rad/s]", title="speed less closed form", xlim=(0.0, 1.0))
    right.legend()
    figure.savefig(path, dpi=110)


def draw_response(response: transmission.Response, path: Path) -> None:
    """As figures 11 to 13 of the paper: torques of the shafts, forces of the supports, tooth force."""
    figure, ((one, two), (across, along), (teeth, near)) = _figure(3, 2, 10.0, 8.0)
    ms = 1e3 * response.t
    for axes, number in ((one, 0), (two, 1)):
        axes.plot(ms, response.shafts[:, number], color=COLOURS[number], linewidth=0.9)
        axes.set(title=f"torque of shaft {number + 1}", ylabel="torque [N m]")
    for axes, direction, words in ((across, 0, "horizontal"), (along, 1, "vertical")):
        for wheel in (0, 1):
            force, words_of = response.supports[:, wheel, direction], ("on wheel 1", "on wheel 2, reversed")
            style = {"color": COLOURS[wheel], "linestyle": ("-", ":")[wheel], "label": words_of[wheel]}
            axes.plot(ms, force if wheel == 0 else -force, linewidth=0.9, **style)
        axes.set(title=f"{words} force of the supports", ylabel="force [N]")
        axes.margins(y=0.3)
        axes.legend(loc="upper right", ncols=2, fontsize="small", framealpha=0.9)
    teeth.plot(ms, response.teeth, color=COLOURS[2], linewidth=0.9)
    near.plot(ms, response.teeth, ".-", color=COLOURS[2], markersize=3.0)
    near.set(
        xlim=(0.5, 3.0), title="normal force of the teeth, beginning", xlabel="time [ms]", ylabel="normal force [N]"
    )
    teeth.set(title="normal force of the teeth", xlabel="time [ms]", ylabel="normal force [N]")
    figure.savefig(path, dpi=110)


def draw_oscillations(oscillations: dict[float, np.ndarray], path: Path) -> None:
    """The numerical oscillation by steps, and its size beside what is fitted."""
    figure, (left, right) = _figure(1, 2, 10.0, 3.4)
    for number, (rho, wave) in enumerate(oscillations.items()):
        n = np.arange(1, len(wave) + 1)
        factor, _, fitted = transmission.decay_of(wave)
        left.plot(n, wave, ".-", color=COLOURS[number], linewidth=0.8, label=f"rho_inf = {rho}")
        right.semilogy(n, np.abs(wave), ".", color=COLOURS[number], markersize=4.0, label=f"r = {factor:.4f}")
        right.semilogy(n[1:], np.abs(fitted), "-", color=COLOURS[number], linewidth=0.8)
    left.set(xlabel="step", ylabel="tooth force [N]", title="tooth force after a wrong acceleration", xlim=(0, 45))
    right.set(xlabel="step", title="its size, and (c0 + c1 n + c2 n^2) (-r)^n fitted", ylim=(1e-4, 1e3))
    left.legend()
    right.legend()
    figure.savefig(path, dpi=110)


def _figure(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns)


def rows(quick: bool) -> Iterator[Row]:
    """Ratio of ten, mechanisms at rest, a transmission, teeth that slide; in the quick form with longer steps."""
    if quick:
        # a part of the period with the steps that the other program's file asks for, all of it with longer ones
        given = dict.fromkeys(rigid_ratio.PAIRS, (1.0, 8.0 * rigid_ratio.STEP))
        given["internal"] = (0.6, rigid_ratio.STEP)
        motions = {kind: rigid_ratio.move(kind, *one) for kind, one in given.items()}
    else:
        motions = ratios()
        draw_ratio(motions, HERE / "ratio_ten.png")
    yield from ratio_rows(motions)
    yield from rows_at_rest()
    # longer steps leave out what the load excites at the end of the quick form
    response = transmission.respond(transmission.swinging, *((0.014, 4e-5) if quick else (0.03, 1e-5)), SHOWN)
    oscillations = {rho: transmission.numerical_oscillation(rho) for rho in RHO[:: 2 if quick else 1]}
    yield from rows_of_motion(response, 4e-5 if quick else 1e-5, oscillations)
    yield from sliding_rows(20 if quick else 40)
    if not quick:
        mechanisms()
        print_modes()
        sliding()
        draw_response(response, HERE / "transmission.png")
        draw_oscillations(oscillations, HERE / "numerical_oscillation.png")


def ratio_rows(motions: dict[str, rigid_ratio.Motion]) -> Iterator[Row]:
    """Angles and speeds of the second shaft."""
    for kind, motion in motions.items():
        # of a scheme of second order, numerical damping on top
        bound = 1.2 * (rigid_ratio.OMEGA * motion.t[0]) ** 2 / 12.0
        yield worst(
            f"ratio of ten by teeth, {kind}, largest difference over the largest value",
            [
                Row(quantity=what, value=off, kind="at most", bound=bound, source="closed form")
                for what, off in zip(("angle", "speed"), motion.off(), strict=True)
            ],
        )
    quantity, source = "ratio of ten by teeth, internal, largest difference over the largest value", "Dymola"
    if not rigid_ratio.REFERENCE.exists():
        value = max(motions["internal"].off())
        yield Row(quantity=quantity, value=value, kind="at most", source=source, missing=rigid_ratio.REFERENCE.name)
        return
    yield worst(
        quantity,
        [
            Row(quantity=what, value=off, kind="at most", bound=1e-5, source=source)
            for what, off in zip(("angle", "speed"), rigid_ratio.from_file(motions["internal"]), strict=True)
        ],
    )


def rows_at_rest() -> Iterator[Row]:
    """Forces of Cardona's mechanisms, statics and modes of his transmission."""
    every = [*cardona.bevel_rows(), *cardona.wheel_rows(), *cardona.rack_rows()]
    yield worst(
        "forces and positions of mechanisms at rest, largest difference over the largest value",
        [Row(quantity=r.what, value=r.off, kind="at most", bound=NEWTON, source="statics by hand") for r in every],
    )
    for one in every:
        if one.printed:
            yield Row(
                quantity=one.what,
                value=float(one.here),
                reference=float(one.printed),
                kind="absolute",
                unit="N",
                bound=0.5 * 10.0 ** (np.floor(np.log10(float(one.printed))) - 3),  # four digits are printed
                source="Cardona (1997), printed",
            )
    here, hand = transmission.statics(), transmission.statics_by_hand()
    # squares of the angle 1.7e-5 by which the line of centres turns
    for what, unit, bound in (("shafts", "N m", NEWTON), ("teeth", "N", NEWTON), ("supports", "N", 2e-9)):
        found, expected = (np.ravel(getattr(each, what)) for each in (here, hand))
        scale = float(np.abs(expected).max())
        yield worst(
            f"transmission at rest, {what}",
            [
                Row(quantity=f"{i}", value=a, reference=b, of=scale, unit=unit, bound=bound, source="statics by hand")
                for i, (a, b) in enumerate(zip(found.tolist(), expected.tolist(), strict=True), 1)
            ],
        )
    # forces at rest, T/(r d) = 122 N/m and tan 20 deg of it, stiffen supports of 1.477e7 N/m by 8e-6
    for column, (what, unit) in enumerate((("frequency", "rad/s"), ("decay rate", "1/s"))):
        yield worst(
            f"transmission, {what}",
            [
                Row(quantity=f"mode {i}", value=a, reference=b, unit=unit, bound=2e-5, source="a small matrix by hand")
                for i, (a, b) in enumerate(
                    zip(
                        transmission.modes()[:, column].tolist(),
                        transmission.modes_by_hand()[:, column].tolist(),
                        strict=True,
                    ),
                    1,
                )
            ],
        )


def rows_of_motion(
    response: transmission.Response, step: float, oscillations: dict[float, np.ndarray]
) -> Iterator[Row]:
    """First frequency, energy and mean force of the response; how numerical oscillations die out."""
    first = float(transmission.modes_by_hand()[0, 0])
    yield Row(
        quantity="transmission in motion, frequency of the first shaft's torque",
        value=transmission.first_frequency(response)[0],
        reference=first,
        unit="rad/s",
        bound=2.0 * (first * step) ** 2 / 12.0,  # the trapezoid's period, and the bound twice that
        source="a small matrix by hand",
    )
    yield Row(
        quantity="transmission in motion, energy missing",
        value=abs(response.missing),
        kind="at most",
        bound=1e-5,
        source="put in = lost + stored",
    )
    yield Row(
        quantity="transmission in motion, mean tooth force",
        value=float(response.teeth.mean()),
        reference=float(transmission.statics_by_hand().teeth),
        unit="N",
        bound=1e-2,  # it swings by 2 %
        source="statics by hand",
    )
    for rho, oscillation in oscillations.items():
        factor, left, _ = transmission.decay_of(oscillation)
        yield Row(
            quantity=f"decay per step of the numerical oscillation, rho_inf {rho}",
            value=factor,
            reference=rho,
            kind="absolute",
            bound=1e-5,
            source="generalized-alpha, triple root",
        )
        yield Row(
            quantity=f"part of the numerical oscillation that is not so, rho_inf {rho}",
            value=left,
            kind="at most",
            bound=1e-3,  # what the machine answers is not quite a cubic
            source="generalized-alpha, triple root",
        )


def sliding_rows(steps: int) -> Iterator[Row]:
    """Powers and efficiencies of teeth that slide; the worm that its wheel drives."""
    ideal, lossy = [], []
    for kind in sliding_teeth.PAIRS:
        for driver in (0, 1):
            name = f"{kind}, gear {driver + 1} drives"
            # round-off of the positions at the start is in the multipliers of the first steps: 40 are enough
            one = sliding_teeth.driven(kind, driver)
            missing = max(abs(one.into - one.out), abs(one.missing)) / one.into
            ideal.append(Row(quantity=name, value=missing, kind="at most", bound=1e-10, source="power in = out"))
            one = sliding_teeth.driven(kind, driver, friction=FRICTION, steps=steps)
            lossy.append(
                Row(
                    quantity=name,
                    value=one.out / one.into,
                    reference=sliding_teeth.efficiency(kind, FRICTION, driver),
                    kind="absolute",
                    bound=1e-9,
                    source="closed form",
                )
            )
    yield worst("teeth that slide without friction, power in less out, over it", ideal)
    yield worst("teeth that slide, efficiency", lossy)
    for friction in BACK:
        back = sliding_teeth.driven_back(friction, LOAD, least_sliding=LEAST)
        if friction < sliding_teeth.LOCKS:
            yield Row(
                quantity=f"worm driven back, friction {friction}: acceleration of the wheel",
                value=back.acceleration,
                reference=sliding_teeth.acceleration_back(friction, LOAD),
                unit="rad/s2",
                bound=2e-6,  # full friction is reached to (v_r/v)^2/2 = 2e-8
                source="closed form",
            )
        else:
            yield Row(
                quantity=f"locked worm, friction {friction}: creep of regularised friction",
                value=back.sliding,
                reference=sliding_teeth.creep(friction, LEAST),
                unit="m/s",
                bound=1e-6,
                source="closed form",
            )
            yield Row(
                quantity=f"locked worm, friction {friction}: turned in 50 ms",
                value=back.turned,
                kind="at most",
                unit="rad",
                bound=1e-4,  # where below self-locking it turns by 0.03
                source="self-locking",
            )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
