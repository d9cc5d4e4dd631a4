"""A machine put together from Python, part by part, and computed: what a file with ``[machine]`` says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from alegear.case.dynamic import DynamicAnalysis
from alegear.case.machine import Analysis, MachineCase, moves_in_steps
from alegear.case.machine_analysis import MachineStatic
from alegear.case.modal import ModalAnalysis
from alegear.case.output import OutputOptions
from alegear.case.rotational import ROTATIONAL
from alegear.case.rotational_motion import RotationalMotion
from alegear.case.spatial import SPATIAL
from alegear.case.spatial_motion import Kinematics, SpatialMotion
from alegear.case.sweep import SweepAnalysis
from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.displaced_planets import Pins
from alegear.drivetrain.gear_mesh import GearMesh
from alegear.drivetrain.housing import Housing, read_housing
from alegear.drivetrain.laws import DEFAULT, law_of
from alegear.drivetrain.parts import Drive, ShaftGear, Table, TorqueLoad
from alegear.drivetrain.planar import MeshAverages, MeshFriction, MeshSpring
from alegear.drivetrain.rolling.bearings import BallBearing, RollerBearing
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.drivetrain.rotational.governor import SpeedGovernor
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planet_springs import PlanetMesh
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.rotational.sources import Resistance, SpeedSource, TorqueFunction, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.drivetrain.rotational.varying_ratio import VaryingRatio
from alegear.drivetrain.rotational.vehicle import RoadLoad, TorqueConverter, TorqueMap
from alegear.drivetrain.shaft import HIGHEST_MODE, Disk, Shaft
from alegear.errors import Fault
from alegear.fe.material import Material
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.limits import check_kind
from alegear.machine.parts_in_space import PartsInSpace
from alegear.mesh.sector import MeshOptions
from alegear.results.result import Result
from alegear.study.run import run
from alegear.system.bodies import Rotor1D
from alegear.system.builder import GROUND
from alegear.system.controllers import Controller

Vector = Sequence[float]


class Machine(PartsInSpace):
    """Shafts, gears, bearings, meshes, parts that only turn, bodies in space, by their names; all in SI units.

    Parts are checked as they are added, the machine as a whole when it is computed.

    Parameters
    ----------
    title : str
    gravity : (float, float, float) [m/s2]

    Examples
    --------
    >>> import alegear as ag
    >>> m = ag.Machine("two gears")
    >>> m.shaft("in", hinge=True)
    >>> m.shaft("out", hinge=True, position=(0.1, 0.0, 0.0))
    >>> m.gear("pinion", ag.Gear(z=20, m_n=4e-3, b=30e-3, bore_diameter=35e-3), shaft="in", at=0.0)
    >>> m.gear("wheel", ag.Gear(z=30, m_n=4e-3, b=30e-3, bore_diameter=54e-3), shaft="out", at=0.0)
    >>> m.mesh("first", "pinion", "wheel")
    >>> m.drive("motor", shaft="in", speed=100.0)
    >>> m.load("brake", shaft="out", torque=300.0)
    >>> m.case().layout.ratio["out"]
    -0.6666666666666666
    >>> result = m.static()  # doctest: +SKIP
    """

    def __init__(self, title: str = "machine", *, gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        super().__init__()
        self.title, self.gravity = title, gravity
        self._parts: dict[str, list[Any]] = {
            name: [] for name in ("shafts", "gears", "meshes", "bearings", "housings", "drives", "loads", "parts")
        }

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(parts)} {name}" for name, parts in self._parts.items() if parts)
        return f"<alegear.Machine {self.title!r}: {counts or 'no parts'}>"

    # ------------------------------------------------------------------ parts
    def shaft(
        self,
        name: str,
        sections: Sequence[Vector] = (),
        *,
        position: Vector = (0.0, 0.0, 0.0),
        direction: Vector = (0.0, 0.0, 1.0),
        material: Material | None = None,
        rigid: bool = False,
        hinge: bool = False,
        longest_element: float | None = None,
        highest_mode: float | None = HIGHEST_MODE,
    ) -> None:
        """Add a shaft; sections (n, 3) [m] are length, outer and inner diameter. See `alegear.drivetrain.Shaft`.

        Raises
        ------
        Fault
        """
        self._parts["shafts"].append(
            Shaft(
                name=name,
                sections=sections,
                position=position,
                direction=direction,
                material=material or Material(),
                rigid=rigid,
                hinge=hinge,
                longest_element=longest_element,
                highest_mode=highest_mode,
            )
        )

    def gear(
        self,
        name: str,
        gear: CylindricalGear,
        *,
        shaft: str,
        at: float,
        material: Material | None = None,
        mesh_options: MeshOptions | None = None,
        mesh_file: str | Path | None = None,
        tooth_angle: float = 0.0,
    ) -> None:
        """Add a gear, its mid-face at a position [m] along a shaft.

        Raises
        ------
        Fault
        """
        self._parts["gears"].append(
            ShaftGear(
                name=name,
                shaft=shaft,
                at=at,
                gear=gear,
                material=material or Material(),
                mesh_options=mesh_options,
                mesh_file=None if mesh_file is None else Path(mesh_file),
                tooth_angle=tooth_angle,
            )
        )

    def mesh(self, name: str, first: str, second: str, *, fidelity: str = DEFAULT, **parameters: Any) -> None:
        """Add a mesh of two gears, by their names.

        Parameters
        ----------
        name, first, second : str
        fidelity : str
            Law of the mesh: ``"flexible"``, ``"teeth"``, ``"elastic"``, ``"lossy"``, ``"rigid"``.
        **parameters
            Of the law: of a flexible mesh ``alignment``, ``friction``, ``slices``, ``window_pairs``
            (:class:`alegear.drivetrain.laws.flexible.Flexible`); of others as their classes have them
            (:class:`alegear.drivetrain.laws.teeth.Teeth`, :class:`alegear.drivetrain.laws.elastic.Elastic`,
            :class:`alegear.drivetrain.laws.lossy.Lossy`).

        Raises
        ------
        Fault
            Also for a parameter that the law does not have.
        """
        law = law_of(fidelity, name, **parameters)
        self._parts["meshes"].append(GearMesh(name=name, gears=(first, second), law=law))

    def bearing(
        self,
        name: str,
        *,
        shaft: str,
        at: float,
        stiffness: Any,
        damping: Any = (0.0, 0.0, 0.0),
        to: str = "ground",
        to_at: float | None = None,
    ) -> None:
        """Add a bearing at a position [m] along a shaft; stiffness (3,), (5,) or (5, 5) [N/m, N m/rad].

        Raises
        ------
        Fault
        """
        self._parts["bearings"].append(
            Bearing(name=name, shaft=shaft, at=at, to=to, to_at=to_at, stiffness=stiffness, damping=damping)
        )

    def roller_bearing(self, name: str, *, shaft: str, at: float, **parameters: Any) -> None:
        """Add a cylindrical roller bearing at a position [m] along a shaft; see :class:`alegear.RollerBearing`.

        Raises
        ------
        Fault
        """
        self._parts["bearings"].append(RollerBearing(name=name, shaft=shaft, at=at, **parameters))

    def ball_bearing(self, name: str, *, shaft: str, at: float, **parameters: Any) -> None:
        """Add a ball bearing at a position [m] along a shaft; see :class:`alegear.BallBearing`.

        Raises
        ------
        Fault
        """
        self._parts["bearings"].append(BallBearing(name=name, shaft=shaft, at=at, **parameters))

    def housing(self, housing: Housing | str | Path, *, name: str = "housing", fixed: tuple[str, ...] = ()) -> None:
        """Add a housing: made with `alegear.drivetrain.Housing`, or the path of its matrices at named points.

        Raises
        ------
        Fault
        """
        check_kind(housing, "housing", (Housing, str, Path))
        made = housing if isinstance(housing, Housing) else read_housing(name, Path(housing), fixed=fixed)
        self._parts["housings"].append(made)

    def drive(
        self,
        name: str,
        *,
        shaft: str,
        at: float = 0.0,
        speed: float | None = None,
        torque: float | None = None,
        speed_table: Table | None = None,
        proportional: float = 0.0,
        integral: float = 0.0,
    ) -> None:
        """Add a drive; speed [rad/s] about the direction of the shaft, torque [N m] in the direction of rotation.

        With gains [N m s/rad, N m/rad] a PI controller holds the speed in motions, else the shaft turns as it is told.

        Raises
        ------
        Fault
        """
        gains = {"proportional": proportional, "integral": integral}
        self._parts["drives"].append(
            Drive(name=name, shaft=shaft, at=at, speed=speed, torque=torque, speed_table=speed_table, **gains)
        )

    def load(
        self,
        name: str,
        *,
        shaft: str,
        at: float = 0.0,
        torque: float | None = None,
        reacts: bool = False,
        inertia: float = 0.0,
        torque_table: Table | None = None,
    ) -> None:
        """Add a load; torque [N m] against the rotation, or what the drive leaves where it `reacts`.

        Raises
        ------
        Fault
        """
        self._parts["loads"].append(
            TorqueLoad(
                name=name,
                shaft=shaft,
                at=at,
                torque=torque,
                reacts=reacts,
                inertia=inertia,
                torque_table=torque_table,
            )
        )

    def disk(
        self,
        name: str,
        *,
        shaft: str,
        at: float = 0.0,
        mass: float = 0.0,
        inertia: float = 0.0,
        tilt_inertia: float = 0.0,
    ) -> None:
        """Add a rigid body [kg, kg m2] on a shaft, its centre of mass at a position [m]: a coupling, a hub, a gear.

        See :class:`alegear.drivetrain.shaft.Disk`.

        Raises
        ------
        Fault
        """
        self.add(Disk(name=name, shaft=shaft, at=at, mass=mass, inertia=inertia, tilt_inertia=tilt_inertia))

    # ------------------------------------------------------ parts that only turn
    def rotor(self, name: str, *, inertia: float, angle: float = 0.0, speed: float = 0.0) -> None:
        """Add a body that only turns: inertia [kg m2], angle [rad] and speed [rad/s] at the start.

        See :class:`alegear.Rotor1D`.

        Raises
        ------
        Fault
        """
        self.add(Rotor1D(name=name, inertia=inertia, angle=angle, speed=speed))

    def spring(
        self,
        name: str,
        first: str,
        second: str,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float = 0.0,
        backlash: float = 0.0,
    ) -> None:
        """Add a spring [N m/rad] with a damper [N m s/rad] beside it, perhaps with a backlash [rad].

        See :class:`alegear.Spring`.

        Raises
        ------
        Fault
        """
        self.add(
            Spring(
                name=name,
                between=(first, second),
                stiffness=stiffness,
                damping=damping,
                free_angle=free_angle,
                backlash=backlash,
            )
        )

    def ratio(
        self, name: str, first: str, second: str, *, ratio: float, losses: Any = None, housing: str = GROUND
    ) -> None:
        """Add a gear by the speed of the first place over that of the second, with losses.

        See :class:`alegear.RatioGear`.

        Raises
        ------
        Fault
        """
        self.add(RatioGear(name=name, between=(first, second), ratio=ratio, losses=losses, housing=housing))

    def varying_ratio(
        self,
        name: str,
        first: str,
        second: str,
        *,
        over_angle: Any = None,
        over_time: Any = None,
        stiffness: float = 0.0,
        damping: float = 0.0,
        housing: str = GROUND,
    ) -> None:
        """Add a gear whose ratio varies over the angle [rad] of the second place, or over time [s].

        Stiffness in N m/rad and damping in N m s/rad about the first. See :class:`alegear.VaryingRatio`.

        Raises
        ------
        Fault
        """
        self.add(
            VaryingRatio(
                name=name,
                between=(first, second),
                over_angle=over_angle,
                over_time=over_time,
                stiffness=stiffness,
                damping=damping,
                housing=housing,
            )
        )

    def planetary_ratio(
        self, name: str, *, sun: str, ring: str, carrier: str, ratio: float, losses: Any = None
    ) -> None:
        """Add a planetary set by the teeth of its ring over those of its sun, with losses.

        See :class:`alegear.PlanetaryGear`.

        Raises
        ------
        Fault
        """
        self.add(PlanetaryGear(name=name, sun=sun, ring=ring, carrier=carrier, ratio=ratio, losses=losses))

    def elastic_mesh(
        self,
        name: str,
        first: str,
        second: str,
        *,
        averages: MeshAverages,
        spring: MeshSpring | None = None,
        friction: MeshFriction | None = None,
        carrier: str = GROUND,
        offset: float = 0.0,
        teeth: tuple[int, int] | None = None,
    ) -> None:
        """Add a mesh of gears on two places with elastic teeth, backlash and friction; without a spring it is rigid.

        See :class:`alegear.ElasticMesh`.

        Raises
        ------
        Fault
        """
        self.add(
            ElasticMesh(
                name=name,
                gears=(first, second),
                averages=averages,
                spring=spring,
                friction=friction,
                carrier=carrier,
                offset=offset,
                teeth=teeth,
            )
        )

    def planetary(
        self,
        name: str,
        *,
        teeth: PlanetaryTeeth,
        carrier: str,
        sun: str | None = None,
        ring: str | None = None,
        second_sun: str | None = None,
        second_ring: str | None = None,
        planet_inertia: Any = 0.0,
        planet_mass: Any = 0.0,
        fidelity: str = "rigid",
        losses: Any = None,
        meshes: Mapping[str, PlanetMesh] | Mapping[str, PlanetPair] | None = None,
        torque: float | None = None,
        pin_errors: tuple[float, ...] | None = None,
        pins: Pins | None = None,
        planet_tilt_inertia: Any = None,
    ) -> None:
        """Add a planetary set by its teeth, with planets of an inertia [kg m2] and a mass [kg], perhaps on bearings.

        See :class:`alegear.PlanetaryGearSet`.

        Raises
        ------
        Fault
        """
        self.add(
            PlanetaryGearSet(
                name=name,
                teeth=teeth,
                carrier=carrier,
                sun=sun,
                ring=ring,
                second_sun=second_sun,
                second_ring=second_ring,
                planet_inertia=planet_inertia,
                planet_mass=planet_mass,
                fidelity=fidelity,
                losses=losses,
                meshes=meshes,
                torque=torque,
                pin_errors=pin_errors,
                pins=pins,
                planet_tilt_inertia=planet_tilt_inertia,
            )
        )

    def friction(self, name: str, at: str, *, torque: Any, peak: float = 1.0, to: str = GROUND) -> None:
        """Add the friction of a bearing or a seal [N m], or pairs of (speed [rad/s], torque), with sticking.

        See :class:`alegear.BearingFriction`.

        Raises
        ------
        Fault
        """
        self.add(BearingFriction(name=name, at=at, torque=torque, peak=peak, to=to))

    def clutch(
        self,
        name: str,
        first: str,
        second: str,
        *,
        normal_force: float,
        friction: Any = 0.5,
        geometry_factor: float = 1.0,
        signal: Any = 1.0,
        peak: float = 1.0,
        one_way: str | None = None,
    ) -> None:
        """Add a friction clutch: torque up to factor [m] times coefficient times normal force [N] times signal.

        See :class:`alegear.Clutch`.

        Raises
        ------
        Fault
        """
        self.add(
            Clutch(
                name=name,
                between=(first, second),
                normal_force=normal_force,
                friction=friction,
                geometry_factor=geometry_factor,
                signal=signal,
                peak=peak,
                one_way=one_way,
            )
        )

    def brake(
        self,
        name: str,
        at: str,
        *,
        normal_force: float,
        friction: Any = 0.5,
        geometry_factor: float = 1.0,
        signal: Any = 1.0,
        peak: float = 1.0,
        one_way: str | None = None,
        to: str = GROUND,
    ) -> None:
        """Add a friction brake: as a clutch, against what is fixed.

        See :class:`alegear.Brake`.

        Raises
        ------
        Fault
        """
        self.add(
            Brake(
                name=name,
                at=at,
                normal_force=normal_force,
                friction=friction,
                geometry_factor=geometry_factor,
                signal=signal,
                peak=peak,
                one_way=one_way,
                to=to,
            )
        )

    def freewheel(self, name: str, first: str, second: str, *, sense: int = 1) -> None:
        """Add a one-way clutch: the first place drives the second forward (sense -1: backward), which may run ahead.

        See :class:`alegear.Freewheel`.

        Raises
        ------
        Fault
        """
        self.add(Freewheel(name=name, between=(first, second), sense=sense))

    def torque_map(
        self, name: str, at: str, *, throttle: Any, speeds: Any, throttles: Any, torque: Any, to: str = GROUND
    ) -> None:
        """Add an engine: torque [N m], a row for each throttle from 0 to 1, over speeds [rad/s].

        See :class:`alegear.TorqueMap`.

        Raises
        ------
        Fault
        """
        self.add(
            TorqueMap(name=name, at=at, throttle=throttle, speeds=speeds, throttles=throttles, torque=torque, to=to)
        )

    def converter(self, name: str, *, pump: str, turbine: str, table: Any) -> None:
        """Add a torque converter: rows of speed ratio from 0 to 1, capacity [N m s2/rad2], torque ratio.

        See :class:`alegear.TorqueConverter`.

        Raises
        ------
        Fault
        """
        self.add(TorqueConverter(name=name, pump=pump, turbine=turbine, table=table))

    def road_load(
        self,
        name: str,
        at: str,
        *,
        mass: float,
        radius: float,
        rolling: float = 0.01,
        drag_area: float = 0.0,
        air_density: float = 1.2,
        gradient: Any = 0.0,
    ) -> None:
        """Add what a road resists with, on a rotor that stands for a car: mass [kg], radius of the wheels [m].

        See :class:`alegear.RoadLoad`.

        Raises
        ------
        Fault
        """
        self.add(
            RoadLoad(
                name=name,
                at=at,
                mass=mass,
                radius=radius,
                rolling=rolling,
                drag_area=drag_area,
                air_density=air_density,
                gradient=gradient,
            )
        )

    def controller(
        self,
        name: str,
        *,
        interval: float,
        sets: Mapping[str, float],
        function: Callable[..., Any],
        reads: tuple[str, ...] = (),
        memory: Callable[[], Any] = dict,
    ) -> None:
        """Add a sampled controller: every `interval` [s] a function of (sample, memory) sets inputs; from Python alone.

        Parts take an input as a signal, ``ag.Input(name="throttle")``. See :class:`alegear.Controller`.

        Raises
        ------
        Fault
        """
        self.add(Controller(name=name, interval=interval, sets=sets, function=function, reads=reads, memory=memory))

    def torque(self, name: str, at: str, *, torque: Any, to: str = GROUND) -> None:
        """Add a torque [N m] over time, positive about the axis: a number, pairs of (time [s], torque), a function.

        See :class:`alegear.TorqueSource`.

        Raises
        ------
        Fault
        """
        self.add(TorqueSource(name=name, at=at, torque=torque, to=to))

    def governor(
        self,
        name: str,
        at: str,
        *,
        speed: Any,
        proportional: float,
        integral: float = 0.0,
        torque: float = 0.0,
        to: str = GROUND,
    ) -> None:
        """Hold a speed [rad/s] by a PI controller that acts all the time, gains in N m s/rad and N m/rad.

        See :class:`alegear.SpeedGovernor`.

        Raises
        ------
        Fault
        """
        gains = {"proportional": proportional, "integral": integral}
        self.add(SpeedGovernor(name=name, at=at, speed=speed, **gains, torque=torque, to=to))

    def speed(self, name: str, at: str, *, speed: Any) -> None:
        """Lead a place with a speed [rad/s], or pairs of (time [s], speed).

        See :class:`alegear.SpeedSource`.

        Raises
        ------
        Fault
        """
        self.add(SpeedSource(name=name, at=at, speed=speed))

    def resistance(
        self,
        name: str,
        at: str,
        *,
        linear: float = 0.0,
        quadratic: float = 0.0,
        table: Any = None,
        to: str = GROUND,
    ) -> None:
        """Add a torque against the rotation that grows with the speed [N m s/rad, N m s2/rad2], or a table over it.

        See :class:`alegear.Resistance`.

        Raises
        ------
        Fault
        """
        self.add(Resistance(name=name, at=at, linear=linear, quadratic=quadratic, table=table, to=to))

    def torque_function(self, name: str, *at: str, function: Callable[..., Any]) -> None:
        """Add torques [N m] on places by a function of (time, angles, speeds); from Python alone.

        See :class:`alegear.TorqueFunction`.

        Raises
        ------
        Fault
        """
        self.add(TorqueFunction(name=name, at=at, function=function))

    def add(self, *parts: Any) -> None:
        """Add parts that only turn or are in space, or any with a name and ``add_to``.

        See :mod:`alegear.drivetrain.rotational` and :mod:`alegear.drivetrain.spatial`.
        """
        self._parts["parts"].extend(parts)

    # ---------------------------------------------------------------- studies
    def case(self, analysis: Analysis | None = None, output: OutputOptions | None = None) -> MachineCase:
        """Return the case of the machine as it is now; a static one unless an analysis is given.

        Raises
        ------
        Fault
            For parts that do not fit each other, with their names.
        """
        parts: dict[str, Any] = {name: tuple(parts) for name, parts in self._parts.items()}
        parts["parts"] = tuple(sorted(parts["parts"], key=_place_in_files))
        meshed = {gear for part in parts["parts"] for gear in getattr(part, "gears", ()) if not isinstance(gear, str)}
        for gear in self._toothed.values():
            if gear not in meshed:
                raise Fault(f"meshes of {gear.name}", 0, "at least 1", "add a spatial_mesh, or leave the gear out")
        return MachineCase(
            title=self.title,
            gravity=self.gravity,
            analysis=analysis or MachineStatic(),
            output=output or OutputOptions(),
            **parts,
        )

    def static(self, out: str | Path | None = None, *, output: OutputOptions | None = None, **analysis: Any) -> Result:
        """Compute positions under constant torques; `analysis` are the parameters of `alegear.MachineStatic`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        return run(self.case(MachineStatic(**analysis), output), out)

    def modes(self, out: str | Path | None = None, *, output: OutputOptions | None = None, **analysis: Any) -> Result:
        """Compute natural vibrations; `analysis` are the parameters of `alegear.ModalAnalysis`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        return run(self.case(ModalAnalysis(**analysis), output), out)

    def sweep(self, out: str | Path | None = None, *, output: OutputOptions | None = None, **analysis: Any) -> Result:
        """Compute the response over the speed of the drive, which has a `speed_table` of straight lines.

        `analysis` are the parameters of `alegear.SweepAnalysis`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        return run(self.case(SweepAnalysis(**analysis), output), out)

    def run(self, out: str | Path | None = None, *, output: OutputOptions | None = None, **analysis: Any) -> Result:
        """Compute a motion; `analysis` are the parameters of `alegear.DynamicAnalysis`.

        Of a machine whose parts only turn they are those of `alegear.RotationalMotion`, unless it has Hertz teeth, of
        one with bodies in space those of `alegear.SpatialMotion`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        kind: Any = RotationalMotion if self._only_turns else DynamicAnalysis
        if self._in_space:
            kind = SpatialMotion
        return run(self.case(kind(**analysis), output), out)

    def kinematics(
        self, out: str | Path | None = None, *, output: OutputOptions | None = None, **analysis: Any
    ) -> Result:
        """Compute positions of a mechanism of bodies in space; `analysis` are the parameters of `alegear.Kinematics`.

        Raises
        ------
        Fault, AnalysisFailure
        """
        return run(self.case(Kinematics(**analysis), output), out)

    @property
    def _in_space(self) -> bool:
        return any(getattr(part, "in_space", False) for part in self._parts["parts"])

    @property
    def _only_turns(self) -> bool:
        shafts, meshes = self._parts["shafts"], self._parts["meshes"]
        held = all(shaft.hinge for shaft in shafts) and not self._parts["housings"]
        steps = any(mesh.law.needs_contact for mesh in meshes) or moves_in_steps(meshes, self._parts["parts"])
        return bool(self._parts["parts"]) and held and not steps


def _place_in_files(part: Any) -> int:
    """Number of the heading of a part among those of files, which the parts of a case go by; others come last."""
    headings = [*ROTATIONAL, *SPATIAL]
    heading = getattr(part, "TABLE", None)
    return headings.index(heading) if heading in headings else len(headings)
