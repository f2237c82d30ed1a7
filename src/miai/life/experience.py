"""Experience: which answers have won so far in the search of this problem.

What refuted a move before will most often do so again, though other stones stand elsewhere. So the search
counts, for each move of one side and each answer of the other, how often the answer won and how often it
lost. `habits` know the look of moves in all problems; this knows the points of one. Like them it only says
where to look first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.addresses import record_at
from miai.kernel import as_records, inlined

MOST = 255  # results that are counted before the old ones fade
NO_MOVE = -1  # in place of the last move's bit: a pass, or there was none

LOGARITHM = np.round(16 * np.log(np.arange(MOST + 1) + 1)).astype(np.int64)  # of n + 1, in sixteenths
TALLY = np.dtype([("lost", np.uint8), ("won", np.uint8)])


def make_experience(points: int) -> npt.NDArray[np.void]:
    """A TALLY for each side to move, last move (by its bit, or none) and answer, see `place_of`."""
    return as_records(np.zeros(2 * (points + 1) * points, dtype=TALLY))


@inlined
def place_of(points, side, last, answer):  # type: ignore[no-untyped-def]
    """The number of an answer's TALLY, in a problem whose points have so many numbers."""
    return (side * (points + 1) + last + 1) * points + answer


@inlined
def count(experience, points, side, last, answer, won):  # type: ignore[no-untyped-def]
    """One result more."""
    tally = record_at(experience, place_of(points, side, last, answer), TALLY)
    if (tally.won if won else tally.lost) == MOST:
        tally.lost >>= 1
        tally.won >>= 1
    if won:
        tally.won += 1
    else:
        tally.lost += 1


@inlined
def advice(experience, points, side, last, answer):  # type: ignore[no-untyped-def]
    """How much likelier than by habit the answer is to win: a logarithm, in sixteenths."""
    tally = record_at(experience, place_of(points, side, last, answer), TALLY)
    return LOGARITHM[tally.won] - LOGARITHM[tally.lost]
