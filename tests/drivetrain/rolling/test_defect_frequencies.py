"""A rotor at constant speed in a roller bearing on a flexible seat: what the envelope of its acceleration tells."""

from functools import cache
from math import pi

import numpy as np
import pytest

import alegear as ag
from alegear.signals.envelope import envelope_spectrum
from alegear.signals.signal import Signal
from alegear.signals.spectrum import Spectrum
from alegear.system import BearingLink, PiecewiseCubic, SystemBuilder
from alegear.system.continuation import clearance_continuation
from alegear.system.equilibrium import solve_equilibrium
from alegear.system.motion import SystemMotion
from alegear.system.profiles import PrescribedRotation
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, integrate
from alegear.system.time_integration.second_order_system import start

SPEED = 2.0 * pi * 50.0
STEP, DURATION, SETTLED = 5e-5, 0.15, 0.03
#: Around the resonance of the seat with the rotor (see the test of it), which the impacts excite.
BAND = (1500.0, 6000.0)


def bearing(defects=()) -> ag.RollerBearing:
    return ag.RollerBearing(
        name="b",
        shaft="s",
        at=0.0,
        to="seat",
        count=12,
        diameter=10e-3,
        length=10e-3,
        pitch_diameter=54e-3,
        clearance=-6e-6,  # all rollers are loaded, so that a defect of one strikes all around
        damping=(1500.0, 1500.0, 0.0),
        defects=defects,
    )


@cache
def spectrum_with(on: str | None, speed: float = SPEED) -> Spectrum:
    """Envelope spectrum of the vertical acceleration of the seat."""
    defects = [] if on is None else [ag.BearingDefect(on=on, at=-0.5 * pi, width=1.5e-3, depth=20e-6)]
    builder = SystemBuilder()
    builder.gravity((0.0, -9.81, 0.0))
    shaft = builder.rotor("s@0mm", inertia=1e-2, mass=20.0, tilt_inertia=1e-2)
    seat = builder.rotor("seat", inertia=1.0, mass=2.0, tilt_inertia=1.0)
    steel = {"stiffness": (3e8, 2e8, 2e8, 1e6, 1e6)}
    builder.add(
        BearingLink(name="foot", place="seat", **steel),
        BearingLink(
            name="along", place="s@0mm", stiffness=(0.0, 0.0, 1e8, 1e6, 1e6), damping=(0.0, 0.0, 1e3, 1e2, 1e2)
        ),
    )
    bearing(defects).add_to(builder)
    for place, rate in ((shaft, speed), (seat, 0.0)):
        motion = PrescribedRotation(speed_ramp=PiecewiseCubic.constant(rate), start_angle=0.0)
        builder.prescribe(f"drive of {place.name}", place.rotation, motion)
    model = builder.build()
    data = model.new_data()
    rest = clearance_continuation(model, data, np.zeros(model.n), lambda x: solve_equilibrium(model, data, x=x))
    system = SystemMotion(model)
    up = [one.name for one in model.coordinates].index("seat y")
    accelerations: list[float] = []
    state = start(system, t=0.0, q=system.free_of(rest.x), v=np.zeros(system.n_dof))
    integrate(
        system,
        state,
        DURATION,
        scheme=GeneralizedAlpha(rho_inf=0.8),
        control=FixedStep(h=STEP),
        on_step=lambda now: accelerations.append(float(system.motion(now).a[up])),
    )
    signal = Signal(name="acceleration", units="m/s2", values=np.array(accelerations)[int(SETTLED / STEP) :], step=STEP)
    return envelope_spectrum(signal, BAND)


@pytest.mark.parametrize(
    ("on", "frequency", "speed"),
    [
        pytest.param("outer ring", "outer_race", SPEED, marks=pytest.mark.thorough),
        pytest.param("inner ring", "inner_race", SPEED, marks=pytest.mark.thorough),
        pytest.param("roller", "roller", SPEED, marks=pytest.mark.thorough),
        ("outer ring", "outer_race", -0.8 * SPEED),
    ],
)
def test_a_defect_is_heard_at_its_frequency(on, frequency, speed):
    """The largest line within 6 %, nearer than the next sideband (of the cage), is at the frequency to 0.5 %."""
    expected = bearing().frequencies(speed)[frequency]
    found = spectrum_with(on, speed)
    near = [line for line in found.lines(most=200, least=1e-3) if abs(line.x / expected - 1.0) < 0.06]
    strongest = max(near, key=lambda line: line.amplitude)
    assert strongest.x == pytest.approx(expected, rel=5e-3)
    # it is a line of the defect: a hundred times what a sound bearing has there
    assert strongest.amplitude > 100.0 * spectrum_with(None).at(expected)
