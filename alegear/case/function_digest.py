"""Hashes of functions and objects that a program hands to a case: of all that what they return depends on.

Of a function these are its code, defaults, what it takes from around it and the global names that it reads, of an
object its class and its state as :mod:`pickle` would store them, and so on, down to numbers, texts and arrays. What
belongs to an installed library counts by its name and the library's version. The hash is the same in every process
that runs the same program: no addresses, no order of sets.

What could answer otherwise the next time (random generators, clocks, open files, iterators, objects of C that do not
say what they hold) cannot be identified: the hash gets a random word in its place.

No library does this: joblib and dask take functions of a module by their name alone, and the bytes of cloudpickle and
dill differ from process to process.
"""

from __future__ import annotations

import builtins
import copyreg
import dis
import functools
import hashlib
import importlib
import importlib.util
import platform
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alegear._version import __version__

#: Modules whose answers depend on when and where they are asked.
_OUTSIDE = frozenset(
    {"_datetime", "_io", "_random", "_socket", "_uuid", "datetime", "io", "nt", "os", "posix", "random", "secrets"}
    | {"numpy.random", "socket", "subprocess", "time", "urllib", "uuid"}
)
#: Functions of Python itself that reach what a function does not name.
_REACHING = frozenset({"__import__", "eval", "exec", "globals", "id", "input", "locals", "open", "vars"})
#: Modules whose classes draw random numbers; NumPy's is heavy, and loaded by who uses it.
_RANDOM = ("random", "_random", "numpy.random")
#: Names in a class that say nothing about what it computes, or say it again.
_NO_CONTENT = frozenset(
    {"__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__"}
    | {"__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__", "__match_args__"}
    | {"__module__", "__orig_bases__", "__parameters__", "__qualname__", "__static_attributes__", "__weakref__"}
    | {"_abc_impl"}
)
_READS_NAME = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_READS_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_DESCRIPTORS = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)


