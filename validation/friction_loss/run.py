"""Friction loss of a pair: energy balance of a dynamic run against the integral of mu F v along the path of contact.

``python validation/friction_loss/run.py`` prints the tables of README.md and draws its figure (half a minute).
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
from alegear.case.pair_machine import LOAD, MESH
from alegear.contact.forces import MeshForces, MeshMotion
from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.model_kernels import L_X
from alegear.contact.hertz.solution import LoadedPoints
from alegear.contact.numbering import PINION, WHEEL
from alegear.geometry import GearPair, Microgeometry
from alegear.progress import Silent
from alegear.results.contact_result import ContactHistory
from alegear.studies.dynamic import DynamicStudy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from checks import Row, alone
from coarse import coarse
from pairs import dynamic_study, solver_of

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CASE = HERE / "case.toml"
TORQUES = (50.0, 100.0, 200.0, 400.0)
TIP_RELIEF = 12e-6  # m, on both gears
RELIEF_LENGTH = 0.7  # of the way from the tip to the highest point of single contact
BOUND = 5e-3  # of the integral where the flanks touch
POSITIONS = 512  # per pitch, of the quasi-static balance


# ------------------------------------------------------------------------------- cases
def case_of(torque: float, *, relief: bool = False) -> ag.Case:
    """The case under another torque [N m], its tips relieved or sharp."""
    case = ag.Case.from_toml(CASE)
    return replace(
        case,
        operation=replace(case.operation, pinion_torque=torque),
        pair=relieved(case.pair) if relief else case.pair,
    )


def relieved(pair: GearPair) -> GearPair:
    """Linear tip relief on both gears: a pair comes in and leaves without touching with its tip corners."""
    gears = []
    for gear in pair.gears:
        length = RELIEF_LENGTH * (pair.eps_alpha_usable - 1.0) * pair.p_bt
        start = 2.0 * math.hypot(gear.r_b, math.sqrt(gear.r_a**2 - gear.r_b**2) - length)
        flank = Microgeometry(tip_relief=TIP_RELIEF, tip_relief_start_diameter=start)
        gears.append(replace(gear, microgeometry=flank))
    return replace(pair, pinion=gears[0], wheel=gears[1])


def run_study(case: ag.Case) -> tuple[DynamicStudy, ContactHistory]:
    """Run a case."""
    study = dynamic_study(case)
    study.run(Silent())
    return study, study.mesh_history(MESH)


# -------------------------------------------------------------- sliding of spur gears
def involute_sliding(pair: GearPair, speed: Array, roll_length: Array) -> Array:
    """Sliding speed [m/s] of involutes on the line of action: omega_1 xi_1 - omega_2 (a_w sin(alpha_wt) - xi_1).

    Parameters
    ----------
    speed : shape (n, 2) [rad/s]
    roll_length : shape (n, ...) [m]
        xi_1, on the pinion's flank.
    """
    omega_1, omega_2 = (speed[:, gear].reshape(-1, *[1] * (roll_length.ndim - 1)) for gear in (PINION, WHEEL))
    sliding: Array = omega_1 * roll_length - omega_2 * (pair.line_of_action - roll_length)
    return sliding


def touching_sliding(pair: GearPair, speed: Array, own_angle: Array, roll_length: Array) -> Array:
    """Sliding speed [m/s] of flanks where they touch: both speeds times the way from the instant centre of the gears.

    Tip corners touch beside the line of action, and relieved flanks elsewhere on it than involutes. The instant centre
    divides the centre distance as the speeds do. The velocity along the normal, which deflects the teeth, is not taken
    out.

    Parameters
    ----------
    speed : shape (n, 2) [rad/s]
    own_angle : shape (n, n_pairs) [rad]
        Rotation of the pinion since each pair touched at the pitch point.
    roll_length : shape (n, n_pairs, n_slices) [m]
        On the pinion's flank, taken for an involute.
    """
    r_b, xi_C = pair.pinion.r_b, pair.roll_length_pitch_point
    # seen from the pinion's axis with the line of action at x = r_b: a point rolled off the base circle
    normal = np.exp(1j * (own_angle[:, :, None] - (roll_length - xi_C) / r_b))
    place = normal * (r_b + 1j * roll_length)
    towards_wheel = (r_b + 1j * xi_C) / abs(r_b + 1j * xi_C)
    centre = pair.a_w * towards_wheel * speed[:, WHEEL] / speed.sum(axis=1)
    sliding: Array = speed.sum(axis=1)[:, None, None] * np.abs(place - centre[:, None, None])
    return sliding


# ---------------------------------------------------------------- equal split of the load
def equal_split_power(pair: GearPair, mu: float, power: float, positions: int = 20000) -> float:
    """Mean loss [W] when the pairs on the path of contact share the load equally."""
    phase_in, phase_out = pair.engagement("pinion", usable=False)
    phase = np.arange(positions) / positions
    own = phase[:, None] + np.arange(math.floor(phase_in) - 1, math.ceil(phase_out) + 1)
    inside = (phase_in <= own) & (own <= phase_out)
    way = np.where(inside, np.abs(own), 0.0).sum(axis=1) / inside.sum(axis=1)  # of the pairs' mean, in base pitches
    # P = F v_b, sliding = (1/r_b1 + 1/r_b2) times the way from the pitch point for v_b = 1
    return mu * power * (1.0 / pair.pinion.r_b + 1.0 / pair.wheel.r_b) * pair.p_bt * float(way.mean())


def ohlendorf_loss_factor(pair: GearPair) -> float:
    """H_v = pi (u + 1)/(z_1 u cos beta_b) (1 - eps_alpha + eps_1^2 + eps_2^2), loss = mu H_v P.

    Ohlendorf (1958), as in ISO/TR 14179-2: tip circles, constant coefficient, load shared equally.
    """
    u = pair.wheel.z / pair.pinion.z
    eps_1, eps_2 = (g / pair.p_bt for g in (pair.g_recess("pinion"), pair.g_approach("pinion")))
    ways = 1.0 - eps_1 - eps_2 + eps_1**2 + eps_2**2
    return math.pi * (u + 1.0) / (pair.pinion.z * u * math.cos(pair.beta_b)) * ways


# ------------------------------------------------------------------------- dynamic study
@dataclass(frozen=True, kw_only=True)
class Loss:
    """Mean powers over the last whole pitches of a run [W], and the losses over these pitches by time [W]."""

    energy_balance: float  # of the energy balance
    drive_less_load: float  # what the drive does less what the load takes and what is stored
    involute: float  # mu F v of involutes on the line of action
    touching: float  # mu F v of flanks where they touch
    equal_split: float
    ohlendorf: float
    transmitted: float  # by the drive
    phase: Array
    of_time: Array

    @property
    def efficiency(self) -> float:
        """Part of the power of the drive that is not lost."""
        return 1.0 - self.energy_balance / self.transmitted


def loss_of(study: DynamicStudy, history: ContactHistory, mu: float, pitches: int) -> Loss:
    """Losses over the last pitches of a run in which the pinion drives."""
    contact = study.prepared[MESH].contact
    pair = contact.pair
    late = history.phase >= history.phase[-1] - pitches * (1.0 + 1e-9)
    t, speed = history.time[late], history.speed[late]
    # the tooth load of the results is a moment and knows friction; the line load is the force along the normal
    normal_force = history.line_load[late] * np.diff(contact.slices())
    roll_length = np.nan_to_num(history.contact_roll_length[late])
    own_angle = history.angle[late, PINION, None] - history.slot_pair[late] * 2.0 * math.pi / pair.pinion.z

    def mean(power: Array) -> float:
        return float(np.trapezoid(power, t) / np.ptp(t))

    def gained(energy: Array) -> float:
        return float(energy[late][-1] - energy[late][0])

    def lost(sliding: Array) -> Array:
        power: Array = mu * (normal_force * np.abs(sliding)).sum(axis=(1, 2))
        return power

    involute = lost(involute_sliding(pair, speed, roll_length))
    touching = lost(touching_sliding(pair, speed, own_angle, roll_length))
    drive = mean(history.tooth_load[late].sum(axis=1) * pair.pinion.r_b * speed[:, PINION])
    load = study.torques[LOAD].largest * gained(history.angle[:, WHEEL]) / np.ptp(t)
    stored = gained(history.energy_kinetic + history.energy_elastic) / np.ptp(t)
    return Loss(
        energy_balance=gained(history.energy_dissipated) / np.ptp(t),
        drive_less_load=drive - load - stored,
        involute=mean(involute),
        touching=mean(touching),
        equal_split=equal_split_power(pair, mu, drive),
        ohlendorf=mu * ohlendorf_loss_factor(pair) * drive,
        transmitted=drive,
        phase=history.phase[late],
        of_time=involute,
    )


# ------------------------------------------------------------------ quasi-static balance
@dataclass(frozen=True, kw_only=True)
class Balance:
    """Works of a pitch turned slowly [J]."""

    lost: float  # what friction takes of the work of both torques
    rigid: float  # mu F times the sliding of rigid flanks where they touch
    elastic: float  # mu F times the sliding by the deformation of the teeth
    shape: float  # work that a pitch without friction takes: it would be zero on deformed geometry


def balance_of(study: DynamicStudy, positions: int = POSITIONS) -> Balance:
    """Balance over the pitch from one tooth-change to the next, position by position in equilibrium."""
    solver, contact = solver_of(study), study.prepared[MESH].contact
    assert isinstance(contact, LineContact)
    assert contact.lossless is not None
    start = study.windows[MESH].threshold
    assert start is not None
    first_pair = study.windows[MESH].first_pair(start + 0.5)
    lost = rigid = elastic = shape = 0.0
    before: tuple[Array, Array, Array, Friction] | None = None
    deflection, data = None, contact.lossless.new_data()
    for phase in start + np.arange(positions + 1) / positions:
        position = solver.solve(float(phase), first_pair, deflection)
        deflection = position.deflection
        phi = position.forces.loaded.phi[0]  # type: ignore[attr-defined]
        smooth = contact.lossless.evaluate(data, MeshMotion(phi=phi, first_pair=first_pair), tangent=False)
        now = (phi, position.forces.torque, smooth.torque, Friction.of(position.forces))
        if before is not None:
            turned = phi - before[0]
            torque, smooth_torque = 0.5 * (now[1] + before[1]), 0.5 * (now[2] + before[2])
            lost += float((smooth_torque - torque) @ turned)
            shape += float(-smooth_torque @ turned)
            rigid += 0.5 * float((now[3].moment + before[3].moment) @ turned)
            elastic += now[3].work_of_deformation(contact, before[3])
        before = now
    return Balance(lost=lost, rigid=rigid, elastic=elastic, shape=shape)


@dataclass(frozen=True, kw_only=True, eq=False)
class Friction:
    """Friction of the loaded points of one position, and the forces on the nodes of both gears."""

    moment: Array  # -mu F l, shape (2,): loss for unit speeds of the gears [N m]
    force: Array  # -mu F of the points [N]
    along: tuple[Array, Array]  # nodal forces of a unit force along the flank, by gear (n_points, n_dof)
    nodal: tuple[Array, Array]  # nodal forces of all points, by gear (n_dof,) [N]

    @classmethod
    def of(cls, forces: MeshForces) -> Friction:
        """From the answer of a line contact."""
        loaded: LoadedPoints = forces.loaded  # type: ignore[attr-defined]
        r = loaded.record
        force = -r.mu * r.force
        nodal = loaded.nodal_forces()
        # rows of unit forces e = b + mu t with t = -i side b in the plane of the section, so that t follows from e
        side = np.array([s.side for s in loaded.contact.sides])[r.side_of]
        turn = (-1j * side / (1.0 - 1j * side * r.mu))[:, None, None, None]
        e = r.e.reshape(len(force), 2, -1, 2)
        t = (e[..., :1] + 1j * e[..., 1:]) * turn
        single = replace(
            loaded,
            record=r._replace(
                sample=np.arange(len(force)),
                force=np.ones(len(force)),
                e=np.ascontiguousarray(np.concatenate([t.real, t.imag], axis=-1).reshape(r.e.shape)),
            ),
            phi=np.repeat(loaded.phi, len(force), axis=0),
            first_pair=np.repeat(loaded.first_pair, len(force)),
        )
        return cls(
            moment=(force[:, None] * r.table[:, L_X : L_X + 2]).sum(axis=0),
            force=force,
            along=single.nodal_forces(),
            nodal=(nodal[0][0], nodal[1][0]),
        )

    def work_of_deformation(self, contact: LineContact, before: Friction) -> float:
        """Work of friction on the way that the flanks move along each other by their deformation [J]."""
        work = 0.0
        for gear, body in enumerate(contact.bodies):
            moved = displacements(body, self.nodal[gear] - before.nodal[gear])
            for there in (before, self):
                work += 0.5 * float(there.force @ (there.along[gear] @ moved))
        return work


def displacements(body: ElasticBody, forces: NDArray[np.float64]) -> NDArray[np.float64]:
    """Displacements of the faces of all slots under forces on them, without their layers, both (n_dof,) [m], [N]."""
    slots = range(len(body.face_offset))
    of_slots = np.split(forces, len(slots))
    return np.concatenate([sum(body.between(i, j) @ of_slots[j] for j in slots) for i in slots])


# ------------------------------------------------------------------------------- output
def draw(losses: dict[tuple[str, float], Loss]) -> None:
    """Loss over the phase, and what the sums differ by over the torque."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (over_phase, over_torque) = plt.subplots(1, 2, figsize=(10.0, 5.2), layout="constrained")
    for i, flanks in enumerate(("involute", "relieved")):
        full = losses[flanks, TORQUES[-1]]
        over_phase.plot(full.phase, full.of_time, f"C{i}-", lw=1.4, label=f"{flanks}, tooth loads as computed")
        over_phase.axhline(
            full.energy_balance, color=f"C{i}", ls="--", lw=1, label=f"{flanks}, mean of the energy balance"
        )
        for name, marker, of in (("involutes", "o-", "involute"), ("flanks where they touch", "s-", "touching")):
            off = [
                100.0 * (losses[flanks, torque].energy_balance / getattr(losses[flanks, torque], of) - 1.0)
                for torque in TORQUES
            ]
            over_torque.plot(
                TORQUES,
                off,
                f"C{i}{marker}",
                ms=4,
                lw=1,
                mfc=f"C{i}" if of == "involute" else "w",
                label=f"{flanks}: sliding of {name}",
            )
    over_phase.axhline(
        losses["involute", TORQUES[-1]].equal_split, color="0.5", ls=":", lw=1.4, label="equal split (mean)"
    )
    over_phase.set_xlabel("phase [pitches]")
    over_phase.set_ylabel(f"power lost at {TORQUES[-1]:g} N m [W]")
    over_phase.set_ylim(0.0, None)
    over_torque.axhspan(-0.5, 0.5, color="0.92", zorder=0, label="bound")
    over_torque.set_xlabel("torque of the pinion [N m]")
    over_torque.set_ylabel("energy balance above the integral [%]")
    over_torque.set_xlim(0.0, None)
    for axes in (over_phase, over_torque):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14))
    figure.savefig(HERE / "friction_loss.png", dpi=110)


