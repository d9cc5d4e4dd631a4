"""A process that draws the pictures of a result beside the one that computes."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType

from alegear.parallel import processors
from alegear.pictures.files import PlotFailure, load_libraries, write_pictures
from alegear.results.result import Result
from alegear.storage.store import load_libraries as load_results_libraries


class DrawingProcess:
    """A process that draws a result (a context manager).

    Drawing takes a second of Python, and its libraries take as long to import. A thread would hold up the computation
    meanwhile, for of Python there is one a process. This one imports while the case is computed, and draws while the
    stress fields are written: where there are two processors, every other picture in a fork of its own.
    """

    def __enter__(self) -> DrawingProcess:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "import gc; gc.disable(); from alegear.pictures.process import _serve; _serve()"],
            # files only, whatever windows the user likes for plots of his own; and no threads, for it forks
            env=os.environ | {"MPLBACKEND": "agg", "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the one that computes; when that has gone, this one ends by itself
        )
        return self

    def write(self, result: Result, directory: str | Path) -> None:
        """Draw as :func:`~alegear.pictures.files.write_pictures` does, and wait until it is done.

        Raises
        ------
        alegear.storage.whole_file.StorageFailure
        alegear.pictures.files.PlotFailure
            As :func:`~alegear.pictures.files.write_pictures`; the second also if the process has ended.
        """
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        try:
            pickle.dump(_sent(result, Path(directory)), to, protocol=pickle.HIGHEST_PROTOCOL)
            to.flush()
            failure = pickle.load(back)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise PlotFailure({"any plot": f"the process that draws them has ended, {type(error).__name__}"}) from error
        if failure is not None:
            raise failure

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # with its fork; what they have answered is written, and the caller has left without waiting for the rest
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()


def _sent(result: Result, directory: Path) -> Result:
    """What the process is sent: of a result in a file no dataset, for it reads what it draws."""
    return type(result)(
        summary=result.summary,
        dataset=None if result.is_stored else result.dataset,
        directory=directory,
        record=result.record if result.record.data else None,
    )


def _serve() -> None:
    """Draw the results that come in, and answer each with None or what went wrong; end when none comes."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print is no answer
    load_libraries()
    load_results_libraries()
    gc.freeze()  # what was imported stays, and is not looked through for garbage
    gc.enable()
    with contextlib.suppress(BrokenPipeError), os.fdopen(answers, "wb") as back:  # the other may have gone meanwhile
        while True:
            try:
                result = pickle.load(sys.stdin.buffer)
            except (EOFError, pickle.UnpicklingError):
                return  # the one that computes has gone, perhaps in the middle of what it sent
            pickle.dump(_draw(result), back)
            back.flush()


def _draw(result: Result) -> Exception | None:
    """Draw a result, half of its pictures in a fork, which has all libraries at hand; return what went wrong."""
    if processors() == 1:
        return _failure_of(result, slice(None))
    context = get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    fork = context.Process(target=lambda: sending.send(_failure_of(result, slice(1, None, 2))))
    fork.start()
    sending.close()
    failures = [_failure_of(result, slice(0, None, 2))]
    try:
        failures.append(receiving.recv())
    except EOFError:
        failures.append(PlotFailure({"every other plot": "the process that draws them has ended"}))
    fork.join()
    undrawn: dict[str, str] = {}
    for failure in filter(None, failures):
        if not isinstance(failure, PlotFailure):
            return failure
        undrawn |= failure.reasons
    return PlotFailure(undrawn) if undrawn else None


def _failure_of(result: Result, some: slice) -> Exception | None:
    """Draw some pictures; return what went wrong."""
    try:
        write_pictures(result, None, some)
    except Exception as error:
        return error
    return None
