"""How messages about a pair call its gears, and what a user gives its place by."""

from __future__ import annotations

from dataclasses import dataclass

from alegear.errors import Fault


@dataclass(frozen=True, kw_only=True)
class PairNames:
    """Names in the messages of a :class:`~alegear.geometry.gear_pair.GearPair`.

    Parameters
    ----------
    pinion, wheel : str
        With an article where they need one.
    centre_distance, axial_offset : str
        What is corrected to change them: a key of the case file.
    torque : str
        What the torque on the first gear is given by, or called.
    where : str
        What begins a message, where there are several pairs: ``"mesh first: "``.
    """

    pinion: str = "the pinion"
    wheel: str = "the wheel"
    centre_distance: str = "center_distance_mm"
    axial_offset: str = "axial_offset_mm"
    torque: str = "pinion_torque_Nm"
    where: str = ""

    @property
    def gears(self) -> tuple[str, str]:
        """Both gears."""
        return self.pinion, self.wheel

    def of(self, member: str) -> str:
        """The gear that is the ``"pinion"`` or the ``"wheel"``."""
        return self.pinion if member == "pinion" else self.wheel

    def fault(self, quantity: str, value: object, limit: str, remedy: str) -> Fault:
        """A fault of this pair among others."""
        return Fault(f"{self.where}{quantity}", value, limit, remedy)