class FunctionDigest:
    """Hashes of the functions and objects of one case.

    Parameters
    ----------
    word : str
        Stands for whatever cannot be identified; a random one.
    part : callable
        Hash of what is of alegear itself: its dataclasses say by their fields what they are.
    """

    def __init__(self, word: str, part: Callable[[object], bytes]) -> None:
        self._word, self._part = word.encode(), part
        self._known: dict[int, tuple[object, bytes]] = {}  # with the objects, so that no address is used again
        self._open: list[int] = []
        self._places: list[str] = []
        #: What cannot be identified, in words.
        self.indeterminate: list[str] = []

    def of(self, value: object) -> bytes:
        """Hash of a function or an object."""
        plain = _plain(value)
        if plain is not None:
            return plain
        key = id(value)
        if key in self._known:
            return self._known[key][1]
        if key in self._open:
            return f"around {len(self._open) - self._open.index(key)};".encode()
        self._open.append(key)
        try:
            digest = hashlib.sha256()
            for part in self._parts(value):
                digest.update(len(part).to_bytes(8, "little") + part)
            found = digest.digest()
        except RecursionError:
            if len(self._open) > 1:
                raise
            found = self._indeterminate(value, "is nested too deeply")
        finally:
            self._open.pop()
        self._known[key] = value, found
        return found

    def _indeterminate(self, value: object, reason: str) -> bytes:
        """Put down what cannot be identified, and where it was met."""
        place = next((place for place in reversed(self._places)), "")
        text = f"{_name(value)}{f' of {place}' if place and place != _name(value) else ''} {reason}"
        if text not in self.indeterminate:
            self.indeterminate.append(text)
        return b"indeterminate " + self._word

    # ------------------------------------------------------------------ kinds of objects
    def _parts(self, value: Any) -> Iterator[bytes]:
        """Yield what distinguishes a value from others."""
        yield type(value).__qualname__.encode()
        if is_of_alegear(value):
            yield self._part(value)
        elif any(_is_within(one.__module__, _RANDOM) for one in type(value).__mro__):
            yield self._indeterminate(value, "draws random numbers")
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, types.MethodType):
            yield from (self.of(value.__func__), self.of(value.__self__))
        elif isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType):
            yield from self._builtin(value)
        elif isinstance(value, types.CodeType):
            yield from self._code(value)
        elif isinstance(value, types.CellType):
            yield self.of(value.cell_contents) if _is_filled(value) else b"empty"
        elif isinstance(value, types.ModuleType):
            yield from self._module(value)
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, _DESCRIPTORS):
            yield f"{value.__objclass__.__qualname__}.{value.__name__}".encode()
        elif isinstance(value, property):
            yield from map(self.of, (value.fget, value.fset, value.fdel))
        elif isinstance(value, staticmethod | classmethod):
            yield self.of(value.__func__)
        elif isinstance(value, functools.cached_property):
            yield self.of(value.func)
        elif isinstance(value, functools._lru_cache_wrapper):
            yield self.of(value.__wrapped__)
        elif type(value) in (np.ndarray, np.memmap):
            yield from self._array(value)
        elif type(value) in (tuple, list):
            yield from map(self.of, value)
        elif type(value) is dict or isinstance(value, types.MappingProxyType):
            for key, one in value.items():  # in their order, in which a function may go through them
                yield from (self.of(key), self.of(one))
        elif type(value) in (set, frozenset):
            yield from sorted(map(self.of, value))
        elif hasattr(type(value), "__next__"):
            yield self._indeterminate(value, "goes on from call to call")
        elif _is_compiled(value):
            yield from (self.of(value.py_func), repr(sorted(value.targetoptions.items())).encode())
        else:
            yield from self._object(value)

    def _function(self, function: types.FunctionType) -> Iterator[bytes]:
        if _of_library(function.__module__) and _is_found(function, function.__module__, function.__qualname__):
            yield self._named(function, function.__module__, function.__qualname__)
            return
        self._places.append(_name(function))
        try:
            for part in (function.__code__, function.__defaults__, function.__kwdefaults__, function.__dict__):
                yield self.of(part)
            read = self._around(function)
            for name in sorted(read):
                value = read[name]
                if name in _REACHING and value is vars(builtins)[name] and not _is_installed(function):
                    yield self._indeterminate(value, "reaches what the function does not name")
                else:
                    yield from (name.encode(), b"missing" if value is _MISSING else self.of(value))
            for name in sorted(set(_imports(function))):
                yield from (name.encode(), self._imported(name))
        finally:
            self._places.pop()

    def _around(self, function: types.FunctionType) -> dict[str, Any]:
        """Return what a function takes from around it: of a module only that which it reads there, by dotted name."""
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        modules = {name for name, cell in cells.items() if _is_filled(cell) and _is_module(cell.cell_contents)}
        read: dict[str, Any] = {name: cell for name, cell in cells.items() if name not in modules}
        for is_global, name, attributes in _names_read(function.__code__):
            if is_global:
                found = function.__globals__.get(name, getattr(builtins, name, _MISSING))
            elif name in modules:
                found = cells[name].cell_contents
            else:
                continue
            place, way = name, list(attributes)
            while way and (_is_module(found) or _is_library_class(found)) and hasattr(found, way[0]):
                found, place = getattr(found, way[0]), f"{place}.{way.pop(0)}"
            read[place] = found
        return read

    def _code(self, code: types.CodeType) -> Iterator[bytes]:
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        yield from (code.co_code, code.co_exceptiontable, repr((counts, names)).encode())
        yield from map(self.of, code.co_consts)

    def _builtin(self, function: Any) -> Iterator[bytes]:
        owner = function.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            module = function.__module__ or (owner.__name__ if owner is not None else "")
            yield self._named(function, module, function.__qualname__)
        elif isinstance(owner, type) and _is_within(owner.__module__, _OUTSIDE):
            yield self._indeterminate(function, _NOT_ALIKE)
        else:
            yield from (function.__name__.encode(), self.of(owner))

    def _module(self, module: types.ModuleType) -> Iterator[bytes]:
        if _of_library(module.__name__):
            yield self._named(module, module.__name__, "")
            return
        for name, value in vars(module).items():
            if not name.startswith("__"):
                yield from (name.encode(), self.of(value))

    def _imported(self, name: str) -> bytes:
        """Identify a module that a function imports when it is called."""
        if _of_library(name):
            return self._named(name, name, "")
        try:
            return self.of(importlib.import_module(name))
        except Exception as error:  # whatever it raises it would raise in the function
            return type(error).__qualname__.encode()

    def _class(self, cls: type) -> Iterator[bytes]:
        if _of_library(cls.__module__) and _is_found(cls, cls.__module__, cls.__qualname__):
            yield self._named(cls, cls.__module__, cls.__qualname__)
            return
        yield from map(self.of, cls.__bases__)
        for name, value in vars(cls).items():
            if name not in _NO_CONTENT:
                yield from (name.encode(), self.of(value))

    def _array(self, array: Any) -> Iterator[bytes]:
        yield f"{array.shape} {array.dtype.descr if array.dtype.names else array.dtype.str}".encode()
        if array.dtype.hasobject:
            yield from map(self.of, array.ravel().tolist())
        else:
            yield array.tobytes()

    def _object(self, value: Any) -> Iterator[bytes]:
        """Yield class and state of an object, as pickle takes them."""
        reduce = copyreg.dispatch_table.get(type(value))
        try:
            reduced = reduce(value) if reduce is not None else value.__reduce_ex__(4)
        except RecursionError:
            raise
        except Exception:  # whatever an object raises that does not want to be stored
            yield self._indeterminate(value, "does not say what it holds")
            return
        if isinstance(reduced, str):
            module = getattr(value, "__module__", None) or _module_of(value, reduced)
            if module is None or not _is_found(value, module, reduced):
                yield self._indeterminate(value, "does not say what it holds")
            else:
                yield self._named(value, module, reduced)
            return
        make, args, state, items, pairs = (*reduced, None, None, None)[:5]
        yield from (self.of(type(value)), self.of(make), self.of(args))
        yield self.of(_without_caches(type(value), state))
        yield self.of(None if items is None else list(items))
        yield self.of(None if pairs is None else list(pairs))

    def _named(self, value: object, module: str, name: str) -> bytes:
        """Identify what belongs to a library by its name and the library's version."""
        if _is_within(module, _OUTSIDE) and not isinstance(value, type):
            return self._indeterminate(value, _NOT_ALIKE)
        return f"{module} {name} {_version(module.partition('.')[0])}".encode()


