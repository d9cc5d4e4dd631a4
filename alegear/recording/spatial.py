"""What is recorded of a machine in space at each time or position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from alegear.drivetrain.spatial.gear_joint import GearJoint
from alegear.system.instants import SystemState
from alegear.system.model import SystemModel
from alegear.system.rotation import rotation_matrix
from alegear.system.spatial.bushing import BushingOfFrames
from alegear.system.spatial.hinge_angle import AngleOfFrames
from alegear.system.spatial.joints import ConditionsOfFrames
from alegear.system.spatial.point_spring import PointSpringOfFrames


class SpatialRecord:
    """Samples of a machine in space.

    Parameters
    ----------
    model : SystemModel

    Attributes
    ----------
    names : mapping of str to tuple of str
        By dimension: bodies, rotors, joints, meshes, bushings, point springs.
    """

    def __init__(self, model: SystemModel) -> None:
        self.model = model
        self._bodies = {name: frame.coordinates for name, frame in model.frames.items() if frame.floats}
        of_space = {int(i) for at in self._bodies.values() for i in at}
        self._rotors = {
            c.body: i for i, c in enumerate(model.coordinates) if i not in of_space and c.direction == "rotation"
        }
        rows = list(zip(model.joints, model.joint_rows.rows, strict=True))
        self._joints = [(joint, at) for joint, at in rows if isinstance(joint, ConditionsOfFrames | AngleOfFrames)]
        self._meshes = [(joint, at) for joint, at in rows if isinstance(joint, GearJoint)]
        elements = list(enumerate(model.elements))
        self._bushings = [(i, one) for i, one in elements if isinstance(one, BushingOfFrames)]
        self._springs = [(i, one) for i, one in elements if isinstance(one, PointSpringOfFrames)]
        self.names: Mapping[str, tuple[str, ...]] = {
            "body": tuple(self._bodies),
            "rotor": tuple(self._rotors),
            "joint": tuple(joint.name for joint, _ in self._joints),
            "mesh": tuple(joint.name for joint, _ in self._meshes),
            "bushing": tuple(one.name for _, one in self._bushings),
            "point_spring": tuple(one.name for _, one in self._springs),
        }

    def sample(self, motion: SystemState) -> dict[str, Any]:
        """Values of all variables that do not add up over the time."""
        return {
            **self._of_bodies(motion),
            **self._of_joints(motion),
            **self._of_meshes(motion),
            **self._of_elements(motion),
        }

    def _of_bodies(self, motion: SystemState) -> dict[str, Any]:
        x, v, a = (
            np.array([values[at] for at in self._bodies.values()]).reshape(-1, 6)
            for values in (motion.x, motion.v, motion.a)
        )
        R = [rotation_matrix(turned) for turned in x[:, 3:]]
        rotors = list(self._rotors.values())
        return {
            "position": x[:, :3],
            "rotation_vector": x[:, 3:],
            "velocity": v[:, :3],
            "angular_velocity": np.array([one @ w for one, w in zip(R, v[:, 3:], strict=True)]).reshape(-1, 3),
            "angular_velocity_of_body": v[:, 3:],
            "acceleration": a[:, :3],
            # the axes of the body turn about w: its rate in space is that in the body
            "angular_acceleration": np.array([one @ w for one, w in zip(R, a[:, 3:], strict=True)]).reshape(-1, 3),
            "angle": motion.x[rotors],
            "speed": motion.v[rotors],
        }

    def _of_joints(self, motion: SystemState) -> dict[str, Any]:
        reactions, power = [], []
        for joint, at in self._joints:
            x, v, multipliers = motion.x[joint.coordinates], motion.v[joint.coordinates], motion.joint_multipliers[at]
            reactions.append(joint.reaction(motion.t, x, multipliers))
            power.append(joint.forces(motion.t, x, v, multipliers).supplied)
        names = ("reaction_force", "reaction_torque", "joint_point")
        found = {name: np.array([one[i] for one in reactions]).reshape(-1, 3) for i, name in enumerate(names)}
        return found | {"joint_power": np.array(power)}

    def _of_meshes(self, motion: SystemState) -> dict[str, Any]:
        contacts = [
            joint.contact(motion.x[joint.coordinates], motion.v[joint.coordinates], motion.joint_multipliers[at])
            for joint, at in self._meshes
        ]
        return {
            "normal_force": np.array([one.normal_force for one in contacts]),
            "tooth_force": np.array([one.force for one in contacts]).reshape(-1, 3),
            "contact_point": np.array([one.point for one in contacts]).reshape(-1, 3),
            "roll": np.array([one.rolls for one in contacts]).reshape(-1, 2),
            "sliding_velocity": np.array([one.sliding for one in contacts]),
            "friction_loss": np.array([one.lost for one in contacts]),
        }

    def _of_elements(self, motion: SystemState) -> dict[str, Any]:
        responses: list[Any] = [forces.response for forces in motion.forces.elements]
        on_second = [one.on_second(motion.x[one.coordinates], responses[i]) for i, one in self._bushings]
        return {
            "bushing_force": np.array([force for force, _ in on_second]).reshape(-1, 3),
            "bushing_torque": np.array([moment for _, moment in on_second]).reshape(-1, 3),
            "spring_length": np.array([responses[i].length for i, _ in self._springs]),
            "spring_force": np.array([responses[i].tension for i, _ in self._springs]),
        }
