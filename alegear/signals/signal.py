"""A signal that is sampled at equal steps of time, or of the angle of a shaft."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from alegear.arrays import Array
from alegear.errors import Fault
from alegear.limits import array_of, check_choice, check_type, float_of
from alegear.short_repr import ShortRepr
from alegear.signals.sampling import LEAST_SAMPLES, PASSED, decimated

Over = Literal["time", "turns"]

#: Steps may differ by this part of their mean: what a file with six digits rounds.
SAME_STEP = 1e-5
#: Points of an interpolation: a few seconds and some hundred megabytes.
MOST_POINTS = 20_000_000
#: Largest value [its unit]: squares of sums over all points stay numbers.
LARGEST = 1e100
UNIT_OF = {"time": "s", "turns": "turns"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Signal(ShortRepr):
    """Hold a signal at equal steps.

    Parameters
    ----------
    name : str
    units : str
        Of the values.
    values : shape (n,)
    step : float [s or turns]
    start : float [s or turns]
        Where the first value is.
    over : {"time", "turns"}
        Whether the steps are in time, or in turns of a shaft.
    highest : float, optional [Hz or orders]
        Up to where the signal is known: below half of the sampling rate where a filter has removed what is above.
        None: half of the sampling rate.
    speed : shape (n,), optional [rad/s]
        Of the shaft at each value, positive, of a signal over turns.
    round_off : float, optional
        Round-off in the values: lines below it are not shown. None: eps of the largest; of a signal that was filtered
        out of a larger one, eps of that.

    Raises
    ------
    Fault
        For values that are no row of finite numbers or beyond 1e100, fewer than eight of them, and a step that is not
        positive.
    """

    name: str
    units: str
    values: Array
    step: float
    start: float = 0.0
    over: Over = "time"
    highest: float | None = None
    speed: Array | None = None
    round_off: float | None = None

    def __post_init__(self) -> None:
        check_type(self, "name", str)
        check_type(self, "units", str)
        check_choice(self, "over", tuple(UNIT_OF))
        object.__setattr__(self, "values", _row(self.values, f"signal {self.name}"))
        for name in ("step", "start"):
            value = float_of(getattr(self, name))
            if not np.isfinite(value) or (name == "step" and value <= 0.0):
                limit = "a positive number" if name == "step" else "a finite number"
                raise Fault(f"{name} of signal {self.name} [{UNIT_OF[self.over]}]", value, limit, f"correct {name}")
        if len(self.values) < LEAST_SAMPLES:
            limit = f"at least {LEAST_SAMPLES}"
            raise Fault(f"samples of signal {self.name}", len(self.values), limit, "record longer, or at smaller steps")
        if self.round_off is None:
            object.__setattr__(self, "round_off", float(np.finfo(np.float64).eps * np.abs(self.values).max()))
        half = 0.5 / self.step
        if self.highest is None:
            object.__setattr__(self, "highest", half)
        elif not 0.0 < self.highest <= half * (1.0 + SAME_STEP):
            limit = f"above 0 and at most {half:.6g}, half of the sampling rate"
            raise Fault(f"highest of signal {self.name} [{self.unit_of_lines}]", self.highest, limit, "correct highest")

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def recorded(cls, time: ArrayLike, values: ArrayLike, *, name: str = "signal", units: str = "1") -> Signal:
        """Take a record whose times are equally spaced.

        Parameters
        ----------
        time : shape (n,) [s]
        values : shape (n,)
        name, units : str

        Raises
        ------
        Fault
            Also for times that are not equally spaced: :meth:`interpolated` takes those.
        """
        t = _times(time, values, name)
        step = (t[-1] - t[0]) / (len(t) - 1)
        apart = np.diff(t)
        off = int(np.abs(apart - step).argmax())
        if abs(apart[off] - step) > SAME_STEP * step:
            raise Fault(
                f"spacing of the times of signal {name} at {t[off]:.9g} s [s]",
                float(f"{apart[off]:.9g}"),
                f"the same everywhere, {step:.9g}",
                "record at equal intervals, or interpolate it: Signal.interpolated",
            )
        return cls(name=name, units=units, values=_row(values, f"signal {name}"), step=float(step), start=float(t[0]))

    @classmethod
    def interpolated(
        cls, time: ArrayLike, values: ArrayLike, *, step: float, name: str = "signal", units: str = "1"
    ) -> Signal:
        """Interpolate a record with any rising times to equal steps, by cubic splines.

        Where the record has finer steps than the result, a filter removes what would be aliased; the signal is
        known up to 0.4 over the larger one of `step` and the largest spacing of the times.

        Parameters
        ----------
        time : shape (n,) [s]
            Rising.
        values : shape (n,)
        step : float [s]
        name, units : str

        Raises
        ------
        Fault
        """
        from scipy.interpolate import make_interp_spline

        t = _times(time, values, name)
        y = _row(values, f"signal {name}")
        step = float_of(step)
        if not 0.0 < step <= t[-1] - t[0]:
            raise Fault(f"step of signal {name} [s]", step, f"above 0, at most {t[-1] - t[0]:.6g}", "correct step")
        apart = np.diff(t)
        factor = int(np.ceil(step / apart.min() * (1.0 - SAME_STEP)))
        if (t[-1] - t[0]) / step * factor > MOST_POINTS:
            limit = f"at least {(t[-1] - t[0]) / MOST_POINTS:.3g}"
            remedy = "leave out samples that nearly coincide"
            raise Fault(f"smallest spacing of the times of signal {name} [s]", float(apart.min()), limit, remedy)
        fine = step / factor
        at = t[0] + fine * np.arange(int((t[-1] - t[0]) / fine * (1.0 + 1e-12)) + 1)
        found, first = make_interp_spline(t, y, k=3)(np.minimum(at, t[-1])), 0
        if factor > 1:
            found, first = decimated(found, factor, f"signal {name}")
        return cls(
            name=name,
            units=units,
            values=found,
            step=step,
            start=float(at[first]),
            highest=PASSED / max(step, float(apart.max())),
        )

    @property
    def x(self) -> Array:
        """Where the values are: times [s], or turns; shape (n,)."""
        return self.start + self.step * np.arange(len(self.values), dtype=np.float64)

    @property
    def span(self) -> float:
        """n steps [s or turns]."""
        return len(self.values) * self.step

    @property
    def known_up_to(self) -> float:
        """`highest`, which is always a number here [Hz or orders]."""
        assert self.highest is not None
        return self.highest

    @property
    def lost(self) -> float:
        """`round_off`, which is always a number here."""
        assert self.round_off is not None
        return self.round_off

    @property
    def unit_of_lines(self) -> str:
        """Unit of the lines of its spectrum: ``"Hz"``, or ``"orders"``."""
        return "Hz" if self.over == "time" else "orders"

    def between(self, begin: float, end: float) -> Signal:
        """Return the part from `begin` to `end` [s or turns], both included.

        Raises
        ------
        Fault
            If that has too few samples, or a limit is no number.
        """
        for what, value in (("beginning", begin), ("end", end)):
            if not np.isfinite(value):
                raise Fault(f"{what} of a part of {self.name}", value, "a finite number", "give s or turns")
        first = int(np.ceil((begin - self.start) / self.step - SAME_STEP))
        last = int(np.floor((end - self.start) / self.step + SAME_STEP))
        part = slice(max(first, 0), max(last + 1, 0))
        return replace(
            self,
            values=self.values[part],
            start=self.start + part.start * self.step,
            speed=None if self.speed is None else self.speed[part],
        )


def _row(values: Any, what: str) -> Array:
    found = array_of(values, what)
    if found.ndim != 1:
        raise Fault(f"shape of {what}", found.shape, "that of a row, (n,)", "give one quantity")
    bad = np.flatnonzero(~np.isfinite(found))
    if bad.size:
        remedy = "leave out what is not known, with Signal.interpolated"
        raise Fault(f"value {bad[0]} of {what}", float(found[bad[0]]), "a finite number", remedy)
    large = np.flatnonzero(np.abs(found) > LARGEST)
    if large.size:
        limit = f"between {-LARGEST:g} and {LARGEST:g}"
        raise Fault(f"value {large[0]} of {what}", float(found[large[0]]), limit, "check its unit, or what diverged")
    return found


def _times(time: Any, values: Any, name: str) -> Array:
    t = _row(time, f"times of signal {name}")
    if len(t) != len(np.atleast_1d(np.asarray(values))):
        limit = f"{len(np.atleast_1d(np.asarray(values)))}, as many as values"
        raise Fault(f"number of times of signal {name}", len(t), limit, "give a time for each value")
    if len(t) < LEAST_SAMPLES:
        limit = f"at least {LEAST_SAMPLES}"
        raise Fault(f"samples of signal {name}", len(t), limit, "record longer, or at smaller steps")
    back = np.flatnonzero(np.diff(t) <= 0.0)
    if back.size:
        after = float(t[back[0] + 1])
        raise Fault(f"time of signal {name} [s]", after, f"later than the one before, {t[back[0]]:.9g}", "sort them")
    return t
