"""Progress of a study: the command shows it, a script may ignore it."""

from __future__ import annotations

from typing import Protocol

#: Parts of a stage that goes on in time; receivers may show them as a percentage.
THOUSANDTHS = 1000


class Progress(Protocol):
    """Receiver of progress; anything with these two methods will do."""

    def stage(self, name: str) -> None:
        """Begin a stage: ``"mesh"``, ``"reduce"``, ``"solve"``, ``"write"``."""

    def advance(self, done: int, total: int) -> None:
        """Report that `done` of `total` parts of the current stage are finished."""


def report_status(progress: Progress, text: str) -> None:
    """Give a receiver that has a method ``report_status`` a line on the stage, for the next :meth:`advance`."""
    listener = getattr(progress, "report_status", None)
    if listener is not None:
        listener(text)


def warn(progress: Progress, text: str) -> None:
    """Give a receiver that has a method ``warn`` a warning that is worth stopping for; the summary has it too."""
    listener = getattr(progress, "warn", None)
    if listener is not None:
        listener(text)


def advance_in_time(progress: Progress, t: float, duration: float) -> None:
    """Report that a stage has come to a time t of its duration."""
    progress.advance(min(int(THOUSANDTHS * t / duration), THOUSANDTHS), THOUSANDTHS)


class Silent:
    """The receiver that shows nothing."""

    def stage(self, name: str) -> None:
        """Ignore the stage."""

    def advance(self, done: int, total: int) -> None:
        """Ignore the count."""
