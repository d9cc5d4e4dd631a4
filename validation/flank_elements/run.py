"""Transmission error of the pair 20/30 against grid, Gauss points and penalty stiffness.

``python validation/flank_elements/run.py`` computes ``meshes/spur_20_30.toml`` (law penalty, 32 positions of one pitch)
again and again, each time with one number changed, and prints the tables of README.md (two minutes).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import alegear as ag
from alegear.contact.pair import hertz_matched_stiffness

CASE = Path(__file__).parents[2] / "meshes" / "spur_20_30.toml"
FLANK_ELEMENTS = (8, 12, 16, 24)
FACTORS = (0.5, 2.0)  # of the other numbers of elements and of the penalty stiffness
GAUSS_POINTS = (2, 4, 8)  # of a facet along the profile


def with_grid(case: ag.Case, **elements: int) -> ag.Case:
    """The case with other numbers of elements on both gears."""
    pinion, wheel = (replace(options, **elements) for options in case.mesh_options)
    return replace(case, mesh_options=(pinion, wheel))


def with_penalty(case: ag.Case, **constants: float) -> ag.Case:
    """The case with other constants of the penalty law."""
    return replace(case, penalty=replace(case.penalty, **constants))


def default_stiffness(case: ag.Case) -> float:
    """Penalty stiffness the case gets if it names none [Pa/m]."""
    return hertz_matched_stiffness(case.pair, case.materials, case.operation.pinion_torque)


def transmission_error(case: ag.Case) -> tuple[float, float]:
    """Mean over a pitch and peak to peak [um]; the mean counted positive."""
    summary = ag.run(case).summary
    return -summary["te_mean_um"], summary["te_peak_to_peak_um"]


def print_table(title: str, case: ag.Case, variants: dict[str, ag.Case]) -> None:
    """One row a variant; the last column compares its mean with that of the case."""
    print(f"\n| {title} | mean TE [um] | against the default | peak to peak [um] |\n|---|---|---|---|", flush=True)
    default, _ = transmission_error(case)
    for name, variant in variants.items():
        mean, peak_to_peak = transmission_error(variant)
        print(f"| {name} | {mean:.3f} | {100 * (mean / default - 1):+.2f} % | {peak_to_peak:.2f} |", flush=True)


def main() -> None:
    """Print the tables of README.md."""
    case = ag.Case.from_toml(CASE)
    options = case.mesh_options[0]
    print_table("flank_elements", case, {str(n): with_grid(case, flank_elements=n) for n in FLANK_ELEMENTS})

    others = {}
    for key in ("fillet_elements", "thickness_elements", "width_elements", "rim_elements"):
        default = getattr(options, key)
        for factor in FACTORS:
            n = round(factor * default)
            others[f"{key} {n} (default {default})"] = with_grid(case, **{key: n})
    doubled = {
        key: 2 * getattr(options, key)
        for key in ("flank_elements", "fillet_elements", "thickness_elements", "rim_elements")
    }
    others["all but width_elements doubled"] = with_grid(case, **doubled)
    print_table("other elements", case, others)

    print_table(
        "gauss_points_profile", case, {str(n): with_penalty(case, gauss_points_profile=n) for n in GAUSS_POINTS}
    )
    print_table(
        "gauss_points_profile, 24 flank_elements",
        case,
        {str(n): with_grid(with_penalty(case, gauss_points_profile=n), flank_elements=24) for n in GAUSS_POINTS},
    )
    print_table("gauss_points_face", case, {str(n): with_penalty(case, gauss_points_face=n) for n in (1, 2, 4)})
    stiffness = default_stiffness(case)
    print_table(
        f"penalty stiffness (default {1e-9 * stiffness:.0f} N/mm^3)",
        case,
        {f"x {factor:g}": with_penalty(case, stiffness=factor * stiffness) for factor in FACTORS},
    )


if __name__ == "__main__":
    main()
