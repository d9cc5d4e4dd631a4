"""Whether more or less of a quantity is better."""

from __future__ import annotations

from alegear.units import split_key

#: Ends of names of quantities of which more is better.
MORE_IS_BETTER = ("efficiency",)
#: Labels of quantities that are negative by themselves: less of the stress is nearer to 0.
NEGATIVE = ("compression",)
SIGNED = "root_stress_principal_max"
#: Quantities of which only the one who asks can say; the mean error, for example, is negative under load.
NEITHER_IS_BETTER = (
    "j_wt",
    "j_bn",
    "te_mean",
    "mesh_stiffness_mean",
    "mesh_stiffness_min",
    "mesh_stiffness_max",
    "contact_ratio_loaded",
)


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
