"""Hints: what was proved within a tighter frame says where to look first within a wider one.

What rests on points next to the fence need not hold where the fence is further off (what does not is
`carry_over`'s). But most of it will turn out the same. So these results are kept under the keys that the same
stones have in the wider frame, where a position starts with better numbers if it is said to be won, and with
worse ones if it is said to be lost.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.kernel import inlined, kernel

NOTHING, WON, LOST = 0, 1, 2  # for the side to move
TRIES = 8  # places where a hint may stand
NO_HINTS: npt.NDArray[np.uint64] = np.zeros(1, dtype=np.uint64)


def gather(
    entries: npt.NDArray[np.void], key_change: np.uint64, check_change: np.uint64
) -> npt.NDArray[np.uint64]:
    """The hints that the entries of a table give, where keys and checks differ by these from the table's."""
    decided = entries[((entries["phi"] == 0) | (entries["delta"] == 0)) & (entries["key"] != 0)]
    many = int(np.bitwise_count(decided["games"]).sum())
    hints = np.zeros(1 << (2 * many + 1).bit_length(), dtype=np.uint64)
    keys, checks = decided["key"] ^ key_change, decided["check"] ^ check_change
    write(hints, keys, checks, decided["games"], decided["phi"] == 0)
    return hints


@inlined
def signature(key, check, game):  # type: ignore[no-untyped-def]
    """A position of a game in 62 bits; the lowest two are left for the hint."""
    mixed = (key ^ (key >> np.uint64(31)) ^ np.uint64(game)) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed ^ check) & ~np.uint64(3)


@kernel
def write(hints, keys, checks, games, won):  # type: ignore[no-untyped-def]
    """A hint for each game of each position."""
    for i in range(keys.size):
        rest = np.int64(games[i])
        while rest:
            said = signature(keys[i], checks[i], rest & -rest)
            rest &= rest - 1
            for step in range(TRIES):
                place = np.int64((said >> np.uint64(20)) + np.uint64(step)) & (hints.size - 1)
                if hints[place] == np.uint64(0):
                    hints[place] = said | np.uint64(WON if won[i] else LOST)
                    break


@inlined
def hint(hints, key, check, game):  # type: ignore[no-untyped-def]
    """What is said of a position of a game: WON, LOST or NOTHING."""
    if hints.size == 1:
        return NOTHING
    said = signature(key, check, game)
    for step in range(TRIES):
        place = np.int64((said >> np.uint64(20)) + np.uint64(step)) & (hints.size - 1)
        found = hints[place]
        if found == np.uint64(0):
            return NOTHING
        if found & ~np.uint64(3) == said:
            return np.int64(found & np.uint64(3))
    return NOTHING
