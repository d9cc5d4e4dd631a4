"""Rolling bearings: loads by the sums of ISO/TS 16281, printed figures of bearings, defects in envelope spectra.

    python validation/rolling_bearings/run.py [--quick]

Draws the pictures of the README into this folder; with --quick without the spectra and pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import pi, radians
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.optimize import root

import alegear as ag
from alegear.drivetrain.rolling.point_contact import ball_in_groove
from alegear.signals.envelope import envelope_spectrum
from alegear.signals.spectrum import Spectrum
from alegear.system import SystemBuilder
from alegear.system.continuation import clearance_continuation
from alegear.system.equilibrium import solve_equilibrium

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "scripts")]

import bearing_defect  # noqa: E402
from checks import Row, alone, worst  # noqa: E402
from iso_16281 import iso_balls, iso_rollers  # noqa: E402

Array = NDArray[np.float64]
Bearing = ag.RollerBearing | ag.BallBearing

#: Agreed: of the load, and of the largest load of a rolling element; of a displacement; of a frequency.
LOADS, DISPLACEMENTS, FREQUENCIES = 1e-8, 1e-7, 5e-3
PLACE = {"name": "b", "shaft": "s", "at": 0.0}
ROLLERS = PLACE | {"count": 14, "diameter": 10e-3, "pitch_diameter": 60e-3, "length": 12e-3}
BALLS = PLACE | {"count": 9, "diameter": 12.7e-3, "pitch_diameter": 65e-3}


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A bearing under a load.

    Attributes
    ----------
    what : str
    bearing : RollerBearing or BallBearing
    summed : callable
        Its force (5,) and loads of rolling elements at displacements (5,) and an angle, by hand.
    load : sequence of 5 float [N, N m]
        Along x, y, z, about x, y.
    angle : float [rad]
        Of the inner ring.
    """

    what: str
    bearing: Bearing
    summed: Callable[[Bearing, Array, float], tuple[Array, Array]]
    load: Sequence[float]
    angle: float


