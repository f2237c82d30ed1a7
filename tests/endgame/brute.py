"""Local games by brute force, for tests: the rules on a plain array, no pruning, nothing settled early.

`tree` walks every sequence of moves of both sides, without a table: an upright comparison where no
position can come back. `plain_graph` lists every position once, for regions with kos; extended
thermography in fractions (`miai.endgame.kos`) then judges it. Neither shares a line with the engine's
rules (`local_moves`); the walls of `tree` are put together by the engine's arithmetic, which
`test_local_walls` checks against fractions.
"""

from __future__ import annotations

import numpy as np

from miai.endgame.graph import Graph, graph_of
from miai.endgame.local_walls import CORNERS, SCALE, freeze, intern, load, make_shapes, thermograph_of, upper
from miai.endgame.thermograph import Thermograph
from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, WHITE
from miai.kernel import kernel

NOTHING, BLACK_WALL, WHITE_WALL = -1, -2, -3
COMPLETE, LOOPS, TOO_LARGE = 0, 1, 2
DEEPEST = 40


def layout(board: Board, region: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours [point, 4] by number, or a wall, and the colour of each point of a closed region."""
    number = {p: i for i, p in enumerate(region)}
    near = np.full((len(region), 4), NOTHING, dtype=np.int64)
    for p, i in number.items():
        for k, q in enumerate(board.grid.neighbours(p)):
            wall = {BLACK: BLACK_WALL, WHITE: WHITE_WALL, EMPTY: NOTHING}[board[q]]
            near[i, k] = number.get(q, wall)
    return near, np.array([board[p] for p in region], dtype=np.int8)


@kernel
def chain(near, colours, start, seen):
    """Mark the chain at `start` in `seen`; True if it has a liberty or is joined to its own wall."""
    seen[:] = False
    stack = [start]
    seen[start] = True
    free = False
    own_wall = BLACK_WALL if colours[start] == BLACK else WHITE_WALL
    while len(stack) > 0:
        p = stack.pop()
        for k in range(4):
            q = near[p, k]
            if q == own_wall:
                free = True
            if q < 0:
                continue
            if colours[q] == EMPTY:
                free = True
            elif colours[q] == colours[start] and not seen[q]:
                seen[q] = True
                stack.append(q)
    return free


@kernel
def put(near, colours, p, colour):
    """Play on an empty point of `colours`; returns the captured stones, or -1 where it is suicide."""
    colours[p] = colour
    seen = np.zeros(colours.size, dtype=np.bool_)
    taken = 0
    for k in range(4):
        q = near[p, k]
        if q >= 0 and colours[q] == BLACK + WHITE - colour and not chain(near, colours, q, seen):
            for r in range(colours.size):
                if seen[r]:
                    colours[r] = EMPTY
                    taken += 1
    if not chain(near, colours, p, seen):
        colours[p] = EMPTY
        return -1
    return taken


@kernel
def area(near, colours):
    """Black's area minus White's, every stone counted as alive."""
    total = 0
    done = np.zeros(colours.size, dtype=np.bool_)
    for start in range(colours.size):
        if colours[start] == BLACK:
            total += 1
        elif colours[start] == WHITE:
            total -= 1
        elif not done[start]:
            stack = [start]
            done[start] = True
            size, black, white = 0, False, False
            while len(stack) > 0:
                p = stack.pop()
                size += 1
                for k in range(4):
                    q = near[p, k]
                    black |= q == BLACK_WALL or (q >= 0 and colours[q] == BLACK)
                    white |= q == WHITE_WALL or (q >= 0 and colours[q] == WHITE)
                    if q >= 0 and colours[q] == EMPTY and not done[q]:
                        done[q] = True
                        stack.append(q)
            if black != white:
                total += size if black else -size
    return total


@kernel
def walk(near, path, depth, counter, limit, t, v, shapes, corners):
    """The walls of `path[depth]` into `shapes`, every line of play below it followed to its end."""
    for earlier in range(depth):
        if np.all(path[earlier] == path[depth]):
            return LOOPS
    counter[0] += 1
    if counter[0] > limit or depth + 1 >= DEEPEST:
        return TOO_LARGE
    base = 7 * CORNERS * depth
    rows = [base, base + 2 * CORNERS]  # the best of each side so far
    spare = base + 4 * CORNERS
    counts = [0, 0]
    for side in range(2):
        for p in range(near.shape[0]):
            if path[depth, p] != EMPTY:
                continue
            path[depth + 1] = path[depth]
            if put(near, path[depth + 1], p, BLACK if side == 0 else WHITE) < 0:
                continue
            answer = walk(near, path, depth + 1, counter, limit, t, v, shapes, corners)
            if answer != COMPLETE:
                return answer
            shape, mast = corners[depth + 1, 0], corners[depth + 1, 1]
            n = load(shapes, shape, mast, side == 1, 1 if side == 0 else -1, t, v, spare)
            if counts[side] == 0:
                for i in range(n):
                    t[rows[side] + i], v[rows[side] + i] = t[spare + i], v[spare + i]
                counts[side] = n
                continue
            other = base + CORNERS if rows[side] == base else base
            if side == 1:
                other = base + 3 * CORNERS if rows[side] == base + 2 * CORNERS else base + 2 * CORNERS
            counts[side] = upper(t, v, rows[side], counts[side], spare, n, other)
            rows[side] = other
    stop = np.int64(area(near, path[depth])) * SCALE
    left_row, right_row = base + 5 * CORNERS, base + 6 * CORNERS
    left, right = freeze(rows[0], counts[0], rows[1], counts[1], stop, t, v, left_row, right_row)
    corners[depth, 0] = intern(shapes, t, v, left_row, left, right_row, right)
    corners[depth, 1] = v[left_row + left - 1]
    return COMPLETE


def tree(board: Board, region: list[int], *, limit: int) -> Thermograph | int:
    """The area thermograph of a region from its whole tree; LOOPS or TOO_LARGE where there is none."""
    near, colours = layout(board, region)
    path = np.zeros((DEEPEST + 1, len(region)), dtype=np.int8)
    path[0] = colours
    t, v = (np.zeros(7 * CORNERS * DEEPEST, dtype=np.int64) for _ in range(2))
    shapes = make_shapes(1 << 14)
    found = np.zeros((DEEPEST + 1, 2), dtype=np.int64)
    answer = walk(near, path, 0, np.zeros(1, dtype=np.int64), limit, t, v, shapes, found)
    return int(answer) if answer != COMPLETE else thermograph_of(shapes, int(found[0, 0]), int(found[0, 1]))


def plain_graph(board: Board, region: list[int]) -> Graph:
    """Every position of a region, each once, by the plain rules; labels are the points."""
    near, colours = layout(board, region)
    names = {tuple(colours.tolist()): 0}
    line = [colours]
    moves: tuple[dict[int, list], dict[int, list]] = ({}, {})
    seen = np.zeros(len(region), dtype=np.bool_)
    for node, here in enumerate(line):  # grows meanwhile
        for rows, colour in zip(moves, (BLACK, WHITE), strict=True):
            rows[node] = []
            for p in np.flatnonzero(here == EMPTY):
                after = here.copy()
                taken = put(near, after, int(p), colour)
                if taken < 0:
                    continue
                ko = taken == 1 and is_ko_stone(near, after, int(p), colour, seen)
                key = tuple(after.tolist())
                if key not in names:
                    names[key] = len(line)
                    line.append(after)
                rows[node].append((names[key], ko, region[p]))
    return graph_of([int(area(near, here)) for here in line], moves[0], moves[1])


def is_ko_stone(near: np.ndarray, colours: np.ndarray, p: int, colour: int, seen: np.ndarray) -> bool:
    """Is the stone alone, in atari and not joined to a wall, after it took one stone?"""
    chain(near, colours, p, seen)
    wall = BLACK_WALL if colour == BLACK else WHITE_WALL
    around = [int(q) for q in near[p]]
    liberties = sum(q >= 0 and colours[q] == EMPTY for q in around)
    return seen.sum() == 1 and liberties == 1 and wall not in around
