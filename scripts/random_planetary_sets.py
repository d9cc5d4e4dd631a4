"""Planetary sets as they are built, drawn from a seed: each runs, or is refused with a remedy that makes it run.

Tooth numbers of real sets with profile shifts, a centre distance or none, tips, helix, three to six planets, a sun that
floats; rigid, lossy, on springs (with friction or without) and on Hertz teeth; from a file and from Python. What is
refused is corrected by the number that the message says, as a user would paste it, until it runs. Of each that runs
the centre distance is compared with the closed form, torques with those of Willis, forces of the teeth with the torque
of the sun, and shares of a symmetric set with each other.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from math import acos, cos, radians, tan
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq

import alegear as ag
from alegear.drivetrain.laws import law_of
from alegear.drivetrain.planar import LinearSpring
from alegear.drivetrain.rotational.planet_pairs import PlanetPair
from alegear.drivetrain.rotational.planet_springs import PlanetMesh
from alegear.errors import Fault
from alegear.geometry import Gear, GearPair, InternalGear
from alegear.geometry.pair_geometry import PairNames
from alegear.geometry.planetary_teeth import PlanetaryTeeth

FIDELITIES = ("teeth", "elastic", "elastic, friction", "lossy", "rigid")
MODULES = (0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0, 21.0)
MOST_REMEDIES = 8
#: What a message of Python calls a key of a file.
OF_PYTHON = {"a_w": "center_distance_mm", "n_planets": "planets", "pin_angles": "pin_positions_deg"}
#: A number that a remedy says for a key: ``ring_gear.profile_shift = 0.2413``, ``lower tip_alteration_factor to -0.1``.
SAID = re.compile(
    r"([A-Za-z_]+(?:\.[a-z_]+)?)(?: of the (sun|planet|ring))? (=|to|below) (\[[-\d., ]+\]|\{[^}]*\}|-?\d+(?:\.\d+)?)"
)

Description = dict[str, Any]


# ------------------------------------------------------------------------------------------------ what is drawn
def random_set(random_: random.Random, number: int) -> Description:
    """Keys of ``[planetary.set]`` as a file has them, with ``"case"``: how it is run."""
    fidelity = FIDELITIES[number % len(FIDELITIES)]
    planets = random_.choice((3, 3, 3, 4, 4, 5, 6))
    sun, planet, ring = _teeth(random_, planets)
    module, beta = random_.choice(MODULES), random_.choice((0.0, 0.0, 0.0, 8.0, 15.0, 22.5, 28.0))
    made: Description = {
        "case": {
            "fidelity": fidelity,
            "python": random_.random() < 0.3 and fidelity in ("teeth", "elastic"),
            "floating": random_.random() < 0.3 and fidelity in ("teeth", "elastic"),
        },
        "sun_teeth": sun,
        "planet_teeth": planet,
        "ring_teeth": ring,
        "planets": planets,
        "normal_module_mm": module,
        "helix_angle_deg": beta,
    }
    a_0 = 0.5 * module * (sun + planet) / cos(radians(beta))
    a_r = 0.5 * module * (ring - planet) / cos(radians(beta))
    kind = random_.choice(("plain", "shifts", "shifts", "shifts and distance", "distance", "solved", "a slip"))
    if sun + 2 * planet != ring and kind == "plain":
        kind = "shifts"
    a_w = None
    if kind != "plain":
        # between both reference distances, and a little wider as most sets are
        a_w = round(random_.uniform(min(a_0, a_r), max(a_0, a_r)) + random_.uniform(0.0, 0.25) * module, 2)
    shifts = {} if a_w is None else _shifts(random_, made, a_w, decimals=random_.choice((3, 4)))
    if kind == "a slip":
        shifts["ring"] = random_.choice((-shifts["ring"], round(shifts["ring"] + 0.1, 4)))
    if kind == "solved":
        shifts["ring"] = None
    if kind in ("shifts and distance", "distance") or (kind == "a slip" and random_.random() < 0.5):
        made["center_distance_mm"] = a_w
    if kind == "distance" and fidelity != "teeth":
        shifts = {}
    _give_gears(random_, made, shifts, fidelity)
    return made


def _teeth(random_: random.Random, planets: int) -> tuple[int, int, int]:
    """Teeth of sun, planet and ring; most can be mounted, and of most the planets do not touch."""
    for _ in range(1000):
        sun, planet = random_.randint(14, 40), random_.randint(14, 42)
        ring = sun + 2 * planet + random_.choice((0, 0, 0, 1, 1, 2, -1))
        room = (sun + planet) * np.sin(np.pi / planets) > planet + 2.5
        if ((sun + ring) % planets == 0 or random_.random() < 0.03) and (room or random_.random() < 0.03):
            break
    return sun, planet, ring


def _shifts(random_: random.Random, made: Description, a_w: float, decimals: int) -> dict[str, float | None]:
    """Profile shifts that a drawing would print for a centre distance [mm]."""
    z_s, z_p, z_r = made["sun_teeth"], made["planet_teeth"], made["ring_teeth"]
    with_sun, with_ring = (shift_sum(made, z, a_w) for z in (z_s + z_p, z_p - z_r))
    x_p = round(random_.uniform(0.2, 0.6) * with_sun if with_sun > 0.0 else 0.5 * with_sun, decimals)
    return {"sun": round(with_sun - x_p, decimals), "planet": x_p, "ring": round(with_ring - x_p, decimals)}


def shift_sum(made: Description, z: int, a_w: float) -> float:
    """Sum of profile shifts of a centre distance [mm], by the formula of the text books."""
    beta, alpha_n = radians(made["helix_angle_deg"]), radians(20.0)
    alpha_t = np.arctan(tan(alpha_n) / cos(beta))
    alpha_w = acos(0.5 * made["normal_module_mm"] * abs(z) / cos(beta) * cos(alpha_t) / a_w)
    return float((tan(alpha_w) - alpha_w - tan(alpha_t) + alpha_t) * z / (2.0 * tan(alpha_n)))


def _give_gears(random_: random.Random, made: Description, shifts: dict[str, float | None], fidelity: str) -> None:
    """Shifts, tips, gears and meshes as the fidelity has them."""
    module, beta = made["normal_module_mm"], radians(made["helix_angle_deg"])
    if fidelity == "teeth":
        made["torque_Nm"] = round(0.05 * module**3 * made["sun_teeth"], 6)
        for gear in ("sun", "planet", "ring"):
            width = {"face_width_mm": 10.0 * module}
            teeth = made[f"{gear}_teeth"]
            own: Description = {**width, "profile_shift": shifts.get(gear, 0.0)}
            if own["profile_shift"] is None:
                own["profile_shift"] = "from centre distance"
            if gear == "ring":
                own["rim_diameter_mm"] = round((teeth / cos(beta) + 8.0) * module, 3)
                own["tip_alteration_factor"] = random_.choice((0.0, -0.1, -0.2))
                if random_.random() < 0.2:
                    own["root_fillet_radius_mm"] = round(0.3 * module, 4)
            else:
                own["bore_diameter_mm"] = round(0.4 * teeth * module, 3)
                own["tip_alteration_factor"] = random_.choice((0.0, -0.05))
                if random_.random() < 0.5:
                    own["tooth_thickness_allowance_um"] = round(10.0 * module, 3)
            made[f"{gear}_gear"] = own
        return
    known = {gear: x for gear, x in shifts.items() if x is not None}
    if known and (random_.random() < 0.7 or "center_distance_mm" not in made):
        made["profile_shifts"] = known
    if random_.random() < 0.3:
        r = 0.5 * made["planet_teeth"] * module / cos(beta) + (known.get("planet", 0.0) + 0.95) * module
        made["tip_diameters_mm"] = {"planet": round(2.0 * r, 3)}
    if fidelity.startswith("elastic"):
        # bodies of steel by the size of the teeth
        made["planet_inertia_kg_m2"] = 1e-11 * module**5 * made["planet_teeth"] ** 4
        for mesh in ("sun", "ring"):
            own = {"stiffness_N_per_m": 1.4e8 * module, "backlash_um": 40.0 * module, "damping_Ns_per_m": 1e3 * module}
            if fidelity == "elastic, friction":
                own |= {"backlash_um": 0.0}
                own |= {"friction": "coulomb", "mu": 0.05}
            elif random_.random() < 0.3:
                own["stiffness_factor"] = [1.0, 0.8, 0.9]
            made[f"{mesh}_mesh"] = own


# --------------------------------------------------------------------------------------------- how it is written
def file_of(made: Description) -> str:
    """The case file."""
    how = made["case"]
    set_ = {"sun": "sun", "ring": "ground", "carrier": "carrier", "fidelity": how["fidelity"].split(",")[0]}
    load = 0.05 * made["normal_module_mm"] ** 3 * (made["sun_teeth"] + made["ring_teeth"])
    if how["fidelity"] == "lossy":
        set_["losses"] = [[0.0, 0.98, 0.98, 0.0, 0.0]]
    static = how["fidelity"] in ("teeth", "elastic")
    if static:
        set_ |= {"sun": "sun@0mm", "carrier": "carrier@0mm"}
        lines = ["[machine]", '[shafts.carrier]\nfixed_axis = true\n[drives.motor]\nshaft = "sun"\nspeed_rpm = 100.0']
        lines += [f'[loads.out]\nshaft = "carrier"\ntorque_Nm = {load!r}']
        lines += [_floating(made) if how["floating"] else "[shafts.sun]\nfixed_axis = true"]
        lines += ['[analysis]\nkind = "static"\npositions_per_pitch = 4']
    else:
        lines = ["[machine]", "[rotors.sun]\ninertia_kg_m2 = 1.0\n[rotors.carrier]\ninertia_kg_m2 = 10.0"]
        lines += ['[torques.drive]\nat = "sun"\ntorque_Nm = 1.0', '[analysis]\nkind = "dynamic"\nduration_s = 0.05']
    given = {key: value for key, value in made.items() if key != "case"} | set_
    lines += ["[planetary.set]", *(f"{key} = {_toml(value)}" for key, value in given.items())]
    return "\n".join(lines) + "\n"


def _floating(made: Description) -> str:
    """A sun that only an axial bearing holds, against tilting too."""
    stiffness = 1e8 * made["normal_module_mm"]
    return (
        "[shafts.sun]\nrigid = true\n"
        '[disks.sun_body]\nshaft = "sun"\nmass_kg = 1.0\ninertia_kg_m2 = 1e-3\ntilt_inertia_kg_m2 = 1e-3\n'
        f'[bearings.sun_axial]\nshaft = "sun"\nat_mm = 0\nstiffness_N_per_m = [0, 0, {stiffness}]\n'
        f"tilt_stiffness_Nm_per_rad = [{stiffness}, {stiffness}]"
    )


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def case_from_python(made: Description) -> ag.MachineCase:
    """The same machine, its set made of objects.

    Raises
    ------
    Fault
    """
    module, beta = 1e-3 * made["normal_module_mm"], radians(made["helix_angle_deg"])
    pins, a_w = made.get("pin_positions_deg"), made.get("center_distance_mm")
    on_teeth = made["case"]["fidelity"] == "teeth"
    if on_teeth:
        shifts = {gear: made[f"{gear}_gear"]["profile_shift"] for gear in ("sun", "planet", "ring")}
        shifts = {gear: x for gear, x in shifts.items() if not isinstance(x, str)}
    else:
        shifts = made.get("profile_shifts")
    tips = made.get("tip_diameters_mm")
    teeth = PlanetaryTeeth(
        sun=made["sun_teeth"],
        ring=made["ring_teeth"],
        planets=(made["planet_teeth"],),
        n_planets=made["planets"],
        pin_angles=None if pins is None else tuple(map(radians, pins)),
        m_n=module,
        beta=beta,
        a_w=None if a_w is None else (1e-3 * a_w,),
        profile_shifts=shifts,
        tip_diameters=None if tips is None else {gear: 1e-3 * d for gear, d in tips.items()},
    )
    machine = ag.Machine("set")
    machine.add("carrier", ag.Shaft(fixed_axis=True))
    if made["case"]["floating"]:
        k = 1e8 * made["normal_module_mm"]
        machine.add("sun", ag.Shaft(rigid=True))
        machine.add("sun_body", ag.Disk(shaft="sun", mass=1.0, inertia=1e-3, tilt_inertia=1e-3))
        machine.add("sun_axial", ag.Bearing(shaft="sun", at=0.0, stiffness=(0.0, 0.0, k, k, k)))
    else:
        machine.add("sun", ag.Shaft(fixed_axis=True))
    machine.add("motor", ag.Drive(shaft="sun", speed=100.0 * np.pi / 30.0))
    load = 0.05 * made["normal_module_mm"] ** 3 * (made["sun_teeth"] + made["ring_teeth"])
    machine.add("out", ag.TorqueLoad(shaft="carrier", torque=load))
    machine.add(
        "set",
        ag.PlanetaryGearSet(
            teeth=teeth,
            sun="sun@0mm",
            ring="ground",
            carrier="carrier@0mm",
            fidelity="teeth" if on_teeth else "elastic",
            meshes=_pairs(made, teeth) if on_teeth else _springs(made, teeth),
            torque=made.get("torque_Nm"),
            planet_inertia=made.get("planet_inertia_kg_m2", 0.0),
        ),
    )
    return machine.case(ag.MachineStatic(positions_per_pitch=4))


def _pairs(made: Description, teeth: PlanetaryTeeth) -> dict[str, PlanetPair]:
    gears: dict[str, Any] = {}
    for gear, sign in (("sun", 1.0), ("planet", -1.0), ("ring", -1.0)):
        own, make = made[f"{gear}_gear"], InternalGear if gear == "ring" else Gear
        around = {"ring": "rim_diameter"}.get(gear, "bore_diameter")
        fillet = own.get("root_fillet_radius_mm")
        gears[gear] = make(
            z=made[f"{gear}_teeth"],
            m_n=teeth.m_n,
            beta=sign * teeth.beta + 0.0,
            x=teeth.shifts.x[gear],
            b=1e-3 * own["face_width_mm"],
            tip_alteration_factor=own["tip_alteration_factor"],
            thickness_allowance=1e-6 * own.get("tooth_thickness_allowance_um", 0.0),
            **{around: 1e-3 * own[f"{around}_mm"]},
            **({} if fillet is None else {"root_fillet_radius": 1e-3 * fillet}),
        )
    law = law_of("teeth", "mesh")
    found = {}
    for mesh, (inner, outer) in {"sun": ("sun", "planet"), "ring": ("planet", "ring")}.items():
        names = PairNames(pinion=f"the {inner}", wheel=f"the {outer}")
        pair = GearPair(pinion=gears[inner], wheel=gears[outer], a_w=teeth.pin_radii["planet"], names=names)
        found[mesh] = PlanetPair(pair=pair, law=law)
    return found


def _springs(made: Description, teeth: PlanetaryTeeth) -> dict[str, PlanetMesh]:
    found = {}
    for mesh in ("sun", "ring"):
        own = made[f"{mesh}_mesh"]
        spring = LinearSpring(
            c=own["stiffness_N_per_m"], backlash=1e-6 * own["backlash_um"], damping=own["damping_Ns_per_m"]
        )
        found[mesh] = PlanetMesh(spring=spring)
    return found


def case_of(made: Description, folder: Path) -> ag.MachineCase:
    """The case, from a file or from Python.

    Raises
    ------
    Fault
    """
    if made["case"]["python"]:
        return case_from_python(made)
    path = folder / "set.toml"
    path.write_text(file_of(made), encoding="utf-8")
    case = ag.case_from_file(path)
    assert isinstance(case, ag.MachineCase)
    return case


# ------------------------------------------------------------------------------------------------------ remedies
def remedied(made: Description, fault: Fault) -> Description | None:
    """The set with the first number that a remedy says pasted in; None where it says none."""
    for key, gear, word, value in SAID.findall(fault.remedy.splitlines()[0]):
        new = deepcopy(made)
        number: Any = float(value) if value[0] not in "[{" else _parsed(value)
        if word == "below":
            number -= 1e-3
        key = OF_PYTHON.get(key, key)
        if gear and key == "tip_diameter":
            key = f"tip_diameters_mm.{gear}"
        elif gear and f"{gear}_gear" in made:
            key = f"{gear}_gear.{key}"
        elif gear and key == "profile_shift":
            key = f"profile_shifts.{gear}"
        table, _, own = key.rpartition(".")
        if own == "planets":
            number = int(number)
        if table:
            new.setdefault(table, {})[own] = number
        else:
            new[own] = number
        return new
    return None


def _parsed(value: str) -> Any:
    if value[0] == "[":
        return [float(one) for one in value[1:-1].split(",")]
    pairs = (one.split("=") for one in value[1:-1].split(","))
    return {key.strip(): float(number) for key, number in pairs}


# -------------------------------------------------------------------------------------------------------- checks
def look_at(made: Description, case: ag.MachineCase, say: Callable[[str, str], None], what: str) -> None:
    """Compare numbers of a set and of its run with what they must be."""
    (one,) = (part for part in case.parts if isinstance(part, ag.PlanetaryGearSet))
    _look_at_distance(made, one.teeth, say, what)
    data = ag.run(case).dataset
    ratio = 1.0 + made["ring_teeth"] / made["sun_teeth"]
    if made["case"]["fidelity"] not in ("teeth", "elastic"):
        speeds = data.speed.sel(body=["sun", "carrier"]).mean("time").values
        # elastic teeth give way while they speed up, and vibrate
        tolerance = 1e-9 if made["case"]["fidelity"] in ("rigid", "lossy") else 0.3
        if not abs(speeds[0] / speeds[1] - ratio) < tolerance * ratio:
            say("ratio", f"{what}: {speeds[0] / speeds[1]} for {ratio}")
        return
    torque, load = (float(np.abs(data.torque.sel(shaft=one).values).mean()) for one in ("sun", "carrier"))
    # four positions of a pitch: the rate of the transmission error is not quite averaged out
    if not abs(torque * ratio - load) < 5e-3 * load:
        say("Willis", f"{what}: {torque * ratio} for {load} N m")
    names = data.planet_mesh.values.tolist()
    of_sun = [name for name in names if name.startswith("set sun planet")]
    forces = np.abs(data.planet_mesh_force.sel(planet_mesh=of_sun).values)
    r_b = 1e-3 * made["sun_teeth"] * made["normal_module_mm"] / 2.0 / cos(radians(made["helix_angle_deg"]))
    r_b *= cos(one.teeth.layouts[-1].alpha_t)
    at_sun = np.abs(data.torque.sel(shaft="sun").values)
    off = np.abs(forces.sum(axis=-1) * r_b - at_sun).max() / at_sun.max()
    # tolerance of equilibria; of teeth whose edges touch beside the line of action forces have another lever
    constant = made["case"]["fidelity"] == "elastic" and "stiffness_factor" not in str(made)
    # a stiffness over the position has a force of its own along it
    if not off < (1e-6 if constant else 2e-3):
        say("forces of the sun", f"{what}: {off:.1e}")
    shares = data.load_share.sel(planet_mesh=of_sun).values
    even = made.get("pin_positions_deg") is None
    if constant and even and not np.abs(shares - 1.0).max() < 1e-6:
        say("shares", f"{what}: {shares.min()} to {shares.max()}")
    if made["case"]["floating"] and made["planets"] == 3 and even and not np.abs(shares - 1.0).max() < 0.05:
        say("shares of a floating sun", f"{what}: {shares.min()} to {shares.max()}")


def _look_at_distance(made: Description, teeth: PlanetaryTeeth, say: Callable[[str, str], None], what: str) -> None:
    """The radius of the pins is the given distance, or that of the shifts by the formula, solved anew."""
    found = 1e3 * teeth.pin_radii["planet"]
    expected = made.get("center_distance_mm")
    x = made.get("profile_shifts") or {}
    if "sun_gear" in made:
        x = {gear: made[f"{gear}_gear"]["profile_shift"] for gear in ("sun", "planet", "ring")}
    z, tolerance = made["sun_teeth"] + made["planet_teeth"], 1e-12
    if expected is None:
        a_0 = 0.5 * made["normal_module_mm"] * z / cos(radians(made["helix_angle_deg"]))
        expected = a_0
        if "sun" in x and "planet" in x:
            total = x["sun"] + x["planet"]
            expected = brentq(lambda a: shift_sum(made, z, a) - total, 0.96 * a_0, 1.15 * a_0, xtol=1e-13)
            tolerance = 1e-3 / z  # both meshes of rounded shifts: the mean of their distances
    if not abs(found / expected - 1.0) < tolerance:
        say("centre distance", f"{what}: {found} for {expected} mm")


def fuzz_sets(n: int, seed: int, say: Callable[[str, str], None]) -> Counter[str]:
    """Draw so many sets, and count what became of them."""
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(n):
            made = random_set(random.Random(seed * 100_003 + number), number)
            what = f"set {number} of seed {seed} ({made['case']})"
            found["drawn"] += 1
            found[made["case"]["fidelity"]] += 1
            found["from Python"] += made["case"]["python"]
            found["floating sun"] += made["case"]["floating"]
            _run_or_remedy(made, Path(folder), say, what, found)
    return found


def _run_or_remedy(
    made: Description, folder: Path, say: Callable[[str, str], None], what: str, found: Counter[str]
) -> None:
    faults: list[str] = []
    for _ in range(MOST_REMEDIES):
        try:
            look_at(made, case_of(made, folder), say, what)
        except Fault as fault:
            faults.append(str(fault))
            changed = remedied(made, fault)
            if changed is None or changed == made:
                say("no remedy", f"{what}: {fault}")
                break
            made = changed
            continue
        except Exception as error:
            say("error", f"{what}: {type(error).__name__}: {error}")
            found["errors"] += 1
            return
        found["refused, then run" if faults else "run"] += 1
        found["remedies pasted"] += len(faults)
        return
    else:
        say("no end of remedies", f"{what}: {faults}")
    found["refused for good"] += 1


def main() -> None:
    """Draw sets and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=200, help="how many sets (200)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (1)")
    given = parser.parse_args()
    found = fuzz_sets(given.number, given.seed, lambda kind, words: print(f"{kind}: {words}", flush=True))
    for name, count in found.items():
        print(f"{name:20} {count}")


if __name__ == "__main__":
    main()
