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


THREE_KOS = """
    . X O .
    X O . O
    . X O .
    . . . .
    . X O .
    X . X O
    . X O .
    . . . .
    . X O .
    X O . O
    . X O .
"""
THREE_KOS_TURNED = """
    . X O .
    X O . O
    . X O .
    . . . .
    . X O .
    X . X O
    . X O .
    . . . .
    . X O .
    X . X O
    . X O .
"""
TWO_TO_SEND = """
    . . . . .
    X X O . .
    . O . O .
"""
TWO_SENT = """
    . . . . .
    X X O . .
    . . X O .
"""
SEKI = """
    . O O X . O X X .
    O . O X . O X . X
"""

CASES = [
    Case(
        "one stone captured in the corner",
        EVERYONE,
        """
        O . .
        X . .
        . . .
        """,
        "B",
        "B3",
        """
        . X .
        X . .
        . . .
        """,
        captures=(1, 0),
    ),
    Case(
        "two chains captured by one move",
        EVERYONE,
        """
        O . O X
        X X X .
        """,
        "B",
        "B2",
        """
        . X . X
        X X X .
        """,
        captures=(2, 0),
    ),
    Case(
        "a capture comes before suicide",
        EVERYONE,
        """
        O X .
        . O X
        O X .
        X . .
        """,
        "B",
        "A3",
        """
        . X .
        X . X
        . X .
        X . .
        """,
        captures=(3, 0),
    ),
    Case(
        "four chains joined by one stone",
        EVERYONE,
        """
        . X .
        X . X
        . X .
        """,
        "B",
        "B2",
        """
        . X .
        X X X
        . X .
        """,
    ),
    Case("a stone stands there", EVERYONE, "X .", "W", "A1", "X .", illegal="the point is occupied"),
    Case(
        "ko: not retaken at once",
        EVERYONE,
        """
        . X O .
        X . X O
        . X O .
        """,
        "W",
        "B2 C2",
        """
        . X O .
        X O . O
        . X O .
        """,
        illegal="ko",
        ko="C2",
        captures=(0, 1),
    ),
    Case(
        "ko: retaken after a threat and its answer",
        EVERYONE,
        """
        . X O . .
        X . X O .
        . X O . .
        . . . . .
        """,
        "W",
        "B3 E1 E4 C3",
        """
        . X O . O
        X . X O .
        . X O . .
        . . . . X
        """,
        ko="B3",
        captures=(1, 1),
    ),
    Case(
        "ko: two passes lift the simple ban",
        (JAPANESE, KOREAN),
        """
        . X O .
        X . X O
        . X O .
        """,
        "W",
        "B2 - - C2",
        """
        . X O .
        X . X O
        . X O .
        """,
        ko="B2",
        captures=(1, 1),
    ),
    Case(
        "ko: after two passes the retake still repeats",
        (CHINESE, AGA, NEW_ZEALAND, TROMP_TAYLOR),
        """
        . X O .
        X . X O
        . X O .
        """,
        "W",
        "B2 - - C2",
        """
        . X O .
        X O . O
        . X O .
        """,
        illegal=REPEATS,
        captures=(0, 1),
    ),
    Case(
        "not ko: the stone that took one has joined others",
        EVERYONE,
        """
        X . O .
        O O . .
        """,
        "W",
        "B2",
        """
        . O O .
        O O . .
        """,
        captures=(0, 1),
    ),
    Case(
        "snapback: a stone thrown in, taken, and five taken back at once",
        EVERYONE,
        """
        X X X X .
        X O O O X
        X O . . X
        """,
        "B",
        "C1 D1 C1",
        """
        X X X X .
        X . . . X
        X . X . X
        """,
        captures=(5, 1),
    ),
    Case(
        "triple ko: round it goes under the simple rule",
        (JAPANESE, KOREAN),
        THREE_KOS,
        "B",
        "C10 B6 C2 B10 C6 B2",
        THREE_KOS,
        ko="C2",
        captures=(3, 3),
    ),
    Case(
        "triple ko: the sixth move would repeat the start",
        (CHINESE, AGA, NEW_ZEALAND, TROMP_TAYLOR),
        THREE_KOS,
        "B",
        "C10 B6 C2 B10 C6 B2",
        THREE_KOS_TURNED,
        illegal=REPEATS,
        ko="B6",
        captures=(3, 2),
    ),
    Case(
        "sending two, returning one: the stones repeat, the player to move does not",
        (JAPANESE, KOREAN, AGA, NEW_ZEALAND),
        TWO_TO_SEND,
        "W",
        "A1 C1 B1",
        TWO_TO_SEND,
        captures=(2, 1),
    ),
    Case(
        "sending two, returning one: forbidden where stones alone count",
        (CHINESE, TROMP_TAYLOR),
        TWO_TO_SEND,
        "W",
        "A1 C1 B1",
        TWO_SENT,
        illegal=REPEATS,
        captures=(2, 0),
    ),
    Case(
        "sending two, returning one: again after a pass, which repeats without a capture",
        (AGA, NEW_ZEALAND),
        TWO_TO_SEND,
        "W",
        "A1 C1 B1 - A1",
        TWO_TO_SEND,
        illegal=REPEATS,
        captures=(2, 1),
    ),
    Case(
        "a stone put back where it was captured repeats the start",
        (CHINESE, TROMP_TAYLOR, AGA, NEW_ZEALAND),
        """
        . . . . .
        X X O . .
        O O . O .
        """,
        "B",
        "C1 B1 - A1",
        TWO_TO_SEND,
        illegal=REPEATS,
        captures=(2, 1),
    ),
    Case(
        "suicide of two stones",
        (CHINESE, JAPANESE, KOREAN, AGA),
        """
        X . O
        O O .
        """,
        "B",
        "B2",
        """
        X . O
        O O .
        """,
        illegal="suicide",
    ),
    Case(
        "suicide of two stones where it is allowed",
        (NEW_ZEALAND, TROMP_TAYLOR),
        """
        X . O
        O O .
        """,
        "B",
        "B2",
        """
        . . O
        O O .
        """,
        captures=(0, 2),
    ),
    Case(
        "suicide of one stone",
        (CHINESE, JAPANESE, KOREAN, AGA),
        ". O .",
        "B",
        "A1",
        ". O .",
        illegal="suicide",
    ),
    Case(
        "suicide of one stone repeats the stones",
        (TROMP_TAYLOR,),
        ". O .",
        "B",
        "A1",
        ". O .",
        illegal=REPEATS,
    ),
    Case(
        "suicide of one stone is like a pass where the player to move counts",
        (NEW_ZEALAND,),
        ". O .",
        "B",
        "A1",
        ". O .",
        captures=(0, 1),
    ),
    Case(
        "seki: who plays first is captured",
        EVERYONE,
        SEKI,
        "B",
        "E1 E2",
        """
        . O O . O O X X .
        O . O . . O X . X
        """,
        captures=(0, 3),
    ),
    Case(
        "a false eye: filling it takes what hung on it",
        EVERYONE,
        """
        . X . X O
        X X O X O
        O O O O .
        """,
        "W",
        "C3",
        """
        . X O . O
        X X O . O
        O O O O .
        """,
        captures=(0, 2),
    ),
]


