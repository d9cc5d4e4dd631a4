"""A rigid wheel on its axis."""

from __future__ import annotations

from dataclasses import dataclass

from alegear.errors import Fault


@dataclass(frozen=True, kw_only=True, eq=False)
class RotatingBody:
    r"""A rigid, balanced body that turns about a fixed axis: :math:`J \dot\omega = \tau`.

    Parameters
    ----------
    body_inertia : float [kg m2]
        Of the body itself about the axis.
    added_inertia : float [kg m2]
        Of what is fixed to the same shaft: rotor, load, flywheel.
    """

    body_inertia: float
    added_inertia: float = 0.0

    def __post_init__(self) -> None:
        if not self.body_inertia > 0.0:
            raise Fault("inertia [kg m2]", self.body_inertia, "positive", "check density and dimensions")
        if not self.added_inertia >= 0.0:
            raise Fault("added inertia [kg m2]", self.added_inertia, "zero or positive", "use 0 for none")

    @property
    def inertia(self) -> float:
        """J [kg m2], body and added."""
        return self.body_inertia + self.added_inertia

    def kinetic_energy(self, speed: float) -> float:
        """J omega^2 / 2 [J]."""
        return 0.5 * self.inertia * speed * speed

    def drive_torque(self, acceleration: float, applied_torque: float) -> float:
        """Torque [N m] that the drive must give for a prescribed acceleration [rad/s2]: J dω/dt - applied torque.

        `applied_torque` is the sum of all others on the body (contact, load), positive in the direction of rotation.
        """
        return self.inertia * acceleration - applied_torque
