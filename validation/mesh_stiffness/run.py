"""Mean mesh stiffness of three gear pairs of the NREL 5 MW gearbox against ISO 6336-1.

``python validation/mesh_stiffness/run.py`` computes the whole wheels of ``stage_1.toml`` to ``stage_3.toml`` at several
line loads, prints the tables of README.md and draws ``mesh_stiffness.png`` (three minutes).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import alegear as ag
from alegear.progress import Silent
from alegear.studies.mesh_solver import MeshSolver
from alegear.studies.preparation import prepare
from alegear.studies.tooth_window import default_threshold

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import iso6336  # noqa: E402
from checks import Row, alone  # noqa: E402

STAGES = ("stage_1", "stage_2", "stage_3")
LINE_LOADS = (50.0, 100.0, 300.0, 1000.0)  # F_t/b at the reference circle [N/mm], besides that of the case
SMALL_BORE = 0.25  # of the root diameter
POSITIONS = 16  # of a pitch
KISSSOFT = {"stage_1": (12.362, 13.426), "stage_2": (12.240, 15.640)}  # c', c_gamma_alpha with C_R = 0.862
C_R_KISSSOFT = 0.862


@dataclass(frozen=True, kw_only=True)
class Stiffness:
    """Of a pitch, per width of the common face [N/(mm um)], at a line load F_t/b [N/mm]."""

    line_load: float
    tangent: float
    secant: float
    least: float
    largest: float


def iso_stiffness(case: ag.Case, *, C_R: float = 1.0) -> tuple[float, float]:
    """c' and c_gamma_alpha of ISO 6336-1 [N/(mm um)], at 100 N/mm and more."""
    c = iso6336.stiffness_of(case.pair, C_R=C_R)
    return c, iso6336.mesh_stiffness(c, case.pair.eps_alpha)


def stiffness(case: ag.Case, line_loads: tuple[float, ...], positions: int = POSITIONS) -> list[Stiffness]:
    """Mean over a pitch at several line loads, on one reduction."""
    prepared = prepare(case, Silent())
    pinion, width = case.pair.pinion, 1e3 * case.pair.b_w
    out = []
    for line_load in line_loads:
        torque = line_load * width * pinion.r
        solver = MeshSolver.of(case, prepared.contact, torque=torque)
        window = prepared.window(default_threshold(solver))
        phases = -0.5 + np.arange(positions) / positions
        found = [solver.solve(float(p), window.first_pair(float(p))) for p in phases]
        tangent = 1e-6 * np.array([p.mesh_stiffness for p in found]) / width
        secant = 1e-6 * torque / pinion.r_b / np.mean([p.deflection for p in found]) / width
        out.append(
            Stiffness(
                line_load=line_load,
                tangent=float(tangent.mean()),
                secant=float(secant),
                least=float(tangent.min()),
                largest=float(tangent.max()),
            )
        )
    return out


def body_twist(case: ag.Case) -> float:
    """Compliance from the twist of both wheel bodies between bore and root circle [mm um/N], per width.

    A torque per width T turns the outer edge of a ring by ``T/(4 pi G) (1/r_i^2 - 1/r_o^2)`` (pure shear, closed form);
    here ``T = F r_b`` and the displacement is that along the line of action, ``r_b`` times the angle. ISO 6336-1 looks
    at the teeth on their rims and knows nothing of it.
    """
    out = 0.0
    for gear, material in zip(case.pair.gears, case.materials, strict=True):
        shear = 0.5 * material.E / (1.0 + material.nu)
        squares = (2.0 / gear.bore_diameter) ** 2 - (2.0 / gear.d_f) ** 2
        out += gear.r_b**2 / (4.0 * math.pi * shear) * squares
    return 1e9 * out


def case_line_load(case: ag.Case) -> float:
    """F_t/b of the case [N/mm]."""
    return 1e-3 * case.operation.pinion_torque / (case.pair.pinion.r * case.pair.b_w)


def small_bores(case: ag.Case) -> ag.Case:
    """The case with both bores a quarter of the root diameter."""
    gears = [replace(gear, bore_diameter=SMALL_BORE * gear.d_f) for gear in case.pair.gears]
    return replace(case, pair=ag.GearPair(pinion=gears[0], wheel=gears[1], a_w=case.pair.a_w))


def spur(case: ag.Case) -> ag.Case:
    """The case as a spur pair with the same normal module and profile shifts, at its distance without backlash."""
    pinion, wheel = (replace(gear, beta=0.0) for gear in case.pair.gears)
    return replace(case, pair=ag.GearPair(pinion=pinion, wheel=wheel))


def print_row(name: str, case: ag.Case, s: Stiffness) -> None:
    """One row of the table."""
    c = iso_stiffness(case)[1] * min(s.line_load / iso6336.LEAST_LINE_LOAD, 1.0)
    print(
        f"| {name} | {s.line_load:.0f} | {s.tangent:.2f} ({s.least:.2f} to {s.largest:.2f}) | {s.secant:.2f} | {c:.2f} "
        f"| {100 * (s.tangent / c - 1):+.1f} % | {100 * (s.secant / c - 1):+.1f} % |",
        flush=True,
    )


