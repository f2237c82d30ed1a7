"""SGF, lowest layer: one pass over the bytes that finds every node, property and value.

The result is a tree in flat arrays, one row a node, a property or a value; nothing is copied out of
the file, rows hold offsets into it. `miai.go.sgf` wraps the rows in `Node` objects as people ask
for them, which is why a large collection opens in milliseconds.

    nodes       int32 [node, 5]      PARENT, CHILD (the first), SIBLING (the next), PROPERTIES, OFFSET
    properties  int32 [property, 3]  where the name starts and ends, and VALUES
    values      int32 [value, 2]     between the brackets: start, end
    games       int32 [game, 3]      ROOT node, and where the tree starts and ends

PROPERTIES and VALUES are the first row of a run that ends where the next row's run begins; one row
more than there are nodes (or properties) closes the last run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, NO_POINT, PASS, WHITE
from miai.kernel import kernel

IntArray = npt.NDArray[np.int32]
ByteArray = npt.NDArray[np.uint8]

NO_NODE = -1
PARENT, CHILD, SIBLING, PROPERTIES, OFFSET = range(5)
NAME_START, NAME_END, VALUES = range(3)
ROOT, GAME_START, GAME_END = range(3)

OPEN, CLOSE, SEMICOLON = ord("("), ord(")"), ord(";")
BRACKET, UNBRACKET, BACKSLASH, SPACE = ord("["), ord("]"), ord("\\"), ord(" ")
LOWER_A, LOWER_Z = ord("a"), ord("z")
LETTER_A, LETTER_B, LETTER_E, LETTER_L, LETTER_P, LETTER_W = (ord(letter) for letter in "ABELPW")

FINE, OUTSIDE, NO_TREE, UNCLOSED_TREE, UNCLOSED_VALUE, LATE_NODE, EMPTY_TREE, NO_VALUE, NO_NAME, JUNK = range(
    10
)
PROBLEMS = {
    OUTSIDE: "a property outside any game tree",
    NO_TREE: "no game tree in this file: it would begin with (;",
    UNCLOSED_TREE: "the file ends inside a game: a ) is missing",
    UNCLOSED_VALUE: "this [ is never closed by a ]",
    LATE_NODE: "a node or property after a variation has ended: only ( or ) can stand here",
    EMPTY_TREE: "a ( that no ; follows",
    NO_VALUE: "a property name with no [value]",
    NO_NAME: "a value without a property name",
    JUNK: "text that is no part of SGF",
}

OTHER, SETUP = 0, 3  # what a property is to a line of play, besides a move of BLACK or WHITE


class Scan(NamedTuple):
    """All that one pass finds; see the head of this module for the columns."""

    nodes: IntArray
    properties: IntArray
    values: IntArray
    games: IntArray
    game_count: int  # complete games; only so many rows of `games` mean anything
    broken_root: int  # the root of the game in which the problem is, or NO_NODE
    problem: int  # a key of PROBLEMS, or FINE
    problem_at: int  # offset


class Line(NamedTuple):
    """The moves from a root to the end of one variation, as kernels like them."""

    points: IntArray  # [move]; NO_POINT, which no board takes, where the record names no point
    colours: npt.NDArray[np.int8]  # [move]
    at: IntArray  # [move] which node of the line, the root being 0
    setups: IntArray  # [setup] which nodes of the line have AB, AW, AE or PL


@kernel
def skip_blanks(data: ByteArray, i: int) -> int:
    while i < len(data) and data[i] <= SPACE:
        i += 1
    return i


@kernel
def is_name(byte: int) -> bool:
    return 65 <= byte <= 90 or LOWER_A <= byte <= LOWER_Z or 48 <= byte <= 57


@kernel
def opens_tree(data: ByteArray, i: int) -> bool:
    """Whether the ( at `i` is followed by a ;, so that it is not a bracket in somebody's prose."""
    i = skip_blanks(data, i + 1)
    return i < len(data) and data[i] == SEMICOLON


@kernel
def scan(
    data: ByteArray,
) -> tuple[IntArray, IntArray, IntArray, IntArray, int, int, int, int]:
    """The fields of `Scan` from the bytes of a file. Stops at the first problem."""
    semicolons = brackets = opens = 0
    for byte in data:
        semicolons += byte == SEMICOLON
        brackets += byte == BRACKET
        opens += byte == OPEN

    nodes = np.empty((semicolons + 1, 5), np.int32)
    properties = np.empty((brackets + 1, 3), np.int32)
    values = np.empty((brackets, 2), np.int32)
    games = np.zeros((opens, 3), np.int32)
    last_child = np.empty(semicolons, np.int32)
    branches = np.empty(opens, np.int32)  # the node from which each open ( hangs
    node = property_ = value = game = depth = 0  # rows filled, and open (
    root = parent = NO_NODE
    after_variation = False
    problem = FINE
    i = 0
    while i < len(data):
        byte = data[i]
        if depth == 0:
            if byte == OPEN and opens_tree(data, i):
                games[game, GAME_START] = i
                root = node
                parent = branches[0] = NO_NODE
                depth = 1
                after_variation = False
            elif game > 0 and (byte == BRACKET or byte == UNBRACKET):
                problem = OUTSIDE
                break
            i += 1
        elif byte <= SPACE:
            i += 1
        elif byte == CLOSE:
            depth -= 1
            parent = branches[depth]
            after_variation = True
            i += 1
            if depth == 0:
                games[game, ROOT] = root
                games[game, GAME_END] = i
                game += 1
                root = NO_NODE
        elif byte == OPEN:
            if not opens_tree(data, i):
                problem = EMPTY_TREE
                break
            branches[depth] = parent
            depth += 1
            after_variation = False
            i += 1
        elif after_variation:
            problem = LATE_NODE
            break
        elif byte == SEMICOLON:
            nodes[node, PARENT] = parent
            nodes[node, CHILD] = nodes[node, SIBLING] = NO_NODE
            nodes[node, PROPERTIES] = property_
            nodes[node, OFFSET] = i
            if parent != NO_NODE:
                if nodes[parent, CHILD] == NO_NODE:
                    nodes[parent, CHILD] = node
                else:
                    nodes[last_child[parent], SIBLING] = node
                last_child[parent] = node
            parent = node
            node += 1
            i += 1
        elif is_name(byte):
            start = i
            while i < len(data) and is_name(data[i]):
                i += 1
            end = i
            while i < len(data) and data[i] <= SPACE:
                i += 1
            if i == len(data) or data[i] != BRACKET:
                problem = NO_VALUE
                i = start
                break
            properties[property_, NAME_START] = start
            properties[property_, NAME_END] = end
            properties[property_, VALUES] = value
            property_ += 1
            while i < len(data) and data[i] == BRACKET:
                end = i + 1
                while end < len(data) and data[end] != UNBRACKET:
                    end += 2 if data[end] == BACKSLASH else 1
                if end >= len(data):
                    problem = UNCLOSED_VALUE
                    break
                values[value, 0] = i + 1
                values[value, 1] = end
                value += 1
                i = end + 1
                while i < len(data) and data[i] <= SPACE:
                    i += 1
            if problem != FINE:
                if properties[property_ - 1, VALUES] == value:
                    property_ -= 1  # whatever else is broken, a property has a value
                break
        else:
            problem = NO_NAME if byte == BRACKET else JUNK
            break

    if problem == FINE and depth > 0:
        problem = UNCLOSED_TREE
    elif problem == FINE and game == 0:
        problem = NO_TREE
    nodes[node, PROPERTIES] = property_
    properties[property_, VALUES] = value
    return nodes, properties, values, games, game, root if root < node else NO_NODE, problem, i


@kernel
def role(data: ByteArray, start: int, end: int) -> int:
    """BLACK or WHITE for a move, SETUP for AB, AW, AE and PL; lower-case letters do not count."""
    first = second = 0
    for i in range(start, end):
        byte = data[i]
        if LOWER_A <= byte <= LOWER_Z:
            continue
        if first == 0:
            first = byte
        elif second == 0:
            second = byte
        else:
            return OTHER
    if second == 0:
        return BLACK if first == LETTER_B else WHITE if first == LETTER_W else OTHER
    if first == LETTER_A and (second == LETTER_B or second == LETTER_W or second == LETTER_E):
        return SETUP
    return SETUP if first == LETTER_P and second == LETTER_L else OTHER


@kernel
def trimmed_point(data: ByteArray, start: int, end: int, letters: IntArray) -> int:
    """The point of a value that is not just two letters: a pass, or blanks around them."""
    start = skip_blanks(data, start)
    while end > start and data[end - 1] <= SPACE:
        end -= 1
    if start >= end:
        return PASS
    return int(letters[data[start], data[start + 1]]) if end - start == 2 else NO_POINT


@kernel
def follow(
    data: ByteArray, nodes: IntArray, properties: IntArray, values: IntArray, letters: IntArray, through: int
) -> tuple[IntArray, npt.NDArray[np.int8], IntArray, IntArray]:
    """The fields of `Line` for the line through a node: up to its root, and down by first children.

    `letters[column, row]` is the point that these two bytes name on the board in use.
    """
    above = below = most = 0  # nodes, and at most so many moves
    node = through
    while nodes[node, PARENT] != NO_NODE:
        node = nodes[node, PARENT]
        most += nodes[node + 1, PROPERTIES] - nodes[node, PROPERTIES]
        above += 1
    node = through
    while node != NO_NODE:
        most += nodes[node + 1, PROPERTIES] - nodes[node, PROPERTIES]
        node = nodes[node, CHILD]
        below += 1
    line = np.empty(above + below, np.int32)
    node = through
    for k in range(above, -1, -1):
        line[k] = node
        node = nodes[node, PARENT]
    for k in range(above + 1, above + below):
        line[k] = nodes[line[k - 1], CHILD]

    points = np.empty(most, np.int32)
    colours = np.empty(most, np.int8)
    at = np.empty(most, np.int32)
    setups = np.empty(len(line), np.int32)
    move = setup = 0
    for k in range(len(line)):
        for row in range(nodes[line[k], PROPERTIES], nodes[line[k] + 1, PROPERTIES]):
            start, end = properties[row, NAME_START], properties[row, NAME_END]
            # One-letter names and two-letter points are nearly all there is. A call that passes arrays
            # costs more than the work in it (Numba counts references), hence the short cuts.
            if end - start == 1:
                what = BLACK if data[start] == LETTER_B else WHITE if data[start] == LETTER_W else OTHER
            else:
                what = role(data, start, end)
            if what == SETUP:
                if setup == 0 or setups[setup - 1] != k:
                    setups[setup] = k
                    setup += 1
            elif what != OTHER:
                value = properties[row, VALUES]
                start, end = values[value, 0], values[value, 1]
                if end - start == 2:
                    points[move] = letters[data[start], data[start + 1]]
                if end - start != 2 or points[move] == NO_POINT:
                    points[move] = trimmed_point(data, start, end, letters)
                colours[move] = what
                at[move] = k
                move += 1
    return points[:move], colours[:move], at[:move], setups[:setup]
