"""Named tuples by their address: what a kernel reads is what Python put in, whatever lies before it."""

from __future__ import annotations

import gc
import pickle
import sys
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import types

from alegear.kernels.structs import KernelStruct, kernel_struct


@kernel_struct
class Inner(NamedTuple):
    """Members of all sizes, so that a wrong place is seen."""

    on: bool
    values: Any
    count: int
    grid: Any


@kernel_struct
class Outer(NamedTuple):
    """Two of them with numbers between."""

    small: np.float32
    one: Inner
    weight: float
    two: Inner
    last: np.int8


def outer(scale: float = 1.0) -> Outer:
    one = Inner(on=True, values=scale * np.arange(3.0), count=7, grid=np.arange(24).reshape(2, 3, 4))
    two = Inner(on=False, values=scale * np.arange(5.0)[::2], count=-8, grid=np.ones((1, 2, 3), dtype=int))
    return Outer(small=np.float32(0.5), one=one, weight=scale * 2.25, two=two, last=np.int8(-3))


@numba.njit
def inner_sum(inner: Any) -> Any:
    total = inner.values.sum() + inner.count + inner.grid[-1, 1, 2]
    return total if inner.on else -total


@numba.njit
def read(struct: Any, first: Any) -> Any:
    chosen = struct.one if first else struct.two
    return inner_sum(chosen), struct.small, struct.weight, struct.last, chosen.grid.shape[1]


@numba.njit
def write(struct: Any, value: Any) -> None:
    struct.two.values[1] = value
    struct.one.grid[1, 2, 3] += 1


@numba.njit(_nrt=False)
def read_without_references(struct: Any) -> Any:
    return struct.two.values[2] * struct.weight


def test_members_are_read_wherever_they_lie() -> None:
    struct = outer()
    assert read(struct, True) == (3.0 + 7 + 18, 0.5, 2.25, -3, 3)
    assert read(struct, False) == (-(6.0 - 8 + 1), 0.5, 2.25, -3, 2)
    assert read_without_references(struct) == 4.0 * 2.25
    assert read(outer(2.0), True)[0] == 6.0 + 7 + 18


def test_arrays_are_those_of_the_caller() -> None:
    struct = outer()
    write(struct, 99.0)
    assert struct.two.values[1] == 99.0
    assert struct.one.grid[1, 2, 3] == 24


@pytest.mark.parametrize("kernel", [read, read_without_references])
def test_no_reference_is_kept_nor_lost(kernel: Any) -> None:
    struct = outer()
    arguments = (struct, True) if kernel is read else (struct,)
    kernel(*arguments)
    gc.collect()
    before = [sys.getrefcount(item) for item in (struct, struct.one, struct.one.values, struct.two.grid)]
    for _ in range(100):
        kernel(*arguments)
    assert [sys.getrefcount(item) for item in (struct, struct.one, struct.one.values, struct.two.grid)] == before


def test_one_type_for_members_alike_and_another_for_others() -> None:
    assert numba.typeof(outer()) is numba.typeof(outer(3.0))
    assert numba.typeof(outer()) != numba.typeof(outer()._replace(weight=1))
    typed = numba.typeof(outer())
    assert isinstance(typed, KernelStruct)
    # stored machine code names its types
    assert pickle.loads(pickle.dumps(typed)) is typed


def test_symbols_stay_short_and_tell_types_apart() -> None:
    names = {str(numba.typeof(struct).mangling_args) for struct in (outer(), outer()._replace(weight=1))}
    assert len(names) == 2
    assert max(map(len, names)) < 40


def test_member_of_a_kind_that_kernels_do_not_know() -> None:
    with pytest.raises(TypeError, match=r"Outer\.weight = str"):
        read(outer()._replace(weight="heavy"), True)
    with pytest.raises(TypeError, match=r"Inner\.values = object"):
        read(outer()._replace(two=outer().two._replace(values=object())), True)


def test_member_that_is_not_there() -> None:
    @numba.njit
    def wrong(struct: Any) -> Any:
        return struct.three

    with pytest.raises(numba.TypingError, match="three"):
        wrong(outer())


def test_plain_named_tuples_are_left_to_numba() -> None:
    class Plain(NamedTuple):
        x: float

    assert isinstance(numba.typeof(Plain(1.0)), types.NamedUniTuple)
