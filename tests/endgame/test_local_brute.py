"""The local engine against brute force on random closed regions, by area and by territory.

Regions where nothing can repeat are compared with the whole tree, walked without a table. The others
are compared with extended thermography, in fractions, on the graph of all positions by plain rules.
A disagreement prints the position; find out which of the two is wrong before touching either.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bench_endgame_exact import random_region
from endgame.brute import LOOPS, TOO_LARGE, plain_graph, tree
from miai.endgame.kos import solve
from miai.endgame.local import local_game
from miai.endgame.values import TERRITORY_TAX, value_of
from miai.go.board import Board
from miai.go.diagram import text

MOST_POINTS = {"quick": 5, "slow": 7}  # of a region with stones in it
TREE_LIMIT = {"quick": 10_000, "slow": 2_000_000}


def compare(board: Board, region: list[int], limit: int, counted: Counter[str]) -> None:
    """Both answers for one region must be the same at every temperature."""
    where = f"\n{text(board)}\nregion {board.grid.names(region)}"
    game = local_game(board, region)
    brute = tree(board, region, limit=limit)
    if brute == TOO_LARGE:
        counted["tree too large"] += 1
        return
    if brute == LOOPS:
        solution = solve(plain_graph(board, region))
        if 0 in solution.repetition or 0 in solution.unsettled:
            counted["no result by the rules"] += 1
            return
        brute = solution.of(0)
        counted["with loops"] += 1
    else:
        counted["whole tree"] += 1
    assert game.exact, where
    assert game.area == brute, where
    balance = sum({1: 1, 2: -1}.get(board[p], 0) for p in region)
    assert game.territory == brute.cooled(TERRITORY_TAX).plus(-balance), where


def run(pace: str, sizes: dict[int, int]) -> Counter[str]:
    """`sizes[empty]` regions of each number of empty points, up to three stones among them."""
    rng = random.Random(pace)
    counted: Counter[str] = Counter()
    for empty, number in sizes.items():
        for _ in range(number):
            stones = min(rng.choice([0, 0, 1, 2, 3]), max(0, MOST_POINTS[pace] - empty))
            board, region = random_region(rng, empty, stones, rng.choice([5, 7, 9]))
            compare(board, region, TREE_LIMIT[pace], counted)
    return counted


def test_a_few_hundred_regions() -> None:
    counted = run("quick", {1: 40, 2: 80, 3: 60, 4: 20, 5: 5})
    assert counted["whole tree"] > 120
    assert counted["with loops"] > 10


@pytest.mark.slow
def test_thousands_of_regions() -> None:
    counted = run("slow", {1: 300, 2: 600, 3: 700, 4: 400, 5: 120, 6: 30, 7: 15})
    print(dict(counted))
    assert counted["whole tree"] + counted["with loops"] >= 2000


def test_values_and_moves_of_small_regions() -> None:
    """Type and correct moves, too, are those of the graph of all positions."""
    rng = random.Random("moves")
    compared = 0
    for _ in range(60):
        board, region = random_region(rng, rng.choice([2, 3, 4]), rng.choice([0, 1, 2]), 7)
        game = local_game(board, region)
        want = value_of(plain_graph(board, region), stones=game.stones)
        if not want.exact:
            continue
        got = game.value
        where = f"\n{text(board)}\nregion {board.grid.names(region)}"
        assert (got.count, got.miai_value, got.type) == (want.count, want.miai_value, want.type), where
        assert (got.black_moves, got.white_moves) == (want.black_moves, want.white_moves), where
        compared += 1
    assert compared > 50
