"""Window of tooth faces of a study: where its teeth change, and that no tooth outside of it carries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from alegear.ale import ToothWindow, centred_threshold, placed_threshold
from alegear.contact.forces import MeshMotion
from alegear.contact.numbering import PINION, driver_on
from alegear.errors import AnalysisFailure, Fault
from alegear.studies.equilibria import MachineSolver
from alegear.studies.mesh_solver import GAP_REACH, ROUGHLY, MeshSolver, StaticPosition
from alegear.studies.reference_pitch import turned_drives

if TYPE_CHECKING:
    from alegear.case.machine import MachineCase
    from alegear.drivetrain.gear_mesh import MeshPlace
    from alegear.studies.preparation import PreparedPair


def loaded_engagement(solver: MeshSolver, *, tolerance: float = 1e-3) -> tuple[float, float]:
    """Phases at which a pair takes its first and carries its last load, found by bisection.

    Parameters
    ----------
    solver : MeshSolver
    tolerance : float [pitches]

    Returns
    -------
    phase_in, phase_out : float [pitches]
        Of pair 0, phase_in < 0 < phase_out.
    """
    contact = solver.contact
    n = contact.n_pairs
    nominal_in, nominal_out = contact.pair.engagement(driver_on(contact.flank))

    known: dict[float, float] = {}  # deflection by phase, of the pair at hand

    def loaded(phase: float, first_pair: int) -> bool:
        guess = None
        if known:
            phases = sorted(known)
            guess = float(np.interp(phase, phases, [known[other] for other in phases]))
        position = solver.solve(phase, first_pair, guess, tolerance=ROUGHLY)
        known[phase] = position.deflection
        return bool(abs(position.forces.pair_torque[-first_pair, PINION]) > 0.0)

    def boundary(inside: float, outside: float, first_pair: int) -> float:
        while abs(outside - inside) > tolerance:
            middle = 0.5 * (inside + outside)
            if loaded(middle, first_pair):
                inside = middle
            else:
                outside = middle
        return 0.5 * (inside + outside)

    def start(nominal: float, first_pair: int) -> float:
        # with large deviations a pair may carry on a part of its way only
        return next((part * nominal for part in (0.5, 0.0, 0.25, 0.75) if loaded(part * nominal, first_pair)), 0.0)

    # the pair in question sits in the last slot when it comes in and in the first when it goes out
    reach = 0.5
    phase_in = boundary(start(nominal_in, 1 - n), nominal_in - reach, 1 - n)
    known.clear()
    phase_out = boundary(start(nominal_out, 0), nominal_out + reach, 0)
    solver.forget()
    return phase_in, phase_out


def default_threshold(solver: MeshSolver) -> float:
    """Tooth-change threshold in the middle of the loaded single-contact interval."""
    try:
        return centred_threshold(*loaded_engagement(solver), solver.contact.n_pairs)
    except Fault as fault:  # of the deflection, which no check of the case knows
        raise AnalysisFailure(f"{fault.quantity} = {fault.value}: must be {fault.limit}; {fault.remedy}") from fault


def tooth_window(
    prepared: PreparedPair, solver: MeshSolver, given: float | None, *, checked: bool = True
) -> ToothWindow:
    """Window of a pair whose teeth change at a given phase modulo 1, or where no tooth outside of it carries.

    Not `checked`, it is one for a first equilibrium only, from which displacements follow.

    Raises
    ------
    AnalysisFailure
        If a tooth outside of the window would carry at the given change, or in a segment, or none is harmless.
    """
    contact = solver.contact
    if prepared.segment:
        if checked and (outside := pair_outside_segment(solver)) is not None:
            raise AnalysisFailure(f"window_pairs = {contact.n_pairs}: {outside}; raise it, and teeth_modelled with it")
        return prepared.window(0.0)
    if given is None:
        return prepared.window(default_threshold(solver))
    engagement = contact.pair.engagement(driver_on(contact.flank))
    try:
        window = prepared.window(placed_threshold(given, *engagement, contact.n_pairs))
        outside = pair_outside(solver, window) if checked else None
    except Fault:  # the window is too small for the unloaded teeth
        default_threshold(solver)
        raise
    if outside is not None:
        raise AnalysisFailure(
            f"tooth_change_threshold = {given:g}: {outside}; leave it out, or write "
            f"{math.remainder(default_threshold(solver), 1.0):.4g}"
        )
    return window


def windows_of(case: MachineCase, prepared: Mapping[str, PreparedPair]) -> dict[str, ToothWindow]:
    """Windows of the flexible meshes of a machine, by name; gears are displaced as in the equilibrium of the start.

    Loads hardly change over a pitch, and with them the displacements. Where these move a tooth-change, a tooth outside
    of the window would carry.

    Raises
    ------
    AnalysisFailure
        With the mesh whose window is too small.
    """
    places = {place.mesh.name: place for place in case.layout.meshes if place.mesh.name in prepared}
    alone = {name: MeshSolver.of(case.pair_case(place), prepared[name].contact) for name, place in places.items()}

    def all_windows(*, checked: bool) -> dict[str, ToothWindow]:
        found = {}
        for name, place in places.items():
            with _named(case, name):
                given = place.mesh.law.tooth_change_threshold
                found[name] = tooth_window(prepared[name], alone[name], given, checked=checked)
        return found

    displaced = [name for name, place in places.items() if case.drives and not _on_fixed_axes(case, place)]
    if displaced:
        solver = MachineSolver(case, prepared, all_windows(checked=False))
        x = solver.solve(turned_drives(case, 0.0)).x
        for name in displaced:
            mesh = solver.system.contacts[name]
            alone[name] = replace(alone[name], displacement=mesh.displacements(x[mesh.coordinates]))
    return all_windows(checked=True)


def _on_fixed_axes(case: MachineCase, place: MeshPlace) -> bool:
    return all(case.layout.shafts[case.layout.gears[gear].shaft].fixed_axis for gear in place.mesh.gears)


@contextmanager
def _named(case: MachineCase, mesh: str) -> Iterator[None]:
    """Failures of a mesh of a machine say which."""
    try:
        yield
    except AnalysisFailure as failure:
        if case.preset is not None:
            raise
        raise AnalysisFailure(f"mesh {mesh}: {failure}") from failure


def pair_outside(solver: MeshSolver, window: ToothWindow) -> str | None:
    """Which tooth pair carries outside of a window where its teeth change; None if none does.

    A pair comes and goes once: it is enough to look for the one that goes out at the change and for the one that
    comes in there.
    """
    phase, n = window.threshold, window.n_pairs
    assert phase is not None
    after = window.first_pair(phase)
    for first, pair, alone, when in (
        (after - 1, after - 1, after - n, "after"),
        (after, after + n - 1, after + n - 1, "before"),
    ):
        position = solver.solve(phase, first)
        torque = position.forces.pair_torque[pair - first, PINION]
        if torque == 0.0:
            continue
        gap, approach = gap_and_approach(solver, phase, alone, position)
        return (
            f"tooth pair {pair} is outside of the window of {n} pairs {when} the tooth-change at phase {phase:.4g}, "
            f"where it would carry {100.0 * abs(torque / solver.torque):.3g} % of the torque (gap of its flanks "
            f"without load {1e6 * gap:.3g} um, approach {1e6 * approach:.3g} um)"
        )
    return None


def pair_outside_segment(solver: MeshSolver) -> str | None:
    """Which tooth pair would carry outside of the window of a segment, at the ends of its pitch; None if none would."""
    n = solver.contact.n_pairs
    for phase, pair, alone in ((-0.5, -(n // 2) - 1, -(n // 2) - n), (0.5, n // 2 + 1, n // 2 + 1)):
        position = solver.solve(phase, -(n // 2))
        gap, approach = gap_and_approach(solver, phase, alone, position)
        if gap < approach:
            return (
                f"tooth pair {pair} is outside of the window of {n} pairs, and at phase {phase:g} its flanks, "
                f"{1e6 * gap:.3g} um apart without load, would meet at the approach of {1e6 * approach:.3g} um"
            )
    return None


def gap_and_approach(
    solver: MeshSolver, phase: float, first_pair: int, position: StaticPosition
) -> tuple[float, float]:
    """Least gap of the unloaded flanks of a window that begins with a pair, and what a position closes of it [m].

    For a window in which all pairs but the first or the last are farther away.
    """
    contact = solver.contact
    phi = (phase - first_pair) * contact.pitch_angle
    at_rest = MeshMotion(phi=phi, first_pair=first_pair, displacement=solver.displacement)
    gap = contact.closest_gap(solver.new_data(), at_rest, GAP_REACH * contact.pair.pinion.m_n)
    return gap, abs(position.deflection) * math.cos(contact.pair.beta_b)
