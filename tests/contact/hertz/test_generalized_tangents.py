"""Tangents by all coordinates of a mesh, by what gaps are ahead and by speeds, against differences; passive damping."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from contact_answers import forces_at
from families import mostly_thorough
from line_pairs import contact_of, rotations, vibrating_contact_of

from alegear.contact.forces import N_SHIFTS, N_TURNS
from alegear.contact.hertz.contact import LineContact
from alegear.contact.law import Friction

OMEGA = np.array([100.0, 60.0])  # rad/s: not the ratio of the teeth, and sliding of some 0.5 m/s
FIRST_PAIR = -1
CLOSE = 1e-6  # of the largest entry of a block; differences of order four see 1e-8, where no strip passes a kink
ALIGNED = {"tilt_plane_of_action": 3e-4, "tilt_normal": -2e-4, "axial_offset": 2e-3}
#: Friction laws on long slopes: no point may pass a speed where two steps join. Of a helical pair some slide slowly.
FRICTION = {
    "none": Friction(),
    "coulomb": Friction(kind="coulomb", mu_dynamic=0.08, v_static=3.0),
    "velocity": Friction(kind="velocity", mu_static=0.1, mu_dynamic=0.05, v_static=0.05, v_dynamic=6.0),
    "around standstill": Friction(kind="velocity", mu_static=0.1, mu_dynamic=0.05, v_static=5.0, v_dynamic=6.0),
}
CONTACTS = {
    "spur": {},
    "spur, flank b, coulomb": {"flank": "b", "friction": FRICTION["coulomb"]},
    "spur, relieved, velocity": {"modified": "relieved", "friction": FRICTION["velocity"]},
    "spur, crowned and misaligned": {"modified": "crowned", **ALIGNED},
    "spur, both flanks": {"modified": "thick", "bodies": "both"},
    "spur, both flanks, coulomb": {"modified": "thick", "bodies": "both", "friction": FRICTION["coulomb"]},
    "helical": {"name": "helical"},
    "helical, flank b": {"name": "helical", "flank": "b"},
    "helical, crowned, velocity": {"name": "helical", "modified": "crowned", "friction": FRICTION["around standstill"]},
    "helical, relieved and misaligned": {"name": "helical", "modified": "relieved", **ALIGNED},
    "helical, flank b, misaligned, coulomb": {
        "name": "helical", "flank": "b", "modified": "crowned", "friction": FRICTION["coulomb"], **ALIGNED,
    },
    "helical, both flanks": {"name": "helical", "modified": "thick", "bodies": "both"},
}  # fmt: skip
VIBRATING = (
    "spur",
    "spur, relieved, velocity",
    "spur, both flanks, coulomb",
    "helical, flank b, misaligned, coulomb",
    "helical, crowned, velocity",
)
PHASES = (-0.31, 0.02, 0.27)


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """A contact at drawn coordinates x, and what its gaps are ahead by (n,); its answers with data of their own.

    ``sizes`` (n,): displacements that weigh alike: of lengths 1 m, of angles 1 rad/(50 mm), of modes 1/Omega.
    """

    contact: LineContact
    x: np.ndarray
    gap_offset: np.ndarray
    sizes: np.ndarray
    data: object

    @classmethod
    def drawn(cls, contact: LineContact, phase: float, *, gap_offset: bool, seed: int = 0) -> State:
        """Draw displacements of some micrometres, and modes and gaps ahead that move flanks by some tenths of one."""
        rng = np.random.default_rng(seed)
        both = contact.has_back_flanks
        phi = rotations(contact, phase, 1e-7 if both else 15e-6, FIRST_PAIR)
        shift = 3e-6 * np.array([0.3, 0.3, 1.0, 10.0, 10.0]) * rng.normal(size=(2, N_SHIFTS))
        frequencies = [modes.frequencies for modes in contact.modes] if contact.modes is not None else []
        omega = np.concatenate([*frequencies, []])
        q = rng.normal(size=len(omega)) * 1e3 / omega**2
        sizes = np.concatenate([np.full(2, 20.0), np.tile([1.0, 1.0, 1.0, 20.0, 20.0], 2), omega**-1.0])
        closer = 1e-7 * rng.normal(size=len(sizes)) * sizes
        closer[N_TURNS + 2 * N_SHIFTS :] = rng.normal(size=len(omega)) * 1e2 / omega**2
        return cls(
            contact=contact,
            x=np.concatenate([phi, shift.ravel(), q]),
            gap_offset=closer if gap_offset else np.zeros(len(sizes)),
            sizes=sizes,
            data=contact.new_data(displaced=True),
        )

    @property
    def steps(self) -> np.ndarray:
        """Steps of differences (n,): flanks move by some 2 nm."""
        modes = self.contact.modes or ()
        omega = np.concatenate([*(of.frequencies for of in modes), []])
        return np.concatenate([np.full(2, 5e-8), np.tile([2e-9, 2e-9, 2e-9, 2e-7, 2e-7], 2), 2.0 / omega**2])

    @property
    def blocks(self) -> dict[str, slice]:
        """Coordinates by kind, those that are there."""
        ends = (0, N_TURNS, N_TURNS + 2 * N_SHIFTS, len(self.x))
        names = ("rotations", "displacements", "modes")
        return {name: slice(ends[k], ends[k + 1]) for k, name in enumerate(names) if ends[k] < ends[k + 1]}

    def at(self, x: np.ndarray, gap_offset: np.ndarray, omega: np.ndarray = OMEGA, *, tangent: bool = False):
        """Forces at coordinates, with what gaps are ahead."""
        turns, shifts, modes = slice(0, N_TURNS), slice(N_TURNS, N_TURNS + 2 * N_SHIFTS), N_TURNS + 2 * N_SHIFTS
        return forces_at(
            self.contact,
            x[turns],
            omega,
            data=self.data,
            tangent=tangent,
            first_pair=FIRST_PAIR,
            displacement=x[shifts].reshape(2, N_SHIFTS),
            modal=x[modes:],
            gap_offset=gap_offset[turns],
            displacement_gap_offset=gap_offset[shifts].reshape(2, N_SHIFTS),
            modal_gap_offset=gap_offset[modes:],
        )

    def compare(self, given: np.ndarray, expected: np.ndarray, what: str) -> None:
        """Compare derivatives of the forces by the coordinates block by block, all in one measure."""
        weight = np.outer(self.sizes, self.sizes)
        for row, rows in self.blocks.items():
            for column, columns in self.blocks.items():
                of_block, numbers = ((a * weight)[rows, columns] for a in (given, expected))
                size = np.abs(numbers).max()
                assert size > 0.0
                message = f"{what}: {row} by {column}"
                np.testing.assert_allclose(of_block, numbers, rtol=0.0, atol=CLOSE * size, err_msg=message)


def difference(response, x: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Central differences of order four, one column for each coordinate."""
    columns = []
    for step, e in zip(steps, np.eye(len(x)), strict=True):
        near, far = (response(x + k * step * e) - response(x - k * step * e) for k in (1.0, 2.0))
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.array(columns).T


