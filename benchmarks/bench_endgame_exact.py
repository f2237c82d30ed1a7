"""Exact endgame regions: seconds against empty points, and the published problems solved exactly.

    bench_endgame_exact.py                   4 to 14 empty points, a fixed sample of each
    bench_endgame_exact.py --full            4 to 16, more of each, and nerds-open.jsonl with long budgets
    bench_endgame_exact.py --problems        only the published problems

A region is a random connected shape, closed by walls that a line through it divides between Black and
White, with a stone out of place now and then, so that most have dozens of sensible first moves, kos and
captures inside. Seconds are of one core (process time), compiling left out. The published exact solvers
of local endgames stop at about ten legal moves; there is no program to run beside this one.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from harness import Row, report
from miai.endgame.local import OutOfBudget, compiled, local_game
from miai.go.board import Board, IllegalMove
from miai.go.coords import BLACK, WHITE
from miai.go.game import Game
from miai.go.sgf import parse

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
SEED = 2026
PUBLISHED = 90.0  # per cent of the published values
CEILING = 10.0  # seconds for the median region of 14 empty points


def random_region(rng: random.Random, empty: int, stones: int = 0, size: int = 9) -> tuple[Board, list[int]]:
    """A closed region with that many empty points, and stones of either colour inside it."""
    while True:
        board = Board(size)
        grid = board.grid
        inside = {int(rng.choice(list(grid.points)))}
        while len(inside) < empty + stones:
            inside.add(rng.choice(sorted({q for p in inside for q in grid.neighbours(p)} - inside)))
        region = sorted(inside)
        ring = sorted({q for p in region for q in grid.neighbours(p)} - inside)
        row, column = (statistics.mean(grid.row_column(p)[i] for p in region) for i in (0, 1))
        angle, offset, noise = rng.random() * 2 * math.pi, rng.uniform(-1.5, 1.5), rng.choice([0, 0, 0.1])
        of: dict[int, list[int]] = {BLACK: [], WHITE: []}
        for q in ring:
            r, c = grid.row_column(q)
            side = (r - row) * math.cos(angle) + (c - column) * math.sin(angle) + offset > 0
            of[BLACK if side != (rng.random() < noise) else WHITE].append(q)
        for p in rng.sample(region, stones):
            of[rng.choice([BLACK, WHITE])].append(p)
        try:
            board.setup(black=of[BLACK], white=of[WHITE])
        except IllegalMove:
            continue
        return board, region


def problems(name: str) -> Iterator[tuple[dict[str, object], Board, list[int]]]:
    """The records of a file of the endgame corpus, with board and region."""
    for line in (DATA / "endgame" / f"{name}.jsonl").read_text().splitlines():
        record = json.loads(line)
        board = Game(parse(record["sgf"].encode()).games[0]).board_at(0)
        yield record, board, [board.grid.parse_sgf(letters) for letters in record["region"]]


def time_sizes(sizes: list[int], sample: int, seconds: float) -> list[Row]:
    rows = []
    print("empty  median s    worst s   positions (median)   with kos   out of budget")
    for empty in sizes:
        times, positions, kos, failed = [], [], 0, 0
        for k in range(sample):
            board, region = random_region(random.Random(f"{SEED} {empty} {k}"), empty)
            began = time.process_time()
            try:
                game = local_game(board, region, seconds=seconds, node_limit=20_000_000)
                positions.append(game.positions)
                kos += game.kos_matter
            except OutOfBudget:
                failed += 1
            times.append(time.process_time() - began)
        middle = statistics.median(times)
        print(
            f"{empty:5}  {middle:8.3f}   {max(times):8.2f}   {statistics.median(positions or [0]):18,.0f}"
            f"   {kos:8}   {failed:13}"
        )
        rows.append(
            Row(
                work=f"exact region, {empty} empty points, median of {sample}",
                ours=middle,
                unit="s",
                ceiling=CEILING if empty == 14 else None,
            )
        )
    return rows


def time_problems(seconds: float) -> list[Row]:
    """The published problems: exact where that is possible, else what a search cut short guesses."""
    exact = equal = total = 0
    for record, board, region in problems("nerds-open"):
        total += 1
        game = local_game(board, region, seconds=seconds, node_limit=20_000_000, guess=True)
        exact += game.exact
        same = str(game.miai_value) == record["miai_value"]
        equal += same
        if not same or not game.exact:
            how = "exact" if game.exact else game.assumptions[-1]
            print(f"{record['id']}: we say {game.miai_value}, published {record['miai_value']}: {how}")
    return [
        Row(work="nerds-open solved exactly (outside as assumed)", ours=100 * exact / total, unit="%"),
        Row(
            work="nerds-open, exact search or its guess, value as published",
            ours=100 * equal / total,
            unit="%",
            floor=PUBLISHED,
        ),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--full", action="store_true", help="up to 16 empty points, larger samples")
    parser.add_argument("--problems", action="store_true", help="only the published problems")
    parser.add_argument("--sizes", type=int, nargs="*", help="these numbers of empty points")
    parser.add_argument("--sample", type=int, help="regions of each size")
    parser.add_argument("--seconds", type=float, default=60.0, help="budget of a region")
    options = parser.parse_args()
    compiled()
    rows: list[Row] = []
    if not options.problems:
        sizes = options.sizes or list(range(4, 17 if options.full else 15))
        rows += time_sizes(sizes, options.sample or (21 if options.full else 9), options.seconds)
    if options.problems or options.full:
        rows += time_problems(options.seconds)
    return not report("Exact endgame regions", rows)


if __name__ == "__main__":
    raise SystemExit(main())
