"""The gearbox of a wind turbine beside hand calculation: scripts/wind_turbine_gearbox.py, into this folder.

python validation/wind_turbine/run.py [options of the script]
"""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.argv[1:1] = ["--out", str(HERE)]
    runpy.run_path(str(HERE.parents[1] / "scripts" / "wind_turbine_gearbox.py"), run_name="__main__")
