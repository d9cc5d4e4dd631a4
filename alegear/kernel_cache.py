"""The decorator of all compiled kernels, and the cache of their machine code on disk.

Numba's own cache looks at the file of a kernel only, so that a kernel keeps the old code of a kernel it calls from
another file; and it counts the data files of a kernel, so that two processes that compile at the same time can write
different code under one name. Here

* a folder is named by the digest of all kernel files of the package, of what makes machine code of them, of the
  versions of Python, NumPy, Numba and llvmlite and of Numba's settings: whatever a kernel calls, in whichever file,
  its entry is right or is not found;
* a file is named by the digest of kernel, signature and processor and appears whole: processes that compile different
  signatures write different files, processes that compile the same write the same code twice. No index, no lock.

Kernel files are those whose name ends in ``kernels.py``; constants that a kernel uses must stand in such a file too,
because compiled code holds their values.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import logging
import os
import pickle
import platform
import shutil
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba.core import config as _numba_config
from numba.core import event, serialize
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, Flags

from alegear.cache_folder import kernel_directory

logger = logging.getLogger(__name__)

#: Its attributes are made when Numba is imported.
config: Any = _numba_config

#: First word of every file; raised whenever what follows it changes.
FORMAT = b"alegear-kernel-1"

#: How kernels are compiled where their decorator does not say otherwise: rounding as written, division as in NumPy.
#: Nobody calls them from C.
OPTIONS: dict[str, Any] = {"fastmath": False, "error_model": "numpy", "no_cfunc_wrapper": True}

#: Code of other sources or versions is forgotten when nobody has used it for so long [s].
FORGET_AFTER = 30 * 86400.0

#: Settings of Numba that shape the machine code; the processor is in the name of each file.
_SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_INTEL_SVML")

#: Whether the parts of Numba that make the code of inner kernels are there; they are not of its public interface.
_CODE_IS_AS_EXPECTED = (
    {"add_ir_module", "add_linking_library", "finalize", "_finalize_dynamic_globals", "_optimize_final_module"}
    <= set(dir(JITCodeLibrary))
    and hasattr(Flags, "no_compile")
    and hasattr(binding, "create_pass_builder")
)

#: How Numba names the function that takes the arguments from Python.
ENTRY_FROM_PYTHON = "_ZN7cpython"

_PACKAGE = Path(__file__).resolve().parent
_FILES = (*sorted(_PACKAGE.glob("kernel_*.py")), *sorted(_PACKAGE.rglob("*kernels.py")))


def kernel(function: Callable[..., Any] | None = None, /, *, long_loops: bool = False, **options: Any) -> Any:
    """Compile a function on its first call and keep the machine code on disk.

    Parameters
    ----------
    function : callable, optional
        A function of a module whose file ends in ``kernels.py``.
    long_loops : bool
        Unroll and vectorise loops: worth it where innermost loops run over dozens of numbers. It doubles the time of
        compilation, and loops over the few nodes and slices of a contact get none the faster.
    **options
        Options of `numba.njit` that differ from `OPTIONS`.

    Raises
    ------
    TypeError
        For a function that stands elsewhere or within another function: the digest would not know its text.

    Examples
    --------
    ``@kernel`` or ``@kernel(error_model="python")`` above the function.
    """
    if function is None:
        return partial(kernel, long_loops=long_loops, **options)
    path = Path(inspect.getfile(function)).resolve()
    if not (path.name.endswith("kernels.py") and path.is_relative_to(_PACKAGE)) or "<locals>" in function.__qualname__:
        raise TypeError(f"{function.__qualname__} of {path}: kernels stand at the top of files named *kernels.py")
    if _CODE_IS_AS_EXPECTED:
        options = {"pipeline_class": _CompilerOfLongLoops if long_loops else _CompilerOfKernel} | options
    dispatcher: Any = numba.njit(**(OPTIONS | options))(function)
    if config.DISABLE_JIT:
        return dispatcher
    _compile_for_types_only(dispatcher)
    folder = _folder(function.__module__, kernel_directory())
    if folder is None:
        return dispatcher
    if _numba_is_as_expected(dispatcher):
        dispatcher._cache = KernelCache(function, folder)
    else:
        _keep_as_numba_does(dispatcher, folder)
    return dispatcher


def inner_kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function that only other kernels call: half the work of :func:`kernel`, which it is like otherwise.

    It gets no entry from Python (a call raises TypeError) and no machine code of its own: it becomes part of the
    kernels that Python calls, and is optimised there, once, however deep the calls are nested.
    """
    if function is None:
        return partial(inner_kernel, **options)
    if _CODE_IS_AS_EXPECTED:
        options["pipeline_class"] = _CompilerOfInner
    dispatcher = kernel(function, no_cpython_wrapper=True, **options)
    if config.DISABLE_JIT:
        return dispatcher

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{function.__qualname__} is called by other kernels only")

    def add_overload(compiled: Any) -> None:
        # known to kernels, not to the entry from Python, which would jump to nowhere
        if compiled.entry_point is None:
            # Numba names a callee by its entry point
            compiled = compiled._replace(entry_point=object())
            compiled.target_context.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled

    dispatcher.add_overload = add_overload
    dispatcher._compile_for_args = refuse
    # its code is part of what is stored of the kernels that Python calls, and of no use by itself
    dispatcher._cache.disable()
    return dispatcher


