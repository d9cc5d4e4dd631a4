"""What is written beside the curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from alegear.errors import Fault
from alegear.limits import Limits, check_choice, check_numbers, check_type, described


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

    Raises
    ------
    Fault
        For a value out of its range, and unless one of `fillet_share` and `radius` says the place.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "gear": Limits(quantity="gear of the point", key="gear", least=0, most=1, whole=True),
        "fillet_share": Limits(quantity="place in the fillet", key="fillet_share", least=0.0, most=1.0, optional=True),
        "radius": Limits(
            quantity="diameter of the point",
            key="diameter_mm",
            unit="mm",
            factor=0.5e-3,
            least=0.01,
            most=1e5,
            optional=True,
        ),
        "face_position": Limits(
            quantity="place along the axis", key="face_position_mm", unit="mm", factor=1e-3, least=-1e5, most=1e5
        ),
    }

    name: str
    gear: int
    side: Literal["front", "back"] = "front"
    fillet_share: float | None = None
    radius: float | None = None
    face_position: float = 0.0
    teeth: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_choice(self, "side", ("front", "back"))
        check_numbers(self)
        if (self.fillet_share is None) == (self.radius is None):
            limit = "in one of fillet_share and diameter_mm"
            raise Fault(f"place of the point {self.name!r}", "in none or both", limit, "give one of the two")
        if self.teeth is not None:
            check_type(self, "teeth", (tuple, list))
            for tooth in self.teeth:
                Limits(quantity="tooth", key="teeth", least=0, whole=True).check(tooth, "OutputPoint.teeth")


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

    Raises
    ------
    Fault
        For a value out of its range, and names of points given twice.
    """

    LIMITS: ClassVar[dict[str, Limits]] = {
        "checkpoint_every": Limits(
            quantity="wall time between checkpoints",
            key="checkpoint_every_s",
            unit="s",
            least=0.0,
            most=1e6,
            optional=True,
        ),
    }
    TIME: ClassVar[Limits] = Limits(quantity="time of a field", key="field_times_s", unit="s", least=0.0)
    MOST_POINTS: ClassVar[int] = 100

    fields: bool = True
    field_times: tuple[float, ...] | None = None
    plots: bool = True
    checkpoint_every: float | None = 60.0
    points: tuple[OutputPoint, ...] = ()

    def __post_init__(self) -> None:
        check_type(self, "fields", bool)
        check_type(self, "plots", bool)
        check_numbers(self)
        check_type(self, "field_times", (tuple, list), optional=True)
        for time in self.field_times or ():
            self.TIME.check(time, "OutputOptions.field_times")
        if self.field_times is not None and not self.fields:
            raise Fault("field_times_s", "given", "left out with fields = false", "leave out one of the two")
        check_type(self, "points", (tuple, list))
        if len(self.points) > self.MOST_POINTS:
            raise Fault("number of points", len(self.points), f"at most {self.MOST_POINTS}", "give fewer points")
        for number, point in enumerate(self.points):
            if not isinstance(point, OutputPoint):
                raise Fault(f"OutputOptions.points[{number}]", described(point), "an OutputPoint", "give one")
            if point.name in [other.name for other in self.points[:number]]:
                raise Fault(f"points[{number}].name", point.name, "that of no other point", "choose another name")
