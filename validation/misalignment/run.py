"""Load over the face of a misaligned spur pair 20/30 beside the estimate of ISO 6336-1, method C.

``python validation/misalignment/run.py`` computes ``case.toml`` at several torques and with both signs of the tilt,
prints the tables of README.md and draws ``misalignment.png`` (half a minute).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import alegear as ag
from alegear.geometry import Alignment

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "mesh_stiffness")]
import iso6336  # noqa: E402
from checks import Row, alone  # noqa: E402
from coarse import GRID, coarse  # noqa: E402

Array = NDArray[np.float64]

TORQUES = (50.0, 100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0)  # N m
SHOWN = (100.0, 400.0, 1600.0)
SLICES = (10, 16, 24, 48)
SYMMETRIC = 1e-8  # of the largest line load


def with_tilt(case: ag.Case, tilt: float) -> ag.Case:
    """The case with another tilt in the plane of action [rad]."""
    return replace(case, pair=case.pair.with_alignment(Alignment(tilt_plane_of_action=tilt)))


def with_torque(case: ag.Case, torque: float) -> ag.Case:
    """The case under another torque of the pinion [N m]."""
    return replace(case, operation=replace(case.operation, pinion_torque=torque))


@dataclass(frozen=True, kw_only=True, eq=False)
class PitchPoint:
    """Slices z [mm], line load of pair 0 [N/mm], its share of the load of all pairs, mesh stiffness [N/(mm um)]."""

    z: Array
    line_load: Array
    share: float
    stiffness: float

    @property
    def mean(self) -> float:
        """Mean line load [N/mm]."""
        return float(self.line_load.mean())

    @property
    def face_load_factor(self) -> float:
        """K_Hbeta, largest over mean line load of the slices."""
        return float(self.line_load.max()) / self.mean


def at_pitch_point(case: ag.Case) -> PitchPoint:
    """Compute a case and look at the position nearest to the pitch point."""
    data = ag.run(case).dataset
    here = data.isel(position=int(np.abs(data.phase.values).argmin()))
    return PitchPoint(
        z=1e3 * data["slice"].values,
        line_load=1e-3 * here.line_load.sel(pair=0).values,
        share=float(here.tooth_load.sel(pair=0) / here.tooth_load.sum("pair")),
        stiffness=1e-9 * float(here.mesh_stiffness) / case.pair.b_w,
    )


def tilt_stiffness(case: ag.Case, tilted: PitchPoint, aligned: PitchPoint) -> float:
    """Stiffness against the tilt [N/(mm um)]: slope of the load the tilt has moved over that of the misalignment."""
    moved = tilted.line_load - aligned.line_load * tilted.mean / aligned.mean
    return float(abs(np.polyfit(tilted.z, moved, 1)[0]) * 1e3 * case.pair.b_w / misalignment(case))


def misalignment(case: ag.Case) -> float:
    """F_beta [um]: what the tilt opens over the face."""
    return 1e6 * case.pair.b_w * math.tan(abs(case.pair.alignment.tilt_plane_of_action))


def asymmetry(case: ag.Case) -> float:
    """Largest difference between the load under a tilt and the mirrored load under its opposite, over the largest."""
    tilt = case.pair.alignment.tilt_plane_of_action
    plus, minus = (at_pitch_point(one).line_load for one in (case, with_tilt(case, -tilt)))
    return float(np.abs(plus - minus[::-1]).max() / plus.max())


def iso_c_gamma_beta(case: ag.Case) -> float:
    """0.85 c_gamma_alpha of a solid spur pair [N/(mm um)]."""
    return 0.85 * iso6336.mesh_stiffness(iso6336.stiffness_of(case.pair), case.pair.eps_alpha)


def iso_estimate(case: ag.Case) -> float:
    """K_Hbeta of ISO 6336-1 method C for the tilt alone: no running-in, K_A = K_V = 1."""
    F_t = case.operation.pinion_torque / case.pair.pinion.r
    return iso6336.face_load_factor(misalignment(case), iso_c_gamma_beta(case), 1e-3 * F_t / case.pair.b_w)


def draw(found: dict[float, tuple[Array, Array]], factors: dict[str, list[float]]) -> None:
    """Left the line load over the face, right the face load factor over the torque."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
    for torque, (z, q) in found.items():
        if torque in SHOWN:
            left.plot(z, q / q.mean(), ".-", lw=1.2, label=f"{torque:g} N m, mean {q.mean():.0f} N/mm")
    left.axhline(1.0, color="0.6", lw=1)
    left.set_xlabel("z [mm]")
    left.set_ylabel("line load over its mean")
    left.legend(fontsize=8)
    for (name, values), style in zip(factors.items(), ("o-", "k--"), strict=True):
        right.semilogx(list(found), values, style, ms=4, lw=1.2, label=name)
    right.set_xlabel("torque of the pinion [N m]")
    right.set_ylabel("face load factor K_Hβ")
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(HERE / "misalignment.png", dpi=100)


