"""The full local game of a region by the rules of Go, in plain Python: every legal move, nothing left out.

For regions closed by walls that cannot be captured, as in the worked examples. Shares no code with the
engine, so that answers can be compared.
"""

from __future__ import annotations

import re

from miai.endgame.graph import Graph, graph_of

EMPTY, BLACK, WHITE = 0, 1, 2
Point = tuple[int, int]  # column, row
Stones = tuple[int, ...]  # the colours of the region's points


class Region:
    """A region of a position given as SGF: `AB`, `AW`, and `SQ` for the region."""

    def __init__(self, sgf: str) -> None:
        size = re.search(r"SZ\[(\d+)\]", sgf)
        assert size is not None
        self.size = int(size[1])
        self.wall = dict.fromkeys(self._points(sgf, "AB"), BLACK) | dict.fromkeys(
            self._points(sgf, "AW"), WHITE
        )
        self.points = self._points(sgf, "SQ")
        self.index = {point: i for i, point in enumerate(self.points)}
        self.start: Stones = tuple(self.wall.pop(point, EMPTY) for point in self.points)

    @staticmethod
    def _points(sgf: str, tag: str) -> list[Point]:
        found = re.search(tag + r"((?:\[[a-z]{2}\])+)", sgf)
        return (
            []
            if found is None
            else [(ord(a) - 97, ord(b) - 97) for a, b in re.findall(r"\[(.)(.)\]", found[1])]
        )

    def near(self, point: Point) -> list[Point]:
        x, y = point
        around = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        return [(a, b) for a, b in around if 0 <= a < self.size and 0 <= b < self.size]

    def colour(self, stones: Stones | list[int], point: Point) -> int:
        return stones[self.index[point]] if point in self.index else self.wall.get(point, EMPTY)

    def chain(self, stones: Stones | list[int], point: Point) -> tuple[set[Point], set[Point] | None]:
        """The chain's points and its liberties; None: it is joined to a wall and safe."""
        colour = self.colour(stones, point)
        chain, todo, liberties = {point}, [point], set()
        while todo:
            for q in self.near(todo.pop()):
                if self.colour(stones, q) == EMPTY:
                    liberties.add(q)
                elif self.colour(stones, q) == colour:
                    if q not in self.index:
                        return chain, None
                    if q not in chain:
                        chain.add(q)
                        todo.append(q)
        return chain, liberties

    def play(self, stones: Stones, point: Point, colour: int) -> tuple[Stones, bool] | None:
        """The position after a move and whether it took a ko; None if it is illegal."""
        if stones[self.index[point]] != EMPTY:
            return None
        after = list(stones)
        after[self.index[point]] = colour
        taken = 0
        for q in self.near(point):
            if q in self.index and after[self.index[q]] == BLACK + WHITE - colour:
                chain, liberties = self.chain(after, q)
                if liberties == set():
                    taken += len(chain)
                    for r in chain:
                        after[self.index[r]] = EMPTY
        chain, liberties = self.chain(after, point)
        if liberties == set():
            return None
        ko = taken == 1 and len(chain) == 1 and liberties is not None and len(liberties) == 1
        return tuple(after), ko

    def area(self, stones: Stones) -> int:
        """Black's stones and empty points that touch only Black, minus the same for White."""
        total = stones.count(BLACK) - stones.count(WHITE)
        seen: set[Point] = set()
        for point in self.points:
            if point in seen or self.colour(stones, point) != EMPTY:
                continue
            empty, todo, touched = {point}, [point], set()
            while todo:
                for q in self.near(todo.pop()):
                    if self.colour(stones, q) != EMPTY:
                        touched.add(self.colour(stones, q))
                    elif q in self.index and q not in empty:
                        empty.add(q)
                        todo.append(q)
            seen |= empty
            total += {(BLACK,): len(empty), (WHITE,): -len(empty)}.get(tuple(touched), 0)
        return total

    def graph(self) -> Graph:
        """All positions that local moves can reach; labels are indices of points."""
        number = {self.start: 0}
        order = [self.start]
        moves: dict[int, dict[int, list[tuple[int, bool, int]]]] = {BLACK: {}, WHITE: {}}
        for node, stones in enumerate(order):  # grows while we go
            for colour, rows in moves.items():
                rows[node] = []
                for i, point in enumerate(self.points):
                    played = self.play(stones, point, colour)
                    if played is not None:
                        after, ko = played
                        if after not in number:
                            number[after] = len(order)
                            order.append(after)
                        rows[node].append((number[after], ko, i))
        return graph_of([self.area(stones) for stones in order], moves[BLACK], moves[WHITE])
