"""The reading of the sweeps and the single mass, on known motions; the case for a moment; the sweeps that are kept."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from script_files import load_script

from alegear.progress import Silent

resonance = load_script("validation/resonance_50_50/run.py")


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


def test_kept_sweeps_tell_what_the_readme_says() -> None:
    """Peaks, jumps and limits that the issue of resonance asks for, in what the last whole run has left."""
    kept = json.loads(resonance.STORE.read_text())
    sweeps = {name: resonance.Sweep.from_json(entry) for name, entry in kept["sweeps"].items()}
    for torque in (150.0, 300.0):
        natural = kept["natural_frequency_Hz"][f"{torque:g} N m"]
        modes = kept["modes_Hz"][f"{torque:g} N m"]
        assert max(modes[:-1]) < 0.1 * modes[-1]
        assert modes[-1] == pytest.approx(natural, rel=1e-6)
        for model in resonance.MODELS:
            up = sweeps[resonance.name_of(model, torque, True)]
            down = sweeps[resonance.name_of(model, torque, False)]
            primary, half = (up.between(low * natural, high * natural) for low, high in ((0.75, 2.0), (0.4, 0.6)))
            assert 0.9 < primary.peak / natural < 1.0  # softening
            assert 0.45 < half.peak / natural < 0.52
            assert primary.jump[1] > 1.2
            assert down.rms.max() > 4.0 * up.rms.max()
            assert down.jump[1] > 2.0
            assert down.jump[0] < 0.6 * natural
    f_0, _ = resonance.oscillator_fit(sweeps["linear"].frequency, sweeps["linear"].orders[:, 1])
    assert f_0 == pytest.approx(kept["natural_frequency_Hz"]["linear"], rel=0.03)  # the aim; seen 0.983
    assert sweeps["linear"].parted.max() == 0.0
    assert max(rms for _, rms in kept["idle_Hz_m"]) < 1e-9  # of 8 to 70 um under load


@pytest.mark.parametrize("parts", [0.0, 0.1])
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


def test_the_pair_begins_in_equilibrium() -> None:
    case = resonance.case_of(150.0, 1.5, up=True)
    study = resonance.study_of(resonance.replace(case, analysis=resonance.replace(case.analysis, duration=2e-3)))
    study.run(Silent())
    history = study.history()
    assert study.stiffness.natural_frequency == pytest.approx(2.0 * math.pi * 3015.0, rel=0.01)
    # 150 N m over 70.5 mm and 279 N/um
    assert history.transmission_error.mean() == pytest.approx(-7.6e-6, rel=0.1)
    # until the first pair leaves and all begins to vibrate
    assert history.tooth_load.sum(axis=1)[:10] == pytest.approx(150.0 / 0.07048, rel=0.01)
