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

from typing import Any

import numpy as np
import numpy.typing as npt

from miai.addresses import copy_record, fetch_ahead, record_at, row_at
from miai.kernel import PLAIN, as_records, inlined, kernel, leaf, written_out
from miai.life.experience import make_experience
from miai.life.hints import NO_HINTS
from miai.life.sets import VOID

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


# Where the arrays of a table are, and how large: one address to a kernel, see `addresses`.
PLACES = np.dtype(
    [
        ("entry", np.int64),
        ("zone", np.int64),
        ("stop", np.int64),
        ("filter", np.int64),
        ("hints", np.int64),
        ("experience", np.int64),
        ("advice", np.int64),
        ("advised", np.int64),  # 1 if there is an adviser
        ("entries", np.int64),  # how many there may be
        ("words", np.int64),  # of a zone
        ("filter_words", np.int64),
        ("many_hints", np.int64),
        ("filled", np.int64, (1,)),  # entries in use
    ],
    align=True,
)


class Table:
    """The arrays. Kernels get `places` and take the table from it: `table = places[0]`."""

    entries: int
    words: int
    filter_words: int
    many_hints: int
    advised: int
    hints: npt.NDArray[np.uint64]
    experience: npt.NDArray[np.void]
    advice: npt.NDArray[np.void] | None

    def __init__(self, entries: int, words: int) -> None:
        self.entry = as_records(np.zeros(entries, dtype=ENTRY))
        # of what is proved; of an open position, what `stop` rests on
        self.zone = np.zeros((entries, words), dtype=np.uint64)
        # where the attacker must play; empty if anywhere
        self.stop = np.zeros((entries, words), dtype=np.uint64)
        # a bit is set for each position, by its key
        self.filter = np.zeros((1, max(1, entries * FILTER // 64)), dtype=np.uint64)
        self._places = np.zeros(1, dtype=PLACES)
        self.filled = self._places[0]["filled"]
        self._tell(entries=entries, words=words, filter_words=self.filter.size)
        self._show("entry", "zone", "stop", "filter")
        self.take_hints(NO_HINTS)
        self.take_experience(make_experience(64 * words))
        self.advice, self.advised = None, 0

    def _tell(self, **numbers: int) -> None:
        """Numbers that kernels need."""
        for name, number in numbers.items():
            setattr(self, name, number)
            self._places[0][name] = number

    def _show(self, *names: str) -> None:
        """Arrays that kernels need."""
        for name in names:
            self._places[0][name] = getattr(self, name).ctypes.data

    def take_hints(self, hints: npt.NDArray[np.uint64]) -> None:
        """See `hints`: these in place of those it has."""
        self.hints = np.ascontiguousarray(hints).reshape(1, -1)
        self._tell(many_hints=self.hints.size)
        self._show("hints")

    def take_experience(self, experience: npt.NDArray[np.void]) -> None:
        """See `experience`."""
        self.experience = experience
        self._show("experience")

    def take_advice(self, advice: npt.NDArray[np.void] | None) -> None:
        """See `advice`: from now on there is an adviser, unless it is None."""
        if advice is not None:
            self.advice = advice
            self._tell(advised=1)
            self._show("advice")

    @property
    def places(self) -> Any:
        """For kernels, as long as this table is there."""
        return [self] if PLAIN else self._places


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


def grown(table: Table, factor: int) -> Table:
    """The same positions in a table that is `factor` times as large."""
    larger = Table(table.entries * factor, table.words)
    larger.take_hints(table.hints)
    larger.take_experience(table.experience)
    larger.take_advice(table.advice)
    move_entries(table.places, larger.places)
    return larger


@inlined
def place_in_filter(t, key):  # type: ignore[no-untyped-def]
    """The word of the filter and the bit in it that stand for a position, by other bits than its bucket's."""
    high = key >> np.uint64(32)
    word = np.int64((high >> np.uint64(6)) & np.uint64(t.filter_words - 1))
    return word, np.uint64(1) << (high & np.uint64(63))


@inlined
def will_be_asked(t, key):  # type: ignore[no-untyped-def]
    """A position will be looked for soon: the word of the filter that is needed first may come meanwhile."""
    fetch_ahead(t.filter, place_in_filter(t, key)[0])


@inlined
def first_of_bucket(t, key):  # type: ignore[no-untyped-def]
    """The first entry of those where a position may stand."""
    return np.int64(key & np.uint64(t.entries // BUCKET - 1)) * BUCKET


@written_out
def zone_of(t, index):  # type: ignore[no-untyped-def]
    """The zone of an entry; see `Table`."""
    return row_at(t.zone, index, t.words)


@written_out
def stop_of(t, index):  # type: ignore[no-untyped-def]
    """Where the attacker must play in the position of an entry; see `Table`."""
    return row_at(t.stop, index, t.words)


@written_out
def hints_of(t):  # type: ignore[no-untyped-def]
    """All the hints."""
    return row_at(t.hints, 0, t.many_hints)


@inlined
def find(t, key, check, game):  # type: ignore[no-untyped-def]
    """The entry of a position in a game, or -1."""
    word, bit = place_in_filter(t, key)
    if row_at(t.filter, 0, t.filter_words)[word] & bit == VOID:
        return -1
    start = first_of_bucket(t, key)
    for i in range(start, start + BUCKET):
        entry = record_at(t.entry, i, ENTRY)
        if entry.key == key and entry.check == check and entry.games & game:
            return i
    return -1


@leaf
def place_for(t, key, check, games):  # type: ignore[no-untyped-def]
    """The entry to write to what is found of a position in some games; no other has anything of it in these.

    It is one that the position had, a free one, or the cheapest of the bucket.
    """
    start = first_of_bucket(t, key)
    own = free = np.int64(-1)
    cheapest, least = start, np.int64(1) << 40
    word, bit = place_in_filter(t, key)
    row_at(t.filter, 0, t.filter_words)[word] |= bit
    for i in range(start, start + BUCKET):
        entry = record_at(t.entry, i, ENTRY)
        if entry.key == key and entry.check == check and entry.games & games:
            entry.games &= ~games
            if entry.games == 0:
                if own < 0:
                    own = np.int64(i)
                else:
                    entry.key = VOID
                    t.filled[0] -= 1
        if entry.key == VOID:
            if free < 0:
                free = np.int64(i)
        elif entry.work < least:
            cheapest, least = np.int64(i), np.int64(entry.work)
    if own >= 0:
        return own
    if free >= 0:
        t.filled[0] += 1
        return free
    return cheapest


@kernel
def move_entries(old_places, new_places):  # type: ignore[no-untyped-def]
    """Write every entry of one table to another."""
    old, new = old_places[0], new_places[0]
    for i in range(old.entries):
        entry = record_at(old.entry, i, ENTRY)
        if entry.key != VOID:
            j = place_for(new, entry.key, entry.check, entry.games)
            copy_record(new.entry, j, old.entry, i, ENTRY)
            for w in range(old.words):
                zone_of(new, j)[w] = zone_of(old, i)[w]
                stop_of(new, j)[w] = stop_of(old, i)[w]
