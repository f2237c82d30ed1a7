"""The rules of the game in compiled loops over flat arrays; `board.Board` is the shell for people.

Start with `place` (a stone comes down, chains join, captures leave) and `take_back`, its exact
reverse. A chain is a ring of stones through `next`; `head` names each stone's chain, and `libs` and
`size` are kept at the head only, zero elsewhere. Joining two rings is one swap of `next`, and the
same swap parts them again, which is what makes taking back cheap.

Everything `place` cannot reverse by itself it writes to `log`, from the bottom up:

    for each chain that joined:    head, libs, size        (the chain that stays comes first)
    for each chain captured:       its stones in ring order, their number
    the move:                      chains captured, chains joined, suicide, ko point, ko colour,
                                   colour, point
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, EMPTY, MAX_SIDE, NO_POINT, OFF, PASS, WHITE, Grid
from miai.kernel import F, kernel


def leaf(function: F) -> F:
    """A kernel that makes no array, not even a view of one, and so needs no reference counts.

    Numba counts a reference, atomically, for each array of `Arrays` on each call; without that,
    moves cost a third. A kernel that slices or allocates does not compile this way: use `kernel`.
    """
    return kernel(function, _nrt=False)


def inlined(function: F) -> F:
    """A leaf that is copied into its callers: handing `Arrays` over costs as much as a move."""
    return kernel(function, _nrt=False, forceinline=True)


# places in `state`
STRIDE, KO, KO_COLOUR, LOG_TOP, MOVES, EPOCH, CAPTURED_BY = 0, 1, 2, 3, 4, 5, 6  # CAPTURED_BY + colour
CAPTURED_AT = 9  # and on: a bit for each point where a stone was ever captured; not taken back
STATE_LENGTH = CAPTURED_AT + ((MAX_SIDE + 2) * (MAX_SIDE + 1) + 1 + 63) // 64

# `ko_rule` of the kernels
SIMPLE_KO, POSITIONAL_SUPERKO, SITUATIONAL_SUPERKO = 0, 1, 2

# answers of `why_illegal`
LEGAL, OCCUPIED, OFF_BOARD, KO_BAN, SUICIDE, SUPERKO = 0, 1, 2, 3, 4, 5

# A chain with this many liberties or more is never captured: `setup_stone(immortal=True)` gives them.
IMMORTAL = 1 << 20

LOG_PER_MOVE = 23  # the most one move writes, not counting the stones it captures


class Arrays(NamedTuple):
    """A board, as the kernels see it. `length` is the padded line of `coords.Grid`."""

    colour: npt.NDArray[np.int8]  # [length] EMPTY, BLACK, WHITE, OFF
    head: npt.NDArray[np.uint32]  # [length] a stone's chain; 0 where there is no stone
    next: npt.NDArray[np.uint32]  # [length] next stone of the ring; 0 where there is no stone
    libs: npt.NDArray[np.int32]  # [length] liberties, at heads
    size: npt.NDArray[np.int32]  # [length] stones, at heads
    mark: npt.NDArray[np.int64]  # [length] scratch: a point is marked when it holds state[EPOCH]
    keys: npt.NDArray[np.uint64]  # [3, length] Zobrist keys by colour; row 0 is unused
    hash: npt.NDArray[np.uint64]  # [1] of the stones
    state: npt.NDArray[np.int64]  # [STATE_LENGTH]
    log: npt.NDArray[np.int32]  # [growing] what `take_back` needs
    history: npt.NDArray[np.uint64]  # [growing] hash before each move, and in the top bit who moved


def zobrist_keys(grid: Grid) -> npt.NDArray[np.uint64]:
    """Fixed random keys, the same in every run and on every machine."""
    seed = 0x6D696169 + grid.width * 100 + grid.height
    generator = np.random.Generator(np.random.PCG64(seed))
    return generator.integers(1, 2**63, size=(3, grid.length), dtype=np.uint64)


@cache
def _blank(grid: Grid) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """`colour` and `state` of the empty board."""
    colour = np.full(grid.length, OFF, dtype=np.int8)
    colour[grid.points] = EMPTY
    state = np.zeros(STATE_LENGTH, dtype=np.int64)
    state[STRIDE] = grid.stride
    state[KO] = NO_POINT
    return colour, state


def empty_arrays(grid: Grid, keys: npt.NDArray[np.uint64]) -> Arrays:
    """The empty board, with room to play a game of usual length. Takes a few microseconds."""
    colour, state = _blank(grid)
    rings = np.zeros((2, grid.length), dtype=np.uint32)
    counts = np.zeros((2, grid.length), dtype=np.int32)
    return Arrays(
        colour.copy(),
        rings[0],
        rings[1],
        counts[0],
        counts[1],
        np.zeros(grid.length, dtype=np.int64),
        keys,
        np.zeros(1, dtype=np.uint64),
        state.copy(),
        np.empty(log_room(grid.area, grid.length), dtype=np.int32),
        np.empty(grid.area + 2, dtype=np.uint64),
    )


def log_room(moves: int, length: int) -> int:
    """What the log must hold for `moves` moves on a padded line of `length`.

    A stone is captured once for each time it is played, and those there already once more.
    """
    return (LOG_PER_MOVE + 1) * (moves + 1) + 2 * length


@inlined
def side(stride, direction):  # type: ignore[no-untyped-def]
    """The step to one of the four neighbours: 0 up, 1 left, 2 right, 3 down."""
    if direction == 0:
        return -stride
    if direction == 1:
        return -1
    if direction == 2:
        return 1
    return stride


@inlined
def index(point):  # type: ignore[no-untyped-def]
    """A point to index with. Numba looks whether a signed index counts from the end, each time.

    Do no arithmetic with the result: Numba makes a float of unsigned and signed.
    """
    return np.uintp(point)


@inlined
def beside(point, stride, direction):  # type: ignore[no-untyped-def]
    """One of the four neighbours, to index with."""
    return index(np.intp(point) + side(stride, direction))


@inlined
def touches(a, point, head):  # type: ignore[no-untyped-def]
    """Is a stone of the chain `head` next to `point`?"""
    stride = a.state[STRIDE]
    return (
        (a.head[beside(point, stride, 0)] == head)
        | (a.head[beside(point, stride, 1)] == head)
        | (a.head[beside(point, stride, 2)] == head)
        | (a.head[beside(point, stride, 3)] == head)
    )


@inlined
def change_liberties_around(a, point, change):  # type: ignore[no-untyped-def]
    """Add `change` to the liberties of every chain next to `point`, once for each chain.

    Without branches, which would go wrong half the time: where there is no chain, libs[0] gets it.
    """
    stride = a.state[STRIDE]
    up, left = a.head[beside(point, stride, 0)], a.head[beside(point, stride, 1)]
    right, down = a.head[beside(point, stride, 2)], a.head[beside(point, stride, 3)]
    a.libs[up] += change
    a.libs[left] += change * (left != up)
    a.libs[right] += change * ((right != up) & (right != left))
    a.libs[down] += change * ((down != up) & (down != left) & (down != right))
    a.libs[0] = 0


@leaf
def remove_chain(a, head):  # type: ignore[no-untyped-def]
    """Take a chain off the board and log its stones; returns how many."""
    top = a.state[LOG_TOP]
    colour = a.colour[head]
    stone, count = index(head), 0
    while True:
        a.log[index(top + count)] = stone
        count += 1
        following = index(a.next[stone])
        a.colour[stone] = EMPTY
        a.hash[0] ^= a.keys[colour, stone]
        a.head[stone] = 0
        a.next[stone] = 0
        stone = following
        if stone == head:
            break
    a.libs[head] = 0
    a.size[head] = 0
    for i in range(count):
        point = np.int64(a.log[top + i])
        change_liberties_around(a, point, 1)
        a.state[CAPTURED_AT + (point >> 6)] |= 1 << (point & 63)
    a.log[top + count] = count
    a.state[LOG_TOP] = top + count + 1
    return count


@leaf
def restore_chain(a, colour):  # type: ignore[no-untyped-def]
    """Put back the chain that `remove_chain` logged last."""
    top = a.state[LOG_TOP] - 1
    count = a.log[top]
    start = top - count
    for i in range(start, top):
        change_liberties_around(a, a.log[i], -1)
    head = a.log[start]
    for i in range(start, top):
        stone = a.log[i]
        a.colour[stone] = colour
        a.hash[0] ^= a.keys[colour, stone]
        a.head[stone] = head
        a.next[stone] = a.log[i + 1] if i + 1 < top else head
    a.size[head] = count
    a.state[LOG_TOP] = start
    return count


@leaf
def join(a, root, other):  # type: ignore[no-untyped-def]
    """Make the chain `other` part of the chain `root`."""
    a.state[EPOCH] += 1
    epoch = a.state[EPOCH]
    stride = a.state[STRIDE]
    stone = index(other)
    while True:
        for direction in range(4):
            point = beside(stone, stride, direction)
            if a.colour[point] == EMPTY and a.mark[point] != epoch:
                a.mark[point] = epoch
                if not touches(a, point, root):
                    a.libs[root] += 1
        stone = index(a.next[stone])
        if stone == other:
            break
    while True:
        a.head[stone] = root
        stone = index(a.next[stone])
        if stone == other:
            break
    if a.libs[other] >= IMMORTAL and a.libs[root] < IMMORTAL:
        a.libs[root] += IMMORTAL
    a.size[root] += a.size[other]
    a.libs[other] = 0
    a.size[other] = 0
    a.next[root], a.next[other] = a.next[other], a.next[root]


@leaf
def part(a, root, other, libs, size):  # type: ignore[no-untyped-def]
    """Undo `join`: give `other` its ring, its head and its numbers back."""
    a.next[root], a.next[other] = a.next[other], a.next[root]
    a.size[root] -= size
    a.libs[other] = libs
    a.size[other] = size
    stone = other
    while True:
        a.head[stone] = other
        stone = a.next[stone]
        if stone == other:
            break


@inlined
def place(a, point, colour):  # type: ignore[no-untyped-def]
    """Play a stone, or PASS. Checks nothing: ask `why_illegal` first. Returns stones captured."""
    state, log = a.state, a.log
    a.history[index(state[MOVES])] = situation(a.hash[0], colour)
    state[MOVES] += 1
    old_ko, old_ko_colour = state[KO], state[KO_COLOUR]
    state[KO] = NO_POINT
    state[KO_COLOUR] = EMPTY
    joined = captured_chains = captured = suicide = 0
    if point != PASS:
        stride = state[STRIDE]
        here = index(point)
        a.colour[here] = colour
        a.hash[0] ^= a.keys[index(colour), here]
        change_liberties_around(a, point, -1)

        # join own chains, into the largest
        root, empty, own = index(0), 0, 0
        for direction in range(4):
            neighbour = beside(point, stride, direction)
            empty += a.colour[neighbour] == EMPTY
            head = index(a.head[neighbour]) if a.colour[neighbour] == colour else index(0)
            own += head != 0
            root = head if a.size[head] > a.size[root] else root
        if own == 0:
            root = here
            a.head[here] = a.next[here] = here
            a.size[here] = 1
            a.libs[here] = empty
        else:
            log_chain(a, root)
            joined = 1
            for direction in range(4):
                neighbour = beside(point, stride, direction)
                is_empty = a.colour[neighbour] == EMPTY
                a.libs[root] += is_empty & ~touches(a, neighbour if is_empty else here, root)
            a.head[here] = root
            a.next[here] = a.next[root]
            a.next[root] = here
            a.size[root] += 1
            if own > 1:
                for direction in range(4):
                    other = a.head[beside(point, stride, direction)]
                    if other and other != root and a.colour[other] == colour:
                        log_chain(a, other)
                        joined += 1
                        join(a, root, other)

        takes = False
        for direction in range(4):
            neighbour = beside(point, stride, direction)
            enemy = a.colour[neighbour] == BLACK + WHITE - colour
            takes |= enemy & (a.libs[a.head[neighbour]] == 0)
        if takes:
            taken = index(0)
            for direction in range(4):
                neighbour = beside(point, stride, direction)
                head = index(a.head[neighbour])
                if head and a.colour[neighbour] != colour and a.libs[head] == 0:
                    captured += remove_chain(a, head)
                    captured_chains += 1
                    taken = neighbour
            state[CAPTURED_BY + colour] += captured
            if captured == 1 and a.size[root] == 1 and a.libs[root] == 1:
                state[KO] = taken
                state[KO_COLOUR] = BLACK + WHITE - colour
        elif a.libs[root] == 0:
            state[CAPTURED_BY + BLACK + WHITE - colour] += remove_chain(a, root)
            suicide = 1
    top = state[LOG_TOP]
    log[index(top)] = captured_chains
    log[index(top + 1)] = joined
    log[index(top + 2)] = suicide
    log[index(top + 3)] = old_ko
    log[index(top + 4)] = old_ko_colour
    log[index(top + 5)] = colour
    log[index(top + 6)] = point
    state[LOG_TOP] = top + 7
    return captured


@inlined
def log_chain(a, head):  # type: ignore[no-untyped-def]
    """Write to the log what a chain is before it joins another."""
    top = a.state[LOG_TOP]
    a.log[index(top)] = head
    a.log[index(top + 1)] = a.libs[head]
    a.log[index(top + 2)] = a.size[head]
    a.state[LOG_TOP] = top + 3


@leaf
def take_back(a):  # type: ignore[no-untyped-def]
    """Undo the last `place`: every array is as it was, scratch apart. Returns the point."""
    state, log = a.state, a.log
    top = state[LOG_TOP] - 7
    captured_chains, joined, suicide = log[top], log[top + 1], log[top + 2]
    colour, point = log[top + 5], log[top + 6]
    enemy = BLACK + WHITE - colour
    state[KO] = log[top + 3]
    state[KO_COLOUR] = log[top + 4]
    state[LOG_TOP] = top
    state[MOVES] -= 1
    if point == PASS:
        return point
    if suicide:
        state[CAPTURED_BY + enemy] -= restore_chain(a, colour)
    for _ in range(captured_chains):
        state[CAPTURED_BY + colour] -= restore_chain(a, enemy)
    if joined:
        bottom = state[LOG_TOP] - 3 * joined
        root = log[bottom]
        for i in range(joined - 1, 0, -1):
            entry = bottom + 3 * i
            part(a, root, log[entry], log[entry + 1], log[entry + 2])
        part(a, root, point, 0, 1)
        a.libs[root] = log[bottom + 1]
        state[LOG_TOP] = bottom
    a.colour[point] = EMPTY
    a.hash[0] ^= a.keys[colour, point]
    a.head[point] = 0
    a.next[point] = 0
    a.libs[point] = 0
    a.size[point] = 0
    change_liberties_around(a, point, 1)
    return point


@inlined
def situation(stones, to_move):  # type: ignore[no-untyped-def]
    """The hash of stones with, in the bit that no key has, the player to move."""
    return stones | (np.uint64(to_move == WHITE) << np.uint64(63))


@leaf
def would_repeat(a, point, colour, suicide, ko_rule):  # type: ignore[no-untyped-def]
    """Would this move bring back an earlier position (with the same player to move)?"""
    enemy = BLACK + WHITE - colour
    gone = colour if suicide else enemy
    here = a.hash[0]
    if not suicide:
        here ^= a.keys[colour, point]
    stride = a.state[STRIDE]
    for direction in range(4):
        head = a.head[beside(point, stride, direction)]
        new = head != 0 and a.colour[head] == gone and a.libs[head] == 1
        for earlier in range(direction):
            new = new and a.head[beside(point, stride, earlier)] != head
        if new:
            stone = head
            while True:
                here ^= a.keys[gone, stone]
                stone = a.next[stone]
                if stone == head:
                    break
    stones_only = np.uint64(2**63 - 1)
    repeats = False
    if ko_rule == POSITIONAL_SUPERKO:
        repeats = here == a.hash[0]
        for i in range(a.state[MOVES]):
            repeats |= (a.history[i] & stones_only) == here
    else:
        here = situation(here, enemy)
        for i in range(a.state[MOVES]):
            repeats |= a.history[i] == here
    return repeats


@inlined
def captured_at(a, point):  # type: ignore[no-untyped-def]
    """Was a stone ever captured on this point?"""
    return (a.state[CAPTURED_AT + (point >> 6)] >> (point & 63)) & 1 != 0


@inlined
def why_illegal(a, point, colour, suicide_allowed, ko_rule):  # type: ignore[no-untyped-def]
    """LEGAL, or the rule this move breaks."""
    if point == PASS:
        return LEGAL
    if a.colour[index(point)] != EMPTY:
        return OFF_BOARD if a.colour[index(point)] == OFF else OCCUPIED
    if point == a.state[KO] and colour == a.state[KO_COLOUR]:
        return KO_BAN
    captures = breathes = False
    for direction in range(4):
        neighbour = beside(point, a.state[STRIDE], direction)
        content = a.colour[neighbour]
        libs = a.libs[a.head[neighbour]]
        breathes |= (content == EMPTY) | ((content == colour) & (libs > 1))
        captures |= (content == BLACK + WHITE - colour) & (libs == 1)
    suicide = not (captures or breathes)
    if suicide and not suicide_allowed:
        return SUICIDE
    # A position comes back when stones leave, or when one is put back where it was captured.
    may_repeat = ko_rule != SIMPLE_KO and (captures or suicide or captured_at(a, point))
    if may_repeat and would_repeat(a, point, colour, suicide, ko_rule):
        return SUPERKO
    return LEGAL


@inlined
def replay(a, points, colours, start, end, suicide_allowed, ko_rule):  # type: ignore[no-untyped-def]
    """Play moves `start` to `end` of a record, or to the first illegal one; returns the index reached.

    Also stops when the log or the history is full: the caller makes room and calls again.
    """
    area = a.colour.size
    for i in range(start, end):
        full = a.state[LOG_TOP] + LOG_PER_MOVE + area > a.log.size or a.state[MOVES] + 1 >= a.history.size
        point, colour = points[index(i)], colours[index(i)]
        if full or why_illegal(a, point, colour, suicide_allowed, ko_rule) != LEGAL:
            return i
        place(a, point, colour)
    return end


@leaf
def replay_games(a, points, colours, starts, suicide_allowed, ko_rule, played):  # type: ignore[no-untyped-def]
    """Replay game after game, each from the empty board, and write how many moves of each were played.

    `starts` is [game + 1] where each game's moves begin; `a` must have room for the longest.
    """
    for game in range(starts.size - 1):
        clear(a)
        start, end = starts[game], starts[game + 1]
        played[game] = replay(a, points, colours, start, end, suicide_allowed, ko_rule) - start


@leaf
def clear(a):  # type: ignore[no-untyped-def]
    """Take everything off the board and forget what was played."""
    for point in range(a.colour.size):
        if a.colour[point] != OFF:
            a.colour[point] = EMPTY
        a.head[point] = a.next[point] = 0
        a.libs[point] = a.size[point] = 0
    a.hash[0] = 0
    a.state[KO] = NO_POINT
    a.state[KO_COLOUR] = EMPTY
    a.state[LOG_TOP] = a.state[MOVES] = 0
    for i in range(CAPTURED_BY, STATE_LENGTH):
        a.state[i] = 0


@leaf
def legal_points(a, colour, suicide_allowed, ko_rule, out):  # type: ignore[no-untyped-def]
    """Write every legal move but the pass to `out`; returns how many."""
    count = 0
    for point in range(a.colour.size):
        if a.colour[point] == EMPTY and why_illegal(a, point, colour, suicide_allowed, ko_rule) == LEGAL:
            out[count] = point
            count += 1
    return count


@leaf
def setup_stone(a, point, colour, immortal):  # type: ignore[no-untyped-def]
    """Put a stone on an empty point without capturing: chains may be left without liberties.

    An immortal stone, and every chain that it joins, is safe from capture for good.

    Writes nothing to the log: what is set up is not taken back.
    """
    stride = a.state[STRIDE]
    a.colour[point] = colour
    a.hash[0] ^= a.keys[colour, point]
    change_liberties_around(a, point, -1)
    a.head[point] = point
    a.next[point] = point
    a.size[point] = 1
    a.libs[point] = IMMORTAL if immortal else 0
    for direction in range(4):
        neighbour = point + side(stride, direction)
        if a.colour[neighbour] == EMPTY:
            a.libs[point] += 1
    for direction in range(4):
        neighbour = point + side(stride, direction)
        if a.colour[neighbour] == colour and a.head[neighbour] != a.head[point]:
            join(a, a.head[point], a.head[neighbour])


@leaf
def chain_liberties(a, head, out):  # type: ignore[no-untyped-def]
    """Write the liberties of a chain to `out`; returns how many."""
    a.state[EPOCH] += 1
    epoch = a.state[EPOCH]
    count = 0
    stone = head
    while True:
        for direction in range(4):
            point = stone + side(a.state[STRIDE], direction)
            if a.colour[point] == EMPTY and a.mark[point] != epoch:
                a.mark[point] = epoch
                out[count] = point
                count += 1
        stone = np.int64(a.next[stone])
        if stone == head:
            break
    return count
