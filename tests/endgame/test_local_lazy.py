"""The search that opens only what matters, against the graph of all positions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from bench_endgame_exact import random_region
from miai.endgame.local import OutOfBudget, local_game
from miai.endgame.local_dig import secured
from miai.endgame.local_graph import explore
from miai.endgame.local_hold import make_table, settle_all
from miai.endgame.local_lazy import LazySearch
from miai.endgame.local_moves import OPEN, SCORE, settle
from miai.endgame.local_space import Reach, make_space
from miai.endgame.local_thermo import thermographs
from miai.endgame.values import RegionValue, region_value
from miai.go.board import Board
from miai.go.diagram import parse_diagram, text

COMPARED = ("thermograph", "count", "miai_value", "type", "accept_types", "black_moves", "white_moves",
            "ko_black_moves", "ko_white_moves", "area_count", "area_temperature")  # fmt: skip


def lazily(board: Board, region: list[int]) -> RegionValue | None:
    """The value without the graph of all positions; None where kos leave the bounds apart."""
    space = make_space(board, region)
    search = LazySearch(space)
    try:
        answer = search.solve(node_limit=1_000_000, deadline=float("inf"))
    except OutOfBudget as reason:
        assert search.stuck or "ko" in str(reason)
        return None
    return region_value(
        answer.area, answer.black, answer.white, stones=space.stones, kos_matter=answer.kos_matter
    )


def run(seed: str, sizes: dict[int, int]) -> int:
    rng = random.Random(seed)
    compared = 0
    for empty, number in sizes.items():
        for _ in range(number):
            board, region = random_region(rng, empty, rng.choice([0, 0, 1, 2, 3]), rng.choice([5, 7, 9]))
            want = local_game(board, region).value
            got = lazily(board, region)
            if got is None or not want.exact:
                continue
            where = f"\n{text(board)}\nregion {board.grid.names(region)}"
            for field in COMPARED:
                assert getattr(got, field) == getattr(want, field), (field, where)
            compared += 1
    return compared


def test_values_and_moves_are_those_of_all_positions() -> None:
    assert run("lazy", {2: 20, 4: 40, 6: 40, 8: 15}) > 100


@pytest.mark.slow
def test_values_and_moves_of_more_regions() -> None:
    assert run("lazy, more", {2: 100, 3: 200, 4: 300, 5: 300, 6: 300, 8: 100, 10: 20}) > 1200


def test_parts_that_hold_are_worth_their_points() -> None:
    """What `settle_all` takes out of a position is worth what it says, by the graph of all positions."""
    rng = random.Random("hold")
    table = make_table()
    held = 0
    for _ in range(400):
        board, region = random_region(rng, rng.choice([5, 6, 7, 8]), rng.choice([0, 1, 2]), 7)
        space = make_space(board, region)
        first = space.first.copy()
        settle(space.beside, first)
        less = first.copy()
        settle_all(space.beside, less, table, np.zeros(2, dtype=np.int64))
        if less[OPEN] == first[OPEN]:
            continue
        held += 1
        values = []
        for position in (first, less):
            start = position.copy()
            p = explore(space.beside, start, node_limit=100_000, deadline=float("inf"))
            values.append(thermographs(p).bounds(0, int(position[SCORE])))
        assert values[0] == values[1], text(board)
    assert held > 10


def test_walls_that_are_empty_points_do_not_make_a_chain_safe() -> None:
    """White's chain is short of liberties: after G9 and F8, D8 catches it from outside the region."""
    board = parse_diagram(
        """
        . . . . O O . X .
        . . . . O . O X .
        . . O O X O O X .
        . . O X X X X X .
        . . . O . . . . .
        . . O . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . ."""
    )
    region = [board.grid.parse(f"{column}{row}") for column in "DEFGH" for row in (7, 8, 9)]
    game = local_game(board, region)
    assert game.miai_value == 4
    assert any("C9, C8 count as part of it" in said for said in game.assumptions)
    assert game.count == 1  # C8 and C9 are not counted: White first gets D8, D9 and F8


SHORT_OF_LIBERTIES = """
    . . . . X X . . .
    . . O X O X . . .
    . O . O O X . . .
    . . O O X X . . .
    . . O X X . . . .
    . . O X . . . . .
    . . O X . . . . .
    . . O X . . . . .
    . . O X . . . . ."""


def test_a_proof_is_asked_again_with_the_walls_further_out() -> None:
    """A8 and A9 as white walls keep C8 from being caught: 47/24. Played on, as they are, a move gains 2."""
    board = parse_diagram(SHORT_OF_LIBERTIES)
    region = [board.grid.parse(f"{column}{row}") for column in "CDE" for row in (8, 9)]
    near = LazySearch(make_space(board, region, Reach.WIDE))
    assert near.solve(node_limit=10_000, deadline=float("inf")).area.temperature == Fraction(71, 24)
    game = local_game(board, region)
    assert game.miai_value == 2 and game.exact and game.count == -1
    assert any("A9, B9, A8, B8, C7 count as part of it" in said for said in game.assumptions)


def test_where_only_sensible_moves_get_through_further_out_their_answer_is_a_guess() -> None:
    board = parse_diagram(SHORT_OF_LIBERTIES)
    region = [board.grid.parse(f"{column}{row}") for column in "CDE" for row in (8, 9)]
    guess = local_game(board, region, node_limit=2_000, guess=True)
    assert guess.miai_value == 2 and not guess.exact
    assert any("proved to be worth 47/24" in said for said in guess.assumptions)
    proof = local_game(board, region, node_limit=2_000)
    assert proof.miai_value == Fraction(47, 24)
    assert any("at A9, A8 are White's" in said for said in proof.assumptions)


def test_bounds_without_search_hold() -> None:
    """Both walls of all positions' thermographs lie between what each side has secured."""
    rng = random.Random("secured")
    out = np.zeros(2, dtype=np.int64)
    tight = 0
    for _ in range(150):
        board, region = random_region(rng, rng.choice([3, 4, 5, 6, 7]), rng.choice([0, 0, 1, 2]), 7)
        space = make_space(board, region)
        first = space.first.copy()
        settle(space.beside, first)
        first[SCORE] = 0
        p = explore(space.beside, first.copy(), node_limit=100_000, deadline=float("inf"))
        values = thermographs(p)
        for node in range(0, len(p), 7):
            secured(space.beside, p.state[node], out)
            for bound in values.bounds(node):
                for wall in (bound.left, bound.right):
                    assert all(out[0] <= value <= out[1] for _, value in wall.points), text(board)
            tight += out[1] - out[0] < 2 * int(p.state[node, OPEN]).bit_count()
    assert tight > 1000


def test_a_guess_from_sensible_moves_is_not_called_exact() -> None:
    """A hane on the edge, territory on both sides: a fifth of the positions gives the same value."""
    board = parse_diagram(
        """
        . . . . . . . . .
        . . . O X . . . .
        . O O O X X X X .
        . O . O X . . X .
        . . O O X X X X .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . ."""
    )
    region = [board.grid.parse(f"{column}{row}") for column in "BCDEFGH" for row in (8, 9)]
    proved = local_game(board, region)
    assert proved.exact and proved.miai_value == 1 and proved.positions > 100_000
    guess = local_game(board, region, node_limit=60_000, guess=True)
    assert guess.miai_value == 1 and guess.positions < 60_000
    assert not guess.exact and any("A guess" in said for said in guess.assumptions)
    with pytest.raises(OutOfBudget):
        local_game(board, region, node_limit=60_000)
