"""Game trees as nested tuples, for tests: a leaf is a number, anything else (Black's moves, White's moves).

Nothing is simplified, unlike in `miai.endgame.games`, so that results can be compared with plain search.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from miai.endgame.games import Game, game, left_stop, number
from miai.endgame.graph import Graph, graph_of

Tree = Any  # int | Fraction | tuple[tuple[Tree, ...], tuple[Tree, ...]]


def read(text: str) -> Tree:
    """Read `{9|{4|0}}` as it stands."""
    tree, rest = _read(text.replace(" ", ""))
    assert not rest, rest
    return tree


def _read(text: str) -> tuple[Tree, str]:
    if text[0] != "{":
        end = next((i for i, c in enumerate(text) if c in "{}|,"), len(text))
        return Fraction(text[:end]), text[end:]
    sides = []
    for close in "|}":
        options = []
        text = "," + text[1:]
        while text[0] == ",":
            option, text = _read(text[1:])
            options.append(option)
        assert text[0] == close, text
        sides.append(tuple(options))
    return (sides[0], sides[1]), text[1:]


def is_leaf(tree: Tree) -> bool:
    return not isinstance(tree, tuple)


def canonical(tree: Tree) -> Game:
    if is_leaf(tree):
        return number(tree)
    return game([canonical(t) for t in tree[0]], [canonical(t) for t in tree[1]])


def with_numbers(tree: Tree) -> Tree:
    """The tree with every position that is worth a number replaced by it: only there may one wait."""
    value = canonical(tree)
    if value.number is not None:
        return value.number
    return tuple(map(with_numbers, tree[0])), tuple(map(with_numbers, tree[1]))


def plus(g: Tree, h: Tree) -> Tree:
    """The sum, written out; nobody moves in a number (so let `with_numbers` find them first)."""
    if is_leaf(g) and is_leaf(h):
        return g + h
    black = [plus(x, h) for x in (() if is_leaf(g) else g[0])] + [
        plus(g, x) for x in (() if is_leaf(h) else h[0])
    ]
    white = [plus(x, h) for x in (() if is_leaf(g) else g[1])] + [
        plus(g, x) for x in (() if is_leaf(h) else h[1])
    ]
    return tuple(black), tuple(white)


def graph(tree: Tree, *, per_move: int = 0) -> Graph:
    """The tree as a graph; labels number the options. Each move adds `per_move` points for its player.

    A position in which nobody wants to move is counted as the number that it is.
    """
    scores: list[Any] = []
    left: dict[int, list[tuple[int, bool, int]]] = {}
    right: dict[int, list[tuple[int, bool, int]]] = {}

    def visit(t: Tree, moves: int) -> int:
        node = len(scores)
        value = canonical(t)
        scores.append((left_stop(value) if value.number is None else value.number) + moves * per_move)
        if not is_leaf(t):
            left[node] = [(visit(x, moves + 1), False, i) for i, x in enumerate(t[0])]
            right[node] = [(visit(x, moves - 1), False, i) for i, x in enumerate(t[1])]
        return node

    visit(tree, 0)
    return graph_of(scores, left, right)


def minimax(tree: Tree, black: bool) -> Fraction:
    """The result of alternating play down to a leaf, nobody passing."""
    if is_leaf(tree):
        return Fraction(tree)
    results = [minimax(t, not black) for t in tree[0 if black else 1]]
    return max(results) if black else min(results)


def trees(max_leaves: int = 6, size: int = 9) -> st.SearchStrategy[Tree]:
    """Random trees with whole numbers at the leaves, one or two options a side."""
    return st.recursive(
        st.integers(-size, size),
        lambda sub: st.tuples(
            st.lists(sub, min_size=1, max_size=2).map(tuple), st.lists(sub, min_size=1, max_size=2).map(tuple)
        ),
        max_leaves=max_leaves,
    )
