"""Named tuples that kernels get by their address, as a function in C gets a struct.

Numba hands a named tuple over value by value, and an array is eight values: with the tables of a gear pair in line
contact every call of one kernel by another moved nearly a thousand, and more than half of what the compiler had to read
was that. Of a named tuple that is decorated here only the address goes from kernel to kernel; what a kernel takes out
of it is read then and there. The struct lies on the stack of the entry from Python, those within it lie inside it, and
the arrays belong to the caller. So kernels neither make such tuples, nor change them, nor give back what they hold.

A kernel that Python calls ten thousand times with the same struct gets a handle: to look through a hundred arrays takes
longer than what such a kernel does with them (``handle_kernels.py``): ``struct_at(handle, KIND)`` finds it again.

The type is made by Numba's extension interface, as its own ``structref`` is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

Struct = TypeVar("Struct", bound=type)
Members = TypeVar("Members", bound=tuple[Any, ...])

_BYTE, _WORD = ir.IntType(8), 8


class KernelStruct(types.Type):  # type: ignore[misc, unused-ignore]
    """Numba's type of a decorated named tuple.

    Parameters
    ----------
    python_class : type
    members : tuple of numba.types.Type
        In the order of its fields.
    """

    def __init__(self, python_class: type, members: tuple[Any, ...]) -> None:
        self.python_class = python_class
        self.fields: tuple[str, ...] = python_class._fields  # type: ignore[attr-defined]
        self.types = members
        inner = ", ".join(f"{field}: {member}" for field, member in zip(self.fields, members, strict=True))
        super().__init__(name=f"{python_class.__module__}.{python_class.__qualname__}({inner})")

    @property
    def mangling_args(self) -> tuple[str, tuple[str, ...]]:
        """Name in the symbols of machine code: every call in the text of a kernel repeats it."""
        return self.python_class.__name__, (hashlib.sha256(self.name.encode()).hexdigest()[:16],)

    def place(self, context: Any, number: int) -> int:
        """Where a member begins [bytes]."""
        return sum(_size(context, member) for member in self.types[:number])


def kernel_struct(named_tuple: Struct) -> Struct:
    """Let kernels get the instances of a named tuple by their address; a decorator.

    Its members are numbers, truth values, arrays and other decorated named tuples; with anything else in it a call
    raises TypeError.
    """

    @typeof_impl.register(named_tuple)
    def typeof(value: Any, purpose: Any) -> KernelStruct:
        members = tuple(typeof_impl(member, purpose) for member in value)
        for field, given, member in zip(value._fields, value, members, strict=True):
            if not isinstance(member, _KNOWN):
                place, kind = f"{named_tuple.__qualname__}.{field}", type(given).__name__
                raise TypeError(f"{place} = {kind}: must be a number, an array or a kernel struct")
        return KernelStruct(named_tuple, members)

    return named_tuple


def room(
    struct: type[Members], shape: int | tuple[int, ...], make: Any = np.zeros, /, **shapes: int | tuple[int, ...]
) -> Members:
    """Make a struct of new arrays of the types that its fields are declared with.

    Parameters
    ----------
    struct : type
        A decorated named tuple; what it holds of others is to be replaced.
    shape : int or tuple of int
        Of all arrays that have none by their name in `shapes`.
    make : callable
        Zeros by default; ``np.empty``.
    """
    return struct(*[make(shapes.get(name, shape), kind) for name, kind in _declared(struct)])


@cache
def _declared(struct: type) -> tuple[tuple[str, Any], ...]:
    """Fields of a struct, with the types of the numbers in those that are arrays."""
    hints = get_type_hints(struct)
    return tuple((name, get_args(get_args(hint)[1])[0] if get_args(hint) else None) for name, hint in hints.items())


@cache
def _size(context: Any, member: Any) -> int:
    """Room of a member [bytes], in whole words."""
    if isinstance(member, KernelStruct):
        return sum(_size(context, inner) for inner in member.types)
    return -(-context.get_abi_sizeof(context.get_data_type(member)) // _WORD) * _WORD


_KNOWN = (types.Number, types.Boolean, types.Array, KernelStruct)

register_model(KernelStruct)(models.OpaqueModel)


@infer_getattr
class _Members(AttributeTemplate):  # type: ignore[misc, unused-ignore]
    key = KernelStruct

    def generic_resolve(self, struct: KernelStruct, attribute: str) -> Any:  # type: ignore[override, unused-ignore]
        return struct.types[struct.fields.index(attribute)] if attribute in struct.fields else None


@lower_getattr_generic(KernelStruct)
def _member(context: Any, builder: Any, struct: KernelStruct, address: Any, field: str) -> Any:
    number = struct.fields.index(field)
    member = struct.types[number]
    address = cgutils.gep_inbounds(builder, address, struct.place(context, number))
    if isinstance(member, KernelStruct):
        return address
    there = builder.bitcast(address, context.get_data_type(member).as_pointer())
    if not isinstance(member, types.Array):
        return context.unpack_value(builder, member, there)
    array = builder.load(there)
    if context.enable_nrt:
        context.nrt.incref(builder, member, array)
    return array


@unbox(KernelStruct)
def _from_python(struct: KernelStruct, value: Any, c: Any) -> Any:
    """Lay a named tuple out on the stack."""
    with c.builder.goto_entry_block():
        # not alloca_once, which writes zeros first: LLVM takes seconds over those of thousands of bytes
        room = c.builder.alloca(ir.ArrayType(_BYTE, _size(c.context, struct)))
    room.align = 16
    address = c.builder.bitcast(room, c.pyapi.voidptr)
    _lay_out(struct, value, address, c)
    # asked once: what became of hundreds of members, each joined to the one before, would keep LLVM busy
    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def _lay_out(struct: KernelStruct, value: Any, address: Any, c: Any) -> None:
    """Write the members of a named tuple; for one that is not what it should be an exception is set."""
    for number, member in enumerate(struct.types):
        item = c.pyapi.tuple_getitem(value, number)
        there = cgutils.gep_inbounds(c.builder, address, struct.place(c.context, number))
        if isinstance(member, KernelStruct):
            _lay_out(member, item, there, c)
        elif isinstance(member, types.Array):
            _borrow_array(item, there, c)
        else:
            native = c.unbox(member, item)
            there = c.builder.bitcast(there, c.context.get_data_type(member).as_pointer())
            c.context.pack_value(c.builder, member, native.value, there)


def _borrow_array(array: Any, there: Any, c: Any) -> None:
    """Describe an array without a reference of our own to it: the caller's outlive the call."""
    form = ir.FunctionType(ir.IntType(32), [c.pyapi.pyobj, c.pyapi.voidptr])
    adapt = cgutils.get_or_insert_function(c.builder.module, form, "numba_adapt_ndarray")
    failed = cgutils.is_not_null(c.builder, c.builder.call(adapt, (array, there)))
    with c.builder.if_then(failed, likely=False):
        c.pyapi.err_set_string("PyExc_TypeError", "a member of a kernel's struct is no array")


def for_kernels(code: Callable[..., Any]) -> Any:
    """Make a function that kernels call without its first argument, the typing context; a decorator."""
    return intrinsic(code)


@for_kernels
def struct_at(typing_context: Any, address: Any, kind: Any) -> Any:
    """The struct of a kind at an address (int64) where :func:`copy_struct` has laid it."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.PointerType(_BYTE))

    return kind.instance_type(types.int64, kind), code


@for_kernels
def copy_struct(typing_context: Any, struct: Any, memory: Any) -> Any:
    """Copy a struct to an array of bytes; returns how many these are, none of them copied if it is too short."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = ir.Constant(ir.IntType(64), _size(context, struct))
        array = context.make_array(memory)(context, builder, arguments[1])
        with builder.if_then(builder.icmp_signed(">=", array.nitems, size)):
            cgutils.raw_memcpy(builder, array.data, builder.bitcast(arguments[0], array.data.type), size, 1)
        return size

    return types.int64(struct, memory), code


def kind_of(value: Any) -> Any:
    """Numba's type of a named tuple, as a constant of kernels."""
    return typeof_impl(value, None)
