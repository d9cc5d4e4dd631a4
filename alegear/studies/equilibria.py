"""Equilibria of a machine at positions of its drives: one Newton for all shafts, bearings and meshes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from alegear.ale import ToothWindow
from alegear.arrays import Array
from alegear.contact.forces import MeshForces
from alegear.drivetrain.gear_mesh import PreparedMesh
from alegear.drivetrain.machine import MachineSystem
from alegear.errors import NonConvergence
from alegear.studies.mesh_solver import ITERATIONS, ROUGHLY, TORQUE_TOLERANCE, MeshSolver
from alegear.studies.meshes import machine_of, modes_of, ready_meshes
from alegear.system.continuation import clearance_continuation, error_continuation, load_continuation, with_clearance
from alegear.system.equilibrium import Equilibrium, solve_equilibrium
from alegear.system.model import SystemData, SystemModel
from alegear.system.profiles import PiecewiseCubic
from alegear.system.start import on_carriers
from alegear.system.time_integration.newton import NewtonParameters

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.studies.preparation import PreparedPair


#: Sweeps over several meshes in the search of a first guess: displacements change with the loads, which hardly change.
SWEEPS = 2
#: Round-off of overlaps that a carrier sees, over the radius at which teeth act.
ROUND_OFF = 100.0 * float(np.finfo(np.float64).eps)
_NEWTON = NewtonParameters(tolerance=TORQUE_TOLERANCE, max_iterations=ITERATIONS, max_halvings=12)
_GUESS = replace(_NEWTON, tolerance=1e-8)


@dataclass(frozen=True, kw_only=True, eq=False)
class MachinePosition:
    """Equilibrium of a machine at one position.

    Attributes
    ----------
    angles : mapping of str to float [rad]
        Rotations of the drives in their sense, if gears were perfect.
    x : shape (n,)
        All coordinates.
    equilibrium : Equilibrium
    first_pair : mapping of str to int
        Tooth pair in slot 0, by flexible mesh.
    forces : mapping of str to MeshForces
    """

    angles: Mapping[str, float]
    x: Array
    equilibrium: Equilibrium
    first_pair: Mapping[str, int]
    forces: Mapping[str, MeshForces]

    @property
    def angle(self) -> float:
        """That of the first drive."""
        return next(iter(self.angles.values()))


def added_torques(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Torques by place, those of both together."""
    return {place: first.get(place, 0.0) + second.get(place, 0.0) for place in {**first, **second}}


