"""The table of positions: proof numbers while a position is open, the zone once it is proved.

Buckets of four; where a bucket is full, the entry that cost least goes. A result that rests on a
repetition holds only below the ancestors it repeats: such an entry stores the hash of the path down
to the deepest of them and is believed on that path only (`lo`, `hi` are the depths, -1 for none).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.kernel import kernel

BUCKET = 4
UNCONDITIONAL = -1


ENTRY = np.dtype(
    [
        ("key", np.uint64),  # 0 where the entry is free
        ("check", np.uint64),  # a second hash of the stones
        ("path", np.uint64),  # hash of the path down to `hi`
        ("phi", np.int32),  # proof number of the side to move
        ("delta", np.int32),  # … of the other side
        ("work", np.int32),  # nodes spent below
        ("move", np.int16),  # best move known
        ("lo", np.int16),
        ("hi", np.int16),
    ],
    align=True,
)


class Table(NamedTuple):
    entry: npt.NDArray[np.void]  # [entries] of ENTRY
    zone: npt.NDArray[np.uint64]  # [entries, words] of what is proved


def make_table(megabytes: int, words: int) -> Table:
    """A table that fits into `megabytes`. The system hands out its pages only as they are used."""
    entries = BUCKET
    while entries * 2 * (ENTRY.itemsize + 8 * words) <= megabytes << 20:
        entries *= 2
    return Table(np.zeros(entries, dtype=ENTRY), np.zeros((entries, words), dtype=np.uint64))


@kernel
def find(t, key, check):  # type: ignore[no-untyped-def]
    """The entry of a position, or -1."""
    start = np.int64(key & np.uint64(t.entry.size // BUCKET - 1)) * BUCKET
    for i in range(start, start + BUCKET):
        if t.entry[i].key == key and t.entry[i].check == check:
            return i
    return -1


@kernel
def place_for(t, key, check):  # type: ignore[no-untyped-def]
    """The entry to write a position to: its own, a free one, or the cheapest of the bucket."""
    start = np.int64(key & np.uint64(t.entry.size // BUCKET - 1)) * BUCKET
    cheapest = start
    for i in range(start, start + BUCKET):
        if (t.entry[i].key == key and t.entry[i].check == check) or t.entry[i].key == np.uint64(0):
            return i
        if t.entry[i].work < t.entry[cheapest].work:
            cheapest = np.int64(i)
    return cheapest
