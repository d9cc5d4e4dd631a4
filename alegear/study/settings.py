"""What a case asks for, in SI units: drive and load, the analysis and its settings, the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, kw_only=True)
class Operation:
    """Drive and load.

    Parameters
    ----------
    driver : {"pinion", "wheel"}
    pinion_torque : float [N m]
        On the pinion shaft: positive loads the front flanks, negative the back flanks. Of a table the largest by
        magnitude.
    pinion_speed : float or None [rad/s]
        Speed of the pinion, positive, the largest of a table; None where none is given (static studies).
    speed_table : tuple of (float, float) or None [s, rad/s]
        Times from 0 on and speeds of the pinion; None: `pinion_speed`, ramped up.
    torque_table : tuple of (float, float) or None [s, N m]
        Times from 0 on and torques on the pinion shaft; None: `pinion_torque`, ramped up.
    gravity : tuple of three float [m/s2]
        On gears with supports that give way.
    """

    driver: Literal["pinion", "wheel"] = "pinion"
    pinion_torque: float
    pinion_speed: float | None = None
    speed_table: tuple[tuple[float, float], ...] | None = None
    torque_table: tuple[tuple[float, float], ...] | None = None
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class StaticAnalysis:
    """Positions of the driven gear under constant torque.

    Parameters
    ----------
    positions_per_pitch, pitches : int
    tooth_change_threshold : float or None [1]
        Phase modulo 1 of the tooth-change; None: chosen from the computed loads.
    """

    kind: ClassVar[str] = "static"
    positions_per_pitch: int = 32
    pitches: int = 1
    tooth_change_threshold: float | None = None


@dataclass(frozen=True, kw_only=True)
class DynamicAnalysis:
    """Motion in time: the driver's speed is prescribed, the driven gear carries the torque.

    Parameters
    ----------
    duration, ramp : float [s]
        A ramp of 0 starts at speed under the static load.
    tolerance : float [1]
        Relative error of a step; without effect with a fixed step.
    time_step : float or None [s]
        Fixed step; None: chosen from the tolerance.
    method : {"generalized-alpha", "hht", "backward-euler"}
    rho_inf : float [1]
        Spectral radius at infinite frequency; without effect on backward Euler.
    mesh_damping_ratio : float [1]
        Damping ratio of the pair's first mode.
    output_every : float [s]
    tooth_change_threshold : float or None [1]
    normal_modes : int
        Of each wheel, with their inertia; 0 drops the elastic inertia.
    modal_damping_ratio : float [1]
        Of each of them.
    """

    kind: ClassVar[str] = "dynamic"
    duration: float
    ramp: float = 0.0
    tolerance: float = 1e-4
    time_step: float | None = None
    method: Literal["generalized-alpha", "hht", "backward-euler"] = "generalized-alpha"
    rho_inf: float = 0.8
    mesh_damping_ratio: float = 0.02
    output_every: float = 2e-5
    tooth_change_threshold: float | None = None
    normal_modes: int = 0
    modal_damping_ratio: float = 0.01


@dataclass(frozen=True, kw_only=True)
class SweepAnalysis(DynamicAnalysis):
    """A motion over a range of speeds, of which statistics over stretches of whole pitches are kept.

    Parameters
    ----------
    turn : float or None [s]
        Time at which the speed goes back; None: it does not.
    settling : float [s]
        What is left out at the beginning.
    pitches : int
        Of a stretch.
    """

    kind: ClassVar[str] = "sweep"
    turn: float | None = None
    settling: float = 0.0
    pitches: int = 16


@dataclass(frozen=True, kw_only=True)
class ModalAnalysis:
    """Natural vibrations of both wheels and of the loaded pair.

    Parameters
    ----------
    n_modes : int
        Modes of each wheel that are listed, with the bore held and free, and of the pair.
    normal_modes : int
        Normal modes of each wheel that vibrate in the pair; 0: wheels without elastic inertia.
    phase : float or None [pitches]
        Position of the driven gear at which the pair is linearised; None: the mean over a pitch.
    """

    kind: ClassVar[str] = "modal"
    n_modes: int = 10
    normal_modes: int = 0
    phase: float | None = None


@dataclass(frozen=True, kw_only=True)
class OutputPoint:
    """A point of the teeth of a gear whose stress and motion are recorded.

    Parameters
    ----------
    name : str
    gear : int
        0 pinion, 1 wheel.
    side : {"front", "back"}
        Of the tooth; positive torque loads the front flanks.
    fillet_share : float or None
        Place in the root fillet: 0 in the middle of the tooth space, 1 at the root form circle.
    radius : float or None [m]
        In place of it, in the fillet above the root circle or on the flank.
    face_position : float [m]
        Along the axis from mid-face.
    teeth : tuple of int or None
        Teeth on which; None: all. Tooth i is in the pairs i, i + z, ...
    """

    name: str
    gear: int
    side: Literal["front", "back"] = "front"
    fillet_share: float | None = None
    radius: float | None = None
    face_position: float = 0.0
    teeth: tuple[int, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """What is written beside the curves.

    Parameters
    ----------
    fields, plots : bool
    field_times : tuple of float or None [s]
        Times of the fields of a dynamic study; None: twenty, evenly spread.
    checkpoint_every : float or None [s]
        Wall time between the checkpoints of a dynamic study; None: no checkpoints.
    points : tuple of OutputPoint
        Whose histories of stress and motion are recorded.
    """

    fields: bool = True
    field_times: tuple[float, ...] | None = None
    plots: bool = True
    checkpoint_every: float | None = 60.0
    points: tuple[OutputPoint, ...] = ()
