"""Sets of region points: a bit a point, in a few 64-bit words.

A set is an array of words, or a row of the scratch of `eyes`. The kernels here are what zones, areas and
chains are made of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from miai.kernel import PLAIN, inlined, leaf

VOID = np.uint64(0)
ONE = np.uint64(1)


def lowest(word: Any) -> Any:
    """Inside a kernel: the number of the lowest bit that is set; the word must not be 0."""
    return (int(word) & -int(word)).bit_length() - 1


def how_many(word: Any) -> Any:
    """Inside a kernel: how many bits are set."""
    return int(word).bit_count()


if not PLAIN:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest(typing: Any, word: Any) -> Any:
        def count(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), count

    @intrinsic  # type: ignore[untyped-decorator]
    def how_many(typing: Any, word: Any) -> Any:
        def count(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.ctpop(values[0])

        return types.int64(types.uint64), count


@inlined
def without_lowest(word):  # type: ignore[no-untyped-def]
    """The word with its lowest bit taken away."""
    return word & (word - ONE)


@inlined
def bit_in_word(bit):  # type: ignore[no-untyped-def]
    """The word in which only this point's bit is set."""
    return ONE << np.uint64(bit & 63)


@leaf
def add(words, bit):  # type: ignore[no-untyped-def]
    """Put one point into a set; -1 (outside the region) is ignored."""
    if bit >= 0:
        words[bit >> 6] |= bit_in_word(bit)


@leaf
def has(words, bit):  # type: ignore[no-untyped-def]
    return words[bit >> 6] & bit_in_word(bit) != VOID


@leaf
def is_empty(words, count):  # type: ignore[no-untyped-def]
    """Is nothing in the first `count` words?"""
    for w in range(count):
        if words[w] != VOID:
            return False
    return True


@leaf
def size(words, count):  # type: ignore[no-untyped-def]
    """How many points the set has."""
    total = 0
    for w in range(count):
        total += how_many(words[w])
    return total


@leaf
def merge(words, other, count):  # type: ignore[no-untyped-def]
    for w in range(count):
        words[w] |= other[w]


@leaf
def clear(words, count):  # type: ignore[no-untyped-def]
    for w in range(count):
        words[w] = VOID
