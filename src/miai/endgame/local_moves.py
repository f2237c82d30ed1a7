"""The rules of Go inside a region, on sets of points held in the bits of one integer.

A position of a region keeps only what is still open. Stones that can never be captured again (they
touch a wall of their own colour) and points that surely belong to one side leave the position and
become part of its score, so that positions that differ only there are one node of the graph:

    open    the points that are still open, DAME_BIT for one neutral point that stands apart
    black   Black's stones on open points: none of them touches a safe black stone
    white   White's likewise
    near_b  the open points next to a safe black stone
    near_w  … to a safe white stone

`settle` does that clearing away, `play` makes a move. `local_graph` builds the graph with them;
`local_space` makes the first position from a board.

Why `settle` is sound (area counting; c is the number of points of a component of the open points):

* A chain next to a safe stone of its own colour is part of its chain, hence safe. A point beside an
  outside liberty that nobody may fill (`free`) makes a chain safe as well.
* A component that touches only safe black stones, with at most one point away from them, is worth
  exactly c to Black. It is never worth more. And Black, answering, always gets c: a black stone on an
  empty point next to a safe stone is legal and safe, so after White's move Black takes such a point
  while there is one; the points that are not safe and black get fewer each time, so this ends. Then
  the only empty point left is the one away from safe stones, p, and it is the only liberty of every
  white stone. The points around p are then all white, two or more of them by the condition in
  `belongs`, and a black stone on p captures them and cannot be taken at once; whichever of these
  points White plays, Black takes another, which joins p to safe stones. No ko is involved.
* Two single neutral points, each open to both sides, are ±1 + ±1 = 0: only whether their number is
  odd matters.
* What is safe never becomes open again, so two positions of a loop have the same open points and
  the same score of what is settled.
"""

from __future__ import annotations

import numpy as np

from miai.kernel import inlined, leaf

MAX_POINTS = 60  # of a region, in the bits 0 to 59
DAME_BIT = 1 << 60

# A region's geometry in one array of int64: `beside[i]` the points next to point i.
FREE = MAX_POINTS  # beside[FREE]: points next to an outside liberty that nobody may fill
EDGE = MAX_POINTS + 1  # beside[EDGE]: points on the edge of the board
SENSIBLE = MAX_POINTS + 2  # beside[SENSIBLE]: 1 for a guess, from the moves that `sensible` names
SHAPE_LENGTH = MAX_POINTS + 3

# A position in one array of int64
OPEN, BLACKS, WHITES, NEAR_B, NEAR_W, STATE_LENGTH = 0, 1, 2, 3, 4, 5
SCORE, KO_CAPTURE, MOVE_LENGTH = 5, 6, 7  # after a move: Black's gain in settled points, 1 for a ko capture

_MAGIC = np.uint64(0x03F79D71B4CB0A89)  # a de Bruijn sequence: its six-bit windows are all different
_SHIFT = np.uint64(58)
_INDEX = np.zeros(64, dtype=np.int64)
for _i in range(64):
    _INDEX[((0x03F79D71B4CB0A89 << _i) & (2**64 - 1)) >> 58] = _i


@inlined
def lowest(bits):  # type: ignore[no-untyped-def]
    """The number of the lowest bit that is set; there must be one."""
    return _INDEX[(np.uint64(bits & -bits) * _MAGIC) >> _SHIFT]


@inlined
def count(bits):  # type: ignore[no-untyped-def]
    """How many bits are set."""
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    bits = bits + (bits >> 8)
    bits = bits + (bits >> 16)
    return (bits + (bits >> 32)) & 127


@inlined
def around(beside, bits):  # type: ignore[no-untyped-def]
    """The points next to any of `bits`."""
    found = bits & 0
    while bits:
        found |= beside[lowest(bits)]
        bits &= bits - 1
    return found


@inlined
def fill(beside, start, within):  # type: ignore[no-untyped-def]
    """All points of `within` that are connected to `start`, which lies in it."""
    part = fresh = start
    while fresh:
        reached = beside[lowest(fresh)] & within & ~part
        part |= reached
        fresh = (fresh & (fresh - 1)) | reached
    return part


@inlined
def belongs(beside, part, near):  # type: ignore[no-untyped-def]
    """Is a component that only one side's safe stones touch surely all that side's?"""
    inner = part & ~near
    if inner == 0:
        return True
    around_it = beside[lowest(inner)]
    return inner & (inner - 1) == 0 and around_it & (around_it - 1) != 0


