"""A pinion at the end of a shaft: static deflection and edge load against a beam, motion against the static study.

``python validation/soft_bearings/run.py`` computes ``case.toml`` at standstill and at 5 rpm and as a static study, with
shafts of several lengths; it prints the tables of README.md and draws ``soft_bearings.png`` (half a minute).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import alegear as ag
from alegear.case.analysis import StaticAnalysis
from alegear.case.pair_machine import DRIVE, MESH
from alegear.progress import Silent
from alegear.studies.preparation import prepare

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst
from coarse import FIRST_ORDER, coarse
from pairs import dynamic_study

HERE = Path(__file__).parent
Array = NDArray[np.float64]

YOUNG, DIAMETER = 210e9, 40e-3  # Pa, m: of the shaft
LENGTHS = (20e-3, 40e-3, 60e-3, 80e-3, 100e-3)  # m
SLOW = 0.05  # s: from here on the speed of the case is steady


def cantilever(length: float) -> Array:
    """Stiffness (5, 5) at the end of a clamped round shaft that points along +z [N/m, N, N m/rad]."""
    bending = YOUNG * math.pi * DIAMETER**4 / 64.0
    k, c, r = 12.0 * bending / length**3, 6.0 * bending / length**2, 4.0 * bending / length
    axial = YOUNG * math.pi * DIAMETER**2 / 4.0 / length
    K = np.diag([k, k, axial, r, r])
    K[0, 4] = K[4, 0] = -c
    K[1, 3] = K[3, 1] = c
    return K


def beam_end(length: float, force: Array, moment: Array) -> Array:
    """Displacement (5,) of that end by the formulas of the deflection line, under a force (3,) and a moment (2,)."""
    bending = YOUNG * math.pi * DIAMETER**4 / 64.0
    by_force, both, by_moment = length**3 / 3.0 / bending, length**2 / 2.0 / bending, length / bending
    axial = length / (YOUNG * math.pi * DIAMETER**2 / 4.0)
    return np.array(
        [
            by_force * force[0] + both * moment[1],
            by_force * force[1] - both * moment[0],
            axial * force[2],
            by_moment * moment[0] - both * force[1],
            by_moment * moment[1] + both * force[0],
        ]
    )


def static(case: ag.Case, positions: int = 32) -> ag.Case:
    """The case as a static study."""
    operation = replace(case.operation, speed_table=None)
    # masses have no effect on a pair at rest without weight
    pinion, wheel = (
        None if support is None else replace(support, added_mass=0.0, added_tilt_inertia=0.0, unbalance=0.0)
        for support in case.supports
    )
    return replace(
        case,
        operation=operation,
        analysis=StaticAnalysis(positions_per_pitch=positions),
        supports=(pinion, wheel),
        shafts=(None, None),
        added_inertia=(0.0, 0.0),
    )


def with_shaft(case: ag.Case, length: float) -> ag.Case:
    """The case with a shaft of another length under the pinion."""
    pinion, wheel = case.supports
    assert pinion is not None
    return replace(case, supports=(replace(pinion, stiffness=cantilever(length)), wheel))


def face_load_factor(data: xr.Dataset) -> Array:
    """K_Hbeta of each position: largest over mean line load of all pairs together."""
    load = data.line_load.sum("pair").values  # of positions
    return np.asarray(load.max(axis=1) / load.mean(axis=1))


@dataclass(frozen=True, kw_only=True, eq=False)
class Shaft:
    """A length [m]: tilt [rad] and deflection [m] of the pinion, edge load, how far the beam is off (relative)."""

    length: float
    tilt: float
    deflection: float
    factor: float
    error: float
    data: xr.Dataset


def shaft_of(case: ag.Case, length: float) -> Shaft:
    """Static study with a shaft of a length, beside the formulas of the beam."""
    data = ag.run(static(with_shaft(case, length))).dataset
    s = np.concatenate([data.displacement.sel(gear="pinion"), data.tilt.sel(gear="pinion")], axis=1)
    force, moment = data.contact_force.values, data.contact_moment.values[:, :2]
    expected = np.array([beam_end(length, f, m) for f, m in zip(force, moment, strict=True)])
    middle = len(s) // 2  # phase 0
    return Shaft(
        length=length,
        tilt=float(np.hypot(*s[middle, 3:])),
        deflection=float(np.hypot(*s[middle, :2])),
        factor=float(face_load_factor(data)[middle]),
        error=float(np.abs(s - expected).max(axis=0)[[0, 1, 3, 4]].max() / np.abs(expected).max()),
        data=data,
    )


@dataclass(frozen=True, kw_only=True)
class Motion:
    """Largest differences: tooth and bearing forces at standstill; slow motion and static study, all relative."""

    balance: float
    error: float
    displacement: float
    tilt: float
    edge: float


def motion_of(case: ag.Case) -> Motion:
    """The dynamic case: at rest under load, then at 5 rpm, against static positions at the same phases."""
    data = ag.run(case).dataset
    still = data.sel(time=slice(0.0, 0.02 + 1e-9))
    force = still.contact_force.values
    off = still.bearing_force.sel(gear="pinion").values - force
    slow = data.sel(time=slice(SLOW, None))
    expected = at_phases(case, slow.phase.values)
    pairs = ("transmission_error", "displacement", "tilt", "edge")
    given = {
        "transmission_error": slow.transmission_error.values,
        "displacement": slow.displacement.values,
        "tilt": slow.tilt.values,
        "edge": slow.line_load.sum("slot").values,
    }
    apart = [float(np.abs(given[name] - expected[name]).max() / np.abs(expected[name]).max()) for name in pairs]
    return Motion(
        balance=float(np.abs(off).max() / np.abs(force).max()),
        error=apart[0],
        displacement=apart[1],
        tilt=apart[2],
        edge=apart[3],
    )


def at_phases(case: ag.Case, phases: Array) -> dict[str, Array]:
    """Static equilibria of a dynamic case at phases of the driver, under the load of the driven gear."""
    solver = dynamic_study(case, prepare(case, Silent(), fields=False)).equilibria()
    mesh = solver.system.contacts[MESH]
    angles = phases * mesh.contact.pitch_angle[mesh.driving] - mesh.angle[mesh.driving]
    found = [solver.solve({DRIVE: float(angle)}) for angle in angles]
    displaced = np.array([mesh.displacements(one.x[mesh.coordinates]) for one in found])
    answers: list[Any] = [one.forces[MESH] for one in found]
    return {
        "transmission_error": np.array([solver.transmission_error(MESH, one) for one in found]),
        "displacement": displaced[:, :, :3],
        "tilt": displaced[:, :, 3:],
        "edge": np.array([forces.slices.line_load.sum(axis=0) for forces in answers]),
    }


def draw(shafts: list[Shaft], to: Path) -> None:
    """Line load over the face, for each length of the shaft."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    for shaft in shafts:
        here = shaft.data.isel(position=len(shaft.data.position) // 2)
        label = f"{1e3 * shaft.length:.0f} mm, {1e3 * shaft.tilt:.2f} mrad"
        axes.plot(1e3 * here["slice"], 1e-3 * here.line_load.sum("pair"), marker="o", markersize=3, label=label)
    axes.set(xlabel="position on the face [mm]", ylabel="line load [N/mm]", ylim=(0.0, None))
    axes.set_title("pinion at the end of a shaft, at the pitch point, 400 N m")
    axes.legend(title="length of the shaft, tilt")
    axes.grid(alpha=0.3)
    figure.savefig(to, dpi=130)
    plt.close(figure)


def rows(quick: bool) -> Iterator[Row]:
    """The end of the shaft beside a beam; standstill and slow motion. Quick: a coarse grid, a shorter motion."""
    case = ag.Case.from_toml(HERE / "case.toml")
    support = case.supports[0]
    assert support is not None
    scale = np.sqrt(np.diag(support.stiffness))
    yield Row(
        quantity="stiffness of the support off that of a cantilever, over its diagonal",
        value=float(np.abs((support.stiffness - cantilever(60e-3)) / np.outer(scale, scale)).max()),
        kind="at most",
        bound=1e-6,  # digits of the file
        source="closed form",
    )
    if quick:
        case = replace(coarse(case, FIRST_ORDER, duration=0.14), slices=6)
    shafts = [shaft_of(case, length) for length in ((40e-3, 80e-3) if quick else LENGTHS)]
    yield worst(
        "displacement of the pinion off the deflection line, over the largest",
        [
            # equilibrium is found to 1e-12 of the force; its moment moves the end of a long shaft by ten times as much
            Row(
                quantity=f"shaft of {1e3 * s.length:.0f} mm",
                value=s.error,
                kind="at most",
                bound=1e-10,
                source="a beam under the contact forces",
            )
            for s in shafts
        ],
    )
    motion = motion_of(case)
    yield Row(
        quantity="bearing forces less tooth forces at standstill, over the largest",
        value=motion.balance,
        kind="at most",
        bound=1e-8,
        source="equilibrium",
    )
    yield worst(
        "motion at 5 rpm off the static study, over the largest",
        [
            # dampers of 20 kN s/m at micrometres in tens of milliseconds carry 1e-4 of the force
            Row(quantity=name, value=value, kind="at most", bound=1e-3, source="static positions under the same load")
            for name, value in (
                ("transmission error", motion.error),
                ("displacements", motion.displacement),
                ("tilts", motion.tilt),
                ("line load", motion.edge),
            )
        ],
    )
    if not quick:
        print_table(shafts)
        draw(shafts, HERE / "soft_bearings.png")


def print_table(shafts: list[Shaft]) -> None:
    """Print the table of README.md."""
    print("| length [mm] | deflection [um] | tilt [mrad] | K_Hbeta | off the beam |\n|---|---|---|---|---|")
    for s in shafts:
        row = (f"{1e3 * s.length:.0f}", f"{1e6 * s.deflection:.2f}", f"{1e3 * s.tilt:.3f}", f"{s.factor:.3f}")
        print(f"| {' | '.join(row)} | {s.error:.1e} |")


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
