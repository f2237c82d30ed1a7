"""From a whole-board position to its local positions: what is settled, and what is still open, where.

    division = divide(board, ownership)          # [height, width] 1 Black … -1 White, by a network
    division.regions[0].masks, division.owner

A point is settled when it is unconditionally somebody's (Benson) or when the network gives it to one
side with at least the `threshold`; a chain is judged as a whole. What is left falls into connected
parts. Each becomes a region:

* with the liberties of the stones in it, and the small holes beside it, so that as much of its edge
  as can be is stones;
* then with the chains at stake: those with few liberties, none of them outside and surely theirs;
* then, layer by layer, with the settled empty points and dead stones around it, where follow-ups
  are played. Each step is a mask; a wider mask asks more of a search, and assumes less.

Regions that share a chain at stake, or the same points in a layer, are one region. `whole.py` takes
it from here: it puts a value on each region and counts the rest. `hand_mask` reads a region that the
user names instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from miai.endgame.local_space import RegionError
from miai.go.benson import pass_alive
from miai.go.board import Board, IllegalMove
from miai.go.coords import BLACK, EMPTY, OFF, WHITE, CoordinateError

THRESHOLD = 0.90  # ownership from which a point counts as settled
LAYERS = 2  # of settled points around what is open
FEW_LIBERTIES = 3  # a chain with more of them is as safe as the network says
SMALL_HOLE = 3  # points of a hole that is taken in at once
SMALL_CHAIN = 3  # stones of a dead chain that is taken in; larger ones are walls of whoever took them
MOST_EMPTY = 16  # empty points up to which a region may grow or be joined to another by growing

Owners = npt.NDArray[np.int8]  # one value for each place of the padded line


@dataclass(frozen=True)
class LocalPosition:
    """A region of the board, as masks from tight to wide; each holds the one before."""

    masks: tuple[tuple[int, ...], ...]

    @property
    def core(self) -> tuple[int, ...]:
        """What is open, and little else."""
        return self.masks[0]


@dataclass(frozen=True)
class Division:
    """A board cut into what is settled and what is not."""

    owner: Owners  # BLACK or WHITE where settled, EMPTY where open, OFF on the border
    proved: npt.NDArray[np.bool_]  # settled by Benson's rule, not by the network's word
    regions: tuple[LocalPosition, ...]

    def dead(self, board: Board) -> list[int]:
        """Stones that are settled as the enemy's."""
        colour = board.arrays.colour
        lost = (colour == BLACK) & (self.owner == WHITE) | (colour == WHITE) & (self.owner == BLACK)
        return [int(p) for p in np.flatnonzero(lost)]


# what is settled --------------------------------------------------------------------------------


def settled_by_rule(board: Board) -> Owners:
    """The points that are unconditionally somebody's; EMPTY elsewhere, OFF on the border."""
    owner = np.full(board.grid.length, OFF, dtype=np.int8)
    owner[board.grid.points] = EMPTY
    for who in (BLACK, WHITE):
        alive = pass_alive(board, who)
        owner[[*alive.stones, *alive.territory]] = who
    return owner


def settled(board: Board, ownership: npt.NDArray[np.floating], threshold: float = THRESHOLD) -> Owners:
    """Whose each point is, by rule or else by the network; EMPTY where neither is sure."""
    if not 0 < threshold <= 1:
        raise RegionError(f"the threshold {threshold:g} is not a share: give a number above 0, up to 1")
    grid = board.grid
    if ownership.shape != (grid.height, grid.width):
        raise RegionError(f"the ownership is not for this {grid} board")
    share = np.zeros(grid.length)
    share[grid.points] = ownership.ravel()
    for chain in board.chains():
        share[list(chain.stones)] = share[list(chain.stones)].mean()
    owner = settled_by_rule(board)
    for p in grid.points.tolist():
        if owner[p] == EMPTY and abs(share[p]) >= threshold:
            owner[p] = BLACK if share[p] > 0 else WHITE
    return owner


# the regions ------------------------------------------------------------------------------------


@dataclass
class _Part:
    """A region while it grows."""

    levels: list[set[int]] = field(default_factory=list)

    @property
    def points(self) -> set[int]:
        return self.levels[-1]

    def absorb(self, other: _Part) -> None:
        for mine, theirs in zip(self.levels, other.levels, strict=True):
            mine |= theirs


