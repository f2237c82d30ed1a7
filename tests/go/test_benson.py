"""Unconditional life: examples in diagrams, and a check against everything the enemy could play."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from miai.go.benson import pass_alive
from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, WHITE, colour_of, opponent
from miai.go.diagram import parse_diagram
from miai.go.rules import JAPANESE, TROMP_TAYLOR

# name, whose life, position, and what is certain: # a stone that lives, + safe territory, - the rest
EXAMPLES = [
    ("an empty board has nothing", "B", ". . .\n. . .", "- - -\n- - -"),
    ("one eye", "B", ". X .\nX X .\n. . .", "- - -\n- - -\n- - -"),
    ("two one-point eyes", "B", ". X . X .\nX X X X .\n. . . . O", "+ # + # +\n# # # # +\n+ + + + +"),
    (
        "an eye of two points and one of one",
        "W",
        ". . O . O .\nO O O O O .\n. . . . . .\n. . . . . X",
        "+ + # + # -\n# # # # # -\n- - - - - -\n- - - - - -",
    ),
    (
        "three chains that live by the eyes they share",
        "B",
        ". X O . .\nX . X O .\n. X X O .\nX X O O .\nO O . . .",
        "+ # - - -\n# + # - -\n+ # # - -\n# # - - -\n- - - - -",
    ),
    (
        "one large eye does not live by itself",
        "B",
        ". . . X .\n. . . X .\nX X X X .\n. . . . .",
        "- - - - -\n- - - - -\n- - - - -\n- - - - -",
    ),
    (
        "an eye with an enemy stone in it, all its empty points liberties of the chain",
        "B",
        ". O . X . X\nX X X X X X\n. . . . . .\nO . O . O .",
        "+ + + # + #\n# # # # # #\n- - - - - -\n- - - - - -",
    ),
    (
        "a false eye falls with the chain that hangs on it",
        "B",
        ". X . X O .\nX X O X O .\nO O O O O .",
        "- - - - - -\n- - - - - -\n- - - - - -",
    ),
    (
        "two sides of a ring: every region is vital to both",
        "B",
        "X X X X X\nX . X . X\nX X X X X\n. . . . .",
        "# # # # #\n# + # + #\n# # # # #\n+ + + + +",
    ),
    (
        "seki is not life",
        "B",
        ". O O X . O X X .\nO . O X . O X . X",
        "- - - - - - # # +\n- - - - - - # + #",
    ),
]


def certain(board: Board, colour: int) -> str:
    """What `pass_alive` says, drawn like the examples."""
    alive = pass_alive(board, colour)
    signs = {**dict.fromkeys(alive.stones, "#"), **dict.fromkeys(alive.territory, "+")}
    width = board.grid.width
    line = [signs.get(int(point), "-") for point in board.grid.points]
    return "\n".join(" ".join(line[i : i + width]) for i in range(0, len(line), width))


@pytest.mark.parametrize(("name", "colour", "position", "wanted"), EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_examples(name: str, colour: str, position: str, wanted: str) -> None:
    board = parse_diagram(position)
    assert certain(board, colour_of(colour)) == wanted


def test_suicide_can_empty_an_eye() -> None:
    """White fills the corner, leaves it by suicide, and fills it again around an eye at A3."""
    board = parse_diagram("O . X . X\n. X X X X\nX X X X X", rules=JAPANESE)
    assert set(pass_alive(board, BLACK).stones) == set(board.stones(BLACK))
    board.rules = TROMP_TAYLOR
    assert pass_alive(board, BLACK).stones == ()
    for name in ("B3", "A2", "B3", "A2", "D3"):
        captured = board.play(board.grid.parse(name), WHITE)
    assert captured == 11


@st.composite
def small_positions(draw: st.DrawFn) -> Board:
    """Legal positions with at most seven empty points: half of them have something that lives."""
    width, height = draw(st.sampled_from([(3, 3), (4, 3), (4, 4), (5, 3), (7, 2)]))
    board = Board(width, height, rules=JAPANESE)
    order = draw(st.permutations([int(p) for p in board.grid.points]))
    white = draw(st.integers(0, 3))
    for number, point in enumerate(order[: draw(st.integers(len(order) - 7, len(order) - 2))]):
        colour = WHITE if number < white else BLACK
        if board.is_legal(point, colour):
            board.play(point, colour)
    return board


@pytest.mark.parametrize("suicide", [False, True])
@settings(max_examples=60)
@given(position=small_positions())
def test_alive_is_what_the_enemy_alone_cannot_capture(suicide: bool, position: Board) -> None:
    """Both ways: what lives is never captured, whatever lives not can be. And nobody lives in territory."""
    board = position.copy()
    board.rules = replace(JAPANESE, suicide=suicide)
    for colour in (BLACK, WHITE):
        alive, enemy = pass_alive(board, colour), opponent(colour)
        own = set(board.stones(colour))
        safe, territory = set(alive.stones), set(alive.territory)
        captured: set[int] = set()
        seen: set[bytes] = set()

        def explore(
            enemy: int = enemy,
            own: set[int] = own,
            captured: set[int] = captured,
            territory: set[int] = territory,
            seen: set[bytes] = seen,
        ) -> None:
            captured.update(stone for stone in own if board[stone] == EMPTY)
            assert not territory & set(pass_alive(board, enemy).stones)
            # after a capture play goes on, but that cannot save the stone: it need not be followed up
            for point in board.legal_moves(enemy):
                board.play(point, enemy)
                if (key := board.arrays.colour.tobytes()) not in seen and len(seen) < 400:
                    seen.add(key)
                    explore()
                board.undo()

        explore()
        assert not captured & safe
        if len(seen) < 400:
            assert captured == own - safe
        assert alive.colour == colour and not territory & own
