"""Results with the shape of real ones, in closed form: loads shared by trapezoids, crowned across the face."""

from __future__ import annotations

import numpy as np
from datasets import contact_dataset

from alegear.pictures.files import write_pictures
from alegear.results.contact_result import ContactHistory
from alegear.results.dataset import Identity
from alegear.results.point_places import PointPlaces
from alegear.results.result import Result

PAIRS = np.arange(-1, 3)
FACE = np.linspace(-0.015, 0.015, 9)
TOTAL = 10_600.0  # N
P_BT = 11.8e-3  # m
ROLL_PITCH_POINT = 14.5e-3  # m


def share(own_phase):
    """Part of the load that a pair carries at its own phase; the parts of all pairs add up to 1."""
    return np.clip((0.78 - np.abs(own_phase)) / 0.56, 0.0, 1.0)


def loads(phase, pairs):
    load = TOTAL * share(phase[:, None] - pairs)
    line = load[:, :, None] / 0.03 * 1.5 * (1.0 - (FACE / 0.0155) ** 2)
    pressure = np.sqrt(line * 2.1e11 / 0.04)
    stress = load[:, None, :, None] * np.array([[29e3, -34e3], [27e3, -33e3]])[:, None, :]
    touching = np.where(line > 0.0, 1.0, np.nan)
    n = len(phase)
    return {
        "pairs": pairs,
        "slice_position": FACE,
        "tooth_load": load,
        "line_load": line,
        "contact_pressure": pressure,
        "edge_pressure": np.zeros_like(pressure),
        "contact_half_width": 1e-4 * touching,
        "contact_shear_stress": 0.3 * pressure * touching,
        "contact_roll_length": (ROLL_PITCH_POINT + P_BT * (phase[:, None] - pairs))[:, :, None] * touching,
        "contact_force": np.tile([0.34 * TOTAL, -0.94 * TOTAL, 0.0], (n, 1)),
        "contact_moment": np.tile([0.0, 0.0, -0.0376 * TOTAL], (n, 1)),
        "flank_limit": np.array([[4e-3, 24e-3], [25e-3, 5e-3]]),
        "root_stress": np.abs(stress),
        "root_stress_principal": stress,
        "mesh_stiffness": 3.0e8 + 2.0e8 * (share(phase[:, None] - pairs) > 0.0).sum(axis=1),
    }


def points(phase, pairs):
    """Two points: a root that is stressed while its pair carries, and one on a tooth of the wheel nobody asked for."""
    stress = np.full((len(phase), 2, len(pairs)), np.nan)
    stress[:, 0] = 300e6 * share(phase[:, None] - pairs)
    values = {"point_stress": stress, "point_stress_principal": -stress, "point_rotation": 1e-11 * stress}
    return values, PointPlaces(
        names=("root", "flank"),
        gear=np.array([0, 1]),
        side=("front", "back"),
        radius=np.array([36e-3, 60e-3]),
        arc_length=np.array([2e-3, 9e-3]),
        face_position=np.zeros(2),
        teeth=pairs - pairs[0],
    )


def drawn(dataset, folder):
    """Files of the pictures of a dataset, whose folder tells the rest."""
    return write_pictures(Result(summary={}, dataset=dataset, directory=folder))


def static(title="Spur pair 20/30", **options):
    return contact_dataset(static_history(**options), Identity(title=title))


def static_history(n=32, pitches=1, pairs=PAIRS, uncomputed=False, with_points=False):
    phase = -0.5 + np.arange(n * pitches) / n
    of_points, places_of_points = points(phase, pairs) if with_points else ({}, None)
    values = loads(phase, pairs) | of_points
    if uncomputed:
        for name in ("tooth_load", "line_load", "contact_pressure"):
            values[name][:, 0] = np.nan
        values["contact_roll_length"][:, 0] = np.nan
        values["root_stress"][:] = np.nan
        values["root_stress_principal"][:] = np.nan
    te = -TOTAL / values["mesh_stiffness"]
    places = {name: values.pop(name) for name in ("pairs", "slice_position", "flank_limit")}
    values |= {"phase": phase, "transmission_error": te}
    return ContactHistory.of(values, points=places_of_points, **places)


def dynamic(ramp=None, **options):
    ramp = 0.5 * options.get("duration", 0.1) if ramp is None else ramp
    return contact_dataset(dynamic_history(**options), Identity(title="Spur pair 20/30, run-up"), ramp=ramp)


def dynamic_history(duration=0.1, step=5e-5, speed=157.0, z=(20, 30), pairs=None):
    """Harmonics 1 (3 um) and 2 (1 um) of the mesh frequency on a mean of -20 um, speed reached after half the time."""
    time = np.arange(round(duration / step)) * step
    reached = np.minimum(time / (0.5 * duration), 1.0)
    omega = speed * reached
    angle = np.concatenate([[0.0], np.cumsum(0.5 * (omega[1:] + omega[:-1]) * step)])
    phase = angle * z[0] / (2.0 * np.pi)
    pairs = np.arange(-1, int(phase[-1]) + 2) if pairs is None else pairs
    wave = 3e-6 * np.cos(2 * np.pi * phase) + 1e-6 * np.cos(4 * np.pi * phase)
    n = len(time)
    values = loads(phase, pairs)
    ratio = np.array([1.0, z[0] / z[1]])
    others = {name: values.pop(name) for name in ("slice_position", "flank_limit")}
    return ContactHistory.of(
        {
            "time": time,
            "phase": phase,
            "slot_pair": np.tile(values.pop("pairs"), (n, 1)),  # a window in which all pairs stay
            "angle": angle[:, None] * ratio,
            # the driven wheel never quite keeps its speed
            "speed": omega[:, None] * ratio + np.array([0.0, 1.0]) * np.gradient(wave, step)[:, None] / 0.06,
            "acceleration": np.zeros((n, 2)),
            "transmission_error": -20e-6 * reached + wave,
            "bearing_force": np.zeros((n, 2, 3)),
            "energy_input": np.zeros(n),
            "energy_kinetic": np.zeros(n),
            "energy_elastic": np.zeros(n),
            "energy_dissipated": np.zeros(n),
            "energy_dissipated_outside": np.zeros(n),
            **values,
        },
        **others,
    )