def divide(
    board: Board,
    ownership: npt.NDArray[np.floating],
    *,
    threshold: float = THRESHOLD,
    layers: int = LAYERS,
    most_empty: int = MOST_EMPTY,
) -> Division:
    """Cut a board into settled points and regions."""
    owner = settled(board, ownership, threshold)
    proved = settled_by_rule(board) != EMPTY
    cutter = _Cutter(board, owner, proved, most_empty)
    parts = cutter.cores()
    for _ in range(layers):
        if not cutter.add_layer(parts):
            break
    regions = []
    for part in parts:
        masks = [tuple(sorted(level)) for level in part.levels]
        different = [mask for i, mask in enumerate(masks) if i == 0 or mask != masks[i - 1]]
        regions.append(LocalPosition(tuple(different)))
    regions.sort(key=lambda region: region.core[0])
    return Division(owner, proved, tuple(regions))


class _Cutter:
    """The board and who owns what, while regions are cut out of it."""

    def __init__(self, board: Board, owner: Owners, proved: npt.NDArray[np.bool_], most_empty: int) -> None:
        self.board, self.grid = board, board.grid
        self.colour, self.owner, self.proved = board.arrays.colour, owner, proved
        self.most_empty = most_empty
        self.chains = [chain for chain in board.chains() if not proved[chain.stones[0]]]
        self.around = {p: self.grid.neighbours(p) for p in self.grid.points.tolist()}

    def cores(self) -> list[_Part]:
        """What is open, closed as far as small holes do that; then joined by the chains at stake."""
        open_points = {p for p in self.around if self.owner[p] == EMPTY}
        parts = [_Part([part]) for part in components(open_points, self.around)]
        self.close(parts, stakes=False)
        for part in parts:
            part.levels.append(set(part.points))
        self.close(parts)
        return parts

    def close(self, parts: list[_Part], *, stakes: bool = True) -> None:
        """Take in the liberties of the stones in each part, small holes, and chains at stake then."""
        before = -1
        while before != (before := sum(len(part.points) for part in parts)):
            self.take_liberties(parts)
            for part in parts:
                self.fill_holes(part, parts)
            if stakes:
                self.join_by_chains(parts)

    def take_liberties(self, parts: list[_Part]) -> None:
        """Liberties of a part's stones belong to it; where another part has them, both are one."""
        place = {p: part for part in parts for p in part.points}
        for chain in self.chains:
            part = place.get(chain.stones[0])
            if part is None:
                continue
            for p in chain.liberties:
                other = place.get(p)
                if other is None:
                    part.levels[-1].add(p)
                    place[p] = part
                elif other is not part:
                    part.absorb(other)
                    parts[:] = [kept for kept in parts if kept is not other]
                    place.update(dict.fromkeys(other.points, part))

    def join_by_chains(self, parts: list[_Part]) -> None:
        """Take in chains at stake, and make the parts one that share such a chain, until all is done."""
        changed = True
        while changed:
            changed = False
            place = {p: part for part in parts for p in part.points}
            for chain in self.chains:
                if chain.stones[0] in place or not self.at_stake(chain.stones, chain.liberties, place):
                    continue
                beside = {q for stone in chain.stones for q in self.around[stone]}
                touching = unique(place[q] for q in sorted(beside) if q in place)
                first = touching[0]
                for other in touching[1:]:
                    first.absorb(other)
                    parts[:] = [part for part in parts if part is not other]
                first.levels[-1] |= set(chain.stones)
                changed = True
                break

    def at_stake(self, stones: Sequence[int], liberties: Sequence[int], place: dict[int, _Part]) -> bool:
        """May a settled chain be lost in the regions? If it is short of liberties, none surely its own."""
        colour = self.colour[stones[0]]
        if self.owner[stones[0]] != colour:
            return False  # dead already
        if len(liberties) > FEW_LIBERTIES or not any(p in place for p in liberties):
            return False
        return not any(p not in place and self.owner[p] == colour for p in liberties)

    def empties(self, part: _Part) -> int:
        return sum(1 for p in part.points if self.colour[p] == EMPTY)

    def soft(self, p: int) -> bool:
        """A settled point that a stone of the other side could still come to: empty, or a dead stone."""
        return self.owner[p] != EMPTY and not self.proved[p] and self.colour[p] != self.owner[p]

    def fill_holes(self, part: _Part, parts: list[_Part]) -> None:
        """Take in small holes of soft points beside a part: then stones close it there."""
        taken = {p for other in parts for p in other.points}
        for start in sorted({q for p in part.points for q in self.around[p]}):
            if start in taken or not self.soft(start):
                continue
            hole = [start]
            for p in hole:
                hole += [q for q in self.around[p] if q not in taken and q not in hole and self.soft(q)]
                if len(hole) > SMALL_HOLE:
                    break
            alone = all(q in part.points for p in hole for q in self.around[p] if q in taken)
            if len(hole) <= SMALL_HOLE and alone:
                part.levels[-1] |= set(hole)
                taken |= set(hole)

    def add_layer(self, parts: list[_Part]) -> bool:
        """Give every part another level with the soft points next to it; False if none grew."""
        for part in parts:
            part.levels.append(set(part.points))
        grown = False
        for part in list(parts):
            if all(part is not other for other in parts):
                continue  # joined to another meanwhile
            place = {p: other for other in parts for p in other.points}
            layer = self.layer(part, place)
            met = unique(
                place[q] for p in layer for q in self.around[p] if q in place and place[q] is not part
            )
            room = self.most_empty - self.empties(part) - sum(1 for p in layer if self.colour[p] == EMPTY)
            for other in met:
                need = self.empties(other)
                if need <= room:
                    room -= need
                    part.absorb(other)
                    parts[:] = [kept for kept in parts if kept is not other]
                else:  # too much for one search: keep them apart, with this layer's points between them
                    layer -= {p for p in layer if any(q in other.points for q in self.around[p])}
            if layer and room >= 0:
                part.levels[-1] |= layer
                grown = True
        if grown:
            self.close(parts)
        return grown

    def layer(self, part: _Part, place: dict[int, _Part]) -> set[int]:
        """The soft points next to a part; small dead chains whole, large ones not."""
        found: set[int] = set()
        for q in sorted({q for p in part.points for q in self.around[p]}):
            if q in place or q in found or not self.soft(q):
                continue
            if self.colour[q] == EMPTY:
                found.add(q)
            elif len(stones := self.board.chain(q).stones) <= SMALL_CHAIN:
                found |= set(stones)
        return found


