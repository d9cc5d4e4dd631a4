"""The gearbox of a wind turbine on Hertz teeth beside hand calculation.

``python validation/wind_turbine/run.py`` moves ``meshes/wind_turbine.toml`` for a second and draws the pictures of
README.md (a minute); figures and pictures are those of ``scripts/wind_turbine_gearbox.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import alegear as ag

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "scripts")]
import wind_turbine_gearbox as gearbox  # noqa: E402
from checks import Row, alone, worst  # noqa: E402

BOUND = 5e-3  # of what is worked out by hand
QUICK = 0.02  # s: too short for the controller to have moved anything
ENERGY = 1e-6  # of that of the motion


def rows(quick: bool) -> Iterator[Row]:
    """Mean speeds, forces and torques; the lines of the mesh forces, which the quick form is too short for."""
    case = ag.MachineCase.from_toml(gearbox.CASE)
    if quick:
        case = replace(case, analysis=replace(case.analysis, duration=QUICK))
    stages, whole = gearbox.Stages(case=case), ag.run(case).dataset
    data = whole.sel(time=slice(min(gearbox.SETTLED, 0.5 * case.analysis.duration), None))
    for row in gearbox.mean_speeds(data, stages) + gearbox.mean_loads(data, stages):
        yield Row(
            quantity=str(row["what"]),
            value=float(row["mean"]),
            reference=float(row["by hand"]),
            bound=BOUND,
            source="hand calculation",
        )
    stored = whole["energy_kinetic"] + whole["energy_elastic"]
    missing = whole["energy_input"] - whole["energy_dissipated"] - (stored - stored[0])
    yield Row(
        quantity="energy missing over that of the motion",
        value=abs(float(missing[-1] / whole["energy_kinetic"][-1])),
        kind="at most",
        bound=ENERGY,
        source="put in = lost + stored",
    )
    if quick:
        return
    spectra = {
        mesh: gearbox.lines_of(gearbox.force_of(data, mesh), case.analysis.output_every, expected)
        for mesh, expected in gearbox.expected_lines(stages).items()
    }
    for mesh, (spectrum, lines) in spectra.items():
        yield worst(
            f"lines of the force of {mesh}",
            [
                Row(
                    quantity=str(line["line"]),
                    value=float(line["found [Hz]"]),
                    reference=float(line["expected [Hz]"]),
                    kind="absolute",
                    unit="Hz",
                    bound=0.5 * float(spectrum.x[1] - spectrum.x[0]),  # half a bin
                    source="teeth and speeds",
                )
                for line in lines
            ],
        )
    gearbox.draw_pressures(whole, stages)[0].savefig(HERE / "pressures.png", dpi=110)
    gearbox.draw_spectra(spectra).savefig(HERE / "spectra.png", dpi=110)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
