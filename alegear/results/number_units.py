"""What numbers are by their names: their units, units that people read, and whether more of them is better."""

from __future__ import annotations

from alegear.units import split_key

#: SI unit -> unit of the size that gears have, and how many of it one is.
HANDY = {"m": ("um", 1e6), "Pa": ("MPa", 1e-6), "N/m": ("N/um", 1e-6)}
#: Ends of names of quantities of which more is better.
MORE_IS_BETTER = ("efficiency",)
#: Labels of quantities that are negative by themselves: less of the stress is nearer to 0.
NEGATIVE = ("compression",)
SIGNED = "root_stress_principal_max"
#: Quantities of which only the one who asks can say; the mean error, for example, is negative under load.
NEITHER_IS_BETTER = (
    "j_wt", "j_bn", "te_mean", "contact_ratio_loaded", "mesh_stiffness_mean", "mesh_stiffness_min",
    "mesh_stiffness_max",
)  # fmt: skip


def number_unit(name: str) -> str:
    """Return the unit of a number of a summary, of a nested one by the part of its dotted name that has one.

    Examples
    --------
    >>> number_unit("root_stress_max_MPa.pinion.tension"), number_unit("face_load_factor")
    ('MPa', '1')
    """
    return next((unit for part in name.split(".") if (unit := split_key(part)[1])), "1")


def handy(units: str) -> tuple[str, float]:
    """Return the unit in which a quantity is shown, and the factor to it.

    Examples
    --------
    >>> handy("Pa"), handy("1")
    (('MPa', 1e-06), ('', 1.0))
    """
    unit, factor = HANDY.get(units, (units, 1.0))
    return ("" if unit == "1" else unit), factor


def more_is_better(name: str) -> bool | None:
    """Whether the larger value of a quantity is the better one; None where neither is by itself.

    Examples
    --------
    >>> more_is_better("efficiency"), more_is_better("te_peak_to_peak"), more_is_better("meshes.first.te_mean_um")
    (True, False, None)
    >>> more_is_better("root_stress_principal_max[wheel, compression]")
    True
    """
    bare, _, labels = name.partition("[")
    bare, _ = split_key(bare.strip().rpartition(".")[2])  # in summaries units are in the names
    if bare == SIGNED and any(label in labels for label in NEGATIVE):
        return True
    return None if bare in NEITHER_IS_BETTER else bare.endswith(MORE_IS_BETTER)
