"""Resonance of a pair 50/50 that turns freely on soft shafts: up and down through it, beside a single mass.

``python validation/resonance_50_50/run.py`` runs up and down at each torque, without load and through the linear
resonance of relieved flanks (half an hour of a core). It keeps the curves in ``sweeps.json``, prints the tables of
README.md and draws its figures.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.optimize import curve_fit

import alegear as ag
from alegear.case.pair_machine import DRIVE, MESH
from alegear.contact.numbering import GEARS, PINION
from alegear.geometry import Microgeometry
from alegear.progress import Silent
from alegear.results import signals
from alegear.studies.dynamic import DynamicStudy
from alegear.studies.preparation import prepare
from alegear.studies.sweep import PairAtRest, meshes_at_rest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone, worst
from pairs import dynamic_study, solver_of

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CASE = HERE / "case.toml"
STORE = HERE / "sweeps.json"
RPM = math.pi / 30.0
TEETH = 50
POSITIONS = 64  # of the static curves
PITCHES = 16  # in each mean of the response
SETTLING = 0.1  # part of the run that starting takes
ORDERS = (0.5, 1.0, 2.0, 3.0)  # of the mesh, in the transmission error
SWEPT, DURATION = (150.0, 300.0), 1.5  # N m; s, of each sweep
SPLIT = 0.75  # of the natural frequency: above lies the primary resonance, below that of the second order
DIGITS = 4

# linear resonance: long relief and damping, so that the teeth do not part
LINEAR_TORQUE = 150.0
LINEAR_RELIEF = 8e-6  # m, parabolic, on both gears, from the tip to the highest point of single contact
LINEAR_DAMPING = 0.05
LINEAR_DURATION = 0.4  # s
LINEAR_FREQUENCIES = (2300.0, 3600.0)  # Hz

# without load: at parts of the natural frequency, at constant speed, for to speed up takes torque
IDLE_RATIOS = (0.45, 0.5, 0.55, 0.9, 0.95, 1.0, 1.05)
IDLE_DURATION = 0.04  # s


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Response over the mesh frequency [Hz], of blocks of some pitches; arrays (n,), ``orders`` (n, len(ORDERS)).

    ``rms`` of the transmission error about its mean and ``orders`` in it [m]; ``parted``, part of the time in which no
    tooth pair carries; dynamic factors of the tooth load and of the root stress (n, 2 gears), NaN if they are unknown.
    """

    frequency: Array
    rms: Array
    orders: Array
    parted: Array
    load_factor: Array
    stress_factor: Array

    @classmethod
    def of(
        cls,
        time: Array,
        phase: Array,
        te: Array,
        load: Array,
        settling: float,
        *,
        factors: tuple[PairAtRest, Array, Array] | None = None,
    ) -> Sweep:
        """Means over blocks of some pitches after `settling` [s].

        Parameters
        ----------
        load : shape (n,) [N]
            All pairs together.
        factors : (PairAtRest, (n, n_slots), (n, 2, n_slots, 2)), optional
            Values at rest, tooth loads and root stresses.
        """
        begin = int(np.searchsorted(time, settling))
        blocks = [slice(begin + b.start, begin + b.stop) for b in signals.pitch_blocks(phase[begin:], PITCHES)]
        load_factor, stress_factor = np.full(len(blocks), np.nan), np.full((len(blocks), 2), np.nan)
        if factors is not None:
            rest, tooth_load, stress = factors
            load_factor = np.array([tooth_load[b].max() / rest.tooth_load for b in blocks])
            stress_factor = np.array([[np.nanmax(stress[b, g]) / rest.root_stress[g] for g in (0, 1)] for b in blocks])
        return cls(
            frequency=np.array([np.ptp(phase[b]) / np.ptp(time[b]) for b in blocks]),
            rms=np.array([signals.rms(te[b]) for b in blocks]),
            orders=np.array([signals.order_amplitudes(phase[b], te[b], ORDERS) for b in blocks]),
            parted=np.array([np.mean(load[b] <= 0.0) for b in blocks]),
            load_factor=load_factor,
            stress_factor=stress_factor,
        )

    def between(self, low: float, high: float) -> Sweep:
        """The part of it within some frequencies [Hz]."""
        here = (self.frequency >= low) & (self.frequency <= high)
        return Sweep(**{name: values[here] for name, values in vars(self).items()})

    @property
    def peak(self) -> float:
        """Mesh frequency of the largest response [Hz]."""
        return float(self.frequency[self.rms.argmax()])

    @property
    def jump(self) -> tuple[float, float]:
        """Mesh frequency at which the response changes most from one mean to the next [Hz], and their ratio."""
        ratio = np.abs(np.diff(np.log(self.rms)))
        at = int(ratio.argmax())
        return float(self.frequency[at : at + 2].mean()), float(np.exp(ratio[at]))

    def to_json(self) -> dict:
        """As it is kept, with some digits."""
        return {name: [_rounded(row) for row in values.tolist()] for name, values in asdict(self).items()}

    @classmethod
    def from_json(cls, kept: dict) -> Sweep:
        """From what is kept."""
        return cls(**{name: np.array(rows, dtype=float) for name, rows in kept.items()})


