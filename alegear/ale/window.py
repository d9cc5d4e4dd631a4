"""The space-fixed window of tooth faces through which the material teeth pass.

Pairs are counted in the order in which they come into mesh: pair k touches at the pitch point at phase k. The window
has a fixed number of slots; which pairs fill them follows from the phase alone (coarse detection by the angular
position, Liu et al. 2018, section 5.1), so a tooth-change is nothing but a shift of the labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from alegear.errors import Fault


@dataclass(frozen=True, kw_only=True)
class ToothWindow:
    """Slots for tooth pairs, and the phase at which the slots change teeth.

    With threshold t, the phases t + k < phase < t + k + 1 have pairs k and k + 1 in the middle of the window: just
    after the change pair k alone carries, just before the next one pair k + 1 alone. A third slot holds pair k + 2,
    which deflected teeth may touch early; further ones are added on both sides in turn.

    Parameters
    ----------
    n_pairs : int
        Number of slots, at least 1.
    threshold : float or None
        Phase of the tooth-change after which pair 0 is in the middle [pitches]; a whole pitch more moves the window on
        by a pair (:func:`placed_threshold` takes a phase modulo 1). None: no tooth-change at all (a segment of teeth);
        pair 0 is then in the middle of an odd number of slots.
    """

    n_pairs: int
    threshold: float | None = 0.0

    def __post_init__(self) -> None:
        if self.n_pairs < 1:
            raise Fault("window_pairs", self.n_pairs, "at least 1", "leave it out: the contact ratio sizes the window")
        if self.threshold is None and self.n_pairs % 2 == 0:
            raise Fault("window_pairs", self.n_pairs, "odd for a segment of teeth", "leave it out")

    @property
    def phase(self) -> float | None:
        """Phase of the tooth-change as a case may give it, between -1 and 1 [pitches]."""
        t = self.threshold
        return t if t is None or abs(t) <= 1.0 else math.remainder(t, 1.0)

    def first_pair(self, phase: float) -> int:
        """Number of the pair in the first slot at a phase [pitches]."""
        if self.threshold is None:
            return -(self.n_pairs // 2)
        return math.floor(phase - self.threshold) - max(self.n_pairs - 2, 0) // 2

    def next_change(self, phase: float) -> float:
        """The first phase above `phase` at which the slots change teeth [pitches]; infinite for a segment."""
        if self.threshold is None:
            return math.inf
        change = math.floor(phase - self.threshold) + 1 + self.threshold
        # (k + threshold) - threshold may round to just below k: then this change is the one at hand
        return change if change > phase else change + 1.0


def harmless_interval(phase_in: float, phase_out: float, n_pairs: int) -> tuple[float, float]:
    """Last load of the pair that leaves the window at a change to base 0, and first need of the one that comes in.

    Empty (the first not below the second) where the window is too small. Parameters as of `centred_threshold`.
    """
    lead = max(n_pairs - 2, 0) // 2
    # at that change pair -1 - lead goes out, pair n_pairs - 1 - lead comes in
    return phase_out - 1.0 - lead, phase_in + n_pairs - 1.0 - lead


def placed_threshold(phase: float, phase_in: float, phase_out: float, n_pairs: int) -> float:
    """Tooth-change threshold at a phase modulo 1: the one with which the window holds the pairs that carry.

    Parameters
    ----------
    phase : float [pitches]
        Of the tooth-change; whole pitches more or less are the same.
    phase_in, phase_out, n_pairs
        As of `centred_threshold`.

    Returns
    -------
    float
        Of all thresholds at that phase the one inside the harmless interval, or nearest to it; of several inside the
        one nearest to `centred_threshold`.

    Raises
    ------
    Fault
        If the window is too small for any harmless change.
    """
    centre = centred_threshold(phase_in, phase_out, n_pairs)
    last_load, first_need = harmless_interval(phase_in, phase_out, n_pairs)
    part = phase - math.floor(phase)  # the same numbers for the same phase, to the bit where it can be
    nearest = part + math.floor(centre - part)

    def misfit(threshold: float) -> tuple[float, float]:
        return max(last_load - threshold, threshold - first_need, 0.0), abs(threshold - centre)

    return min((nearest + k for k in range(-1, 3)), key=misfit)


def centred_threshold(phase_in: float, phase_out: float, n_pairs: int) -> float:
    """Tooth-change threshold in the middle of the interval in which the change is harmless.

    Parameters
    ----------
    phase_in, phase_out : float
        Phases at which pair 0 takes its first and carries its last load [pitches], phase_in < 0 < phase_out.
    n_pairs : int
        Slots of the window.

    Returns
    -------
    float
        If there is a single-contact interval (pair -1 leaves at phase_out - 1 before pair +1 enters at 1 + phase_in):
        its middle. Otherwise the middle between the last load of the pair that leaves the window and the first need
        of the pair that enters it.

    Raises
    ------
    Fault
        If the window is too small for any harmless change.
    """
    last_load, first_need = harmless_interval(phase_in, phase_out, n_pairs)
    leaves, enters = phase_out - 1.0, 1.0 + phase_in
    if leaves < enters:
        return 0.5 * (leaves + enters)
    if last_load >= first_need:
        raise Fault(
            "window_pairs",
            n_pairs,
            f"large enough for the loaded contact ratio {phase_out - phase_in:.3f}",
            "leave window_pairs out or raise it",
        )
    return 0.5 * (last_load + first_need)
