"""Experience: which answers have won so far in the search of this problem.

What refuted a move before will most often do so again, though other stones stand elsewhere. So the search
counts, for each move of one side and each answer of the other, how often the answer won and how often it
lost. `habits` know the look of moves in all problems; this knows the points of one. Like them it only says
where to look first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.kernel import inlined

MOST = 255  # results that are counted before the old ones fade
NO_MOVE = -1  # in place of the last move's bit: a pass, or there was none

LOGARITHM = np.round(16 * np.log(np.arange(MOST + 1) + 1)).astype(np.int64)  # of n + 1, in sixteenths


def make_experience(points: int) -> npt.NDArray[np.uint8]:
    """[side to move, last move, answer, lost or won]: moves by their bits; the last row is NO_MOVE's."""
    return np.zeros((2, points + 1, points, 2), dtype=np.uint8)


@inlined
def count(experience, side, last, answer, won):  # type: ignore[no-untyped-def]
    """One result more."""
    if experience[side, last, answer, won] == MOST:
        experience[side, last, answer, 0] >>= 1
        experience[side, last, answer, 1] >>= 1
    experience[side, last, answer, won] += 1


@inlined
def advice(experience, side, last, answer):  # type: ignore[no-untyped-def]
    """How much likelier than by habit the answer is to win: a logarithm, in sixteenths."""
    return LOGARITHM[experience[side, last, answer, 1]] - LOGARITHM[experience[side, last, answer, 0]]
