"""Units of a case file, in SI units."""

import math

MM = 1e-3
UM = 1e-6
G_MM = 1e-6
RPM = 2.0 * math.pi / 60.0
"""In rad/s."""
