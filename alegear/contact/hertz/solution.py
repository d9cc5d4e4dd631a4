"""Answer of one state of line contact, and what is made of its loaded points on demand.

Torques, tangents and energy come out of :mod:`alegear.contact.hertz.load_kernels`. Loads by slice, resultants and nodal
forces are wanted of the states that are recorded only, and are made of many states at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from alegear.arrays import Array, Indices, Mask
from alegear.contact.forces import MeshForces, SliceLoads
from alegear.contact.hertz import evaluation_kernels
from alegear.contact.hertz.geometry import ContactGeometry
from alegear.contact.hertz.model_kernels import Model, Record, S
from alegear.contact.hertz.profile import reaches_edge
from alegear.contact.line_contact import largest_shear, peak_pressure

PerGear = tuple[Array, Array]


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedPoints:
    """Loaded points of one or many states of a line contact.

    Attributes
    ----------
    contact : ContactGeometry
    model : Model
        What the kernels know of it.
    record : Record
        The points, trimmed to their number; ``sample`` counts the states.
    phi : shape (n_samples, 2) [rad]
    first_pair : shape (n_samples,)
        Tooth pair in slot 0.
    """

    contact: ContactGeometry
    model: Model
    record: Record
    phi: Array
    first_pair: Indices

    def __len__(self) -> int:
        return len(self.phi)

    def slices(self) -> SliceLoads:
        """Contact by tooth pair and slice, arrays (n_samples, n_pairs, n_slices)."""
        contact, r = self.contact, self.record
        shape = (len(self), contact.n_pairs, len(contact.face))
        load, pressure, edge_pressure = np.zeros((3, *shape))
        half_width, shear, roll = (np.full(shape, np.nan) for _ in range(3))
        at = (r.sample, r.pair_of, r.slice_of)
        b = r.half_width
        np.add.at(load, at, r.force / contact.face.width)
        p = peak_pressure(r.force / (r.touching * contact.contact_length), b)
        on_edge = self.on_edge()
        np.maximum.at(pressure, at, np.where(on_edge, 0.0, p))
        np.maximum.at(edge_pressure, at, np.where(on_edge, p, 0.0))
        # of several points of a pair in a slice that of the highest pressure counts, written last
        order = np.argsort(p, kind="stable")
        at = (r.sample[order], r.pair_of[order], r.slice_of[order])
        half_width[at] = b[order]
        shear[at] = largest_shear(p, b)[0][order]
        roll[at] = contact.pair.pinion.tooth_profile.roll_length(r.table[order, S])
        return SliceLoads(
            line_load=load,
            pressure=pressure,
            edge_pressure=edge_pressure,
            half_width=half_width,
            shear_stress=shear,
            roll_length=roll,
        )

    def on_edge(self) -> Mask:
        """Whether each strip reaches onto a tip round or an undercut edge of either gear, shape (m,).

        A strip that an edge cuts off is narrower than one of the same load on the flanks, and its pressure that of the
        edge, even where its contact point lies on both flanks.
        """
        r = self.record
        middle = (r.table[:, S] + r.strip_place, r.table[:, S + 1] - r.strip_place)
        on_edge = np.zeros(len(r.force), dtype=np.bool_)
        for number, side in enumerate((self.model.loaded, self.model.back)):
            here = r.side_of == number
            for gear, profile in enumerate((side.pinion, side.wheel)):
                row = self.profile_rows[gear, here]
                on_edge[here] |= reaches_edge(profile, row, middle[gear][here], r.half_width[here])
        return on_edge

    @cached_property
    def profile_rows(self) -> Indices:
        """Which of the profiles of pinion and wheel touch at each point, shape (2, m)."""
        r = self.record
        rows = np.zeros((2, len(r.force)), dtype=np.int64)
        for number, side in enumerate((self.model.loaded, self.model.back)):
            here = np.flatnonzero(r.side_of == number)
            pair = self.first_pair[r.sample[here]] + r.pair_of[here]
            for gear, (profile, lead) in enumerate(((side.pinion, 0), (side.wheel, side.wheel_lead))):
                rows[gear, here] = profile.row_of[(pair + lead) % len(profile.row_of), r.slice_of[here]]
        return rows

    def unit_forces(self) -> tuple[Array, Array, Array]:
        """What a unit load of each point exerts on the pinion, in space, each (m, 3).

        Returns
        -------
        force, normal : with and without friction
        place : [m]
            Where it acts, from the pinion's axis where that stands in the section, and from its mid-face.
        """
        r = self.record
        return r.normal + r.mu[:, None] * r.tangent, r.normal, r.place

    def resultants(self) -> tuple[Array, Array]:
        """Contact force and moment on the pinion about the centre of its mid-face, in space, each (n_samples, 3).

        The moment about z is that about the pinion's own axis; those across it are of a force half-way between where
        displaced gears have it (README, section 9).
        """
        unit, _, place = self.unit_forces()
        force, moment = np.zeros((len(self), 3)), np.zeros((len(self), 3))
        each = self.record.force[:, None] * unit
        about_axis = np.cross(place, each)[:, 2]
        half_way = place.copy()
        half_way[:, :2] += 0.5 * (np.array([self.contact.pair.a_w, 0.0]) - self.record.axis)
        np.add.at(force, self.record.sample, each)
        np.add.at(moment, self.record.sample, np.cross(half_way, each))
        moment[:, 2] = np.bincount(self.record.sample, about_axis, minlength=len(self))
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
            evaluation_kernels.nodal_forces(
                r.sample, r.slice_of, r.first, r.e, r.force, gear,
                self.model.n_axes, len(body.grid.cols_z), offset, first_col, weight, force,
            )  # fmt: skip
            out.append(force)
        return out[0], out[1]


@dataclass(frozen=True, kw_only=True, eq=False)
class LineContactForces(MeshForces):
    """Answer of a line contact.

    Attributes
    ----------
    loaded : LoadedPoints
        Of this one state.
    iterations : int
        Of the loads; 0 where nothing touches.
    """

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
