"""Random games, move by move, against two other programs: sgfmill's board and GNU Go.

Each program knows nothing of the others. Stones, captures and simple ko must agree after every move.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess

import numpy as np
import pytest
from sgfmill import boards

from miai.go.board import Board
from miai.go.coords import BLACK, COLOUR_LETTERS, NO_POINT, PASS, WHITE, opponent
from miai.go.rules import JAPANESE, Rules
from miai.go.scoring import owners

GAMES = 200
SIDES = (9, 13, 19)
WITH_SUICIDE = Rules("suicide allowed", JAPANESE.count, JAPANESE.ko, suicide=True, komi=0)

GNUGO = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))


def random_moves(side: int, seed: int, rules: Rules) -> list[int]:
    """A game of legal moves, drawn without regard to eyes: full of captures and kos."""
    board, choose = Board(side, rules=rules), random.Random(seed)
    moves = []
    for _ in range(choose.randint(side * side, 2 * side * side) * 2 // 3):
        # a random empty point is nearly always legal: try a few before listing them all
        empty = board.stones(0)
        tries = (choose.choice(empty) for _ in range(8))
        point = next((p for p in tries if board.is_legal(p)), None)
        if point is None or choose.random() < 0.01:
            point = choose.choice([*board.legal_moves(), PASS])
        board.play(point)
        moves.append(point)
    return moves


@pytest.mark.parametrize("side", SIDES)
def test_against_sgfmill(side: int) -> None:
    signs = {None: 0, "b": BLACK, "w": WHITE}
    for seed in range(GAMES):
        rules = WITH_SUICIDE if seed % 2 else JAPANESE
        ours, theirs = Board(side, rules=rules), boards.Board(side)
        for point in random_moves(side, seed, rules):
            before = np.sum(ours.arrays.colour == BLACK), np.sum(ours.arrays.colour == WHITE)
            taken = dict(ours.captures)
            mover = ours.to_move
            ours.play(point)
            if point == PASS:
                continue
            row, column = ours.grid.row_column(point)
            ko = theirs.play(side - 1 - row, column, COLOUR_LETTERS[mover].lower())
            position = [signs[content] for line in reversed(theirs.board) for content in line]
            assert ours.arrays.colour[ours.grid.points].tolist() == position
            wanted = NO_POINT if ko is None else ours.grid.point(side - 1 - ko[0], ko[1])
            assert ours.ko_point == wanted
            for colour, stones in zip((BLACK, WHITE), before, strict=True):
                gone = int(stones) + (mover == colour) - position.count(colour)
                assert ours.captures[opponent(colour)] - taken[opponent(colour)] == gone
        owner, _ = owners(ours.arrays.colour, ours.grid.stride)
        assert np.sum(owner == BLACK) - np.sum(owner == WHITE) == theirs.area_score()


@pytest.mark.skipif(GNUGO is None, reason="gnugo is not installed")
@pytest.mark.parametrize(("side", "lists"), [(9, 1), (13, 4), (19, 10)])
def test_against_gnugo(side: int, lists: int) -> None:
    """All games in one process: commands go in at once, with what we expect beside each of them.

    Captures are compared after every move; stones, which take GNU Go longer, after every `lists` moves.
    """
    commands: list[str] = []
    expected: list[str | None] = []  # None: not looked at

    def ask(command: str, answer: str | None = None) -> None:
        commands.append(command)
        expected.append(answer)

    ask(f"boardsize {side}")
    for seed in range(GAMES):
        ask("clear_board")
        ours = Board(side, rules=JAPANESE)
        names = np.array(
            [ours.grid.name(p) if ours.grid.on_board(p) else "" for p in range(ours.grid.length)]
        )
        for point in random_moves(side, 1000 + seed, JAPANESE):
            colour = ("black", "white")[ours.to_move == WHITE]
            ours.play(point)
            ask(f"play {colour} {ours.grid.name(point)}", "")
            for colour_code, colour in ((BLACK, "black"), (WHITE, "white")):
                ask(f"captures {colour}", str(ours.captures[colour_code]))
                if ours.move_number % lists == 0:
                    ask(f"list_stones {colour}", " ".join(names[ours.arrays.colour == colour_code]))
            if ours.ko_point != NO_POINT:
                colour = ("black", "white")[ours.to_move == WHITE]
                ask(f"is_legal {colour} {ours.grid.name(ours.ko_point)}", "0")
    script = "\n".join([*commands, "quit", ""])
    assert GNUGO is not None
    done = subprocess.run([GNUGO, "--mode", "gtp"], input=script, capture_output=True, text=True, check=True)
    answers = done.stdout.split("\n\n")
    for command, wanted, answer in zip(commands, expected, answers, strict=False):
        assert answer.startswith("="), f"{command}: {answer}"
        if wanted is not None:
            assert sorted(answer[1:].split()) == sorted(wanted.split()), command
    assert len(answers) >= len(commands)
