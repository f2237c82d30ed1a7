"""The rules as a table of diagrams: a position, some moves, and what must be on the board after them.

Moves are GTP names, by turns from `to_move` on; `-` is a pass. The last move may be illegal: then
the row gives the reason, and the diagram shows the board before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from miai.go.board import Board, IllegalMove
from miai.go.coords import BLACK, NO_POINT, WHITE, colour_of
from miai.go.diagram import parse_diagram
from miai.go.rules import (
    AGA,
    CHINESE,
    JAPANESE,
    KOREAN,
    NEW_ZEALAND,
    RULESETS,
    TROMP_TAYLOR,
    Rules,
    UnknownRules,
    rules_named,
)

EVERYONE = tuple(RULESETS.values())
REPEATS = "the move repeats an earlier position"


@dataclass(frozen=True)
class Case:
    name: str
    rules: tuple[Rules, ...]
    start: str
    to_move: str
    moves: str
    end: str
    illegal: str | None = None
    ko: str | None = None  # where the next player may not play
    captures: tuple[int, int] = (0, 0)  # by Black, by White


# a ko at each side, so that one can be retaken while another is open
TRIPLE_KO = """
    . X O . X O . X O .
    X O . O X . X X . O
    . X O . X O . X O .
"""

CASES = [
    Case(
        "one stone captured in the corner",
        EVERYONE,
        "O . .\nX . .\n. . .",
        "B",
        "B3",
        ". X .\nX . .\n. . .",
        captures=(1, 0),
    ),
    Case(
        "two chains captured by one move",
        EVERYONE,
        "O . O X\nX X X .\n. . . .",
        "B",
        "B3",
        ". X . X\nX X X .\n. . . .",
        captures=(2, 0),
    ),
    Case(
        "four joined by one stone",
        EVERYONE,
        ". X .\nX . X\n. X .",
        "B",
        "B2",
        ". X .\nX X X\n. X .",
    ),
    Case(
        "a capture comes before suicide",
        EVERYONE,
        "O X .\n. O X\nO X .\nX . .",
        "B",
        "A3",
        "O X .\nX O X\nO X .\nX . .",
        illegal=None,
    ),
    Case(
        "ko: the stone that took is not retaken at once",
        EVERYONE,
        ". X O .\nX . X O\n. X O .",
        "W",
        "B2 C2",
        ". X O .\nX O . O\n. X O .",
        illegal="ko",
        ko="C2",
        captures=(0, 1),
    ),
    Case(
        "ko: retaken after a threat and its answer",
        EVERYONE,
        ". X O . .\nX . X O .\n. X O . .\n. . . . .",
        "W",
        "B2 E1 E4 C2",
        ". X O . O\nX . X O .\n. X O . .\n. . . . X",
        ko="B2",
        captures=(1, 1),
    ),
    Case(
        "snapback: what took two is taken back at once",
        EVERYONE,
        ". O O X .\nO X X O .\nO X . O .\nO O X O .\n. . O . .",
        "W",
        "C3",
        ". O O X .\nO . . O .\nO . O O .\nO O X O .\n. . O . .",
        captures=(0, 3),
    ),
    Case(
        "snapback: the throw-in, the capture, and the recapture of three",
        EVERYONE,
        "X X O O .\nX O . O .\nX O O X X\nX X X . .",
        "B",
        "C3 -",
        "X X O O .\nX O X O .\nX O O X X\nX X X . .",
    ),
    Case(
        "not ko: the stone that took one has two liberties",
        EVERYONE,
        "X . O .\nO O . .\n. . . .",
        "W",
        "B3",
        ". O O .\nO O . .\n. . . .",
        captures=(0, 1),
    ),
    Case(
        "suicide of one stone",
        (CHINESE, JAPANESE, KOREAN, AGA),
        ". O .\nO . .\n. . .",
        "B",
        "A3",
        ". O .\nO . .\n. . .",
        illegal="suicide",
    ),
    Case(
        "suicide of two stones",
        (CHINESE, JAPANESE, KOREAN, AGA),
        "X . O\nO O .\n. . .",
        "B",
        "B3",
        "X . O\nO O .\n. . .",
        illegal="suicide",
    ),
    Case(
        "suicide of two stones where it is allowed",
        (NEW_ZEALAND, TROMP_TAYLOR),
        "X . O\nO O .\n. . .",
        "B",
        "B3",
        ". . O\nO O .\n. . .",
        captures=(0, 2),
    ),
    Case(
        "suicide of one stone repeats the position",
        (TROMP_TAYLOR,),
        ". O .\nO . .\n. . .",
        "B",
        "A3",
        ". O .\nO . .\n. . .",
        illegal=REPEATS,
    ),
    Case(
        "suicide of one stone is a pass where the player to move counts",
        (NEW_ZEALAND,),
        ". O .\nO . .\n. . .",
        "B",
        "A3",
        ". O .\nO . .\n. . .",
        captures=(0, 1),
    ),
    Case(
        "sending two, returning one: allowed where only the simple ko is forbidden",
        (JAPANESE, KOREAN),
        ". X . O\nX O O O\nX O . .\nX O . .",
        "W",
        "A4 C4 B4 - A4",
        "O . X O\nX O O O\nX O . .\nX O . .",
        illegal=None,
        captures=(0, 0),
    ),
    Case("a point is taken", EVERYONE, "X .\n. .", "W", "A2", "X .\n. .", illegal="the point is occupied"),
]
