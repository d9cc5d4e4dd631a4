"""Answer of one state of line contact, and what is made of its loaded points on demand.

Torques, tangents and energy come out of :mod:`alegear.contact.hertz.load_kernels`. Loads by slice, resultants and nodal
forces are wanted of the states that are recorded only, and are made of many states at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alegear.contact.forces import SliceLoads
from alegear.contact.hertz import load_kernels
from alegear.contact.hertz.approach_kernels import points_on
from alegear.contact.hertz.model_kernels import GAP, NX, NY, SIGN, Record, S
from alegear.contact.line_contact import largest_shear, peak_pressure
from alegear.contact.numbering import PINION

if TYPE_CHECKING:
    from alegear.contact.hertz.contact import LineContact

Array = NDArray[np.float64]
PerGear = tuple[Array, Array]


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedPoints:
    """Loaded points of one or many states of a line contact.

    Attributes
    ----------
    contact : LineContact
    record : Record
        The points, trimmed to their number; ``sample`` counts the states.
    phi : shape (n_samples, 2) [rad]
    first_pair : shape (n_samples,)
        Tooth pair in slot 0.
    """

    contact: LineContact
    record: Record
    phi: Array
    first_pair: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.phi)

    def slices(self) -> SliceLoads:
        """Contact by tooth pair and slice, arrays (n_samples, n_pairs, n_slices)."""
        contact, r = self.contact, self.record
        shape = (len(self), contact.n_pairs, len(contact.face))
        load, pressure = np.zeros(shape), np.zeros(shape)
        half_width, shear, roll = (np.full(shape, np.nan) for _ in range(3))
        at = (r.sample, r.pair_of, r.slice_of)
        cos = float(contact.sides[0].axial[0])
        b = r.half_width * cos  # normal to the line of contact
        np.add.at(load, at, r.force / contact.face.width)
        p = peak_pressure(r.force / contact.contact_length, b)
        np.maximum.at(pressure, at, p)
        half_width[at] = b
        shear[at] = largest_shear(p, b)[0]
        roll[at] = contact.pair.pinion.tooth_profile.roll_length(r.table[:, S])
        return SliceLoads(
            line_load=load, pressure=pressure, half_width=half_width, shear_stress=shear, roll_length=roll
        )

    def resultants(self) -> tuple[Array, Array]:
        """Contact force and moment on the pinion about the centre of its mid-face, in space, each (n_samples, 3)."""
        contact, r = self.contact, self.record
        force, moment = np.zeros((len(self), 3)), np.zeros((len(self), 3))
        for number, side in enumerate(contact.sides):
            mine = np.flatnonzero(r.side_of == number)
            sample, slot, k = r.sample[mine], r.pair_of[mine], r.slice_of[mine]
            F, table, mu = r.force[mine], r.table[mine], r.mu[mine]
            angle = side.side * contact.tooth_angle(PINION, self.phi[sample].T, slot) + side.twist[PINION][k]
            turn = np.exp(1j * angle)
            n = (table[:, NX] + 1j * table[:, NY]) * turn  # outward normal of P
            t = -1j * n
            # the force pushes A away from P
            on_pinion = table[:, SIGN]
            cos, axial = side.axial
            f = F * on_pinion * (cos * n + mu * t)
            f_z = F * on_pinion * np.where(on_pinion < 0.0, axial, -axial)
            profile = contact.profiles[number][PINION]
            x, y = points_on(profile.knots, profile.curve, k, np.ascontiguousarray(table[:, S]))
            # everything acts at A's point, which the gap parts from that of the pinion where the wheel is A
            added = contact.added_material(side, self.first_pair[sample] + slot)
            place = (x + 1j * y) * turn + np.where(on_pinion < 0.0, table[:, GAP] / cos + added, 0.0) * n
            fx, fy, px, py, pz = f.real, side.side * f.imag, place.real, side.side * place.imag, contact.face.z[k]
            np.add.at(force, sample, np.column_stack([fx, fy, f_z]))
            lever = np.column_stack([py * f_z - pz * fy, pz * fx - px * f_z, px * fy - py * fx])
            np.add.at(moment, sample, lever)
        return force, moment

    def nodal_forces(self) -> PerGear:
        """Forces on the nodes of the tooth faces of both gears, each (n_samples, n_dof) [N]."""
        contact, r = self.contact, self.record
        out = []
        for gear, body in enumerate(contact.bodies):
            first_col, weight = contact.columns[gear]
            force = np.zeros((len(self), body.n_dof))
            starts = np.stack([contact.slot_offsets(gear, side) for side in contact.sides])
            offset = starts[r.side_of, r.slot[:, gear]]
            load_kernels.nodal_forces(
                r.sample, r.slice_of, r.first, r.e, r.force, gear,
                contact.model.n_axes, len(body.grid.cols_z), offset, first_col, weight, force,
            )  # fmt: skip
            out.append(force)
        return out[0], out[1]


@dataclass(frozen=True, kw_only=True, eq=False)
class LineContactForces:
    """Answer of a line contact; see :class:`alegear.contact.forces.ContactForces`.

    Attributes
    ----------
    loaded : LoadedPoints
        Of this one state.
    iterations : int
        Of the loads; 0 where nothing touches.
    """

    torque: Array
    pair_torque: Array
    torque_phi: Array | None
    torque_omega: Array | None
    energy: float | None
    energy_torque: Array | None
    loaded: LoadedPoints
    iterations: int

    @cached_property
    def slices(self) -> SliceLoads:
        """Contact by tooth pair and slice of the face."""
        many = self.loaded.slices()
        return SliceLoads(**{name: values[0] for name, values in vars(many).items()})

    @cached_property
    def face_force(self) -> PerGear:
        """Forces on the nodes of the window's tooth faces."""
        pinion, wheel = self.loaded.nodal_forces()
        return pinion[0], wheel[0]

    @cached_property
    def _resultant(self) -> tuple[Array, Array]:
        force, moment = self.loaded.resultants()
        return force[0], moment[0]

    @property
    def force_on_pinion(self) -> Array:
        """Resultant force on the pinion [N]."""
        return self._resultant[0]

    @property
    def moment_on_pinion(self) -> Array:
        """Resultant moment on the pinion about the centre of its mid-face [N m]."""
        return self._resultant[1]