_MISSING = object()
_NOT_ALIKE = "depends on when and where it is called"


# ------------------------------------------------------------------------------ what does not need to be taken apart
def _plain(value: Any) -> bytes | None:
    """Return a number, text or constant by itself; None of anything else."""
    kind = type(value)
    if value is None or value is Ellipsis or value is NotImplemented or kind is bool:
        return repr(value).encode()
    if kind is int:
        return b"int " + hex(value).encode()  # of any length
    if kind is float:
        return b"float " + value.hex().encode()
    if kind is complex:
        return f"complex {value.real.hex()} {value.imag.hex()}".encode()
    if kind is str:
        return b"str " + value.encode("utf-8", "surrogatepass")
    if kind is bytes:
        return b"bytes " + value
    return None


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _is_module(value: object) -> bool:
    return isinstance(value, types.ModuleType)


def _is_library_class(value: object) -> bool:
    return isinstance(value, type) and _of_library(value.__module__)


def _is_within(module: str, those: Iterable[str]) -> bool:
    return any(module == one or module.startswith(f"{one}.") for one in those)


def _is_compiled(value: Any) -> bool:
    """Whether it is a function that Numba compiles."""
    return type(value).__module__.startswith("numba.") and hasattr(value, "py_func")


def _name(value: Any) -> str:
    """Name an object in words."""
    if isinstance(value, types.FunctionType):
        code = value.__code__
        return f"function {value.__qualname__} ({Path(code.co_filename).name}, line {code.co_firstlineno})"
    if isinstance(value, str):
        return f"module {value}"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if callable(value) and hasattr(value, "__qualname__"):
        return f"function {value.__qualname__}"
    module = type(value).__module__
    return f"a {'' if module == 'builtins' else f'{module}.'}{type(value).__qualname__}"