@pytest.mark.parametrize(
    ("case", "rules"), [pytest.param(c, r, id=f"{c.name} [{r.name}]") for c in CASES for r in c.rules]
)
def test_rules_table(case: Case, rules: Rules) -> None:
    board = parse_diagram(case.start, to_move=colour_of(case.to_move), rules=rules)
    moves = [board.grid.parse("pass" if name == "-" else name) for name in case.moves.split()]
    *before, last = moves
    for point in before:
        board.play(point)
    if case.illegal is None:
        board.play(last)
    else:
        assert last not in board.legal_moves()
        with pytest.raises(IllegalMove, match=f"^{board.grid.name(last)}: {case.illegal}$"):
            board.play(last)
    assert board == parse_diagram(case.end)
    assert board.captures == {BLACK: case.captures[0], WHITE: case.captures[1]}
    assert board.ko_point == (NO_POINT if case.ko is None else board.grid.parse(case.ko))


def test_legal_moves_are_the_moves_that_are_legal() -> None:
    board = parse_diagram(SEKI)
    for colour in (BLACK, WHITE):
        wanted = [p for p in map(int, board.grid.points) if board.why_illegal(p, colour) is None]
        assert board.legal_moves(colour) == wanted
    assert board.grid.names(board.legal_moves(BLACK)) == ["E2", "J2", "E1", "H1"]


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("Chinese", CHINESE),
        (" japanese ", JAPANESE),
        ("Korean", KOREAN),
        ("AGA", AGA),
        ("NZ", NEW_ZEALAND),
        ("New Zealand", NEW_ZEALAND),
        ("tromp_taylor", TROMP_TAYLOR),
    ],
)
def test_names_of_rulesets(name: str, rules: Rules) -> None:
    assert rules_named(name) is rules


def test_an_unknown_ruleset() -> None:
    with pytest.raises(UnknownRules, match="'ing': there are chinese"):
        rules_named("ing")


def test_the_board_reads_its_rules() -> None:
    assert Board(9).rules is CHINESE
    assert {rules.name for rules in EVERYONE if rules.suicide} == {"new-zealand", "tromp-taylor"}
