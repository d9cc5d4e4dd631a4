"""One side of the teeth, as it is looked at slice by slice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from alegear.contact.hertz.body import ElasticBody
from alegear.contact.hertz.profile import SlicedProfile
from alegear.contact.hertz.slices import FaceSlices
from alegear.contact.numbering import Flank
from alegear.geometry.gear_pair import GearPair

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class FlankSide:
    """One side of the teeth on which the gears may touch: the loaded flanks or the back flanks.

    Attributes
    ----------
    side : float
        +1 where flanks a touch, -1 where flanks b do; sections are mirrored accordingly.
    profiles : SlicedProfile of pinion and wheel
    wheel_lead : int
        The pinion's tooth in pair j touches the wheel's tooth in pair j + wheel_lead.
    switch_roll : float [rad]
        How far both sections roll on from the pitch point, told by the pinion, until its tip is the nearer one.
    twist : per gear shape (n_slices,) [rad]
        Angle of the section against z = 0.
    section_angle : per gear shape (n_slices,) [rad]
        Angle of the section in the tooth frame.
    axis : shape (2, n_slices) [m]
        Place of the wheel's axis against the pinion's.
    axial : shape (2,)
        cos beta_b, and the axial component of the normal of the pinion's flank.
    face : per gear int
        Which of the body's faces.
    """

    side: float
    profiles: tuple[SlicedProfile, SlicedProfile]
    wheel_lead: int
    switch_roll: float
    twist: tuple[Array, Array]
    section_angle: tuple[Array, Array]
    axis: Array
    axial: Array
    face: tuple[int, int]

    @classmethod
    def of(
        cls,
        pair: GearPair,
        bodies: Sequence[ElasticBody],
        face: FaceSlices,
        own_z: tuple[Array, Array],
        side: float,
        loaded: float,
    ) -> FlankSide:
        """Look at one side of the teeth of an aligned or misaligned pair.

        Parameters
        ----------
        own_z : per gear shape (n_slices,) [m]
            Middles of the slices from the mid-face of the gear.
        side, loaded : float
            +1 for flanks a, -1 for flanks b: of this side, and of the side that carries the load.
        """
        pinion, wheel = pair.gears
        alpha, tilt = pair.alpha_wt, pair.alignment
        # Across the loaded flanks and along them; a tilt moves the pinion's section along these, so the wheel's axis
        # the other way. Positive in the plane of action closes the gap, positive normal to it leads away from the
        # wheel.
        across = np.array([math.sin(alpha), loaded * math.cos(alpha)])
        along = np.array([-math.cos(alpha), loaded * math.sin(alpha)])
        shift = tilt.tilt_plane_of_action * across + tilt.tilt_normal * along
        axis = np.array([pair.a_w, 0.0])[:, None] - shift[:, None] * face.z
        axis[1] *= side
        # The normal of the pinion's flank leans along the axis by -twist times its lever r_b. Where the contact moves
        # by u along the line of action, the tilted pinion moves by -(shift . n_1) u along its axis against the wheel:
        # half of that is taken from either flank, so that both roll lengths, which differ at tip edges, count alike.
        lean = -side * math.tan(pair.beta_b)
        normal = np.array([math.sin(alpha), side * math.cos(alpha)])
        xi_1 = pair.roll_length_pitch_point
        slope = 0.5 * lean * float(shift @ normal)
        low, high = pair.path_of_contact_usable
        middle = 0.5 * (low + high)
        flank: Flank = "a" if side > 0.0 else "b"
        back = side != loaded
        return cls(
            side=side,
            profiles=(
                SlicedProfile.of(pinion, own_z[0], flank=flank, tilt_slope=slope, roll_length_pitch=xi_1),
                SlicedProfile.of(
                    wheel,
                    own_z[1],
                    flank=flank,
                    tilt_slope=0.0 - slope,  # its roll lengths fall where those of the pinion rise
                    roll_length_pitch=pair.line_of_action - xi_1,
                ),
            ),
            # the next pair to come lies behind the pinion's tooth
            wheel_lead=(1 if loaded > 0.0 else -1) if back else 0,
            switch_roll=(middle - xi_1) / pinion.r_b,
            twist=(side * pinion.twist * face.z, side * wheel.twist * face.z),
            section_angle=(side * pinion.twist * own_z[0], side * wheel.twist * own_z[1]),
            axis=axis,
            axial=np.array([math.cos(pair.beta_b), math.cos(pair.beta_b) * lean]),
            face=(bodies[0].faces.index(flank), bodies[1].faces.index(flank)),
        )