# ------------------------------------------------------------------------------------- names that a function reads
def _names_read(code: types.CodeType) -> Iterator[tuple[bool, str, list[str]]]:
    """Yield the names that code reads from around it: whether global, and the attributes that it takes at once."""
    begun: tuple[bool, str, list[str]] | None = None
    for instruction in dis.get_instructions(code):
        if begun is not None and instruction.opname in _READS_ATTRIBUTE:
            begun[2].append(instruction.argval)
            continue
        if begun is not None:
            yield begun
        is_global = instruction.opname in _READS_NAME
        is_free = instruction.opname == "LOAD_DEREF" and instruction.argval in code.co_freevars
        begun = (is_global, instruction.argval, []) if is_global or is_free else None
    if begun is not None:
        yield begun
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from (one for one in _names_read(const) if one[0] or one[1] in code.co_freevars)


def _imports(function: types.FunctionType) -> Iterator[str]:
    """Yield the modules that a function imports when it is called."""
    codes = [function.__code__]
    package = function.__globals__.get("__package__") or ""
    while codes:
        code = codes.pop()
        codes += [const for const in code.co_consts if isinstance(const, types.CodeType)]
        before: list[Any] = [0, None]
        for instruction in dis.get_instructions(code):
            if instruction.opname == "IMPORT_NAME":
                level = before[0] if isinstance(before[0], int) else 0
                name = "." * level + instruction.argval
                yield importlib.util.resolve_name(name, package) if level and package else instruction.argval
            before = [before[1], instruction.argval]


# ---------------------------------------------------------------------------------------------------------- libraries
@functools.cache
def _of_library(module: str | None) -> bool:
    """Whether a module belongs to Python, to alegear or to an installed library."""
    top = (module or "").partition(".")[0]
    if top == "alegear" or top in sys.stdlib_module_names or top in sys.builtin_module_names:
        return True
    if top in ("", "__main__"):
        return False
    loaded = sys.modules.get(top)
    try:
        spec = loaded.__spec__ if loaded is not None else importlib.util.find_spec(top)
    except (ImportError, ValueError, AttributeError):
        return False
    places = [spec.origin] if spec and spec.origin else list(spec.submodule_search_locations or []) if spec else []
    return any(not _installed().isdisjoint(Path(place).resolve().parents) for place in places)


def _is_installed(function: types.FunctionType) -> bool:
    """Whether the text of a function stands in a library, wherever it was made: that of a decorator, for example."""
    return not _installed().isdisjoint(Path(function.__code__.co_filename).parents)


@functools.cache
def _installed() -> frozenset[Path]:
    """Folders of Python and of installed libraries."""
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    places = {Path(sysconfig.get_path(kind)) for kind in kinds}
    return frozenset(places | {place.resolve() for place in places})


@functools.cache
def _version(top: str) -> str:
    """Return the version of a library."""
    if top == "alegear":
        return __version__
    if top in sys.stdlib_module_names:
        return platform.python_version()
    from importlib import metadata  # a twentieth of a second

    version = getattr(sys.modules.get(top), "__version__", None)
    try:
        return str(version) if version is not None else metadata.version(top)
    except metadata.PackageNotFoundError:
        return ""


def _is_found(value: object, module: str | None, name: str) -> bool:
    """Whether a value is what a module has under its name."""
    found: Any = sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def _module_of(value: object, name: str) -> str | None:
    """Return the first module that has a value under a name: universal functions do not know theirs."""
    loaded = [one for one in ("numpy", "scipy.special", type(value).__module__) if one in sys.modules]
    return next((one for one in loaded if _is_found(value, one, name)), None)


def _without_caches(cls: type, state: Any) -> Any:
    """Return the state of an object without what its class keeps only so as not to compute it again."""

    def kept(part: Any) -> Any:
        if type(part) is not dict:
            return part
        caches = {name for name in part if isinstance(getattr(cls, str(name), None), functools.cached_property)}
        return {name: value for name, value in part.items() if name not in caches}

    return tuple(map(kept, state)) if type(state) is tuple and len(state) == 2 else kept(state)


def is_of_alegear(value: object) -> bool:
    """Whether an object is one of alegear's own dataclasses."""
    return is_dataclass(type(value)) and type(value).__module__.partition(".")[0] == "alegear"
