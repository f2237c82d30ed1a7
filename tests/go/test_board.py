"""What the board promises whatever is played: counts of positions, exact undo, sums that stay right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from miai.go.board import Board, IllegalMove, legal_lengths
from miai.go.coords import BLACK, EMPTY, NO_POINT, PASS, WHITE, opponent
from miai.go.diagram import parse_diagram
from miai.go.kernels.arrays import CAPTURED_AT, EPOCH, LOG_TOP, MOVES
from miai.go.rules import AGA, CHINESE, JAPANESE, NEW_ZEALAND, RULESETS, TROMP_TAYLOR, Ko, Rules

# the loosest rules there are: nothing is forbidden but retaking a ko at once
FREE = replace(JAPANESE, name="free", suicide=True)


# counting ---------------------------------------------------------------------------------------


def reachable_positions(width: int, height: int) -> int:
    """Positions that can come about when either player may play at any time."""
    board = Board(width, height, rules=JAPANESE)
    moves = [(point, colour) for point in map(int, board.grid.points) for colour in (BLACK, WHITE)]
    seen = {board.arrays.colour.tobytes()}
    open_moves = [iter(moves)]  # for each position on the way to this one, the moves not tried yet
    while open_moves:
        for point, colour in open_moves[-1]:
            if board[point] == EMPTY and board.is_legal(point, colour):
                board.play(point, colour)
                if (position := board.arrays.colour.tobytes()) not in seen:
                    seen.add(position)
                    open_moves.append(iter(moves))
                    break
                board.undo()
        else:
            open_moves.pop()
            if open_moves:
                board.undo()
    return len(seen)


@pytest.mark.parametrize(
    ("size", "count"), [((1, 1), 1), ((1, 2), 5), ((2, 1), 5), ((2, 2), 57), ((3, 3), 12675)]
)
def test_known_counts_of_positions(size: tuple[int, int], count: int) -> None:
    assert reachable_positions(*size) == count


# what holds after any moves ---------------------------------------------------------------------

rulesets = st.sampled_from([FREE, *RULESETS.values()])
sizes = st.tuples(st.integers(1, 7), st.integers(1, 7))
choices = st.lists(st.tuples(st.integers(0, 10**6), st.booleans()), max_size=120)


def snapshot(board: Board) -> dict[str, bytes | int]:
    """Everything a board is but scratch: `mark`, its epoch, captured points, what is above the log's top."""
    a = board.arrays
    state = a.state.copy()
    state[EPOCH] = 0
    state[CAPTURED_AT:] = 0
    arrays = {name: getattr(a, name).tobytes() for name in ("colour", "head", "next", "libs", "size", "hash")}
    return {
        **arrays,
        "state": state.tobytes(),
        "log": a.log[: a.state[LOG_TOP]].tobytes(),
        "history": a.history[: a.state[MOVES]].tobytes(),
        "to_move": board.to_move,
    }


def play_some(board: Board, choices: list[tuple[int, bool]]) -> list[dict[str, bytes | int]]:
    """Play a legal move (now and then a pass, or the same colour again) for each choice."""
    before = []
    for number, again in choices:
        colour = opponent(board.to_move) if again and number % 5 == 0 else board.to_move
        board.to_move = colour
        before.append(snapshot(board))
        legal = [*board.legal_moves(), PASS]
        board.play(legal[number % len(legal)])
    return before


@given(sizes, rulesets, choices)
def test_undo_restores_every_array(
    size: tuple[int, int], rules: Rules, choices: list[tuple[int, bool]]
) -> None:
    board = Board(*size, rules=rules)
    for before in reversed(play_some(board, choices)):
        board.undo()
        assert snapshot(board) == before
    assert board.move_number == 0


@given(sizes, rulesets, choices)
def test_sums_kept_equal_sums_recounted(
    size: tuple[int, int], rules: Rules, choices: list[tuple[int, bool]]
) -> None:
    board = Board(*size, rules=rules)
    play_some(board, choices)
    a, g = board.arrays, board.grid

    fresh = Board(*size)
    fresh.setup(black=board.stones(BLACK), white=board.stones(WHITE))
    assert board.hash == fresh.hash
    for chain in board.chains():
        assert chain == fresh.chain(chain.stones[0])
        # by hand: flood over stones of the colour, and what is empty next to them
        stones, todo = {chain.stones[0]}, [chain.stones[0]]
        while todo:
            for n in g.neighbours(todo.pop()):
                if board[n] == chain.colour and n not in stones:
                    stones.add(n)
                    todo.append(n)
        liberties = {n for stone in stones for n in g.neighbours(stone) if board[n] == EMPTY}
        assert chain.stones == tuple(sorted(stones)) and chain.liberties == tuple(sorted(liberties))
        head = a.head[chain.stones[0]]
        assert (a.libs[head], a.size[head]) == (len(liberties), len(stones))
        assert board.liberties(chain.stones[0]) == len(liberties) > 0
    # libs and size are zero away from heads, head and next where there is no stone
    heads = {int(a.head[chain.stones[0]]) for chain in board.chains()}
    elsewhere = [p for p in range(g.length) if p not in heads]
    assert not a.libs[elsewhere].any() and not a.size[elsewhere].any()
    bare = ~np.isin(a.colour, (BLACK, WHITE))
    assert not a.head[bare].any() and not a.next[bare].any()