def rows(quick: bool) -> Iterator[Row]:
    """Loss of motions and of equilibria; the quick form has one torque, a coarse grid and fewer positions."""
    losses: dict[tuple[str, float], Loss] = {}
    for flanks in ("involute", "relieved"):
        for torque in TORQUES[-1:] if quick else TORQUES:
            case = case_of(torque, relief=flanks == "relieved")
            if quick:
                case = coarse(case, duration=case.analysis.duration * 2.0 / 3.0)
            study, history = run_study(case)
            mu = case.friction.mu_dynamic
            loss = losses[flanks, torque] = loss_of(study, history, mu, pitches=1 if quick else 2)
            what = f"{flanks} flanks, {torque:g} N m"
            yield Row(
                quantity=f"friction loss, energy balance, {what}",
                value=loss.energy_balance,
                reference=loss.touching,
                unit="W",
                bound=BOUND,
                source="integral of mu F v where the flanks touch",
            )
            found = balance_of(study, 128 if quick else POSITIONS)
            yield Row(
                quantity=f"friction loss of a pitch in equilibrium, {what}",
                value=found.lost,
                reference=found.rigid + found.elastic,
                unit="J",
                bound=1e-3,  # trapezoids of 128 positions; the deformation is 0.4 % of it
                source="mu F v of rigid flanks and of the deformation",
            )
            yield Row(
                quantity=f"friction loss, energy balance, {what}",
                value=loss.energy_balance,
                reference=loss.ohlendorf,
                unit="W",
                source="equal split of the load, Ohlendorf's loss factor",
            )
            if not quick:
                print_row(flanks, torque, loss, found)
    pair = case_of(TORQUES[-1]).pair
    yield Row(
        quantity="loss factor of an equally split load",
        value=equal_split_power(pair, 1.0, 1.0),
        reference=ohlendorf_loss_factor(pair),
        bound=2e-4,  # 20 000 positions, the number of pairs jumps twice a pitch
        source="Ohlendorf (1958)",
    )
    if not quick:
        draw(losses)


def print_row(flanks: str, torque: float, loss: Loss, found: Balance) -> None:
    """Print a row of each table of README.md."""
    against = (loss.involute, loss.touching, loss.equal_split, loss.ohlendorf)
    off = " | ".join(f"{100.0 * (loss.energy_balance / other - 1.0):+.2f} %" for other in against)
    powers = f"{loss.energy_balance:.4f} | {loss.drive_less_load:.4f} | {off} | {100.0 * loss.efficiency:.3f} %"
    print(f"| {flanks} | {torque:g} | {powers} |")
    rest = 100.0 * (found.lost / (found.rigid + found.elastic) - 1.0)
    parts = " | ".join(f"{1e3 * part:.3f}" for part in (found.lost, found.rigid, found.elastic))
    print(f"| {flanks} | {torque:g} | {parts} | {rest:+.3f} % | {1e3 * found.shape:.3f} |", flush=True)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
