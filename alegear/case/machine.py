"""A case of a machine: shafts, gears, bearings, meshes, drives and loads, and what is to be computed, in SI units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from alegear.case.analysis import MachineStatic, ModalAnalysis, StaticAnalysis
from alegear.case.case import Case
from alegear.case.digest import case_digest
from alegear.case.dynamic import DynamicAnalysis
from alegear.case.faults import MISSING, CaseFault, CaseFaults, Finding, shown
from alegear.case.gears import chosen_options
from alegear.case.machine_rules import (
    check_unloaded,
    normal_modes,
    orders,
    over_time,
    raised_by,
    refuse,
    space,
    sweep,
)
from alegear.case.mesh_period import output_every, shortest_period
from alegear.case.motion_in_time import Kinematics, RotationalMotion, SpatialMotion
from alegear.case.operation import Operation, check_gravity
from alegear.case.output import OutputOptions, OutputPoint, off_its_tooth, without_effect
from alegear.case.supports import check_bearings
from alegear.case.sweep import SweepAnalysis
from alegear.case.tables import is_machine, read_tables
from alegear.contact.wear import WearConditions
from alegear.drivetrain.bearing import ShaftBearing
from alegear.drivetrain.gear_mesh import GearMesh, MeshPart, MeshPlace, PreparedMesh
from alegear.drivetrain.housing import Housing
from alegear.drivetrain.layout import Layout
from alegear.drivetrain.machine import MachineParts, MachineSystem
from alegear.drivetrain.parts import Drive, ShaftGear, TorqueLoad
from alegear.drivetrain.rotational.speed_relations import with_places_named
from alegear.drivetrain.shaft import Shaft
from alegear.errors import Fault
from alegear.limits import check_type, described, path_of
from alegear.short_repr import ShortRepr
from alegear.system.controllers import Controller
from alegear.system.coordinates import ROTATION
from alegear.system.equilibrium import check_joints, not_held
from alegear.system.machine_part import MachinePart, check_named, check_part
from alegear.system.motion import SystemMotion
from alegear.system.ode import SystemOde
from alegear.system.profiles import PiecewiseCubic
from alegear.system.start import consistent_start, start_with_joints

Analysis = MachineStatic | DynamicAnalysis | ModalAnalysis | RotationalMotion | SpatialMotion | Kinematics
#: Parts of a motion at whose ends torques from outside are evaluated, for scales and for the flanks that carry.
INSTANTS = 32
PARTS: dict[str, type] = {
    "shafts": Shaft,
    "gears": ShaftGear,
    "meshes": GearMesh,
    "bearings": ShaftBearing,
    "housings": Housing,
    "drives": Drive,
    "loads": TorqueLoad,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class MachineCase(ShortRepr):
    """A complete and consistent case of a machine.

    Parameters
    ----------
    title : str
    shafts : tuple of Shaft
    gears : tuple of ShaftGear
    meshes : tuple of GearMesh
    bearings : tuple of ShaftBearing
    housings : tuple of Housing
    drives : tuple of Drive
    loads : tuple of TorqueLoad
    parts : tuple of parts
        That only turn (:mod:`alegear.drivetrain.rotational`), or are in space (:mod:`alegear.drivetrain.spatial`).
    gravity : tuple of three float [m/s2]
        In space.
    wear : WearConditions
        Of the flash temperature in flexible meshes.
    analysis : MachineStatic, DynamicAnalysis, SweepAnalysis or ModalAnalysis
        RotationalMotion of torsional parts, SpatialMotion or Kinematics of bodies in space.
    output : OutputOptions
    path : Path or None
    preset : Case or None
        The two gears that it was made of (:func:`alegear.case.pair_machine.machine_of`): what is stored of it are the
        results of their mesh.

    Raises
    ------
    Fault
        For parts that do not fit each other, with their names.
    """

    title: str = "machine"
    shafts: tuple[Shaft, ...] = ()
    gears: tuple[ShaftGear, ...] = ()
    meshes: tuple[GearMesh, ...] = ()
    bearings: tuple[ShaftBearing, ...] = ()
    housings: tuple[Housing, ...] = ()
    drives: tuple[Drive, ...] = ()
    loads: tuple[TorqueLoad, ...] = ()
    parts: tuple[MachinePart, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    wear: WearConditions = field(default_factory=WearConditions)
    analysis: Analysis
    output: OutputOptions = field(default_factory=OutputOptions)
    path: Path | None = None
    preset: Case | None = None

    def __post_init__(self) -> None:
        check_type(self, "title", str)
        for name, given in self._on_axes.items():
            kind = PARTS[name]
            if not isinstance(given, tuple) or not all(isinstance(one, kind) for one in given):
                raise Fault(f"MachineCase.{name}", described(given), f"a tuple of {kind.__name__}", "correct it")
        self._check_parts()
        object.__setattr__(self, "parts", tuple(with_places_named(one) for one in self.parts))
        self._refuse(space(self.parts, self.analysis, self._on_axes))
        needed = () if self.parts else ("shafts", "gears", "meshes", "drives", "loads")
        missing = [name for name in needed if not getattr(self, name)]
        self._refuse(Fault(f"{name} of the machine", 0, "at least 1", f"add [{name}.name]") for name in missing)
        check_type(self, "analysis", get_args(Analysis))
        check_type(self, "output", OutputOptions)
        check_type(self, "wear", WearConditions)
        check_gravity(self.gravity, "MachineCase.gravity")
        self._refuse(self._without_effect())
        self._check_output()
        for place in self.layout.meshes:
            if place.mesh.law.needs_contact:
                self.pair_case(place)  # all that a pair is checked for
        self._check_system()

    @property
    def is_torsional(self) -> bool:
        """Whether its motion is that of a torsional machine about fixed axes, without tooth contact."""
        return isinstance(self.analysis, RotationalMotion)

    @property
    def mesh_period(self) -> float:
        """Shortest time in which a tooth follows another, at the largest speeds [s]; infinite where nothing turns."""
        return shortest_period(self)

    @property
    def is_constant(self) -> bool:
        """Whether speeds and torques are constant once they are reached."""
        return all(one.speed_table is None for one in self.drives) and all(
            one.torque_table is None for one in self.loads
        )

    @property
    def idles(self) -> bool:
        """Whether its loads exert nothing: those that it has are for scales, and for the flanks that touch."""
        return self.preset is not None and self.preset.idles

    @property
    def in_space(self) -> bool:
        """Whether it has bodies that move and turn freely in space."""
        return isinstance(self.analysis, SpatialMotion | Kinematics)

    @property
    def _can_turn(self) -> bool:
        """Whether all turns about axes that are held, and no mesh is a contact."""
        held = all(shaft.fixed_axis for shaft in self.shafts) and not self.housings
        return held and not any(mesh.law.needs_contact for mesh in self.meshes)

    def _check_parts(self) -> None:
        if not isinstance(self.parts, tuple):
            raise Fault("MachineCase.parts", described(self.parts), "a tuple of parts", "correct it")
        for one in self.parts:
            check_part(one, "MachineCase.parts")
            check_named(one, "MachineCase.parts")
        turns = isinstance(self.analysis, RotationalMotion)
        if turns and not self._can_turn:
            limit = "DynamicAnalysis of a machine with displacements or teeth in contact"
            raise Fault("analysis", "RotationalMotion", limit, "give ag.DynamicAnalysis")
        for one in self.parts if not turns else ():
            if isinstance(one, Controller):
                limit = "left out: it samples motions of torsional parts, without teeth in contact or displacements"
                remedy = "give a governor, which acts all the time, or a torque_function of time, angles and speeds"
                raise Fault(f"controller {one.name}", "given", limit, remedy)
        if self.preset is None and self.parts and isinstance(self.analysis, SweepAnalysis):
            limit = "left out in a sweep: what sticks and slides has no response over the speed"
            raise Fault("torsional parts", ", ".join(one.name for one in self.parts), limit, "leave them out")
        planets = any(part.elastic for part in self.parts)
        steps = moves_in_steps(self.meshes, self.parts) or (planets and not isinstance(self.analysis, DynamicAnalysis))
        if self.parts and self._can_turn and not turns and not self.in_space and not steps:
            limit = 'kind = "dynamic": a torsional machine has neither statics nor natural frequencies in this version'
            remedy = 'write kind = "dynamic" (in Python ag.RotationalMotion) for its motion'
            raise Fault("kind of the analysis", f'"{self.analysis.kind}"', limit, remedy)

    @cached_property
    def layout(self) -> Layout:
        """Positions of the gears relative to each other."""
        return Layout(**self._on_axes, parts=self.parts, times=self._times)

    @property
    def _on_axes(self) -> dict[str, Any]:
        """Its parts that stay on axes, by their headings."""
        return {heading: getattr(self, heading) for heading in PARTS}

    @property
    def _times(self) -> Sequence[float]:
        """Times [s] at which torques from outside are evaluated: all over a motion, else its beginning."""
        analysis = self.analysis
        moves = isinstance(analysis, DynamicAnalysis | RotationalMotion)
        return [analysis.duration * i / INSTANTS for i in range(INSTANTS + 1)] if moves else [0.0]  # type: ignore[union-attr]

    @property
    def machine(self) -> MachineParts:
        """Its parts."""
        return MachineParts(
            layout=self.layout,
            shafts=self.shafts,
            bearings=self.bearings,
            housings=self.housings,
            parts=self.parts,
            gravity=self.gravity,
        )

    def turning(self) -> MachineSystem:
        """The system of a torsional machine, with all that is given over time.

        Raises
        ------
        Fault
        """
        layout = self.layout
        meshes = {place.mesh.name: _in_motion(place) for place in layout.meshes}
        speeds = {name: _profile(drive.speed, drive.speed_table) for name, drive in layout.drives.items()}
        torques = {name: _profile(load.torque, load.torque_table) for name, load in layout.loads.items()}
        return self.machine.build(meshes, speeds=speeds, torques=torques, rolling=True)

    @property
    def sha256(self) -> str:
        """Hash of what is computed."""
        return case_digest(self) if self.preset is None else self.preset.sha256

    @classmethod
    def from_toml(cls, path: str | Path) -> MachineCase:
        """Read and check a file with ``[machine]``.

        Raises
        ------
        CaseFaults
            With every fault of a part that was found, one line each; if there is none, with one of the whole.
        """
        path = path_of(path, "case file")
        return cls.from_tables(read_tables(path), path)

    @classmethod
    def from_tables(cls, tables: dict[str, object], path: Path) -> MachineCase:
        """Check the tables of a file; `path` names it in messages and anchors the paths it holds.

        Raises
        ------
        CaseFaults
        """
        if not is_machine(tables):
            raise CaseFaults([CaseFault(str(path), "[machine]", MISSING, "the table is needed", "add [machine]")])
        from alegear.case.machine_file import parse_machine  # here: all tables of all parts, which a pair has none of

        try:
            return cls(**parse_machine(tables, path))
        except CaseFaults:
            raise
        except Fault as fault:
            limit = f"must be {fault.limit}"
            faults = [CaseFault(str(path), fault.quantity, str(fault.value), limit, fault.remedy)]
            raise CaseFaults(faults) from fault

    def pair_case(self, place: MeshPlace) -> Case:
        """The case of the two gears of a flexible mesh alone, on fixed axes, under the torque that they carry here.

        Of a preset its own.

        Raises
        ------
        Fault
            With the name of the mesh.
        """
        if self.preset is not None:
            return self.preset
        mesh, gears = place.mesh, [self.layout.gears[name] for name in place.mesh.gears]
        drive = self.layout.drive_of[gears[0].shaft]
        speed = None if drive.largest_speed is None else abs(drive.largest_speed) * place.ratios[0]
        analysis: Any = self.analysis
        swept, own = None, mesh.law.of_pair()
        if isinstance(analysis, MachineStatic):
            analysis = StaticAnalysis(grid_estimate=False)
        elif isinstance(analysis, DynamicAnalysis):  # its samples are those of the machine
            analysis = replace(analysis, output_every=output_every(self))
        if isinstance(analysis, SweepAnalysis):
            swept = tuple((t, abs(value) * place.ratios[0]) for t, value in drive.speed_table or ())
        try:
            return Case(
                title=f"{self.title}: {mesh.name}",
                pair=place.pair,
                materials=(gears[0].material, gears[1].material),
                grid_options=tuple(_options(gear, own.get("law", "hertz")) for gear in gears),  # type: ignore[arg-type]
                grid_files=(gears[0].mesh_file, gears[1].mesh_file),
                **own,
                operation=Operation(
                    driver=place.driver, pinion_torque=place.driving_torque, pinion_speed=speed, speed_table=swept
                ),
                analysis=analysis,
                wear=self.wear,
                output=replace(self.output, points=self.points_of(place)),
            )
        except CaseFaults as found:
            file = str(self.path or self.title)
            faults = [one._replace(file=file, key=f"mesh {mesh.name}: {one.key}") for one in found.faults]
            raise CaseFaults(faults) from found
        except Fault as fault:
            what = f"mesh {mesh.name}: {fault.quantity}"
            raise Fault(what, fault.value, fault.limit, fault.remedy) from fault

    def points_of(self, place: MeshPlace) -> tuple[OutputPoint, ...]:
        """The chosen points on the gears of a mesh, in its frame: of a gear turned over they lie on the other side."""
        found = []
        for point in self.output.points:
            if point.gear in place.mesh.gears:
                shaft = self.layout.shafts[self.layout.gears[str(point.gear)].shaft]
                along = math.copysign(1.0, float(shaft.axes[2] @ place.axes[2]))
                number = place.mesh.gears.index(str(point.gear))
                found.append(replace(point, gear=number, face_position=along * point.face_position))
        return tuple(found)

    def _check_output(self) -> None:
        """Refuse points off their teeth, and what has no effect.

        Raises
        ------
        CaseFaults
        """
        findings = list(without_effect(self.output, self.analysis))
        flexible = {name for mesh in self.meshes if mesh.law.needs_contact for name in mesh.gears}
        for number, point in enumerate(self.output.points):
            where = f"output.points[{number}]"
            if point.gear in flexible:
                gear = self.layout.gears[str(point.gear)].gear
                findings += off_its_tooth(point, where, gear, f"gear {point.gear}")
            else:
                there = ", ".join(f'"{name}"' for name in sorted(flexible))
                remedy = f"name one of {there}" if there else "there is none: leave out the point"
                limit = "must be a gear in a flexible mesh"
                findings.append(Finding(f"{where}.gear", shown(point.gear), limit, remedy))
        if findings:
            raise CaseFaults(CaseFault(str(self.path or self.title), *finding) for finding in findings)

    def _check_system(self) -> None:
        """Put the system together with springs for teeth.

        Raises
        ------
        Fault
            For places beyond shafts, for wrong stiffness, for what has no mass, for what no bearing holds.
        """
        springs = {
            place.mesh.name: place.mesh.law.on_springs(PreparedMesh(stiffness=place.first_stiffness))
            for place in self.layout.meshes
        }
        machine = self.machine
        if self.in_space:
            model = machine.build({}, moves=isinstance(self.analysis, SpatialMotion)).model
            if isinstance(self.analysis, SpatialMotion) and self.analysis.begin == "as given":
                SystemMotion(model).begin(0.0, *start_with_joints(model))
            else:
                check_joints(model)
            return
        if isinstance(self.analysis, RotationalMotion):
            model = self.turning().model
            SystemOde(model).check_start(0.0, *consistent_start(model))
            return
        moves = not isinstance(self.analysis, MachineStatic)
        still = {drive.name: PiecewiseCubic.constant(0.0) for drive in self.drives}
        system = machine.on_springs.build(
            springs, speeds=still, moves=moves, locked=True, bearings=machine.linear_bearings
        )
        if isinstance(self.analysis, DynamicAnalysis) and not self.drives:
            return  # it starts from the initial values of its parts, and may turn freely
        if not self.parts:
            check_bearings(self.layout, self.shafts, self.bearings)
        held = [system.rotation(machine.drive_place(drive.name)) for drive in self.drives]
        if not held and isinstance(self.analysis, ModalAnalysis):
            check_unloaded(system.model, self.loads)
            held = [i for i, one in enumerate(system.model.coordinates) if one.direction == ROTATION]
        free = not_held(system.model, held)
        if free is not None:
            sets: list[Any] = [part for part in self.parts if part.elastic]
            hints = [hint for one in sets for hint in one.holding(free)]
            turns, _, body = free.partition("rotation of ")
            if body and not turns:
                limit = "a drive or a spring, which takes what the torques leave"
                remedy = f'add [drives.motor] with shaft = "{body}" and speed_rpm, or take kind = "dynamic"'
            else:
                limit, remedy = "bearings", "add a bearing, or give one stiffness against it"
            raise Fault(f"what holds the {free}", "nothing", limit, hints[0] if hints else remedy)

    def _refuse(self, faults: Iterable[Fault]) -> None:
        """Raise all at once."""
        refuse(faults, str(self.path or self.title))

    def _without_effect(self) -> Iterator[Fault]:
        """What has no effect, and what is not built."""
        analysis, layout = self.analysis, self.layout
        moves = isinstance(analysis, DynamicAnalysis | RotationalMotion)
        if isinstance(analysis, SweepAnalysis):
            found = list(sweep(self.drives, self.loads))
            yield from found or orders(analysis, layout)
        yield from over_time(self.drives, self.loads, analysis)
        for place in layout.meshes:
            if not place.power and place.mesh.law.needs_contact:
                remedy = "load its shafts, or leave it out"
                yield Fault(f"torque [N m] that mesh {place.mesh.name} carries", 0.0, "not 0", remedy)
            soft = [name for name in place.mesh.gears if not layout.shafts[layout.gears[name].shaft].fixed_axis]
            if soft and place.mesh.law.on_fixed_axes:
                limit = "on shafts with fixed_axis = true"
                remedy = f'write law = "hertz" in mesh {place.mesh.name}, or hold the axes'
                yield Fault(f'gears of mesh {place.mesh.name} with law = "penalty"', ", ".join(soft), limit, remedy)
        meshed = [name for place in layout.meshes if place.mesh.law.needs_contact for name in place.mesh.gears]
        toothed = [name for place in layout.meshes if place.mesh.law.knows_teeth for name in place.mesh.gears]
        for gear in self.gears:
            if toothed.count(gear.name) < 2:
                continue
            if gear.gear.microgeometry.pitch_deviation is not None:
                limit = "left out: tooth 0 is in pair 0 of one mesh only"
                yield Fault(f"pitch_deviation of gear {gear.name}", "given, in several meshes", limit, "leave it out")
            if len(gear.gear.different_teeth) > 1:
                limit = "those of all teeth: tooth 0 is in pair 0 of one mesh only"
                remedy = "leave out the column tooth of its file"
                yield Fault(
                    f"topography of gear {gear.name}", "flanks of single teeth, in several meshes", limit, remedy
                )
        if not meshed and any(value is not None for value in astuple(self.wear)):
            limit = "left out: no mesh is flexible, and no other tells a flash temperature"
            yield Fault("wear conditions", "given", limit, "leave out [wear]")
        if isinstance(analysis, RotationalMotion):
            if any(self.gravity):
                yield Fault("gravity", list(self.gravity), "0: nothing can be displaced", "leave it out")
            return
        if self.in_space:
            return
        if any(self.gravity) and not any(not shaft.fixed_axis for shaft in self.shafts):
            yield Fault("gravity", list(self.gravity), "0: all shafts stand on fixed axes", "leave it out")
        for one in self.parts if not moves else ():
            if one.of_motions_alone:
                limit, remedy = f"left out in a {analysis.kind} analysis", 'leave it out, or write kind = "dynamic"'
                yield Fault(f"{one.of_motions_alone} of {one.name}", "given", limit, remedy)
        if isinstance(analysis, MachineStatic):
            if analysis.grid_estimate and not meshed:
                limit = "false: no mesh is flexible, and no other has a grid"
                yield Fault("grid_estimate", True, limit, "leave it out")
            yield from raised_by(lambda: analysis.check_mesh([mesh.name for mesh in self.meshes]))
            if not self.meshes and not any(part.elastic for part in self.parts):
                yield from raised_by(analysis.check_counts)
        if self.preset is not None:  # two gears by themselves have both
            return
        if isinstance(analysis, DynamicAnalysis | ModalAnalysis) and analysis.normal_modes:
            yield from normal_modes(analysis, meshed)
        if isinstance(analysis, ModalAnalysis) and analysis.phase is not None and not self.meshes:
            limit = "left out without meshes of gears: it is the position of a driven gear in one of these"
            yield Fault("phase", analysis.phase, limit, "leave it out")
        if moves and any(housing.mass is None for housing in self.housings):
            names = ", ".join(housing.name for housing in self.housings if housing.mass is None)
            yield Fault(f"mass of housing {names}", None, "given in a motion", "add its mass matrix, or fix its points")


def moves_in_steps(meshes: Sequence[GearMesh], parts: Sequence[Any]) -> bool:
    """Whether teeth are stiff and strike, so that motions are taken in steps also where all only turns."""
    return any(mesh.law.uses_generalized_alpha for mesh in meshes) or any(part.uses_generalized_alpha for part in parts)


def _in_motion(place: MeshPlace) -> MeshPart:
    return place.mesh.law.in_motion(PreparedMesh(stiffness=place.first_stiffness))


def _profile(value: float | None, table: tuple[tuple[float, float], ...] | None) -> PiecewiseCubic:
    """A constant, or a table of monotone cubics."""
    if table is None:
        return PiecewiseCubic.constant(value or 0.0)
    times, values = zip(*table, strict=True)
    return PiecewiseCubic.table(times, values)


def _options(gear: ShaftGear, law: str) -> Any:
    if gear.mesh_file is not None or gear.grid_options is not None:
        return gear.grid_options
    return chosen_options(gear.gear, law)
