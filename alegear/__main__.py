"""``python -m alegear`` is the command ``alegear``."""

import sys

from alegear.cli import main

if __name__ == "__main__":
    sys.exit(main())
