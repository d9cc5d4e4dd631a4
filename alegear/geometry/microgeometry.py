"""Deviations of the flank from the involute, as a normal offset: part of the contact gap, not of the grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array, Indices
from alegear.errors import Fault
from alegear.geometry.measured_flank import Topography, read_pitch_deviation
from alegear.geometry.measured_teeth import MeasuredFile, MeasuredFlank, MeasuredTeeth
from alegear.geometry.tooth_profile import ToothProfile
from alegear.limits import Limits, array_of
from alegear.parameters import CsvFile, Words, check_parameters
from alegear.short_repr import ShortRepr

ReliefShape = Literal["linear", "parabolic"]
ReliefStart = Literal["end of single contact"]
Flank = Literal["a", "b"]
FLANKS: tuple[Flank, Flank] = ("a", "b")
RELIEFS = ("tip_relief", "root_relief")
TOPOGRAPHIES = ("topography", "topography_left", "topography_right")

OF_PAIR = "end of single contact"
"""Start of a relief that a pair turns into a diameter."""

LARGEST_DEVIATION = 1e5
"""Of a flank [um]; what a tooth bears, the gear knows."""

FLANK_SLACK = 0.02
"""How far a measured topography may reach beyond the flank, in parts of the flank's roll length and face width."""

LARGEST_PITCH_STEP = 0.04
"""Pitch deviation against the next tooth, in modules. Where a tooth lags by 0.05 the default window still holds every
pair that carries (computed for 20/30 with windows of three and of five pairs); with 0.075 it does not."""


def _amount(quantity: str, words: str = "", least: float = -LARGEST_DEVIATION) -> Limits:
    return Limits(quantity=quantity, words=words, unit="um", least=least, most=LARGEST_DEVIATION)


def _start(quantity: str, words: str, least: float) -> Limits:
    return Limits(quantity=quantity, words=words, unit="mm", least=least, most=1e5)


#: Of fields that count in the hash of a case only where they are given: flanks without them keep theirs.
IF_GIVEN: Mapping[str, bool] = {"digest_if_given": True}


