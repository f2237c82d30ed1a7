"""Experience: which moves have won so far in the search of this problem.

A point that was vital in one line is vital in most others, and what refuted a move before will do so
again. So the search counts, for each side and each move, how often it won and how often it lost: as
an answer to the opponent's last move, and wherever it was played. Like `habits`, which know the look of
moves in all problems, this only says where to look first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.kernel import inlined, leaf

MOST = 255  # results that are counted before the old ones fade

# sixteen times the natural logarithm of n + 1
LOGARITHM = np.round(16 * np.log(np.arange(MOST + 2) + 1)).astype(np.int64)


def make_experience(points: int) -> npt.NDArray[np.uint8]:
    """[side to move, last move, move, lost and won]: moves by their bits, `points` for a pass or for any."""
    return np.zeros((2, points + 1, points + 1, 2), dtype=np.uint8)


@leaf
def count(experience, side, last, move, won):  # type: ignore[no-untyped-def]
    """One result more, of the move as an answer and as such."""
    anywhere = experience.shape[1] - 1
    note(experience, side, last, move, won)
    note(experience, side, anywhere, move, won)


@leaf
def note(experience, side, last, move, won):  # type: ignore[no-untyped-def]
    if experience[side, last, move, won] == MOST:
        experience[side, last, move, 0] >>= 1
        experience[side, last, move, 1] >>= 1
    experience[side, last, move, won] += 1


@inlined
def advice(experience, side, last, move, as_answer, as_such):  # type: ignore[no-untyped-def]
    """How much likelier than by habit the move is to win: a logarithm in sixteenths."""
    anywhere = experience.shape[1] - 1
    total = as_answer * (
        LOGARITHM[experience[side, last, move, 1]] - LOGARITHM[experience[side, last, move, 0]]
    )
    total += as_such * (
        LOGARITHM[experience[side, anywhere, move, 1]] - LOGARITHM[experience[side, anywhere, move, 0]]
    )
    return total // 8