CASES = (
    Loaded(
        what="14 rollers, straight, clearance 20 um",
        bearing=ag.RollerBearing(**ROLLERS, clearance=20e-6),
        summed=iso_rollers,
        load=(2000.0, -5000.0, 0.0, 3.0, -2.0),
        angle=0.7,
    ),
    Loaded(
        what="14 rollers, logarithmic profile, 41 laminae",
        bearing=ag.RollerBearing(**ROLLERS, profile="logarithmic", cage_angle=0.1, laminae=41),
        summed=iso_rollers,
        load=(0.0, 9000.0, 0.0, 0.0, 8.0),
        angle=-3.0,
    ),
    Loaded(
        what="9 balls, clearance 10 um",
        bearing=ag.BallBearing(**BALLS, clearance=10e-6),
        summed=iso_balls,
        load=(1500.0, -2500.0, 900.0, 2.0, 1.0),
        angle=0.4,
    ),
    Loaded(
        what="9 balls, contact angle 30 deg",
        bearing=ag.BallBearing(**BALLS, contact_angle=radians(30.0)),
        summed=iso_balls,
        load=(1000.0, 500.0, 3000.0, 0.0, 5.0),
        angle=123.0,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A loaded bearing beside the sum.

    Attributes
    ----------
    misfit : float
        Of the sum at the displacements found here from the load, over the load (moments over it times D_pw).
    of_elements : float
        Largest difference of the load of a rolling element, over the largest load.
    displaced : float
        Largest difference of the displacements from those at which the sum carries the load, over the largest.
    loads, by_hand : shape (n,) [N]
        Of rolling elements, here and of the sum.
    carried : shape (5,)
        Force [N] and moments [N m] that results tell the bearing to carry.
    """

    misfit: float
    of_elements: float
    displaced: float
    loads: Array
    by_hand: Array
    carried: Array


def compared(case: Loaded) -> Compared:
    """Solve the equilibrium here, and by the sum from a neighbouring guess."""
    bearing, load = case.bearing, np.array(case.load)
    builder = SystemBuilder()
    builder.rotor("s@0mm", inertia=1.0, mass=1.0, tilt_inertia=1.0)
    bearing.add_to(builder)
    model = builder.build(moves=False)
    data = model.new_data()
    free = {"x": 0, "y": 1, "z": 2, "tilt x": 3, "tilt y": 4}
    directions = [one.direction for one in model.coordinates]
    applied = {i: load[free[one]] for i, one in enumerate(directions) if one in free}
    held, moving = {0: case.angle}, [0, 1, 2, 3, 4]
    if isinstance(bearing, ag.RollerBearing):  # nothing holds it along its axis
        held[directions.index("z")] = 0.0
        moving = [0, 1, 3, 4]
    found = clearance_continuation(
        model, data, np.zeros(model.n), lambda x: solve_equilibrium(model, data, held=held, applied=applied, x=x)
    )
    motion = bearing.ring_motion(model, found.x[None])[0]
    u = motion[:5]
    force, loads = case.summed(bearing, u, case.angle)
    lever = bearing.pitch_diameter
    size = np.array([1.0, 1.0, 1.0, lever, lever]) * np.linalg.norm(load[:3])
    here = bearing.roller_loads(motion)[0]
    scale = np.array([1e-5, 1e-5, 1e-5, 1e-4, 1e-4])[moving]

    def misfit(z: Array) -> Array:
        v = np.zeros(5)
        v[moving] = z * scale
        left: Array = ((case.summed(bearing, v, case.angle)[0] - load) / size)[moving]
        return left

    again = np.zeros(5)
    again[moving] = root(misfit, u[moving] / scale * 1.001, tol=1e-14).x * scale
    metres = np.array([1.0, 1.0, 1.0, lever, lever])
    return Compared(
        misfit=float(np.abs((force - load) / size)[moving].max()),
        of_elements=float(np.abs(here - loads).max() / loads.max()),
        displaced=float(np.abs((again - u) * metres).max() / np.abs(u * metres).max()),
        loads=here,
        by_hand=loads,
        carried=bearing.carried(model, found.x[None], np.zeros((1, model.n)))[0],
    )


def printed_figures() -> list[tuple[str, float, float, float]]:
    """What, here, printed, and half of the last digit printed (of frequencies, of their rounded sizes)."""
    inner, outer = (ball_in_groove(12.7e-3, 12.7 / 65.0, 0.52 * 12.7e-3, inner=one) for one in (True, False))
    of_6205 = ag.BallBearing(**PLACE, count=9, diameter=7.94e-3, pitch_diameter=39.04e-3).frequencies(2.0 * pi)
    return [
        ("209, sum of curvatures, inner race [1/mm]", 1e-3 * inner.curvature_sum, 0.202, 5e-4),
        ("209, sum of curvatures, outer race [1/mm]", 1e-3 * outer.curvature_sum, 0.138, 5e-4),
        ("209, difference of curvatures, inner race", inner.curvature_difference, 0.9399, 1e-4),
        ("209, difference of curvatures, outer race", outer.curvature_difference, 0.9120, 1e-4),
        ("6205, ball pass of the outer race, of the shaft's", of_6205["outer_race"], 3.5848, 2e-3),
        ("6205, ball pass of the inner race", of_6205["inner_race"], 5.4152, 2e-3),
        ("6205, twice the spin of a ball", of_6205["roller"], 4.7135, 5e-3),
        ("6205, cage", of_6205["cage"], 0.39828, 2e-4),
    ]


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A defect in the spectrum of the envelope.

    Attributes
    ----------
    on : str
    expected, found : float [Hz]
    times : float
        Its line over what a sound bearing has there.
    """

    on: str
    expected: float
    found: float
    times: float

    @property
    def off(self) -> float:
        """Relative difference."""
        return self.found / self.expected - 1.0


def heard() -> tuple[list[Heard], dict[str, Spectrum], dict[str, float]]:
    """The example of two shafts, its pit in the outer ring, in the inner ring, in a roller, and nowhere."""
    case = ag.case_from_file(bearing_defect.CASE)
    assert isinstance(case, ag.MachineCase)
    bearing = next(one for one in case.bearings if one.name == bearing_defect.BEARING)
    frequencies = bearing.frequencies(case.layout.speeds_of(bearing)[0])
    spectra = {}
    for on in (*bearing_defect.HEARD, None):
        result = ag.run(bearing_defect.with_defect(case, on))
        spectra[on or "nothing"] = envelope_spectrum(bearing_defect.acceleration(result), bearing_defect.BAND)
    rows = []
    for on, (key, _, _) in bearing_defect.HEARD.items():
        expected = frequencies[key]
        near = [one for one in spectra[on].lines(most=200, least=1e-3) if abs(one.x / expected - 1.0) < 0.06]
        line = max(near, key=lambda one: one.amplitude)
        sound = spectra["nothing"].at(line.x)
        rows.append(Heard(on=on, expected=expected, found=line.x, times=line.amplitude / sound))
    return rows, spectra, frequencies


def draw_loads(rows: Sequence[tuple[Loaded, Compared]]) -> Figure:
    """Loads of rolling elements around each bearing, here and of the sum."""
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    for axes, (case, found) in zip(figure.subplots(2, 2).ravel(), rows, strict=True):
        numbers = np.arange(len(found.loads))
        axes.bar(numbers, 1e-3 * found.loads, color="C0", alpha=0.6, label="here")
        axes.plot(numbers, 1e-3 * found.by_hand, "k_", markersize=12, label="sum of ISO/TS 16281")
        axes.set(title=case.what, xlabel="rolling element", ylabel="load [kN]")
        axes.title.set_fontsize("medium")
        axes.grid(alpha=0.3, axis="y")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize="small")
    return figure


def rows(quick: bool) -> Iterator[Row]:
    """Loads and displacements beside the sums, printed figures, and lines of pits; no spectra in the quick form."""
    found = [(case, compared(case)) for case in CASES]
    source = "sums of ISO/TS 16281 written out"
    for quantity, name, bound in (
        ("load of the sum at the displacements found less the load, over it", "misfit", LOADS),
        ("load of a rolling element less that of the sum, over the largest", "of_elements", LOADS),
        ("displacement less that at which the sum carries the load, over the largest", "displaced", DISPLACEMENTS),
    ):
        yield worst(
            quantity,
            [
                Row(quantity=case.what, value=getattr(one, name), kind="at most", bound=bound, source=source)
                for case, one in found
            ],
        )
    for what, here, printed, allowed in printed_figures():
        bearing = "Harris, Rolling Bearing Analysis" if what.startswith("209") else "Case Western Reserve University"
        yield Row(quantity=what, value=here, reference=printed, kind="absolute", bound=allowed, source=bearing)
    if quick:
        return
    draw_loads(found).savefig(HERE / "loads.png", dpi=110)
    lines, spectra, frequencies = heard()
    for row in lines:
        yield Row(
            quantity=f"line of a pit in the {row.on} in the envelope spectrum",
            value=row.found,
            reference=row.expected,
            unit="Hz",
            bound=FREQUENCIES,
            source=f"kinematics; {row.times:.0f} times what a sound bearing has there",
        )
    bearing_defect.draw_spectra(spectra, frequencies, 500.0).savefig(HERE / "envelope_spectra.png", dpi=110)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
