"""``[pinion.flank]`` and ``[wheel.flank]``: deviations of the flanks from the involute."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from alegear.case.case_file import CaseFile
from alegear.case.schema import Table, limited
from alegear.column_file import column_names
from alegear.errors import Fault
from alegear.geometry.measured_flank import TOOTH_COLUMN, DeviationSign, Topography, read_pitch_deviation
from alegear.geometry.measured_teeth import MeasuredTeeth, OtherTeeth, read_topography
from alegear.geometry.microgeometry import Microgeometry, ReliefStart
from alegear.units import MM, UM

_MICRO = Microgeometry.LIMITS
#: Amount of a relief -> the keys of which one says where it begins or ends.
ENDS = {
    **{
        f"{name}_um": (f"{name}_start_diameter_mm", f"{name}_start_roll_length_mm", f"{name}_start")
        for name in ("tip_relief", "root_relief")
    },
    "end_relief_um": ("end_relief_length_mm",),
}


class TopographyTable(Table):
    """``[pinion.flank.topography]``, ``topography_left``, ``topography_right``: a measured flank."""

    file: str = Field(
        description="path of the measured flank (roll_length_mm, face_position_mm, deviation_um, and tooth where single"
        " teeth were measured), from the case file's folder"
    )
    sign: DeviationSign = Field(
        description='meaning of a positive deviation_um: "metal-positive" as of measuring machines, or'
        ' "removal-positive"'
    )
    other_teeth: OtherTeeth | None = Field(
        default=None,
        description='flank of teeth that are not in the file: "nearest", that of the nearest measured tooth, or'
        ' "nominal", without measured deviation; needs a column tooth',
    )


class FlankTable(Table):
    """``[pinion.flank]``: microgeometry, normal to the flank, material removed is positive."""

    tip_relief_um: float = limited(_MICRO["tip_relief"], "tip relief in micrometres", default=0.0)
    tip_relief_start_diameter_mm: float | None = limited(
        _MICRO["tip_relief_start_diameter"], "diameter where tip relief starts, in mm", default=None
    )
    tip_relief_start_roll_length_mm: float | None = limited(
        _MICRO["tip_relief_start_roll_length"],
        "roll length where tip relief starts, in mm, in place of the diameter",
        default=None,
    )
    tip_relief_start: ReliefStart | None = Field(
        default=None, description='"end of single contact", where tip relief starts, in place of the diameter'
    )
    tip_relief_shape: Literal["linear", "parabolic"] = Field(default="linear", description="shape of the tip relief")
    root_relief_um: float = limited(_MICRO["root_relief"], "root relief in micrometres", default=0.0)
    # without a relief the start and the shape have no effect, whatever they are
    root_relief_start_diameter_mm: float | None = limited(
        _MICRO["root_relief_start_diameter"], "diameter where root relief starts, in mm", default=None
    )
    root_relief_start_roll_length_mm: float | None = limited(
        _MICRO["root_relief_start_roll_length"],
        "roll length where root relief starts, in mm, in place of the diameter",
        default=None,
    )
    root_relief_start: ReliefStart | None = Field(
        default=None, description='"end of single contact", where root relief starts, in place of the diameter'
    )
    root_relief_shape: Literal["linear", "parabolic"] = Field(default="linear", description="shape of the root relief")
    profile_crowning_um: float = limited(_MICRO["profile_crowning"], "profile crowning in micrometres", default=0.0)
    profile_slope_um: float = limited(
        _MICRO["profile_slope"], "profile slope in micrometres, positive removes at the tip", default=0.0
    )
    lead_crowning_um: float = limited(_MICRO["lead_crowning"], "lead crowning in micrometres", default=0.0)
    helix_slope_um: float = limited(
        _MICRO["helix_slope"], "helix slope in micrometres, positive removes at +z", default=0.0
    )
    end_relief_um: float = limited(_MICRO["end_relief"], "relief of both face ends in micrometres", default=0.0)
    end_relief_length_mm: float = limited(_MICRO["end_relief_length"], "length of each end relief in mm", default=0.0)
    topography: TopographyTable | None = Field(default=None, description="measured deviation of both flanks")
    topography_left: TopographyTable | None = Field(
        default=None, description="that of the left flanks alone, as seen from the face end at +z with the tip upwards"
    )
    topography_right: TopographyTable | None = Field(default=None, description="that of the right flanks alone")
    topography_csv: str | None = Field(
        default=None, description="path of the measured flank, in place of topography.file"
    )
    topography_sign: DeviationSign | None = Field(
        default=None, description="sign of topography_csv, as topography.sign"
    )
    pitch_deviation_csv: str | None = Field(
        default=None,
        description="path of the displacements of the teeth (tooth, displacement_um), positive where the left flank has"
        " more material (early where the pinion drives) and the right one less, from the case file's folder",
    )


def microgeometry(flank: FlankTable, folder: Path) -> Microgeometry:
    """Return the flank deviations of a table, in SI units; files are looked up in `folder`."""
    pitch_deviation = flank.pitch_deviation_csv
    return Microgeometry(
        tip_relief=flank.tip_relief_um * UM,
        tip_relief_start_diameter=_in_metres(flank.tip_relief_start_diameter_mm),
        tip_relief_start_roll_length=_in_metres(flank.tip_relief_start_roll_length_mm),
        tip_relief_start=flank.tip_relief_start,
        tip_relief_shape=flank.tip_relief_shape,
        root_relief=flank.root_relief_um * UM,
        root_relief_start_diameter=_in_metres(flank.root_relief_start_diameter_mm),
        root_relief_start_roll_length=_in_metres(flank.root_relief_start_roll_length_mm),
        root_relief_start=flank.root_relief_start,
        root_relief_shape=flank.root_relief_shape,
        profile_crowning=flank.profile_crowning_um * UM,
        profile_slope=flank.profile_slope_um * UM,
        lead_crowning=flank.lead_crowning_um * UM,
        helix_slope=flank.helix_slope_um * UM,
        end_relief=flank.end_relief_um * UM,
        end_relief_length=flank.end_relief_length_mm * MM,
        topography=_measured(_earlier(flank, folder) or flank.topography, folder),
        topography_left=_measured(flank.topography_left, folder),
        topography_right=_measured(flank.topography_right, folder),
        pitch_deviation=None if pitch_deviation is None else read_pitch_deviation(folder / pitch_deviation),
    )


def _in_metres(length: float | None) -> float | None:
    return None if length is None else length * MM


def _measured(table: TopographyTable | None, folder: Path) -> Topography | MeasuredTeeth | None:
    if table is None:
        return None
    return read_topography(folder / table.file, sign=table.sign, other_teeth=table.other_teeth)


def _earlier(flank: FlankTable, folder: Path) -> TopographyTable | None:
    """What ``topography_csv`` says, with its sign."""
    given = {"topography_csv": flank.topography_csv, "topography_sign": flank.topography_sign}
    if flank.topography is not None or flank.topography_csv is None:
        for key, value in given.items():
            if value is not None:
                limit = "left out with [flank.topography]" if flank.topography else "left out without topography_csv"
                raise Fault(key, value, limit, f"leave out {key}")
        return None
    if flank.topography_sign is None:
        limit = "said: measuring machines are metal-positive, files of earlier versions removal-positive"
        raise Fault("sign of topography_csv", "missing", limit, "add topography_sign, or write [flank.topography]")
    if TOOTH_COLUMN in column_names(folder / flank.topography_csv, "topography_csv"):
        limit = "a flank of all teeth, without a column tooth"
        raise Fault(
            "topography_csv", flank.topography_csv, limit, "write [flank.topography] with file, sign and other_teeth"
        )
    return TopographyTable(file=flank.topography_csv, sign=flank.topography_sign)


def missing_ends(flank: FlankTable) -> dict[str, tuple[str, ...]]:
    """Return the amounts of reliefs without a start or an end, with the keys that would."""
    return {
        amount: keys
        for amount, keys in ENDS.items()
        if getattr(flank, amount) > 0.0 and not any(getattr(flank, key) for key in keys)
    }


def misses_a_key(file: CaseFile, gear: str, flank: FlankTable) -> bool:
    """Refuse reliefs without a start or an end."""
    missing = missing_ends(flank)
    for amount, (key, *others) in missing.items():
        file.fault(
            f"{gear}.flank.{key}",
            file.shown_or_missing(gear, f"flank.{key}"),
            f"the key is needed with {amount}",
            f"give the {FlankTable.model_fields[key].description}{''.join(f', or {other}' for other in others)}",
        )
    return bool(missing)
