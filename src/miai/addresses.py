"""Arrays by their address, for kernels that call each other all the time.

A kernel that gets arrays hands several numbers of each on at every call, and counts references; a dozen of
them cost more than the work. So a record says where they are, and these look there:

    entry = record_at(table.entry, index, ENTRY)    a record of an array of records
    zone = row_at(table.zone, index, table.words)   a row of an array [rows, words] of 64 bits each

`table` is one address then. In plain Python (`NUMBA_DISABLE_JIT=1`) it has the arrays themselves. Whoever
makes such a record must keep its arrays alive.
"""

from __future__ import annotations

from typing import Any

from miai.kernel import PLAIN


def record_at(array: Any, index: Any, dtype: Any) -> Any:
    """Inside a kernel: the record number `index` of the array of them at an address."""
    return array[index]


def row_at(array: Any, row: Any, length: Any) -> Any:
    """Inside a kernel: a row, of so many numbers of 64 bits, of the array [rows, length] at an address."""
    return array[row]


def copy_record(to: Any, there: Any, array: Any, index: Any, dtype: Any) -> Any:
    """Inside a kernel: write the record number `index` of one array over number `there` of another."""
    to[there] = array[index]


def fetch_ahead(array: Any, index: Any) -> Any:
    """Inside a kernel: number `index` of the numbers of 64 bits at an address will be read soon."""


if not PLAIN:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic
    from numba.np import arrayobj

    def _pointer(context: Any, builder: Any, address: Any, index: Any, record: Any) -> Any:
        offset = builder.mul(index, ir.Constant(ir.IntType(64), record.size))
        return builder.inttoptr(builder.add(address, offset), context.get_value_type(record))

    @intrinsic  # type: ignore[untyped-decorator]
    def record_at(typing: Any, array: Any, index: Any, dtype: Any) -> Any:
        def look(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return _pointer(context, builder, values[0], values[1], dtype.dtype)

        return dtype.dtype(types.int64, types.int64, dtype), look

    @intrinsic  # type: ignore[untyped-decorator]
    def row_at(typing: Any, array: Any, row: Any, length: Any) -> Any:
        kind = types.Array(types.uint64, 1, "C")

        def look(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            address, number, many = values
            size = ir.Constant(ir.IntType(64), 8)
            start = builder.add(address, builder.mul(builder.mul(number, many), size))
            view = arrayobj.make_array(kind)(context, builder)
            arrayobj.populate_array(
                view,
                data=builder.inttoptr(start, view.data.type),
                shape=cgutils.pack_array(builder, [many]),
                strides=cgutils.pack_array(builder, [size]),
                itemsize=size,
                meminfo=None,
            )
            return view._getvalue()

        return kind(types.int64, types.int64, types.int64), look

    @intrinsic  # type: ignore[untyped-decorator]
    def fetch_ahead(typing: Any, array: Any, index: Any) -> Any:
        def fetch(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            whole, short = ir.IntType(64), ir.IntType(32)
            where = builder.add(values[0], builder.mul(values[1], ir.Constant(whole, 8)))
            pointer = builder.inttoptr(where, cgutils.voidptr_t)
            kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, short, short, short])
            prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            to_read, stays, data = (ir.Constant(short, number) for number in (0, 3, 1))
            builder.call(prefetch, [pointer, to_read, stays, data])
            return context.get_dummy_value()

        return types.none(types.int64, types.int64), fetch

    @intrinsic  # type: ignore[untyped-decorator]
    def copy_record(typing: Any, to: Any, there: Any, array: Any, index: Any, dtype: Any) -> Any:
        def copy(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            target = _pointer(context, builder, values[0], values[1], dtype.dtype)
            source = _pointer(context, builder, values[2], values[3], dtype.dtype)
            size = ir.Constant(ir.IntType(64), dtype.dtype.size)
            cgutils.raw_memcpy(builder, target, source, size, 1)
            return context.get_dummy_value()

        whole = types.int64
        return types.none(whole, whole, whole, whole, dtype), copy
