"""A gear mesh with elastic teeth, backlash and the friction of the teeth, between places that only turn."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar

import numpy as np

from alegear.drivetrain.displaced_mesh import DisplacedMesh
from alegear.drivetrain.gear_mesh import SEAT
from alegear.drivetrain.mesh_coordinates import gear_rows
from alegear.drivetrain.place_names import shaft_of
from alegear.drivetrain.planar import planar_kernels as kernels
from alegear.drivetrain.planar.averages import MeshAverages
from alegear.drivetrain.planar.friction import MeshFriction
from alegear.drivetrain.planar.pitch_circles import PitchCircles
from alegear.drivetrain.planar.springs import LinearSpring, MeshSpring
from alegear.drivetrain.rotational import element_law_kernels as laws
from alegear.drivetrain.rotational.places import rotation_weights
from alegear.drivetrain.rotational.planet_meshes import BONDED, FREE, SEAT_NAME, MeshSeat
from alegear.drivetrain.rotational.speed_relations import DENOMINATOR, speed_row
from alegear.drivetrain.rotational.torsional_element import TorsionalElement
from alegear.errors import Fault
from alegear.geometry.meshing_teeth import MeshingTeeth
from alegear.geometry.train_kinematics import SpeedRow
from alegear.limits import Limits, check_kind, check_type, described
from alegear.parameters import Words
from alegear.system.builder import GROUND, SystemBuilder
from alegear.system.coordinates import Array, Indices
from alegear.system.machine_part import MachinePart
from alegear.system.ode_terms import OdeTerms
from alegear.system.switches import AHEAD, BACK, LINES_SHAPE, FrictionLaw

#: Both flanks: those with which A drives counterclockwise, and the others.
FLANKS = (1.0, -1.0)
#: A mesh that begins to slide [m/s]: its coefficient of friction may depend on the sense.
FIRST_SPEED = 1e-300
#: Part by which the ratio of teeth may differ from that of the pitch radii: what drawings print.
SAME_RATIO = 1e-6
#: Angle [rad] below which an overlap is none: the round-off of angles of a few turns.
TOUCH = 2.0**-46


@dataclass(frozen=True, kw_only=True, eq=False)
class ElasticMesh(MachinePart):
    """A mesh of two gears on shafts that only turn, its centres held by a carrier that may turn as well.

    With the angles against the carrier, positive counterclockwise for both gears,

        u = u_0 + l_A phi_A + l_B phi_B,   x_mesh = (r_A phi_A - r_B phi_B)/2,   F_n = N(u) - N(-u)
        tau_A = -l_A F_n + d_tauA friction,   tau_B = -l_B F_n + d_tauB friction,   tau_carrier = -(tau_A + tau_B)

    with friction the signed force of friction and d_tauA, d_tauB its levers. It acts against the mean speed of sliding,
    v_sliding = -(d_tauA omega_A + d_tauB omega_B): it is mu (N(u) + N(-u)) by magnitude while this is not zero, and up
    to mu_0 (N(u) + N(-u)) while it is. The switch of the friction has the rate v_sliding/(d_P (1 + r_A/r_B)), which is
    omega_A against the carrier while the gears roll, and the friction torque belongs to it. Where the stiffness depends
    on the mesh position, the force ``-E kappa'/kappa`` along x_mesh belongs to the energy E that is stored.

    There are three levels: ``"ideal"``, without spring and friction, a constraint; ``"elastic"``, with a spring;
    ``"lossy-elastic"``, with both.

    Parameters
    ----------
    averages : PitchCircles
        Geometry; with friction MeshAverages, which have the path of contact.
    spring : MeshSpring or None
    friction : MeshFriction or None
    teeth : (int, int), optional
        Of A and B, those of a ring negative; for the orders of the mesh in spectra. None: by its radii alone.

    Raises
    ------
    Fault
        Also for friction without a spring: the normal force is that of the spring; and for teeth in another ratio than
        the pitch radii.

    Notes
    -----
    Source: van der Linden (2015), formulas 1 to 11 and table 2. Signs, and where it differs: theory, planar mesh.

    Examples
    --------
    >>> from alegear.drivetrain.planar import LinearSpring
    >>> mesh = MeshAverages.from_radii(r_A=10e-3, r_B=30e-3, r_aA=11e-3, r_aB=31e-3, alpha=0.34907)
    >>> spring = LinearSpring(c=2e8)
    >>> ElasticMesh(name="mesh", gears=("motor", "flap"), averages=mesh, spring=spring).level
    'elastic'
    """

    TABLE: ClassVar[str] = "elastic_meshes"

    gears: Annotated[tuple[str, str], Words("names of the rotors or shafts that gears A and B are on")]
    averages: PitchCircles
    spring: MeshSpring | None = None
    friction: MeshFriction | None = None
    carrier: Annotated[str, Words("what holds both centres")] = GROUND
    offset: Annotated[
        float,
        Limits(
            quantity="overlap at angles of 0",
            words="overlap of the flanks at angles of 0",
            unit="um",
            least=-1e6,
            most=1e6,
        ),
    ] = 0.0
    teeth: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_type(self, "averages", PitchCircles if self.friction is None else MeshAverages)
        self._check_teeth()
        if self.spring is None and self.offset:
            remedy = "give a spring, or leave it out"
            raise Fault(f"overlap of mesh {self.label} at angles of 0", self.offset, "0 without a spring", remedy)
        check_kind(self.spring, f"spring of mesh {self.label}", MeshSpring, optional=True)
        check_kind(self.friction, f"friction of mesh {self.label}", MeshFriction, optional=True)
        if self.friction is None:
            return
        if self.spring is None:
            remedy = "give a spring, or use a RatioGear with losses"
            raise Fault(f"friction of mesh {self.label}", type(self.friction).__name__, "none without a spring", remedy)
        first_sliding = min(self.friction.mu(v, F) for v in (FIRST_SPEED, -FIRST_SPEED) for F in FLANKS)
        if self.friction.mu_static() > 0.0 and not first_sliding > 0.0:
            limit = "above 0 where that at rest is, else it would never stick again"
            remedy = "give a small one, or 0 at rest as well"
            raise Fault(f"coefficient of friction of mesh {self.label} as it begins to slide", 0, limit, remedy)

    def _check_teeth(self) -> None:
        if self.teeth is None:
            return
        given = self.teeth
        if not isinstance(given, tuple) or len(given) != 2 or not all(type(z) is int and z for z in given):
            limit = "two whole numbers, not 0, in a tuple, or None"
            raise Fault(f"teeth of mesh {self.label}", described(given), limit, "give those of A and B")
        ratio = self.averages.r_B / self.averages.r_A
        if abs(given[1] / given[0] - ratio) > SAME_RATIO * abs(ratio):
            limit = f"{ratio:.9g}, that of the pitch radii"
            remedy = "correct teeth, or the radii"
            raise Fault(f"ratio of the teeth of mesh {self.label}", float(f"{given[1] / given[0]:.9g}"), limit, remedy)

    @property
    def level(self) -> str:
        """How the mesh is modelled: "ideal", "elastic" or "lossy-elastic"."""
        if self.spring is None:
            return "ideal"
        return "elastic" if self.friction is None else "lossy-elastic"

    @property
    def ratio(self) -> float:
        """omega_A/omega_B against the carrier: -r_B/r_A."""
        return -self.averages.r_B / self.averages.r_A

    @property
    def tooth_meshes(self) -> tuple[MeshingTeeth, ...]:
        """Which teeth meet, where their numbers are given."""
        if self.teeth is None:
            return ()
        shafts = (shaft_of(self.gears[0]), shaft_of(self.gears[1]))
        carrier = shaft_of(self.carrier)
        return (MeshingTeeth(self.name, shafts, self.teeth, carrier, planets=int(carrier != GROUND)),)

    @property
    def speed_rows(self) -> tuple[SpeedRow, ...]:
        """Its ratio, as a row over the speeds of gears that roll."""
        ratio = Fraction(self.ratio).limit_denominator(DENOMINATOR)
        weights = {self.gears[0]: Fraction(1), self.carrier: ratio - 1, self.gears[1]: -ratio}
        return (speed_row(self.name, weights),)

    def overlap(self, phi_A: Array, phi_B: Array, phi_carrier: Array | float = 0.0) -> Array:
        """Overlap u of the flanks [m] with which A drives counterclockwise, as without backlash.

        Parameters
        ----------
        phi_A, phi_B, phi_carrier : shape (m,) [rad]
        """
        mesh = self.averages
        return np.asarray(self.offset + mesh.l_A * (phi_A - phi_carrier) + mesh.l_B * (phi_B - phi_carrier))

    def add_to(self, builder: SystemBuilder) -> None:
        """Add the constraint, or the element of the normal forces and the switch of the friction."""
        mesh = self.averages
        if self.spring is None:
            weights = {self.gears[0]: 1.0, self.carrier: self.ratio - 1.0, self.gears[1]: -self.ratio}
            builder.constrain(self.name, rotation_weights(builder, self.name, weights))
            return
        along = self._against_carrier(builder, mesh.l_A, mesh.l_B)
        through = self._against_carrier(builder, 0.5 * mesh.r_A, -0.5 * mesh.r_B)
        element = MeshElement(name=self.name, spring=self.spring, along=along, through=through, offset=self.offset)
        builder.element(element)
        if self.friction is None:
            return
        assert isinstance(mesh, MeshAverages)
        lever = mesh.sliding * mesh.r_A
        switch = f"{self.name} friction"
        law = MeshFrictionLaw(element=element, friction=self.friction, rolling=mesh.r_A, lever=lever)
        rate = self._against_carrier(builder, -mesh.d_tauA / lever, -mesh.d_tauB / lever)
        builder.switch(switch, rate=rate, law=law)
        builder.owns(self.name, switch)

    def add_in_frame(self, builder: SystemBuilder, seat: MeshSeat) -> None:
        """Add both flanks in the frame of the carrier, which push only, perhaps with what seats them; or bonded ones.

        The rotations have the axial displacement of helical teeth in them, at the pitch point.
        """
        assert self.spring is not None
        mesh, centres, axes = self.averages, seat.centres, seat.axes(self.averages.a)
        pitch_point = centres[0] + mesh.r_A * axes[0]
        at, rows, plain = gear_rows(seat.gears, centres, pitch_point, axes, (mesh.l_A, mesh.l_B), seat.beta_b)
        bonded: dict[str, Any] = {"averages": mesh, "at": at, "rows": rows, "side": seat.side, "offset": self.offset}
        if seat.contact == BONDED:
            builder.element(BondedMesh(name=self.name, spring=self.spring, **bonded))
            return
        through = 0.5 * (mesh.r_A * plain[kernels.PHI_A] - mesh.r_B * plain[kernels.PHI_B])
        given: dict[str, Any] = {"averages": mesh, "coordinates": at, "rows": rows, "through": through}
        builder.element(DisplacedMesh(name=self.name, spring=self.spring, offset=self.offset, **given))
        if seat.contact != FREE:
            weak = LinearSpring(c=SEAT * self.spring.c, backlash=self.spring.backlash)
            builder.element(BondedMesh(name=f"{self.name} {SEAT_NAME}", spring=weak, **bonded))

    def _against_carrier(self, builder: SystemBuilder, of_A: float, of_B: float) -> dict[int, float]:
        """Weights of the rotations of both gears against the carrier."""
        (a, b), c = self.gears, self.carrier
        return rotation_weights(builder, self.name, {a: of_A, b: of_B, c: -(of_A + of_B)})


class MeshElement(TorsionalElement):
    """Normal forces of both flanks of a mesh, and the force along the mesh position of a factor over it.

    Parameters
    ----------
    name : str
    spring : MeshSpring
    along, through : mapping of int to float [m]
        Weights of the rotations in the overlap u and in the mesh position x_mesh.
    offset : float [m]
        Overlap u where all coordinates are zero.

    Attributes
    ----------
    touch : float [m]
        Overlap that is none: flanks at rest without a load touch.
    """

    def __init__(
        self,
        *,
        name: str,
        spring: MeshSpring,
        along: dict[int, float],
        through: dict[int, float],
        offset: float = 0.0,
    ) -> None:
        self.spring, self.offset = spring, offset
        self.touch = TOUCH * max(map(abs, along.values()), default=0.0)
        own, factor = spring.numbers.tolist(), spring.factor_table.tolist()
        numbers = [float(len(own)), float(len(factor)), offset, self.touch, *own, *factor]
        super().__init__(name=name, kind="mesh", numbers=numbers, rows=(along, through), n_corners=2)

    @property
    def through(self) -> Array:
        """Row (n_e,) of the mesh position."""
        row: Array = self.rows[1]
        return row

    def flanks(self, x: Array, v: Array) -> tuple[float, float]:
        """Forces N [N] of both flanks at its own coordinates and velocities."""
        (y, x_mesh), rate = self.rows @ x, float(self.rows[0] @ v)
        ahead, back = laws.flanks_of_mesh(self.numbers, 0, y, rate, x_mesh)
        return float(ahead), float(back)

    def side_forces(self, x: Array, v: Array) -> Array:
        """Forces (2, m) [N] of both flanks in states x, v (m, n_e) of its own."""
        return np.array([self.flanks(*state) for state in zip(x, v, strict=True)]).reshape(-1, 2).T

    def stiffness(self, x: Array, v: Array) -> float:
        """Slope of the normal forces over the deformation, of both flanks together [N/m]."""
        return -float(self.on_rows(x, v).by_y[0, 0])

    def kernel_terms(self, n: int) -> dict[str, Any] | None:
        """What it is to compiled motions: a mesh on its overlap, and on the mesh position."""
        return self.by_address()


class BondedMesh(TorsionalElement):
    """The flanks of one side as they begin to carry, which pull as well: N = c p_s + d delta_s' at the nominal line.

    With the kinematics of :class:`~alegear.drivetrain.displaced_mesh.DisplacedMesh` linear in y, its normal force where
    both centres are at their nominal places and no other flank carries: a first guess of equilibria, and what vibrates
    about them.

    Parameters
    ----------
    name : str
    averages : PitchCircles
        Of the nominal distance.
    spring : MeshSpring
        Factors over the mesh position are left out.
    at : shape (n_e,)
        Coordinates.
    rows : shape (6, n_e)
        Rotations and displacements of both gears.
    side : float
        1: the flanks with which the first gear drives about +z of the mesh, -1: the others.
    offset : float [m]
        Overlap of the first flanks at zero, as without backlash.
    """

    def __init__(
        self,
        *,
        name: str,
        averages: PitchCircles,
        spring: MeshSpring,
        at: Indices,
        rows: Array,
        side: float,
        offset: float = 0.0,
    ) -> None:
        self.side = side
        parting = rows.T @ averages.normal_direction(side)  # less the row of the deformation
        numbers = (spring.c, spring.damping, 0.0, side * offset - 0.5 * spring.backlash)
        weights = dict(zip(at.tolist(), parting.tolist(), strict=True))
        super().__init__(name=name, kind="spring", numbers=numbers, rows=[weights])

    def side_forces(self, x: Array, v: Array) -> Array:
        """Forces (2, ...) [N] of the flanks with which A drives counterclockwise, and of the others, by states."""
        c, d, _, overlap = self.numbers
        N = c * (overlap - x @ self.rows[0]) - d * (v @ self.rows[0])
        return np.array([N, np.zeros_like(N)] if self.side > 0.0 else [np.zeros_like(N), N])


@dataclass(frozen=True, kw_only=True, eq=False)
class MeshFrictionLaw(FrictionLaw):
    """Bounds of the friction torque of a mesh: |lever| mu N, of both flanks together.

    Parameters
    ----------
    element : MeshElement or DisplacedMesh
        Normal forces.
    friction : MeshFriction
    rolling : float [m]
        v_mesh over the rate, while the gears roll.
    lever : float [m]
        v_sliding over the rate; of helical teeth over cos beta_b, by which the normal force is larger than N.
    """

    element: MeshElement | DisplacedMesh
    friction: MeshFriction
    rolling: float
    lever: float

    def lines(self, t: float, rate: float, x: Array, v: Array) -> Array:
        """The same line twice, without a slope: with the coefficient of sliding."""
        v_mesh, lines = self.rolling * max(rate, FIRST_SPEED), np.zeros(LINES_SHAPE)
        for side, sense in ((AHEAD, 1.0), (BACK, -1.0)):
            for s, N in self._loads(x, v):
                mu = kernels.friction_coefficient(self.friction.numbers, sense * v_mesh, s * N)
                lines[side, :, 0] += abs(self.lever) * self._factor(x) * mu * N
        return lines

    def lines_at_rest(self, t: float, x: Array, v: Array) -> Array:
        """The same line four times, without a slope: with the coefficient at rest."""
        lines = np.zeros(LINES_SHAPE)
        load = sum(N for _, N in self._loads(x, v))
        lines[:, :, 0] = abs(self.lever) * self._factor(x) * self.friction.numbers[kernels.MU_0] * load
        return lines

    def _loads(self, x: Array, v: Array) -> list[tuple[float, float]]:
        """Sides and forces of the flanks that push."""
        at = self.element.coordinates
        return [(s, N) for s, N in zip(FLANKS, self.element.flanks(x[at], v[at]), strict=True) if N > 0.0]

    def _factor(self, x: Array) -> float:
        x_mesh = float(self.element.through @ x[self.element.coordinates])
        return float(kernels.periodic_factor(self.friction.factor_table, x_mesh)[0])

    def ode_terms(self) -> OdeTerms | None:
        """Lengths of law and factor, v_mesh and v_sliding over the rate, law, factor; the mesh's numbers come first."""
        own = self.element.ode_terms()
        if own is None:
            return None
        law, factor = self.friction.numbers.tolist(), self.friction.factor_table.tolist()
        numbers = [float(len(law)), float(len(factor)), self.rolling, self.lever, *law, *factor]
        return OdeTerms(kind="mesh friction", numbers=numbers, rows=own.rows, element=self.element.name)