def lean_kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile an inner kernel that makes no arrays of its own, as :func:`inner_kernel` otherwise.

    It counts no references to the arrays that it is given: where views are short that is a fifth of the time.
    """
    return inner_kernel(function, _nrt=False, **options)


class _Code(JITCodeLibrary):  # type: ignore[misc, unused-ignore]
    """Code of a kernel that Python calls, with that of all inner kernels below it."""

    long_loops = False

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if function.name.startswith(ENTRY_FROM_PYTHON) and not function.is_declaration:
                # It takes the arguments apart, once a call: not worth a quarter of all optimisation.
                function.attributes.add("noinline")
                function.attributes.add("optnone")
        super().add_ir_module(ir_module)

    def add_linking_library(self, library: Any) -> None:
        super().add_linking_library(library)
        if isinstance(library, _InnerCode):
            for below in library._linking_libraries:
                self.add_linking_library(below)

    def _optimize_final_module(self) -> None:
        tuning = binding.create_pipeline_tuning_options()
        tuning.speed_level = config.OPT
        tuning.loop_vectorization = tuning.loop_unrolling = self.long_loops
        tuning.slp_vectorization = not self.long_loops
        builder = binding.create_pass_builder(self._codegen._tm, tuning)
        passes = builder.getModulePassManager()
        passes.add_refprune_pass()
        with self._recorded_timings.record("module passes", builder):
            passes.run(self._final_module, builder)


class _CodeOfLongLoops(_Code):
    """The same with loops unrolled and vectorised."""

    long_loops = True


class _InnerCode(JITCodeLibrary):  # type: ignore[misc, unused-ignore]
    """Code of an inner kernel by itself, without that of what it calls: as it was written, no machine code."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True


class _Flags(Flags):  # type: ignore[misc, unused-ignore]
    """Settings of a compilation that are compared quickly.

    Numba looks up every operator by them, thousands of times a kernel, and builds two dictionaries each time.
    """

    __slots__ = ()
    _hash = hash(Flags())
    _defaults: ClassVar[dict[str, Any]] = {name: option.default for name, option in Flags.options.items()}

    def __hash__(self) -> int:
        return self._hash  # that of all settings: Numba's depends on their names only

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Flags):
            return NotImplemented
        return self._values == other._values or self._defaults | self._values == self._defaults | other._values


def _remember_sizes(context: Any) -> None:
    """Ask LLVM once for the size of a type: Numba asks for every variable, and each time a module is made and read."""
    if "get_abi_sizeof" not in vars(context):
        context.get_abi_sizeof = cache(context.get_abi_sizeof)


class _CompilerOfKernel(Compiler):  # type: ignore[misc, unused-ignore]
    """Numba's compiler with a code library of ours."""

    code: type[JITCodeLibrary] = _Code

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.flags = _Flags(self.state.flags)
        _remember_sizes(self.state.targetctx)
        library = self.code(self.state.targetctx.codegen(), func.__qualname__)
        library.enable_object_caching()
        self.state.library = library
        return super().compile_extra(func)


class _CompilerOfLongLoops(_CompilerOfKernel):
    """The same with loops unrolled and vectorised."""

    code = _CodeOfLongLoops


class _CompilerOfInner(_CompilerOfKernel):
    """The same for inner kernels: nothing is made ready to run."""

    code = _InnerCode

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.flags.no_compile = True
        return super().compile_extra(func)


