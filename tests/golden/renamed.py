"""Names that were changed on purpose since the golden numbers were written, each reviewed: the one place for them.

The files stay as they are, so that it is seen that nothing but the name changed. Empty after the numbers are written
anew.
"""

from __future__ import annotations

#: Before -> now, of whole variables ("energy_input", also of those of a pair) and of keys in a summary ("te_mean_um").
NAMES: dict[str, str] = {
    "hinged_mesh_frequency": "fixed_axis_mesh_frequency",
    "mesh_natural_frequency_hinged_Hz": "mesh_natural_frequency_fixed_axes_Hz",
    "answers_part": "nonlinear_ranges",
    "answer_difference": "response_difference",
}
#: Before -> now, of labels that are text ("rotational").
LABELS: dict[str, str] = {}
#: Before -> now, of units ("rad/s2"); coordinates of modes and sweeps had none.
UNITS: dict[str, str] = {"": "1"}
