"""Parts that only turn, put together from Python: what ``[rotors.NAME]``, ``[clutches.NAME]`` ... of a file say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from numpy.typing import ArrayLike

from alegear.drivetrain.displaced_planets import Pins
from alegear.drivetrain.planar import MeshAverages, MeshFriction, MeshSpring
from alegear.drivetrain.rotational.elastic_mesh import ElasticMesh
from alegear.drivetrain.rotational.friction import BearingFriction, Brake, Clutch, Freewheel
from alegear.drivetrain.rotational.gear_losses import LossesLike
from alegear.drivetrain.rotational.gears import PlanetaryGear, RatioGear
from alegear.drivetrain.rotational.governor import SpeedGovernor
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planet_springs import PlanetMesh
from alegear.drivetrain.rotational.planetary_set import PlanetaryGearSet
from alegear.drivetrain.rotational.profiles import Rows, SignalLike
from alegear.drivetrain.rotational.set_losses import Efficiencies, SetLossesLike
from alegear.drivetrain.rotational.sources import Resistance, SpeedSource, TorqueFunction, TorqueSource
from alegear.drivetrain.rotational.springs import Spring
from alegear.drivetrain.rotational.varying_ratio import VaryingRatio
from alegear.drivetrain.rotational.vehicle import RoadLoad, TorqueConverter, TorqueMap
from alegear.geometry.planetary_teeth import PlanetaryTeeth
from alegear.machine.parts import Parts
from alegear.system.bodies import Rotor1D
from alegear.system.controllers import Controller, Ramp
from alegear.system.coordinates import Array


class PartsThatTurn(Parts):
    """Methods of :class:`alegear.Machine` that add parts that only turn; all in SI units."""

    def rotor(self, name: str, *, inertia: float, angle: float = Rotor1D.angle, speed: float = Rotor1D.speed) -> None:
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
        stiffness: float = Spring.stiffness,
        damping: float = Spring.damping,
        free_angle: float = Spring.free_angle,
        backlash: float = Spring.backlash,
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
        self,
        name: str,
        first: str,
        second: str,
        *,
        ratio: float,
        losses: LossesLike = None,
        housing: str = RatioGear.housing,
    ) -> None:
        """Add a gear by the speed of the first body over that of the second, with losses.

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
        over_angle: Rows | None = None,
        over_time: SignalLike | None = None,
        stiffness: float = VaryingRatio.stiffness,
        damping: float = VaryingRatio.damping,
        housing: str = VaryingRatio.housing,
    ) -> None:
        """Add a gear whose ratio varies over the angle [rad] of the second body, or over time [s].

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
        self,
        name: str,
        *,
        sun: str,
        ring: str,
        carrier: str,
        ratio: float,
        losses: SetLossesLike = None,
        mesh_efficiency: float | None = None,
        stationary_efficiency: float | None = None,
    ) -> None:
        """Add a planetary set by the teeth of its ring over those of its sun, with losses.

        See :class:`alegear.PlanetaryGear`.

        Raises
        ------
        Fault
        """
        self.add(
            PlanetaryGear(
                name=name,
                sun=sun,
                ring=ring,
                carrier=carrier,
                ratio=ratio,
                losses=losses,
                mesh_efficiency=mesh_efficiency,
                stationary_efficiency=stationary_efficiency,
            )
        )

    def elastic_mesh(
        self,
        name: str,
        first: str,
        second: str,
        *,
        averages: MeshAverages,
        spring: MeshSpring | None = None,
        friction: MeshFriction | None = None,
        carrier: str = ElasticMesh.carrier,
        offset: float = ElasticMesh.offset,
        teeth: tuple[int, int] | None = None,
    ) -> None:
        """Add a mesh of gears on two bodies with elastic teeth, backlash and friction; without a spring it is rigid.

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
        planet_inertia: float | tuple[float, ...] = PlanetaryGearSet.planet_inertia,
        planet_mass: float | tuple[float, ...] = PlanetaryGearSet.planet_mass,
        fidelity: str = PlanetaryGearSet.fidelity,
        losses: SetLossesLike = None,
        mesh_efficiency: Efficiencies = None,
        stationary_efficiency: float | None = None,
        meshes: Mapping[str, PlanetMesh] | Mapping[str, PlanetPair] | None = None,
        torque: float | None = None,
        pin_errors: tuple[float, ...] | None = None,
        pins: Pins | None = None,
        planet_tilt_inertia: float | tuple[float, ...] | None = None,
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
                mesh_efficiency=mesh_efficiency,
                stationary_efficiency=stationary_efficiency,
                meshes=meshes,
                torque=torque,
                pin_errors=pin_errors,
                pins=pins,
                planet_tilt_inertia=planet_tilt_inertia,
            )
        )

    def friction(
        self,
        name: str,
        at: str,
        *,
        torque: float | Rows,
        peak: float = BearingFriction.peak,
        to: str = BearingFriction.to,
    ) -> None:
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
        friction: float | Rows = Clutch.friction,
        geometry_factor: float = Clutch.geometry_factor,
        signal: SignalLike = Clutch.signal,
        peak: float = Clutch.peak,
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
        friction: float | Rows = Brake.friction,
        geometry_factor: float = Brake.geometry_factor,
        signal: SignalLike = Brake.signal,
        peak: float = Brake.peak,
        one_way: str | None = None,
        to: str = Brake.to,
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

    def freewheel(self, name: str, first: str, second: str, *, sense: int = Freewheel.sense) -> None:
        """Add a one-way clutch: the first body drives the second forward (sense -1: backward), which may run ahead.

        See :class:`alegear.Freewheel`.

        Raises
        ------
        Fault
        """
        self.add(Freewheel(name=name, between=(first, second), sense=sense))

    def torque_map(
        self,
        name: str,
        at: str,
        *,
        throttle: SignalLike,
        speeds: ArrayLike,
        throttles: ArrayLike,
        torque: ArrayLike,
        to: str = TorqueMap.to,
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

    def converter(self, name: str, *, pump: str, turbine: str, table: Rows) -> None:
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
        rolling: float = RoadLoad.rolling,
        drag_area: float = RoadLoad.drag_area,
        air_density: float = RoadLoad.air_density,
        gradient: SignalLike = RoadLoad.gradient,
    ) -> None:
        """Add the driving resistance of a car, on the rotor that represents it: mass [kg], radius of the wheels [m].

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
        function: Callable[..., Mapping[str, float | Ramp]],
        reads: tuple[str, ...] = Controller.reads,
        memory: Callable[[], object] = Controller.memory,
    ) -> None:
        """Add a sampled controller: every `interval` [s] a function of (sample, memory) sets inputs; from Python only.

        Parts take an input as a signal, ``ag.Input(name="throttle")``. See :class:`alegear.Controller`.

        Raises
        ------
        Fault
        """
        self.add(Controller(name=name, interval=interval, sets=sets, function=function, reads=reads, memory=memory))

    def torque(self, name: str, at: str, *, torque: SignalLike, to: str = TorqueSource.to) -> None:
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
        speed: float | Rows,
        proportional: float,
        integral: float = SpeedGovernor.integral,
        torque: float = SpeedGovernor.torque,
        to: str = SpeedGovernor.to,
    ) -> None:
        """Hold a speed [rad/s] by a PI controller that acts all the time, gains in N m s/rad and N m/rad.

        See :class:`alegear.SpeedGovernor`.

        Raises
        ------
        Fault
        """
        gains = {"proportional": proportional, "integral": integral}
        self.add(SpeedGovernor(name=name, at=at, speed=speed, **gains, torque=torque, to=to))

    def speed(self, name: str, at: str, *, speed: float | Rows) -> None:
        """Give a body a speed [rad/s], or pairs of (time [s], speed).

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
        linear: float = Resistance.linear,
        quadratic: float = Resistance.quadratic,
        table: Rows | None = None,
        to: str = Resistance.to,
    ) -> None:
        """Add a torque against the rotation that grows with the speed [N m s/rad, N m s2/rad2], or a table over it.

        See :class:`alegear.Resistance`.

        Raises
        ------
        Fault
        """
        self.add(Resistance(name=name, at=at, linear=linear, quadratic=quadratic, table=table, to=to))

    def torque_function(self, name: str, *at: str, function: Callable[[float, Array, Array], ArrayLike]) -> None:
        """Add torques [N m] on bodies by a function of (time, angles, speeds); from Python only.

        See :class:`alegear.TorqueFunction`.

        Raises
        ------
        Fault
        """
        self.add(TorqueFunction(name=name, at=at, function=function))
