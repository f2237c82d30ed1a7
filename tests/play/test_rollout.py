"""Random games: the same for the same seed, legal, fair between moves, and over when they should be."""

from __future__ import annotations

import numpy as np
import pytest

from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, WHITE
from miai.go.diagram import parse_diagram
from miai.go.kernels.arrays import LOG_TOP, empty_arrays
from miai.go.rules import JAPANESE
from miai.go.scoring import owners
from miai.play.rollout import copy_position, draw, is_eye, play_out, rollouts, seeded


def test_the_seed_decides() -> None:
    board = Board(7)
    first = rollouts(board, 50, seed=3)
    assert first.tolist() == rollouts(board, 50, seed=3).tolist() != rollouts(board, 50, seed=4).tolist()
    assert first[:10].tolist() == rollouts(board, 10, seed=3).tolist()
    assert board == Board(7) and board.move_number == 0


def test_fingerprint() -> None:
    """Fixed games: when these numbers change, the rules, the generator or the order of draws changed."""
    assert rollouts(Board(9), 8, seed=0).tolist() == [7, -27, 7, 81, -5, -25, -3, -3]


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 2), (5, 1), (3, 7), (9, 9), (19, 19), (25, 25)])
def test_every_size(size: tuple[int, int]) -> None:
    margins = rollouts(Board(*size), 20, seed=1)
    assert np.abs(margins).max() <= size[0] * size[1]


@pytest.mark.parametrize("seed", range(30))
def test_a_finished_game_is_finished(seed: int) -> None:
    """The board at the end is in order, and whoever can still move would fill an eye."""
    board = Board(6, rules=JAPANESE)
    a = empty_arrays(board.grid)
    copy_position(board.arrays, a)
    moves = play_out(a, BLACK, 3 * 36, seeded(seed), np.empty(36, dtype=np.int32))
    assert 0 < moves <= 3 * 36
    end = Board(6, rules=JAPANESE)
    end.setup(black=np.flatnonzero(a.colour == BLACK), white=np.flatnonzero(a.colour == WHITE))
    assert end.hash == a.hash[0]
    for chain in end.chains():
        head = a.head[chain.stones[0]]
        assert (a.libs[head], a.size[head]) == (len(chain.liberties), len(chain.stones))
    if moves < 3 * 36:
        for colour in (BLACK, WHITE):
            # the last two moves were passes, so no ko is in the way
            assert all(is_eye(a, point, colour) for point in end.legal_moves(colour))


def test_settled_positions_keep_their_score() -> None:
    board = parse_diagram(".X.XO.O\nXXXXOOO\n.X.XO.O")
    owner, _ = owners(board.arrays.colour, board.grid.stride)
    expected = int(np.sum(owner == BLACK)) - int(np.sum(owner == WHITE))
    assert set(rollouts(board, 20, seed=5).tolist()) == {expected}


def test_who_moves_first_wins_more() -> None:
    board = Board(5)
    for_black = rollouts(board, 4000, seed=6).mean()
    board.to_move = WHITE
    assert for_black > 0.3 and rollouts(board, 4000, seed=6).mean() < -0.3


def test_the_ko_ban_holds() -> None:
    """A game that starts in a ko does not start with its retake."""
    board = parse_diagram(".XO.\nX.XO\n.XO.", to_move=WHITE)
    board.play(board.grid.parse("B2"))
    scratch = empty_arrays(board.grid)
    for seed in range(200):
        copy_position(board.arrays, scratch)
        play_out(scratch, BLACK, 1, seeded(seed), np.empty(12, dtype=np.int32))
        assert scratch.colour[board.grid.parse("C2")] == EMPTY


@pytest.mark.parametrize("below", [1, 2, 3, 81, 361])
def test_draws_are_uniform(below: int) -> None:
    random = seeded(8)
    counts = np.bincount([draw(random, below) for _ in range(200 * below)], minlength=below)
    assert len(counts) == below
    chi_square = float(np.sum((counts - 200) ** 2 / 200))
    assert chi_square < below + 5 * (2 * below) ** 0.5


def test_first_moves_are_uniform() -> None:
    """From the empty 3×3 board each first move is as likely as any other."""
    board = Board(3)
    counts = np.zeros(board.grid.length)
    random, empties = seeded(9), np.empty(9, dtype=np.int32)
    scratch = empty_arrays(board.grid)
    for _ in range(9 * 200):
        copy_position(board.arrays, scratch)
        play_out(scratch, BLACK, 1, random, empties)
        counts[scratch.colour == BLACK] += 1
    assert np.sum((counts[board.grid.points] - 200) ** 2 / 200) < 9 + 5 * 18**0.5
    assert scratch.state[LOG_TOP] > 0


@pytest.mark.parametrize(
    ("name", "position", "point", "eye"),
    [
        ("all diagonals own", ".....\n.XXX.\n.X.X.\n.XXX.\n.....", "C3", True),
        ("one enemy diagonal", ".....\n.OXX.\n.X.X.\n.XXX.\n.....", "C3", True),
        ("two enemy diagonals", ".....\n.OXX.\n.X.X.\n.XXO.\n.....", "C3", False),
        ("a neighbour missing", ".....\n.XXX.\n.X..X\n.XXX.\n.....", "C3", False),
        ("edge, diagonals own", "X.X\nXXX\n...", "B3", True),
        ("edge, one enemy diagonal", "X.X\nXXO\n...", "B3", False),
        ("corner", ".X.\nXX.\n...", "A3", True),
        ("corner, open diagonal", ".X.\nX..\n...", "A3", True),
        ("corner, enemy diagonal", ".X.\nXO.\n...", "A3", False),
    ],
)
def test_eyes(name: str, position: str, point: str, eye: bool) -> None:
    board = parse_diagram(position)
    assert bool(is_eye(board.arrays, board.grid.parse(point), BLACK)) is eye
    assert not is_eye(board.arrays, board.grid.parse(point), WHITE)
