"""A line contact of gears that bend by a part of what they do: from flexible gears to Hertz's law alone."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from math import pi
from typing import Annotated

import numpy as np

from alegear.contact.hertz import model_kernels as kernels
from alegear.contact.hertz.contact import LineContact
from alegear.contact.hertz.model import kernel_model
from alegear.contact.layer import spline_slopes
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.limits import Limits
from alegear.parameters import check_parameters

#: Least radius of curvature in modules for which Hertz's approach is taken: an involute has none at its base circle.
LEAST_RADIUS = 0.025


@dataclass(frozen=True, kw_only=True, eq=False)
class ScaledBending(LineContact):
    """The contact of gears that bend by a part of what they do, and indent each other as they do.

    Under a line load q a flank gives way by the compliance C of its gear and by (1 - nu^2)/E q W, the approach of the
    layer under the strip of pressure. Of W the indentation of a cylinder stays, the rest is bending:

        C_share = share C,   W_share = W_H + share (W - W_H),   W_H = (2/3 + 2 ln(2 R/b_H))/pi

    with the radius of curvature R of the involute and the half width b_H. With 1 it is the contact of which it is made,
    with 0 that of teeth which do not bend.

    Parameters
    ----------
    share : float

    Raises
    ------
    Fault

    Notes
    -----
    Source of W_H: Dahl, Wettergren and Tidefelt (2017), formula 17, whose b is the whole width.
    """

    share: Annotated[float, Limits(quantity="share of bending", key="share", least=0.0, most=1.0)]

    def __post_init__(self) -> None:
        check_parameters(self)

    @classmethod
    def of(cls, contact: LineContact, share: float) -> ScaledBending:
        """Make it of the contact of gears that bend as they do.

        Raises
        ------
        Fault
        """
        return cls(**{one.name: getattr(contact, one.name) for one in fields(LineContact)}, share=share)

    @cached_property
    def model(self) -> kernels.Model:
        """Everything that the kernels need to know."""
        whole, (pinion, wheel) = kernel_model(self), self.pair.gears
        return whole._replace(pinion=self._scaled(whole.pinion, pinion), wheel=self._scaled(whole.wheel, wheel))

    def _scaled(self, body: kernels.Body, gear: CylindricalGear) -> kernels.Body:
        layer, share = body.layer, self.share
        R = np.maximum(gear.tooth_profile.roll_length(np.maximum(layer.s, 0.0)), LEAST_RADIUS * gear.m_n)
        W = (2.0 / 3.0 + 2.0 * (np.log(2.0 * R / layer.narrowest)[:, None] - layer.log_b)) / pi
        of_cylinder = np.stack([W, spline_slopes(layer.s, W), np.full_like(W, -2.0 / pi), np.zeros_like(W)])
        table = np.ascontiguousarray((1.0 - share) * of_cylinder + share * layer.table)
        return body._replace(blocks=share * body.blocks, smooth=share * body.smooth, layer=layer._replace(table=table))