@inlined
def settle(beside, s):  # type: ignore[no-untyped-def]
    """Take what is decided out of position `s` and add it to `s[SCORE]`."""
    still, black, white, near_b, near_w = s[OPEN], s[BLACKS], s[WHITES], s[NEAR_B], s[NEAR_W]
    free = beside[FREE]
    gain = s[SCORE]
    dame = still & DAME_BIT
    still &= ~DAME_BIT
    safe_b = fill(beside, black & (near_b | free), black)
    safe_w = fill(beside, white & (near_w | free), white)
    if safe_b:
        gain += count(safe_b)
        still &= ~safe_b
        black &= ~safe_b
        near_b |= around(beside, safe_b)
    if safe_w:
        gain -= count(safe_w)
        still &= ~safe_w
        white &= ~safe_w
        near_w |= around(beside, safe_w)
    near_b &= still
    near_w &= still
    rest = still
    while rest:
        part = fill(beside, rest & -rest, still)
        rest &= ~part
        for_b = part & (near_b | free)
        for_w = part & (near_w | free)
        if for_b == 0 and for_w == 0:
            continue  # no safe stone around it at all: anything may happen
        if for_w == 0 and belongs(beside, part, near_b):
            gain += count(part)
            still &= ~part
        elif for_b == 0 and belongs(beside, part, near_w):
            gain -= count(part)
            still &= ~part
        elif part & (part - 1) == 0 and for_b and for_w:
            dame ^= DAME_BIT
            still &= ~part
    s[OPEN] = still | dame
    s[BLACKS] = black & still
    s[WHITES] = white & still
    s[NEAR_B] = near_b & still
    s[NEAR_W] = near_w & still
    s[SCORE] = gain


@inlined
def without_liberties(beside, at, chains, empty):  # type: ignore[no-untyped-def]
    """The stones of `chains` next to the point `at` whose chain has no liberty in `empty`."""
    taken = at & 0
    struck = beside[lowest(at)] & chains
    while struck:
        chain = fill(beside, struck & -struck, chains)
        struck &= ~chain
        if around(beside, chain) & empty == 0:
            taken |= chain
    return taken


@inlined
def play(beside, s, move, for_black, out):  # type: ignore[no-untyped-def]
    """Put a stone on the empty open point with bit `move`; False where that is suicide.

    `out` gets the new position, settled, with the gain in SCORE and KO_CAPTURE set if the move took
    one stone with one stone that can be taken back at once.
    """
    still = s[OPEN]
    if move == DAME_BIT:
        for i in range(STATE_LENGTH):
            out[i] = s[i]
        out[OPEN] = still & ~DAME_BIT
        out[SCORE] = 1 if for_black else -1
        out[KO_CAPTURE] = 0
        return True
    if for_black:
        own, other, near = s[BLACKS], s[WHITES], s[NEAR_B]
    else:
        own, other, near = s[WHITES], s[BLACKS], s[NEAR_W]
    own |= move
    empty = still & ~DAME_BIT & ~own & ~other
    taken = without_liberties(beside, move, other, empty)
    ko = 0
    if (beside[lowest(move)] & empty) == 0 and move & (near | beside[FREE]) == 0:
        chain = fill(beside, move, own)
        if taken == 0:
            if around(beside, chain) & empty == 0 and chain & (near | beside[FREE]) == 0:
                return False
        elif chain == move and taken & (taken - 1) == 0:
            ko = 1
    other &= ~taken
    out[OPEN] = still
    out[BLACKS] = own if for_black else other
    out[WHITES] = other if for_black else own
    out[NEAR_B] = s[NEAR_B]
    out[NEAR_W] = s[NEAR_W]
    out[SCORE] = 0
    out[KO_CAPTURE] = ko
    settle(beside, out)
    return True


@inlined
def sensible(beside, s, for_black):  # type: ignore[no-untyped-def]
    """The empty points where a move looks sensible: two steps from a stone of each side, or a liberty
    of a chain that has at most two; along the edge four steps from one's own, for a monkey jump.

    A walk into the other side's territory, or a move in one's own where nobody has come near, is what
    this leaves out.
    """
    black, white = s[BLACKS], s[WHITES]
    empty = s[OPEN] & ~DAME_BIT & ~black & ~white
    near_b = around(beside, black) | s[NEAR_B] | beside[FREE]
    near_w = around(beside, white) | s[NEAR_W] | beside[FREE]
    near_b |= around(beside, near_b)
    near_w |= around(beside, near_w)
    own, other = (near_b, near_w) if for_black else (near_w, near_b)
    further = own | around(beside, own)
    further |= around(beside, further)
    found = (own | further & beside[EDGE]) & other
    rest = black | white
    while rest:
        stone = rest & -rest
        chain = fill(beside, stone, black if stone & black else white)
        rest &= ~chain
        liberties = around(beside, chain) & empty
        if count(liberties) <= 2:
            found |= liberties
    return found & empty


@leaf
def standing(beside, s):  # type: ignore[no-untyped-def]
    """Black's area minus White's on the open points if nobody plays on and every stone stays."""
    still, black, white = s[OPEN] & ~DAME_BIT, s[BLACKS], s[WHITES]
    total = count(black) - count(white)
    rest = empty = still & ~black & ~white
    free = beside[FREE]
    while rest:
        part = fill(beside, rest & -rest, empty)
        rest &= ~part
        edge = around(beside, part)
        seen_b = (edge & black) | (part & (s[NEAR_B] | free))
        seen_w = (edge & white) | (part & (s[NEAR_W] | free))
        if seen_b and not seen_w:
            total += count(part)
        elif seen_w and not seen_b:
            total -= count(part)
    return total