class KernelCache:
    """Machine code of one kernel, one file a signature; takes the place of Numba's cache in its dispatcher.

    Parameters
    ----------
    function : callable
    folder : Folder
    """

    def __init__(self, function: Callable[..., Any], folder: Folder) -> None:
        module = function.__module__.removeprefix("alegear.")
        self._name = f"{module}.{function.__qualname__}"
        self._folder = folder
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """Folder of the files, as Numba's statistics show it."""
        return str(self._folder.path)

    def enable(self) -> None:
        """Read and write from now on."""
        self._enabled = True

    def disable(self) -> None:
        """Neither read nor write from now on."""
        self._enabled = False

    def flush(self) -> None:
        """Forget what is stored of this kernel."""
        for path in self._folder.path.glob(f"{self._name}-*.kernel"):
            with contextlib.suppress(OSError):
                path.unlink()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled signature; None if there is no sound file."""
        if not self._enabled:
            return None
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        data = self._folder.read(self._file_name(key), key)
        if data is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(data))
        except Exception as error:
            # code that cannot be taken up again, for whichever reason, is compiled again
            logger.info("stored kernel %s is not usable (%s); compiling again", self._name, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled signature, if its code holds no addresses of this process."""
        if not self._enabled or data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        key = self._key(sig, data.codegen)
        try:
            content = serialize.dumps(data._reduce())
        except Exception as error:
            logger.warning("kernel %s cannot be stored (%s)", self._name, error)
            return
        self._folder.write(self._file_name(key), key, content)

    def _key(self, sig: Any, codegen: Any) -> bytes:
        """Name kernel, argument types and processor, whole."""
        arguments = [_described(argument) for argument in getattr(sig, "args", sig)]
        return repr((self._name, arguments, codegen.magic_tuple())).encode()

    def _file_name(self, key: bytes) -> str:
        return f"{self._name}-{hashlib.sha256(key).hexdigest()[:24]}.kernel"


class Folder:
    """The files of one digest.

    Parameters
    ----------
    path : Path
        Named by the digest; made when the first kernel is written.
    digest : str
    """

    def __init__(self, path: Path, digest: str) -> None:
        self.path = path
        self._digest = digest
        self._writable = True
        self._used = False

    def read(self, name: str, key: bytes) -> bytes | None:
        """Return what is stored under a key; None if there is no sound file."""
        try:
            content = (self.path / name).read_bytes()
        except OSError:
            return None
        head = _head(key)
        # 4 bytes of checksum, behind them the data
        body = memoryview(content)[len(head) + 4 :]
        checksum = content[len(head) : len(head) + 4]
        if not content.startswith(head) or zlib.crc32(body).to_bytes(4, "little") != checksum:
            logger.info("stored kernel %s is damaged; compiling again", self.path / name)
            return None
        self._use()
        return bytes(body)

    def write(self, name: str, key: bytes, data: bytes) -> None:
        """Store data under a key, whole or not at all; a failure is said once and costs the storing only."""
        if not self._writable:
            return
        if _digest() != self._digest:
            # the program text was changed after this process had read it: its code must not stand under either digest
            self._writable = False
            logger.info("kernel files have changed; nothing compiled from now on is stored")
            return
        temporary = self.path / f"{uuid.uuid4().hex}.part"
        try:
            if not self.path.is_dir():
                self.path.mkdir(parents=True, exist_ok=True)
                _forget_unused(self.path)
            temporary.write_bytes(_head(key) + zlib.crc32(data).to_bytes(4, "little") + data)
            temporary.replace(self.path / name)
        except OSError as error:
            self._writable = False
            logger.warning(
                "compiled kernels are not stored in %s (%s) and are compiled again by every run; "
                "set ALEGEAR_CACHE_DIR to a writable folder",
                self.path,
                error,
            )
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _use(self) -> None:
        """Note once a process that this folder is in use."""
        if not self._used:
            self._used = True
            with contextlib.suppress(OSError):
                os.utime(self.path)


