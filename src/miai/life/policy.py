"""An adviser for the search (see `advice`): the policy of the network that ships.

It looks at the part of the board that holds the problem, with what the frame assumes, as at a small board.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, EMPTY, WHITE
from miai.go.rules import JAPANESE
from miai.life.advice import Adviser, Positions
from miai.life.problem import Problem
from miai.nets.planes import PASS_MOVE, Records, encode_batch
from miai.nets.planes.records import DEFAULT_KOMI
from miai.nets.runtime import Network, load

SMALLEST = 9  # lines of the board that the network is shown
MARGIN = 2  # lines beyond the region, for the fence and what it holds


def policy_adviser(problem: Problem, points: Sequence[int]) -> Adviser | None:
    """Who advises on a problem whose points have these numbers; None if the network knows no such boards."""
    network = load(threads=1)
    view = View(problem, points)
    known = range(network.labels.smallest, network.labels.largest + 1)
    return PolicyAdviser(network, view) if view.height in known and view.width in known else None


class View:
    """The part of the board that the network is shown, as square as the board allows."""

    def __init__(self, problem: Problem, points: Sequence[int]) -> None:
        grid = problem.board.grid
        rows, columns = zip(*(grid.row_column(point) for point in points), strict=True)
        across, down = span(columns, grid.width), span(rows, grid.height)
        side = max(SMALLEST, len(across), len(down))
        across, down = widened(across, side, grid.width), widened(down, side, grid.height)
        self.height, self.width = len(down), len(across)
        shown = [grid.point(row, column) for row in down for column in across]
        self.stones = np.array([problem.colour_at(point) for point in shown], dtype=np.int8)
        self.place_of = {point: place for place, point in enumerate(shown)}
        self.places = np.array([self.place_of[point] for point in points])  # of the numbered points

    def place(self, point: int) -> int:
        """Where a point is, or PASS_MOVE for none."""
        return self.place_of.get(int(point), PASS_MOVE)


def span(lines: Sequence[int], length: int) -> range:
    """From the first to the last of these lines and a margin, within a board of that length."""
    return range(max(0, min(lines) - MARGIN), min(length, max(lines) + 1 + MARGIN))


def widened(lines: range, side: int, length: int) -> range:
    """As many lines as wanted, or as the board has: an edge of the board that is seen stays one."""
    extra = min(side, length) - len(lines)
    before = 0 if lines.start == 0 else extra if lines.stop == length else extra // 2
    start = max(0, min(lines.start - before, length - len(lines) - extra))
    return range(start, start + len(lines) + extra)


class PolicyAdviser:
    """The policy of a network."""

    def __init__(self, network: Network, view: View) -> None:
        self.network, self.view = network, view
        self.recent = [network.planes.plane(name) for name in ("last-1", "last-2")]

    def __call__(self, asked: Positions) -> npt.NDArray[np.float32]:
        """The logits of all points, occupied ones too."""
        records = self.records(asked)
        n = len(records)
        spatial, scalars = encode_batch(self.network.planes, records, np.arange(n), np.zeros(n, np.int64))
        for planes, *moves in zip(spatial, asked.last, asked.before, strict=True):
            for plane, move in zip(self.recent, moves, strict=True):
                if self.view.place(move) == PASS_MOVE:
                    break
                planes[plane].reshape(-1)[self.view.place(move)] = 1
        policy = self.network.run(spatial, scalars)["policy"][:, 0, self.view.places]
        return policy.astype(np.float32)

    def records(self, asked: Positions) -> Records:
        """The positions as games that begin there."""
        n = len(asked.player)
        boards = np.tile(self.view.stones, (n, 1))
        boards[:, self.view.places] = np.where(asked.black, BLACK, np.where(asked.white, WHITE, EMPTY))
        game, place = np.nonzero(boards != EMPTY)
        return Records(
            points=np.zeros(0, np.int16),
            colours=np.zeros(0, np.int8),
            start=np.zeros(n + 1, np.int64),
            width=np.full(n, self.view.width, np.int8),
            height=np.full(n, self.view.height, np.int8),
            komi=np.full(n, DEFAULT_KOMI, np.float32),
            rules=np.zeros(n, np.int16),
            to_move=asked.player.astype(np.int8),
            setup_points=place.astype(np.int16),
            setup_colours=boards[game, place],
            setup_start=np.searchsorted(game, np.arange(n + 1)).astype(np.int64),
            setup_ko=np.array([self.view.place(point) for point in asked.banned], np.int16),
            index=np.arange(n),
            rulesets=(JAPANESE,),
        )