def components(points: set[int], around: Mapping[int, Sequence[int]]) -> list[set[int]]:
    """Connected parts of a set of points, in board order."""
    left, found = set(points), []
    for start in sorted(points):
        if start not in left:
            continue
        left.discard(start)
        part = [start]
        for p in part:
            fresh = [q for q in around[p] if q in left]
            left.difference_update(fresh)
            part += fresh
        found.append(set(part))
    return found


def unique(parts: Iterable[_Part]) -> list[_Part]:
    """Each part once, in order."""
    found: list[_Part] = []
    for part in parts:
        if all(part is not other for other in found):
            found.append(part)
    return found


# a board to search on ---------------------------------------------------------------------------


def framed(board: Board, mask: Sequence[int], owner: Owners) -> tuple[Board, list[int]] | None:
    """A board where every settled point next to the mask is a stone of its owner, and which points changed.

    Nothing changed: the board itself. Otherwise only the region and its edge are on the new board:
    empty points there are walls now, dead stones belong to the side that took them. None where such
    walls would have no liberty.
    """
    inside = set(mask)
    edge = {q for p in mask for q in board.grid.neighbours(p) if q not in inside}
    changed = sorted(q for q in edge if owner[q] in (BLACK, WHITE) and board[q] != owner[q])
    if not changed:
        return board, []
    for q in changed:
        if board[q] != EMPTY:
            edge |= {p for p in board.chain(q).stones if p not in inside}
    stones: dict[int, list[int]] = {BLACK: [], WHITE: [], EMPTY: []}
    for p in edge:
        stones[int(owner[p]) or board[p]].append(p)
    for p in inside:
        stones[board[p]].append(p)
    twin = Board(*board.size, rules=board.rules)
    try:
        twin.setup(black=stones[BLACK], white=stones[WHITE])
    except IllegalMove:
        return None
    return twin, changed


# a mask by hand ---------------------------------------------------------------------------------


def hand_mask(board: Board, words: Iterable[str]) -> tuple[int, ...]:
    """A region from names: points "C3" and rectangles "A1:E4". Raises RegionError."""
    grid = board.grid
    found: set[int] = set()
    for word in (part.strip() for part in words):
        if not word:
            continue
        first, colon, last = word.partition(":")
        try:
            corners = [grid.parse(first), grid.parse(last if colon else first)]
        except CoordinateError as error:
            raise RegionError(str(error)) from None
        if 0 in corners:
            raise RegionError("a pass is not a point: leave it out")
        (top, left), (bottom, right) = map(grid.row_column, corners)
        for row in range(min(top, bottom), max(top, bottom) + 1):
            for column in range(min(left, right), max(left, right) + 1):
                found.add(grid.point(row, column))
    return checked(board, found)


def checked(board: Board, points: Iterable[int]) -> tuple[int, ...]:
    """A mask in board order, or a RegionError that says why it is none."""
    mask = sorted(set(points))
    if not mask:
        raise RegionError("the region is empty: name the points whose value is asked, like C3,C4 or A1:E4")
    if len(mask) == board.grid.area:
        raise RegionError("the region covers the whole board: leave the settled stones around it out")
    if all(board[p] != EMPTY for p in mask):
        raise RegionError("the region has no empty point: nobody can move in it")
    return tuple(mask)
