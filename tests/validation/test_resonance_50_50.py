"""The reading of the sweeps and the single mass, on known motions; the case for a moment; the sweeps that are kept."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from quick_form import assert_within_bounds
from script_files import load_script

resonance = load_script("validation/resonance_50_50/run.py")


@pytest.mark.thorough
def test_quick_form() -> None:
    assert_within_bounds("resonance_50_50")


def test_a_sweep_of_a_known_curve_is_read_as_it_is() -> None:
    """Mesh frequency from 1000 to 2000 Hz in a second; an amplitude that jumps from 3 to 12 um at 1500 Hz."""
    t = np.arange(0.0, 1.0, 2e-5)
    phase = 1000.0 * t + 500.0 * t * t
    amplitude = np.where(t < 0.5, 3e-6, 12e-6)
    te = -20e-6 + amplitude * np.sin(2.0 * math.pi * phase)
    sweep = resonance.Sweep.of(t, phase, te, np.where(t < 0.5, 1.0, 0.0), 0.1)
    low = sweep.frequency < 1450.0
    assert sweep.frequency.min() > 1100.0
    assert sweep.rms[low] == pytest.approx(3e-6 / math.sqrt(2.0), rel=0.01)
    assert sweep.rms.max() == pytest.approx(12e-6 / math.sqrt(2.0), rel=0.01)
    assert sweep.jump[0] == pytest.approx(1500.0, abs=60.0)
    assert sweep.parted[low].max() == 0.0
    assert sweep.parted[sweep.frequency > 1550.0].min() == 1.0
    first = resonance.ORDERS.index(1.0)
    # the frequency rises by a thirtieth of a per cent within a block
    assert sweep.orders[low, first] == pytest.approx(3e-6, rel=1e-3)
    assert np.delete(sweep.orders[low], first, axis=1).max() < 0.02 * 3e-6
    assert np.isnan(sweep.load_factor).all()
    again = resonance.Sweep.from_json(json.loads(json.dumps(sweep.to_json())))
    for name, values in vars(sweep).items():
        assert getattr(again, name) == pytest.approx(values, rel=1e-3, nan_ok=True)


def test_dynamic_factors_are_those_of_the_largest_pair_and_root() -> None:
    t = np.arange(0.0, 0.1, 2e-5)
    phase, n = 1000.0 * t, len(t)
    rest = resonance.PairAtRest(tooth_load=2.0, root_stress=(4.0, 5.0))
    load, stress = np.full((n, 3), 1.0), np.full((n, 2, 3, 2), np.nan)
    load[:, 1], stress[:, 0, 0, 1], stress[:, 1, 2, 0] = 3.0, 5.0, 10.0
    sweep = resonance.Sweep.of(t, phase, np.sin(phase), load.sum(axis=1), 0.0, factors=(rest, load, stress))
    assert set(sweep.load_factor) == {1.5}
    assert set(sweep.stress_factor[:, 0]) == {1.25}
    assert set(sweep.stress_factor[:, 1]) == {2.0}


def test_oscillator_is_fitted_through_waves() -> None:
    frequency = np.linspace(2400.0, 3600.0, 70)
    r = frequency / 2900.0
    amplitude = 3e-7 / np.hypot(1.0 - r * r, 2.0 * 0.05 * r) * (1.0 + 0.05 * np.sin(0.07 * frequency))
    f_0, zeta = resonance.oscillator_fit(frequency, amplitude)
    assert f_0 == pytest.approx(2900.0, rel=5e-3)  # a wave of a twentieth on a peak as wide as a tenth
    assert zeta == pytest.approx(0.05, rel=0.1)


def test_kept_sweeps_are_within_their_bounds() -> None:
    """What the last whole run has left; a run is half an hour."""
    kept = json.loads(resonance.STORE.read_text())
    sweeps = {name: resonance.Sweep.from_json(entry) for name, entry in kept["sweeps"].items()}
    rows = list(resonance.rows_of_sweeps(kept, sweeps))
    assert sum(row.bound is not None for row in rows) > 10
    assert not [str(row) for row in rows if row.beyond]


@pytest.mark.parametrize("parts", [pytest.param(0.0, marks=pytest.mark.thorough), 0.1])
def test_the_single_mass_answers_at_its_natural_frequency(parts: float) -> None:
    """Without a change of stiffness nothing moves; a slight one answers where omega_n is, without parting."""
    mass, force, natural = 0.8, 2000.0, 2500.0
    deflection = force / (mass * (2.0 * math.pi * natural) ** 2)
    wave = 1.0 + 0.1 * parts * np.sin(2.0 * math.pi * np.arange(resonance.POSITIONS) / resonance.POSITIONS)
    model = resonance.SingleMass(
        mass=mass, force=force, deflection=deflection * wave, damping_ratio=0.03, backlash=1e-3
    )
    sweep = model.swept(0.3, (1500.0, 3500.0))
    if not parts:
        assert sweep.rms.max() < 1e-6 * deflection
    else:
        assert sweep.peak == pytest.approx(natural, rel=0.05)
        assert sweep.parted.max() == 0.0
