"""Numba's compiler with code libraries and a store of our own: what takes names of Numba that are not public.

Left out, whole or in part, by ALEGEAR_PLAIN_NUMBA (``private_names.py``); only ``decorators.py`` imports this file.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import pickle
from collections.abc import Callable
from typing import Any

from llvmlite import binding
from numba.core import serialize
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from alegear.kernels.code_folder import Folder, config
from alegear.kernels.private_names import LEFT_OUT

logger = logging.getLogger(__name__)


def of_outer_kernels(*, long_loops: bool) -> dict[str, Any]:
    """Options of `numba.njit` for kernels that Python calls."""
    if {"inner", "passes"} <= LEFT_OUT:
        return {}
    return {"pipeline_class": _CompilerOfLongLoops if long_loops else _CompilerOfKernel}


def of_inner_kernels() -> dict[str, Any]:
    """Options of `numba.njit` for kernels that only kernels call."""
    return {"pipeline_class": _CompilerOfInner, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def of_lean_kernels() -> dict[str, Any]:
    """Options of `numba.njit` for kernels that count no references to the arrays they are given.

    An evaluation of a contact takes 55 us in place of 66 (``README.md``).
    """
    return {} if "lean" in LEFT_OUT else {"_nrt": False}


def without_entry(dispatcher: Any) -> Any:
    """Let a kernel be called by kernels only, and be stored as part of them only."""
    name = dispatcher.py_func.__qualname__

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{name} is called by other kernels only")

    def add_overload(compiled: Any) -> None:
        # known to kernels, not to the entry from Python, which would jump to nowhere
        if compiled.entry_point is None:
            # Numba names a callee by its entry point
            compiled = compiled._replace(entry_point=object())
            compiled.target_context.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled

    dispatcher.add_overload = add_overload
    dispatcher._compile_for_args = refuse
    dispatcher._cache.disable()
    return dispatcher


def keep(dispatcher: Any, folder: Folder) -> None:
    """Keep the machine code of a kernel in a folder; of several processes one compiles it, and the others wait."""
    cache = dispatcher._cache = KernelCache(dispatcher.py_func, folder)
    compile_signature = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        # the lock of the compiler first: a thread that waits for it must not have a kernel locked
        with global_compiler_lock, contextlib.ExitStack() as cache.compiling:
            return compile_signature(signature)

    dispatcher.compile = compile_alone


def is_kept(dispatcher: Any, types: tuple[Any, ...]) -> bool:
    """Whether machine code of a kernel for arguments of these types is at hand, or cannot be kept."""
    return types in dispatcher.overloads or not dispatcher._cache.lacks(types)


class _Code(JITCodeLibrary):  # type: ignore[misc, unused-ignore]
    """Code of a kernel that Python calls, with that of all inner kernels below it."""

    long_loops = False

    def add_linking_library(self, library: Any) -> None:
        super().add_linking_library(library)
        if isinstance(library, _InnerCode):
            for below in library._linking_libraries:
                self.add_linking_library(below)

    def _optimize_final_module(self) -> None:
        if "passes" in LEFT_OUT:
            super()._optimize_final_module()
            return
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


class _CompilerOfKernel(Compiler):  # type: ignore[misc, unused-ignore]
    """Numba's compiler with a code library of ours."""

    code: type[JITCodeLibrary] = _Code

    def compile_extra(self, func: Callable[..., Any]) -> Any:
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
        self.compiling = contextlib.ExitStack()  # closed when the compilation that is under way has ended

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
        name = self._file_name(key)
        data = self._folder.read(name, key)
        if data is None:
            self.compiling.enter_context(self._folder.alone(name))
            data = self._folder.read(name, key)
        if data is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(data))
        except Exception as error:
            # code that cannot be taken up again, for whichever reason, is compiled again
            logger.info("stored kernel %s is not usable (%s); compiling again", self._name, error)
            return None

    def lacks(self, sig: Any) -> bool:
        """Whether nothing is stored of a signature that could be."""
        name = self._file_name(self._key(sig, cpu_target.target_context.codegen()))
        return self._enabled and self._folder.is_own and not (self._folder.path / name).exists()

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


def _described(argument: Any) -> str:
    """Name a type whole: the names of the fields of a named tuple, too, which Numba leaves out."""
    members = (*getattr(argument, "types", ()), *getattr(argument, "fields", ()))
    inner = [member if isinstance(member, str) else _described(member) for member in members]
    return f"{argument}{inner}" if inner else str(argument)