def _rounded(value: float | list[float]) -> float | list[float] | None:
    if isinstance(value, list):
        return [_rounded(entry) for entry in value]  # type: ignore[misc]
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


# -------------------------------------------------------------------------------- cases
def case_of(torque: float, duration: float, *, up: bool) -> ag.Case:
    """The case with this torque, its speeds from low to high or the other way."""
    case = ag.Case.from_toml(CASE)
    table = case.operation.speed_table
    assert table is not None
    speeds = [speed for _, speed in table]
    return driven(replace(case, operation=replace(case.operation, pinion_torque=torque)), duration, speeds, up=up)


def driven(case: ag.Case, duration: float, speeds: list[float], *, up: bool) -> ag.Case:
    """The case led from the first to the last of some speeds [rad/s], or back."""
    first, last = (speeds[0], speeds[-1]) if up else (speeds[-1], speeds[0])
    table = ((0.0, first), (duration, last))
    operation = replace(case.operation, speed_table=table, pinion_speed=max(first, last))
    return replace(case, operation=operation, analysis=replace(case.analysis, duration=duration))


def linear_case() -> ag.Case:
    """Relieved flanks and more damping, led up through the primary resonance."""
    case = case_of(LINEAR_TORQUE, LINEAR_DURATION, up=True)
    gears = []
    for gear in case.pair.gears:
        length = (case.pair.eps_alpha_usable - 1.0) * case.pair.p_bt
        start = 2.0 * math.hypot(gear.r_b, math.sqrt(gear.r_a**2 - gear.r_b**2) - length)
        flank = Microgeometry(tip_relief=LINEAR_RELIEF, tip_relief_start_diameter=start, tip_relief_shape="parabolic")
        gears.append(replace(gear, microgeometry=flank))
    case = replace(
        case,
        pair=replace(case.pair, pinion=gears[0], wheel=gears[1]),
        analysis=replace(case.analysis, mesh_damping_ratio=LINEAR_DAMPING),
    )
    speeds = [frequency * 2.0 * math.pi / TEETH for frequency in LINEAR_FREQUENCIES]
    return driven(case, LINEAR_DURATION, speeds, up=True)


def study_of(case: ag.Case) -> DynamicStudy:
    """A study that has not run yet; of thousands of tooth pairs no history is wanted, for which there is no memory."""
    short = replace(case, analysis=replace(case.analysis, duration=0.01))
    return dynamic_study(case, prepare(short, Silent()))


