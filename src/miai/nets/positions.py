"""Between boards and records: what `runtime` must know of a position beside its planes.

`board_at` makes the board of a position in `Records`, and `legal_mask` says which moves a policy may give
a chance to.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.go.board import Board
from miai.go.coords import BLACK, PASS, WHITE, Grid
from miai.go.kernels.arrays import KO, KO_COLOUR
from miai.go.rules import Count, Ko, Rules
from miai.nets.planes import PASS_MOVE, Records


def board_at(records: Records, game: int, move: int) -> Board:
    """The board after `move` moves of a game, with the history that superko needs."""
    rules = records.rulesets[records.rules[game]]
    board = Board(int(records.width[game]), int(records.height[game]), rules=rules)
    places = board.grid.points
    stones = slice(int(records.setup_start[game]), int(records.setup_start[game + 1]))
    points, colours = records.setup_points[stones], records.setup_colours[stones]
    if len(points):
        board.setup(black=places[points[colours == BLACK]], white=places[points[colours == WHITE]])
    if records.setup_ko[game] != PASS_MOVE:
        board.arrays.state[KO] = places[records.setup_ko[game]]
        board.arrays.state[KO_COLOUR] = records.next_colour(game, 0)
    first = int(records.start[game])
    points = records.points[first : first + move]
    played = np.where(points == PASS_MOVE, PASS, places[points]).astype(np.int32)
    board.replay(played, records.colours[first : first + move])
    board.to_move = records.next_colour(game, move)
    return board


def legal_mask(board: Board) -> npt.NDArray[np.bool_]:
    """[height * width + 1] which moves are legal; the pass, last, always is."""
    line = np.zeros(board.grid.length, np.bool_)
    line[board.legal_points()] = True
    return np.append(line[board.grid.points], True)


def can_have_no_result(rules: Rules) -> bool:
    """May a long cycle end a game by these rules? Superko under area counting rules that out."""
    return rules.ko is Ko.SIMPLE or rules.count is Count.TERRITORY


def point_of(grid: Grid, place: int) -> int:
    """The point at a place of a policy: PASS for the last."""
    return PASS if place == grid.area else int(grid.points[place])
