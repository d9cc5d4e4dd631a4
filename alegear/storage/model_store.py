"""Reduced models on disk, so that the second run of a case does not reduce again.

One file a model, named by a hash of everything the result depends on, the program text of the layers below included.
A file that is missing, cut short or foreign is a miss; a folder that cannot be written costs the store, never the run.

Format: one line of JSON (format, key, checksum, names and shapes), padded to 64 bytes, then the arrays as little-endian
float64, C order, one after the other. The checksum is that of names, shapes and arrays.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import os
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from alegear.arrays import Array
from alegear.storage import cache_folder
from alegear.storage.cache_folder import megabytes
from alegear.storage.whole_file import StorageFailure, whole_file

logger = logging.getLogger(__name__)

#: Raised whenever the content or the meaning of a file changes.
FORMAT = "alegear-reduction-3"

#: The store forgets the models that were not used for longest beyond this size [MB]; ALEGEAR_CACHE_MB sets another.
DEFAULT_SIZE = 2000

_PACKAGE = Path(__file__).resolve().parents[1]

_making: dict[str, Lock] = {}  # by key, what a thread is at


@cache
def _program_digest() -> str:
    """Hash the text of the elements and of the reduction: a changed formulation must not find old results."""
    digest = hashlib.sha256(FORMAT.encode())
    for folder in ("fe", "reduction"):
        for path in sorted((_PACKAGE / folder).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def content_key(arrays: Mapping[str, npt.NDArray[np.generic]], values: Mapping[str, object]) -> str:
    """Hash what a result depends on (SHA-256, hexadecimal).

    Parameters
    ----------
    arrays : mapping of name to array
    values : mapping of name to number, text or None
        Written by `repr`, which is exact for floats.
    """
    digest = hashlib.sha256(_program_digest().encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape};".encode())
        digest.update(array.tobytes())
    for name in sorted(values):
        digest.update(f"{name}={values[name]!r};".encode())
    return digest.hexdigest()


def size(folder: Path, key: str) -> int:
    """Size of the file that stands under a key [bytes], sound or not; 0 if there is none."""
    try:
        return (folder / f"{key}.reduction").stat().st_size
    except OSError:
        return 0


def load(folder: Path, key: str) -> dict[str, Array] | None:
    """Read the arrays stored under a key; None if there is no sound file."""
    path = folder / f"{key}.reduction"
    try:
        with path.open("rb") as file:
            header = json.loads(file.readline())
            if header["format"] != FORMAT or header["key"] != key:
                raise ValueError("written for something else")
            sizes = {name: math.prod(shape) for name, shape in header["shapes"].items()}
            data = np.empty(sum(sizes.values()), dtype="<f8")
            if file.readinto(memoryview(data).cast("B")) != data.nbytes or file.read(1):  # type: ignore[arg-type]
                raise ValueError("wrong length")
            if zlib.crc32(memoryview(data).cast("B"), _of_shapes(header["shapes"])) != header["crc32"]:  # type: ignore[arg-type]
                raise ValueError("wrong checksum")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, MemoryError) as error:
        logger.info("stored reduction %s is not usable (%s); reducing again", path, error)
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # used now: forgotten last
    arrays: dict[str, Array] = {}
    first = 0
    for name, size in sizes.items():
        arrays[name] = data[first : first + size].reshape(header["shapes"][name])
        first += size
    return arrays


def stored(
    arrays: Mapping[str, npt.NDArray[np.generic]],
    values: Mapping[str, object],
    make: Callable[[], Mapping[str, Array]],
) -> Mapping[str, Array]:
    """Return the arrays of a result from the store, else make and store them; of several threads one does.

    Parameters
    ----------
    arrays, values
        What the result depends on, :func:`content_key`.
    make : callable
    """
    folder, key = cache_folder.cache_directory(), content_key(arrays, values)
    with _making.setdefault(key, Lock()):
        found: Mapping[str, Array] | None = load(folder, key)
        if found is None:
            found = make()
            save(folder, key, found)
    return found


def _of_shapes(shapes: Mapping[str, list[int]]) -> int:
    """CRC-32 of names and shapes, with which that of the arrays goes on."""
    return zlib.crc32(json.dumps(shapes).encode())


def _bytes(block: Array) -> memoryview:
    """Bytes of an array in C order; of one without elements, which a segment has, no view can be cast."""
    return memoryview(block).cast("B") if block.size else memoryview(b"")  # type: ignore[arg-type]


def save(folder: Path, key: str, arrays: Mapping[str, Array]) -> None:
    """Write arrays under a key, whole or not at all; a failure is logged and nothing else."""
    blocks = {name: np.ascontiguousarray(array, dtype="<f8") for name, array in arrays.items()}
    shapes = {name: list(block.shape) for name, block in blocks.items()}
    checksum = _of_shapes(shapes)
    for block in blocks.values():
        checksum = zlib.crc32(_bytes(block), checksum)
    header = json.dumps({"format": FORMAT, "key": key, "crc32": checksum, "shapes": shapes}).encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(folder / f"{key}.reduction", synced=False) as beside, open(beside, "wb") as file:
            file.write(header + b" " * (-(len(header) + 1) % 64) + b"\n")
            file.writelines(map(_bytes, blocks.values()))
        _forget_oldest(folder, keep=key)
    except (OSError, StorageFailure) as error:
        reason = error.__cause__ or error
        text = "the reduction is not stored in %s (%s); set ALEGEAR_CACHE_DIR to a writable folder"
        logger.warning(text, folder, reason)


def _forget_oldest(folder: Path, *, keep: str) -> None:
    """Delete the models used longest ago until the store has its size again; never the one just written."""
    chosen = megabytes("ALEGEAR_CACHE_MB")
    room = 1e6 * (DEFAULT_SIZE if chosen is None else chosen)
    files = []
    for path in folder.glob("*.reduction"):
        with contextlib.suppress(FileNotFoundError):  # another thread or process forgets as well
            stat = path.stat()
            files.append((stat.st_mtime, stat.st_size, path))
    for _, size, path in sorted(files, reverse=True):
        room -= size
        if room < 0.0 and path.stem != keep:
            path.unlink(missing_ok=True)
