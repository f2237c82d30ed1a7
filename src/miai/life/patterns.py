"""Patterns: what was proved of one position is proved of every position that looks the same in its zone.

The promise that a zone makes (see `zones`) reaches beyond the position it was found in. So the latest
results are kept as patterns, the stones inside the zone, and a position is compared with them
before its moves are listed. A result is most often of use right after it was found, for the
positions beside it, so a few hundred patterns are kept.
"""

from __future__ import annotations

import numpy as np

from miai.go.coords import BLACK, NO_POINT, WHITE
from miai.kernel import kernel, leaf
from miai.life.sets import VOID, bit_in_word, has
from miai.life.space import ATTACKER, EXEMPT, GAME, MAX_WORDS, TURN, WORDS, ban, threats_key

KEPT = 512  # patterns for each side to move, a power of two
WORTH = 2  # nodes that a result must have cost

# places in `result`
WON, MOVE, FOUGHT = range(3)


# By side to move (0 is Black), then by number, last; the oldest make room.
LATEST = np.dtype(
    [
        ("zone", np.uint64, (2, MAX_WORDS, KEPT)),  # what the result rests on
        ("black", np.uint64, (2, MAX_WORDS, KEPT)),  # black stones there
        ("white", np.uint64, (2, MAX_WORDS, KEPT)),  # white ones
        ("threats", np.uint64, (2, KEPT)),  # hash of the threats where they count, see `threats_key`
        ("games", np.int64, (2, KEPT)),  # the set of games for which it holds
        ("result", np.int64, (2, KEPT, 3)),  # does the side to move win, by which move, is there a ban
        ("kept", np.int64, 2),  # patterns kept so far
    ],
    align=True,
)


@kernel
def keep(s, p, zone, won, move, ko, games):  # type: ignore[no-untyped-def]
    """The position on the board was proved with this zone: keep it, unless its own ban is part of the proof.

    `ko`: does a ban stand anywhere in the proof? If none does, all threats are one.
    """
    banned = ban(s)
    if banned != NO_POINT and has(zone, s.bit[banned]):
        return
    side = s.facts[TURN] - BLACK
    n = p.kept[side] & (KEPT - 1)
    p.kept[side] += 1
    p.threats[side, n] = threats_key(s, s.facts[EXEMPT] if ko else s.facts[ATTACKER])
    p.games[side, n] = games
    p.result[side, n, WON], p.result[side, n, MOVE], p.result[side, n, FOUGHT] = won, move, ko
    for w in range(s.facts[WORDS]):
        p.zone[side, w, n] = zone[w]
        p.black[side, w, n] = s.stones[BLACK, w] & zone[w]
        p.white[side, w, n] = s.stones[WHITE, w] & zone[w]


@leaf
def match(s, p):  # type: ignore[no-untyped-def]
    """A pattern that the position on the board shows, or -1.

    The first word of all is compared at once, in a loop without a way out, which processors do many numbers
    at a time; seldom is there more to compare.
    """
    side = s.facts[TURN] - BLACK
    black, white = s.stones[BLACK, 0], s.stones[WHITE, 0]
    kept = min(KEPT, p.kept[side])
    likely = -1
    for n in range(kept):
        differs = ((black ^ p.black[side, 0, n]) | (white ^ p.white[side, 0, n])) & p.zone[side, 0, n]
        likely = max(likely, n if differs == VOID else -1)
    if likely < 0:
        return -1
    here, any_threats = threats_key(s, s.facts[EXEMPT]), threats_key(s, s.facts[ATTACKER])
    for n in range(likely, -1, -1):
        if (
            p.games[side, n] & s.facts[GAME]
            and (p.threats[side, n] == here or p.threats[side, n] == any_threats)
            and fits(s, p, side, n)
        ):
            return n
    return -1


@leaf
def fits(s, p, side, n):  # type: ignore[no-untyped-def]
    """Do the stones, and the ban, look as in pattern number `n`?"""
    banned = ban(s)
    bit = s.bit[banned] if banned != NO_POINT else -1
    for w in range(s.facts[WORDS]):
        zone = p.zone[side, w, n]
        black, white = s.stones[BLACK, w] ^ p.black[side, w, n], s.stones[WHITE, w] ^ p.white[side, w, n]
        if (black | white) & zone != VOID:
            return False
        if bit >= 0 and bit >> 6 == w and zone & bit_in_word(bit) != VOID:
            return False
    return True