class MachineSolver:
    """Equilibria of a machine under constant torques.

    One train after the other could be held at different angles; all drives turn together here, as their speeds have it.

    Parameters
    ----------
    case : MachineCase
    prepared : mapping of str to PreparedPair
        Of the meshes that are contacts.
    windows : mapping of str to ToothWindow
        Likewise.
    torques : mapping of str to float, optional [N m]
        Of all loads, against the rotation, while drives are held; default: those of the case, a load that reacts held.
    speeds : mapping of str to PiecewiseCubic, optional [rad/s]
        By drive, about the direction of its shaft, where the equilibrium is that of a motion at t = 0: of wheels that
        vibrate it has the growth by rotation in it.
    outer : mapping of str to float, optional [N m]
        Torques from outside that parts exert, by place about its axis, for first guesses: equilibria have what the
        parts themselves say. Default: the largest.
    pressing : mapping of str to float, optional [N m]
        Torques on places about their axes, besides: under which flanks touch that nothing loads yet.
    ready : mapping of str to PreparedMesh, optional
        All meshes; default: as in statics.
    """

    def __init__(
        self,
        case: MachineCase,
        prepared: Mapping[str, PreparedPair],
        windows: Mapping[str, ToothWindow],
        torques: Mapping[str, float] | None = None,
        *,
        speeds: Mapping[str, PiecewiseCubic] | None = None,
        outer: Mapping[str, float] | None = None,
        pressing: Mapping[str, float] | None = None,
        ready: Mapping[str, PreparedMesh] | None = None,
    ) -> None:
        self.case, self.layout, self.machine = case, case.layout, machine_of(case, prepared)
        self._prepared = prepared
        self.windows, self._of_loads, self._speeds = windows, torques, speeds
        self._given_outer, self._pressing = outer, dict(pressing or {})
        self._outer = added_torques(self.layout.outer if outer is None else outer, self._pressing)
        powers = self.layout.powers(self.torque, self._outer)
        self.ready = ready_meshes(case, prepared) if ready is None else ready
        self.system = self._in_statics()
        self._look_at_flanks()
        self.data: SystemData = self.system.model.new_data()
        self.solvers = {name: self._alone(name, prepared[name], powers[name]) for name in self.system.contacts}
        #: Whether errors grow from solver to solver already.
        self._grows = False

    def _in_statics(self) -> MachineSystem:
        parts = {
            place.mesh.name: place.mesh.law.in_statics(self.ready[place.mesh.name]) for place in self.layout.meshes
        }
        machine = self.machine.in_statics
        return machine.build(parts, speeds=self._speeds, modes=modes_of(self.ready), moves=False, locked=True)

    def _look_at_flanks(self) -> None:
        """Find which flanks of planetary sets carry, and put the system together with these."""
        sets: list[Any] = [part for part in self.machine.parts if part.elastic]
        if not sets:
            return
        model, x, _ = self._on_springs(np.zeros(self.system.model.n))
        self.machine = replace(self.machine, senses={part.name: part.sense_of(model, x) for part in sets})
        self.system = self._in_statics()

    def _alone(self, mesh: str, prepared: PreparedPair, power: float) -> MeshSolver:
        """The two gears of a mesh by themselves under the power that it carries here, displaced as the machine has it.

        Power is a torque at the drive [N m].
        """
        place = self.layout.place(mesh)
        torque = math.copysign(power / place.ratios[0], place.driving_torque)
        alone = MeshSolver.of(self.case.pair_case(place), prepared.contact, torque=torque)
        element = self.system.contacts[mesh]
        # with normal modes as coordinates the contact is another one, of what these leave of the bodies
        same = element.contact is alone.contact
        data = self.data.elements[self.system.number_of(mesh)].contact if same else None
        return replace(alone, displaces=element.displaced, data=data)

    @cached_property
    def parameters(self) -> NewtonParameters:
        """Of Newton's iterations; forces of teeth between planets are known to their round-off only."""
        scales, carriers = self.machine.scales, [e.rotates_with_carrier for e in self.system.model.elements]
        if not any(carriers):
            return _NEWTON
        return replace(_NEWTON, tolerance=max(_NEWTON.tolerance, ROUND_OFF * scales.radius / scales.deflection))

    # ------------------------------------------------------------- boundaries
    @property
    def torque(self) -> Mapping[str, float]:
        """Torques [N m] of drives and loads."""
        return self.layout.torque if self._of_loads is None else self.layout.balanced(self._of_loads, self._outer)

    @cached_property
    def held(self) -> list[int]:
        """The coordinate of each train that is held: of the load that reacts, else of the drive.

        Of two gears by themselves that of the load, whatever is given: positions are those of the driven gear.
        """
        held = []
        for drive in self.layout.drives.values():
            loads = self.layout.loads.values() if self._of_loads is None else ()
            preset = self.case.preset is not None
            own = [one for one in loads if self.layout.drive_of[one.shaft].name == drive.name]
            reacting = [one for one in own if one.balances_drive or preset]
            place = self.machine.load_place(reacting[0].name) if reacting else self.machine.drive_place(drive.name)
            held.append(self.system.rotation(place))
        return held

    @cached_property
    def balancing(self) -> list[int]:
        """The coordinate of each train whose torque follows from the others: the held one, or that of a drive."""
        if self.case.preset is None or self._of_loads is not None:
            return self.held
        (drive,), (load,) = self.layout.drives, self.layout.loads.values()
        return self.held if load.balances_drive else [self.system.rotation(self.machine.drive_place(drive))]

    @cached_property
    def applied(self) -> dict[int, float]:
        """Torques on coordinates [N m]: of all drives and loads but those that balance."""
        applied: dict[int, float] = {}
        for drive in self.layout.drives.values():
            at = self.system.rotation(self.machine.drive_place(drive.name))
            applied[at] = applied.get(at, 0.0) + drive.sense * self.torque[drive.name]
        for load in self.layout.loads.values():
            at = self.system.rotation(self.machine.load_place(load.name))
            turn = math.copysign(1.0, self.layout.ratio[load.shaft])
            applied[at] = applied.get(at, 0.0) - turn * self.torque[load.name]
        for place, torque in self._pressing.items():
            at = self.system.rotation(place)
            applied[at] = applied.get(at, 0.0) + torque
        return {at: torque for at, torque in applied.items() if at not in self.balancing}

    def speeds(self) -> Array:
        """Rates of perfect gears, shape (n,) [rad/s]."""
        if self._speeds is not None:
            return self._turned({name: abs(profile.value(0.0)) for name, profile in self._speeds.items()})
        return self._turned({d.name: d.size_of_speed for d in self.layout.drives.values()})

    def nominal(self, angles: Mapping[str, float]) -> Array:
        """All coordinates of perfect gears whose drives have turned so far, shape (n,)."""
        x = self._turned(angles)
        return on_carriers(self.system.model, x, np.zeros_like(x))[0]

    def _turned(self, angles: Mapping[str, float]) -> Array:
        return np.sum([self.system.nominal(drive, angle) for drive, angle in angles.items()], axis=0)

    # ------------------------------------------------------------ first guess
    def _on_springs(self, perfect: Array, factor: float = 1.0) -> tuple[SystemModel, Array, Array]:
        """The machine on springs in place of teeth, under so many times the torques.

        Returns
        -------
        model : SystemModel
        x, start : shape (n,)
            Its coordinates, and where they are without deflections.
        """
        meshes = [place.mesh for place in self.layout.meshes]
        parts = {mesh.name: mesh.law.on_springs(self.ready[mesh.name]) for mesh in meshes}
        system = self.machine.on_springs.build(parts, modes=modes_of(self.ready), moves=False, locked=True)
        data = system.model.new_data()
        start = perfect if with_clearance(system.model, data) else np.zeros_like(perfect)
        applied = {at: factor * torque for at, torque in self.applied.items()}

        def solve(x: Array) -> Equilibrium:
            held = {at: float(start[at]) for at in self.held}
            rates = on_carriers(system.model, perfect, self.speeds())[1]
            return solve_equilibrium(
                system.model,
                data,
                held=held,
                reacting=self.balancing,
                applied=applied,
                x=x,
                rates=rates,
                parameters=_GUESS,
            )

        return system.model, clearance_continuation(system.model, data, start, solve).x, start

    def _first(self, perfect: Array, factor: float = 1.0) -> Array:
        """Displacements (n,) on springs in place of teeth where perfect gears have turned so, under so much load."""
        _, x, start = self._on_springs(perfect, factor)
        return x - start

    def _guess(self, perfect: Array, displaced: Array, given: Mapping[str, int]) -> Array:
        """Coordinates near the equilibrium: displacements as given, each mesh closed until it carries its torque."""
        x = perfect + displaced
        for _ in range(SWEEPS if len(self.solvers) > 1 else 1):
            for name, solver in self.solvers.items():
                mesh, place = self.system.contacts[name], self.layout.place(name)
                driving, driven = place.driving, 1 - place.driving
                turned = mesh.turned(x[mesh.coordinates])
                pitch = np.asarray(mesh.contact.pitch_angle)
                phase = float(turned[driven] / pitch[driven])
                shift = mesh.displacements(x[mesh.coordinates])
                deflection = (float(turned[driving]) - phase * pitch[driving]) * mesh.r_b[driving]
                first_pair = given.get(name, self.first_pair(name, turned))
                wanted = solver.turned(phase, first_pair, abs(deflection), ROUGHLY, shift).deflection
                self._turn(x, name, (wanted - deflection) / float(mesh.r_b[driving]))
            for place in self.layout.meshes:
                ahead = self.system.parts[place.mesh.name].ahead(place, self.system.model, x)
                if ahead:
                    ahead = math.copysign(ahead, ahead * place.driving_torque)
                    self._turn(x, place.mesh.name, ahead / place.pair.gears[place.driving].r_b)
        return x

    def _turn(self, x: Array, mesh: str, angle: float) -> None:
        """Turn the side of a mesh that is not held, so that its driver turns ahead by an angle."""
        place = self.layout.place(mesh)
        gears = [self.layout.gears[name].shaft for name in place.mesh.gears]
        driving, driven = gears[place.driving], gears[1 - place.driving]
        side = self._side_without(mesh, driving)
        if driven in side:  # a closed train: its other meshes hold it
            return
        held = any(int(at) in self.held for shaft in side for at in self.system.turned[shaft])
        if held:  # turn the other side back
            side = self._side_without(mesh, driven)
            angle = -angle * abs(self.layout.ratio[driven]) / abs(self.layout.ratio[driving])
            driving = driven
        for shaft in side:
            ratio = self.layout.ratio[shaft] / abs(self.layout.ratio[driving])
            x[self.system.turned[shaft]] += ratio * angle

    def _side_without(self, mesh: str, shaft: str) -> set[str]:
        """Shafts that hang together with one if a mesh is taken out."""
        found, waiting = {shaft}, [shaft]
        while waiting:
            one = waiting.pop()
            for name, ends in self.layout.joined:
                if name != mesh and one in ends:
                    other = ends[1 - ends.index(one)]
                    if other not in found:
                        found.add(other)
                        waiting.append(other)
        return found

    # ------------------------------------------------------------ equilibrium
    def _with_errors(self, part: float) -> MachineSolver:
        """The machine with such a part of the errors of its pins."""
        parts = tuple(one.with_pin_errors(part) for one in self.case.parts)
        found = MachineSolver(
            replace(self.case, parts=parts),
            self._prepared,
            self.windows,
            self._of_loads,
            speeds=self._speeds,
            outer=self._given_outer,
            pressing=self._pressing,
            ready=self.ready,
        )
        found._grows = True
        return found

    def first_pair(self, mesh: str, turned: Array) -> int:
        """Tooth pair in slot 0 by the phase of the driven gear."""
        driven = 1 - self.layout.place(mesh).driving
        pitch = self.system.contacts[mesh].contact.pitch_angle[driven]
        return self.windows[mesh].first_pair(float(turned[driven]) / float(pitch))

    def transmission_error(self, mesh: str, position: MachinePosition) -> float:
        """Of a flexible mesh at a position [m], negative under load."""
        element = self.system.contacts[mesh]
        return float(element.transmission_errors(element.turned(position.x[element.coordinates])))

    def solve(
        self,
        angles: Mapping[str, float],
        before: MachinePosition | None = None,
        first_pairs: Mapping[str, int] | None = None,
    ) -> MachinePosition:
        """Find the equilibrium where perfect gears would have turned the drives by angles [rad], in their sense.

        Parameters
        ----------
        angles : mapping of str to float
        before : MachinePosition, optional
            Another position, from whose displacements the search begins.
        first_pairs : mapping of str to int, optional
            Tooth pair in slot 0 of each flexible mesh; default: by their windows.

        Raises
        ------
        NonConvergence
            With the angle, the residual and what to try.
        """
        perfect = self.nominal(angles)
        displaced = self._first(perfect) if before is None else before.x - self.nominal(before.angles)
        first = next(iter(angles.values()))
        given = dict(first_pairs or {})
        x = self._guess(perfect, displaced, given)
        pairs = {}
        for name, mesh in self.system.contacts.items():
            pairs[name] = given.get(name, self.first_pair(name, mesh.turned(x[mesh.coordinates])))
            self.data.elements[self.system.number_of(name)].first_pair = pairs[name]

        def solve(start: Array, factor: float = 1.0) -> Equilibrium:
            return solve_equilibrium(
                self.system.model,
                self.data,
                held={at: float(perfect[at]) for at in self.held},
                reacting=self.balancing,
                applied={at: factor * torque for at, torque in self.applied.items()},
                x=start,
                rates=on_carriers(self.system.model, perfect, self.speeds())[1],  # dampers of pins turn with them
                parameters=self.parameters,
            )

        try:
            try:
                found = solve(x)
            except NonConvergence as refused:
                if with_clearance(self.system.model, self.data):
                    found = clearance_continuation(self.system.model, self.data, x, solve)
                elif self.machine.senses:  # planets let go
                    try:
                        found = load_continuation(
                            lambda factor, start: solve(start, factor),
                            lambda f: perfect + self._first(perfect, f),
                            refused,
                        )
                    except NonConvergence:
                        if self._grows or not any(part.has_pin_errors for part in self.case.parts):
                            raise
                        nearly = error_continuation(
                            lambda part, last: self._with_errors(part).solve(angles, last), refused
                        )
                        found = solve(nearly.x)
                else:
                    raise
        except NonConvergence as failure:
            where = f"drive turned by {first:.6g} rad, {failure.where}"
            raise NonConvergence(where, failure.residual, failure.tolerance, failure.remedy) from failure
        forces = {
            name: cast("MeshForces", found.forces.elements[self.system.number_of(name)].response)
            for name in self.system.contacts
        }
        return MachinePosition(angles=dict(angles), x=found.x, equilibrium=found, first_pair=pairs, forces=forces)