def train_modes(study: DynamicStudy) -> list[float]:
    """Natural frequencies [Hz] of gears and load on the mean mesh stiffness and the shafts, the drive held."""
    model, mesh = study.built.model, study.built.contacts[MESH]
    arm = np.zeros(model.n)
    arm[mesh.coordinates] = mesh.r_b[1] * mesh.rows[1] - mesh.r_b[0] * mesh.rows[0]
    free = np.ix_(model.free, model.free)
    K = (model.stiffness + study.stiffness[MESH] * np.outer(arm, arm))[free]
    squares = eigh(K, model.mass[free], eigvals_only=True)
    return [float(value) for value in np.sqrt(squares) / (2.0 * math.pi)]


def static_curve(study: DynamicStudy):
    """Yield the static positions of a pitch, from phase -1/2, each with the pair in the first slot."""
    solver = solver_of(study)
    for phase in -0.5 + np.arange(POSITIONS) / POSITIONS:
        first_pair = study.windows[MESH].first_pair(float(phase))
        yield solver.solve(float(phase), first_pair), first_pair


def idle_rms(ratio: float) -> tuple[float, float]:
    """Mesh frequency [Hz] and r.m.s. of the transmission error [m] of the pair without load at a constant speed."""
    natural = study_of(case_of(0.0, IDLE_DURATION, up=True)).frequencies[MESH]
    case = case_of(0.0, IDLE_DURATION, up=True)
    operation = replace(case.operation, speed_table=None, pinion_speed=ratio * natural / TEETH)
    study = study_of(replace(case, operation=operation))
    study.run(Silent())
    return ratio * natural / (2.0 * math.pi), signals.rms(study.mesh_history(MESH).transmission_error)


def swept(case: ag.Case) -> Sweep:
    """Run a case and take its response."""
    study = study_of(case)
    rest = meshes_at_rest(study, POSITIONS)[MESH]
    study.run(Silent())
    history = study.mesh_history(MESH)
    load = history.tooth_load
    return Sweep.of(
        history.time,
        history.phase,
        history.transmission_error,
        load.sum(axis=1),
        SETTLING * case.analysis.duration,
        factors=(rest, load, history.root_stress),
    )


# ------------------------------------------------------------------------------ one mass
@dataclass(frozen=True, kw_only=True)
class SingleMass:
    """m x'' + c x' + k(phase) x = F where x > 0, no force but F where the teeth have parted, k (x + j) at back flanks.

    x is the approach of the base circles; the stiffness k = F/x_s(phase) is the secant of the static study. Kahraman &
    Blankenship (1997, J. Appl. Mech. 64, 217) compared such a model with their rig.
    """

    mass: float  # J / (2 r_b^2), two equal gears against each other
    force: float  # torque over r_b
    deflection: Array  # x_s over a pitch from phase -1/2
    damping_ratio: float
    backlash: float  # along the line of action

    @classmethod
    def of(cls, study: DynamicStudy) -> SingleMass:
        """From the static curve of a study."""
        pair, model = study.prepared[MESH].contact.pair, study.built.model
        r_b, at = pair.pinion.r_b, study.built.rotation(GEARS[PINION])
        return cls(
            mass=float(model.mass[at, at]) / (2.0 * r_b**2),
            force=solver_of(study).torque / r_b,
            deflection=np.array([position.deflection for position, _ in static_curve(study)]),
            damping_ratio=study.analysis.mesh_damping_ratio,
            backlash=pair.j_wt * math.cos(pair.alpha_wt),
        )

    def swept(self, duration: float, frequencies: tuple[float, float]) -> Sweep:
        """Sweep the mesh frequency [Hz] linearly, as the pair was."""
        low, high = frequencies
        stiffness = self.force / self.deflection
        c = 2.0 * self.damping_ratio * math.sqrt(stiffness.mean() * self.mass)

        def phase_at(t: Array | float) -> Array | float:
            return -0.5 + low * t + 0.5 * (high - low) * t * t / duration

        def rate(t: float, state: Array) -> tuple[float, float]:
            x, v = state
            place = (float(phase_at(t)) + 0.5) % 1.0 * POSITIONS
            i = int(place) % POSITIONS
            k = stiffness[i] + (place - int(place)) * (stiffness[(i + 1) % POSITIONS] - stiffness[i])
            pressed = x if x > 0.0 else min(x + self.backlash, 0.0)
            return v, (self.force - (k * pressed + c * v if pressed else 0.0)) / self.mass

        times = np.arange(0.0, duration, 2e-5)
        done = solve_ivp(
            rate, (0.0, duration), (self.deflection[0], 0.0), t_eval=times, rtol=1e-6, atol=1e-10, max_step=2e-5
        )
        x = done.y[0]
        return Sweep.of(times, np.asarray(phase_at(times)), -x, x, SETTLING * duration)


