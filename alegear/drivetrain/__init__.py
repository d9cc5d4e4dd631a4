"""Parts of gearboxes: shafts by sections, bearings, housings."""

from alegear.drivetrain.bearing import Bearing
from alegear.drivetrain.housing import Housing, read_housing, read_matrix_file
from alegear.drivetrain.place_names import node_name
from alegear.drivetrain.shaft import Disk, Shaft

__all__ = ["Bearing", "Disk", "Housing", "Shaft", "node_name", "read_housing", "read_matrix_file"]
