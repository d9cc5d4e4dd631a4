"""``python -m alegear`` and the command ``alegear``: what an interrupt meets before anything else is imported."""

import contextlib
import sys


def main() -> int:
    """Run the command; an interrupt while it is imported is one line, as later.

    Of the milliseconds before, in which Python itself starts, no program can say anything.
    """
    try:
        from alegear.cli import main as run

        return run()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            print("stopped by the user", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
