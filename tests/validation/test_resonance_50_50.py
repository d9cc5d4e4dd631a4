"""The reading of the sweeps and the single mass beside them, on known motions; the case itself, for a moment."""

from __future__ import annotations

import math
import sys
from importlib import util
from pathlib import Path

import numpy as np
import pytest

from alegear.study.progress import Silent

PATH = Path(__file__).parents[2] / "validation" / "resonance_50_50" / "run.py"
spec = util.spec_from_file_location("resonance_50_50", PATH)
assert spec is not None
assert spec.loader is not None
resonance = util.module_from_spec(spec)
sys.modules[spec.name] = resonance  # dataclasses look their module up
spec.loader.exec_module(resonance)


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
    curves = study.curves()
    assert study.stiffness.natural_frequency == pytest.approx(2.0 * math.pi * 3015.0, rel=0.01)
    # 150 N m over 70.5 mm and 279 N/um
    assert curves["transmission_error"].mean() == pytest.approx(-7.6e-6, rel=0.1)
    # until the first pair leaves and all begins to vibrate
    assert study.recorder.tooth_load.sum(axis=1)[:10] == pytest.approx(150.0 / 0.07048, rel=0.01)
