"""What belongs to a result folder, and whether it still is what was written.

``about.json`` lists the files of the folder with their sizes and checksums (CRC-32), and ends with a checksum of
itself. What is read back is compared with the list, so that a flipped bit is never read. What the list does not
name is the user's: it is never replaced or removed, and never taken for a part of the result where the list says
otherwise. Files that were copied without the list are read as they are.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from alegear.errors import Fault, one_line
from alegear.storage.whole_file import open_regular, read_regular, reason_of, whole_file, write_whole

#: When a case ran, the data of its gears, and the files of the result.
ABOUT = "about.json"
#: Folder with a result of each mesh of a machine; the list of the machine holds their files.
MESHES = "meshes"
#: Raised whenever the content or the meaning of the file changes.
FORMAT = "alegear-result-1"

_BLOCK = 1 << 16  # bytes read at a time: larger ones are new memory each time, which takes five times as long
_END = b',\n "crc32": "%08x"\n}\n'
_END_BYTES = len(_END % 0)
LARGEST_TEXT = 256 << 20  # bytes

Checksum = tuple[int, int]
"""Bytes of a file and their CRC-32."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StoredFiles:
    """The files of a result folder.

    Attributes
    ----------
    folder : Path
        That of ``about.json``.
    listed : mapping of str to (int, int)
        Size and CRC-32 of each file of the result by its name from there on, with ``/`` between folders.
    about : mapping
        What else ``about.json`` says; empty where there is none.
    within : str
        Folder in `folder` that is read, as ``meshes/first``; empty of the whole.
    """

    folder: Path
    listed: Mapping[str, Checksum] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    within: str = ""

    @classmethod
    def of(cls, directory: Path) -> StoredFiles:
        """Read the list of a result folder, or of that of a mesh in the folder of its machine.

        Raises
        ------
        Fault
            If it is damaged.
        """
        directory = Path(directory)
        home, within = directory, ""
        if not os.path.lexists(directory / ABOUT):
            full = Path(os.path.abspath(directory))
            if full.parent.name == MESHES and os.path.lexists(full.parent.parent / ABOUT):
                home, within = full.parent.parent, f"{MESHES}/{full.name}"
        about = read_about(home)
        listed = about.pop("files", {})
        return cls(folder=home, listed={name: (int(one[0]), int(one[1])) for name, one in listed.items()},
                   about=about, within=within)  # fmt: skip

    def place(self, name: str) -> Path:
        """Return where a file of the folder is that is read.

        Raises
        ------
        Fault
            If its name leads out of the folder, by itself or through a link.
        """
        return path_inside(self.folder, self._full(name))

    def read(self, name: str) -> bytes:
        """Read a file and compare it with the list.

        Raises
        ------
        OSError
            If there is none.
        Fault
            If it is another one than was written, or leads out of the folder.
        """
        path, known = self.place(name), self.listed.get(self._full(name))
        content = read_regular(path, LARGEST_TEXT)
        if known is not None and known != (len(content), zlib.crc32(content)):
            raise changed(path)
        return content

    def checked(self, name: str) -> Path:
        """Compare a file with the list, and return where it is, for those who read it themselves.

        Raises
        ------
        OSError, Fault
            As of :meth:`read`.
        """
        path, known = self.place(name), self.listed.get(self._full(name))
        if known is None:
            os.close(open_regular(path))
        elif known != checksum(path):
            raise changed(path)
        return path

    def names(self) -> list[str]:
        """Names of the files of the folder that is read, as the list has them."""
        before = f"{self.within}/" if self.within else ""
        return [name.removeprefix(before) for name in self.listed if name.startswith(before)]

    def copy(self, name: str, target: Path) -> None:
        """Copy a file and compare the copy with the list.

        Raises
        ------
        OSError, Fault
            As of :meth:`read`; StorageFailure if the copy cannot be written.
        """
        path, known = self.place(name), self.listed.get(self._full(name))
        with open(open_regular(path), "rb", buffering=0) as source:
            target.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(target) as beside, open(beside, "wb") as file:
                shutil.copyfileobj(source, file, _BLOCK)
        if known is not None and known != checksum(target):
            raise changed(path)

    def _full(self, name: str) -> str:
        return f"{self.within}/{name}" if self.within else name


def path_inside(folder: Path, name: str) -> Path:
    """Return the path of a name that a file of a result gives: it may come from somebody else.

    Raises
    ------
    Fault
        If it leads out of the folder, by itself or through a link.
    """
    path = Path(folder) / name
    parts = PurePosixPath(name).parts
    inside = bool(parts) and "\0" not in name and not os.path.isabs(name) and ".." not in parts
    if not inside or not path.resolve().is_relative_to(Path(folder).resolve()):
        limit = "a name within the folder of the result"
        raise Fault(f"file of the result {folder}", name[:200], limit, "do not use a result that names others' files")
    return path


def checksum(path: Path) -> Checksum:
    """Return size and CRC-32 of a file.

    Raises
    ------
    OSError
    """
    size, found = 0, 0
    with open(open_regular(path), "rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            size, found = size + len(block), zlib.crc32(block, found)
    return size, found


def files_in(folder: Path) -> Iterator[str]:
    """Go through the files in a folder and in those within, by their names from there on; links count as files."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        for name in sorted([*names, *links]):
            yield Path(place, name).relative_to(folder).as_posix()


def write_about(directory: Path, about: Mapping[str, Any], files: Mapping[str, Checksum] | None = None) -> None:
    """Write ``about.json``: what is known of the case and, at the end, the files of the result.

    Raises
    ------
    StorageFailure
    """
    content = {"format": FORMAT, **about, "files": dict(sorted((files or {}).items()))}
    write_whole(directory / ABOUT, with_checksum(content))


def read_about(directory: Path) -> dict[str, Any]:
    """Read ``about.json``; empty where there is none.

    Raises
    ------
    Fault
        If it is damaged, or not of alegear.
    """
    path = directory / ABOUT
    try:
        found = without_checksum(read_regular(path_inside(directory, ABOUT), LARGEST_TEXT))
        if found.pop("format") != FORMAT:
            raise ValueError("of another version")
        files = found.get("files", {})
        if not all(len(one) == 2 and all(isinstance(n, int) for n in one) for one in files.values()):
            raise ValueError("no list of files")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        limit = f"the list of a result as alegear wrote it ({one_line(reason)})"
        raise Fault("result folder", path, limit, "it is damaged: run the case again into another folder") from error
    return found


def with_checksum(content: Mapping[str, Any]) -> bytes:
    """Write a table that is not empty as JSON that ends with a checksum of what stands before."""
    body = json.dumps(content, indent=1, allow_nan=False).encode().removesuffix(b"\n}")
    return body + _END % zlib.crc32(body)


def without_checksum(content: bytes) -> dict[str, Any]:
    """Read what :func:`with_checksum` has written.

    Raises
    ------
    ValueError
        If it is another one.
    """
    body = content[:-_END_BYTES]
    if content[-_END_BYTES:] != _END % zlib.crc32(body):
        raise ValueError("wrong checksum")
    found: dict[str, Any] = json.loads(content)
    found.pop("crc32")
    return found


def changed(path: Path) -> Fault:
    """Return the fault of a file that is another one than was written."""
    limit = f"the file that alegear wrote (its checksum in {ABOUT} is another one)"
    return Fault("result", path, limit, "it is damaged or was changed: run the case again")
