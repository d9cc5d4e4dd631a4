"""A study of made-up numbers."""

import itertools

import numpy as np

import alegear as ag
from alegear.results.dataset import Identity
from alegear.results.study_result import AxisDescription, study_dataset, study_summary
from alegear.storage.study_log import StudyPoint

RELIEF, TORQUE = "pinion.flank.tip_relief_um", "operation.pinion_torque_Nm"
SHAPE = "pinion.flank.tip_relief_shape"
#: Made up: peak to peak [um] of reliefs 0, 5, 10 under torques 40, 100, 180; nan: not computed.
ERROR = np.array([[1.0, 2.0, 6.0], [2.0, 1.0, 3.0], [4.0, 3.0, 2.5]])
STRESS = np.array([[100.0, 200.0, 300.0], [110.0, 190.0, 290.0], [120.0, 210.0, 320.0]])


def told(name: str, *keys: tuple[str, list]) -> AxisDescription:
    named = dict(keys)
    return AxisDescription(name, named, {key: key.rpartition("_")[2] for key in named}, dict.fromkeys(named, "made up"))


def made_up(error=ERROR, *, samples: int = 1, warnings: str = "") -> ag.StudyResult:
    """A study over samples, torques, reliefs."""
    axes = [
        told("sample", ("alignment.tilt_normal_deg", list(np.linspace(0.0, 0.01, samples)))),
        told(TORQUE, (TORQUE, [40.0, 180.0, 100.0])),  # not in order
        told("relief", (RELIEF, [0.0, 5.0, 10.0]), (SHAPE, ["linear", "linear", "parabolic"])),
    ]
    points = []
    for sample, torque, relief in itertools.product(range(samples), (0, 2, 1), range(3)):
        value = error[relief, torque] + 0.1 * sample
        if np.isnan(value):
            points.append(StudyPoint(row=None, failure="no convergence"))
            continue
        root = 1e6 * STRESS[relief, torque] * np.array([[1.0, 0.9], [0.8, 0.7]])
        row = {
            "te_peak_to_peak": 1e-6 * value,
            "te_mean": -1e-6 * value,
            "root_stress_max": root,
            "root_stress_principal_max": 1.1 * root * [1.0, -1.0],
            "efficiency": 1.0 - 1e-3 * value,
        }
        points.append(StudyPoint(row=row, warnings=warnings))
    dataset = study_dataset(
        axes,
        points,
        phases=[None] * len(points),
        digests=[str(n) for n in range(len(points))],
        identity=Identity(title="made up", case_sha256="0"),
    )
    return ag.StudyResult(summary=study_summary(dataset, axes, seconds=1.0, complete=True), dataset=dataset)