@dataclass(frozen=True, kw_only=True, eq=False)
class Microgeometry(ShortRepr):
    r"""Collect the deviations of a gear's flanks, the same on both sides of a tooth but for what is measured.

    All are offsets normal to the flank; material removed is positive. With the share of the roll length
    :math:`t = (\xi - \xi_{Ff})/(\xi_a - \xi_{Ff})`, 0 at the root form circle and 1 at the tip circle, and z from
    mid-face the flank loses along the profile and along the lead

    .. math::
        C_a \left(\frac{\xi - \xi_{Ca}}{\xi_a - \xi_{Ca}}\right)^n
        + C_f \left(\frac{\xi_{Cf} - \xi}{\xi_{Cf} - \xi_{Ff}}\right)^n
        + C_\alpha (2 t - 1)^2 + C_{H\alpha} t

    .. math::
        C_\beta (2 z/b)^2 + C_{H\beta} z/b + C_{end} \left(\frac{\lvert z \rvert - (b/2 - l)}{l}\right)

    and the measured topography. The fractions of tip, root and end relief count while they are positive; n is 1
    (linear) or 2 (parabolic).

    Parameters
    ----------
    tip_relief : float [m]
        Removed at the tip circle, 0 or more.
    tip_relief_start_diameter : float or None [m]
        Where the tip relief begins; one of this and the next two is needed with one.
    tip_relief_start_roll_length : float or None [m]
        The same as a roll length, of a ring by magnitude. A gear turns it into the diameter.
    tip_relief_start : {"end of single contact"} or None
        The same by the mesh: at the highest point of single pair contact of the nominal centre distance. A pair turns
        it into the diameter; a gear alone has no flank yet.
    tip_relief_shape : {"linear", "parabolic"}
        Growth over the roll length from the start to the tip.
    root_relief : float [m]
        Removed at the root form circle and below, 0 or more.
    root_relief_start_diameter, root_relief_start_roll_length, root_relief_start : as of the tip relief
        Where the root relief begins, towards the root; with ``"end of single contact"`` at the lowest point of it.
    root_relief_shape : {"linear", "parabolic"}
    profile_crowning : float [m]
        Removed at the root form circle and at the tip, 0 in the middle of the roll length; negative: hollow.
    profile_slope : float [m]
        Removed at the tip against the root form circle, where it is 0: positive makes the working flank come late at
        its tip. Negative adds at the tip.
    lead_crowning : float [m]
        Removed at both face ends, 0 at mid-face; negative: hollow.
    helix_slope : float [m]
        Difference of the removal between the face ends +b/2 and -b/2: half of it is removed at +z and half of it added
        at -z, 0 at mid-face, so that the slope b tilt undoes a tilt in the plane of action of spur gears; of helical
        ones b tilt cos beta_b and a profile slope do (:class:`~alegear.geometry.alignment.Alignment`).
    end_relief : float [m]
        Removed at both face ends, 0 or more, linear over its length.
    end_relief_length : float [m]
        How far each end relief reaches into the face; needed with one.
    topography : Topography, MeasuredTeeth or None
        Measured deviation of both flanks, of all teeth or tooth by tooth, added to all of the above.
    topography_left, topography_right : Topography, MeasuredTeeth or None
        In its place those of the left and the right flanks, as seen from the face end at +z with the tip upwards: the
        left flank is flank a, at the positive polar angle of an external tooth. A pinion that drives with a positive
        torque carries on its left flanks.
    pitch_deviation : shape (z,) [m] or None
        Displacement of each tooth from its correct position, normal to the flank: positive adds material to the left
        flank and takes as much from the right one, whichever of them carries. Where a pinion drives with a positive
        torque the flanks of both gears come early then, under a negative torque, or where the wheel drives, late. This
        is the cumulative deviation, not the difference to the neighbour. Teeth in the order in which they come into
        mesh, tooth 0 in pair 0.

    Raises
    ------
    Fault
        For a negative relief, numbers that are not finite, a relief without its start or length. Whether all this fits
        the flank is known to the :class:`~alegear.geometry.cylindrical_gear.Gear` only, which checks it.

    Notes
    -----
    Names and signs after ISO 21771:2007 (C_a, C_f, C_alpha, C_Halpha, C_beta, C_Hbeta); the zero of the slopes is a
    choice, a shift of a whole flank only shifts the transmission error.

    Examples
    --------
    >>> Microgeometry(tip_relief=20e-6, tip_relief_start_diameter=84e-3).tip_relief_shape
    'linear'
    """

    tip_relief: Annotated[float, _amount("tip relief", least=0.0)] = 0.0
    tip_relief_start_diameter: Annotated[
        float | None, _start("tip relief start diameter", "diameter where tip relief starts,", 0.01)
    ] = None
    tip_relief_start_roll_length: Annotated[
        float | None,
        _start("tip relief start roll length", "roll length where tip relief starts, in place of the diameter,", 1e-6),
    ] = field(default=None, metadata=IF_GIVEN)
    tip_relief_start: Annotated[
        ReliefStart | None, Words('"end of single contact", where tip relief starts, in place of the diameter')
    ] = field(default=None, metadata=IF_GIVEN)
    tip_relief_shape: Annotated[ReliefShape, Words("shape of the tip relief")] = "linear"
    root_relief: Annotated[float, _amount("root relief", least=0.0)] = 0.0
    root_relief_start_diameter: Annotated[
        float | None, _start("root relief start diameter", "diameter where root relief starts,", 0.01)
    ] = None
    root_relief_start_roll_length: Annotated[
        float | None,
        _start(
            "root relief start roll length", "roll length where root relief starts, in place of the diameter,", 1e-6
        ),
    ] = field(default=None, metadata=IF_GIVEN)
    root_relief_start: Annotated[
        ReliefStart | None, Words('"end of single contact", where root relief starts, in place of the diameter')
    ] = field(default=None, metadata=IF_GIVEN)
    root_relief_shape: Annotated[ReliefShape, Words("shape of the root relief")] = "linear"
    profile_crowning: Annotated[float, _amount("profile crowning")] = 0.0
    profile_slope: Annotated[float, _amount("profile slope", "profile slope, positive removes at the tip,")] = 0.0
    lead_crowning: Annotated[float, _amount("lead crowning")] = 0.0
    helix_slope: Annotated[float, _amount("helix slope", "helix slope, positive removes at +z,")] = 0.0
    end_relief: Annotated[float, _amount("end relief", "relief of both face ends", 0.0)] = 0.0
    end_relief_length: Annotated[float, _start("end relief length", "length of each end relief", 0.0)] = 0.0
    topography: Annotated[
        Topography | MeasuredTeeth | None,
        MeasuredFlank(MeasuredFile, "topography", "measured deviation of both flanks"),
    ] = None
    topography_left: Annotated[
        Topography | MeasuredTeeth | None,
        MeasuredFlank(
            MeasuredFile,
            "topography_left",
            "that of the left flanks alone, as seen from the face end at +z with the tip upwards",
        ),
    ] = field(default=None, metadata=IF_GIVEN)
    topography_right: Annotated[
        Topography | MeasuredTeeth | None,
        MeasuredFlank(MeasuredFile, "topography_right", "that of the right flanks alone"),
    ] = field(default=None, metadata=IF_GIVEN)
    pitch_deviation: Annotated[
        Array | None,
        CsvFile(
            "pitch_deviation_csv",
            "path of the displacements of the teeth (tooth, displacement_um), positive where the left flank has"
            " more material (early where the pinion drives) and the right one less, from the case file's folder",
            read_pitch_deviation,
        ),
    ] = None

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.topography is not None and self.flanks_differ:
            limit = "given for both flanks, or for the left and the right one"
            raise Fault("topography", "given for both flanks and for one", limit, "leave out one of the two")
        for name in RELIEFS:
            self._check_relief(name)
        if self.end_relief > 0.0 and self.end_relief_length == 0.0:
            raise Fault("end relief length [mm]", 0.0, "above 0 with an end relief", "add end_relief_length_mm")
        if self.pitch_deviation is not None:
            deviation = array_of(self.pitch_deviation, "Microgeometry.pitch_deviation")
            if deviation.ndim != 1 or not np.all(np.isfinite(deviation)):
                raise Fault(
                    "pitch deviations [um]",
                    deviation.shape,
                    "one finite number a tooth",
                    "correct pitch_deviation_csv",
                )
            deviation.setflags(write=False)
            object.__setattr__(self, "pitch_deviation", deviation)

    @property
    def amounts(self) -> dict[str, float]:
        """The largest normal offset of each deviation by its key in a case file [m]; pitch deviations left out."""
        amounts = {
            "tip_relief_um": self.tip_relief,
            "root_relief_um": self.root_relief,
            "profile_crowning_um": abs(self.profile_crowning),
            "profile_slope_um": abs(self.profile_slope),
            "lead_crowning_um": abs(self.lead_crowning),
            "helix_slope_um": 0.5 * abs(self.helix_slope),
            "end_relief_um": self.end_relief,
        }
        return amounts | {name: float(np.max(np.abs(one.removal))) for name, one in self.measured.items()}

    @property
    def given(self) -> dict[str, float | str]:
        """Deviations other than 0, by their keys of a case file, in its units; of what was measured the range [um].

        The start of a relief as given; of a gear in a pair ``"end of single contact"`` has become a diameter.
        """
        found: dict[str, float | str] = {}
        for name in RELIEFS:
            if getattr(self, name) > 0.0:
                found[f"{name}_um"] = 1e6 * getattr(self, name)
                for key in ("start_diameter", "start_roll_length"):
                    if (start := getattr(self, f"{name}_{key}")) is not None:
                        found[f"{name}_{key}_mm"] = 1e3 * start
                if (words := getattr(self, f"{name}_start")) is not None:
                    found[f"{name}_start"] = words
                found[f"{name}_shape"] = getattr(self, f"{name}_shape")
        for name in ("profile_crowning", "profile_slope", "lead_crowning", "helix_slope", "end_relief"):
            if getattr(self, name) != 0.0:
                found[f"{name}_um"] = 1e6 * getattr(self, name)
        if self.end_relief > 0.0:
            found["end_relief_length_mm"] = 1e3 * self.end_relief_length
        for name in TOPOGRAPHIES:
            own = [one for key, one in self.measured.items() if key == name or key.startswith(f"{name} of tooth ")]
            if own:
                found[f"{name}_range_um"] = 1e6 * max(float(np.ptp(one.removal)) for one in own)
        if self.pitch_deviation is not None:
            found["pitch_deviation_range_um"] = 1e6 * float(np.ptp(self.pitch_deviation))
        return found

    @property
    def measured(self) -> dict[str, Topography]:
        """The topographies that are given, by their names: ``"topography_left"``, ``"topography of tooth 5"``."""
        found: dict[str, Topography] = {}
        for name in TOPOGRAPHIES:
            given = getattr(self, name)
            if isinstance(given, MeasuredTeeth):
                found |= {f"{name} of tooth {n}": one for n, one in zip(given.numbers, given.flanks, strict=True)}
            elif given is not None:
                found[name] = given
        return found

    @property
    def resampling_error(self) -> float | None:
        """Largest error of a topography interpolated from points that were no grid [m]; None: there is none."""
        return max((one.resampling_error for one in self.measured.values() if one.resampling_error), default=None)

    @property
    def flanks_differ(self) -> bool:
        """Whether left and right flanks are not the same."""
        return self.topography_left is not None or self.topography_right is not None

    def topography_of(self, flank: Flank) -> Topography | MeasuredTeeth | None:
        """Return what was measured of flanks a, the left ones, or of flanks b."""
        own = self.topography_left if flank == "a" else self.topography_right
        return self.topography if own is None else own

    def flank_of_teeth(self, flank: Flank, teeth: int) -> Indices:
        """Return which of the measured flanks a, or flanks b, each tooth has, shape (teeth,); -1 for none."""
        given = self.topography_of(flank)
        return given.flank_of(teeth) if isinstance(given, MeasuredTeeth) else np.zeros(teeth, dtype=np.int64)

    def from_other_end(self) -> Microgeometry:
        """Return the deviations of the same gear turned over, so that its +z is where -z was."""
        return replace(
            self,
            helix_slope=0.0 - self.helix_slope,
            topography=None if self.topography is None else self.topography.from_other_end(),
            # what was left is right when it is looked at from the other end
            topography_left=None if self.topography_right is None else self.topography_right.from_other_end(),
            topography_right=None if self.topography_left is None else self.topography_left.from_other_end(),
            pitch_deviation=None if self.pitch_deviation is None else 0.0 - self.pitch_deviation,
        )

    def displacement(self, flank: Flank, teeth: int) -> Array:
        """Return the material that pitch deviations add to flanks a, the left ones, or to flanks b, normal to them.

        The one place that says which flanks a displaced tooth has further ahead, for all laws of teeth.

        Parameters
        ----------
        flank : {"a", "b"}
        teeth : int

        Returns
        -------
        shape (teeth,) [m]
            Negative where it is taken; what flanks a have more, flanks b have less.
        """
        if self.pitch_deviation is None:
            return np.zeros(teeth)
        return self.pitch_deviation if flank == "a" else -self.pitch_deviation

    def profile_removal(
        self, roll_length: ArrayLike, *, form: float, tip: float, tip_start: float, root_start: float
    ) -> Array:
        """Return what the deviations of the profile remove.

        Parameters
        ----------
        roll_length : shape (n,) [m]
            Below `form` and beyond `tip` the values there count.
        form, tip : float [m]
            Roll lengths of the root form circle and of the tip circle.
        tip_start, root_start : float [m]
            Roll lengths where the reliefs begin; without effect where there is none.

        Returns
        -------
        shape (n,) [m]
        """
        xi = np.clip(np.asarray(roll_length, dtype=float), form, tip)
        share = (xi - form) / (tip - form)
        removal: Array = self.profile_crowning * (2.0 * share - 1.0) ** 2 + self.profile_slope * share
        if self.tip_relief > 0.0:
            removal += self.tip_relief * _grown((xi - tip_start) / (tip - tip_start), self.tip_relief_shape)
        if self.root_relief > 0.0:
            removal += self.root_relief * _grown((root_start - xi) / (root_start - form), self.root_relief_shape)
        return removal

    def lead_removal(self, z: ArrayLike, b: float) -> Array:
        """Return what the deviations across the face remove, shape (n,) [m], for z from mid-face (n,) and b [m]."""
        z = np.asarray(z, dtype=float)
        removal: Array = self.lead_crowning * (2.0 * z / b) ** 2 + self.helix_slope * z / b
        if self.end_relief > 0.0:
            share = (np.abs(z) - 0.5 * b) / self.end_relief_length + 1.0
            removal += self.end_relief * np.clip(share, 0.0, 1.0)
        return removal

    @property
    def needs_pair(self) -> bool:
        """Whether a relief begins at the end of single contact, which only a pair has."""
        return any(getattr(self, name) > 0.0 and getattr(self, f"{name}_start") for name in RELIEFS)

    def with_start_diameters(self, diameter_of: Callable[[str], float | None]) -> Microgeometry:
        """Return the same flank with diameters where its reliefs begin, as a gear or a pair finds them.

        Parameters
        ----------
        diameter_of : callable
            Takes ``"tip_relief"`` or ``"root_relief"``; returns the diameter [m], None where it stays as it is.
        """
        changes: dict[str, Any] = {}
        for name in RELIEFS:
            diameter = diameter_of(name)
            if diameter is not None:
                others = {f"{name}_start_roll_length": None, f"{name}_start": None}
                changes |= {f"{name}_start_diameter": diameter, **others}
        return replace(self, **changes) if changes else self

    def placed_on(self, profile: ToothProfile) -> Microgeometry:
        """Return the same flank on the profile of a gear, with diameters where reliefs begin by roll lengths.

        Raises
        ------
        Fault
            For a relief that begins off the flank.
        """
        return self.with_start_diameters(lambda name: self._start_on(profile, name))

    def check_on(self, profile: ToothProfile, *, m_n: float, b: float, tip_thickness: float) -> None:
        """Refuse deviations that do not fit the flanks of a gear.

        Parameters
        ----------
        profile : ToothProfile
        m_n, b, tip_thickness : float [m]
            Normal module, face width, transverse tooth thickness at the tip circle.

        Raises
        ------
        Fault
        """
        if 2.0 * self.end_relief_length > b * (1.0 + 1e-12):
            raise Fault(
                "end relief length [mm]",
                round(1e3 * self.end_relief_length, 6),
                f"at most half the face width, {0.5e3 * b:.4f}: the reliefs of both ends would overlap",
                "reduce end_relief_length_mm",
            )
        for name, measured in self.measured.items():
            _check_topography(measured, name, profile, b)
        for flank in FLANKS:
            self.flank_of_teeth(flank, abs(profile.z))  # refuses teeth that the gear does not have
        if self.pitch_deviation is not None:
            _check_pitch_deviation(self.pitch_deviation, abs(profile.z), m_n, tip_thickness)

    def _start_on(self, profile: ToothProfile, name: str) -> float | None:
        """Refuse a relief that begins off the flank; return the diameter of a start that is given by a roll length."""
        d_Ff, d_a = 2.0 * profile.r_Ff, 2.0 * profile.r_a
        diameter, roll_length = (getattr(self, f"{name}_start_{one}") for one in ("diameter", "roll_length"))
        measure, given, ends = "diameter", diameter, (d_Ff, d_a)
        if roll_length is not None:
            diameter = 2.0 * float(np.hypot(profile.r_b, roll_length))
            measure, given, ends = "roll length", roll_length, (profile.roll_length_form, profile.roll_length_tip)
        if given is None:
            return None
        form, tip = f"the root form {measure} {1e3 * abs(ends[0]):.4f}", f"the tip {measure} {1e3 * abs(ends[1]):.4f}"
        signed = profile.sign * diameter
        if name == "tip_relief":
            inside = d_Ff <= signed < d_a
            limit = f"from {form} to {'above' if profile.z < 0 else 'below'} {tip}"
        else:
            inside = d_Ff < signed <= d_a
            limit = f"from {tip} to below {form}" if profile.z < 0 else f"above {form} and at most {tip}"
        if getattr(self, name) > 0.0 and not inside:
            quantity, key = f"{name} start {measure}".replace("_", " "), f"{name}_start_{measure}_mm".replace(" ", "_")
            raise Fault(f"{quantity} [mm]", round(1e3 * given, 6), limit, f"correct {key}")
        return None if roll_length is None else diameter

    def _check_relief(self, name: str) -> None:
        words = name.replace("_", " ")
        keys = (f"{name}_start_diameter_mm", f"{name}_start_roll_length_mm", f"{name}_start")
        given = [key for key in keys if getattr(self, key.removesuffix("_mm")) is not None]
        if len(given) > 1:
            raise Fault(f"{words} start", " and ".join(given), "given once", f"leave out {given[-1]}")
        if getattr(self, name) > 0.0 and not given:
            one_of = f"{keys[0]}, {keys[1]} or {keys[2]}"
            raise Fault(f"{words} start", "missing", f"given with a {words}", f"add {one_of}")


