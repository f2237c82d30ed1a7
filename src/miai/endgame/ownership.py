"""A region's value from a network's ownership alone: the last resort, where no tree can be grown.

The count is the ownership of the region's points added up, the mean of the network's opinions with Black
and with White to move; what a move is worth is half their difference. It sees one move of each side, so
sente and follow-ups are not told apart. `whole.py` uses it where `estimate` has no answer.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from miai.endgame.thermograph import Thermograph, Wall, mast
from miai.endgame.values import RegionValue, Type
from miai.go.board import Board
from miai.go.coords import BLACK, WHITE
from miai.nets.runtime import Network

SYMMETRIES = 8
GRAIN = 8  # counts are rounded to so many parts of a point: the network knows no better
WORTH_A_MOVE = Fraction(1, 4)  # below that a region counts as settled

ADDED_UP = "The network's ownership was added up; sente, gote and the best moves are its first impression."


def by_ownership(board: Board, region: Sequence[int], network: Network) -> RegionValue:
    """The value of `region` as the network's ownership has it."""
    began = time.perf_counter()
    grid = board.grid
    inside = np.isin(grid.points, list(region))
    stones = sum(1 if board[p] == BLACK else -1 if board[p] == WHITE else 0 for p in region)
    boards = []
    for who in (BLACK, WHITE):
        twin = Board(*board.size, rules=board.rules)
        twin.setup(black=board.stones(BLACK), white=board.stones(WHITE))
        twin.to_move = who
        boards.append(twin)
    said = network.evaluate_boards(boards, symmetries=SYMMETRIES)
    assert said.ownership is not None
    sums = [float(owned.ravel()[inside].sum()) for owned in said.ownership]
    half = rounded(max(0.0, (sums[0] - sums[1]) / 2))
    area = rounded((sums[0] + sums[1]) / 2)  # nobody's turn: whose move it is comes in with the other regions
    moves = [_likeliest(said.policy[i, 0], inside, grid.points) for i in (0, 1)]
    hot = half >= WORTH_A_MOVE
    temperature = half if hot else Fraction(0)
    count = area - stones
    if hot:
        walls = Thermograph(
            Wall(((0, count + half), (half, count))),
            Wall(((0, count - half), (half, count))),
        )
    else:
        walls = Thermograph(mast(count), mast(count))
    return RegionValue(
        count=count,
        miai_value=temperature,
        type=Type.GOTE if hot else Type.SETTLED,
        accept_types=(Type.GOTE if hot else Type.SETTLED,),
        black_moves=moves[0] if hot else (),
        white_moves=moves[1] if hot else (),
        left_stop=count + temperature,
        right_stop=count - temperature,
        area_count=area,
        area_temperature=temperature + 1 if hot else Fraction(0),
        thermograph=walls,
        region=tuple(region),
        grid=grid,
        exact=False,
        assumptions=(ADDED_UP,),
        seconds=time.perf_counter() - began,
    )


def rounded(number: float) -> Fraction:
    return Fraction(round(number * GRAIN), GRAIN)


def _likeliest(
    policy: npt.NDArray[np.float32], inside: npt.NDArray[np.bool_], points: npt.NDArray[np.int32]
) -> tuple[int, ...]:
    """The move in the region that the network likes best, if it likes any."""
    chances = np.where(inside, policy[:-1], 0.0)
    best = int(chances.argmax())
    return (int(points[best]),) if chances[best] > 0 else ()