def print_parts(name: str, case: ag.Case, s: Stiffness) -> None:
    """One row of the table of parts: mean and softest stiffness without the twist, ISO without its factor C_M."""
    twist = body_twist(case)
    c, c_gamma = (value / iso6336.C_M for value in iso_stiffness(case))
    mean, single = (1.0 / (1.0 / value - twist) for value in (s.tangent, s.least))
    print(
        f"| {name} | {s.line_load:.0f} | {1e3 * twist:.2f} "
        f"| {mean:.2f} | {c_gamma:.2f} | {100 * (mean / c_gamma - 1):+.1f} % "
        + (
            f"| {single:.2f} | {c:.2f} | {100 * (single / c - 1):+.1f} % |"
            if case.pair.pinion.beta == 0.0
            else "| | | |"
        )
    )


def draw(found: dict[str, list[Stiffness]], iso: dict[str, float]) -> None:
    """Mean stiffness over the line load."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
    loads = np.geomspace(min(LINE_LOADS), 1600.0, 100)
    for i, (name, rows) in enumerate(found.items()):
        at = sorted(rows, key=lambda s: s.line_load)
        x = [s.line_load for s in at]
        label = name.replace("_", " ")
        axes.semilogx(x, [s.tangent for s in at], f"C{i}o-", ms=4, lw=1.2, label=f"{label}, tangent")
        axes.semilogx(x, [s.secant for s in at], f"C{i}s:", ms=4, lw=1.2, label=f"{label}, secant")
        axes.semilogx(loads, iso[name] * np.minimum(loads / iso6336.LEAST_LINE_LOAD, 1.0), f"C{i}--", lw=1)
    axes.plot([], [], "k--", lw=1, label="ISO 6336-1, solid discs")
    axes.set_xlabel("F_t/b [N/mm]")
    axes.set_ylabel("mean mesh stiffness per width [N/(mm µm)]")
    axes.set_ylim(5.0, None)
    axes.legend(fontsize=8, ncols=2)
    axes.grid(alpha=0.3)
    figure.savefig(HERE / "mesh_stiffness.png", dpi=100)


def rows(quick: bool) -> Iterator[Row]:
    """Formulas of ISO beside two reports; the mean stiffness of finite elements beside ISO, but in the quick form."""
    cases = {name: ag.Case.from_toml(HERE / f"{name}.toml") for name in STAGES}
    for name, printed in KISSSOFT.items():
        found = iso_stiffness(cases[name], C_R=C_R_KISSSOFT)
        for symbol, value, reference in zip(("c'", "c_gamma_alpha"), found, printed, strict=True):
            yield Row(
                quantity=f"{symbol} of ISO 6336-1, {name}, C_R 0.862",
                value=value,
                reference=reference,
                unit="N/(mm um)",
                bound=6e-4,  # C_R is printed with three digits: half of the last
                source="KISSsoft 03/2017A, report on the NREL 5 MW gearbox",
            )
    if quick:
        return
    found = {}
    for name, case in cases.items():
        found[name] = stiffness(case, (*LINE_LOADS, case_line_load(case)))
        at, iso = found[name][-1], iso_stiffness(case)[1]
        for words, value in (("tangent", at.tangent), ("secant", at.secant)):
            yield Row(
                quantity=f"mean mesh stiffness, {words}, {name}, {at.line_load:.0f} N/mm",
                value=value,
                reference=iso,
                unit="N/(mm um)",
                source="c_gamma of ISO 6336-1, solid discs; why they differ: README",
            )
    print_tables(cases, found)
    draw(found, {name: iso_stiffness(case)[1] for name, case in cases.items()})


def print_tables(cases: dict[str, ag.Case], found: dict[str, list[Stiffness]]) -> None:
    """Print the tables of README.md."""
    print("| pair | c' | c_gamma | with C_R = 0.862: c' | c_gamma | KISSsoft c', c_gamma | eps_alpha | eps_beta |")
    print("|---" * 8 + "|")
    for name, case in cases.items():
        c, c_gamma = iso_stiffness(case)
        reduced = iso_stiffness(case, C_R=C_R_KISSSOFT)
        printed = "{:.3f}, {:.3f}".format(*KISSSOFT[name]) if name in KISSSOFT else ""
        print(
            f"| {name} | {c:.3f} | {c_gamma:.3f} | {reduced[0]:.3f} | {reduced[1]:.3f} | {printed} "
            f"| {case.pair.eps_alpha:.3f} | {case.pair.eps_beta:.3f} |"
        )
    print("\n| pair | F_t/b [N/mm] | mean (least to largest) | secant | ISO, solid | mean off by | secant off by |")
    print("|---" * 7 + "|")
    for name, case in cases.items():
        for s in found[name]:
            print_row(name, case, s)
    parts = {name: (case, found[name][-1]) for name, case in cases.items()}
    for name, case in cases.items():
        other = small_bores(case)
        parts[f"{name}, small bores"] = other, stiffness(other, (case_line_load(case),))[0]
    straight = spur(cases["stage_3"])
    name = f"stage_3 as a spur pair, eps_alpha {straight.pair.eps_alpha:.3f}"
    straight_rows = stiffness(straight, (300.0, case_line_load(cases["stage_3"])))
    print_row(name, straight, straight_rows[0])
    parts[name] = straight, straight_rows[1]
    for name in list(parts)[len(cases) :]:
        print_row(name, *parts[name])
    print("\n| pair | F_t/b [N/mm] | twist [1e-3 mm um/N] | mean without it | ISO / C_M | off by ", end="")
    print("| softest without it | c' / C_M | off by |\n" + "|---" * 9 + "|")
    for name, (case, s) in parts.items():
        print_parts(name, case, s)


if __name__ == "__main__":
    sys.exit(alone(rows, __doc__))
