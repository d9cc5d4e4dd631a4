"""Pictures of a result by name: ``result.plot.te()``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alegear.pictures.of_results import pictures
from alegear.pictures.picture import Picture, labelled
from alegear.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Plot:
    """A picture of one result, which is drawn when it is called.

    Parameters
    ----------
    picture : Picture
    result : Result
    """

    def __init__(self, picture: Picture, result: Result) -> None:
        self._picture, self._result = picture, result
        self.__doc__ = f"{picture.heading}: draw {picture.name} as a figure of Matplotlib."

    def __repr__(self) -> str:
        return f"<picture {self._picture.name}: {self._picture.heading}>"

    def __call__(self) -> Figure:
        """Draw the picture.

        Returns
        -------
        matplotlib.figure.Figure
            Of no window; ``figure.savefig("name.svg")`` writes it.
        """
        return self._picture.draw(self._result)

    @property
    def caption(self) -> str:
        """What it shows, in words and numbers."""
        return self._picture.caption(self._result)


class Plots:
    """Pictures of one result, an attribute each; ``dir`` lists those that it has.

    Parameters
    ----------
    result : Result
    """

    def __init__(self, result: Result) -> None:
        self._result = labelled(result)
        self._held = {one.name: one for one in pictures() if one.holds(self._result)}

    def __dir__(self) -> list[str]:
        return list(self._held)

    def __getattr__(self, name: str) -> Plot:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._held:
            raise AttributeError(f"this result has no picture {name!r}; it has: {', '.join(self._held) or 'none'}")
        return Plot(self._held[name], self._result)

    def __repr__(self) -> str:
        return f"<pictures of a result: {', '.join(self._held) or 'none'}>"
