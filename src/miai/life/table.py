"""The table of positions: proof numbers while a position is open, the zone once it is proved.

Buckets of four; where a bucket is full, the entry that cost least goes. A position may have several
entries, but only one for each game; most results hold for several games (see `node.games_of`) and stand
there once. Most positions that are asked for are new, and to find that out in the table is to wait for
memory; so a filter, small enough to stay in the cache, is asked first.

A result that rests on a repetition holds only below the ancestors it repeats: such an entry stores the hash
of the path down to the deepest of them and is believed on that path only (`lo`, `hi` are the depths, -1 for
none).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.kernel import as_records, borrowed, inlined, kernel, leaf
from miai.life.advice import Advice, no_advice
from miai.life.experience import make_experience
from miai.life.hints import NO_HINTS
from miai.life.patterns import Patterns, make_patterns

BUCKET = 4
FILTER = 8  # bits of the filter for each entry
UNCONDITIONAL = -1


ENTRY = np.dtype(
    [
        ("key", np.uint64),  # of the position, whatever the game; 0 where the entry is free
        ("check", np.uint64),  # a second hash of the stones
        ("path", np.uint64),  # hash of the path down to `hi`
        ("phi", np.int32),  # proof number of the side to move
        ("delta", np.int32),  # … of the other side
        ("work", np.int32),  # nodes spent below
        ("move", np.int16),  # best move known
        ("lo", np.int16),
        ("hi", np.int16),
        ("base", np.int16, 2),  # the numbers it started with
        ("ko", np.int8),  # of a result: 0 if no ko ban stands anywhere in its proof
        ("games", np.uint8),  # the set of games for which it holds, see `space.game`
    ],
    align=True,
)


class Table(NamedTuple):
    entry: npt.NDArray[np.void]  # [entries] of ENTRY
    zone: npt.NDArray[
        np.uint64
    ]  # [entries, words] of what is proved; of an open position, what `stop` rests on
    stop: npt.NDArray[np.uint64]  # [entries, words] where the attacker must play; empty if anywhere
    filter: npt.NDArray[np.uint64]  # a bit is set for each position, by its key
    filled: npt.NDArray[np.int64]  # [1] entries in use
    patterns: Patterns  # the latest results, for positions that are not in the table
    hints: npt.NDArray[np.uint64]  # see `hints`
    experience: npt.NDArray[np.uint8]  # see `experience`
    advice: Advice  # see `advice`


STEP = 4  # how much a table grows at a time
FIRST_ENTRIES = 1 << 15  # a table starts small, for a fresh page costs more than a node


def entry_bytes(words: int) -> int:
    """What one position takes."""
    return ENTRY.itemsize + 16 * words + FILTER // 8


def most_entries(megabytes: int, words: int) -> int:
    """How many entries, a power of two, fit into that much memory while a table a quarter as large
    is being moved over."""
    entries = BUCKET
    while entries * 2 * entry_bytes(words) * 5 // 4 <= megabytes << 20:
        entries *= 2
    return entries


def make_table(
    entries: int,
    words: int,
    patterns: Patterns | None = None,
    hints: npt.NDArray[np.uint64] = NO_HINTS,
    experience: npt.NDArray[np.uint8] | None = None,
    advice: Advice | None = None,
) -> Table:
    zone, stop = (np.zeros((entries, words), dtype=np.uint64) for _ in range(2))
    entry, filled = as_records(np.zeros(entries, dtype=ENTRY)), np.zeros(1, dtype=np.int64)
    sieve = np.zeros(max(1, entries * FILTER // 64), dtype=np.uint64)
    if experience is None:
        experience = make_experience(64 * words)
    return Table(
        entry,
        zone,
        stop,
        sieve,
        filled,
        patterns or make_patterns(words),
        hints,
        experience,
        advice or no_advice(words),
    )


def grown(table: Table, factor: int) -> Table:
    """The same positions in a table that is `factor` times as large."""
    kept = table.patterns, table.hints, table.experience, table.advice
    larger = make_table(table.entry.size * factor, table.zone.shape[1], *kept)
    move_entries(table, larger)
    return larger


@kernel
def lent(t):  # type: ignore[no-untyped-def]
    """The table for the kernels of one search, which need not count who holds it."""
    p = t.patterns
    patterns = Patterns(
        borrowed(p.zone),
        borrowed(p.black),
        borrowed(p.white),
        borrowed(p.threats),
        borrowed(p.games),
        borrowed(p.result),
        borrowed(p.kept),
    )
    a = t.advice
    advice = Advice(
        borrowed(a.key),
        borrowed(a.given),
        borrowed(a.likely),
        borrowed(a.stones),
        borrowed(a.noted),
        borrowed(a.waiting),
    )
    return Table(
        borrowed(t.entry),
        borrowed(t.zone),
        borrowed(t.stop),
        borrowed(t.filter),
        borrowed(t.filled),
        patterns,
        borrowed(t.hints),
        borrowed(t.experience),
        advice,
    )


@inlined
def place_in_filter(t, key):  # type: ignore[no-untyped-def]
    """The word of the filter and the bit in it that stand for a position, by other bits than its bucket's."""
    high = key >> np.uint64(32)
    word = np.int64((high >> np.uint64(6)) & np.uint64(t.filter.size - 1))
    return word, np.uint64(1) << (high & np.uint64(63))


@inlined
def find(t, key, check, game):  # type: ignore[no-untyped-def]
    """The entry of a position in a game, or -1."""
    word, bit = place_in_filter(t, key)
    if t.filter[word] & bit == np.uint64(0):
        return -1
    start = np.int64(key & np.uint64(t.entry.size // BUCKET - 1)) * BUCKET
    for i in range(start, start + BUCKET):
        if t.entry[i].key == key and t.entry[i].check == check and t.entry[i].games & game:
            return i
    return -1


@leaf
def place_for(t, key, check, games):  # type: ignore[no-untyped-def]
    """The entry to write to what is found of a position in some games; no other has anything of it in these.

    It is one that the position had, a free one, or the cheapest of the bucket.
    """
    start = np.int64(key & np.uint64(t.entry.size // BUCKET - 1)) * BUCKET
    own = free = np.int64(-1)
    cheapest = start
    word, bit = place_in_filter(t, key)
    t.filter[word] |= bit
    for i in range(start, start + BUCKET):
        entry = t.entry[i]
        if entry.key == key and entry.check == check and entry.games & games:
            entry.games &= ~games
            if entry.games == 0:
                if own < 0:
                    own = np.int64(i)
                else:
                    entry.key = np.uint64(0)
                    t.filled[0] -= 1
        if entry.key == np.uint64(0):
            if free < 0:
                free = np.int64(i)
        elif entry.work < t.entry[cheapest].work:
            cheapest = np.int64(i)
    if own >= 0:
        return own
    if free >= 0:
        t.filled[0] += 1
        return free
    return cheapest


@kernel
def move_entries(old, new):  # type: ignore[no-untyped-def]
    """Write every entry of one table to another."""
    for i in range(old.entry.size):
        if old.entry[i].key != np.uint64(0):
            j = place_for(new, old.entry[i].key, old.entry[i].check, old.entry[i].games)
            new.entry[j] = old.entry[i]
            new.zone[j] = old.zone[i]
            new.stop[j] = old.stop[i]
