"""The tree of an estimate: local positions, what is known of each, and which one to look into next.

    tree = Tree(board, region, judge, exact_below=9)
    while tree.grow(8): …                      # the eight leaves where most is in doubt
    tree.graph(), tree.leaves

A node is a position of the region, with Black's likely moves and White's. A leaf has a value by area:
exact, where `local_game` solves what is left of it; else the network's ownership, summed over the region,
with Black to move and with White to move. If these differ, the leaf counts as a switch between them, and
how far it may be wrong is its `doubt`. Nodes are shared between lines of play, so kos are loops of the
graph and are left to `kos`. `estimate` is what people call.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from miai.endgame.graph import Graph, Move, graph_of
from miai.endgame.judge import Judge, Mask, Said
from miai.endgame.kos import Solution, solve
from miai.endgame.local import LocalGame, OutOfBudget, RegionError, local_game
from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, WHITE
from miai.go.kernels.arrays import KO, KO_COLOUR
from miai.go.rules import JAPANESE

SETTLED = 0.7  # ownership from which on a point counts as decided in the value of a leaf
DOUBTLESS = 0.9  # and from which on it adds nothing to its doubt
SURE = 0.97  # and from which on it is left out of an exact search
STEP = 4  # values of leaves are rounded to 1/4 of a point, so that fractions stay small
MOVES = 4  # of each side at a node, at most
LIKELY = 0.04  # chance of a move from which on it is tried
COVERED = 0.96  # no more moves are tried when those so far have this chance together
EXACT_NODES = 20_000  # budget of an exact search at a leaf
EXACT_SECONDS = 0.3
PATIENCE = 3  # exact searches that may fail before smaller ones only are tried
SPLICED = 400  # nodes of an exact game that are taken over whole; larger ones count as a switch
LEAST_DOUBT = Fraction(1, 4)  # leaves with less are left alone
KEEP_GOING = 0.5  # how much less a node counts than its parent


@dataclass
class Node:
    """One position of the region."""

    board: Board
    said: Said
    stop: Fraction  # area if nobody ever moves again, by the network
    black_first: Fraction  # by the network, with Black to move
    white_first: Fraction
    doubt: Fraction  # how far that may be wrong; 0 if exact
    exact: LocalGame | None = None
    rest: int = 0  # area of the region outside the exact game
    moves: list[tuple[int, int, int, bool]] = field(default_factory=list)  # colour, point, node, ko capture
    grown: bool = False


class Tree:
    """Grows. Node 0 is the position that the question is about."""

    def __init__(
        self,
        board: Board,
        region: Iterable[int],
        judge: Judge,
        *,
        exact_below: int,
        deadline: float = float("inf"),
    ) -> None:
        self.grid, self.judge, self.exact_below, self.deadline = board.grid, judge, exact_below, deadline
        self.region = sorted({int(point) for point in region})
        self.place = {int(point): i for i, point in enumerate(board.grid.points)}
        self.mask: Mask = np.zeros(board.grid.area, np.bool_)
        self.mask[[self.place[point] for point in self.region]] = True
        self.too_hard = board.grid.area  # points of an exact search from which on it is not tried any more
        self.failed = 0
        self.nodes: list[Node] = []
        self.known: dict[bytes, int] = {}
        root = board.copy()
        root.rules = JAPANESE
        root.arrays.state[KO_COLOUR] = 0  # nobody has just taken a ko
        self._add([root])
        self.solution: Solution | None = None

    # growing --------------------------------------------------------------------------------------

    def grow(self, count: int) -> int:
        """Look into the leaves where most is in doubt, `count` at most; returns how many there were."""
        chosen = self.most_doubtful(count)
        for at in chosen:
            self._open(at)
        if chosen:
            self.solution = None
        return len(chosen)

    def most_doubtful(self, count: int) -> list[int]:
        """Leaves by their doubt, weighed by how near the best lines of play they are."""
        weight = self._weights()
        leaves = [
            (weight[i] * float(node.doubt), i)
            for i, node in enumerate(self.nodes)
            if not node.grown and node.exact is None and node.doubt >= LEAST_DOUBT and i in weight
        ]
        return [i for _, i in sorted(leaves, key=lambda leaf: (-leaf[0], leaf[1]))[:count]]

    def _weights(self) -> dict[int, float]:
        """How much each node matters to the root: half its parent's, and less for a worse move."""
        solution = self.solved()
        weight = {0: 1.0}
        line = [0]
        for at in line:
            node = self.nodes[at]
            if not node.moves:
                continue
            t = solution.of(at).temperature
            for colour in (BLACK, WHITE):
                black = colour == BLACK
                worth = {
                    to: float(solution.after(black, at, to, ko).at(t))
                    for c, _, to, ko in node.moves
                    if c == colour
                }
                if not worth:
                    continue
                best = max(worth.values()) if black else min(worth.values())
                for to, value in worth.items():
                    mine = weight[at] * KEEP_GOING * 2.0 ** -abs(best - value)
                    if mine > weight.get(to, 0.0):
                        if to not in weight:
                            line.append(to)
                        weight[to] = mine
        return weight

    def _open(self, at: int) -> None:
        """Give a leaf its moves."""
        node = self.nodes[at]
        node.grown = True
        fresh: dict[bytes, Board] = {}
        moves: list[tuple[int, int, bytes, bool]] = []
        for colour, chance in ((BLACK, node.said.black), (WHITE, node.said.white)):
            for point in self._likely(chance):
                after = node.board.copy()
                after.to_move = colour
                if after.why_illegal(point, colour) is not None:
                    continue
                captured = after.play(point, colour)
                ko = captured == 1 and int(after.arrays.state[KO]) > 0
                after.arrays.state[KO_COLOUR] = 0
                key = self._key(after)
                moves.append((colour, point, key, ko))
                if key not in self.known:
                    fresh[key] = after
        self._add(list(fresh.values()))
        node.moves = [(colour, point, self.known[key], ko) for colour, point, key, ko in moves]

    def _likely(self, chance: npt.NDArray[np.float32]) -> list[int]:
        found: list[int] = []
        covered = 0.0
        for place in np.argsort(-chance, kind="stable")[:MOVES]:
            if chance[place] < LIKELY or covered > COVERED:
                break
            covered += float(chance[place])
            found.append(int(self.grid.points[place]))
        return found

    def _key(self, board: Board) -> bytes:
        return board.arrays.colour.tobytes()

    def _add(self, boards: list[Board]) -> None:
        if not boards:
            return
        for board, said in zip(boards, self.judge.judge(boards, self.mask), strict=True):
            self.known[self._key(board)] = len(self.nodes)
            self.nodes.append(self._judged(board, said))

    # values ---------------------------------------------------------------------------------------

    def _judged(self, board: Board, said: Said) -> Node:
        owned = said.ownership[:, self.mask]
        sure = (np.abs(owned) >= SETTLED).all(0) & (np.sign(owned[0]) == np.sign(owned[1]))
        decided = int(np.sign(owned[0][sure]).sum())
        black_first, white_first = (decided + _rounded(float(row[~sure].sum())) for row in owned)
        swing = abs(black_first - white_first) / 2
        middle = owned.mean(0)[(np.abs(owned) < DOUBTLESS).any(0)]
        fuzz = _rounded(0.5 * float(np.sqrt((1 - middle**2).sum())))
        node = Node(
            board,
            said,
            stop=(black_first + white_first) / 2,
            black_first=black_first,
            white_first=white_first,
            doubt=max(swing, fuzz),
        )
        if self.exact_below > 0:
            self._solve_exactly(node)
        return node

    def _solve_exactly(self, node: Node) -> None:
        """Give the region to the exact engine if it is small, else what the network leaves open of it."""
        owned = node.said.ownership
        known = (np.abs(owned) >= SURE).all(0) & (np.sign(owned[0]) == np.sign(owned[1]))
        sure = {int(point) for point in self.grid.points[known]}
        for core in (set(self.region), self._core(node.board, sure)):
            left = min(EXACT_SECONDS, self.deadline - time.perf_counter())
            if (
                left <= 0
                or len(core) >= self.too_hard
                or not self._is_small_and_closed(node.board, core, sure)
            ):
                continue
            try:
                node.exact = local_game(node.board, core, node_limit=EXACT_NODES, seconds=left)
            except OutOfBudget:
                self.failed += 1
                if self.failed >= PATIENCE:
                    self.too_hard = min(self.too_hard, len(core))
                continue
            except RegionError:
                continue
            said = zip(self.region, owned[:, self.mask].mean(0), strict=True)
            node.rest = sum(int(np.sign(owner)) for point, owner in said if point not in core)
            node.doubt = Fraction(0)
            return

    def _is_small_and_closed(self, board: Board, core: set[int], sure: set[int]) -> bool:
        """Few empty points, and the empty points next to them outside are somebody's for sure."""
        empty = sum(board[point] == EMPTY for point in core)
        if not 0 < empty <= self.exact_below:
            return False
        rim = {beside for point in core for beside in self.grid.neighbours(point)} - core
        return all(point in sure for point in rim if board[point] == EMPTY)

    def _core(self, board: Board, sure: set[int]) -> set[int]:
        """The points of the region that are not sure, the empty points next to them, and whole chains."""
        inside = set(self.region)
        core = inside - sure
        core |= {
            beside
            for point in core
            for beside in self.grid.neighbours(point)
            if beside in inside and board[beside] == EMPTY
        }
        chains = [board.chain(point).stones for point in sorted(core) if board[point] != EMPTY]
        return core | {stone for chain in chains for stone in chain if stone in inside}

    def solved(self) -> Solution:
        """Thermographs, by area, with the leaves' values as they are."""
        if self.solution is None:
            self.solution = solve(self.graph())
        return self.solution

    def graph(self, off: int = 0) -> Graph:
        """Nodes and moves; leaves follow as switches or exact games. `off`: ±1, leaves off by their doubt."""
        scores: list[Fraction | int] = [node.stop + off * node.doubt for node in self.nodes]
        left: dict[int, list[Move]] = {}
        right: dict[int, list[Move]] = {}
        for at, node in enumerate(self.nodes):
            if node.exact is not None:
                self._splice(at, node.exact, node.rest, scores, left, right)
            elif node.moves:
                left[at] = [(to, ko, point) for colour, point, to, ko in node.moves if colour == BLACK]
                right[at] = [(to, ko, point) for colour, point, to, ko in node.moves if colour == WHITE]
            elif node.black_first > node.white_first:
                shift = off * node.doubt
                self._switch(at, node.black_first + shift, node.white_first + shift, scores, left, right)
        return graph_of(scores, left, right)

    def _splice(
        self,
        at: int,
        game: LocalGame,
        rest: int,
        scores: list[Fraction | int],
        left: dict[int, list[Move]],
        right: dict[int, list[Move]],
    ) -> None:
        graph, mean, t = game.graph, game.area.mean, game.area.temperature
        if len(graph) > SPLICED:
            scores[at] = mean + rest
            if t > 0:
                self._switch(at, mean + t + rest, mean - t + rest, scores, left, right)
            return
        number = {graph.root: at}
        for v in range(len(graph)):
            if v != graph.root:
                number[v] = len(scores)
                scores.append(0)
        for v, here in number.items():
            scores[here] = Fraction(graph.score[v]) + rest
            left[here] = [(number[to], ko, point) for to, ko, point in graph.edges(v, True)]
            right[here] = [(number[to], ko, point) for to, ko, point in graph.edges(v, False)]

    @staticmethod
    def _switch(
        at: int,
        black: Fraction,
        white: Fraction,
        scores: list[Fraction | int],
        left: dict[int, list[Move]],
        right: dict[int, list[Move]],
    ) -> None:
        left[at], right[at] = [len(scores)], [len(scores) + 1]
        scores += [black, white]

    @property
    def stones(self) -> int:
        """Black stones minus white stones in the region, to begin with."""
        colour = self.nodes[0].board.arrays.colour[self.region]
        return int((colour == BLACK).sum()) - int((colour == WHITE).sum())


def _rounded(x: float) -> Fraction:
    return Fraction(round(x * STEP), STEP)
