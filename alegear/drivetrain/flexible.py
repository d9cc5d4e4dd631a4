"""Flexible teeth in contact as an element of a system: the mesh law ``flexible``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from alegear.ale import ToothWindow
from alegear.arrays import AnyArray
from alegear.contact.forces import (
    N_SHIFTS,
    N_TURNS,
    Deformation,
    ElasticHistory,
    FlexibleContact,
    MeshForces,
    MeshMotion,
    mesh_stiffness,
)
from alegear.contact.hertz.contact import LineContact
from alegear.contact.numbering import GEARS, SPIN
from alegear.drivetrain.gear_mesh import MeshSurroundings
from alegear.errors import NonConvergence
from alegear.system.coordinates import TURN, Array, Indices
from alegear.system.element import Element, ElementEnergy, ElementForces
from alegear.system.model import SystemModel

#: Transmission error, in base pitches, beyond which the search would find other teeth, or none.
LARGEST_ERROR = 0.5
RESOLVED = 4.0  # eps of the centre distance, to which positions on flanks are known


@dataclass(kw_only=True, eq=False)
class FlexibleMeshData:
    """What changes in a mesh: data of the contacts with and without losses, teeth in the window, deformation before.

    Attributes
    ----------
    contact, conservative : data of the contacts
    first_pair : int
        Tooth pair in slot 0.
    before : (MeshForces or Deformation, int) or None
        Forces of the last accepted step, and its first pair.
    history : ElasticHistory or None
        Of the step that is under way.
    """

    contact: Any
    conservative: Any
    first_pair: int = 0
    before: tuple[MeshForces | Deformation, int] | None = None
    history: ElasticHistory | None = None


class FlexibleMesh(Element):
    """A flexible gear pair in contact: forces on the rotations, displacements and modes of both gears.

    The frame of the mesh has its origin in the pinion's mid-face, x towards the axis of the wheel, z along the axes.

    Parameters
    ----------
    name : str
    contact : FlexibleContact
    window : ToothWindow or None
        None: the teeth in the window are those that its data say, at all times.
    surroundings : MeshSurroundings
        Places and modes of pinion and wheel, where they stand, and how perfect gears would move: without that they
        vibrate in so far as their pitch circles do not roll on each other.
    axes : shape (3, 3)
        x, y, z of the mesh in space, one a row.
    driving : int
        The gear that drives: 0 pinion, 1 wheel. Its phase decides which teeth are in the window.
    retardation : float [s]
        Kelvin-Voigt retardation time beta of the mesh: gaps are taken ahead by beta times the rates at which vibration
        changes them (README of the contact, section 6), so that damping gives no energy. The gaps of flanks that roll
        on each other change all the time also without vibration; a damping of that rate would carry load of its own
        and is left out.
    """

    def __init__(
        self,
        *,
        name: str,
        contact: FlexibleContact,
        window: ToothWindow | None = None,
        surroundings: MeshSurroundings,
        axes: Array | None = None,
        driving: int = 0,
        retardation: float = 0.0,
    ) -> None:
        self.name, self.contact, self.window, self.driving = name, contact, window, driving
        self.retardation, self.nominal = retardation, surroundings.nominal
        self.lossless = contact.lossless or contact
        self.r_b = np.array([gear.r_b for gear in contact.pair.gears])
        self.angle = np.array(surroundings.angles)
        rows = [gear.rows_along(np.eye(3) if axes is None else axes) for gear in surroundings.gears]
        self.displaced = any(bool(np.any(part[:N_SHIFTS])) for part in rows)
        self.modal: Indices = np.concatenate(surroundings.modes)
        self.coordinates: Indices = np.unique(
            np.concatenate([*(gear.coordinates for gear in surroundings.gears), self.modal])
        )
        self.rows = self._rows(surroundings, rows)

    def _rows(self, surroundings: MeshSurroundings, rows: list[Array]) -> Array:
        """Coordinates of the mesh by those of the element, shape (n_mesh, n_e)."""
        first_mode = N_TURNS + (2 * N_SHIFTS if self.displaced else 0)
        T = np.zeros((first_mode + len(self.modal), len(self.coordinates)))
        gears = zip(surroundings.gears, surroundings.modes, rows, strict=True)
        for number, (gear, modes, part) in enumerate(gears):
            at = np.searchsorted(self.coordinates, gear.coordinates)
            T[number, at] = SPIN[number] * part[TURN]
            if self.displaced:
                T[N_TURNS + N_SHIFTS * number : N_TURNS + N_SHIFTS * (number + 1), at] = part[:N_SHIFTS]
            T[first_mode : first_mode + len(modes)][:, np.searchsorted(self.coordinates, modes)] = np.eye(len(modes))
            first_mode += len(modes)
        return T

    @property
    def resolution(self) -> Array:
        """Changes of the coordinates that are lost: flanks are known to a few eps of the centre distance, (n_e,)."""
        arms = np.ones(len(self.rows))
        arms[:N_TURNS] = self.r_b
        if self.displaced:
            arms[N_TURNS : N_TURNS + 2 * N_SHIFTS] = np.repeat(self.r_b, N_SHIFTS)
            for gear in range(2):
                first = N_TURNS + N_SHIFTS * gear
                arms[first : first + 3] = 1.0
        length = RESOLVED * np.finfo(float).eps * self.contact.pair.a_w
        known: Array = length / np.abs(arms[:, None] * self.rows).max(axis=0)
        return known

    # ------------------------------------------------------------------------------- motion
    def turned(self, x: Array) -> Array:
        """Rotations of both gears in the running direction from the pitch-point contact of pair 0, shape (2,) [rad]."""
        turned: Array = self.rows[:N_TURNS] @ x + self.angle
        return turned

    def displacements(self, x: Array) -> Array:
        """Displacements and tilts of both gears in the frame of the mesh, of states x (..., n_e), (..., 2, 5)."""
        if not self.displaced:
            return np.zeros((*x.shape[:-1], 2, N_SHIFTS))
        shifts = x @ self.rows[N_TURNS : N_TURNS + 2 * N_SHIFTS].T
        return shifts.reshape(*x.shape[:-1], 2, N_SHIFTS)

    def vibration(self, t: float, speed: Array) -> Array:
        """Speeds of both gears beyond those of perfect gears, shape (2,) [rad/s]."""
        if self.nominal is not None:
            beyond: Array = speed - self.nominal.speed(t)
            return beyond
        rolling = self.r_b * speed
        return np.asarray((rolling - rolling.mean()) / self.r_b, dtype=np.float64)

    def transmission_errors(self, angle: Array) -> Array:
        """Of the driven gear against the driver along the line of action [m], negative under load; angles (..., 2)."""
        driven = 1 - self.driving
        errors: Array = self.r_b[driven] * angle[..., driven] - self.r_b[self.driving] * angle[..., self.driving]
        return errors

    @property
    def largest_error(self) -> float:
        """Transmission error [m] beyond which the search would find other teeth, or none, and the gears be free."""
        return LARGEST_ERROR * self.contact.pair.p_bt

    def motion(self, t: float, x: Array, v: Array, data: FlexibleMeshData, *, gap_offset: bool = True) -> MeshMotion:
        """Kinematic input of the contact; without rates and gap offsets if not `gap_offset`."""
        y, rate = self.rows @ x, self.rows @ v
        first_mode = N_TURNS + (2 * N_SHIFTS if self.displaced else 0)
        beta = self.retardation if gap_offset else 0.0
        given: dict[str, Any] = {}
        if self.displaced:
            shift = slice(N_TURNS, first_mode)
            given["displacement"] = y[shift].reshape(2, N_SHIFTS)
            given["displacement_gap_offset"] = beta * rate[shift].reshape(2, N_SHIFTS)
        if sum(self.contact.mode_counts):
            given |= {"modal": y[first_mode:], "modal_gap_offset": beta * rate[first_mode:], "loads": self.loads(t)}
        angle = y[:N_TURNS] + self.angle
        return MeshMotion(
            phi=angle - data.first_pair * np.asarray(self.contact.pitch_angle),
            omega=rate[:N_TURNS] if gap_offset else np.zeros(N_TURNS),
            first_pair=data.first_pair,
            gap_offset=beta * self.vibration(t, rate[:N_TURNS]),
            history=data.history if gap_offset else None,
            **given,
        )

    def loads(self, t: float) -> Array:
        """Loads of rotation on both gears, as they follow the drive: speed squared, minus acceleration about +z."""
        if self.nominal is None:
            return np.zeros((2, 0))
        return np.column_stack([self.nominal.speed(t) ** 2, -np.array(SPIN) * self.nominal.acceleration(t)])

    def stiffness_of(self, by_coordinate: Array, model: SystemModel) -> float:
        """Mesh stiffness [N/m] of teeth and wheels, the axes held; modes follow as at rest.

        What modes leave in the contact alone would depend on their number.

        Parameters
        ----------
        by_coordinate : shape (n_mesh, n_mesh)
            Derivatives of the forces of the mesh by its coordinates.
        model : SystemModel
            To which it was added.
        """
        torque_phi, m = by_coordinate[:N_TURNS, :N_TURNS], len(self.modal)
        if m:
            K = model.stiffness[np.ix_(self.modal, self.modal)]
            followed = np.linalg.solve(K - by_coordinate[-m:, -m:], by_coordinate[-m:, :N_TURNS])
            torque_phi = torque_phi + by_coordinate[:N_TURNS, -m:] @ followed
        return mesh_stiffness(torque_phi, self.r_b, self.driving)

    # ------------------------------------------------------------------------------- element
    def new_data(self) -> FlexibleMeshData:
        """Room for both contacts, and a window at pair 0."""
        one = self.contact.new_data(displaced=self.displaced)
        return FlexibleMeshData(
            contact=one,
            conservative=one if self.lossless is self.contact else self.lossless.new_data(displaced=self.displaced),
        )

    def begin_step(self, t: float, x: Array, v: Array, h: float, data: FlexibleMeshData) -> None:
        """Choose the teeth in the window (tooth-change) and take over the deformation they have.

        The phase in the middle of the step decides: steps end exactly at the tooth-changes of a driver that is
        prescribed. One on a shaft changes its teeth within a step; pairs that come and go carry nothing then, so that
        nothing shows.
        """
        if self.window is not None:
            middle = self.turned(x - 0.5 * h * v)[self.driving]
            data.first_pair = self.window.first_pair(float(middle) / float(self.contact.pitch_angle[self.driving]))
        data.history = None
        if data.before is not None and h > 0.0:
            forces, first_before = data.before
            data.history = self.contact.history(forces, data.first_pair - first_before, h)

    def evaluate(self, t: float, x: Array, v: Array, data: FlexibleMeshData) -> ElementForces:
        """Contact forces, with the gaps ahead as the retardation asks for."""
        te, n = float(self.transmission_errors(self.turned(x))), len(self.coordinates)
        if abs(te) > self.largest_error:
            return ElementForces.failed(
                n,
                f"the {GEARS[1 - self.driving]} is {1e3 * te:.3g} mm off its position, more than half a pitch, so that "
                "its teeth would pass through others",
            )
        try:
            forces = self.contact.evaluate(data.contact, self.motion(t, x, v, data))
        except NonConvergence as failure:
            return ElementForces.failed(n, str(failure))
        assert forces.by_coordinate is not None
        assert forces.by_gap_offset is not None
        assert forces.by_speed is not None
        T = self.rows
        by_rate = self.retardation * forces.by_gap_offset
        by_rate[:, :N_TURNS] += forces.by_speed
        return ElementForces(
            Q=T.T @ forces.force, by_x=T.T @ forces.by_coordinate @ T, by_v=T.T @ by_rate @ T, response=forces
        )

    def accept(self, t: float, x: Array, v: Array, forces: ElementForces, data: FlexibleMeshData) -> None:
        """Keep the forces, from which a law with a rate of the gap goes on."""
        data.before = (cast("MeshForces", forces.response), data.first_pair)

    def energy(self, t: float, x: Array, v: Array, forces: ElementForces, data: FlexibleMeshData) -> ElementEnergy:
        """Energy of the contact without friction, damping and retardation, and what is lost.

        Where the torques of the contact are not the derivatives of its energy (law hertz: the compliance changes while
        the contact moves over the flanks), drive and load supply the difference; so they do the work of the damping on
        the motion of perfect gears.
        """
        response, T = cast("MeshForces", forces.response), self.rows
        conservative = response
        if self.lossless is not self.contact or self.retardation > 0.0 or response.energy is None:
            motion = self.motion(t, x, v, data, gap_offset=False)
            conservative = self.lossless.evaluate(data.conservative, motion, tangent=False, energy=True)
        assert conservative.energy is not None
        assert conservative.energy_torque is not None
        lost = -response.friction
        damped = conservative.force - response.force + response.friction
        if self.contact.damps:  # all that it takes is lost, from the motion of perfect gears too
            lost, damped = conservative.force - response.force, np.zeros_like(lost)
        rate = T @ v
        vibration = rate.copy()
        vibration[:N_TURNS] = self.vibration(t, rate[:N_TURNS])
        supplied = np.zeros(len(T))
        supplied[:N_TURNS] = conservative.force[:N_TURNS] - conservative.energy_torque
        return ElementEnergy(
            stored=conservative.energy,
            friction=T.T @ lost,
            damping_power=float(damped @ vibration),
            supplied=T.T @ supplied,
            supplied_power=-float(damped @ (rate - vibration)),
        )

    # ------------------------------------------------------------------------------- compiled code
    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """To compiled code it is a mesh, in line contact."""
        return {"mesh": self} if isinstance(self.contact, LineContact) and self.window is not None else None

    def follows(self, model: SystemModel) -> tuple[int, Array]:
        """Number of the prescribed coordinate that perfect gears follow, -1 for none, and the ratio of their speeds."""
        if self.nominal is None:
            return -1, np.zeros(2)
        drives = [one.motion for one in model.prescribed]
        return drives.index(self.nominal.drive), self.nominal.ratio

    # ------------------------------------------------------------------------------- memory
    def memory(self, data: FlexibleMeshData) -> dict[str, AnyArray]:
        """First pair, and what both contacts go on from."""
        forces, first_pair = data.before or (None, 0)
        kept = {"first_pair": np.array(first_pair)}
        kept |= {f"contact_{name}": of for name, of in self.contact.memory(data.contact, forces).items()}
        if data.conservative is not data.contact:
            other = self.lossless.memory(data.conservative, None)
            kept |= {f"lossless_{name}": of for name, of in other.items()}
        return kept

    def recall(self, data: FlexibleMeshData, memory: Mapping[str, AnyArray]) -> None:
        """Take up a memory of the same mesh."""

        def of(prefix: str) -> dict[str, AnyArray]:
            return {name.removeprefix(prefix): v for name, v in memory.items() if name.startswith(prefix)}

        recalled = self.contact.recall(data.contact, of("contact_"))
        if data.conservative is not data.contact:
            self.lossless.recall(data.conservative, of("lossless_"))
        if recalled is not None:
            data.before = (recalled, int(memory["first_pair"]))
