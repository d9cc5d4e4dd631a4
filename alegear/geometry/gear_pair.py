"""Two gears at a centre distance: path of contact, contact ratio, backlash, and what makes the pair impossible."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot

from alegear.geometry.alignment import ALIGNED, Alignment
from alegear.geometry.cylindrical_gear import CylindricalGear
from alegear.geometry.gear import Gear
from alegear.geometry.internal_gear import InternalGear
from alegear.geometry.microgeometry import OF_PAIR, Microgeometry
from alegear.geometry.pair_checks import (
    FORM_CIRCLES,
    check_common_face,
    check_contact_ratio,
    check_engagement,
    check_teeth,
    depth_of_tip,
    pair_warnings,
)
from alegear.geometry.pair_geometry import Member, PairGeometry, is_pinion
from alegear.geometry.pair_names import PairNames
from alegear.limits import Limits, check_kind
from alegear.short_repr import ShortRepr

CENTRE_DISTANCE = Limits(
    quantity="centre distance", key="center_distance_mm", unit="mm", least=0.01, most=1e5, optional=True
)


@dataclass(frozen=True, kw_only=True, eq=False, init=False)
class GearPair(ShortRepr, PairGeometry):
    """Put a pinion (gear 1) and a wheel (gear 2) into mesh; one of them may be a ring.

    The numbers are those of ISO 21771 by signed teeth: of a ring the tooth number is negative, and with it its radii,
    diameters, roll lengths and radii of curvature, the ratio and the centre distance. So one set of formulas serves
    both kinds of pairs.

    Parameters
    ----------
    pinion, wheel : Gear or InternalGear
        Helical gears need opposite hands, ``wheel.beta = -pinion.beta``, in a ring the same.
    a_w : float or None [m]
        Centre distance as given on the drawing, in a ring with or without the negative sign. None: the distance without
        backlash for these profile shifts; thickness allowances then make the backlash.
    alignment : Alignment
        Of the pinion shaft against the wheel shaft. Its centre distance error is added to the given distance.
    names : PairNames, optional
        What its messages call both gears; not a part of the pair.
    a_nominal : float, optional [m]
        The given centre distance, as ``dataclasses.replace`` hands it on; `a_w` takes precedence.

    Attributes
    ----------
    a_w : float [m]
        Working centre distance: the given one plus ``alignment.center_distance_error``. Everything with the index w,
        the path of contact, the backlash and the contact ratios belong to it. ``a_nominal`` is the given one.

    Raises
    ------
    Fault
        For gears of different racks or wrong hands, a ring with too few teeth, no contact at this centre distance,
        negative backlash, faces that do not meet, a total contact ratio below 1, a tip that would cut into the mating
        root, and tips of pinion and ring that run into each other beside the path of contact.

    Notes
    -----
    Offsets and tilts of the alignment leave the numbers here as they are, except for the common face and what depends
    on it: ``b_w``, eps_beta, eps_gamma. The transverse sections of a helical pair are a spur pair each, turned by
    ``twist z``. Positions on the path of contact are roll lengths of the pinion, xi_1, from the point T1 where the line
    of action touches the pinion's base circle; there the wheel has ``xi_2 = a_w sin alpha_wt - xi_1``. In these numbers
    tips count as sharp; whether one cuts into a root is asked of it as it is rounded. Source: ISO 21771:2007.

    Examples
    --------
    >>> from alegear.geometry import Gear, GearPair
    >>> pair = GearPair(
    ...     pinion=Gear(z=20, m_n=4e-3, x=0.2, b=30e-3, bore_diameter=35.8e-3),
    ...     wheel=Gear(z=30, m_n=4e-3, x=-0.2, b=30e-3, bore_diameter=54.2e-3),
    ... )
    >>> round(1e3 * pair.a_w, 9), pair.warnings
    (100.0, ())
    """

    pinion: CylindricalGear
    wheel: CylindricalGear
    a_nominal: float = field(metadata={"digest": "a_w"})
    alignment: Alignment

    def __init__(
        self,
        *,
        pinion: CylindricalGear,
        wheel: CylindricalGear,
        a_w: float | None = None,
        alignment: Alignment | None = None,
        names: PairNames | None = None,
        a_nominal: float | None = None,
    ) -> None:
        check_kind(pinion, "GearPair.pinion", (Gear, InternalGear))
        check_kind(wheel, "GearPair.wheel", (Gear, InternalGear))
        check_kind(alignment, "GearPair.alignment", Alignment, optional=True)
        given, called = a_nominal if a_w is None else a_w, names or PairNames()
        quantity = called.where + CENTRE_DISTANCE.quantity
        signed = min(pinion.sign, wheel.sign)
        if signed < 0.0 and isinstance(given, int | float) and not isinstance(given, bool):
            given = abs(given)
        replace(CENTRE_DISTANCE, quantity=quantity, key=called.centre_distance).check(given, "GearPair.a_w")
        object.__setattr__(self, "_names", called)
        object.__setattr__(self, "pinion", pinion)
        object.__setattr__(self, "wheel", wheel)
        object.__setattr__(self, "alignment", ALIGNED if alignment is None else alignment)
        check_teeth(self)
        object.__setattr__(self, "a_nominal", self.a_w_without_backlash if given is None else signed * given)
        check_engagement(self)
        self._start_reliefs()
        check_contact_ratio(self, self.eps_alpha_usable, FORM_CIRCLES)

    def with_microgeometry(self, pinion: Microgeometry | None = None, wheel: Microgeometry | None = None) -> GearPair:
        """Return this pair with other flank deviations of one or both gears; nothing else is computed again.

        Raises
        ------
        Fault
            For deviations that do not fit a flank.
        """
        changed = copy.copy(self)
        for name, gear, microgeometry in (("pinion", self.pinion, pinion), ("wheel", self.wheel, wheel)):
            check_kind(microgeometry, name, Microgeometry, optional=True)
            if microgeometry is not None:
                object.__setattr__(changed, name, gear.with_microgeometry(microgeometry))
        changed._start_reliefs()
        return changed

    def with_alignment(self, alignment: Alignment) -> GearPair:
        """Return this pair with another alignment; only another centre distance is checked all over again.

        Raises
        ------
        Fault
            For faces that do not meet, and whatever another centre distance makes impossible.
        """
        check_kind(alignment, "alignment", Alignment)
        if alignment.center_distance_error != self.alignment.center_distance_error:
            pinion, wheel = self.gears
            return GearPair(pinion=pinion, wheel=wheel, a_w=self.a_nominal, alignment=alignment, names=self._names)
        changed = copy.copy(self)
        object.__setattr__(changed, "alignment", alignment)
        changed.__dict__.pop("warnings", None)  # they may name the overlap ratio
        check_common_face(changed)
        if changed.eps_beta < self.eps_beta:
            check_contact_ratio(changed, changed.eps_alpha_usable, FORM_CIRCLES)
        return changed

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about a pair that runs, but with a drawback: quantity, value, cause, remedy."""
        return pair_warnings(self)

    def tip_penetration(self, member: Member) -> tuple[float, float]:
        """Sweep the mating tip corner over flank and root of one gear (:func:`~alegear.geometry.interference.sweep`).

        Parameters
        ----------
        member : {"pinion", "wheel"}
            The gear whose root is looked at.

        Returns
        -------
        depth : float [m]
            Largest depth of the corner inside the material; the flanks touch without depth, so that round-off remains
            for a pair that runs freely.
        radius : float [m]
            Distance of that point from the gear's axis.
        """
        gear, mate = self.gears if is_pinion(member) else (self.wheel, self.pinion)
        return depth_of_tip(self, gear, mate, mate.r_a)

    def _start_reliefs(self) -> None:
        """Give reliefs that begin at the end of single contact their diameters, of the nominal centre distance."""
        if not any(gear.microgeometry.needs_pair for gear in self.gears):
            return
        nominal = self
        if self.alignment.center_distance_error:  # teeth are ground for the distance on the drawing
            plain = [gear.with_microgeometry(Microgeometry()) for gear in self.gears]
            nominal = GearPair(pinion=plain[0], wheel=plain[1], a_w=self.a_nominal, names=self._names)
        for member in ("pinion", "wheel"):
            gear = getattr(self, member)
            if not gear.microgeometry.needs_pair:
                continue
            ends = nominal.single_contact(member)
            if ends is None:
                raise self._names.fault(
                    "transverse contact ratio",
                    round(nominal.eps_alpha_usable, 6),
                    f"from 1 to below 2 for a relief of {self._names.of(member)} from the {OF_PAIR}",
                    f"give tip_relief_start_roll_length_mm of {self._names.of(member)}, or that of its root relief",
                )
            of_relief = {
                name: 2.0 * hypot(gear.r_b, xi)
                for name, xi in zip(("root_relief", "tip_relief"), ends, strict=True)
                if getattr(gear.microgeometry, f"{name}_start")
            }
            placed = gear.with_microgeometry(gear.microgeometry.with_start_diameters(of_relief.get))
            object.__setattr__(self, member, placed)