@contextlib.contextmanager
def measured_compilation() -> Iterator[dict[str, float]]:
    """Measure what is compiled, and for how long, while the context lasts.

    Yields
    ------
    dict of str to float
        Processor seconds of each kernel, in the order in which they were done, without those of other kernels that
        were compiled on the way. A further signature has its number behind the name: ``fe._kernels.row [2]``.
    """
    seconds: dict[str, float] = {}

    class Clock(event.Listener):  # type: ignore[misc, unused-ignore]
        """One entry a compilation under way: when it began, and the time of those within it [s]."""

        def __init__(self) -> None:
            self._open: list[list[float]] = []

        def on_start(self, event: Any) -> None:
            self._open.append([time.thread_time(), 0.0])

        def on_end(self, event: Any) -> None:
            began, within = self._open.pop()
            whole = time.thread_time() - began
            function = event.data["dispatcher"].py_func
            if not function.__module__.startswith("alegear."):
                # Numba's own functions count as part of the kernel that uses them
                if self._open:
                    self._open[-1][1] += within
                return
            if self._open:
                self._open[-1][1] += whole
            name = f"{function.__module__.removeprefix('alegear.')}.{function.__qualname__}"
            number = 1 + sum(other == name or other.startswith(f"{name} [") for other in seconds)
            seconds[name if number == 1 else f"{name} [{number}]"] = whole - within

    clock = Clock()
    event.register("numba:compile", clock)
    try:
        yield seconds
    finally:
        event.unregister("numba:compile", clock)


def _compile_for_types_only(dispatcher: Any) -> None:
    """Let kernels that call this one with constants, ``f(x, True)``, share the code for the type of the constants.

    Numba compiles anew for each value. The results are the same.
    """
    if not hasattr(dispatcher, "get_call_template"):
        return
    of_numba = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        types = tuple(numba.types.unliteral(argument) for argument in args)
        return of_numba(types, {name: numba.types.unliteral(argument) for name, argument in kws.items()})

    dispatcher.get_call_template = get_call_template


def _described(argument: Any) -> str:
    """Name a type whole: the names of the fields of a named tuple, too, which Numba leaves out."""
    members = (*getattr(argument, "types", ()), *getattr(argument, "fields", ()))
    inner = [member if isinstance(member, str) else _described(member) for member in members]
    return f"{argument}{inner}" if inner else str(argument)


def _head(key: bytes) -> bytes:
    return FORMAT + len(key).to_bytes(4, "little") + key


def _digest() -> str | None:
    """Hash what machine code depends on; None if the program text cannot be read."""
    digest = hashlib.sha256(FORMAT)
    try:
        for path in _FILES:
            text = path.read_bytes()
            digest.update(f"{path.relative_to(_PACKAGE).as_posix()} {len(text)};".encode())
            digest.update(text)
    except OSError:
        return None
    versions = (platform.python_version(), np.__version__, numba.__version__, llvmlite.__version__)
    settings = [(name, getattr(config, name, None)) for name in _SETTINGS]
    digest.update(repr((platform.python_implementation(), versions, settings)).encode())
    return digest.hexdigest()


#: Digest of the program text as this process reads it: kernel modules import this one first.
_DIGEST = _digest()


@cache
def _folder(module: str, root: Path) -> Folder | None:
    """Return the folder of the kernels of a module; None if they must not be stored.

    A module that is imported after a kernel file has changed would mix new kernels with old ones.
    """
    if _DIGEST is None or _digest() != _DIGEST:
        logger.info("the kernels of %s are compiled in memory: program text changed or not at hand", module)
        return None
    return _folder_at(root / _DIGEST[:24], _DIGEST)


@cache
def _folder_at(path: Path, digest: str) -> Folder:
    """Return the one folder of this path, so that a failure is said once."""
    return Folder(path, digest)


def _forget_unused(current: Path) -> None:
    """Remove the folders that nobody has used for long; called when a new one is made."""
    for path in current.parent.iterdir():
        with contextlib.suppress(OSError):
            if path != current and path.is_dir() and time.time() - path.stat().st_mtime > FORGET_AFTER:
                shutil.rmtree(path, ignore_errors=True)


def _numba_is_as_expected(dispatcher: Any) -> bool:
    """Look for the parts of Numba that are not of its public interface."""
    return all(
        hasattr(owner, name)
        for owner, name in (
            (dispatcher, "_cache"),
            (CompileResult, "_reduce"),
            (CompileResult, "_rebuild"),
            (serialize, "dumps"),
        )
    )


def _keep_as_numba_does(dispatcher: Any, folder: Folder) -> None:
    """Let a Numba that is made otherwise keep its code its own way, in a folder of the digest all the same."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder.path / "numba")  # read once, when caching is enabled
    try:
        dispatcher.enable_caching()
    except RuntimeError as error:
        logger.warning("compiled kernels are not stored (%s)", error)
    finally:
        config.CACHE_DIR = before
