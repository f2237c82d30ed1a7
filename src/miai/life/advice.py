"""Advice on dear positions: how likely each move is, by somebody who knows more of Go than `habits`.

Such an adviser (a network, see `policy`) is too slow to be asked at every node. So the search notes a
position once it has cost it much, and goes on; between two stretches of the search the adviser answers, and
from then on the moves of that position are priced by what it said, too. Like habits, advice only says where
to look first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, WHITE
from miai.kernel import as_records, leaf
from miai.life.space import MAX_POINTS, MAX_WORDS, TURN, WORDS, ban

NO_ADVICE = -1
TRIES = 4  # places where the advice on a position may stand
KEPT = 1 << 14  # positions of which advice is kept, a power of two
MOST = 16  # positions noted in one stretch
LEAST = -127  # of a logarithm in sixteenths

# places in `noted`
PLAYER, BANNED, LAST, BEFORE, PLACE = range(5)


SAID = np.dtype(
    [
        ("key", np.uint64, KEPT),  # of the position; 0 where there is none
        ("given", np.int8, KEPT),  # 0 while the adviser has not answered
        ("likely", np.int8, (KEPT, MAX_POINTS)),  # how likely a move is: a logarithm, in sixteenths
        ("stones", np.uint64, (MOST, 2, MAX_WORDS)),  # black and white stones of the positions to ask about
        ("noted", np.int64, (MOST, 5)),  # side to move, ban, last two moves, and where the answer goes
        ("waiting", np.int64, (1,)),  # how many are noted
    ],
    align=True,
)


class Positions(NamedTuple):
    """Positions that an adviser is asked about. Points have the numbers of the search's layout."""

    black: npt.NDArray[np.bool_]  # [n, points]
    white: npt.NDArray[np.bool_]  # [n, points]
    player: npt.NDArray[np.int64]  # [n] who is to move
    banned: npt.NDArray[np.int64]  # [n] where a ko forbids that, or NO_POINT
    last: npt.NDArray[np.int64]  # [n] the last move, and the one before it; 0 or less if there is none
    before: npt.NDArray[np.int64]  # [n]


# To each position the logarithm, up to a constant, of how likely each point is: [n, points].
Adviser = Callable[[Positions], npt.NDArray[np.float32]]


def make_advice() -> npt.NDArray[np.void]:
    """Room for it: an array of one SAID record."""
    return as_records(np.zeros(1, dtype=SAID))


def ask(advice: np.void, adviser: Adviser, points: int) -> None:
    """Let the adviser answer about the positions that were noted; the layout has so many points."""
    count = int(advice["waiting"][0])
    if count == 0:
        return
    noted = advice["noted"][:count]
    stones = np.unpackbits(advice["stones"][:count].view(np.uint8), axis=2, bitorder="little")[:, :, :points]
    black, white = (stones[:, side].astype(np.bool_) for side in (0, 1))
    facts = (noted[:, fact] for fact in (PLAYER, BANNED, LAST, BEFORE))
    said = np.where(black | white, -np.inf, adviser(Positions(black, white, *facts)))
    best = said.max(axis=1, keepdims=True)
    said -= np.where(np.isfinite(best), best, 0)  # where no point is empty there is none
    advice["likely"][noted[:, PLACE], :points] = np.maximum(np.round(16 * said), LEAST)
    advice["given"][noted[:, PLACE]] = 1
    advice["waiting"][0] = 0


@leaf
def advice_on(s, advice, key, last, before):  # type: ignore[no-untyped-def]
    """Where the advice on the position of the board stands; or NO_ADVICE, and then it is noted."""
    start = np.int64(key >> np.uint64(24))
    place = np.int64(-1)
    for step in range(TRIES):
        here = (start + step) & (KEPT - 1)
        if advice.key[here] == key:
            return here if advice.given[here] else NO_ADVICE
        if place < 0 and advice.key[here] == np.uint64(0):
            place = here
    if place < 0:  # an older one makes room, if nobody is being asked about it
        place = start & (KEPT - 1)
        if not advice.given[place]:
            return NO_ADVICE
    number = advice.waiting[0]
    if number == MOST:
        return NO_ADVICE
    advice.waiting[0] = number + 1
    advice.key[place], advice.given[place] = key, 0
    for w in range(s.facts[WORDS]):
        advice.stones[number, 0, w] = s.stones[BLACK, w]
        advice.stones[number, 1, w] = s.stones[WHITE, w]
    advice.noted[number, PLAYER] = s.facts[TURN]
    advice.noted[number, BANNED] = ban(s)
    advice.noted[number, LAST], advice.noted[number, BEFORE] = last, before
    advice.noted[number, PLACE] = place
    return NO_ADVICE