def check(contact: LineContact, phase: float, *, gap_offset: bool) -> None:
    """Compare all tangents of one state."""
    state = State.drawn(contact, phase, gap_offset=gap_offset)
    forces = state.at(state.x, state.gap_offset, tangent=True)
    assert np.abs(forces.pair_torque).max() > 10.0  # N m
    if contact.has_back_flanks:
        assert np.ptp(np.sign(forces.pair_torque[:, 0])) == 2.0
    by_coordinate = difference(lambda x: state.at(x, state.gap_offset).force, state.x, state.steps)
    state.compare(forces.by_coordinate, by_coordinate, "by coordinate")
    by_gap_offset = difference(lambda a: state.at(state.x, a).force, state.gap_offset, state.steps)
    state.compare(forces.by_gap_offset, by_gap_offset, "by what is ahead")
    by_speed = difference(lambda w: state.at(state.x, state.gap_offset, w).force, OMEGA, np.full(2, 1.0))
    given, numbers = forces.by_speed * state.sizes[:, None], by_speed * state.sizes[:, None]
    if contact.friction.kind == "none":
        assert not forces.by_speed.any()
        return
    for name, rows in state.blocks.items():
        size = np.abs(numbers[rows]).max()
        np.testing.assert_allclose(given[rows], numbers[rows], rtol=0.0, atol=CLOSE * size, err_msg=f"speed: {name}")


