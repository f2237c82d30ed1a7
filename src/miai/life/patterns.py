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

from miai.go.coords import BLACK, NO_POINT, WHITE
from miai.kernel import kernel, leaf
from miai.life.sets import has
from miai.life.space import EXEMPT, LOOPER, TURN, WORDS, ban, game_key

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


def make_patterns(words: int) -> Patterns:
    return Patterns(
        zone=np.zeros((2, KEPT, words), dtype=np.uint64),
        stones=np.zeros((2, KEPT, words, 2), dtype=np.uint64),
        game=np.zeros((2, KEPT), dtype=np.uint64),
        result=np.zeros((2, KEPT, 2), dtype=np.int64),
        kept=np.zeros(2, dtype=np.int64),
    )


@kernel
def keep(s, p, zone, won, move):  # type: ignore[no-untyped-def]
    """The position on the board was proved with this zone: keep it, unless a ban is part of the proof."""
    banned = ban(s)
    if banned != NO_POINT and has(zone, s.bit[banned]):
        return
    side = s.facts[TURN] - BLACK
    n = p.kept[side] & (KEPT - 1)
    p.kept[side] += 1
    p.game[side, n] = game_key(s, s.facts[EXEMPT], s.facts[LOOPER])
    p.result[side, n, WON], p.result[side, n, MOVE] = won, move
    for w in range(s.facts[WORDS]):
        p.zone[side, n, w] = zone[w]
        p.stones[side, n, w, 0] = s.stones[BLACK, w] & zone[w]
        p.stones[side, n, w, 1] = s.stones[WHITE, w] & zone[w]


@leaf
def match(s, p):  # type: ignore[no-untyped-def]
    """The latest pattern that the position on the board shows, or -1."""
    key = game_key(s, s.facts[EXEMPT], s.facts[LOOPER])
    words = s.facts[WORDS]
    banned = ban(s)
    side = s.facts[TURN] - BLACK
    black, white = s.stones[BLACK, 0], s.stones[WHITE, 0]
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
            if s.stones[BLACK, w] & zone != here[0] or s.stones[WHITE, w] & zone != here[1]:
                break
            w += 1
        if w >= words:
            return n
    return -1
