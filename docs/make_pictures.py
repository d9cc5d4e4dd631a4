"""Draw the pictures of the documentation into ``docs/pictures``: ``python docs/make_pictures.py [NAME ...]``.

A function per picture: its name is that of the file, and it returns a figure of Matplotlib. Cases are small, so that
all are drawn in minutes. Pictures are in the repository; they are drawn again by hand when what they show has changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

PICTURES = Path(__file__).resolve().parent / "pictures"
MOST_BYTES = 100_000  # a page with five of them still opens at once
DRAWN: dict[str, Callable[[], Figure]] = {}


def picture(draw: Callable[[], Figure]) -> Callable[[], Figure]:
    """List a function among the pictures."""
    DRAWN[draw.__name__] = draw
    return draw


def save(name: str) -> Path:
    """Draw a picture and write it, in as fine a grid as keeps it small."""
    path = PICTURES / f"{name}.png"
    with rc_context({"font.size": 9.0, "savefig.bbox": "tight"}):
        figure = DRAWN[name]()
        for dpi in (144, 110, 90, 72):
            figure.savefig(path, dpi=dpi)
            if path.stat().st_size < MOST_BYTES:
                return path
    raise SystemExit(f"{path} = {path.stat().st_size} bytes: must be less than {MOST_BYTES}; draw less in it")


if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWN:
        print(save(name))
