"""How fast the board is: replaying real games against sgfmill's board, and random games a second.

Both replays start from the same moves, already parsed; ours includes making the board of each game
and checking each move against the rules, which sgfmill's does not do.
"""

from __future__ import annotations

import lzma
import os
import re
from pathlib import Path

import numpy as np
from sgfmill import boards

from harness import Row, best_of, report
from miai.go.board import Board, legal_lengths
from miai.go.coords import BLACK, PASS, WHITE, grid
from miai.play.rollout import rollouts

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
MOVE = re.compile(r";([BW])\[([a-s]{2}|tt)?\]")
SIDE = 19


def moves_of(record: str) -> list[tuple[str, str]]:
    """The moves of a game without variations: colour letter and SGF point."""
    return [(colour, point) for colour, point in MOVE.findall(record)]


def prepare(games: list[list[tuple[str, str]]]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The moves as our kernels take them."""
    colours, geometry = {"B": BLACK, "W": WHITE}, grid(SIDE)
    return [
        (
            np.array([geometry.parse_sgf(point) for _, point in game], dtype=np.int32),
            np.array([colours[colour] for colour, _ in game], dtype=np.int8),
        )
        for game in games
    ]


def prepare_sgfmill(games: list[list[tuple[str, str]]]) -> list[list[tuple[int, int, str]]]:
    """The moves as sgfmill's board takes them; passes are not played on it."""
    return [
        [
            (SIDE - 1 - (ord(point[1]) - ord("a")), ord(point[0]) - ord("a"), colour.lower())
            for colour, point in game
            if grid(SIDE).parse_sgf(point) != PASS
        ]
        for game in games
    ]


def replay(games: list[tuple[np.ndarray, np.ndarray]]) -> int:
    """Play every game; returns how many moves were legal."""
    return sum(Board(SIDE).replay(points, colours) for points, colours in games)


def replay_sgfmill(games: list[list[tuple[int, int, str]]]) -> None:
    for game in games:
        board = boards.Board(SIDE)
        for row, column, colour in game:
            board.play(row, column, colour)


def main() -> bool:
    path = DATA / "games" / "val.sgf.xz"
    if not path.exists():
        raise SystemExit(f"bench_board: no games at {path}: set MIAI_DATA to the folder of corpora")
    games = [moves_of(record) for record in lzma.decompress(path.read_bytes()).decode().splitlines()]
    moves = sum(len(game) for game in games)
    ours, theirs = prepare(games), prepare_sgfmill(games)
    if (played := replay(ours)) != moves:  # also the warm-up
        raise SystemExit(f"bench_board: only {played} of {moves} moves could be replayed")
    if (played := int(legal_lengths(ours).sum())) != moves:
        raise SystemExit(f"bench_board: only {played} of {moves} moves could be replayed")
    ways = {"all at once": lambda: legal_lengths(ours), "a Board for each": lambda: replay(ours)}
    # in turns, so that a slow minute of the machine slows both sides
    peer_seconds, seconds = float("inf"), dict.fromkeys(ways, float("inf"))
    for _ in range(4):
        peer_seconds = min(peer_seconds, best_of(lambda: replay_sgfmill(theirs), repeat=1))
        for how, function in ways.items():
            seconds[how] = min(seconds[how], best_of(function, repeat=15))
    rows = [
        Row(
            work=f"replay of {len(games):,} games, {how}",
            ours=moves / seconds[how],
            unit="moves/s",
            peer_name="sgfmill boards",
            peer=moves / peer_seconds,
            floor=100 if how == "all at once" else None,
        )
        for how in ways
    ]
    for side, count, floor in ((9, 10_000, 25_000), (19, 2_000, 5_000)):
        board = Board(side)
        rollouts(board, 1, seed=0)
        seconds = best_of(lambda board=board, count=count: rollouts(board, count, seed=1), repeat=5)
        rows.append(
            Row(work=f"random games {side}×{side}", ours=count / seconds, unit="games/s", floor=floor)
        )
    return report("The board", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
