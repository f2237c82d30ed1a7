"""A life-and-death problem as the compiled search sees it.

Only points of the *region* can change, so they get consecutive numbers, and a set of them (a *zone*)
is a few 64-bit words. Stones outside the region are immortal, empty points outside it are liberties
that nobody can fill. `play` and `unplay` wrap the board's moves with what the problem adds: the side
to move, who may ignore the ko ban and how often, and which target stones are still there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, EMPTY, MAX_SIDE, NO_POINT, OFF, PASS, WHITE, grid
from miai.go.kernels.arrays import (
    KO,
    KO_COLOUR,
    LOG_PER_MOVE,
    LOG_TOP,
    STATE_LENGTH,
    STRIDE,
    empty_arrays,
    side,
)
from miai.go.kernels.moves import place, setup_stone, take_back
from miai.kernel import as_records, inlined, kernel, leaf
from miai.life.places import UNREACHABLE, distances, edge_classes, relations
from miai.life.problem import Problem
from miai.life.sets import bit_in_word

ENDLESS = 1 << 20  # ko threats without end

# places in `facts`
DEFENDER, ATTACKER, POINTS, WORDS, MARKED, TURN, THREATS = range(7)
PLIES, LOOPER, EXEMPT, GAME, TARGETS = 9, 10, 11, 12, 13
# THREATS + colour: how often that side may still ignore the ko ban
# EXEMPT: the side that may always ignore it, or EMPTY
# GAME: what these make of the question, see `game`
FACTS_LENGTH = 14

# LOOPER: who wins by endless play. The defender where the question is whether the target can be
# captured; the attacker where it is whether the target can get two eyes.

MAX_DEPTH = 240
LENGTH = grid(MAX_SIDE).length  # of the padded line of the largest board
MAX_POINTS = MAX_SIDE * MAX_SIDE
MAX_WORDS = (MAX_POINTS + 63) // 64

# The arrays of `kernels.arrays.Arrays` and of the problem, in one record: a kernel gets one address instead
# of dozens of arrays, which compiles and calls many times faster.
BOARD = np.dtype(
    [
        ("colour", np.int8, LENGTH),
        ("head", np.uint32, LENGTH),
        ("next", np.uint32, LENGTH),
        ("libs", np.int32, LENGTH),
        ("size", np.int32, LENGTH),
        ("mark", np.int64, LENGTH),
        ("keys", np.uint64, (3, LENGTH)),
        ("hash", np.uint64, 1),
        ("state", np.int64, STATE_LENGTH),
        ("log", np.int32, (LOG_PER_MOVE + 1) * (MAX_DEPTH + 4) + 2 * LENGTH),
        ("history", np.uint64, MAX_DEPTH + 4),
    ],
    align=True,
)

SPACE = np.dtype(
    [
        ("board", BOARD),
        ("bit", np.int16, LENGTH),  # number of a region point, or -1
        ("point", np.int64, MAX_POINTS),  # the reverse; points near the target come first
        ("near", np.int64, LENGTH),  # steps to the target, at the start
        ("within", np.int64, UNREACHABLE + 1),  # how many points are at most so many steps from the target
        ("target", np.int64, MAX_POINTS),  # the target's stones at the start, facts[TARGETS] of them
        ("edge", np.int64, LENGTH),  # class of a point by its distance to the edges
        ("relation", np.int64, LENGTH),  # … of two points, by the difference of their numbers
        ("stones", np.uint64, (3, MAX_WORDS)),  # the stones of the region as sets, by colour
        ("left", np.uint64, MAX_WORDS),  # the target's stones that were not captured
        ("inside", np.uint64, MAX_WORDS),  # all points of the region
        ("around", np.uint64, (MAX_POINTS, MAX_WORDS)),  # the neighbours of each in the region
        # points next to what is outside the region: the defender's stones, the attacker's, empty points
        ("by_friend", np.uint64, MAX_WORDS),
        ("by_foe", np.uint64, MAX_WORDS),
        ("by_void", np.uint64, MAX_WORDS),
        ("marked", np.int16, LENGTH),  # 1 at a target stone, 2 + ply once it was captured
        ("facts", np.int64, FACTS_LENGTH),
        ("keys", np.uint64, (8, LENGTH)),  # check keys by colour, ban keys, mark keys, small counts
        ("check", np.uint64, 2),  # a second hash of the stones; hash of target stones captured
        ("seen", np.int64, LENGTH),  # scratch of `zones`; place 0 counts the uses
        ("undo", np.int64, (MAX_DEPTH + 4, 3)),  # threats, target stones and captures, for `unplay`
    ],
    align=True,
)

CHECK_KEYS, BAN_KEYS, MARK_KEYS, COUNT_KEYS = 0, 3, 4, 5
KEYS = np.random.Generator(np.random.PCG64(7)).integers(1, 2**63, size=(8, LENGTH), dtype=np.uint64)


def lay_out(problem: Problem) -> npt.NDArray[np.void]:
    """A problem as the search sees it, whichever question is asked: a SPACE record in an array of one."""
    board = problem.board
    length = board.grid.length
    region = set(problem.region)
    arrays = empty_arrays(board.grid)
    spaces = as_records(np.zeros(1, dtype=SPACE))
    s = spaces[0]
    s["keys"][:] = KEYS
    for stone in map(int, board.grid.points):
        colour = problem.colour_at(stone)
        if colour != EMPTY:
            setup_stone(arrays, stone, colour, stone not in region)
            s["check"][0] ^= s["keys"][CHECK_KEYS + colour, stone]
    inner = s["board"]
    inner["colour"][:] = OFF
    for name in ("colour", "head", "next", "libs", "size"):
        inner[name][:length] = getattr(arrays, name)
    inner["keys"][:, :length] = arrays.keys
    inner["hash"][:] = arrays.hash
    inner["state"][:] = arrays.state
    near = distances(problem)
    points = np.array(sorted(region, key=lambda point: (near[point], point)), dtype=np.int64)
    s["point"][: len(points)] = points
    s["bit"][:] = -1
    s["bit"][points] = np.arange(len(points), dtype=np.int16)
    s["near"][:length] = near
    s["within"][:] = np.searchsorted(near[points], np.arange(UNREACHABLE + 1), side="right")
    s["edge"][:length], s["relation"][:length] = edge_classes(board.grid), relations(board.grid)
    s["marked"][list(problem.target)] = 1
    s["target"][: len(problem.target)] = problem.target
    lay_out_sets(problem, s, [int(p) for p in points])
    facts = s["facts"]
    facts[DEFENDER], facts[ATTACKER] = problem.defender, problem.attacker
    facts[POINTS], facts[WORDS] = len(points), (len(points) + 63) // 64
    facts[MARKED] = facts[TARGETS] = len(problem.target)
    return spaces


def lay_out_sets(problem: Problem, s: np.void, points: list[int]) -> None:
    """Stones, neighbours and surroundings as sets."""
    neighbours = problem.board.grid.neighbours
    bits = {point: bit for bit, point in enumerate(points)}
    outside = {problem.defender: "by_friend", problem.attacker: "by_foe", EMPTY: "by_void"}

    def put(words: npt.NDArray[np.uint64], bit: int) -> None:
        words[bit >> 6] |= np.uint64(1 << (bit & 63))

    for point, bit in bits.items():
        put(s["inside"], bit)
        if (colour := problem.colour_at(point)) != EMPTY:
            put(s["stones"][colour], bit)
        for near in neighbours(point):
            if near in bits:
                put(s["around"][bit], bits[near])
            else:
                put(s[outside[problem.colour_at(near)]], bit)
    for stone in problem.target:
        put(s["left"], bits[stone])


def make_space(
    layout: npt.NDArray[np.void], *, first: int, threats: dict[int, int], looper: int
) -> npt.NDArray[np.void]:
    """The space of one question, with `first` to move: two SPACE records, the second for `replay`."""
    spaces = as_records(np.repeat(layout, 2))
    for s in spaces:
        facts = s["facts"]
        facts[TURN] = first
        facts[THREATS + BLACK], facts[THREATS + WHITE] = threats[BLACK], threats[WHITE]
        facts[LOOPER] = looper
        facts[EXEMPT] = max(threats, key=threats.__getitem__) if ENDLESS in threats.values() else EMPTY
        facts[GAME] = game(facts[EXEMPT], looper)
    return spaces


@leaf
def ban(s):  # type: ignore[no-untyped-def]
    """The point the side to move may not take back now, or NO_POINT."""
    state = s.board.state
    if state[KO] != NO_POINT and state[KO_COLOUR] == s.facts[TURN]:
        if s.facts[THREATS + s.facts[TURN]] == ENDLESS:
            return NO_POINT
        return state[KO]
    return NO_POINT


@leaf
def legal(s, point):  # type: ignore[no-untyped-def]
    """May the side to move play on this empty region point? Suicide is never allowed."""
    a = s.board
    colour = s.facts[TURN]
    for direction in range(4):
        neighbour = point + side(a.state[STRIDE], direction)
        content = a.colour[neighbour]
        if content == EMPTY:
            return point != ban(s) or s.facts[THREATS + colour] > 0
        if content == OFF:
            continue
        liberties = a.libs[a.head[neighbour]]
        if (content == colour and liberties > 1) or (content != colour and liberties == 1):
            return point != ban(s) or s.facts[THREATS + colour] > 0
    return False


@leaf
def play(s, point):  # type: ignore[no-untyped-def]
    """Play for the side to move; PASS is a move. Returns the number of stones captured."""
    a, facts = s.board, s.facts
    colour = facts[TURN]
    ply = facts[PLIES]
    facts[PLIES] = ply + 1
    s.undo[ply, 0] = facts[THREATS + colour]
    s.undo[ply, 1] = facts[MARKED]
    if point != PASS and point == ban(s):
        facts[THREATS + colour] -= 1
    captured = place(a, point, colour)
    if point != PASS:
        toggle(s, point, colour)
    if captured:
        forget_captured(s, captured, BLACK + WHITE - colour, ply)
    s.undo[ply, 2] = captured
    facts[TURN] = BLACK + WHITE - colour
    return captured


@inlined
def toggle(s, stone, colour):  # type: ignore[no-untyped-def]
    """Put a stone of the region into the check hash and the set of stones, or take it out."""
    s.check[0] ^= s.keys[CHECK_KEYS + colour, stone]
    bit = s.bit[stone]
    s.stones[colour, bit >> 6] ^= bit_in_word(bit)


@inlined
def toggle_mark(s, stone):  # type: ignore[no-untyped-def]
    """The same for the marks of the target."""
    s.check[1] ^= s.keys[MARK_KEYS, stone]
    bit = s.bit[stone]
    s.left[bit >> 6] ^= bit_in_word(bit)


@leaf
def forget_captured(s, captured, colour, ply):  # type: ignore[no-untyped-def]
    """Take the stones captured at this ply out of the check hash, the sets and the marks."""
    a = s.board
    # they stand in the log below the seven closing words, each chain followed by its number
    top = a.state[LOG_TOP] - 8
    while captured > 0:
        count = a.log[top]
        for i in range(top - count, top):
            stone = a.log[i]
            toggle(s, stone, colour)
            if s.marked[stone] == 1:
                s.marked[stone] = 2 + ply
                toggle_mark(s, stone)
                s.facts[MARKED] -= 1
        captured -= count
        top -= count + 1


@leaf
def unplay(s):  # type: ignore[no-untyped-def]
    """Take the last `play` back."""
    a, facts = s.board, s.facts
    ply = facts[PLIES] - 1
    facts[PLIES] = ply
    colour = BLACK + WHITE - facts[TURN]
    facts[TURN] = colour
    facts[THREATS + colour] = s.undo[ply, 0]
    left = s.undo[ply, 2]
    top = a.state[LOG_TOP] - 8
    while left > 0:
        count = a.log[top]
        for i in range(top - count, top):
            stone = a.log[i]
            toggle(s, stone, BLACK + WHITE - colour)
            if s.marked[stone] == 2 + ply:
                s.marked[stone] = 1
                toggle_mark(s, stone)
        left -= count
        top -= count + 1
    facts[MARKED] = s.undo[ply, 1]
    point = take_back(a)
    if point != PASS:
        toggle(s, point, colour)


@inlined
def game(exempt, looper):  # type: ignore[no-untyped-def]
    """The game in which `exempt` may ignore the ko ban (EMPTY: threats are counted) and `looper` wins by
    endless play, as a set of one: several games together are a set, too."""
    return 1 << (3 * (looper - BLACK) + exempt)


@leaf
def position_key(s):  # type: ignore[no-untyped-def]
    """Hash of all that decides the outcome but which game it is: stones, target stones left, turn, ban, and
    threats where they are counted."""
    return key_if_exempt(s, s.facts[EXEMPT])


@leaf
def key_if_exempt(s, exempt):  # type: ignore[no-untyped-def]
    """The same in the games in which `exempt` may ignore the ko ban."""
    state, turn = s.board.state, s.facts[TURN]
    key = s.board.hash[0] ^ threats_key(s, exempt)
    if state[KO] != NO_POINT and state[KO_COLOUR] == turn and turn != exempt:
        key ^= s.keys[BAN_KEYS, state[KO]]
    return key


@leaf
def threats_key(s, exempt):  # type: ignore[no-untyped-def]
    """The part of it that is not about stones and the ban."""
    facts = s.facts
    key = s.check[1] ^ s.keys[COUNT_KEYS, facts[TURN]]
    if exempt == EMPTY:
        for colour in range(BLACK, WHITE + 1):
            key ^= s.keys[COUNT_KEYS + colour, facts[THREATS + colour]]
    return key


@leaf
def captures_at(s, point):  # type: ignore[no-untyped-def]
    """Would a move here by the side to move capture anything?"""
    a = s.board
    enemy = BLACK + WHITE - s.facts[TURN]
    for direction in range(4):
        neighbour = point + side(a.state[STRIDE], direction)
        if a.colour[neighbour] == enemy and a.libs[a.head[neighbour]] == 1:
            return True
    return False


@kernel
def start_from(spaces, first, moves):  # type: ignore[no-untyped-def]
    """Play moves from the start, `first` to move."""
    s = spaces[0]
    s.facts[TURN] = first
    for move in moves:
        play(s, move)


@kernel
def back_to_start(spaces):  # type: ignore[no-untyped-def]
    """Take back everything played."""
    s = spaces[0]
    while s.facts[PLIES] > 0:
        unplay(s)
