"""What is most likely meant by a key that the case file does not know."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from alegear.units import UNITS

#: Endings of keys that name a unit, the longest first so that the whole ending is taken off; some that no key has.
ENDINGS = sorted({*(unit.ending for unit in UNITS.values()), "kg_m3", "cm", "ms", "Pa"} - {""}, key=len, reverse=True)
#: What is given in another way elsewhere -> the key in its place, and how it follows.
IN_OTHER_WORDS = {
    "tip_diameter_mm": (
        "tip_alteration_factor",
        "give tip_alteration_factor, half of tip diameter less reference diameter in modules, less addendum_factor and"
        " profile_shift",
    ),
    "root_diameter_mm": (
        "dedendum_factor",
        "give dedendum_factor, half of reference diameter less root diameter in modules, and profile_shift",
    ),
    "wheel_torque_Nm": (
        "pinion_torque_Nm",
        "give pinion_torque_Nm, that of the wheel times teeth of the pinion over teeth of the wheel",
    ),
    "wheel_speed_rpm": (
        "pinion_speed_rpm",
        "give pinion_speed_rpm, that of the wheel times teeth of the wheel over teeth of the pinion",
    ),
    "topography_csv": ("topography", 'write topography = { file = "...", sign = "metal-positive" }'),
}
_UNIT = re.compile(rf"_(?:{'|'.join(ENDINGS)})$", re.IGNORECASE)


def stem(key: str) -> str:
    """Return a key without the unit at its end."""
    return _UNIT.sub("", key)


def explain_unknown_key(key: str, known: Iterable[str], elsewhere: Mapping[str, str]) -> tuple[str, str]:
    """Say why a key is unknown and what is most likely meant.

    Parameters
    ----------
    key : str
        The key met.
    known : iterable of str
        Keys of the table it stands in.
    elsewhere : mapping
        Keys of the other tables -> name of that table.

    Returns
    -------
    limit, remedy : str
    """
    keys = list(known)
    if key in IN_OTHER_WORDS and IN_OTHER_WORDS[key][0] in keys:
        return "no such key", IN_OTHER_WORDS[key][1]
    for candidate in keys:
        # what stands behind the last "_" may be a unit that no key has, such as kNm
        same = stem(candidate).lower() in (stem(key).lower(), key.rpartition("_")[0].lower())
        if key != candidate and same and stem(candidate) != candidate:
            unit = candidate[len(stem(candidate)) + 1 :]
            missing = key.lower() == stem(candidate).lower()
            problem = "the unit is missing in the key" if missing else "that is not the unit of this key"
            return problem, f"write {candidate} (unit {unit.replace('_per_', '/')})"
    begun = [one for one in keys if stem(one).startswith(f"{stem(key)}_")]
    if len(begun) > 1:
        return "no such key", f"keys that begin like it are {', '.join(begun)}"
    close = difflib.get_close_matches(key, keys, n=1, cutoff=0.6)
    if close:
        return "no such key", f"the nearest key is {close[0]}"
    if key in elsewhere:
        return "no such key in this table", f"{key} belongs to {elsewhere[key]}"
    close = difflib.get_close_matches(stem(key), [stem(k) for k in keys], n=1, cutoff=0.5)
    if close:
        return "no such key", f"the nearest key is {next(k for k in keys if stem(k) == close[0])}"
    far = difflib.get_close_matches(key, list(elsewhere), n=1, cutoff=0.75)
    if far:
        return "no such key", f"the nearest key is {far[0]} of {elsewhere[far[0]]}"
    nearest = max(keys, key=lambda k: difflib.SequenceMatcher(None, key, k).ratio())
    return "no such key", f"the nearest key is {nearest}; leave it out if it is not meant"
