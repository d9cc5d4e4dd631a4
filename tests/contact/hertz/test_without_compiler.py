"""The same forces without Numba's compiler as with all that makes kernels fast."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
from line_pairs import bodies_of, pair_of

PROGRAM = """
import json
import pickle
import sys

import numpy as np

from alegear.contact.forces import MeshMotion
from alegear.contact.hertz.contact import LineContact
from alegear.contact.law import Friction

with open(sys.argv[1], "rb") as file:
    pair, bodies = pickle.load(file)
contact = LineContact.build(pair, bodies, flank="a", friction=Friction(), n_slices=2)
phi = np.array([4e-4, 0.0]) + 0.3 * contact.pitch_angle
forces = contact.evaluate(contact.new_data(), MeshMotion(phi=phi))
compiled = [name for name in sys.modules if name == "alegear.kernels.compiler"]
print(json.dumps([forces.torque.tolist(), forces.torque_phi.tolist(), forces.iterations, compiled]))
"""


def response(tmp_path: Path, **environment: str) -> list:
    """Torques, tangents, iterations, and whether the file is loaded that takes private names."""
    made = tmp_path / "pair.pickle"
    made.write_bytes(pickle.dumps((pair_of("spur"), bodies_of("spur"))))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(made)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_forces_are_the_same_without_the_compiler(tmp_path: Path) -> None:
    torque, torque_phi, iterations, private = response(tmp_path, ALEGEAR_PLAIN_NUMBA="0")
    assert private == ["alegear.kernels.compiler"]
    other, other_phi, other_iterations, _ = response(tmp_path, NUMBA_DISABLE_JIT="1")
    assert torque[0] < -100.0
    # sums in another order; Newton ends at 1e-12 of the load
    np.testing.assert_allclose(other, torque, rtol=1e-9)
    np.testing.assert_allclose(other_phi, torque_phi, rtol=1e-7)
    assert other_iterations == iterations