def _check_topography(topography: Topography, name: str, profile: ToothProfile, b: float) -> None:
    for quantity, places, low, high in (
        (
            f"roll length in {name} [mm]",
            topography.roll_length,
            profile.roll_length_form,
            profile.roll_length_tip,
        ),
        (f"face position in {name} [mm]", topography.z, -0.5 * b, 0.5 * b),
    ):
        slack = FLANK_SLACK * (high - low)
        outside = places[(places < low - slack) | (places > high + slack)]
        if outside.size:
            raise Fault(
                quantity,
                round(1e3 * float(outside[0]), 6),
                f"on the flank, from {1e3 * low:.4f} to {1e3 * high:.4f}",
                f"leave out the points beyond the flank in the file of {name}, or correct their unit: millimetres",
            )


def _check_pitch_deviation(deviation: Array, teeth: int, m_n: float, tip_thickness: float) -> None:
    if deviation.shape != (teeth,):
        raise Fault(
            "number of pitch deviations",
            deviation.size,
            f"that of the teeth, {teeth}",
            f"give each tooth once in pitch_deviation_csv, counted from 0 to {teeth - 1}",
        )
    largest, limit = float(np.max(np.abs(deviation))), 0.5 * tip_thickness
    if largest > limit:
        raise Fault(
            "pitch deviation [um]",
            round(1e6 * largest, 6),
            f"at most {1e6 * limit:.1f}, half the tip thickness",
            "correct pitch_deviation_csv",
        )
    # the window is that of teeth in their places: a tooth further behind leaves its load to pairs outside
    step = float(np.max(np.abs(np.diff(deviation, append=deviation[:1]))))
    if step > LARGEST_PITCH_STEP * m_n:
        raise Fault(
            "pitch deviation against the next tooth [um]",
            round(1e6 * step, 6),
            f"at most {1e6 * LARGEST_PITCH_STEP * m_n:.1f}, {LARGEST_PITCH_STEP:g} modules",
            "correct pitch_deviation_csv: the deviations are cumulative",
        )


def _grown(share: Array, shape: ReliefShape) -> Array:
    """Return the part of a relief that has grown over a share of its length."""
    share = np.clip(share, 0.0, 1.0)
    return share if shape == "linear" else share**2
