"""What a side surely keeps, against the graph of all positions; and the same as moves of a net."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bench_endgame_exact import random_region
from miai.endgame.local_answer import agreed
from miai.endgame.local_graph import OutOfBudget, explore
from miai.endgame.local_hold import make_table
from miai.endgame.local_keep import kept, make_keep_table
from miai.endgame.local_lazy import LazySearch
from miai.endgame.local_moves import BLACKS, DAME_BIT, NEAR_B, OPEN, SCORE, WHITES, settle
from miai.endgame.local_space import make_space
from miai.endgame.local_thermo import thermographs
from miai.go.diagram import parse_diagram, text

EVERY = 5  # positions of a graph of which one is looked at


def compare(seed: str, regions: int, sizes: list[int]) -> tuple[int, int]:
    """Check the bounds; how many say something, and how many more than half of what is beside safe stones."""
    rng = random.Random(seed)
    work = np.zeros(2, dtype=np.int64)
    some = more = 0
    for _ in range(regions):
        board, region = random_region(rng, rng.choice(sizes), rng.choice([0, 0, 1, 2]), 7)
        space = make_space(board, region)
        first = space.first.copy()
        settle(space.beside, first)
        first[SCORE] = 0
        try:
            p = explore(space.beside, first.copy(), node_limit=60_000, deadline=float("inf"))
        except OutOfBudget:
            continue
        table, held = make_keep_table(), make_table()
        ways = [
            thermographs(p, black_barred=black, white_barred=white)
            for black, white in ((True, True), (True, False), (False, True))
        ]
        for node in range(0, len(p), EVERY):
            s = p.state[node]
            room = int(s[OPEN]).bit_count()
            least = 2 * kept(space.beside, s, True, table, held, work) - room
            most = room - 2 * kept(space.beside, s, False, table, held, work)
            for values in ways:
                low, high = values.bounds(node)  # apart where one side may go round for ever
                for wall in (high.left, high.right):
                    assert all(least <= value for _, value in wall.points), (text(board), s)
                for wall in (low.left, low.right):
                    assert all(value <= most for _, value in wall.points), (text(board), s)
            beside_safe = int(s[OPEN] & s[NEAR_B] & ~s[BLACKS] & ~s[WHITES] & ~DAME_BIT).bit_count()
            some += most - least < 2 * room
            more += least + room > beside_safe
    return some, more


def test_what_is_kept_is_kept_in_all_positions() -> None:
    """Both walls lie between the bounds, with any side winning every ko."""
    some, more = compare("keep", 60, [4, 5, 6, 7])
    assert some > 1000 and more > 100


@pytest.mark.slow
def test_what_is_kept_is_kept_in_more_positions() -> None:
    some, more = compare("keep, more", 600, [5, 6, 7, 8, 9])
    assert some > 100_000 and more > 10_000


def test_a_corner_is_kept_but_for_what_a_push_takes() -> None:
    board = parse_diagram(
        """
        . . . . O . O
        X X X . O O .
        . X . X O O O
        X X X X O . O
        . . . . . . .
        . . . . . . .
        . . . . . . ."""
    )
    region = [board.grid.parse(name) for name in ("A7", "B7", "C7", "D7", "D6")]
    space = make_space(board, region)
    work = np.zeros(2, dtype=np.int64)
    first = space.first.copy()
    settle(space.beside, first)
    assert kept(space.beside, first, True, make_keep_table(), make_table(), work) == 3
    assert kept(space.beside, first, False, make_keep_table(), make_table(), work) == 1


def test_a_net_shows_what_the_search_proved() -> None:
    """The value computed anew from what was opened is the one that was found with what is kept."""
    rng = random.Random("net")
    compared = 0
    for _ in range(40):
        board, region = random_region(rng, rng.choice([6, 8, 9]), rng.choice([0, 1]), 7)
        search = LazySearch(make_space(board, region))
        try:
            search.solve(node_limit=200_000, deadline=float("inf"))
        except OutOfBudget:
            continue
        low = thermographs(search.net("white")).bounds(0, search.shift)[0]
        high = thermographs(search.net("black")).bounds(0, search.shift)[1]
        assert agreed(low, high) and agreed(low, search.bounds()[0]), text(board)
        compared += 1
    assert compared > 20
