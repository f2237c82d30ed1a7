"""The exact local engine: worked examples, laws, and what bad input gets."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from bench_endgame_exact import problems, random_region
from miai.endgame.kos import solve
from miai.endgame.local import OutOfBudget, RegionError, local_game
from miai.endgame.local_space import Reach, make_space
from miai.go.board import Board
from miai.go.coords import BLACK, WHITE
from miai.go.diagram import parse_diagram

CORRIDOR = """
    X X X X X X O
    X . . . . . O
    X X X X X X O"""


def test_the_worked_examples(data: Path) -> None:
    """Every field of all of them."""
    checked = 0
    for record, board, region in problems("positions"):
        game = local_game(board, region)
        value = game.value
        assert game.exact and game.assumptions == (), record["id"]
        for field in (
            "count", "miai_value", "left_stop", "right_stop", "area_count", "area_temperature"
        ):  # fmt: skip
            assert str(getattr(value, field)) == record[field], (record["id"], field)
        assert value.type.value == record["type"], record["id"]
        assert {kind.value for kind in value.accept_types} == set(record["accept_types"])
        for field in ("black_moves", "white_moves"):
            names = sorted(board.grid.sgf(p) for p in getattr(value, field))
            assert names == sorted(record[field]), (record["id"], field)
        assert game.empty <= record["n_empty"]
        checked += 1
    assert checked == 15


def corridor() -> tuple[Board, list[int]]:
    board = parse_diagram(CORRIDOR)
    return board, [board.grid.parse(f"{c}2") for c in "BCDEF"]


def test_a_corridor_says_what_it_assumed() -> None:
    board, region = corridor()
    game = local_game(board, region)
    assert (game.count, game.miai_value) == (Fraction(49, 16), Fraction(15, 16))
    assert game.exact
    assert game.assumptions == (
        "The black stones outside at B3 are safe.",
        "The white stones outside at G2 are safe.",
    )
    assert [board.grid.name(p) for p in game.value.black_moves] == ["F2"]


def test_the_small_graph_has_the_value_of_the_large_one() -> None:
    rng = random.Random("graph")
    for _ in range(40):
        board, region = random_region(rng, rng.choice([4, 6, 8]), rng.choice([0, 1]))
        game = local_game(board, region)
        assert solve(game.graph).of(0) == game.area
        assert len(game.graph) <= game.positions + 4


def turned(board: Board, region: list[int], *, flip: bool, colours: bool) -> tuple[Board, list[int]]:
    """The same position mirrored along the diagonal, with the colours exchanged."""
    grid, other = board.grid, Board(board.grid.height, board.grid.width)

    def move(p: int) -> int:
        row, column = grid.row_column(p)
        return other.grid.point(column, row) if flip else other.grid.point(row, column)

    black, white = ([move(p) for p in board.stones(c)] for c in (BLACK, WHITE))
    if colours:
        black, white = white, black
    other.setup(black=black, white=white)
    return other, [move(p) for p in region]


@pytest.mark.parametrize("flip", [False, True])
def test_exchanging_colours_turns_the_sign(flip: bool) -> None:
    rng = random.Random("laws")
    for _ in range(30):
        board, region = random_region(rng, rng.choice([3, 5, 7]), rng.choice([0, 2]))
        here = local_game(board, region)
        there = local_game(*turned(board, region, flip=flip, colours=True))
        assert there.area == -here.area
        assert there.value.black_moves == () or len(there.value.black_moves) == len(here.value.white_moves)


def test_area_is_territory_warmed_by_one() -> None:
    rng = random.Random("warm")
    for _ in range(30):
        board, region = random_region(rng, rng.choice([3, 5, 7]), rng.choice([0, 2]))
        value = local_game(board, region).value
        if value.miai_value > 0:
            assert value.area_temperature == value.miai_value + 1
            balance = sum({BLACK: 1, WHITE: -1}.get(board[p], 0) for p in region)
            assert value.area_count == value.count + balance


def test_the_lines_of_a_corridor() -> None:
    board, region = corridor()
    with pytest.raises(ValueError, match="keep=True"):
        local_game(board, region).lines()
    first = local_game(board, region, keep=True).lines()
    told = {(board.grid.name(line.point), line.black): (line.count, line.miai_value) for line in first}
    assert told == {("F2", True): (4, 0), ("F2", False): (Fraction(17, 8), Fraction(7, 8))}
    push = next(line for line in first if not line.black)
    assert [(board.grid.name(line.point), line.black, line.count) for line in push.next] == [
        ("E2", True, 3),
        ("E2", False, Fraction(5, 4)),
    ]


def test_open_regions_are_closed_by_the_nearer_side() -> None:
    board = parse_diagram("""
        . . . . . . .
        X X X . O O O
        . . . . . . .
        . . . . . . .""")
    space = make_space(board, [board.grid.parse(n) for n in ("C4", "D4", "E4", "D3")], Reach.WIDE)
    assert any("are Black's" in s for s in space.assumptions)
    assert any("liberties for both" in s for s in space.assumptions)


def test_bad_regions_get_a_sentence() -> None:
    board, region = corridor()
    with pytest.raises(RegionError, match="empty"):
        local_game(board, [])
    with pytest.raises(RegionError, match="off this 7×3 board"):
        local_game(board, [*region, 0])
    with pytest.raises(RegionError, match="covers the whole board"):
        local_game(board, [int(p) for p in board.grid.points])
    with pytest.raises(RegionError, match="open points"):
        local_game(Board(19), [int(p) for p in Board(19).grid.points][:200])


def test_a_budget_that_runs_out_is_no_answer() -> None:
    board, region = random_region(random.Random(5), 10)
    with pytest.raises(OutOfBudget, match="positions"):
        local_game(board, region, node_limit=50)
    with pytest.raises(OutOfBudget, match="out of time"):
        local_game(board, region, seconds=0)


def test_the_fingerprint() -> None:
    """The number of positions looked at shows whether a change changed the search."""
    looked = [local_game(*random_region(random.Random(seed), 8)).positions for seed in range(5)]
    assert looked == FINGERPRINT


FINGERPRINT = [2005, 1359, 1660, 1150, 2078]