# --------------------------------------------------------------------------------- table
WAYS = {True: "up", False: "down"}
MODELS = ("alegear", "single mass")


def name_of(model: str, torque: float, up: bool) -> str:
    """Name under which a sweep is kept."""
    return f"{model}, {torque:g} N m, {WAYS[up]}"


def _largest(part: Sweep) -> str:
    """Peak and jump of a part of a sweep."""
    at, ratio = part.jump
    return f"{1e6 * part.rms.max():.1f} | {part.peak:.0f} | {at:.0f} | {ratio:.2f}"


def print_tables(natural: dict[str, float], sweeps: dict[str, Sweep]) -> None:
    """Print what README.md shows."""
    for name, frequency in natural.items():
        print(f"natural frequency on the mean mesh stiffness, {name}: {frequency:.0f} Hz")
    print(
        "\n| torque [N m] | | way | primary: largest [um] | at [Hz] | steepest at [Hz] | by | below: largest [um] ",
        end="",
    )
    print("| at [Hz] | steepest at [Hz] | by | parted, most |\n" + "|---" * 12 + "|")
    torques = sorted({float(name.split(", ")[1].split()[0]) for name in sweeps if " N m, " in name})
    for torque in torques:
        split = SPLIT * natural[f"{torque:g} N m"]
        for model in MODELS:
            for up in WAYS:
                sweep = sweeps.get(name_of(model, torque, up))
                if sweep is None:
                    continue
                primary, half = sweep.between(split, math.inf), sweep.between(0.0, split)
                print(f"| {torque:g} | {model} | {WAYS[up]} | {_largest(primary)} | {_largest(half)} ", end="")
                print(f"| {100.0 * sweep.parted.max():.0f} % |")
    print("\n| torque [N m] | way | order 1 [um] | order 2 [um] | order 1/2 [um] | tooth load | root stress |")
    print("|---" * 7 + "|")
    for torque in torques:
        for up in WAYS:
            sweep = sweeps.get(name_of("alegear", torque, up))
            if sweep is None or np.isnan(sweep.load_factor).all():
                continue
            cells = []
            for order in (1.0, 2.0, 0.5):
                amplitude = sweep.orders[:, ORDERS.index(order)]
                cells.append(f"{1e6 * amplitude.max():.1f} at {sweep.frequency[amplitude.argmax()]:.0f} Hz")
            cells += [f"{sweep.load_factor.max():.2f}", f"{sweep.stress_factor.max():.2f}"]
            print(f"| {torque:g} | {WAYS[up]} | " + " | ".join(cells) + " |")
    if "linear" in sweeps:
        linear = sweeps["linear"]
        amplitude = linear.orders[:, ORDERS.index(1.0)]
        f_0, zeta = oscillator_fit(linear.frequency, amplitude)
        f_n = natural["linear"]
        print(f"\nlinear resonance: oscillator of {f_0:.0f} Hz, damping ratio {zeta:.3f};", end=" ")
        print(f"{f_0 / f_n:.3f} of {f_n:.0f} Hz;", end=" ")
        print(f"largest {1e6 * amplitude.max():.2f} um at {linear.frequency[amplitude.argmax()]:.0f} Hz;", end=" ")
        print(f"parted {100.0 * linear.parted.max():.0f} %")


