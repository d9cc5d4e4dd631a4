"""What a machine asks of its parts besides that they add themselves, with the answers that most of them give."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Protocol

from numpy.typing import ArrayLike

from alegear.errors import Fault
from alegear.geometry.planetary import CENTRAL_GEARS
from alegear.limits import described
from alegear.parameters import NamedPart, parameters_of
from alegear.system.builder import Part
from alegear.system.coordinates import Array, Scales

if TYPE_CHECKING:
    from alegear.geometry.meshing_teeth import MeshingTeeth
    from alegear.geometry.train_kinematics import SpeedRow
    from alegear.system.model import SystemModel

#: Fields of parts that name places, in the order in which results have them; of the first two the places are A and B.
PLACE_FIELDS = (
    "between",
    "gears",
    "pump",
    "turbine",
    *CENTRAL_GEARS,
    "carrier",
    "at",
    "to",
    "housing",
    "shaft",
    "body",
)


class GearInSpace(Protocol):
    """A gear of a body in space."""

    @property
    def name(self) -> str:
        """By which messages and results call it."""

    @property
    def body(self) -> str:
        """The body that it is fixed to."""

    @property
    def normal_module(self) -> float:
        """Normal module [m]."""

    @property
    def n_teeth(self) -> int | None:
        """Number of teeth; None of a rack."""

    @property
    def pitch_radius(self) -> float:
        """Pitch radius [m]; 0 of a rack."""

    @property
    def outline(self) -> Mapping[str, object]:
        """Numbers that pictures draw it by, besides its body and its module."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MachinePart(NamedPart, Part):
    """Base of the parts of a machine: bodies, what joins them, and what drives and loads them.

    A part defines ``add_to``. All else has a default: that of a part which joins others without teeth. A machine asks
    for nothing that is not declared here or in :class:`~alegear.system.builder.Part`.

    Attributes
    ----------
    in_space : bool
        Whether it belongs to bodies that move and turn freely in space.
    is_load : bool
        Whether it exerts torques and couples nothing: it loads a train as drives and loads do.
    prescribes_motion : bool
        Whether it prescribes the motion of its place.
    is_clutch : bool
        Whether it holds its places for a time only: a clutch, a brake, a freewheel.
    disengages : bool
        Whether what has a ``coupled_ratio`` may be open, :meth:`open_at`.
    """

    in_space: ClassVar[bool] = False
    is_load: ClassVar[bool] = False
    prescribes_motion: ClassVar[bool] = False
    is_clutch: ClassVar[bool] = False
    disengages: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check what is declared, and that its places are different ones; parts with rules of their own add them."""
        super().__post_init__()
        for parameter in parameters_of(type(self)):
            if parameter.kind == tuple[str, str]:
                both = check_places(self.label, getattr(self, parameter.name), 2)
                object.__setattr__(self, parameter.name, both)
        own = tuple(self._own_places.values())
        check_places(self.label, own, len(own))

    @property
    def bodies(self) -> tuple[MachinePart, ...]:
        """Bodies of its own, of one that connects others: a builder adds them before. Default: none."""
        return ()

    @property
    def of_motions_alone(self) -> str:
        """Key of what it has that acts in motions alone, as an unbalance; default: nothing, empty."""
        return ""

    # -------------------------------------------------- places and what couples
    @property
    def places(self) -> dict[str, str]:
        """Places that it connects, by what they are to it: "A", "sun", "at" ...

        By default of its fields that are named as in :data:`PLACE_FIELDS`.
        """
        return self._own_places

    @property
    def _own_places(self) -> dict[str, str]:
        own = {field.name for field in fields(self)}
        return _places({role: getattr(self, role) for role in PLACE_FIELDS if role in own})

    @property
    def coupled_ratio(self) -> float | None:
        """Speed of its place B over that of A while it holds them; None, by default: it couples no two places."""
        return None

    def open_at(self, t: float) -> bool:
        """Whether it may not hold its places at t [s], of one that ``disengages``."""
        return False

    def ratios_while(self, standing: Collection[str]) -> Mapping[str, float]:
        """Speeds of all its places over that of the first while some shafts stand, of one that couples several."""
        return {}

    @property
    def speed_rows(self) -> Sequence[SpeedRow] | None:
        """Rows over the speeds of what it couples while nothing gives way; None, by default: that of its ratio."""
        return None

    # ------------------------------------------------------------------ teeth
    @property
    def elastic(self) -> bool:
        """Whether it is a planetary set every planet of which is a body of its own."""
        return False

    @property
    def planet_rows(self) -> list[list[str]]:
        """Names of the planets of a planetary set, by row; none of other parts."""
        return []

    @property
    def uses_generalized_alpha(self) -> bool:
        """Whether motions are taken in steps of the generalized-alpha method: its teeth touch one by one."""
        return False

    @property
    def has_tooth_friction(self) -> bool:
        """Whether it has a friction of teeth that equilibria leave out."""
        return False

    @property
    def has_pin_errors(self) -> bool:
        """Whether its planets stand off their places: equilibria are followed from perfect ones."""
        return False

    def with_pin_errors(self, share: float) -> MachinePart:
        """The part with this fraction of the errors of its pins."""
        return self

    @property
    def tooth_meshes(self) -> tuple[MeshingTeeth, ...]:
        """Which teeth meet in it."""
        return ()

    @property
    def gears_in_space(self) -> tuple[GearInSpace, ...]:
        """Gears of bodies in space that mesh in it."""
        return ()

    # ------------------------------------------------------------------ forms
    def in_statics(self, sense: float = 1.0) -> MachinePart:
        """The part as it is in equilibria, with torques that turn a set counterclockwise (1) or clockwise (-1)."""
        return self

    def on_springs(self, sense: float = 1.0) -> MachinePart:
        """The part with teeth that do not part, for first guesses of equilibria and for modes without load."""
        return self

    def linearised(self, model: SystemModel, x: Array, *, bonded: bool = False) -> MachinePart:
        """The part as it vibrates a little about states x (m, n) of a system with it."""
        return self

    # ------------------------------------------------------------------ sizes
    def scales_under(self, torques: Mapping[str, float]) -> list[Scales]:
        """What is typical of it under torques [N m] by body, where it knows."""
        return []

    def idle_scales(self) -> list[Scales]:
        """What is typical of it where nothing is known to load it."""
        return []

    def largest_force(self, length: float) -> float:
        """About how large the force that it exerts from outside is [N], in a machine of this size [m]."""
        return 0.0

    # ------------------------------------------------------------------ times
    @property
    def corners(self) -> tuple[float, ...]:
        """Times at which what it is given has corners: steps end there [s]."""
        return ()

    @property
    def of_motion(self) -> tuple[tuple[str, float], ...]:
        """Parameters in words, with their values, that have an effect only while something moves."""
        return ()

    # ------------------------------------------------------------------ words
    @property
    def type_name(self) -> str:
        """What it is, in the singular of its heading in a file: "clutch", "planetary_ratio"."""
        if not self.TABLE:
            return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()
        return self.TABLE.removesuffix("es") if self.TABLE.endswith(("ches", "shes")) else self.TABLE.removesuffix("s")

    @property
    def joint_kind(self) -> str:
        """Which joint in space it is; empty of other parts."""
        return ""

    @property
    def fixed_points(self) -> tuple[tuple[str, ArrayLike], ...]:
        """Bodies in space, or the ground, and points of space [m] at which it is fixed to each, for pictures."""
        return ()

    @property
    def facts(self) -> Mapping[str, float | list[float]]:
        """What a check prints of it besides its parameters, by key."""
        return {}

    @property
    def warnings(self) -> list[str]:
        """What is known of it before anything is computed."""
        return []


def _places(given: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for role, place in given.items():
        if isinstance(place, str):
            found[role] = place
        elif isinstance(place, tuple) and all(isinstance(one, str) for one in place):
            roles = ("A", "B") if role in ("between", "gears") else [f"{role} {i + 1}" for i in range(len(place))]
            found |= dict(zip(roles, place, strict=True))
    return found


def check_places(what: str, places: object, count: int) -> tuple[str, ...]:
    """Refuse what is not `count` different names of places."""
    if not isinstance(places, tuple | list) or len(places) != count or not all(isinstance(one, str) for one in places):
        raise Fault(f"shafts of {what}", described(places), f"{count} names", "name rotors, shafts or ground")
    if len(set(places)) < count:
        raise Fault(f"shafts of {what}", ", ".join(places), "different ones", "name another")
    return tuple(places)


def check_part(value: object, where: str, kind: type[NamedPart] = MachinePart) -> None:
    """Refuse what is no part of a machine of a kind; `where` names it."""
    if not isinstance(value, kind):
        limit = "a part, of a class that is derived from alegear.system.MachinePart"
        raise Fault(where, described(value), limit, "give such a part, as ag.Rotor1D is, or derive its class")


def check_named(part: NamedPart, where: str) -> None:
    """Refuse a part without a name; `where` names what it is given to."""
    if not part.name:
        raise Fault(f"name of a {type(part).__name__} ({where})", "not given", "given", 'write name="..."')