def phases_of(name: str) -> tuple[float, ...]:
    """Phases at which to look: with both flanks in contact in the middle of the window."""
    return (0.7, 1.1) if "both" in name else PHASES


def in_turn(names: Iterable[str]) -> list[Any]:
    """Contacts with their gaps as they are and ahead: by turns one of these always, the other one if thorough."""
    always = {(name, i % 2 == 0) for i, name in enumerate(names)}
    return mostly_thorough(product(names, [False, True]), always=always.__contains__)


@pytest.mark.parametrize(("name", "gap_offset"), in_turn(CONTACTS))
def test_rotations_and_displacements(name: str, gap_offset: bool) -> None:
    contact = contact_of(**CONTACTS[name])
    for phase in phases_of(name):
        check(contact, phase, gap_offset=gap_offset)


@pytest.mark.parametrize(("name", "gap_offset"), in_turn(VIBRATING))
def test_modes_too(name: str, gap_offset: bool) -> None:
    contact = vibrating_contact_of(**CONTACTS[name])
    for phase in phases_of(name)[:2]:
        check(contact, phase, gap_offset=gap_offset)


@pytest.mark.parametrize("name", ["spur, crowned and misaligned", "helical", "spur, both flanks"])
@pytest.mark.parametrize("vibrating", [False, True], ids=["", "modes"])
def test_damping_takes_power_from_all_coordinates_at_once(name: str, vibrating: bool) -> None:
    """(F* - F) times the rates of the gaps is never positive, however large the rates (README, section 6)."""
    contact = (vibrating_contact_of if vibrating else contact_of)(**CONTACTS[name])
    rng, still, powers = np.random.default_rng(8), 0, []
    for seed in range(60):
        phase = rng.choice(phases_of(name)) + rng.uniform(-0.1, 0.1)
        state = State.drawn(contact, phase, gap_offset=False, seed=seed)
        drawn = rng.normal(size=len(state.x)) * rng.choice([0.0, 1.0], size=len(state.x))
        drawn[: N_TURNS + 2 * N_SHIFTS] *= state.sizes[
            : N_TURNS + 2 * N_SHIFTS
        ]  # wheels of some kg: modes of unit mass
        beta_rate = 10.0 ** rng.uniform(-8.0, -5.0) * drawn
        free, damped = state.at(state.x, 0.0 * beta_rate), state.at(state.x, beta_rate)
        power, size = (damped.force - free.force) @ beta_rate, np.abs(free.force * beta_rate).sum()
        still += damped.force @ beta_rate == 0.0
        # loads are settled to 1e-13 of the largest
        assert power <= 1e-11 * size
        powers.append(power / max(size, 1e-30))
    assert still < 10
    assert min(powers) < -0.1  # it is felt


def test_a_load_is_never_a_pull() -> None:
    """However fast the flanks part, what damping leaves of the force is nought at the least."""
    contact = contact_of("helical")
    state = State.drawn(contact, 0.02, gap_offset=False)
    for apart in 10.0 ** np.linspace(-7.0, -3.0, 9):
        gap_offset = np.zeros(len(state.x))
        gap_offset[0] = -apart / contact.pair.pinion.r_b  # the driver falls back
        forces = state.at(state.x, gap_offset)
        assert np.all(forces.loaded.record.force >= 0.0)
        assert forces.torque[0] <= 0.0
    assert not forces.torque.any()