def oscillator_fit(frequency: Array, amplitude: Array) -> tuple[float, float]:
    """Natural frequency and damping ratio of A/|1 - r^2 + 2 i zeta r|, r = f/f_0, by least squares.

    The slow swinging of gears and load on their shafts makes the curve wavy; no single value of it can be trusted.
    """

    def response(f: Array, height: float, f_0: float, zeta: float) -> Array:
        r = f / f_0
        return height / np.hypot(1.0 - r * r, 2.0 * zeta * r)

    top = float(amplitude.max())
    guess = (0.1 * top, float(frequency[amplitude.argmax()]), 0.05)
    found, _ = curve_fit(response, frequency, amplitude / top, p0=(guess[0] / top, *guess[1:]))
    return float(found[1]), abs(float(found[2]))


# -------------------------------------------------------------------------------- figure
def draw(natural: dict[str, float], sweeps: dict[str, Sweep]) -> None:
    """Response over the mesh frequency, its orders and the dynamic factors, up and down."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    torques = (150.0, 300.0)
    figure, axes = plt.subplots(3, 2, figsize=(12.5, 11.0), sharex=True, sharey="row")
    for column, torque in zip(axes.T, torques, strict=True):
        response, orders, factors = column
        for model in MODELS:
            for up in WAYS:
                sweep = sweeps.get(name_of(model, torque, up))
                if sweep is None:
                    continue
                own = model == "alegear"
                colour = ("C0" if up else "C1") if own else ("0.55" if up else "0.75")
                label = f"{model}, {WAYS[up]}"
                response.plot(sweep.frequency, 1e6 * sweep.rms, color=colour, lw=1.6 if own else 1.0, label=label)
                if own:
                    for order, style in ((1.0, "-"), (2.0, "--"), (0.5, ":")):
                        amplitude = 1e6 * sweep.orders[:, ORDERS.index(order)]
                        orders.plot(
                            sweep.frequency, amplitude, style, color=colour, lw=1.2, label=f"{WAYS[up]}, {order:g}"
                        )
                    factors.plot(sweep.frequency, sweep.load_factor, color=colour, label=f"tooth load, {WAYS[up]}")
                    stress = sweep.stress_factor.max(axis=1)
                    factors.plot(sweep.frequency, stress, "--", color=colour, label=f"root stress, {WAYS[up]}")
        for panel in column:
            panel.axvline(natural[f"{torque:g} N m"], color="k", ls=":", lw=1)
            panel.grid(alpha=0.3)
        response.set_title(f"{torque:g} N m")
        factors.set_xlabel("mesh frequency [Hz]")
    axes[0, 0].set_ylabel("transmission error, r.m.s. about its mean [µm]")
    axes[1, 0].set_ylabel("its mesh orders, amplitude [µm]")
    axes[2, 0].set_ylabel("largest in motion over largest at rest")
    for panel in axes[:, 0]:
        panel.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(HERE / "resonance_50_50.png", dpi=90)


def draw_linear(natural: float, sweep: Sweep) -> None:
    """The linear resonance."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7.0, 4.2))
    amplitude = 1e6 * sweep.orders[:, ORDERS.index(1.0)]
    axes.plot(sweep.frequency, amplitude, "C0", label="alegear, order 1 of the mesh, up")
    f_0, zeta = oscillator_fit(sweep.frequency, amplitude)
    r = sweep.frequency / f_0
    shape = 1.0 / np.hypot(1.0 - r * r, 2.0 * zeta * r)
    height = float(shape @ amplitude / (shape @ shape))
    axes.plot(sweep.frequency, height * shape, "k--", lw=1, label=f"oscillator of {f_0:.0f} Hz, fitted")
    axes.axvline(natural, color="k", ls=":", lw=1, label=f"natural frequency, {natural:.0f} Hz")
    axes.axvspan(0.97 * natural, 1.03 * natural, color="0.92", zorder=0, label="± 3 %")
    axes.set_ylabel("transmission error [µm]")
    axes.set_xlabel("mesh frequency [Hz]")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(HERE / "linear.png", dpi=100)