def rows(quick: bool) -> Iterator[Row]:
    """Change of sign, and K_Hbeta beside ISO over the torque; in the quick form on a coarse grid."""
    case = ag.Case.from_toml(HERE / "case.toml")
    if quick:
        case = coarse(case, replace(GRID, width_elements=6))
    yield Row(
        quantity="line load under the tilt less the mirrored one under the opposite tilt, over the largest",
        value=asymmetry(case),
        kind="at most",
        bound=SYMMETRIC,
        source="symmetry",
    )
    found: dict[float, tuple[Array, Array]] = {}
    factors: dict[str, list[float]] = {"line contact on finite elements": [], "ISO 6336-1, method C": []}
    for torque in (400.0,) if quick else TORQUES:
        one = with_torque(case, torque)
        tilted = at_pitch_point(one)
        found[torque] = tilted.z, tilted.line_load
        K, iso = tilted.face_load_factor, iso_estimate(one)
        for values, value in zip(factors.values(), (K, iso), strict=True):
            values.append(value)
        yield Row(
            quantity=f"K_Hbeta, 0.05 deg in the plane of action, {torque:g} N m",
            value=K,
            reference=iso,
            source="ISO 6336-1, method C; why they differ: README",
        )
        if not quick:
            print_row(one, tilted, at_pitch_point(with_tilt(one, 0.0)))
    if quick:
        return
    draw(found, factors)
    print_slices(case)


def print_slices(case: ag.Case) -> None:
    """Print the table of README.md over the number of slices, of the case and of the aligned pair."""
    print("\n| slices | K_Hbeta at 400 N m | its slice from the end [mm] | last slice | K_Hbeta aligned | last slice |")
    print("|---" * 6 + "|")
    for n in SLICES:
        sliced = replace(case, slices=n)
        tilted, aligned = (at_pitch_point(one) for one in (sliced, with_tilt(sliced, 0.0)))
        from_end = 0.5e3 * case.pair.b_w - abs(tilted.z[tilted.line_load.argmax()])
        ends = [max(found.line_load[0], found.line_load[-1]) / found.mean for found in (tilted, aligned)]
        cells = (f"{tilted.face_load_factor:.3f}", f"{from_end:.2f}", f"{ends[0]:.3f}")
        print(f"| {n} | {' | '.join(cells)} | {aligned.face_load_factor:.3f} | {ends[1]:.3f} |", flush=True)


def print_row(case: ag.Case, tilted: PitchPoint, aligned: PitchPoint) -> None:
    """Print a row of the table of README.md."""
    K, iso = tilted.face_load_factor, iso_estimate(case)
    touching = float(np.mean(tilted.line_load > 0.0))
    against = f"{tilt_stiffness(case, tilted, aligned):.1f}" if touching == 1.0 else ""
    print(
        f"| {case.operation.pinion_torque:g} | {tilted.mean:.1f} | {tilted.share:.3f} | {100 * touching:.0f} % "
        f"| {K:.2f} | {iso:.2f} | {100 * (iso / K - 1):+.0f} % | {aligned.face_load_factor:.3f} "
        f"| {aligned.stiffness:.1f} | {against} |",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
