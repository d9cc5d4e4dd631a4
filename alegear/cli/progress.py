"""Progress of a run: a bar on a terminal, one line a stage otherwise."""

from __future__ import annotations

import sys
import time
from typing import Any

from alegear.cli.printing import new_console, print_line, say
from alegear.progress import THOUSANDTHS

SILENCE = 10.0  # seconds after which a stage that takes longer tells how far it is
LAST_PART = 2.0 * SILENCE  # seconds of which the rate counts for the time left


class LineProgress:
    """One line a stage, with the seconds it took; a long one says on it now and then how far it is.

    The time left follows from the last parts: the first ones may be those for which code was compiled, and steps of a
    motion get shorter as its speed rises.
    """

    def __init__(self) -> None:
        self._started: float | None = None
        self._done: list[tuple[float, int]] = []  # when parts were done, and how many, of the last ones
        self._said = 0.0
        self._where = ""

    def __enter__(self) -> LineProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stage(self, name: str) -> None:
        self.close()
        self._started = self._said = time.perf_counter()
        self._where, self._done = "", []
        print_line(f"{name} ...", sys.stderr, end=" ")

    def report_status(self, where: str) -> None:
        """Take what the stage has come to."""
        self._where = where

    def warn(self, text: str) -> None:
        """Print a warning, on a line of its own."""
        if self._started is not None:
            print_line("", sys.stderr)
        say(f"warning: {text}")

    def advance(self, done: int, total: int) -> None:
        """Tell what the stage has come to, parts done and time left, after a silence."""
        now = time.perf_counter()
        if done > 0 and (not self._done or done > self._done[-1][1]):
            self._done.append((now, done))
            while len(self._done) > 2 and now - self._done[1][0] >= LAST_PART:
                self._done.pop(0)
        if self._started is None or not self._done or now - self._said < SILENCE or not 0 < done < total:
            return
        self._said = now
        status = [parts_done(done, total), *([self._where] if self._where else [])]
        begun, before = self._done[0]
        if done > before:
            status.append(f"about {duration((now - begun) * (total - done) / (done - before))} left")
        print_line(f"{', '.join(status)} ...", sys.stderr, end=" ")

    def close(self) -> None:
        if self._started is not None:
            say(f"{time.perf_counter() - self._started:.1f} s")
            self._started = None


def parts_done(done: int, total: int) -> str:
    """Return how far a stage is: a percentage of one that goes on in time, else its parts."""
    return f"{100.0 * done / total:.1f} %" if total == THOUSANDTHS else f"{done} of {total}"


def duration(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"


class BarProgress:
    """A bar a stage on a terminal."""

    def __init__(self) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text

        class Counted(MofNCompleteColumn):
            """Parts done of all, or the percentage; nothing for a stage without parts."""

            def render(self, task: Any) -> Text:
                if task.total == THOUSANDTHS:
                    return Text(parts_done(int(task.completed), THOUSANDTHS))
                return Text() if task.total is None else super().render(task)

        self._bars = Progress(
            TextColumn("{task.description:<8}"),
            BarColumn(),
            Counted(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[where]}"),
            console=new_console(stderr=True),
        )
        self._task: Any = None

    def __enter__(self) -> BarProgress:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stage(self, name: str) -> None:
        self._finish()
        self._task = self._bars.add_task(name, total=None, where="")

    def report_status(self, where: str) -> None:
        """Show what the stage has come to."""
        if self._task is not None:
            self._bars.update(self._task, where=where)

    def warn(self, text: str) -> None:
        """Print a warning above the bars."""
        self._bars.console.print(f"warning: {text}", markup=False, highlight=False, soft_wrap=True)

    def advance(self, done: int, total: int) -> None:
        if self._task is not None:
            self._bars.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._finish()
        self._bars.stop()

    def _finish(self) -> None:
        if self._task is None:
            return
        task = self._bars.tasks[self._task]
        if task.total is None:
            # a stage without parts is one part
            self._bars.update(self._task, completed=1, total=1)
        self._bars.stop_task(self._task)
        self._task = None


def progress_on_terminal() -> LineProgress | BarProgress:
    """Return the progress that fits where standard error goes."""
    return BarProgress() if sys.stderr.isatty() else LineProgress()