# ---------------------------------------------------------------------------------- main
def compute(torques: list[float], duration: float, kept: dict) -> None:
    """Run all sweeps and put them where they are kept."""
    natural, sweeps = kept["natural_frequency_Hz"], kept["sweeps"]
    with ProcessPoolExecutor(2) as pool:
        jobs = {
            name_of("alegear", torque, up): pool.submit(swept, case_of(torque, duration, up=up))
            for torque in torques
            for up in WAYS
        }
        jobs["linear"] = pool.submit(swept, linear_case())
        natural["linear"] = study_of(linear_case()).frequencies[MESH] / (2.0 * math.pi)
        kept["idle_Hz_m"] = list(pool.map(idle_rms, IDLE_RATIOS))
        for torque in torques:
            study = study_of(case_of(torque, duration, up=True))
            natural[f"{torque:g} N m"] = study.frequencies[MESH] / (2.0 * math.pi)
            kept["modes_Hz"][f"{torque:g} N m"] = train_modes(study)
            speed = study.speeds[DRIVE]
            first, last = (speed.value(t) / (2.0 * math.pi) * TEETH for t in (0.0, study.analysis.duration))
            ends = (first, last)
            mass = SingleMass.of(study)
            for up in WAYS:
                sweeps[name_of("single mass", torque, up)] = mass.swept(duration, ends if up else ends[::-1]).to_json()
        for name, job in jobs.items():
            sweeps[name] = job.result().to_json()


def rows(quick: bool) -> Iterator[Row]:
    """Sweeps up and down, the linear resonance, no load; quick: how the pair begins, and its modes."""
    case = case_of(LINEAR_TORQUE, DURATION, up=True)
    if quick:
        case = replace(case, analysis=replace(case.analysis, duration=2e-3))
    study = study_of(case)
    natural = study.frequencies[MESH] / (2.0 * math.pi)
    yield Row(
        quantity="mode of gears against each other, 150 N m",
        value=train_modes(study)[-1],
        reference=natural,
        unit="Hz",
        bound=1e-6,  # shafts in series with the mesh: (110/3002)^4
        source="sqrt(k r_b^2 (1/J_1 + 1/J_2)) on the mean mesh stiffness",
    )
    yield Row(
        quantity="largest mode of gears and load on the shafts, over that of the gears",
        value=max(train_modes(study)[:-1]) / natural,
        kind="at most",
        bound=0.1,
        source="soft shafts",
    )
    if quick:
        yield from rows_of_the_start(study)
        return
    kept: dict = {"natural_frequency_Hz": {}, "modes_Hz": {}, "sweeps": {}}
    compute(list(SWEPT), DURATION, kept)
    STORE.write_text(json.dumps(kept))
    sweeps = {name: Sweep.from_json(entry) for name, entry in kept["sweeps"].items()}
    yield from rows_of_sweeps(kept, sweeps)
    for name, modes in kept["modes_Hz"].items():
        print(f"modes of gears and load on the shafts, {name}: " + ", ".join(f"{mode:.1f}" for mode in modes) + " Hz")
    print_tables(kept["natural_frequency_Hz"], sweeps)
    draw(kept["natural_frequency_Hz"], sweeps)
    draw_linear(kept["natural_frequency_Hz"]["linear"], sweeps["linear"])


def rows_of_the_start(study: DynamicStudy) -> Iterator[Row]:
    """The pair begins in equilibrium, until the first pair leaves and all begins to vibrate."""
    study.run(Silent())
    history = study.mesh_history(MESH)
    force = LINEAR_TORQUE / study.prepared[MESH].contact.pair.pinion.r_b
    yield worst(
        "load of the teeth in the first ten samples of a sweep",
        [
            Row(quantity=f"sample {i}", value=float(load), reference=force, unit="N", bound=0.01, source="T/r_b")
            for i, load in enumerate(history.tooth_load.sum(axis=1)[:10])
        ],
    )
    yield Row(
        quantity="mean transmission error of the first 2 ms of a sweep",
        value=1e6 * float(history.transmission_error.mean()),
        reference=-1e6 * force / study.stiffness[MESH],
        unit="um",
        bound=0.1,  # it vibrates; secant and tangent stiffness
        source="F/k on the mean mesh stiffness",
    )


