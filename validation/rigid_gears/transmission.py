r"""The transmission of Cardona (1997), section 10.4: shafts that twist, wheels on springs, rigid teeth between.

His numbers are without units and are taken as SI. The small matrix is written here without the package: with the drive
held, displacements y of both wheels across the line of centres, and angles phi_A, phi_B, phi_2 of the wheels and of the
second disk, about the same axis, the teeth ask for

.. math:: r (\varphi_A + \varphi_B) = y_B - y_A

as (y_B - y_A)/d is what the line of centres turns by and d = 2 r. Displacements along the line of centres do not enter:
the radial force follows from the tooth force, and drives them alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig, null_space
from scipy.optimize import least_squares, minimize_scalar

from alegear.drivetrain.spatial import SpatialGear, SpatialMesh
from alegear.system import Scales, SystemBuilder, SystemMotion, solve_equilibrium
from alegear.system.energy import SystemEnergy
from alegear.system.equilibrium import Equilibrium
from alegear.system.linearised import Linearised
from alegear.system.model import SystemModel
from alegear.system.modes import complex_modes
from alegear.system.profiles import PiecewiseCubic, PrescribedRotation
from alegear.system.spatial import Bushing, FloatingBody, PointLoad, planar
from alegear.system.time_integration import FixedStep, GeneralizedAlpha, State, integrate

Array = NDArray[np.float64]

ALPHA, RADIUS = math.radians(20.0), 3.937 / 2.0
SPEED = 12000.0 * 2.0 * math.pi / 60.0  # rad/s
TORQUE, SWING, RATE, JUMP = 945.8, 100.0, 1e4, 1e-3  # N m, N m, rad/s, s
MASS, INERTIA, DISKS = 5.36e-3, 0.0102, (0.051, 0.0102)
SHAFTS, SHAFT_DAMPING = (1.7e4, 3.0e4), (0.07603, 0.1237)
SUPPORT, SUPPORT_DAMPING = 1.477e7, 50.0
TANGENTIAL = TORQUE / RADIUS  # N
ORIGIN, Z = np.zeros(3), np.array([0.0, 0.0, 1.0])
CENTRES = (ORIGIN, np.array([2.0 * RADIUS, 0.0, 0.0]))
WHEELS, DISK_NAMES = ("one", "two"), ("disk one", "disk two")


def steady(t: float) -> float:
    """The torque before it swings [N m]."""
    return TORQUE


def swinging(t: float) -> float:
    """Torque of the second disk [N m], equation 79: it jumps by -54 N m at 1 ms, where sin(10) is not 0."""
    return TORQUE + (SWING * math.sin(RATE * t) if t >= JUMP - 1e-12 else 0.0)


def machine(torque: Callable[[float], float]) -> SystemModel:
    """The transmission; the drive leads the first disk."""
    builder = SystemBuilder(Scales(deflection=1e-4, force=500.0, radius=RADIUS))
    in_plane = np.diag([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    for name, centre in zip(WHEELS, CENTRES, strict=True):
        builder.add(FloatingBody(name=name, mass=MASS, inertia=(INERTIA,) * 3, position=centre))
        builder.add(planar(f"plane {name}", ("ground", name), (centre, ORIGIN), Z))
        support = {"stiffness": SUPPORT * in_plane, "damping": SUPPORT_DAMPING * in_plane}
        builder.add(Bushing(name=f"support {name}", between=("ground", name), points=(centre, ORIGIN), **support))
    about = np.diag([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    for disk, wheel, inertia, centre, k, c in zip(
        DISK_NAMES, WHEELS, DISKS, CENTRES, SHAFTS, SHAFT_DAMPING, strict=True
    ):
        builder.rotor(disk, inertia=inertia, origin=centre)
        builder.add(Bushing(name=f"shaft {wheel}", between=(disk, wheel), stiffness=k * about, damping=c * about))
    first, second = (SpatialGear(name=f"gear {name}", body=name, teeth=25, normal_module=0.15748) for name in WHEELS)
    builder.add(SpatialMesh(name="mesh", gears=(first, second)))
    drive = PrescribedRotation(speed_ramp=PiecewiseCubic.constant(SPEED))
    builder.prescribe("drive", builder.rotation("disk one", "drive"), drive)
    builder.add(PointLoad(name="load", body="disk two", value=lambda t: np.array([0, 0, 0, 0, 0, torque(t)])))
    return builder.build()


def at_rest(model: SystemModel) -> Equilibrium:
    """Where it rests under the steady torque, the first disk held."""
    return solve_equilibrium(model, held={model.index("disk one"): 0.0})


def angle(name: str) -> str:
    """The coordinate that counts the turns of a wheel: the roll of its gear, on centres that hardly move."""
    return f"mesh roll of its {'first' if name == 'one' else 'second'} gear"


# ------------------------------------------------------------------------------------- statics
@dataclass(frozen=True, kw_only=True)
class Statics:
    """Torques of both shafts [N m], tooth force [N], forces of both supports on the wheels, x and y [N]."""

    shafts: tuple[float, float]
    teeth: float
    supports: tuple[tuple[float, float], tuple[float, float]]


def statics() -> Statics:
    """As the package finds them, of the state at rest."""
    model = machine(steady)
    x = at_rest(model)
    value = {name: float(x.x[model.index(name)]) for name in model.names}
    # on wheels that have not turned over, the rotation vector along z is the angle
    twists = [value[disk] - value[f"{wheel} turn z"] for disk, wheel in zip(DISK_NAMES, WHEELS, strict=True)]
    moved = [
        (value[f"{wheel} x"] - centre[0], value[f"{wheel} y"] - centre[1])
        for wheel, centre in zip(WHEELS, CENTRES, strict=True)
    ]
    return Statics(
        shafts=(SHAFTS[0] * twists[0], SHAFTS[1] * twists[1]),
        teeth=abs(float(x.joint_multipliers[_mesh(model)][0])),
        supports=((-SUPPORT * moved[0][0], -SUPPORT * moved[0][1]), (-SUPPORT * moved[1][0], -SUPPORT * moved[1][1])),
    )


def _mesh(model: SystemModel) -> slice:
    names = [one.name for one in model.joints]
    return model.joint_rows.rows[names.index("mesh")]


def statics_by_hand() -> Statics:
    """The torque on the second disk, T/r across the line of centres and T/r tan 20 deg along it.

    It turns the second wheel ahead about z, whose teeth, at -x from its centre, so move to -y and push the first wheel
    there, all along and across the line of centres, which has turned by 2 T/(r k d) = 1.7e-5 rad. Moments of both
    wheels about one centre, 2 T = y (d + 2 u) - 2 w x with displacements (u, w) along the force (x, y), give y = T/r.
    """
    radial, turn = TANGENTIAL * math.tan(ALPHA), TANGENTIAL / (SUPPORT * RADIUS)
    x, y = radial * math.cos(turn) - TANGENTIAL * math.sin(turn), TANGENTIAL
    return Statics(shafts=(TORQUE, TORQUE), teeth=TANGENTIAL / math.cos(ALPHA), supports=((x, y), (-x, -y)))


# --------------------------------------------------------------------------------------- modes
def modes() -> Array:
    """Damped frequencies [rad/s] and decay rates [1/s] of the modes of the package, one a row, by frequency."""
    model = machine(steady)
    rest = at_rest(model)
    found = complex_modes(Linearised.of(model, x=rest.x, multipliers=rest.joint_multipliers)).elastic()
    return np.column_stack([found.frequencies, found.decay_rates])


def modes_by_hand() -> Array:
    """The same from five coordinates and one equation between them, and the two displacements along the centres."""
    M = np.diag([MASS, MASS, INERTIA, INERTIA, DISKS[1]])  # y_A, y_B, phi_A, phi_B, phi_2
    K, C = (_springs(support, shafts) for support, shafts in ((SUPPORT, SHAFTS), (SUPPORT_DAMPING, SHAFT_DAMPING)))
    T = null_space(np.array([[1.0, -1.0, RADIUS, RADIUS, 0.0]]))
    M, K, C = (T.T @ one @ T for one in (M, K, C))
    n = len(M)
    rates = eig(np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]]))[0]
    rates = rates[rates.imag > 0.0]
    decay = 0.5 * SUPPORT_DAMPING / MASS
    radial = [math.sqrt(SUPPORT / MASS - decay**2), decay]
    every = np.vstack([np.column_stack([rates.imag, -rates.real]), radial, radial])
    return np.asarray(every[np.lexsort((every[:, 1], every[:, 0]))])


def _springs(support: float, shafts: tuple[float, float]) -> Array:
    K = np.diag([support, support, shafts[0], 0.0, 0.0])
    K[3:, 3:] += shafts[1] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return K


# -------------------------------------------------------------------------------------- motion
@dataclass(frozen=True, kw_only=True, eq=False)
class Response:
    """What is drawn, at the ends of the steps.

    Attributes
    ----------
    t : shape (n,) [s]
    shafts : shape (n, 2) [N m]
        Torque of each shaft on its wheel.
    teeth : shape (n,) [N]
        Normal force.
    supports : shape (n, 2, 2) [N]
        Of each support on its wheel, horizontal and vertical.
    missing : float
        Energy at the end that the account misses, over what was put in and taken out.
    """

    t: Array
    shafts: Array
    teeth: Array
    supports: Array
    missing: float


def respond(
    torque: Callable[[float], float],
    duration: float,
    step: float,
    rho_inf: float,
    *,
    wrong: float = 0.0,
) -> Response:
    """The motion from the steady state.

    Parameters
    ----------
    torque : callable of t [s]
        Of the second disk [N m].
    duration, step : float [s]
    rho_inf : float
    wrong : float [rad/s2]
        By which the algorithmic acceleration of the second wheel is off at the start, as it is where a scheme starts
        from zero or goes on over a jump of the load.
    """
    model = machine(torque)
    x, v = at_rest(model).x, np.zeros(model.n)
    ahead = ("disk one", "one turn z", angle("one"))
    back = ("disk two", "two turn z", angle("two"))
    v[[model.index(name) for name in ahead]] = SPEED
    v[[model.index(name) for name in back]] = -SPEED
    system = SystemMotion(model)
    state = system.begin(0.0, x, v)
    if wrong:
        a = state.a.copy()
        a[[model.names[k] for k in model.free].index("two turn z")] += wrong
        state = replace(state, a=a, vdot=a)
    energy, mesh = SystemEnergy(), _mesh(model)
    energy.carry_on(system, state)
    at = {name: model.index(name) for name in model.names}
    rows = []

    def on_step(new: State) -> None:
        energy.carry_on(system, new)
        motion = system.motion(new)
        row = [new.t, float(new.multipliers[mesh][0])]
        for disk, wheel, k, c in zip(DISK_NAMES, WHEELS, SHAFTS, SHAFT_DAMPING, strict=True):
            twist = _twist(motion.x, at, disk, wheel, CENTRES)
            rate = float(motion.v[at[disk]] - motion.v[at[f"{wheel} turn z"]])
            row.append(k * twist + c * rate)
        for wheel, centre in zip(WHEELS, CENTRES, strict=True):
            for i, axis in enumerate("xy"):
                moved = float(motion.x[at[f"{wheel} {axis}"]]) - centre[i]
                row.append(-SUPPORT * moved - SUPPORT_DAMPING * float(motion.v[at[f"{wheel} {axis}"]]))
        rows.append(row)

    scheme, control = GeneralizedAlpha(rho_inf=rho_inf), FixedStep(h=step)
    integrate(system, state, duration, scheme=scheme, control=control, on_step=on_step)
    values = np.array(rows)
    through = abs(energy.input) + energy.dissipated + SPEED * TORQUE * duration
    return Response(
        t=values[:, 0],
        teeth=np.abs(values[:, 1]),
        shafts=values[:, 2:4],
        supports=values[:, 4:].reshape(-1, 2, 2),
        missing=abs(energy.missing) / through,
    )


def _twist(x: Array, at: dict[str, int], disk: str, wheel: str, centres: tuple[Array, Array]) -> float:
    """Angle of a disk against its wheel: the rotation vector of the wheel is known up to whole turns."""
    difference = float(x[at[disk]] - x[at[f"{wheel} turn z"]])
    return math.remainder(difference, 2.0 * math.pi)


def first_frequency(response: Response) -> tuple[float, float]:
    """Frequency [rad/s] and decay rate [1/s] of the slowest oscillation of the first shaft's torque.

    Fitted are two damped oscillations and one at the rate of the load, from when those of the supports have died out.
    """
    late = response.t > JUMP + 2e-3
    t, torque = response.t[late] - JUMP, response.shafts[late, 0]

    def basis(p: Array) -> Array:
        columns = [np.ones_like(t), np.cos(RATE * t), np.sin(RATE * t)]
        for omega, decay in p.reshape(2, 2):
            columns += [np.exp(-decay * t) * np.cos(omega * t), np.exp(-decay * t) * np.sin(omega * t)]
        return np.column_stack(columns)

    def left(p: Array) -> Array:
        A = basis(p)
        residual: Array = torque - A @ np.linalg.lstsq(A, torque, rcond=None)[0]
        return residual

    # one guess by the rigid wheels, the other by the second disk against them
    inertia = 2.0 * INERTIA
    guess = [math.sqrt(SHAFTS[0] / (inertia + DISKS[1])), 1.0]
    guess += [math.sqrt(SHAFTS[1] * (1.0 / DISKS[1] + 1.0 / inertia)), 10.0]
    found = least_squares(left, guess, x_scale=np.abs(guess), ftol=1e-14, xtol=1e-14, gtol=1e-14)
    return float(found.x[0]), float(found.x[1])


# ------------------------------------------------------------------------- numerical oscillation
def numerical_oscillation(rho_inf: float, *, step: float = 5e-7) -> Array:
    """What a wrong acceleration at the start changes in the tooth force [N], until rho_inf^n is 1e-5.

    100 N m on the second wheel that its acceleration answers, but nothing else does.
    """
    wrong, steps = SWING / INERTIA, round(math.log(1e-5) / math.log(rho_inf))
    with_it, without = (respond(steady, steps * step, step, rho_inf, wrong=one).teeth for one in (wrong, 0.0))
    return np.asarray(with_it - without)


def decay_of(oscillation: Array, first: int = 1) -> tuple[float, float, Array]:
    """The factor per step by which a numerical oscillation dies out, the part of it that does not fit, and the fit.

    Fitted is (c_0 + c_1 n + c_2 n^2) (-r)^n, a triple root, beside a cubic for what the machine answers.
    """
    n = np.arange(first, len(oscillation)) - first
    e = oscillation[first:]

    def fitted(r: float) -> Array:
        wave = (-r) ** n
        A = np.column_stack([*(wave * n**k for k in range(3)), *((n / len(n)) ** k for k in range(4))])
        return np.asarray(A @ np.linalg.lstsq(A, e, rcond=None)[0])

    def left(r: float) -> float:
        return float(np.linalg.norm(e - fitted(r)) / np.linalg.norm(e))

    tried = np.arange(0.05, 1.0, 0.01)  # there are several minima
    near = float(tried[int(np.argmin([left(float(r)) for r in tried]))])
    around = (near - 0.01, near + 0.01)
    found = minimize_scalar(left, bounds=around, method="bounded", options={"xatol": 1e-10})
    return float(found.x), float(found.fun), fitted(float(found.x))