@given(sizes, rulesets, choices)
def test_a_copy_goes_its_own_way(
    size: tuple[int, int], rules: Rules, choices: list[tuple[int, bool]]
) -> None:
    board = Board(*size, rules=rules)
    play_some(board, choices)
    twin, before = board.copy(), snapshot(board)
    assert twin == board and snapshot(twin) == before
    play_some(twin, choices[:5])
    assert snapshot(board) == before
    while board.move_number:
        board.undo()
    assert not board.stones(BLACK) and not board.stones(WHITE)


@given(sizes, rulesets, choices)
def test_replay_is_play(size: tuple[int, int], rules: Rules, choices: list[tuple[int, bool]]) -> None:
    board = Board(*size, rules=rules)
    points, colours = [], []
    for number, _ in choices:
        legal = [*board.legal_moves(), PASS]
        points.append(legal[number % len(legal)])
        colours.append(board.to_move)
        board.play(points[-1])
    record = np.array(points, dtype=np.int32), np.array(colours, dtype=np.int8)
    other = Board(*size, rules=rules)
    assert other.replay(*record) == len(points)
    assert snapshot(other) == snapshot(board)
    assert legal_lengths([record, record], *size, rules=rules).tolist() == [len(points)] * 2


@given(
    st.sampled_from([CHINESE, AGA, NEW_ZEALAND, TROMP_TAYLOR]),
    st.sampled_from([(2, 2), (1, 4), (2, 3)]),
    choices,
)
def test_superko_against_a_list_of_all_positions(
    rules: Rules, size: tuple[int, int], choices: list[tuple[int, bool]]
) -> None:
    """Small boards repeat soon. The oracle plays on a board without superko and compares bytes."""
    board, free = Board(*size, rules=rules), Board(*size, rules=replace(FREE, suicide=rules.suicide))
    seen: list[tuple[bytes, int]] = []
    for number, again in choices:
        colour = opponent(board.to_move) if again and number % 5 == 0 else board.to_move
        board.to_move = colour
        seen.append((free.arrays.colour.tobytes(), colour))
        legal = []
        for point in free.legal_moves(colour):
            free.play(point, colour)
            after = free.arrays.colour.tobytes()
            free.undo()
            if rules.ko is Ko.POSITIONAL:
                repeats = after in [position for position, _ in seen]
            else:
                repeats = (after, opponent(colour)) in seen
            if not repeats:
                legal.append(point)
        assert board.legal_moves() == legal
        point = [*legal, PASS][number % (len(legal) + 1)]
        board.play(point)
        free.play(point, colour)


# small verbs ------------------------------------------------------------------------------------


def test_long_games_make_room_for_themselves() -> None:
    """Far more moves than the arrays start with, taken back to the first."""
    board = Board(3, rules=FREE)
    before = play_some(board, [(i * 7919 % 1009, False) for i in range(3000)])
    assert board.move_number == 3000
    for expected in reversed(before):
        board.undo()
        assert snapshot(board) == expected


def test_replay_stops_at_the_first_illegal_move() -> None:
    board = Board(3)
    e = [board.grid.parse(name) for name in ("A1", "B2", "A1", "C3")]
    colours = np.array([BLACK, WHITE, BLACK, WHITE], dtype=np.int8)
    assert board.replay(np.array(e, dtype=np.int32), colours) == 2
    assert (board.move_number, board.to_move) == (2, BLACK)
    assert legal_lengths([(np.array(e, dtype=np.int32), colours)], 3).tolist() == [2]
    assert legal_lengths([], 3).tolist() == []


def test_setup_forgets_the_game_but_not_the_prisoners() -> None:
    board = parse_diagram("O . .\nX . .")
    assert board.play(board.grid.parse("B2")) == 1
    board.setup(empty=[board.grid.parse("A1")], white=[board.grid.parse("A2")])
    assert (board.captures[BLACK], board.move_number, board.ko_point) == (1, 0, NO_POINT)
    with pytest.raises(IllegalMove, match="no move to take back"):
        board.undo()


def test_setup_refuses_chains_without_liberties_and_changes_nothing() -> None:
    board = parse_diagram("XX\nX.")
    before = snapshot(board)
    with pytest.raises(IllegalMove, match="no liberty"):
        board.setup(white=[board.grid.parse("B1")])
    with pytest.raises(IllegalMove, match="off the board"):
        board.setup(black=[PASS])
    assert snapshot(board) == before
    board.setup(empty=board.stones(BLACK))
    assert board == Board(2)


@pytest.mark.parametrize("point", [-1, 3, 10**6])
def test_moves_off_the_board(point: int) -> None:
    with pytest.raises(IllegalMove, match="off the board"):
        Board(2).play(point)


def test_a_pass_is_always_legal_and_lifts_the_ko() -> None:
    board = parse_diagram(".XO.\nX.XO\n.XO.", to_move=WHITE)
    assert board.play(board.grid.parse("B2")) == 1
    assert board.ko_point == board.grid.parse("C2")
    board.play(PASS)
    assert board.ko_point == NO_POINT
    board.undo()
    assert board.ko_point == board.grid.parse("C2")


def test_equal_boards_have_equal_stones() -> None:
    assert Board(5) == Board(5, rules=NEW_ZEALAND) != Board(5, 4)
    assert parse_diagram("X.\n..") != Board(2)
    assert Board(5).rules == CHINESE
    with pytest.raises(TypeError):
        hash(Board(5))