def rows_of_sweeps(kept: dict, sweeps: dict[str, Sweep]) -> Iterator[Row]:
    """Peaks and jumps, beside the single mass; the linear resonance; no load."""
    source = "single mass on the static stiffness, teeth parting"
    for torque in SWEPT:
        natural = kept["natural_frequency_Hz"][f"{torque:g} N m"]
        up, down = (sweeps[name_of("alegear", torque, way)] for way in (True, False))
        mass_up, mass_down = (sweeps[name_of("single mass", torque, way)] for way in (True, False))
        primary, half = (up.between(low * natural, high * natural) for low, high in ((SPLIT, 2.0), (0.4, 0.6)))
        for quantity, value, reference, unit in (
            ("run-up, largest response above 3/4 of the natural frequency", 1e6 * primary.rms.max(),
             1e6 * mass_up.between(SPLIT * natural, math.inf).rms.max(), "um"),
            ("run-up, where it is", primary.peak, mass_up.between(SPLIT * natural, math.inf).peak, "Hz"),
            ("run-down, largest response", 1e6 * down.rms.max(), 1e6 * mass_down.rms.max(), "um"),
            ("run-down, where it jumps", down.jump[0], mass_down.jump[0], "Hz"),
        ):  # fmt: skip
            yield Row(
                quantity=f"{torque:g} N m, {quantity}",
                value=float(value),
                reference=float(reference),
                unit=unit,
                source=source,
            )
        for quantity, value, low, high in (
            ("run-up, peak over the natural frequency", primary.peak / natural, 0.9, 1.0),
            ("run-up, peak of the second order over the natural frequency", half.peak / natural, 0.45, 0.52),
            ("run-down, jump over the natural frequency", down.jump[0] / natural, 0.0, 0.6),
        ):
            yield Row(
                quantity=f"{torque:g} N m, {quantity}",
                value=value,
                reference=0.5 * (low + high),
                kind="absolute",
                bound=0.5 * (high - low),
                source="softening by teeth that part",
            )
        for quantity, value, least in (
            ("run-up, jump at the peak, ratio", primary.jump[1], 1.2),
            ("run-down, largest response over that of the run-up", down.rms.max() / up.rms.max(), 4.0),
            ("run-down, jump, ratio", down.jump[1], 2.0),
        ):
            yield Row(
                quantity=f"{torque:g} N m, {quantity}",
                value=float(value),
                kind="at least",
                bound=least,
                source="softening by teeth that part",
            )
    linear, natural = sweeps["linear"], kept["natural_frequency_Hz"]["linear"]
    yield Row(
        quantity="linear resonance of relieved flanks, oscillator fitted",
        value=oscillator_fit(linear.frequency, linear.orders[:, ORDERS.index(1.0)])[0],
        reference=natural,
        unit="Hz",
        bound=0.03,
        source="train linearised on its mean mesh stiffness",
    )
    yield Row(
        quantity="linear resonance, part of the time in which teeth part",
        value=float(linear.parted.max()),
        kind="at most",
        bound=0.0,
        source="relief and damping",
    )
    yield worst(
        "no load, r.m.s. of the transmission error",
        [
            Row(
                quantity=f"{frequency:.0f} Hz",
                value=1e9 * rms,
                kind="at most",
                unit="nm",
                bound=1.0,  # of 8 to 70 um under load
                source="nothing excites perfect flanks",
            )
            for frequency, rms in kept["idle_Hz_m"]
        ],
    )


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
