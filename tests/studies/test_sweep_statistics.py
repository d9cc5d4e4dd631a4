"""Statistics of a sweep from made-up samples: teeth that carry on either flank have not parted."""

from __future__ import annotations

import numpy as np

from alegear.case.sweep import SweepAnalysis
from alegear.storage.recorded_samples import RecordedSamples
from alegear.studies.sweep import mesh_statistics


def test_parted_is_the_time_in_which_neither_flank_carries() -> None:
    per_pitch, pitches = 50, 8
    phase = np.arange(per_pitch * pitches + 1) / per_pitch
    load = np.zeros((len(phase), 3))
    load[:, 1] = 100.0  # front flanks
    load[2 * per_pitch : 4 * per_pitch] = [0.0, 0.0, -80.0]  # back flanks
    load[4 * per_pitch : 5 * per_pitch] = 0.0
    load[6 * per_pitch : 8 * per_pitch + 1] = 0.0
    samples = RecordedSamples.of(
        {
            "time": 1e-3 * phase,
            "phase": phase,
            "transmission_error": np.zeros(len(phase)),
            "tooth_load": load,
            "root_stress": np.zeros((len(phase), 2, 3, 2)),
        }
    )
    analysis = SweepAnalysis(duration=9e-3, settling=0.0, pitches=2, output_every=2e-5)
    found = mesh_statistics(samples, analysis, rest=None, teeth=20).values
    np.testing.assert_allclose(found["contact_loss_share"], [0.0, 0.0, 0.5, 1.0], atol=1.0 / per_pitch)
