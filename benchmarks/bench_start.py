"""How long `miai show` takes from Enter to the board, on a game of 300 moves, once all is compiled.

The peer is `import numba` alone: what any program on Numba pays before it does anything. Both are
whole processes, started in turn, and the fastest run of each counts.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import Row, best_of, report
from miai.go.board import Board

RUNS = 15
MOVES = 300
SOURCE = Path(__file__).resolve().parent.parent / "src"


def random_record() -> str:
    """A legal game of MOVES moves, the same in every run."""
    dice = random.Random(0)
    board = Board(19)
    moves = []
    for number in range(MOVES):
        point = dice.choice(board.legal_moves())
        board.play(point)
        moves.append(f";{'BW'[number % 2]}[{board.grid.sgf(point)}]")
    return f"(;FF[4]GM[1]SZ[19]RU[Chinese]KM[7.5]{''.join(moves)})"


def run(*arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)


def main() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "game.sgf"
        record.write_text(random_record())
        commands = {"show": ("-m", "miai", "show", str(record)), "peer": ("-c", "import numba")}
        times = dict.fromkeys(commands, float("inf"))
        for _ in range(RUNS):  # in turn, so that a busy moment hits both
            for name, command in commands.items():
                times[name] = min(times[name], best_of(lambda command=command: run(*command), repeat=1))
    row = Row(
        work=f"miai show, {MOVES} moves",
        ours=times["show"],
        unit="s",
        peer_name='python -c "import numba"',
        peer=times["peer"],
        ceiling=1.5,
    )
    return report("From Enter to the board", [row])


if __name__ == "__main__":
    raise SystemExit(not main())
