"""The game trees of an analysis as one SGF, with count and temperature at every node.

    data = serialise(tree(analysis))

The root is the position, its regions lettered as in the table. Every correct first move of either side
in each region that is worth a move begins a variation; below it stand the correct moves of both sides,
since either may play elsewhere in between. Comments give the region's count in territory points, from
Black's side, and its temperature. Trees of regions that were searched are searched again move by move;
those that a network grew are written as they grew.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from fractions import Fraction

from miai.endgame.drawing import letters, summary
from miai.endgame.estimate import TreeNode
from miai.endgame.local import LocalGame, OutOfBudget, RegionError, local_game
from miai.endgame.values import RegionValue, Type
from miai.endgame.whole import Analysis, RegionAnswer
from miai.go.board import Board, IllegalMove
from miai.go.coords import BLACK, COLOUR_LETTERS, EMPTY, WHITE
from miai.go.sgf import Node

DEPTH = 8  # moves from the position
NODES = 120  # of one region
WIDTH = 3  # correct moves of one side at a node
SECONDS = 20.0  # for all regions together


def tree(analysis: Analysis, *, seconds: float = SECONDS) -> Node:
    """One SGF tree for all regions."""
    board, grid = analysis.board, analysis.board.grid
    root = Node()
    width, height = board.size
    root["FF"], root["GM"], root["CA"], root["AP"] = "4", "1", "UTF-8", "miai"
    root["SZ"] = str(width) if width == height else f"{width}:{height}".encode()
    root["RU"] = board.rules.name
    for name, colour in (("AB", BLACK), ("AW", WHITE)):
        if stones := board.stones(colour):
            root[name] = [grid.sgf(p) for p in stones]
    root["PL"] = COLOUR_LETTERS[board.to_move]
    marks = [
        (p, letter)
        for letter, answer in zip(letters(), analysis.regions, strict=False)
        for p in answer.value.region
    ]
    if labels := [f"{grid.sgf(p)}:{letter}".encode() for p, letter in marks if board[p] == EMPTY]:
        root["LB"] = labels
    root["C"] = summary(analysis)
    hot = [each for each in zip(letters(), analysis.regions, strict=False) if each[1].value.miai_value > 0]
    for letter, answer in hot:
        _Writer(answer, board, letter, seconds / len(hot)).write(root)
    return root


@dataclass(frozen=True)
class _Place:
    """A node that is still to be written: what led there, on the real board and on the searched one."""

    node: Node
    real: Board
    searched: Board
    depth: int


class _Writer:
    """Writes the variations of one region."""

    def __init__(self, answer: RegionAnswer, board: Board, letter: str, seconds: float) -> None:
        self.answer, self.board, self.letter = answer, board, letter
        self.deadline = time.perf_counter() + seconds
        self.region = set(answer.value.region)
        self.nodes = 0

    def write(self, root: Node) -> None:
        if self.answer.game is not None:
            self.searched(root, self.answer.game)
        elif self.answer.estimate is not None:
            for child in self.answer.estimate.tree.children:
                self.grown(root, child, self.board.copy(), 1)
        else:
            self.first_moves(root)

    def first_moves(self, root: Node) -> None:
        """Only the moves are known, not what follows."""
        value = self.answer.value
        for colour, stop in ((BLACK, value.left_stop), (WHITE, value.right_stop)):
            for move in value.moves(colour == BLACK):
                self.add(
                    root, move, colour, f"Region {self.letter}: count {stop}, by the network's ownership"
                )

    def add(self, parent: Node, point: int, colour: int, words: str) -> Node:
        node = parent.add_child()
        node[COLOUR_LETTERS[colour]] = self.board.grid.sgf(point)
        node["C"] = words
        self.nodes += 1
        return node

    # regions that were searched ------------------------------------------------------------------

    def searched(self, root: Node, game: LocalGame) -> None:
        """Level by level, so that a limit cuts the deep lines and not the late ones."""
        waiting = deque([_Place(root, self.board.copy(), self.answer.board.copy(), 0)])
        value: RegionValue = game.value
        while waiting:
            place = waiting.popleft()
            if place.depth:
                found = self.value_at(place)
                if found is None:
                    place.node["C"] = f"Region {self.letter}: goes on"
                    continue
                value = found
                place.node["C"] = self.words(value, self.prisoners(place))
            if place.depth < DEPTH and value.type not in (Type.DAME, Type.SETTLED):
                waiting += self.children(place, value)

    def children(self, place: _Place, value: RegionValue) -> list[_Place]:
        found: list[_Place] = []
        for colour in (BLACK, WHITE):
            for move in value.moves(colour == BLACK)[:WIDTH]:
                if self.nodes >= NODES:
                    return found
                real, searched = place.real.copy(), place.searched.copy()
                outside = _outside(searched, self.region)
                try:
                    real.play(move, colour)
                    searched.play(move, colour)
                except IllegalMove:
                    continue  # a ko that may not be retaken at once
                if _outside(searched, self.region) != outside:
                    continue  # it takes a wall, which the search took to be safe
                node = self.add(place.node, move, colour, "")
                found.append(_Place(node, real, searched, place.depth + 1))
        return found

    def value_at(self, place: _Place) -> RegionValue | None:
        left = self.deadline - time.perf_counter()
        if left <= 0:
            return None
        try:
            return local_game(place.searched, self.region, seconds=left).value
        except (OutOfBudget, RegionError):
            return None

    def prisoners(self, place: _Place) -> int:
        """Stones taken on the way, Black's captures minus White's."""
        now, before = place.searched.captures, self.answer.board.captures
        return (now[BLACK] - before[BLACK]) - (now[WHITE] - before[WHITE])

    def words(self, value: RegionValue, prisoners: int) -> str:
        return node_words(
            self.letter, value.count + prisoners, value.miai_value, value.type.value.replace("_", " ")
        )

    # regions that a network grew -----------------------------------------------------------------

    def grown(self, parent: Node, tree: TreeNode, board: Board, depth: int) -> None:
        """The network's tree, as far as its moves can be played."""
        if tree.point is None or self.nodes >= NODES or depth > DEPTH:
            return
        colour = BLACK if tree.black else WHITE
        try:
            board.play(tree.point, colour)
        except IllegalMove:
            return
        how = "searched from here" if tree.exact else "estimate"
        node = self.add(
            parent, tree.point, colour, node_words(self.letter, tree.count, tree.temperature, how)
        )
        for child in tree.children:
            self.grown(node, child, board.copy(), depth + 1)


def node_words(letter: str, count: Fraction, temperature: Fraction, kind: str) -> str:
    """The comment of a node."""
    return f"Region {letter}: count {count}, temperature {temperature} ({kind})"


def _outside(board: Board, region: set[int]) -> int:
    """How many stones stand outside a region."""
    return sum(1 for colour in (BLACK, WHITE) for p in board.stones(colour) if p not in region)
