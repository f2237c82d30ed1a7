"""Patterns: what was proved of one position is proved of every position that looks the same in its zone.

The promise that a zone makes (see `zones`) reaches beyond the position it was found in. So the latest
results are kept as patterns, the stones inside the zone, and a position is compared with them
before its moves are listed. A result is most often of use right after it was found, for the
positions beside it, so a few hundred patterns are kept. In a small region the comparing takes as long as
what it saves, so only positions of large regions are compared (the setting PATTERNS).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, EMPTY, NO_POINT
from miai.kernel import kernel, leaf
from miai.life.space import EXEMPT, LOOPER, POINTS, TURN, WORDS, ban, game_key
from miai.life.zones import has

KEPT = 256  # patterns for each side to move, a power of two
WORTH = 2  # nodes that a result must have cost

# places in `result`
WON, MOVE = range(2)


class Patterns(NamedTuple):
    # by side to move (0 is Black), then by number; the oldest make room
    zone: npt.NDArray[np.uint64]  # [2, KEPT, words] what the result rests on
    stones: npt.NDArray[np.uint64]  # [2, KEPT, words, 2] black and white ones there
    game: npt.NDArray[np.uint64]  # [2, KEPT] hash of all that counts beside the stones: `game_key`
    result: npt.NDArray[np.int64]  # [2, KEPT, 2] does the side to move win, and by which move
    kept: npt.NDArray[np.int64]  # [2] patterns kept so far
    seen: npt.NDArray[np.uint64]  # [words, 2] the stones of the position that is compared


def make_patterns(words: int) -> Patterns:
    return Patterns(
        zone=np.zeros((2, KEPT, words), dtype=np.uint64),
        stones=np.zeros((2, KEPT, words, 2), dtype=np.uint64),
        game=np.zeros((2, KEPT), dtype=np.uint64),
        result=np.zeros((2, KEPT, 2), dtype=np.int64),
        kept=np.zeros(2, dtype=np.int64),
        seen=np.zeros((words, 2), dtype=np.uint64),
    )


@leaf
def look(s, p):  # type: ignore[no-untyped-def]
    """Write the stones on the board to `p.seen`."""
    p.seen[:] = np.uint64(0)
    for bit in range(s.facts[POINTS]):
        colour = s.board.colour[s.point[bit]]
        if colour != EMPTY:
            p.seen[bit >> 6, colour - BLACK] |= np.uint64(1) << np.uint64(bit & 63)


@kernel
def keep(s, p, zone, won, move):  # type: ignore[no-untyped-def]
    """The position on the board was proved with this zone: keep it, unless a ban is part of the proof."""
    banned = ban(s)
    if banned != NO_POINT and has(zone, s.bit[banned]):
        return
    look(s, p)
    side = s.facts[TURN] - BLACK
    n = p.kept[side] & (KEPT - 1)
    p.kept[side] += 1
    p.game[side, n] = game_key(s, s.facts[EXEMPT], s.facts[LOOPER])
    p.result[side, n, WON], p.result[side, n, MOVE] = won, move
    for w in range(s.facts[WORDS]):
        p.zone[side, n, w] = zone[w]
        p.stones[side, n, w, 0] = p.seen[w, 0] & zone[w]
        p.stones[side, n, w, 1] = p.seen[w, 1] & zone[w]


@leaf
def match(s, p):  # type: ignore[no-untyped-def]
    """The latest pattern that the position on the board shows, or -1."""
    look(s, p)
    key = game_key(s, s.facts[EXEMPT], s.facts[LOOPER])
    words = s.facts[WORDS]
    banned = ban(s)
    side = s.facts[TURN] - BLACK
    black, white = p.seen[0, 0], p.seen[0, 1]
    last = p.kept[side] - 1
    for age in range(min(KEPT, last + 1)):
        n = (last - age) & (KEPT - 1)
        zone = p.zone[side, n, 0]
        if black & zone != p.stones[side, n, 0, 0] or white & zone != p.stones[side, n, 0, 1]:
            continue
        if p.game[side, n] != key or (banned != NO_POINT and has(p.zone[side, n], s.bit[banned])):
            continue
        w = 1
        while w < words:
            zone = p.zone[side, n, w]
            here = p.stones[side, n, w]
            if p.seen[w, 0] & zone != here[0] or p.seen[w, 1] & zone != here[1]:
                break
            w += 1
        if w >= words:
            return n
    return -1
