"""Samples of several recorders that are kept together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from alegear.arrays import AnyArray
from alegear.storage.recorded_samples import RecordedSamples


@dataclass(kw_only=True, eq=False)
class JointSamples:
    """Samples of several recorders that are kept together: they come in block by block, from each as many.

    Parameters
    ----------
    samples : RecordedSamples
        Its variables are named ``part/name``.
    waiting : dict of dict
        Blocks that others have not brought yet.
    """

    samples: RecordedSamples
    parts: Sequence[str]
    waiting: dict[str, Mapping[str, AnyArray]] = field(default_factory=dict)

    def append(self, part: str, block: Mapping[str, AnyArray]) -> None:
        """Take the block of a part; the last one of them is appended together with the others."""
        self.waiting[part] = {name: np.array(values) for name, values in block.items()}
        if len(self.waiting) == len(self.parts):
            joint = {f"{one}/{name}": v for one, values in self.waiting.items() for name, v in values.items()}
            self.waiting.clear()
            self.samples.append(joint)
