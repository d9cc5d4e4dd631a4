"""Dynamic study of the pair 20/30: quasi-static limit, resonance, energy balance.

``python validation/dynamic_20_30/run.py`` prints the rows of the tables of README.md and draws its figures (ten to
twenty minutes). Coarse grids, but for the quasi-static limit, which is shown on the default grids too.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import alegear as ag
from alegear.case.pair_machine import LOAD, MESH
from alegear.contact.law import Friction
from alegear.contact.numbering import PINION, WHEEL
from alegear.geometry import Microgeometry
from alegear.mesh import GridOptions
from alegear.progress import Silent
from alegear.results.contact_result import ContactHistory
from alegear.studies.dynamic import DynamicStudy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst
from pairs import dynamic_study, solver_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CASE = HERE.parents[1] / "meshes" / "spur_20_30_dynamic.toml"
COARSE = GridOptions(flank_elements=8, fillet_elements=4, thickness_elements=4, width_elements=2, rim_elements=4)
RPM = 2.0 * math.pi / 60.0
MICRO = 1e6
STATIC_BOUND, PEAK_BOUND, ENERGY_BOUND = 5e-3, 0.05, 1e-4

# resonance
DAMPING_RATIO = 0.1
TIP_RELIEF = 12e-6  # m, linear, on both gears
RELIEF_LENGTH = 0.7  # of the way from the tip to the highest point of single contact
RAMP = 0.2  # s
TOP_SPEED = 1.2  # mesh frequency at the end of the run-up over the natural frequency
STEP = 1e-5  # s, thirty a period of the natural frequency
SPEEDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 1.0, 1.03, 1.07, 1.12, 1.2)

# energy
ENERGY_STEPS = (2e-5, 1e-5, 5e-6, 2.5e-6)
LOSSES: dict[str, dict] = {
    "nothing": {},
    "mesh damping 0.05": {"mesh_damping_ratio": 0.05},
    "friction 0.05-0.08": {"friction": Friction(kind="velocity", v_static=0.05, v_dynamic=0.5)},
    "both": {"mesh_damping_ratio": 0.05, "friction": Friction(kind="velocity", v_static=0.05, v_dynamic=0.5)},
}


# ------------------------------------------------------------------------ cases
def base_case(*, coarse: bool = True) -> ag.Case:
    """The delivered dynamic case, without fields and plots."""
    case = ag.Case.from_toml(CASE)
    case = replace(case, output=replace(case.output, fields=False, plots=False))
    return replace(case, grid_options=(COARSE, COARSE)) if coarse else case


def analysed(case: ag.Case, **analysis) -> ag.Case:
    """The case with another analysis."""
    return replace(case, analysis=replace(case.analysis, **analysis))


def running(case: ag.Case, **operation) -> ag.Case:
    """The case with another operation."""
    return replace(case, operation=replace(case.operation, **operation))


def relieved(case: ag.Case) -> ag.Case:
    """Tip relief on both gears, so that the vibration at resonance stays below the static deflection."""
    pair = case.pair
    gears = []
    for gear in pair.gears:
        length = RELIEF_LENGTH * (pair.eps_alpha_usable - 1.0) * pair.p_bt
        start = 2.0 * math.hypot(gear.r_b, math.sqrt(gear.r_a**2 - gear.r_b**2) - length)
        flank = Microgeometry(tip_relief=TIP_RELIEF, tip_relief_start_diameter=start)
        gears.append(replace(gear, microgeometry=flank))
    return replace(case, pair=replace(pair, pinion=gears[0], wheel=gears[1]))


def run_study(case: ag.Case) -> tuple[DynamicStudy, ContactHistory]:
    """Run a case."""
    study = dynamic_study(case)
    study.run(Silent())
    return study, study.mesh_history(MESH)


# ----------------------------------------------------------------- quasi-static
def static_errors(study: DynamicStudy, history: ContactHistory, *, load_of_driven: bool) -> Array:
    """Static transmission error [m] at the very positions of a slow run.

    The static study counts the phase of the driven gear, the dynamic one that of the driver; between them lies the
    transmission error over the base pitch. The static study takes the torque of the pinion; with `load_of_driven` it is
    chosen so that the driven gear has its load exactly, as in the dynamic study.
    """
    solver = solver_of(study)
    driven = 1 - solver.driving
    te = history.transmission_error
    phases = history.phase + te / solver.contact.pair.p_bt
    errors = np.empty(len(te))
    for i, phase in enumerate(phases):
        first_pair = study.windows[MESH].first_pair(float(history.phase[i]))
        torque = solver.torque
        for _ in range(4 if load_of_driven else 1):
            position = replace(solver, torque=torque).solve(float(phase), first_pair, -float(te[i]))
            torque *= study.torques[LOAD].largest / float(position.forces.torque[driven])
        errors[i] = -position.deflection
    return errors


def quasi_static(quick: bool) -> Iterator[Row]:
    """A run at five rpm of the pinion beside the static curve; on the coarse grid, fewer times in the quick form."""
    pitch = 60.0 / 5.0 / 20
    curves: dict[tuple[str, str], tuple[Array, Array, Array, Array]] = {}
    for grid in ("coarse",) if quick else ("coarse", "default"):
        for driver in ("pinion", "wheel"):
            case = running(base_case(coarse=grid == "coarse"), driver=driver, pinion_speed=5.0 * RPM)
            case = analysed(case, duration=pitch, tolerance=1e-3, output_every=pitch / (16 if quick else 64))
            study, history = run_study(case)
            te = history.transmission_error
            equal_load = static_errors(study, history, load_of_driven=True)
            yield Row(
                quantity=f"transmission error at 5 rpm off the static one, largest, {grid} grid, {driver} drives",
                value=float(np.abs(te / equal_load - 1.0).max()),
                kind="at most",
                bound=STATIC_BOUND,
                source="static study under the same load of the driven gear",
            )
            if quick:
                continue
            equal_torque = static_errors(study, history, load_of_driven=False)
            curves[grid, driver] = history.phase, te, equal_load, equal_torque
            cells = []
            for static in (equal_load, equal_torque):
                off = 100.0 * (te / static - 1.0)
                cells.append(f"{np.abs(off).max():.3f} %, {np.sqrt((off**2).mean()):.3f} %")
            print(f"| {grid} | {driver} | {cells[0]} | {cells[1]} |", flush=True)
    if not quick:
        draw_quasi_static(*curves["default", "pinion"])


def draw_quasi_static(phase: Array, te: Array, equal_load: Array, equal_torque: Array) -> None:
    """Both curves, and what lies between them."""
    plt = pyplot()
    figure, (above, below) = plt.subplots(2, 1, figsize=(7.0, 5.6), sharex=True, height_ratios=(2, 1))
    above.plot(phase, MICRO * equal_load, "-", color="0.6", lw=4, label="static, equal load of the wheel")
    above.plot(phase, MICRO * te, "C0.", ms=4, label="dynamic, 5 rpm")
    above.set_ylabel("transmission error [µm]")
    above.legend()
    below.plot(
        phase, 100.0 * (te / equal_torque - 1.0), "C1-", lw=1, label="to the static curve, 400 N m on the pinion"
    )
    below.plot(phase, 100.0 * (te / equal_load - 1.0), "C0-", lw=1, label="to the static curve, 600 N m on the wheel")
    below.axhspan(-0.5, 0.5, color="0.9", zorder=0, label="bound")
    below.set_ylabel("difference [%]")
    below.set_xlabel("phase of the driver [pitches]")
    below.legend(fontsize=8)
    save(figure, "quasi_static.png")


# -------------------------------------------------------------------- resonance
@dataclass(frozen=True, kw_only=True)
class Response:
    """Amplitude of the first mesh order [m] against mesh frequency over natural frequency."""

    ratio: Array
    amplitude: Array

    @property
    def peak(self) -> float:
        """Ratio of the frequencies at the largest amplitude, of a parabola through the points around it."""
        i = int(np.clip(self.amplitude.argmax(), 2, len(self.ratio) - 3))
        around = slice(i - 2, i + 3)
        c = np.polyfit(self.ratio[around], self.amplitude[around], 2)
        return float(-0.5 * c[1] / c[0])


def order_amplitude(phase: Array, signal: Array, *, pitches: int = 6) -> tuple[Array, Array]:
    """Amplitude of the first mesh order over the phase: a window of some pitches, cosine squared, trend taken off."""
    centres = np.arange(phase[0] + 0.5 * pitches, phase[-1] - 0.5 * pitches)
    amplitude = np.empty(len(centres))
    for i, centre in enumerate(centres):
        u = (phase - centre) / pitches
        inside = np.abs(u) <= 0.5
        u, y, p = u[inside], signal[inside], phase[inside]
        weight = np.cos(np.pi * u) ** 2 * np.gradient(p)
        y = y - np.polyval(np.polyfit(u, y, 2), u)
        amplitude[i] = 2.0 * abs(np.sum(weight * y * np.exp(-2j * np.pi * p))) / weight.sum()
    return centres, amplitude


def run_up(case: ag.Case, natural: float) -> tuple[Response, ContactHistory]:
    """Run-up from rest over the resonance; speed and torque rise by the cubic STEP."""
    case = running(case, pinion_speed=2.0 * math.pi / 20 * TOP_SPEED * natural)
    case = analysed(case, duration=RAMP, ramp=RAMP, time_step=STEP, output_every=STEP, mesh_damping_ratio=DAMPING_RATIO)
    _, history = run_study(case)
    centres, amplitude = order_amplitude(history.phase, history.transmission_error)
    mesh_frequency = np.interp(centres, history.phase, history.speed[:, PINION] * 20 / (2.0 * np.pi))
    return Response(ratio=mesh_frequency / natural, amplitude=amplitude), history


def constant_speeds(case: ag.Case, natural: float) -> tuple[Response, float]:
    """Runs at constant speed under full torque, the last pitches of each; also the least load of the teeth [N]."""
    steps, cycles, last = 32, 20, 8
    amplitude, least = [], math.inf
    for ratio in SPEEDS:
        pitch = 1.0 / (ratio * natural)
        fast = running(case, pinion_speed=2.0 * math.pi / 20 / pitch)
        fast = analysed(
            fast,
            duration=cycles * pitch,
            time_step=pitch / steps,
            output_every=pitch / steps,
            mesh_damping_ratio=DAMPING_RATIO,
        )
        _, history = run_study(fast)
        wave = history.transmission_error[-last * steps :]
        amplitude.append(2.0 * abs(np.fft.rfft(wave)[last]) / len(wave))
        least = min(least, float(history.tooth_load.sum(axis=1).min()))
    return Response(ratio=np.array(SPEEDS), amplitude=np.array(amplitude)), least


def linear_oscillator(study: DynamicStudy, ratios: Array) -> Response:
    r"""One mass on the stiffness and the transmission error of the static study, as a reference without contact.

    :math:`m \ddot x + k(\varphi)[x - x_s(\varphi) + \beta \dot x] = 0` with the static deflection x_s and the mesh
    stiffness k as Fourier series of the phase, solved by harmonic balance.
    """
    n, orders = 64, 12
    first, solver = study.windows[MESH].first_pair, solver_of(study)
    positions = [solver.solve(-0.5 + i / n, first(-0.5 + i / n)) for i in range(n)]
    k = np.fft.fft([p.mesh_stiffness for p in positions]) / n
    force = np.fft.fft([p.mesh_stiffness * p.deflection for p in positions]) / n
    omega_n, beta = study.frequencies[MESH], study.built.contacts[MESH].retardation
    mass = study.stiffness[MESH] / omega_n**2
    order = np.arange(-orders, orders + 1)
    K = k[(order[:, None] - order[None, :]) % n]
    amplitude = []
    for ratio in ratios:
        rate = 1j * order * ratio * omega_n
        x = np.linalg.solve(np.diag(mass * rate**2) + K * (1.0 + beta * rate), force[order % n])
        amplitude.append(2.0 * abs(x[orders + 1]))
    return Response(ratio=ratios, amplitude=np.array(amplitude))


def resonance(quick: bool) -> Iterator[Row]:
    """Peak of the first mesh order in a run-up, at constant speeds, of a linear oscillator; quick: of the last."""
    case = analysed(relieved(base_case()), mesh_damping_ratio=DAMPING_RATIO)
    study = dynamic_study(case)
    natural = study.frequencies[MESH] / (2.0 * math.pi)
    linear = linear_oscillator(study, np.linspace(0.3, 1.25, 400))
    responses = {"linear oscillator on the static curves": linear}
    if not quick:
        load = solver_of(study).torque / case.pair.pinion.r_b
        swept, history = run_up(case, natural)
        steady, least = constant_speeds(case, natural)
        responses |= {f"run-up in {RAMP:g} s": swept, "constant speeds": steady}
        draw_resonance(swept, steady, linear)
        total = history.tooth_load.sum(axis=1)
        share = total / np.maximum(smooth_step(history.time / RAMP) * load, 1e-9)
        leasts = {"run-up": float(share[history.time > 0.1 * RAMP].min()), "constant speeds": least / load}
        least = min(leasts.values())
        print_resonance(study, leasts, steady, linear)
        yield Row(
            quantity="least sum of the tooth loads over the running load: the teeth do not part",
            value=least,
            kind="at least",
            bound=0.0,
            source="what the frequency is compared for",
        )
    for name, response in responses.items():
        yield Row(
            quantity=f"mesh frequency of the largest first mesh order, {name}",
            value=response.peak * natural,
            reference=natural,
            unit="Hz",
            bound=PEAK_BOUND,
            source="sqrt(k r_b^2/J)/(2 pi) of the free wheel",
        )
        print(f"| {name} | {response.peak:.3f} | {MICRO * response.amplitude.max():.2f} |", flush=True)


def print_resonance(study: DynamicStudy, leasts: dict[str, float], steady: Response, linear: Response) -> None:
    """Print what README.md says beside its table: natural frequency, least loads, distance from the oscillator."""
    natural = study.frequencies[MESH] / (2.0 * math.pi)
    print(f"pitch-mean mesh stiffness {study.stiffness[MESH] / MICRO:.1f} N/um, natural frequency {natural:.1f} Hz")
    print("least sum of the tooth loads: " + ", ".join(f"{name} {least:.2f}" for name, least in leasts.items()))
    off = 100.0 * (steady.amplitude / np.interp(steady.ratio, linear.ratio, linear.amplitude) - 1.0)
    for words, part in (("up to 0.94", steady.ratio <= 0.94), ("above", steady.ratio > 0.94)):
        print(f"constant speeds off the linear oscillator, {words}: {off[part].min():+.1f} to {off[part].max():+.1f} %")


def smooth_step(s: Array) -> Array:
    """Cubic STEP from 0 to 1."""
    return s * s * (3.0 - 2.0 * s)


def draw_resonance(swept: Response, steady: Response, linear: Response) -> None:
    """All three responses."""
    plt = pyplot()
    figure, axes = plt.subplots(figsize=(7.0, 4.2))
    axes.plot(swept.ratio, MICRO * swept.amplitude, "C0-", lw=1.5, label=f"run-up in {RAMP:g} s, torque rises too")
    axes.plot(steady.ratio, MICRO * steady.amplitude, "C1o", ms=5, label="constant speeds, full torque")
    axes.plot(linear.ratio, MICRO * linear.amplitude, "k--", lw=1, label="linear oscillator on the static curves")
    axes.axvline(1.0, color="0.5", lw=1)
    axes.axvspan(0.95, 1.05, color="0.92", zorder=0, label="natural frequency of the free wheel ± 5 %")
    axes.set_xlim(0.2, TOP_SPEED + 0.02)
    axes.set_ylim(0.0, None)
    axes.set_xlabel("mesh frequency / natural frequency")
    axes.set_ylabel("DTE, first mesh order [µm]")
    axes.legend(fontsize=8, loc="upper left")
    save(figure, "resonance.png")


# ----------------------------------------------------------------------- energy
@dataclass(frozen=True, kw_only=True, eq=False)
class Balance:
    """Error of the balance [J] at every step, and of a balance by the moments of the contact alone (no losses)."""

    error: Array
    bare: Array
    history: ContactHistory


def work(torque: Array, angle: Array) -> Array:
    """Work since the start [J]."""
    return np.concatenate([[0.0], np.cumsum(0.5 * (torque[1:] + torque[:-1]) * np.diff(angle))])


def load_over(history: ContactHistory, ramp: float) -> Array:
    """Torque of the wheel [N m]."""
    return 600.0 * (smooth_step(history.time / ramp) if ramp else np.ones(len(history.time)))


def energy_balance(losses: dict, step: float, *, ramp: float) -> Balance:
    """Balance with rho_inf = 1, five milliseconds from rest or at speed."""
    case = base_case()
    case = replace(case, friction=losses.get("friction", case.friction))
    case = analysed(
        case,
        duration=5e-3,
        ramp=ramp,
        rho_inf=1.0,
        time_step=step,
        output_every=step,
        mesh_damping_ratio=losses.get("mesh_damping_ratio", 0.0),
    )
    study, history = run_study(case)
    stored = history.energy_kinetic + history.energy_elastic
    inertia = study.stiffness[MESH] * (case.pair.wheel.r_b / study.frequencies[MESH]) ** 2  # of the wheel
    given = work(np.abs(history.contact_moment[:, 2]), history.angle[:, PINION])
    taken = work(load_over(history, ramp) + inertia * history.acceleration[:, WHEEL], history.angle[:, WHEEL])
    return Balance(
        error=history.energy_input - (stored - stored[0]) - history.energy_dissipated,
        bare=given - taken - (history.energy_elastic - history.energy_elastic[0]),
        history=history,
    )


def energy(quick: bool) -> Iterator[Row]:
    """Error of the energy balance against the step, for each kind of loss, in a run-up and at constant speed."""
    found: dict[tuple[str, str], list[float]] = {}
    steps = ENERGY_STEPS[1:2] if quick else ENERGY_STEPS
    for motion, ramp in (("run-up from rest", 5e-3), ("constant speed", 0.0)):
        for name, losses in list(LOSSES.items())[-1:] if quick else LOSSES.items():
            balances = [energy_balance(losses, step, ramp=ramp) for step in steps]
            errors = [float(np.abs(one.error).max()) for one in balances]
            history = balances[-1].history
            transmitted = float(work(load_over(history, ramp), history.angle[:, WHEEL])[-1])
            net = np.ptp(history.energy_input)
            found[motion, name] = [e / net for e in errors]
            yield worst(
                f"energy missing over the net energy put in, {motion}, losses: {name}",
                [
                    Row(
                        quantity=f"steps of {MICRO * step:g} us",
                        value=error,
                        kind="at most",
                        # at constant speed nearly all that is put in goes out again: nothing was agreed
                        bound=ENERGY_BOUND if ramp else None,
                        source="put in = stored + dissipated",
                    )
                    for step, error in zip(steps, found[motion, name], strict=True)
                ],
            )
            print(
                f"| {name} | {net:.3f} | {abs(history.energy_dissipated[-1]):.4f} | {transmitted:.0f} | "
                + " | ".join(f"{e / net:.1e}" for e in errors)
                + " |",
                flush=True,
            )
            if not losses:
                bare = float(np.abs(balances[-1].bare).max())
                print(f"by the contact's moments alone {1e3 * bare:.1f} mJ", end=", ")
                print(f"{bare / net:.1e} of the net energy put in, {bare / transmitted:.1e} of the transmitted one")
                single = np.diff(balances[-1].error)
                largest = np.argsort(-np.abs(single))[:4]
                phases = (history.phase[largest] + 0.5) % 1.0 - 0.5
                at = ", ".join(f"{MICRO * single[i]:+.0f} uJ at {p:+.3f}" for i, p in zip(largest, phases, strict=True))
                print(f"largest errors of single steps of {MICRO * steps[-1]:g} us, by phase: {at}", flush=True)
    if not quick:
        draw_energy(found)


def draw_energy(found: dict[tuple[str, str], list[float]]) -> None:
    """Errors over the step."""
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 4.0), sharey=True)
    steps = MICRO * np.array(ENERGY_STEPS)
    for axes, motion in zip(panels, dict.fromkeys(motion for motion, _ in found), strict=True):
        for (of, name), errors in found.items():
            if of == motion:
                axes.loglog(steps, errors, "o-", ms=4, lw=1, label=name)
        axes.loglog(steps, 3e-4 * (steps / steps[1]) ** 2, "k:", lw=1, label="second order")
        axes.axhline(1e-4, color="0.6", lw=1)
        axes.set_title(motion)
        axes.set_xlabel("time step [µs]")
        axes.set_xticks(steps, [f"{step:g}" for step in steps])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("error of the balance / net energy put in")
    panels[0].legend(fontsize=8)
    save(figure, "energy.png")


# ---------------------------------------------------------------------- figures
def pyplot() -> ModuleType:
    """Matplotlib without a display."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def save(figure: Figure, name: str) -> None:
    """Write a figure beside this file."""
    figure.tight_layout()
    figure.savefig(HERE / name, dpi=110)


def rows(quick: bool) -> Iterator[Row]:
    """All three parts."""
    yield from quasi_static(quick)
    yield from resonance(quick)
    yield from energy(quick)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
