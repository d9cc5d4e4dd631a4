"""``python -m alegear`` is the command ``alegear``."""

import sys

if __name__ == "__main__":
    try:
        from alegear.cli import main

        code = main()
    except KeyboardInterrupt:
        print("stopped by the user", file=sys.stderr)
        code = 1
    sys.exit(code)
