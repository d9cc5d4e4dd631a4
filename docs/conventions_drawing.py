"""Draw ``docs/pictures/conventions.svg``: frame, phase and signs, with the true profiles of the pair 20/30."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import alegear as ag

OUT = Path(__file__).resolve().parent / "pictures" / "conventions.svg"
PINION, WHEEL, FORCE, GREY = "#2c5f8a", "#8a5a2c", "#b02020", "0.5"


def outline(gear: ag.Gear, first: float, teeth: range) -> np.ndarray:
    """Return points (n, 2) [mm] of some teeth about their own axis, the middle of tooth 0 at the angle `first`."""
    profile = gear.tooth_profile
    half = profile.points(np.linspace(profile.s_root, profile.s_tip, 20)) @ [1.0, 1.0j]
    tooth = np.concatenate([half.conj(), half[::-1]])  # from the lower space over the tip to the upper one
    turned = np.concatenate([tooth * np.exp(1j * (first + 2.0 * np.pi * k / gear.z)) for k in teeth])
    return 1e3 * np.column_stack([turned.real, turned.imag])


def arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    """Draw an arrow."""
    ax.annotate(
        "", end, start, arrowprops={"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": colour, "lw": 1.3}
    )


def circle(ax: Axes, centre: float, radius: float, span: tuple[float, float], colour: str, style: str) -> None:
    """Draw an arc, from and to angles in degrees."""
    angle = np.radians(np.linspace(*span, 60))
    ax.plot(centre + radius * np.cos(angle), radius * np.sin(angle), style, color=colour, lw=0.8)


def turning(ax: Axes, centre: float, radius: float, span: tuple[float, float], colour: str) -> None:
    """Draw the sense of a rotation."""
    circle(ax, centre, radius, span, colour, "-")
    angle = np.radians([span[1] - np.sign(span[1] - span[0]) * 6.0, span[1]])
    x, y = centre + radius * np.cos(angle), radius * np.sin(angle)
    arrow(ax, (float(x[0]), float(y[0])), (float(x[1]), float(y[1])), colour)


def transverse(ax: Axes) -> None:
    """Frame, rotation, torque, line of action; pair 0 at the pitch point, phase 0."""
    pinion = ag.Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3)
    wheel = ag.Gear(z=30, m_n=4e-3, x=-0.2, b=30e-3, bore_diameter=54.2e-3)
    pair = ag.GearPair(pinion=pinion, wheel=wheel)
    a, alpha, r = 1e3 * pair.a_w, pair.alpha_wt, (40.0, 60.0)
    first = -pinion.s_at(1e-3 * r[0]) / (2e-3 * r[0])
    second = np.pi - wheel.s_at(1e-3 * r[1]) / (2e-3 * r[1])
    one, other = outline(pinion, first, range(-3, 6)), outline(wheel, second, range(-6, 6))
    ax.plot(one[:, 0], one[:, 1], color=PINION, lw=1.2)
    ax.plot(a + other[:, 0], other[:, 1], color=WHEEL, lw=1.2)
    circle(ax, 0.0, 1e3 * pinion.r_b, (-75, 90), PINION, ":")
    circle(ax, a, 1e3 * wheel.r_b, (110, 250), WHEEL, ":")
    along = np.array([np.sin(alpha), np.cos(alpha)])
    pitch_point = np.array([r[0], 0.0])
    ends = [pitch_point - r[0] * np.sin(alpha) * along, pitch_point + r[1] * np.sin(alpha) * along]
    ax.plot(*np.transpose(ends), color=FORCE, lw=0.9)
    start, end = pitch_point, pitch_point + 17.0 * along
    arrow(ax, tuple(start), tuple(end), FORCE)
    ax.annotate(
        "force on the wheel\nalong the line of action",
        end,
        (72.0, 26.0),
        color=FORCE,
        arrowprops={"arrowstyle": "-", "color": FORCE, "lw": 0.8},
    )
    ax.plot(*pitch_point, "o", color=FORCE, ms=4)
    ax.annotate(
        "pitch point C",
        pitch_point,
        (62.0, -10.0),
        color=FORCE,
        arrowprops={"arrowstyle": "-", "color": FORCE, "lw": 0.8},
    )
    for centre, name, colour in ((0.0, "pinion", PINION), (a, "wheel", WHEEL)):
        ax.plot(centre, 0.0, "+", color=colour, ms=10)
        ax.text(centre, -7, name, color=colour, ha="center", va="top")
    turning(ax, 0.0, 21.0, (-40, 60), PINION)
    ax.text(8, 25, "speed", color=PINION, ha="center")
    turning(ax, a, 30.0, (-50, -130), WHEEL)
    turning(ax, a, 22.0, (-120, -60), FORCE)
    ax.text(a, -33, "speed", color=WHEEL, ha="center", va="top")
    ax.text(a, -20, "load", color=FORCE, ha="center", va="bottom")
    arrow(ax, (0.0, 0.0), (16.0, 0.0), "black")
    arrow(ax, (0.0, 0.0), (0.0, 16.0), "black")
    ax.text(17, 1, "x", va="bottom")
    ax.text(-3, 15, "y", ha="right")
    ax.text(-3, 2, "z ⊙", ha="right")
    ax.text(34.0, 40.0 * np.sin(first) - 1.5, "pair 0", color=PINION, ha="right")
    ax.annotate(
        "pair 1, the next\nto come into mesh",
        (37.0, 40.0 * np.sin(first - 2.0 * np.pi / 20)),
        (15.0, -26.0),
        color=PINION,
        ha="right",
        va="center",
        arrowprops={"arrowstyle": "-", "color": PINION, "lw": 0.8},
    )
    ax.set_aspect("equal")
    ax.set(xlim=(-14, 134), ylim=(-42, 50), title="Frame and running direction, phase 0")
    ax.axis("off")


def lag(ax: Axes) -> None:
    """Transmission error over the phase: negative under load, least where two pairs carry."""
    phase = np.linspace(-0.5, 0.5, 200)
    single = 0.5 * (np.tanh((phase + 0.2) / 0.02) - np.tanh((phase - 0.2) / 0.02))
    error = -16.0 - 8.0 * single
    ax.axhline(0.0, color="black", lw=0.8)
    ax.plot(phase, error, color=PINION)
    arrow(ax, (-0.4, 0.0), (-0.4, -16.0), FORCE)
    ax.text(-0.38, -8, "lag of the driven gear:\nnegative", color=FORCE, va="center")
    ax.text(0.0, -22.5, "one pair carries", ha="center", color=GREY)
    ax.text(0.36, -14.5, "two pairs", ha="center", color=GREY)
    ax.set(ylim=(-27, 3), xlabel="phase [pitches]", title="Transmission error")
    ax.set_ylabel(r"$r_{b2}\,\vartheta_2 - r_{b1}\,\vartheta_1$ [um], pinion drives")


def across(ax: Axes) -> None:
    """Plane of action from above: tilt, helix slope, crowning, over the face."""
    z = np.linspace(-15.0, 15.0, 37)
    shifts = (0.0, -17.0, -34.0, -51.0)
    ax.fill_between(z, 4.0, 9.0, color=WHEEL, alpha=0.25, lw=0)
    lines = {
        "tilt_plane_of_action > 0:\nthe gap closes at +z": -z / 5.0,
        "helix_slope > 0:\nremoves at +z, adds at -z": z / 5.0,
        "lead_crowning > 0:\nremoves at both ends": 3.0 * (z / 15.0) ** 2,
        "end_relief > 0": 3.0 * np.clip((abs(z) - 10.0) / 5.0, 0.0, 1.0),
    }
    for shift, (words, gap) in zip(shifts, lines.items(), strict=True):
        top = shift + 4.0
        if shift:
            ax.fill_between(z, top, top + 5.0, color=WHEEL, alpha=0.25, lw=0)
        ax.fill_between(z, shift - 6.0, shift - gap, color=PINION, alpha=0.35, lw=0)
        ax.plot(z, shift - gap, color=PINION, lw=1.2)
        ax.plot(z, np.full_like(z, top), color=WHEEL, lw=1.2)
        ax.text(17.5, shift + 1.0, words, va="center")
    arrow(ax, (-15.0, -61.0), (16.0, -61.0), "black")
    ax.text(16.5, -61.0, "z", va="center")
    ax.text(0.0, 6.4, "wheel", color=WHEEL, ha="center", va="center")
    ax.text(0.0, -3.4, "pinion", color=PINION, ha="center", va="center")
    ax.set(xlim=(-16, 52), ylim=(-63, 11), title="Across the face, seen along the plane of action")
    ax.axis("off")


def profile(ax: Axes) -> None:
    """Removal over the roll length: positive is material removed."""
    roll = np.linspace(4.3, 24.4, 68)
    share = (roll - roll[0]) / (roll[-1] - roll[0])
    curves = {
        "tip_relief = 20 um, from d = 86 mm": 20.0 * np.clip((roll - 20.9) / (24.4 - 20.9), 0.0, 1.0),
        "root_relief = 10 um": 10.0 * np.clip((9.0 - roll) / (9.0 - 4.3), 0.0, 1.0),
        "profile_slope = 6 um": 6.0 * share,
        "profile_crowning = 4 um": 4.0 * (2.0 * share - 1.0) ** 2,
    }
    for (words, removed), colour in zip(curves.items(), (FORCE, WHEEL, PINION, "#3a7a3a"), strict=True):
        ax.plot(roll, removed, color=colour, label=words)
    ax.axhline(0.0, color="black", lw=0.8)
    ax.text(5.0, 1.0, "root", color=GREY)
    ax.text(23.2, 1.0, "tip", color=GREY)
    ax.legend(frameon=False, fontsize=8)
    ax.set(
        ylim=(-3, 22), xlabel="roll length on the flank [mm]", ylabel="material removed [um]", title="Along the profile"
    )


def draw() -> Figure:
    """Return the whole drawing."""
    figure = Figure(figsize=(10.0, 8.4), layout="constrained")
    upper, lower = figure.subplots(2, 2, gridspec_kw={"height_ratios": (1.0, 0.95), "width_ratios": (1.25, 1.0)})
    transverse(upper[0])
    lag(upper[1])
    across(lower[0])
    profile(lower[1])
    return figure


if __name__ == "__main__":
    with rc_context({"font.size": 9.0, "axes.titlesize": 10.0, "svg.fonttype": "none", "svg.hashsalt": "alegear"}):
        draw().savefig(OUT, metadata={"Date": None})
