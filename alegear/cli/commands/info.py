"""``alegear info``: print versions, threads and what is kept for later runs."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from alegear._version import __version__
from alegear.cli.arguments import Commands
from alegear.parallel import processors


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to those of the program."""
    parser = commands.add_parser("info", help="print versions, threads and the cache")
    parser.set_defaults(command=_info, is_answer=True)
    return parser


def _info(args: argparse.Namespace) -> None:
    """Print versions, threads and what is kept for later runs."""
    import platform
    from importlib import metadata

    from alegear.storage.cache_folder import cache_directory, kernel_directory

    print(f"alegear     {__version__}")
    print(f"python      {platform.python_version()} on {platform.platform()}")
    for name in ("numpy", "scipy", "numba", "gmsh", "meshio", "pydantic", "xarray", "h5netcdf", "h5py"):
        print(f"{name:<11} {_installed(metadata, name)}")
    for name in ("matplotlib", "pyvista", "rich"):
        print(f"{name:<11} {_installed(metadata, name)}")
    print(f"threads     {_threads()}")
    print(f"cache       {_folder_size(cache_directory(), '*.reduction')}")
    print(f"kernels     {_folder_size(kernel_directory(), '**/*')}")


def _folder_size(folder: Path, pattern: str) -> str:
    sizes = [path.stat().st_size for path in folder.glob(pattern) if path.is_file()]
    return f"{folder}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"


def _installed(metadata: Any, name: str) -> str:
    try:
        return str(metadata.version(name))
    except metadata.PackageNotFoundError:
        return "not installed"


def _threads() -> str:
    limits = [f"{name}={os.environ[name]}" for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS") if name in os.environ]
    return ", ".join([f"{processors()} processors", *limits])
